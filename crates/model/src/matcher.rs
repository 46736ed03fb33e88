//! Conditions decide whether a hook runs for a payload. Clauses are data, so that one function evaluates and explains
//! the conditions of all dialects.

mod pattern;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::event::Payload;
use crate::filter_key::OtherNames;
use crate::message::Message;
use crate::trace::NearMiss;

use pattern::is_plain_name;
pub use pattern::{
    ALL as PATTERN_MESSAGES, Anchor, MAX_COMPILED_BYTES, MAX_PATTERN_BYTES, MAX_POOL_BYTES, MAX_STEPS, Pattern,
    PatternError, PatternFailure, PatternPool, Trial,
};

/// A condition on the payload. All clauses must match; a condition without clauses always matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// The clauses, in the order in which they are evaluated.
    pub clauses: Vec<Clause>,
}

/// One comparison of a payload field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// The key in the definition (`tool_matcher`).
    pub key: &'static str,
    /// The payload field that is compared (`tool_name`).
    pub field: &'static str,
    /// How the field is compared.
    pub predicate: Predicate,
    /// Values that also match under other names.
    pub other_names: OtherNames,
    /// What of the field is compared.
    pub form: SubjectForm,
}

/// What of a payload field a clause compares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SubjectForm {
    /// The value as it is.
    #[default]
    Whole,
    /// The file name at the end of a path.
    FileName,
    /// The id of a model, without a `[1m]` at its end. A model that nobody can name, because the field is absent or empty,
    /// fits every condition.
    Model,
}

/// How a value is compared. The comparison is case-sensitive, except for a pattern with `(?i)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// The field is a string that the pattern matches.
    Pattern(Pattern),
    /// The pattern matches a string leaf of the field, keys not included, or the JSON text of the field. The JSON text
    /// has the separators `", "` and `": "` and is ASCII only.
    Within(Pattern),
    /// The field is equal to this text.
    Equals(String),
    /// The field is equal to one of these texts.
    OneOf(Vec<String>),
    /// The field begins with this text.
    Prefix(String),
    /// The rule holds for the payload.
    Rule(Rule),
}

/// A condition in a form of its own dialect, on the whole payload.
#[derive(Clone)]
pub struct Rule {
    /// The rule as its author wrote it.
    pub source: String,
    /// Whether it holds.
    pub holds: Arc<RuleTest>,
}

/// Decides whether a rule holds for a payload.
pub type RuleTest = dyn Fn(&Payload) -> bool + Send + Sync;

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Rule").field(&self.source).finish()
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Rule {}

/// The result of a condition for one payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Match {
    /// The condition matches.
    Yes,
    /// The condition does not match.
    No {
        /// The compared values of the first clause that does not match.
        why: Message,
        /// The small change that is enough to make the condition match.
        near: Option<NearMiss>,
    },
    /// A pattern gave up or cannot be used. The hook is broken, which is not the same as "does not match".
    Broken(Message),
}

crate::messages! {
    /// The field has another value than the condition expects.
    FILTER_DIFFERS = "filter_differs" { "{field} is {got}, wanted {wanted}", "{field} 是 {got}，需要 {wanted}" };
    /// The payload has no value in the compared field.
    FILTER_MISSING = "filter_missing" { "{field} is missing, wanted {wanted}", "缺少 {field}，需要 {wanted}" };
    /// A pattern that needs more than [`MAX_STEPS`] steps.
    FILTER_GAVE_UP = "filter_gave_up" { "the pattern of {key} was stopped after {steps} steps", "{key} 的正则表达式在 {steps} 步后停止" };
}

/// The purpose of an evaluation. It decides which patterns may be compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// An event is fired. A compiled pattern is cached for the next event, and nothing is compiled for a near miss.
    Fire,
    /// The user asks about a hook. No compiled pattern is cached.
    Explain,
}

impl Condition {
    /// Evaluates the condition for the payload of a fired event.
    #[must_use]
    pub fn evaluate(&self, payload: &Payload) -> Match {
        self.evaluate_for(payload, Purpose::Fire)
    }

    /// Evaluates the condition for an explanation, with every near miss. No compiled pattern is cached, so this may
    /// also be called for a hook that is not approved.
    #[must_use]
    pub fn explain(&self, payload: &Payload) -> Match {
        self.evaluate_for(payload, Purpose::Explain)
    }

