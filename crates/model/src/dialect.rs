//! A dialect: the rules of one hook system, as the engine and discovery use them. A dialect is pure and total: it has
//! no side effects, and every input has a result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::agent_trust::{AgentTrustChange, AgentTrustContext, AgentTrustEdit, AgentTrustFact};
use crate::chain::{Additions, Decoded, Placement, Resolution};
use crate::conversation::{Conversation, NoMemory};
use crate::definition::DefinitionSpec;
use crate::edit::{EditContext, EditPlan, EditRequest, EditSupport};
use crate::event::{Bilingual, EventDefaults, EventSpec, FieldSpec, Payload};
use crate::hook::{DisabledReason, Handler, Hook, HookId};
use crate::lifecycle_map::LifecycleMap;
use crate::message::Message;
use crate::outcome::{HookCounts, ToolCalls, ToolCounts, VerdictKind};
use crate::problem::Problem;
use crate::prompt_rendering::PromptSupport;
use crate::request_list::{RequestBegin, RequestList};
use crate::run::{Call, End, Run};
use crate::session_hook::SessionRegistration;
use crate::simulate::{Scenario, SimulationHost, SimulationResult, ToldTurn};
use crate::source_tree::{Root, SourceTree};
use crate::trace::{Reply, Step, Trace, Verdict};

/// The identity of a dialect, and its tables of events and fields.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// The dialect id: `jcli`, `qoder`, …
    pub id: &'static str,
    /// The agent's name for the user.
    pub name: &'static str,
    /// Two letters for narrow columns.
    pub tag: &'static str,
    /// A short description of the dialect's hooks.
    pub about: Bilingual,
    /// Fields that every payload has.
    pub common: &'static [FieldSpec],
    /// The payload field that contains the event's name.
    pub event_field: &'static str,
    /// Environment variables through which hooks get a directory. They are expanded when the files of a command are
    /// searched (`engine.md` §3).
    pub dir_vars: &'static [DirVar],
    /// The field of a definition that sets variables for the hook's process; `None` if the dialect has none.
    pub env_field: Option<&'static str>,
    /// How the agent starts the commands of definitions; `None` if its definitions contain no commands for a shell.
    pub command: Option<CommandSpec>,
    /// The event that is suggested for a first try.
    pub first: &'static str,
    /// The event with which a session ends; `None` if only closing the session ends it (`CONTRACTS.md` §3).
    pub last: Option<&'static str>,
    /// The events, in the order of the lifecycle.
    pub events: &'static [EventSpec],
    /// The settings of the dialect in `settings.toml`.
    pub settings: &'static [DialectSetting],
    /// Environment variables that the paths of roots depend on ([`Locations::vars`]).
    pub location_vars: &'static [&'static str],
    /// Other names of events, with the name in `events`; `None` for an event that the dialect does not have here.
    pub aliases: &'static [(&'static str, Option<&'static str>)],
    /// Events that the agent fires and Hookwright does not.
    pub unfired: &'static [&'static str],
    /// The payload field that names the tool of an event.
    pub tool_field: &'static str,
    /// The payload field with the input of a call; empty if no payload has one.
    pub call_input: &'static str,
    /// What the agent itself does with a file that does not parse.
    pub broken_file: BrokenFile,
    /// What can be edited in the dialect's files.
    pub edit_support: EditSupport,
    /// The prompt templates of the dialect; `None` if its hooks cannot ask a model.
    pub prompts: Option<&'static PromptSupport>,
    /// What the dialect's files may contain.
    pub definition: &'static DefinitionSpec,
    /// How the agent counts tool calls; `None` if it does not.
    pub tool_calls: Option<ToolCalls>,
    /// The drawing of all events; [`LifecycleMap::EMPTY`] if there is none.
    pub lifecycle_map: &'static LifecycleMap,
    /// The outputs with which a hook blocks. A text that contains one belongs to a guard (`engine.md` §13).
    pub blocking_outputs: &'static [BlockingOutput],
    /// What new hooks can begin with, in YAML: a list of templates.
    pub templates: &'static str,
    /// What recorded events tell of the conversation, by event. Scenarios are made of it.
    pub told_turns: &'static [(&'static str, ToldTurn)],
}

/// Values of an output field with which a hook blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockingOutput {
    /// The field.
    pub field: &'static str,
    /// Its values, as a script may write them.
    pub values: &'static [&'static str],
    /// It counts at events that accept one of these verdicts.
    pub verdicts: &'static [VerdictKind],
}

