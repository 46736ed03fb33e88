//! Compares the input of a call with the one that the hooks made of it (`engine.md` §14, F25). Agents replace the whole input,
//! so a field that a hook left out is gone.

use std::borrow::Cow;

use hookwright_model::event::OutputKind;
use hookwright_model::trace::FieldEdit;
use hookwright_model::{Card, EventSpec, Notice, Payload, VerdictKind, render};
use serde_json::{Map, Value};

use crate::chain::Finished;
use crate::messages;

/// The warning that the call runs without some fields of the input that the agent sent, at the hook that changed it last.
pub(crate) fn warn_dropped_fields(
    card: &Card,
    spec: &EventSpec,
    sent: &Payload,
    finished: &Finished,
) -> Option<Notice> {
    let kind = finished.resolution.verdict.kind;
    // A blocked call has no input. One that the user is asked about has.
    if kind.blocks() && kind != VerdictKind::Ask {
        return None;
    }
    // Nothing is read of a call that no hook changed.
    let changes = |edits: &[FieldEdit]| edits.iter().any(|edit| edit.field == card.call_input);
    let step = finished.steps.iter().rfind(|step| changes(&step.edits))?;
    let new = finished.resolution.payload.get(card.call_input)?;
    let gone = dropped_fields(sent.get(card.call_input)?, new);
    if gone.is_empty() {
        return None;
    }
    let output = spec.outputs.iter().find_map(|output| match output.effect {
        OutputKind::Replace if output.name == card.call_input => Some(output.name.to_owned()),
        OutputKind::ReplaceField(field) if field == card.call_input => Some(output.name.to_owned()),
        OutputKind::ReplaceParts => Some(format!("{}.{}", output.name, card.call_input)),
        OutputKind::Replace | OutputKind::ReplaceField(_) | OutputKind::Add(_) | OutputKind::Control => None,
    })?;
    let message = render!(messages::FIELDS_DROPPED, "output" => output, "fields" => gone.join(", "));
    Some(Notice::warning(message, Some(&step.hook)))
}

/// The fields that only the input as it was sent has. An input is an object, or an object as JSON text.
fn dropped_fields(sent: &Value, new: &Value) -> Vec<String> {
    let (Some(sent), Some(new)) = (object(sent), object(new)) else {
        return Vec::new();
    };
    let gone = sent.keys().filter(|name| !new.contains_key(*name));
    gone.map(|name| format!("`{name}`")).collect()
}

fn object(value: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    match value {
        Value::Object(object) => Some(Cow::Borrowed(object)),
        Value::String(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_that_a_new_input_lacks_are_named() {
        let sent = json!({ "command": "ls", "timeout": 5 });
        let gone = |new: Value| dropped_fields(&sent, &new);
        assert_eq!(gone(json!({ "timeout": 5 })), ["`command`"]);
        assert_eq!(gone(json!({})), ["`command`", "`timeout`"]);
        assert_eq!(gone(json!({ "command": "", "timeout": null, "more": 1 })), [""; 0]);
        assert_eq!(gone(json!("{\"command\": 1}")), ["`timeout`"]);
        assert_eq!(gone(json!("text")), [""; 0]);
    }
}
