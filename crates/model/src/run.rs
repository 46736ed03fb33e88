//! What the engine asks a [`crate::Runner`] to do for one attempt, and how the attempt ended. A run always has an end
//! and never an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use ts_rs::TS;

use crate::chain::Decoded;
use crate::hook::HttpTarget;
use crate::message::Message;
use crate::peer::PeerCall;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// A process exited with a code.
    Exit,
    /// A signal ended the process.
    Signal,
    /// The time limit was reached.
    TimedOut,
    /// The user or the engine stopped it.
    Cancelled,
    /// It could not be started.
    NotStarted,
    /// A model, peer, callback or URL returned a response.
    Replied,
    /// A model, peer or callback returned an error, or a request was not sent or got no response.
    Refused,
    /// The peer exited or was killed.
    PeerGone,
    /// The message was delivered, and no response is expected.
    Done,
}

impl End {
    /// Every end, in the order of `CONTRACTS.md` §2.1.
    pub const ALL: [Self; 9] = [
        Self::Exit,
        Self::Signal,
        Self::TimedOut,
        Self::Cancelled,
        Self::NotStarted,
        Self::Replied,
        Self::Refused,
        Self::PeerGone,
        Self::Done,
    ];

    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Signal => "signal",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::NotStarted => "not_started",
            Self::Replied => "replied",
            Self::Refused => "refused",
            Self::PeerGone => "peer_gone",
            Self::Done => "done",
        }
    }
}

/// What to run for one attempt.
#[derive(Debug, Clone)]
pub enum Call {
    /// Start a process.
    Process(ProcessCall),
    /// Send a prompt to a model.
    Prompt(PromptCall),
    /// Send a request to a URL.
    Http(HttpCall),
    /// Send a message to a peer.
    Peer(PeerCall),
    /// Call a function inside the connected agent.
    Callback(CallbackCall),
    /// Run nothing. The result is known already, and the step has no attempts.
    Immediate(Decoded),
}

/// A process to start (`engine.md` §7).
#[derive(Debug, Clone)]
pub struct ProcessCall {
    /// The program that is started.
    pub program: Program,
    /// Working directory. If it is not a directory, `fallback_cwd` is used and a note is added.
    pub cwd: PathBuf,
    /// The project directory.
    pub fallback_cwd: PathBuf,
    /// Variables that are added to the engine's environment.
    pub env: Vec<(String, String)>,
    /// The beginnings of the names of variables that are taken out of the engine's environment.
    pub env_without: &'static [&'static str],
    /// The bytes for stdin, which is then closed.
    pub stdin: Vec<u8>,
    /// How long a process that was left behind is waited for; `None` for a moment only, and it does not matter.
    pub held_pipe: Option<HeldPipe>,
    /// Variables that contain the path of a private, empty folder, which is the same for all of them. It is deleted
    /// afterwards. In the words of [`Program::Argv`] it replaces `${NAME}` of each name.
    pub folder_vars: &'static [&'static str],
    /// A variable that contains the path of a private, empty file. The file is deleted afterwards; what was written to
    /// it is in [`Run::env_file`].
    pub env_file: Option<&'static str>,
}

/// How long the output is read after the end of its process, if another one keeps it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldPipe {
    /// Until stdout is silent. If it is still open then, [`Run::pipe_held`] says so.
    UntilSilent {
        /// Nothing was written for this long.
        silence: Duration,
        /// The whole wait.
        most: Duration,
    },
    /// Until stdout and stderr are closed. The call takes as long, and its time limit ends it.
    UntilClosed,
}

/// A program and its arguments. They never contain payload values (`engine.md` §7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A command that is run by `sh -c`.
    Shell(String),
    /// A command that is run by the login shell of the user if that is `bash`, `zsh` or `sh`, otherwise by `bash`, or
    /// by `sh` if there is none (`codex.md` §5).
    LoginShell(String),
    /// A program with arguments, started without a shell.
    Argv(Vec<String>),
}

/// A call of a function inside the connected agent (`CONTRACTS.md` §3, `callback.call`).
#[derive(Debug, Clone, PartialEq)]
pub struct CallbackCall {
    /// The agent's name for the function.
    pub callback: String,
    /// The event, in the dialect's spelling. The input of some dialects does not contain it.
    pub event: &'static str,
    /// What the function gets.
    pub input: Value,
    /// The id of the tool call that the event is about; `None` if it is about none.
    pub tool_use_id: Option<String>,
}

/// A request to a URL (`POST`, JSON).
#[derive(Debug, Clone, PartialEq)]
pub struct HttpCall {
    /// Where it is sent.
    pub target: HttpTarget,
    /// The body.
    pub body: Vec<u8>,
}

/// A prompt for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptCall {
    /// The system message.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// A model name that replaces the provider's current one; `None` to use the current one.
    pub model: Option<String>,
    /// The maximum number of tokens in the response.
    pub max_tokens: u32,
    /// The sampling temperature.
    pub temperature: f32,
}

/// The captured bytes of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to 32 MiB.
    pub bytes: Vec<u8>,
    /// How many bytes the stream had in all.
    pub total: u64,
}

impl Captured {
    /// A stream of exactly these bytes.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let total = bytes.len() as u64;
        Self { bytes, total }
    }

    /// Whether the stream had more bytes than were captured.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// How one attempt ended, with its streams and exit status.
#[derive(Debug, Clone)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// Exit status, or the status of a response to a request; `None` if a signal ended the process or none was started.
    pub code: Option<i32>,
    /// The number of the signal that ended the process; `None` if none did.
    pub signal: Option<i32>,
    /// What was written to stdin or sent.
    pub stdin: Captured,
    /// What the hook wrote to stdout or returned.
    pub stdout: Captured,
    /// What the hook wrote to stderr. If it could not start, it is the system's error message.
    pub stderr: Captured,
    /// From the start of the attempt to its end.
    pub took: Duration,
    /// The resolved command, for display; empty for models.
    pub command: Vec<String>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// Names of the variables that were added to the environment.
    pub env: Vec<String>,
    /// Whether another process kept stdout open after the wait of [`ProcessCall::held_pipe`].
    pub pipe_held: bool,
    /// What was written to the file of [`ProcessCall::env_file`], at most 1 MiB.
    pub env_file: Vec<u8>,
    /// Messages for the user, recorded as `warning` notices (a missing directory, for example).
    pub warnings: Vec<Message>,
    /// Other counters of the attempt (`picoclaw.md` §10), by the names of the metrics.
    pub counters: BTreeMap<&'static str, u64>,
    /// Set if a peer did not complete its handshake.
    pub no_handshake: Option<NoHandshake>,
}

/// Why a peer was stopped before it completed its handshake.
#[derive(Debug, Clone, PartialEq)]
pub struct NoHandshake {
    /// The message. It is also among the run's notes.
    pub why: Message,
    /// Whether the handshake timed out.
    pub silent: bool,
}

/// The API that a model endpoint provides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// `POST {base_url}/chat/completions`: OpenAI, Ollama and most gateways.
    #[default]
    Openai,
    /// `POST {base_url}/v1/messages`: Anthropic.
    Anthropic,
}

impl Provider {
    /// The URL of the provider's own endpoint.
    #[must_use]
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }
}
