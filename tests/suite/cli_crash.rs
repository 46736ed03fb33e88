//! Tests of unexpected ends: signals to `fire`, and `kill -9` of the engine while a hook runs.

use std::time::Duration;

use hookwright_testkit::processes::wait_until;
use hookwright_testkit::{Running, Sandbox};
use rustix::process::Signal;
use serde_json::json;

use crate::jcli::{outcomes, trace, with_user_hooks};

/// After `kill -9` of the engine, no process of a hook runs longer than this (`CONTRACTS.md` §2.6).
const GRACE: Duration = Duration::from_secs(4);

fn start_fire(sandbox: &Sandbox) -> Running {
    let running = sandbox.start(["fire", "--dialect", "jcli", "--event", "stop", "--json"]);
    running.wait_for("the hook's start", || sandbox.path("project/started").exists());
    running
}

#[test]
fn a_signal_stops_the_chain_prints_and_records_it() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let sandbox =
            with_user_hooks("stop:\n  - {command: 'touch started; sleep 49', timeout: 20}\n  - command: 'exit 0'\n");
        let running = start_fire(&sandbox);
        running.signal(signal);
        let done = running.finish().assert_exit(status);
        let seen = done.json();
        assert_eq!(
            outcomes(&seen),
            ["stop:0 skipped:cancelled", "stop:1 skipped:cancelled"]
        );
        assert_eq!(seen["steps"][0]["attempts"][0]["end"], "cancelled");
        let verdict = &seen["verdict"];
        assert_eq!(
            (&verdict["kind"], &verdict["code"]),
            (&json!("proceed"), &json!("stopped_by_user"))
        );
        assert_eq!(verdict["args"]["label"], seen["steps"][0]["label"]);
        let id = seen["trace"].as_str().unwrap();
        assert_eq!(sandbox.run(["show", id, "--json"]).assert_exit(0).json(), seen);
        assert!(
            wait_until(GRACE, || sandbox.survivors().is_empty()),
            "{:?} live on",
            sandbox.survivors()
        );
    }
}

#[test]
fn no_hook_process_survives_kill_9_of_its_engine() {
    let hook = "(trap \"\" TERM HUP; sleep 50) & setsid sleep 50 & touch started; sleep 50";
    let sandbox = with_user_hooks(&format!("stop:\n  - {{command: '{hook}', timeout: 25}}\n"));
    let running = start_fire(&sandbox);
    running.signal(Signal::KILL);
    drop(running);
    assert!(
        wait_until(GRACE, || sandbox.survivors().is_empty()),
        "{:?} live on",
        sandbox.survivors()
    );
}

#[test]
fn the_next_engine_removes_the_folder_of_a_trial_that_kill_9_left() {
    let sandbox = Sandbox::new();
    let left = sandbox.path("data/scratch/01ARZ3NDEKTSV4RRFFQ69G5FAV.0");
    sandbox.write(
        "data/scratch/01ARZ3NDEKTSV4RRFFQ69G5FAV.0/.jcli/hooks.yaml",
        "stop: []\n",
    );
    sandbox.write("data/scratch/notes/mine.txt", "mine");
    let engine = crate::sample_agents::engine(&sandbox);
    engine.wait_for("the removal of what was left", || !left.exists());
    assert!(sandbox.path("data/scratch/notes/mine.txt").exists());
}

#[test]
fn nothing_recorded_before_is_lost_by_kill_9() {
    let sandbox =
        with_user_hooks("stop:\n  - {command: 'test -z \"$SLOW\" || { touch started; sleep 51; }', timeout: 25}\n");
    let before = trace(&sandbox, "stop", &json!({}));
    let running = sandbox.start_program(
        std::path::Path::new("/usr/bin/env"),
        [
            "SLOW=1",
            hookwright_testkit::program::hookwright().to_str().unwrap(),
            "fire",
            "--dialect",
            "jcli",
            "--event",
            "stop",
        ],
    );
    running.wait_for("the hook's start", || sandbox.path("project/started").exists());
    running.signal(Signal::KILL);
    drop(running);
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"][0]["trace"], before["trace"]);
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
}
