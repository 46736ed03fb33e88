//! Tests of `add`, `edit` and `remove`: user files change as requested, and nothing else in them changes
//! (`CONTRACTS.md` §2.7).

mod approvals_and_mutes;
mod layout;

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::editing::{self, edit, read};
use crate::jcli::{outcomes, project, trace, user, with_user_hooks};

const FILE: &str = "home/.jdata/agent/hooks.yaml";

const HOOKS: &str = "\
# my hooks

stop:
  # the first
  - command: \"echo hi\"   # greets
    timeout:  5
    note: kept # unknown, and kept
  # the second
  - {command: exit 0, retry: 1}

# tools
pre_tool_execution:
  - type: llm
    prompt: |
      safe? {{tool_name}}
      # no comment
    filter: {tool_matcher: 'Bash|Shell'}
";

/// Runs an edit and asserts that it is refused and the file is unchanged.
#[track_caller]
fn assert_refused(sandbox: &Sandbox, args: &[&str]) -> Finished {
    let before = read(sandbox, FILE);
    let done = sandbox.run(args).assert_exit(1);
    assert_eq!(read(sandbox, FILE), before);
    done
}

/// Asserts that the hook file is `before` with `from` replaced by `to`.
#[track_caller]
fn assert_replaced(sandbox: &Sandbox, before: &str, from: &str, to: &str) {
    editing::assert_replaced(sandbox, FILE, before, from, to);
}

#[test]
fn a_field_changes_and_no_other_byte() {
    let sandbox = with_user_hooks(HOOKS);
    let doc = edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=9"]);
    assert_replaced(&sandbox, HOOKS, "timeout:  5", "timeout:  9");
    assert_eq!(doc["hook"], "jcli:user:stop:0");
    assert_eq!((&doc["moved"], &doc["written"]), (&json!({}), &json!(true)));
    assert_eq!(doc["path"], json!(sandbox.path(FILE)));
    let diff = doc["diff"].as_str().unwrap();
    assert!(diff.contains("-    timeout:  5\n+    timeout:  9\n"), "{diff}");
    assert!(doc["problems"].is_array());
}

#[test]
fn a_new_value_keeps_the_style_of_the_old_one() {
    let sandbox = with_user_hooks(HOOKS);
    edit(&sandbox, &["jcli:user:stop:0", "--set", "command=sh \"a b\""]);
    assert_replaced(&sandbox, HOOKS, "\"echo hi\"", "\"sh \\\"a b\\\"\"");
    user(&sandbox, HOOKS);
    edit(
        &sandbox,
        &["jcli:user:stop:1", "--set", "retry=2", "--set", "timeout=3"],
    );
    assert_replaced(&sandbox, HOOKS, "retry: 1}", "retry: 2, timeout: 3}");
    user(&sandbox, HOOKS);
    edit(
        &sandbox,
        &["jcli:user:pre_tool_execution:0", "--set", "filter.tool_matcher=Edit"],
    );
    assert_replaced(&sandbox, HOOKS, "'Bash|Shell'", "'Edit'");
    user(&sandbox, HOOKS);
    edit(
        &sandbox,
        &["jcli:user:pre_tool_execution:0", "--set", "prompt=\"one\\n  two\\n\""],
    );
    assert_replaced(
        &sandbox,
        HOOKS,
        "safe? {{tool_name}}\n      # no comment\n",
        "one\n        two\n",
    );
}

#[test]
fn a_field_can_be_added_or_removed() {
    let sandbox = with_user_hooks(HOOKS);
    edit(&sandbox, &["jcli:user:stop:0", "--unset", "timeout"]);
    assert_replaced(&sandbox, HOOKS, "    timeout:  5\n", "");
    user(&sandbox, HOOKS);
    edit(&sandbox, &["jcli:user:stop:0", "--set", "filter.tool_name=Bash"]);
    let line = "    note: kept # unknown, and kept\n";
    assert_replaced(
        &sandbox,
        HOOKS,
        line,
        &format!("{line}    filter:\n      tool_name: Bash\n"),
    );
    user(&sandbox, HOOKS);
    edit(
        &sandbox,
        &["jcli:user:pre_tool_execution:0", "--unset", "filter.tool_matcher"],
    );
    assert_replaced(&sandbox, HOOKS, "{tool_matcher: 'Bash|Shell'}", "{}");
}

