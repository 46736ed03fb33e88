//! The history as its users hold it: open or not, and how it stands.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::{Mutex, RwLock};

use crate::error::{StoreError, Trouble};
use crate::folder::Folder;
use crate::newest::Counted;
use crate::open::{Db, Opened, open};
use crate::spool::Losses;

/// Tells the time. Handed in, so that a test can hold it still.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What a process wants of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Import, retention, reading. Makes the database when there is none.
    Write,
    /// Reading only; makes nothing.
    Read,
}

/// Whether the database can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It can.
    Ready,
    /// There is none yet; what is read comes from the spool.
    Absent,
    /// It cannot now: what is fired is spooled, what is read comes from the spool, and the next process that can imports.
    SpoolOnly {
        /// What is in the way.
        why: String,
    },
}

/// How the history is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreState {
    /// It records, with bodies.
    pub ok: bool,
    /// Why not.
    pub why: Option<String>,
    /// Bytes on disk: database, log and spool.
    pub bytes: u64,
    /// Traces in the database.
    pub traces: u64,
    /// Traces that were kept without payloads and streams because the disk or the spool was full.
    pub dropped_bodies: u64,
    /// Traces that this process could not keep at all.
    pub dropped_traces: u64,
}

/// The history of one data folder.
pub struct Store {
    pub(crate) folder: Folder,
    pub(crate) now: Now,
    mode: Mode,
    place: RwLock<Place>,
    /// One opening or setting aside at a time. Readers do not wait for it.
    opening: Mutex<()>,
    /// One import at a time.
    pub(crate) turn: Mutex<()>,
    note: StdMutex<Note>,
    /// Traces that the last reader left out, because more were spooled than are read at once.
    pub(crate) left_out: AtomicU64,
    pub(crate) counted: Counted,
}

/// How the last import went.
#[derive(Debug, Default)]
pub(crate) enum Note {
    /// There was nothing to import, and the database can be used.
    #[default]
    Usable,
    /// Everything is in.
    Well,
    /// Bodies did not fit on the disk.
    Bare,
    /// Why it failed.
    Failed(String),
}

impl Note {
    fn why(&self) -> Option<String> {
        match self {
            Self::Usable | Self::Well => None,
            Self::Bare => Some("the disk is full: payloads are dropped".to_owned()),
            Self::Failed(why) => Some(why.clone()),
        }
    }
}

#[derive(Debug)]
enum Place {
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
    /// Opens the history of a data folder. A database that another process keeps to itself for more than 2 s is no
    /// error: [`Self::standing`] says so, and the spool still works.
    ///
    /// # Errors
    /// The folder cannot be written; the database is newer than this program (left as it is) or was damaged (set aside).
    pub async fn open(data_dir: &Path, mode: Mode, now: Now) -> Result<Self, StoreError> {
        let store = Self::unopened(data_dir, mode, now);
        let opened = open(&store.folder, mode, (store.now)()).await?;
        *store.place.write().await = Place::of(&store.folder, opened);
        Ok(store)
    }

    /// The history of a data folder, to be opened by the first import. Until then the spool is read.
    #[must_use]
    pub fn unopened(data_dir: &Path, mode: Mode, now: Now) -> Self {
        Self {
            folder: Folder::new(data_dir),
            now,
            mode,
            place: RwLock::new(Place::Absent),
            opening: Mutex::new(()),
            turn: Mutex::new(()),
            note: StdMutex::default(),
            left_out: AtomicU64::new(0),
            counted: Counted::default(),
        }
    }

    /// How many traces the last reader left out: they are in the spool, behind the newest ones, and in no answer until they
    /// are imported.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Whether the database can be used now.
    pub async fn standing(&self) -> Standing {
        match &*self.place.read().await {
            Place::Open { .. } => Standing::Ready,
            Place::Absent => Standing::Absent,
            Place::Busy(why) => Standing::SpoolOnly { why: why.clone() },
        }
    }

