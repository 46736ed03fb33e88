//! Tests of `check`: what is wrong and where, and that one wrong entry does not disable the others.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::{codes, project, user, with_user_hooks};

#[track_caller]
fn problems(yaml: &str) -> Vec<Value> {
    let checked = with_user_hooks(yaml).run(["check", "--json"]).json();
    checked["problems"].as_array().unwrap().clone()
}

#[track_caller]
fn assert_problem(yaml: &str, code: &str, line: u64, column: u64) {
    let problems = problems(yaml);
    let found = problems
        .iter()
        .find(|problem| problem["code"] == code)
        .unwrap_or_else(|| panic!("no {code} in {problems:#?}"));
    assert_eq!(
        (&found["line"], &found["column"]),
        (&json!(line), &json!(column)),
        "{found:#}"
    );
    assert!(found["message"].as_str().is_some_and(|text| !text.is_empty()));
}

#[test]
fn a_valid_file_exits_0_and_is_listed_as_checked() {
    let sandbox = with_user_hooks("pre_llm_request:\n  - command: 'exit 0'\n");
    let document = sandbox.run(["check", "--json"]).assert_exit(0).json();
    assert_eq!(document["problems"], json!([]));
    assert_eq!(
        document["checked"],
        json!([sandbox.path("home/.jdata/agent/hooks.yaml")])
    );
}

#[test]
fn each_problem_is_one_line_with_its_position() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n    timeout: \"30\"\n");
    let file = sandbox.path("home/.jdata/agent/hooks.yaml");
    let done = sandbox.run(["check"]).assert_exit(1);
    let line = format!("{}:3:14: error[wrong_type]: ", file.display());
    assert!(done.stdout.lines().any(|said| said.starts_with(&line)), "{done}");
}

#[test]
fn positions_count_unicode_characters_from_one() {
    assert_problem("stop:\n  - {command: '叮咚', timeout: x}\n", "wrong_type", 2, 30);
}

#[test]
fn a_broken_file_is_reported_with_its_position_and_other_files_are_read() {
    let sandbox = with_user_hooks("stop:\n  - command: 'a\n\tb: {\n");
    project(&sandbox, "stop:\n  - {command: 'exit 0', timeot: 3}\n");
    let document = sandbox.run(["check", "--json"]).assert_exit(1).json();
    let found = codes(&document);
    assert!(
        found.contains(&"error syntax".to_owned()) && found.contains(&"warning unknown_field".to_owned()),
        "{found:?}"
    );
    let syntax = document["problems"]
        .as_array()
        .unwrap()
        .iter()
        .find(|problem| problem["code"] == "syntax")
        .unwrap();
    assert!(syntax["line"].is_u64() && syntax["column"].is_u64(), "{syntax:#}");
}

#[test]
fn a_repeated_event_key_is_an_error_on_the_second() {
    assert_problem(
        "stop:\n  - command: 'a'\nsession_end: []\nstop:\n  - command: 'b'\n",
        "duplicate_key",
        4,
        1,
    );
}

#[test]
fn warnings_and_hints_alone_exit_0() {
    let sandbox =
        with_user_hooks("pre_tool_execution:\n  - {command: 'echo ''{\"action\":\"skip\"}''', colour: red}\n");
    let document = sandbox.run(["check", "--json"]).assert_exit(0).json();
    let found = codes(&document);
    assert!(found.contains(&"warning unknown_field".to_owned()), "{found:?}");
    assert!(found.contains(&"hint fails_open".to_owned()), "{found:?}");
}

#[test]
fn a_file_that_is_no_utf_8_or_too_large_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.jdata/agent/hooks.yaml", b"stop:\n  - command: '\xff'\n");
    assert_eq!(
        codes(&sandbox.run(["check", "--json"]).assert_exit(1).json()),
        ["error unreadable"]
    );
    user(&sandbox, &format!("# {}\n", "x".repeat(1 << 20)));
    assert_eq!(
        codes(&sandbox.run(["check", "--json"]).assert_exit(1).json()),
        ["error too_large"]
    );
}

