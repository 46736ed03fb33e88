use hookwright_model::{Call, Program};
use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::codex::settings::tests::hook_of;

fn event(name: &str) -> &'static EventSpec {
    CARD.event(name).unwrap()
}

fn object(value: Value) -> Payload {
    value.as_object().cloned().unwrap()
}

#[test]
fn a_command_starts_in_the_project_whatever_the_payload_says() {
    let hook = hook_of("PreToolUse", json!({ "type": "command", "command": "true" }));
    let payload = object(json!({ "cwd": "/elsewhere", "tool_name": "Bash" }));
    let Call::Process(call) = Codex.encode(&hook, event("PreToolUse"), &payload, Path::new("/p")) else {
        panic!("it is a process");
    };
    assert_eq!(call.cwd, Path::new("/p"));
    assert_eq!(call.program, Program::LoginShell("true".to_owned()));
    assert!(call.env.is_empty());
    assert_eq!(call.stdin, br#"{"cwd":"/elsewhere","tool_name":"Bash"}"#);
}

#[test]
fn a_hook_of_a_plugin_knows_the_folder_of_its_plugin() {
    let mut hook = hook_of("Stop", json!({ "type": "command", "command": "true" }));
    hook.source.path = "/h/.codex/plugins/cache/shop/guard/1.0.0/hooks/hooks.json".into();
    let Call::Process(call) = Codex.encode(&hook, event("Stop"), &Payload::new(), Path::new("/p")) else {
        panic!("it is a process");
    };
    let folder = "/h/.codex/plugins/cache/shop/guard/1.0.0".to_owned();
    let wanted = ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"].map(|name| (name.to_owned(), folder.clone()));
    assert_eq!(call.env, wanted);
}

#[test]
fn a_missing_transcript_is_null() {
    let mut payload = Payload::new();
    let defaults = EventDefaults {
        session_id: "s".to_owned(),
        cwd: "/p".into(),
        now: Timestamp::UNIX_EPOCH,
    };
    Codex.accept(event("Stop"), &mut payload, &defaults).unwrap();
    assert_eq!(
        Value::Object(payload),
        json!({ "session_id": "s", "transcript_path": null, "cwd": "/p", "hook_event_name": "Stop" })
    );
}

#[test]
fn every_event_has_a_fixture_with_each_of_its_fields() {
    for event in CARD.events {
        let fixture = Codex.fixture(event);
        let names: Vec<&str> = event.fields.iter().map(|field| field.name).collect();
        assert_eq!(
            fixture.keys().map(String::as_str).collect::<Vec<_>>(),
            names,
            "{}",
            event.name
        );
    }
}

#[test]
fn the_relay_is_at_every_event_but_those_of_requests_with_short_limits_where_the_agent_does_not_wait() {
    use hookwright_model::Files;
    let hooks = Codex.relay_hooks("/bin/hookwright-relay");
    assert_eq!(hooks.len(), 12);
    for (event, definition) in hooks {
        let seconds = if ["SessionEnd", "Interrupt"].contains(&event) {
            3
        } else {
            3660
        };
        let command = "/bin/hookwright-relay --dialect codex --native";
        assert_eq!(
            Value::Object(definition),
            json!({ "command": command, "type": "command", "timeout": seconds }),
            "{event}"
        );
    }
}

#[test]
fn every_tenth_blocked_stop_in_a_row_is_reported() {
    let mut memory = Memory::default();
    let mut reported = Vec::new();
    for round in 1..=25 {
        let kind = if round == 23 {
            VerdictKind::Proceed
        } else {
            VerdictKind::Retry
        };
        let mut trace = hookwright_testkit::trace_with_verdict("Stop", kind);
        memory.remember(event("Stop"), &ConversationRead::default(), &mut trace);
        reported.extend(trace.notices.iter().map(|_| round));
    }
    assert_eq!(reported, [10, 20]);
}
