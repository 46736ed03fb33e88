//! What can go wrong with the history, as values a host can tell apart.

use std::io;
use std::path::PathBuf;

/// Why the history could not be opened, read or written. Messages name the file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was damaged and has been set aside, never deleted; the next opening begins an empty one.
    #[error("the history `{}` was damaged ({what}); it is set aside as `{}`, and the next command begins an empty one", path.display(), quarantined.display())]
    Damaged {
        /// Where it was.
        path: PathBuf,
        /// Where it is now, with its `-wal` and `-shm` beside it.
        quarantined: PathBuf,
        /// SQLite's words.
        what: String,
    },
    /// The database is damaged, and another process that uses it keeps it from being set aside.
    #[error("the history `{}` is damaged ({what}); it stays where it is while another process uses it", path.display())]
    DamagedInUse {
        /// The database.
        path: PathBuf,
        /// SQLite's words.
        what: String,
    },
    /// The database was written by a newer version of this program. It was not touched.
    #[error("the history `{}` is from a newer version (schema {found}; this program knows {known}); it was left as it is", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The folder or a file in it cannot be written.
    #[error("`{}` cannot be written: {what}", path.display())]
    NotWritable {
        /// The folder or file.
        path: PathBuf,
        /// The system's words.
        what: String,
    },
    /// There is no room left.
    #[error("the disk is full: `{}` takes no more", path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// Another process holds the lock, or another program one of SQLite's; what is spooled meanwhile is imported by the next process that can.
    #[error("the history `{}` cannot be used now: {why}", path.display())]
    SpoolOnly {
        /// The database.
        path: PathBuf,
        /// What is in the way.
        why: String,
    },
    /// The `after` of a page is none that a page gave.
    #[error("`{0}` is no cursor of a page")]
    InvalidCursor(String),
    /// More than one trace begins so.
    #[error("`{prefix}` fits more than one trace: {}, …", some.join(", "))]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// Some that fit.
        some: Vec<String>,
    },
    /// Anything else the system said about a file of ours.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Anything else SQLite said.
    #[error("the history `{}`: {what}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// SQLite's words.
        what: String,
    },
}

/// What an SQLite error is about. Its primary result codes are part of SQLite's stable interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    /// `SQLITE_CORRUPT`, `SQLITE_NOTADB`.
    Damage,
    /// `SQLITE_FULL`, and `SQLITE_IOERR` while writing, which is how a full disk shows in the log.
    Full,
    /// `SQLITE_READONLY`, `SQLITE_CANTOPEN`, `SQLITE_PERM`, `SQLITE_AUTH`.
    NotWritable,
    /// `SQLITE_READONLY_ROLLBACK` and its kin: a process was killed in the middle of a change, which only a connection
    /// that writes can take back.
    Unfinished,
    /// `SQLITE_BUSY`, `SQLITE_LOCKED`: another program holds a lock on the database.
    Locked,
    /// `SQLITE_TOOBIG`, `SQLITE_CONSTRAINT`, `SQLITE_MISMATCH`, `SQLITE_RANGE`, and values that the driver cannot write:
    /// what is wrong is the row.
    Refused,
    /// Everything else.
    Other,
}

impl ErrorClass {
    /// Sorts an error of the driver.
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

    /// Sorts an extended result code.
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

    /// Sorts an error of the system.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        const FULL: [io::ErrorKind; 2] = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
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
    /// From the driver, about that database.
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

    /// From the system, about that file.
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
