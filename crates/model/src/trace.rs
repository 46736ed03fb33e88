//! The trace: the complete record of one fired event, as it leaves the program (`CONTRACTS.md` §2.1).

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::agent_trust::AgentTrust;
use crate::event::{Origin, Payload};
use crate::exact_json;
use crate::hook::{Layer, RunMode};
use crate::message::{Args, Message};
use crate::outcome::{Outcome, VerdictKind};
use crate::output_problem::OutputProblem;
use crate::problem::FileFix;
use crate::run::End;

/// The complete record of one fired event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Trace {
    /// Trace id, a ULID.
    pub trace: String,
    /// Dialect id.
    pub dialect: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// What fired the event.
    pub origin: Origin,
    /// Session id; `null` without a session.
    pub session: Option<String>,
    /// The agent's name; `null` if no agent fired the event.
    pub agent: Option<String>,
    /// The project directory, absolute.
    pub project: Option<String>,
    /// When the event was accepted, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Milliseconds from the event's acceptance until the reply was ready.
    pub took_ms: f64,
    /// What the chain decided.
    pub verdict: Verdict,
    /// The payload as accepted, common fields filled in.
    #[serde(deserialize_with = "exact_json::payload")]
    #[ts(type = "Record<string, unknown>")]
    pub payload_before: Arc<Payload>,
    /// The payload after all edits that were not dropped, with the additions applied.
    #[serde(deserialize_with = "exact_json::payload")]
    #[ts(type = "Record<string, unknown>")]
    pub payload_after: Arc<Payload>,
    /// What the agent receives, in the dialect's form.
    pub reply: Reply,
    /// Messages for the user.
    pub notices: Vec<Notice>,
    /// Every hook known for the event, in run order; hooks that did not run come last.
    pub steps: Vec<Step>,
    /// Whether a secret was masked.
    #[serde(default)]
    pub redacted: bool,
    /// `false` if the trace could not be stored, so that it is not in the history. A `warning` notice contains the
    /// reason. The field is absent if the trace was stored.
    #[serde(default = "kept", skip_serializing_if = "is_kept")]
    #[ts(as = "Option<bool>", optional)]
    pub recorded: bool,
    /// Set if retention removed payloads and streams: after how many days.
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
    /// The kind of the decision.
    pub kind: VerdictKind,
    /// The reason, from the hook or from Hookwright.
    pub reason: Option<String>,
    /// Text for the agent to try again with.
    pub feedback: Option<String>,
    /// The id of the hook that decided; `null` if no hook did.
    pub by: Option<String>,
    /// The message code, if `reason` is Hookwright's message.
    pub code: Option<String>,
    /// The arguments of that message.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl Verdict {
    /// The verdict of a chain in which no hook decided anything.
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
    /// The reply in the dialect's own JSON form.
    #[serde(deserialize_with = "exact_json::value")]
    #[ts(type = "unknown")]
    pub json: Value,
    /// The exit code, for dialects whose agents read one.
    pub exit_code: i32,
    /// The text on stderr, for dialects whose agents read it.
    pub stderr: String,
}

/// The source of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A hook's text for the user.
    UserMessage,
    /// Hookwright's own warning.
    Warning,
}

/// One message for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Notice {
    /// Whether a hook or Hookwright wrote the text.
    pub kind: NoticeKind,
    /// The text for the user.
    pub text: String,
    /// The id of the hook that the notice is about; `null` if it is about no single hook.
    pub hook: Option<String>,
    /// The message code, if the text is Hookwright's message.
    pub code: Option<String>,
    /// The arguments of that message.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl Notice {
    /// Creates a warning from one of Hookwright's messages.
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

    /// Creates the text that the agent shows its user, in the dialect's wording.
    #[must_use]
    pub fn user_message(words: Message, hook: Option<&str>) -> Self {
        Self {
            kind: NoticeKind::UserMessage,
            ..Self::warning(words, hook)
        }
    }
}

/// Where a hook is defined, for documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SourceRef {
    /// The layer of the file.
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
    /// The content is approved, or needs no approval.
    Trusted,
    /// The hook is not switched off, shadowed or muted.
    Enabled,
    /// The hook is for this event.
    Event,
    /// Its filter accepts the payload.
    Filter,
    /// The hook's turn came.
    Chain,
    /// Nothing is known that stops the hook from being started. Only explanations have it.
    Starts,
}

