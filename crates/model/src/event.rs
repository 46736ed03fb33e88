//! An event, and the tables that say what its hooks see and may do.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use ts_rs::TS;

use crate::outcome::VerdictKind;

/// The event's JSON object, exactly as the dialect's hooks see it.
pub type Payload = Map<String, Value>;

/// Who fired an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// `hookwright fire`.
    Cli,
    /// The window or the browser page.
    Window,
    /// A connected agent.
    Agent,
    /// A scripted conversation.
    Simulated,
    /// A recorded event put to hooks again.
    Replay,
    /// A saved hook test.
    Test,
    /// An agent told what it ran itself.
    Reported,
}

impl Origin {
    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Window => "window",
            Self::Agent => "agent",
            Self::Simulated => "simulated",
            Self::Replay => "replay",
            Self::Test => "test",
            Self::Reported => "reported",
        }
    }
}

/// One moment in an agent's life, accepted and complete (`engine.md` §1, step 1).
#[derive(Debug, Clone)]
pub struct Event {
    /// Trace id, a ULID.
    pub trace: String,
    /// The dialect it speaks.
    pub dialect: &'static str,
    /// The event in the dialect's spelling.
    pub name: &'static str,
    /// Who fired it.
    pub origin: Origin,
    /// Session id, when there is a session.
    pub session: Option<String>,
    /// The agent's name, when an agent fired it.
    pub agent: Option<String>,
    /// The project whose files are read; absolute.
    pub project: PathBuf,
    /// When it was accepted.
    pub at: Timestamp,
    /// `payload_before`: as it arrived, common fields filled in.
    pub payload: Payload,
}

/// What fills in missing common fields.
#[derive(Debug, Clone)]
pub struct EventDefaults {
    /// The session's id, or empty.
    pub session_id: String,
    /// The project directory, absolute.
    pub cwd: PathBuf,
    /// Now.
    pub now: Timestamp,
}

/// A text in both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bilingual {
    /// English.
    pub en: &'static str,
    /// Simplified Chinese.
    pub zh: &'static str,
}

/// The shape of a payload or output field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// A string.
    Text,
    /// An array of messages with `role` and `content`.
    Messages,
    /// Any object.
    Object,
    /// An array.
    List,
    /// A boolean.
    Flag,
    /// A whole number.
    Number,
    /// Anything.
    Any,
}

/// A field of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FieldSpec {
    /// The field's name on the wire.
    pub name: &'static str,
    /// Its shape.
    pub kind: FieldKind,
    /// What it means.
    pub about: Bilingual,
}

/// How several hooks' values of one addition become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// Arrays gather in run order.
    Append,
    /// The last one holds; earlier ones are `ignored` in their step.
    Last,
    /// The last one holds in the reply; each one is a notice for the user.
    Notice,
    /// Texts are joined by newlines in run order; empty ones count as absent.
    Join,
    /// The same, and each one is a notice for the user.
    JoinNotice,
    /// Lists become one, in order, each item once.
    Union,
    /// True when one of them is.
    AnyTrue,
    /// Arrays gather in run order for the reply alone: no edit, no change.
    Gather,
    /// Recorded, nothing else: no edit, no reply.
    Record,
}

/// What an accepted output does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    /// Replaces the payload field of the same name.
    Replace,
    /// Replaces this payload field.
    ReplaceField(&'static str),
    /// An object, each entry of which replaces the payload field of that name.
    ReplaceParts,
    /// Adds beside the payload, merged so.
    Add(Merge),
    /// Steers the chain: a verdict, its reason or its feedback.
    Control,
}

/// One output that an event accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OutputSpec {
    /// The field's name in the hook's answer.
    pub name: &'static str,
    /// Its shape.
    pub kind: FieldKind,
    /// What it does.
    pub effect: OutputKind,
    /// Holds only beside one of these verdicts, else it is `ignored`; empty: always.
    pub with_verdicts: &'static [VerdictKind],
    /// One line for authors.
    pub about: Bilingual,
}

/// One row of a dialect's event table: what hooks see and what they may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EventSpec {
    /// The event in the dialect's spelling.
    pub name: &'static str,
    /// The part of the agent's life it belongs to, for grouping.
    pub group: Bilingual,
    /// What the moment is.
    pub about: Bilingual,
    /// The event's own payload fields, in the order hooks see them; common fields are in the [`crate::Card`].
    pub fields: &'static [FieldSpec],
    /// What a hook's answer may contain.
    pub outputs: &'static [&'static OutputSpec],
    /// Which verdicts hold here.
    pub verdicts: &'static [VerdictKind],
    /// Hooks run, and everything they return is ignored.
    pub notify_only: bool,
}

impl EventSpec {
    /// The output of that name, when the event accepts it.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<&'static OutputSpec> {
        self.outputs.iter().copied().find(|output| output.name == name)
    }
}
