//! Reads the output of a run (`jcli.md` §6): every way in which a run can end, and every field of the output.

use hookwright_model::event::{EventSpec, FieldKind};
use hookwright_model::{
    Decision, Decoded, End, Handler, Hook, HookOutput, Ignored, Message, Run, VerdictKind, render, term,
};
use serde_json::Value;

use super::events;
use super::messages::answers;
use crate::exit_status;
use crate::json::{self, JsonObject, NotJson};

/// Reads the output of one run.
///
/// Every field that was read is reported. The engine decides with its event table what the event accepts.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, run: &Run) -> Decoded {
    let read = match hook.handler {
        Handler::Prompt { .. } => read_model_output(hook, run),
        Handler::Shell { .. }
        | Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => read_command_output(hook, run),
    };
    match read.and_then(|object| object.map(|object| read_fields(event, object)).transpose()) {
        Ok(Some(answer)) if answer != HookOutput::default() => Decoded::Answer(answer),
        Ok(_) => Decoded::Nothing,
        Err(message) => Decoded::Failure(message),
    }
}

fn read_command_output(hook: &Hook, run: &Run) -> Result<Option<JsonObject>, Message> {
    exit_status::check_success(hook, run)?;
    if run.stdout.is_cut() {
        return Err(exit_status::TOO_MUCH.render_plain());
    }
    let text = String::from_utf8_lossy(&run.stdout.bytes);
    let text = text.trim();
    if text.is_empty() {
        Ok(None)
    } else {
        parse_object(text, &answers::NOT_ONE_OBJECT).map(Some)
    }
}

fn read_model_output(hook: &Hook, run: &Run) -> Result<Option<JsonObject>, Message> {
    match run.end {
        End::Replied => {}
        End::TimedOut => return Err(exit_status::timeout_message(hook)),
        End::Refused | End::NotStarted | End::PeerGone => {
            return Err(render!(answers::REFUSED, "stderr" => exit_status::stderr_reason(run)));
        }
        End::Exit | End::Signal | End::Cancelled | End::Done => return Err(exit_status::ENDED_OTHERWISE.render_plain()),
    }
    if run.stdout.is_cut() {
        return Err(exit_status::TOO_MUCH.render_plain());
    }
    let text = String::from_utf8_lossy(&run.stdout.bytes);
    if text.trim().is_empty() {
        return Ok(None);
    }
    // A code fence or prose around the object is tolerated.
    let inner = text
        .find('{')
        .zip(text.rfind('}'))
        .filter(|(open, close)| open < close)
        .map(|(open, close)| &text[open..=close]);
    parse_object(
        inner.ok_or_else(|| answers::NO_OBJECT.render_plain())?,
        &answers::NO_OBJECT,
    )
    .map(Some)
}

fn parse_object(text: &str, otherwise: &hookwright_model::MessageTemplate) -> Result<JsonObject, Message> {
    match json::read(text) {
        Ok(Value::Object(object)) => Ok(object),
        Err(NotJson::DuplicateKey(key)) => Err(render!(answers::KEY_TWICE, "key" => key)),
        Err(NotJson::Unrepresentable) => Err(exit_status::UNREPRESENTABLE.render_plain()),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_))
        | Err(NotJson::Syntax) => Err(otherwise.render_plain()),
    }
}

/// The control fields of an output. They become the decision.
#[derive(Default)]
struct ControlFields {
    action: Option<VerdictKind>,
    abort: bool,
    feedback: Option<String>,
}

fn read_fields(event: &EventSpec, object: JsonObject) -> Result<HookOutput, Message> {
    let mut answer = HookOutput::default();
    let mut control = ControlFields::default();
    for (name, value) in object {
        match (name.as_str(), value) {
            ("abort", Value::Null) => return Err(answers::ABORT_NULL.render_plain()),
            ("abort", Value::Bool(abort)) => control.abort = abort,
            ("abort", _) => return Err(wrong_type_message("abort", "boolean")),
            ("action", Value::Null) => {}
            ("action", Value::String(action)) => control.action = Some(parse_action(&action)?),
            ("action", _) => return Err(wrong_type_message("action", term!("string"))),
            (field, value) => match events::output_kind(field) {
                None => answer
                    .ignored
                    .push(Ignored::new(name, answers::UNKNOWN_KEY.render_plain())),
                Some(_) if value.is_null() => {}
                Some(kind) => read_field(&name, kind, value, &mut answer, &mut control)?,
            },
        }
    }
    decide(event, control, &mut answer);
    Ok(answer)
}

