//! The requests of one connection that wait for the engine.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::{Waiting, lock};

/// The waiting requests, by the id that the engine gets.
#[derive(Debug, Default)]
pub struct Calls {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<u64, Waiting>,
    /// Requests that were taken and are not answered yet.
    taken: usize,
    closed: bool,
}

impl State {
    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.taken == 0
    }
}

/// A request that was taken to be answered. It counts as answered when this is dropped.
#[derive(Debug)]
pub struct Taken<'a> {
    pub request: Waiting,
    calls: &'a Calls,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        lock(&self.calls.state).taken -= 1;
        self.calls.changed.notify_all();
    }
}

impl Calls {
    /// Adds a request, unless the connection has ended.
    pub fn add(&self, id: u64, waiting: Waiting) -> Result<(), Waiting> {
        let mut state = lock(&self.state);
        if state.closed {
            return Err(waiting);
        }
        state.waiting.insert(id, waiting);
        Ok(())
    }

    /// Takes a request, to answer it.
    pub fn take(&self, id: u64) -> Option<Taken<'_>> {
        let mut state = lock(&self.state);
        let request = state.waiting.remove(&id)?;
        state.taken += 1;
        Some(Taken { request, calls: self })
    }

    /// Refuses further requests and takes those that wait.
    pub fn close(&self) -> Vec<Taken<'_>> {
        let mut state = lock(&self.state);
        state.closed = true;
        let left: Vec<_> = state
            .waiting
            .drain()
            .map(|(_, request)| Taken { request, calls: self })
            .collect();
        state.taken += left.len();
        left
    }

    /// Refuses further requests. Those that wait still get their answers.
    pub fn refuse_more(&self) {
        lock(&self.state).closed = true;
    }

    /// Whether further requests are refused.
    pub fn is_closed(&self) -> bool {
        lock(&self.state).closed
    }

    /// Whether every request is answered.
    pub fn is_idle(&self) -> bool {
        lock(&self.state).is_idle()
    }

    /// Waits until every request is answered, at most for this time.
    pub fn wait_until_idle(&self, limit: Duration) {
        let state = lock(&self.state);
        let waited = self.changed.wait_timeout_while(state, limit, |state| !state.is_idle());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}
