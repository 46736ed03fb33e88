//! Turns payloads into calls (`claude-code.md` §5). The replies of [`crate::hook_output`] are those of §8.

use std::path::Path;
use std::time::Duration;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, CommandStart, Decoded, End, Handler, HeldPipe, Hook, HttpCall, Message, Program, PromptCall,
    Reply, Resolution, Run, Verdict, VerdictKind, Wire, render,
};
use serde_json::Value;

use super::events::{CARD, COMMAND, OUTPUT};
use super::messages::answers;
use super::{ClaudeCode, plugins, prompt};
use crate::hook_output;

/// Variables that have the same value in every command.
const FIXED_VARIABLES: [(&str, &str); 4] = [
    ("CLAUDECODE", "1"),
    ("CLAUDE_CODE_ENTRYPOINT", "cli"),
    ("CLAUDE_CODE_CHILD_SESSION", "1"),
    ("CLAUDE_CODE_SESSION_ATTENDED", "1"),
];
/// Variables of plugins, which no hook of a settings file may name in braces.
const PLUGIN_VARIABLES: [&str; 2] = ["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"];
/// The variable of plugins that contains a private folder.
const PLUGIN_FOLDER: &[&str] = &["CLAUDE_PLUGIN_DATA"];
/// The variable with the file for variables of later commands, and the events whose hooks get it.
pub(super) const ENV_FILE: &str = "CLAUDE_ENV_FILE";
pub(super) const ENV_FILE_EVENTS: [&str; 4] = ["SessionStart", "Setup", "CwdChanged", "FileChanged"];
/// How long a process that keeps stdout open is waited for (`claude-code.md` §5).
const HELD_PIPE: HeldPipe = HeldPipe::UntilSilent {
    silence: Duration::from_millis(500),
    most: Duration::from_secs(10),
};
/// Limit for the response of a model, in tokens.
const MAX_TOKENS: u32 = 2048;

impl Wire for ClaudeCode {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        hook_output::accept(&CARD, event, payload, defaults)
    }

    /// The call that runs a hook on this payload.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        match &hook.handler {
            Handler::Shell { command } => match cannot_start(hook, command) {
                Some(message) => Call::Immediate(Decoded::Failure(message)),
                None => command_call(hook, event, command, payload, project),
            },
            Handler::Prompt { template, model } => Call::Prompt(PromptCall {
                system: prompt::SYSTEM.to_owned(),
                prompt: prompt::fill(template, payload),
                model: model.clone(),
                max_tokens: MAX_TOKENS,
                temperature: 0.0,
            }),
            Handler::Http(target) => Call::Http(HttpCall {
                target: target.clone(),
                body: Value::Object(payload.clone()).to_string().into_bytes(),
            }),
            Handler::Callback { callback } => hook_output::callback_call(callback, event, payload),
            // Only the agent runs the others.
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Module { .. }
            | Handler::Insert { .. }
            | Handler::Builtin { .. } => Call::Immediate(Decoded::Failure(answers::NOT_RUN.render_plain())),
        }
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        super::answer::decode(hook, event, payload, run)
    }

    /// Appends what hooks print before a compaction to the user's instructions, behind a blank line.
    fn apply_additions(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions, _verdict: &Verdict) {
        const INSTRUCTIONS: &str = "custom_instructions";
        let more = additions.get("additionalContext").and_then(Value::as_str);
        let takes = event.fields.iter().any(|field| field.name == INSTRUCTIONS);
        let Some(more) = more.filter(|_| takes) else { return };
        let before = payload.get(INSTRUCTIONS).and_then(Value::as_str).unwrap_or_default();
        let joined = if before.is_empty() {
            more.to_owned()
        } else {
            format!("{before}\n\n{more}")
        };
        payload.insert(INSTRUCTIONS.to_owned(), joined.into());
    }

    /// As exit code 2 at an event that it blocks, else a denial.
    fn closed_verdict(&self, hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        let kind = CARD.event(&hook.event).and_then(|event| event.exit_2);
        (kind.unwrap_or(VerdictKind::Deny), failure.clone())
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        hook_output::reply(&OUTPUT, event, resolution)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::fixtures::fixture(event)
    }
}

/// The words of a command that is started without a shell.
fn arguments(hook: &Hook) -> impl Iterator<Item = &str> {
    let arguments = hook.definition.get("args").and_then(Value::as_array);
    arguments.into_iter().flatten().filter_map(Value::as_str)
}

/// Why a command is not started: it is empty, or it names a variable of plugins in braces and is of none.
fn cannot_start(hook: &Hook, command: &str) -> Option<Message> {
    if command.is_empty() {
        return Some(answers::EMPTY_COMMAND.render_plain());
    }
    let name = plugin_variable(hook, command).filter(|_| plugin(hook).is_none())?;
    Some(render!(answers::PLUGIN_VARIABLE, "name" => name))
}

/// The variable of plugins that a command names in braces.
pub(super) fn plugin_variable(hook: &Hook, command: &str) -> Option<&'static str> {
    let mut words = std::iter::once(command).chain(arguments(hook));
    words.find_map(|word| PLUGIN_VARIABLES.into_iter().find(|name| word.contains(name)))
}

/// The folder of the plugin whose hook it is.
fn plugin(hook: &Hook) -> Option<String> {
    plugins::folder_of_hook(&hook.source.path).map(|folder| folder.display().to_string())
}

fn command_call(hook: &Hook, event: &EventSpec, command: &str, payload: &Payload, project: &Path) -> Call {
    let mut variables = variables(payload, project);
    let plugin = plugin(hook);
    variables.extend(plugin.clone().map(|folder| ("CLAUDE_PLUGIN_ROOT".to_owned(), folder)));
    let mut call = hook_output::command_call(&COMMAND, hook, command, payload, project, variables);
    call.held_pipe = Some(HELD_PIPE);
    if plugin.is_some() {
        call.folder_vars = PLUGIN_FOLDER;
    }
    call.env_without = &["OTEL_"];
    call.env_file = ENV_FILE_EVENTS.contains(&event.name).then_some(ENV_FILE);
    // The agent ends what it writes with a line break.
    call.stdin.push(b'\n');
    if let Program::Argv(words) = &mut call.program
        && matches!(COMMAND.start(&hook.definition), CommandStart::Program(_))
    {
        let folder = project.display().to_string();
        let plugin = plugin.unwrap_or_default();
        for word in words {
            *word = word
                .replace("${CLAUDE_PROJECT_DIR}", &folder)
                .replace(PLUGIN_VARIABLES[0], &plugin);
        }
    }
    Call::Process(call)
}

/// The variables that are added to the environment of a command.
fn variables(payload: &Payload, project: &Path) -> Vec<(String, String)> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let fixed = FIXED_VARIABLES.map(|(name, value)| (name, Some(value.to_owned())));
    let own = [
        ("CLAUDE_PROJECT_DIR", Some(project.display().to_string())),
        ("CLAUDE_CODE_SESSION_ID", text(payload.get("session_id"))),
        (
            "CLAUDE_EFFORT",
            text(payload.get("effort").and_then(|effort| effort.get("level"))),
        ),
    ];
    let all = own.into_iter().chain(fixed);
    all.filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
