//! Functions that read the metadata of files and folders.

use std::path::{Path, PathBuf};

use hookwright_model::DirProbe;

/// A [`DirProbe`] that reads the real disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskProbe;

impl DirProbe for DiskProbe {
    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        list_dir(folder)
    }
}

/// Whether the path is a regular file with an executable bit for any user.
pub fn is_executable_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && is_executable(&meta))
}

/// The entries of a folder, sorted by name. It is empty if the folder cannot be read.
pub fn list_dir(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(unix)]
pub(crate) fn is_executable(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

/// There is no executable bit on this system: the file's name decides whether it can be started.
#[cfg(not(unix))]
pub(crate) fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}
