//! One open project: its snapshot, and the watch that keeps the snapshot up to date.

mod open_projects;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use hookwright_model::matcher::PatternPool;
use hookwright_model::{ApprovalScope, Clock, Hook, Message, Problem, RootKind};
use tokio::time::Instant;

use crate::discovery::{self, FileState, LoadRequest, SharedSources};
use crate::host_env::HostEnv;
use crate::lock::lock;
use crate::snapshot::{LoadedSource, ReadScope, Snapshot};
use crate::stamps::{self, FileStamp};
use crate::trust::Trust;
use crate::trust::covered_files::{self, Machine};
use crate::trust::disk_cache::DiskCache;
use crate::watcher::{RefreshCause, RefreshResult, WatchHandle, WatchHub, WatchMode, WatchSet, WatchStatus, watch};

pub use open_projects::{MAX_OPEN_PROJECTS, OpenProjects};

/// A project whose files are read. In an engine they are also watched.
#[derive(Debug)]
pub struct OpenProject {
    /// The project directory, absolute.
    pub project: PathBuf,
    env: Arc<HostEnv>,
    clock: Clock,
    shared: Arc<SharedSources>,
    /// The patterns of the project's own files.
    patterns: Arc<PatternPool>,
    /// Which roots are read.
    scope: ReadScope,
    snapshot: ArcSwap<Snapshot>,
    watch_status: WatchStatus,
    watch_handle: Mutex<Option<WatchHandle>>,
    /// What the last scan found. Only one scan runs at a time, so that an older result never replaces a newer one.
    scan_state: Mutex<ScanState>,
    last_used: Mutex<Instant>,
}

/// What a scan found in addition to the snapshot.
#[derive(Debug, Default)]
struct ScanState {
    watch_set: WatchSet,
    /// The files that project hooks name; `None` before the first scan.
    scripts: Option<Vec<FileStamp>>,
    /// The metadata of everything that was read, taken after the read.
    stamps: Vec<FileStamp>,
    /// Whether the previous scan found the same metadata. If so, nothing changed during the read, and nothing is read
    /// again until the metadata changes.
    is_stable: bool,
    /// How often the files were read again.
    read_count: usize,
}

impl OpenProject {
    /// Reads the project's files once. `scope` selects which.
    #[must_use]
    pub fn open(
        env: Arc<HostEnv>,
        clock: Clock,
        shared: Arc<SharedSources>,
        project: PathBuf,
        scope: ReadScope,
    ) -> Arc<Self> {
        let patterns = Arc::default();
        let request = LoadRequest {
            env: &env,
            project: &project,
            shared: &shared,
            patterns: &patterns,
            scope,
            state: FileState::Settled,
            now: clock.now(),
        };
        let snapshot = request.load(None);
        request.store_seen(&snapshot, None, &clock);
        let snapshot = ArcSwap::from_pointee(snapshot);
        let open_project = Self {
            project,
            env,
            clock,
            shared,
            patterns,
            scope,
            snapshot,
            watch_status: WatchStatus::default(),
            watch_handle: Mutex::default(),
            scan_state: Mutex::default(),
            last_used: Mutex::new(Instant::now()),
        };
        Arc::new(open_project)
    }

