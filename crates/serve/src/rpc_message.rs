//! JSON-RPC 2.0 messages in both directions, one per line.

use hookwright_app::fault::REPLY_TOO_LONG;
use hookwright_app::{Fault, Push};
use hookwright_model::{Args, args, json_depth};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::lines::MAX_LINE_BYTES;
use crate::messages::{BY_NAME, NO_BATCH, NOT_A_REQUEST, NOT_JSON};
use crate::same_as;

/// JSON-RPC number for a line that is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON-RPC number for JSON that is not a request.
pub const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC number for parameters of the wrong form.
const INVALID_PARAMS: i32 = -32602;

/// What an engine responds to `ping`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PingReply {
    /// The process id of the engine.
    pub pid: u32,
    /// The version of the engine's program, such as `0.1.0`.
    pub version: String,
}

impl PingReply {
    /// The response of this process.
    #[must_use]
    pub fn this_process() -> Self {
        Self {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// A request, or a notification, which has no `id` and gets no response.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The id that the response repeats; `None` for a notification.
    pub id: Option<Value>,
    pub method: String,
    /// `null` when absent.
    pub params: Value,
}

/// Why a line cannot be served, with the id for the error response.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// The id if it could be read, otherwise `null`.
    pub id: Value,
    /// The JSON-RPC error number.
    pub number: i32,
    pub fault: Fault,
}

/// Reads a line that a client sent.
pub fn read_request(line: &str) -> Result<Request, RpcError> {
    let error_without_id = |number, fault| RpcError {
        id: Value::Null,
        number,
        fault,
    };
    let value: Value = json_depth::read(line).map_err(|error| {
        error_without_id(
            PARSE_ERROR,
            NOT_JSON.render(args! { "why" => error.to_string() }).into(),
        )
    })?;
    let mut object = match value {
        Value::Object(object) => object,
        Value::Array(_) => return Err(error_without_id(INVALID_REQUEST, NO_BATCH.render_plain().into())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(error_without_id(INVALID_REQUEST, not_a_request("it is no object")));
        }
    };
    let id = object.shift_remove("id");
    let readable = id
        .clone()
        .filter(|id| id.is_string() || id.is_number())
        .unwrap_or(Value::Null);
    let error_with_id = |number, fault| RpcError {
        id: readable.clone(),
        number,
        fault,
    };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(error_with_id(
            INVALID_REQUEST,
            not_a_request("`jsonrpc` is not \"2.0\""),
        ));
    }
    if id
        .as_ref()
        .is_some_and(|id| !(id.is_string() || id.is_number() || id.is_null()))
    {
        return Err(error_with_id(
            INVALID_REQUEST,
            not_a_request("`id` is neither a string nor a number"),
        ));
    }
    let Some(Value::String(method)) = object.shift_remove("method") else {
        return Err(error_with_id(INVALID_REQUEST, not_a_request("`method` is no string")));
    };
    let params = object.shift_remove("params").unwrap_or(Value::Null);
    if !(params.is_object() || params.is_null()) {
        return Err(error_with_id(INVALID_PARAMS, BY_NAME.render_plain().into()));
    }
    Ok(Request { id, method, params })
}

fn not_a_request(why: &str) -> Fault {
    NOT_A_REQUEST.render(args! { "why" => why }).into()
}

#[derive(Serialize)]
struct ResponseLine<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: &'a Value,
}

impl ResponseLine<'_> {
    fn line(id: &Value, result: &Value) -> String {
        let answer = ResponseLine {
            jsonrpc: "2.0",
            id,
            result,
        };
        // Keys are strings and writing into memory cannot fail.
        serde_json::to_string(&answer).unwrap_or_default()
    }
}

/// The line of a response. If a trace is too long for one line, its streams and edits are cut, and a notice of the
/// trace reports it.
pub fn answer(id: &Value, result: Result<Value, Fault>) -> String {
    let mut result = match result {
        Ok(result) => result,
        Err(fault) => return error(id, fault.rpc_code(), &fault),
    };
    same_as::shorten(&mut result);
    let mut line = ResponseLine::line(id, &result);
    if line.len() > MAX_LINE_BYTES {
        same_as::cut_streams(&mut result);
        line = ResponseLine::line(id, &result);
    }
    if line.len() <= MAX_LINE_BYTES {
        return line;
    }
    let fault: Fault = REPLY_TOO_LONG
        .render(args! { "bytes" => line.len(), "limit" => MAX_LINE_BYTES })
        .into();
    error(id, fault.rpc_code(), &fault)
}

/// The line of an error response.
pub fn error(id: &Value, number: i32, fault: &Fault) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": number, "message": fault.message, "data": fault}}).to_string()
}

/// The line of a push.
pub fn push(push: &Push) -> String {
    json!({"jsonrpc": "2.0", "method": "push", "params": push}).to_string()
}

/// The line of a request.
pub fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A message from an engine.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineMessage {
    /// The response to one of this client's requests, by its id.
    Response(u64, Result<Value, Fault>),
    Push(Push),
    /// A message of a later version, or an error that belongs to no request.
    Other,
}

