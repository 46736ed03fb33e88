//! A guard blocks the same calls after each conversion, or it is left out and the command says so (`engine.md` §14).

use hookwright_testkit::Sandbox;
use hookwright_testkit::program::workspace;
use serde_json::{Value, json};

use crate::samples::copy;

const DIALECTS: [&str; 6] = ["jcli", "qoder", "claude-code", "codex", "agent-hooks", "picoclaw"];

/// A call of a tool, without the words of an agent.
#[derive(Debug, Clone, Copy)]
enum Call {
    Shell(&'static str),
    Write(&'static str),
}

impl Call {
    /// The event before the call in a dialect, and its payload.
    fn event(self, dialect: &str) -> (&'static str, Value) {
        let (shell, write, path) = match dialect {
            "codex" => ("Bash", "apply_patch", "command"),
            "agent-hooks" => ("Shell", "WriteFile", "path"),
            "picoclaw" => ("bash", "write_file", "path"),
            _ => ("Bash", "Write", "file_path"),
        };
        let (tool, arguments) = match self {
            Self::Shell(command) => (shell, json!({ "command": command })),
            Self::Write(name) => (write, json!({ path: name, "content": "x" })),
        };
        match dialect {
            "jcli" => (
                "pre_tool_execution",
                json!({ "tool_name": tool, "tool_arguments": arguments.to_string() }),
            ),
            "qoder" | "claude-code" | "codex" => ("PreToolUse", json!({ "tool_name": tool, "tool_input": arguments })),
            "agent-hooks" => ("before_tool", json!({ "tool_name": tool, "tool_input": arguments })),
            _ => ("before_tool", json!({ "tool": tool, "arguments": arguments })),
        }
    }

    /// Whether a dialect's hooks of a folder block the call.
    fn is_blocked(self, sandbox: &Sandbox, dialect: &str, folder: &str) -> bool {
        let (event, payload) = self.event(dialect);
        // A process of PicoClaw that approves has an event of its own.
        let events: &[&str] = if dialect == "picoclaw" {
            &[event, "approve_tool"]
        } else {
            &[event]
        };
        events.iter().any(|event| {
            let args = [
                "fire",
                "--dialect",
                dialect,
                "--event",
                event,
                "--trust",
                "--payload",
                "-",
                "--project",
                folder,
            ];
            let done = sandbox.run_with(payload.to_string(), args);
            assert!([0, 2].contains(&done.code()), "{done:?}");
            done.code() == 2
        })
    }
}

/// Guards of one dialect, a call that they block, and one that they do not.
struct Guards {
    dialect: &'static str,
    path: &'static str,
    blocked: Call,
    allowed: Call,
    /// Whether each of them is converted, with an adapter or without one.
    is_converted: fn(&str) -> bool,
}

/// Converts the guards to every other dialect, and fires both calls there.
fn check(sandbox: &Sandbox, guards: &Guards) {
    let from = guards.dialect;
    assert!(
        guards.blocked.is_blocked(sandbox, from, "."),
        "{from} {:?}",
        guards.blocked
    );
    assert!(
        !guards.allowed.is_blocked(sandbox, from, "."),
        "{from} {:?}",
        guards.allowed
    );
    for to in DIALECTS.into_iter().filter(|to| *to != from) {
        let out = format!("to-{to}");
        let done = sandbox.run([
            "convert",
            "--from",
            from,
            "--to",
            to,
            guards.path,
            "--out",
            &out,
            "--json",
        ]);
        let losses: Vec<Value> = done.json()["loss"].as_array().unwrap().clone();
        let refused: Vec<&Value> = losses
            .iter()
            .filter(|loss| loss["code"].as_str().unwrap().starts_with("would_"))
            .collect();
        if !(guards.is_converted)(to) {
            assert!(!refused.is_empty(), "{from} {to} {losses:?}");
            assert!(
                refused
                    .iter()
                    .all(|loss| !loss["args"]["text"].as_str().unwrap().is_empty())
            );
            assert_eq!(done.code(), 1, "{from} {to}");
            continue;
        }

        assert!(guards.blocked.is_blocked(sandbox, to, &out), "{from} {to} {losses:#?}");
        assert!(!guards.allowed.is_blocked(sandbox, to, &out), "{from} {to} {losses:#?}");
    }
}

fn sample(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&workspace().join("hooks-samples").join(name), &sandbox);
    sandbox
}

fn always(_: &str) -> bool {
    true
}

fn never(_: &str) -> bool {
    false
}

#[test]
fn guards_of_j_cli_block_the_same_calls_elsewhere() {
    let (blocked, allowed) = (Call::Shell("rm -rf /"), Call::Shell("ls"));
    let guards = Guards {
        dialect: "jcli",
        path: ".jcli/hooks.yaml",
        blocked,
        allowed,
        is_converted: always,
    };
    check(&sample("jcli/guard-shell"), &guards);
}

#[test]
fn a_guard_in_shell_that_searches_the_event_for_json_is_left_out() {
    let sandbox = sample("jcli/starter");
    sandbox.write(
        "project/.jcli/hooks.yaml",
        "pre_tool_execution:\n  - command: \"sh .jcli/hooks/guard_shell.sh\"\n",
    );
    let guards = Guards {
        dialect: "jcli",
        path: ".jcli/hooks.yaml",
        blocked: Call::Shell("rm -rf ~"),
        allowed: Call::Shell("ls"),
        is_converted: never,
    };
    check(&sandbox, &guards);
}

#[test]
fn guards_of_files_find_the_path_under_its_other_name() {
    let (blocked, allowed) = (Call::Write(".env"), Call::Write("notes.txt"));
    for (dialect, name, path) in [
        ("qoder", "qoder/command-guard", ".qoder/settings.json"),
        ("agent-hooks", "agent-hooks/protect-files", ".agents/hooks"),
    ] {
        let guards = Guards {
            dialect,
            path,
            blocked,
            allowed,
            // A patch of Codex has no path of its own.
            is_converted: |to| to != "codex",
        };
        check(&sample(name), &guards);
    }
}

#[test]
fn guards_of_claude_code_block_the_same_calls_elsewhere() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py"}]}]}}"#,
    );
    sandbox.write(
        "project/.claude/hooks/guard.py",
        concat!(
            "import json\nimport sys\n\n",
            "event = json.load(sys.stdin)\n",
            "if \"rm -rf\" in event[\"tool_input\"][\"command\"]:\n",
            "    answer = {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\"}\n",
            "    print(json.dumps({\"hookSpecificOutput\": answer}))\n",
        ),
    );
    let guards = Guards {
        dialect: "claude-code",
        path: ".claude/settings.json",
        blocked: Call::Shell("rm -rf /"),
        allowed: Call::Shell("ls"),
        is_converted: always,
    };
    check(&sandbox, &guards);
}