    /// Keeps the snapshot up to date from now on, and compiles the patterns of hooks that may run. `changed` is called
    /// after anything that is shown has changed.
    pub fn watch(
        self: &Arc<Self>,
        watch_hub: &Arc<WatchHub>,
        debounce: Duration,
        clock: Clock,
        trust: Arc<Trust>,
        changed: impl Fn() + Send + Sync + 'static,
    ) {
        // A change from here on is reported, even if it happens before the first scan of the watch.
        self.update_watch_set(&mut lock(&self.scan_state), &self.snapshot());
        let watch_set = {
            let weak = Arc::downgrade(self);
            move || {
                let open_project = weak.upgrade();
                open_project
                    .map(|open_project| lock(&open_project.scan_state).watch_set.clone())
                    .unwrap_or_default()
            }
        };
        let refresh = {
            let weak: Weak<Self> = Arc::downgrade(self);
            move |mode: WatchMode, cause: RefreshCause| {
                let Some(open_project) = weak.upgrade() else {
                    return RefreshResult::Unchanged;
                };
                let status_changed = open_project.watch_status.set(mode);
                if cause == RefreshCause::Timer && open_project.is_unchanged() {
                    if status_changed {
                        changed();
                    }
                    return RefreshResult::Unchanged;
                }
                // Scripts that a hook names affect trust, not the snapshot. A change of a script is still reported,
                // because views of approvals depend on it.
                let state = match cause {
                    RefreshCause::Event | RefreshCause::Timer => FileState::SettledAfter(debounce, &clock),
                    RefreshCause::Busy => FileState::Changing,
                };
                let content_changed =
                    open_project.refresh_in(state) | compile_patterns(&open_project.snapshot.load(), &trust);
                if content_changed || status_changed {
                    changed();
                }
                if open_project
                    .snapshot
                    .load()
                    .sources
                    .iter()
                    .any(|source| source.held.is_some())
                {
                    RefreshResult::Held
                } else {
                    RefreshResult::Read
                }
            }
        };
        *lock(&self.watch_handle) = Some(watch(watch_hub, debounce, watch_set, refresh));
    }

    /// The current snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// All problems of the current snapshot. If `dialect` is given, only the problems of that dialect.
    #[must_use]
    pub fn problems(&self, dialect: Option<&str>) -> Vec<Problem> {
        self.snapshot().problems(&self.env, dialect)
    }

    /// How file changes are noticed: by events of the system, or by polling and why.
    #[must_use]
    pub fn watch_mode(&self) -> WatchMode {
        self.watch_status.get()
    }

    /// Why changes are not noticed at once; `None` if they are.
    pub async fn not_live_reason(&self) -> Option<Message> {
        self.watch_status.not_live_reason().await
    }

    /// Reads the files again now, as the user has saved them. Returns whether the loaded content or a script that a
    /// project hook names has changed.
    pub fn refresh(&self) -> bool {
        self.refresh_in(FileState::Settled)
    }

    /// Reads the files again after they were written as planned. A root that is as planned is not parsed again.
    pub(crate) fn refresh_to(&self, planned: &Snapshot) -> bool {
        self.refresh_with(FileState::Settled, &planned.sources)
    }

    fn refresh_in(&self, state: FileState<'_>) -> bool {
        self.refresh_with(state, &[])
    }

    /// Reads the files again. `parsed` are roots that were parsed elsewhere, perhaps from what the files contain now.
    fn refresh_with(&self, state: FileState<'_>, parsed: &[LoadedSource]) -> bool {
        let mut scan_state = lock(&self.scan_state);
        let before = self.snapshot.load_full();
        let mut known = Snapshot::clone(&before);
        for source in &mut known.sources {
            let is_same = |it: &&LoadedSource| it.dialect == source.dialect && it.root == source.root;
            if let Some(planned) = parsed.iter().find(is_same) {
                *source = planned.clone();
            }
        }
        let request = LoadRequest {
            env: &self.env,
            project: &self.project,
            shared: &self.shared,
            patterns: &self.patterns,
            scope: self.scope,
            state,
            now: self.clock.now(),
        };
        let next = request.load(Some(&known));
        request.store_seen(&next, Some(&before), &self.clock);
        scan_state.read_count += 1;
        let same = before.sources.len() == next.sources.len()
            && before.sources.iter().zip(&next.sources).all(|(a, b)| {
                a.hash == b.hash
                    && a.root == b.root
                    && has_same_hooks(a, b)
                    && a.held.is_some() == b.held.is_some()
                    && a.last_good == b.last_good
                    && (a.last_good.is_empty() || a.texts == b.texts)
            })
            && before.cross_file_results == next.cross_file_results;
        let scripts_changed = self.update_watch_set(&mut scan_state, &next);
        if !same || before.markers != next.markers {
            self.snapshot.store(Arc::new(next));
        } else if scripts_changed {
            before.lints.clear();
        }
        !same || scripts_changed
    }

