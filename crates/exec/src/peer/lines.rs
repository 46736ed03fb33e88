//! Reads the lines of a peer, each as a whole and up to a limit.

use tokio::io::{AsyncRead, AsyncReadExt};

/// A line with more bytes ends its process (`engine.md` §7).
pub(super) const LINE_LIMIT: usize = 32 << 20;

/// Smallest buffer space for one read of the pipe: the whole buffer of a pipe.
const READ_BYTES: usize = 1 << 16;

/// A stream of lines. The bytes read so far are not lost when [`LineReader::next`] is dropped before it has
/// finished.
#[derive(Debug)]
pub(super) struct LineReader<R> {
    pipe: Option<R>,
    buffer: Vec<u8>,
    /// Up to here the lines of `buffer` were returned. They are removed once per read, however many lines a read
    /// brings.
    consumed: usize,
    /// From `consumed` up to here there is no line end in `buffer`.
    searched: usize,
    limit: usize,
}

/// The result of [`LineReader::next`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineRead {
    /// A line without its line end.
    Line(Vec<u8>),
    /// The stream has ended.
    End,
    /// A line over the limit.
    TooLong,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(pipe: Option<R>, limit: usize) -> Self {
        Self {
            pipe,
            buffer: Vec::new(),
            consumed: 0,
            searched: 0,
            limit,
        }
    }

    /// The next line. The last one may lack its line end. A stream that can no longer be read has ended.
    pub(super) async fn next(&mut self) -> LineRead {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                let line = self.take_until(self.searched + end + 1);
                return if line.len() > self.limit + 1 {
                    LineRead::TooLong
                } else {
                    LineRead::Line(without_line_end(line))
                };
            }
            self.searched = self.buffer.len();
            if self.searched - self.consumed > self.limit {
                return LineRead::TooLong;
            }
            let Some(pipe) = &mut self.pipe else {
                return LineRead::End;
            };
            self.buffer.drain(..self.consumed);
            self.searched -= self.consumed;
            self.consumed = 0;
            self.buffer.reserve(READ_BYTES);
            match pipe.read_buf(&mut self.buffer).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => {
                    self.pipe = None;
                    let last = self.take_until(self.buffer.len());
                    return if last.is_empty() {
                        LineRead::End
                    } else {
                        LineRead::Line(without_line_end(last))
                    };
                }
            }
        }
    }

    /// Takes the bytes from `consumed` up to `to`. If the buffer contains only this line, it is returned without a
    /// copy.
    fn take_until(&mut self, to: usize) -> Vec<u8> {
        if self.consumed == 0 && to == self.buffer.len() {
            self.searched = 0;
            return std::mem::take(&mut self.buffer);
        }
        let line = self.buffer[self.consumed..to].to_vec();
        (self.consumed, self.searched) = (to, to);
        line
    }
}

/// Removes `\n` or `\r\n` from the end.
fn without_line_end(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(input: &[u8], limit: usize) -> Vec<LineRead> {
        let mut lines = LineReader::new(Some(input), limit);
        let mut out = Vec::new();
        loop {
            let next = lines.next().await;
            let is_last = !matches!(next, LineRead::Line(_));
            out.push(next);
            if is_last {
                return out;
            }
        }
    }

    fn line(text: &str) -> LineRead {
        LineRead::Line(text.into())
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_the_last_may_lack_its_end() {
        assert_eq!(
            all(b"{}\n\r\n{\"a\":1}\r\nlast", 99).await,
            [line("{}"), line(""), line("{\"a\":1}"), line("last"), LineRead::End]
        );
        assert_eq!(all(b"", 99).await, [LineRead::End]);
    }

    #[tokio::test]
    async fn lines_that_reads_cut_anywhere_come_whole() {
        let text: Vec<String> = (0..200).map(|n| "x".repeat(n * 7 % 60)).collect();
        for at_once in [1, 3, 64, 1000] {
            let pieces = text.join("\n").into_bytes();
            let mut bits = in_chunks(pieces, at_once);
            let mut lines = LineReader::new(Some(&mut bits), 60);
            for line in &text {
                assert_eq!(
                    lines.next().await,
                    LineRead::Line(line.clone().into_bytes()),
                    "{at_once}"
                );
            }
            assert_eq!(lines.next().await, LineRead::End);
        }
    }

    /// A stream that returns at most `at_once` bytes per read.
    fn in_chunks(bytes: Vec<u8>, at_once: usize) -> impl AsyncRead + Unpin {
        struct Bits(std::collections::VecDeque<u8>, usize);
        impl AsyncRead for Bits {
            fn poll_read(
                mut self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
                to: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                let count = self.1.min(to.remaining()).min(self.0.len());
                let bits: Vec<u8> = self.0.drain(..count).collect();
                to.put_slice(&bits);
                std::task::Poll::Ready(Ok(()))
            }
        }
        Bits(bytes.into(), at_once)
    }

    #[tokio::test]
    async fn many_short_lines_cost_no_copy_of_those_behind_them() {
        // A copy of the remaining bytes for every line would move 2^42 bytes here.
        let input = b"y\n".repeat(1 << 20);
        let mut lines = LineReader::new(Some(input.as_slice()), 99);
        let mut count = 0;
        while let LineRead::Line(_) = lines.next().await {
            count += 1;
        }
        assert_eq!(count, 1 << 20);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
        assert_eq!(all(b"1234\n", 4).await, [line("1234"), LineRead::End]);
        assert_eq!(all(b"12345\n", 4).await, [LineRead::TooLong]);
        assert_eq!(all(b"12345", 4).await, [LineRead::TooLong]);
    }
}
