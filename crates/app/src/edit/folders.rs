//! From a dialect's plan to files: what stands there now, and every file of a folder that is copied or goes.

use std::path::{Path, PathBuf};

use hookwright_dialects::editing::UNREADABLE;
use hookwright_model::{FileChange, FileKind, SourceTree, args};

use super::bounds;
use super::people::{self, CHANGED, Content, Folder, Planned, Work};
use crate::fault::Fault;
use crate::leftover;
use crate::library::MAX_SOURCE_BYTES;

hookwright_model::messages! {
    /// A new file or folder whose name is taken.
    EXISTS = "edit_exists" { "{path} is there already", "{path} 已经存在" } hint { "choose another name, or move it away; nothing was changed", "请换一个名字，或先移走它；未作任何更改" };
    /// More than is read.
    TOO_LARGE = "too_large" / "edit" { "{path} would have more than {limit} bytes", "{path} 将超过 {limit} 字节" } hint { "a configuration file may have 1 MiB; nothing was changed", "配置文件最多 1 MiB；未作任何更改" };
    /// A folder that cannot be taken along.
    NOT_TAKEN = "edit_folder" { "{path} cannot be taken along: {why}", "无法一并处理 {path}：{why}" } hint { "move the folder by hand; nothing was changed", "请手工移动文件夹；未作任何更改" };
}

/// Files and bytes of a folder that is still taken for a hook's.
const MOST_FILES: usize = 1000;
const MOST_BYTES: usize = 64 << 20;
const MARK: &str = "\u{feff}";

/// Everything that a plan changes.
pub(super) fn work(trees: &[SourceTree], changes: &[FileChange]) -> Result<Work, Fault> {
    let mut work = Work::default();
    for change in changes {
        match change {
            FileChange::Write { path, text, kind } => write(&mut work, trees, path, text, *kind)?,
            FileChange::Remove { path } => {
                if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
                    return Err(not_taken(path, "it is a link"));
                }
                let before = people::content(path)?;
                as_shown(trees, path, before.as_ref())?;
                work.files.push(Planned {
                    path: path.clone(),
                    before,
                    after: None,
                });
            }
            FileChange::CopyFile { from, to } => {
                vacant(to)?;
                let gone = || CHANGED.render(args! { "path" => from.display().to_string() });
                let content = people::content(from)?.ok_or_else(gone)?;
                as_shown(trees, from, Some(&content))?;
                work.files.push(Planned {
                    path: to.clone(),
                    before: None,
                    after: Some(copied(content, goes(changes, from))),
                });
            }
            FileChange::CopyFolder { from, to } => {
                vacant(to)?;
                copy_folder(&mut work, trees, from, to, goes(changes, from))?;
            }
            FileChange::RemoveFolder { path } => {
                let Inside { files, folders } = inside(path)?;
                for (path, content) in files {
                    as_shown(trees, &path, Some(&content))?;
                    work.files.push(Planned {
                        path,
                        before: Some(content),
                        after: None,
                    });
                }
                work.gone.extend(folders);
            }
            FileChange::RemoveEmpty { path } => work.gone.push(folder(path)?),
        }
    }
    bounds::keeps(trees, &work)?;
    Ok(work)
}

/// Whether what is copied goes from where it was: it is moved then, and its owner with it. A copy is its maker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Original {
    Goes,
    Stays,
}

fn goes(changes: &[FileChange], from: &Path) -> Original {
    let gone = changes.iter().any(|change| match change {
        FileChange::Remove { path } | FileChange::RemoveFolder { path } => path == from,
        FileChange::Write { .. }
        | FileChange::CopyFile { .. }
        | FileChange::CopyFolder { .. }
        | FileChange::RemoveEmpty { .. } => false,
    });
    if gone { Original::Goes } else { Original::Stays }
}

fn copied(content: Content, original: Original) -> Content {
    Content {
        owner: content.owner.filter(|_| original == Original::Goes),
        ..content
    }
}

fn copy_folder(work: &mut Work, trees: &[SourceTree], from: &Path, to: &Path, original: Original) -> Result<(), Fault> {
    let there = |path: &Path| match path.strip_prefix(from) {
        Ok(inside) if !inside.as_os_str().is_empty() => to.join(inside),
        Ok(_) | Err(_) => to.to_owned(),
    };
    let Inside { files, folders } = inside(from)?;
    // Outer ones first.
    work.made.extend(folders.iter().rev().map(|folder| Folder {
        path: there(&folder.path),
        mode: folder.mode,
        owner: folder.owner.filter(|_| original == Original::Goes),
    }));
    for (path, content) in files {
        as_shown(trees, &path, Some(&content))?;
        work.files.push(Planned {
            path: there(&path),
            before: None,
            after: Some(copied(content, original)),
        });
    }
    Ok(())
}

