//! What a dialect says about the conversion of its hooks.

use hookwright_model::matcher::Anchor;
use hookwright_model::{Card, EventSpec, Order};
use serde_json::Value;

use super::command::{BlockForm, DecisionWords};
use super::portable::PortableHook;
use super::{LossReport, NewFile};
use crate::pattern;

/// How the hooks of a dialect are converted.
#[derive(Debug)]
pub(crate) struct ConvertForm {
    pub card: &'static Card,
    /// Writes the files of hooks that were adapted to this dialect.
    pub write: fn(&[PortableHook], &mut LossReport) -> Vec<NewFile>,
    /// The fields that are converted, or that only Hookwright's readers need. All others are reported.
    pub fields: &'static [&'static str],
    /// The events, by the moment. `~` marks the nearest event, if there is none of that moment. Each event is without `~`
    /// at one moment.
    pub moments: &'static [(Moment, &'static str)],
    /// The payload fields, by what they mean. It is empty if the hooks read no payload.
    pub payload: &'static [(Meaning, &'static str)],
    /// The agent's names for the tools that run commands, write, edit and read files.
    pub tool_names: [&'static str; 4],
    /// The agent's tool that takes a patch in place of the two that write and edit files. A matcher also finds it under
    /// their names, but hooks get its own.
    pub patch_tool: Option<&'static str>,
    /// The argument of those tools that holds the path of a file. It is empty if there is none.
    pub path_argument: &'static str,
    /// How a definition names the tools that it is for.
    pub tools: ToolField,
    /// How a hook blocks.
    pub speaks: BlockForm,
    /// Whether an output on stdout counts at every exit code. Otherwise it counts at 0 only.
    pub reads_failed_output: bool,
    /// Whether a call that a hook answered with the end of the turn runs before it.
    pub ends_after_call: bool,
    /// The words with which its output decides, if it decides by exit codes too.
    pub decisions: Option<DecisionWords>,
    /// What happens if a hook fails.
    pub closing: Closing,
    /// How a hook runs that the agent does not wait for.
    pub detaching: Detaching,
    /// What the name of a hook is.
    pub names: HookNames,
    /// The folder for scripts in a project.
    pub script_folder: &'static str,
    /// Whether each hook has a folder of its own.
    pub has_folders: bool,
    /// Variables that only this agent sets, besides those with a directory.
    pub variables: &'static [&'static str],
    /// The unit of time limits.
    pub time: TimeForm,
    /// Whether a time limit holds for the whole file.
    pub shares_timeouts: bool,
    /// The priority of a hook without one, and the largest and smallest that are allowed; `None` if the position decides.
    pub priority: Option<PriorityForm>,
    /// How the agent inserts texts into the conversation.
    pub insertion: Insertion,
}

/// A point of an agent's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The user's message is about to be sent.
    PromptSending,
    /// The user's message was sent.
    PromptSent,
    /// A request goes to the model.
    ModelRequest,
    /// The first request of the agent's loop goes to the model.
    FirstModelRequest,
    /// The model responded.
    ModelResponse,
    /// A tool is about to be called.
    ToolCall,
    /// A permission for a tool is asked for, because no rule of the user decides.
    ToolPermission,
    /// Whether a tool may run is asked before every call.
    ToolApproval,
    /// A tool succeeded.
    ToolResult,
    /// A tool failed.
    ToolFailure,
    /// The agent is about to stop.
    Stopping,
    /// The agent has stopped.
    Stopped,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent stops.
    SubagentStop,
    /// The conversation is about to be compacted.
    Compaction,
    /// The conversation was compacted.
    CompactionDone,
    /// Old turns are about to be compacted.
    TurnCompaction,
    /// Old turns were compacted.
    TurnCompactionDone,
    /// A request to the model is observed.
    ModelRequestSeen,
    /// A response of the model is observed.
    ModelResponseSeen,
    /// The start of a tool is observed.
    ToolStartSeen,
    /// The end of a tool is observed.
    ToolEndSeen,
    /// A plan is about to be made.
    Planning,
    /// The working directory changed.
    FolderChange,
    /// A file of instructions was loaded.
    InstructionsLoaded,
    /// A watched file changed.
    FileChange,
}

