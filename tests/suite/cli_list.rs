//! Tests of `list` and `explain`: which hooks would run and which would not. No hook runs.

use hookwright_testkit::{Sandbox, differences};
use serde_json::{Value, json};

use crate::jcli::{project, user, with_user_hooks};

#[track_caller]
fn assert_contains(wanted: Value, got: &Value) {
    let wrong = differences(&wanted, got);
    assert!(wrong.is_empty(), "{}\n{got:#}", wrong.join("\n"));
}

#[test]
fn a_row_has_all_fields_of_the_contract() {
    let sandbox = with_user_hooks(
        "pre_tool_execution:\n  - command: python3 ~/hooks/guard.py\n    timeout: 3\n    retry: 2\n    on_error: abort\n    filter: {tool_matcher: 'Bash|Write'}\n",
    );
    let document = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_contains(
        json!({"hooks": [{
            "hook": "jcli:user:pre_tool_execution:0", "dialect": "jcli", "event": "pre_tool_execution", "label": "guard.py",
            "layer": "user", "path": sandbox.path("home/.jdata/agent/hooks.yaml"), "line": 2, "handler": "shell",
            "filter": {"tool_matcher": "Bash|Write"}, "timeout_ms": 3000, "on_failure": "closed", "rank": null, "position": 1,
            "mode": "await", "enabled": true, "trusted": true, "muted": false, "muted_until": null, "shadowed_by": null,
            "wrapped": false,
        }]}),
        &document,
    );
    for name in ["rank", "muted_until", "shadowed_by"] {
        assert!(
            document["hooks"][0].as_object().unwrap().contains_key(name),
            "{name} stands there as null"
        );
    }
}

#[test]
fn sources_say_which_roots_exist() {
    let sandbox = with_user_hooks("stop:\n  - command: a\n  - command: b\n");
    let document = sandbox
        .run(["list", "--dialect", "jcli", "--json"])
        .assert_exit(0)
        .json();
    assert_contains(
        json!({"sources": [
            {"dialect": "jcli", "layer": "user", "path": sandbox.path("home/.jdata/agent/hooks.yaml"), "exists": true, "hooks": 2, "last_good": false, "last_good_since": null, "definitions": 2, "events": ["stop"], "health": {"state": "ready"}},
            {"dialect": "jcli", "layer": "project", "path": sandbox.path("project/.jcli/hooks.yaml"), "exists": false, "hooks": 0, "last_good": false, "last_good_since": null, "definitions": 0, "events": []},
        ]}),
        &document,
    );
}

