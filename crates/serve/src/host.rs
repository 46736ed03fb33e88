//! The engine that a window uses: an engine in the window's process, or a running engine that it attached to.

use std::sync::{Arc, Weak};

use hookwright_app::pushes::EngineState;
use hookwright_app::{App, Fault, Push, notices};
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{RwLock, broadcast};

use crate::client::{Client, engine_gone};
use crate::control_server::{ControlServer, ListenError};
use crate::push_batcher::all_stale;
use crate::router::{HostMode, Router, add_host_info};

/// How often a window tries again when an engine starts or ends during the search.
const MAX_ATTEMPTS: u32 = 3;
/// Pushes that are buffered for a slow window.
const PUSH_CAPACITY: usize = 1024;

/// One interface to the engine, whether it runs in this process or in another one.
pub struct Host {
    env: HostEnv,
    backend: RwLock<Backend>,
    pushes: broadcast::Sender<Push>,
}

#[derive(Clone)]
enum Backend {
    InProcess {
        router: Router,
        server: Option<Arc<ControlServer>>,
    },
    Attached(Client),
    Stopped,
}

/// Where the engine runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineLocation {
    /// In this process, and clients can find it.
    Embedded,
    /// In this process, and no client can reach it.
    EmbeddedUnreachable,
    /// In another process.
    Attached,
    /// No engine runs.
    Stopped,
}

impl Host {
    /// Attaches to the running engine of the data folder. If there is none, it starts one that clients can find.
    pub async fn open(env: HostEnv) -> Arc<Self> {
        let host = Arc::new(Self {
            env,
            backend: RwLock::new(Backend::Stopped),
            pushes: broadcast::channel(PUSH_CAPACITY).0,
        });
        // A window without an engine can still show that state and try again.
        if let Err(fault) = host.start().await {
            tracing::warn!(%fault, "no engine is available");
        }
        host
    }

    /// Finds or starts an engine if none is running.
    ///
    /// # Errors
    /// There is still no engine: other engines started and ended during every attempt.
    pub async fn start(self: &Arc<Self>) -> Result<(), Fault> {
        let mut backend = self.backend.write().await;
        if !matches!(*backend, Backend::Stopped) {
            return Ok(());
        }
        *backend = find_or_start(&self.env).await;
        let engine = backend.clone();
        drop(backend);
        let (state, started) = match engine {
            Backend::Stopped => (
                EngineState::Stopped,
                Err(engine_gone("other engines started and ended at the same time")),
            ),
            Backend::InProcess { .. } | Backend::Attached(_) => (EngineState::Running, Ok(())),
        };
        self.watch_engine(engine).await;
        self.push(Push::Engine { state });
        started
    }

    /// Calls a command.
    ///
    /// # Errors
    /// The command's own fault, or `engine_gone` when there is no engine.
    pub async fn call(self: &Arc<Self>, method: &str, params: Value) -> Result<Value, Fault> {
        if method == "engine.start" {
            self.start().await?;
            return Ok(json!({}));
        }
        let backend = self.backend.read().await.clone();
        let mut result = match backend {
            Backend::InProcess { router, .. } => router.call(method, params).await,
            Backend::Attached(client) => client.call(method, params).await.map(|mut result| {
                if method == "state" {
                    add_host_info(&mut result, HostMode::Attached, None);
                }
                result
            }),
            Backend::Stopped => Err(engine_gone("it ended")),
        };
        if let (Ok(Value::Object(state)), "state") = (&mut result, method) {
            state.insert("window".to_owned(), json!(true));
        }
        result
    }

