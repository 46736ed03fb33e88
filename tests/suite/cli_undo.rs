//! `undo`, the trash, and that what was added goes again without a trace (`CONTRACTS.md` §2.7).

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::editing::{add, edit, read};
use crate::jcli::{project, with_user_hooks};

const FILE: &str = "home/.jdata/agent/hooks.yaml";
const HOOKS: &str = "# mine\nstop:\n  - command: a # first\n  - command: b\n";
const GUARD: &str = "home/.config/agents/hooks/guard";

/// Every file and folder of the user and of the project: mode and bytes.
fn everything(sandbox: &Sandbox) -> BTreeMap<String, (u32, Option<Vec<u8>>)> {
    fn walk(folder: &Path, data: &Path, found: &mut BTreeMap<String, (u32, Option<Vec<u8>>)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.starts_with(data) {
                continue;
            }
            let mode = path.symlink_metadata().unwrap().permissions().mode() & 0o7777;
            let bytes = (!path.is_dir()).then(|| std::fs::read(&path).unwrap());
            found.insert(path.display().to_string(), (mode, bytes));
            if path.is_dir() {
                walk(&path, data, found);
            }
        }
    }
    let mut found = BTreeMap::new();
    for folder in [sandbox.home(), sandbox.project()] {
        walk(&folder, &sandbox.data(), &mut found);
    }
    found
}

fn remove(sandbox: &Sandbox, hook: &str) -> Value {
    sandbox.run(["remove", hook, "--json"]).exits(0).json()
}

fn undo(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox
        .run(["undo"].iter().chain(args).chain(&["--json"]))
        .exits(0)
        .json()
}

fn codes(doc: &Value) -> Vec<&str> {
    let notices = doc["notices"].as_array().map(Vec::as_slice).unwrap_or_default();
    notices.iter().filter_map(|notice| notice["code"].as_str()).collect()
}

fn with_guard() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = "---\nname: guard\ndescription: d\ntrigger: before_tool\n---\n";
    sandbox.write(&format!("{GUARD}/HOOK.md"), text);
    sandbox.script(&format!("{GUARD}/scripts/run.sh"), "#!/bin/sh\nexit 2\n");
    sandbox
}

/// A new hook of each dialect and layer.
fn new_hooks() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let jcli = json!({"command": "x"});
    let qoder = json!({"type": "command", "command": "x"});
    let hook = json!({"name": "g", "description": "d", "script": "#!/bin/sh\n"});
    let process = json!({"name": "g", "enabled": true, "command": ["true"], "intercept": ["before_tool"]});
    let text = json!({"skill": "s", "name": "n", "text": "t", "role": "system", "persistent": false});
    vec![
        ("jcli", "stop", "user", jcli.clone()),
        ("jcli", "stop", "project", jcli),
        ("qoder", "Stop", "user", qoder.clone()),
        ("qoder", "Stop", "project", qoder.clone()),
        ("qoder", "Stop", "local", qoder),
        ("agent-hooks", "before_tool", "user", hook.clone()),
        ("agent-hooks", "before_tool", "project", hook),
        ("picoclaw", "before_tool", "user", process.clone()),
        ("picoclaw", "before_tool", "project", process),
        ("skill", "before_planning", "skill", text),
    ]
}

#[test]
fn what_was_added_goes_again_with_the_files_and_folders_that_were_made_for_it() {
    for (dialect, event, layer, definition) in new_hooks() {
        let sandbox = Sandbox::new();
        let before = everything(&sandbox);
        let new = || {
            add(&sandbox, dialect, event, layer, &definition.to_string())
                .exits(0)
                .json()
        };
        let hook = new()["hook"].as_str().unwrap().to_owned();
        remove(&sandbox, &hook);
        assert_eq!(everything(&sandbox), before, "{dialect} {layer}, removed");
        new();
        let with = everything(&sandbox);
        undo(&sandbox, &[]);
        assert_eq!(everything(&sandbox), before, "{dialect} {layer}, undone");
        new();
        remove(&sandbox, &hook);
        undo(&sandbox, &[]);
        assert_eq!(everything(&sandbox), with, "{dialect} {layer}, the removal undone");
    }
}

