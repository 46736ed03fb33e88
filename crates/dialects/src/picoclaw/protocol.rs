//! The lines between Hookwright and a process: JSON-RPC 2.0, one object per line (`picoclaw.md` §5, §6).

use std::time::Duration;

use hookwright_model::{Handshake, Message, PeerCall, PeerLine, PeerProtocol, PeerRules, render};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::messages::answers;
use crate::exit_status;
use crate::json::{self, NotJson};

/// The protocol of PicoClaw's processes.
#[derive(Debug, Clone, Copy)]
pub struct PicoclawProtocol;

/// The time limits and rules for PicoClaw's processes (`picoclaw.md` §5).
pub const PEER_RULES: PeerRules = PeerRules {
    handshake_timeout: Duration::from_secs(5),
    after_cancel: None,
    back_off: true,
    long_line: Some(1 << 20),
    queue: 64,
};

/// The handshake is always the first request of a process.
const HANDSHAKE_ID: u64 = 1;

/// The method of notifications.
pub const EVENT_METHOD: &str = "hook.event";
/// The method that newer processes expect (`picoclaw.md` §12, PICO-Q8).
pub const NEWER_EVENT_METHOD: &str = "hook.runtime_event";

/// The number of characters of a line that a message shows.
const MAX_SHOWN: usize = 80;

impl PeerProtocol for PicoclawProtocol {
    fn handshake_line(&self, call: &PeerCall) -> Option<String> {
        let params = to_raw_value(&call.handshake_params).unwrap_or_default();
        Some(self.request(HANDSHAKE_ID, "hook.hello", &params))
    }

    fn parse_line(&self, line: &str) -> PeerLine {
        let object = match json::read_last_wins(line) {
            Ok((Value::Object(object), _)) => object,
            // The id shows to which request the line belongs. The error is reported when the response is read.
            Err(NotJson::Unrepresentable) => match json::read_partial(line, &["id", "method", "error"]) {
                Some(object) => object,
                None => return PeerLine::Invalid(render!(answers::LINE_NO_JSON, "line" => truncated(line))),
            },
            Ok(_) | Err(_) => {
                return PeerLine::Invalid(render!(answers::LINE_NO_JSON, "line" => truncated(line)));
            }
        };
        let id = match object.get("id") {
            Some(Value::String(id)) => {
                return PeerLine::Invalid(render!(answers::LINE_ID, "id" => truncated(id)));
            }
            Some(Value::Number(id)) => id.as_u64().unwrap_or(0),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => 0,
        };
        match id {
            // Hookwright uses no such id. A line with a method is a request of the process itself.
            0 => PeerLine::Dropped,
            _ if object.contains_key("method") => PeerLine::Dropped,
            HANDSHAKE_ID => PeerLine::Hello,
            _ if error_message(&object).is_some() => PeerLine::Refusal(id),
            _ => PeerLine::Answer(id),
        }
    }

    fn parse_handshake(&self, line: &str) -> Result<Handshake, Message> {
        if json::read_last_wins(line) == Err(NotJson::Unrepresentable) {
            return Err(exit_status::UNREPRESENTABLE.render_plain());
        }
        let object = answer_object(line).unwrap_or_default();
        if let Some(message) = error_message(&object) {
            return Err(render!(answers::HELLO_ERROR, "message" => message));
        }
        let result = object.get("result").cloned().unwrap_or_default();
        let ok = match &result {
            Value::Null => true,
            Value::Object(result) => result.get("ok") != Some(&Value::Bool(false)),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(answers::HELLO_TYPE.render_plain());
            }
        };
        let name = result.get("name").and_then(Value::as_str).unwrap_or("it").to_owned();
        let notes = (!ok).then(|| render!(answers::HELLO_NOT_OK, "name" => name));
        Ok(Handshake {
            result,
            warnings: notes.into_iter().collect(),
        })
    }

    // A method is a word of the event table, so it needs no escapes.
    fn request(&self, id: u64, method: &str, params: &RawValue) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
    }

    fn notification(&self, method: &str, params: &RawValue) -> String {
        format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
    }

    fn cancel(&self, _id: u64) -> Option<String> {
        None
    }

    fn explain_output(&self, output: &str) -> Option<Message> {
        if let Some(message) = unusable_response(output) {
            return Some(message);
        }
        let lines = output.lines().filter(|line| !line.trim().is_empty());
        let is_object = |line: &str| matches!(json::read_last_wins(line), Ok((Value::Object(_), _)));
        let other = lines
            .clone()
            .find(|line| !is_object(line))
            .or_else(|| lines.clone().next())?;
        Some(render!(answers::HELLO_OTHER, "line" => truncated(other.trim())))
    }
}

