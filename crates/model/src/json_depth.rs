//! Reading JSON of ours: what was recorded, and what our programs say to each other. A payload may be nested 128 deep
//! (`engine.md` §9), and what stands around it comes on top, which is more than a parser takes unasked.

use serde::de::DeserializeOwned;

/// Deeper than any trace; what is nested deeper is none of ours, and would be a danger to the stack.
const MAX_DEPTH: usize = 256;

/// Deeper than that a parser refuses unasked.
const PARSER_DEPTH: usize = 127;

/// Reads JSON of ours.
///
/// # Errors
/// It is no JSON, none of this type, or nested deeper than anything of ours.
pub fn read<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    let read = serde_json::from_str(json);
    if read.is_ok() || !(PARSER_DEPTH..=MAX_DEPTH).contains(&depth(json)) {
        return read;
    }
    // No deeper than a stack holds with ease.
    let mut parser = serde_json::Deserializer::from_str(json);
    parser.disable_recursion_limit();
    let value = T::deserialize(&mut parser)?;
    parser.end().map(|()| value)
}

/// How deep a document is nested: how many brackets are open at once, those in strings apart.
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
    fn what_a_payload_may_be_is_read_and_what_is_deeper_is_refused() {
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
