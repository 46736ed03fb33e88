//! Reading JSON of ours: what was recorded, and what our programs say to each other. A payload may be nested 128 deep
//! (`engine.md` §9), and what stands around it comes on top, which is more than a parser takes unasked.

use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Error, Map, Value};

/// Deeper than any trace; what is nested deeper is none of ours, and would be a danger to the stack.
const DEEPEST: usize = 256;

/// Reads JSON of ours.
///
/// # Errors
/// It is no JSON, none of this type, or nested deeper than anything of ours.
pub fn read<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    match serde_json::from_str(json) {
        Err(error) if is_too_deep(&error) => match tree(json) {
            Ok(Some(value)) => T::deserialize(value),
            Ok(None) => Err(error),
            Err(other) => Err(other),
        },
        read => read,
    }
}

/// Whether that is all that is wrong.
#[must_use]
pub fn is_too_deep(error: &Error) -> bool {
    // The parser tells it apart in words only.
    error.to_string().starts_with("recursion limit")
}

/// A container that is not closed yet.
enum Open {
    List(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

/// The document as a tree, built without recursion. `None` when it is no JSON, or nested too deeply. It is for lines of
/// ours, and less strict about commas than a parser.
fn tree(json: &str) -> serde_json::Result<Option<Value>> {
    let mut open: Vec<Open> = Vec::new();
    let mut rest = json.trim_start();
    loop {
        let (token, tail) = token(rest);
        rest = tail.trim_start();
        let value = match token {
            "[" => {
                open.push(Open::List(Vec::new()));
                None
            }
            "{" => {
                open.push(Open::Object(Map::new(), None));
                None
            }
            "]" | "}" => match open.pop() {
                Some(Open::List(items)) if token == "]" => Some(Value::Array(items)),
                Some(Open::Object(map, None)) if token == "}" => Some(Value::Object(map)),
                Some(_) | None => return Ok(None),
            },
            "," | ":" => None,
            scalar => Some(serde_json::from_str(scalar)?),
        };
        if open.len() > DEEPEST {
            return Ok(None);
        }
        let Some(value) = value else { continue };
        match (open.last_mut(), value) {
            (None, value) => return Ok(rest.is_empty().then_some(value)),
            (Some(Open::List(items)), value) => items.push(value),
            (Some(Open::Object(_, key @ None)), Value::String(name)) => *key = Some(name),
            (Some(Open::Object(map, key)), value) => {
                let name = key.take().ok_or_else(|| Error::custom("a key that is no string"))?;
                map.insert(name, value);
            }
        }
    }
}

/// The first sign, word, number or string, and what stands behind it. Empty at the end, which is no scalar.
fn token(text: &str) -> (&str, &str) {
    let end = match text.bytes().next() {
        Some(b'[' | b']' | b'{' | b'}' | b',' | b':') => 1,
        Some(b'"') => string_end(text),
        Some(_) | None => text
            .find([',', ':', '[', ']', '{', '}', ' ', '\n', '\r', '\t'])
            .unwrap_or(text.len()),
    };
    text.split_at(end)
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    let inside = text.bytes().enumerate().skip(1);
    for (at, byte) in inside {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}{}", "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn what_a_payload_may_be_is_read_and_what_is_deeper_is_refused() {
        for depth in [1, 127, 128, DEEPEST] {
            let text = nested(depth);
            assert_eq!(read::<Value>(&text).unwrap().to_string(), text);
        }
        for depth in [DEEPEST + 1, 1_000_000] {
            assert!(read::<Value>(&nested(depth)).is_err(), "{depth}");
        }
    }

    #[test]
    fn the_tree_is_what_the_parser_reads() {
        let text = r#" {"a": [1, -2.5e3, true, null, "x\"]}\\", {}], "b": {"c:d": [[], ""]} , "中": false}"#;
        assert_eq!(tree(text).unwrap(), serde_json::from_str(text).unwrap());
        for broken in ["", "{", "[1", "[1}", "{\"a\" 1", "{1: 2}", "[1] x", "\"a", "nul", "]"] {
            assert!(!matches!(tree(broken), Ok(Some(_))), "{broken}");
        }
    }
}
