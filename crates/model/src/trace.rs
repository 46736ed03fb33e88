//! The trace: the complete record of one fired event, as it leaves the program (`CONTRACTS.md` §2.1).

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::event::{Origin, Payload};
use crate::hook::{Layer, RunMode};
use crate::message::{Args, Message};
use crate::outcome::{Outcome, VerdictKind};
use crate::run::End;

/// The complete record of one fired event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Trace {
    /// ULID.
    pub trace: String,
    /// Dialect id.
    pub dialect: String,
    /// Event in the dialect's spelling.
    pub event: String,
    /// Who fired it.
    pub origin: Origin,
    /// Session id.
    pub session: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The project directory.
    pub project: Option<String>,
    /// When, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Milliseconds from acceptance to the settled reply.
    pub took_ms: f64,
    /// What the chain decided.
    pub verdict: Verdict,
    /// The payload as accepted.
    #[ts(type = "Record<string, unknown>")]
    pub payload_before: Payload,
    /// The payload with all edits that hold and additions folded in.
    #[ts(type = "Record<string, unknown>")]
    pub payload_after: Payload,
    /// What the dialect's agent receives.
    pub reply: Reply,
    /// What the user is told.
    pub notices: Vec<Notice>,
    /// Every hook known for the event, in run order; those that did not run last.
    pub steps: Vec<Step>,
    /// Something was masked.
    #[serde(default)]
    pub redacted: bool,
    /// `false` when the trace could not be kept, so that no history shows it; a `warning` notice says why. Absent otherwise.
    #[serde(default = "kept", skip_serializing_if = "is_kept")]
    #[ts(as = "Option<bool>", optional)]
    pub recorded: bool,
    /// Set when retention removed payloads and streams: after how many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub bodies_removed_days: Option<u32>,
}

const fn kept() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
const fn is_kept(recorded: &bool) -> bool {
    *recorded
}

/// What a chain decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Verdict {
    /// The decision.
    pub kind: VerdictKind,
    /// Why, in the hook's words or ours.
    pub reason: Option<String>,
    /// Text to try again with.
    pub feedback: Option<String>,
    /// The hook that decided.
    pub by: Option<String>,
    /// Set where the words are ours.
    pub code: Option<String>,
    /// What fills our words.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl Verdict {
    /// Nothing stood in the way.
    #[must_use]
    pub fn proceed() -> Self {
        Self {
            kind: VerdictKind::Proceed,
            reason: None,
            feedback: None,
            by: None,
            code: None,
            args: Args::new(),
        }
    }
}

/// What the dialect's agent receives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Reply {
    /// In the dialect's own shape.
    #[ts(type = "unknown")]
    pub json: Value,
    /// Where the dialect speaks through it.
    pub exit_code: i32,
    /// Where the dialect speaks through it.
    pub stderr: String,
}

/// Who a notice is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The hook's text for the user.
    UserMessage,
    /// Ours.
    Warning,
}

/// One message for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Notice {
    /// Who says it.
    pub kind: NoticeKind,
    /// What.
    pub text: String,
    /// About which hook.
    pub hook: Option<String>,
    /// Set where the words are ours.
    pub code: Option<String>,
    /// What fills our words.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl Notice {
    /// A warning of ours.
    #[must_use]
    pub fn warning(words: Message, hook: Option<&str>) -> Self {
        Self {
            kind: NoticeKind::Warning,
            text: words.text,
            hook: hook.map(str::to_owned),
            code: Some(words.code.to_owned()),
            args: words.args,
        }
    }

    /// What the agent shows its user, in the dialect's words.
    #[must_use]
    pub fn user_message(words: Message, hook: Option<&str>) -> Self {
        Self {
            kind: NoticeKind::UserMessage,
            ..Self::warning(words, hook)
        }
    }
}

/// Where a hook stands, for documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SourceRef {
    /// The layer.
    pub layer: Layer,
    /// The file, absolute.
    pub path: String,
    /// Line from 1.
    pub line: u32,
}

/// The gates of `engine.md` §2, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum GateName {
    /// The definition has no error.
    Valid,
    /// Its content was approved.
    Trusted,
    /// It is not off, shadowed or muted.
    Enabled,
    /// It is for this event.
    Event,
    /// Its filter accepts the payload.
    Filter,
    /// Its turn came.
    Chain,
}

/// What small thing would have made a filter hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum NearMiss {
    /// Letter case.
    Case,
    /// Surrounding blanks.
    Blanks,
    /// One edit in the name.
    Spelling,
    /// The payload lacks the field.
    MissingField,
}

