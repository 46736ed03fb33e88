//! A snapshot: all hooks and problems of one project and of the user at one moment.
//!
//! A new snapshot replaces the old one as a whole when the content of a file changes. A running chain keeps its
//! snapshot.

pub(crate) mod limits;
mod lint_cache;
mod lost;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hookwright_model::{Code, Hook, HookId, Message, Problem, Replacements, Root, SourceRow, render};
use jiff::Timestamp;

use crate::host_env::HostEnv;

pub use lint_cache::LintCache;
pub use lost::LostHooks;
pub(crate) use lost::{ALL as LOST_MESSAGES, events_in};

hookwright_model::messages! {
    /// A file is saved again and again, so its earlier hooks stay in force.
    KEEPS_CHANGING = "last_good" / "changing" { "{path} keeps changing, so the hooks that it defined before stay in force", "{path} 持续变化，因此此前定义的 Hook 继续生效" } hint { "check which program saves it again and again", "检查是哪个程序在反复保存它" };
    /// The request contains a hook's name instead of its id.
    UNKNOWN_HOOK_CALLED = "unknown_hook" / "called" { "unknown hook {hook}", "未知的 Hook {hook}" } hint { "use the id {id}; {hook} is its label", "使用 id {id}；{hook} 是它的名称" };
    /// The project has no hook with this id.
    UNKNOWN_HOOK = "unknown_hook" { "unknown hook {hook}", "未知的 Hook {hook}" } hint { "run `hookwright list` to see the ids", "执行 `hookwright list` 查看所有 id" };
}

/// A root that was read, with its hooks and problems.
#[derive(Debug, Clone)]
pub struct LoadedSource {
    /// The id of the dialect that the root belongs to.
    pub dialect: &'static str,
    /// The file or folder in which the hooks are searched.
    pub root: Root,
    /// Whether the root's path exists.
    pub exists: bool,
    /// The hash of the content that was read last. The root is parsed again only if it changes.
    pub hash: blake3::Hash,
    /// Every file and folder that decides what is read here, including those that do not exist.
    pub input_paths: Arc<Vec<PathBuf>>,
    /// The hooks in force, as their files define them.
    pub file_hooks: Arc<Vec<Arc<Hook>>>,
    /// The hooks in force, after [`crate::discovery::resolve_conflicts`]. The known hooks of a module replace the module. Other files
    /// have an effect too: another layer may shadow a hook.
    pub hooks: Arc<Vec<Arc<Hook>>>,
    /// Problems of the text that was read last. They name hooks by the ids in the files.
    pub file_problems: Arc<Vec<Problem>>,
    /// The same problems. They name hooks by their final ids.
    pub problems: Arc<Vec<Problem>>,
    /// Files that do not parse as a whole, so the hooks that they define are unknown.
    pub broken: Vec<PathBuf>,
    /// The files that do not parse and whose last valid version is in force.
    pub last_good: Vec<OlderVersion>,
    /// The texts of which the hooks in force were read, by the file in which they are defined.
    pub texts: Arc<BTreeMap<PathBuf, Arc<str>>>,
    /// The events that the texts of unreadable files name, if no older version of them is known.
    pub unread_events: Vec<&'static str>,
    /// Set while the files are being saved, and their present text would remove hooks: the hooks of an earlier read stay
    /// in force.
    pub held: Option<HeldSource>,
}

/// A file that does not parse and whose last valid version is in force (`engine.md` §9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OlderVersion {
    /// The file, absolute.
    pub path: PathBuf,
    /// The line of the error, from 1; `None` if it is about the whole file.
    pub line: Option<u32>,
    /// Since when the file does not parse, as far as a program saw it.
    pub since: Timestamp,
}

/// Since when the hooks of an earlier read stay in force, because the files keep changing.
#[derive(Debug, Clone)]
pub struct HeldSource {
    since: Instant,
    /// Whether the user was told.
    told: Arc<AtomicBool>,
}

impl Default for HeldSource {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            told: Arc::default(),
        }
    }
}

