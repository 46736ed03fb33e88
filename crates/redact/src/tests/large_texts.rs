//! The time that redaction takes grows only with the length of a text.

use super::*;

/// These texts would take hours if a search read the same text again and again. The test measures no time: it is enough
/// that it ends, which takes seconds on a slow machine.
#[test]
fn redaction_of_large_worst_case_texts_ends() {
    const SIZE: usize = 256 << 10;
    let many = |part: &str| part.repeat(SIZE / part.len());
    let redactor = redactor_with(&["ssn"], &[]);
    for text in [
        many("a"),
        many("sk-"),
        many("eyJ-"),
        many("eyJ.eyJ-"),
        many("basic/"),
        many("basic "),
        many("Bearer authentication "),
        many("-----BEGIN PRIVATE KEY-----"),
        many("-----BEGIN PRIVATE KEY-----!"),
        many("-----BEGIN "),
        many("A_TOKEN=$"),
        many("A_TOKEN=A_TOKEN="),
        many("A_TOKEN=process.env."),
        many("A_TOKEN=\"$A_TOKEN='$"),
        many("A_TOKEN=") + "(",
        many("="),
        many("token=https://"),
        many("token=$token=${x}"),
        many("token: ["),
        many("\"token\":{"),
        many("\"token\":[\"token:[\\\""),
        many("token=\"$( token='$("),
        many("token=\\\"$("),
        many("Cookie: "),
        many("Cookie:a;"),
        many("Cookie: a=;"),
        many("-u a "),
        many("://a:"),
        many("xoxb-a-"),
        many("login a "),
        many("Private-Lines: 1\n"),
        many("SG.a"),
        many(".abcdef"),
        many("token\", \"value\" "),
        many("--token "),
        many("token_"),
        many("token   "),
        many("{\"name\":\"token\",\"value\":"),
        many("{"),
        many("["),
        many("{\"a\":["),
        many("\n{\"a\":\""),
        many("\n[[[1,"),
        format!("[{}1]", many("1,")),
        format!("[\"{}\"]", many("\\\\\\\"")),
        format!("{{\"token\":\"{}\"}}", many("\\u4e2d\\n")),
        format!("{{\"token\":\"aaaaaaaa\",\"b\":\"{}\"}}", many("a")),
        format!("{{\"token\":\"{}\"}}{}", "a".repeat(100), many("a")),
    ] {
        let (out, _) = redactor.text(&text);
        assert!(!out.is_empty());
    }
    // JSON in strings, nested as deep as this size allows.
    let mut nested = "{\"token\":\"abcdefgh\"}".to_owned();
    while nested.len() < SIZE / 2 {
        nested = json!({ "a": nested }).to_string();
    }
    assert!(!redactor.text(&nested).0.contains("abcdefgh"));
}
