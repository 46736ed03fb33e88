//! The calls of this side that wait for their answers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// This side closed it.
    #[error("it was closed here")]
    Here,
    /// The other side closed it, or it can no longer be read or written.
    #[error("the other side closed it")]
    There,
    /// The other side sent a line over the limit.
    #[error("the other side sent a line that is too long")]
    LineTooLong,
}

/// How many answers came for which no call waited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DroppedAnswers {
    /// The call had timed out, was cancelled, or was answered already.
    pub late: u64,
    /// No call ever had this id.
    pub unknown: u64,
}

/// How a call ended, with what its owner stored for it.
pub(crate) type CallEnd<A, X> = (X, Result<A, Ended>);

/// The ids, and what waits for them.
#[derive(Debug)]
pub(crate) struct PendingCalls<A, X>(Mutex<State<A, X>>);

#[derive(Debug)]
struct State<A, X> {
    last_id: u64,
    calls: HashMap<u64, PendingCall<A, X>>,
    ended: Option<Ended>,
    dropped: DroppedAnswers,
}

#[derive(Debug)]
struct PendingCall<A, X> {
    context: X,
    end: oneshot::Sender<CallEnd<A, X>>,
}

impl<A, X> PendingCalls<A, X> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State {
            last_id: 0,
            calls: HashMap::new(),
            ended: None,
            dropped: DroppedAnswers::default(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State<A, X>> {
        // No code panics while it changes the calls.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uses up one id.
    pub(crate) fn skip_id(&self) {
        self.state().last_id += 1;
    }

    /// Registers a call under the next id.
    pub(crate) fn register(&self, context: X) -> Result<(u64, oneshot::Receiver<CallEnd<A, X>>), Ended> {
        let mut state = self.state();
        if let Some(ended) = state.ended {
            return Err(ended);
        }
        state.last_id += 1;
        let id = state.last_id;
        let (end, ending) = oneshot::channel();
        state.calls.insert(id, PendingCall { context, end });
        Ok((id, ending))
    }

    /// Forgets a call. `None` if it has ended already.
    pub(crate) fn forget(&self, id: u64) -> Option<X> {
        self.state().calls.remove(&id).map(|call| call.context)
    }

    /// Ends a call with its answer. Returns whether it waited for one; if not, the answer is not made, and counted.
    pub(crate) fn deliver(&self, id: u64, answer: impl FnOnce() -> A) -> bool {
        let mut state = self.state();
        let Some(call) = state.calls.remove(&id) else {
            if (1..=state.last_id).contains(&id) {
                state.dropped.late += 1;
            } else {
                state.dropped.unknown += 1;
            }
            return false;
        };
        drop(state);
        // Its receiver is kept as long as the call is registered.
        drop(call.end.send((call.context, Ok(answer()))));
        true
    }

    /// Changes what is stored for each call that waits. Returns how many wait.
    pub(crate) fn for_each(&self, mut change: impl FnMut(&mut X)) -> usize {
        let mut state = self.state();
        state.calls.values_mut().for_each(|call| change(&mut call.context));
        state.calls.len()
    }

    /// Ends every call. No further one can begin. The first reason stays.
    pub(crate) fn end(&self, ended: Ended) {
        let mut state = self.state();
        let ended = *state.ended.get_or_insert(ended);
        let calls = std::mem::take(&mut state.calls);
        drop(state);
        for call in calls.into_values() {
            drop(call.end.send((call.context, Err(ended))));
        }
    }

    pub(crate) fn ended(&self) -> Option<Ended> {
        self.state().ended
    }

    pub(crate) fn dropped(&self) -> DroppedAnswers {
        self.state().dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> PendingCalls<&'static str, Vec<u8>> {
        PendingCalls::new()
    }

    #[test]
    fn ids_count_from_one_and_go_on_after_an_end() {
        let calls = table();
        calls.skip_id();
        let (first, _ending) = calls.register(Vec::new()).unwrap();
        assert!(calls.deliver(first, || "done"));
        let (second, _ending) = calls.register(Vec::new()).unwrap();
        assert_eq!((first, second), (2, 3));
    }

    #[test]
    fn an_answer_comes_with_what_was_stored_for_its_call_alone() {
        let calls = table();
        let (one, mut one_ending) = calls.register(vec![1]).unwrap();
        let (two, mut two_ending) = calls.register(vec![2]).unwrap();
        assert_eq!(calls.for_each(|stored| stored.push(9)), 2);
        assert!(calls.deliver(two, || "two"));
        assert_eq!(calls.for_each(|stored| stored.push(8)), 1);
        assert!(calls.deliver(one, || "one"));
        assert_eq!(one_ending.try_recv().unwrap(), (vec![1, 9, 8], Ok("one")));
        assert_eq!(two_ending.try_recv().unwrap(), (vec![2, 9], Ok("two")));
    }

    #[test]
    fn answers_that_no_call_waits_for_are_counted_and_never_made() {
        let calls = table();
        let (id, _ending) = calls.register(vec![7]).unwrap();
        assert_eq!(calls.forget(id), Some(vec![7]));
        assert_eq!(calls.forget(id), None);
        for stray in [id, id, 0, id + 1, u64::MAX] {
            assert!(!calls.deliver(stray, || panic!("made for {stray}")));
        }
        assert_eq!(calls.dropped(), DroppedAnswers { late: 2, unknown: 3 });
    }

    #[test]
    fn the_end_of_the_connection_ends_every_call_once() {
        let calls = table();
        let (_, mut ending) = calls.register(vec![1]).unwrap();
        calls.end(Ended::LineTooLong);
        calls.end(Ended::Here);
        assert_eq!(ending.try_recv().unwrap(), (vec![1], Err(Ended::LineTooLong)));
        assert_eq!(calls.register(Vec::new()).unwrap_err(), Ended::LineTooLong);
    }
}
