//! Tests of the sample agents in `hooks-samples/agents` with a running engine: each fires every event of its dialect,
//! and each of its events is in the history once.

mod rust;

use std::collections::BTreeMap;
use std::os::unix::net::UnixStream;
use std::path::Path;

use hookwright_testkit::program::{sample_agent, workspace};
use hookwright_testkit::{Running, Sandbox};
use rustix::process::Signal;
use serde_json::json;

use crate::cli_serve::serve;

/// How an agent is started.
#[derive(Clone, Copy)]
pub(crate) enum Agent {
    /// The program that runs it, and its file in `hooks-samples/agents`.
    Script(&'static str, &'static str),
    /// It is a program that cargo builds.
    Program,
}

pub(crate) const PYTHON: Agent = Agent::Script("python3", "python/agent.py");
pub(crate) const NODE: Agent = Agent::Script("node", "node/agent.mjs");
pub(crate) const RUST: Agent = Agent::Program;

/// Starts an engine and waits until agents can connect.
pub(crate) fn engine(sandbox: &Sandbox) -> Running {
    let engine = serve(sandbox);
    let socket = sandbox.path("run/hookwright/agent.sock");
    engine.wait_for("the agent socket", || UnixStream::connect(&socket).is_ok());
    engine
}

/// Starts an agent in the project of the sandbox.
pub(crate) fn start(sandbox: &Sandbox, agent: Agent, args: &[&str]) -> Running {
    let Agent::Script(program, script) = agent else {
        return sandbox.start_program(&sample_agent(), args);
    };
    let script = workspace().join("hooks-samples/agents").join(script);
    let script = script.to_str().expect("the path of the clone is text");
    let args: Vec<&str> = [script].iter().chain(args).copied().collect();
    sandbox.start_program(Path::new(program), args)
}

/// Plays the conversation once and returns what the agent printed.
#[track_caller]
fn play(sandbox: &Sandbox, agent: Agent, args: &[&str]) -> String {
    let args: Vec<&str> = ["--once"].iter().chain(args).copied().collect();
    start(sandbox, agent, &args).finish().assert_exit(0).stdout
}

/// How often each event was printed. The agent has one line for each event, and indents all other lines.
fn printed(stdout: &str) -> BTreeMap<String, usize> {
    let mut events = BTreeMap::new();
    for line in stdout.lines().filter(|line| !line.starts_with(' ')) {
        let event = line.split_whitespace().next().unwrap_or_default();
        *events.entry(event.to_owned()).or_default() += 1;
    }
    events
}

