//! Texts that look like a secret, whatever key they stand under.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Input};
use memchr::memmem;

use super::keys::Keys;

/// Private keys in text form begin and end so.
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";
/// A label between the dashes is at most this long.
const PEM_LABEL: usize = 64;
/// A variable's name is looked back for this far.
const NAME_BYTES: usize = 128;

/// How a text goes on behind its beginning.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// `Bearer …`
    Bearer,
    /// `Basic …`
    Basic,
    /// A private key in text form.
    Pem,
    /// Three parts of base64, the first of which is a JSON object.
    Jwt,
    /// `xox?-…`
    Slack,
    /// At least so many bytes of this kind.
    Run(fn(u8) -> bool, usize),
}

const SHAPES: &[(&str, Shape)] = &[
    ("bearer", Shape::Bearer),
    ("basic", Shape::Basic),
    (PEM_BEGIN, Shape::Pem),
    ("eyJ", Shape::Jwt),
    ("xox", Shape::Slack),
    ("sk-", Shape::Run(is_token, 8)),
    ("sk_live_", Shape::Run(is_token, 8)),
    ("ghp_", Shape::Run(is_token, 8)),
    ("gho_", Shape::Run(is_token, 8)),
    ("ghu_", Shape::Run(is_token, 8)),
    ("ghs_", Shape::Run(is_token, 8)),
    ("ghr_", Shape::Run(is_token, 8)),
    ("github_pat_", Shape::Run(is_token, 8)),
    ("AKIA", Shape::Run(is_alphanumeric, 8)),
    ("LTAI", Shape::Run(is_alphanumeric, 8)),
    ("AKID", Shape::Run(is_alphanumeric, 8)),
];

/// Finds them all in one pass.
#[derive(Debug)]
pub struct Shapes {
    beginnings: Option<AhoCorasick>,
}

impl Shapes {
    /// Ready to look.
    pub fn new() -> Self {
        let beginnings = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(aho_corasick::MatchKind::LeftmostFirst)
            .build(SHAPES.iter().map(|(beginning, _)| beginning));
        Self {
            beginnings: beginnings.ok(),
        }
    }

    /// Says where a text holds secrets, in order within each kind. Time grows with the text's length only.
    pub fn find(&self, text: &str, keys: &Keys, mut found: impl FnMut(Range<usize>)) {
        if let Some(beginnings) = &self.beginnings {
            let mut ends = PemEnds { none_left: false };
            let mut at = 0;
            while let Some(hit) = beginnings.find(Input::new(text).range(at..)) {
                let (beginning, shape) = SHAPES[hit.pattern().as_usize()];
                at = hit.start() + 1;
                match judge(text, hit.range(), beginning, shape, &mut ends) {
                    Judged::Secret(range) => {
                        at = range.end.max(at);
                        found(range);
                    }
                    Judged::NotUpTo(end) => at = end.max(at),
                    Judged::Not => {}
                }
            }
        }
        assignments(text, keys, found);
    }
}

/// What a beginning turned out to be.
enum Judged {
    Secret(Range<usize>),
    /// Nothing, and no other beginning up to there is anything either.
    NotUpTo(usize),
    Not,
}

impl From<Option<Range<usize>>> for Judged {
    fn from(range: Option<Range<usize>>) -> Self {
        range.map_or(Self::Not, Self::Secret)
    }
}

fn judge(text: &str, hit: Range<usize>, beginning: &str, shape: Shape, ends: &mut PemEnds) -> Judged {
    let bytes = text.as_bytes();
    let any_case = matches!(shape, Shape::Bearer | Shape::Basic);
    if !any_case && &bytes[hit.clone()] != beginning.as_bytes() || !begins_word(bytes, hit.start) {
        return Judged::Not;
    }
    match shape {
        Shape::Bearer => credential(bytes, hit.end)
            .filter(|token| is_bearer(&bytes[token.clone()]))
            .into(),
        Shape::Basic => credential(bytes, hit.end)
            .filter(|token| is_basic(&bytes[token.clone()]))
            .into(),
        Shape::Pem => ends.block(text, hit.start).into(),
        Shape::Jwt => jwt(bytes, hit.start),
        Shape::Slack => slack(bytes, hit).into(),
        Shape::Run(kind, least) => {
            let length = run(bytes, hit.end, kind);
            (length >= least).then_some(hit.start..hit.end + length).into()
        }
    }
}

