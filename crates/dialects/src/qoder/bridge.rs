//! The bridge that hosts a module, and the protocol with it (`qoder.md` §5, "Bridge wire").

use std::path::Path;
use std::time::Duration;

use hookwright_model::event::Payload;
use hookwright_model::{
    Call, CodePathVars, Handshake, Message, PeerCall, PeerLine, PeerMessage, PeerProtocol, PeerRules, Program, render,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::{messages, wire};
use crate::json::{self, NotJson};

/// The program of the bridge. It is passed on stdin, so that no record of a run contains it.
const BRIDGE_PROGRAM: &str = include_str!("bridge.py");
/// Reads that program and runs it. It removes the start directory from Python's module path.
const PYTHON_BOOTSTRAP: &str = "import sys;sys.path[:]=[p for p in sys.path if p not in('','.')];import json;\
                     exec(compile(json.loads(sys.stdin.buffer.readline()),'hookwright bridge','exec'))";

/// The variables from which Python and the system's loader know where code is.
///
/// An interpreter imports from there before the first line of the bridge runs (`encodings`, `sitecustomize`,
/// `usercustomize`). It starts in the project, and no code of a project is imported without approval (`engine.md` §3).
/// So relative paths are removed, and for a module outside the project also the paths inside the project. A module of
/// the project may import from there. Its review warns that this is not covered.
const CODE_VARS: [&str; 6] = [
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "PYTHONPYCACHEPREFIX",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
];

/// The time limits for the handshake and for a cancelled call to end. A module that exits is restarted without delay.
const RULES: PeerRules = PeerRules {
    handshake_timeout: Duration::from_secs(10),
    after_cancel: Some(Duration::from_secs(1)),
    back_off: false,
    long_line: None,
    queue: 64,
};

/// The call to a module's bridge: without `callback` it asks for the table of hooks, else it runs that callback.
#[must_use]
pub fn call(id: &str, module: &Path, content: &str, callback: Option<&str>, payload: &Payload, project: &Path) -> Call {
    let tool_use = payload.get("tool_use_id").filter(|id| id.is_string());
    let message = match callback {
        None => PeerMessage::Hello,
        Some(callback_id) => {
            let params = CallbackParams {
                callback_id,
                input: payload,
                tool_use_id: tool_use,
            };
            PeerMessage::Request {
                method: "hook_callback".to_owned(),
                // Names are texts, so writing cannot fail.
                params: to_raw_value(&params).unwrap_or_default(),
            }
        }
    };
    let argv = ["python3", "-c", PYTHON_BOOTSTRAP].map(str::to_owned).into_iter();
    Call::Peer(PeerCall {
        key: id.to_owned(),
        version: content.to_owned(),
        program: Program::Argv(argv.chain([module.display().to_string()]).collect()),
        cwd: project.to_owned(),
        fallback_cwd: project.to_owned(),
        env: vec![wire::project_dir_var(project)],
        code_path_vars: CodePathVars {
            vars: &CODE_VARS,
            excluded_folder: (!module.starts_with(project)).then(|| project.to_owned()),
        },
        handshake_params: Value::Null,
        message,
        protocol: &BridgeProtocol,
        rules: RULES,
    })
}

/// What the bridge needs to run a callback.
#[derive(Serialize)]
struct CallbackParams<'p> {
    callback_id: &'p str,
    input: &'p Payload,
    tool_use_id: Option<&'p Value>,
}

/// The protocol of the SDK and its CLI: one JSON object per line.
#[derive(Debug)]
struct BridgeProtocol;

impl PeerProtocol for BridgeProtocol {
    fn handshake_line(&self, _call: &PeerCall) -> Option<String> {
        Some(Value::from(BRIDGE_PROGRAM).to_string())
    }

    fn parse_line(&self, line: &str) -> PeerLine {
        let message = match json::read_last_wins(line) {
            Ok((message, _)) => message,
            // The call can still be identified. When its output is read, the error is found.
            Err(NotJson::Unrepresentable) => partial_message(line),
            Err(NotJson::Syntax | NotJson::DuplicateKey(_)) => return invalid_line(line),
        };
        let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
        match text("/type") {
            Some("control_request") if text("/request/subtype") == Some("initialize") => PeerLine::Hello,
            Some("control_response") => {
                let Some(id) = text("/response/request_id").and_then(|id| id.parse().ok()) else {
                    return invalid_line(line);
                };
                if text("/response/subtype") == Some("error") {
                    PeerLine::Refusal(id)
                } else {
                    PeerLine::Answer(id)
                }
            }
            Some("keep_alive") => PeerLine::Dropped,
            Some(_) | None => invalid_line(line),
        }
    }

    fn parse_handshake(&self, line: &str) -> Result<Handshake, Message> {
        let reported = serde_json::from_str::<Value>(line).unwrap_or_default();
        match reported.get("request") {
            Some(request) => Ok(Handshake {
                result: request.clone(),
                warnings: Vec::new(),
            }),
            None => Err(invalid_line_message(line)),
        }
    }

    fn request(&self, id: u64, method: &str, params: &RawValue) -> String {
        let request = request_object(method, params);
        format!(r#"{{"type":"control_request","request_id":"{id}","request":{request}}}"#)
    }

    fn notification(&self, method: &str, params: &RawValue) -> String {
        let request = request_object(method, params);
        format!(r#"{{"type":"control_request","request":{request}}}"#)
    }

    fn cancel(&self, id: u64) -> Option<String> {
        Some(json!({"type": "control_cancel_request", "request_id": id.to_string()}).to_string())
    }
}

/// The parameters with the method as their first part, `subtype`.
fn request_object(method: &str, params: &RawValue) -> String {
    let parts = params.get().strip_prefix('{').unwrap_or("}");
    let comma = if parts.trim_start().starts_with('}') { "" } else { "," };
    format!(r#"{{"subtype":"{method}"{comma}{parts}"#)
}

/// The known part of a line that cannot be represented: its type, and the call that it answers.
fn partial_message(line: &str) -> Value {
    let seen = |text, keys: &[&str]| json::read_partial(text, keys).unwrap_or_default();
    let mut message = seen(line, &["type"]);
    let response = json::raw_value(line, "response").map(|response| seen(response, &["request_id", "subtype"]));
    message.extend(response.map(|response| ("response".to_owned(), Value::Object(response))));
    Value::Object(message)
}

fn invalid_line(line: &str) -> PeerLine {
    PeerLine::Invalid(invalid_line_message(line))
}

/// Characters of an invalid line that the user is shown, at most.
const MAX_SHOWN: usize = 200;

fn invalid_line_message(line: &str) -> Message {
    let line: String = line.chars().take(MAX_SHOWN).collect();
    render!(messages::answers::INVALID_BRIDGE_LINE, "line" => line)
}
