//! Lint of all hooks together (`claude-code.md` §11).

mod command;
pub mod messages;

use std::path::{Path, PathBuf};

use hookwright_model::event::EventSpec;
use hookwright_model::{
    Code, CommandStart, DisabledReason, Handler, Hook, HttpTarget, Layer, LintContext, Message, Problem, RunMode,
    Severity, render,
};
use serde_json::Value;

use super::entry::looks_like_milliseconds;
use super::events::{CARD, COMMAND, OUTPUT};
use super::mods::{self, Override};
use super::wire::plugin_variable;
use super::{if_rule, places, plugins};
use crate::blocking_texts;
use crate::command_lint::prints::{PrintedObject, printed_objects};
use crate::command_lint::{
    self, AgentProfile, CodePiece, LintSubject, MergeRule, RelativePaths, ScriptLanguage, check_portability,
    check_script_programs, check_unset_variables, concerns_decision, defines_only, find_start_failure, join_few,
    lines_by_message, mark_dropped,
};
use crate::definition::{NAME_SIGNS, names_of};
use crate::hook_output::SPECIFIC_OUTPUT;
use crate::hook_output::lint::AnswerLint;
use crate::misplaced::Search;
use crate::name_reach::messages::NO_NAME as NO_TOOL_NAME;
use crate::name_reach::{Reading, check_unreadable_matchers, never_matching, unreachable_matcher};
use crate::script_scan;
use command::LintedCommand;

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
    uses_login_shell: false,
    relative_paths: RelativePaths::FollowAgent,
};
/// The same for the hooks of plugins, which get two more variables.
const PLUGIN_PROFILE: AgentProfile = AgentProfile {
    env_vars: &VARIABLES,
    ..PROFILE
};
/// What is said of the objects that its hooks print.
const ANSWERS: AnswerLint = AnswerLint {
    rules: &OUTPUT,
    card: &CARD,
    bare: messages::BARE_ANSWER,
    unknown: messages::UNKNOWN_ANSWER,
};
/// The variable with which the agent returns to the directory of the project after each command.
const KEEPS_DIRECTORY: &str = "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR";
/// How long all hooks of the end of a session have, in seconds.
const SESSION_END_SECS: f64 = 60.0;
/// Names that prompts contain by mistake.
const NO_PLACEHOLDERS: [&str; 6] = ["${ARGUMENTS}", "$TOOL_INPUT", "$TOOL_NAME", "$PROMPT", "$INPUT", "{{"];

/// Time limits in the wrong unit are one problem of their file.
const SAME_UNIT: MergeRule = MergeRule {
    templates: &[(messages::UNIT, messages::UNIT_ALL)],
    across_files: false,
    shared_key: |_| String::new(),
    lists: &[("written", "values", join_few)],
};

/// Applies all rules and returns the problems.
#[must_use]
pub fn lint(context: &LintContext<'_>) -> Vec<Problem> {
    let mut out = Vec::new();
    let is_read = |hook: &Hook| match hook.disabled_reason {
        None => true,
        Some(DisabledReason::Disabled(_)) => plugins::is_of_source(hook),
        Some(DisabledReason::Relay(_) | DisabledReason::Shadowed(_) | DisabledReason::AgentOnly(_)) => false,
    };
    let runs = |hook: &&Hook| hook.dialect == CARD.id && hook.invalid.is_none() && is_read(hook);
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
        if let Handler::Http(target) = &hook.handler {
            check_request(hook, target, &mut out);
        }
        if let Handler::Prompt { template, .. } = &hook.handler {
            let odd = NO_PLACEHOLDERS.into_iter().find(|name| template.contains(name));
            out.extend(odd.map(|name| say(render!(messages::PLACEHOLDER, "written" => name), "prompt")));
        }
        out.extend(session_end(hook).map(|message| say(message, "timeout")));
        if let Some(subject) = subject(hook, context) {
            check_command(hook, event, &subject, context, &mut out);
            let command = LintedCommand { hook, event, subject };
            command.advise(context, &mut out);
            let is_told = |problem: &Problem| problem.code == Code::MissesShell && problem.path == hook.source.path;
            let sees_other_shell = |other: &&Hook| other.event == hook.event && command::sees_tool(other, "PowerShell");
            let others = || context.hooks.iter().map(|other| &**other).filter(runs);
            if !out.iter().any(is_told) && !others().any(|other| sees_other_shell(&other)) {
                out.extend(command.misses_shell(context));
            }
        }
    }
    out.extend(switched_off(context));
    doubles(context, &mut out);
    mods_may_override(context, &mut out);
    check_unreadable_matchers(&CARD, "matcher", "matcher", Reading::Part, context, &mut out);
    command_lint::merge_problems(&mut out);
    command_lint::merge_by_rule(&mut out, &SAME_UNIT);
    command_lint::drop_repeated_script_problems(&mut out);
    not_read(context, &mut out);
    out
}

