//! Tests of `check --fix`: one call corrects all that can be corrected, and the exit code speaks of what is left.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::with_user_hooks;

/// Everything that keeps a script from starting: no executable bit, Windows line ends, a missing interpreter.
const BROKEN: &str = "#!/no/such/place/python3 -u\r\nprint(1)\r\n";

/// A project of Qoder whose hook starts `guard.py`.
fn with_broken_script() -> Sandbox {
    let sandbox = Sandbox::new();
    add_script(&sandbox, "SessionEnd", BROKEN);
    sandbox
}

fn add_script(sandbox: &Sandbox, event: &str, text: &str) {
    let script = sandbox.write("project/guard.py", text);
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o644)).unwrap();
    let hook = json!({"type": "command", "command": "\"$QODER_PROJECT_DIR/guard.py\""});
    let settings = json!({"hooks": {event: [{"hooks": [hook]}]}});
    sandbox.write("project/.qoder/settings.json", settings.to_string());
}

fn script(sandbox: &Sandbox) -> (String, u32) {
    let path = sandbox.path("project/guard.py");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    (std::fs::read_to_string(path).unwrap(), mode)
}

fn offered(sandbox: &Sandbox) -> usize {
    let doc = sandbox.run(["check", "--json"]).json();
    let fixes = |problem: &Value| problem["fixes"].as_array().map_or(0, Vec::len);
    doc["problems"].as_array().unwrap().iter().map(fixes).sum()
}

#[test]
fn one_call_corrects_every_fault_of_a_script_and_each_can_be_undone() {
    let sandbox = with_broken_script();
    assert_eq!(offered(&sandbox), 1, "one fault hides the next");
    let fixed = sandbox.run(["check", "--fix", "--yes"]).assert_exit(0);
    assert_eq!(
        script(&sandbox),
        ("#!/usr/bin/env -S python3 -u\nprint(1)\n".to_owned(), 0o755)
    );
    assert_eq!(offered(&sandbox), 0);
    assert_eq!(fixed.stderr.matches("to undo it").count(), 3, "{fixed}");
    for shown in ["new mode 0755", "+print(1)", "+#!/usr/bin/env -S python3 -u"] {
        assert!(fixed.stdout.contains(shown), "{shown}: {fixed}");
    }
    for _ in 0..3 {
        sandbox.run(["undo"]).assert_exit(0);
    }
    assert_eq!(script(&sandbox), (BROKEN.to_owned(), 0o644));
}

#[test]
fn the_document_and_the_exit_code_speak_of_what_is_left() {
    let sandbox = with_broken_script();
    let left = sandbox.run(["check", "--fix", "--yes", "--json"]).assert_exit(0).json();
    assert_eq!(left["problems"], json!([]));
    // An error of the configuration is left.
    add_script(&sandbox, "SessionEnd", BROKEN);
    sandbox.write("project/.jcli/hooks.yaml", "stop:\n  - command: ''\n");
    let left = sandbox.run(["check", "--fix", "--yes", "--json"]).assert_exit(1).json();
    let problems = left["problems"].as_array().unwrap();
    assert!(
        problems
            .iter()
            .all(|problem| problem["path"].as_str().unwrap().ends_with("hooks.yaml")),
        "{left:#}"
    );
    assert_eq!(script(&sandbox).1, 0o755);
}

#[test]
fn a_script_that_cannot_be_corrected_does_not_keep_the_others_from_it() {
    let sandbox = Sandbox::new();
    let front = |name: &str| format!("---\nname: {name}\ndescription: d\ntrigger: session_start\n---\n");
    // Not UTF-8, so its line ends are left alone.
    let texts = [
        ("a", &b"#!/bin/sh\r\necho \xff\r\n"[..]),
        ("b", b"#!/bin/sh\r\nexit 0\r\n"),
    ];
    for (name, text) in texts {
        sandbox.write(&format!("project/.agents/hooks/{name}/HOOK.md"), front(name));
        sandbox.write(&format!("project/.agents/hooks/{name}/scripts/run.sh"), text);
    }
    let fixed = sandbox.run(["check", "--fix", "--yes"]).assert_exit(1);
    let text =
        |name: &str| std::fs::read(sandbox.path(&format!("project/.agents/hooks/{name}/scripts/run.sh"))).unwrap();
    assert_eq!(text("b"), b"#!/bin/sh\nexit 0\n", "{fixed}");
    assert_eq!(text("a"), texts[0].1);
    assert!(fixed.stderr.contains("is not UTF-8 text"), "{fixed}");
    assert!(is_executable(&sandbox.path("project/.agents/hooks/a/scripts/run.sh")));
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o100 != 0
}

#[test]
fn without_a_terminal_the_change_is_shown_and_nothing_is_written() {
    let sandbox = with_broken_script();
    let asked = sandbox.run(["check", "--fix"]).assert_exit(1).assert_stderr("--yes");
    assert!(asked.stdout.contains("new mode 0755"), "{asked}");
    assert_eq!(script(&sandbox), (BROKEN.to_owned(), 0o644));
}

#[test]
fn an_error_that_has_no_fix_stays_an_error_of_the_exit_code() {
    let sandbox = with_user_hooks("stop:\n  - command: ''\n");
    sandbox
        .run(["check", "--fix", "--yes"])
        .assert_exit(1)
        .assert_stderr("nothing to fix");
}

