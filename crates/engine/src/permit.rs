//! What an event accepts of a hook's output: each field and verdict is checked against the event's row (`engine.md` §1,
//! step 4).

use hookwright_model::{Decision, EventSpec, HookOutput, Ignored, Merge, Message, OutputKind, OutputSpec, render};
use serde_json::Value;

use crate::messages;

/// A hook output, sorted by its effect at the event.
#[derive(Debug, Default)]
pub struct Permitted {
    /// Outputs that replace payload fields.
    pub replacements: Vec<Replacement>,
    /// Outputs in addition to the payload.
    pub additions: Vec<(String, Value, Merge)>,
    /// The decision, if the event accepts it.
    pub decision: Option<Decision>,
    /// Weaker decisions that the event accepts too.
    pub other_decisions: Vec<Decision>,
    /// Fields that are added to the reply together with the decision.
    pub reply_fields: Vec<(String, Value)>,
    /// Warnings for the user.
    pub warnings: Vec<Message>,
    /// Whether the chain ends here.
    pub halt: bool,
    /// Parts that the event does not accept.
    pub ignored: Vec<Ignored>,
}

/// An output that replaces payload fields.
#[derive(Debug)]
pub struct Replacement {
    pub output: &'static OutputSpec,
    /// The value as the hook returned it.
    pub value: Value,
}

impl Replacement {
    /// The payload fields it replaces, with their new values.
    pub fn parts(&self) -> Vec<(String, Value)> {
        match (self.output.effect, &self.value) {
            (OutputKind::ReplaceField(field), value) => vec![(field.to_owned(), value.clone())],
            (OutputKind::ReplaceParts, Value::Object(parts)) => parts
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            (OutputKind::Replace | OutputKind::ReplaceParts | OutputKind::Add(_) | OutputKind::Control, value) => {
                vec![(self.output.name.to_owned(), value.clone())]
            }
        }
    }
}

/// Checks a hook output against the event's row.
pub fn permit(spec: &EventSpec, answer: HookOutput) -> Permitted {
    let mut out = Permitted {
        ignored: answer.ignored,
        halt: answer.halt && !spec.notify_only,
        warnings: answer.warnings,
        ..Permitted::default()
    };
    for (name, value) in answer.fields {
        let output = spec.output(&name);
        match output.map(|output| (output, output.effect)) {
            Some((output, OutputKind::Replace | OutputKind::ReplaceField(_) | OutputKind::ReplaceParts)) => {
                out.replacements.push(Replacement { output, value });
            }
            Some((_, OutputKind::Add(merge))) => out.additions.push((name, value, merge)),
            // The dialect has already read control fields into the decision. One that is still here belongs to no
            // decision.
            Some((_, OutputKind::Control)) | None => out.ignored.push(not_accepted(name, spec)),
        }
    }
    let accepts = |ask: &Decision| !spec.notify_only && spec.verdicts.contains(&ask.kind);
    let (carried, asked) = (answer.reply_fields, answer.decision.is_some());
    let (accepted, refused): (Vec<Decision>, Vec<Decision>) = answer
        .decision
        .into_iter()
        .chain(answer.other_decisions)
        .partition(accepts);
    for ask in refused {
        out.ignored.push(not_accepted(ask.what, spec));
        if ask.feedback.is_some() && ask.what != "retry_feedback" {
            out.ignored.push(not_accepted("retry_feedback", spec));
        }
    }
    let mut accepted = accepted.into_iter();
    out.decision = accepted.next();
    out.other_decisions = accepted.collect();
    if out.decision.is_some() {
        out.reply_fields = carried;
    } else if asked {
        out.ignored
            .extend(carried.into_iter().map(|(name, _)| not_accepted(name, spec)));
    }
    out
}

fn not_accepted(what: impl Into<String>, spec: &EventSpec) -> Ignored {
    Ignored::new(what, render!(messages::NOT_ACCEPTED, "event" => spec.name))
}
