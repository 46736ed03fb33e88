//! The lint problems over all hooks of a dialect, computed on demand.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hookwright_dialects::chain_conflicts::find_duplicates;
use hookwright_model::{Dialect, Hook, LintContext, Locations, Problem};

use super::Snapshot;
use crate::disk_probe::{is_executable_file, list_dir};
use crate::host_env::HostEnv;
use crate::lock::lock;
use crate::trust::covered_files::named_texts;
use crate::trust::disk_cache::{DiskCache, Memo, memoize};

/// The largest amount of text that lint of one dialect reads from the files that hooks name, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// Computes the lint problems of a snapshot, and caches them.
#[derive(Debug, Clone, Default)]
pub struct LintCache {
    /// `None` for an empty snapshot, which has no lint problems.
    places: Option<Locations>,
    /// Files that the snapshot is planned with and that may not exist yet: the path, and whether it is executable.
    planned: Arc<BTreeMap<PathBuf, bool>>,
    by_dialect: Arc<Mutex<BTreeMap<&'static str, CachedProblems>>>,
}

type CachedProblems = Arc<Vec<Problem>>;

impl LintCache {
    /// A cache for a project with these directories.
    #[must_use]
    pub fn new(places: Locations) -> Self {
        let by_dialect = Arc::default();
        Self {
            places: Some(places),
            planned: Arc::default(),
            by_dialect,
        }
    }

    /// The same cache for a snapshot that is planned with these files. An existing file keeps its executable bit.
    #[must_use]
    pub fn with_planned(self, planned: BTreeMap<PathBuf, bool>) -> Self {
        Self {
            planned: Arc::new(planned),
            ..self
        }
    }

    /// The lint problems of a dialect.
    pub(super) fn problems_for(&self, env: &HostEnv, snapshot: &Snapshot, dialect: &dyn Dialect) -> CachedProblems {
        let Some(places) = &self.places else {
            return CachedProblems::default();
        };
        // A second caller waits here while the problems are computed, and does not compute them again.
        let mut by_dialect = lock(&self.by_dialect);
        let entry = by_dialect.entry(dialect.card().id);
        entry
            .or_insert_with(|| Arc::new(lint(env, (places, &self.planned), snapshot, dialect)))
            .clone()
    }

    /// Clears the cache. A file that hooks name may have changed, or a program may have been installed.
    pub fn clear(&self) {
        lock(&self.by_dialect).clear();
    }

    /// The number of dialects whose lint problems are cached.
    #[must_use]
    pub fn cached_dialects(&self) -> usize {
        lock(&self.by_dialect).len()
    }
}

fn lint(
    env: &HostEnv,
    (places, planned): (&Locations, &BTreeMap<PathBuf, bool>),
    snapshot: &Snapshot,
    dialect: &dyn Dialect,
) -> Vec<Problem> {
    // Lint also reports files next to the roots, so it runs for a dialect without hooks too. It does not run if the
    // snapshot does not contain the dialect's roots.
    if !snapshot
        .sources
        .iter()
        .any(|source| source.dialect == dialect.card().id)
    {
        return Vec::new();
    }
    let var_names: Vec<String> = env
        .vars
        .keys()
        .filter_map(|name| name.to_str().map(str::to_owned))
        .collect();
    let path = env.var("PATH").unwrap_or_default();
    // Thousands of hooks may need the same information from the disk, so each result is stored.
    let on_path = memoized(|program: &str| hookwright_exec::which(program, path.as_ref()).is_some());
    let is_there = memoized(|path: &Path| planned.contains_key(path) || path.exists());
    let runs = memoized(|path: &Path| match planned.get(path) {
        Some(executable) if !path.exists() => *executable,
        Some(_) | None => is_executable_file(path),
    });
    let inside = memoized(list_dir);
    let sh = hookwright_exec::which("sh", path.as_ref()).and_then(|sh| dunce::canonicalize(sh).ok());
    let sh = sh.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    let mut hooks: Vec<Arc<Hook>> = snapshot.hooks(dialect.card().id).cloned().collect();
    // In every dialect with layers, the load order is the order of the layers. The sort is stable.
    hooks.sort_by_key(|hook| hook.source.layer);
    let context = LintContext {
        hooks: &hooks,
        named_file_texts: &named_file_texts(&hooks, dialect, places),
        locations: places,
        env: &var_names,
        sh: sh.unwrap_or_default(),
        on_path: &on_path,
        path_exists: &is_there,
        is_executable: &runs,
        list_dir: &inside,
    };
    let mut problems = dialect.lint(&context);
    problems.extend(find_duplicates(dialect.card(), &context));
    super::limits::limit_problems(&mut problems);
    problems
}

/// Stores the results of a function, so that it is called once per argument.
fn memoized<Q, A>(ask: impl Fn(&Q) -> A) -> impl Fn(&Q) -> A
where
    Q: ?Sized + ToOwned<Owned: Eq + Hash> + Eq + Hash,
    A: Clone,
{
    let known = Memo::default();
    move |thing| memoize(&known, thing, || ask(thing))
}

/// The texts of the files that hooks name, by hook id, up to [`MAX_TEXT_BYTES`]. The first hooks have priority.
fn named_file_texts(
    hooks: &[Arc<Hook>],
    dialect: &dyn Dialect,
    places: &Locations,
) -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let disk = DiskCache::default();
    let mut remaining = MAX_TEXT_BYTES;
    let mut out = BTreeMap::new();
    for hook in hooks {
        if remaining == 0 || out.contains_key(&hook.id) {
            continue;
        }
        let texts = named_texts(hook, dialect.card(), places, &disk);
        remaining = remaining.saturating_sub(texts.iter().map(|(_, text)| text.len()).sum());
        out.insert(hook.id.clone(), texts);
    }
    out
}
