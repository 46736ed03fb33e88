//! The hook: one definition in a file, as the engine runs it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use ts_rs::TS;

use crate::agent_trust::AgentTrust;
use crate::edit::HookKey;
use crate::event::EventSpec;
use crate::matcher::Condition;
use crate::message::Message;
use crate::problem::TextPosition;

/// A hook id, `<dialect>:<layer>:<key>` (`engine.md` §11). It is stable while the definition keeps its position or
/// name.
pub type HookId = String;

/// One step from a value of a file to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathStep {
    /// The value of a key. The number selects one of several equal keys, from 0.
    Key(String, usize),
    /// An item of a list, from 0.
    Item(usize),
}

/// The owner of the file from which a hook was loaded. The order is the run order of most dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The agent's built-in hooks.
    Builtin,
    /// The user's files.
    User,
    /// The project's files.
    Project,
    /// Hooks that are registered while a session runs.
    Session,
    /// Texts of skills.
    Skill,
}

impl Layer {
    /// The name in JSON and in ids.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::User => "user",
            Self::Project => "project",
            Self::Session => "session",
            Self::Skill => "skill",
        }
    }

    /// The beginning of the ids of this layer's hooks.
    #[must_use]
    pub fn id_prefix(self, dialect: &str) -> String {
        format!("{dialect}:{}:", self.as_str())
    }
}

/// The file from which a hook was loaded, and its position in that file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The layer of the file.
    pub layer: Layer,
    /// The file, absolute; empty for a hook of layer session, which has no file.
    pub path: PathBuf,
    /// Line of the definition, from 1; 0 without a file.
    pub line: u32,
    /// Column of the definition, from 1, in Unicode characters; 0 without a file.
    pub column: u32,
    /// The project that a hook of layer project or session is approved for. Relative names are resolved against it.
    /// `None` in the other layers.
    pub project: Option<PathBuf>,
}

/// The program of an agent: what it calls itself, and which file it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProgram {
    /// The name that the agent gave.
    pub name: String,
    /// The file that the connected process runs, absolute, as the system says.
    pub path: PathBuf,
}

/// [`Handler::runs`] returns at most this many characters.
const MAX_RUNS_CHARS: usize = 4000;

/// How a hook runs. The enum is closed, so the compiler finds all code that must handle a new kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Handler {
    /// A shell command, run by `sh -c`.
    Shell {
        /// The command exactly as the author wrote it. Payload values are never inserted (`engine.md` §7).
        command: String,
    },
    /// A file that is executed directly.
    Script {
        /// The file, absolute; `None` if it does not exist. That is reported when the hook's turn comes.
        entry: Option<PathBuf>,
    },
    /// A peer: a long-lived process that receives messages on stdin and responds on stdout.
    Peer {
        /// Program and arguments; no shell reads them.
        argv: Vec<String>,
    },
    /// A Python module that a bridge hosts. Until the bridge reports the module's hooks, one hook listens to all events
    /// ([`EVERY_EVENT`]).
    Module {
        /// The module's file, absolute.
        path: PathBuf,
        /// The bridge's name for this hook; `None` until the bridge has reported it.
        callback: Option<String>,
        /// A hash of the module's content and of the files that it imports; empty until it is computed.
        content: String,
    },
    /// A function inside a connected agent.
    Callback {
        /// The agent's name for it.
        callback: String,
    },
    /// A text that is inserted into the message list. Nothing is executed.
    Insert {
        /// The text, unchanged.
        text: String,
    },
    /// A prompt for a model.
    Prompt {
        /// The text with `{{placeholders}}`.
        template: String,
        /// Replaces the model's name. The provider stays the same.
        model: Option<String>,
    },
    /// A request to a URL, with the event as its body.
    Http(HttpTarget),
    /// A hook that runs inside the agent only. It is listed and never run by Hookwright.
    Builtin {
        /// The name in JSON.
        word: &'static str,
    },
}

/// What a request is sent to.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTarget {
    /// The URL as its author wrote it.
    pub url: String,
    /// The names and values of headers. In a value, `$NAME` and `${NAME}` in upper case stand for a variable of the
    /// engine's environment.
    pub headers: Vec<(String, String)>,
    /// The variables that headers may contain. All others are empty.
    pub variables: Vec<String>,
    /// Why the request is never sent.
    pub refused: Option<Message>,
}

impl Handler {
    /// A hook that is built into the agent, or that only the agent can run.
    pub const BUILTIN: Self = Self::Builtin { word: "builtin" };
    /// A function that a plugin registers in the agent's process (`claude-code.md` §1).
    pub const MOD: Self = Self::Builtin { word: "mod" };
    /// No hook: the settings of a project's file that are about all hooks, which are reviewed like one.
    pub const SETTINGS: Self = Self::Builtin { word: "settings" };

