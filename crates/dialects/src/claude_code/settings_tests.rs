use hookwright_model::{DisabledReason, Layer, Predicate, Root};
use serde_json::{Value, json};

use super::*;

/// The hooks of a project's settings with this text.
pub fn read(text: &str) -> Parsed {
    let root = Root::file(Layer::Project, "/p/.claude/settings.json".into(), Some("/p".into()));
    parse(&SourceTree::with_text(root, Ok(text.to_owned())))
}

/// One entry at an event.
pub fn entry(event: &str, entry: &Value) -> Parsed {
    read(&json!({"hooks": {event: [{"hooks": [entry]}]}}).to_string())
}

fn codes(parsed: &Parsed) -> Vec<String> {
    let shown = |problem: &Problem| {
        let case = problem.args.get("case").and_then(Value::as_str).unwrap_or_default();
        format!("{}.{case}", problem.code.as_str())
    };
    parsed.problems.iter().map(shown).collect()
}

fn costs_file(parsed: &Parsed) -> bool {
    let is_dropped = !parsed.broken.is_empty();
    assert_eq!(parsed.problems.iter().any(|problem| problem.rejects_file), is_dropped);
    assert!(!is_dropped || parsed.hooks.iter().all(|hook| hook.invalid.is_some()));
    is_dropped
}

#[test]
fn a_command_of_the_settings_is_a_hook() {
    let parsed = read(
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./a.sh"}]}]}, "model": "opus"}"#,
    );
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let hook = &parsed.hooks[0];
    assert_eq!(hook.id, "claude-code:project:PreToolUse:settings.0.0");
    assert_eq!((hook.label.as_str(), hook.timeout.as_secs()), ("a.sh", 600));
}

#[test]
fn a_bad_entry_costs_the_file_at_three_events_and_itself_elsewhere() {
    let bad = [
        json!("x"),
        json!({"command": "a"}),
        json!({"type": "shell", "command": "a"}),
        json!({"type": "command"}),
        json!({"type": "command", "command": 1}),
        json!({"type": "command", "command": null}),
        json!({"type": "command", "command": "a", "timeout": 0}),
        json!({"type": "command", "command": "a", "timeout": "5"}),
        json!({"type": "command", "command": "a", "timeout": null}),
        json!({"type": "command", "command": "a", "shell": "zsh"}),
        json!({"type": "command", "command": "a", "onFailure": "stop"}),
        json!({"type": "command", "command": "a", "args": "x"}),
        json!({"type": "http", "url": ""}),
        json!({"type": "http"}),
        json!({"type": "prompt"}),
    ];
    for bad in bad {
        let both = |event: &str| {
            let good = json!({"type": "command", "command": "good"});
            read(&json!({"hooks": {event: [{"hooks": [bad, good]}]}}).to_string())
        };
        for event in ["PreToolUse", "PermissionRequest", "PreSkillShellCommand"] {
            assert!(costs_file(&both(event)), "{event} {bad}");
        }
        let parsed = both("PostToolUse");
        assert!(!costs_file(&parsed), "{bad}");
        let valid: Vec<bool> = parsed.hooks.iter().map(|hook| hook.invalid.is_none()).collect();
        assert_eq!(valid, [false, true], "{bad}");
    }
}

#[test]
fn a_bad_group_or_list_costs_the_file_at_three_events() {
    for list in [
        json!([{"matcher": null, "hooks": []}]),
        json!([{"matcher": 1, "hooks": []}]),
        json!([{"matcher": "Bash"}]),
        json!([{"type": "command", "command": "a"}]),
        json!({}),
    ] {
        let at = |event: &str| read(&json!({"hooks": {event: list}}).to_string());
        assert!(costs_file(&at("PreToolUse")), "{list}");
        assert!(!costs_file(&at("Stop")), "{list}");
    }
}

#[test]
fn an_unknown_event_and_a_bad_pattern_cost_themselves() {
    let text = r#"{"hooks": {"preToolUse": [{"hooks": [{"type": "command", "command": "a"}]}],
        "PreToolUse": [{"matcher": "(?P<a>x)", "hooks": [{"type": "command", "command": "b"}]},
            {"hooks": [{"type": "command", "command": "c"}]}]}}"#;
    let parsed = read(text);
    assert!(!costs_file(&parsed));
    assert_eq!(codes(&parsed), ["unknown_event.claude_near", "bad_pattern."]);
    let valid: Vec<bool> = parsed.hooks.iter().map(|hook| hook.invalid.is_none()).collect();
    assert_eq!(valid, [false, false, true]);
}

