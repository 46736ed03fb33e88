//! Tests of `add`, `edit` and `remove`: user files change as requested, and nothing else in them changes
//! (`CONTRACTS.md` §2.7).

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
        assert_refused(&sandbox, &["edit", "jcli:user:stop:0", flag]).assert_stderr("hookwright mute");
    }
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0"]).assert_stderr("nothing");
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
fn mode_link_and_line_ends_stay() {
    let sandbox = Sandbox::new();
    let real = sandbox.write(
        "dotfiles/hooks.yaml",
        "\u{feff}stop:\r\n  - command: x # 一\r\n    timeout: 3",
    );
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(sandbox.path("home/.jdata/agent")).unwrap();
    std::os::unix::fs::symlink("../../../dotfiles/hooks.yaml", sandbox.path(FILE)).unwrap();
    let owner = std::fs::metadata(&real).unwrap().uid();
    edit(
        &sandbox,
        &["jcli:user:stop:0", "--set", "timeout=4", "--set", "retry=1"],
    );
    assert_eq!(
        std::fs::read_to_string(&real).unwrap(),
        "\u{feff}stop:\r\n  - command: x # 一\r\n    timeout: 4\r\n    retry: 1"
    );
    assert!(std::fs::symlink_metadata(sandbox.path(FILE)).unwrap().is_symlink());
    let meta = std::fs::metadata(&real).unwrap();
    assert_eq!((meta.permissions().mode() & 0o777, meta.uid()), (0o640, owner));
    let left: Vec<_> = std::fs::read_dir(sandbox.path("dotfiles")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside it");
}

#[test]
fn a_shared_anchor_is_refused_and_an_alias_written_out() {
    let text = "stop:\n  - &gate\n    command: x\n    timeout: 3\n  - *gate # same\n  - <<: *gate\n    retry: 1\n";
    let sandbox = with_user_hooks(text);
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--set", "timeout=4"]).assert_stderr("anchor");
    assert_refused(&sandbox, &["remove", "jcli:user:stop:0"]).assert_stderr("anchor");
    edit(&sandbox, &["jcli:user:stop:1", "--set", "timeout=4"]);
    assert_replaced(
        &sandbox,
        text,
        "- *gate # same\n",
        "- command: x # same\n    timeout: 4\n",
    );
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:2", "--set", "timeout=5"]);
    assert_replaced(&sandbox, text, "    retry: 1\n", "    retry: 1\n    timeout: 5\n");
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:2", "--unset", "timeout"]);
    assert_replaced(
        &sandbox,
        text,
        "- <<: *gate\n    retry: 1\n",
        "- retry: 1\n    command: x\n",
    );
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:2", "--to-layer", "project"]);
    assert_eq!(
        read(&sandbox, "project/.jcli/hooks.yaml"),
        "stop:\n  - command: x\n    timeout: 3\n    retry: 1\n"
    );
}

#[test]
fn an_approval_is_transferred_by_an_edit_of_the_user() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: sh gate.sh # why\n  - command: exit 1\n");
    sandbox.script("project/gate.sh", "#!/bin/sh\necho '{}'\n");
    sandbox.script("project/other.sh", "#!/bin/sh\ntouch ran\n");
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    edit(&sandbox, &["jcli:project:stop:0", "--set", "timeout=5"]);
    let state = || outcomes(&trace(&sandbox, "stop", &json!({})));
    assert_eq!(state(), ["stop:0 no_opinion", "stop:1 skipped:untrusted"]);
    // The second hook is not approved, and an edit does not approve it.
    edit(&sandbox, &["jcli:project:stop:1", "--set", "timeout=5"]);
    assert_eq!(state(), ["stop:0 no_opinion", "stop:1 skipped:untrusted"]);
    // An edit does not approve a script that was not approved before.
    edit(&sandbox, &["jcli:project:stop:0", "--set", "command=sh other.sh"]);
    assert_eq!(state(), ["stop:0 skipped:untrusted", "stop:1 skipped:untrusted"]);
    assert!(!sandbox.path("project/ran").exists());
}

#[test]
fn a_user_hook_moved_into_the_project_is_approved_without_project_scripts() {
    let sandbox = with_user_hooks("stop:\n  - command: exit 0\n  - command: sh ./gate.sh\n");
    sandbox.script("project/gate.sh", "#!/bin/sh\ntouch ran\n");
    edit(&sandbox, &["jcli:user:stop:0", "--to-layer", "project"]);
    edit(&sandbox, &["jcli:user:stop:0", "--to-layer", "project"]);
    let seen = outcomes(&trace(&sandbox, "stop", &json!({})));
    assert_eq!(
        seen,
        ["stop:0 no_opinion", "stop:1 skipped:untrusted"],
        "the project's script was never approved"
    );
    edit(&sandbox, &["jcli:project:stop:0", "--duplicate", "--set", "timeout=3"]);
    let seen = outcomes(&trace(&sandbox, "stop", &json!({})));
    assert_eq!(
        seen,
        ["stop:0 no_opinion", "stop:1 no_opinion", "stop:2 skipped:untrusted"]
    );
}

