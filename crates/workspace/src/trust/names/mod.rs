//! Which files a hook's command may name (`engine.md` §3, "What an approval covers").
//!
//! No shell grammar decides. `name_collector` over-approximates the names from the text, and `resolve` finds what
//! exists under them. This module is independent of approvals. It is used for approvals of project hooks, for the
//! project content that a user hook starts, and for checks of scripts.

mod conventions;
mod expand;
mod folders;
mod forms;
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
use name_collector::NameCollector;
use resolve::PathResolver;
pub(super) use tables::{is_of_system, is_skipped_folder};

/// Limit for the names of one command. A hook with more cannot be approved.
pub const MAX_NAMES: usize = 512;
/// Limit for the bytes of a command with its arguments and variables. A larger hook cannot be approved.
pub const MAX_TEXT_BYTES: usize = 64 << 10;

/// The directories and the PATH by which the names of a command are resolved.
#[derive(Debug, Clone, Copy)]
pub struct LookupContext<'a> {
    /// The user's home directory.
    pub home: &'a Path,
    /// The project directory.
    pub project: &'a Path,
    /// The directory in which the command starts. Relative names are resolved from here and from the project.
    pub start: &'a Path,
    /// The folders in which programs are searched: the engine's own PATH.
    pub path: &'a [PathBuf],
    /// What was already read from the disk.
    pub disk: &'a DiskCache,
}

/// What a named file or folder is to the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// A file that is only written.
    Output,
    /// A file that is named, without a sign that it is run.
    Data,
    /// A folder in which the command finds code.
    Folder,
    /// A `package.json` whose `scripts` may run.
    Scripts,
    /// A file that a program reads by convention, as `make` reads its `Makefile`.
    Convention,
    /// A file with code that may run.
    Code,
}

/// The folder from which a name leads to its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameBase {
    /// None: the name is absolute, or begins with a variable whose value is absolute.
    Absolute,
    /// The directory in which the command starts.
    Start,
    /// The project, if the command starts in another directory.
    Project,
    /// A folder that the command also names.
    Folder,
}

/// An existing file or folder that a command may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCandidate {
    /// The name without quotes, with its variables filled in. Of several names it is the one with the highest role.
    pub written: String,
    /// The real path, links followed.
    pub path: PathBuf,
    /// What the file is to the command. Of several names the highest role counts.
    pub role: FileRole,
    /// Whether it is the script operand of an interpreter, a runner, `.` or `source`.
    pub operand: bool,
    /// The folder from which the name leads to the file.
    pub base: NameBase,
    /// Whether it is in the project, or a link in the project leads to it.
    pub in_project: bool,
}

/// The files to which a relative name leads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameTargets {
    /// The file of the project to which it leads from the directory in which the command starts.
    pub direct: Option<PathBuf>,
    /// All files of the project to which it leads, from that directory and every other folder.
    pub all: BTreeSet<PathBuf>,
}

/// Why the names of a command are not resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitExceeded {
    /// It has more names than [`MAX_NAMES`].
    Names,
    /// It has more bytes than [`MAX_TEXT_BYTES`].
    Bytes,
}

/// Everything that a command names.
#[derive(Debug, Clone, Default)]
pub struct FileCandidates {
    /// The existing files, each path once, sorted by path.
    pub found: Vec<FileCandidate>,
    /// Paths in the project where a name leads to a file as soon as one is created.
    pub absent: Vec<PathBuf>,
    /// The files and folders whose state decides this result. While none of them changes, the result stays the same.
    pub dependencies: BTreeSet<PathBuf>,
    /// Names that are known only at run time, as written: `$X`, `*`, `eval`.
    pub computed: Vec<String>,
    /// The files that are written to, as written in the command.
    pub outputs: Vec<String>,
    /// Folders with more code than the limits allow.
    pub large_folders: Vec<PathBuf>,
    /// Named paths in the project that are not files, but pipes, sockets or devices.
    pub others: BTreeSet<PathBuf>,
    /// For each relative name, the files of the project to which it leads.
    pub targets: BTreeMap<String, NameTargets>,
    /// The directory in which the command starts, if it is outside the project.
    pub outside_start: Option<PathBuf>,
    /// Whether more folders are named than are searched.
    pub more_folders: bool,
    /// Whether `cargo` runs. What it builds is not searched.
    pub cargo: bool,
    /// The limit that the command exceeds. Then nothing was resolved.
    pub exceeded: Option<LimitExceeded>,
}

/// Finds everything that the hook's command may name. Returns an empty result for a hook without a command.
#[must_use]
pub fn candidates(hook: &Hook, card: &Card, context: LookupContext<'_>) -> FileCandidates {
    let ApprovalScope::Command(command) = &hook.approval_scope else {
        return FileCandidates::default();
    };
    let given = definition_env(hook, card);
    let bytes = command.words.iter().map(String::len).sum::<usize>()
        + given
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>();
    if bytes > MAX_TEXT_BYTES {
        return FileCandidates {
            exceeded: Some(LimitExceeded::Bytes),
            ..FileCandidates::default()
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
        return FileCandidates {
            exceeded: Some(LimitExceeded::Names),
            ..FileCandidates::default()
        };
    }
    let mut found = PathResolver::new(context).resolve(reading);
    if let Some(dir) = &command.dir {
        found.note_start_dir(&context.project.join(dir), context);
    }
    found
}

impl FileCandidates {
    /// Notes the folder that decides where the command starts, and whether that is outside the project.
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

/// A path without `.` and `..`. If the path exists, this is its real path, because a link before a `..` leads to
/// another folder. Otherwise `.` and `..` are removed from the text alone.
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

/// The folder in which a hook's command starts, if its event names no other: the folder that the definition names,
/// while it exists, and otherwise the project (`engine.md` §8).
#[must_use]
pub fn start_dir(hook: &Hook, project: &Path) -> PathBuf {
    let named = match &hook.approval_scope {
        ApprovalScope::Command(command) => command.dir.as_deref(),
        ApprovalScope::Folder(_) | ApprovalScope::Sources { .. } | ApprovalScope::Files(_) | ApprovalScope::Nothing => {
            None
        }
    };
    let named = named.map(|dir| project.join(dir)).filter(|dir| dir.is_dir());
    named.unwrap_or_else(|| project.to_owned())
}

/// The variables that the definition sets for its process.
pub(super) fn definition_env<'a>(hook: &'a Hook, card: &Card) -> BTreeMap<&'a str, &'a str> {
    let field = card.env_field.and_then(|field| hook.definition.get(field));
    let pairs = field.and_then(Value::as_object).into_iter().flatten();
    // Hookwright sets these variables for every run. They replace those of the definition.
    let settable = pairs.filter(|(name, _)| !name.starts_with("HOOKWRIGHT_"));
    settable
        .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
        .collect()
}
