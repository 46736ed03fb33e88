//! A hook system's rules, as the engine and the library ask for them. Pure and total: no dialect touches the world.

use futures::future::BoxFuture;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::chain::{Additions, ChainPolicy, Decoded, Placement, Resolution};
use crate::edit::{EditContext, EditPlan, EditRequest, EditSupport};
use crate::event::{Bilingual, EventDefaults, EventSpec, FieldSpec, Payload};
use crate::hook::{DisabledReason, Hook, HookId, Layer};
use crate::lifecycle_map::LifecycleMap;
use crate::message::Message;
use crate::outcome::{HookCounts, ToolCalls, ToolCounts, VerdictKind};
use crate::problem::Problem;
use crate::run::{Call, End, Run};
use crate::simulate::{Scenario, SimulationHost, SimulationResult};
use crate::trace::{Reply, Step, Trace, Verdict};

/// Who a dialect is, and its tables.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// `jcli`, `qoder`, …
    pub id: &'static str,
    /// The agent's name, for people.
    pub name: &'static str,
    /// Two letters for narrow places.
    pub tag: &'static str,
    /// What kind of hooks these are.
    pub about: Bilingual,
    /// Fields every payload has.
    pub common: &'static [FieldSpec],
    /// The payload field that holds the event's name.
    pub event_field: &'static str,
    /// Variables that tell hooks a directory, for the files a command names (`engine.md` §3).
    pub dir_vars: &'static [DirVar],
    /// The field of a definition with variables for its own process, where there is one.
    pub env_field: Option<&'static str>,
    /// The event that people try first.
    pub first: &'static str,
    /// The event with which a session ends; `None` where only its close ends it (`CONTRACTS.md` §3).
    pub last: Option<&'static str>,
    /// The events, in the order of an agent's life.
    pub events: &'static [EventSpec],
    /// Events that the agent fires and Hookwright does not.
    pub unfired: &'static [&'static str],
}

/// A variable that tells hooks a directory (`$JCLI_CWD`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirVar {
    /// Its name.
    pub name: &'static str,
    /// Which directory.
    pub of: DirOf,
}

/// Which directory a [`DirVar`] tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirOf {
    /// The project, whatever the payload says.
    Project,
    /// The payload's directory: the agent's choice, so looked at again before each spawn.
    Payload,
}

impl Card {
    /// The event of that name.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&'static EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }
}

/// Where things are, on this machine and for this project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locations {
    /// The home directory.
    pub home: PathBuf,
    /// The project directory, absolute.
    pub project: PathBuf,
    /// Further folders of skills, by the settings.
    pub skills_roots: Vec<PathBuf>,
    /// Environment variables that dialects' places depend on (`J_DATA_PATH`, `XDG_CONFIG_HOME`), when set.
    pub vars: BTreeMap<String, String>,
}

/// The one question about the disk that finding a place needs.
pub trait DirProbe {
    /// Whether this is a directory.
    fn is_dir(&self, path: &Path) -> bool;
}

/// A place where hooks may live. It need not exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    /// The layer of what is found there.
    pub layer: Layer,
    /// The file or folder, absolute.
    pub path: PathBuf,
    /// The directory that approvals are for; `None` outside layer project.
    pub project: Option<PathBuf>,
    /// What is read there.
    pub reads: RootKind,
}

/// What is read at a root, before [`Dialect::referenced_files`] is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootKind {
    /// The file itself.
    File,
    /// This file in every immediate folder that has it, folders in the order of their names.
    Folders(&'static str),
}

/// What was read at a root.
#[derive(Debug, Clone)]
pub struct SourceTree {
    /// The root.
    pub root: Root,
    /// Whether there is anything at the root's path.
    pub exists: bool,
    /// Its files, by absolute path. Empty when there is nothing there.
    pub files: IndexMap<PathBuf, SourceFile>,
}

/// One file, read.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Whether something stands at its place; a link that leads to nothing is read, but is no file.
    pub exists: bool,
    /// Its text without byte-order mark, or what is wrong with it (`unreadable`, `too_large`, `file_outside`).
    pub text: Result<String, Problem>,
    /// Where it really is, links resolved.
    pub real: PathBuf,
    /// Where the folder it stands in really is.
    pub folder: PathBuf,
    /// Whether somebody may execute it.
    pub executable: bool,
    /// Its first bytes, at most [`HEAD_BYTES`], also of a file that is no text.
    pub head: Vec<u8>,
}

impl Root {
    /// A file.
    #[must_use]
    pub fn file(layer: Layer, path: PathBuf, project: Option<PathBuf>) -> Self {
        Self {
            layer,
            path,
            project,
            reads: RootKind::File,
        }
    }
}

impl SourceTree {
    /// A root with one file of this text at its path.
    #[must_use]
    pub fn with_text(root: Root, text: Result<String, Problem>) -> Self {
        let path = root.path.clone();
        let file = SourceFile::with_text(path.clone(), text);
        Self {
            root,
            exists: true,
            files: IndexMap::from([(path, file)]),
        }
    }
}

