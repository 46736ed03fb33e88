//! Rows that look at one hook.

use hookwright_model::matcher::Trial;
use hookwright_model::{LintContext, Predicate, Problem, args};

use super::script;
use super::{View, messages};
use crate::agent_hooks::events::{self, BEFORE_STOP};
use crate::commands::messages::{UNREAD, UNREAD_DECISION};
use crate::commands::prints::{Unread, unread_print};

/// A guard should have this long, in milliseconds.
const ENOUGH: u128 = 1000;
/// Below this it reads like seconds.
const LIKE_SECONDS: u64 = 100;
/// Events that the agent as shipped fires (`agent-hooks.md` §11).
const FIRED: [&str; 5] = ["before_tool", "after_tool", BEFORE_STOP, "session_start", "session_end"];
/// The agent's own tools.
const TOOLS: [&str; 15] = [
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

pub(super) fn advise(view: &View<'_>, desk: &LintContext<'_>, trial: &Trial, out: &mut Vec<Problem>) {
    fails_open(view, desk, out);
    out.extend(block_not_honoured(view));
    out.extend(unit_suspect(view));
    out.extend(too_late(view));
    never_matches(view, out);
    out.extend(unanchored(view));
    too_wide(view, trial, out);
    out.extend(returns_ignored(view));
}

fn is_guard(view: &View<'_>) -> bool {
    ["before_tool", BEFORE_STOP].contains(&view.event.name)
}

fn fails_open(view: &View<'_>, desk: &LintContext<'_>, out: &mut Vec<Problem>) {
    let guards = is_guard(view) && view.waits();
    let ms = view.hook.timeout.as_millis();
    if guards && view.event.name == "before_tool" && ms < ENOUGH {
        let ms = u64::try_from(ms).unwrap_or(u64::MAX);
        out.push(view.say(messages::SHORT.render(args! { "ms" => ms }), "timeout"));
    }
    let subject = view.subject.as_ref();
    if let Some((program, line)) = subject.and_then(|subject| script::lacks(&subject.pieces[0], guards, desk)) {
        let saying = if guards {
            messages::PROGRAM
        } else {
            messages::PROGRAM_IDLE
        };
        out.push(view.say_in(line, saying.render(args! { "program" => program }), "name"));
    }
}

fn blocks(view: &View<'_>) -> Option<u32> {
    script::blocks(&view.subject.as_ref()?.pieces[0])
}

fn block_not_honoured(view: &View<'_>) -> Option<Problem> {
    let name = view.event.name;
    let field = if view.hook.field_positions.contains_key("async") {
        "async"
    } else {
        "async_"
    };
    if !view.waits() && is_guard(view) {
        return Some(view.say(messages::ASYNC.render(args! { "event" => name }), field));
    }
    if let Some(line) = blocks(view).filter(|_| !view.waits()) {
        return Some(view.say_in(line, messages::ASYNC_EXIT.render_plain(), field));
    }
    (!FIRED.contains(&name)).then(|| view.say(messages::NOT_FIRED.render(args! { "event" => name }), "trigger"))
}

fn unit_suspect(view: &View<'_>) -> Option<Problem> {
    let written = view.hook.definition.get("timeout")?.as_u64()?;
    (written < LIKE_SECONDS).then(|| {
        let args = args! { "written" => written, "ms" => written * 1000 };
        view.say(messages::UNIT.render(args), "timeout")
    })
}

fn too_late(view: &View<'_>) -> Option<Problem> {
    let name = view.event.name;
    let late = ["after_tool", "after_tool_failure"].contains(&name) && view.waits();
    let line = blocks(view).filter(|_| late)?;
    Some(view.say_in(line, messages::LATE.render(args! { "event" => name }), "trigger"))
}

/// The part of the matcher as its author wrote it.
fn part<'a>(view: &'a View<'_>, name: &str) -> Option<&'a str> {
    view.hook.filter.as_ref()?.get(name)?.as_str()
}

fn never_matches(view: &View<'_>, out: &mut Vec<Problem>) {
    if !view.hook.when.clauses.is_empty() && !events::has_tool(view.event) {
        out.push(view.say(
            messages::NO_TOOL.render(args! { "event" => view.event.name }),
            "matcher",
        ));
    }
    if let Some(tool) = part(view, "tool").filter(|tool| anchored_lower(tool)) {
        out.push(view.say(messages::LOWER.render(args! { "written" => tool }), "matcher.tool"));
    }
}

/// `^shell$`, `^(shell|bash)$`: names of one lower-case word each, which no tool of the agent begins with.
fn anchored_lower(tool: &str) -> bool {
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
                .all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit())
    };
    names.split('|').all(lower)
}

fn unanchored(view: &View<'_>) -> Option<Problem> {
    let tool = part(view, "tool")?;
    let (name, longer) = tool.split('|').find_map(|name| {
        let plain = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
        let longer = TOOLS.iter().find(|known| **known != name && known.contains(name))?;
        plain.then_some((name, *longer))
    })?;
    let args = args! { "name" => name, "tool" => longer };
    Some(view.say(messages::PART.render(args), "matcher.tool"))
}

fn too_wide(view: &View<'_>, trial: &Trial, out: &mut Vec<Problem>) {
    let no_parts = view.hook.filter.as_ref().and_then(serde_json::Value::as_object);
    if no_parts.is_some_and(serde_json::Map::is_empty) {
        out.push(view.say(messages::EMPTY.render_plain(), "matcher"));
    }
    for clause in &view.hook.when.clauses {
        let (Predicate::Pattern(pattern) | Predicate::Within(pattern)) = &clause.test else {
            continue;
        };
        if trial.is_match(pattern, "") == Some(true) {
            let words = messages::BLANK.render(args! { "written" => pattern.source });
            out.push(view.say(words, &format!("matcher.{}", clause.key)));
        }
    }
}

fn returns_ignored(view: &View<'_>) -> Option<Problem> {
    let found = unread_print(view.text)?;
    let words = match found.what {
        Unread::Anything => UNREAD.render_plain(),
        Unread::Decision => UNREAD_DECISION.render(args! { "code" => found.code }),
    };
    Some(view.say_in(found.line, words, "name"))
}
