//! Finds out from literal words what a hook probably returns. It only gives hints: what the text does not show is not
//! reported.

use serde_json::Value;

use crate::jcli::events;

pub use crate::script_scan::{line_after, line_of_assignment, line_of_mention, writes};

/// The line of a command or script that contains an output as literal JSON.
#[must_use]
pub fn literal_answer(text: &str) -> Option<u32> {
    let plain = text.replace("\\\"", "\"");
    let mut objects = plain.match_indices('{');
    let (at, _) = objects.find(|(at, _)| {
        let mut stream = serde_json::Deserializer::from_str(&plain[*at..]).into_iter::<Value>();
        let known = |name: &String| ["action", "abort"].contains(&name.as_str()) || events::output_kind(name).is_some();
        matches!(stream.next(), Some(Ok(Value::Object(object))) if object.keys().any(known))
    })?;
    Some(line_after(&plain[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_json_object_with_a_known_field() {
        assert_eq!(literal_answer(r#"{"system_message": "hi"}"#), Some(1));
        assert_eq!(literal_answer("x\nprint(\"{\\\"action\\\": \\\"stop\\\"}\")"), Some(2));
        for text in ["{}", r#"{"name": "x"}"#, "{ echo; }"] {
            assert_eq!(literal_answer(text), None, "{text}");
        }
    }
}
