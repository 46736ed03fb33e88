//! Tests of which edits are refused and why, and of what an edit reports about its changes (`CONTRACTS.md` §2.7).

use std::os::unix::fs::{MetadataExt, chown, symlink};

use hookwright_testkit::Sandbox;
use serde_json::json;

use crate::editing::{add, edit, read};

const FILE: &str = "home/.jdata/agent/hooks.yaml";
const SETTINGS: &str = "home/.qoder/settings.json";
const FOLDER: &str = "home/.config/agents/hooks";
const HOOK_MD: &str = "---\nname: g\ndescription: d\ntrigger: before_tool\n---\nfree text\n";

fn jcli(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(FILE, text);
    sandbox
}

/// Edits a `hooks.yaml` with the text `before` and asserts that the text is `after`.
#[track_caller]
fn assert_edit(before: &str, args: &[&str], after: &str) {
    let sandbox = jcli(before);
    edit(&sandbox, args);
    assert_eq!(read(&sandbox, FILE), after);
}

#[track_caller]
fn assert_refused(sandbox: &Sandbox, file: &str, args: &[&str], why: &str) {
    let before = read(sandbox, file);
    sandbox.run(args).assert_exit(1).assert_stderr(why);
    assert_eq!(read(sandbox, file), before);
}

#[test]
fn fields_are_set_and_removed_in_the_given_order() {
    let before = "stop:\n  - command: a\n    filter: {tool_matcher: 'Bash|Sh'}\n";
    let set = "stop:\n  - command: a\n    filter:\n      tool_name: Bash\n";
    let whole = "filter={tool_name: Bash, model_prefix: q}";
    for (args, after) in [
        (["--unset", "filter", "--set", "filter.tool_name=Bash"], set),
        (
            ["--set", "filter.tool_name=Bash", "--unset", "filter"],
            "stop:\n  - command: a\n",
        ),
        (
            ["--set", whole, "--unset", "filter.model_prefix"],
            "stop:\n  - command: a\n    filter: {tool_name: Bash}\n",
        ),
    ] {
        let all: Vec<&str> = ["jcli:user:stop:0"].into_iter().chain(args).collect();
        assert_edit(before, &all, after);
    }
}

#[test]
fn a_hook_is_not_moved_when_a_comment_would_be_lost_or_misplaced() {
    let merged = "base: &b {retry: 1}\nstop:\n  - command: a\n  - &c {command: c}\n";
    for (item, why) in [
        ("  - command: x\n    <<: *c # mm\n    timeout: 3\n", "edited in place"),
        ("  - <<: *c # mm\n", "edited in place"),
        ("  - command: x\n    # mm\n    <<: *c\n", "edited in place"),
        ("  - command: x\n    <<:\n      # mm\n      - *c\n", "edited in place"),
    ] {
        let sandbox = jcli(&format!("{merged}{item}"));
        assert_refused(&sandbox, FILE, &["edit", "jcli:user:stop:2", "--move-to", "1"], why);
    }
    for (list, from, to) in [
        (
            "[{command: a},\n  # about b\n  {command: b},\n  # about c\n  {command: c}]",
            1,
            "1",
        ),
        (
            "[{command: a}, # ca\n  {command: b}, # cb\n  {command: c} # cc\n]",
            2,
            "1",
        ),
        (
            "[{command: a}, # ca\n  {command: b}, # cb\n  {command: c} # cc\n]",
            0,
            "2",
        ),
        ("[\n  # about a\n  {command: a},\n  {command: b}, {command: c}]", 1, "1"),
    ] {
        let sandbox = jcli(&format!("stop: {list}\n"));
        let hook = format!("jcli:user:stop:{from}");
        assert_refused(&sandbox, FILE, &["edit", &hook, "--move-to", to], "edited in place");
    }
    assert_edit(
        "stop: [{command: a}, # ca\n  {command: b}, # cb\n  {command: c} # cc\n]\n",
        &["jcli:user:stop:2", "--move-to", "2"],
        "stop: [{command: a}, # ca\n  {command: c}, # cc\n  {command: b} # cb\n]\n",
    );
}

#[test]
fn an_anchors_name_that_is_given_twice_means_the_same_after_a_move() {
    let list = "stop:\n  - &a {command: a}\n  - *a\n  - &a {command: b}\n  - *a\n";
    assert_edit(
        list,
        &["jcli:user:stop:1", "--move-to", "4"],
        "stop:\n  - &a {command: a}\n  - &a {command: b}\n  - *a\n  - command: a\n",
    );
    assert_edit(
        list,
        &["jcli:user:stop:3", "--move-to", "1"],
        "stop:\n  - command: b\n  - &a {command: a}\n  - *a\n  - &a {command: b}\n",
    );
    for (hook, to) in [("jcli:user:stop:2", "1"), ("jcli:user:stop:0", "3")] {
        assert_refused(&jcli(list), FILE, &["edit", hook, "--move-to", to], "is shared");
    }
}