    /// Subscribes to every push from now on, of this engine and of later ones.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        self.pushes.subscribe()
    }

    /// Sends a push of the host itself to the window.
    pub fn push(&self, push: Push) {
        // It is not an error if there is no subscriber.
        drop(self.pushes.send(push));
    }

    /// Where the engine runs now.
    pub async fn location(&self) -> EngineLocation {
        match &*self.backend.read().await {
            Backend::InProcess { server: Some(_), .. } => EngineLocation::Embedded,
            Backend::InProcess { server: None, .. } => EngineLocation::EmbeddedUnreachable,
            Backend::Attached(_) => EngineLocation::Attached,
            Backend::Stopped => EngineLocation::Stopped,
        }
    }

    /// Whether there is an engine, as the last [`Push::Engine`] said.
    pub async fn engine_state(&self) -> EngineState {
        match self.location().await {
            EngineLocation::Stopped => EngineState::Stopped,
            EngineLocation::Embedded | EngineLocation::EmbeddedUnreachable | EngineLocation::Attached => {
                EngineState::Running
            }
        }
    }

    /// Ends the engine of this process cleanly. An engine in another process keeps running.
    pub async fn close(&self) {
        let backend = std::mem::replace(&mut *self.backend.write().await, Backend::Stopped);
        stop_backend(backend).await;
    }

    /// Forwards the pushes of the engine, and notices when it ends.
    async fn watch_engine(self: &Arc<Self>, engine: Backend) {
        let host = Arc::downgrade(self);
        match engine {
            Backend::InProcess { router, server } => {
                tokio::spawn(forward(host.clone(), router.subscribe()));
                if let Some(server) = server {
                    tokio::spawn(async move {
                        server.wait_until_replaced().await;
                        drop(server);
                        on_engine_stopped(&host).await;
                    });
                }
            }
            Backend::Attached(client) => {
                match client.subscribe().await {
                    Ok(pushes) => drop(tokio::spawn(forward(host.clone(), pushes))),
                    Err(fault) => tracing::warn!(%fault, "the engine ended while the window attached to it"),
                }
                tokio::spawn(async move {
                    client.wait_until_closed().await;
                    on_engine_stopped(&host).await;
                });
            }
            Backend::Stopped => {}
        }
    }
}

/// Called when the engine of this process hung and was replaced, or when the engine in another process ended.
async fn on_engine_stopped(host: &Weak<Host>) {
    let Some(host) = host.upgrade() else { return };
    let backend = std::mem::replace(&mut *host.backend.write().await, Backend::Stopped);
    stop_backend(backend).await;
    host.push(Push::Engine {
        state: EngineState::Stopped,
    });
}

async fn stop_backend(backend: Backend) {
    match backend {
        Backend::InProcess {
            server: Some(server), ..
        } => server.stop().await,
        Backend::InProcess { router, server: None } => router.end().await,
        Backend::Attached(_) | Backend::Stopped => {}
    }
}

async fn find_or_start(env: &HostEnv) -> Backend {
    for _ in 0..MAX_ATTEMPTS {
        if let Ok(client) = Client::connect(&env.run_dir()).await {
            return Backend::Attached(client);
        }
        let app = Arc::new(App::open(env.clone(), ProcessRole::Engine, wall_clock()));
        match ControlServer::start(app.clone(), HostMode::Embedded).await {
            Ok(server) => {
                let server = Arc::new(server);
                return Backend::InProcess {
                    router: server.router().clone(),
                    server: Some(server),
                };
            }
            // Another engine started meanwhile: attach to it.
            Err(ListenError::AlreadyRunning { .. }) => app.shutdown().await,
            Err(
                error @ (ListenError::Io { .. }
                | ListenError::NotASocket { .. }
                | ListenError::InUse { .. }
                | ListenError::TooLong { .. }),
            ) => {
                tracing::warn!(%error, "the command line cannot reach this engine");
                tokio::spawn(notices::watch(Arc::downgrade(&app)));
                return Backend::InProcess {
                    router: Router::new(app, HostMode::Embedded, None),
                    server: None,
                };
            }
        }
    }
    Backend::Stopped
}

async fn forward(host: Weak<Host>, mut pushes: broadcast::Receiver<Push>) {
    loop {
        let push = match pushes.recv().await {
            Ok(push) => push,
            Err(RecvError::Lagged(_)) => all_stale(),
            Err(RecvError::Closed) => return,
        };
        let Some(host) = host.upgrade() else { return };
        match push {
            // The host sends this push itself, after it has updated its own state.
            Push::Engine { .. } => {}
            push @ (Push::Stale { .. }
            | Push::Traces { .. }
            | Push::Notice { .. }
            | Push::Navigate { .. }
            | Push::PromptAnswer { .. }) => {
                host.push(push);
            }
        }
    }
}