fn slack(bytes: &[u8], hit: Range<usize>) -> Option<Range<usize>> {
    let kind = bytes.get(hit.end..hit.end + 2)?;
    let end = hit.end + 2 + run(bytes, hit.end + 2, is_token);
    (kind[0].is_ascii_alphanumeric() && kind[1] == b'-' && end >= hit.end + 10).then_some(hit.start..end)
}

/// Whether a word can begin here: after anything but a letter or digit, after an escape such as `\n`, and after the
/// colour codes of a terminal.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let Some(&before) = at.checked_sub(1).and_then(|before| bytes.get(before)) else {
        return true;
    };
    if !before.is_ascii_alphanumeric() {
        return true;
    }
    if matches!(before, b'n' | b'r' | b't' | b'f' | b'b') && at >= 2 && bytes[at - 2] == b'\\' {
        return true;
    }
    if before != b'm' {
        return false;
    }
    let parameters = bytes[..at - 1]
        .iter()
        .rev()
        .take(16)
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    (at - 1 - parameters)
        .checked_sub(1)
        .is_some_and(|bracket| bytes[bracket] == b'[')
}

/// The word behind a scheme's name and blanks.
fn credential(bytes: &[u8], after: usize) -> Option<Range<usize>> {
    let blanks = run(bytes, after, |byte| matches!(byte, b' ' | b'\t'));
    if blanks == 0 {
        return None;
    }
    let start = after + blanks;
    let mut end = start + run(bytes, start, is_credential);
    while end > start && matches!(bytes[end - 1], b'.' | b':' | b'|') {
        end -= 1;
    }
    (end > start).then_some(start..end)
}

/// Not the words that people write about bearer tokens.
fn is_bearer(token: &[u8]) -> bool {
    const PROSE: &[&str] = &[
        "authentication",
        "authorization",
        "credential",
        "credentials",
        "challenge",
    ];
    let prose = PROSE.iter().any(|word| token.eq_ignore_ascii_case(word.as_bytes()));
    !prose && (token.len() >= 8 || token.len() >= 4 && token.iter().any(u8::is_ascii_digit))
}

/// Base64 of `user:password`, and whatever cannot be a word of prose.
fn is_basic(token: &[u8]) -> bool {
    let digit = token.iter().any(u8::is_ascii_digit) && token.iter().any(u8::is_ascii_alphabetic);
    token.len() >= 4 && token.ends_with(b"=") && token[0] != b'='
        || token.len() >= 8 && (digit && !token.contains(&b'/') || decodes_to_pair(token))
}

fn decodes_to_pair(token: &[u8]) -> bool {
    let mut bits = 0_u32;
    let mut held = 0;
    for byte in token {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            if (bits >> held) & 0xff == u32::from(b':') {
                return token.len() % 4 != 1;
            }
        }
    }
    false
}

fn jwt(bytes: &[u8], start: usize) -> Judged {
    let header = start + run(bytes, start, is_token);
    let mut end = header;
    let mut parts = 1;
    while parts < 5 && bytes.get(end) == Some(&b'.') {
        let part = run(bytes, end + 1, is_token);
        if parts == 1 && part < 4 {
            break;
        }
        end += 1 + part;
        parts += 1;
    }
    if header >= start + 10 && parts >= 3 {
        Judged::Secret(start..end)
    } else {
        Judged::NotUpTo(header)
    }
}

/// Ends of private keys; remembers that there are none, so that many beginnings do not search the same text again.
struct PemEnds {
    none_left: bool,
}

