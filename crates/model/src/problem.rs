//! A problem: what is wrong with a definition, where, and what to write instead (`engine.md` §12, `CONTRACTS.md` §2.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use ts_rs::TS;

use crate::health::HealthState;
use crate::message::{Args, Message, MessageTemplate};

/// How severe a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The definition is invalid. Other definitions are not affected.
    Error,
    /// The definition runs, but not exactly as written. `unsupported` is the exception: it never runs.
    Warning,
    /// The definition is valid. The hint is advice.
    Hint,
}

impl Severity {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

macro_rules! codes {
    ($($name:ident $word:literal $severity:ident)+) => {
        /// Every problem code of `engine.md` §12.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
        #[serde(rename_all = "snake_case")]
        pub enum Code { $(#[doc = $word] $name),+ }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
            /// The name in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $word),+ } }
            /// The severity of this code in the table.
            #[must_use]
            pub const fn severity(self) -> Severity { match self { $(Self::$name => Severity::$severity),+ } }
        }
    };
}

codes! {
    Unreadable "unreadable" Error
    TooLarge "too_large" Error
    Syntax "syntax" Error
    WrongType "wrong_type" Error
    MissingField "missing_field" Error
    EmptyField "empty_field" Error
    UnknownValue "unknown_value" Error
    OutOfRange "out_of_range" Error
    UnknownEvent "unknown_event" Error
    DuplicateKey "duplicate_key" Error
    AgentUntrusted "agent_untrusted" Warning
    AgentProjectUntrusted "agent_project_untrusted" Warning
    AgentModified "agent_modified" Warning
    BadPattern "bad_pattern" Error
    CostsFile "costs_file" Error
    PatternDialect "pattern_dialect" Error
    Unsupported "unsupported" Warning
    FileMissing "file_missing" Error
    FileOutside "file_outside" Error
    RelativePlace "relative_place" Error
    NotLoaded "not_loaded" Hint
    ImportFailed "import_failed" Error
    BridgeMissing "bridge_missing" Error
    NoModes "no_modes" Error
    HandshakeFailed "handshake_failed" Warning
    EntryMissing "entry_missing" Warning
    EntryNotExecutable "entry_not_executable" Warning
    EntryNoShebang "entry_no_shebang" Warning
    UnknownField "unknown_field" Warning
    UnknownPlaceholder "unknown_placeholder" Warning
    NoEffect "no_effect" Warning
    DuplicateName "duplicate_name" Warning
    Shadowed "shadowed" Warning
    NameForm "name_form" Warning
    HelloNotOk "hello_not_ok" Warning
    RenamedEvent "renamed_event" Hint
    RelayEntry "relay_entry" Hint
    NotEnabled "not_enabled" Hint
    AgentOnly "agent_only" Hint
    NeverMatches "never_matches" Hint
    NotARegex "not_a_regex" Hint
    Unanchored "unanchored" Hint
    TooWide "too_wide" Hint
    StopNotHonoured "stop_not_honoured" Hint
    SkipNoEffect "skip_no_effect" Hint
    AbortNoHold "abort_no_hold" Hint
    BlockNotHonoured "block_not_honoured" Hint
    TooLate "too_late" Hint
    FailsOpen "fails_open" Hint
    FailsClosed "fails_closed" Hint
    AnswerRefused "answer_refused" Hint
    MayLoop "may_loop" Hint
    ReturnsIgnored "returns_ignored" Hint
    LastWins "last_wins" Hint
    DropsChanges "drops_changes" Hint
    DuplicateHook "duplicate_hook" Hint
    Unreachable "unreachable" Hint
    BareResult "bare_result" Hint
    UnitSuspect "unit_suspect" Hint
    UnsetVariable "unset_variable" Warning
    NotPortable "not_portable" Hint
    FileNotRead "file_not_read" Hint
    TwoFiles "two_files" Hint
    OverBudget "over_budget" Hint
    PayloadInPrompt "payload_in_prompt" Hint
    TemplateInCommand "template_in_command" Hint
    SkipsApproval "skips_approval" Hint
    PilesUp "piles_up" Hint
    MissesShell "misses_shell" Hint
    HoldsPipe "holds_pipe" Hint
    ModMayOverride "mod_may_override" Hint
    More "more" Hint
}

impl Code {
    /// The code of this name; `None` if the name is unknown.
    #[must_use]
    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == word)
    }
}