    /// The name in JSON (`engine.md` §7).
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Script { .. } => "script",
            Self::Peer { .. } | Self::Module { .. } => "peer",
            Self::Callback { .. } => "callback",
            Self::Insert { .. } => "insert",
            Self::Prompt { .. } => "prompt",
            Self::Http(_) => "http",
            Self::Builtin { word } => word,
        }
    }

    /// What it runs, as its author wrote it: the beginning, if it is long. `None` for the agent's built-in hooks.
    #[must_use]
    pub fn runs(&self) -> Option<String> {
        let whole = match self {
            Self::Shell { command } => command.clone(),
            Self::Script { entry } => entry.as_ref()?.display().to_string(),
            Self::Peer { argv } => argv.join(" "),
            Self::Module { path, .. } => path.display().to_string(),
            Self::Callback { callback } => callback.clone(),
            Self::Insert { text } => text.clone(),
            Self::Prompt { template, .. } => template.clone(),
            Self::Http(target) => target.url.clone(),
            Self::Builtin { .. } => return None,
        };
        Some(match whole.char_indices().nth(MAX_RUNS_CHARS) {
            Some((end, _)) => format!("{}…", &whole[..end]),
            None => whole,
        })
    }

    /// Whether the hook starts a process on this machine. Callbacks, prompts, requests and inserted texts do not.
    #[must_use]
    pub const fn spawns(&self) -> bool {
        match self {
            Self::Shell { .. } | Self::Script { .. } | Self::Peer { .. } | Self::Module { .. } => true,
            Self::Callback { .. }
            | Self::Insert { .. }
            | Self::Prompt { .. }
            | Self::Http(_)
            | Self::Builtin { .. } => false,
        }
    }
}

/// What says at which event a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacedBy {
    /// The position of the definition in its file. An approval is for this event.
    Event,
    /// The definition, which may name several events. One approval is for all of them.
    Definition,
}

impl PlacedBy {
    /// For a definition that names its `events` itself. If its `name`, or a part of the name before or after a colon, is
    /// its only event, approvals have always been for that event.
    #[must_use]
    pub fn of_definition(name: &str, events: &[&str]) -> Self {
        match events {
            [event] if name.split(':').any(|part| part == *event) => Self::Event,
            _ => Self::Definition,
        }
    }
}

/// What happens to the agent's call if the hook breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Fail open: the call is allowed.
    Open,
    /// Fail closed: the call is blocked.
    Closed,
}

/// Whether the chain waits for the hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// The chain waits.
    #[default]
    Await,
    /// The hook runs after the reply. Its output is ignored.
    Detach,
}

impl RunMode {
    /// Whether the chain waits.
    #[must_use]
    pub fn awaits(&self) -> bool {
        *self == Self::Await
    }
}

/// Why a valid definition is not run, because of its own file or of another file (gate `enabled`).
#[derive(Debug, Clone, PartialEq)]
pub enum DisabledReason {
    /// It is switched off in its file.
    Disabled(Message),
    /// It does nothing but start Hookwright's relay (`engine.md` §2). The engine would send the event to itself.
    Relay(Message),
    /// Another layer's hook of the same name replaces it. The id is the one of that hook.
    Shadowed(HookId),
    /// It runs inside the agent only.
    AgentOnly(Message),
}

/// A command whose files an approval covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// A shell's text, or a program and its arguments.
    pub words: Vec<String>,
    /// Whether a shell reads `words`.
    pub shell: bool,
    /// The folder in which it starts, relative to the project. While that folder does not exist, it starts in the
    /// project (`engine.md` §8).
    pub dir: Option<PathBuf>,
}

impl Command {
    /// A command that a shell reads.
    #[must_use]
    pub fn shell(text: &str) -> Self {
        Self {
            words: vec![text.to_owned()],
            shell: true,
            dir: None,
        }
    }

    /// The command as text that a shell would run in the same way.
    #[must_use]
    pub fn text(&self) -> String {
        let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
        if self.shell {
            return self.words.concat();
        }
        self.words.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// What an approval covers in addition to the definition (`engine.md` §3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalScope {
    /// The files that a command names.
    Command(Command),
    /// Every file of this folder, with its executable bit. Hook tests (`*.hooktest.yaml`) are left out.
    Folder(PathBuf),
    /// Every file below this folder whose name has this ending.
    Sources {
        /// The folder.
        folder: PathBuf,
        /// The ending of the file name, with its dot (`.py`).
        ending: &'static str,
    },
    /// These files.
    Files(Vec<PathBuf>),
    /// Nothing in addition to the definition.
    Nothing,
}

/// The `event` of a hook that listens to every notify-only event, or whose events are not known yet. In the id of a
/// module it is replaced by the name of the fired event ([`Hook::id_at`]).
pub const EVERY_EVENT: &str = "*";

/// The positions of a definition's values, by dotted name. Thousands of hooks have a few each, so they take little room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldPositions(Box<[(Box<str>, TextPosition)]>);

impl FieldPositions {
    /// The position of a value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<TextPosition> {
        let index = self.0.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        self.0.get(index).map(|(_, position)| *position)
    }