#[test]
fn a_project_link_must_end_inside_the_project_and_a_user_link_may_lead_anywhere() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.write("elsewhere/hooks.yaml", "stop:\n  - command: 'exit 0'\n");
    for (folder, found) in [
        ("project/.jcli", vec!["error file_outside"]),
        ("home/.jdata/agent", vec![]),
    ] {
        let folder = sandbox.path(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let link = folder.join("hooks.yaml");
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        assert_eq!(codes(&sandbox.run(["check", "--json"]).json()), found);
        std::fs::remove_file(link).unwrap();
    }
}

#[test]
fn given_paths_are_checked_and_nothing_else() {
    let sandbox = with_user_hooks("stop: 3\n");
    sandbox.write("project/a/.jcli/hooks.yaml", "stop:\n  - command: ''\n");
    sandbox.write("project/b/.jcli/hooks.yaml", "nothing: []\n");
    let document = sandbox.run(["check", "--json", "."]).assert_exit(1).json();
    assert_eq!(codes(&document), ["error empty_field", "error unknown_event"]);
    assert_eq!(document["checked"].as_array().map(Vec::len), Some(2));
    let document = sandbox
        .run(["check", "--json", "b/.jcli/hooks.yaml"])
        .assert_exit(1)
        .json();
    assert_eq!(codes(&document), ["error unknown_event"]);
}

#[test]
fn a_missing_or_unknown_path_exits_1_with_a_message() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["check", "gone.yaml"])
        .assert_exit(1)
        .assert_stderr("gone.yaml");
    sandbox.write("project/notes.txt", "stop: []\n");
    sandbox
        .run(["check", "notes.txt"])
        .assert_exit(1)
        .assert_stderr("--dialect");
    sandbox.run(["check", "notes.txt", "--dialect", "jcli"]).assert_exit(0);
    sandbox
        .run(["check", "--dialect", "nobody"])
        .assert_exit(1)
        .assert_stderr("nobody");
}

#[test]
fn a_file_that_is_named_twice_is_checked_once() {
    let sandbox = Sandbox::new();
    crate::jcli::project(&sandbox, "stop:\n  - {command: x, timeout: 0}\n");
    let seen = sandbox
        .run(["check", ".jcli/hooks.yaml", ".", "--json"])
        .assert_exit(1)
        .json();
    assert_eq!(
        (codes(&seen).len(), seen["checked"].as_array().map(Vec::len)),
        (1, Some(1))
    );
}

#[test]
fn a_file_name_that_is_not_utf8_is_shown_lossily() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let project = sandbox.path("project").join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir_all(project.join(".jcli")).unwrap();
    std::fs::write(project.join(".jcli/hooks.yaml"), "stop: 5\n").unwrap();
    let args = [
        "check".as_ref(),
        "--json".as_ref(),
        "--project".as_ref(),
        project.as_os_str(),
    ];
    let seen = sandbox.run(args).assert_exit(1).json();
    assert_eq!(codes(&seen), ["error wrong_type"]);
}

#[test]
fn files_of_one_layout_are_checked_together_in_any_folder() {
    let sandbox = Sandbox::new();
    let rewrites = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "jq '{hookSpecificOutput: {hookEventName: \"PreToolUse\", updatedInput: {}}}'"}]}]}}"#;
    for name in ["settings.json", "settings.local.json"] {
        sandbox.write(&format!("project/deep/x/.qoder/{name}"), rewrites);
    }
    sandbox.write("project/deep/x/.qoder/hooks.json", "{}");
    sandbox.write("project/deep/y/.qoder/hooks/more.json", "{}");
    let codes = |args: &[&str]| -> Vec<String> {
        let doc = sandbox.run(args).assert_exit(0).json();
        let problems = doc["problems"].as_array().unwrap().iter();
        problems
            .filter_map(|problem| problem["code"].as_str().map(str::to_owned))
            .collect()
    };
    let both = codes(&["check", "deep/x", "--json"]);
    assert_eq!(both.iter().filter(|code| *code == "last_wins").count(), 1, "{both:?}");
    assert_eq!(
        both.iter().filter(|code| *code == "file_not_read").count(),
        1,
        "{both:?}"
    );
    assert_eq!(both, codes(&["--project", "deep/x", "check", "--json"]));
    assert_eq!(
        both,
        codes(&["--project", "deep/x", "check", "--dialect", "qoder", "--json"])
    );
    assert_eq!(codes(&["check", "deep/y", "--json"]), ["file_not_read"]);
    assert_eq!(
        codes(&["check", "deep/x/.qoder/hooks.json", "--json"]),
        ["file_not_read"]
    );
    assert_eq!(codes(&["check", "--dialect", "jcli", "--json"]), [""; 0]);
}

