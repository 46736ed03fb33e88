//! Finds names in texts and the values after them: `.env`, YAML, TOML, URL queries, headers, options, source code.

use std::ops::Range;

use super::json::KeyContext;
use super::keys::SecretKeys;
use super::patterns::run_length;
use super::values::{self, AssignedValue};

/// A name extends at most this many bytes to each side of its hint.
const MAX_NAME_BYTES: usize = 128;
/// Words that may precede a name at the start of a line in a shell script, a `Dockerfile` or a YAML list.
const BEFORE_NAME: &[&str] = &["export", "set", "ENV", "ARG", "-"];
/// Attributes of a cookie. Their values are not secrets.
const COOKIE_ATTRIBUTES: &[&str] = &["path", "domain", "expires", "max-age", "samesite", "priority"];

/// A finding in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretFinding {
    /// A secret. It is also masked wherever else it occurs.
    Secret(Range<usize>),
    /// A value that may be a secret, or only the name of a variable or a type. It is masked in this place only.
    Mentioned(Range<usize>),
    /// The start of an object or array in which all strings are secrets.
    Document(usize),
}

/// Where the value of a name begins, and how it is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct ValueSite {
    pub at: usize,
    /// The line is an assignment of a shell script or an `.env` file. There, an unquoted value ends at the next white
    /// space.
    pub is_assignment_line: bool,
    /// The value is after a colon, as in a header.
    pub is_header: bool,
    /// The value is between two XML tags.
    pub is_tag: bool,
}

/// Returns the whole name around a hint.
pub fn whole_name(bytes: &[u8], hint: Range<usize>) -> Range<usize> {
    let is_name_byte = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-' | b'.');
    let before = bytes[..hint.start]
        .iter()
        .rev()
        .take(MAX_NAME_BYTES)
        .take_while(is_name_byte)
        .count();
    let after = bytes[hint.end..]
        .iter()
        .take(MAX_NAME_BYTES)
        .take_while(is_name_byte)
        .count();
    let mut start = hint.start - before;
    let prefix = &bytes[start..hint.start];
    // The letter of an escape such as `\n` and the rest of a terminal colour code are not part of the name.
    match start.checked_sub(1).map(|index| bytes[index]) {
        Some(b'\\') if matches!(prefix.first(), Some(b'n' | b'r' | b't')) => start += 1,
        Some(b'[' | b';') => {
            let digits = run_length(prefix, 0, |byte| byte.is_ascii_digit());
            start += if prefix.get(digits) == Some(&b'm') {
                digits + 1
            } else {
                0
            };
        }
        Some(_) | None => {}
    }
    start..hint.end + after
}

/// Up to which positions a text is scanned already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScannedTo {
    /// No search needs to begin before this position.
    pub all: usize,
    /// The search for names need not begin before this position.
    pub names: usize,
}

/// Reports the value after a name, if the name names a secret. The callback returns the position where its finding
/// ends.
pub fn check_name(
    text: &str,
    name: Range<usize>,
    keys: &SecretKeys,
    report: &mut impl FnMut(SecretFinding) -> usize,
) -> ScannedTo {
    let scanned_to = |all: usize| ScannedTo {
        all,
        names: all.max(name.end),
    };
    let bytes = text.as_bytes();
    let Some(site) = value_site(bytes, &name) else {
        return scanned_to(0);
    };
    let context = keys.context_of(&text[name.clone()]);
    if context == KeyContext::Other {
        return scanned_to(0);
    }
    if site.is_header && text[name.clone()].to_ascii_lowercase().contains("cookie") {
        let end = cookies(bytes, site.at, report);
        if end > site.at {
            return scanned_to(end);
        }
    }
    if matches!(bytes.get(site.at), Some(b'{' | b'[')) && context == KeyContext::Secret {
        return scanned_to(report(SecretFinding::Document(site.at)));
    }
    match values::assigned_value(text, site) {
        AssignedValue::Written { value, quoted } => {
            let mentioned =
                !quoted && is_identifier(&bytes[value.clone()]) && keys.is_secret_name(&text[value.clone()]);
            scanned_to(report(if mentioned {
                SecretFinding::Mentioned(value)
            } else {
                SecretFinding::Secret(value)
            }))
        }
        AssignedValue::Elsewhere(end) => ScannedTo {
            all: 0,
            names: end.max(name.end),
        },
        AssignedValue::Nothing => scanned_to(0),
    }
}

fn is_identifier(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}

