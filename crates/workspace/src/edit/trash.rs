//! The trash: files that an edit removes are kept in `<data dir>/trash/<edit id>/` as long as the edit is stored.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::user_files::{self, FileContent};
use crate::data_files::locked_file;
use crate::regular_file;

/// Why a file was not moved into the trash. It is still at its path.
#[derive(Debug)]
pub(super) enum TrashError {
    /// The trash cannot be written.
    Trash(io::Error),
    /// The file cannot be removed, or has other bytes.
    File(io::Error),
}

/// Moves a file into the trash. Even if the program ends on the way, one complete copy exists. The file must still have
/// these bytes.
///
/// # Errors
/// The file cannot be moved, or has other bytes. It is then still at its path.
pub(super) fn store(from: &Path, to: &Path, expected: &FileContent) -> Result<(), TrashError> {
    let folder = to.parent().unwrap_or(to);
    locked_file::make_folders(folder).map_err(TrashError::Trash)?;
    match std::fs::rename(from, to) {
        // Another program may have saved the file since it was read.
        Ok(()) if !has_content(to, expected) => {
            std::fs::rename(to, from).map_err(TrashError::File)?;
            return Err(TrashError::File(content_changed()));
        }
        Ok(()) => {}
        // The usual reason is that the trash is on another file system.
        Err(_) => {
            copy(from, to, expected)?;
            std::fs::remove_file(from).map_err(TrashError::File)?;
        }
    }
    for folder in [folder, from.parent().unwrap_or(from)] {
        // The file is in place even if this fails. Some file systems cannot sync a folder, so an error is ignored.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

fn has_content(path: &Path, expected: &FileContent) -> bool {
    regular_file::read(path, user_files::MAX_BYTES).is_ok_and(|bytes| bytes == expected.bytes)
}

fn content_changed() -> io::Error {
    io::Error::other("its content changed")
}

fn copy(from: &Path, to: &Path, expected: &FileContent) -> Result<(), TrashError> {
    let created = OpenOptions::new().write(true).create_new(true).open(to);
    let mut copy = created.map_err(TrashError::Trash)?;
    let whole = copy
        .write_all(&expected.bytes)
        .and_then(|()| user_files::copy_metadata(&copy, to, None, expected))
        .and_then(|_| copy.sync_all());
    let same = whole.map_err(TrashError::Trash).and_then(|()| {
        let same = has_content(to, expected) && has_content(from, expected);
        same.then_some(()).ok_or_else(|| TrashError::File(content_changed()))
    });
    same.inspect_err(|_| {
        // The original still exists. A copy that cannot be removed is pruned with its edit.
        let _ = std::fs::remove_file(to);
    })
}

/// The path of a file in the trash folder of an edit. It is relative to the folder that all removed files have in
/// common.
pub(super) fn trash_path(trash: &Path, path: &Path, all: &[&Path]) -> PathBuf {
    let mut common = path.parent().unwrap_or(path);
    while !all.iter().all(|path| path.starts_with(common)) {
        let Some(above) = common.parent() else { break };
        common = above;
    }
    trash.join(path.strip_prefix(common).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, PathBuf, FileContent) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.sh");
        std::fs::write(&path, text).unwrap();
        let content = user_files::read_content(&path).unwrap().unwrap();
        (folder, path, content)
    }

    #[test]
    fn a_copy_is_whole_before_the_original_goes() {
        let (folder, path, content) = file("#!/bin/sh\n");
        let to = folder.path().join("copy");
        copy(&path, &to, &content).unwrap();
        assert_eq!(user_files::read_content(&to).unwrap().unwrap(), content);
        assert!(path.exists());
        assert!(copy(&path, &to, &content).is_err(), "what is there is not written over");
    }

    #[test]
    fn a_file_saved_meanwhile_is_not_moved() {
        let (folder, path, content) = file("old\n");
        std::fs::write(&path, "new\n").unwrap();
        let to = folder.path().join("trash/run.sh");
        assert!(store(&path, &to, &content).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new\n");
        assert!(!to.exists());
    }

    #[test]
    fn a_trash_path_begins_at_the_common_folder() {
        let trash = Path::new("/t/1");
        let (hook, script) = (Path::new("/h/g/HOOK.md"), Path::new("/h/g/scripts/run"));
        let places = [hook, script].map(|path| trash_path(trash, path, &[hook, script]));
        assert_eq!(places, ["/t/1/HOOK.md", "/t/1/scripts/run"].map(PathBuf::from));
        assert_eq!(trash_path(trash, script, &[script]), Path::new("/t/1/run"));
    }
}
