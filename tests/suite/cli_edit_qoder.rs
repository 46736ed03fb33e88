//! Tests of edits of Qoder's settings: entries and the groups that contain them (`CONTRACTS.md` §2.7).

use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::editing::{self, edit, read};

const FILE: &str = "home/.qoder/settings.json";

const SETTINGS: &str = r#"{
	"model": "m",
	"hooks": {
		// guards first
		"PreToolUse": [
			{
				"matcher": "Bash",
				"hooks": [
					{ "type": "command", "command": "guard" }, // always
					// and a log
					{ "type": "command", "command": "log", "timeout": 5 }
				]
			},
			// the formatter
			{ "matcher": "Write|Edit", "hooks": [{ "type": "command", "command": "fmt" }] },
		]
	}
}
"#;

fn with_settings() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(FILE, SETTINGS);
    sandbox
}

fn add(sandbox: &Sandbox, event: &str, layer: &str, definition: &str) -> Finished {
    editing::add(sandbox, "qoder", event, layer, definition)
}

#[track_caller]
fn assert_replaced(sandbox: &Sandbox, from: &str, to: &str) {
    editing::assert_replaced(sandbox, FILE, SETTINGS, from, to);
}

#[test]
fn a_hook_of_an_event_that_only_the_agent_fires_is_kept_for_it() {
    let sandbox = with_settings();
    let definition = r#"{"matcher": "idle", "type": "command", "command": "x"}"#;
    let doc = add(&sandbox, "Notification", "user", definition).assert_exit(0).json();
    assert_eq!(doc["hook"], "qoder:user:Notification:settings.0.0");
    assert_eq!(doc["problems"][0]["code"], "unsupported");
    sandbox
        .run(["remove", "qoder:user:Notification:settings.0.0"])
        .assert_exit(0);
    assert_eq!(read(&sandbox, FILE), SETTINGS);
    add(&sandbox, "Notifications", "user", definition)
        .assert_exit(1)
        .assert_stderr("Notification");
}

#[test]
fn a_field_changes_in_json_with_comments_like_anywhere() {
    let sandbox = with_settings();
    edit(
        &sandbox,
        &[
            "qoder:user:PreToolUse:settings.0.1",
            "--set",
            "timeout=9",
            "--set",
            "name=the log",
        ],
    );
    assert_replaced(&sandbox, "\"timeout\": 5 }", "\"timeout\": 9, \"name\": \"the log\" }");
    sandbox.write(FILE, SETTINGS);
    edit(&sandbox, &["qoder:user:PreToolUse:settings.0.1", "--unset", "timeout"]);
    assert_replaced(&sandbox, ", \"timeout\": 5", "");
}

#[test]
fn a_new_hook_with_a_matcher_gets_a_group_of_its_own() {
    let sandbox = with_settings();
    let doc = add(
        &sandbox,
        "PreToolUse",
        "user",
        r#"{"matcher": "Read", "type": "command", "command": "x"}"#,
    );
    assert_eq!(doc.assert_exit(0).json()["hook"], "qoder:user:PreToolUse:settings.2.0");
    let last = "\"command\": \"fmt\" }] },\n";
    let group = "\t\t\t{\n\t\t\t\t\"matcher\": \"Read\",\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"x\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t},\n";
    assert_replaced(&sandbox, last, &format!("{last}{group}"));
}

#[test]
fn a_new_hook_without_a_matcher_joins_a_group_that_has_none() {
    let sandbox = with_settings();
    let stop = |command: &str| {
        let definition = json!({"type": "command", "command": command}).to_string();
        add(&sandbox, "Stop", "user", &definition).assert_exit(0).json()["hook"].clone()
    };
    assert_eq!(stop("a"), "qoder:user:Stop:settings.0.0");
    assert_eq!(stop("b"), "qoder:user:Stop:settings.0.1");
    let bash = add(&sandbox, "PreToolUse", "user", r#"{"type": "command", "command": "x"}"#);
    assert_eq!(bash.assert_exit(0).json()["hook"], "qoder:user:PreToolUse:settings.2.0");
}

#[test]
fn the_layers_are_three_files() {
    let sandbox = Sandbox::new();
    for (layer, file, hook) in [
        ("user", FILE, "qoder:user:Stop:settings.0.0"),
        (
            "project",
            "project/.qoder/settings.json",
            "qoder:project:Stop:settings.0.0",
        ),
        (
            "local",
            "project/.qoder/settings.local.json",
            "qoder:project:Stop:local.0.0",
        ),
    ] {
        let doc = add(&sandbox, "Stop", layer, r#"{"type": "command", "command": "exit 0"}"#)
            .assert_exit(0)
            .json();
        assert_eq!((&doc["hook"], &doc["path"]), (&json!(hook), &json!(sandbox.path(file))));
        let value: Value = serde_json::from_str(&read(&sandbox, file)).unwrap();
        assert_eq!(
            value,
            json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}})
        );
    }
    add(&sandbox, "Stop", "skill", "{}")
        .assert_exit(1)
        .assert_stderr("user, project, local");
}

