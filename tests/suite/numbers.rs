//! Numbers of payloads and repeated keys, through whole programs (`CONTRACTS.md` §2.5).

use hookwright_model::exact_json::Exact;
use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};

/// Numbers that a program changes when it reads them as doubles and writes them again.
const NUMBERS: &str =
    "[12345678901234567890123,1e2,1E+2,-0,-0.0,0.1000000000000000055,1e400,1.0,1.50,18446744073709551616]";

/// A hook that keeps what it gets, and answers with `answer`.
fn keeper(sandbox: &Sandbox, answer: &str) -> String {
    let seen = sandbox.path("seen");
    format!("cat > '{}'; printf '%s' '{answer}'", seen.display())
}

fn seen(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.path("seen")).unwrap()
}

/// The text of the numbers in a document of ours. Reading keeps it.
fn numbers(payload: &Value) -> String {
    payload["numbers"].to_string()
}

fn fire(sandbox: &Sandbox, dialect: &str, event: &str, payload: &str) -> Value {
    let args = [
        "fire",
        "--dialect",
        dialect,
        "--event",
        event,
        "--payload",
        "-",
        "--json",
    ];
    read(&sandbox.run_with(payload, args))
}

/// The document that a command printed, with its numbers as they are written.
fn read(done: &Finished) -> Value {
    let Exact(document) = serde_json::from_str(&done.stdout).unwrap();
    document
}

#[test]
fn numbers_reach_hooks_the_record_and_the_agent_as_they_were_written() {
    let sandbox = Sandbox::new();
    let payload = format!("{{\"numbers\":{NUMBERS},\"user_input\":\"hi\",\"tool_input\":{{\"n\":{NUMBERS},\"x\":1}}}}");
    let command = keeper(&sandbox, r#"{"user_input": "changed"}"#);
    sandbox.write(
        "home/.jdata/agent/hooks.yaml",
        json!({"pre_send_message": [{"command": command}]}).to_string(),
    );
    let answer = format!(
        r#"{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {{"n": {NUMBERS}, "x": 2}}}}}}"#
    )
    .replace("1e400,", "");
    let command = keeper(&sandbox, &answer);
    sandbox.write(
        "home/.qoder/settings.json",
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string(),
    );
    for (dialect, event) in [("jcli", "pre_send_message"), ("qoder", "PreToolUse")] {
        let trace = fire(&sandbox, dialect, event, &payload);
        assert!(seen(&sandbox).contains(&format!("\"numbers\":{NUMBERS}")), "{dialect}");
        let id = trace["trace"].as_str().unwrap();
        let stored = read(&sandbox.run(["show", id, "--json"]).assert_exit(0));
        for trace in [&trace, &stored] {
            assert_eq!(trace["steps"][0]["outcome"], "changed", "{trace:#}");
            assert_eq!(numbers(&trace["payload_before"]), NUMBERS, "{dialect}");
            assert_eq!(numbers(&trace["payload_after"]), NUMBERS, "{dialect}");
            let stdin = trace["steps"][0]["attempts"][0]["stdin"].as_str().unwrap();
            assert!(stdin.contains(NUMBERS), "{dialect}: {stdin}");
        }
        if dialect == "qoder" {
            let updated = &stored["reply"]["json"]["hookSpecificOutput"]["updatedInput"];
            assert_eq!(updated["n"].to_string(), NUMBERS.replace("1e400,", ""));
            assert_eq!(stored["payload_before"]["tool_input"]["n"].to_string(), NUMBERS);
        } else {
            assert_eq!(stored["payload_after"]["user_input"], "changed");
            assert_eq!(
                stored["payload_after"]["tool_input"],
                stored["payload_before"]["tool_input"]
            );
        }
    }
}

#[test]
fn a_number_that_a_hook_returns_as_it_was_is_no_change() {
    let sandbox = Sandbox::new();
    let payload = r#"{"user_input": "hi", "messages": [{"role": "user", "content": "x", "n": 1e2}]}"#;
    let command = keeper(&sandbox, payload);
    sandbox.write(
        "home/.jdata/agent/hooks.yaml",
        json!({"pre_send_message": [{"command": command}]}).to_string(),
    );
    let trace = fire(&sandbox, "jcli", "pre_send_message", payload);
    assert_eq!(trace["steps"][0]["outcome"], "no_opinion", "{trace:#}");
}

/// The notices of a trace or an explanation about keys that the payload has twice.
fn duplicates(document: &Value) -> Vec<Value> {
    let notices = document["notices"].as_array().unwrap().iter();
    notices
        .filter(|notice| notice["code"] == "duplicate_key")
        .map(|notice| notice["args"].clone())
        .collect()
}

#[test]
fn of_a_key_given_twice_hooks_get_the_last_value_and_a_notice_says_so() {
    let sandbox = Sandbox::new();
    let command = keeper(&sandbox, "");
    sandbox.write(
        "home/.jdata/agent/hooks.yaml",
        json!({"pre_send_message": [{"command": command}]}).to_string(),
    );
    let one = r#"{"user_input": "first", "x": {"a": 1e2}, "user_input": "last"}"#;
    let trace = fire(&sandbox, "jcli", "pre_send_message", one);
    assert_eq!(trace["payload_before"]["user_input"], "last");
    assert!(seen(&sandbox).contains("\"last\"") && !seen(&sandbox).contains("first"));
    assert_eq!(duplicates(&trace), [json!({"key": "user_input", "case": "payload"})]);
    let id = trace["trace"].as_str().unwrap();
    assert_eq!(
        duplicates(&sandbox.run(["show", id, "--json"]).json()),
        duplicates(&trace)
    );
    let args = [
        "explain",
        "--dialect",
        "jcli",
        "--event",
        "pre_send_message",
        "--payload",
        "-",
        "--json",
    ];
    assert_eq!(duplicates(&sandbox.run_with(one, args).json()), duplicates(&trace));
    let two = r#"{"user_input": "x", "x": {"a": 1, "a": 2, "b": 1, "b": 2}}"#;
    let trace = fire(&sandbox, "jcli", "pre_send_message", two);
    assert_eq!(duplicates(&trace)[0]["count"], 2);
}

#[test]
fn the_control_socket_takes_a_payload_as_an_object_and_as_its_text() {
    let sandbox = Sandbox::new();
    let command = keeper(&sandbox, "");
    sandbox.write(
        "home/.jdata/agent/hooks.yaml",
        json!({"stop": [{"command": command}]}).to_string(),
    );
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let payload = format!(r#"{{"user_input": "a", "numbers": {NUMBERS}, "user_input": "b"}}"#);
    let request = |payload: String| {
        let project = json!(sandbox.project());
        format!(r#"{{"project": {project}, "dialect": "jcli", "event": "stop", "run": "r", "payload": {payload}}}"#)
    };
    for params in [request(payload.clone()), request(json!(payload).to_string())] {
        let trace = control.ask_raw("fire", &params)["result"].clone();
        assert_eq!(numbers(&trace["payload_before"]), NUMBERS, "{trace:#}");
        assert_eq!(trace["payload_before"]["user_input"], "b");
        assert_eq!(duplicates(&trace)[0]["key"], "user_input");
        assert!(seen(&sandbox).contains(&format!("\"numbers\":{NUMBERS}")));
    }
    let refused = control.ask_raw("fire", &request(json!("[1]").to_string()));
    assert_eq!(refused["error"]["data"]["code"], "payload_not_object");
}
