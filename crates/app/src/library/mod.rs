//! The library: what the configuration files of a project and its person say, as an immutable snapshot.
//!
//! A snapshot is replaced whole when the content of a file changed; a chain under way keeps the one it began with.
//! A file that stopped parsing leaves its last good version in force (`engine.md` §9).

mod advice;
mod ears;
mod limits;
mod read;
mod shared;
pub(crate) mod stamps;
mod watch;
mod watch_status;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::matcher::PatternPool;
use hookwright_model::{
    Code, Dialect, DirProbe, DisabledReason, Hook, HookId, InnerFolder, Problem, Replacements, Root, RootKind,
    SourceRow, SourceTree,
};

pub use advice::Advisor;

pub use ears::{ALL as EARS_SAYINGS, Ears, Wanted};
pub use limits::{ALL as LIMIT_SAYINGS, MAX_PROBLEMS};
pub use read::{ALL as SAYINGS, MAX_SOURCE_BYTES, Overlay, Written, inside, may_execute, read_root, read_root_with};
pub use shared::{Reading, Shared};
pub use watch::{Cause, Live, Looked, Watching, watch};
pub use watch_status::{ALL as WATCH_STATUS_SAYINGS, WatchStatus};

use crate::greetings;
use crate::modules;
use crate::surroundings::{Disk, Surroundings};

/// One place that was looked at.
#[derive(Debug, Clone)]
pub struct Source {
    /// Whose place it is.
    pub dialect: &'static str,
    /// The place.
    pub root: Root,
    /// Whether there is something.
    pub exists: bool,
    /// Hash of what was read last.
    pub hash: blake3::Hash,
    /// Every file and folder that decides what is read here.
    pub looked: Arc<Vec<PathBuf>>,
    /// The hooks in force, as their files say.
    pub read: Arc<Vec<Arc<Hook>>>,
    /// The same, with the hooks of modules as far as they are known, and with what other files make of them (replaced by
    /// another layer, say).
    pub hooks: Arc<Vec<Arc<Hook>>>,
    /// What is wrong with the text that was read last, about hooks as their files call them.
    pub told: Arc<Vec<Problem>>,
    /// The same, about hooks as they are called in the end.
    pub problems: Arc<Vec<Problem>>,
    /// Files that do not parse as a whole, so that nobody knows what they define.
    pub broken: Vec<PathBuf>,
    /// The hooks are those of an older version.
    pub last_good: bool,
}

/// Everything the files of one project and its person say.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The project.
    pub project: PathBuf,
    /// The places, in load order.
    pub sources: Vec<Source>,
    /// What holds between files, and what is known of modules and processes.
    pub settled: Vec<Advice>,
    /// Gives advice over all hooks of a dialect together.
    pub advisor: Advisor,
    /// Hooks of which approvals decide who replaces whom, by dialect; places are those of [`Snapshot::hooks`].
    pub rivalries: BTreeMap<&'static str, Replacements>,
    /// Folders that decide where the places are: were one made or removed, others would be read.
    pub signs: Vec<PathBuf>,
}

/// What is said of a dialect's hooks together.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Whose hooks.
    pub dialect: &'static str,
    /// What.
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

    /// All hooks.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Hook>> {
        self.sources.iter().flat_map(|source| source.hooks.iter())
    }

    /// The hooks that an approved hook of that id replaces, by id: what a review of it says first (`engine.md` §2).
    #[must_use]
    pub fn replaced_by(&self, id: &str) -> Vec<&HookId> {
        let mut out: Vec<&HookId> = Vec::new();
        for (dialect, rivalry) in &self.rivalries {
            let mine = rivalry
                .rivals
                .iter()
                .filter(|rival| rival.once.iter().any(|once| once == id));
            for rival in mine {
                let replaced = self.hooks(dialect).nth(rival.hook).map(|hook| &hook.id);
                out.extend(replaced.filter(|id| !out.contains(id)));
            }
        }
        out
    }

    /// The hook of that id; the first, where it serves several events.
    #[must_use]
    pub fn hook(&self, id: &str) -> Option<&Arc<Hook>> {
        let read = || self.sources.iter().flat_map(|source| source.read.iter());
        // A module is reviewed as a whole, also when its hooks are known.
        self.all().chain(read()).find(|hook| hook.id == id)
    }

    /// All problems, or those of a dialect: file by file, errors first within a place. Advice is worked out now, when
    /// nobody has asked for it before.
    #[must_use]
    pub fn problems(&self, around: &Surroundings, dialect: Option<&str>) -> Vec<Problem> {
        let mine = |whose: &str| dialect.is_none_or(|wanted| wanted == whose);
        let sources = || self.sources.iter().filter(|source| mine(source.dialect));
        let settled = self.settled.iter().filter(|advice| mine(advice.dialect));
        let patterns = sources().flat_map(|source| source.hooks.iter().flat_map(|hook| limits::of_patterns(hook)));
        let mut all: Vec<Problem> = sources()
            .flat_map(|source| source.problems.iter().cloned())
            .chain(settled.map(|advice| advice.problem.clone()))
            .chain(patterns)
            .collect();
        for dialect in hookwright_dialects::all()
            .iter()
            .filter(|dialect| mine(dialect.card().id))
        {
            all.extend(self.advisor.advice(around, self, *dialect).iter().cloned());
        }
        limits::limit(&mut all);
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

    /// The places as documents.
    #[must_use]
    pub fn source_rows(&self, dialect: Option<&str>) -> Vec<SourceRow> {
        let mine = self
            .sources
            .iter()
            .filter(|source| dialect.is_none_or(|wanted| wanted == source.dialect));
        mine.map(|source| SourceRow {
            dialect: source.dialect.to_owned(),
            layer: source.root.layer,
            path: source.root.path.display().to_string(),
            exists: source.exists,
            hooks: u32::try_from(source.hooks.len()).unwrap_or(u32::MAX),
            last_good: source.last_good,
        })
        .collect()
    }
}

