//! Redaction: secrets are masked before anything is written to the history, a log or a push (`engine.md` §10).
//!
//! Hooks and agents always get the original: nothing in this crate changes what they receive.
//!
//! A first pass over a trace collects what has to be masked: values under keys that name a secret, texts that look like
//! a secret, and matches of the user's patterns. Most traces have none of these and need no second pass. Otherwise a
//! second pass masks them, and every other place that contains one of the collected values, escaped or not. Texts are
//! cut only after that.

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

/// The text that replaces a secret.
pub const REPLACEMENT: &str = "‹redacted›";
/// At most this many bytes of each stream, and of each side of an edit, are recorded.
pub const MAX_RECORDED_BYTES: usize = 1 << 20;
/// A masked value of at least this many characters is also masked wherever else it occurs (`engine.md` §10).
const MIN_FOLLOWED_CHARS: usize = 8;
/// A pattern of the user may compile to at most this many bytes.
const MAX_PATTERN_BYTES: usize = 4 << 20;

/// Section `[redaction]`: which values are masked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RedactionSettings {
    /// Whether secrets are masked. The default is true.
    pub enabled: bool,
    /// Key names whose values are masked, in addition to the built-in ones.
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

/// Compiles a redaction pattern of the user.
///
/// # Errors
/// The pattern is not a valid regular expression, or it is too large when compiled.
pub fn compile_pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(MAX_PATTERN_BYTES).build()
}

/// A trace after redaction.
#[derive(Debug)]
pub struct RedactedTrace {
    /// The trace that is recorded and shown.
    pub recorded: Trace,
    /// The unmasked trace with its streams and edits cut; set only if something was masked. `--raw` prints it. It is
    /// never recorded.
    pub original: Option<Trace>,
}

/// The secret values of a payload. Their `Debug` text does not contain them.
#[derive(Clone, Default)]
pub struct PayloadSecrets(HashSet<String>);

impl std::fmt::Debug for PayloadSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PayloadSecrets").field(&self.0.len()).finish()
    }
}

/// Masks secrets in traces and texts. The default masks nothing.
#[derive(Debug, Default)]
pub struct Redactor {
    rules: Option<RedactionRules>,
}

/// The rules that apply to every text.
#[derive(Debug)]
struct RedactionRules {
    keys: SecretKeys,
    fixed_patterns: Patterns,
    user_patterns: Vec<Regex>,
    /// Values of the engine's own environment variables whose name names a secret.
    environment: Literals,
}

impl Redactor {
    /// Creates a redactor from environment variables and the settings. Patterns that do not compile are left out: they
    /// were already reported when the settings were read.
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

    /// Returns the trace as it is recorded and shown, and the original if something was masked. It limits the lists,
    /// masks secrets, sets `redacted` if there were any, and then cuts streams and edits. Most traces contain nothing
    /// to mask: they are scanned once and not copied.
    #[must_use]
    pub fn redact_trace(&self, mut trace: Trace) -> RedactedTrace {
        limits::limit_lists(&mut trace);
        trace::cut_unrecorded(&mut trace);
        let mut original = None;
        if let Some(rules) = &self.rules {
            let mut collector = Scanner::collect(rules);
            collector.trace(&mut trace);
            if collector.found() {
                original = Some(trace.clone());
                let known = Literals::new(&collector.into_values());
                Scanner::mask(rules, &known).trace(&mut trace);
                trace.redacted = true;
            }
        }
        for identity in [trace.session.clone(), trace.agent.clone()] {
            if identity.is_some_and(|identity| self.text(&identity).1 > 0) {
                original.get_or_insert_with(|| trace.clone());
                trace.redacted = true;
            }
        }
        if original.is_some() {
            for identity in [&mut trace.session, &mut trace.agent].into_iter().flatten() {
                *identity = self.text(identity).0;
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
        let mut collector = Scanner::collect(rules);
        collector.value(value, KeyContext::Other);
        if collector.found() {
            let known = Literals::new(&collector.into_values());
            Scanner::mask(rules, &known).value(value, KeyContext::Other);
        }
    }

    /// Returns the payload with its secrets masked, and whether anything was masked.
    #[must_use]
    pub fn payload(&self, mut payload: Payload) -> (Payload, bool) {
        let Some(rules) = &self.rules else {
            return (payload, false);
        };
        let mut collector = Scanner::collect(rules);
        collector.map(&mut payload, KeyContext::Other);
        if !collector.found() {
            return (payload, false);
        }
        let known = Literals::new(&collector.into_values());
        Scanner::mask(rules, &known).map(&mut payload, KeyContext::Other);
        (payload, true)
    }

    /// Masks the secrets of an explanation, in its payload and in the messages of its gates. Returns whether anything
    /// was masked.
    pub fn explanation(&self, doc: &mut ExplainDoc) -> bool {
        let Some(rules) = &self.rules else { return false };
        let mut collector = Scanner::collect(rules);
        collector.explanation(doc);
        if !collector.found() {
            return false;
        }
        let known = Literals::new(&collector.into_values());
        Scanner::mask(rules, &known).explanation(doc);
        true
    }

    /// The secrets of a payload, to mask them in the texts of its event ([`Redactor::text_of_event`]).
    #[must_use]
    pub fn secrets_of(&self, payload: &Payload) -> PayloadSecrets {
        let Some(rules) = &self.rules else {
            return PayloadSecrets::default();
        };
        let mut collector = Scanner::collect(rules);
        // The first pass changes nothing, but it takes the fields as the second one does.
        collector.map(&mut payload.clone(), KeyContext::Other);
        PayloadSecrets(collector.into_values())
    }

    /// Returns a text of an event with its secrets masked, those of the payload included.
    #[must_use]
    pub fn text_of_event(&self, text: &str, payload: &PayloadSecrets) -> String {
        self.text_knowing(text, &payload.0).0
    }

    /// Returns the text with its secrets masked, and how many places were masked.
    #[must_use]
    pub fn text(&self, text: &str) -> (String, usize) {
        self.text_knowing(text, &HashSet::new())
    }

    fn text_knowing(&self, text: &str, known: &HashSet<String>) -> (String, usize) {
        let Some(rules) = &self.rules else {
            return (text.to_owned(), 0);
        };
        let mut collector = Scanner::collect(rules);
        if collector.text(text).is_empty() && known.is_empty() {
            return (text.to_owned(), 0);
        }
        let mut values = collector.into_values();
        values.extend(known.iter().cloned());
        let known = Literals::new(&values);
        let spans = Scanner::mask(rules, &known).text(text);
        (spans::apply(text, &spans), spans.len())
    }
}

#[cfg(test)]
mod tests;
