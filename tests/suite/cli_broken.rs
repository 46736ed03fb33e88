//! Tests with damaged files of Hookwright: no data of the user is lost (`CONTRACTS.md` §2.6).

use std::path::Path;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::{fire, outcomes, project, trace, with_user_hooks};

const VALID_HOOKS: &str = "stop:\n  - command: 'exit 0'\n";

/// Sorted names of the entries in a folder that begin with `beginning`.
fn files_starting_with(folder: &Path, beginning: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| name.starts_with(beginning)).collect();
    names.sort();
    names
}

#[test]
fn settings_that_do_not_parse_are_reported_and_commands_still_work() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let broken = "[history\nmax_days = 3 # mine\n";
    sandbox.write("data/settings.toml", broken);
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .assert_exit(0)
        .assert_stderr("settings.toml");
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    let list = sandbox
        .run(["list", "--json"])
        .assert_exit(0)
        .assert_stderr("settings.toml")
        .json();
    assert_eq!(list["hooks"].as_array().map(Vec::len), Some(1));
    let checked = sandbox.run(["check", "--json"]).assert_exit(1).json();
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
fn no_bodies_are_recorded_while_the_redaction_settings_cannot_be_read() {
    for broken in [
        "[redaction]\npatterns = [\"plum-[0-9]\"]\nkeys = [\n",
        "[redaction]\npatterns = \"plum-[0-9]\"\n",
        "[redaction]\npatterns = [\"(plum-[0-9]\"]\n",
    ] {
        assert_no_bodies_recorded(broken);
    }
}

fn assert_no_bodies_recorded(settings: &str) {
    let sandbox = with_user_hooks("stop:\n  - command: 'cat >&2; echo plum-7 >&2; exit 3'\n");
    sandbox.write("data/settings.toml", settings);
    let payload = json!({"user_input": "eat the plum-8"});
    let done = fire(&sandbox, "stop", &payload, &[]).assert_exit(0);
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
        .assert_exit(0);
    assert!(!kept.stdout.contains("plum"), "{kept}");
    let raw = fire(&sandbox, "stop", &payload, &["--raw"]).assert_exit(0);
    assert!(raw.stdout.contains("plum-8"), "hooks and the agent got all of it");
}

#[test]
fn a_dead_link_in_place_of_an_app_file_is_not_treated_as_absent() {
    use std::os::unix::fs::symlink;
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    std::fs::create_dir_all(sandbox.data()).unwrap();
    symlink("nowhere.toml", sandbox.path("data/settings.toml")).unwrap();
    let payload = json!({"user_input": "eat the plum-8"});
    let done = fire(&sandbox, "stop", &payload, &[])
        .assert_exit(0)
        .assert_stderr("settings.toml");
    assert!(!done.stdout.contains("plum"), "no bodies are recorded: {done}");
    std::fs::remove_file(sandbox.path("data/settings.toml")).unwrap();
    for name in ["trust.json", "mutes.json"] {
        symlink("nowhere.json", sandbox.data().join(name)).unwrap();
        sandbox.run(["list"]).assert_exit(0).assert_stderr(name);
        sandbox.run(["check"]).assert_exit(1).assert_output(name);
    }
    sandbox
        .run(["trust", "--list"])
        .assert_exit(1)
        .assert_stderr("trust.json");
    sandbox.run(["trust", "--reset"]).assert_exit(0);
    sandbox.run(["trust", "--list"]).assert_exit(0);
}

