//! "Always for this agent": which program an approval is for, and which programs only look like it.
#![cfg(target_os = "linux")]

use std::path::Path;

use hookwright_testkit::{Running, Sandbox};
use serde_json::{Value, json};

use super::agents::{HOOK, outcomes, register};
use crate::agent_client::AgentClient;
use crate::sample_agents::engine;

const PROGRAM: &str = "jcli:agent:tester";

/// Another program with the name of the first one: it registers `touch other` at `stop`, prints the answer, and stays.
const OTHER_PROGRAM: &str = r#"
import json, os, socket, sys
agent = socket.socket(socket.AF_UNIX)
agent.connect(os.environ["XDG_RUNTIME_DIR"] + "/hookwright/agent.sock")
lines = agent.makefile("rw")
def call(id, method, params):
    lines.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n")
    lines.flush()
    return lines.readline()
call(1, "session.open", {"dialect": "jcli", "agent": {"name": "tester", "version": "1"}, "session_id": "other",
                         "cwd": sys.argv[1], "offers": [], "protocol": 1})
call(2, "hook.register", {"event": "stop", "definition": {"command": "touch other"}})
lines.readline()
"#;

fn start_other_program(sandbox: &Sandbox) -> Running {
    let project = sandbox.project().display().to_string();
    sandbox.start_program(Path::new("python3"), ["-c", OTHER_PROGRAM, &project])
}

fn listed(sandbox: &Sandbox) -> Value {
    sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()
}

/// The definitions of what waits.
fn pending(sandbox: &Sandbox) -> Vec<Value> {
    let doc = listed(sandbox);
    let items = doc["pending"].as_array().expect("it is a list");
    items.iter().map(|item| item["definition"].clone()).collect()
}

fn allow(sandbox: &Sandbox, id: &str) {
    sandbox.run(["trust", id, "--yes"]).assert_exit(0);
}

#[test]
fn what_waits_from_an_agent_may_run_as_soon_as_the_agent_is_allowed() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    register(&mut agent, "true");
    assert_eq!(pending(&sandbox).len(), 2);
    allow(&sandbox, PROGRAM);
    assert_eq!(pending(&sandbox).len(), 0);
    assert_eq!(outcomes(&sandbox, &mut agent), ["no_opinion", "no_opinion"]);
    let agents = sandbox.run(["agents", "--json"]).assert_exit(0).json();
    let hooks = agents["agents"][0]["session_hooks"].as_array().expect("it is a list");
    assert!(hooks.iter().all(|hook| hook["trusted"] == true), "{hooks:?}");
}

#[test]
fn the_review_of_a_program_says_what_its_approval_is_for_and_names_no_event() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    let shown = sandbox
        .run(["trust", PROGRAM])
        .assert_exit(1)
        .assert_output("an agent program");
    assert!(!shown.stdout.contains("runs at"), "{shown}");
    assert_eq!(shown.stdout.matches("once approved").count(), 1, "{shown}");
}

#[test]
fn the_hook_of_another_agent_waits_although_an_allowed_agent_has_the_same_one() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut allowed = AgentClient::open(&sandbox, "S");
    register(&mut allowed, "exit 0");
    allow(&sandbox, PROGRAM);
    let mut other = AgentClient::open_as(&sandbox, "T", "other");
    assert_eq!(register(&mut other, "exit 0")["trusted"], false);
    assert_eq!(pending(&sandbox).len(), 1, "the same id and the same definition");
    // The review is about the hook that waits, and not about the one that runs already.
    let mut third = AgentClient::open_as(&sandbox, "U", "third");
    register(&mut third, "true");
    sandbox.run(["trust", HOOK, "--yes"]).assert_exit(0);
    assert_eq!(pending(&sandbox).len(), 0, "both that waited are approved");
    assert_eq!(outcomes(&sandbox, &mut other), ["no_opinion"]);
    assert_eq!(outcomes(&sandbox, &mut third), ["no_opinion"]);
}

#[test]
fn two_programs_of_one_name_are_allowed_one_by_one_and_revoked_together() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    allow(&sandbox, PROGRAM);
    let _other = start_other_program(&sandbox);
    engine.wait_for("the hook of the other program", || pending(&sandbox).len() == 1);
    // The review is about the program that is not allowed yet.
    let shown = sandbox.run(["trust", PROGRAM]).assert_exit(1);
    shown.assert_output("python");
    allow(&sandbox, PROGRAM);
    let doc = listed(&sandbox);
    assert_eq!(doc["pending"], json!([]), "{doc:#}");
    assert_eq!(doc["approved"].as_array().map(Vec::len), Some(2), "{doc:#}");
    sandbox.run(["trust", PROGRAM, "--revoke"]).assert_exit(0);
    assert_eq!(pending(&sandbox).len(), 2);
    assert_eq!(listed(&sandbox)["approved"], json!([]));
}

