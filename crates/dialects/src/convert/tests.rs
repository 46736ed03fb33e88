//! Every pair of dialects, with hooks of every kind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{Hook, Layer, OnFailure, Root, RootKind, Severity, SourceFile, SourceTree};

use super::form::ConvertForm;
use super::moments::{self, EventFit};
use super::{Conversion, ScriptFile, SourceHook, convert};
use crate::{convert_forms, find};

/// The id of a dialect.
fn id(form: &ConvertForm) -> &'static str {
    form.card.id
}

/// The files of a project, as one dialect reads them.
struct Project {
    files: Vec<(PathBuf, Vec<u8>, u32)>,
    hooks: Vec<Arc<Hook>>,
    errors: Vec<String>,
}

impl Project {
    fn new(dialect: &str, files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec(), 0o755));
        Self::from_files(dialect, files.collect())
    }

    fn from_conversion(dialect: &str, conversion: &Conversion) -> Self {
        let files = conversion
            .files
            .iter()
            .map(|file| (file.path.clone(), file.bytes.clone(), file.mode));
        Self::from_files(dialect, files.collect())
    }

    fn from_files(dialect: &str, files: Vec<(PathBuf, Vec<u8>, u32)>) -> Self {
        let id = dialect;
        let dialect = find(id).unwrap();
        let project = Path::new("/p");
        let (place, layer, reads) = match id {
            "jcli" => (".jcli/hooks.yaml", Layer::Project, RootKind::File),
            "qoder" => (".qoder/settings.json", Layer::Project, RootKind::File),
            "claude-code" => (".claude/settings.json", Layer::Project, RootKind::File),
            "codex" => (".codex/hooks.json", Layer::Project, RootKind::File),
            "skill" => ("skills", Layer::Skill, RootKind::Folders("hooks/hooks.json")),
            "agent-hooks" => (".agents/hooks", Layer::Project, RootKind::Folders("HOOK.md")),
            "picoclaw" => (".picoclaw/config.json", Layer::Project, RootKind::File),
            _ => unreachable!("{id}"),
        };
        let root = Root {
            layer,
            path: project.join(place),
            project: Some(project.to_owned()),
            reads,
            managed: false,
            above: 0,
            home: None,
        };
        let mut tree = SourceTree::with_text(root.clone(), Ok(String::new()));
        tree.files.clear();
        for (path, bytes, mode) in &files {
            let path = project.join(path);
            if path == root.path || path.starts_with(&root.path) {
                let text = String::from_utf8(bytes.clone()).unwrap();
                let mut file = SourceFile::with_text(path.clone(), Ok(text));
                file.executable = mode & 0o100 != 0;
                tree.files.insert(path, file);
            }
        }
        let parsed = dialect.parse(&tree);
        let errors = parsed
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        Self {
            errors: errors.map(|problem| problem.message.clone()).collect(),
            hooks: parsed.hooks,
            files,
        }
    }

    fn convert(&self, from: &str, to: &str) -> Conversion {
        let sources: Vec<SourceHook<'_>> = self.hooks.iter().map(|hook| self.source(from, hook)).collect();
        convert(&sources, from, to)
    }

    fn source<'a>(&self, from: &str, hook: &'a Hook) -> SourceHook<'a> {
        let folder = hook
            .source
            .path
            .parent()
            .unwrap()
            .strip_prefix("/p")
            .unwrap()
            .to_owned();
        let is_carried = |path: &Path| from == "agent-hooks" && path.starts_with(&folder) && !path.ends_with("HOOK.md");
        let files = self.files.iter().filter(|(path, _, _)| is_carried(path));
        let files = files.map(|(path, bytes, mode)| ScriptFile {
            path: path.strip_prefix(&folder).unwrap().to_owned(),
            bytes: bytes.clone(),
            mode: *mode,
        });
        SourceHook {
            hook,
            files: files.collect(),
        }
    }
}

fn codes(conversion: &Conversion) -> Vec<&str> {
    conversion.losses.iter().map(|loss| loss.message.code).collect()
}

const JCLI: &str = r#"
pre_tool_execution:
  - command: python3 guard.py
    timeout: 5
    on_error: abort
    filter: {tool_matcher: "Bash | Write"}
  - command: ./audit.sh "a b"
  - type: llm
    prompt: ok?
stop:
  - command: "echo '{\"retry_feedback\": \"more\"}'"
    retry: 2
session_start:
  - command: echo hi
    filter: {model_prefix: gpt}
