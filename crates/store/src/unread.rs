//! The reading end of the spool: lines that are not in the database yet.

use std::collections::HashMap;
use std::fs::{DirEntry, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use hookwright_model::deep;
use hookwright_model::trace::Trace;
use ulid::Ulid;

use crate::folder::{Folder, with_suffix};
use crate::spool::{SUFFIX, UNBORN};

/// Bytes of one file that are taken at once; a longer line is taken whole.
const AT_ONCE: usize = 2 << 20;

/// One spooled trace and where its line ends.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    pub(crate) id: [u8; 16],
    pub(crate) trace: Trace,
    /// The line without its end, which is the trace's JSON.
    pub(crate) json: String,
    pub(crate) file: String,
    /// Bytes of the file up to and with this line.
    pub(crate) end: u64,
}

impl Incoming {
    /// The key that pages are walked by.
    pub(crate) fn key(&self) -> Key {
        (nanos(&self.trace), self.id)
    }
}

/// Time in nanoseconds since 1970, then id.
pub(crate) type Key = (i64, [u8; 16]);

/// Nanoseconds since 1970; saturated outside the years 1677 to 2262.
pub(crate) fn nanos(trace: &Trace) -> i64 {
    let at = trace.at.as_nanosecond();
    i64::try_from(at).unwrap_or(if at < 0 { i64::MIN } else { i64::MAX })
}

/// What a pass over one file gave.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunk {
    pub(crate) file: String,
    pub(crate) traces: Vec<Incoming>,
    /// Complete lines that are no trace.
    pub(crate) unread: u64,
    /// Bytes read up to the end of the last complete line.
    pub(crate) end: u64,
    /// There is more to read.
    pub(crate) more: bool,
}

/// Everything that stands in the spool.
#[derive(Debug, Clone, Default)]
pub struct Spooled {
    /// Oldest file first, each in the order it was written.
    pub traces: Vec<Trace>,
    /// Complete lines that are no trace.
    pub unread: u64,
}

/// Reads all complete lines of all spool files, imported ones that still stand there included.
///
/// # Errors
/// The spool's folder is there and cannot be read.
pub fn read_all(data_dir: &Path) -> io::Result<Spooled> {
    let mut spooled = Spooled::default();
    for chunk in read_from(&Folder::new(data_dir).spool(), &HashMap::new())? {
        spooled.unread += chunk.unread;
        spooled
            .traces
            .extend(chunk.traces.into_iter().map(|incoming| incoming.trace));
    }
    Ok(spooled)
}

/// Reads all files to their ends, each from where it was imported to.
pub(crate) fn read_from(dir: &Path, imported: &HashMap<String, u64>) -> io::Result<Vec<Chunk>> {
    let mut chunks = Vec::new();
    for name in files(dir)? {
        let mut from = imported.get(&name).copied().unwrap_or(0);
        loop {
            let Some(chunk) = read_chunk(dir, &name, from)? else {
                break;
            };
            let (more, end) = (chunk.more, chunk.end);
            chunks.push(chunk);
            if !more {
                break;
            }
            from = end;
        }
    }
    Ok(chunks)
}

/// Names of the spool files, oldest first.
pub(crate) fn files(dir: &Path) -> io::Result<Vec<String>> {
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

/// Reads complete lines from there on, about 2 MiB of them. `None` when the file has gone meanwhile: imported by another.
pub(crate) fn read_chunk(dir: &Path, name: &str, from: u64) -> io::Result<Option<Chunk>> {
    let mut file = match File::open(dir.join(name)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    let mut more = true;
    while more && (bytes.len() < AT_ONCE || !bytes.contains(&b'\n')) {
        let read = (&mut file).take(AT_ONCE as u64).read_to_end(&mut bytes)?;
        more = read == AT_ONCE;
    }
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut chunk = Chunk {
        file: name.to_owned(),
        end: from + whole as u64,
        more: more && whole > 0,
        ..Chunk::default()
    };
    let mut end = from;
    for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
        end += line.len() as u64;
        match parse(&line[..line.len() - 1]) {
            Some((id, trace, json)) => chunk.traces.push(Incoming {
                id,
                trace,
                json,
                file: name.to_owned(),
                end,
            }),
            None => chunk.unread += 1,
        }
    }
    Ok(Some(chunk))
}

/// A trace with an id that is a ULID in its own spelling.
fn parse(line: &[u8]) -> Option<([u8; 16], Trace, String)> {
    let json = std::str::from_utf8(line).ok()?;
    let trace: Trace = deep::read(json).ok()?;
    let id = Ulid::from_string(&trace.trace).ok()?;
    (id.to_string() == trace.trace).then(|| (id.to_bytes(), trace, json.to_owned()))
}

/// What became of a file that was imported to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retired {
    /// Its writer lives, or another process is at it.
    InUse,
    /// Its writer wrote more before it went.
    MoreToRead,
    /// It is gone; so many bytes at its end were the beginning of a line.
    Removed(u64),
    /// It held lines that are no trace, and was put beside, as `….unread`.
    PutBeside(u64),
}

/// Removes a file whose writer is gone and that has been imported up to `imported`, where its last complete line ends.
pub(crate) fn retire(dir: &Path, name: &str, imported: u64, unread: u64) -> io::Result<Retired> {
    let path = dir.join(name);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Retired::InUse),
        Err(error) => return Err(error),
    };
    if file.try_lock().is_err() {
        return Ok(Retired::InUse);
    }
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(imported))?;
    file.read_to_end(&mut tail)?;
    if tail.contains(&b'\n') {
        return Ok(Retired::MoreToRead);
    }
    let torn = tail.len() as u64;
    if unread > 0 {
        std::fs::rename(&path, with_suffix(&path, ".unread"))?;
        return Ok(Retired::PutBeside(torn));
    }
    std::fs::remove_file(&path)?;
    Ok(Retired::Removed(torn))
}

/// Only files are opened: a pipe would wait for somebody who writes to it.
fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// Whether there is anything for [`sweep`].
pub(crate) fn has_unborn(dir: &Path) -> bool {
    unborn(dir).next().is_some()
}

/// Removes what writers left that died before their file had its name. Nothing stands in those.
pub(crate) fn sweep(dir: &Path) -> io::Result<()> {
    for path in unborn(dir) {
        let old_enough = File::open(&path).is_ok_and(|file| file.try_lock().is_ok() && is_old(&file));
        if old_enough {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn unborn(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten().filter(is_file);
    let paths = files.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|it| it == UNBORN))
}

/// Whether a file was last written more than a minute ago. A younger one may be about to be locked.
fn is_old(file: &File) -> bool {
    let age = file
        .metadata()
        .and_then(|meta| meta.modified())
        .ok()
        .and_then(|at| at.elapsed().ok());
    age.is_some_and(|age| age.as_secs() > 60)
}
