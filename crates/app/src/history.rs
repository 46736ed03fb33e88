//! The history as the use cases see it: one write on the event path, everything else off it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex as StdMutex};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use hookwright_model::trace::TraceRow;
use hookwright_model::{Message, Trace, args};
use hookwright_store::{
    AccessMode, Availability, DiskFullLosses, ImportResult, RetentionPolicy, Spool, Store, StoreError, StoreState,
    Writer,
};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use crate::dto::StoreInfo;
use crate::fault::{HISTORY_SET_ASIDE, NO_HISTORY, NOT_RECORDED};
use crate::fire::lock;
use crate::recording::{SPOOL_ASIDE, SPOOL_RESTORED, SPOOL_UNREAD, Shortfall};
use crate::settings::Settings;
use crate::{Clock, Hosting};

/// What is wrong with the history's files is told for so long.
const NEW: SignedDuration = SignedDuration::from_hours(24);
/// A reader of an engine waits so long for what is not in the database yet (`CONTRACTS.md` §2.6).
const CATCH_UP: Duration = Duration::from_millis(300);

/// The spool, the database when it is open, and in an engine the writer between them.
#[derive(Debug)]
pub struct History {
    data_dir: PathBuf,
    hosting: Hosting,
    clock: Now,
    spool: Arc<Spool>,
    store: Mutex<Option<(AccessMode, Arc<Store>)>>,
    writer: ArcSwapOption<Writer>,
    policy: watch::Sender<RetentionPolicy>,
    /// Why the last event was not recorded, or not whole.
    shortfall: StdMutex<Option<Message>>,
}

/// The clock, opaque to people.
#[derive(Clone)]
struct Now(Clock);

impl std::fmt::Debug for Now {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Now")
    }
}

/// A row of the history for this trace.
#[must_use]
pub fn row(trace: &Trace) -> TraceRow {
    hookwright_store::trace_row(trace)
}

impl History {
    /// Opens nothing yet: the spool is made with the first trace, the database with the first question.
    #[must_use]
    pub fn new(data_dir: &Path, hosting: Hosting, settings: &Settings, clock: Clock) -> Self {
        Self {
            data_dir: data_dir.to_owned(),
            hosting,
            clock: Now(clock),
            spool: Arc::new(Spool::new(data_dir)),
            store: Mutex::new(None),
            writer: ArcSwapOption::empty(),
            policy: watch::channel(policy(settings)).0,
            shortfall: StdMutex::new(None),
        }
    }

    /// Takes changed limits into force.
    pub fn use_settings(&self, settings: &Settings) {
        self.policy.send_if_modified(|now| {
            let next = policy(settings);
            std::mem::replace(now, next) != next
        });
    }

    /// Writes a trace to the spool by one write, before its reply leaves. Never waits for the database. Gives what could
    /// not be kept.
    pub fn append(&self, trace: &Trace) -> Option<Shortfall> {
        let kept = self.spool.append(trace);
        if kept.is_ok()
            && let Some(writer) = &*self.writer.load()
        {
            writer.notify();
        }
        let shortfall = Shortfall::of(kept);
        *lock(&self.shortfall) = shortfall.as_ref().map(|it| it.words.clone());
        shortfall
    }

    /// Imports what was spooled, this process's and others', and gives what is to be told about it.
    ///
    /// # Errors
    /// Why the database cannot be used; the spool keeps everything.
    pub async fn import(&self) -> Result<Vec<Message>, StoreError> {
        if let Some(writer) = &*self.writer.load() {
            return writer.flush().await.map(|imported| unread(&imported));
        }
        let (store, imported) = self.import_here().await?;
        // Without an engine nobody else ever would. A failure of that loses nothing, and the next command tries again.
        let policy = *self.policy.borrow();
        if let Err(error) = store.retain_daily(policy).await {
            tracing::warn!(%error, "old traces could not be removed");
        }
        let aside = self.spool.has_cleared_path().then(|| self.spool_aside()).flatten();
        Ok(unread(&imported).into_iter().chain(aside).collect())
    }

