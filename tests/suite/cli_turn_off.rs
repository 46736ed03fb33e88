//! Tests of `turn-off` and `turn-on`: a definition leaves its file with its comments, is kept, and comes back in its
//! place (`CONTRACTS.md` §2.7).

use std::os::unix::fs::PermissionsExt;

use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::cli_undo::file_tree;
use crate::editing::read;
use crate::jcli::{project, with_user_hooks};

const FILE: &str = "home/.jdata/agent/hooks.yaml";
const HOOKS: &str =
    "# mine\n\nstop:\n  # first one\n  - command: a # now\n    timeout: 3\n\n  # second\n  - command: b\n";

fn turn_off(sandbox: &Sandbox, hook: &str) -> Value {
    sandbox.run(["turn-off", hook, "--json"]).assert_exit(0).json()
}

fn turn_on(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.run(["turn-on", id, "--json"]).assert_exit(0).json()
}

fn id_of(doc: &Value) -> String {
    doc["turned_off"].as_str().unwrap().to_owned()
}

fn list(sandbox: &Sandbox) -> Value {
    sandbox.run(["list", "--json"]).json()
}

/// The former ids of the hooks that `list` shows as turned off.
fn listed(sandbox: &Sandbox) -> Vec<String> {
    let doc = list(sandbox);
    let rows = doc["turned_off"].as_array().cloned().unwrap_or_default();
    rows.iter()
        .map(|row| row["hook"].as_str().unwrap().to_owned())
        .collect()
}

fn codes(doc: &Value) -> Vec<&str> {
    let notices = doc["notices"].as_array().map(Vec::as_slice).unwrap_or_default();
    notices.iter().filter_map(|notice| notice["code"].as_str()).collect()
}

fn undo(sandbox: &Sandbox, edit: &Value) -> Finished {
    sandbox.run(["undo", edit.as_str().unwrap(), "--json"])
}

/// Turns a hook off and on, and asserts that every file is then as before. Returns the text of the file in between.
#[track_caller]
fn assert_comes_back(sandbox: &Sandbox, hook: &str) -> Value {
    let before = file_tree(sandbox);
    let off = turn_off(sandbox, hook);
    assert_eq!((&off["written"], &off["hook"]), (&json!(true), &Value::Null));
    assert_ne!(file_tree(sandbox), before);
    assert_eq!(listed(sandbox), [hook]);
    let on = turn_on(sandbox, &id_of(&off));
    assert_eq!((&on["written"], &on["hook"]), (&json!(true), &json!(hook)));
    assert_eq!(file_tree(sandbox), before);
    assert!(listed(sandbox).is_empty(), "it is on");
    off
}

#[test]
fn a_definition_leaves_with_its_comments_and_comes_back() {
    let sandbox = with_user_hooks(HOOKS);
    let off = turn_off(&sandbox, "jcli:user:stop:0");
    let rest = "# mine\n\nstop:\n\n  # second\n  - command: b\n";
    assert_eq!(read(&sandbox, FILE), rest);
    assert_eq!(off["moved"], json!({ "jcli:user:stop:1": "jcli:user:stop:0" }));
    let row = &list(&sandbox)["turned_off"][0];
    assert_eq!(
        (&row["id"], &row["hook"], &row["event"], &row["line"]),
        (
            &off["turned_off"],
            &json!("jcli:user:stop:0"),
            &json!("stop"),
            &json!(5)
        )
    );
    assert_eq!(row["text"], "  # first one\n  - command: a # now\n    timeout: 3\n");
    assert_eq!(row["definition"], json!({ "command": "a", "timeout": 3 }));
    let folder = sandbox.data().join("turned_off");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join(id_of(&off)))), (0o700, 0o600));
    let id = id_of(&off);
    let dry = sandbox.run(["turn-on", &id, "--dry-run"]).assert_exit(0);
    assert!(dry.stdout.contains("+  # first one"), "{}", dry.stdout);
    assert_eq!(read(&sandbox, FILE), rest);
    // The beginning of an id is enough.
    let on = turn_on(&sandbox, &id[..20].to_lowercase());
    assert_eq!(read(&sandbox, FILE), HOOKS);
    assert_eq!(on["moved"], json!({ "jcli:user:stop:0": "jcli:user:stop:1" }));
    assert!(listed(&sandbox).is_empty(), "it is on");
}

