use hookwright_model::problem::TextPosition;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn value(text: &str) -> Value {
    read(text)
        .unwrap_or_else(|broken| panic!("{} at {:?}", broken.message, broken.position))
        .map_or(Value::Null, |node| node.to_value())
}

#[track_caller]
fn broken(text: &str) -> (String, u32, u32) {
    let broken = read(text).expect_err("should be broken");
    let case = broken
        .message
        .args
        .get("case")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    assert_eq!(broken.message.code, "syntax");
    (case, broken.position.line, broken.position.column)
}

#[test]
fn anchors_and_merges_are_written_out() {
    let text = "base: &b {timeout: 5, command: a}\nstop:\n  - <<: *b\n    command: b\n  - *b\n  - <<: [{x: 1}, {x: 2, y: 3}]\n";
    let want = json!([{"command": "b", "timeout": 5}, {"timeout": 5, "command": "a"}, {"x": 1, "y": 3}]);
    assert_eq!(value(text)["stop"], want);
}

#[test]
fn text_behind_a_quoted_value_or_a_list_is_named() {
    for (value, case, column) in [
        ("\"$X\"/g.sh", "behind_quote", 14 + 4),
        ("'a' && b", "behind_quote", 14 + 4),
        ("[ -f x ] && b", "behind_bracket", 14 + 9),
        ("{ a; } || b", "behind_bracket", 14 + 7),
    ] {
        let found = broken(&format!("stop:\n  - command: {value}\n"));
        assert_eq!(found, (case.to_owned(), 2, column), "{value}");
    }
    for text in [
        "stop:\n  - command: \"a\" # b\n",
        "stop:\n  - x: [a] # b\n",
        "stop: [{command: \"a\", timeout: 5}]\n",
        "\"a\": 5\n",
    ] {
        assert!(read(text).is_ok(), "{text}");
    }
}

#[test]
fn a_merge_of_something_else_than_a_mapping_is_an_ordinary_key() {
    assert_eq!(value("<<: 5\n"), json!({"<<": 5}));
    assert_eq!(value("'<<': {a: 1}\n"), json!({"<<": {"a": 1}}));
}

#[test]
fn the_first_of_two_equal_keys_is_kept_and_the_second_is_known() {
    let text = "stop: [1]\nother:\n  - {a: 1, a: 2}\nstop: [2]\n";
    let root = read(text).unwrap().unwrap();
    assert_eq!(root.to_value(), json!({"stop": [1], "other": [{"a": 1}]}));
    let mut found = Vec::new();
    root.for_each_duplicate_key(&mut |entry| found.push((entry.key.clone(), entry.key_position)));
    assert_eq!(
        found,
        [
            ("stop".to_owned(), TextPosition { line: 4, column: 1 }),
            ("a".to_owned(), TextPosition { line: 3, column: 12 })
        ]
    );
}

#[test]
fn positions_count_characters_and_spans_count_bytes() {
    let text = "\u{feff}停: \"中文\"\r\nb:\r\n  - 键: x\r\n";
    let root = read(text).unwrap().unwrap();
    let entries = root.entries().unwrap();
    assert_eq!(
        (entries[0].key_position, entries[0].value.position),
        (TextPosition { line: 1, column: 1 }, TextPosition { line: 1, column: 4 })
    );
    let stripped = text.trim_start_matches('\u{feff}');
    assert_eq!(&stripped[entries[0].value.span.clone()], "\"中文\"");
    let ValueKind::List(items) = &entries[1].value.kind else {
        panic!("no list")
    };
    let inner = &items[0].entries().unwrap()[0];
    assert_eq!(
        (inner.key_position, inner.value.position),
        (TextPosition { line: 3, column: 5 }, TextPosition { line: 3, column: 8 })
    );
}

#[test]
fn nothing_but_comments_is_no_value() {
    for text in ["", "\n", "# only this\n", "---\n", "~\n", "\u{feff}"] {
        assert!(read(text).unwrap().is_none(), "{text:?}");
    }
}

#[test]
fn a_tag_says_what_a_scalar_is() {
    assert_eq!(
        value("a: !!str 5\nb: !!int '7'\nc: !mine x\nd: ! 5\n"),
        json!({"a": "5", "b": 7, "c": "x", "d": "5"})
    );
}

#[test]
fn a_key_that_is_no_scalar_is_spelled_as_in_the_file() {
    assert_eq!(
        value("command: {{tool_name}}\n"),
        json!({"command": {"{tool_name}": null}})
    );
}

#[test]
fn each_usual_mistake_has_its_message_and_position() {
    let table = [
        ("stop:\n\t- command: x\n", "tab", 2, 2),
        (
            "stop:\n  - type: llm\n    prompt: {{user_input}} ok?\n",
            "template",
            3,
            28,
        ),
        (
            "stop:\n  - type: llm\n    prompt: |\n    judge this\n    timeout: 5\n",
            "lost_indentation",
            4,
            5,
        ),
        (
            "stop:\n- type: llm\nprompt: |\n审查 工具={{tool_name}}\n如果 {\"action\":\"skip\"}\n",
            "lost_indentation",
            4,
            1,
        ),
        ("stop:\n  - command: x\n   timeout: 5\n", "indentation", 3, 4),
        ("stop:\n  - command: x\n      timeout: 5\n", "indentation", 3, 14),
        ("stop:\n  - command: \"x\nb: []\n", "quote", 3, 1),
        ("stop:\n  - command: echo a: b\n", "colon_inside", 2, 20),
        ("stop:\n  - command: \"\\.py$\"\n", "escape", 2, 15),
        ("stop:\n  - command: @x\n", "reserved", 2, 14),
        ("stop:\n  - command: x\n    prompt\n", "colon", 3, 5),
        ("stop:\n  command: x\n  - command: y\n", "indentation", 3, 5),
        ("stop: [\n", "bracket", 1, 7),
        ("a: 1\n---\nb: 2\n", "documents", 2, 1),
        ("a: *nope\n", "anchor", 1, 4),
        ("a: &a [*a]\n", "inside_itself", 1, 8),
    ];
    for (text, case, line, column) in table {
        assert_eq!(broken(text), (case.to_owned(), line, column), "{text}");
    }
}

