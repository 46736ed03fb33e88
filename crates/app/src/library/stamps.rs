//! What the system says of files without reading them.

use std::path::{Path, PathBuf};

/// A file or folder, links followed, as the system describes it; `None` where there is nothing.
pub(crate) type Stamp = (PathBuf, Option<Seen>);

/// Two equal ones mean the same content, unless it was written twice within one tick of the file system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    len: u64,
    modified: Option<std::time::SystemTime>,
    /// Device, inode, mode, and the time of the last change of any kind.
    #[cfg(unix)]
    place: (u64, u64, u32, i64, i64),
}

/// Stamps of these paths.
pub(crate) fn of(paths: impl IntoIterator<Item = PathBuf>) -> Vec<Stamp> {
    paths.into_iter().map(|path| (path.clone(), seen(&path))).collect()
}

/// Whether every stamp is what the system says now.
pub(crate) fn hold(stamps: &[Stamp]) -> bool {
    stamps.iter().all(|(path, before)| seen(path) == *before)
}

fn seen(path: &Path) -> Option<Seen> {
    let meta = std::fs::metadata(path).ok()?;
    Some(Seen {
        len: meta.len(),
        modified: meta.modified().ok(),
        #[cfg(unix)]
        place: place(&meta),
    })
}

#[cfg(unix)]
fn place(meta: &std::fs::Metadata) -> (u64, u64, u32, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino(), meta.mode(), meta.ctime(), meta.ctime_nsec())
}
