//! Splits a stream into lines, each up to a limit.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use crate::line_budget::LineShare;

/// The smallest space for one read. The buffer doubles while a longer line arrives.
const READ_BYTES: usize = 8 << 10;

/// A buffer that grew over this size is released when it is empty.
const KEPT_BYTES: usize = 1 << 20;

/// How long [`Lines::discard`] reads at most, and how long it waits for the next bytes.
const DISCARD_LIMIT: Duration = Duration::from_secs(1);
const DISCARD_PAUSE: Duration = Duration::from_millis(100);

/// A stream of lines. The bytes read so far are not lost when [`Lines::next`] is dropped before it has finished.
#[derive(Debug)]
pub struct Lines<R> {
    /// `None` when the stream has ended, or when a line was too long.
    reader: Option<R>,
    /// The stream behind a line that was too long.
    excess: Option<R>,
    buffer: Vec<u8>,
    /// Up to here the lines of `buffer` were returned. They are removed once per read, however many lines a read
    /// brings.
    consumed: usize,
    /// From `consumed` up to here there is no line feed in `buffer`.
    searched: usize,
    limit: usize,
    share: Option<LineShare>,
}

/// The result of [`Lines::next`].
#[derive(Debug, PartialEq, Eq)]
pub enum LineRead<'a> {
    /// A line without its line end. It may be empty, and it need not be UTF-8.
    Line(&'a [u8]),
    /// The stream has ended, or it can no longer be read.
    End,
    /// A line over the limit. Nothing after it is read.
    TooLong,
    /// The longest of the unfinished lines of several connections, which are too long together. Nothing after it is read.
    OverBudget,
}

/// Where the next line lies in the buffer.
enum Found {
    Line(usize, usize),
    End,
    TooLong,
    OverBudget,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads from this stream; `None` is a stream that has ended. `limit` is the length of the longest line in bytes,
    /// without its line end.
    pub fn new(reader: Option<R>, limit: usize) -> Self {
        Self {
            reader,
            excess: None,
            buffer: Vec::new(),
            consumed: 0,
            searched: 0,
            limit,
            share: None,
        }
    }

    /// Counts the unfinished line in a budget.
    pub(crate) fn with_share(self, share: Option<LineShare>) -> Self {
        Self { share, ..self }
    }

