//! The traits through which the engine reaches processes, approvals and time.

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::hook::RunMode;
use crate::hook::{Hook, HookId};
use crate::message::Message;
use crate::run::{Call, CallbackCall, PromptCall, Run};

/// Resolves when the chain must stop.
pub type Cancelled = Shared<BoxFuture<'static, ()>>;

/// What an attempt needs in addition to its call.
#[derive(Clone)]
pub struct RunContext {
    /// The id of the hook.
    pub hook: HookId,
    /// Names the set of peers that is used: a session has one peer of each kind. An event without a session gets a set
    /// of its own.
    pub session: String,
    /// Trace id; the hook gets it as `HOOKWRIGHT_TRACE`.
    pub trace: String,
    /// Unique id of this attempt; the hook gets it as `HOOKWRIGHT_RUN`.
    pub run: String,
    /// How deeply events are nested; the hook gets it as `HOOKWRIGHT_DEPTH`.
    pub depth: u32,
    /// The number of the agent's connection that fired the event ([`Event::connection`](crate::Event::connection)).
    pub connection: Option<u64>,
    /// Time limit, counted from the successful start (`engine.md` §6).
    pub limit: Duration,
    /// Resolves when the chain must stop.
    pub cancelled: Cancelled,
    /// Receives what the hook writes while it runs; `None` if the run is not followed.
    pub progress: Option<Arc<dyn RunProgress>>,
}

/// Receives what a hook writes to stderr while it runs. It is called on the path of the event, so it must not wait.
pub trait RunProgress: std::fmt::Debug + Send + Sync {
    /// The next piece of stderr. It can end anywhere, also inside of a character.
    fn stderr(&self, piece: &[u8]);
}

/// Who asks for a place among the calls that may run at the same time.
#[derive(Debug, Clone, Copy)]
pub struct PlaceRequest<'a> {
    /// The program that fired the event ([`EventConnection::program`](crate::EventConnection::program)); empty if no
    /// agent did. Programs take turns.
    pub program: &'a str,
    /// The session of the event ([`RunContext::session`]). The sessions of a program take turns.
    pub session: &'a str,
    /// Whether the event waits for the call.
    pub mode: RunMode,
    /// The [`RunContext::depth`] of the call.
    pub depth: u32,
    /// Whether the call can block what the agent is about to do.
    pub can_block: bool,
}

/// A place among the calls that may run at the same time. It is free again when this is dropped.
#[derive(Default)]
pub struct RunPlace(Option<Box<dyn Send + Sync>>);

impl RunPlace {
    /// A place that is held by `permit`.
    #[must_use]
    pub fn held_by(permit: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(permit)))
    }
}

impl std::fmt::Debug for RunPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunPlace").field("limited", &self.0.is_some()).finish()
    }
}

/// Runs calls. It never fails: a program that cannot be started is also a [`Run`] with an end.
pub trait Runner: Send + Sync {
    /// Runs one attempt to its end.
    fn run<'a>(&'a self, call: Call, context: RunContext) -> BoxFuture<'a, Run>;

    /// Waits until one more call of this kind may run, and holds the place until it is dropped. `None` if `cancelled`
    /// resolves first. The call has not begun while it waits (`CONTRACTS.md` §3, "Bounds").
    fn reserve<'a>(
        &'a self,
        _call: &Call,
        _request: PlaceRequest<'_>,
        _cancelled: Cancelled,
    ) -> BoxFuture<'a, Option<RunPlace>> {
        futures::future::ready(Some(RunPlace::default())).boxed()
    }

    /// Announces calls that will follow soon. Peers among them may start and complete their handshakes now, in
    /// parallel.
    fn prestart(&self, _calls: Vec<(Call, RunContext)>) {}

    /// Closes all peers of a session. Does not wait.
    fn close_session(&self, _session: &str) {}

    /// A variable of the environment in which the processes of hooks are started; `None` if it is not set.
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
}

/// The calls that a connected agent answers. It never fails: an agent that has left is also a [`Run`] with an end.
pub trait AgentCalls: Send + Sync {
    /// Whether an agent completes the prompts of this event with its own model.
    fn offers_model(&self, context: &RunContext) -> bool;

    /// Calls a function inside the agent.
    fn call_back<'a>(&'a self, call: CallbackCall, context: RunContext) -> BoxFuture<'a, Run>;

    /// Has the agent's model complete a prompt.
    fn complete<'a>(&'a self, call: PromptCall, context: RunContext) -> BoxFuture<'a, Run>;
}

/// The pre-spawn check (`engine.md` §3): whether the files that would run are still the approved ones.
pub trait PreSpawnCheck: Send + Sync {
    /// Checks a hook that is about to start in `cwd`.
    ///
    /// # Errors
    /// The message names the file that differs. The step is then `skipped` with reason `untrusted`.
    fn check(&self, hook: &Hook, cwd: &Path) -> Result<SpawnApproval, Message>;
}

/// The permission to start a hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpawnApproval {
    /// Another directory to start in; `None` means the directory of the event.
    pub other_dir: Option<OtherDir>,
}

/// A directory that replaces the one of the event (`engine.md` §3, "Directory").
#[derive(Debug, Clone, PartialEq)]
pub struct OtherDir {
    /// Where the hook starts. The environment variables for the event's directory get this one too.
    pub cwd: PathBuf,
    /// The reason. It becomes a `warning` notice, once per session, hook and directory.
    pub why: Message,
}

/// Measures how much of a chain's time is used. Tests replace it by a fake time.
pub trait ChainTimer: Send + Sync {
    /// Time since the event was accepted.
    fn elapsed(&self) -> Duration;
}
