//! The conditions that a definition of a dialect can contain, as data. The filter builder of the window is made from them.

use serde::Serialize;

use crate::event::{Bilingual, EventSpec};

/// One condition that a definition can contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterKey {
    /// The key of its clause ([`crate::Clause::key`]).
    pub key: &'static str,
    /// The field of the definition that contains it, as an edit names it (`filter.tool_name`).
    pub field: String,
    /// What is compared, and how.
    pub spec: FilterSpec,
}

/// What a condition compares, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterSpec {
    /// What is compared.
    pub subject: FilterSubject,
    /// How the value is written and compared.
    pub test: FilterTest,
    /// What happens at an event that does not have the subject.
    pub without_subject: WithoutSubject,
    /// The key that has priority: if both are set, this one is ignored.
    pub overruled_by: Option<&'static str>,
    /// The values that are possible.
    pub choices: FilterChoices,
    /// Other names of values, under which they match too: each value with its other names.
    pub other_names: OtherNames,
    /// What the condition means.
    pub about: Bilingual,
}

/// Values, each with the other names under which a condition finds it.
pub type OtherNames = &'static [(&'static str, &'static [&'static str])];

/// What a condition is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterSubject {
    /// A payload field.
    Field(&'static str),
    /// The payload field that the event's row names ([`EventSpec::subject`]).
    OfEvent,
    /// The event itself.
    Event,
}

/// The values that a condition can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterChoices {
    /// Any text.
    Any,
    /// The events at which the output of a hook has an effect.
    Deciding,
    /// The events at which the output of a hook is ignored.
    NotifyOnly,
}

/// How the value of a condition is written in the file, and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterTest {
    /// A text that is equal to the subject.
    Equals,
    /// Names with `|` between them, one of which is equal to the subject.
    Names,
    /// An array of names, one of which is equal to the subject.
    List,
    /// Names with `|` or `,` between them, one of which is equal to the subject; or, if it has other characters, a
    /// regular expression of JavaScript that matches a part of the subject.
    NamesOrSearch,
    /// Names with `|` between them, one of which is equal to the subject; or, if it has other characters than letters,
    /// digits, `_` and `|`, a regular expression of Rust that matches a part of the subject.
    NamesOrRegex,
    /// A text that the subject begins with.
    Prefix,
    /// A regular expression that matches the whole subject.
    Whole,
    /// A regular expression that matches a part of the subject.
    Search,
    /// A regular expression that matches a part of any text in the subject.
    Within,
}

/// What a condition does at an event without its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WithoutSubject {
    /// It never matches.
    NeverMatches,
    /// It is ignored.
    Ignored,
}

impl FilterSpec {
    /// A condition with any text as its value, which never matches at an event without the subject.
    #[must_use]
    pub const fn new(subject: FilterSubject, test: FilterTest, about: Bilingual) -> Self {
        Self {
            subject,
            test,
            without_subject: WithoutSubject::NeverMatches,
            overruled_by: None,
            choices: FilterChoices::Any,
            other_names: &[],
            about,
        }
    }

    /// The condition is ignored at an event without the subject.
    #[must_use]
    pub const fn ignored_without_subject(self) -> Self {
        Self {
            without_subject: WithoutSubject::Ignored,
            ..self
        }
    }

    /// The condition is ignored if the field with this key is set.
    #[must_use]
    pub const fn overruled_by(self, key: &'static str) -> Self {
        Self {
            overruled_by: Some(key),
            ..self
        }
    }

    /// Values that also match under other names.
    #[must_use]
    pub const fn other_names(self, other_names: OtherNames) -> Self {
        Self { other_names, ..self }
    }

    /// The values that are possible.
    #[must_use]
    pub const fn choices(self, choices: FilterChoices) -> Self {
        Self { choices, ..self }
    }

    /// The payload field that is compared at this event; `None` if the event has no such field, or if the event itself
    /// is compared.
    #[must_use]
    pub fn field_at(&self, event: &EventSpec) -> Option<&'static str> {
        let name = match self.subject {
            FilterSubject::Field(name) => name,
            FilterSubject::OfEvent => event.subject?,
            FilterSubject::Event => return None,
        };
        event.fields.iter().map(|field| field.name).find(|field| *field == name)
    }
}
