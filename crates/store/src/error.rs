//! What can go wrong with the history, as values that a host can distinguish.

use std::io;
use std::path::PathBuf;

/// Why the history could not be opened, read or written. The messages name the file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was damaged. It was renamed and kept; the next opening creates an empty one.
    #[error("the history `{}` was damaged ({what}) and moved to `{}`; the next command creates an empty one", path.display(), quarantined.display())]
    Damaged {
        /// Where the database was.
        path: PathBuf,
        /// Where the database is now. Its `-wal` and `-shm` are next to it.
        quarantined: PathBuf,
        /// What is damaged: SQLite's message, or the result of Hookwright's own check.
        what: String,
    },
    /// The database is damaged, but cannot be renamed while another process uses it.
    #[error("the history `{}` is damaged ({what}); it is not moved while another process uses it", path.display())]
    DamagedInUse {
        /// The database file.
        path: PathBuf,
        /// What is damaged: SQLite's message, or the result of Hookwright's own check.
        what: String,
    },
    /// The database was written by a newer version of Hookwright. It was not changed.
    #[error("the history `{}` is from a newer version (schema {found}; this program knows {known}); it was not changed", path.display())]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The schema version of the database.
        found: i64,
        /// The newest schema version that this program knows.
        known: i64,
    },
    /// The folder or a file in it cannot be written.
    #[error("`{}` cannot be written: {what}", path.display())]
    NotWritable {
        /// The folder or file.
        path: PathBuf,
        /// Why it cannot be written.
        what: String,
    },
    /// The disk is full.
    #[error("the disk is full: `{}` cannot be written", path.display())]
    Full {
        /// The file or folder that cannot grow.
        path: PathBuf,
    },
    /// Another process holds the lock, or another program holds a lock of SQLite. Traces that are spooled in the
    /// meantime are imported by the next process that can.
    #[error("the history `{}` cannot be used now: {why}", path.display())]
    SpoolOnly {
        /// The database file.
        path: PathBuf,
        /// Why the database cannot be used.
        why: String,
    },
    /// The `after` of a page is not a cursor that a page returned.
    #[error("invalid cursor `{0}`")]
    InvalidCursor(String),
    /// More than one trace id begins with the given text.
    #[error("`{prefix}` matches more than one trace: {}, …", some.join(", "))]
    Ambiguous {
        /// The given text.
        prefix: String,
        /// Some of the ids that begin with it.
        some: Vec<String>,
    },
    /// Another error of the operating system about one of the history's files.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another error of SQLite or of its driver.
    #[error("the history `{}`: {what}", path.display())]
    Database {
        /// The database file.
        path: PathBuf,
        /// The message of SQLite or of its driver.
        what: String,
    },
}

/// What kind of error it is. SQLite's primary result codes are part of its stable interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    /// `SQLITE_CORRUPT`, `SQLITE_NOTADB`.
    Damage,
    /// `SQLITE_FULL`, and `SQLITE_IOERR` while writing, because a full disk appears that way in the log.
    Full,
    /// `SQLITE_READONLY`, `SQLITE_CANTOPEN`, `SQLITE_PERM`, `SQLITE_AUTH`.
    NotWritable,
    /// `SQLITE_READONLY_ROLLBACK` and similar codes. A process was killed during a change, and only a connection that
    /// writes can undo that change.
    Unfinished,
    /// `SQLITE_BUSY`, `SQLITE_LOCKED`: another program holds a lock on the database.
    Locked,
    /// `SQLITE_TOOBIG`, `SQLITE_CONSTRAINT`, `SQLITE_MISMATCH`, `SQLITE_RANGE`, and values that the driver cannot
    /// write. The row is wrong, not the database.
    Refused,
    Other,
}

impl ErrorClass {
    /// Classifies an error of the driver.
    pub(crate) fn from_sqlx(error: &sqlx::Error) -> Self {
        if let sqlx::Error::Io(io) = error {
            return Self::from_io(io);
        }
        if matches!(error, sqlx::Error::Encode(_)) {
            return Self::Refused;
        }
        let code = error.as_database_error().and_then(|error| error.code()?.parse().ok());
        code.map_or(Self::Other, Self::from_code)
    }

