//! The task that imports the spool into the database while events are fired. It never delays an event.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{Follower, Journal, QueueLimits};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use crate::error::StoreError;
use crate::handed_lines::HandedLines;
use crate::import::{ImportResult, run_blocking};
use crate::retention::{Retention, RetentionPolicy};
use crate::spool::Spool;
use crate::store::Store;

/// How long new traces are collected before they are imported together. A reader imports what waits.
const IMPORT_DELAY: Duration = Duration::from_secs(2);
/// After this many new traces an import begins at once.
const BATCH_TRACES: usize = 256;
/// What waits for the writer. If there is more, it reads the spool.
const QUEUE: QueueLimits = QueueLimits {
    entries: 4096,
    bytes: 32 << 20,
    wake_at: BATCH_TRACES,
};
/// How long after an import the words of its traces are written for the search.
const INDEX_DELAY: Duration = Duration::from_secs(2);
/// How many traces are indexed at once.
const INDEX_TRACES: u32 = 128;
/// The pause between two batches of that.
const INDEX_PAUSE: Duration = Duration::from_millis(50);
/// How long after a write the spool is synced to the disk.
const SYNC_INTERVAL: Duration = Duration::from_millis(800);
/// How long the next try waits after a failed import.
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// How long after the start retention runs first. Then it runs every [`RETENTION_INTERVAL`].
const FIRST_RETENTION_DELAY: Duration = Duration::from_secs(30);
const RETENTION_INTERVAL: Duration = Duration::from_secs(3600);
/// The pause between two steps of retention.
const RETENTION_PAUSE: Duration = Duration::from_millis(10);

/// A running import task. Dropping it aborts the task; [`Self::close`] lets it finish its work.
#[derive(Debug)]
pub struct Writer {
    commands: mpsc::Sender<WriterCommand>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
enum WriterCommand {
    Wake,
    Flush(oneshot::Sender<Result<ImportResult, StoreError>>),
    Close(oneshot::Sender<Result<ImportResult, StoreError>>),
}

impl Writer {
    /// Starts the task in the current runtime. Traces that are already in the spool are imported at once. A database
    /// that cannot be opened is tried again.
    #[must_use]
    pub fn start(
        store: Arc<Store>,
        spool: Arc<Spool>,
        journal: &dyn Journal,
        policy: watch::Receiver<RetentionPolicy>,
    ) -> Self {
        let (commands, inbox) = mpsc::channel(64);
        let now = Instant::now();
        let schedule = Schedule {
            import: Some(now),
            sync: None,
            index: Some(now + INDEX_DELAY),
            retain: now + FIRST_RETENTION_DELAY,
        };
        let task = tokio::spawn(
            ImportTask {
                store,
                spool,
                follower: journal.follow(QUEUE),
                policy,
                policy_open: true,
                journal_open: true,
                schedule,
                retention: None,
                reported_error: None,
            }
            .run(inbox),
        );
        Self { commands, task }
    }

    /// Reports that another process wrote to the spool. Never waits.
    pub fn notify(&self) {
        // A full channel already contains commands that wake the task, and a task that has ended needs none.
        let _ = self.commands.try_send(WriterCommand::Wake);
    }

    /// Imports everything that was spooled before this call.
    ///
    /// # Errors
    /// See [`Store::import`].
    pub async fn flush(&self) -> Result<ImportResult, StoreError> {
        self.request(WriterCommand::Flush).await
    }

    /// Imports everything, releases the spool, and ends the task. The database stays open for readers; [`Store::close`]
    /// closes it.
    ///
    /// # Errors
    /// See [`Store::import`]. The task has ended even then.
    pub async fn close(self) -> Result<ImportResult, StoreError> {
        self.request(WriterCommand::Close).await
    }

