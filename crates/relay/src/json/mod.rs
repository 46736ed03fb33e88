//! The little of JSON that the relay needs: it checks that a text is one document, finds fields, and quotes strings.
//!
//! Documents are passed on byte for byte, so a value is a slice of the text it was found in. Nothing here recurses:
//! how deep a document may be is decided by the engine.

use std::fmt::Write;

/// A text that is not one JSON document (RFC 8259).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid {
    /// The byte at which it stops being JSON.
    pub at: usize,
}

/// Checks that `text` is exactly one JSON document, with optional spaces and line ends around it.
pub fn check(text: &str) -> Result<(), Invalid> {
    document(text, []).map(drop)
}

/// What [`document`] found in one pass.
#[derive(Debug, PartialEq, Eq)]
pub struct Document<'a, const N: usize> {
    /// The values of the wanted fields, as they are in the text.
    pub fields: [Option<&'a str>; N],
    /// Whether there are line ends between its tokens.
    pub has_line_ends: bool,
}

/// Checks that `text` is exactly one JSON document, and finds fields of it if it is an object. Of a repeated field the
/// last value counts.
pub fn document<'a, const N: usize>(text: &'a str, names: [&str; N]) -> Result<Document<'a, N>, Invalid> {
    let mut scanner = Scanner::new(text);
    let mut fields = [None; N];
    scanner.spaces();
    scanner.has_line_ends = false;
    if N > 0 && scanner.peek() == Some(b'{') {
        scanner.object(names, &mut fields)?;
    } else {
        scanner.value()?;
    }
    let has_line_ends = scanner.has_line_ends;
    scanner.spaces();
    if scanner.at == text.len() {
        Ok(Document { fields, has_line_ends })
    } else {
        scanner.invalid()
    }
}

/// The document without the line ends between its tokens and without what is around it. `text` must have passed
/// [`document`]: a string of such a document contains no raw line end.
pub fn one_line(text: &str, has_line_ends: bool) -> String {
    let text = text.trim_ascii();
    if !has_line_ends {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len());
    for part in text.split('\n') {
        part.split('\r').for_each(|part| line.push_str(part));
    }
    line
}

/// The values of these fields of an object, as they are in the text. All are `None` if `text` is not an object; of a
/// repeated field the last value counts.
pub fn fields<'a, const N: usize>(text: &'a str, names: [&str; N]) -> [Option<&'a str>; N] {
    let mut fields = [None; N];
    let mut scanner = Scanner::new(text);
    scanner.spaces();
    // A text that stops being JSON gives the fields before that.
    let _ = scanner.object(names, &mut fields);
    fields
}

/// Whether a string in quotes has this text. Only a string with an escape has to be decoded for that.
fn is_string(quoted: &str, text: &str) -> bool {
    let inner = &quoted[1..quoted.len() - 1];
    inner == text || (inner.contains('\\') && string(quoted).as_deref() == Some(text))
}

/// The text of a JSON string; `None` for every other value. Half of a surrogate pair becomes U+FFFD.
pub fn string(value: &str) -> Option<String> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = *rest.as_bytes().get(at + 1)?;
        rest = rest.get(at + 2..)?;
        let decoded = match escape {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => unicode(&mut rest)?,
            other => char::from(other),
        };
        out.push(decoded);
    }
    out.push_str(rest);
    Some(out)
}

/// Decodes what follows `\u`, together with a second escape if both form one character.
fn unicode(rest: &mut &str) -> Option<char> {
    let first = take_hex(rest)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let mut after = rest.strip_prefix("\\u").unwrap_or("");
    match take_hex(&mut after) {
        Some(second @ 0xDC00..0xE000) => {
            *rest = after;
            char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        }
        _ => Some(char::REPLACEMENT_CHARACTER),
    }
}

fn take_hex(rest: &mut &str) -> Option<u32> {
    let value = u32::from_str_radix(rest.get(..4)?, 16).ok()?;
    *rest = &rest[4..];
    Some(value)
}

/// A small whole number, such as an id or an exit code.
pub fn integer(value: &str) -> Option<i64> {
    value.parse().ok()
}

/// Appends `text` as a JSON string.
pub fn quote_into(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            // Writing to a `String` cannot fail.
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// `text` as a JSON string.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(&mut out, text);
    out
}