impl LoadedSource {
    /// Each hook as read from the source's files, together with the hook in the snapshot. The hooks of a module are in no
    /// file, so there the file's only hook is its own partner.
    pub(crate) fn read_and_present_hooks(&self) -> impl Iterator<Item = (&Arc<Hook>, &Arc<Hook>)> {
        let aligned = self.file_hooks.len() == self.hooks.len()
            && self
                .file_hooks
                .iter()
                .zip(self.hooks.iter())
                .all(|(read, hook)| read.event == hook.event);
        let hooks = if aligned { &self.hooks } else { &self.file_hooks };
        self.file_hooks.iter().zip(hooks.iter())
    }

    /// Whether some hooks are those of an older version of their file.
    #[must_use]
    pub fn has_older_hooks(&self) -> bool {
        !self.last_good.is_empty() || self.held.is_some()
    }

    /// Whether the last valid version of this file is in force, and since when.
    #[must_use]
    pub fn older_version(&self, path: &Path) -> Option<&OlderVersion> {
        self.last_good.iter().find(|older| older.path == path)
    }

    /// What the user is told if the files have kept changing for [`HELD_NOTICE_AFTER`]. Only one call gets it.
    #[must_use]
    pub fn take_held_notice(&self) -> Option<Message> {
        let held = self.held.as_ref()?;
        let is_due = held.since.elapsed() >= HELD_NOTICE_AFTER && !held.told.swap(true, Ordering::Relaxed);
        is_due.then(|| render!(KEEPS_CHANGING, "path" => self.root.path.display().to_string()))
    }
}

/// After this time the user is told that files keep changing.
const HELD_NOTICE_AFTER: Duration = Duration::from_secs(3);

/// All hooks and problems of one project and of the user at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The project directory, absolute.
    pub project: PathBuf,
    /// The roots of all dialects, in load order.
    pub sources: Vec<LoadedSource>,
    /// The user's files that are not read because their path is relative. They have no hooks, and no edit writes them.
    pub misplaced: Vec<LoadedSource>,
    /// Problems that concern several files, and problems that modules and peers reported.
    pub cross_file_results: Vec<LintResult>,
    /// The lint problems of each dialect, computed on demand over all its hooks.
    pub lints: LintCache,
    /// Which roots were read.
    pub scope: ReadScope,
    /// Replacements between hooks that depend on approvals, by dialect. The indexes in them count the hooks of
    /// [`Snapshot::hooks`].
    pub replacements: BTreeMap<&'static str, Replacements>,
    /// Folders whose existence decides which roots are read. They are watched too.
    pub markers: Vec<PathBuf>,
}

/// Which roots of a project and of the user are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadScope {
    /// All roots of all dialects.
    #[default]
    All,
    /// The roots of the dialect with this id.
    Dialect(&'static str),
    /// The roots that belong to no project, of all dialects.
    UserFiles,
}

impl ReadScope {
    /// Whether roots of this dialect are read.
    pub(crate) fn includes(self, dialect: &str) -> bool {
        match self {
            Self::All | Self::UserFiles => true,
            Self::Dialect(wanted) => wanted == dialect,
        }
    }
}

/// A problem of a dialect that parsing one root cannot find.
#[derive(Debug, Clone, PartialEq)]
pub struct LintResult {
    /// The id of the dialect.
    pub dialect: &'static str,
    /// The problem, with its file and position.
    pub problem: Problem,
}

impl Snapshot {
    /// All hooks of a dialect, in load order.
    pub fn hooks(&self, dialect: &str) -> impl Iterator<Item = &Arc<Hook>> {
        self.sources
            .iter()
            .filter(move |source| source.dialect == dialect)
            .flat_map(|source| source.hooks.iter())
    }

