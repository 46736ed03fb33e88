//! A fake time for tests. It does not advance while anything can happen. Then it jumps to the next time that a sleeper
//! waits for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

#[derive(Debug, Default)]
pub struct FakeTime(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    now: Duration,
    sleepers: Vec<(Duration, Waker)>,
}

/// Whether a future was woken since it was polled.
#[derive(Debug, Default)]
struct WakeFlag(AtomicBool);

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl FakeTime {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the test began.
    pub fn now(&self) -> Duration {
        self.state().now
    }

    /// Resolves after this span of fake time.
    pub async fn pass(&self, span: Duration) {
        let due = self.now() + span;
        std::future::poll_fn(|context| {
            let mut state = self.state();
            if state.now >= due {
                return Poll::Ready(());
            }
            state.sleepers.push((due, context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// Runs a future to its end. Whenever nothing more can happen at the present time, the time jumps to the next
    /// sleeper.
    pub fn drive<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let woken = Arc::new(WakeFlag::default());
        let waker = Waker::from(woken.clone());
        loop {
            if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
                return done;
            }
            if !woken.0.swap(false, Ordering::SeqCst) {
                self.jump();
            }
        }
    }

    fn jump(&self) {
        let mut state = self.state();
        let next = state.sleepers.iter().map(|(due, _)| *due).min();
        // Without sleepers the time stays the same: the future was woken and must be polled again.
        let now = next.map_or(state.now, |next| next.max(state.now));
        state.now = now;
        let (due, later): (Vec<_>, Vec<_>) = std::mem::take(&mut state.sleepers)
            .into_iter()
            .partition(|(due, _)| *due <= now);
        state.sleepers = later;
        drop(state);
        due.into_iter().for_each(|(_, waker)| waker.wake());
    }
}
