//! Rows about answers that Qoder does not take: without or with another event's name, fields that it does not know, and
//! what is printed beside an exit code that makes it unread.

use hookwright_model::{Mode, Problem, args};

use super::{View, sayings};
use crate::commands::prints::{Unread, printed_objects, unread_print};
use crate::commands::sayings::{UNREAD, UNREAD_DECISION};
use crate::commands::{Piece, Subject};
use crate::qoder::events::BLOCKABLE;
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
    if view.hook.mode == Mode::Detach {
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
    let words = if !reads::mentions(&view.text, "hookEventName") {
        sayings::NO_NAME.say(args! { "event" => name })
    } else if let Some(Some(other)) = given.first()
        && !reads::mentions(&view.text, "hook_event_name")
        && given.iter().all(|value| value.is_some_and(|value| value != name))
    {
        sayings::OTHER_NAME.say(args! { "event" => name, "other" => *other })
    } else {
        return false;
    };
    out.push(view.say(words, "command"));
    true
}

/// Context for an event that takes none. A script that asks for the event may answer otherwise there.
fn context(view: &View<'_>, out: &mut Vec<Problem>) {
    let field = "additionalContext";
    let takes = view.event.output(field).is_some();
    if !takes && reads::writes(&view.text, field) && !reads::mentions(&view.text, "hook_event_name") {
        out.push(view.say(
            sayings::NO_CONTEXT.say(args! { "field" => field, "event" => view.event.name }),
            "command",
        ));
    }
}

/// A printed field that Qoder does not know.
fn unknown_field(subject: &Subject<'_>, piece: &Piece<'_>, out: &mut Vec<Problem>) {
    for (line, keys) in printed_objects(&piece.text) {
        let is_answer = keys.iter().any(|key| FIELDS.contains(&key.as_str()));
        let odd = keys.iter().find(|key| {
            let key = key.as_str();
            !FIELDS.contains(&key) && (is_answer || FOREIGN.contains(&key))
        });
        if let Some(odd) = odd {
            out.push(subject.say_in(piece, line, sayings::UNKNOWN_ANSWER.say(args! { "field" => odd })));
            return;
        }
    }
}

/// What is printed beside exit 2, or a decision beside a failure.
fn unread(view: &View<'_>, subject: &Subject<'_>, piece: &Piece<'_>, out: &mut Vec<Problem>) {
    let Some(found) = unread_print(&piece.text) else { return };
    let words = match found.what {
        Unread::Anything if BLOCKABLE.contains(&view.event.name) => UNREAD.plain(),
        Unread::Anything => return,
        Unread::Decision => UNREAD_DECISION.say(args! { "code" => found.code }),
    };
    out.push(subject.say_in(piece, found.line, words));
}
