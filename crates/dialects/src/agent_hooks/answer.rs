//! Reads the output of a run (`agent-hooks.md` §6): first the exit code, then stdout, but only after exit code 0.

use hookwright_model::event::EventSpec;
use hookwright_model::{Decision, Decoded, End, Hook, HookOutput, Ignored, Message, Run, RunMode, VerdictKind, render};
use serde_json::{Map, Value};

use super::events::{CONTEXT, MODIFIED_INPUT};
use super::messages::answers;
use crate::crash_words;
use crate::exit_status;
use crate::json::{self, NotJson};

const BLOCK_EXIT_CODE: i32 = 2;

/// Reads a run into hook output. The engine decides what of it the event accepts, from the event's table.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, run: &Run) -> Decoded {
    if run.end == End::TimedOut {
        let ms = u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX);
        return Decoded::Failure(render!(answers::TIMED_OUT, "ms" => ms));
    }
    match exit_status::status(hook, run) {
        Ok(0) => read_success(hook, event, run).unwrap_or_else(Decoded::Failure),
        Ok(BLOCK_EXIT_CODE) if event.exit_2.is_some() => decoded_output(exit_code_block(event, run)),
        Ok(code) => Decoded::Failure(exit_failure(code, run)),
        Err(message) => Decoded::Failure(message),
    }
}

fn read_success(hook: &Hook, event: &EventSpec, run: &Run) -> Result<Decoded, Message> {
    let answer = match read_stdout(run)? {
        StdoutKind::Nothing => return Ok(Decoded::Nothing),
        StdoutKind::Text(text) => {
            let field = event.plain_stdout.ok_or_else(|| answers::NOT_OBJECT.render_plain())?;
            HookOutput {
                fields: vec![(field.to_owned(), Value::String(text))],
                ..HookOutput::default()
            }
        }
        StdoutKind::Object(object, twice) => read_fields(hook, event, object, twice)?,
    };
    Ok(decoded_output(answer))
}

fn decoded_output(answer: HookOutput) -> Decoded {
    if answer == HookOutput::default() {
        Decoded::Nothing
    } else {
        Decoded::Answer(answer)
    }
}

/// What stdout contains after exit code 0.
enum StdoutKind {
    Nothing,
    Text(String),
    /// The object, and its repeated keys.
    Object(Map<String, Value>, Vec<String>),
}

fn read_stdout(run: &Run) -> Result<StdoutKind, Message> {
    if run.stdout.is_cut() {
        return Err(exit_status::TOO_MUCH.render_plain());
    }
    let text = std::str::from_utf8(&run.stdout.bytes).map_err(|_| exit_status::NOT_UTF8.render_plain())?;
    // A byte-order mark must not turn a decision into text for the model.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(StdoutKind::Nothing);
    }
    match json::read_last_wins(text) {
        Ok((Value::Object(object), twice)) => Ok(StdoutKind::Object(object, twice)),
        Ok((Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_), _)) => {
            Err(answers::NOT_OBJECT.render_plain())
        }
        Err(NotJson::Unrepresentable) => Err(exit_status::UNREPRESENTABLE.render_plain()),
        Err(NotJson::Syntax | NotJson::DuplicateKey(_)) => Ok(StdoutKind::Text(text.to_owned())),
    }
}

/// Exit code 2: stderr is the reason, and stdout is ignored.
fn exit_code_block(event: &EventSpec, run: &Run) -> HookOutput {
    let reason = Some(String::from_utf8_lossy(&run.stderr.bytes).trim().to_owned()).filter(|reason| !reason.is_empty());
    let mut answer = block_verdict(event, "exit_code", reason, answers::BLOCKED_EXIT.render_plain());
    answer.warnings.extend(crash_words::crash_warning(run));
    if run.stdout.bytes.iter().any(|byte| !byte.is_ascii_whitespace()) {
        answer
            .ignored
            .push(Ignored::new("stdout", answers::STDOUT_NOT_READ.render_plain()));
    }
    answer
}

