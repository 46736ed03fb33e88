//! The connection to Hookwright: JSON-RPC 2.0 over the agent socket, one JSON object a line, in both directions.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// Why a request has no result.
#[derive(Debug)]
pub enum CallError {
    /// No engine listens, or it has closed the connection.
    Left(String),
    /// The engine answered with an error; the text is its message and hint.
    Refused(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Left(why) => f.write_str(why),
            Self::Refused(why) => write!(f, "the engine refused: {why}"),
        }
    }
}

/// The answer to a request that has an id: the result, or the message of the error.
type Answer = Result<Value, String>;

/// What the agent does when the engine calls: the result of a method with these parameters. `None`: unknown method.
pub type Handler = dyn Fn(&str, &Value) -> Option<Answer> + Send + Sync;

/// One connection. It can be used by several threads at once.
pub struct Engine {
    stream: UnixStream,
    writing: Mutex<()>,
    calls: Mutex<Calls>,
    left: Condvar,
}

/// The requests that wait for an answer.
#[derive(Default)]
struct Calls {
    last_id: u64,
    waiting: HashMap<u64, Sender<Result<Value, CallError>>>,
    has_left: bool,
}

impl Engine {
    /// Connects, and reads what the engine sends until it leaves.
    pub fn connect(handler: Arc<Handler>) -> Result<Arc<Self>, CallError> {
        let engine = Arc::new(Self {
            stream: open_socket()?,
            writing: Mutex::new(()),
            calls: Mutex::default(),
            left: Condvar::new(),
        });
        let reader = Arc::clone(&engine);
        std::thread::spawn(move || reader.read(&handler));
        Ok(engine)
    }

    /// Sends a request and waits for its result.
    pub fn call(&self, method: &str, params: &Value) -> Result<Value, CallError> {
        let (sender, answer) = channel();
        let id = {
            let mut calls = lock(&self.calls);
            if calls.has_left {
                return Err(closed());
            }
            calls.last_id += 1;
            let id = calls.last_id;
            calls.waiting.insert(id, sender);
            id
        };
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        answer.recv().unwrap_or_else(|_| Err(closed()))
    }

