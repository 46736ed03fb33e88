//! The lines that wait to be written.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::sync::{Notify, Semaphore, TryAcquireError, oneshot};

use crate::limits::Limits;
use crate::pending::Ended;

/// Why a line was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Too much waits to be written already.
    #[error("{waiting} lines wait to be written")]
    Full {
        /// How many lines of [`Peer::try_send`](crate::Peer::try_send) wait, or are being written.
        waiting: usize,
    },
    /// The connection has ended.
    #[error("the connection ended: {0}")]
    Ended(Ended),
}

/// Resolves when a line was written, with `Ok`, or when it never will be. The line stays in the queue when this is
/// dropped.
#[derive(Debug)]
pub struct Written(oneshot::Receiver<()>);

impl Future for Written {
    type Output = Result<(), Ended>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|written| written.map_err(|_| Ended::There))
    }
}

/// A queue of lines with many senders and one writer.
#[derive(Debug)]
pub(crate) struct Outgoing {
    limits: Limits,
    items: Mutex<Items>,
    /// Notified when there is something for the writer.
    more: Notify,
    /// What is left of the queue, in the unit of [`Limits::cost`].
    room: Semaphore,
}

#[derive(Debug, Default)]
struct Items {
    waiting: VecDeque<Item>,
    phase: Phase,
    /// How many lines with a receipt were not written yet.
    receipts: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// Lines are queued and written.
    #[default]
    Open,
    /// No further line is queued. Those that wait are still written, apart from calls.
    Finishing,
    /// Nothing is written any more.
    Closed,
}

/// A line with its line feed.
#[derive(Debug)]
pub(crate) struct Item {
    bytes: Bytes,
    /// The id, if it is a call.
    call: Option<u64>,
    written: Option<oneshot::Sender<()>>,
    /// What it took of the queue; 0 if it did not wait for room.
    cost: u32,
    _unread: Option<UnreadBytes>,
}

/// The bytes of an answer, counted from when it waits for room until it was written.
#[derive(Debug)]
struct UnreadBytes {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for UnreadBytes {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Item {
    /// Ends the line.
    pub(crate) fn new(mut line: Vec<u8>) -> Self {
        line.push(b'\n');
        Self {
            bytes: line.into(),
            call: None,
            written: None,
            cost: 0,
            _unread: None,
        }
    }

    /// An answer, which counts as unread until it was written.
    pub(crate) fn of_answer(line: Vec<u8>, unread: &Arc<AtomicUsize>) -> Self {
        let bytes = line.len();
        unread.fetch_add(bytes, Ordering::Relaxed);
        Self {
            _unread: Some(UnreadBytes {
                all: unread.clone(),
                bytes,
            }),
            ..Self::new(line)
        }
    }

    pub(crate) fn of_call(line: Vec<u8>, id: u64) -> Self {
        Self {
            call: Some(id),
            ..Self::new(line)
        }
    }

    /// The line with its line feed. Shares its bytes.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }
}

impl Outgoing {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            items: Mutex::default(),
            more: Notify::new(),
            room: Semaphore::new(limits.capacity() as usize),
        }
    }

    fn items(&self) -> MutexGuard<'_, Items> {
        // No code panics while it changes the queue.
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room and appends a line. A queue that was closed drops it.
    pub(crate) async fn push(&self, mut item: Item) {
        let cost = self.limits.cost(item.bytes.len());
        if let Ok(room) = self.room.acquire_many(cost).await {
            room.forget();
            item.cost = cost;
            self.push_now(item);
        }
    }

    /// Appends a line, if there is room and fewer than `most` lines with a receipt wait.
    pub(crate) fn try_push(&self, line: Vec<u8>, most: usize) -> Result<Written, SendError> {
        let (written, receipt) = oneshot::channel();
        let mut item = Item::new(line);
        item.written = Some(written);
        let mut items = self.items();
        let full = SendError::Full {
            waiting: items.receipts,
        };
        let cost = self.limits.cost(item.bytes.len());
        if items.receipts >= most {
            return Err(full);
        }
        match self.room.try_acquire_many(cost) {
            Ok(room) => room.forget(),
            Err(TryAcquireError::NoPermits) => return Err(full),
            Err(TryAcquireError::Closed) => return Err(SendError::Ended(Ended::There)),
        }
        items.receipts += 1;
        drop(items);
        item.cost = cost;
        self.push_now(item);
        Ok(Written(receipt))
    }

    /// Appends a line whether or not there is room.
    pub(crate) fn push_now(&self, item: Item) {
        let mut items = self.items();
        if items.phase == Phase::Open {
            items.waiting.push_back(item);
            drop(items);
            self.more.notify_one();
        } else {
            drop(items);
            self.release(&item);
        }
    }

    /// Waits for the next line. `None` when there will be none. No line is lost when this future is dropped.
    pub(crate) async fn next(&self) -> Option<Item> {
        loop {
            {
                let mut items = self.items();
                match (items.waiting.pop_front(), items.phase) {
                    (Some(item), _) => return Some(item),
                    (None, Phase::Open) => {}
                    (None, Phase::Finishing | Phase::Closed) => return None,
                }
            }
            self.more.notified().await;
        }
    }

