//! The writer of people's files: what it replaces keeps its mode, its owner and its link, and whoever reads sees the old
//! text or the new one.
//!
//! How it works: under one lock of our own every file is read again and must still be what the change was made from; then
//! each new text goes into a file beside it, which takes its place by a rename. When a later file of a change cannot be
//! written, the earlier ones get back what they had.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hookwright_model::{FileKind, args};

use crate::fault::Fault;
use crate::owned;

hookwright_model::sayings! {
    /// Somebody else was quicker.
    CHANGED = "edit_file_changed" { "{path} was changed meanwhile", "{path} 在此期间已被更改" } hint { "look at it and try again; nothing was written over", "请查看后重试；没有覆盖任何内容" };
    /// The system's words.
    UNWRITABLE = "edit_unwritable" { "{path} cannot be written: {why}", "无法写入 {path}：{why}" } hint { "check the owner and mode of the file and its folder; it is as it was", "请检查文件及其文件夹的所有者和权限；文件保持原样" };
}

/// A file that is to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The file, absolute.
    pub path: PathBuf,
    /// What it must say now, without byte-order mark; `None` when it must not be there.
    pub before: Option<String>,
    /// What it says then; `None` when it is gone then.
    pub after: Option<String>,
    /// What it is when it is new.
    pub kind: FileKind,
}

const MARK: &[u8] = "\u{feff}".as_bytes();

/// Writes all these files, or none.
///
/// # Errors
/// Somebody changed one meanwhile, or one cannot be written.
pub fn write(data_dir: &Path, files: &[Planned]) -> Result<Vec<Planned>, Fault> {
    // Where our own folder cannot be written, looking again at the files has to do.
    let _one = match owned::hold(&data_dir.join("edit")) {
        Ok(lock) => Some(lock),
        Err(error @ owned::OwnedError::Busy { .. }) => return Err(error.into()),
        Err(_) => None,
    };
    let changed: Vec<&Planned> = files.iter().filter(|file| file.before != file.after).collect();
    for file in &changed {
        still(file)?;
    }
    let mut done: Vec<&Planned> = Vec::new();
    for file in changed {
        if let Err(error) = put(file) {
            for file in done.iter().rev() {
                // As much as can be had back; what failed is told.
                drop(put(&file.back()));
            }
            return Err(UNWRITABLE
                .say(args! { "path" => file.path.display().to_string(), "why" => error.to_string() })
                .into());
        }
        done.push(file);
    }
    Ok(done.into_iter().cloned().collect())
}

impl Planned {
    /// The way back.
    #[must_use]
    pub fn back(&self) -> Self {
        Self {
            path: self.path.clone(),
            before: self.after.clone(),
            after: self.before.clone(),
            kind: self.kind,
        }
    }
}

/// The file is still what the change was made from.
fn still(file: &Planned) -> Result<(), Fault> {
    let shown = || file.path.display().to_string();
    let now = match std::fs::read(&file.path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(UNWRITABLE
                .say(args! { "path" => shown(), "why" => error.to_string() })
                .into());
        }
    };
    let now = now.as_deref().map(|bytes| bytes.strip_prefix(MARK).unwrap_or(bytes));
    if now == file.before.as_deref().map(str::as_bytes) {
        Ok(())
    } else {
        Err(CHANGED.say(args! { "path" => shown() }).into())
    }
}

fn put(file: &Planned) -> io::Result<()> {
    let target = owned::resolve(&file.path)?;
    let Some(text) = &file.after else {
        return std::fs::remove_file(&target);
    };
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    owned::make_folders(folder)?;
    let old = match std::fs::metadata(&target) {
        Ok(meta) => Some(meta),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.as_ref().is_some_and(|meta| meta.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut next = tempfile::Builder::new()
        .prefix(".hookwright-")
        .suffix(".tmp")
        .tempfile_in(folder)?;
    if old.is_some() && begins_with_mark(&target)? {
        next.write_all(MARK)?;
    }
    next.write_all(text.as_bytes())?;
    like(next.as_file(), old.as_ref(), file.kind)?;
    next.as_file().sync_all()?;
    next.persist(&target).map_err(|error| error.error)?;
    // The new text is in place whatever this says; file systems without it are no reason to fail.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn begins_with_mark(path: &Path) -> io::Result<bool> {
    let mut start = [0; MARK.len()];
    let mut file = File::open(path)?;
    let mut at = 0;
    while at < start.len() {
        match io::Read::read(&mut file, &mut start[at..])? {
            0 => return Ok(false),
            more => at += more,
        }
    }
    Ok(start == *MARK)
}

/// Mode and owner of the file that is replaced; a new one is its person's own.
#[cfg(unix)]
fn like(file: &File, old: Option<&Metadata>, kind: FileKind) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let Some(old) = old else {
        let mode = match kind {
            FileKind::Plain => 0o600,
            FileKind::Script => 0o700,
        };
        return file.set_permissions(std::fs::Permissions::from_mode(mode));
    };
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))
            .map_err(|error| io::Error::new(error.kind(), format!("its owner cannot be kept ({error})")))?;
    }
    // After the owner: giving a file away may take bits of its mode.
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn like(file: &File, old: Option<&Metadata>, _: FileKind) -> io::Result<()> {
    match old {
        Some(old) => file.set_permissions(old.permissions()),
        None => Ok(()),
    }
}
