//! Texts that look like a secret, whatever key they stand under.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::keys::SecretKeys;
use super::names::{self, SecretFinding};
use super::rules::{PrecededBy, SECRET_PATTERNS, ValueCheck};
use super::values;

/// Private keys in text form begin and end so.
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";
/// A label between the dashes is at most this long.
const MAX_PEM_LABEL_BYTES: usize = 64;

/// Finds them all in one pass, and the names that name a secret on the way.
#[derive(Debug)]
pub struct Patterns {
    hints: Option<AhoCorasick>,
    /// What each hint may begin.
    targets: Vec<HintTarget>,
    /// The patterns of the table, compiled when they are first needed.
    compiled: [OnceLock<Option<Regex>>; SECRET_PATTERNS.len()],
}

/// What a hint may begin.
#[derive(Debug, Clone, Copy)]
enum HintTarget {
    /// A row of the table.
    Pattern(usize),
    /// A private key between dashes.
    Pem,
    /// A name.
    Name,
}

impl Patterns {
    /// Ready to look.
    pub fn new(keys: &SecretKeys) -> Self {
        let rows = SECRET_PATTERNS.iter().enumerate();
        let mut hints: Vec<(String, HintTarget)> = rows
            .flat_map(|(row, shape)| {
                shape
                    .hints
                    .iter()
                    .map(move |hint| ((*hint).to_owned(), HintTarget::Pattern(row)))
            })
            .collect();
        hints.push((PEM_BEGIN.to_owned(), HintTarget::Pem));
        hints.extend(keys.text_hints().map(|hint| (hint, HintTarget::Name)));
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostFirst)
            .build(hints.iter().map(|(hint, _)| hint));
        Self {
            hints: search.ok(),
            targets: hints.into_iter().map(|(_, begins)| begins).collect(),
            compiled: [const { OnceLock::new() }; SECRET_PATTERNS.len()],
        }
    }

    /// Says where a text holds secrets; `found` says where to go on. Time grows with the text's length only.
    pub fn find(&self, text: &str, keys: &SecretKeys, mut found: impl FnMut(SecretFinding) -> usize) {
        let Some(hints) = &self.hints else { return };
        let mut ends = PemEnds { none_left: false };
        let mut tried_to = [0; SECRET_PATTERNS.len()];
        let (mut at, mut named) = (0, 0);
        while let Some(hit) = hints.find(Input::new(text).range(at..)) {
            at = hit.start() + 1;
            match self.targets[hit.pattern().as_usize()] {
                HintTarget::Pattern(row) => {
                    if let Some(secret) = self.match_pattern(row, text.as_bytes(), hit.range(), &mut tried_to[row]) {
                        at = at.max(found(SecretFinding::Secret(secret)));
                    }
                }
                HintTarget::Pem => {
                    if let Some(secret) = ends.block(text, hit.start()) {
                        at = at.max(found(SecretFinding::Secret(secret)));
                    }
                }
                HintTarget::Name => {
                    if hit.start() >= named {
                        let name = names::whole_name(text.as_bytes(), hit.range());
                        let done = names::check_name(text, name, keys, &mut found);
                        at = at.max(done.all);
                        named = done.names;
                    }
                }
            }
        }
        find_discord_tokens(text.as_bytes(), |range| {
            found(SecretFinding::Secret(range));
        });
    }

    /// The secret of this row that begins here. `vain` is up to where the row was tried in vain: a shape that is a run of
    /// token signs and does not fit does not fit from a later place of the same run either.
    fn match_pattern(&self, row: usize, bytes: &[u8], hit: Range<usize>, tried_to: &mut usize) -> Option<Range<usize>> {
        let shape = &SECRET_PATTERNS[row];
        if hit.start < *tried_to || !is_preceded_by(bytes, hit.start, shape.preceded_by) {
            return None;
        }
        let secret = self
            .compiled_pattern(row)
            .and_then(|pattern| match_at(pattern, bytes, hit.start))
            .filter(|secret| passes_check(shape.check, bytes, secret));
        if secret.is_none() && shape.one_run {
            *tried_to = hit.end + run_length(bytes, hit.end, is_token);
        }
        secret
    }

    fn compiled_pattern(&self, row: usize) -> Option<&Regex> {
        let compile = || {
            RegexBuilder::new(&format!("^(?:{})", SECRET_PATTERNS[row].pattern))
                .unicode(false)
                .build()
                .ok()
        };
        self.compiled[row].get_or_init(compile).as_ref()
    }
}