/// What an agent itself does with a hook file that does not parse (`engine.md` §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenFile {
    /// It runs no hook of the file.
    RunsNone,
    /// It goes on with the version that it has loaded.
    RunsOld,
    /// It does not start.
    RefusesToStart,
    /// The dialect's chapter does not say.
    Unknown,
}

impl BrokenFile {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RunsNone => "runs_none",
            Self::RunsOld => "runs_old",
            Self::RefusesToStart => "refuses_to_start",
            Self::Unknown => "unknown",
        }
    }
}

/// How an agent starts the commands of a dialect's definitions (§5 of the dialect's chapter).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandSpec {
    /// The shell that reads a command: `<shell> -c <command>`.
    pub shell: &'static str,
    /// The field that names another shell, and the POSIX shells that it can name; `None` if the dialect has no such
    /// field.
    pub other_shells: Option<(&'static str, &'static [&'static str])>,
    /// The field and its value with which PowerShell reads the command; `None` if the dialect has no such field.
    pub power_shell: Option<(&'static str, &'static str)>,
    /// The field with the arguments of a program; `None` if the dialect has no such field.
    pub args_field: Option<&'static str>,
}

/// How PowerShell is started; the command is the next argument.
pub const POWER_SHELL: [&str; 3] = ["pwsh", "-NoProfile", "-Command"];

/// How one definition's command is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandStart {
    /// This shell reads the command: `<shell> -c <command>`.
    Shell(&'static str),
    /// The command is the name of a program that starts with these arguments, and no shell reads it.
    Program(Vec<String>),
    /// PowerShell reads the command.
    PowerShell,
}

impl CommandSpec {
    /// How the command of a definition is started. What is invalid in the definition counts as absent.
    #[must_use]
    pub fn start(&self, definition: &Value) -> CommandStart {
        let field = |name: &str| definition.get(name);
        if let Some(arguments) = self.args_field.and_then(field).and_then(Value::as_array) {
            let arguments = arguments.iter().filter_map(Value::as_str).map(str::to_owned);
            return CommandStart::Program(arguments.collect());
        }
        let is_power_shell = |(name, value): (&str, &str)| field(name).is_some_and(|written| written == value);
        if self.power_shell.is_some_and(is_power_shell) {
            return CommandStart::PowerShell;
        }
        let named = self.other_shells.and_then(|(name, shells)| {
            let wanted = field(name)?.as_str()?;
            shells.iter().find(|shell| **shell == wanted).copied()
        });
        CommandStart::Shell(named.unwrap_or(self.shell))
    }

    /// Whether a field of the definition decides how its command is started.
    #[must_use]
    pub fn is_decided_by(&self, field: &str) -> bool {
        let shell_fields = [
            self.other_shells.map(|(name, _)| name),
            self.power_shell.map(|(name, _)| name),
        ];
        self.args_field == Some(field) || shell_fields.contains(&Some(field))
    }
}

/// An environment variable that contains a directory (`$JCLI_CWD`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirVar {
    /// The variable's name, without `$`.
    pub name: &'static str,
    /// Which directory it contains.
    pub of: DirOf,
}

/// The directory that a [`DirVar`] contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirOf {
    /// The project, independent of the payload.
    Project,
    /// The payload's directory. The agent chooses it, so it is checked again before each spawn (`engine.md` §3).
    Payload,
}

impl Card {
    /// The event of this name; `None` if the card does not list it.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&'static EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The event that has the other name `alias`; `None` if there is no such event.
    #[must_use]
    pub fn resolve_alias(&self, alias: &str) -> Option<&'static str> {
        self.aliases.iter().find(|(other, _)| *other == alias)?.1
    }
}

/// The directories from which a dialect finds its roots, on this machine and for this project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locations {
    /// The user's home directory.
    pub home: PathBuf,
    /// The project directory, absolute.
    pub project: PathBuf,
    /// Additional folders of skills, from the settings.
    pub skills_roots: Vec<PathBuf>,
    /// The variables of [`Card::location_vars`] that are set, of all dialects.
    pub vars: BTreeMap<String, String>,
}

/// The only access to the disk that finding roots needs.
pub trait DirProbe {
    /// Whether the path is a directory.
    fn is_dir(&self, path: &Path) -> bool;

    /// Whether the path is a file.
    fn is_file(&self, path: &Path) -> bool;