/// What a payload field means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The event's name.
    Event,
    /// The id of the session.
    Session,
    /// The working directory.
    Folder,
    /// The name of the tool.
    Tool,
    /// The arguments of the call.
    Arguments,
    /// The id of the call.
    CallId,
    /// What the tool returned.
    Result,
    /// Why the tool failed.
    Failure,
    /// What the user typed.
    Prompt,
    /// The model's response.
    Response,
    /// The conversation.
    Messages,
    /// The model's name.
    Model,
}

/// How a definition names the tools that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolField {
    /// It cannot.
    Missing,
    /// By exact names.
    Names,
    /// By a pattern for the whole name, as the matcher of an event.
    Whole,
    /// By a pattern that is searched in the name.
    Found,
    /// By exact names, or by a pattern that is searched in the name, as the matcher of an event.
    NamesOrFound {
        /// The characters beside letters and digits of names, with those between them.
        signs: &'static str,
        /// How a pattern is read.
        language: PatternLanguage,
    },
}

/// The language of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternLanguage {
    Python,
    JavaScript,
    Rust,
}

impl PatternLanguage {
    /// Whether a pattern is one of this language, and means the same in Hookwright.
    pub(crate) fn reads(self, pattern: &str) -> bool {
        let read = match self {
            Self::Python => pattern::from_python,
            Self::JavaScript => pattern::from_javascript,
            Self::Rust => pattern::from_rust,
        };
        read(pattern, Anchor::Anywhere).is_ok()
    }
}

/// What happens if a hook fails.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Closing {
    /// The agent continues.
    Never,
    /// The definition decides.
    ByField,
    /// The definition decides at these events. At the others the agent continues.
    ByFieldAt(fn(&EventSpec) -> bool),
    /// The agent is blocked at the second event, which is called after the first one.
    At { asked: &'static str, closes: &'static str },
}

/// How a hook runs that the agent does not wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detaching {
    /// The agent always waits.
    Never,
    /// The definition decides.
    ByField,
    /// At other events, which only observe: the event that waits, and the one that observes.
    Observes(&'static [(&'static str, &'static str)]),
}

/// What the name of a hook is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookNames {
    /// Hooks have no names.
    Missing,
    /// A note for the reader, in the field `name`.
    Note,
    /// The identity of the hook, in the field `name`. It can be the name of a folder.
    Folder,
    /// The key of the definition, with any characters.
    Key,
}

/// The unit of time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeForm {
    /// Seconds, with fractions.
    Seconds,
    /// Whole seconds.
    WholeSeconds,
    /// Milliseconds.
    Milliseconds,
}

/// The priorities of a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PriorityForm {
    /// The priority of a hook without one.
    pub usual: i64,
    /// The smallest and the largest one.
    pub range: (i64, i64),
}

/// How an agent inserts texts into the conversation.
#[derive(Debug)]
pub(crate) enum Insertion {
    /// It does not.
    Never,
    /// The hooks of the dialect are such texts, and nothing else.
    Texts,
    /// A hook returns a document with the text.
    Output {
        /// The document with a text for an event, and a role.
        write: fn(&str, &str, &str) -> Value,
        /// The text of a document, and its role.
        read: fn(&Value) -> Option<(String, String)>,
        /// Whether the document has the role.
        keeps_role: bool,
        /// The only event that accepts texts, and the moment whose texts it gets too, if not every event does.
        only_at: Option<(&'static str, Moment)>,
    },
}

impl ConvertForm {
    /// Whether a hook with a higher priority runs first.
    pub fn is_highest_first(&self) -> bool {
        self.card
            .events
            .first()
            .is_some_and(|event| event.chain.order == Order::RankDown)
    }

    /// The rank that a hook without a priority has.
    pub fn usual_rank(&self) -> i64 {
        self.priority.map_or(0, |priority| priority.usual)
    }

    /// The payload field of this meaning.
    pub fn field(&self, meaning: Meaning) -> Option<&'static str> {
        self.payload
            .iter()
            .find(|(known, _)| *known == meaning)
            .map(|(_, name)| *name)
    }
}