#[test]
fn an_unknown_setting_is_a_warning_and_only_the_wrong_setting_is_ignored() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    sandbox.write("data/settings.toml", "[history]\nmax_day = 3\nmax_mb = \"much\"\n");
    let checked = sandbox.run(["check", "--json"]).assert_exit(1).json();
    let found = crate::jcli::codes(&checked);
    assert!(
        found.contains(&"warning unknown_field".to_owned()) && found.contains(&"error wrong_type".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_broken_trust_file_approves_nothing_and_is_kept() {
    let sandbox = Sandbox::new();
    project(&sandbox, VALID_HOOKS);
    sandbox.run(["trust", "--all"]).assert_exit(0);
    sandbox.write("data/trust.json", "{ broken");
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .assert_exit(0)
        .assert_stderr("trust.json");
    assert_eq!(outcomes(&done.json()), ["stop:0 skipped:untrusted"]);
    sandbox
        .run(["trust", "--all"])
        .assert_exit(1)
        .assert_stderr("trust.json");
    sandbox
        .run(["trust", "--list"])
        .assert_exit(1)
        .assert_stderr("trust.json");
    assert_eq!(
        std::fs::read_to_string(sandbox.path("data/trust.json")).unwrap(),
        "{ broken"
    );
    sandbox.run(["trust", "--reset"]).assert_exit(0);
    assert_eq!(
        files_starting_with(&sandbox.data(), "trust.json")
            .iter()
            .filter(|name| *name != "trust.json" && !name.ends_with("lock"))
            .count(),
        1
    );
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
}

#[test]
fn a_broken_mute_file_mutes_nothing_and_is_kept() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    sandbox.run(["mute", "jcli:user:stop:0"]).assert_exit(0);
    sandbox.write("data/mutes.json", "[");
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .assert_exit(0)
        .assert_stderr("mutes.json");
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    sandbox
        .run(["mute", "jcli:user:stop:0"])
        .assert_exit(1)
        .assert_stderr("mutes.json");
    assert_eq!(std::fs::read_to_string(sandbox.path("data/mutes.json")).unwrap(), "[");
}

#[test]
fn a_damaged_database_is_quarantined_and_never_deleted() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    trace(&sandbox, "stop", &json!({}));
    let garbage = "this is no database, and it is long enough to look like one ".repeat(200);
    sandbox.write("data/history.db", &garbage);
    for beside in ["history.db-wal", "history.db-shm"] {
        drop(std::fs::remove_file(sandbox.data().join(beside)));
    }
    sandbox.run(["history"]).assert_exit(1).assert_stderr("history.db");
    let kept: Vec<String> = files_starting_with(&sandbox.data(), "history.db.")
        .into_iter()
        .filter(|name| !name.contains("lock"))
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(std::fs::read_to_string(sandbox.data().join(&kept[0])).unwrap(), garbage);
    for command in ["history", "stats"] {
        // The new database is empty, and each command reports that there is an older one.
        sandbox.run([command, "--json"]).assert_exit(0).assert_stderr(&kept[0]);
    }
    assert_eq!(
        sandbox.run(["history", "--json"]).assert_exit(0).json()["traces"],
        json!([])
    );
    let seen = trace(&sandbox, "stop", &json!({}));
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"][0]["trace"], seen["trace"]);
}

#[test]
fn damage_found_by_an_engine_is_reported() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    sandbox.write("data/history.db", "garbage ".repeat(1000));
    let engine = crate::cli_serve::serve(&sandbox);
    engine.wait_for("it is said", || engine.stderr().contains("history.db.damaged-"));
    let mut control = crate::cli_serve::ControlClient::connect(&sandbox);
    let state = control.call("state", &json!({}));
    assert_eq!(
        (&state["store"]["ok"], &state["store"]["code"]),
        (&json!(true), &json!("history_set_aside"))
    );
    sandbox
        .run(["history"])
        .assert_exit(0)
        .assert_stderr("history.db.damaged-");
}

#[test]
fn the_first_look_at_the_clock_removes_nothing_by_its_age() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let mut old = trace(&sandbox, "stop", &json!({}));
    drop(std::fs::remove_dir_all(sandbox.data()));
    old["trace"] = json!("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    old["at"] = json!("2020-01-15T10:30:00Z");
    sandbox.write("data/spool/left-behind.jsonl", format!("{old}\n"));
    let new = trace(&sandbox, "stop", &json!({}));
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    let traces: Vec<&Value> = listed["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["trace"])
        .collect();
    // No earlier reading says that so much time has really passed.
    assert_eq!(traces, [&new["trace"], &old["trace"]]);
}

#[test]
fn damage_found_by_fire_never_changes_its_exit_status() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - command: 'echo ''{\"action\": \"skip\"}'''\n");
    sandbox.write("data/history.db", "garbage ".repeat(1000));
    let done = fire(&sandbox, "pre_tool_execution", &json!({}), &[]).assert_exit(2);
    assert_eq!(outcomes(&done.json()), ["pre_tool_execution:0 denied"]);
    let id = done.json()["trace"].clone();
    let listed = sandbox.run(["history", "--json"]);
    let listed = if listed.code() == 1 {
        sandbox.run(["history", "--json"])
    } else {
        listed
    };
    assert_eq!(
        listed.assert_exit(0).json()["traces"][0]["trace"],
        id,
        "the trace is not lost"
    );
}

#[test]
fn a_database_of_a_newer_version_is_not_changed() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    trace(&sandbox, "stop", &json!({}));
    sandbox.run(["history"]).assert_exit(0);
    let database = sandbox.data().join("history.db");
    make_newer(&database);
    let before = std::fs::read(&database).unwrap();
    sandbox.run(["history"]).assert_exit(1).assert_stderr("history.db");
    sandbox.run(["stats"]).assert_exit(1).assert_stderr("history.db");
    let done = fire(&sandbox, "stop", &json!({}), &[]).assert_exit(0);
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    assert!(done.stderr.contains("history.db"), "{done}");
    assert_eq!(std::fs::read(&database).unwrap(), before);
    assert_eq!(
        files_starting_with(&sandbox.data(), "history.db."),
        Vec::<String>::new(),
        "nothing was set aside"
    );
}

