//! The JSON Schema (draft 2020-12) of a dialect's hook files, made from the dialect's table of fields. Other editors
//! complete and check hook files with it.

use hookwright_model::Card;
use hookwright_model::definition::{
    DefinitionField, DefinitionFormat, DefinitionKind, DefinitionSpec, EventSet, NumberSpec,
};
use hookwright_model::event::Bilingual;
use serde_json::{Map, Value, json};

use crate::front_matter::{self, FrontMatter};
use crate::{jsonc, yaml};

/// The language of the titles and descriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaLanguage {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// The schema of a dialect's hook files.
#[must_use]
pub fn json_schema(card: &Card, language: SchemaLanguage) -> Value {
    let writer = Writer {
        card,
        spec: card.definition,
        language,
    };
    let mut schema = Map::new();
    schema.insert(
        "$schema".to_owned(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    schema.insert("title".to_owned(), card.name.into());
    schema.insert("description".to_owned(), writer.say(card.about).into());
    schema.extend(writer.value(&card.definition.root));
    if let Some(kind) = event_value(&card.definition.root) {
        let shared = writer.nullable(writer.value(&kind));
        schema.insert("$defs".to_owned(), json!({ "event": shared }));
    }
    if card.definition.null_is_absent && card.definition.format != DefinitionFormat::FrontMatter {
        // An empty file defines no hooks; front matter must be a mapping.
        writer.allow_null(&mut schema);
    }
    Value::Object(schema)
}

/// The value that the schema describes: the file, or its front matter. `None` if the text cannot be read.
#[must_use]
pub fn read_file(format: DefinitionFormat, text: &str) -> Option<Value> {
    let root = match format {
        DefinitionFormat::Yaml => yaml::read(text).ok()?,
        DefinitionFormat::Json => jsonc::read(text).ok()?.root,
        DefinitionFormat::FrontMatter => match front_matter::split(text) {
            FrontMatter::Found { yaml, .. } => yaml::read(yaml).ok()?,
            FrontMatter::Missing | FrontMatter::Unclosed => return None,
        },
    };
    Some(root.map_or(Value::Null, |node| node.to_value()))
}

struct Writer<'a> {
    card: &'a Card,
    spec: &'static DefinitionSpec,
    language: SchemaLanguage,
}

impl Writer<'_> {
    fn say(&self, text: Bilingual) -> &'static str {
        match self.language {
            SchemaLanguage::En => text.en,
            SchemaLanguage::Zh => text.zh,
        }
    }

    fn value(&self, kind: &DefinitionKind) -> Map<String, Value> {
        let schema = match kind {
            DefinitionKind::Text | DefinitionKind::File => json!({ "type": "string" }),
            DefinitionKind::Command | DefinitionKind::Prompt(_) => json!({ "type": "string", "pattern": "\\S" }),
            // The patterns of the agents are not those of JSON Schema, so they are not checked here.
            DefinitionKind::Pattern => json!({ "type": "string" }),
            DefinitionKind::Choice(choices) => {
                let values: Vec<&str> = choices.iter().map(|choice| choice.value).collect();
                json!({ "type": "string", "enum": values })
            }
            DefinitionKind::Event => json!({ "type": "string", "enum": self.event_names() }),
            DefinitionKind::Events(set) => json!({ "type": "array", "items": { "enum": self.words(*set) } }),
            DefinitionKind::Flag => json!({ "type": "boolean" }),
            DefinitionKind::Number(number) => number_schema(*number),
            DefinitionKind::Words | DefinitionKind::Tools => json!({ "type": "array", "items": { "type": "string" } }),
            DefinitionKind::TextMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            DefinitionKind::AnyMap => json!({ "type": "object" }),
            DefinitionKind::Filter(fields) | DefinitionKind::Mapping(fields) | DefinitionKind::Hook(fields) => {
                return self.mapping(fields, false.into());
            }
            DefinitionKind::OpenMapping(fields) => return self.mapping(fields, true.into()),
            DefinitionKind::List(inner) => json!({ "type": "array", "items": self.value(inner) }),
            DefinitionKind::ByEvent(_) => return self.by_event(),
            DefinitionKind::ByName(inner) => {
                json!({ "type": "object", "additionalProperties": self.nullable(self.value(inner)) })
            }
        };
        match schema {
            Value::Object(map) => map,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
        }
    }

    /// A mapping with these keys. `others` is the schema of other keys.
    fn mapping(&self, fields: &[DefinitionField], others: Value) -> Map<String, Value> {
        let properties: Map<String, Value> = fields
            .iter()
            .map(|field| (field.name.to_owned(), Value::Object(self.field(field))))
            .collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        let always = fields.iter().filter(|field| field.required && field.only.is_none());
        let required: Vec<&str> = always.map(|field| field.name).collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        let conditional = fields.iter().filter(|field| field.only.is_some());
        let conditions: Vec<Value> = conditional.filter_map(|field| condition(fields, field)).collect();
        if !conditions.is_empty() {
            schema.insert("allOf".to_owned(), conditions.into());
        }
        self.other_keys(&mut schema, others);
        schema
    }

    /// A mapping from events to values, which are described once ([`event_value`]).
    fn by_event(&self) -> Map<String, Value> {
        let events = self.card.events.iter().map(|event| {
            let schema = json!({ "description": self.say(event.about), "$ref": "#/$defs/event" });
            (event.name.to_owned(), schema)
        });
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(events.collect()));
        self.other_keys(&mut schema, false.into());
        schema
    }

    /// Keys that are notes of the author may have any value.
    fn other_keys(&self, schema: &mut Map<String, Value>, others: Value) {
        if others == Value::Bool(false) && !self.spec.note_prefixes.is_empty() {
            let begins = self.spec.note_prefixes.iter().map(|prefix| prefix.replace('$', "\\$"));
            let pattern = format!("^({})", begins.collect::<Vec<_>>().join("|"));
            schema.insert("patternProperties".to_owned(), json!({ pattern: {} }));
        }
        if others == Value::Bool(false) {
            schema.insert("additionalProperties".to_owned(), others);
        }
    }

    fn field(&self, field: &DefinitionField) -> Map<String, Value> {
        let mut schema = Map::new();
        if !field.label.en.is_empty() {
            schema.insert("title".to_owned(), self.say(field.label).into());
        }
        let mut about = self.say(field.about).to_owned();
        if let DefinitionKind::Prompt(names) = field.kind {
            let names: Vec<String> = names.iter().map(|name| format!("`{{{{{name}}}}}`")).collect();
            about = format!("{about} {}", names.join(" "));
        }
        schema.insert("description".to_owned(), about.into());
        if let Some(default) = field.defaults.iter().find(|default| default.only.is_none()) {
            schema.insert("default".to_owned(), default.value.into());
        }
        if !field.is_note {
            schema.extend(self.value(&field.kind));
        }
        // A required field with the value `null` is missing.
        if field.may_be_null {
            self.allow_null(&mut schema);
        }
        if field.required { schema } else { self.nullable(schema) }
    }

    fn nullable(&self, mut schema: Map<String, Value>) -> Map<String, Value> {
        if self.spec.null_is_absent {
            self.allow_null(&mut schema);
        }
        schema
    }

    fn allow_null(&self, schema: &mut Map<String, Value>) {
        if let Some(Value::String(kind)) = schema.get("type") {
            let both = json!([kind, "null"]);
            schema.insert("type".to_owned(), both);
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(Value::Null);
        }
    }

    /// The events of the dialect, with their other names.
    fn event_names(&self) -> Vec<&'static str> {
        let aliases = self.card.aliases.iter().filter(|(_, event)| event.is_some());
        let names = self.card.events.iter().map(|event| event.name);
        names.chain(aliases.map(|(alias, _)| *alias)).collect()
    }

    /// The words that a list of events can contain.
    fn words(&self, set: EventSet) -> Vec<&'static str> {
        let is_of_set = |name: &str| {
            let event = self.card.event(name);
            event.is_some_and(|event| event.notify_only == set.notify_only)
        };
        let names = self.card.events.iter().map(|event| event.name);
        let aliases = self.card.aliases.iter();
        let other_names = aliases.filter_map(|(alias, event)| event.filter(|event| is_of_set(event)).map(|_| *alias));
        let mut words: Vec<&str> = set.also.to_vec();
        words.extend(names.filter(|name| is_of_set(name)));
        words.extend(other_names);
        words
    }
}

