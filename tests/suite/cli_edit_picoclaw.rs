//! Tests of edits of PicoClaw's configuration, where each process has a name (`CONTRACTS.md` §2.7).

use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::editing::{self, edit, read};

const FILE: &str = "home/.picoclaw/config.json";

const CONFIG: &str = r#"{
    "agents": {"defaults": {"model": "m"}},
    "hooks": {
        "enabled": true,
        "builtins": {"audit": {"enabled": true}},
        "processes": {
            // asks before anything is written
            "gate": {
                "enabled": true,
                "command": ["python3", "gate.py"],
                "intercept": ["approve_tool"], // all of them
                "env": {"A": "1"}
            },
            "watch": {"enabled": false, "command": ["watch"], "observe": ["*"]}
        }
    }
}
"#;

fn with_config() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(FILE, CONFIG);
    sandbox
}

fn add(sandbox: &Sandbox, event: &str, layer: &str, definition: &str) -> Finished {
    editing::add(sandbox, "picoclaw", event, layer, definition)
}

#[track_caller]
fn assert_replaced(sandbox: &Sandbox, from: &str, to: &str) {
    editing::assert_replaced(sandbox, FILE, CONFIG, from, to);
}

#[test]
fn fields_change_in_the_entry_of_that_name() {
    let sandbox = with_config();
    let doc = edit(
        &sandbox,
        &["picoclaw:user:gate", "--set", "priority=-5", "--set", "env.B=2"],
    );
    assert_eq!(
        (&doc["hook"], &doc["moved"]),
        (&json!("picoclaw:user:gate"), &json!({}))
    );
    assert_replaced(
        &sandbox,
        "\"env\": {\"A\": \"1\"}\n",
        "\"env\": {\"A\": \"1\", \"B\": \"2\"},\n                \"priority\": -5\n",
    );
    sandbox.write(FILE, CONFIG);
    edit(&sandbox, &["picoclaw:user:watch", "--set", "command=[watch, --all]"]);
    assert_replaced(&sandbox, "[\"watch\"]", "[\"watch\", \"--all\"]");
}

#[test]
fn enable_and_disable_change_the_field_of_the_entry() {
    let sandbox = with_config();
    edit(&sandbox, &["picoclaw:user:watch", "--enable"]);
    assert_replaced(&sandbox, "\"enabled\": false", "\"enabled\": true");
    edit(&sandbox, &["picoclaw:user:watch", "--disable"]);
    assert_eq!(read(&sandbox, FILE), CONFIG);
}

