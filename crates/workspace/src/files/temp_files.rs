//! Temporary files of writers, and their removal after a writer was killed.
//!
//! A new text is first written to a temporary file next to its target. The name contains the id of the writer's
//! process. When that process has ended, the next writer in the folder, or an engine that opens the project, removes
//! the file. No approval covers it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use ulid::Ulid;

const TEMP_PREFIX: &str = ".hookwright-";
const TEMP_SUFFIX: &str = ".tmp";

/// How the names of this process's temporary files begin.
fn own_prefix() -> String {
    format!("{TEMP_PREFIX}{}-", std::process::id())
}

/// A new name for a temporary file of this process.
#[must_use]
pub fn new_name() -> OsString {
    format!("{}{}{TEMP_SUFFIX}", own_prefix(), Ulid::generate()).into()
}

/// Removes the temporary files of ended processes from a folder.
pub fn remove_stale(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        if is_stale(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // A file that cannot be removed does no harm.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Removes the temporary files that killed edits left next to these files.
pub fn remove_stale_next_to<'p>(files: impl Iterator<Item = &'p Path>) {
    let folders: BTreeSet<&Path> = files.filter_map(Path::parent).collect();
    folders.into_iter().for_each(remove_stale);
}

/// Removes all temporary files from a folder of Hookwright that only one process writes at a time.
pub fn remove_all(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        if name.starts_with(TEMP_PREFIX) && name.ends_with(TEMP_SUFFIX) {
            // A file that cannot be removed is tried again at the next edit.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is that of a temporary file, of any process. Such a file does not count as content of its folder.
pub fn is_temp_file(name: &OsStr) -> bool {
    name.to_str().and_then(writer_pid).is_some()
}

/// Whether a name is that of a temporary file whose process has ended.
#[must_use]
pub fn is_stale(name: &OsStr) -> bool {
    name.to_str()
        .and_then(writer_pid)
        .is_some_and(|process| !is_running(process))
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
    // The system refuses a signal to another user's process, but that process is running.
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