    /// The same, waited for no longer than by a reader: the writer goes on.
    ///
    /// # Errors
    /// Why the database cannot be used; the spool keeps everything.
    pub async fn import_soon(&self) -> Result<(), StoreError> {
        timeout(CATCH_UP, self.import())
            .await
            .map_or(Ok(()), |told| told.map(drop))
    }

    async fn import_here(&self) -> Result<(Arc<Store>, ImportResult), StoreError> {
        // Nobody writes to this process's file any more, so it can go once it is imported.
        self.spool.release().map_err(|source| StoreError::Io {
            path: self.data_dir.join("spool"),
            source,
        })?;
        let store = self.open(AccessMode::Write).await?;
        if let Availability::SpoolOnly { why } = store.availability().await {
            // It was waited for while opening; once is enough.
            return Err(StoreError::SpoolOnly {
                path: self.data_dir.join("history.db"),
                why,
            });
        }
        let imported = store.import().await?;
        Ok((store, imported))
    }

    /// What a person should know about the history's files, for a day: an earlier one that was found damaged and set
    /// aside, a spool folder that was removed, lines of the spool that could not be imported.
    #[must_use]
    pub fn told(&self) -> Vec<Message> {
        let now = (self.clock.0)();
        let new = |at: Timestamp| now.duration_since(at) < NEW;
        let aside = hookwright_store::quarantined_databases(&self.data_dir).pop();
        let aside = aside.filter(|(at, _)| new(*at)).map(|(at, path)| {
            HISTORY_SET_ASIDE.render(args! { "path" => path.display().to_string(), "at" => at.to_string() })
        });
        let restored = self.spool.last_restore().filter(|it| new(it.at));
        let restored =
            restored.map(|it| SPOOL_RESTORED.render(args! { "at" => it.at.to_string(), "traces" => it.traces }));
        let unread = hookwright_store::unread_files(&self.data_dir);
        let unread = unread
            .into_iter()
            .filter(|(at, _)| new(*at))
            .map(|(_, path)| unread_in(&path));
        aside
            .into_iter()
            .chain(self.spool_aside())
            .chain(restored)
            .chain(unread)
            .collect()
    }

    /// What was in the place of the spool's folder, for a day.
    fn spool_aside(&self) -> Option<Message> {
        let (at, path) = hookwright_store::quarantined_spools(&self.data_dir).pop()?;
        let new = (self.clock.0)().duration_since(at) < NEW;
        new.then(|| SPOOL_ASIDE.render(args! { "path" => path.display().to_string() }))
    }

    /// Why what was read came from the spool alone, although there is more.
    pub async fn spool_only(&self) -> Option<String> {
        let open = self.store.lock().await;
        let (_, store) = open.as_ref()?;
        match store.availability().await {
            Availability::SpoolOnly { why } => Some(why),
            Availability::Ready | Availability::Absent => None,
        }
    }

    /// Why not everything could be imported.
    pub async fn incomplete(&self) -> Option<String> {
        let open = self.store.lock().await;
        let (_, store) = open.as_ref()?;
        store.state(DiskFullLosses::default()).await.ok()?.why
    }

    /// Brings the spool into the database from now on. A database that cannot be opened is tried again.
    pub async fn start_writing(&self) {
        let store = self.engine_store().await;
        let writer = Writer::start(store, self.spool.clone(), self.policy.subscribe());
        self.writer.store(Some(Arc::new(writer)));
    }

    /// Imports what is left and closes the database.
    pub async fn close(&self) {
        if let Some(writer) = self.writer.swap(None) {
            let closed = match Arc::try_unwrap(writer) {
                Ok(writer) => writer.close().await,
                // Somebody is importing right now: what stands in the spool is not lost.
                Err(writer) => writer.flush().await,
            };
            if let Err(error) = closed {
                tracing::warn!(%error, "the spool keeps what could not be imported");
            }
        }
        if let Some((_, store)) = self.store.lock().await.take() {
            store.close().await;
        }
    }

