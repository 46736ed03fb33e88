//! The lint problems over all hooks of a dialect, computed on demand.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hookwright_dialects::blocking_texts::is_guard;
use hookwright_dialects::chain_conflicts::find_duplicates;
use hookwright_dialects::command_lint::problem_at_field;
use hookwright_dialects::definition_fix::definition_fix;
use hookwright_model::{Dialect, Hook, HookId, LintContext, Locations, Problem, args};

use super::Snapshot;
use crate::disk_probe::{is_executable_file, list_dir};
use crate::files::{MAX_SOURCE_BYTES, Opener};
use crate::host_env::HostEnv;
use crate::lock::lock;
use crate::stamps::{self, FileStamp};
use crate::start_texts::started_relay;
use crate::trust::covered_files::named_texts;
use crate::trust::disk_cache::{DiskCache, Memo, memoize};

hookwright_model::messages! {
    /// The relay of an agent's relay entry is gone.
    RELAY_GONE = "entry_missing" / "relay" { "the relay `{relay}` does not exist: Hookwright gets no event from this agent", "中继 `{relay}` 不存在：Hookwright 收不到此 Agent 的事件" } hint { "run `hookwright connect {target}` again, or `hookwright disconnect {target}`", "重新执行 `hookwright connect {target}`，或执行 `hookwright disconnect {target}`" };
    /// The relay around a command is gone.
    RELAY_GONE_AROUND = "entry_missing" / "relay_around" { "the relay `{relay}` does not exist: the command runs without it, and Hookwright does not see its result", "中继 `{relay}` 不存在：命令会直接执行，Hookwright 看不到结果" } hint { "run `hookwright connect {target} --wrap` again, or `hookwright disconnect {target}`", "重新执行 `hookwright connect {target} --wrap`，或执行 `hookwright disconnect {target}`" };
}

/// The largest amount of text that lint of one dialect reads from the files that hooks name, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// Computes the lint problems of a snapshot, and caches them.
#[derive(Debug, Clone, Default)]
pub struct LintCache {
    /// `None` for an empty snapshot, which has no lint problems.
    places: Option<Locations>,
    /// Files that the snapshot is planned with and that may not exist yet: the path, and whether it is executable.
    planned: Arc<BTreeMap<PathBuf, bool>>,
    by_dialect: Arc<Mutex<BTreeMap<&'static str, Arc<Lints>>>>,
    computed: Arc<AtomicUsize>,
}

/// What the texts of a dialect's hooks show.
#[derive(Debug, Default)]
pub(crate) struct Lints {
    /// The problems, not limited in number.
    pub(crate) problems: Vec<Arc<Problem>>,
    /// The guards, by id and event.
    pub(crate) guards: BTreeSet<(HookId, String)>,
    /// Everything on the disk that was looked at: scripts, folders of the PATH, files that may appear.
    stamps: Vec<FileStamp>,
}

