//! Turns payloads into calls, and outputs into decisions (`codex.md` §5, §6). The replies are those of §8.

use std::collections::BTreeMap;
use std::path::Path;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Conversation, ConversationRead, Decoded, End, Handler, HeldPipe, Hook, Message, Notice, Program,
    Reply, Resolution, Run, Trace, Verdict, VerdictKind, Wire, render,
};
use serde_json::Value;

use super::events::{CARD, COMMAND, OUTPUT};
use super::messages::answers;
use super::schema::CONTEXT_TOKENS;
use super::{Codex, plugins};
use crate::hook_output::{self, ReportedTexts, SPECIFIC_OUTPUT};

/// The bytes of a token, as far as they are counted.
const TOKEN_BYTES: usize = 4;
/// Each of so many blocked stops in a row is reported.
const STOPS: u64 = 10;

impl Wire for Codex {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        let is_given = payload.contains_key("transcript_path");
        hook_output::accept(&CARD, event, payload, defaults)?;
        if !is_given {
            payload.insert("transcript_path".to_owned(), Value::Null);
        }
        Ok(())
    }

    /// The call that runs a hook on this payload. A command starts in the project, whatever the payload says.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        match &hook.handler {
            Handler::Shell { command } => {
                let mut call = hook_output::command_call(
                    &COMMAND,
                    hook,
                    command,
                    payload,
                    project,
                    plugins::variables(&hook.source.path),
                );
                call.cwd = project.to_owned();
                call.held_pipe = Some(HeldPipe::UntilClosed);
                if plugins::plugin_of(&hook.source.path).is_some() {
                    call.folder_vars = plugins::FOLDER_VARIABLES;
                }
                call.program = Program::LoginShell(command.clone());
                Call::Process(call)
            }
            Handler::Callback { callback } => hook_output::callback_call(callback, event, payload),
            // Hookwright starts none of these handlers for Codex.
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Prompt { .. }
            | Handler::Module { .. }
            | Handler::Insert { .. }
            | Handler::Http(_)
            | Handler::Builtin { .. } => Call::Immediate(Decoded::Failure(hook_output::NO_AGENT.render_plain())),
        }
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        let mut decoded = if matches!(hook.handler, Handler::Callback { .. }) {
            hook_output::decode_callback(&OUTPUT, hook, event, payload, run)
        } else {
            hook_output::decode(&OUTPUT, hook, event, payload, run)
        };
        if let Decoded::Answer(answer) = &mut decoded {
            let context = answer.fields.iter().find(|(name, _)| name == "additionalContext");
            let warning = context.and_then(|(_, text)| context_cut(hook, text.as_str()?));
            answer.warnings.extend(warning);
        }
        decoded
    }

    /// After a tool the reasons replace its output.
    fn apply_additions(&self, event: &EventSpec, payload: &mut Payload, _additions: &Additions, verdict: &Verdict) {
        if let Some(reason) = verdict.reason.as_deref().filter(|_| event.name == "PostToolUse") {
            payload.insert("tool_response".to_owned(), reason.into());
        }
    }

    /// The one failure that is closed: a new input that does not fit.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Deny, failure.clone())
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        let mut reply = hook_output::reply(&OUTPUT, event, resolution);
        // A new input counts only with this word.
        if let Some(Value::Object(specific)) = reply.json.get_mut(SPECIFIC_OUTPUT)
            && specific.contains_key("updatedInput")
        {
            specific.shift_insert(1, "permissionDecision".to_owned(), "allow".into());
        }
        reply
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::fixtures::fixture(event)
    }
}

/// The warning about more context than the agent keeps.
fn context_cut(hook: &Hook, text: &str) -> Option<Message> {
    let limit = hook.definition.get("additionalContextLimit").and_then(Value::as_u64);
    let limit = limit.unwrap_or(CONTEXT_TOKENS.unsigned_abs());
    let tokens = u64::try_from(text.len().div_ceil(TOKEN_BYTES)).unwrap_or(u64::MAX);
    (tokens > limit).then(|| render!(answers::CONTEXT_CUT, "tokens" => tokens, "limit" => limit))
}

/// What a conversation remembers: the texts that were said to have no effect, and the blocked stops in a row.
#[derive(Debug, Default)]
pub struct Memory {
    texts: ReportedTexts,
    /// Blocked stops in a row, by event and subagent.
    stops: BTreeMap<String, u64>,
}

impl Conversation for Memory {
    fn read(&self, _event: &EventSpec, _payload: &Payload) -> ConversationRead {
        ConversationRead::default()
    }

    fn remember(&mut self, event: &EventSpec, read: &ConversationRead, trace: &mut Trace) {
        self.texts.remember(event, read, trace);
        trace.notices.extend(race(trace));
        if event.exit_2 != Some(VerdictKind::Retry) {
            return;
        }
        let agent = trace.payload_before.get("agent_id").and_then(Value::as_str);
        let key = format!("{}:{}", event.name, agent.unwrap_or_default());
        if trace.verdict.kind != VerdictKind::Retry {
            self.stops.remove(&key);
            return;
        }
        let count = self.stops.entry(key).or_default();
        *count += 1;
        if (*count).is_multiple_of(STOPS) {
            let message = render!(answers::STOP_LOOP, "count" => *count);
            trace
                .notices
                .push(Notice::warning(message, trace.verdict.by.as_deref()));
        }
    }

    fn to_json(&self) -> Value {
        serde_json::json!({ "texts": self.texts.to_json(), "stops": self.stops })
    }
}

/// The warning that several hooks set the input of a call: the first one that lost, and the one that counts.
fn race(trace: &Trace) -> Option<Notice> {
    let lost = trace.steps.iter().find(|step| {
        let mut ignored = step.ignored.iter();
        ignored.any(|ignored| ignored.what == "updatedInput" && ignored.args.contains_key("hook"))
    })?;
    let kept = trace
        .steps
        .iter()
        .rev()
        .find(|step| step.hook != lost.hook && step.edits.iter().any(|edit| edit.field == "tool_input"))?;
    let message = render!(answers::INPUT_RACE, "hook" => lost.hook, "other" => kept.hook);
    Some(Notice::warning(message, Some(&kept.hook)))
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
