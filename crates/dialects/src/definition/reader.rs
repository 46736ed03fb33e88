//! Goes over the rows of a mapping and reports what is wrong with its values.

use hookwright_model::definition::DefinitionError::{self, *};
use hookwright_model::definition::{
    DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole, DefinitionSpec, ErrorCost, MistakenKeys,
    NumberSpec, ValueType,
};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Args, Message, MessageTemplate, term};
use serde_json::Value;

use super::fields::clamp;
use super::{Fields, Problems};
use crate::node::{Entry, Node, ValueKind};
use crate::nul_checks;
use crate::suggest::{is_slip, nearest};

/// Reads a mapping by the rows of its kind. `within` is the dotted name of the mapping in messages, with its last dot; it
/// is empty for a hook or a group.
pub fn read<'n>(
    spec: &'static DefinitionSpec,
    kind: &'static DefinitionKind,
    within: &str,
    node: &'n Node,
    problems: &mut Problems<'_>,
) -> Fields<'n> {
    let mut reader = Reader {
        fields: Fields {
            spec,
            rows: kind.fields(),
            node,
            wrong: Vec::new(),
        },
        within,
        problems,
    };
    reader.read_mapping(kind, Place { row: None, name: "" }, node);
    reader.fields
}

struct Reader<'p, 'a, 'n> {
    fields: Fields<'n>,
    within: &'p str,
    problems: &'p mut Problems<'a>,
}

/// A value that is read: the row of its field, `None` for the whole mapping, and its dotted name below that mapping.
#[derive(Clone, Copy)]
struct Place<'p> {
    row: Option<&'static DefinitionField>,
    name: &'p str,
}

/// Whether a value is used although something is wrong with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Used {
    No,
    Yes,
}

impl<'n> Reader<'_, '_, 'n> {
    /// Reads the fields of a mapping. Returns whether it is one.
    fn read_mapping(&mut self, kind: &'static DefinitionKind, at: Place<'_>, node: &'n Node) -> bool {
        let Some(entries) = node.entries() else {
            let is_hook = matches!(kind, DefinitionKind::Hook(_));
            return self.wrong_type(if is_hook { ValueType::Hook } else { ValueType::Mapping }, at, node);
        };
        let mut again = |entry: &Entry| {
            let key = [("key", entry.key.as_str().into())];
            self.report(DuplicateKey, at, node, entry.key_position, Used::No, &key);
        };
        if matches!(kind, DefinitionKind::Hook(_)) {
            node.for_each_duplicate_key(&mut again);
        } else if !matches!(kind, DefinitionKind::Filter(_)) {
            // Those in a condition are among those of its hook.
            node.duplicate_keys().iter().for_each(again);
        }
        let within = if at.name.is_empty() {
            String::new()
        } else {
            format!("{}.", at.name)
        };
        let rows = kind.fields().iter().filter(|row| !row.is_note);
        let (first, rest): (Vec<_>, Vec<_>) = rows.partition(|row| decides(row));
        let mut is_foreign = false;
        let mut is_unclear = false;
        for row in first {
            let is_right = self.read_field(row, &within, node);
            if row.role == DefinitionRole::Handler {
                is_unclear |= self.fields.is_wrong(row.name);
                is_foreign |= is_unclear && !row.foreign_words.is_empty();
                is_unclear |= !is_right && self.fields.word(row.name).is_empty();
            } else {
                is_foreign |= !is_right;
            }
        }
        // A hook of another kind, or another mapping than the intended one, has other fields.
        if !is_foreign && !matches!(kind, DefinitionKind::OpenMapping(_)) {
            self.report_unknown_keys(kind.fields(), &within, entries);
        }
        for row in rest {
            let before = self.problems.checkpoint();
            self.read_field(row, &within, node);
            if is_unclear && (row.required || row.only.is_some()) {
                // It is not known what a hook of an unknown kind needs.
                self.problems.reset(before);
            }
        }
        true
    }