    /// The entries of a folder, sorted by name. It is empty if the folder cannot be read.
    fn list(&self, _folder: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// The hooks and problems of a root's files.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The hooks in declared order, invalid ones included.
    pub hooks: Vec<Arc<Hook>>,
    /// Errors, warnings and hints about the files.
    pub problems: Vec<Problem>,
    /// Files that do not parse as a whole. The last version that parsed stays in force (`engine.md` §9).
    pub broken: Vec<PathBuf>,
}

impl Parsed {
    /// Adds what another file defines.
    pub fn extend(&mut self, mut other: Self) {
        self.hooks.append(&mut other.hooks);
        self.problems.append(&mut other.problems);
        self.broken.append(&mut other.broken);
    }
}

/// The result of resolving conflicts between files: shadowed hooks, ids that are used twice, replacements.
#[derive(Debug, Clone, Default)]
pub struct ConflictReport {
    /// Hooks that are off because of another file, whatever is approved: the index in the list, and why.
    pub disabled: Vec<(usize, DisabledReason)>,
    /// Hooks whose id is used already: the index in the list, and the new id.
    pub renamed: BTreeMap<usize, HookId>,
    /// Replacements that depend on approvals.
    pub replacements: Replacements,
    /// Hooks that run otherwise because of another file: the index in the list, and how.
    pub handlers: Vec<(usize, Handler)>,
    /// Hooks that something inside the agent may skip or undo: the index in the list, and what it is.
    pub overridden: Vec<(usize, Message)>,
    /// Problems about the conflicts.
    pub problems: Vec<Problem>,
}

/// A file in which hooks can be defined, and that parses.
#[derive(Debug, Clone, Copy)]
pub struct FileText<'a> {
    /// The root that it belongs to.
    pub root: &'a Root,
    /// Its path, absolute.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
}

/// Replacements between hooks of the same name that depend on approvals (`engine.md` §2): only an approved hook
/// replaces another one.
#[derive(Debug, Clone, Default)]
pub struct Replacements {
    /// The possible replacements. Several rules for one hook are adjacent, the strongest first.
    pub rules: Vec<ReplacementRule>,
    /// Hooks that always need an approval of their own, by index in the list. For them [`Placement::trusted`] is not
    /// enough.
    pub always_need_approval: BTreeSet<usize>,
    /// The settings of a project's files that are about all hooks, one item for each file. They have the form of a hook, so
    /// that they are reviewed like one, and nothing runs them.
    pub settings: Vec<Arc<Hook>>,
    /// What these settings mean once they are approved. Several rules for one hook are adjacent, and the first one whose
    /// settings are all approved is in force.
    pub by_settings: Vec<SettingsRule>,
}

impl Replacements {
    /// Whether an approval of this hook decides a replacement.
    #[must_use]
    pub fn has(&self, hook: &str) -> bool {
        self.rules
            .iter()
            .any(|rival| rival.once.iter().any(|once| once == hook))
    }
}

/// How a hook runs once some settings of a project are approved.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsRule {
    /// The hook, by index in the list.
    pub hook: usize,
    /// The ids of the settings that must all be approved.
    pub once: Vec<HookId>,
    /// Why it is off then; `None` if it is on.
    pub off: Option<DisabledReason>,
    /// How it is run then.
    pub handler: Handler,
}

/// A hook, and the hooks that replace it once they are approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacementRule {
    /// The hook that is replaced, by index in the list.
    pub hook: usize,
    /// The id of the hook that replaces it, after ids are made unique.
    pub by: HookId,
    /// The hooks that must all be approved before the replacement. None of them is invalid.
    pub once: Vec<HookId>,
}

/// A direct subfolder of a root that is read as [`RootKind::Folders`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerFolder {
    /// The path of the folder.
    pub path: PathBuf,
    /// Whether its hooks need an approval, because the root belongs to a project.
    pub of_project: bool,
}

/// The data and probes that lint uses.
pub struct LintContext<'a> {
    /// All hooks of the dialect in run order.
    pub hooks: &'a [Arc<Hook>],
    /// Texts of the project or user files that a hook's command names, by hook id. Large and binary files are left out.
    pub named_file_texts: &'a BTreeMap<String, Vec<(PathBuf, String)>>,
    /// The directories of this machine and project.
    pub locations: &'a Locations,
    /// Names of the variables in the hooks' environment, without values.
    pub env: &'a [String],
    /// The name of the shell behind `sh` on the hooks' PATH; empty if there is none.
    pub sh: &'a str,
    /// Whether a program of this name is on the hooks' PATH.
    pub on_path: &'a dyn Fn(&str) -> bool,
    /// Whether this absolute path exists.
    pub path_exists: &'a dyn Fn(&Path) -> bool,
    /// Whether the file at this absolute path has an executable bit.
    pub is_executable: &'a dyn Fn(&Path) -> bool,
    /// The entries of the folder at this absolute path, by name.
    pub list_dir: &'a dyn Fn(&Path) -> Vec<PathBuf>,
    /// The text of the file at this absolute path; `None` if it is no text, or cannot be read.
    pub read_text: &'a dyn Fn(&Path) -> Option<String>,
}