#[test]
fn an_alias_moved_before_its_anchor_is_written_out() {
    let list = "stop:\n  - &one {command: a, timeout: 3}\n  - *one\n  - {<<: *one, timeout: 9}\n";
    assert_edit(
        list,
        &["jcli:user:stop:1", "--move-to", "1"],
        "stop:\n  - command: a\n    timeout: 3\n  - &one {command: a, timeout: 3}\n  - {<<: *one, timeout: 9}\n",
    );
    assert_edit(
        list,
        &["jcli:user:stop:2", "--move-to", "1"],
        "stop:\n  - {timeout: 9, command: a}\n  - &one {command: a, timeout: 3}\n  - *one\n",
    );
    assert_edit(
        list,
        &["jcli:user:stop:2", "--move-to", "2"],
        "stop:\n  - &one {command: a, timeout: 3}\n  - {<<: *one, timeout: 9}\n  - *one\n",
    );
    let sandbox = jcli(list);
    assert_refused(
        &sandbox,
        FILE,
        &["edit", "jcli:user:stop:0", "--move-to", "2"],
        "is shared",
    );
}

#[test]
fn a_new_line_has_the_line_end_of_the_line_before() {
    assert_edit(
        "stop:\r\n  - command: a\n  - command: b\r\n",
        &["jcli:user:stop:0", "--set", "timeout=3"],
        "stop:\r\n  - command: a\n    timeout: 3\n  - command: b\r\n",
    );
    assert_edit(
        "stop:\n  - command: a\r\n  - command: b\n",
        &["jcli:user:stop:0", "--duplicate"],
        "stop:\n  - command: a\r\n  - command: a\r\n  - command: b\n",
    );
}

#[test]
fn a_definition_must_match_the_requested_event() {
    let sandbox = Sandbox::new();
    let with = |event: &str, intercept: &str| {
        let definition = format!("{{\"name\": \"g\", \"command\": [\"g\"], \"enabled\": true, {intercept}}}");
        add(&sandbox, "picoclaw", event, "user", &definition)
    };
    with("approve_tool", "\"intercept\": [\"before_tool\"]")
        .assert_exit(1)
        .assert_stderr("the requested event is approve_tool");
    with("before_tool", "\"observe\": [\"error\"]").assert_exit(1);
    with("after_tool", "\"intercept\": [\"before_tool\"]").assert_exit(0);
    sandbox.run(["remove", "picoclaw:user:g"]).assert_exit(0);
    with("approve_tool", "\"intercept\": [\"before_tool\", \"approve_tool\"]").assert_exit(0);
}

#[test]
fn a_text_field_of_qoder_stores_a_value_as_written() {
    let sandbox = Sandbox::new();
    sandbox.write(
        SETTINGS,
        r#"{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "a"}]}]}}"#,
    );
    let hook = "qoder:user:Stop:settings.0.0";
    edit(
        &sandbox,
        &[hook, "--set", "env.A=1", "--set", "description=yes", "--set", "id=7"],
    );
    edit(&sandbox, &[hook, "--set", "matcher=null"]);
    assert_eq!(
        read(&sandbox, SETTINGS),
        r#"{"hooks": {"Stop": [{"matcher": null, "hooks": [{"type": "command", "command": "a", "env": {"A": "1"}, "description": "yes", "id": "7"}]}]}}"#
    );
}

#[test]
fn the_byte_order_mark_stays_in_a_hook_file_and_is_removed_from_a_script() {
    let sandbox = Sandbox::new();
    sandbox.write(&format!("{FOLDER}/g/HOOK.md"), format!("\u{feff}{HOOK_MD}"));
    sandbox.script(&format!("{FOLDER}/g/scripts/run"), "\u{feff}#!/bin/sh\n");
    edit(&sandbox, &["agent-hooks:user:g", "--set", "name=new"]);
    let renamed = HOOK_MD.replace("name: g", "name: new");
    assert_eq!(
        read(&sandbox, &format!("{FOLDER}/new/HOOK.md")),
        format!("\u{feff}{renamed}")
    );
    let doc = edit(
        &sandbox,
        &["agent-hooks:user:new", "--set", "script=#!/bin/sh\nexit 0\n"],
    );
    assert_eq!(
        read(&sandbox, &format!("{FOLDER}/new/scripts/run")),
        "#!/bin/sh\nexit 0\n"
    );
    assert_eq!(doc["path"], json!(sandbox.path(&format!("{FOLDER}/new/scripts/run"))));
}

