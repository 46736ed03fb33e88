//! Tests of Agent Hooks with the built program: hook folders, and trust of a whole folder.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use hookwright_testkit::processes::wait_until;
use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};
use crate::jcli::{codes, notices, outcomes};

pub(crate) const USER: &str = "home/.config/agents/hooks";
pub(crate) const PROJECT: &str = "project/.agents/hooks";

/// Writes the folder of a hook. `front` is the front matter without name and description, `script` the body of its
/// script.
pub(crate) fn hook(sandbox: &Sandbox, root: &str, name: &str, front: &str, script: &str) {
    let text = format!("---\nname: {name}\ndescription: d\n{front}\n---\n");
    sandbox.write(&format!("{root}/{name}/HOOK.md"), text);
    sandbox.script(
        &format!("{root}/{name}/scripts/run.sh"),
        &format!("#!/bin/sh\n{script}\n"),
    );
}

pub(crate) fn fire(sandbox: &Sandbox, event: &str, more: &[&str]) -> Finished {
    let args = [
        "fire",
        "--dialect",
        "agent-hooks",
        "--event",
        event,
        "--payload",
        "-",
        "--json",
    ];
    let payload = r#"{"tool_name": "Shell", "tool_input": {"command": "ls"}}"#;
    sandbox.run_with(payload, args.iter().chain(more))
}

#[track_caller]
pub(crate) fn trace(sandbox: &Sandbox, event: &str) -> Value {
    fire(sandbox, event, &[]).json()
}

/// Reads the recorded version of a trace.
pub(crate) fn stored_trace(sandbox: &Sandbox, trace: &Value) -> Value {
    let id = trace["trace"].as_str().unwrap();
    sandbox.run(["show", id, "--json"]).assert_exit(0).json()
}

#[test]
fn a_block_is_reported_by_exit_status_reason_and_reply() {
    let sandbox = Sandbox::new();
    hook(
        &sandbox,
        USER,
        "guard",
        "trigger: before_tool",
        "echo 'not here' >&2; exit 2",
    );
    let done = fire(&sandbox, "before_tool", &[]).assert_exit(2);
    let seen = done.json();
    assert_eq!(seen["verdict"]["kind"], "deny");
    assert_eq!(seen["reply"], json!({"json": {}, "exit_code": 2, "stderr": "not here"}));
    assert_eq!(seen["project"], json!(sandbox.project()));
    assert_eq!(seen["payload_before"]["work_dir"], json!(sandbox.project()));
    let stamp = seen["payload_before"]["timestamp"].as_str().unwrap();
    assert!(stamp.ends_with("+00:00"), "{stamp} has its offset");
}

