//! Files told apart without reading them, and their hashes and bytes while they stay as they were.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;

use super::covered::Part;
use crate::door::{self, Unread};

/// Larger files are told apart by size and times alone, and the review says so.
const HASHED_BYTES: u64 = 256 << 20;
/// The bytes of smaller ones are kept, to be compared before each start.
pub(super) const KEPT_BYTES: u64 = 64 << 10;

/// What stands for a file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Print {
    /// The hash of its bytes, and the bytes where they are few.
    Bytes(String, Option<Arc<[u8]>>),
    /// The hash of its size and times: it is larger than this.
    Look(String, u64),
    /// Nothing: it cannot be read.
    Nothing(String),
}

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

/// A hash, and the bytes where they are few.
type Digest = (String, Option<Arc<[u8]>>);
type Known = (Look, String, Option<Arc<[u8]>>);

/// Hashes and bytes by file, valid while inode, size and times stay.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<HashMap<Part, Known>>);

impl Looks {
    /// What stands for a file's content; read only when inode, size or times moved, and never while others wait for us.
    pub(super) fn print(&self, part: &Part) -> Print {
        let Some(look) = look_at(&part.file) else {
            return Print::Nothing(io::Error::from(io::ErrorKind::NotFound).to_string());
        };
        if let Some((hash, bytes)) = self.known(part, &look) {
            return Print::Bytes(hash, bytes);
        }
        match read(part, &look) {
            Ok((hash, bytes)) => {
                self.keep(part, (look, hash.clone(), bytes.clone()));
                Print::Bytes(hash, bytes)
            }
            Err(Unread::TooLarge { limit }) => {
                let hash = blake3::hash(format!("{look:?}").as_bytes());
                Print::Look(hash.to_hex().to_string(), limit)
            }
            Err(Unread::Io(error)) => Print::Nothing(error.to_string()),
        }
    }

    /// What stands for a file's content; empty for one that cannot be read.
    pub(super) fn hash(&self, part: &Part) -> String {
        match self.print(part) {
            Print::Bytes(hash, _) | Print::Look(hash, _) => hash,
            Print::Nothing(_) => String::new(),
        }
    }

    /// Forgets a file that is another although nothing told it.
    pub(super) fn forget(&self, part: &Part) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(part);
    }

    fn known(&self, part: &Part, look: &Look) -> Option<Digest> {
        let looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, hash, bytes) = looks.get(part)?;
        (known == look).then(|| (hash.clone(), bytes.clone()))
    }

    fn keep(&self, part: &Part, known: Known) {
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_settled(&known.0) {
            looks.insert(part.clone(), known);
        } else {
            looks.remove(part);
        }
    }
}

fn read(part: &Part, look: &Look) -> Result<Digest, Unread> {
    if look.size > KEPT_BYTES && !part.scripts {
        return Ok((door::hash(&part.file, HASHED_BYTES)?.to_hex().to_string(), None));
    }
    let bytes = part.of(door::read(&part.file, HASHED_BYTES)?);
    let hash = blake3::hash(&bytes).to_hex().to_string();
    let few = bytes.len() as u64 <= KEPT_BYTES;
    Ok((hash, few.then(|| bytes.into())))
}

/// Whether a later change must show in the times: they count in steps, and two changes within one step look alike.
pub(super) fn is_settled(look: &Look) -> bool {
    const STEP_SECONDS: i64 = 2;
    let modified = look
        .changed
        .and_then(|time| Timestamp::try_from(time).ok())
        .map_or(i64::MAX, Timestamp::as_second);
    // Like the file's times this is the machine's clock; a test that holds time still must not blind the look.
    let now = crate::wall_clock()().as_second();
    now.saturating_sub(modified.max(look.status_changed.0)) > STEP_SECONDS
}

pub(super) fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| may_execute(&meta))
}

/// Whether somebody may execute it.
#[cfg(unix)]
pub(super) fn may_execute(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(super) fn may_execute(_: &std::fs::Metadata) -> bool {
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
