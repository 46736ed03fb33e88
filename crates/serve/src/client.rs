//! The other end: finds the living engine of a data folder, and calls it.

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

use crate::lines::{Line, Lines};
use crate::message::{self, About, FromEngine};
use crate::place::Place;
use crate::socket;

/// How long an engine has to say who it is.
const PATIENCE: Duration = Duration::from_secs(2);
/// Requests on their way out before a caller waits.
const OUTGOING: usize = 64;
/// Pushes kept for a listener that is slow.
const PUSHES: usize = 1024;

/// Why no engine was found.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens.
    #[error("no engine is running")]
    NoEngine,
    /// Somebody listens and does not answer.
    #[error("the engine does not answer")]
    Silent,
    /// The socket cannot be used, or belongs to another user.
    #[error("the control socket cannot be used: {0}")]
    Io(io::Error),
}

/// A connection to a living engine; clones share it, and it closes with the last of them.
#[derive(Debug, Clone)]
pub struct Client {
    wire: Arc<Wire>,
    about: About,
}

#[derive(Debug)]
struct Wire {
    out: mpsc::Sender<String>,
    waiting: Arc<Waiting>,
    next: AtomicU64,
    pushes: broadcast::Sender<Push>,
    gone: CancellationToken,
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.gone.cancel();
    }
}

type Waiting = Mutex<HashMap<u64, oneshot::Sender<Result<Value, Fault>>>>;

impl Client {
    /// Finds the engine of a data folder by its run folder.
    ///
    /// # Errors
    /// Nobody listens, or nobody answers within 2 s.
    pub async fn connect(run_dir: &Path) -> Result<Self, ConnectError> {
        Self::connect_within(&Place::new(run_dir.to_owned()), PATIENCE).await
    }

    pub(crate) async fn connect_within(place: &Place, patience: Duration) -> Result<Self, ConnectError> {
        let mut worst = ConnectError::NoEngine;
        for path in place.candidates() {
            match Self::connect_to(&path, patience).await {
                Ok(client) => return Ok(client),
                Err(ConnectError::NoEngine) => {}
                Err(error) => worst = error,
            }
        }
        Err(worst)
    }

    async fn connect_to(path: &Path, patience: Duration) -> Result<Self, ConnectError> {
        let stream = match timeout(patience, socket::connect(path)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(no_connection(error)),
            Err(_) => return Err(ConnectError::Silent),
        };
        if !socket::is_ours(&stream) {
            return Err(ConnectError::Io(io::Error::other("it belongs to another user")));
        }
        let wire = Arc::new(Wire::over(stream));
        match timeout(patience, wire.call("ping", json!({}))).await {
            Ok(Ok(about)) => {
                let about = serde_json::from_value(about).map_err(|error| ConnectError::Io(io::Error::other(error)))?;
                Ok(Self { wire, about })
            }
            // It ended between accepting and answering.
            Ok(Err(_)) => Err(ConnectError::NoEngine),
            Err(_) => Err(ConnectError::Silent),
        }
    }

    /// Who answered.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Calls a command.
    ///
    /// # Errors
    /// The command's own fault, or that the engine is gone.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, Fault> {
        self.wire.call(method, params).await
    }

    /// Hears every push from now on. When the engine ends, the last one says so.
    ///
    /// # Errors
    /// The engine is gone.
    pub async fn pushes(&self) -> Result<broadcast::Receiver<Push>, Fault> {
        let receiver = self.wire.pushes.subscribe();
        self.wire.call("subscribe", json!({})).await?;
        Ok(receiver)
    }

    /// Waits until the engine ends.
    pub async fn gone(&self) {
        self.wire.gone.cancelled().await;
    }
}

fn no_connection(error: io::Error) -> ConnectError {
    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) {
        ConnectError::NoEngine
    } else {
        ConnectError::Io(error)
    }
}

impl Wire {
    fn over(stream: Stream) -> Self {
        let (receive, send) = tokio::io::split(stream);
        let (out, lines) = mpsc::channel(OUTGOING);
        let waiting = Arc::new(Waiting::default());
        let pushes = broadcast::channel(PUSHES).0;
        let gone = CancellationToken::new();
        tokio::spawn(write(send, lines, gone.clone()));
        tokio::spawn(read(receive, waiting.clone(), pushes.clone(), gone.clone()));
        Self {
            out,
            waiting,
            next: AtomicU64::new(1),
            pushes,
            gone,
        }
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, Fault> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        // Whoever stops waiting is forgotten, whatever made them stop.
        let _forget = Forget {
            waiting: &self.waiting,
            id,
        };
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, sender);
        let sent = self.out.send(message::request(id, method, &params)).await;
        if sent.is_err() || self.gone.is_cancelled() {
            return Err(gone("the connection is closed"));
        }
        tokio::select! {
            biased;
            answer = answer => answer.unwrap_or_else(|_| Err(gone("it closed the connection"))),
            () = self.gone.cancelled() => Err(gone("it closed the connection")),
        }
    }
}

struct Forget<'a> {
    waiting: &'a Waiting,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.id);
    }
}

/// The fault of a call that no engine answers.
pub(crate) fn gone(why: &str) -> Fault {
    ENGINE_NOT_RUNNING.render(args! { "why" => why }).into()
}

async fn write(mut send: WriteHalf<Stream>, mut lines: mpsc::Receiver<String>, gone: CancellationToken) {
    loop {
        let line = tokio::select! {
            line = lines.recv() => line,
            () = gone.cancelled() => None,
        };
        let Some(mut line) = line else { return };
        line.push('\n');
        if send.write_all(line.as_bytes()).await.is_err() {
            gone.cancel();
            return;
        }
    }
}

async fn read(
    receive: ReadHalf<Stream>,
    waiting: Arc<Waiting>,
    pushes: broadcast::Sender<Push>,
    gone: CancellationToken,
) {
    let mut lines = FramedRead::new(receive, Lines::default());
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = gone.cancelled() => None,
        };
        let text = match line {
            Some(Ok(Line::Text(text))) => text,
            Some(Ok(Line::NotUtf8)) => continue,
            Some(Ok(Line::TooLong) | Err(_)) | None => break,
        };
        match message::read_from_engine(&text) {
            FromEngine::Answer(id, result) => {
                let waits = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                // Nobody waiting any more is no error.
                drop(waits.map(|sender| sender.send(result)));
            }
            FromEngine::Push(push) => drop(pushes.send(push)),
            FromEngine::Other => {}
        }
    }
    gone.cancel();
    waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
    drop(pushes.send(Push::Engine {
        state: EngineState::Stopped,
    }));
}
