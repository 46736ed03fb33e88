//! A masked value is masked wherever else it occurs in the trace.

use super::*;

#[test]
fn a_secret_that_is_json_is_masked_whole_and_its_strings_everywhere() {
    let after = redacted(
        json!({ "credentials": "{\"user\":\"someone-else-7\"}", "note": "someone-else-7 was here" }),
        vec![step(vec![attempt("", "{\"user\":\"someone-else-7\"}", "")])],
    );
    assert_eq!(after.payload_before["credentials"], REPLACEMENT);
    assert_eq!(after.payload_before["note"], "‹redacted› was here");
    assert_eq!(after.steps[0].attempts[0].stdout, REPLACEMENT);
}

#[test]
fn a_value_that_was_masked_is_masked_everywhere_in_the_trace() {
    let secret = "hunter2-hunter2";
    let mut one = step(vec![attempt(secret, "<hunter2-hunter2>", "x hunter2-hunter2")]);
    one.attempts[0].command.push(format!("--with={secret}"));
    one.attempts[0].cwd = Some(format!("/tmp/{secret}"));
    one.label = secret.to_owned();
    one.reason = Some(format!("{secret} failed"));
    one.outcome = Outcome::FailedOpen;
    one.args = args! { "what" => secret };
    one.gates.push(Gate {
        why: Some(secret.to_owned()),
        args: args! { "got" => secret },
        ..Gate::passed(GateName::Filter)
    });
    one.edits.push(FieldEdit {
        field: "user_input".to_owned(),
        before: json!(secret),
        after: json!([secret]),
        ..FieldEdit::default()
    });
    one.ignored.push(Ignored {
        what: secret.to_owned(),
        why: secret.to_owned(),
        code: "c".to_owned(),
        args: args! { "x" => secret },
    });
    let mut whole = trace(
        json!({ "password": secret, "about": { secret: format!("{secret}{secret}") } }),
        vec![one],
    );
    whole.verdict = Verdict {
        kind: VerdictKind::Deny,
        reason: Some(secret.to_owned()),
        feedback: Some(secret.to_owned()),
        by: None,
        code: None,
        args: args! { "why" => secret },
    };
    whole.reply = Reply {
        json: json!({ "additional_context": [secret] }),
        exit_code: 2,
        stderr: secret.to_owned(),
    };
    whole.notices.push(Notice {
        kind: NoticeKind::UserMessage,
        text: secret.to_owned(),
        hook: None,
        code: None,
        args: args! { "text" => secret },
    });
    let after = redactor().redact_trace(whole).recorded;
    let shown = serde_json::to_string(&after).unwrap();
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(after.redacted);
    assert_eq!(
        after.payload_after["about"],
        json!({ REPLACEMENT: "‹redacted›‹redacted›" })
    );
}