/// A setting of one dialect. Its section of `settings.toml` has the dialect's id, and its value is one of a few words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialectSetting {
    /// The name in the section.
    pub name: &'static str,
    /// The possible values. The first one is the default.
    pub words: &'static [&'static str],
}

/// The values of a dialect's settings, by name. A missing one has its default.
pub type DialectSettings = BTreeMap<String, String>;

/// The rules of one hook system: files, events, payloads and output.
pub trait Dialect: Files + Wire + Life + Send + Sync + std::fmt::Debug {
    /// The dialect's identity and tables.
    fn card(&self) -> &'static Card;
}

/// The files of a dialect: where they are, reading them into hooks and problems, and editing them.
pub trait Files {
    /// The files and folders in which the dialect looks for hooks, in load order.
    fn roots(&self, locations: &Locations, dirs: &dyn DirProbe) -> Vec<Root>;

    /// A problem if the user's hooks are not loaded, because their path depends on the working directory
    /// (`CONTRACTS.md` §2). [`Files::lint`] reports it too.
    fn misplaced(&self, _locations: &Locations) -> Option<Problem> {
        None
    }

    /// Further files that the files read so far refer to. It is called again until it returns no new ones.
    fn referenced_files(&self, _tree: &SourceTree) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Reads the hooks of a root's files. Every input has a result: an error becomes a [`Problem`] and affects only its
    /// own definition.
    fn parse(&self, tree: &SourceTree) -> Parsed;

    /// Resolves conflicts between files: ids that are used twice, layers that shadow each other, and switches of one file
    /// for the hooks of others. It gets all hooks in load order, all `folders`, also those without hooks, and the texts
    /// of all files in load order.
    fn resolve_conflicts(&self, _hooks: &[&Hook], _folders: &[InnerFolder], _files: &[FileText<'_>]) -> ConflictReport {
        ConflictReport::default()
    }

    /// What the agent's own trust says about each hook, in their order. It is empty if the agent has none, or if it is
    /// not known.
    fn agent_trust(&self, _hooks: &[&Hook], _context: &AgentTrustContext<'_>) -> Vec<Option<AgentTrustFact>> {
        Vec::new()
    }

    /// Changes the agent's own trust in these hooks; `None` if the agent has none.
    ///
    /// # Errors
    /// The reason why the agent's file cannot be changed.
    fn change_agent_trust(
        &self,
        _hooks: &[&Hook],
        _change: AgentTrustChange,
        _context: &AgentTrustContext<'_>,
    ) -> Option<Result<AgentTrustEdit, Message>> {
        None
    }

    /// The hooks of a module, from the list that its bridge reported.
    fn expand_module(&self, _module: &Hook, _report: &Value) -> Parsed {
        Parsed::default()
    }

    /// The root that this file would belong to, by its path or name; `None` if it is not a file of this dialect
    /// (`CONTRACTS.md` §2, `check PATH`).
    fn detect_root(&self, path: &Path, locations: &Locations) -> Option<Root>;

    /// The file changes that make the requested edit; `None` if this dialect's files cannot be edited.
    ///
    /// # Errors
    /// The message contains the reason why the edit is not possible, and names the nearest possible one.
    fn edit(&self, _context: &EditContext<'_>, _request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        None
    }

    /// The fields with which [`EditRequest::Add`] would define the same hooks of a tree, in their order. `None` for a
    /// hook that is a whole folder.
    fn definitions_to_add(&self, _tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
        vec![None; hooks.len()]
    }

    /// The hooks that `connect` adds to the user's files (`CONTRACTS.md` §4): event and definition, which starts the
    /// relay at this absolute path. It is empty if an agent of this dialect cannot be connected by its files.
    fn relay_hooks(&self, _relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        Vec::new()
    }

    /// Whether the relay can be put around the agent's own commands. Otherwise the agent would not run them any more.
    fn can_wrap(&self) -> bool {
        true
    }

    /// What the user should know when the relay is added to the user's files: why this agent may not read them.
    fn relay_notice(&self, _locations: &Locations, _dirs: &dyn DirProbe) -> Option<Message> {
        None
    }

    /// The name of the list that contains the hook, if the file's order is the run order. Hooks of one list are loaded
    /// in the order of the list. `None` means that the hook cannot be moved.
    fn order_list(&self, _hook: &Hook) -> Option<String> {
        None
    }

    /// Whether a scan of a folder may treat a file of [`Files::detect_root`] as a hook file. Other programs use some file
    /// names too. Such a file is read only if its text has the shape of this dialect, or if the user names it. `text` reads
    /// the file; it is empty if that is not possible.
    fn found_by_scan(&self, _path: &Path, _text: &dyn Fn() -> String) -> bool {
        true
    }

    /// The hooks of a definition that an agent registers for its session; `None` if the dialect has no such hooks. They
    /// have layer `session`, no file, and one id: a definition that serves several events gives one hook for each of
    /// them. Label, timeout, defaults, condition and handler are the same as for this definition in a file.
    ///
    /// # Errors
    /// The event is unknown, or the definition is invalid. The message is its first error.
    fn session_hooks(&self, _registration: &SessionRegistration<'_>) -> Option<Result<Vec<Hook>, Message>> {
        None
    }

    /// Lint problems about all hooks together.
    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem>;
}

/// The translation between hooks and the engine: events to calls, outputs to decisions and replies. Pure and total.
pub trait Wire {
    /// Fills in missing common fields of the payload.
    ///
    /// # Errors
    /// The payload contradicts the event (`-32004`).
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message>;