#[test]
fn an_approved_project_hook_shadows_the_user_hook_and_the_list_says_so() {
    let sandbox = Sandbox::new();
    hook(&sandbox, USER, "same", "trigger: before_tool\npriority: 7", "exit 2");
    hook(&sandbox, PROJECT, "same", "trigger: before_tool", "exit 0");
    let listed = || {
        sandbox
            .run(["list", "--dialect", "agent-hooks", "--json"])
            .assert_exit(0)
            .json()
    };
    let row = |list: &Value, at: usize| {
        let row = &list["hooks"][at];
        (
            row["hook"].as_str().unwrap().to_owned(),
            row["enabled"].clone(),
            row["shadowed_by"].clone(),
            row["position"].clone(),
        )
    };
    let (user, winner) = (
        "agent-hooks:user:same".to_owned(),
        "agent-hooks:project:same".to_owned(),
    );
    let list = listed();
    assert_eq!(row(&list, 0), (user.clone(), json!(true), json!(null), json!(1)));
    // Not approved yet, so it has no position in the run order and replaces no hook.
    assert_eq!(row(&list, 1), (winner.clone(), json!(true), json!(null), json!(null)));
    assert_eq!(list["hooks"][0]["rank"], 7);
    assert!(codes(&list).contains(&"warning shadowed".to_owned()), "{list:#}");
    let seen = fire(&sandbox, "before_tool", &[]).assert_exit(2).json();
    assert_eq!(outcomes(&seen), ["same denied", "same skipped:untrusted"]);
    let notice = &seen["notices"][0];
    assert_eq!(
        (&notice["code"], &notice["args"]["by"]),
        (&json!("would_shadow"), &json!(winner))
    );
    let review = sandbox.run(["trust", &winner]).assert_exit(1).stdout;
    let first = review.find("replaces agent-hooks:user:same").unwrap();
    assert!(first < review.find("trigger").unwrap(), "{review}");

    sandbox.run(["trust", "--all"]).assert_exit(0);
    let list = listed();
    assert_eq!(row(&list, 0), (user.clone(), json!(false), json!(winner), json!(null)));
    assert_eq!(row(&list, 1), (winner.clone(), json!(true), json!(null), json!(1)));
    let runs = || outcomes(&trace(&sandbox, "before_tool"));
    assert_eq!(runs(), ["same no_opinion", "same skipped:disabled"]);
    sandbox.run(["mute", &winner]).assert_exit(0);
    assert_eq!(
        runs(),
        ["same skipped:muted", "same skipped:disabled"],
        "a mute brings nobody back"
    );
    sandbox.run(["unmute", &winner]).assert_exit(0);
    sandbox.run(["trust", "--revoke", &winner]).assert_exit(0);
    assert_eq!(
        outcomes(&fire(&sandbox, "before_tool", &[]).assert_exit(2).json())[0],
        "same denied"
    );
    let granted = fire(&sandbox, "before_tool", &["--trust"]).assert_exit(0).json();
    assert_eq!(outcomes(&granted), ["same no_opinion", "same skipped:disabled"]);
}