    fn evaluate_for(&self, payload: &Payload, asking: Purpose) -> Match {
        let mut misses = Vec::new();
        for clause in &self.clauses {
            match clause.check(payload, asking) {
                ClauseResult::Holds => {}
                ClauseResult::Misses(near) => misses.push((clause, near)),
                ClauseResult::Broken(PatternFailure::GaveUp) => {
                    return Match::Broken(crate::render!(FILTER_GAVE_UP, "key" => clause.key, "steps" => MAX_STEPS));
                }
                ClauseResult::Broken(PatternFailure::Unusable(why)) => {
                    return Match::Broken(why.to_message(clause.key));
                }
            }
        }
        let Some(((first, near), rest)) = misses.split_first() else {
            return Match::Yes;
        };
        // A near miss means that the small change is enough, so every clause that fails must need the same one.
        let near = rest.iter().all(|(_, other)| other == near).then_some(*near).flatten();
        Match::No {
            why: first.why(payload),
            near,
        }
    }

    /// The patterns of all clauses, each with its key in the definition.
    pub fn patterns(&self) -> impl Iterator<Item = (&'static str, &Pattern)> {
        self.clauses.iter().filter_map(|clause| match &clause.predicate {
            Predicate::Pattern(pattern) | Predicate::Within(pattern) => Some((clause.key, pattern)),
            Predicate::Equals(_) | Predicate::OneOf(_) | Predicate::Prefix(_) | Predicate::Rule(_) => None,
        })
    }

    fn patterns_mut(&mut self) -> impl Iterator<Item = &mut Pattern> {
        self.clauses
            .iter_mut()
            .filter_map(|clause| match &mut clause.predicate {
                Predicate::Pattern(pattern) | Predicate::Within(pattern) => Some(pattern),
                Predicate::Equals(_) | Predicate::OneOf(_) | Predicate::Prefix(_) | Predicate::Rule(_) => None,
            })
    }

    /// A copy for many evaluations in a row. Its compiled patterns are dropped with it ([`Pattern::compiled_copy`]).
    #[must_use]
    pub fn compiled_copy(&self) -> Self {
        let mut copy = self.clone();
        for pattern in copy.patterns_mut() {
            *pattern = pattern.compiled_copy();
        }
        copy
    }

    /// Whether one payload can match both conditions. A field that only one of them tests never excludes that. Two
    /// patterns that are not plain names are assumed to overlap.
    #[must_use]
    pub fn overlaps(&self, other: &Self, trial: &Trial) -> bool {
        self.clauses.iter().all(|one| {
            let same = other.clauses.iter().find(|clause| clause.field == one.field);
            same.is_none_or(|other| one.predicate.can_overlap(&other.predicate, trial))
        })
    }
}

/// The result of one clause.
enum ClauseResult {
    Holds,
    /// The clause does not match; the near miss, if there is one.
    Misses(Option<NearMiss>),
    Broken(PatternFailure),
}

impl Clause {
    fn check(&self, payload: &Payload, asking: Purpose) -> ClauseResult {
        let value = self.value(payload);
        match (value.as_deref(), &self.predicate) {
            (_, Predicate::Rule(rule)) if (rule.holds)(payload) => ClauseResult::Holds,
            (_, Predicate::Rule(_)) => ClauseResult::Misses(None),
            (None, _) if self.form == SubjectForm::Model => ClauseResult::Holds,
            (Some(Value::String(id)), _) if self.form == SubjectForm::Model && id.is_empty() => ClauseResult::Holds,
            (None | Some(Value::Null), _) => ClauseResult::Misses(Some(NearMiss::MissingField)),
            (Some(value), Predicate::Within(pattern)) => pattern.check(&texts(value), asking),
            (Some(Value::String(got)), Predicate::Pattern(pattern)) => pattern.check(&self.names_of(got), asking),
            (Some(Value::String(got)), test) if self.names_of(got).iter().any(|name| test.is_met_by(name)) => {
                ClauseResult::Holds
            }
            (Some(Value::String(got)), test) => ClauseResult::Misses(test.near_miss(got)),
            (Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)), _) => {
                ClauseResult::Misses(None)
            }
        }
    }

    /// The value that is compared.
    fn value<'a>(&self, payload: &'a Payload) -> Option<Cow<'a, Value>> {
        let value = payload.get(self.field)?;
        let part = value.as_str().map(|text| match self.form {
            SubjectForm::Whole => text,
            SubjectForm::FileName => text.rsplit(['/', '\\']).next().unwrap_or(text),
            SubjectForm::Model => text.strip_suffix("[1m]").unwrap_or(text),
        });
        Some(match part.filter(|part| Some(*part) != value.as_str()) {
            Some(part) => Cow::Owned(part.into()),
            None => Cow::Borrowed(value),
        })
    }

    /// The value and its other names.
    fn names_of(&self, got: &str) -> Vec<String> {
        let others = self.other_names.iter().filter(|(value, _)| *value == got);
        let others = others.flat_map(|(_, names)| names.iter().copied());
        std::iter::once(got).chain(others).map(str::to_owned).collect()
    }

    fn why(&self, payload: &Payload) -> Message {
        let wanted = self.predicate.wanted_text();
        match self.value(payload).as_deref() {
            None | Some(Value::Null) => {
                crate::render!(FILTER_MISSING, "field" => self.field, "wanted" => wanted, "key" => self.key)
            }
            Some(got) => {
                let got = match bounded(got, &mut { CHECKED_BYTES }) {
                    Value::String(got) => got,
                    got @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                        got.to_string()
                    }
                };
                crate::render!(
                    FILTER_DIFFERS,
                    "field" => self.field, "got" => got, "wanted" => wanted, "key" => self.key
                )
            }
        }
    }
}