impl SourceFile {
    /// A file of this text where its path says, not executable.
    #[must_use]
    pub fn with_text(real: PathBuf, text: Result<String, Problem>) -> Self {
        let head = text.as_deref().unwrap_or_default().bytes().take(HEAD_BYTES).collect();
        Self {
            exists: true,
            text,
            folder: real.parent().map(Path::to_owned).unwrap_or_default(),
            real,
            executable: false,
            head,
        }
    }
}

/// A file may define this many hooks (`engine.md` §9). A reader may stop behind the first one more.
pub const MAX_FILE_HOOKS: usize = 20_000;

/// How much of a file's begin is kept beside its text.
pub const HEAD_BYTES: usize = 256;

/// What a root's files say.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The hooks, invalid ones included, in declared order.
    pub hooks: Vec<Hook>,
    /// What is wrong or noteworthy.
    pub problems: Vec<Problem>,
    /// Files that could not be read as a whole: what they last said stays in force (`engine.md` §9).
    pub broken: Vec<PathBuf>,
}

/// What holds between files.
#[derive(Debug, Clone, Default)]
pub struct ConflictReport {
    /// Hooks that are off for it whatever is approved, by their place in the list.
    pub off: Vec<(usize, DisabledReason)>,
    /// Hooks whose id another one has, by their place in the list, with the id they get instead.
    pub renamed: BTreeMap<usize, HookId>,
    /// What approvals decide.
    pub rivalry: Replacements,
    /// What is to be said of it.
    pub problems: Vec<Problem>,
}

/// Hooks of one name of which approvals decide who replaces whom (`engine.md` §2): only what is approved replaces another.
#[derive(Debug, Clone, Default)]
pub struct Replacements {
    /// Who may be replaced; of several rivals of one hook the strongest first.
    pub rivals: Vec<ReplacementRule>,
    /// Hooks that need an approval of their own, also where the moment would be one ([`Placement::trusted`]), by their place in
    /// the list.
    pub contested: BTreeSet<usize>,
}

impl Replacements {
    /// Whether an approval of this hook counts for who replaces whom.
    #[must_use]
    pub fn has(&self, hook: &str) -> bool {
        self.rivals
            .iter()
            .any(|rival| rival.once.iter().any(|once| once == hook))
    }
}

/// A hook that others replace once they are approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacementRule {
    /// The hook that is replaced, by its place in the list.
    pub hook: usize,
    /// What replaces it, by the ids that hooks have once they are renamed.
    pub by: HookId,
    /// The hooks that must all be approved for it; none of them is invalid.
    pub once: Vec<HookId>,
}

/// A folder right inside a place that is read as [`RootKind::Folders`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerFolder {
    /// The folder.
    pub path: PathBuf,
    /// What is in it needs an approval.
    pub of_project: bool,
}

/// What lint hints are given from.
pub struct LintContext<'a> {
    /// All hooks of the dialect in run order.
    pub hooks: &'a [Arc<Hook>],
    /// Text of the project or user files that a hook's command names, by hook id; large and binary ones are left out.
    pub named: &'a BTreeMap<String, Vec<(PathBuf, String)>>,
    /// The places.
    pub places: &'a Locations,
    /// Names of the variables in the environment hooks get, without values.
    pub env: &'a [String],
    /// The name of the shell that `sh` is on the hooks' PATH; empty where there is none.
    pub sh: &'a str,
    /// Whether a program of that name is on the hooks' PATH.
    pub on_path: &'a dyn Fn(&str) -> bool,
    /// Whether there is anything at that absolute path.
    pub is_there: &'a dyn Fn(&Path) -> bool,
    /// Whether somebody may execute the file at that absolute path.
    pub runs: &'a dyn Fn(&Path) -> bool,
    /// What lies right inside that absolute folder, by name.
    pub inside: &'a dyn Fn(&Path) -> Vec<PathBuf>,
}

/// What a session keeps between events, in the dialect's own words.
pub type SessionState = Map<String, Value>;

/// How a person wants their hooks to be spoken to (`settings.toml`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProtocolOptions {
    /// `[picoclaw] event_method`
    pub event_method: EventMethod,
}

/// The method name of picoclaw's notifications; serialized as in `settings.toml`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventMethod {
    /// `hook.event`
    #[default]
    #[serde(rename = "hook.event")]
    Event,
    /// `hook.runtime_event`, for newer processes.
    #[serde(rename = "hook.runtime_event")]
    RuntimeEvent,
    /// Each notification under both names.
    #[serde(rename = "both")]
    Both,
}

/// One hook system.
pub trait Dialect: Send + Sync + std::fmt::Debug {
    /// Who it is, and its tables.
    fn card(&self) -> &'static Card;