#[test]
fn an_impossible_value_is_reported_for_its_own_hook_only() {
    let sandbox = Sandbox::new();
    let entry = |fields: Value| {
        let mut entry = json!({"type": "command", "command": "true"});
        entry
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        entry
    };
    let entries = json!([
        entry(json!({"env": {"A=B": "x"}})),
        entry(json!({"env": {"": "x"}})),
        entry(json!({"env": {"A": "x\u{0}"}})),
        entry(json!({"command": "true\u{0}"})),
        entry(json!({"args": ["\u{0}"]})),
        entry(json!({"timeout": "LONG"})),
        entry(json!({})),
    ]);
    let text = json!({"hooks": {"Stop": [{"hooks": entries}]}}).to_string();
    sandbox.write("home/.qoder/settings.json", text.replace("\"LONG\"", "1e400"));
    let process = json!({"enabled": true, "command": ["a\u{0}"], "dir": "b\u{0}", "env": {"=": "x"}, "observe": ["tool_exec_start"]});
    let config = json!({"hooks": {"enabled": true, "processes": {"p": process}}});
    sandbox.write("home/.picoclaw/config.json", config.to_string());
    sandbox.write("home/.jdata/agent/hooks.yaml", "stop:\n  - command: \"true\\0\"\n");
    let doc = sandbox.run(["check", "--json"]).assert_exit(1).json();
    let mut reported: Vec<String> = doc["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| {
            format!(
                "{} {} {}",
                problem["hook"].as_str().unwrap(),
                problem["code"].as_str().unwrap(),
                problem["severity"].as_str().unwrap()
            )
        })
        .collect();
    reported.sort();
    reported.retain(|line| !line.ends_with("hint"));
    assert_eq!(
        reported,
        [
            "jcli:user:stop:0 wrong_type error",
            "picoclaw:user:p wrong_type error",
            "picoclaw:user:p wrong_type error",
            "picoclaw:user:p wrong_type error",
            "qoder:user:Stop:settings.0.0 wrong_type error",
            "qoder:user:Stop:settings.0.1 empty_field error",
            "qoder:user:Stop:settings.0.2 wrong_type error",
            "qoder:user:Stop:settings.0.3 wrong_type error",
            "qoder:user:Stop:settings.0.4 wrong_type error",
            "qoder:user:Stop:settings.0.5 out_of_range warning",
        ]
    );
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let rows = list["hooks"].as_array().unwrap().iter();
    let valid: Vec<&str> = rows
        .filter(|row| row["valid"] == true)
        .filter_map(|row| row["hook"].as_str())
        .collect();
    assert_eq!(valid, ["qoder:user:Stop:settings.0.5", "qoder:user:Stop:settings.0.6"]);
}

#[test]
fn a_problem_line_has_its_next_step_and_the_position_in_the_script() {
    let sandbox = Sandbox::new();
    sandbox.write("project/a.sh", "#!/bin/bash\ncat >/dev/null\necho \"$TOOL_NAME\"\n");
    sandbox.write(
        "project/.qoder/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bash \"$QODER_PROJECT_DIR/a.sh\""}]}]}}"#,
    );
    let done = sandbox.run(["check"]).assert_exit(0);
    let line = done.stdout.lines().next().unwrap_or_default();
    assert!(
        line.contains(":1:63: warning[unset_variable]: in a.sh:3: `$TOOL_NAME`"),
        "{done}"
    );
    assert!(line.contains(" → read the event from stdin"), "{done}");
    let document = sandbox.run(["check", "--json"]).json();
    let problem = &document["problems"][0];
    assert_eq!(problem["in"], json!({"path": sandbox.path("project/a.sh"), "line": 3}));
    assert!(
        problem["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("in a.sh:3: ")),
        "{problem:#}"
    );
}

