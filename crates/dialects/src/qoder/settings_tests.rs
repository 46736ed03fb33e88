use hookwright_model::matcher::Match;
use hookwright_model::{ApprovalScope, Code, Command, Files, Handler, Layer, Payload, Root, RunMode, Severity};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::events;
use super::*;

pub fn read(text: &str) -> Parsed {
    let root = Root::file(Layer::User, "/home/me/.qoder/settings.json".into(), None);
    super::super::Qoder.parse(&SourceTree::with_text(root, Ok(text.to_owned())))
}

/// Reads one group of an event.
pub fn group(event: &str, group: &Value) -> Parsed {
    read(&json!({"hooks": {event: [group]}}).to_string())
}

/// Reads one entry that applies to every tool.
pub fn entry(entry: &Value) -> Parsed {
    group("PreToolUse", &json!({"hooks": [entry]}))
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed.problems.iter().map(|problem| problem.code.as_str()).collect()
}

#[track_caller]
fn assert_codes(text: &str, want: &[&str]) {
    assert_eq!(codes(&read(text)), want, "{text}");
}

#[test]
fn a_definition_has_its_defaults() {
    let parsed = entry(&json!({"type": "command", "command": "./guard.sh --strict"}));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let hook = &parsed.hooks[0];
    assert_eq!(hook.id, "qoder:user:PreToolUse:settings.0.0");
    assert_eq!(hook.label, "guard.sh");
    assert_eq!(
        (hook.timeout.as_secs(), hook.attempts, hook.mode, hook.rank),
        (60, 1, RunMode::Await, None)
    );
    assert_eq!(hook.handler.as_str(), "shell");
    assert_eq!(
        hook.approval_scope,
        ApprovalScope::Command(Command::shell("./guard.sh --strict"))
    );
    assert!(hook.filter.is_none() && hook.invalid.is_none() && hook.disabled_reason.is_none());
}

