//! An event that was fired, and the tables of a dialect's events and fields.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::chain::ChainPolicy;
use crate::outcome::VerdictKind;
use crate::simulate::Lifetime;

/// The event's JSON object, exactly as the dialect's hooks see it.
pub type Payload = Map<String, Value>;

/// What fired an event.
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
    /// A recorded event that is fired again.
    Replay,
    /// A saved hook test.
    Test,
    /// An event that the agent handled itself and reported.
    Reported,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Self; 7] = [
        Self::Cli,
        Self::Window,
        Self::Agent,
        Self::Simulated,
        Self::Replay,
        Self::Test,
        Self::Reported,
    ];

    /// Whether its runs count in figures (`engine.md` §13). Those that somebody tries out do not.
    #[must_use]
    pub const fn counts(self) -> bool {
        match self {
            Self::Cli | Self::Window | Self::Agent | Self::Reported => true,
            Self::Simulated | Self::Replay | Self::Test => false,
        }
    }

    /// The name in JSON.
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

/// The connection of an agent that fired an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventConnection {
    /// Its number, as the host counts.
    pub number: u64,
    /// Its group in the session, as the host counts: programs that have nothing to do with each other are in different
    /// groups, and each group has a state of the conversation of its own.
    pub group: u64,
    /// The program at its other end, as one text for all of its connections. Programs take turns when hooks wait for
    /// places.
    pub program: String,
}

/// An event that was accepted, with a complete payload (`engine.md` §1, step 1).
#[derive(Debug, Clone)]
pub struct Event {
    /// Trace id, a ULID.
    pub trace: String,
    /// The id of the event's dialect.
    pub dialect: &'static str,
    /// The event in the dialect's spelling.
    pub name: &'static str,
    /// What fired the event.
    pub origin: Origin,
    /// Session id; `None` without a session.
    pub session: Option<String>,
    /// The agent's name; `None` if no agent fired the event.
    pub agent: Option<String>,
    /// Which connection of an agent fired it; `None` if no agent did.
    pub connection: Option<EventConnection>,
    /// How many hooks enclose the agent that fired it. Its own hooks get one more as `HOOKWRIGHT_DEPTH`.
    pub depth: u32,
    /// The project whose hook files are read, absolute.
    pub project: PathBuf,
    /// When it was accepted.
    pub at: Timestamp,
    /// The payload as it arrived, common fields filled in. The trace records it as `payload_before`.
    pub payload: Arc<Payload>,
}

/// Values for common fields that the payload does not have.
#[derive(Debug, Clone)]
pub struct EventDefaults {
    /// The session's id, or an empty string.
    pub session_id: String,
    /// The project directory, absolute.
    pub cwd: PathBuf,
    /// The time at which the event is accepted.
    pub now: Timestamp,
}

/// A text in both languages: `&'static str` in tables, `String` in documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[schemars(rename = "Bilingual")]
#[ts(concrete(T = String))]
pub struct Bilingual<T = &'static str> {
    /// English.
    pub en: T,
    /// Simplified Chinese.
    pub zh: T,
}

/// A text of a table, in both languages.
#[must_use]
pub const fn text(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

impl From<Bilingual> for Bilingual<String> {
    fn from(text: Bilingual) -> Self {
        Self {
            en: text.en.to_owned(),
            zh: text.zh.to_owned(),
        }
    }
}

/// The type of a payload or output field.
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
    /// The field's name in the payload.
    pub name: &'static str,
    /// The type of its value.
    pub kind: FieldKind,
    /// What the field means.
    pub about: Bilingual,
}

/// How the values that several hooks give to one addition are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// Arrays are joined in run order.
    Append,
    /// The last value counts. Earlier ones are `ignored` in their steps.
    Last,
    /// The last value goes into the reply. Each value is also a notice for the user.
    Notice,
    /// Texts are joined by newlines in run order. Empty texts count as absent.
    Join,
    /// Like [`Merge::Join`], with a blank line between the texts.
    JoinParagraphs,
    /// Like [`Merge::Join`], and each text is also a notice for the user.
    JoinNotice,
    /// Arrays are joined in run order, without duplicate items.
    Union,
    /// True if one of the values is true.
    AnyTrue,
    /// Arrays are joined in run order for the reply only. They count neither as an edit nor as a change.
    Gather,
    /// The value is only recorded: no edit, nothing in the reply.
    Record,
}

/// The effect of an accepted output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    /// Replaces the payload field of the same name.
    Replace,
    /// Replaces this payload field, which has another name.
    ReplaceField(&'static str),
    /// The output is an object. Each entry replaces the payload field of the same name.
    ReplaceParts,
    /// Adds a value in addition to the payload, merged in this way.
    Add(Merge),
    /// Controls the chain: a verdict, its reason or its feedback.
    Control,
}

/// One output that an event accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OutputSpec {
    /// The field's name in the hook's output.
    pub name: &'static str,
    /// The type of its value.
    pub kind: FieldKind,
    /// The effect of the output.
    pub effect: OutputKind,
    /// The output has an effect only together with one of these verdicts, otherwise it is `ignored`. Empty means with
    /// every verdict. For [`OutputKind::Control`] they are the decisions that a hook must return with it.
    pub with_verdicts: &'static [VerdictKind],
    /// One line of help for authors of hooks.
    pub about: Bilingual,
}