/// Reports guards that a file of an administrator switches off.
fn switched_off(context: &LintContext<'_>) -> Vec<Problem> {
    let told = context.hooks.iter().filter_map(|hook| {
        let Some(DisabledReason::Disabled(why)) = &hook.disabled_reason else {
            return None;
        };
        let path = why.args.get("path").and_then(Value::as_str)?;
        let is_told = hook.dialect == CARD.id && hook.invalid.is_none() && places::is_managed(Path::new(path));
        (is_told && blocking_texts::is_guard(hook, &CARD, context)).then(|| {
            let message = render!(messages::SWITCHED_OFF, "path" => path);
            command_lint::problem_at_field(hook, message, "command").with_severity(Severity::Warning)
        })
    });
    told.collect()
}

/// Fields of which the last definition of the same hook decides.
const OF_THE_LAST: [&str; 5] = ["timeout", "onFailure", "async", "headers", "model"];

/// Reports definitions of the same hook that differ in what the last one decides. With other matchers they may never
/// run at the same event.
fn doubles(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let of_agent = |hook: &&Hook| hook.dialect == CARD.id && hook.invalid.is_none() && hook.same_as.is_some();
    let hooks: Vec<&Hook> = context.hooks.iter().map(|hook| &**hook).filter(of_agent).collect();
    let matcher = |hook: &Hook| {
        hook.filter
            .as_ref()
            .and_then(|filter| filter["matcher"].as_str().map(str::to_owned))
    };
    for (at, hook) in hooks.iter().enumerate() {
        let is_same = |other: &&&Hook| {
            (&other.event, other.tier, &other.same_as) == (&hook.event, hook.tier, &hook.same_as)
                && matcher(other) == matcher(hook)
        };
        let Some(last) = hooks[at + 1..].iter().rev().find(is_same) else {
            continue;
        };
        let differs = |field: &&&str| hook.definition.get(**field) != last.definition.get(**field);
        let fields: Vec<String> = OF_THE_LAST
            .iter()
            .filter(differs)
            .map(|field| format!("`{field}`"))
            .collect();
        if !fields.is_empty() {
            let message = render!(messages::DOUBLE, "other" => last.id, "fields" => fields.join(", "));
            out.push(command_lint::problem_at_field(hook, message, "command"));
        }
    }
}

