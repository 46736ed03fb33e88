//! The task that brings the spool into the database while events are fired, and never holds one up.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

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
    task: JoinHandle<()>,
}

#[derive(Debug)]
enum Order {
    News,
    Flush(oneshot::Sender<Result<Imported, StoreError>>),
    Close(oneshot::Sender<Result<Imported, StoreError>>),
}

impl Writer {
    /// Starts the task in the current runtime. What stands in the spool already is imported at once.
    #[must_use]
    pub fn start(store: Arc<Store>, spool: Arc<Spool>, policy: watch::Receiver<Policy>) -> Self {
        let (orders, inbox) = mpsc::channel(64);
        let now = Instant::now();
        let due = Due {
            import: Some(now),
            news: 0,
            sync: None,
            retain: now + RETAIN_FIRST,
        };
        let task = tokio::spawn(
            Desk {
                store,
                spool,
                policy,
                may_change: true,
                due,
            }
            .run(inbox),
        );
        Self { orders, task }
    }

    /// Tells that there is something in the spool, this process's or another's. Never waits.
    pub fn news(&self) {
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
    /// Traces that were told of since the last import.
    news: u32,
    sync: Option<Instant>,
    retain: Instant,
}

struct Desk {
    store: Arc<Store>,
    spool: Arc<Spool>,
    policy: watch::Receiver<Policy>,
    may_change: bool,
    due: Due,
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
                        self.spool.release();
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
        self.due.news += 1;
        if self.due.news == ENOUGH {
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
        self.due.sync = None;
        let spool = Arc::clone(&self.spool);
        if let Err(error) = blocking(move || spool.sync()).await {
            tracing::warn!(%error, "the spool could not be brought to the disk");
        }
    }

    async fn import(&mut self) -> Result<Imported, StoreError> {
        (self.due.import, self.due.news) = (None, 0);
        let result = self.store.import().await;
        match &result {
            Ok(imported) => {
                for (path, bytes) in &imported.torn {
                    tracing::warn!(path = %path.display(), bytes, "a spool file ended in the middle of a line");
                }
                for path in &imported.put_beside {
                    tracing::warn!(path = %path.display(), "a spool file holds lines that are no trace");
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the spool could not be imported");
                // A damaged database is out of the way now: the next try begins an empty one.
                let wait = if matches!(error, StoreError::Damaged { .. }) {
                    Duration::ZERO
                } else {
                    AGAIN
                };
                self.due.import = Some(Instant::now() + wait);
            }
        }
        result
    }

    async fn retain(&mut self) {
        self.due.retain = Instant::now() + RETAIN;
        let policy = *self.policy.borrow_and_update();
        match self.store.retain(policy).await {
            Ok(removed) => tracing::debug!(traces = removed.traces, bodies = removed.bodies, "retention"),
            Err(error) => tracing::warn!(%error, "retention"),
        }
    }
}
