//! Whether a watch is told of changes, for whoever asks about it.

use std::time::Duration;

use hookwright_model::Message;
use tokio::sync::watch;
use tokio::time::Instant;

use super::watch::WatchMode;

hookwright_model::messages! {
    /// The first look at the folders is not over.
    NOT_YET = "not_live" / "not_yet" { "changes are not seen yet: the folders are still being read", "尚未监视变化：仍在读取文件夹" };
}

/// Who asks waits until a watch is so old, where it has not answered yet.
const FIRST_RESULT_TIMEOUT: Duration = Duration::from_secs(2);

/// What a watch last said of itself.
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
    /// What it said last.
    #[must_use]
    pub fn get(&self) -> WatchMode {
        self.mode.borrow().clone()
    }

    /// Notes what the watch says now. Returns whether somebody may have been told otherwise: that a watch is live is no
    /// news where everybody who asked has waited for it.
    pub fn set(&self, mode: WatchMode) -> bool {
        let before = self.mode.send_replace(mode.clone());
        let is_first =
            before == WatchMode::Starting && mode == WatchMode::Events && self.since.elapsed() < FIRST_RESULT_TIMEOUT;
        before != mode && !is_first
    }

    /// Why changes are not told at once; `None` where they are. Waits for the first answer of a watch that has just begun,
    /// so that nobody is told that changes are seen before that is known.
    pub async fn not_live_reason(&self) -> Option<Message> {
        let mut mode = self.mode.subscribe();
        // The sender lives as long as this.
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