/// The small change that would have made a filter match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum NearMiss {
    /// The letter case differs.
    Case,
    /// Only surrounding spaces differ.
    Blanks,
    /// The name differs by one edit.
    Spelling,
    /// The payload does not have the field.
    MissingField,
}

/// The result of one gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Gate {
    /// Which gate it is.
    pub gate: GateName,
    /// Whether the hook passed the gate.
    pub pass: bool,
    /// The reason with the compared values, if the gate failed.
    pub why: Option<String>,
    /// The small change that would have been enough.
    pub near_miss: Option<NearMiss>,
    /// The code of the message in `why`.
    pub code: Option<String>,
    /// The arguments of that message.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
    /// Changes of files with which Hookwright can correct why it failed. Only an explanation has them, and only for a
    /// near miss or a fault. Left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<GateFix>>", optional)]
    pub fixes: Vec<GateFix>,
}

/// A change of files with which Hookwright can correct why a gate failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GateFix {
    /// Another value of the condition, for `edit.change`.
    Condition(ConditionFix),
    /// A change of a script, for `edit.fix`.
    File(FileFix),
}

/// A change of a condition after which it matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ConditionFix {
    /// The field of the definition, as an edit names it (`filter.tool_matcher`).
    pub field: String,
    /// Its new value, in the dialect's own form.
    #[ts(type = "unknown")]
    pub value: Value,
    /// What is replaced; `null` if `to` is added.
    pub from: Option<String>,
    /// What is added, or written instead of `from`.
    pub to: String,
}

impl Gate {
    /// Creates the result of a passed gate.
    #[must_use]
    pub fn passed(gate: GateName) -> Self {
        Self {
            gate,
            pass: true,
            why: None,
            near_miss: None,
            code: None,
            args: Args::new(),
            fixes: Vec::new(),
        }
    }

    /// Creates the result of a passed gate, with what the user should know.
    #[must_use]
    pub fn passed_with(gate: GateName, why: Option<Message>) -> Self {
        let mut passed = Self::passed(gate);
        if let Some(why) = why {
            passed.why = Some(why.text);
            passed.code = Some(why.code.to_owned());
            passed.args = why.args;
        }
        passed
    }

    /// Creates the result of a failed gate.
    #[must_use]
    pub fn failed(gate: GateName, why: Message, near_miss: Option<NearMiss>) -> Self {
        Self {
            gate,
            pass: false,
            why: Some(why.text),
            near_miss,
            code: Some(why.code.to_owned()),
            args: why.args,
            fixes: Vec::new(),
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
    /// The hook's name for the user.
    pub label: String,
    /// Position in run order among the hooks that may run, from 1; `null` if it did not run.
    pub position: Option<u32>,
    /// Position in run order, from 1, whether the hook ran or not. Old traces do not have this field.
    #[serde(default, skip_serializing_if = "is_unknown")]
    #[ts(optional, as = "Option<u32>")]
    pub order: u32,
    /// Where the hook is defined.
    pub source: SourceRef,
    /// How the hook runs, such as `shell` (`engine.md` §7).
    pub handler: String,
    /// Identifies the version of the definition, as in the metrics. It is empty in old traces, which do not have this
    /// field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub version: String,
    /// Identifies the hook, also after its definition or its place changed. Old traces do not have this field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub uid: String,
    /// What the agent's own trust says about the hook; absent if the agent has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent_trust: Option<AgentTrust>,
    /// Whether the chain waited for the hook; absent if it did.
    #[serde(default, skip_serializing_if = "RunMode::awaits")]
    #[ts(optional, as = "Option<RunMode>")]
    pub mode: RunMode,
    /// How the step ended.
    pub outcome: Outcome,
    /// The reason of `skipped` (such as `muted`), or the failure message.
    pub reason: Option<String>,
    /// The code of the failure message.
    pub code: Option<String>,
    /// The arguments of the failure message.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
    /// The gates up to the first that failed.
    pub gates: Vec<Gate>,
    /// What the hook changed.
    pub edits: Vec<FieldEdit>,
    /// What the hook asked for without effect.
    pub ignored: Vec<Ignored>,
    /// The executions of the hook's handler, in order.
    pub attempts: Vec<Attempt>,
    /// The messages that this step inserted and that were removed later (`skill.md` §7).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Removal>>")]
    pub removed: Vec<Removal>,
}

/// An inserted message that was removed from the message list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Removal {
    /// The reference of the removed message.
    #[serde(rename = "ref")]
    pub reference: String,
    /// When it was removed, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The call that removed it.
    pub by: String,
    /// `more` in the one entry that counts removals which are not recorded. Then `by` is that message. Otherwise the
    /// field is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<String>,
    /// The arguments of that message.
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub args: Args,
}

/// One changed field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FieldEdit {
    /// The payload field, or the output field for additions.
    pub field: String,
    /// The value that the hook received; `null` for an absent field.
    #[serde(deserialize_with = "exact_json::value")]
    #[ts(type = "unknown")]
    pub before: Value,
    /// The value that the hook returned.
    #[serde(deserialize_with = "exact_json::value")]
    #[ts(type = "unknown")]
    pub after: Value,
    /// Whether one of the two values was cut at 1 MiB.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub truncated: bool,
    /// `more` in the one entry that counts edits which are not recorded. Then `after` is that message. Otherwise the
    /// field is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<String>,
    /// The arguments of that message.
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub args: Args,
}

