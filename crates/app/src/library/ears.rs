//! The one watcher of a process: every watch listens through it.
//!
//! The system hands out few watchers, so all projects share one. Folders are watched without their subfolders, and
//! events are let through only where they can change what a watch looks at: a folder above a place may be busy with
//! other things. An event says no more than "look again".

mod reach;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookwright_model::{Message, args};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::watch::{Live, POLLING};
use reach::Reach;

hookwright_model::messages! {
    /// The system's words.
    NOT_LIVE = "not_live" { "changes are looked for every {seconds} s, because the system does not tell of them: {why}", "每 {seconds} 秒检查一次变化，因为系统无法通知：{why}" };
    /// Its limit of watched folders.
    TOO_MANY = "not_live" / "too_many" { "changes are looked for every {seconds} s, because too many folders are watched on this system", "每 {seconds} 秒检查一次变化，因为此系统监视的文件夹过多" } hint { "raise fs.inotify.max_user_watches", "请调高 fs.inotify.max_user_watches" };
}

const WRITTEN: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));

/// What a watch wants to hear of.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Files that are read. Not hearing of them is told.
    pub places: Vec<PathBuf>,
    /// Paths whose coming and going decides which files are read. Heard of as far as the system allows.
    pub signs: Vec<PathBuf>,
    /// Folders of which every entry counts, whatever its name. Not hearing of them is told.
    pub folders: Vec<PathBuf>,
}

/// The watcher, and who listens.
pub struct Ears {
    device: Mutex<Device>,
    listeners: Listeners,
    next: AtomicU64,
}

type Listeners = Arc<Mutex<BTreeMap<u64, Listener>>>;

struct Listener {
    /// Paths whose change counts, with everything above them.
    trails: BTreeSet<PathBuf>,
    /// Folders whose entries all count.
    whole: BTreeSet<PathBuf>,
    tell: mpsc::Sender<()>,
}

impl Listener {
    fn counts(&self, path: &Path) -> bool {
        self.trails.contains(path) || path.parent().is_some_and(|folder| self.whole.contains(folder))
    }
}

#[derive(Default)]
struct Device {
    watcher: Option<RecommendedWatcher>,
    /// Watched folders, and which folder each was when it was watched last.
    folders: BTreeMap<PathBuf, Option<Identity>>,
    /// Which of them each listener wants.
    wanted: BTreeMap<u64, BTreeSet<PathBuf>>,
}

/// Tells a folder from another one under the same name.
type Identity = (u64, u64);

/// The watcher of macOS begins anew at every call and misses what happens meanwhile. Elsewhere watching again is cheap,
/// and mends the watch of a folder that was moved, or removed and made anew.
const BEGINS_ANEW: bool = cfg!(target_os = "macos");

/// Whether a folder that was `known` when it was watched last must be watched again, now that it is this one.
fn must_watch(known: Option<Option<Identity>>, now: Option<Identity>, begins_anew: bool) -> bool {
    !begins_anew || now.is_none() || known != Some(now)
}

/// What watching a folder came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    AsBefore,
    Anew,
}

/// One listener's place; given up when dropped.
pub struct Ear {
    ears: Arc<Ears>,
    id: u64,
}

/// What listening came to.
pub struct Heard {
    /// Whether changes are told.
    pub live: Live,
    /// Something is listened for that was not before: what happened to it until now went unheard.
    pub grew: bool,
}

impl std::fmt::Debug for Ears {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ears").finish_non_exhaustive()
    }
}

impl Default for Ears {
    fn default() -> Self {
        Self {
            device: Mutex::default(),
            listeners: Arc::default(),
            next: AtomicU64::new(0),
        }
    }
}

impl Ears {
    /// A new listener, who is told through `tell`. It hears nothing before its first [`Ear::listen`].
    #[must_use]
    pub fn attach(self: &Arc<Self>, tell: mpsc::Sender<()>) -> Ear {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (trails, whole) = (BTreeSet::new(), BTreeSet::new());
        lock(&self.listeners).insert(id, Listener { trails, whole, tell });
        Ear { ears: self.clone(), id }
    }

    /// Tells everybody who listens at one of these folders.
    fn tell(&self, device: &Device, folders: &BTreeSet<PathBuf>) {
        if folders.is_empty() {
            return;
        }
        let listeners = lock(&self.listeners);
        for (id, wanted) in &device.wanted {
            if let Some(listener) = listeners.get(id).filter(|_| !wanted.is_disjoint(folders)) {
                // Full means that it is told already.
                let _told = listener.tell.try_send(());
            }
        }
    }
}