    /// Reads a field. Returns whether it can be used, or may be absent.
    fn read_field(&mut self, row: &'static DefinitionField, within: &str, mapping: &'n Node) -> bool {
        let name = format!("{within}{}", row.name);
        let at = Place {
            row: Some(row),
            name: &name,
        };
        let has_effect = row.has_effect(|field| self.fields.word(field));
        let Some(value) = self.fields.given(&name) else {
            let is_missing = row.required && has_effect;
            if is_missing {
                self.report_missing(at, row, mapping);
            }
            return !is_missing;
        };
        let is_right = self.check(at, row, value);
        if !is_right {
            self.fields.wrong.push(name);
        } else if !has_effect {
            self.report_idle(at, row, mapping);
        }
        is_right
    }

    fn report_missing(&mut self, at: Place<'_>, row: &'static DefinitionField, mapping: &'n Node) {
        let is_top = std::ptr::eq(mapping, self.fields.node);
        let position = if is_top { self.problems.begin } else { mapping.position };
        let belongs_lower = |inner: &DefinitionField| inner.required && mapping.get(inner.name).is_some();
        let error = if let DefinitionKind::List(item) = row.kind
            && item.fields().iter().any(belongs_lower)
        {
            MissingLevel
        } else if self.is_beside_another(row) {
            MissingBeside
        } else {
            Missing
        };
        self.report(error, at, mapping, position, Used::No, &[]);
    }

    /// Whether a field is given that another kind of hook requires.
    fn is_beside_another(&self, row: &DefinitionField) -> bool {
        let is_other = |other: &&DefinitionField| other.required && other.only.is_some() && other.only != row.only;
        let mut others = self.fields.rows.iter().filter(is_other);
        row.only.is_some() && others.any(|other| self.fields.given(other.name).is_some())
    }

    /// Reports a field that has no effect in this kind of hook.
    fn report_idle(&mut self, at: Place<'_>, row: &DefinitionField, mapping: &'n Node) {
        let kind = self.fields.hook_kind();
        let is_needed = |other: &&DefinitionField| other.required && other.only.is_some() && other.has_effect(|_| kind);
        let needed = self.fields.rows.iter().find(is_needed);
        if row.required && needed.is_some_and(|needed| self.fields.given(needed.name).is_none()) {
            // The message about the missing field names this one.
            return;
        }
        let entries = mapping.entries().unwrap_or_default();
        if let Some(entry) = entries.iter().find(|entry| entry.key == row.name) {
            self.report(NoEffect, at, &entry.value, entry.key_position, Used::No, &[]);
        }
    }

    /// Whether a value can be used. What is wrong with it is reported.
    fn check(&mut self, at: Place<'_>, row: &'static DefinitionField, value: &'n Node) -> bool {
        match &row.kind {
            DefinitionKind::Text
            | DefinitionKind::Command
            | DefinitionKind::File
            | DefinitionKind::Prompt(_)
            | DefinitionKind::Pattern
            | DefinitionKind::Choice(_)
            | DefinitionKind::Event => self.check_text(at, row, value),
            DefinitionKind::Flag => {
                let ValueKind::Scalar {
                    value: Value::Bool(_), ..
                } = value.kind
                else {
                    return self.wrong_type(ValueType::Flag, at, value);
                };
                true
            }
            DefinitionKind::Number(spec) => self.check_number(at, *spec, value),
            DefinitionKind::Words | DefinitionKind::Tools | DefinitionKind::Events(_) => {
                let ValueKind::List(items) = &value.kind else {
                    return self.wrong_type(ValueType::List, at, value);
                };
                let named = items.iter().map(|item| (at.name.to_owned(), &**item));
                let is_right = self.check_items(at, ValueType::List, named);
                if matches!(row.kind, DefinitionKind::Words) {
                    let nuls = items.iter().filter_map(|item| nul_checks::check_text(at.name, item));
                    nuls.for_each(|(message, position)| self.problems.report(message, position));
                }
                is_right
            }
            DefinitionKind::TextMap => {
                let Some(entries) = value.entries() else {
                    return self.wrong_type(ValueType::Mapping, at, value);
                };
                let named = entries
                    .iter()
                    .map(|entry| (format!("{}.{}", at.name, entry.key), &*entry.value));
                let is_right = self.check_items(at, ValueType::Mapping, named);
                for (message, position) in nul_checks::check_variables(at.name, value) {
                    self.problems.report(message, position);
                }
                is_right
            }
            kind @ (DefinitionKind::Filter(_)
            | DefinitionKind::Mapping(_)
            | DefinitionKind::OpenMapping(_)
            | DefinitionKind::Hook(_)) => self.read_mapping(kind, at, value),
            DefinitionKind::List(_) => {
                matches!(value.kind, ValueKind::List(_)) || self.wrong_type(ValueType::List, at, value)
            }
            DefinitionKind::ByEvent(_) | DefinitionKind::ByName(_) => {
                value.entries().is_some() || self.wrong_type(ValueType::Mapping, at, value)
            }
            DefinitionKind::AnyMap => true,
        }
    }