    /// How the history is doing.
    pub async fn info(&self) -> StoreInfo {
        let losses = self.spool.losses();
        let store = match self.hosting {
            Hosting::Engine => Ok(self.engine_store().await),
            Hosting::OneShot => self.open(AccessMode::Read).await,
        };
        let state = match store {
            Ok(store) => store.state(losses).await,
            Err(error) => Err(error),
        };
        let trouble = match &state {
            Ok(state) => state
                .why
                .as_ref()
                .map(|why| NOT_RECORDED.render(args! { "why" => why })),
            Err(error) => Some(NO_HISTORY.render(args! { "why" => error.to_string() })),
        };
        let trouble = lock(&self.shortfall).clone().or(trouble);
        let ok = trouble.is_none();
        let words = trouble.or_else(|| self.told().into_iter().next());
        let (code, args) = words
            .as_ref()
            .map(|words| (words.code.to_owned(), words.args.clone()))
            .unzip();
        let state = state.unwrap_or_else(|_| StoreState {
            dropped_bodies: losses.bodies,
            dropped_traces: losses.traces,
            ..StoreState::default()
        });
        StoreInfo {
            traces: small(state.traces),
            bytes: state.bytes,
            ok,
            why: words.map(|words| words.text),
            code,
            args: args.unwrap_or_default(),
            dropped_bodies: small(state.dropped_bodies),
            dropped_traces: small(state.dropped_traces),
        }
    }

    /// The database for reading, together with the spool. A command imports to the end first; an engine for at most 300 ms,
    /// when more waits than is read beside the database.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub async fn reading(&self) -> Result<Arc<Store>, StoreError> {
        match self.hosting {
            Hosting::Engine => {
                let store = self.engine_store().await;
                if let (Some(writer), true) = (self.writer.load_full(), store.is_behind().await) {
                    // The writer goes on; what is not in yet is counted.
                    drop(timeout(CATCH_UP, writer.flush()).await);
                }
                Ok(store)
            }
            Hosting::OneShot => {
                // Where that is not possible, reading the spool says why.
                let _ = self.spool.restore();
                let store = self.open(AccessMode::Read).await?;
                // The lock was waited for while opening; once is enough.
                let locked = matches!(store.availability().await, Availability::SpoolOnly { .. });
                if locked || !store.has_unread().await? {
                    return Ok(store);
                }
                match self.import_here().await {
                    Ok((store, _)) => Ok(store),
                    Err(error @ (StoreError::Damaged { .. } | StoreError::Newer { .. })) => Err(error),
                    // The store remembers why, and reads the spool.
                    Err(_) => self.open(AccessMode::Read).await,
                }
            }
        }
    }

    /// The store of an engine, which its writer opens.
    async fn engine_store(&self) -> Arc<Store> {
        let mut open = self.store.lock().await;
        let unopened = || {
            let store = Store::unopened(&self.data_dir, AccessMode::Write, self.clock.0.clone());
            (AccessMode::Write, Arc::new(store))
        };
        open.get_or_insert_with(unopened).1.clone()
    }

    async fn open(&self, mode: AccessMode) -> Result<Arc<Store>, StoreError> {
        let mut open = self.store.lock().await;
        if let Some((had, store)) = &*open
            && (*had == mode || *had == AccessMode::Write)
        {
            return Ok(store.clone());
        }
        if let Some((_, store)) = open.take() {
            store.close().await;
        }
        let store = Arc::new(Store::open(&self.data_dir, mode, self.clock.0.clone()).await?);
        *open = Some((mode, store.clone()));
        Ok(store)
    }
}

fn unread(imported: &ImportResult) -> Vec<Message> {
    imported.quarantined_files.iter().map(|path| unread_in(path)).collect()
}

fn unread_in(path: &Path) -> Message {
    SPOOL_UNREAD.render(args! { "path" => path.display().to_string() })
}

fn policy(settings: &Settings) -> RetentionPolicy {
    let history = &settings.history;
    RetentionPolicy {
        max_days: history.max_days,
        bodies_days: history.bodies_days,
        max_mb: u64::from(history.max_mb),
    }
}

/// Counts that leave the program are 32-bit: JavaScript holds no larger whole numbers safely in every place.
pub(crate) fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
