//! Conditions: when a hook is for a payload. Clauses are data, so that one function judges and explains all dialects.

use serde_json::Value;

use crate::event::Payload;
use crate::saying::Words;
use crate::trace::NearMiss;

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
    pub test: Test,
}

/// A compiled pattern in the subset that Python and our engine read alike (`engine.md` §9).
#[derive(Debug, Clone)]
pub struct Pattern {
    /// As the author wrote it.
    pub source: String,
    regex: std::sync::Arc<fancy_regex::Regex>,
    /// The same without regard to letter case, made when a near miss is looked for first.
    loose: std::sync::Arc<std::sync::OnceLock<Option<fancy_regex::Regex>>>,
    /// The pattern is letters, digits, `_` and `|` only: names, for near misses.
    names: Option<Vec<String>>,
}

/// Steps after which a pattern gives up.
const MAX_STEPS: usize = 1_000_000;

impl Pattern {
    /// Compiles a source that needs no translation. The subset is the caller's business.
    ///
    /// # Errors
    /// The engine's words.
    pub fn new(source: &str, anchor: Anchor) -> Result<Self, String> {
        Self::translated(source, source, anchor)
    }

    /// Compiles what the source means in the engine's own spelling.
    ///
    /// # Errors
    /// The engine's words.
    pub fn translated(source: &str, text: &str, anchor: Anchor) -> Result<Self, String> {
        let text = match anchor {
            Anchor::Anywhere => text.to_owned(),
            Anchor::Whole => whole(text),
        };
        let regex = fancy_regex::RegexBuilder::new(&text)
            .backtrack_limit(MAX_STEPS)
            .build()
            .map_err(|error| error.to_string())?;
        let names: Vec<String> = source.split('|').map(str::to_owned).collect();
        Ok(Self {
            source: source.to_owned(),
            regex: std::sync::Arc::new(regex),
            loose: std::sync::Arc::default(),
            names: names.iter().all(|name| plain(name)).then_some(names),
        })
    }

    /// Whether it matches; `None` when it gave up.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        self.regex.is_match(text).ok()
    }
}

/// Letters, digits and `_`: a pattern that means itself.
fn plain(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|sign| sign.is_alphanumeric() || sign == '_')
}

/// Whole-subject form. Flags stand at the very start, so that they stay outside the group.
fn whole(source: &str) -> String {
    let flags = source
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'))
        .filter(|(flags, _)| !flags.is_empty() && flags.chars().all(|sign| "ismx".contains(sign)));
    let (flags, rest) = flags.unwrap_or(("", source));
    let head = if flags.is_empty() {
        String::new()
    } else {
        format!("(?{flags})")
    };
    // In the verbose form a comment would swallow the closing bracket, did its line not end before.
    let end = if flags.contains('x') { "\n" } else { "" };
    format!("{head}\\A(?:{rest}{end})\\z")
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.regex.as_str() == other.regex.as_str()
    }
}

impl Eq for Pattern {}

/// Where a pattern must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Anywhere in the subject (Python `search`).
    Anywhere,
    /// All of it (Python `fullmatch`).
    Whole,
}

/// How a value is compared; always letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
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
        why: Words,
        /// What small thing would make it hold.
        near: Option<NearMiss>,
    },
    /// A pattern gave up: the hook is broken, not unmatched.
    GaveUp(Words),
}

crate::sayings! {
    /// A field has another value than the filter wants.
    FILTER_DIFFERS = "filter_differs" { "{field} is {got}, wanted {wanted}", "{field} 是 {got}，需要 {wanted}" };
    /// A field that the filter looks at is absent.
    FILTER_MISSING = "filter_missing" { "{field} is missing, wanted {wanted}", "缺少 {field}，需要 {wanted}" };
    /// A pattern that cannot be decided in time.
    FILTER_GAVE_UP = "filter_gave_up" { "the pattern of {key} gave up after {steps} steps", "{key} 的模式在 {steps} 步后放弃" };
}