/// The secret of a pattern that begins at this place.
fn match_at(pattern: &Regex, bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = &bytes[start..];
    let range = if pattern.captures_len() > 1 {
        pattern.captures(rest)?.get(1)?.range()
    } else {
        pattern.find(rest)?.range()
    };
    Some(start + range.start..start + range.end)
}

/// Whether what stands before a shape lets it begin here.
fn is_preceded_by(bytes: &[u8], at: usize, after: PrecededBy) -> bool {
    match after {
        PrecededBy::Any => true,
        PrecededBy::Word => begins_word(bytes, at),
        PrecededBy::Blank => {
            let before = at.checked_sub(1).map(|before| bytes[before]);
            before.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'[' | b','))
        }
        PrecededBy::Number => {
            bytes[..at]
                .iter()
                .rev()
                .take(6)
                .take_while(|byte| byte.is_ascii_digit())
                .count()
                == 6
        }
    }
}

fn passes_check(check: ValueCheck, bytes: &[u8], secret: &Range<usize>) -> bool {
    let secret = &bytes[secret.clone()];
    let has = |kind: fn(&u8) -> bool| secret.iter().any(kind);
    match check {
        ValueCheck::Always => true,
        ValueCheck::Digit => has(u8::is_ascii_digit),
        ValueCheck::DigitAndCapital => has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase),
        ValueCheck::Bearer => is_bearer(secret),
        ValueCheck::Basic => is_basic(secret),
        ValueCheck::Written => !values::is_variable(secret),
        ValueCheck::Login => !values::is_variable(secret) && !values::is_number(secret),
    }
}

/// Whether a word can begin here: after anything but a letter or digit, after an escape such as `\n`, and after the
/// colour codes of a terminal.
pub fn begins_word(bytes: &[u8], at: usize) -> bool {
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

/// Base64 of `user:password`, and what is long and cannot be a word of prose.
fn is_basic(token: &[u8]) -> bool {
    let digit = token.iter().any(u8::is_ascii_digit) && token.iter().any(u8::is_ascii_alphabetic);
    decodes_to_pair(token) || token.len() >= 16 && (token.ends_with(b"=") || digit && !token.contains(&b'/'))
}

/// Whether this is base64 of a text with a colon in it.
pub fn decodes_to_pair(token: &[u8]) -> bool {
    let mut bits = 0_u32;
    let mut bit_count = 0;
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
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            match (bits >> bit_count) & 0xff {
                0x3a => return token.len() % 4 != 1,
                0x20..0x7f => {}
                _ => return false,
            }
        }
    }
    false
}

/// Ends of private keys; remembers that there are none, so that many beginnings do not search the same text again.
struct PemEnds {
    none_left: bool,
}

impl PemEnds {
    fn block(&mut self, text: &str, start: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let label = start + PEM_BEGIN.len();
        let window = &bytes[label..bytes.len().min(label + MAX_PEM_LABEL_BYTES)];
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
            let rest = run_length(bytes, body, |byte| {
                is_credential(byte) || matches!(byte, b'\\' | b'\n' | b'\r' | b' ' | b'\t' | b',')
            });
            return Some(start..body + rest);
        };
        let tail = &bytes[end + PEM_END.len()..bytes.len().min(end + PEM_END.len() + MAX_PEM_LABEL_BYTES)];
        let close = memmem::find(tail, b"-----").map_or(end + PEM_END.len(), |close| end + PEM_END.len() + close + 5);
        Some(start..close)
    }
}

/// Bot tokens of Discord: three parts, the first of which is the number of the bot in base64 and the second always has six
/// signs.
fn find_discord_tokens(bytes: &[u8], mut found: impl FnMut(Range<usize>)) {
    const FIRST: usize = 22;
    const LAST: usize = 24;
    let mut done = 0;
    for dot in memchr::memchr_iter(b'.', bytes) {
        if bytes.get(dot + 7) != Some(&b'.') || dot < done + FIRST || run_length(bytes, dot + 1, is_token) != 6 {
            continue;
        }
        let before = bytes[done..dot]
            .iter()
            .rev()
            .take(40)
            .take_while(|byte| is_token(**byte))
            .count();
        let last = run_length(bytes, dot + 8, is_token);
        let start = dot - before;
        if (FIRST..40).contains(&before) && last >= LAST && matches!(bytes[start], b'M' | b'N' | b'O') {
            done = dot + 8 + last;
            found(start..done);
        }
    }
}

/// How many bytes of a kind stand here.
pub fn run_length(bytes: &[u8], from: usize, kind: impl Fn(u8) -> bool) -> usize {
    bytes
        .get(from..)
        .map_or(0, |rest| rest.iter().take_while(|byte| kind(**byte)).count())
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_credential(byte: u8) -> bool {
    is_token(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=' | b':' | b'|')
}
