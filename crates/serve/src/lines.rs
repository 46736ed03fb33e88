//! Splits bytes into lines, with a length limit. A bad line is a value and not an error, so the connection stays open.

use std::io;

use bytes::{Buf, BytesMut};
use tokio_util::codec::Decoder;

/// The maximum length of a line in bytes, without the line end, in both directions (`CONTRACTS.md` §3). A trace of the
/// largest payload fits.
pub const MAX_LINE_BYTES: usize = 96 * 1024 * 1024;

/// One received line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RpcLine {
    /// The text, without the line end.
    Text(String),
    /// The line is not UTF-8.
    NotUtf8,
    /// The line exceeded the limit before it ended. Nothing after it can be read.
    TooLong,
}

/// Splits at line feeds.
#[derive(Debug)]
pub struct LineCodec {
    limit: usize,
    /// No line feed was found before this offset.
    scanned_bytes: usize,
    is_too_long: bool,
}

impl Default for LineCodec {
    fn default() -> Self {
        Self::with_limit(MAX_LINE_BYTES)
    }
}

impl LineCodec {
    /// A codec with another limit, in bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            scanned_bytes: 0,
            is_too_long: false,
        }
    }
}

impl Decoder for LineCodec {
    type Item = RpcLine;
    /// Only errors of the stream itself.
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<RpcLine>> {
        if self.is_too_long {
            bytes.clear();
            return Ok(None);
        }
        let end = bytes[self.scanned_bytes..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map(|at| self.scanned_bytes + at);
        // The line feed is not part of the line, and neither is a carriage return before it.
        if end.unwrap_or(bytes.len()) > self.limit + 1
            || end.is_some_and(|end| length_without_cr(&bytes[..end]) > self.limit)
        {
            self.is_too_long = true;
            bytes.clear();
            return Ok(Some(RpcLine::TooLong));
        }
        let Some(end) = end else {
            self.scanned_bytes = bytes.len();
            return Ok(None);
        };
        self.scanned_bytes = 0;
        let line = bytes.split_to(end);
        bytes.advance(1);
        Ok(Some(to_line(&line)))
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<RpcLine>> {
        if let Some(line) = self.decode(bytes)? {
            return Ok(Some(line));
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        self.scanned_bytes = 0;
        let line = bytes.split();
        Ok(Some(to_line(&line)))
    }
}

fn length_without_cr(line: &[u8]) -> usize {
    line.strip_suffix(b"\r").unwrap_or(line).len()
}

fn to_line(line: &[u8]) -> RpcLine {
    let text = std::str::from_utf8(&line[..length_without_cr(line)]);
    text.map_or(RpcLine::NotUtf8, |text| RpcLine::Text(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(limit: usize, pieces: &[&[u8]]) -> Vec<RpcLine> {
        let mut lines = LineCodec::with_limit(limit);
        let mut bytes = BytesMut::new();
        let mut out = Vec::new();
        for piece in pieces {
            bytes.extend_from_slice(piece);
            while let Some(line) = lines.decode(&mut bytes).unwrap() {
                out.push(line);
            }
        }
        while let Some(line) = lines.decode_eof(&mut bytes).unwrap() {
            out.push(line);
        }
        out
    }

    fn text(text: &str) -> RpcLine {
        RpcLine::Text(text.to_owned())
    }

    #[test]
    fn lines_are_complete_however_the_bytes_arrive() {
        assert_eq!(
            all(9, &[b"on", b"e\r\ntw", b"o\n", b"\nlast"]),
            [text("one"), text("two"), text(""), text("last")]
        );
    }

    #[test]
    fn a_line_that_is_not_utf8_is_reported_and_the_next_line_is_read() {
        assert_eq!(all(9, &[b"\xff\xfe\nfine\n"]), [RpcLine::NotUtf8, text("fine")]);
    }

    #[test]
    fn a_character_split_between_two_reads_is_joined() {
        assert_eq!(all(9, &[b"\xe4\xbd", b"\xa0\n"]), [text("你")]);
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
        assert_eq!(all(4, &[b"1234\n"]), [text("1234")]);
        assert_eq!(all(4, &[b"1234\r\n"]), [text("1234")]);
        assert_eq!(all(4, &[b"12345\nnever"]), [RpcLine::TooLong]);
        assert_eq!(all(4, &[b"123", b"456", b"789"]), [RpcLine::TooLong]);
    }
}