    /// Each name with its position, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TextPosition)> {
        self.0.iter().map(|(name, position)| (&**name, *position))
    }
}

impl FromIterator<(String, TextPosition)> for FieldPositions {
    /// Of equal names the last one counts.
    fn from_iter<I: IntoIterator<Item = (String, TextPosition)>>(positions: I) -> Self {
        let sorted: BTreeMap<String, TextPosition> = positions.into_iter().collect();
        Self(
            sorted
                .into_iter()
                .map(|(name, position)| (name.into_boxed_str(), position))
                .collect(),
        )
    }
}

/// One definition, as the engine runs it. A definition for several events becomes one `Hook` per event, with the same
/// id.
#[derive(Debug, Clone)]
pub struct Hook {
    /// The hook's id.
    pub id: HookId,
    /// The id of the hook's dialect.
    pub dialect: &'static str,
    /// The event that the hook is for, in the dialect's spelling. Invalid hooks keep unknown names.
    pub event: String,
    /// The hook's name for the user.
    pub label: String,
    /// How it runs.
    pub handler: Handler,
    /// The condition that decides whether it runs.
    pub when: Condition,
    /// The condition as JSON in the dialect's own form, for display.
    pub filter: Option<Value>,
    /// Time limit of one attempt.
    pub timeout: Duration,
    /// How many attempts are allowed, the first one included; at least 1.
    pub attempts: u32,
    /// Whether a failure allows or blocks the call. A notify-only event always fails open.
    pub on_failure: OnFailure,
    /// Whether the chain waits for the hook.
    pub mode: RunMode,
    /// The definition's priority; `None` if it has none.
    pub rank: Option<i64>,
    /// In a fan, the hooks of a higher number begin when those of lower ones have ended, on the payload that these left,
    /// and do not begin if these blocked the event.
    pub tier: u8,
    /// What is equal in the definitions of one hook. Of hooks of one tier with equal texts that would all run, only the
    /// last one does. `None`: the hook always counts for itself.
    pub same_as: Option<String>,
    /// Where the hook is defined.
    pub source: Source,
    /// The path to the definition in its file, from the root value. It is empty if the file is the definition, and for
    /// hooks without a file it leads into the list of the session.
    pub at: Vec<PathStep>,
    /// The parsed definition, for display and for the fingerprint.
    pub definition: Value,
    /// The positions of the definition's values in the file, by dotted name (`timeout`, `filter.tool_matcher`). Lint
    /// problems refer to them. It is empty for hooks without a file.
    pub field_positions: FieldPositions,
    /// The normalised text of the definition. It is part of the fingerprint.
    pub definition_text: String,
    /// What the definition inherits from its file, as JSON; empty if nothing. An approval covers it too. It is not part
    /// of `definition_text`, by which mutes and metrics identify the hook.
    pub inherited_text: String,
    /// The error that makes the definition invalid; `None` if it is valid.
    pub invalid: Option<Message>,
    /// The message with which an invalid definition blocks the agent when its turn comes (`picoclaw.md` §2). `None`
    /// means that it does not block.
    pub blocks_when_invalid: Option<Message>,
    /// What says at which event the hook runs.
    pub placed_by: PlacedBy,
    /// Why the hook is off; `None` if it is on.
    pub disabled_reason: Option<DisabledReason>,
    /// What runs inside the agent and may skip or undo it there; `None` if nothing is known.
    pub overridden_by: Option<Message>,
    /// What the agent's own trust says about it; `None` if the agent has none, or if it is not known.
    pub agent_trust: Option<AgentTrust>,
    /// The relay with whose `run` the definition wraps its command; `None` if it wraps it in none. The [`Handler`]
    /// contains the inner command.
    pub wrapped: Option<String>,
    /// The program that registered a hook of layer session. `None` for other hooks, and if the program is not known.
    pub registered_by: Option<Arc<AgentProgram>>,
    /// What an approval covers in addition to the definition.
    pub approval_scope: ApprovalScope,
    /// The text of its file, if that does not parse now and this older version is in force (`engine.md` §9). For an
    /// approval it counts as the file.
    pub older_text: Option<Arc<str>>,
    /// The identity of the hook, which it keeps when its definition or its place changes (`engine.md` §13). It is empty
    /// until it is known, and for hooks that are in no file.
    pub uid: String,
}

