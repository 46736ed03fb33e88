//! The only file watcher of a process. Every watch subscribes to it.
//!
//! The system allows only few watchers, so all projects share one. Folders are watched without their subfolders. A
//! folder above a root may change often for other reasons. So an event is passed on only if its path can change what a
//! watch reads. An event only means that the files must be checked again.

mod watch_paths;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookwright_model::{Message, render};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::{POLL_INTERVAL, WatchMode};
use watch_paths::WatchPaths;

hookwright_model::messages! {
    /// The system cannot watch a folder, for the reason that it reports.
    NOT_LIVE = "not_live" { "file watching is not available ({why}); files are checked every {seconds} s", "无法监视文件（{why}）；每 {seconds} 秒检查一次" };
    /// The limit of watched folders of the system is reached.
    TOO_MANY = "not_live" / "too_many" { "too many folders are watched on this system; files are checked every {seconds} s", "此系统监视的文件夹过多；每 {seconds} 秒检查一次文件" } hint { "raise `fs.inotify.max_user_watches`", "调高 `fs.inotify.max_user_watches`" };
}

const CLOSED_AFTER_WRITE: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));

/// The paths whose changes a watch must receive.
#[derive(Debug, Clone, Default)]
pub struct WatchSet {
    /// Files that are read. If they cannot be watched, the reason is reported.
    pub files: Vec<PathBuf>,
    /// Paths whose existence decides which files are read. They are watched if the system allows it; a failure is not
    /// reported.
    pub markers: Vec<PathBuf>,
    /// Folders in which every entry counts, whatever its name. If they cannot be watched, the reason is reported.
    pub folders: Vec<PathBuf>,
}

/// The file watcher of the process, and its subscriptions.
pub struct WatchHub {
    os_watcher: Mutex<OsWatcher>,
    listeners: Listeners,
    next: AtomicU64,
}

type Listeners = Arc<Mutex<BTreeMap<u64, Listener>>>;

struct Listener {
    /// Paths whose change counts, including every folder above them.
    paths: BTreeSet<PathBuf>,
    /// Folders in which the change of any entry counts.
    whole_folders: BTreeSet<PathBuf>,
    sender: mpsc::Sender<()>,
}

impl Listener {
    fn is_relevant(&self, path: &Path) -> bool {
        self.paths.contains(path) || path.parent().is_some_and(|folder| self.whole_folders.contains(folder))
    }
}

#[derive(Default)]
struct OsWatcher {
    watcher: Option<RecommendedWatcher>,
    /// The watched folders, with the identity that each had when it was watched last.
    folders: BTreeMap<PathBuf, Option<DirIdentity>>,
    /// The folders that each listener needs, by subscription id.
    wanted_by: BTreeMap<u64, BTreeSet<PathBuf>>,
}

/// Device and inode. They distinguish a folder from another one with the same name.
type DirIdentity = (u64, u64);

/// The watcher of macOS restarts at every call and misses events meanwhile. Elsewhere another call is cheap. It repairs
/// the watch of a folder that was moved, or removed and created again.
const WATCHER_RESTARTS: bool = cfg!(target_os = "macos");

/// Whether a folder must be watched again. `known` is its identity when it was watched last, `now` is its identity now.
fn needs_watch(known: Option<Option<DirIdentity>>, now: Option<DirIdentity>, restarts: bool) -> bool {
    !restarts || now.is_none() || known != Some(now)
}

/// The result of watching a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchChange {
    Unchanged,
    Started,
}

/// The subscription of one listener. It ends when it is dropped.
pub struct Subscription {
    hub: Arc<WatchHub>,
    id: u64,
}

/// The result of [`Subscription::watch`].
pub struct SubscribeResult {
    /// Whether changes are reported at once.
    pub mode: WatchMode,
    /// Whether there are new paths. Changes of them before now had no event.
    pub has_new_paths: bool,
}

impl std::fmt::Debug for WatchHub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ears").finish_non_exhaustive()
    }
}

impl Default for WatchHub {
    fn default() -> Self {
        Self {
            os_watcher: Mutex::default(),
            listeners: Arc::default(),
            next: AtomicU64::new(0),
        }
    }
}

