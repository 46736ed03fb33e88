//! Discovery: reads the hook files of a project and of the user, and makes a snapshot of them.
//!
//! If a file no longer parses, its last good version stays in force (`engine.md` §9).

mod read;
mod shared_sources;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::matcher::PatternPool;
use hookwright_model::{Dialect, DirProbe, DisabledReason, Hook, InnerFolder, Problem, Root, RootKind, SourceTree};

use crate::disk_probe::DiskProbe;
use crate::host_env::HostEnv;
use crate::snapshot::{LintCache, LintResult, LoadedSource, ReadScope, Snapshot, limits};
use crate::{handshakes, module_tables};

pub use read::{MAX_SOURCE_BYTES, PendingFile, PendingFiles, read_root, read_root_with};
pub use shared_sources::{FileState, LoadRequest, SharedSources};

use read::RootContents;
pub(crate) use read::{ALL, text_folder};

/// Loads all files as they would be after the `pending` changes.
#[must_use]
pub fn load_with(env: &HostEnv, project: &Path, before: Option<&Snapshot>, pending: &PendingFiles) -> Snapshot {
    let request = LoadRequest {
        env,
        project,
        shared: &SharedSources::default(),
        patterns: &Arc::default(),
        scope: ReadScope::All,
        state: FileState::Settled,
    };
    load_project(request, before, pending)
}

/// Loads the files of one dialect as they would be after the `pending` changes, for the project of a snapshot.
#[must_use]
pub fn load_dialect_with(env: &HostEnv, before: &Snapshot, dialect: &'static str, pending: &PendingFiles) -> Snapshot {
    let request = LoadRequest {
        env,
        project: &before.project,
        shared: &SharedSources::default(),
        patterns: &Arc::default(),
        scope: ReadScope::Dialect(dialect),
        state: FileState::Settled,
    };
    load_project(request, Some(before), pending)
}

