//! The engine behind a window: its own, or the living one that it attached to.

use std::sync::{Arc, Weak};

use hookwright_app::pushes::EngineState;
use hookwright_app::{App, Fault, HostEnv, ProcessRole, Push, wall_clock};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{RwLock, broadcast};

use crate::client::{Client, gone};
use crate::gather::all_stale;
use crate::listening::{ListenError, Listening};
use crate::router::{Mode, Router, dress};

/// How often a window tries again when an engine appears or vanishes while it looks for one.
const TRIES: u32 = 3;
/// Pushes kept for a window that is slow.
const PUSHES: usize = 1024;

/// One interface to the engine, wherever it lives.
pub struct Host {
    around: HostEnv,
    behind: RwLock<Behind>,
    pushes: broadcast::Sender<Push>,
}

#[derive(Clone)]
enum Behind {
    Own {
        router: Router,
        listening: Option<Arc<Listening>>,
    },
    Attached(Client),
    Stopped,
}

/// Where the engine lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// In this process, and others can find it.
    Embedded,
    /// In this process, and nobody else can reach it.
    Alone,
    /// In another process.
    Attached,
    /// There is none.
    Stopped,
}

impl Host {
    /// Attaches to the living engine of the data folder; else starts one, which others can find.
    pub async fn open(around: HostEnv) -> Arc<Self> {
        let host = Arc::new(Self {
            around,
            behind: RwLock::new(Behind::Stopped),
            pushes: broadcast::channel(PUSHES).0,
        });
        // A window without an engine can still show that, and ask again.
        if let Err(fault) = host.start().await {
            tracing::warn!(%fault, "there is no engine");
        }
        host
    }

    /// Finds or starts an engine, when there is none any more.
    ///
    /// # Errors
    /// There still is none: others came and went while this one looked.
    pub async fn start(self: &Arc<Self>) -> Result<(), Fault> {
        let mut behind = self.behind.write().await;
        if !matches!(*behind, Behind::Stopped) {
            return Ok(());
        }
        *behind = find(&self.around).await;
        let engine = behind.clone();
        drop(behind);
        let (state, started) = match engine {
            Behind::Stopped => (EngineState::Stopped, Err(gone("others came and went meanwhile"))),
            Behind::Own { .. } | Behind::Attached(_) => (EngineState::Running, Ok(())),
        };
        self.listen(engine).await;
        self.push(Push::Engine { state });
        started
    }

    /// Calls a command.
    ///
    /// # Errors
    /// The command's own fault, or that there is no engine any more.
    pub async fn call(self: &Arc<Self>, method: &str, params: Value) -> Result<Value, Fault> {
        if method == "engine.start" {
            self.start().await?;
            return Ok(json!({}));
        }
        let behind = self.behind.read().await.clone();
        let mut result = match behind {
            Behind::Own { router, .. } => router.call(method, params).await,
            Behind::Attached(client) => client.call(method, params).await.map(|mut result| {
                if method == "state" {
                    dress(&mut result, Mode::Attached, None);
                }
                result
            }),
            Behind::Stopped => Err(gone("it ended")),
        };
        if let (Ok(Value::Object(state)), "state") = (&mut result, method) {
            state.insert("window".to_owned(), json!(true));
        }
        result
    }

    /// Hears every push from now on, of this engine and of the ones after it.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        self.pushes.subscribe()
    }

    /// Tells the window something itself.
    pub fn push(&self, push: Push) {
        // Nobody listening is no error.
        drop(self.pushes.send(push));
    }

    /// Where the engine lives now.
    pub async fn standing(&self) -> Standing {
        match &*self.behind.read().await {
            Behind::Own { listening: Some(_), .. } => Standing::Embedded,
            Behind::Own { listening: None, .. } => Standing::Alone,
            Behind::Attached(_) => Standing::Attached,
            Behind::Stopped => Standing::Stopped,
        }
    }

    /// Ends our own engine cleanly; one that we attached to lives on.
    pub async fn close(&self) {
        let behind = std::mem::replace(&mut *self.behind.write().await, Behind::Stopped);
        end(behind).await;
    }

    /// Hands on what the engine pushes, and notices when its time is over.
    async fn listen(self: &Arc<Self>, engine: Behind) {
        let host = Arc::downgrade(self);
        match engine {
            Behind::Own { router, listening } => {
                tokio::spawn(forward(host.clone(), router.subscribe()));
                if let Some(listening) = listening {
                    tokio::spawn(async move {
                        listening.replaced().await;
                        drop(listening);
                        stopped(&host).await;
                    });
                }
            }
            Behind::Attached(client) => {
                match client.pushes().await {
                    Ok(pushes) => drop(tokio::spawn(forward(host.clone(), pushes))),
                    Err(fault) => tracing::warn!(%fault, "the engine ended while the window attached to it"),
                }
                tokio::spawn(async move {
                    client.gone().await;
                    stopped(&host).await;
                });
            }
            Behind::Stopped => {}
        }
    }
}

/// Our own engine hung and was replaced, or the one we attached to ended.
async fn stopped(host: &Weak<Host>) {
    let Some(host) = host.upgrade() else { return };
    let behind = std::mem::replace(&mut *host.behind.write().await, Behind::Stopped);
    end(behind).await;
    host.push(Push::Engine {
        state: EngineState::Stopped,
    });
}

async fn end(behind: Behind) {
    match behind {
        Behind::Own {
            listening: Some(listening),
            ..
        } => listening.stop().await,
        Behind::Own {
            router,
            listening: None,
        } => router.end().await,
        Behind::Attached(_) | Behind::Stopped => {}
    }
}

async fn find(around: &HostEnv) -> Behind {
    for _ in 0..TRIES {
        if let Ok(client) = Client::connect(&around.run_dir()).await {
            return Behind::Attached(client);
        }
        let app = Arc::new(App::open(around.clone(), ProcessRole::Engine, wall_clock()));
        match Listening::start(app.clone(), Mode::Embedded).await {
            Ok(listening) => {
                let listening = Arc::new(listening);
                return Behind::Own {
                    router: listening.router().clone(),
                    listening: Some(listening),
                };
            }
            // It came to life just now: attach to it.
            Err(ListenError::Lives { .. }) => app.shutdown().await,
            Err(error @ (ListenError::Io { .. } | ListenError::InTheWay { .. })) => {
                tracing::warn!(%error, "the command line cannot reach this engine");
                return Behind::Own {
                    router: Router::new(app, Mode::Embedded, None),
                    listening: None,
                };
            }
        }
    }
    Behind::Stopped
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
            // Said once the host knows it too.
            Push::Engine { .. } => {}
            push @ (Push::Stale { .. } | Push::Traces { .. } | Push::Notice { .. } | Push::Navigate { .. }) => {
                host.push(push);
            }
        }
    }
}
