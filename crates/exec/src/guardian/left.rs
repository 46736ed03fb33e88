//! Linux: what engines left running that were killed together with their guards. The next start ends it.
//!
//! Process groups may be somebody else's by now: only what carries the mark of such a run is ended.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::table::{self, NEW_PREFIX, PREFIX, Running};

/// It is looked for so long.
const WITHIN: Duration = Duration::from_secs(2);

/// So many tables are held open at a time, and so many engines waited for.
const AT_ONCE: usize = 16;

/// Ends what the tables of dead engines name. Blocks for a moment when there is any.
pub(super) fn end_left(folder: &Path) {
    let mut some = Vec::new();
    for left in tables(folder).filter_map(Left::take) {
        if left.running().is_empty() {
            left.done();
            continue;
        }
        some.push(left);
        if some.len() == AT_ONCE {
            end(std::mem::take(&mut some));
        }
    }
    end(some);
}

/// Does the same for engines that hold their tables yet, as soon as they are gone: one that is being killed at this moment
/// may have no guards any more. For a program that stays.
pub(super) fn end_when_left(folder: &Path, own: Option<&Path>) {
    let others = tables(folder).filter(|path| Some(path.as_path()) != own);
    for path in others.take(AT_ONCE) {
        let wait = move || end(Left::wait(path).into_iter().collect());
        // Without it the next start finds out.
        drop(std::thread::Builder::new().name("left".to_owned()).spawn(wait));
    }
}

fn end(some: Vec<Left>) {
    let runs: BTreeSet<String> = some.iter().flat_map(|left| left.running().into_keys()).collect();
    if !runs.is_empty() {
        tracing::warn!(
            runs = runs.len(),
            "ending hooks of an engine that was killed with its guards"
        );
        crate::sweep::kill_marked(
            |run| std::str::from_utf8(run).is_ok_and(|run| runs.contains(run)),
            WITHIN,
        );
    }
    some.into_iter().for_each(Left::done);
}

/// Also those that are not ready yet: who died before that left them, too.
fn tables(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(PREFIX) || name.starts_with(NEW_PREFIX))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_ours)
}

/// A table that no engine holds any more.
#[derive(Debug)]
struct Left {
    file: File,
    path: PathBuf,
}

impl Left {
    /// None where its engine lives, and sees to it.
    fn take(path: PathBuf) -> Option<Self> {
        let left = Self::open(path)?;
        left.file.try_lock().ok().map(|()| left)
    }

    fn wait(path: PathBuf) -> Option<Self> {
        let left = Self::open(path)?;
        left.file.lock().ok().map(|()| left)
    }

    fn open(path: PathBuf) -> Option<Self> {
        let is_plain = path.symlink_metadata().is_ok_and(|found| found.is_file());
        let mut options = OpenOptions::new();
        let file = is_plain
            .then(|| options.read(true).write(true).open(&path).ok())
            .flatten()?;
        Some(Self { file, path })
    }

    fn running(&self) -> Running {
        table::read(self.file.as_fd())
    }

    /// Nothing of it runs any more. Where it cannot be removed, it says so itself.
    fn done(self) {
        if std::fs::remove_file(&self.path).is_err() {
            drop(self.file.set_len(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::*;

    fn left_in(folder: &Path) -> Vec<Left> {
        tables(folder).filter_map(Left::take).collect()
    }

    fn dead(folder: &Path, runs: &[&str]) {
        let mut table = Table::create(folder).unwrap();
        runs.iter().for_each(|run| table.expect(run).unwrap());
    }

    fn count(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_table_is_left_when_its_engine_is_gone_though_a_guard_is_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = Table::create(folder.path()).unwrap();
        table.expect("A").unwrap();
        let guard = table.share().unwrap();
        assert!(left_in(folder.path()).is_empty(), "its engine lives");
        assert_eq!(table::read(guard.as_fd()).into_keys().collect::<Vec<_>>(), ["A"]);
        drop(table);
        let left = left_in(folder.path()).pop().unwrap();
        assert_eq!(left.running().into_keys().collect::<Vec<_>>(), ["A"]);
        assert!(left_in(folder.path()).is_empty(), "somebody sees to it already");
        left.done();
        assert_eq!(count(folder.path()), 0);
    }

    #[test]
    fn many_tables_are_cleared_away_also_those_that_never_became_ready() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..3 * AT_ONCE {
            dead(folder.path(), &[]);
            dead(folder.path(), &[&format!("nobody-{number}")]);
        }
        std::fs::write(folder.path().join(format!("{NEW_PREFIX}0")), "").unwrap();
        let living = Table::create(folder.path()).unwrap();
        end_left(folder.path());
        assert_eq!(count(folder.path()), 1);
        assert!(living.path().unwrap().exists());
    }

    #[test]
    fn a_table_that_cannot_be_removed_says_nothing_any_more() {
        let folder = tempfile::tempdir().unwrap();
        dead(folder.path(), &["A"]);
        let left = left_in(folder.path()).pop().unwrap();
        let unremovable = Left {
            file: left.file.try_clone().unwrap(),
            path: folder.path().join("no").join("such"),
        };
        unremovable.done();
        assert!(left.path.exists());
        assert_eq!(left.running(), Running::new());
    }

    #[test]
    fn who_still_holds_its_table_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let dying = Table::create(folder.path()).unwrap();
        let path = dying.path().unwrap().to_owned();
        let waiting = std::thread::spawn(move || Left::wait(path).map(Left::done));
        drop(dying);
        assert_eq!(waiting.join().unwrap(), Some(()));
        assert_eq!(count(folder.path()), 0);
    }
}