/// Reads a line that an engine sent.
pub fn read_engine_message(line: &str) -> EngineMessage {
    let Ok(Value::Object(mut object)) = json_depth::read(line) else {
        return EngineMessage::Other;
    };
    if object.get("method").and_then(Value::as_str) == Some("push") {
        let push = object
            .shift_remove("params")
            .and_then(|push| serde_json::from_value(push).ok());
        return push.map_or(EngineMessage::Other, EngineMessage::Push);
    }
    let Some(id) = object.get("id").and_then(Value::as_u64) else {
        return EngineMessage::Other;
    };
    if let Some(mut result) = object.shift_remove("result") {
        same_as::restore(&mut result);
        return EngineMessage::Response(id, Ok(result));
    }
    object.shift_remove("error").map_or(EngineMessage::Other, |error| {
        EngineMessage::Response(id, Err(fault_of(error)))
    })
}

/// The fault inside an error, or a fault made from its message when there is none.
fn fault_of(mut error: Value) -> Fault {
    let message = error
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let data = error.get_mut("data").map(Value::take);
    data.and_then(|data| serde_json::from_value(data).ok())
        .unwrap_or(Fault {
            code: "unknown_error".to_owned(),
            message,
            args: Args::new(),
            hint: None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(line: &str) -> (Value, i32, String) {
        let error = read_request(line).unwrap_err();
        (error.id, error.number, error.fault.code)
    }

    #[test]
    fn a_request_is_read_with_and_without_parameters() {
        let request = read_request(r#"{"jsonrpc":"2.0","id":7,"method":"state","params":{"project":"/p"}}"#).unwrap();
        assert_eq!((request.id, request.method.as_str()), (Some(json!(7)), "state"));
        assert_eq!(request.params, json!({"project": "/p"}));
        let notification = read_request(r#"{"jsonrpc":"2.0","method":"hooks.refresh"}"#).unwrap();
        assert_eq!((notification.id, notification.params), (None, Value::Null));
    }

    #[test]
    fn garbage_is_refused_under_the_id_that_could_be_read() {
        assert_eq!(error_of("{"), (Value::Null, PARSE_ERROR, "not_json".to_owned()));
        assert_eq!(
            error_of("7"),
            (Value::Null, INVALID_REQUEST, "not_a_request".to_owned())
        );
        assert_eq!(error_of("[]"), (Value::Null, INVALID_REQUEST, "no_batch".to_owned()));
        assert_eq!(
            error_of(r#"{"id":"a","method":"x"}"#),
            (json!("a"), INVALID_REQUEST, "not_a_request".to_owned())
        );
        assert_eq!(
            error_of(r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#),
            (Value::Null, INVALID_REQUEST, "not_a_request".to_owned())
        );
        assert_eq!(
            error_of(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            (json!(1), INVALID_REQUEST, "not_a_request".to_owned())
        );
        assert_eq!(
            error_of(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#),
            (json!(1), INVALID_PARAMS, "by_name".to_owned())
        );
    }

    #[test]
    fn endless_nesting_is_refused_and_not_read() {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}}}}}"#,
            "[".repeat(100_000)
        );
        assert_eq!(error_of(&line).1, PARSE_ERROR);
    }

    #[test]
    fn a_payload_of_the_greatest_allowed_depth_passes_in_both_directions() {
        let payload = json_depth::read::<Value>(&format!("{}1{}", "[".repeat(128), "]".repeat(128))).unwrap();
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"payload": payload}}).to_string();
        assert_eq!(read_request(&line).unwrap().params["payload"], payload);
        let trace = json!({"payload_before": {"a": payload}});
        let read = read_engine_message(&answer(&json!(3), Ok(trace.clone())));
        assert_eq!(read, EngineMessage::Response(3, Ok(trace)));
    }

    #[test]
    fn a_fault_reaches_the_client_unchanged() {
        let fault: Fault = NOT_A_REQUEST.render(args! { "why" => "it is no object" }).into();
        let read = read_engine_message(&answer(&json!(3), Err(fault.clone())));
        assert_eq!(read, EngineMessage::Response(3, Err(fault)));
    }

    #[test]
    fn an_answer_over_the_limit_says_so_instead() {
        let long = answer(&json!(3), Ok(json!("x".repeat(MAX_LINE_BYTES))));
        let EngineMessage::Response(3, Err(fault)) = read_engine_message(&long) else {
            panic!("{}", &long[..200])
        };
        assert_eq!(fault.code, "reply_too_long");
    }

    #[test]
    fn a_trace_of_the_largest_payload_and_many_long_streams_is_answered() {
        let stream = "\u{1}".repeat(1 << 20);
        let attempts =
            |_| json!({"attempts": [{"stdin": stream, "stdout": stream, "stderr": stream, "truncated": false}]});
        let steps: Vec<Value> = (0..8).map(attempts).collect();
        let payload = json!({"text": "x".repeat(16 << 20)});
        let trace = json!({"payload_before": payload, "payload_after": payload, "notices": [], "steps": steps});
        let line = answer(&json!(3), Ok(trace));
        assert!(line.len() <= MAX_LINE_BYTES);
        let EngineMessage::Response(3, Ok(read)) = read_engine_message(&line) else {
            panic!("{}", &line[..200])
        };
        assert_eq!(read["payload_after"], payload);
        assert_eq!(read["steps"][7]["attempts"][0]["truncated"], true);
        assert_eq!(read["notices"][0]["code"], "streams_cut");
    }
}
