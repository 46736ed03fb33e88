//! Names in texts and the values behind them: `.env`, YAML, TOML, queries of URLs, headers, options, source code.

use std::ops::Range;

use super::json::KeyContext;
use super::keys::SecretKeys;
use super::patterns::run_length;
use super::values::{self, AssignedValue};

/// A name is at most this long to either side of what hints at it.
const MAX_NAME_BYTES: usize = 128;
/// Words that may stand before a name at the beginning of a line of shell or of a container's file.
const BEFORE_NAME: &[&str] = &["export", "set", "ENV", "ARG", "-"];
/// What a cookie says beside its value.
const COOKIE_ATTRIBUTES: &[&str] = &["path", "domain", "expires", "max-age", "samesite", "priority"];

/// What was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretFinding {
    /// A secret.
    Secret(Range<usize>),
    /// What may be a secret, and may as well be the name of a variable or a type: it is masked here only.
    Mentioned(Range<usize>),
    /// An object or array begins here, and all strings in it are secrets.
    Document(usize),
}

/// Where the value of a name begins, and how it is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct ValueSite {
    pub at: usize,
    /// In a line that is an assignment of a shell or an `.env` file, a value goes on to the next blank.
    pub is_assignment_line: bool,
    /// Behind a colon, as a header.
    pub is_header: bool,
    /// Between the tags of XML.
    pub is_tag: bool,
}

/// The whole name around what hints at it.
pub fn whole_name(bytes: &[u8], hint: Range<usize>) -> Range<usize> {
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-' | b'.');
    let before = bytes[..hint.start]
        .iter()
        .rev()
        .take(MAX_NAME_BYTES)
        .take_while(part)
        .count();
    let after = bytes[hint.end..].iter().take(MAX_NAME_BYTES).take_while(part).count();
    let mut start = hint.start - before;
    let head = &bytes[start..hint.start];
    // The letter of an escape such as `\n` is none of the name, nor is the end of a terminal's colour.
    match start.checked_sub(1).map(|sign| bytes[sign]) {
        Some(b'\\') if matches!(head.first(), Some(b'n' | b'r' | b't')) => start += 1,
        Some(b'[' | b';') => {
            let digits = run_length(head, 0, |byte| byte.is_ascii_digit());
            start += if head.get(digits) == Some(&b'm') { digits + 1 } else { 0 };
        }
        Some(_) | None => {}
    }
    start..hint.end + after
}

/// Up to where a text was looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScannedTo {
    /// For everything.
    pub all: usize,
    /// For names.
    pub names: usize,
}

/// Says what stands behind a name, where the name is one of a secret; `found` says up to where that is.
pub fn check_name(
    text: &str,
    name: Range<usize>,
    keys: &SecretKeys,
    found: &mut impl FnMut(SecretFinding) -> usize,
) -> ScannedTo {
    let done = |all: usize| ScannedTo {
        all,
        names: all.max(name.end),
    };
    let bytes = text.as_bytes();
    let Some(place) = value_site(bytes, &name) else {
        return done(0);
    };
    let under = keys.context_of(&text[name.clone()]);
    if under == KeyContext::Other {
        return done(0);
    }
    if place.is_header && text[name.clone()].to_ascii_lowercase().contains("cookie") {
        let end = cookies(bytes, place.at, found);
        if end > place.at {
            return done(end);
        }
    }
    if matches!(bytes.get(place.at), Some(b'{' | b'[')) && under == KeyContext::Secret {
        return done(found(SecretFinding::Document(place.at)));
    }
    match values::assigned_value(text, place) {
        AssignedValue::Written { value, quoted } => {
            let mentioned =
                !quoted && is_identifier(&bytes[value.clone()]) && keys.is_secret_name(&text[value.clone()]);
            done(found(if mentioned {
                SecretFinding::Mentioned(value)
            } else {
                SecretFinding::Secret(value)
            }))
        }
        AssignedValue::Elsewhere(end) => ScannedTo {
            all: 0,
            names: end.max(name.end),
        },
        AssignedValue::Nothing => done(0),
    }
}

fn is_identifier(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}

