//! The one door through which processes and model prompts run.
//!
//! What it deliberately does not do: it decides nothing. It knows no hook, no dialect, no trust; it reads no variable of
//! its own process, and writes no file but the one that its guards read. What it is given, it runs to an end, and not
//! being able to start is an end, too.
//!
//! How it works: [`Exec`] is the engine's [`Runner`]. A process leads its own group, is written to, read and waited for
//! within the caller's task (no thread, no task, no channel of its own on the way of an event), and is on a leash: a run
//! that is dropped is stopped. Two [guards](guardian_main) take running hooks along when the engine dies. A
//! long-lived process has a task of its own that keeps it and hands its answers to whom they belong. A
//! prompt is one HTTP request to the endpoint of the settings.
//!
//! Elsewhere than on Linux a descendant that leaves the group is not found again. On Windows only the process itself is
//! ended, and there are no guards.

mod capture;
mod child_guard;
mod descriptors;
mod environment;
mod guardian;
mod login;
mod messages;
#[cfg(target_os = "linux")]
mod orphans;
mod peer;
#[cfg(target_os = "linux")]
mod proc;
mod process;
mod prompt;
mod shell;
mod start_detached;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{Call, Captured, End, Message, MessageTemplate, Run, RunContext, Runner};

pub use descriptors::{raise_descriptor_limit, with_reserve};
pub use environment::which;
pub use guardian::{GuardianProgram, guardian_main, is_guardian};
pub use login::login_environment;
pub use prompt::ModelEndpoint;
pub use shell::shell;
pub use start_detached::start_detached;

use environment::Environment;
use guardian::Guardian;
use peer::{Peers, SpawnContext};
use prompt::ActiveModel;

/// What this crate says to people.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    messages::ALL.to_vec()
}

/// Runs processes and prompts.
#[derive(Debug)]
pub struct Exec {
    environment: ArcSwap<Environment>,
    model: ArcSwap<ActiveModel>,
    guardian: Arc<Guardian>,
    peers: Peers,
}

impl Exec {
    /// With the environment that hooks inherit (the variable of `[model] api_key_env` taken out), and the program that
    /// becomes the guards; without one, hooks outlive an engine that is killed.
    #[must_use]
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>, guardian: Option<GuardianProgram>) -> Self {
        let environment = Environment::new(environment);
        let model = ActiveModel::missing("no endpoint is configured".to_owned());
        Self {
            environment: ArcSwap::from_pointee(environment),
            model: ArcSwap::from_pointee(model),
            guardian: Arc::new(Guardian::new(guardian)),
            peers: Peers::default(),
        }
    }

    /// Closes all long-lived processes of a session together: stdin closed, 2 s, SIGKILL to the group. Does not wait.
    pub fn close_session(&self, session: &str) {
        self.peers.close_session(session);
    }

    /// Closes every long-lived process, and waits until they and those that were closed before are gone.
    pub async fn close(&self) {
        self.peers.close_all().await;
    }

    fn spawn_context(&self) -> SpawnContext {
        SpawnContext {
            environment: self.environment.load_full(),
            guardian: self.guardian.clone(),
        }
    }

    /// Replaces the environment for what starts from now on.
    pub fn use_environment(&self, environment: impl IntoIterator<Item = (OsString, OsString)>) {
        self.environment.store(Arc::new(Environment::new(environment)));
    }

    /// Replaces the endpoint that prompts go to, or says why there is none.
    pub fn use_model(&self, endpoint: Result<ModelEndpoint, Message>) {
        let environment = self.environment.load();
        let model = match endpoint {
            Ok(endpoint) => ActiveModel::ready(endpoint, &environment),
            Err(why) => ActiveModel::missing(why.text),
        };
        self.model.store(Arc::new(model));
    }

    /// What a program does that serves: puts the guards up now, so that the first event does not have to, and whenever none
    /// is left; keeps descriptors back for starting hooks. Returns why there are no guards.
    #[must_use]
    pub fn start_guardian(&self) -> Option<Message> {
        descriptors::enable_reserve();
        self.guardian.start()
    }

    /// Ends hooks that run on although their engine was killed, and its guards with it (Linux). Blocks for a moment when
    /// there are any.
    pub fn kill_orphaned_runs(&self) {
        self.guardian.kill_orphaned_runs();
    }
}

impl Runner for Exec {
    fn run<'a>(&'a self, call: Call, order: RunContext) -> BoxFuture<'a, Run> {
        match call {
            Call::Process(call) => process::run(call, order, self.environment.load_full(), &self.guardian).boxed(),
            Call::Prompt(call) => prompt::run(self.model.load_full(), call, order).boxed(),
            Call::Peer(call) => self.peers.run(call, order, self.spawn_context()).boxed(),
            Call::Immediate(_) => futures::future::ready(empty_run()).boxed(),
        }
    }

    fn prestart(&self, calls: Vec<(Call, RunContext)>) {
        for (call, order) in calls {
            match call {
                Call::Peer(call) => self.peers.prestart(call, &order, self.spawn_context()),
                Call::Process(_) | Call::Prompt(_) | Call::Immediate(_) => {}
            }
        }
    }
}

/// Nothing had to be done.
fn empty_run() -> Run {
    Run {
        end: End::Done,
        code: None,
        signal: None,
        stdin: Captured::default(),
        stdout: Captured::default(),
        stderr: Captured::default(),
        took: Duration::ZERO,
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        notes: Vec::new(),
        counters: std::collections::BTreeMap::new(),
        no_handshake: None,
    }
}
