//! Limits together: many events with many hooks, the largest payload on every way in, and folders that vanish under a
//! running engine (`CONTRACTS.md` §2.6, §3).

use std::path::Path;
use std::thread;

use hookwright_testkit::Sandbox;
use hookwright_testkit::program::hookwright;
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};
use crate::jcli::with_user_hooks;

/// Events that are fired at the same time, and hooks of each event.
const EVENTS: usize = 64;
const HOOKS: usize = 32;

/// A command that counts how many of its kind run while it runs.
fn counting(sandbox: &Sandbox) -> String {
    let (running, counts) = (sandbox.home().join("running"), sandbox.home().join("counts"));
    std::fs::create_dir(&running).unwrap();
    let (running, counts) = (running.display(), counts.display());
    format!(
        ": > {running}/$HOOKWRIGHT_RUN; set -- {running}/*; echo $# >> {counts}; sleep 0.1; rm {running}/$HOOKWRIGHT_RUN"
    )
}

fn fire_tool(control: &mut ControlClient, sandbox: &Sandbox, payload: &Value) -> Value {
    let params = json!({"project": sandbox.project(), "dialect": "qoder", "event": "PreToolUse", "payload": payload,
        "session": null, "run": "r"});
    control.call("fire", &params)
}

#[test]
fn sixty_four_events_of_thirty_two_hooks_share_128_places() {
    let sandbox = Sandbox::new();
    let entry = json!({"type": "command", "command": counting(&sandbox)});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": vec![entry; HOOKS]}]}});
    sandbox.write("home/.qoder/settings.json", settings.to_string());
    let _engine = serve(&sandbox);
    let traces: Vec<Value> = thread::scope(|scope| {
        let fire = || {
            let mut control = ControlClient::connect(&sandbox);
            fire_tool(&mut control, &sandbox, &json!({"tool_name": "Bash"}))
        };
        let firing: Vec<_> = (0..EVENTS).map(|_| scope.spawn(fire)).collect();
        firing
            .into_iter()
            .map(|one| one.join().expect("it is answered"))
            .collect()
    });
    for trace in &traces {
        let steps = trace["steps"].as_array().unwrap();
        let quiet = steps.iter().filter(|step| step["outcome"] == "no_opinion").count();
        assert_eq!(quiet, HOOKS, "{trace:#}");
    }
    let counts = std::fs::read_to_string(sandbox.home().join("counts")).unwrap();
    let counts: Vec<usize> = counts.lines().map(|line| line.parse().unwrap()).collect();
    let most = counts.iter().max().copied().unwrap_or_default();
    assert_eq!(counts.len(), EVENTS * HOOKS);
    assert!(most <= 128, "{most} ran at once");
}

#[test]
fn the_users_hooks_run_at_an_event_of_a_project_whose_folder_is_gone() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    assert_eq!(control.fire(&sandbox, "stop")["steps"][0]["outcome"], "no_opinion");
    std::fs::remove_dir_all(sandbox.project()).unwrap();
    let params = json!({"project": sandbox.project(), "dialect": "jcli", "event": "stop", "payload": {},
        "session": null, "run": "r"});
    let answer = control.ask("fire", &params);
    let trace = &answer["result"];
    assert_eq!(trace["steps"][0]["outcome"], "no_opinion");
    let notice = &trace["notices"][0];
    let gone = format!("{} is not a directory; the hook ran in ", sandbox.project().display());
    assert!(notice["text"].as_str().unwrap().starts_with(&gone), "{notice:#}");
    let silent = control.fire(&sandbox, "pre_send_message");
    assert_eq!(silent["steps"], json!([]));
    assert_eq!(
        silent["notices"][0]["code"], "project_gone",
        "its own hooks are missing"
    );
    let list = json!({"project": sandbox.project()});
    let problem = &control.call("hooks.list", &list)["problems"][0];
    assert_eq!(
        (&problem["code"], &problem["severity"]),
        (&json!("unreadable"), &json!("error"))
    );
    assert_eq!(problem["path"], json!(sandbox.project()));
    assert_eq!(control.call("trust.list", &list)["problems"][0], *problem);
    let event = json!({"project": sandbox.project(), "dialect": "jcli", "event": "stop", "payload": {}});
    assert_eq!(control.call("explain", &event)["notices"][0]["code"], "project_gone");
    std::fs::create_dir(sandbox.project()).unwrap();
    assert_eq!(control.fire(&sandbox, "stop")["steps"][0]["outcome"], "no_opinion");
    assert_eq!(control.call("hooks.list", &list)["problems"], json!([]));
}

#[test]
fn a_limit_of_file_sizes_is_a_full_disk_and_the_verdict_stays() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - command: |\n      echo '{\"action\": \"stop\"}'\n");
    let fire = "ulimit -f 0; exec \"$0\" fire --dialect jcli --event pre_tool_execution --json </dev/null";
    let shell = sandbox.start_program(
        Path::new("/bin/sh"),
        ["-c".as_ref(), fire.as_ref(), hookwright().as_os_str()],
    );
    let done = shell.finish().assert_exit(2);
    assert_eq!(done.json()["recorded"], false);
}

#[test]
fn the_largest_payload_passes_the_control_socket_while_others_read_the_history() {
    let sandbox = with_user_hooks("pre_send_message:\n  - command: 'cat >/dev/null'\n");
    let _engine = serve(&sandbox);
    let frame = r#"{"user_input":""}"#.len();
    let payload = json!({"user_input": "x".repeat((16 << 20) - frame)});
    let params = json!({"project": sandbox.project(), "dialect": "jcli", "event": "pre_send_message",
        "payload": payload, "session": null, "run": "r"});
    let trace = thread::scope(|scope| {
        let firing = scope.spawn(|| ControlClient::connect(&sandbox).call("fire", &params));
        let mut reader = ControlClient::connect(&sandbox);
        while !firing.is_finished() {
            reader.call("history.page", &json!({"limit": 100}));
        }
        firing.join().expect("it is answered")
    });
    assert_eq!(trace["verdict"]["kind"], "proceed", "{}", trace["notices"]);
    assert_eq!(trace["payload_before"]["user_input"], payload["user_input"]);
    let shown = ControlClient::connect(&sandbox).call("history.show", &json!({"trace": trace["trace"]}));
    assert_eq!(shown["payload_before"], trace["payload_before"]);
    assert_eq!(shown["payload_after"], trace["payload_after"]);
}

#[test]
fn events_are_recorded_when_the_database_is_deleted_under_a_running_engine() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    control.fire(&sandbox, "stop");
    control.call("history.page", &json!({"limit": 1}));
    for name in ["history.db", "history.db-wal", "history.db-shm"] {
        // The engine may have written the log into the database just now.
        let _gone_already = std::fs::remove_file(sandbox.data().join(name));
    }
    let later: Vec<Value> = (0..5)
        .map(|_| control.fire(&sandbox, "stop")["trace"].clone())
        .collect();
    let page = control.call("history.page", &json!({"limit": 100}));
    let listed: Vec<&Value> = page["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["trace"])
        .collect();
    for trace in &later {
        assert!(listed.contains(&trace), "{trace} is missing: {listed:?}");
    }
    let from_outside = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert!(from_outside["traces"].as_array().unwrap().len() >= later.len());
}