/// Reads over a text. Containers that are open are in a list, so depth costs memory and no stack.
struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Whether a line end was read between two tokens.
    has_line_ends: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Self {
            text,
            bytes,
            at: 0,
            has_line_ends: false,
        }
    }

    fn invalid<T>(&self) -> Result<T, Invalid> {
        Err(Invalid { at: self.at })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Invalid> {
        if self.peek() != Some(wanted) {
            return self.invalid();
        }
        self.at += 1;
        Ok(())
    }

    fn spaces(&mut self) {
        while let Some(space @ (b' ' | b'\t' | b'\r' | b'\n')) = self.peek() {
            self.has_line_ends |= matches!(space, b'\r' | b'\n');
            self.at += 1;
        }
    }

    /// Reads an object and notes the values of these fields.
    fn object<const N: usize>(&mut self, names: [&str; N], fields: &mut [Option<&'a str>; N]) -> Result<(), Invalid> {
        self.expect(b'{')?;
        self.spaces();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            self.spaces();
            let start = self.at;
            self.value()?;
            if let Some(index) = names.iter().position(|name| is_string(key, name)) {
                fields[index] = Some(&self.text[start..self.at]);
            }
            self.spaces();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.invalid(),
            }
            self.spaces();
        }
    }

    /// Reads one value. `open` contains the closing brackets that are still due.
    fn value(&mut self) -> Result<(), Invalid> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.spaces();
            match self.peek() {
                Some(b'{') if self.opens_with_content(b'}') => {
                    self.key()?;
                    open.push(b'}');
                    continue;
                }
                Some(b'[') if self.opens_with_content(b']') => {
                    open.push(b']');
                    continue;
                }
                // An empty container was read as a whole.
                Some(b'{' | b'[') => {}
                Some(b'"') => {
                    self.string()?;
                }
                Some(b'-' | b'0'..=b'9') => self.number()?,
                _ => self.word()?,
            }
            loop {
                let Some(&close) = open.last() else { return Ok(()) };
                self.spaces();
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        self.spaces();
                        if close == b'}' {
                            self.key()?;
                        }
                        break;
                    }
                    Some(byte) if byte == close => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return self.invalid(),
                }
            }
        }
    }

    /// Reads an opening bracket, and the closing one if nothing is between them.
    fn opens_with_content(&mut self, close: u8) -> bool {
        let start = self.at;
        self.at += 1;
        self.spaces();
        if self.peek() != Some(close) {
            return true;
        }
        // The caller's last arm expects the scanner behind the empty container.
        self.at += 1;
        debug_assert!(self.at > start);
        false
    }

    fn key(&mut self) -> Result<&'a str, Invalid> {
        let key = self.string()?;
        self.spaces();
        self.expect(b':')?;
        Ok(key)
    }

    /// Reads a string and returns it with its quotes.
    fn string(&mut self) -> Result<&'a str, Invalid> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            self.plain_text();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(&self.text[start..self.at]);
                }
                Some(b'\\') => self.escape()?,
                _ => return self.invalid(),
            }
        }
    }

    /// Skips what means itself in a string, eight bytes at a time: almost all of a document is text within strings.
    fn plain_text(&mut self) {
        const ONES: u64 = u64::MAX / 255;
        const HIGH: u64 = ONES << 7;
        // The lowest byte that is reported is always right, which is enough to find the first one.
        let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
        let rest = &self.bytes[self.at..];
        let (words, _) = rest.as_chunks::<8>();
        for word in words {
            let word = u64::from_le_bytes(*word);
            let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
            let special = control | has_zero(word ^ (ONES * 0x22)) | has_zero(word ^ (ONES * 0x5c));
            if special != 0 {
                self.at += special.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        let rest = &self.bytes[self.at..];
        let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
        self.at += plain.unwrap_or(rest.len());
    }

    fn escape(&mut self) -> Result<(), Invalid> {
        self.at += 1;
        match self.next() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
                let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
                if digits.len() != 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return self.invalid();
                }
                self.at += 4;
                Ok(())
            }
            _ => self.invalid(),
        }
    }

    fn number(&mut self) -> Result<(), Invalid> {
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Invalid> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.invalid() } else { Ok(()) }
    }

    fn word(&mut self) -> Result<(), Invalid> {
        let rest = &self.bytes[self.at..];
        for word in [&b"true"[..], b"false", b"null"] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(());
            }
        }
        self.invalid()
    }
}

#[cfg(test)]
mod tests;
