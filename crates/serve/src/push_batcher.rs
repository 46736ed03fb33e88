//! Sends pushes in batches, so that a busy agent causes only a limited number of window updates per second.

use std::time::Duration;

use hookwright_app::{Push, Topic};
use tokio::sync::broadcast::{self, error::RecvError, error::TryRecvError};
use tokio::time::{Instant, sleep_until};

/// Collects pushes and returns a batch at most once per interval. The first push after a pause is returned immediately.
#[derive(Debug)]
pub struct PushBatcher {
    pushes: broadcast::Receiver<Push>,
    interval: Duration,
    next: Instant,
}

impl PushBatcher {
    /// Batches that are at least `interval` apart.
    #[must_use]
    pub fn new(pushes: broadcast::Receiver<Push>, interval: Duration) -> Self {
        Self {
            pushes,
            interval,
            next: Instant::now(),
        }
    }

    /// The next batch. Stale topics are merged into one push, and new rows into one. `None` when there will be no more
    /// pushes.
    ///
    /// Dropping the future loses only the pushes that were already collected for this batch.
    pub async fn next(&mut self) -> Option<Vec<Push>> {
        let mut batch = Vec::new();
        match self.pushes.recv().await {
            Ok(push) => add_to_batch(&mut batch, push),
            Err(RecvError::Lagged(_)) => add_to_batch(&mut batch, all_stale()),
            Err(RecvError::Closed) => return None,
        }
        sleep_until(self.next).await;
        loop {
            match self.pushes.try_recv() {
                Ok(push) => add_to_batch(&mut batch, push),
                Err(TryRecvError::Lagged(_)) => add_to_batch(&mut batch, all_stale()),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.next = Instant::now() + self.interval;
        Some(batch)
    }
}

/// The push for the case that pushes were lost: everything must be queried again.
pub(crate) fn all_stale() -> Push {
    Push::Stale {
        what: Topic::ALL.to_vec(),
    }
}

/// Adds a push to a batch. Each stale topic is listed once, new rows are put first, other pushes keep their order.
fn add_to_batch(batch: &mut Vec<Push>, push: Push) {
    for known in batch.iter_mut() {
        match (known, &push) {
            (Push::Stale { what: known }, Push::Stale { what }) => {
                known.extend(
                    what.iter()
                        .filter(|topic| !known.contains(topic))
                        .copied()
                        .collect::<Vec<_>>(),
                );
                return;
            }
            (Push::Traces { rows: known }, Push::Traces { rows }) => {
                known.splice(0..0, rows.iter().cloned());
                return;
            }
            (
                Push::Stale { .. }
                | Push::Traces { .. }
                | Push::Notice { .. }
                | Push::Engine { .. }
                | Push::Navigate { .. }
                | Push::PromptAnswer { .. },
                _,
            ) => {}
        }
    }
    batch.push(push);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stale(what: &[Topic]) -> Push {
        Push::Stale { what: what.to_vec() }
    }

    fn navigate(to: &str) -> Push {
        Push::Navigate {
            to: to.to_owned(),
            project: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_push_is_sent_at_once_and_the_next_ones_are_batched() {
        let (sender, receiver) = broadcast::channel(16);
        let mut batcher = PushBatcher::new(receiver, Duration::from_millis(50));
        let begin = Instant::now();
        sender.send(stale(&[Topic::Hooks])).unwrap();
        assert_eq!(batcher.next().await, Some(vec![stale(&[Topic::Hooks])]));
        assert_eq!(begin.elapsed(), Duration::ZERO);
        sender.send(stale(&[Topic::Hooks, Topic::Trust])).unwrap();
        sender.send(navigate("/fire")).unwrap();
        sender.send(stale(&[Topic::Trust, Topic::State])).unwrap();
        let batch = batcher.next().await;
        assert_eq!(
            batch,
            Some(vec![
                stale(&[Topic::Hooks, Topic::Trust, Topic::State]),
                navigate("/fire")
            ])
        );
        assert!(begin.elapsed() >= Duration::from_millis(50));
    }

    #[tokio::test]
    async fn a_subscriber_that_lost_pushes_reads_everything_again() {
        let (sender, receiver) = broadcast::channel(2);
        let mut batcher = PushBatcher::new(receiver, Duration::ZERO);
        for _ in 0..5 {
            sender.send(navigate("/hooks")).unwrap();
        }
        drop(sender);
        assert_eq!(
            batcher.next().await,
            Some(vec![all_stale(), navigate("/hooks"), navigate("/hooks")])
        );
        assert_eq!(batcher.next().await, None);
    }
}
