//! The values of a mapping that was read.

use std::time::Duration;

use hookwright_model::definition::{
    DefinitionDefault, DefinitionField, DefinitionKind, DefinitionRole, DefinitionSpec, DefinitionValue, NumberSpec,
    TimeUnit,
};
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    Anchor, Clause, Condition, EventSpec, FilterSpec, FilterSubject, FilterTest, Predicate, SubjectForm,
};
use serde_json::Value;

use super::Problems;
use crate::node::{Node, ValueKind};
use crate::pattern;

/// The fields of a mapping, by their dotted names (`timeout`, `filter.tool_name`).
#[derive(Debug, Clone)]
pub struct Fields<'n> {
    pub(super) spec: &'static DefinitionSpec,
    pub(super) rows: &'static [DefinitionField],
    pub(super) node: &'n Node,
    /// The names of fields whose values cannot be used.
    pub(super) wrong: Vec<String>,
}

impl<'n> Fields<'n> {
    /// The value of a field, right or wrong. Where `null` counts as absent, there is none then.
    #[must_use]
    pub fn given(&self, name: &str) -> Option<&'n Node> {
        let mut names = name.split('.');
        let first = self.node.get(names.next()?)?;
        let node = names.try_fold(first, |node, name| node.get(name))?;
        let is_absent = || self.spec.null_is_absent || self.row(name).is_some_and(|row| row.may_be_null);
        (!node.is_null() || !is_absent()).then_some(&**node)
    }

    /// The value of a field that can be used.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'n Node> {
        self.given(name).filter(|_| !self.is_wrong(name))
    }

    /// Whether the field has a value that cannot be used.
    #[must_use]
    pub fn is_wrong(&self, name: &str) -> bool {
        self.wrong.iter().any(|wrong| wrong == name)
    }

    /// The position of a field's value; without one, that of the mapping.
    #[must_use]
    pub fn position(&self, name: &str) -> TextPosition {
        self.given(name).map_or(self.node.position, |node| node.position)
    }

    /// The positions of all values, with those of a condition's parts.
    #[must_use]
    pub fn positions(&self) -> Vec<(String, TextPosition)> {
        let mut positions = Vec::new();
        for entry in self.node.entries().unwrap_or_default() {
            let row = self.rows.iter().find(|row| row.name == entry.key);
            if row.is_some_and(|row| matches!(row.kind, DefinitionKind::Filter(_))) {
                let parts = entry.value.entries().unwrap_or_default().iter();
                positions.extend(parts.map(|part| (format!("{}.{}", entry.key, part.key), part.value.position)));
            }
            positions.push((entry.key.clone(), entry.value.position));
        }
        positions
    }

    /// A string, or the text of a bare value that counts as one.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&'n str> {
        match &self.get(name)?.kind {
            ValueKind::Scalar { text, .. } => Some(text),
            ValueKind::List(_) | ValueKind::Mapping { .. } => None,
        }
    }

    /// A word, or the default. For a wrong word that decides the kind of hook, it is the kind whose required field is
    /// given.
    #[must_use]
    pub fn word(&self, name: &str) -> &'n str {
        if let Some(text) = self.text(name) {
            return text;
        }
        let kinds = self
            .rows
            .iter()
            .filter(|row| row.required && self.given(row.name).is_some());
        let guess = kinds.filter_map(|row| row.only).find(|(field, _)| *field == name);
        match (guess, self.default(name)) {
            (Some((_, word)), _) if self.is_wrong(name) => word,
            (_, Some(DefinitionValue::Text(word))) => word,
            _ => "",
        }
    }

    /// The kind of hook, for messages: the word of the field that decides it.
    pub(super) fn hook_kind(&self) -> &'n str {
        let row = self.rows.iter().find(|row| row.role == DefinitionRole::Handler);
        row.map_or("", |row| self.word(row.name))
    }

    /// Whether a flag is on.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name).map(|node| &node.kind) {
            Some(ValueKind::Scalar { value, .. }) => *value == Value::Bool(true),
            Some(ValueKind::List(_) | ValueKind::Mapping { .. }) => false,
            None => self.default(name) == Some(DefinitionValue::Flag(true)),
        }
    }

    /// A whole number within its limits.
    #[must_use]
    pub fn number(&self, name: &str) -> i64 {
        let written = self.get(name).and_then(Node::whole_number);
        match (written, self.default(name)) {
            (Some(number), _) => clamp(number, self.number_spec(name)),
            (None, Some(DefinitionValue::Number(number))) => number,
            (None, _) => 0,
        }
    }

    /// A duration within its limits, in the unit of its row.
    #[must_use]
    pub fn duration(&self, name: &str) -> Duration {
        let spec = self.number_spec(name);
        let written = self.get(name).map(|node| &node.kind);
        if let (Some(ValueKind::Scalar { value, .. }), true) = (written, spec.is_some_and(|spec| spec.fractions)) {
            let most = spec.and_then(|spec| spec.most).unwrap_or(i64::MAX).unsigned_abs();
            let exact = Duration::try_from_secs_f64(value.as_f64().unwrap_or_default());
            return exact
                .unwrap_or(Duration::MAX)
                .clamp(Duration::from_millis(1), Duration::from_secs(most));
        }
        let number = self.number(name).unsigned_abs();
        match spec.and_then(|spec| spec.unit) {
            Some(TimeUnit::Milliseconds) => Duration::from_millis(number),
            Some(TimeUnit::Seconds) | None => Duration::from_secs(number),
        }
    }

    /// The strings of a list with their positions. A wrong item is left out.
    #[must_use]
    pub fn words(&self, name: &str) -> Vec<(&'n str, TextPosition)> {
        let Some(ValueKind::List(items)) = self.given(name).map(|node| &node.kind) else {
            return Vec::new();
        };
        let strings = items.iter().filter_map(|item| Some((item.string()?, item.position)));
        strings.collect()
    }

    /// The condition that the fields make at this event. A pattern that cannot be used is reported. A condition on what
    /// the event does not have is left out.
    pub fn condition(&self, event: Option<&EventSpec>, problems: &mut Problems<'_>) -> Condition {
        let mut clauses = Vec::new();
        for row in self.rows {
            let inner = row
                .kind
                .fields()
                .iter()
                .map(|inner| (format!("{}.{}", row.name, inner.name), inner));
            for (name, row) in std::iter::once((row.name.to_owned(), row)).chain(inner) {
                let Some(filter) = row.filter else { continue };
                clauses.extend(self.clause(&name, row.name, &filter, event, problems));
            }
        }
        Condition { clauses }
    }

    fn clause(
        &self,
        name: &str,
        key: &'static str,
        filter: &FilterSpec,
        event: Option<&EventSpec>,
        problems: &mut Problems<'_>,
    ) -> Option<Clause> {
        let field = match filter.subject {
            FilterSubject::Field(field) => field,
            FilterSubject::OfEvent => event?.subject?,
            FilterSubject::Event => return None,
        };
        let sibling = |other: &str| name.strip_suffix(key).map(|within| format!("{within}{other}"));
        let other = filter.overruled_by.and_then(sibling);
        if other.is_some_and(|other| self.text(&other).is_some()) {
            return None;
        }
        let pattern = |anchor, problems: &mut Problems<'_>| {
            let read = pattern::from_python(self.text(name)?, anchor);
            read.map_err(|message| problems.report(message, self.position(name)))
                .ok()
        };
        let predicate = match filter.test {
            FilterTest::Equals => Predicate::Equals(self.text(name)?.to_owned()),
            FilterTest::Prefix => Predicate::Prefix(self.text(name)?.to_owned()),
            FilterTest::Names => {
                let names = self.text(name)?.split('|');
                Predicate::OneOf(names.map(|name| name.trim().to_owned()).collect())
            }
            FilterTest::List => {
                let names: Vec<String> = self.words(name).iter().map(|(name, _)| (*name).to_owned()).collect();
                Predicate::OneOf(Some(names).filter(|names| !names.is_empty())?)
            }
            // The whole subject can also be given as "everything".
            FilterTest::Whole if ["", "*"].contains(&self.text(name)?) => return None,
            FilterTest::Whole => Predicate::Pattern(pattern(Anchor::Whole, problems)?),
            FilterTest::Search => Predicate::Pattern(pattern(Anchor::Anywhere, problems)?),
            FilterTest::NamesOrSearch if ["", "*"].contains(&self.text(name)?) => return None,
            FilterTest::NamesOrSearch => match names_of(self.text(name)?, NAME_SIGNS) {
                Some(names) => Predicate::OneOf(names),
                None => {
                    let read = pattern::from_javascript(self.text(name)?, Anchor::Anywhere);
                    let read = read.map_err(|message| problems.report(message, self.position(name)));
                    Predicate::Pattern(read.ok()?)
                }
            },
            FilterTest::NamesOrRegex if ["", "*"].contains(&self.text(name)?) => return None,
            FilterTest::NamesOrRegex => match names_of(self.text(name)?, REGEX_NAME_SIGNS) {
                Some(names) => Predicate::OneOf(names),
                None => {
                    let read = pattern::from_rust(self.text(name)?, Anchor::Anywhere);
                    let read = read.map_err(|message| problems.report(message, self.position(name)));
                    Predicate::Pattern(read.ok()?)
                }
            },
            FilterTest::Within => Predicate::Within(pattern(Anchor::Anywhere, problems)?),
        };
        Some(Clause {
            key,
            field,
            predicate,
            other_names: filter.other_names,
            form: SubjectForm::Whole,
        })
    }

    fn row(&self, name: &str) -> Option<&'static DefinitionField> {
        let mut names = name.split('.');
        let first = names.next()?;
        let row = self.rows.iter().find(|row| row.name == first)?;
        names.try_fold(row, |row, name| {
            row.kind.fields().iter().find(|inner| inner.name == name)
        })
    }

    fn number_spec(&self, name: &str) -> Option<NumberSpec> {
        let DefinitionKind::Number(spec) = self.row(name)?.kind else {
            return None;
        };
        Some(spec)
    }

    fn default(&self, name: &str) -> Option<DefinitionValue> {
        let applies = |default: &&DefinitionDefault| default.only.is_none_or(|(field, word)| self.word(field) == word);
        Some(self.row(name)?.defaults.iter().find(applies)?.value)
    }
}

/// The characters beside letters and digits of a condition that is made of names ([`FilterTest::NamesOrSearch`]).
pub const NAME_SIGNS: &str = "_- ,|";
/// The same for [`FilterTest::NamesOrRegex`].
pub const REGEX_NAME_SIGNS: &str = "_|";

/// The names that a text consists of, with `|` or `,` between them; `None` if it has characters other than letters,
/// digits and `signs`.
#[must_use]
pub fn names_of(text: &str, signs: &str) -> Option<Vec<String>> {
    let is_named = text
        .chars()
        .all(|sign| sign.is_ascii_alphanumeric() || signs.contains(sign));
    let names = text.split(|sign| sign == '|' || sign == ',' && signs.contains(','));
    let names = names.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    is_named.then(|| names.collect())
}

/// A number within the limits of its row.
pub(super) fn clamp(number: i128, spec: Option<NumberSpec>) -> i64 {
    let least = spec.and_then(|spec| spec.least).unwrap_or(i64::MIN);
    let most = spec.and_then(|spec| spec.most).unwrap_or(i64::MAX);
    let within = number.clamp(i128::from(least), i128::from(most));
    i64::try_from(within).unwrap_or(most)
}