    /// Called when a line was written.
    pub(crate) fn written(&self, item: Item) {
        self.release(&item);
        if let Some(written) = item.written {
            self.items().receipts -= 1;
            // The sender may no longer wait.
            let _ = written.send(());
        }
    }

    /// Removes a call that is not being written yet. Returns whether it was in the queue.
    pub(crate) fn remove(&self, call: u64) -> bool {
        let mut items = self.items();
        let at = items.waiting.iter().position(|item| item.call == Some(call));
        let removed = at.and_then(|at| items.waiting.remove(at));
        drop(items);
        if let Some(item) = &removed {
            self.release(item);
        }
        removed.is_some()
    }

    /// Whether no line waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.items().waiting.is_empty()
    }

    /// Drops every later line, and the calls that wait. The other lines that wait are still written.
    pub(crate) fn finish(&self) {
        self.leave(Phase::Finishing);
    }

    /// Drops all waiting lines and every later one.
    pub(crate) fn close(&self) {
        self.leave(Phase::Closed);
    }

    fn leave(&self, phase: Phase) {
        let mut items = self.items();
        if items.phase != Phase::Closed {
            items.phase = phase;
        }
        match phase {
            Phase::Open => {}
            // No answer to a call can come any more.
            Phase::Finishing => items.waiting.retain(|item| item.call.is_none()),
            Phase::Closed => items.waiting.clear(),
        }
        drop(items);
        // Whoever waits for room waits in vain.
        self.room.close();
        self.more.notify_one();
    }

    fn release(&self, item: &Item) {
        self.room.add_permits(item.cost as usize);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const LIMITS: Limits = Limits {
        line_bytes: 99,
        concurrent: 1,
        calls: 9,
        queue_lines: 2,
        queue_bytes: 100,
    };

    fn call(id: u64) -> Item {
        Item::of_call(format!("call {id}").into(), id)
    }

    fn text(item: Option<Item>) -> String {
        String::from_utf8(item.unwrap().bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_removed_call_leaves_the_order_of_the_others() {
        let queue = Outgoing::new(LIMITS);
        (2..5).for_each(|id| queue.push_now(call(id)));
        assert!(queue.remove(3));
        assert!(!queue.remove(3));
        assert_eq!(text(queue.next().await), "call 2\n");
        assert_eq!(text(queue.next().await), "call 4\n");
        assert!(queue.is_empty() && queue.next().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_sender_waits_until_a_line_was_written_or_removed() {
        let queue = Outgoing::new(LIMITS);
        queue.push(call(1)).await;
        queue.push(call(2)).await;
        assert!(queue.try_push("third".into(), 9).is_err());
        let mut third = Box::pin(queue.push(call(3)));
        assert!(third.as_mut().now_or_never().is_none());
        let first = queue.next().await.unwrap();
        // A line that is being written still has its place.
        assert!(third.as_mut().now_or_never().is_none());
        queue.written(first);
        third.await;
        assert!(queue.remove(2));
        drop(queue.try_push("fourth".into(), 9).unwrap());
        assert_eq!(
            queue.try_push("fifth".into(), 9).unwrap_err(),
            SendError::Full { waiting: 1 }
        );
    }

    #[tokio::test]
    async fn a_line_longer_than_the_queue_has_it_alone() {
        let queue = Outgoing::new(LIMITS);
        queue.push(Item::new(vec![b'x'; 1000])).await;
        assert!(queue.try_push("short".into(), 9).is_err());
        let long = queue.next().await.unwrap();
        queue.written(long);
        drop(queue.try_push("short".into(), 9).unwrap());
    }

    #[tokio::test]
    async fn lines_with_a_receipt_have_a_limit_of_their_own() {
        let queue = Outgoing::new(LIMITS);
        let receipt = queue.try_push("one".into(), 1).unwrap();
        assert_eq!(
            queue.try_push("two".into(), 1).unwrap_err(),
            SendError::Full { waiting: 1 }
        );
        let one = queue.next().await.unwrap();
        assert!(queue.try_push("two".into(), 1).is_err());
        queue.written(one);
        assert_eq!(receipt.await, Ok(()));
        drop(queue.try_push("two".into(), 1).unwrap());
    }

    #[tokio::test]
    async fn a_queue_that_finishes_writes_what_waits_but_calls_and_takes_nothing_more() {
        let queue = Outgoing::new(LIMITS);
        queue.push_now(Item::new("answer".into()));
        queue.push_now(call(1));
        queue.finish();
        queue.push_now(call(2));
        queue.push(call(3)).await;
        assert!(queue.try_push("late".into(), 9).is_err());
        assert_eq!(text(queue.next().await), "answer\n");
        assert!(queue.next().await.is_none());
    }

    #[tokio::test]
    async fn a_closed_queue_drops_everything_and_wakes_whoever_waits() {
        let queue = Outgoing::new(LIMITS);
        let receipt = queue.try_push("first".into(), 9).unwrap();
        queue.push(call(2)).await;
        let mut third = Box::pin(queue.push(call(3)));
        assert!(third.as_mut().now_or_never().is_none());
        queue.close();
        queue.finish();
        third.await;
        assert!(queue.next().await.is_none());
        assert_eq!(receipt.await, Err(Ended::There));
    }
}
