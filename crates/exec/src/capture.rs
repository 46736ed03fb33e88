//! One stream of a child, drained to its end and kept up to a limit.

use bytes::BufMut;
use hookwright_model::Captured;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Of stdout this much is kept; decoding sees no more (`engine.md` §7).
pub(crate) const STDOUT_KEPT: usize = 32 << 20;

/// Of stderr this much is kept: it is only ever shown, and 1 MiB of it is recorded.
pub(crate) const STDERR_KEPT: usize = 1 << 20;

/// What a hook usually says fits into one allocation of this size; from 1 KiB on the allocator tidies up first.
const FIRST: usize = 960;

/// What is read past the limit is counted and thrown away in pieces of this size: a pipe's whole buffer.
const PAST: usize = 1 << 16;

/// A stream being read. What was read so far survives when [`Drain::hear_out`] is dropped halfway.
#[derive(Debug)]
pub(crate) struct Drain<R> {
    pipe: Option<R>,
    kept: Vec<u8>,
    limit: usize,
    total: u64,
}

impl<R: AsyncRead + Unpin> Drain<R> {
    pub(crate) fn new(pipe: Option<R>, limit: usize) -> Self {
        Self {
            pipe,
            kept: Vec::new(),
            limit,
            total: 0,
        }
    }

    /// Reads to the end. A stream that cannot be read any more has ended.
    pub(crate) async fn hear_out(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        while self.kept.len() < self.limit {
            if self.kept.capacity() - self.kept.len() < FIRST / 4 {
                self.kept.reserve(self.kept.len().max(FIRST));
            }
            let room = self.limit - self.kept.len();
            match pipe.read_buf(&mut (&mut self.kept).limit(room)).await {
                Ok(0) | Err(_) => return self.pipe = None,
                Ok(read) => self.total += read as u64,
            }
        }
        let mut past = vec![0; PAST];
        while let Ok(read @ 1..) = pipe.read(&mut past).await {
            self.total += read as u64;
        }
        self.pipe = None;
    }

    /// What was read.
    pub(crate) fn captured(self) -> Captured {
        Captured {
            bytes: self.kept,
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn drained(input: &[u8], limit: usize) -> Captured {
        let mut drain = Drain::new(Some(input), limit);
        drain.hear_out().await;
        drain.captured()
    }

    #[tokio::test]
    async fn what_fits_is_kept_whole() {
        assert_eq!(drained(b"hello", 32).await, Captured::new("hello"));
        assert_eq!(drained(b"", 32).await, Captured::default());
    }

    #[tokio::test]
    async fn past_the_limit_bytes_are_only_counted() {
        let long = vec![b'x'; 100_000];
        let captured = drained(&long, 70_000).await;
        assert_eq!((captured.bytes.len(), captured.total), (70_000, 100_000));
        assert!(captured.is_cut());
        assert!(!drained(&long, 100_000).await.is_cut());
    }
}
