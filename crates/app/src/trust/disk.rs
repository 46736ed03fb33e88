//! What the disk said while one question was answered: thousands of hooks name the same few places, and each place is
//! looked at once.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::covered::Part;
use super::look::{self, Look, Looks, Print};
use super::names::entries;
use crate::door;

/// What was found out from looks that lie further apart than this is not kept: a change between them could hide.
pub(super) const LONG: Duration = Duration::from_secs(1);

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Absent,
    File {
        /// It has an executable bit.
        runs: bool,
    },
    Folder,
    /// A pipe, a socket, a device.
    Other,
}

/// The names in a folder, in small letters: some file systems do not tell letters apart by case.
pub(super) type Listing = Rc<HashSet<String>>;

/// A file or folder, and what told it from another at a time.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) look: Look,
}

impl Seen {
    /// Whether nothing about it changed since.
    pub(super) fn holds(&self) -> bool {
        look::look_at(&self.path) == Some(self.look)
    }
}

/// Answers by what was asked.
pub(crate) type Known<Q, A> = RefCell<HashMap<Q, A>>;

/// The disk, each place looked at once.
#[derive(Debug)]
pub struct DiskCache {
    begun: Cell<Instant>,
    real: Known<PathBuf, PathBuf>,
    kinds: Known<PathBuf, Kind>,
    listed: Known<PathBuf, Option<Listing>>,
    beginnings: Known<PathBuf, Rc<[u8]>>,
    looks: Known<PathBuf, Option<Arc<Seen>>>,
    prints: Known<Part, Print>,
    bits: Known<PathBuf, bool>,
}

impl Default for DiskCache {
    fn default() -> Self {
        Self {
            begun: Cell::new(Instant::now()),
            real: Known::default(),
            kinds: Known::default(),
            listed: Known::default(),
            beginnings: Known::default(),
            looks: Known::default(),
            prints: Known::default(),
            bits: Known::default(),
        }
    }
}

impl DiskCache {
    /// Forgets what was seen too long ago to begin another hook with.
    pub(super) fn renew(&self) {
        if self.begun.get().elapsed() < LONG / 2 {
            return;
        }
        self.real.borrow_mut().clear();
        self.kinds.borrow_mut().clear();
        self.listed.borrow_mut().clear();
        self.beginnings.borrow_mut().clear();
        self.looks.borrow_mut().clear();
        self.prints.borrow_mut().clear();
        self.bits.borrow_mut().clear();
        self.begun.set(Instant::now());
    }

    /// Whether everything that is known was seen within a moment.
    pub(super) fn is_recent(&self) -> bool {
        self.begun.get().elapsed() < LONG
    }

    /// A path without links, as far as it leads anywhere.
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        once(&self.real, path, || {
            dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
        })
    }

    /// What stands at a place, links followed.
    pub(super) fn kind(&self, place: &Path) -> Kind {
        once(&self.kinds, place, || match std::fs::metadata(place) {
            Ok(meta) if meta.is_dir() => Kind::Folder,
            Ok(meta) if meta.is_file() => Kind::File {
                runs: look::may_execute(&meta),
            },
            Ok(_) => Kind::Other,
            Err(_) => Kind::Absent,
        })
    }

    /// The names in a folder; `None` for one that cannot be listed.
    pub(super) fn listing(&self, folder: &Path) -> Option<Listing> {
        once(&self.listed, folder, || {
            let small = |names: Vec<String>| names.iter().map(|name| name.to_ascii_lowercase()).collect();
            entries(folder).map(small).map(Rc::new)
        })
    }

    /// A file's first bytes; none where it cannot be read.
    pub(super) fn beginning(&self, path: &Path) -> Rc<[u8]> {
        const BYTES: u64 = 256;
        once(&self.beginnings, path, || {
            let mut start = Vec::new();
            if let Ok((file, _)) = door::open(path) {
                // What cannot be read has no beginning.
                drop(file.take(BYTES).read_to_end(&mut start));
            }
            start.into()
        })
    }

    /// A file or folder with what tells it from another without reading it; `None` where there is none.
    pub(super) fn seen(&self, path: &Path) -> Option<Arc<Seen>> {
        once(&self.looks, path, || {
            let path = path.to_owned();
            look::look_at(&path).map(|look| Arc::new(Seen { path, look }))
        })
    }

    /// What stands for a file's content.
    pub(super) fn print(&self, part: &Part, looks: &Looks) -> Print {
        once(&self.prints, part, || looks.print(part))
    }

    /// Whether files have executable bits of their own where a project lies: some file systems give one to each.
    pub(super) fn bits_say_something(&self, project: &Path) -> bool {
        once(&self.bits, project, || bits_say_something(project))
    }
}

/// The answer that is known of a thing; where there is none it is found out, and known from then on.
pub(crate) fn once<Q, A>(known: &Known<Q::Owned, A>, thing: &Q, find: impl FnOnce() -> A) -> A
where
    Q: ?Sized + ToOwned<Owned: Eq + Hash> + Eq + Hash,
    A: Clone,
{
    if let Some(known) = known.borrow().get(thing) {
        return known.clone();
    }
    let found = find();
    known.borrow_mut().insert(thing.to_owned(), found.clone());
    found
}

#[cfg(target_os = "linux")]
fn bits_say_something(project: &Path) -> bool {
    // FAT, exFAT, NTFS, 9P (drives of the host), CIFS.
    const WITHOUT_BITS: [u64; 6] = [0x4d44, 0x2011_bab0, 0x5346_544e, 0x0102_1997, 0xff53_4d42, 0x7366_746e];
    let kind = rustix::fs::statfs(project)
        .ok()
        .and_then(|stat| u64::try_from(stat.f_type).ok());
    kind.is_none_or(|kind| !WITHOUT_BITS.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn bits_say_something(_: &Path) -> bool {
    true
}
