use hookwright_model::{ApprovalScope, Code, Command, EventSpec, Handler, Severity};
use proptest::prelude::*;

use super::*;

fn read_as(layer: Layer, text: &str) -> Parsed {
    let project = (layer == Layer::Project).then(|| PathBuf::from("/p"));
    let root = Root::file(layer, "/p/.picoclaw/config.json".into(), project);
    let parsed = Picoclaw.parse(&SourceTree::with_text(root, Ok(text.to_owned())));
    for problem in &parsed.problems {
        let says = problem.hint.as_ref();
        let says = says.is_some_and(|hint| hint.contains("rejects the whole file"));
        assert_eq!(problem.rejects_file, says, "{problem:?}");
    }
    parsed
}

#[test]
fn a_value_of_the_wrong_type_rejects_the_whole_file_and_a_missing_one_does_not() {
    let rejects = |fields: &str| {
        let problems = entries(&format!("\"a\": {fields}")).problems;
        problems.iter().any(|problem| problem.rejects_file)
    };
    for fields in [
        "1",
        r#"{"command": "x"}"#,
        r#"{"command": ["x"], "enabled": "yes"}"#,
        r#"{"command": ["x"], "priority": 1.5}"#,
        r#"{"command": ["x"], "dir": 1}"#,
        r#"{"command": ["x"], "env": []}"#,
        r#"{"command": ["x"], "intercept": "tool"}"#,
    ] {
        assert!(rejects(fields), "{fields}");
    }
    assert!(!rejects("{}"));
    assert!(!rejects(r#"{"command": ["x"], "intercept": ["unknown"]}"#));
}

fn entries(text: &str) -> Parsed {
    read_as(Layer::User, &format!("{{\"hooks\": {{\"processes\": {{{text}}}}}}}"))
}

/// The hooks of the one entry, and the codes of its problems.
#[track_caller]
fn one(fields: &str) -> (Vec<Arc<Hook>>, Vec<Code>) {
    let parsed = entries(&format!("\"a\": {{{fields}}}"));
    assert!(!parsed.hooks.is_empty(), "{fields}");
    let codes = parsed.problems.iter().map(|problem| problem.code).collect();
    (parsed.hooks, codes)
}

fn events(hooks: &[Arc<Hook>]) -> Vec<&str> {
    hooks.iter().map(|hook| hook.event.as_str()).collect()
}

fn places(project: &str) -> Locations {
    Locations {
        home: "/home/jo".into(),
        project: project.into(),
        skills_roots: Vec::new(),
        vars: std::collections::BTreeMap::new(),
    }
}

#[test]
fn the_files_are_the_users_and_the_projects() {
    let roots = roots(&places("/work/x"));
    let paths: Vec<(Layer, &Path)> = roots.iter().map(|root| (root.layer, root.path.as_path())).collect();
    assert_eq!(
        paths,
        [
            (Layer::User, Path::new("/home/jo/.picoclaw/config.json")),
            (Layer::Project, Path::new("/work/x/.picoclaw/config.json"))
        ]
    );
    assert_eq!(roots[1].project.as_deref(), Some(Path::new("/work/x")));
    let home = super::roots(&places("/home/jo"));
    assert_eq!(home.iter().map(|root| root.layer).collect::<Vec<_>>(), [Layer::User]);
}

#[test]
fn a_file_is_detected_by_its_path() {
    let layer = |path: &str| {
        Picoclaw
            .detect_root(Path::new(path), &places("/work/x"))
            .map(|root| (root.layer, root.project))
    };
    assert_eq!(layer("/home/jo/.picoclaw/config.json"), Some((Layer::User, None)));
    assert_eq!(
        layer("/other/.picoclaw/config.json"),
        Some((Layer::Project, Some("/other".into())))
    );
    for path in [
        "/work/x/config.json",
        "/work/x/.picoclaw/hooks.json",
        "/x/.qoder/config.json",
    ] {
        assert_eq!(layer(path), None, "{path}");
    }
}

#[test]
fn an_entry_is_one_hook_per_event_of_one_id() {
    let (hooks, codes) = one(
        r#""enabled": true, "priority": 3, "command": ["x", "y z"], "dir": "d e", "observe": ["error", "turn_end"],
        "intercept": ["after_llm", "before_llm", "approve_tool"]"#,
    );
    assert_eq!(
        events(&hooks),
        ["before_llm", "after_llm", "approve_tool", "turn_end", "error"]
    );
    assert!(
        hooks
            .iter()
            .all(|hook| hook.id == "picoclaw:user:a" && hook.rank == Some(3))
    );
    assert_eq!(
        hooks[0].approval_scope,
        ApprovalScope::Command(Command {
            words: vec!["x".into(), "y z".into()],
            shell: false,
            dir: Some("d e".into()),
        })
    );
    assert_eq!(
        hooks[0].handler,
        Handler::Peer {
            argv: vec!["x".into(), "y z".into()]
        }
    );
    assert_eq!(codes, []);
}

#[test]
fn an_observer_of_everything_is_one_hook_for_every_kind() {
    let (hooks, _) = one(r#""enabled": true, "command": ["x"], "observe": ["error", "*"]"#);
    assert_eq!(events(&hooks), ["*"]);
    let serves = |event: &&EventSpec| hooks[0].matches_event(event);
    let served = super::super::events::CARD.events.iter().filter(serves).count();
    assert_eq!(served, 19);
}

#[test]
fn a_malformed_entry_is_shown_and_blocks() {
    for value in ["[]", "\"python3 x.py\"", "7", "true"] {
        let parsed = entries(&format!("\"a\": {value}"));
        assert_eq!(events(&parsed.hooks), ["approve_tool"], "{value}");
        assert!(parsed.hooks[0].invalid.is_some() && parsed.hooks[0].blocks_when_invalid.is_some());
        assert_eq!(parsed.hooks[0].disabled_reason, None);
    }
    // `null` is an entry without fields: PicoClaw treats it as off.
    let nothing = entries("\"a\": null");
    assert!(
        matches!(nothing.hooks[0].disabled_reason, Some(DisabledReason::Disabled(_)))
            && nothing.hooks[0].blocks_when_invalid.is_none()
    );
}

#[test]
fn an_approver_with_an_unreadable_switch_blocks() {
    let (hooks, _) = one(r#""enabled": "true", "command": ["x"], "intercept": ["approve_tool"]"#);
    assert!(hooks[0].blocks_when_invalid.is_some() && hooks[0].disabled_reason.is_none());
}

#[test]
fn the_relay_is_detected_inside_a_shell() {
    for command in [
        r#"["hookwright-relay", "--dialect", "picoclaw"]"#,
        r#"["sh", "-c", "exec hookwright-relay --dialect picoclaw"]"#,
        r#"["env", "X=1", "hookwright-relay", "--dialect", "picoclaw"]"#,
        r#"["/usr/bin/env", "-i", "X=a b", "hookwright-relay"]"#,
        r#"["sh", "-lc", "hookwright-relay --dialect picoclaw"]"#,
        r#"["bash", "-e", "-c", "hookwright-relay --dialect picoclaw"]"#,
    ] {
        let (hooks, codes) = one(&format!(
            "\"enabled\": true, \"command\": {command}, \"observe\": [\"*\"]"
        ));
        assert!(hooks[0].is_relay(), "{command}");
        assert_eq!(codes, [Code::RelayEntry]);
    }
    let (hooks, _) = one(r#""enabled": true, "command": ["hookwright-relay", "run", "--", "x"], "observe": ["*"]"#);
    assert_eq!(hooks[0].disabled_reason, None);
}

#[test]
fn the_fingerprint_covers_the_name_and_not_the_order_of_keys() {
    let text = |fields: &str| one(fields).0[0].definition_text.clone();
    let first = text(r#""enabled": true, "command": ["x"], "observe": ["*"]"#);
    assert_eq!(first, text(r#""observe": ["*"], "command": ["x"], "enabled": true"#));
    assert_ne!(first, text(r#""enabled": true, "command": ["y"], "observe": ["*"]"#));
    let other = entries(r#""b": {"enabled": true, "command": ["x"], "observe": ["*"]}"#);
    assert_ne!(first, other.hooks[0].definition_text);
}

#[test]
fn an_empty_file_is_no_json() {
    for text in ["", " \n", "// later"] {
        let parsed = read_as(Layer::User, text);
        let codes: Vec<Code> = parsed.problems.iter().map(|problem| problem.code).collect();
        assert_eq!((codes, parsed.broken.len()), (vec![Code::Syntax], 1), "{text:?}");
    }
}

#[test]
fn a_repeated_key_of_the_builtins_is_reported() {
    for builtins in [r#""a": {}, "a": {}"#, r#""a": {"enabled": true, "enabled": false}"#] {
        let parsed = read_as(Layer::User, &format!("{{\"hooks\": {{\"builtins\": {{{builtins}}}}}}}"));
        let twice = |problem: &&Problem| problem.code == Code::DuplicateKey;
        assert_eq!(parsed.problems.iter().filter(twice).count(), 1, "{builtins}");
    }
}

#[test]
fn a_time_limit_too_large_for_64_bits_is_the_maximum() {
    let text = |written: &str| {
        format!(
            r#"{{"hooks": {{"defaults": {{"interceptor_timeout_ms": {written}}}, "processes": {{"a": {{"enabled": true, "command": ["x"], "intercept": ["before_tool"]}}}}}}}}"#
        )
    };
    for (written, code, millis) in [
        ("99999999999999999999", Some(Code::OutOfRange), 3_600_000),
        ("18446744073709551615", Some(Code::OutOfRange), 3_600_000),
        ("-99999999999999999999", None, 5000),
        ("1e30", Some(Code::WrongType), 5000),
    ] {
        let parsed = read_as(Layer::User, &text(written));
        assert_eq!(parsed.problems.first().map(|problem| problem.code), code, "{written}");
        assert_eq!(parsed.hooks[0].timeout, Duration::from_millis(millis), "{written}");
    }
}

#[test]
fn a_builtin_of_the_agent_conflicts_with_no_process() {
    let text = r#"{"hooks": {"builtins": {"a": {"enabled": true}}, "processes": {"a": {"enabled": true, "command": ["x"], "observe": ["*"]}}}}"#;
    let (user, project) = (read_as(Layer::User, text), read_as(Layer::Project, "{}"));
    let all: Vec<&Hook> = user.hooks.iter().chain(&project.hooks).map(Arc::as_ref).collect();
    let report = resolve_conflicts(&all);
    assert!(report.disabled.is_empty() && report.problems.is_empty());
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "(?s).{0,200}") {
        let _ = read_as(Layer::User, &text);
    }

    #[test]
    fn a_hook_is_invalid_exactly_when_an_error_is_about_it(fields in proptest::collection::vec(
        (r"enabled|priority|transport|command|dir|env|observe|intercept|x", r#"true|false|null|1|-1.5|"stdio"|""|\[\]|\["approve_tool"\]|\["\*", 3\]|\{\}|\{"A": "b"\}"#), 0..8),
        others in proptest::collection::vec(r#""(a|b)": (\{\}|\[\]|null|1)"#, 0..3))
    {
        let fields: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
        let text = [vec![format!("\"a\": {{{}}}", fields.join(", "))], others].concat().join(", ");
        let parsed = entries(&text);
        let mut rows: Vec<(&str, &str)> = parsed.hooks.iter().map(|hook| (hook.id.as_str(), hook.event.as_str())).collect();
        rows.sort_unstable();
        let all = rows.len();
        rows.dedup();
        prop_assert_eq!(rows.len(), all, "two hooks of one id at one event");
        for hook in &parsed.hooks {
            let wrong = parsed.problems.iter().any(|problem| {
                let stops = problem.severity == Severity::Error || problem.code == Code::Unsupported;
                stops && problem.hook.as_deref() == Some(&hook.id)
            });
            prop_assert_eq!(wrong, hook.invalid.is_some());
        }
    }
}
