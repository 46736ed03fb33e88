//! Hooks that connected agents registered: the command line asks the running engine for them.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::agent_client::AgentClient;
use crate::sample_agents::engine;

pub(super) const HOOK: &str = "jcli:session:stop:0";

/// Registers a command at `stop`.
pub(super) fn register(agent: &mut AgentClient, command: &str) -> Value {
    let params = json!({"event": "stop", "definition": {"command": command}});
    agent.call("hook.register", params)
}

/// The outcomes of the steps of a `stop` event of this agent.
pub(super) fn outcomes(sandbox: &Sandbox, agent: &mut AgentClient) -> Vec<Value> {
    let fired = agent.call("event.fire", json!({"event": "stop", "payload": {}}));
    let trace = fired["trace"].as_str().expect("a trace has an id");
    let shown = sandbox.run(["show", trace, "--json"]).assert_exit(0).json();
    let steps = shown["steps"].as_array().expect("a trace has steps");
    steps.iter().map(|step| step["outcome"].clone()).collect()
}

#[test]
fn a_hook_that_an_agent_registered_is_listed_approved_and_revoked_in_the_running_engine() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    assert_eq!(register(&mut agent, "exit 0"), json!({"hook": HOOK, "trusted": false}));
    assert_eq!(outcomes(&sandbox, &mut agent), ["skipped"]);
    let listed = sandbox.run(["trust", "--list"]).assert_exit(0);
    listed
        .assert_output("pending")
        .assert_output(HOOK)
        .assert_output("exit 0");
    let doc = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    let item = &doc["pending"][0];
    assert_eq!((&item["kind"], &item["hook"]), (&json!("session_hook"), &json!(HOOK)));
    sandbox.run(["trust"]).assert_exit(1).assert_output(HOOK);
    let shown = sandbox.run(["trust", HOOK]).assert_exit(1);
    shown
        .assert_output("registered by tester (")
        .assert_output("runs at stop");
    sandbox
        .run(["trust", HOOK, "--yes"])
        .assert_exit(0)
        .assert_output("approved");
    assert_eq!(outcomes(&sandbox, &mut agent), ["no_opinion"]);
    let doc = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(
        (&doc["pending"], &doc["approved"][0]["hook"]),
        (&json!([]), &json!(HOOK))
    );
    sandbox.run(["trust"]).assert_exit(0);
    sandbox
        .run(["trust", HOOK, "--revoke"])
        .assert_exit(0)
        .assert_output("revoked");
    assert_eq!(outcomes(&sandbox, &mut agent), ["skipped"]);
}

#[test]
fn all_approves_the_hooks_of_files_and_says_how_many_commands_of_agents_wait() {
    let sandbox = Sandbox::new();
    crate::jcli::project(&sandbox, "stop:\n  - command: 'exit 0'\n");
    let _engine = engine(&sandbox);
    let (mut one, mut two) = (AgentClient::open(&sandbox, "one"), AgentClient::open(&sandbox, "two"));
    // An equal definition in the file would be approved for the agent too.
    register(&mut one, "exit 0 # one");
    // The same id in another session, with other content.
    register(&mut two, "true");
    let done = sandbox.run(["trust", "--all"]).assert_exit(0);
    done.assert_output("approved jcli:project:stop:0")
        .assert_stderr("2 commands that agents registered wait");
    for agent in [&mut one, &mut two] {
        assert_eq!(outcomes(&sandbox, agent), ["no_opinion", "skipped"]);
    }
    sandbox
        .run(["trust", "--all"])
        .assert_exit(0)
        .assert_output("No hooks of files are pending here.");
    sandbox.run(["trust", HOOK, "--yes"]).assert_exit(0);
    for agent in [&mut one, &mut two] {
        assert_eq!(outcomes(&sandbox, agent), ["no_opinion", "no_opinion"]);
    }
    sandbox.run(["trust", "--revoke"]).assert_exit(0);
    for agent in [&mut one, &mut two] {
        assert_eq!(outcomes(&sandbox, agent), ["skipped", "skipped"]);
    }
}

#[test]
fn many_commands_of_agents_do_not_hide_what_the_files_have() {
    let sandbox = Sandbox::new();
    crate::jcli::project(&sandbox, "stop:\n  - command: 'exit 0'\n");
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    for number in 0..30 {
        register(&mut agent, &format!("echo {number}"));
    }
    let listed = sandbox.run(["trust", "--list"]).assert_exit(0);
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert!(lines[0].contains("jcli:project:stop:0"), "{lines:#?}");
    assert!(lines.contains(&"pending, registered by agents: 30"), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("… and 10 more")), "{lines:#?}");
    let doc = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(doc["pending"].as_array().map(Vec::len), Some(31));
}

#[test]
fn without_an_engine_the_hook_of_an_agent_is_unknown() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["trust", "--list"])
        .assert_exit(0)
        .assert_output("no hooks");
    sandbox.run(["trust", HOOK, "--yes"]).assert_exit(1).assert_stderr(HOOK);
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_is_always_allowed_registers_commands_without_a_review_until_it_is_revoked() {
    const PROGRAM: &str = "jcli:agent:tester";
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    sandbox
        .run(["trust", HOOK])
        .assert_exit(1)
        .assert_output("to allow all of its commands: `hookwright trust jcli:agent:tester`");
    // All that waits does not include the program: that is asked for by name alone.
    let shown = sandbox.run(["trust", PROGRAM]).assert_exit(1);
    shown.assert_output("runs without a review, in every project");
    assert_eq!(outcomes(&sandbox, &mut agent), ["skipped"]);
    sandbox
        .run(["trust", PROGRAM, "--yes"])
        .assert_exit(0)
        .assert_output("approved jcli:agent:tester");
    assert_eq!(outcomes(&sandbox, &mut agent), ["no_opinion"]);
    assert_eq!(register(&mut agent, "true")["trusted"], true);
    let doc = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(doc["pending"], json!([]));
    let approved = &doc["approved"][0];
    assert_eq!(
        (&approved["kind"], &approved["hook"]),
        (&json!("agent_program"), &json!(PROGRAM))
    );
    let program = std::env::current_exe().expect("this test runs a file");
    assert_eq!(approved["definition"], json!(program));
    // An agent of another name, or of another dialect, is another one.
    let mut other = AgentClient::open_as(&sandbox, "T", "other");
    assert_eq!(register(&mut other, "exit 0")["trusted"], false);

    sandbox
        .run(["trust", PROGRAM, "--revoke"])
        .assert_exit(0)
        .assert_output("revoked");
    assert_eq!(outcomes(&sandbox, &mut agent), ["skipped", "skipped"]);
    sandbox
        .run(["trust", "jcli:agent:nobody", "--yes"])
        .assert_exit(1)
        .assert_stderr("unknown agent program");
}

#[cfg(target_os = "linux")]
#[test]
fn all_never_allows_an_agent_to_register_commands() {
    let sandbox = Sandbox::new();
    let _engine = engine(&sandbox);
    let mut agent = AgentClient::open(&sandbox, "S");
    register(&mut agent, "exit 0");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(register(&mut agent, "true")["trusted"], false);
}
