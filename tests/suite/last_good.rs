//! Tests of files that do not parse: the window, the command line and an engine that starts later answer alike, and no
//! answer hides which hooks are lost.

use std::time::Duration;

use hookwright_testkit::Sandbox;
use hookwright_testkit::processes::wait_until;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};
use crate::jcli::{fire, notices, outcomes, trace, user, with_user_hooks};
use crate::{agent_hooks, jcli};

const VALID: &str = "stop:\n  - command: 'exit 0'\n  - command: 'exit 1'\n";
const BROKEN: &str = "stop:\n  - command: [\n";

fn codes(answer: &Value) -> Vec<&str> {
    let notices = answer["notices"].as_array().unwrap();
    notices.iter().filter_map(|notice| notice["code"].as_str()).collect()
}

fn hooks_list(control: &mut ControlClient, sandbox: &Sandbox) -> Value {
    control.call("hooks.list", &json!({"project": sandbox.project()}))
}

/// Breaks the user's file and waits until the engine has noticed it.
fn break_user_file(sandbox: &Sandbox, control: &mut ControlClient) {
    user(sandbox, BROKEN);
    assert!(wait_until(Duration::from_secs(20), || {
        hooks_list(control, sandbox)["sources"][0]["last_good"] == true
    }));
}

#[test]
fn a_broken_file_is_answered_alike_by_the_window_the_command_line_and_a_later_engine() {
    let sandbox = with_user_hooks(VALID);
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    assert_eq!(hooks_list(&mut control, &sandbox)["hooks"].as_array().unwrap().len(), 2);
    break_user_file(&sandbox, &mut control);
    let since = hooks_list(&mut control, &sandbox)["sources"][0]["last_good_since"].clone();
    assert!(since.is_string());
    let path = sandbox.path("home/.jdata/agent/hooks.yaml");
    let expect = |answer: &Value| {
        let notices = answer["notices"].as_array().unwrap();
        let notice = notices.iter().find(|notice| notice["code"] == "last_good");
        let args = &notice.unwrap_or_else(|| panic!("{answer:#}"))["args"];
        assert_eq!((&args["path"], &args["agent"]), (&json!(path), &json!("runs_none")));
        assert!(args["line"].is_number() && args["since"].is_string());
    };
    let explained = |control: &mut ControlClient| {
        let request = json!({"project": sandbox.project(), "dialect": "jcli", "event": "stop", "payload": {}});
        control.call("explain", &request)
    };
    let in_window = explained(&mut control);
    expect(&in_window);
    // The command line, beside the engine and without it.
    for with_engine in [true, false] {
        if !with_engine {
            engine.signal(Signal::TERM);
            assert!(wait_until(Duration::from_secs(20), || !sandbox
                .path("data/run/control.sock")
                .exists()));
        }
        let fired = trace(&sandbox, "stop", &json!({}));
        expect(&fired);
        assert_eq!(outcomes(&fired), ["stop:0 no_opinion", "stop:1 failed_open"]);
        let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
        assert_eq!(
            (list["hooks"].as_array().unwrap().len(), codes(&list)),
            (2, vec!["last_good"])
        );
        let source = &list["sources"][0];
        assert_eq!(source["last_good_since"], since);
        assert_eq!(
            (&source["definitions"], &source["events"]),
            (&json!(2), &json!(["stop"]))
        );
        assert_eq!(
            (&source["health"]["state"], &source["health"]["code"]),
            (&json!("lost"), &json!("last_good"))
        );
        let text = sandbox
            .run(["fire", "--dialect", "jcli", "--event", "stop"])
            .assert_exit(0);
        let said = text.stdout.clone();
        let (warning, verdict) = (said.find("last valid version").unwrap(), said.find("proceed").unwrap());
        assert!(warning < verdict, "{said}");
        let needs = sandbox.run(["status"]).assert_exit(1).stdout;
        assert!(needs.contains("its last valid version is used here"), "{needs}");
        let states = sandbox.run(["list"]).assert_exit(0).stdout;
        assert!(states.contains("  lost"), "{states}");
    }
    // An engine that starts now, and the file that is valid again.
    let _later = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    assert_eq!(hooks_list(&mut control, &sandbox)["hooks"].as_array().unwrap().len(), 2);
    assert_eq!(explained(&mut control)["notices"], in_window["notices"]);
    user(&sandbox, VALID);
    assert!(wait_until(Duration::from_secs(20), || {
        std::fs::read_dir(sandbox.path("data/last_good")).unwrap().count() == 0
    }));
    // What was kept goes while the file is read, directly before its hooks are in force.
    assert!(wait_until(Duration::from_secs(20), || {
        hooks_list(&mut control, &sandbox)["sources"][0]["health"]["state"] == "ready"
    }));
}

#[test]
fn a_mute_holds_for_the_last_valid_version() {
    let sandbox = with_user_hooks(VALID);
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    hooks_list(&mut control, &sandbox);
    break_user_file(&sandbox, &mut control);
    drop(engine);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 no_opinion", "stop:1 skipped:muted"]
    );
}

