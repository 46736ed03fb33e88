//! What keeps the output of a hook from being read, as data: the pollution, its bytes, and a fix.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::message::{Args, Message};

/// A stream of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// The stream with the hook's output.
    Stdout,
    /// The stream for logs and reasons.
    Stderr,
}

impl OutputStream {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// A range of bytes of a recorded stream, counted in UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct OutputMark {
    /// The first byte, from 0.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// One thing that keeps the output of an attempt from being read, or from having an effect.
///
/// It is not recorded: it follows from the recorded streams, and is found when a trace is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct OutputProblem {
    /// The code of the message.
    pub code: String,
    /// What is wrong with the output.
    pub message: String,
    /// What to change in the hook.
    pub hint: Option<String>,
    /// The arguments of the message.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
    /// The stream that contains the marked bytes.
    pub stream: OutputStream,
    /// The bytes that cause the problem, in order. At most 100 ranges are listed.
    pub marks: Vec<OutputMark>,
}

impl OutputProblem {
    /// Creates a problem from its message.
    #[must_use]
    pub fn new(message: Message, stream: OutputStream, marks: Vec<OutputMark>) -> Self {
        Self {
            code: message.code.to_owned(),
            message: message.text,
            hint: message.hint,
            args: message.args,
            stream,
            marks,
        }
    }
}