/// Reads one known field whose value is not `null`.
fn read_field(
    name: &str,
    kind: FieldKind,
    value: Value,
    answer: &mut HookOutput,
    control: &mut ControlFields,
) -> Result<(), Message> {
    let value = match (kind, value) {
        (FieldKind::Messages, Value::Array(items)) => Value::Array(read_messages(name, items)?),
        (FieldKind::Messages, _) => return Err(wrong_type_message(name, term!("array"))),
        (FieldKind::Text, Value::String(text)) => {
            if text.is_empty() && ["retry_feedback", "additional_context", "system_message"].contains(&name) {
                return Ok(());
            }
            if name == "retry_feedback" {
                control.feedback = Some(text);
                return Ok(());
            }
            Value::String(text)
        }
        (
            FieldKind::Text
            | FieldKind::Object
            | FieldKind::List
            | FieldKind::Flag
            | FieldKind::Number
            | FieldKind::Any,
            _,
        ) => {
            return Err(wrong_type_message(name, term!("string")));
        }
    };
    answer.fields.push((name.to_owned(), value));
    Ok(())
}

fn parse_action(word: &str) -> Result<VerdictKind, Message> {
    match word {
        "stop" => Ok(VerdictKind::Stop),
        "skip" => Ok(VerdictKind::Skip),
        _ => Err(render!(answers::ACTION, "written" => word)),
    }
}

fn wrong_type_message(field: &str, wanted: &str) -> Message {
    render!(answers::FIELD_TYPE, "field" => field, "wanted" => wanted)
}

/// Checks a list of messages: `{role, content, tool_calls?, tool_call_id?}`. A missing `content` becomes empty.
fn read_messages(field: &str, items: Vec<Value>) -> Result<Vec<Value>, Message> {
    let bad = |index: usize, what: &str| render!(answers::MESSAGE, "field" => field, "index" => index, "what" => what);
    let mut out = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let Value::Object(mut message) = item else {
            return Err(bad(index, term!("not an object")));
        };
        if !message.get("role").is_some_and(Value::is_string) {
            return Err(bad(index, term!("`role` is not a string")));
        }
        match message.get("content") {
            None | Some(Value::Null) => {
                message.insert("content".to_owned(), Value::String(String::new()));
            }
            Some(Value::String(_)) => {}
            Some(_) => return Err(bad(index, term!("`content` is not a string"))),
        }
        if message
            .get("tool_calls")
            .is_some_and(|calls| !calls.is_array() && !calls.is_null())
        {
            return Err(bad(index, term!("`tool_calls` is not an array")));
        }
        if message
            .get("tool_call_id")
            .is_some_and(|id| !id.is_string() && !id.is_null())
        {
            return Err(bad(index, term!("`tool_call_id` is not a string")));
        }
        out.push(Value::Object(message));
    }
    Ok(out)
}

/// Turns the control fields into the decision (`jcli.md` §3, §7).
fn decide(event: &EventSpec, control: ControlFields, answer: &mut HookOutput) {
    let ControlFields {
        action,
        abort,
        feedback,
    } = control;
    if abort && action == Some(VerdictKind::Skip) {
        answer
            .ignored
            .push(Ignored::new("action", answers::STOP_WINS.render_plain()));
    }
    let retries = event.verdicts.contains(&VerdictKind::Retry);
    let feedback_alone = event
        .output("retry_feedback")
        .is_some_and(|output| output.with_verdicts.is_empty());
    let (what, action) = match (abort, action) {
        (true, Some(VerdictKind::Stop)) => ("action", Some(VerdictKind::Stop)),
        (true, _) => ("abort", Some(VerdictKind::Stop)),
        (false, action) => ("action", action),
    };
    match (action, feedback) {
        (Some(VerdictKind::Stop), Some(text)) if retries => {
            answer.decision = Some(Decision {
                what,
                kind: VerdictKind::Retry,
                reason: None,
                feedback: Some(text),
                default_message: None,
            });
        }
        (None, Some(text)) if retries && feedback_alone => {
            answer.decision = Some(Decision {
                what: "retry_feedback",
                kind: VerdictKind::Retry,
                reason: None,
                feedback: Some(text),
                default_message: None,
            });
        }
        (action, feedback) => {
            answer.decision = action.map(|kind| Decision {
                what,
                kind,
                reason: None,
                feedback: None,
                default_message: None,
            });
            match feedback {
                Some(_) if retries => answer
                    .ignored
                    .push(Ignored::new("retry_feedback", answers::FEEDBACK_ALONE.render_plain())),
                // The event does not list this field, so the engine reports that it is ignored.
                Some(text) => answer.fields.push(("retry_feedback".to_owned(), Value::String(text))),
                None => {}
            }
        }
    }
    answer.halt = action.is_some();
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
