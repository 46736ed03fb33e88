use hookwright_model::event::OutputKind;

use super::*;

#[test]
fn an_event_is_notify_only_when_it_accepts_nothing() {
    for event in &EVENTS {
        assert_eq!(event.notify_only, event.outputs.is_empty(), "{}", event.name);
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
