//! What is still to be written to a process, in order.
//!
//! A request that nobody waits for any more leaves it again, so a process that does not read holds no more than what is
//! under way and its notifications, which [`PeerRules::queue`](hookwright_model::PeerRules::queue) counts.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

/// Bytes for its stdin.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) bytes: Vec<u8>,
    /// The request.
    pub(super) request: Option<u64>,
    /// Told when they were written; dropped when they never will be.
    pub(super) written: Option<oneshot::Sender<()>>,
}

/// Many put something in, one takes it out.
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
        // Nothing between two changes of it panics.
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Behind all that waits; let go of when nothing is written any more.
    pub(super) fn push(&self, item: Outgoing) {
        let mut items = self.items();
        if !items.closed {
            items.waiting.push_back(item);
            self.more.notify_one();
        }
    }

    /// The next one, as soon as there is one. Nothing is lost when this is dropped halfway.
    pub(super) async fn next(&self) -> Outgoing {
        loop {
            let next = self.items().waiting.pop_front();
            match next {
                Some(item) => return item,
                None => self.more.notified().await,
            }
        }
    }

    /// Takes a request out that was not begun yet; whether it was still here.
    pub(super) fn remove(&self, request: u64) -> bool {
        let mut items = self.items();
        let before = items.waiting.len();
        items.waiting.retain(|item| item.request != Some(request));
        items.waiting.len() < before
    }

    /// Lets go of all that waits and of all that is yet to come.
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
