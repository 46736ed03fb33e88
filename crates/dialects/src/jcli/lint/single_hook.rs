//! The rules that check one definition.

use hookwright_model::{Handler, OnFailure, Problem, VerdictKind, args, render};
use serde_json::Value;

use super::{LintedHook, messages, script_scan, skip_line, stop_line};
use crate::command_lint::exits;
use crate::command_lint::prints::printed_objects;
use crate::flat_answers;
use crate::jcli::events::{CARD, CHAIN_BUDGET};
use crate::jcli::prompt::{self, TemplatePart};
use crate::json;
use crate::name_reach::{Reading, unreachable_matcher};
use crate::shell::Join;

/// The field that decides, and its words.
const ACTION: flat_answers::DecisionField = ("action", &["stop", "skip"]);

pub(super) fn advise(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    out.extend(stop_not_honoured(view));
    out.extend(skip_no_effect(view));
    out.extend(abort_no_hold(view));
    out.extend(returns_ignored(view));
    out.extend(no_json(view));
    out.extend(field_ignored(view));
    out.extend(fails_open(view));
    out.extend(fails_closed(view));
    never_matches(view, out);
    out.extend(not_a_regex(view));
    no_effect(view, out);
    out.extend(over_budget(view));
    out.extend(unit_suspect(view));
    payload_in_prompt(view, out);
}

fn aborts(view: &LintedHook<'_>) -> bool {
    view.hook.on_failure == OnFailure::Closed
}

fn stop_not_honoured(view: &LintedHook<'_>) -> Option<Problem> {
    let name = view.event.name;
    if view.event.stop_holds {
        return None;
    }
    if aborts(view) {
        if catches_failures(view) {
            return None;
        }
        let template = if view.command().is_some() {
            messages::STOP_ABORT
        } else {
            messages::STOP_ABORT_LLM
        };
        return Some(view.problem_at_field(template.render(args! { "event" => name }), "on_error"));
    }
    let message = || render!(messages::STOP_LITERAL, "event" => name);
    view.stops().then(|| view.problem_at_line(stop_line, message()))
}

fn skip_no_effect(view: &LintedHook<'_>) -> Option<Problem> {
    let elsewhere = !view.event.verdicts.contains(&VerdictKind::Skip);
    let message = || render!(messages::SKIP, "event" => view.event.name);
    (elsewhere && view.skips()).then(|| view.problem_at_line(skip_line, message()))
}

fn abort_no_hold(view: &LintedHook<'_>) -> Option<Problem> {
    let message = || render!(messages::ABORT, "event" => view.event.name);
    (view.event.notify_only && aborts(view)).then(|| view.problem_at_field(message(), "on_error"))
}

fn returns_ignored(view: &LintedHook<'_>) -> Option<Problem> {
    let command = view.command().filter(|_| view.event.notify_only)?;
    let printed = crate::shell::scan(command).programs().any(|words| {
        let prints = ["echo", "printf"].contains(&crate::shell::base_name(&words[0].text));
        prints && words[1..].iter().any(|word| word.text.trim_start().starts_with("{\""))
    });
    let message = || render!(messages::RETURNS, "event" => view.event.name);
    let spelled = script_scan::literal_answer(&view.text).is_some();
    (printed || spelled).then(|| view.problem_at_line(script_scan::literal_answer, message()))
}

/// A text that is printed as the output and is not valid JSON, so the hook fails.
fn no_json(view: &LintedHook<'_>) -> Option<Problem> {
    let command = view.command().filter(|_| !view.event.notify_only)?;
    let script = crate::shell::scan(command);
    let broken = script.programs_with_joins().any(|(words, join)| {
        let prints = ["echo", "printf"].contains(&words[0].text.as_str()) && join != Join::Pipe;
        prints && words.len() == 2 && is_broken_json(&words[1].text)
    });
    broken.then(|| view.problem_at_field(messages::NO_JSON.render_plain(), "command"))
}

/// A field that a command prints and the event does not have. A script that asks for the event may print it at another.
fn field_ignored(view: &LintedHook<'_>) -> Option<Problem> {
    let asks = crate::script_scan::mentions(&view.text, CARD.event_field);
    if view.event.notify_only || asks {
        return None;
    }
    view.command()?;
    let fault = |text: &str| {
        let mut objects = printed_objects(text, "").into_iter();
        objects.find_map(|object| Some((object.line, flat_answers::fault(&CARD, ACTION, view.event, &object)?)))
    };
    let (_, message) = fault(&view.text)?;
    let same = |text: &str| fault(text).filter(|(_, other)| *other == message).map(|(line, _)| line);
    Some(view.problem_at_line(same, message.clone()))
}

/// Whether a literal text begins and ends like a JSON object and is not valid JSON.
fn is_broken_json(text: &str) -> bool {
    let text = text.trim();
    let literal = text.starts_with("{\"") && text.ends_with('}') && !text.contains(['$', '`', '%', '\\']);
    literal && serde_json::from_str::<serde_json::Value>(text).is_err()
}

/// Whether it is a guard: it runs at one of these two events, and its output can block.
fn is_guard(view: &LintedHook<'_>) -> bool {
    ["pre_tool_execution", "pre_send_message"].contains(&view.event.name) && view.can_block()
}

