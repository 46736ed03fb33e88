//! Advice over all hooks of a dialect together, worked out when somebody asks for it.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookwright_model::{Dialect, Hook, LintContext, Locations, Problem};

use super::{Snapshot, read};
use crate::host_env::HostEnv;
use crate::trust::covered_files::named_texts;
use crate::trust::disk_cache::{DiskCache, Memo, memoize};

/// Of the files that hooks name, so many bytes of text are looked at for the advice of one dialect.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// Gives the advice of a snapshot, and keeps what it gave.
#[derive(Debug, Clone, Default)]
pub struct LintCache {
    /// `None`: a snapshot of nothing, of which nothing is said.
    places: Option<Locations>,
    by_dialect: Arc<Mutex<BTreeMap<&'static str, CachedProblems>>>,
}

type CachedProblems = Arc<Vec<Problem>>;

impl LintCache {
    /// For a project with these places.
    #[must_use]
    pub fn new(places: Locations) -> Self {
        let by_dialect = Arc::default();
        Self {
            places: Some(places),
            by_dialect,
        }
    }

    /// What is said of a dialect's hooks.
    pub(super) fn problems_for(&self, env: &HostEnv, snapshot: &Snapshot, dialect: &dyn Dialect) -> CachedProblems {
        let Some(places) = &self.places else {
            return CachedProblems::default();
        };
        // Who asks while it is worked out waits for it, and does not work it out again.
        let mut by_dialect = self.by_dialect.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = by_dialect.entry(dialect.card().id);
        entry
            .or_insert_with(|| Arc::new(lint(env, places, snapshot, dialect)))
            .clone()
    }

    /// Forgets what was given: a file that hooks name may be another one now, or a program may be installed.
    pub fn clear(&self) {
        self.by_dialect.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// For how many dialects advice was worked out.
    #[must_use]
    pub fn cached_dialects(&self) -> usize {
        self.by_dialect.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

fn lint(env: &HostEnv, places: &Locations, snapshot: &Snapshot, dialect: &dyn Dialect) -> Vec<Problem> {
    // What lies beside the places that are read is worth a word also where nothing is read.
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
    // Thousands of hooks may ask the same of the disk.
    let on_path = memoized(|program: &str| hookwright_exec::which(program, path.as_ref()).is_some());
    let (is_there, runs, inside) = (
        memoized(Path::exists),
        memoized(read::is_executable_file),
        memoized(read::list_dir),
    );
    let sh = hookwright_exec::which("sh", path.as_ref()).and_then(|sh| dunce::canonicalize(sh).ok());
    let sh = sh.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    let mut hooks: Vec<Arc<Hook>> = snapshot.hooks(dialect.card().id).cloned().collect();
    // Load order is layer order for every dialect with layers; the sort is stable.
    hooks.sort_by_key(|hook| hook.source.layer);
    let context = LintContext {
        hooks: &hooks,
        named: &named_file_texts(&hooks, dialect, places),
        places,
        env: &var_names,
        sh: sh.unwrap_or_default(),
        on_path: &on_path,
        is_there: &is_there,
        runs: &runs,
        inside: &inside,
    };
    let mut problems = dialect.lint(&context);
    super::limits::limit_problems(&mut problems);
    problems
}

/// A question that is asked once of each thing.
fn memoized<Q, A>(ask: impl Fn(&Q) -> A) -> impl Fn(&Q) -> A
where
    Q: ?Sized + ToOwned<Owned: Eq + Hash> + Eq + Hash,
    A: Clone,
{
    let known = Memo::default();
    move |thing| memoize(&known, thing, || ask(thing))
}

/// The texts of the files that hooks name, as far as there is room. The hooks that come first have theirs.
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
