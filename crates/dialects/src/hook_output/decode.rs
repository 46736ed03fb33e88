//! Reads a run: how a command ended, and what its streams say.

use std::collections::BTreeSet;

use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{
    Conversation, ConversationRead, Decision, Decoded, End, Handler, Hook, HookId, HookOutput, Ignored, Message, Run,
    Trace, VerdictKind, render,
};
use serde_json::{Value, json};

use super::{
    HookOutputRules, KEY_TWICE, ObjectShape, ObjectsCount, OutputContext, PLAIN_TEXT, SPECIFIC_OUTPUT, UNREAD_STDOUT,
    UNREADABLE, block_kind, read_object,
};
use crate::crash_words;
use crate::exit_status;
use crate::json::{self, JsonObject, NotJson};
use crate::output_doctor;
use crate::session_hooks;

/// What a stdout contains.
enum Stdout {
    Blank,
    /// An object, and its duplicate keys.
    Object(JsonObject, Vec<String>),
    Text(String),
}

/// Reads the run of a command.
#[must_use]
pub fn decode(
    rules: &'static HookOutputRules,
    hook: &Hook,
    event: &EventSpec,
    payload: &Payload,
    run: &Run,
) -> Decoded {
    if let Some(strict) = rules.strict {
        return super::strict::decode((rules.agent, strict), rules.ends, hook, event, payload, run);
    }
    let context = context_of(rules, hook, event, payload);
    let output = match rules.commands.objects {
        ObjectsCount::AtSuccess => at_success(&context, hook, run),
        ObjectsCount::Always => at_every_end(&context, hook, run),
    };
    decoded(output)
}

/// Reads what a callback of the agent returned.
#[must_use]
pub fn decode_callback(
    rules: &'static HookOutputRules,
    hook: &Hook,
    event: &EventSpec,
    payload: &Payload,
    run: &Run,
) -> Decoded {
    Decoded::Failure(match run.end {
        End::Replied => match json::read_last_wins(&String::from_utf8_lossy(&run.stdout.bytes)) {
            Ok((Value::Object(object), twice)) => return decode_object(rules, hook, event, payload, object, twice),
            Ok(_) | Err(_) => UNREADABLE.render_plain(),
        },
        End::Refused => render!(session_hooks::CALLBACK_ERROR, "message" => exit_status::stderr_reason(run)),
        End::PeerGone => session_hooks::AGENT_LEFT.render_plain(),
        End::TimedOut => exit_status::timeout_message(hook),
        End::NotStarted => render!(exit_status::NOT_STARTED, "stderr" => exit_status::stderr_reason(run)),
        End::Exit | End::Signal | End::Cancelled | End::Done => exit_status::ENDED_OTHERWISE.render_plain(),
    })
}

/// Reads an object that was returned, with its duplicate keys.
#[must_use]
pub fn decode_object(
    rules: &'static HookOutputRules,
    hook: &Hook,
    event: &EventSpec,
    payload: &Payload,
    object: JsonObject,
    twice: Vec<String>,
) -> Decoded {
    if let Some(strict) = rules.strict {
        return super::strict::decode_object((rules.agent, strict), rules.ends, event, payload, object, twice);
    }
    let context = context_of(rules, hook, event, payload);
    decoded(read(&context, object, twice))
}

fn context_of<'a>(
    rules: &'static HookOutputRules,
    hook: &Hook,
    event: &'a EventSpec,
    payload: &'a Payload,
) -> OutputContext<'a> {
    OutputContext {
        rules,
        event,
        tool: payload.get("tool_name").and_then(Value::as_str).unwrap_or_default(),
        is_command: matches!(hook.handler, Handler::Shell { .. }),
    }
}

fn decoded(output: Result<HookOutput, Message>) -> Decoded {
    match output {
        Ok(output) if output == HookOutput::default() => Decoded::Nothing,
        Ok(output) => Decoded::Answer(output),
        Err(message) => Decoded::Failure(message),
    }
}

fn read(context: &OutputContext<'_>, object: JsonObject, twice: Vec<String>) -> Result<HookOutput, Message> {
    let mut output = read_object(context, object)?;
    let twice = twice.into_iter().map(|key| Ignored::new(key, KEY_TWICE.render_plain()));
    output.ignored.extend(twice);
    Ok(output)
}

