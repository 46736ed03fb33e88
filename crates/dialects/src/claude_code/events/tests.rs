use std::collections::BTreeSet;

use hookwright_model::event::OutputKind;

use super::*;

#[test]
fn what_is_replaced_and_what_is_compared_is_a_field_of_the_event() {
    for event in &EVENTS {
        let has = |field: &str| event.fields.iter().any(|known| known.name == field);
        for output in event.outputs {
            let field = match output.effect {
                OutputKind::ReplaceField(field) => field,
                OutputKind::Replace => output.name,
                _ => continue,
            };
            assert!(has(field), "{} {field}", event.name);
        }
        assert!(event.subject.is_none_or(has), "{}", event.name);
    }
}

#[test]
fn a_block_is_a_verdict_of_the_event() {
    for event in &EVENTS {
        assert!(
            event.exit_2.is_none_or(|kind| event.verdicts.contains(&kind)),
            "{}",
            event.name
        );
        assert!(!event.notify_only || event.verdicts.is_empty(), "{}", event.name);
    }
}

#[test]
fn the_end_of_a_turn_has_a_reason() {
    for event in &EVENTS {
        let ends = event.output("continue").is_some();
        assert_eq!(event.output("stopReason").is_some(), ends, "{}", event.name);
        assert!(!ends || event.verdicts.contains(&EndTurn), "{}", event.name);
    }
}

#[test]
fn a_bad_entry_costs_the_file_at_three_events() {
    let costing = EVENTS
        .iter()
        .map(|event| event.name)
        .filter(|name| rules(name).costs_file);
    let wanted = ["PermissionRequest", "PreSkillShellCommand", "PreToolUse"];
    assert_eq!(costing.collect::<BTreeSet<_>>(), BTreeSet::from(wanted));
}

#[test]
fn events_with_rules_of_their_own_are_events_of_the_table_once() {
    let ruled: BTreeSet<&str> = RULES.iter().map(|(name, _)| *name).collect();
    assert_eq!(ruled.len(), RULES.len());
    assert!(ruled.iter().all(|name| CARD.event(name).is_some()), "{ruled:?}");
}

#[test]
fn late_events_are_events_of_the_table() {
    assert_eq!(LATE.len(), 14);
    assert!(LATE.iter().all(|name| CARD.event(name).is_some()));
}

#[test]
fn text_is_an_output_of_its_event() {
    for event in &EVENTS {
        let is_output = |name| event.output(name).is_some();
        assert!(event.plain_stdout.is_none_or(is_output), "{}", event.name);
    }
}
