use super::*;
use crate::picoclaw::Picoclaw;
use crate::picoclaw::events::CARD;
use hookwright_model::{Captured, Files, Layer, Root, SourceTree, Wire};
use proptest::prelude::*;
use serde_json::json;
use std::time::Duration;

fn hook(point: &str) -> Hook {
    let root = Root::file(Layer::User, "/h/.picoclaw/config.json".into(), None);
    let entry = json!({ "enabled": true, "command": ["x"], "intercept": [point] });
    let text = json!({ "hooks": { "processes": { "guard": entry } } }).to_string();
    let hooks = Picoclaw.parse(&SourceTree::with_text(root, Ok(text))).hooks;
    let found = hooks.into_iter().find(|hook| hook.event == point);
    std::sync::Arc::unwrap_or_clone(found.unwrap())
}

fn run(end: End, stdout: impl Into<Vec<u8>>) -> Run {
    Run {
        end,
        code: None,
        signal: None,
        stdin: Captured::default(),
        stdout: Captured::new(stdout),
        stderr: Captured::default(),
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

fn payload(point: &str) -> Payload {
    Picoclaw.fixture(CARD.event(point).unwrap())
}

fn decoded(point: &str, result: &Value) -> Decoded {
    let line = json!({ "jsonrpc": "2.0", "id": 2, "result": result }).to_string();
    decode(
        &hook(point),
        CARD.event(point).unwrap(),
        &payload(point),
        &run(End::Replied, line),
    )
}

fn hook_output(point: &str, result: &Value) -> HookOutput {
    let Decoded::Answer(answer) = decoded(point, result) else {
        panic!("{point}: {result}")
    };
    answer
}

#[test]
fn each_action_is_a_verdict_where_the_event_has_it() {
    for (point, action, kind) in [
        ("before_tool", "deny_tool", VerdictKind::Deny),
        ("before_tool", "abort_turn", VerdictKind::EndTurn),
        ("after_llm", "hard_abort", VerdictKind::EndSession),
    ] {
        let answer = hook_output(point, &json!({ "action": action, "reason": "r" }));
        let ask = answer.decision.unwrap();
        assert_eq!((ask.kind, ask.reason.as_deref(), answer.halt), (kind, Some("r"), true));
    }
    for (point, action) in [
        ("before_llm", "deny_tool"),
        ("before_llm", "respond"),
        ("after_llm", "respond"),
        ("after_tool", "deny_tool"),
        ("before_tool", "CONTINUE"),
        ("before_tool", "stop"),
    ] {
        let answer = hook_output(point, &json!({ "action": action, "reason": "r" }));
        assert_eq!(
            (answer.decision, answer.halt, answer.ignored.len()),
            (None, false, 2),
            "{point} {action}"
        );
    }
}

#[test]
fn a_result_without_a_change_is_nothing() {
    for result in [
        json!(null),
        json!({}),
        json!({"action": null}),
        json!({"action": "continue"}),
        json!({"call": null}),
    ] {
        assert_eq!(decoded("before_tool", &result), Decoded::Nothing, "{result}");
    }
}

#[test]
fn only_an_explicit_true_approves() {
    for result in [
        json!(null),
        json!({}),
        json!([]),
        json!({"approved": 1}),
        json!({"approved": null}),
        json!("yes"),
    ] {
        let Decoded::Failure(message) = decoded("approve_tool", &result) else {
            panic!("{result}")
        };
        assert_eq!(message.text, "no approval given", "{result}");
    }
    let answer = hook_output("approve_tool", &json!({ "approved": false }));
    assert_eq!((answer.decision.unwrap().kind, answer.halt), (VerdictKind::Deny, true));
    assert!(!hook_output("approve_tool", &json!({ "approved": true })).halt);
}

#[test]
fn only_what_differs_is_replaced() {
    let now = payload("before_llm");
    let same = json!({ "request": {
        "model": now["model"], "messages": now["messages"], "tools": now["tools"], "options": now["options"]
    }});
    assert_eq!(decoded("before_llm", &same), Decoded::Nothing);
    let mut other = same.clone();
    other["request"]["model"] = "small".into();
    let answer = hook_output("before_llm", &other);
    assert_eq!(answer.fields, [("request".to_owned(), json!({ "model": "small" }))]);
}

#[test]
fn the_reason_of_a_failure_says_what_happened() {
    let failure_text = |end, stdout: &str, notes: Vec<Message>| {
        let run = Run {
            warnings: notes,
            ..run(end, stdout)
        };
        let decoded = decode(
            &hook("before_tool"),
            CARD.event("before_tool").unwrap(),
            &Payload::new(),
            &run,
        );
        let Decoded::Failure(message) = decoded else {
            panic!("{decoded:?}")
        };
        message.text
    };
    assert_eq!(failure_text(End::TimedOut, "", Vec::new()), "timed out after 5 s");
    assert_eq!(
        failure_text(End::Refused, r#"{"id":2,"error":{"message":"full"}}"#, Vec::new()),
        "full"
    );
    assert_eq!(
        failure_text(End::Refused, r#"{"id":2,"error":"full"}"#, Vec::new()),
        "\"full\""
    );
    assert_eq!(failure_text(End::PeerGone, "", Vec::new()), "the process has ended");
    let note = answers::APPROVERS_SKIPPED.render(hookwright_model::args! { "by" => "x" });
    let exit_note = Message {
        code: "peer_gone",
        text: "sh ended with exit code 7".to_owned(),
        ..note
    };
    assert_eq!(
        failure_text(End::PeerGone, "", vec![exit_note]),
        "sh ended with exit code 7"
    );
}

proptest! {
    #[test]
    fn any_answer_is_read(point in "before_llm|after_llm|before_tool|after_tool|approve_tool|error", line in r#"(\{"id":2,"result":)?[\[\]{}",:0-9a-z_ ]{0,60}\}?"#) {
        let spec = CARD.event(&point).unwrap();
        let _ = decode(&hook("before_tool"), spec, &payload(&point), &run(End::Replied, line));
    }
}
