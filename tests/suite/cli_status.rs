//! Tests of `status`: what needs the user, worst first, with an exit code for a prompt or a commit hook. No hook runs.

use std::time::{Duration, Instant};

use hookwright_testkit::Sandbox;
use hookwright_testkit::processes::wait_until;
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};
use crate::jcli::with_user_hooks;

#[test]
fn status_names_a_guard_that_cannot_start_and_exits_with_1() {
    let sandbox = with_user_hooks(
        "pre_tool_execution:\n  - command: \"python4-missing guard.py && echo '{\\\"action\\\": \\\"skip\\\"}'\"\nsession_end:\n  - command: cat\n",
    );
    let document = sandbox.run(["status", "--json"]).assert_exit(1).json();
    assert_eq!(document["verdict"]["code"], "guards_fail");
    let need = &document["needs"][0];
    assert_eq!(
        (&need["kind"], &need["code"]),
        (&json!("health"), &json!("cannot_start"))
    );
    assert_eq!(need["hook"], "jcli:user:pre_tool_execution:0");
    assert_eq!(need["line"], 2);
    assert!(need["path"].as_str().is_some_and(|path| path.ends_with("hooks.yaml")));
    for name in ["code", "args", "since"] {
        assert!(need.as_object().unwrap().contains_key(name), "{name}");
    }
    assert_eq!(document["counts"], json!({"cannot_start": 1, "ready": 1}));
    let text = sandbox.run(["status"]).assert_exit(1).stdout;
    assert!(text.contains("1 guard does not work"), "{text}");
    assert!(
        text.contains("cannot start: `python4-missing` is not installed"),
        "{text}"
    );
    // The same fact in the list and in an explanation.
    let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let explained = sandbox
        .run([
            "explain",
            "--dialect",
            "jcli",
            "--event",
            "pre_tool_execution",
            "--json",
        ])
        .assert_exit(0)
        .json();
    let health = &listed["hooks"][0]["health"];
    assert_eq!(health["state"], "cannot_start");
    assert_eq!(health, &explained["steps"][0]["health"]);
    assert_eq!(explained["steps"][0]["would_fail"], "continues");
    assert_eq!(explained["steps"][0]["would_run"], true);
}

#[test]
fn status_is_calm_where_nothing_needs_the_user() {
    let sandbox = with_user_hooks("session_end:\n  - command: cat\n");
    let document = sandbox.run(["status", "--json"]).assert_exit(0).json();
    let want = json!({"verdict": {"code": "calm", "args": {"count": 1}}, "needs": [], "counts": {"ready": 1}});
    assert_eq!(document, want);
    let text = sandbox.run(["status"]).assert_exit(0).stdout;
    assert_eq!(text.trim(), "nothing needs you; 1 hook");
}

#[test]
fn a_file_that_cannot_be_read_is_the_first_need() {
    let sandbox = with_user_hooks("stop:\n  - command: cat\n [\n");
    let document = sandbox.run(["status", "--json"]).assert_exit(1).json();
    assert_eq!(document["needs"][0]["kind"], "source");
    assert_eq!(document["needs"][0]["code"], "syntax");
    assert_eq!(document["needs"][0]["hook"], Value::Null);
}

#[test]
fn a_hook_whose_last_three_runs_failed_is_failing() {
    let sandbox = with_user_hooks("stop:\n  - command: exit 3\n");
    let state = || {
        let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
        listed["hooks"][0]["health"].clone()
    };
    for _ in 0..3 {
        assert_ne!(state()["state"], "failing");
        sandbox.run(["fire", "--dialect", "jcli", "--event", "stop"]);
        // Whoever reads the history imports what was fired.
        sandbox.run(["history"]).assert_exit(0);
    }
    let health = state();
    assert_eq!(
        (&health["state"], &health["args"]),
        (&json!("failing"), &json!({"runs": 3, "failed": 3}))
    );
    let edited = "stop:\n  - command: exit 4\n";
    sandbox.write("home/.jdata/agent/hooks.yaml", edited);
    assert_eq!(state()["state"], "ready", "another content has not failed yet");
}

/// A guard of the user that denies, and one that fails open.
const GUARD: &str = "pre_tool_execution:\n  - command: \"echo '{\\\"action\\\": \\\"skip\\\"}'\"\n";

/// The needs of this kind.
fn needs(document: &Value, kind: &str) -> Vec<Value> {
    let all = document["needs"].as_array().unwrap();
    all.iter().filter(|need| need["kind"] == kind).cloned().collect()
}