#[test]
fn every_field_is_read() {
    let parsed = group(
        "PreToolUse",
        &json!({"matcher": "Bash", "description": "d", "_why": 1, "hooks": [
            {"type": "command", "command": "x", "args": ["a b", "c'd"], "env": {"A": "1"}, "timeout": 0.5, "name": "Guard",
             "statusMessage": "s", "id": "i", "//": "c", "$schema": "y", "if": "", "once": false, "asyncRewake": null},
            {"type": "command", "command": "y", "shell": "bash", "async": true}
        ]}),
    );
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [first, second] = &parsed.hooks[..] else {
        panic!("two hooks")
    };
    assert_eq!((first.label.as_str(), first.timeout.as_millis()), ("Guard", 500));
    let ApprovalScope::Command(command) = &first.approval_scope else {
        panic!("a command")
    };
    assert_eq!(
        (&command.words[..], command.shell),
        (&["x", "a b", "c'd"].map(String::from)[..], false)
    );
    assert_eq!(
        (first.inherited_text.as_str(), second.inherited_text.as_str()),
        (r#"{"matcher":"Bash"}"#, r#"{"matcher":"Bash"}"#)
    );
    assert_eq!(first.filter, Some(json!({"matcher": "Bash"})));
    assert_eq!(
        (second.mode, second.id.as_str()),
        (RunMode::Detach, "qoder:user:PreToolUse:settings.0.1")
    );
}

#[test]
fn a_group_can_detach_its_entries() {
    let parsed = group(
        "Stop",
        &json!({"async": true, "hooks": [{"type": "command", "command": "x"}]}),
    );
    assert_eq!(parsed.hooks[0].mode, RunMode::Detach);
}

#[test]
fn each_mistake_has_its_code_and_invalidates_only_its_hook() {
    let good = json!({"type": "command", "command": "good"});
    for (bad, want) in [
        (json!("x"), "wrong_type"),
        (json!({"command": "x"}), "missing_field"),
        (json!({"type": "command"}), "missing_field"),
        (json!({"type": "command", "command": " "}), "empty_field"),
        (json!({"type": "command", "command": 3}), "wrong_type"),
        (json!({"type": "shell", "command": "x"}), "unknown_value"),
        (json!({"type": 1, "command": "x"}), "wrong_type"),
        (json!({"type": "http", "url": "x"}), "unsupported"),
        (json!({"type": "prompt", "prompt": "x"}), "unsupported"),
        (json!({"type": "agent", "prompt": "x"}), "unsupported"),
        (json!({"type": "command", "command": "x", "timeout": "5"}), "wrong_type"),
        (json!({"type": "command", "command": "x", "timeout": 0}), "out_of_range"),
        (
            json!({"type": "command", "command": "x", "timeout": -1.5}),
            "out_of_range",
        ),
        (json!({"type": "command", "command": "x", "name": 1}), "wrong_type"),
        (json!({"type": "command", "command": "x", "args": "y"}), "wrong_type"),
        (json!({"type": "command", "command": "x", "args": [1]}), "wrong_type"),
        (
            json!({"type": "command", "command": "x", "env": {"A": 1}}),
            "wrong_type",
        ),
        (json!({"type": "command", "command": "x", "env": []}), "wrong_type"),
        (
            json!({"type": "command", "command": "x", "shell": "fish"}),
            "unknown_value",
        ),
        (json!({"type": "command", "command": "x", "async": "yes"}), "wrong_type"),
        (
            json!({"type": "command", "command": "x", "if": "Bash(git:*)"}),
            "unsupported",
        ),
        (json!({"type": "command", "command": "x", "once": true}), "unsupported"),
        (
            json!({"type": "command", "command": "x", "asyncRewake": true}),
            "unsupported",
        ),
    ] {
        let parsed = group("PreToolUse", &json!({"hooks": [bad, good]}));
        assert_eq!(codes(&parsed), [want], "{bad}");
        let [first, second] = &parsed.hooks[..] else {
            panic!("two hooks: {bad}")
        };
        assert_eq!(first.invalid.as_ref().map(|message| message.code), Some(want), "{bad}");
        assert_eq!(parsed.problems[0].hook.as_deref(), Some(first.id.as_str()));
        assert!(second.invalid.is_none(), "{bad}");
    }
}

#[test]
fn what_runs_anyway_is_a_warning() {
    for (field, value, want) in [
        ("timeout", json!(9001), "out_of_range"),
        ("sequential", json!(true), "no_effect"),
        ("timout", json!(5), "unknown_field"),
        ("enabled", json!(false), "unknown_field"),
    ] {
        let mut definition = json!({"type": "command", "command": "x"});
        definition[field] = value;
        let parsed = entry(&definition);
        assert_eq!(codes(&parsed), [want], "{field}");
        assert_eq!(parsed.problems[0].severity, Severity::Warning, "{field}");
        assert!(parsed.hooks[0].invalid.is_none(), "{field}");
    }
    let parsed = entry(&json!({"type": "command", "command": "x", "timeout": 9000}));
    assert_eq!(parsed.hooks[0].timeout.as_secs(), 3600);
    let parsed = entry(&json!({"type": "command", "command": "x", "timout": 1}));
    assert_eq!(parsed.problems[0].hint.as_deref(), Some("did you mean `timeout`?"));
}

#[test]
fn a_bad_matcher_invalidates_its_group() {
    for (matcher, want) in [
        (json!("Edit("), "bad_pattern"),
        (json!("[[:alpha:]]"), "pattern_dialect"),
        (json!(["Bash"]), "wrong_type"),
    ] {
        let bad = json!({"matcher": matcher, "hooks": [{"type": "command", "command": "x"}, {"type": "command", "command": "y"}]});
        let good = json!({"hooks": [{"type": "command", "command": "z"}]});
        let parsed = read(&json!({"hooks": {"PreToolUse": [bad, good]}}).to_string());
        assert_eq!(codes(&parsed), [want]);
        let valid: Vec<bool> = parsed.hooks.iter().map(|hook| hook.invalid.is_none()).collect();
        assert_eq!(valid, [false, false, true], "{matcher}");
    }
}

#[test]
fn the_whole_subject_must_match() {
    let matches = |event: &str, matcher: &str, field: &str, value: &str| {
        let parsed = group(
            event,
            &json!({"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]}),
        );
        let payload = Payload::from_iter([(field.to_owned(), Value::from(value))]);
        parsed.hooks[0].when.evaluate(&payload) == Match::Yes
    };
    assert!(matches("PreToolUse", "Edit|Write", "tool_name", "Write"));
    assert!(!matches("PreToolUse", "Edit", "tool_name", "NotebookEdit"));
    assert!(!matches("PreToolUse", "bash", "tool_name", "Bash"));
    assert!(matches("SessionStart", "startup|resume", "source", "resume"));
    assert!(matches("SessionEnd", "logout", "reason", "logout"));
    assert!(matches("PreCompact", "auto", "trigger", "auto"));
    assert!(matches("SubagentStop", ".*review.*", "agent_type", "code-reviewer"));
    for all in ["", "*"] {
        assert!(matches("PreToolUse", all, "other", "x"), "{all}");
    }
}

#[test]
fn an_unused_matcher_is_reported() {
    let at = |matcher: &str| group("UserPromptSubmit", &json!({"matcher": matcher, "hooks": []}));
    assert_eq!(codes(&at("Bash")), ["no_effect"]);
    for all in ["", "*", ".*"] {
        assert!(at(all).problems.is_empty(), "{all}");
    }
}

#[test]
fn the_file_is_read_as_far_as_it_goes() {
    assert_codes("", &[]);
    assert_codes("{}", &[]);
    assert_codes(r#"{"hooks": null, "model": "x"}"#, &[]);
    assert_codes(r#"{"hooks": {"PreToolUse": []}}"#, &[]);
    assert_codes("[]", &["wrong_type"]);
    assert_codes(r#"{"hooks": []}"#, &["wrong_type"]);
    assert_codes(r#"{"hooks": {"Stop": {}}}"#, &["wrong_type"]);
    assert_codes(r#"{"hooks": {"Stop": [3]}}"#, &["wrong_type"]);
    assert_codes(r#"{"hooks": {"Stop": [{}]}}"#, &["missing_field"]);
    assert_codes(r#"{"hooks": {"Stop": [{"hooks": {}}]}}"#, &["wrong_type"]);
    assert_codes(
        r#"{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}"#,
        &["missing_field"],
    );
    assert_codes("{\"hooks\": {\"Stop\": [}", &["syntax"]);
    assert_codes("{\"theme\": 1, // c\n}", &[]);
}

#[test]
fn comments_are_reported_once_where_there_are_hooks() {
    let parsed =
        read("{\n  // why\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"},]}]}\n}");
    assert_eq!(codes(&parsed), ["syntax"]);
    let problem = &parsed.problems[0];
    assert_eq!(
        (problem.severity, problem.line, problem.column),
        (Severity::Warning, Some(2), Some(3))
    );
    assert_eq!(parsed.hooks.len(), 1);
}

#[test]
fn an_unknown_event_is_shown_and_never_valid() {
    let parsed = group("pre_tool_use", &json!({"hooks": [{"type": "command", "command": ""}]}));
    assert_eq!(codes(&parsed), ["unknown_event"]);
    assert_eq!(parsed.problems[0].hint.as_deref(), Some("did you mean `PreToolUse`?"));
    assert_eq!(parsed.hooks[0].event, "pre_tool_use");
    assert!(parsed.hooks[0].invalid.is_some());
    for event in events::UNSUPPORTED_EVENTS {
        let parsed = group(event, &json!({"hooks": [{"type": "command", "command": "x"}]}));
        assert_eq!(codes(&parsed), ["unsupported"]);
        assert_eq!(parsed.problems[0].severity, Severity::Warning);
        assert_eq!(
            parsed.hooks[0].invalid.as_ref().map(|message| message.code),
            Some("unsupported")
        );
    }
}

#[test]
fn duplicate_keys_invalidate_what_contains_them() {
    let one = r#"[{"hooks": [{"type": "command", "command": "x"}]}]"#;
    let parsed = read(&format!(r#"{{"hooks": {{"Stop": {one}, "Stop": {one}}}}}"#));
    assert_eq!(codes(&parsed), ["duplicate_key"]);
    let ids: Vec<(&str, bool)> = parsed
        .hooks
        .iter()
        .map(|hook| (hook.id.as_str(), hook.invalid.is_none()))
        .collect();
    assert_eq!(
        ids,
        [
            ("qoder:user:Stop:settings.0.0", true),
            ("qoder:user:Stop.2:settings.0.0", false)
        ]
    );
    let parsed = read(r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "command": "y"}]}]}}"#);
    assert_eq!(codes(&parsed), ["duplicate_key"]);
    assert!(parsed.hooks[0].invalid.is_some());
    let parsed = read(&format!(
        r#"{{"hooks": {{"Stop": {one}}}, "hooks": {{"Stop": {one}}}}}"#
    ));
    assert_eq!(codes(&parsed), ["duplicate_key"]);
    assert_eq!(parsed.hooks.len(), 2);
}

#[test]
fn hookwrights_relay_is_listed_and_disabled() {
    let parsed = entry(&json!({"type": "command", "command": "hookwright-relay --dialect qoder --native"}));
    assert_eq!(codes(&parsed), ["relay_entry"]);
    assert!(parsed.hooks[0].disabled_reason.is_some());
    let wrapped = r#"HW='guard'; [ -x /r/hookwright-relay ] && exec /r/hookwright-relay run --dialect qoder --event Stop --hook h -- sh -c "$HW"; exec sh -c "$HW""#;
    let parsed = entry(&json!({"type": "command", "command": wrapped}));
    let hook = &parsed.hooks[0];
    assert!(hook.wrapped.is_some() && parsed.problems.is_empty());
    assert_eq!(
        (&hook.handler, hook.label.as_str()),
        (
            &Handler::Shell {
                command: "guard".into()
            },
            "guard"
        )
    );
}

#[test]
fn the_local_file_has_keys_of_its_own() {
    let root = Root::file(
        Layer::Project,
        "/p/.qoder/settings.local.json".into(),
        Some("/p".into()),
    );
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
    let parsed = super::super::Qoder.parse(&SourceTree::with_text(root, Ok(text.to_owned())));
    assert_eq!(parsed.hooks[0].id, "qoder:project:Stop:local.0.0");
}

#[test]
fn the_fingerprint_does_not_depend_on_the_order_of_keys() {
    let text = |parsed: Parsed| parsed.hooks[0].definition_text.clone();
    let one = text(entry(&json!({"type": "command", "command": "x"})));
    assert_eq!(one, text(entry(&json!({"command": "x", "type": "command"}))));
    assert_ne!(one, text(entry(&json!({"command": "y", "type": "command"}))));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5..5000_i64).prop_map(Value::from),
        "[a-zB(*]{0,6}".prop_map(Value::from),
        Just(json!("command")),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let key = prop_oneof![
            Just("hooks"),
            Just("PreToolUse"),
            Just("Stop"),
            Just("matcher"),
            Just("type"),
            Just("command"),
            Just("timeout"),
            Just("args"),
            Just("env"),
            Just("if"),
            Just("async"),
            Just("Notification"),
            Just("_x")
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|pairs| { pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }),
        ]
    })
}

proptest! {
    #[test]
    fn any_settings_are_read_and_every_valid_hook_can_run(value in any_json()) {
        let parsed = read(&json!({"hooks": value}).to_string());
        for hook in &parsed.hooks {
            let problems = parsed.problems.iter().any(|problem| problem.severity == Severity::Error || problem.code == Code::Unsupported);
            prop_assert!(hook.invalid.is_none() || problems);
            if hook.invalid.is_none() {
                let runs = matches!(&hook.handler, Handler::Shell { command } if !command.trim().is_empty());
                prop_assert!(runs);
            }
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in r#"[\[\]{}",:/a-z0-9 \n"hooksStop]{0,60}"#) {
        let _ = read(&text);
    }
}
