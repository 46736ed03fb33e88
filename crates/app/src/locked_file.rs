//! The one writer of our own small files: `settings.toml`, `trust.json`, `mutes.json`, and whatever else lies in folders
//! of ours (`CONTRACTS.md` §5).
//!
//! What it deliberately does not do: people's files, which have their own writer.
//!
//! How it works: a change takes the lock beside the file, reads the file again, changes what it read and puts the new
//! text in its place by an atomic rename. A file that does not parse is never written over; a person sets it aside.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hookwright_model::{Message, Problem, Severity, TextPosition, args, term};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::regular_file::{self, ReadError};
use crate::temp_files;

/// A file of ours that is larger than this is not read: 64 MiB.
pub const MAX_APP_FILE_BYTES: u64 = 64 << 20;
/// Mode of our small files.
pub const PRIVATE_FILE_MODE: u32 = 0o600;
/// How long a change waits for another program's change to end.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// Links are followed this often, as the system does.
const MAX_LINKS: usize = 40;

hookwright_model::messages! {
    /// A file of ours that does not parse, for whoever asked for it.
    BROKEN = "own_file_broken" { "{path}{at} does not parse: {what}", "{path}{at} 无法解析：{what}" } hint { "correct it or move it away; it is kept as it is", "请更正或移走该文件；它会原样保留" };
    /// The approvals do not parse.
    BROKEN_TRUST = "own_file_broken" / "trust" { "{path}{at} does not parse: {what}", "{path}{at} 无法解析：{what}" } hint { "correct it, or set it aside with `hookwright trust --reset`; it is kept as it is", "请更正，或用 `hookwright trust --reset` 将其搁置；它会原样保留" };
    /// A file of ours that cannot be read.
    UNREADABLE = "own_file_unreadable" { "{path} cannot be read: {why}", "无法读取 {path}：{why}" } hint { "check its owner and mode, or move it away", "请检查其所有者和权限，或将其移走" };
    /// A file of ours that cannot be written.
    UNWRITABLE = "own_file_unwritable" { "{path} cannot be written: {why}", "无法写入 {path}：{why}" } hint { "check the folder's owner and mode and the space on the disk; nothing was changed", "请检查文件夹的所有者、权限和磁盘空间；未作任何更改" };
    /// Another program holds the lock.
    BUSY = "own_file_busy" { "{path} is being changed by another program", "另一个程序正在更改 {path}" } hint { "try again; nothing was changed", "请重试；未作任何更改" };
    /// The approvals can be written by somebody else.
    NOT_PRIVATE = "own_file_shared" { "{path} {why}, so it approves nothing", "{path} {why}，因此不批准任何内容" } hint { "check the file, then run `chown` and `chmod 600` on it, or `hookwright trust --reset`", "请检查该文件，再对其执行 `chown` 和 `chmod 600`，或执行 `hookwright trust --reset`" };
    /// The same as a Problem.
    NOT_PRIVATE_PROBLEM = "unreadable" / "shared_trust" { "the file {why}, so it approves nothing", "此文件{why}，因此不批准任何内容" } hint { "check the file, then run `chown` and `chmod 600` on it", "请检查该文件，再对其执行 `chown` 和 `chmod 600`" };
    /// Another file of ours.
    SHARED = "unreadable" / "shared" { "the file {why}", "此文件{why}" } hint { "check the file, then run `chown` and `chmod 600` on it", "请检查该文件，再对其执行 `chown` 和 `chmod 600`" };
    /// The same as a Problem with a place.
    SYNTAX = "syntax" / "own_file" { "does not parse: {what}", "无法解析：{what}" } hint { "correct it; until then it counts as absent, and it is kept as it is", "请更正；在此之前视为不存在，并原样保留" };
    /// The same as a Problem.
    UNREADABLE_PROBLEM = "unreadable" / "own_file" { "cannot be read: {why}", "无法读取：{why}" } hint { "check its owner and mode; until then it counts as absent", "请检查其所有者和权限；在此之前视为不存在" };
}

