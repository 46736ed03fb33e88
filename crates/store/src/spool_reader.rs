//! The reading end of the spool: lines that are not in the database yet.

use std::fs::{DirEntry, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::trace::Trace;
use hookwright_model::{Catalog, CompactTrace, SpoolLine, json_depth};
use jiff::Timestamp;
use ulid::Ulid;

use crate::data_folder::{DataFolder, open_regular, with_suffix};
use crate::spool::{LINE_VERSION, SUFFIX, TEMP_SUFFIX};

/// The suffix that a file gets if some of its lines could not be imported.
const UNREAD_SUFFIX: &str = ".unread";
/// Bytes that are read from one file at once. A longer line is read completely.
const CHUNK_BYTES: usize = 2 << 20;
/// A longer line is not a trace: it is twice what a trace of the largest payload has.
pub(crate) const MAX_LINE_BYTES: u64 = 256 << 20;

/// A spooled trace, and where its line ends.
#[derive(Debug, Clone)]
pub(crate) struct SpooledTrace {
    pub(crate) id: [u8; 16],
    /// The trace; of one that this process has just written, without its streams.
    pub(crate) trace: Trace,
    /// The line without its end, as the database stores it.
    pub(crate) line: Arc<[u8]>,
    pub(crate) file: Arc<str>,
    /// Bytes of the file up to the end of this line.
    pub(crate) end: u64,
}

impl SpooledTrace {
    /// A trace that this process has just written; `None` if its id is not a ULID.
    pub(crate) fn handed(trace: &CompactTrace, line: &SpoolLine, catalog: &Catalog) -> Option<Self> {
        let bytes = line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes);
        Some(Self {
            id: id_bytes(&trace.trace)?,
            trace: trace.render_without_streams(catalog),
            line: bytes.into(),
            file: Arc::clone(&line.segment),
            end: line.end,
        })
    }

    /// The key by which pages are ordered.
    pub(crate) fn page_key(&self) -> PageKey {
        (nanos(self.trace.at), self.id)
    }
}

/// The time in nanoseconds since 1970, then the id.
pub(crate) type PageKey = (i64, [u8; 16]);

/// Nanoseconds since 1970. Times outside the years 1677 to 2262 give the nearest possible value.
pub(crate) fn nanos(at: Timestamp) -> i64 {
    let at = at.as_nanosecond();
    i64::try_from(at).unwrap_or(if at < 0 { i64::MIN } else { i64::MAX })
}

/// The result of one read of a file.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub(crate) file: Arc<str>,
    pub(crate) traces: Vec<SpooledTrace>,
    /// Complete lines that are not a trace.
    pub(crate) unread_lines: u64,
    /// Position in the file after the last complete line, in bytes.
    pub(crate) end: u64,
    /// There is more to read.
    pub(crate) has_more: bool,
}

impl Chunk {
    /// A part of a file that begins and ends here.
    pub(crate) fn empty(file: &Arc<str>, at: u64) -> Self {
        Self {
            file: Arc::clone(file),
            traces: Vec::new(),
            unread_lines: 0,
            end: at,
            has_more: false,
        }
    }

    /// The same part of the file, without its traces.
    pub(crate) fn clone_without_traces(&self) -> Self {
        Self {
            file: Arc::clone(&self.file),
            traces: Vec::new(),
            ..*self
        }
    }
}

/// The contents of the spool.
#[derive(Debug, Clone, Default)]
pub struct SpoolContents {
    /// The traces of the oldest file first, each file in the order in which it was written.
    pub traces: Vec<Trace>,
    /// Complete lines that are not a trace.
    pub unread_lines: u64,
}

/// Reads all complete lines of all spool files, including files that are already imported but still exist.
///
/// # Errors
/// The spool folder exists and cannot be read.
pub fn read_all(data_dir: &Path, catalog: &Catalog) -> io::Result<SpoolContents> {
    let mut spooled = SpoolContents::default();
    let dir = DataFolder::new(data_dir).spool();
    for name in list_files(&dir)? {
        let mut from = 0;
        while let Some(chunk) = read_chunk(&dir, &name, from, catalog)? {
            spooled.unread_lines += chunk.unread_lines;
            let traces = chunk.traces.into_iter().map(|incoming| incoming.trace);
            spooled.traces.extend(traces);
            if !chunk.has_more {
                break;
            }
            from = chunk.end;
        }
    }
    Ok(spooled)
}

/// The names of the spool files, oldest first.
pub(crate) fn list_files(dir: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let names = entries
        .flatten()
        .filter(is_file)
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(&format!(".{SUFFIX}"))).collect();
    names.sort();
    Ok(names)
}

/// Reads about 2 MiB of complete lines from a position on. `None` if the file no longer exists, because another process
/// imported and removed it.
pub(crate) fn read_chunk(dir: &Path, name: &str, from: u64, catalog: &Catalog) -> io::Result<Option<Chunk>> {
    let mut file = match open_regular(&dir.join(name)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    let mut more = (&mut file).take(CHUNK_BYTES as u64).read_to_end(&mut bytes)? == CHUNK_BYTES;
    if more && !bytes.contains(&b'\n') {
        // The line is searched for its end before it is read, so that a broken file does not fill the memory.
        let Some(rest) = bytes_to_line_end(&mut file)? else {
            return Ok(Some(Chunk::empty(&name.into(), from)));
        };
        if bytes.len() as u64 + rest > MAX_LINE_BYTES {
            return Ok(Some(Chunk {
                unread_lines: 1,
                has_more: true,
                ..Chunk::empty(&name.into(), from + bytes.len() as u64 + rest)
            }));
        }
        file.seek(SeekFrom::Start(from + bytes.len() as u64))?;
        (&mut file).take(rest).read_to_end(&mut bytes)?;
        more = true;
    }
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut chunk = Chunk {
        end: from + whole as u64,
        has_more: more && whole > 0,
        ..Chunk::empty(&name.into(), from)
    };
    let mut end = from;
    for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
        end += line.len() as u64;
        let line = &line[..line.len() - 1];
        let parsed = parse_line(line, catalog).and_then(|trace| Some((id_bytes(&trace.trace)?, trace)));
        match parsed {
            Some((id, trace)) => chunk.traces.push(SpooledTrace {
                id,
                trace,
                line: line.into(),
                file: Arc::clone(&chunk.file),
                end,
            }),
            None => chunk.unread_lines += 1,
        }
    }
    Ok(Some(chunk))
}