/// Where the value of this name begins, if it has one.
fn value_site(bytes: &[u8], name: &Range<usize>) -> Option<ValueSite> {
    let before = name.start.checked_sub(1).map(|before| bytes[before]);
    if before == Some(b'<') && bytes.get(name.end) == Some(&b'>') {
        return Some(ValueSite {
            at: name.end + 1,
            is_tag: true,
            ..ValueSite::default()
        });
    }
    // What closes the name: quotes, brackets, and what makes it bold.
    let quotes = run_length(bytes, name.end, |byte| {
        matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'*' | b']')
    });
    let closed = name.end + quotes;
    let next = closed + blanks(bytes, closed);
    let separator = separator(bytes, next).or_else(|| {
        let quoted = bytes[name.end..closed].iter().any(|byte| matches!(byte, b'"' | b'\''));
        if quoted && bytes.get(next) == Some(&b',') {
            value_of_pair(bytes, next + 1)
        } else {
            None
        }
    });
    if let Some((sign, after)) = separator {
        return Some(ValueSite {
            at: after + blanks(bytes, after),
            is_assignment_line: sign == b'=' && quotes == 0 && next == closed && begins_line(bytes, name.start),
            is_header: sign == b':',
            is_tag: false,
        });
    }
    if bytes[name.start] != b'-' {
        return None;
    }
    if quotes == 0 && next > closed && bytes.get(next) != Some(&b'-') {
        return Some(ValueSite {
            at: next,
            ..ValueSite::default()
        });
    }
    // Side by side in a list: `"--token", "x"`.
    let comma = quotes > 0 && bytes.get(next) == Some(&b',');
    let at = next + 1 + if comma { blanks(bytes, next + 1) } else { 0 };
    (comma && matches!(bytes.get(at), Some(b'"' | b'\'' | b'\\'))).then_some(ValueSite {
        at,
        ..ValueSite::default()
    })
}

/// The sign between a name and its value that stands here, and where it ends.
fn separator(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'=', Some(b'=' | b'~')) | (b':', Some(b':')) => None,
        (b'=', Some(b'>')) | (b':', Some(b'=')) => Some((b'=', at + 2)),
        (b':', Some(b'/')) if bytes.get(at + 2) == Some(&b'/') => None,
        (sign @ (b'=' | b':'), _) => Some((*sign, at + 1)),
        _ if bytes[at..].starts_with("：".as_bytes()) => Some((b':', at + 3)),
        _ if bytes[at..].starts_with("＝".as_bytes()) => Some((b'=', at + 3)),
        _ => None,
    }
}

/// The sign behind `"value"`, as in `{"name": "Authorization", "value": …}`.
fn value_of_pair(bytes: &[u8], comma: usize) -> Option<(u8, usize)> {
    let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'\\');
    let mut at = comma + run_length(bytes, comma, |byte| byte.is_ascii_whitespace());
    at += run_length(bytes, at, quote);
    if !bytes.get(at..at + 5)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    at += 5;
    at += run_length(bytes, at, quote);
    separator(bytes, at + blanks(bytes, at))
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    run_length(bytes, at, |byte| matches!(byte, b' ' | b'\t'))
}

/// Whether a name stands where an assignment begins its line.
fn begins_line(bytes: &[u8], name: usize) -> bool {
    let near = &bytes[name.saturating_sub(16)..name];
    let line = near
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(near, |newline| &near[newline + 1..]);
    let whole = line.len() < near.len() || near.len() < 16;
    let line = line.trim_ascii();
    whole && (line.is_empty() || BEFORE_NAME.iter().any(|word| line == word.as_bytes()))
}

/// The values of a line of cookies. Returns where they end.
fn cookies(bytes: &[u8], at: usize, found: &mut impl FnMut(SecretFinding) -> usize) -> usize {
    let part = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'=' | b';' | b':' | b'"' | b'\'' | b'\\' | b',');
    let value = |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b';' | b'"' | b'\'' | b'\\');
    let mut end = at;
    loop {
        let start = end + run_length(bytes, end, |byte| matches!(byte, b';' | b' ' | b'\t'));
        let equals = start + run_length(bytes, start, part);
        if equals == start || bytes.get(equals) != Some(&b'=') {
            return end;
        }
        end = equals + 1 + run_length(bytes, equals + 1, value);
        let name = &bytes[start..equals];
        if end > equals + 1
            && !COOKIE_ATTRIBUTES
                .iter()
                .any(|other| name.eq_ignore_ascii_case(other.as_bytes()))
        {
            found(SecretFinding::Secret(equals + 1..end));
        }
    }
}
