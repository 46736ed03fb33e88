//! Makes the hook of one entry of a group (`codex.md` §2).

use std::time::Duration;

use hookwright_model::{ApprovalScope, Command, DisabledReason, Handler, Hook, Problem, RunMode, render};
use serde_json::Value;

use super::events::CARD;
use super::messages;
use super::schema::{DEFINITION, ENTRY, MAX_TIMEOUT_SECS, TIMEOUT_SECS};
use crate::definition::{self, Fields, Problems, RunCommand};
use crate::event_list::Group;
use crate::node::Node;
use crate::shell;

/// The types of entries that the agent skips.
pub(super) const SKIPPED_TYPES: &[&str] = &["prompt", "agent"];
/// The type of entries that only the agent can run.
const AGENT_TYPE: &str = "mcp_tool";
/// Events at which the agent waits only for moments.
const SHORT: [&str; 2] = ["SessionEnd", "Interrupt"];
/// The event that ends a session.
const END: &str = "SessionEnd";

/// Reads the entry with this index in its group: the hook and its problems.
#[must_use]
pub fn read(group: &Group<'_>, id: &str, index: usize, node: &Node) -> (Hook, Vec<Problem>) {
    let mut problems = Problems::new(&group.root.path, Some(id), node.position);
    let fields = definition::read(&DEFINITION, &ENTRY, "", node, &mut problems);
    let kind = fields.word("type");
    let written = fields.given("type").and_then(Node::string);
    if let Some(skipped) = written.filter(|kind| SKIPPED_TYPES.contains(kind)) {
        // The agent looks at nothing else in it.
        problems = Problems::new(&group.root.path, Some(id), node.position);
        let message = render!(messages::UNSUPPORTED_TYPE, "written" => skipped);
        problems.report(message, fields.position("type"));
    } else {
        check(group.event, kind, &fields, &mut problems);
    }
    let is_command = kind == "command";
    let run = if is_command {
        RunCommand::read(&CARD, &fields, &messages::RELAY, &mut problems)
    } else {
        RunCommand::unwrapped("", node)
    };
    // The relay waits longer than any hook may.
    if run.off.is_none() {
        warn_timeout(group.event, &fields, &mut problems);
    }
    let is_detached = fields.flag("async") && group.event != END;
    let mut field_positions = fields.positions();
    field_positions.extend(group.matcher().map(|matcher| ("matcher".to_owned(), matcher.position)));
    let at = group.entry_path(index);
    let base = definition::hook(CARD.id, group.root, &problems, group.event, at, run.definition);
    let agent_only = (kind == AGENT_TYPE).then(|| render!(messages::AGENT_ONLY, "type" => kind));
    let hook = Hook {
        label: label(kind, &fields, &run.text, id),
        approval_scope: if is_command {
            ApprovalScope::Command(Command::shell(&run.text))
        } else {
            ApprovalScope::Nothing
        },
        handler: if is_command {
            Handler::Shell { command: run.text }
        } else {
            Handler::BUILTIN
        },
        when: group.when.clone(),
        filter: group.matcher_as_shown(),
        timeout: time_limit(group.event, &fields),
        mode: if is_detached { RunMode::Detach } else { RunMode::Await },
        inherited_text: group.inherited.clone(),
        field_positions: field_positions.into_iter().collect(),
        invalid: base.invalid.clone().or_else(|| group.invalid.clone()),
        disabled_reason: run.off.or(agent_only.map(DisabledReason::AgentOnly)),
        wrapped: run.wrapped,
        ..base
    };
    (hook, problems.into_list())
}

/// Checks what no row can say.
fn check(event: &str, kind: &str, fields: &Fields<'_>, problems: &mut Problems<'_>) {
    if fields.given("commandWindows").is_some() && fields.given("command_windows").is_some() {
        problems.report_rejected(
            messages::TWO_SPELLINGS.render_plain(),
            fields.position("command_windows"),
        );
    }
    if fields
        .given("input")
        .is_some_and(|input| contains_null(&input.to_value()))
    {
        problems.report_rejected(messages::NULL_INPUT.render_plain(), fields.position("input"));
    }
    if fields.flag("async") && event == END {
        problems.report(
            render!(messages::ASYNC_IDLE, "event" => event),
            fields.position("async"),
        );
    }
    if kind == AGENT_TYPE && problems.invalid.is_none() {
        let message = if event == END {
            render!(messages::UNSUPPORTED_TOOL, "event" => event)
        } else {
            render!(messages::AGENT_ONLY, "type" => kind)
        };
        let begin = problems.begin;
        problems.report(message, begin);
    }
}

fn contains_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(contains_null),
        Value::Object(entries) => entries.values().any(contains_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The default and the largest time limit of an event at which the agent waits only for moments, in seconds.
pub(super) fn short_limits(event: &str) -> Option<(i64, i64)> {
    SHORT.contains(&event).then_some((1, 3))
}

/// The default and the largest time limit of an event, in seconds.
fn limits(event: &str) -> (i64, i64) {
    short_limits(event).unwrap_or((TIMEOUT_SECS, MAX_TIMEOUT_SECS))
}

/// The time limit that counts at an event.
pub(super) fn time_limit(event: &str, fields: &Fields<'_>) -> Duration {
    let (usual, most) = limits(event);
    let written = fields.get("timeout").map(|_| fields.number("timeout"));
    Duration::from_secs(written.unwrap_or(usual).clamp(1, most).unsigned_abs())
}

/// Warns about a timeout that another one replaces. If it is probably in milliseconds, the lint reports that instead.
pub(super) fn warn_timeout(event: &str, fields: &Fields<'_>, problems: &mut Problems<'_>) {
    let (_, most) = limits(event);
    let Some(number) = fields.get("timeout").and_then(Node::whole_number) else {
        return;
    };
    let is_long = number > i128::from(most);
    if number < 1 || is_long && !looks_like_milliseconds(event, number) {
        let taken = if is_long { most } else { 1 };
        let written = number.to_string();
        let message = render!(
            messages::TIMEOUT_LIMIT,
            "written" => written, "taken" => taken, "least" => 1, "most" => most
        );
        problems.warn(message, fields.position("timeout"));
    }
}

/// Whether a number of seconds is probably in milliseconds.
#[must_use]
pub fn looks_like_milliseconds(event: &str, seconds: i128) -> bool {
    !SHORT.contains(&event) && seconds >= 1000 && seconds % 500 == 0
}

/// The label of a hook: its message, else the script or program that it runs, or its tool.
fn label(kind: &str, fields: &Fields<'_>, command: &str, id: &str) -> String {
    let text = |name: &str| fields.text(name).unwrap_or_default();
    let label = match text("statusMessage") {
        "" if kind == AGENT_TYPE => shell::shorten(&format!("{}:{}", text("server"), text("tool"))),
        "" => shell::label(command),
        message => shell::shorten(message),
    };
    if label.is_empty() { id.to_owned() } else { label }
}