#[test]
fn guards_of_agent_hooks_and_picoclaw_block_the_same_calls_elsewhere() {
    let (blocked, allowed) = (Call::Shell("rm -rf /"), Call::Shell("ls"));
    for (dialect, name, path) in [
        ("agent-hooks", "agent-hooks/guard-python", ".agents/hooks"),
        ("picoclaw", "picoclaw/review-gate", ".picoclaw/config.json"),
    ] {
        let guards = Guards {
            dialect,
            path,
            blocked,
            allowed,
            is_converted: always,
        };
        check(&sample(name), &guards);
    }
}

/// The guards that the form of a new hook offers.
#[test]
fn guards_that_search_for_plain_words_block_the_same_calls_where_a_command_is_started_for_each_event() {
    let (blocked, allowed) = (Call::Shell("rm -rf build"), Call::Shell("ls"));
    let script = "if grep -q 'rm -rf'; then\n  echo 'rm -rf is blocked' >&2\n  exit 2\nfi\n";
    let jcli = "case \"$(cat)\" in\n  *'rm -rf'*) echo '{\"action\": \"skip\", \"system_message\": \"no\"}' ;;\n  *) echo '{}' ;;\nesac";
    let files = [
        (
            "jcli",
            ".jcli/hooks.yaml",
            json!({"pre_tool_execution": [{"command": jcli, "on_error": "abort"}]}).to_string(),
        ),
        (
            "qoder",
            ".qoder/settings.json",
            json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": script}]}]}})
                .to_string(),
        ),
        ("agent-hooks", ".agents/hooks", String::new()),
    ];
    for (dialect, path, text) in files {
        let sandbox = Sandbox::new();
        if dialect == "agent-hooks" {
            sandbox.write(
                "project/.agents/hooks/guard/HOOK.md",
                "---\nname: guard\ndescription: Blocks rm -rf\ntrigger: before_tool\nmatcher: {tool: ^Shell$}\n---\n",
            );
            sandbox.script(
                "project/.agents/hooks/guard/scripts/run.sh",
                &format!("#!/bin/sh\n{script}"),
            );
        } else {
            sandbox.write(&format!("project/{path}"), &text);
        }
        let guards = Guards {
            dialect,
            path,
            blocked,
            allowed,
            is_converted: |to| to != "picoclaw",
        };
        check(&sandbox, &guards);
    }
}