/// What is there is what the dialect was shown, where it was shown anything: its plan was made from that. Returns the
/// byte-order mark that it was not shown.
fn as_shown(trees: &[SourceTree], path: &Path, content: Option<&Content>) -> Result<&'static str, Fault> {
    let shown = trees.iter().find_map(|tree| tree.files.get(path));
    let Some(Ok(text)) = shown.map(|file| &file.text) else {
        return Ok("");
    };
    let bytes = content.map(|content| content.bytes.as_slice());
    match bytes.map(|bytes| (bytes.strip_prefix(MARK.as_bytes()), bytes)) {
        Some((Some(rest), _)) if rest == text.as_bytes() => Ok(MARK),
        Some((None, bytes)) if bytes == text.as_bytes() => Ok(""),
        Some(_) | None => Err(CHANGED.render(args! { "path" => path.display().to_string() }).into()),
    }
}

/// Nothing is there yet.
fn vacant(path: &Path) -> Result<(), Fault> {
    match path.symlink_metadata() {
        Ok(_) => Err(EXISTS.render(args! { "path" => path.display().to_string() }).into()),
        Err(_) => Ok(()),
    }
}

fn write(work: &mut Work, trees: &[SourceTree], path: &Path, text: &str, kind: FileKind) -> Result<(), Fault> {
    let with = |mark: &str| {
        // A script begins with its `#!`, or the system does not know what it is.
        let mark = if kind == FileKind::Script { "" } else { mark };
        let bytes = format!("{mark}{text}").into_bytes();
        if bytes.len() as u64 > MAX_SOURCE_BYTES {
            let args = args! { "path" => path.display().to_string(), "limit" => MAX_SOURCE_BYTES };
            return Err(Fault::from(TOO_LARGE.render(args)));
        }
        Ok(bytes)
    };
    // A file that is copied, or in a copied folder, may be another one there.
    if let Some(copied) = work
        .files
        .iter_mut()
        .find(|file| file.path == path && file.before.is_none())
    {
        if let Some(content) = &mut copied.after {
            let marked = content.bytes.starts_with(MARK.as_bytes());
            content.bytes = with(if marked { MARK } else { "" })?;
        }
        return Ok(());
    }
    let before = people::content(path)?;
    let shown = trees.iter().find_map(|tree| tree.files.get(path));
    let mark = match (&before, shown.map(|file| &file.text)) {
        (None, _) => "",
        (Some(_), Some(Ok(_))) => as_shown(trees, path, before.as_ref())?,
        (Some(_), Some(Err(problem))) => {
            let args = args! { "path" => path.display().to_string(), "why" => problem.message };
            return Err(UNREADABLE.render(args).into());
        }
        // What the dialect was not shown it does not mean to replace.
        (Some(_), None) => {
            return Err(EXISTS.render(args! { "path" => path.display().to_string() }).into());
        }
    };
    let new_mode = match kind {
        FileKind::Plain => 0o600,
        FileKind::Script => 0o700,
    };
    work.files.push(Planned {
        path: path.to_owned(),
        after: Some(Content {
            bytes: with(mark)?,
            mode: before.as_ref().map_or(new_mode, |content| content.mode),
            owner: None,
            attributes: Vec::new(),
        }),
        before,
    });
    Ok(())
}

/// A folder as it is, which must be one itself.
fn folder(path: &Path) -> Result<Folder, Fault> {
    if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
        return Err(not_taken(path, "it is a link"));
    }
    Folder::of(path).map_err(|error| not_taken(path, &error.to_string()))
}

/// What is in a folder.
struct Inside {
    files: Vec<(PathBuf, Content)>,
    /// It and the folders in it, inner ones first.
    folders: Vec<Folder>,
}

fn inside(folder: &Path) -> Result<Inside, Fault> {
    let mut found = Inside {
        files: Vec::new(),
        folders: Vec::new(),
    };
    self::folder(folder)?;
    walk(folder, &mut found)?;
    Ok(found)
}

fn walk(folder: &Path, found: &mut Inside) -> Result<(), Fault> {
    let entries = std::fs::read_dir(folder).map_err(|error| not_taken(folder, &error.to_string()))?;
    for entry in entries {
        let entry = entry.map_err(|error| not_taken(folder, &error.to_string()))?;
        let path = entry.path();
        let kind = entry
            .file_type()
            .map_err(|error| not_taken(&path, &error.to_string()))?;
        // Not the hook's: another writer's, and gone when that one is done.
        if kind.is_file() && leftover::is_one(&entry.file_name()) {
            continue;
        }
        if kind.is_dir() {
            walk(&path, found)?;
        } else if kind.is_file() {
            let content = people::content(&path)?.ok_or_else(|| not_taken(&path, "it went away"))?;
            found.files.push((path, content));
        } else {
            return Err(not_taken(&path, "it is a link, or no file"));
        }
        let bytes: usize = found.files.iter().map(|(_, content)| content.bytes.len()).sum();
        if found.files.len() > MOST_FILES || bytes > MOST_BYTES {
            return Err(not_taken(folder, "it holds too much"));
        }
    }
    found.folders.push(self::folder(folder)?);
    Ok(())
}

fn not_taken(path: &Path, why: &str) -> Fault {
    NOT_TAKEN
        .render(args! { "path" => path.display().to_string(), "why" => why })
        .into()
}
