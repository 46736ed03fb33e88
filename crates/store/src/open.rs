//! Opening the database: check it first, and change only files that are Hookwright's and sound (`CONTRACTS.md` §2.6).

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};

use crate::data_folder::{DataFolder, LOCK_TIMEOUT, LockMode, identity, lock_with_timeout, open_regular};
use crate::error::{ErrorClass, StoreError};
use crate::store::AccessMode;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// How many connections read at the same time.
const MAX_READERS: u32 = 4;

/// An open database. It shares the lock for as long as it lives.
#[derive(Debug)]
pub(crate) struct Db {
    pub(crate) writer: Option<SqlitePool>,
    pub(crate) readers: SqlitePool,
    /// How far this process has imported each spool file, in bytes. `None` until the first import. Another process may
    /// have imported more.
    positions: Mutex<Option<HashMap<String, u64>>>,
    persistence: Persistence,
    /// `None` for a copy that only this process sees, which needs none.
    lock: Option<File>,
}

/// What happens to the imported traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// They are committed to the file.
    Committed,
    /// They are in a database in memory, which belongs to this process.
    Memory,
    /// They are in a transaction over the file that is never committed, so that nothing is written. The file is full.
    Uncommitted,
}

/// The result of opening the database.
#[derive(Debug)]
pub(crate) enum OpenResult {
    /// The database can be used.
    Ready(Db),
    /// There is no database, and a reader creates none.
    Absent,
    /// Another process or program has locked the database, or the disk is too full to create it.
    Busy(String),
}

/// The state of the database file.
#[derive(Debug, PartialEq, Eq)]
enum DbCheck {
    Absent,
    /// The database is empty, of an older version, or contains an unfinished change. A connection that writes must
    /// repair it.
    Older,
    Sound,
    Newer(i64),
    Damaged(String),
}

/// Opens the database. An absent or older database is created or migrated, and a damaged one is quarantined. Both
/// happen under the exclusive lock.
///
/// On a full disk, and while another program holds a lock of SQLite, the result is [`OpenResult::Busy`]. It is the same
/// as if another process had the lock: the spool can still be read, and opening is tried again.
pub(crate) async fn open(folder: &DataFolder, mode: AccessMode, now: Timestamp) -> Result<OpenResult, StoreError> {
    match try_open(folder, mode, now).await {
        Err(full @ StoreError::Full { .. }) => Ok(OpenResult::Busy(full.to_string())),
        Err(StoreError::SpoolOnly { why, .. }) => Ok(OpenResult::Busy(why)),
        other => other,
    }
}

async fn try_open(folder: &DataFolder, mode: AccessMode, now: Timestamp) -> Result<OpenResult, StoreError> {
    // A link to a missing file is not an absent database. The check below reports it.
    if mode == AccessMode::Read && folder.database().symlink_metadata().is_err() {
        folder.check_writable()?;
        return Ok(OpenResult::Absent);
    }
    folder
        .prepare()
        .map_err(|error| StoreError::from_io(folder.database(), error))?;
    // Another process may take the lock between the release of the exclusive lock and the next shared one. So the check
    // is repeated a few times.
    for _ in 0..3 {
        let Some(lock) = acquire_lock(folder, LockMode::Shared).await? else {
            return Ok(OpenResult::Busy(busy_reason(folder)));
        };
        match check_database(folder).await? {
            DbCheck::Sound => return connect(folder, mode, lock).await.map(OpenResult::Ready),
            DbCheck::Newer(found) => return Err(newer_error(folder, found)),
            found @ (DbCheck::Absent | DbCheck::Older | DbCheck::Damaged(_)) => {
                drop(lock);
                let Some(exclusive) = acquire_lock(folder, LockMode::Exclusive).await? else {
                    return match found {
                        DbCheck::Damaged(what) => Err(StoreError::DamagedInUse {
                            path: folder.database(),
                            what,
                        }),
                        DbCheck::Absent | DbCheck::Older | DbCheck::Sound | DbCheck::Newer(_) => {
                            Ok(OpenResult::Busy(busy_reason(folder)))
                        }
                    };
                };
                repair(folder, now).await?;
                drop(exclusive);
            }
        }
    }
    Ok(OpenResult::Busy(busy_reason(folder)))
}

