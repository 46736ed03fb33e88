//! The history for the use cases. An event waits only for one write to the spool; all other work is done outside of it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex as StdMutex, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use hookwright_model::trace::TraceRow;
use hookwright_model::{
    Args, Catalog, Clock, CompactTrace, Journal, JournalEntry, JournalHub, Message, MessageTemplate, Trace, render,
};
use hookwright_store::{
    AccessMode, Availability, DiskFullLosses, ImportResult, RetentionPolicy, Spool, Store, StoreError, StoreState,
    Writer,
};
use hookwright_workspace::ProcessRole;
use hookwright_workspace::lock::lock;
use hookwright_workspace::settings::Settings;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout, timeout_at};

use crate::dto::StoreInfo;
use crate::fault::{HISTORY_OPENING, HISTORY_QUARANTINED, NO_HISTORY, NOT_RECORDED};
use crate::recording::{SPOOL_ASIDE, SPOOL_RESTORED, SPOOL_UNREAD, Shortfall};

/// How long a problem with the history's files is reported.
const NOTICE_PERIOD: SignedDuration = SignedDuration::from_hours(24);
/// How long a reader in an engine waits for traces that are not in the database yet (`CONTRACTS.md` §2.6).
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a reader waits for the database after an engine has started. Usually it is open within this time.
const OPENING_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a command may remove old traces. The next command continues.
const RETENTION_TIME: Duration = Duration::from_secs(1);
/// How long an announced trace may take to be imported. The process that announces it waits for 5 s.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(4);

/// The spool, the database once it is open, and in an engine the writer that imports the spool into the database.
#[derive(Debug)]
pub struct History {
    data_dir: PathBuf,
    role: ProcessRole,
    clock: Clock,
    catalog: Catalog,
    spool: Arc<Spool>,
    journal: JournalHub,
    store: Mutex<Option<(AccessMode, Arc<Store>)>>,
    writer: ArcSwapOption<Writer>,
    /// When an engine began to open its history.
    began: OnceLock<Instant>,
    policy: watch::Sender<RetentionPolicy>,
    /// Why the last event was not recorded, or not completely; `None` if it was.
    shortfall: StdMutex<Option<Message>>,
}

/// The row that `history` lists for this trace.
#[must_use]
pub fn row(trace: &Trace) -> TraceRow {
    hookwright_store::trace_row(trace)
}

impl History {
    /// Opens nothing yet. The first trace creates the spool, the first request opens the database.
    #[must_use]
    pub fn new(data_dir: &Path, role: ProcessRole, settings: &Settings, clock: Clock) -> Self {
        let catalog = recorded_messages();
        Self {
            data_dir: data_dir.to_owned(),
            role,
            clock,
            spool: Arc::new(Spool::new(data_dir, catalog.clone())),
            catalog,
            journal: JournalHub::default(),
            store: Mutex::new(None),
            writer: ArcSwapOption::empty(),
            began: OnceLock::new(),
            policy: watch::channel(policy(settings)).0,
            shortfall: StdMutex::new(None),
        }
    }

    /// Applies changed retention limits.
    pub fn apply_settings(&self, settings: &Settings) {
        self.policy.send_if_modified(|now| {
            let next = policy(settings);
            std::mem::replace(now, next) != next
        });
    }

    /// Every trace from now on, for whoever follows it.
    #[must_use]
    pub fn journal(&self) -> &dyn Journal {
        &self.journal
    }

    /// The row that `history` lists for a recorded trace.
    #[must_use]
    pub fn row(&self, trace: &CompactTrace) -> TraceRow {
        row(&trace.render_without_streams(&self.catalog))
    }

    /// Writes a trace to the spool with one write, before its reply leaves. It never waits for the database. Returns
    /// what could not be recorded; the trace then has a notice about it.
    pub fn append(&self, trace: &mut Trace) -> Option<Shortfall> {
        let compact = CompactTrace::new(trace);
        let result = self.spool.append(&compact);
        let line = result.as_ref().ok().map(|appended| appended.line.clone());
        let shortfall = Shortfall::from_result(result.map(|appended| appended.result));
        let entry = match &shortfall {
            None => JournalEntry {
                trace: Arc::new(compact),
                line,
            },
            Some(shortfall) => {
                shortfall.tell(trace);
                // Who follows sees the notice too. The writer reads from the spool what was written instead.
                let trace = Arc::new(CompactTrace::new(trace));
                JournalEntry { trace, line: None }
            }
        };
        self.journal.publish(&entry);
        *lock(&self.shortfall) = shortfall.as_ref().map(|it| it.message.clone());
        shortfall
    }