#[test]
fn a_moved_folder_keeps_its_owner() {
    let sandbox = Sandbox::new();
    sandbox.write(&format!("{FOLDER}/g/HOOK.md"), HOOK_MD);
    sandbox.script(&format!("{FOLDER}/g/scripts/run"), "#!/bin/sh\n");
    let places = ["", "/HOOK.md", "/scripts", "/scripts/run"];
    for place in places {
        if chown(sandbox.path(&format!("{FOLDER}/g{place}")), Some(65534), Some(65534)).is_err() {
            // Only root can change the owner of a file. So only an edit by root must preserve other owners.
            return;
        }
    }
    edit(&sandbox, &["agent-hooks:user:g", "--set", "name=new"]);
    for place in places {
        let meta = sandbox.path(&format!("{FOLDER}/new{place}")).metadata().unwrap();
        assert_eq!((meta.uid(), meta.gid()), (65534, 65534), "{place}");
    }
}

#[test]
fn a_result_over_the_file_limit_is_refused() {
    let sandbox = jcli("stop:\n  - command: a\n");
    let long = "x".repeat(100_000);
    let fields: Vec<String> = (0..11).map(|number| format!("\"f{number}\": \"{long}\"")).collect();
    let definition = format!("{{\"command\": \"b\", {}}}", fields.join(", "));
    let before = read(&sandbox, FILE);
    let whither = [
        "add",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--layer",
        "user",
        "--definition",
        "-",
    ];
    sandbox
        .run_with(definition, whither)
        .assert_exit(1)
        .assert_stderr("more than 1048576 bytes");
    assert_eq!(read(&sandbox, FILE), before);
}

#[test]
fn a_file_that_cannot_be_extended_is_named() {
    for text in ["[]\n", "hello\n", "stop:\n  - command: a\n bad\n"] {
        let sandbox = jcli(text);
        let file = sandbox.path(FILE).display().to_string();
        add(&sandbox, "jcli", "stop", "user", "{\"command\": \"b\"}")
            .assert_exit(1)
            .assert_stderr(&file);
        assert_eq!(read(&sandbox, FILE), text);
    }
    let sandbox = Sandbox::new();
    let file = sandbox
        .write(SETTINGS, "{\"hooks\": {\"Stop\": 3}}")
        .display()
        .to_string();
    let definition = "{\"type\": \"command\", \"command\": \"b\"}";
    add(&sandbox, "qoder", "Stop", "user", definition)
        .assert_exit(1)
        .assert_stderr(&file);
}

#[test]
fn an_unreadable_script_is_refused_with_its_reason() {
    let sandbox = Sandbox::new();
    let hook = sandbox.write(&format!("{FOLDER}/g/HOOK.md"), HOOK_MD);
    let script = sandbox.script(&format!("{FOLDER}/g/scripts/run"), "");
    std::fs::write(&script, b"\xff\xfe").unwrap();
    let file = format!("{FOLDER}/g/HOOK.md");
    let set = ["edit", "agent-hooks:user:g", "--set", "script=#!/bin/sh"];
    assert_refused(&sandbox, &file, &set, "not UTF-8");
    assert_refused(
        &sandbox,
        &file,
        &["edit", "agent-hooks:user:g", "--unset", "script"],
        "cannot be removed",
    );
    let project = sandbox.path("project/.agents/hooks/g");
    std::fs::create_dir_all(project.join("scripts")).unwrap();
    std::fs::copy(hook, project.join("HOOK.md")).unwrap();
    symlink(&script, project.join("scripts/run")).unwrap();
    let set = ["edit", "agent-hooks:project:g", "--set", "script=#!/bin/sh"];
    assert_refused(&sandbox, &file, &set, "leads out of the project");
}

#[test]
fn files_removed_with_a_hook_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write(&format!("{FOLDER}/g/HOOK.md"), HOOK_MD);
    let script = sandbox.script(&format!("{FOLDER}/g/scripts/run"), "#!/bin/sh\n");
    let done = sandbox.run(["remove", "agent-hooks:user:g"]).assert_exit(0);
    let done = done.assert_stderr(&script.display().to_string());
    done.assert_stderr("HOOK.md is deleted");
}

#[test]
fn an_edit_says_that_a_hook_needs_an_approval() {
    let sandbox = Sandbox::new();
    let needs = "does not run until you approve it";
    let add = [
        "add",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--layer",
        "project",
        "--definition",
    ];
    let add = add.iter().chain(&["{\"command\": \"sh .jcli/a.sh\"}"]);
    sandbox
        .run(add.clone().chain(&["--dry-run"]))
        .assert_exit(0)
        .assert_stderr(needs);
    sandbox.run(add).assert_exit(0).assert_stderr(needs);
    sandbox.write("project/.jcli/a.sh", "");
    sandbox.write("project/.jcli/b.sh", "");
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    let kept = sandbox
        .run(["edit", "jcli:project:stop:0", "--set", "timeout=9"])
        .assert_exit(0);
    assert!(!kept.stderr.contains(needs), "{}", kept.stderr);
    sandbox
        .run(["edit", "jcli:project:stop:0", "--set", "command=sh .jcli/b.sh"])
        .assert_exit(0)
        .assert_stderr(needs);
}
