//! What the lines of the control socket contain: results, faults and the limits (`CONTRACTS.md` §3 and §3.1).

use hookwright_app::fault::REPLY_TOO_LONG;
use hookwright_app::{Fault, payload};
use hookwright_model::exact_json::Exact;
use hookwright_model::{Args, json_depth, render};
use hookwright_rpc::{BadLineReason, ErrorObject, JsonRpc, Limits, LineRefusal, Responder};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::agent_limits::MAX_UNFINISHED_BYTES;
use crate::messages::{BY_NAME, LINE_TOO_LONG, LINES_TOO_LONG, NO_BATCH, NOT_A_REQUEST, NOT_JSON, NOT_UTF8};
use crate::same_as;

/// The maximum length of a line in bytes, without the line end, in both directions (`CONTRACTS.md` §3). A trace of the
/// largest payload fits.
pub const MAX_LINE_BYTES: usize = 96 * 1024 * 1024;

/// The limits of both sides of a connection.
pub const LIMITS: Limits = Limits {
    line_bytes: MAX_LINE_BYTES,
    concurrent: 256,
    calls: 256,
    queue_lines: 256,
    queue_bytes: MAX_LINE_BYTES,
};

/// The method of a push, which is a notification.
pub const PUSH: &str = "push";

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

/// A result without content: `{}`.
#[derive(Debug, Serialize)]
pub(crate) struct Empty {}

/// Reads the parameters of a request; `Null` when there are none.
///
/// # Errors
/// They are nested too deeply, or contain a text that no program can represent.
pub fn read_params(params: Option<&RawValue>) -> Result<Value, ErrorObject> {
    params.map_or(Ok(Value::Null), |params| {
        payload::read_params(params.get()).map_err(|error| bad_line(&BadLineReason::NotJson(error.to_string())))
    })
}

/// Answers with a small result.
pub async fn send(responder: Responder<JsonRpc>, result: &impl Serialize) {
    // It is far shorter than a line may be.
    drop(responder.answer(Ok(result)).await);
}

/// Answers with an error.
pub async fn refuse(responder: Responder<JsonRpc>, error: &ErrorObject) {
    // A message that does not fit into a line cannot be sent, and neither can a message about it.
    drop(responder.answer::<()>(Err(error)).await);
}

/// Answers with the result of a command. If a trace is too long for one line, its streams and edits are cut, and a
/// notice of the trace reports it.
pub async fn answer(responder: Responder<JsonRpc>, result: Result<Value, Fault>) {
    answer_counted(responder, result, |_| ()).await;
}

/// Like [`answer`]. `count` gets the length of the line; what it returns is kept while the line waits for room.
pub async fn answer_counted<K>(
    responder: Responder<JsonRpc>,
    result: Result<Value, Fault>,
    count: impl FnOnce(usize) -> K,
) {
    let mut result = match result {
        Ok(result) => result,
        Err(fault) => return refuse(responder, &error_of(fault.rpc_code(), &fault)).await,
    };
    same_as::shorten(&mut result);
    let line = responder.begin_answer(Ok(&result)).or_else(|too_long| {
        same_as::cut_streams(&mut result);
        too_long.responder.begin_answer(Ok(&result))
    });
    // It is not needed any more, and the line may wait for long.
    drop(result);
    let too_long = match line {
        Ok(line) => {
            let _kept = count(line.bytes());
            return line.send().await;
        }
        Err(too_long) => too_long,
    };
    let fault: Fault = render!(REPLY_TOO_LONG, "bytes" => too_long.bytes, "limit" => too_long.limit).into();
    refuse(too_long.responder, &error_of(fault.rpc_code(), &fault)).await;
}

/// The error for a line that is no request.
pub fn bad_line(reason: &BadLineReason) -> ErrorObject {
    let fault: Fault = match reason {
        BadLineReason::NotUtf8 => NOT_UTF8.render_plain(),
        BadLineReason::NotJson(why) => render!(NOT_JSON, "why" => why),
        BadLineReason::Batch => NO_BATCH.render_plain(),
        BadLineReason::NotAnObject
        | BadLineReason::Version
        | BadLineReason::Id
        | BadLineReason::LongId
        | BadLineReason::Method => render!(NOT_A_REQUEST, "why" => reason.to_string()),
        BadLineReason::Params => BY_NAME.render_plain(),
    }
    .into();
    error_of(reason.code(), &fault)
}

