//! The one door to the files of people: an [`Opener`] opens them for reading, and a [`FilePlace`] is where one is written.
//!
//! What it deliberately does not do: it reads no meaning from a file, and decides about no edit.
//!
//! How it works (`CONTRACTS.md` §7): an opener is for the user's own files, or for those beneath one folder. The folder
//! is opened once, and every file is opened from its descriptor, so a link that is swapped in later cannot lead out
//! of it. What was opened is judged by its own metadata: a regular file, of the user. A path is never checked and then
//! opened by its name. Nothing here waits for a pipe or a device, and at most the bytes that the caller asks for are read.

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the one door to the files of people")]
mod boundary;
#[cfg(not(unix))]
#[path = "portable_boundary.rs"]
mod boundary;
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the one writer of the files of people")]
mod place;
#[cfg(not(unix))]
#[path = "portable_place.rs"]
mod place;
pub mod temp_files;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use boundary::Boundary;
use hookwright_model::term;

pub use place::{FilePlace, NextFile};

/// The largest size of a hook file, in bytes.
pub const MAX_SOURCE_BYTES: u64 = 1 << 20;

/// At most this many links are followed for one path, as the operating system does.
const MAX_LINKS: usize = 40;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file has more bytes than the limit.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The file does not exist, is not a regular file of the user, leads out of its folder, or cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::TooLarge { .. } => Self::new(io::ErrorKind::FileTooLarge, error.to_string()),
        }
    }
}

/// A path leads out of the folder of its [`Opener`].
#[derive(Debug, thiserror::Error)]
#[error("{}", term!("it leads out of its folder"))]
struct LeadsOut;

fn leads_out() -> io::Error {
    io::Error::other(LeadsOut)
}

/// Whether a file was not opened because its path leads out of the folder of its [`Opener`].
#[must_use]
pub fn is_outside(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<LeadsOut>())
}

/// Opens files: those of the user, or those beneath one folder. A clone shares the folder's descriptor.
#[derive(Debug, Clone)]
pub struct Opener(Option<Arc<Boundary>>);

impl Opener {
    /// The opener of the user's own files. Their links may lead anywhere (`engine.md` §9).
    #[must_use]
    pub const fn user() -> Self {
        Self(None)
    }

    /// The opener of the files beneath a folder. The folder itself may be reached through links. It is opened with the
    /// first file, and stays the same folder for this opener even if its path leads to another one later.
    #[must_use]
    pub fn beneath(folder: &Path) -> Self {
        Self(Some(Arc::new(Boundary::new(folder))))
    }

    /// The opener of the files of a project; without one, of the user's own.
    #[must_use]
    pub fn of_project(project: Option<&Path>) -> Self {
        project.map_or_else(Self::user, Self::beneath)
    }

    /// This opener for a path that begins with its folder, otherwise the one of the user's own files.
    #[must_use]
    pub fn for_path(&self, path: &Path) -> Self {
        match &self.0 {
            Some(boundary) if !boundary.is_above(path) => Self::user(),
            Some(_) | None => self.clone(),
        }
    }

    /// The opener of the files beneath a folder to which this opener leads.
    ///
    /// # Errors
    /// The folder cannot be opened, or leads out of the folder of this opener.
    pub fn inner(&self, folder: &Path) -> io::Result<Self> {
        Ok(Self(Some(Arc::new(Boundary::within(self.0.as_deref(), folder)?))))
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// The error of the operating system; or the path leads out of the folder ([`is_outside`]), or to no regular file, or
    /// to a file of another user in the folder.
    pub fn open(&self, path: &Path) -> io::Result<(File, Metadata)> {
        let file = boundary::open_file(self.0.as_deref(), path)?;
        let meta = self.judge(&file)?;
        Ok((file, meta))
    }

    /// The metadata of an opened file, if it is one that this opener may open.
    fn judge(&self, file: &File) -> io::Result<Metadata> {
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(not_regular());
        }
        match &self.0 {
            Some(boundary) if !boundary.is_of_user(&meta)? => Err(io::Error::other(term!("belongs to another user"))),
            Some(_) | None => Ok(meta),
        }
    }

    /// Reads all bytes of a regular file.
    ///
    /// # Errors
    /// The file cannot be opened or read, or has more than `limit` bytes.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
        let (file, meta) = self.open(path)?;
        read_open(&file, &meta, limit)
    }

    /// The text of a regular file. `None` if it cannot be read, has more than `limit` bytes or is not UTF-8.
    #[must_use]
    pub fn read_text(&self, path: &Path, limit: u64) -> Option<String> {
        String::from_utf8(self.read(path, limit).ok()?).ok()
    }

    /// The BLAKE3 hash of a regular file's bytes.
    ///
    /// # Errors
    /// The file cannot be opened or read, or has more than `limit` bytes.
    pub fn hash(&self, path: &Path, limit: u64) -> Result<blake3::Hash, ReadError> {
        let (file, meta) = self.open(path)?;
        hash_open(&file, &meta, limit)
    }

    /// Whether a regular file has exactly these bytes. `buffer` is memory that many calls share.
    #[must_use]
    pub fn contains(&self, path: &Path, bytes: &[u8], buffer: &mut Vec<u8>) -> bool {
        // One more byte shows that the file is longer.
        buffer.resize(bytes.len() + 1, 0);
        let Ok((mut file, _)) = self.open(path) else {
            return false;
        };
        let mut filled = 0;
        while filled <= bytes.len() {
            match file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        buffer[..filled] == *bytes
    }
}

/// Reads all bytes of a file that was opened with this metadata.
///
/// # Errors
/// The file cannot be read, or has more than `limit` bytes.
pub fn read_open(file: &File, meta: &Metadata, limit: u64) -> Result<Vec<u8>, ReadError> {
    if meta.len() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    // Some system files report the length 0 and are not empty.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

/// The BLAKE3 hash of the bytes of a file that was opened with this metadata.
///
/// # Errors
/// The file cannot be read, or has more than `limit` bytes.
pub fn hash_open(file: &File, meta: &Metadata, limit: u64) -> Result<blake3::Hash, ReadError> {
    if meta.len() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.take(limit.saturating_add(1)))?;
    if hasher.count() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(hasher.finalize())
}

fn not_regular() -> io::Error {
    io::Error::other(term!("it is not a regular file"))
}

fn too_many_links() -> io::Error {
    io::Error::other("too many links")
}

#[cfg(all(test, unix))]
mod tests;
