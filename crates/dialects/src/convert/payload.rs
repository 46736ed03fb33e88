//! What a script reads and returns: the payload and output fields of both dialects.

use std::collections::BTreeSet;

use hookwright_model::event::FieldKind;
use hookwright_model::{Card, EventSpec, args};

use super::adapter::makes_go_on;
use super::command::DecisionWords;
use super::form::{ConvertForm, Meaning};
use super::{LossReport, messages};

/// The names of the same values in both dialects, where they differ. The name of the event is left out.
pub fn renamed_fields(from: &ConvertForm, to: &ConvertForm) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut seen = BTreeSet::new();
    let result = to.field(Meaning::Result);
    let pairs = from
        .payload
        .iter()
        .filter_map(|(meaning, ours)| Some((*meaning, *ours, to.field(*meaning)?)));
    pairs
        .filter(|(meaning, ours, theirs)| *meaning != Meaning::Event && ours != theirs)
        // A result can also be an error.
        .filter(move |(meaning, ours, theirs)| {
            let is_result = result == Some(*theirs) || *ours == "tool_error";
            seen.insert(*ours) && (*meaning != Meaning::Failure || !is_result)
        })
        .map(|(_, ours, theirs)| (ours, theirs))
}

/// The fields of a dialect that have another name in the other one, or none.
pub fn differing_fields(from: &ConvertForm, to: &ConvertForm) -> impl Iterator<Item = &'static str> {
    let fields = from.payload.iter().filter(|_| !to.payload.is_empty());
    fields
        .filter(|(meaning, ours)| to.field(*meaning) != Some(*ours))
        .map(|(_, ours)| *ours)
}

/// Reports what is different for a script: names, forms and absent fields of the payload, and the output.
pub fn report_differences(hook: &str, event: &str, other: &str, report: &mut LossReport) {
    let (from, to) = (report.from, report.to);
    if from.payload.is_empty() || to.payload.is_empty() {
        return;
    }
    let (Some(spec), Some(other_spec)) = (from.card.event(event), to.card.event(other)) else {
        return;
    };
    let (fields, other_fields) = (payload_fields(from.card, spec), payload_fields(to.card, other_spec));
    let mut renamed = Vec::new();
    let mut missing = Vec::new();
    for name in &fields {
        let meanings = from.payload.iter().filter(|(_, known)| known == name);
        let mut others = meanings.clone().filter_map(|(meaning, _)| to.field(*meaning));
        let is_known = meanings.clone().next().is_some();
        match others.find(|other| other_fields.contains(other)) {
            Some(other) if other != *name => renamed.push(format!("`{name}` → `{other}`")),
            Some(_) => {}
            None if !is_known && other_fields.contains(name) => {}
            None => missing.push(format!("`{name}`")),
        }
    }
    if !renamed.is_empty() {
        report.lose(
            hook,
            &messages::PAYLOAD_RENAMED,
            args! { "fields" => renamed.join(", ") },
        );
    }
    if !missing.is_empty() {
        let args = args! { "other" => other, "fields" => missing.join(", ") };
        report.lose(hook, &messages::PAYLOAD_MISSING, args);
    }
    let arguments = from.field(Meaning::Arguments).zip(to.field(Meaning::Arguments));
    if let Some((ours, theirs)) = arguments
        && let (Some(our_kind), Some(their_kind)) = (kind_of(spec, ours), kind_of(other_spec, theirs))
    {
        let args = args! { "field" => ours, "other" => theirs };
        match (our_kind == FieldKind::Text, their_kind == FieldKind::Text) {
            (true, false) => report.lose(hook, &messages::ARGUMENTS_OBJECT, args),
            (false, true) => report.lose(hook, &messages::ARGUMENTS_TEXT, args),
            (_, _) => {}
        }
    }
    report_output(hook, spec, other_spec, &[], report);
}

/// The outputs that give a call another input.
pub const EDITS: [&str; 4] = ["tool_arguments", "updatedInput", "modified_input", "call"];
/// The output that ends the turn or the session when it is false.
pub const ENDS: &str = "continue";

/// The events of a dialect that take one of these outputs. Where an added context makes the agent go on, none is taken.
pub fn events_taking(card: &Card, outputs: &[&str]) -> Vec<&'static str> {
    let takes = |event: &&EventSpec| {
        let mut own = event.outputs.iter().filter(|output| outputs.contains(&output.name));
        own.any(|output| !(makes_go_on(event) && output.name == "additionalContext"))
    };
    card.events.iter().filter(takes).map(|event| event.name).collect()
}

/// The outputs that an adapter translates.
pub const TRANSLATED_OUTPUTS: [&str; 16] = [
    "action",
    "system_message",
    "abort",
    "retry_feedback",
    "tool_arguments",
    "decision",
    "reason",
    "continue",
    "stopReason",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "modified_input",
    "call",
    "approved",
    "additional_context",
];

/// Reports the outputs that the other dialect does not know, without those that something translates.
pub fn report_output(hook: &str, spec: &EventSpec, other: &EventSpec, translated: &[&str], report: &mut LossReport) {
    let names = |spec: &EventSpec| -> Vec<String> {
        let names = spec.outputs.iter().map(|output| output.name);
        names.map(|name| format!("`{name}`")).collect()
    };
    let theirs = names(other);
    let is_translated = |name: &String| translated.iter().any(|known| name.trim_matches('`').ends_with(known));
    let is_lost = |name: &String| !theirs.contains(name) && !is_translated(name);
    let lost: Vec<String> = names(spec).into_iter().filter(is_lost).collect();
    if lost.is_empty() {
        return;
    }
    let theirs = if theirs.is_empty() {
        "`{}`".to_owned()
    } else {
        theirs.join(", ")
    };
    let args = args! { "fields" => lost.join(", "), "theirs" => theirs };
    // Where an event reads no output, none can fail.
    let is_strict = report.to.decisions == Some(DecisionWords::Strict) && !other.outputs.is_empty();
    let template = if is_strict {
        &messages::OUTPUT_FAILS
    } else {
        &messages::OUTPUT_DIFFERS
    };
    report.lose(hook, template, args);
}

/// The names of all payload fields of an event, the common ones included.
fn payload_fields(card: &Card, spec: &EventSpec) -> BTreeSet<&'static str> {
    card.common.iter().chain(spec.fields).map(|field| field.name).collect()
}

/// The type of a field of an event, if the event has it.
fn kind_of(spec: &EventSpec, name: &str) -> Option<FieldKind> {
    spec.fields
        .iter()
        .find(|field| field.name == name)
        .map(|field| field.kind)
}
