//! The field that identifies a recorded event, so that a guard can compare it.

use hookwright_model::{Card, EventSpec, Payload};
use serde_json::Value;

/// The keys of a tool's input that say what a call does, the most telling first.
const INPUT_KEYS: [&str; 10] = [
    "command",
    "cmd",
    "script",
    "code",
    "file_path",
    "path",
    "url",
    "uri",
    "query",
    "pattern",
];

/// Payload fields that say what an event is about, the most telling first.
const FIELDS: [&str; 17] = [
    "user_input",
    "prompt",
    "assistant_output",
    "response",
    "tool_result",
    "tool_error",
    "error",
    "last_assistant_message",
    "final_message",
    "task_description",
    "messages",
    "custom_instructions",
    "stop_reason",
    "agent_type",
    "exit_reason",
    "model",
    "system_prompt",
];

/// The field and its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    /// The names on the way to the field.
    pub path: Vec<String>,
    pub value: Value,
}

impl Subject {
    /// The most telling field of a payload; `None` if the payload has no value that differs from event to event.
    pub fn find(card: &Card, input: &str, event: &EventSpec, payload: &Payload) -> Option<Self> {
        if event.fields.iter().any(|field| field.name == input)
            && let Some(found) = payload.get(input)
        {
            return Some(Self::in_input(input, found));
        }
        let is_own = |name: &&&str| event.fields.iter().any(|field| field.name == **name);
        let known = FIELDS.iter().filter(is_own).copied();
        let others = event
            .fields
            .iter()
            .map(|field| field.name)
            .filter(|name| *name != card.tool_field && !name.ends_with("_id"));
        let mut fields = known.chain(others).filter_map(|name| Some((name, payload.get(name)?)));
        let (name, value) = fields.find(|(_, value)| !is_empty(value))?;
        Some(Self {
            path: vec![name.to_owned()],
            value: value.clone(),
        })
    }

    fn in_input(input: &str, found: &Value) -> Self {
        let read = match found {
            Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => found.clone(),
        };
        let text = |key: &&str| read.get(key).filter(|value| value.is_string() && !is_empty(value));
        match INPUT_KEYS.iter().find_map(|key| Some((key, text(key)?))) {
            Some((key, value)) => Self {
                path: vec![input.to_owned(), (*key).to_owned()],
                value: value.clone(),
            },
            None => Self {
                path: vec![input.to_owned()],
                value: found.clone(),
            },
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