#[test]
fn the_same_problem_of_several_hooks_is_one_line() {
    let sandbox = with_user_hooks(
        "stop:\n  - command: cat\n    timeout: 5000\n  - command: cat\n    timeout: 5000\n  - command: cat\n    timeout: 5000\n",
    );
    let done = sandbox.run(["check"]).assert_exit(0);
    let reported: Vec<&str> = done
        .stdout
        .lines()
        .filter(|line| line.contains("unit_suspect"))
        .collect();
    assert!(
        reported.len() == 1 && reported[0].ends_with(" (also at lines 5, 7)"),
        "{done}"
    );
    let document = sandbox.run(["check", "--json"]).json();
    let count = codes(&document)
        .iter()
        .filter(|code| *code == "hint unit_suspect")
        .count();
    assert_eq!(count, 3, "each hook keeps its own");
    assert!(
        !codes(&document).contains(&"warning out_of_range".to_owned()),
        "one number is one problem"
    );
}

#[test]
fn the_hook_file_of_a_plugin_is_checked_as_one_of_claude_code() {
    let sandbox = Sandbox::new();
    let object = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "cat", "timeout": 0}]}]}}"#;
    sandbox.write("project/plugins/one/hooks/hooks.json", object);
    sandbox.write("project/two/.claude-plugin/plugin.json", "{}");
    sandbox.write("project/two/hooks/hooks.json", "{}");
    sandbox.write("project/skills/mine/hooks/hooks.json", r#"{"hooks": 3}"#);
    let document = sandbox.run(["check", "--json", "."]).assert_exit(1).json();
    // Each plugin is the project of its own file, which the agent reads only if the plugin is installed.
    let expected = [
        "hint file_not_read",
        "error out_of_range",
        "error wrong_type",
        "hint file_not_read",
    ];
    assert_eq!(codes(&document), expected);
    assert_eq!(document["files"], 3);
    let alone = sandbox
        .run(["check", "--json", "plugins/one/hooks/hooks.json"])
        .assert_exit(1)
        .json();
    assert_eq!(codes(&alone), ["hint file_not_read", "error out_of_range"]);
    let as_qoder = ["check", "--json", "--dialect", "qoder", "two/hooks/hooks.json"];
    assert_eq!(
        codes(&sandbox.run(as_qoder).assert_exit(0).json()),
        Vec::<String>::new()
    );
}

