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

/// How a value is compared; always letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
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
}

impl Condition {
    /// Judges a payload.
    #[must_use]
    pub fn judge(&self, payload: &Payload) -> Match {
        let mut failing = self
            .clauses
            .iter()
            .filter_map(|clause| clause.miss(payload).map(|near| (clause, near)));
        let Some((first, near)) = failing.next() else {
            return Match::Yes;
        };
        // A near miss promises that the small change is enough, so every failing clause must need the same one.
        let near = failing.all(|(_, other)| other == near).then_some(near).flatten();
        Match::No {
            why: first.why(payload),
            near,
        }
    }
}

impl Clause {
    /// `None` when it holds, else what small thing is missing.
    fn miss(&self, payload: &Payload) -> Option<Option<NearMiss>> {
        match payload.get(self.field) {
            None | Some(Value::Null) => Some(Some(NearMiss::MissingField)),
            Some(Value::String(got)) if self.test.holds(got) => None,
            Some(Value::String(got)) => Some(self.test.near(got)),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => Some(None),
        }
    }

    fn why(&self, payload: &Payload) -> Words {
        let wanted = self.test.wanted();
        match payload.get(self.field) {
            None | Some(Value::Null) => {
                FILTER_MISSING.say(crate::args! { "field" => self.field, "wanted" => wanted, "key" => self.key })
            }
            Some(Value::String(got)) => FILTER_DIFFERS
                .say(crate::args! { "field" => self.field, "got" => got, "wanted" => wanted, "key" => self.key }),
            Some(got @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => FILTER_DIFFERS.say(
                crate::args! { "field" => self.field, "got" => got.to_string(), "wanted" => wanted, "key" => self.key },
            ),
        }
    }
}

impl Test {
    /// What the author asked for, in one word for sentences.
    #[must_use]
    pub fn wanted(&self) -> String {
        match self {
            Self::Equals(want) => want.clone(),
            Self::OneOf(wants) => wants.join("|"),
            Self::Prefix(want) => format!("{want}…"),
        }
    }

    fn holds(&self, got: &str) -> bool {
        match self {
            Self::Equals(want) => want == got,
            Self::OneOf(wants) => wants.iter().any(|want| want == got),
            Self::Prefix(want) => got.starts_with(want.as_str()),
        }
    }

    fn near(&self, got: &str) -> Option<NearMiss> {
        let any = |test: &dyn Fn(&str) -> bool| match self {
            Self::Equals(want) | Self::Prefix(want) => test(want),
            Self::OneOf(wants) => wants.iter().any(|want| test(want)),
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
mod tests {
    use super::*;

    fn condition(key: &'static str, field: &'static str, test: Test) -> Condition {
        Condition {
            clauses: vec![Clause { key, field, test }],
        }
    }

    fn payload(field: &str, value: &str) -> Payload {
        Payload::from_iter([(field.to_owned(), Value::from(value))])
    }

    #[track_caller]
    fn misses(test: Test, got: &str, near: Option<NearMiss>) {
        match condition("tool_matcher", "tool_name", test).judge(&payload("tool_name", got)) {
            Match::No { near: found, .. } => assert_eq!(found, near, "{got}"),
            Match::Yes | Match::GaveUp(_) => panic!("{got} should not match"),
        }
    }

    #[test]
    fn a_miss_names_what_was_nearly_right() {
        let names = || Test::OneOf(vec!["Bash".into(), "Shell".into()]);
        misses(names(), "bash", Some(NearMiss::Case));
        misses(names(), " Bash", Some(NearMiss::Blanks));
        misses(names(), "Bahs", Some(NearMiss::Spelling));
        misses(names(), "Shel", Some(NearMiss::Spelling));
        misses(names(), "Grep", None);
        misses(Test::Prefix("gpt-4".into()), "GPT-4o", Some(NearMiss::Case));
        misses(Test::Prefix("gpt-4".into()), "gtp-4o", Some(NearMiss::Spelling));
        misses(Test::Equals("".into()), "x", None);
    }

    #[test]
    fn the_reason_names_both_values() {
        let when = condition("tool_name", "tool_name", Test::Equals("Bash".into()));
        let Match::No { why, .. } = when.judge(&payload("tool_name", "Grep")) else {
            panic!("matched")
        };
        assert_eq!(why.text, "tool_name is Grep, wanted Bash");
        let Match::No { why, near } = when.judge(&Payload::new()) else {
            panic!("matched")
        };
        assert_eq!(
            (why.text.as_str(), near),
            ("tool_name is missing, wanted Bash", Some(NearMiss::MissingField))
        );
    }

    #[test]
    fn a_second_clause_that_plainly_fails_takes_the_near_miss_away() {
        let mut when = condition("tool_name", "tool_name", Test::Equals("Bash".into()));
        when.clauses.push(Clause {
            key: "model_prefix",
            field: "model",
            test: Test::Prefix("gpt".into()),
        });
        let mut seen = payload("tool_name", "bash");
        seen.insert("model".into(), "claude".into());
        let Match::No { near, .. } = when.judge(&seen) else {
            panic!("matched")
        };
        assert_eq!(near, None);
    }
}
