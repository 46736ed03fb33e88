//! The history for its users: open or not, and in what state.

use std::path::Path;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use hookwright_model::{Catalog, Clock};
use tokio::sync::{Mutex, RwLock, watch};

use crate::data_folder::DataFolder;
use crate::error::{ErrorClass, StoreError};
use crate::memory::MemoryDb;
use crate::open::{Db, OpenResult, open};
use crate::spool::DiskFullLosses;
use crate::spool_tail::LineCounts;

/// What a process does with the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessMode {
    /// Import, retention and reading. Creates the database if there is none.
    Write,
    /// Only reading. Creates nothing.
    Read,
}

/// Whether the database can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// The database is being opened or migrated. Reads come from the newest part of the spool.
    Opening,
    /// The database can be used.
    Ready,
    /// There is no database yet. Reads come from the newest part of the spool.
    Absent,
    /// The database cannot be used now. Traces are spooled, reads come from the newest part of the spool, and the next
    /// process that can imports.
    SpoolOnly {
        /// Why the database cannot be used.
        why: String,
    },
}

/// The state of the history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreState {
    /// Traces are recorded with their bodies.
    pub ok: bool,
    /// Why not; `None` if `ok`.
    pub why: Option<String>,
    /// Bytes on disk: database, log and spool.
    pub bytes: u64,
    /// Traces in the database.
    pub traces: u64,
    /// Traces that were recorded without payloads and streams because the disk or the spool was full.
    pub dropped_bodies: u64,
    /// Traces that this process could not record at all.
    pub dropped_traces: u64,
}

/// The history of one data folder.
pub struct Store {
    pub(crate) folder: DataFolder,
    pub(crate) clock: Clock,
    pub(crate) catalog: Catalog,
    mode: AccessMode,
    db_state: RwLock<DbState>,
    /// The same for who waits for it to change.
    availability: watch::Sender<Availability>,
    /// Only one task opens or quarantines the database at a time. Readers do not wait for it.
    open_lock: Mutex<()>,
    /// Only one import runs at a time.
    pub(crate) import_lock: Mutex<()>,
    import_status: StdMutex<ImportStatus>,
    /// The newest part of the spool in memory, while there is no database, or none that can grow.
    pub(crate) memory: Mutex<Option<MemoryDb>>,
    pub(crate) line_counts: LineCounts,
}

/// The result of the last import.
#[derive(Debug, Default)]
pub(crate) enum ImportStatus {
    /// There was nothing to import, and the database can be used.
    #[default]
    Usable,
    /// Everything was imported.
    Complete,
    /// The import failed for this reason.
    Failed(String),
}

impl ImportStatus {
    fn why(&self) -> Option<String> {
        match self {
            Self::Usable | Self::Complete => None,
            Self::Failed(why) => Some(why.clone()),
        }
    }
}

#[derive(Debug)]
enum DbState {
    Unopened,
    Open { db: Arc<Db>, identity: Option<(u64, u64)> },
    Absent,
    Busy(String),
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Store")
            .field("folder", &self.folder)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the history of a data folder. It is not an error if another process keeps the database locked for more
    /// than 2 s. Then [`Self::availability`] reports it, and the spool still works.
    ///
    /// # Errors
    /// The folder cannot be written, the database is newer than this program (it is not changed), or it was damaged (it
    /// is quarantined).
    pub async fn open(data_dir: &Path, mode: AccessMode, clock: Clock, catalog: Catalog) -> Result<Self, StoreError> {
        let store = Self::unopened(data_dir, mode, clock, catalog);
        let opened = open(&store.folder, mode, store.clock.now()).await?;
        store
            .set_db_state(DbState::from_open_result(&store.folder, opened))
            .await;
        Ok(store)
    }

    /// The history of a data folder, which the first import opens. Until then the newest part of the spool is read.
    #[must_use]
    pub fn unopened(data_dir: &Path, mode: AccessMode, clock: Clock, catalog: Catalog) -> Self {
        Self {
            folder: DataFolder::new(data_dir),
            clock,
            catalog,
            mode,
            db_state: RwLock::new(DbState::Unopened),
            availability: watch::channel(Availability::Opening).0,
            open_lock: Mutex::new(()),
            import_lock: Mutex::new(()),
            import_status: StdMutex::default(),
            memory: Mutex::new(None),
            line_counts: LineCounts::default(),
        }
    }

    /// Whether the database can be used now.
    pub async fn availability(&self) -> Availability {
        self.db_state.read().await.availability()
    }

    /// Receives whether the database can be used, each time that changes.
    #[must_use]
    pub fn availability_changes(&self) -> watch::Receiver<Availability> {
        self.availability.subscribe()
    }

    /// Returns the state before.
    async fn set_db_state(&self, next: DbState) -> DbState {
        let mut state = self.db_state.write().await;
        self.publish(&next);
        std::mem::replace(&mut *state, next)
    }

    fn publish(&self, next: &DbState) {
        let next = next.availability();
        self.availability.send_if_modified(|now| {
            let is_new = *now != next;
            *now = next;
            is_new
        });
    }