    /// The call that runs this hook on this payload.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call;

    /// The same call with the user's settings of the dialect applied.
    fn apply_settings(&self, call: Call, _settings: &DialectSettings) -> Call {
        call
    }

    /// Decodes a run: what the hook asked for, or how it broke.
    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded;

    /// Applies additions and the verdict to the payload after the chain has ended.
    fn apply_additions(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions, verdict: &Verdict);

    /// The verdict that blocks the agent when this hook failed closed, and its message. `end` is `None` if the hook
    /// never ran.
    fn closed_verdict(&self, hook: &Hook, failure: &Message, end: Option<End>) -> (VerdictKind, Message);

    /// The texts that the agent shows its user, as `user_message` notices.
    fn user_messages(&self, _event: &EventSpec, _resolution: &Resolution) -> Vec<Message> {
        Vec::new()
    }

    /// The reply in the dialect's own form.
    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply;

    /// The counters that the agent itself has for a hook, by the agent's names. By default there are none.
    fn native_hook_counters(&self, _counts: &HookCounts) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The counters that the agent itself has for a tool, by the agent's names.
    fn native_tool_counters(&self, _counts: &ToolCounts) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The lines that the agent's own debug log contains for a step. By default there are none.
    fn debug_lines(&self, _trace: &Trace, _step: &Step) -> Vec<String> {
        Vec::new()
    }

    /// A sample payload to try the event with.
    fn fixture(&self, event: &EventSpec) -> Payload;
}

/// The variables of the engine's environment, by name.
pub type EngineVars<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The course of events: run order, the state of a session, and simulation.
pub trait Life {
    /// What the payload decides about a hook's position.
    fn placement(&self, _hook: &Hook, _payload: &Payload) -> Placement {
        Placement::default()
    }

    /// What the user should know about this event before it runs, as `warning` notices.
    fn warnings_before(&self, _event: &EventSpec, _payload: &Payload, _hooks: &[&Hook]) -> Vec<Message> {
        Vec::new()
    }

    /// What the user should know after the chain has decided, as `warning` notices. `hooks` are the active ones:
    /// trusted, not muted, not off.
    fn warnings_after(
        &self,
        _event: &EventSpec,
        _payload: &Payload,
        _verdict: &Verdict,
        _hooks: &[&Hook],
    ) -> Vec<Message> {
        Vec::new()
    }

    /// The state of a conversation that begins now.
    fn conversation(&self, _vars: EngineVars<'_>) -> Box<dyn Conversation> {
        Box::new(NoMemory)
    }

    /// How long these hooks of an event may take together; `None` if only their own time limits count.
    fn budget(&self, event: &EventSpec, _hooks: &[&Hook], _vars: EngineVars<'_>) -> Option<Duration> {
        event.chain.budget
    }

    /// How long a hook may take, with what is left of the budget.
    fn time_limit(&self, hook: &Hook, left: Option<Duration>) -> Duration {
        left.map_or(hook.timeout, |left| left.min(hook.timeout))
    }

    /// The message list of a request that begins now; `None` if hooks of this dialect insert no messages. It is for one
    /// connection, until the next request begins.
    ///
    /// # Errors
    /// `messages` or `enabled_skills` has the wrong type (`-32004`).
    fn begin_request(&self, _begin: RequestBegin) -> Option<Result<Box<dyn RequestList>, Message>> {
        None
    }

    /// Simulates a scripted conversation through the whole lifecycle (`CONTRACTS.md` §2.4).
    ///
    /// # Errors
    /// The host could not fire an event. `result` then contains what came before.
    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        host: &'a mut dyn SimulationHost,
        result: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>>;
}