/// Exit code 0: what stdout says. 2: a block with the reason on stderr. Everything else is a failure.
fn at_success(context: &OutputContext<'_>, hook: &Hook, run: &Run) -> Result<HookOutput, Message> {
    match exit_status::status(hook, run)? {
        0 => read_stdout(context, run),
        2 if context.event.exit_2.is_some() => Ok(HookOutput {
            decision: Some(block(context, exit_status::stderr_reason(run))),
            ignored: unread_stdout(run).into_iter().collect(),
            warnings: crash_words::crash_warning(run).into_iter().collect(),
            ..HookOutput::default()
        }),
        code => Err(exit_status::exit_message(code, run)),
    }
}

/// An object decides at every exit code, and after a signal. Exit code 2 blocks beside it. Without an object, every
/// other code than 0 and 2 is a failure.
fn at_every_end(context: &OutputContext<'_>, hook: &Hook, run: &Run) -> Result<HookOutput, Message> {
    let event = context.event;
    let code = match (run.end, run.code) {
        (End::Exit, Some(code)) => Some(code),
        (End::Signal, _) => None,
        _ => return exit_status::status(hook, run).map(|_| HookOutput::default()),
    };
    let only_at_success = context.rules.commands.only_at_success.contains(&event.name);
    let failed = || match code {
        Some(code) => exit_status::exit_message(code, run),
        None => exit_status::status(hook, run)
            .err()
            .unwrap_or_else(|| exit_status::ENDED_OTHERWISE.render_plain()),
    };
    let stdout = read_text(run).and_then(|text| shape(context, &text));
    let leaves_specific = context.rules.commands.specific_unread_at_2.contains(&event.name);
    let output = match stdout {
        Ok(Stdout::Object(mut object, twice)) if leaves_specific && code == Some(2) => {
            let unread = object.remove(SPECIFIC_OUTPUT);
            let unread = unread.map(|_| Ignored::new(SPECIFIC_OUTPUT, UNREAD_STDOUT.render_plain()));
            Some(read(context, object, twice).map(|mut output| {
                output.ignored.extend(unread);
                output
            }))
        }
        Ok(Stdout::Object(object, twice)) => Some(read(context, object, twice)),
        Ok(Stdout::Blank | Stdout::Text(_)) => None,
        Err(message) => Some(Err(message)),
    };
    match (code, event.exit_2) {
        (Some(2), Some(kind)) => Ok(block_beside(context, kind, output, run)),
        (Some(0), _) => read_stdout(context, run),
        (_, _) if only_at_success => output
            .and_then(Result::ok)
            .and_then(|output| late_part(output, &failed()))
            .ok_or_else(failed),
        (_, _) => output.unwrap_or_else(|| Err(failed())),
    }
}

/// What counts of the answer of a failed run at an event at which answers count at exit code 0 only: its block, and the
/// paths to watch.
fn late_part(output: HookOutput, failed: &Message) -> Option<HookOutput> {
    const WATCHED: &str = "watchPaths";
    let blocks = |decision: &Decision| decision.what == "decision" && decision.kind.blocks();
    let (fields, lost): (Vec<_>, Vec<_>) = output.fields.into_iter().partition(|(name, _)| name == WATCHED);
    let decision = output.decision.filter(blocks);
    let mut ignored = output.ignored;
    ignored.extend(lost.into_iter().map(|(name, _)| Ignored::new(name, failed.clone())));
    (decision.is_some() || !fields.is_empty()).then(|| HookOutput {
        fields,
        decision,
        ignored,
        ..HookOutput::default()
    })
}

/// Exit code 2 at an event that it blocks: the reason of an answer that blocks too, else stderr.
fn block_beside(
    context: &OutputContext<'_>,
    kind: VerdictKind,
    output: Option<Result<HookOutput, Message>>,
    run: &Run,
) -> HookOutput {
    let by_code = block(context, exit_status::stderr_reason(run));
    let mut answer = match output {
        Some(Ok(output)) => output,
        Some(Err(message)) => HookOutput {
            ignored: vec![Ignored::new("stdout", message)],
            ..HookOutput::default()
        },
        None => HookOutput {
            ignored: unread_stdout(run).into_iter().collect(),
            ..HookOutput::default()
        },
    };
    let decisions: Vec<Decision> = answer
        .decision
        .take()
        .into_iter()
        .chain(answer.other_decisions)
        .collect();
    let (same, mut others): (Vec<Decision>, Vec<Decision>) =
        decisions.into_iter().partition(|decision| decision.kind == kind);
    if same.is_empty() {
        answer.warnings.extend(crash_words::crash_warning(run));
    }
    others.push(same.into_iter().next().unwrap_or(by_code));
    others.sort_by_key(|decision| std::cmp::Reverse(decision.kind));
    let mut others = others.into_iter();
    HookOutput {
        decision: others.next(),
        other_decisions: others.collect(),
        ..answer
    }
}

