//! What the system says of files without reading them.

use std::path::{Path, PathBuf};

/// A file or folder, links followed, as the system describes it; `None` where there is nothing.
pub(crate) type FileStamp = (PathBuf, Option<StampMeta>);

/// Two equal ones mean the same content, unless it was written twice within one tick of the file system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StampMeta {
    len: u64,
    modified: Option<std::time::SystemTime>,
    /// Device, inode, mode, and the time of the last change of any kind.
    #[cfg(unix)]
    identity: (u64, u64, u32, i64, i64),
}

/// Stamps of these paths.
pub(crate) fn for_paths(paths: impl IntoIterator<Item = PathBuf>) -> Vec<FileStamp> {
    paths.into_iter().map(|path| (path.clone(), read_meta(&path))).collect()
}

/// Whether every stamp is what the system says now.
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