impl WatchHub {
    /// Adds a listener. It receives its events through `sender`, and none before its first [`Subscription::watch`].
    #[must_use]
    pub fn subscribe(self: &Arc<Self>, sender: mpsc::Sender<()>) -> Subscription {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (paths, whole_folders) = (BTreeSet::new(), BTreeSet::new());
        lock(&self.listeners).insert(
            id,
            Listener {
                paths,
                whole_folders,
                sender,
            },
        );
        Subscription { hub: self.clone(), id }
    }

    /// Sends an event to every listener that needs one of these folders.
    fn notify(&self, os_watcher: &OsWatcher, folders: &BTreeSet<PathBuf>) {
        if folders.is_empty() {
            return;
        }
        let listeners = lock(&self.listeners);
        for (id, wanted) in &os_watcher.wanted_by {
            if let Some(listener) = listeners.get(id).filter(|_| !wanted.is_disjoint(folders)) {
                // If the channel is full, the listener has an event already.
                let _told = listener.sender.try_send(());
            }
        }
    }
}

impl Subscription {
    /// Replaces the paths of this subscription. The nearest existing folder of each path is watched. So are the folders
    /// where a link or a folder above could lead the path elsewhere.
    pub fn watch(&self, watch_set: &WatchSet) -> SubscribeResult {
        let watch_paths = WatchPaths::new(watch_set);
        let mut result = SubscribeResult {
            mode: WatchMode::Events,
            has_new_paths: false,
        };
        if let Some(listener) = lock(&self.hub.listeners).get_mut(&self.id) {
            result.has_new_paths = !watch_paths.paths.is_subset(&listener.paths)
                || !watch_paths.whole_folders.is_subset(&listener.whole_folders);
            listener.paths = watch_paths.paths;
            listener.whole_folders = watch_paths.whole_folders;
        }
        let mut os_watcher = lock(&self.hub.os_watcher);
        let before = os_watcher
            .wanted_by
            .insert(self.id, &watch_paths.required | &watch_paths.optional)
            .unwrap_or_default();
        if let Err(why) = os_watcher.ensure_started(&self.hub.listeners) {
            result.mode = WatchMode::Polling(why);
            return result;
        }
        let mut rewatched = os_watcher.release_unused();
        for folder in &watch_paths.required {
            match os_watcher.watch(folder, &mut rewatched) {
                Ok(change) => result.has_new_paths |= change == WatchChange::Started || !before.contains(folder),
                // The folder vanished just now. The next check finds the nearest existing folder above it.
                Err(_) if !folder.is_dir() => result.has_new_paths = true,
                Err(why) => result.mode = WatchMode::Polling(why),
            }
        }
        for folder in &watch_paths.optional {
            // Hookwright may have no access to a folder above. The regular check finds changes there.
            if let Ok(change) = os_watcher.watch(folder, &mut rewatched) {
                result.has_new_paths |= change == WatchChange::Started || !before.contains(folder);
            }
        }
        self.hub.notify(&os_watcher, &rewatched);
        result
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        lock(&self.hub.listeners).remove(&self.id);
        let mut os_watcher = lock(&self.hub.os_watcher);
        os_watcher.wanted_by.remove(&self.id);
        let rewatched = os_watcher.release_unused();
        self.hub.notify(&os_watcher, &rewatched);
    }
}

impl OsWatcher {
    /// Starts the watcher. While there is none, each call tries again, because a limit of the system may have been
    /// raised.
    fn ensure_started(&mut self, listeners: &Listeners) -> Result<(), Message> {
        if self.watcher.is_none() {
            let listeners = listeners.clone();
            let receive = move |event: notify::Result<notify::Event>| receive(&listeners, event);
            self.watcher = Some(notify::recommended_watcher(receive).map_err(|error| failure_message(&error))?);
            self.folders.clear();
        }
        Ok(())
    }

