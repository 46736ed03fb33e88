//! Advice over all hooks of a dialect together, worked out when somebody asks for it.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookwright_model::{Dialect, Hook, LintContext, Locations, Problem};

use super::{Snapshot, read};
use crate::surroundings::Surroundings;
use crate::trust::covered::named_texts;
use crate::trust::disk::{DiskCache, Known, once};

/// Of the files that hooks name, so many bytes of text are looked at for the advice of one dialect.
const MAX_TEXTS: usize = 4 << 20;

/// Gives the advice of a snapshot, and keeps what it gave.
#[derive(Debug, Clone, Default)]
pub struct Advisor {
    /// `None`: a snapshot of nothing, of which nothing is said.
    places: Option<Locations>,
    given: Arc<Mutex<BTreeMap<&'static str, Given>>>,
}

type Given = Arc<Vec<Problem>>;

impl Advisor {
    /// For a project with these places.
    #[must_use]
    pub fn of(places: Locations) -> Self {
        let given = Arc::default();
        Self {
            places: Some(places),
            given,
        }
    }

    /// What is said of a dialect's hooks.
    pub(super) fn advice(&self, around: &Surroundings, snapshot: &Snapshot, dialect: &dyn Dialect) -> Given {
        let Some(places) = &self.places else {
            return Given::default();
        };
        // Who asks while it is worked out waits for it, and does not work it out again.
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let known = given.entry(dialect.card().id);
        known
            .or_insert_with(|| Arc::new(lint(around, places, snapshot, dialect)))
            .clone()
    }

    /// Forgets what was given: a file that hooks name may be another one now, or a program may be installed.
    pub fn forget(&self) {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// For how many dialects advice was worked out.
    #[must_use]
    pub fn given(&self) -> usize {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

fn lint(around: &Surroundings, places: &Locations, snapshot: &Snapshot, dialect: &dyn Dialect) -> Vec<Problem> {
    // What lies beside the places that are read is worth a word also where nothing is read.
    if !snapshot
        .sources
        .iter()
        .any(|source| source.dialect == dialect.card().id)
    {
        return Vec::new();
    }
    let env: Vec<String> = around
        .vars
        .keys()
        .filter_map(|name| name.to_str().map(str::to_owned))
        .collect();
    let path = around.var("PATH").unwrap_or_default();
    // Thousands of hooks may ask the same of the disk.
    let on_path = each_once(|program: &str| hookwright_exec::which(program, path.as_ref()).is_some());
    let (is_there, runs, inside) = (
        each_once(Path::exists),
        each_once(read::may_execute),
        each_once(read::inside),
    );
    let sh = hookwright_exec::which("sh", path.as_ref()).and_then(|sh| dunce::canonicalize(sh).ok());
    let sh = sh.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    let mut hooks: Vec<Arc<Hook>> = snapshot.hooks(dialect.card().id).cloned().collect();
    // Load order is layer order for every dialect with layers; the sort is stable.
    hooks.sort_by_key(|hook| hook.source.layer);
    let desk = LintContext {
        hooks: &hooks,
        named: &texts(&hooks, dialect, places),
        places,
        env: &env,
        sh: sh.unwrap_or_default(),
        on_path: &on_path,
        is_there: &is_there,
        runs: &runs,
        inside: &inside,
    };
    let mut advice = dialect.lint(&desk);
    super::limits::limit(&mut advice);
    advice
}

/// A question that is asked once of each thing.
fn each_once<Q, A>(ask: impl Fn(&Q) -> A) -> impl Fn(&Q) -> A
where
    Q: ?Sized + ToOwned<Owned: Eq + Hash> + Eq + Hash,
    A: Clone,
{
    let known = Known::default();
    move |thing| once(&known, thing, || ask(thing))
}

/// The texts of the files that hooks name, as far as there is room. The hooks that come first have theirs.
fn texts(hooks: &[Arc<Hook>], dialect: &dyn Dialect, places: &Locations) -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let disk = DiskCache::default();
    let mut room = MAX_TEXTS;
    let mut out = BTreeMap::new();
    for hook in hooks {
        if room == 0 || out.contains_key(&hook.id) {
            continue;
        }
        let texts = named_texts(hook, dialect.card(), places, &disk);
        room = room.saturating_sub(texts.iter().map(|(_, text)| text.len()).sum());
        out.insert(hook.id.clone(), texts);
    }
    out
}
