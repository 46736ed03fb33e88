//! Discovery: reads the hook files of a project and of the user, and makes a snapshot of them.
//!
//! If a file no longer parses, its last good version stays in force (`engine.md` §9).

mod last_good;
mod read;
mod shared_sources;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::matcher::PatternPool;
use hookwright_model::{
    AgentTrustContext, Dialect, DirProbe, DisabledReason, FileText, Handler, Hook, InnerFolder, Layer, Message, Parsed,
    Problem, Root, RootKind, Severity, SourceTree,
};
use hookwright_redact::Redactor;
use jiff::Timestamp;

use crate::disk_probe::DiskProbe;
use crate::host_env::HostEnv;
use crate::identities::IdentityFile;
use crate::snapshot::{LintCache, LintResult, LoadedSource, OlderVersion, ReadScope, Snapshot, events_in, limits};
use crate::{handshakes, module_tables};

pub use crate::files::MAX_SOURCE_BYTES;
pub use read::{PendingFile, PendingFiles, read_root, read_root_with};
pub use shared_sources::{FileState, LoadRequest, SharedSources};

use last_good::{GoodVersion, LastGoodFolder};
pub(crate) use last_good::{folder_in as last_good_folder, keep_written};
use read::RootContents;
pub(crate) use read::{ALL, has_ending, text_folder};

/// Loads all files as they would be after the `pending` changes. `now` is the present time.
#[must_use]
pub fn load_with(
    env: &HostEnv,
    project: &Path,
    before: Option<&Snapshot>,
    pending: &PendingFiles,
    now: Timestamp,
) -> Snapshot {
    let request = LoadRequest {
        env,
        project,
        shared: &SharedSources::default(),
        patterns: &Arc::default(),
        scope: ReadScope::All,
        state: FileState::Settled,
        now,
    };
    let identities = IdentityFile::new(&env.data_dir);
    load_project(request, before, pending, &request.last_good_folder(), &identities)
}

/// Loads the files of one dialect as they would be after the `pending` changes, for the project of a snapshot. `now` is
/// the present time.
#[must_use]
pub fn load_dialect_with(
    env: &HostEnv,
    before: &Snapshot,
    dialect: &'static str,
    pending: &PendingFiles,
    now: Timestamp,
) -> Snapshot {
    let request = LoadRequest {
        env,
        project: &before.project,
        shared: &SharedSources::default(),
        patterns: &Arc::default(),
        scope: ReadScope::Dialect(dialect),
        state: FileState::Settled,
        now,
    };
    let identities = IdentityFile::new(&env.data_dir);
    load_project(request, Some(before), pending, &request.last_good_folder(), &identities)
}

