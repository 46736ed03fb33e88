use super::super::settings::tests::read;
use super::super::{Qoder, module};
use super::*;
use hookwright_model::{Dialect, Layer, Parsed, Places, Root, SourceTree};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Advice as `code.case`, for hooks of this layer; `named` are the files of the first hook.
fn advice(layer: Layer, parsed: Parsed, named: &[(&str, &str)]) -> Vec<String> {
    let mut hooks = parsed.hooks;
    for hook in &mut hooks {
        hook.source.layer = layer;
        hook.source.project = (layer == Layer::Project).then(|| "/p".into());
    }
    let files = named
        .iter()
        .map(|(path, text)| (PathBuf::from(path), (*text).to_owned()));
    let first = hooks.first().map(|hook| hook.id.clone()).unwrap_or_default();
    let named = BTreeMap::from([(first, files.collect())]);
    let places = Places {
        home: "/h".into(),
        project: "/p".into(),
        skills_roots: Vec::new(),
        vars: BTreeMap::new(),
    };
    let there = [
        "/p/guard.sh",
        "/p/plain.sh",
        "/p/a.py",
        "/usr/bin/env",
        "/p/.qoder/hooks.json",
    ];
    let desk = LintDesk {
        hooks: &hooks,
        named: &named,
        places: &places,
        env: &["HOME".to_owned()],
        on_path: &|name| ["python3", "cat", "grep", "jq"].contains(&name),
        is_there: &|path| there.iter().any(|known| path == Path::new(known)),
        runs: &|path| path != Path::new("/p/plain.sh"),
        inside: &|path| vec![path.join("a.json"), path.join("b.txt")],
    };
    let mut out: Vec<String> = Qoder
        .lint(&desk)
        .into_iter()
        .filter(|problem| problem.code.word() != "file_not_read")
        .map(|problem| {
            assert!(problem.line.is_some());
            format!(
                "{}.{}",
                problem.code.word(),
                problem.args["case"].as_str().unwrap_or_default()
            )
        })
        .collect();
    out.sort();
    out
}

fn command(event: &str, entry: Value) -> Parsed {
    read(&json!({"hooks": {event: [{"hooks": [entry]}]}}).to_string())
}

