//! Makes the hook of one definition (`jcli.md` §2).

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Command, Handler, Hook, Message, OnFailure, PathStep, Problem, Root, SessionRegistration, render,
};

use super::events::CARD;
use super::prompt::{self, PLACEHOLDERS, TemplatePart};
use super::schema::{DEFINITION, HOOK};
use super::{messages, nearest};
use crate::definition::{self, Fields, Problems, RunCommand};
use crate::node::Node;
use crate::{session_hooks, shell};

/// Length limit for the label of an llm hook, in bytes.
const MAX_LABEL_BYTES: usize = 80;

/// Reads one item of an event's list. `text` is that of the file, without byte-order mark, and `at` the path to the item.
#[must_use]
pub fn read(root: &Root, text: &str, id: &str, event: &str, at: Vec<PathStep>, node: &Node) -> (Hook, Vec<Problem>) {
    let mut problems = Problems::new(&root.path, Some(id), node.position);
    let fields = definition::read(&DEFINITION, &HOOK, "", node, &mut problems);
    check_placeholders(&fields, text, &mut problems);
    let when = fields.condition(None, &mut problems);
    let is_prompt = fields.word("type") == "llm";
    let run = if is_prompt {
        let template = fields.text("prompt").unwrap_or_default();
        RunCommand::unwrapped(template, node)
    } else {
        RunCommand::read(&CARD, &fields, &messages::RELAY, &mut problems)
    };
    let (label, approval_scope) = if is_prompt {
        (shell::first_line(&run.text, MAX_LABEL_BYTES), ApprovalScope::Nothing)
    } else {
        let first = node.entries().and_then(|entries| entries.first());
        let comment = first.and_then(|first| shell::comment_above(text, first.value.span.start));
        (
            comment.map_or_else(|| shell::label(&run.text), str::to_owned),
            ApprovalScope::Command(Command::shell(&run.text)),
        )
    };
    let hook = Hook {
        // A definition without a command still needs a label.
        label: if label.is_empty() { id.to_owned() } else { label },
        approval_scope,
        handler: if is_prompt {
            Handler::Prompt {
                template: run.text,
                model: fields.text("model").map(str::to_owned),
            }
        } else {
            Handler::Shell { command: run.text }
        },
        when,
        filter: fields.given("filter").map(Node::to_value),
        timeout: fields.duration("timeout"),
        attempts: u32::try_from(fields.number("retry").saturating_add(1)).unwrap_or(u32::MAX),
        on_failure: match fields.word("on_error") {
            "abort" | "stop" => OnFailure::Closed,
            _ => OnFailure::Open,
        },
        field_positions: fields.positions().into_iter().collect(),
        disabled_reason: run.off,
        wrapped: run.wrapped,
        ..definition::hook(CARD.id, root, &problems, event, at, run.definition)
    };
    (hook, problems.into_list())
}

/// Reads a definition that an agent registers for its session. It is the whole form of a file's definition.
///
/// # Errors
/// The event is unknown, or the definition is invalid.
pub fn read_registration(registration: &SessionRegistration<'_>) -> Result<Vec<Hook>, Message> {
    let event = session_hooks::event(&CARD, registration)?;
    let node = session_hooks::definition(registration)?;
    let root = session_hooks::root(registration);
    let (id, at) = session_hooks::next_id(&CARD, registration, event);
    let (hook, _) = read(&root, "", &id, event, at, &node);
    session_hooks::finish(hook).map(|hook| vec![hook])
}

/// Reports the unknown placeholders of a prompt.
fn check_placeholders(fields: &Fields<'_>, file: &str, problems: &mut Problems<'_>) {
    let prompt = fields
        .get("prompt")
        .filter(|_| fields.word("type") == "llm" && !fields.is_wrong("type"));
    let (Some(node), Some(template)) = (prompt, fields.text("prompt")) else {
        return;
    };
    let mut from = 0;
    for piece in prompt::split_template(template) {
        let TemplatePart::Unknown(written, name) = piece else {
            continue;
        };
        let in_braces = |name: &str| format!("{{{{{name}}}}}");
        let message = match nearest(name, PLACEHOLDERS.into_iter()) {
            Some(nearest) => {
                render!(messages::PLACEHOLDER_NEAR, "written" => written, "nearest" => in_braces(nearest))
            }
            None => {
                let known = PLACEHOLDERS.map(in_braces).join(" ");
                render!(messages::PLACEHOLDER, "written" => written, "known" => known)
            }
        };
        problems.report(message, position_inside(file, node, written, &mut from));
    }
}

/// The position of the next `written` in the file's text of a value. If it is not found, the position of the value.
fn position_inside(file: &str, node: &Node, written: &str, from: &mut usize) -> TextPosition {
    let source = file.get(node.span.clone()).unwrap_or_default();
    let Some(ahead) = source.get(*from..).and_then(|rest| rest.find(written)) else {
        return node.position;
    };
    let at = *from + ahead;
    *from = at + written.len();
    let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let before = &source[..at];
    let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
    let column = match before.rfind('\n') {
        Some(end) => count(&before[end + 1..]) + 1,
        None => node.position.column + count(before),
    };
    TextPosition {
        line: node.position.line + lines,
        column,
    }
}
