//! One definition in a source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use ts_rs::TS;

use crate::event::EventSpec;
use crate::matcher::Condition;
use crate::message::Message;
use crate::problem::TextPosition;

/// `<dialect>:<layer>:<key>` (`engine.md` §11): stable while the definition keeps its place or name.
pub type HookId = String;

/// Where a hook was loaded from, in the order most dialects run them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The agent's own.
    Builtin,
    /// The person's files.
    User,
    /// The project's files.
    Project,
    /// Registered while a session runs.
    Session,
    /// A skill's texts.
    Skill,
}

impl Layer {
    /// The word in JSON and ids.
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
}

/// The file a hook came from and its place there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The layer.
    pub layer: Layer,
    /// The file, absolute.
    pub path: PathBuf,
    /// Line of the definition, from 1.
    pub line: u32,
    /// Column of the definition, from 1, in Unicode characters.
    pub column: u32,
    /// The directory a project hook is approved for and relative names resolve against; `None` outside layer project.
    pub project: Option<PathBuf>,
}

/// Every way a hook can run. Closed: the compiler finds every place that must know.
#[derive(Debug, Clone, PartialEq)]
pub enum Handler {
    /// `sh -c`.
    Shell {
        /// What the author wrote, and nothing else.
        command: String,
    },
    /// A file that is executed as it stands.
    Script {
        /// The file, absolute; `None` while there is none, which is found out when its turn comes.
        entry: Option<PathBuf>,
    },
    /// A long-lived process that is asked over its streams.
    Peer {
        /// Program and arguments, no shell.
        argv: Vec<String>,
    },
    /// A module that a bridge hosts; until it has told its hooks there is one of these for all events ([`EVERY_EVENT`]).
    Module {
        /// The file.
        path: PathBuf,
        /// The bridge's name for this hook, once it has told.
        callback: Option<String>,
        /// What stands for its content and that of the files it imports; empty until somebody has looked.
        content: String,
    },
    /// A function inside a connected agent.
    Callback {
        /// The agent's name for it.
        callback: String,
    },
    /// A text that is put into the message list; nothing runs.
    Insert {
        /// The text, verbatim.
        text: String,
    },
    /// A question to a model.
    Prompt {
        /// The template with `{{placeholders}}`.
        template: String,
        /// Replaces the model's name, never the provider.
        model: Option<String>,
    },
    /// The agent's own; listed, never run here.
    Builtin,
}

impl Handler {
    /// The word in JSON (`engine.md` §7).
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Script { .. } => "script",
            Self::Peer { .. } | Self::Module { .. } => "peer",
            Self::Callback { .. } => "callback",
            Self::Insert { .. } => "insert",
            Self::Prompt { .. } => "prompt",
            Self::Builtin => "builtin",
        }
    }
}

/// What happens to the agent when the hook breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The agent goes ahead.
    Open,
    /// The agent is held.
    Closed,
}

/// Whether the chain waits for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// The chain waits.
    #[default]
    Await,
    /// It runs on after the reply.
    Detach,
}

impl RunMode {
    /// Whether the chain waits.
    #[must_use]
    pub fn awaits(&self) -> bool {
        *self == Self::Await
    }
}

/// Why a valid definition is not run, by its file or its place (gate `enabled`).
#[derive(Debug, Clone, PartialEq)]
pub enum DisabledReason {
    /// Switched off in its file, or a relay entry.
    Disabled(Message),
    /// Replaced by another layer's hook of the same name.
    Shadowed(HookId),
    /// Runs inside the agent.
    AgentOnly(Message),
}

/// A command whose files an approval covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// A shell's text, or a program and its arguments.
    pub words: Vec<String>,
    /// A shell reads the words.
    pub shell: bool,
    /// The folder it starts in, seen from the project; the project itself while there is no such folder (`engine.md` §8).
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

    /// The command as a shell would have to be given it.
    #[must_use]
    pub fn text(&self) -> String {
        let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
        if self.shell {
            return self.words.concat();
        }
        self.words.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// What an approval covers beside the definition (`engine.md` §3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalScope {
    /// The files that a command names.
    Command(Command),
    /// Every file of this folder with its executable bit, hook tests aside.
    Folder(PathBuf),
    /// Every file below this folder whose name ends so.
    Sources {
        /// The folder.
        folder: PathBuf,
        /// The end of the name, with its dot.
        ending: &'static str,
    },
    /// These files.
    Files(Vec<PathBuf>),
    /// The definition alone.
    Nothing,
}