"#;
const QODER: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "sh -c 'exit 2'", "timeout": 1.5}]},
    {"matcher": "File.*", "hooks": [{"type": "command", "command": "fmt", "args": ["a b"], "env": {"X": "1 2"}, "async": true}]}
  ],
  "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "cat \"$QODER_PROJECT_DIR\"/x"}]}],
  "CwdChanged": [{"hooks": [{"type": "command", "command": "true"}]}],
  "Notification": [{"hooks": [{"type": "command", "command": "true"}]}]
}}"#;
const CLAUDE_CODE: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "sh -c 'exit 2'", "timeout": 1.5, "onFailure": "block"}]},
    {"matcher": "^Notebook", "hooks": [{"type": "command", "command": "fmt", "args": ["a b"], "async": true}]},
    {"hooks": [{"type": "command", "command": "true", "if": "Bash(git *)"}, {"type": "prompt", "prompt": "ok? $ARGUMENTS"}]}
  ],
  "PermissionRequest": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cat \"$CLAUDE_PROJECT_DIR\"/x"}]}],
  "Notification": [{"hooks": [{"type": "command", "command": "true"}]}]
}}"#;
const CODEX: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "echo no >&2; exit 2", "timeout": 5, "statusMessage": "Check"}]},
    {"matcher": "^mcp__", "hooks": [{"type": "command", "command": "fmt", "async": true}, {"type": "mcp_tool", "server": "s", "tool": "t"}]}
  ],
  "PermissionRequest": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cat"}]}],
  "Interrupt": [{"hooks": [{"type": "command", "command": "true"}]}]
}}"#;
const SKILL: &str = r#"{"hooks": [
  {"name": "start", "file": "a.md", "timing": "after_user_input", "role": "system", "persistent": true},
  {"name": "step", "file": "a.md", "timing": "before_each_agent", "role": "user", "persistent": false},
  {"name": "after", "file": "a.md", "timing": "after_tool_call", "role": "user", "persistent": false, "tool_filter": ["read_file"]}
]}"#;
const GUARD: &str = "---\nname: guard\ndescription: Blocks\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: rm -rf\ntimeout: 1500\npriority: 999\n---\n\nNotes.\n";
const FORMAT: &str =
    "---\nname: format\ndescription: Formats\ntrigger: after_tool\nmatcher: {tool: ^WriteFile$}\nasync: true\n---\n";
const PICOCLAW: &str = r#"{"hooks": {"defaults": {"interceptor_timeout_ms": 2000}, "processes": {
  "gate": {"enabled": true, "priority": -5, "command": ["python3", "my gate.py"], "dir": "tools", "env": {"A": "b c"}, "intercept": ["before_tool", "approve_tool"]},
  "watch": {"enabled": true, "priority": 7, "command": ["watch"], "observe": ["tool_exec_end", "error"]},
  "off": {"command": ["x"], "intercept": ["before_llm"]}
}}}"#;

fn sample(dialect: &str) -> Project {
    match dialect {
        "jcli" => Project::new(dialect, &[(".jcli/hooks.yaml", JCLI)]),
        "qoder" => Project::new(dialect, &[(".qoder/settings.json", QODER)]),
        "claude-code" => Project::new(dialect, &[(".claude/settings.json", CLAUDE_CODE)]),
        "codex" => Project::new(dialect, &[(".codex/hooks.json", CODEX)]),
        "skill" => Project::new(
            dialect,
            &[
                ("skills/s/hooks/hooks.json", SKILL),
                ("skills/s/hooks/a.md", "It's \"x\"\n100%\n"),
            ],
        ),
        "agent-hooks" => Project::new(
            dialect,
            &[
                (".agents/hooks/guard/HOOK.md", GUARD),
                (
                    ".agents/hooks/guard/scripts/run.py",
                    "#!/usr/bin/env python3\nimport sys\n\nsys.stdin.read()\nsys.exit(2)\n",
                ),
                (".agents/hooks/guard/scripts/lib.sh", "x=1\n"),
                (".agents/hooks/format/HOOK.md", FORMAT),
                (".agents/hooks/format/scripts/run", "#!/bin/sh\nblack --quiet .\n"),
            ],
        ),
        "picoclaw" => Project::new(dialect, &[(".picoclaw/config.json", PICOCLAW)]),
        _ => unreachable!("{dialect}"),
    }
}

#[test]
fn the_result_of_every_pair_parses_without_an_error() {
    for from in convert_forms().map(id) {
        let project = sample(from);
        for to in convert_forms().map(id).filter(|to| *to != from) {
            let conversion = project.convert(from, to);
            let result = Project::from_conversion(to, &conversion);
            assert_eq!(result.errors, [""; 0], "{from:?} {to:?} {:?}", conversion.files);
            let refused = conversion.unconverted;
            assert!(!result.hooks.is_empty() || refused > 0, "{from:?} {to:?}");
            assert!(!conversion.losses.is_empty(), "{from:?} {to:?}");
            let mut paths: Vec<&Path> = conversion.files.iter().map(|file| &*file.path).collect();
            paths.sort();
            paths.dedup();
            assert_eq!(paths.len(), conversion.files.len(), "{from:?} {to:?}");
        }
    }
}

