//! Watches files. An event only means that the files must be checked again. The content decides what changed, so a lost
//! event delays a change but does not lose it.

mod watch_hub;
mod watch_status;

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{Message, MessageTemplate};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use watch_hub::Subscription;

pub use watch_hub::{WatchHub, WatchSet};
pub use watch_status::WatchStatus;

/// All message templates of this module.
pub(crate) fn messages() -> Vec<&'static MessageTemplate> {
    [watch_hub::ALL, watch_status::ALL].concat()
}

/// The files are checked again if no event was received for this time.
const RESCAN_INTERVAL: Duration = Duration::from_secs(30);
/// The same interval while the system cannot report changes.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// A stream of events delays the check by at most this time, or by one debounce time if that is longer.
const MAX_DELAY: Duration = Duration::from_millis(300);
/// How many times a check is repeated while new folders appear inside each other.
const MAX_ROUNDS: u32 = 16;

/// Whether changes are reported at once.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchMode {
    /// The watch is not set up yet.
    Starting,
    /// The system reports changes at once.
    Events,
    /// The files are checked every few seconds, for this reason.
    Polling(Message),
}

/// Why the files are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshCause {
    /// An event was received, or changes before now may have had no event.
    Event,
    /// Events were received for [`MAX_DELAY`] without a pause, so a file may be half-written.
    Busy,
    /// No event was received for a while. If the metadata of the files did not change, they need not be read.
    Timer,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshResult {
    /// The files are unchanged, and so is the set of paths to watch.
    Unchanged,
    /// All files were read, so the set of paths to watch may have changed.
    Read,
    /// The same, and hooks of an earlier read stay in force because a file may be half-written. The end of a save has no
    /// event of its own, so the files are checked again after the debounce time.
    Held,
}

/// A running watch. It ends when this handle is dropped.
#[derive(Debug)]
pub struct WatchHandle {
    stop: CancellationToken,
    wake: mpsc::Sender<()>,
}

impl WatchHandle {
    /// Requests a check now, for example when the window gets the focus.
    pub fn request_refresh(&self) {
        // If the watch ended, there is nothing to do. If the channel is full, a check is already requested.
        let _told = self.wake.try_send(());
    }
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Calls `refresh` when the paths of `watch_set` had no event for the time `debounce`, and regularly without an event.
/// `refresh` receives the mode of the watch. `watch_set` is called again after each check, because paths appear and
/// vanish. Both run on threads where they may wait for the disk, so they block no other task of the runtime.
pub fn watch<P, L>(watch_hub: &Arc<WatchHub>, debounce: Duration, watch_set: P, refresh: L) -> WatchHandle
where
    P: Fn() -> WatchSet + Send + Sync + 'static,
    L: Fn(WatchMode, RefreshCause) -> RefreshResult + Send + Sync + 'static,
{
    let stop = CancellationToken::new();
    // Capacity 1 is enough: a message only means that something changed since the last check.
    let (wake, mut events) = mpsc::channel(1);
    let task = Arc::new(WatchTask {
        debounce,
        subscription: watch_hub.subscribe(wake.clone()),
        watch_set,
        refresh,
    });
    let stopped = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = stopped.cancelled_owned() => {}
            () = task.run(&mut events) => {}
        }
    });
    WatchHandle { stop, wake }
}

struct WatchTask<P, L> {
    debounce: Duration,
    subscription: Subscription,
    watch_set: P,
    refresh: L,
}