#[test]
fn a_dry_run_keeps_and_changes_nothing() {
    let sandbox = with_user_hooks(HOOKS);
    let said = sandbox
        .run(["turn-off", "jcli:user:stop:0", "--dry-run"])
        .assert_exit(0);
    assert!(said.stdout.contains("-  # first one"), "{}", said.stdout);
    assert_eq!(read(&sandbox, FILE), HOOKS);
    assert!(!sandbox.data().join("turned_off").exists(), "nothing is kept");
}

#[test]
fn every_dialect_gives_the_same_bytes_back() {
    let sandbox = with_user_hooks("\u{feff}stop:\r\n  # 一\r\n  - command: a # now\r\n  - command: b");
    assert_comes_back(&sandbox, "jcli:user:stop:0");
    assert_comes_back(&sandbox, "jcli:user:stop:1");
    let settings = "{\n  // first\n  \"hooks\": {\"Stop\": [\n    {\"matcher\": \"x\", \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}, {\"type\": \"command\", \"command\": \"b\"}]},\n    // alone\n    {\"hooks\": [{\"type\": \"command\", \"command\": \"c\"}]}\n  ]}\n}\n";
    let sandbox = Sandbox::new();
    sandbox.write("home/.qoder/settings.json", settings);
    for hook in ["settings.0.0", "settings.0.1", "settings.1.0"] {
        assert_comes_back(&sandbox, &format!("qoder:user:Stop:{hook}"));
    }
    let sandbox = with_skill();
    assert_comes_back(&sandbox, "skill:skill:reader:hint");
    assert!(sandbox.path(HINT).exists(), "with its text");
    let sandbox = with_guard();
    let off = assert_comes_back(&sandbox, "agent-hooks:user:guard");
    assert_eq!(off["hook"], Value::Null);
    let mode = std::fs::metadata(sandbox.path(&format!("{GUARD}/scripts/run.sh"))).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o750);
}

const HINT: &str = "project/skills/reader/hooks/hint.md";
const GUARD: &str = "home/.config/agents/hooks/guard";

fn with_skill() -> Sandbox {
    let sandbox = Sandbox::new();
    let entry = |name: &str| {
        format!(
            "{{\"name\": \"{name}\", \"file\": \"{name}.md\", \"timing\": \"before_planning\", \"role\": \"user\", \"persistent\": false}}"
        )
    };
    let text = format!(
        "{{\n  \"hooks\": [\n    {},\n    {}\n  ]\n}}\n",
        entry("hint"),
        entry("plan")
    );
    sandbox.write("project/skills/reader/hooks/hooks.json", text);
    sandbox.write(HINT, "Look again.\n");
    sandbox.write("project/skills/reader/hooks/plan.md", "Plan.\n");
    sandbox
}

fn with_guard() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = "---\n# mine\nname: guard\ndescription: d\ntrigger: before_tool\n---\nWhy.\n";
    sandbox.write(&format!("{GUARD}/HOOK.md"), text);
    let script = sandbox.script(&format!("{GUARD}/scripts/run.sh"), "#!/bin/sh\n");
    std::fs::set_permissions(script, PermissionsExt::from_mode(0o750)).unwrap();
    sandbox
}

#[test]
fn the_last_hook_of_a_file_comes_back() {
    let sandbox = with_user_hooks("stop:\n  - command: a\n");
    assert_comes_back(&sandbox, "jcli:user:stop:0");
    let sandbox = Sandbox::new();
    let added = crate::editing::add(&sandbox, "jcli", "stop", "user", "{\"command\": \"a\"}");
    added.assert_exit(0);
    let before = file_tree(&sandbox);
    let off = turn_off(&sandbox, "jcli:user:stop:0");
    assert!(!sandbox.path(FILE).exists(), "`add` made the file");
    turn_on(&sandbox, &id_of(&off));
    assert_eq!(file_tree(&sandbox), before);
}