/// The `event` of a hook that serves every notify-only event, or whose events nobody knows yet. Where it stands in an id
/// it is replaced by the event's name.
pub const EVERY_EVENT: &str = "*";

/// One definition, as the engine runs it. A hook that serves several events is one `Hook` per event, same id.
#[derive(Debug, Clone)]
pub struct Hook {
    /// Its id.
    pub id: HookId,
    /// Its dialect.
    pub dialect: &'static str,
    /// The event it is for, in the dialect's spelling; unknown names are kept for invalid hooks.
    pub event: String,
    /// What people call it.
    pub label: String,
    /// How it runs.
    pub handler: Handler,
    /// When it runs.
    pub when: Condition,
    /// The definition's own condition as JSON, for people.
    pub filter: Option<Value>,
    /// Time limit of one attempt.
    pub timeout: Duration,
    /// Attempts at most, first one included; at least 1.
    pub attempts: u32,
    /// Open or closed, as the definition says; a notify-only event is always open.
    pub on_failure: OnFailure,
    /// Whether the chain waits.
    pub mode: RunMode,
    /// The definition's own priority, where the dialect has one.
    pub rank: Option<i64>,
    /// Where it stands.
    pub source: Source,
    /// The parsed definition, for people and for the fingerprint.
    pub definition: Value,
    /// Where the definition's fields stand in the file, by dotted name (`timeout`, `filter.tool_matcher`): their values,
    /// for advice that points at them. Empty where there is no file.
    pub field_positions: BTreeMap<String, TextPosition>,
    /// The definition's normalised text, part of the fingerprint.
    pub definition_text: String,
    /// What the definition inherits from its file, as JSON: an approval covers it too. Empty where there is nothing. It is
    /// no part of the definition's own text, by which mutes and metrics know the hook.
    pub inherited_text: String,
    /// Why the definition is invalid, when it is.
    pub invalid: Option<Message>,
    /// An invalid definition still holds the agent when its turn comes, with these words (`picoclaw.md` §2).
    pub blocks_when_invalid: Option<Message>,
    /// Why it is off, when it is.
    pub off: Option<DisabledReason>,
    /// A command behind `hookwright-relay run`; [`Handler`] holds the command inside.
    pub wrapped: bool,
    /// What an approval covers.
    pub cover: ApprovalScope,
}

impl Hook {
    /// Tells this definition from another one of the same id, in 16 hex digits: metrics are per definition (`engine.md`
    /// §11). Made for telling apart what one person wrote, not against somebody who wants two to be equal.
    #[must_use]
    pub fn version(&self) -> String {
        version(&self.definition_text)
    }

    /// Whether it is for this event.
    #[must_use]
    pub fn matches_event(&self, event: &EventSpec) -> bool {
        if self.event == EVERY_EVENT {
            // Of what is compiled into the agent nobody knows which moments it serves.
            return event.notify_only || matches!(self.handler, Handler::Module { .. } | Handler::Builtin);
        }
        self.event == event.name
    }

    /// Whether it is for its event because it stands there; else the definition itself says its events.
    #[must_use]
    pub fn is_placed_by_event(&self) -> bool {
        self.id.split(':').any(|part| part == self.event)
    }

    /// The id that an approval of it is given under, and the event that it is for: a module is approved as a whole, and a
    /// definition that says its events itself for all of them.
    #[must_use]
    pub fn approval_key(&self) -> (HookId, &str) {
        let id = if matches!(self.handler, Handler::Module { .. }) {
            format!("{}:{}:{EVERY_EVENT}:module", self.dialect, self.source.layer.as_str())
        } else {
            self.id.clone()
        };
        (id, self.approved_event())
    }

    /// The event that an approval of it is for; empty where that is for all of them.
    #[must_use]
    pub fn approved_event(&self) -> &str {
        if matches!(self.handler, Handler::Module { .. }) {
            return EVERY_EVENT;
        }
        if self.is_placed_by_event() { &self.event } else { "" }
    }

    /// Its id at this event.
    #[must_use]
    pub fn id_at(&self, event: &EventSpec) -> HookId {
        if self.event == EVERY_EVENT {
            return self.id.replacen(":*:", &format!(":{}:", event.name), 1);
        }
        self.id.clone()
    }
}

/// What stands in people's histories: never another one for the same text.
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
