//! The only place that reads the content of user files.
//!
//! A pipe, a device or a file without end must not block a reader, least of all one that has a lock. So only regular
//! files are opened, and at most the bytes that the caller asked for are read.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file has more bytes than the limit.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The file does not exist, is not a regular file, or cannot be read.
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

/// Opens a regular file.
///
/// # Errors
/// The error of the operating system, or the path is not a regular file.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // The path is checked first, because opening has an effect on some devices. The opened file is checked again,
    // because the path may lead to another file by then.
    check_regular(&std::fs::metadata(path)?)?;
    let file = open_nonblocking(path)?;
    let meta = file.metadata()?;
    check_regular(&meta)?;
    Ok((file, meta))
}

fn open_nonblocking(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe would wait for a writer.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    // A hook whose file cannot be read is not started. So this may use the reserved file descriptors.
    hookwright_exec::with_reserve(|| options.open(path))
}

fn check_regular(meta: &Metadata) -> io::Result<()> {
    if meta.is_file() {
        Ok(())
    } else {
        Err(io::Error::other(hookwright_model::term!("it is not a regular file")))
    }
}

/// Reads all bytes of a regular file.
///
/// # Errors
/// The file cannot be read, or has more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (file, meta) = open(path)?;
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

/// Whether a file has exactly these bytes. The caller has just seen that it is a regular file. `buffer` is memory that
/// many calls share.
#[must_use]
pub fn contains(path: &Path, bytes: &[u8], buffer: &mut Vec<u8>) -> bool {
    // One more byte shows that the file is longer.
    buffer.resize(bytes.len() + 1, 0);
    let Ok(mut file) = open_nonblocking(path) else {
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

/// The text of a regular file. `None` if it cannot be read, has more than `limit` bytes or is not UTF-8.
#[must_use]
pub fn read_text(path: &Path, limit: u64) -> Option<String> {
    String::from_utf8(read(path, limit).ok()?).ok()
}

/// The BLAKE3 hash of a regular file's bytes.
///
/// # Errors
/// The file cannot be read, or has more than `limit` bytes.
pub fn hash(path: &Path, limit: u64) -> Result<blake3::Hash, ReadError> {
    let (file, meta) = open(path)?;
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let zero = folder.path().join("zero");
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        for path in [&pipe, &zero, folder.path()] {
            assert!(matches!(read(path, 10), Err(ReadError::Io(_))), "{}", path.display());
            assert!(matches!(hash(path, 10), Err(ReadError::Io(_))), "{}", path.display());
        }
    }

    #[test]
    fn reading_stops_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap().set_len(10 << 30).unwrap();
        assert!(matches!(read(&path, 100), Err(ReadError::TooLarge { limit: 100 })));
        assert!(matches!(hash(&path, 100), Err(ReadError::TooLarge { limit: 100 })));
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        assert_eq!(hash(&path, 4).unwrap(), blake3::hash(b"four"));
        assert!(read(&path, 3).is_err());
        assert_eq!(read_text(&path, 9).as_deref(), Some("four"));
    }

    #[test]
    fn contains_compares_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, pipe) = (folder.path().join("file"), folder.path().join("pipe"));
        std::fs::write(&path, "four").unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let contains = |path: &Path, bytes: &str| contains(path, bytes.as_bytes(), &mut vec![b'u'; 2]);
        assert!(contains(&path, "four"));
        for other in ["", "fou", "fous", "fouru", "four "] {
            assert!(!contains(&path, other), "{other:?}");
        }
        assert!(!contains(&folder.path().join("gone"), "") && !contains(folder.path(), ""));
        assert!(!contains(&pipe, "four"));
    }
}
