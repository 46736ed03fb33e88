//! Which files a hook's command may name (`engine.md` §3, "What an approval covers").
//!
//! No shell grammar decides: names are over-approximated from the text ([`reading`]), and what exists under one of them
//! counts ([`resolve`]). This module knows nothing of approvals: who approves project hooks, who looks for project content
//! behind a user's hook, and who checks scripts all ask it.

mod conventions;
mod expand;
mod folders;
mod forms;
mod interpreters;
mod name_collector;
mod operands;
mod resolve;
mod tables;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use hookwright_model::{ApprovalScope, Card, Hook};
use serde_json::Value;

use super::disk_cache::{DiskCache, PathKind};
use expand::KnownValues;
pub(super) use expand::fill_variables;
pub(super) use forms::entries;
pub(super) use interpreters::{Interpreter, NextWord, WordMeaning, interpreter};
use name_collector::NameCollector;
use resolve::PathResolver;
pub(super) use tables::{is_of_system, is_skipped_folder, program as program_name};

/// So many names at most; a hook with more cannot be approved.
pub const MAX_NAMES: usize = 512;
/// A command, its arguments and variables have at most so many bytes together.
pub const MAX_TEXT_BYTES: usize = 64 << 10;

/// Where a command is looked at from.
#[derive(Debug, Clone, Copy)]
pub struct LookupContext<'a> {
    /// The user's home.
    pub home: &'a Path,
    /// The project.
    pub project: &'a Path,
    /// The directory in which the command starts: relative names are looked for there, and in the project.
    pub start: &'a Path,
    /// Where programs are looked for: the engine's own PATH.
    pub path: &'a [PathBuf],
    /// What was looked at before.
    pub disk: &'a DiskCache,
}

/// What a file or folder that a command names is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// Only written to.
    Output,
    /// Named, and nothing says that it is run.
    Data,
    /// A folder in which code is found.
    Folder,
    /// A `package.json` whose `scripts` may run.
    Scripts,
    /// A file that is read by convention, as `make` reads its `Makefile`.
    Convention,
    /// Code.
    Code,
}

/// From where a name leads to its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameBase {
    /// It is absolute, or begins with a variable whose value is.
    Absolute,
    /// The directory in which the command starts.
    Start,
    /// The project, where the command starts elsewhere.
    Project,
    /// A folder that the command names too.
    Folder,
}

/// An existing file or folder that a command may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The name, without quotes, variables filled in; of several one that says most.
    pub written: String,
    /// Its real path, links followed.
    pub path: PathBuf,
    /// What it is to the command.
    pub role: FileRole,
    /// It is the script operand of an interpreter, a runner, `.` or `source`.
    pub operand: bool,
    /// From where the name leads to it.
    pub base: NameBase,
    /// It lies in the project, or a link of the project leads to it.
    pub in_project: bool,
}

/// Where a relative name leads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameTargets {
    /// From the directory in which the command starts.
    pub direct: Option<PathBuf>,
    /// From there and every other folder.
    pub all: BTreeSet<PathBuf>,
}

/// Why a command cannot be looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitExceeded {
    /// It has more names than [`MAX_NAMES`].
    Names,
    /// It has more bytes than [`MAX_TEXT_BYTES`].
    Bytes,
}

/// What a command names.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// Everything that exists, each path once, by path.
    pub found: Vec<Candidate>,
    /// Places in the project where a name may lead to a file once there is one.
    pub absent: Vec<PathBuf>,
    /// Files and folders whose state decides all this: while none of them changes, nothing here does.
    pub dependencies: BTreeSet<PathBuf>,
    /// What only the run knows, as written: `$X`, `*`, `eval`.
    pub computed: Vec<String>,
    /// What is written to, as written.
    pub outputs: Vec<String>,
    /// Folders with more code than is looked through.
    pub large_folders: Vec<PathBuf>,
    /// Places in the project that are named and hold no file, but a pipe, a socket or a device.
    pub others: BTreeSet<PathBuf>,
    /// Of each relative name the files of the project that it leads to, and the one to which it leads from the start.
    pub targets: BTreeMap<String, NameTargets>,
    /// The command starts outside the project.
    pub outside_start: Option<PathBuf>,
    /// More folders are named than are looked into.
    pub more_folders: bool,
    /// `cargo` runs: what it builds is not looked for.
    pub cargo: bool,
    /// Nothing was looked for.
    pub exceeded: Option<LimitExceeded>,
}