#[test]
fn a_file_that_changed_elsewhere_keeps_its_changes() {
    let sandbox = with_user_hooks(HOOKS);
    let off = turn_off(&sandbox, "jcli:user:stop:0");
    let changed = read(&sandbox, FILE).replace("command: b\n", "command: B\n    timeout: 9\nstart:\n  - command: c\n");
    let changed = changed.replace("start", "pre_send_message");
    sandbox.write(FILE, &changed);
    let on = turn_on(&sandbox, &id_of(&off));
    let whole = HOOKS.replace(
        "command: b\n",
        "command: B\n    timeout: 9\npre_send_message:\n  - command: c\n",
    );
    assert_eq!(read(&sandbox, FILE), whole);
    assert_eq!((&on["hook"], codes(&on).len()), (&json!("jcli:user:stop:0"), 0));
}

#[test]
fn a_file_that_changed_there_gets_the_hook_at_the_end() {
    let sandbox = with_user_hooks("stop:\n  # b\n  - command: b # here\n    timeout: 3\n  - command: c\n");
    let off = turn_off(&sandbox, "jcli:user:stop:0");
    sandbox.write(FILE, "stop:\n    # other\n    - command: d\n    - command: e\n");
    let on = turn_on(&sandbox, &id_of(&off));
    let whole =
        "stop:\n    # other\n    - command: d\n    - command: e\n    # b\n    - command: b # here\n      timeout: 3\n";
    assert_eq!(read(&sandbox, FILE), whole);
    assert_eq!(
        (&on["hook"], codes(&on)),
        (&json!("jcli:user:stop:2"), vec!["turned_off_at_end"])
    );
    undo(&sandbox, &on["edit"]).assert_exit(0);
    assert_eq!(listed(&sandbox), ["jcli:user:stop:0"]);
    std::fs::remove_file(sandbox.path(FILE)).unwrap();
    turn_on(&sandbox, &id_of(&off));
    assert_eq!(
        read(&sandbox, FILE),
        "stop:\n  # b\n  - command: b # here\n    timeout: 3\n"
    );
}

#[test]
fn json_that_changed_there_gets_the_hook_at_the_end() {
    let path = "home/.qoder/settings.json";
    let sandbox = Sandbox::new();
    sandbox.write(
        path,
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]\n      }\n    ]\n  }\n}\n",
    );
    let off = turn_off(&sandbox, "qoder:user:PreToolUse:settings.0.0");
    sandbox.write(
        path,
        "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"z\"}]}]}}\n",
    );
    let on = turn_on(&sandbox, &id_of(&off));
    assert_eq!(
        (&on["hook"], codes(&on)),
        (&json!("qoder:user:PreToolUse:settings.1.0"), vec!["turned_off_at_end"])
    );
    let rows = list(&sandbox)["hooks"].clone();
    let filters: Vec<&Value> = rows.as_array().unwrap().iter().map(|row| &row["filter"]).collect();
    assert_eq!(filters, [&Value::Null, &json!({ "matcher": "Bash" })]);
    let sandbox = with_skill();
    let off = turn_off(&sandbox, "skill:skill:reader:plan");
    sandbox.write("project/skills/reader/hooks/hooks.json", "{\"hooks\": []}\n");
    let on = turn_on(&sandbox, &id_of(&off));
    assert_eq!(on["hook"], "skill:skill:reader:plan");
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/plan.md"), "Plan.\n");
}

#[test]
fn a_file_whose_last_hook_is_turned_off_can_be_continued() {
    for (text, without) in [
        ("stop:\n  - command: a\n", ""),
        ("# mine\nstop:\n  - command: a\n", "# mine\n"),
    ] {
        let sandbox = with_user_hooks(text);
        let off = turn_off(&sandbox, "jcli:user:stop:0");
        assert_eq!(read(&sandbox, FILE), without);
        sandbox.write(FILE, format!("{without}pre_send_message:\n  - command: b\n"));
        let problems = list(&sandbox)["problems"].as_array().cloned().unwrap_or_default();
        assert!(
            problems.iter().all(|problem| problem["severity"] != "error"),
            "{problems:?}"
        );
        turn_on(&sandbox, &id_of(&off));
        let after = read(&sandbox, FILE);
        assert!(after.contains("command: a") && after.contains("command: b"), "{after}");
    }
}

#[test]
fn a_file_that_does_not_parse_is_named_as_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.jcli/hooks.yaml", "stop:\n  - command: a\n");
    let off = turn_off(&sandbox, "jcli:project:stop:0");
    sandbox.write("project/.jcli/hooks.yaml", "stop: [\n");
    let refused = sandbox.run(["turn-on", &id_of(&off)]).assert_exit(1);
    assert!(refused.stderr.contains("hooks.yaml"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("layer"), "{}", refused.stderr);
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), "stop: [\n");
}