/// What the file has for each event; `None` if it has no mapping from events.
fn event_value(kind: &DefinitionKind) -> Option<DefinitionKind> {
    if let DefinitionKind::ByEvent(inner) = kind {
        return Some(**inner);
    }
    kind.fields().iter().find_map(|field| event_value(&field.kind))
}

fn number_schema(number: NumberSpec) -> Value {
    let kind = if number.fractions { "number" } else { "integer" };
    let mut schema = json!({ "type": kind });
    if let Some(least) = number.least {
        let keyword = if number.fractions {
            "exclusiveMinimum"
        } else {
            "minimum"
        };
        schema[keyword] = least.into();
    }
    if let Some(most) = number.most {
        schema["maximum"] = most.into();
    }
    schema
}

/// The condition under which a field has an effect: where it holds, a required field must exist; elsewhere the field must
/// be absent. An absent other field has its default.
fn condition(fields: &[DefinitionField], field: &DefinitionField) -> Option<Value> {
    let (other, value) = field.only?;
    let default = fields
        .iter()
        .find(|known| known.name == other)
        .and_then(|known| known.defaults.iter().find(|default| default.only.is_none()));
    let is_default = default.is_some_and(|default| Value::from(default.value) == value);
    let holds = if is_default {
        json!({ "properties": { other: { "enum": [value, null] } } })
    } else {
        let is_one = if field.also_for.is_empty() {
            json!({ "const": value })
        } else {
            let values: Vec<&str> = [&[value], field.also_for].concat();
            json!({ "enum": values })
        };
        json!({ "properties": { other: is_one }, "required": [other] })
    };
    let mut schema = json!({ "if": holds, "else": { "properties": { field.name: false } } });
    if field.required {
        schema["then"] = json!({ "required": [field.name] });
    }
    Some(schema)
}

#[cfg(test)]
#[path = "definition_schema_tests.rs"]
mod tests;
