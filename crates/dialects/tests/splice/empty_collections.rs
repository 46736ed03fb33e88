//! Tests of lists and mappings that a removal empties, and of the separators of new elements.

use hookwright_dialects::splice::{self, Format, Op, Path, PathStep, key};
use serde_json::json;

fn without(format: Format, text: &str, at: Path) -> String {
    let parent = at[..at.len() - 1].to_vec();
    let text = splice::apply(format, text, &[Op::Remove { at }]).expect("it can be taken out");
    splice::without_empty(format, &text, &parent)
}

fn first_of(event: &str) -> Path {
    vec![key(event), PathStep::Item(0)]
}

#[test]
fn a_list_goes_with_its_last_item() {
    let yaml = [
        ("a: 1\nstop:\n  - command: x\nb: 2\n", "a: 1\nb: 2\n"),
        ("a: 1\n# about stop\nstop:\n- command: x\n", "a: 1\n# about stop\n"),
        ("a: 1\r\nstop: [{command: x}]", "a: 1"),
        ("stop:\n  - command: x\n", "{}\n"),
        ("{a: 1, stop: [{command: x}]}\n", "{a: 1}\n"),
    ];
    for (before, after) in yaml {
        assert_eq!(without(Format::Yaml, before, first_of("stop")), after, "{before}");
    }
    let json = [
        ("{\"a\":1,\"Stop\":[{\"x\":1}]}", "{\"a\":1}"),
        (
            "{\n  \"a\": 1,\n  \"Stop\": [\n    {\"x\": 1}\n  ]\n}\n",
            "{\n  \"a\": 1\n}\n",
        ),
        ("{\n  \"Stop\": [{\"x\": 1}],\n  \"a\": 1,\n}\n", "{\n  \"a\": 1,\n}\n"),
    ];
    for (before, after) in json {
        assert_eq!(without(Format::Json, before, first_of("Stop")), after, "{before}");
    }
}

#[test]
fn mappings_that_it_empties_go_too_and_others_stay() {
    let at = || vec![key("hooks"), key("Stop"), PathStep::Item(0)];
    let cases = [
        ("{\"a\": 1, \"hooks\": {\"Stop\": [{}]}}", "{\"a\": 1}"),
        ("{\"hooks\": {\"Stop\": [{}]}}", "{}"),
        (
            "{\"hooks\": {\"Stop\": [{}], \"on\": true}}",
            "{\"hooks\": {\"on\": true}}",
        ),
        ("{\"hooks\": {\"Stop\": [{}, 1]}}", "{\"hooks\": {\"Stop\": [1]}}"),
    ];
    for (before, after) in cases {
        assert_eq!(without(Format::Json, before, at()), after, "{before}");
    }
}

#[test]
fn an_empty_list_with_a_comment_of_its_own_stays() {
    let yaml = [
        ("stop: # at the end\n  - command: x\n", "stop: [] # at the end\n"),
        (
            "a: 1\nstop:\n  - command: x\n\n  # more to come\n",
            "a: 1\nstop: []\n\n  # more to come\n",
        ),
    ];
    for (before, after) in yaml {
        assert_eq!(without(Format::Yaml, before, first_of("stop")), after, "{before}");
    }
    let json = "{\n  \"Stop\": [\n    {\"x\": 1}\n\n    // more to come\n  ]\n}\n";
    let after = without(Format::Json, json, first_of("Stop"));
    assert!(after.contains("more to come") && after.contains("Stop"), "{after}");
}

#[test]
fn what_is_new_has_the_separators_of_the_text() {
    let insert = |format: Format, text: &str| {
        let op = Op::Insert {
            at: vec![key("hooks"), key("Stop"), PathStep::Item(0)],
            content: json!({"hooks": [{"type": "command", "command": "x"}]}).into(),
        };
        splice::apply(format, text, &[op]).expect("it can be put in")
    };
    let new = r#""Stop":[{"hooks":[{"type":"command","command":"x"}]}]"#;
    let spaced = r#""Stop": [{"hooks": [{"type": "command", "command": "x"}]}]"#;
    let json = [
        (
            r#"{"a":1,"hooks":{"on":true}}"#,
            format!(r#"{{"a":1,"hooks":{{"on":true,{new}}}}}"#),
        ),
        (r#"{"a":1}"#, format!(r#"{{"a":1,"hooks":{{{new}}}}}"#)),
        (
            r#"{"a": 1, "b": 2}"#,
            format!(r#"{{"a": 1, "b": 2, "hooks": {{{spaced}}}}}"#),
        ),
        (
            r#"{"a": 1,"b": 2}"#,
            format!(r#"{{"a": 1,"b": 2,"hooks": {{{}}}}}"#, spaced.replace(", ", ",")),
        ),
    ];
    for (before, after) in json {
        assert_eq!(insert(Format::Json, before), after);
    }
}
