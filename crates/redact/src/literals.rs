//! Values that were masked once, found wherever else they stand, escaped as JSON up to three levels deep too.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::spans::MaskedSpan;
use super::{MIN_FOLLOWED_CHARS, REPLACEMENT};

/// A value inside JSON inside JSON inside JSON is escaped this often.
const MAX_ESCAPE_LEVELS: usize = 3;
/// Of longer values this much is searched for; the rest is compared.
const PREFIX_BYTES: usize = 64;
/// Longer values are looked for as the two most common writers escape them.
const MAX_ALL_ESCAPINGS_BYTES: usize = 16 << 10;
/// More than this of values is not followed one by one: then every text is masked as a whole.
const MAX_LITERAL_BYTES: usize = 4 << 20;

/// A word of small letters that is shorter than this is not followed: it may stand anywhere.
const MIN_WORD_CHARS: usize = 20;

/// Takes up a value of a trace, if it is to be followed.
pub fn collect(value: &str, values: &mut HashSet<String>) {
    let word = value.trim();
    let small = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-');
    if word.len() >= MIN_WORD_CHARS || !word.bytes().all(small) {
        collect_any(value, values);
    }
}

/// Takes a value up, if it is long enough to be followed.
pub fn collect_any(value: &str, values: &mut HashSet<String>) {
    for value in [value, value.trim()] {
        let long = value.chars().nth(MIN_FOLLOWED_CHARS - 1).is_some();
        let first = value.chars().next();
        // A rule of dashes or stars is no secret, and would mask half the text.
        let rule = first.is_some_and(|first| !first.is_alphanumeric() && value.chars().all(|char| char == first));
        if long && !rule && !value.trim().is_empty() && value != REPLACEMENT && !values.contains(value) {
            values.insert(value.to_owned());
        }
    }
}

/// The values to look for.
#[derive(Debug)]
pub enum Literals {
    /// These.
    Some(Box<LiteralSearch>),
    /// None.
    None,
    /// More than can be followed.
    All,
}

/// A search for values in every way they can be written.
#[derive(Debug)]
pub struct LiteralSearch {
    any: PrefixSearch,
    /// Values that can stretch over several strings of a JSON text.
    wide: Option<PrefixSearch>,
    /// Some value could be a number.
    numbers: bool,
}

impl Literals {
    /// A search for these values.
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
        let number = |value: &String| {
            value
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
        };
        let numbers = values.iter().any(number);
        match PrefixSearch::new(forms) {
            Some(any) => Self::Some(Box::new(LiteralSearch {
                any,
                wide: PrefixSearch::new(wide),
                numbers,
            })),
            None => Self::All,
        }
    }

    /// Where the values stand in a text.
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

    /// The same for a text that is JSON and whose strings are looked at one by one: only what spans several of them.
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

    /// Whether a value could stand in a number.
    pub fn checks_numbers(&self) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(search) => search.numbers,
        }
    }

    /// Whether a number holds one of the values.
    pub fn in_number(&self, text: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(search) => search.numbers && search.any.search.is_match(text),
        }
    }

    /// What stands at the end of a text that was cut there and begins one of the values.
    pub fn find_cut(&self, text: &str, spans: &mut Vec<MaskedSpan>) {
        let Self::Some(search) = self else { return };
        let tail = &text.as_bytes()[text.len().saturating_sub(PREFIX_BYTES)..];
        let cut = |form: &String| {
            let form = form.as_bytes();
            (MIN_FOLLOWED_CHARS..form.len().min(tail.len() + 1))
                .rev()
                .find(|length| tail.ends_with(&form[..*length]))
        };
        if let Some(longest) = search.any.forms.iter().filter_map(cut).max() {
            let start = text.floor_char_boundary(text.len() - longest);
            spans.push(MaskedSpan::plain(start..text.len()));
        }
    }
}

/// Texts searched for by their beginnings, so that a long one costs no more than a short one.
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
                hit.start() + self.common(&text.as_bytes()[hit.start()..])
            };
            // A long value that ends otherwise here is masked as far as it goes.
            at = text.ceil_char_boundary(end);
            spans.push(MaskedSpan::plain(hit.start()..at));
        }
    }

    /// How much of the text some form begins with. The best one is a neighbour in the order.
    fn common(&self, text: &[u8]) -> usize {
        let after = self.forms.partition_point(|form| form.as_bytes() <= text);
        let neighbours = self.forms[after.saturating_sub(1)..].iter().take(2);
        let shared = |form: &String| form.bytes().zip(text).take_while(|(one, other)| one == *other).count();
        neighbours.map(shared).max().unwrap_or_default()
    }
}

/// A value as it stands in texts and in JSON of up to three levels, as the common writers escape it.
fn escaped_forms(value: &str) -> Vec<String> {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b'.' | b':' | b'=' | b',' | b'~')
    };
    if value.bytes().all(plain) {
        return vec![value.to_owned()];
    }
    // One writer of each kind at one level, ordinary ones at the others.
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
    let common = if value.len() > MAX_ALL_ESCAPINGS_BYTES {
        1
    } else {
        writers.len()
    };
    for writer in &writers[..common] {
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
    /// Only what must be.
    Ordinary,
    /// All but ASCII as `\u4e2d`.
    Ascii,
    /// All but ASCII as `\u4E2D`, and what means something in HTML or a URL.
    UpperAscii,
    /// What means something in HTML as `\u003c`.
    Html,
    /// `/` as `\/`.
    Slashes,
    /// `/` as `\/`, and all but ASCII as `\u4e2d`.
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
