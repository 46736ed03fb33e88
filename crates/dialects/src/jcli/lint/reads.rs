//! What a hook's text lets expect of its answers, by literal words only. It is advice: what cannot be seen is not said.

use serde_json::Value;

use crate::jcli::events;

pub use crate::reads::{assigns, mentions, writes};

/// Whether a word of a command or a line of a script is an answer spelled out as JSON.
#[must_use]
pub fn literal_answer(text: &str) -> bool {
    let plain = text.replace("\\\"", "\"");
    plain.match_indices('{').any(|(at, _)| {
        let mut stream = serde_json::Deserializer::from_str(&plain[at..]).into_iter::<Value>();
        let known = |name: &String| ["action", "abort"].contains(&name.as_str()) || events::output_kind(name).is_some();
        matches!(stream.next(), Some(Ok(Value::Object(object))) if object.keys().any(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_json_object_with_a_field_of_ours() {
        assert!(literal_answer(r#"{"system_message": "hi"}"#));
        assert!(literal_answer(r#"print("{\"action\": \"stop\"}")"#));
        assert!(!literal_answer("{}") && !literal_answer(r#"{"name": "x"}"#) && !literal_answer("{ echo; }"));
    }
}
