//! Editing skills: entries of `hooks.json` and the texts beside it (`CONTRACTS.md` §2.7).

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
fn only(sandbox: &Sandbox, from: &str, to: &str) {
    editing::only(sandbox, FILE, HOOKS, from, to);
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
    let row = sandbox.run(["list", "--json"]).exits(0).json()["hooks"][1].clone();
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
fn a_new_hook_brings_its_text() {
    let sandbox = with_skill();
    let definition =
        r#"{"skill": "reader", "name": "last word", "text": "Be brief.", "role": "system", "persistent": true}"#;
    let doc = add(&sandbox, "before_each_agent", definition).exits(0).json();
    assert_eq!(doc["hook"], "skill:skill:reader:last word");
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/last-word.md"), "Be brief.");
    let value: Value = serde_json::from_str(&read(&sandbox, FILE)).unwrap();
    assert_eq!(
        value["hooks"][2],
        json!({"name": "last word", "file": "last-word.md", "timing": "before_each_agent", "role": "system", "persistent": true})
    );
    let other = r#"{"skill": "writer", "name": "style", "text": "Plain.", "role": "user", "persistent": false}"#;
    let doc = add(&sandbox, "after_user_input", other).exits(0).json();
    assert_eq!(
        doc["path"],
        json!(sandbox.path("project/skills/writer/hooks/hooks.json"))
    );
    assert_eq!(read(&sandbox, "project/skills/writer/hooks/style.md"), "Plain.");
    let refused = |definition: &str, why: &str| add(&sandbox, "before_planning", definition).exits(1).complains(why);
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
fn a_copy_has_a_name_and_a_text_of_its_own() {
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
fn a_removed_hook_takes_its_text_along_unless_another_needs_it() {
    let sandbox = with_skill();
    let second = HOOKS.replace("plan.md", "hint.md");
    sandbox.write(FILE, &second);
    sandbox.run(["remove", "skill:skill:reader:plan"]).exits(0);
    assert!(sandbox.path("project/skills/reader/hooks/hint.md").exists());
    sandbox.write(FILE, HOOKS);
    let doc = sandbox
        .run(["remove", "skill:skill:reader:plan", "--json"])
        .exits(0)
        .json();
    assert_eq!(doc["hook"], Value::Null);
    only(
        &sandbox,
        ",\n    {\"name\": \"plan\", \"file\": \"plan.md\", \"timing\": \"before_planning\", \"role\": \"user\", \"persistent\": false}",
        "",
    );
    assert!(!sandbox.path("project/skills/reader/hooks/plan.md").exists());
}

#[test]
fn what_a_skill_cannot_say_is_refused_with_what_it_can() {
    let sandbox = with_skill();
    let refused = |args: &[&str], why: &str| {
        sandbox
            .run(["edit", "skill:skill:reader:hint"].iter().chain(args))
            .exits(1)
            .complains(why);
        assert_eq!(read(&sandbox, FILE), HOOKS);
    };
    refused(&["--disable"], "hookwright mute");
    refused(&["--to-layer", "user"], "skill");
    refused(&["--set", "file=../secret.md"], "..");
    refused(&["--set", "file=none.md"], "none.md");
    refused(&["--set", "persistent=maybe"], "persistent");
    refused(&["--unset", "role"], "role");
}

#[test]
fn only_a_text_of_the_skills_own_goes_with_its_hook() {
    let sandbox = with_skill();
    let own = sandbox.path("project/skills/reader/hooks");
    sandbox.write("home/precious", "keep me");
    std::fs::remove_file(own.join("hint.md")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("home/precious"), own.join("hint.md")).unwrap();
    sandbox.run(["remove", "skill:skill:reader:hint"]).exits(0);
    assert_eq!(read(&sandbox, "home/precious"), "keep me");
    assert!(own.join("hint.md").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_text_that_two_hooks_reach_by_two_ways_stays() {
    let sandbox = with_skill();
    let own = sandbox.path("project/skills/reader/hooks");
    std::fs::remove_file(own.join("hint.md")).unwrap();
    std::os::unix::fs::symlink("plan.md", own.join("hint.md")).unwrap();
    sandbox.run(["remove", "skill:skill:reader:plan"]).exits(0);
    assert_eq!(read(&sandbox, "project/skills/reader/hooks/hint.md"), "Plan first.");
}

#[test]
fn a_copy_of_what_nobody_approved_is_not_approved() {
    let sandbox = with_skill();
    edit(&sandbox, &["skill:skill:reader:plan", "--duplicate"]);
    let list = sandbox.run(["list", "--dialect", "skill", "--json"]).exits(0).json();
    let trusted: Vec<&Value> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["trusted"])
        .collect();
    assert_eq!(trusted, [false, false, false]);
}

#[test]
fn a_text_goes_along_as_it_is() {
    let sandbox = Sandbox::new();
    let entry = r#"{"hooks": [{"name": "a", "file": "a.md", "timing": "before_planning", "role": "user", "persistent": false}]}"#;
    sandbox.write("project/skills/one/hooks/hooks.json", entry);
    sandbox.write("project/skills/one/hooks/a.md", "\u{feff}text\r\n");
    sandbox
        .run(["edit", "skill:skill:one:a", "--set", "skill=two"])
        .exits(0);
    let text = std::fs::read(sandbox.path("project/skills/two/hooks/a.md")).unwrap();
    assert_eq!(text, "\u{feff}text\r\n".as_bytes());
    assert!(!sandbox.path("project/skills/one/hooks/a.md").exists());
}
