//! Finds the JSON objects in a text that is not one JSON document.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// At most this many places are tried, so that a long log costs little.
const MAX_CANDIDATES: usize = 64;

/// The objects of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FoundObjects {
    /// The complete objects, in order.
    pub complete: Vec<Range<usize>>,
    /// Where an object begins that the text ends inside of; only if no complete object comes before it.
    pub cut_off: Option<usize>,
}

/// Finds the objects that are not inside of other values.
#[must_use]
pub fn find(text: &str) -> FoundObjects {
    let mut found = FoundObjects::default();
    let mut at = 0;
    for start in object_starts(text).take(MAX_CANDIDATES) {
        if start < at {
            continue;
        }
        match read_one(&text[start..]) {
            Ok(length) => {
                at = start + length;
                found.complete.push(start..at);
            }
            Err(error) if error.is_eof() && found.complete.is_empty() => {
                found.cut_off = Some(start);
                break;
            }
            Err(_) => {}
        }
    }
    found
}

/// The length of the object with which a text begins.
fn read_one(text: &str) -> serde_json::Result<usize> {
    let mut values = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => Ok(values.byte_offset()),
        Some(Err(error)) => Err(error),
        None => Ok(0),
    }
}

/// The places where an object seems to begin: `{` and then `"` or `}`, with spaces allowed between them.
fn object_starts(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices('{')
        .map(|(at, _)| at)
        .filter(|at| text[at + 1..].trim_start().starts_with(['"', '}']))
}

/// Whether a line begins with `{` and then `"`, with spaces allowed before each. Such a text is a broken output, and not
/// plain text.
#[must_use]
pub fn looks_like_object(text: &str) -> bool {
    object_starts(text).any(|at| {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        before.trim().is_empty() && text[at + 1..].trim_start().starts_with('"')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_between_other_text() {
        let text = "hi {there} {\"a\": {\"b\": 1}}\n{} end";
        let found = find(text);
        let texts: Vec<&str> = found.complete.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(texts, ["{\"a\": {\"b\": 1}}", "{}"]);
    }

    #[test]
    fn an_object_inside_a_cut_one_is_not_taken_for_the_output() {
        let found = find("log\n{\"a\": {\"b\": 1}, ");
        assert_eq!((found.complete.len(), found.cut_off), (0, Some(4)));
    }

    #[test]
    fn a_broken_output_is_told_from_plain_text() {
        for text in ["{\"a\"", "hi\n  { \"a\": 1", "\n\n{\n\"a\""] {
            assert!(looks_like_object(text), "{text}");
        }
        for text in ["{}", "a {\"b\": 1}", "{ a: 1 }", ""] {
            assert!(!looks_like_object(text), "{text}");
        }
    }
}
