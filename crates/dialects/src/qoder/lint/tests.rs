mod starting;

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::{Files, Layer, Locations, Parsed, Root, SourceTree};
use serde_json::{Value, json};

use super::super::settings::tests::read;
use super::super::{Qoder, module};
use super::*;

/// The hints as `code.case`, for hooks of this layer. `named` are the files that the first hook names.
fn advice(layer: Layer, parsed: Parsed, named: &[(&str, &str)]) -> Vec<String> {
    let mut hooks = parsed.hooks;
    for hook in &mut hooks {
        let hook = Arc::make_mut(hook);
        hook.source.layer = layer;
        hook.source.project = (layer == Layer::Project).then(|| "/p".into());
    }
    let files = named
        .iter()
        .map(|(path, text)| (PathBuf::from(path), (*text).to_owned()));
    let first = hooks.first().map(|hook| hook.id.clone()).unwrap_or_default();
    let named = BTreeMap::from([(first, files.collect())]);
    let places = Locations {
        home: "/h".into(),
        project: "/p".into(),
        skills_roots: Vec::new(),
        vars: BTreeMap::new(),
    };
    let there = [
        "/p",
        "/p/",
        "/p/guard.sh",
        "/p/plain.sh",
        "/p/a.py",
        "/usr/bin/env",
        "/p/.qoder/hooks.json",
    ];
    let context = LintContext {
        hooks: &hooks,
        named_file_texts: &named,
        locations: &places,
        env: &["HOME".to_owned()],
        sh: "dash",
        on_path: &|name| ["python3", "cat", "grep", "jq", "bash", "sh", "pwsh"].contains(&name),
        path_exists: &|path| there.iter().any(|known| path == Path::new(known)),
        is_executable: &|path| path != Path::new("/p/plain.sh"),
        list_dir: &|path| vec![path.join("a.json"), path.join("b.txt")],
        read_text: &|_| None,
    };
    let mut out: Vec<String> = Qoder
        .lint(&context)
        .into_iter()
        .filter(|problem| problem.code.as_str() != "file_not_read")
        .map(|problem| {
            assert!(problem.line.is_some());
            let text = |name: &str| problem.args.get(name).and_then(Value::as_str).unwrap_or_default();
            let effect = text("effect");
            let between = if effect.is_empty() { "" } else { " " };
            format!("{}.{}{between}{effect}", problem.code.as_str(), text("case"))
        })
        .collect();
    out.sort();
    out
}

fn parse_entry(event: &str, entry: Value) -> Parsed {
    read(&json!({"hooks": {event: [{"hooks": [entry]}]}}).to_string())
}

