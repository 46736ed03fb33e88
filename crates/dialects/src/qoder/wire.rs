//! Turns payloads into calls and chains into replies (`qoder.md` §5, §8). The output of a run is read in
//! [`super::answer`].

use std::path::Path;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, CallbackCall, CommandStart, Decoded, End, Handler, Hook, Message, ProcessCall, Program, Reply,
    Resolution, Run, Verdict, VerdictKind, Wire, render,
};
use serde_json::{Map, Value, json};

use super::events::COMMAND;
use super::{Qoder, bridge, messages};

impl Wire for Qoder {
    /// Adds the common fields that are missing. Given fields keep their place.
    ///
    /// # Errors
    /// The payload's `hook_event_name` names another event.
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        let absent = |payload: &Payload, name: &str| payload.get(name).is_none_or(Value::is_null);
        if !absent(payload, "hook_event_name")
            && payload.get("hook_event_name").and_then(Value::as_str) != Some(event.name)
        {
            let found = payload.get("hook_event_name").map_or_else(String::new, |value| {
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            });
            return Err(render!(messages::answers::OTHER_EVENT, "found" => found, "event" => event.name));
        }
        let given = [
            ("hook_event_name", event.name.to_owned()),
            ("session_id", defaults.session_id.clone()),
            ("transcript_path", String::new()),
            ("cwd", defaults.cwd.display().to_string()),
        ];
        for (name, value) in given {
            if absent(payload, name) {
                payload.insert(name.to_owned(), Value::String(value));
            }
        }
        Ok(())
    }

    /// The call that runs a hook on this payload.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        match &hook.handler {
            Handler::Shell { command } => command_call(hook, command, payload, project),
            Handler::Module {
                path,
                callback,
                content,
            } => bridge::call(
                &hook.approval_key().0,
                path,
                content,
                callback.as_deref(),
                payload,
                project,
            ),
            Handler::Callback { callback } => Call::Callback(CallbackCall {
                callback: callback.clone(),
                event: event.name,
                input: Value::Object(payload.clone()),
                tool_use_id: payload.get("tool_use_id").and_then(Value::as_str).map(str::to_owned),
            }),
            // Hookwright starts none of these handlers for Qoder.
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Prompt { .. }
            | Handler::Insert { .. }
            | Handler::Builtin => Call::Immediate(Decoded::Failure(messages::answers::NO_AGENT.render_plain())),
        }
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        super::answer::decode(hook, event, payload, run)
    }

    /// Changes nothing: no addition belongs into the payload.
    fn apply_additions(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions) {}

    /// Denies. Qoder's hooks always fail open, but if the engine asks, this is the strictest verdict that every event
    /// understands.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Deny, failure.clone())
    }

    /// The reply: one merged object (`qoder.md` §8).
    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        let mut json = Map::new();
        let verdict = &resolution.verdict;
        let ends = verdict.kind == VerdictKind::EndSession;
        if ends {
            json.insert("continue".to_owned(), Value::Bool(false));
            let reason = resolution.additions.get("stopReason").cloned();
            let reason = reason.or_else(|| verdict.reason.clone().map(Value::String));
            insert_some(&mut json, "stopReason", reason);
        }
        for name in ["suppressOutput", "systemMessage"] {
            insert_some(&mut json, name, resolution.additions.get(name).cloned());
        }
        // The end of the session does not hide a denial.
        let decided = if ends {
            resolution.weaker_verdict.as_ref()
        } else {
            Some(verdict)
        };
        let specific = specific_output(event, resolution, decided);
        let blocks = decided
            .filter(|_| !is_permission(event))
            .filter(|verdict| match verdict.kind {
                VerdictKind::Retry => true,
                VerdictKind::Deny => event.name != "PreToolUse",
                VerdictKind::Proceed
                | VerdictKind::Approve
                | VerdictKind::Respond
                | VerdictKind::Ask
                | VerdictKind::Skip
                | VerdictKind::Stop
                | VerdictKind::EndTurn
                | VerdictKind::EndSession => false,
            });
        if let Some(verdict) = blocks {
            json.insert("decision".to_owned(), "block".into());
            insert_some(&mut json, "reason", verdict.reason.clone().map(Value::String));
        }
        if !specific.is_empty() {
            let mut named = Map::from_iter([("hookEventName".to_owned(), Value::from(event.name))]);
            named.extend(specific);
            json.insert("hookSpecificOutput".to_owned(), Value::Object(named));
        }
        Reply {
            json: Value::Object(json),
            exit_code: 0,
            stderr: String::new(),
        }
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::fixtures::fixture(event)
    }
}