    async fn request(
        &self,
        command: fn(oneshot::Sender<Result<ImportResult, StoreError>>) -> WriterCommand,
    ) -> Result<ImportResult, StoreError> {
        let (answer, answered) = oneshot::channel();
        // The task has ended, so nothing more can be imported.
        if self.commands.send(command(answer)).await.is_err() {
            return Ok(ImportResult::default());
        }
        answered.await.unwrap_or_else(|_| Ok(ImportResult::default()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// When each kind of work is due.
struct Schedule {
    import: Option<Instant>,
    sync: Option<Instant>,
    index: Option<Instant>,
    retain: Instant,
}

struct ImportTask {
    store: Arc<Store>,
    spool: Arc<Spool>,
    follower: Follower,
    policy: watch::Receiver<RetentionPolicy>,
    policy_open: bool,
    journal_open: bool,
    schedule: Schedule,
    /// The retention that is under way.
    retention: Option<Retention>,
    /// The last reported error of an import. The same error is not reported twice in a row.
    reported_error: Option<String>,
}

impl ImportTask {
    async fn run(mut self, mut inbox: mpsc::Receiver<WriterCommand>) {
        loop {
            let next = [self.schedule.import, self.schedule.sync, self.schedule.index]
                .into_iter()
                .flatten()
                .fold(self.schedule.retain, Instant::min);
            tokio::select! {
                order = inbox.recv() => match order {
                    Some(WriterCommand::Wake) => self.schedule_import(),
                    Some(WriterCommand::Flush(answer)) => drop(answer.send(self.import().await)),
                    Some(WriterCommand::Close(answer)) => {
                        self.release().await;
                        drop(answer.send(self.import().await));
                        return;
                    }
                    None => return,
                },
                published = self.follower.wait(), if self.journal_open => {
                    self.journal_open = published;
                    self.schedule_import();
                },
                changed = self.policy.changed(), if self.policy_open => match changed {
                    Ok(()) => {
                        self.retention = None;
                        self.schedule.retain = Instant::now();
                    }
                    // The sender of policies is dropped, so the policy cannot change. The last one remains valid.
                    Err(_) => self.policy_open = false,
                },
                () = sleep_until(next) => self.run_due().await,
            }
        }
    }

    fn schedule_import(&mut self) {
        let now = Instant::now();
        if self.follower.waiting() >= BATCH_TRACES {
            self.schedule.import = Some(now);
        }
        self.schedule.import.get_or_insert(now + IMPORT_DELAY);
        self.schedule.sync.get_or_insert(now + SYNC_INTERVAL);
    }

    /// Does all work that is due.
    async fn run_due(&mut self) {
        let now = Instant::now();
        if self.schedule.sync.is_some_and(|at| at <= now) {
            self.sync().await;
        }
        if self.schedule.import.is_some_and(|at| at <= now) {
            // The store saves the error and reports it in its state.
            let _ = self.import().await;
        }
        if self.schedule.retain <= now {
            self.retain().await;
        }
        if self.schedule.index.is_some_and(|at| at <= now) {
            self.index().await;
        }
    }

    async fn sync(&mut self) {
        // Not every trace wakes this task, so it syncs again until all reported traces are imported.
        self.schedule.sync = self.schedule.import.map(|_| Instant::now() + SYNC_INTERVAL);
        self.sync_spool().await;
    }

    /// Does work that may wait for other processes or take long, and regularly syncs the spool to the disk meanwhile.
    async fn while_syncing<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = sleep(SYNC_INTERVAL) => self.sync_spool().await,
            }
        }
    }

    async fn sync_spool(&self) {
        let spool = Arc::clone(&self.spool);
        if let Err(error) = run_blocking(move || spool.sync()).await {
            tracing::warn!(%error, "the spool could not be written to the disk");
        }
    }

    async fn release(&self) {
        let spool = Arc::clone(&self.spool);
        if let Err(error) = run_blocking(move || spool.release()).await {
            tracing::warn!(%error, "the spool folder was removed and cannot be created again: events that were not imported are lost");
        }
    }

    async fn import(&mut self) -> Result<ImportResult, StoreError> {
        self.schedule.import = None;
        // The import does not see files that were removed or replaced, so they are written again first.
        let spool = Arc::clone(&self.spool);
        if let Err(error) = run_blocking(move || spool.restore()).await {
            tracing::warn!(%error, "the spool could not be written again");
        }
        let position = self.spool.position();
        let batch = self.follower.take();
        if !batch.entries.is_empty() {
            self.schedule.sync.get_or_insert(Instant::now() + SYNC_INTERVAL);
        }
        if batch.missed > 0 {
            tracing::debug!(missed = batch.missed, "the spool is read, because the queue was full");
        }
        let handed = HandedLines::new(batch.entries, position.live.clone());
        let mut result = self.while_syncing(self.store.import_from_in_task(handed)).await;
        if let Err(damage @ StoreError::Damaged { .. }) = result {
            // The damaged database is renamed now, so this import creates an empty one.
            result = self.while_syncing(self.store.import_in_task()).await;
            tracing::warn!("{damage}");
        }
        match &result {
            Ok(imported) => {
                self.reported_error = None;
                self.spool.mark_imported(&position);
                if imported.traces > 0 {
                    self.schedule.index.get_or_insert(Instant::now() + INDEX_DELAY);
                }
                log_import_problems(imported);
            }
            Err(error) => {
                let text = error.to_string();
                if self.reported_error.as_ref() != Some(&text) {
                    tracing::warn!(%error, "the spool could not be imported; it is tried again");
                    self.reported_error = Some(text);
                }
                self.schedule.import = Some(Instant::now() + RETRY_DELAY);
            }
        }
        result
    }

    /// Writes words of traces for the search, in small batches, so that imports do not wait for them.
    async fn index(&mut self) {
        self.schedule.index = match self.while_syncing(self.store.index_words(INDEX_TRACES)).await {
            Ok(indexed) if indexed > 0 => Some(Instant::now() + INDEX_PAUSE),
            Ok(_) => None,
            Err(error) => {
                tracing::warn!(%error, "the words of recorded events could not be written for the search");
                None
            }
        };
    }

    /// Does one step of retention, so that imports and the end of the process do not wait for all of them.
    async fn retain(&mut self) {
        let mut retention = self.retention.take().unwrap_or_else(|| {
            let policy = *self.policy.borrow_and_update();
            self.store.begin_retention(policy)
        });
        self.schedule.retain = Instant::now() + RETENTION_INTERVAL;
        match self.while_syncing(self.store.continue_retention(&mut retention)).await {
            Ok(true) => {
                self.schedule.retain = Instant::now() + RETENTION_PAUSE;
                self.retention = Some(retention);
            }
            Ok(false) => {
                let removed = retention.removed;
                tracing::debug!(traces = removed.traces, bodies = removed.bodies, "retention");
            }
            Err(error) => tracing::warn!(%error, "old traces could not be removed"),
        }
    }
}

fn log_import_problems(imported: &ImportResult) {
    for (path, bytes) in &imported.torn_files {
        tracing::warn!(path = %path.display(), bytes, "a spool file ended in the middle of a line");
    }
    for refused in &imported.refused {
        let (trace, why, path) = (&refused.trace, &refused.why, refused.path.display());
        tracing::warn!(%trace, %why, %path, "the database refused a trace; its spool file is kept");
    }
    for path in &imported.quarantined_files {
        tracing::warn!(path = %path.display(), "a spool file contains lines that could not be imported");
    }
}
