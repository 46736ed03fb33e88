//! Lint of all hooks together (`claude-code.md` §11).

pub mod messages;

use hookwright_model::event::EventSpec;
use hookwright_model::{Handler, Hook, Layer, LintContext, Message, Problem, RunMode, args, render};
use serde_json::Value;

use super::entry::looks_like_milliseconds;
use super::events::{CARD, OUTPUT};
use super::{if_rule, places, plugins};
use crate::command_lint::prints::{PrintedObject, printed_objects};
use crate::command_lint::{
    self, AgentProfile, LintSubject, ScriptLanguage, check_portability, check_script_programs, check_unset_variables,
    defines_only, exits, find_start_failure,
};
use crate::definition::{NAME_SIGNS, names_of};
use crate::hook_output::SPECIFIC_OUTPUT;
use crate::hook_output::lint::AnswerLint;
use crate::misplaced::Search;
use crate::name_reach::{Reading, check_unreadable_matchers, never_matching, unreachable_matcher};
use crate::script_scan;

/// The variables of a hook's environment. The first two are those of plugins only.
const VARIABLES: [&str; 17] = [
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_PROJECT_DIR",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_EFFORT",
    "CLAUDE_PID",
    "AI_AGENT",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "COLUMNS",
    "LINES",
    "HOOKWRIGHT_TRACE",
    "HOOKWRIGHT_RUN",
    "HOOKWRIGHT_DEPTH",
];
/// Those of every hook.
const OWN_VARIABLES: &[&str] = VARIABLES.split_at(2).1;

/// What the rules for any command need to know about Claude Code.
const PROFILE: AgentProfile = AgentProfile {
    card: &CARD,
    env_vars: OWN_VARIABLES,
    stdin_example: "jq -r .tool_input.file_path",
    portable_path: |path, layer| match layer {
        Layer::User if path.starts_with(".claude/") => format!("~/{path}"),
        Layer::User => format!("~/.claude/{path}"),
        Layer::Builtin | Layer::Project | Layer::Session | Layer::Skill => format!("\"$CLAUDE_PROJECT_DIR/{path}\""),
    },
    relative_paths_work: false,
};
/// The same for the hooks of plugins, which get two more variables.
const PLUGIN_PROFILE: AgentProfile = AgentProfile {
    env_vars: &VARIABLES,
    ..PROFILE
};
/// The exit code that blocks (`claude-code.md` §6).
const BLOCKING_EXIT_CODE: i32 = 2;
/// What is said of the objects that its hooks print.
const ANSWERS: AnswerLint = AnswerLint {
    rules: &OUTPUT,
    card: &CARD,
    bare: messages::BARE_ANSWER,
    unknown: messages::UNKNOWN_ANSWER,
};
/// Events at which a block comes after the tool has run.
const LATE: [&str; 2] = ["PostToolUse", "PostToolUseFailure"];

/// Applies all rules and returns the problems.
#[must_use]
pub fn lint(context: &LintContext<'_>) -> Vec<Problem> {
    let mut out = Vec::new();
    let runs = |hook: &&Hook| hook.dialect == CARD.id && hook.invalid.is_none() && hook.disabled_reason.is_none();
    for hook in context.hooks.iter().map(|hook| &**hook).filter(runs) {
        let Some(event) = CARD.event(&hook.event) else { continue };
        let say = |message: Message, field: &str| command_lint::problem_at_field(hook, message, field);
        let names = |matcher: &str| names_of(matcher, NAME_SIGNS).is_some();
        out.extend(never_matches(hook, event).map(|(message, field)| match field {
            "matcher" => never_matching(say(message, field), hook, names),
            _ => say(message, field).never_matching(),
        }));
        out.extend(unit_suspect(hook).map(|message| say(message, "timeout")));
        if let Handler::Prompt { template, .. } = &hook.handler
            && template.contains("$ARGUMENTS")
            && event.exit_2.is_some()
        {
            out.push(say(render!(messages::PAYLOAD, "event" => event.name), "prompt"));
        }
        if let Some(subject) = subject(hook, context) {
            check_command(hook, event, &subject, context, &mut out);
        }
    }
    check_unreadable_matchers(&CARD, "matcher", "matcher", Reading::Part, context, &mut out);
    command_lint::merge_problems(&mut out);
    command_lint::drop_repeated_script_problems(&mut out);
    not_read(context, &mut out);
    out
}

/// Reports files that look like hooks but are in places that Claude Code does not read.
fn not_read(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let mut search = Search {
        card: &CARD,
        context,
        found: out,
    };
    for folder in [
        places::user_folder(context.locations),
        context.locations.project.join(".claude"),
    ] {
        let right = folder.join("settings.json");
        search.misnamed(
            &folder,
            "settings.json",
            &["setting.json", "settings.jsonc", "hooks.json"],
        );
        search.in_place_of(&folder.join("hooks/hooks.json"), &right);
    }
    search.other_folders(".claude/settings.json", true);
}

/// Parses a command: for `sh`, or with `args` as it is.
fn subject<'a>(hook: &'a Hook, context: &'a LintContext<'_>) -> Option<LintSubject<'a>> {
    let Handler::Shell { command } = &hook.handler else {
        return None;
    };
    if hook.definition.get("shell").is_some_and(|shell| shell == "powershell") {
        return None;
    }
    if let Some(arguments) = hook.definition.get("args").and_then(Value::as_array) {
        let argv = std::iter::once(command.as_str()).chain(arguments.iter().filter_map(Value::as_str));
        return Some(LintSubject::for_argv(hook, &argv.collect::<Vec<_>>(), context));
    }
    Some(LintSubject::for_command(hook, command, ScriptLanguage::Sh, context))
}

