//! The journal: every recorded trace in its compact form, for whoever follows it.
//!
//! Followers are the writer of the database and the pushes of the window; a live tail or an exporter needs no more than
//! [`Journal::follow`]. Recording never waits for a follower: each has a queue with limits, and is told how many
//! entries it missed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;

use futures::task::AtomicWaker;

use crate::compact::CompactTrace;
use crate::json_size::json_size;

/// One recorded trace.
#[derive(Debug, Clone)]
pub struct JournalEntry {
    /// The trace, redacted.
    pub trace: Arc<CompactTrace>,
    /// Its line in the spool; `None` if it is not there.
    pub line: Option<SpoolLine>,
}

impl JournalEntry {
    /// About how much memory the entry needs, in bytes: the trace is about as large as its line.
    fn size(&self) -> usize {
        2 * self
            .line
            .as_ref()
            .map_or_else(|| json_size(&*self.trace), |line| line.bytes.len())
    }
}

/// A line of the spool.
#[derive(Debug, Clone)]
pub struct SpoolLine {
    /// The line, its end included.
    pub bytes: Arc<[u8]>,
    /// The name of the spool file.
    pub segment: Arc<str>,
    /// Where the line ends in that file, in bytes.
    pub end: u64,
}

/// The limits of a follower's queue, and when the follower is woken.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// At most so many entries wait.
    pub entries: usize,
    /// The waiting entries need at most about so many bytes. One entry always fits.
    pub bytes: usize,
    /// The follower is woken for the first entry, and when so many wait.
    pub wake_at: usize,
}

/// What a follower takes from its queue.
#[derive(Debug, Default)]
pub struct JournalBatch {
    /// The entries, in the order in which they were published.
    pub entries: Vec<JournalEntry>,
    /// How many entries did not fit into the queue since the last batch.
    pub missed: u64,
}

/// A source of recorded traces.
pub trait Journal: Send + Sync {
    /// Follows every trace that is recorded from now on, until the follower is dropped.
    fn follow(&self, limits: QueueLimits) -> Follower;
}

#[derive(Debug)]
struct Queue {
    limits: QueueLimits,
    state: Mutex<QueueState>,
    waker: AtomicWaker,
}

#[derive(Debug, Default)]
struct QueueState {
    entries: VecDeque<JournalEntry>,
    bytes: usize,
    missed: u64,
    /// The follower has a reason to look.
    is_due: bool,
    /// Nothing more is published.
    closed: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `size` is that of the entry.
    fn push(&self, entry: &JournalEntry, size: usize) {
        let mut state = self.state();
        let waiting = state.entries.len();
        let is_full = waiting >= self.limits.entries || waiting > 0 && state.bytes + size > self.limits.bytes;
        if is_full {
            state.missed += 1;
            state.is_due |= state.missed == 1;
        } else {
            state.bytes += size;
            state.entries.push_back(entry.clone());
            state.is_due |= waiting == 0 || waiting + 1 == self.limits.wake_at;
        }
        let is_due = state.is_due;
        drop(state);
        if is_due {
            self.waker.wake();
        }
    }
}

/// Receives the traces of a [`Journal`].
#[derive(Debug)]
pub struct Follower {
    queue: Arc<Queue>,
}

impl Follower {
    /// Waits until there is a reason to take a batch: a first entry, enough of them, or one that did not fit. Returns
    /// `false` when the journal has ended.
    pub async fn wait(&self) -> bool {
        futures::future::poll_fn(|context| {
            self.queue.waker.register(context.waker());
            let mut state = self.queue.state();
            if std::mem::take(&mut state.is_due) {
                Poll::Ready(true)
            } else if state.closed {
                Poll::Ready(false)
            } else {
                Poll::Pending
            }
        })
        .await
    }

    /// Takes everything that waits.
    #[must_use]
    pub fn take(&self) -> JournalBatch {
        let mut state = self.queue.state();
        state.is_due = false;
        state.bytes = 0;
        JournalBatch {
            entries: std::mem::take(&mut state.entries).into(),
            missed: std::mem::take(&mut state.missed),
        }
    }

    /// How many entries wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.state().entries.len()
    }
}

/// Gives each recorded trace to every follower.
#[derive(Debug, Default)]
pub struct JournalHub {
    queues: Mutex<Vec<Weak<Queue>>>,
}

