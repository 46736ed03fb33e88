use std::path::Path;

use hookwright_model::ProcessCall;
use serde_json::json;

use super::super::events::CARD;
use super::super::settings::tests::entry;
use super::*;

fn encoded(definition: Value, payload: Value) -> Call {
    let hook = std::sync::Arc::unwrap_or_clone(entry("PreToolUse", &definition).hooks.remove(0));
    ClaudeCode.encode(
        &hook,
        CARD.event("PreToolUse").unwrap(),
        payload.as_object().unwrap(),
        Path::new("/p"),
    )
}

#[track_caller]
fn call(definition: Value, payload: Value) -> ProcessCall {
    match encoded(definition, payload) {
        Call::Process(call) => call,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_command_gets_the_payload_with_a_line_break_and_its_variables() {
    let payload = json!({"cwd": "sub", "session_id": "s", "effort": {"level": "high"}});
    let call = call(
        json!({"type": "command", "command": "a", "shell": "bash"}),
        payload.clone(),
    );
    assert_eq!(call.program, Program::Shell("a".into()));
    assert_eq!(call.stdin, format!("{payload}\n").into_bytes());
    assert_eq!(call.cwd, Path::new("/p/sub"));
    let names: Vec<String> = call.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        names,
        [
            "CLAUDE_PROJECT_DIR=/p",
            "CLAUDE_CODE_SESSION_ID=s",
            "CLAUDE_EFFORT=high",
            "CLAUDECODE=1",
            "CLAUDE_CODE_ENTRYPOINT=cli",
            "CLAUDE_CODE_CHILD_SESSION=1",
            "CLAUDE_CODE_SESSION_ATTENDED=1"
        ]
    );
}

#[test]
fn arguments_are_no_shell_words_but_the_project_is_put_in() {
    let argv = call(
        json!({"type": "command", "command": "${CLAUDE_PROJECT_DIR}/a", "args": ["$X", "${CLAUDE_PROJECT_DIR}/b"]}),
        json!({}),
    );
    assert_eq!(
        argv.program,
        Program::Argv(vec!["/p/a".into(), "$X".into(), "/p/b".into()])
    );
    let shell = call(
        json!({"type": "command", "command": "a", "shell": "powershell"}),
        json!({}),
    );
    let words = ["pwsh", "-NoProfile", "-Command", "a"].map(str::to_owned);
    assert_eq!(shell.program, Program::Argv(words.to_vec()));
}

#[test]
fn a_plugins_variable_in_braces_keeps_a_command_from_starting() {
    for definition in [
        json!({"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/a"}),
        json!({"type": "command", "command": "a", "args": ["${CLAUDE_PLUGIN_DATA}"]}),
    ] {
        let Call::Immediate(Decoded::Failure(message)) = encoded(definition, json!({})) else {
            panic!("it starts")
        };
        assert_eq!(message.code, "not_started");
    }
    call(
        json!({"type": "command", "command": "$CLAUDE_PLUGIN_ROOT/a"}),
        json!({}),
    );
}
