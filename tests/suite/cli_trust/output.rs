//! What `trust` prints and stores.

use super::*;

#[test]
fn the_text_list_has_the_content_of_the_json_list() {
    let sandbox = with_script();
    let list = sandbox.run(["trust", "--list"]).assert_exit(0);
    list.assert_output("jcli:project:stop:0")
        .assert_output("sh scripts/gate.sh")
        .assert_output("scripts/gate.sh  ");
}

#[test]
fn the_review_of_a_named_hook_shows_covered_and_uncovered_files() {
    let sandbox = with_script();
    project(
        &sandbox,
        "stop:\n  - command: 'sh scripts/gate.sh \"$TOOLS/gate.sh\"'\n",
    );
    let shown = sandbox.run(["trust", "jcli:project:stop:0"]).assert_exit(1);
    shown.assert_output("touch ran").assert_output("not covered");
}

#[test]
fn an_approval_or_revocation_is_printed_once() {
    let sandbox = with_script();
    let done = sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(done.stdout.matches("jcli:project:stop:0").count(), 1, "{done}");
    sandbox
        .run(["trust", "--all"])
        .assert_exit(0)
        .assert_output("No hooks are pending here.");
    let done = sandbox.run(["trust", "--revoke"]).assert_exit(0);
    assert_eq!(done.stdout.matches("jcli:project:stop:0").count(), 1, "{done}");
}

#[test]
fn without_a_terminal_the_output_says_how_to_approve() {
    let sandbox = with_script();
    for arguments in [&["trust"][..], &["trust", "jcli:project:stop:0"]] {
        sandbox
            .run(arguments)
            .assert_exit(1)
            .assert_stderr("add `--yes` to approve");
    }
    sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop"])
        .assert_exit(0)
        .assert_stderr("run `hookwright trust` to review");
}

#[test]
fn a_stored_definition_contains_no_secret() {
    let sandbox = Sandbox::new();
    let config = |key: &str, command: &str| {
        let entry = json!({
            "enabled": true, "command": ["sh", "-c", command], "intercept": ["before_tool"], "env": {"API_KEY": key}
        });
        let config = json!({"hooks": {"processes": {"guard": entry}}});
        sandbox.write("project/.picoclaw/config.json", config.to_string());
    };
    let secret = "quite-a-secret-of-mine";
    let hook = "picoclaw:project:guard";
    config(secret, "true");
    let pending = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert!(
        pending["pending"][0]["definition"].as_str().unwrap().contains(secret),
        "a person sees what they approve: {pending:#}"
    );
    sandbox.run(["trust", "--all"]).assert_exit(0);
    sandbox.run(["mute", hook]).assert_exit(0);
    for file in ["trust.json", "mutes.json"] {
        let kept = std::fs::read_to_string(sandbox.data().join(file)).unwrap();
        assert!(!kept.contains(secret) && kept.contains("guard"), "{file}: {kept}");
    }
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
    assert_eq!(
        (&row["muted"], &row["trusted"]),
        (&json!(true), &json!(true)),
        "{row:#}"
    );
    config("quite-another-secret", "true");
    let changed = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert!(
        changed["pending"][0]["old"].is_object(),
        "a secret is a part of what was approved: {changed:#}"
    );
    config(secret, "false");
    let changed = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    let old = changed["pending"][0]["old"]["definition"].as_str().unwrap();
    assert!(old.contains("true") && !old.contains(secret), "{changed:#}");
}

#[test]
fn a_review_shows_every_line_of_a_script_whatever_it_contains() {
    let sandbox = with_script();
    let hiding = "#!/bin/sh\n# tidy up \u{f5a0}\necho pwned > out\n# \u{f5a1}\n: \u{1b}[8m; touch a\u{1b}[0m\n: \u{202e}\u{200b}\u{8}\rb\n── scripts/other.sh\n";
    sandbox.write("project/scripts/gate.sh", hiding);
    let done = sandbox.run(["trust", "jcli:project:stop:0"]).assert_exit(1);
    let done = done
        .assert_output("echo pwned > out")
        .assert_output("touch a")
        .assert_output(r"\u{f5a0}")
        .assert_output(r"\u{f5a1}");
    let done = done.assert_output(r": \u{202e}\u{200b}\u{8}\rb");
    assert!(!done.stdout.contains('\u{1b}'), "{done}");
    let headings = done.stdout.lines().filter(|line| line.starts_with("──")).count();
    assert_eq!(headings, 1, "a script's line is none of ours: {done}");
}