/// Reports guards that a mod can get around.
fn mods_may_override(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let all = || {
        context
            .hooks
            .iter()
            .map(|hook| &**hook)
            .filter(|hook| hook.dialect == CARD.id)
    };
    for hook in all().filter(|hook| hook.invalid.is_none() && hook.disabled_reason.is_none()) {
        let Some((way, named)) = mods::overriding(hook, all()) else {
            continue;
        };
        if blocking_texts::is_guard(hook, &CARD, context) {
            let template = match way {
                Override::Allows => messages::MOD_ALLOWS,
                Override::TakesCall => messages::MOD_TAKES_CALL,
                Override::TakesEvent => messages::MOD_TAKES_EVENT,
            };
            out.push(command_lint::problem_at_field(hook, template.render(named), "command"));
        }
    }
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
        search.copies(&folder, &right, places::is_copy_of_settings);
        search.json_files(&folder.join("hooks"), &right);
    }
    search.other_folders(".claude/settings.json", true);
    let project = &context.locations.project;
    search.in_place_of(
        &project.join("claude/settings.json"),
        &project.join(".claude/settings.json"),
    );
    let plugin = project.join(plugins::HOOKS);
    // The folder `hooks` of a skill, or of another agent's extension, is not Claude Code's.
    let is_others = ["SKILL.md", "gemini-extension.json", ".codex-plugin", ".cursor-plugin"]
        .iter()
        .any(|name| (context.path_exists)(&project.join(name)));
    search.in_place_of(&project.join(".claude-plugin/hooks/hooks.json"), &plugin);
    let is_plugin = (context.path_exists)(&project.join(plugins::MANIFEST));
    if (is_plugin || !is_others) && (context.path_exists)(&plugin) {
        out.push(Problem::new(messages::NOT_READ_PLUGIN.render_plain(), plugin, None));
    }
}

/// The rules about a request: whether it is sent, and what its headers contain.
fn check_request(hook: &Hook, target: &HttpTarget, out: &mut Vec<Problem>) {
    let warn = |message: Message, field: &str| {
        command_lint::problem_at_field(hook, message, field).with_severity(Severity::Warning)
    };
    let is_http = ["http:", "https:"]
        .iter()
        .any(|scheme| target.url.to_lowercase().starts_with(scheme));
    if !is_http {
        out.push(warn(render!(messages::SCHEME, "url" => target.url), "url").stopping_start());
    }
    if let Some(why) = &target.refused {
        out.push(warn(messages::NOT_LISTED.render(why.args.clone()), "url").stopping_start());
    }
    for (header, value) in &target.headers {
        for name in variables_in(value) {
            if name.starts_with(|sign: char| sign.is_ascii_lowercase()) {
                out.push(warn(
                    render!(messages::HEADER_NAME, "header" => header, "name" => name),
                    "headers",
                ));
            } else if !target.variables.contains(&name) {
                out.push(warn(
                    render!(messages::HEADER_UNSET, "header" => header, "name" => name),
                    "headers",
                ));
            }
        }
    }
}

/// The names behind `$` in the value of a header.
fn variables_in(value: &str) -> Vec<String> {
    let after = value
        .split('$')
        .skip(1)
        .map(|after| after.strip_prefix('{').unwrap_or(after));
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let names = after.map(|after| after.chars().take_while(|sign| is_part(*sign)).collect::<String>());
    names
        .filter(|name| name.starts_with(|sign: char| !sign.is_ascii_digit()))
        .collect()
}

