//! Whether a watch is told of changes, for whoever asks about it.

use std::time::Duration;

use hookwright_model::Message;
use tokio::sync::watch;
use tokio::time::Instant;

use super::watch::Live;

hookwright_model::messages! {
    /// The first look at the folders is not over.
    NOT_YET = "not_live" / "not_yet" { "changes are not seen yet: the folders are still being read", "尚未监视变化：仍在读取文件夹" };
}

/// Who asks waits until a watch is so old, where it has not answered yet.
const FIRST_LISTEN: Duration = Duration::from_secs(2);

/// What a watch last said of itself.
#[derive(Debug)]
pub struct WatchStatus {
    live: watch::Sender<Live>,
    since: Instant,
}

impl Default for WatchStatus {
    fn default() -> Self {
        Self {
            live: watch::Sender::new(Live::NotYet),
            since: Instant::now(),
        }
    }
}

impl WatchStatus {
    /// What it said last.
    #[must_use]
    pub fn get(&self) -> Live {
        self.live.borrow().clone()
    }

    /// Notes what the watch says now. Returns whether somebody may have been told otherwise: that a watch is live is no
    /// news where everybody who asked has waited for it.
    pub fn set(&self, live: Live) -> bool {
        let before = self.live.send_replace(live.clone());
        let is_first = before == Live::NotYet && live == Live::Yes && self.since.elapsed() < FIRST_LISTEN;
        before != live && !is_first
    }

    /// Why changes are not told at once; `None` where they are. Waits for the first answer of a watch that has just begun,
    /// so that nobody is told that changes are seen before that is known.
    pub async fn why_not_live(&self) -> Option<Message> {
        let mut live = self.live.subscribe();
        // The sender lives as long as this.
        let _known =
            tokio::time::timeout_at(self.since + FIRST_LISTEN, live.wait_for(|live| *live != Live::NotYet)).await;
        match self.get() {
            Live::Yes => None,
            Live::NotYet => Some(NOT_YET.render_plain()),
            Live::Polling(why) => Some(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_asks_before_the_first_look_is_told_what_it_came_to() {
        let status = WatchStatus::default();
        let polling = Live::Polling(NOT_YET.render_plain());
        let (why, ()) = tokio::join!(status.why_not_live(), async {
            assert!(status.set(polling.clone()), "that changes are not told is news");
        });
        assert!(why.is_some());
        assert!(status.set(Live::Yes), "so is that they are told again");
        assert_eq!(status.why_not_live().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_has_not_begun_is_not_called_live() {
        let status = WatchStatus::default();
        let why = status.why_not_live().await.expect("nothing is heard yet");
        assert_eq!(why.args["case"], "not_yet");
        assert!(status.set(Live::Yes), "somebody was told otherwise");
    }

    #[test]
    fn that_a_watch_began_is_no_news() {
        let status = WatchStatus::default();
        assert!(!status.set(Live::Yes));
        assert!(!status.set(Live::Yes));
    }
}
