use std::path::PathBuf;

use hookwright_model::trace::Verdict;
use hookwright_model::{Files, Layer, Root, SourceTree};
use indexmap::IndexMap;
use serde_json::json;

use super::*;
use crate::agent_hooks::AgentHooks;
use crate::agent_hooks::events::CARD;

fn event(name: &str) -> &'static EventSpec {
    CARD.event(name).unwrap()
}

fn object(value: Value) -> Payload {
    value.as_object().cloned().unwrap()
}

fn facts() -> EventDefaults {
    EventDefaults {
        session_id: "s1".into(),
        cwd: "/p".into(),
        now: "2026-01-15T10:30:00.5Z".parse().unwrap(),
    }
}

fn hook() -> Hook {
    let root = Root::file(Layer::User, PathBuf::from("/h/a/HOOK.md"), None);
    let text = "---\nname: a\ntrigger: before_tool\n---\n".to_owned();
    std::sync::Arc::unwrap_or_clone(AgentHooks.parse(&SourceTree::with_text(root, Ok(text))).hooks.remove(0))
}

#[test]
fn common_fields_come_first_in_the_tables_order() {
    let mut payload = object(json!({"tool_name": "Shell", "work_dir": "/w", "session_id": null}));
    AgentHooks.accept(event("before_tool"), &mut payload, &facts()).unwrap();
    assert_eq!(
        Value::Object(payload).to_string(),
        r#"{"event_type":"before_tool","timestamp":"2026-01-15T10:30:00+00:00","session_id":"s1","work_dir":"/w","tool_name":"Shell"}"#
    );
}

#[test]
fn an_event_has_two_names_and_no_third() {
    for name in ["before_tool", "pre-tool-call"] {
        let mut payload = object(json!({"event_type": name}));
        AgentHooks.accept(event("before_tool"), &mut payload, &facts()).unwrap();
        assert_eq!(payload["event_type"], "before_tool");
    }
    for other in [
        json!("after_tool"),
        json!("post-tool-call"),
        json!(""),
        json!(5),
        json!("BEFORE_TOOL"),
    ] {
        let mut payload = object(json!({"event_type": other}));
        assert!(
            AgentHooks.accept(event("before_tool"), &mut payload, &facts()).is_err(),
            "{other}"
        );
    }
}

#[test]
fn a_script_is_started_where_the_payload_says() {
    let payload = object(json!({"work_dir": "sub", "session_id": "s"}));
    let Call::Process(call) = encode(&hook(), &payload, Path::new("/p")) else {
        panic!("scripts are processes");
    };
    assert_eq!(call.cwd, PathBuf::from("/p/sub"));
    assert_eq!(call.fallback_cwd, PathBuf::from("/p"));
    // In that directory a relative `sub` would be another directory.
    for name in ["KIMI_WORK_DIR", "KIMI_PROJECT_DIR"] {
        assert!(call.env.contains(&(name.to_owned(), "/p/sub".to_owned())), "{name}");
    }
    // There is no script. The path where it belongs is used, so that starting it fails with the system's message.
    assert_eq!(call.program, Program::Argv(vec!["/h/a/scripts/run".to_owned()]));
    let Call::Process(call) = encode(&hook(), &object(json!({"work_dir": ""})), Path::new("/p")) else {
        panic!("scripts are processes");
    };
    assert_eq!(call.cwd, PathBuf::from("/p"));
    assert!(call.env.contains(&("KIMI_WORK_DIR".to_owned(), "/p".to_owned())));
    assert!(call.env.contains(&("KIMI_SESSION_ID".to_owned(), String::new())));
}

fn resolution(kind: VerdictKind) -> Resolution {
    Resolution {
        trace: String::new(),
        weaker_verdict: None,
        halted: false,
        verdict: Verdict {
            kind,
            reason: Some("why".to_owned()),
            ..Verdict::proceed()
        },
        payload: Payload::new().into(),
        replaced: IndexMap::from([("modified_input".to_owned(), json!({"a": 1}))]),
        additions: IndexMap::from([("additional_context".to_owned(), json!("c"))]),
    }
}

#[test]
fn a_reply_uses_stdout_or_the_exit_code() {
    let replied = |kind| {
        let reply = reply(&resolution(kind));
        (reply.json.to_string(), reply.exit_code, reply.stderr)
    };
    let fields = r#""modified_input":{"a":1},"additional_context":"c"}"#;
    assert_eq!(replied(VerdictKind::Proceed), (format!("{{{fields}"), 0, String::new()));
    assert_eq!(
        replied(VerdictKind::Approve),
        (format!(r#"{{"decision":"allow",{fields}"#), 0, String::new())
    );
    assert_eq!(
        replied(VerdictKind::Ask),
        (
            format!(r#"{{"decision":"ask","reason":"why",{fields}"#),
            0,
            String::new()
        )
    );
    for kind in [VerdictKind::Deny, VerdictKind::Retry] {
        assert_eq!(replied(kind), ("{}".to_owned(), 2, "why".to_owned()));
    }
}

#[test]
fn only_a_blocked_stop_is_reported_to_the_user() {
    let reported = |kind| {
        user_messages(&resolution(kind))
            .into_iter()
            .map(|message| message.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(reported(VerdictKind::Retry), ["[Hook blocked stop: why]"]);
    assert!(reported(VerdictKind::Deny).is_empty() && reported(VerdictKind::Proceed).is_empty());
}
