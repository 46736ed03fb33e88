//! Advice that depends on one hook alone.

use hookwright_model::matcher::Trial;
use hookwright_model::{LintContext, Message, OnFailureEffect, Predicate, Problem, args, render};

use super::{LintedHook, messages, script};
use crate::agent_hooks::events::{BEFORE_STOP, CARD};
use crate::command_lint::messages::{IGNORED_DECISION, IGNORED_STDOUT};
use crate::command_lint::prints::{IgnoredPart, find_ignored_prints, printed_objects};
use crate::command_lint::ways::open_ways;
use crate::command_lint::{
    LintSubject, check_script_programs, check_shell_syntax, concerns_decision, defines_only, mark_dropped,
};
use crate::flat_answers;
use crate::hook_output::SPECIFIC_OUTPUT;
use crate::name_reach::{Reading, unreachable_matcher};
use crate::script_scan;

/// The field that decides, and its words.
const DECISION: flat_answers::DecisionField = ("decision", &["allow", "deny", "ask"]);
/// A guard with a shorter time limit is reported.
const MIN_GUARD_TIMEOUT_MS: u128 = 1000;
/// A smaller timeout was probably written in seconds.
const MIN_PLAUSIBLE_MS: u64 = 100;
/// Events that the agent as shipped fires (`agent-hooks.md` §11).
const SHIPPED_EVENTS: [&str; 5] = ["before_tool", "after_tool", BEFORE_STOP, "session_start", "session_end"];
/// The agent's own tools.
const AGENT_TOOLS: [&str; 15] = [
    "Shell",
    "ReadFile",
    "ReadMediaFile",
    "WriteFile",
    "StrReplaceFile",
    "Glob",
    "Grep",
    "SearchWeb",
    "FetchURL",
    "Task",
    "CreateSubagent",
    "SendDMail",
    "SetTodoList",
    "Think",
    "AskUser",
];

pub(super) fn advise(view: &LintedHook<'_>, context: &LintContext<'_>, trial: &Trial, out: &mut Vec<Problem>) {
    fails_open(view, context, out);
    out.extend(block_not_honoured(view));
    out.extend(unit_suspect(view));
    out.extend(too_late(view));
    never_matches(view, out);
    out.extend(unanchored(view));
    too_wide(view, trial, out);
    out.extend(returns_ignored(view));
    out.extend(field_ignored(view));
}

fn is_guard(view: &LintedHook<'_>) -> bool {
    ["before_tool", BEFORE_STOP].contains(&view.event.name)
}

fn fails_open(view: &LintedHook<'_>, context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let guards = is_guard(view) && view.is_awaited();
    let ms = view.hook.timeout.as_millis();
    if guards && view.event.name == "before_tool" && ms < MIN_GUARD_TIMEOUT_MS {
        let ms = u64::try_from(ms).unwrap_or(u64::MAX);
        out.push(view.problem_at_field(render!(messages::SHORT_TIMEOUT, "ms" => ms), "timeout"));
    }
    let Some(subject) = &view.subject else { return };
    let piece = &subject.pieces[0];
    if let Some(failure) = script::missing_interpreter(piece, context) {
        let effect = OnFailureEffect::of_exit(view.hook, view.event, failure.exit);
        let fix = failure.fix.clone();
        let problem = view.problem_at_field(failure.message(effect), "name");
        out.push(problem.stopping_start().with_fix(fix));
    } else {
        check_script_programs(subject, &CARD, guards, context, out);
        check_shell_syntax(subject, false, context, out);
    }
    if let Some(problem) = defines_only(subject, view.event) {
        out.push(problem);
    } else if view.event.exit_2.is_some() && view.is_awaited() {
        refusals(view, subject, out);
    }
}

/// Reports a script that refuses with another code than the one that blocks.
fn refusals(view: &LintedHook<'_>, subject: &LintSubject<'_>, out: &mut Vec<Problem>) {
    let decides = script_scan::assigns(&view.text, "decision", &["deny", "ask"]);
    out.extend(open_ways(subject, decides));
}

fn block_line(view: &LintedHook<'_>) -> Option<u32> {
    script::block_line(&view.subject.as_ref()?.pieces[0])
}

fn block_not_honoured(view: &LintedHook<'_>) -> Option<Problem> {
    let name = view.event.name;
    let field = if view.hook.field_positions.get("async").is_some() {
        "async"
    } else {
        "async_"
    };
    if !view.is_awaited() && is_guard(view) {
        return Some(view.problem_at_field(render!(messages::ASYNC, "event" => name), field));
    }
    if let Some(line) = block_line(view).filter(|_| !view.is_awaited()) {
        return Some(view.problem_in_script(line, messages::ASYNC_EXIT.render_plain(), field));
    }
    (!SHIPPED_EVENTS.contains(&name))
        .then(|| view.problem_at_field(render!(messages::NOT_FIRED, "event" => name), "trigger"))
}

fn unit_suspect(view: &LintedHook<'_>) -> Option<Problem> {
    let written = view.hook.definition.get("timeout")?.as_u64()?;
    (written < MIN_PLAUSIBLE_MS).then(|| {
        let args = args! { "written" => written, "ms" => written * 1000 };
        view.problem_at_field(messages::UNIT_SUSPECT.render(args), "timeout")
    })
}

fn too_late(view: &LintedHook<'_>) -> Option<Problem> {
    let name = view.event.name;
    let late = ["after_tool", "after_tool_failure"].contains(&name) && view.is_awaited();
    let line = block_line(view).filter(|_| late)?;
    Some(view.problem_in_script(line, render!(messages::TOO_LATE, "event" => name), "trigger"))
}