/// Changes a database as a later version of Hookwright would: it adds an unknown migration and a higher schema number.
fn make_newer(database: &Path) {
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
fn an_unwritable_data_folder_is_reported_and_hooks_still_run() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let file = sandbox.write("a-file", "");
    let sandbox = sandbox.with_var("HOOKWRIGHT_DATA", file.join("data"));
    let done = fire(&sandbox, "stop", &json!({}), &[]).assert_exit(0);
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
    assert!(done.stderr.contains("a-file/data"), "{done}");
    sandbox.run(["list"]).assert_exit(0);
    sandbox
        .run(["explain", "--dialect", "jcli", "--event", "stop"])
        .assert_exit(0);
    sandbox.run(["history"]).assert_exit(1).assert_stderr("a-file/data");
    sandbox.run(["stats"]).assert_exit(1).assert_stderr("a-file/data");
    sandbox.run(["trust", "--all"]);
}

#[test]
fn a_data_folder_that_cannot_be_created_is_not_an_empty_history() {
    let sandbox = Sandbox::new();
    std::os::unix::fs::symlink("nowhere/data", sandbox.data()).unwrap();
    let elsewhere = Sandbox::new().with_var("HOOKWRIGHT_DATA", "/proc/hookwright");
    for (sandbox, named) in [(sandbox, "/data` cannot be written"), (elsewhere, "`/proc/hookwright`")] {
        for command in [
            &["history"][..],
            &["history", "--json"],
            &["stats"],
            &["show", "01ARZ3"],
        ] {
            sandbox.run(command).assert_exit(1).assert_stderr(named);
        }
        sandbox.run(["list"]).assert_exit(0);
    }
}

#[test]
fn a_dead_link_in_place_of_the_database_is_not_an_empty_history() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.data()).unwrap();
    std::os::unix::fs::symlink("nowhere.db", sandbox.path("data/history.db")).unwrap();
    sandbox.run(["history"]).assert_exit(1).assert_stderr("history.db");
}

#[test]
fn a_read_only_data_folder_is_reported_and_hooks_still_run() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with_user_hooks(VALID_HOOKS);
    trace(&sandbox, "stop", &json!({}));
    std::fs::set_permissions(sandbox.data(), std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(sandbox.data().join("probe"), "").is_ok() {
        return; // Nothing is read-only to this user (root).
    }
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .assert_exit(0)
        .assert_stderr("data");
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
}

#[test]
fn an_older_spool_of_a_process_that_died_is_read() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let seen = trace(&sandbox, "stop", &json!({}));
    let mut other: Value = seen.clone();
    other["trace"] = json!("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    sandbox.write(
        "data/spool/left-behind.jsonl",
        format!("{other}\n{{\"trace\": \"01torn"),
    );
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(2), "{listed:#}");
    sandbox.run(["show", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]).assert_exit(0);
}

#[test]
fn a_process_without_the_lock_only_spools_and_the_next_with_the_lock_imports() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    let lock = std::fs::File::create(sandbox.write("data/history.lock", "")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .assert_exit(0)
        .assert_stderr("history.lock");
    assert!(!sandbox.data().join("history.db").exists());
    drop(lock);
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(
        listed["traces"][0]["trace"],
        done.json()["trace"],
        "readers see the spool"
    );
    trace(&sandbox, "stop", &json!({}));
    assert!(sandbox.data().join("history.db").exists());
    assert_eq!(
        sandbox.run(["history", "--json"]).assert_exit(0).json()["traces"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn reading_without_the_database_says_that_more_events_exist() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    trace(&sandbox, "stop", &json!({}));
    let lock = std::fs::File::open(sandbox.data().join("history.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for command in ["history", "stats"] {
        let read = sandbox
            .run([command, "--json"])
            .assert_exit(1)
            .assert_stderr("history.lock");
        assert!(read.json().is_object(), "what could be read is printed");
    }
}

#[test]
fn spooled_events_can_be_read_when_the_disk_was_full_from_the_start() {
    let sandbox = with_user_hooks(VALID_HOOKS);
    // The limit of the file size is enough for one trace only. For the database this is the same as a full disk.
    let limited = |args: &[&str]| {
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
        let program = hookwright_testkit::program::hookwright().to_string_lossy().into_owned();
        let all = ["-c", script, "sh", &program].into_iter().chain(args.iter().copied());
        let mut running = sandbox.start_program(Path::new("/bin/sh"), all.map(str::to_owned).collect::<Vec<_>>());
        running.write(b"");
        running.finish()
    };
    let fired = limited(&["fire", "--dialect", "jcli", "--event", "stop", "--json"])
        .assert_exit(0)
        .assert_stderr("full")
        .json();
    for command in [&["history", "--json"][..], &["stats", "--json"]] {
        limited(command).assert_exit(0).assert_stderr("full");
    }
    let listed = limited(&["history", "--json"]).json();
    assert_eq!(listed["traces"][0]["trace"], fired["trace"]);
    let id = fired["trace"].as_str().unwrap();
    assert_eq!(limited(&["show", id, "--json"]).assert_exit(0).json(), fired);
    // Without the limit, no trace is missing.
    sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop"])
        .assert_exit(0);
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(2));
}