#[test]
fn a_muted_hook_stays_muted_when_it_is_edited() {
    let sandbox = with_user_hooks("stop:\n  - command: exit 0\n  - command: exit 1\n");
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    edit(&sandbox, &["jcli:user:stop:1", "--set", "timeout=3", "--move-to", "1"]);
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:1 no_opinion", "stop:0 skipped:muted"]);
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
fn an_unapproved_hook_cannot_be_moved_to_the_user_layer() {
    let sandbox = Sandbox::new();
    let text = "stop:\n  - command: sh evil.sh\n";
    sandbox.write("project/.jcli/hooks.yaml", text);
    let to_user = ["edit", "jcli:project:stop:0", "--to-layer", "user"];
    for dry in [None, Some("--dry-run")] {
        let refused = sandbox.run(to_user.into_iter().chain(dry)).assert_exit(1);
        assert!(
            refused.stderr.contains("hookwright trust jcli:project:stop:0"),
            "{refused}"
        );
    }
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), text);
    assert!(!sandbox.path("home/.jdata/agent/hooks.yaml").exists());
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    sandbox.run(to_user).assert_exit(0);
}

#[test]
fn a_project_file_that_links_outside_is_not_written() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("outside")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("outside"), sandbox.path("project/.jcli")).unwrap();
    let args = ["add", "--dialect", "jcli", "--event", "stop", "--layer", "project"];
    let said = sandbox.run(args.iter().chain(&["--definition", "{\"command\": \"true\"}"]));
    assert!(
        said.assert_exit(1).stderr.contains("leads out of the project"),
        "said otherwise"
    );
    assert_eq!(std::fs::read_dir(sandbox.path("outside")).unwrap().count(), 0);
}

#[test]
fn a_mute_moves_with_its_hook_and_leaves_no_old_entry() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.jdata/agent/hooks.yaml", "stop:\n  - command: 'exit 1'\n");
    let hook = "jcli:user:stop:0";
    sandbox.run(["mute", hook]).assert_exit(0);
    sandbox.run(["edit", hook, "--set", "timeout=5"]).assert_exit(0);
    let trace = sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(
        (&trace["steps"][0]["reason"], &trace["notices"]),
        (&json!("muted"), &json!([]))
    );
    sandbox.run(["unmute", hook]).assert_exit(0);
    sandbox.run(["edit", hook, "--unset", "timeout"]).assert_exit(0);
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(list["hooks"][0]["muted"], false);
}

#[test]
fn a_change_is_undone_when_its_approval_cannot_be_stored() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: exit 1\n");
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    let before = read(&sandbox, "project/.jcli/hooks.yaml");
    let lock = sandbox.data().join("trust.json.lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    sandbox
        .run(["edit", "jcli:project:stop:0", "--set", "timeout=5"])
        .assert_exit(1);
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), before);
}

#[test]
fn a_null_document_is_treated_as_empty() {
    let sandbox = with_user_hooks("# mine\nnull\n");
    let add = |definition: &str| {
        let args = [
            "add",
            "--dialect",
            "jcli",
            "--event",
            "stop",
            "--layer",
            "user",
            "--definition",
            definition,
        ];
        sandbox.run(args).assert_exit(0);
    };
    add("{\"command\": \"x\"}");
    assert_eq!(read(&sandbox, FILE), "# mine\nstop:\n  - command: x\n");
}

#[test]
fn a_hook_of_a_file_that_does_not_parse_is_refused_with_its_line() {
    let sandbox = with_user_hooks("stop:\n  - command: x\n  - command: [\n");
    assert_refused(&sandbox, &["edit", "jcli:user:stop:0", "--set", "timeout=3"]).assert_stderr("hooks.yaml:");
    assert_refused(&sandbox, &["remove", "jcli:user:stop:0"]).assert_stderr("hooks.yaml:");
}

#[test]
fn a_block_text_that_keeps_empty_lines_can_be_removed_changed_and_moved() {
    let text =
        "stop:\n  - command: x\n    note: |+\n      a\n\n    timeout: 3\n  - command: |+\n      b\n    retry: 1\n";
    let sandbox = with_user_hooks(text);
    edit(&sandbox, &["jcli:user:stop:0", "--unset", "note"]);
    assert_replaced(&sandbox, text, "    note: |+\n      a\n\n", "");
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:1", "--set", "command=c"]);
    assert_replaced(&sandbox, text, "|+\n      b\n", "c\n");
    user(&sandbox, text);
    edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1"]);
    edit(&sandbox, &["jcli:user:stop:1", "--move-to", "1"]);
    assert_eq!(read(&sandbox, FILE), text);
}

#[test]
fn a_text_at_the_end_of_a_file_keeps_its_last_line_break() {
    let sandbox = with_user_hooks("stop:\n  - command: x");
    edit(&sandbox, &["jcli:user:stop:0", "--set", "command=\"a\\nb\\n\""]);
    assert_eq!(read(&sandbox, FILE), "stop:\n  - command: |\n      a\n      b\n");
}
