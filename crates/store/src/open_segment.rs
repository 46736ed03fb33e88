//! One file of the spool while its writer lives. It is locked and appended to, and checked to be at its path.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ulid::Ulid;

use crate::data_folder::{identity, private_file};
use crate::spool::{SUFFIX, TEMP_SUFFIX};

/// A spool file that is being written, or was until it was full.
#[derive(Debug)]
pub(crate) struct OpenSegment {
    pub(crate) file: Arc<File>,
    path: PathBuf,
    /// The file's name.
    pub(crate) name: Arc<str>,
    /// Device and inode. `None` on platforms that have none, where an open file cannot be removed.
    identity: Option<(u64, u64)>,
    /// Bytes of whole lines.
    pub(crate) len: u64,
    /// Bytes that are synced to the disk.
    pub(crate) synced_len: u64,
}

impl OpenSegment {
    /// Creates a file that is locked before it gets its name. So no importer takes it for a file whose writer has
    /// exited.
    pub(crate) fn create(dir: &Path, id: Ulid) -> io::Result<Self> {
        let name = format!("{id}.{SUFFIX}");
        let (temp_path, path) = (dir.join(format!("{id}.{TEMP_SUFFIX}")), dir.join(&name));
        let file = private_file(&temp_path)?;
        file.lock()?;
        std::fs::rename(&temp_path, &path)?;
        Ok(Self {
            identity: identity(&file.metadata()?),
            file: Arc::new(file),
            path,
            name: name.into(),
            len: 0,
            synced_len: 0,
        })
    }

    /// Whether the path still leads to this file.
    pub(crate) fn is_in_place(&self) -> bool {
        std::fs::symlink_metadata(&self.path).is_ok_and(|there| identity(&there) == self.identity)
    }

    /// Copies the lines into a new file in `dir` and continues there. Returns the number of lines. On an error the
    /// segment stays unchanged.
    pub(crate) fn rewrite(&mut self, dir: &Path, id: Ulid) -> io::Result<u64> {
        let mut bytes = Vec::new();
        let mut old = &*self.file;
        old.seek(SeekFrom::Start(0))?;
        old.take(self.len).read_to_end(&mut bytes)?;
        let next = Self::create(dir, id)?;
        if let Err(error) = (&*next.file).write_all(&bytes) {
            // An incomplete copy has no use: its lines would only be read twice.
            let _ = std::fs::remove_file(&next.path);
            return Err(error);
        }
        *self = Self { len: self.len, ..next };
        Ok(bytes.iter().filter(|byte| **byte == b'\n').count() as u64)
    }
}
