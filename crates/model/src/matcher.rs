//! Conditions: when a hook is for a payload. Clauses are data, so that one function judges and explains all dialects.

mod pattern;

use serde_json::Value;

use crate::event::Payload;
use crate::message::Message;
use crate::trace::NearMiss;

use pattern::is_plain_name;
pub use pattern::{
    ALL as PATTERN_SAYINGS, Anchor, MAX_COMPILED_BYTES, MAX_PATTERN_BYTES, MAX_POOL_BYTES, MAX_STEPS, Pattern,
    PatternError, PatternFailure, PatternPool, Trial,
};

/// All clauses must hold; none means always.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// The clauses, in the order they are looked at.
    pub clauses: Vec<Clause>,
}

/// One comparison of a payload field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// The key in the definition (`tool_matcher`).
    pub key: &'static str,
    /// The payload field it looks at (`tool_name`).
    pub field: &'static str,
    /// The comparison.
    pub test: Predicate,
}

/// How a value is compared; always letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// The field is a string that the pattern matches.
    Pattern(Pattern),
    /// A string leaf of the field, keys not included, or its JSON text, matches. The text has separators `", "` and
    /// `": "` and only ASCII.
    Within(Pattern),
    /// Equal to this.
    Equals(String),
    /// Equal to one of these.
    OneOf(Vec<String>),
    /// Begins with this.
    Prefix(String),
}

/// What a condition says of a payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Match {
    /// It holds.
    Yes,
    /// It does not, because of this.
    No {
        /// The compared values.
        why: Message,
        /// What small thing would make it hold.
        near: Option<NearMiss>,
    },
    /// A pattern gave up or cannot be used: the hook is broken, not unmatched.
    Broken(Message),
}

crate::messages! {
    /// A field has another value than the filter wants.
    FILTER_DIFFERS = "filter_differs" { "{field} is {got}, wanted {wanted}", "{field} 是 {got}，需要 {wanted}" };
    /// A field that the filter looks at is absent.
    FILTER_MISSING = "filter_missing" { "{field} is missing, wanted {wanted}", "缺少 {field}，需要 {wanted}" };
    /// A pattern that cannot be decided in time.
    FILTER_GAVE_UP = "filter_gave_up" { "the pattern of {key} gave up after {steps} steps", "{key} 的模式在 {steps} 步后放弃" };
}

/// Who asks, which decides what may be compiled for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// An event that is fired: what is compiled stays for the next one, and nothing is compiled for a near miss.
    Fire,
    /// A person, about any hook: nothing that is compiled stays.
    Explain,
}

impl Condition {
    /// Judges the payload of an event that is fired.
    #[must_use]
    pub fn evaluate(&self, payload: &Payload) -> Match {
        self.evaluate_for(payload, Purpose::Fire)
    }

    /// Judges a payload for a person, with every near miss. Keeps nothing compiled, so that it may be asked of a hook that
    /// nobody approved.
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
                    return Match::Broken(
                        FILTER_GAVE_UP.render(crate::args! { "key" => clause.key, "steps" => MAX_STEPS }),
                    );
                }
                ClauseResult::Broken(PatternFailure::Unusable(why)) => {
                    return Match::Broken(why.to_message(clause.key));
                }
            }
        }
        let Some(((first, near), rest)) = misses.split_first() else {
            return Match::Yes;
        };
        // A near miss promises that the small change is enough, so every failing clause must need the same one.
        let near = rest.iter().all(|(_, other)| other == near).then_some(*near).flatten();
        Match::No {
            why: first.why(payload),
            near,
        }
    }

    /// Its patterns, each with the key of the definition that it stands at.
    pub fn patterns(&self) -> impl Iterator<Item = (&'static str, &Pattern)> {
        self.clauses.iter().filter_map(|clause| match &clause.test {
            Predicate::Pattern(pattern) | Predicate::Within(pattern) => Some((clause.key, pattern)),
            Predicate::Equals(_) | Predicate::OneOf(_) | Predicate::Prefix(_) => None,
        })
    }

    fn patterns_mut(&mut self) -> impl Iterator<Item = &mut Pattern> {
        self.clauses.iter_mut().filter_map(|clause| match &mut clause.test {
            Predicate::Pattern(pattern) | Predicate::Within(pattern) => Some(pattern),
            Predicate::Equals(_) | Predicate::OneOf(_) | Predicate::Prefix(_) => None,
        })
    }

    /// Whether one payload can be for both. Where only one of them asks for a field, it can; two patterns that are not
    /// plain names are taken to meet.
    #[must_use]
    pub fn overlaps(&self, other: &Self, trial: &Trial) -> bool {
        self.clauses.iter().all(|one| {
            let same = other.clauses.iter().find(|clause| clause.field == one.field);
            same.is_none_or(|other| one.test.can_overlap(&other.test, trial))
        })
    }
}

