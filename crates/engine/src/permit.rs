//! What an event lets a hook do: each field and verdict of an answer against the event's row (`engine.md` §1, step 4).

use hookwright_model::{Answer, Ask, EventSpec, Ignored, Merge, OutputKind, args};
use serde_json::Value;

use crate::sayings;

/// An answer, sorted by what the event makes of it.
#[derive(Debug, Default)]
pub struct Permitted {
    /// Replace payload fields.
    pub replaces: Vec<(String, Value)>,
    /// Stand beside the payload.
    pub adds: Vec<(String, Value, Merge)>,
    /// The decision, when the event accepts it.
    pub ask: Option<Ask>,
    /// Whether the chain ends here.
    pub halt: bool,
    /// What was not accepted.
    pub ignored: Vec<Ignored>,
}

/// Sorts an answer.
pub fn permit(spec: &EventSpec, answer: Answer) -> Permitted {
    let mut out = Permitted {
        ignored: answer.ignored,
        halt: answer.halt && !spec.notify_only,
        ..Permitted::default()
    };
    for (name, value) in answer.fields {
        let effect = spec
            .output(&name)
            .filter(|_| !spec.notify_only)
            .map(|output| output.effect);
        match effect {
            Some(OutputKind::Replace) => out.replaces.push((name, value)),
            Some(OutputKind::Add(merge)) => out.adds.push((name, value, merge)),
            // A control field has been read into `ask` by the dialect; standing here it had no decision to belong to.
            Some(OutputKind::Control) | None => out.ignored.push(not_accepted(name, spec)),
        }
    }
    if let Some(ask) = answer.ask {
        if spec.notify_only || !spec.verdicts.contains(&ask.kind) {
            out.ignored.push(not_accepted(ask.what, spec));
            if ask.feedback.is_some() && ask.what != "retry_feedback" {
                out.ignored.push(not_accepted("retry_feedback", spec));
            }
        } else {
            out.ask = Some(ask);
        }
    }
    out
}

fn not_accepted(what: impl Into<String>, spec: &EventSpec) -> Ignored {
    Ignored::new(what, sayings::NOT_ACCEPTED.say(args! { "event" => spec.name }))
}