    /// Whether the metadata of every file is the same as when all files were read.
    fn is_unchanged(&self) -> bool {
        let scan_state = lock(&self.scan_state);
        scan_state.is_stable && stamps::are_current(&scan_state.stamps)
    }

    /// Whether a program, or a script that was looked at, has changed since the problems of this project were shown.
    /// Only the first call after the change says so.
    pub(crate) fn has_stale_lints(&self) -> bool {
        self.snapshot.load().lints.drop_stale()
    }

    /// Asks the watch to check the files soon. The check runs in the task of the watch.
    pub fn request_refresh(&self) {
        if let Some(watch_handle) = &*lock(&self.watch_handle) {
            watch_handle.request_refresh();
        }
    }

    /// Records that the project is requested now.
    pub(crate) fn mark_used(&self) {
        *lock(&self.last_used) = Instant::now();
    }

    /// When the project was last requested.
    pub(crate) fn last_used(&self) -> Instant {
        *lock(&self.last_used)
    }

    /// How often the files were read again since the project was opened.
    #[must_use]
    pub fn read_count(&self) -> usize {
        lock(&self.scan_state).read_count
    }

    /// The pool of the project's own patterns.
    #[must_use]
    pub fn patterns(&self) -> &PatternPool {
        &self.patterns
    }

    /// Records which paths must be watched, and their metadata. Returns whether the metadata of a file that a project
    /// hook names has changed since the last scan.
    fn update_watch_set(&self, scan_state: &mut ScanState, snapshot: &Snapshot) -> bool {
        let scripts = stamps::for_paths(self.script_paths(snapshot));
        let mut files: Vec<PathBuf> = snapshot
            .sources
            .iter()
            .flat_map(|source| source.input_paths.iter().cloned())
            .collect();
        files.extend(scripts.iter().map(|(path, _)| path.clone()));
        scan_state.watch_set = WatchSet {
            files,
            markers: snapshot.markers.clone(),
            folders: folders_watched_whole(snapshot),
        };
        let watch_set = &scan_state.watch_set;
        let paths = watch_set
            .files
            .iter()
            .chain(&watch_set.markers)
            .chain(&watch_set.folders)
            .cloned();
        // These folders cache the reports of bridges and the failed handshakes of peers. They change what is shown
        // although no hook file changes.
        let cache_folders = ["modules", "greetings"].map(|name| self.env.data_dir.join("cache").join(name));
        // Another program may keep the last valid version of a file.
        let last_good = discovery::last_good_folder(&self.env.data_dir);
        // The installation of a program such as Python makes the hooks of a module valid.
        let path = self.env.var("PATH").unwrap_or_default();
        let now = stamps::for_paths(
            paths
                .chain(cache_folders)
                .chain([last_good])
                .chain(std::env::split_paths(&path)),
        );
        scan_state.is_stable = scan_state.stamps == now;
        scan_state.stamps = now;
        let before = scan_state.scripts.replace(scripts);
        before.is_some_and(|before| scan_state.scripts.as_ref() != Some(&before))
    }

    fn script_paths(&self, snapshot: &Snapshot) -> Vec<PathBuf> {
        let path = self.env.var("PATH").unwrap_or_default();
        let disk = DiskCache::default();
        let machine = Machine {
            home: &self.env.home,
            path: &std::env::split_paths(&path).collect::<Vec<_>>(),
            disk: &disk,
        };
        let mut paths = Vec::new();
        for hook in snapshot.all() {
            let (Some(project), Some(dialect)) = (&hook.source.project, hookwright_dialects::find(hook.dialect)) else {
                continue;
            };
            let names = covered_files::find_covered_files(hook, dialect.card(), machine, project);
            paths.extend(names.files());
            // A command may name a file that does not exist yet. When the file appears, the content that needs approval
            // changes.
            paths.extend(names.absent);
        }
        paths.sort();
        paths.dedup();
        paths
    }
}

