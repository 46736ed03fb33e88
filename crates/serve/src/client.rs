//! The client side: finds the running engine of a data folder, and calls it.

use std::future::pending;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookwright_app::fault::ENGINE_NOT_RUNNING;
use hookwright_app::pushes::EngineState;
use hookwright_app::{Fault, Push};
use hookwright_model::{json_depth, render};
use hookwright_rpc::{BadLine, Ended, JsonRpc, LineRefusal, Peer, Request, Responder, Service};
use interprocess::local_socket::tokio::Stream;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::time::timeout;

use crate::rpc_message::{self, LIMITS, PUSH, PingReply};
use crate::runtime_dir::RuntimeDir;
use crate::socket;

/// How long an engine may take to accept the connection, and then to respond to `ping`.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Pushes that are buffered for a slow subscriber.
const PUSH_CAPACITY: usize = 1024;

/// Why no engine was found.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No program listens on the control socket.
    #[error("no engine is running")]
    NoEngine,
    /// A program listens and does not respond in time.
    #[error("the engine does not respond")]
    NoReply,
    /// The socket cannot be used, belongs to another user, or the response is not understood.
    #[error("the control socket cannot be used: {0}")]
    Io(io::Error),
}

/// A connection to a running engine. Clones share it. It closes when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Client {
    connection: Arc<ClientConnection>,
    ping_reply: PingReply,
}

#[derive(Debug)]
struct ClientConnection {
    peer: Peer<JsonRpc>,
    pushes: broadcast::Sender<Push>,
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        self.peer.close(Ended::Here);
    }
}

impl Client {
    /// Finds the engine of a data folder by its run folder.
    ///
    /// # Errors
    /// [`ConnectError::NoEngine`] when no program listens, [`ConnectError::NoReply`] when none responds within 2 s, and
    /// [`ConnectError::Io`] for any other failure.
    pub async fn connect(run_dir: &Path) -> Result<Self, ConnectError> {
        Self::connect_within(&RuntimeDir::new(run_dir.to_owned()), CONNECT_TIMEOUT).await
    }

    pub(crate) async fn connect_within(runtime_dir: &RuntimeDir, time_limit: Duration) -> Result<Self, ConnectError> {
        let mut worst = ConnectError::NoEngine;
        for path in runtime_dir.socket_candidates() {
            match Self::connect_to(&path, time_limit).await {
                Ok(client) => return Ok(client),
                Err(ConnectError::NoEngine) => {}
                Err(error) => worst = error,
            }
        }
        Err(worst)
    }

    async fn connect_to(path: &Path, time_limit: Duration) -> Result<Self, ConnectError> {
        let stream = match timeout(time_limit, socket::connect(path)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(connect_error(error)),
            Err(_) => return Err(ConnectError::NoReply),
        };
        if !socket::is_ours(&stream) {
            return Err(ConnectError::Io(io::Error::other("it belongs to another user")));
        }
        let connection = Arc::new(ClientConnection::new(stream));
        match timeout(time_limit, connection.call("ping", json!({}))).await {
            Ok(Ok(reply)) => {
                let ping_reply =
                    serde_json::from_value(reply).map_err(|error| ConnectError::Io(io::Error::other(error)))?;
                Ok(Self { connection, ping_reply })
            }
            // The engine ended between accepting the connection and responding.
            Ok(Err(_)) => Err(ConnectError::NoEngine),
            Err(_) => Err(ConnectError::NoReply),
        }
    }

    /// The engine's response to the first `ping`: its process id and version.
    #[must_use]
    pub fn ping_reply(&self) -> &PingReply {
        &self.ping_reply
    }

    /// Calls a command and waits for its result.
    ///
    /// # Errors
    /// The command's own fault, or `engine_gone` when the connection is closed.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, Fault> {
        self.connection.call(method, params).await
    }

    /// Subscribes to every push from now on. When the engine ends, the last push reports that.
    ///
    /// # Errors
    /// `engine_gone` when the connection is closed.
    pub async fn subscribe(&self) -> Result<broadcast::Receiver<Push>, Fault> {
        let receiver = self.connection.pushes.subscribe();
        self.connection.call("subscribe", json!({})).await?;
        Ok(receiver)
    }

    /// Waits until the engine closes the connection.
    pub async fn wait_until_closed(&self) {
        self.connection.peer.closed().await;
    }
}

fn connect_error(error: io::Error) -> ConnectError {
    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) {
        ConnectError::NoEngine
    } else {
        ConnectError::Io(error)
    }
}

impl ClientConnection {
    fn new(stream: Stream) -> Self {
        let (receive, send) = tokio::io::split(stream);
        let peer = Peer::new(JsonRpc, LIMITS);
        let pushes = broadcast::channel(PUSH_CAPACITY).0;
        let (running, receiver) = (peer.clone(), PushReceiver(pushes.clone()));
        tokio::spawn(async move {
            running.run(receive, send, &receiver, pending()).await;
            drop(receiver.0.send(Push::Engine {
                state: EngineState::Stopped,
            }));
        });
        Self { peer, pushes }
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, Fault> {
        if self.peer.ended().is_some() {
            return Err(engine_gone("the connection is closed"));
        }
        // The keys of a `Value` are texts, so writing cannot fail.
        let params = to_raw_value(&params).unwrap_or_default();
        match self.peer.call(method, &params, None).await {
            Ok(Ok(result)) => rpc_message::read_result(&result),
            Ok(Err(error)) => Err(rpc_message::fault_of(error)),
            Err(_) => Err(engine_gone("it closed the connection")),
        }
    }
}

/// The fault of a call when there is no engine that can respond.
pub(crate) fn engine_gone(why: &str) -> Fault {
    render!(ENGINE_NOT_RUNNING, "why" => why).into()
}

/// Receives what an engine sends by itself. A message of a later version is ignored.
struct PushReceiver(broadcast::Sender<Push>);

impl Service<JsonRpc> for PushReceiver {
    async fn begin(&self, request: Request, _responder: Responder<JsonRpc>) {
        let params = request.params.filter(|_| request.method == PUSH);
        // A tagged type is read from a value: serde buffers it, and a number in the buffer of a text is an object.
        let push = params.and_then(|params| json_depth::read::<Value>(params.get()).ok());
        let push = push.and_then(|push| serde_json::from_value(push).ok());
        // It is not an error if there is no subscriber.
        drop(push.map(|push| self.0.send(push)));
    }

    fn other(&self, _line: BadLine) -> Option<Vec<u8>> {
        None
    }

    fn line_refused(&self, _: LineRefusal) -> Option<Vec<u8>> {
        None
    }
}
