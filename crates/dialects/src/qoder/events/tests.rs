use super::*;
use hookwright_model::event::OutputKind;

/// The table of `qoder.md` §3, row by row: event, payload with the optional fields of tool events, outputs other than
/// `systemMessage`, verdicts.
const SPEC: [(&str, &str, &str, &str); 15] = [
    (
        "PreToolUse",
        "tool_name tool_input tool_use_id agent_id agent_type",
        "permissionDecision permissionDecisionReason updatedInput additionalContext decision continue",
        "approve ask deny end_session",
    ),
    (
        "PostToolUse",
        "tool_name tool_input tool_use_id tool_response duration_ms agent_id agent_type",
        "additionalContext updatedToolOutput updatedMCPToolOutput decision continue",
        "deny end_session",
    ),
    (
        "PostToolUseFailure",
        "tool_name tool_input tool_use_id error is_interrupt duration_ms agent_id agent_type",
        "additionalContext continue",
        "end_session",
    ),
    (
        "UserPromptSubmit",
        "prompt",
        "additionalContext decision continue",
        "deny end_session",
    ),
    (
        "SessionStart",
        "source",
        "additionalContext initialUserMessage watchPaths",
        "",
    ),
    (
        "Stop",
        "stop_hook_active last_assistant_message",
        "decision continue",
        "retry end_session",
    ),
    (
        "SubagentStop",
        "stop_hook_active agent_id agent_type agent_transcript_path last_assistant_message",
        "continue",
        "end_session",
    ),
    (
        "PermissionRequest",
        "tool_name tool_input permission_suggestions agent_id agent_type",
        "decision updatedInput updatedPermissions interrupt",
        "approve deny",
    ),
    ("SessionEnd", "reason", "", ""),
    ("SubagentStart", "agent_id agent_type", "", ""),
    ("PreCompact", "trigger custom_instructions", "", ""),
    ("PostCompact", "trigger compact_summary", "", ""),
    ("CwdChanged", "old_cwd new_cwd", "", ""),
    (
        "InstructionsLoaded",
        "file_path memory_type load_reason globs trigger_file_path parent_file_path",
        "",
        "",
    ),
    ("FileChanged", "file_path event", "", ""),
];

fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    words
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

#[test]
fn the_table_is_the_one_of_the_specification() {
    assert_eq!(EVENTS.len(), SPEC.len());
    for (name, fields, outputs, verdicts) in SPEC {
        let event = CARD.event(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(
            sorted(event.fields.iter().map(|field| field.name)),
            words(fields),
            "{name}"
        );
        // Every event accepts a message. `stopReason` comes with `continue`, `suppressOutput` with any other output.
        let implied = ["systemMessage", "stopReason", "suppressOutput"];
        let own = event.outputs.iter().map(|output| output.name);
        assert_eq!(
            sorted(own.filter(|name| !implied.contains(name))),
            words(outputs),
            "{name}"
        );
        assert!(event.output("systemMessage").is_some(), "{name}");
        assert_eq!(
            event.output("stopReason").is_some(),
            event.output("continue").is_some(),
            "{name}"
        );
        assert_eq!(
            sorted(event.verdicts.iter().map(|verdict| verdict.as_str())),
            words(verdicts),
            "{name}"
        );
    }
}

#[test]
fn an_event_is_notify_only_when_it_accepts_nothing_but_a_message() {
    for event in &EVENTS {
        assert_eq!(event.notify_only, event.outputs.len() == 1, "{}", event.name);
    }
}

#[test]
fn what_is_replaced_is_a_field_of_the_event() {
    for event in &EVENTS {
        for output in event.outputs {
            if let OutputKind::ReplaceField(field) = output.effect {
                assert!(
                    event.fields.iter().any(|known| known.name == field),
                    "{} {field}",
                    event.name
                );
            }
        }
        let matcher_field = subject(event.name);
        assert!(matcher_field.is_none_or(|field| event.fields.iter().any(|known| known.name == field)));
    }
}