#[test]
fn the_source_of_a_plugin_is_checked_for_the_agents_whose_manifests_it_has() {
    let sandbox = Sandbox::new();
    // Codex drops a file with a type that Claude Code knows.
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "https://a.example"}]}]}}"#;
    let variable = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\"$PLUGIN_ROOT\"/a.sh"}]}]}}"#;
    sandbox.write("project/one/.codex-plugin/plugin.json", r#"{"name": "one"}"#);
    sandbox.write("project/one/hooks/hooks.json", hooks);
    sandbox.write(
        "project/two/.codex-plugin/plugin.json",
        r#"{"name": "two", "hooks": ["./more.json", "./gone.json"]}"#,
    );
    sandbox.write("project/two/more.json", variable);
    sandbox.write("project/three/.claude-plugin/plugin.json", r#"{"name": "three"}"#);
    sandbox.write("project/three/hooks/hooks.json", hooks);
    let checked = |folder: &str| {
        let document = sandbox.run(["check", "--json", folder]).json();
        assert_eq!(document["others"], json!([]), "{folder}");
        let mut codes = codes(&document);
        codes.sort();
        codes
    };
    assert_eq!(checked("one"), ["error costs_file", "error unknown_value"]);
    assert_eq!(checked("two"), ["error file_missing"]);
    assert_eq!(checked("three"), ["hint file_not_read"]);
    sandbox.write("project/three/.codex-plugin/plugin.json", r#"{"name": "three"}"#);
    assert_eq!(
        checked("three"),
        ["error costs_file", "error unknown_value", "hint file_not_read"]
    );
}

#[test]
fn files_of_other_agents_and_programs_in_a_folder_are_named_and_no_errors() {
    let sandbox = Sandbox::new();
    let of_others = [
        (
            ".cursor/hooks.json",
            r#"{"version": 1, "hooks": {"beforeShellExecution": []}}"#,
        ),
        (".agent/skills/seo/hooks/hooks.json", r#"{"hooks": {"PreToolUse": []}}"#),
        ("charts/web/hooks.yaml", "pre-install:\n  - name: migrate\n"),
        ("hooks/mail/HOOK.md", "---\nname: mail\nmetadata: {}\n---\n"),
    ];
    for (path, text) in of_others {
        sandbox.write(&format!("project/{path}"), text);
    }
    let document = sandbox.run(["check", "--json", "."]).assert_exit(0).json();
    assert_eq!(document["problems"], json!([]));
    let mut paths: Vec<_> = of_others
        .iter()
        .map(|(path, _)| sandbox.path(&format!("project/{path}")))
        .collect();
    paths.sort();
    assert_eq!(document["others"], json!(paths));
    sandbox.write("project/more/hooks.yaml", "stop: 5\n");
    assert_eq!(
        codes(&sandbox.run(["check", "--json", "."]).json()),
        ["error wrong_type"]
    );
}

#[test]
fn files_are_counted_and_not_their_folders() {
    let sandbox = Sandbox::new();
    for name in ["a", "b"] {
        sandbox.write(
            &format!("project/skills/{name}/hooks/hooks.json"),
            r#"{"hooks": [{"name": "x", "timing": "after_user_input", "content": "hi"}]}"#,
        );
    }
    let document = sandbox.run(["check", "--json", "."]).json();
    assert_eq!(
        (&document["files"], document["checked"].as_array().map(Vec::len)),
        (&json!(2), Some(1))
    );
}

#[test]
fn a_settings_file_of_claude_code_is_found_and_a_defect_that_costs_it_is_an_error() {
    let sandbox = Sandbox::new();
    let text = r#"{"permissions": {}, "hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}"#;
    sandbox.write("project/.claude/settings.json", text);
    let document = sandbox
        .run(["check", "--json", ".claude/settings.json"])
        .assert_exit(1)
        .json();
    assert_eq!(codes(&document), ["error missing_field"]);
    let args = &document["problems"][0]["args"];
    assert_eq!(
        (&args["costs"], &args["settings"]),
        (&json!("file"), &json!(["permissions"]))
    );
}

#[test]
fn an_event_that_only_the_agent_fires_is_named_as_such() {
    let sandbox = Sandbox::new();
    for command in ["fire", "explain"] {
        let done = sandbox
            .run([command, "--dialect", "qoder", "--event", "Notification"])
            .assert_exit(1);
        done.assert_stderr("Qoder fires Notification; Hookwright cannot");
    }
    let done = sandbox
        .run(["explain", "--dialect", "qoder", "--event", "PermissionDenied"])
        .assert_exit(1);
    assert!(!done.stderr.contains("did you mean"), "{done}");
}

#[test]
fn a_carriage_return_after_an_interpreter_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    for path in ["project/a.sh", "project/.agents/hooks/a/scripts/run.sh"] {
        let path = sandbox.write(path, "#!/bin/sh\r\nexit 0\r\n");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let front = "---\nname: a\ndescription: d\ntrigger: session_start\n---\n";
    sandbox.write("project/.agents/hooks/a/HOOK.md", front);
    let settings =
        r#"{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "\"$QODER_PROJECT_DIR/a.sh\""}]}]}}"#;
    sandbox.write("project/.qoder/settings.json", settings);
    let document = sandbox.run(["check", "--json"]).assert_exit(0).json();
    assert_eq!(
        codes(&document),
        ["warning entry_no_shebang", "warning entry_no_shebang"]
    );
}