#[test]
fn groups_beside_hooks_cost_the_file_or_are_a_warning() {
    let groups = json!([{"hooks": [{"type": "command", "command": "a"}]}]);
    for (name, costs) in [("PreToolUse", true), ("preEdit", true), ("Stop", false)] {
        let parsed = read(&json!({name: groups, "hooks": {}}).to_string());
        assert_eq!(costs_file(&parsed), costs, "{name}");
        assert_eq!(codes(&parsed), ["unknown_field.claude_beside"], "{name}");
    }
    assert!(read(r#"{"statusLine": {}, "PreToolUse": []}"#).problems.is_empty());
}

#[test]
fn a_setting_of_a_wrong_type_and_a_comment_cost_the_file() {
    let with = |extra: &str| {
        read(&format!(
            "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"a\"}}]}}]}}{extra}}}"
        ))
    };
    for extra in [
        ", \"env\": 1",
        ", \"permissions\": []",
        ", \"model\": null",
        ", \"disableAllHooks\": \"yes\"",
        " /* note */",
        ",",
    ] {
        let parsed = with(extra);
        assert!(costs_file(&parsed), "{extra}");
        assert_eq!(parsed.problems[0].args["costs"], "file", "{extra}");
        assert_eq!(parsed.problems[0].args["hooks"], 1, "{extra}");
    }
    assert!(!costs_file(&with(
        ", \"env\": {\"A\": \"b\"}, \"permissions\": {\"allow\": []}"
    )));
}

#[test]
fn what_a_row_cannot_say_is_reported() {
    for (event, definition, want) in [
        (
            "PreToolUse",
            json!({"type": "command", "command": ""}),
            vec!["empty_field.claude_no_command"],
        ),
        (
            "SessionStart",
            json!({"type": "prompt", "prompt": "x"}),
            vec!["unknown_value.claude_event_type"],
        ),
        (
            "Stop",
            json!({"type": "command", "command": "a", "onFailure": "block"}),
            vec!["no_effect.claude_failure"],
        ),
        (
            "PreToolUse",
            json!({"type": "command", "command": "a", "args": [], "shell": "bash"}),
            vec!["no_effect.claude_shell"],
        ),
        (
            "Stop",
            json!({"type": "command", "command": "a", "once": true}),
            vec!["no_effect.claude_once"],
        ),
        (
            "Stop",
            json!({"type": "command", "command": "a", "url": "x"}),
            vec!["unknown_field.claude_type"],
        ),
        (
            "Stop",
            json!({"type": "agent", "prompt": "x"}),
            vec!["agent_only.claude"],
        ),
        (
            "Stop",
            json!({"type": "command", "command": "a", "env": {}}),
            vec!["unknown_field.claude"],
        ),
        (
            "Stop",
            json!({"type": "command", "command": "a", "description": 1, "_x": 1}),
            vec![],
        ),
    ] {
        assert_eq!(codes(&entry(event, &definition)), want, "{definition}");
    }
}

#[test]
fn limits_depend_on_type_and_event() {
    let limit = |event: &str, definition: Value| entry(event, &definition).hooks[0].timeout.as_millis();
    let command = json!({"type": "command", "command": "a"});
    assert_eq!(limit("Stop", command.clone()), 600_000);
    assert_eq!(limit("UserPromptSubmit", command.clone()), 30_000);
    assert_eq!(limit("MessageDisplay", command.clone()), 10_000);
    assert_eq!(limit("SessionEnd", command), 1500);
    assert_eq!(limit("Stop", json!({"type": "prompt", "prompt": "a"})), 30_000);
    assert_eq!(
        limit("SessionEnd", json!({"type": "command", "command": "a", "timeout": 2.5})),
        2500
    );
}

#[test]
fn a_failure_blocks_where_the_agent_heeds_it() {
    use hookwright_model::OnFailure::{Closed, Open};
    let asks = json!({"type": "command", "command": "a", "onFailure": "block"});
    let plain = json!({"type": "command", "command": "a"});
    for (event, definition, want) in [
        ("PreToolUse", &asks, Closed),
        ("PermissionRequest", &asks, Closed),
        ("Stop", &asks, Open),
        ("SessionStart", &asks, Open),
        ("PreToolUse", &plain, Open),
        ("WorktreeCreate", &plain, Closed),
    ] {
        assert_eq!(entry(event, definition).hooks[0].on_failure, want, "{event}");
    }
}

#[test]
fn a_matcher_is_names_or_a_pattern_of_javascript() {
    let predicate = |event: &str, matcher: &str| {
        let parsed = read(
            &json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": "a"}]}]}})
                .to_string(),
        );
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        parsed.hooks[0]
            .when
            .clauses
            .first()
            .map(|clause| clause.predicate.clone())
    };
    let names = |matcher: &str| match predicate("PreToolUse", matcher) {
        Some(Predicate::OneOf(names)) => names,
        other => panic!("{matcher}: {other:?}"),
    };
    assert_eq!(names("Edit | Write,Read"), ["Edit", "Write", "Read"]);
    assert!(names("|").is_empty());
    assert!(predicate("PreToolUse", "*").is_none() && predicate("PreToolUse", "").is_none());
    for (event, matcher) in [
        ("PreToolUse", "Edit.*"),
        ("PreToolUse", "(?<a>x)"),
        ("FileChanged", ".env"),
        ("FileChanged", "a-b"),
    ] {
        assert!(
            matches!(predicate(event, matcher), Some(Predicate::Pattern(_))),
            "{matcher}"
        );
    }
    assert!(matches!(
        predicate("FileChanged", "Makefile"),
        Some(Predicate::OneOf(_))
    ));
}

/// The hooks of these files below `/p/.claude/skills`, read as plugins.
fn plugins(files: &[(&str, &str)]) -> Parsed {
    use hookwright_model::{Layer, SourceFile};
    let root = Root {
        reads: RootKind::Folders(plugins::MANIFEST),
        ..Root::file(Layer::Project, "/p/.claude/skills".into(), Some("/p".into()))
    };
    let file = |(path, text): &(&str, &str)| {
        let path = Path::new("/p/.claude/skills").join(path);
        (path.clone(), SourceFile::with_text(path, Ok((*text).to_owned())))
    };
    let tree = SourceTree {
        files: files.iter().map(file).collect(),
        root,
        exists: true,
    };
    parse(&tree)
}

#[test]
fn a_plugin_has_the_hooks_of_its_file_and_of_those_that_its_manifest_names() {
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let parsed = plugins(&[
        (
            "x/.claude-plugin/plugin.json",
            r#"{"name": "x", "hooks": "./more.json"}"#,
        ),
        ("x/hooks/hooks.json", hooks),
        ("x/more.json", hooks),
    ]);
    let ids: Vec<&str> = parsed.hooks.iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "claude-code:project:Stop:plugin-x.0.0",
            "claude-code:project:Stop:plugin-x-2.0.0"
        ]
    );
    let inline = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    assert_eq!(plugins(&[("y/.claude-plugin/plugin.json", inline)]).hooks.len(), 1);
}

