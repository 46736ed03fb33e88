//! One file of the spool while its writer lives: locked, appended to, and known to be at its place.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ulid::Ulid;

use crate::data_folder::{identity, private_file};
use crate::spool::{SUFFIX, TEMP_SUFFIX};

/// A spool file that is written to, or was until it was full.
#[derive(Debug)]
pub(crate) struct OpenSegment {
    pub(crate) file: Arc<File>,
    path: PathBuf,
    /// Device and inode; `None` where the platform has none, and where an open file cannot be removed.
    identity: Option<(u64, u64)>,
    /// Bytes of whole lines.
    pub(crate) len: u64,
    /// Bytes that are on the disk itself.
    pub(crate) synced_len: u64,
}

impl OpenSegment {
    /// A new file that is locked before it has its name, so that no importer takes it for one whose writer is gone.
    pub(crate) fn create(dir: &Path, id: Ulid) -> io::Result<Self> {
        let (temp_path, path) = (
            dir.join(format!("{id}.{TEMP_SUFFIX}")),
            dir.join(format!("{id}.{SUFFIX}")),
        );
        let file = private_file(&temp_path)?;
        file.lock()?;
        std::fs::rename(&temp_path, &path)?;
        Ok(Self {
            identity: identity(&file.metadata()?),
            file: Arc::new(file),
            path,
            len: 0,
            synced_len: 0,
        })
    }

    /// Whether the file is still the one that its path leads to.
    pub(crate) fn is_in_place(&self) -> bool {
        std::fs::symlink_metadata(&self.path).is_ok_and(|there| identity(&there) == self.identity)
    }

    /// Goes on in a new file of that folder that holds the same lines, and gives how many these are. When that fails,
    /// the file stays what it was.
    pub(crate) fn rewrite(&mut self, dir: &Path, id: Ulid) -> io::Result<u64> {
        let mut bytes = Vec::new();
        let mut old = &*self.file;
        old.seek(SeekFrom::Start(0))?;
        old.take(self.len).read_to_end(&mut bytes)?;
        let next = Self::create(dir, id)?;
        if let Err(error) = (&*next.file).write_all(&bytes) {
            // Lines of a beginning would only be read twice.
            let _ = std::fs::remove_file(&next.path);
            return Err(error);
        }
        *self = Self { len: self.len, ..next };
        Ok(bytes.iter().filter(|byte| **byte == b'\n').count() as u64)
    }
}
