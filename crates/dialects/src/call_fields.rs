//! Compares the input of a call with the one that a hook gives instead (`engine.md` §14, F25). Agents replace the whole
//! input, so that a field which the hook left out is gone.

use hookwright_model::{Decoded, EventSpec, Message, Payload, render};
use serde_json::Value;

hookwright_model::messages! {
    /// A new input of a call without some of its fields.
    FIELDS_DROPPED = "fields_dropped" { "`{output}` replaces the whole input of the call, and these fields are gone: {fields}", "`{output}` 会替换调用的全部输入，以下字段已丢失：{fields}" } hint { "copy the input from stdin and change only what you want to change", "复制 stdin 中的输入，只修改需要修改的部分" };
}

/// Adds the warning to an answer that replaces the input of a call: `output` is its field, `input` that of the payload.
#[must_use]
pub fn with_dropped_fields(
    decoded: Decoded,
    event: &EventSpec,
    payload: &Payload,
    output: &'static str,
    input: &str,
) -> Decoded {
    let Decoded::Answer(mut answer) = decoded else {
        return decoded;
    };
    let new = answer.fields.iter().find(|(name, _)| name == output);
    // A blocked call has no input.
    let goes_on = answer.decision.as_ref().is_none_or(|decision| !decision.kind.blocks());
    if let Some((_, new)) = new.filter(|_| goes_on && event.output(output).is_some()) {
        let warning = dropped_fields_warning(output, payload.get(input), new);
        answer.warnings.extend(warning);
    }
    Decoded::Answer(answer)
}

/// The warning that the new input of a call lacks fields of the present one. An input may be an object, or an object as
/// JSON text.
#[must_use]
pub fn dropped_fields_warning(output: &str, present: Option<&Value>, new: &Value) -> Option<Message> {
    let (present, new) = (object(present?)?, object(new)?);
    let gone: Vec<String> = present
        .keys()
        .filter(|name| !new.contains_key(*name))
        .map(|name| format!("`{name}`"))
        .collect();
    let fields = gone.join(", ");
    (!gone.is_empty()).then(|| render!(FIELDS_DROPPED, "output" => output, "fields" => fields))
}

fn object(value: &Value) -> Option<std::borrow::Cow<'_, crate::json::JsonObject>> {
    use std::borrow::Cow;
    match value {
        Value::Object(object) => Some(Cow::Borrowed(object)),
        Value::String(text) => match crate::json::read_last_wins(text) {
            Ok((Value::Object(object), _)) => Some(Cow::Owned(object)),
            Ok(_) | Err(_) => None,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_that_a_new_input_lacks_are_named() {
        let present = json!({ "command": "ls", "timeout": 5 });
        let warn = |new: Value| dropped_fields_warning("updatedInput", Some(&present), &new);
        assert_eq!(warn(json!({ "timeout": 5 })).unwrap().args["fields"], "`command`");
        assert_eq!(warn(json!({})).unwrap().args["fields"], "`command`, `timeout`");
        assert_eq!(warn(json!({ "command": "", "timeout": null, "more": 1 })), None);
        assert_eq!(warn(json!("{\"command\": 1}")).unwrap().args["fields"], "`timeout`");
        assert_eq!(warn(json!("text")), None);
        assert_eq!(dropped_fields_warning("updatedInput", None, &json!({})), None);
    }
}
