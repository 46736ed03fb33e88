//! Translates payloads to calls and chains to replies (`agent-hooks.md` §5, §8). [`super::answer`] reads the output of
//! a run.

use std::path::{Path, PathBuf};

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Decoded, End, Handler, Hook, HookCounts, Message, ProcessCall, Program, Reply, Resolution, Run,
    Step, ToolCounts, Trace, Verdict, VerdictKind, Wire, python_json::to_python_json, render,
};
use serde_json::{Map, Value};

use super::events::{CARD, CONTEXT, EVENT_TYPE, MODIFIED_INPUT, SESSION_ID, TIMESTAMP, WORK_DIR};
use super::{AgentHooks, entry, messages::answers};

impl Wire for AgentHooks {
    /// Fills in missing common fields and puts them first, in the table's order.
    ///
    /// # Errors
    /// The payload's `event_type` names another event, in either spelling.
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        let given = payload.get(EVENT_TYPE).filter(|value| !value.is_null());
        if let Some(given) = given {
            let name = given.as_str().unwrap_or_default();
            if name != event.name && CARD.resolve_alias(name) != Some(event.name) {
                let found = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
                return Err(render!(answers::OTHER_EVENT, "found" => found, "event" => event.name));
            }
        }
        // Hooks receive the seed's spelling, whatever spelling the payload has.
        payload.insert(EVENT_TYPE.to_owned(), event.name.into());
        let mut whole = Payload::new();
        for common in CARD.common {
            let given = payload.shift_remove(common.name).filter(|value| !value.is_null());
            let value = given.unwrap_or_else(|| default_value(common.name, defaults));
            whole.insert(common.name.to_owned(), value);
        }
        whole.append(payload);
        *payload = whole;
        Ok(())
    }

    fn encode(&self, hook: &Hook, _event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        encode(hook, payload, project)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, _payload: &Payload, run: &Run) -> Decoded {
        super::answer::decode(hook, event, run)
    }

    /// Contexts are for the model and are not part of the payload.
    fn apply_additions(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions, _verdict: &Verdict) {}

    /// Hooks always fail open. If the engine asks anyway, the call is denied with the failure's message.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Deny, failure.clone())
    }

    fn user_messages(&self, _event: &EventSpec, resolution: &Resolution) -> Vec<Message> {
        user_messages(resolution)
    }

    fn reply(&self, _event: &EventSpec, resolution: &Resolution) -> Reply {
        reply(resolution)
    }

    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        super::native::hook_counters(counts)
    }

    fn native_tool_counters(&self, counts: &ToolCounts) -> Vec<(&'static str, f64)> {
        super::native::tool_counters(counts)
    }

    fn debug_lines(&self, trace: &Trace, step: &Step) -> Vec<String> {
        super::native::debug_lines(trace, step)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::fixtures::fixture(event)
    }
}

fn default_value(field: &str, defaults: &EventDefaults) -> Value {
    match field {
        // Whole seconds with a numeric offset, as in the seed's example.
        TIMESTAMP => defaults.now.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string().into(),
        SESSION_ID => defaults.session_id.as_str().into(),
        WORK_DIR => defaults.cwd.display().to_string().into(),
        // `event_type` is never missing here, and there is no other common field.
        _ => Value::Null,
    }
}

/// The call that runs a hook on this payload: its entry script as it is, without arguments and without a shell.
#[must_use]
pub fn encode(hook: &Hook, payload: &Payload, project: &Path) -> Call {
    let work_dir = text(payload, WORK_DIR).filter(|dir| !dir.is_empty());
    let cwd = work_dir.map_or_else(|| project.to_owned(), |dir| project.join(dir));
    // The script runs in this directory, where a relative path would name another directory.
    let shown = cwd.display().to_string();
    let env = [
        (
            "KIMI_SESSION_ID",
            text(payload, SESSION_ID).unwrap_or_default().to_owned(),
        ),
        ("KIMI_WORK_DIR", shown.clone()),
        ("KIMI_PROJECT_DIR", shown),
    ];
    Call::Process(ProcessCall {
        program: Program::Argv(argv(&entry_path(hook))),
        cwd,
        fallback_cwd: project.to_owned(),
        env: env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        stdin: to_python_json(payload).into_bytes(),
        held_pipe: None,
        folder_vars: &[],
        env_file: None,
        env_without: &[],
    })
}

fn text<'a>(payload: &'a Payload, field: &str) -> Option<&'a str> {
    payload.get(field).and_then(Value::as_str)
}

/// The entry script. If there is none, the path where it belongs, so that starting it fails with the system's message.
fn entry_path(hook: &Hook) -> PathBuf {
    match &hook.handler {
        Handler::Script { entry: Some(entry) } => entry.clone(),
        Handler::Script { entry: None }
        | Handler::Shell { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => {
            let folder = hook.source.path.parent().unwrap_or(&hook.source.path);
            folder.join(entry::CANDIDATES[0])
        }
    }
}

/// Windows cannot start a script by its first line (`agent-hooks.md` §5).
fn argv(entry: &Path) -> Vec<String> {
    let name = entry.display().to_string();
    let ending = entry.extension().and_then(|ending| ending.to_str());
    let starter: &[&str] = match ending {
        Some("py") if cfg!(windows) => &["py", "-3"],
        Some("sh") if cfg!(windows) => &["sh"],
        Some(_) | None => &[],
    };
    starter.iter().map(|word| (*word).to_owned()).chain([name]).collect()
}

/// The reply to the agent: JSON on stdout with exit code 0, or the reason on stderr with exit code 2 (`agent-hooks.md`
/// §8).
#[must_use]
pub fn reply(resolution: &Resolution) -> Reply {
    let verdict = &resolution.verdict;
    let decision = match verdict.kind {
        VerdictKind::Proceed => None,
        VerdictKind::Approve | VerdictKind::Respond => Some("allow"),
        VerdictKind::Ask => Some("ask"),
        VerdictKind::Skip
        | VerdictKind::Deny
        | VerdictKind::Retry
        | VerdictKind::Stop
        | VerdictKind::EndTurn
        | VerdictKind::EndSession => {
            return Reply {
                json: Value::Object(Map::new()),
                exit_code: 2,
                stderr: verdict.reason.clone().unwrap_or_default(),
            };
        }
    };
    let reason = verdict.reason.clone().filter(|_| verdict.kind == VerdictKind::Ask);
    let fields = [
        ("decision", decision.map(Value::from)),
        ("reason", reason.map(Value::from)),
        (MODIFIED_INPUT, resolution.replaced.get(MODIFIED_INPUT).cloned()),
        (CONTEXT, resolution.additions.get(CONTEXT).cloned()),
    ];
    let json = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Reply {
        json: Value::Object(json.collect()),
        exit_code: 0,
        stderr: String::new(),
    }
}

/// The message that the agent shows when it continues after a block (`agent-hooks.md` §8).
#[must_use]
pub fn user_messages(resolution: &Resolution) -> Vec<Message> {
    let verdict = &resolution.verdict;
    let reason = verdict.reason.as_deref().unwrap_or_default();
    (verdict.kind == VerdictKind::Retry)
        .then(|| render!(answers::BLOCKED_STOP, "reason" => reason))
        .into_iter()
        .collect()
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