impl Hook {
    /// A hook of the user with what most definitions leave out: it runs at every occurrence of its event, once, and
    /// fails open. It has no file, and its label is its id.
    #[must_use]
    pub fn new(dialect: &'static str, id: impl Into<HookId>, event: impl Into<String>, handler: Handler) -> Self {
        let id = id.into();
        Self {
            label: id.clone(),
            id,
            dialect,
            event: event.into(),
            handler,
            when: Condition::default(),
            filter: None,
            timeout: Duration::from_secs(60),
            attempts: 1,
            on_failure: OnFailure::Open,
            mode: RunMode::Await,
            rank: None,
            tier: 0,
            same_as: None,
            source: Source {
                layer: Layer::User,
                path: PathBuf::new(),
                line: 0,
                column: 0,
                project: None,
            },
            at: Vec::new(),
            definition: Value::Null,
            field_positions: FieldPositions::default(),
            definition_text: String::new(),
            inherited_text: String::new(),
            invalid: None,
            blocks_when_invalid: None,
            placed_by: PlacedBy::Event,
            disabled_reason: None,
            overridden_by: None,
            agent_trust: None,
            wrapped: None,
            registered_by: None,
            approval_scope: ApprovalScope::Nothing,
            older_text: None,
            uid: String::new(),
        }
    }

    /// Identifies the definition in the files as they were read.
    #[must_use]
    pub fn key(&self) -> HookKey {
        (self.source.path.clone(), self.at.clone())
    }

    /// Whether the definition does nothing but start Hookwright's relay, whatever options the user added.
    #[must_use]
    pub const fn is_relay(&self) -> bool {
        matches!(self.disabled_reason, Some(DisabledReason::Relay(_)))
    }

    /// Identifies the version of the definition, in 16 hex digits. Metrics are per definition (`engine.md` §11). It
    /// distinguishes texts of one author and does not prevent collisions that are made on purpose.
    #[must_use]
    pub fn version(&self) -> String {
        version(&self.definition_text)
    }

    /// Whether the hook listens to this event.
    #[must_use]
    pub fn matches_event(&self, event: &EventSpec) -> bool {
        if self.event == EVERY_EVENT {
            // The events of built-in hooks and of modules without a reported list are not known, so these hooks match
            // all events.
            return event.notify_only || matches!(self.handler, Handler::Module { .. } | Handler::Builtin { .. });
        }
        self.event == event.name
    }

    /// Whether the hook's event follows from its position in the file. If not, the definition itself names its events.
    #[must_use]
    pub fn is_placed_by_event(&self) -> bool {
        self.placed_by == PlacedBy::Event
    }

    /// The hook id and event under which an approval is stored. A module is approved as a whole. A definition that
    /// names its events is approved for all of them.
    #[must_use]
    pub fn approval_key(&self) -> (HookId, &str) {
        let id = if matches!(self.handler, Handler::Module { .. }) {
            self.module_id(EVERY_EVENT)
        } else {
            self.id.clone()
        };
        (id, self.approved_event())
    }

    /// The event that an approval is for. It is empty if the approval is for all events of the definition.
    #[must_use]
    pub fn approved_event(&self) -> &str {
        if matches!(self.handler, Handler::Module { .. }) {
            return EVERY_EVENT;
        }
        if self.is_placed_by_event() { &self.event } else { "" }
    }

    /// The hook's id at this event. A module without a reported list has one for each event.
    #[must_use]
    pub fn id_at(&self, event: &EventSpec) -> HookId {
        if self.event == EVERY_EVENT && matches!(self.handler, Handler::Module { .. }) {
            return self.module_id(event.name);
        }
        self.id.clone()
    }

    fn module_id(&self, event: &str) -> HookId {
        format!("{}{event}:module", self.source.layer.id_prefix(self.dialect))
    }
}

/// The hash of a definition's text. Stored histories contain it, so the result for a text must never change.
fn version(text: &str) -> String {
    let mut hash = (text.len() as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    for chunk in text.as_bytes().chunks(8) {
        let word = chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    format!("{:016x}", hash ^ hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_same_for_good_and_another_for_any_edit() {
        assert_eq!(version(""), "0000000000000000");
        assert_eq!(version(r#"{"command":"./guard.sh","timeout":10}"#), "0216355cdd00eb1a");
        let texts = [
            "a",
            "b",
            "aa",
            "a\0",
            "\0a",
            "{\"timeout\":10}",
            "{\"timeout\":11}",
            "12345678",
            "123456781",
            "123456789",
        ];
        let versions: std::collections::BTreeSet<String> = texts.iter().map(|text| version(text)).collect();
        assert_eq!(versions.len(), texts.len());
    }
}