#[test]
fn a_guard_that_another_program_removed_is_gone_until_it_is_restored_or_accepted() {
    let sandbox = with_user_hooks(GUARD);
    let status = |exit| sandbox.run(["status", "--json"]).assert_exit(exit).json();
    assert_eq!(needs(&status(0), "gone"), [Value::Null; 0]);
    sandbox.write("home/.jdata/agent/hooks.yaml", "stop:\n  - command: cat\n");
    let gone = needs(&status(1), "gone");
    assert_eq!(gone.len(), 1);
    assert_eq!(
        (&gone[0]["args"]["label"], &gone[0]["code"]),
        (&json!("echo {\"action\": \"skip\"}"), &json!("gone"))
    );
    assert!(gone[0]["since"].is_string());
    let uid = gone[0]["args"]["uid"].as_str().unwrap();
    sandbox.run(["status", "--restore", uid]).assert_exit(0);
    let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let guard = listed["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["guard"] == true)
        .unwrap();
    assert_eq!(guard["uid"], uid, "it is the same hook again");
    // What is removed through Hookwright is no need.
    sandbox.run(["remove", guard["hook"].as_str().unwrap()]).assert_exit(0);
    assert_eq!(needs(&status(0), "gone"), [Value::Null; 0]);
    sandbox.write("home/.jdata/agent/hooks.yaml", GUARD);
    status(0);
    sandbox.write("home/.jdata/agent/hooks.yaml", "");
    let uid = needs(&status(1), "gone")[0]["args"]["uid"].clone();
    sandbox
        .run(["status", "--accept", uid.as_str().unwrap()])
        .assert_exit(0);
    status(0);
}

#[test]
fn an_event_that_passed_because_its_guards_failed_is_counted_once() {
    let guard = "echo '{\\\"action\\\": \\\"skip\\\"'; exit 3";
    let sandbox = with_user_hooks(&format!(
        "pre_tool_execution:\n  - command: \"{guard}\"\n  - command: \"{guard}\"\n    timeout: 7\nsession_end:\n  - command: exit 3\n"
    ));
    for event in ["pre_tool_execution", "session_end"] {
        sandbox.run(["fire", "--dialect", "jcli", "--event", event]);
    }
    sandbox.run(["history"]).assert_exit(0);
    let document = sandbox.run(["status", "--json"]).assert_exit(0).json();
    assert_eq!(
        document["verdict"],
        json!({"code": "passed_unguarded", "args": {"count": 1}})
    );
    let unguarded = needs(&document, "unguarded");
    assert_eq!(unguarded.len(), 2, "one for each guard");
    assert!(
        unguarded
            .iter()
            .all(|need| need["args"]["count"] == 1 && need["hook"].is_string())
    );
    let text = sandbox.run(["status"]).assert_exit(0).stdout;
    assert!(text.contains("1 event passed unguarded"), "{text}");
}

#[test]
fn a_hook_that_denied_is_a_guard_and_what_was_tried_out_counts_nowhere() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - command: printf '{\"%s\":\"skip\"}' action\n");
    let guard = || sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0]["guard"].clone();
    assert_eq!(guard(), false, "its text does not show it");
    sandbox
        .run(["fire", "--dialect", "jcli", "--event", "pre_tool_execution"])
        .assert_exit(2);
    sandbox.run(["history"]).assert_exit(0);
    assert_eq!(guard(), true);
    let runs = || sandbox.run(["stats", "--json"]).assert_exit(0).json()["hooks"][0]["runs"].clone();
    assert_eq!(runs(), 1);
    sandbox.run(["replay", "--last", "1", "--level", "real", "--yes"]);
    assert_eq!(runs(), 1);
}

/// What the window, the command line and an explanation say of the only guard: whether it can start.
fn guard_starts(sandbox: &Sandbox, control: &mut ControlClient) -> [bool; 4] {
    let project = json!({"project": sandbox.project()});
    let event = json!({"project": sandbox.project(), "dialect": "jcli", "event": "pre_tool_execution", "payload": {}});
    let needs = control.call("overview", &project)["needs"].clone();
    let state = control.call("hooks.list", &project)["hooks"][0]["health"]["state"].clone();
    let gates = control.call("explain", &event)["steps"][0]["gates"].clone();
    let starts = gates.as_array().unwrap().iter().find(|gate| gate["gate"] == "starts");
    let status = sandbox.run(["status"]);
    [
        needs == json!([]),
        state != "cannot_start",
        starts.unwrap()["pass"] == true,
        status.stdout.contains("nothing needs you"),
    ]
}

#[test]
fn a_guard_whose_interpreter_is_moved_away_while_the_window_is_open_is_named_at_once_and_comes_back() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - command: ~/guard.sh\n");
    let interpreter = sandbox.script("home/bin/interpreter", "#!/bin/sh\nexec sh \"$@\"\n");
    let first_line = format!("#!{}\n", interpreter.display());
    sandbox.script("home/guard.sh", &(first_line + "echo '{\"action\": \"skip\"}'\n"));
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    assert_eq!(guard_starts(&sandbox, &mut control), [true; 4]);
    let away = sandbox.path("home/bin/away");
    std::fs::rename(&interpreter, &away).unwrap();
    let begin = Instant::now();
    assert_eq!(guard_starts(&sandbox, &mut control), [false; 4]);
    println!("the window and the command line know it after {:?}", begin.elapsed());
    let said = sandbox.run(["status"]).assert_exit(1).stdout;
    assert!(said.contains("guard.sh cannot start"), "{said}");
    std::fs::rename(&away, &interpreter).unwrap();
    assert!(wait_until(Duration::from_secs(20), || {
        guard_starts(&sandbox, &mut control) == [true; 4]
    }));
    sandbox.run(["status"]).assert_exit(0);
}
