//! What an event was about, in one line for the user.

use std::fmt::Write as _;

use hookwright_model::trace::Trace;
use serde_json::Value;

/// At most this many characters of a value are shown.
const MAX_SHOWN: usize = 120;

/// Payload fields that name the tool, in any dialect.
const TOOL_FIELDS: [&str; 2] = ["tool_name", "tool"];
/// Payload fields that contain a call's arguments.
pub(crate) const ARGUMENT_FIELDS: [&str; 3] = ["tool_arguments", "tool_input", "arguments"];
/// Payload fields that contain a text of the user or the assistant, or else best describe what happened. The fields
/// nearest to the user come first.
const TEXT_FIELDS: [&str; 13] = [
    "user_input",
    "prompt",
    "assistant_output",
    "last_assistant_message",
    "final_message",
    "response",
    "task_description",
    "file_path",
    "new_cwd",
    "source",
    "reason",
    "stop_reason",
    "trigger",
];

/// Summarizes an event in one line: tool and arguments, else the user's or the assistant's text, else what best
/// describes the event. Control characters are made visible. A text of more than 120 characters is cut and ends in `…`.
#[must_use]
pub fn summarize(trace: &Trace) -> String {
    let text = |field: &&str| {
        let value = trace.payload_before.get(*field)?;
        value_text(value).filter(|text| !text.trim().is_empty())
    };
    if let Some(tool) = tool_name(trace) {
        return match ARGUMENT_FIELDS.iter().find_map(text) {
            Some(arguments) => format!("{} {}", one_line(tool), one_line(&main_argument(&arguments))),
            None => one_line(tool),
        };
    }
    let message = TEXT_FIELDS.iter().find_map(text);
    let message = message.or_else(|| last_message(trace)).or_else(|| text(&"model"));
    message.map(|text| one_line(&text)).unwrap_or_default()
}

/// The newest text of a conversation.
fn last_message(trace: &Trace) -> Option<String> {
    let messages = trace.payload_before.get("messages")?.as_array()?;
    let content = |message: &Value| message.get("content").and_then(Value::as_str).map(str::to_owned);
    messages
        .iter()
        .rev()
        .filter_map(content)
        .find(|text| !text.trim().is_empty())
}

/// Argument names that contain what a call of a tool is about.
const MAIN_ARGUMENT_NAMES: [&str; 7] = ["command", "cmd", "file_path", "path", "url", "query", "pattern"];

/// What a call is about: the value of its best known argument, else the arguments unchanged.
fn main_argument(arguments: &str) -> String {
    let Ok(Value::Object(map)) = serde_json::from_str(arguments) else {
        return arguments.to_owned();
    };
    let named = MAIN_ARGUMENT_NAMES
        .iter()
        .find_map(|name| map.get(*name))
        .and_then(Value::as_str);
    named.map_or_else(|| arguments.to_owned(), str::to_owned)
}

/// The tool that the event is about; `None` if its payload names none.
#[must_use]
pub fn tool_name(trace: &Trace) -> Option<&str> {
    let name = |field: &&str| trace.payload_before.get(*field).and_then(Value::as_str);
    TOOL_FIELDS.iter().find_map(name).filter(|name| !name.is_empty())
}

/// A string unchanged, the content of a message, or any other value as JSON; `None` for an empty object or list.
fn value_text(value: &Value) -> Option<String> {
    if let Some(content) = value.get("content").and_then(Value::as_str) {
        return Some(content.to_owned());
    }
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) if list.is_empty() => None,
        Value::Object(map) if map.is_empty() => None,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string()),
    }
}

fn one_line(text: &str) -> String {
    let text = text.trim();
    let mut line = String::with_capacity(text.len().min(MAX_SHOWN * 4));
    for (index, char) in text.chars().enumerate() {
        if index == MAX_SHOWN {
            line.push('…');
            break;
        }
        push_visible(char, &mut line);
    }
    line
}

/// Appends a character in visible form. C0 controls and DEL become their control pictures. Characters that are
/// invisible or change the text direction become escapes.
fn push_visible(char: char, line: &mut String) {
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
    use serde_json::json;

    #[test]
    fn control_characters_are_made_visible_in_one_line() {
        assert_eq!(one_line("a\nb\tc\u{7f}d\u{202e}e"), "a␊b␉c␡d\\u{202e}e");
        assert_eq!(one_line("  规则 \u{1b}[31m "), "规则 ␛[31m");
    }

    #[test]
    fn a_call_is_summarized_by_its_main_argument() {
        assert_eq!(main_argument(r#"{"timeout": 1, "command": "ls -l"}"#), "ls -l");
        for unchanged in [r#"{"depth": 2}"#, r#"{"command": 5}"#, "[1]", "no json"] {
            assert_eq!(main_argument(unchanged), unchanged);
        }
    }

    fn trace_with_payload(payload: Value) -> Trace {
        let mut trace = crate::samples::trace(1, "e");
        trace.payload_before = std::sync::Arc::new(payload.as_object().cloned().unwrap_or_default());
        trace
    }

    #[test]
    fn every_dialect_s_events_have_a_summary() {
        for (payload, line) in [
            (
                json!({"tool_name": "Bash", "tool_arguments": "{\"command\": \"ls\"}"}),
                "Bash ls",
            ),
            (
                json!({"tool_name": "Edit", "tool_input": {"file_path": "a.rs", "old": "x"}}),
                "Edit a.rs",
            ),
            (
                json!({"tool": "read_file", "arguments": {"path": "b.rs"}}),
                "read_file b.rs",
            ),
            (json!({"tool_name": "grep", "tool_input": {}}), "grep"),
            (json!({"prompt": "find the bug", "session_id": "s"}), "find the bug"),
            (
                json!({"response": {"role": "assistant", "content": "done"}, "model": "m"}),
                "done",
            ),
            (
                json!({"final_message": null, "stop_reason": "no_tool_calls"}),
                "no_tool_calls",
            ),
            (json!({"source": "startup"}), "startup"),
            (
                json!({"messages": [{"role": "user", "content": "hi"}, {"role": "tool", "content": ""}], "model": "m"}),
                "hi",
            ),
            (json!({"messages": [], "model": "m"}), "m"),
            (json!({"Kind": "turn_start"}), ""),
        ] {
            assert_eq!(summarize(&trace_with_payload(payload.clone())), line, "{payload}");
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
