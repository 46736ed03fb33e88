//! What a run meant (`jcli.md` §6): every way to end, every field of an answer.

use hookwright_model::event::{EventSpec, FieldKind};
use hookwright_model::{
    Decision, Decoded, End, Handler, Hook, HookOutput, Ignored, Message, Run, VerdictKind, args, term,
};
use serde_json::{Map, Value};

use super::events;
use super::messages::answers as say;
use crate::ended;
use crate::json::{self, NotJson};

/// Reads a run. Everything that was read is reported; what the event accepts of it is the engine's table's business.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, run: &Run) -> Decoded {
    let read = match hook.handler {
        Handler::Prompt { .. } => answer_of_model(hook, run),
        Handler::Shell { .. }
        | Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Builtin => answer_of_command(hook, run),
    };
    match read.and_then(|object| object.map(|object| fields(event, object)).transpose()) {
        Ok(Some(answer)) if answer != HookOutput::default() => Decoded::Answer(answer),
        Ok(_) => Decoded::Nothing,
        Err(words) => Decoded::Failure(words),
    }
}

type Object = Map<String, Value>;

fn answer_of_command(hook: &Hook, run: &Run) -> Result<Option<Object>, Message> {
    ended::well(hook, run)?;
    if run.stdout.is_cut() {
        return Err(ended::TOO_MUCH.render_plain());
    }
    let text = String::from_utf8_lossy(&run.stdout.bytes);
    let text = text.trim();
    if text.is_empty() {
        Ok(None)
    } else {
        object(text, &say::NOT_ONE_OBJECT).map(Some)
    }
}

fn answer_of_model(hook: &Hook, run: &Run) -> Result<Option<Object>, Message> {
    match run.end {
        End::Replied => {}
        End::TimedOut => return Err(ended::timed_out(hook)),
        End::Refused | End::NotStarted | End::PeerGone => {
            return Err(say::REFUSED.render(args! { "stderr" => ended::reason(run) }));
        }
        End::Exit | End::Signal | End::Cancelled | End::Done => return Err(ended::ENDED_OTHERWISE.render_plain()),
    }
    if run.stdout.is_cut() {
        return Err(ended::TOO_MUCH.render_plain());
    }
    let text = String::from_utf8_lossy(&run.stdout.bytes);
    if text.trim().is_empty() {
        return Ok(None);
    }
    // Fences and prose around the object are tolerated.
    let inner = text
        .find('{')
        .zip(text.rfind('}'))
        .filter(|(open, close)| open < close)
        .map(|(open, close)| &text[open..=close]);
    object(inner.ok_or_else(|| say::NO_OBJECT.render_plain())?, &say::NO_OBJECT).map(Some)
}

fn object(text: &str, otherwise: &hookwright_model::MessageTemplate) -> Result<Object, Message> {
    match json::read(text) {
        Ok(Value::Object(object)) => Ok(object),
        Err(NotJson::Twice(key)) => Err(say::KEY_TWICE.render(args! { "key" => key })),
        Err(NotJson::Unheld) => Err(ended::UNHELD.render_plain()),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_))
        | Err(NotJson::Syntax) => Err(otherwise.render_plain()),
    }
}

/// The control fields of an answer; they become the decision.
#[derive(Default)]
struct Control {
    action: Option<VerdictKind>,
    abort: bool,
    feedback: Option<String>,
}

fn fields(event: &EventSpec, object: Object) -> Result<HookOutput, Message> {
    let mut answer = HookOutput::default();
    let mut control = Control::default();
    for (name, value) in object {
        match (name.as_str(), value) {
            ("abort", Value::Null) => return Err(say::ABORT_NULL.render_plain()),
            ("abort", Value::Bool(abort)) => control.abort = abort,
            ("abort", _) => return Err(wrong_type("abort", "boolean")),
            ("action", Value::Null) => {}
            ("action", Value::String(action)) => control.action = Some(action_of(&action)?),
            ("action", _) => return Err(wrong_type("action", term!("string"))),
            (field, value) => match events::output_kind(field) {
                None => answer.ignored.push(Ignored::new(name, say::UNKNOWN_KEY.render_plain())),
                Some(_) if value.is_null() => {}
                Some(kind) => take(&name, kind, value, &mut answer, &mut control)?,
            },
        }
    }
    decide(event, control, &mut answer);
    Ok(answer)
}

/// One known field that is not `null`.
fn take(
    name: &str,
    kind: FieldKind,
    value: Value,
    answer: &mut HookOutput,
    control: &mut Control,
) -> Result<(), Message> {
    let value = match (kind, value) {
        (FieldKind::Messages, Value::Array(items)) => Value::Array(messages(name, items)?),
        (FieldKind::Messages, _) => return Err(wrong_type(name, term!("array"))),
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
            return Err(wrong_type(name, term!("string")));
        }
    };
    answer.fields.push((name.to_owned(), value));
    Ok(())
}

fn action_of(word: &str) -> Result<VerdictKind, Message> {
    match word {
        "stop" => Ok(VerdictKind::Stop),
        "skip" => Ok(VerdictKind::Skip),
        _ => Err(say::ACTION.render(args! { "written" => word })),
    }
}

fn wrong_type(field: &str, wanted: &str) -> Message {
    say::FIELD_TYPE.render(args! { "field" => field, "wanted" => wanted })
}

/// `{role, content, tool_calls?, tool_call_id?}`; `content` is empty when it is not given.
fn messages(field: &str, items: Vec<Value>) -> Result<Vec<Value>, Message> {
    let bad =
        |index: usize, what: &str| say::MESSAGE.render(args! { "field" => field, "index" => index, "what" => what });
    let mut out = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let Value::Object(mut message) = item else {
            return Err(bad(index, term!("no object")));
        };
        if !message.get("role").is_some_and(Value::is_string) {
            return Err(bad(index, term!("no string `role`")));
        }
        match message.get("content") {
            None | Some(Value::Null) => {
                message.insert("content".to_owned(), Value::String(String::new()));
            }
            Some(Value::String(_)) => {}
            Some(_) => return Err(bad(index, term!("`content` is no string"))),
        }
        if message
            .get("tool_calls")
            .is_some_and(|calls| !calls.is_array() && !calls.is_null())
        {
            return Err(bad(index, term!("`tool_calls` is no array")));
        }
        if message
            .get("tool_call_id")
            .is_some_and(|id| !id.is_string() && !id.is_null())
        {
            return Err(bad(index, term!("`tool_call_id` is no string")));
        }
        out.push(Value::Object(message));
    }
    Ok(out)
}

/// From the control fields to the decision (`jcli.md` §3, §7).
fn decide(event: &EventSpec, control: Control, answer: &mut HookOutput) {
    let Control {
        action,
        abort,
        feedback,
    } = control;
    if abort && action == Some(VerdictKind::Skip) {
        answer
            .ignored
            .push(Ignored::new("action", say::STOP_WINS.render_plain()));
    }
    let retries = event.verdicts.contains(&VerdictKind::Retry);
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
                ours: None,
            });
        }
        (None, Some(text)) if retries && event.name == "stop" => {
            answer.decision = Some(Decision {
                what: "retry_feedback",
                kind: VerdictKind::Retry,
                reason: None,
                feedback: Some(text),
                ours: None,
            });
        }
        (action, feedback) => {
            answer.decision = action.map(|kind| Decision {
                what,
                kind,
                reason: None,
                feedback: None,
                ours: None,
            });
            match feedback {
                Some(_) if retries => answer
                    .ignored
                    .push(Ignored::new("retry_feedback", say::FEEDBACK_ALONE.render_plain())),
                // The event does not list it: the engine says so.
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
