//! The unfinished lines of several connections together.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// A shorter line costs no look at the others.
const SMALL_BYTES: usize = 64 << 10;

/// Limits the unfinished lines of all connections that share it. When they are too long together, the longest one ends.
#[derive(Debug)]
pub struct LineBudget {
    limit: usize,
    /// Also counts what the budget holds, for an owner that counts other things too.
    counter: Arc<AtomicUsize>,
    lines: Mutex<UnfinishedLines>,
}

#[derive(Debug, Default)]
struct UnfinishedLines {
    next: u64,
    total: usize,
    by_id: HashMap<u64, (usize, CancellationToken)>,
}

/// The part of one connection. It is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct LineShare {
    budget: Arc<LineBudget>,
    id: u64,
    bytes: usize,
    ended: CancellationToken,
}

impl LineBudget {
    /// A budget of `limit` bytes. What it holds is added to `counter`.
    #[must_use]
    pub fn new(limit: usize, counter: Arc<AtomicUsize>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            counter,
            lines: Mutex::default(),
        })
    }

    pub(crate) fn share(self: &Arc<Self>) -> LineShare {
        let mut lines = self.lines();
        lines.next += 1;
        LineShare {
            budget: self.clone(),
            id: lines.next,
            bytes: 0,
            ended: CancellationToken::new(),
        }
    }

    fn lines(&self) -> MutexGuard<'_, UnfinishedLines> {
        // No code panics while it changes the lines.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, share: &LineShare, bytes: usize) {
        let mut lines = self.lines();
        self.forget(&mut lines, share.id);
        // One that was told to end counts no more, so that none of the others ends in its place.
        if bytes > 0 && !share.ended.is_cancelled() {
            lines.by_id.insert(share.id, (bytes, share.ended.clone()));
            lines.total += bytes;
            self.counter.fetch_add(bytes, Ordering::Relaxed);
        }
        while lines.total > self.limit {
            let longest = lines.by_id.iter().max_by_key(|(_, (bytes, _))| *bytes);
            let Some(id) = longest.map(|(id, _)| *id) else { return };
            if let Some(ended) = self.forget(&mut lines, id) {
                ended.cancel();
            }
        }
    }

    fn forget(&self, lines: &mut UnfinishedLines, id: u64) -> Option<CancellationToken> {
        let (bytes, ended) = lines.by_id.remove(&id)?;
        lines.total -= bytes;
        self.counter.fetch_sub(bytes, Ordering::Relaxed);
        Some(ended)
    }
}

impl LineShare {
    /// Says how long the unfinished line is now.
    pub(crate) fn set(&mut self, bytes: usize) {
        let counted = if bytes < SMALL_BYTES { 0 } else { bytes };
        if counted != self.bytes {
            self.bytes = counted;
            self.budget.set(self, counted);
        }
    }

    /// Resolves when this line must end, because it is the longest of too many.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }
}

impl Drop for LineShare {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_line_ends_when_all_together_are_too_long() {
        let counter = Arc::new(AtomicUsize::new(0));
        let budget = LineBudget::new(1 << 20, counter.clone());
        let (mut long, mut short) = (budget.share(), budget.share());
        long.set(700 << 10);
        short.set(300 << 10);
        assert!(!long.ended.is_cancelled() && !short.ended.is_cancelled());
        short.set(400 << 10);
        assert!(long.ended.is_cancelled() && !short.ended.is_cancelled());
        assert_eq!(counter.load(Ordering::Relaxed), 400 << 10);
        drop((long, short));
        assert_eq!(counter.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_line_that_was_told_to_end_is_not_told_again_in_the_place_of_another() {
        let budget = LineBudget::new(1 << 20, Arc::default());
        let mut all: Vec<LineShare> = (0..3).map(|_| budget.share()).collect();
        all[0].set(900 << 10);
        all[1].set(800 << 10);
        all[2].set(700 << 10);
        let ended: Vec<bool> = all.iter().map(|share| share.ended.is_cancelled()).collect();
        assert_eq!(ended, [true, true, false]);
    }
}