#[test]
fn a_new_process_has_its_name_as_id_and_its_event() {
    let sandbox = with_config();
    let doc = add(
        &sandbox,
        "before_tool",
        "user",
        r#"{"name": "guard", "enabled": true, "command": ["g"]}"#,
    );
    assert_eq!(doc.assert_exit(0).json()["hook"], "picoclaw:user:guard");
    let value: Value = serde_json::from_str(
        &read(&sandbox, FILE)
            .replace("// asks before anything is written", "")
            .replace("// all of them", ""),
    )
    .unwrap();
    assert_eq!(
        value["hooks"]["processes"]["guard"],
        json!({"enabled": true, "command": ["g"], "intercept": ["before_tool"]})
    );
    add(
        &sandbox,
        "before_tool",
        "user",
        r#"{"name": "guard", "command": ["g"]}"#,
    )
    .assert_exit(1)
    .assert_stderr("guard");
    add(&sandbox, "before_tool", "user", r#"{"command": ["g"]}"#)
        .assert_exit(1)
        .assert_stderr("name");
    add(&sandbox, "before_tool", "user", r#"{"name": "x"}"#)
        .assert_exit(1)
        .assert_stderr("command");
    let doc = add(&sandbox, "turn_end", "project", r#"{"name": "log", "command": ["l"]}"#)
        .assert_exit(0)
        .json();
    assert_eq!(doc["path"], json!(sandbox.path("project/.picoclaw/config.json")));
    assert!(read(&sandbox, "project/.picoclaw/config.json").contains("\"observe\": [\"turn_end\"]"));
}

#[test]
fn an_entry_is_copied_renamed_moved_and_removed_with_its_comments() {
    let sandbox = with_config();
    let doc = edit(&sandbox, &["picoclaw:user:gate", "--duplicate"]);
    assert_eq!(doc["hook"], "picoclaw:user:gate-2");
    let text = read(&sandbox, FILE);
    assert_eq!(text.matches("// asks before").count(), 2, "{text}");
    let doc = edit(&sandbox, &["picoclaw:user:gate-2", "--set", "name=second"]);
    assert_eq!(doc["moved"], json!({"picoclaw:user:gate-2": "picoclaw:user:second"}));
    let doc = edit(&sandbox, &["picoclaw:user:second", "--to-layer", "project"]);
    assert_eq!(doc["moved"], json!({"picoclaw:user:second": "picoclaw:project:second"}));
    assert_eq!(read(&sandbox, FILE), CONFIG);
    let project = read(&sandbox, "project/.picoclaw/config.json");
    assert!(
        project.contains("// asks before") && project.contains("// all of them"),
        "{project}"
    );
    let doc = sandbox
        .run(["remove", "picoclaw:user:watch", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(doc["hook"], Value::Null);
    assert_replaced(
        &sandbox,
        "            },\n            \"watch\": {\"enabled\": false, \"command\": [\"watch\"], \"observe\": [\"*\"]}\n",
        "            }\n",
    );
}

#[test]
fn an_unsupported_change_of_picoclaw_is_refused_with_the_supported_ones() {
    let sandbox = with_config();
    let refused = |args: &[&str], why: &str| {
        sandbox
            .run(["edit"].iter().chain(args))
            .assert_exit(1)
            .assert_stderr(why);
        assert_eq!(read(&sandbox, FILE), CONFIG);
    };
    refused(&["picoclaw:user:gate", "--move-to", "1"], "priority");
    refused(&["picoclaw:user:gate", "--set", "name=watch"], "watch");
    refused(
        &["picoclaw:user:gate", "--set", "intercept=[before_lunch]"],
        "before_lunch",
    );
    refused(&["picoclaw:user:gate", "--to-layer", "local"], "user, project");
    refused(&["picoclaw:builtin:audit", "--disable"], "hooks.builtins");
}

#[test]
fn an_entry_for_other_events_is_refused_by_the_field_that_says_so() {
    let sandbox = with_config();
    for (event, fields, said) in [
        ("before_tool", r#""observe": ["*"]"#, "`observe: *`"),
        (
            "before_tool",
            r#""intercept": ["approve_tool"], "observe": ["*"]"#,
            "`intercept: approve_tool`",
        ),
        (
            "turn_end",
            r#""intercept": ["approve_tool"]"#,
            "`intercept: approve_tool`",
        ),
    ] {
        let definition = format!(r#"{{"name": "n", "command": ["n"], {fields}}}"#);
        add(&sandbox, event, "user", &definition)
            .assert_exit(1)
            .assert_stderr(said);
        assert_eq!(read(&sandbox, FILE), CONFIG);
    }
}

#[test]
fn entries_of_one_name_are_told_apart_also_beside_one_that_is_named_like_an_id() {
    let sandbox = Sandbox::new();
    let entry = |command: &str| format!(r#"{{"enabled": true, "command": ["{command}"], "observe": ["agent_error"]}}"#);
    let entries = format!(
        r#""x": {}, "x": {}, "x.2": {}"#,
        entry("first"),
        entry("second"),
        entry("third")
    );
    sandbox.write(
        FILE,
        format!(r#"{{"hooks": {{"enabled": true, "processes": {{{entries}}}}}}}"#),
    );
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let hooks = list["hooks"].as_array().unwrap().iter();
    let mut ids: Vec<&str> = hooks.filter_map(|hook| hook["hook"].as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["picoclaw:user:x", "picoclaw:user:x.2", "picoclaw:user:x.3"]);
    edit(&sandbox, &["picoclaw:user:x.2", "--set", "priority=5"]);
    let text = read(&sandbox, FILE);
    let third = text.find("third").unwrap();
    assert!(text.find("\"priority\": 5").is_some_and(|at| at > third), "{text}");
}
