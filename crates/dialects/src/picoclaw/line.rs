//! The lines between us and a process: JSON-RPC 2.0, one object a line (`picoclaw.md` §5, §6).

use std::time::Duration;

use hookwright_model::{Handshake, Message, PeerCall, PeerLine, PeerProtocol, PeerRules, args};
use serde_json::{Map, Value, json};

use super::messages::answers as say;
use crate::ended;
use crate::json::{self, NotJson};

/// How PicoClaw's processes are spoken to.
#[derive(Debug, Clone, Copy)]
pub struct Line;

/// Time limits and manners of PicoClaw's processes (`picoclaw.md` §5).
pub const RULES: PeerRules = PeerRules {
    greeting: Duration::from_secs(5),
    after_cancel: None,
    back_off: true,
    long_line: Some(1 << 20),
    queue: 64,
};

/// The greeting is always the first request of a process.
const GREETING_ID: u64 = 1;

/// The name that notifications go under.
const EVENT: &str = "hook.event";
/// The name that newer processes want (`picoclaw.md` §12, PICO-Q8).
const NEWER_EVENT: &str = "hook.runtime_event";

/// Characters of a line that a sentence shows.
const SHOWN: usize = 80;

impl PeerProtocol for Line {
    fn handshake_line(&self, call: &PeerCall) -> Option<String> {
        Some(request(GREETING_ID, "hook.hello", &call.greeting))
    }

    fn parse_line(&self, line: &str) -> PeerLine {
        let object = match json::read_last(line) {
            Ok((Value::Object(object), _)) => object,
            // Whose answer it is can be seen; that it is a spoilt one is found when it is read.
            Err(NotJson::Unheld) => match json::glimpse(line, &["id", "method", "error"]) {
                Some(object) => object,
                None => return PeerLine::Invalid(say::LINE_NO_JSON.render(args! { "line" => shown(line) })),
            },
            Ok(_) | Err(_) => return PeerLine::Invalid(say::LINE_NO_JSON.render(args! { "line" => shown(line) })),
        };
        let id = match object.get("id") {
            Some(Value::String(id)) => return PeerLine::Invalid(say::LINE_ID.render(args! { "id" => shown(id) })),
            Some(Value::Number(id)) => id.as_u64().unwrap_or(0),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => 0,
        };
        match id {
            // Nothing of ours has such an id; and what has a method is a request of its own.
            0 => PeerLine::Dropped,
            _ if object.contains_key("method") => PeerLine::Dropped,
            GREETING_ID => PeerLine::Hello,
            _ if error(&object).is_some() => PeerLine::Refusal(id),
            _ => PeerLine::Answer(id),
        }
    }

    fn parse_handshake(&self, line: &str) -> Result<Handshake, Message> {
        if json::read_last(line) == Err(NotJson::Unheld) {
            return Err(ended::UNHELD.render_plain());
        }
        let object = object(line).unwrap_or_default();
        if let Some(message) = error(&object) {
            return Err(say::HELLO_ERROR.render(args! { "message" => message }));
        }
        let told = object.get("result").cloned().unwrap_or_default();
        let ok = match &told {
            Value::Null => true,
            Value::Object(told) => told.get("ok") != Some(&Value::Bool(false)),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(say::HELLO_TYPE.render_plain());
            }
        };
        let name = told.get("name").and_then(Value::as_str).unwrap_or("it").to_owned();
        let notes = (!ok).then(|| say::HELLO_NOT_OK.render(args! { "name" => name }));
        Ok(Handshake {
            told,
            notes: notes.into_iter().collect(),
        })
    }

    fn request(&self, id: u64, message: &Value) -> String {
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        request(id, method, message.get("params").unwrap_or(&Value::Null))
    }

    fn cancel(&self, _id: u64) -> Option<String> {
        None
    }
}

/// What a request says, without its id.
#[must_use]
pub fn message(method: &str, params: Map<String, Value>) -> Value {
    json!({ "method": method, "params": params })
}

/// A notification has no id.
#[must_use]
pub fn notification(params: &Map<String, Value>) -> String {
    json!({ "jsonrpc": "2.0", "method": EVENT, "params": params }).to_string()
}

