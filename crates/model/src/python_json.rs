//! JSON as Python writes it by default: a space after each separator, ASCII only (`agent-hooks.md` §5).

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::io::{self, Write};

/// Writes a value in one line: `{"a": 1, "b": "caf\u00e9"}`.
#[must_use]
pub fn to_python_json<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, PythonFormatter);
    // Writing a value into memory cannot fail.
    drop(value.serialize(&mut serializer));
    String::from_utf8(out).unwrap_or_default()
}

struct PythonFormatter;

impl Formatter for PythonFormatter {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut units = [0; 2];
        let mut rest = fragment;
        while let Some(at) = rest.find(|sign: char| !sign.is_ascii()) {
            let (plain, odd) = rest.split_at(at);
            CompactFormatter.write_string_fragment(writer, plain)?;
            let mut signs = odd.chars();
            let Some(sign) = signs.next() else { break };
            for unit in sign.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = signs.as_str();
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_follow_separators_and_everything_beyond_ascii_is_escaped() {
        let value = serde_json::json!({"event_type": "before_tool", "tool_input": {"path": "café.py", "n": [1, 2.5, null]}, "e": "😀\n\u{7f}"});
        assert_eq!(
            to_python_json(&value),
            "{\"event_type\": \"before_tool\", \"tool_input\": {\"path\": \"caf\\u00e9.py\", \"n\": [1, 2.5, null]}, \"e\": \"\\ud83d\\ude00\\n\x7f\"}"
        );
        assert_eq!(
            to_python_json(&serde_json::json!({"a": [], "b": {}})),
            r#"{"a": [], "b": {}}"#
        );
    }
}
