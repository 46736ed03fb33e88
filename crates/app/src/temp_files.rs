//! What a writer that was killed leaves behind: a new text that never came to its place.
//!
//! It stands beside the file that it was for. Its name tells which process wrote it, and whoever writes there next, or opens
//! the project in an engine, takes it away when that process is gone. No approval covers it.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

const TEMP_PREFIX: &str = ".hookwright-";
/// The end of such a name.
const TEMP_SUFFIX: &str = ".tmp";

/// The begin of such a name, with this process's number.
fn own_prefix() -> String {
    format!("{TEMP_PREFIX}{}-", std::process::id())
}

/// A new text for a file in this folder. What gone processes left there goes.
///
/// # Errors
/// It cannot be made.
pub fn create(folder: &Path) -> io::Result<NamedTempFile> {
    remove_stale(folder);
    tempfile::Builder::new()
        .prefix(&own_prefix())
        .suffix(TEMP_SUFFIX)
        .tempfile_in(folder)
}

/// Takes away what processes left in a folder that are gone.
pub fn remove_stale(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let process = name.to_str().and_then(writer_pid);
        if process.is_some_and(|process| !is_running(process)) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // One that cannot be taken away harms nobody.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Takes away what was left in a folder of ours that only one process writes at a time.
pub fn remove_all(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        if name.starts_with(TEMP_PREFIX) && name.ends_with(TEMP_SUFFIX) {
            // One that cannot be taken away is tried again at the next edit.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is that of a text on its way to its place, whoever writes it: it is no part of the folder that it is in.
pub fn is_temp_file(name: &OsStr) -> bool {
    name.to_str().and_then(writer_pid).is_some()
}

/// Removes a folder in which nothing else is.
///
/// # Errors
/// Something else is in it, or it cannot be removed.
pub fn remove_empty_folder(folder: &Path) -> io::Result<()> {
    let mut temp_files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !is_temp_file(&entry.file_name()) || !entry.file_type()?.is_file() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        temp_files.push(entry.path());
    }
    for path in temp_files {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) | Ok(()) => {}
        }
    }
    std::fs::remove_dir(folder)
}

fn writer_pid(name: &str) -> Option<i32> {
    let (process, rest) = name
        .strip_prefix(TEMP_PREFIX)?
        .strip_suffix(TEMP_SUFFIX)?
        .split_once('-')?;
    let random = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    process.parse().ok().filter(|process| random && *process > 0)
}

#[cfg(unix)]
fn is_running(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    // One that is not ours may not be asked, and lives.
    Pid::from_raw(process).is_none_or(|process| test_kill_process(process) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_running(_: i32) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_ended_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ended_process = child.id();
        child.wait().unwrap();
        let left = format!(".hookwright-{ended_process}-aB3xYz.tmp");
        let mine = format!("{}aB3xYz.tmp", own_prefix());
        let others = [
            ".hookwright-x.tmp",
            ".hookwright-1-.tmp",
            "notes.tmp",
            ".hookwright-0-a.tmp",
        ];
        for name in others.iter().copied().chain([left.as_str(), mine.as_str()]) {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        remove_stale(folder.path());
        assert!(!folder.path().join(&left).exists());
        for name in others.iter().copied().chain([mine.as_str()]) {
            assert!(folder.path().join(name).exists(), "{name}");
        }
    }
}
