//! What a run meant (`qoder.md` §6): every way to end, every field of an answer.

use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{
    Decision, Decoded, End, Handler, Hook, HookOutput, Ignored, Message, Run, SessionState, Trace, VerdictKind, args,
};
use serde_json::{Map, Value};

use super::events;
use super::fields;
use super::messages::answers as say;
use crate::ended;
use crate::json::{self, NotJson};

type Object = Map<String, Value>;

/// What a run came to before its object is looked at.
enum Came {
    Nothing,
    /// Plain words that become context.
    Context(String),
    /// Exit 2, and whether an object on stdout went unread.
    Blocked(String, bool),
    /// Plain words that nobody reads.
    Talk,
    /// An object, and the keys that stand twice in it.
    Object(Object, Vec<String>),
}

/// Reads a run. Everything that was read is reported; what the event accepts of it is the engine's table's business.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    let came = match hook.handler {
        Handler::Module { .. } | Handler::Callback { .. } | Handler::Peer { .. } => of_callback(hook, run),
        Handler::Shell { .. }
        | Handler::Script { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Builtin => of_command(hook, event, run),
    };
    let spoken = fields::Speaker {
        event,
        tool: payload.get("tool_name").and_then(Value::as_str).unwrap_or_default(),
        command: matches!(hook.handler, Handler::Shell { .. }),
    };
    let answer = match came {
        Err(words) => return Decoded::Failure(words),
        Ok(Came::Nothing) => return Decoded::Nothing,
        Ok(Came::Context(text)) => HookOutput {
            fields: vec![("additionalContext".to_owned(), Value::String(text))],
            ..HookOutput::default()
        },
        Ok(Came::Blocked(reason, unread)) => HookOutput {
            decision: Some(blocked(event, reason)),
            ignored: unread
                .then(|| Ignored::new("stdout", say::UNREAD_STDOUT.render_plain()))
                .into_iter()
                .collect(),
            ..HookOutput::default()
        },
        Ok(Came::Talk) => HookOutput {
            ignored: vec![Ignored::new("stdout", say::PLAIN_TEXT.render_plain())],
            ..HookOutput::default()
        },
        Ok(Came::Object(object, twice)) => match fields::answer(&spoken, object) {
            Ok(mut answer) => {
                let twice = twice
                    .into_iter()
                    .map(|key| Ignored::new(key, say::KEY_TWICE.render_plain()));
                answer.ignored.extend(twice);
                answer
            }
            Err(words) => return Decoded::Failure(words),
        },
    };
    if answer == HookOutput::default() {
        Decoded::Nothing
    } else {
        Decoded::Answer(answer)
    }
}

/// The hooks of a session of which it was said that they talk.
const TALKERS: &str = "talkers";

/// That a hook's words are not read is said once in a session (`qoder.md` §6): a formatter may talk at every event.
pub fn say_once(trace: &mut Trace, state: &mut SessionState) {
    let known = state.entry(TALKERS).or_insert_with(|| Value::Object(Object::new()));
    let Value::Object(known) = known else { return };
    let code = say::PLAIN_TEXT.render_plain().code;
    for step in &mut trace.steps {
        step.ignored
            .retain(|ignored| ignored.code != code || known.insert(step.hook.clone(), Value::Bool(true)).is_none());
    }
}

fn blocked(event: &EventSpec, reason: String) -> Decision {
    let given = (!reason.is_empty()).then_some(reason);
    let ours = given.is_none().then(|| say::BLOCKED.render_plain());
    let feedback = given.clone().or_else(|| ours.as_ref().map(|words| words.text.clone()));
    let kind = fields::block_kind(event);
    Decision {
        what: "decision",
        kind,
        reason: given,
        feedback: feedback.filter(|_| kind == VerdictKind::Retry),
        ours,
    }
}

