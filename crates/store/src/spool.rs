//! The writing end of the spool: a trace is on disk by one `write` before its reply leaves (`CONTRACTS.md` §2.6).
//!
//! Each process appends to a file of its own and holds a lock on it while it lives, so that an importer can tell a file
//! that will grow from one that is whole. A file that is no longer at its place, because somebody removed or replaced
//! the folder, is written again before anything else is acknowledged; what is in the folder's place and is no folder goes
//! out of the way.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookwright_model::trace::Trace;
use jiff::Timestamp;
use ulid::{Generator, Ulid};

use crate::digest::without_body;
use crate::error::Trouble;
use crate::folder::{Folder, spooled_bytes};
use crate::sheet::Sheet;

/// What a spool file is called.
pub(crate) const SUFFIX: &str = "jsonl";
/// What it is called until its writer holds its lock.
pub(crate) const UNBORN: &str = "new";
/// The form of a line, which is its first member. Lines without it are of before there were forms, and are read until 1.0.
pub(crate) const FORM: u8 = 1;
/// Beyond this many bytes a new file is begun, so that imported ones can go while their writer lives.
const ENOUGH: u64 = 4 << 20;
/// So many full files wait to be brought to the disk and imported; where nobody does that, the oldest is left to the system.
const WAITING: usize = 64;
/// A spool of so many bytes takes new traces without bodies.
const BODIES_UP_TO: u64 = 256 << 20;
/// A spool of so many bytes takes no new traces.
const TRACES_UP_TO: u64 = 512 << 20;

/// What there is no room in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// The disk is full.
    Disk,
    /// The spool holds this many bytes that could not be imported.
    Spool(u64),
}

/// How much of a trace was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All of it.
    Whole,
    /// There was room only for what outlives bodies; payloads, streams and edits are lost.
    WithoutBody(Short),
}

/// Why a trace was not kept.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    /// There is no room, not even without the body.
    #[error("no room")]
    Short(Short),
    /// The system refused for another reason.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The spool's folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// What this process's spool could not keep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// Traces kept without payloads and streams, and not imported since.
    pub bodies: u64,
    /// Traces not kept at all, since this process began.
    pub traces: u64,
}

/// That files of a living process were gone from their place, and were written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// When that was last noticed.
    pub at: Timestamp,
    /// Lines written again since this process began; those that had been imported are among them.
    pub traces: u64,
}

/// A point in the life of a spool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    full: usize,
    bodies: u64,
}

/// This process's place to write traces to. Cheap, synchronous, shared between threads.
#[derive(Debug)]
pub struct Spool {
    folder: Folder,
    enough: u64,
    /// Bytes up to which bodies, and up to which traces are taken.
    limits: (u64, u64),
    pages: Mutex<Pages>,
    /// Names that sort in the order of their files, within one millisecond too.
    names: Mutex<Generator>,
    lost_bodies: AtomicU64,
    lost_traces: AtomicU64,
    /// Something was in the place of the folder.
    cleared: AtomicBool,
}

#[derive(Debug, Default)]
struct Pages {
    current: Option<Sheet>,
    /// Full files that are not on the disk itself or not imported yet. They stay open, and so locked, until they are.
    full: Vec<Sheet>,
    /// Bytes of all spool files, of other processes too: as measured last, and what was written since. `None` before the
    /// first event, and where a new file was begun.
    bytes: Option<u64>,
    restored: Option<Restored>,
}

