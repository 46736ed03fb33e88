//! Watching: events only say "look again". What changed is decided by content, so a lost event costs time, never truth.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::Message;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::watch_hub::{Subscription, WatchHub, WatchSet};

/// Looked at anew when nothing was heard for this long.
const RESCAN_INTERVAL: Duration = Duration::from_secs(30);
/// The same while the system cannot tell us of changes.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// A stream of events is not waited out for longer than this many settle times.
const MAX_DEBOUNCES: u32 = 20;
/// Folders that appear one in the other while we look are followed this often.
const MAX_ROUNDS: u32 = 16;

/// Whether changes are told at once.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchMode {
    /// Nobody listens yet.
    Starting,
    /// They are.
    Events,
    /// Checked every few seconds instead, because of this.
    Polling(Message),
}

/// Why a look is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshCause {
    /// Something was heard, or went unheard until now.
    Event,
    /// Nothing was heard for a while. What the system says of the files is enough to tell that they are as they were.
    Timer,
}

/// What a look came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshResult {
    /// All is as it was, and so is what must be listened for.
    Unchanged,
    /// Everything was read, so other places may have to be listened for.
    Read,
}

/// A watch under way; ends when dropped.
#[derive(Debug)]
pub struct WatchHandle {
    stop: CancellationToken,
    wake: mpsc::Sender<()>,
}

impl WatchHandle {
    /// Look again now (the window got the focus, say).
    pub fn request_refresh(&self) {
        // A watch that has ended has nothing to look at; one that was told already will look.
        let _told = self.wake.try_send(());
    }
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Calls `look` once what `wanted()` names has been quiet for `settle`, and now and then without a reason.
/// `look` is told whether changes are heard of; `wanted` is asked anew after each look, since places appear and vanish.
/// Both run where they may wait for the disk: no other task of the runtime waits with them.
pub fn watch<P, L>(watch_hub: &Arc<WatchHub>, debounce: Duration, watch_set: P, refresh: L) -> WatchHandle
where
    P: Fn() -> WatchSet + Send + Sync + 'static,
    L: Fn(WatchMode, RefreshCause) -> RefreshResult + Send + Sync + 'static,
{
    let stop = CancellationToken::new();
    // One is enough: it means "since you looked last".
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
        // Something may have changed between the caller's first look and the moment the ears opened.
        let mut cause = RefreshCause::Event;
        loop {
            let task = self.clone();
            let result = tokio::task::spawn_blocking(move || task.refresh(cause)).await;
            let interval = match result {
                Ok(WatchMode::Events) => RESCAN_INTERVAL,
                Ok(WatchMode::Starting | WatchMode::Polling(_)) => POLL_INTERVAL,
                // The runtime ends, or the look panicked: there is nothing to go on with.
                Err(_) => return,
            };
            cause = RefreshCause::Timer;
            if let Ok(Some(())) = tokio::time::timeout(interval, events.recv()).await {
                self.debounce(events).await;
                cause = RefreshCause::Event;
            }
        }
    }

    /// Listens, then looks, so that nothing falls between; once more while there is more to listen for than before,
    /// since what happened there until then was not heard.
    fn refresh(&self, mut cause: RefreshCause) -> WatchMode {
        let mut result = self.subscription.watch(&(self.watch_set)());
        for _ in 0..MAX_ROUNDS {
            if result.has_new_paths {
                cause = RefreshCause::Event;
            }
            if (self.refresh)(result.mode.clone(), cause) == RefreshResult::Unchanged {
                return result.mode;
            }
            result = self.subscription.watch(&(self.watch_set)());
            if !result.has_new_paths {
                return result.mode;
            }
        }
        (self.refresh)(result.mode.clone(), RefreshCause::Event);
        result.mode
    }

    /// Waits until nothing was heard for the settle time, within reason.
    async fn debounce(&self, events: &mut mpsc::Receiver<()>) {
        let latest = Instant::now() + self.debounce * MAX_DEBOUNCES;
        while let Ok(Some(())) = tokio::time::timeout(self.debounce, events.recv()).await {
            if Instant::now() >= latest {
                return;
            }
        }
    }
}