fn command_entry(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

#[track_caller]
fn assert_advice(event: &str, entry: Value, want: &[&str]) {
    let shown = entry.to_string();
    assert_eq!(advice(Layer::Project, parse_entry(event, entry), &[]), want, "{shown}");
}

/// A path in the project, as a careful command writes it.
fn project_path(file: &str) -> String {
    format!("\"$QODER_PROJECT_DIR/{file}\"")
}

#[test]
fn an_unset_variable_is_reported() {
    let entry =
        json!({"type": "command", "command": "echo $TOOL $HOME $A $QODER_PROJECT_DIR ${B:-x}", "env": {"A": "1"}});
    assert_advice("Stop", entry, &["unset_variable.command"]);
    assert_advice(
        "Stop",
        command_entry("bash -c 'echo \"$TOOL_ARGS\"'"),
        &["unset_variable.command"],
    );
    assert_advice(
        "Stop",
        command_entry("echo ${QODER_PROJECT_DIR:-$OTHER} $PIPESTATUS"),
        &[],
    );
    assert_advice("Stop", command_entry("NAME=\"$(cat)\"; echo \"$NAME\""), &[]);
    let scripts = [("/p/guard.sh", "#!/bin/bash\necho $NAME\n")];
    let parsed = parse_entry(
        "Stop",
        command_entry(&format!("NAME=1 bash {}", project_path("guard.sh"))),
    );
    assert!(advice(Layer::Project, parsed, &scripts).is_empty());
}

#[test]
fn arguments_are_no_shell_words() {
    let argv = |program: &str, args: &[&str]| json!({"type": "command", "command": program, "args": args});
    assert_advice("Stop", argv("cat", &["$TOOL"]), &["unknown_placeholder.args"]);
    assert_advice(
        "Stop",
        argv("python3", &["${CLAUDE_PROJECT_DIR}/a.py"]),
        &["unknown_placeholder.args"],
    );
    assert_advice("Stop", argv("python3", &["-c", "print('$x')"]), &[]);
    assert_advice(
        "Stop",
        argv("python3", &["gone.py"]),
        &["entry_missing.missing blocks", "not_portable.relative"],
    );
    assert_advice("Stop", argv("python3", &["/p/a.py"]), &["not_portable.home"]);
    assert_advice("Stop", argv("nobody", &[]), &["entry_missing.not_installed continues"]);
    assert_advice("Stop", argv("bash", &["-c", "echo $TOOL"]), &["unset_variable.command"]);
}

#[test]
fn what_works_on_one_machine_or_in_one_shell_only_is_reported() {
    for (text, project, user) in [
        (
            "./guard.sh",
            vec!["not_portable.relative"],
            vec!["not_portable.relative"],
        ),
        (
            "python3 a.py",
            vec!["not_portable.relative"],
            vec!["not_portable.relative"],
        ),
        (
            "/home/you/run.sh",
            vec!["entry_missing.missing continues"],
            vec!["entry_missing.missing continues"],
        ),
        ("cat \"D:/My Files/run.txt\"", vec!["not_portable.home_absent"], vec![]),
        (
            "if [[ a == b ]]; then cat; fi",
            vec!["not_portable.breaks"],
            vec!["not_portable.breaks"],
        ),
        ("cat <<EOF\n[[ x ]]\nEOF", vec![], vec![]),
        ("cd \"$HOME\" && python3 -c \"x\" a.py b.py", vec![], vec![]),
        (
            "cat \"$HOME\"/*.py; [[ \"$f\" == *.py ]]",
            vec!["not_portable.breaks"],
            vec!["not_portable.breaks"],
        ),
        ("grep -q a.py; bash -c 'if [[ a ]]; then cat; fi'", vec![], vec![]),
        (
            "cd /elsewhere && python3 x/a.py",
            vec!["entry_missing.missing blocks"],
            vec!["entry_missing.missing blocks"],
        ),
    ] {
        let at = |layer| {
            let found = advice(layer, parse_entry("Stop", command_entry(text)), &[]);
            let kept = found.into_iter().filter(|one| !one.starts_with("unset_variable"));
            kept.collect::<Vec<_>>()
        };
        assert_eq!(at(Layer::Project), project, "{text}");
        assert_eq!(at(Layer::User), user, "{text}");
    }
    let bash = json!({"type": "command", "command": "[[ a == b ]]", "shell": "bash"});
    assert_advice("Stop", bash, &[]);
    let sh = parse_entry("Stop", command_entry(&format!("sh {}", project_path("guard.sh"))));
    let script = [("/p/guard.sh", "#!/bin/bash\nif [[ a ]]; then cat; fi\n")];
    assert_eq!(
        advice(Layer::Project, sh, &script),
        ["not_portable.breaks"],
        "`sh` reads it"
    );
    let bash = parse_entry("Stop", command_entry(&format!("bash {}", project_path("guard.sh"))));
    assert!(advice(Layer::Project, bash, &script).is_empty());
}

#[test]
fn relative_scripts_of_one_file_are_one_line() {
    let two = json!({"hooks": {"Stop": [{"hooks": [command_entry("python3 a.py"), command_entry("./guard.sh")]}]}});
    assert_eq!(
        advice(Layer::Project, read(&two.to_string()), &[]),
        ["not_portable.relative_all"]
    );
}

#[test]
fn answers_that_qoder_does_not_accept_are_reported() {
    for (event, text, want) in [
        (
            "PreToolUse",
            "jq -n '{hookSpecificOutput: {permissionDecision: \"deny\"}}'",
            vec!["returns_ignored.qoder_no_name"],
        ),
        (
            "Stop",
            "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"SessionStart\", \"additionalContext\": \"x\"}}'",
            vec!["returns_ignored.qoder_other_name"],
        ),
        (
            "Stop",
            "[ $(jq -r .hook_event_name) = Stop ] || echo '{\"hookSpecificOutput\": {\"hookEventName\": \"SessionStart\"}}'",
            vec![],
        ),
        (
            "SessionStart",
            "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"SessionStart\", \"additionalContext\": \"x\"}}'",
            vec![],
        ),
        (
            "SubagentStop",
            "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"SubagentStop\", \"additionalContext\": \"x\"}}'",
            vec!["returns_ignored.qoder_context"],
        ),
        (
            "PostToolUse",
            "echo '{\"feedback\": \"x\"}'",
            vec!["returns_ignored.qoder_field"],
        ),
        ("PostToolUse", "jq -r '.tool_input | {message: .path}' | cat", vec![]),
        (
            "Stop",
            "echo '{\"decision\": \"block\", \"reason\": \"x\"}'; exit 2",
            vec!["returns_ignored.exit_2"],
        ),
        (
            "Stop",
            "echo '{\"decision\": \"block\", \"reason\": \"x\"}'; exit 0",
            vec![],
        ),
    ] {
        assert_advice(event, command_entry(text), &want);
    }
}

#[test]
fn blocks_that_are_too_late_or_without_effect_are_reported() {
    let block = "echo '{\"decision\": \"block\"}'";
    for (event, text, want) in [
        ("PostToolUse", block, vec!["too_late.qoder"]),
        ("SubagentStop", block, vec!["block_not_honoured.qoder"]),
        ("SessionEnd", block, vec!["block_not_honoured.qoder"]),
        ("FileChanged", "exit 2", vec!["block_not_honoured.qoder_exit"]),
        ("Stop", block, vec![]),
        ("PreToolUse", block, vec![]),
    ] {
        assert_eq!(
            advice(Layer::User, parse_entry(event, command_entry(text)), &[]),
            want,
            "{event}"
        );
    }
}

#[test]
fn a_matcher_that_no_tool_matches_is_reported() {
    for (matcher, want) in [
        ("Edit | Write", vec!["never_matches.qoder_blanks"]),
        ("Bash(git:*)", vec!["never_matches.qoder_rule"]),
        ("Read(/etc/.*)", vec!["never_matches.qoder_rule"]),
        ("Edit|Write", vec![]),
        ("(Edit|Write)", vec![]),
        ("mcp__(a|b)", vec!["never_matches.no_name_at_all"]),
        ("mcp__(a|b)__.*", vec![]),
    ] {
        let group = json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [command_entry("cat")]}]}});
        assert_eq!(advice(Layer::User, read(&group.to_string()), &[]), want, "{matcher}");
    }
}