#[test]
fn several_that_were_added_go_in_any_order_without_a_trace() {
    let sandbox = Sandbox::new();
    let before = everything(&sandbox);
    for command in ["a", "b", "c"] {
        add(
            &sandbox,
            "jcli",
            "stop",
            "project",
            &json!({"command": command}).to_string(),
        )
        .exits(0);
    }
    for hook in ["jcli:project:stop:1", "jcli:project:stop:0", "jcli:project:stop:0"] {
        remove(&sandbox, hook);
    }
    assert_eq!(everything(&sandbox), before);
}

#[test]
fn a_removal_does_not_bring_back_what_others_wrote_over() {
    let sandbox = Sandbox::new();
    add(&sandbox, "jcli", "stop", "project", "{\"command\": \"a\"}").exits(0);
    let file = "project/.jcli/hooks.yaml";
    let text = format!("# theirs\n{}", read(&sandbox, file));
    sandbox.write(file, &text);
    remove(&sandbox, "jcli:project:stop:0");
    assert_eq!(read(&sandbox, file), "# theirs\n{}\n");
}

#[test]
fn a_removed_hook_leaves_the_files_of_a_person_where_they_are() {
    let sandbox = with_guard();
    for (inside, text) in [
        ("notes/thesis.txt", "my work"),
        (".git/HEAD", "ref"),
        ("scripts/lib.sh", "x=1\n"),
    ] {
        sandbox.write(&format!("{GUARD}/{inside}"), text);
    }
    let before = everything(&sandbox);
    let doc = remove(&sandbox, "agent-hooks:user:guard");
    let trash = Path::new(doc["trashed"].as_str().unwrap());
    assert_eq!(trash, sandbox.data().join("trash").join(doc["edit"].as_str().unwrap()));
    let after = everything(&sandbox);
    let gone: Vec<&String> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    let own = ["HOOK.md", "scripts/run.sh"];
    assert_eq!(
        gone,
        own.map(|own| sandbox.path(&format!("{GUARD}/{own}")).display().to_string())
            .iter()
            .collect::<Vec<_>>()
    );
    for own in own {
        let mode = trash.join(own).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            mode,
            before[&sandbox.path(&format!("{GUARD}/{own}")).display().to_string()].0 & 0o777
        );
    }
    assert_eq!(codes(&doc), ["edit_trashed", "edit_folder_stays"]);
    let text = doc["notices"][0]["text"].as_str().unwrap();
    assert!(text.contains("HOOK.md") && text.contains("run.sh"), "{text}");
    let undone = undo(&sandbox, &[]);
    assert_eq!(everything(&sandbox), before);
    assert_eq!((&undone["undone"], &undone["what"]), (&doc["edit"], &json!("remove")));
    assert!(!trash.exists());
}

#[test]
fn a_hook_whose_files_are_all_its_own_goes_with_its_folder() {
    let sandbox = with_guard();
    let before = everything(&sandbox);
    let dry = sandbox
        .run(["remove", "agent-hooks:user:guard", "--dry-run", "--json"])
        .exits(0)
        .json();
    assert_eq!((&dry["edit"], &dry["trashed"]), (&Value::Null, &Value::Null));
    assert_eq!(codes(&dry), ["edit_trashed"]);
    assert_eq!(everything(&sandbox), before);
    remove(&sandbox, "agent-hooks:user:guard");
    assert!(!sandbox.path(GUARD).exists() && sandbox.path("home/.config/agents/hooks").exists());
    undo(&sandbox, &[]);
    assert_eq!(everything(&sandbox), before);
}

#[test]
fn a_script_that_is_a_link_stays_with_its_folder() {
    let sandbox = with_guard();
    let script = sandbox.path(&format!("{GUARD}/scripts/run.sh"));
    std::fs::rename(&script, sandbox.home().join("tool.sh")).unwrap();
    std::os::unix::fs::symlink(sandbox.home().join("tool.sh"), &script).unwrap();
    remove(&sandbox, "agent-hooks:user:guard");
    assert!(sandbox.home().join("tool.sh").exists() && script.symlink_metadata().is_ok());
    assert!(!sandbox.path(&format!("{GUARD}/HOOK.md")).exists());
}