#[test]
fn a_new_matcher_moves_a_hook_out_of_a_shared_group() {
    let sandbox = with_settings();
    let doc = edit(
        &sandbox,
        &["qoder:user:PreToolUse:settings.1.0", "--set", "matcher=Write"],
    );
    assert_eq!(
        (&doc["hook"], &doc["moved"]),
        (&json!("qoder:user:PreToolUse:settings.1.0"), &json!({}))
    );
    assert_replaced(&sandbox, "Write|Edit", "Write");
    sandbox.write(FILE, SETTINGS);
    let doc = edit(
        &sandbox,
        &["qoder:user:PreToolUse:settings.0.1", "--set", "matcher=Read"],
    );
    assert_eq!(doc["hook"], "qoder:user:PreToolUse:settings.1.0");
    assert_eq!(
        doc["moved"],
        json!({
            "qoder:user:PreToolUse:settings.0.1": "qoder:user:PreToolUse:settings.1.0",
            "qoder:user:PreToolUse:settings.1.0": "qoder:user:PreToolUse:settings.2.0",
        })
    );
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let filters: Vec<&Value> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["filter"]["matcher"])
        .collect();
    assert_eq!(filters, ["Bash", "Read", "Write|Edit"]);
    assert!(read(&sandbox, FILE).contains("// and a log\n"));
    let done = sandbox
        .run([
            "edit",
            "qoder:user:PreToolUse:settings.0.0",
            "--set",
            "matcher=(",
            "--json",
        ])
        .assert_exit(1);
    assert_eq!(done.json()["written"], false);
}

#[test]
fn hooks_move_in_their_group_and_groups_in_their_event() {
    let sandbox = with_settings();
    edit(&sandbox, &["qoder:user:PreToolUse:settings.0.1", "--move-to", "1"]);
    let text = read(&sandbox, FILE);
    let order = "\t// and a log\n\t\t\t\t\t{ \"type\": \"command\", \"command\": \"log\", \"timeout\": 5 },\n\t\t\t\t\t{ \"type\": \"command\", \"command\": \"guard\" } // always\n";
    assert!(text.contains(order), "{text}");
    let doc = edit(&sandbox, &["qoder:user:PreToolUse:settings.1.0", "--move-to", "1"]);
    assert_eq!(doc["hook"], "qoder:user:PreToolUse:settings.0.0");
    assert_eq!(doc["moved"].as_object().unwrap().len(), 3);
    let text = read(&sandbox, FILE);
    assert!(
        text.find("// the formatter").unwrap() < text.find("\"Bash\"").unwrap(),
        "{text}"
    );
}

#[test]
fn a_group_is_removed_with_its_last_hook() {
    let sandbox = with_settings();
    sandbox
        .run(["remove", "qoder:user:PreToolUse:settings.1.0"])
        .assert_exit(0);
    let group = "\t\t\t// the formatter\n\t\t\t{ \"matcher\": \"Write|Edit\", \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }] },\n";
    assert_replaced(&sandbox, group, "");
    sandbox.write(FILE, SETTINGS);
    let doc = edit(&sandbox, &["qoder:user:PreToolUse:settings.1.0", "--to-layer", "local"]);
    assert_eq!(doc["hook"], "qoder:project:PreToolUse:local.0.0");
    assert_replaced(&sandbox, group, "");
    let local = read(&sandbox, "project/.qoder/settings.local.json");
    assert!(
        local.contains("// the formatter\n") && local.contains("\"Write|Edit\""),
        "{local}"
    );
}

#[test]
fn a_hook_brings_its_matcher_to_another_file() {
    let sandbox = with_settings();
    let doc = edit(
        &sandbox,
        &[
            "qoder:user:PreToolUse:settings.0.0",
            "--duplicate",
            "--to-layer",
            "project",
        ],
    );
    assert_eq!(
        (&doc["hook"], &doc["moved"]),
        (&json!("qoder:project:PreToolUse:settings.0.0"), &json!({}))
    );
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let copy = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["layer"] == "project")
        .unwrap();
    assert_eq!(
        (&copy["filter"]["matcher"], &copy["trusted"]),
        (&json!("Bash"), &json!(true))
    );
    assert_eq!(read(&sandbox, FILE), SETTINGS);
}

#[test]
fn an_unsupported_change_of_qoder_is_refused() {
    let sandbox = with_settings();
    let refused = |args: &[&str], why: &str| {
        sandbox
            .run(["edit", "qoder:user:PreToolUse:settings.0.0"].iter().chain(args))
            .assert_exit(1)
            .assert_stderr(why);
        assert_eq!(read(&sandbox, FILE), SETTINGS);
    };
    refused(&["--disable"], "hookwright turn-off");
    refused(&["--set", "timeout=0"], "timeout");
    refused(&["--unset", "command"], "command");
    refused(&["--move-to", "3"], "2");
}

const MODULE: &str = "\
import json

async def ask(input_data, tool_use_id, context):
    return {}

