//! What a run meant (`agent-hooks.md` §6): the exit code first, stdout after exit 0 only.

use hookwright_model::event::EventSpec;
use hookwright_model::{Decision, Decoded, End, Hook, HookOutput, Ignored, Message, Run, RunMode, VerdictKind, args};
use serde_json::{Map, Value};

use super::events::{BEFORE_STOP, CONTEXT, MODIFIED_INPUT};
use super::messages::answers as say;
use crate::ended;
use crate::json::{self, NotJson};

/// The exit code that blocks.
const BLOCKS: i32 = 2;

/// Reads a run. What the event accepts of it is the engine's table's business.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, run: &Run) -> Decoded {
    if run.end == End::TimedOut {
        let ms = u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX);
        return Decoded::Failure(say::TIMED_OUT.render(args! { "ms" => ms }));
    }
    match ended::status(hook, run) {
        Ok(0) => succeeded(hook, event, run).unwrap_or_else(Decoded::Failure),
        Ok(BLOCKS) => answered(blocked(event, run)),
        Ok(code) => Decoded::Failure(exited(code, run)),
        Err(words) => Decoded::Failure(words),
    }
}

fn succeeded(hook: &Hook, event: &EventSpec, run: &Run) -> Result<Decoded, Message> {
    let answer = match object(run)? {
        Said::Nothing => return Ok(Decoded::Nothing),
        Said::Text(text) => HookOutput {
            fields: vec![(CONTEXT.to_owned(), Value::String(text))],
            ..HookOutput::default()
        },
        Said::Object(object, twice) => fields(hook, event, object, twice)?,
    };
    Ok(answered(answer))
}

fn answered(answer: HookOutput) -> Decoded {
    if answer == HookOutput::default() {
        Decoded::Nothing
    } else {
        Decoded::Answer(answer)
    }
}

/// What stdout holds after exit 0.
enum Said {
    Nothing,
    Text(String),
    /// And its keys that stood twice.
    Object(Map<String, Value>, Vec<String>),
}

fn object(run: &Run) -> Result<Said, Message> {
    if run.stdout.is_cut() {
        return Err(ended::TOO_MUCH.render_plain());
    }
    let text = std::str::from_utf8(&run.stdout.bytes).map_err(|_| ended::NOT_UTF8.render_plain())?;
    // A byte-order mark must not turn a decision into words for the model.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Said::Nothing);
    }
    match json::read_last(text) {
        Ok((Value::Object(object), twice)) => Ok(Said::Object(object, twice)),
        Ok((Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_), _)) => {
            Err(say::NOT_OBJECT.render_plain())
        }
        Err(NotJson::Unheld) => Err(ended::UNHELD.render_plain()),
        Err(NotJson::Syntax | NotJson::Twice(_)) => Ok(Said::Text(text.to_owned())),
    }
}

/// Exit 2: stderr says why, and whatever stdout says is not read.
fn blocked(event: &EventSpec, run: &Run) -> HookOutput {
    let reason = Some(String::from_utf8_lossy(&run.stderr.bytes).trim().to_owned()).filter(|reason| !reason.is_empty());
    let mut answer = holding(event, "exit_code", reason, say::BLOCKED_EXIT.render_plain());
    if run.stdout.bytes.iter().any(|byte| !byte.is_ascii_whitespace()) {
        answer
            .ignored
            .push(Ignored::new("stdout", say::NOT_READ.render_plain()));
    }
    answer
}

/// A block: the call is refused; where the agent is about to stop, it works on.
fn holding(event: &EventSpec, what: &'static str, reason: Option<String>, ours: Message) -> HookOutput {
    let works_on = event.name == BEFORE_STOP;
    let said = reason.clone().unwrap_or_else(|| ours.text.clone());
    HookOutput {
        decision: Some(Decision {
            what,
            kind: if works_on {
                VerdictKind::Retry
            } else {
                VerdictKind::Deny
            },
            reason,
            feedback: works_on.then_some(said),
            ours: Some(ours),
        }),
        halt: true,
        ..HookOutput::default()
    }
}

fn fields(
    hook: &Hook,
    event: &EventSpec,
    mut object: Map<String, Value>,
    twice: Vec<String>,
) -> Result<HookOutput, Message> {
    object.retain(|_, value| !value.is_null());
    if object.get(MODIFIED_INPUT).is_some_and(|input| !input.is_object()) {
        return Err(say::INPUT_TYPE.render_plain());
    }
    let mut ignored: Vec<Ignored> = twice
        .into_iter()
        .map(|key| Ignored::new(key, say::KEY_TWICE.render_plain()))
        .collect();
    let mut text = |name: &str, value: Value| match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            ignored.push(Ignored::new(name, say::FIELD_TYPE.render_plain()));
            None
        }
    };
    let reason = object.shift_remove("reason").and_then(|value| text("reason", value));
    let context = object.shift_remove(CONTEXT).and_then(|value| text(CONTEXT, value));
    let mut answer = decision(hook, event, object.shift_remove("decision"), reason);
    if let Some(input) = object.shift_remove(MODIFIED_INPUT) {
        answer.fields.push((MODIFIED_INPUT.to_owned(), input));
    }
    answer
        .fields
        .extend(context.map(|text| (CONTEXT.to_owned(), Value::String(text))));
    // It stands in the attempt's stdout, which is recorded; of a hook that nobody waits for nothing else is kept.
    if let Some(log) = object.shift_remove("log").filter(|_| hook.mode == RunMode::Await) {
        answer.fields.push(("log".to_owned(), log));
    }
    ignored.extend(
        object
            .into_iter()
            .map(|(name, _)| Ignored::new(name, say::UNKNOWN_KEY.render_plain())),
    );
    answer.ignored.extend(ignored);
    Ok(answer)
}

fn decision(hook: &Hook, event: &EventSpec, decision: Option<Value>, reason: Option<String>) -> HookOutput {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    let named = || say::BLOCKED_NAMED.render(args! { "name" => hook.label });
    let soft = |kind, ours| HookOutput {
        decision: Some(Decision {
            what: "decision",
            kind,
            reason: reason.clone(),
            feedback: None,
            ours,
        }),
        ..HookOutput::default()
    };
    let word = decision.as_ref().map(|value| value.as_str().unwrap_or_default());
    match word {
        Some("allow") => soft(VerdictKind::Approve, None),
        Some("deny") => holding(event, "decision", reason.clone(), named()),
        Some("ask") if event.name == BEFORE_STOP => {
            holding(event, "decision", reason.clone(), say::CONFIRM.render_plain())
        }
        Some("ask") => soft(VerdictKind::Ask, Some(say::CONFIRM.render_plain())),
        Some(_) => {
            let written = decision.map_or_else(String::new, |value| value.to_string());
            let unknown = Ignored::new("decision", say::DECISION.render(args! { "written" => written }));
            undecided(Some(unknown), reason)
        }
        None => undecided(None, reason),
    }
}

/// No decision, or none that counts: a reason beside it counts no more.
fn undecided(unknown: Option<Ignored>, reason: Option<String>) -> HookOutput {
    let reason = reason.map(|_| Ignored::new("reason", say::REASON_ALONE.render_plain()));
    HookOutput {
        ignored: unknown.into_iter().chain(reason).collect(),
        ..HookOutput::default()
    }
}

fn exited(code: i32, run: &Run) -> Message {
    let said = ended::reason(run);
    if said.is_empty() {
        return say::EXITED.render(args! { "code" => code });
    }
    say::EXITED_SAYING.render(args! { "code" => code, "stderr" => said })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
