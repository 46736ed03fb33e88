//! Rows about answers that Qoder does not take: without or with another event's name, fields that it does not know, and
//! what is printed beside an exit code that makes it unread.

use hookwright_model::{Problem, RunMode, args};

use super::{View, messages};
use crate::commands::messages::{UNREAD, UNREAD_DECISION};
use crate::commands::prints::{Unread, printed_objects, unread_print};
use crate::commands::{Piece, Subject};
use crate::qoder::events::{BLOCKABLE, CARD};
use crate::reads;

/// The fields of an answer's first level.
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
/// The field whose own fields are the event's.
const SPECIFIC: &str = "hookSpecificOutput";
/// Fields of other systems by which people answer.
const FOREIGN: [&str; 7] = [
    "feedback",
    "message",
    "action",
    "permissionDecision",
    "additionalContext",
    "permission",
    "block",
];

pub(super) fn advise(view: &View<'_>, out: &mut Vec<Problem>) {
    let Some(subject) = &view.subject else { return };
    if view.hook.mode == RunMode::Detach {
        return;
    }
    if !other_name(view, out) {
        context(view, out);
    }
    for piece in &subject.pieces {
        unknown_field(subject, piece, out);
        unread(view, subject, piece, out);
    }
}

/// Whether the event's name is missing or another's, with which the whole answer fails. A script that asks for the event
/// may answer otherwise there.
fn other_name(view: &View<'_>, out: &mut Vec<Problem>) -> bool {
    let name = view.event.name;
    if !reads::writes(&view.text, "hookSpecificOutput") {
        return false;
    }
    let given = reads::values(&view.text, "hookEventName");
    let (field, words) = if !reads::mentions(&view.text, "hookEventName") {
        (
            "hookSpecificOutput",
            messages::NO_NAME.render(args! { "event" => name }),
        )
    } else if let Some(Some(other)) = given.first()
        && !reads::mentions(&view.text, "hook_event_name")
        && given.iter().all(|value| value.is_some_and(|value| value != name))
    {
        let args = args! { "event" => name, "other" => *other };
        ("hookEventName", messages::OTHER_NAME.render(args))
    } else {
        return false;
    };
    out.push(view.say_where(|text| reads::written(text, field), words));
    true
}

/// Context for an event that takes none. A script that asks for the event may answer otherwise there.
fn context(view: &View<'_>, out: &mut Vec<Problem>) {
    let field = "additionalContext";
    let takes = view.event.output(field).is_some();
    if !takes && reads::writes(&view.text, field) && !reads::mentions(&view.text, "hook_event_name") {
        let words = messages::NO_CONTEXT.render(args! { "field" => field, "event" => view.event.name });
        out.push(view.say_where(|text| reads::written(text, field), words));
    }
}

/// A printed field that Qoder does not know, on the first level or below `hookSpecificOutput`.
fn unknown_field(subject: &Subject<'_>, piece: &Piece<'_>, out: &mut Vec<Problem>) {
    for object in printed_objects(&piece.text, SPECIFIC) {
        let is_answer = object.keys.iter().any(|key| FIELDS.contains(&key.as_str()));
        let odd = object.keys.iter().find(|key| {
            let key = key.as_str();
            !FIELDS.contains(&key) && (is_answer || FOREIGN.contains(&key))
        });
        let odd_below = object.below.iter().find(|key| !is_specific(key));
        let odd = odd.cloned().or_else(|| Some(format!("{SPECIFIC}.{}", odd_below?)));
        if let Some(odd) = odd {
            out.push(subject.say_in(
                piece,
                object.line,
                messages::UNKNOWN_ANSWER.render(args! { "field" => odd }),
            ));
            return;
        }
    }
}

/// Whether some event has this field below `hookSpecificOutput`.
fn is_specific(key: &str) -> bool {
    let is_output = CARD.events.iter().any(|event| event.output(key).is_some());
    ["hookEventName", "decision"].contains(&key) || (is_output && !FIELDS.contains(&key))
}

/// What is printed beside exit 2, or a decision beside a failure.
fn unread(view: &View<'_>, subject: &Subject<'_>, piece: &Piece<'_>, out: &mut Vec<Problem>) {
    let Some(found) = unread_print(&piece.text) else { return };
    let words = match found.what {
        Unread::Anything if BLOCKABLE.contains(&view.event.name) => UNREAD.render_plain(),
        Unread::Anything => return,
        Unread::Decision => UNREAD_DECISION.render(args! { "code" => found.code }),
    };
    out.push(subject.say_in(piece, found.line, words));
}