/// The rules about a command: whether it can start, its variables and paths, and its block.
fn check_command(
    hook: &Hook,
    event: &'static EventSpec,
    subject: &LintSubject<'_>,
    context: &LintContext<'_>,
    out: &mut Vec<Problem>,
) {
    // With `args` the agent puts the directory of the project in itself.
    let is_literal = |name: &str| !subject.argv.is_empty() && name.contains("${");
    let start = find_start_failure(subject, &CARD, context).filter(|failure| !is_literal(&failure.name));
    out.extend(start.map(|failure| failure.problem(subject, [(hook, event)])));
    check_script_programs(subject, &CARD, event.can_be_blocked(), context, out);
    out.extend(defines_only(subject, event));
    let profile = match plugins::folder_of_hook(&hook.source.path) {
        Some(_) => &PLUGIN_PROFILE,
        None => &PROFILE,
    };
    check_unset_variables(subject, *profile, context, out);
    check_portability(subject, *profile, context, out);
    if hook.mode == RunMode::Await {
        check_answers(event, subject, out);
    }
    let blocks = |text: &str| script_scan::line_of_assignment(text, "decision", &["block"]);
    let is_blocking = subject.pieces.iter().any(|piece| blocks(&piece.output).is_some());
    let exit = exits::all_exits(subject).find(|(_, exit)| exit.code == Some(BLOCKING_EXIT_CODE));
    let args = || args! { "event" => event.name };
    if LATE.contains(&event.name) && is_blocking {
        out.push(subject.problem_at_match(blocks, messages::LATE.render(args())));
    } else if event.exit_2.is_none() && event.output("updatedPermissions").is_none() {
        if is_blocking {
            out.push(subject.problem_at_match(blocks, messages::BLOCK.render(args())));
        } else if let Some((piece, exit)) = exit {
            out.push(subject.problem_in_piece(piece, exit.line, messages::BLOCK_EXIT.render(args())));
        }
    }
}

/// Reports the first printed object of each text that has no effect, or fails as a whole.
fn check_answers(event: &'static EventSpec, subject: &LintSubject<'_>, out: &mut Vec<Problem>) {
    // A script that asks for the event may print each object at another one.
    let any_event = subject
        .pieces
        .iter()
        .any(|piece| script_scan::mentions(&piece.text, "hook_event_name"));
    for piece in &subject.pieces {
        let mut objects = printed_objects(&piece.output, SPECIFIC_OUTPUT).into_iter();
        let fault = objects.find_map(|object| {
            let named = event_name_fault(event, &object).filter(|_| !any_event);
            Some((object.line, named.or_else(|| ANSWERS.fault(event, &object, any_event))?))
        });
        out.extend(fault.map(|(line, message)| subject.problem_in_piece(piece, line, message)));
    }
}

/// An output without the name of its event, or with that of another one.
fn event_name_fault(event: &EventSpec, object: &PrintedObject) -> Option<Message> {
    let named = object.nested.iter().find(|field| field.name == "hookEventName");
    let Some(name) = named else {
        return (!object.nested.is_empty()).then(|| render!(messages::NO_EVENT_NAME, "event" => event.name));
    };
    let other = name.word.as_deref()?;
    let mut taken = OUTPUT.other_names.iter();
    let is_taken = other == event.name || taken.any(|(own, names)| *own == event.name && names.contains(&other));
    (!is_taken).then(|| render!(messages::OTHER_EVENT_NAME, "event" => event.name, "other" => other))
}

/// A condition that no call meets, or that more names meet than meant, and its field.
fn never_matches(hook: &Hook, event: &EventSpec) -> Option<(Message, &'static str)> {
    if let Some(rule) = hook.definition.get("if").and_then(Value::as_str) {
        if event.subject != Some(CARD.tool_field) {
            return Some((render!(messages::IF_EVENT, "event" => event.name), "if"));
        }
        if if_rule::never_holds(rule) {
            return Some((render!(messages::IF, "rule" => rule), "if"));
        }
    }
    let matcher = hook.filter.as_ref()?.get("matcher")?.as_str()?;
    event.subject?;
    if let Some(names) = names_of(matcher, NAME_SIGNS).filter(|_| !matcher.is_empty()) {
        let is_server = |name: &&String| name.starts_with("mcp__") && name.split("__").count() < 3;
        let server = names.iter().find(is_server);
        let message = server.map(|name| render!(messages::SERVER, "matcher" => name));
        let empty = || names.is_empty().then(|| messages::NO_NAME.render_plain());
        return message.or_else(empty).map(|message| (message, "matcher"));
    }
    if let Some((tool, rule)) = matcher.strip_suffix(')').and_then(|matcher| matcher.split_once('(')) {
        let is_tool = !tool.is_empty() && tool.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
        let is_rule = rule.contains([':', '/', ' ']) || rule == "*";
        if is_tool && is_rule {
            return Some((render!(messages::RULE, "tool" => tool), "matcher"));
        }
    }
    if event.subject == Some(CARD.tool_field)
        && let Some(message) = unreachable_matcher(matcher, Reading::Part)
    {
        return Some((message, "matcher"));
    }
    let name = matcher.strip_suffix(".*")?;
    let is_plain = !name.is_empty() && names_of(name, "_").is_some();
    (is_plain && !name.starts_with("mcp__")).then(|| (render!(messages::UNANCHORED, "matcher" => matcher), "matcher"))
}

/// Reports a `timeout` that is probably in milliseconds.
fn unit_suspect(hook: &Hook) -> Option<Message> {
    let written = hook.definition.get("timeout")?;
    let seconds = written.as_f64()?;
    looks_like_milliseconds(seconds).then(|| render!(messages::UNIT, "written" => written))
}
