//! Hooks that cannot start, and guards that fail open.

use super::*;

#[test]
fn what_cannot_start_is_reported_at_every_event_with_what_then_happens() {
    for (text, open, idle) in [
        (project_path("guard.sh"), "", ""),
        (
            project_path("gone.sh"),
            "entry_missing.missing continues",
            "entry_missing.missing continues",
        ),
        (
            project_path("plain.sh"),
            "entry_not_executable.command continues",
            "entry_not_executable.command continues",
        ),
        (format!("python3 {}", project_path("a.py")), "", ""),
        (
            format!("python3 {}", project_path("b.py")),
            "entry_missing.missing blocks",
            "entry_missing.missing continues",
        ),
        (
            format!("pwsh -NoProfile -File {}", project_path("b.ps1")),
            "entry_missing.missing continues",
            "entry_missing.missing continues",
        ),
        (
            "nobody --x".to_owned(),
            "entry_missing.not_installed continues",
            "entry_missing.not_installed continues",
        ),
        ("cat | jq .".to_owned(), "", ""),
        (format!("[ -x {0} ] && {0} || cat", project_path("gone.sh")), "", ""),
        (
            format!("cd {} && python3 b.py", project_path("")),
            "entry_missing.missing blocks",
            "entry_missing.missing continues",
        ),
        (
            format!("nobody; {}", project_path("gone.sh")),
            "entry_missing.missing continues",
            "entry_missing.missing continues",
        ),
        (
            "/opt/x/run.sh".to_owned(),
            "entry_missing.missing continues",
            "entry_missing.missing continues",
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
        (format!("sh {gone}"), "entry_missing.missing blocks"),
        (format!("bash {gone}"), "entry_missing.missing continues"),
        (format!("bash -c 'sh {gone}'"), "entry_missing.missing blocks"),
        (format!("perl {gone}"), "entry_missing.missing blocks"),
        (format!("sh {gone} && cat"), "entry_missing.missing blocks"),
        (format!(". {gone}; cat"), "entry_missing.missing blocks"),
        (format!("bash -c '. {gone}; cat'"), "entry_missing.missing continues"),
        (format!("sh {gone}; cat"), "entry_missing.missing continues"),
        (format!("sh {gone} | cat"), "entry_missing.missing continues"),
        (format!("if sh {gone}; then cat; fi"), "entry_missing.missing continues"),
    ] {
        assert_advice("Stop", command_entry(&text), &[want]);
        assert_advice("SessionEnd", command_entry(&text), &["entry_missing.missing nothing"]);
    }
    let fallback = command_entry(&format!("bash {gone} || exit 2"));
    assert_advice("Stop", fallback, &["entry_missing.missing blocks"]);
    for (text, effect) in [
        ("nobody || exit 2", "blocks"),
        ("nobody --check || { echo no >&2; exit 2; }", "blocks"),
        ("if ! nobody; then exit 2; fi", "blocks"),
        ("if nobody; then exit 0; else echo no >&2; exit 2; fi", "blocks"),
        ("if nobody; then if cat; then exit 0; fi; fi; exit 2", "blocks"),
        ("if nobody; then exit 2; fi", "continues"),
        ("if cat && ! nobody; then exit 2; fi", "continues"),
        ("nobody && exit 2; exit 0", "continues"),
        ("nobody || { exit 0; }", "continues"),
    ] {
        let want = format!("entry_missing.not_installed {effect}");
        assert_advice("Stop", command_entry(text), &[want.as_str()]);
    }
    assert_advice("Stop", command_entry("nobody || cat"), &[]);
    assert_advice("Stop", command_entry("nobody || { cat || exit 2; }"), &[]);
    // One of two programs that do the same work is enough.
    for text in [
        "cat || nobody".to_owned(),
        format!("python3 {gone} || cat"),
        format!("cat || python3 {gone}"),
    ] {
        assert_advice("Stop", command_entry(&text), &[]);
    }
    for text in ["nobody || nothere", "grep -q x || nobody", "nobody || echo none"] {
        assert_advice("Stop", command_entry(text), &["entry_missing.not_installed continues"]);
    }
    // A file that is loaded and was not read may define it.
    assert_advice("Stop", command_entry("[ -s ~/n.sh ] && . ~/n.sh; nobody"), &[]);
    let both = [command_entry("sh gone/a.sh"), command_entry("python3 gone/b.py")];
    let several = read(&json!({"hooks": {"Stop": [{"hooks": both}]}}).to_string());
    let want = ["entry_missing.missing_all blocks", "not_portable.relative_all"];
    assert_eq!(advice(Layer::Project, several, &[]), want);
}

#[test]
fn a_guard_that_cannot_start_fails_open_once() {
    let short = json!({"type": "command", "command": "nobody", "timeout": 0.5});
    assert_advice("PreToolUse", short, &["entry_missing.not_installed continues"]);
}

#[test]
fn a_guard_that_surely_fails_is_reported() {
    let guard = |entry: Value, want: &[&str]| assert_advice("PreToolUse", entry, want);
    let short = json!({"type": "command", "command": "cat", "timeout": 0.5});
    guard(short, &["fails_open.qoder_short"]);
    guard(
        command_entry("(grep -q x && echo blocked && exit 2) || true"),
        &["fails_open.never_blocks"],
    );
    guard(command_entry("cat; exit 0"), &[]);
    guard(command_entry("grep -q x && echo blocked >&2 && exit 2 || true"), &[]);
    guard(
        command_entry("grep -q x && echo blocked && exit 2 || true"),
        &["returns_ignored.exit_2"],
    );
    guard(command_entry("grep -q x && exit 2"), &["fails_open.ends_with_one"]);
    guard(
        command_entry("nobody || true"),
        &["entry_missing.not_installed continues"],
    );
    guard(
        command_entry(
            "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"additionalContext\": \"x\"}}' || true",
        ),
        &[],
    );
    guard(
        command_entry(&format!("python3 {} || true", project_path("b.py"))),
        &["entry_missing.missing continues"],
    );
    guard(
        command_entry("grep -q 'don\"t' && { echo 'BLOCK: no'; exit 1; }"),
        &["fails_open.exit_1"],
    );
    guard(command_entry("grep -q x || exit 1"), &[]);
    guard(command_entry("echo blocked; cat; exit $?; exit 1"), &[]);
    guard(command_entry("echo 'then exit 1 to block'"), &[]);
    guard(
        command_entry("grep -q x && echo blocked; exit 1; exit 2"),
        &["fails_open.never_blocks"],
    );
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
