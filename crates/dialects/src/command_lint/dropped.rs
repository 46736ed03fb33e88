//! Finds hooks whose only way to block is an answer that the agent discards (`engine.md` §13, `answer_dropped`).

use hookwright_model::{Message, Problem};

use super::ways::hook_ends;
use super::{CodePiece, LintSubject};
use crate::script_scan;

/// The fields of answers that block, with their words.
const DENIALS: [(&str, &[&str]); 3] = [
    ("decision", &["block", "deny", "ask"]),
    ("permissionDecision", &["deny", "block", "ask"]),
    ("behavior", &["deny"]),
];
/// How many lines a printed object may have.
const OBJECT_LINES: u32 = 20;

/// Whether a message about an answer is about its decision, or about all of it, and not about another field.
#[must_use]
pub fn concerns_decision(message: &Message) -> bool {
    let field = message.args.get("field").and_then(serde_json::Value::as_str);
    field.is_none_or(|field| DENIALS.iter().any(|(name, _)| field.rsplit('.').next() == Some(*name)))
}

/// An answer that the agent discards: the text that prints it, and its first line.
pub type DroppedAnswer<'s, 'a> = (&'s CodePiece<'a>, u32);

/// Marks the problems about discarded answers if the hook has no other way to block. `dropped` are all of these answers.
pub fn mark_dropped(subject: &LintSubject<'_>, dropped: &[DroppedAnswer<'_, '_>], problems: &mut [Problem]) {
    if !dropped.is_empty() && has_no_other_way(subject, dropped) {
        for problem in problems {
            *problem = problem.clone().breaking("answer_dropped");
        }
    }
}

fn has_no_other_way(subject: &LintSubject<'_>, dropped: &[DroppedAnswer<'_, '_>]) -> bool {
    let denies = |line: &str| {
        DENIALS
            .iter()
            .any(|(field, words)| script_scan::assigns(line, field, words))
    };
    let mut is_any = false;
    let all_dropped = subject.pieces.iter().all(|piece| {
        let numbered = (1_u32..).zip(piece.output.lines());
        numbered.filter(|(_, line)| denies(line)).all(|(number, _)| {
            is_any = true;
            let holds = |(owner, from): &DroppedAnswer<'_, '_>| {
                std::ptr::eq(*owner, piece) && (*from..from.saturating_add(OBJECT_LINES)).contains(&number)
            };
            dropped.iter().any(holds)
        })
    });
    is_any && all_dropped && hook_ends(subject, None, None).is_some_and(|ends| !ends.codes.may_be_two())
}