fn command_call(hook: &Hook, command: &str, payload: &Payload, project: &Path) -> Call {
    let cwd = payload.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty());
    let definition = &hook.definition;
    let program = match COMMAND.start(definition) {
        CommandStart::Program(arguments) => {
            Program::Argv(std::iter::once(command.to_owned()).chain(arguments).collect())
        }
        // The engine knows where the common shell is.
        CommandStart::Shell(shell) if shell == COMMAND.shell => Program::Shell(command.to_owned()),
        CommandStart::Shell(shell) => Program::Argv([shell, "-c", command].map(str::to_owned).to_vec()),
    };
    let variables = definition.get("env").and_then(Value::as_object);
    let variables = variables.into_iter().flatten();
    let variables = variables.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    Call::Process(ProcessCall {
        program,
        cwd: cwd.map_or_else(|| project.to_owned(), |cwd| project.join(cwd)),
        fallback_cwd: project.to_owned(),
        env: std::iter::once(project_dir_var(project)).chain(variables).collect(),
        stdin: Value::Object(payload.clone()).to_string().into_bytes(),
    })
}

/// The environment variable that gives hooks the project directory.
#[must_use]
pub fn project_dir_var(project: &Path) -> (String, String) {
    ("QODER_PROJECT_DIR".to_owned(), project.display().to_string())
}

fn is_permission(event: &EventSpec) -> bool {
    event.name == "PermissionRequest"
}

/// The fields of `hookSpecificOutput`, without the event's name.
fn specific_output(event: &EventSpec, resolution: &Resolution, decided: Option<&Verdict>) -> Map<String, Value> {
    let mut out = Map::new();
    let input = resolution.replaced.get("updatedInput").cloned();
    if is_permission(event) {
        insert_some(
            &mut out,
            "decision",
            decided.and_then(|verdict| permission_decision(verdict, resolution, input)),
        );
        return out;
    }
    if let Some(verdict) = decided.filter(|_| event.output("permissionDecision").is_some()) {
        let word = match verdict.kind {
            VerdictKind::Approve => Some("allow"),
            VerdictKind::Ask => Some("ask"),
            VerdictKind::Deny => Some("deny"),
            VerdictKind::Proceed
            | VerdictKind::Respond
            | VerdictKind::Skip
            | VerdictKind::Retry
            | VerdictKind::Stop
            | VerdictKind::EndTurn
            | VerdictKind::EndSession => None,
        };
        if let Some(word) = word {
            out.insert("permissionDecision".to_owned(), word.into());
            insert_some(
                &mut out,
                "permissionDecisionReason",
                verdict.reason.clone().map(Value::String),
            );
        }
    }
    insert_some(&mut out, "updatedInput", input);
    for name in ["updatedToolOutput", "updatedMCPToolOutput"] {
        insert_some(&mut out, name, resolution.replaced.get(name).cloned());
    }
    for name in ["additionalContext", "initialUserMessage", "watchPaths"] {
        let value = resolution.additions.get(name).cloned();
        insert_some(
            &mut out,
            name,
            value.filter(|value| value.as_array().is_none_or(|list| !list.is_empty())),
        );
    }
    out
}

/// The decision about a permission.
fn permission_decision(verdict: &Verdict, resolution: &Resolution, input: Option<Value>) -> Option<Value> {
    let mut out = Map::new();
    match verdict.kind {
        VerdictKind::Approve => {
            out.insert("behavior".to_owned(), json!("allow"));
            insert_some(&mut out, "updatedInput", input);
            let permissions = resolution.additions.get("updatedPermissions").cloned();
            insert_some(&mut out, "updatedPermissions", permissions);
        }
        VerdictKind::Deny => {
            out.insert("behavior".to_owned(), json!("deny"));
            insert_some(&mut out, "message", verdict.reason.clone().map(Value::String));
            insert_some(&mut out, "interrupt", resolution.additions.get("interrupt").cloned());
        }
        VerdictKind::Proceed
        | VerdictKind::Respond
        | VerdictKind::Ask
        | VerdictKind::Skip
        | VerdictKind::Retry
        | VerdictKind::Stop
        | VerdictKind::EndTurn
        | VerdictKind::EndSession => return None,
    }
    Some(Value::Object(out))
}

fn insert_some(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    object.extend(value.map(|value| (name.to_owned(), value)));
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
