//! The one watcher of a process: every watch listens through it.
//!
//! The system hands out few watchers, so all projects share one. Folders are watched without their subfolders, and
//! events are let through only where they can change what a watch looks at: a folder above a place may be busy with
//! other things. An event says no more than "look again".

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookwright_model::{Words, args};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::watch::{Live, POLLING};

hookwright_model::sayings! {
    /// The system's words.
    NOT_LIVE = "not_live" { "changes are looked for every {seconds} s, because the system does not tell of them: {why}", "每 {seconds} 秒检查一次变化，因为系统无法通知：{why}" };
    /// Its limit of watched folders.
    TOO_MANY = "not_live" / "too_many" { "changes are looked for every {seconds} s, because too many folders are watched on this system", "每 {seconds} 秒检查一次变化，因为此系统监视的文件夹过多" } hint { "raise fs.inotify.max_user_watches", "请调高 fs.inotify.max_user_watches" };
}

/// Links are followed this often, as the system does.
const MAX_LINKS: usize = 40;

/// What a watch wants to hear of.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Files that are read. Not hearing of them is told.
    pub places: Vec<PathBuf>,
    /// Paths whose coming and going decides which files are read. Heard of as far as the system allows.
    pub signs: Vec<PathBuf>,
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
    tell: mpsc::Sender<()>,
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

/// One listener's place; given up when dropped.
pub struct Ear {
    ears: Arc<Ears>,
    id: u64,
}

/// What listening came to.
pub struct Heard {
    /// Whether changes are told.
    pub live: Live,
    /// A folder is watched that was not before.
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
        let trails = BTreeSet::new();
        lock(&self.listeners).insert(id, Listener { trails, tell });
        Ear { ears: self.clone(), id }
    }
}

impl Ear {
    /// Listens for these from now on: at the nearest existing folder of each, and wherever a link or a folder above it
    /// could lead it elsewhere.
    pub fn listen(&self, wanted: &Wanted) -> Heard {
        let reach = Reach::of(wanted);
        if let Some(listener) = lock(&self.ears.listeners).get_mut(&self.id) {
            listener.trails = reach.trails;
        }
        let mut device = lock(&self.ears.device);
        let before = device
            .wanted
            .insert(self.id, &reach.must | &reach.may)
            .unwrap_or_default();
        if let Err(why) = device.start(&self.ears.listeners) {
            return Heard {
                live: Live::Polling(why),
                grew: false,
            };
        }
        device.let_go();
        let mut heard = Heard {
            live: Live::Yes,
            grew: false,
        };
        for folder in &reach.must {
            match device.watch(folder) {
                Ok(()) => heard.grew |= !before.contains(folder),
                // It vanished just now: whoever looks again finds the next folder above.
                Err(_) if !folder.is_dir() => heard.grew = true,
                Err(why) => heard.live = Live::Polling(why),
            }
        }
        for folder in &reach.may {
            // A folder above may be closed to us; the slow look finds what happens there.
            heard.grew |= device.watch(folder).is_ok() && !before.contains(folder);
        }
        heard
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        lock(&self.ears.listeners).remove(&self.id);
        let mut device = lock(&self.ears.device);
        device.wanted.remove(&self.id);
        device.let_go();
    }
}

impl Device {
    /// Tries anew each time while there is none: a limit may have been lifted.
    fn start(&mut self, listeners: &Listeners) -> Result<(), Words> {
        if self.watcher.is_none() {
            let listeners = listeners.clone();
            let hear = move |event: notify::Result<notify::Event>| hear(&listeners, event);
            self.watcher = Some(notify::recommended_watcher(hear).map_err(|error| reason(&error))?);
            self.folders.clear();
        }
        Ok(())
    }

    fn watch(&mut self, folder: &Path) -> Result<(), Words> {
        let Some(watcher) = &mut self.watcher else {
            return Ok(());
        };
        let identity = identity(folder);
        if self.folders.get(folder).is_some_and(|known| *known != identity) {
            // Another folder has this name now; its forerunner may live on elsewhere.
            drop(watcher.unwatch(folder));
        }
        // Watching again is cheap and mends the watch of a folder that was removed and made anew.
        let watched = watcher.watch(folder, RecursiveMode::NonRecursive);
        match watched {
            Ok(()) => {
                self.folders.insert(folder.to_owned(), identity);
                Ok(())
            }
            Err(error) => {
                self.folders.remove(folder);
                Err(reason(&error))
            }
        }
    }

    /// Stops watching what nobody wants any more.
    fn let_go(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: BTreeSet<&PathBuf> = self.wanted.values().flatten().collect();
        let gone: Vec<PathBuf> = self
            .folders
            .keys()
            .filter(|folder| !wanted.contains(folder))
            .cloned()
            .collect();
        if gone.is_empty() {
            return;
        }
        for folder in gone {
            // A folder that vanished took its watch along; that is no error.
            drop(watcher.unwatch(&folder));
            self.folders.remove(&folder);
        }
        // Two names of one folder share a watch: the names that stay need it.
        for folder in self.folders.keys() {
            drop(watcher.watch(folder, RecursiveMode::NonRecursive));
        }
    }
}

