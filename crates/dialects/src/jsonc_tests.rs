use super::*;
use crate::json::normalize_numbers;
use proptest::prelude::*;
use serde_json::json;

fn value(text: &str) -> Value {
    read(text).unwrap().root.unwrap().to_value()
}

#[track_caller]
fn broken(text: &str, case: &str, line: u32, column: u32) {
    let broken = read(text).expect_err(text);
    assert_eq!(broken.message.code, "syntax");
    let found = broken.message.args.get("case").and_then(Value::as_str);
    assert_eq!(
        (found, broken.position),
        (Some(case), TextPosition { line, column }),
        "{text}"
    );
}

#[test]
fn a_place_far_into_a_long_line_is_counted_in_characters() {
    for letters in [BLOCK_BYTES - 2, BLOCK_BYTES - 1, BLOCK_BYTES, 5 * BLOCK_BYTES + 3] {
        let text = format!("[\"{}\",1]", "中é".repeat(letters));
        let root = read(&text).unwrap().root.unwrap();
        let ValueKind::List(items) = &root.kind else {
            panic!("no list")
        };
        let column = u32::try_from(2 * letters + 5).unwrap();
        assert_eq!(items[1].position, TextPosition { line: 1, column });
    }
}

#[test]
fn every_key_and_value_knows_its_place() {
    let read = read("{\n  \"中\": [1, {\"a\": null}],\n  \"b\": \"x\\ny\"\n}").unwrap();
    let root = read.root.unwrap();
    let at = |line, column| TextPosition { line, column };
    let entries = root.entries().unwrap();
    assert_eq!(
        (entries[0].key_position, entries[0].value.position),
        (at(2, 3), at(2, 8))
    );
    let ValueKind::List(items) = &entries[0].value.kind else {
        panic!("no list")
    };
    assert_eq!((items[0].position, items[1].position), (at(2, 9), at(2, 12)));
    assert_eq!(entries[1].value.span, 36..42);
    assert_eq!(root.to_value(), json!({"中": [1, {"a": null}], "b": "x\ny"}));
    assert!(read.non_strict.is_none());
}

#[test]
fn comments_and_spare_commas_are_skipped_and_reported_once() {
    let text = "{\n  \"a\": [1, 2,], // 中\n  /* more */ \"b\": {\"c\": 1,},\n}";
    let read = read(text).unwrap();
    assert_eq!(read.root.unwrap().to_value(), json!({"a": [1, 2], "b": {"c": 1}}));
    let non_strict = read.non_strict.unwrap();
    assert_eq!((non_strict.position.line, non_strict.position.column), (2, 13));
    assert_eq!(non_strict.message.args["case"], "json_trailing");
    let read = super::read("// only this\n{}").unwrap();
    assert_eq!(read.non_strict.unwrap().message.args["case"], "json_comment");
    assert_eq!(value("{\"a\": [1, // one\n]}"), json!({"a": [1]}));
}

#[test]
fn a_text_without_a_value_is_nothing() {
    for text in ["", " \n", "\u{feff}", "// nothing\n/* at all */"] {
        assert!(read(text).unwrap().root.is_none(), "{text}");
    }
}

#[test]
fn a_byte_order_mark_moves_no_place() {
    assert_eq!(read("\u{feff}[1]").unwrap().root.unwrap().position.column, 1);
}

#[test]
fn of_repeated_keys_the_first_is_kept_and_the_others_are_listed() {
    let root = read("{\"a\": 1, \"a\": 2, \"b\": {\"c\": 1, \"c\": 1}}")
        .unwrap()
        .root
        .unwrap();
    assert_eq!(root.to_value(), json!({"a": 1, "b": {"c": 1}}));
    let mut found = Vec::new();
    root.for_each_duplicate_key(&mut |entry| found.push((entry.key.clone(), entry.key_position.column)));
    assert_eq!(found, [("a".to_owned(), 10), ("c".to_owned(), 32)]);
}

#[test]
fn invalid_json_is_reported_at_its_position() {
    broken("{\"a\": 1 \"b\": 2}", "json_comma", 1, 8);
    broken("{\n \"a\" 1}", "json_colon", 2, 6);
    broken("[1,,2]", "json_spare_comma", 1, 4);
    broken("{\"a\": [1, 2}", "json_close", 1, 12);
    broken("{\"a\": [1, 2", "json_open", 1, 7);
    broken("{\"a\": \"x}", "json_quote", 1, 7);
    broken("{\"a\": \"x\ny\"}", "json_break", 1, 9);
    broken("{\"a\": \"x,\n\"b\": 1}", "json_quote", 1, 7);
    broken("{'a': 1}", "json_bare", 1, 2);
    broken("{a: 1}", "json_bare", 1, 2);
    broken("{\"a\": \"\\d\"}", "json_escape", 1, 8);
    broken("{} {}", "json_several", 1, 4);
    broken("{} /* x", "json_comment_open", 1, 4);
    broken("{\"a\": 0x10}", "json", 1, 7);
    broken("{\"a\":\u{a0}1}", "odd_blank", 1, 6);
    broken(&"[".repeat(200), "json_open", 1, 200);
    broken(&format!("{}{}", "[".repeat(200), "]".repeat(200)), "json_deep", 1, 129);
    broken(&"[".repeat(2000), "json_deep", 1, 513);
}

#[test]
fn an_escape_that_makes_a_control_character_of_a_letter_is_a_warning() {
    let read = read(r#"{"a": "\\b", "b": "\brm", "c": "C:\foo", "d": "x\n\f"}"#).unwrap();
    let columns: Vec<u32> = read.warnings.iter().map(|warning| warning.position.column).collect();
    assert_eq!(columns, [20, 35]);
}

#[test]
fn a_number_beyond_every_double_is_the_greatest_and_keeps_its_text() {
    let read = read("{\"a\": 1e400, \"b\": -1e400}").unwrap();
    let root = read.root.unwrap();
    assert_eq!(root.to_value(), serde_json::json!({"a": f64::MAX, "b": f64::MIN}));
    let ValueKind::Scalar { text, .. } = &root.get("a").unwrap().kind else {
        panic!("no scalar")
    };
    assert_eq!(text, "1e400");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_with_a_place_inside_it(text in r#"[\[\]{}",:/*0-9a-c\-. \\\n中'truefalsn]{0,80}"#) {
        if let Err(broken) = read(&text) {
            let lines = text.split('\n').count();
            prop_assert!(usize::try_from(broken.position.line).unwrap() <= lines);
        }
    }

    #[test]
    fn whatever_strict_json_accepts_is_read_the_same(text in r#"[\[\]{}",:0-9a-c\-. truefalsn]{0,60}"#) {
        // A number out of the range of a double has a value of its own.
        let exponents = text.split('e').skip(1).map(|rest| rest.trim_start_matches('-'));
        prop_assume!(!exponents.into_iter().any(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()) && rest.len() > 2));
        let mut strict = serde_json::from_str::<Value>(&text).ok();
        strict.iter_mut().for_each(normalize_numbers);
        let mut again = false;
        match (strict, read(&text)) {
            (Some(strict), Ok(read)) => {
                let root = read.root.unwrap();
                root.for_each_duplicate_key(&mut |_| again = true);
                prop_assert!(again || root.to_value() == strict);
                prop_assert!(read.non_strict.is_none());
            }
            (Some(_), Err(broken)) => prop_assert!(false, "{broken:?}"),
            (None, Ok(read)) => prop_assert!(read.non_strict.is_some() || read.root.is_none()),
            (None, Err(_)) => {}
        }
    }
}