#[test]
fn a_process_given_as_text_is_asked_through_an_adapter() {
    let script = "import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    params = message.get('params', {})\n    result = {'action': 'continue'}\n    if message['method'] == 'hook.before_tool' and 'rm -rf' in json.dumps(params.get('arguments', {})):\n        result = {'action': 'deny_tool', 'reason': 'rm -rf is blocked'}\n    if 'id' in message:\n        print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)\n";
    let sandbox = Sandbox::new();
    let process = json!({"enabled": true, "command": ["python3", "-u", "-c", script], "intercept": ["before_tool"]});
    sandbox.write(
        "project/.picoclaw/config.json",
        &json!({"hooks": {"processes": {"guard": process}}}).to_string(),
    );
    let guards = Guards {
        dialect: "picoclaw",
        path: ".picoclaw/config.json",
        blocked: Call::Shell("rm -rf build"),
        allowed: Call::Shell("ls"),
        is_converted: always,
    };
    check(&sandbox, &guards);
}

/// Settings of Qoder with this guard of calls.
fn guard_of_qoder(command: &str) -> String {
    json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

#[test]
fn a_guard_in_shell_that_names_a_tool_is_left_out_where_the_tool_has_another_name() {
    let sandbox = Sandbox::new();
    let command = "jq -e '.tool_name == \"Bash\"' >/dev/null && { echo no >&2; exit 2; }; exit 0";
    sandbox.write("project/.qoder/settings.json", guard_of_qoder(command));
    let guards = Guards {
        dialect: "qoder",
        path: ".qoder/settings.json",
        blocked: Call::Shell("ls"),
        allowed: Call::Write("notes.txt"),
        is_converted: |to| !["agent-hooks", "picoclaw"].contains(&to),
    };
    check(&sandbox, &guards);
}

#[test]
fn a_script_that_names_its_interpreter_gets_an_adapter_and_finds_the_names_that_it_knows() {
    let sandbox = Sandbox::new();
    sandbox.script(
        "project/.qoder/guard.py",
        "#!/usr/bin/env python3\nimport json\nimport sys\n\nevent = json.load(sys.stdin)\nif event[\"tool_name\"] == \"Write\":\n    sys.exit(\"no\" if event.get(\"hook_event_name\") != \"PreToolUse\" else 2)\n",
    );
    sandbox.write(
        "project/.qoder/settings.json",
        guard_of_qoder("\"$QODER_PROJECT_DIR\"/.qoder/guard.py"),
    );
    let guards = Guards {
        dialect: "qoder",
        path: ".qoder/settings.json",
        blocked: Call::Write("notes.txt"),
        allowed: Call::Shell("ls"),
        is_converted: always,
    };
    check(&sandbox, &guards);
}

#[test]
fn a_guard_at_an_event_that_the_other_agent_cannot_block_is_left_out() {
    for event in ["Stop", "UserPromptSubmit"] {
        let sandbox = Sandbox::new();
        let text = guard_of_qoder("echo no >&2; exit 2").replace("PreToolUse", event);
        sandbox.write("project/.qoder/settings.json", text);
        let args = [
            "convert",
            "--from",
            "qoder",
            "--to",
            "picoclaw",
            ".qoder/settings.json",
            "--json",
        ];
        let doc = sandbox.run(args).assert_exit(1).json();
        assert_eq!(
            (&doc["loss"][1]["code"], doc["files"].as_array().unwrap().len()),
            (&json!("would_not_block"), 0)
        );
        assert_eq!(doc["loss"][1]["args"]["text"], "echo no >&2; exit 2");
    }
}

#[test]
fn an_approval_is_not_converted_without_its_condition() {
    let sandbox = Sandbox::new();
    let allow = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"#;
    let entry = json!({"type": "command", "if": "Bash(git status)", "command": allow});
    sandbox.write(
        "project/.claude/settings.json",
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}).to_string(),
    );
    for to in ["qoder", "agent-hooks"] {
        let args = [
            "convert",
            "--from",
            "claude-code",
            "--to",
            to,
            ".claude/settings.json",
            "--json",
        ];
        let doc = sandbox.run(args).assert_exit(1).json();
        let codes: Vec<&str> = doc["loss"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|loss| loss["code"].as_str())
            .collect();
        assert!(codes.contains(&"would_always_approve"), "{to} {codes:?}");
    }
}