#[test]
fn undo_again_goes_back_edit_by_edit_and_an_undo_can_be_undone() {
    let sandbox = with_user_hooks(HOOKS);
    let first = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=5"]);
    let one = read(&sandbox, FILE);
    let second = edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1"]);
    let two = read(&sandbox, FILE);
    let undone = undo(&sandbox, &[]);
    assert_eq!(
        (&undone["undone"], read(&sandbox, FILE)),
        (&second["edit"], one.clone())
    );
    assert_eq!(undo(&sandbox, &[])["undone"], first["edit"]);
    assert_eq!(read(&sandbox, FILE), HOOKS);
    sandbox.run(["undo"]).exits(1).complains("no edit to undo");
    let list = undo(&sandbox, &["--list"]);
    let rows = list["edits"].as_array().unwrap();
    let seen: Vec<(&Value, bool)> = rows
        .iter()
        .map(|row| (&row["what"], row["undone_by"].is_null()))
        .collect();
    let (undo_row, edit_row) = (json!("undo"), json!("edit"));
    assert_eq!(
        seen,
        [
            (&undo_row, true),
            (&undo_row, true),
            (&edit_row, false),
            (&edit_row, false)
        ]
    );
    // The undo of the first edit, then that of the second.
    undo(&sandbox, &[rows[0]["edit"].as_str().unwrap()]);
    assert_eq!(read(&sandbox, FILE), one);
    undo(&sandbox, &[rows[1]["edit"].as_str().unwrap()]);
    assert_eq!(read(&sandbox, FILE), two);
    assert_eq!(undo(&sandbox, &[])["what"], "undo");
    assert_eq!(read(&sandbox, FILE), one);
}

#[test]
fn an_edit_that_is_named_is_undone_and_one_that_is_not_last_only_where_its_file_is_as_it_left_it() {
    let sandbox = with_user_hooks(HOOKS);
    let first = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=5"]);
    let first = first["edit"].as_str().unwrap();
    add(
        &sandbox,
        "qoder",
        "Stop",
        "user",
        r#"{"type": "command", "command": "x"}"#,
    )
    .exits(0);
    undo(&sandbox, &[first]);
    assert_eq!(read(&sandbox, FILE), HOOKS);
    sandbox.run(["undo", first]).exits(1).complains("is already undone");
    sandbox.run(["undo", "01ABC"]).exits(1).complains("unknown edit 01ABC");
    let again = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=6"]);
    let theirs = format!("{}# theirs\n", read(&sandbox, FILE));
    sandbox.write(FILE, &theirs);
    let refused = sandbox.run(["undo", again["edit"].as_str().unwrap()]).exits(1);
    refused.complains("changed after this edit");
    assert_eq!(read(&sandbox, FILE), theirs);
}

#[test]
fn the_beginning_of_an_id_names_an_edit_only_where_no_other_begins_so() {
    let sandbox = with_user_hooks(HOOKS);
    let first = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=5"]);
    let one = read(&sandbox, FILE);
    let second = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=6"]);
    let (first, second) = (first["edit"].as_str().unwrap(), second["edit"].as_str().unwrap());
    let two = read(&sandbox, FILE);
    let refused = sandbox.run(["undo", "0"]).exits(1);
    refused.complains(&format!("2 edits begin with 0: {second}, {first}"));
    assert_eq!(read(&sandbox, FILE), two);
    // The beginning of one id alone, in small letters.
    undo(&sandbox, &[&second[..second.len() - 1].to_lowercase()]);
    assert_eq!(read(&sandbox, FILE), one);
}

#[test]
fn the_last_edit_of_another_projects_files_is_not_this_ones() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: a\n");
    edit(&sandbox, &["jcli:project:stop:0", "--set", "timeout=5"]);
    let other = sandbox.home().join("other");
    std::fs::create_dir(&other).unwrap();
    let other = other.display().to_string();
    sandbox
        .run(["--project", &other, "undo"])
        .exits(1)
        .complains("no edit to undo");
    undo(&sandbox, &[]);
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), "stop:\n  - command: a\n");
}

#[test]
fn an_approval_comes_back_with_what_it_was_for() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: exit 0\n");
    sandbox.run(["trust", "--all"]).exits(0);
    let pending = || {
        sandbox.run(["trust", "--list", "--json"]).json()["pending"]
            .as_array()
            .unwrap()
            .len()
    };
    edit(&sandbox, &["jcli:project:stop:0", "--set", "timeout=5"]);
    assert_eq!(pending(), 0);
    let undone = undo(&sandbox, &[]);
    assert_eq!(pending(), 0, "undone");
    undo(&sandbox, &[undone["edit"].as_str().unwrap()]);
    assert_eq!(pending(), 0, "done again");
}

