//! The client side: finds the running engine of a data folder, and calls it.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use hookwright_app::fault::ENGINE_NOT_RUNNING;
use hookwright_app::pushes::EngineState;
use hookwright_app::{Fault, Push};
use hookwright_model::args;
use interprocess::local_socket::tokio::Stream;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

use crate::lines::{LineCodec, RpcLine};
use crate::rpc_message::{self, EngineMessage, PingReply};
use crate::runtime_dir::RuntimeDir;
use crate::socket;

/// How long an engine may take to accept the connection, and then to respond to `ping`.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Requests in the outgoing queue. When it is full, a caller waits.
const OUTGOING_CAPACITY: usize = 64;
/// Pushes that are buffered for a slow subscriber.
const PUSH_CAPACITY: usize = 1024;

/// Why no engine was found.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No program listens on the control socket.
    #[error("no engine is running")]
    NoEngine,
    /// A program listens and does not respond in time.
    #[error("the engine does not answer")]
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
    out: mpsc::Sender<String>,
    pending: Arc<PendingCalls>,
    next_id: AtomicU64,
    pushes: broadcast::Sender<Push>,
    closed: CancellationToken,
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

type PendingCalls = Mutex<HashMap<u64, oneshot::Sender<Result<Value, Fault>>>>;

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
        self.connection.closed.cancelled().await;
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
        let (out, lines) = mpsc::channel(OUTGOING_CAPACITY);
        let pending = Arc::new(PendingCalls::default());
        let pushes = broadcast::channel(PUSH_CAPACITY).0;
        let closed = CancellationToken::new();
        tokio::spawn(write(send, lines, closed.clone()));
        tokio::spawn(read(receive, pending.clone(), pushes.clone(), closed.clone()));
        Self {
            out,
            pending,
            next_id: AtomicU64::new(1),
            pushes,
            closed,
        }
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, Fault> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        // When the caller stops waiting for any reason, its entry is removed.
        let _cancel_on_drop = CancelOnDrop {
            pending: &self.pending,
            id,
        };
        self.pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, sender);
        let sent = self.out.send(rpc_message::request(id, method, &params)).await;
        if sent.is_err() || self.closed.is_cancelled() {
            return Err(engine_gone("the connection is closed"));
        }
        tokio::select! {
            biased;
            answer = answer => answer.unwrap_or_else(|_| Err(engine_gone("it closed the connection"))),
            () = self.closed.cancelled() => Err(engine_gone("it closed the connection")),
        }
    }
}

struct CancelOnDrop<'a> {
    pending: &'a PendingCalls,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.id);
    }
}

/// The fault of a call when there is no engine that can respond.
pub(crate) fn engine_gone(why: &str) -> Fault {
    ENGINE_NOT_RUNNING.render(args! { "why" => why }).into()
}

async fn write(mut send: WriteHalf<Stream>, mut lines: mpsc::Receiver<String>, closed: CancellationToken) {
    loop {
        let line = tokio::select! {
            line = lines.recv() => line,
            () = closed.cancelled() => None,
        };
        let Some(mut line) = line else { return };
        line.push('\n');
        if send.write_all(line.as_bytes()).await.is_err() {
            closed.cancel();
            return;
        }
    }
}

async fn read(
    receive: ReadHalf<Stream>,
    pending: Arc<PendingCalls>,
    pushes: broadcast::Sender<Push>,
    closed: CancellationToken,
) {
    let mut lines = FramedRead::new(receive, LineCodec::default());
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = closed.cancelled() => None,
        };
        let text = match line {
            Some(Ok(RpcLine::Text(text))) => text,
            Some(Ok(RpcLine::NotUtf8)) => continue,
            Some(Ok(RpcLine::TooLong) | Err(_)) | None => break,
        };
        match rpc_message::read_engine_message(&text) {
            EngineMessage::Response(id, result) => {
                let pending_call = pending.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                // A response that no caller waits for is not an error.
                drop(pending_call.map(|sender| sender.send(result)));
            }
            EngineMessage::Push(push) => drop(pushes.send(push)),
            EngineMessage::Other => {}
        }
    }
    closed.cancel();
    pending.lock().unwrap_or_else(PoisonError::into_inner).clear();
    drop(pushes.send(Push::Engine {
        state: EngineState::Stopped,
    }));
}
