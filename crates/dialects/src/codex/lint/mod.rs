//! Lint of all hooks together (`codex.md` §11).

pub mod messages;

use std::path::Path;

use hookwright_model::event::EventSpec;
use hookwright_model::problem::TextPosition;
use hookwright_model::{Handler, Hook, Layer, LintContext, Message, Problem, RunMode, VerdictKind, args, render};

use super::entry::looks_like_milliseconds;
use super::events::{CARD, STRICT};
use super::places::{CONFIG, FOLDER, HOOKS};
use super::plugins::is_of_plugin;
use crate::command_lint::messages::IGNORED_DECISION;
use crate::command_lint::prints::{IgnoredPart, PrintedField, PrintedObject, find_ignored_prints, printed_objects};
use crate::command_lint::ways::{blocking_exits, open_ways};
use crate::command_lint::{
    self, AgentProfile, CodePiece, LintSubject, MergeRule, RelativePaths, ScriptLanguage, check_portability,
    check_script_programs, check_unset_variables, defines_only, exits, find_start_failure, join_few, lines_by_message,
    mark_dropped, may_write_stderr, only_defines_functions,
};
use crate::definition::{REGEX_NAME_SIGNS, names_of};
use crate::hook_output::{AnswerPart, SPECIFIC_OUTPUT};
use crate::misplaced::Search;
use crate::name_reach::{Reading, check_unreadable_matchers, never_matching, unreachable_matcher};
use crate::script_scan;

/// What the rules for any command need to know about Codex, which sets no variable.
const PROFILE: AgentProfile = AgentProfile {
    card: &CARD,
    env_vars: &["HOOKWRIGHT_TRACE", "HOOKWRIGHT_RUN", "HOOKWRIGHT_DEPTH"],
    stdin_example: "jq -r .tool_input.command",
    portable_path: |path, layer| match layer {
        Layer::User if path.starts_with(".codex/") => format!("~/{path}"),
        Layer::User => format!("~/.codex/{path}"),
        Layer::Builtin | Layer::Project | Layer::Session | Layer::Skill => {
            format!("\"$(git rev-parse --show-toplevel)\"/{path}")
        }
    },
    uses_login_shell: true,
    relative_paths: RelativePaths::FollowSession,
};
/// The same for the hooks of plugins.
const PLUGIN_PROFILE: AgentProfile = AgentProfile {
    env_vars: &[
        "HOOKWRIGHT_TRACE",
        "HOOKWRIGHT_RUN",
        "HOOKWRIGHT_DEPTH",
        "PLUGIN_ROOT",
        "CLAUDE_PLUGIN_ROOT",
        "PLUGIN_DATA",
        "CLAUDE_PLUGIN_DATA",
    ],
    ..PROFILE
};
/// The exit code that blocks (`codex.md` §6).
const BLOCKING_EXIT_CODE: i32 = 2;
/// Tools of other agents, which Codex does not have.
const OTHER_TOOLS: [&str; 9] = [
    "exec_command",
    "shell",
    "bash",
    "Read",
    "Grep",
    "Glob",
    "MultiEdit",
    "WebFetch",
    "Task",
];
/// Values that fail every answer.
const REFUSED_WORDS: [(&str, &[&str]); 3] = [
    ("permissionDecision", &["ask", "defer", "block", "approve"]),
    ("decision", &["approve", "allow", "deny", "ask", "continue"]),
    ("interrupt", &["true", "True"]),
];
/// Fields that fail every answer.
const REFUSED_FIELDS: [&str; 3] = ["updatedToolOutput", "updatedMCPToolOutput", "updatedPermissions"];
/// The fields that an answer may have at its top level.
const TOP_FIELDS: [&str; 7] = [
    "continue",
    "decision",
    "hookSpecificOutput",
    "reason",
    "stopReason",
    "suppressOutput",
    "systemMessage",
];
/// Fields by which an object is meant as an answer, in the wrong place or for another agent.
const MEANT_FIELDS: [&str; 8] = [
    "action",
    "additionalContext",
    "block",
    "feedback",
    "hookEventName",
    "permission",
    "permissionDecision",
    "updatedInput",
];
/// Parts of an answer as a program writes them: the part, the field, and its values.
const PARTS: [(AnswerPart, &str, &[&str]); 4] = [
    (AnswerPart::Hidden, "suppressOutput", &["true", "True"]),
    (AnswerPart::Ends, "continue", &["false", "False"]),
    (AnswerPart::Permission, "permissionDecision", &["deny", "allow"]),
    (AnswerPart::Behavior, "behavior", &["allow", "deny"]),
];

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
    let runs = |hook: &&Hook| hook.dialect == CARD.id && hook.invalid.is_none() && hook.disabled_reason.is_none();
    for hook in context.hooks.iter().map(|hook| &**hook).filter(runs) {
        let Some(event) = CARD.event(&hook.event) else { continue };
        let say = |message: Message, field: &str| command_lint::problem_at_field(hook, message, field);
        let names = |matcher: &str| names_of(matcher, REGEX_NAME_SIGNS).is_some();
        out.extend(matcher_problem(hook, event).map(|message| never_matching(say(message, "matcher"), hook, names)));
        out.extend(unit_suspect(hook).map(|message| say(message, "timeout")));
        if let Handler::Shell { command } = &hook.handler {
            let profile = if is_of_plugin(hook) { PLUGIN_PROFILE } else { PROFILE };
            let subject = LintSubject::for_command(hook, command, ScriptLanguage::Sh, context);
            let start = find_start_failure(&subject, &CARD, context);
            out.extend(start.map(|failure| failure.problem(&subject, [(hook, event)])));
            check_script_programs(&subject, &CARD, event.can_be_blocked(), context, &mut out);
            out.extend(defines_only(&subject, event));
            check_unset_variables(&subject, profile, context, &mut out);
            check_portability(&subject, profile, context, &mut out);
            let mut refused = Vec::new();
            let dropped = check_answers(event, &subject, &mut refused);
            if event.can_be_blocked() && hook.mode == RunMode::Await {
                mark_dropped(&subject, &dropped, &mut refused);
            }
            out.append(&mut refused);
            check_blocks(event, &subject, &mut out);
            check_ways(event, hook, &subject, &mut out);
            out.extend(holds_pipe(&subject));
        }
    }
    check_two_files(context, &mut out);
    check_places(context, &mut out);
    check_unreadable_matchers(&CARD, "matcher", "matcher", Reading::PlainPart, context, &mut out);
    command_lint::merge_problems(&mut out);
    command_lint::merge_by_rule(&mut out, &SAME_UNIT);
    command_lint::drop_repeated_script_problems(&mut out);
    out
}

