//! The queue of messages that are not yet written to a peer.
//!
//! A request whose attempt no longer waits is removed. So a peer that does not read has only the pending requests and
//! its notifications in the queue. [`PeerRules::queue`](hookwright_model::PeerRules::queue) limits the notifications.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

/// Bytes for the stdin of the peer.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) bytes: Vec<u8>,
    /// The id, if it is a request.
    pub(super) request: Option<u64>,
    /// Notified when the bytes were written; dropped when they never will be.
    pub(super) written: Option<oneshot::Sender<()>>,
}

/// A queue with many writers and one reader.
#[derive(Debug, Default)]
pub(super) struct Queue {
    items: Mutex<Items>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Items {
    waiting: VecDeque<Outgoing>,
    closed: bool,
}

impl Queue {
    fn items(&self) -> MutexGuard<'_, Items> {
        // No code panics while it changes the queue.
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an item. A closed queue drops it.
    pub(super) fn push(&self, item: Outgoing) {
        let mut items = self.items();
        if !items.closed {
            items.waiting.push_back(item);
            self.more.notify_one();
        }
    }

    /// Waits for the next item. No item is lost when this future is dropped.
    pub(super) async fn next(&self) -> Outgoing {
        loop {
            let next = self.items().waiting.pop_front();
            match next {
                Some(item) => return item,
                None => self.more.notified().await,
            }
        }
    }

    /// Removes a request that is not being written yet. Returns whether it was in the queue.
    pub(super) fn remove(&self, request: u64) -> bool {
        let mut items = self.items();
        let before = items.waiting.len();
        items.waiting.retain(|item| item.request != Some(request));
        items.waiting.len() < before
    }

    /// Drops all waiting items and every later one.
    pub(super) fn close(&self) {
        let mut items = self.items();
        items.closed = true;
        items.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request_item(request: u64) -> Outgoing {
        Outgoing {
            bytes: vec![b'x'; 9],
            request: Some(request),
            written: None,
        }
    }

    #[tokio::test]
    async fn a_removed_request_leaves_the_order_of_the_others() {
        let queue = Queue::default();
        for request in 2..5 {
            queue.push(request_item(request));
        }
        assert!(queue.remove(3));
        assert!(!queue.remove(3));
        assert_eq!(queue.next().await.request, Some(2));
        assert_eq!(queue.next().await.request, Some(4));
        assert_eq!(queue.items().waiting.len(), 0);
    }

    #[tokio::test]
    async fn a_closed_queue_drops_new_items() {
        let queue = Queue::default();
        let (written, reported) = oneshot::channel();
        queue.close();
        queue.push(Outgoing {
            written: Some(written),
            ..request_item(2)
        });
        assert!(reported.await.is_err());
    }
}
