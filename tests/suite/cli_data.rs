//! Tests in which the data folder changes while the engine runs. No acknowledged event is lost, and the engine reports
//! why it ends.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use hookwright_testkit::processes::wait_until;
use hookwright_testkit::{Sandbox, remove_folder_in_use};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};
use crate::jcli::{fire, with_user_hooks};

const HOOKS: &str = "stop:\n  - command: 'exit 0'\n";

fn id(trace: &Value) -> &Value {
    assert_ne!(trace["recorded"], false, "{trace:#}");
    &trace["trace"]
}

/// Replaces the spool folder twice, before a reply and before the end of the engine, and asserts that no event is lost.
fn assert_no_loss_when_the_spool_is_replaced(replace_spool: impl Fn(&Path)) {
    let sandbox = with_user_hooks(HOOKS);
    let spool = sandbox.data().join("spool");
    let replace = || {
        remove_folder_in_use(&spool);
        replace_spool(&spool);
    };
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let mut acknowledged = vec![id(&control.fire(&sandbox, "stop")).clone()];
    replace();
    acknowledged.push(id(&control.fire(&sandbox, "stop")).clone());
    let mut state = || control.call("state", &json!({"project": sandbox.project()}))["store"]["code"].clone();
    // An import that ran during the replacement is tried again, which can take some time.
    assert!(
        wait_until(Duration::from_secs(30), || state() == "spool_aside"),
        "{}",
        state()
    );
    replace();
    engine.signal(Signal::TERM);
    engine.finish();
    let listed = sandbox
        .run(["history", "--json"])
        .assert_exit(0)
        .assert_stderr("spool.aside-")
        .json();
    let mut listed: Vec<&Value> = listed["traces"].as_array().unwrap().iter().map(id).collect();
    listed.reverse();
    assert_eq!(listed, acknowledged.iter().collect::<Vec<_>>());
}

#[test]
fn nothing_acknowledged_is_lost_when_a_file_replaces_the_spool() {
    assert_no_loss_when_the_spool_is_replaced(|place| std::fs::write(place, "mine").unwrap());
}

#[test]
fn nothing_acknowledged_is_lost_when_a_dead_link_replaces_the_spool() {
    assert_no_loss_when_the_spool_is_replaced(|place| symlink("nowhere", place).unwrap());
}

#[test]
fn a_file_in_the_place_of_the_spool_is_renamed_and_kept_unchanged() {
    let sandbox = with_user_hooks(HOOKS);
    sandbox.write("data/spool", "mine");
    let fired = fire(&sandbox, "stop", &json!({}), &[]).assert_exit(0);
    let trace = fired.assert_stderr("spool.aside-").json();
    let listed = sandbox
        .run(["history", "--json"])
        .assert_exit(0)
        .assert_stderr("spool.aside-")
        .json();
    assert_eq!(id(&listed["traces"][0]), id(&trace));
    let entries = std::fs::read_dir(sandbox.data()).unwrap().flatten();
    let aside = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("spool.aside-"));
    let texts: Vec<String> = aside.map(|it| std::fs::read_to_string(it.path()).unwrap()).collect();
    assert_eq!(texts, ["mine"]);
}

#[test]
fn an_engine_whose_data_folder_is_removed_stores_acknowledged_events_and_says_why_it_ends() {
    let sandbox = with_user_hooks(HOOKS);
    let engine = serve(&sandbox);
    let trace = ControlClient::connect(&sandbox).fire(&sandbox, "stop");
    remove_folder_in_use(&sandbox.data());
    let done = engine.finish().assert_exit(1);
    assert!(done.stderr.contains("engine.lock was removed"), "{done}");
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(id(&listed["traces"][0]), id(&trace));
}

#[test]
fn an_engine_that_lost_what_it_acknowledged_says_so() {
    let sandbox = with_user_hooks(HOOKS);
    let engine = serve(&sandbox);
    ControlClient::connect(&sandbox).fire(&sandbox, "stop");
    remove_folder_in_use(&sandbox.data());
    sandbox.write("data", "no folder");
    let done = engine.finish().assert_exit(1);
    assert!(done.stderr.contains("are lost"), "{done}");
}

#[test]
fn files_of_a_newer_version_are_never_rewritten_and_the_folder_becomes_private() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.write("project/.jcli/hooks.yaml", "stop:\n  - command: 'true'\n");
    let trust = "{\"version\":3,\"entries\":[]}";
    let mutes = "{\"version\":2,\"mutes\":[]}";
    for (name, text, command) in [
        ("trust", trust, &["trust", "--all"][..]),
        ("mutes", mutes, &["mute", "jcli:project:stop:0"][..]),
    ] {
        let path = sandbox.write(&format!("data/{name}.json"), text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        sandbox.run(command).assert_exit(1).assert_stderr("is newer than");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::remove_file(path).unwrap();
    }
    let data = sandbox.path("data");
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop"])
        .assert_exit(0);
    assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
}