    /// Imports the spool of this process and of others. Returns messages for the user about the import.
    ///
    /// # Errors
    /// The database cannot be used. All traces stay in the spool.
    pub async fn import(&self) -> Result<Vec<Message>, StoreError> {
        if let Some(writer) = &*self.writer.load() {
            return writer.flush().await.map(|imported| unread_file_messages(&imported));
        }
        let (store, imported) = self.import_here().await?;
        // Without an engine, no other process removes old traces. A failure loses nothing, and the next command tries
        // again.
        let policy = *self.policy.borrow();
        if let Err(error) = store.retain_daily(policy, RETENTION_TIME).await {
            tracing::warn!(%error, "old traces could not be removed");
        }
        let replaced_spool = self
            .spool
            .has_cleared_path()
            .then(|| self.replaced_spool_notice())
            .flatten();
        Ok(unread_file_messages(&imported)
            .into_iter()
            .chain(replaced_spool)
            .collect())
    }

    /// Waits until the writer of an engine has imported what is in the spool now, but at most 4 s.
    pub async fn wait_for_import(&self) {
        if let Some(writer) = self.writer.load_full() {
            // The writer continues after the timeout. If it fails, reading the history reports why.
            drop(timeout(IMPORT_TIMEOUT, writer.flush()).await);
        }
    }

    async fn import_here(&self) -> Result<(Arc<Store>, ImportResult), StoreError> {
        // After the release, nothing is written to this process's file. So it can be removed once it is imported.
        self.spool.release().map_err(|source| StoreError::Io {
            path: self.data_dir.join("spool"),
            source,
        })?;
        let store = self.open(AccessMode::Write).await?;
        if let Availability::SpoolOnly { why } = store.availability().await {
            // Opening has already waited for the database. It does not wait a second time.
            return Err(StoreError::SpoolOnly {
                path: self.data_dir.join("history.db"),
                why,
            });
        }
        let imported = store.import_in_task().await?;
        Ok((store, imported))
    }

    /// The messages about the history's files, each for one day. They report a damaged database that was quarantined, a
    /// spool folder that was removed or replaced, and spool lines that could not be imported.
    #[must_use]
    pub fn recent_notices(&self) -> Vec<Message> {
        let now = self.clock.now();
        let is_recent = |at: Timestamp| now.duration_since(at) < NOTICE_PERIOD;
        let quarantined = hookwright_store::quarantined_databases(&self.data_dir).pop();
        let quarantined = quarantined.filter(|(at, _)| is_recent(*at)).map(
            |(at, path)| render!(HISTORY_QUARANTINED, "path" => path.display().to_string(), "at" => at.to_string()),
        );
        let restored = self.spool.last_restore().filter(|it| is_recent(it.at));
        let restored = restored.map(|it| render!(SPOOL_RESTORED, "at" => it.at.to_string(), "traces" => it.traces));
        let unread = hookwright_store::unread_files(&self.data_dir);
        let unread = unread
            .into_iter()
            .filter(|(at, _)| is_recent(*at))
            .map(|(_, path)| unread_file_message(&path));
        quarantined
            .into_iter()
            .chain(self.replaced_spool_notice())
            .chain(restored)
            .chain(unread)
            .collect()
    }

    /// The message about what had replaced the spool folder, for one day.
    fn replaced_spool_notice(&self) -> Option<Message> {
        let (at, path) = hookwright_store::quarantined_spools(&self.data_dir).pop()?;
        let is_recent = self.clock.now().duration_since(at) < NOTICE_PERIOD;
        is_recent.then(|| render!(SPOOL_ASIDE, "path" => path.display().to_string()))
    }

    /// Why the last read used only the spool, although there is a database; `None` if it used both.
    pub async fn spool_only(&self) -> Option<String> {
        let open = self.store.lock().await;
        let (_, store) = open.as_ref()?;
        match store.availability().await {
            Availability::SpoolOnly { why } => Some(why),
            Availability::Opening | Availability::Ready | Availability::Absent => None,
        }
    }

    /// Whether there is a database that contains something. One whose creation a full disk ended has at most the first
    /// page, and a table needs a page of its own.
    #[must_use]
    pub fn has_database(&self) -> bool {
        const PAGE_BYTES: u64 = 4096;
        std::fs::metadata(self.data_dir.join("history.db")).is_ok_and(|database| database.len() > PAGE_BYTES)
    }