/// Hooks in both files of one folder. The first hook in the settings is named.
fn check_two_files(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let mine = || context.hooks.iter().filter(|hook| hook.dialect == CARD.id);
    let in_file = |path: &Path| mine().find(|hook| hook.source.path == path);
    let mut folders: Vec<&Path> = mine().filter_map(|hook| hook.source.path.parent()).collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        let both = in_file(&folder.join(HOOKS)).zip(in_file(&folder.join(CONFIG)));
        if let Some((_, hook)) = both {
            let message = render!(messages::TWO_FILES, "other" => HOOKS);
            let position = TextPosition {
                line: hook.source.line,
                column: hook.source.column,
            };
            out.push(Problem::new(message, &hook.source.path, Some(position)));
        }
    }
}

/// Files with hooks in a place that Codex does not read.
fn check_places(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let folder = context.locations.project.join(FOLDER);
    let right = folder.join(HOOKS);
    let mut search = Search {
        card: &CARD,
        context,
        found: out,
    };
    search.misnamed(&folder, HOOKS, &["hook.json"]);
    search.misnamed(&folder, CONFIG, &["hooks.toml", "hook.toml"]);
    for other in ["settings.json", "settings.local.json"] {
        let wrong = folder.join(other);
        if (context.path_exists)(&wrong) {
            search.elsewhere(&wrong, &right);
        }
    }
    search.in_place_of(&context.locations.project.join("codex").join(HOOKS), &right);
    search.json_files(&folder.join("hooks"), &right);
    search.other_folders(&format!("{FOLDER}/{HOOKS}"), false);
}

/// A guard that never blocks, because its exit 2 is lost or because it refuses with another code.
fn check_ways(event: &EventSpec, hook: &Hook, subject: &LintSubject<'_>, out: &mut Vec<Problem>) {
    if event.exit_2.is_none() || hook.mode != RunMode::Await {
        return;
    }
    let decides = ["decision", "permissionDecision", "behavior"].iter().any(|field| {
        subject
            .pieces
            .iter()
            .any(|piece| script_scan::writes(&piece.output, field))
    });
    out.extend(open_ways(subject, decides));
}

