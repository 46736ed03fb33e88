//! The writing end of the spool: a trace is on disk by one `write` before its reply leaves (`CONTRACTS.md` §2.6).
//!
//! Each process appends to a file of its own and holds a lock on it while it lives, so that an importer can tell a file
//! that will grow from one that is whole.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookwright_model::trace::Trace;
use ulid::{Generator, Ulid};

use crate::digest::without_body;
use crate::error::Trouble;
use crate::folder::{Folder, private_file};

/// What a spool file is called.
pub(crate) const SUFFIX: &str = "jsonl";
/// What it is called until its writer holds its lock.
pub(crate) const UNBORN: &str = "new";
/// Beyond this many bytes a new file is begun, so that imported ones can go while their writer lives.
const ENOUGH: u64 = 4 << 20;
/// So many full files wait to be brought to the disk; where nobody does that, the oldest is left to the system.
const UNSYNCED: usize = 64;

/// How much of a trace was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All of it.
    Whole,
    /// There was room only for what outlives bodies; payloads, streams and edits are lost.
    WithoutBody,
}

/// What a full disk has cost since this process began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// Traces kept without payloads and streams.
    pub bodies: u64,
    /// Traces not kept at all.
    pub traces: u64,
}

/// This process's place to write traces to. Cheap, synchronous, shared between threads.
#[derive(Debug)]
pub struct Spool {
    dir: PathBuf,
    enough: u64,
    pages: Mutex<Pages>,
    /// Names that sort in the order of their files, within one millisecond too.
    names: Mutex<Generator>,
    lost_bodies: AtomicU64,
    lost_traces: AtomicU64,
}

#[derive(Debug, Default)]
struct Pages {
    current: Option<Current>,
    /// Full files that are not on the disk itself yet. They stay open, and so locked, until they are.
    full: Vec<Arc<File>>,
}

#[derive(Debug)]
struct Current {
    file: Arc<File>,
    len: u64,
    synced: u64,
}

impl Spool {
    /// Makes the spool's folder. A file is made with the first trace.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(data_dir: &Path) -> io::Result<Self> {
        let folder = Folder::new(data_dir);
        folder.prepare_spool()?;
        Ok(Self {
            dir: folder.spool(),
            enough: ENOUGH,
            pages: Mutex::default(),
            names: Mutex::new(Generator::new()),
            lost_bodies: AtomicU64::new(0),
            lost_traces: AtomicU64::new(0),
        })
    }

    /// Writes one trace as one line by one `write`. When the disk is full it tries again without the body.
    ///
    /// # Errors
    /// The disk is full even for that, or read-only; nothing was written then.
    pub fn append(&self, trace: &Trace) -> io::Result<Kept> {
        let result = match self.write(&line(trace)?) {
            Ok(()) => Ok(Kept::Whole),
            Err(error) if Trouble::of_io(&error) == Trouble::Full => {
                self.write(&line(&without_body(trace, 0))?).map(|()| Kept::WithoutBody)
            }
            Err(error) => Err(error),
        };
        match &result {
            Ok(Kept::Whole) => {}
            Ok(Kept::WithoutBody) => drop(self.lost_bodies.fetch_add(1, Ordering::Relaxed)),
            Err(_) => drop(self.lost_traces.fetch_add(1, Ordering::Relaxed)),
        }
        result
    }

    /// Brings what was written to the disk itself. To be called off the event path, at most a second after a write:
    /// a power failure then costs no more than that second.
    ///
    /// # Errors
    /// The disk refused.
    pub fn sync(&self) -> io::Result<()> {
        let (full, current) = {
            let mut pages = self.pages();
            let current = pages.current.as_ref().filter(|it| it.synced < it.len);
            let current = current.map(|it| (Arc::clone(&it.file), it.len));
            (std::mem::take(&mut pages.full), current)
        };
        // One that the disk refuses must not keep the others from it.
        let full = full.iter().map(|file| file.sync_data()).fold(Ok(()), io::Result::and);
        let Some((file, len)) = current else { return full };
        file.sync_data()?;
        if let Some(current) = &mut self.pages().current
            && Arc::ptr_eq(&current.file, &file)
        {
            current.synced = current.synced.max(len);
        }
        full
    }

    /// Lets go of every file, so that they can be imported to their ends and removed. The next trace begins another one.
    pub fn release(&self) {
        *self.pages() = Pages::default();
    }

    /// What a full disk has cost since this process began.
    #[must_use]
    pub fn losses(&self) -> Losses {
        Losses {
            bodies: self.lost_bodies.load(Ordering::Relaxed),
            traces: self.lost_traces.load(Ordering::Relaxed),
        }
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

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut pages = self.pages();
        let Pages { current: slot, full } = &mut *pages;
        if let Some(current) = slot.take_if(|current| current.len >= self.enough) {
            if full.len() == UNSYNCED {
                full.remove(0);
            }
            full.push(current.file);
        }
        let current = match &mut *slot {
            Some(current) => current,
            none => none.insert(Current {
                file: Arc::new(begin(&self.dir, self.name())?),
                len: 0,
                synced: 0,
            }),
        };
        match (&*current.file).write(line) {
            Ok(written) if written == line.len() => {
                current.len += line.len() as u64;
                Ok(())
            }
            Ok(_) => {
                // The rest would not fit: take the beginning out again, or never add to this file.
                if current.file.set_len(current.len).is_err() {
                    *slot = None;
                }
                Err(io::ErrorKind::StorageFull.into())
            }
            Err(error) => Err(error),
        }
    }
}

