//! Linux: the runs of engines that were killed together with their guardians. The next start kills them.
//!
//! A process group number can belong to another group by now. So only a process with the `HOOKWRIGHT_RUN` of such a run
//! is killed.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::run_registry::{self, FILE_PREFIX, NEW_FILE_PREFIX, RunGroups};

/// Time limit of the search for processes.
const SCAN_TIMEOUT: Duration = Duration::from_secs(2);

/// Most registries that are open at a time, and most engines that are waited for.
const MAX_OPEN_REGISTRIES: usize = 16;

/// Kills the runs in the registries of dead engines. Blocks for a moment if there are any.
pub(super) fn kill_orphaned_runs(folder: &Path) {
    let mut orphans = Vec::new();
    for orphan in registry_files(folder).filter_map(OrphanedRegistry::try_lock) {
        if orphan.run_groups().is_empty() {
            orphan.remove();
            continue;
        }
        orphans.push(orphan);
        if orphans.len() == MAX_OPEN_REGISTRIES {
            kill_runs(std::mem::take(&mut orphans));
        }
    }
    kill_runs(orphans);
}

/// Kills the runs of engines that still lock their registries, as soon as these engines have exited. An engine that is
/// being killed right now may have no guardians any more. This is for programs that serve.
pub(super) fn kill_orphaned_runs_later(folder: &Path, own: Option<&Path>) {
    let others = registry_files(folder).filter(|path| Some(path.as_path()) != own);
    for path in others.take(MAX_OPEN_REGISTRIES) {
        let wait = move || kill_runs(OrphanedRegistry::lock(path).into_iter().collect());
        // If the thread cannot be started, the next start kills the runs.
        drop(std::thread::Builder::new().name("left".to_owned()).spawn(wait));
    }
}

fn kill_runs(orphans: Vec<OrphanedRegistry>) {
    let runs: BTreeSet<String> = orphans
        .iter()
        .flat_map(|orphan| orphan.run_groups().into_keys())
        .collect();
    if !runs.is_empty() {
        tracing::warn!(
            runs = runs.len(),
            "ending hooks of an engine that was killed with its guards"
        );
        crate::orphans::kill_by_run_id(
            |run| std::str::from_utf8(run).is_ok_and(|run| runs.contains(run)),
            SCAN_TIMEOUT,
        );
    }
    orphans.into_iter().for_each(OrphanedRegistry::remove);
}

/// The registry files of the folder, also unfinished ones. An engine that is killed while it creates its registry
/// leaves one.
fn registry_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(FILE_PREFIX) || name.starts_with(NEW_FILE_PREFIX))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_ours)
}

/// A registry whose engine has ended.
#[derive(Debug)]
struct OrphanedRegistry {
    file: File,
    path: PathBuf,
}

impl OrphanedRegistry {
    /// Locks the registry. `None` if its engine still runs, or if another process already handles the file.
    fn try_lock(path: PathBuf) -> Option<Self> {
        let orphan = Self::open(path)?;
        orphan.file.try_lock().ok().map(|()| orphan)
    }

    fn lock(path: PathBuf) -> Option<Self> {
        let orphan = Self::open(path)?;
        orphan.file.lock().ok().map(|()| orphan)
    }

    #[expect(clippy::disallowed_methods, reason = "run registries are files of this crate")]
    fn open(path: PathBuf) -> Option<Self> {
        let is_plain = path.symlink_metadata().is_ok_and(|found| found.is_file());
        let mut options = OpenOptions::new();
        let file = is_plain
            .then(|| options.read(true).write(true).open(&path).ok())
            .flatten()?;
        Some(Self { file, path })
    }

    fn run_groups(&self) -> RunGroups {
        run_registry::read_groups(self.file.as_fd())
    }

    /// Removes the file, because no run in it is left. A file that cannot be removed is emptied.
    fn remove(self) {
        if std::fs::remove_file(&self.path).is_err() {
            drop(self.file.set_len(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::run_registry::RunRegistry;
    use super::*;

    fn orphans_in(folder: &Path) -> Vec<OrphanedRegistry> {
        registry_files(folder).filter_map(OrphanedRegistry::try_lock).collect()
    }

    fn create_orphan(folder: &Path, runs: &[&str]) {
        let mut registry = RunRegistry::create(folder).unwrap();
        runs.iter().for_each(|run| registry.register(run).unwrap());
    }

    fn count(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_registry_is_orphaned_when_only_its_guardian_still_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut registry = RunRegistry::create(folder.path()).unwrap();
        registry.register("A").unwrap();
        let guard = registry.open_for_guardian().unwrap();
        assert!(orphans_in(folder.path()).is_empty(), "its engine lives");
        assert_eq!(
            run_registry::read_groups(guard.as_fd()).into_keys().collect::<Vec<_>>(),
            ["A"]
        );
        drop(registry);
        let orphan = orphans_in(folder.path()).pop().unwrap();
        assert_eq!(orphan.run_groups().into_keys().collect::<Vec<_>>(), ["A"]);
        assert!(orphans_in(folder.path()).is_empty(), "somebody sees to it already");
        orphan.remove();
        assert_eq!(count(folder.path()), 0);
    }

    #[test]
    fn orphaned_and_unfinished_registries_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..3 * MAX_OPEN_REGISTRIES {
            create_orphan(folder.path(), &[]);
            create_orphan(folder.path(), &[&format!("nobody-{number}")]);
        }
        std::fs::write(folder.path().join(format!("{NEW_FILE_PREFIX}0")), "").unwrap();
        let active = RunRegistry::create(folder.path()).unwrap();
        kill_orphaned_runs(folder.path());
        assert_eq!(count(folder.path()), 1);
        assert!(active.path().unwrap().exists());
    }

    #[test]
    fn a_registry_that_cannot_be_removed_is_emptied() {
        let folder = tempfile::tempdir().unwrap();
        create_orphan(folder.path(), &["A"]);
        let orphan = orphans_in(folder.path()).pop().unwrap();
        let unremovable = OrphanedRegistry {
            file: orphan.file.try_clone().unwrap(),
            path: folder.path().join("no").join("such"),
        };
        unremovable.remove();
        assert!(orphan.path.exists());
        assert_eq!(orphan.run_groups(), RunGroups::new());
    }

    #[test]
    fn an_engine_that_still_holds_its_registry_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let dying = RunRegistry::create(folder.path()).unwrap();
        let path = dying.path().unwrap().to_owned();
        let waiting = std::thread::spawn(move || OrphanedRegistry::lock(path).map(OrphanedRegistry::remove));
        drop(dying);
        assert_eq!(waiting.join().unwrap(), Some(()));
        assert_eq!(count(folder.path()), 0);
    }
}
