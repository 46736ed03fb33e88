//! JSON inside texts: its strings are masked in place, and every other byte stays.

use super::*;

#[test]
fn json_in_a_string_is_masked_in_place_and_every_other_byte_stays() {
    let inner = r#"  { "url" : "a\/b\u00e9", "API-Key":"s\"ecr\u0065t", "n":1.50 ,"list":[ true,null ] } "#;
    let wanted = r#"  { "url" : "a\/b\u00e9", "API-Key":"‹redacted›", "n":1.50 ,"list":[ true,null ] } "#;
    assert_eq!(masked(inner), wanted);
    let outer = format!("{{\"tool_arguments\": {}}}", serde_json::to_string(inner).unwrap());
    let wanted_outer = format!("{{\"tool_arguments\": {}}}", serde_json::to_string(wanted).unwrap());
    assert_eq!(masked(&outer), wanted_outer);
    let third = format!("[{}]", serde_json::to_string(&outer).unwrap());
    assert_eq!(
        masked(&third),
        format!("[{}]", serde_json::to_string(&wanted_outer).unwrap())
    );
}

#[test]
fn tool_arguments_in_a_payload_are_masked_as_json() {
    let after = redacted(json!({ "tool_arguments": "{\"token\":\"abc\", \"x\": 1}" }), vec![]);
    assert_eq!(
        after.payload_before["tool_arguments"],
        "{\"token\":\"‹redacted›\", \"x\": 1}"
    );
}

#[test]
fn an_escaped_key_is_recognized() {
    assert_eq!(masked(r#"{"\u0074oken": "abc"}"#), r#"{"\u0074oken": "‹redacted›"}"#);
}

#[test]
fn secrets_in_cut_or_embedded_json_are_masked() {
    assert_eq!(
        masked("{\"a\":1,\"token\":\"abc\"} trailing"),
        "{\"a\":1,\"token\":\"‹redacted›\"} trailing"
    );
    assert_eq!(masked("{\"a\":1,\"token\":\"abc"), "{\"a\":1,\"token\":\"‹redacted›");
    assert_eq!(
        masked("welcome!\n  {\"token\":\"abc\"}\nbye"),
        "welcome!\n  {\"token\":\"‹redacted›\"}\nbye"
    );
    assert_eq!(
        masked("{\"token\":\"a\"}\n{\"token\":\"b\"}\n"),
        "{\"token\":\"‹redacted›\"}\n{\"token\":\"‹redacted›\"}\n"
    );
    assert_eq!(
        masked("\u{feff}{\"token\":\"abc\"}"),
        "\u{feff}{\"token\":\"‹redacted›\"}"
    );
    assert_eq!(masked("[INFO] token: abc\n[1, 2"), "[INFO] token: ‹redacted›\n[1, 2");
}
