//! Tests of `simulate`: the built program simulates a scripted conversation.

use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::jcli::{notices, project, with_user_hooks};

fn simulate(sandbox: &Sandbox, scenario: &str, more: &[&str]) -> Finished {
    sandbox.write("project/play.yaml", scenario);
    sandbox.run(["simulate", "play.yaml", "--json"].iter().chain(more))
}

#[track_caller]
fn simulated(sandbox: &Sandbox, scenario: &str) -> Value {
    simulate(sandbox, scenario, &[]).assert_exit(0).json()
}

fn events(doc: &Value) -> Vec<&str> {
    let traces = doc["traces"].as_array().unwrap();
    traces.iter().filter_map(|trace| trace["event"].as_str()).collect()
}

/// `role origin content` of each message.
fn lines(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap();
    let word = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
    let line = |message: &Value| ["role", "origin", "content"].map(|key| word(message, key)).join(" ");
    messages
        .iter()
        .map(|message| line(message).trim_end().to_owned())
        .collect()
}

const WITH_A_TOOL: &str = "dialect: jcli\nsession: s1\nturns:\n  - user: hi\n    steps:\n      \
    - calls: [{tool: Bash, arguments: {command: ls}, result: a.rs}, {tool: Read, error: gone}]\n      - reply: done\n";

#[test]
fn a_conversation_fires_every_event_of_the_jcli_lifecycle() {
    let sandbox = with_user_hooks("session_start:\n  - command: 'true'\n");
    let doc = simulated(&sandbox, WITH_A_TOOL);
    assert_eq!(
        events(&doc),
        [
            "session_start",
            "pre_send_message",
            "post_send_message",
            "pre_llm_request",
            "post_llm_response",
            "pre_tool_execution",
            "post_tool_execution",
            "pre_tool_execution",
            "post_tool_execution_failure",
            "pre_llm_request",
            "post_llm_response",
            "stop",
            "session_end"
        ]
    );
    assert_eq!(doc["llm_calls"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&doc["llm_calls"][1]["turn"], &doc["llm_calls"][1]["label"]),
        (&json!(1), &json!("step 2"))
    );
    assert_eq!(
        lines(&doc["final_messages"]),
        [
            "user user hi",
            "assistant assistant",
            "tool tool a.rs",
            "tool tool gone",
            "assistant assistant done"
        ]
    );
    let first = &doc["traces"][0];
    assert_eq!(
        (&first["origin"], &first["payload_before"]["session_id"]),
        (&json!("simulated"), &json!("s1"))
    );
    let history = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(history["traces"].as_array().unwrap().len(), 13);
}

#[test]
fn changes_of_a_request_apply_to_that_request_only() {
    let sandbox = with_user_hooks(
        "pre_llm_request:\n  - command: 'echo ''{\"inject_messages\": [{\"role\": \"system\", \"content\": \"be brief\"}], \"system_prompt\": \"You are kind.\"}'''\n",
    );
    let doc = simulated(&sandbox, WITH_A_TOOL);
    let calls = &doc["llm_calls"];
    assert_eq!(
        lines(&calls[0]["messages"]),
        ["system prompt You are kind.", "user user hi", "system hook be brief"]
    );
    assert_eq!(calls[0]["messages"][2]["hook"], "jcli:user:pre_llm_request:0");
    let second = lines(&calls[1]["messages"]);
    assert_eq!(second.iter().filter(|line| line.contains("be brief")).count(), 1);
}

#[test]
fn a_skipped_call_fails_and_its_siblings_go_on() {
    let sandbox = with_user_hooks(
        "pre_tool_execution:\n  - {command: 'echo ''{\"action\": \"skip\"}''', filter: {tool_name: Bash}}\n",
    );
    let doc = simulated(&sandbox, WITH_A_TOOL);
    let events = events(&doc);
    assert_eq!(
        events
            .iter()
            .filter(|event| **event == "post_tool_execution_failure")
            .count(),
        2
    );
    assert_eq!(
        lines(&doc["final_messages"])[2],
        "tool tool the call was skipped by a hook"
    );
}

#[test]
fn feedback_continues_with_the_next_step_and_a_notice_says_when_none_is_left() {
    let sandbox = with_user_hooks("stop:\n  - command: 'echo ''{\"retry_feedback\": \"again\"}'''\n");
    let doc = simulated(
        &sandbox,
        "dialect: jcli\nturns:\n  - user: hi\n    steps: [{reply: one}, {reply: two}]\n  - user: bye\n    steps: [{reply: three}]\n",
    );
    assert_eq!(doc["llm_calls"].as_array().unwrap().len(), 3);
    assert_eq!(
        lines(&doc["llm_calls"][1]["messages"]),
        ["user user hi", "assistant assistant one", "user hook again"]
    );
    let reported = notices(&doc);
    assert_eq!(reported.len(), 2);
    assert!(reported[0].starts_with("turn 1 ends here"), "{reported:?}");
}

