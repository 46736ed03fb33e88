//! Reads a hook of each dialect into a [`PortableHook`], or says why it cannot be converted.

use std::path::Path;

use hookwright_model::{CommandStart, DisabledReason, Handler, Hook, OnFailure, POWER_SHELL, RunMode, args};
use serde_json::Value;

use super::adapter::Adapter;
use super::command::{self, BlockForm, Failure};
use super::form::{ConvertForm, Detaching, HookNames, ToolField};
use super::portable::{self, FileOrigin, HookAction, PortableHook};
use super::tools::{self, ToolMatch};
use super::{LossReport, ScriptFile, SourceHook, messages, payload};

/// Reads a hook; `None` if it cannot be converted, after this is reported.
pub fn read(source: &SourceHook<'_>, report: &mut LossReport) -> Option<PortableHook> {
    let hook = source.hook;
    if is_implied(hook, report.from) || !is_possible(hook, report) {
        return None;
    }
    let mut portable = base(source, report.from);
    let action = match &hook.handler {
        Handler::Shell { command } => HookAction::Command(started_command(hook, command, report.from)),
        Handler::Script { entry } => script_action(source, entry.as_deref()?, report),
        Handler::Peer { argv } => HookAction::Command(command::from_arguments(argv)),
        Handler::Insert { text } => {
            let role = hook.definition["role"].as_str().unwrap_or("system").to_owned();
            HookAction::Text {
                text: text.clone(),
                role,
            }
        }
        Handler::Prompt { .. }
        | Handler::Http(_)
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Builtin { .. } => return None,
    };
    portable.action = action;
    if !matches!(portable.action, HookAction::Script(_)) && portable.origin == FileOrigin::HookFolder {
        // The command replaces the only script.
        portable.files.clear();
        portable.origin = FileOrigin::Project;
    }
    untranslate(&mut portable, report);
    let event = report.from.card.event(&portable.event);
    portable.seems_to_block = seems_to_block(&portable) || event.is_some_and(|event| portable.blocks_by_context(event));
    portable.loses_condition = report_dropped(hook, report);
    Some(portable)
}

/// Reports a hook that has no equivalent in any file of the other dialect.
fn is_possible(hook: &Hook, report: &mut LossReport) -> bool {
    let id = &*hook.id;
    if hook.is_relay() {
        report.lose(id, &messages::RELAY, args! {});
        return false;
    }
    if let Some(DisabledReason::AgentOnly(why)) = &hook.disabled_reason {
        let args = args! { "why" => why.text, "why_message" => why.to_args() };
        report.refuse(id, &messages::AGENT_ONLY, args);
        return false;
    }
    match &hook.handler {
        Handler::Builtin { .. } | Handler::Callback { .. } => report.refuse(id, &messages::NO_BUILTIN, args! {}),
        Handler::Prompt { .. } => {
            let template = if report.to.card.prompts.is_some() {
                &messages::PROMPT_FORM
            } else {
                &messages::NO_PROMPT
            };
            report.refuse(id, template, args! {});
        }
        Handler::Http(_) => report.refuse(id, &messages::NO_REQUEST, args! {}),
        Handler::Module { path, .. } => {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            report.refuse(id, &messages::NO_MODULE, args! { "file" => file });
        }
        Handler::Script { entry: None } => report.refuse(id, &messages::NO_SCRIPT, args! {}),
        Handler::Shell { .. } | Handler::Script { .. } | Handler::Peer { .. } | Handler::Insert { .. } => {
            let Some(why) = &hook.invalid else {
                return is_switched_on(hook, report);
            };
            let args = args! { "why" => why.text, "why_message" => why.to_args() };
            report.refuse(id, &messages::INVALID, args);
        }
    }
    false
}

fn is_switched_on(hook: &Hook, report: &mut LossReport) -> bool {
    match &hook.disabled_reason {
        None | Some(DisabledReason::Shadowed(_)) => true,
        Some(DisabledReason::Disabled(_) | DisabledReason::Relay(_) | DisabledReason::AgentOnly(_)) => {
            report.refuse(&hook.id, &messages::DISABLED, args! {});
            false
        }
    }
}

/// Whether the agent only calls this event because of another one that the definition names.
fn is_implied(hook: &Hook, from: &ConvertForm) -> bool {
    let Detaching::Observes(_) = from.detaching else {
        return false;
    };
    let Some(points) = hook.definition.get("intercept").and_then(Value::as_array) else {
        return false;
    };
    let is_interceptor = from.card.event(&hook.event).is_some_and(|event| !event.notify_only);
    is_interceptor && points.iter().all(|point| point.as_str() != Some(&hook.event))
}