async fn acquire_lock(folder: &DataFolder, mode: LockMode) -> Result<Option<File>, StoreError> {
    folder
        .acquire_lock(mode)
        .await
        .map_err(|error| StoreError::from_io(folder.lock_path(), error))
}

fn busy_reason(folder: &DataFolder) -> String {
    format!("another process uses `{}`", folder.lock_path().display())
}

fn newer_error(folder: &DataFolder, found: i64) -> StoreError {
    StoreError::Newer {
        path: folder.database(),
        found,
        known: known_version(),
    }
}

/// The newest schema version that this program knows.
fn known_version() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// Repairs the database under the exclusive lock. A damaged one is quarantined; an absent or older one is brought to
/// the current schema.
async fn repair(folder: &DataFolder, now: Timestamp) -> Result<(), StoreError> {
    match check_database(folder).await? {
        DbCheck::Sound => Ok(()),
        DbCheck::Newer(found) => Err(newer_error(folder, found)),
        DbCheck::Damaged(what) => Err(quarantine(folder, now, what)),
        DbCheck::Absent | DbCheck::Older => {
            folder
                .prepare_database()
                .map_err(|error| StoreError::from_io(folder.database(), error))?;
            migrate(folder)
                .await
                .map_err(|error| StoreError::from_sqlx(folder.database(), &error))
        }
    }
}

/// Quarantines the database under the exclusive lock. The returned error reports it.
fn quarantine(folder: &DataFolder, now: Timestamp, what: String) -> StoreError {
    match folder.quarantine_database(now) {
        Ok(quarantined) => StoreError::Damaged {
            path: folder.database(),
            quarantined,
            what,
        },
        Err(error) => StoreError::from_io(folder.database(), error),
    }
}

async fn migrate(folder: &DataFolder) -> Result<(), sqlx::Error> {
    // This is set only here, before the first table exists. Setting it again would write to the file at every opening.
    let mut connection = write_options(folder)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .connect()
        .await?;
    // `run` would do the same, but its future cannot be sent to another thread.
    if let Err(error) = MIGRATIONS.run_direct(None, &mut connection, false).await {
        return Err(cause(error));
    }
    connection.close().await
}

/// The database's own error, if the database caused the migration to fail.
fn cause(error: MigrateError) -> sqlx::Error {
    if let MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) = error {
        return error;
    }
    sqlx::Error::Migrate(Box::new(error))
}

/// Checks the database through a connection that cannot write.
async fn check_database(folder: &DataFolder) -> Result<DbCheck, StoreError> {
    match std::fs::metadata(folder.database()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Creating the database would fail, and a reader would show an empty history.
            return match std::fs::symlink_metadata(folder.database()) {
                Ok(_) => Err(StoreError::NotWritable {
                    path: folder.database(),
                    what: "it is a link to a file that does not exist".to_owned(),
                }),
                Err(_) => Ok(DbCheck::Absent),
            };
        }
        Err(error) => return Err(StoreError::from_io(folder.database(), error)),
        Ok(there) if there.is_file() => {
            if let Some(what) = check_log(folder, there.len()) {
                return Ok(DbCheck::Damaged(what.to_owned()));
            }
        }
        Ok(_) => {
            return Err(StoreError::NotWritable {
                path: folder.database(),
                what: "it is not a file".to_owned(),
            });
        }
    }
    match inspect(folder).await {
        Ok(found) => Ok(found),
        Err(error) if ErrorClass::from_sqlx(&error) == ErrorClass::Damage => Ok(DbCheck::Damaged(error.to_string())),
        Err(error) if ErrorClass::from_sqlx(&error) == ErrorClass::Unfinished => Ok(DbCheck::Older),
        Err(error) => Err(StoreError::from_sqlx(folder.database(), &error)),
    }
}

/// What is wrong with the log of a database of `bytes` bytes; `None` if nothing is. SQLite would discard such a log
/// without an error. A log that begins with zeros was never written. All others begin with the same magic number and
/// version; the last bit of the magic number depends on the byte order.
fn check_log(folder: &DataFolder, bytes: u64) -> Option<&'static str> {
    const MAGIC: [u8; 4] = [0x37, 0x7f, 0x06, 0x82];
    const VERSION: [u8; 4] = [0x00, 0x2d, 0xe2, 0x18];
    let mut head = Vec::new();
    open_regular(&folder.wal())
        .and_then(|log| log.take(8).read_to_end(&mut head))
        .ok()?;
    if head.iter().all(|byte| *byte == 0) {
        return None;
    }
    if bytes == 0 {
        return Some("it is empty, and its log is not");
    }
    let sound = head.len() == 8 && head[..3] == MAGIC[..3] && head[3] | 1 == MAGIC[3] | 1 && head[4..] == VERSION;
    (!sound).then_some("its log is not a log of SQLite")
}