#[test]
fn an_allowed_program_is_shown_when_none_of_its_agents_is_connected() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    allow(&sandbox, PROGRAM);
    agent.call("session.close", json!({}));
    drop(agent);
    engine.wait_for("the end of the session", || {
        sandbox.run(["agents", "--json"]).assert_exit(0).json()["agents"] == json!([])
    });
    sandbox
        .run(["trust", PROGRAM])
        .assert_exit(1)
        .assert_output("already approved");
    sandbox.run(["trust", PROGRAM, "--revoke"]).assert_exit(0);
    sandbox
        .run(["trust", PROGRAM])
        .assert_exit(1)
        .assert_stderr("unknown agent program");
}

#[test]
fn an_agent_with_a_similar_name_is_another_agent() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    allow(&sandbox, PROGRAM);
    let names = [
        "t\u{435}ster",
        "Tester",
        "ｔester",
        "tester2",
        "tester:agent:tester",
        "-tester",
    ];
    let mut others = Vec::new();
    for name in names {
        let mut other = AgentClient::open_as(&sandbox, name, name);
        assert_eq!(register(&mut other, "touch other")["trusted"], false, "{name}");
        assert_eq!(outcomes(&sandbox, &mut other), ["skipped"], "{name}");
        others.push(other);
    }
    sandbox
        .run(["trust", "jcli:agent:t\u{435}ster"])
        .assert_exit(1)
        .assert_output("\u{435} (U+0435)");
    // An approval of one of them is for exactly that name.
    allow(&sandbox, "jcli:agent:tester:agent:tester");
    let mut other = AgentClient::open_as(&sandbox, "again", "tester:agent:tester");
    assert_eq!(register(&mut other, "exit 0")["trusted"], true);
    sandbox.run(["trust", PROGRAM, "--revoke"]).assert_exit(0);
    assert_eq!(register(&mut other, "true")["trusted"], true);
    assert_eq!(register(&mut agent, "true")["trusted"], false);
}

#[test]
fn a_name_that_cannot_be_shown_in_full_is_never_allowed_as_a_whole() {
    let long = "x".repeat(1000);
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    for (number, name) in [
        "",
        " ",
        "tester ",
        "te\u{200b}ster",
        "te\u{202e}ster",
        "te\nster",
        &long,
    ]
    .into_iter()
    .enumerate()
    {
        let session = format!("S{number}");
        let mut agent = AgentClient::open_as(&sandbox, &session, name);
        let command = format!("exit {number}");
        assert_eq!(register(&mut agent, &command)["trusted"], false, "{name:?}");
        let shown = sandbox.run(["trust", HOOK]).assert_exit(1);
        assert!(!shown.stdout.contains("to allow all"), "{name:?}: {}", shown.stdout);
        sandbox
            .run(["trust", &format!("jcli:agent:{name}"), "--yes"])
            .assert_exit(1)
            .assert_stderr("cannot be always allowed");
        assert_eq!(outcomes(&sandbox, &mut agent), ["skipped"], "{name:?}");
        // One by one its hooks can be approved.
        sandbox.run(["trust", HOOK, "--yes"]).assert_exit(0);
        assert_ne!(outcomes(&sandbox, &mut agent), ["skipped"], "{name:?}");
        agent.call("session.close", json!({}));
    }
}

#[test]
fn an_approval_in_one_dialect_is_none_in_another() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    allow(&sandbox, PROGRAM);
    for dialect in ["qoder", "picoclaw", "agent-hooks", "skill"] {
        // The same session id and the same name.
        let mut other = AgentClient::open_in(&sandbox, dialect, "S", "tester");
        for event in ["PreToolUse", "before_tool", "stop"] {
            for definition in [
                json!({"command": "touch other"}),
                json!({"type": "command", "command": "touch other"}),
            ] {
                let params = json!({"event": event, "definition": definition});
                let answer = other.answer_to("hook.register", params);
                assert!(answer["error"].is_object(), "{dialect} {event}: {answer}");
            }
        }
        let params = match dialect {
            "qoder" => json!({"event": "PreToolUse", "definition": {"callback": "f", "command": "touch other"}}),
            _ => json!({"definition": {"callback": "f", "command": ["touch", "other"]}}),
        };
        // A function of the agent starts nothing, whatever else its definition says.
        other.answer_to("hook.register", params);
        let id = format!("{dialect}:agent:tester");
        assert!(
            !listed(&sandbox)["approved"].to_string().contains(&id),
            "{dialect} is not approved with jcli"
        );
        sandbox.run(["trust", &id, "--revoke"]).assert_exit(0);
        assert_eq!(register(&mut agent, "true")["trusted"], true, "{dialect}");
    }
    assert!(!sandbox.project().join("other").exists());
}