fn block(context: &OutputContext<'_>, reason: String) -> Decision {
    let given = (!reason.is_empty()).then_some(reason);
    let ours = given.is_none().then(|| context.rules.commands.blocked.render_plain());
    let feedback = given
        .clone()
        .or_else(|| ours.as_ref().map(|message| message.text.clone()));
    let kind = block_kind(context.event);
    Decision {
        what: "decision",
        kind,
        reason: given,
        feedback: feedback.filter(|_| kind == VerdictKind::Retry),
        default_message: ours,
    }
}

/// What stdout asks for, after exit code 0.
fn read_stdout(context: &OutputContext<'_>, run: &Run) -> Result<HookOutput, Message> {
    match shape(context, &read_text(run)?)? {
        Stdout::Blank => Ok(HookOutput::default()),
        Stdout::Object(object, twice) => read(context, object, twice),
        Stdout::Text(text) => Ok(match context.event.plain_stdout {
            Some(field) => HookOutput {
                fields: vec![(field.to_owned(), Value::String(text))],
                ..HookOutput::default()
            },
            None => HookOutput {
                ignored: vec![Ignored::new("stdout", PLAIN_TEXT.render_plain())],
                ..HookOutput::default()
            },
        }),
    }
}

/// The trimmed text of stdout.
fn read_text(run: &Run) -> Result<String, Message> {
    if run.stdout.is_cut() {
        return Err(exit_status::TOO_MUCH.render_plain());
    }
    let text = std::str::from_utf8(&run.stdout.bytes).map_err(|_| exit_status::NOT_UTF8.render_plain())?;
    Ok(text.trim_start_matches('\u{feff}').trim().to_owned())
}

/// What the text of stdout is.
fn shape(context: &OutputContext<'_>, text: &str) -> Result<Stdout, Message> {
    if text.is_empty() {
        return Ok(Stdout::Blank);
    }
    let read = json::read_last_wins(text);
    if let Ok((Value::Object(object), twice)) = read {
        return Ok(Stdout::Object(object, twice));
    }
    if read == Err(NotJson::Unrepresentable) && text.starts_with('{') {
        return Err(exit_status::UNREPRESENTABLE.render_plain());
    }
    let is_broken = match context.rules.commands.looks_like {
        ObjectShape::Line => {
            context.event.plain_stdout.is_none() && (read.is_ok() || output_doctor::looks_like_object(text))
        }
        ObjectShape::Braces => text.starts_with('{') && text.ends_with('}') && !is_log(context, text),
    };
    if is_broken {
        return Err(UNREADABLE.render_plain());
    }
    Ok(Stdout::Text(text.to_owned()))
}

/// Whether every line is an object and none has a field of an answer: the records of a log.
fn is_log(context: &OutputContext<'_>, text: &str) -> bool {
    let known = |key: &String| {
        let rows = &context.rules.rows;
        ["continue", "decision", "reason", "stopReason", SPECIFIC_OUTPUT].contains(&key.as_str())
            || rows.iter().any(|row| row.name == key)
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| json::read_last_wins(line.trim()))
        .all(|read| match read {
            Ok((Value::Object(object), _)) => !object.keys().any(known),
            Ok(_) | Err(_) => false,
        })
}

/// What a block by exit code 2 does not read.
fn unread_stdout(run: &Run) -> Option<Ignored> {
    let is_blank = run.stdout.bytes.iter().all(u8::is_ascii_whitespace);
    (!is_blank).then(|| Ignored::new("stdout", UNREAD_STDOUT.render_plain()))
}

/// The hooks of a conversation whose plain text on stdout was already reported as ignored. A formatter may print at
/// every event, so one notice for each hook is enough.
#[derive(Debug, Default)]
pub struct ReportedTexts(BTreeSet<HookId>);

impl Conversation for ReportedTexts {
    fn read(&self, _event: &EventSpec, _payload: &Payload) -> ConversationRead {
        ConversationRead::default()
    }

    fn remember(&mut self, _event: &EventSpec, _read: &ConversationRead, trace: &mut Trace) {
        for step in &mut trace.steps {
            step.ignored
                .retain(|ignored| ignored.code != PLAIN_TEXT.code || self.0.insert(step.hook.clone()));
        }
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}
