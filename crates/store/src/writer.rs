//! The task that brings the spool into the database while events are fired, and never holds one up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use crate::error::StoreError;
use crate::import::{Imported, blocking};
use crate::retention::Policy;
use crate::spool::Spool;
use crate::store::Store;

/// News gather for so long before they are imported together. Readers see the spool too, so nobody waits for it.
const GATHER: Duration = Duration::from_secs(2);
/// So many traces are imported at once, however soon they came.
const ENOUGH: u32 = 256;
/// What is spooled is on the disk itself after so long.
const SYNC: Duration = Duration::from_millis(800);
/// After a failed import the next try waits for so long.
const AGAIN: Duration = Duration::from_secs(10);
/// Retention runs so soon after the start, and then so often.
const RETAIN_FIRST: Duration = Duration::from_secs(30);
const RETAIN: Duration = Duration::from_secs(3600);

/// A running writer. Dropping it ends the task; [`Self::close`] ends it well.
#[derive(Debug)]
pub struct Writer {
    orders: mpsc::Sender<Order>,
    /// Traces that were told of since the last import.
    news: Arc<AtomicU32>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
enum Order {
    News,
    Flush(oneshot::Sender<Result<Imported, StoreError>>),
    Close(oneshot::Sender<Result<Imported, StoreError>>),
}

impl Writer {
    /// Starts the task in the current runtime. What stands in the spool already is imported at once; a database that cannot
    /// be opened is tried again.
    #[must_use]
    pub fn start(store: Arc<Store>, spool: Arc<Spool>, policy: watch::Receiver<Policy>) -> Self {
        let (orders, inbox) = mpsc::channel(64);
        let now = Instant::now();
        let news = Arc::new(AtomicU32::new(0));
        let due = Due {
            import: Some(now),
            sync: None,
            retain: now + RETAIN_FIRST,
        };
        let task = tokio::spawn(
            Desk {
                store,
                spool,
                policy,
                may_change: true,
                news: Arc::clone(&news),
                due,
                said: None,
            }
            .run(inbox),
        );
        Self { orders, news, task }
    }

    /// Tells that there is something in the spool, this process's or another's. Never waits.
    pub fn news(&self) {
        // The task is woken for the first trace and when there are enough: waking it for each would cost more than the rest.
        let before = self.news.fetch_add(1, Ordering::Relaxed);
        if before != 0 && before + 1 != ENOUGH {
            return;
        }
        // A full channel holds news already, and an ended task cannot be told.
        let _ = self.orders.try_send(Order::News);
    }

    /// Imports everything that was spooled before this call.
    ///
    /// # Errors
    /// See [`Store::import`].
    pub async fn flush(&self) -> Result<Imported, StoreError> {
        self.ask(Order::Flush).await
    }

    /// Imports everything, lets go of the spool, and ends the task. The database stays open for readers; [`Store::close`]
    /// closes it.
    ///
    /// # Errors
    /// See [`Store::import`]; the task has ended all the same.
    pub async fn close(self) -> Result<Imported, StoreError> {
        self.ask(Order::Close).await
    }

