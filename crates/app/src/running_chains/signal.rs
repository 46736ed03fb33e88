//! Tells the windows at most ten times a second that running chains have changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, broadcast};

use super::RunningChains;
use crate::pushes::{Push, Topic};

/// The time between two pushes.
const PUSH_INTERVAL: Duration = Duration::from_millis(100);
/// A chain that is over before this is never listed, so that the events of a busy agent do not flicker.
pub(super) const LISTED_AFTER: Duration = Duration::from_millis(400);

/// Whether running chains have changed. While nobody watches, noting a change is one write of a flag.
#[derive(Debug, Default)]
pub(super) struct ChangeSignal {
    has_changed: AtomicBool,
    /// Whether a window may be connected.
    is_watched: AtomicBool,
    /// Whether the pushing task is awake and will see the change.
    is_awake: AtomicBool,
    wake: Notify,
}

impl ChangeSignal {
    /// Notes a change.
    pub(super) fn note_change(&self) {
        self.has_changed.store(true, Ordering::Release);
        if self.is_watched.load(Ordering::Acquire) && !self.is_awake.swap(true, Ordering::AcqRel) {
            self.wake.notify_one();
        }
    }

    /// Notes that a window has connected: it must learn what runs now.
    pub(super) fn watch(&self) {
        self.is_watched.store(true, Ordering::Release);
        self.note_change();
    }

    /// Goes to sleep. Returns whether something has changed meanwhile.
    fn sleep(&self) -> bool {
        self.is_awake.store(false, Ordering::Release);
        self.has_changed.load(Ordering::Acquire)
            && self.is_watched.load(Ordering::Acquire)
            && !self.is_awake.swap(true, Ordering::AcqRel)
    }
}

/// Pushes that the running chains are stale, as long as there are windows.
pub(crate) async fn push_progress(chains: Arc<RunningChains>, pushes: broadcast::WeakSender<Push>) {
    let signal = chains.signal.clone();
    let chains = Arc::downgrade(&chains);
    let mut shown = false;
    loop {
        signal.wake.notified().await;
        loop {
            tokio::time::sleep(PUSH_INTERVAL).await;
            let (Some(chains), Some(pushes)) = (chains.upgrade(), pushes.upgrade()) else {
                return;
            };
            if pushes.receiver_count() == 0 {
                signal.is_watched.store(false, Ordering::Release);
                // One may have connected just before.
                if pushes.receiver_count() > 0 {
                    signal.is_watched.store(true, Ordering::Release);
                }
            } else if signal.has_changed.swap(false, Ordering::AcqRel) {
                let (visible, is_new) = chains.visible();
                if visible || shown {
                    let what = vec![Topic::Chains];
                    drop(pushes.send(Push::Stale { what }));
                }
                shown = visible;
                if is_new {
                    // It is shown with the next push, if it still runs then.
                    signal.has_changed.store(true, Ordering::Release);
                }
                continue;
            }
            if !signal.sleep() {
                break;
            }
        }
    }
}