fn load_project(
    request: LoadRequest<'_>,
    before: Option<&Snapshot>,
    pending: &PendingFiles,
    kept: &LastGoodFolder,
    identities: &IdentityFile,
) -> Snapshot {
    let locations = request.env.locations(request.project);
    let probe = RecordingProbe::default();
    let mut sources = Vec::new();
    let mut misplaced = Vec::new();
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
            let reader = RootReader {
                dialect: *dialect,
                boundary: request.env.boundary_of(&root).map(Path::to_owned),
                redactor: request.env.redactor(),
                pending,
                shared: request.shared,
                pool: request.pool(&root),
                state: request.state,
                older: Some((kept, request.now)),
                identities: Some(identities),
            };
            sources.push(reader.load(root, old));
        }
        misplaced.extend(dialect.misplaced(&locations).map(|problem| not_read(*dialect, problem)));
    }
    let mut snapshot = Snapshot {
        project: request.project.to_owned(),
        sources,
        misplaced,
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

/// The user's file of a dialect that is not read because of this problem.
fn not_read(dialect: &dyn Dialect, problem: Problem) -> LoadedSource {
    let path = problem.path.clone();
    let problems = Arc::new(vec![problem]);
    LoadedSource {
        dialect: dialect.card().id,
        exists: path.exists(),
        hash: blake3::hash(b""),
        input_paths: Arc::default(),
        file_hooks: Arc::default(),
        hooks: Arc::default(),
        file_problems: problems.clone(),
        problems,
        broken: vec![path.clone()],
        last_good: Vec::new(),
        texts: Arc::default(),
        unread_events: Vec::new(),
        held: None,
        root: Root::file(Layer::User, path, None),
    }
}

/// Drops a folder root that is the same folder as an earlier one, reached by a link or by another path. It is read only
/// under its first name.
fn dedup_roots(roots: Vec<Root>) -> Vec<Root> {
    let mut seen = Vec::new();
    let mut is_first = |root: &Root| match (root.reads, dunce::canonicalize(&root.path)) {
        (RootKind::Folders(_) | RootKind::FilesIn(_) | RootKind::FilesBelow(_), Ok(real)) => {
            let identity = (root.layer, root.reads, real);
            let is_new = !seen.contains(&identity);
            seen.push(identity);
            is_new
        }
        (_, _) => true,
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
        let sources = || snapshot.sources.iter().filter(|source| is_of_dialect(source));
        let folders: Vec<InnerFolder> = sources().flat_map(inner_folders).collect();
        let files: Vec<FileText<'_>> = sources().flat_map(file_texts).collect();
        let conflicts = dialect.resolve_conflicts(&hooks, &folders, &files);
        results.extend(results_for(dialect.card().id, conflicts.problems));
        snapshot.replacements.insert(dialect.card().id, conflicts.replacements);
        let mut off: BTreeMap<usize, DisabledReason> = conflicts.disabled.into_iter().collect();
        let mut renamed = conflicts.renamed;
        let mut handlers: BTreeMap<usize, Handler> = conflicts.handlers.into_iter().collect();
        let mut overridden: BTreeMap<usize, Message> = conflicts.overridden.into_iter().collect();
        let mut first = 0;
        for source in snapshot.sources.iter_mut().filter(|source| is_of_dialect(source)) {
            let hooks = source.hooks.iter().enumerate().map(|(index, hook)| {
                let place = first + index;
                let changes = (off.remove(&place), renamed.remove(&place), handlers.remove(&place));
                match (changes, overridden.remove(&place)) {
                    ((None, None, None), None) => hook.clone(),
                    ((off, id, handler), overridden_by) => Arc::new(Hook {
                        overridden_by,
                        disabled_reason: off.or_else(|| hook.disabled_reason.clone()),
                        id: id.unwrap_or_else(|| hook.id.clone()),
                        handler: handler.unwrap_or_else(|| hook.handler.clone()),
                        ..(**hook).clone()
                    }),
                }
            });
            let hooks: Vec<Arc<Hook>> = hooks.collect();
            first += hooks.len();
            source.problems = with_final_ids(&source.file_problems, &source.hooks, &hooks);
            source.hooks = Arc::new(hooks);
        }
        let problems = apply_agent_trust(env, snapshot, *dialect);
        results.extend(results_for(dialect.card().id, problems));
    }
    results
}

/// A path with its links resolved. One that does not exist stays as it is.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Adds to each hook what the agent's own trust says about it. Returns the problems of those that the agent skips.
fn apply_agent_trust(env: &HostEnv, snapshot: &mut Snapshot, dialect: &dyn Dialect) -> Vec<Problem> {
    let id = dialect.card().id;
    let all: Vec<Arc<Hook>> = snapshot.hooks(id).cloned().collect();
    let hooks: Vec<&Hook> = all.iter().map(|hook| &**hook).collect();
    let sources = || snapshot.sources.iter().filter(|source| source.dialect == id);
    let context = AgentTrustContext {
        locations: &env.locations(&snapshot.project),
        text: &|path| Ok(sources().find_map(|source| source.texts.get(path).cloned())),
        real: &real_path,
        is_dir: &|path| DiskProbe.is_dir(path),
    };
    let facts = dialect.agent_trust(&hooks, &context);
    let mut problems = Vec::new();
    let mut facts = facts.into_iter();
    for source in snapshot.sources.iter_mut().filter(|source| source.dialect == id) {
        let hooks = source.hooks.iter().map(|hook| match facts.next().flatten() {
            None => hook.clone(),
            Some(fact) => {
                problems.extend(fact.problem);
                let off = fact.off.map(DisabledReason::Disabled);
                Arc::new(Hook {
                    agent_trust: fact.state,
                    disabled_reason: hook.disabled_reason.clone().or(off),
                    ..(**hook).clone()
                })
            }
        });
        source.hooks = Arc::new(hooks.collect());
    }
    problems
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
        RootKind::File | RootKind::FilesIn(_) | RootKind::FilesBelow(_) => Vec::new(),
    }
}

/// The texts of the files that parse.
fn file_texts(source: &LoadedSource) -> impl Iterator<Item = FileText<'_>> {
    source.texts.iter().map(|(path, text)| FileText {
        root: &source.root,
        path,
        text,
    })
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

    fn is_file(&self, path: &Path) -> bool {
        self.0.borrow_mut().push(path.to_owned());
        DiskProbe.is_file(path)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        self.0.borrow_mut().push(folder.to_owned());
        DiskProbe.list(folder)
    }
}

