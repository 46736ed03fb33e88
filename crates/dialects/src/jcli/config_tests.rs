use std::time::Duration;

use hookwright_model::problem::Severity;
use hookwright_model::{Condition, Handler, Hook, Match, OnFailure, Payload, Problem};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read_as(layer: Layer, text: &str) -> Parsed {
    let project = (layer == Layer::Project).then(|| PathBuf::from("/p"));
    let root = Root::file(layer, "/p/.jcli/hooks.yaml".into(), project);
    let text = Ok(text.to_owned());
    Jcli.parse(&SourceTree::with_text(root, text))
}

fn read(text: &str) -> Parsed {
    read_as(Layer::User, text)
}

/// `line:column code severity` of every Problem; the severity only if it differs from the table.
fn problem_list(parsed: &Parsed) -> Vec<String> {
    let one = |problem: &Problem| {
        assert_filled(problem);
        assert_rejection_agrees(problem);
        let position = format!("{}:{}", problem.line.unwrap_or(0), problem.column.unwrap_or(0));
        let case = problem.args.get("case").and_then(|case| case.as_str());
        let name = case.map_or_else(
            || problem.code.as_str().to_owned(),
            |case| format!("{}.{case}", problem.code.as_str()),
        );
        let other = (problem.severity != problem.code.severity()).then(|| format!(" {}", problem.severity.as_str()));
        format!("{position} {name}{}", other.unwrap_or_default())
    };
    parsed.problems.iter().map(one).collect()
}

/// Checks that every placeholder of a message has its value.
#[track_caller]
pub(crate) fn assert_filled(problem: &Problem) {
    for text in [Some(&problem.message), problem.hint.as_ref()].into_iter().flatten() {
        let bare = text.replace("{{", "").replace("}}", "");
        let open = bare.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        let left: Vec<&str> = open
            .map(|(name, _)| name)
            .filter(|name| name.chars().all(|character| character.is_ascii_lowercase()))
            .collect();
        assert!(left.is_empty(), "{text}");
    }
}

/// Checks that a problem says that the agent rejects the file exactly if its hint says so.
#[track_caller]
pub(crate) fn assert_rejection_agrees(problem: &Problem) {
    let says = problem
        .hint
        .as_ref()
        .is_some_and(|hint| hint.contains("rejects the whole file"));
    assert_eq!(problem.rejects_file, says, "{problem:?}");
}

#[test]
fn a_value_of_the_wrong_type_rejects_the_whole_file_and_a_missing_one_does_not() {
    let rejects = |text: &str| read(text).problems.iter().any(|problem| problem.rejects_file);
    for text in [
        "stop: x\n",
        "stop:\n  - x\n",
        "stop:\n  - command: [a]\n",
        "stop:\n  - {type: http, command: a}\n",
        "stop:\n  - {command: a, on_error: ignore}\n",
        "stop:\n  - {command: a, filter: Bash}\n",
        "stop:\n  - {command: a, timeout: 5s}\n",
        "stop:\n  - command: {{tool_name}}\n",
    ] {
        assert!(rejects(text), "{text}");
    }
    for text in [
        "stop:\n  - {}\n",
        "stopp:\n  - command: a\n",
        "stop:\n  - {command: a, timeout: 0}\n",
    ] {
        assert!(!rejects(text), "{text}");
    }
}

#[track_caller]
fn read_one_hook(fields: &str) -> (Hook, Vec<String>) {
    let text = format!("pre_tool_execution:\n  - {}\n", fields.replace('\n', "\n    "));
    let mut parsed = read(&text);
    assert_eq!(parsed.hooks.len(), 1, "{text}");
    let problems = problem_list(&parsed);
    (Arc::unwrap_or_clone(parsed.hooks.remove(0)), problems)
}

