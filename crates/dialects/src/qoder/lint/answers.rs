//! The rules about outputs that Qoder ignores: without an event name or with a wrong one, with fields that have no effect,
//! or printed with an exit code that makes Qoder ignore them.

use hookwright_model::{Problem, RunMode, args, render};

use super::{LintedHook, messages};
use crate::command_lint::messages::{IGNORED_DECISION, IGNORED_STDOUT};
use crate::command_lint::prints::{IgnoredPart, find_ignored_prints, printed_objects};
use crate::command_lint::{CodePiece, LintSubject, concerns_decision, lines_by_message, mark_dropped};
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
    let from = out.len();
    let lacks_name = check_event_name(view, out);
    let named = out.len();
    let is_told = lacks_name || check_context(view, out);
    let mut marked: Vec<Problem> = out.drain(from..named).collect();
    let any_event = is_told || script_scan::mentions(&view.text, "hook_event_name");
    let mut dropped: Vec<(&CodePiece<'_>, u32)> = Vec::new();
    for piece in &subject.pieces {
        let objects = printed_objects(&piece.output, SPECIFIC_OUTPUT).into_iter();
        let faults = objects.filter_map(|object| Some((object.line, ANSWERS.fault(view.event, &object, any_event)?)));
        for (message, lines) in lines_by_message(faults) {
            let is_decision = concerns_decision(&message);
            dropped.extend(lines.iter().filter(|_| is_decision).map(|line| (piece, *line)));
            let problem = subject.problem_in_lines(piece, lines, message);
            if is_decision {
                marked.push(problem)
            } else {
                out.push(problem)
            }
        }
        if lacks_name {
            let objects = printed_objects(&piece.output, SPECIFIC_OUTPUT).into_iter();
            dropped.extend(
                objects
                    .filter(|object| !object.nested.is_empty())
                    .map(|object| (piece, object.line)),
            );
        }
        let (unread, lines) = check_unread(view, subject, piece);
        dropped.extend(lines.into_iter().map(|line| (piece, line)));
        marked.extend(unread);
    }
    if view.event.can_be_blocked() {
        mark_dropped(subject, &dropped, &mut marked);
    }
    out.append(&mut marked);
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

/// Reports output that is printed with exit code 2, or a decision that is printed with a failure. Returns the lines of
/// such decisions too.
fn check_unread(view: &LintedHook<'_>, subject: &LintSubject<'_>, piece: &CodePiece<'_>) -> (Vec<Problem>, Vec<u32>) {
    let found = find_ignored_prints(&piece.output);
    let decisions = found.iter().filter(|found| found.part == IgnoredPart::Decision);
    let lines: Vec<u32> = decisions.map(|found| found.line).collect();
    let messages = found.into_iter().filter_map(|found| match found.part {
        IgnoredPart::Anything if view.event.exit_2.is_some() => Some((found.line, IGNORED_STDOUT.render_plain())),
        IgnoredPart::Anything => None,
        IgnoredPart::Decision => Some((found.line, render!(IGNORED_DECISION, "code" => found.code))),
    });
    let grouped = lines_by_message(messages).into_iter();
    let problems = grouped.map(|(message, lines)| subject.problem_in_lines(piece, lines, message));
    (problems.collect(), lines)
}
