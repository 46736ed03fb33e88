//! Hooks that cannot start, and guards that fail open.

use super::*;

#[test]
fn what_cannot_start_is_reported_at_every_event_and_once_per_hook() {
    for (text, open, idle) in [
        (project_path("guard.sh"), "", ""),
        (project_path("gone.sh"), "fails_open.missing", "entry_missing.missing"),
        (
            project_path("plain.sh"),
            "fails_open.not_executable",
            "entry_not_executable.command",
        ),
        (format!("python3 {}", project_path("a.py")), "", ""),
        (
            format!("python3 {}", project_path("b.py")),
            "fails_open.missing_exit_2",
            "entry_missing.missing",
        ),
        (
            format!("pwsh -NoProfile -File {}", project_path("b.ps1")),
            "fails_open.missing",
            "entry_missing.missing",
        ),
        (
            "nobody --x".to_owned(),
            "fails_open.not_installed",
            "entry_missing.not_installed",
        ),
        ("cat | jq .".to_owned(), "", ""),
        (format!("[ -x {0} ] && {0} || cat", project_path("gone.sh")), "", ""),
        (
            format!("cd {} && python3 b.py", project_path("")),
            "fails_open.missing_exit_2",
            "entry_missing.missing",
        ),
        (
            format!("nobody; {}", project_path("gone.sh")),
            "fails_open.missing",
            "entry_missing.missing",
        ),
        (
            "/opt/x/run.sh".to_owned(),
            "fails_open.missing",
            "entry_missing.missing",
        ),
        ("command -v nobody && nobody".to_owned(), "", ""),
        ("case $1 in nobody) cat ;; esac".to_owned(), "", ""),
    ] {
        let want = |word: &'static str| {
            Some(word)
                .filter(|word| !word.is_empty())
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_advice("UserPromptSubmit", command_entry(&text), &want(open));
        assert_advice("SessionStart", command_entry(&text), &want(idle));
    }
    // If a failure has a fallback, a program that is missing on this machine breaks nothing.
    assert_advice("SessionStart", command_entry("nobody || cat"), &[]);
    let away = json!({"type": "command", "command": "nobody", "env": {"PATH": "/x"}});
    assert_advice("SessionStart", away, &[]);
}

#[test]
fn a_hook_that_ends_with_two_without_its_script_blocks() {
    let gone = project_path("b");
    for (text, want) in [
        (format!("sh {gone}"), "fails_open.missing_exit_2"),
        (format!("bash {gone}"), "fails_open.missing"),
        (format!("bash -c 'sh {gone}'"), "fails_open.missing_exit_2"),
        (format!("perl {gone}"), "fails_open.missing_exit_2"),
        (format!("sh {gone} && cat"), "fails_open.missing_exit_2"),
        (format!(". {gone}; cat"), "fails_open.missing_exit_2"),
        (format!("bash -c '. {gone}; cat'"), "fails_open.missing"),
        (format!("sh {gone}; cat"), "fails_open.missing"),
        (format!("sh {gone} | cat"), "fails_open.missing"),
        (format!("if sh {gone}; then cat; fi"), "fails_open.missing"),
    ] {
        assert_advice("Stop", command_entry(&text), &[want]);
        assert_advice("SessionEnd", command_entry(&text), &["entry_missing.missing"]);
    }
    let fallback = command_entry(&format!("bash {gone} || exit 2"));
    assert_advice("Stop", fallback, &["fails_open.missing_exit_2"]);
    let both = [command_entry("sh gone/a.sh"), command_entry("python3 gone/b.py")];
    let several = read(&json!({"hooks": {"Stop": [{"hooks": both}]}}).to_string());
    let want = ["fails_open.missing_all", "not_portable.relative_all"];
    assert_eq!(advice(Layer::Project, several, &[]), want);
}

#[test]
fn a_guard_that_cannot_start_fails_open_once() {
    let short = json!({"type": "command", "command": "nobody", "timeout": 0.5});
    assert_advice("PreToolUse", short, &["fails_open.not_installed"]);
}

#[test]
fn a_guard_that_surely_fails_is_reported() {
    let guard = |entry: Value, want: &[&str]| assert_advice("PreToolUse", entry, want);
    let short = json!({"type": "command", "command": "cat", "timeout": 0.5});
    guard(short, &["fails_open.qoder_short"]);
    guard(
        command_entry("grep -q x && echo blocked && exit 2 || true"),
        &["fails_open.tail"],
    );
    guard(command_entry("cat; exit 0"), &[]);
    guard(
        command_entry(
            "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"additionalContext\": \"x\"}}' || true",
        ),
        &[],
    );
    guard(
        command_entry(&format!("python3 {} || true", project_path("b.py"))),
        &["fails_open.missing", "fails_open.tail"],
    );
    guard(
        command_entry("grep -q 'don\"t' && { echo 'BLOCK: no'; exit 1; }"),
        &["fails_open.exit_1"],
    );
    guard(command_entry("grep -q x || exit 1"), &[]);
    guard(command_entry("echo blocked; cat; exit $?; exit 1"), &[]);
    guard(command_entry("echo 'then exit 1 to block'"), &[]);
    guard(command_entry("grep -q x && echo blocked; exit 1; exit 2"), &[]);
}

#[test]
fn a_script_that_exits_with_one_is_read() {
    let parsed = || {
        parse_entry(
            "PermissionRequest",
            command_entry(&format!("python3 {}", project_path("a.py"))),
        )
    };
    let at = |text: &str| advice(Layer::Project, parsed(), &[("/p/a.py", text)]);
    assert_eq!(at("import sys\nprint('denied')\nsys.exit(1)\n"), ["fails_open.exit_1"]);
    assert!(at("print('denied')\nsys.exit(1)\nsys.exit(2)\n").is_empty());
    assert!(at("print('denied')\nsys.exit(status)\nsys.exit(1)\n").is_empty());
    assert!(
        at("import sys\nsys.exit(1)\n").is_empty(),
        "nothing says that it blocks"
    );
    let named = || parse_entry("PreToolUse", command_entry(&project_path("guard.sh")));
    let at = |text: &str| advice(Layer::Project, named(), &[("/p/guard.sh", text)]);
    assert_eq!(
        at("#!/usr/bin/env bash\n# deny it\ngrep -q x || exit 1\n"),
        ["fails_open.exit_1"]
    );
    assert!(at("#!/usr/bin/env bash\n# deny it\ngrep -q x || exit 2\n").is_empty());
}
