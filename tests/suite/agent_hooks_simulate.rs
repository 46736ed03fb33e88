//! Tests of `simulate` with Agent Hooks: a session from start to end.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::agent_hooks::{USER, hook};
use crate::jcli::notices;

const SCENARIO: &str = "dialect: agent-hooks
session: s1
turns:
  - user: go
    steps:
      - calls:
          - {tool: Shell, arguments: {command: rm}, result: gone}
          - {tool: Shell, arguments: {command: ls}, result: a.rs}
          - {tool: Shell, arguments: {command: cat}, error: no such file}
      - reply: done
      - reply: really done
";

/// `role origin content` of each message.
fn lines(messages: &Value) -> Vec<String> {
    let word = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
    let line = |message: &Value| ["role", "origin", "content"].map(|key| word(message, key)).join(" ");
    let messages = messages.as_array().unwrap();
    messages
        .iter()
        .map(|message| line(message).trim_end().to_owned())
        .collect()
}

#[test]
fn a_session_is_simulated_from_start_to_end() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "guard",
        "trigger: before_tool\nmatcher: {pattern: ^rm$}",
        "echo 'no rm' >&2; exit 2",
    );
    hook(
        &sandbox,
        USER,
        "context",
        "trigger: before_agent",
        "echo 'It is Friday.'",
    );
    hook(
        &sandbox,
        USER,
        "gate",
        "trigger: before_stop",
        "[ -e passed ] && exit 0; touch passed; echo 'run the tests' >&2; exit 2",
    );
    sandbox.write("project/play.yaml", SCENARIO);
    let doc = sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0).json();
    let events: Vec<&str> = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|trace| trace["event"].as_str())
        .collect();
    assert_eq!(
        events,
        [
            "session_start",
            "before_agent",
            "before_tool",
            "before_tool",
            "after_tool",
            "before_tool",
            "after_tool_failure",
            "before_stop",
            "before_stop",
            "after_agent",
            "session_end"
        ]
    );
    let last = doc["llm_calls"].as_array().unwrap().last().unwrap();
    assert_eq!(
        lines(&last["messages"]),
        [
            "user user go",
            "user hook It is Friday.",
            "assistant assistant",
            "tool tool Tool blocked: no rm",
            "tool tool a.rs",
            "tool tool no such file",
            "assistant assistant done",
            "user hook [Hook blocked stop: run the tests]",
        ]
    );
    assert_eq!(last["label"], "step 3");
    assert_eq!(doc["notices"], json!([]));
    let stop = &doc["traces"][7];
    assert_eq!(stop["payload_before"]["final_message"]["content"], "done");
    assert_eq!(notices(stop), ["[Hook blocked stop: run the tests]"]);
}

#[test]
fn after_three_continuations_a_turn_may_stop() {
    let sandbox = Sandbox::new();
    hook(&sandbox, USER, "gate", "trigger: before_stop", "echo again >&2; exit 2");
    let steps = "      - reply: done\n".repeat(5);
    let turns = format!("  - user: go\n    steps:\n{steps}").repeat(2);
    sandbox.write("project/play.yaml", format!("dialect: agent-hooks\nturns:\n{turns}"));
    let doc = sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0).json();
    let stops: Vec<&str> = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|trace| trace["event"] == "before_stop")
        .filter_map(|trace| trace["verdict"]["kind"].as_str())
        .collect();
    let turn = ["retry", "retry", "retry", "proceed"];
    assert_eq!(stops, [turn, turn].concat(), "each turn counts anew");
}

#[test]
fn a_simulation_blocks_at_an_ask_and_uses_changed_arguments() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "tidy",
        "trigger: before_tool\nmatcher: {pattern: ^ls$}",
        r#"echo '{"modified_input": {"command": "ls -la"}, "additional_context": "tidied"}'"#,
    );
    hook(
        &sandbox,
        USER,
        "ask",
        "trigger: before_tool\nmatcher: {pattern: ^rm$}",
        r#"echo '{"decision": "ask", "reason": "really?"}'"#,
    );
    hook(&sandbox, USER, "start", "trigger: session_start", "exit 2");
    sandbox.write("project/play.yaml", SCENARIO);
    let doc = sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0).json();
    let last = doc["llm_calls"].as_array().unwrap().last().unwrap();
    assert_eq!(
        lines(&last["messages"])[2..],
        [
            "tool tool Tool blocked: really?",
            "tool tool a.rs",
            "tool tool no such file",
            "user hook tidied",
        ]
    );
    let called = last["messages"][1]["tool_calls"][1]["arguments"].as_str().unwrap();
    assert_eq!(called, r#"{"command":"ls -la"}"#);
    let after = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .find(|trace| trace["event"] == "after_tool")
        .unwrap();
    assert_eq!(after["payload_before"]["tool_input"]["command"], "ls -la");
    assert_eq!(doc["notices"][0]["code"], "play_went_on");
}