#[test]
fn a_text_that_is_no_yaml_string_is_stored_as_written() {
    let sandbox = with_user_hooks("stop:\n  - command: x\n");
    for (given, command) in [
        ("42", "42"),
        ("[ -f x ] && y", "[ -f x ] && y"),
        ("true", "true"),
        ("'quoted # text'", "quoted # text"),
        ("@daily: {", "@daily: {"),
    ] {
        edit(&sandbox, &["jcli:user:stop:0", "--set", &format!("command={given}")]);
        let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
        assert_eq!(row["definition"]["command"], command);
    }
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--set", "filter={"]).assert_stderr("filter");
}

#[test]
fn what_a_shell_reads_in_a_command_is_not_read_by_yaml() {
    let sandbox = with_user_hooks("stop:\n  - command: x\n");
    for given in [
        "! grep -q x",
        "exit 2 # x",
        "&x y",
        "*x",
        "!tag y",
        "\"a\" # b",
        "! 'a'",
        "echo a\necho b",
        "'a'b",
    ] {
        edit(&sandbox, &["jcli:user:stop:0", "--set", &format!("command={given}")]);
        let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
        assert_eq!(row["definition"]["command"], given);
    }
}

#[test]
fn a_hook_moves_with_its_comments_and_ids_are_updated() {
    let sandbox = with_user_hooks(HOOKS);
    let doc = edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1"]);
    assert_eq!(doc["hook"], "jcli:user:stop:0");
    assert_eq!(
        doc["moved"],
        json!({"jcli:user:stop:0": "jcli:user:stop:1", "jcli:user:stop:1": "jcli:user:stop:0"})
    );
    let after = read(&sandbox, FILE);
    let begin =
        "stop:\n  # the second\n  - {command: exit 0, retry: 1}\n  # the first\n  - command: \"echo hi\"   # greets\n";
    assert!(after.contains(begin), "{after}");
    assert_eq!(after.len(), HOOKS.len());
    edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1"]);
    assert_eq!(read(&sandbox, FILE), HOOKS);
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--move-to", "3"]).assert_stderr("2");
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--move-to", "0"]);
}

#[test]
fn a_copy_is_inserted_after_its_original_and_gets_the_other_changes() {
    let sandbox = with_user_hooks(HOOKS);
    let doc = edit(&sandbox, &["jcli:user:stop:0", "--duplicate", "--set", "timeout=8"]);
    assert_eq!(doc["hook"], "jcli:user:stop:1");
    assert_eq!(doc["moved"], json!({"jcli:user:stop:1": "jcli:user:stop:2"}));
    let original =
        "  # the first\n  - command: \"echo hi\"   # greets\n    timeout:  5\n    note: kept # unknown, and kept\n";
    assert_replaced(
        &sandbox,
        HOOKS,
        original,
        &format!("{original}{}", original.replace('5', "8")),
    );
}

#[test]
fn the_comments_of_a_removed_hook_are_removed() {
    let sandbox = with_user_hooks(HOOKS);
    let doc = sandbox
        .run(["remove", "jcli:user:stop:0", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!((&doc["hook"], &doc["written"]), (&Value::Null, &json!(true)));
    assert_eq!(doc["moved"], json!({"jcli:user:stop:1": "jcli:user:stop:0"}));
    let removed =
        "  # the first\n  - command: \"echo hi\"   # greets\n    timeout:  5\n    note: kept # unknown, and kept\n";
    assert_replaced(&sandbox, HOOKS, removed, "");
    let now = read(&sandbox, FILE);
    sandbox.run(["remove", "jcli:user:stop:0"]).assert_exit(0);
    assert_replaced(
        &sandbox,
        &now,
        "stop:\n  # the second\n  - {command: exit 0, retry: 1}\n",
        "",
    );
}

#[test]
fn a_new_hook_is_added_after_the_others() {
    let sandbox = with_user_hooks(HOOKS);
    let add = |event: &str, definition: &str| {
        let args = [
            "add",
            "--dialect",
            "jcli",
            "--event",
            event,
            "--layer",
            "user",
            "--definition",
            definition,
            "--json",
        ];
        sandbox.run(args).assert_exit(0).json()
    };
    let doc = add(
        "pre_tool_execution",
        r#"{"command": "sh x.sh", "filter": {"tool_name": "Bash"}}"#,
    );
    assert_eq!(doc["hook"], "jcli:user:pre_tool_execution:1");
    assert_eq!(doc["path"], json!(sandbox.path(FILE)));
    let new = "  - command: sh x.sh\n    filter:\n      tool_name: Bash\n";
    assert_eq!(read(&sandbox, FILE), format!("{HOOKS}{new}"));
    // The hook before it is written on one line, so the new hook is too.
    user(&sandbox, HOOKS);
    add("stop", r#"{"command": "exit 1"}"#);
    let second = "  - {command: exit 0, retry: 1}\n";
    assert_replaced(&sandbox, HOOKS, second, &format!("{second}  - {{command: exit 1}}\n"));
    user(&sandbox, HOOKS);
    add("session_end", r#"{"command": "bye"}"#);
    assert_eq!(
        read(&sandbox, FILE),
        format!("{HOOKS}\nsession_end:\n  - command: bye\n")
    );
}

#[test]
fn a_missing_file_is_created_with_access_for_its_owner_only() {
    let sandbox = Sandbox::new();
    let args = [
        "add",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--layer",
        "project",
        "--definition",
        "-",
        "--json",
    ];
    let doc = sandbox.run_with(r#"{"command": "exit 0"}"#, args).assert_exit(0).json();
    assert_eq!(doc["hook"], "jcli:project:stop:0");
    assert_eq!(
        read(&sandbox, "project/.jcli/hooks.yaml"),
        "stop:\n  - command: exit 0\n"
    );
    let mode = |inside: &str| std::fs::metadata(sandbox.path(inside)).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode("project/.jcli"), mode("project/.jcli/hooks.yaml")),
        (0o700, 0o600)
    );
    assert!(doc["diff"].as_str().unwrap().starts_with("--- /dev/null\n"), "{doc:#}");
}

#[test]
fn a_dry_run_prints_the_whole_result_and_writes_nothing() {
    let sandbox = with_user_hooks(HOOKS);
    let dry = edit(
        &sandbox,
        &["jcli:user:stop:1", "--move-to", "1", "--set", "retry=4", "--dry-run"],
    );
    assert_eq!(
        (&dry["written"], &dry["hook"]),
        (&json!(false), &json!("jcli:user:stop:0"))
    );
    assert_eq!(read(&sandbox, FILE), HOOKS);
    let real = edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1", "--set", "retry=4"]);
    assert_eq!((&dry["diff"], &dry["moved"]), (&real["diff"], &real["moved"]));
    let shown = sandbox.run(["remove", "jcli:user:stop:0", "--dry-run"]).assert_exit(0);
    assert!(shown.stdout.contains("-  - {command: exit 0, retry: 4}\n"), "{shown}");
    let args = [
        "add",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--layer",
        "project",
        "--definition",
        "{\"command\": \"x\"}",
    ];
    sandbox
        .run(args.iter().chain(&["--dry-run"]))
        .assert_exit(0)
        .assert_output("+  - command: x");
    assert!(!sandbox.path("project/.jcli").exists());
}

#[test]
fn a_hook_moves_to_another_layer_with_its_comments() {
    let sandbox = with_user_hooks(HOOKS);
    project(&sandbox, "stop:\r\n- command: exit 1 # mine\r\n");
    let doc = edit(&sandbox, &["jcli:user:stop:0", "--to-layer", "project"]);
    assert_eq!(doc["hook"], "jcli:project:stop:1");
    assert_eq!(
        doc["moved"],
        json!({"jcli:user:stop:0": "jcli:project:stop:1", "jcli:user:stop:1": "jcli:user:stop:0"})
    );
    assert_eq!(doc["path"], json!(sandbox.path("project/.jcli/hooks.yaml")));
    assert_eq!(
        read(&sandbox, "project/.jcli/hooks.yaml"),
        "stop:\r\n- command: exit 1 # mine\r\n# the first\r\n- command: \"echo hi\"   # greets\r\n  timeout:  5\r\n  note: kept # unknown, and kept\r\n"
    );
    assert!(!read(&sandbox, FILE).contains("the first"));
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--to-layer", "local"]).assert_stderr("user, project");
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--to-layer", "attic"]).assert_stderr("attic");
}

#[test]
fn an_error_is_not_written() {
    let sandbox = with_user_hooks(HOOKS);
    let done = assert_refused(
        &sandbox,
        &["edit", "jcli:user:stop:0", "--set", "timeout=soon", "--json"],
    );
    let doc = done.json();
    assert_eq!(
        (&doc["written"], &doc["problems"][0]["code"]),
        (&json!(false), &json!("wrong_type"))
    );
    done.assert_stderr("timeout");
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--unset", "command"]).assert_stderr("command");
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--set", "on_error=maybe"]).assert_stderr("maybe");
    let add = [
        "add",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--layer",
        "user",
        "--definition",
    ];
    let with = |definition: &'static str| add.into_iter().chain([definition]).collect::<Vec<_>>();
    assert_refused(&sandbox, &with("{\"prompt\": \"x\"}"));
    assert_refused(&sandbox, &with("[1]")).assert_stderr("object");
    assert_refused(
        &sandbox,
        &[
            "add",
            "--dialect",
            "jcli",
            "--event",
            "stopp",
            "--layer",
            "user",
            "--definition",
            "{}",
        ],
    )
    .assert_stderr("stop");
}

#[test]
fn an_error_that_was_there_before_is_no_reason_to_refuse() {
    let sandbox = with_user_hooks("stop:\n  - command: ''\n    timeout: soon\n  - command: x\n");
    edit(&sandbox, &["jcli:user:stop:0", "--set", "timeout=5"]);
    edit(&sandbox, &["jcli:user:stop:1", "--set", "timeout=5"]);
    edit(&sandbox, &["jcli:user:stop:0", "--move-to", "2"]);
    assert_eq!(
        read(&sandbox, FILE),
        "stop:\n  - command: x\n    timeout: 5\n  - command: ''\n    timeout: 5\n"
    );
}

#[test]
fn an_unsupported_change_of_jcli_is_refused_with_the_supported_ones() {
    let sandbox = with_user_hooks(HOOKS);
    for flag in ["--disable", "--enable"] {
        assert_refused(&sandbox, &["edit", "jcli:user:stop:0", flag]).assert_stderr("hookwright turn-off");
    }
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0"]).assert_stderr("no change was requested");
    assert_refused(&sandbox, &["edit", "jcli:user:stop:7", "--set", "timeout=1"]).assert_stderr("jcli:user:stop:7");
    assert_refused(&sandbox, &["remove", "jcli:user:stop:7"]).assert_stderr("jcli:user:stop:7");
}

#[test]
fn a_file_that_does_not_parse_is_left_alone() {
    let sandbox = with_user_hooks("stop:\n  - command: x\n pre: [\n");
    let args = [
        "add",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--layer",
        "user",
        "--definition",
        "{\"command\": \"x\"}",
    ];
    assert_refused(&sandbox, &args);
}

#[test]
fn a_definition_with_a_key_twice_is_refused() {
    let sandbox = with_user_hooks("stop:\n  - command: x\n");
    for definition in [
        r#"{"command": "a", "command": "b"}"#,
        r#"{"command": "a", "filter": {"model_prefix": "x", "model_prefix": "y"}}"#,
    ] {
        let at_stop = ["add", "--dialect", "jcli", "--event", "stop", "--layer", "user"];
        let args: Vec<&str> = at_stop.into_iter().chain(["--definition", definition]).collect();
        assert_refused(&sandbox, &args).assert_stderr("duplicate key");
    }
}

#[test]
fn a_command_behind_the_relay_is_edited_as_the_command_inside() {
    let wrapped = r#"HW='echo hi'; [ -x /opt/hookwright-relay ] && exec /opt/hookwright-relay run --dialect jcli --event stop --hook jcli:user:stop:0 -- sh -c "$HW"; exec sh -c "$HW""#;
    let sandbox = with_user_hooks(&format!("stop:\n  - command: {wrapped:?}\n"));
    edit(
        &sandbox,
        &[
            "jcli:user:stop:0",
            "--set",
            "command=echo 'it''s'",
            "--set",
            "timeout=3",
        ],
    );
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
    assert_eq!(
        (&row["definition"]["command"], &row["wrapped"]),
        (&json!("echo 'it''s'"), &json!(true))
    );
    assert!(read(&sandbox, FILE).contains("/opt/hookwright-relay run"));
}

#[test]
fn a_second_list_of_an_event_is_distinguished_from_the_first() {
    let sandbox = with_user_hooks("stop:\n  - command: a\nstop:\n  - command: b\n  - command: c\n");
    sandbox.run(["remove", "jcli:user:stop.2:0"]).assert_exit(0);
    assert_eq!(read(&sandbox, FILE), "stop:\n  - command: a\nstop:\n  - command: c\n");
}

#[test]
fn a_hook_of_a_file_that_does_not_parse_is_refused_with_its_line() {
    let sandbox = with_user_hooks("stop:\n  - command: x\n  - command: [\n");
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--set", "timeout=3"]).assert_stderr("hooks.yaml:");
    assert_refused(&sandbox, &["remove", "jcli:user:stop:0"]).assert_stderr("hooks.yaml:");
}