    /// The state of the history. `losses` are those of this process's spool.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn state(&self, losses: DiskFullLosses) -> Result<StoreState, StoreError> {
        let (traces, dropped_bodies) = match self.db().await {
            Some(db) => {
                let numbers = read_counters(&db).await;
                self.check_result(&db, numbers).await?
            }
            None => (0, 0),
        };
        let why = match self.availability().await {
            Availability::SpoolOnly { why } => Some(why),
            Availability::Opening | Availability::Ready | Availability::Absent => self.lock_import_status().why(),
        };
        let ok = why.is_none();
        Ok(StoreState {
            ok,
            why,
            bytes: self.folder.size_bytes(),
            traces,
            dropped_bodies: dropped_bodies + losses.bodies,
            dropped_traces: losses.traces,
        })
    }

    /// Closes the database and releases the lock. Later reads see only the newest part of the spool.
    pub async fn close(&self) {
        self.forget_uncommitted().await;
        let state = self.set_db_state(DbState::Busy("it was closed".to_owned())).await;
        if let DbState::Open { db, .. } = state {
            db.close().await;
        }
    }

    /// The database, if it is open.
    pub(crate) async fn db(&self) -> Option<Arc<Db>> {
        match &*self.db_state.read().await {
            DbState::Open { db, .. } => Some(Arc::clone(db)),
            DbState::Unopened | DbState::Absent | DbState::Busy(_) => None,
        }
    }

    /// The database for writing. It is opened again if it could not be opened before, or if its path now leads to
    /// another file.
    pub(crate) async fn open_for_writing(&self) -> Result<Arc<Db>, StoreError> {
        let _guard = self.open_lock.lock().await;
        if let Some(db) = self.current_db().await {
            return Ok(db);
        }
        // Readers do not wait for this. They read the spool in memory in the meantime.
        let state = match open(&self.folder, self.mode, self.clock.now()).await {
            Ok(opened) => DbState::from_open_result(&self.folder, opened),
            Err(error) => {
                self.set_db_state(DbState::Busy(error.to_string())).await;
                return Err(error);
            }
        };
        let result = match &state {
            DbState::Open { db, .. } => {
                *self.memory.lock().await = None;
                Ok(Arc::clone(db))
            }
            DbState::Unopened | DbState::Absent => Err(self.spool_only("it does not exist")),
            DbState::Busy(why) => Err(self.spool_only(why)),
        };
        self.set_db_state(state).await;
        result
    }

    /// The open database, if its path still leads to its file. Otherwise it is closed.
    async fn current_db(&self) -> Option<Arc<Db>> {
        let mut state = self.db_state.write().await;
        let DbState::Open { db, identity } = &*state else {
            return None;
        };
        let db = Arc::clone(db);
        if *identity == Db::file_identity(&self.folder) {
            return Some(db);
        }
        *state = DbState::Unopened;
        self.publish(&state);
        drop(state);
        db.close().await;
        None
    }

    fn spool_only(&self, why: &str) -> StoreError {
        StoreError::SpoolOnly {
            path: self.folder.database(),
            why: why.to_owned(),
        }
    }

    /// Converts the driver's error. Damage that is found in use is handled like damage that is found at opening.
    pub(crate) async fn check_result<T>(&self, db: &Arc<Db>, result: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        match result {
            Ok(value) => Ok(value),
            Err(error) if ErrorClass::from_sqlx(&error) == ErrorClass::Damage => {
                Err(self.handle_damage(db, error.to_string()).await)
            }
            Err(error) => Err(StoreError::from_sqlx(self.folder.database(), &error)),
        }
    }

    async fn handle_damage(&self, db: &Arc<Db>, what: String) -> StoreError {
        let _guard = self.open_lock.lock().await;
        let mut state = self.db_state.write().await;
        let is_current = matches!(&*state, DbState::Open { db: open, .. } if Arc::ptr_eq(open, db));
        if !is_current {
            // Another task found the damage first.
            return StoreError::DamagedInUse {
                path: self.folder.database(),
                what,
            };
        }
        *state = DbState::Busy(what.clone());
        self.publish(&state);
        drop(state);
        let error = db.quarantine(&self.folder, self.clock.now(), what).await;
        self.set_db_state(DbState::Busy(error.to_string())).await;
        error
    }

    /// Stores the result of an import.
    pub(crate) fn set_import_status(&self, status: ImportStatus) {
        *self.lock_import_status() = status;
    }

    fn lock_import_status(&self) -> std::sync::MutexGuard<'_, ImportStatus> {
        self.import_status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DbState {
    fn availability(&self) -> Availability {
        match self {
            Self::Unopened => Availability::Opening,
            Self::Open { .. } => Availability::Ready,
            Self::Absent => Availability::Absent,
            Self::Busy(why) => Availability::SpoolOnly { why: why.clone() },
        }
    }

    fn from_open_result(folder: &DataFolder, opened: OpenResult) -> Self {
        match opened {
            OpenResult::Ready(db) => Self::Open {
                db: Arc::new(db),
                identity: Db::file_identity(folder),
            },
            OpenResult::Absent => Self::Absent,
            OpenResult::Busy(why) => Self::Busy(why),
        }
    }
}

/// The number of traces, and of traces without a body because there was no space.
async fn read_counters(db: &Db) -> Result<(u64, u64), sqlx::Error> {
    let row: (i64, i64) = sqlx::query_as(
        "SELECT (SELECT coalesce(sum(traces), 0) FROM tag_values WHERE kind = 'dialect'), \
                (SELECT coalesce(sum(value), 0) FROM counters WHERE name = 'dropped_bodies')",
    )
    .fetch_one(&db.readers)
    .await?;
    Ok((row.0.unsigned_abs(), row.1.unsigned_abs()))
}