/// Whether the command itself prints an output with an effect at the event when what it starts fails:
/// `python3 guard.py || echo '{"action": "skip"}'`. j-cli honours that output, whatever it makes of the failure.
fn catches_failures(view: &LintedHook<'_>) -> bool {
    let Some(piece) = view.subject.as_ref().and_then(|subject| subject.pieces.first()) else {
        return false;
    };
    let [.., guarded, last] = &*piece.script.commands else {
        return false;
    };
    let [print, printed] = last.program() else { return false };
    let is_print = guarded.join == Join::Or && ["echo", "printf"].contains(&&*print.text);
    let Ok(Value::Object(output)) = json::read(&printed.text) else {
        return false;
    };
    let honoured = match output.get("action").and_then(Value::as_str) {
        Some("skip") => view.event.verdicts.contains(&VerdictKind::Skip),
        Some("stop") => view.event.stop_holds,
        Some(_) => false,
        None => output.keys().any(|name| view.event.output(name).is_some()),
    };
    is_print && honoured
}

fn fails_open(view: &LintedHook<'_>) -> Option<Problem> {
    (is_guard(view) && !aborts(view) && !catches_failures(view))
        .then(|| view.problem_at_field(messages::FAILS_OPEN.render_plain(), "on_error"))
}

fn fails_closed(view: &LintedHook<'_>) -> Option<Problem> {
    let model = matches!(view.hook.handler, Handler::Prompt { .. });
    let message = || render!(messages::FAILS_CLOSED, "event" => view.event.name);
    // A guard that fails closed is what `fails_open` asks for.
    (model && aborts(view) && !view.event.notify_only && !is_guard(view))
        .then(|| view.problem_at_field(message(), "on_error"))
}

fn never_matches(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    for clause in &view.hook.when.clauses {
        if !view.event.fields.iter().any(|field| field.name == clause.field) {
            let args = args! { "event" => view.event.name, "payload" => clause.field, "field" => clause.key };
            let problem = view.problem_at_field(messages::NEVER.render(args), &format!("filter.{}", clause.key));
            out.push(problem.never_matching());
        }
    }
    if let Some(name) = view.filter_part("tool_name").filter(|name| name.contains('|')) {
        let problem = view.problem_at_field(render!(messages::NAME_LIST, "written" => name), "filter.tool_name");
        out.push(problem.never_matching());
    }
}

fn not_a_regex(view: &LintedHook<'_>) -> Option<Problem> {
    // With `tool_name` the `tool_matcher` is ignored; `no_effect` reports that.
    let matcher = view
        .filter_part("tool_matcher")
        .filter(|_| view.filter_part("tool_name").is_none())?;
    if !matcher.contains(['.', '*', '+', '^', '$', '(', '[', '\\']) {
        let message = unreachable_matcher(matcher, Reading::Names(&['|']))?;
        return Some(view.problem_at_field(message, "filter.tool_matcher").never_matching());
    }
    let character = matcher.chars().find(|character| ".*+^$([\\".contains(*character))?;
    Some(view.problem_at_field(
        render!(messages::NO_REGEX, "sign" => character.to_string()),
        "filter.tool_matcher",
    ))
}

fn no_effect(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    if view.filter_part("tool_name").is_some() && view.filter_part("tool_matcher").is_some() {
        out.push(view.problem_at_field(messages::MATCHER.render_plain(), "filter.tool_matcher"));
    }
    if let (Some(tail), true) = (view.command().and_then(exits::always_succeeds), view.hook.attempts > 1) {
        out.push(view.problem_at_field(render!(messages::RETRY, "tail" => tail), "retry"));
    }
}

fn over_budget(view: &LintedHook<'_>) -> Option<Problem> {
    let timeout = view.hook.timeout.as_secs();
    let args = args! { "attempts" => view.hook.attempts, "timeout" => timeout, "budget" => CHAIN_BUDGET.as_secs() };
    let longest = timeout.saturating_mul(u64::from(view.hook.attempts));
    if longest <= CHAIN_BUDGET.as_secs() || suspected_milliseconds(view).is_some() {
        return None;
    }
    let is_written = ["timeout", "retry"]
        .iter()
        .any(|field| view.hook.definition.get(*field).is_some());
    let template = if is_written {
        messages::BUDGET_ONE
    } else {
        messages::BUDGET_DEFAULTS
    };
    Some(view.problem_at_field(template.render(args), "timeout"))
}

/// The written time limit, if it is probably in milliseconds.
fn suspected_milliseconds(view: &LintedHook<'_>) -> Option<u64> {
    let written = view.hook.definition.get("timeout")?.as_u64()?;
    (written >= 1000 && written.is_multiple_of(500)).then_some(written)
}

fn unit_suspect(view: &LintedHook<'_>) -> Option<Problem> {
    let written = suspected_milliseconds(view)?;
    let args = args! { "written" => written, "seconds" => written.div_ceil(1000) };
    Some(view.problem_at_field(messages::UNIT.render(args), "timeout"))
}

fn payload_in_prompt(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    let Handler::Prompt { template, .. } = &view.hook.handler else {
        return;
    };
    if !view.can_block() {
        return;
    }
    let outside = ["user_input", "tool_arguments", "tool_result", "assistant_output"];
    let mut reported: Vec<&str> = Vec::new();
    for piece in prompt::split_template(template) {
        if let TemplatePart::Known(name) = piece
            && outside.contains(&name)
            && !reported.contains(&name)
        {
            reported.push(name);
            out.push(view.problem_at_field(
                render!(messages::PAYLOAD, "written" => format!("{{{{{name}}}}}")),
                "prompt",
            ));
        }
    }
}