fn plain(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

#[track_caller]
fn guard(entry: Value, want: &[&str]) {
    let shown = entry.to_string();
    assert_eq!(advice(Layer::User, command("PreToolUse", entry), &[]), want, "{shown}");
}

#[test]
fn a_guard_that_surely_breaks_is_told() {
    guard(plain("./guard.sh"), &[]);
    guard(plain("\"$QODER_PROJECT_DIR/guard.sh\" --x"), &[]);
    guard(plain("./gone.sh"), &["fails_open.qoder_program"]);
    guard(plain("./plain.sh"), &["fails_open.qoder_bit"]);
    guard(plain("python3 a.py"), &[]);
    guard(
        plain("python3 \"$QODER_PROJECT_DIR/b.py\""),
        &["fails_open.qoder_script"],
    );
    guard(plain("nobody --x"), &["fails_open.qoder_program"]);
    guard(plain("cat | jq ."), &[]);
    guard(
        json!({"type": "command", "command": "nobody", "args": []}),
        &["fails_open.qoder_program"],
    );
    guard(
        json!({"type": "command", "command": "cat", "timeout": 0.5}),
        &["fails_open.qoder_short"],
    );
    guard(plain("grep -q x || true"), &["fails_open.qoder_tail"]);
    guard(plain("cat; exit 0"), &["fails_open.qoder_tail"]);
    guard(plain("grep -q x || exit 1"), &["fails_open.qoder_one"]);
    guard(plain("grep -q x || exit 2"), &[]);
    assert!(advice(Layer::User, command("PostToolUse", plain("./gone.sh")), &[]).is_empty());
}

#[test]
fn a_script_that_exits_with_one_is_read() {
    let parsed = || command("PermissionRequest", plain("python3 a.py"));
    assert_eq!(
        advice(Layer::User, parsed(), &[("/p/a.py", "import sys\nsys.exit(1)\n")]),
        ["fails_open.qoder_one"]
    );
    let both = [("/p/a.py", "sys.exit(1)\nsys.exit(2)\n")];
    assert!(advice(Layer::User, parsed(), &both).is_empty());
}

#[test]
fn a_variable_that_nobody_sets_is_told() {
    let entry =
        json!({"type": "command", "command": "echo $TOOL $HOME $A $QODER_PROJECT_DIR ${B:-x}", "env": {"A": "1"}});
    assert_eq!(
        advice(Layer::User, command("Stop", entry), &[]),
        ["unset_variable.qoder"]
    );
    let argv = json!({"type": "command", "command": "cat", "args": ["$TOOL"]});
    assert!(advice(Layer::User, command("Stop", argv), &[]).is_empty());
}

#[test]
fn what_holds_on_one_machine_only_is_told_in_a_project() {
    for (text, want) in [
        ("./guard.sh", "not_portable.qoder_relative"),
        ("python3 .qoder/a.py", "not_portable.qoder_relative"),
        ("/opt/x/run.sh", "not_portable.qoder_absent"),
        ("/home/you/run.sh", "not_portable.qoder_home"),
        ("[[ a == b ]] && cat", "not_portable.qoder_shell"),
    ] {
        assert_eq!(
            advice(Layer::Project, command("Stop", plain(text)), &[]),
            [want],
            "{text}"
        );
        assert!(
            advice(Layer::User, command("Stop", plain(text)), &[]).is_empty(),
            "{text}"
        );
    }
    let bash = json!({"type": "command", "command": "[[ a == b ]]", "shell": "bash"});
    assert!(advice(Layer::Project, command("Stop", bash), &[]).is_empty());
    assert!(
        advice(
            Layer::Project,
            command("Stop", plain("\"$QODER_PROJECT_DIR/guard.sh\"")),
            &[]
        )
        .is_empty()
    );
}

#[test]
fn blocks_that_come_too_late_or_hold_nobody_are_told() {
    let block = "echo '{\"decision\": \"block\"}'";
    for (event, text, want) in [
        ("PostToolUse", block, vec!["too_late.qoder"]),
        ("SubagentStop", block, vec!["block_not_honoured.qoder"]),
        ("SessionEnd", block, vec!["block_not_honoured.qoder"]),
        ("FileChanged", "exit 2", vec!["block_not_honoured.qoder_exit"]),
        ("Stop", block, vec![]),
        ("PreToolUse", block, vec![]),
    ] {
        assert_eq!(advice(Layer::User, command(event, plain(text)), &[]), want, "{event}");
    }
}

#[test]
fn a_matcher_that_no_tool_has_is_told() {
    for (matcher, want) in [
        ("Edit | Write", vec!["never_matches.qoder_blanks"]),
        ("Bash(git:*)", vec!["never_matches.qoder_rule"]),
        ("Read(/etc/.*)", vec!["never_matches.qoder_rule"]),
        ("Edit|Write", vec![]),
        ("(Edit|Write)", vec![]),
        ("mcp__(a|b)", vec![]),
    ] {
        let group = json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [plain("cat")]}]}});
        assert_eq!(advice(Layer::User, read(&group.to_string()), &[]), want, "{matcher}");
    }
}

#[test]
fn milliseconds_are_suspected() {
    let at = |timeout: f64| {
        let entry = json!({"type": "command", "command": "cat", "timeout": timeout});
        advice(Layer::User, command("Stop", entry), &[])
    };
    assert_eq!(at(5000.0), ["unit_suspect.qoder"]);
    assert!(at(1200.0).is_empty() && at(600.0).is_empty());
}

#[test]
fn of_two_that_set_the_same_the_last_holds() {
    let set = plain("echo '{\"hookSpecificOutput\": {\"updatedInput\": {}}}'");
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
    let whole = Qoder.parse(&SourceTree::of(root, Ok(text.to_owned()))).hooks.remove(0);
    let at = |line: u32| {
        let told = json!({"hooks": {"PostToolUse": [{"hookCallbackIds": ["hook_0"]}]},
            "hookwright": {"callbacks": {"hook_0": {"name": "f", "line": line, "file": "/p/.qoder/hooks.py"}}}});
        advice(
            Layer::Project,
            module::unfold(&whole, &told),
            &[("/p/.qoder/hooks.py", text)],
        )
    };
    assert!(at(1).is_empty());
    assert_eq!(at(7), ["too_late.qoder"]);
}

#[test]
fn files_that_nobody_reads_are_told() {
    let places = Places {
        home: "/h".into(),
        project: "/p".into(),
        skills_roots: Vec::new(),
        vars: BTreeMap::new(),
    };
    let desk = LintDesk {
        hooks: &[],
        named: &BTreeMap::new(),
        places: &places,
        env: &[],
        on_path: &|_| true,
        is_there: &|path| path == Path::new("/p/.qoder/hooks.json"),
        runs: &|_| true,
        inside: &|path| {
            if path.starts_with("/p") {
                vec![path.join("a.json"), path.join("b.md")]
            } else {
                Vec::new()
            }
        },
    };
    let told: Vec<PathBuf> = Qoder.lint(&desk).into_iter().map(|problem| problem.path).collect();
    assert_eq!(
        told,
        [Path::new("/p/.qoder/hooks.json"), Path::new("/p/.qoder/hooks/a.json")]
    );
}