/// How one root is read.
struct RootReader<'a> {
    dialect: &'a dyn Dialect,
    /// The folder that its files must not lead out of.
    boundary: Option<PathBuf>,
    redactor: Arc<Redactor>,
    pending: &'a PendingFiles,
    shared: &'a SharedSources,
    pool: &'a Arc<PatternPool>,
    state: FileState<'a>,
    /// Where older versions of files that do not parse are kept, and the present time. `None` if only the present text
    /// counts.
    older: Option<(&'a LastGoodFolder, Timestamp)>,
    /// The hooks that were seen before; `None` if it does not matter which hook is which.
    identities: Option<&'a IdentityFile>,
}

/// What the files of a root define.
struct ParsedRoot {
    hooks: Arc<Vec<Arc<Hook>>>,
    problems: Arc<Vec<Problem>>,
    broken: Vec<PathBuf>,
    last_good: Vec<OlderVersion>,
    /// The texts of which the hooks were read.
    texts: BTreeMap<PathBuf, Arc<str>>,
    unread_events: Vec<&'static str>,
    /// The files that older versions refer to.
    further_paths: Vec<PathBuf>,
}

impl RootReader<'_> {
    fn load(&self, root: Root, old: Option<&LoadedSource>) -> LoadedSource {
        let contents = self.read(&root, self.pending);
        let mut input_paths = contents.input_paths;
        if let Some(old) = old.filter(|old| old.hash == contents.hash && !self.has_other_version(old)) {
            let is_present = old.last_good.is_empty();
            return LoadedSource {
                input_paths: if is_present {
                    Arc::new(input_paths)
                } else {
                    old.input_paths.clone()
                },
                held: None,
                ..old.clone()
            };
        }
        let id = self.dialect.card().id;
        let parsed = match self.shared.find(id, &root, contents.hash) {
            Some((hooks, problems)) => ParsedRoot {
                hooks,
                problems,
                broken: Vec::new(),
                last_good: Vec::new(),
                texts: texts(&contents.tree, &[]),
                unread_events: Vec::new(),
                further_paths: Vec::new(),
            },
            None => self.parse(&contents.tree, old),
        };
        input_paths.extend(parsed.further_paths);
        let input_paths = Arc::new(input_paths);
        if let Some(old) = old
            && self.state.is_changing(contents.modified)
            && removes_hooks(&old.file_hooks, &parsed.hooks)
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
            exists: contents.tree.exists,
            hash: contents.hash,
            input_paths,
            broken: parsed.broken,
            last_good: parsed.last_good,
            unread_events: parsed.unread_events,
            texts: Arc::new(parsed.texts),
            hooks: parsed.hooks.clone(),
            file_hooks: parsed.hooks,
            file_problems: parsed.problems.clone(),
            problems: parsed.problems,
            root,
        };
        self.shared.cache(&source);
        source
    }

    fn read(&self, root: &Root, pending: &PendingFiles) -> RootContents {
        read::read_root_within(self.dialect, root, self.boundary.as_deref(), pending)
    }

    /// Whether another version of a file that does not parse is kept than the one in force.
    fn has_other_version(&self, source: &LoadedSource) -> bool {
        let kept = |path| {
            self.older
                .and_then(|(folder, now)| folder.find(source.dialect, source.root.layer, path, now))
        };
        source
            .broken
            .iter()
            .any(|path| kept(path).is_some_and(|kept| source.texts.get(path) != Some(&kept.text)))
    }

    /// Reads the hooks of a root. A file that does not parse as a whole has those of its last version that parsed.
    fn parse(&self, tree: &SourceTree, old: Option<&LoadedSource>) -> ParsedRoot {
        let mut parsed = self.parse_tree(tree);
        let mut texts = texts(tree, &parsed.broken);
        let mut versions = self.good_versions(tree, &parsed.broken, old);
        let mut further_paths = Vec::new();
        if !versions.is_empty() {
            let mut pending = self.pending.clone();
            pending.0.extend(versions.iter().map(|(path, version)| {
                let bytes = version.text.as_bytes().to_vec();
                let executable = false;
                (path.clone(), Some(PendingFile { bytes, executable }))
            }));
            let older = self.read(&tree.root, &pending);
            let known = self.parse_tree(&older.tree);
            // A later version of Hookwright may read a text more strictly.
            versions.retain(|path, _| !known.broken.contains(path));
            parsed.hooks = known.hooks;
            further_paths = older.input_paths;
        }
        let unread = parsed.broken.iter().filter(|path| !versions.contains_key(*path));
        let unread = unread.filter_map(|path| tree.files.get(path)?.text.as_deref().ok());
        let unread_events = unread.flat_map(|text| events_in(self.dialect.card(), text)).collect();
        for hook in &mut parsed.hooks {
            let version = versions.get(&hook.source.path);
            // Of a module the file itself runs, so an approval is for the bytes on the disk.
            if let (Some(version), false) = (version, matches!(hook.handler, Handler::Module { .. })) {
                Arc::make_mut(hook).older_text = Some(version.text.clone());
            }
        }
        mask_labels(&self.redactor, &mut parsed.hooks);
        if let Some(identities) = self.identities {
            identities.assign(self.dialect.card().id, &tree.root, &mut parsed.hooks);
        }
        let last_good = versions.into_iter().map(|(path, version)| {
            let is_error = |problem: &&Problem| problem.path == path && problem.severity == Severity::Error;
            texts.insert(path.clone(), version.text);
            OlderVersion {
                line: parsed.problems.iter().find(is_error).and_then(|problem| problem.line),
                since: version.since,
                path,
            }
        });
        ParsedRoot {
            last_good: last_good.collect(),
            hooks: Arc::new(parsed.hooks),
            problems: Arc::new(parsed.problems),
            broken: parsed.broken,
            texts,
            unread_events,
            further_paths,
        }
    }

    fn parse_tree(&self, tree: &SourceTree) -> Parsed {
        #[cfg(test)]
        parse_count::COUNT.set(parse_count::COUNT.get() + usize::from(tree.exists));
        let mut parsed = self.dialect.parse(tree);
        limits::enforce_hook_limit(&mut parsed);
        for hook in &mut parsed.hooks {
            self.pool.adopt(&mut Arc::make_mut(hook).when);
        }
        parsed
    }

    /// The last versions of these files that parsed, as far as they are known. An empty file has none: its author took
    /// everything out of it.
    fn good_versions(
        &self,
        tree: &SourceTree,
        broken: &[PathBuf],
        old: Option<&LoadedSource>,
    ) -> BTreeMap<PathBuf, GoodVersion> {
        let Some((folder, now)) = self.older else {
            return BTreeMap::new();
        };
        let find = |path: &PathBuf| {
            let text = tree.files.get(path).map(|file| file.text.as_deref());
            if text.is_some_and(|text| text.is_ok_and(|text| text.trim().is_empty())) {
                return None;
            }
            let kept = folder.find(self.dialect.card().id, tree.root.layer, path, now);
            let Some((old, text)) = old.and_then(|old| Some((old, old.texts.get(path)?))) else {
                return kept;
            };
            let older = old.older_version(path);
            // If the file did not parse before, another program may have kept a later version. Otherwise nobody can
            // have seen a later one than this.
            kept.filter(|kept| older.is_some() || kept.text == *text).or_else(|| {
                Some(GoodVersion {
                    text: text.clone(),
                    since: older.map_or(now, |older| older.since),
                })
            })
        };
        broken
            .iter()
            .filter_map(|path| Some((path.clone(), find(path)?)))
            .collect()
    }
}

