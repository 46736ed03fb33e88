//! One project on the desk: its snapshot, and the watch that keeps it true.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use hookwright_model::matcher::PatternPool;
use hookwright_model::{ApprovalScope, Hook, Message, Problem, RootKind};
use tokio::time::Instant;

use crate::library::stamps::{self, Stamp};
use crate::library::{self, Cause, Ears, Live, Looked, Reading, Shared, Snapshot, Wanted, WatchStatus, Watching};
use crate::surroundings::Surroundings;
use crate::trust::Trust;
use crate::trust::covered::{self, Machine};
use crate::trust::disk::DiskCache;

/// Compiles the patterns of hooks that may run, so that no event has to and whoever asks for problems is told of those that
/// are too large (`engine.md` §9). Returns whether one of them turned out to be.
pub(crate) fn compile(snapshot: &Snapshot, trust: &Trust) -> bool {
    let is_raw = |hook: &&Arc<Hook>| hook.invalid.is_none() && hook.when.patterns().any(|(_, it)| it.is_raw());
    let (free, asked): (Vec<_>, Vec<_>) = snapshot.all().filter(is_raw).partition(|hook| !Trust::needed(hook));
    let mut may_run = free;
    if !asked.is_empty() && !trust.approvals().hooks.is_empty() {
        let (verdicts, _) = trust.judge_all(|| asked.iter().map(|hook| &***hook), |_| true);
        let approved = asked.iter().zip(verdicts).filter(|(_, verdict)| verdict.is_ok());
        may_run.extend(approved.map(|(hook, _)| *hook));
    }
    let patterns = may_run.iter().flat_map(|hook| hook.when.patterns());
    patterns.filter(|(_, pattern)| pattern.compile().is_err()).count() > 0
}

/// A project whose files are read.
#[derive(Debug)]
pub struct Desk {
    /// Its directory, absolute.
    pub project: PathBuf,
    around: Arc<Surroundings>,
    shared: Arc<Shared>,
    /// The patterns of its own files.
    patterns: Arc<PatternPool>,
    /// Only the places of this dialect are read.
    dialect: Option<&'static str>,
    snapshot: ArcSwap<Snapshot>,
    live: WatchStatus,
    watching: Mutex<Option<Watching>>,
    /// What the last look found. One look at a time, so that an older one never replaces a newer.
    seen: Mutex<Seen>,
    used: Mutex<Instant>,
}

/// What a look found beside the snapshot.
#[derive(Debug, Default)]
struct Seen {
    wanted: Wanted,
    /// The files that project hooks name; `None` before the first look.
    scripts: Option<Vec<Stamp>>,
    /// Everything that was read, as the system described it after it was read.
    stamps: Vec<Stamp>,
    /// It was described so before it was read, too: while it still is, nothing has to be read.
    settled: bool,
    /// Files were read so often.
    reads: usize,
}

impl Desk {
    /// Reads the project's files once; only those of one dialect where that is given.
    #[must_use]
    pub fn open(
        around: Arc<Surroundings>,
        shared: Arc<Shared>,
        project: PathBuf,
        dialect: Option<&'static str>,
    ) -> Arc<Self> {
        let patterns = Arc::default();
        let reading = Reading {
            around: &around,
            project: &project,
            shared: &shared,
            patterns: &patterns,
            dialect,
        };
        let snapshot = ArcSwap::from_pointee(reading.load(None));
        let desk = Self {
            project,
            around,
            shared,
            patterns,
            dialect,
            snapshot,
            live: WatchStatus::default(),
            watching: Mutex::default(),
            seen: Mutex::default(),
            used: Mutex::new(Instant::now()),
        };
        Arc::new(desk)
    }

