//! The newest lines of the spool, within limits. So a reader's memory is limited, however long the spool is.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::spool_reader::{RawJson, SpooledTrace, list_files, read_chunk};

/// How much of the spool is read: the newest lines, at most `lines` of them, and about `bytes` bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadLimits {
    pub(crate) lines: usize,
    pub(crate) bytes: u64,
}

/// The limits next to a database that is imported into: the other lines are in the database soon.
pub(crate) const LIMITS_WITH_DATABASE: ReadLimits = ReadLimits {
    lines: 4_000,
    bytes: 16 << 20,
};
/// The limits when the database cannot be used (`CONTRACTS.md` §2.6).
pub(crate) const LIMITS_SPOOL_ONLY: ReadLimits = ReadLimits {
    lines: 20_000,
    bytes: 64 << 20,
};

/// A part of a spool file: its name, its begin and its end in bytes.
type FileRange = (String, u64, u64);

/// The number of lines in parts of files. It is cached, so that lines which are left out are counted once.
pub(crate) type LineCounts = Arc<Mutex<HashMap<FileRange, u64>>>;

/// The part of each spool file that is not imported, oldest file first.
pub(crate) fn unread_ranges(dir: &Path, imported: &HashMap<String, u64>) -> io::Result<Vec<FileRange>> {
    let part = |name: String| {
        let from = imported.get(&name).copied().unwrap_or(0);
        // A file that no longer exists was imported by another process.
        let to = std::fs::metadata(dir.join(&name)).map_or(0, |file| file.len());
        (to > from).then_some((name, from, to))
    };
    Ok(list_files(dir)?.into_iter().filter_map(part).collect())
}

/// The newest traces within the limits, oldest first, and the number of lines before them.
pub(crate) fn read_newest(
    dir: &Path,
    imported: &HashMap<String, u64>,
    limits: ReadLimits,
    line_counts: &LineCounts,
) -> io::Result<(Vec<SpooledTrace>, u64)> {
    let (mut found, mut left_out) = (Vec::new(), 0);
    let (mut bytes, mut room) = (limits.bytes, limits.lines);
    for (name, from, to) in unread_ranges(dir, imported)?.into_iter().rev() {
        let mut begin = from.max(to.saturating_sub(bytes));
        if begin > from {
            begin = next_line_start(dir, &name, (begin, to))?;
        }
        bytes = bytes.saturating_sub(to - begin);
        left_out += count_lines(dir, (name.clone(), from, begin), line_counts)?;
        if begin == to {
            continue;
        }
        let mut traces = read_from(dir, &name, begin)?;
        let over = traces.len().saturating_sub(room);
        if over > 0 {
            traces.drain(..over);
            left_out += over as u64;
            bytes = 0;
        }
        room -= traces.len();
        found.push(traces);
    }
    Ok((found.into_iter().rev().flatten().collect(), left_out))
}

/// The position of the first line that begins within a part, or the part's end.
fn next_line_start(dir: &Path, name: &str, (from, to): (u64, u64)) -> io::Result<u64> {
    let Some(mut file) = open_at(dir, name, from.saturating_sub(1))? else {
        return Ok(to);
    };
    let mut at = from.saturating_sub(1);
    loop {
        let read = file.fill_buf()?;
        if read.is_empty() || at >= to {
            return Ok(to);
        }
        if let Some(end) = read.iter().position(|byte| *byte == b'\n') {
            return Ok((at + end as u64 + 1).min(to));
        }
        let read = read.len();
        at += read as u64;
        file.consume(read);
    }
}

/// How many lines end in a part of a file.
fn count_lines(dir: &Path, part: FileRange, line_counts: &LineCounts) -> io::Result<u64> {
    let (name, from, to) = &part;
    if from == to {
        return Ok(0);
    }
    if let Some(known) = line_counts.lock().unwrap_or_else(PoisonError::into_inner).get(&part) {
        return Ok(*known);
    }
    let Some(mut file) = open_at(dir, name, *from)? else {
        return Ok(0);
    };
    let (mut left, mut count) = (to - from, 0);
    while left > 0 {
        let read = file.fill_buf()?;
        let read = &read[..read.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        if read.is_empty() {
            break;
        }
        count += read.iter().filter(|byte| **byte == b'\n').count() as u64;
        let read = read.len();
        left -= read as u64;
        file.consume(read);
    }
    let mut line_counts = line_counts.lock().unwrap_or_else(PoisonError::into_inner);
    // Parts of files that no longer exist are useless.
    if line_counts.len() >= 1024 {
        line_counts.clear();
    }
    line_counts.insert(part, count);
    Ok(count)
}

/// Opens a file at a position. `None` if it no longer exists, because another process imported and removed it.
fn open_at(dir: &Path, name: &str, from: u64) -> io::Result<Option<BufReader<File>>> {
    let mut file = match File::open(dir.join(name)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(from))?;
    Ok(Some(BufReader::with_capacity(1 << 16, file)))
}

/// The traces of a file from a position on.
fn read_from(dir: &Path, name: &str, mut from: u64) -> io::Result<Vec<SpooledTrace>> {
    let mut traces = Vec::new();
    while let Some(chunk) = read_chunk(dir, name, from, RawJson::Omit)? {
        traces.extend(chunk.traces);
        if !chunk.has_more {
            break;
        }
        from = chunk.end;
    }
    Ok(traces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::trace;

    fn newest(dir: &Path, imported: &HashMap<String, u64>, limits: ReadLimits) -> (Vec<String>, u64) {
        let line_counts = LineCounts::default();
        let first = read_newest(&dir.join("spool"), imported, limits, &line_counts).unwrap();
        let again = read_newest(&dir.join("spool"), imported, limits, &line_counts).unwrap();
        assert_eq!(first.1, again.1, "what is counted once is remembered");
        (first.0.into_iter().map(|it| it.trace.event).collect(), first.1)
    }

    #[test]
    fn only_the_newest_lines_within_reach_are_read_and_the_others_counted() {
        let dir = tempfile::tempdir().unwrap();
        let spool = dir.path().join("spool");
        std::fs::create_dir(&spool).unwrap();
        for file in 0..3 {
            let line = |line: u64| {
                let trace = trace(file * 4 + line + 1, &format!("{file}.{line}"));
                serde_json::to_string(&trace).unwrap() + "\n"
            };
            let lines: String = (0..4).map(line).collect();
            std::fs::write(spool.join(format!("{file}.jsonl")), lines).unwrap();
        }
        let none = HashMap::new();
        let large = ReadLimits {
            lines: 100,
            bytes: 1 << 20,
        };
        let (all, left_out) = newest(dir.path(), &none, large);
        assert_eq!((all.len(), left_out), (12, 0));
        assert!(all.is_sorted(), "oldest first");

        let (some, left_out) = newest(dir.path(), &none, ReadLimits { lines: 5, ..large });
        assert_eq!((some.as_slice(), left_out), (&all[7..], 7));

        let line = std::fs::metadata(spool.join("0.jsonl")).unwrap().len() / 4;
        let (some, left_out) = newest(
            dir.path(),
            &none,
            ReadLimits {
                bytes: line * 6 - 3,
                ..large
            },
        );
        assert_eq!(
            (some.as_slice(), left_out),
            (&all[7..], 7),
            "a line that is cut is left out"
        );

        let imported = (0..3).map(|file| (format!("{file}.jsonl"), line * 3)).collect();
        let (some, left_out) = newest(dir.path(), &imported, ReadLimits { lines: 2, ..large });
        assert_eq!((some, left_out), (vec!["1.3".to_owned(), "2.3".to_owned()], 1));
    }
}