/// How many bytes of a value a message contains at most. The limit is far above what is displayed. A secret is masked
/// before the text is cut for display, so it is still whole when it is masked.
const CHECKED_BYTES: usize = 16 * 1024;

/// The beginning of a value, itself a value, of about `left` bytes.
fn bounded(value: &Value, left: &mut usize) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            *left = left.saturating_sub(4);
            value.clone()
        }
        Value::String(text) => {
            let some = &text[..text.floor_char_boundary(*left)];
            *left = left.saturating_sub(some.len() + 2);
            Value::String(some.to_owned())
        }
        Value::Array(items) => {
            let mut some = Vec::new();
            for item in items {
                if *left == 0 {
                    break;
                }
                some.push(bounded(item, left));
            }
            Value::Array(some)
        }
        Value::Object(entries) => {
            let mut some = serde_json::Map::new();
            for (key, item) in entries {
                if *left <= key.len() {
                    break;
                }
                *left -= key.len();
                some.insert(key.clone(), bounded(item, left));
            }
            Value::Object(some)
        }
    }
}

/// For a fired event, near misses are searched only in texts of at most this many bytes. Names of tools and models are
/// shorter. The agent waits, so long texts are left out.
const NEAR_BYTES: usize = 256;

impl Pattern {
    fn check(&self, texts: &[String], asking: Purpose) -> ClauseResult {
        let test = |text: &str| match asking {
            Purpose::Fire => self.test(text),
            Purpose::Explain => self.test_once(text),
        };
        for text in texts {
            match test(text) {
                Ok(true) => return ClauseResult::Holds,
                Ok(false) => {}
                Err(broken) => return ClauseResult::Broken(broken),
            }
        }
        let texts = texts
            .iter()
            .filter(|text| asking == Purpose::Explain || text.len() <= NEAR_BYTES);
        let any = |test: &dyn Fn(&str) -> bool| texts.clone().any(|text| test(text));
        let loose = |text: &str| match asking {
            Purpose::Explain => self.matches_loosely(text),
            Purpose::Fire if self.names().is_some() => self.is_named_loosely(text),
            Purpose::Fire => spellings(text).iter().any(|text| test(text) == Ok(true)),
        };
        ClauseResult::Misses(if any(&loose) {
            Some(NearMiss::Case)
        } else if any(&|text| {
            let bare = text.trim();
            let written = |name: &str| name.trim() == bare && is_plain_name(bare);
            (bare != text && test(bare) == Ok(true)) || self.source.split('|').any(written)
        }) {
            Some(NearMiss::Blanks)
        } else if any(&|text| {
            self.names()
                .iter()
                .copied()
                .flatten()
                .any(|name| one_edit(name, text, false))
        }) {
            Some(NearMiss::Spelling)
        } else {
            None
        })
    }
}

/// The text in the three usual letter cases of a name. Matching without case would need a second compiled pattern.
fn spellings(text: &str) -> [String; 3] {
    let lower = text.to_lowercase();
    let mut letters = lower.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    [text.to_uppercase(), first + letters.as_str(), lower]
}