impl LintCache {
    /// A cache for a project with these directories.
    #[must_use]
    pub fn new(places: Locations) -> Self {
        let by_dialect = Arc::default();
        Self {
            places: Some(places),
            planned: Arc::default(),
            by_dialect,
            computed: Arc::default(),
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

    /// What the texts of a dialect's hooks show. It is computed again if anything that was looked at has changed.
    pub(crate) fn lints_for(&self, env: &HostEnv, snapshot: &Snapshot, dialect: &dyn Dialect) -> Arc<Lints> {
        let Some(places) = &self.places else {
            return Arc::default();
        };
        // A second caller waits here while the problems are computed, and does not compute them again.
        let mut by_dialect = lock(&self.by_dialect);
        let known = by_dialect.get(dialect.card().id);
        if let Some(known) = known.filter(|known| stamps::are_current(&known.stamps)) {
            return known.clone();
        }
        self.computed.fetch_add(1, Ordering::Relaxed);
        let lints = Arc::new(lint(env, (places, &self.planned), snapshot, dialect));
        by_dialect.insert(dialect.card().id, lints.clone());
        lints
    }

    /// Removes what is out of date: a program appeared or vanished, or a script changed. Returns whether there was any.
    pub(crate) fn drop_stale(&self) -> bool {
        let mut by_dialect = lock(&self.by_dialect);
        let before = by_dialect.len();
        by_dialect.retain(|_, known| stamps::are_current(&known.stamps));
        by_dialect.len() < before
    }

    /// Clears the cache. A file that hooks name may have changed, or a program may have been installed.
    pub fn clear(&self) {
        lock(&self.by_dialect).clear();
    }

    /// How often the lint problems of a dialect were computed.
    #[must_use]
    pub fn computed_count(&self) -> usize {
        self.computed.load(Ordering::Relaxed)
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
) -> Lints {
    // Lint also reports files next to the roots, so it runs for a dialect without hooks too. It does not run if the
    // snapshot does not contain the dialect's roots.
    if !snapshot
        .sources
        .iter()
        .any(|source| source.dialect == dialect.card().id)
    {
        return Lints::default();
    }
    let var_names: Vec<String> = env
        .vars
        .keys()
        .filter_map(|name| name.to_str().map(str::to_owned))
        .collect();
    let path = env.var("PATH").unwrap_or_default();
    // Thousands of hooks may need the same information from the disk, so each result is stored.
    // Each path is stamped before it is looked at, so that a change in between is noticed.
    let looked_at: RefCell<BTreeMap<PathBuf, FileStamp>> = RefCell::default();
    let stamp = |path: &Path| {
        let mut looked_at = looked_at.borrow_mut();
        if !looked_at.contains_key(path) {
            let stamps = stamps::for_paths([path.to_owned()]);
            looked_at.extend(stamps.into_iter().map(|stamp| (path.to_owned(), stamp)));
        }
    };
    std::env::split_paths(&path).for_each(|folder| stamp(&folder));
    let on_path = memoized(|program: &str| {
        let found = hookwright_exec::which(program, path.as_ref());
        // A program may lose its executable bit without a change of its folder.
        found.iter().for_each(|found| stamp(found));
        found.is_some()
    });
    let is_there = memoized(|path: &Path| {
        stamp(path);
        planned.contains_key(path) || path.exists()
    });
    let runs = memoized(|path: &Path| {
        stamp(path);
        match planned.get(path) {
            Some(executable) if !path.exists() => *executable,
            Some(_) | None => is_executable_file(path),
        }
    });
    let inside = memoized(|path: &Path| {
        stamp(path);
        list_dir(path)
    });
    let text = memoized(|path: &Path| {
        stamp(path);
        let folder = path.parent().unwrap_or(path);
        Opener::beneath(folder).read_text(path, MAX_SOURCE_BYTES)
    });
    let sh = hookwright_exec::which("sh", path.as_ref()).and_then(|sh| dunce::canonicalize(sh).ok());
    let sh = sh.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    let mut hooks: Vec<Arc<Hook>> = snapshot.hooks(dialect.card().id).cloned().collect();
    // In every dialect with layers, the load order is the order of the layers. The sort is stable.
    hooks.sort_by_key(|hook| hook.source.layer);
    let texts = named_file_texts(&hooks, dialect, places, &stamp);
    let context = LintContext {
        hooks: &hooks,
        named_file_texts: &texts,
        locations: places,
        env: &var_names,
        sh: sh.unwrap_or_default(),
        on_path: &on_path,
        path_exists: &is_there,
        is_executable: &runs,
        list_dir: &inside,
        read_text: &text,
    };
    let mut problems = dialect.lint(&context);
    problems.extend(find_duplicates(dialect.card(), &context));
    problems.extend(find_missing_relays(&context));
    let by_id: HashMap<&str, &Hook> = hooks.iter().map(|hook| (hook.id.as_str(), &**hook)).collect();
    for problem in &mut problems {
        let hook = problem.hook.as_deref().and_then(|id| by_id.get(id));
        let fix = hook.and_then(|hook| definition_fix(hook, problem));
        problem.fixes.extend(fix);
    }
    let guards = hooks.iter().filter(|hook| is_guard(hook, dialect.card(), &context));
    let guards = guards.map(|hook| (hook.id.clone(), hook.event.clone())).collect();
    Lints {
        problems: problems.into_iter().map(Arc::new).collect(),
        guards,
        stamps: looked_at.take().into_values().collect(),
    }
}

/// A problem of the hooks that name a relay which does not exist (`CONTRACTS.md` §4), one for each relay and file. A relay
/// entry then fails at each event; a wrapped command runs alone, and nobody sees what it does.
fn find_missing_relays(context: &LintContext<'_>) -> Vec<Problem> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut by_relay: BTreeMap<(String, &Path, bool), Vec<&Hook>> = BTreeMap::new();
    for hook in context.hooks.iter().filter(|hook| known.insert(&hook.id)) {
        let relay = match &hook.wrapped {
            Some(relay) => Some(relay.clone()),
            None if hook.is_relay() => started_relay(hook),
            None => None,
        };
        let is_missing = |relay: &String| Path::new(relay).is_absolute() && !(context.path_exists)(Path::new(relay));
        if let Some(relay) = relay.filter(is_missing) {
            let place = (relay, hook.source.path.as_path(), hook.wrapped.is_some());
            by_relay.entry(place).or_default().push(hook);
        }
    }
    let problems = by_relay.into_iter().filter_map(|((relay, _, wraps), hooks)| {
        let (first, others) = hooks.split_first()?;
        let args = args! { "relay" => relay, "target" => first.dialect };
        let mut problem = match wraps {
            true => problem_at_field(first, RELAY_GONE_AROUND.render(args), "command"),
            false => problem_at_field(first, RELAY_GONE.render(args), "command").stopping_start(),
        };
        problem.also = others.iter().map(|hook| hook.id.clone()).collect();
        Some(problem)
    });
    problems.collect()
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
    stamp: &dyn Fn(&Path),
) -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let disk = DiskCache::default();
    let mut remaining = MAX_TEXT_BYTES;
    let mut out = BTreeMap::new();
    for hook in hooks {
        if remaining == 0 || out.contains_key(&hook.id) {
            continue;
        }
        let texts = named_texts(hook, dialect.card(), places, &disk, stamp);
        remaining = remaining.saturating_sub(texts.iter().map(|(_, text)| text.len()).sum());
        out.insert(hook.id.clone(), texts);
    }
    out
}
