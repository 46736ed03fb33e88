//! Finds masked values wherever else they occur, also escaped as JSON up to three levels deep (`engine.md` §10).

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::spans::MaskedSpan;
use super::{MIN_FOLLOWED_CHARS, REPLACEMENT};

/// How often a value is escaped at most: it may be inside JSON inside JSON inside JSON.
const MAX_ESCAPE_LEVELS: usize = 3;
/// The search uses at most this many bytes of a value. The rest of a longer value is compared after a hit.
const PREFIX_BYTES: usize = 64;
/// Longer values are searched for only as the two most common JSON writers escape them.
const MAX_ALL_ESCAPINGS_BYTES: usize = 16 << 10;
/// If the searched forms of all values have more bytes than this, every text is masked as a whole.
const MAX_LITERAL_BYTES: usize = 4 << 20;

/// A shorter value of lower-case letters, `_` and `-` is masked at its key only, because it may be an ordinary word
/// (`engine.md` §10).
const MIN_WORD_CHARS: usize = 20;

/// Adds a value of a trace, unless it is a short word that is masked at its key only.
pub fn collect(value: &str, values: &mut HashSet<String>) {
    let word = value.trim();
    let is_word_byte = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-');
    if word.len() >= MIN_WORD_CHARS || !word.bytes().all(is_word_byte) {
        collect_any(value, values);
    }
}

/// Adds a value if it has at least [`MIN_FOLLOWED_CHARS`] characters; also without the white space around it.
pub fn collect_any(value: &str, values: &mut HashSet<String>) {
    for value in [value, value.trim()] {
        let long = value.chars().nth(MIN_FOLLOWED_CHARS - 1).is_some();
        let first = value.chars().next();
        // A line of dashes or stars is not a secret, and may occur in many texts.
        let is_line = first.is_some_and(|first| !first.is_alphanumeric() && value.chars().all(|char| char == first));
        if long && !is_line && !value.trim().is_empty() && value != REPLACEMENT && !values.contains(value) {
            values.insert(value.to_owned());
        }
    }
}

/// The values that are masked wherever they occur.
#[derive(Debug)]
pub enum Literals {
    /// A search for these values.
    Some(Box<LiteralSearch>),
    /// There are no values.
    None,
    /// There are too many values for a search, so every text is masked as a whole.
    All,
}

/// A search for values in all their escaped forms.
#[derive(Debug)]
pub struct LiteralSearch {
    any: PrefixSearch,
    /// Values that contain a quote, so they can extend over several strings of a JSON text.
    wide: Option<PrefixSearch>,
    /// Whether a value could be part of a number.
    numbers: bool,
}

impl Literals {
    /// Builds the search for these values.
    pub fn new(values: &HashSet<String>) -> Self {
        if values.is_empty() {
            return Self::None;
        }
        let mut forms: Vec<String> = values.iter().flat_map(|value| escaped_forms(value)).collect();
        forms.sort_unstable();
        forms.dedup();
        if forms.iter().map(|form| form.len().min(PREFIX_BYTES)).sum::<usize>() > MAX_LITERAL_BYTES {
            return Self::All;
        }
        let wide: Vec<String> = values.iter().filter(|value| value.contains('"')).cloned().collect();
        let can_be_number = |value: &String| {
            value
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
        };
        let numbers = values.iter().any(can_be_number);
        match PrefixSearch::new(forms) {
            Some(any) => Self::Some(Box::new(LiteralSearch {
                any,
                wide: PrefixSearch::new(wide),
                numbers,
            })),
            None => Self::All,
        }
    }

    /// Adds a span for each place where a text contains one of the values.
    pub fn find(&self, text: &str, spans: &mut Vec<MaskedSpan>) {
        match self {
            Self::None => {}
            Self::All => {
                if !text.is_empty() {
                    spans.push(MaskedSpan::plain(0..text.len()));
                }
            }
            Self::Some(search) => search.any.find(text, spans),
        }
    }

    /// Does the same for a JSON text whose strings are scanned one by one: finds only values that extend over several
    /// of them.
    pub fn find_wide(&self, text: &str, spans: &mut Vec<MaskedSpan>) {
        match self {
            Self::None | Self::All => {}
            Self::Some(search) => {
                if let Some(wide) = &search.wide {
                    wide.find(text, spans);
                }
            }
        }
    }

    /// Whether a number could contain one of the values.
    pub fn checks_numbers(&self) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(search) => search.numbers,
        }
    }

    /// Whether this number contains one of the values.
    pub fn in_number(&self, text: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(search) => search.numbers && search.any.search.is_match(text),
        }
    }

    /// Adds a span if a text that was cut ends with the start of one of the values.
    pub fn find_cut(&self, text: &str, spans: &mut Vec<MaskedSpan>) {
        let Self::Some(search) = self else { return };
        let tail = &text.as_bytes()[text.len().saturating_sub(PREFIX_BYTES)..];
        let shared_length = |form: &String| {
            let form = form.as_bytes();
            (MIN_FOLLOWED_CHARS..form.len().min(tail.len() + 1))
                .rev()
                .find(|length| tail.ends_with(&form[..*length]))
        };
        if let Some(longest) = search.any.forms.iter().filter_map(shared_length).max() {
            let start = text.floor_char_boundary(text.len() - longest);
            spans.push(MaskedSpan::plain(start..text.len()));
        }
    }
}