/// Masks secrets in the labels of hooks. A name that is a part of the id stays: it says which hook it is.
fn mask_labels(redactor: &Redactor, hooks: &mut [Arc<Hook>]) {
    for hook in hooks.iter_mut().filter(|hook| !hook.id.contains(&hook.label)) {
        let (label, masked) = redactor.text(&hook.label);
        if masked > 0 {
            Arc::make_mut(hook).label = label;
        }
    }
}

/// The texts of the files of a root in which hooks are defined, except the broken ones.
fn texts(tree: &SourceTree, broken: &[PathBuf]) -> BTreeMap<PathBuf, Arc<str>> {
    let defines_hooks = |path: &Path| match tree.root.reads {
        RootKind::File => path == tree.root.path,
        RootKind::Folders(name) => path.ends_with(name),
        RootKind::FilesIn(ending) | RootKind::FilesBelow(ending) => has_ending(path, ending),
    };
    let files = tree
        .files
        .iter()
        .filter(|(path, _)| defines_hooks(path) && !broken.contains(path));
    files
        .filter_map(|(path, file)| Some((path.clone(), file.text.as_deref().ok()?.into())))
        .collect()
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

/// How often this thread parsed the files of a root that has any.
#[cfg(test)]
pub(crate) mod parse_count {
    use std::cell::Cell;

    thread_local!(pub(crate) static COUNT: Cell<usize> = const { Cell::new(0) });
}

/// Parses one given file or folder as this root, for `check PATH`.
#[must_use]
pub fn load_file(dialect: &dyn Dialect, root: Root) -> LoadedSource {
    let reader = RootReader {
        dialect,
        boundary: root.project.clone(),
        redactor: Arc::default(),
        pending: &PendingFiles::default(),
        shared: &SharedSources::default(),
        pool: &Arc::default(),
        state: FileState::Settled,
        older: None,
        identities: None,
    };
    reader.load(root, None)
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
