//! The data folder: paths of the history's files, their modes, and the lock between processes (`CONTRACTS.md` §2.6,
//! §5).

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookwright_model::term;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use ulid::Ulid;

use crate::error::{ErrorClass, StoreError};
use crate::spool::SUFFIX;

/// How long a process waits for `history.lock` or for a lock of SQLite (`CONTRACTS.md` §2.6).
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a waiting process tries again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The name of a quarantined database begins with this. A time follows.
const DAMAGED_PREFIX: &str = "history.db.damaged-";
/// The name of what had taken the spool folder's path begins with this. A time follows.
const SPOOL_ASIDE_PREFIX: &str = "spool.aside-";
/// The format of that time.
const STAMP_FORMAT: &str = "%Y-%m-%dT%H-%M-%S";

/// The paths of the history in a data folder.
#[derive(Debug, Clone)]
pub(crate) struct DataFolder {
    dir: PathBuf,
}

impl DataFolder {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.dir.join("history.db")
    }

    pub(crate) fn wal(&self) -> PathBuf {
        self.dir.join("history.db-wal")
    }

    pub(crate) fn lock_path(&self) -> PathBuf {
        self.dir.join("history.lock")
    }

    pub(crate) fn spool(&self) -> PathBuf {
        self.dir.join("spool")
    }

    /// Creates the folder with mode 0700. An existing folder gets this mode if it is Hookwright's: empty, with only
    /// Hookwright's files, or with `history.lock` in it. A folder with other contents keeps its mode, since a mistyped
    /// `HOOKWRIGHT_DATA` must not change the mode of a home directory.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        if !self.dir.is_dir() {
            return private_folder(&self.dir);
        }
        let ours = self.lock_path().exists() || std::fs::read_dir(&self.dir)?.all(is_own_entry);
        if ours {
            restrict_permissions(&self.dir, 0o700)
        } else {
            Ok(())
        }
    }

    /// Checks that the folder can be created, or written if it exists. Nothing is left behind, because a reader creates
    /// nothing.
    ///
    /// # Errors
    /// It cannot. Only an attempt shows that: a file system can refuse what the modes allow.
    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        let mut folders = self.dir.ancestors();
        let existing = folders.find(|folder| folder.symlink_metadata().is_ok());
        let probe = existing
            .unwrap_or(&self.dir)
            .join(format!(".hookwright-{}", Ulid::generate()));
        let tried = std::fs::create_dir(&probe).and_then(|()| std::fs::remove_dir(&probe));
        tried.map_err(|error| {
            let path = self.dir.clone();
            match ErrorClass::from_io(&error) {
                ErrorClass::Full => StoreError::Full { path },
                // Every other reason means the same to the user, and the folder is what cannot be used.
                ErrorClass::Damage
                | ErrorClass::NotWritable
                | ErrorClass::Unfinished
                | ErrorClass::Locked
                | ErrorClass::Refused
                | ErrorClass::Other => StoreError::NotWritable {
                    path,
                    what: error.to_string(),
                },
            }
        })
    }

    /// Creates the spool folder with mode 0700. What has taken its path is renamed first; returns whether that was
    /// needed.
    pub(crate) fn prepare_spool(&self, now: Timestamp) -> io::Result<bool> {
        self.prepare()?;
        if self.spool().is_dir() {
            return Ok(false);
        }
        let cleared = self.clear_spool_path(now)?;
        private_folder(&self.spool())?;
        Ok(cleared)
    }

    /// Renames what has taken the spool folder's path: a file, or a link that leads to no folder. The new name contains
    /// the time, and the content is kept. Returns whether there was anything to rename.
    #[expect(
        clippy::disallowed_methods,
        reason = "it keeps what took the place of a folder of the history"
    )]
    pub(crate) fn clear_spool_path(&self, now: Timestamp) -> io::Result<bool> {
        let spool = self.spool();
        let is_clear = || spool.is_dir() || spool.symlink_metadata().is_err();
        if is_clear() {
            return Ok(false);
        }
        let quarantined = free_name(&with_suffix(&self.dir.join(SPOOL_ASIDE_PREFIX), &format_stamp(now)));
        // Neither call works on a folder, so a folder that another process has just created remains.
        match std::fs::hard_link(&spool, &quarantined).and_then(|()| std::fs::remove_file(&spool)) {
            Err(error) if !is_clear() => Err(error),
            Ok(()) | Err(_) => Ok(true),
        }
    }

    /// Creates an empty database file with mode 0600 if there is none. Removes the access of group and others from
    /// existing files. SQLite gives `-wal` and `-shm` the mode of the database.
    pub(crate) fn prepare_database(&self) -> io::Result<()> {
        match private_file(&self.database()) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        self.restrict_database_permissions()
    }

    /// Removes the access of group and others from the database's files. It never opens them: closing a file releases
    /// all locks that SQLite holds on it in this process.
    pub(crate) fn restrict_database_permissions(&self) -> io::Result<()> {
        for suffix in ["", "-wal", "-shm"] {
            match restrict_permissions(&with_suffix(&self.database(), suffix), 0o600) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Acquires the lock, and waits at most 2 s. `None` if another process holds it.
    pub(crate) async fn acquire_lock(&self, mode: LockMode) -> io::Result<Option<File>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let file = open_with(&mut options, &self.lock_path())?;
        Ok(lock_with_timeout(&file, mode).await?.then_some(file))
    }

    /// Renames a damaged database, its `-wal` and its `-shm`. Returns the new name, which contains the time.
    #[expect(clippy::disallowed_methods, reason = "the database is the history's own file")]
    pub(crate) fn quarantine_database(&self, now: Timestamp) -> io::Result<PathBuf> {
        let quarantined = free_name(&with_suffix(&self.dir.join(DAMAGED_PREFIX), &format_stamp(now)));
        std::fs::rename(self.database(), &quarantined)?;
        for suffix in ["-wal", "-shm"] {
            match std::fs::rename(with_suffix(&self.database(), suffix), with_suffix(&quarantined, suffix)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(quarantined)
    }

    /// Bytes of the database with its log, and of the spool.
    pub(crate) fn size_bytes(&self) -> u64 {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
        size(&self.database()) + size(&self.wal()) + spooled_bytes(&self.spool())
    }
}

/// Bytes of all spool files.
pub(crate) fn spooled_bytes(spool: &Path) -> u64 {
    let entries = std::fs::read_dir(spool).into_iter().flatten().flatten();
    let files = entries.filter(|entry| Path::new(&entry.file_name()).extension().is_some_and(|it| it == SUFFIX));
    files
        .filter_map(|entry| entry.metadata().ok())
        .map(|meta| meta.len())
        .sum()
}

/// Device and inode of a file; `None` where the platform has none.
#[cfg(unix)]
pub(crate) fn identity(file: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

/// Device and inode of a file; `None` where the platform has none.
#[cfg(not(unix))]
pub(crate) fn identity(_file: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The quarantined databases of a data folder, each with the time when it was renamed, oldest first.
#[must_use]
pub fn quarantined_databases(data_dir: &Path) -> Vec<(Timestamp, PathBuf)> {
    list_stamped(data_dir, DAMAGED_PREFIX)
}

/// What had taken the spool folder's path, each with the time when it was renamed, oldest first.
#[must_use]
pub fn quarantined_spools(data_dir: &Path) -> Vec<(Timestamp, PathBuf)> {
    list_stamped(data_dir, SPOOL_ASIDE_PREFIX)
}

fn format_stamp(now: Timestamp) -> String {
    format!("{}Z", now.strftime(STAMP_FORMAT))
}

/// This name, or the first free one with a number after it.
fn free_name(base: &Path) -> PathBuf {
    let name = |n: u32| match n {
        1 => base.to_owned(),
        n => with_suffix(base, &format!("-{n}")),
    };
    let free = (1..).map(name).find(|path| path.symlink_metadata().is_err());
    free.unwrap_or_else(|| base.to_owned())
}

/// The files whose name is `prefix` and a time, oldest first.
fn list_stamped(data_dir: &Path, prefix: &str) -> Vec<(Timestamp, PathBuf)> {
    let entries = std::fs::read_dir(data_dir).into_iter().flatten().flatten();
    let parse = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        let rest = name.strip_prefix(prefix)?;
        // `-wal` and `-shm` belong to their database, so they are left out. A number distinguishes two names of the
        // same second.
        let (time, number) = rest.split_once('Z')?;
        let first = number.is_empty() || number[1..].bytes().all(|digit| digit.is_ascii_digit());
        let at = DateTime::strptime(STAMP_FORMAT, time).ok().filter(|_| first)?;
        Some((at.to_zoned(TimeZone::UTC).ok()?.timestamp(), path))
    };
    let mut all: Vec<_> = entries.filter_map(|entry| parse(entry.path())).collect();
    all.sort();
    all
}

/// How the lock is held. All processes that use the database share it. Migration, repair and quarantine need it
/// exclusively.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockMode {
    Shared,
    Exclusive,
}

/// Acquires the lock on an open file, or changes how it is held. Returns `false` if this was not possible within 2 s.
pub(crate) async fn lock_with_timeout(file: &File, mode: LockMode) -> io::Result<bool> {
    let deadline = tokio::time::Instant::now() + LOCK_TIMEOUT;
    loop {
        let attempt = match mode {
            LockMode::Shared => file.try_lock_shared(),
            LockMode::Exclusive => file.try_lock(),
        };
        match attempt {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if tokio::time::Instant::now() >= deadline => return Ok(false),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(RETRY_INTERVAL).await,
        }
    }
}

/// `path` with `suffix` after its last name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Creates a file with mode 0600, open for reading and appending. Fails if it already exists.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(true);
    private(&mut options);
    open_with(&mut options, path)
}

/// Opens a file of the history for reading.
///
/// # Errors
/// The error of the operating system, or something else than a file has taken its place.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a file of the history. A pipe in its place does not make it wait.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one door to the files of the history"
)]
fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other(term!("it is not a regular file")))
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions) {}

/// Files and folders that other parts of Hookwright may write before there is a history (`CONTRACTS.md` §5).
const OWN_NAMES: [&str; 15] = [
    "approved",
    "cache",
    "clock",
    "edits",
    "fixtures",
    "handshakes",
    "identities",
    "last_good",
    "mutes",
    "proofs",
    "run",
    "settings",
    "trash",
    "trust",
    "turned_off",
];

/// Whether an entry has the name of one of Hookwright's files, or of a lock or temporary file beside it.
fn is_own_entry(entry: io::Result<std::fs::DirEntry>) -> bool {
    let name = entry.map(|entry| entry.file_name()).unwrap_or_default();
    let name = name.to_str().unwrap_or_default();
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default();
    OWN_NAMES.contains(&stem)
}

#[cfg(unix)]
fn private_folder(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

#[cfg(not(unix))]
fn private_folder(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)
}

#[cfg(unix)]
fn restrict_permissions(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let now = std::fs::metadata(path)?.permissions().mode() & 0o7777;
    if now & 0o077 == 0 {
        Ok(())
    } else {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
    }
}

#[cfg(not(unix))]
fn restrict_permissions(path: &Path, _mode: u32) -> io::Result<()> {
    std::fs::metadata(path).map(drop)
}
