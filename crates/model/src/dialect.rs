//! A hook system's rules, as the engine and the library ask for them. Pure and total: no dialect touches the world.

use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::chain::{Additions, ChainPolicy, Decoded, Resolution};
use crate::event::{EventSpec, Facts, FieldSpec, Payload, Text};
use crate::hook::{Hook, Layer};
use crate::problem::Problem;
use crate::run::{Call, Run};
use crate::saying::Words;
use crate::trace::Reply;

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
    pub about: Text,
    /// Fields every payload has.
    pub common: &'static [FieldSpec],
    /// The payload field that holds the event's name.
    pub event_field: &'static str,
    /// Variables that tell hooks a directory, for the files a command names (`engine.md` §3).
    pub dir_vars: &'static [DirVar],
    /// The events, in the order of an agent's life.
    pub events: &'static [EventSpec],
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
pub struct Places {
    /// The home directory.
    pub home: PathBuf,
    /// The project directory, absolute.
    pub project: PathBuf,
    /// Environment variables that dialects' places depend on (`J_DATA_PATH`, `XDG_CONFIG_HOME`), when set.
    pub vars: BTreeMap<String, String>,
}

/// The one question about the disk that finding a place needs.
pub trait Ground {
    /// Whether this is a directory.
    fn is_dir(&self, path: &Path) -> bool;
}

/// A place where hooks may live. It need not exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    /// The layer of what is found there.
    pub layer: Layer,
    /// The file, absolute.
    pub path: PathBuf,
    /// The directory that approvals are for; `None` outside layer project.
    pub project: Option<PathBuf>,
}

/// What was read at a root.
#[derive(Debug, Clone)]
pub struct SourceTree {
    /// The root.
    pub root: Root,
    /// Its files, by absolute path. Empty when there is nothing there.
    pub files: IndexMap<PathBuf, SourceFile>,
}

/// One file, read.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its text without byte-order mark, or what is wrong with it (`unreadable`, `too_large`, `file_outside`).
    pub text: Result<String, Problem>,
}

/// What a root's files say.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The hooks, invalid ones included, in declared order.
    pub hooks: Vec<Hook>,
    /// What is wrong or noteworthy.
    pub problems: Vec<Problem>,
    /// The file as a whole could not be read: the last good version stays in force (`engine.md` §9).
    pub broken: bool,
}

/// What lint hints are given from.
pub struct LintDesk<'a> {
    /// All hooks of the dialect in run order.
    pub hooks: &'a [Hook],
    /// Text of the project or user files that a hook's command names, by hook id; large and binary ones are left out.
    pub named: &'a BTreeMap<String, Vec<(PathBuf, String)>>,
    /// The places.
    pub places: &'a Places,
    /// Names of the variables in the environment hooks get, without values.
    pub env: &'a [String],
    /// Whether a program of that name is on the hooks' PATH.
    pub on_path: &'a dyn Fn(&str) -> bool,
    /// Whether there is anything at that absolute path.
    pub is_there: &'a dyn Fn(&Path) -> bool,
}

/// One hook system.
pub trait Dialect: Send + Sync {
    /// Who it is, and its tables.
    fn card(&self) -> &'static Card;

    /// How the hooks of this event are run.
    fn chain(&self, event: &EventSpec) -> ChainPolicy;

    /// Where its hooks may live, in load order.
    fn roots(&self, places: &Places, ground: &dyn Ground) -> Vec<Root>;

    /// Reads a root's files. Total: what is wrong becomes a Problem, and costs only itself.
    fn parse(&self, tree: &SourceTree) -> Parsed;

    /// Whether this file, by its place or name, is one of this dialect's (`CONTRACTS.md` §2, `check PATH`), and then as which root.
    fn claims(&self, path: &Path, places: &Places) -> Option<Root>;

    /// Advice over all hooks together.
    fn lint(&self, desk: &LintDesk<'_>) -> Vec<Problem>;

    /// Fills in missing common fields.
    ///
    /// # Errors
    /// The payload contradicts the event (`-32004`).
    fn accept(&self, event: &EventSpec, payload: &mut Payload, facts: &Facts) -> Result<(), Words>;

    /// What is to be done to run this hook on this payload.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call;

    /// What the run meant.
    fn decode(&self, hook: &Hook, event: &EventSpec, run: &Run) -> Decoded;

    /// Applies additions to the payload, once the chain has ended.
    fn fold(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions);

    /// The verdict that holds the agent when a hook fails closed.
    fn closed_verdict(&self, event: &EventSpec) -> crate::VerdictKind;

    /// The reply in the dialect's own shape.
    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply;

    /// A payload to try the event with.
    fn fixture(&self, event: &EventSpec) -> Payload;
}
