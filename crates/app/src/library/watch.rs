//! Watching: events only say "look again". What changed is decided by content, so a lost event costs time, never truth.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::Message;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ears::{Ear, Ears, Wanted};

/// Looked at anew when nothing was heard for this long.
const SAFETY_NET: Duration = Duration::from_secs(30);
/// The same while the system cannot tell us of changes.
pub(super) const POLLING: Duration = Duration::from_secs(5);
/// A stream of events is not waited out for longer than this many settle times.
const PATIENCE: u32 = 20;
/// Folders that appear one in the other while we look are followed this often.
const DEPTH: u32 = 16;

/// Whether changes are told at once.
#[derive(Debug, Clone, PartialEq)]
pub enum Live {
    /// Nobody listens yet.
    NotYet,
    /// They are.
    Yes,
    /// Checked every few seconds instead, because of this.
    Polling(Message),
}

/// Why a look is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Something was heard, or went unheard until now.
    Heard,
    /// Nothing was heard for a while. What the system says of the files is enough to tell that they are as they were.
    Clock,
}

/// What a look came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// All is as it was, and so is what must be listened for.
    Same,
    /// Everything was read, so other places may have to be listened for.
    Read,
}

/// A watch under way; ends when dropped.
#[derive(Debug)]
pub struct Watching {
    stop: CancellationToken,
    poke: mpsc::Sender<()>,
}

impl Watching {
    /// Look again now (the window got the focus, say).
    pub fn look_again(&self) {
        // A watch that has ended has nothing to look at; one that was told already will look.
        let _told = self.poke.try_send(());
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Calls `look` once what `wanted()` names has been quiet for `settle`, and now and then without a reason.
/// `look` is told whether changes are heard of; `wanted` is asked anew after each look, since places appear and vanish.
/// Both run where they may wait for the disk: no other task of the runtime waits with them.
pub fn watch<P, L>(ears: &Arc<Ears>, settle: Duration, wanted: P, look: L) -> Watching
where
    P: Fn() -> Wanted + Send + Sync + 'static,
    L: Fn(Live, Cause) -> Looked + Send + Sync + 'static,
{
    let stop = CancellationToken::new();
    // One is enough: it means "since you looked last".
    let (poke, mut heard) = mpsc::channel(1);
    let task = Arc::new(Task {
        settle,
        ear: ears.attach(poke.clone()),
        wanted,
        look,
    });
    let stopped = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = stopped.cancelled_owned() => {}
            () = task.run(&mut heard) => {}
        }
    });
    Watching { stop, poke }
}

struct Task<P, L> {
    settle: Duration,
    ear: Ear,
    wanted: P,
    look: L,
}

impl<P, L> Task<P, L>
where
    P: Fn() -> Wanted + Send + Sync + 'static,
    L: Fn(Live, Cause) -> Looked + Send + Sync + 'static,
{
    async fn run(self: Arc<Self>, heard: &mut mpsc::Receiver<()>) {
        // Something may have changed between the caller's first look and the moment the ears opened.
        let mut cause = Cause::Heard;
        loop {
            let task = self.clone();
            let looked = tokio::task::spawn_blocking(move || task.look(cause)).await;
            let rest = match looked {
                Ok(Live::Yes) => SAFETY_NET,
                Ok(Live::NotYet | Live::Polling(_)) => POLLING,
                // The runtime ends, or the look panicked: there is nothing to go on with.
                Err(_) => return,
            };
            cause = Cause::Clock;
            if let Ok(Some(())) = tokio::time::timeout(rest, heard.recv()).await {
                self.settle(heard).await;
                cause = Cause::Heard;
            }
        }
    }

    /// Listens, then looks, so that nothing falls between; once more while there is more to listen for than before,
    /// since what happened there until then was not heard.
    fn look(&self, mut cause: Cause) -> Live {
        let mut heard = self.ear.listen(&(self.wanted)());
        for _ in 0..DEPTH {
            if heard.grew {
                cause = Cause::Heard;
            }
            if (self.look)(heard.live.clone(), cause) == Looked::Same {
                return heard.live;
            }
            heard = self.ear.listen(&(self.wanted)());
            if !heard.grew {
                return heard.live;
            }
        }
        (self.look)(heard.live.clone(), Cause::Heard);
        heard.live
    }

    /// Waits until nothing was heard for the settle time, within reason.
    async fn settle(&self, heard: &mut mpsc::Receiver<()>) {
        let latest = Instant::now() + self.settle * PATIENCE;
        while let Ok(Some(())) = tokio::time::timeout(self.settle, heard.recv()).await {
            if Instant::now() >= latest {
                return;
            }
        }
    }
}