/// Compiles the patterns of all hooks that may run (`engine.md` §9). Thus no event has to compile them, and a list of
/// problems includes patterns that are too large. Returns whether this call found such a pattern.
pub fn compile_patterns(snapshot: &Snapshot, trust: &Trust) -> bool {
    let is_raw = |hook: &&Arc<Hook>| hook.invalid.is_none() && hook.when.patterns().any(|(_, it)| it.is_raw());
    let (no_approval_needed, approval_needed): (Vec<_>, Vec<_>) = snapshot
        .all()
        .filter(is_raw)
        .partition(|hook| !Trust::needs_approval(hook));
    let mut may_run = no_approval_needed;
    if !approval_needed.is_empty() && !trust.approvals().hooks.is_empty() {
        let (verdicts, _) = trust.check_gates(|| approval_needed.iter().map(|hook| &***hook), |_| true);
        let approved = approval_needed
            .iter()
            .zip(verdicts)
            .filter(|(_, verdict)| verdict.is_ok());
        may_run.extend(approved.map(|(hook, _)| *hook));
    }
    let patterns = may_run.iter().flat_map(|hook| hook.when.patterns());
    patterns.filter(|(_, pattern)| pattern.compile().is_err()).count() > 0
}

/// Folders in which every new entry matters, whatever its name. These are roots where each folder is a hook, and
/// folders that an approval covers as a whole.
fn folders_watched_whole(snapshot: &Snapshot) -> Vec<PathBuf> {
    let roots = snapshot.sources.iter().map(|source| &source.root);
    let mut folders: Vec<PathBuf> = roots
        .filter(|root| root.reads != RootKind::File)
        .map(|root| root.path.clone())
        .collect();
    for hook in snapshot.all() {
        if let ApprovalScope::Folder(folder) = &hook.approval_scope {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let subfolders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
            folders.extend(subfolders.chain([folder.clone()]));
        }
    }
    folders
}

