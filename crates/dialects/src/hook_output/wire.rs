//! Fills in payloads and starts commands.

use std::path::Path;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Call, CallbackCall, Card, CommandSpec, CommandStart, Hook, Message, POWER_SHELL, ProcessCall, Program, render,
};
use serde_json::Value;

use super::OTHER_EVENT;

/// Adds the common fields that are missing, in the order of the card. Given fields keep their place.
///
/// # Errors
/// The payload's `hook_event_name` names another event.
pub fn accept(card: &Card, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
    let absent = |payload: &Payload, name: &str| payload.get(name).is_none_or(Value::is_null);
    if !absent(payload, "hook_event_name") && payload.get("hook_event_name").and_then(Value::as_str) != Some(event.name)
    {
        let found = payload.get("hook_event_name").map_or_else(String::new, |value| {
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        });
        return Err(render!(OTHER_EVENT, "found" => found, "event" => event.name));
    }
    for field in card.common {
        let value = match field.name {
            "hook_event_name" => event.name.to_owned(),
            "session_id" => defaults.session_id.clone(),
            "transcript_path" => String::new(),
            "cwd" => defaults.cwd.display().to_string(),
            _ => continue,
        };
        if absent(payload, field.name) {
            payload.insert(field.name.to_owned(), Value::String(value));
        }
    }
    Ok(())
}

/// The call of a function of the agent, with the payload.
#[must_use]
pub fn callback_call(callback: &str, event: &EventSpec, payload: &Payload) -> Call {
    Call::Callback(CallbackCall {
        callback: callback.to_owned(),
        event: event.name,
        input: Value::Object(payload.clone()),
        tool_use_id: payload.get("tool_use_id").and_then(Value::as_str).map(str::to_owned),
    })
}

/// The process of a command: as the definition says it is started, in the payload's directory, with the payload on
/// stdin.
#[must_use]
pub fn command_call(
    spec: &CommandSpec,
    hook: &Hook,
    command: &str,
    payload: &Payload,
    project: &Path,
    env: Vec<(String, String)>,
) -> ProcessCall {
    let cwd = payload.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty());
    let program = match spec.start(&hook.definition) {
        CommandStart::Program(arguments) => {
            Program::Argv(std::iter::once(command.to_owned()).chain(arguments).collect())
        }
        // The engine knows where the common shell is.
        CommandStart::Shell(shell) if shell == spec.shell => Program::Shell(command.to_owned()),
        CommandStart::Shell(shell) => Program::Argv([shell, "-c", command].map(str::to_owned).to_vec()),
        CommandStart::PowerShell => {
            let words = POWER_SHELL.into_iter().chain([command]);
            Program::Argv(words.map(str::to_owned).collect())
        }
    };
    ProcessCall {
        program,
        cwd: cwd.map_or_else(|| project.to_owned(), |cwd| project.join(cwd)),
        fallback_cwd: project.to_owned(),
        env,
        stdin: Value::Object(payload.clone()).to_string().into_bytes(),
        held_pipe: None,
        folder_vars: &[],
        env_file: None,
        env_without: &[],
    }
}
