//! The one watcher of a process: every watch listens through it.
//!
//! The system hands out few watchers, so all projects share one. Folders are watched without their subfolders, and
//! events are let through only where they can change what a watch looks at: a folder above a place may be busy with
//! other things. An event says no more than "look again".

mod watch_paths;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookwright_model::{Message, args};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::watch::{POLL_INTERVAL, WatchMode};
use watch_paths::WatchPaths;

hookwright_model::messages! {
    /// The system's words.
    NOT_LIVE = "not_live" { "changes are looked for every {seconds} s, because the system does not tell of them: {why}", "每 {seconds} 秒检查一次变化，因为系统无法通知：{why}" };
    /// Its limit of watched folders.
    TOO_MANY = "not_live" / "too_many" { "changes are looked for every {seconds} s, because too many folders are watched on this system", "每 {seconds} 秒检查一次变化，因为此系统监视的文件夹过多" } hint { "raise fs.inotify.max_user_watches", "请调高 fs.inotify.max_user_watches" };
}

const CLOSED_AFTER_WRITE: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));

/// What a watch wants to hear of.
#[derive(Debug, Clone, Default)]
pub struct WatchSet {
    /// Files that are read. Not hearing of them is told.
    pub files: Vec<PathBuf>,
    /// Paths whose coming and going decides which files are read. Heard of as far as the system allows.
    pub markers: Vec<PathBuf>,
    /// Folders of which every entry counts, whatever its name. Not hearing of them is told.
    pub folders: Vec<PathBuf>,
}

/// The watcher, and who listens.
pub struct WatchHub {
    os_watcher: Mutex<OsWatcher>,
    listeners: Listeners,
    next: AtomicU64,
}

type Listeners = Arc<Mutex<BTreeMap<u64, Listener>>>;

struct Listener {
    /// Paths whose change counts, with everything above them.
    paths: BTreeSet<PathBuf>,
    /// Folders whose entries all count.
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
    /// Watched folders, and which folder each was when it was watched last.
    folders: BTreeMap<PathBuf, Option<DirIdentity>>,
    /// Which of them each listener wants.
    wanted_by: BTreeMap<u64, BTreeSet<PathBuf>>,
}

/// Tells a folder from another one under the same name.
type DirIdentity = (u64, u64);

/// The watcher of macOS begins anew at every call and misses what happens meanwhile. Elsewhere watching again is cheap,
/// and mends the watch of a folder that was moved, or removed and made anew.
const WATCHER_RESTARTS: bool = cfg!(target_os = "macos");

/// Whether a folder that was `known` when it was watched last must be watched again, now that it is this one.
fn needs_watch(known: Option<Option<DirIdentity>>, now: Option<DirIdentity>, restarts: bool) -> bool {
    !restarts || now.is_none() || known != Some(now)
}

/// What watching a folder came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchChange {
    Unchanged,
    Started,
}

/// One listener's place; given up when dropped.
pub struct Subscription {
    hub: Arc<WatchHub>,
    id: u64,
}

/// What listening came to.
pub struct SubscribeResult {
    /// Whether changes are told.
    pub mode: WatchMode,
    /// Something is listened for that was not before: what happened to it until now went unheard.
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
    /// A new listener, who is told through `tell`. It hears nothing before its first [`Subscription::watch`].
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

    /// Tells everybody who listens at one of these folders.
    fn notify(&self, os_watcher: &OsWatcher, folders: &BTreeSet<PathBuf>) {
        if folders.is_empty() {
            return;
        }
        let listeners = lock(&self.listeners);
        for (id, wanted) in &os_watcher.wanted_by {
            if let Some(listener) = listeners.get(id).filter(|_| !wanted.is_disjoint(folders)) {
                // Full means that it is told already.
                let _told = listener.sender.try_send(());
            }
        }
    }
}

impl Subscription {
    /// Listens for these from now on: at the nearest existing folder of each, and wherever a link or a folder above it
    /// could lead it elsewhere.
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
                // It vanished just now: whoever looks again finds the next folder above.
                Err(_) if !folder.is_dir() => result.has_new_paths = true,
                Err(why) => result.mode = WatchMode::Polling(why),
            }
        }
        for folder in &watch_paths.optional {
            // A folder above may be closed to us; the slow look finds what happens there.
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
    /// Tries anew each time while there is none: a limit may have been lifted.
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
        // Taken before the watch, so that a folder put there in between is seen to be another one next time.
        let dir_identity = dir_identity(folder);
        let known = self.folders.get(folder).copied();
        if known.is_some_and(|known| known != dir_identity) {
            // Another folder has this name now; its forerunner may live on elsewhere.
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

    /// Stops watching what nobody wants any more. Returns the folders that had to be watched anew.
    fn release_unused(&mut self) -> BTreeSet<PathBuf> {
        let wanted: BTreeSet<&PathBuf> = self.wanted_by.values().flatten().collect();
        let folders = self.folders.keys();
        let unused: Vec<PathBuf> = folders.filter(|folder| !wanted.contains(folder)).cloned().collect();
        unused.iter().flat_map(|folder| self.unwatch(folder)).collect()
    }

    /// Stops watching a folder. Returns the other names of it, which had to be watched anew: they share one watch, and
    /// a folder that was moved has two names until everybody has looked.
    fn unwatch(&mut self, folder: &Path) -> Vec<PathBuf> {
        let Some(watcher) = &mut self.watcher else {
            return Vec::new();
        };
        let dir_identity = self.folders.remove(folder).flatten();
        // A folder that vanished took its watch along; that is no error.
        drop(watcher.unwatch(folder));
        let same_folder = self
            .folders
            .iter()
            .filter(|(_, other)| dir_identity.is_some() && **other == dir_identity);
        let same_folder: Vec<PathBuf> = same_folder.map(|(name, _)| name.clone()).collect();
        for name in &same_folder {
            // Whoever listens there is told, and finds out when it is gone.
            drop(watcher.watch(name, RecursiveMode::NonRecursive));
        }
        same_folder
    }
}

/// Tells the listeners whom an event concerns. Runs on the watcher's own thread and never waits.
fn receive(listeners: &Listeners, event: notify::Result<notify::Event>) {
    let concerns = |listener: &Listener| match &event {
        // Reading a file is no change. That somebody ended writing is: what is written through memory has no other sign.
        Ok(event) if event.kind.is_access() && event.kind != CLOSED_AFTER_WRITE => false,
        Ok(event) if event.need_rescan() || event.paths.is_empty() => true,
        Ok(event) => event.paths.iter().any(|path| listener.is_relevant(path)),
        // Errors are news too: look again.
        Err(_) => true,
    };
    for listener in lock(listeners).values() {
        if concerns(listener) {
            // Full means that it is told already.
            let _told = listener.sender.try_send(());
        }
    }
}

fn failure_message(error: &notify::Error) -> Message {
    let seconds = POLL_INTERVAL.as_secs();
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => TOO_MANY.render(args! { "seconds" => seconds }),
        notify::ErrorKind::Io(error) => NOT_LIVE.render(args! { "seconds" => seconds, "why" => error.to_string() }),
        notify::ErrorKind::Generic(_)
        | notify::ErrorKind::PathNotFound
        | notify::ErrorKind::WatchNotFound
        | notify::ErrorKind::InvalidConfig(_) => {
            NOT_LIVE.render(args! { "seconds" => seconds, "why" => error.to_string() })
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

/// A listener that panicked left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