impl OutputSpec {
    /// An output with every verdict, without a name.
    pub const ALWAYS: Self = Self {
        name: "",
        kind: FieldKind::Any,
        effect: OutputKind::Control,
        with_verdicts: &[],
        about: text("", ""),
    };
}

/// One row of a dialect's event table: what hooks receive at this event, and what they may return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventSpec {
    /// The event in the dialect's spelling.
    pub name: &'static str,
    /// The part of the lifecycle that the event belongs to, for grouping.
    pub group: Bilingual,
    /// When the event fires.
    pub about: Bilingual,
    /// The event's own payload fields, in the order in which hooks receive them. Common fields are in the
    /// [`crate::Card`].
    pub fields: &'static [FieldSpec],
    /// The outputs that the event accepts.
    pub outputs: &'static [&'static OutputSpec],
    /// The verdicts that the event accepts.
    pub verdicts: &'static [VerdictKind],
    /// Whether everything that hooks return is ignored.
    pub notify_only: bool,
    /// Whether the agent as shipped stops when a hook says so, or fails closed. Hookwright always does.
    pub stop_holds: bool,
    /// How the hooks of the event are run.
    pub chain: ChainPolicy,
    /// The payload field that a matcher or a filter of tools tests; `None` if the payload has none.
    pub subject: Option<&'static str>,
    /// The verdict of a block: of exit code 2, and of the dialect's word for a block. `None` if the event cannot be
    /// blocked; exit code 2 is then a failure like any other.
    pub exit_2: Option<VerdictKind>,
    /// The output that has the text on a command's stdout as its value if the text is not JSON. `None` if such text is
    /// no output; the dialect then ignores it or treats it as a failure.
    pub plain_stdout: Option<&'static str>,
    /// How long texts stay in the message list that hooks insert at this event; `None` if the agent inserts none, or has no
    /// rule for that.
    pub lifetime: Option<Lifetime>,
}

/// A table of payload fields, each a constant: `NAME = "name", Kind, "meaning" "含义";`. `pub(super) rows;` may come first.
#[macro_export]
macro_rules! payload_fields {
    ($vis:vis rows; $($const:ident = $name:expr, $kind:ident, $en:literal $zh:literal;)+) => {
        $($vis const $const: $crate::event::FieldSpec = $crate::event::FieldSpec {
            name: $name,
            kind: $crate::event::FieldKind::$kind,
            about: $crate::event::text($en, $zh),
        };)+
    };
    ($($rows:tt)+) => { $crate::payload_fields! { pub(self) rows; $($rows)+ } };
}

/// A table of outputs, each a static: `NAME = "name", Kind, Effect, "help" "帮助", with_verdicts: &[…];`.
/// `pub(super) rows;` may come first.
#[macro_export]
macro_rules! output_fields {
    ($vis:vis rows; $($const:ident = $name:expr, $kind:ident, $effect:expr, $en:literal $zh:literal $(, with_verdicts: $with:expr)?;)+) => {
        $(#[allow(clippy::needless_update, reason = "a row may give every column")]
        $vis static $const: $crate::event::OutputSpec = $crate::event::OutputSpec {
            name: $name,
            kind: $crate::event::FieldKind::$kind,
            effect: $effect,
            $(with_verdicts: $with,)?
            about: $crate::event::text($en, $zh),
            ..$crate::event::OutputSpec::ALWAYS
        };)+
    };
    ($($rows:tt)+) => { $crate::output_fields! { pub(self) rows; $($rows)+ } };
}

/// A table of events, as an array: `BASE "name", GROUP, "when" "何时", [FIELDS] => [OUTPUTS], column: value;`. What a row
/// does not say is as in its base.
#[macro_export]
macro_rules! event_rows {
    ($($base:ident $name:expr, $group:ident, $en:literal $zh:literal $(, [$($field:ident),*])? $(=> [$($output:ident),*])? $(, $column:ident: $value:expr)*;)+) => {
        [$($crate::event::EventSpec {
            name: $name,
            group: $group,
            about: $crate::event::text($en, $zh),
            $(fields: &[$($field),*],)?
            $(outputs: &[$(&$output),*],)?
            $($column: $value,)*
            ..$base
        }),+]
    };
}

impl EventSpec {
    /// A row without fields, outputs and verdicts, and with nothing special about exit codes and stdout. The table of a
    /// dialect begins with it and adds what its events have in common.
    #[must_use]
    pub const fn base(chain: ChainPolicy) -> Self {
        Self {
            name: "",
            group: Bilingual { en: "", zh: "" },
            about: Bilingual { en: "", zh: "" },
            fields: &[],
            outputs: &[],
            verdicts: &[],
            notify_only: false,
            stop_holds: true,
            chain,
            subject: None,
            exit_2: None,
            plain_stdout: None,
            lifetime: None,
        }
    }

    /// Whether a hook can block the agent at this event.
    #[must_use]
    pub fn can_be_blocked(&self) -> bool {
        !self.notify_only && self.verdicts.iter().any(|kind| *kind >= VerdictKind::Ask)
    }

    /// The output of this name; `None` if the event does not accept it.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<&'static OutputSpec> {
        self.outputs.iter().copied().find(|output| output.name == name)
    }
}