/// Searches for texts by their first [`PREFIX_BYTES`], so that a long one costs no more than a short one.
#[derive(Debug)]
struct PrefixSearch {
    /// Sorted.
    forms: Vec<String>,
    search: AhoCorasick,
}

impl PrefixSearch {
    fn new(mut forms: Vec<String>) -> Option<Self> {
        if forms.is_empty() {
            return None;
        }
        forms.sort_unstable();
        forms.dedup();
        let prefix = |form: &String| form.as_bytes()[..form.len().min(PREFIX_BYTES)].to_vec();
        let mut prefixes: Vec<Vec<u8>> = forms.iter().map(prefix).collect();
        prefixes.dedup();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&prefixes)
            .ok()?;
        Some(Self { forms, search })
    }

    fn find(&self, text: &str, spans: &mut Vec<MaskedSpan>) {
        let mut at = 0;
        while let Some(hit) = self.search.find(Input::new(text).range(at..)) {
            let end = if hit.len() < PREFIX_BYTES {
                hit.end()
            } else {
                hit.start() + self.common_length(&text.as_bytes()[hit.start()..])
            };
            // If the text differs from a long value after the prefix, only the equal part is masked.
            at = text.ceil_char_boundary(end);
            spans.push(MaskedSpan::plain(hit.start()..at));
        }
    }

    /// Returns the number of bytes that the text and some form have in common at their start. The best form is next to
    /// the text in sorted order.
    fn common_length(&self, text: &[u8]) -> usize {
        let after = self.forms.partition_point(|form| form.as_bytes() <= text);
        let neighbours = self.forms[after.saturating_sub(1)..].iter().take(2);
        let shared = |form: &String| form.bytes().zip(text).take_while(|(one, other)| one == *other).count();
        neighbours.map(shared).max().unwrap_or_default()
    }
}

/// Returns the forms of a value: plain, and escaped by common JSON writers, up to three levels deep.
fn escaped_forms(value: &str) -> Vec<String> {
    let is_never_escaped = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b'.' | b':' | b'=' | b',' | b'~')
    };
    if value.bytes().all(is_never_escaped) {
        return vec![value.to_owned()];
    }
    // Each special writer is used at one level, the ordinary writer at the other levels.
    let mut ordinary = vec![value.to_owned()];
    for level in 0..MAX_ESCAPE_LEVELS {
        ordinary.push(JsonEscaping::Ordinary.escape(&ordinary[level]));
    }
    let mut all = ordinary.clone();
    let writers = [
        JsonEscaping::Ascii,
        JsonEscaping::UpperAscii,
        JsonEscaping::Html,
        JsonEscaping::Slashes,
        JsonEscaping::AsciiSlashes,
    ];
    let writer_count = if value.len() > MAX_ALL_ESCAPINGS_BYTES {
        1
    } else {
        writers.len()
    };
    for writer in &writers[..writer_count] {
        for (level, before) in ordinary.iter().enumerate().take(MAX_ESCAPE_LEVELS) {
            let mut form = writer.escape(before);
            if form == ordinary[level + 1] {
                continue;
            }
            for _ in level + 1..MAX_ESCAPE_LEVELS {
                let next = JsonEscaping::Ordinary.escape(&form);
                all.push(std::mem::replace(&mut form, next));
            }
            all.push(form);
        }
    }
    all
}

/// How a JSON writer escapes strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonEscaping {
    /// Escapes only what JSON requires.
    Ordinary,
    /// Escapes all but ASCII as `\u4e2d`.
    Ascii,
    /// Escapes all but ASCII as `\u4E2D`, and characters with a meaning in HTML or URLs.
    UpperAscii,
    /// Escapes characters with a meaning in HTML as `\u003c`, and the line separators U+2028 and U+2029.
    Html,
    /// Escapes `/` as `\/`.
    Slashes,
    /// Escapes `/` as `\/`, and all but ASCII as `\u4e2d`.
    AsciiSlashes,
}

impl JsonEscaping {
    fn escape(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 8);
        for char in text.chars() {
            let short = match char {
                '"' => "\\\"",
                '\\' => "\\\\",
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                '\u{8}' => "\\b",
                '\u{c}' => "\\f",
                '/' if matches!(self, Self::Slashes | Self::AsciiSlashes) => "\\/",
                _ => "",
            };
            let numbered = match self {
                Self::Ordinary | Self::Slashes => char < ' ',
                Self::Ascii | Self::AsciiSlashes => char < ' ' || !char.is_ascii(),
                Self::UpperAscii => {
                    char < ' ' || !char.is_ascii() || matches!(char, '<' | '>' | '&' | '\'' | '+' | '`')
                }
                Self::Html => char < ' ' || matches!(char, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'),
            };
            if !short.is_empty() {
                out.push_str(short);
            } else if numbered {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let number = if self == Self::UpperAscii {
                        format!("\\u{unit:04X}")
                    } else {
                        format!("\\u{unit:04x}")
                    };
                    out.push_str(&number);
                }
            } else {
                out.push(char);
            }
        }
        out
    }
}
