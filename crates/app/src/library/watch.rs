//! Watching: events only say "look again". What changed is decided by content, so a lost event costs time, never truth.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Looked at anew when nothing was heard for this long.
const SAFETY_NET: Duration = Duration::from_secs(30);
/// The same while the system cannot tell us of changes.
const POLLING: Duration = Duration::from_secs(5);
/// A stream of events is not waited out for longer than this many settle times.
const PATIENCE: u32 = 20;

/// Whether changes are told at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Live {
    /// They are.
    Yes,
    /// Checked every few seconds instead, because of this.
    Polling(String),
}

/// A watch under way; ends when dropped.
#[derive(Debug)]
pub struct Watching {
    stop: CancellationToken,
    poke: mpsc::UnboundedSender<()>,
}

impl Watching {
    /// Look again now (the window got the focus, say).
    pub fn look_again(&self) {
        // A watch that has ended has nothing to look at.
        let _ended = self.poke.send(());
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Calls `look` once the files in or above `paths()` have been quiet for `settle`, and now and then without a reason.
/// `look` returns whether changes are heard of; `paths` is asked anew after each look, since places appear and vanish.
pub fn watch<P, L>(settle: Duration, paths: P, look: L) -> Watching
where
    P: Fn() -> Vec<PathBuf> + Send + 'static,
    L: Fn(Live) + Send + 'static,
{
    let stop = CancellationToken::new();
    let (poke, mut heard) = mpsc::unbounded_channel();
    let task = Task {
        settle,
        stop: stop.clone(),
        tell: poke.clone(),
    };
    tokio::spawn(async move {
        tokio::select! {
            () = task.stop.cancelled() => {}
            () = task.run(&mut heard, paths, look) => {}
        }
    });
    Watching { stop, poke }
}

struct Task {
    settle: Duration,
    stop: CancellationToken,
    tell: mpsc::UnboundedSender<()>,
}

impl Task {
    async fn run<P, L>(&self, heard: &mut mpsc::UnboundedReceiver<()>, paths: P, look: L)
    where
        P: Fn() -> Vec<PathBuf>,
        L: Fn(Live),
    {
        let mut ears = Ears::new(&self.tell);
        let mut live = ears.listen(&paths());
        // Something may have changed between the caller's first look and the moment the ears opened.
        look(live.clone());
        loop {
            let rest = if live == Live::Yes { SAFETY_NET } else { POLLING };
            if let Ok(Some(())) = tokio::time::timeout(rest, heard.recv()).await {
                self.settle(heard).await;
            }
            live = ears.listen(&paths());
            look(live.clone());
            // A place that appeared while we looked is heard of from now on, and looked at once more.
            let again = ears.listen(&paths());
            if ears.grew {
                look(again.clone());
            }
            live = again;
        }
    }

    /// Waits until nothing was heard for the settle time, within reason.
    async fn settle(&self, heard: &mut mpsc::UnboundedReceiver<()>) {
        let latest = Instant::now() + self.settle * PATIENCE;
        while let Ok(Some(())) = tokio::time::timeout(self.settle, heard.recv()).await {
            if Instant::now() >= latest {
                return;
            }
        }
    }
}

/// The system's watcher on a changing set of folders, each one without its subfolders.
struct Ears {
    watcher: Result<RecommendedWatcher, String>,
    folders: BTreeSet<PathBuf>,
    grew: bool,
}

impl Ears {
    fn new(tell: &mpsc::UnboundedSender<()>) -> Self {
        let tell = tell.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading a file is no change. Errors are news too: look again.
            if event.as_ref().is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            let _ended = tell.send(());
        });
        Self {
            watcher: watcher.map_err(|error| error.to_string()),
            folders: BTreeSet::new(),
            grew: false,
        }
    }

    /// Listens at the nearest existing folder of each path, and at the real folder of linked files.
    fn listen(&mut self, paths: &[PathBuf]) -> Live {
        let wanted: BTreeSet<PathBuf> = paths.iter().flat_map(|path| folders_of(path)).collect();
        self.grew = false;
        let watcher = match &mut self.watcher {
            Ok(watcher) => watcher,
            Err(why) => return Live::Polling(why.clone()),
        };
        for gone in self.folders.difference(&wanted).cloned().collect::<Vec<_>>() {
            // A folder that vanished took its watch along; that is no error.
            drop(watcher.unwatch(&gone));
            self.folders.remove(&gone);
        }
        let mut live = Live::Yes;
        for folder in wanted {
            let known = self.folders.contains(&folder);
            // Watching again is cheap and mends the watch of a folder that was removed and made anew.
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.grew |= !known;
                    self.folders.insert(folder);
                }
                Err(error) => live = Live::Polling(error.to_string()),
            }
        }
        live
    }
}

fn folders_of(path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::with_capacity(2);
    out.extend(
        path.ancestors()
            .skip(1)
            .find(|folder| folder.is_dir())
            .map(Path::to_owned),
    );
    if std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink()) {
        out.extend(
            dunce::canonicalize(path)
                .ok()
                .and_then(|real| real.parent().map(Path::to_owned)),
        );
    }
    out
}