    /// How the history is doing. `losses` are those of this process's spool.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn state(&self, losses: Losses) -> Result<StoreState, StoreError> {
        let (traces, dropped_bodies) = match self.db().await {
            Some(db) => {
                let numbers = numbers(&db).await;
                self.checked(&db, numbers).await?
            }
            None => (0, 0),
        };
        let why = match self.standing().await {
            Standing::SpoolOnly { why } => Some(why),
            Standing::Ready | Standing::Absent => self.noted().why(),
        };
        let ok = why.is_none();
        Ok(StoreState {
            ok,
            why,
            bytes: self.folder.bytes(),
            traces,
            dropped_bodies: dropped_bodies + losses.bodies,
            dropped_traces: losses.traces,
        })
    }

    /// Closes the database and lets go of the lock. What is used afterwards sees the spool only.
    pub async fn close(&self) {
        let place = std::mem::replace(&mut *self.place.write().await, Place::Busy("it was closed".to_owned()));
        if let Place::Open { db, .. } = place {
            db.close().await;
        }
    }

    /// The database, when it is open.
    pub(crate) async fn db(&self) -> Option<Arc<Db>> {
        match &*self.place.read().await {
            Place::Open { db, .. } => Some(Arc::clone(db)),
            Place::Absent | Place::Busy(_) => None,
        }
    }

    /// The database for writing: opened again when it was not to be had before, or when another file is at its place.
    pub(crate) async fn ready(&self) -> Result<Arc<Db>, StoreError> {
        let _one = self.opening.lock().await;
        if let Some(db) = self.sound().await {
            return Ok(db);
        }
        // Nobody who reads waits for this: meanwhile the spool is read.
        let place = match open(&self.folder, self.mode, (self.now)()).await {
            Ok(opened) => Place::of(&self.folder, opened),
            Err(error) => {
                *self.place.write().await = Place::Busy(error.to_string());
                return Err(error);
            }
        };
        let result = match &place {
            Place::Open { db, .. } => Ok(Arc::clone(db)),
            Place::Absent => Err(self.spool_only("there is none")),
            Place::Busy(why) => Err(self.spool_only(why)),
        };
        *self.place.write().await = place;
        result
    }

    /// The open database while its file is at its place; one whose file is gone is closed.
    async fn sound(&self) -> Option<Arc<Db>> {
        let mut place = self.place.write().await;
        let Place::Open { db, identity } = &*place else {
            return None;
        };
        let db = Arc::clone(db);
        if *identity == Db::identity(&self.folder) {
            return Some(db);
        }
        *place = Place::Absent;
        drop(place);
        db.close().await;
        None
    }

    fn spool_only(&self, why: &str) -> StoreError {
        StoreError::SpoolOnly {
            path: self.folder.database(),
            why: why.to_owned(),
        }
    }

    /// Turns the driver's error into ours. Damage that shows in use is dealt with like damage that shows at opening.
    pub(crate) async fn checked<T>(&self, db: &Arc<Db>, result: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        match result {
            Ok(value) => Ok(value),
            Err(error) if Trouble::of(&error) == Trouble::Damage => Err(self.damaged(db, error.to_string()).await),
            Err(error) => Err(StoreError::sql(self.folder.database(), &error)),
        }
    }

    async fn damaged(&self, db: &Arc<Db>, what: String) -> StoreError {
        let _one = self.opening.lock().await;
        let mut place = self.place.write().await;
        let still = matches!(&*place, Place::Open { db: open, .. } if Arc::ptr_eq(open, db));
        if !still {
            // Another task found it first.
            return StoreError::DamagedInUse {
                path: self.folder.database(),
                what,
            };
        }
        *place = Place::Busy(what.clone());
        drop(place);
        let error = db.set_aside(&self.folder, (self.now)(), what).await;
        *self.place.write().await = Place::Busy(error.to_string());
        error
    }

    /// Remembers how an import went.
    pub(crate) fn note(&self, note: Note) {
        let mut noted = self.noted();
        // Where nothing was imported nothing was tried on the disk.
        if !matches!((&*noted, &note), (Note::Bare, Note::Usable)) {
            *noted = note;
        }
    }

    fn noted(&self) -> std::sync::MutexGuard<'_, Note> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    fn of(folder: &Folder, opened: Opened) -> Self {
        match opened {
            Opened::Ready(db) => Self::Open {
                db: Arc::new(db),
                identity: Db::identity(folder),
            },
            Opened::Absent => Self::Absent,
            Opened::Busy(why) => Self::Busy(why),
        }
    }
}

/// Traces, and traces without body for want of room.
async fn numbers(db: &Db) -> Result<(u64, u64), sqlx::Error> {
    let row: (i64, i64) = sqlx::query_as(
        "SELECT (SELECT coalesce(sum(traces), 0) FROM names WHERE kind = 'dialect'), \
                (SELECT coalesce(sum(value), 0) FROM counters WHERE name = 'dropped_bodies')",
    )
    .fetch_one(&db.readers)
    .await?;
    Ok((row.0.unsigned_abs(), row.1.unsigned_abs()))
}
