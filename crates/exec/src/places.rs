//! The places of hook processes that may run at the same time (`CONTRACTS.md` §3, "Bounds").

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{Cancelled, RunMode, RunPlace};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of hook processes of one engine that run at the same time. Peers are not counted: a session has one of
/// each kind, and they would hold their places until it ends.
const MAX_PROCESSES: usize = 128;
/// Of these, detached hooks have at most so many: the event does not wait for them, so they must not delay a guard.
const MAX_DETACHED: usize = 64;
/// Of these, hooks that 0, 1 or 2 other hooks enclose have at most so many. A hook whose agent fires events holds its
/// place until they have ended, so the hooks of these events always find places that no outer hook can take.
const MAX_BY_DEPTH: [usize; 3] = [MAX_PROCESSES - 16, MAX_PROCESSES - 8, MAX_PROCESSES - 4];

/// Gives places to hook processes.
#[derive(Debug)]
pub(crate) struct Places {
    all: Arc<Semaphore>,
    detached: Arc<Semaphore>,
    by_depth: [Arc<Semaphore>; MAX_BY_DEPTH.len()],
}

impl Places {
    pub(crate) fn new() -> Self {
        let with = |places| Arc::new(Semaphore::new(places));
        Self {
            all: with(MAX_PROCESSES),
            detached: with(MAX_DETACHED),
            by_depth: MAX_BY_DEPTH.map(with),
        }
    }

    /// Waits for a place. `depth` is 1 for a hook that no other hook encloses. `None` if `cancelled` resolves first.
    pub(crate) fn reserve(
        &self,
        mode: RunMode,
        depth: u32,
        cancelled: Cancelled,
    ) -> BoxFuture<'static, Option<RunPlace>> {
        let needed = self.needed(mode, depth);
        // Without a wait, no task is woken and nothing is polled twice.
        if mode == RunMode::Await
            && let Some(held) = needed
                .iter()
                .map(|limit| limit.clone().try_acquire_owned().ok())
                .collect()
        {
            return futures::future::ready(Some(place(held))).boxed();
        }
        let acquire = async move {
            let mut held = Vec::with_capacity(needed.len());
            for limit in needed {
                held.push(limit.acquire_owned().await.ok()?);
            }
            Some(place(held))
        };
        async move {
            tokio::select! {
                biased;
                () = cancelled => None,
                place = acquire => place,
            }
        }
        .boxed()
    }

    /// The limits that apply, always in the same order, so that two waits cannot wait for each other.
    fn needed(&self, mode: RunMode, depth: u32) -> Vec<Arc<Semaphore>> {
        let outer = usize::try_from(depth.saturating_sub(1)).unwrap_or(usize::MAX);
        let of_mode = match mode {
            RunMode::Await => None,
            RunMode::Detach => Some(&self.detached),
        };
        let of_depth = self.by_depth.iter().skip(outer);
        of_mode
            .into_iter()
            .chain(of_depth)
            .chain([&self.all])
            .cloned()
            .collect()
    }
}

fn place(held: Vec<OwnedSemaphorePermit>) -> RunPlace {
    RunPlace::held_by(held)
}
