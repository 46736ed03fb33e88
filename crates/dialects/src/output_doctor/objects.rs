//! Finds the JSON objects in a text that is not one JSON document.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::clean_text::CleanText;

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

/// What JavaScript makes of an object as text.
pub const OBJECT_AS_TEXT: &str = "[object Object]";

/// Whether a text is a broken output, and not plain text: it has the beginning of an object, or an object as
/// JavaScript writes it in a text.
#[must_use]
pub fn looks_like_object(text: &str) -> bool {
    text.contains(OBJECT_AS_TEXT) || meant_object(&CleanText::new(text).text).is_some()
}

/// Where an object was meant to begin: a line that begins with `{` and then a key. Before the `{` may be spaces, or one
/// word and a space.
#[must_use]
pub fn meant_object(text: &str) -> Option<usize> {
    let is_at_line = |at: &usize| {
        let before = text[..*at].rsplit('\n').next().unwrap_or_default().trim_start();
        before.is_empty() || (before.ends_with(char::is_whitespace) && !before.trim_end().contains(char::is_whitespace))
    };
    key_starts(text).find(is_at_line)
}

/// The places where `{` is followed by a key, however it is written.
pub fn key_starts(text: &str) -> impl Iterator<Item = usize> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    starts.filter(|at| begins_with_key(text[at + 1..].trim_start()))
}

/// Whether a text begins with a quote, or with a name and a colon.
fn begins_with_key(text: &str) -> bool {
    let name = text.trim_start_matches(|sign: char| sign.is_alphanumeric() || "_$-".contains(sign));
    text.starts_with(['"', '\'']) || (name.len() < text.len() && name.trim_start().starts_with(':'))
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
        for text in [
            "{\"a\"",
            "hi\n  { \"a\": 1",
            "\n\n{\n\"a\"",
            "a {\"b\": 1}",
            "{ a: 1 }",
            "{'a': 1}",
            "\u{1b}[32m{\"a\": 1",
            "{\0\"\0a\0\"\0:\0",
            "[object Object]",
            "out: [object Object]",
        ] {
            assert!(looks_like_object(text), "{text}");
        }
        for text in [
            "{}",
            "formatted 2 {\"b\": 1}",
            "{ a }",
            "{a, b: 1}",
            "2 files formatted {ok}",
            "body{ color: red }",
            "",
        ] {
            assert!(!looks_like_object(text), "{text}");
        }
    }
}