/// Parses a command: for `sh`, or with `args` as it is.
fn subject<'a>(hook: &'a Hook, context: &'a LintContext<'_>) -> Option<LintSubject<'a>> {
    let Handler::Shell { command } = &hook.handler else {
        return None;
    };
    match COMMAND.start(&hook.definition) {
        CommandStart::Program(arguments) => {
            let argv = std::iter::once(command.as_str()).chain(arguments.iter().map(String::as_str));
            Some(LintSubject::for_argv(hook, &argv.collect::<Vec<_>>(), context))
        }
        CommandStart::Shell(_) => Some(LintSubject::for_command(hook, command, ScriptLanguage::Sh, context)),
        // Its language is not read.
        CommandStart::PowerShell => None,
    }
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
    let is_of_plugin = plugins::folder_of_hook(&hook.source.path).is_some() || plugins::is_of_source(hook);
    let profile = if is_of_plugin { &PLUGIN_PROFILE } else { &PROFILE };
    let relative_paths = if stays_in_project(hook, context) {
        RelativePaths::Work
    } else {
        profile.relative_paths
    };
    let profile = &AgentProfile {
        relative_paths,
        ..*profile
    };
    let before = out.len();
    check_unset_variables(subject, *profile, context, out);
    if let (Handler::Shell { command }, false) = (&hook.handler, is_of_plugin)
        && let Some(name) = plugin_variable(hook, command)
    {
        // The agent does not start such a hook, so that the variable is not set is no second problem.
        let bare = name.trim_matches(['$', '{', '}']);
        let mut at = 0;
        out.retain(|problem| {
            at += 1;
            at <= before || problem.code != Code::UnsetVariable || !problem.args.values().any(|value| *value == bare)
        });
        let message = render!(messages::PLUGIN_BRACES, "name" => name);
        let problem = command_lint::problem_at_field(hook, message, "command");
        out.push(problem.with_severity(Severity::Warning).stopping_start());
    }
    check_portability(subject, *profile, context, out);
    if hook.mode == RunMode::Await {
        check_answers(event, subject, out);
    }
}

/// Whether a hook surely runs where the agent was started: before the model has run a command, or where a setting keeps the
/// agent in that directory.
fn stays_in_project(hook: &Hook, context: &LintContext<'_>) -> bool {
    let matcher = hook.filter.as_ref().and_then(|filter| filter["matcher"].as_str());
    let is_first = match hook.event.as_str() {
        "Setup" => true,
        "SessionStart" => matcher.is_some_and(|matcher| matcher.trim() == "startup"),
        _ => false,
    };
    let project = context.locations.project.join(places::FOLDER);
    let files = [
        places::user_folder(context.locations).join(places::SETTINGS),
        project.join(places::SETTINGS),
        project.join(places::LOCAL_SETTINGS),
    ];
    let keeps = |file: &PathBuf| {
        let settings = (context.read_text)(file).and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let value =
            settings.and_then(|settings| settings.get("env")?.get(KEEPS_DIRECTORY)?.as_str().map(str::to_owned));
        value.is_some_and(|value| ["1", "true", "yes", "on"].contains(&value.to_lowercase().as_str()))
    };
    is_first || files.iter().any(keeps)
}

