//! The only writer of app files. These are Hookwright's small files `settings.toml`, `trust.json` and `mutes.json`, and
//! other files in Hookwright's folders (`CONTRACTS.md` §5).
//!
//! What it deliberately does not do: it does not write user files, which have their own writer.
//!
//! How it works: a change acquires the lock file next to the app file, and reads the app file again. It changes what it
//! read, and replaces the file by an atomic rename. A file that does not parse is never overwritten. The user corrects
//! or quarantines it.

mod error;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hookwright_model::{Problem, Severity, TextPosition, render, term};
use jiff::Timestamp;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};

use crate::files::{Opener, ReadError};
use error::SHARED;

pub use error::{ALL, LockedFileError, SYNTAX};

/// An app file that is larger than this is not read: 64 MiB.
pub const MAX_APP_FILE_BYTES: u64 = 64 << 20;
/// Unix mode of an app file: only its owner can read and write it.
pub const PRIVATE_FILE_MODE: u32 = 0o600;
/// How long a change waits for the lock while another program has it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads an app file as text, without a byte-order mark. `None` if the file does not exist.
///
/// # Errors
/// The file exists but cannot be read, or is not UTF-8. A link to a missing file is an error too.
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
            let position = Some(position_at(&good, good.len()));
            Err(LockedFileError::Broken {
                path: path.to_owned(),
                position,
                what: "it is not UTF-8".to_owned(),
            })
        }
    }
}

/// Reads an app file that contains a JSON object. A missing file gives the default value.
///
/// # Errors
/// The file exists but cannot be read, or does not parse.
pub fn read_json<T: DeserializeOwned + Default>(path: &Path) -> Result<T, LockedFileError> {
    read_text(path)?.map_or_else(|| Ok(T::default()), |text| parse_json(path, &text))
}

/// Checks that an app file belongs to this user, and that no other user can write it. A missing file passes.
///
/// # Errors
/// [`LockedFileError::Shared`] with the reason.
pub fn check_private(path: &Path) -> Result<(), LockedFileError> {
    match permission_issue(path) {
        Some(why) => Err(LockedFileError::Shared {
            path: path.to_owned(),
            why,
        }),
        None => Ok(()),
    }
}

/// A warning if an app file belongs to another user, or other users can write it.
#[must_use]
pub fn permission_warning(path: &Path) -> Option<Problem> {
    let problem = Problem::new(render!(SHARED, "why" => permission_issue(path)?), path, None);
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

/// Changes an app file under its lock. It reads the file again, passes the text to `change`, and writes the text that
/// `change` returns.
///
/// A missing file is `None` for `change`. The file gets mode 0600, and a missing folder 0700. A link stays a link.
/// Nothing is written if the text stays the same; for this comparison a missing file counts as empty.
///
/// # Errors
/// The error of `change`, or the file cannot be read, locked or written. The file is then unchanged.
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

/// Changes an app file that contains a JSON object, and returns the new value. A missing file starts from the default
/// value.
///
/// # Errors
/// The file does not parse, or cannot be read, locked or written. It is then unchanged.
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

/// Writes an app file by an atomic rename, with the given Unix mode. A reader sees either the old text or the new one.
/// Missing folders are made with mode 0700. A link stays a link.
///
/// # Errors
/// The file cannot be written. It is then unchanged.
pub fn atomic_write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), LockedFileError> {
    make_parent_folder(path)?;
    replace_file(path, bytes, mode)
}

/// Quarantines a broken or unwanted file: renames it to a name that contains the time, and returns the new path. `None`
/// if the file does not exist.
///
/// # Errors
/// The file cannot be locked or renamed.
#[expect(clippy::disallowed_methods, reason = "app files are Hookwright's own")]
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
    // Every program that makes such a name has the lock, so a free name stays free.
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

/// The position of a byte in a text: line and column from 1, columns in Unicode characters.
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

/// Reads the version of an app file's format. A file of a newer version does not parse, so that it is never rewritten.
///
/// # Errors
/// The version is newer than `NEWEST`, or no number.
pub fn version_up_to<'de, const NEWEST: u32, D: Deserializer<'de>>(reader: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(reader)?;
    if version > NEWEST {
        return Err(D::Error::custom(format!(
            "version {version} is newer than {NEWEST}, the newest that this program reads"
        )));
    }
    Ok(version)
}

fn parse_json<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, LockedFileError> {
    // The parser would read a JSON list as the fields in their order. No app file is a list.
    if let Some(start) = text
        .find(|sign: char| !sign.is_whitespace())
        .filter(|start| !text[*start..].starts_with('{'))
    {
        return Err(LockedFileError::Broken {
            path: path.to_owned(),
            position: Some(position_at(text, start)),
            what: "it is not an object".to_owned(),
        });
    }
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let full = error.to_string();
        let what = full
            .strip_suffix(&format!(" at line {line} column {column}"))
            .unwrap_or(&full)
            .to_owned();
        // The parser counts columns in bytes.
        let line_start: usize = text
            .split_inclusive('\n')
            .take(line.saturating_sub(1))
            .map(str::len)
            .sum();
        let position = (line > 0).then(|| position_at(text, line_start + column.saturating_sub(1)));
        LockedFileError::Broken {
            path: path.to_owned(),
            position,
            what,
        }
    })
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    Opener::user()
        .read(path, MAX_APP_FILE_BYTES)
        .map_err(|unread| match unread {
            ReadError::Io(error) => error,
            ReadError::TooLarge { limit } => io::Error::other(format!("it is larger than {} MiB", limit >> 20)),
        })
}

fn make_parent_folder(path: &Path) -> Result<(), LockedFileError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    restrict_empty(folder)
        .and_then(|()| make_folders(folder))
        .map_err(|source| LockedFileError::Unwritable {
            path: path.to_owned(),
            source,
        })
}

/// Gives an existing empty folder mode 0700, before the first file is written to it. One with other contents keeps its
/// mode, since a mistyped `HOOKWRIGHT_DATA` must not change the mode of a home directory.
#[cfg(unix)]
fn restrict_empty(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    const PRIVATE: u32 = 0o700;
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    let mode = std::fs::metadata(folder)?.permissions().mode() & 0o777;
    match entries.next() {
        None if mode & !PRIVATE != 0 => std::fs::set_permissions(folder, PermissionsExt::from_mode(PRIVATE)),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn restrict_empty(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a folder and its missing parents, each with mode 0700.
///
/// # Errors
/// The error of the operating system.
pub fn make_folders(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Acquires the lock file `<path>.lock`. It is released when the returned file is dropped.
///
/// # Errors
/// Another program has the lock for more than 5 s, or the folder cannot be written.
pub fn acquire_lock(path: &Path) -> Result<File, LockedFileError> {
    make_parent_folder(path)?;
    lock_file(path)
}

/// Acquires the lock file next to a file. It is released when the returned file is dropped, and also when the process
/// ends in any way.
#[expect(clippy::disallowed_methods, reason = "the lock is an app file without content")]
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
        let place = Opener::user().place(path)?;
        let next = place.create_next()?;
        let mut file = next.file();
        file.write_all(bytes)?;
        set_mode(file, mode)?;
        file.sync_all()?;
        next.replace()?;
        place.sync_folder();
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

fn sibling_path(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