fn base(source: &SourceHook<'_>, from: &ConvertForm) -> PortableHook {
    let hook = source.hook;
    let text = |field: &str| {
        let value = hook.definition.get(field).and_then(Value::as_str);
        value.map(str::to_owned).filter(|text| !text.trim().is_empty())
    };
    let given_name = match from.names {
        HookNames::Missing => None,
        HookNames::Note | HookNames::Folder => text("name"),
        HookNames::Key => Some(hook.label.clone()),
    };
    let env = hook.definition.get("env").and_then(Value::as_object);
    let env = env.into_iter().flatten().filter_map(|(name, value)| {
        let value = value.as_str()?;
        Some((name.clone(), value.to_owned()))
    });
    PortableHook {
        id: hook.id.clone(),
        name: name_from_label(&hook.label),
        given_name,
        description: text("description"),
        event: hook.event.clone(),
        action: HookAction::Command(String::new()),
        keeps_failed_output: false,
        wrap: None,
        adapter: None,
        speaks_target: false,
        speaks: from.speaks,
        seems_to_block: false,
        tools: ToolMatch::from_hook(from, hook),
        loses_condition: false,
        timeout: hook.timeout,
        wrote_timeout: hook.definition.get("timeout").is_some() || from.shares_timeouts,
        failure: match hook.on_failure {
            OnFailure::Open => Failure::Continues,
            OnFailure::Closed => Failure::Blocks,
        },
        detached: hook.mode == RunMode::Detach || is_observer(from, &hook.event),
        rank: hook.rank,
        priority: None,
        env: env.collect(),
        dir: text("dir"),
        files: source.files.clone(),
        origin: if from.has_folders {
            FileOrigin::HookFolder
        } else {
            FileOrigin::Project
        },
    }
}

fn is_observer(from: &ConvertForm, event: &str) -> bool {
    matches!(from.detaching, Detaching::Observes(_)) && from.card.event(event).is_some_and(|spec| spec.notify_only)
}

/// Words that say nothing alone.
const FILLERS: [&str; 22] = [
    "a", "an", "and", "are", "at", "be", "by", "for", "in", "is", "it", "its", "of", "on", "or", "that", "the", "this",
    "to", "what", "which", "with",
];
/// How many words of a label become a name.
const NAME_WORDS: usize = 4;

/// A short name from a label: the file name without its ending, or the first words that say something.
fn name_from_label(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    if let [file] = words[..] {
        let stem = Path::new(file).file_stem();
        return stem.map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned());
    }
    let is_plain = |word: &str| {
        word.chars()
            .all(|sign| sign.is_alphanumeric() || "-_.,:;!?'’/".contains(sign))
    };
    let is_telling = |word: &&&str| is_plain(word) && !FILLERS.contains(&word.to_lowercase().as_str());
    let telling = words.iter().filter(is_telling).take(NAME_WORDS).copied();
    let telling: Vec<&str> = telling.collect();
    if telling.is_empty() {
        "hook".to_owned()
    } else {
        telling.join(" ")
    }
}

/// A command with its arguments and shell.
fn started_command(hook: &Hook, command: &str, from: &ConvertForm) -> String {
    let Some(spec) = from.card.command else {
        return command.to_owned();
    };
    match spec.start(&hook.definition) {
        CommandStart::Program(arguments) => {
            command::from_arguments(&std::iter::once(command.to_owned()).chain(arguments).collect::<Vec<_>>())
        }
        CommandStart::PowerShell => format!("{} {}", POWER_SHELL.join(" "), command::quoted(command)),
        CommandStart::Shell(shell) if shell != spec.shell => format!("{shell} -c {}", command::quoted(command)),
        CommandStart::Shell(_) => command.to_owned(),
    }
}

/// The script of a hook's folder. A script of one line that a shell runs is a command.
fn script_action(source: &SourceHook<'_>, entry: &Path, report: &LossReport) -> HookAction {
    let folder = source.hook.source.path.parent().unwrap_or(Path::new(""));
    let inside = entry.strip_prefix(folder).unwrap_or(entry);
    let is_adapter = |file: &&ScriptFile| Adapter::is_file(&file.path, report.from, report.to);
    let own: Vec<&ScriptFile> = source.files.iter().filter(|file| !is_adapter(file)).collect();
    if let [file] = own.as_slice()
        && let Ok(text) = std::str::from_utf8(&file.bytes)
        && let Some(command) = text
            .strip_prefix("#!/bin/sh\n")
            .and_then(|rest| rest.strip_suffix('\n'))
        && !command.trim().is_empty()
        && !command.contains(['\n', '\r'])
        && !command.contains("$0")
        && !command.starts_with('#')
    {
        return HookAction::Command(command.to_owned());
    }
    HookAction::Script(inside.to_owned())
}

/// Removes the words that an earlier conversion put around the command.
fn untranslate(portable: &mut PortableHook, report: &LossReport) {
    let HookAction::Command(text) = &portable.action else {
        return;
    };
    if let Some((inner, failure)) = Adapter::unwrap(text, report.from, report.to) {
        portable.action = HookAction::Command(inner);
        portable.failure = failure;
        portable.speaks_target = true;
        portable
            .files
            .retain(|file| !Adapter::is_file(&file.path, report.from, report.to));
        return;
    }
    if let Some((inner, speaks, failure)) = command::without_translation(text) {
        portable.speaks = speaks;
        if speaks == BlockForm::Action {
            portable.failure = failure;
        }
        portable.action = HookAction::Command(inner);
        portable.seems_to_block = true;
    }
}

