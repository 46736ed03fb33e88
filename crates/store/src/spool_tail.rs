//! The newest lines of the spool, within limits. So a reader's memory is limited, however long the spool is.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hookwright_model::Catalog;
use hookwright_model::trace::Trace;

use crate::data_folder::open_regular;
use crate::spool_reader::{list_files, parse_line};

/// How much of the spool is read: the newest lines, at most `lines` of them, and about `bytes` bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadLimits {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

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

/// Where the newest lines within the limits begin in each file, and the number of lines before them that are not
/// imported.
pub(crate) fn newest_starts(
    dir: &Path,
    imported: &HashMap<String, u64>,
    limits: ReadLimits,
) -> io::Result<(HashMap<String, u64>, u64)> {
    let (mut starts, mut left_out) = (HashMap::new(), 0);
    let (mut bytes, mut room) = (limits.bytes, limits.lines);
    for (name, from, to) in unread_ranges(dir, imported)?.into_iter().rev() {
        let mut begin = from.max(to.saturating_sub(bytes));
        if begin > from {
            begin = next_line_start(dir, &name, (begin, to))?;
        }
        bytes = bytes.saturating_sub(to - begin);
        left_out += count_lines(dir, &(name.clone(), from, begin))?;
        let lines = count_lines(dir, &(name.clone(), begin, to))?;
        let over = lines.saturating_sub(room);
        if over > 0 {
            begin = after_lines(dir, &name, begin, over)?;
            left_out += over;
            bytes = 0;
        }
        room -= lines - over;
        starts.insert(name, begin);
    }
    Ok((starts, left_out))
}

/// The number of lines that are not imported. What is counted once is remembered.
pub(crate) fn count_unread(dir: &Path, imported: &HashMap<String, u64>, known: &LineCounts) -> io::Result<u64> {
    let mut sum = 0;
    for range in unread_ranges(dir, imported)? {
        let remembered = known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&range)
            .copied();
        sum += match remembered {
            Some(lines) => lines,
            None => {
                let lines = count_lines(dir, &range)?;
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                // Parts of files that no longer exist are useless.
                if known.len() >= 1024 {
                    known.clear();
                }
                known.insert(range, lines);
                lines
            }
        };
    }
    Ok(sum)
}

/// The newest version of the trace with this id among the newest lines that are not imported.
pub(crate) fn find_unread(
    dir: &Path,
    imported: &HashMap<String, u64>,
    id: &str,
    catalog: &Catalog,
) -> io::Result<Option<Trace>> {
    let (starts, _) = newest_starts(dir, imported, LIMITS_SPOOL_ONLY)?;
    let mut found = None;
    for (name, _, to) in unread_ranges(dir, imported)? {
        let Some(from) = starts.get(&name).copied() else {
            continue;
        };
        let Some(file) = open_at(dir, &name, from)? else {
            continue;
        };
        let mut lines = file.take(to.saturating_sub(from));
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            let text = line.strip_suffix(b"\n").and_then(|text| std::str::from_utf8(text).ok());
            // Parsing costs much more than searching.
            if let Some(text) = text.filter(|text| text.contains(id)) {
                let trace = parse_line(text.as_bytes(), catalog);
                found = trace.filter(|trace| trace.trace == id).or(found);
            }
            line.clear();
        }
    }
    Ok(found)
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
fn count_lines(dir: &Path, (name, from, to): &FileRange) -> io::Result<u64> {
    let mut count = 0;
    each_line_end(dir, name, (*from, *to), |_| {
        count += 1;
        true
    })?;
    Ok(count)
}

/// The position after so many lines.
fn after_lines(dir: &Path, name: &str, from: u64, mut lines: u64) -> io::Result<u64> {
    let mut end = from;
    each_line_end(dir, name, (from, u64::MAX), |at| {
        end = at;
        lines -= 1;
        lines > 0
    })?;
    Ok(end)
}

/// Calls `next` with the position after each line of a part of a file, until it returns `false`.
fn each_line_end(dir: &Path, name: &str, (from, to): (u64, u64), mut next: impl FnMut(u64) -> bool) -> io::Result<()> {
    let Some(mut file) = open_at(dir, name, from)? else {
        return Ok(());
    };
    let mut at = from;
    while at < to {
        let read = file.fill_buf()?;
        let left = usize::try_from(to - at).unwrap_or(usize::MAX);
        let read = &read[..read.len().min(left)];
        if read.is_empty() {
            break;
        }
        let ends = read.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        for (index, _) in ends {
            if !next(at + index as u64 + 1) {
                return Ok(());
            }
        }
        let read = read.len();
        at += read as u64;
        file.consume(read);
    }
    Ok(())
}

/// Opens a file at a position. `None` if it no longer exists, because another process imported and removed it.
fn open_at(dir: &Path, name: &str, from: u64) -> io::Result<Option<BufReader<File>>> {
    let mut file = match open_regular(&dir.join(name)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(from))?;
    Ok(Some(BufReader::with_capacity(1 << 16, file)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::trace;
    use crate::spool_reader::read_chunk;

    fn newest(dir: &Path, imported: &HashMap<String, u64>, limits: ReadLimits) -> (Vec<String>, u64) {
        let spool = dir.join("spool");
        let (starts, left_out) = newest_starts(&spool, imported, limits).unwrap();
        let read = |name: String| {
            let from = starts.get(&name).copied().unwrap_or(u64::MAX);
            read_chunk(&spool, &name, from, &Catalog::default())
                .unwrap()
                .unwrap()
                .traces
        };
        let traces = list_files(&spool).unwrap().into_iter().flat_map(read);
        let known = LineCounts::default();
        let unread = |_| count_unread(&spool, imported, &known).unwrap();
        assert_eq!(
            [0, 1].map(unread)[0],
            [0, 1].map(unread)[1],
            "what is counted once is remembered"
        );
        (traces.map(|it| it.trace.event).collect(), left_out)
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