/// The error for a line that ends the connection. `limit` is that of a single line.
pub fn line_refused(why: LineRefusal, limit: usize) -> ErrorObject {
    let message = match why {
        LineRefusal::TooLong => render!(LINE_TOO_LONG, "limit" => limit),
        LineRefusal::OverBudget => render!(LINES_TOO_LONG, "limit" => MAX_UNFINISHED_BYTES),
    };
    error_of(JsonRpc::INVALID_REQUEST, &message.into())
}

/// The error that says this fault.
pub fn error_of(code: impl Into<i64>, fault: &Fault) -> ErrorObject {
    let fault = with_short_texts(fault.clone());
    ErrorObject {
        code: code.into(),
        message: fault.message.clone(),
        data: to_raw_value(&fault).ok(),
    }
}

/// The longest text of others in an error, in characters. An error repeats what is wrong, and that can be of any length.
const MAX_TEXT_CHARS: usize = 200;
/// The same for a path, which names a file only as a whole.
const MAX_PATH_CHARS: usize = 4096;
/// The arguments that are paths.
const PATHS: [&str; 6] = ["path", "project", "folder", "cwd", "data_dir", "file"];

/// Cuts long arguments, and the same texts in the sentences that contain them.
fn with_short_texts(mut fault: Fault) -> Fault {
    for (name, value) in &mut fault.args {
        let Value::String(text) = value else {
            shorten_all(value);
            continue;
        };
        let most = if PATHS.contains(&name.as_str()) {
            MAX_PATH_CHARS
        } else {
            MAX_TEXT_CHARS
        };
        let Some((end, _)) = text.char_indices().nth(most) else {
            continue;
        };
        let short = format!("{}…", &text[..end]);
        fault.message = fault.message.replace(text.as_str(), &short);
        fault.hint = fault.hint.map(|hint| hint.replace(text.as_str(), &short));
        *text = short;
    }
    fault
}

