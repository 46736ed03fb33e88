//! The state of a watch: whether changes of files are reported.

use std::time::Duration;

use hookwright_model::Message;
use tokio::sync::watch;
use tokio::time::Instant;

use super::WatchMode;

hookwright_model::messages! {
    /// The folders have not been read for the first time yet.
    NOT_YET = "not_live" / "not_yet" { "changes are not detected yet: the folders are still being read", "尚未监视变化：仍在读取文件夹" };
}

/// How long a new watch may take for its first result. A caller that asks for the reason waits until then.
const FIRST_RESULT_TIMEOUT: Duration = Duration::from_secs(2);

/// The last reported mode of a watch.
#[derive(Debug)]
pub struct WatchStatus {
    mode: watch::Sender<WatchMode>,
    since: Instant,
}

impl Default for WatchStatus {
    fn default() -> Self {
        Self {
            mode: watch::Sender::new(WatchMode::Starting),
            since: Instant::now(),
        }
    }
}

impl WatchStatus {
    /// The last reported mode.
    #[must_use]
    pub fn get(&self) -> WatchMode {
        self.mode.borrow().clone()
    }

    /// Sets the mode. Returns whether what callers saw may have changed. The start of a watch is not a change, because
    /// every caller waited for it.
    pub fn set(&self, mode: WatchMode) -> bool {
        let before = self.mode.send_replace(mode.clone());
        let is_first =
            before == WatchMode::Starting && mode == WatchMode::Events && self.since.elapsed() < FIRST_RESULT_TIMEOUT;
        before != mode && !is_first
    }

    /// The reason why changes are not reported at once; `None` if they are. It waits for the first result of a new
    /// watch, so it never answers `None` too early.
    pub async fn not_live_reason(&self) -> Option<Message> {
        let mut mode = self.mode.subscribe();
        // The sender exists as long as `self`, so the only possible error is the timeout.
        let _known = tokio::time::timeout_at(
            self.since + FIRST_RESULT_TIMEOUT,
            mode.wait_for(|mode| *mode != WatchMode::Starting),
        )
        .await;
        match self.get() {
            WatchMode::Events => None,
            WatchMode::Starting => Some(NOT_YET.render_plain()),
            WatchMode::Polling(why) => Some(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_reason_waits_for_the_first_result() {
        let status = WatchStatus::default();
        let polling = WatchMode::Polling(NOT_YET.render_plain());
        let (why, ()) = tokio::join!(status.not_live_reason(), async {
            assert!(status.set(polling.clone()), "that changes are not told is news");
        });
        assert!(why.is_some());
        assert!(status.set(WatchMode::Events), "so is that they are told again");
        assert_eq!(status.not_live_reason().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_has_not_begun_is_not_live() {
        let status = WatchStatus::default();
        let why = status.not_live_reason().await.expect("nothing is heard yet");
        assert_eq!(why.args["case"], "not_yet");
        assert!(status.set(WatchMode::Events), "somebody was told otherwise");
    }

    #[test]
    fn the_start_of_a_watch_is_not_a_change() {
        let status = WatchStatus::default();
        assert!(!status.set(WatchMode::Events));
        assert!(!status.set(WatchMode::Events));
    }
}
