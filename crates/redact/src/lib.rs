//! Redaction: what is masked before anything is written to the history, a log or a push (`engine.md` §10).
//!
//! What it deliberately does not do: hooks and agents get the original, always; nothing here is on their way.
//!
//! How it works: a first look over a trace gathers what has to be masked (values under keys that name a secret, texts
//! that look like one, what the person's own patterns find). Most traces have none and are done. Otherwise a second
//! look masks, and with the rest every other place where one of the gathered values stands, escaped or not. Every text
//! is cut only after that.

#![warn(missing_docs)]

mod json;
mod keys;
mod limits;
mod literals;
mod names;
mod patterns;
mod rules;
mod scanner;
mod spans;
mod trace;
mod values;

use std::collections::HashSet;
use std::ffi::OsStr;

use hookwright_model::listing::ExplainDoc;
use hookwright_model::{Payload, Trace};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use limits::ALL;
pub use trace::{cut_gate, is_large};

use json::KeyContext;
use keys::SecretKeys;
use literals::Literals;
use patterns::Patterns;
use scanner::Scanner;

/// What stands in place of a secret.
pub const REPLACEMENT: &str = "‹redacted›";
/// Of each stream and of each side of an edit this many bytes are recorded.
pub const MAX_RECORDED_BYTES: usize = 1 << 20;
/// A value this long that was masked once is masked wherever else it stands, in characters.
const MIN_FOLLOWED_CHARS: usize = 8;
/// A person's pattern may compile to this many bytes.
const MAX_PATTERN_BYTES: usize = 4 << 20;

/// Section `[redaction]`: which values are masked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RedactionSettings {
    /// Whether secrets are masked. The default is true.
    pub enabled: bool,
    /// Names of keys whose values are masked in addition to the built-in ones.
    pub keys: Vec<String>,
    /// Regular expressions whose matches are masked in addition to the built-in ones.
    pub patterns: Vec<String>,
}

impl Default for RedactionSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            keys: Vec::new(),
            patterns: Vec::new(),
        }
    }
}

/// A redaction pattern, compiled.
///
/// # Errors
/// Why it does not compile.
pub fn compile_pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(MAX_PATTERN_BYTES).build()
}

/// A trace that was looked through.
#[derive(Debug)]
pub struct RedactedTrace {
    /// As it is recorded and shown.
    pub recorded: Trace,
    /// As it was, streams and edits cut, when something was masked: what `--raw` prints, never what is recorded.
    pub original: Option<Trace>,
}

/// Masks secrets in traces and texts.
#[derive(Debug)]
pub struct Redactor {
    rules: Option<RedactionRules>,
}

/// What is looked for in every text.
#[derive(Debug)]
struct RedactionRules {
    keys: SecretKeys,
    fixed_patterns: Patterns,
    user_patterns: Vec<Regex>,
    /// Values of our own environment variables whose name names a secret.
    environment: Literals,
}

impl Redactor {
    /// A redactor with the environment of this process and what the settings add. Patterns that do not compile are left
    /// out; reading the settings has said so already.
    pub fn new<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        environment: impl IntoIterator<Item = (N, V)>,
        settings: &RedactionSettings,
    ) -> Self {
        if !settings.enabled {
            return Self { rules: None };
        }
        let keys = SecretKeys::new(&settings.keys);
        let mut values = HashSet::new();
        for (name, value) in environment {
            let (name, value) = (name.as_ref().to_string_lossy(), value.as_ref().to_string_lossy());
            if keys.is_secret_name(&name) {
                literals::collect_any(&value, &mut values);
            }
        }
        let patterns = settings
            .patterns
            .iter()
            .filter_map(|text| compile_pattern(text).ok())
            .collect();
        Self {
            rules: Some(RedactionRules {
                fixed_patterns: Patterns::new(&keys),
                keys,
                user_patterns: patterns,
                environment: Literals::new(&values),
            }),
        }
    }

    /// The trace as it is recorded and shown: lists bounded, masked, `redacted` set when something was, then streams and
    /// edits cut; and the original where that is another one. Most traces hold nothing to mask, and are looked at once and not copied.
    #[must_use]
    pub fn redact_trace(&self, mut trace: Trace) -> RedactedTrace {
        limits::limit_lists(&mut trace);
        trace::cut_unrecorded(&mut trace);
        let mut original = None;
        if let Some(rules) = &self.rules {
            let mut first = Scanner::collect(rules);
            first.trace(&mut trace);
            if first.found() {
                original = Some(trace.clone());
                let known = Literals::new(&first.into_values());
                Scanner::mask(rules, &known).trace(&mut trace);
                trace.redacted = true;
            }
        }
        trace::cut(&mut trace);
        original.iter_mut().for_each(trace::cut);
        RedactedTrace {
            recorded: trace,
            original,
        }
    }

    /// Masks the secrets of a document that is not a trace.
    pub fn value(&self, value: &mut Value) {
        let Some(rules) = &self.rules else { return };
        let mut first = Scanner::collect(rules);
        first.value(value, KeyContext::Other);
        if first.found() {
            let known = Literals::new(&first.into_values());
            Scanner::mask(rules, &known).value(value, KeyContext::Other);
        }
    }

    /// A payload with its secrets masked, and whether something was.
    #[must_use]
    pub fn payload(&self, mut payload: Payload) -> (Payload, bool) {
        let Some(rules) = &self.rules else {
            return (payload, false);
        };
        let mut first = Scanner::collect(rules);
        first.map(&mut payload, KeyContext::Other);
        if !first.found() {
            return (payload, false);
        }
        let known = Literals::new(&first.into_values());
        Scanner::mask(rules, &known).map(&mut payload, KeyContext::Other);
        (payload, true)
    }

    /// Masks the secrets of an explanation: those of its payload, and wherever a gate tells of them. Says whether something
    /// was masked.
    pub fn explanation(&self, doc: &mut ExplainDoc) -> bool {
        let Some(rules) = &self.rules else { return false };
        let mut first = Scanner::collect(rules);
        first.explanation(doc);
        if !first.found() {
            return false;
        }
        let known = Literals::new(&first.into_values());
        Scanner::mask(rules, &known).explanation(doc);
        true
    }

    /// A text with its secrets masked, and how many places were.
    #[must_use]
    pub fn text(&self, text: &str) -> (String, usize) {
        let Some(rules) = &self.rules else {
            return (text.to_owned(), 0);
        };
        let mut first = Scanner::collect(rules);
        if first.text(text).is_empty() {
            return (text.to_owned(), 0);
        }
        let known = Literals::new(&first.into_values());
        let spans = Scanner::mask(rules, &known).text(text);
        (spans::apply(text, &spans), spans.len())
    }
}

#[cfg(test)]
mod tests;
