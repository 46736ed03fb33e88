use hookwright_model::event::OutputKind;

use super::*;

#[test]
fn every_event_accepts_a_message_and_a_reason_comes_with_the_end_of_the_session() {
    for event in &EVENTS {
        assert!(event.output("systemMessage").is_some(), "{}", event.name);
        let (ends, reason) = (event.output("continue"), event.output("stopReason"));
        assert_eq!(reason.is_some(), ends.is_some(), "{}", event.name);
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
        assert!(
            event
                .subject
                .is_none_or(|field| event.fields.iter().any(|known| known.name == field))
        );
    }
}
