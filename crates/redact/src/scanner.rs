//! Scans texts and values in two passes: the first collects what has to be masked, the second masks it.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::json::{self, HintKind, JsonVisitor, KeyContext, KeyInfo, PairPart, ScanEnd};
use super::literals::{self, Literals};
use super::names::SecretFinding;
use super::spans::{self, MaskText, MaskedSpan};
use super::{REPLACEMENT, RedactionRules, values};

/// The shortest text in which something can be masked: `sig=x`.
const MIN_TEXT_BYTES: usize = 5;

/// Scans texts and values in one of the two passes.
pub struct Scanner<'a> {
    pub(super) rules: &'a RedactionRules,
    pub(super) pass: ScanPass<'a>,
}

/// The pass of a scan.
pub enum ScanPass<'a> {
    /// The first pass. It changes nothing.
    Collect {
        /// Values that the second pass masks wherever they occur.
        values: HashSet<String>,
        /// Whether anything has to be masked.
        found: bool,
    },
    /// The second pass. It masks secrets, and these values wherever they occur.
    Mask(&'a Literals),
}

impl<'a> Scanner<'a> {
    /// A scanner for the first pass.
    pub fn collect(rules: &'a RedactionRules) -> Self {
        Self {
            rules,
            pass: ScanPass::Collect {
                values: HashSet::new(),
                found: false,
            },
        }
    }

    /// A scanner for the second pass.
    pub fn mask(rules: &'a RedactionRules, known: &'a Literals) -> Self {
        Self {
            rules,
            pass: ScanPass::Mask(known),
        }
    }

    /// Whether the first pass found anything to mask.
    pub fn found(&self) -> bool {
        match self.pass {
            ScanPass::Collect { found, .. } => found,
            ScanPass::Mask(_) => false,
        }
    }

    /// Returns the values that the first pass collected.
    pub fn into_values(self) -> HashSet<String> {
        match self.pass {
            ScanPass::Collect { values, .. } => values,
            ScanPass::Mask(_) => HashSet::new(),
        }
    }

    /// Scans a string of a trace or of a JSON value.
    pub fn string(&mut self, text: &mut String, context: KeyContext) {
        let spans = self.secret_spans(text, context);
        if !spans.is_empty() && self.is_masking() {
            *text = spans::apply(text, &spans);
        }
    }

    /// Scans the items of a list of texts, such as a command.
    pub fn items(&mut self, items: &mut [String]) {
        let mut hinted = KeyContext::Other;
        for item in items {
            let next = self.hinted_context(item, HintKind::Item);
            self.string(item, hinted);
            hinted = next;
        }
    }