/// Answers that Codex fails, and decisions that it does not read because of the exit code. Returns their lines. At an event
/// where nothing is read, nothing is said here.
fn check_answers<'s, 'a>(
    event: &'static EventSpec,
    subject: &'s LintSubject<'a>,
    out: &mut Vec<Problem>,
) -> Vec<(&'s CodePiece<'a>, u32)> {
    let mut dropped = Vec::new();
    if event.notify_only {
        return dropped;
    }
    // A script that asks for the event may print each output at another one.
    let any_event = asks_for_event(subject);
    let parts = PARTS
        .iter()
        .filter(|(part, ..)| !any_event && STRICT.fails(event.name, *part));
    let words = parts.map(|(_, field, values)| (*field, *values)).chain(REFUSED_WORDS);
    let is_here = |field: &str| !any_event || event.output(field).is_some();
    for (field, values) in words.filter(|(field, _)| is_here(field)) {
        let line = |text: &str| script_scan::line_of_assignment(text, field, values);
        dropped.extend(report_field(event, subject, field, line, out));
    }
    for field in REFUSED_FIELDS.into_iter().filter(|field| is_here(field)) {
        let line = |text: &str| script_scan::line_of_write(text, field);
        dropped.extend(report_field(event, subject, field, line, out));
    }
    for piece in &subject.pieces {
        let objects = printed_objects(&piece.output, SPECIFIC_OUTPUT).into_iter();
        let objects = objects.filter(|_| !any_event);
        let faults = objects.filter_map(|object| Some((object.line, misplaced_field(&object)?)));
        let messages = faults.map(|(line, field)| {
            dropped.push((piece, line));
            (
                line,
                render!(messages::REFUSED, "field" => field, "event" => event.name),
            )
        });
        for (message, lines) in lines_by_message(messages) {
            out.push(subject.problem_in_lines(piece, lines, message));
        }
        for print in find_ignored_prints(&piece.output) {
            if print.part == IgnoredPart::Decision {
                dropped.push((piece, print.line));
                let message = render!(IGNORED_DECISION, "code" => print.code);
                out.push(subject.problem_in_piece(piece, print.line, message));
            }
        }
    }
    dropped
}

/// Whether a script reads the name of its event, so that what it does may be for another one.
fn asks_for_event(subject: &LintSubject<'_>) -> bool {
    let mut pieces = subject.pieces.iter();
    pieces.any(|piece| script_scan::mentions(&piece.text, "hook_event_name"))
}

/// The first field of a printed object that fails it by its place: one of another level or of another agent, or an event's
/// name that is missing.
fn misplaced_field(object: &PrintedObject) -> Option<String> {
    let is_top = |field: &&PrintedField| TOP_FIELDS.contains(&field.name.as_str());
    let is_meant = object
        .fields
        .iter()
        .any(|field| is_top(&field) || MEANT_FIELDS.contains(&field.name.as_str()));
    let odd = object.fields.iter().find(|field| !is_top(field)).filter(|_| is_meant);
    let lacks_name = !object.nested.is_empty() && object.nested.iter().all(|field| field.name != "hookEventName");
    odd.map(|field| field.name.clone())
        .or_else(|| lacks_name.then(|| "hookEventName".to_owned()))
}

fn report_field<'s, 'a>(
    event: &'static EventSpec,
    subject: &'s LintSubject<'a>,
    field: &str,
    line: impl Fn(&str) -> Option<u32> + Copy,
    out: &mut Vec<Problem>,
) -> Option<(&'s CodePiece<'a>, u32)> {
    let found = subject
        .pieces
        .iter()
        .find_map(|piece| Some((piece, line(&piece.output)?)))?;
    let message = render!(messages::REFUSED, "field" => field, "event" => event.name);
    out.push(subject.problem_at_match(line, message));
    Some(found)
}

