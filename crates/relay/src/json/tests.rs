use super::*;

#[test]
fn a_document_is_one_value_and_nothing_else() {
    for good in [
        "{}",
        " [] ",
        "\"\"",
        "0",
        "-0.5e+10",
        "null",
        "[[],{}, [ ] ,{ }]",
        "{\"a\":[1,{\"b\":null}],\"c\":\"\\u00e9\\\\\"}\n",
        "1e999999",
        "[123456789012345678901234567890]",
        "\"\\ud800\"",
        "{\"\":{}}",
        "true",
    ] {
        assert_eq!(check(good), Ok(()), "{good}");
    }
    for bad in [
        "",
        " ",
        "{",
        "}",
        "[",
        "[1",
        "[1,]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{} {}",
        "01",
        "1.",
        ".5",
        "-",
        "1e",
        "+1",
        "nul",
        "tru",
        "\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "\"\u{0}\"",
        "[1 2]",
        "[}",
        "{]",
        "[1}",
        "\u{feff}{}",
        "'a'",
        "{\"a\":1]",
        "//",
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

#[test]
fn depth_needs_no_stack() {
    let deep = 1 << 20;
    let text = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
    assert_eq!(check(&text), Ok(()));
    let text = format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep));
    assert_eq!(check(&text), Ok(()));
    assert!(check(&"[".repeat(deep)).is_err());
}

#[test]
fn fields_are_slices_of_the_text_and_the_last_one_counts() {
    let text = " { \"a\" : [1, {\"b\": 2}] , \"b\":\"x\\\"y\",\"a\":\n{\"b\":3}, \"\\u0063\": 1e3 } ";
    assert_eq!(
        fields(text, ["a", "b", "c", "d"]),
        [Some("{\"b\":3}"), Some("\"x\\\"y\""), Some("1e3"), None]
    );
    for other in ["[1]", "1", "", "{", "{\"a\"", "{}", "{ }"] {
        assert_eq!(fields(other, ["a"]), [None], "{other}");
    }
}

#[test]
fn strings_are_decoded_with_their_surrogate_pairs() {
    let decoded = |text: &str| string(text).unwrap();
    assert_eq!(
        decoded(r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00z""#),
        "a\"\\/\u{8}\u{c}\n\r\té😀z"
    );
    assert_eq!(decoded(r#""\ud83d!""#), "\u{fffd}!");
    assert_eq!(decoded(r#""\ude00""#), "\u{fffd}");
    assert_eq!(decoded(r#""\ud83d\u0041""#), "\u{fffd}A");
    assert_eq!((string("1"), string("null"), string("{}")), (None, None, None));
}

#[test]
fn quoting_is_undone_by_decoding() {
    let text = "a\"b\\c\nd\te\u{1}\u{7f}é😀\u{2028}";
    let quoted = quote(text);
    assert_eq!(check(&quoted), Ok(()));
    assert_eq!(string(&quoted).as_deref(), Some(text));
    assert!(!quoted.contains('\n'));
}

#[test]
fn line_ends_between_tokens_go_and_those_in_strings_stay_escaped() {
    let one_line = |text| one_line(text, document(text, []).unwrap().has_line_ends);
    assert_eq!(
        one_line("\n{\r\n  \"a\": \"x\\ny\",\n  \"b\": 1\n}\n"),
        "{  \"a\": \"x\\ny\",  \"b\": 1}"
    );
    assert_eq!(one_line(" {\"a\": 1} "), "{\"a\": 1}");
}

#[test]
fn a_document_gives_its_fields_and_every_fault() {
    let found = document(" {\"a\":1,\"b\":{\"a\":2}} ", ["b", "a", "c"]).unwrap();
    assert_eq!(
        (found.fields, found.has_line_ends),
        ([Some("{\"a\":2}"), Some("1"), None], false)
    );
    assert_eq!(document("[1]", ["a"]).unwrap().fields, [None]);
    for bad in [
        "{\"a\":1}}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1",
        "{,}",
        "{\"a\" 1}",
        "{1:2}",
        "",
    ] {
        assert!(document(bad, ["a"]).is_err(), "{bad}");
    }
    assert_eq!(document("{\"a\":1;", ["a"]), Err(Invalid { at: 6 }));
}

#[test]
fn the_end_of_a_string_is_found_at_every_place_and_beside_every_byte() {
    for special in ['"', '\\', '\u{0}', '\u{1f}'] {
        for length in 0..20 {
            for before in ['!', ' ', '#', '[', ']', '\u{7f}', '\u{80}', '\u{a2}', 'ÿ', '😀'] {
                let plain: String = std::iter::repeat_n(before, length).collect();
                let text = format!("\"{plain}{special}");
                let result = check(&text);
                match special {
                    '"' => assert_eq!(result, Ok(()), "{text}"),
                    '\\' => assert!(result.is_err() && check(&format!("{text}\\\"")) == Ok(()), "{text}"),
                    _ => assert_eq!(result, Err(Invalid { at: text.len() - 1 }), "{text:?}"),
                }
            }
        }
    }
}
