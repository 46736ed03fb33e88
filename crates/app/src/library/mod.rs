//! The library: what the configuration files of a project and its person say, as an immutable snapshot.
//!
//! A snapshot is replaced whole when the content of a file changed; a chain under way keeps the one it began with.
//! A file that stopped parsing leaves its last good version in force (`engine.md` §9).

mod limits;
mod lint_cache;
mod read;
mod shared_sources;
pub(crate) mod stamps;
mod watch;
mod watch_hub;
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

pub use lint_cache::LintCache;

pub use limits::{ALL as LIMIT_MESSAGES, MAX_PROBLEMS};
pub use read::{
    ALL as READ_MESSAGES, MAX_SOURCE_BYTES, PendingFile, PendingFiles, is_executable_file, list_dir, read_root,
    read_root_with,
};
pub use shared_sources::{LoadRequest, SharedSources};
pub use watch::{RefreshCause, RefreshResult, WatchHandle, WatchMode, watch};
pub use watch_hub::{ALL as WATCH_HUB_MESSAGES, WatchHub, WatchSet};
pub use watch_status::{ALL as WATCH_STATUS_MESSAGES, WatchStatus};

use crate::handshake_cache;
use crate::host_env::{DiskProbe, HostEnv};
use crate::modules;

/// One place that was looked at.
#[derive(Debug, Clone)]
pub struct LoadedSource {
    /// Whose place it is.
    pub dialect: &'static str,
    /// The place.
    pub root: Root,
    /// Whether there is something.
    pub exists: bool,
    /// Hash of what was read last.
    pub hash: blake3::Hash,
    /// Every file and folder that decides what is read here.
    pub input_paths: Arc<Vec<PathBuf>>,
    /// The hooks in force, as their files say.
    pub file_hooks: Arc<Vec<Arc<Hook>>>,
    /// The same, with the hooks of modules as far as they are known, and with what other files make of them (replaced by
    /// another layer, say).
    pub hooks: Arc<Vec<Arc<Hook>>>,
    /// What is wrong with the text that was read last, about hooks as their files call them.
    pub file_problems: Arc<Vec<Problem>>,
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
    pub sources: Vec<LoadedSource>,
    /// What holds between files, and what is known of modules and processes.
    pub cross_file_results: Vec<LintResult>,
    /// Gives advice over all hooks of a dialect together.
    pub lints: LintCache,
    /// Hooks of which approvals decide who replaces whom, by dialect; places are those of [`Snapshot::hooks`].
    pub replacements: BTreeMap<&'static str, Replacements>,
    /// Folders that decide where the places are: were one made or removed, others would be read.
    pub markers: Vec<PathBuf>,
}

/// What is said of a dialect's hooks together.
#[derive(Debug, Clone, PartialEq)]
pub struct LintResult {
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
        for (dialect, rivalry) in &self.replacements {
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
        let read = || self.sources.iter().flat_map(|source| source.file_hooks.iter());
        // A module is reviewed as a whole, also when its hooks are known.
        self.all().chain(read()).find(|hook| hook.id == id)
    }

    /// All problems, or those of a dialect: file by file, errors first within a place. Advice is worked out now, when
    /// nobody has asked for it before.
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
            all.extend(self.lints.problems_for(env, self, *dialect).iter().cloned());
        }
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
pub fn load_with(env: &HostEnv, project: &Path, before: Option<&Snapshot>, pending: &PendingFiles) -> Snapshot {
    let request = LoadRequest {
        env,
        project,
        shared: &SharedSources::default(),
        patterns: &Arc::default(),
        dialect: None,
    };
    load_project(request, before, pending)
}