/// Reports the printed objects of each text that have no effect, or fail as a whole.
fn check_answers(event: &'static EventSpec, subject: &LintSubject<'_>, out: &mut Vec<Problem>) {
    // A script that asks for the event may print each object at another one.
    let any_event = subject
        .pieces
        .iter()
        .any(|piece| script_scan::mentions(&piece.text, "hook_event_name"));
    let mut dropped: Vec<(&CodePiece<'_>, u32)> = Vec::new();
    let mut marked: Vec<Problem> = Vec::new();
    for piece in &subject.pieces {
        let objects = printed_objects(&piece.output, SPECIFIC_OUTPUT).into_iter();
        let faults = objects.filter_map(|object| {
            let named = event_name_fault(event, &object).filter(|_| !any_event);
            Some((object.line, named.or_else(|| ANSWERS.fault(event, &object, any_event))?))
        });
        for (message, lines) in lines_by_message(faults) {
            let is_decision = concerns_decision(&message);
            dropped.extend(lines.iter().filter(|_| is_decision).map(|line| (piece, *line)));
            let problem = subject.problem_in_lines(piece, lines, message);
            if is_decision {
                marked.push(problem)
            } else {
                out.push(problem)
            }
        }
    }
    if event.can_be_blocked() {
        mark_dropped(subject, &dropped, &mut marked);
    }
    out.append(&mut marked);
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
    if event.name == "FileChanged" && names_of(matcher, "_|.-").is_none() && matcher != "*" {
        return Some((render!(messages::WATCH_LIST, "matcher" => matcher), "matcher"));
    }
    let rule = hook.definition.get("if").and_then(Value::as_str).unwrap_or_default();
    let tool = rule.split('(').next().unwrap_or_default();
    let other_names = ["Task", "Agent", "Monitor"];
    if let Some(names) = names_of(matcher, NAME_SIGNS)
        && !tool.is_empty()
        && !names.is_empty()
        && !names.iter().any(|name| name == tool)
        && !other_names.contains(&tool)
    {
        return Some((render!(messages::IF_TOOL, "tool" => tool), "if"));
    }
    if let Some(names) = names_of(matcher, NAME_SIGNS).filter(|_| !matcher.is_empty()) {
        let is_server = |name: &&String| name.starts_with("mcp__") && name.split("__").count() < 3;
        let server = names.iter().find(is_server);
        let message = server.map(|name| render!(messages::SERVER, "matcher" => name));
        let has_blank = event.subject == Some(CARD.tool_field) && names.iter().any(|name| name.contains(' '));
        let message = message.or_else(|| {
            let fixed = names
                .iter()
                .flat_map(|name| name.split_whitespace())
                .collect::<Vec<_>>()
                .join("|");
            has_blank.then(|| render!(NO_TOOL_NAME, "written" => matcher, "fixed" => fixed))
        });
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
    // `*` is all, and no pattern.
    if event.subject == Some(CARD.tool_field)
        && matcher != "*"
        && let Some(message) = unreachable_matcher(matcher, Reading::Part)
    {
        return Some((message, "matcher"));
    }
    let name = matcher.strip_suffix(".*")?;
    let is_plain = !name.is_empty() && names_of(name, "_").is_some();
    (is_plain && !name.starts_with("mcp__")).then(|| (render!(messages::UNANCHORED, "matcher" => matcher), "matcher"))
}

/// A time limit that the end of a session does not give.
fn session_end(hook: &Hook) -> Option<Message> {
    let written = hook.definition.get("timeout").filter(|_| hook.event == "SessionEnd")?;
    let seconds = written.as_f64()?;
    let is_long = seconds > SESSION_END_SECS && !looks_like_milliseconds(seconds);
    is_long.then(|| render!(messages::END_TIMEOUT, "written" => written))
}

/// Reports a `timeout` that is probably in milliseconds.
fn unit_suspect(hook: &Hook) -> Option<Message> {
    let written = hook.definition.get("timeout")?;
    let seconds = written.as_f64()?;
    looks_like_milliseconds(seconds).then(|| render!(messages::UNIT, "written" => written.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use hookwright_model::Locations;
    use serde_json::json;

    use super::*;
    use crate::claude_code::messages::answers;
    use crate::claude_code::settings::tests::entry;

    /// How many guards are reported that a switch in this file turns off.
    fn reported(command: &str, switch: &str) -> usize {
        let definition = json!({"type": "command", "command": command});
        let mut hooks = entry("PreToolUse", &definition).hooks;
        let off = render!(answers::ALL_OFF, "path" => switch);
        Arc::make_mut(&mut hooks[0]).disabled_reason = Some(DisabledReason::Disabled(off));
        let locations = Locations {
            home: "/h".into(),
            project: "/p".into(),
            skills_roots: Vec::new(),
            vars: BTreeMap::new(),
        };
        let context = LintContext {
            hooks: &hooks,
            named_file_texts: &BTreeMap::new(),
            locations: &locations,
            env: &[],
            sh: "dash",
            on_path: &|_| true,
            path_exists: &|_| true,
            is_executable: &|_| true,
            list_dir: &|_| Vec::new(),
            read_text: &|_| None,
        };
        switched_off(&context).len()
    }

    #[test]
    fn a_guard_that_an_administrator_switches_off_is_reported() {
        let managed = "/etc/claude-code/managed-settings.json";
        assert_eq!(reported("grep -q rm && exit 2", managed), 1);
        assert_eq!(reported("true", managed), 0);
        assert_eq!(reported("grep -q rm && exit 2", "/h/.claude/settings.json"), 0);
    }
}
