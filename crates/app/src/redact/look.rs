//! One look over texts and values: the first gathers what has to be masked, the second masks it.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::json::{self, Reader, Stop, Under};
use super::needles::{self, Needles};
use super::spans::{self, Put, Span};
use super::{REPLACEMENT, Rules};

/// One look.
pub struct Look<'a> {
    pub(super) rules: &'a Rules,
    pub(super) pass: Pass<'a>,
}

/// Which look it is.
pub enum Pass<'a> {
    /// Changes nothing.
    First {
        /// Values to be followed.
        values: HashSet<String>,
        /// Whether anything has to be masked.
        found: bool,
    },
    /// Masks, these values included.
    Second(&'a Needles),
}

impl<'a> Look<'a> {
    /// The look that gathers.
    pub fn first(rules: &'a Rules) -> Self {
        Self {
            rules,
            pass: Pass::First {
                values: HashSet::new(),
                found: false,
            },
        }
    }

    /// The look that masks.
    pub fn second(rules: &'a Rules, known: &'a Needles) -> Self {
        Self {
            rules,
            pass: Pass::Second(known),
        }
    }

    /// Whether the first look found anything.
    pub fn found(&self) -> bool {
        match self.pass {
            Pass::First { found, .. } => found,
            Pass::Second(_) => false,
        }
    }

    /// What the first look gathered.
    pub fn into_values(self) -> HashSet<String> {
        match self.pass {
            Pass::First { values, .. } => values,
            Pass::Second(_) => HashSet::new(),
        }
    }

    /// A string of a trace or a value, at or below a key that names a secret or not.
    pub fn string(&mut self, text: &mut String, under: Under) {
        match under {
            Under::Secret => {
                if text.is_empty() || text == REPLACEMENT {
                    return;
                }
                self.secret(text);
                if self.masks() {
                    REPLACEMENT.clone_into(text);
                }
            }
            Under::Other => {
                let spans = self.text(text);
                if !spans.is_empty() && self.masks() {
                    *text = spans::apply(text, &spans);
                }
            }
        }
    }