    /// Keeps the snapshot true from now on, and what may run compiled; `changed` is called after something is shown
    /// otherwise than before.
    pub fn watch(
        self: &Arc<Self>,
        ears: &Arc<Ears>,
        settle: Duration,
        trust: Arc<Trust>,
        changed: impl Fn() + Send + Sync + 'static,
    ) {
        // What changes from here on is news, also before the first look.
        self.look_at_files(&mut lock(&self.seen), &self.snapshot());
        let wanted = {
            let desk = Arc::downgrade(self);
            move || {
                let desk = desk.upgrade();
                desk.map(|desk| lock(&desk.seen).wanted.clone()).unwrap_or_default()
            }
        };
        let look = {
            let desk: Weak<Self> = Arc::downgrade(self);
            move |live: Live, cause: Cause| {
                let Some(desk) = desk.upgrade() else {
                    return Looked::Same;
                };
                let told = desk.live.set(live);
                if cause == Cause::Clock && desk.is_as_before() {
                    if told {
                        changed();
                    }
                    return Looked::Same;
                }
                // Named scripts decide trust, not the snapshot: any change there is news for whoever shows approvals.
                let news = desk.refresh() | compile(&desk.snapshot.load(), &trust);
                if news || told {
                    changed();
                }
                Looked::Read
            }
        };
        *lock(&self.watching) = Some(library::watch(ears, settle, wanted, look));
    }

    /// The snapshot in force.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// All problems of the snapshot in force, or those of a dialect.
    #[must_use]
    pub fn problems(&self, dialect: Option<&str>) -> Vec<Problem> {
        self.snapshot().problems(&self.around, dialect)
    }

    /// Whether changes are seen at once, and why not.
    #[must_use]
    pub fn live(&self) -> Live {
        self.live.get()
    }

    /// Why changes are not seen at once; `None` where they are.
    pub(crate) async fn why_not_live(&self) -> Option<Message> {
        self.live.why_not_live().await
    }

    /// Reads again now. Returns whether anything changed.
    pub fn refresh(&self) -> bool {
        let mut seen = lock(&self.seen);
        let before = self.snapshot.load_full();
        let reading = Reading {
            around: &self.around,
            project: &self.project,
            shared: &self.shared,
            patterns: &self.patterns,
            dialect: self.dialect,
        };
        let next = reading.load(Some(&before));
        seen.reads += 1;
        let same = before.sources.len() == next.sources.len()
            && before
                .sources
                .iter()
                .zip(&next.sources)
                .all(|(a, b)| a.hash == b.hash && a.root == b.root && same_hooks(a, b))
            && before.settled == next.settled;
        let scripts = self.look_at_files(&mut seen, &next);
        if !same || before.signs != next.signs {
            self.snapshot.store(Arc::new(next));
        } else if scripts {
            before.advisor.forget();
        }
        !same || scripts
    }

    /// Whether the system says of every file what it said when all were read.
    fn is_as_before(&self) -> bool {
        let seen = lock(&self.seen);
        let same = seen.settled && stamps::hold(&seen.stamps);
        if same {
            // Advice hangs on more than these files: on programs that are installed, say.
            self.snapshot.load().advisor.forget();
        }
        same
    }

    /// Looks at the files soon, from the watch's own task.
    pub fn look_again(&self) {
        if let Some(watching) = &*lock(&self.watching) {
            watching.look_again();
        }
    }

    /// Notes that somebody looks at the project now.
    pub(crate) fn use_now(&self) {
        *lock(&self.used) = Instant::now();
    }

    /// When somebody looked at the project last.
    pub(crate) fn used(&self) -> Instant {
        *lock(&self.used)
    }

    /// How often the files were read again since the project was opened.
    #[must_use]
    pub fn reads(&self) -> usize {
        lock(&self.seen).reads
    }

    /// The pool of the project's own patterns.
    #[must_use]
    pub fn patterns(&self) -> &PatternPool {
        &self.patterns
    }

