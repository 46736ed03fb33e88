//! Long-lived processes: what is said to them, and what is heard of them. Pure; the lines travel elsewhere.

use serde_json::Value;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use crate::message::Message;
use crate::run::Program;

/// One message to a long-lived process, which is started first when it is not there (`engine.md` §7, "Peers").
#[derive(Debug, Clone)]
pub struct PeerCall {
    /// Which process of the session: the same for all hooks that one process serves.
    pub key: String,
    /// What it was started from: when this is another text, the old process is closed and a new one started.
    pub version: String,
    /// What to start.
    pub program: Program,
    /// Working directory; when it is no directory, `fallback_cwd` with a note.
    pub cwd: PathBuf,
    /// The project.
    pub fallback_cwd: PathBuf,
    /// Added to the engine's environment.
    pub env: Vec<(String, String)>,
    /// Where it loads code from.
    pub loads: CodePathVars,
    /// What the greeting says of us; `Null` where the process speaks first.
    pub handshake_params: Value,
    /// The message.
    pub message: PeerMessage,
    /// How it is spoken to.
    pub wire: &'static dyn PeerProtocol,
    /// Time limits and manners.
    pub rules: PeerRules,
}

/// Which variables of the engine's environment tell a process where to load code from. An entry that is no absolute path
/// would name another folder for every run, and is not handed on.
#[derive(Debug, Clone, Default)]
pub struct CodePathVars {
    /// Their names; each lists folders as PATH does.
    pub vars: &'static [&'static str],
    /// A folder that nothing may be loaded from: entries in it are not handed on either.
    pub never: Option<PathBuf>,
}

/// What is said.
#[derive(Debug, Clone, PartialEq)]
pub enum PeerMessage {
    /// Wants an answer; the value goes to [`PeerProtocol::request`].
    Request(Value),
    /// Wants none: delivered means done. The lines are written as they are.
    Notify(Vec<String>),
    /// Nothing but a welcome: it is started, and what it told of itself is the answer.
    Hello,
}

/// Time limits and manners of a kind of process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerRules {
    /// Time for the greeting, apart from the event's.
    pub handshake_timeout: Duration,
    /// After a cancelled call the process has this long to be heard of again, else it is killed; `None`: it may take its time.
    pub after_cancel: Option<Duration>,
    /// Whether a process that died is started again only after a growing pause.
    pub back_off: bool,
    /// A line longer than this is worth a notice.
    pub long_line: Option<usize>,
    /// So many undelivered notifications wait; more are dropped and counted.
    pub queue: usize,
}

/// How a kind of process is spoken to.
pub trait PeerProtocol: Send + Sync + Debug {
    /// The line that greets; `None` where the process introduces itself.
    fn handshake_line(&self, call: &PeerCall) -> Option<String>;

    /// What a line of the process is.
    fn parse_line(&self, line: &str) -> PeerLine;

    /// What the line that answered the greeting, or introduced the process, says.
    ///
    /// # Errors
    /// It is no good: the process is closed.
    fn parse_handshake(&self, line: &str) -> Result<Handshake, Message>;

    /// The line of a request. Ids count from 1 in each process, the greeting's included.
    fn request(&self, id: u64, message: &Value) -> String;

    /// The line that takes a request back, where there is such a thing.
    fn cancel(&self, id: u64) -> Option<String>;
}

/// What a line of a process is.
#[derive(Debug, Clone, PartialEq)]
pub enum PeerLine {
    /// The answer to the greeting, or the introduction.
    Hello,
    /// The answer to the request of that id.
    Answer(u64),
    /// The same, and it refuses.
    Refusal(u64),
    /// Nobody waits for it.
    Dropped,
    /// It cannot be understood; for the session's log.
    Invalid(Message),
}

/// A greeting that was answered well.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Handshake {
    /// What the process told of itself.
    pub result: Value,
    /// What a person should know.
    pub notes: Vec<Message>,
}
