//! Tests of asynchronous Agent Hooks, and of the counters and log lines that the agent itself would write.

use std::time::Duration;

use hookwright_testkit::Sandbox;
use hookwright_testkit::processes::wait_until;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::agent_hooks::{USER, fire, hook, stored_trace, trace};
use crate::cli_serve::{ControlClient, serve};
use crate::jcli::outcomes;

#[test]
fn the_reply_does_not_wait_for_an_asynchronous_hook_and_its_end_is_recorded() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "late",
        "trigger: after_tool\nasync: true",
        "echo out; exit 3",
    );
    hook(&sandbox, USER, "sync", "trigger: after_tool", "exit 0");
    let done = fire(&sandbox, "after_tool", &[]).assert_exit(0);
    let seen = done.json();
    assert_eq!(outcomes(&seen), ["sync no_opinion", "late detached"]);
    assert_eq!(seen["steps"][1]["attempts"], json!([]));
    let later = stored_trace(&sandbox, &seen);
    assert_eq!(outcomes(&later), ["sync no_opinion", "late failed_open"]);
    assert_eq!(later["steps"][1]["attempts"][0]["stdout"], "out\n");
    assert_eq!(later["steps"][1]["reason"], "Hook exited with code 3");
    assert_eq!(later["verdict"]["kind"], "proceed");
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(1), "one event, one row");
    assert_eq!(listed["traces"][0]["outcomes"], json!(["no_opinion", "failed_open"]));
}

#[test]
fn all_asynchronous_hooks_start_together() {
    const COUNT: usize = 34;
    let sandbox = Sandbox::new();
    sandbox.write("project/there/.keep", "");
    let wait = format!("touch there/$$; until [ $(ls there | wc -l) -ge {COUNT} ]; do sleep 0.2; done");
    for at in 0..COUNT {
        hook(
            &sandbox,
            USER,
            &format!("h{at}"),
            "trigger: after_tool\nasync: true\ntimeout: 60000",
            &wait,
        );
    }
    let seen = stored_trace(&sandbox, &trace(&sandbox, "after_tool"));
    let ended = outcomes(&seen)
        .iter()
        .filter(|step| step.ends_with(" no_opinion"))
        .count();
    assert_eq!(ended, COUNT, "each waited for all others");
}

#[test]
fn a_signal_while_asynchronous_hooks_run_stops_them() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "late",
        "trigger: after_tool\nasync: true\ntimeout: 60000",
        "touch started; sleep 51",
    );
    let firing = sandbox.start(["fire", "--dialect", "agent-hooks", "--event", "after_tool", "--json"]);
    firing.wait_for("the hook's start", || sandbox.path("project/started").exists());
    firing.signal(Signal::INT);
    let done = firing.finish();
    assert_eq!(done.code(), 130, "{done}");
    let seen = done.json();
    assert_eq!(outcomes(&seen), ["late detached"], "printed when the reply was settled");
    let later = stored_trace(&sandbox, &seen);
    assert_eq!(outcomes(&later), ["late skipped:cancelled"]);
    assert_eq!(later["steps"][0]["attempts"][0]["end"], "cancelled");
    assert_eq!(later["notices"], json!([]), "a stop is no failure");
    let stats = sandbox.run(["stats", "--json"]).assert_exit(0).json();
    let row = &stats["hooks"][0];
    assert_eq!(
        (&row["runs"], &row["attempts"], &row["native"]["failed"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert!(wait_until(Duration::from_secs(4), || sandbox.survivors().is_empty()));
}

#[test]
fn the_engine_runs_asynchronous_hooks_after_its_reply_and_pushes_their_outcomes() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "late",
        "trigger: after_tool\nasync: true",
        "until [ -e go ]; do sleep 0.05; done; echo went",
    );
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    control.call("subscribe", &json!({}));
    let params = json!({"project": sandbox.project(), "dialect": "agent-hooks", "event": "after_tool",
        "payload": {}, "session": null, "run": "r1"});
    let seen = control.call("fire", &params);
    assert_eq!(outcomes(&seen), ["late detached"]);
    sandbox.write("project/go", "");
    let id = seen["trace"].as_str().unwrap().to_owned();
    control.wait_for(|push| rows_with(push, &id, "no_opinion"));
    let later = control.call("history.show", &json!({"trace": id}));
    assert_eq!(outcomes(&later), ["late no_opinion"]);
    assert_eq!(later["steps"][0]["attempts"][0]["stdout"], "went\n");
    drop(engine);
}

/// Whether a push reports this outcome for this trace.
fn rows_with(push: &Value, trace: &str, outcome: &str) -> bool {
    let text = push.to_string();
    text.contains(trace) && text.contains(&format!("\"{outcome}\""))
}

#[test]
fn the_end_of_the_engine_stops_asynchronous_hooks() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "late",
        "trigger: after_tool\nasync: true\ntimeout: 60000",
        "touch started; sleep 51",
    );
    let engine = serve(&sandbox);
    let params = json!({"project": sandbox.project(), "dialect": "agent-hooks", "event": "after_tool",
        "payload": {}, "session": null, "run": "r1"});
    let seen = ControlClient::connect(&sandbox).call("fire", &params);
    engine.wait_for("the hook's start", || sandbox.path("project/started").exists());
    engine.signal(Signal::TERM);
    let done = engine.finish();
    assert!(done.status.success() || done.status.code() == Some(143), "{done}");
    assert!(wait_until(Duration::from_secs(4), || sandbox.survivors().is_empty()));
    assert_eq!(outcomes(&stored_trace(&sandbox, &seen)), ["late skipped:cancelled"]);
}