impl Condition {
    /// Judges a payload.
    #[must_use]
    pub fn judge(&self, payload: &Payload) -> Match {
        let mut misses = Vec::new();
        for clause in &self.clauses {
            match clause.look(payload) {
                Look::Holds => {}
                Look::Misses(near) => misses.push((clause, near)),
                Look::GaveUp => {
                    return Match::GaveUp(
                        FILTER_GAVE_UP.say(crate::args! { "key" => clause.key, "steps" => MAX_STEPS }),
                    );
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
}

impl Condition {
    /// Whether one payload can be for both. Where only one of them asks for a field, it can; two patterns that are not
    /// plain names are taken to meet.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.clauses.iter().all(|one| {
            let same = other.clauses.iter().find(|clause| clause.field == one.field);
            same.is_none_or(|other| one.test.meets(&other.test))
        })
    }
}

/// What one comparison comes to.
enum Look {
    Holds,
    /// And what small thing is missing.
    Misses(Option<NearMiss>),
    GaveUp,
}

impl Clause {
    fn look(&self, payload: &Payload) -> Look {
        match (payload.get(self.field), &self.test) {
            (None | Some(Value::Null), _) => Look::Misses(Some(NearMiss::MissingField)),
            (Some(value), Test::Within(pattern)) => pattern.look(&texts(value)),
            (Some(Value::String(got)), Test::Pattern(pattern)) => pattern.look(std::slice::from_ref(got)),
            (Some(Value::String(got)), test) if test.holds(got) => Look::Holds,
            (Some(Value::String(got)), test) => Look::Misses(test.near(got)),
            (Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)), _) => Look::Misses(None),
        }
    }

    fn why(&self, payload: &Payload) -> Words {
        let wanted = self.test.wanted();
        match payload.get(self.field) {
            None | Some(Value::Null) => {
                FILTER_MISSING.say(crate::args! { "field" => self.field, "wanted" => wanted, "key" => self.key })
            }
            Some(got) => {
                let got = match bounded(got, &mut { LOOKED_AT }) {
                    Value::String(got) => got,
                    got @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                        got.to_string()
                    }
                };
                FILTER_DIFFERS
                    .say(crate::args! { "field" => self.field, "got" => got, "wanted" => wanted, "key" => self.key })
            }
        }
    }
}

/// So much of a value, in bytes, goes into a sentence. It is far more than anybody is shown, so that what is masked before
/// it is cut for people is masked whole.
const LOOKED_AT: usize = 16 * 1024;

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

impl Pattern {
    fn look(&self, texts: &[String]) -> Look {
        for text in texts {
            match self.is_match(text) {
                Some(true) => return Look::Holds,
                Some(false) => {}
                None => return Look::GaveUp,
            }
        }
        let loose = self
            .loose
            .get_or_init(|| fancy_regex::Regex::new(&format!("(?i){}", self.regex.as_str())).ok());
        let any = |test: &dyn Fn(&str) -> bool| texts.iter().any(|text| test(text));
        Look::Misses(
            if any(&|text| {
                loose
                    .as_ref()
                    .is_some_and(|loose| loose.is_match(text).unwrap_or(false))
            }) {
                Some(NearMiss::Case)
            } else if any(&|text| {
                let bare = text.trim();
                let written = |name: &str| name.trim() == bare && plain(bare);
                self.is_match(bare) == Some(true) || self.source.split('|').any(written)
            }) {
                Some(NearMiss::Blanks)
            } else if any(&|text| self.names.iter().flatten().any(|name| one_edit(name, text, false))) {
                Some(NearMiss::Spelling)
            } else {
                None
            },
        )
    }
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
    out.push(crate::spaced::spaced(value));
    out
}

impl Test {
    /// What the author asked for, in one word for sentences.
    #[must_use]
    pub fn wanted(&self) -> String {
        match self {
            Self::Equals(want) => want.clone(),
            Self::OneOf(wants) => wants.join("|"),
            Self::Prefix(want) => format!("{want}…"),
            Self::Pattern(pattern) | Self::Within(pattern) => pattern.source.clone(),
        }
    }

    fn meets(&self, other: &Self) -> bool {
        for (one, other) in [(self, other), (other, self)] {
            if let Some(names) = one.exact() {
                return names.iter().any(|name| other.holds(name));
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
            (Some(names), None) => names.iter().any(|name| other.holds(name)),
            (None, Some(names)) => names.iter().any(|name| self.holds(name)),
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
            Self::Pattern(pattern) => pattern.names.clone(),
            Self::Within(_) => None,
        }
    }

    fn holds(&self, got: &str) -> bool {
        match self {
            Self::Equals(want) => want == got,
            Self::OneOf(wants) => wants.iter().any(|want| want == got),
            Self::Prefix(want) => got.starts_with(want.as_str()),
            Self::Pattern(pattern) | Self::Within(pattern) => pattern.is_match(got) == Some(true),
        }
    }

    fn near(&self, got: &str) -> Option<NearMiss> {
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
