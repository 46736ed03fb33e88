//! One stream of a child, drained to its end and kept up to a limit.

use bytes::BufMut;
use hookwright_model::Captured;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Of stdout this much is kept; decoding sees no more (`engine.md` §7).
pub(crate) const MAX_STDOUT_BYTES: usize = 32 << 20;

/// Of stderr this much is kept: it is only ever shown, and 1 MiB of it is recorded.
pub(crate) const MAX_STDERR_BYTES: usize = 1 << 20;

/// What a hook usually says fits into one allocation of this size; from 1 KiB on the allocator tidies up first.
const INITIAL_BYTES: usize = 960;

/// What is read past the limit is counted and thrown away in pieces of this size: a pipe's whole buffer.
const DISCARD_BYTES: usize = 1 << 16;

/// A stream being read. What was read so far survives when [`StreamReader::read_to_end`] is dropped halfway.
#[derive(Debug)]
pub(crate) struct StreamReader<R> {
    pipe: Option<R>,
    bytes: Vec<u8>,
    limit: usize,
    total: u64,
}

impl<R: AsyncRead + Unpin> StreamReader<R> {
    pub(crate) fn new(pipe: Option<R>, limit: usize) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            limit,
            total: 0,
        }
    }

    /// Reads to the end. A stream that cannot be read any more has ended.
    pub(crate) async fn read_to_end(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        while self.bytes.len() < self.limit {
            if self.bytes.capacity() - self.bytes.len() < INITIAL_BYTES / 4 {
                self.bytes.reserve(self.bytes.len().max(INITIAL_BYTES));
            }
            let room = self.limit - self.bytes.len();
            match pipe.read_buf(&mut (&mut self.bytes).limit(room)).await {
                Ok(0) | Err(_) => return self.pipe = None,
                Ok(read) => self.total += read as u64,
            }
        }
        let mut discarded = vec![0; DISCARD_BYTES];
        while let Ok(read @ 1..) = pipe.read(&mut discarded).await {
            self.total += read as u64;
        }
        self.pipe = None;
    }

    /// What was read.
    pub(crate) fn into_captured(self) -> Captured {
        Captured {
            bytes: self.bytes,
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_stream(input: &[u8], limit: usize) -> Captured {
        let mut reader = StreamReader::new(Some(input), limit);
        reader.read_to_end().await;
        reader.into_captured()
    }

    #[tokio::test]
    async fn what_fits_is_kept_whole() {
        assert_eq!(read_stream(b"hello", 32).await, Captured::new("hello"));
        assert_eq!(read_stream(b"", 32).await, Captured::default());
    }

    #[tokio::test]
    async fn past_the_limit_bytes_are_only_counted() {
        let long = vec![b'x'; 100_000];
        let captured = read_stream(&long, 70_000).await;
        assert_eq!((captured.bytes.len(), captured.total), (70_000, 100_000));
        assert!(captured.is_cut());
        assert!(!read_stream(&long, 100_000).await.is_cut());
    }
}