#[test]
fn without_an_older_version_the_answer_says_that_hooks_are_lost() {
    let sandbox = with_user_hooks(BROKEN);
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!((codes(&seen), outcomes(&seen).len()), (vec!["hooks_lost"], 0));
    assert_eq!(seen["notices"][0]["args"]["definitions"], Value::Null);
    let text = sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop"])
        .assert_exit(0);
    let said = text.stdout.clone();
    assert!(
        !said.contains("no hook is defined") && said.contains("none of its hooks runs"),
        "{said}"
    );
    let explained = sandbox
        .run(["explain", "--dialect", "jcli", "--event", "pre_send_message", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(codes(&explained), ["hooks_lost"]);
    let list = sandbox
        .run(["list", "--dialect", "jcli", "--json"])
        .assert_exit(0)
        .json();
    let source = &list["sources"][0];
    assert_eq!(
        (&source["definitions"], &source["events"]),
        (&Value::Null, &json!(["stop"]))
    );
    assert_eq!(
        (&source["health"]["state"], &source["health"]["code"]),
        (&json!("lost"), &json!("syntax"))
    );
}

#[test]
fn hooks_under_a_misspelled_event_are_named_when_the_event_that_is_meant_fires() {
    let sandbox = with_user_hooks("pre_tool_executon:\n  - command: 'exit 0'\nstop:\n  - command: 'exit 0'\n");
    let seen = fire(
        &sandbox,
        "pre_tool_execution",
        &json!({"tool_name": "Bash", "tool_arguments": "{}"}),
        &[],
    )
    .json();
    assert_eq!(codes(&seen), ["hooks_lost"], "{seen:#}");
    let args = &seen["notices"][0]["args"];
    assert_eq!(
        (&args["event"], &args["definitions"], &args["line"]),
        (&json!("pre_tool_executon"), &json!(1), &json!(1))
    );
    assert_eq!(notices(&trace(&sandbox, "stop", &json!({}))), [""; 0]);
    // A row with an error says itself that it is skipped.
    jcli::user(&sandbox, "stop:\n  - command: ''\n");
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(
        (outcomes(&seen), codes(&seen).len()),
        (vec!["stop:0 skipped:invalid".to_owned()], 0)
    );
}

#[test]
fn an_approved_folder_stays_approved_while_its_definition_does_not_parse() {
    let sandbox = Sandbox::new();
    agent_hooks::hook(
        &sandbox,
        agent_hooks::PROJECT,
        "guard",
        "trigger: before_tool",
        "exit 2",
    );
    sandbox.run(["trust", "--all", "--yes"]).assert_exit(0);
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    hooks_list(&mut control, &sandbox);
    sandbox.write("project/.agents/hooks/guard/HOOK.md", "---\nname: [\n");
    assert!(wait_until(Duration::from_secs(20), || {
        let list = hooks_list(&mut control, &sandbox);
        list["sources"]
            .as_array()
            .unwrap()
            .iter()
            .any(|source| source["last_good"] == true)
    }));
    drop(engine);
    let seen = agent_hooks::trace(&sandbox, "before_tool");
    assert_eq!(seen["verdict"]["kind"], "deny", "{seen:#}");
    assert_eq!(codes(&seen)[0], "last_good");
    // The files beside it are covered as ever.
    sandbox.script("project/.agents/hooks/guard/scripts/run.sh", "#!/bin/sh\nexit 0\n");
    let seen = agent_hooks::trace(&sandbox, "before_tool");
    assert_eq!(seen["steps"][0]["reason"], "untrusted");
}

#[test]
fn an_edit_keeps_what_it_wrote_for_when_the_file_is_broken_and_no_engine_runs() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 1'\n");
    sandbox
        .run(["edit", "jcli:user:stop:0", "--set", "command=exit 0"])
        .assert_exit(0);
    let valid = std::fs::read_to_string(sandbox.path("home/.jdata/agent/hooks.yaml")).unwrap();
    let is_lost = |list: &Value| list["sources"][0]["last_good"] == true;
    assert!(!is_lost(&sandbox.run(["list", "--json"]).assert_exit(0).json()));
    user(&sandbox, BROKEN);
    let first = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert!(is_lost(&first), "{first:#}");
    assert_eq!(first["hooks"][0]["definition"]["command"], "exit 0");
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
    let again = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let since = |list: &Value| list["sources"][0]["last_good_since"].clone();
    assert_eq!(
        since(&again),
        since(&first),
        "the first program that sees it remembers when"
    );
    user(&sandbox, &valid);
    assert!(!is_lost(&sandbox.run(["list", "--json"]).assert_exit(0).json()));
    // What a person wrote since is not what the edit kept.
    sandbox
        .run(["edit", "jcli:user:stop:0", "--set", "command=exit 3"])
        .assert_exit(0);
    user(&sandbox, VALID);
    sandbox.run(["list"]).assert_exit(0);
    user(&sandbox, BROKEN);
    let lost = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(lost["hooks"].as_array().unwrap().len(), 0, "{lost:#}");
}
