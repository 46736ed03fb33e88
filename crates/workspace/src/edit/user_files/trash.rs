//! The trash: files that an edit removes are kept in `<data dir>/trash/<edit id>/` as long as the edit is stored.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::staged_file::copy_metadata;
use super::{FileContent, MAX_BYTES};
use crate::files::{self, FilePlace, Opener};

/// Why a file was not moved into the trash. It is still at its path.
#[derive(Debug)]
pub(in super::super) enum TrashError {
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
pub(in super::super) fn store(from: &FilePlace, to: &Path, expected: &FileContent) -> Result<(), TrashError> {
    let to = Opener::user()
        .place_in_new_folder(to, &mut Vec::new())
        .map_err(TrashError::Trash)?;
    match from.move_to(&to) {
        // Another program may have saved the file since it was read.
        Ok(()) if !has_content(&to, expected) => {
            to.move_to(from).map_err(TrashError::File)?;
            return Err(TrashError::File(content_changed()));
        }
        Ok(()) => {}
        // The usual reason is that the trash is on another file system.
        Err(_) => {
            copy(from, &to, expected)?;
            from.remove().map_err(TrashError::File)?;
        }
    }
    to.sync_folder();
    from.sync_folder();
    Ok(())
}

fn has_content(place: &FilePlace, expected: &FileContent) -> bool {
    let Ok(Some((file, meta))) = place.open() else {
        return false;
    };
    files::read_open(&file, &meta, MAX_BYTES).is_ok_and(|bytes| bytes == expected.bytes)
}

fn content_changed() -> io::Error {
    io::Error::other("its content changed")
}

fn copy(from: &FilePlace, to: &FilePlace, expected: &FileContent) -> Result<(), TrashError> {
    let mut copy = to.create().map_err(TrashError::Trash)?;
    let whole = copy
        .write_all(&expected.bytes)
        .and_then(|()| copy_metadata(&copy, None, expected))
        .and_then(|_| copy.sync_all());
    let same = whole.map_err(TrashError::Trash).and_then(|()| {
        let same = has_content(to, expected) && has_content(from, expected);
        same.then_some(()).ok_or_else(|| TrashError::File(content_changed()))
    });
    same.inspect_err(|_| {
        // The original still exists. A copy that cannot be removed is pruned with its edit.
        let _ = to.remove();
    })
}

/// The path of a file in the trash folder of an edit. It is relative to the folder that all removed files have in
/// common.
pub(in super::super) fn trash_path(trash: &Path, path: &Path, all: &[&Path]) -> PathBuf {
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
        let content = read(&path);
        (folder, path, content)
    }

    fn read(path: &Path) -> FileContent {
        super::super::read_content(&Opener::user(), path).unwrap().unwrap()
    }

    fn place(path: &Path) -> FilePlace {
        Opener::user().place(path).unwrap()
    }

    #[test]
    fn a_copy_is_whole_before_the_original_goes() {
        let (folder, path, content) = file("#!/bin/sh\n");
        let to = folder.path().join("copy");
        copy(&place(&path), &place(&to), &content).unwrap();
        assert_eq!(read(&to), content);
        assert!(path.exists());
        let again = copy(&place(&path), &place(&to), &content);
        assert!(again.is_err(), "what is there is not written over");
    }

    #[test]
    fn a_file_saved_meanwhile_is_not_moved() {
        let (folder, path, content) = file("old\n");
        std::fs::write(&path, "new\n").unwrap();
        let to = folder.path().join("trash/run.sh");
        assert!(store(&place(&path), &to, &content).is_err());
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