/// Cuts the long texts inside the arguments of another message.
fn shorten_all(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(MAX_PATH_CHARS) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_all),
        Value::Object(fields) => fields.values_mut().for_each(shorten_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reads the result of a command as an engine sent it.
///
/// # Errors
/// It is nested deeper than any document of an engine.
pub fn read_result(result: &RawValue) -> Result<Value, Fault> {
    let Exact(mut result) = json_depth::read(result.get()).map_err(|error| unknown_fault(error.to_string()))?;
    same_as::restore(&mut result);
    Ok(result)
}

/// The fault inside an error, or a fault made from its message when there is none.
pub fn fault_of(error: ErrorObject) -> Fault {
    let fault = error.data.and_then(|data| json_depth::read(data.get()).ok());
    fault.unwrap_or_else(|| unknown_fault(error.message))
}

fn unknown_fault(message: String) -> Fault {
    Fault {
        code: "unknown_error".to_owned(),
        message,
        args: Args::new(),
        hint: None,
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Mutex;

    use hookwright_rpc::{BadLine, Ended, LineRefusal, Peer, Request, Service};
    use serde_json::json;

    use super::*;

    /// Answers one request with a given result, and remembers its parameters.
    struct OneAnswer(Mutex<(Value, Option<Result<Value, Fault>>)>);

    impl Service<JsonRpc> for OneAnswer {
        async fn begin(&self, request: Request, responder: Responder<JsonRpc>) {
            let result = {
                let mut state = self.0.lock().unwrap();
                state.0 = read_params(request.params.as_deref()).unwrap();
                state.1.take().unwrap()
            };
            answer(responder, result).await;
        }

        fn other(&self, line: BadLine) -> Option<Vec<u8>> {
            panic!("{line:?}")
        }

        fn line_refused(&self, _: LineRefusal) -> Option<Vec<u8>> {
            panic!("a line is too long")
        }
    }

    /// What a client receives, and the parameters that reached the engine.
    async fn exchange(params: Value, result: Result<Value, Fault>) -> (Result<Value, Fault>, Value) {
        let (one, other) = tokio::io::duplex(1 << 20);
        let (client, engine) = (Peer::new(JsonRpc, LIMITS), Peer::new(JsonRpc, LIMITS));
        let service = OneAnswer(Mutex::new((Value::Null, Some(result))));
        let nothing = OneAnswer(Mutex::default());
        let ((one_in, one_out), (other_in, other_out)) = (tokio::io::split(one), tokio::io::split(other));
        let call = async {
            let params = to_raw_value(&params).unwrap();
            let answer = client.call("x", &params, None).await.unwrap();
            client.close(Ended::Here);
            answer.map_or_else(|error| Err(fault_of(error)), |result| read_result(&result))
        };
        let (answer, ..) = tokio::join!(
            call,
            client.run(one_in, one_out, &nothing, pending()),
            engine.run(other_in, other_out, &service, pending()),
        );
        (answer, service.0.into_inner().unwrap().0)
    }

    #[tokio::test]
    async fn a_payload_of_the_greatest_allowed_depth_passes_in_both_directions() {
        let payload = json_depth::read::<Value>(&format!("{}1{}", "[".repeat(128), "]".repeat(128))).unwrap();
        let (params, trace) = (json!({"payload": payload}), json!({"payload_before": {"a": payload}}));
        let (read, received) = exchange(params.clone(), Ok(trace.clone())).await;
        assert_eq!((read.unwrap(), received), (trace, params));
    }

    #[test]
    fn parameters_that_cannot_be_represented_are_refused() {
        let json = format!("{{\"a\":{}1{}}}", "[".repeat(300), "]".repeat(300));
        let error = read_params(Some(&RawValue::from_string(json).unwrap())).unwrap_err();
        assert_eq!((error.code, fault_of(error).code.as_str()), (-32700, "not_json"));
        let numbers = r#"{"n":[1e400,1e2,-0]}"#;
        let read = read_params(Some(&RawValue::from_string(numbers.to_owned()).unwrap())).unwrap();
        assert_eq!(read.to_string(), numbers);
        assert_eq!(read_params(None).unwrap(), Value::Null);
    }

    #[tokio::test]
    async fn an_error_repeats_only_the_beginning_of_a_long_text_and_is_always_answered() {
        let long = "é".repeat(MAX_LINE_BYTES / 2);
        let fault: Fault = render!(NOT_A_REQUEST, "why" => long).into();
        let read = exchange(json!({}), Err(fault)).await.0.unwrap_err();
        let short = "é".repeat(200) + "…";
        assert_eq!(read.args["why"], short);
        assert!(
            read.message.contains(&short) && read.message.chars().count() < 400,
            "{}",
            read.message
        );
        let path = "/p".repeat(300);
        let fault: Fault = render!(crate::messages::IN_THE_WAY, "path" => path.as_str()).into();
        assert!(
            exchange(json!({}), Err(fault))
                .await
                .0
                .unwrap_err()
                .message
                .contains(&path)
        );
    }

    #[tokio::test]
    async fn a_fault_reaches_the_client_unchanged() {
        let fault: Fault = render!(NOT_A_REQUEST, "why" => "it is not an object").into();
        assert_eq!(exchange(json!({}), Err(fault.clone())).await.0, Err(fault));
    }

    #[tokio::test]
    async fn an_answer_over_the_limit_says_so_instead() {
        let (read, _) = exchange(json!({}), Ok(json!("x".repeat(MAX_LINE_BYTES)))).await;
        assert_eq!(read.unwrap_err().code, "reply_too_long");
    }

    #[tokio::test]
    async fn a_trace_of_the_largest_payload_and_many_long_streams_is_answered() {
        let stream = "\u{1}".repeat(1 << 20);
        let attempts =
            |_| json!({"attempts": [{"stdin": stream, "stdout": stream, "stderr": stream, "truncated": false}]});
        let steps: Vec<Value> = (0..8).map(attempts).collect();
        let payload = json!({"text": "x".repeat(16 << 20)});
        let trace = json!({"payload_before": payload, "payload_after": payload, "notices": [], "steps": steps});
        let read = exchange(json!({}), Ok(trace)).await.0.unwrap();
        assert_eq!(read["payload_after"], payload);
        assert_eq!(read["steps"][7]["attempts"][0]["truncated"], true);
        assert_eq!(read["notices"][0]["code"], "streams_cut");
    }
}