/// Everything as it would be after a change.
#[must_use]
pub fn load_with(around: &Surroundings, project: &Path, before: Option<&Snapshot>, overlay: &Overlay) -> Snapshot {
    let reading = Reading {
        around,
        project,
        shared: &Shared::default(),
        patterns: &Arc::default(),
        dialect: None,
    };
    load_as(reading, before, overlay)
}

fn load_as(reading: Reading<'_>, before: Option<&Snapshot>, overlay: &Overlay) -> Snapshot {
    let places = reading.around.places(reading.project);
    let asked = Asked::default();
    let mut sources = Vec::new();
    let mine = |dialect: &&&dyn Dialect| reading.dialect.is_none_or(|wanted| wanted == dialect.card().id);
    for dialect in hookwright_dialects::all().iter().filter(mine) {
        for root in once_each(dialect.roots(&places, &asked)) {
            let old = before.and_then(|before| {
                before
                    .sources
                    .iter()
                    .find(|source| source.dialect == dialect.card().id && source.root == root)
            });
            let pool = reading.pool(&root).clone();
            sources.push(load_root(*dialect, root, old, overlay, (reading.shared, &pool)));
        }
    }
    let mut snapshot = Snapshot {
        project: reading.project.to_owned(),
        sources,
        settled: Vec::new(),
        advisor: Advisor::of(places),
        rivalries: BTreeMap::new(),
        signs: asked.0.into_inner(),
    };
    snapshot.settled = settle(reading.around, &mut snapshot);
    snapshot
}

/// A folder of folders that is named twice, once by a link to it or by a longer way round, is read under its first name.
fn once_each(roots: Vec<Root>) -> Vec<Root> {
    let mut seen = Vec::new();
    let mut is_first = |root: &Root| match (root.reads, dunce::canonicalize(&root.path)) {
        (RootKind::Folders(_), Ok(real)) => {
            let place = (root.layer, real);
            let is_new = !seen.contains(&place);
            seen.push(place);
            is_new
        }
        (RootKind::Folders(_) | RootKind::File, _) => true,
    };
    roots.into_iter().filter(|root| is_first(root)).collect()
}

/// What is known of modules, and what holds between files: hooks that another one replaces whatever is approved are off,
/// those of which approvals decide are noted, and both is said.
pub fn settle(around: &Surroundings, snapshot: &mut Snapshot) -> Vec<Advice> {
    let mut advice = Vec::new();
    for source in &mut snapshot.sources {
        let (hooks, told) = modules::unfold(around, source);
        source.hooks = Arc::new(hooks);
        advice.extend(of(source.dialect, told));
        advice.extend(of(source.dialect, greetings::problems(around, source)));
    }
    for dialect in hookwright_dialects::all() {
        let mine = |source: &Source| source.dialect == dialect.card().id;
        let all: Vec<Arc<Hook>> = snapshot.hooks(dialect.card().id).cloned().collect();
        let hooks: Vec<&Hook> = all.iter().map(|hook| &**hook).collect();
        let places = snapshot.sources.iter().filter(|source| mine(source));
        let settled = dialect.resolve_conflicts(&hooks, &places.flat_map(folders).collect::<Vec<_>>());
        advice.extend(of(dialect.card().id, settled.problems));
        snapshot.rivalries.insert(dialect.card().id, settled.rivalry);
        let mut off: BTreeMap<usize, DisabledReason> = settled.off.into_iter().collect();
        let mut renamed = settled.renamed;
        let mut first = 0;
        for source in snapshot.sources.iter_mut().filter(|source| mine(source)) {
            let hooks = source.hooks.iter().enumerate().map(|(index, hook)| {
                match (off.remove(&(first + index)), renamed.remove(&(first + index))) {
                    (None, None) => hook.clone(),
                    (off, id) => Arc::new(Hook {
                        off: off.or_else(|| hook.off.clone()),
                        id: id.unwrap_or_else(|| hook.id.clone()),
                        ..(**hook).clone()
                    }),
                }
            });
            let hooks: Vec<Arc<Hook>> = hooks.collect();
            first += hooks.len();
            source.problems = readdressed(&source.told, &source.hooks, &hooks);
            source.hooks = Arc::new(hooks);
        }
    }
    advice
}

