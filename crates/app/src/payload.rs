//! Payloads: their limits, their text form, and the common fields (`engine.md` §1).

use std::borrow::Cow;
use std::path::Path;

use hookwright_dialects::json::{self, Differences};
use hookwright_model::exact_json::Exact;
use hookwright_model::json_size::json_size;
use hookwright_model::{Dialect, EventDefaults, EventSpec, Message, Payload, args, json_depth, render, term};
use serde_json::Value;

use crate::app::App;
use crate::dto::GivenPayload;
use crate::fault::{Fault, PAYLOAD_NOT_OBJECT, PAYLOAD_REFUSED, PAYLOAD_TOO_DEEP, PAYLOAD_TOO_LARGE};

hookwright_model::messages! {
    /// The payload has a key twice (`CONTRACTS.md` §2.5).
    DUPLICATE_KEY = "duplicate_key" / "payload" { "the payload has the key `{key}` twice; hooks get the last value", "载荷中的键 `{key}` 出现两次；Hook 收到最后一个值" };
    /// The text of the payload has halves of surrogate pairs, which no text of Unicode has.
    HALF_CHARACTERS = "half_characters" { "the payload has incomplete characters ({count}); hooks get U+FFFD for each", "载荷中有 {count} 个不完整的字符；Hook 收到的是 U+FFFD" };
    /// Keys of the payload are those that our JSON library keeps for itself.
    RESERVED_KEYS = "reserved_keys" { "the payload has keys that begin with `$serde_json::private::` ({count}); hooks get each with U+FFFD before it", "载荷中有 {count} 个键以 `$serde_json::private::` 开头；Hook 收到的键前加有 U+FFFD" };
    /// The payload has several keys twice.
    DUPLICATE_KEYS = "duplicate_key" / "payload_keys" { "the payload has {count} keys twice, `{key}` among them; hooks get the last value of each", "载荷中有 {count} 个键重复，例如 `{key}`；Hook 收到每个键的最后一个值" };
}

/// Maximum size of a payload in bytes, as it is written in the request.
pub const MAX_PAYLOAD_BYTES: usize = 16 << 20;

/// Maximum nesting depth of a payload, with the payload itself as one level (`engine.md` §9).
const MAX_PAYLOAD_DEPTH: usize = 128;

/// Step 1 of an event (`engine.md` §1): fills in the common fields and refuses contradictions.
///
/// # Errors
/// The payload contradicts the event.
pub fn accept(
    app: &App,
    dialect: &dyn Dialect,
    spec: &EventSpec,
    mut payload: Payload,
    session: Option<&str>,
    project: &Path,
) -> Result<Payload, Fault> {
    let defaults = EventDefaults {
        session_id: session.unwrap_or_default().to_owned(),
        cwd: project.to_owned(),
        now: app.workspace.now(),
    };
    dialect.accept(spec, &mut payload, &defaults).map_err(payload_refused)?;
    Ok(payload)
}

impl GivenPayload {
    /// Reads the payload and checks its limits.
    ///
    /// # Errors
    /// The payload is too large, nested too deep, not JSON, or not an object.
    pub fn read(self) -> Result<ParsedPayload, Fault> {
        match self {
            Self::Fields(payload) => {
                check_payload_limits(&payload)?;
                Ok(payload.into())
            }
            Self::Text(text) => parse_payload(text.as_bytes()),
        }
    }
}

/// A payload, and what its text had besides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedPayload {
    /// The payload.
    pub fields: Payload,
    /// In what it differs from its text.
    pub notices: Vec<Message>,
}

impl From<Payload> for ParsedPayload {
    fn from(fields: Payload) -> Self {
        Self {
            fields,
            notices: Vec::new(),
        }
    }
}

/// Reads JSON as a payload. Returns it with the messages about what it does not have as its text has it: of a key that
/// occurs twice in one object the last value, and a whole character for each half of one.
fn read_json(text: &str) -> serde_json::Result<(Value, Vec<Message>)> {
    let (text, halves) = whole_characters(text);
    let (value, Differences { twice, reserved }) = json::read_payload(&text)?;
    let halves = (halves > 0).then(|| render!(HALF_CHARACTERS, "count" => halves));
    let reserved = (reserved > 0).then(|| render!(RESERVED_KEYS, "count" => reserved));
    let messages = [duplicate_keys_message(&twice), halves, reserved];
    Ok((value, messages.into_iter().flatten().collect()))
}