async fn inspect(folder: &DataFolder) -> Result<DbCheck, sqlx::Error> {
    let mut connection = read_options(folder).connect().await?;
    let version = read_version(&mut connection).await?;
    let found = if version > known_version() {
        DbCheck::Newer(version)
    } else if is_suspicious(&mut connection, folder).await? {
        match quick_check(&mut connection).await? {
            Some(what) => DbCheck::Damaged(what),
            None if version < known_version() => DbCheck::Older,
            None => DbCheck::Sound,
        }
    } else if version < known_version() {
        DbCheck::Older
    } else if count_tables(&mut connection).await? < TABLES.len() {
        DbCheck::Damaged("a table of it is missing".to_owned())
    } else {
        DbCheck::Sound
    };
    connection.close().await?;
    Ok(found)
}

/// The tables of the current schema.
const TABLES: [&str; 13] = [
    "activity",
    "blocks",
    "bodies",
    "counters",
    "event_counts",
    "hooks",
    "metrics",
    "search",
    "spool_files",
    "steps",
    "tag_values",
    "trace_tags",
    "traces",
];

/// How many of [`TABLES`] exist.
async fn count_tables(connection: &mut SqliteConnection) -> Result<usize, sqlx::Error> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let there: Vec<String> = sqlx::query_scalar(sql).fetch_all(connection).await?;
    Ok(TABLES
        .into_iter()
        .filter(|table| there.iter().any(|it| it == table))
        .count())
}

/// The schema version: `user_version`, or the last recorded migration if that is higher.
async fn read_version(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'")
        .fetch_one(&mut *connection)
        .await?;
    let user: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut *connection)
        .await?;
    if tables == 0 {
        // Hookwright's databases always have this table. A version without it was set by another program or by a later
        // Hookwright.
        return Ok(if user > known_version() { user } else { 0 });
    }
    let noted: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(&mut *connection)
        .await?;
    Ok(user.max(noted.unwrap_or(0)))
}

/// Whether the file's length differs from the length in its header. While there is a log, the answer is `false`: the
/// header then counts pages that exist only in the log.
async fn is_suspicious(connection: &mut SqliteConnection, folder: &DataFolder) -> Result<bool, sqlx::Error> {
    if std::fs::metadata(folder.wal()).is_ok_and(|wal| wal.len() > 0) {
        return Ok(false);
    }
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count")
        .fetch_one(&mut *connection)
        .await?;
    let size: i64 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&mut *connection)
        .await?;
    let length = std::fs::metadata(folder.database()).map_or(0, |file| file.len());
    Ok(length != pages.unsigned_abs() * size.unsigned_abs())
}

async fn quick_check(connection: &mut SqliteConnection) -> Result<Option<String>, sqlx::Error> {
    let lines: Vec<String> = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_all(connection)
        .await?;
    Ok(lines.into_iter().next().filter(|line| line != "ok"))
}

fn read_options(folder: &DataFolder) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(folder.database())
        .read_only(true)
        .busy_timeout(LOCK_TIMEOUT)
        // The rows of one page fit into the buffer.
        .row_buffer_size(256)
        .disable_statement_logging()
}

/// Options of the connection that writes. It never creates the file: [`DataFolder::prepare_database`] does, with the
/// right mode.
fn write_options(folder: &DataFolder) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(folder.database())
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(LOCK_TIMEOUT)
        .pragma("journal_size_limit", "67108864")
        // The cache fits a whole batch. Checkpoints are rare, so pages that every batch changes are not written back
        // each time.
        .pragma("cache_size", "-8000")
        .pragma("wal_autocheckpoint", "4000")
        // What a single statement may have to undo is too small for a file.
        .pragma("temp_store", "MEMORY")
        .disable_statement_logging()
}