#[test]
fn an_approval_that_was_revoked_does_not_come_back() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: exit 0\n");
    sandbox.run(["trust", "--all"]).exits(0);
    edit(&sandbox, &["jcli:project:stop:0", "--set", "timeout=5"]);
    sandbox.run(["trust", "--revoke"]).exits(0);
    undo(&sandbox, &[]);
    let list = sandbox.run(["trust", "--list", "--json"]).json();
    assert_eq!(list["pending"].as_array().unwrap().len(), 1);
}

#[test]
fn where_nothing_can_be_kept_nothing_is_taken_away() {
    let sandbox = with_guard();
    sandbox.write(FILE, HOOKS);
    std::fs::create_dir_all(sandbox.data()).unwrap();
    std::fs::write(sandbox.data().join("edits"), "in the way").unwrap();
    let before = everything(&sandbox);
    sandbox.run(["remove", "agent-hooks:user:guard"]).exits(1);
    assert_eq!(everything(&sandbox), before);
    let doc = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=5"]);
    assert_eq!((&doc["written"], &doc["edit"]), (&json!(true), &Value::Null));
    assert_eq!(codes(&doc), ["edit_not_kept"]);
    assert!(!doc.to_string().contains("nothing was changed"), "{doc:#}");
}

#[test]
fn another_name_of_a_file_keeps_the_old_text_and_the_edit_says_so() {
    let sandbox = with_user_hooks(HOOKS);
    let other = sandbox.home().join("backup.yaml");
    std::fs::hard_link(sandbox.path(FILE), &other).unwrap();
    let doc = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=5"]);
    assert_eq!(codes(&doc), ["edit_link_parted"]);
    assert_eq!(std::fs::read_to_string(other).unwrap(), HOOKS);
    let doc = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=6"]);
    assert!(codes(&doc).is_empty());
}

#[test]
fn what_a_killed_edit_left_is_no_part_of_an_approval_and_the_next_edit_takes_it_away() {
    let sandbox = Sandbox::new();
    let folder = "project/.agents/hooks/g";
    sandbox.write(
        &format!("{folder}/HOOK.md"),
        "---\nname: g\ndescription: d\ntrigger: before_tool\n---\n",
    );
    sandbox.script(&format!("{folder}/scripts/run"), "#!/bin/sh\n");
    sandbox.run(["trust", "--all"]).exits(0);
    // No process has this number.
    let left = sandbox.write(&format!("{folder}/.hookwright-999999999-aB3xYz.tmp"), "half");
    let list = sandbox.run(["trust", "--list", "--json"]).json();
    assert_eq!(list["pending"], json!([]));
    edit(&sandbox, &["agent-hooks:project:g", "--set", "timeout=900"]);
    assert!(!left.exists());
}

#[test]
fn a_damaged_file_of_a_kept_edit_is_told_with_its_place() {
    let sandbox = with_user_hooks(HOOKS);
    let kept = |hook: &str| remove(&sandbox, hook)["edit"].as_str().unwrap().to_owned();
    let (first, last) = (kept("jcli:user:stop:0"), kept("jcli:user:stop:0"));
    let path = sandbox.write(&format!("data/edits/{last}"), "{ damaged");
    let shown = path.to_str().unwrap();
    sandbox.run(["undo", "--list"]).exits(0).says(&first).complains(shown);
    let list = sandbox.run(["undo", "--list", "--json"]).exits(0).json();
    assert_eq!(list["edits"][0]["edit"], first.as_str());
    assert_eq!(list["problems"][0]["path"], shown);
    sandbox.run(["undo", &last]).exits(1).complains(shown);
    std::fs::remove_file(sandbox.data().join("edits").join(first)).unwrap();
    sandbox.run(["undo"]).exits(1).complains(shown);
}

#[test]
fn a_trash_that_takes_no_more_is_named_and_nothing_is_removed() {
    let sandbox = with_guard();
    let before = everything(&sandbox);
    sandbox.write("data/trash", "no folder");
    let refused = sandbox.run(["remove", "agent-hooks:user:guard"]);
    assert_eq!(refused.code(), 1, "{refused}");
    let trash = sandbox.data().join("trash");
    for words in [trash.to_str().unwrap(), "HOOK.md is not removed", "nothing was changed"] {
        assert!(refused.stderr.contains(words), "{words}: {refused}");
    }
    assert_eq!(everything(&sandbox), before);
}
