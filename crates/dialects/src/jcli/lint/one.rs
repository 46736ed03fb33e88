//! Rows that look at one definition.

use hookwright_model::{Handler, OnFailure, Problem, args};

use super::{View, reads, sayings};
use crate::jcli::BUDGET;
use crate::jcli::prompt::{self, Piece};

pub(super) fn advise(view: &View<'_>, out: &mut Vec<Problem>) {
    out.extend(stop_not_honoured(view));
    out.extend(skip_no_effect(view));
    out.extend(abort_no_hold(view));
    out.extend(returns_ignored(view));
    out.extend(fails_open(view));
    out.extend(fails_closed(view));
    never_matches(view, out);
    out.extend(not_a_regex(view));
    no_effect(view, out);
    out.extend(over_budget(view));
    out.extend(unit_suspect(view));
    payload_in_prompt(view, out);
}

fn aborts(view: &View<'_>) -> bool {
    view.hook.on_failure == OnFailure::Closed
}

fn stop_not_honoured(view: &View<'_>) -> Option<Problem> {
    let name = view.event.name;
    let deaf = name == "pre_tool_execution"
        || name.starts_with("post_tool")
        || (name.starts_with("post_") && name.ends_with("_compact"));
    if !deaf {
        return None;
    }
    if aborts(view) {
        return Some(view.say(sayings::STOP_ABORT.say(args! { "event" => name }), "on_error"));
    }
    view.stops()
        .then(|| view.say(sayings::STOP_LITERAL.say(args! { "event" => name }), answer_field(view)))
}

/// The field that an answer is read off.
fn answer_field(view: &View<'_>) -> &'static str {
    if view.command().is_some() { "command" } else { "prompt" }
}

fn skip_no_effect(view: &View<'_>) -> Option<Problem> {
    let elsewhere = view.event.name != "pre_tool_execution";
    (elsewhere && view.skips()).then(|| {
        view.say(
            sayings::SKIP.say(args! { "event" => view.event.name }),
            answer_field(view),
        )
    })
}

fn abort_no_hold(view: &View<'_>) -> Option<Problem> {
    let words = || sayings::ABORT.say(args! { "event" => view.event.name });
    (view.event.notify_only && aborts(view)).then(|| view.say(words(), "on_error"))
}

fn returns_ignored(view: &View<'_>) -> Option<Problem> {
    let command = view.command().filter(|_| view.event.notify_only)?;
    let printed = crate::shell::scan(command).programs().any(|words| {
        let prints = ["echo", "printf"].contains(&crate::shell::base_name(&words[0].text));
        prints && words[1..].iter().any(|word| word.text.trim_start().starts_with("{\""))
    });
    let words = || sayings::RETURNS.say(args! { "event" => view.event.name });
    (printed || reads::literal_answer(&view.text)).then(|| view.say(words(), "command"))
}

fn fails_open(view: &View<'_>) -> Option<Problem> {
    let guards = ["pre_tool_execution", "pre_send_message"].contains(&view.event.name);
    (guards && !aborts(view) && view.holds()).then(|| view.say(sayings::FAILS_OPEN.plain(), "on_error"))
}

fn fails_closed(view: &View<'_>) -> Option<Problem> {
    let model = matches!(view.hook.handler, Handler::Prompt { .. });
    let words = || sayings::FAILS_CLOSED.say(args! { "event" => view.event.name });
    (model && aborts(view) && !view.event.notify_only).then(|| view.say(words(), "on_error"))
}

fn never_matches(view: &View<'_>, out: &mut Vec<Problem>) {
    for clause in &view.hook.when.clauses {
        if !view.event.fields.iter().any(|field| field.name == clause.field) {
            let args = args! { "event" => view.event.name, "payload" => clause.field, "field" => clause.key };
            out.push(view.say(sayings::NEVER.say(args), &format!("filter.{}", clause.key)));
        }
    }
}

fn not_a_regex(view: &View<'_>) -> Option<Problem> {
    // Beside a `tool_name` it is not looked at; that has its own row.
    let matcher = view
        .filter("tool_matcher")
        .filter(|_| view.filter("tool_name").is_none())?;
    let sign = matcher.chars().find(|sign| ".*+^$([\\".contains(*sign))?;
    Some(view.say(
        sayings::NO_REGEX.say(args! { "sign" => sign.to_string() }),
        "filter.tool_matcher",
    ))
}

fn no_effect(view: &View<'_>, out: &mut Vec<Problem>) {
    if view.filter("tool_name").is_some() && view.filter("tool_matcher").is_some() {
        out.push(view.say(sayings::MATCHER.plain(), "filter.tool_matcher"));
    }
    if let (Some(tail), true) = (view.command().and_then(always_succeeds), view.hook.attempts > 1) {
        out.push(view.say(sayings::RETRY.say(args! { "tail" => tail }), "retry"));
    }
}

/// The end of a command that hides every failure.
fn always_succeeds(command: &str) -> Option<&'static str> {
    let command = command.trim_end();
    ["|| true", "|| :", "|| exit 0", "; exit 0", "; true"]
        .into_iter()
        .find(|tail| command.ends_with(tail))
}

fn over_budget(view: &View<'_>) -> Option<Problem> {
    let timeout = view.hook.timeout.as_secs();
    let args = args! { "attempts" => view.hook.attempts, "timeout" => timeout, "budget" => BUDGET.as_secs() };
    let longest = timeout.saturating_mul(u64::from(view.hook.attempts));
    (longest > BUDGET.as_secs()).then(|| view.say(sayings::BUDGET_ONE.say(args), "timeout"))
}

fn unit_suspect(view: &View<'_>) -> Option<Problem> {
    let written = view.hook.definition.get("timeout")?.as_u64()?;
    let suspect = written >= 1000 && written.is_multiple_of(500);
    suspect.then(|| {
        view.say(
            sayings::UNIT.say(args! { "written" => written, "seconds" => written.div_ceil(1000) }),
            "timeout",
        )
    })
}

fn payload_in_prompt(view: &View<'_>, out: &mut Vec<Problem>) {
    let Handler::Prompt { template, .. } = &view.hook.handler else {
        return;
    };
    if !view.holds() {
        return;
    }
    let outside = ["user_input", "tool_arguments", "tool_result", "assistant_output"];
    let mut said: Vec<&str> = Vec::new();
    for piece in prompt::pieces(template) {
        if let Piece::Known(name) = piece
            && outside.contains(&name)
            && !said.contains(&name)
        {
            said.push(name);
            out.push(view.say(
                sayings::PAYLOAD.say(args! { "written" => format!("{{{{{name}}}}}") }),
                "prompt",
            ));
        }
    }
}