/// What a hook does, without its name and place.
fn behaviour(hook: &Hook) -> String {
    let (event, timeout, mode, failure) = (&hook.event, hook.timeout, hook.mode, hook.on_failure);
    format!(
        "{event} {timeout:?} {mode:?} {failure:?} {:?} {:?}",
        hook.when, hook.handler
    )
}

#[test]
fn commands_of_j_cli_and_qoder_lead_back_to_the_same_behaviour() {
    let commands = [
        "python3 guard.py 'a b'",
        "echo '{\"action\": \"skip\"}'",
        "exit 2",
        "a; b && c",
    ];
    let filters = [
        "",
        "    filter: {tool_name: Bash}\n",
        "    filter: {tool_matcher: Edit|Write}\n",
    ];
    let timeouts = ["", "    timeout: 1\n", "    timeout: 29\n"];
    for command in commands {
        for filter in filters {
            for timeout in timeouts {
                for on_error in ["", "    on_error: abort\n"] {
                    let quoted = serde_json::Value::from(command);
                    let text = format!("pre_tool_execution:\n  - command: {quoted}\n{timeout}{on_error}{filter}");
                    let before = Project::new("jcli", &[(".jcli/hooks.yaml", &text)]);
                    for via in ["qoder", "claude-code", "codex", "agent-hooks"] {
                        let there = before.convert("jcli", via);
                        let middle = Project::from_conversion(via, &there);
                        let back = middle.convert(via, "jcli");
                        let after = Project::from_conversion("jcli", &back);
                        let lists =
                            [&before, &after].map(|it| it.hooks.iter().map(|hook| behaviour(hook)).collect::<Vec<_>>());
                        assert_eq!(lists[0], lists[1], "{text}\n{there:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn agent_hooks_and_qoder_lead_back_to_each_other() {
    let before = sample("agent-hooks");
    let there = before.convert("agent-hooks", "qoder");
    let middle = Project::from_conversion("qoder", &there);
    let back = middle.convert("qoder", "agent-hooks");
    let after = Project::from_conversion("agent-hooks", &back);
    let facts = |project: &Project| -> Vec<String> {
        let fact = |hook: &Hook| format!("{} {:?} {:?} {}", hook.event, hook.timeout, hook.mode, hook.label);
        let mut facts: Vec<String> = project.hooks.iter().map(|hook| fact(hook)).collect();
        facts.sort();
        facts
    };
    assert_eq!(facts(&before), facts(&after));
}

#[test]
fn agents_with_the_same_form_of_output_lead_back_to_each_other() {
    let matchers = ["Bash", "Edit|Write", ".*Note.*", "(?:A|B)x"];
    for matcher in matchers {
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "./guard.sh", "timeout": 5}}]}}]}}}}"#
        );
        let before = Project::new("qoder", &[(".qoder/settings.json", &text)]);
        let there = before.convert("qoder", "claude-code");
        let middle = Project::from_conversion("claude-code", &there);
        let back = middle.convert("claude-code", "qoder");
        let after = Project::from_conversion("qoder", &back);
        assert_eq!(behaviour(&before.hooks[0]), behaviour(&after.hooks[0]), "{there:?}");
    }
}

#[test]
fn a_condition_that_the_other_dialect_does_not_have_is_reported() {
    let conversion = sample("claude-code").convert("claude-code", "qoder");
    assert!(
        codes(&conversion).contains(&"convert_condition_dropped"),
        "{:?}",
        codes(&conversion)
    );
    let jcli = sample("claude-code").convert("claude-code", "jcli");
    assert!(codes(&jcli).contains(&"convert_no_prompt"), "{:?}", codes(&jcli));
}

#[test]
fn a_denial_gets_the_word_that_the_other_agent_reads() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo '{\"decision\": \"deny\"}'"}]}]}}"#;
    let before = Project::new("qoder", &[(".qoder/settings.json", text)]);
    let there = before.convert("qoder", "claude-code");
    assert!(codes(&there).contains(&"convert_decision_words"), "{:?}", codes(&there));
    let middle = Project::from_conversion("claude-code", &there);
    let back = middle.convert("claude-code", "qoder");
    let after = Project::from_conversion("qoder", &back);
    assert_eq!(behaviour(&before.hooks[0]), behaviour(&after.hooks[0]));
}