/// Why a file of ours could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LockedFileError {
    /// It is there and cannot be read.
    #[error("{}", full_text(&self.message()))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// It does not parse; it was left as it is.
    #[error("{}", full_text(&self.message()))]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where, when the parser knows.
        spot: Option<TextPosition>,
        /// What is wrong.
        what: String,
    },
    /// It cannot be written; it was left as it is.
    #[error("{}", full_text(&self.message()))]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Somebody else owns it or may write it.
    #[error("{}", full_text(&self.message()))]
    Shared {
        /// The file.
        path: PathBuf,
        /// Who.
        why: &'static str,
    },
    /// Another program did not finish its change in time.
    #[error("{}", full_text(&self.message()))]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

impl LockedFileError {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. }
            | Self::Broken { path, .. }
            | Self::Unwritable { path, .. }
            | Self::Shared { path, .. }
            | Self::Busy { path } => path,
        }
    }

    /// What, where, why and what to do next.
    #[must_use]
    pub fn message(&self) -> Message {
        let shown = self.path().display().to_string();
        match self {
            Self::Unreadable { source, .. } => {
                UNREADABLE.render(args! { "path" => shown, "why" => source.to_string() })
            }
            Self::Broken { path, spot, what } => {
                let at = spot
                    .map(|spot| format!(":{}:{}", spot.line, spot.column))
                    .unwrap_or_default();
                let trust = path.file_name().is_some_and(|name| name == "trust.json");
                let template = if trust { BROKEN_TRUST } else { BROKEN };
                template.render(args! { "path" => shown, "at" => at, "what" => what })
            }
            Self::Unwritable { source, .. } => {
                UNWRITABLE.render(args! { "path" => shown, "why" => source.to_string() })
            }
            Self::Shared { why, .. } => NOT_PRIVATE.render(args! { "path" => shown, "why" => *why }),
            Self::Busy { .. } => BUSY.render(args! { "path" => shown }),
        }
    }

    /// The same for `check` and `list`; `None` where nothing is wrong with what the file says.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        match self {
            Self::Unreadable { path, source } => Some(Problem::new(
                UNREADABLE_PROBLEM.render(args! { "why" => source.to_string() }),
                path,
                None,
            )),
            Self::Broken { path, spot, what } => {
                Some(Problem::new(SYNTAX.render(args! { "what" => what }), path, *spot))
            }
            Self::Shared { path, why } => Some(Problem::new(
                NOT_PRIVATE_PROBLEM.render(args! { "why" => *why }),
                path,
                None,
            )),
            Self::Unwritable { .. } | Self::Busy { .. } => None,
        }
    }
}

fn full_text(message: &Message) -> String {
    match &message.hint {
        Some(hint) => format!("{}; {hint}", message.text),
        None => message.text.clone(),
    }
}

/// Reads a file of ours. `None` when there is none; a byte-order mark is dropped.
///
/// # Errors
/// It is there and cannot be read, or is not UTF-8. A link that leads to no file is there.
pub fn read_text(path: &Path) -> Result<Option<String>, LockedFileError> {
    let unreadable = |source| LockedFileError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let bytes = match read_bytes(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match path.symlink_metadata() {
                Ok(_) => Err(unreadable(io::Error::other(term!("it is a link to a missing file")))),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(unreadable(error)),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))),
        Err(error) => {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let good = String::from_utf8_lossy(good);
            let spot = Some(position_at(&good, good.len()));
            Err(LockedFileError::Broken {
                path: path.to_owned(),
                spot,
                what: "it is not UTF-8".to_owned(),
            })
        }
    }
}

/// Reads a JSON file of ours; an absent one is the default.
///
/// # Errors
/// It is there and cannot be read, or does not parse.
pub fn read_json<T: DeserializeOwned + Default>(path: &Path) -> Result<T, LockedFileError> {
    read_text(path)?.map_or_else(|| Ok(T::default()), |text| parse_json(path, &text))
}

