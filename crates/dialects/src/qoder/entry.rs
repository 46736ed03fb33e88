//! Makes the hook of one entry of a group (`qoder.md` §2).

use std::time::Duration;

use hookwright_model::{ApprovalScope, Command, Handler, Hook, Message, Problem, RunMode, args, render};
use serde_json::Value;

use super::events::CARD;
use super::messages;
use super::schema::{DEFINITION, ENTRY, MAX_TIMEOUT_SECS, TIMEOUT_SECS};
use crate::definition::{self, Fields, Problems, RunCommand};
use crate::event_list::Group;
use crate::node::{Node, ValueKind};
use crate::shell;

/// Timeout of a hook that does not set one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(TIMEOUT_SECS.unsigned_abs());
/// Limit for `timeout`. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT: Duration = Duration::from_secs(MAX_TIMEOUT_SECS.unsigned_abs());

/// Reads the entry with this index in its group: the hook and its problems.
#[must_use]
pub fn read(group: &Group<'_>, id: &str, index: usize, node: &Node) -> (Hook, Vec<Problem>) {
    let mut problems = Problems::new(&group.root.path, Some(id), node.position);
    let fields = definition::read(&DEFINITION, &ENTRY, "", node, &mut problems);
    warn_long_timeout(&fields, &mut problems);
    if fields.text("shell").is_some() && fields.given("args").is_some() {
        problems.report(messages::SHELL_IDLE.render_plain(), fields.position("shell"));
    }
    let run = RunCommand::read(&CARD, &fields, &messages::RELAY, &mut problems);
    let mut field_positions = fields.positions();
    field_positions.extend(group.matcher().map(|matcher| ("matcher".to_owned(), matcher.position)));
    let start = start_of(&run);
    let at = group.entry_path(index);
    let base = definition::hook(CARD.id, group.root, &problems, group.event, at, run.definition);
    let hook = Hook {
        label: label(fields.text("name").unwrap_or_default(), &start, id),
        approval_scope: ApprovalScope::Command(start),
        handler: Handler::Shell { command: run.text },
        when: group.when.clone(),
        filter: group.matcher_as_shown(),
        timeout: fields.duration("timeout"),
        mode: if fields.flag("async") || group.fields.flag("async") {
            RunMode::Detach
        } else {
            RunMode::Await
        },
        inherited_text: group.inherited.clone(),
        field_positions: field_positions.into_iter().collect(),
        invalid: base.invalid.clone().or_else(|| group.invalid.clone()),
        disabled_reason: run.off,
        wrapped: run.wrapped,
        ..base
    };
    (hook, problems.into_list())
}

/// Reports a matcher that the event ignores.
pub(super) fn check_matcher(event: &str, fields: &Fields<'_>, problems: &mut Problems<'_>) {
    if let Some(message) = fields
        .text("matcher")
        .and_then(|matcher| idle_matcher_message(event, matcher))
    {
        problems.report(message, fields.position("matcher"));
    }
}

/// The message about a matcher that the event ignores, unless it matches everything anyway.
pub(super) fn idle_matcher_message(event: &str, matcher: &str) -> Option<Message> {
    let ignores_matcher = CARD.event(event).is_some_and(|spec| spec.subject.is_none());
    let template = if event == "FileChanged" {
        messages::MATCHER_IDLE_FILE
    } else {
        messages::MATCHER_IDLE
    };
    let excludes = !["", "*", ".*"].contains(&matcher);
    (ignores_matcher && excludes).then(|| template.render(args! { "event" => event }))
}

/// Warns about a timeout that is cut. If it is probably in milliseconds, the lint reports that instead.
pub(super) fn warn_long_timeout(fields: &Fields<'_>, problems: &mut Problems<'_>) {
    let Some(ValueKind::Scalar { value, text }) = fields.get("timeout").map(|node| &node.kind) else {
        return;
    };
    let seconds = value.as_f64().unwrap_or_default();
    if seconds > MAX_TIMEOUT.as_secs_f64() && !looks_like_milliseconds(seconds) {
        let message = render!(messages::TOO_LONG, "written" => text, "most" => MAX_TIMEOUT_SECS);
        problems.warn(message, fields.position("timeout"));
    }
}

/// Whether a number of seconds is probably in milliseconds.
#[must_use]
pub fn looks_like_milliseconds(seconds: f64) -> bool {
    seconds >= 1000.0 && seconds % 500.0 == 0.0
}

/// What is started: a shell with the command, or the command as a program with `args`.
fn start_of(run: &RunCommand) -> Command {
    let Some(arguments) = run.definition.get("args").and_then(Value::as_array) else {
        return Command::shell(&run.text);
    };
    let words = std::iter::once(run.text.as_str()).chain(arguments.iter().filter_map(Value::as_str));
    Command {
        words: words.map(str::to_owned).collect(),
        shell: false,
        dir: None,
    }
}

/// The label of a hook: its name, else the script or program that it runs, else its id.
fn label(name: &str, start: &Command, id: &str) -> String {
    let words: Vec<&str> = start.words.iter().map(String::as_str).collect();
    let label = match words[..] {
        _ if !name.trim().is_empty() => shell::shorten(name),
        [command] if start.shell => shell::label(command),
        _ => shell::argv_label(&words),
    };
    if label.is_empty() { id.to_owned() } else { label }
}
