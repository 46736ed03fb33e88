//! The rules about outputs that Qoder ignores: without an event name or with a wrong one, with unknown fields, or
//! printed with an exit code that makes Qoder ignore them.

use hookwright_model::{Problem, RunMode, args, render};

use super::{LintedHook, messages};
use crate::command_lint::messages::{IGNORED_DECISION, IGNORED_STDOUT};
use crate::command_lint::prints::{IgnoredPart, find_ignored_print, printed_objects};
use crate::command_lint::{CodePiece, LintSubject};
use crate::qoder::events::CARD;
use crate::script_scan;

/// The top-level fields of an output.
const FIELDS: [&str; 9] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
    "async",
    "asyncTimeout",
];
/// The field that contains the event's own output fields.
const SPECIFIC_OUTPUT: &str = "hookSpecificOutput";
/// Output fields of other hook systems that authors use by mistake.
const OTHER_SYSTEM_FIELDS: [&str; 7] = [
    "feedback",
    "message",
    "action",
    "permissionDecision",
    "additionalContext",
    "permission",
    "block",
];

pub(super) fn advise(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    let Some(subject) = &view.subject else { return };
    if view.hook.mode == RunMode::Detach {
        return;
    }
    if !check_event_name(view, out) {
        check_context(view, out);
    }
    for piece in &subject.pieces {
        check_unknown_fields(subject, piece, out);
        check_unread(view, subject, piece, out);
    }
}

/// Reports an event name that is missing or is another event's, because then the whole output fails.
///
/// A script that reads the event's name may return the right one, so its name is not compared. Returns whether
/// something was reported.
fn check_event_name(view: &LintedHook<'_>, out: &mut Vec<Problem>) -> bool {
    let name = view.event.name;
    if !script_scan::writes(&view.text, "hookSpecificOutput") {
        return false;
    }
    let given = script_scan::written_values(&view.text, "hookEventName");
    let (field, message) = if !script_scan::mentions(&view.text, "hookEventName") {
        ("hookSpecificOutput", render!(messages::NO_NAME, "event" => name))
    } else if let Some(Some(other)) = given.first()
        && !script_scan::mentions(&view.text, "hook_event_name")
        && given.iter().all(|value| value.is_some_and(|value| value != name))
    {
        let args = args! { "event" => name, "other" => *other };
        ("hookEventName", messages::OTHER_NAME.render(args))
    } else {
        return false;
    };
    out.push(view.problem_at_line(|text| script_scan::line_of_write(text, field), message));
    true
}

/// Reports context at an event that ignores it. A script that reads the event's name may return none there.
fn check_context(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    let field = "additionalContext";
    let takes = view.event.output(field).is_some();
    if !takes && script_scan::writes(&view.text, field) && !script_scan::mentions(&view.text, "hook_event_name") {
        let message = render!(messages::NO_CONTEXT, "field" => field, "event" => view.event.name);
        out.push(view.problem_at_line(|text| script_scan::line_of_write(text, field), message));
    }
}

/// Reports a printed field that Qoder does not know, at the top level or inside `hookSpecificOutput`.
fn check_unknown_fields(subject: &LintSubject<'_>, piece: &CodePiece<'_>, out: &mut Vec<Problem>) {
    for object in printed_objects(&piece.output, SPECIFIC_OUTPUT) {
        let is_answer = object.keys.iter().any(|key| FIELDS.contains(&key.as_str()));
        let odd = object.keys.iter().find(|key| {
            let key = key.as_str();
            !FIELDS.contains(&key) && (is_answer || OTHER_SYSTEM_FIELDS.contains(&key))
        });
        let odd_below = object.nested_keys.iter().find(|key| !is_specific(key));
        let odd = odd
            .cloned()
            .or_else(|| Some(format!("{SPECIFIC_OUTPUT}.{}", odd_below?)));
        if let Some(odd) = odd {
            out.push(subject.problem_in_piece(piece, object.line, render!(messages::UNKNOWN_ANSWER, "field" => odd)));
            return;
        }
    }
}

/// Whether some event has this field inside `hookSpecificOutput`.
fn is_specific(key: &str) -> bool {
    let is_output = CARD.events.iter().any(|event| event.output(key).is_some());
    ["hookEventName", "decision"].contains(&key) || (is_output && !FIELDS.contains(&key))
}

/// Reports output that is printed with exit code 2, or a decision that is printed with a failure.
fn check_unread(view: &LintedHook<'_>, subject: &LintSubject<'_>, piece: &CodePiece<'_>, out: &mut Vec<Problem>) {
    let Some(found) = find_ignored_print(&piece.output) else {
        return;
    };
    let message = match found.part {
        IgnoredPart::Anything if view.event.exit_2.is_some() => IGNORED_STDOUT.render_plain(),
        IgnoredPart::Anything => return,
        IgnoredPart::Decision => render!(IGNORED_DECISION, "code" => found.code),
    };
    out.push(subject.problem_in_piece(piece, found.line, message));
}