#[test]
fn claude_code_stops_after_eight_blocked_stops_in_a_row() {
    let sandbox = Sandbox::new();
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo more >&2; exit 2"}]}]}}"#;
    sandbox.write("home/.claude/settings.json", hooks);
    let steps = "      - reply: done\n".repeat(12);
    let scenario = format!("dialect: claude-code\nturns:\n  - user: hi\n    steps:\n{steps}");
    let doc = simulated(&sandbox, &scenario);
    let verdicts = |name: &str| -> Vec<&str> {
        let traces = doc["traces"].as_array().unwrap().iter();
        let mine = traces.filter(|trace| trace["event"] == name);
        mine.map(|trace| trace["verdict"]["kind"].as_str().unwrap()).collect()
    };
    assert_eq!(verdicts("Stop"), [["retry"; 8].as_slice(), &["proceed"]].concat());
    assert_eq!(doc["llm_calls"].as_array().unwrap().len(), 9);
    let last = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .rfind(|trace| trace["event"] == "Stop")
        .unwrap();
    assert_eq!(last["payload_before"]["stop_hook_active"], true);
    assert!(!last["steps"][0]["ignored"].as_array().unwrap().is_empty(), "{last:#}");
    assert!(!last["notices"].as_array().unwrap().is_empty(), "{last:#}");
}

#[test]
fn a_blocked_message_is_not_sent_and_a_stop_at_a_tool_ends_the_turn() {
    let sandbox = with_user_hooks(
        "pre_send_message:\n  - command: 'grep -q secret && echo ''{\"action\": \"stop\"}'' || true'\npost_tool_execution:\n  - command: 'echo ''{\"action\": \"stop\"}'''\n",
    );
    let doc = simulated(
        &sandbox,
        "dialect: jcli\nturns:\n  - user: the secret\n  - user: hi\n    steps: [{calls: [{tool: A}, {tool: B}]}, {reply: never}]\n",
    );
    assert_eq!(doc["llm_calls"].as_array().unwrap().len(), 1);
    assert_eq!(
        lines(&doc["final_messages"]),
        [
            "user user hi",
            "assistant assistant",
            "tool tool",
            "tool tool not called: a hook stopped it"
        ]
    );
}

#[test]
fn project_hooks_wait_for_approval_unless_they_are_trusted_for_the_call() {
    let sandbox = Sandbox::new();
    project(&sandbox, "session_start:\n  - command: 'true'\n");
    let outcome = |doc: &Value| doc["traces"][0]["steps"][0]["outcome"].clone();
    assert_eq!(outcome(&simulated(&sandbox, WITH_A_TOOL)), "skipped");
    assert_eq!(
        outcome(&simulate(&sandbox, WITH_A_TOOL, &["--trust"]).assert_exit(0).json()),
        "no_opinion"
    );
}

#[test]
fn secrets_are_masked_in_what_the_model_saw() {
    let sandbox = Sandbox::new();
    let doc = simulated(
        &sandbox,
        "dialect: jcli\nturns:\n  - user: use ghp_0123456789abcdefghijABCDEFGHIJ012345\n    steps: [{reply: ok}]\n",
    );
    assert!(!doc.to_string().contains("ghp_0123"), "{doc:#}");
}

#[test]
fn a_scenario_that_cannot_be_played_is_reported_with_its_position() {
    let sandbox = Sandbox::new();
    let refused = |scenario: &str| simulate(&sandbox, scenario, &[]).assert_exit(1).stderr;
    let reported = refused("dialect: jcli\nturns:\n  - user: hi\n    step: []\n");
    assert!(
        reported.contains("play.yaml:4: turns[0].step: unknown field `step`"),
        "{reported}"
    );
    let reported = refused("dialect: nobody\nturns: []\n");
    assert!(reported.contains("unknown hook system nobody"), "{reported}");
    assert!(
        sandbox
            .run(["simulate", "gone.yaml"])
            .assert_exit(1)
            .stderr
            .contains("gone.yaml")
    );
}

#[test]
fn the_text_output_shows_the_messages_of_the_model() {
    let sandbox = Sandbox::new();
    sandbox.write("project/play.yaml", WITH_A_TOOL);
    let text = sandbox.run(["simulate", "play.yaml"]).assert_exit(0).stdout;
    for part in ["13 events", "turn 1, step 2", "[Bash] [Read]", "at the end"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
