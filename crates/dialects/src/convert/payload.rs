//! What a script reads and returns: the payload and output fields of both dialects.

use std::collections::BTreeSet;

use hookwright_model::{EventSpec, args};

use super::{HookSystem, LossReport, messages};

/// The same value in the payloads, in the order of [`HookSystem::ALL`] without skills: j-cli, Qoder, Agent Hooks,
/// PicoClaw.
const FIELDS: [[&str; 4]; 12] = [
    ["event", "hook_event_name", "event_type", ""],
    ["session_id", "session_id", "session_id", "meta"],
    ["cwd", "cwd", "work_dir", ""],
    ["tool_name", "tool_name", "tool_name", "tool"],
    ["tool_arguments", "tool_input", "tool_input", "arguments"],
    ["", "tool_use_id", "tool_use_id", ""],
    ["tool_result", "tool_response", "tool_output", "result"],
    ["tool_error", "error", "error", "result"],
    ["user_input", "prompt", "", ""],
    [
        "assistant_output",
        "last_assistant_message",
        "final_message",
        "response",
    ],
    ["messages", "", "", "messages"],
    ["model", "model", "model", "model"],
];
/// The row of the arguments of a tool.
const ARGUMENTS: usize = 4;

const fn column(system: HookSystem) -> Option<usize> {
    match system {
        HookSystem::Jcli => Some(0),
        HookSystem::Qoder => Some(1),
        HookSystem::Skill => None,
        HookSystem::AgentHooks => Some(2),
        HookSystem::Picoclaw => Some(3),
    }
}

/// The names of the same values in both dialects, where they differ. The name of the event is left out.
pub fn renamed_fields(from: HookSystem, to: HookSystem) -> impl Iterator<Item = (&'static str, &'static str)> {
    let columns = column(from).zip(column(to));
    let rows = FIELDS[1..]
        .iter()
        .filter_map(move |row| columns.map(|(ours, theirs)| (row[ours], row[theirs])));
    let mut seen = BTreeSet::new();
    rows.filter(|(ours, theirs)| !ours.is_empty() && !theirs.is_empty() && ours != theirs)
        // A result of PicoClaw is also an error.
        .filter(move |(ours, theirs)| {
            seen.insert(*ours) && (*theirs != "result" || *ours != "error") && *ours != "tool_error"
        })
}

/// The fields of a dialect that have another name in the other one, or none.
pub fn differing_fields(from: HookSystem, to: HookSystem) -> impl Iterator<Item = &'static str> {
    let columns = column(from).zip(column(to));
    let rows = FIELDS
        .iter()
        .filter_map(move |row| columns.map(|(ours, theirs)| (row[ours], row[theirs])));
    rows.filter(|(ours, theirs)| !ours.is_empty() && ours != theirs)
        .map(|(ours, _)| ours)
}

/// Reports what is different for a script: names, forms and absent fields of the payload, and the output.
pub fn report_differences(hook: &str, event: &str, other: &str, report: &mut LossReport) {
    let (from, to) = (report.from, report.to);
    let (Some(ours), Some(theirs)) = (column(from), column(to)) else {
        return;
    };
    let (Some(spec), Some(other_spec)) = (from.card().event(event), to.card().event(other)) else {
        return;
    };
    let (fields, other_fields) = (payload_fields(from, spec), payload_fields(to, other_spec));
    let mut renamed = Vec::new();
    let mut missing = Vec::new();
    for name in &fields {
        let mut rows = FIELDS.iter().filter(|row| row[ours] == *name).map(|row| row[theirs]);
        let is_known = FIELDS.iter().any(|row| row[ours] == *name);
        match rows.find(|other| other_fields.contains(other)) {
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
    let (arguments, their_arguments) = (FIELDS[ARGUMENTS][ours], FIELDS[ARGUMENTS][theirs]);
    if fields.contains(arguments) && other_fields.contains(their_arguments) {
        let args = args! { "field" => arguments, "other" => their_arguments };
        match (from == HookSystem::Jcli, to == HookSystem::Jcli) {
            (true, false) => report.lose(hook, &messages::ARGUMENTS_OBJECT, args),
            (false, true) => report.lose(hook, &messages::ARGUMENTS_TEXT, args),
            (_, _) => {}
        }
    }
    report_output(hook, spec, other_spec, &[], report);
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
    report.lose(hook, &messages::OUTPUT_DIFFERS, args);
}

/// The names of all payload fields of an event, the common ones included.
fn payload_fields(system: HookSystem, spec: &EventSpec) -> BTreeSet<&'static str> {
    let common = system.card().common.iter();
    common.chain(spec.fields).map(|field| field.name).collect()
}
