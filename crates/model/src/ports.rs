//! What the engine needs of the world, as traits.

use futures::future::{BoxFuture, Shared};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::hook::{Hook, HookId};
use crate::message::Message;
use crate::run::{Call, Run};

/// Resolves when the chain is to be stopped.
pub type Cancelled = Shared<BoxFuture<'static, ()>>;

/// What belongs to one attempt beside the call itself.
#[derive(Clone)]
pub struct RunContext {
    /// The hook.
    pub hook: HookId,
    /// Whose long-lived processes are asked: one of each in a session. An event without a session has one of its own.
    pub session: String,
    /// Trace id, given to the hook as `HOOKWRIGHT_TRACE`.
    pub trace: String,
    /// Unique per attempt, `HOOKWRIGHT_RUN`.
    pub run: String,
    /// `HOOKWRIGHT_DEPTH` for the hook.
    pub depth: u32,
    /// Time limit, counted from the successful start.
    pub limit: Duration,
    /// Resolves when the chain is stopped.
    pub cancelled: Cancelled,
}

/// Makes a call end in a [`Run`]. Never fails: not being able to start is an end, too.
pub trait Runner: Send + Sync {
    /// Runs one attempt to its end.
    fn run<'a>(&'a self, call: Call, order: RunContext) -> BoxFuture<'a, Run>;

    /// These will be asked soon: long-lived processes among them may start and greet now, all at the same time.
    fn prestart(&self, _calls: Vec<(Call, RunContext)>) {}
}

/// The last look before a spawn (`engine.md` §3): are the files that were approved still the ones that would run?
pub trait PreSpawnCheck: Send + Sync {
    /// Checks a hook that is about to start in `cwd`.
    ///
    /// # Errors
    /// The words say which file differs; the step is then `skipped`, `untrusted`.
    fn check(&self, hook: &Hook, cwd: &Path) -> Result<SpawnApproval, Message>;
}

/// A hook that may start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpawnApproval {
    /// It starts elsewhere than its event says.
    pub instead: Option<OtherDir>,
}

/// Another directory than that of an event (`engine.md` §3, "Directory").
#[derive(Debug, Clone, PartialEq)]
pub struct OtherDir {
    /// Where it starts; the variables that tell hooks the event's directory tell this one, too.
    pub cwd: PathBuf,
    /// Why, as a `warning` notice that is given once a session, hook and directory.
    pub why: Message,
}

/// How much of a chain's time is used up. The engine measures; a test holds it still.
pub trait ChainTimer: Send + Sync {
    /// Time since the event was accepted.
    fn elapsed(&self) -> Duration;
}