#[test]
fn defaults_are_those_of_the_table() {
    let (bash, problems) = read_one_hook("command: python3 ~/hooks/a.py");
    assert!(problems.is_empty());
    assert_eq!(
        (bash.timeout, bash.attempts, bash.on_failure),
        (Duration::from_secs(10), 1, OnFailure::Open)
    );
    assert_eq!(
        (bash.label.as_str(), bash.when, bash.filter),
        ("a.py", Condition::default(), None)
    );
    assert_eq!(
        bash.handler,
        Handler::Shell {
            command: "python3 ~/hooks/a.py".into()
        }
    );
    let (llm, problems) = read_one_hook("type: llm\nprompt: |\n  \n  Is it safe?\n  {{tool_name}}");
    assert!(problems.is_empty());
    assert_eq!(
        (llm.timeout, llm.attempts, llm.label.as_str()),
        (Duration::from_secs(30), 2, "Is it safe?")
    );
    assert_eq!((llm.source.line, llm.source.column), (2, 5));
}

#[test]
fn what_an_author_writes_is_honoured() {
    let (hook, problems) =
        read_one_hook("type: llm\nprompt: x\nmodel: gpt-4o-mini\ntimeout: 10\nretry: 0\non_error: stop");
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(
        (hook.timeout, hook.attempts, hook.on_failure),
        (Duration::from_secs(10), 1, OnFailure::Closed)
    );
    assert_eq!(
        hook.handler,
        Handler::Prompt {
            template: "x".into(),
            model: Some("gpt-4o-mini".into())
        }
    );
    let (hook, _) = read_one_hook("command: x\nretry: 3\non_error: abort\ntimeout: null\nmodel:");
    assert_eq!(
        (hook.attempts, hook.on_failure, hook.timeout),
        (4, OnFailure::Closed, Duration::from_secs(10))
    );
}

#[test]
fn each_mistake_in_a_definition_has_its_problem_and_position() {
    let table: [(&str, &[&str]); 40] = [
        ("timeout: 5", &["2:5 missing_field"]),
        ("type: llm", &["2:5 missing_field"]),
        ("prompt: x", &["2:5 missing_field.type"]),
        ("type: llm\ncommand: x", &["2:5 missing_field.prompt"]),
        ("command: '  '", &["2:14 empty_field"]),
        ("type: llm\nprompt: ''", &["3:13 empty_field"]),
        ("command: [a, b]", &["2:14 wrong_type.string"]),
        ("command: 42", &["2:14 wrong_type.bare warning"]),
        ("command: true", &["2:14 wrong_type.bare warning"]),
        ("command: yes", &[]),
        ("command: {{tool_name}}", &["2:14 wrong_type.template"]),
        ("type: llm\nprompt: 7", &["3:13 wrong_type.string"]),
        ("type: python\ncommand: x", &["2:11 unknown_value.type"]),
        ("type: http\nurl: x", &["2:11 unknown_value.type", "3:5 unknown_field"]),
        ("type: 5\ncommand: x", &["2:11 wrong_type.string"]),
        ("type: bash\ncommand: x", &[]),
        ("command: x\nmodel: y", &["3:5 no_effect"]),
        ("command: x\nmodel: [y]", &["3:12 wrong_type.string"]),
        ("command: x\nprompt: y", &["3:5 no_effect"]),
        ("type: llm\nprompt: y\ncommand: x", &["4:5 no_effect"]),
        ("type: llm\nprompt: y\nmodel: 4", &["4:12 wrong_type.string"]),
        ("command: x\ntimeout: 5.0", &["3:14 wrong_type.integer"]),
        ("command: x\ntimeout: '5'", &["3:14 wrong_type.integer"]),
        ("command: x\ntimeout: 5s", &["3:14 wrong_type.integer"]),
        ("command: x\ntimeout: [5]", &["3:14 wrong_type.integer"]),
        ("command: x\ntimeout: 0", &["3:14 out_of_range.small"]),
        ("command: x\ntimeout: -1", &["3:14 out_of_range.small"]),
        ("command: x\ntimeout: 3601", &["3:14 out_of_range.long warning"]),
        (
            "command: x\ntimeout: 99999999999999999999999",
            &["3:14 out_of_range.long warning"],
        ),
        ("command: x\nretry: -1", &["3:12 out_of_range.small"]),
        ("command: x\nretry: twice", &["3:12 wrong_type.integer"]),
        ("command: x\non_error: ignore", &["3:15 unknown_value.on_error"]),
        ("command: x\non_error: 1", &["3:15 wrong_type.string"]),
        ("command: x\nfilter: Bash", &["3:13 wrong_type.mapping"]),
        ("command: x\nfilter:\n  tool: Bash", &["4:7 unknown_field"]),
        ("command: x\nfilter: {tool_name: 5}", &["3:25 wrong_type.string"]),
        ("command: x\ntiemout: 5", &["3:5 unknown_field.near"]),
        ("command: x\nenabled: false", &["3:5 unknown_field.switch"]),
        ("command: x\nname: mine", &["3:5 unknown_field"]),
        ("command: x\ncommand: y", &["3:5 duplicate_key"]),
    ];
    for (fields, want) in table {
        let (hook, problems) = read_one_hook(fields);
        assert_eq!(problems, want, "{fields}");
        let errors = read(&format!("stop:\n  - {}\n", fields.replace('\n', "\n    "))).problems;
        let any_error = errors.iter().any(|problem| problem.severity == Severity::Error);
        assert_eq!(hook.invalid.is_some(), any_error, "{fields}");
    }
}

