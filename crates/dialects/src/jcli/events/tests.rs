use super::*;
use hookwright_model::event::OutputKind;

/// The table of `jcli.md` §3, row by row: event, payload, outputs, verdicts.
const SPEC: [(&str, &str, &str, &str); 14] = [
    ("session_start", "messages", "", ""),
    ("session_end", "messages", "", ""),
    (
        "pre_send_message",
        "user_input messages",
        "user_input retry_feedback system_message",
        "stop retry",
    ),
    ("post_send_message", "user_input messages", "", ""),
    (
        "pre_llm_request",
        "messages system_prompt model",
        "messages system_prompt inject_messages additional_context retry_feedback system_message",
        "stop retry",
    ),
    (
        "post_llm_response",
        "assistant_output messages model",
        "assistant_output retry_feedback system_message",
        "stop retry",
    ),
    (
        "pre_tool_execution",
        "tool_name tool_arguments",
        "tool_arguments retry_feedback system_message",
        "skip stop retry",
    ),
    (
        "post_tool_execution",
        "tool_name tool_result",
        "tool_result system_message",
        "stop",
    ),
    (
        "post_tool_execution_failure",
        "tool_name tool_error",
        "tool_error additional_context system_message",
        "stop",
    ),
    (
        "stop",
        "user_input messages system_prompt model",
        "retry_feedback additional_context system_message",
        "stop retry",
    ),
    (
        "pre_micro_compact",
        "messages model",
        "retry_feedback system_message",
        "stop retry",
    ),
    ("post_micro_compact", "messages", "messages system_message", "stop"),
    (
        "pre_auto_compact",
        "messages system_prompt model",
        "additional_context retry_feedback system_message",
        "stop retry",
    ),
    ("post_auto_compact", "messages", "messages system_message", "stop"),
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
        assert_eq!(
            sorted(event.outputs.iter().map(|output| output.name)),
            words(outputs),
            "{name}"
        );
        assert_eq!(
            sorted(event.verdicts.iter().map(|verdict| verdict.as_str())),
            words(verdicts),
            "{name}"
        );
        assert_eq!(event.notify_only, outputs.is_empty(), "{name}");
    }
}

#[test]
fn fields_are_in_the_order_in_which_hooks_get_them() {
    for event in &EVENTS {
        let places: Vec<usize> = event
            .fields
            .iter()
            .filter_map(|field| STDIN_ORDER.iter().position(|name| *name == field.name))
            .collect();
        assert_eq!(places.len(), event.fields.len(), "{}", event.name);
        assert!(places.is_sorted(), "{}", event.name);
    }
}

#[test]
fn a_replacing_output_replaces_a_field_that_the_event_has() {
    for event in &EVENTS {
        for output in event.outputs {
            let has = event.fields.iter().any(|field| field.name == output.name);
            assert_eq!(
                output.effect == OutputKind::Replace,
                has,
                "{} {}",
                event.name,
                output.name
            );
            assert!(REPLY_ORDER.contains(&output.name), "{}", output.name);
        }
    }
}

#[test]
fn the_nearest_event_is_named_only_when_it_is_near() {
    assert_eq!(nearest("pre_tool_execute"), Some("pre_tool_execution"));
    assert_eq!(nearest("PreToolExecution"), Some("pre_tool_execution"));
    assert_eq!(nearest("post-send-message"), Some("post_send_message"));
    assert_eq!(nearest("zebra"), None);
}
