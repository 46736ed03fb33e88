//! What is asked of the world for one attempt, and how it ended. A hook ends, it does not fail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use ts_rs::TS;

use crate::chain::Decoded;
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
    /// The limit was reached.
    TimedOut,
    /// The person or the engine stopped it.
    Cancelled,
    /// It could not be started.
    NotStarted,
    /// A model, peer or callback answered.
    Replied,
    /// A model, peer or callback answered with an error.
    Refused,
    /// The peer is gone.
    PeerGone,
    /// Delivered; nothing to wait for.
    Done,
}

/// What is to be done for one attempt.
#[derive(Debug, Clone)]
pub enum Call {
    /// Start a process.
    Process(ProcessCall),
    /// Ask a model.
    Prompt(PromptCall),
    /// Ask a long-lived process.
    Peer(PeerCall),
    /// Nothing runs: this is what it means. Such a step has no attempts.
    Immediate(Decoded),
}

/// A process to start (`engine.md` §7).
#[derive(Debug, Clone)]
pub struct ProcessCall {
    /// What to start.
    pub program: Program,
    /// Working directory; when it is no directory, `fallback_cwd` with a note.
    pub cwd: PathBuf,
    /// The project.
    pub fallback_cwd: PathBuf,
    /// Added to the engine's environment.
    pub env: Vec<(String, String)>,
    /// Written to stdin, which is then closed.
    pub stdin: Vec<u8>,
}

/// A program and its arguments. Payload values are never part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// `sh -c <text>`.
    Shell(String),
    /// A program with arguments, no shell.
    Argv(Vec<String>),
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptCall {
    /// System message.
    pub system: String,
    /// User message.
    pub prompt: String,
    /// Model name instead of the provider's current one.
    pub model: Option<String>,
    /// Tokens at most.
    pub max_tokens: u32,
    /// Temperature.
    pub temperature: f32,
}

/// Bytes of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to 32 MiB.
    pub bytes: Vec<u8>,
    /// How many there were in all.
    pub total: u64,
}

impl Captured {
    /// A stream that held exactly this.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let total = bytes.len() as u64;
        Self { bytes, total }
    }

    /// Whether there was more than was kept.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// One attempt, ended.
#[derive(Debug, Clone)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// Exit status; a signal is none.
    pub code: Option<i32>,
    /// The signal's number, when one ended it.
    pub signal: Option<i32>,
    /// What was given on stdin or asked.
    pub stdin: Captured,
    /// What it answered.
    pub stdout: Captured,
    /// What it said beside; the system's words when it could not start.
    pub stderr: Captured,
    /// From the start of the attempt to its end.
    pub took: Duration,
    /// The command as it was resolved, for people; empty for models.
    pub command: Vec<String>,
    /// The directory it ran in.
    pub cwd: Option<PathBuf>,
    /// Names of the variables that were added to the environment.
    pub env: Vec<String>,
    /// What a person should know, as `warning` notices (a missing directory, say).
    pub notes: Vec<Message>,
    /// What is counted beside (`picoclaw.md` §10), under the words of the metrics.
    pub counters: BTreeMap<&'static str, u64>,
    /// Set when it is a long-lived process that never greeted.
    pub no_handshake: Option<NoHandshake>,
}

/// Why a long-lived process was given up before it answered the greeting.
#[derive(Debug, Clone, PartialEq)]
pub struct NoHandshake {
    /// The sentence, which is among the run's notes, too.
    pub why: Message,
    /// It said nothing until its time was over.
    pub silent: bool,
}

/// Whose protocol a model endpoint speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// `POST {base_url}/chat/completions`: the provider itself, Ollama, most gateways.
    #[default]
    Openai,
    /// `POST {base_url}/v1/messages`.
    Anthropic,
}

impl Provider {
    /// The URL of the provider itself.
    #[must_use]
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }
}