#[test]
fn a_long_timeout_counts_as_an_hour_and_a_bare_command_as_its_text() {
    assert_eq!(
        read_one_hook("command: x\ntimeout: 5000").0.timeout,
        Duration::from_secs(3600)
    );
    assert_eq!(
        read_one_hook("command: 0x1F").0.handler,
        Handler::Shell { command: "0x1F".into() }
    );
}

#[test]
fn a_mistake_that_rejects_the_whole_file_in_j_cli_says_so() {
    for fields in [
        "command: [a]",
        "type: x\ncommand: y",
        "command: x\non_error: y",
        "command: x\ntimeout: '5'",
        "command: x\nfilter: 5",
    ] {
        let parsed = read(&format!("stop:\n  - {}\n", fields.replace('\n', "\n    ")));
        let hint = parsed.problems[0].hint.clone().unwrap_or_default();
        assert!(hint.contains("j-cli rejects the whole file"), "{fields}: {hint}");
    }
}

#[test]
fn a_bad_definition_invalidates_only_itself() {
    let parsed = read(
        "stop:\n  - command: a\n  - command: 5.5.5\n    timeout: x\n  - just text\n  -\n  - command: b\npre_tool_exec:\n  - command: c\nsession_end: null\nsession_start: []\n",
    );
    let valid: Vec<&str> = parsed
        .hooks
        .iter()
        .filter(|hook| hook.invalid.is_none())
        .map(|hook| hook.id.as_str())
        .collect();
    assert_eq!(valid, ["jcli:user:stop:0", "jcli:user:stop:4"]);
    assert_eq!(
        problem_list(&parsed),
        [
            "4:14 wrong_type.integer",
            "5:5 wrong_type.hook",
            "6:4 wrong_type.hook",
            "8:1 unknown_event.near"
        ]
    );
    let unknown = parsed.hooks.last().unwrap();
    assert_eq!(
        (unknown.id.as_str(), unknown.event.as_str()),
        ("jcli:user:pre_tool_exec:0", "pre_tool_exec")
    );
    assert!(parsed.broken.is_empty());
}