/// JSON with the replacement character in place of each half of a surrogate pair, and how many there were. Agents in
/// JavaScript write a half where a text is cut, and no guard may be missed for it. The length stays the same.
fn whole_characters(json: &str) -> (Cow<'_, str>, usize) {
    const ESCAPE_BYTES: usize = r"\uXXXX".len();
    const REPLACEMENT: &str = r"\ufffd";
    let escaped = |at: usize| {
        let escape = json.get(at..at + ESCAPE_BYTES)?;
        u16::from_str_radix(escape.strip_prefix(r"\u")?, 16).ok()
    };
    let (mut whole, mut copied, mut count, mut at) = (String::new(), 0, 0, 0);
    // A backslash begins an escape: outside of texts JSON has none.
    while let Some(next) = json[at..].find('\\') {
        at += next;
        match escaped(at) {
            Some(0xD800..0xDC00) if matches!(escaped(at + ESCAPE_BYTES), Some(0xDC00..0xE000)) => {
                at += 2 * ESCAPE_BYTES;
            }
            Some(0xD800..0xE000) => {
                whole.push_str(&json[copied..at]);
                whole.push_str(REPLACEMENT);
                at += ESCAPE_BYTES;
                copied = at;
                count += 1;
            }
            // What follows the backslash may have several bytes, if this is no JSON.
            _ => at += 1 + json[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    if count == 0 {
        return (Cow::Borrowed(json), 0);
    }
    whole.push_str(&json[copied..]);
    (Cow::Owned(whole), count)
}

/// The message about keys that a payload has twice; `None` if it has none.
fn duplicate_keys_message(keys: &[String]) -> Option<Message> {
    let mut distinct = keys.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let key = keys.first()?.as_str();
    Some(match distinct.len() {
        1 => render!(DUPLICATE_KEY, "key" => key),
        count => render!(DUPLICATE_KEYS, "count" => count, "key" => key),
    })
}

/// Reads the parameters of a command. A payload that differs from its text is passed on as text, so that its event says
/// in what.
///
/// # Errors
/// They are nested too deep, or are not JSON that a [`Value`] can represent.
pub fn read_params(text: &str) -> serde_json::Result<Value> {
    const PAYLOAD: &str = "payload";
    let Exact(mut params) = json_depth::read(&whole_characters(text).0)?;
    if let Some(Value::Object(_)) = params.get(PAYLOAD)
        && let Some(payload) = json::raw_value(text, PAYLOAD)
        && read_json(payload).is_ok_and(|(_, notices)| !notices.is_empty())
    {
        params[PAYLOAD] = payload.into();
    }
    Ok(params)
}

/// Reads a payload from text: one JSON object of at most 16 MiB (`engine.md` §1). Numbers keep their text.
///
/// # Errors
/// The text is too large, nested too deep, not JSON, or not an object.
pub fn parse_payload(text: &[u8]) -> Result<ParsedPayload, Fault> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(too_large(text.len()));
    }
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let text = std::str::from_utf8(text)
        .map_err(|error| Fault::from(render!(PAYLOAD_NOT_OBJECT, "why" => error.to_string())))?;
    match read_json(text) {
        Ok((Value::Object(fields), notices)) => {
            check_payload_depth(&fields)?;
            Ok(ParsedPayload { fields, notices })
        }
        // Too much nesting is reported first, whatever other errors the text has.
        Err(_) if json_depth::depth(text) > MAX_PAYLOAD_DEPTH => Err(too_deep()),
        Ok((other, _)) => Err(render!(PAYLOAD_NOT_OBJECT, "why" => json_kind(&other)).into()),
        Err(error) => Err(render!(PAYLOAD_NOT_OBJECT, "why" => error.to_string()).into()),
    }
}

/// Reads the payload of a report from text: any JSON of at most 16 MiB, which need not be an object. Returns it with
/// the messages about what it does not have as its text has it.
///
/// # Errors
/// The text is too large or nested too deep.
pub(crate) fn reported_payload(text: &str) -> Result<(Value, Vec<Message>), Fault> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(too_large(text.len()));
    }
    match read_json(text) {
        Ok(payload) => Ok(payload),
        Err(_) if json_depth::depth(text) > MAX_PAYLOAD_DEPTH => Err(too_deep()),
        Err(error) => Err(render!(PAYLOAD_NOT_OBJECT, "why" => error.to_string()).into()),
    }
}

