//! Tests of edits of skills: entries of `hooks.json` and the text files next to it (`CONTRACTS.md` §2.7).

use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::editing::{self, edit, read};

const FILE: &str = "project/skills/reader/hooks/hooks.json";
const HOOKS: &str = r#"{
  "hooks": [
    {
      "name": "hint",
      "file": "hint.md",
      "timing": "after_tool_call",
      "role": "system",
      "persistent": false,
      "tool_filter": ["read_file"]
    },
    {"name": "plan", "file": "plan.md", "timing": "before_planning", "role": "user", "persistent": false}
  ]
}
"#;

fn with_skill() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(FILE, HOOKS);
    text(&sandbox, "hint.md", "Look again.\n");
    text(&sandbox, "plan.md", "Plan first.");
    sandbox
}

fn text(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.write(&format!("project/skills/reader/hooks/{name}"), text);
}

fn add(sandbox: &Sandbox, event: &str, definition: &str) -> Finished {
    editing::add(sandbox, "skill", event, "skill", definition)
}

#[track_caller]
fn assert_replaced(sandbox: &Sandbox, from: &str, to: &str) {
    editing::assert_replaced(sandbox, FILE, HOOKS, from, to);
}

#[test]
fn an_entry_and_its_text_change() {
    let sandbox = with_skill();
    let doc = edit(
        &sandbox,
        &[
            "skill:skill:reader:hint",
            "--set",
            "role=user",
            "--set",
            "tool_filter=[read_file, grep]",
        ],
    );
    assert_eq!(
        (&doc["hook"], &doc["moved"]),
        (&json!("skill:skill:reader:hint"), &json!({}))
    );
    let after = HOOKS
        .replace("\"system\"", "\"user\"")
        .replace("[\"read_file\"]", "[\"read_file\", \"grep\"]");
    assert_eq!(read(&sandbox, FILE), after);
    edit(&sandbox, &["skill:skill:reader:plan", "--set", "text=yes"]);
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/plan.md"), "yes");
    assert_eq!(read(&sandbox, FILE), after);
    edit(
        &sandbox,
        &["skill:skill:reader:plan", "--set", "timing=before_first_agent"],
    );
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][1].clone();
    assert_eq!(row["event"], "before_first_agent");
    let text = "# Plan\n\n- one # not a comment\n- two\n\n";
    let set = format!("text={text}");
    edit(&sandbox, &["skill:skill:reader:plan", "--set", &set]);
    assert_eq!(
        read(&sandbox, "project/skills/reader/hooks/plan.md"),
        text,
        "as it stands"
    );
}

