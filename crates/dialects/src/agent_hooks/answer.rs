//! What a run meant (`agent-hooks.md` §6): the exit code first, stdout after exit 0 only.

use hookwright_model::event::EventSpec;
use hookwright_model::{Answer, Ask, Decoded, End, Hook, Ignored, Mode, Run, VerdictKind, Words, args};
use serde_json::{Map, Value};

use super::events::{BEFORE_STOP, CONTEXT, MODIFIED_INPUT};
use super::sayings::answers as say;
use crate::ended;
use crate::json::{self, NotJson};

/// The exit code that blocks.
const BLOCKS: i32 = 2;

/// Reads a run. What the event accepts of it is the engine's table's business.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, run: &Run) -> Decoded {
    if run.end == End::TimedOut {
        let ms = u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX);
        return Decoded::Failure(say::TIMED_OUT.say(args! { "ms" => ms }));
    }
    match ended::status(hook, run) {
        Ok(0) => succeeded(hook, event, run).unwrap_or_else(Decoded::Failure),
        Ok(BLOCKS) => answered(blocked(event, run)),
        Ok(code) => Decoded::Failure(exited(code, run)),
        Err(words) => Decoded::Failure(words),
    }
}

fn succeeded(hook: &Hook, event: &EventSpec, run: &Run) -> Result<Decoded, Words> {
    let answer = match object(run)? {
        Said::Nothing => return Ok(Decoded::Nothing),
        Said::Text(text) => Answer {
            fields: vec![(CONTEXT.to_owned(), Value::String(text))],
            ..Answer::default()
        },
        Said::Object(object, twice) => fields(hook, event, object, twice)?,
    };
    Ok(answered(answer))
}

fn answered(answer: Answer) -> Decoded {
    if answer == Answer::default() {
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

fn object(run: &Run) -> Result<Said, Words> {
    if run.stdout.cut() {
        return Err(ended::TOO_MUCH.plain());
    }
    let text = std::str::from_utf8(&run.stdout.bytes).map_err(|_| ended::NOT_UTF8.plain())?;
    // A byte-order mark must not turn a decision into words for the model.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Said::Nothing);
    }
    match json::read_last(text) {
        Ok((Value::Object(object), twice)) => Ok(Said::Object(object, twice)),
        Ok((Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_), _)) => {
            Err(say::NOT_OBJECT.plain())
        }
        Err(NotJson::Unheld) => Err(ended::UNHELD.plain()),
        Err(NotJson::Syntax | NotJson::Twice(_)) => Ok(Said::Text(text.to_owned())),
    }
}

/// Exit 2: stderr says why, and whatever stdout says is not read.
fn blocked(event: &EventSpec, run: &Run) -> Answer {
    let reason = Some(String::from_utf8_lossy(&run.stderr.bytes).trim().to_owned()).filter(|reason| !reason.is_empty());
    let mut answer = holding(event, "exit_code", reason, say::BLOCKED_EXIT.plain());
    if run.stdout.bytes.iter().any(|byte| !byte.is_ascii_whitespace()) {
        answer.ignored.push(Ignored::new("stdout", say::NOT_READ.plain()));
    }
    answer
}

/// A block: the call is refused; where the agent is about to stop, it works on.
fn holding(event: &EventSpec, what: &'static str, reason: Option<String>, ours: Words) -> Answer {
    let works_on = event.name == BEFORE_STOP;
    let said = reason.clone().unwrap_or_else(|| ours.text.clone());
    Answer {
        ask: Some(Ask {
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
        ..Answer::default()
    }
}

fn fields(hook: &Hook, event: &EventSpec, mut object: Map<String, Value>, twice: Vec<String>) -> Result<Answer, Words> {
    object.retain(|_, value| !value.is_null());
    if object.get(MODIFIED_INPUT).is_some_and(|input| !input.is_object()) {
        return Err(say::INPUT_TYPE.plain());
    }
    let mut ignored: Vec<Ignored> = twice
        .into_iter()
        .map(|key| Ignored::new(key, say::KEY_TWICE.plain()))
        .collect();
    let mut text = |name: &str, value: Value| match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            ignored.push(Ignored::new(name, say::FIELD_TYPE.plain()));
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
    if let Some(log) = object.shift_remove("log").filter(|_| hook.mode == Mode::Await) {
        answer.fields.push(("log".to_owned(), log));
    }
    ignored.extend(
        object
            .into_iter()
            .map(|(name, _)| Ignored::new(name, say::UNKNOWN_KEY.plain())),
    );
    answer.ignored.extend(ignored);
    Ok(answer)
}

fn decision(hook: &Hook, event: &EventSpec, decision: Option<Value>, reason: Option<String>) -> Answer {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    let named = || say::BLOCKED_NAMED.say(args! { "name" => hook.label });
    let soft = |kind, ours| Answer {
        ask: Some(Ask {
            what: "decision",
            kind,
            reason: reason.clone(),
            feedback: None,
            ours,
        }),
        ..Answer::default()
    };
    let word = decision.as_ref().map(|value| value.as_str().unwrap_or_default());
    match word {
        Some("allow") => soft(VerdictKind::Approve, None),
        Some("deny") => holding(event, "decision", reason.clone(), named()),
        Some("ask") if event.name == BEFORE_STOP => holding(event, "decision", reason.clone(), say::CONFIRM.plain()),
        Some("ask") => soft(VerdictKind::Ask, Some(say::CONFIRM.plain())),
        Some(_) => {
            let written = decision.map_or_else(String::new, |value| value.to_string());
            let unknown = Ignored::new("decision", say::DECISION.say(args! { "written" => written }));
            undecided(Some(unknown), reason)
        }
        None => undecided(None, reason),
    }
}

/// No decision, or none that counts: a reason beside it counts no more.
fn undecided(unknown: Option<Ignored>, reason: Option<String>) -> Answer {
    let reason = reason.map(|_| Ignored::new("reason", say::REASON_ALONE.plain()));
    Answer {
        ignored: unknown.into_iter().chain(reason).collect(),
        ..Answer::default()
    }
}

fn exited(code: i32, run: &Run) -> Words {
    let said = ended::reason(run);
    if said.is_empty() {
        return say::EXITED.say(args! { "code" => code });
    }
    say::EXITED_SAYING.say(args! { "code" => code, "stderr" => said })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