/// Checks the limits of [`parse_payload`] for a payload that is a part of a request.
///
/// # Errors
/// The payload is too large or nested too deep.
pub fn check_payload_limits(payload: &Payload) -> Result<(), Fault> {
    check_payload_depth(payload)?;
    let bytes = json_size(payload);
    if bytes > MAX_PAYLOAD_BYTES {
        return Err(too_large(bytes));
    }
    Ok(())
}

fn check_payload_depth(payload: &Payload) -> Result<(), Fault> {
    if payload
        .values()
        .all(|value| is_nested_within(value, MAX_PAYLOAD_DEPTH - 1))
    {
        Ok(())
    } else {
        Err(too_deep())
    }
}

fn too_large(bytes: usize) -> Fault {
    let args = args! { "bytes" => bytes, "limit" => MAX_PAYLOAD_BYTES };
    PAYLOAD_TOO_LARGE.render(args).into()
}

fn too_deep() -> Fault {
    render!(PAYLOAD_TOO_DEEP, "limit" => MAX_PAYLOAD_DEPTH).into()
}

/// Whether a value has at most `depth` levels of nesting.
fn is_nested_within(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| is_nested_within(item, depth - 1)),
        Value::Object(map) => depth > 0 && map.values().all(|item| is_nested_within(item, depth - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => term!("it is null"),
        Value::Bool(_) => term!("it is a boolean"),
        Value::Number(_) => term!("it is a number"),
        Value::String(_) => term!("it is a string"),
        Value::Array(_) => term!("it is an array"),
        Value::Object(_) => term!("it is an object"),
    }
}

fn payload_refused(message: Message) -> Fault {
    let args = args! { "why" => message.text.as_str(), "why_message" => message.to_args() };
    let mut fault: Fault = PAYLOAD_REFUSED.render(args).into();
    // A dialect that knows better what to do says so.
    fault.hint = message.hint.or(fault.hint);
    fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_costs_no_payload() {
        for (text, whole, count) in [
            (r#"{"a": "rm \ud83d"}"#, r#"{"a": "rm \ufffd"}"#, 1),
            (r#"{"a": "\uDC00\ud83d"}"#, r#"{"a": "\ufffd\ufffd"}"#, 2),
            (
                r#"{"a": "\ud83d\ude00", "\ud83dx": 1}"#,
                r#"{"a": "\ud83d\ude00", "\ufffdx": 1}"#,
                1,
            ),
            (r#"{"a": "\ud83d\ud83d\ude00"}"#, r#"{"a": "\ufffd\ud83d\ude00"}"#, 1),
            (r#"{"a": "\\ud83d"}"#, r#"{"a": "\\ud83d"}"#, 0),
            (r#"{"a": "\u00e9\n"}"#, r#"{"a": "\u00e9\n"}"#, 0),
        ] {
            assert_eq!(whole_characters(text), (Cow::Borrowed(whole), count), "{text}");
            let parsed = parse_payload(text.as_bytes()).unwrap();
            let codes: Vec<_> = parsed.notices.iter().map(|message| message.code).collect();
            assert_eq!(codes, vec!["half_characters"; count.min(1)], "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_still_refused() {
        for text in ["{\"a\": \"\\u\"}", "{\"a\": \"\\ud83\"}", "\\", "{\"a\\", "\\é\\ud83dé"] {
            assert!(parse_payload(text.as_bytes()).is_err(), "{text}");
        }
    }
}