async fn connect(folder: &DataFolder, mode: AccessMode, lock: File) -> Result<Db, StoreError> {
    let failed = |error: sqlx::Error| StoreError::from_sqlx(folder.database(), &error);
    folder
        .restrict_database_permissions()
        .map_err(|error| StoreError::from_io(folder.database(), error))?;
    let pool = || {
        SqlitePoolOptions::new()
            .min_connections(0)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let writer = match mode {
        AccessMode::Read => None,
        AccessMode::Write => {
            let options = write_options(folder).optimize_on_close(true, 400);
            Some(pool().max_connections(1).connect_with(options).await.map_err(failed)?)
        }
    };
    let readers = pool()
        .max_connections(MAX_READERS)
        .connect_lazy_with(read_options(folder));
    Ok(Db {
        writer,
        readers,
        positions: Mutex::default(),
        persistence: Persistence::Committed,
        lock: Some(lock),
    })
}

/// A pool of one connection. A database in memory and an open transaction belong to their connection.
async fn single_connection(options: SqliteConnectOptions) -> Result<SqlitePool, sqlx::Error> {
    SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_with(options)
        .await
}

impl Db {
    /// An empty database of the current schema in memory. It begins to read each spool file at these positions.
    pub(crate) async fn in_memory(positions: HashMap<String, u64>) -> Result<Self, sqlx::Error> {
        let options = SqliteConnectOptions::new().in_memory(true).disable_statement_logging();
        let pool = single_connection(options).await?;
        let mut connection = pool.acquire().await?;
        MIGRATIONS
            .run_direct(None, &mut *connection, false)
            .await
            .map_err(cause)?;
        drop(connection);
        Ok(Self::private(pool, Persistence::Memory, positions))
    }

    /// The database file within a transaction that is never committed. What is imported into it stays in the memory of
    /// this process. Until it is closed, no other process can write.
    pub(crate) async fn uncommitted(folder: &DataFolder, positions: HashMap<String, u64>) -> Result<Self, sqlx::Error> {
        // Pages of an unfinished transaction would otherwise be written to the log when the cache is full.
        let pool = single_connection(write_options(folder).pragma("cache_spill", "OFF")).await?;
        sqlx::query("BEGIN IMMEDIATE").execute(&pool).await?;
        Ok(Self::private(pool, Persistence::Uncommitted, positions))
    }

    fn private(pool: SqlitePool, persistence: Persistence, positions: HashMap<String, u64>) -> Self {
        Self {
            writer: Some(pool.clone()),
            readers: pool,
            positions: Mutex::new(Some(positions)),
            persistence,
            lock: None,
        }
    }

    /// What happens to the imported traces.
    pub(crate) fn persistence(&self) -> Persistence {
        self.persistence
    }

    /// How far this process has imported each spool file, in bytes; `None` before the first import.
    pub(crate) fn import_positions(&self) -> Option<HashMap<String, u64>> {
        self.positions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores how far this process has imported each spool file, in bytes.
    pub(crate) fn set_import_positions(&self, imported: HashMap<String, u64>) {
        *self.positions.lock().unwrap_or_else(PoisonError::into_inner) = Some(imported);
    }

    /// Closes every connection, then releases the lock.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
        // Unlocking fails only if the handle is not a file. Dropping the handle unlocks as well.
        let _ = self.lock.as_ref().map(File::unlock);
    }

    /// Quarantines a database that turned out to be damaged while in use.
    ///
    /// The files are renamed before the connections are closed. On closing, SQLite removes the log by its name, and the
    /// log must be kept.
    pub(crate) async fn quarantine(&self, folder: &DataFolder, now: Timestamp, what: String) -> StoreError {
        let exclusive = match &self.lock {
            Some(lock) => lock_with_timeout(lock, LockMode::Exclusive).await.unwrap_or(false),
            None => false,
        };
        let error = if exclusive {
            quarantine(folder, now, what)
        } else {
            StoreError::DamagedInUse {
                path: folder.database(),
                what,
            }
        };
        self.close().await;
        error
    }

    /// Distinguishes the current database file from another one at the same path; `None` if there is no file.
    pub(crate) fn file_identity(folder: &DataFolder) -> Option<(u64, u64)> {
        let there = std::fs::metadata(folder.database()).ok()?;
        // Where the platform has no identity, it is enough that a file exists.
        identity(&there).or(Some((0, 0)))
    }
}