    /// Why not everything could be imported; `None` if there is no such reason.
    pub async fn import_failure(&self) -> Option<String> {
        let open = self.store.lock().await;
        let (_, store) = open.as_ref()?;
        store.state(DiskFullLosses::default()).await.ok()?.why
    }

    /// Imports the spool into the database from now on. If the database cannot be opened, the writer tries again.
    pub async fn start_writing(&self) {
        self.began.get_or_init(Instant::now);
        let store = self.engine_store().await;
        let writer = Writer::start(store, self.spool.clone(), &self.journal, self.policy.subscribe());
        self.writer.store(Some(Arc::new(writer)));
    }

    /// Receives whether the database of an engine can be used, each time that changes.
    pub async fn availability_changes(&self) -> watch::Receiver<Availability> {
        self.engine_store().await.availability_changes()
    }

    /// Imports what is left and closes the database.
    pub async fn close(&self) {
        if let Some(writer) = self.writer.swap(None) {
            let closed = match Arc::try_unwrap(writer) {
                Ok(writer) => writer.close().await,
                // Another task is importing right now. What is in the spool is not lost.
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

    /// The state of the history: counts, size, losses and the current problem.
    pub async fn info(&self) -> StoreInfo {
        let losses = self.spool.losses();
        let store = match self.role {
            ProcessRole::Engine => {
                let store = self.engine_store().await;
                self.wait_until_opened(&store).await;
                Ok(store)
            }
            ProcessRole::OneShot => self.open(AccessMode::Read).await,
        };
        let (state, is_opening) = match store {
            Ok(store) => (
                store.state(losses).await,
                store.availability().await == Availability::Opening,
            ),
            Err(error) => (Err(error), false),
        };
        let problem = match &state {
            Ok(_) if is_opening => Some(HISTORY_OPENING.render_plain()),
            Ok(state) => state.why.as_ref().map(|why| render!(NOT_RECORDED, "why" => why)),
            Err(error) => Some(render!(NO_HISTORY, "why" => error.to_string())),
        };
        let problem = lock(&self.shortfall).clone().or(problem);
        let ok = problem.is_none();
        let message = problem.or_else(|| self.recent_notices().into_iter().next());
        let (code, args) = message
            .as_ref()
            .map(|message| (message.code.to_owned(), message.args.clone()))
            .unzip();
        let state = state.unwrap_or_else(|_| StoreState {
            dropped_bodies: losses.bodies,
            dropped_traces: losses.traces,
            ..StoreState::default()
        });
        StoreInfo {
            traces: to_u32(state.traces),
            bytes: state.bytes,
            ok,
            why: message.map(|message| message.text),
            code,
            args: args.unwrap_or_default(),
            dropped_bodies: to_u32(state.dropped_bodies),
            dropped_traces: to_u32(state.dropped_traces),
        }
    }

    /// Returns the store for reading without an import: what was recorded lately may be missing.
    ///
    /// # Errors
    /// The history cannot be read.
    pub async fn open_as_it_is(&self) -> Result<Arc<Store>, StoreError> {
        match self.role {
            ProcessRole::Engine => Ok(self.engine_store().await),
            ProcessRole::OneShot => self.open(AccessMode::Read).await,
        }
    }

    /// The English text of a message with this code.
    #[must_use]
    pub fn sentence(&self, code: &str, args: &Args) -> String {
        self.catalog.text_or_code(code, args)
    }

    /// Returns the store for reading, after an import. A command imports the whole spool. An engine waits at most
    /// 300 ms, the lock included; [`Store::waiting`] counts what is not in the database then.
    ///
    /// # Errors
    /// The history cannot be read.
    pub async fn open_for_reading(&self) -> Result<Arc<Store>, StoreError> {
        match self.role {
            ProcessRole::Engine => {
                let until = Instant::now() + CATCH_UP_TIMEOUT;
                let store = self.engine_store().await;
                self.wait_until_opened(&store).await;
                let is_usable = match store.availability().await {
                    Availability::Ready | Availability::Absent => true,
                    // The writer tries again by itself.
                    Availability::Opening | Availability::SpoolOnly { .. } => false,
                };
                if let (Some(writer), true) = (self.writer.load_full(), is_usable) {
                    // The writer continues after the timeout.
                    drop(timeout_at(until, writer.flush()).await);
                }
                Ok(store)
            }
            ProcessRole::OneShot => {
                // If this fails, reading the spool reports why.
                let _ = self.spool.restore();
                let store = self.open(AccessMode::Read).await?;
                // Opening has already waited for the lock. It does not wait a second time.
                let locked = matches!(store.availability().await, Availability::SpoolOnly { .. });
                if locked || !store.has_unread().await? {
                    return Ok(store);
                }
                match self.import_here().await {
                    Ok((store, _)) => Ok(store),
                    Err(error @ (StoreError::Damaged { .. } | StoreError::Newer { .. })) => Err(error),
                    // The store remembers the reason, and reads what it can.
                    Err(error) => {
                        let store = self.open(AccessMode::Read).await?;
                        if matches!(error, StoreError::Full { .. })
                            && let Err(error) = store.read_spool_over_full_disk().await
                        {
                            tracing::warn!(%error, "recorded events in the spool are not shown, because the disk is full");
                        }
                        Ok(store)
                    }
                }
            }
        }
    }

    /// Waits until the database is opened, or another process keeps its lock. The time counts from the start of the
    /// engine, so that a screen with several calls waits only once.
    async fn wait_until_opened(&self, store: &Store) {
        let until = *self.began.get_or_init(Instant::now) + OPENING_TIMEOUT;
        let mut changes = store.availability_changes();
        let opened = changes.wait_for(|now| *now != Availability::Opening);
        drop(timeout_at(until, opened).await);
    }

    /// The store of an engine. Its writer opens the database.
    async fn engine_store(&self) -> Arc<Store> {
        let mut open = self.store.lock().await;
        let new_store = || {
            let store = Store::unopened(
                &self.data_dir,
                AccessMode::Write,
                self.clock.clone(),
                self.catalog.clone(),
            );
            (AccessMode::Write, Arc::new(store))
        };
        open.get_or_insert_with(new_store).1.clone()
    }

    async fn open(&self, mode: AccessMode) -> Result<Arc<Store>, StoreError> {
        let mut open = self.store.lock().await;
        if let Some((open_mode, store)) = &*open
            && (*open_mode == mode || *open_mode == AccessMode::Write)
        {
            return Ok(store.clone());
        }
        if let Some((_, store)) = open.take() {
            store.close().await;
        }
        let store = Arc::new(Store::open(&self.data_dir, mode, self.clock.clone(), self.catalog.clone()).await?);
        *open = Some((mode, store.clone()));
        Ok(store)
    }
}

/// The templates of the messages that traces contain. A message of another template is recorded with its text.
pub(crate) fn recorded_templates() -> Vec<&'static MessageTemplate> {
    let mut all: Vec<&'static MessageTemplate> = Vec::new();
    all.extend(hookwright_model::matcher::ALL);
    all.extend(hookwright_model::matcher::PATTERN_MESSAGES);
    all.extend(hookwright_model::simulate::ALL);
    all.extend(hookwright_engine::messages::ALL);
    all.extend(hookwright_exec::messages());
    all.extend(hookwright_dialects::messages());
    all.extend(hookwright_redact::ALL);
    all.extend(hookwright_workspace::messages());
    all
}

fn recorded_messages() -> Catalog {
    Catalog::new(
        recorded_templates()
            .into_iter()
            .chain(crate::recording::ALL.iter().copied()),
    )
}

fn unread_file_messages(imported: &ImportResult) -> Vec<Message> {
    imported
        .quarantined_files
        .iter()
        .map(|path| unread_file_message(path))
        .collect()
}

fn unread_file_message(path: &Path) -> Message {
    render!(SPOOL_UNREAD, "path" => path.display().to_string())
}

fn policy(settings: &Settings) -> RetentionPolicy {
    let history = &settings.history;
    RetentionPolicy {
        max_days: history.max_days,
        bodies_days: history.bodies_days,
        max_mb: u64::from(history.max_mb),
    }
}

/// Limits a count that leaves the program to 32 bits, because JavaScript does not handle larger whole numbers safely
/// everywhere. A larger count becomes [`u32::MAX`].
pub(crate) fn to_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn while_the_database_is_opened_a_screen_waits_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::new(|| Timestamp::UNIX_EPOCH);
        // No writer opens the database here, as if another process kept its lock.
        let history = History::new(folder.path(), ProcessRole::Engine, &Settings::default(), clock);
        let begin = Instant::now();
        history.open_for_reading().await.unwrap();
        assert!(!history.info().await.ok);
        history.open_for_reading().await.unwrap();
        assert_eq!(begin.elapsed(), OPENING_TIMEOUT);
    }
}
