//! Payloads: their limits, their text form, and the common fields (`engine.md` §1).

use std::path::Path;

use hookwright_model::json_size::json_size;
use hookwright_model::{Dialect, EventDefaults, EventSpec, Message, Payload, args, json_depth, term};

use crate::app::App;
use crate::fault::{Fault, PAYLOAD_NOT_OBJECT, PAYLOAD_REFUSED, PAYLOAD_TOO_DEEP, PAYLOAD_TOO_LARGE};

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

/// Reads a payload from text: one JSON object of at most 16 MiB (`engine.md` §1).
///
/// # Errors
/// The text is too large, nested too deep, not JSON, or not an object.
pub fn parse_payload(text: &[u8]) -> Result<Payload, Fault> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(too_large(text.len()));
    }
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let text = std::str::from_utf8(text)
        .map_err(|error| Fault::from(PAYLOAD_NOT_OBJECT.render(args! { "why" => error.to_string() })))?;
    match json_depth::read(text) {
        Ok(serde_json::Value::Object(payload)) => check_payload_depth(&payload).map(|()| payload),
        // Too much nesting is reported first, whatever other errors the text has.
        Err(_) if json_depth::depth(text) > MAX_PAYLOAD_DEPTH => Err(too_deep()),
        Ok(other) => Err(PAYLOAD_NOT_OBJECT.render(args! { "why" => json_kind(&other) }).into()),
        Err(error) => Err(PAYLOAD_NOT_OBJECT.render(args! { "why" => error.to_string() }).into()),
    }
}

/// Reads the payload of a report from text: any JSON of at most 16 MiB, which need not be an object.
///
/// # Errors
/// The text is too large, nested too deep, or has a number or a text that no program can represent.
pub(crate) fn reported_payload(text: &str) -> Result<serde_json::Value, Fault> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(too_large(text.len()));
    }
    match json_depth::read(text) {
        Ok(payload) => Ok(payload),
        Err(_) if json_depth::depth(text) > MAX_PAYLOAD_DEPTH => Err(too_deep()),
        Err(error) => Err(PAYLOAD_NOT_OBJECT.render(args! { "why" => error.to_string() }).into()),
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
    PAYLOAD_TOO_DEEP.render(args! { "limit" => MAX_PAYLOAD_DEPTH }).into()
}

/// Whether a value has at most `depth` levels of nesting.
fn is_nested_within(value: &serde_json::Value, depth: usize) -> bool {
    match value {
        serde_json::Value::Array(items) => depth > 0 && items.iter().all(|item| is_nested_within(item, depth - 1)),
        serde_json::Value::Object(map) => depth > 0 && map.values().all(|item| is_nested_within(item, depth - 1)),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => true,
    }
}

fn json_kind(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => term!("it is null"),
        serde_json::Value::Bool(_) => term!("it is a boolean"),
        serde_json::Value::Number(_) => term!("it is a number"),
        serde_json::Value::String(_) => term!("it is a string"),
        serde_json::Value::Array(_) => term!("it is an array"),
        serde_json::Value::Object(_) => term!("it is an object"),
    }
}

fn payload_refused(message: Message) -> Fault {
    let args = args! { "why" => message.text.as_str(), "why_message" => message.to_args() };
    let mut fault: Fault = PAYLOAD_REFUSED.render(args).into();
    // A dialect that knows better what to do says so.
    fault.hint = message.hint.or(fault.hint);
    fault
}
