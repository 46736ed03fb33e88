//! Finds the keys, strings and numbers of a JSON text without rewriting it, and maps positions in a decoded string to
//! positions in the text.
//!
//! The scanner reads as far as the text is JSON and returns where that ends; it does not reject the text as a parser
//! does. So secrets are also masked in a stream that was cut, or that has log lines after its JSON.

use std::borrow::Cow;
use std::ops::Range;

use super::spans::{MaskText, MaskedSpan};

/// Receives the keys, strings and numbers of a JSON text. Ranges are positions in the text, without the quotes.
pub trait JsonVisitor {
    /// Receives a key. Returns what the key says about its value.
    fn key(&mut self, range: Range<usize>) -> KeyInfo;
    /// Receives a string and its context.
    fn string(&mut self, range: Range<usize>, context: KeyContext);
    /// Returns the context that a string gives to another value: a name to its `value`, an item to the next item.
    fn hinted_context(&mut self, range: Range<usize>, kind: HintKind) -> KeyContext;
    /// Receives a number.
    fn number(&mut self, range: Range<usize>);
}

/// What the key or name of a value says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyContext {
    /// The value is at or below a key that names a secret.
    Secret,
    /// The value is at a key that may name a secret or something else.
    Ambiguous,
    /// The value comes after an option that takes a user and a password.
    Login,
    /// Nothing shows that the value is a secret.
    Other,
}

/// What is known about a key.
#[derive(Debug, Clone, Copy)]
pub struct KeyInfo {
    /// The context that the key gives to its value.
    pub context: KeyContext,
    /// The part of the key in a pair such as `{"name": "Authorization", "value": …}`.
    pub part: PairPart,
}

/// A part of a pair of a name and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairPart {
    Name,
    Value,
    /// The key is not part of a pair.
    Other,
}

impl PairPart {
    /// Returns the part that a key has in a pair. Letter case does not matter.
    pub fn from_key(key: &str) -> Self {
        if key.eq_ignore_ascii_case("value") {
            Self::Value
        } else if key.eq_ignore_ascii_case("name") || key.eq_ignore_ascii_case("key") {
            Self::Name
        } else {
            Self::Other
        }
    }
}

/// The relation of a string to the value that it describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// The string is the name in a pair of name and value.
    Name,
    /// The string is the item before the value in a list, such as an option of a command.
    Item,
}

/// How a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEnd {
    /// The value is complete and ends here.
    Complete(usize),
    /// The text is not JSON from this position on.
    Broken(usize),
}

/// An object or array whose end is not read yet.
#[derive(Debug)]
struct Frame {
    object: bool,
    context: KeyContext,
    /// The context that the name in an object gives to its value, or the last item of an array to the next item.
    hinted: KeyContext,
    /// The value of a pair that came before its name.
    value: Option<Range<usize>>,
    /// The part that the last key of the object has in a pair.
    part: PairPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedToken {
    Value,
    FirstKey,
    FirstItem,
    Key,
    AfterValue,
}

/// Reads one object or array that begins at `start`. Deep nesting uses heap memory, not the stack.
pub fn scan(text: &str, start: usize, context: KeyContext, visitor: &mut impl JsonVisitor) -> ScanEnd {
    let mut scanner = JsonScanner {
        bytes: text.as_bytes(),
        at: start,
        expected: ExpectedToken::Value,
        next: context,
        frames: Vec::new(),
    };
    loop {
        if let Err(ScanError(at)) = scanner.step(visitor) {
            return ScanEnd::Broken(at);
        }
        if scanner.frames.is_empty() {
            return ScanEnd::Complete(scanner.at);
        }
    }
}

/// The position from which on the text is not JSON.
struct ScanError(usize);

/// The state of a scan.
struct JsonScanner<'t> {
    bytes: &'t [u8],
    at: usize,
    expected: ExpectedToken,
    /// The context of the next value.
    next: KeyContext,
    /// The open objects and arrays, the innermost last.
    frames: Vec<Frame>,
}

