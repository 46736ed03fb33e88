use super::*;

/// `agent-hooks.md` §3, row by row: payload fields, and verdicts other than approve.
const SPEC: [(&str, &str, &str); 11] = [
    ("session_start", "model args", "ask deny"),
    ("session_end", "duration_seconds total_steps exit_reason", "ask deny"),
    ("before_agent", "", "ask deny"),
    ("after_agent", "", "ask deny"),
    ("before_tool", "tool_name tool_input tool_use_id", "ask deny"),
    (
        "after_tool",
        "tool_name tool_input tool_use_id tool_output error duration_ms",
        "ask deny",
    ),
    (
        "after_tool_failure",
        "tool_name tool_input tool_use_id tool_output error duration_ms",
        "ask deny",
    ),
    (
        "subagent_start",
        "subagent_name subagent_type task_description",
        "ask deny",
    ),
    (
        "subagent_stop",
        "subagent_name subagent_type task_description",
        "ask deny",
    ),
    ("pre_compact", "", "ask deny"),
    ("before_stop", "stop_reason step_count final_message", "retry"),
];

#[test]
fn the_table_is_the_specifications() {
    assert_eq!(CARD.events.len(), SPEC.len());
    for (name, fields, verdicts) in SPEC {
        let event = CARD.event(name).unwrap_or_else(|| panic!("{name}"));
        let names: Vec<&str> = event.fields.iter().map(|field| field.name).collect();
        assert_eq!(names.join(" "), fields, "{name}");
        let verdict_names: Vec<&str> = event.verdicts.iter().map(|verdict| verdict.as_str()).collect();
        assert_eq!(verdict_names.join(" "), format!("approve {verdicts}"), "{name}");
        assert!(!event.notify_only, "{name}: the seed marks all as blockable");
    }
}

#[test]
fn every_event_accepts_a_decision_a_reason_a_context_and_a_log_and_one_the_input() {
    for event in CARD.events {
        for output in ["decision", "reason", "additional_context", "log"] {
            assert!(event.output(output).is_some(), "{} {output}", event.name);
        }
        assert_eq!(
            event.output(MODIFIED_INPUT).is_some(),
            event.name == "before_tool",
            "{}",
            event.name
        );
    }
}

#[test]
fn every_alias_is_an_event_of_the_table_or_none() {
    for &(alias, event) in CARD.aliases {
        assert!(event.is_none_or(|event| CARD.event(event).is_some()), "{alias}");
    }
    assert_eq!(CARD.resolve_alias("pre-tool-call"), Some("before_tool"));
    assert_eq!(CARD.resolve_alias("post-context-compact"), None);
    assert_eq!(CARD.resolve_alias("before_tool"), None);
}

#[test]
fn both_languages_are_there() {
    let texts = CARD.events.iter().flat_map(|event| {
        let outputs = event.outputs.iter().map(|output| output.about);
        let fields = event.fields.iter().map(|field| field.about);
        [event.group, event.about].into_iter().chain(outputs).chain(fields)
    });
    for text in texts
        .chain([CARD.about])
        .chain(CARD.common.iter().map(|field| field.about))
    {
        assert!(!text.en.is_empty() && !text.zh.is_empty(), "{text:?}");
    }
}
