//! The rules about outputs that Qoder ignores: without an event name or with a wrong one, with fields that have no effect,
//! or printed with an exit code that makes Qoder ignore them.

use hookwright_model::{Problem, RunMode, args, render};

use super::{LintedHook, messages};
use crate::command_lint::messages::{IGNORED_DECISION, IGNORED_STDOUT};
use crate::command_lint::prints::{IgnoredPart, find_ignored_prints, printed_objects};
use crate::command_lint::{CodePiece, LintSubject, lines_by_message};
use crate::hook_output::SPECIFIC_OUTPUT;
use crate::hook_output::lint::AnswerLint;
use crate::qoder::events::{CARD, OUTPUT};
use crate::script_scan;

const ANSWERS: AnswerLint = AnswerLint {
    rules: &OUTPUT,
    card: &CARD,
    bare: messages::BARE_ANSWER,
    unknown: messages::UNKNOWN_ANSWER,
};

pub(super) fn advise(view: &LintedHook<'_>, out: &mut Vec<Problem>) {
    let Some(subject) = &view.subject else { return };
    if view.hook.mode == RunMode::Detach {
        return;
    }
    let is_told = check_event_name(view, out) || check_context(view, out);
    let any_event = is_told || script_scan::mentions(&view.text, "hook_event_name");
    for piece in &subject.pieces {
        let objects = printed_objects(&piece.output, SPECIFIC_OUTPUT).into_iter();
        let faults = objects.filter_map(|object| Some((object.line, ANSWERS.fault(view.event, &object, any_event)?)));
        for (message, lines) in lines_by_message(faults) {
            out.push(subject.problem_in_lines(piece, lines, message));
        }
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

/// Reports context at an event that ignores it. A script that reads the event's name may return none there. Returns
/// whether something was reported.
fn check_context(view: &LintedHook<'_>, out: &mut Vec<Problem>) -> bool {
    let field = "additionalContext";
    let takes = view.event.output(field).is_some();
    let is_ignored =
        !takes && script_scan::writes(&view.text, field) && !script_scan::mentions(&view.text, "hook_event_name");
    if is_ignored {
        let message = render!(messages::NO_CONTEXT, "field" => field, "event" => view.event.name);
        out.push(view.problem_at_line(|text| script_scan::line_of_write(text, field), message));
    }
    is_ignored
}

/// Reports output that is printed with exit code 2, or a decision that is printed with a failure.
fn check_unread(view: &LintedHook<'_>, subject: &LintSubject<'_>, piece: &CodePiece<'_>, out: &mut Vec<Problem>) {
    let found = find_ignored_prints(&piece.output).into_iter();
    let messages = found.filter_map(|found| match found.part {
        IgnoredPart::Anything if view.event.exit_2.is_some() => Some((found.line, IGNORED_STDOUT.render_plain())),
        IgnoredPart::Anything => None,
        IgnoredPart::Decision => Some((found.line, render!(IGNORED_DECISION, "code" => found.code))),
    });
    for (message, lines) in lines_by_message(messages) {
        out.push(subject.problem_in_lines(piece, lines, message));
    }
}
