//! Sends a repeated part of a trace only once. Parts equal to `payload_before` are sent over a socket as
//! `{"same_as": "payload_before"}` (`CONTRACTS.md` §3).

use std::cell::OnceCell;

use hookwright_model::python_json::to_python_json;
use hookwright_model::{Notice, render};
use serde_json::{Map, Value, json};

use crate::messages::STREAMS_CUT;

const SAME_AS: &str = "same_as";
const PAYLOAD: &str = "payload_before";
/// A side of an edit is replaced from this size on, in bytes. For a shorter one the reference would cost more.
const MIN_EDIT_BYTES: usize = 1024;
/// What is kept of each stream and each side of an edit when a trace does not fit into a line, in bytes.
const MAX_CUT_BYTES: usize = 16 * 1024;
/// A recorded stdin that was cut is replaced from this size on, in bytes.
const MIN_CUT_BYTES: usize = 4096;

/// The two ways in which agents write a payload as JSON.
#[derive(Default)]
struct PayloadTexts {
    compact: OnceCell<String>,
    spaced: OnceCell<String>,
}

impl PayloadTexts {
    fn compact(&self, payload: &Value) -> &str {
        self.compact.get_or_init(|| payload.to_string())
    }

    fn spaced(&self, payload: &Value) -> &str {
        self.spaced.get_or_init(|| to_python_json(payload))
    }
}

/// Replaces what equals `payload_before`, in a trace or in a document with `traces`.
pub fn shorten(document: &mut Value) {
    each_trace_with_payload(document, &|trace, payload| {
        let texts = PayloadTexts::default();
        if let Some(after) = trace.get_mut("payload_after").filter(|after| *after == payload) {
            *after = reference();
        }
        for step in list_of(trace, "steps") {
            for edit in list_of_value(step, "edits") {
                let field = edit.get("field").and_then(Value::as_str).unwrap_or_default();
                let Some(known) = payload.get(field).filter(|known| is_large(known)) else {
                    continue;
                };
                for side in ["before", "after"] {
                    if let Some(side) = edit.get_mut(side).filter(|side| *side == known) {
                        *side = reference();
                    }
                }
            }
            for attempt in list_of_value(step, "attempts") {
                let Some(stdin) = attempt.get_mut("stdin") else {
                    continue;
                };
                if let Some(short) = stdin.as_str().and_then(|text| stdin_reference(text, payload, &texts)) {
                    *stdin = short;
                }
            }
        }
    });
}

/// Restores what [`shorten`] replaced.
pub fn restore(document: &mut Value) {
    each_trace_with_payload(document, &|trace, payload| {
        let texts = PayloadTexts::default();
        if let Some(after) = trace.get_mut("payload_after").filter(|after| is_reference(after)) {
            *after = payload.clone();
        }
        for step in list_of(trace, "steps") {
            for edit in list_of_value(step, "edits") {
                let known = edit
                    .get("field")
                    .and_then(Value::as_str)
                    .and_then(|field| payload.get(field));
                let known = known.cloned().unwrap_or_default();
                for side in ["before", "after"] {
                    if let Some(side) = edit.get_mut(side).filter(|side| is_reference(side)) {
                        *side = known.clone();
                    }
                }
            }
            for attempt in list_of_value(step, "attempts") {
                let Some(stdin) = attempt.get_mut("stdin").filter(|stdin| is_reference(stdin)) else {
                    continue;
                };
                let text = match stdin.get("separators") {
                    Some(_) => texts.spaced(payload),
                    None => texts.compact(payload),
                };
                let bytes = stdin.get("bytes").and_then(Value::as_u64);
                let end = bytes
                    .and_then(|bytes| usize::try_from(bytes).ok())
                    .unwrap_or(text.len());
                *stdin = Value::String(text.get(..end).unwrap_or(text).to_owned());
            }
        }
    });
}

/// Cuts the streams and edits of each trace so that any trace fits into a line, and adds a notice about it.
pub fn cut_streams(document: &mut Value) {
    each_trace(document, &|trace| {
        for step in list_of(trace, "steps") {
            for edit in list_of_value(step, "edits") {
                for side in ["before", "after"] {
                    edit.get_mut(side).map(cut);
                }
            }
            for attempt in list_of_value(step, "attempts") {
                let mut was_cut = false;
                for stream in ["stdin", "stdout", "stderr"] {
                    was_cut |= attempt.get_mut(stream).is_some_and(cut);
                }
                if was_cut {
                    attempt["truncated"] = Value::Bool(true);
                }
            }
        }
        let notice = Notice::warning(render!(STREAMS_CUT, "limit" => "16 KiB"), None);
        if let Some(Value::Array(notices)) = trace.get_mut("notices") {
            notices.push(serde_json::to_value(notice).unwrap_or_default());
        }
    });
}