#[test]
fn the_hook_counters_have_the_agents_names() {
    let sandbox = Sandbox::new();
    hook(&sandbox, USER, "guard", "trigger: after_tool", "exit 2");
    hook(&sandbox, USER, "log", "trigger: before_stop\nasync: true", "exit 1");
    fire(&sandbox, "after_tool", &[]).assert_exit(2);
    fire(&sandbox, "before_stop", &[]).assert_exit(0);
    let stats = sandbox.run(["stats", "--json"]).assert_exit(0).json();
    let native = |name: &str| {
        let rows = stats["hooks"].as_array().unwrap();
        let row = rows.iter().find(|row| row["label"] == name).unwrap();
        ["total_executions", "successful", "failed", "blocked", "async"].map(|key| row["native"][key].as_f64())
    };
    assert_eq!(native("guard"), [1.0, 1.0, 0.0, 1.0, 0.0].map(Some));
    assert_eq!(native("log"), [1.0, 0.0, 1.0, 0.0, 1.0].map(Some));
}

#[test]
fn the_tool_counters_have_the_agents_names() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "guard",
        "trigger: before_tool\nmatcher: {tool: Shell}",
        "exit 2",
    );
    hook(
        &sandbox,
        USER,
        "edit",
        "trigger: before_tool\nmatcher: {tool: Write}",
        r#"echo '{"modified_input": {"path": "b"}}'"#,
    );
    for tool in ["Shell", "Write", "Read"] {
        let payload = json!({"tool_name": tool, "tool_input": {"path": "a"}}).to_string();
        let args = [
            "fire",
            "--dialect",
            "agent-hooks",
            "--event",
            "before_tool",
            "--payload",
            "-",
            "--json",
        ];
        sandbox.run_with(&payload, args.iter());
    }
    let stats = sandbox.run(["stats", "--json"]).assert_exit(0).json();
    let counts = |tool: &str| {
        let rows = stats["tools"].as_array().unwrap();
        let row = rows.iter().find(|row| row["tool"] == tool)?;
        assert_eq!(row["dialect"], "agent-hooks");
        assert!(row["native"]["total_duration_ms"].as_f64().unwrap() > 0.0);
        assert_eq!(row["calls"], row["native"]["total_calls"]);
        Some(["total_calls", "blocked_calls", "modified_calls"].map(|key| row["native"][key].as_u64().unwrap()))
    };
    assert_eq!(counts("Shell"), Some([1, 1, 0]));
    assert_eq!(counts("Write"), Some([1, 0, 1]));
    assert_eq!(counts("Read"), None, "no hook ran for it");
    sandbox.run(["stats"]).assert_exit(0).assert_output("blocked calls");
}

#[test]
fn the_debug_log_has_the_lines_of_the_agent() {
    let sandbox = Sandbox::new().with_var("HOOKWRIGHT_LOG", "debug");
    hook(
        &sandbox,
        USER,
        "guard",
        "trigger: before_tool",
        "echo '{\"decision\": \"deny\", \"reason\": \"not ghp_0123456789abcdefghijABCDEFGHIJ012345 here\"}'",
    );
    hook(
        &sandbox,
        USER,
        "other",
        "trigger: before_tool\nmatcher: {tool: Nothing}",
        "exit 0",
    );
    hook(&sandbox, USER, "late", "trigger: after_tool\nasync: true", "exit 3");
    let lines = |event: &str, code: i32| -> Vec<String> {
        let done = fire(&sandbox, event, &[]).assert_exit(code);
        let own = done.stderr.lines().filter(|line| line.starts_with("[HOOK DEBUG]"));
        own.map(without_time).collect()
    };
    assert_eq!(
        lines("before_tool", 2),
        [
            "[HOOK DEBUG] [SYNC] Starting hook 'guard' for event 'before_tool'",
            "[HOOK DEBUG] [SYNC] Completed hook 'guard' in Nms: blocked=True",
            "[HOOK DEBUG] Reason: not ‹redacted› here",
        ]
    );
    assert_eq!(
        lines("after_tool", 0),
        [
            "[HOOK DEBUG] [ASYNC] Starting hook 'late' for event 'after_tool'",
            "[HOOK DEBUG] [ASYNC] Completed hook 'late' in Nms: blocked=False",
            "[HOOK DEBUG] Error: Hook exited with code 3",
        ]
    );
}

/// Replaces the duration in a log line by `N`.
fn without_time(line: &str) -> String {
    match line
        .split_once("' in ")
        .and_then(|(head, rest)| Some((head, rest.split_once("ms")?)))
    {
        Some((head, (digits, rest))) if digits.parse::<u64>().is_ok() => format!("{head}' in Nms{rest}"),
        Some(_) | None => line.to_owned(),
    }
}
