//! `CONTRACTS.md` §2.6: our own files are broken, and nothing of a person's is lost.

use std::path::Path;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::{fire, outcomes, project, trace, with_user_hooks};

const FINE: &str = "stop:\n  - command: 'exit 0'\n";

/// Names in a folder that begin so.
fn named(folder: &Path, beginning: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| name.starts_with(beginning)).collect();
    names.sort();
    names
}

#[test]
fn settings_that_do_not_parse_are_named_and_everything_goes_on() {
    let sandbox = with_user_hooks(FINE);
    let broken = "[history\nmax_days = 3 # mine\n";
    sandbox.write("data/settings.toml", broken);
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .exits(0)
        .complains("settings.toml");
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    let list = sandbox
        .run(["list", "--json"])
        .exits(0)
        .complains("settings.toml")
        .json();
    assert_eq!(list["hooks"].as_array().map(Vec::len), Some(1));
    let checked = sandbox.run(["check", "--json"]).exits(1).json();
    assert!(
        crate::jcli::codes(&checked).contains(&"error syntax".to_owned()),
        "{checked:#}"
    );
    assert_eq!(
        std::fs::read_to_string(sandbox.path("data/settings.toml")).unwrap(),
        broken
    );
}

#[test]
fn while_nobody_knows_what_the_settings_want_masked_no_bodies_are_recorded() {
    for broken in [
        "[redaction]\npatterns = [\"plum-[0-9]\"]\nkeys = [\n",
        "[redaction]\npatterns = \"plum-[0-9]\"\n",
        "[redaction]\npatterns = [\"(plum-[0-9]\"]\n",
    ] {
        no_bodies_are_recorded(broken);
    }
}