/// Whether nobody else owns a file of ours or may write it; an absent one is ours.
///
/// # Errors
/// Who does.
pub fn check_private(path: &Path) -> Result<(), LockedFileError> {
    match permission_issue(path) {
        Some(why) => Err(LockedFileError::Shared {
            path: path.to_owned(),
            why,
        }),
        None => Ok(()),
    }
}

/// That somebody else owns a file of ours or may write it, as a warning.
#[must_use]
pub fn permission_warning(path: &Path) -> Option<Problem> {
    let problem = Problem::new(SHARED.render(args! { "why" => permission_issue(path)? }), path, None);
    Some(problem.with_severity(Severity::Warning))
}

#[cfg(unix)]
fn permission_issue(path: &Path) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    const WRITE_BY_OTHERS: u32 = 0o022;
    let meta = std::fs::metadata(path).ok()?;
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Some(term!("belongs to another user"));
    }
    (meta.mode() & WRITE_BY_OTHERS != 0).then_some(term!("can be written by other users"))
}

#[cfg(not(unix))]
fn permission_issue(_: &Path) -> Option<&'static str> {
    None
}

/// Changes a file of ours: under the lock, reads it again, asks for the next text, and puts that in its place. The file
/// is `None` while absent; it gets mode 0600, a missing folder 0700; a link stays a link. Nothing is written when the
/// text stays the same; an absent file counts as empty.
///
/// # Errors
/// What `change` says, or that the file cannot be read, locked or written; the file is then as it was.
pub fn change_text<E: From<LockedFileError>>(
    path: &Path,
    change: impl FnOnce(Option<&str>) -> Result<String, E>,
) -> Result<String, E> {
    make_parent_folder(path)?;
    let _lock = lock_file(path)?;
    let current = read_text(path)?;
    let next = change(current.as_deref())?;
    if current.as_deref().unwrap_or_default() != next {
        replace_file(path, next.as_bytes(), PRIVATE_FILE_MODE)?;
    }
    Ok(next)
}

/// Changes a JSON file of ours, an absent one from its default, and says what it holds now.
///
/// # Errors
/// The file does not parse, or cannot be read, locked or written; it is then as it was.
pub fn change_json<T>(path: &Path, change: impl FnOnce(&mut T)) -> Result<T, LockedFileError>
where
    T: Default + Serialize + DeserializeOwned,
{
    let mut value = T::default();
    change_text(path, |current| {
        if let Some(text) = current {
            value = parse_json(path, text)?;
        }
        change(&mut value);
        let mut next = serde_json::to_string_pretty(&value).map_err(|error| LockedFileError::Unwritable {
            path: path.to_owned(),
            source: error.into(),
        })?;
        next.push('\n');
        Ok::<_, LockedFileError>(next)
    })?;
    Ok(value)
}

/// Writes a file of ours by an atomic rename, with this mode; missing folders are made with mode 0700, a link stays a
/// link. Whoever reads sees the old text or the new one.
///
/// # Errors
/// The file cannot be written; it is then as it was.
pub fn atomic_write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), LockedFileError> {
    make_parent_folder(path)?;
    replace_file(path, bytes, mode)
}

/// Renames a broken or unwanted file to a name with the time in it and returns that; `None` when there is no file.
///
/// # Errors
/// The file cannot be locked or renamed.
pub fn quarantine(path: &Path, now: Timestamp) -> Result<Option<PathBuf>, LockedFileError> {
    if path
        .symlink_metadata()
        .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    {
        return Ok(None);
    }
    let _lock = lock_file(path)?;
    let stamp = now.strftime("%Y%m%dT%H%M%SZ");
    let named = |count: u32| match count {
        0 => sibling_path(path, &format!(".aside-{stamp}")),
        count => sibling_path(path, &format!(".aside-{stamp}-{count}")),
    };
    // Everybody who makes such a name holds the lock, so a free name stays free.
    let free = (0..).map(named).find(|name| name.symlink_metadata().is_err());
    let Some(quarantined) = free else { return Ok(None) };
    match std::fs::rename(path, &quarantined) {
        Ok(()) => Ok(Some(quarantined)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LockedFileError::Unwritable {
            path: path.to_owned(),
            source,
        }),
    }
}

