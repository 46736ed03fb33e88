//! Values that are masked because of their key, the name in their pair, or the option before them in a list.

use super::*;

#[test]
fn a_lower_case_word_is_masked_at_its_key_only() {
    let after = redacted(
        json!({ "token": "identifier", "secret": "a-word_of-letters", "password": "identifiers-and-words", "cookie": "Identifier",
            "user_input": "identifier a-word_of-letters identifiers-and-words Identifier" }),
        vec![],
    );
    assert_eq!(
        (&after.payload_before["token"], &after.payload_before["secret"]),
        (&json!(REPLACEMENT), &json!(REPLACEMENT))
    );
    assert_eq!(
        after.payload_before["user_input"],
        "identifier a-word_of-letters ‹redacted› ‹redacted›"
    );
}

#[test]
fn an_ambiguous_name_masks_only_a_written_value() {
    let payload = json!({
        "pwd": "/home/somebody", "auth": { "kind": "none at all" }, "sig": 9, "pass": "true", "passphrase": "correct horse",
        "用户密码": "abc", "of": { "auth": "dTpwYXNzd29yZA==" }, "auths": [{ "pwd": "$PWD" }]
    });
    let wanted = json!({
        "pwd": "/home/somebody", "auth": { "kind": "none at all" }, "sig": 9, "pass": "true", "passphrase": REPLACEMENT,
        "用户密码": REPLACEMENT, "of": { "auth": REPLACEMENT }, "auths": [{ "pwd": "$PWD" }]
    });
    assert_eq!(masked(&payload.to_string()), wanted.to_string());
    assert_eq!(json!(redacted(payload, vec![]).payload_before), wanted);
}

#[test]
fn a_value_is_masked_by_the_name_next_to_it() {
    let payload = json!([
        { "name": "Authorization", "value": "abc" }, { "value": "abc", "name": "X-Api-Key" }, { "Key": "DB_PASSWORD", "Value": "abc" },
        { "name": "Accept", "value": "abc" }, { "name": "token_type", "value": "abc" }, { "name": "token", "other": "abc" }
    ]);
    let mut wanted = payload.clone();
    for (at, key) in [(0, "value"), (1, "value"), (2, "Value")] {
        wanted[at][key] = json!(REPLACEMENT);
    }
    assert_eq!(masked(&payload.to_string()), wanted.to_string());
    let mut value = payload;
    redactor().value(&mut value);
    assert_eq!(value, wanted);
}

#[test]
fn the_item_after_an_option_is_masked() {
    let command = json!([
        "mycli",
        "--api-token",
        "abc",
        "--max-tokens",
        "100",
        "--token-type",
        "bearer",
        "-u",
        "ann:abc",
        "-u",
        "1000:1000",
        "--token"
    ]);
    let mut wanted = command.clone();
    wanted[2] = json!(REPLACEMENT);
    wanted[8] = json!("ann:‹redacted›");
    assert_eq!(masked(&command.to_string()), wanted.to_string());
    let mut one = attempt("", "", "");
    one.command = serde_json::from_value(command).unwrap();
    let after = redacted(json!({}), vec![step(vec![one])]);
    assert_eq!(json!(after.steps[0].attempts[0].command), wanted);
}