/// A field of the matcher as its author wrote it.
fn matcher_part<'a>(view: &'a LintedHook<'_>, name: &str) -> Option<&'a str> {
    view.hook.filter.as_ref()?.get(name)?.as_str()
}

fn never_matches(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    if !view.hook.when.clauses.is_empty() && view.event.subject.is_none() {
        let message = render!(messages::NO_TOOL, "event" => view.event.name);
        out.push(view.problem_at_field(message, "matcher").never_matching());
    }
    let unreachable = matcher_part(view, "tool").and_then(|tool| unreachable_matcher(tool, Reading::Part));
    if let Some(message) = unreachable {
        out.push(view.problem_at_field(message, "matcher.tool").never_matching());
    } else if let Some(tool) = matcher_part(view, "tool").filter(|tool| is_anchored_lower_case(tool)) {
        out.push(view.problem_at_field(render!(messages::LOWER_CASE_TOOL, "written" => tool), "matcher.tool"));
    }
}

/// Whether a pattern allows only names of one lower-case word each, such as `^shell$` or `^(shell|bash)$`. No tool of
/// the agent begins with such a word.
fn is_anchored_lower_case(tool: &str) -> bool {
    let Some(rest) = tool.strip_prefix('^') else {
        return false;
    };
    let rest = rest.strip_suffix('$').unwrap_or(rest);
    let inner = rest.strip_prefix("(?:").or_else(|| rest.strip_prefix('('));
    let names = inner.and_then(|inner| inner.strip_suffix(')')).unwrap_or(rest);
    let lower = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
    };
    names.split('|').all(lower)
}

fn unanchored(view: &LintedHook<'_>) -> Option<Problem> {
    let tool = matcher_part(view, "tool")?;
    let (name, longer) = tool.split('|').find_map(|name| {
        let plain = !name.is_empty()
            && name
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || character == '_');
        let longer = AGENT_TOOLS
            .iter()
            .find(|known| **known != name && known.contains(name))?;
        plain.then_some((name, *longer))
    })?;
    let args = args! { "name" => name, "tool" => longer };
    Some(view.problem_at_field(messages::PART_OF_OTHER_NAME.render(args), "matcher.tool"))
}

fn too_wide(view: &LintedHook<'_>, trial: &Trial, out: &mut Vec<Problem>) {
    let no_parts = view.hook.filter.as_ref().and_then(serde_json::Value::as_object);
    if no_parts.is_some_and(serde_json::Map::is_empty) {
        out.push(view.problem_at_field(messages::EMPTY.render_plain(), "matcher"));
    }
    for clause in &view.hook.when.clauses {
        let (Predicate::Pattern(pattern) | Predicate::Within(pattern)) = &clause.predicate else {
            continue;
        };
        let words = pattern
            .source
            .split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
        let mut samples = words.filter(|word| !word.is_empty()).chain(["", "Shell", "a b"]);
        if samples.all(|sample| trial.is_match(pattern, sample) == Some(true)) {
            let message = render!(messages::BLANK, "written" => pattern.source);
            out.push(view.problem_at_field(message, &format!("matcher.{}", clause.key)));
        }
    }
}

fn returns_ignored(view: &LintedHook<'_>) -> Vec<Problem> {
    let message = |part, code: i32| match part {
        IgnoredPart::Anything => IGNORED_STDOUT.render_plain(),
        IgnoredPart::Decision => render!(IGNORED_DECISION, "code" => code),
    };
    let found = find_ignored_prints(&view.text);
    let decisions: Vec<u32> = found
        .iter()
        .filter(|found| found.part == IgnoredPart::Decision)
        .map(|found| found.line)
        .collect();
    let found = found
        .into_iter()
        .map(|found| (found.line, message(found.part, found.code)));
    let mut problems = view.problems_in_script(found, "name");
    mark(view, &decisions, &mut problems);
    problems
}

/// Marks problems about answers on these lines if the hook has no other way to block.
fn mark(view: &LintedHook<'_>, lines: &[u32], problems: &mut [Problem]) {
    if let Some(subject) = view
        .subject
        .as_ref()
        .filter(|_| view.event.can_be_blocked() && view.is_awaited())
    {
        let dropped: Vec<_> = lines.iter().map(|line| (&subject.pieces[0], *line)).collect();
        mark_dropped(subject, &dropped, problems);
    }
}

/// A field that the script prints and the event does not have. A script that asks for the event may print it at another.
fn field_ignored(view: &LintedHook<'_>) -> Vec<Problem> {
    if view.event.notify_only || !view.is_awaited() || script_scan::mentions(&view.text, CARD.event_field) {
        return Vec::new();
    }
    let objects = printed_objects(&view.text, "").into_iter();
    let faults: Vec<_> = objects
        .filter_map(|object| Some((object.line, flat_answers::fault(&CARD, DECISION, view.event, &object)?)))
        .collect();
    let decisions: Vec<u32> = faults
        .iter()
        .filter(|(_, message)| {
            concerns_decision(message) || message.args.get("field").is_some_and(|field| field == SPECIFIC_OUTPUT)
        })
        .map(|(line, _)| *line)
        .collect();
    let is_decision = |(line, _): &(u32, Message)| decisions.contains(line);
    let (of_decisions, others): (Vec<_>, Vec<_>) = faults.iter().cloned().partition(is_decision);
    let mut problems = view.problems_in_script(of_decisions, "name");
    mark(view, &decisions, &mut problems);
    problems.extend(view.problems_in_script(others, "name"));
    problems
}