/// A finding in a user file, or in one of Hookwright's own files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Problem {
    /// The code of the problem.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// The file, absolute. A name that is not UTF-8 is shown with replacement characters.
    #[serde(serialize_with = "as_text")]
    #[ts(type = "string")]
    pub path: PathBuf,
    /// Line, from 1; `null` for a whole file.
    pub line: Option<u32>,
    /// Column, from 1, in Unicode characters; `null` for a whole file.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// The id of the hook that it is about.
    pub hook: Option<String>,
    /// The ids of further hooks that have the same problem. Left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub also: Vec<String>,
    /// The problems of the single hooks of which it was made; empty if it was made of none. It is no part of documents.
    #[serde(skip)]
    #[schemars(skip)]
    #[ts(skip)]
    pub merged: Vec<Arc<Self>>,
    /// The key of the event under which it stands; `None` if it stands under none, or if it names a hook.
    #[serde(skip)]
    #[schemars(skip)]
    #[ts(skip)]
    pub event: Option<String>,
    /// The script line that it is about, if it is not about the definition itself.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    #[ts(rename = "in", optional)]
    pub inside: Option<ScriptLine>,
    /// Whether the agent rejects the whole file because of this value, although the file parses and Hookwright still
    /// runs its other hooks. Left out if it does not.
    #[serde(default, skip_serializing_if = "is_false")]
    #[ts(as = "Option<bool>", optional)]
    pub rejects_file: bool,
    /// What it means for the health of its hooks; `None` if they can do their work. It is no part of documents, which
    /// have the health itself.
    #[serde(skip)]
    #[ts(skip)]
    pub fault: Option<HealthFault>,
    /// Changes of files with which Hookwright can correct it. Left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<FileFix>>", optional)]
    pub fixes: Vec<FileFix>,
    /// The arguments of the message, for other languages.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

/// What a problem means for the health of a hook (`engine.md` §13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HealthFault {
    /// The health.
    pub state: HealthState,
    /// The code of that health, such as `never_blocks`.
    pub code: &'static str,
}

/// A change of a file that is certain to be what its author meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FileFix {
    /// The script or configuration file, absolute.
    #[serde(serialize_with = "as_text")]
    #[ts(type = "string")]
    pub path: PathBuf,
    /// What is changed.
    #[serde(flatten)]
    pub change: FixChange,
}

/// The changes that a [`FileFix`] can make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "fix", rename_all = "snake_case")]
pub enum FixChange {
    /// Sets the executable bits of a script, like `chmod +x`.
    MakeExecutable,
    /// Replaces every CRLF of a script by LF.
    LineEndings,
    /// Replaces the `#!` line of a script, or adds one.
    InterpreterLine {
        /// The new line.
        line: String,
    },
    /// Makes `#!` the first characters of a script: removes what is before it, and a backslash in it.
    FirstLine,
    /// Replaces `echo "$X"` by `printf '%s\n' "$X"` in a script.
    Printf {
        /// The lines that change, from 1.
        lines: Vec<u32>,
    },
    /// Lets commands of a shell script print to stderr: writes `>&2` behind `echo` or `printf`.
    ToStderr {
        /// The lines that change, from 1.
        lines: Vec<u32>,
    },
    /// Replaces a text in a line of a script.
    LineText {
        /// The line, from 1.
        line: u32,
        /// The present text. It stands on the line once.
        from: String,
        /// The new text.
        to: String,
    },
    /// Replaces a text in a field of a definition.
    Field {
        /// The replacement.
        replace: FieldReplacement,
    },
    /// Removes the byte-order mark of a configuration file.
    ByteOrderMark,
    /// Renames a key at the top level of a JSON file.
    RenameKey {
        /// The key as it is written.
        from: String,
        /// The new key.
        to: String,
    },
    /// Moves keys from the top level of a JSON file into the new object `hooks`.
    AddWrapper {
        /// The keys, which follow each other in the file.
        keys: Vec<String>,
    },
    /// Moves what is under the top-level key `hooks` of a YAML file to the top level.
    RemoveWrapper,
    /// Moves a configuration file to the place where it is read. No file is there yet.
    MoveFile {
        /// The new path, absolute.
        #[serde(serialize_with = "as_text")]
        #[ts(type = "string")]
        to: PathBuf,
    },
}

/// A text in a field of a definition, and what is written instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FieldReplacement {
    /// The field, as `edit --set` names it, such as `command` or `filter.tool_matcher`.
    pub field: String,
    /// The text, which occurs in the field once.
    pub from: String,
    /// The new text.
    pub to: String,
}

impl FileFix {
    /// A change of this file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, change: FixChange) -> Self {
        Self {
            path: path.into(),
            change,
        }
    }
}

/// A line of a script that a hook runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ScriptLine {
    /// The script's path, absolute.
    #[serde(serialize_with = "as_text")]
    #[ts(type = "string")]
    pub path: PathBuf,
    /// Line in the script, from 1.
    pub line: u32,
    /// Further lines of it with the same fault, ascending. Left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<u32>>", optional)]
    pub also: Vec<u32>,
}