/// How many bytes follow in a file until its next line end, that included. `None` if there is no line end.
fn bytes_to_line_end(file: &mut File) -> io::Result<Option<u64>> {
    let mut buffer = vec![0; 1 << 16];
    let mut passed = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(None);
        }
        if let Some(at) = buffer[..read].iter().position(|byte| *byte == b'\n') {
            return Ok(Some(passed + at as u64 + 1));
        }
        passed += read as u64;
    }
}

/// The trace of a line, in any form. The database contains the same lines.
pub(crate) fn parse_line(line: &[u8], catalog: &Catalog) -> Option<Trace> {
    let line = std::str::from_utf8(line).ok()?;
    let version = match line.strip_prefix("{\"v\":") {
        Some(rest) => rest.split_once(',')?.0.parse().ok()?,
        None => 0,
    };
    match version {
        // Readers of these forms ignore the member `v`.
        0_u8 | 1 => json_depth::read(line).ok(),
        LINE_VERSION => {
            let compact: CompactTrace = json_depth::read(line).ok()?;
            Some(compact.render(catalog))
        }
        // A line of a later version can only be read by the program that wrote it.
        _ => None,
    }
}

/// The bytes of an id; `None` unless it is a ULID in its canonical spelling.
fn id_bytes(text: &str) -> Option<[u8; 16]> {
    let id = Ulid::from_string(text).ok()?;
    (id.to_string() == text).then(|| id.to_bytes())
}

/// What happened to a file that was imported to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetireResult {
    /// Its writer still runs, or another process uses the file.
    InUse,
    /// The writer wrote more before it exited.
    MoreToRead,
    /// The file was removed. This many bytes at its end were an incomplete line.
    Removed(u64),
    /// The file contains lines that are not a trace or that the database refused, and is kept as `….unread`. This many
    /// bytes at its end were an incomplete line.
    Quarantined(u64),
}

/// Removes a file whose writer has exited and that is imported up to `imported`, the end of its last complete line. A
/// file with `unread` lines is kept, and its modification time is set to `now`.
#[expect(clippy::disallowed_methods, reason = "the spool files are the history's own")]
pub(crate) fn retire_file(
    dir: &Path,
    name: &str,
    (imported, unread): (u64, u64),
    now: Timestamp,
) -> io::Result<RetireResult> {
    let path = dir.join(name);
    let mut file = match open_regular(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(RetireResult::InUse),
        Err(error) => return Err(error),
    };
    if file.try_lock().is_err() {
        return Ok(RetireResult::InUse);
    }
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(imported))?;
    file.read_to_end(&mut tail)?;
    if tail.contains(&b'\n') {
        return Ok(RetireResult::MoreToRead);
    }
    let torn = tail.len() as u64;
    if unread > 0 {
        std::fs::rename(&path, with_suffix(&path, UNREAD_SUFFIX))?;
        // The time only decides how long the file is reported.
        let _ = file.set_modified(now.into());
        return Ok(RetireResult::Quarantined(torn));
    }
    std::fs::remove_file(&path)?;
    Ok(RetireResult::Removed(torn))
}

/// Spool files with lines that could not be imported, each with the time when it was renamed, oldest first.
#[must_use]
pub fn unread_files(data_dir: &Path) -> Vec<(Timestamp, PathBuf)> {
    let entries = std::fs::read_dir(DataFolder::new(data_dir).spool())
        .into_iter()
        .flatten()
        .flatten();
    let paths = entries.filter(is_file).map(|entry| entry.path());
    let with_time = |path: PathBuf| {
        path.file_name()?
            .to_str()?
            .strip_suffix(UNREAD_SUFFIX)?
            .strip_suffix(SUFFIX)?;
        let at = path.metadata().and_then(|file| file.modified()).ok()?;
        Some((Timestamp::try_from(at).ok()?, path))
    };
    let mut all: Vec<_> = paths.filter_map(with_time).collect();
    all.sort();
    all
}

/// Whether an entry is a regular file. Opening a pipe would wait for a writer.
fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// Whether there are files for [`remove_temp_files`].
pub(crate) fn has_temp_files(dir: &Path) -> bool {
    temp_files(dir).next().is_some()
}

/// Removes the files of writers that died before they renamed their file. These contain no traces.
pub(crate) fn remove_temp_files(dir: &Path) -> io::Result<()> {
    for path in temp_files(dir) {
        let old_enough = open_regular(&path).is_ok_and(|file| file.try_lock().is_ok() && is_old(&file));
        if old_enough {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn temp_files(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten().filter(is_file);
    let paths = files.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|it| it == TEMP_SUFFIX))
}

/// Whether a file was last written more than a minute ago. A younger file may be about to be locked.
fn is_old(file: &File) -> bool {
    let age = file
        .metadata()
        .and_then(|meta| meta.modified())
        .ok()
        .and_then(|at| at.elapsed().ok());
    age.is_some_and(|age| age.as_secs() > 60)
}
