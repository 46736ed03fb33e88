//! Settings of a project that are about the hooks of all files: they count once the user approved them
//! (`claude-code.md` §1, `codex.md` §1).

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

/// The hook of the user that a project switches off: the file, and the item of the review.
const CASES: [(&str, [&str; 2], [&str; 2], &str); 2] = [
    (
        "claude-code",
        ["home/.claude/settings.json", "claude-code:user:Stop:settings.0.0"],
        ["project/.claude/settings.json", r#"{"disableAllHooks": true}"#],
        "claude-code:project:settings:settings",
    ),
    (
        "codex",
        ["home/.codex/hooks.json", "codex:user:Stop:hooks.0.0"],
        ["project/.codex/config.toml", "features.hooks = false\n"],
        "codex:project:settings:config",
    ),
];
const HOOK: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;

fn is_enabled(sandbox: &Sandbox, dialect: &str, hook: &str) -> bool {
    let doc = sandbox
        .run(["list", "--dialect", dialect, "--json"])
        .assert_exit(0)
        .json();
    let rows = doc["hooks"].as_array().unwrap();
    let row = rows.iter().find(|row| row["hook"] == hook).unwrap();
    row["enabled"].as_bool().unwrap()
}

fn fired(sandbox: &Sandbox, dialect: &str) -> Value {
    sandbox
        .run(["fire", "--dialect", dialect, "--event", "Stop", "--json"])
        .json()
}

fn warns(trace: &Value) -> bool {
    let notices = trace["notices"].as_array().unwrap();
    notices.iter().any(|notice| notice["code"] == "would_disable")
}

#[test]
fn settings_of_a_project_switch_nothing_off_until_they_are_approved() {
    for (dialect, [file, hook], [settings, text], item) in CASES {
        let sandbox = Sandbox::new();
        sandbox.write(file, HOOK);
        sandbox.write(settings, text);
        assert!(is_enabled(&sandbox, dialect, hook), "{dialect}");
        let trace = fired(&sandbox, dialect);
        assert_eq!(trace["steps"][0]["outcome"], "no_opinion", "{trace:#}");
        assert!(warns(&trace), "{trace:#}");
        let pending = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
        assert_eq!(pending["pending"][0]["kind"], "settings", "{pending:#}");
        assert_eq!(pending["pending"][0]["hook"], item);

        sandbox.run(["trust", item, "--yes"]).assert_exit(0);
        assert!(!is_enabled(&sandbox, dialect, hook), "{dialect}");
        let trace = fired(&sandbox, dialect);
        assert_eq!(trace["steps"][0]["reason"], "disabled", "{trace:#}");
        assert!(!warns(&trace), "{trace:#}");

        sandbox.run(["trust", "--revoke", item]).assert_exit(0);
        assert!(is_enabled(&sandbox, dialect, hook), "{dialect}");
    }
}

#[test]
fn changed_settings_are_reviewed_again() {
    let sandbox = Sandbox::new();
    let (dialect, [file, hook], [settings, text], item) = CASES[0];
    sandbox.write(file, HOOK);
    sandbox.write(settings, text);
    sandbox.run(["trust", item, "--yes"]).assert_exit(0);
    sandbox.write(settings, r#"{"disableAllHooks": true, "model": "x"}"#);
    assert!(
        !is_enabled(&sandbox, dialect, hook),
        "the rest of the file is not about hooks"
    );
    sandbox.write(settings, r#"{"disableAllHooks": true, "allowedHttpHookUrls": []}"#);
    assert!(is_enabled(&sandbox, dialect, hook));
    let trusted = sandbox
        .run(["fire", "--dialect", dialect, "--event", "Stop", "--json", "--trust"])
        .json();
    assert_eq!(trusted["steps"][0]["reason"], json!("disabled"), "{trusted:#}");
}
