use super::super::events::CARD;
use super::super::settings::tests::entry;
use super::*;
use hookwright_model::{ProcessCall, Program, Verdict};
use jiff::Timestamp;
use serde_json::json;

fn verdict(kind: VerdictKind, reason: &str) -> Verdict {
    Verdict {
        kind,
        reason: (!reason.is_empty()).then(|| reason.to_owned()),
        ..Verdict::proceed()
    }
}

#[track_caller]
fn assert_reply(event: &str, verdict: Verdict, below: Option<Verdict>, replaced: Value, additions: Value, want: Value) {
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    let resolution = Resolution {
        verdict,
        weaker_verdict: below,
        trace: String::new(),
        payload: Payload::new().into(),
        replaced: object(replaced).into_iter().collect(),
        additions: object(additions).into_iter().collect::<Additions>(),
        halted: false,
    };
    let reply = Qoder.reply(CARD.event(event).unwrap(), &resolution);
    assert_eq!(reply.json.to_string(), want.to_string());
    assert_eq!((reply.exit_code, reply.stderr.as_str()), (0, ""));
}

#[test]
fn nothing_is_an_empty_object() {
    for event in CARD.events {
        assert_reply(event.name, Verdict::proceed(), None, json!({}), json!({}), json!({}));
    }
}

#[test]
fn a_decision_before_a_tool_is_in_the_specific_output() {
    assert_reply(
        "PreToolUse",
        verdict(VerdictKind::Ask, "sure?"),
        None,
        json!({"updatedInput": {"command": "ls"}}),
        json!({"additionalContext": "c"}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
            "permissionDecisionReason": "sure?", "updatedInput": {"command": "ls"}, "additionalContext": "c"}}),
    );
    assert_reply(
        "PreToolUse",
        verdict(VerdictKind::Approve, ""),
        None,
        json!({}),
        json!({}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}),
    );
}

#[test]
fn elsewhere_a_denial_is_a_block() {
    for (event, kind) in [
        ("PostToolUse", VerdictKind::Deny),
        ("UserPromptSubmit", VerdictKind::Deny),
        ("Stop", VerdictKind::Retry),
    ] {
        let want = json!({"decision": "block", "reason": "no"});
        assert_reply(event, verdict(kind, "no"), None, json!({}), json!({}), want);
    }
    assert_reply(
        "PostToolUse",
        Verdict::proceed(),
        None,
        json!({"updatedToolOutput": "x"}),
        json!({"suppressOutput": true, "systemMessage": "m"}),
        json!({"suppressOutput": true, "systemMessage": "m",
            "hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "x"}}),
    );
}

#[test]
fn a_permission_is_answered_by_behavior() {
    assert_reply(
        "PermissionRequest",
        verdict(VerdictKind::Deny, "no"),
        None,
        json!({}),
        json!({"interrupt": true}),
        json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": "deny", "message": "no", "interrupt": true}}}),
    );
    assert_reply(
        "PermissionRequest",
        verdict(VerdictKind::Approve, ""),
        None,
        json!({"updatedInput": {"a": 1}}),
        json!({"updatedPermissions": [1]}),
        json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": [1]}}}),
    );
}

#[test]
fn the_end_of_the_session_does_not_hide_a_denial() {
    assert_reply(
        "PreToolUse",
        verdict(VerdictKind::EndSession, "enough"),
        Some(verdict(VerdictKind::Deny, "no")),
        json!({}),
        json!({"stopReason": "enough"}),
        json!({"continue": false, "stopReason": "enough", "hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": "deny", "permissionDecisionReason": "no"}}),
    );
    assert_reply(
        "Stop",
        verdict(VerdictKind::EndSession, ""),
        Some(verdict(VerdictKind::Retry, "go on")),
        json!({}),
        json!({}),
        json!({"continue": false, "decision": "block", "reason": "go on"}),
    );
}

#[test]
fn missing_common_fields_are_filled_in_and_another_events_payload_is_refused() {
    let facts = EventDefaults {
        session_id: "s".into(),
        cwd: "/p".into(),
        now: Timestamp::UNIX_EPOCH,
    };
    let event = CARD.event("Stop").unwrap();
    let mut payload = Payload::from_iter([("cwd".to_owned(), json!("/q"))]);
    Qoder.accept(event, &mut payload, &facts).unwrap();
    assert_eq!(
        Value::Object(payload),
        json!({"cwd": "/q", "hook_event_name": "Stop", "session_id": "s", "transcript_path": ""})
    );
    let mut other = Payload::from_iter([("hook_event_name".to_owned(), json!("PreToolUse"))]);
    let message = Qoder.accept(event, &mut other, &facts).unwrap_err();
    assert_eq!(message.code, "event_differs");
}

#[track_caller]
fn call(definition: Value, payload: &Value) -> ProcessCall {
    let hook = entry(&definition).hooks.remove(0);
    let payload = payload.as_object().cloned().unwrap();
    match Qoder.encode(&hook, CARD.event("PreToolUse").unwrap(), &payload, Path::new("/p")) {
        Call::Process(call) => call,
        other @ (Call::Prompt(_) | Call::Http(_) | Call::Peer(_) | Call::Callback(_) | Call::Immediate(_)) => {
            panic!("{other:?}")
        }
    }
}

#[test]
fn a_callback_gets_the_payload_and_the_id_of_the_tool_call() {
    let mut hook = Hook::clone(&entry(&json!({"type": "command", "command": "a"})).hooks.remove(0));
    hook.handler = Handler::Callback {
        callback: "cb_1".into(),
    };
    let called = |payload: Value| match Qoder.encode(
        &hook,
        CARD.event("PreToolUse").unwrap(),
        payload.as_object().unwrap(),
        Path::new("/p"),
    ) {
        Call::Callback(call) => (call.callback, call.input, call.tool_use_id),
        other @ (Call::Process(_) | Call::Prompt(_) | Call::Http(_) | Call::Peer(_) | Call::Immediate(_)) => {
            panic!("{other:?}")
        }
    };
    let payload = json!({"tool_name": "Bash", "tool_use_id": "t1"});
    assert_eq!(called(payload.clone()), ("cb_1".into(), payload, Some("t1".into())));
    let other = json!({"tool_use_id": 7});
    assert_eq!(called(other.clone()), ("cb_1".into(), other, None));
}

#[test]
fn a_command_is_started_as_its_entry_says() {
    let payload = json!({"cwd": "sub", "tool_name": "Bash"});
    let plain = call(json!({"type": "command", "command": "a $B"}), &payload);
    assert_eq!(plain.program, Program::Shell("a $B".into()));
    assert_eq!(plain.cwd, Path::new("/p/sub"));
    assert_eq!(plain.env, [("QODER_PROJECT_DIR".to_owned(), "/p".to_owned())]);
    assert_eq!(plain.stdin, payload.to_string().into_bytes());
    let argv = call(
        json!({"type": "command", "command": "a", "args": ["$B"], "env": {"C": "d"}}),
        &payload,
    );
    assert_eq!(argv.program, Program::Argv(vec!["a".into(), "$B".into()]));
    assert_eq!(argv.env[1], ("C".to_owned(), "d".to_owned()));
    let bash = call(json!({"type": "command", "command": "a", "shell": "bash"}), &json!({}));
    assert_eq!(
        bash.program,
        Program::Argv(vec!["bash".into(), "-c".into(), "a".into()])
    );
    assert_eq!(bash.cwd, Path::new("/p"));
}