    /// A JSON value.
    pub fn value(&mut self, value: &mut Value, under: Under) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if self.minds_numbers() && self.in_number(&number.to_string()) && self.masks() {
                    *value = Value::String(REPLACEMENT.to_owned());
                }
            }
            Value::String(text) => self.string(text, under),
            Value::Array(items) => {
                for item in items {
                    self.value(item, under);
                }
            }
            Value::Object(map) => self.map(map, under),
        }
    }

    /// A JSON object.
    pub fn map(&mut self, map: &mut Map<String, Value>, under: Under) {
        let mut renamed = false;
        for (key, value) in map.iter_mut() {
            renamed |= !self.key_spans(key).is_empty();
            let by_key = under == Under::Secret || self.rules.keys.name_a_secret(key);
            self.value(value, if by_key { Under::Secret } else { Under::Other });
        }
        if renamed && self.masks() {
            let old = std::mem::take(map);
            for (key, value) in old {
                let spans = self.key_spans(&key);
                let mut name = spans::apply(&key, &spans);
                // Two masked keys must not become one.
                let stem = name.clone();
                let mut count = 2;
                while map.contains_key(&name) {
                    name = format!("{stem} {count}");
                    count += 1;
                }
                map.insert(name, value);
            }
        }
    }

    /// What has to be masked in a text: JSON in place, anything else by its looks. Sorted and apart.
    pub fn text(&mut self, text: &str) -> Vec<Span> {
        if self.too_short(text) {
            return Vec::new();
        }
        let mut spans = Vec::new();
        let start = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
        let mut at = 0;
        if matches!(text.as_bytes().get(start), Some(b'{' | b'[')) {
            match self.document(text, start, Under::Other, &mut spans) {
                Stop::Complete(end) if text[end..].trim().is_empty() => {
                    self.wide(text, &mut spans);
                    return self.note(spans);
                }
                Stop::Complete(end) | Stop::Broken(end) => at = end,
            }
        }
        self.leaf(text, &mut spans);
        // JSON that begins a line, as in logs and behind banners.
        while let Some(newline) = text.as_bytes().get(at..).and_then(|rest| memchr::memchr(b'\n', rest)) {
            at += newline + 1;
            let begin = at + text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\r']).len();
            if matches!(text.as_bytes().get(begin), Some(b'{' | b'[')) {
                at = match self.document(text, begin, Under::Other, &mut spans) {
                    Stop::Complete(end) | Stop::Broken(end) => end,
                };
            }
        }
        self.note(spans)
    }

    pub(super) fn masks(&self) -> bool {
        matches!(self.pass, Pass::Second(_))
    }

    fn note(&mut self, spans: Vec<Span>) -> Vec<Span> {
        if let Pass::First { found, .. } = &mut self.pass {
            *found |= !spans.is_empty();
        }
        spans::tidy(spans)
    }

    /// Shorter texts hold nothing that the fixed rules mask.
    fn too_short(&self, text: &str) -> bool {
        text.len() < 8 && self.rules.patterns.is_empty()
    }

    fn document(&mut self, text: &str, start: usize, under: Under, spans: &mut Vec<Span>) -> Stop {
        let mut strings = Strings {
            look: self,
            text,
            spans,
        };
        json::scan(text, start, under, &mut strings)
    }

    /// A text that is no JSON, or a string or key of one.
    fn leaf(&mut self, text: &str, spans: &mut Vec<Span>) {
        if self.too_short(text) {
            return;
        }
        let rules = self.rules;
        let mut found: Vec<Range<usize>> = Vec::new();
        rules.shapes.find(text, &rules.keys, |range| found.push(range));
        for pattern in &rules.patterns {
            found.extend(
                pattern
                    .find_iter(text)
                    .map(|hit| hit.range())
                    .filter(|range| !range.is_empty()),
            );
        }
        for range in found {
            // What was masked before stays as it is.
            if &text[range.clone()] == REPLACEMENT {
                continue;
            }
            if let Pass::First { values, .. } = &mut self.pass {
                needles::gather(&text[range.clone()], values);
            }
            spans.push(Span::plain(range));
        }
        rules.environment.find(text, spans);
        if let Pass::Second(known) = self.pass {
            known.find(text, spans);
        }
    }

    fn wide(&self, text: &str, spans: &mut Vec<Span>) {
        self.rules.environment.find_wide(text, spans);
        if let Pass::Second(known) = self.pass {
            known.find_wide(text, spans);
        }
    }

    fn key_spans(&mut self, key: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        self.leaf(key, &mut spans);
        self.note(spans)
    }

    /// Whether a number can hold anything that is masked.
    fn minds_numbers(&self) -> bool {
        !self.rules.patterns.is_empty()
            || self.rules.environment.mind_numbers()
            || matches!(self.pass, Pass::Second(known) if known.mind_numbers())
    }

    fn in_number(&mut self, number: &str) -> bool {
        let found = self
            .rules
            .patterns
            .iter()
            .any(|pattern| pattern.find_iter(number).any(|hit| !hit.is_empty()))
            || self.rules.environment.in_number(number)
            || matches!(self.pass, Pass::Second(known) if known.in_number(number));
        if let Pass::First { found: any, .. } = &mut self.pass {
            *any |= found;
        }
        found
    }

    /// Takes up a value that is masked by its key, and what is secret inside it.
    fn secret(&mut self, value: &str) {
        let Pass::First { values, found } = &mut self.pass else {
            return;
        };
        *found = true;
        needles::gather(value, values);
        let mut unused = Vec::new();
        let start = value.len() - value.trim_start().len();
        if matches!(value.as_bytes().get(start), Some(b'{' | b'[')) {
            self.document(value, start, Under::Secret, &mut unused);
        }
        self.leaf(value, &mut unused);
    }
}

/// Reads the strings of one JSON text.
struct Strings<'l, 'a, 't> {
    look: &'l mut Look<'a>,
    text: &'t str,
    spans: &'l mut Vec<Span>,
}

impl Reader for Strings<'_, '_, '_> {
    fn key(&mut self, range: Range<usize>) -> bool {
        let raw = &self.text[range.clone()];
        let key = json::decode(raw);
        let spans = self.look.key_spans(&key);
        json::carry_over(raw, range.start, &spans, self.spans);
        self.look.rules.keys.name_a_secret(&key)
    }

    fn string(&mut self, range: Range<usize>, under: Under) {
        let raw = &self.text[range.clone()];
        match under {
            Under::Secret => {
                if !raw.is_empty() && raw != REPLACEMENT {
                    self.look.secret(&json::decode(raw));
                    self.spans.push(Span::plain(range));
                }
            }
            Under::Other => {
                let spans = self.look.text(&json::decode(raw));
                json::carry_over(raw, range.start, &spans, self.spans);
            }
        }
    }

    fn number(&mut self, range: Range<usize>) {
        if self.look.minds_numbers() && self.look.in_number(&self.text[range.clone()]) {
            self.spans.push(Span {
                start: range.start,
                end: range.end,
                put: Put::Quoted(0),
            });
        }
    }
}
