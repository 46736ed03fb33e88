//! Detects changes of files without reading them. Caches their hashes and bytes while they are unchanged.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use jiff::Timestamp;

use super::covered_files::CoveredPart;
use crate::files::{self, Opener, ReadError};
use crate::lock::lock;

/// A larger file is identified by its [`FileStat`] alone, and the review reports that.
const MAX_HASHED_BYTES: u64 = 256 << 20;
/// The bytes of files up to this size are cached, because they are compared before each start.
pub(super) const MAX_CACHED_BYTES: u64 = 64 << 10;

/// The digest of a file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Digest {
    /// The hash of its covered bytes, and the bytes if there are few.
    Bytes(String, Option<Arc<[u8]>>),
    /// The hash of its size and times, because it is larger than this limit in bytes.
    Stat(String, u64),
    /// No hash, because the file cannot be read; with the reason.
    Unreadable(String),
}

/// The properties by which a change of a file is detected without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStat {
    device: u64,
    inode: u64,
    size: u64,
    changed: Option<SystemTime>,
    /// Seconds and nanoseconds of the inode's status change time (ctime), which no tool can set back.
    status_changed: (i64, i64),
}

impl FileStat {
    /// The text whose hash identifies a file that is too large to read. Approvals in `trust.json` contain that hash. So
    /// the text never changes, even if the type and its fields get other names.
    fn hash_text(&self) -> String {
        let Self {
            device,
            inode,
            size,
            changed,
            status_changed,
        } = self;
        format!(
            "Look {{ device: {device:?}, inode: {inode:?}, size: {size:?}, changed: {changed:?}, status_changed: {status_changed:?} }}"
        )
    }
}

/// A hash, and the bytes if there are few.
type HashedBytes = (String, Option<Arc<[u8]>>);
type CachedDigest = (FileStat, String, Option<Arc<[u8]>>);

/// Hashes and bytes by file, valid while inode, size and times are unchanged.
#[derive(Debug, Default)]
pub(super) struct DigestCache(Mutex<HashMap<CoveredPart, CachedDigest>>);

impl DigestCache {
    /// The digest of a file's content. The file is opened only if inode, size or times changed. The lock is not held
    /// while it is read, so other threads do not wait.
    pub(super) fn digest(&self, part: &CoveredPart, opener: &Opener) -> Digest {
        let Some(stat) = read_stat(&part.file) else {
            return Digest::Unreadable(io::Error::from(io::ErrorKind::NotFound).to_string());
        };
        if let Some((hash, bytes)) = self.cached(part, &stat) {
            return Digest::Bytes(hash, bytes);
        }
        // The path may lead to another file by now. What was opened counts.
        let (file, meta) = match opener.open(&part.file) {
            Ok(opened) => opened,
            Err(error) => return Digest::Unreadable(error.to_string()),
        };
        let stat = stat_of(&meta);
        match read_digest(part, &file, &meta) {
            Ok((hash, bytes)) => {
                self.cache(part, (stat, hash.clone(), bytes.clone()));
                Digest::Bytes(hash, bytes)
            }
            Err(ReadError::TooLarge { limit }) => {
                let hash = blake3::hash(stat.hash_text().as_bytes());
                Digest::Stat(hash.to_hex().to_string(), limit)
            }
            Err(ReadError::Io(error)) => Digest::Unreadable(error.to_string()),
        }
    }

    /// The hash of a file's content; empty if the file cannot be read.
    pub(super) fn hash(&self, part: &CoveredPart, opener: &Opener) -> String {
        match self.digest(part, opener) {
            Digest::Bytes(hash, _) | Digest::Stat(hash, _) => hash,
            Digest::Unreadable(_) => String::new(),
        }
    }

    /// Removes a file from the cache, because its content changed although inode, size and times did not.
    pub(super) fn forget(&self, part: &CoveredPart) {
        lock(&self.0).remove(part);
    }

    fn cached(&self, part: &CoveredPart, stat: &FileStat) -> Option<HashedBytes> {
        let digests = lock(&self.0);
        let (known, hash, bytes) = digests.get(part)?;
        (known == stat).then(|| (hash.clone(), bytes.clone()))
    }

    fn cache(&self, part: &CoveredPart, known: CachedDigest) {
        let mut digests = lock(&self.0);
        if is_stable(&known.0) {
            digests.insert(part.clone(), known);
        } else {
            digests.remove(part);
        }
    }
}

fn read_digest(part: &CoveredPart, file: &File, meta: &Metadata) -> Result<HashedBytes, ReadError> {
    if meta.len() > MAX_CACHED_BYTES && !part.scripts {
        let hash = files::hash_open(file, meta, MAX_HASHED_BYTES)?;
        return Ok((hash.to_hex().to_string(), None));
    }
    let bytes = part.covered_bytes(files::read_open(file, meta, MAX_HASHED_BYTES)?);
    let hash = blake3::hash(&bytes).to_hex().to_string();
    let few = bytes.len() as u64 <= MAX_CACHED_BYTES;
    Ok((hash, few.then(|| bytes.into())))
}

/// Whether a later change is certain to show in the times. File systems store times in steps, and two changes within
/// one step cannot be distinguished.
pub(super) fn is_stable(stat: &FileStat) -> bool {
    const STEP_SECONDS: i64 = 2;
    let modified = stat
        .changed
        .and_then(|time| Timestamp::try_from(time).ok())
        .map_or(i64::MAX, Timestamp::as_second);
    // The file's times come from the machine's clock, so this comparison uses it too. If a test stops its own clock,
    // changes are still detected.
    let now = crate::host_env::wall_clock().now().as_second();
    now.saturating_sub(modified.max(stat.status_changed.0)) > STEP_SECONDS
}

pub(super) fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| may_execute(&meta))
}

/// Whether the file has an executable bit.
#[cfg(unix)]
pub(super) fn may_execute(meta: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(super) fn may_execute(_: &Metadata) -> bool {
    false
}

/// The properties of what is at a path, links followed. `None` if there is nothing.
pub(super) fn read_stat(path: &Path) -> Option<FileStat> {
    Some(stat_of(&std::fs::metadata(path).ok()?))
}

#[cfg(unix)]
fn stat_of(meta: &Metadata) -> FileStat {
    use std::os::unix::fs::MetadataExt;
    FileStat {
        device: meta.dev(),
        inode: meta.ino(),
        size: meta.len(),
        changed: meta.modified().ok(),
        status_changed: (meta.ctime(), meta.ctime_nsec()),
    }
}

#[cfg(not(unix))]
fn stat_of(meta: &Metadata) -> FileStat {
    FileStat {
        device: 0,
        inode: 0,
        size: meta.len(),
        changed: meta.modified().ok(),
        status_changed: (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_that_approvals_of_large_files_hash_never_changes() {
        let look = FileStat {
            device: 1,
            inode: 2,
            size: 3,
            changed: None,
            status_changed: (4, 5),
        };
        let text = "Look { device: 1, inode: 2, size: 3, changed: None, status_changed: (4, 5) }";
        assert_eq!(look.hash_text(), text);
        assert_eq!(
            format!("{look:?}").replacen("FileStat", "Look", 1),
            text,
            "what 0.1.0 hashed"
        );
    }
}
