//! Reads the output of a run (`qoder.md` §6): every way in which a run can end, and every field of the output.

use std::collections::BTreeSet;

use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{
    Conversation, ConversationRead, Decision, Decoded, End, Handler, Hook, HookId, HookOutput, Ignored, Message, Run,
    Trace, VerdictKind, render,
};
use serde_json::{Value, json};

use super::fields;
use super::messages::answers;
use crate::exit_status;
use crate::json::{self, JsonObject, NotJson};
use crate::output_doctor;
use crate::session_hooks;

/// The output of a run before its JSON object is read.
enum RawOutput {
    Nothing,
    /// Plain text that is the value of this output.
    Field(&'static str, String),
    /// Exit code 2: the reason, and whether an object on stdout is ignored.
    Blocked(String, bool),
    /// Plain text that is ignored.
    PlainText,
    /// An object and its duplicate keys.
    Object(JsonObject, Vec<String>),
}

/// Reads the output of one run.
///
/// Every field that was read is reported. The engine decides with its event table what the event accepts.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    let raw = match hook.handler {
        Handler::Module { .. } | Handler::Callback { .. } | Handler::Peer { .. } => read_callback_output(hook, run),
        Handler::Shell { .. }
        | Handler::Script { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Builtin => read_command_output(hook, event, run),
    };
    let context = fields::OutputContext {
        event,
        tool: payload.get("tool_name").and_then(Value::as_str).unwrap_or_default(),
        is_command: matches!(hook.handler, Handler::Shell { .. }),
    };
    let answer = match raw {
        Err(message) => return Decoded::Failure(message),
        Ok(RawOutput::Nothing) => return Decoded::Nothing,
        Ok(RawOutput::Field(field, text)) => HookOutput {
            fields: vec![(field.to_owned(), Value::String(text))],
            ..HookOutput::default()
        },
        Ok(RawOutput::Blocked(reason, unread)) => HookOutput {
            decision: Some(block_decision(event, reason)),
            ignored: unread
                .then(|| Ignored::new("stdout", answers::UNREAD_STDOUT.render_plain()))
                .into_iter()
                .collect(),
            ..HookOutput::default()
        },
        Ok(RawOutput::PlainText) => HookOutput {
            ignored: vec![Ignored::new("stdout", answers::PLAIN_TEXT.render_plain())],
            ..HookOutput::default()
        },
        Ok(RawOutput::Object(object, twice)) => match fields::read_answer(&context, object) {
            Ok(mut answer) => {
                let twice = twice
                    .into_iter()
                    .map(|key| Ignored::new(key, answers::KEY_TWICE.render_plain()));
                answer.ignored.extend(twice);
                answer
            }
            Err(message) => return Decoded::Failure(message),
        },
    };
    if answer == HookOutput::default() {
        Decoded::Nothing
    } else {
        Decoded::Answer(answer)
    }
}

/// The hooks of a conversation whose plain text on stdout was already reported as ignored (`qoder.md` §6). A formatter
/// may print at every event, so one notice for each hook is enough.
#[derive(Debug, Default)]
pub struct ReportedTexts(BTreeSet<HookId>);

impl Conversation for ReportedTexts {
    fn read(&self, _event: &EventSpec) -> ConversationRead {
        ConversationRead::default()
    }

    fn remember(&mut self, _event: &EventSpec, _read: &ConversationRead, trace: &mut Trace) {
        for step in &mut trace.steps {
            step.ignored
                .retain(|ignored| ignored.code != answers::PLAIN_TEXT.code || self.0.insert(step.hook.clone()));
        }
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}

fn block_decision(event: &EventSpec, reason: String) -> Decision {
    let given = (!reason.is_empty()).then_some(reason);
    let ours = given.is_none().then(|| answers::BLOCKED.render_plain());
    let feedback = given
        .clone()
        .or_else(|| ours.as_ref().map(|message| message.text.clone()));
    let kind = fields::block_kind(event);
    Decision {
        what: "decision",
        kind,
        reason: given,
        feedback: feedback.filter(|_| kind == VerdictKind::Retry),
        default_message: ours,
    }
}

fn read_command_output(hook: &Hook, event: &EventSpec, run: &Run) -> Result<RawOutput, Message> {
    match exit_status::status(hook, run)? {
        0 => {}
        2 if event.exit_2.is_some() => {
            return Ok(RawOutput::Blocked(
                exit_status::stderr_reason(run),
                contains_object(&run.stdout.bytes),
            ));
        }
        code => return Err(exit_status::exit_message(code, run)),
    }
    if run.stdout.is_cut() {
        return Err(exit_status::TOO_MUCH.render_plain());
    }
    let Ok(text) = std::str::from_utf8(&run.stdout.bytes) else {
        return Err(exit_status::NOT_UTF8.render_plain());
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(RawOutput::Nothing);
    }
    let read = json::read_last_wins(text);
    if let Ok((Value::Object(object), twice)) = read {
        return Ok(RawOutput::Object(object, twice));
    }
    if read == Err(NotJson::Unrepresentable) && text.starts_with('{') {
        return Err(exit_status::UNREPRESENTABLE.render_plain());
    }
    if let Some(field) = event.plain_stdout {
        return Ok(RawOutput::Field(field, text.to_owned()));
    }
    if read.is_ok() || output_doctor::looks_like_object(text) {
        return Err(answers::UNREADABLE.render_plain());
    }
    Ok(RawOutput::PlainText)
}

/// Whether stdout is an object with at least one key, so that it was meant as output.
fn contains_object(stdout: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stdout);
    let read = json::read_last_wins(text.trim_start_matches('\u{feff}').trim());
    matches!(read, Ok((Value::Object(object), _)) if !object.is_empty())
}

fn read_callback_output(hook: &Hook, run: &Run) -> Result<RawOutput, Message> {
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
        Value::Object(object) => return Ok(object_or_nothing(object, twice)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(answers::NO_OBJECT.render_plain());
        }
    };
    if let Some(error) = reported.get("error").and_then(Value::as_str) {
        return Err(render!(answers::RAISED, "error" => error));
    }
    match reported.get("response") {
        Some(Value::Object(object)) => Ok(object_or_nothing(object.clone(), twice)),
        Some(_) | None => Err(answers::NO_OBJECT.render_plain()),
    }
}

fn object_or_nothing(object: JsonObject, twice: Vec<String>) -> RawOutput {
    if object.is_empty() {
        RawOutput::Nothing
    } else {
        RawOutput::Object(object, twice)
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