impl JournalHub {
    /// Gives an entry to every follower. It never waits for one.
    pub fn publish(&self, entry: &JournalEntry) {
        let size = entry.size();
        self.queues().retain(|queue| {
            let queue = queue.upgrade();
            queue.iter().for_each(|queue| queue.push(entry, size));
            queue.is_some()
        });
    }

    fn queues(&self) -> MutexGuard<'_, Vec<Weak<Queue>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for JournalHub {
    fn follow(&self, limits: QueueLimits) -> Follower {
        let queue = Arc::new(Queue {
            limits,
            state: Mutex::default(),
            waker: AtomicWaker::new(),
        });
        self.queues().push(Arc::downgrade(&queue));
        Follower { queue }
    }
}

impl Drop for JournalHub {
    fn drop(&mut self) {
        for queue in self.queues().drain(..).filter_map(|queue| queue.upgrade()) {
            queue.state().closed = true;
            queue.waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use serde_json::json;

    use super::*;

    fn entry(n: usize, bytes: usize) -> JournalEntry {
        let trace = json!({"trace": n.to_string(), "dialect": "d", "event": "e", "origin": "cli",
                           "at": "2026-01-15T10:30:00Z", "took_ms": 1.0});
        JournalEntry {
            trace: Arc::new(serde_json::from_value(trace).unwrap()),
            line: Some(SpoolLine {
                bytes: vec![b'x'; bytes].into(),
                segment: "s".into(),
                end: 0,
            }),
        }
    }

    fn limits(entries: usize) -> QueueLimits {
        QueueLimits {
            entries,
            bytes: 1000,
            wake_at: 3,
        }
    }

    fn is_woken(follower: &Follower) -> bool {
        follower.wait().now_or_never() == Some(true)
    }

    #[test]
    fn a_slow_follower_costs_nobody_and_is_told_what_it_missed() {
        let hub = JournalHub::default();
        let (slow, fast) = (hub.follow(limits(2)), hub.follow(limits(100)));
        let mut seen = 0;
        for n in 0..5 {
            hub.publish(&entry(n, 1));
            seen += fast.take().entries.len();
        }
        let batch = slow.take();
        assert_eq!((seen, batch.entries.len(), batch.missed), (5, 2, 3));
        assert_eq!(batch.entries[1].trace.trace, "1", "the first ones are kept, in order");
        hub.publish(&entry(6, 1));
        let batch = slow.take();
        assert_eq!((batch.entries.len(), batch.missed), (1, 0));
    }

    #[test]
    fn large_entries_are_limited_by_their_bytes_and_one_always_fits() {
        let hub = JournalHub::default();
        let follower = hub.follow(limits(100));
        hub.publish(&entry(0, 5000));
        hub.publish(&entry(1, 1));
        let batch = follower.take();
        assert_eq!((batch.entries.len(), batch.missed), (1, 1));
        hub.publish(&entry(2, 400));
        hub.publish(&entry(3, 400));
        assert_eq!(follower.waiting(), 1);
    }

    #[test]
    fn entries_that_are_not_in_the_spool_are_limited_by_their_bytes_too() {
        let hub = JournalHub::default();
        let follower = hub.follow(limits(100));
        let unwritten = JournalEntry {
            line: None,
            ..entry(0, 0)
        };
        for _ in 0..10 {
            hub.publish(&unwritten);
        }
        let size = 2 * serde_json::to_vec(&*unwritten.trace).unwrap().len();
        assert_eq!(follower.take().entries.len(), 1000 / size);
    }

    #[test]
    fn a_follower_is_woken_for_the_first_entry_and_when_there_are_enough() {
        let hub = JournalHub::default();
        let follower = hub.follow(limits(100));
        let mut woken = Vec::new();
        for n in 0..5 {
            hub.publish(&entry(n, 1));
            woken.push(is_woken(&follower));
        }
        assert_eq!(woken, [true, false, true, false, false]);
        drop(follower.take());
        hub.publish(&entry(6, 1));
        assert!(is_woken(&follower));
    }

    #[test]
    fn a_follower_ends_with_the_journal_and_a_dropped_one_is_forgotten() {
        let hub = JournalHub::default();
        drop(hub.follow(limits(1)));
        hub.publish(&entry(0, 1));
        assert!(hub.queues().is_empty());
        let follower = hub.follow(limits(1));
        drop(hub);
        assert_eq!(follower.wait().now_or_never(), Some(false));
    }
}