fn of_command(hook: &Hook, event: &EventSpec, run: &Run) -> Result<Came, Message> {
    match ended::status(hook, run)? {
        0 => {}
        2 if events::BLOCKABLE.contains(&event.name) => {
            return Ok(Came::Blocked(ended::reason(run), holds_object(&run.stdout.bytes)));
        }
        code => return Err(ended::exited(code, run)),
    }
    if run.stdout.is_cut() {
        return Err(ended::TOO_MUCH.render_plain());
    }
    let Ok(text) = std::str::from_utf8(&run.stdout.bytes) else {
        return Err(ended::NOT_UTF8.render_plain());
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Came::Nothing);
    }
    let read = json::read_last(text);
    if let Ok((Value::Object(object), twice)) = read {
        return Ok(Came::Object(object, twice));
    }
    if read == Err(NotJson::Unheld) && text.starts_with('{') {
        return Err(ended::UNHELD.render_plain());
    }
    if ["UserPromptSubmit", "SessionStart"].contains(&event.name) {
        return Ok(Came::Context(text.to_owned()));
    }
    if read.is_ok() || tries_to_answer(text) {
        return Err(say::UNREADABLE.render_plain());
    }
    Ok(Came::Talk)
}

/// Whether stdout is an object that was meant as an answer.
fn holds_object(stdout: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stdout);
    let read = json::read_last(text.trim_start_matches('\u{feff}').trim());
    matches!(read, Ok((Value::Object(object), _)) if !object.is_empty())
}

/// Whether a line begins, after blanks, with `{` and then `"`, blanks between allowed: a spoilt answer, not talk.
fn tries_to_answer(text: &str) -> bool {
    let lines = text.match_indices('\n').map(|(at, _)| at + 1).chain(std::iter::once(0));
    lines.filter_map(|at| text.get(at..)).any(|rest| {
        let inside = rest.trim_start().strip_prefix('{');
        inside.is_some_and(|inside| inside.trim_start().starts_with('"'))
    })
}

fn of_callback(hook: &Hook, run: &Run) -> Result<Came, Message> {
    match run.end {
        End::Replied | End::Refused => {}
        End::TimedOut => return Err(ended::timed_out(hook)),
        End::NotStarted => return Err(ended::NOT_STARTED.render(args! { "stderr" => ended::reason(run) })),
        End::PeerGone | End::Exit | End::Signal => return Err(gone(run)),
        End::Cancelled | End::Done => return Err(ended::ENDED_OTHERWISE.render_plain()),
    }
    if run.stdout.is_cut() {
        return Err(ended::TOO_MUCH.render_plain());
    }
    let Ok(text) = std::str::from_utf8(&run.stdout.bytes) else {
        return Err(ended::NOT_UTF8.render_plain());
    };
    let (answered, twice) = json::read_last(text).map_err(|error| match error {
        NotJson::Unheld => ended::UNHELD.render_plain(),
        NotJson::Syntax | NotJson::Twice(_) => say::NO_OBJECT.render_plain(),
    })?;
    let told = match answered {
        Value::Object(mut line) if line.get("type").is_some_and(|kind| kind == "control_response") => {
            line.remove("response").unwrap_or_default()
        }
        // What an agent's callback returned stands by itself.
        Value::Object(object) => return Ok(nothing_or(object, twice)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(say::NO_OBJECT.render_plain());
        }
    };
    if let Some(error) = told.get("error").and_then(Value::as_str) {
        return Err(say::RAISED.render(args! { "error" => error }));
    }
    match told.get("response") {
        Some(Value::Object(object)) => Ok(nothing_or(object.clone(), twice)),
        Some(_) | None => Err(say::NO_OBJECT.render_plain()),
    }
}

fn nothing_or(object: Object, twice: Vec<String>) -> Came {
    if object.is_empty() {
        Came::Nothing
    } else {
        Came::Object(object, twice)
    }
}

fn gone(run: &Run) -> Message {
    let stderr = ended::reason(run);
    if stderr.is_empty() {
        say::BRIDGE_GONE.render_plain()
    } else {
        say::BRIDGE_GONE_SAYING.render(args! { "stderr" => stderr })
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
