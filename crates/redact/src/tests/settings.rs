//! What the environment and the settings add to the rules.

use super::*;

#[test]
fn secrets_of_the_environment_are_masked_everywhere() {
    let env = [
        ("GITHUB_TOKEN", "from-the-env\"1"),
        ("DB_PASSWORD", "short"),
        ("MAX_TOKEN", "abcdefghij"),
        ("HOME", "/home/somebody"),
    ];
    let redactor = Redactor::new(env, &RedactionSettings::default());
    let text = "a from-the-env\"1 b short abcdefghij /home/somebody";
    assert_eq!(redactor.text(text).0, "a ‹redacted› b short abcdefghij /home/somebody");
    let json = json!({ "a": ["x from-the-env\"1"] }).to_string();
    assert_eq!(redactor.text(&json).0, json.replace("from-the-env\\\"1", REPLACEMENT));
    let twice = serde_json::to_string(&serde_json::to_string("from-the-env\"1").unwrap()).unwrap();
    assert!(!redactor.text(&twice).0.contains("from-the-env"));
}

#[test]
fn values_of_user_keys_and_patterns_are_masked_everywhere() {
    let redactor = redactor_with(&["ssn"], &[r"PROJ-\d{4,}", r"\b1[3-9]\d{9}\b", "(", "x*"]);
    let text = "{\"user_ssn\":\"123-45-6789\",\"note\":\"123-45-6789, PROJ-12345\",\"phone\":13912345678,\"n\":12}";
    assert_eq!(
        redactor.text(text).0,
        "{\"user_ssn\":\"‹redacted›\",\"note\":\"‹redacted›, ‹redacted›\",\"phone\":\"‹redacted›\",\"n\":12}"
    );
    let after = redactor
        .redact_trace(trace(json!({ "phone": 13_912_345_678_u64 }), vec![]))
        .recorded;
    assert_eq!(after.payload_before["phone"], REPLACEMENT);
}

#[test]
fn disabled_redaction_masks_nothing_and_still_cuts() {
    let off = Redactor::new(
        [("A_TOKEN", "abcdefgh")],
        &RedactionSettings {
            enabled: false,
            ..RedactionSettings::default()
        },
    );
    let before = trace(
        json!({ "password": "hunter2-hunter2" }),
        vec![step(vec![attempt("", &"a".repeat(MAX_RECORDED_BYTES + 1), "")])],
    );
    let after = off.redact_trace(before).recorded;
    assert_eq!(after.payload_before["password"], "hunter2-hunter2");
    assert!(!after.redacted);
    assert!(after.steps[0].attempts[0].truncated);
    assert_eq!(off.text("Bearer abcdefgh1"), ("Bearer abcdefgh1".to_owned(), 0));
}
