//! What the journal hands to the writer, as parts of spool files.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hookwright_model::{Catalog, JournalEntry};

use crate::import::TRANSACTION_TRACES;
use crate::spool_reader::{Chunk, SpooledTrace};

/// Lines that the journal handed to the writer.
#[derive(Debug, Default)]
pub(crate) struct HandedLines {
    entries: Vec<JournalEntry>,
    /// The files that this process appends to, with their lengths before the entries were taken. They are read only if
    /// the entries do not reach these lengths.
    live: Vec<(Arc<str>, u64)>,
}

impl HandedLines {
    /// Nothing is handed over: every file is read.
    pub(crate) fn read_everything() -> Self {
        Self::default()
    }

    /// These entries were handed over.
    pub(crate) fn new(entries: Vec<JournalEntry>, live: Vec<(Arc<str>, u64)>) -> Self {
        Self { entries, live }
    }

    /// The names of the files that this process appends to.
    pub(crate) fn into_live(self) -> HashSet<String> {
        self.live.into_iter().map(|(name, _)| name.to_string()).collect()
    }

    /// The entries as parts of their files. `None` if the files must be read: at the start, after an overflow or a
    /// failed import, and when a file was written again.
    pub(crate) fn chunks(&self, positions: &HashMap<String, u64>, catalog: &Catalog) -> Option<Vec<Chunk>> {
        let mut lines: Vec<_> = self
            .entries
            .iter()
            .filter_map(|it| Some((it, it.line.as_ref()?)))
            .collect();
        // Two threads may publish in another order than they wrote.
        lines.sort_by(|(_, one), (_, other)| (&one.segment, one.end).cmp(&(&other.segment, other.end)));
        let mut chunks: Vec<Chunk> = Vec::new();
        for (entry, line) in lines {
            let start = line.end.saturating_sub(line.bytes.len() as u64);
            let imported = || positions.get(&*line.segment).copied().unwrap_or(0);
            let known = chunks.last().filter(|chunk| chunk.file == line.segment);
            let reached = known.map_or_else(imported, |chunk| chunk.end);
            if line.end <= reached {
                continue;
            }
            let trace = SpooledTrace::handed(&entry.trace, line, catalog)?;
            if start != reached {
                return None;
            }
            if known.is_none() {
                chunks.push(Chunk::empty(&line.segment, start));
            }
            let chunk = chunks.last_mut()?;
            chunk.end = line.end;
            chunk.traces.push(trace);
        }
        let reached = |name: &Arc<str>| {
            let chunk = chunks.iter().find(|chunk| chunk.file == *name);
            chunk.map_or_else(|| positions.get(&**name).copied().unwrap_or(0), |chunk| chunk.end)
        };
        self.live
            .iter()
            .all(|(name, len)| reached(name) >= *len)
            .then_some(chunks)
    }
}

/// Splits chunks into batches of one transaction each.
pub(crate) fn batches(chunks: Vec<Chunk>) -> Vec<Vec<Chunk>> {
    let mut batches: Vec<Vec<Chunk>> = Vec::new();
    let mut room = 0;
    for mut chunk in chunks {
        while !chunk.traces.is_empty() {
            if room == 0 {
                batches.push(Vec::new());
                room = TRANSACTION_TRACES;
            }
            let later = chunk.traces.split_off(chunk.traces.len().min(room));
            room -= chunk.traces.len();
            let rest = Chunk {
                traces: later,
                ..chunk.clone_without_traces()
            };
            chunk.end = chunk.traces.last().map_or(chunk.end, |last| last.end);
            if let Some(batch) = batches.last_mut() {
                batch.push(chunk);
            }
            chunk = rest;
        }
    }
    batches
}
