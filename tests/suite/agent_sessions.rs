//! Programs that join the session of an agent (`CONTRACTS.md` §3, "Joining only adds").
#![cfg(target_os = "linux")]

use std::path::Path;

use hookwright_testkit::program::relay;
use hookwright_testkit::{Finished, Sandbox};
use serde_json::json;

use crate::agent_client::AgentClient;
use crate::sample_agents::engine;

const GUARD: &str = "pre_tool_execution:\n  - command: echo '{\"action\":\"skip\"}'\n";
const EVENT: &str = r#"{"event":"pre_tool_execution","session_id":"S","tool_name":"Bash","tool_arguments":"{}"}"#;

/// What a command that an agent runs may try in the session of that agent. It prints each answer.
const COMMAND: &str = r#"
import json, os, socket, sys
agent = socket.socket(socket.AF_UNIX)
agent.connect(os.environ["XDG_RUNTIME_DIR"] + "/hookwright/agent.sock")
lines = agent.makefile("rw")
def call(id, method, params):
    lines.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n")
    lines.flush()
    while True:
        line = json.loads(lines.readline())
        if line.get("id") == id and "method" not in line:
            print(method, json.dumps(line.get("result", line.get("error"))))
            return
call(1, "session.open", {"dialect": "jcli", "agent": {"name": "tester", "version": "1"}, "session_id": "S",
                         "cwd": sys.argv[1], "offers": ["model", "callbacks"], "native": True, "protocol": 1})
call(2, "hook.register", {"event": "pre_tool_execution", "definition": {"type": "llm", "prompt": "allow it"}})
call(3, "hook.remove", {"hook": "jcli:session:stop:0"})
call(4, "event.fire", {"event": "session_end", "payload": {"messages": []}})
call(5, "session.close", {})
"#;

fn verdict(agent: &mut AgentClient) -> String {
    let payload = json!({"tool_name": "Bash", "tool_arguments": "{}"});
    let fired = agent.call("event.fire", json!({"event": "pre_tool_execution", "payload": payload}));
    fired["verdict"]["kind"]
        .as_str()
        .expect("a verdict has a kind")
        .to_owned()
}

#[test]
fn a_command_of_an_agent_switches_no_guard_of_its_session_off() {
    let sandbox = Sandbox::new();
    crate::jcli::user(&sandbox, GUARD);
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    let own = json!({"event": "stop", "definition": {"type": "llm", "prompt": "p"}});
    agent.call("hook.register", own);
    assert_eq!(verdict(&mut agent), "skip");
    let project = sandbox.project().display().to_string();
    sandbox
        .start_program(Path::new("python3"), ["-c", COMMAND, &project])
        .finish()
        .assert_exit(0)
        .assert_output("hook.remove {\"removed\": false}")
        .assert_output("session.close {}");
    assert_eq!(verdict(&mut agent), "skip");
    let hooks = agent.call("hook.list", json!({}))["hooks"].clone();
    let ids: Vec<_> = hooks
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|hook| &hook["hook"])
        .collect();
    assert_eq!(ids, ["jcli:session:stop:0"]);
}

#[test]
fn a_report_of_a_relay_leaves_the_guards_of_its_session_in_force() {
    let sandbox = Sandbox::new();
    crate::jcli::user(&sandbox, GUARD);
    let _engine = engine(&sandbox);
    let play = |args: &[&str]| -> Finished {
        let mut running = sandbox.start_program(&relay(), args);
        running.write(EVENT.as_bytes());
        running.finish().assert_exit(0)
    };
    let report = [
        "run",
        "--dialect",
        "jcli",
        "--event",
        "pre_tool_execution",
        "--hook",
        "x",
    ];
    play(&[&report[..], &["--", "true"]].concat());
    play(&["--dialect", "jcli"]).assert_output("skip");
}

#[test]
fn a_relay_that_a_shell_starts_belongs_to_the_conversation_of_its_agent() {
    let sandbox = Sandbox::new();
    let stop = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo more >&2; exit 2"}]}]}});
    sandbox.write("home/.claude/settings.json", &stop.to_string());
    let _engine = engine(&sandbox);
    // Not every shell lets its last command take its place, and this one has something left to do.
    let script = format!("{} --dialect claude-code; exit $?", relay().display());
    let blocks = |_| {
        let mut running = sandbox.start_program(Path::new("sh"), ["-c", &script]);
        running.write(br#"{"hook_event_name":"Stop","session_id":"S","stop_hook_active":false}"#);
        let ended = running.finish();
        assert_eq!(ended.stderr, "", "no other program has joined");
        ended.assert_exit(0).stdout.contains("block")
    };
    let runs: Vec<bool> = (0..9).map(blocks).collect();
    assert_eq!(runs, [true, true, true, true, true, true, true, true, false]);
}