    /// Sends a notification, which has no answer.
    pub fn notify(&self, method: &str, params: &Value) -> Result<(), CallError> {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Waits until the engine leaves, at most as long as this; `None` is without end. Returns whether it has left.
    pub fn wait_until_left(&self, limit: Option<Duration>) -> bool {
        let calls = lock(&self.calls);
        let stays = |calls: &mut Calls| !calls.has_left;
        let calls = match limit {
            None => self
                .left
                .wait_while(calls, stays)
                .unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                let waited = self.left.wait_timeout_while(calls, limit, stays);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        calls.has_left
    }

    /// Closes the connection.
    pub fn close(&self) {
        // An error means that the engine was faster.
        let _closed = self.stream.shutdown(Shutdown::Both);
    }

    fn write(&self, message: &Value) -> Result<(), CallError> {
        let line = format!("{message}\n");
        let _one_line_at_a_time = lock(&self.writing);
        (&self.stream).write_all(line.as_bytes()).map_err(|_| closed())
    }

    /// Reads lines until the engine leaves. Nothing may wait here: an event waits for what it asks of this agent.
    fn read(self: &Arc<Self>, handler: &Arc<Handler>) {
        for line in BufReader::new(&self.stream).lines() {
            let message = line.ok().and_then(|line| serde_json::from_str(&line).ok());
            match message {
                Some(message) => self.receive(message, handler),
                None => break,
            }
        }
        let mut calls = lock(&self.calls);
        calls.has_left = true;
        calls.waiting.clear(); // whoever waits for an answer gets `closed`
        self.left.notify_all();
    }

    fn receive(self: &Arc<Self>, mut message: Value, handler: &Arc<Handler>) {
        let is_call = message["method"].is_string();
        let id = message["id"].take();
        if is_call && id.is_null() {
            serve(handler, &message); // a notification: here, so that they keep their order
        } else if is_call {
            let (engine, handler) = (Arc::clone(self), Arc::clone(handler));
            std::thread::spawn(move || {
                let mut answer = serve(&handler, &message);
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = id;
                // An error means that the connection is closed, so no answer is needed.
                let _sent = engine.write(&answer);
            });
        } else {
            self.take_answer(&id, message);
        }
    }

    fn take_answer(&self, id: &Value, mut message: Value) {
        let waiting = id.as_u64().and_then(|id| lock(&self.calls).waiting.remove(&id));
        match waiting {
            // An error without an id is about a line that the engine could not read.
            None => eprintln!("the engine reports: {}", message["error"]),
            Some(sender) => {
                let answer = match message.get("error") {
                    Some(error) => Err(CallError::Refused(error_text(error))),
                    None => Ok(message["result"].take()),
                };
                // The one who waits is `call`, which waits until there is an answer.
                let _taken = sender.send(answer);
            }
        }
    }
}

/// Answers a request of the engine, or takes a notification.
fn serve(handler: &Arc<Handler>, message: &Value) -> Value {
    let method = message["method"].as_str().unwrap_or_default();
    match handler(method, &message["params"]) {
        Some(Ok(result)) => json!({"result": result}),
        Some(Err(why)) => json!({"error": {"code": -32603, "message": why}}),
        None => json!({"error": {"code": -32601, "message": format!("unknown method {method}")}}),
    }
}

/// A panic in one thread does not end the others: what they guard is consistent after each line.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn closed() -> CallError {
    CallError::Left("the engine has closed the connection".to_owned())
}

fn error_text(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or("unknown error");
    match error["data"]["hint"].as_str() {
        Some(hint) => format!("{message} ({hint})"),
        None => message.to_owned(),
    }
}

fn open_socket() -> Result<UnixStream, CallError> {
    let places = socket_places()?;
    // Absent, refused, or too long a path: the next place may answer.
    let mut answering = places.iter().filter_map(|place| UnixStream::connect(place).ok());
    answering.next().ok_or_else(|| {
        let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        CallError::Left(format!("no engine listens at {}", tried.join(" or ")))
    })
}

/// The paths at which the engine may listen, in the order in which they are tried.
fn socket_places() -> Result<Vec<PathBuf>, CallError> {
    if let Some(named) = variable("HOOKWRIGHT_SOCKET") {
        return Ok(vec![named]); // then it is the only one
    }
    let mut places = Vec::new();
    if let Some(runtime) = absolute("XDG_RUNTIME_DIR") {
        places.push(runtime.join("hookwright/agent.sock"));
    }
    let run = data_folder()?.join("run");
    places.push(run.join("agent.sock"));
    let endpoint = std::fs::read_to_string(run.join("endpoint")).unwrap_or_default();
    let named = endpoint.lines().next().filter(|line| !line.is_empty());
    places.extend(named.map(PathBuf::from));
    places.dedup();
    Ok(places)
}

/// A variable of the environment. An empty one counts as unset.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// The folder that a variable names. A relative one counts as unset.
fn absolute(name: &str) -> Option<PathBuf> {
    variable(name).filter(|path| path.is_absolute())
}

/// Hookwright's data folder. A relative place is an error, since the working directory would decide who is asked.
fn data_folder() -> Result<PathBuf, CallError> {
    if let Some(folder) = variable("HOOKWRIGHT_DATA") {
        return if folder.is_absolute() {
            Ok(folder)
        } else {
            Err(relative("HOOKWRIGHT_DATA", &folder))
        };
    }
    if let Some(share) = absolute("XDG_DATA_HOME") {
        return Ok(share.join("hookwright"));
    }
    let home = variable("HOME").unwrap_or_default();
    if !home.is_absolute() {
        return Err(relative("HOME", &home));
    }
    let below = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".local/share"
    };
    Ok(home.join(below).join("hookwright"))
}

fn relative(name: &str, path: &Path) -> CallError {
    CallError::Left(format!("{name} is relative: {}", path.display()))
}
