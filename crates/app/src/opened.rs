//! The projects that are open: each is read and watched once somebody asks for it, and let go when nobody has for a while.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast;

use crate::desk::Desk;
use crate::pushes::Push;

/// So many projects are open at once; of more, those that nobody asked for the longest are let go.
pub const MOST_OPEN: usize = 32;
/// A project is let go when nobody asked for it for this long.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// While somebody listens to pushes, so many stay open all the same: a window shows one of them.
const SHOWN: usize = 4;
/// How often it is looked whether one can be let go.
const EVERY: Duration = Duration::from_secs(60);

/// The projects that are open, by their directory.
#[derive(Debug, Default)]
pub(crate) struct Opened(Mutex<HashMap<PathBuf, Arc<Desk>>>);

impl Opened {
    /// The project, if it is open.
    pub(crate) fn get(&self, project: &Path) -> Option<Arc<Desk>> {
        let desk = self.lock().get(project).cloned()?;
        desk.use_now();
        Some(desk)
    }

    /// Takes a project in, unless somebody else opened it since: then that one, which is not new.
    pub(crate) fn take(&self, desk: Arc<Desk>) -> (Arc<Desk>, bool) {
        let mut open = self.lock();
        if let Some(known) = open.get(&desk.project) {
            return (known.clone(), false);
        }
        open.insert(desk.project.clone(), desk.clone());
        let gone = let_go(&mut open, MOST_OPEN, Duration::ZERO);
        drop(open);
        // Their watches end here, while nobody waits for the list.
        drop(gone);
        (desk, true)
    }

    pub(crate) fn remove(&self, project: &Path) {
        let gone = self.lock().remove(project);
        drop(gone);
    }

    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.lock());
        drop(gone);
    }

    pub(crate) fn all(&self) -> Vec<Arc<Desk>> {
        self.lock().values().cloned().collect()
    }

    /// Lets projects go, as long as the app lives.
    pub(crate) fn tend(self: &Arc<Self>, pushes: &broadcast::Sender<Push>) {
        let (open, pushes) = (Arc::downgrade(self), pushes.downgrade());
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                let (Some(open), Some(pushes)) = (open.upgrade(), pushes.upgrade()) else {
                    return;
                };
                let shown = if pushes.receiver_count() > 0 { SHOWN } else { 0 };
                let gone = let_go(&mut open.lock(), shown, IDLE);
                drop(gone);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Desk>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes out the projects beyond the `keep` latest ones that nobody asked for in `idle`. One that somebody holds stays.
fn let_go(open: &mut HashMap<PathBuf, Arc<Desk>>, keep: usize, idle: Duration) -> Vec<Arc<Desk>> {
    let mut by_use: Vec<(tokio::time::Instant, PathBuf)> =
        open.iter().map(|(path, desk)| (desk.used(), path.clone())).collect();
    by_use.sort_by(|one, other| other.cmp(one));
    let old = by_use.into_iter().skip(keep).filter(|(used, _)| used.elapsed() >= idle);
    let mut gone = Vec::new();
    for (_, path) in old {
        if open.get(&path).is_some_and(|desk| Arc::strong_count(desk) == 1) {
            gone.extend(open.remove(&path));
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Shared;
    use crate::surroundings::Surroundings;

    fn desk(root: &Path, name: &str) -> Arc<Desk> {
        let vars = [("HOME".into(), root.as_os_str().to_owned())];
        let around = Surroundings::new(vars.into(), root.to_owned(), PathBuf::new()).unwrap();
        Desk::open(Arc::new(around), Arc::new(Shared::default()), root.join(name), None)
    }

    #[test]
    fn of_too_many_projects_those_that_were_asked_for_last_stay_and_those_that_are_held() {
        let root = tempfile::tempdir().unwrap();
        let open = Opened::default();
        let held = open.take(desk(root.path(), "held")).0;
        for number in 0..MOST_OPEN * 2 {
            assert!(open.take(desk(root.path(), &number.to_string())).1);
        }
        assert!(open.all().len() <= MOST_OPEN + 1);
        assert!(
            open.get(&root.path().join("held"))
                .is_some_and(|desk| Arc::ptr_eq(&desk, &held))
        );
        assert!(open.get(&root.path().join("0")).is_none());
        assert!(open.get(&root.path().join((MOST_OPEN * 2 - 1).to_string())).is_some());
    }

    #[test]
    fn a_project_that_nobody_asked_for_is_let_go_and_the_latest_stay_while_somebody_looks() {
        let root = tempfile::tempdir().unwrap();
        let names = ["a", "b", "c"];
        let opened = || -> HashMap<PathBuf, Arc<Desk>> {
            names
                .iter()
                .map(|name| (root.path().join(name), desk(root.path(), name)))
                .collect()
        };
        let mut open = opened();
        assert_eq!(let_go(&mut open, 0, IDLE).len(), 0, "nobody waited that long");
        assert_eq!(let_go(&mut open, 2, Duration::ZERO).len(), 1);
        assert_eq!(let_go(&mut open, 0, Duration::ZERO).len(), 2);
        assert!(open.is_empty());
    }
}
