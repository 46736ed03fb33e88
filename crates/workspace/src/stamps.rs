//! Compares files by their metadata, without reading them.

use std::path::{Path, PathBuf};

/// A path with the metadata of its file or folder, links followed. `None` means that the path does not exist.
pub(crate) type FileStamp = (PathBuf, Option<StampMeta>);

/// The metadata that changes when a file changes. Equal values mean equal content, unless the file was written twice
/// within one tick of the file system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StampMeta {
    len: u64,
    modified: Option<std::time::SystemTime>,
    /// Device, inode, mode, and the time of the last change of any kind.
    #[cfg(unix)]
    identity: (u64, u64, u32, i64, i64),
}

pub(crate) fn for_paths(paths: impl IntoIterator<Item = PathBuf>) -> Vec<FileStamp> {
    paths.into_iter().map(|path| (path.clone(), read_meta(&path))).collect()
}

/// Whether the metadata of every path is still the same.
pub(crate) fn are_current(stamps: &[FileStamp]) -> bool {
    stamps.iter().all(|(path, before)| read_meta(path) == *before)
}

fn read_meta(path: &Path) -> Option<StampMeta> {
    let meta = std::fs::metadata(path).ok()?;
    Some(StampMeta {
        len: meta.len(),
        modified: meta.modified().ok(),
        #[cfg(unix)]
        identity: file_identity(&meta),
    })
}

#[cfg(unix)]
fn file_identity(meta: &std::fs::Metadata) -> (u64, u64, u32, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino(), meta.mode(), meta.ctime(), meta.ctime_nsec())
}
