//! Tests of `undo` and the trash. Undo or removal of an added hook leaves no file or folder behind
//! (`CONTRACTS.md` §2.7).

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

/// Mode and bytes of every file and folder in the home and the project, without Hookwright's data folder.
pub fn file_tree(sandbox: &Sandbox) -> BTreeMap<String, (u32, Option<Vec<u8>>)> {
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
    sandbox.run(["remove", hook, "--json"]).assert_exit(0).json()
}

fn undo(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox
        .run(["undo"].iter().chain(args).chain(&["--json"]))
        .assert_exit(0)
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

/// A new hook for each dialect and layer: dialect, event, layer and definition.
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
fn undoing_an_add_removes_the_files_and_folders_made_for_it() {
    for (dialect, event, layer, definition) in new_hooks() {
        let sandbox = Sandbox::new();
        let before = file_tree(&sandbox);
        let new = || {
            add(&sandbox, dialect, event, layer, &definition.to_string())
                .assert_exit(0)
                .json()
        };
        let hook = new()["hook"].as_str().unwrap().to_owned();
        remove(&sandbox, &hook);
        assert_eq!(file_tree(&sandbox), before, "{dialect} {layer}, removed");
        new();
        let with = file_tree(&sandbox);
        undo(&sandbox, &[]);
        assert_eq!(file_tree(&sandbox), before, "{dialect} {layer}, undone");
        new();
        remove(&sandbox, &hook);
        undo(&sandbox, &[]);
        assert_eq!(file_tree(&sandbox), with, "{dialect} {layer}, the removal undone");
    }
}

#[test]
fn several_adds_can_be_undone_in_any_order_and_leave_nothing() {
    let sandbox = Sandbox::new();
    let before = file_tree(&sandbox);
    for command in ["a", "b", "c"] {
        add(
            &sandbox,
            "jcli",
            "stop",
            "project",
            &json!({"command": command}).to_string(),
        )
        .assert_exit(0);
    }
    for hook in ["jcli:project:stop:1", "jcli:project:stop:0", "jcli:project:stop:0"] {
        remove(&sandbox, hook);
    }
    assert_eq!(file_tree(&sandbox), before);
}

#[test]
fn removing_a_hook_keeps_what_others_wrote_into_the_file() {
    let sandbox = Sandbox::new();
    add(&sandbox, "jcli", "stop", "project", "{\"command\": \"a\"}").assert_exit(0);
    let file = "project/.jcli/hooks.yaml";
    let text = format!("# theirs\n{}", read(&sandbox, file));
    sandbox.write(file, &text);
    remove(&sandbox, "jcli:project:stop:0");
    assert_eq!(read(&sandbox, file), "# theirs\n");
}

#[test]
fn removing_a_hook_keeps_the_other_files_of_the_user() {
    let sandbox = with_guard();
    for (inside, text) in [
        ("notes/thesis.txt", "my work"),
        (".git/HEAD", "ref"),
        ("scripts/lib.sh", "x=1\n"),
    ] {
        sandbox.write(&format!("{GUARD}/{inside}"), text);
    }
    let before = file_tree(&sandbox);
    let doc = remove(&sandbox, "agent-hooks:user:guard");
    let trash = Path::new(doc["trashed"].as_str().unwrap());
    assert_eq!(trash, sandbox.data().join("trash").join(doc["edit"].as_str().unwrap()));
    let after = file_tree(&sandbox);
    let removed: Vec<&String> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    let own = ["HOOK.md", "scripts/run.sh"];
    assert_eq!(
        removed,
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
    assert_eq!(file_tree(&sandbox), before);
    assert_eq!((&undone["undone"], &undone["what"]), (&doc["edit"], &json!("remove")));
    assert!(!trash.exists());
}

#[test]
fn a_folder_with_only_hook_files_is_removed_with_its_hook() {
    let sandbox = with_guard();
    let before = file_tree(&sandbox);
    let dry = sandbox
        .run(["remove", "agent-hooks:user:guard", "--dry-run", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!((&dry["edit"], &dry["trashed"]), (&Value::Null, &Value::Null));
    assert_eq!(codes(&dry), ["edit_trashed"]);
    assert_eq!(file_tree(&sandbox), before);
    remove(&sandbox, "agent-hooks:user:guard");
    assert!(!sandbox.path(GUARD).exists() && sandbox.path("home/.config/agents/hooks").exists());
    undo(&sandbox, &[]);
    assert_eq!(file_tree(&sandbox), before);
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
fn repeated_undo_goes_back_edit_by_edit_and_an_undo_can_be_undone() {
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
    sandbox.run(["undo"]).assert_exit(1).assert_stderr("no edit to undo");
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
    // Undo the undo of the first edit, then the undo of the second.
    undo(&sandbox, &[rows[0]["edit"].as_str().unwrap()]);
    assert_eq!(read(&sandbox, FILE), one);
    undo(&sandbox, &[rows[1]["edit"].as_str().unwrap()]);
    assert_eq!(read(&sandbox, FILE), two);
    assert_eq!(undo(&sandbox, &[])["what"], "undo");
    assert_eq!(read(&sandbox, FILE), one);
}

#[test]
fn a_named_edit_is_undone_and_an_older_one_only_when_its_file_is_unchanged() {
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
    .assert_exit(0);
    undo(&sandbox, &[first]);
    assert_eq!(read(&sandbox, FILE), HOOKS);
    sandbox
        .run(["undo", first])
        .assert_exit(1)
        .assert_stderr("is already undone");
    sandbox
        .run(["undo", "01ABC"])
        .assert_exit(1)
        .assert_stderr("unknown edit 01ABC");
    let again = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=6"]);
    let theirs = format!("{}# theirs\n", read(&sandbox, FILE));
    sandbox.write(FILE, &theirs);
    let refused = sandbox.run(["undo", again["edit"].as_str().unwrap()]).assert_exit(1);
    refused.assert_stderr("changed after this edit");
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
    let refused = sandbox.run(["undo", "0"]).assert_exit(1);
    refused.assert_stderr(&format!("2 edits begin with 0: {second}, {first}"));
    assert_eq!(read(&sandbox, FILE), two);
    // The first characters of one id only, in lower case.
    undo(&sandbox, &[&second[..second.len() - 1].to_lowercase()]);
    assert_eq!(read(&sandbox, FILE), one);
}

#[test]
fn undo_ignores_edits_of_another_project() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: a\n");
    edit(&sandbox, &["jcli:project:stop:0", "--set", "timeout=5"]);
    let other = sandbox.home().join("other");
    std::fs::create_dir(&other).unwrap();
    let other = other.display().to_string();
    sandbox
        .run(["--project", &other, "undo"])
        .assert_exit(1)
        .assert_stderr("no edit to undo");
    undo(&sandbox, &[]);
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), "stop:\n  - command: a\n");
}

#[test]
fn undo_restores_the_approval_with_its_hook() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: exit 0\n");
    sandbox.run(["trust", "--all"]).assert_exit(0);
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
fn undo_does_not_restore_a_revoked_approval() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: exit 0\n");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    edit(&sandbox, &["jcli:project:stop:0", "--set", "timeout=5"]);
    sandbox.run(["trust", "--revoke"]).assert_exit(0);
    undo(&sandbox, &[]);
    let list = sandbox.run(["trust", "--list", "--json"]).json();
    assert_eq!(list["pending"].as_array().unwrap().len(), 1);
}

#[test]
fn nothing_is_removed_when_no_copy_can_be_stored() {
    let sandbox = with_guard();
    sandbox.write(FILE, HOOKS);
    std::fs::create_dir_all(sandbox.data()).unwrap();
    std::fs::write(sandbox.data().join("edits"), "in the way").unwrap();
    let before = file_tree(&sandbox);
    sandbox.run(["remove", "agent-hooks:user:guard"]).assert_exit(1);
    assert_eq!(file_tree(&sandbox), before);
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
fn temporary_files_of_a_killed_edit_are_not_covered_and_the_next_edit_removes_them() {
    let sandbox = Sandbox::new();
    let folder = "project/.agents/hooks/g";
    sandbox.write(
        &format!("{folder}/HOOK.md"),
        "---\nname: g\ndescription: d\ntrigger: before_tool\n---\n",
    );
    sandbox.script(&format!("{folder}/scripts/run"), "#!/bin/sh\n");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    // No process has this id.
    let left = sandbox.write(&format!("{folder}/.hookwright-999999999-aB3xYz.tmp"), "half");
    let list = sandbox.run(["trust", "--list", "--json"]).json();
    assert_eq!(list["pending"], json!([]));
    edit(&sandbox, &["agent-hooks:project:g", "--set", "timeout=900"]);
    assert!(!left.exists());
}

#[test]
fn a_damaged_undo_file_is_reported_with_its_path() {
    let sandbox = with_user_hooks(HOOKS);
    let kept = |hook: &str| remove(&sandbox, hook)["edit"].as_str().unwrap().to_owned();
    let (first, last) = (kept("jcli:user:stop:0"), kept("jcli:user:stop:0"));
    let path = sandbox.write(&format!("data/edits/{last}"), "{ damaged");
    let shown = path.to_str().unwrap();
    sandbox
        .run(["undo", "--list"])
        .assert_exit(0)
        .assert_output(&first)
        .assert_stderr(shown);
    let list = sandbox.run(["undo", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(list["edits"][0]["edit"], first.as_str());
    assert_eq!(list["problems"][0]["path"], shown);
    sandbox.run(["undo", &last]).assert_exit(1).assert_stderr(shown);
    std::fs::remove_file(sandbox.data().join("edits").join(first)).unwrap();
    sandbox.run(["undo"]).assert_exit(1).assert_stderr(shown);
}

#[test]
fn an_unwritable_trash_folder_is_named_and_nothing_is_removed() {
    let sandbox = with_guard();
    let before = file_tree(&sandbox);
    sandbox.write("data/trash", "no folder");
    let refused = sandbox.run(["remove", "agent-hooks:user:guard"]);
    assert_eq!(refused.code(), 1, "{refused}");
    let trash = sandbox.data().join("trash");
    for text in [trash.to_str().unwrap(), "HOOK.md is not removed", "nothing was changed"] {
        assert!(refused.stderr.contains(text), "{text}: {refused}");
    }
    assert_eq!(file_tree(&sandbox), before);
}

#[test]
fn of_several_edits_at_once_only_those_that_were_done_are_listed() {
    let sandbox = with_user_hooks(HOOKS);
    let start = |number: usize| {
        let definition = json!({"command": format!("echo {number}")}).to_string();
        let to = ["--dialect", "jcli", "--event", "stop", "--layer", "user"];
        let args = ["add", "--definition", &definition].into_iter().chain(to);
        sandbox.start(args.map(str::to_owned).collect::<Vec<_>>())
    };
    let running: Vec<_> = (0..4).map(start).collect();
    let done = running
        .into_iter()
        .map(hookwright_testkit::Running::finish)
        .filter(|finished| finished.code() == 0)
        .count();
    let listed = sandbox.run(["undo", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(listed["edits"].as_array().unwrap().len(), done, "{listed:#}");
    for _ in 0..done {
        undo(&sandbox, &[]);
    }
    assert_eq!(read(&sandbox, FILE), HOOKS);
}