    /// Notes what must be listened for, and how the system describes it. Returns whether a file that a project hook names
    /// is described otherwise than at the last look.
    fn look_at_files(&self, seen: &mut Seen, snapshot: &Snapshot) -> bool {
        let scripts = stamps::of(self.script_paths(snapshot));
        let mut places: Vec<PathBuf> = snapshot
            .sources
            .iter()
            .flat_map(|source| source.looked.iter().cloned())
            .collect();
        places.extend(scripts.iter().map(|(path, _)| path.clone()));
        seen.wanted = Wanted {
            places,
            signs: snapshot.signs.clone(),
            folders: whole_folders(snapshot),
        };
        let wanted = &seen.wanted;
        let paths = wanted
            .places
            .iter()
            .chain(&wanted.signs)
            .chain(&wanted.folders)
            .cloned();
        // What bridges and processes told is kept here, and changes what is shown without any change of a file.
        let kept = ["modules", "greetings"].map(|name| self.around.data_dir.join("cache").join(name));
        // A program that is installed makes a module's hooks valid.
        let path = self.around.var("PATH").unwrap_or_default();
        let now = stamps::of(paths.chain(kept).chain(std::env::split_paths(&path)));
        seen.settled = seen.stamps == now;
        seen.stamps = now;
        let before = seen.scripts.replace(scripts);
        before.is_some_and(|before| seen.scripts.as_ref() != Some(&before))
    }

    fn script_paths(&self, snapshot: &Snapshot) -> Vec<PathBuf> {
        let path = self.around.var("PATH").unwrap_or_default();
        let disk = DiskCache::default();
        let machine = Machine {
            home: &self.around.home,
            path: &std::env::split_paths(&path).collect::<Vec<_>>(),
            disk: &disk,
        };
        let mut paths = Vec::new();
        for hook in snapshot.all() {
            let (Some(project), Some(dialect)) = (&hook.source.project, hookwright_dialects::find(hook.dialect)) else {
                continue;
            };
            let names = covered::names(hook, dialect.card(), machine, project);
            paths.extend(names.files());
            // What a command names and is not there yet changes what an approval is for once it comes.
            paths.extend(names.absent);
        }
        paths.sort();
        paths.dedup();
        paths
    }
}

/// Folders in which a new entry counts whatever its name: where each folder is a hook, and where a hook is a folder.
fn whole_folders(snapshot: &Snapshot) -> Vec<PathBuf> {
    let roots = snapshot.sources.iter().map(|source| &source.root);
    let mut folders: Vec<PathBuf> = roots
        .filter(|root| matches!(root.reads, RootKind::Folders(_)))
        .map(|root| root.path.clone())
        .collect();
    for hook in snapshot.all() {
        if let ApprovalScope::Folder(folder) = &hook.cover {
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

/// A look that panicked left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> (tempfile::TempDir, Arc<Desk>) {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("project/.jcli")).unwrap();
        std::fs::write(root.join("project/.jcli/hooks.yaml"), "stop:\n  - command: ./a.sh\n").unwrap();
        let vars = [("HOME".into(), root.clone().into_os_string())];
        let around = Surroundings::new(vars.into(), root.clone(), PathBuf::new()).unwrap();
        let desk = Desk::open(Arc::new(around), Arc::default(), root.join("project"), None);
        (folder, desk)
    }

    #[test]
    fn files_that_the_system_describes_as_before_are_not_read_again() {
        let (_folder, desk) = world();
        assert!(
            !desk.is_as_before(),
            "what was read once may have changed while it was read"
        );
        desk.refresh();
        desk.refresh();
        assert!(desk.is_as_before() && desk.is_as_before());
        assert_eq!(desk.reads(), 2);
    }

    #[test]
    fn any_sign_of_a_change_is_a_reason_to_read() {
        type Change = fn(&std::path::Path);
        let changes: [Change; 4] = [
            |project| std::fs::write(project.join(".jcli/hooks.yaml"), "stop:\n  - command: ./b.sh\n").unwrap(),
            |project| std::fs::write(project.join("a.sh"), "#!/bin/sh\n").unwrap(),
            |project| std::fs::create_dir_all(project.join(".agents/hooks")).unwrap(),
            |project| std::fs::rename(project.join(".jcli"), project.join("away")).unwrap(),
        ];
        for (number, change) in changes.iter().enumerate() {
            let (_folder, desk) = world();
            desk.refresh();
            desk.refresh();
            change(&desk.project);
            assert!(!desk.is_as_before(), "change {number}");
        }
    }
}
