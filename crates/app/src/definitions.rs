//! The schemas of hook files: for the window, and as JSON Schema for other editors.

use std::collections::BTreeMap;

pub use hookwright_dialects::definition_schema::SchemaLanguage;
use hookwright_dialects::definition_schema::json_schema;
use hookwright_dialects::lookup::find_dialect;
use hookwright_model::definition::{DefinitionDefault, DefinitionField, DefinitionKind};
use hookwright_model::{Bilingual, Card};
use serde_json::Value;

use crate::app::App;
use crate::dto::{
    ChoiceInfo, DefaultInfo, DefinitionFieldInfo, DefinitionInfo, DefinitionsDoc, Empty, FieldCondition, ValueForm,
    ValueInfo,
};
use crate::fault::Fault;

/// The command `definitions`: the schema of each dialect's hook files.
///
/// # Errors
/// Never.
pub async fn definitions(_app: &App, _: Empty) -> Result<DefinitionsDoc, Fault> {
    let cards = hookwright_dialects::all().iter().map(|dialect| dialect.card());
    Ok(DefinitionsDoc {
        definitions: cards.map(definition_info).collect(),
    })
}

/// The JSON Schema of a dialect's hook files, for other editors.
///
/// # Errors
/// The dialect is unknown.
pub fn definition_schema(dialect: &str, language: SchemaLanguage) -> Result<Value, Fault> {
    Ok(json_schema(find_dialect(dialect)?.card(), language))
}

/// The JSON Schemas of all dialects in both languages, by file name.
#[must_use]
pub fn definition_schemas() -> BTreeMap<String, Value> {
    let languages = [("", SchemaLanguage::En), (".zh-CN", SchemaLanguage::Zh)];
    let cards = hookwright_dialects::all().iter().map(|dialect| dialect.card());
    cards
        .flat_map(|card| {
            languages.map(|(ending, language)| (format!("{}{ending}.json", card.id), json_schema(card, language)))
        })
        .collect()
}

fn definition_info(card: &'static Card) -> DefinitionInfo {
    let spec = card.definition;
    DefinitionInfo {
        dialect: card.id.to_owned(),
        format: spec.format,
        root: value_info(card, &spec.root),
        outside: spec.outside.iter().map(|field| field_info(card, field)).collect(),
    }
}

fn field_info(card: &Card, field: &DefinitionField) -> DefinitionFieldInfo {
    let default = |default: &DefinitionDefault| DefaultInfo {
        value: default.value.into(),
        only: default.only.map(field_condition),
    };
    // A form shows a field of several kinds of hooks with every kind.
    let is_of_one_kind = field.also_for.is_empty();
    DefinitionFieldInfo {
        name: field.name.to_owned(),
        label: field.label.into(),
        about: field.about.into(),
        required: field.required && is_of_one_kind,
        only: field.only.filter(|_| is_of_one_kind).map(field_condition),
        defaults: field.defaults.iter().map(default).collect(),
        role: field.role,
        value: value_info(card, &field.kind),
    }
}

fn field_condition((field, value): (&str, &str)) -> FieldCondition {
    FieldCondition {
        field: field.to_owned(),
        value: value.to_owned(),
    }
}

fn value_info(card: &Card, kind: &DefinitionKind) -> ValueInfo {
    let mut info = ValueInfo {
        form: form_of(kind),
        choices: Vec::new(),
        placeholders: Vec::new(),
        fields: kind.fields().iter().map(|field| field_info(card, field)).collect(),
        open: matches!(kind, DefinitionKind::OpenMapping(_)),
        inner: None,
        unit: None,
        least: None,
        most: None,
        fractions: false,
    };
    match kind {
        DefinitionKind::Choice(choices) => {
            let choice = |value: &str, label: Bilingual| ChoiceInfo {
                value: value.to_owned(),
                label: label.into(),
            };
            info.choices = choices.iter().map(|it| choice(it.value, it.label)).collect();
        }
        DefinitionKind::Event => info.choices = event_choices(card, |_| true),
        DefinitionKind::Events(set) => {
            info.choices = event_choices(card, |notify_only| notify_only == set.notify_only);
        }
        DefinitionKind::Prompt(names) => info.placeholders = names.iter().map(|&name| name.to_owned()).collect(),
        DefinitionKind::Number(number) => {
            (info.unit, info.least, info.most) = (number.unit, number.least, number.most);
            info.fractions = number.fractions;
        }
        DefinitionKind::List(inner) | DefinitionKind::ByName(inner) => {
            info.inner = Some(Box::new(value_info(card, inner)));
        }
        DefinitionKind::ByEvent(inner) => {
            info.choices = event_choices(card, |_| true);
            info.inner = Some(Box::new(value_info(card, inner)));
        }
        DefinitionKind::Text
        | DefinitionKind::Command
        | DefinitionKind::File
        | DefinitionKind::Pattern
        | DefinitionKind::Flag
        | DefinitionKind::Words
        | DefinitionKind::Tools
        | DefinitionKind::TextMap
        | DefinitionKind::AnyMap
        | DefinitionKind::Filter(_)
        | DefinitionKind::Mapping(_)
        | DefinitionKind::OpenMapping(_)
        | DefinitionKind::Hook(_) => {}
    }
    info
}

/// The events of a dialect, with what the event table says about them.
fn event_choices(card: &Card, is_wanted: impl Fn(bool) -> bool) -> Vec<ChoiceInfo> {
    let events = card.events.iter().filter(|event| is_wanted(event.notify_only));
    events
        .map(|event| ChoiceInfo {
            value: event.name.to_owned(),
            label: event.about.into(),
        })
        .collect()
}

const fn form_of(kind: &DefinitionKind) -> ValueForm {
    match kind {
        DefinitionKind::Text => ValueForm::Text,
        DefinitionKind::Command => ValueForm::Command,
        DefinitionKind::File => ValueForm::File,
        DefinitionKind::Prompt(_) => ValueForm::Prompt,
        DefinitionKind::Pattern => ValueForm::Pattern,
        DefinitionKind::Choice(_) => ValueForm::Choice,
        DefinitionKind::Event => ValueForm::Event,
        DefinitionKind::Events(_) => ValueForm::Events,
        DefinitionKind::Flag => ValueForm::Flag,
        DefinitionKind::Number(_) => ValueForm::Number,
        DefinitionKind::Words => ValueForm::Words,
        DefinitionKind::Tools => ValueForm::Tools,
        DefinitionKind::TextMap => ValueForm::TextMap,
        DefinitionKind::AnyMap => ValueForm::AnyMap,
        DefinitionKind::Filter(_) => ValueForm::Filter,
        DefinitionKind::Mapping(_) | DefinitionKind::OpenMapping(_) => ValueForm::Mapping,
        DefinitionKind::Hook(_) => ValueForm::Hook,
        DefinitionKind::List(_) => ValueForm::List,
        DefinitionKind::ByEvent(_) => ValueForm::ByEvent,
        DefinitionKind::ByName(_) => ValueForm::ByName,
    }
}
