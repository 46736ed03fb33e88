//! What projects share: the user's files are parsed once for all projects, and all patterns of one owner have one pool.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, SystemTime};

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::matcher::PatternPool;
use hookwright_model::{Clock, Hook, Problem, Root};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::PendingFiles;
use super::last_good::LastGoodFolder;
use crate::host_env::HostEnv;
use crate::identities::IdentityFile;
use crate::lock::lock;
use crate::snapshot::{LoadedSource, ReadScope, Snapshot};

/// The parsed user files that some project still uses, and the pool of their patterns.
#[derive(Debug, Default)]
pub struct SharedSources {
    patterns: Arc<PatternPool>,
    sources: Mutex<HashMap<(&'static str, Root), ParsedSource>>,
}

#[derive(Debug)]
struct ParsedSource {
    hash: blake3::Hash,
    hooks: Weak<Vec<Arc<Hook>>>,
    problems: Weak<Vec<Problem>>,
}

/// The hooks of a root, and the problems of its text.
pub(super) type ParsedFiles = (Arc<Vec<Arc<Hook>>>, Arc<Vec<Problem>>);

impl SharedSources {
    /// The cached result for these bytes at this root. Only roots of the user are cached.
    pub(super) fn find(&self, dialect: &'static str, root: &Root, hash: blake3::Hash) -> Option<ParsedFiles> {
        let sources = lock(&self.sources);
        let known = sources
            .get(&(dialect, root.clone()))
            .filter(|known| known.hash == hash)?;
        Some((known.hooks.upgrade()?, known.problems.upgrade()?))
    }

    /// Caches the parsed files of a root of the user. A broken source is not cached, because each project decides which
    /// older version stays in force.
    pub(super) fn cache(&self, source: &LoadedSource) {
        if source.root.project.is_some() || !source.broken.is_empty() {
            return;
        }
        let known = ParsedSource {
            hash: source.hash,
            hooks: Arc::downgrade(&source.file_hooks),
            problems: Arc::downgrade(&source.file_problems),
        };
        let mut sources = lock(&self.sources);
        sources.insert((source.dialect, source.root.clone()), known);
    }
}

/// Which project is read, and with which caches.
#[derive(Debug, Clone, Copy)]
pub struct LoadRequest<'a> {
    /// The environment and the folders of this process.
    pub env: &'a HostEnv,
    /// The project directory, absolute.
    pub project: &'a Path,
    /// The user files that projects share.
    pub shared: &'a SharedSources,
    /// The pool of the patterns in the project's files.
    pub patterns: &'a Arc<PatternPool>,
    /// Which roots are read.
    pub scope: ReadScope,
    /// Whether the files may be in the middle of a save.
    pub state: FileState<'a>,
    /// The present time.
    pub now: Timestamp,
}

/// Whether files may be in the middle of a save.
#[derive(Debug, Clone, Copy)]
pub enum FileState<'a> {
    /// They have not changed for a while, or whoever reads them knows what was saved.
    Settled,
    /// Those that changed in this time before they were read count as changing: many editors empty a file first.
    SettledAfter(Duration, &'a Clock),
    /// They keep changing. What is missing may be about to be written, so no hook is removed because of such a read.
    Changing,
}

impl FileState<'_> {
    /// Whether a file with this time of its last change may be in the middle of a save. It was just read. A time in the
    /// future says nothing, because the clock of a file system can be another one.
    pub(super) fn is_changing(self, modified: Option<SystemTime>) -> bool {
        match (self, modified) {
            (Self::Changing, _) => true,
            (Self::SettledAfter(quiet, clock), Some(modified)) => {
                let age = SystemTime::from(clock.now()).duration_since(modified);
                age.is_ok_and(|age| age < quiet)
            }
            (Self::Settled, _) | (Self::SettledAfter(..), None) => false,
        }
    }
}

/// Whether the hooks of a source were read now.
fn is_new(source: &LoadedSource, before: Option<&Snapshot>) -> bool {
    let mut known = before.into_iter().flat_map(|before| &before.sources);
    let is_same = |it: &LoadedSource| Arc::ptr_eq(&it.file_hooks, &source.file_hooks) && it.held.is_none();
    !known.any(is_same)
}

/// The guards of a source by uid, each as `add` takes it; `None` if it is a whole folder, or contains a secret.
fn guards_of(env: &HostEnv, snapshot: &Snapshot, source: &LoadedSource) -> HashMap<String, Option<Map<String, Value>>> {
    let Ok(dialect) = find_dialect(source.dialect) else {
        return HashMap::new();
    };
    let lints = snapshot.lints.lints_for(env, snapshot, dialect);
    let is_guard = |hook: &Hook| lints.guards.contains(&(hook.id.clone(), hook.event.clone()));
    let mut guards = source
        .read_and_present_hooks()
        .filter(|(_, hook)| is_guard(hook))
        .peekable();
    if guards.peek().is_none() {
        return HashMap::new();
    }
    let (tree, redactor) = (super::read_tree(dialect, &source.root), env.redactor());
    // What contains a secret is not written a second time, so such a guard cannot be restored.
    let has_no_secret = |definition: &Map<String, Value>| {
        let whole = Value::Object(definition.clone());
        let mut masked = whole.clone();
        redactor.value(&mut masked);
        masked == whole
    };
    let (read, uids): (Vec<&Hook>, Vec<String>) = guards.map(|(read, hook)| (&**read, hook.uid.clone())).unzip();
    let to_add = dialect.definitions_to_add(&tree, &read).into_iter();
    uids.into_iter()
        .zip(to_add.map(|it| it.filter(has_no_secret)))
        .collect()
}

impl LoadRequest<'_> {
    /// Reads all roots again. A root whose content did not change keeps its parsed hooks and problems.
    #[must_use]
    pub fn load(self, before: Option<&Snapshot>) -> Snapshot {
        let identities = IdentityFile::new(&self.env.data_dir);
        super::load_project(
            self,
            before,
            &PendingFiles::default(),
            &self.last_good_folder(),
            &identities,
        )
    }

    /// Keeps in the data folder what later reads need to know of a snapshot: the last valid versions of files that do
    /// not parse, and the identities of hooks. `before` is the snapshot that it replaces.
    pub fn store_seen(self, snapshot: &Snapshot, before: Option<&Snapshot>, clock: &Clock) {
        // A text that is half written is nothing that a version is kept for, and takes no hook away.
        if !matches!(self.state, FileState::Changing) {
            self.last_good_folder().update(&snapshot.sources);
            let new = snapshot.sources.iter().filter(|source| is_new(source, before));
            let guards = |source: &LoadedSource| guards_of(self.env, snapshot, source);
            IdentityFile::new(&self.env.data_dir).update(new, guards, clock);
        }
    }

    /// The last valid versions of files that do not parse.
    pub(super) fn last_good_folder(&self) -> LastGoodFolder {
        LastGoodFolder::open(&self.env.data_dir)
    }

    /// The pool of the patterns in this root's files.
    pub(super) fn pool(&self, root: &Root) -> &Arc<PatternPool> {
        match root.project {
            Some(_) => self.patterns,
            None => &self.shared.patterns,
        }
    }
}