#[test]
fn a_taken_folder_is_not_written_over() {
    let sandbox = with_guard();
    let off = turn_off(&sandbox, "agent-hooks:user:guard");
    sandbox.write(
        &format!("{GUARD}/HOOK.md"),
        "---\nname: guard\ndescription: other\n---\n",
    );
    let before = file_tree(&sandbox);
    let refused = sandbox.run(["turn-on", &id_of(&off)]).assert_exit(1);
    assert!(refused.stderr.contains("exists again"), "{}", refused.stderr);
    assert_eq!(file_tree(&sandbox), before);
    assert_eq!(listed(&sandbox), ["agent-hooks:user:guard"]);
}

#[test]
fn undo_and_redo_work_in_both_directions() {
    let sandbox = with_user_hooks(HOOKS);
    let off = turn_off(&sandbox, "jcli:user:stop:0");
    let without = read(&sandbox, FILE);
    let edits = sandbox.run(["undo", "--list", "--json"]).json();
    assert_eq!(
        (&edits["edits"][0]["what"], &edits["edits"][0]["turned"]),
        (&json!("remove"), &json!("off"))
    );
    let back = undo(&sandbox, &off["edit"]).assert_exit(0).json();
    assert_eq!((read(&sandbox, FILE).as_str(), listed(&sandbox).len()), (HOOKS, 0));
    // A hook that is removed then does not appear as turned off.
    let removed = sandbox
        .run(["remove", "jcli:user:stop:0", "--json"])
        .assert_exit(0)
        .json();
    assert!(listed(&sandbox).is_empty(), "it was removed, and not turned off");
    undo(&sandbox, &removed["edit"]).assert_exit(0);
    undo(&sandbox, &back["edit"]).assert_exit(0);
    assert_eq!((read(&sandbox, FILE), listed(&sandbox).len()), (without.clone(), 1));
    let on = turn_on(&sandbox, &id_of(&off));
    assert_eq!(read(&sandbox, FILE), HOOKS);
    undo(&sandbox, &on["edit"]).assert_exit(0);
    assert_eq!((read(&sandbox, FILE), listed(&sandbox).len()), (without, 1));
    turn_on(&sandbox, &id_of(&off));
    assert_eq!(read(&sandbox, FILE), HOOKS);
}

#[test]
fn an_approved_and_muted_hook_comes_back_as_it_was() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: sh gate.sh\n  - command: b\n");
    sandbox.write("project/gate.sh", "exit 0\n");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let hook = "jcli:project:stop:0";
    sandbox.run(["mute", hook]).assert_exit(0);
    let off = turn_off(&sandbox, hook);
    // Nothing says that the mute ended, and the hook does not run.
    let fired = sandbox.run(["fire", "--dialect", "jcli", "--event", "stop", "--json"]);
    assert!(
        !fired.stdout.contains("gate.sh") && !fired.stdout.contains("mute_lifted"),
        "{}",
        fired.stdout
    );
    turn_on(&sandbox, &id_of(&off));
    let row = list(&sandbox)["hooks"][0].clone();
    assert_eq!(
        (&row["hook"], &row["trusted"], &row["muted"]),
        (&json!(hook), &json!(true), &json!(true))
    );
    let off = turn_off(&sandbox, hook);
    sandbox.write("project/gate.sh", "exit 1\n");
    let on = turn_on(&sandbox, &id_of(&off));
    assert_eq!(list(&sandbox)["hooks"][0]["trusted"], false);
    assert_eq!(codes(&on), ["edit_unapproved"]);
}

#[test]
fn a_project_hook_is_listed_only_there() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: a\n");
    let off = turn_off(&sandbox, "jcli:project:stop:0");
    assert_eq!(listed(&sandbox), ["jcli:project:stop:0"]);
    let other = sandbox.path("other");
    std::fs::create_dir_all(&other).unwrap();
    let elsewhere = sandbox
        .run(["list", "--json", "--project", other.to_str().unwrap()])
        .json();
    assert_eq!(elsewhere.get("turned_off"), None);
    // Its id names it from everywhere.
    let id = id_of(&off);
    sandbox
        .run(["turn-on", &id, "--project", other.to_str().unwrap()])
        .assert_exit(0);
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), "stop:\n  - command: a\n");
}

