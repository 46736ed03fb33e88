//! The writing end of the spool: one `write` puts a trace into a file before its reply leaves (`CONTRACTS.md` §2.6).
//!
//! Each process appends to its own file and locks it while it lives. So an importer can distinguish a file that may
//! grow from a complete one. When the folder or a file was removed or replaced, the file is written again before
//! anything else is acknowledged. If the folder's path is taken by something that is not a folder, that is renamed and
//! kept.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookwright_model::{Catalog, CompactTrace, SpoolLine};
use jiff::Timestamp;
use ulid::{Generator, Ulid};

use crate::data_folder::{DataFolder, spooled_bytes};
use crate::error::ErrorClass;
use crate::open_segment::OpenSegment;
use crate::projection::without_body;

/// The extension of a spool file.
pub(crate) const SUFFIX: &str = "jsonl";
/// The extension of a spool file until its writer holds its lock.
pub(crate) const TEMP_SUFFIX: &str = "new";
/// The version of a line's format, which is the first member of the line. Version 2 is a compact trace. Version 1, and
/// lines without a version, contain the whole document; they are read until 1.0.
pub(crate) const LINE_VERSION: u8 = 2;
/// A file with this many bytes is full, and a new one is begun. So imported files can be removed while their writer
/// lives.
const SEGMENT_BYTES: u64 = 4 << 20;
/// At most this many full files wait until they are synced to the disk and imported. If that does not happen, the
/// oldest is closed and the operating system writes it to the disk.
const MAX_UNSYNCED_SEGMENTS: usize = 64;
/// A spool of this many bytes takes new traces only without bodies.
const BODIES_LIMIT_BYTES: u64 = 256 << 20;
/// A spool of this many bytes takes no new traces.
const TRACES_LIMIT_BYTES: u64 = 512 << 20;

/// Where there is no space left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSpace {
    /// The disk is full.
    Disk,
    /// The spool contains this many bytes that could not be imported.
    Spool(u64),
}

/// How much of a trace was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendResult {
    /// The whole trace was written.
    Whole,
    /// There was space only for what outlives bodies. Payloads, streams and edits are lost.
    WithoutBody(NoSpace),
}

/// A trace that was written.
#[derive(Debug, Clone)]
pub struct Appended {
    /// How much of it was written.
    pub result: AppendResult,
    /// Where it was written.
    pub line: SpoolLine,
}

/// Why a trace was not written.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// There is no space, not even for the trace without its body.
    #[error("no room")]
    NoSpace(NoSpace),
    /// The operating system reported another error.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The spool folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// What this process could not record in its spool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskFullLosses {
    /// Traces that were written without payloads and streams, and are not imported yet.
    pub bodies: u64,
    /// Traces that were not written at all, since this process started.
    pub traces: u64,
}

/// Reports that files of a running process were removed or replaced, and were written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestoreRecord {
    /// When this was last noticed.
    pub at: Timestamp,
    /// Lines that were written again since this process started, including lines that were already imported.
    pub traces: u64,
}

/// The state of the spool when an import began, for [`Spool::mark_imported`].
#[derive(Debug, Clone)]
pub(crate) struct SpoolPosition {
    full: usize,
    bodies: u64,
    /// The files that this process appends to, or did until they were full, with their lengths.
    pub(crate) live: Vec<(Arc<str>, u64)>,
}

/// Writes the traces of this process. It is cheap, synchronous, and shared between threads.
#[derive(Debug)]
pub struct Spool {
    folder: DataFolder,
    catalog: Catalog,
    segment_bytes: u64,
    /// The sizes of the spool in bytes up to which it takes bodies, and up to which it takes traces.
    limits: (u64, u64),
    segments: Mutex<Segments>,
    /// Generates names that sort in the order of their files, also within one millisecond.
    id_generator: Mutex<Generator>,
    lost_bodies: AtomicU64,
    lost_traces: AtomicU64,
    /// The folder's path was taken by something else, which was renamed.
    cleared: AtomicBool,
}