/// Blocks that are not honoured, come too late, have no reason, or never end.
fn check_blocks(event: &'static EventSpec, subject: &LintSubject<'_>, out: &mut Vec<Problem>) {
    let blocks = |text: &str| script_scan::line_of_assignment(text, "decision", &["block"]);
    let is_blocking = subject.pieces.iter().any(|piece| blocks(&piece.output).is_some());
    let exit = exits::all_exits(subject).find(|(_, exit)| exit.code == Some(BLOCKING_EXIT_CODE));
    let contains = |word: &str| subject.pieces.iter().any(|piece| piece.text.contains(word));
    let args = || args! { "event" => event.name };
    if event.exit_2.is_none() {
        if asks_for_event(subject) {
            return;
        }
        if is_blocking && !event.notify_only {
            out.push(subject.problem_at_match(blocks, messages::BLOCK.render(args())));
        } else if let Some((piece, exit)) = &exit {
            out.push(subject.problem_in_lines(
                piece,
                exits::lines_like(piece, exit),
                messages::BLOCK_EXIT.render(args()),
            ));
        }
        return;
    }
    // A hook that never blocks has a graver fault.
    if let Some((piece, exit)) = &exit
        && !may_write_stderr(subject)
        && !only_defines_functions(subject)
        && blocking_exits(subject).can_be_reached
    {
        out.push(subject.problem_in_lines(
            piece,
            exits::lines_like(piece, exit),
            messages::NO_REASON.render_plain(),
        ));
    }
    let denials = [
        ("permissionDecision", "deny", "permissionDecisionReason"),
        ("decision", "block", "reason"),
    ];
    for (field, word, reason) in denials {
        let denies = |text: &str| script_scan::line_of_assignment(text, field, &[word]);
        // Where the field itself fails the answer, a reason does not help.
        if event.output(field).is_some()
            && subject.pieces.iter().any(|piece| denies(&piece.output).is_some())
            && !contains(reason)
        {
            out.push(subject.problem_at_match(denies, render!(messages::NO_REASON_FIELD, "field" => reason)));
        }
    }
    if event.name == "PostToolUse" && is_blocking && !asks_for_event(subject) {
        out.push(subject.problem_at_match(blocks, messages::LATE.render(args())));
    }
    if event.exit_2 == Some(VerdictKind::Retry) && (is_blocking || exit.is_some()) && !contains("stop_hook_active") {
        let message = messages::LOOP.render(args());
        out.push(match &exit {
            Some((piece, exit)) => subject.problem_in_lines(piece, exits::lines_like(piece, exit), message),
            None => subject.problem_at_match(blocks, message),
        });
    }
}

/// A process that is left running with stdout open. The call waits for it.
fn holds_pipe(subject: &LintSubject<'_>) -> Option<Problem> {
    let (piece, line) = subject.left_running()?;
    Some(subject.problem_in_piece(piece, line, messages::HOLDS_PIPE.render_plain()))
}

/// A condition that no call meets, or that more names meet than meant.
fn matcher_problem(hook: &Hook, event: &EventSpec) -> Option<Message> {
    let matcher = hook.filter.as_ref()?.get("matcher")?.as_str()?;
    if event.subject != Some(CARD.tool_field) || ["", "*"].contains(&matcher) {
        return None;
    }
    if let Some(names) = names_of(matcher, REGEX_NAME_SIGNS) {
        let is_server = |name: &&String| name.starts_with("mcp__") && name.split("__").count() < 3;
        let server = names.iter().find(is_server);
        // With one name that Codex has, the others are for the agents that have them.
        let is_other = |name: &String| OTHER_TOOLS.contains(&name.as_str());
        let other = names.first().filter(|_| names.iter().all(is_other));
        let server = server.map(|name| render!(messages::SERVER, "matcher" => name));
        return server.or_else(|| other.map(|name| render!(messages::OTHER_TOOL, "name" => name)));
    }
    if names_of(matcher, "_-,| ").is_some() && matcher.contains([' ', ',']) {
        return Some(messages::SEPARATOR.render_plain());
    }
    if let Some((tool, rule)) = matcher.strip_suffix(')').and_then(|matcher| matcher.split_once('(')) {
        let is_tool = !tool.is_empty() && names_of(tool, "_").is_some();
        let is_rule = rule.contains([':', '/', ' ']) || rule == "*";
        if is_tool && is_rule {
            return Some(render!(messages::RULE, "tool" => tool));
        }
    }
    if let Some(message) = unreachable_matcher(matcher, Reading::PlainPart) {
        return Some(message);
    }
    let name = matcher.strip_suffix(".*")?;
    let is_plain = !name.is_empty() && names_of(name, "_").is_some() && !name.starts_with("mcp__");
    is_plain.then(|| render!(messages::UNANCHORED, "matcher" => matcher))
}

/// Reports a `timeout` that is probably in milliseconds.
fn unit_suspect(hook: &Hook) -> Option<Message> {
    let written = hook.definition.get("timeout")?;
    let seconds = i128::from(written.as_i64()?);
    looks_like_milliseconds(&hook.event, seconds).then(|| render!(messages::UNIT, "written" => written.to_string()))
}