fn line(trace: &Trace) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(trace)?;
    line.push(b'\n');
    Ok(line)
}

/// A new file that is locked before it has its name, so that no importer takes it for one whose writer is gone.
fn begin(dir: &Path, id: Ulid) -> io::Result<File> {
    let (unborn, born) = (dir.join(format!("{id}.{UNBORN}")), dir.join(format!("{id}.{SUFFIX}")));
    let file = private_file(&unborn)?;
    file.lock()?;
    std::fs::rename(&unborn, &born)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::trace;
    use crate::unread::read_all;

    #[test]
    fn a_full_file_is_followed_by_another() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool {
            enough: 1,
            ..Spool::open(dir.path()).unwrap()
        };
        spool.append(&trace(1, "a")).unwrap();
        spool.append(&trace(2, "b")).unwrap();
        assert_eq!(std::fs::read_dir(dir.path().join("spool")).unwrap().count(), 2);
        let events: Vec<String> = read_all(dir.path())
            .unwrap()
            .traces
            .into_iter()
            .map(|trace| trace.event)
            .collect();
        assert_eq!(events, ["a", "b"]);
    }

    #[test]
    fn full_files_stay_until_they_are_on_the_disk_itself() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool {
            enough: 1,
            ..Spool::open(dir.path()).unwrap()
        };
        for n in 1..4 {
            spool.append(&trace(n, "a")).unwrap();
        }
        assert_eq!(spool.pages().full.len(), 2);
        spool.sync().unwrap();
        let pages = spool.pages();
        let current = pages.current.as_ref().unwrap();
        assert_eq!((pages.full.len(), current.synced), (0, current.len));
    }

    #[test]
    fn where_nobody_brings_them_to_the_disk_no_more_than_some_wait() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool {
            enough: 1,
            ..Spool::open(dir.path()).unwrap()
        };
        for n in 0..UNSYNCED as u64 + 5 {
            spool.append(&trace(n + 1, "a")).unwrap();
        }
        assert_eq!(spool.pages().full.len(), UNSYNCED);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_counted_and_returned() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path()).unwrap();
        let full = std::fs::OpenOptions::new().append(true).open("/dev/full").unwrap();
        spool.pages().current = Some(Current {
            file: Arc::new(full),
            len: 0,
            synced: 0,
        });
        let error = spool.append(&trace(1, "a")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(spool.losses(), Losses { bodies: 0, traces: 1 });
    }
}
