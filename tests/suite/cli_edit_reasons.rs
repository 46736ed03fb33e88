//! What an edit refuses and why, and what it says of what it did (`CONTRACTS.md` §2.7).

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

/// `hooks.yaml` after an edit.
#[track_caller]
fn becomes(before: &str, args: &[&str], after: &str) {
    let sandbox = jcli(before);
    edit(&sandbox, args);
    assert_eq!(read(&sandbox, FILE), after);
}

#[track_caller]
fn refused(sandbox: &Sandbox, file: &str, args: &[&str], why: &str) {
    let before = read(sandbox, file);
    sandbox.run(args).exits(1).complains(why);
    assert_eq!(read(sandbox, file), before);
}

#[test]
fn fields_are_set_and_taken_out_in_the_order_given() {
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
        becomes(before, &all, after);
    }
}

#[test]
fn comments_that_would_be_lost_or_come_to_another_hook_keep_a_hook_in_its_place() {
    let merged = "base: &b {retry: 1}\nstop:\n  - command: a\n  - &c {command: c}\n";
    for (item, why) in [
        ("  - command: x\n    <<: *c # mm\n    timeout: 3\n", "piece by piece"),
        ("  - <<: *c # mm\n", "piece by piece"),
        ("  - command: x\n    # mm\n    <<: *c\n", "piece by piece"),
        ("  - command: x\n    <<:\n      # mm\n      - *c\n", "piece by piece"),
    ] {
        let sandbox = jcli(&format!("{merged}{item}"));
        refused(&sandbox, FILE, &["edit", "jcli:user:stop:2", "--move-to", "1"], why);
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
        refused(&sandbox, FILE, &["edit", &hook, "--move-to", to], "piece by piece");
    }
    becomes(
        "stop: [{command: a}, # ca\n  {command: b}, # cb\n  {command: c} # cc\n]\n",
        &["jcli:user:stop:2", "--move-to", "2"],
        "stop: [{command: a}, # ca\n  {command: c}, # cc\n  {command: b} # cb\n]\n",
    );
}

#[test]
fn an_anchors_name_that_is_given_twice_means_the_same_after_a_move() {
    let list = "stop:\n  - &a {command: a}\n  - *a\n  - &a {command: b}\n  - *a\n";
    becomes(
        list,
        &["jcli:user:stop:1", "--move-to", "4"],
        "stop:\n  - &a {command: a}\n  - &a {command: b}\n  - *a\n  - command: a\n",
    );
    becomes(
        list,
        &["jcli:user:stop:3", "--move-to", "1"],
        "stop:\n  - command: b\n  - &a {command: a}\n  - *a\n  - &a {command: b}\n",
    );
    for (hook, to) in [("jcli:user:stop:2", "1"), ("jcli:user:stop:0", "3")] {
        refused(&jcli(list), FILE, &["edit", hook, "--move-to", to], "is shared");
    }
}

#[test]
fn an_alias_that_comes_to_stand_before_its_anchor_is_written_out() {
    let list = "stop:\n  - &one {command: a, timeout: 3}\n  - *one\n  - {<<: *one, timeout: 9}\n";
    becomes(
        list,
        &["jcli:user:stop:1", "--move-to", "1"],
        "stop:\n  - command: a\n    timeout: 3\n  - &one {command: a, timeout: 3}\n  - {<<: *one, timeout: 9}\n",
    );
    becomes(
        list,
        &["jcli:user:stop:2", "--move-to", "1"],
        "stop:\n  - {timeout: 9, command: a}\n  - &one {command: a, timeout: 3}\n  - *one\n",
    );
    becomes(
        list,
        &["jcli:user:stop:2", "--move-to", "2"],
        "stop:\n  - &one {command: a, timeout: 3}\n  - {<<: *one, timeout: 9}\n  - *one\n",
    );
    let sandbox = jcli(list);
    refused(
        &sandbox,
        FILE,
        &["edit", "jcli:user:stop:0", "--move-to", "2"],
        "is shared",
    );
}

#[test]
fn a_new_line_ends_like_the_line_it_is_put_behind() {
    becomes(
        "stop:\r\n  - command: a\n  - command: b\r\n",
        &["jcli:user:stop:0", "--set", "timeout=3"],
        "stop:\r\n  - command: a\n    timeout: 3\n  - command: b\r\n",
    );
    becomes(
        "stop:\n  - command: a\r\n  - command: b\n",
        &["jcli:user:stop:0", "--duplicate"],
        "stop:\n  - command: a\r\n  - command: a\r\n  - command: b\n",
    );
}