#[test]
fn a_top_level_key_is_an_event_or_has_its_own_message() {
    let table: [(&str, &[&str]); 10] = [
        (
            "pre_send_message:\n- command: x\ntimeout: 5\n",
            &["3:1 unknown_event.field"],
        ),
        (
            "hooks:\n  - event: stop\n    command: x\n",
            &["1:1 unknown_event.older"],
        ),
        ("version: 1\n", &["1:1 unknown_event"]),
        ("PreToolExecution: []\n", &["1:1 unknown_event.near"]),
        ("stop: x\n", &["1:7 wrong_type.list"]),
        ("stop:\n  command: x\n", &["2:3 wrong_type.list"]),
        ("x-anchors:\n  a: {b: 1}\n", &["1:1 unknown_event"]),
        ("- command: x\n", &["1:1 wrong_type.file"]),
        ("pre", &["1:1 wrong_type.file"]),
        ("stop:\n\t- command: x\n", &["2:2 syntax.tab"]),
    ];
    for (text, want) in table {
        let parsed = read(text);
        assert_eq!(problem_list(&parsed), want, "{text}");
        let whole = text.starts_with('-') || text == "pre" || text.contains('\t');
        assert_eq!(!parsed.broken.is_empty(), whole, "{text}");
        assert!(
            parsed.hooks.iter().all(|hook| hook.invalid.is_some()) || text.starts_with("pre_send"),
            "{text}"
        );
    }
    let older = read("hooks:\n  - event: stop\n    command: x\n");
    assert_eq!(
        (older.hooks[0].event.as_str(), older.hooks[0].id.as_str()),
        ("stop", "jcli:user:hooks:0")
    );
    for empty in ["", "# nothing\n", "---\n", "stop:\n", "stop: []\n"] {
        let parsed = read(empty);
        assert!(
            parsed.hooks.is_empty() && parsed.problems.is_empty() && parsed.broken.is_empty(),
            "{empty:?}"
        );
    }
}

#[test]
fn a_second_list_of_an_event_is_an_error_and_its_hooks_are_invalid() {
    let parsed = read(
        "stop:\n  - command: a\nsession_end:\n  - command: b\nstop:\n  - command: c\n  - command: d\nstop:\n  - command: e\n",
    );
    assert_eq!(
        problem_list(&parsed),
        ["5:1 duplicate_key.event", "8:1 duplicate_key.event"]
    );
    let ids: Vec<(&str, bool)> = parsed
        .hooks
        .iter()
        .map(|hook| (hook.id.as_str(), hook.invalid.is_none()))
        .collect();
    let want = [
        ("jcli:user:stop:0", true),
        ("jcli:user:session_end:0", true),
        ("jcli:user:stop.2:0", false),
        ("jcli:user:stop.2:1", false),
        ("jcli:user:stop.3:0", false),
    ];
    assert_eq!(ids, want);
    assert!(
        parsed
            .hooks
            .iter()
            .filter(|hook| hook.id.contains('.'))
            .all(|hook| hook.event == "stop")
    );
}