/// Whether the command, or a script that comes along, seems to block.
fn seems_to_block(portable: &PortableHook) -> bool {
    let ends = portable.speaks == BlockForm::ExitCode && portable.returns(payload::ENDS);
    let is_said = match &portable.action {
        HookAction::Command(text) => portable.seems_to_block || blocks(portable.speaks, text.as_bytes()),
        HookAction::Script(_) | HookAction::Text { .. } => false,
    };
    ends || is_said || portable.files.iter().any(|file| blocks(portable.speaks, &file.bytes))
}

fn blocks(speaks: BlockForm, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let words: &[&str] = match speaks {
        BlockForm::ExitCode => &["exit 2", "exit(2)", "permissionDecision", "decision", "continue_"],
        // Exit code 2 is a failure in j-cli, and a block elsewhere.
        BlockForm::Action => &["action", "abort", "retry_feedback", "exit 2", "exit(2)"],
        BlockForm::JsonRpc => &["deny_tool", "abort_turn", "hard_abort", "respond", "approved"],
    };
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
    words.iter().any(|word| {
        let mut found = text.match_indices(word);
        found.any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
    })
}

/// Reports what no dialect or not this one can take over from the definition. Returns whether a condition is among it.
fn report_dropped(hook: &Hook, report: &mut LossReport) -> bool {
    let mut drops_condition = false;
    let known = report.from.fields;
    let fields = hook.definition.as_object().into_iter().flatten();
    let dropped: Vec<String> = fields
        .map(|(name, _)| name)
        .filter(|name| !known.contains(&name.as_str()))
        .map(|name| format!("`{name}`"))
        .collect();
    if !dropped.is_empty() {
        report.lose(&hook.id, &messages::FIELDS, args! { "fields" => dropped.join(", ") });
    }
    if hook.wrapped.is_some() {
        report.lose(&hook.id, &messages::UNWRAPPED, args! {});
    }
    if hook.attempts > 1 {
        report.lose(&hook.id, &messages::RETRY, args! { "count" => hook.attempts - 1 });
    }
    if let Some(pattern) = tools::input_pattern(hook) {
        let args = args! { "field" => "pattern", "value" => pattern };
        report.lose(&hook.id, &messages::CONDITION_DROPPED, args);
        drops_condition = true;
    }
    let prefix = hook.filter.as_ref().and_then(|filter| filter["model_prefix"].as_str());
    if let Some(prefix) = prefix {
        let args = args! { "field" => "model_prefix", "value" => prefix };
        report.lose(&hook.id, &messages::CONDITION_DROPPED, args);
        drops_condition = true;
    }
    let matcher = hook.filter.as_ref().and_then(|filter| filter["matcher"].as_str());
    if let (ToolField::Whole | ToolField::NamesOrFound { .. }, Some(value)) = (
        report.from.tools,
        matcher.filter(|value| !["", "*", ".*"].contains(value)),
    ) && !tools::is_tool_event(report.from.card, &hook.event)
    {
        let args = args! { "field" => "matcher", "value" => value };
        report.lose(&hook.id, &messages::CONDITION_DROPPED, args);
        drops_condition = true;
    }
    if let Some(rule) = hook.definition.get("if").and_then(Value::as_str) {
        let args = args! { "field" => "if", "value" => rule };
        report.lose(&hook.id, &messages::CONDITION_DROPPED, args);
        drops_condition = true;
    }
    if hook.definition.get("persistent") == Some(&Value::Bool(true)) {
        report.lose(&hook.id, &messages::PERSISTENT, args! {});
    }
    drops_condition
}

/// The text that a command prints for the conversation; `None` for every other command.
pub fn printed_insertion(portable: &PortableHook, from: &ConvertForm) -> Option<HookAction> {
    let HookAction::Command(text) = &portable.action else {
        return None;
    };
    let (text, role) = portable::inserted_text(from, &command::printed_text(text)?)?;
    Some(HookAction::Text { text, role })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_becomes_a_short_name_of_words_that_say_something() {
        for (label, name) in [
            ("guard_shell.py", "guard_shell"),
            ("Blocks what must not run.", "Blocks must not run."),
            (
                "The check of the house rules for pull requests",
                "check house rules pull",
            ),
            ("grep rm -rf", "grep rm -rf"),
            ("echo {\"decision\": \"block\"}", "echo"),
            ("拦截 rm -rf", "拦截 rm -rf"),
            ("", "hook"),
            ("of the", "hook"),
        ] {
            assert_eq!(name_from_label(label), name, "{label}");
        }
    }
}