fn load_project(request: LoadRequest<'_>, before: Option<&Snapshot>, pending: &PendingFiles) -> Snapshot {
    let locations = request.env.locations(request.project);
    let probe = RecordingProbe::default();
    let mut sources = Vec::new();
    let is_wanted = |dialect: &&&dyn Dialect| request.dialect.is_none_or(|wanted| wanted == dialect.card().id);
    for dialect in hookwright_dialects::all().iter().filter(is_wanted) {
        for root in dedup_roots(dialect.roots(&locations, &probe)) {
            let old = before.and_then(|before| {
                before
                    .sources
                    .iter()
                    .find(|source| source.dialect == dialect.card().id && source.root == root)
            });
            let pool = request.pool(&root).clone();
            sources.push(load_root(*dialect, root, old, pending, (request.shared, &pool)));
        }
    }
    let mut snapshot = Snapshot {
        project: request.project.to_owned(),
        sources,
        cross_file_results: Vec::new(),
        lints: LintCache::new(locations),
        replacements: BTreeMap::new(),
        markers: probe.0.into_inner(),
    };
    snapshot.cross_file_results = resolve_conflicts(request.env, &mut snapshot);
    snapshot
}

/// A folder of folders that is named twice, once by a link to it or by a longer way round, is read under its first name.
fn dedup_roots(roots: Vec<Root>) -> Vec<Root> {
    let mut seen = Vec::new();
    let mut is_first = |root: &Root| match (root.reads, dunce::canonicalize(&root.path)) {
        (RootKind::Folders(_), Ok(real)) => {
            let identity = (root.layer, real);
            let is_new = !seen.contains(&identity);
            seen.push(identity);
            is_new
        }
        (RootKind::Folders(_) | RootKind::File, _) => true,
    };
    roots.into_iter().filter(|root| is_first(root)).collect()
}

/// What is known of modules, and what holds between files: hooks that another one replaces whatever is approved are off,
/// those of which approvals decide are noted, and both is said.
pub fn resolve_conflicts(env: &HostEnv, snapshot: &mut Snapshot) -> Vec<LintResult> {
    let mut results = Vec::new();
    for source in &mut snapshot.sources {
        let (hooks, problems) = modules::expand_modules(env, source);
        source.hooks = Arc::new(hooks);
        results.extend(results_for(source.dialect, problems));
        results.extend(results_for(source.dialect, handshake_cache::problems(env, source)));
    }
    for dialect in hookwright_dialects::all() {
        let is_of_dialect = |source: &LoadedSource| source.dialect == dialect.card().id;
        let all: Vec<Arc<Hook>> = snapshot.hooks(dialect.card().id).cloned().collect();
        let hooks: Vec<&Hook> = all.iter().map(|hook| &**hook).collect();
        let sources = snapshot.sources.iter().filter(|source| is_of_dialect(source));
        let conflicts = dialect.resolve_conflicts(&hooks, &sources.flat_map(inner_folders).collect::<Vec<_>>());
        results.extend(results_for(dialect.card().id, conflicts.problems));
        snapshot.replacements.insert(dialect.card().id, conflicts.rivalry);
        let mut off: BTreeMap<usize, DisabledReason> = conflicts.off.into_iter().collect();
        let mut renamed = conflicts.renamed;
        let mut first = 0;
        for source in snapshot.sources.iter_mut().filter(|source| is_of_dialect(source)) {
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
            source.problems = with_final_ids(&source.file_problems, &source.hooks, &hooks);
            source.hooks = Arc::new(hooks);
        }
    }
    results
}

fn results_for(dialect: &'static str, problems: impl IntoIterator<Item = Problem>) -> impl Iterator<Item = LintResult> {
    problems.into_iter().map(move |problem| LintResult { dialect, problem })
}

/// What stands right inside a place that is a folder of folders.
fn inner_folders(source: &LoadedSource) -> Vec<InnerFolder> {
    let is_inside = |path: &&PathBuf| path.parent() == Some(&source.root.path);
    let folder = |path: &PathBuf| InnerFolder {
        path: path.clone(),
        of_project: source.root.project.is_some(),
    };
    match source.root.reads {
        RootKind::Folders(_) => source.input_paths.iter().filter(is_inside).map(folder).collect(),
        RootKind::File => Vec::new(),
    }
}

