//! Blocks: the spool lines of traces that were imported together, compressed together.

use std::io::{self, Read};

use hookwright_model::Catalog;
use hookwright_model::trace::Trace;
use sqlx::SqliteConnection;

use crate::spool_reader::{MAX_LINE_BYTES, SpooledTrace, parse_line};

/// A block has at most so many traces.
const MAX_TRACES: usize = 256;
/// A block has at most so many bytes before compression, unless one line alone is longer.
const MAX_BYTES: usize = 256 << 10;
/// So many bytes of a block are decompressed. A block has one line of any length, or few bytes.
const MAX_DECODED_BYTES: u64 = MAX_LINE_BYTES;
/// The fastest level: a batch is compressed while others may wait for the database.
const LEVEL: i32 = 1;
/// Traces of one block are at most so far apart, in nanoseconds. So retention removes each body in time.
const MAX_SPAN_NS: i64 = 3_600_000_000_000;

/// The traces of a block have numbers (`traces.seq`) from its id on, less than so many further.
pub(crate) const MAX_SEQ_SPAN: i64 = 512;

/// Where a trace's line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockPart {
    /// `blocks.id`.
    pub(crate) block: i64,
    /// The first byte of the line in the decompressed block.
    pub(crate) offset: i64,
    /// The bytes of the line.
    pub(crate) length: i64,
}

/// The blocks of a batch while they are filled.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    done: Vec<Block>,
    current: Option<Block>,
}

#[derive(Debug)]
struct Block {
    id: i64,
    /// The times of the oldest and the newest trace.
    span: (i64, i64),
    traces: usize,
    data: Vec<u8>,
}

impl Block {
    /// The time of the newest trace, for retention. Only a wrong clock gives a time before 1970. Such a block is removed
    /// with its traces.
    fn newest(&self) -> i64 {
        if self.span.1 < 0 { i64::MAX } else { self.span.1 }
    }
}

impl BlockBuilder {
    /// Adds the line of the trace that gets this `seq`. The numbers must grow.
    pub(crate) fn add(&mut self, seq: i64, trace: &SpooledTrace) -> BlockPart {
        let at = trace.page_key().0;
        let fits = |block: &Block| {
            let span = block.span.1.max(at).saturating_sub(block.span.0.min(at));
            block.traces < MAX_TRACES
                && block.data.len() + trace.line.len() <= MAX_BYTES
                && span <= MAX_SPAN_NS
                && seq - block.id < MAX_SEQ_SPAN
        };
        self.done.extend(self.current.take_if(|block| !fits(block)));
        let block = self.current.get_or_insert_with(|| Block {
            id: seq,
            span: (at, at),
            traces: 0,
            data: Vec::new(),
        });
        let offset = block.data.len();
        block.data.extend_from_slice(&trace.line);
        block.traces += 1;
        block.span = (block.span.0.min(at), block.span.1.max(at));
        BlockPart {
            block: block.id,
            offset: i64::try_from(offset).unwrap_or(i64::MAX),
            length: i64::try_from(trace.line.len()).unwrap_or(i64::MAX),
        }
    }

    /// Compresses and writes the blocks.
    pub(crate) async fn write(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        for block in self.done.into_iter().chain(self.current) {
            let data = zstd::bulk::compress(&block.data, LEVEL).map_err(sqlx::Error::Io)?;
            sqlx::query("INSERT OR FAIL INTO blocks (id, at_ns, data) VALUES (?, ?, ?)")
                .bind(block.id)
                .bind(block.newest())
                .bind(data)
                .execute(&mut *connection)
                .await?;
        }
        Ok(())
    }
}

/// The decompressed bytes of a block; `None` if retention removed it, or if it cannot be decompressed. A body that
/// cannot be read is missing; the rows of its traces outlive it.
pub(crate) async fn read_block(connection: &mut SqliteConnection, block: i64) -> Result<Option<Vec<u8>>, sqlx::Error> {
    let data: Option<Vec<u8>> = sqlx::query_scalar("SELECT data FROM blocks WHERE id = ?")
        .bind(block)
        .fetch_optional(connection)
        .await?;
    let decode = |data: Vec<u8>| {
        let mut text = Vec::new();
        zstd::stream::Decoder::new(&*data)?
            .take(MAX_DECODED_BYTES)
            .read_to_end(&mut text)?;
        Ok(text)
    };
    Ok(data.and_then(|data| {
        decode(data)
            .inspect_err(|error: &io::Error| tracing::warn!(%error, block, "recorded payloads cannot be read"))
            .ok()
    }))
}

/// The trace of a line in a decompressed block; `None` if the block does not contain it.
pub(crate) fn trace_at(data: &[u8], part: BlockPart, catalog: &Catalog) -> Option<Trace> {
    let begin = usize::try_from(part.offset).unwrap_or(usize::MAX);
    let length = usize::try_from(part.length).unwrap_or(usize::MAX);
    let line = data.get(begin..).and_then(|rest| rest.get(..length));
    line.and_then(|line| parse_line(line, catalog))
}
