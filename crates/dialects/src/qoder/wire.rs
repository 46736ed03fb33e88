//! Turns payloads into calls (`qoder.md` §5). The replies of [`crate::hook_output`] are those of §8.

use std::path::Path;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Decoded, End, Handler, Hook, Message, Reply, Resolution, Run, Verdict, VerdictKind, Wire,
};
use serde_json::Value;

use super::events::{CARD, COMMAND, OUTPUT};
use super::{Qoder, bridge};
use crate::hook_output;

impl Wire for Qoder {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        hook_output::accept(&CARD, event, payload, defaults)
    }

    /// The call that runs a hook on this payload.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        match &hook.handler {
            Handler::Shell { command } => {
                let variables = hook.definition.get("env").and_then(Value::as_object);
                let variables = variables.into_iter().flatten();
                let variables = variables.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
                let env = std::iter::once(project_dir_var(project)).chain(variables).collect();
                Call::Process(hook_output::command_call(
                    &COMMAND, hook, command, payload, project, env,
                ))
            }
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
            Handler::Callback { callback } => hook_output::callback_call(callback, event, payload),
            // Hookwright starts none of these handlers for Qoder.
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Prompt { .. }
            | Handler::Insert { .. }
            | Handler::Http(_)
            | Handler::Builtin { .. } => Call::Immediate(Decoded::Failure(hook_output::NO_AGENT.render_plain())),
        }
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        super::answer::decode(hook, event, payload, run)
    }

    /// Changes nothing: no addition belongs into the payload.
    fn apply_additions(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions, _verdict: &Verdict) {}

    /// Denies. Qoder's hooks always fail open, but if the engine asks, this is the strictest verdict that every event
    /// understands.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Deny, failure.clone())
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        hook_output::reply(&OUTPUT, event, resolution)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::fixtures::fixture(event)
    }
}

/// The environment variable that gives hooks the project directory.
#[must_use]
pub fn project_dir_var(project: &Path) -> (String, String) {
    ("QODER_PROJECT_DIR".to_owned(), project.display().to_string())
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