/// The string leaves of a value, then its JSON text.
fn texts(value: &Value) -> Vec<String> {
    fn gather(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| gather(item, out)),
            Value::Object(entries) => entries.values().for_each(|entry| gather(entry, out)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut out = Vec::new();
    gather(value, &mut out);
    out.push(crate::python_json::to_python_json(value));
    out
}

impl Predicate {
    /// What the clause expects, as a short text for messages.
    #[must_use]
    pub fn wanted_text(&self) -> String {
        match self {
            Self::Equals(want) => want.clone(),
            Self::OneOf(wants) => wants.join("|"),
            Self::Prefix(want) => format!("{want}…"),
            Self::Pattern(pattern) | Self::Within(pattern) => pattern.source.clone(),
            Self::Rule(rule) => rule.source.clone(),
        }
    }

    fn can_overlap(&self, other: &Self, trial: &Trial) -> bool {
        for (one, other) in [(self, other), (other, self)] {
            if let Some(names) = one.exact() {
                return names.iter().any(|name| trial.is_met_by(other, name));
            }
        }
        match (self.names(), other.names()) {
            (Some(ones), Some(others)) => {
                let prefixes = matches!(self, Self::Prefix(_)) || matches!(other, Self::Prefix(_));
                let near = |one: &str, other: &str| {
                    one == other || (prefixes && (one.starts_with(other) || other.starts_with(one)))
                };
                ones.iter().any(|one| others.iter().any(|other| near(one, other)))
            }
            (Some(names), None) => names.iter().any(|name| trial.is_met_by(other, name)),
            (None, Some(names)) => names.iter().any(|name| trial.is_met_by(self, name)),
            (None, None) => true,
        }
    }

    /// The only texts that match, if the pattern names them exactly: `^A$`, `^(A|B)$`.
    fn exact(&self) -> Option<Vec<&str>> {
        let Self::Pattern(pattern) = self else { return None };
        let inner = pattern.source.strip_prefix('^')?.strip_suffix('$')?;
        let grouped = inner.strip_suffix(')').and_then(|inner| {
            let inner = inner.strip_prefix('(')?;
            Some(inner.strip_prefix("?:").unwrap_or(inner))
        });
        let names: Vec<&str> = grouped.map_or_else(|| vec![inner], |inner| inner.split('|').collect());
        let plain = |name: &&str| !name.is_empty() && name.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
        names.iter().all(plain).then_some(names)
    }

    /// The plain names that the predicate consists of; `None` if it is not made of names.
    fn names(&self) -> Option<Vec<String>> {
        match self {
            Self::Equals(name) | Self::Prefix(name) => Some(vec![name.clone()]),
            Self::OneOf(names) => Some(names.clone()),
            Self::Pattern(pattern) => pattern.names().map(<[String]>::to_vec),
            Self::Within(_) | Self::Rule(_) => None,
        }
    }

    fn is_met_by(&self, got: &str) -> bool {
        match self {
            Self::Equals(want) => want == got,
            Self::OneOf(wants) => wants.iter().any(|want| want == got),
            Self::Prefix(want) => got.starts_with(want.as_str()),
            Self::Pattern(pattern) | Self::Within(pattern) => pattern.is_match(got) == Some(true),
            // It needs the whole payload.
            Self::Rule(_) => true,
        }
    }

    fn near_miss(&self, got: &str) -> Option<NearMiss> {
        let any = |test: &dyn Fn(&str) -> bool| match self {
            Self::Equals(want) | Self::Prefix(want) => test(want),
            Self::OneOf(wants) => wants.iter().any(|want| test(want)),
            // Patterns find near misses in `Pattern::check`.
            Self::Pattern(_) | Self::Within(_) | Self::Rule(_) => false,
        };
        let prefix = matches!(self, Self::Prefix(_));
        let same = |want: &str, got: &str| if prefix { got.starts_with(want) } else { got == want };
        if any(&|want| same(&want.to_lowercase(), &got.to_lowercase())) {
            Some(NearMiss::Case)
        } else if any(&|want| same(want.trim(), got.trim())) {
            Some(NearMiss::Blanks)
        } else if any(&|want| one_edit(want, got, prefix)) {
            Some(NearMiss::Spelling)
        } else {
            None
        }
    }
}

impl NearMiss {
    /// Whether this small change turns the name that a condition expects into the one that an event has.
    #[must_use]
    pub fn is_between(self, wanted: &str, got: &str) -> bool {
        match self {
            Self::Case => wanted.to_lowercase() == got.to_lowercase(),
            Self::Blanks => wanted.trim() == got.trim(),
            Self::Spelling => one_edit(wanted, got, false),
            Self::MissingField => false,
        }
    }
}

/// Whether the texts differ by one edit: a letter changed, added or left out, or two neighbours swapped. With `prefix`
/// only the beginning of `got` is compared.
fn one_edit(want: &str, got: &str, prefix: bool) -> bool {
    let wanted = want.chars().count();
    if wanted < 2 {
        return false;
    }
    if !prefix {
        // A text whose length differs by more than one is more than one edit away. It may also be very long.
        if got.chars().take(wanted + 2).count().abs_diff(wanted) > 1 {
            return false;
        }
        return strsim::osa_distance(want, got) == 1;
    }
    (wanted - 1..=wanted + 1).any(|length| {
        let head: String = got.chars().take(length).collect();
        strsim::osa_distance(want, &head) == 1
    })
}

#[cfg(test)]
#[path = "matcher_tests.rs"]
mod tests;