/// The case, line and column of each warning.
fn warnings(text: &str) -> Vec<(String, u32, u32)> {
    let (_, found) = read_with_warnings(text).unwrap();
    let case = |warning: &SyntaxError| warning.message.args["case"].as_str().unwrap().to_owned();
    let place = |warning: SyntaxError| (case(&warning), warning.position.line, warning.position.column);
    found.into_iter().map(place).collect()
}

#[test]
fn a_value_that_the_parser_changes_is_a_warning_with_the_value() {
    for (text, case, line, column) in [
        ("- command: ! test -f x\n", "tag_dropped", 1, 14),
        ("- command: !grep rm\n", "tag_dropped", 1, 18),
        ("pattern: \"\\brm\\b\"\n", "escape_read", 1, 11),
        ("pattern: \"a\n  \\b\"\n", "escape_read", 2, 3),
        ("command: \"C:\\foo\"\n", "escape_read", 1, 13),
        ("command: grep 'TODO #' x\n", "comment_cuts", 1, 10),
        ("command: grep \"a # b\" x\n", "comment_cuts", 1, 10),
        (
            "command: >-\n  T=$(jq .x)\n  if [ $T ]; then exit 2; fi\n",
            "folded",
            2,
            3,
        ),
        ("command: >\n  # check\n  exit 2\n", "folded", 2, 3),
        ("command: >\n  set -e\n  echo x\n", "folded", 2, 3),
        ("command: grep -q x\n  exit 2\n", "folded", 1, 10),
        ("command: “exit 2”\n", "odd_quotes", 1, 10),
        ("tool: “Shell”\n", "odd_quotes", 1, 7),
        ("command\u{a0}: x\n", "odd_blank", 1, 8),
    ] {
        assert_eq!(warnings(text), [(case.to_owned(), line, column)], "{text}");
    }
}

#[test]
fn a_value_that_is_read_as_it_is_written_is_no_warning() {
    for text in [
        "- command: '! test -f x'\n",
        "a: !!str 5\n",
        "command: \"printf '\\a\\n\\e[m'\"\n",
        "command: '\\brm\\b'\n",
        "command: echo '{}' # done\n",
        "command: echo \"a\" # it's done\n",
        "command: >-\n  jq -r .x\n  | grep y\n",
        "command: >-\n  python3 guard.py\n  --strict\n  --log x\n",
        "command: >-\n  if grep -q x; then\n  exit 2;\n  fi\n",
        "command: >-\n  FOO=1\n  python3 x.py\n",
        "command: >-\n  a\n\n  exit 2\n",
        "command: |\n  grep x\n  exit 2\n",
        "description: >-\n  if this\n  echo that\n",
        "prompt: “x”\n",
    ] {
        assert_eq!(warnings(text), [], "{text}");
    }
}

#[test]
fn a_sign_that_only_looks_like_one_of_yaml_is_an_error_with_its_place() {
    for (text, case, line, column) in [
        ("stop:\n  – command: x\n", "odd_dash", 2, 3),
        ("stop:\n  — x\n", "odd_dash", 2, 3),
        ("stop:\n  -\u{a0}command: x\n", "odd_blank", 2, 4),
        ("stop:\n  - command:\u{a0}x\n", "odd_blank", 2, 13),
        ("stop:\n  - command：x\n", "full_width", 2, 12),
        ("stop：\n  - command: x\n", "full_width", 1, 5),
        ("stop：x\n", "full_width", 1, 5),
        ("stop: ［a］\n", "full_width", 1, 7),
        ("stop:\n\u{3000}- command: x\n", "odd_blank", 2, 1),
    ] {
        assert_eq!(broken(text), (case.to_owned(), line, column), "{text}");
    }
    assert_eq!(value("a: – x\nb: note：x\n"), json!({"a": "– x", "b": "note：x"}));
}

#[test]
fn a_large_file_without_aliases_is_read() {
    assert!(read(&"- a: b\n".repeat(100_000)).is_ok());
}

#[test]
fn a_small_file_cannot_become_a_large_one() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = level - 1;
        text.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{before}"); 10].join(", ")
        ));
    }
    assert_eq!(broken(&text).0, "alias_bomb");
}

#[test]
fn a_file_cannot_be_nested_too_deeply() {
    assert_eq!(broken(&"[".repeat(5_000)).0, "too_deep");
    assert_eq!(broken(&"- ".repeat(5_000)).0, "too_deep");
    assert_eq!(broken(&"{a: ".repeat(300)).0, "too_deep");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(?s).{0,200}") {
        let _ = read(&text);
    }

    #[test]
    fn no_text_of_yaml_signs_makes_the_reader_panic(text in r#"[-:{}\[\]&*!|>'"%@`#, a\n\t<~]{0,120}"#) {
        let _ = read(&text);
    }
}
