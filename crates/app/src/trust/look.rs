//! Files told apart without reading them, and their hashes while they stay as they were.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;

/// What tells a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    device: u64,
    inode: u64,
    size: u64,
    changed: Option<SystemTime>,
    /// Seconds and nanoseconds of the inode's own change time, which no tool can set back.
    status_changed: (i64, i64),
}

/// Content hashes by path, valid while inode, size and times stay.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<HashMap<PathBuf, (Look, String)>>);

impl Looks {
    /// Hash of a file's bytes; read only when inode, size or times moved.
    pub(super) fn hash(&self, path: &Path) -> Option<String> {
        let look = look_at(path)?;
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, hash)) = looks.get(path)
            && *known == look
        {
            return Some(hash.clone());
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(std::fs::File::open(path).ok()?).ok()?;
        let hash = hasher.finalize().to_hex().to_string();
        if settled(&look) {
            looks.insert(path.to_owned(), (look, hash.clone()));
        } else {
            looks.remove(path);
        }
        Some(hash)
    }
}

/// Whether a later change must show in the times: they count in steps, and two changes within one step look alike.
fn settled(look: &Look) -> bool {
    const STEP_SECONDS: i64 = 2;
    let modified = look
        .changed
        .and_then(|time| Timestamp::try_from(time).ok())
        .map_or(i64::MAX, Timestamp::as_second);
    // Like the file's times this is the machine's clock; a test that holds time still must not blind the look.
    let now = crate::wall_clock()().as_second();
    now.saturating_sub(modified.max(look.status_changed.0)) > STEP_SECONDS
}

#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_executable(_: &Path) -> bool {
    false
}

#[cfg(unix)]
pub(super) fn look_at(path: &Path) -> Option<Look> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path).ok()?;
    Some(Look {
        device: meta.dev(),
        inode: meta.ino(),
        size: meta.len(),
        changed: meta.modified().ok(),
        status_changed: (meta.ctime(), meta.ctime_nsec()),
    })
}

#[cfg(not(unix))]
pub(super) fn look_at(path: &Path) -> Option<Look> {
    let meta = std::fs::metadata(path).ok()?;
    Some(Look {
        device: 0,
        inode: 0,
        size: meta.len(),
        changed: meta.modified().ok(),
        status_changed: (0, 0),
    })
}