#[test]
fn equal_definitions_are_not_taken_for_each_other() {
    let text = "stop:\n  - command: a\n  - command: a\n";
    let sandbox = with_user_hooks(text);
    let first = turn_off(&sandbox, "jcli:user:stop:0");
    let second = turn_off(&sandbox, "jcli:user:stop:0");
    assert_eq!(listed(&sandbox).len(), 2);
    turn_on(&sandbox, &id_of(&first));
    assert_eq!(listed(&sandbox).len(), 1);
    turn_on(&sandbox, &id_of(&second));
    assert_eq!(listed(&sandbox).len(), 0);
    assert_eq!(list(&sandbox)["hooks"].as_array().unwrap().len(), 2);
}

#[test]
fn a_hook_that_came_back_otherwise_is_not_listed() {
    let sandbox = with_user_hooks(HOOKS);
    turn_off(&sandbox, "jcli:user:stop:0");
    sandbox.write(FILE, HOOKS);
    assert!(listed(&sandbox).is_empty(), "the file is as before");
    sandbox.write(FILE, "stop:\n  - {command: a, timeout: 3}\n");
    assert!(listed(&sandbox).is_empty(), "the definition is there");
    sandbox.write(FILE, "stop:\n  - {command: a, timeout: 4}\n");
    assert_eq!(listed(&sandbox).len(), 1, "this is another one");
}

#[test]
fn picoclaw_sets_its_field() {
    let sandbox = Sandbox::new();
    let file = "home/.picoclaw/config.json";
    let text = "{\"hooks\": {\"processes\": {\"guard\": {\"enabled\": true, \"command\": [\"true\"], \"intercept\": [\"before_tool\"]}}}}\n";
    sandbox.write(file, text);
    let off = turn_off(&sandbox, "picoclaw:user:guard");
    assert_eq!(off.get("turned_off"), None);
    assert_eq!(
        read(&sandbox, file),
        text.replace("\"enabled\": true", "\"enabled\": false")
    );
    turn_on(&sandbox, "picoclaw:user:guard");
    assert_eq!(read(&sandbox, file), text);
}

#[test]
fn refusals_name_what_to_do() {
    let sandbox = with_user_hooks(HOOKS);
    let refused = sandbox.run(["edit", "jcli:user:stop:0", "--disable"]).assert_exit(1);
    assert!(
        refused.stderr.contains("hookwright turn-off jcli:user:stop:0"),
        "{}",
        refused.stderr
    );
    let unknown = sandbox.run(["turn-on", "01ZZ"]).assert_exit(1);
    assert!(unknown.stderr.contains("hookwright list"), "{}", unknown.stderr);
    sandbox.run(["turn-off", "jcli:user:stop:7"]).assert_exit(1);
    turn_off(&sandbox, "jcli:user:stop:0");
    turn_off(&sandbox, "jcli:user:stop:0");
    let both = sandbox.run(["turn-on", ""]).assert_exit(1);
    assert!(both.stderr.contains("2 hooks"), "{}", both.stderr);
    let folder = sandbox.data().join("turned_off");
    let damaged = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&damaged, "{").unwrap();
    let doc = list(&sandbox);
    let problem = &doc["problems"][0];
    assert_eq!(problem["path"], damaged.display().to_string());
    assert_eq!(doc["turned_off"].as_array().unwrap().len(), 1);
}

#[test]
fn an_interrupted_turn_off_loses_nothing() {
    let sandbox = with_user_hooks(HOOKS);
    let off = turn_off(&sandbox, "jcli:user:stop:0");
    // As if the program ended after it kept the definition, and before it wrote the file.
    let edits = sandbox.data().join("edits");
    let edit = edits.join(off["edit"].as_str().unwrap());
    std::fs::rename(&edit, edit.with_extension("pending")).unwrap();
    sandbox.write(FILE, HOOKS);
    assert!(listed(&sandbox).is_empty(), "the hook is in its file");
    // The next edit ends it for good.
    sandbox.run(["remove", "jcli:user:stop:0"]).assert_exit(0);
    assert!(listed(&sandbox).is_empty(), "it was removed, and not turned off");
}
