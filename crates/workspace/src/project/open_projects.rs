//! The open projects. A project is read and watched from its first request on, and released after a time without
//! requests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::OpenProject;
use crate::listener::Listener;
use crate::lock::lock;

/// Maximum number of open projects. Above it, the projects with the oldest requests are released.
pub const MAX_OPEN_PROJECTS: usize = 32;
/// A project is released when it was not requested for this long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// This many idle projects stay open while a client receives pushes, because a window shows one of them.
const MAX_SHOWN: usize = 4;
/// How often idle projects are released.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The open projects, by their directory.
#[derive(Debug, Default)]
pub struct OpenProjects(Mutex<HashMap<PathBuf, Arc<OpenProject>>>);

impl OpenProjects {
    /// Returns the project if it is open, and records the request.
    pub(crate) fn get(&self, project: &Path) -> Option<Arc<OpenProject>> {
        let open_project = self.lock().get(project).cloned()?;
        open_project.mark_used();
        Some(open_project)
    }

    /// Adds a project and returns it with `true`. If another task has opened it already, returns that one with `false`.
    pub(crate) fn insert(&self, open_project: Arc<OpenProject>) -> (Arc<OpenProject>, bool) {
        let mut open = self.lock();
        if let Some(known) = open.get(&open_project.project) {
            return (known.clone(), false);
        }
        open.insert(open_project.project.clone(), open_project.clone());
        let closed = release_idle(&mut open, MAX_OPEN_PROJECTS, Duration::ZERO);
        drop(open);
        // The watches of the released projects end here, after the lock of the list is released.
        drop(closed);
        (open_project, true)
    }

    pub(crate) fn remove(&self, project: &Path) {
        let closed = self.lock().remove(project);
        drop(closed);
    }

    pub(crate) fn clear(&self) {
        let closed = std::mem::take(&mut *self.lock());
        drop(closed);
    }

    pub(crate) fn all(&self) -> Vec<Arc<OpenProject>> {
        self.lock().values().cloned().collect()
    }

    /// Starts a task that releases idle projects until the workspace is dropped.
    pub(crate) fn start_idle_release(self: &Arc<Self>, listener: &Arc<dyn Listener>) {
        let (open, listener) = (Arc::downgrade(self), Arc::downgrade(listener));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(CHECK_INTERVAL).await;
                let (Some(open), Some(listener)) = (open.upgrade(), listener.upgrade()) else {
                    return;
                };
                let shown = if listener.has_viewers() { MAX_SHOWN } else { 0 };
                let closed = release_idle(&mut open.lock(), shown, IDLE_TIMEOUT);
                drop(closed);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<OpenProject>>> {
        lock(&self.0)
    }
}

/// Removes and returns the projects that were not requested for `idle`. The `keep_latest` most recently requested ones
/// stay, and every project that is still in use.
fn release_idle(
    open: &mut HashMap<PathBuf, Arc<OpenProject>>,
    keep_latest: usize,
    idle: Duration,
) -> Vec<Arc<OpenProject>> {
    let mut by_use: Vec<(tokio::time::Instant, PathBuf)> = open
        .iter()
        .map(|(path, open_project)| (open_project.last_used(), path.clone()))
        .collect();
    by_use.sort_by(|one, other| other.cmp(one));
    let old = by_use
        .into_iter()
        .skip(keep_latest)
        .filter(|(used, _)| used.elapsed() >= idle);
    let mut closed = Vec::new();
    for (_, path) in old {
        if open
            .get(&path)
            .is_some_and(|open_project| Arc::strong_count(open_project) == 1)
        {
            closed.extend(open.remove(&path));
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::SharedSources;
    use crate::host_env::{HostEnv, wall_clock};
    use crate::snapshot::ReadScope;

    fn open_project(root: &Path, name: &str) -> Arc<OpenProject> {
        let vars = [("HOME".into(), root.as_os_str().to_owned())];
        let env = HostEnv::new(vars.into(), root.to_owned(), PathBuf::new()).unwrap();
        OpenProject::open(
            Arc::new(env),
            wall_clock(),
            Arc::new(SharedSources::default()),
            root.join(name),
            ReadScope::All,
        )
    }

    #[test]
    fn of_too_many_projects_the_latest_and_those_in_use_stay() {
        let root = tempfile::tempdir().unwrap();
        let open = OpenProjects::default();
        let in_use = open.insert(open_project(root.path(), "held")).0;
        for number in 0..MAX_OPEN_PROJECTS * 2 {
            assert!(open.insert(open_project(root.path(), &number.to_string())).1);
        }
        assert!(open.all().len() <= MAX_OPEN_PROJECTS + 1);
        assert!(
            open.get(&root.path().join("held"))
                .is_some_and(|open_project| Arc::ptr_eq(&open_project, &in_use))
        );
        assert!(open.get(&root.path().join("0")).is_none());
        assert!(
            open.get(&root.path().join((MAX_OPEN_PROJECTS * 2 - 1).to_string()))
                .is_some()
        );
    }

    #[test]
    fn an_idle_project_is_released_and_the_latest_stay() {
        let root = tempfile::tempdir().unwrap();
        let names = ["a", "b", "c"];
        let opened = || -> HashMap<PathBuf, Arc<OpenProject>> {
            names
                .iter()
                .map(|name| (root.path().join(name), open_project(root.path(), name)))
                .collect()
        };
        let mut open = opened();
        assert_eq!(
            release_idle(&mut open, 0, IDLE_TIMEOUT).len(),
            0,
            "nobody waited that long"
        );
        assert_eq!(release_idle(&mut open, 2, Duration::ZERO).len(), 1);
        assert_eq!(release_idle(&mut open, 0, Duration::ZERO).len(), 2);
        assert!(open.is_empty());
    }
}
