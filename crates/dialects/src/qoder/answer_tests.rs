use std::time::Duration;

use hookwright_model::{Captured, HookOutput, VerdictKind};
use proptest::prelude::*;
use serde_json::json;

use super::super::settings::tests::entry;
use super::*;
use crate::qoder::events;

fn hook() -> Hook {
    let mut parsed = entry(&json!({"type": "command", "command": "x", "timeout": 2.5}));
    std::sync::Arc::unwrap_or_clone(parsed.hooks.remove(0))
}

fn run(end: End, code: Option<i32>, stdout: impl Into<Vec<u8>>, stderr: &str) -> Run {
    Run {
        end,
        code: code.filter(|_| end != End::Signal),
        signal: code.filter(|_| end == End::Signal),
        stdin: Captured::default(),
        stdout: Captured::new(stdout),
        stderr: Captured::new(stderr),
        took: Duration::ZERO,
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters: std::collections::BTreeMap::new(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

fn payload() -> Payload {
    Payload::from_iter([("tool_name".to_owned(), json!("Bash"))])
}

fn decode_run(event: &str, run: &Run) -> Decoded {
    decode(&hook(), events::CARD.event(event).unwrap(), &payload(), run)
}

fn decode_stdout(event: &str, text: &str) -> Decoded {
    decode_run(event, &run(End::Exit, Some(0), text, "unread"))
}

#[track_caller]
fn decode_answer(event: &str, value: &Value) -> HookOutput {
    match decode_stdout(event, &value.to_string()) {
        Decoded::Answer(answer) => answer,
        other @ (Decoded::Nothing | Decoded::Failure(_) | Decoded::Closed(_)) => panic!("{value}: {other:?}"),
    }
}

#[track_caller]
fn assert_failure(decoded: Decoded, want: &str) {
    match decoded {
        Decoded::Failure(message) => assert_eq!(message.text, want),
        other @ (Decoded::Nothing | Decoded::Answer(_) | Decoded::Closed(_)) => panic!("{other:?}, wanted {want}"),
    }
}

fn ignored_fields(answer: &HookOutput) -> Vec<&str> {
    answer.ignored.iter().map(|ignored| ignored.what.as_str()).collect()
}

fn decisions(answer: &HookOutput) -> Vec<(&str, VerdictKind, Option<&str>)> {
    let decisions = answer.decision.iter().chain(&answer.other_decisions);
    decisions
        .map(|decision| (decision.what, decision.kind, decision.reason.as_deref()))
        .collect()
}

fn specific_output(event: &str, fields: Value) -> Value {
    let mut output = fields;
    output["hookEventName"] = json!(event);
    json!({"hookSpecificOutput": output})
}

#[test]
fn output_without_a_request_is_nothing() {
    for text in [
        "",
        " \n",
        "{}",
        " {} ",
        r#"{"continue": true}"#,
        r#"{"reason": null}"#,
        r#"{"async": true, "asyncTimeout": 5}"#,
    ] {
        assert_eq!(decode_stdout("PreToolUse", text), Decoded::Nothing, "{text}");
    }
}

#[test]
fn plain_text_is_context_at_events_that_accept_it() {
    for event in ["UserPromptSubmit", "SessionStart"] {
        let Decoded::Answer(answer) = decode_stdout(event, "  it is noon\n") else {
            panic!("{event}")
        };
        assert_eq!(answer.fields, [("additionalContext".to_owned(), json!("it is noon"))]);
    }
}

#[test]
fn elsewhere_plain_text_is_reported_and_a_broken_answer_is_a_failure() {
    let Decoded::Answer(answer) = decode_stdout("PreToolUse", "3 files formatted\n{ done }") else {
        panic!("no answer")
    };
    assert_eq!(ignored_fields(&answer), ["stdout"]);
    let unreadable = "stdout looks like hook output, but is not one JSON object";
    for text in [
        "{\"decision\": \"block\"",
        "log\n  { \"decision\": 1}\nmore",
        "[1]",
        "true",
        "\"x\"",
        "12",
        "log\n{\n  \"a\": 1\n}",
    ] {
        assert_failure(decode_stdout("PreToolUse", text), unreadable);
    }
    assert_failure(
        decode_run("Stop", &run(End::Exit, Some(0), vec![0xff], "")),
        "stdout is not UTF-8",
    );
}

#[test]
fn exit_2_blocks_where_an_event_can_be_blocked() {
    const BLOCKABLE: [&str; 5] = [
        "PreToolUse",
        "PostToolUse",
        "UserPromptSubmit",
        "Stop",
        "PermissionRequest",
    ];
    let with_exit_2 = events::CARD.events.iter().filter(|event| event.exit_2.is_some());
    assert_eq!(
        with_exit_2
            .map(|event| event.name)
            .collect::<std::collections::BTreeSet<_>>(),
        std::collections::BTreeSet::from(BLOCKABLE)
    );
    for event in BLOCKABLE {
        let kind = if event == "Stop" {
            VerdictKind::Retry
        } else {
            VerdictKind::Deny
        };
        let Decoded::Answer(answer) = decode_run(event, &run(End::Exit, Some(2), "{\"decision\": 1}", " no way \n"))
        else {
            panic!("{event}")
        };
        assert_eq!(decisions(&answer), [("decision", kind, Some("no way"))], "{event}");
        let Decoded::Answer(answer) = decode_run(event, &run(End::Exit, Some(2), "", "")) else {
            panic!("{event}")
        };
        let decision = answer.decision.unwrap();
        assert_eq!(
            decision.default_message.map(|message| message.text).as_deref(),
            Some("blocked by hook"),
            "{event}"
        );
    }
    assert_failure(
        decode_run("SubagentStop", &run(End::Exit, Some(2), "", "why")),
        "exited with 2: why",
    );
}

#[test]
fn other_ends_are_failures() {
    assert_failure(decode_run("Stop", &run(End::Exit, Some(1), "{}", "")), "exited with 1");
    assert_failure(
        decode_run("Stop", &run(End::Signal, Some(9), "{}", "")),
        "ended by signal 9",
    );
    assert_failure(
        decode_run("Stop", &run(End::TimedOut, None, "{}", "")),
        "timed out after 2.5 s",
    );
    assert_failure(
        decode_run("Stop", &run(End::NotStarted, None, "", "no such file")),
        "could not be started: no such file",
    );
}

#[test]
fn decisions_become_verdicts() {
    for (word, kind) in [
        ("allow", VerdictKind::Approve),
        ("ask", VerdictKind::Ask),
        ("deny", VerdictKind::Deny),
    ] {
        let value = specific_output(
            "PreToolUse",
            json!({"permissionDecision": word, "permissionDecisionReason": "why"}),
        );
        assert_eq!(
            decisions(&decode_answer("PreToolUse", &value)),
            [("permissionDecision", kind, Some("why"))]
        );
    }
    for word in ["block", "deny"] {
        let value = json!({"decision": word, "reason": "why"});
        assert_eq!(
            decisions(&decode_answer("PostToolUse", &value)),
            [("decision", VerdictKind::Deny, Some("why"))]
        );
        let answer = decode_answer("Stop", &value);
        assert_eq!(decisions(&answer), [("decision", VerdictKind::Retry, Some("why"))]);
        assert_eq!(answer.decision.unwrap().feedback.as_deref(), Some("why"));
    }
    let defer = decode_answer(
        "PreToolUse",
        &specific_output("PreToolUse", json!({"permissionDecision": "defer"})),
    );
    assert_eq!(
        (decisions(&defer).len(), ignored_fields(&defer)),
        (0, vec!["permissionDecision"])
    );
    let approve = decode_answer("PreToolUse", &json!({"decision": "approve", "reason": "x"}));
    assert_eq!(
        (decisions(&approve).len(), ignored_fields(&approve)),
        (0, vec!["decision", "reason"])
    );
}

#[test]
fn several_decisions_of_one_answer_all_count_the_strictest_first() {
    let mut value = specific_output("PreToolUse", json!({"permissionDecision": "allow"}));
    value["decision"] = json!("block");
    value["continue"] = json!(false);
    value["stopReason"] = json!("enough");
    let answer = decode_answer("PreToolUse", &value);
    assert_eq!(
        decisions(&answer),
        [
            ("continue", VerdictKind::EndSession, Some("enough")),
            ("decision", VerdictKind::Deny, None),
            ("permissionDecision", VerdictKind::Approve, None),
        ]
    );
    assert_eq!(answer.fields, [("stopReason".to_owned(), json!("enough"))]);
}

#[test]
fn permissions_are_decided_by_behavior() {
    let value = specific_output(
        "PermissionRequest",
        json!({"decision": {"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": [{}]}}),
    );
    let answer = decode_answer("PermissionRequest", &value);
    assert_eq!(decisions(&answer), [("decision", VerdictKind::Approve, None)]);
    assert_eq!(answer.fields[0], ("updatedInput".to_owned(), json!({"a": 1})));
    assert_eq!(answer.fields[1], ("updatedPermissions".to_owned(), json!([{}])));
    let value = specific_output(
        "PermissionRequest",
        json!({"decision": {"behavior": "deny", "message": "no", "interrupt": true}}),
    );
    let answer = decode_answer("PermissionRequest", &value);
    assert_eq!(decisions(&answer), [("decision", VerdictKind::Deny, Some("no"))]);
    assert_eq!(answer.fields, [("interrupt".to_owned(), json!(true))]);
}

#[test]
fn what_belongs_to_another_event_is_left_to_the_events_table() {
    let value = specific_output(
        "UserPromptSubmit",
        json!({"permissionDecision": "deny", "decision": {"behavior": "deny"}}),
    );
    let answer = decode_answer("UserPromptSubmit", &value);
    assert!(decisions(&answer).is_empty());
    let names: Vec<&str> = answer.fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["permissionDecision", "hookSpecificOutput.decision"]);
}

#[test]
fn the_output_names_its_event_or_the_whole_answer_fails() {
    let missing = json!({"decision": "block", "hookSpecificOutput": {"additionalContext": "x"}});
    assert_failure(
        decode_stdout("PreToolUse", &missing.to_string()),
        "`hookSpecificOutput` needs `hookEventName`: \"PreToolUse\"",
    );
    let other = specific_output("PostToolUse", json!({}));
    assert_failure(
        decode_stdout("PreToolUse", &other.to_string()),
        "`hookEventName` is PostToolUse, but PreToolUse was fired",
    );
}

#[test]
fn a_known_field_of_a_wrong_type_is_a_failure_of_the_whole_answer() {
    for (value, want) in [
        (json!({"continue": "no"}), "`continue` must be true or false"),
        (json!({"stopReason": 1}), "`stopReason` must be a string"),
        (json!({"decision": true}), "`decision` must be a string"),
        (json!({"reason": []}), "`reason` must be a string"),
        (json!({"systemMessage": {}}), "`systemMessage` must be a string"),
        (json!({"suppressOutput": 1}), "`suppressOutput` must be true or false"),
        (json!({"async": 1}), "`async` must be true or false"),
        (
            json!({"hookSpecificOutput": []}),
            "`hookSpecificOutput` must be an object",
        ),
        (
            specific_output("PreToolUse", json!({"permissionDecision": 1})),
            "`permissionDecision` must be a string",
        ),
        (
            specific_output("PreToolUse", json!({"permissionDecision": "block"})),
            "`permissionDecision` is `block`; it can be allow, ask, deny or defer",
        ),
        (
            specific_output("PreToolUse", json!({"updatedInput": "x"})),
            "`updatedInput` must be an object",
        ),
        (
            specific_output("PreToolUse", json!({"updatedToolOutput": {}})),
            "`updatedToolOutput` must be a string",
        ),
        (
            specific_output("PreToolUse", json!({"watchPaths": [1]})),
            "`watchPaths` must be an array of strings",
        ),
    ] {
        assert_failure(decode_stdout("PreToolUse", &value.to_string()), want);
    }
}

#[test]
fn null_and_an_empty_output_are_absent() {
    let value = specific_output(
        "PostToolUse",
        json!({"updatedToolOutput": "", "additionalContext": null}),
    );
    assert_eq!(decode_stdout("PostToolUse", &value.to_string()), Decoded::Nothing);
    assert_eq!(
        decode_stdout("Stop", r#"{"decision": null, "hookSpecificOutput": null}"#),
        Decoded::Nothing
    );
}

#[test]
fn unknown_fields_are_reported() {
    let value = r#"{"continue_": false, "mood": 1, "systemMessage": "a", "systemMessage": "b"}"#;
    let Decoded::Answer(answer) = decode_stdout("Stop", value) else {
        panic!("no answer")
    };
    assert_eq!(ignored_fields(&answer), ["continue_", "mood", "systemMessage"]);
    assert_eq!(answer.fields, [("systemMessage".to_owned(), json!("b"))]);
    let value = specific_output("PostToolUse", json!({"updatedMCPToolOutput": "x", "nope": 1}));
    assert_eq!(
        ignored_fields(&decode_answer("PostToolUse", &value)),
        ["updatedMCPToolOutput", "nope"]
    );
}

#[test]
fn a_callbacks_answer_is_inside_its_line() {
    let module = Hook {
        handler: Handler::Module {
            path: "/p/hooks.py".into(),
            callback: Some("hook_0".into()),
            content: String::new(),
        },
        ..hook()
    };
    let spec = events::CARD.event("PreToolUse").unwrap();
    let line = |inner: Value| json!({"type": "control_response", "response": inner}).to_string();
    let decoded = |end, inner| decode(&module, spec, &payload(), &run(end, None, line(inner), ""));
    assert_eq!(
        decoded(
            End::Replied,
            json!({"subtype": "success", "request_id": "1", "response": {}})
        ),
        Decoded::Nothing
    );
    let block = json!({"subtype": "success", "request_id": "1", "response": {"decision": "block"}});
    assert!(matches!(decoded(End::Replied, block), Decoded::Answer(answer) if answer.decision.is_some()));
    assert_failure(
        decoded(End::Replied, json!({"subtype": "success", "response": null})),
        "the callback did not return a dict",
    );
    assert_failure(
        decoded(End::Refused, json!({"subtype": "error", "error": "KeyError: 'x'"})),
        "the callback failed: KeyError: 'x'",
    );
    assert_failure(
        decode(&module, spec, &payload(), &run(End::PeerGone, None, "", "")),
        "the Python process exited before it responded",
    );
    assert_failure(
        decode(&module, spec, &payload(), &run(End::TimedOut, None, "", "")),
        "timed out after 2.5 s",
    );
}

proptest! {
    #[test]
    fn decoding_is_total(text in r#"[\[\]{}",:a-z0-9 \n]{0,40}"#, code in 0..4_i32, event in 0..15_usize) {
        let spec = &events::CARD.events[event];
        let _ = decode(&hook(), spec, &payload(), &run(End::Exit, Some(code), text, "err"));
    }
}
