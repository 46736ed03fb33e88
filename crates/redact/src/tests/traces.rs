//! Which parts of a trace and of an explanation are masked.

use super::*;

#[test]
fn a_trace_without_secrets_stays_as_it_is() {
    let text = "{ \"max_tokens\": \"many\",  \"n\": 1.50, \"s\": \"\\u4e2d\\/ \" }\n";
    let before = trace(
        json!({ "tool_name": "Bash", "tokens": 3 }),
        vec![step(vec![attempt(text, "done\r\n", "")])],
    );
    assert_eq!(redactor().redact_trace(before.clone()).recorded, before);
}

#[test]
fn strings_at_and_below_a_secret_key_are_masked_and_nothing_else() {
    let after = redacted(
        json!({
            "api_key": "k", "token_count": 3, "secret": true, "password": null, "max_tokens": "12",
            "credentials": { "user": "ann", "nested": [{ "deep": "x", "n": 7 }, "y"] }, "a密": "abc"
        }),
        vec![],
    );
    assert!(after.redacted);
    assert_eq!(
        json!(after.payload_before),
        json!({
            "api_key": REPLACEMENT, "token_count": 3, "secret": true, "password": null, "max_tokens": "12",
            "credentials": { "user": REPLACEMENT, "nested": [{ "deep": REPLACEMENT, "n": 7 }, REPLACEMENT] },
            "a密": "abc"
        })
    );
}

#[test]
fn an_explanation_is_masked_like_a_trace() {
    let got = "hunter2-hunter2";
    let mut doc = ExplainDoc {
        dialect: "jcli".to_owned(),
        event: "pre_tool_execution".to_owned(),
        payload: object(json!({ "password": got, "tool_name": "Bash" })),
        notices: Vec::new(),
        steps: vec![ExplainStep {
            hook: "jcli:user:pre_tool_execution:0".to_owned(),
            label: "guard.py".to_owned(),
            source: step(vec![]).source,
            handler: "shell".to_owned(),
            event: "pre_tool_execution".to_owned(),
            would_run: false,
            would_fail: None,
            health: Health::of(HealthState::Ready),
            agent_trust: None,
            position: None,
            gates: vec![Gate {
                why: Some(format!("password is {got}, wanted zzz")),
                args: args! { "got" => got, "wanted" => "zzz" },
                ..Gate::passed(GateName::Filter)
            }],
        }],
    };
    let plain = ExplainDoc {
        payload: object(json!({ "tool_name": "Bash" })),
        steps: Vec::new(),
        ..doc.clone()
    };
    assert!(redactor().explanation(&mut doc));
    assert_eq!(
        Value::Object(doc.payload),
        json!({ "password": REPLACEMENT, "tool_name": "Bash" })
    );
    let gate = &doc.steps[0].gates[0];
    assert_eq!(gate.why.as_deref(), Some("password is ‹redacted›, wanted zzz"));
    assert_eq!(gate.args["got"], REPLACEMENT);
    let mut same = plain.clone();
    assert!(!redactor().explanation(&mut same));
    assert_eq!(same, plain);
}

#[test]
fn an_edit_of_a_secret_field_is_masked_by_its_field() {
    let mut one = step(vec![]);
    one.edits.push(FieldEdit {
        field: "api_key".to_owned(),
        before: Value::Null,
        after: json!("short"),
        ..FieldEdit::default()
    });
    one.edits.push(FieldEdit {
        field: "tool_input.token".to_owned(),
        before: json!(["a"]),
        after: json!(3),
        ..FieldEdit::default()
    });
    let after = redacted(json!({}), vec![one]);
    let sides: Vec<_> = after.steps[0]
        .edits
        .iter()
        .map(|edit| (edit.before.clone(), edit.after.clone()))
        .collect();
    assert_eq!(
        sides,
        [(Value::Null, json!(REPLACEMENT)), (json!([REPLACEMENT]), json!(3))]
    );
}

#[test]
fn identities_and_fixed_codes_are_not_masked() {
    let mut skipped = step(vec![]);
    skipped.outcome = Outcome::Skipped;
    skipped.reason = Some("untrusted".to_owned());
    let after = redacted(
        json!({ "tokens_of": 1, "secrets": ["untrusted", "jcli:user:pre_tool_execution:0", "pre_tool_execution", "guard.py"] }),
        vec![skipped],
    );
    assert_eq!(after.steps[0].reason.as_deref(), Some("untrusted"));
    assert_eq!(after.steps[0].hook, "jcli:user:pre_tool_execution:0");
    assert_eq!(after.event, "pre_tool_execution");
    assert_eq!(after.steps[0].label, REPLACEMENT);
}

#[test]
fn redacting_twice_changes_nothing_more() {
    let payload = json!({ "token": "abcdefgh-1", "a": "Bearer abc123456", "b": "A_TOKEN=abcdefgh-1", "c": "{\"token\":\"abcdefgh-1\"}" });
    let once = redacted(payload, vec![step(vec![attempt("A_SECRET='abcdefgh 12'", "", "")])]);
    assert_eq!(redactor().redact_trace(once.clone()).recorded, once);
    let (text, count) = redactor().text("Authorization: Bearer abc123456");
    assert_eq!((text.as_str(), count), ("Authorization: Bearer ‹redacted›", 1));
    assert_eq!(redactor().text(&text), (text.clone(), 0));
    let assigned = redactor().text("A_TOKEN=abcdefgh-1").0;
    assert_eq!(redactor().text(&assigned), (assigned.clone(), 0));
}

#[test]
fn a_trace_that_was_redacted_before_keeps_its_flag() {
    let mut before = trace(json!({ "token": REPLACEMENT }), vec![]);
    before.redacted = true;
    assert!(redactor().redact_trace(before).recorded.redacted);
    assert!(!redacted(json!({ "token": REPLACEMENT }), vec![]).redacted);
}

#[test]
fn a_session_id_or_agent_name_that_looks_like_a_secret_is_masked_and_another_is_not() {
    let token = "ghp_Zx81kQ90vmLw22Zx81kQ90vmLw22Zx81kQ90";
    for (session, agent) in [(token, "agent"), ("session-1", token)] {
        let mut before = trace(json!({}), vec![]);
        before.session = Some(session.to_owned());
        before.agent = Some(agent.to_owned());
        let RedactedTrace { recorded, original } = redactor().redact_trace(before.clone());
        assert!(recorded.redacted && !format!("{recorded:?}").contains(token));
        assert_eq!(original, Some(before), "hooks and the agent get the original");
    }
    // What a payload calls a secret hides no session.
    let mut before = trace(json!({ "password": "session-1" }), vec![]);
    before.session = Some("session-1".to_owned());
    assert_eq!(
        redactor().redact_trace(before).recorded.session.as_deref(),
        Some("session-1")
    );
}
