//! Copies the beginning of each line that passes through a stream.

use std::io::{self, BufRead as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream, and who is told of each line that was read or written completely.
pub(crate) struct LineTap<S, F> {
    stream: S,
    lines: LineBegins<F>,
}

/// Finds lines in pieces of a stream, and keeps the beginning of the present one.
struct LineBegins<F> {
    most: usize,
    begin: Vec<u8>,
    bytes: usize,
    on_line: F,
}

impl<S, F> LineTap<S, F> {
    /// `on_line` gets at most `most` bytes of a line, and the length of the whole line without its line end.
    pub(crate) fn new(stream: S, most: usize, on_line: F) -> Self {
        let lines = LineBegins {
            most,
            begin: Vec::new(),
            bytes: 0,
            on_line,
        };
        Self { stream, lines }
    }
}

impl<F: FnMut(&[u8], usize)> LineBegins<F> {
    fn add(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            let all = piece;
            // It searches memory, so it cannot fail.
            let length = piece.skip_until(b'\n').unwrap_or(all.len());
            let line = &all[..length];
            let (text, ends) = line.strip_suffix(b"\n").map_or((line, false), |text| (text, true));
            let room = self.most.saturating_sub(self.begin.len());
            self.begin.extend_from_slice(&text[..text.len().min(room)]);
            self.bytes += text.len();
            if !ends {
                return;
            }
            if self.begin.iter().any(|byte| !byte.is_ascii_whitespace()) {
                (self.on_line)(&self.begin, self.bytes);
            }
            self.begin.clear();
            self.bytes = 0;
        }
    }
}

impl<S: AsyncRead + Unpin, F: FnMut(&[u8], usize) + Unpin> AsyncRead for LineTap<S, F> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(cx, buffer))?;
        this.lines.add(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, F: FnMut(&[u8], usize) + Unpin> AsyncWrite for LineTap<S, F> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.stream).poll_write(cx, bytes))?;
        this.lines.add(&bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_across_pieces_and_cut() {
        let mut found = Vec::new();
        let mut lines = LineBegins {
            most: 4,
            begin: Vec::new(),
            bytes: 0,
            on_line: |begin: &[u8], bytes| found.push((String::from_utf8_lossy(begin).into_owned(), bytes)),
        };
        for piece in ["a", "b\n\n  \ncdef", "gh\ni\nj"] {
            lines.add(piece.as_bytes());
        }
        assert_eq!(
            found,
            [("ab".to_owned(), 2), ("cdef".to_owned(), 6), ("i".to_owned(), 1)]
        );
    }
}
