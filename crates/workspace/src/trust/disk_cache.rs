//! Caches what was read from the disk while one question is answered. Thousands of hooks name the same few paths, and
//! each path is read once.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::covered_files::CoveredPart;
use super::digest_cache::{self, Digest, DigestCache, FileStat};
use super::names::entries;
use crate::files::Opener;

/// A result from reads that are further apart than this is not cached: a change between them could stay undetected.
pub(super) const MAX_AGE: Duration = Duration::from_secs(1);

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathKind {
    Absent,
    File {
        /// Whether it has an executable bit.
        executable: bool,
    },
    Folder,
    /// A pipe, a socket or a device.
    Other,
}

/// The names in a folder, in lower case: some file systems do not distinguish letters by case.
pub(super) type FolderListing = Rc<HashSet<String>>;

/// A file or folder, with its state when it was read.
#[derive(Debug)]
pub(super) struct PathState {
    pub(super) path: PathBuf,
    pub(super) stat: FileStat,
}

impl PathState {
    /// Whether the file or folder still has this state.
    pub(super) fn is_unchanged(&self) -> bool {
        digest_cache::read_stat(&self.path) == Some(self.stat)
    }
}

/// Answers by what was asked.
pub(crate) type Memo<Q, A> = RefCell<HashMap<Q, A>>;

/// A cache of the disk that reads each path once.
#[derive(Debug)]
pub struct DiskCache {
    started_at: Cell<Instant>,
    real_paths: Memo<PathBuf, PathBuf>,
    kinds: Memo<PathBuf, PathKind>,
    listings: Memo<PathBuf, Option<FolderListing>>,
    first_bytes: Memo<PathBuf, Rc<[u8]>>,
    states: Memo<PathBuf, Option<Arc<PathState>>>,
    digests: Memo<CoveredPart, Digest>,
    exec_bits: Memo<PathBuf, bool>,
    openers: Memo<PathBuf, Opener>,
}

impl Default for DiskCache {
    fn default() -> Self {
        Self {
            started_at: Cell::new(Instant::now()),
            real_paths: Memo::default(),
            kinds: Memo::default(),
            listings: Memo::default(),
            first_bytes: Memo::default(),
            states: Memo::default(),
            digests: Memo::default(),
            exec_bits: Memo::default(),
            openers: Memo::default(),
        }
    }
}

impl DiskCache {
    /// Discards everything that was read, if it is too old to begin with another hook.
    pub(super) fn discard_if_old(&self) {
        if self.started_at.get().elapsed() < MAX_AGE / 2 {
            return;
        }
        self.real_paths.borrow_mut().clear();
        self.kinds.borrow_mut().clear();
        self.listings.borrow_mut().clear();
        self.first_bytes.borrow_mut().clear();
        self.states.borrow_mut().clear();
        self.digests.borrow_mut().clear();
        self.exec_bits.borrow_mut().clear();
        self.openers.borrow_mut().clear();
        self.started_at.set(Instant::now());
    }

    /// Whether everything in the cache was read within [`MAX_AGE`].
    pub(super) fn is_recent(&self) -> bool {
        self.started_at.get().elapsed() < MAX_AGE
    }

    /// The canonical path, links resolved. A path that cannot be resolved is returned unchanged.
    #[must_use]
    pub fn real(&self, path: &Path) -> PathBuf {
        memoize(&self.real_paths, path, || {
            dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
        })
    }

    /// What is at a path, links followed.
    pub(super) fn kind(&self, place: &Path) -> PathKind {
        memoize(&self.kinds, place, || match std::fs::metadata(place) {
            Ok(meta) if meta.is_dir() => PathKind::Folder,
            Ok(meta) if meta.is_file() => PathKind::File {
                executable: digest_cache::may_execute(&meta),
            },
            Ok(_) => PathKind::Other,
            Err(_) => PathKind::Absent,
        })
    }

    /// The names in a folder; `None` if the folder cannot be listed.
    pub(super) fn listing(&self, folder: &Path) -> Option<FolderListing> {
        memoize(&self.listings, folder, || {
            let small = |names: Vec<String>| names.iter().map(|name| name.to_ascii_lowercase()).collect();
            entries(folder).map(small).map(Rc::new)
        })
    }

    /// The opener of a project's files; without a project, of the user's own.
    pub(crate) fn opener(&self, project: Option<&Path>) -> Opener {
        project.map_or_else(Opener::user, |project| {
            memoize(&self.openers, project, || Opener::beneath(project))
        })
    }

    /// The first bytes of a file of a project, or of one to which a link in it leads; empty if it cannot be read.
    pub(super) fn first_bytes(&self, project: &Path, path: &Path) -> Rc<[u8]> {
        const MAX_FIRST_BYTES: u64 = 256;
        memoize(&self.first_bytes, path, || {
            let mut start = Vec::new();
            if let Ok((file, _)) = self.opener(Some(project)).for_path(path).open(path) {
                // A file that cannot be read has no first bytes.
                drop(file.take(MAX_FIRST_BYTES).read_to_end(&mut start));
            }
            start.into()
        })
    }

    /// The state of a file or folder, for detecting a change without reading it. `None` if it does not exist.
    pub(super) fn path_state(&self, path: &Path) -> Option<Arc<PathState>> {
        memoize(&self.states, path, || {
            let path = path.to_owned();
            digest_cache::read_stat(&path).map(|look| Arc::new(PathState { path, stat: look }))
        })
    }

    /// The digest of a file's content.
    pub(super) fn digest(&self, part: &CoveredPart, opener: &Opener, digest_cache: &DigestCache) -> Digest {
        memoize(&self.digests, part, || digest_cache.digest(part, opener))
    }

    /// Whether each file of a project has its own executable bit. Some file systems report the bit for every file.
    pub(super) fn has_exec_bits(&self, project: &Path) -> bool {
        memoize(&self.exec_bits, project, || has_exec_bits(project))
    }
}

/// Returns the cached answer for `thing`. If there is none, computes it with `find` and caches it.
pub(crate) fn memoize<Q, A>(known: &Memo<Q::Owned, A>, thing: &Q, find: impl FnOnce() -> A) -> A
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
fn has_exec_bits(project: &Path) -> bool {
    // FAT, exFAT, NTFS, 9P (drives of the host), CIFS.
    const WITHOUT_BITS: [u64; 6] = [0x4d44, 0x2011_bab0, 0x5346_544e, 0x0102_1997, 0xff53_4d42, 0x7366_746e];
    let kind = rustix::fs::statfs(project)
        .ok()
        .and_then(|stat| u64::try_from(stat.f_type).ok());
    kind.is_none_or(|kind| !WITHOUT_BITS.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn has_exec_bits(_: &Path) -> bool {
    true
}