#[test]
fn a_defect_of_a_plugin_costs_the_plugin() {
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    for (manifest, want) in [
        (r#"{"hooks": "more.json"}"#, vec!["unknown_value.claude_plugin"]),
        (r#"{"hooks": {"hooks": {}}}"#, vec!["wrong_type.claude_plugin"]),
    ] {
        let parsed = plugins(&[
            ("x/.claude-plugin/plugin.json", manifest),
            ("x/hooks/hooks.json", hooks),
        ]);
        assert_eq!(codes(&parsed), want);
        assert!(parsed.hooks[0].invalid.is_some(), "{manifest}");
    }
    let gone = plugins(&[("x/.claude-plugin/plugin.json", r#"{"hooks": "./gone.json"}"#)]);
    assert_eq!(codes(&gone), ["file_missing.claude"]);
}

#[test]
fn hooks_of_front_matter_are_listed_and_never_run() {
    use hookwright_model::{Layer, SourceFile};
    let path = Path::new("/p/.claude/skills/x/SKILL.md");
    let text = "---\nname: x\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./a.sh\n---\nText\n";
    let root = Root {
        reads: RootKind::Folders(plugins::SKILL),
        ..Root::file(Layer::Project, "/p/.claude/skills".into(), Some("/p".into()))
    };
    let tree = SourceTree {
        files: [(
            path.to_owned(),
            SourceFile::with_text(path.to_owned(), Ok(text.to_owned())),
        )]
        .into(),
        root,
        exists: true,
    };
    let parsed = parse(&tree);
    assert_eq!(codes(&parsed), ["agent_only.claude_front_matter"]);
    assert_eq!(parsed.hooks[0].id, "claude-code:project:PreToolUse:skill-x.0.0");
    assert!(matches!(
        parsed.hooks[0].disabled_reason,
        Some(DisabledReason::AgentOnly(_))
    ));
}

#[test]
fn further_files_of_an_administrator_are_read_by_their_names() {
    use hookwright_model::SourceFile;
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let root = Root {
        reads: RootKind::FilesIn(".json"),
        ..Root::managed_file("/m/managed-settings.d".into())
    };
    let file = |name: &str| {
        let path = Path::new("/m/managed-settings.d").join(name);
        (path.clone(), SourceFile::with_text(path, Ok(text.to_owned())))
    };
    let tree = SourceTree {
        root,
        exists: true,
        files: [file("10-a.json"), file("20-b.json")].into_iter().collect(),
    };
    let ids: Vec<String> = parse(&tree).hooks.iter().map(|hook| hook.id.clone()).collect();
    assert_eq!(
        ids,
        [
            "claude-code:user:Stop:managed-10-a.0.0",
            "claude-code:user:Stop:managed-20-b.0.0"
        ]
    );
}
