//! The templates of new hooks. Each dialect lists them in its file `templates.yaml`; a template is offered at the events
//! that have what it needs.
//!
//! Texts contain placeholders: `@event@`, `@output@`, `@verdict@` and `@payload@` (one line `name: {{name}}` for each text
//! field of the event's own) are filled here, those with the name of a field by the form.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hookwright_model::{
    Card, EventSpec, FieldKind, FirstValue, HookTemplate, TemplateField, TemplateKind, VerdictKind,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// One template, as the file of its dialect defines it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: TemplateKind,
    /// Only at these events; empty for no such limit.
    #[serde(default)]
    events: Vec<String>,
    /// Only at events that accept one of these outputs; the first of them fills `@output@`.
    #[serde(default)]
    outputs: Vec<String>,
    /// Only at events that accept one of these verdicts; the first of them fills `@verdict@`.
    #[serde(default)]
    verdicts: Vec<VerdictKind>,
    /// Only at events where everything that hooks return is ignored.
    #[serde(default)]
    notify_only: bool,
    fields: BTreeMap<TemplateField, String>,
    definition: Map<String, Value>,
}

/// Each dialect's templates, by its id.
static ROWS: LazyLock<BTreeMap<&'static str, Vec<Row>>> = LazyLock::new(|| {
    // A test reads each of them, and makes all templates.
    let read = |card: &'static Card| (card.id, serde_saphyr::from_str(card.templates).unwrap_or_default());
    crate::all().iter().map(|dialect| read(dialect.card())).collect()
});

/// The templates that make sense at an event, the usual one first.
#[must_use]
pub fn templates(card: &'static Card, event: &EventSpec) -> Vec<HookTemplate> {
    let rows = ROWS.get(card.id).into_iter().flatten();
    rows.filter_map(|row| row.at(event)).collect()
}

impl Row {
    fn at(&self, event: &EventSpec) -> Option<HookTemplate> {
        let is_here = self.events.is_empty() || self.events.iter().any(|name| name == event.name);
        if !is_here || (self.notify_only && !event.notify_only) {
            return None;
        }
        let accepted = |name: &&String| event.outputs.iter().any(|output| output.name == **name);
        let output = self.outputs.iter().find(accepted);
        let verdict = self.verdicts.iter().find(|verdict| event.verdicts.contains(verdict));
        if (output.is_none() && !self.outputs.is_empty()) || (verdict.is_none() && !self.verdicts.is_empty()) {
            return None;
        }
        let payload = event.fields.iter().filter(|field| field.kind == FieldKind::Text);
        let payload: Vec<_> = payload.map(|field| format!("{0}: {{{{{0}}}}}", field.name)).collect();
        let (output, verdict) = (
            output.map_or("", String::as_str),
            verdict.map_or("", |verdict| verdict.as_str()),
        );
        let fill = |text: &str| {
            text.replace("@event@", event.name)
                .replace("@output@", output)
                .replace("@verdict@", verdict)
                .replace("@payload@", &payload.join("\n"))
        };
        let is_about_tools = event.fields.iter().any(|field| field.name == "tool_name");
        let asked = self.fields.iter();
        let asked = asked.filter(|(field, _)| **field != TemplateField::Tool || is_about_tools);
        let fields = asked.map(|(field, value)| FirstValue {
            field: *field,
            value: fill(value),
        });
        let definition = filled(&Value::Object(self.definition.clone()), &fill);
        Some(HookTemplate {
            kind: self.kind,
            fields: fields.collect(),
            definition: definition.as_object().cloned().unwrap_or_default(),
        })
    }
}

/// The value with each of its texts filled.
fn filled(value: &Value, fill: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text)),
        Value::Array(items) => items.iter().map(|item| filled(item, fill)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), filled(value, fill)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
