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

use crate::data_folder::{DataFolder, spooled_bytes};
use crate::error::ErrorClass;
use crate::open_segment::OpenSegment;
use crate::projection::without_body;

/// What a spool file is called.
pub(crate) const SUFFIX: &str = "jsonl";
/// What it is called until its writer holds its lock.
pub(crate) const TEMP_SUFFIX: &str = "new";
/// The form of a line, which is its first member. Lines without it are of before there were forms, and are read until 1.0.
pub(crate) const LINE_VERSION: u8 = 1;
/// Beyond this many bytes a new file is begun, so that imported ones can go while their writer lives.
const SEGMENT_BYTES: u64 = 4 << 20;
/// So many full files wait to be brought to the disk and imported; where nobody does that, the oldest is left to the system.
const MAX_UNSYNCED_SEGMENTS: usize = 64;
/// A spool of so many bytes takes new traces without bodies.
const BODIES_LIMIT_BYTES: u64 = 256 << 20;
/// A spool of so many bytes takes no new traces.
const TRACES_LIMIT_BYTES: u64 = 512 << 20;

/// What there is no room in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSpace {
    /// The disk is full.
    Disk,
    /// The spool holds this many bytes that could not be imported.
    Spool(u64),
}

/// How much of a trace was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendResult {
    /// All of it.
    Whole,
    /// There was room only for what outlives bodies; payloads, streams and edits are lost.
    WithoutBody(NoSpace),
}

/// Why a trace was not kept.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// There is no room, not even without the body.
    #[error("no room")]
    NoSpace(NoSpace),
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
pub struct DiskFullLosses {
    /// Traces kept without payloads and streams, and not imported since.
    pub bodies: u64,
    /// Traces not kept at all, since this process began.
    pub traces: u64,
}

/// That files of a living process were gone from their place, and were written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestoreRecord {
    /// When that was last noticed.
    pub at: Timestamp,
    /// Lines written again since this process began; those that had been imported are among them.
    pub traces: u64,
}

/// A point in the life of a spool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpoolPosition {
    full: usize,
    bodies: u64,
}

/// This process's place to write traces to. Cheap, synchronous, shared between threads.
#[derive(Debug)]
pub struct Spool {
    folder: DataFolder,
    segment_bytes: u64,
    /// Bytes up to which bodies, and up to which traces are taken.
    limits: (u64, u64),
    segments: Mutex<Segments>,
    /// Names that sort in the order of their files, within one millisecond too.
    id_generator: Mutex<Generator>,
    lost_bodies: AtomicU64,
    lost_traces: AtomicU64,
    /// Something was in the place of the folder.
    cleared: AtomicBool,
}

#[derive(Debug, Default)]
struct Segments {
    current: Option<OpenSegment>,
    /// Full files that are not on the disk itself or not imported yet. They stay open, and so locked, until they are.
    full: Vec<OpenSegment>,
    /// Bytes of all spool files, of other processes too: as measured last, and what was written since. `None` before the
    /// first event, and where a new file was begun.
    bytes: Option<u64>,
    last_restore: Option<RestoreRecord>,
}