#[test]
fn a_value_masked_in_the_arguments_is_masked_in_the_message() {
    let got = r#"{"password":"abc12"}"#;
    let mut one = step(vec![]);
    one.gates.push(Gate {
        why: Some(format!("tool_input is {got}, wanted zzz")),
        args: args! { "got" => got, "wanted" => "zzz" },
        ..Gate::passed(GateName::Filter)
    });
    let after = redacted(json!({}), vec![one]);
    let why = after.steps[0].gates[1].why.as_deref();
    assert_eq!(why, Some(r#"tool_input is {"password":"‹redacted›"}, wanted zzz"#));
}

#[test]
fn short_values_are_masked_only_where_they_were_found() {
    let after = redacted(json!({ "password": "seven77", "user_input": "seven77" }), vec![]);
    assert_eq!(after.payload_before["password"], REPLACEMENT);
    assert_eq!(after.payload_before["user_input"], "seven77");
    let after = redacted(
        json!({ "password": "密码密码密码密", "user_input": "密码密码密码密" }),
        vec![],
    );
    assert_eq!(after.payload_before["user_input"], "密码密码密码密");
    let after = redacted(
        json!({ "password": "密码密码密码密码", "user_input": "密码密码密码密码" }),
        vec![],
    );
    assert_eq!(after.payload_before["user_input"], REPLACEMENT);
}

#[test]
fn two_masked_keys_get_different_names() {
    let after = redacted(
        json!({ "token": ["one-secret-1", "two-secret-2"], "of": { "one-secret-1": 1, "two-secret-2": 2 } }),
        vec![],
    );
    assert_eq!(
        after.payload_before["of"],
        json!({ "‹redacted›": 1, "‹redacted› 2": 2 })
    );
}

#[test]
fn a_number_that_contains_the_value_is_masked_too() {
    let after = redacted(
        json!({ "password": "12345678", "pin": 12_345_678, "n": 8 }),
        vec![step(vec![attempt("{\"pin\":12345678}", "", "")])],
    );
    assert_eq!(
        (&after.payload_before["pin"], &after.payload_before["n"]),
        (&json!(REPLACEMENT), &json!(8))
    );
    assert_eq!(after.steps[0].attempts[0].stdin, "{\"pin\":\"‹redacted›\"}");
    assert_eq!(
        masked(r#"{"token":"12345678","in":"{\"a\":[12345678]}"}"#),
        r#"{"token":"‹redacted›","in":"{\"a\":[\"‹redacted›\"]}"}"#
    );
}

#[test]
fn a_secret_that_contains_a_shorter_match_is_masked_whole() {
    let secret = "user sk-abcdefgh1234 and the-rest";
    let after = redacted(
        json!({ "password": secret, "user_input": format!("({secret})") }),
        vec![],
    );
    assert_eq!(after.payload_before["user_input"], "(‹redacted›)");
}

#[test]
fn a_line_of_dashes_is_masked_at_its_key_only() {
    let after = redacted(
        json!({ "password": "--------", "user_input": "a\n--------\nb" }),
        vec![],
    );
    assert_eq!(after.payload_before["user_input"], "a\n--------\nb");
    let after = redacted(
        json!({ "password": " \n  secret-1\n", "user_input": "secret-1" }),
        vec![],
    );
    assert_eq!(after.payload_before["user_input"], REPLACEMENT);
}

#[test]
fn a_long_value_is_masked_as_far_as_the_text_equals_it() {
    let long = "k3y-".repeat(50_000);
    let after = redacted(
        json!({ "private_key": long, "a": format!("<{long}>"), "b": format!("<{}!>", &long[..100]), "c": &long[..60] }),
        vec![],
    );
    assert_eq!(after.payload_before["a"], "<‹redacted›>");
    assert_eq!(after.payload_before["b"], "<‹redacted›!>");
    assert_eq!(after.payload_before["c"], json!(&long[..60]));
}

#[test]
fn too_many_secrets_to_search_for_mask_every_text() {
    let secrets: Vec<String> = (0..70_000).map(|number| format!("{number:064}")).collect();
    let after = redacted(json!({ "secrets": secrets, "user_input": "anything at all" }), vec![]);
    let shown = serde_json::to_string(&after).unwrap();
    assert!(!shown.contains("anything") && !shown.contains(&"0".repeat(40)));
}

#[test]
fn a_secret_of_the_payload_is_masked_in_a_text_of_its_event() {
    let redactor = redactor();
    let Value::Object(payload) = json!({"api_key": "hunter2-hunter2", "note": "x"}) else {
        panic!("an object");
    };
    let secrets = redactor.secrets_of(&payload);
    assert_eq!(
        redactor.text_of_event("key hunter2-hunter2, note x\n", &secrets),
        format!("key {REPLACEMENT}, note x\n")
    );
    assert_eq!(format!("{secrets:?}"), "PayloadSecrets(1)");
    let off = Redactor::new(
        NO_ENVIRONMENT,
        &RedactionSettings {
            enabled: false,
            ..RedactionSettings::default()
        },
    );
    let text = "key hunter2-hunter2";
    assert_eq!(off.text_of_event(text, &off.secrets_of(&payload)), text);
}