#[test]
fn output_of_hooks_is_shown_as_plain_text_everywhere() {
    let sandbox = Sandbox::new();
    let odd = "\u{f5a0}31\u{f5a1}\u{1b}[31m\u{202e}\u{200b}\r";
    let shown = r"\u{f5a0}31\u{f5a1}";
    let answer = json!({"action": "stop", "retry_feedback": format!("x{odd}y")}).to_string();
    sandbox.write("project/say.sh", format!("cat <<'END'\n{answer}\nEND\n"));
    let yaml = format!(
        "post_llm_response:\n  - command: {}\n",
        json!(format!("sh say.sh '{odd}'"))
    );
    project(&sandbox, &yaml);
    let fired = fire(&sandbox, "post_llm_response", &json!({}), &["--trust"]).json();
    let trace = fired["trace"].as_str().unwrap();
    let hook = "jcli:project:post_llm_response:0";
    for arguments in [&["trust", "--list"][..], &["trust", hook], &["show", trace]] {
        let done = sandbox.run(arguments).assert_output(shown);
        assert!(
            !done
                .stdout
                .contains(['\u{1b}', '\u{202e}', '\u{200b}', '\r', '\u{f5a0}']),
            "{done}"
        );
    }
}

#[test]
fn the_review_of_a_program_in_the_command_names_its_files_and_no_others() {
    let sandbox = with_script();
    let program = "const fs = require(\"fs\"); const x = fs.existsSync(\"/etc/hosts\") ? 1 : 0; ".repeat(20);
    let hooks = json!({"stop": [{"command": format!("node -e '{program}' 2>/dev/null || sh scripts/gate.sh")}]});
    project(&sandbox, &hooks.to_string());
    let item = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()["pending"][0].clone();
    let files = item["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{item:#}");
    let codes: Vec<&str> = item["not_covered"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|said| said["code"].as_str())
        .collect();
    assert!(!codes.contains(&"outside_project"), "{codes:?}");
    let list = sandbox.run(["trust", "--list"]).assert_exit(0);
    assert!(list.stdout.lines().all(|line| line.chars().count() < 600), "{list}");
}

#[test]
fn the_list_names_what_is_not_covered() {
    let sandbox = with_script();
    project(&sandbox, "stop:\n  - command: 'sh \"$OTHER/gate.sh\"'\n");
    let said = "the command computes file names (`$OTHER`); files found that way are not covered";
    sandbox.run(["trust"]).assert_exit(1).assert_output(said);
    sandbox.run(["trust", "--list"]).assert_exit(0).assert_output(said);
    approve(&sandbox);
    sandbox.run(["trust", "--list"]).assert_exit(0).assert_output(said);
}

#[test]
fn approved_text_is_kept_while_an_approval_names_it() {
    let sandbox = with_script();
    approve(&sandbox);
    let approved = sandbox.data().join("approved");
    let kept = || std::fs::read_dir(&approved).map_or(0, Iterator::count);
    assert_eq!(kept(), 1);
    #[cfg(unix)]
    for entry in std::fs::read_dir(&approved).unwrap().flatten() {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let before = std::fs::read_to_string(sandbox.path("project/scripts/gate.sh")).unwrap();
    sandbox.script("project/scripts/gate.sh", "#!/bin/sh\ntouch ran2\n");
    let item = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()["pending"][0].clone();
    assert_eq!(
        (&item["old"]["files"][0]["text"], &item["old"]["reason"]),
        (&json!(before), &json!("changed")),
        "{item:#}"
    );
    let review = sandbox.run(["trust", "jcli:project:stop:0"]).assert_exit(1);
    review
        .assert_output("changed since it was approved")
        .assert_output("-touch ran\n")
        .assert_output("+touch ran2\n");
    approve(&sandbox);
    assert_eq!(kept(), 1, "the one before is named by no approval");
    sandbox.run(["trust", "--revoke"]).assert_exit(0);
    assert_eq!(kept(), 0);
}