#[derive(Debug, Default)]
struct Segments {
    current: Option<OpenSegment>,
    /// Full files that are not yet synced to the disk or not yet imported. They stay open, and so locked, until they
    /// are both.
    full: Vec<OpenSegment>,
    /// Bytes of all spool files, including those of other processes: the last measurement, plus what was written since.
    /// `None` before the first trace, and when a file is begun while full ones wait.
    bytes: Option<u64>,
    last_restore: Option<RestoreRecord>,
}

impl Spool {
    /// Creates nothing yet: the folder and a file are created with the first trace.
    #[must_use]
    pub fn new(data_dir: &Path, catalog: Catalog) -> Self {
        Self {
            folder: DataFolder::new(data_dir),
            catalog,
            segment_bytes: SEGMENT_BYTES,
            limits: (BODIES_LIMIT_BYTES, TRACES_LIMIT_BYTES),
            segments: Mutex::default(),
            id_generator: Mutex::new(Generator::new()),
            lost_bodies: AtomicU64::new(0),
            lost_traces: AtomicU64::new(0),
            cleared: AtomicBool::new(false),
        }
    }

    /// Creates the spool folder. A file is created with the first trace.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(data_dir: &Path, catalog: Catalog) -> io::Result<Self> {
        let spool = Self::new(data_dir, catalog);
        spool.prepare(spool.next_id())?;
        Ok(spool)
    }

    /// Writes one trace as one line by one `write`. When the disk or the spool is full, only what outlives bodies is
    /// written.
    ///
    /// # Errors
    /// There is no space even for that, or the folder cannot be written. Then nothing was written.
    pub fn append(&self, trace: &CompactTrace) -> Result<Appended, AppendError> {
        let result = self.store_trace(trace);
        match result.as_ref().map(|appended| appended.result) {
            Ok(AppendResult::Whole) => {}
            Ok(AppendResult::WithoutBody(_)) => drop(self.lost_bodies.fetch_add(1, Ordering::Relaxed)),
            Err(_) => drop(self.lost_traces.fetch_add(1, Ordering::Relaxed)),
        }
        result
    }

    fn store_trace(&self, trace: &CompactTrace) -> Result<Appended, AppendError> {
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
        let whole = encode_line(trace).map_err(io)?;
        let mut segments = self.lock_segments();
        if !segments.current.as_ref().is_none_or(OpenSegment::is_in_place) {
            self.restore_segments(&mut segments).map_err(io)?;
        }
        let no_space = match self.bytes_beyond(&mut segments, self.limits.0) {
            Some(bytes) if bytes >= self.limits.1 => return Err(AppendError::NoSpace(NoSpace::Spool(bytes))),
            Some(bytes) => NoSpace::Spool(bytes),
            None => match self.append_line(&mut segments, whole) {
                Ok(line) => {
                    return Ok(Appended {
                        result: AppendResult::Whole,
                        line,
                    });
                }
                Err(error) if ErrorClass::from_io(&error) == ErrorClass::Full => NoSpace::Disk,
                Err(error) => return Err(io(error)),
            },
        };
        let bare = without_body(&trace.render(&self.catalog), 0);
        let line = encode_line(&CompactTrace::new(&bare)).map_err(io)?;
        Ok(Appended {
            result: AppendResult::WithoutBody(no_space),
            line: self.append_line(&mut segments, line).map_err(io)?,
        })
    }

    /// The size of the spool in bytes, if it has reached `limit`. A size over the limit is measured again first,
    /// because other processes import too.
    fn bytes_beyond(&self, segments: &mut Segments, limit: u64) -> Option<u64> {
        let measured = segments.bytes.filter(|bytes| *bytes < limit);
        let bytes = measured.unwrap_or_else(|| spooled_bytes(&self.folder.spool()));
        segments.bytes = Some(bytes);
        (bytes >= limit).then_some(bytes)
    }

    /// Syncs what was written to the disk. Call it outside the event path, at most a second after a write. Then a power
    /// failure costs at most that second (`CONTRACTS.md` §2.6). Files that were removed or replaced are written again
    /// first.
    ///
    /// # Errors
    /// The disk reported an error.
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
            // A file that cannot be synced must not prevent the sync of the others.
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

    /// Writes the files of this process again whose path no longer leads to them, because they or the folder were
    /// removed or replaced. What has taken the folder's path is renamed and kept.
    ///
    /// # Errors
    /// The folder cannot be created, or the disk reported an error. It is tried again with the next trace.
    pub fn restore(&self) -> io::Result<()> {
        let cleared = self.folder.clear_spool_path(id_time(self.next_id()))?;
        self.cleared.fetch_or(cleared, Ordering::Relaxed);
        self.restore_segments(&mut self.lock_segments())
    }

    /// When this process last wrote files again, and how many lines in all; `None` if it never had to.
    #[must_use]
    pub fn last_restore(&self) -> Option<RestoreRecord> {
        self.lock_segments().last_restore
    }

    /// Whether this process renamed something that had taken the folder's path ([`crate::quarantined_spools`]).
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

    /// Releases every file, so that the files can be imported completely and removed. The next trace begins a new file.
    ///
    /// # Errors
    /// Files that were removed or replaced cannot be written again. Then no file is released, because their lines would
    /// be lost.
    pub fn release(&self) -> io::Result<()> {
        let mut segments = self.lock_segments();
        self.restore_segments(&mut segments)?;
        segments.current = None;
        segments.full.clear();
        Ok(())
    }

    /// What this process could not record in its spool.
    #[must_use]
    pub fn losses(&self) -> DiskFullLosses {
        DiskFullLosses {
            bodies: self.lost_bodies.load(Ordering::Relaxed),
            traces: self.lost_traces.load(Ordering::Relaxed),
        }
    }

    /// The present state of this process's spool, for [`Self::mark_imported`].
    pub(crate) fn position(&self) -> SpoolPosition {
        let segments = self.lock_segments();
        let live = segments.full.iter().chain(&segments.current);
        SpoolPosition {
            full: segments.full.len(),
            bodies: self.lost_bodies.load(Ordering::Relaxed),
            live: live.map(|segment| (Arc::clone(&segment.name), segment.len)).collect(),
        }
    }

    /// Records that everything up to `position` is in the database. Full files are released once they are synced to the
    /// disk. From now on the database counts the lost bodies.
    pub(crate) fn mark_imported(&self, position: &SpoolPosition) {
        self.lost_bodies.fetch_sub(position.bodies, Ordering::Relaxed);
        let mut at = 0;
        self.lock_segments().full.retain(|segment| {
            at += 1;
            at > position.full || segment.synced_len < segment.len
        });
    }

    /// Locks the segments. A panic in another thread does not matter: every write leaves a file with whole lines.
    fn lock_segments(&self) -> MutexGuard<'_, Segments> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> Ulid {
        let mut generator = self.id_generator.lock().unwrap_or_else(PoisonError::into_inner);
        generator
            .generate()
            .unwrap_or_else(|overflow| overflow.commit_overflow_increment())
    }

    fn append_line(&self, segments: &mut Segments, line: Vec<u8>) -> io::Result<SpoolLine> {
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
        match current.append(&line) {
            Ok(()) => {
                segments.bytes = segments.bytes.map(|bytes| bytes + line.len() as u64);
                Ok(SpoolLine {
                    segment: Arc::clone(&current.name),
                    end: current.len,
                    bytes: line.into(),
                })
            }
            Err(failed) => {
                // A full disk still has room for the names of files, one for each event.
                current.remove_if_empty();
                if current.len == 0 || !failed.is_usable {
                    segments.current = None;
                }
                Err(failed.source)
            }
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

/// When an id was generated.
fn id_time(id: Ulid) -> Timestamp {
    Timestamp::try_from(id.datetime()).unwrap_or_default()
}

/// The line of a trace: `{"v":2,` and the members of its compact form.
fn encode_line(trace: &CompactTrace) -> io::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(1024);
    line.extend_from_slice(format!("{{\"v\":{LINE_VERSION}").as_bytes());
    let members = line.len();
    serde_json::to_writer(&mut line, trace)?;
    // This replaces the `{` of the trace. A trace is an object with members, so the comma is correct.
    line[members] = b',';
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
#[path = "spool_tests.rs"]
mod tests;