/// What keeps a response to the greeting from being one: lines, its id, or no line break at its end.
fn unusable_response(output: &str) -> Option<Message> {
    let starts = output.match_indices('{').map(|(at, _)| at);
    let mut at_lines = starts.filter(|at| output[..*at].rsplit('\n').next().unwrap_or_default().trim().is_empty());
    let (start, object, length) = at_lines.find_map(|start| {
        let mut values = serde_json::Deserializer::from_str(&output[start..]).into_iter::<Map<String, Value>>();
        let object = values.next()?.ok()?;
        Some((start, object, values.byte_offset()))
    })?;
    if output[start..start + length].contains('\n') {
        return Some(answers::HELLO_LINES.render_plain());
    }
    match object.get("id") {
        Some(Value::String(id)) => Some(render!(answers::HELLO_ID_TEXT, "id" => truncated(id))),
        Some(Value::Number(id)) if id.as_u64() == Some(HANDSHAKE_ID) => {
            let is_last = start + length == output.len() && !object.contains_key("method");
            is_last.then(|| answers::HELLO_UNFINISHED.render_plain())
        }
        Some(Value::Number(id)) => Some(render!(answers::HELLO_OTHER_ID, "id" => id.to_string())),
        _ if object.contains_key("method") => None,
        _ => Some(answers::HELLO_NO_ID.render_plain()),
    }
}

/// A response line as an object. If it cannot be represented, the object contains only its error.
#[must_use]
pub fn answer_object(line: &str) -> Option<Map<String, Value>> {
    match json::read_last_wins(line) {
        Ok((Value::Object(object), _)) => Some(object),
        Err(NotJson::Unrepresentable) => json::read_partial(line, &["error"]),
        Ok(_) | Err(_) => None,
    }
}

/// The message of an error response. `None` for any other response.
#[must_use]
pub fn error_message(object: &Map<String, Value>) -> Option<String> {
    let error = object.get("error").filter(|error| !error.is_null())?;
    let message = error.get("message").and_then(Value::as_str);
    Some(
        message
            .filter(|text| !text.is_empty())
            .map_or_else(|| error.to_string(), str::to_owned),
    )
}