fn no_bodies_are_recorded(settings: &str) {
    let sandbox = with_user_hooks("stop:\n  - command: 'cat >&2; echo plum-7 >&2; exit 3'\n");
    sandbox.write("data/settings.toml", settings);
    let payload = json!({"user_input": "eat the plum-8"});
    let done = fire(&sandbox, "stop", &payload, &[]).exits(0);
    assert!(!done.stdout.contains("plum"), "{done}");
    let trace = done.json();
    assert_eq!(outcomes(&trace), ["stop:0 failed_open"]);
    let codes: Vec<&Value> = trace["notices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["code"])
        .collect();
    assert!(codes.contains(&&json!("bodies_not_recorded")), "{trace:#}");
    let kept = sandbox
        .run(["show", trace["trace"].as_str().unwrap(), "--json"])
        .exits(0);
    assert!(!kept.stdout.contains("plum"), "{kept}");
    let raw = fire(&sandbox, "stop", &payload, &["--raw"]).exits(0);
    assert!(raw.stdout.contains("plum-8"), "hooks and the agent got all of it");
}

#[test]
fn a_file_of_ours_that_is_a_dead_link_is_not_taken_for_absent() {
    use std::os::unix::fs::symlink;
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    std::fs::create_dir_all(sandbox.data()).unwrap();
    symlink("nowhere.toml", sandbox.path("data/settings.toml")).unwrap();
    let payload = json!({"user_input": "eat the plum-8"});
    let done = fire(&sandbox, "stop", &payload, &[])
        .exits(0)
        .complains("settings.toml");
    assert!(!done.stdout.contains("plum"), "no bodies are recorded: {done}");
    std::fs::remove_file(sandbox.path("data/settings.toml")).unwrap();
    for name in ["trust.json", "mutes.json"] {
        symlink("nowhere.json", sandbox.data().join(name)).unwrap();
        sandbox.run(["list"]).exits(0).complains(name);
        sandbox.run(["check"]).exits(1).says(name);
    }
    sandbox.run(["trust", "--list"]).exits(1).complains("trust.json");
    sandbox.run(["trust", "--reset"]).exits(0);
    sandbox.run(["trust", "--list"]).exits(0);
}

#[test]
fn an_unknown_setting_is_a_warning_and_a_wrong_one_costs_itself() {
    let sandbox = with_user_hooks(FINE);
    sandbox.write("data/settings.toml", "[history]\nmax_day = 3\nmax_mb = \"much\"\n");
    let checked = sandbox.run(["check", "--json"]).exits(1).json();
    let found = crate::jcli::codes(&checked);
    assert!(
        found.contains(&"warning unknown_field".to_owned()) && found.contains(&"error wrong_type".to_owned()),
        "{found:?}"
    );
}

#[test]
fn broken_trust_trusts_nothing_and_is_kept() {
    let sandbox = Sandbox::new();
    project(&sandbox, FINE);
    sandbox.run(["trust", "--all"]).exits(0);
    sandbox.write("data/trust.json", "{ broken");
    let done = fire(&sandbox, "stop", &json!({}), &[]).exits(0).complains("trust.json");
    assert_eq!(outcomes(&done.json()), ["stop:0 skipped:untrusted"]);
    sandbox.run(["trust", "--all"]).exits(1).complains("trust.json");
    sandbox.run(["trust", "--list"]).exits(1).complains("trust.json");
    assert_eq!(
        std::fs::read_to_string(sandbox.path("data/trust.json")).unwrap(),
        "{ broken"
    );
    sandbox.run(["trust", "--reset"]).exits(0);
    assert_eq!(
        named(&sandbox.data(), "trust.json")
            .iter()
            .filter(|name| *name != "trust.json" && !name.ends_with("lock"))
            .count(),
        1
    );
    sandbox.run(["trust", "--all"]).exits(0);
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
}

#[test]
fn broken_mutes_mute_nothing_and_are_kept() {
    let sandbox = with_user_hooks(FINE);
    sandbox.run(["mute", "jcli:user:stop:0"]).exits(0);
    sandbox.write("data/mutes.json", "[");
    let done = fire(&sandbox, "stop", &json!({}), &[]).exits(0).complains("mutes.json");
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    sandbox
        .run(["mute", "jcli:user:stop:0"])
        .exits(1)
        .complains("mutes.json");
    assert_eq!(std::fs::read_to_string(sandbox.path("data/mutes.json")).unwrap(), "[");
}

#[test]
fn a_damaged_database_is_set_aside_and_never_deleted() {
    let sandbox = with_user_hooks(FINE);
    trace(&sandbox, "stop", &json!({}));
    let garbage = "this is no database, and it is long enough to look like one ".repeat(200);
    sandbox.write("data/history.db", &garbage);
    for beside in ["history.db-wal", "history.db-shm"] {
        drop(std::fs::remove_file(sandbox.data().join(beside)));
    }
    sandbox.run(["history"]).exits(1).complains("history.db");
    let kept: Vec<String> = named(&sandbox.data(), "history.db.")
        .into_iter()
        .filter(|name| !name.contains("lock"))
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(std::fs::read_to_string(sandbox.data().join(&kept[0])).unwrap(), garbage);
    for command in ["history", "stats"] {
        // The next begins empty, and does not keep to itself that there was more.
        sandbox.run([command, "--json"]).exits(0).complains(&kept[0]);
    }
    assert_eq!(sandbox.run(["history", "--json"]).exits(0).json()["traces"], json!([]));
    let seen = trace(&sandbox, "stop", &json!({}));
    let listed = sandbox.run(["history", "--json"]).exits(0).json();
    assert_eq!(listed["traces"][0]["trace"], seen["trace"]);
}

#[test]
fn damage_found_by_an_engine_is_named() {
    let sandbox = with_user_hooks(FINE);
    sandbox.write("data/history.db", "garbage ".repeat(1000));
    let engine = crate::cli_serve::serve(&sandbox);
    engine.wait_for("it is said", || engine.stderr().contains("history.db.damaged-"));
    let mut control = crate::cli_serve::Control::connect(&sandbox);
    let state = control.call("state", &json!({}));
    assert_eq!(
        (&state["store"]["ok"], &state["store"]["code"]),
        (&json!(true), &json!("history_set_aside"))
    );
    sandbox.run(["history"]).exits(0).complains("history.db.damaged-");
}

#[test]
fn without_an_engine_a_command_tidies_the_history_up() {
    let sandbox = with_user_hooks(FINE);
    let mut old = trace(&sandbox, "stop", &json!({}));
    drop(std::fs::remove_dir_all(sandbox.data()));
    old["trace"] = json!("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    old["at"] = json!("2020-01-15T10:30:00Z");
    sandbox.write("data/spool/left-behind.jsonl", format!("{old}\n"));
    let new = trace(&sandbox, "stop", &json!({}));
    let listed = sandbox.run(["history", "--json"]).exits(0).json();
    let traces: Vec<&Value> = listed["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["trace"])
        .collect();
    assert_eq!(traces, [&new["trace"]]);
}

#[test]
fn damage_found_by_fire_never_changes_its_exit_status() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - command: 'echo ''{\"action\": \"skip\"}'''\n");
    sandbox.write("data/history.db", "garbage ".repeat(1000));
    let done = fire(&sandbox, "pre_tool_execution", &json!({}), &[]).exits(2);
    assert_eq!(outcomes(&done.json()), ["pre_tool_execution:0 denied"]);
    let id = done.json()["trace"].clone();
    let listed = sandbox.run(["history", "--json"]);
    let listed = if listed.code() == 1 {
        sandbox.run(["history", "--json"])
    } else {
        listed
    };
    assert_eq!(
        listed.exits(0).json()["traces"][0]["trace"],
        id,
        "the trace is not lost"
    );
}

#[test]
fn a_database_from_the_future_is_left_untouched() {
    let sandbox = with_user_hooks(FINE);
    trace(&sandbox, "stop", &json!({}));
    sandbox.run(["history"]).exits(0);
    let database = sandbox.data().join("history.db");
    from_the_future(&database);
    let before = std::fs::read(&database).unwrap();
    sandbox.run(["history"]).exits(1).complains("history.db");
    sandbox.run(["stats"]).exits(1).complains("history.db");
    let done = fire(&sandbox, "stop", &json!({}), &[]).exits(0);
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    assert!(done.stderr.contains("history.db"), "{done}");
    assert_eq!(std::fs::read(&database).unwrap(), before);
    assert_eq!(
        named(&sandbox.data(), "history.db."),
        Vec::<String>::new(),
        "nothing was set aside"
    );
}

/// A later version wrote this database: one more migration than any that we know, and a later schema number.
fn from_the_future(database: &Path) {
    let statements = "INSERT INTO _sqlx_migrations VALUES (999999, 'later', CURRENT_TIMESTAMP, 1, x'00', 0);
                      PRAGMA user_version = 999999; PRAGMA wal_checkpoint(TRUNCATE);";
    let script = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2]); db.close()";
    let status = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(database)
        .arg(statements)
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_data_folder_that_cannot_be_written_is_told_and_hooks_run_on() {
    let sandbox = with_user_hooks(FINE);
    let file = sandbox.write("a-file", "");
    let sandbox = sandbox.with_var("HOOKWRIGHT_DATA", file.join("data"));
    let done = fire(&sandbox, "stop", &json!({}), &[]).exits(0);
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    assert!(done.stderr.contains("a-file/data"), "{done}");
    sandbox.run(["list"]).exits(0);
    sandbox
        .run(["explain", "--dialect", "jcli", "--event", "stop"])
        .exits(0);
    sandbox.run(["history"]).exits(1).complains("a-file/data");
    sandbox.run(["stats"]).exits(1).complains("a-file/data");
    sandbox.run(["trust", "--all"]);
}

#[test]
fn a_read_only_data_folder_is_told_and_hooks_run_on() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with_user_hooks(FINE);
    trace(&sandbox, "stop", &json!({}));
    std::fs::set_permissions(sandbox.data(), std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(sandbox.data().join("probe"), "").is_ok() {
        return; // Nothing is read-only to this user (root).
    }
    let done = fire(&sandbox, "stop", &json!({}), &[]).exits(0).complains("data");
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
}

#[test]
fn an_older_spool_of_a_process_that_died_is_read() {
    let sandbox = with_user_hooks(FINE);
    let seen = trace(&sandbox, "stop", &json!({}));
    let mut other: Value = seen.clone();
    other["trace"] = json!("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    sandbox.write(
        "data/spool/left-behind.jsonl",
        format!("{other}\n{{\"trace\": \"01torn"),
    );
    let listed = sandbox.run(["history", "--json"]).exits(0).json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(2), "{listed:#}");
    sandbox.run(["show", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]).exits(0);
}

