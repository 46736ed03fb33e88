//! Turns payloads into calls and chains into replies (`jcli.md` §5, §8). The output of a run is read in
//! [`super::answer`].

use std::path::Path;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Decoded, End, Handler, Hook, HookCounts, Message, Outcome, ProcessCall, Program, PromptCall,
    Reply, Resolution, Run, Verdict, VerdictKind, Wire, render,
};
use serde_json::{Map, Value};

use super::events::{REPLY_ORDER, STDIN_ORDER};
use super::{Jcli, messages, prompt};

/// Limit for the response of a model, in tokens.
const MAX_TOKENS: u32 = 2048;

impl Wire for Jcli {
    /// Adds the common fields that are missing. Given fields keep their place.
    ///
    /// # Errors
    /// The payload's `event` names another event.
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        let absent = |payload: &Payload, name: &str| payload.get(name).is_none_or(Value::is_null);
        if absent(payload, "event") {
            payload.insert("event".to_owned(), Value::from(event.name));
        } else if payload.get("event").and_then(Value::as_str) != Some(event.name) {
            let found = payload.get("event").map_or_else(String::new, |value| {
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            });
            return Err(render!(messages::answers::OTHER_EVENT, "found" => found, "event" => event.name));
        }
        if absent(payload, "session_id") {
            payload.insert("session_id".to_owned(), Value::from(defaults.session_id.as_str()));
        }
        if absent(payload, "cwd") {
            payload.insert("cwd".to_owned(), Value::from(defaults.cwd.display().to_string()));
        }
        Ok(())
    }

    /// The call that runs a hook on this payload.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        match &hook.handler {
            Handler::Prompt { template, model } => Call::Prompt(PromptCall {
                system: prompt::system_message().to_owned(),
                prompt: prompt::user_message(template, event, payload),
                model: model.clone(),
                max_tokens: MAX_TOKENS,
                temperature: 0.0,
            }),
            Handler::Shell { command } => shell(command, event, payload, project),
            // The engine never runs these handlers for j-cli. If it asks for one, the command is empty.
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Module { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Http(_)
            | Handler::Builtin { .. } => shell("", event, payload, project),
        }
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, _payload: &Payload, run: &Run) -> Decoded {
        super::answer::decode(hook, event, run)
    }

    /// Applies additions to the payload after the chain has ended (`jcli.md` §3).
    fn apply_additions(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions, _verdict: &Verdict) {
        if let Some(Value::Array(more)) = additions.get("inject_messages")
            && !more.is_empty()
        {
            match payload.get_mut("messages") {
                Some(Value::Array(messages)) => messages.extend(more.iter().cloned()),
                Some(_) | None => {
                    payload.insert("messages".to_owned(), Value::Array(more.clone()));
                }
            }
        }
        let joins_prompt = event.fields.iter().any(|field| field.name == "system_prompt")
            && ["pre_llm_request", "stop"].contains(&event.name);
        if let Some(Value::String(context)) = additions.get("additional_context").filter(|_| joins_prompt) {
            let joined = match payload.get("system_prompt").and_then(Value::as_str) {
                Some(prompt) if !prompt.is_empty() => format!("{prompt}\n\n{context}"),
                Some(_) | None => context.clone(),
            };
            payload.insert("system_prompt".to_owned(), Value::String(joined));
        }
    }

    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Stop, failure.clone())
    }

    /// The reply: one HookResult (`jcli.md` §8).
    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        let json = if event.notify_only {
            Map::new()
        } else {
            reply_fields(resolution)
        };
        Reply {
            json: Value::Object(json),
            exit_code: 0,
            stderr: String::new(),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        vec![
            ("executions", counts.attempts as f64),
            ("successes", counts.successes as f64),
            ("failures", counts.failures as f64),
            ("skipped", counts.sum_of(&[Outcome::NotMatched]) as f64),
            ("total_duration_ms", counts.total_ms),
        ]
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::fixtures::fixture(event)
    }
}

fn shell(command: &str, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
    let cwd = payload.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty());
    let cwd = cwd.map_or_else(|| project.to_owned(), |cwd| project.join(cwd));
    // `JCLI_CWD` is the joined path: inside that directory, a relative path would name another directory.
    let env = [
        ("JCLI_HOOK_EVENT", event.name.to_owned()),
        ("JCLI_CWD", cwd.display().to_string()),
    ];
    Call::Process(ProcessCall {
        program: Program::Shell(command.to_owned()),
        cwd,
        fallback_cwd: project.to_owned(),
        env: env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        stdin: stdin(payload),
        held_pipe: None,
        folder_vars: &[],
        env_file: None,
        env_without: &[],
    })
}

/// The payload as compact JSON: the fields of [`STDIN_ORDER`] first, then all others, without `null` values.
#[must_use]
pub fn stdin(payload: &Payload) -> Vec<u8> {
    let listed = STDIN_ORDER.iter().filter_map(|name| payload.get_key_value(*name));
    let others = payload.iter().filter(|(name, _)| !STDIN_ORDER.contains(&name.as_str()));
    let present = listed.chain(others).filter(|(_, value)| !value.is_null());
    let ordered: Map<String, Value> = present.map(|(name, value)| (name.clone(), value.clone())).collect();
    Value::Object(ordered).to_string().into_bytes()
}

fn reply_fields(resolution: &Resolution) -> Map<String, Value> {
    let verdict = &resolution.verdict;
    let message = resolution.additions.get_key_value("system_message");
    let mut given: Vec<(&str, Value)> = Vec::new();
    if verdict.kind.blocks() {
        // The reply to a failure that blocks has only the stop. The cause is the verdict's reason.
        let failed = verdict.code.is_some();
        given.extend(
            message
                .filter(|_| !failed)
                .map(|(name, value)| (name.as_str(), value.clone())),
        );
    }
    let feedback = || Value::String(verdict.feedback.clone().unwrap_or_default());
    match verdict.kind {
        VerdictKind::Retry if resolution.halted => {
            given.push(("retry_feedback", feedback()));
            given.push(("action", "stop".into()));
        }
        VerdictKind::Retry => {
            given.push(("retry_feedback", feedback()));
            let context = resolution.additions.get("additional_context");
            given.extend(context.map(|context| ("additional_context", context.clone())));
        }
        VerdictKind::Skip => given.push(("action", "skip".into())),
        VerdictKind::Stop => given.push(("action", "stop".into())),
        // Of these verdicts j-cli has only `Proceed`. If the engine decides another one, the agent is not blocked.
        VerdictKind::Proceed
        | VerdictKind::Approve
        | VerdictKind::Respond
        | VerdictKind::Ask
        | VerdictKind::Deny
        | VerdictKind::EndTurn
        | VerdictKind::EndSession => {
            let fields = resolution.replaced.iter().chain(&resolution.additions);
            given.extend(fields.map(|(name, value)| (name.as_str(), value.clone())));
        }
    }
    let position = |name: &str| {
        REPLY_ORDER
            .iter()
            .position(|known| *known == name)
            .unwrap_or(REPLY_ORDER.len())
    };
    given.sort_by_key(|(name, _)| position(name));
    given
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
