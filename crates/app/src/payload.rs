//! Payloads: their limits, their text form, and the common fields (`engine.md` §1).

use std::path::Path;

use hookwright_dialects::json;
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
    /// Keys that occurred twice in one object, in the order of the text. The last value is used.
    pub duplicate_keys: Vec<String>,
}

impl From<Payload> for ParsedPayload {
    fn from(fields: Payload) -> Self {
        Self {
            fields,
            duplicate_keys: Vec::new(),
        }
    }
}

/// The message about keys that a payload has twice; `None` if it has none.
#[must_use]
pub fn duplicate_keys_message(keys: &[String]) -> Option<Message> {
    let mut distinct = keys.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let key = keys.first()?.as_str();
    Some(match distinct.len() {
        1 => render!(DUPLICATE_KEY, "key" => key),
        count => render!(DUPLICATE_KEYS, "count" => count, "key" => key),
    })
}

/// Reads the parameters of a command. If the payload has a key twice, it is passed on as text, so that its event
/// reports the key.
///
/// # Errors
/// They are nested too deep, or are not JSON that a [`Value`] can represent.
pub fn read_params(text: &str) -> serde_json::Result<Value> {
    const PAYLOAD: &str = "payload";
    let Exact(mut params) = json_depth::read(text)?;
    if let Some(Value::Object(_)) = params.get(PAYLOAD)
        && let Some(payload) = json::raw_value(text, PAYLOAD)
        && json::read_payload(payload).is_ok_and(|(_, twice)| !twice.is_empty())
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
    match json::read_payload(text) {
        Ok((Value::Object(fields), duplicate_keys)) => {
            check_payload_depth(&fields)?;
            Ok(ParsedPayload { fields, duplicate_keys })
        }
        // Too much nesting is reported first, whatever other errors the text has.
        Err(_) if json_depth::depth(text) > MAX_PAYLOAD_DEPTH => Err(too_deep()),
        Ok((other, _)) => Err(render!(PAYLOAD_NOT_OBJECT, "why" => json_kind(&other)).into()),
        Err(error) => Err(render!(PAYLOAD_NOT_OBJECT, "why" => error.to_string()).into()),
    }
}

/// Reads the payload of a report from text: any JSON of at most 16 MiB, which need not be an object. Returns it with the
/// keys that occur twice in one object.
///
/// # Errors
/// The text is too large, nested too deep, or has a text that no program can represent.
pub(crate) fn reported_payload(text: &str) -> Result<(Value, Vec<String>), Fault> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(too_large(text.len()));
    }
    match json::read_payload(text) {
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