    async fn ask(
        &self,
        order: fn(oneshot::Sender<Result<Imported, StoreError>>) -> Order,
    ) -> Result<Imported, StoreError> {
        let (answer, answered) = oneshot::channel();
        // When the task has ended there is nobody left to import for.
        if self.orders.send(order(answer)).await.is_err() {
            return Ok(Imported::default());
        }
        answered.await.unwrap_or_else(|_| Ok(Imported::default()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What is to be done when.
struct Due {
    import: Option<Instant>,
    sync: Option<Instant>,
    retain: Instant,
}

struct Desk {
    store: Arc<Store>,
    spool: Arc<Spool>,
    policy: watch::Receiver<Policy>,
    may_change: bool,
    news: Arc<AtomicU32>,
    due: Due,
    /// What was said last about a failed import.
    said: Option<String>,
}

impl Desk {
    async fn run(mut self, mut inbox: mpsc::Receiver<Order>) {
        loop {
            let next = [self.due.import, self.due.sync]
                .into_iter()
                .flatten()
                .fold(self.due.retain, Instant::min);
            tokio::select! {
                order = inbox.recv() => match order {
                    Some(Order::News) => self.gather(),
                    Some(Order::Flush(answer)) => drop(answer.send(self.import().await)),
                    Some(Order::Close(answer)) => {
                        self.release().await;
                        drop(answer.send(self.import().await));
                        return;
                    }
                    None => return,
                },
                changed = self.policy.changed(), if self.may_change => match changed {
                    Ok(()) => self.due.retain = Instant::now(),
                    // Nobody is left to change it: the last one holds.
                    Err(_) => self.may_change = false,
                },
                () = sleep_until(next) => self.tend().await,
            }
        }
    }

    fn gather(&mut self) {
        let now = Instant::now();
        if self.news.load(Ordering::Relaxed) >= ENOUGH {
            self.due.import = Some(now);
        }
        self.due.import.get_or_insert(now + GATHER);
        self.due.sync.get_or_insert(now + SYNC);
    }

    /// Does everything that is due.
    async fn tend(&mut self) {
        let now = Instant::now();
        if self.due.sync.is_some_and(|at| at <= now) {
            self.sync().await;
        }
        if self.due.import.is_some_and(|at| at <= now) {
            // The store remembers why, and says so in its state.
            let _ = self.import().await;
        }
        if self.due.retain <= now {
            self.retain().await;
        }
    }

    async fn sync(&mut self) {
        // Not every trace wakes this task, so it looks again until what it was told of is imported.
        self.due.sync = self.due.import.map(|_| Instant::now() + SYNC);
        self.bring_to_disk().await;
    }

    /// Does what may wait for other processes or take long, and meanwhile brings what is spooled to the disk itself.
    async fn while_syncing<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = sleep(SYNC) => self.bring_to_disk().await,
            }
        }
    }

    async fn bring_to_disk(&self) {
        let spool = Arc::clone(&self.spool);
        if let Err(error) = blocking(move || spool.sync()).await {
            tracing::warn!(%error, "the spool could not be brought to the disk");
        }
    }

    async fn release(&self) {
        let spool = Arc::clone(&self.spool);
        if let Err(error) = blocking(move || spool.release()).await {
            tracing::warn!(%error, "the spool folder is gone and cannot be made again: recorded events that are not imported are lost");
        }
    }

    async fn import(&mut self) -> Result<Imported, StoreError> {
        self.due.import = None;
        if self.news.swap(0, Ordering::Relaxed) > 0 {
            self.due.sync.get_or_insert(Instant::now() + SYNC);
        }
        // What was removed from its place would not be read.
        let spool = Arc::clone(&self.spool);
        if let Err(error) = blocking(move || spool.restore()).await {
            tracing::warn!(%error, "the spool could not be written again");
        }
        let mark = self.spool.mark();
        let mut result = self.while_syncing(self.store.import()).await;
        if let Err(damage @ StoreError::Damaged { .. }) = result {
            // It is out of the way now: an empty one is begun.
            result = self.while_syncing(self.store.import()).await;
            tracing::warn!("{damage}");
        }
        match &result {
            Ok(imported) => {
                self.said = None;
                self.spool.imported(mark);
                say_what_is_wrong(imported);
            }
            Err(error) => {
                let text = error.to_string();
                if self.said.as_ref() != Some(&text) {
                    tracing::warn!(%error, "the spool could not be imported; it is tried again");
                    self.said = Some(text);
                }
                self.due.import = Some(Instant::now() + AGAIN);
            }
        }
        result
    }

    async fn retain(&mut self) {
        self.due.retain = Instant::now() + RETAIN;
        let policy = *self.policy.borrow_and_update();
        match self.while_syncing(self.store.retain(policy)).await {
            Ok(removed) => tracing::debug!(traces = removed.traces, bodies = removed.bodies, "retention"),
            Err(error) => tracing::warn!(%error, "retention"),
        }
    }
}

fn say_what_is_wrong(imported: &Imported) {
    for (path, bytes) in &imported.torn {
        tracing::warn!(path = %path.display(), bytes, "a spool file ended in the middle of a line");
    }
    for refused in &imported.refused {
        let (trace, why, path) = (&refused.trace, &refused.why, refused.path.display());
        tracing::warn!(%trace, %why, %path, "the database refused a trace; its spool file is kept");
    }
    for path in &imported.put_beside {
        tracing::warn!(path = %path.display(), "a spool file holds lines that could not be imported");
    }
}