    fn watch(&mut self, folder: &Path, rewatched: &mut BTreeSet<PathBuf>) -> Result<WatchChange, Message> {
        // The identity is read before the folder is watched. If another folder replaces it in between, the next call
        // notices that.
        let dir_identity = dir_identity(folder);
        let known = self.folders.get(folder).copied();
        if known.is_some_and(|known| known != dir_identity) {
            // Another folder has this name now. The former folder may still exist under another name.
            rewatched.extend(self.unwatch(folder));
        }
        let Some(watcher) = &mut self.watcher else {
            return Ok(WatchChange::Unchanged);
        };
        if !needs_watch(known, dir_identity, WATCHER_RESTARTS) {
            return Ok(WatchChange::Unchanged);
        }
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.folders.insert(folder.to_owned(), dir_identity);
                Ok(if known == Some(dir_identity) {
                    WatchChange::Unchanged
                } else {
                    WatchChange::Started
                })
            }
            Err(error) => {
                self.folders.remove(folder);
                Err(failure_message(&error))
            }
        }
    }

    /// Stops watching folders that no listener needs. Returns the folders that had to be watched again.
    fn release_unused(&mut self) -> BTreeSet<PathBuf> {
        let wanted: BTreeSet<&PathBuf> = self.wanted_by.values().flatten().collect();
        let folders = self.folders.keys();
        let unused: Vec<PathBuf> = folders.filter(|folder| !wanted.contains(folder)).cloned().collect();
        unused.iter().flat_map(|folder| self.unwatch(folder)).collect()
    }

    /// Stops watching a folder. Returns its other names, which had to be watched again, because all names of a folder
    /// share one watch. A moved folder has two names until every watch has checked its files.
    fn unwatch(&mut self, folder: &Path) -> Vec<PathBuf> {
        let Some(watcher) = &mut self.watcher else {
            return Vec::new();
        };
        let dir_identity = self.folders.remove(folder).flatten();
        // The watch of a removed folder ended with it, so a failure here is not an error.
        drop(watcher.unwatch(folder));
        let same_folder = self
            .folders
            .iter()
            .filter(|(_, other)| dir_identity.is_some() && **other == dir_identity);
        let same_folder: Vec<PathBuf> = same_folder.map(|(name, _)| name.clone()).collect();
        for name in &same_folder {
            // A failure is ignored: the listeners of this folder get an event, and their check finds that it is
            // missing.
            drop(watcher.watch(name, RecursiveMode::NonRecursive));
        }
        same_folder
    }
}

/// Sends an event to the listeners that it concerns. It runs on the watcher's own thread and never waits.
fn receive(listeners: &Listeners, event: notify::Result<notify::Event>) {
    let concerns = |listener: &Listener| match &event {
        // Reading a file is not a change. Closing a written file is: a write through mapped memory has no other event.
        Ok(event) if event.kind.is_access() && event.kind != CLOSED_AFTER_WRITE => false,
        Ok(event) if event.need_rescan() || event.paths.is_empty() => true,
        Ok(event) => event.paths.iter().any(|path| listener.is_relevant(path)),
        // After an error the files must be checked again too.
        Err(_) => true,
    };
    for listener in lock(listeners).values() {
        if concerns(listener) {
            // If the channel is full, the listener has an event already.
            let _told = listener.sender.try_send(());
        }
    }
}

fn failure_message(error: &notify::Error) -> Message {
    let seconds = POLL_INTERVAL.as_secs();
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => render!(TOO_MANY, "seconds" => seconds),
        notify::ErrorKind::Io(error) => render!(NOT_LIVE, "seconds" => seconds, "why" => error.to_string()),
        notify::ErrorKind::Generic(_)
        | notify::ErrorKind::PathNotFound
        | notify::ErrorKind::WatchNotFound
        | notify::ErrorKind::InvalidConfig(_) => {
            render!(NOT_LIVE, "seconds" => seconds, "why" => error.to_string())
        }
    }
}

#[cfg(unix)]
fn dir_identity(folder: &Path) -> Option<DirIdentity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn dir_identity(_: &Path) -> Option<DirIdentity> {
    None
}

/// Locks the mutex, even after a panic. A thread that panicked left no inconsistent state.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
