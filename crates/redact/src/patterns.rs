//! Finds texts that look like a secret, whatever their key is.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::keys::SecretKeys;
use super::names::{self, SecretFinding};
use super::rules::{PrecededBy, SECRET_PATTERNS, ValueCheck};
use super::values;

/// The start and the end of a private key in text form.
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";
/// The label between the dashes has at most this many bytes.
const MAX_PEM_LABEL_BYTES: usize = 64;

/// Finds all patterns, and the names that name a secret, in one pass over a text.
#[derive(Debug)]
pub struct Patterns {
    hints: Option<AhoCorasick>,
    /// What each hint may be the start of.
    targets: Vec<HintTarget>,
    /// The patterns of the table, compiled when they are first needed.
    compiled: [OnceLock<Option<Regex>>; SECRET_PATTERNS.len()],
}

/// What a hint may be the start of.
#[derive(Debug, Clone, Copy)]
enum HintTarget {
    /// This row of the table.
    Pattern(usize),
    /// A private key between dashes.
    Pem,
    /// A name that may name a secret. The hint may be anywhere in it.
    Name,
}

impl Patterns {
    /// Builds the search for the hints of all rows and names.
    pub fn new(keys: &SecretKeys) -> Self {
        let rows = SECRET_PATTERNS.iter().enumerate();
        let mut hints: Vec<(String, HintTarget)> = rows
            .flat_map(|(row, pattern)| {
                pattern
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
            targets: hints.into_iter().map(|(_, target)| target).collect(),
            compiled: [const { OnceLock::new() }; SECRET_PATTERNS.len()],
        }
    }

    /// Reports the secrets of a text. The callback returns the position where the search continues. The time is
    /// proportional to the length of the text.
    pub fn find(&self, text: &str, keys: &SecretKeys, mut report: impl FnMut(SecretFinding) -> usize) {
        let Some(hints) = &self.hints else { return };
        let mut pem_ends = PemEnds { none_left: false };
        let mut tried_to = [0; SECRET_PATTERNS.len()];
        let (mut at, mut names_from) = (0, 0);
        while let Some(hit) = hints.find(Input::new(text).range(at..)) {
            at = hit.start() + 1;
            match self.targets[hit.pattern().as_usize()] {
                HintTarget::Pattern(row) => {
                    if let Some(secret) = self.match_pattern(row, text.as_bytes(), hit.range(), &mut tried_to[row]) {
                        at = at.max(report(SecretFinding::Secret(secret)));
                    }
                }
                HintTarget::Pem => {
                    if let Some(secret) = pem_ends.block(text, hit.start()) {
                        at = at.max(report(SecretFinding::Secret(secret)));
                    }
                }
                HintTarget::Name => {
                    if hit.start() >= names_from {
                        let name = names::whole_name(text.as_bytes(), hit.range());
                        let scanned_to = names::check_name(text, name, keys, &mut report);
                        at = at.max(scanned_to.all);
                        names_from = scanned_to.names;
                    }
                }
            }
        }
        find_discord_tokens(text.as_bytes(), |range| {
            report(SecretFinding::Secret(range));
        });
    }

    /// Returns the secret of this row that begins at the hint. `tried_to` is the position up to which this row cannot
    /// match. It is moved forward when a row with `one_run` fails, since it also fails in the rest of the same run.
    fn match_pattern(&self, row: usize, bytes: &[u8], hit: Range<usize>, tried_to: &mut usize) -> Option<Range<usize>> {
        let secret_pattern = &SECRET_PATTERNS[row];
        if hit.start < *tried_to || !is_preceded_by(bytes, hit.start, secret_pattern.preceded_by) {
            return None;
        }
        let secret = self
            .compiled_pattern(row)
            .and_then(|pattern| match_at(pattern, bytes, hit.start))
            .filter(|secret| passes_check(secret_pattern.check, bytes, secret));
        if secret.is_none() && secret_pattern.one_run {
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

/// Returns the secret of a pattern that matches at this position.
fn match_at(pattern: &Regex, bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = &bytes[start..];
    let range = if pattern.captures_len() > 1 {
        pattern.captures(rest)?.get(1)?.range()
    } else {
        pattern.find(rest)?.range()
    };
    Some(start + range.start..start + range.end)
}

/// Whether the text before this position allows a secret to begin here.
fn is_preceded_by(bytes: &[u8], at: usize, rule: PrecededBy) -> bool {
    match rule {
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

/// Whether a word can begin here: at the start, after anything except a letter or digit, after an escape such as `\n`,
/// and after a terminal colour code.
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

/// Whether this is a bearer token, and not a word of prose about bearer tokens.
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

/// Whether this is base64 of `user:password`, or is too long and mixed for a word of prose.
fn is_basic(token: &[u8]) -> bool {
    let digit = token.iter().any(u8::is_ascii_digit) && token.iter().any(u8::is_ascii_alphabetic);
    decodes_to_pair(token) || token.len() >= 16 && (token.ends_with(b"=") || digit && !token.contains(&b'/'))
}

/// Whether this is base64 of a text with a colon in it.
pub fn decodes_to_pair(token: &[u8]) -> bool {
    let mut bits = 0_u32;
    let mut bit_count = 0;
    for byte in token {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = bits << 6 | u32::from(value);
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

/// Finds where private keys end. It remembers that no end is left, so that many starts do not search the same text
/// again.
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
            // The key is cut off: mask everything that can belong to it.
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

/// Finds Discord bot tokens. A token has three parts: the number of the bot in base64, six characters, and the rest.
fn find_discord_tokens(bytes: &[u8], mut report: impl FnMut(Range<usize>)) {
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
            report(start..done);
        }
    }
}

/// Returns how many bytes from this position on are of one kind.
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