    /// Classifies an extended result code of SQLite.
    fn from_code(code: i64) -> Self {
        const IOERR_WRITE: i64 = 10 | (3 << 8);
        const IOERR_SHMSIZE: i64 = 10 | (19 << 8);
        if code == IOERR_WRITE || code == IOERR_SHMSIZE {
            return Self::Full;
        }
        const READONLY_RECOVERY: i64 = 8 | (1 << 8);
        const READONLY_ROLLBACK: i64 = 8 | (3 << 8);
        const READONLY_CANTINIT: i64 = 8 | (5 << 8);
        if [READONLY_RECOVERY, READONLY_ROLLBACK, READONLY_CANTINIT].contains(&code) {
            return Self::Unfinished;
        }
        match code & 0xff {
            11 | 26 => Self::Damage,
            13 => Self::Full,
            3 | 8 | 14 | 23 => Self::NotWritable,
            5 | 6 => Self::Locked,
            18 | 19 | 20 | 25 => Self::Refused,
            _ => Self::Other,
        }
    }

    /// Classifies an error of the operating system.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        // A limit of the size of a file is as a full disk to who writes it.
        const FULL: [io::ErrorKind; 3] = [
            io::ErrorKind::StorageFull,
            io::ErrorKind::QuotaExceeded,
            io::ErrorKind::FileTooLarge,
        ];
        const NOT_WRITABLE: [io::ErrorKind; 3] = [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem,
            io::ErrorKind::NotADirectory,
        ];
        let kind = error.kind();
        if FULL.contains(&kind) {
            Self::Full
        } else if NOT_WRITABLE.contains(&kind) {
            Self::NotWritable
        } else {
            Self::Other
        }
    }
}

impl StoreError {
    /// Converts an error of the driver about the database at `path`.
    pub(crate) fn from_sqlx(path: PathBuf, error: &sqlx::Error) -> Self {
        let what = error.to_string();
        match ErrorClass::from_sqlx(error) {
            ErrorClass::Damage => Self::DamagedInUse { path, what },
            ErrorClass::Full => Self::Full { path },
            ErrorClass::NotWritable | ErrorClass::Unfinished => Self::NotWritable { path, what },
            ErrorClass::Locked => Self::SpoolOnly {
                path,
                why: "another program has locked the database".to_owned(),
            },
            ErrorClass::Refused | ErrorClass::Other => Self::Database { path, what },
        }
    }

    /// Converts an error of the operating system about the file at `path`.
    pub(crate) fn from_io(path: PathBuf, source: io::Error) -> Self {
        match ErrorClass::from_io(&source) {
            ErrorClass::Full => Self::Full { path },
            ErrorClass::NotWritable | ErrorClass::Unfinished => Self::NotWritable {
                path,
                what: source.to_string(),
            },
            ErrorClass::Damage | ErrorClass::Locked | ErrorClass::Refused | ErrorClass::Other => {
                Self::Io { path, source }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_codes_of_sqlite_map_to_error_classes() {
        let cases = [
            (11, ErrorClass::Damage),
            (11 | (1 << 8), ErrorClass::Damage),
            (26, ErrorClass::Damage),
            (13, ErrorClass::Full),
        ];
        for (code, class) in cases.into_iter().chain([
            (8, ErrorClass::NotWritable),
            (8 | (3 << 8), ErrorClass::Unfinished),
            (14, ErrorClass::NotWritable),
            (19 | (7 << 8), ErrorClass::Refused),
            (5, ErrorClass::Locked),
            (5 | (2 << 8), ErrorClass::Locked),
            (1, ErrorClass::Other),
        ]) {
            assert_eq!(ErrorClass::from_code(code), class, "{code}");
        }
        assert_eq!(ErrorClass::from_code(778), ErrorClass::Full, "SQLITE_IOERR_WRITE");
    }

    #[test]
    fn system_errors_map_to_error_classes() {
        for (errno, class) in [
            (30, ErrorClass::NotWritable),
            (13, ErrorClass::NotWritable),
            (28, ErrorClass::Full),
        ] {
            assert_eq!(
                ErrorClass::from_io(&io::Error::from_raw_os_error(errno)),
                class,
                "{errno}"
            );
        }
    }
}