/// One gate, passed or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Gate {
    /// Which.
    pub gate: GateName,
    /// Whether it was passed.
    pub pass: bool,
    /// The compared values, when it was not.
    pub why: Option<String>,
    /// What small thing is missing.
    pub near_miss: Option<NearMiss>,
    /// The sentence's code.
    pub code: Option<String>,
    /// What fills the sentence.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl Gate {
    /// A passed gate.
    #[must_use]
    pub fn passed(gate: GateName) -> Self {
        Self {
            gate,
            pass: true,
            why: None,
            near_miss: None,
            code: None,
            args: Args::new(),
        }
    }

    /// A gate that was not passed.
    #[must_use]
    pub fn failed(gate: GateName, why: Message, near_miss: Option<NearMiss>) -> Self {
        Self {
            gate,
            pass: false,
            why: Some(why.text),
            near_miss,
            code: Some(why.code.to_owned()),
            args: why.args,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
const fn is_unknown(order: &u32) -> bool {
    *order == 0
}

/// One hook's part in a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Step {
    /// Hook id.
    pub hook: String,
    /// What people call it.
    pub label: String,
    /// Its place in run order among those that may run, from 1; `null` when it did not run.
    pub position: Option<u32>,
    /// Its place in run order, from 1, whether it ran or not; left out in traces of before there was this.
    #[serde(default, skip_serializing_if = "is_unknown")]
    #[ts(optional, as = "Option<u32>")]
    pub order: u32,
    /// Where it stands.
    pub source: SourceRef,
    /// How it runs.
    pub handler: String,
    /// Tells its definition from an earlier or later one; empty in traces of before there was this.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub version: String,
    /// Left out where the chain waited for it.
    #[serde(default, skip_serializing_if = "RunMode::awaits")]
    #[ts(optional, as = "Option<RunMode>")]
    pub mode: RunMode,
    /// What it came to.
    pub outcome: Outcome,
    /// The word for `skipped`, the sentence for failures.
    pub reason: Option<String>,
    /// The failure sentence's code.
    pub code: Option<String>,
    /// What fills the failure sentence.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
    /// Gates up to the first that failed.
    pub gates: Vec<Gate>,
    /// What it changed.
    pub edits: Vec<FieldEdit>,
    /// What it asked for and did not get.
    pub ignored: Vec<Ignored>,
    /// Its attempts.
    pub attempts: Vec<Attempt>,
    /// The messages it had inserted and that were taken out since (`skill.md` §7).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Removal>>")]
    pub removed: Vec<Removal>,
}

/// An inserted message that was taken out of the list again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Removal {
    /// The message's reference.
    #[serde(rename = "ref")]
    pub reference: String,
    /// When, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// By which call.
    pub by: String,
    /// `more` in the one entry that counts those that are not recorded: then `by` is the sentence. Left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<String>,
    /// What fills that sentence.
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub args: Args,
}

/// One changed field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FieldEdit {
    /// Payload field, or output field for additions.
    pub field: String,
    /// As the hook saw it; `null` for an absent field.
    #[ts(type = "unknown")]
    pub before: Value,
    /// As the hook wants it.
    #[ts(type = "unknown")]
    pub after: Value,
    /// A side was cut at 1 MiB.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub truncated: bool,
    /// `more` in the one entry that counts those that are not recorded: then `after` is the sentence. Left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<String>,
    /// What fills that sentence.
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub args: Args,
}

/// Something a hook asked for and did not get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Ignored {
    /// The field.
    pub what: String,
    /// Why not.
    pub why: String,
    /// The sentence's code.
    pub code: String,
    /// What fills the sentence.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl Ignored {
    /// From a sentence.
    #[must_use]
    pub fn new(what: impl Into<String>, why: Message) -> Self {
        Self {
            what: what.into(),
            why: why.text,
            code: why.code.to_owned(),
            args: why.args,
        }
    }
}

/// One attempt of a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Attempt {
    /// How it ended.
    pub end: End,
    /// Exit status.
    pub code: Option<i32>,
    /// The signal's number, when one ended it.
    pub signal: Option<i32>,
    /// What it was given.
    pub stdin: String,
    /// What it answered.
    pub stdout: String,
    /// What it said beside.
    pub stderr: String,
    /// Milliseconds from the event's acceptance.
    pub started_ms: f64,
    /// Milliseconds.
    pub took_ms: f64,
    /// There was more of a stream than 1 MiB.
    pub truncated: bool,
    /// The resolved command, word by word; empty for models.
    pub command: Vec<String>,
    /// The directory it ran in.
    pub cwd: Option<String>,
    /// Names of the variables added to the environment.
    pub env: Vec<String>,
    /// What was counted beside, under the words of the metrics (`starts`, `dropped_lines`); left out when there is nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, u32>>", optional)]
    pub counted: BTreeMap<String, u64>,
}

/// A row of `history`: a trace without steps, payloads and reply (`CONTRACTS.md` §2.5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct TraceRow {
    /// ULID.
    pub trace: String,
    /// Dialect id.
    pub dialect: String,
    /// Event.
    pub event: String,
    /// Who fired it.
    pub origin: Origin,
    /// Session id.
    pub session: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The project directory.
    pub project: Option<String>,
    /// When, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Milliseconds.
    pub took_ms: f64,
    /// What the chain decided.
    pub verdict: Verdict,
    /// What the user was told.
    pub notices: Vec<Notice>,
    /// One a step, in order.
    pub outcomes: Vec<Outcome>,
    /// One a step: the word of a skipped one.
    pub reasons: Vec<Option<String>>,
    /// What the event was about, one line for people: tool and arguments, or the user's words.
    pub about: String,
    /// Something was masked.
    pub redacted: bool,
}
