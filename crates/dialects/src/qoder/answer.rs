//! Reads the output of a run (`qoder.md` §6). Commands answer as [`crate::hook_output`] reads it, by the tables of
//! [`super::events`]; callbacks return such an object.

use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{Decoded, End, Handler, Hook, Message, Run, render};
use serde_json::Value;

use super::events::OUTPUT;
use super::messages::answers;
use crate::exit_status;
use crate::hook_output;
use crate::json::{self, JsonObject, NotJson};
use crate::session_hooks;

/// Reads the output of one run.
///
/// Every field that was read is reported. The engine decides with its event table what the event accepts.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    match hook.handler {
        Handler::Module { .. } | Handler::Callback { .. } | Handler::Peer { .. } => match read_callback(hook, run) {
            Ok((object, twice)) => hook_output::decode_object(&OUTPUT, hook, event, payload, object, twice),
            Err(message) => Decoded::Failure(message),
        },
        Handler::Shell { .. }
        | Handler::Script { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => hook_output::decode(&OUTPUT, hook, event, payload, run),
    }
}

/// The object that a callback returned, and its duplicate keys.
fn read_callback(hook: &Hook, run: &Run) -> Result<(JsonObject, Vec<String>), Message> {
    let of_agent = matches!(hook.handler, Handler::Callback { .. });
    match run.end {
        End::Refused if of_agent => {
            let message = exit_status::stderr_reason(run);
            return Err(render!(session_hooks::CALLBACK_ERROR, "message" => message));
        }
        End::PeerGone if of_agent => return Err(session_hooks::AGENT_LEFT.render_plain()),
        End::Replied | End::Refused => {}
        End::TimedOut => return Err(exit_status::timeout_message(hook)),
        End::NotStarted => {
            return Err(render!(exit_status::NOT_STARTED, "stderr" => exit_status::stderr_reason(run)));
        }
        End::PeerGone | End::Exit | End::Signal => return Err(bridge_exit_message(run)),
        End::Cancelled | End::Done => return Err(exit_status::ENDED_OTHERWISE.render_plain()),
    }
    if run.stdout.is_cut() {
        return Err(exit_status::TOO_MUCH.render_plain());
    }
    let Ok(text) = std::str::from_utf8(&run.stdout.bytes) else {
        return Err(exit_status::NOT_UTF8.render_plain());
    };
    let (answered, twice) = json::read_last_wins(text).map_err(|error| match error {
        NotJson::Unrepresentable => exit_status::UNREPRESENTABLE.render_plain(),
        NotJson::Syntax | NotJson::DuplicateKey(_) => answers::NO_OBJECT.render_plain(),
    })?;
    let reported = match answered {
        Value::Object(mut line) if line.get("type").is_some_and(|kind| kind == "control_response") => {
            line.remove("response").unwrap_or_default()
        }
        // The callback of an agent returns the object itself, without a message around it.
        Value::Object(object) => return Ok((object, twice)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(answers::NO_OBJECT.render_plain());
        }
    };
    let fault = |name: &str| {
        let text = reported.pointer(&format!("/hookwright/{name}")).and_then(Value::as_str);
        text.unwrap_or_default()
    };
    match fault("what") {
        "not_async" => return Err(answers::NOT_ASYNC.render_plain()),
        "generator" => return Err(answers::GENERATOR.render_plain()),
        "parameters" => return Err(render!(answers::PARAMETERS, "found" => fault("found"))),
        _ => {}
    }
    if let Some(error) = reported.get("error").and_then(Value::as_str) {
        return Err(render!(answers::RAISED, "error" => error));
    }
    match reported.get("response") {
        Some(Value::Object(object)) => Ok((object.clone(), twice)),
        Some(_) | None => Err(answers::NO_OBJECT.render_plain()),
    }
}

fn bridge_exit_message(run: &Run) -> Message {
    let stderr = exit_status::stderr_reason(run);
    if stderr.is_empty() {
        answers::BRIDGE_GONE.render_plain()
    } else {
        render!(answers::BRIDGE_GONE_WITH_STDERR, "stderr" => stderr)
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