impl PemEnds {
    fn block(&mut self, text: &str, start: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let label = start + PEM_BEGIN.len();
        let window = &bytes[label..bytes.len().min(label + PEM_LABEL)];
        let dashes = memmem::find(window, b"-----")?;
        memmem::find(&window[..dashes], b"PRIVATE KEY")?;
        let body = label + dashes + 5;
        let end = if self.none_left {
            None
        } else {
            memmem::find(&bytes[body..], PEM_END.as_bytes())
        };
        let Some(end) = end.map(|end| body + end) else {
            self.none_left = true;
            // Cut off: what can belong to the key.
            let rest = run(bytes, body, |byte| {
                is_credential(byte) || matches!(byte, b'\\' | b'\n' | b'\r' | b' ' | b'\t' | b',')
            });
            return Some(start..body + rest);
        };
        let tail = &bytes[end + PEM_END.len()..bytes.len().min(end + PEM_END.len() + PEM_LABEL)];
        let close = memmem::find(tail, b"-----").map_or(end + PEM_END.len(), |close| end + PEM_END.len() + close + 5);
        Some(start..close)
    }
}

/// `NAME=value` as in an environment, where the name names a secret.
fn assignments(text: &str, keys: &Keys, mut found: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for equals in memchr::memchr_iter(b'=', bytes) {
        if equals < done {
            continue;
        }
        let before = &bytes[equals.saturating_sub(NAME_BYTES)..equals];
        let length = before
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_')
            .count();
        let name = equals - length;
        let word = length >= 5 && !bytes[name].is_ascii_digit() && begins_word(bytes, name);
        if !word || bytes.get(equals + 1) == Some(&b'=') || !keys.name_a_secret(&text[name..equals]) {
            continue;
        }
        match assigned(bytes, equals + 1) {
            Judged::Secret(value) => {
                done = value.end;
                found(value);
            }
            Judged::NotUpTo(end) => done = end,
            Judged::Not => {}
        }
    }
}

/// What is assigned, where it is written out and not fetched from elsewhere.
fn assigned(bytes: &[u8], at: usize) -> Judged {
    const FETCHED: &[&[u8]] = &[b"process.env", b"os.environ", b"import.meta"];
    let Some(rest) = bytes.get(at..) else {
        return Judged::Not;
    };
    if FETCHED.iter().any(|from| rest.starts_with(from)) {
        return Judged::Not;
    }
    let slashes = rest.iter().take(4).take_while(|byte| **byte == b'\\').count();
    let quote = rest.get(slashes).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let start = if quote.is_some() { at + slashes + 1 } else { at };
    let kind = |byte: u8| match quote {
        Some(quote) => byte != quote && !matches!(byte, b'\\' | b'\n'),
        None => is_written(byte),
    };
    let length = run(bytes, start, kind);
    let end = start + length;
    let value = &bytes[start..end];
    if quote.is_none() && matches!(bytes.get(end), Some(b'(' | b'[' | b'{' | b'$' | b'`')) {
        // A call, or put together: whatever else is assigned up to there ends there too.
        return Judged::NotUpTo(end);
    }
    let expands = quote == Some(b'"')
        && value
            .windows(2)
            .any(|pair| pair[0] == b'$' && !pair[1].is_ascii_digit());
    let expands = expands || quote == Some(b'"') && value.contains(&b'`');
    if length < 8 || expands {
        Judged::Not
    } else {
        Judged::Secret(start..end)
    }
}

fn run(bytes: &[u8], from: usize, kind: impl Fn(u8) -> bool) -> usize {
    bytes
        .get(from..)
        .map_or(0, |rest| rest.iter().take_while(|byte| kind(**byte)).count())
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_credential(byte: u8) -> bool {
    is_token(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=' | b':' | b'|')
}

/// Bytes of a value without quotes.
fn is_written(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !matches!(
            byte,
            b'"' | b'\''
                | b'$'
                | b'`'
                | b';'
                | b'&'
                | b'|'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
                | b'\\'
                | b','
        )
}