/// The place of a byte in a text: line and column from 1, columns in Unicode characters.
#[must_use]
pub fn position_at(text: &str, byte: usize) -> TextPosition {
    let byte = text.floor_char_boundary(byte);
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    TextPosition {
        line: count(before.bytes().filter(|byte| *byte == b'\n').count() + 1),
        column: count(before[line_start..].chars().count() + 1),
    }
}

fn parse_json<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, LockedFileError> {
    // A list would be read as the fields in their order; no file of ours is one.
    if let Some(start) = text
        .find(|sign: char| !sign.is_whitespace())
        .filter(|start| !text[*start..].starts_with('{'))
    {
        return Err(LockedFileError::Broken {
            path: path.to_owned(),
            spot: Some(position_at(text, start)),
            what: "it is no object".to_owned(),
        });
    }
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let full = error.to_string();
        let what = full
            .strip_suffix(&format!(" at line {line} column {column}"))
            .unwrap_or(&full)
            .to_owned();
        // The parser counts bytes.
        let line_start: usize = text
            .split_inclusive('\n')
            .take(line.saturating_sub(1))
            .map(str::len)
            .sum();
        let spot = (line > 0).then(|| position_at(text, line_start + column.saturating_sub(1)));
        LockedFileError::Broken {
            path: path.to_owned(),
            spot,
            what,
        }
    })
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    regular_file::read(path, MAX_APP_FILE_BYTES).map_err(|unread| match unread {
        ReadError::Io(error) => error,
        ReadError::TooLarge { limit } => io::Error::other(format!("it is larger than {} MiB", limit >> 20)),
    })
}

fn make_parent_folder(path: &Path) -> Result<(), LockedFileError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    make_folders(folder).map_err(|source| LockedFileError::Unwritable {
        path: path.to_owned(),
        source,
    })
}

/// Makes a folder and those above it, those that are missing with mode 0700.
///
/// # Errors
/// The system's words.
pub fn make_folders(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Holds the lock of that name until it is dropped.
///
/// # Errors
/// Another program holds it for too long, or our folder cannot be written.
pub fn acquire_lock(path: &Path) -> Result<File, LockedFileError> {
    make_parent_folder(path)?;
    lock_file(path)
}

/// The lock beside a file; it ends when this is dropped, and with the process however that ends.
fn lock_file(path: &Path) -> Result<File, LockedFileError> {
    let unwritable = |source| LockedFileError::Unwritable {
        path: path.to_owned(),
        source,
    };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE_FILE_MODE);
    let file = options.open(sibling_path(path, ".lock")).map_err(unwritable)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => return Err(LockedFileError::Busy { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(unwritable(source)),
        }
    }
}

fn replace_file(path: &Path, bytes: &[u8], mode: u32) -> Result<(), LockedFileError> {
    let write = || {
        let target = resolve_links(path)?;
        let folder = target
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let mut next = temp_files::create(folder)?;
        next.write_all(bytes)?;
        set_mode(next.as_file(), mode)?;
        next.as_file().sync_all()?;
        next.persist(&target).map_err(|error| error.error)?;
        // The new text is in place whatever this says; file systems without it are no reason to fail.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    };
    write().map_err(|source| LockedFileError::Unwritable {
        path: path.to_owned(),
        source,
    })
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// The file that a path means in the end, also when nothing is there yet.
///
/// # Errors
/// The system's words, or links that lead in a circle.
pub fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        match at.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                let to = std::fs::read_link(&at)?;
                at = at.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
            }
            Ok(_) => return Ok(at),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(at),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links"))
}

fn sibling_path(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
