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
    /// Up to here there is no end of line in `held`.
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
            looked: 0,
            limit,
        }
    }

    /// The next line; the last one may lack its end. A stream that cannot be read any more has ended.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.held[self.looked..]) {
                let rest = self.held.split_off(self.looked + end + 1);
                let line = std::mem::replace(&mut self.held, rest);
                self.looked = 0;
                return if line.len() > self.limit + 1 {
                    Next::TooLong
                } else {
                    Next::Line(bare(line))
                };
            }
            self.looked = self.held.len();
            if self.looked > self.limit {
                return Next::TooLong;
            }
            let Some(pipe) = &mut self.pipe else { return Next::End };
            self.held.reserve(PIECE);
            match pipe.read_buf(&mut self.held).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => {
                    self.pipe = None;
                    self.looked = 0;
                    let last = std::mem::take(&mut self.held);
                    return if last.is_empty() {
                        Next::End
                    } else {
                        Next::Line(bare(last))
                    };
                }
            }
        }
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
    async fn a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
        assert_eq!(all(b"1234\n", 4).await, [line("1234"), Next::End]);
        assert_eq!(all(b"12345\n", 4).await, [Next::TooLong]);
        assert_eq!(all(b"12345", 4).await, [Next::TooLong]);
    }
}
