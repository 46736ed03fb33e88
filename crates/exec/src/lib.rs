//! The only place that runs processes and model prompts.
//!
//! This crate makes no decisions. It knows no hook, no dialect and no trust. It reads no variable of its own process,
//! and it writes only the file that its guardians read. It runs each call to its end. A call that cannot be started has
//! ended, too.
//!
//! How it works: [`Exec`] is the engine's [`Runner`]. A process leads its own group. The caller's task writes to it,
//! reads from it and waits for it, so an event needs no extra thread, task or channel. A run that is dropped is killed.
//! Two [guardians](guardian_main) kill running hooks when the engine ends. Each long-lived process has its own task,
//! which supervises it and gives each response to the attempt that waits for it. A prompt is one HTTP request to the
//! endpoint of the settings. A hook's request goes to its URL, never to a link-local address, and follows no redirect.
//!
//! On systems other than Linux, a descendant that leaves the group is not found again. On Windows only the process
//! itself is killed, and there are no guardians.

mod capture;
mod child_guard;
mod descriptors;
mod environment;
mod guardian;
mod http_client;
mod login;
mod memory;
mod messages;
#[cfg(target_os = "linux")]
mod orphans;
mod peer;
mod places;
#[cfg(target_os = "linux")]
mod proc;
mod process;
mod prompt;
mod request;
mod shell;
mod start_detached;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    Call, Cancelled, Captured, End, Message, MessageTemplate, PlaceRequest, PromptCall, Run, RunContext, RunPlace,
    Runner,
};

pub use descriptors::{raise_descriptor_limit, with_reserve};
pub use environment::which;
pub use guardian::{GuardianProgram, guardian_main, is_guardian};
pub use login::login_environment;
pub use memory::return_large_blocks;
pub use process::nearest_directory;
pub use prompt::ModelEndpoint;
pub use shell::shell;
pub use start_detached::start_detached;

use environment::Environment;
use guardian::Guardian;
use http_client::HttpClient;
use peer::{Peers, SpawnContext};
use places::Places;
use prompt::ActiveModel;

/// The message templates of this crate.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    messages::ALL.to_vec()
}

/// Runs processes and model prompts.
#[derive(Debug)]
pub struct Exec {
    environment: ArcSwap<Environment>,
    model: ArcSwap<ActiveModel>,
    /// The client for the requests of hooks.
    client: ArcSwap<HttpClient>,
    guardian: Arc<Guardian>,
    peers: Peers,
    places: Places,
}

impl Exec {
    /// Takes the environment that hooks inherit, and the program that runs as guardian. The variable of
    /// `[model] api_key_env` must not be in the environment. Without a guardian, hooks continue to run after an engine
    /// that is killed.
    #[must_use]
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>, guardian: Option<GuardianProgram>) -> Self {
        let environment = Environment::new(environment);
        let model = ActiveModel::missing("no endpoint is configured".to_owned());
        Self {
            client: ArcSwap::from_pointee(HttpClient::for_hooks(&environment)),
            environment: ArcSwap::from_pointee(environment),
            model: ArcSwap::from_pointee(model),
            guardian: Arc::new(Guardian::new(guardian)),
            peers: Peers::default(),
            places: Places::default(),
        }
    }

    /// Closes every long-lived process. Waits until these and the ones closed earlier have exited.
    pub async fn close(&self) {
        self.peers.close_all().await;
    }

    fn spawn_context(&self) -> SpawnContext {
        SpawnContext {
            environment: self.environment.load_full(),
            guardian: self.guardian.clone(),
        }
    }

    /// Replaces the environment for processes that start from now on.
    pub fn use_environment(&self, environment: impl IntoIterator<Item = (OsString, OsString)>) {
        let environment = Environment::new(environment);
        self.client.store(Arc::new(HttpClient::for_hooks(&environment)));
        self.environment.store(Arc::new(environment));
    }

    /// Sends a prompt that belongs to no hook to the endpoint, and waits at most this long for the response.
    pub async fn ask_model(&self, call: PromptCall, limit: Duration, cancelled: Cancelled) -> Run {
        prompt::run(self.model.load_full(), call, limit, cancelled).await
    }

    /// Replaces the endpoint for prompts, or sets the reason why there is none.
    pub fn use_model(&self, endpoint: Result<ModelEndpoint, Message>) {
        let environment = self.environment.load();
        let model = match endpoint {
            Ok(endpoint) => ActiveModel::ready(endpoint, &environment),
            Err(why) => ActiveModel::missing(why.text),
        };
        self.model.store(Arc::new(model));
    }

    /// Prepares a program that serves. It starts the guardians now, so that the first event does not have to, and
    /// again whenever none is left. It also enables the reserve of descriptors for starting hooks. Returns why there
    /// are no guardians.
    #[must_use]
    pub fn start_guardian(&self) -> Option<Message> {
        descriptors::enable_reserve();
        self.guardian.start()
    }

    /// Kills hooks that still run although their engine was killed together with its guardians (Linux). Blocks for
    /// a moment if there are any.
    pub fn kill_orphaned_runs(&self) {
        self.guardian.kill_orphaned_runs();
    }
}

impl Runner for Exec {
    fn run<'a>(&'a self, call: Call, order: RunContext) -> BoxFuture<'a, Run> {
        match call {
            Call::Process(call) => process::run(call, order, self.environment.load_full(), &self.guardian).boxed(),
            Call::Prompt(call) => prompt::run(self.model.load_full(), call, order.limit, order.cancelled).boxed(),
            Call::Http(call) => {
                let context = (self.environment.load_full(), self.client.load_full());
                request::run(context, call, order.limit, order.cancelled).boxed()
            }
            Call::Peer(call) => self.peers.run(call, order, self.spawn_context()).boxed(),
            Call::Callback(_) => futures::future::ready(run_without_agent()).boxed(),
            Call::Immediate(_) => futures::future::ready(empty_run()).boxed(),
        }
    }

    fn reserve<'a>(
        &'a self,
        call: &Call,
        request: PlaceRequest<'_>,
        cancelled: Cancelled,
    ) -> BoxFuture<'a, Option<RunPlace>> {
        match call {
            Call::Process(_) => self.places.reserve(request, cancelled),
            Call::Peer(_) | Call::Prompt(_) | Call::Http(_) | Call::Callback(_) | Call::Immediate(_) => {
                futures::future::ready(Some(RunPlace::default())).boxed()
            }
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        let environment = self.environment.load();
        environment
            .var(name)
            .and_then(|value| value.to_str())
            .map(str::to_owned)
    }

    fn prestart(&self, calls: Vec<(Call, RunContext)>) {
        for (call, order) in calls {
            match call {
                Call::Peer(call) => self.peers.prestart(call, &order, self.spawn_context()),
                Call::Process(_) | Call::Prompt(_) | Call::Http(_) | Call::Callback(_) | Call::Immediate(_) => {}
            }
        }
    }

    /// Closes all long-lived processes of a session at the same time: stdin is closed, and after 2 s the group gets
    /// SIGKILL. Does not wait.
    fn close_session(&self, session: &str) {
        self.peers.close_session(session);
    }
}

/// The run of a callback when no agent is connected that could run it.
fn run_without_agent() -> Run {
    Run {
        end: End::PeerGone,
        ..empty_run()
    }
}

/// The run of a call that needs no execution.
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
        warnings: Vec::new(),
        counters: std::collections::BTreeMap::new(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}