/// A part of a hook's output that has no effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Ignored {
    /// The name of the field.
    pub what: String,
    /// Why it has no effect.
    pub why: String,
    /// The code of the message in `why`.
    pub code: String,
    /// The arguments of that message.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl Ignored {
    /// Creates an entry for the field `what`, with the message as its reason.
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

/// One execution of a step's handler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Attempt {
    /// How it ended.
    pub end: End,
    /// Exit status; `null` if no process exited.
    pub code: Option<i32>,
    /// The number of the signal that ended the process; `null` if none did.
    pub signal: Option<i32>,
    /// What was written to stdin or sent.
    pub stdin: String,
    /// What the hook wrote to stdout or returned.
    pub stdout: String,
    /// What the hook wrote to stderr.
    pub stderr: String,
    /// When it started, in milliseconds from the event's acceptance.
    pub started_ms: f64,
    /// Its duration in milliseconds.
    pub took_ms: f64,
    /// Whether a stream was longer than the 1 MiB that is recorded.
    pub truncated: bool,
    /// Whether another process kept stdout open after the end of the hook, where that matters. The field is absent if
    /// not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub pipe_held: bool,
    /// The resolved command, one item per word; empty for models.
    pub command: Vec<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// Names of the variables that were added to the environment.
    pub env: Vec<String>,
    /// What was counted during the attempt, by the names of the metrics (`starts`, `dropped_lines`). The field is
    /// absent if nothing was counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, u32>>", optional)]
    pub counted: BTreeMap<String, u64>,
    /// What keeps the output from being read. It is not recorded, but found when the trace is shown. The field is
    /// absent if nothing was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<OutputProblem>>", optional)]
    pub output_problems: Vec<OutputProblem>,
}

/// A row of `history`: a trace without steps, payloads and reply (`CONTRACTS.md` §2.5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct TraceRow {
    /// Trace id, a ULID.
    pub trace: String,
    /// Dialect id.
    pub dialect: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// What fired the event.
    pub origin: Origin,
    /// Session id; `null` without a session.
    pub session: Option<String>,
    /// The agent's name; `null` if no agent fired the event.
    pub agent: Option<String>,
    /// The project directory, absolute.
    pub project: Option<String>,
    /// When the event was accepted, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Milliseconds from the event's acceptance until the reply was ready.
    pub took_ms: f64,
    /// What the chain decided.
    pub verdict: Verdict,
    /// The notices for the user.
    pub notices: Vec<Notice>,
    /// The outcome of each step, in order.
    pub outcomes: Vec<Outcome>,
    /// The `order` of each step, its position in run order from 1. Left out if the steps are listed in run order, and
    /// for old traces, whose run order is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<u32>>", optional)]
    pub order: Vec<u32>,
    /// The reason of each skipped step, in order; `null` for steps that were not skipped.
    pub reasons: Vec<Option<String>>,
    /// One line for the user about the event: the tool and its arguments, or the user's text.
    pub about: String,
    /// Whether a secret was masked.
    pub redacted: bool,
}