/// Everything that the hook's command may name, seen from there. Empty for hooks that have no command.
#[must_use]
pub fn candidates(hook: &Hook, card: &Card, context: LookupContext<'_>) -> Candidates {
    let ApprovalScope::Command(command) = &hook.cover else {
        return Candidates::default();
    };
    let given = definition_env(hook, card);
    let bytes = command.words.iter().map(String::len).sum::<usize>()
        + given
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>();
    if bytes > MAX_TEXT_BYTES {
        return Candidates {
            exceeded: Some(LimitExceeded::Bytes),
            ..Candidates::default()
        };
    }
    let values = KnownValues {
        home: context.home,
        project: context.project,
        start: context.start,
        card,
        definition_env: given,
    };
    let mut reading = NameCollector::default();
    if command.shell {
        command.words.iter().for_each(|text| reading.read_shell(text, &values));
    } else {
        reading.read_arguments(&command.words, &values);
    }
    for (name, value) in &values.definition_env {
        reading.read_variable(name, value, &values);
    }
    if reading.names.len() > MAX_NAMES {
        return Candidates {
            exceeded: Some(LimitExceeded::Names),
            ..Candidates::default()
        };
    }
    let mut found = PathResolver::new(context).resolve(reading);
    if let Some(dir) = &command.dir {
        found.note_start_dir(&context.project.join(dir), context);
    }
    found
}

impl Candidates {
    /// Notes what decides in which folder the command starts, and whether that is outside the project.
    fn note_start_dir(&mut self, place: &Path, view: LookupContext<'_>) {
        let place = without_dots(place);
        let there = place
            .ancestors()
            .find(|folder| view.disk.kind(folder) != PathKind::Absent);
        self.dependencies.extend(there.map(Path::to_owned));
        let behind = there.and_then(|folder| place.strip_prefix(folder).ok());
        let real = match there.map(|folder| view.disk.real(folder)).zip(behind) {
            Some((folder, behind)) if behind != Path::new("") => folder.join(behind),
            Some((folder, _)) => folder,
            None => place,
        };
        self.outside_start = (!real.starts_with(view.disk.real(view.project))).then_some(real);
    }
}

/// A path without `.` and `..`, as its text says. Where a link stands before a `..`, the system goes elsewhere: then the
/// folder exists, and its real path tells.
fn without_dots(path: &Path) -> PathBuf {
    if let Ok(real) = dunce::canonicalize(path) {
        return real;
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// The folder in which a hook's command starts where its event says nothing else: the one that the definition names,
/// while it is there, and the project otherwise (`engine.md` §8).
#[must_use]
pub fn start_dir(hook: &Hook, project: &Path) -> PathBuf {
    let named = match &hook.cover {
        ApprovalScope::Command(command) => command.dir.as_deref(),
        ApprovalScope::Folder(_) | ApprovalScope::Sources { .. } | ApprovalScope::Files(_) | ApprovalScope::Nothing => {
            None
        }
    };
    let named = named.map(|dir| project.join(dir)).filter(|dir| dir.is_dir());
    named.unwrap_or_else(|| project.to_owned())
}

/// Variables that the definition gives its process.
pub(super) fn definition_env<'a>(hook: &'a Hook, card: &Card) -> BTreeMap<&'a str, &'a str> {
    let field = card.env_field.and_then(|field| hook.definition.get(field));
    let pairs = field.and_then(Value::as_object).into_iter().flatten();
    // What every run is told of itself is set over it.
    let settable = pairs.filter(|(name, _)| !name.starts_with("HOOKWRIGHT_"));
    settable
        .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
        .collect()
}
