//! The rules that check one definition.

use hookwright_model::{Problem, args, render};
use serde_json::Value;

use super::{LintedHook, block_line, messages};
use crate::command_lint::exits;
use crate::name_reach::{Reading, unreachable_matcher};
use crate::qoder::entry::looks_like_milliseconds;
use crate::qoder::events::CARD;
use crate::script_scan;

pub(super) fn advise(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    out.extend(too_late(view));
    out.extend(block_not_honoured(view));
    out.extend(never_matches(view));
    out.extend(unit_suspect(view));
}

fn too_late(view: &LintedHook<'_>) -> Option<Problem> {
    let late = view.event.name == "PostToolUse" && names_block(&view.text).is_some();
    late.then(|| view.problem_at_line(names_block, messages::LATE.render_plain()))
}

/// The line of a text that mentions or returns a block.
fn names_block(text: &str) -> Option<u32> {
    let mut words = ["\"block\"", "'block'"].iter();
    let named = words.find_map(|word| text.find(word));
    named
        .map(|at| script_scan::line_after(&text[..at]))
        .or_else(|| block_line(text))
}

fn block_not_honoured(view: &LintedHook<'_>) -> Option<Problem> {
    if view.event.exit_2.is_some() {
        return None;
    }
    let args = args! { "event" => view.event.name };
    if view.blocks() {
        return Some(view.problem_at_line(block_line, messages::BLOCK.render(args)));
    }
    let subject = view.subject.as_ref()?;
    let (piece, exit) = exits::all_exits(subject).find(|(_, exit)| exit.code == Some(2))?;
    Some(subject.problem_in_lines(
        piece,
        exits::lines_like(piece, &exit),
        messages::BLOCK_EXIT.render(args),
    ))
}

fn never_matches(view: &LintedHook<'_>) -> Option<Problem> {
    let matcher = view.matcher().filter(|_| view.event.subject == Some(CARD.tool_field))?;
    if matcher.contains(" |") || matcher.contains("| ") {
        let fixed: Vec<&str> = matcher.split('|').map(str::trim).collect();
        let args = args! { "fixed" => fixed.join("|") };
        let problem = view.problem_at_field(messages::BLANKS.render(args), "matcher");
        let some_name_is_clean = matcher.split('|').any(|name| name.trim() == name && !name.is_empty());
        return Some(if some_name_is_clean {
            problem
        } else {
            problem.never_matching()
        });
    }
    if matcher.is_empty() || matcher == "*" {
        return None;
    }
    if let Some((tool, rule)) = matcher.strip_suffix(')').and_then(|matcher| matcher.split_once('(')) {
        let is_tool = !tool.is_empty()
            && tool
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || character == '_');
        let is_rule = rule.contains([':', '/', ' ']) || rule == "*";
        if is_tool && is_rule && !rule.contains('|') {
            let message = render!(messages::RULE, "tool" => tool);
            return Some(view.problem_at_field(message, "matcher").never_matching());
        }
    }
    let message = unreachable_matcher(matcher, Reading::Whole)?;
    Some(view.problem_at_field(message, "matcher").never_matching())
}

/// Reports a `timeout` that is probably in milliseconds.
fn unit_suspect(view: &LintedHook<'_>) -> Option<Problem> {
    let written = view.hook.definition.get("timeout").and_then(Value::as_f64)?;
    let args = || args! { "written" => view.hook.definition["timeout"], "seconds" => seconds(written) };
    looks_like_milliseconds(written).then(|| view.problem_at_field(messages::UNIT.render(args()), "timeout"))
}

/// The time in seconds. A whole number has no `.0`.
fn seconds(milliseconds: f64) -> Value {
    let seconds = milliseconds / 1000.0;
    let whole = serde_json::from_str(&format!("{seconds:.0}")).ok();
    whole
        .filter(|_| seconds.fract() == 0.0)
        .unwrap_or_else(|| seconds.into())
}