/// Tells the listeners whom an event concerns. Runs on the watcher's own thread and never waits.
fn hear(listeners: &Listeners, event: notify::Result<notify::Event>) {
    let concerns = |trails: &BTreeSet<PathBuf>| match &event {
        // Reading a file is no change.
        Ok(event) if event.kind.is_access() => false,
        Ok(event) if event.need_rescan() || event.paths.is_empty() => true,
        Ok(event) => event.paths.iter().any(|path| trails.contains(path)),
        // Errors are news too: look again.
        Err(_) => true,
    };
    for listener in lock(listeners).values() {
        if concerns(&listener.trails) {
            // Full means that it is told already.
            let _told = listener.tell.try_send(());
        }
    }
}

fn reason(error: &notify::Error) -> Words {
    let seconds = POLLING.as_secs();
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => TOO_MANY.say(args! { "seconds" => seconds }),
        notify::ErrorKind::Io(error) => NOT_LIVE.say(args! { "seconds" => seconds, "why" => error.to_string() }),
        notify::ErrorKind::Generic(_)
        | notify::ErrorKind::PathNotFound
        | notify::ErrorKind::WatchNotFound
        | notify::ErrorKind::InvalidConfig(_) => {
            NOT_LIVE.say(args! { "seconds" => seconds, "why" => error.to_string() })
        }
    }
}

/// Where to listen, and for what.
#[derive(Default)]
struct Reach {
    must: BTreeSet<PathBuf>,
    may: BTreeSet<PathBuf>,
    trails: BTreeSet<PathBuf>,
}

impl Reach {
    fn of(wanted: &Wanted) -> Self {
        let mut reach = Self::default();
        for place in &wanted.places {
            reach.must.extend(nearest_folder(place));
            reach.must.extend(real_folder(place));
        }
        for path in wanted.places.iter().chain(&wanted.signs) {
            for stop in stops(path) {
                // The root is every path's beginning; nothing about it changes.
                let above = stop.ancestors().skip(1).filter(|folder| folder.parent().is_some());
                reach
                    .may
                    .extend(above.filter(|folder| folder.is_dir()).map(Path::to_owned));
                reach.trails.extend(stop.ancestors().map(Path::to_owned));
            }
        }
        reach.may = &reach.may - &reach.must;
        reach
    }
}

fn nearest_folder(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .skip(1)
        .find(|folder| folder.is_dir())
        .map(Path::to_owned)
}

/// The folder of what a link, here or above, leads to.
fn real_folder(path: &Path) -> Option<PathBuf> {
    let real = dunce::canonicalize(path).ok()?;
    (real != path).then(|| real.parent().map(Path::to_owned)).flatten()
}

/// A path, every link on the way to what it means, and that.
fn stops(path: &Path) -> Vec<PathBuf> {
    let mut out = vec![path.to_owned()];
    let mut current = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Some((link, next)) = first_link(&current) else {
            break;
        };
        out.push(link);
        out.push(next.clone());
        current = next;
    }
    out
}

/// The first link in a path, and the path with that link's target in its place.
fn first_link(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut so_far = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        match part {
            Component::ParentDir => {
                so_far.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => so_far.push(part),
        }
        if let Ok(target) = std::fs::read_link(&so_far) {
            let folder = so_far.parent().map(Path::to_owned).unwrap_or_default();
            let next = folder.join(target).join(parts.as_path());
            return Some((so_far, next));
        }
    }
    None
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
mod tests {
    use super::*;

    #[test]
    fn why_changes_are_not_told_has_a_code_and_arguments() {
        let words = reason(&notify::Error::new(notify::ErrorKind::MaxFilesWatch));
        assert_eq!(
            (words.code, words.args["case"].as_str()),
            ("not_live", Some("too_many"))
        );
        assert!(words.hint.is_some());
        let words = reason(&notify::Error::io(std::io::Error::other("no hands")));
        assert_eq!(
            words.text,
            "changes are looked for every 5 s, because the system does not tell of them: no hands"
        );
        assert_eq!(words.args["why"], "no hands");
    }

    #[cfg(unix)]
    #[test]
    fn every_link_on_the_way_is_a_stop() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("real/agent")).unwrap();
        std::os::unix::fs::symlink("real", root.join("second")).unwrap();
        std::os::unix::fs::symlink("second", root.join("first")).unwrap();
        let found = stops(&root.join("first/agent/x"));
        for stop in ["first/agent/x", "first", "second/agent/x", "second", "real/agent/x"] {
            assert!(found.contains(&root.join(stop)), "{stop}");
        }
        std::os::unix::fs::symlink("ring", root.join("ring")).unwrap();
        assert!(stops(&root.join("ring/x")).len() < 100);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_folder_that_cannot_be_watched_is_told() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let closed = folder.path().join("closed");
        std::fs::create_dir(&closed).unwrap();
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o300)).unwrap();
        if std::fs::read_dir(&closed).is_ok() {
            // Nothing is closed to the superuser.
            return;
        }
        let ears = Arc::<Ears>::default();
        let wanted = Wanted {
            places: vec![closed.join("hooks.yaml")],
            signs: Vec::new(),
        };
        let heard = ears.attach(mpsc::channel(1).0).listen(&wanted);
        assert!(matches!(heard.live, Live::Polling(words) if words.code == "not_live"));
    }
}