impl<P, L> WatchTask<P, L>
where
    P: Fn() -> WatchSet + Send + Sync + 'static,
    L: Fn(WatchMode, RefreshCause) -> RefreshResult + Send + Sync + 'static,
{
    async fn run(self: Arc<Self>, events: &mut mpsc::Receiver<()>) {
        // A file may have changed after the caller read it and before the watch began.
        let mut cause = RefreshCause::Event;
        loop {
            let task = self.clone();
            // Without a result the runtime ends, or the check panicked, so the watch ends too.
            let Ok((mode, result)) = tokio::task::spawn_blocking(move || task.refresh(cause)).await else {
                return;
            };
            let interval = match mode {
                WatchMode::Events => RESCAN_INTERVAL,
                WatchMode::Starting | WatchMode::Polling(_) => POLL_INTERVAL,
            };
            let (interval, otherwise) = match result {
                RefreshResult::Held => (self.debounce, RefreshCause::Event),
                RefreshResult::Unchanged | RefreshResult::Read => (interval, RefreshCause::Timer),
            };
            cause = otherwise;
            if let Ok(Some(())) = tokio::time::timeout(interval, events.recv()).await {
                cause = debounce(self.debounce, events).await;
            }
        }
    }

    /// Sets up the watch first and checks the files then, so that no change is missed. It repeats this while there are
    /// new paths: changes there had no event until now.
    fn refresh(&self, mut cause: RefreshCause) -> (WatchMode, RefreshResult) {
        let mut watched = self.subscription.watch(&(self.watch_set)());
        for _ in 0..MAX_ROUNDS {
            if watched.has_new_paths && cause == RefreshCause::Timer {
                cause = RefreshCause::Event;
            }
            let result = (self.refresh)(watched.mode.clone(), cause);
            if result == RefreshResult::Unchanged {
                return (watched.mode, result);
            }
            watched = self.subscription.watch(&(self.watch_set)());
            if !watched.has_new_paths {
                return (watched.mode, result);
            }
        }
        if cause == RefreshCause::Timer {
            cause = RefreshCause::Event;
        }
        let result = (self.refresh)(watched.mode.clone(), cause);
        (watched.mode, result)
    }
}

/// Waits until no event was received for the debounce time, at most [`MAX_DELAY`].
async fn debounce(quiet: Duration, events: &mut mpsc::Receiver<()>) -> RefreshCause {
    let mut last = Instant::now();
    let latest = last + MAX_DELAY.max(quiet);
    while let Ok(Some(())) = tokio::time::timeout_at(latest.min(last + quiet), events.recv()).await {
        last = Instant::now();
    }
    if last + quiet <= latest {
        RefreshCause::Event
    } else {
        RefreshCause::Busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_millis(100);

    /// What the wait for quiet returns, and after how long, while events come in these intervals.
    async fn debounced(intervals: &[u64]) -> (RefreshCause, Duration) {
        let (sender, mut events) = mpsc::channel(1);
        let intervals: Vec<Duration> = intervals.iter().copied().map(Duration::from_millis).collect();
        tokio::spawn(async move {
            for interval in intervals {
                tokio::time::sleep(interval).await;
                let _ = sender.try_send(());
            }
            // The channel stays open, as that of a watch does.
            tokio::time::sleep(Duration::from_secs(3600)).await;
        });
        let begin = Instant::now();
        let cause = debounce(QUIET, &mut events).await;
        (cause, begin.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn one_save_is_read_after_the_debounce_time() {
        assert_eq!(debounced(&[]).await, (RefreshCause::Event, QUIET));
        assert_eq!(
            debounced(&[40, 40]).await,
            (RefreshCause::Event, Duration::from_millis(180))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_storm_of_saves_is_read_after_300_ms_as_one_that_may_be_half_written() {
        let storm = [30; 100];
        assert_eq!(debounced(&storm).await, (RefreshCause::Busy, MAX_DELAY));
    }

    #[tokio::test(start_paused = true)]
    async fn files_that_may_be_half_written_are_checked_again_without_an_event() {
        for (result, next) in [
            (RefreshResult::Held, RefreshCause::Event),
            (RefreshResult::Read, RefreshCause::Timer),
        ] {
            let (sender, mut causes) = mpsc::unbounded_channel();
            let _watching = watch(&Arc::default(), QUIET, WatchSet::default, move |_, cause| {
                let _ = sender.send(cause);
                result
            });
            assert_eq!(causes.recv().await, Some(RefreshCause::Event));
            assert_eq!(causes.recv().await, Some(next), "{result:?}");
        }
    }
}
