//! One project on the desk: its snapshot, and the watch that keeps it true.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use hookwright_model::{Cover, Reads};

use crate::library::{self, Ears, Live, Snapshot, Wanted, Watching};
use crate::surroundings::Surroundings;
use crate::trust::covered;

/// A project whose files are read.
#[derive(Debug)]
pub struct Desk {
    /// Its directory, absolute.
    pub project: PathBuf,
    around: Arc<Surroundings>,
    snapshot: ArcSwap<Snapshot>,
    live: ArcSwap<Live>,
    watching: Mutex<Option<Watching>>,
    /// One look at a time, so that an older one never replaces a newer.
    looking: Mutex<()>,
    /// Size and time of the files that project hooks name, at the last look.
    scripts: Mutex<Option<Vec<Stamp>>>,
}

type Stamp = (Option<(u64, Option<std::time::SystemTime>)>, PathBuf);

impl Desk {
    /// Reads the project's files once.
    #[must_use]
    pub fn open(around: Arc<Surroundings>, project: PathBuf) -> Arc<Self> {
        let snapshot = library::load(&around, &project, None);
        let live = ArcSwap::from_pointee(Live::NotYet);
        Arc::new(Self {
            project,
            around,
            snapshot: ArcSwap::from_pointee(snapshot),
            live,
            watching: Mutex::default(),
            looking: Mutex::default(),
            scripts: Mutex::default(),
        })
    }

    /// Keeps the snapshot true from now on; `changed` is called after it was replaced.
    pub fn watch(self: &Arc<Self>, ears: &Arc<Ears>, settle: Duration, changed: impl Fn() + Send + 'static) {
        // What changes from here on is news, also before the first look.
        self.scripts_changed(&self.snapshot());
        let wanted = {
            let desk = Arc::downgrade(self);
            move || desk.upgrade().map(|desk| desk.wanted()).unwrap_or_default()
        };
        let look = {
            let desk: Weak<Self> = Arc::downgrade(self);
            move |live: Live| {
                let Some(desk) = desk.upgrade() else { return };
                // That the watch began is no news.
                let told = **desk.live.load() != live && (live != Live::Yes || **desk.live.load() != Live::NotYet);
                desk.live.store(Arc::new(live));
                // Named scripts decide trust, not the snapshot: any change there is news for whoever shows approvals.
                if desk.refresh() || told {
                    changed();
                }
            }
        };
        *self.watching.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(library::watch(ears, settle, wanted, look));
    }

    /// The snapshot in force.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Whether changes are seen at once, and why not.
    #[must_use]
    pub fn live(&self) -> Live {
        (**self.live.load()).clone()
    }

    /// Reads again now. Returns whether anything changed.
    pub fn refresh(&self) -> bool {
        let _one = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.snapshot.load_full();
        let next = library::load(&self.around, &self.project, Some(&before));
        let same = before.sources.len() == next.sources.len()
            && before
                .sources
                .iter()
                .zip(&next.sources)
                .all(|(a, b)| a.hash == b.hash && a.root == b.root && same_hooks(a, b))
            && before.lint == next.lint;
        let scripts = self.scripts_changed(&next);
        if !same || before.signs != next.signs {
            self.snapshot.store(Arc::new(next));
        }
        !same || scripts
    }

    /// Looks at the files soon, from the watch's own task.
    pub fn look_again(&self) {
        if let Some(watching) = &*self.watching.lock().unwrap_or_else(PoisonError::into_inner) {
            watching.look_again();
        }
    }

    fn wanted(&self) -> Wanted {
        let snapshot = self.snapshot();
        let mut places: Vec<PathBuf> = snapshot
            .sources
            .iter()
            .flat_map(|source| source.looked.iter().cloned())
            .collect();
        places.extend(self.script_paths(&snapshot));
        Wanted {
            places,
            signs: snapshot.signs.clone(),
            folders: whole_folders(&snapshot),
        }
    }

    fn script_paths(&self, snapshot: &Snapshot) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for hook in snapshot.all() {
            let (Some(project), Some(dialect)) = (&hook.source.project, hookwright_dialects::find(hook.dialect)) else {
                continue;
            };
            let names = covered::names(hook, dialect.card(), &self.around.home, project);
            paths.extend(names.files());
            // What a command names and is not there yet changes what an approval is for once it comes.
            paths.extend(names.absent);
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// Whether a file that a project hook names has another size or time than at the last look.
    fn scripts_changed(&self, snapshot: &Snapshot) -> bool {
        let stamp = |path: &Path| {
            std::fs::metadata(path)
                .ok()
                .map(|meta| (meta.len(), meta.modified().ok()))
        };
        let now: Vec<_> = self
            .script_paths(snapshot)
            .into_iter()
            .map(|path| (stamp(&path), path))
            .collect();
        let mut known = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        known.replace(now.clone()).is_some_and(|before| before != now)
    }
}

/// Folders in which a new entry counts whatever its name: where each folder is a hook, and where a hook is a folder.
fn whole_folders(snapshot: &Snapshot) -> Vec<PathBuf> {
    let roots = snapshot.sources.iter().map(|source| &source.root);
    let mut folders: Vec<PathBuf> = roots
        .filter(|root| matches!(root.reads, Reads::Folders(_)))
        .map(|root| root.path.clone())
        .collect();
    for hook in snapshot.all() {
        if let Cover::Folder(folder) = &hook.cover {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let inside = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
            folders.extend(inside.chain([folder.clone()]));
        }
    }
    folders
}

/// What a module's bridge told comes without a change of any file.
fn same_hooks(one: &library::Source, other: &library::Source) -> bool {
    let hooks = |source: &library::Source| source.hooks.iter().map(|hook| hook.id.clone()).collect::<Vec<_>>();
    hooks(one) == hooks(other)
}