impl Spool {
    /// Makes nothing yet: the folder and a file are made with the first trace.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: Folder::new(data_dir),
            enough: ENOUGH,
            limits: (BODIES_UP_TO, TRACES_UP_TO),
            pages: Mutex::default(),
            names: Mutex::new(Generator::new()),
            lost_bodies: AtomicU64::new(0),
            lost_traces: AtomicU64::new(0),
            cleared: AtomicBool::new(false),
        }
    }

    /// Makes the spool's folder. A file is made with the first trace.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(data_dir: &Path) -> io::Result<Self> {
        let spool = Self::new(data_dir);
        spool.prepare(spool.name())?;
        Ok(spool)
    }

    /// Writes one trace as one line by one `write`. When the disk or the spool is full, what outlives bodies is kept.
    ///
    /// # Errors
    /// There is no room even for that, or the folder cannot be written; nothing was written then.
    pub fn append(&self, trace: &Trace) -> Result<Kept, NotKept> {
        let result = self.keep(trace);
        match &result {
            Ok(Kept::Whole) => {}
            Ok(Kept::WithoutBody(_)) => drop(self.lost_bodies.fetch_add(1, Ordering::Relaxed)),
            Err(_) => drop(self.lost_traces.fetch_add(1, Ordering::Relaxed)),
        }
        result
    }

    fn keep(&self, trace: &Trace) -> Result<Kept, NotKept> {
        let io = |source: io::Error| match Trouble::of_io(&source) {
            Trouble::Full => NotKept::Short(Short::Disk),
            Trouble::Damage
            | Trouble::NotWritable
            | Trouble::Unfinished
            | Trouble::Locked
            | Trouble::Refused
            | Trouble::Other => NotKept::Io {
                path: self.folder.spool(),
                source,
            },
        };
        let bare = || line(&without_body(trace, 0)).map_err(io);
        let whole = line(trace).map_err(io)?;
        let mut pages = self.pages();
        if !pages.current.as_ref().is_none_or(Sheet::in_place) {
            self.restore_into(&mut pages).map_err(io)?;
        }
        if let Some(bytes) = self.beyond(&mut pages, self.limits.0) {
            let short = Short::Spool(bytes);
            if bytes >= self.limits.1 {
                return Err(NotKept::Short(short));
            }
            let written = self.write(&mut pages, &bare()?);
            return written.map(|()| Kept::WithoutBody(short)).map_err(io);
        }
        match self.write(&mut pages, &whole) {
            Ok(()) => Ok(Kept::Whole),
            Err(error) if Trouble::of_io(&error) == Trouble::Full => {
                let written = self.write(&mut pages, &bare()?);
                written.map(|()| Kept::WithoutBody(Short::Disk)).map_err(io)
            }
            Err(error) => Err(io(error)),
        }
    }

    /// The bytes of the spool when they are that many. Measured again before it is believed: others import.
    fn beyond(&self, pages: &mut Pages, limit: u64) -> Option<u64> {
        let measured = pages.bytes.filter(|bytes| *bytes < limit);
        let bytes = measured.unwrap_or_else(|| spooled_bytes(&self.folder.spool()));
        pages.bytes = Some(bytes);
        (bytes >= limit).then_some(bytes)
    }

    /// Brings what was written to the disk itself. To be called off the event path, at most a second after a write:
    /// a power failure then costs no more than that second. Files that are gone from their place are written again first.
    ///
    /// # Errors
    /// The disk refused.
    pub fn sync(&self) -> io::Result<()> {
        let mut result = self.restore();
        let unsynced: Vec<(Arc<File>, u64)> = {
            let pages = self.pages();
            let sheets = pages.full.iter().chain(&pages.current).filter(|it| it.synced < it.len);
            sheets.map(|it| (Arc::clone(&it.file), it.len)).collect()
        };
        for (file, len) in unsynced {
            // One that the disk refuses must not keep the others from it.
            if let Err(error) = file.sync_data() {
                result = result.and(Err(error));
                continue;
            }
            let mut pages = self.pages();
            let Pages { current, full, .. } = &mut *pages;
            for sheet in full.iter_mut().chain(current) {
                if Arc::ptr_eq(&sheet.file, &file) {
                    sheet.synced = sheet.synced.max(len);
                }
            }
        }
        result
    }

    /// Writes again what is no longer at its place: somebody removed or replaced the folder or a file of this process.
    /// What is in the folder's place goes out of the way.
    ///
    /// # Errors
    /// The folder cannot be made, or the disk refused; it is tried again with the next trace.
    pub fn restore(&self) -> io::Result<()> {
        let cleared = self.folder.clear_spool(at(self.name()))?;
        self.cleared.fetch_or(cleared, Ordering::Relaxed);
        self.restore_into(&mut self.pages())
    }

    /// How often that was needed, when it was.
    #[must_use]
    pub fn restored(&self) -> Option<Restored> {
        self.pages().restored
    }

    /// Whether this process put something out of the way that was in the place of the folder ([`crate::spool_aside`]).
    #[must_use]
    pub fn cleared(&self) -> bool {
        self.cleared.load(Ordering::Relaxed)
    }

    fn restore_into(&self, pages: &mut Pages) -> io::Result<()> {
        let Pages { current, full, .. } = pages;
        for sheet in full.iter_mut().chain(current) {
            if sheet.in_place() {
                continue;
            }
            let id = self.name();
            self.prepare(id)?;
            let lines = sheet.write_again(&self.folder.spool(), id)?;
            let traces = pages.restored.map_or(0, |it| it.traces) + lines;
            pages.restored = Some(Restored { at: at(id), traces });
        }
        Ok(())
    }

    /// Lets go of every file, so that they can be imported to their ends and removed. The next trace begins another one.
    ///
    /// # Errors
    /// Files that are gone from their place cannot be written again. All are held on to: with this process their lines end.
    pub fn release(&self) -> io::Result<()> {
        let mut pages = self.pages();
        self.restore_into(&mut pages)?;
        pages.current = None;
        pages.full.clear();
        Ok(())
    }

    /// What this process's spool could not keep.
    #[must_use]
    pub fn losses(&self) -> Losses {
        Losses {
            bodies: self.lost_bodies.load(Ordering::Relaxed),
            traces: self.lost_traces.load(Ordering::Relaxed),
        }
    }

    /// How far this process's spool is now, for [`Self::imported`].
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            full: self.pages().full.len(),
            bodies: self.lost_bodies.load(Ordering::Relaxed),
        }
    }

    /// That everything up to there is in the database: full files are let go of once they are on the disk itself, and lost
    /// bodies are counted by the database from now on.
    pub(crate) fn imported(&self, mark: Mark) {
        self.lost_bodies.fetch_sub(mark.bodies, Ordering::Relaxed);
        let mut at = 0;
        self.pages().full.retain(|sheet| {
            at += 1;
            at > mark.full || sheet.synced < sheet.len
        });
    }

    /// A panic elsewhere leaves the file as whole as every write does.
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> Ulid {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names
            .generate()
            .unwrap_or_else(|overflow| overflow.commit_overflow_increment())
    }

    fn write(&self, pages: &mut Pages, line: &[u8]) -> io::Result<()> {
        let Pages {
            current: slot, full, ..
        } = pages;
        if let Some(current) = slot.take_if(|current| current.len >= self.enough) {
            if full.len() == WAITING {
                full.remove(0);
            }
            full.push(current);
        }
        let current = match slot {
            Some(current) => current,
            none => {
                pages.bytes = pages.bytes.filter(|_| full.is_empty());
                none.insert(self.begin()?)
            }
        };
        match (&*current.file).write(line) {
            Ok(written) if written == line.len() => {
                current.len += line.len() as u64;
                pages.bytes = pages.bytes.map(|bytes| bytes + line.len() as u64);
                Ok(())
            }
            Ok(_) => {
                // The rest would not fit: take the beginning out again, or never add to this file.
                if current.file.set_len(current.len).is_err() {
                    pages.current = None;
                }
                Err(io::ErrorKind::StorageFull.into())
            }
            Err(error) => Err(error),
        }
    }

    fn prepare(&self, id: Ulid) -> io::Result<()> {
        let cleared = self.folder.prepare_spool(at(id))?;
        self.cleared.fetch_or(cleared, Ordering::Relaxed);
        Ok(())
    }

    fn begin(&self) -> io::Result<Sheet> {
        let id = self.name();
        self.prepare(id)?;
        Sheet::begin(&self.folder.spool(), id)
    }
}

/// When a name was made.
fn at(name: Ulid) -> Timestamp {
    Timestamp::try_from(name.datetime()).unwrap_or_default()
}

/// `{"v":1,` and the members of the trace.
fn line(trace: &Trace) -> io::Result<Vec<u8>> {
    let mut line = format!("{{\"v\":{FORM}").into_bytes();
    let members = line.len();
    serde_json::to_writer(&mut line, trace)?;
    // A trace is an object with members.
    line[members] = b',';
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
#[path = "spool_tests.rs"]
mod tests;
