//! Looking into JSON without rewriting it: where its keys, strings and numbers stand, and what a place in an escaped
//! string means in the text around it.
//!
//! The scanner is more patient than a parser: it goes on as far as the text is JSON and says how far that was, so that a
//! stream that was cut, or has a line of log behind its JSON, keeps its secrets masked.

use std::borrow::Cow;
use std::ops::Range;

use super::spans::{Put, Span};

/// Who is told what stands in a JSON text. Ranges are of the text, quotes not included.
pub trait Reader {
    /// A key. Says whether the strings below it are secrets by their key.
    fn key(&mut self, range: Range<usize>) -> bool;
    /// A string, at or below a key that names a secret or not.
    fn string(&mut self, range: Range<usize>, under: Under);
    /// A number.
    fn number(&mut self, range: Range<usize>);
}

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Under {
    /// At or below a key that names a secret.
    Secret,
    /// Elsewhere.
    Other,
}

/// How a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The value is complete and ends here.
    Complete(usize),
    /// From here on it is no JSON.
    Broken(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Object(Under),
    Array(Under),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Want {
    Value,
    FirstKey,
    FirstItem,
    Key,
    AfterValue,
}

/// Reads one object or array that begins at `start`. Depth costs memory, never the stack.
pub fn scan(text: &str, start: usize, under: Under, reader: &mut impl Reader) -> Stop {
    let bytes = text.as_bytes();
    let mut frames: Vec<Frame> = Vec::new();
    let (mut at, mut want, mut next) = (start, Want::Value, under);
    loop {
        at = blanks(bytes, at);
        let Some(&byte) = bytes.get(at) else {
            return Stop::Broken(at);
        };
        match (want, byte) {
            (Want::Value | Want::FirstItem, b'{') => {
                frames.push(Frame::Object(next));
                (at, want) = (at + 1, Want::FirstKey);
            }
            (Want::Value | Want::FirstItem, b'[') => {
                frames.push(Frame::Array(next));
                (at, want) = (at + 1, Want::FirstItem);
            }
            (Want::Value | Want::FirstItem, b'"') if !frames.is_empty() => {
                let close = string_end(bytes, at + 1);
                reader.string(at + 1..close.unwrap_or(bytes.len()), next);
                let Some(close) = close else {
                    return Stop::Broken(bytes.len());
                };
                (at, want) = (close + 1, Want::AfterValue);
            }
            (Want::Value | Want::FirstItem, b'-' | b'0'..=b'9') if !frames.is_empty() => {
                let end = at + number_length(&bytes[at..]);
                reader.number(at..end);
                (at, want) = (end, Want::AfterValue);
            }
            (Want::Value | Want::FirstItem, b't' | b'f' | b'n') if !frames.is_empty() => {
                let word = ["true", "false", "null"]
                    .into_iter()
                    .find(|word| bytes[at..].starts_with(word.as_bytes()));
                let Some(word) = word else { return Stop::Broken(at) };
                (at, want) = (at + word.len(), Want::AfterValue);
            }
            (Want::FirstKey | Want::Key, b'"') => {
                let Some(close) = string_end(bytes, at + 1) else {
                    return Stop::Broken(bytes.len());
                };
                let by_key = reader.key(at + 1..close);
                let colon = blanks(bytes, close + 1);
                if bytes.get(colon) != Some(&b':') {
                    return Stop::Broken(colon);
                }
                let below = matches!(frames.last(), Some(Frame::Object(Under::Secret)));
                next = if by_key || below { Under::Secret } else { Under::Other };
                (at, want) = (colon + 1, Want::Value);
            }
            (Want::FirstKey | Want::AfterValue, b'}') if matches!(frames.last(), Some(Frame::Object(_))) => {
                frames.pop();
                (at, want) = (at + 1, Want::AfterValue);
            }
            (Want::FirstItem | Want::AfterValue, b']') if matches!(frames.last(), Some(Frame::Array(_))) => {
                frames.pop();
                (at, want) = (at + 1, Want::AfterValue);
            }
            (Want::AfterValue, b',') => match frames.last() {
                Some(Frame::Object(_)) => (at, want) = (at + 1, Want::Key),
                Some(Frame::Array(under)) => {
                    next = *under;
                    (at, want) = (at + 1, Want::Value);
                }
                None => return Stop::Broken(at),
            },
            (Want::Value | Want::FirstKey | Want::FirstItem | Want::Key | Want::AfterValue, _) => {
                return Stop::Broken(at);
            }
        }
        if frames.is_empty() {
            return Stop::Complete(at);
        }
    }
}

fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn number_length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
        .count()
}

/// What a string of a JSON text says.
pub fn decode(raw: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(escape) = memchr::memchr(b'\\', &raw.as_bytes()[at..]) {
        out.push_str(&raw[at..at + escape]);
        let (length, char) = unescape(&raw[at + escape..]);
        out.push(char);
        at += escape + length;
    }
    out.push_str(&raw[at..]);
    Cow::Owned(out)
}

/// Carries parts of the decoded string over to the string as it stands, which begins at `base`; they are sorted and apart.
pub fn carry_over(raw: &str, base: usize, decoded: &[Span], spans: &mut Vec<Span>) {
    let escape_from = |from: usize| {
        memchr::memchr(b'\\', raw.as_bytes().get(from..).unwrap_or_default()).map_or(raw.len(), |escape| from + escape)
    };
    let (mut from, mut to, mut escape) = (0, 0, escape_from(0));
    // Goes on to the place in `raw` that means this place of the decoded string.
    let mut reach = |place: usize| {
        while to < place {
            let step = (escape - from).min(place - to);
            (from, to) = (from + step, to + step);
            if to < place {
                let (length, char) = unescape(&raw[from..]);
                (from, to) = (from + length, to + char.len_utf8());
                escape = escape_from(from);
            }
        }
        from
    };
    for span in decoded {
        let (start, end) = (reach(span.start), reach(span.end));
        let put = match span.put {
            Put::Plain => Put::Plain,
            Put::Quoted(level) => Put::Quoted(level + 1),
        };
        spans.push(Span {
            start: base + start,
            end: base + end,
            put,
        });
    }
}

/// The character that an escape means, and the escape's length. What is no escape means itself.
fn unescape(raw: &str) -> (usize, char) {
    let bytes = raw.as_bytes();
    match bytes.get(1) {
        Some(b'n') => (2, '\n'),
        Some(b'r') => (2, '\r'),
        Some(b't') => (2, '\t'),
        Some(b'b') => (2, '\u{8}'),
        Some(b'f') => (2, '\u{c}'),
        Some(plain @ (b'"' | b'\\' | b'/')) => (2, char::from(*plain)),
        Some(b'u') => match (hex(bytes, 2), hex(bytes, 8)) {
            (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) if bytes.get(6..8) == Some(b"\\u") => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                (12, char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            (Some(code), _) => (6, char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
            (None, _) => (1, '\\'),
        },
        Some(_) | None => (1, '\\'),
    }
}

fn hex(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits
        .iter()
        .try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?))
}