/// How often each event is in the history with this origin.
#[track_caller]
fn recorded(sandbox: &Sandbox, origin: &str) -> BTreeMap<String, usize> {
    let doc = sandbox
        .run(["history", "--limit", "1000", "--json"])
        .assert_exit(0)
        .json();
    let mut events = BTreeMap::new();
    let rows = doc["traces"].as_array().unwrap();
    for row in rows.iter().filter(|row| row["origin"] == origin) {
        *events.entry(row["event"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    events
}

#[track_caller]
fn every_event_is_fired_and_recorded_once(agent: Agent, dialect: &str) {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let fired = printed(&play(&sandbox, agent, &["--dialect", dialect]));
    assert_eq!(fired, recorded(&sandbox, "agent"));
    let card = hookwright_dialects::find(dialect).expect("it is registered").card();
    let names = card.events.iter().map(|event| event.name);
    let missing: Vec<&str> = names.filter(|name| !fired.contains_key(*name)).collect();
    assert!(missing.is_empty(), "the agent does not fire {missing:?}");
}

#[test]
fn the_python_agent_fires_every_event_of_jcli() {
    every_event_is_fired_and_recorded_once(PYTHON, "jcli");
}

#[test]
fn the_python_agent_fires_every_event_of_qoder() {
    every_event_is_fired_and_recorded_once(PYTHON, "qoder");
}

#[test]
fn the_python_agent_fires_every_event_of_agent_hooks() {
    every_event_is_fired_and_recorded_once(PYTHON, "agent-hooks");
}

#[test]
fn the_python_agent_fires_every_event_of_picoclaw() {
    every_event_is_fired_and_recorded_once(PYTHON, "picoclaw");
}

#[test]
fn the_python_agent_asks_for_the_texts_of_every_checkpoint_of_skill() {
    every_event_is_fired_and_recorded_once(PYTHON, "skill");
}

#[test]
fn the_node_agent_fires_every_event_of_jcli() {
    every_event_is_fired_and_recorded_once(NODE, "jcli");
}

#[test]
fn the_node_agent_fires_every_event_of_qoder() {
    every_event_is_fired_and_recorded_once(NODE, "qoder");
}

#[test]
fn the_node_agent_fires_every_event_of_agent_hooks() {
    every_event_is_fired_and_recorded_once(NODE, "agent-hooks");
}

#[test]
fn a_native_agent_reports_its_own_hook_and_the_engine_runs_none_of_the_files() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.jdata/agent/hooks.yaml",
        "pre_tool_execution:\n  - command: ': > ran'\n",
    );
    let _engine = engine(&sandbox);
    for agent in [PYTHON, NODE] {
        play(&sandbox, agent, &["--native"]);
    }
    assert_eq!(
        recorded(&sandbox, "reported"),
        BTreeMap::from([("pre_tool_execution".to_owned(), 6)])
    );
    assert!(!sandbox.project().join("ran").exists());
}

#[test]
fn a_blocked_tool_and_a_blocked_stop_are_obeyed() {
    let hooks = "pre_tool_execution:\n  - {command: 'echo ''{\"action\": \"skip\"}''', filter: {tool_name: Bash}}\n\
        stop:\n  - command: '[ -e sent ] && echo {} && exit; : > sent; echo ''{\"retry_feedback\": \"go on\"}'''\n";
    for agent in [PYTHON, NODE] {
        let sandbox = Sandbox::new();
        sandbox.write("home/.jdata/agent/hooks.yaml", hooks);
        let _engine = engine(&sandbox);
        let said = play(&sandbox, agent, &[]);
        let events = printed(&said);
        // Three of the calls are skipped, and one fails by itself.
        assert_eq!(events["post_tool_execution_failure"], 4, "{said}");
        assert_eq!(events["stop"], 3, "{said}");
        assert!(said.contains("the model is sent back: go on"), "{said}");
    }
}

#[test]
fn an_agent_runs_a_test_event_with_its_own_hooks_and_ends_its_session_at_a_signal() {
    for agent in [PYTHON, NODE] {
        let sandbox = Sandbox::new();
        let _engine = engine(&sandbox);
        let running = start(&sandbox, agent, &["--dialect", "qoder", "--session", "s1"]);
        running.wait_for("the end of the conversation", || {
            running.stdout().contains("stays connected")
        });
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t1"});
        let fire = ["fire", "--agent", "s1", "--dialect", "qoder", "--event", "PreToolUse"];
        let args = fire.iter().chain(&["--payload", "-", "--json"]);
        let doc = sandbox.run_with(call.to_string(), args).json();
        let decision = &doc["agent_answer"]["reply"]["json"]["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(decision, "deny", "{doc:#}");
        running.signal(Signal::TERM);
        running.finish().assert_exit(143);
        let listed = sandbox.run(["agents", "--json"]).assert_exit(0).json();
        assert_eq!(listed["agents"], json!([]));
    }
}

#[test]
fn without_an_engine_an_agent_exits_1_and_names_the_places() {
    let sandbox = Sandbox::new();
    for agent in [PYTHON, NODE, RUST] {
        start(&sandbox, agent, &["--once"])
            .finish()
            .assert_exit(1)
            .assert_stderr("run/hookwright/agent.sock")
            .assert_stderr("data/run/agent.sock");
    }
}