hooks = {
    'PreToolUse': [{'matcher': 'Bash', 'hooks': [ask]}, {'hooks': [ask]}],
    'Stop': [{'hooks': [ask]}],
}
";

#[test]
fn hooks_of_a_module_do_not_change_the_position_of_others() {
    let sandbox = with_settings();
    sandbox.write("home/.qoder/hooks.py", MODULE);
    let settings = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [\n        {\"type\": \"command\", \"command\": \"a\"},\n        {\"type\": \"command\", \"command\": \"b\"}\n      ]}\n    ]\n  }\n}\n";
    let file = "project/.qoder/settings.json";
    sandbox.write(file, settings);
    sandbox.run(["check", "--import"]).assert_exit(0);
    let known = sandbox.run(["list", "--json"]).assert_exit(0);
    assert!(known.stdout.contains("qoder:user:PreToolUse:module.1.0"), "{known}");
    for id in ["qoder:user:PreToolUse:module.1.0", "qoder:user:Stop:module.0.0"] {
        let done = sandbox.run(["edit", id, "--set", "timeout=3"]).assert_exit(1);
        assert!(done.stderr.contains("hooks.py:3"), "{done}");
        sandbox.run(["remove", id]).assert_exit(1).assert_stderr("hooks.py");
    }
    sandbox
        .run(["edit", "qoder:user:*:module", "--set", "timeout=3"])
        .assert_exit(1)
        .assert_stderr("hooks.py");
    let doc = edit(&sandbox, &["qoder:project:Stop:settings.0.1", "--set", "command=c"]);
    assert_eq!(doc["hook"], "qoder:project:Stop:settings.0.1");
    assert_eq!(read(&sandbox, file), settings.replace("\"b\"", "\"c\""));
    let doc = edit(&sandbox, &["qoder:project:Stop:settings.0.1", "--move-to", "1"]);
    assert_eq!(
        doc["moved"],
        json!({
            "qoder:project:Stop:settings.0.0": "qoder:project:Stop:settings.0.1",
            "qoder:project:Stop:settings.0.1": "qoder:project:Stop:settings.0.0",
        })
    );
    sandbox
        .run(["remove", "qoder:project:Stop:settings.0.1"])
        .assert_exit(0);
    assert_eq!(read(&sandbox, file).matches("\"command\": \"c\"").count(), 1);
    assert_eq!(read(&sandbox, FILE), SETTINGS);
}

#[test]
fn the_only_hook_of_a_group_moves_with_the_comments_of_the_group() {
    let sandbox = Sandbox::new();
    let group = |comment: &str, command: &str| {
        format!(
            "{{\n  \"hooks\": {{\n    \"Stop\": [{comment}\n      {{\"hooks\": [{{\"type\": \"command\", \"command\": \"{command}\"}}]}}\n    ]\n  }}\n}}\n"
        )
    };
    sandbox.write(FILE, group("\n      // why", "a"));
    sandbox.write("project/.qoder/settings.json", group("", "b"));
    edit(&sandbox, &["qoder:user:Stop:settings.0.0", "--to-layer", "project"]);
    let now = read(&sandbox, "project/.qoder/settings.json");
    assert!(
        now.contains("      // why\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}\n"),
        "{now}"
    );
}

/// Runs a command on a project's settings with the text `before` and asserts that the text is `after`.
#[track_caller]
fn assert_edit(before: &str, args: &[&str], after: &str) {
    const FILE: &str = "project/.qoder/settings.json";
    let sandbox = Sandbox::new();
    sandbox.write(FILE, before);
    sandbox.run(args).assert_exit(0);
    assert_eq!(read(&sandbox, FILE), after);
}

#[test]
fn comments_between_brackets_stay_with_their_hook() {
    let (first, second) = ("qoder:project:Stop:settings.0.0", "qoder:project:Stop:settings.0.1");
    assert_edit(
        "{\"hooks\": {\"Stop\": [\n  {\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}\n  // kept\n]}}\n",
        &["remove", first],
        "{\"hooks\": {\"Stop\": [\n  // kept\n]}}\n",
    );
    assert_edit(
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"} /* a's */, {"type": "command", "command": "b"}]}]}}"#,
        &["remove", second],
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"} /* a's */]}]}}"#,
    );
    assert_edit(
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a" /* why */, "timeout": 3}]}]}}"#,
        &["edit", first, "--unset", "timeout"],
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a" /* why */}]}]}}"#,
    );
    assert_edit(
        "{\"hooks\": {\"Stop\": [{\"hooks\": [\n  {\"type\": \"command\", \"command\": \"a\"} /* a's */,\n  {\"type\": \"command\", \"command\": \"b\"} // b's\n]}]}}\n",
        &["edit", first, "--move-to", "2"],
        "{\"hooks\": {\"Stop\": [{\"hooks\": [\n  {\"type\": \"command\", \"command\": \"b\"}, // b's\n  {\"type\": \"command\", \"command\": \"a\"} /* a's */\n]}]}}\n",
    );
}
