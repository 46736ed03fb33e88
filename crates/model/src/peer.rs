//! Peers: the messages that they get, and how their lines are written and parsed. This module is pure: another crate
//! has the lines, the ids and the pending requests.

use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use crate::message::Message;
use crate::run::Program;

/// One message to a peer. The peer is started first if it does not run (`engine.md` §7, "Peers").
#[derive(Debug, Clone)]
pub struct PeerCall {
    /// Identifies the peer within its session. All hooks that one process serves have the same key.
    pub key: String,
    /// Identifies what the peer was started from. If it differs, the old process is closed and a new one is started.
    pub version: String,
    /// The program that is started.
    pub program: Program,
    /// Working directory. If it is not a directory, `fallback_cwd` is used and a note is added.
    pub cwd: PathBuf,
    /// The project directory.
    pub fallback_cwd: PathBuf,
    /// Variables that are added to the engine's environment.
    pub env: Vec<(String, String)>,
    /// The variables from which the program loads code.
    pub code_path_vars: CodePathVars,
    /// Hookwright's part of the handshake; `Null` if the process speaks first.
    pub handshake_params: Value,
    /// The message.
    pub message: PeerMessage,
    /// The protocol of the peer.
    pub protocol: &'static dyn PeerProtocol,
    /// Time limits and other limits of the peer.
    pub rules: PeerRules,
}

/// The variables of the engine's environment that name folders to load code from. Entries that are not absolute paths
/// are removed, because they would name another folder for every run.
#[derive(Debug, Clone, Default)]
pub struct CodePathVars {
    /// Names of the variables. Each one lists folders as PATH does.
    pub vars: &'static [&'static str],
    /// A folder from which no code may be loaded. Entries inside it are removed too.
    pub excluded_folder: Option<PathBuf>,
}

/// The message of a call.
#[derive(Debug, Clone)]
pub enum PeerMessage {
    /// A request that expects a response.
    Request {
        /// What is asked for.
        method: String,
        /// The parameters, an object. They are written unchanged.
        params: Box<RawValue>,
    },
    /// Notifications that expect no response. The call is done when their lines are delivered.
    Notify {
        /// One notification for each of these methods, in this order.
        methods: Vec<&'static str>,
        /// The parameters of each, an object. They are written unchanged.
        params: Box<RawValue>,
    },
    /// Only the handshake. The peer is started, and its handshake is the response.
    Hello,
}

/// Time limits and other limits of one kind of peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerRules {
    /// Time for the handshake. It does not use up the event's time.
    pub handshake_timeout: Duration,
    /// After a cancelled call, the peer is killed if it sends nothing for this long; `None` means no limit.
    pub after_cancel: Option<Duration>,
    /// Whether a peer that died is started again only after a growing pause.
    pub back_off: bool,
    /// A line of more bytes than this causes a notice; `None` means that no line does.
    pub long_line: Option<usize>,
    /// How many undelivered notifications are queued, at most. Further ones are dropped and counted.
    pub queue: usize,
}

/// The protocol of one kind of peer.
pub trait PeerProtocol: Send + Sync + Debug {
    /// The line that begins the handshake; `None` if the process speaks first.
    fn handshake_line(&self, call: &PeerCall) -> Option<String>;

    /// Classifies a line of the process.
    fn parse_line(&self, line: &str) -> PeerLine;

    /// Reads the line that completes the handshake.
    ///
    /// # Errors
    /// The handshake is invalid. The process is then closed.
    fn parse_handshake(&self, line: &str) -> Result<Handshake, Message>;

    /// The line of a request. Ids count from 1 in each process, the handshake included.
    fn request(&self, id: u64, method: &str, params: &RawValue) -> String;

    /// The line of a notification.
    fn notification(&self, method: &str, params: &RawValue) -> String;

    /// The lines of [`PeerMessage::Notify`], with a line feed between them.
    fn notifications(&self, methods: &[&str], params: &RawValue) -> String {
        let lines: Vec<String> = methods.iter().map(|method| self.notification(method, params)).collect();
        lines.join("\n")
    }

    /// The line that cancels a request; `None` if the protocol has no such message.
    fn cancel(&self, id: u64) -> Option<String>;

    /// Why the beginning of a process's stdout is no handshake; `None` if the protocol cannot tell.
    fn explain_output(&self, _output: &str) -> Option<Message> {
        None
    }
}

/// The meaning of a line from the process.
#[derive(Debug, Clone, PartialEq)]
pub enum PeerLine {
    /// The line that completes the handshake.
    Hello,
    /// The response to the request of this id.
    Answer(u64),
    /// An error response to the request of this id.
    Refusal(u64),
    /// A line that no call waits for. It is counted.
    Dropped,
    /// A line that cannot be parsed. The message is for the user, or for the session's log.
    Invalid(Message),
}

/// A completed handshake.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Handshake {
    /// What the process reported about itself.
    pub result: Value,
    /// Messages for the user.
    pub warnings: Vec<Message>,
}