fn load_project(request: LoadRequest<'_>, before: Option<&Snapshot>, pending: &PendingFiles) -> Snapshot {
    let locations = request.env.locations(request.project);
    let probe = RecordingProbe::default();
    let mut sources = Vec::new();
    let is_wanted = |dialect: &&&dyn Dialect| request.scope.includes(dialect.card().id);
    let is_in_scope = |root: &Root| request.scope != ReadScope::UserFiles || root.project.is_none();
    for dialect in hookwright_dialects::all().iter().filter(is_wanted) {
        for root in dedup_roots(dialect.roots(&locations, &probe))
            .into_iter()
            .filter(is_in_scope)
        {
            let old = before.and_then(|before| {
                before
                    .sources
                    .iter()
                    .find(|source| source.dialect == dialect.card().id && source.root == root)
            });
            let pool = request.pool(&root).clone();
            let boundary = request.env.boundary_of(&root).map(Path::to_owned);
            let read = |root: &Root| read::read_root_within(*dialect, root, boundary.as_deref(), pending);
            sources.push(load_root(
                *dialect,
                root,
                old,
                read,
                (request.shared, &pool),
                request.state,
            ));
        }
    }
    let mut snapshot = Snapshot {
        project: request.project.to_owned(),
        sources,
        cross_file_results: Vec::new(),
        lints: match request.scope {
            ReadScope::All | ReadScope::Dialect(_) => LintCache::new(locations).with_planned(pending.executable_bits()),
            // What a command of the user would start depends on the project.
            ReadScope::UserFiles => LintCache::default(),
        },
        scope: request.scope,
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
        let (hooks, problems) = module_tables::expand_modules(env, &source.file_hooks);
        source.hooks = Arc::new(hooks);
        results.extend(results_for(source.dialect, problems));
        results.extend(results_for(source.dialect, handshakes::problems(env, &source.hooks)));
    }
    for dialect in hookwright_dialects::all() {
        let is_of_dialect = |source: &LoadedSource| source.dialect == dialect.card().id;
        let all: Vec<Arc<Hook>> = snapshot.hooks(dialect.card().id).cloned().collect();
        let hooks: Vec<&Hook> = all.iter().map(|hook| &**hook).collect();
        let sources = snapshot.sources.iter().filter(|source| is_of_dialect(source));
        let conflicts = dialect.resolve_conflicts(&hooks, &sources.flat_map(inner_folders).collect::<Vec<_>>());
        results.extend(results_for(dialect.card().id, conflicts.problems));
        snapshot.replacements.insert(dialect.card().id, conflicts.replacements);
        let mut off: BTreeMap<usize, DisabledReason> = conflicts.disabled.into_iter().collect();
        let mut renamed = conflicts.renamed;
        let mut first = 0;
        for source in snapshot.sources.iter_mut().filter(|source| is_of_dialect(source)) {
            let hooks = source.hooks.iter().enumerate().map(|(index, hook)| {
                match (off.remove(&(first + index)), renamed.remove(&(first + index))) {
                    (None, None) => hook.clone(),
                    (off, id) => Arc::new(Hook {
                        disabled_reason: off.or_else(|| hook.disabled_reason.clone()),
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
    read: impl FnOnce(&Root) -> RootContents,
    (shared, pool): (&SharedSources, &Arc<PatternPool>),
    state: FileState<'_>,
) -> LoadedSource {
    let contents = read(&root);
    let input_paths = Arc::new(contents.input_paths);
    if let Some(old) = old.filter(|old| old.hash == contents.hash) {
        return LoadedSource {
            input_paths,
            held: None,
            ..old.clone()
        };
    }
    let exists = contents.tree.exists;
    let id = dialect.card().id;
    let (read, problems, broken, last_good) = match shared.find(id, &root, contents.hash) {
        Some((read, problems)) => (read, problems, Vec::new(), false),
        None => parse(dialect, &contents.tree, old, pool),
    };
    if let Some(old) = old
        && state.is_changing(contents.modified)
        && removes_hooks(&old.file_hooks, &read)
    {
        return LoadedSource {
            input_paths,
            held: Some(old.held.clone().unwrap_or_default()),
            ..old.clone()
        };
    }
    let source = LoadedSource {
        held: None,
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

/// Whether a definition of the old version is not in the new one. A changed definition is one that is removed.
fn removes_hooks(old: &[Arc<Hook>], new: &[Arc<Hook>]) -> bool {
    let mut left: Vec<&Arc<Hook>> = new.iter().collect();
    let is_same = |one: &Hook, other: &Hook| {
        (&one.event, &one.definition_text, &one.inherited_text)
            == (&other.event, &other.definition_text, &other.inherited_text)
    };
    old.iter().any(|hook| {
        let found = left.iter().position(|other| is_same(hook, other));
        found.map(|index| left.swap_remove(index)).is_none()
    })
}

/// The hooks and problems of a root, the files that do not parse as a whole, and whether an older version is in force.
type ParseResult = (Arc<Vec<Arc<Hook>>>, Arc<Vec<Problem>>, Vec<PathBuf>, bool);

/// How often this thread parsed the files of a root that has any.
#[cfg(test)]
pub(crate) mod parse_count {
    use std::cell::Cell;

    thread_local!(pub(crate) static COUNT: Cell<usize> = const { Cell::new(0) });
}

fn parse(dialect: &dyn Dialect, tree: &SourceTree, old: Option<&LoadedSource>, pool: &Arc<PatternPool>) -> ParseResult {
    #[cfg(test)]
    parse_count::COUNT.set(parse_count::COUNT.get() + usize::from(tree.exists));
    let mut parsed = dialect.parse(tree);
    limits::enforce_hook_limit(&mut parsed);
    for hook in &mut parsed.hooks {
        pool.adopt(&mut Arc::make_mut(hook).when);
    }
    let mut hooks = parsed.hooks;
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
    load_root(
        dialect,
        root,
        None,
        |root| read_root(dialect, root),
        unshared,
        FileState::Settled,
    )
}

/// Reads the files of a root as they would be after the `pending` changes, without parsing them.
#[must_use]
pub fn read_tree_with(dialect: &dyn Dialect, root: &Root, pending: &PendingFiles) -> SourceTree {
    read::read_root_with(dialect, root, pending).tree
}

/// Reads the files of a root as they are now, without parsing them.
#[must_use]
pub fn read_tree(dialect: &dyn Dialect, root: &Root) -> SourceTree {
    read_root(dialect, root).tree
}
