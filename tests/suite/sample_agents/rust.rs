//! Tests of the sample agent in Rust: it plays the dialects that the one in Node does not.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_testkit::Sandbox;
use hookwright_testkit::processes::wait_until;
use rustix::process::Signal;
use serde_json::json;

use super::{PYTHON, RUST, engine, every_event_is_fired_and_recorded_once, play, recorded, start};

/// A hook process that gives every request the answer of its first argument.
const HOOK: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = {"ok": True} if message["method"] == "hook.hello" else json.loads(sys.argv[1])
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

/// A sandbox with one hook of PicoClaw, which gives this answer at this event.
fn answering(event: &str, answer: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let script = sandbox.write("home/hook.py", HOOK);
    let command = ["python3", script.to_str().unwrap(), answer];
    let entry = json!({"enabled": true, "command": command, "intercept": [event]});
    let config = json!({"hooks": {"processes": {"one": entry}}});
    sandbox.write("home/.picoclaw/config.json", config.to_string());
    sandbox
}

/// The printed lines without ids: the first names the session, and the line of an event ends with its trace.
fn lines_without_ids(stdout: &str) -> Vec<&str> {
    let is_trace = |word: &str| word.len() == 26 && word.starts_with("01");
    let without = |line| match str::rsplit_once(line, ' ') {
        Some((rest, trace)) if is_trace(trace) => rest.trim_end(),
        _ => line,
    };
    stdout.lines().skip(1).map(without).collect()
}

#[test]
fn the_rust_agent_fires_every_event_of_picoclaw() {
    every_event_is_fired_and_recorded_once(RUST, "picoclaw");
}

#[test]
fn the_rust_agent_asks_for_the_texts_of_every_checkpoint_of_skill() {
    every_event_is_fired_and_recorded_once(RUST, "skill");
}

#[test]
fn the_rust_agent_obeys_the_hooks_of_picoclaw_as_the_python_agent_does() {
    for (event, answer, said) in [
        ("before_tool", r#"{"action": "deny_tool", "reason": "no"}"#, "deny"),
        (
            "before_tool",
            r#"{"action": "respond", "result": {"for_llm": "x"}}"#,
            "tool_exec_end",
        ),
        ("before_llm", r#"{"action": "abort_turn", "reason": "no"}"#, "end_turn"),
        (
            "after_llm",
            r#"{"action": "hard_abort", "reason": "no"}"#,
            "a hook ends the session: no",
        ),
        ("approve_tool", r#"{"approved": false, "reason": "no"}"#, "deny"),
    ] {
        let [python, rust] = [PYTHON, RUST].map(|agent| {
            let sandbox = answering(event, answer);
            let _engine = engine(&sandbox);
            play(&sandbox, agent, &["--dialect", "picoclaw"])
        });
        assert!(rust.contains(said), "{event} {answer}\n{rust}");
        assert_eq!(lines_without_ids(&rust), lines_without_ids(&python), "{event} {answer}");
    }
}

#[test]
fn a_native_rust_agent_reports_its_own_hook_for_each_command() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let said = play(&sandbox, RUST, &["--native"]);
    assert!(said.contains("by the agent's own guard"), "{said}");
    let reported = recorded(&sandbox, "reported");
    assert_eq!(reported, BTreeMap::from([("before_tool".to_owned(), 3)]));
}

#[test]
fn the_rust_agent_runs_a_test_event_with_its_own_hook_and_its_session_ends_with_its_process() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let running = start(&sandbox, RUST, &["--session", "s1"]);
    running.wait_for("the end of the conversation", || {
        running.stdout().contains("stays connected")
    });
    let call = json!({"tool": "bash", "arguments": {"command": "rm -rf /"}});
    let fire = [
        "fire",
        "--agent",
        "s1",
        "--dialect",
        "picoclaw",
        "--event",
        "before_tool",
    ];
    let args = fire.iter().chain(&["--payload", "-", "--json"]);
    let doc = sandbox.run_with(call.to_string(), args).json();
    let action = &doc["agent_answer"]["reply"]["json"]["action"];
    assert_eq!(action, "deny_tool", "{doc:#}");
    running.signal(Signal::TERM);
    let ended = running.finish();
    assert_eq!(ended.status.code(), None, "the signal ends it\n{ended}");
    let nobody_is_connected = || sandbox.run(["agents", "--json"]).json()["agents"] == json!([]);
    assert!(wait_until(Duration::from_secs(10), nobody_is_connected));
}

#[test]
fn the_rust_agent_plays_again_and_leaves_when_the_engine_does() {
    let sandbox = Sandbox::new();
    let server = engine(&sandbox);
    let looping = start(&sandbox, RUST, &["--loop", "0"]);
    let staying = start(&sandbox, RUST, &["--dialect", "skill"]);
    looping.wait_for("the second conversation", || {
        looping.stdout().matches("    session ").count() > 1
    });
    staying.wait_for("the end of the conversation", || {
        staying.stdout().contains("stays connected")
    });
    server.signal(Signal::TERM);
    server.finish().assert_exit(0);
    staying
        .finish()
        .assert_exit(1)
        .assert_stderr("the engine has closed the connection");
    // It may be just opening its next session.
    let ends = ["no engine listens at", "the engine is shutting down"];
    looping.wait_for("the missing engine", || {
        let said = looping.stderr();
        ends.iter().any(|end| said.contains(end))
    });
}

#[test]
fn a_rust_agent_with_wrong_options_says_which_and_exits_2() {
    let sandbox = Sandbox::new();
    start(&sandbox, RUST, &["--dialect", "jcli"])
        .finish()
        .assert_exit(2)
        .assert_stderr("unknown dialect jcli");
}