impl Ear {
    /// Listens for these from now on: at the nearest existing folder of each, and wherever a link or a folder above it
    /// could lead it elsewhere.
    pub fn listen(&self, wanted: &Wanted) -> Heard {
        let reach = Reach::of(wanted);
        let mut heard = Heard {
            live: Live::Yes,
            grew: false,
        };
        if let Some(listener) = lock(&self.ears.listeners).get_mut(&self.id) {
            heard.grew = !reach.trails.is_subset(&listener.trails) || !reach.whole.is_subset(&listener.whole);
            listener.trails = reach.trails;
            listener.whole = reach.whole;
        }
        let mut device = lock(&self.ears.device);
        let before = device
            .wanted
            .insert(self.id, &reach.must | &reach.may)
            .unwrap_or_default();
        if let Err(why) = device.start(&self.ears.listeners) {
            heard.live = Live::Polling(why);
            return heard;
        }
        let mut disturbed = device.let_go();
        for folder in &reach.must {
            match device.watch(folder, &mut disturbed) {
                Ok(watched) => heard.grew |= watched == Watched::Anew || !before.contains(folder),
                // It vanished just now: whoever looks again finds the next folder above.
                Err(_) if !folder.is_dir() => heard.grew = true,
                Err(why) => heard.live = Live::Polling(why),
            }
        }
        for folder in &reach.may {
            // A folder above may be closed to us; the slow look finds what happens there.
            if let Ok(watched) = device.watch(folder, &mut disturbed) {
                heard.grew |= watched == Watched::Anew || !before.contains(folder);
            }
        }
        self.ears.tell(&device, &disturbed);
        heard
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        lock(&self.ears.listeners).remove(&self.id);
        let mut device = lock(&self.ears.device);
        device.wanted.remove(&self.id);
        let disturbed = device.let_go();
        self.ears.tell(&device, &disturbed);
    }
}

impl Device {
    /// Tries anew each time while there is none: a limit may have been lifted.
    fn start(&mut self, listeners: &Listeners) -> Result<(), Message> {
        if self.watcher.is_none() {
            let listeners = listeners.clone();
            let hear = move |event: notify::Result<notify::Event>| hear(&listeners, event);
            self.watcher = Some(notify::recommended_watcher(hear).map_err(|error| reason(&error))?);
            self.folders.clear();
        }
        Ok(())
    }

    fn watch(&mut self, folder: &Path, disturbed: &mut BTreeSet<PathBuf>) -> Result<Watched, Message> {
        // Taken before the watch, so that a folder put there in between is seen to be another one next time.
        let identity = identity(folder);
        let known = self.folders.get(folder).copied();
        if known.is_some_and(|known| known != identity) {
            // Another folder has this name now; its forerunner may live on elsewhere.
            disturbed.extend(self.forget(folder));
        }
        let Some(watcher) = &mut self.watcher else {
            return Ok(Watched::AsBefore);
        };
        if !must_watch(known, identity, BEGINS_ANEW) {
            return Ok(Watched::AsBefore);
        }
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.folders.insert(folder.to_owned(), identity);
                Ok(if known == Some(identity) {
                    Watched::AsBefore
                } else {
                    Watched::Anew
                })
            }
            Err(error) => {
                self.folders.remove(folder);
                Err(reason(&error))
            }
        }
    }

    /// Stops watching what nobody wants any more. Returns the folders that had to be watched anew.
    fn let_go(&mut self) -> BTreeSet<PathBuf> {
        let wanted: BTreeSet<&PathBuf> = self.wanted.values().flatten().collect();
        let folders = self.folders.keys();
        let gone: Vec<PathBuf> = folders.filter(|folder| !wanted.contains(folder)).cloned().collect();
        gone.iter().flat_map(|folder| self.forget(folder)).collect()
    }

    /// Stops watching a folder. Returns the other names of it, which had to be watched anew: they share one watch, and
    /// a folder that was moved has two names until everybody has looked.
    fn forget(&mut self, folder: &Path) -> Vec<PathBuf> {
        let Some(watcher) = &mut self.watcher else {
            return Vec::new();
        };
        let identity = self.folders.remove(folder).flatten();
        // A folder that vanished took its watch along; that is no error.
        drop(watcher.unwatch(folder));
        let same = self
            .folders
            .iter()
            .filter(|(_, other)| identity.is_some() && **other == identity);
        let same: Vec<PathBuf> = same.map(|(name, _)| name.clone()).collect();
        for name in &same {
            // Whoever listens there is told, and finds out when it is gone.
            drop(watcher.watch(name, RecursiveMode::NonRecursive));
        }
        same
    }
}

/// Tells the listeners whom an event concerns. Runs on the watcher's own thread and never waits.
fn hear(listeners: &Listeners, event: notify::Result<notify::Event>) {
    let concerns = |listener: &Listener| match &event {
        // Reading a file is no change. That somebody ended writing is: what is written through memory has no other sign.
        Ok(event) if event.kind.is_access() && event.kind != WRITTEN => false,
        Ok(event) if event.need_rescan() || event.paths.is_empty() => true,
        Ok(event) => event.paths.iter().any(|path| listener.counts(path)),
        // Errors are news too: look again.
        Err(_) => true,
    };
    for listener in lock(listeners).values() {
        if concerns(listener) {
            // Full means that it is told already.
            let _told = listener.tell.try_send(());
        }
    }
}

fn reason(error: &notify::Error) -> Message {
    let seconds = POLLING.as_secs();
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
fn identity(folder: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}

/// A listener that panicked left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