/// Returns where the value of this name begins, or `None` if there is no value.
fn value_site(bytes: &[u8], name: &Range<usize>) -> Option<ValueSite> {
    let before = name.start.checked_sub(1).map(|before| bytes[before]);
    if before == Some(b'<') && bytes.get(name.end) == Some(&b'>') {
        return Some(ValueSite {
            at: name.end + 1,
            is_tag: true,
            ..ValueSite::default()
        });
    }
    // Characters that may close the name: quotes, backslashes, `]`, and the `*` of bold Markdown text.
    let quotes = run_length(bytes, name.end, |byte| {
        matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'*' | b']')
    });
    let closed = name.end + quotes;
    let next = closed + space_length(bytes, closed);
    let separator = separator(bytes, next).or_else(|| {
        let quoted = bytes[name.end..closed].iter().any(|byte| matches!(byte, b'"' | b'\''));
        if quoted && bytes.get(next) == Some(&b',') {
            value_of_pair(bytes, next + 1)
        } else {
            None
        }
    });
    if let Some((character, after)) = separator {
        return Some(ValueSite {
            at: after + space_length(bytes, after),
            is_assignment_line: character == b'=' && quotes == 0 && next == closed && begins_line(bytes, name.start),
            is_header: character == b':',
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
    // The option and its value are two items of a list: `"--token", "x"`.
    let comma = quotes > 0 && bytes.get(next) == Some(&b',');
    let at = next + 1 + if comma { space_length(bytes, next + 1) } else { 0 };
    (comma && matches!(bytes.get(at), Some(b'"' | b'\'' | b'\\'))).then_some(ValueSite {
        at,
        ..ValueSite::default()
    })
}

/// Returns the separator between a name and its value at this position (`=` or `:`), and where it ends. `==`, `=~`,
/// `::` and `://` do not separate a name from a value.
fn separator(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'=', Some(b'=' | b'~')) | (b':', Some(b':')) => None,
        (b'=', Some(b'>')) | (b':', Some(b'=')) => Some((b'=', at + 2)),
        (b':', Some(b'/')) if bytes.get(at + 2) == Some(&b'/') => None,
        (character @ (b'=' | b':'), _) => Some((*character, at + 1)),
        _ if bytes[at..].starts_with("：".as_bytes()) => Some((b':', at + 3)),
        _ if bytes[at..].starts_with("＝".as_bytes()) => Some((b'=', at + 3)),
        _ => None,
    }
}

/// Returns the separator after `"value"`, as in `{"name": "Authorization", "value": …}`, and where it ends.
fn value_of_pair(bytes: &[u8], comma: usize) -> Option<(u8, usize)> {
    let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'\\');
    let mut at = comma + run_length(bytes, comma, |byte| byte.is_ascii_whitespace());
    at += run_length(bytes, at, quote);
    if !bytes.get(at..at + 5)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    at += 5;
    at += run_length(bytes, at, quote);
    separator(bytes, at + space_length(bytes, at))
}

fn space_length(bytes: &[u8], at: usize) -> usize {
    run_length(bytes, at, |byte| matches!(byte, b' ' | b'\t'))
}

/// Whether only white space or a word of [`BEFORE_NAME`] is before the name in its line, as in an assignment.
fn begins_line(bytes: &[u8], name: usize) -> bool {
    let preceding = &bytes[name.saturating_sub(16)..name];
    let line = preceding
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(preceding, |newline| &preceding[newline + 1..]);
    let is_complete = line.len() < preceding.len() || preceding.len() < 16;
    let line = line.trim_ascii();
    is_complete && (line.is_empty() || BEFORE_NAME.iter().any(|word| line == word.as_bytes()))
}

/// Reports the values of a cookie header. Returns where they end.
fn cookies(bytes: &[u8], at: usize, report: &mut impl FnMut(SecretFinding) -> usize) -> usize {
    let is_name_byte =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'=' | b';' | b':' | b'"' | b'\'' | b'\\' | b',');
    let is_value_byte = |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b';' | b'"' | b'\'' | b'\\');
    let mut end = at;
    loop {
        let start = end + run_length(bytes, end, |byte| matches!(byte, b';' | b' ' | b'\t'));
        let equals = start + run_length(bytes, start, is_name_byte);
        if equals == start || bytes.get(equals) != Some(&b'=') {
            return end;
        }
        end = equals + 1 + run_length(bytes, equals + 1, is_value_byte);
        let name = &bytes[start..equals];
        if end > equals + 1
            && !COOKIE_ATTRIBUTES
                .iter()
                .any(|other| name.eq_ignore_ascii_case(other.as_bytes()))
        {
            report(SecretFinding::Secret(equals + 1..end));
        }
    }
}