    fn check_text(&mut self, at: Place<'_>, row: &DefinitionField, value: &'n Node) -> bool {
        let Some(text) = value.string() else {
            let is_bare = matches!(
                &value.kind,
                ValueKind::Scalar {
                    value: Value::Bool(_) | Value::Number(_),
                    ..
                }
            );
            return is_bare && self.report(BareText, at, value, value.position, Used::Yes, &[])
                || self.wrong_text(at, value);
        };
        let is_command = matches!(row.kind, DefinitionKind::Command);
        if let Some((message, position)) = nul_checks::check_text(&self.shown(at), value)
            && (is_command || row.is_passed)
        {
            self.problems.report(message, position);
        }
        let must_say = is_command || matches!(row.kind, DefinitionKind::Prompt(_));
        if text.trim().is_empty() && (must_say || row.messages.iter().any(|says| says.error == Blank)) {
            self.report(Blank, at, value, value.position, Used::No, &[]);
        }
        let DefinitionKind::Choice(choices) = row.kind else {
            return true;
        };
        let is_known = choices.iter().any(|choice| choice.value == text);
        if !is_known {
            let is_foreign = row.foreign_words.contains(&text);
            let error = if is_foreign { ForeignWord } else { UnknownWord };
            let written = [("written", text.into())];
            self.report(error, at, value, value.position, Used::No, &written);
        }
        is_known
    }

    fn wrong_text(&mut self, at: Place<'_>, value: &'n Node) -> bool {
        let first = value.entries().and_then(<[Entry]>::first);
        // `{{name}}` is a mapping whose key is a mapping.
        let is_template = !value.span.is_empty() && first.is_some_and(|entry| entry.key.starts_with('{'));
        if !(is_template && self.report(Template, at, value, value.position, Used::No, &[])) {
            self.wrong_type(ValueType::Text, at, value);
        }
        false
    }

    fn check_number(&mut self, at: Place<'_>, spec: NumberSpec, value: &'n Node) -> bool {
        let ValueKind::Scalar {
            value: Value::Number(number),
            text,
        } = &value.kind
        else {
            return self.wrong_type(ValueType::Number, at, value);
        };
        let (is_small, is_large, taken, written) = if spec.fractions {
            let number = number.as_f64().unwrap_or_default();
            let limit = |limit: Option<i64>| limit.and_then(|limit| i32::try_from(limit).ok()).map(f64::from);
            let is_small = limit(spec.least).is_some_and(|least| number <= least);
            let is_large = limit(spec.most).is_some_and(|most| number > most);
            (is_small, is_large, spec.most, Value::from(text.as_str()))
        } else {
            let exact = value.exact_number();
            let is_limited = spec.least.is_some() || spec.most.is_some();
            let Some(number) = value.whole_number().filter(|_| is_limited || !exact.is_string()) else {
                return self.wrong_type(ValueType::Number, at, value);
            };
            let is_small = spec.least.is_some_and(|least| number < i128::from(least));
            let is_large = spec.most.is_some_and(|most| number > i128::from(most));
            (is_small, is_large, Some(clamp(number, Some(spec))), exact)
        };
        let facts = [
            ("written", written),
            ("least", spec.least.into()),
            ("most", spec.most.into()),
            ("taken", taken.into()),
        ];
        let used = if is_large || spec.clamps { Used::Yes } else { Used::No };
        if is_small || is_large {
            let error = if is_small { TooSmall } else { TooLarge };
            self.report(error, at, value, value.position, used, &facts);
        }
        !is_small || spec.clamps
    }