/// Cuts a value and returns whether anything was removed. A side of an edit that is not text is kept as the start of
/// its JSON.
fn cut(value: &mut Value) -> bool {
    let text = match value {
        Value::String(text) => std::mem::take(text),
        Value::Array(_) | Value::Object(_) if is_large(value) => value.to_string(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => return false,
    };
    let end = text.floor_char_boundary(MAX_CUT_BYTES);
    let was_cut = end < text.len();
    *value = Value::String(text[..end].to_owned());
    was_cut
}

/// The reference for a stdin that is the payload as JSON, or the start of it if the recorded stdin was cut.
fn stdin_reference(text: &str, payload: &Value, texts: &PayloadTexts) -> Option<Value> {
    let reference_if_same = |whole: &str, mut reference: Value| {
        if text == whole {
            return Some(reference);
        }
        let cut = text.len() >= MIN_CUT_BYTES && whole.starts_with(text);
        cut.then(|| {
            reference["bytes"] = json!(text.len());
            reference
        })
    };
    reference_if_same(texts.compact(payload), reference())
        .or_else(|| reference_if_same(texts.spaced(payload), json!({SAME_AS: PAYLOAD, "separators": "spaced"})))
}

fn reference() -> Value {
    json!({SAME_AS: PAYLOAD})
}

fn is_reference(value: &Value) -> bool {
    value.get(SAME_AS).and_then(Value::as_str) == Some(PAYLOAD)
}

/// Whether a value is larger than a reference to it is worth.
fn is_large(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.len() >= MIN_EDIT_BYTES,
        Value::Array(_) | Value::Object(_) => value.to_string().len() >= MIN_EDIT_BYTES,
    }
}

fn each_trace(document: &mut Value, change: &dyn Fn(&mut Map<String, Value>)) {
    let Value::Object(object) = document else { return };
    if object.contains_key(PAYLOAD) && object.contains_key("steps") {
        change(object);
    }
    for trace in list_of(object, "traces") {
        each_trace(trace, change);
    }
}

/// Gives each trace with its payload, which is taken out of the trace meanwhile and so needs no copy.
fn each_trace_with_payload(document: &mut Value, change: &dyn Fn(&mut Map<String, Value>, &Value)) {
    each_trace(document, &|trace| {
        let payload = trace.get_mut(PAYLOAD).map(Value::take).unwrap_or_default();
        change(trace, &payload);
        // The key keeps its position.
        trace.insert(PAYLOAD.to_owned(), payload);
    });
}

fn list_of<'v>(object: &'v mut Map<String, Value>, key: &str) -> impl Iterator<Item = &'v mut Value> {
    let list = object.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn list_of_value<'v>(value: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    let list = value.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(payload: &Value, stdin: &str) -> Value {
        json!({
            "payload_before": payload, "payload_after": payload,
            "steps": [{
                "edits": [{"field": "text", "before": payload["text"], "after": "short"}],
                "attempts": [{"stdin": stdin, "stdout": "{}"}],
            }],
        })
    }

    #[test]
    fn what_equals_the_payload_is_sent_once_and_restored_unchanged() {
        let payload = json!({"text": "é".repeat(40_000), "n": [1, 2]});
        let (compact, python) = (payload.to_string(), to_python_json(&payload));
        let cut = &compact[..60_001];
        for stdin in [compact.as_str(), &python, cut, &python[..50_000], "something else"] {
            let whole = trace(&payload, stdin);
            for document in [
                whole.clone(),
                json!({"traces": [whole.clone(), whole], "llm_calls": []}),
            ] {
                let mut sent = document.clone();
                shorten(&mut sent);
                assert!(sent.to_string().len() * 2 < document.to_string().len());
                restore(&mut sent);
                assert_eq!(sent, document);
            }
        }
    }

    #[test]
    fn a_small_trace_refers_to_its_payload_too_but_not_in_its_edits() {
        let payload = json!({"text": "hi"});
        let mut sent = trace(&payload, "{\"text\":\"hi\"}");
        shorten(&mut sent);
        assert_eq!(sent["payload_after"], reference());
        assert_eq!(sent["steps"][0]["attempts"][0]["stdin"], reference());
        assert_eq!(sent["steps"][0]["edits"][0]["before"], "hi");
    }
}