#[test]
fn a_guard_in_node_blocks_through_an_adapter_too() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/guard.cjs",
        "const event = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));\nconst { command = '' } = JSON.parse(event.tool_arguments ?? '{}');\nconst held = { action: 'skip', system_message: 'held back' };\nconsole.log(JSON.stringify(event.tool_name === 'Bash' && command.includes('rm -rf') ? held : {}));\n",
    );
    sandbox.write(
        "project/.jcli/hooks.yaml",
        "pre_tool_execution:\n  - command: node guard.cjs\n",
    );
    let guards = Guards {
        dialect: "jcli",
        path: ".jcli/hooks.yaml",
        blocked: Call::Shell("rm -rf build"),
        allowed: Call::Shell("ls"),
        is_converted: always,
    };
    check(&sandbox, &guards);
}

#[test]
fn a_guard_that_fails_behind_an_adapter_blocks() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/guard.py",
        "import json, sys\njson.load(sys.stdin)\nprint('{\"decision\": \"block\"')\n",
    );
    sandbox.write(
        "project/.qoder/settings.json",
        &json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "python3 guard.py"}]}]}})
            .to_string(),
    );
    for to in ["jcli", "agent-hooks", "picoclaw"] {
        let out = format!("to-{to}");
        sandbox
            .run([
                "convert",
                "--from",
                "qoder",
                "--to",
                to,
                ".qoder/settings.json",
                "--out",
                &out,
            ])
            .assert_exit(0);
        assert!(Call::Shell("ls").is_blocked(&sandbox, to, &out), "{to}");
    }
}

#[test]
fn an_adapter_is_taken_out_by_a_conversion_back() {
    let sandbox = sample("jcli/guard-shell");
    let convert = |from: &str, to: &str, path: &str, out: &str| {
        sandbox
            .run(["convert", "--from", from, "--to", to, path, "--out", out])
            .assert_exit(0)
    };
    for (to, path) in [
        ("qoder", "there/.qoder/settings.json"),
        ("picoclaw", "there/.picoclaw/config.json"),
    ] {
        convert("jcli", to, ".jcli/hooks.yaml", "there");
        convert(to, "jcli", path, "back");
        let text = std::fs::read_to_string(sandbox.path("project/back/.jcli/hooks.yaml")).unwrap();
        assert!(
            text.contains("python3 .jcli/hooks/guard_shell.py") && !text.contains("_to_jcli"),
            "{text}"
        );
        assert!(text.contains("on_error: abort"), "{text}");
        std::fs::remove_dir_all(sandbox.path("project/there")).unwrap();
        std::fs::remove_dir_all(sandbox.path("project/back")).unwrap();
    }
}

#[test]
fn words_of_decisions_are_converted() {
    let sandbox = Sandbox::new();
    let block = "echo '{\"decision\":\"block\",\"reason\":\"no\"}'";
    sandbox.write(
        "project/.qoder/settings.json",
        &json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": block}]}]}})
            .to_string(),
    );
    sandbox
        .run([
            "convert",
            "--from",
            "qoder",
            "--to",
            "agent-hooks",
            ".qoder/settings.json",
            "--out",
            "out",
        ])
        .assert_exit(0);
    assert!(Call::Shell("ls").is_blocked(&sandbox, "agent-hooks", "out"));
    sandbox
        .run([
            "convert",
            "--from",
            "agent-hooks",
            "--to",
            "qoder",
            "out/.agents/hooks",
            "--out",
            "back",
        ])
        .assert_exit(0);
    assert!(Call::Shell("ls").is_blocked(&sandbox, "qoder", "back"));
}
