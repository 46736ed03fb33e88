//! Looking into JSON without rewriting it: where its keys, strings and numbers stand, and what a place in an escaped
//! string means in the text around it.
//!
//! The scanner is more patient than a parser: it goes on as far as the text is JSON and says how far that was, so that a
//! stream that was cut, or has a line of log behind its JSON, keeps its secrets masked.

use std::borrow::Cow;
use std::ops::Range;

use super::spans::{MaskText, MaskedSpan};

/// Who is told what stands in a JSON text. Ranges are of the text, quotes not included.
pub trait JsonVisitor {
    /// A key. Says what it makes of the value below it.
    fn key(&mut self, range: Range<usize>) -> KeyInfo;
    /// A string.
    fn string(&mut self, range: Range<usize>, under: KeyContext);
    /// What a string says of another value: a name of the `value` beside it, an item of the item behind it.
    fn hinted_context(&mut self, range: Range<usize>, lead: HintKind) -> KeyContext;
    /// A number.
    fn number(&mut self, range: Range<usize>);
}

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyContext {
    /// At or below a key that names a secret.
    Secret,
    /// At a key that names other things, too.
    Ambiguous,
    /// Behind an option that takes a user and a password.
    Login,
    /// Elsewhere.
    Other,
}

/// What a key is.
#[derive(Debug, Clone, Copy)]
pub struct KeyInfo {
    /// What it says of the value.
    pub context: KeyContext,
    /// What part it is of a pair such as `{"name": "Authorization", "value": …}`.
    pub part: PairPart,
}

/// A part of a pair of a name and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairPart {
    /// The name.
    Name,
    /// The value.
    Value,
    /// None.
    Other,
}

impl PairPart {
    /// What part a key is.
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

/// How a string speaks of another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// It is the name of a pair.
    Name,
    /// It stands before it in a list, as an option of a command does.
    Item,
}

/// How a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEnd {
    /// The value is complete and ends here.
    Complete(usize),
    /// From here on it is no JSON.
    Broken(usize),
}

/// An object or array that is open.
#[derive(Debug)]
struct Frame {
    object: bool,
    under: KeyContext,
    /// What the name in an object says of its value, or the last item of an array of the next one.
    hinted: KeyContext,
    /// The value in an object whose name did not stand before it.
    value: Option<Range<usize>>,
    /// What the last key of an object is.
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

/// Reads one object or array that begins at `start`. Depth costs memory, never the stack.
pub fn scan(text: &str, start: usize, under: KeyContext, visitor: &mut impl JsonVisitor) -> ScanEnd {
    let mut scanner = JsonScanner {
        bytes: text.as_bytes(),
        at: start,
        expected: ExpectedToken::Value,
        next: under,
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

/// A place from which on it is no JSON.
struct ScanError(usize);

/// How far a scan is.
struct JsonScanner<'t> {
    bytes: &'t [u8],
    at: usize,
    expected: ExpectedToken,
    /// Where the next value stands.
    next: KeyContext,
    /// What is open.
    frames: Vec<Frame>,
}

impl JsonScanner<'_> {
    /// Takes one sign, key or value.
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

    fn open(&mut self, object: bool, want: ExpectedToken) {
        // Only what is secret makes all below it so.
        let under = if self.next == KeyContext::Secret {
            KeyContext::Secret
        } else {
            KeyContext::Other
        };
        self.next = under;
        self.frames.push(Frame {
            object,
            under,
            hinted: KeyContext::Other,
            value: None,
            part: PairPart::Other,
        });
        (self.at, self.expected) = (self.at + 1, want);
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
            self.next = if frame.under == KeyContext::Secret {
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
        self.next = match (frame.under, key.context) {
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

    /// Takes up what a string says of another value.
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
pub fn map_to_raw(raw: &str, base: usize, decoded: &[MaskedSpan], spans: &mut Vec<MaskedSpan>) {
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
        let put = match span.mask {
            MaskText::Plain => MaskText::Plain,
            MaskText::Quoted(level) => MaskText::Quoted(level + 1),
        };
        spans.push(MaskedSpan {
            start: base + start,
            end: base + end,
            mask: put,
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