#[test]
fn what_blocks_without_a_reason_elsewhere_gets_one_for_codex() {
    let there = |command: &str| {
        let text = serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": command }] }] } });
        let before = Project::new("claude-code", &[(".claude/settings.json", &text.to_string())]);
        before.convert("claude-code", "codex")
    };
    assert!(codes(&there("exit 2")).contains(&"convert_reason_added"));
    assert!(!codes(&there("echo no >&2; exit 2")).contains(&"convert_reason_added"));
    let ask = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}'"#;
    assert!(codes(&there(ask)).contains(&"convert_decision_words"));
}

#[test]
fn a_block_by_exit_code_gets_an_adapter_where_only_the_output_blocks() {
    let text = |command: &str| {
        format!(
            r#"{{"hooks": {{"PermissionRequest": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
        )
    };
    let is_adapted = |command: &str| {
        let project = Project::new("qoder", &[(".qoder/settings.json", &text(command))]);
        let conversion = project.convert("qoder", "claude-code");
        assert_eq!(conversion.unconverted, 0);
        codes(&conversion).contains(&"convert_adapted")
    };
    assert!(is_adapted("exit 2"));
    assert!(is_adapted("python3 guard.py"));
    assert!(!is_adapted("echo behavior deny decision"));
}

#[test]
fn priorities_count_in_the_other_direction_and_lead_back() {
    let project = sample("agent-hooks");
    let there = project.convert("agent-hooks", "picoclaw");
    let middle = Project::from_conversion("picoclaw", &there);
    let guard = middle.hooks.iter().find(|hook| hook.label == "guard").unwrap();
    assert_eq!(guard.rank, Some(-899));
    let back = middle.convert("picoclaw", "agent-hooks");
    let after = Project::from_conversion("agent-hooks", &back);
    let guard = after.hooks.iter().find(|hook| hook.label.starts_with("guard")).unwrap();
    assert_eq!(guard.rank, Some(999));
    let format = after.hooks.iter().find(|hook| hook.label == "format").unwrap();
    assert_eq!((format.event.as_str(), format.mode.awaits()), ("after_tool", false));
}

#[test]
fn a_text_of_a_skill_leads_back() {
    let project = sample("skill");
    let there = project.convert("skill", "jcli");
    let middle = Project::from_conversion("jcli", &there);
    assert_eq!(there.unconverted, 1, "a text after a tool call");
    let back = middle.convert("jcli", "skill");
    let after = Project::from_conversion("skill", &back);
    assert!(after.hooks.iter().all(|hook| hook.event == "before_each_agent"));
    assert_eq!(after.hooks[1].handler, project.hooks[1].handler);
    assert_eq!(after.hooks[1].definition["role"], "user");
}

#[test]
fn what_fails_closed_is_said_where_it_fails_open() {
    let project = sample("jcli");
    let qoder = project.convert("jcli", "qoder");
    assert!(codes(&qoder).contains(&"convert_fails_open"), "{:?}", codes(&qoder));
    let approver = sample("picoclaw").convert("picoclaw", "jcli");
    let result = Project::from_conversion("jcli", &approver);
    let closed: Vec<OnFailure> = result.hooks.iter().map(|hook| hook.on_failure).collect();
    assert!(closed.contains(&OnFailure::Closed));
    assert!(codes(&approver).contains(&"convert_disabled"));
}

#[test]
fn every_event_of_every_dialect_is_converted_or_refused_with_a_reason() {
    for from in convert_forms() {
        for to in convert_forms() {
            for event in from.card.events {
                if let Some((other, fit)) = moments::equivalent_event(from, event.name, to) {
                    assert!(to.card.event(other).is_some());
                    assert!(fit == EventFit::Same || fit == EventFit::Nearest);
                }
            }
        }
    }
}

#[test]
fn what_a_command_reads_of_a_file_call_is_lost_where_calls_are_patches() {
    let settings = |command: &str| {
        let entry = serde_json::json!({ "type": "command", "command": command });
        let groups = serde_json::json!({ "PreToolUse": [{ "matcher": "Edit", "hooks": [entry] }] });
        Project::new(
            "claude-code",
            &[(
                ".claude/settings.json",
                &serde_json::json!({ "hooks": groups }).to_string(),
            )],
        )
    };
    let lost = |command: &str| {
        let conversion = settings(command).convert("claude-code", "codex");
        let path = conversion
            .losses
            .iter()
            .find(|loss| loss.message.code == "convert_payload_missing" && loss.message.text.contains("by a patch"));
        path.map(|loss| loss.message.text.clone())
    };
    let told = "Codex changes files by a patch, whose calls have no `file_path`";
    assert_eq!(lost("jq -r .tool_input.file_path").as_deref(), Some(told));
    assert_eq!(lost("echo file_paths; date"), None);
}