    /// All hooks of all dialects, in load order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Hook>> + Clone {
        self.sources.iter().flat_map(|source| source.hooks.iter())
    }

    /// All that an approval can be for: the hooks, and the settings of the project's files, which have the form of hooks.
    pub fn reviewed(&self) -> impl Iterator<Item = &Arc<Hook>> + Clone {
        let settings = self
            .replacements
            .values()
            .flat_map(|replacements| replacements.settings.iter());
        self.all().chain(settings)
    }

    /// The ids of the hooks that this hook replaces once it is approved. A review shows them first (`engine.md` §2).
    #[must_use]
    pub fn replaced_by(&self, id: &str) -> Vec<&HookId> {
        let mut out: Vec<&HookId> = Vec::new();
        for (dialect, replacements) in &self.replacements {
            let mine = replacements
                .rules
                .iter()
                .filter(|rival| rival.once.iter().any(|once| once == id));
            for rival in mine {
                let replaced = self.hooks(dialect).nth(rival.hook).map(|hook| &hook.id);
                out.extend(replaced.filter(|id| !out.contains(id)));
            }
        }
        out
    }

    /// The hook of this id. If it listens to several events, the first one is returned.
    #[must_use]
    pub fn hook(&self, id: &str) -> Option<&Arc<Hook>> {
        let read = || self.sources.iter().flat_map(|source| source.file_hooks.iter());
        // A module is reviewed as a whole, so the module itself is found too, even if its hooks are known.
        self.reviewed().chain(read()).find(|hook| hook.id == id)
    }

    /// The message that there is no such hook. If exactly one hook has this name as its label, the message names its
    /// id.
    #[must_use]
    pub fn unknown_hook(&self, name: &str) -> Message {
        let mut ids: Vec<&str> = self
            .all()
            .filter(|hook| hook.label == name)
            .map(|hook| hook.id.as_str())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        match ids[..] {
            [id] => render!(UNKNOWN_HOOK_CALLED, "hook" => name, "id" => id),
            _ => render!(UNKNOWN_HOOK, "hook" => name),
        }
    }

    /// All problems, or those of one dialect. They are sorted by file and position; the entry `more` is the last of its
    /// file. Lint problems are computed now, unless they are cached.
    #[must_use]
    pub fn problems(&self, env: &HostEnv, dialect: Option<&str>) -> Vec<Problem> {
        let is_wanted = |whose: &str| dialect.is_none_or(|wanted| wanted == whose);
        let sources = || self.sources.iter().filter(|source| is_wanted(source.dialect));
        let cross_file = self
            .cross_file_results
            .iter()
            .filter(|advice| is_wanted(advice.dialect));
        let patterns = sources().flat_map(|source| source.hooks.iter().flat_map(|hook| limits::pattern_problems(hook)));
        let mut all: Vec<Problem> = sources()
            .flat_map(|source| source.problems.iter().cloned())
            .chain(cross_file.map(|advice| advice.problem.clone()))
            .chain(patterns)
            .collect();
        for dialect in hookwright_dialects::all()
            .iter()
            .filter(|dialect| is_wanted(dialect.card().id))
        {
            let mut lints = self.lints.lints_for(env, self, *dialect).problems.clone();
            limits::limit_problems(&mut lints);
            all.extend(lints.into_iter().map(Arc::unwrap_or_clone));
        }
        limits::merge_unit_problems(&mut all);
        limits::limit_problems(&mut all);
        all.sort_by(|a, b| {
            let last = |problem: &Problem| problem.code == Code::More;
            (&a.path, last(a), a.line, a.column, a.severity, a.code).cmp(&(
                &b.path,
                last(b),
                b.line,
                b.column,
                b.severity,
                b.code,
            ))
        });
        all.dedup();
        all
    }

    /// The roots as rows of `list --json`, of all dialects or of one.
    #[must_use]
    pub fn source_rows(&self, dialect: Option<&str>) -> Vec<SourceRow> {
        let mine = self
            .sources
            .iter()
            .chain(&self.misplaced)
            .filter(|source| dialect.is_none_or(|wanted| wanted == source.dialect));
        let rows = mine.map(|source| SourceRow {
            dialect: source.dialect.to_owned(),
            layer: source.root.layer,
            path: source.root.path.display().to_string(),
            exists: source.exists,
            hooks: u32::try_from(source.hooks.len()).unwrap_or(u32::MAX),
            last_good: source.has_older_hooks(),
            last_good_since: source.last_good.iter().map(|older| older.since).min(),
            definitions: source.definitions(),
            events: source.events(),
            health: source.health(),
        });
        // A dialect may read one folder for several kinds of files. It is one place for the user.
        let mut out: Vec<SourceRow> = Vec::new();
        for row in rows {
            let is_same = |other: &SourceRow| other.dialect == row.dialect && other.path == row.path;
            match out.iter().position(is_same) {
                Some(index) => out[index].join(row),
                None => out.push(row),
            }
        }
        out
    }
}