/// Problems about hooks that got another id, about that one. Of several hooks with one id it is the one in whose folder
/// the problem lies.
fn with_final_ids(problems: &Arc<Vec<Problem>>, before: &[Arc<Hook>], after: &[Arc<Hook>]) -> Arc<Vec<Problem>> {
    let renamed: Vec<(&Hook, &Hook)> = before
        .iter()
        .zip(after)
        .filter(|(before, after)| before.id != after.id)
        .map(|(before, after)| (&**before, &**after))
        .collect();
    if renamed.is_empty() {
        return problems.clone();
    }
    let with_new_id = |problem: &Problem| {
        let is_about = |hook: &Hook| {
            let folder = hook.source.path.parent().unwrap_or(&hook.source.path);
            problem.hook.as_ref() == Some(&hook.id) && problem.path.starts_with(folder)
        };
        match renamed.iter().find(|(before, _)| is_about(before)) {
            Some((_, after)) => problem.clone().for_hook(&after.id),
            None => problem.clone(),
        }
    };
    Arc::new(problems.iter().map(with_new_id).collect())
}

/// The disk, and what it was asked.
#[derive(Default)]
struct RecordingProbe(RefCell<Vec<PathBuf>>);

impl DirProbe for RecordingProbe {
    fn is_dir(&self, path: &Path) -> bool {
        self.0.borrow_mut().push(path.to_owned());
        DiskProbe.is_dir(path)
    }
}

fn load_root(
    dialect: &dyn Dialect,
    root: Root,
    old: Option<&LoadedSource>,
    pending: &PendingFiles,
    (shared, pool): (&SharedSources, &Arc<PatternPool>),
) -> LoadedSource {
    let contents = read_root_with(dialect, &root, pending);
    let input_paths = Arc::new(contents.input_paths);
    if let Some(old) = old.filter(|old| old.hash == contents.hash) {
        return LoadedSource {
            input_paths,
            ..old.clone()
        };
    }
    let exists = contents.tree.exists;
    let id = dialect.card().id;
    let (read, problems, broken, last_good) = match shared.find(id, &root, contents.hash) {
        Some((read, problems)) => (read, problems, Vec::new(), false),
        None => parse(dialect, &contents.tree, old, pool),
    };
    let source = LoadedSource {
        dialect: id,
        exists,
        hash: contents.hash,
        input_paths,
        broken,
        last_good,
        hooks: read.clone(),
        file_hooks: read,
        file_problems: problems.clone(),
        problems,
        root,
    };
    shared.cache(&source);
    source
}

/// What was parsed of a place, with the files that do not parse as a whole, and whether an older version of one is in force.
type ParseResult = (Arc<Vec<Arc<Hook>>>, Arc<Vec<Problem>>, Vec<PathBuf>, bool);

fn parse(dialect: &dyn Dialect, tree: &SourceTree, old: Option<&LoadedSource>, pool: &Arc<PatternPool>) -> ParseResult {
    let mut parsed = dialect.parse(tree);
    limits::enforce_hook_limit(&mut parsed);
    for hook in &mut parsed.hooks {
        pool.adopt(&mut hook.when);
    }
    let mut hooks: Vec<Arc<Hook>> = parsed.hooks.into_iter().map(Arc::new).collect();
    let mut last_good = false;
    for path in &parsed.broken {
        // An older version is in force when there was one that parsed, also if it had no hooks.
        let Some(old) = old.filter(|old| old.input_paths.contains(path) && old.exists) else {
            continue;
        };
        if !old.broken.contains(path) || old.last_good {
            last_good = true;
            hooks.retain(|hook| hook.source.path != *path);
            hooks.extend(old.file_hooks.iter().filter(|hook| hook.source.path == *path).cloned());
        }
    }
    (Arc::new(hooks), Arc::new(parsed.problems), parsed.broken, last_good)
}

/// Parses one given file as what it is, for `check PATH`.
#[must_use]
pub fn load_file(dialect: &dyn Dialect, root: Root) -> LoadedSource {
    let unshared = (&SharedSources::default(), &Arc::default());
    load_root(dialect, root, None, &PendingFiles::default(), unshared)
}

/// What a place holds right now, without parsing it.
#[must_use]
pub fn read_tree(dialect: &dyn Dialect, root: &Root) -> SourceTree {
    read_root(dialect, root).tree
}