/// What one comparison comes to.
enum ClauseResult {
    Holds,
    /// And what small thing is missing.
    Misses(Option<NearMiss>),
    Broken(PatternFailure),
}

impl Clause {
    fn check(&self, payload: &Payload, asking: Purpose) -> ClauseResult {
        match (payload.get(self.field), &self.test) {
            (None | Some(Value::Null), _) => ClauseResult::Misses(Some(NearMiss::MissingField)),
            (Some(value), Predicate::Within(pattern)) => pattern.check(&texts(value), asking),
            (Some(Value::String(got)), Predicate::Pattern(pattern)) => pattern.check(std::slice::from_ref(got), asking),
            (Some(Value::String(got)), test) if test.is_met_by(got) => ClauseResult::Holds,
            (Some(Value::String(got)), test) => ClauseResult::Misses(test.near_miss(got)),
            (Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)), _) => {
                ClauseResult::Misses(None)
            }
        }
    }

    fn why(&self, payload: &Payload) -> Message {
        let wanted = self.test.wanted_text();
        match payload.get(self.field) {
            None | Some(Value::Null) => {
                FILTER_MISSING.render(crate::args! { "field" => self.field, "wanted" => wanted, "key" => self.key })
            }
            Some(got) => {
                let got = match bounded(got, &mut { CHECKED_BYTES }) {
                    Value::String(got) => got,
                    got @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                        got.to_string()
                    }
                };
                FILTER_DIFFERS
                    .render(crate::args! { "field" => self.field, "got" => got, "wanted" => wanted, "key" => self.key })
            }
        }
    }
}

/// So much of a value, in bytes, goes into a sentence. It is far more than anybody is shown, so that what is masked before
/// it is cut for people is masked whole.
const CHECKED_BYTES: usize = 16 * 1024;

/// The beginning of a value, itself a value, with about so many bytes.
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

/// While an event waits, only texts of at most this many bytes are looked at for near misses: names of tools and models.
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

/// A text in other letter cases, the usual ones of a name: an engine that ignores case would have to be compiled first.
fn spellings(text: &str) -> [String; 3] {
    let lower = text.to_lowercase();
    let mut letters = lower.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    [text.to_uppercase(), first + letters.as_str(), lower]
}

/// The string leaves of a value, and its JSON text.
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
    /// What the author asked for, in one word for sentences.
    #[must_use]
    pub fn wanted_text(&self) -> String {
        match self {
            Self::Equals(want) => want.clone(),
            Self::OneOf(wants) => wants.join("|"),
            Self::Prefix(want) => format!("{want}…"),
            Self::Pattern(pattern) | Self::Within(pattern) => pattern.source.clone(),
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

    /// The only texts for which it holds, when its pattern says so: `^A$`, `^(A|B)$`.
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

    /// The plain names it asks for, when it is made of such.
    fn names(&self) -> Option<Vec<String>> {
        match self {
            Self::Equals(name) | Self::Prefix(name) => Some(vec![name.clone()]),
            Self::OneOf(names) => Some(names.clone()),
            Self::Pattern(pattern) => pattern.names().map(<[String]>::to_vec),
            Self::Within(_) => None,
        }
    }

    fn is_met_by(&self, got: &str) -> bool {
        match self {
            Self::Equals(want) => want == got,
            Self::OneOf(wants) => wants.iter().any(|want| want == got),
            Self::Prefix(want) => got.starts_with(want.as_str()),
            Self::Pattern(pattern) | Self::Within(pattern) => pattern.is_match(got) == Some(true),
        }
    }

    fn near_miss(&self, got: &str) -> Option<NearMiss> {
        let any = |test: &dyn Fn(&str) -> bool| match self {
            Self::Equals(want) | Self::Prefix(want) => test(want),
            Self::OneOf(wants) => wants.iter().any(|want| test(want)),
            // Patterns have a look of their own.
            Self::Pattern(_) | Self::Within(_) => false,
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

/// One letter changed, added, left out, or two neighbours swapped.
fn one_edit(want: &str, got: &str, prefix: bool) -> bool {
    let wanted = want.chars().count();
    if wanted < 2 {
        return false;
    }
    if !prefix {
        // A text of another length is more than one edit away, and may be very long.
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