fn truncated(line: &str) -> String {
    let mut text: String = line.chars().take(MAX_SHOWN).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_classified_by_its_id() {
        assert_eq!(PicoclawProtocol.parse_line(r#"{"id":1,"result":{}}"#), PeerLine::Hello);
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"id":1,"error":{"message":"no"}}"#),
            PeerLine::Hello
        );
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"id":2,"result":{}}"#),
            PeerLine::Answer(2)
        );
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"jsonrpc":"1.0","id":2}"#),
            PeerLine::Answer(2)
        );
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"id":2,"error":{"code":-1,"message":"no"}}"#),
            PeerLine::Refusal(2)
        );
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"id":2,"error":null,"result":{}}"#),
            PeerLine::Answer(2)
        );
    }

    #[test]
    fn an_unrepresentable_answer_is_still_an_answer() {
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"id":2,"result":{"n":1e400}}"#),
            PeerLine::Answer(2)
        );
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"result":{"reason":"\ud83d"},"id":3}"#),
            PeerLine::Answer(3)
        );
        let deep = format!(r#"{{"id":4,"result":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        assert_eq!(PicoclawProtocol.parse_line(&deep), PeerLine::Answer(4));
        let refused = r#"{"id":5,"error":{"message":"no"},"n":1e400}"#;
        assert_eq!(PicoclawProtocol.parse_line(refused), PeerLine::Refusal(5));
        assert_eq!(
            answer_object(refused).as_ref().and_then(error_message).as_deref(),
            Some("no")
        );
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"id":6,"method":"log","n":1e400}"#),
            PeerLine::Dropped
        );
        assert_eq!(
            PicoclawProtocol.parse_line(r#"{"id":1,"result":{"n":1e400}}"#),
            PeerLine::Hello
        );
        assert_eq!(
            PicoclawProtocol
                .parse_handshake(r#"{"id":1,"result":{"n":1e400}}"#)
                .unwrap_err()
                .code,
            "unheld_json"
        );
    }

    #[test]
    fn a_line_without_a_pending_request_is_dropped() {
        for line in [
            "{}",
            r#"{"id":0,"result":{}}"#,
            r#"{"id":null,"result":{}}"#,
            r#"{"id":-2,"result":{}}"#,
            r#"{"id":2.5,"result":{}}"#,
            r#"{"id":2,"method":"log","params":{}}"#,
            r#"{"method":"log"}"#,
        ] {
            assert_eq!(PicoclawProtocol.parse_line(line), PeerLine::Dropped, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_an_answer_is_invalid() {
        for line in ["starting…", "[]", "2", r#"{"id":"2","result":{}}"#, "{\"id\":2"] {
            assert!(
                matches!(PicoclawProtocol.parse_line(line), PeerLine::Invalid(_)),
                "{line}"
            );
        }
    }

    #[test]
    fn a_handshake_accepts_any_object_or_no_result() {
        for line in [
            r#"{"id":1,"result":{"ok":true,"name":"x"}}"#,
            r#"{"id":1,"result":{}}"#,
            r#"{"id":1,"result":null}"#,
            r#"{"id":1}"#,
            r#"{"id":1,"result":{"ok":"no"}}"#,
        ] {
            assert_eq!(PicoclawProtocol.parse_handshake(line).unwrap().warnings, [], "{line}");
        }
        let odd = PicoclawProtocol
            .parse_handshake(r#"{"id":1,"result":{"ok":false,"name":"x"}}"#)
            .unwrap();
        assert_eq!(odd.warnings[0].code, "hello_not_ok");
        for line in [
            r#"{"id":1,"error":{"code":-1,"message":"no"}}"#,
            r#"{"id":1,"result":[]}"#,
            r#"{"id":1,"result":true}"#,
        ] {
            assert!(PicoclawProtocol.parse_handshake(line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_was_read_instead_of_a_greeting_is_named() {
        for (output, case) in [
            ("{\n  \"id\": 1,\n  \"result\": {}\n}\n", "lines"),
            ("starting\n{\n  \"id\": 1\n}\n", "lines"),
            ("{\"id\":\"1\",\"result\":{}}\n", "id_text"),
            ("ready\n{\"id\":\"1\"}\n", "id_text"),
            ("{\"id\":0,\"result\":{}}\n", "other_id"),
            ("{\"result\":{}}\n", "no_id"),
            ("{\"id\":1,\"result\":{}}", "unfinished"),
            ("guard 1.0 is ready\n", "other"),
            ("{'id': 1}\n", "other"),
            ("{\"method\":\"log\"}\n", "other"),
        ] {
            let message = PicoclawProtocol.explain_output(output).unwrap();
            assert_eq!(message.args["case"], format!("pico_{case}"), "{output}");
        }
    }

    #[test]
    fn requests_are_compact_and_in_the_order_of_the_seed() {
        let params = to_raw_value(&json!({ "a": [1, 2], "b": "中" })).unwrap();
        let lines = [
            PicoclawProtocol.request(7, "hook.before_llm", &params),
            PicoclawProtocol.notifications(&[EVENT_METHOD, NEWER_EVENT_METHOD], &params),
        ];
        assert_eq!(
            lines.join("\n"),
            r#"{"jsonrpc":"2.0","id":7,"method":"hook.before_llm","params":{"a":[1,2],"b":"中"}}
{"jsonrpc":"2.0","method":"hook.event","params":{"a":[1,2],"b":"中"}}
{"jsonrpc":"2.0","method":"hook.runtime_event","params":{"a":[1,2],"b":"中"}}"#
        );
    }
}