    /// Whether all items are strings. Where no message is about a single item, only the first wrong one is reported.
    fn check_items<'i>(
        &mut self,
        at: Place<'_>,
        whole: ValueType,
        items: impl Iterator<Item = (String, &'i Node)>,
    ) -> bool {
        let mut is_right = true;
        for (name, item) in items.filter(|(_, item)| item.string().is_none()) {
            let place = Place { name: &name, ..at };
            let is_said = self.report(WrongType(ValueType::Item), place, item, item.position, Used::No, &[]);
            if is_right && !is_said {
                self.wrong_type(whole, at, item);
            }
            is_right = false;
        }
        is_right
    }

    /// Reports keys that are unknown, or that change the meaning of the hook. One of the second kind is reported alone,
    /// because the hook is not run.
    fn report_unknown_keys(&mut self, rows: &'static [DefinitionField], within: &str, entries: &[Entry]) {
        let spec = self.fields.spec;
        let is_top = self.within.is_empty() && within.is_empty();
        let is_foreign = |entry: &Entry| is_top && spec.foreign_keys.contains(&entry.key.as_str());
        let whole = Place {
            row: None,
            name: within,
        };
        if let Some(entry) = entries
            .iter()
            .find(|entry| is_foreign(entry) && !is_empty(&entry.value))
        {
            let field = [("field", entry.key.as_str().into())];
            self.report(ForeignKey, whole, &entry.value, entry.key_position, Used::No, &field);
            return;
        }
        let known: Vec<&'static str> = rows.iter().filter(|row| !row.is_note).map(|row| row.name).collect();
        for entry in entries {
            let key = entry.key.as_str();
            if spec.is_note(key) || is_foreign(entry) || rows.iter().any(|row| row.name == key) {
                continue;
            }
            let field = format!("{}{within}{key}", self.within);
            let mut mistakes = spec.known_mistakes.iter().filter(|_| is_top);
            let mistake = mistakes.find(|mistake| match mistake.keys {
                MistakenKeys::These(keys) => keys.contains(&key),
                MistakenKeys::Containing(word) => key.to_lowercase().contains(word),
            });
            if let Some(mistake) = mistake {
                let message = self.render(&mistake.template, whole, &entry.value, &[("field", field.into())]);
                self.problems.report(message, entry.key_position);
                continue;
            }
            let is_written = |name: &str| entries.iter().any(|entry| entry.key == name);
            // A field that is written too was mostly not meant.
            let near = nearest(key, known.iter().copied()).filter(|near| !is_written(near) || is_slip(key, near));
            let (error, other) = match near {
                Some(nearest) => (UnknownKeyNear, ("nearest", nearest.into())),
                None => (UnknownKey, ("known", known.join(", ").into())),
            };
            let facts = [("field", field.into()), other];
            self.report(error, whole, &entry.value, entry.key_position, Used::No, &facts);
        }
    }

    /// Reports a value of the wrong type. Returns that it cannot be used.
    fn wrong_type(&mut self, value_type: ValueType, at: Place<'_>, node: &Node) -> bool {
        self.report(WrongType(value_type), at, node, node.position, Used::No, &[]);
        false
    }

    /// Reports an error with the message of its row, or else of the schema. Returns whether there is one.
    fn report(
        &mut self,
        error: DefinitionError,
        at: Place<'_>,
        node: &Node,
        position: TextPosition,
        used: Used,
        facts: &[(&str, Value)],
    ) -> bool {
        let own = at.row.map_or(&[][..], |row| row.messages);
        let mut messages = own.iter().chain(self.fields.spec.messages);
        let Some(says) = messages.find(|says| says.error == error) else {
            return false;
        };
        let mut message = self.render(&says.template, at, node, facts);
        if error == MissingBeside {
            // The sentence may name only the other field; scripts still read which one is missing, and in which hook.
            let missing = [("field", self.shown(at)), ("type", self.fields.hook_kind().to_owned())];
            message
                .args
                .extend(missing.map(|(name, value)| (name.to_owned(), value.into())));
        }
        let warns = used == Used::Yes || at.row.is_some_and(|row| row.warns);
        match if warns { ErrorCost::Nothing } else { says.cost } {
            ErrorCost::Nothing => self.problems.warn(message, position),
            ErrorCost::Definition => self.problems.report(message, position),
            ErrorCost::File => self.problems.report_rejected(message, position),
        }
        true
    }