/// The same notification as newer processes want it.
#[must_use]
pub fn under_newer_name(line: &str) -> String {
    // The method stands before all that the payload holds.
    line.replacen(EVENT, NEWER_EVENT, 1)
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// An answer line as an object; where it cannot be held, what it says of an error.
#[must_use]
pub fn object(line: &str) -> Option<Map<String, Value>> {
    match json::read_last(line) {
        Ok((Value::Object(object), _)) => Some(object),
        Err(NotJson::Unheld) => json::glimpse(line, &["error"]),
        Ok(_) | Err(_) => None,
    }
}

/// The message of an error, when the answer is one.
#[must_use]
pub fn error(object: &Map<String, Value>) -> Option<String> {
    let error = object.get("error").filter(|error| !error.is_null())?;
    let message = error.get("message").and_then(Value::as_str);
    Some(
        message
            .filter(|text| !text.is_empty())
            .map_or_else(|| error.to_string(), str::to_owned),
    )
}

fn shown(line: &str) -> String {
    let mut text: String = line.chars().take(SHOWN).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_by_its_id() {
        assert_eq!(Line.parse_line(r#"{"id":1,"result":{}}"#), PeerLine::Hello);
        assert_eq!(Line.parse_line(r#"{"id":1,"error":{"message":"no"}}"#), PeerLine::Hello);
        assert_eq!(Line.parse_line(r#"{"id":2,"result":{}}"#), PeerLine::Answer(2));
        assert_eq!(Line.parse_line(r#"{"jsonrpc":"1.0","id":2}"#), PeerLine::Answer(2));
        assert_eq!(
            Line.parse_line(r#"{"id":2,"error":{"code":-1,"message":"no"}}"#),
            PeerLine::Refusal(2)
        );
        assert_eq!(
            Line.parse_line(r#"{"id":2,"error":null,"result":{}}"#),
            PeerLine::Answer(2)
        );
    }

    #[test]
    fn an_answer_that_cannot_be_held_is_an_answer_all_the_same() {
        assert_eq!(Line.parse_line(r#"{"id":2,"result":{"n":1e400}}"#), PeerLine::Answer(2));
        assert_eq!(
            Line.parse_line(r#"{"result":{"reason":"\ud83d"},"id":3}"#),
            PeerLine::Answer(3)
        );
        let deep = format!(r#"{{"id":4,"result":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        assert_eq!(Line.parse_line(&deep), PeerLine::Answer(4));
        let refused = r#"{"id":5,"error":{"message":"no"},"n":1e400}"#;
        assert_eq!(Line.parse_line(refused), PeerLine::Refusal(5));
        assert_eq!(object(refused).as_ref().and_then(error).as_deref(), Some("no"));
        assert_eq!(
            Line.parse_line(r#"{"id":6,"method":"log","n":1e400}"#),
            PeerLine::Dropped
        );
        assert_eq!(Line.parse_line(r#"{"id":1,"result":{"n":1e400}}"#), PeerLine::Hello);
        assert_eq!(
            Line.parse_handshake(r#"{"id":1,"result":{"n":1e400}}"#)
                .unwrap_err()
                .code,
            "unheld_json"
        );
    }

    #[test]
    fn what_nobody_asked_for_is_dropped() {
        for line in [
            "{}",
            r#"{"id":0,"result":{}}"#,
            r#"{"id":null,"result":{}}"#,
            r#"{"id":-2,"result":{}}"#,
            r#"{"id":2.5,"result":{}}"#,
            r#"{"id":2,"method":"log","params":{}}"#,
            r#"{"method":"log"}"#,
        ] {
            assert_eq!(Line.parse_line(line), PeerLine::Dropped, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_an_answer_is_noise() {
        for line in ["starting…", "[]", "2", r#"{"id":"2","result":{}}"#, "{\"id\":2"] {
            assert!(matches!(Line.parse_line(line), PeerLine::Invalid(_)), "{line}");
        }
    }

    #[test]
    fn a_greeting_is_answered_by_any_object_or_nothing() {
        for line in [
            r#"{"id":1,"result":{"ok":true,"name":"x"}}"#,
            r#"{"id":1,"result":{}}"#,
            r#"{"id":1,"result":null}"#,
            r#"{"id":1}"#,
            r#"{"id":1,"result":{"ok":"no"}}"#,
        ] {
            assert_eq!(Line.parse_handshake(line).unwrap().notes, [], "{line}");
        }
        let odd = Line
            .parse_handshake(r#"{"id":1,"result":{"ok":false,"name":"x"}}"#)
            .unwrap();
        assert_eq!(odd.notes[0].code, "hello_not_ok");
        for line in [
            r#"{"id":1,"error":{"code":-1,"message":"no"}}"#,
            r#"{"id":1,"result":[]}"#,
            r#"{"id":1,"result":true}"#,
        ] {
            assert!(Line.parse_handshake(line).is_err(), "{line}");
        }
    }

    #[test]
    fn requests_are_compact_and_in_the_order_of_the_seed() {
        let params = json!({ "a": [1, 2], "b": "中" });
        let Value::Object(params) = params else { unreachable!() };
        assert_eq!(
            Line.request(7, &message("hook.before_llm", params.clone())),
            r#"{"jsonrpc":"2.0","id":7,"method":"hook.before_llm","params":{"a":[1,2],"b":"中"}}"#
        );
        assert_eq!(
            notification(&params),
            r#"{"jsonrpc":"2.0","method":"hook.event","params":{"a":[1,2],"b":"中"}}"#
        );
        assert_eq!(
            under_newer_name(&notification(&params)),
            r#"{"jsonrpc":"2.0","method":"hook.runtime_event","params":{"a":[1,2],"b":"中"}}"#
        );
    }
}