/// A block: the call is denied. If the agent is about to stop, it continues instead.
fn block_verdict(event: &EventSpec, what: &'static str, reason: Option<String>, ours: Message) -> HookOutput {
    let kind = event.exit_2.unwrap_or(VerdictKind::Deny);
    let feedback = reason.clone().unwrap_or_else(|| ours.text.clone());
    HookOutput {
        decision: Some(Decision {
            what,
            kind,
            reason,
            feedback: (kind == VerdictKind::Retry).then_some(feedback),
            default_message: Some(ours),
        }),
        halt: true,
        ..HookOutput::default()
    }
}

fn read_fields(
    hook: &Hook,
    event: &EventSpec,
    mut object: Map<String, Value>,
    duplicate_keys: Vec<String>,
) -> Result<HookOutput, Message> {
    object.retain(|_, value| !value.is_null());
    if object.get(MODIFIED_INPUT).is_some_and(|input| !input.is_object()) {
        return Err(answers::INPUT_TYPE.render_plain());
    }
    let mut ignored: Vec<Ignored> = duplicate_keys
        .into_iter()
        .map(|key| Ignored::new(key, answers::DUPLICATE_KEY.render_plain()))
        .collect();
    let mut text = |name: &str, value: Value| match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            ignored.push(Ignored::new(name, answers::FIELD_TYPE.render_plain()));
            None
        }
    };
    let reason = object.shift_remove("reason").and_then(|value| text("reason", value));
    let context = object.shift_remove(CONTEXT).and_then(|value| text(CONTEXT, value));
    let mut answer = read_decision(hook, event, object.shift_remove("decision"), reason);
    if let Some(input) = object.shift_remove(MODIFIED_INPUT) {
        answer.fields.push((MODIFIED_INPUT.to_owned(), input));
    }
    answer
        .fields
        .extend(context.map(|text| (CONTEXT.to_owned(), Value::String(text))));
    // `log` is also in the attempt's stdout, which is recorded. For a detached hook that is the only record.
    if let Some(log) = object.shift_remove("log").filter(|_| hook.mode == RunMode::Await) {
        answer.fields.push(("log".to_owned(), log));
    }
    ignored.extend(
        object
            .into_iter()
            .map(|(name, _)| Ignored::new(name, answers::UNKNOWN_KEY.render_plain())),
    );
    answer.ignored.extend(ignored);
    Ok(answer)
}

fn read_decision(hook: &Hook, event: &EventSpec, decision: Option<Value>, reason: Option<String>) -> HookOutput {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    let named = || render!(answers::BLOCKED_NAMED, "name" => hook.label);
    let soft = |kind, ours| HookOutput {
        decision: Some(Decision {
            what: "decision",
            kind,
            reason: reason.clone(),
            feedback: None,
            default_message: ours,
        }),
        ..HookOutput::default()
    };
    let word = decision.as_ref().map(|value| value.as_str().unwrap_or_default());
    match word {
        Some("allow") => soft(VerdictKind::Approve, None),
        Some("deny") => block_verdict(event, "decision", reason.clone(), named()),
        Some("ask") if event.exit_2 == Some(VerdictKind::Retry) => {
            block_verdict(event, "decision", reason.clone(), answers::CONFIRM.render_plain())
        }
        Some("ask") => soft(VerdictKind::Ask, Some(answers::CONFIRM.render_plain())),
        Some(_) => {
            let written = decision.map_or_else(String::new, |value| value.to_string());
            let unknown = Ignored::new("decision", render!(answers::DECISION, "written" => written));
            without_decision(Some(unknown), reason)
        }
        None => without_decision(None, reason),
    }
}

/// No decision, or an invalid one. Then a reason has no effect either.
fn without_decision(unknown: Option<Ignored>, reason: Option<String>) -> HookOutput {
    let reason = reason.map(|_| Ignored::new("reason", answers::REASON_ALONE.render_plain()));
    HookOutput {
        ignored: unknown.into_iter().chain(reason).collect(),
        ..HookOutput::default()
    }
}

fn exit_failure(code: i32, run: &Run) -> Message {
    let stderr = exit_status::stderr_reason(run);
    if stderr.is_empty() {
        return render!(answers::EXITED, "code" => code);
    }
    render!(answers::EXITED_WITH_STDERR, "code" => code, "stderr" => stderr)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