    /// The next line. A line ends with `\n` or `\r\n`; the last one may lack its end.
    pub async fn next(&mut self) -> LineRead<'_> {
        match self.find().await {
            Found::Line(from, to) => LineRead::Line(&self.buffer[from..to]),
            Found::End => LineRead::End,
            Found::TooLong => {
                self.give_up();
                LineRead::TooLong
            }
            Found::OverBudget => {
                self.give_up();
                LineRead::OverBudget
            }
        }
    }

    /// What was read of the next line. It ends without a line feed.
    #[must_use]
    pub fn unfinished(&self) -> &[u8] {
        &self.buffer[self.consumed..]
    }

    fn give_up(&mut self) {
        self.excess = self.reader.take();
        self.buffer = Vec::new();
        (self.consumed, self.searched) = (0, 0);
        self.share = None;
    }

    /// Reads what comes behind a line that was too long, until the other side pauses or a second is over. A Unix socket
    /// that is closed with unread bytes is reset, and the other side would lose what was written to it.
    pub async fn discard(&mut self) {
        let Some(mut reader) = self.excess.take() else {
            return;
        };
        let mut bytes = vec![0; READ_BYTES];
        let until_pause =
            async { while matches!(timeout(DISCARD_PAUSE, reader.read(&mut bytes)).await, Ok(Ok(1..))) {} };
        // It makes no difference which of the two limits ends it.
        let _ended = timeout(DISCARD_LIMIT, until_pause).await;
    }

    async fn find(&mut self) -> Found {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                let end = self.searched + end;
                return self.take(end, end + 1);
            }
            self.searched = self.buffer.len();
            if self.line_length(self.searched) > self.limit {
                return Found::TooLong;
            }
            let Some(reader) = &mut self.reader else {
                if self.consumed == self.buffer.len() {
                    return Found::End;
                }
                return self.take(self.searched, self.searched);
            };
            self.buffer.drain(..self.consumed);
            (self.consumed, self.searched) = (0, self.buffer.len());
            if self.buffer.is_empty() && self.buffer.capacity() > KEPT_BYTES {
                self.buffer = Vec::new();
            }
            self.buffer.reserve(READ_BYTES);
            let read = match &mut self.share {
                None => reader.read_buf(&mut self.buffer).await,
                Some(share) => {
                    share.set(self.buffer.len());
                    tokio::select! {
                        biased;
                        () = share.ended() => return Found::OverBudget,
                        read = reader.read_buf(&mut self.buffer) => read,
                    }
                }
            };
            if !matches!(read, Ok(1..)) {
                self.reader = None;
            }
        }
    }

    /// Takes the line that ends at `end`; the next one begins at `next`.
    fn take(&mut self, end: usize, next: usize) -> Found {
        let (from, length) = (self.consumed, self.line_length(end));
        (self.consumed, self.searched) = (next, next);
        if length > self.limit {
            return Found::TooLong;
        }
        Found::Line(from, from + length)
    }

    /// The length of the present line up to `end`. A carriage return at its end is not counted.
    fn line_length(&self, end: usize) -> usize {
        let line = &self.buffer[self.consumed..end];
        line.strip_suffix(b"\r").unwrap_or(line).len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use std::sync::Arc;

    use futures::FutureExt;
    use proptest::prelude::*;
    use tokio::io::{AsyncWriteExt as _, ReadBuf};

    use super::*;
    use crate::line_budget::LineBudget;

    async fn read_all(reader: impl AsyncRead + Unpin, limit: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines::new(Some(reader), limit);
        let mut all = Vec::new();
        loop {
            match lines.next().await {
                LineRead::Line(line) => all.push(Some(line.to_vec())),
                LineRead::End => return all,
                LineRead::TooLong | LineRead::OverBudget => {
                    all.push(None);
                    assert_eq!(lines.next().await, LineRead::End);
                    return all;
                }
            }
        }
    }

    fn line(text: &str) -> Option<Vec<u8>> {
        Some(text.into())
    }

    /// A stream that returns at most `.1` bytes per read, and an error at its end.
    struct Chunks(VecDeque<u8>, usize);

    impl AsyncRead for Chunks {
        fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            let count = self.1.min(to.remaining()).min(self.0.len());
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            let bytes: Vec<u8> = self.0.drain(..count).collect();
            to.put_slice(&bytes);
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_the_last_may_lack_its_end() {
        assert_eq!(
            read_all(&b"{}\n\r\n{\"a\":1}\r\nlast"[..], 99).await,
            [line("{}"), line(""), line("{\"a\":1}"), line("last")]
        );
        assert_eq!(read_all(&b""[..], 99).await, []);
        assert_eq!(Lines::<&[u8]>::new(None, 99).next().await, LineRead::End);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
        assert_eq!(read_all(&b"1234\n"[..], 4).await, [line("1234")]);
        assert_eq!(read_all(&b"1234\r\n"[..], 4).await, [line("1234")]);
        assert_eq!(read_all(&b"1234"[..], 4).await, [line("1234")]);
        assert_eq!(read_all(&b"1\n12345\nnever"[..], 4).await, [line("1"), None]);
        assert_eq!(read_all(&b"12345"[..], 4).await, [None]);
        assert_eq!(read_all(Chunks(b"123456789".to_vec().into(), 3), 4).await, [None]);
    }

    #[tokio::test]
    async fn many_short_lines_cost_no_copy_of_those_behind_them() {
        // A copy of the remaining bytes for every line would move 2^42 bytes here.
        let input = b"y\n".repeat(1 << 20);
        assert_eq!(read_all(input.as_slice(), 99).await.len(), 1 << 20);
    }

    #[tokio::test]
    async fn the_buffer_of_a_long_line_is_released_after_it() {
        let input = [vec![b'x'; 3 << 20], b"\nshort\n".to_vec()].concat();
        let mut lines = Lines::new(Some(input.as_slice()), 9 << 20);
        assert_eq!(lines.next().await, LineRead::Line(&input[..3 << 20]));
        assert!(lines.buffer.capacity() > KEPT_BYTES);
        assert_eq!(lines.next().await, LineRead::Line(b"short"));
        assert_eq!(lines.next().await, LineRead::End);
        assert!(lines.buffer.capacity() <= KEPT_BYTES);
    }

    #[tokio::test]
    async fn the_longest_unfinished_line_of_several_streams_ends_and_the_others_go_on() {
        let budget = LineBudget::new(1 << 20, Arc::default());
        let stream = |kib: usize| {
            let (mut one, other) = tokio::io::duplex(2 << 20);
            one.write_all(&vec![b'x'; kib << 10]).now_or_never().unwrap().unwrap();
            (one, Lines::new(Some(other), 9 << 20).with_share(Some(budget.share())))
        };
        let ((_long, mut long_lines), (mut short, mut short_lines)) = (stream(800), stream(400));
        assert!(long_lines.next().now_or_never().is_none());
        assert!(short_lines.next().now_or_never().is_none());
        assert_eq!(long_lines.next().await, LineRead::OverBudget);
        assert_eq!(long_lines.next().await, LineRead::End);
        short.write_all(b"\n").await.unwrap();
        assert_eq!(short_lines.next().await, LineRead::Line(&[b'x'; 400 << 10]));
    }

    proptest! {
        #[test]
        fn lines_are_complete_however_the_bytes_arrive(
            texts in proptest::collection::vec("[ab你é\"]{0,30}", 1..40), at_once in 1_usize..200,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let input = texts.join("\n") + "\n";
            let read = runtime.block_on(read_all(Chunks(input.into_bytes().into(), at_once), 120));
            let want: Vec<_> = texts.iter().map(|text| line(text)).collect();
            prop_assert_eq!(read, want);
        }
    }
}