#[test]
fn a_new_hook_is_written_with_its_text() {
    let sandbox = with_skill();
    let definition =
        r#"{"skill": "reader", "name": "last word", "text": "Be brief.", "role": "system", "persistent": true}"#;
    let doc = add(&sandbox, "before_each_agent", definition).assert_exit(0).json();
    assert_eq!(doc["hook"], "skill:skill:reader:last word");
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/last-word.md"), "Be brief.");
    let value: Value = serde_json::from_str(&read(&sandbox, FILE)).unwrap();
    assert_eq!(
        value["hooks"][2],
        json!({"name": "last word", "file": "last-word.md", "timing": "before_each_agent", "role": "system", "persistent": true})
    );
    let other = r#"{"skill": "writer", "name": "style", "text": "Plain.", "role": "user", "persistent": false}"#;
    let doc = add(&sandbox, "after_user_input", other).assert_exit(0).json();
    assert_eq!(
        doc["path"],
        json!(sandbox.path("project/skills/writer/hooks/hooks.json"))
    );
    assert_eq!(read(&sandbox, "project/skills/writer/hooks/style.md"), "Plain.");
    let refused = |definition: &str, why: &str| {
        add(&sandbox, "before_planning", definition)
            .assert_exit(1)
            .assert_stderr(why)
    };
    refused(r#"{"name": "x", "text": "y"}"#, "skill");
    refused(r#"{"skill": "../x", "name": "x", "text": "y"}"#, "../x");
    refused(
        r#"{"skill": "reader", "name": "x", "file": "plan.md", "text": "y"}"#,
        "plan.md",
    );
    refused(
        r#"{"skill": "reader", "name": "x", "role": "system", "persistent": false}"#,
        "x.md",
    );
    refused(
        r#"{"skill": "reader", "name": "x", "text": "y", "role": "robot", "persistent": false}"#,
        "robot",
    );
    assert!(!sandbox.path("project/skills/reader/hooks/x.md").exists());
}

#[test]
fn a_copy_has_a_new_name_and_a_new_text_file() {
    let sandbox = with_skill();
    let doc = edit(
        &sandbox,
        &["skill:skill:reader:hint", "--duplicate", "--set", "text=Once more."],
    );
    assert_eq!(
        (&doc["hook"], &doc["moved"]),
        (&json!("skill:skill:reader:hint-2"), &json!({}))
    );
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/hint-2.md"), "Once more.");
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/hint.md"), "Look again.\n");
    let value: Value = serde_json::from_str(&read(&sandbox, FILE)).unwrap();
    assert_eq!(
        (&value["hooks"][1]["name"], &value["hooks"][1]["file"]),
        (&json!("hint-2"), &json!("hint-2.md"))
    );
}

#[test]
fn a_hook_moves_in_its_list_and_to_another_skill() {
    let sandbox = with_skill();
    edit(&sandbox, &["skill:skill:reader:plan", "--move-to", "1"]);
    let value: Value = serde_json::from_str(&read(&sandbox, FILE)).unwrap();
    assert_eq!(value["hooks"][0]["name"], "plan");
    let doc = edit(&sandbox, &["skill:skill:reader:plan", "--set", "skill=writer"]);
    assert_eq!(
        doc["moved"],
        json!({"skill:skill:reader:plan": "skill:skill:writer:plan"})
    );
    assert_eq!(read(&sandbox, "project/skills/writer/hooks/plan.md"), "Plan first.");
    assert!(!sandbox.path("project/skills/reader/hooks/plan.md").exists());
}

#[test]
fn the_text_of_a_removed_hook_is_removed_unless_another_uses_it() {
    let sandbox = with_skill();
    let second = HOOKS.replace("plan.md", "hint.md");
    sandbox.write(FILE, &second);
    sandbox.run(["remove", "skill:skill:reader:plan"]).assert_exit(0);
    assert!(sandbox.path("project/skills/reader/hooks/hint.md").exists());
    sandbox.write(FILE, HOOKS);
    let doc = sandbox
        .run(["remove", "skill:skill:reader:plan", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(doc["hook"], Value::Null);
    assert_replaced(
        &sandbox,
        ",\n    {\"name\": \"plan\", \"file\": \"plan.md\", \"timing\": \"before_planning\", \"role\": \"user\", \"persistent\": false}",
        "",
    );
    assert!(!sandbox.path("project/skills/reader/hooks/plan.md").exists());
}

#[test]
fn an_unsupported_change_of_a_skill_is_refused_with_the_supported_ones() {
    let sandbox = with_skill();
    let refused = |args: &[&str], why: &str| {
        sandbox
            .run(["edit", "skill:skill:reader:hint"].iter().chain(args))
            .assert_exit(1)
            .assert_stderr(why);
        assert_eq!(read(&sandbox, FILE), HOOKS);
    };
    refused(&["--disable"], "hookwright turn-off");
    refused(&["--to-layer", "user"], "skill");
    refused(&["--set", "file=../secret.md"], "..");
    refused(&["--set", "file=none.md"], "none.md");
    refused(&["--set", "persistent=maybe"], "persistent");
    refused(&["--unset", "role"], "role");
}

#[test]
fn only_a_text_inside_the_skill_is_removed_with_its_hook() {
    let sandbox = with_skill();
    let own = sandbox.path("project/skills/reader/hooks");
    sandbox.write("home/precious", "keep me");
    std::fs::remove_file(own.join("hint.md")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("home/precious"), own.join("hint.md")).unwrap();
    sandbox.run(["remove", "skill:skill:reader:hint"]).assert_exit(0);
    assert_eq!(read(&sandbox, "home/precious"), "keep me");
    assert!(own.join("hint.md").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_text_that_two_hooks_name_by_different_paths_stays() {
    let sandbox = with_skill();
    let own = sandbox.path("project/skills/reader/hooks");
    std::fs::remove_file(own.join("hint.md")).unwrap();
    std::os::unix::fs::symlink("plan.md", own.join("hint.md")).unwrap();
    sandbox.run(["remove", "skill:skill:reader:plan"]).assert_exit(0);
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/hint.md"), "Plan first.");
}

#[test]
fn a_copy_of_an_unapproved_hook_is_not_approved() {
    let sandbox = with_skill();
    edit(&sandbox, &["skill:skill:reader:plan", "--duplicate"]);
    let list = sandbox
        .run(["list", "--dialect", "skill", "--json"])
        .assert_exit(0)
        .json();
    let trusted: Vec<&Value> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["trusted"])
        .collect();
    assert_eq!(trusted, [false, false, false]);
}

#[test]
fn a_text_is_moved_unchanged() {
    let sandbox = Sandbox::new();
    let entry = r#"{"hooks": [{"name": "a", "file": "a.md", "timing": "before_planning", "role": "user", "persistent": false}]}"#;
    sandbox.write("project/skills/one/hooks/hooks.json", entry);
    sandbox.write("project/skills/one/hooks/a.md", "\u{feff}text\r\n");
    sandbox
        .run(["edit", "skill:skill:one:a", "--set", "skill=two"])
        .assert_exit(0);
    let text = std::fs::read(sandbox.path("project/skills/two/hooks/a.md")).unwrap();
    assert_eq!(text, "\u{feff}text\r\n".as_bytes());
    assert!(!sandbox.path("project/skills/one/hooks/a.md").exists());
}
