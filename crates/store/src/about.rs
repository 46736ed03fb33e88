//! What an event was about, in one line for people.

use std::fmt::Write as _;

use hookwright_model::trace::Trace;
use serde_json::Value;

/// Characters of a value that are shown.
const SHOWN: usize = 120;

/// Tool and arguments; else the user's or the assistant's words; else the model. One line: control characters are
/// made visible, and what is longer than 120 characters ends in `…`.
#[must_use]
pub fn about(trace: &Trace) -> String {
    let text = |field: &str| {
        trace
            .payload_before
            .get(field)
            .and_then(plain)
            .filter(|text| !text.trim().is_empty())
    };
    if let Some(tool) = text("tool_name") {
        return match text("tool_arguments") {
            Some(arguments) => format!("{} {}", one_line(&tool), one_line(&gist(&arguments))),
            None => one_line(&tool),
        };
    }
    ["user_input", "assistant_output", "model"]
        .into_iter()
        .find_map(text)
        .map(|text| one_line(&text))
        .unwrap_or_default()
}

/// Names under which tools are told what a call is about.
const GIST: [&str; 6] = ["command", "file_path", "path", "url", "query", "pattern"];

/// What a call is about: the value people look for in its arguments, else the arguments as they stand.
fn gist(arguments: &str) -> String {
    let Ok(Value::Object(map)) = serde_json::from_str(arguments) else {
        return arguments.to_owned();
    };
    let named = GIST.iter().find_map(|name| map.get(*name)).and_then(Value::as_str);
    named.map_or_else(|| arguments.to_owned(), str::to_owned)
}

/// The tool that the event is about.
pub(crate) fn tool(trace: &Trace) -> Option<&str> {
    trace
        .payload_before
        .get("tool_name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())
}

/// A string as it is, anything else as JSON.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string()),
    }
}

fn one_line(text: &str) -> String {
    let text = text.trim();
    let mut line = String::with_capacity(text.len().min(SHOWN * 4));
    for (index, char) in text.chars().enumerate() {
        if index == SHOWN {
            line.push('…');
            break;
        }
        show(char, &mut line);
    }
    line
}

/// C0 and DEL as their control pictures; what is invisible or turns the text around as an escape.
fn show(char: char, line: &mut String) {
    let code = char as u32;
    let hidden = matches!(code, 0x80..=0x9f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x2069 | 0xfeff);
    match code {
        0..0x20 => line.extend(char::from_u32(0x2400 + code)),
        0x7f => line.push('\u{2421}'),
        // Writing to a string cannot fail.
        _ if hidden => drop(write!(line, "{}", char.escape_unicode())),
        _ => line.push(char),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line_and_hides_nothing() {
        assert_eq!(one_line("a\nb\tc\u{7f}d\u{202e}e"), "a␊b␉c␡d\\u{202e}e");
        assert_eq!(one_line("  规则 \u{1b}[31m "), "规则 ␛[31m");
    }

    #[test]
    fn a_call_is_told_by_what_people_look_for_in_it() {
        assert_eq!(gist(r#"{"timeout": 1, "command": "ls -l"}"#), "ls -l");
        for as_it_stands in [r#"{"depth": 2}"#, r#"{"command": 5}"#, "[1]", "no json"] {
            assert_eq!(gist(as_it_stands), as_it_stands);
        }
    }

    #[test]
    fn a_long_text_is_cut_by_characters() {
        let line = one_line(&"危".repeat(121));
        assert_eq!(line.chars().count(), 121);
        assert!(line.ends_with("危…"));
        assert_eq!(one_line(&"危".repeat(120)).chars().count(), 120);
    }
}