impl JsonScanner<'_> {
    /// Reads one bracket, comma, key or scalar value.
    fn step(&mut self, visitor: &mut impl JsonVisitor) -> Result<(), ScanError> {
        self.at = skip_blanks(self.bytes, self.at);
        let byte = *self.bytes.get(self.at).ok_or(ScanError(self.at))?;
        match (self.expected, byte) {
            (ExpectedToken::Value | ExpectedToken::FirstItem, b'{') => self.open(true, ExpectedToken::FirstKey),
            (ExpectedToken::Value | ExpectedToken::FirstItem, b'[') => self.open(false, ExpectedToken::FirstItem),
            (ExpectedToken::FirstKey | ExpectedToken::AfterValue, b'}')
                if self.frames.last().is_some_and(|frame| frame.object) =>
            {
                self.close();
            }
            (ExpectedToken::FirstItem | ExpectedToken::AfterValue, b']')
                if self.frames.last().is_some_and(|frame| !frame.object) =>
            {
                self.close();
            }
            (ExpectedToken::Value | ExpectedToken::FirstItem, _) if !self.frames.is_empty() => {
                return self.scalar(byte, visitor);
            }
            (ExpectedToken::FirstKey | ExpectedToken::Key, b'"') => return self.key(visitor),
            (ExpectedToken::AfterValue, b',') => return self.comma(),
            (
                ExpectedToken::Value
                | ExpectedToken::FirstKey
                | ExpectedToken::FirstItem
                | ExpectedToken::Key
                | ExpectedToken::AfterValue,
                _,
            ) => {
                return Err(ScanError(self.at));
            }
        }
        Ok(())
    }

    fn open(&mut self, object: bool, expected: ExpectedToken) {
        // Only the context `Secret` applies to everything below; the others apply to one string.
        let context = if self.next == KeyContext::Secret {
            KeyContext::Secret
        } else {
            KeyContext::Other
        };
        self.next = context;
        self.frames.push(Frame {
            object,
            context,
            hinted: KeyContext::Other,
            value: None,
            part: PairPart::Other,
        });
        (self.at, self.expected) = (self.at + 1, expected);
    }

    fn close(&mut self) {
        self.frames.pop();
        (self.at, self.expected) = (self.at + 1, ExpectedToken::AfterValue);
    }

    fn comma(&mut self) -> Result<(), ScanError> {
        let frame = self.frames.last_mut().ok_or(ScanError(self.at))?;
        self.expected = if frame.object {
            ExpectedToken::Key
        } else {
            let hinted = std::mem::replace(&mut frame.hinted, KeyContext::Other);
            self.next = if frame.context == KeyContext::Secret {
                KeyContext::Secret
            } else {
                hinted
            };
            ExpectedToken::Value
        };
        self.at += 1;
        Ok(())
    }

    fn key(&mut self, visitor: &mut impl JsonVisitor) -> Result<(), ScanError> {
        let close = string_end(self.bytes, self.at + 1).ok_or(ScanError(self.bytes.len()))?;
        let key = visitor.key(self.at + 1..close);
        let colon = skip_blanks(self.bytes, close + 1);
        if self.bytes.get(colon) != Some(&b':') {
            return Err(ScanError(colon));
        }
        let frame = self.frames.last_mut().ok_or(ScanError(self.at))?;
        frame.part = key.part;
        let hinted = if key.part == PairPart::Value {
            frame.hinted
        } else {
            KeyContext::Other
        };
        self.next = match (frame.context, key.context) {
            (KeyContext::Secret, _) | (_, KeyContext::Secret) => KeyContext::Secret,
            (_, KeyContext::Other) => hinted,
            (_, below) => below,
        };
        (self.at, self.expected) = (colon + 1, ExpectedToken::Value);
        Ok(())
    }

    fn scalar(&mut self, byte: u8, visitor: &mut impl JsonVisitor) -> Result<(), ScanError> {
        match byte {
            b'"' => {
                let (start, close) = (self.at + 1, string_end(self.bytes, self.at + 1));
                let end = self.bytes.len();
                let string = start..close.unwrap_or(end);
                visitor.string(string.clone(), self.next);
                self.apply_hint(string, visitor);
                self.at = close.ok_or(ScanError(end))? + 1;
            }
            b'-' | b'0'..=b'9' => {
                let end = self.at + number_length(&self.bytes[self.at..]);
                visitor.number(self.at..end);
                self.at = end;
            }
            _ => {
                let mut words = ["true", "false", "null"].into_iter();
                let word = words.find(|word| self.bytes[self.at..].starts_with(word.as_bytes()));
                self.at += word.ok_or(ScanError(self.at))?.len();
            }
        }
        self.expected = ExpectedToken::AfterValue;
        Ok(())
    }

    /// Stores the context that this string gives to another value. If the value came before its name, reports it again.
    fn apply_hint(&mut self, string: Range<usize>, visitor: &mut impl JsonVisitor) {
        let Some(frame) = self.frames.last_mut() else { return };
        match (frame.object, frame.part) {
            (false, _) => frame.hinted = visitor.hinted_context(string, HintKind::Item),
            (true, PairPart::Value) => frame.value = Some(string),
            (true, PairPart::Name) => {
                frame.hinted = visitor.hinted_context(string, HintKind::Name);
                if let Some(value) = frame.value.take().filter(|_| frame.hinted != KeyContext::Other) {
                    visitor.string(value, frame.hinted);
                }
            }
            (true, PairPart::Other) => {}
        }
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
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

/// Decodes a string of a JSON text, given without its quotes.
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

/// Maps spans of a decoded string to the raw string, which begins at `base` in the text. The spans must be sorted and
/// must not overlap.
pub fn map_to_raw(raw: &str, base: usize, decoded: &[MaskedSpan], spans: &mut Vec<MaskedSpan>) {
    let escape_from = |from: usize| {
        memchr::memchr(b'\\', raw.as_bytes().get(from..).unwrap_or_default()).map_or(raw.len(), |escape| from + escape)
    };
    let (mut raw_at, mut decoded_at, mut escape) = (0, 0, escape_from(0));
    // Moves on to the position in `raw` that belongs to this position of the decoded string.
    let mut raw_position = |target: usize| {
        while decoded_at < target {
            let step = (escape - raw_at).min(target - decoded_at);
            (raw_at, decoded_at) = (raw_at + step, decoded_at + step);
            if decoded_at < target {
                let (length, char) = unescape(&raw[raw_at..]);
                (raw_at, decoded_at) = (raw_at + length, decoded_at + char.len_utf8());
                escape = escape_from(raw_at);
            }
        }
        raw_at
    };
    for span in decoded {
        let (start, end) = (raw_position(span.start), raw_position(span.end));
        let mask = match span.mask {
            MaskText::Plain => MaskText::Plain,
            MaskText::Quoted(level) => MaskText::Quoted(level + 1),
        };
        spans.push(MaskedSpan {
            start: base + start,
            end: base + end,
            mask,
        });
    }
}

/// Returns the length of an escape and the character that it means. A backslash without a valid escape means
/// itself.
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
