//! Folders below the data folder in which something is tried, each for one run: `scratch/<run id>`.
//!
//! How it works: next to each folder is a file `<run id>.lock`, which is locked for as long as the folder is in use. A
//! killed engine cannot remove its folders, but the system releases its locks. The next engine removes the folders that
//! nobody has locked.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use hookwright_workspace::files::Opener;
use ulid::Ulid;

const PARENT: &str = "scratch";
const LOCK_SUFFIX: &str = ".lock";

/// A folder for one run. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    path: PathBuf,
    lock: PathBuf,
    /// Keeps the lock.
    locked: File,
}

impl ScratchFolder {
    /// Where the folder of this run is.
    pub(crate) fn path_for(data_dir: &Path, run_id: &str) -> PathBuf {
        data_dir.join(PARENT).join(run_id)
    }

    /// Creates the folder of this run. The lock comes first, so that a folder in use always has one.
    ///
    /// # Errors
    /// The folder or its lock cannot be created.
    #[expect(clippy::disallowed_methods, reason = "the lock is a new file in Hookwright's folder")]
    pub(crate) fn create(data_dir: &Path, run_id: &str) -> io::Result<Self> {
        let path = Self::path_for(data_dir, run_id);
        std::fs::create_dir_all(data_dir.join(PARENT))?;
        let lock = lock_of(&path);
        let locked = File::create_new(&lock)?;
        let scratch = Self { path, lock, locked };
        scratch.locked.lock()?;
        std::fs::create_dir(&scratch.path)?;
        Ok(scratch)
    }

    /// The folder, absolute if the data folder is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // What a hook left there that cannot be removed stays in the data folder.
        remove(&self.path, &self.lock);
    }
}

/// Removes the folders that killed engines left. Those of a living engine and files of others stay.
pub(crate) fn remove_leftovers(data_dir: &Path) {
    let entries = std::fs::read_dir(data_dir.join(PARENT)).into_iter().flatten().flatten();
    for entry in entries {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name().to_str().is_some_and(is_run_id) {
            remove_unlocked(&entry.path());
        }
    }
}

fn remove_unlocked(folder: &Path) {
    let lock = lock_of(folder);
    match Opener::user().open(&lock) {
        // The lock is kept until the folder is gone, so that no other engine removes it at the same time.
        Ok((file, _)) => match file.try_lock() {
            Ok(()) => remove(folder, &lock),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => remove(folder, &lock),
        // Whether it is in use is not known.
        Err(_) => {}
    }
}

/// A folder or file that cannot be removed is tried again at the next start of an engine.
fn remove(folder: &Path, lock: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    if !folder.exists() {
        let _ = std::fs::remove_file(lock);
    }
}

fn lock_of(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(LOCK_SUFFIX);
    name.into()
}

/// Whether a name is that of a run: a ULID of the engine, a dot and a number.
fn is_run_id(name: &str) -> bool {
    let parts = name.split_once('.');
    parts.is_some_and(|(engine, run)| Ulid::from_string(engine).is_ok() && run.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV.3";
    const OTHER_RUN: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV.4";

    fn left_over(data: &Path, name: &str) -> PathBuf {
        let folder = ScratchFolder::path_for(data, name);
        std::fs::create_dir_all(folder.join("inside")).unwrap();
        folder
    }

    #[test]
    fn a_folder_is_removed_with_its_lock_when_its_run_ends() {
        let data = tempfile::tempdir().unwrap();
        let scratch = ScratchFolder::create(data.path(), RUN).unwrap();
        std::fs::create_dir(scratch.path().join("inside")).unwrap();
        drop(scratch);
        assert_eq!(std::fs::read_dir(data.path().join(PARENT)).unwrap().count(), 0);
    }

    #[test]
    fn only_folders_of_ended_engines_are_removed() {
        let data = tempfile::tempdir().unwrap();
        let in_use = ScratchFolder::create(data.path(), RUN).unwrap();
        let left = left_over(data.path(), OTHER_RUN);
        File::create_new(lock_of(&left)).unwrap();
        let foreign = ["notes", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "x.1"].map(|name| left_over(data.path(), name));
        remove_leftovers(data.path());
        assert!(!left.exists() && !lock_of(&left).exists());
        assert!(in_use.path().exists() && lock_of(in_use.path()).exists());
        assert!(foreign.iter().all(|folder| folder.exists()));
    }

    #[test]
    fn a_folder_without_a_lock_belongs_to_nobody() {
        let data = tempfile::tempdir().unwrap();
        let left = left_over(data.path(), RUN);
        remove_leftovers(data.path());
        assert!(!left.exists());
    }
}
