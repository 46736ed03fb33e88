//! Reads JSON that Hookwright itself wrote: recorded traces, and messages between its programs. A payload may have 128
//! levels (`engine.md` §9), and the JSON around it adds more. A parser refuses that depth by default.

use serde::de::DeserializeOwned;

/// Maximum depth. No trace is nested deeper. Deeper JSON is not Hookwright's, and it could overflow the stack.
const MAX_DEPTH: usize = 256;

/// Maximum depth that the parser accepts by default.
const PARSER_DEPTH: usize = 127;

/// Reads JSON that Hookwright wrote, at most 256 levels deep.
///
/// # Errors
/// The text is not valid JSON, does not have this type, or is nested too deeply.
#[expect(clippy::disallowed_methods, reason = "the depth is checked before")]
pub fn read<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    let read = serde_json::from_str(json);
    if read.is_ok() || !(PARSER_DEPTH..=MAX_DEPTH).contains(&depth(json)) {
        return read;
    }
    // The depth was checked above, so the parser cannot overflow the stack without its own limit.
    let mut parser = serde_json::Deserializer::from_str(json);
    parser.disable_recursion_limit();
    let value = T::deserialize(&mut parser)?;
    parser.end().map(|()| value)
}

/// The depth of a document: how many brackets are open at once. Brackets in strings are not counted.
#[must_use]
pub fn depth(json: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}{}", "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn a_payload_is_read_up_to_the_depth_limit() {
        for depth in [1, 127, 128, MAX_DEPTH] {
            let text = nested(depth);
            assert_eq!(read::<Value>(&text).unwrap().to_string(), text);
        }
        for depth in [MAX_DEPTH + 1, 1_000_000] {
            assert!(read::<Value>(&nested(depth)).is_err(), "{depth}");
        }
    }

    #[test]
    fn brackets_in_strings_are_no_depth() {
        assert_eq!(depth(r#" {"a": [1, "x\"]}[[[\\"], "[": {}} "#), 2);
        assert_eq!((depth(""), depth("1"), depth("]][")), (0, 0, 1));
    }

    #[test]
    fn a_deep_document_that_is_broken_stays_broken() {
        for broken in [
            format!("{}1", "[".repeat(200)),
            format!("{} 1", nested(200)),
            format!("{}}}", "[".repeat(200)),
        ] {
            assert!(read::<Value>(&broken).is_err());
        }
    }
}