#[test]
fn positions_count_hooks_that_may_run() {
    let sandbox = with_user_hooks("stop:\n  - {command: a, timeout: x}\n  - command: b\n");
    project(&sandbox, "stop:\n  - command: c\n");
    let document = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let places: Vec<(&Value, &Value, &Value)> = document["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["label"], &row["position"], &row["trusted"]))
        .collect();
    let (yes, no) = (&json!(true), &json!(false));
    assert_eq!(
        places,
        [
            (&json!("a"), &Value::Null, yes),
            (&json!("b"), &json!(1), yes),
            (&json!("c"), &Value::Null, no)
        ]
    );
}

#[test]
fn a_list_can_be_narrowed() {
    let sandbox = with_user_hooks("stop:\n  - command: a\nsession_end:\n  - command: b\n");
    let count = |args: &[&str]| {
        sandbox.run(args).assert_exit(0).json()["hooks"]
            .as_array()
            .map(Vec::len)
    };
    assert_eq!(count(&["list", "--json", "--event", "stop"]), Some(1));
    assert_eq!(count(&["list", "--json", "--dialect", "jcli"]), Some(2));
    sandbox
        .run(["list", "--dialect", "nobody"])
        .assert_exit(1)
        .assert_stderr("nobody");
}

#[test]
fn the_nearest_jcli_folder_above_is_the_project() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: a\n");
    let deep = sandbox.path("project/src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    let document = sandbox
        .run(["list", "--json", "--project", deep.to_str().unwrap()])
        .assert_exit(0)
        .json();
    assert_eq!(
        document["hooks"][0]["path"],
        json!(sandbox.path("project/.jcli/hooks.yaml"))
    );
}

#[test]
fn a_broken_file_does_not_hide_other_hooks() {
    let sandbox = with_user_hooks("stop: [\n");
    project(&sandbox, "stop:\n  - command: a\n");
    let document = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(document["hooks"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["problems"][0]["code"], "syntax");
}

#[test]
fn explain_runs_nothing_and_shows_every_gate_of_every_hook() {
    let sandbox = with_user_hooks(
        "pre_tool_execution:\n  - {command: 'touch ran', filter: {tool_name: bash}}\n  - {command: 'touch ran'}\nstop:\n  - command: 'touch ran'\n",
    );
    project(
        &sandbox,
        "pre_tool_execution:\n  - {command: 'touch ran', filter: {tool_name: Grep}}\n",
    );
    let args = [
        "explain",
        "--dialect",
        "jcli",
        "--event",
        "pre_tool_execution",
        "--payload",
        "-",
        "--json",
    ];
    let document = sandbox.run_with(r#"{"tool_name": "Bash"}"#, args).assert_exit(0).json();
    let steps = document["steps"].as_array().unwrap();
    let said: Vec<(&str, bool, Vec<bool>)> = steps
        .iter()
        .map(|step| {
            let gates = step["gates"].as_array().unwrap();
            let passed = gates.iter().map(|gate| gate["pass"] == true).collect();
            (step["hook"].as_str().unwrap(), step["would_run"] == true, passed)
        })
        .collect();
    assert_eq!(
        said,
        [
            (
                "jcli:user:pre_tool_execution:0",
                false,
                vec![true, true, true, true, false, true]
            ),
            ("jcli:user:pre_tool_execution:1", true, vec![true; 6]),
            (
                "jcli:project:pre_tool_execution:0",
                false,
                vec![true, false, true, true, false, true]
            ),
            ("jcli:user:stop:0", false, vec![true, true, true, false, true, true]),
        ]
    );
    let miss = &steps[0]["gates"][4];
    assert_contains(
        json!({"gate": "filter", "why": "tool_name is Bash, wanted bash", "near_miss": "case"}),
        miss,
    );
    assert_eq!(document["payload"]["event"], "pre_tool_execution");
    assert!(!sandbox.path("project/ran").exists());
}

#[test]
fn a_relay_entry_is_listed_and_never_run() {
    let sandbox = with_user_hooks("stop:\n  - command: hookwright-relay --dialect jcli\n");
    let document = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_contains(json!({"hooks": [{"enabled": false, "position": null}]}), &document);
    let seen = crate::jcli::trace(&sandbox, "stop", &json!({}));
    assert_eq!(crate::jcli::outcomes(&seen), ["stop:0 skipped:disabled"]);
}

#[test]
fn the_text_output_names_hooks_and_problems() {
    let sandbox = Sandbox::new();
    user(&sandbox, "stop:\n  - command: python3 gate.py\nstopp: []\n");
    sandbox
        .run(["list"])
        .assert_exit(0)
        .assert_output("jcli:user:stop:0")
        .assert_output("unknown_event");
    let help = sandbox.run(["--help"]).assert_exit(0);
    for command in [
        "list", "check", "explain", "fire", "history", "show", "stats", "trust", "mute", "unmute", "serve", "open",
    ] {
        assert!(
            help.stdout.lines().any(|line| line.trim_start().starts_with(command)),
            "{command} is missing\n{help}"
        );
        sandbox.run([command, "--help"]).assert_exit(0);
    }
    sandbox
        .run(["completions", "bash"])
        .assert_exit(0)
        .assert_output("hookwright");
}

#[test]
fn a_file_with_thousands_of_hooks_is_listed_and_explained() {
    let sandbox = with_user_hooks(&format!(
        "stop:\n{}",
        "  - command: 'echo {\"action\": \"stop\"}'\n".repeat(10_000)
    ));
    let hooks = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(hooks["hooks"][9_999]["position"], 10_000);
    let steps = sandbox
        .run(["explain", "--dialect", "jcli", "--event", "stop", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(steps["steps"][9_999]["position"], 10_000);
}

#[test]
fn an_explanation_shows_no_secret() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - {command: 'true', filter: {tool_name: Bash}}\n");
    let secret = "sk-abcdefghijklmnopqrstuvwxyz123456";
    let payload = json!({"tool_name": secret, "tool_arguments": {"api_key": "hunter2hunter2"}}).to_string();
    let args = [
        "explain",
        "--dialect",
        "jcli",
        "--event",
        "pre_tool_execution",
        "--payload",
        "-",
    ];
    for json in [None, Some("--json")] {
        let shown = sandbox.run_with(&payload, args.into_iter().chain(json)).assert_exit(0);
        assert!(
            !shown.stdout.contains("sk-abc") && !shown.stdout.contains("hunter2"),
            "{shown}"
        );
        assert!(shown.stdout.contains("Bash"), "{shown}");
    }
}

#[test]
fn a_relative_root_never_makes_a_project_file_a_user_file() {
    for name in ["HOME", "HOOKWRIGHT_DATA"] {
        let sandbox = with_user_hooks("stop: []\n").with_var(name, "../home");
        sandbox.run(["list"]).assert_exit(1).assert_stderr(name);
    }
    let sandbox = Sandbox::new()
        .with_var("XDG_DATA_HOME", "xdg")
        .with_var("XDG_CONFIG_HOME", "xdg");
    sandbox.run(["list"]).assert_exit(0);

    let sandbox = Sandbox::new().with_var("J_DATA_PATH", "jd");
    sandbox.write("project/jd/agent/hooks.yaml", "stop:\n  - command: 'exit 0'\n");
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(list["hooks"], json!([]));
    assert_eq!(list["problems"][0]["code"], "relative_place");
    for source in list["sources"].as_array().unwrap() {
        assert!(
            source["path"].as_str().is_some_and(|path| path.starts_with('/')),
            "{source}"
        );
    }
    sandbox.run(["check"]).assert_exit(1).assert_output("relative_place");
    let fired = crate::jcli::trace(&sandbox, "stop", &json!({}));
    assert_eq!(fired["notices"][0]["code"], "relative_place", "{fired:#}");
    let sources = list["sources"].as_array().unwrap();
    let is_it = |source: &&serde_json::Value| source["health"]["code"] == "relative_place";
    let source = sources.iter().find(is_it).unwrap();
    assert_eq!((&source["layer"], &source["hooks"]), (&json!("user"), &json!(0)));
    let status = sandbox.run(["status", "--json"]).assert_exit(1).json();
    let need = &status["needs"][0];
    assert_eq!(
        (&need["kind"], &need["code"]),
        (&json!("source"), &json!("relative_place"))
    );
    let event = ["--dialect", "jcli", "--event", "stop"];
    let explained = sandbox
        .run([&["explain", "--json"][..], &event].concat())
        .assert_exit(0)
        .json();
    assert_eq!(explained["notices"][0]["code"], "relative_place");
    let printed = sandbox.run([&["fire"][..], &event].concat()).assert_exit(0);
    assert!(!printed.stdout.contains("no hook is defined"), "{printed}");
    sandbox
        .run(["connect", "jcli", "--dry-run"])
        .assert_exit(1)
        .assert_stderr("J_DATA_PATH");
    let added = sandbox.run([
        "add",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--layer",
        "user",
        "--definition",
        r#"{"command": "x"}"#,
    ]);
    added.assert_exit(1).assert_stderr("J_DATA_PATH");
}

#[test]
fn a_closed_stdout_is_no_failure_and_completions_need_no_home() {
    let sandbox = with_user_hooks("stop:\n  - {command: 'exit 0', timeout: soon}\n");
    let program = hookwright_testkit::program::hookwright().display();
    let script = format!(
        "exec 2>&1; {program} completions bash | true; {program} check 2>&1 >/dev/null | true; \
         {program} fire --dialect jcli --event none 2>&1 | true; env -u HOME {program} completions zsh | head -n 1"
    );
    let done = sandbox
        .start_program(std::path::Path::new("/bin/sh"), ["-c", &script])
        .finish();
    assert_eq!(done.stdout, "#compdef hookwright\n", "{done}");
}

#[test]
fn the_text_list_has_labels_and_paths_relative_to_the_project() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: 'sh scripts/gate.sh'\n");
    let done = sandbox.run(["list"]).assert_exit(0);
    assert!(
        done.stdout.contains("gate.sh") && done.stdout.contains("  .jcli/hooks.yaml:2"),
        "{done}"
    );
    sandbox
        .run(["check"])
        .assert_exit(0)
        .assert_stderr("1 file checked, 0 errors");
    let empty = Sandbox::new();
    empty
        .run(["list"])
        .assert_exit(0)
        .assert_stderr("hookwright add --help");
    empty.run(["check"]).assert_exit(0).assert_stderr("hookwright list");
}

#[test]
#[cfg(target_os = "linux")]
fn a_window_without_a_display_is_refused() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["open"])
        .assert_exit(1)
        .assert_stderr("no display is available");
}