impl Spool {
    /// Makes nothing yet: the folder and a file are made with the first trace.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: DataFolder::new(data_dir),
            segment_bytes: SEGMENT_BYTES,
            limits: (BODIES_LIMIT_BYTES, TRACES_LIMIT_BYTES),
            segments: Mutex::default(),
            id_generator: Mutex::new(Generator::new()),
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
        spool.prepare(spool.next_id())?;
        Ok(spool)
    }

    /// Writes one trace as one line by one `write`. When the disk or the spool is full, what outlives bodies is kept.
    ///
    /// # Errors
    /// There is no room even for that, or the folder cannot be written; nothing was written then.
    pub fn append(&self, trace: &Trace) -> Result<AppendResult, AppendError> {
        let result = self.store_trace(trace);
        match &result {
            Ok(AppendResult::Whole) => {}
            Ok(AppendResult::WithoutBody(_)) => drop(self.lost_bodies.fetch_add(1, Ordering::Relaxed)),
            Err(_) => drop(self.lost_traces.fetch_add(1, Ordering::Relaxed)),
        }
        result
    }

    fn store_trace(&self, trace: &Trace) -> Result<AppendResult, AppendError> {
        let io = |source: io::Error| match ErrorClass::from_io(&source) {
            ErrorClass::Full => AppendError::NoSpace(NoSpace::Disk),
            ErrorClass::Damage
            | ErrorClass::NotWritable
            | ErrorClass::Unfinished
            | ErrorClass::Locked
            | ErrorClass::Refused
            | ErrorClass::Other => AppendError::Io {
                path: self.folder.spool(),
                source,
            },
        };
        let bare = || encode_line(&without_body(trace, 0)).map_err(io);
        let whole = encode_line(trace).map_err(io)?;
        let mut segments = self.lock_segments();
        if !segments.current.as_ref().is_none_or(OpenSegment::is_in_place) {
            self.restore_segments(&mut segments).map_err(io)?;
        }
        if let Some(bytes) = self.bytes_beyond(&mut segments, self.limits.0) {
            let no_space = NoSpace::Spool(bytes);
            if bytes >= self.limits.1 {
                return Err(AppendError::NoSpace(no_space));
            }
            let written = self.append_line(&mut segments, &bare()?);
            return written.map(|()| AppendResult::WithoutBody(no_space)).map_err(io);
        }
        match self.append_line(&mut segments, &whole) {
            Ok(()) => Ok(AppendResult::Whole),
            Err(error) if ErrorClass::from_io(&error) == ErrorClass::Full => {
                let written = self.append_line(&mut segments, &bare()?);
                written.map(|()| AppendResult::WithoutBody(NoSpace::Disk)).map_err(io)
            }
            Err(error) => Err(io(error)),
        }
    }

    /// The bytes of the spool when they are that many. Measured again before it is believed: others import.
    fn bytes_beyond(&self, segments: &mut Segments, limit: u64) -> Option<u64> {
        let measured = segments.bytes.filter(|bytes| *bytes < limit);
        let bytes = measured.unwrap_or_else(|| spooled_bytes(&self.folder.spool()));
        segments.bytes = Some(bytes);
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
            let segments = self.lock_segments();
            let written = segments
                .full
                .iter()
                .chain(&segments.current)
                .filter(|it| it.synced_len < it.len);
            written.map(|it| (Arc::clone(&it.file), it.len)).collect()
        };
        for (file, len) in unsynced {
            // One that the disk refuses must not keep the others from it.
            if let Err(error) = file.sync_data() {
                result = result.and(Err(error));
                continue;
            }
            let mut segments = self.lock_segments();
            let Segments { current, full, .. } = &mut *segments;
            for segment in full.iter_mut().chain(current) {
                if Arc::ptr_eq(&segment.file, &file) {
                    segment.synced_len = segment.synced_len.max(len);
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
        let cleared = self.folder.clear_spool_path(id_time(self.next_id()))?;
        self.cleared.fetch_or(cleared, Ordering::Relaxed);
        self.restore_segments(&mut self.lock_segments())
    }

    /// How often that was needed, when it was.
    #[must_use]
    pub fn last_restore(&self) -> Option<RestoreRecord> {
        self.lock_segments().last_restore
    }

    /// Whether this process put something out of the way that was in the place of the folder ([`crate::quarantined_spools`]).
    #[must_use]
    pub fn has_cleared_path(&self) -> bool {
        self.cleared.load(Ordering::Relaxed)
    }

    fn restore_segments(&self, segments: &mut Segments) -> io::Result<()> {
        let Segments { current, full, .. } = segments;
        for segment in full.iter_mut().chain(current) {
            if segment.is_in_place() {
                continue;
            }
            let id = self.next_id();
            self.prepare(id)?;
            let lines = segment.rewrite(&self.folder.spool(), id)?;
            let traces = segments.last_restore.map_or(0, |it| it.traces) + lines;
            segments.last_restore = Some(RestoreRecord {
                at: id_time(id),
                traces,
            });
        }
        Ok(())
    }

    /// Lets go of every file, so that they can be imported to their ends and removed. The next trace begins another one.
    ///
    /// # Errors
    /// Files that are gone from their place cannot be written again. All are held on to: with this process their lines end.
    pub fn release(&self) -> io::Result<()> {
        let mut segments = self.lock_segments();
        self.restore_segments(&mut segments)?;
        segments.current = None;
        segments.full.clear();
        Ok(())
    }

    /// What this process's spool could not keep.
    #[must_use]
    pub fn losses(&self) -> DiskFullLosses {
        DiskFullLosses {
            bodies: self.lost_bodies.load(Ordering::Relaxed),
            traces: self.lost_traces.load(Ordering::Relaxed),
        }
    }

    /// How far this process's spool is now, for [`Self::mark_imported`].
    pub(crate) fn position(&self) -> SpoolPosition {
        SpoolPosition {
            full: self.lock_segments().full.len(),
            bodies: self.lost_bodies.load(Ordering::Relaxed),
        }
    }

    /// That everything up to there is in the database: full files are let go of once they are on the disk itself, and lost
    /// bodies are counted by the database from now on.
    pub(crate) fn mark_imported(&self, position: SpoolPosition) {
        self.lost_bodies.fetch_sub(position.bodies, Ordering::Relaxed);
        let mut at = 0;
        self.lock_segments().full.retain(|segment| {
            at += 1;
            at > position.full || segment.synced_len < segment.len
        });
    }

    /// A panic elsewhere leaves the file as whole as every write does.
    fn lock_segments(&self) -> MutexGuard<'_, Segments> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> Ulid {
        let mut generator = self.id_generator.lock().unwrap_or_else(PoisonError::into_inner);
        generator
            .generate()
            .unwrap_or_else(|overflow| overflow.commit_overflow_increment())
    }

    fn append_line(&self, segments: &mut Segments, line: &[u8]) -> io::Result<()> {
        let Segments {
            current: slot, full, ..
        } = segments;
        if let Some(current) = slot.take_if(|current| current.len >= self.segment_bytes) {
            if full.len() == MAX_UNSYNCED_SEGMENTS {
                full.remove(0);
            }
            full.push(current);
        }
        let current = match slot {
            Some(current) => current,
            none => {
                segments.bytes = segments.bytes.filter(|_| full.is_empty());
                none.insert(self.create_segment()?)
            }
        };
        match (&*current.file).write(line) {
            Ok(written) if written == line.len() => {
                current.len += line.len() as u64;
                segments.bytes = segments.bytes.map(|bytes| bytes + line.len() as u64);
                Ok(())
            }
            Ok(_) => {
                // The rest would not fit: take the beginning out again, or never add to this file.
                if current.file.set_len(current.len).is_err() {
                    segments.current = None;
                }
                Err(io::ErrorKind::StorageFull.into())
            }
            Err(error) => Err(error),
        }
    }

    fn prepare(&self, id: Ulid) -> io::Result<()> {
        let cleared = self.folder.prepare_spool(id_time(id))?;
        self.cleared.fetch_or(cleared, Ordering::Relaxed);
        Ok(())
    }

    fn create_segment(&self) -> io::Result<OpenSegment> {
        let id = self.next_id();
        self.prepare(id)?;
        OpenSegment::create(&self.folder.spool(), id)
    }
}

/// When a name was made.
fn id_time(id: Ulid) -> Timestamp {
    Timestamp::try_from(id.datetime()).unwrap_or_default()
}

/// `{"v":1,` and the members of the trace.
fn encode_line(trace: &Trace) -> io::Result<Vec<u8>> {
    let mut line = format!("{{\"v\":{LINE_VERSION}").into_bytes();
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