    /// Fills the placeholders that the template has.
    fn render(&self, template: &MessageTemplate, at: Place<'_>, node: &Node, facts: &[(&str, Value)]) -> Message {
        let kind = at.row.map(|row| row.kind);
        let mut args = Args::new();
        for name in [template.en, template.hint_en].into_iter().flat_map(placeholders) {
            let fact = facts
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.clone());
            let value = fact.or_else(|| {
                Some(match name {
                    "field" => self.shown(at).into(),
                    "found" => node.type_in(self.fields.spec.format).into(),
                    "wanted" => kind.as_ref().map_or("", wanted).into(),
                    "written" => self.written(node),
                    "type" => self.fields.hook_kind().into(),
                    "example" => at.row?.example.into(),
                    _ => return None,
                })
            });
            args.extend(value.map(|value| (name.to_owned(), value)));
        }
        template.render(args)
    }

    /// The dotted name of a value in messages.
    fn shown(&self, at: Place<'_>) -> String {
        match at.name {
            "" => self.within.trim_end_matches('.').to_owned(),
            name => format!("{}{name}", self.within),
        }
    }

    /// A value as its author wrote it.
    fn written(&self, node: &Node) -> Value {
        match &node.kind {
            ValueKind::Scalar {
                value: Value::String(text),
                ..
            } => format!("\"{text}\"").into(),
            ValueKind::Scalar { text, .. } => text.as_str().into(),
            ValueKind::List(_) | ValueKind::Mapping { .. } => match self.fields.spec.format {
                DefinitionFormat::Json => node.json_type().into(),
                DefinitionFormat::Yaml | DefinitionFormat::FrontMatter => format!("a {}", node.yaml_type()).into(),
            },
        }
    }
}

/// Whether a field decides what the mapping is: which kind of hook, or what contains the hooks.
fn decides(row: &DefinitionField) -> bool {
    row.role == DefinitionRole::Handler || row.required && matches!(row.kind, DefinitionKind::List(_))
}

/// The names between braces.
fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    template
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
}

/// What a value of this kind must be.
fn wanted(kind: &DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Text
        | DefinitionKind::Command
        | DefinitionKind::File
        | DefinitionKind::Prompt(_)
        | DefinitionKind::Pattern
        | DefinitionKind::Choice(_)
        | DefinitionKind::Event => term!("a string"),
        DefinitionKind::Flag => term!("true or false"),
        DefinitionKind::Number(_) => term!("a number of seconds"),
        DefinitionKind::Words | DefinitionKind::Tools | DefinitionKind::Events(_) => term!("an array of strings"),
        DefinitionKind::TextMap => term!("an object of strings"),
        DefinitionKind::List(_) => term!("an array"),
        DefinitionKind::AnyMap
        | DefinitionKind::Filter(_)
        | DefinitionKind::Mapping(_)
        | DefinitionKind::OpenMapping(_)
        | DefinitionKind::Hook(_)
        | DefinitionKind::ByEvent(_)
        | DefinitionKind::ByName(_) => term!("an object"),
    }
}

/// Whether a value is `false`, `""`, `[]`, `{}` or `null`. Such a value changes nothing.
fn is_empty(node: &Node) -> bool {
    match &node.kind {
        ValueKind::List(items) => items.is_empty(),
        ValueKind::Mapping { entries, .. } => entries.is_empty(),
        ValueKind::Scalar { value, text } => {
            matches!(value, Value::Null | Value::Bool(false)) || value.is_string() && text.is_empty()
        }
    }
}