impl ScriptLine {
    /// As a message names it: `guard.sh:2, 5, 9 +12`.
    fn place(&self) -> String {
        const MAX_NAMED: usize = 5;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let lines = std::iter::once(&self.line).chain(&self.also);
        let named: Vec<String> = lines.clone().take(MAX_NAMED).map(u32::to_string).collect();
        match lines.count().saturating_sub(MAX_NAMED) {
            0 => format!("{name}:{}", named.join(", ")),
            more => format!("{name}:{} +{more}", named.join(", ")),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

fn as_text<S: serde::Serializer>(path: &std::path::Path, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(&path.display())
}

/// A position in a file. Columns are counted in Unicode characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPosition {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Problem {
    /// Creates a problem from a message whose code is a problem code, with the severity of the table.
    ///
    /// # Panics
    /// If the template's code is not in [`Code`]. A test of each list of templates ensures that this cannot happen.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "a template with a wrong code is a defect that the tests of the lists find"
    )]
    pub fn new(message: Message, path: impl Into<PathBuf>, position: Option<TextPosition>) -> Self {
        let code = Code::from_name(message.code).expect("the template's code is a Problem code");
        Self {
            code,
            severity: code.severity(),
            path: path.into(),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            message: message.text,
            hint: message.hint,
            hook: None,
            also: Vec::new(),
            merged: Vec::new(),
            event: None,
            inside: None,
            rejects_file: false,
            fault: None,
            fixes: Vec::new(),
            args: message.args,
        }
    }

    /// Its message, without the place.
    #[must_use]
    pub fn to_message(&self) -> Message {
        Message {
            code: self.code.as_str(),
            text: self.message.clone(),
            hint: self.hint.clone(),
            args: self.args.clone(),
        }
    }

    /// Whether its message was made from this template.
    #[must_use]
    pub fn says(&self, template: &MessageTemplate) -> bool {
        let case = self.args.get("case").and_then(|case| case.as_str()).unwrap_or_default();
        template.code == self.code.as_str() && template.case == case
    }

    /// The same problem, with a change that corrects it.
    #[must_use]
    pub fn with_fix(mut self, fix: Option<FileFix>) -> Self {
        self.fixes.extend(fix);
        self
    }

    /// The same problem with another severity than the table's.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same problem, found in this line of a script that the hook runs.
    #[must_use]
    pub fn within(self, script: &std::path::Path, line: u32) -> Self {
        self.within_lines(script, line, Vec::new())
    }

    /// The same problem, found in this line of a script that the hook runs, and in further lines of it.
    #[must_use]
    pub fn within_lines(mut self, script: &std::path::Path, line: u32, also: Vec<u32>) -> Self {
        let inside = ScriptLine {
            path: script.to_owned(),
            line,
            also,
        };
        self.message = format!("in {}: {}", inside.place(), self.message);
        self.inside = Some(inside);
        self
    }

    /// The same problem, because of which the agent rejects the whole file.
    #[must_use]
    pub const fn rejecting_file(mut self) -> Self {
        self.rejects_file = true;
        self
    }

    /// The same problem, because of which its hooks cannot start.
    #[must_use]
    pub const fn stopping_start(self) -> Self {
        let code = self.code.as_str();
        self.with_fault(HealthState::CannotStart, code)
    }

    /// The same problem, because of which the agent skips its hooks. Hookwright itself can start them.
    #[must_use]
    pub const fn skipped_by_agent(self) -> Self {
        let code = self.code.as_str();
        self.with_fault(HealthState::CannotStart, code)
    }

    /// The same problem, because of which its hooks start and cannot do their work, with the code of their health.
    #[must_use]
    pub const fn breaking(self, code: &'static str) -> Self {
        self.with_fault(HealthState::Broken, code)
    }

    /// The same problem, because of which the condition of its hooks can match nothing.
    #[must_use]
    pub const fn never_matching(self) -> Self {
        self.breaking("never_matches")
    }

    const fn with_fault(mut self, state: HealthState, code: &'static str) -> Self {
        self.fault = Some(HealthFault { state, code });
        self
    }

    /// Whether Hookwright cannot start its hooks.
    #[must_use]
    pub fn stops_start(&self) -> bool {
        let is_agents = matches!(
            self.code,
            Code::AgentUntrusted | Code::AgentProjectUntrusted | Code::AgentModified
        );
        !is_agents && self.fault.is_some_and(|fault| fault.state == HealthState::CannotStart)
    }

    /// The hooks that it is about.
    pub fn hooks(&self) -> impl Iterator<Item = &str> {
        self.hook.iter().chain(&self.also).map(String::as_str)
    }

    /// The same problem, about this hook.
    #[must_use]
    pub fn for_hook(mut self, hook: &str) -> Self {
        self.hook = Some(hook.to_owned());
        self
    }
}
