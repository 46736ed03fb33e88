//! One look over texts and values: the first gathers what has to be masked, the second masks it.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::json::{self, Key, Lead, Part, Reader, Stop, Under};
use super::names::Found;
use super::needles::{self, Needles};
use super::spans::{self, Put, Span};
use super::{REPLACEMENT, Rules, values};

/// The shortest text in which something can be masked: `sig=x`.
const SHORTEST: usize = 5;

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

    /// A string of a trace or a value.
    pub fn string(&mut self, text: &mut String, under: Under) {
        let spans = self.placed(text, under);
        if !spans.is_empty() && self.masks() {
            *text = spans::apply(text, &spans);
        }
    }

    /// The items of a list of texts, such as a command.
    pub fn items(&mut self, items: &mut [String]) {
        let mut led = Under::Other;
        for item in items {
            let next = self.leads(item, Lead::Item);
            self.string(item, led);
            led = next;
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
                let mut led = Under::Other;
                for item in items {
                    let next = item.as_str().map_or(Under::Other, |item| self.leads(item, Lead::Item));
                    self.value(item, if under == Under::Secret { under } else { led });
                    led = next;
                }
            }
            Value::Object(map) => self.map(map, under),
        }
    }

    /// A JSON object.
    pub fn map(&mut self, map: &mut Map<String, Value>, under: Under) {
        let mut renamed = false;
        let pair = self.pair(map);
        for (key, value) in map.iter_mut() {
            renamed |= !self.key_spans(key).is_empty();
            let below = match (under, self.rules.keys.below(key)) {
                (Under::Secret, _) => Under::Secret,
                (_, Under::Other) if pair != Under::Other && Part::of(key) == Part::Value => pair,
                (_, below) => below,
            };
            self.value(value, below);
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

    /// What an object says of its `value` by its `name`.
    fn pair(&self, map: &Map<String, Value>) -> Under {
        let has = |part: Part| map.iter().filter(move |(key, _)| Part::of(key) == part);
        if has(Part::Value).next().is_none() {
            return Under::Other;
        }
        let names = has(Part::Name).filter_map(|(_, name)| name.as_str());
        let mut said = names.map(|name| self.rules.keys.below(name));
        said.find(|under| *under != Under::Other).unwrap_or(Under::Other)
    }

    /// What a string says of another value.
    fn leads(&self, text: &str, lead: Lead) -> Under {
        match lead {
            Lead::Name => self.rules.keys.below(text),
            Lead::Item if matches!(text, "-u" | "--user" | "--proxy-user") => Under::Login,
            Lead::Item if text.starts_with('-') && !text.contains(['=', ' ']) => self.rules.keys.below(text),
            Lead::Item => Under::Other,
        }
    }

    /// What has to be masked in a string where it stands.
    fn placed(&mut self, text: &str, under: Under) -> Vec<Span> {
        let secret = match under {
            Under::Secret => (!text.is_empty() && text != REPLACEMENT).then_some(0..text.len()),
            Under::Named => values::is_written(text.as_bytes()).then_some(0..text.len()),
            Under::Login => text
                .find(':')
                .filter(|colon| values::is_written(&text.as_bytes()[colon + 1..]))
                .map(|colon| colon + 1..text.len()),
            Under::Other => None,
        };
        let Some(secret) = secret else {
            return if under == Under::Secret {
                Vec::new()
            } else {
                self.text(text)
            };
        };
        self.secret(&text[secret.clone()]);
        let mut spans = if secret.start > 0 { self.text(text) } else { Vec::new() };
        spans.push(Span::plain(secret));
        spans::tidy(spans)
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
        text.len() < SHORTEST && self.rules.patterns.is_empty()
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
        rules
            .shapes
            .find(text, &rules.keys, |found| self.take_up(text, found, spans));
        for pattern in &rules.patterns {
            for hit in pattern.find_iter(text).filter(|hit| !hit.is_empty()) {
                self.take_up(text, Found::Secret(hit.range()), spans);
            }
        }
        rules.environment.find(text, spans);
        if let Pass::Second(known) = self.pass {
            known.find(text, spans);
        }
    }

    /// Takes up what was found in a text. Says where to go on.
    fn take_up(&mut self, text: &str, found: Found, spans: &mut Vec<Span>) -> usize {
        let (range, follow) = match found {
            Found::Secret(range) => (range, true),
            Found::Mentioned(range) => (range, false),
            Found::Document(start) => {
                return match self.document(text, start, Under::Secret, spans) {
                    Stop::Complete(end) | Stop::Broken(end) => end,
                };
            }
        };
        let end = range.end;
        // What was masked before stays as it is.
        if &text[range.clone()] != REPLACEMENT {
            if let Pass::First { values, .. } = &mut self.pass
                && follow
            {
                needles::gather(&text[range.clone()], values);
            }
            spans.push(Span::plain(range));
        }
        end
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
    fn key(&mut self, range: Range<usize>) -> Key {
        let raw = &self.text[range.clone()];
        let key = json::decode(raw);
        let spans = self.look.key_spans(&key);
        json::carry_over(raw, range.start, &spans, self.spans);
        Key {
            below: self.look.rules.keys.below(&key),
            part: Part::of(&key),
        }
    }

    fn leads(&mut self, range: Range<usize>, lead: Lead) -> Under {
        self.look.leads(&json::decode(&self.text[range]), lead)
    }

    fn string(&mut self, range: Range<usize>, under: Under) {
        let raw = &self.text[range.clone()];
        let spans = self.look.placed(&json::decode(raw), under);
        json::carry_over(raw, range.start, &spans, self.spans);
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
