//! The compact form of a trace: what is kept in memory after the chain, in the spool and in the database.
//!
//! It holds the payload once. What equals it, or a part of it, is a reference: the payload after the edits, the inputs
//! of hooks, both sides of edits. Empty fields are left out. In traces of earlier versions, so are sentences that a code
//! and its arguments give again. [`CompactTrace::render`] writes the document of `CONTRACTS.md` §2.1, equal to the trace that was compacted.

mod build;
mod render;
mod streams;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent_trust::AgentTrust;
use crate::event::{Origin, Payload};
use crate::exact_json;
use crate::hook::{Layer, RunMode};
use crate::message::Args;
use crate::outcome::{Outcome, VerdictKind};
use crate::run::End;
use crate::trace::{Gate, GateName, NearMiss, NoticeKind};

pub use streams::{JsonStyle, StreamPiece, StreamText, TextSource};

/// The gates in their order (`engine.md` §2).
pub const GATES: [GateName; 6] = [
    GateName::Valid,
    GateName::Trusted,
    GateName::Enabled,
    GateName::Event,
    GateName::Filter,
    GateName::Chain,
];

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
const fn is_true(value: &bool) -> bool {
    *value
}

const fn yes() -> bool {
    true
}

/// The compact form of a [`crate::Trace`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompactTrace {
    /// Trace id, a ULID.
    pub trace: String,
    /// Dialect id.
    pub dialect: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// What fired the event.
    pub origin: Origin,
    /// Session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The project directory, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// When the event was accepted.
    pub at: Timestamp,
    /// Milliseconds from the event's acceptance until the reply was ready.
    pub took_ms: f64,
    /// What the chain decided; absent for a plain `proceed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CompactVerdict>,
    /// The payload as accepted.
    #[serde(
        default,
        skip_serializing_if = "Payload::is_empty",
        deserialize_with = "exact_json::payload"
    )]
    pub payload: Arc<Payload>,
    /// What the chain changed in the payload.
    #[serde(default, skip_serializing_if = "is_default")]
    pub change: PayloadChange,
    /// What the agent receives.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reply: CompactReply,
    /// Messages for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<CompactNotice>,
    /// The steps, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CompactStep>,
    /// Whether a secret was masked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub redacted: bool,
    /// `false` if the trace could not be stored.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub recorded: bool,
    /// After how many days retention removed payloads and streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bodies_removed_days: Option<u32>,
}

/// A text of Hookwright's messages, beside its code. It is absent where there is neither, and in traces of earlier versions
/// where the code gave the same text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordedSentence {
    /// The text as it was told.
    Own(String),
    /// `false`: there is a code, and no text.
    Missing(bool),
}

/// The compact form of a [`crate::Verdict`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Verdict`")]
pub struct CompactVerdict {
    pub kind: VerdictKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RecordedSentence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
}

/// The difference between the payload before and after the edits. Fields keep their place; new ones are at the end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PayloadChange {
    /// Fields with a new value.
    #[serde(
        default,
        skip_serializing_if = "Payload::is_empty",
        deserialize_with = "exact_json::object"
    )]
    pub set: Payload,
    /// Fields that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The whole payload, if its fields are in another order.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "exact_json::optional"
    )]
    pub whole: Option<Payload>,
}

/// The compact form of a [`crate::Reply`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Reply`")]
pub struct CompactReply {
    #[serde(
        default,
        skip_serializing_if = "Value::is_null",
        deserialize_with = "exact_json::value"
    )]
    pub json: Value,
    #[serde(default, skip_serializing_if = "is_default")]
    pub exit_code: i32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// The compact form of a [`crate::Notice`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Notice`")]
pub struct CompactNotice {
    pub kind: NoticeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
}

/// The file of a hook; absent if it is that of the step before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFile {
    /// The layer of the file.
    pub layer: Layer,
    /// The file, absolute.
    pub path: String,
}

/// The compact form of a [`crate::Step`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Step`")]
pub struct CompactStep {
    pub hook: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Absent if it is the step's place in the list, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<StepFile>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub line: u32,
    pub handler: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_trust: Option<AgentTrust>,
    #[serde(default, skip_serializing_if = "RunMode::awaits")]
    pub mode: RunMode,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RecordedSentence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
    #[serde(default, skip_serializing_if = "is_default")]
    pub gates: Gates,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<CompactEdit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<CompactIgnored>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<CompactAttempt>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<CompactRemoval>,
}

/// The gates of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Gates {
    /// So many gates were passed, and none failed.
    Passed(usize),
    /// The first gate that failed. Those before it were passed.
    Failed(FailedGate),
    /// A list that neither of the others describes.
    List(Vec<Gate>),
}

impl Default for Gates {
    fn default() -> Self {
        Self::Passed(0)
    }
}

/// A gate that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Gate`")]
pub struct FailedGate {
    pub gate: GateName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<RecordedSentence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_miss: Option<NearMiss>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
}

/// What one side of an edit equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideOf {
    /// The field in the payload before the edits.
    Before,
    /// The field in the payload after the edits.
    After,
    /// What the last earlier edit of this field returned.
    Edit,
    /// The text of the edit's own message.
    Message,
}

/// One side of an edit: its value, or what it equals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EditSide {
    /// What the side equals.
    #[serde(default, rename = "of", skip_serializing_if = "Option::is_none")]
    pub same_as: Option<SideOf>,
    /// The value, if it equals nothing else.
    #[serde(
        default,
        skip_serializing_if = "Value::is_null",
        deserialize_with = "exact_json::value"
    )]
    pub value: Value,
}

/// The compact form of a [`crate::FieldEdit`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `FieldEdit`")]
pub struct CompactEdit {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub before: EditSide,
    #[serde(default, skip_serializing_if = "is_default")]
    pub after: EditSide,
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
}

/// The compact form of an [`crate::Ignored`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Ignored`")]
pub struct CompactIgnored {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub code: String,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
}

/// The compact form of an [`crate::Attempt`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Attempt`")]
pub struct CompactAttempt {
    pub end: End,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub stdin: StreamText,
    #[serde(default, skip_serializing_if = "is_default")]
    pub stdout: StreamText,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub started_ms: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub took_ms: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pipe_held: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counted: BTreeMap<String, u64>,
}

/// The compact form of a [`crate::Removal`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of `Removal`")]
pub struct CompactRemoval {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reference: String,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
}