#[test]
fn an_approval_is_for_every_file_of_the_folder_and_its_executable_bit() {
    let sandbox = Sandbox::new();
    hook(&sandbox, PROJECT, "gate", "trigger: before_tool", "exit 0");
    sandbox.write(&format!("{PROJECT}/gate/lib/words.txt"), "one\n");
    let runs = || outcomes(&trace(&sandbox, "before_tool"));
    assert_eq!(runs(), ["gate skipped:untrusted"]);
    let pending = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    let files = pending["pending"][0]["files"].as_array().unwrap();
    let names: Vec<&str> = files
        .iter()
        .filter_map(|file| file["path"].as_str()?.rsplit("/gate/").next())
        .collect();
    assert_eq!(names, ["HOOK.md", "lib/words.txt", "scripts/run.sh"]);
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(runs(), ["gate no_opinion"]);

    sandbox.write(&format!("{PROJECT}/gate/lib/words.txt"), "two\n");
    assert_eq!(runs(), ["gate skipped:untrusted"], "a file beside the script");
    sandbox.write(&format!("{PROJECT}/gate/lib/words.txt"), "one\n");
    assert_eq!(runs(), ["gate no_opinion"], "the approved content is back");

    let bit = |mode| {
        let path = sandbox.path(&format!("{PROJECT}/gate/lib/words.txt"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    bit(0o755);
    assert_eq!(runs(), ["gate skipped:untrusted"], "the executable bit");
    bit(0o644);

    sandbox.write(&format!("{PROJECT}/gate/added.txt"), "");
    assert_eq!(runs(), ["gate skipped:untrusted"], "a file that came");
    std::fs::remove_file(sandbox.path(&format!("{PROJECT}/gate/added.txt"))).unwrap();
    sandbox.write(&format!("{PROJECT}/gate/gate.hooktest.yaml"), "name: x\n");
    assert_eq!(runs(), ["gate no_opinion"], "a hook test belongs to no approval");
}

#[test]
fn the_target_of_a_link_in_the_folder_is_covered() {
    let sandbox = Sandbox::new();
    hook(&sandbox, PROJECT, "gate", "trigger: before_tool", "exit 0");
    sandbox.script("project/shared/run.sh", "#!/bin/sh\nexit 0\n");
    let scripts = sandbox.path(&format!("{PROJECT}/gate/scripts"));
    std::fs::remove_dir_all(&scripts).unwrap();
    std::os::unix::fs::symlink(sandbox.path("project/shared"), &scripts).unwrap();
    // A link back to the folder itself adds no file.
    std::os::unix::fs::symlink("..", sandbox.path(&format!("{PROJECT}/gate/again"))).unwrap();
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let runs = || outcomes(&trace(&sandbox, "before_tool"));
    assert_eq!(runs(), ["gate no_opinion"]);
    sandbox.script("project/shared/run.sh", "#!/bin/sh\ntouch swapped\n");
    assert_eq!(runs(), ["gate skipped:untrusted"]);
    assert!(!sandbox.path("project/swapped").exists());
}

#[test]
fn an_approval_covers_every_file_of_the_folder_at_any_depth() {
    let sandbox = Sandbox::new();
    let folder = format!("{PROJECT}/gate");
    hook(&sandbox, PROJECT, "gate", "trigger: before_tool", "exit 0");
    let deep = format!("{folder}/{}words", "d/".repeat(30));
    sandbox.write(&deep, "one\n");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let runs = || outcomes(&trace(&sandbox, "before_tool"));
    assert_eq!(runs(), ["gate no_opinion"]);
    sandbox.write(&deep, "two\n");
    assert_eq!(runs(), ["gate skipped:untrusted"]);
    sandbox.run(["trust", "--all"]).assert_exit(0);

    sandbox.write(&format!("{folder}/{}words", "e/".repeat(80)), "one\n");
    assert_cannot_be_approved(&sandbox, "too_large", "folders deep");
}

/// Asserts that the hook `gate` cannot be approved and does not run. `trust` and the review contain `message`, and the
/// last gate of the step has this code.
#[track_caller]
fn assert_cannot_be_approved(sandbox: &Sandbox, code: &str, message: &str) {
    let refused = sandbox.run(["trust", "--all"]);
    assert_eq!(refused.code(), 1, "{refused}");
    let review = sandbox.run(["trust", "agent-hooks:project:gate"]);
    for said in [refused, review] {
        let shown = format!("{said}");
        assert!(shown.contains(message), "{shown}");
    }
    let seen = trace(sandbox, "before_tool");
    assert_eq!(outcomes(&seen), ["gate skipped:untrusted"]);
    let gates = seen["steps"][0]["gates"].as_array().unwrap();
    assert_eq!(gates.last().unwrap()["code"], code, "{gates:#?}");
    let once = fire(sandbox, "before_tool", &["--trust"]).json();
    assert_eq!(outcomes(&once), ["gate skipped:untrusted"], "not for one call either");
}

#[test]
fn a_folder_that_leads_out_of_the_project_cannot_be_approved() {
    let sandbox = Sandbox::new();
    hook(&sandbox, PROJECT, "gate", "trigger: before_tool", "exit 0");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    sandbox.write("outside/words", "one\n");
    let link = sandbox.path(&format!("{PROJECT}/gate/lib"));
    std::os::unix::fs::symlink(sandbox.path("outside"), &link).unwrap();
    assert_cannot_be_approved(&sandbox, "file_outside", "leads out of the project");
    std::fs::remove_file(link).unwrap();
    assert_eq!(outcomes(&trace(&sandbox, "before_tool")), ["gate no_opinion"]);
}

#[test]
fn more_files_than_the_limit_cannot_be_approved() {
    let sandbox = Sandbox::new();
    hook(&sandbox, PROJECT, "gate", "trigger: before_tool", "exit 0");
    // Each of these folders contains two links to the next one, so the number of paths doubles each time.
    for at in 0..20 {
        let folder = sandbox.path(&format!("{PROJECT}/gate/{at}"));
        std::fs::create_dir(&folder).unwrap();
        for name in ["a", "b"] {
            std::os::unix::fs::symlink(format!("../{}", at + 1), folder.join(name)).unwrap();
        }
    }
    sandbox.write(&format!("{PROJECT}/gate/20/words"), "one\n");
    assert_cannot_be_approved(&sandbox, "too_large", "too many to approve");
}

#[test]
fn a_dead_link_is_no_script_and_a_special_file_needs_its_own_approval() {
    let sandbox = Sandbox::new();
    let scripts = format!("{PROJECT}/gate/scripts");
    hook(&sandbox, PROJECT, "gate", "trigger: before_tool", "exit 2");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let runs = || outcomes(&trace(&sandbox, "before_tool"));
    assert_eq!(runs(), ["gate denied"]);

    let first = sandbox.path(&format!("{scripts}/run"));
    std::os::unix::fs::symlink("nothing", &first).unwrap();
    assert_eq!(runs(), ["gate skipped:untrusted"], "a link to nothing");
    let pending = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    let files = pending["pending"][0]["files"].to_string();
    assert!(files.contains("scripts/run\""), "the review shows what came: {files}");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(runs(), ["gate denied"], "the first script that exists");
    std::fs::remove_file(&first).unwrap();
    assert_eq!(runs(), ["gate skipped:untrusted"], "it went");
    sandbox.run(["trust", "--all"]).assert_exit(0);

    std::fs::create_dir(&first).unwrap();
    assert_eq!(runs(), ["gate skipped:untrusted"], "an empty folder");
    sandbox.write(&format!("{scripts}/run/a.hooktest.yaml"), "name: x\n");
    assert_eq!(runs(), ["gate skipped:untrusted"], "a folder of hook tests");
}

#[test]
fn the_folder_of_one_hook_is_checked_without_its_neighbours() {
    let sandbox = Sandbox::new();
    hook(&sandbox, PROJECT, "one", "trigger: before_tol", "exit 0");
    hook(&sandbox, PROJECT, "two", "trigger: before_tool\nmatcher: {}", "exit 0");
    let check = |path: &str, code| codes(&sandbox.run(["check", path, "--json"]).assert_exit(code).json());
    assert_eq!(check(".agents/hooks/two", 0), ["hint too_wide"]);
    assert_eq!(check(".agents/hooks/one", 1), ["error unknown_event"]);
    assert_eq!(check(".agents/hooks", 1), ["error unknown_event", "hint too_wide"]);
}

#[test]
fn a_problem_names_the_hook_that_has_it_where_folders_share_a_name() {
    let sandbox = Sandbox::new();
    hook(&sandbox, PROJECT, "b", "trigger: before_tool", "exit 0");
    for folder in ["a", "c"] {
        let text = "---\nname: b\ndescription: d\ntrigger: before_tool\nodd: 1\n---\n";
        sandbox.write(&format!("{PROJECT}/{folder}/HOOK.md"), text);
    }
    let list = sandbox
        .run(["list", "--dialect", "agent-hooks", "--json"])
        .assert_exit(0)
        .json();
    let id = |folder: &str| {
        let end = format!("/{folder}/HOOK.md");
        let rows = list["hooks"].as_array().unwrap();
        let row = rows
            .iter()
            .find(|row| row["path"].as_str().unwrap().ends_with(&end))
            .unwrap();
        (row["hook"].clone(), end)
    };
    for folder in ["a", "c"] {
        let (hook, end) = id(folder);
        let mine = list["problems"].as_array().unwrap().iter();
        let mine: Vec<&Value> = mine
            .filter(|problem| problem["path"].as_str().unwrap().ends_with(&end))
            .collect();
        assert!(mine.iter().any(|problem| problem["code"] == "unknown_field"));
        assert!(mine.iter().all(|problem| problem["hook"] == hook), "{hook}: {mine:#?}");
    }
}

#[test]
fn a_root_that_is_named_twice_is_read_once() {
    for spelling in ["link", "../home/.config"] {
        let sandbox = Sandbox::new();
        let given = sandbox.home().join(spelling);
        let sandbox = sandbox.with_var("XDG_CONFIG_HOME", given);
        hook(&sandbox, USER, "one", "trigger: before_tool", "exit 0");
        std::os::unix::fs::symlink(".config", sandbox.path("home/link")).unwrap();
        let args = ["list", "--dialect", "agent-hooks", "--json"];
        let list = sandbox.run(args).assert_exit(0).json();
        assert_eq!(list["hooks"].as_array().map(Vec::len), Some(1), "{spelling}: {list:#}");
        assert_eq!(list["problems"], json!([]));
    }
}

#[test]
fn a_later_spelling_of_an_event_is_refused_with_the_supported_name() {
    let sandbox = Sandbox::new();
    let fired = sandbox
        .run(["fire", "--dialect", "agent-hooks", "--event", "pre-tool-call"])
        .assert_exit(1);
    assert!(fired.stderr.contains("before_tool"), "{fired}");
}

#[test]
fn a_notice_says_when_a_guard_is_shadowed_by_a_muted_hook() {
    let sandbox = Sandbox::new();
    hook(&sandbox, USER, "guard", "trigger: before_tool", "exit 2");
    hook(&sandbox, PROJECT, "guard", "trigger: before_tool", "exit 0");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert!(notices(&trace(&sandbox, "before_tool")).is_empty());
    sandbox.run(["mute", "agent-hooks:project:guard"]).assert_exit(0);
    let seen = trace(&sandbox, "before_tool");
    let reported = notices(&seen);
    let both = "agent-hooks:user:guard did not run: agent-hooks:project:guard of the same name";
    assert!(reported.iter().any(|notice| notice.starts_with(both)), "{reported:?}");
}

#[test]
fn a_hook_folder_and_a_root_can_be_checked() {
    let sandbox = Sandbox::new();
    hook(&sandbox, PROJECT, "one", "trigger: before_tol", "exit 0");
    hook(&sandbox, PROJECT, "two", "trigger: before_tool\nmatcher: {}", "exit 0");
    sandbox.write(&format!("{PROJECT}/three/HOOK.md"), "no front matter\n");
    let check = |path: &str, code| sandbox.run(["check", path, "--json"]).assert_exit(code).json();
    assert_eq!(codes(&check(".agents/hooks/one/HOOK.md", 1)), ["error unknown_event"]);
    assert_eq!(codes(&check(".agents/hooks/two/HOOK.md", 0)), ["hint too_wide"]);
    let all = check(".", 1);
    assert_eq!(codes(&all), ["error unknown_event", "error syntax", "hint too_wide"]);
    let mine = sandbox
        .run(["check", "--dialect", "agent-hooks", "--json"])
        .assert_exit(1)
        .json();
    assert_eq!(codes(&mine), codes(&all));
    sandbox.write("elsewhere/HOOK.md", "---\nname: elsewhere\ntrigger: before_tool\n---\n");
    let alone = sandbox.path("elsewhere/HOOK.md");
    let alone = sandbox
        .run(["check", alone.to_str().unwrap(), "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(codes(&alone), ["warning missing_field", "warning entry_missing"]);
}

#[test]
fn a_file_that_stops_parsing_leaves_its_last_version_in_force() {
    let sandbox = Sandbox::new();
    hook(&sandbox, USER, "guard", "trigger: before_tool", "exit 2");
    hook(&sandbox, USER, "other", "trigger: before_tool", "exit 0");
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let list = |control: &mut ControlClient| control.call("hooks.list", &json!({"project": sandbox.project()}));
    assert_eq!(list(&mut control)["hooks"].as_array().map(Vec::len), Some(2));
    sandbox.write(&format!("{USER}/guard/HOOK.md"), "---\nname: [\n---\n");
    let broken = |list: &Value| codes(list).contains(&"error syntax".to_owned());
    assert!(wait_until(Duration::from_secs(10), || broken(&list(&mut control))));
    let now = list(&mut control);
    let names: Vec<&str> = now["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["label"].as_str())
        .collect();
    assert_eq!(names.len(), 2, "{now:#}");
    drop(engine);
}

#[test]
fn a_folder_that_is_named_like_its_event_is_approved_and_runs_like_any_other() {
    let sandbox = Sandbox::new();
    // An earlier spelling of `before_tool`: the names of today's events contain a sign that no name may contain.
    let name = "pre-tool-call";
    hook(
        &sandbox,
        PROJECT,
        name,
        &format!("trigger: {name}"),
        "echo no >&2; exit 2",
    );
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(list["hooks"][0]["trusted"], true, "{list:#}");
    let found = fire(&sandbox, "before_tool", &[]).assert_exit(2).json();
    assert_eq!(outcomes(&found), ["pre-tool-call denied"]);
}
