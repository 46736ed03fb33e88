//! Tests that every acknowledged event is stored, and that the reply reports an event that could not be stored
//! (`CONTRACTS.md` §2.6).

use std::path::Path;

use hookwright_testkit::{Sandbox, remove_folder_in_use};
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};
use crate::jcli::{fire, trace, with_user_hooks};

const VALID_HOOKS: &str = "stop:\n  - command: 'exit 0'\n";

fn listed(sandbox: &Sandbox) -> Vec<Value> {
    let document = sandbox.run(["history", "--json"]).assert_exit(0).json();
    let rows = document["traces"].as_array().unwrap();
    rows.iter().map(|row| row["trace"].clone()).collect()
}

fn warnings(trace: &Value) -> Vec<&str> {
    let notices = trace["notices"].as_array().unwrap().iter();
    let warnings = notices.filter(|notice| notice["kind"] == "warning");
    warnings.filter_map(|notice| notice["code"].as_str()).collect()
}

#[test]
fn a_reply_says_that_its_event_is_not_recorded() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let limited = |limit: &str| {
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"");
        let program = hookwright_testkit::program::hookwright().to_string_lossy().into_owned();
        // The name of the session remains without payloads, and is too long for the smaller limit.
        let session = format!("--session={}", "s".repeat(1000));
        let command = [
            "fire",
            "--dialect",
            "jcli",
            "--event",
            "stop",
            session.as_str(),
            "--payload",
            "-",
            "--json",
        ];
        let all = ["-c", &script, "sh", &program].into_iter().chain(command);
        let mut running = sandbox.start_program(Path::new("/bin/sh"), all.map(str::to_owned).collect::<Vec<_>>());
        running.write(json!({ "user_input": "x".repeat(8000) }).to_string().as_bytes());
        running.finish().assert_exit(0).assert_stderr("full").json()
    };
    let none = limited("1");
    assert_eq!(
        (&none["recorded"], warnings(&none)),
        (&json!(false), vec!["not_recorded"])
    );
    let bare = limited("8");
    assert_eq!(
        (bare.get("recorded"), warnings(&bare)),
        (None, vec!["bodies_not_recorded"])
    );
    let kept = trace(&sandbox, "stop", &json!({}));
    assert_eq!((kept.get("recorded"), warnings(&kept)), (None, vec![]));
    assert_eq!(listed(&sandbox), [kept["trace"].clone(), bare["trace"].clone()]);
}

#[test]
fn no_event_is_lost_when_the_spool_of_a_running_engine_is_removed() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    // Until the database is open, that is what the engine says of its history.
    engine.wait_for("the history is open", || {
        control.call("state", &json!({}))["store"]["code"] != "history_opening"
    });
    let project = sandbox.project().display().to_string();
    let mut fire = |run: &str| {
        let request = json!({"run": run, "project": project, "dialect": "jcli", "event": "stop", "payload": {}});
        control.call("fire", &request)["trace"].clone()
    };
    let mut fired = vec![fire("1")];
    remove_folder_in_use(&sandbox.data().join("spool"));
    fired.push(fire("2"));
    std::fs::rename(sandbox.data().join("spool"), sandbox.data().join("spool.old")).unwrap();
    std::fs::create_dir(sandbox.data().join("spool")).unwrap();
    fired.push(fire("3"));
    let state = control.call("state", &json!({}));
    assert_eq!(
        (&state["store"]["ok"], &state["store"]["code"]),
        (&json!(true), &json!("spool_restored"))
    );
    fired.reverse();
    assert_eq!(listed(&sandbox), fired);
    drop(engine);
    assert_eq!(listed(&sandbox), fired);
}

#[test]
fn unreadable_lines_of_the_spool_are_kept_and_reported() {
    for reader in ["fire", "history", "stats"] {
        let sandbox = with_user_hooks(VALID_HOOKS);
        let seen = trace(&sandbox, "stop", &json!({}));
        sandbox.write(
            "data/spool/left-behind.jsonl",
            "not a trace\n{\"v\":99,\"trace\":\"x\"}\n",
        );
        let kept = "left-behind.jsonl.unread";
        match reader {
            "fire" => drop(
                fire(&sandbox, "stop", &json!({}), &[])
                    .assert_exit(0)
                    .assert_stderr(kept),
            ),
            command => drop(sandbox.run([command]).assert_exit(0).assert_stderr(kept)),
        }
        assert!(sandbox.data().join("spool").join(kept).exists(), "{reader}");
        // Every later command reports it too, so that a user who reads the history another day also sees it.
        sandbox.run(["history"]).assert_exit(0).assert_stderr(kept);
        assert!(listed(&sandbox).contains(&seen["trace"]));
    }
}

#[test]
fn an_empty_database_with_a_write_ahead_log_fails_once_as_damaged() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    trace(&sandbox, "stop", &json!({}));
    sandbox.write("data/history.db", "");
    sandbox.write("data/history.db-wal", "a log of nobody ".repeat(100));
    sandbox
        .run(["history"])
        .assert_exit(1)
        .assert_stderr("history.db.damaged-");
    let mut names = std::fs::read_dir(sandbox.data()).unwrap().flatten();
    let log = names.find(|name| {
        let name = name.file_name();
        name.to_string_lossy().contains("damaged-") && name.to_string_lossy().ends_with("-wal")
    });
    let log = std::fs::read_to_string(log.unwrap().path()).unwrap();
    assert!(log.starts_with("a log of nobody"), "it is kept as it was");
    assert_eq!(listed(&sandbox), Vec::<Value>::new());
    let fired = trace(&sandbox, "stop", &json!({}));
    assert_eq!(listed(&sandbox), [fired["trace"].clone()]);
}

#[test]
fn a_reader_imports_the_spool_of_other_processes() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let seen = trace(&sandbox, "stop", &json!({}));
    let mut lines = String::new();
    for number in 0..600 {
        let mut other = seen.clone();
        other["trace"] = json!(format!("01ARZ3NDEKTSV4RRFFQ69{number:05}"));
        lines.push_str(&format!("{other}\n"));
    }
    sandbox.write("data/spool/left-behind.jsonl", lines);
    let document = sandbox
        .run(["history", "--json", "--limit", "1000"])
        .assert_exit(0)
        .json();
    assert_eq!(document["traces"].as_array().map(Vec::len), Some(601));
    assert_eq!(document.get("waiting"), None);
    assert!(!sandbox.data().join("spool/left-behind.jsonl").exists());
}
