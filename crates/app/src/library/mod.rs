//! The library reads the hook files of a project and of the user, and makes an immutable snapshot of them.
//!
//! A new snapshot replaces the old one as a whole when the content of a file changes. A running chain keeps its
//! snapshot. If a file no longer parses, its last good version stays in force (`engine.md` §9).

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
    /// The hooks in force, after [`resolve_conflicts`]. The known hooks of a module replace the module. Other files
    /// have an effect too: another layer may shadow a hook.
    pub hooks: Arc<Vec<Arc<Hook>>>,
    /// Problems of the text that was read last. They name hooks by the ids in the files.
    pub file_problems: Arc<Vec<Problem>>,
    /// The same problems. They name hooks by their final ids.
    pub problems: Arc<Vec<Problem>>,
    /// Files that do not parse as a whole, so the hooks that they define are unknown.
    pub broken: Vec<PathBuf>,
    /// Whether some hooks are those of an older version of a file that no longer parses.
    pub last_good: bool,
}

/// All hooks and problems of one project and of the user at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The project directory, absolute.
    pub project: PathBuf,
    /// The roots of all dialects, in load order.
    pub sources: Vec<LoadedSource>,
    /// Problems that concern several files, and problems that modules and peers reported.
    pub cross_file_results: Vec<LintResult>,
    /// The lint problems of each dialect, computed on demand over all its hooks.
    pub lints: LintCache,
    /// Replacements between hooks that depend on approvals, by dialect. The indexes in them count the hooks of
    /// [`Snapshot::hooks`].
    pub replacements: BTreeMap<&'static str, Replacements>,
    /// Folders whose existence decides which roots are read. They are watched too.
    pub markers: Vec<PathBuf>,
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
    pub fn all(&self) -> impl Iterator<Item = &Arc<Hook>> {
        self.sources.iter().flat_map(|source| source.hooks.iter())
    }

    /// The ids of the hooks that this hook replaces once it is approved. A review shows them first (`engine.md` §2).
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

    /// The hook of this id. If it listens to several events, the first one is returned.
    #[must_use]
    pub fn hook(&self, id: &str) -> Option<&Arc<Hook>> {
        let read = || self.sources.iter().flat_map(|source| source.file_hooks.iter());
        // A module is reviewed as a whole, so the module itself is found too, even if its hooks are known.
        self.all().chain(read()).find(|hook| hook.id == id)
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

    /// The roots as rows of `list --json`, of all dialects or of one.
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

/// Loads all files as they would be after the `pending` changes.
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

/// Drops a folder root that is the same folder as an earlier one, reached by a link or by another path. It is read only
/// under its first name.
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

/// Adds the known hooks of modules, and resolves conflicts between files. A hook that another one always replaces is
/// switched off. A replacement that depends on approvals is stored in the snapshot. Both are reported as problems.
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

/// The direct subfolders of a root that is read as [`RootKind::Folders`].
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

/// Changes the hook id of each problem whose hook got another id. If several hooks have the same id, the problem
/// belongs to the hook whose folder contains its file.
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

/// A [`DiskProbe`] that records which paths were probed.
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

/// The hooks and problems of a root, the files that do not parse as a whole, and whether an older version is in force.
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
        // The older version stays in force if it parsed, even if it defined no hooks.
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

/// Parses one given file or folder as this root, for `check PATH`.
#[must_use]
pub fn load_file(dialect: &dyn Dialect, root: Root) -> LoadedSource {
    let unshared = (&SharedSources::default(), &Arc::default());
    load_root(dialect, root, None, &PendingFiles::default(), unshared)
}

/// Reads the files of a root as they are now, without parsing them.
#[must_use]
pub fn read_tree(dialect: &dyn Dialect, root: &Root) -> SourceTree {
    read_root(dialect, root).tree
}