#[test]
fn anchors_work_in_several_events() {
    let text = "stop: &all\n  - &guard\n    command: a\n    timeout: 7\npre_llm_request: *all\npre_send_message:\n  - <<: *guard\n    timeout: 9\n";
    let parsed = read(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let seen: Vec<(&str, u64)> = parsed
        .hooks
        .iter()
        .map(|hook| (hook.event.as_str(), hook.timeout.as_secs()))
        .collect();
    assert_eq!(seen, [("stop", 7), ("pre_llm_request", 7), ("pre_send_message", 9)]);
}

#[test]
fn a_filter_compares_names_and_prefixes_by_letter() {
    let payload = |pairs: &[(&str, &str)]| -> Payload {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect()
    };
    let bash = payload(&[("tool_name", "Bash")]);
    let model = payload(&[("model", "gpt-4o")]);
    let empty = payload(&[("tool_name", ""), ("model", "")]);
    let table = [
        ("{tool_name: Bash}", &bash, true),
        ("{tool_name: bash}", &bash, false),
        ("{tool_name: Ba}", &bash, false),
        ("{tool_matcher: 'Write| Bash |Edit'}", &bash, true),
        ("{tool_matcher: 'B.*'}", &bash, false),
        ("{tool_name: Edit, tool_matcher: Bash}", &bash, false),
        ("{tool_name: Bash, tool_matcher: Edit}", &bash, true),
        ("{model_prefix: gpt-4}", &model, true),
        ("{model_prefix: GPT}", &model, false),
        ("{model_prefix: gpt-4}", &bash, false),
        ("{tool_name: Bash}", &model, false),
        ("{tool_name: Bash, model_prefix: gpt}", &bash, false),
        ("{tool_name: ''}", &empty, true),
        ("{tool_matcher: ''}", &empty, true),
        ("{tool_name: ''}", &bash, false),
        ("{model_prefix: ''}", &model, true),
        ("{model_prefix: ''}", &bash, false),
        ("{}", &bash, true),
    ];
    for (filter, payload, want) in table {
        let (hook, _) = read_one_hook(&format!("command: x\nfilter: {filter}"));
        assert_eq!(hook.when.evaluate(payload) == Match::Yes, want, "{filter} {payload:?}");
        assert!(hook.filter.is_some(), "{filter}");
    }
}

#[test]
fn unknown_placeholders_are_reported_at_their_position() {
    let (_, problems) = read_one_hook(
        "type: llm\nprompt: |\n  工具 {{toolname}} of\n  {{ user_input }} {{user_input}} {{zebra}} {{\"a\": 1}}",
    );
    assert_eq!(
        problems,
        [
            "4:10 unknown_placeholder.near",
            "5:7 unknown_placeholder.near",
            "5:39 unknown_placeholder"
        ]
    );
    let (_, problems) = read_one_hook("type: llm\nprompt: \"a {{b}} c\"");
    assert_eq!(problems, ["3:16 unknown_placeholder"]);
}

#[test]
fn the_relay_among_user_hooks_is_shown_and_not_run() {
    let (hook, problems) =
        read_one_hook("command: /opt/hookwright-relay --dialect jcli --event pre_tool_execution --native");
    assert_eq!(problems, ["2:14 relay_entry"]);
    assert!(hook.is_relay() && hook.invalid.is_none());
    assert_eq!(hook.label, "hookwright-relay");
}

#[test]
fn a_wrapped_command_is_the_command_inside() {
    let wrapped = r#"HW='python3 a.py '\''x'\'''; [ -x /r/hookwright-relay ] && exec /r/hookwright-relay run --dialect jcli --event stop --hook jcli:user:stop:0 -- sh -c "$HW"; exec sh -c "$HW""#;
    let (hook, problems) = read_one_hook(&format!("timeout: 9\ncommand: {}", json!(wrapped)));
    let (plain, _) = read_one_hook("command: python3 a.py 'x'\ntimeout: 9");
    assert!(problems.is_empty() && hook.wrapped.is_some() && plain.wrapped.is_none());
    assert_eq!(
        (&hook.handler, &hook.definition_text, &hook.label),
        (&plain.handler, &plain.definition_text, &plain.label)
    );
    assert_eq!(
        (&hook.definition["command"], hook.approval_scope),
        (&json!("python3 a.py 'x'"), plain.approval_scope)
    );
}

#[test]
fn the_fingerprint_text_does_not_depend_on_formatting() {
    let (one_way, _) = read_one_hook("command: x # why\ntimeout: 5\nfilter: {tool_name: A, model_prefix: b}");
    let (other, _) = read_one_hook("timeout: 5\nfilter:\n  model_prefix: 'b'\n  tool_name: \"A\"\ncommand: 'x'");
    assert_eq!(one_way.definition_text, other.definition_text);
    assert_ne!(
        one_way.definition_text,
        read_one_hook("command: x\ntimeout: 6\nfilter: {tool_name: A, model_prefix: b}")
            .0
            .definition_text
    );
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "(?s).{0,200}") {
        let _ = read(&text);
    }

    #[test]
    fn no_two_hooks_of_a_file_have_the_same_id(lines in proptest::collection::vec(
        r#"(stop|hooks|[a-z_]{1,6})?:?|- (command|type|prompt|timeout|retry|on_error|filter|<<): [a-z0-9"'{}\[\]&*|>.-]{0,8}|  +(command|timeout|filter|tool_name): ?[a-z0-9"{}$(`]{0,8}"#, 0..12))
    {
        let parsed = read(&lines.join("\n"));
        let mut ids: Vec<&str> = parsed.hooks.iter().map(|hook| hook.id.as_str()).collect();
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        prop_assert_eq!(ids.len(), all, "ids collide");
    }
}
