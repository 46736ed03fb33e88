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

/// Why a line was not appended.
#[derive(Debug)]
pub(crate) struct FailedAppend {
    pub(crate) source: io::Error,
    /// Whether the partial line was cut off, so that a further line can be appended.
    pub(crate) is_usable: bool,
}

impl OpenSegment {
    /// Creates a file that is locked before it gets its name. So no importer takes it for a file whose writer has
    /// exited.
    #[expect(clippy::disallowed_methods, reason = "the spool files are the history's own")]
    pub(crate) fn create(dir: &Path, id: Ulid) -> io::Result<Self> {
        let name = format!("{id}.{SUFFIX}");
        let (temp_path, path) = (dir.join(format!("{id}.{TEMP_SUFFIX}")), dir.join(&name));
        let file = private_file(&temp_path)?;
        if let Err(error) = file.lock().and_then(|()| std::fs::rename(&temp_path, &path)) {
            // An importer removes it too.
            let _ = std::fs::remove_file(&temp_path);
            return Err(error);
        }
        Ok(Self {
            identity: identity(&file.metadata()?),
            file: Arc::new(file),
            path,
            name: name.into(),
            len: 0,
            synced_len: 0,
        })
    }

    /// Appends one line. On an error the file is as long as before, or nothing may be appended to it again.
    ///
    /// # Errors
    /// The line does not fit on the disk, or the disk reported an error.
    pub(crate) fn append(&mut self, line: &[u8]) -> Result<(), FailedAppend> {
        let mut written = 0;
        // One call usually writes all of it. A signal can cut it short.
        while written < line.len() {
            let source = match (&*self.file).write(&line[written..]) {
                Ok(0) => io::ErrorKind::StorageFull.into(),
                Ok(more) => {
                    written += more;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            return Err(FailedAppend {
                source,
                is_usable: written == 0 || self.file.set_len(self.len).is_ok(),
            });
        }
        self.len += line.len() as u64;
        Ok(())
    }

    /// Removes a file that contains no line.
    pub(crate) fn remove_if_empty(&self) {
        if self.len == 0 && self.is_in_place() {
            // An importer removes it too.
            let _ = std::fs::remove_file(&self.path);
        }
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