/// Whether two versions of a source have the same hooks. A module's bridge can report other hooks although no file
/// changed.
fn has_same_hooks(one: &LoadedSource, other: &LoadedSource) -> bool {
    let hooks = |source: &LoadedSource| {
        let ids = source.hooks.iter().map(|hook| (hook.id.clone(), hook.uid.clone()));
        ids.collect::<Vec<_>>()
    };
    hooks(one) == hooks(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host_env::wall_clock;

    fn open_sandbox() -> (tempfile::TempDir, Arc<OpenProject>) {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("project/.jcli")).unwrap();
        std::fs::write(root.join("project/.jcli/hooks.yaml"), "stop:\n  - command: ./a.sh\n").unwrap();
        let open_project = open_again(&root);
        (folder, open_project)
    }

    /// Opens the project of a sandbox as another program would.
    fn open_again(root: &std::path::Path) -> Arc<OpenProject> {
        let vars = [("HOME".into(), root.as_os_str().to_owned())];
        let env = HostEnv::new(vars.into(), root.to_owned(), PathBuf::new()).unwrap();
        let project = root.join("project");
        OpenProject::open(Arc::new(env), wall_clock(), Arc::default(), project, ReadScope::All)
    }

    /// The entries of `last_good/`.
    fn kept_versions(open_project: &OpenProject) -> Vec<PathBuf> {
        let folder = discovery::last_good_folder(&open_project.env.data_dir);
        crate::disk_probe::list_dir(&folder)
    }

    fn labels(open_project: &OpenProject) -> Vec<String> {
        open_project.snapshot().all().map(|hook| hook.label.clone()).collect()
    }

    const BROKEN: &str = "stop: [\n";

    #[test]
    fn another_program_uses_the_last_valid_version_until_the_file_is_valid_again() {
        let (_folder, engine) = open_sandbox();
        let path = engine.project.join(".jcli/hooks.yaml");
        std::fs::write(&path, BROKEN).unwrap();
        engine.refresh();
        let later = open_again(&engine.env.home);
        assert_eq!(labels(&later), ["a.sh"]);
        let versions = |open: &OpenProject| open.snapshot().sources[1].last_good.clone();
        assert_eq!(
            versions(&later),
            versions(&engine),
            "since when, and where the error is"
        );
        assert_eq!(versions(&later)[0].line, Some(1));
        // Another text that does not parse changes neither the version nor its time.
        let since = versions(&later)[0].since;
        std::fs::write(&path, "stop: {\n").unwrap();
        engine.refresh();
        later.refresh();
        assert_eq!((labels(&later), versions(&later)[0].since), (labels(&engine), since));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&kept_versions(&engine)[0])
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::write(&path, "stop:\n  - command: ./b.sh\n").unwrap();
        later.refresh();
        assert_eq!(labels(&later), ["b.sh"]);
        assert_eq!(kept_versions(&later), [""; 0].map(PathBuf::from));
        assert!(versions(&later).is_empty());
    }

    #[test]
    fn an_empty_or_missing_file_ends_its_last_valid_version() {
        let ends: [fn(&std::path::Path); 2] = [
            |path| std::fs::write(path, "\n").unwrap(),
            |path| std::fs::remove_file(path).unwrap(),
        ];
        for end in ends {
            let (_folder, engine) = open_sandbox();
            let path = engine.project.join(".jcli/hooks.yaml");
            std::fs::write(&path, BROKEN).unwrap();
            engine.refresh();
            assert_eq!((labels(&engine).len(), kept_versions(&engine).len()), (1, 1));
            end(&path);
            engine.refresh();
            assert_eq!((labels(&engine).len(), kept_versions(&engine).len()), (0, 0));
        }
    }

    #[test]
    fn a_program_that_knows_no_version_takes_over_what_another_one_keeps() {
        let (_folder, engine) = open_sandbox();
        std::fs::write(engine.project.join(".jcli/hooks.yaml"), BROKEN).unwrap();
        let later = open_again(&engine.env.home);
        assert!(labels(&later).is_empty());
        assert_eq!(later.snapshot().lost_sources().count(), 1);
        engine.refresh();
        assert!(later.refresh());
        assert_eq!(labels(&later), ["a.sh"]);
        assert_eq!(later.snapshot().lost_sources().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_kept_version_that_others_can_write_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, engine) = open_sandbox();
        std::fs::write(engine.project.join(".jcli/hooks.yaml"), BROKEN).unwrap();
        engine.refresh();
        let kept = kept_versions(&engine);
        std::fs::set_permissions(&kept[0], std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(labels(&open_again(&engine.env.home)).is_empty());
    }

    #[test]
    fn no_hook_is_removed_while_its_file_keeps_changing() {
        let (_folder, open_project) = open_sandbox();
        let path = open_project.project.join(".jcli/hooks.yaml");
        let save = |text: &str| std::fs::write(&path, text).unwrap();
        let commands = || {
            let hooks: Vec<Arc<Hook>> = open_project.snapshot().all().cloned().collect();
            hooks.iter().map(|hook| hook.label.clone()).collect::<Vec<_>>()
        };
        let guard = commands();
        // Half-written texts: empty, cut, with a shorter command, and a file that is absent for a moment.
        for half in ["", "stop:\n", "stop:\n  - command: ./a.\n", "other: 1\n"] {
            save(half);
            open_project.refresh_in(FileState::Changing);
            assert_eq!(commands(), guard, "{half:?}");
        }
        std::fs::remove_file(&path).unwrap();
        open_project.refresh_in(FileState::Changing);
        assert_eq!(commands(), guard);
        assert!(
            open_project
                .snapshot()
                .source_rows(None)
                .iter()
                .any(|row| row.last_good)
        );
        // What only adds hooks counts at once.
        save("stop:\n  - command: ./a.sh\n  - command: ./b.sh\n");
        open_project.refresh_in(FileState::Changing);
        assert_eq!(commands().len(), guard.len() + 1);
        assert!(
            !open_project
                .snapshot()
                .source_rows(None)
                .iter()
                .any(|row| row.last_good)
        );
        // The file that is left is what the user meant.
        save("stop: []\n");
        open_project.refresh_in(FileState::Changing);
        assert_eq!(commands().len(), guard.len() + 1);
        open_project.refresh_in(FileState::Settled);
        assert!(commands().is_empty());
    }

    #[test]
    fn a_file_that_was_emptied_just_now_keeps_its_hooks_until_it_has_settled() {
        let quiet = Duration::from_secs(1);
        let (_folder, open_project) = open_sandbox();
        let path = open_project.project.join(".jcli/hooks.yaml");
        let hooks_after = |changed: std::time::SystemTime, age: Duration| {
            let clock = Clock::new(move || jiff::Timestamp::try_from(changed + age).unwrap());
            open_project.refresh_in(FileState::SettledAfter(quiet, &clock));
            let is_held = open_project
                .snapshot()
                .sources
                .iter()
                .any(|source| source.held.is_some());
            (open_project.snapshot().all().count(), is_held)
        };
        let modified = |path: &std::path::Path| path.metadata().unwrap().modified().unwrap();
        std::fs::write(&path, "").unwrap();
        assert_eq!(hooks_after(modified(&path), Duration::from_millis(3)), (1, true));
        assert_eq!(hooks_after(modified(&path), quiet), (0, false));
        std::fs::write(&path, "stop:\n  - command: ./a.sh\n").unwrap();
        assert_eq!(
            hooks_after(modified(&path), Duration::ZERO),
            (1, false),
            "nothing is removed"
        );
        // An editor that moves the old file away before it writes the new one.
        std::fs::remove_file(&path).unwrap();
        let folder = path.parent().unwrap();
        assert_eq!(hooks_after(modified(folder), Duration::from_millis(3)), (1, true));
        assert_eq!(hooks_after(modified(folder), quiet), (0, false));
    }

    #[test]
    fn a_file_with_a_time_in_the_future_counts_as_settled() {
        let (_folder, open_project) = open_sandbox();
        let path = open_project.project.join(".jcli/hooks.yaml");
        std::fs::write(&path, "").unwrap();
        let clock = Clock::new(|| jiff::Timestamp::UNIX_EPOCH);
        open_project.refresh_in(FileState::SettledAfter(Duration::from_secs(1), &clock));
        assert_eq!(open_project.snapshot().all().count(), 0);
    }

    #[test]
    fn unchanged_file_metadata_skips_the_read() {
        let (_folder, open_project) = open_sandbox();
        assert!(
            !open_project.is_unchanged(),
            "what was read once may have changed while it was read"
        );
        open_project.refresh();
        open_project.refresh();
        assert!(open_project.is_unchanged() && open_project.is_unchanged());
        assert_eq!(open_project.read_count(), 2);
    }

    #[test]
    fn any_change_of_metadata_causes_a_read() {
        type Change = fn(&std::path::Path);
        let changes: [Change; 4] = [
            |project| std::fs::write(project.join(".jcli/hooks.yaml"), "stop:\n  - command: ./b.sh\n").unwrap(),
            |project| std::fs::write(project.join("a.sh"), "#!/bin/sh\n").unwrap(),
            |project| std::fs::create_dir_all(project.join(".agents/hooks")).unwrap(),
            |project| std::fs::rename(project.join(".jcli"), project.join("away")).unwrap(),
        ];
        for (number, change) in changes.iter().enumerate() {
            let (_folder, open_project) = open_sandbox();
            open_project.refresh();
            open_project.refresh();
            change(&open_project.project);
            assert!(!open_project.is_unchanged(), "change {number}");
        }
    }
}