#[test]
fn a_process_that_cannot_have_the_lock_only_spools_and_the_next_that_can_imports() {
    let sandbox = with_user_hooks(FINE);
    let lock = std::fs::File::create(sandbox.write("data/history.lock", "")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .exits(0)
        .complains("history.lock");
    assert!(!sandbox.data().join("history.db").exists());
    drop(lock);
    let listed = sandbox.run(["history", "--json"]).exits(0).json();
    assert_eq!(
        listed["traces"][0]["trace"],
        done.json()["trace"],
        "readers see the spool"
    );
    trace(&sandbox, "stop", &json!({}));
    assert!(sandbox.data().join("history.db").exists());
    assert_eq!(
        sandbox.run(["history", "--json"]).exits(0).json()["traces"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn what_is_read_without_the_database_says_that_there_is_more() {
    let sandbox = with_user_hooks(FINE);
    trace(&sandbox, "stop", &json!({}));
    let lock = std::fs::File::open(sandbox.data().join("history.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for command in ["history", "stats"] {
        sandbox.run([command, "--json"]).exits(0).complains("history.lock");
    }
}

#[test]
fn a_disk_that_was_full_from_the_beginning_leaves_what_was_spooled_to_be_read() {
    let sandbox = with_user_hooks(FINE);
    // A file may not grow beyond what one trace needs, which is as full as a disk can be for the database.
    let limited = |args: &[&str]| {
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
        let program = hookwright_testkit::program::hookwright().to_string_lossy().into_owned();
        let all = ["-c", script, "sh", &program].into_iter().chain(args.iter().copied());
        let mut running = sandbox.start_program(Path::new("/bin/sh"), all.map(str::to_owned).collect::<Vec<_>>());
        running.write(b"");
        running.finish()
    };
    let fired = limited(&["fire", "--dialect", "jcli", "--event", "stop", "--json"])
        .exits(0)
        .complains("full")
        .json();
    for command in [&["history", "--json"][..], &["stats", "--json"]] {
        limited(command).exits(0).complains("full");
    }
    let listed = limited(&["history", "--json"]).json();
    assert_eq!(listed["traces"][0]["trace"], fired["trace"]);
    let id = fired["trace"].as_str().unwrap();
    assert_eq!(limited(&["show", id, "--json"]).exits(0).json(), fired);
    // And once there is room again, nothing is missing.
    sandbox.run(["fire", "--dialect", "jcli", "--event", "stop"]).exits(0);
    let listed = sandbox.run(["history", "--json"]).exits(0).json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(2));
}