#[test]
fn milliseconds_are_suspected() {
    let at = |timeout: f64| {
        let entry = json!({"type": "command", "command": "cat", "timeout": timeout});
        advice(Layer::User, parse_entry("Stop", entry), &[])
    };
    assert_eq!(at(5000.0), ["unit_suspect.qoder"]);
    assert!(at(1200.0).is_empty() && at(600.0).is_empty());
}

#[test]
fn of_two_hooks_that_set_the_same_field_the_last_counts() {
    let set =
        command_entry("echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"updatedInput\": {}}}'");
    let groups = |one: &str, other: &str| {
        json!({"hooks": {"PreToolUse": [{"matcher": one, "hooks": [set]}, {"matcher": other, "hooks": [set]}]}})
            .to_string()
    };
    assert_eq!(
        advice(Layer::User, read(&groups("Bash", "Bash|Edit")), &[]),
        ["last_wins.qoder"]
    );
    assert!(advice(Layer::User, read(&groups("Bash", "Edit")), &[]).is_empty());
}

#[test]
fn of_a_module_only_the_callbacks_own_lines_are_read() {
    let text = "async def redact(\n    inp, tid, ctx\n):\n    return {\"x\": 1}\n\n\nasync def late(inp, tid, ctx):\n    return {\"decision\": \"block\"}\n\nhooks = {}\n";
    let root = Root::file(Layer::Project, "/p/.qoder/hooks.py".into(), Some("/p".into()));
    let whole = Qoder
        .parse(&SourceTree::with_text(root, Ok(text.to_owned())))
        .hooks
        .remove(0);
    let at = |line: u32| {
        let reported = json!({"hooks": {"PostToolUse": [{"hookCallbackIds": ["hook_0"]}]},
            "hookwright": {"callbacks": {"hook_0": {"name": "f", "line": line, "file": "/p/.qoder/hooks.py"}}}});
        advice(
            Layer::Project,
            module::expand_module(&whole, &reported),
            &[("/p/.qoder/hooks.py", text)],
        )
    };
    assert!(at(1).is_empty());
    assert_eq!(at(7), ["too_late.qoder"]);
}

#[test]
fn files_that_qoder_does_not_read_are_reported() {
    let places = Locations {
        home: "/h".into(),
        project: "/p".into(),
        skills_roots: Vec::new(),
        vars: BTreeMap::new(),
    };
    let context = LintContext {
        hooks: &[],
        named_file_texts: &BTreeMap::new(),
        locations: &places,
        env: &[],
        sh: "dash",
        on_path: &|_| true,
        path_exists: &|path| path == Path::new("/p/.qoder/hooks.json"),
        is_executable: &|_| true,
        list_dir: &|path| {
            if path.starts_with("/p") {
                vec![path.join("a.json"), path.join("b.md")]
            } else {
                Vec::new()
            }
        },
        read_text: &|_| None,
    };
    let reported: Vec<PathBuf> = Qoder.lint(&context).into_iter().map(|problem| problem.path).collect();
    assert_eq!(
        reported,
        [Path::new("/p/.qoder/hooks.json"), Path::new("/p/.qoder/hooks/a.json")]
    );
}