#[test]
fn a_definition_must_serve_the_event_that_was_asked_for() {
    let sandbox = Sandbox::new();
    let with = |event: &str, intercept: &str| {
        let definition = format!("{{\"name\": \"g\", \"command\": [\"g\"], \"enabled\": true, {intercept}}}");
        add(&sandbox, "picoclaw", event, "user", &definition)
    };
    with("approve_tool", "\"intercept\": [\"before_tool\"]")
        .exits(1)
        .complains("approve_tool was asked for");
    with("before_tool", "\"observe\": [\"error\"]").exits(1);
    with("after_tool", "\"intercept\": [\"before_tool\"]").exits(0);
    sandbox.run(["remove", "picoclaw:user:g"]).exits(0);
    with("approve_tool", "\"intercept\": [\"before_tool\", \"approve_tool\"]").exits(0);
}

#[test]
fn a_text_field_of_qoder_takes_a_value_as_written() {
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
fn the_mark_of_a_hook_file_stays_and_that_of_a_script_goes() {
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
            // Only root can give files away, and has to see that others' stay theirs.
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
fn a_result_that_nobody_could_read_is_refused_as_too_large() {
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
        .exits(1)
        .complains("more than 1048576 bytes");
    assert_eq!(read(&sandbox, FILE), before);
}

#[test]
fn a_file_that_nothing_can_be_put_into_is_named() {
    for text in ["[]\n", "hello\n", "stop:\n  - command: a\n bad\n"] {
        let sandbox = jcli(text);
        let file = sandbox.path(FILE).display().to_string();
        add(&sandbox, "jcli", "stop", "user", "{\"command\": \"b\"}")
            .exits(1)
            .complains(&file);
        assert_eq!(read(&sandbox, FILE), text);
    }
    let sandbox = Sandbox::new();
    let file = sandbox
        .write(SETTINGS, "{\"hooks\": {\"Stop\": 3}}")
        .display()
        .to_string();
    let definition = "{\"type\": \"command\", \"command\": \"b\"}";
    add(&sandbox, "qoder", "Stop", "user", definition)
        .exits(1)
        .complains(&file);
}

#[test]
fn a_script_that_cannot_be_read_is_no_name_that_is_taken() {
    let sandbox = Sandbox::new();
    let hook = sandbox.write(&format!("{FOLDER}/g/HOOK.md"), HOOK_MD);
    let script = sandbox.script(&format!("{FOLDER}/g/scripts/run"), "");
    std::fs::write(&script, b"\xff\xfe").unwrap();
    let file = format!("{FOLDER}/g/HOOK.md");
    let set = ["edit", "agent-hooks:user:g", "--set", "script=#!/bin/sh"];
    refused(&sandbox, &file, &set, "not UTF-8");
    refused(
        &sandbox,
        &file,
        &["edit", "agent-hooks:user:g", "--unset", "script"],
        "cannot be taken out",
    );
    let project = sandbox.path("project/.agents/hooks/g");
    std::fs::create_dir_all(project.join("scripts")).unwrap();
    std::fs::copy(hook, project.join("HOOK.md")).unwrap();
    symlink(&script, project.join("scripts/run")).unwrap();
    let set = ["edit", "agent-hooks:project:g", "--set", "script=#!/bin/sh"];
    refused(&sandbox, &file, &set, "leads out of the project");
}

#[test]
fn what_goes_with_a_hook_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write(&format!("{FOLDER}/g/HOOK.md"), HOOK_MD);
    let script = sandbox.script(&format!("{FOLDER}/g/scripts/run"), "#!/bin/sh\n");
    let done = sandbox.run(["remove", "agent-hooks:user:g"]).exits(0);
    let done = done.complains(&script.display().to_string());
    done.complains("HOOK.md is deleted");
}

#[test]
fn an_edit_says_that_a_hook_needs_an_approval() {
    let sandbox = Sandbox::new();
    let needs = "does not run before you approve it";
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
    sandbox.run(add.clone().chain(&["--dry-run"])).exits(0).complains(needs);
    sandbox.run(add).exits(0).complains(needs);
    sandbox.write("project/.jcli/a.sh", "");
    sandbox.write("project/.jcli/b.sh", "");
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).exits(0);
    let kept = sandbox
        .run(["edit", "jcli:project:stop:0", "--set", "timeout=9"])
        .exits(0);
    assert!(!kept.stderr.contains(needs), "{}", kept.stderr);
    sandbox
        .run(["edit", "jcli:project:stop:0", "--set", "command=sh .jcli/b.sh"])
        .exits(0)
        .complains(needs);
}
