//! Values as Python source. Every value is written so that Python reads exactly the same value.

use std::fmt::Write;

use serde_json::Value;

/// A Python expression with this value. Numbers, lists and objects are read from JSON by the `json` module.
#[must_use]
pub(super) fn expression(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => string(text),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => format!("json.loads({})", string(&value.to_string())),
    }
}

/// A string literal on one line. Letters, digits and the usual ASCII characters stay readable; all others are escaped,
/// so that none can hide or change what the line says.
#[must_use]
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(character),
            _ if character.is_alphanumeric() => out.push(character),
            _ => {
                // Writing into a String cannot fail.
                let _ = write!(out, "\\U{:08x}", u32::from(character));
            }
        }
    }
    out.push('"');
    out
}

/// A tuple of strings.
#[must_use]
pub(super) fn tuple(parts: &[String]) -> String {
    let parts: String = parts.iter().map(|part| string(part) + ", ").collect();
    format!("({})", parts.trim_end())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_stays_on_one_line_and_hides_nothing() {
        assert_eq!(
            string("a\"b\\c\nd\u{202e}é中\0"),
            r#""a\"b\\c\nd\U0000202eé中\U00000000""#
        );
    }

    #[test]
    fn other_values_are_read_from_json() {
        assert_eq!(expression(&json!(true)), "True");
        assert_eq!(expression(&json!(null)), "None");
        assert_eq!(expression(&json!({"a": ["\""]})), r#"json.loads("{\"a\":[\"\\\"\"]}")"#);
    }

    #[test]
    fn a_tuple_of_one_or_none_is_still_a_tuple() {
        assert_eq!(tuple(&[]), "()");
        assert_eq!(tuple(&["a".to_owned()]), r#"("a",)"#);
    }
}