    /// The picture of the agent's life; empty where nobody has drawn one.
    fn map(&self) -> &'static LifecycleMap {
        &LifecycleMap::EMPTY
    }

    /// The payload field that names the tool an event is about.
    fn tool_field(&self) -> &'static str {
        "tool_name"
    }

    /// How the hooks of this event are run.
    fn chain(&self, event: &EventSpec) -> ChainPolicy;

    /// Where its hooks may live, in load order.
    fn roots(&self, locations: &Locations, dirs: &dyn DirProbe) -> Vec<Root>;

    /// That the user's hooks are not loaded, because their place depends on the working directory (`CONTRACTS.md` §2).
    fn misplaced(&self, _locations: &Locations) -> Option<Message> {
        None
    }

    /// Further files that what was read so far names; asked again until there are no new ones.
    fn referenced_files(&self, _tree: &SourceTree) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Reads a root's files. Total: what is wrong becomes a Problem, and costs only itself.
    fn parse(&self, tree: &SourceTree) -> Parsed;

    /// What holds between files, over all hooks in load order: names given twice, layers that replace each other. `folders`
    /// are there whether they have hooks or not.
    fn resolve_conflicts(&self, _hooks: &[&Hook], _folders: &[InnerFolder]) -> ConflictReport {
        ConflictReport::default()
    }

    /// The hooks of a module, from what its bridge told of it.
    fn expand_module(&self, _module: &Hook, _report: &Value) -> Parsed {
        Parsed::default()
    }

    /// What the moment says of a hook's place.
    fn placement(&self, _hook: &Hook, _payload: &Payload) -> Placement {
        Placement::default()
    }

    /// What a person should know of this event before it runs, as `warning` notices.
    fn warnings_before(&self, _event: &EventSpec, _payload: &Payload, _hooks: &[&Hook]) -> Vec<Message> {
        Vec::new()
    }

    /// What a person should know once the chain has decided, as `warning` notices. `hooks` are those in force.
    fn warnings_after(
        &self,
        _event: &EventSpec,
        _payload: &Payload,
        _verdict: &Verdict,
        _hooks: &[&Hook],
    ) -> Vec<Message> {
        Vec::new()
    }

    /// Why no hook may hold the agent at this event any more in this session, when that is so.
    fn no_block_reason(&self, _event: &EventSpec, _state: &SessionState) -> Option<Message> {
        None
    }

    /// What an event leaves behind for the next one of its session; what is said once a session is not said again.
    fn remember(&self, _event: &EventSpec, _trace: &mut Trace, _state: &mut SessionState) {}

    /// The event that goes by another name elsewhere.
    fn alias(&self, _event: &str) -> Option<&'static str> {
        None
    }

    /// Whether this file, by its place or name, is one of this dialect's (`CONTRACTS.md` §2, `check PATH`), and then as which root.
    fn detect_root(&self, path: &Path, locations: &Locations) -> Option<Root>;

    /// What is to be written so that its files say what a person wants; `None` where this dialect's files are not changed.
    ///
    /// # Errors
    /// Why not, and the nearest thing that it can.
    fn edit(&self, _context: &EditContext<'_>, _request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        None
    }

    /// What its files have for a person's hand, beside fields.
    fn edit_support(&self) -> EditSupport {
        EditSupport::default()
    }

    /// The list that a hook stands in where the file's order is the run order: hooks of one list stand in it as they were
    /// loaded. `None` where they cannot be moved.
    fn order_list(&self, _hook: &Hook) -> Option<String> {
        None
    }

    /// Whether a file that [`Dialect::detect_root`] counts when a walk over a folder comes across it. A name that others use
    /// too counts only where somebody points at it.
    fn found_by_scan(&self, _path: &Path) -> bool {
        true
    }

    /// Advice over all hooks together.
    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem>;

    /// Fills in missing common fields.
    ///
    /// # Errors
    /// The payload contradicts the event (`-32004`).
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message>;

    /// What is to be done to run this hook on this payload.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call;

    /// The same as a person wants it said.
    fn apply_options(&self, call: Call, _options: ProtocolOptions) -> Call {
        call
    }

    /// What the run meant.
    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded;

    /// Applies additions to the payload, once the chain has ended.
    fn apply_additions(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions);

    /// The verdict that holds the agent when this hook failed closed, and its words; `end` is `None` when it never ran.
    fn closed_verdict(&self, hook: &Hook, failure: &Message, end: Option<End>) -> (VerdictKind, Message);

    /// What the agent shows its user of this, as `user_message` notices.
    fn user_messages(&self, _event: &EventSpec, _resolution: &Resolution) -> Vec<Message> {
        Vec::new()
    }

    /// The reply in the dialect's own shape.
    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply;

    /// The counters that the agent itself keeps of a hook, under its names; none by default.
    fn native_hook_counters(&self, _counts: &HookCounts) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The event that its counters of tools count; `None` where the agent keeps none.
    fn tool_calls(&self) -> Option<ToolCalls> {
        None
    }

    /// The counters that the agent itself keeps of a tool, under its names.
    fn native_tool_counters(&self, _counts: &ToolCounts) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// What the agent's own debug log says of a step, line by line; nothing by default.
    fn debug_lines(&self, _trace: &Trace, _step: &Step) -> Vec<String> {
        Vec::new()
    }

    /// A payload to try the event with.
    fn fixture(&self, event: &EventSpec) -> Payload;

    /// Plays a scripted conversation through the whole lifecycle (`CONTRACTS.md` §2.4).
    ///
    /// # Errors
    /// What the host could not do; `result` then has what came before.
    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        host: &'a mut dyn SimulationHost,
        result: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>>;
}