fn of(dialect: &'static str, problems: impl IntoIterator<Item = Problem>) -> impl Iterator<Item = Advice> {
    problems.into_iter().map(move |problem| Advice { dialect, problem })
}

/// What stands right inside a place that is a folder of folders.
fn folders(source: &Source) -> Vec<InnerFolder> {
    let inside = |path: &&PathBuf| path.parent() == Some(&source.root.path);
    let folder = |path: &PathBuf| InnerFolder {
        path: path.clone(),
        of_project: source.root.project.is_some(),
    };
    match source.root.reads {
        RootKind::Folders(_) => source.looked.iter().filter(inside).map(folder).collect(),
        RootKind::File => Vec::new(),
    }
}

/// Problems about hooks that got another id, about that one. Of several hooks with one id it is the one in whose folder
/// the problem lies.
fn readdressed(told: &Arc<Vec<Problem>>, before: &[Arc<Hook>], after: &[Arc<Hook>]) -> Arc<Vec<Problem>> {
    let moved: Vec<(&Hook, &Hook)> = before
        .iter()
        .zip(after)
        .filter(|(before, after)| before.id != after.id)
        .map(|(before, after)| (&**before, &**after))
        .collect();
    if moved.is_empty() {
        return told.clone();
    }
    let readdress = |problem: &Problem| {
        let is_about = |hook: &Hook| {
            let folder = hook.source.path.parent().unwrap_or(&hook.source.path);
            problem.hook.as_ref() == Some(&hook.id) && problem.path.starts_with(folder)
        };
        match moved.iter().find(|(before, _)| is_about(before)) {
            Some((_, after)) => problem.clone().for_hook(&after.id),
            None => problem.clone(),
        }
    };
    Arc::new(told.iter().map(readdress).collect())
}

/// The disk, and what it was asked.
#[derive(Default)]
struct Asked(RefCell<Vec<PathBuf>>);

impl DirProbe for Asked {
    fn is_dir(&self, path: &Path) -> bool {
        self.0.borrow_mut().push(path.to_owned());
        Disk.is_dir(path)
    }
}

fn load_root(
    dialect: &dyn Dialect,
    root: Root,
    old: Option<&Source>,
    overlay: &Overlay,
    (shared, pool): (&Shared, &Arc<PatternPool>),
) -> Source {
    let place = read_root_with(dialect, &root, overlay);
    let looked = Arc::new(place.looked);
    if let Some(old) = old.filter(|old| old.hash == place.hash) {
        return Source { looked, ..old.clone() };
    }
    let exists = place.tree.exists;
    let id = dialect.card().id;
    let (read, problems, broken, last_good) = match shared.find(id, &root, place.hash) {
        Some((read, told)) => (read, told, Vec::new(), false),
        None => parse(dialect, &place.tree, old, pool),
    };
    let source = Source {
        dialect: id,
        exists,
        hash: place.hash,
        looked,
        broken,
        last_good,
        hooks: read.clone(),
        read,
        told: problems.clone(),
        problems,
        root,
    };
    shared.keep(&source);
    source
}

/// What was parsed of a place, with the files that do not parse as a whole, and whether an older version of one is in force.
type Parse = (Arc<Vec<Arc<Hook>>>, Arc<Vec<Problem>>, Vec<PathBuf>, bool);

fn parse(dialect: &dyn Dialect, tree: &SourceTree, old: Option<&Source>, pool: &Arc<PatternPool>) -> Parse {
    let mut parsed = dialect.parse(tree);
    limits::keep(&mut parsed);
    for hook in &mut parsed.hooks {
        pool.adopt(&mut hook.when);
    }
    let mut hooks: Vec<Arc<Hook>> = parsed.hooks.into_iter().map(Arc::new).collect();
    let mut last_good = false;
    for path in &parsed.broken {
        // An older version is in force when there was one that parsed, also if it had no hooks.
        let Some(old) = old.filter(|old| old.looked.contains(path) && old.exists) else {
            continue;
        };
        if !old.broken.contains(path) || old.last_good {
            last_good = true;
            hooks.retain(|hook| hook.source.path != *path);
            hooks.extend(old.read.iter().filter(|hook| hook.source.path == *path).cloned());
        }
    }
    (Arc::new(hooks), Arc::new(parsed.problems), parsed.broken, last_good)
}

/// Parses one given file as what it is, for `check PATH`.
#[must_use]
pub fn load_file(dialect: &dyn Dialect, root: Root) -> Source {
    let alone = (&Shared::default(), &Arc::default());
    load_root(dialect, root, None, &Overlay::default(), alone)
}

/// What a place holds right now, without parsing it.
#[must_use]
pub fn tree(dialect: &dyn Dialect, root: &Root) -> SourceTree {
    read_root(dialect, root).tree
}