#[test]
fn what_is_before_the_first_line_is_removed() {
    for text in [
        "\u{feff}#!/bin/sh\nexit 0\n",
        "\n\n#!/bin/sh\nexit 0\n",
        "#\\!/bin/sh\nexit 0\n",
    ] {
        let sandbox = Sandbox::new();
        add_script(&sandbox, "SessionEnd", text);
        sandbox.run(["check", "--fix", "--yes"]).assert_exit(0);
        assert_eq!(script(&sandbox), ("#!/bin/sh\nexit 0\n".to_owned(), 0o755), "{text:?}");
        assert_eq!(offered(&sandbox), 0, "{text:?}");
        for _ in 0..2 {
            sandbox.run(["undo"]).assert_exit(0);
        }
        assert_eq!(script(&sandbox), (text.to_owned(), 0o644));
    }
}

#[test]
fn the_event_is_printed_by_printf_on_every_line_that_echoes_it() {
    let text = "#!/bin/sh\nI=$(cat)\necho \"$I\" | grep -q a\nX=$(echo -n \"$I\" | wc -c)\necho \"$X\"\n";
    let sandbox = Sandbox::new();
    add_script(&sandbox, "SessionEnd", text);
    let script_path = sandbox.path("project/guard.py");
    std::fs::set_permissions(&script_path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let fixed = sandbox.run(["check", "--fix", "--yes"]).assert_exit(0);
    assert_eq!(
        script(&sandbox).0,
        "#!/bin/sh\nI=$(cat)\nprintf '%s\\n' \"$I\" | grep -q a\nX=$(printf '%s' \"$I\" | wc -c)\necho \"$X\"\n",
        "{fixed}"
    );
    assert_eq!(offered(&sandbox), 0);
    sandbox.run(["undo"]).assert_exit(0);
    assert_eq!(script(&sandbox).0, text);
}

/// The one group of a hook that does nothing.
const GROUPS: &str = r#"[{"hooks": [{"type": "command", "command": "true"}]}]"#;

#[test]
fn configuration_that_no_agent_reads_is_corrected_and_the_fix_can_be_undone() {
    let events = format!("{{\n  \"Stop\": {GROUPS}\n}}\n");
    let wrapped = format!("{{\n  \"hooks\": {{\"Stop\": {GROUPS}}}\n}}\n");
    let jcli = "stop:\n  - type: bash\n    command: 'true'\n";
    let nested = "hooks:\n  stop:\n    - type: bash\n      command: 'true'\n";
    for (file, written, fixed_file, fixed) in [
        (
            ".codex/hooks.json",
            format!("\u{feff}{wrapped}"),
            ".codex/hooks.json",
            wrapped.clone(),
        ),
        (
            ".codex/hooks.json",
            events.clone(),
            ".codex/hooks.json",
            wrapped.clone(),
        ),
        (
            ".codex/Hooks.json",
            wrapped.clone(),
            ".codex/hooks.json",
            wrapped.clone(),
        ),
        (
            ".claude/settings.json",
            events.clone(),
            ".claude/settings.json",
            wrapped.clone(),
        ),
        (
            ".claude/hooks.json",
            events.clone(),
            ".claude/settings.json",
            wrapped.clone(),
        ),
        (
            ".qoder/settings.json",
            format!("\u{feff}{}", wrapped.replace("hooks\": {", "Hooks\": {")),
            ".qoder/settings.json",
            format!("\u{feff}{wrapped}"),
        ),
        (
            "qoder/settings.json",
            wrapped.clone(),
            ".qoder/settings.json",
            wrapped.clone(),
        ),
        (
            ".jcli/hooks.yaml",
            nested.to_owned(),
            ".jcli/hooks.yaml",
            jcli.to_owned(),
        ),
        (
            ".jcli/hooks.yml",
            nested.to_owned(),
            ".jcli/hooks.yaml",
            jcli.to_owned(),
        ),
        (
            "picoclaw/config.json",
            "{\"Hooks\": {\"processes\": {}}}".to_owned(),
            ".picoclaw/config.json",
            "{\"hooks\": {\"processes\": {}}}".to_owned(),
        ),
    ] {
        let sandbox = Sandbox::new();
        let (wrong, right) = (format!("project/{file}"), format!("project/{fixed_file}"));
        sandbox.write(&wrong, &written);
        let done = sandbox.run(["check", "--fix", "--yes"]).assert_exit(0);
        let text = |path: &str| std::fs::read_to_string(sandbox.path(path)).ok();
        assert_eq!(text(&right), Some(fixed), "{file}: {done}");
        assert_eq!(wrong == right, text(&wrong).is_some(), "{file}");
        assert_eq!(offered(&sandbox), 0, "{file}");
        let fixes = done.stderr.matches("to undo it").count();
        assert!(fixes > 0, "{done}");
        for _ in 0..fixes {
            sandbox.run(["undo"]).assert_exit(0);
        }
        assert_eq!(text(&wrong), Some(written), "{file}");
        assert_eq!(wrong == right, text(&right).is_some(), "{file}");
    }
}

#[test]
fn a_file_is_not_moved_where_the_right_one_exists_or_several_could_be_meant() {
    for files in [
        &[".qoder/setting.json", ".qoder/settings.json"][..],
        &[".codex/hook.json", ".codex/HOOKS.json"],
        &[".claude/settings.jsonc"],
    ] {
        let sandbox = Sandbox::new();
        for file in files {
            sandbox.write(
                &format!("project/{file}"),
                format!("{{\"hooks\": {{\"Stop\": {GROUPS}}}}}"),
            );
        }
        assert_eq!(offered(&sandbox), 0, "{files:?}");
    }
}