    /// Scans a JSON value.
    pub fn value(&mut self, value: &mut Value, context: KeyContext) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if self.checks_numbers() && self.in_number(&number.to_string()) && self.is_masking() {
                    *value = Value::String(REPLACEMENT.to_owned());
                }
            }
            Value::String(text) => self.string(text, context),
            Value::Array(items) => {
                let mut hinted = KeyContext::Other;
                for item in items {
                    let next = item
                        .as_str()
                        .map_or(KeyContext::Other, |item| self.hinted_context(item, HintKind::Item));
                    self.value(item, if context == KeyContext::Secret { context } else { hinted });
                    hinted = next;
                }
            }
            Value::Object(map) => self.map(map, context),
        }
    }

    /// Scans a JSON object, including its keys.
    pub fn map(&mut self, map: &mut Map<String, Value>, context: KeyContext) {
        let mut renamed = false;
        let pair = self.pair_context(map);
        for (key, value) in map.iter_mut() {
            renamed |= !self.key_spans(key).is_empty();
            let below = match (context, self.rules.keys.context_of(key)) {
                (KeyContext::Secret, _) => KeyContext::Secret,
                (_, KeyContext::Other) if pair != KeyContext::Other && PairPart::from_key(key) == PairPart::Value => {
                    pair
                }
                (_, below) => below,
            };
            self.value(value, below);
        }
        if renamed && self.is_masking() {
            let old = std::mem::take(map);
            for (key, value) in old {
                let spans = self.key_spans(&key);
                let mut name = spans::apply(&key, &spans);
                // Two different keys must not become one when they are masked.
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

    /// Returns the context that the `name` of an object gives to its `value`.
    fn pair_context(&self, map: &Map<String, Value>) -> KeyContext {
        let has = |part: PairPart| map.iter().filter(move |(key, _)| PairPart::from_key(key) == part);
        if has(PairPart::Value).next().is_none() {
            return KeyContext::Other;
        }
        let names = has(PairPart::Name).filter_map(|(_, name)| name.as_str());
        let mut contexts = names.map(|name| self.rules.keys.context_of(name));
        contexts
            .find(|context| *context != KeyContext::Other)
            .unwrap_or(KeyContext::Other)
    }

    /// Returns the context that a string gives to another value.
    fn hinted_context(&self, text: &str, kind: HintKind) -> KeyContext {
        match kind {
            HintKind::Name => self.rules.keys.context_of(text),
            HintKind::Item if matches!(text, "-u" | "--user" | "--proxy-user") => KeyContext::Login,
            HintKind::Item if text.starts_with('-') && !text.contains(['=', ' ']) => self.rules.keys.context_of(text),
            HintKind::Item => KeyContext::Other,
        }
    }

    /// Returns the parts of a string that have to be masked, given its context.
    fn secret_spans(&mut self, text: &str, context: KeyContext) -> Vec<MaskedSpan> {
        let secret = match context {
            KeyContext::Secret => (!text.is_empty() && text != REPLACEMENT).then_some(0..text.len()),
            KeyContext::Ambiguous => values::is_written(text.as_bytes()).then_some(0..text.len()),
            KeyContext::Login => text
                .find(':')
                .filter(|colon| values::is_written(&text.as_bytes()[colon + 1..]))
                .map(|colon| colon + 1..text.len()),
            KeyContext::Other => None,
        };
        let Some(secret) = secret else {
            return if context == KeyContext::Secret {
                Vec::new()
            } else {
                self.text(text)
            };
        };
        self.collect_secret(&text[secret.clone()]);
        let mut spans = if secret.start > 0 { self.text(text) } else { Vec::new() };
        spans.push(MaskedSpan::plain(secret));
        spans::merge_overlapping(spans)
    }

    /// Returns the parts of a text that have to be masked: in JSON by its keys, elsewhere by the patterns. The spans
    /// are sorted and do not overlap.
    pub fn text(&mut self, text: &str) -> Vec<MaskedSpan> {
        if self.too_short(text) {
            return Vec::new();
        }
        let mut spans = Vec::new();
        let start = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
        let mut at = 0;
        if matches!(text.as_bytes().get(start), Some(b'{' | b'[')) {
            match self.scan_document(text, start, KeyContext::Other, &mut spans) {
                ScanEnd::Complete(end) if text[end..].trim().is_empty() => {
                    self.find_wide(text, &mut spans);
                    return self.finish_spans(spans);
                }
                ScanEnd::Complete(end) | ScanEnd::Broken(end) => at = end,
            }
        }
        self.scan_leaf(text, &mut spans);
        // JSON at the start of a later line, as in logs or after a banner.
        while let Some(newline) = text.as_bytes().get(at..).and_then(|rest| memchr::memchr(b'\n', rest)) {
            at += newline + 1;
            let begin = at + text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\r']).len();
            if matches!(text.as_bytes().get(begin), Some(b'{' | b'[')) {
                at = match self.scan_document(text, begin, KeyContext::Other, &mut spans) {
                    ScanEnd::Complete(end) | ScanEnd::Broken(end) => end,
                };
            }
        }
        self.finish_spans(spans)
    }

    pub(super) fn is_masking(&self) -> bool {
        matches!(self.pass, ScanPass::Mask(_))
    }

    fn finish_spans(&mut self, spans: Vec<MaskedSpan>) -> Vec<MaskedSpan> {
        if let ScanPass::Collect { found, .. } = &mut self.pass {
            *found |= !spans.is_empty();
        }
        spans::merge_overlapping(spans)
    }

    /// Whether a text is too short for every rule: the user has no patterns, and the fixed rules need more bytes.
    fn too_short(&self, text: &str) -> bool {
        text.len() < MIN_TEXT_BYTES && self.rules.user_patterns.is_empty()
    }

    fn scan_document(&mut self, text: &str, start: usize, context: KeyContext, spans: &mut Vec<MaskedSpan>) -> ScanEnd {
        let mut strings = StringScanner {
            scanner: self,
            text,
            spans,
        };
        json::scan(text, start, context, &mut strings)
    }

    /// Scans a text that is not JSON, or a string or key of a JSON text.
    fn scan_leaf(&mut self, text: &str, spans: &mut Vec<MaskedSpan>) {
        if self.too_short(text) {
            return;
        }
        let rules = self.rules;
        rules
            .fixed_patterns
            .find(text, &rules.keys, |found| self.record_finding(text, found, spans));
        for pattern in &rules.user_patterns {
            for hit in pattern.find_iter(text).filter(|hit| !hit.is_empty()) {
                self.record_finding(text, SecretFinding::Secret(hit.range()), spans);
            }
        }
        rules.environment.find(text, spans);
        if let ScanPass::Mask(known) = self.pass {
            known.find(text, spans);
        }
    }

    /// Records a finding in a text. Returns the position where the search continues.
    fn record_finding(&mut self, text: &str, found: SecretFinding, spans: &mut Vec<MaskedSpan>) -> usize {
        let (range, follow) = match found {
            SecretFinding::Secret(range) => (range, true),
            SecretFinding::Mentioned(range) => (range, false),
            SecretFinding::Document(start) => {
                return match self.scan_document(text, start, KeyContext::Secret, spans) {
                    ScanEnd::Complete(end) | ScanEnd::Broken(end) => end,
                };
            }
        };
        let end = range.end;
        // A text that is masked already stays as it is.
        if &text[range.clone()] != REPLACEMENT {
            if let ScanPass::Collect { values, .. } = &mut self.pass
                && follow
            {
                literals::collect(&text[range.clone()], values);
            }
            spans.push(MaskedSpan::plain(range));
        }
        end
    }

    fn find_wide(&self, text: &str, spans: &mut Vec<MaskedSpan>) {
        self.rules.environment.find_wide(text, spans);
        if let ScanPass::Mask(known) = self.pass {
            known.find_wide(text, spans);
        }
    }

    fn key_spans(&mut self, key: &str) -> Vec<MaskedSpan> {
        let mut spans = Vec::new();
        self.scan_leaf(key, &mut spans);
        self.finish_spans(spans)
    }

    /// Whether any rule or known value can match a number.
    fn checks_numbers(&self) -> bool {
        !self.rules.user_patterns.is_empty()
            || self.rules.environment.checks_numbers()
            || matches!(self.pass, ScanPass::Mask(known) if known.checks_numbers())
    }

    fn in_number(&mut self, number: &str) -> bool {
        let found = self
            .rules
            .user_patterns
            .iter()
            .any(|pattern| pattern.find_iter(number).any(|hit| !hit.is_empty()))
            || self.rules.environment.in_number(number)
            || matches!(self.pass, ScanPass::Mask(known) if known.in_number(number));
        if let ScanPass::Collect { found: any, .. } = &mut self.pass {
            *any |= found;
        }
        found
    }

    /// Collects a value that is masked because of its key, and the secrets inside it.
    fn collect_secret(&mut self, value: &str) {
        let ScanPass::Collect { values, found } = &mut self.pass else {
            return;
        };
        *found = true;
        literals::collect(value, values);
        let mut unused = Vec::new();
        let start = value.len() - value.trim_start().len();
        if matches!(value.as_bytes().get(start), Some(b'{' | b'[')) {
            self.scan_document(value, start, KeyContext::Secret, &mut unused);
        }
        self.scan_leaf(value, &mut unused);
    }
}

/// Scans the keys, strings and numbers of one JSON text.
struct StringScanner<'l, 'a, 't> {
    scanner: &'l mut Scanner<'a>,
    text: &'t str,
    spans: &'l mut Vec<MaskedSpan>,
}

impl JsonVisitor for StringScanner<'_, '_, '_> {
    fn key(&mut self, range: Range<usize>) -> KeyInfo {
        let raw = &self.text[range.clone()];
        let key = json::decode(raw);
        let spans = self.scanner.key_spans(&key);
        json::map_to_raw(raw, range.start, &spans, self.spans);
        KeyInfo {
            context: self.scanner.rules.keys.context_of(&key),
            part: PairPart::from_key(&key),
        }
    }

    fn hinted_context(&mut self, range: Range<usize>, kind: HintKind) -> KeyContext {
        self.scanner.hinted_context(&json::decode(&self.text[range]), kind)
    }

    fn string(&mut self, range: Range<usize>, context: KeyContext) {
        let raw = &self.text[range.clone()];
        let spans = self.scanner.secret_spans(&json::decode(raw), context);
        json::map_to_raw(raw, range.start, &spans, self.spans);
    }

    fn number(&mut self, range: Range<usize>) {
        if self.scanner.checks_numbers() && self.scanner.in_number(&self.text[range.clone()]) {
            self.spans.push(MaskedSpan {
                start: range.start,
                end: range.end,
                mask: MaskText::Quoted(0),
            });
        }
    }
}
