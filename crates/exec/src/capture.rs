//! Reading of one stream of a child process to its end. The bytes up to a limit are stored.

use std::sync::Arc;

use bytes::BufMut;
use hookwright_model::{Captured, RunProgress};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes of stdout that are stored. Decoding sees no more (`engine.md` §7).
pub(crate) const MAX_STDOUT_BYTES: usize = 32 << 20;

/// Bytes of stderr that are stored. It is only shown, and 1 MiB of it is recorded.
pub(crate) const MAX_STDERR_BYTES: usize = 1 << 20;

/// Bytes of the first allocation. The usual output of a hook fits into it. From 1 KiB on, the allocator first
/// merges its free blocks, which costs time.
const INITIAL_BYTES: usize = 960;

/// Bytes past the limit are counted and discarded in chunks of this size: the whole buffer of a pipe.
const DISCARD_BYTES: usize = 1 << 16;

/// A stream that is being read. The bytes read so far are not lost when [`StreamReader::read_to_end`] is dropped
/// before it has finished.
#[derive(Debug)]
pub(crate) struct StreamReader<R> {
    pipe: Option<R>,
    bytes: Vec<u8>,
    limit: usize,
    total: u64,
    /// Receives each piece when it was read; `None` if nobody follows the stream.
    progress: Option<Arc<dyn RunProgress>>,
}

impl<R: AsyncRead + Unpin> StreamReader<R> {
    pub(crate) fn new(pipe: Option<R>, limit: usize) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            limit,
            total: 0,
            progress: None,
        }
    }

    /// Sends each piece of the stream to `progress` as well, also those past the limit.
    pub(crate) fn followed_by(self, progress: Option<Arc<dyn RunProgress>>) -> Self {
        Self { progress, ..self }
    }

    /// Reads to the end. A stream that can no longer be read has ended.
    pub(crate) async fn read_to_end(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        while self.bytes.len() < self.limit {
            if self.bytes.capacity() - self.bytes.len() < INITIAL_BYTES / 4 {
                self.bytes.reserve(self.bytes.len().max(INITIAL_BYTES));
            }
            let room = self.limit - self.bytes.len();
            match pipe.read_buf(&mut (&mut self.bytes).limit(room)).await {
                Ok(0) | Err(_) => return self.pipe = None,
                Ok(read) => {
                    self.total += read as u64;
                    if let Some(progress) = &self.progress {
                        progress.stderr(&self.bytes[self.bytes.len() - read..]);
                    }
                }
            }
        }
        let mut discarded = vec![0; DISCARD_BYTES];
        while let Ok(read @ 1..) = pipe.read(&mut discarded).await {
            self.total += read as u64;
            if let Some(progress) = &self.progress {
                progress.stderr(&discarded[..read]);
            }
        }
        self.pipe = None;
    }

    /// The count of all bytes so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Whether the stream has not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Returns the stored bytes and the count of all bytes.
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
