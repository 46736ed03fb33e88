//! The lines of a long-lived process, each read whole and up to a limit.

use tokio::io::{AsyncRead, AsyncReadExt};

/// A longer line ends its process (`engine.md` §7).
pub(super) const LINE_LIMIT: usize = 32 << 20;

/// What is asked of the pipe at once at least: a pipe's whole buffer.
const PIECE: usize = 1 << 16;

/// A stream of lines. What was read so far survives when [`Lines::next`] is dropped halfway.
#[derive(Debug)]
pub(super) struct Lines<R> {
    pipe: Option<R>,
    held: Vec<u8>,
    /// Up to here `held` was given away; it is tidied up once a read, however many lines a read brings.
    given: usize,
    /// From `given` up to here there is no end of line in `held`.
    looked: usize,
    limit: usize,
}

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A line without its end.
    Line(Vec<u8>),
    /// There is no more.
    End,
    /// A line over the limit.
    TooLong,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(pipe: Option<R>, limit: usize) -> Self {
        Self {
            pipe,
            held: Vec::new(),
            given: 0,
            looked: 0,
            limit,
        }
    }

    /// The next line; the last one may lack its end. A stream that cannot be read any more has ended.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.held[self.looked..]) {
                let line = self.give(self.looked + end + 1);
                return if line.len() > self.limit + 1 {
                    Next::TooLong
                } else {
                    Next::Line(bare(line))
                };
            }
            self.looked = self.held.len();
            if self.looked - self.given > self.limit {
                return Next::TooLong;
            }
            let Some(pipe) = &mut self.pipe else { return Next::End };
            self.held.drain(..self.given);
            self.looked -= self.given;
            self.given = 0;
            self.held.reserve(PIECE);
            match pipe.read_buf(&mut self.held).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => {
                    self.pipe = None;
                    let last = self.give(self.held.len());
                    return if last.is_empty() {
                        Next::End
                    } else {
                        Next::Line(bare(last))
                    };
                }
            }
        }
    }

    /// What is held up to there and was not given yet; a line that is all there is goes out as it stands.
    fn give(&mut self, to: usize) -> Vec<u8> {
        if self.given == 0 && to == self.held.len() {
            self.looked = 0;
            return std::mem::take(&mut self.held);
        }
        let line = self.held[self.given..to].to_vec();
        (self.given, self.looked) = (to, to);
        line
    }
}

/// Without `\n` and `\r\n`.
fn bare(mut line: Vec<u8>) -> Vec<u8> {
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

    async fn all(input: &[u8], limit: usize) -> Vec<Next> {
        let mut lines = Lines::new(Some(input), limit);
        let mut out = Vec::new();
        loop {
            let next = lines.next().await;
            let over = !matches!(next, Next::Line(_));
            out.push(next);
            if over {
                return out;
            }
        }
    }

    fn line(text: &str) -> Next {
        Next::Line(text.into())
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_the_last_may_lack_its_end() {
        assert_eq!(
            all(b"{}\n\r\n{\"a\":1}\r\nlast", 99).await,
            [line("{}"), line(""), line("{\"a\":1}"), line("last"), Next::End]
        );
        assert_eq!(all(b"", 99).await, [Next::End]);
    }

    #[tokio::test]
    async fn lines_that_reads_cut_anywhere_come_whole() {
        let text: Vec<String> = (0..200).map(|n| "x".repeat(n * 7 % 60)).collect();
        for at_once in [1, 3, 64, 1000] {
            let pieces = text.join("\n").into_bytes();
            let mut bits = in_bits(pieces, at_once);
            let mut lines = Lines::new(Some(&mut bits), 60);
            for line in &text {
                assert_eq!(lines.next().await, Next::Line(line.clone().into_bytes()), "{at_once}");
            }
            assert_eq!(lines.next().await, Next::End);
        }
    }

    /// A stream that never gives more than so much at once.
    fn in_bits(bytes: Vec<u8>, at_once: usize) -> impl AsyncRead + Unpin {
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
        // A copy of the rest for every line would move 2^42 bytes here.
        let input = b"y\n".repeat(1 << 20);
        let mut lines = Lines::new(Some(input.as_slice()), 99);
        let mut count = 0;
        while let Next::Line(_) = lines.next().await {
            count += 1;
        }
        assert_eq!(count, 1 << 20);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
        assert_eq!(all(b"1234\n", 4).await, [line("1234"), Next::End]);
        assert_eq!(all(b"12345\n", 4).await, [Next::TooLong]);
        assert_eq!(all(b"12345", 4).await, [Next::TooLong]);
    }
}
