mod keys;
mod names;
mod patterns;
mod planted;

use hookwright_model::listing::ExplainStep;
use hookwright_model::run::End;
use hookwright_model::trace::{
    Attempt, FieldEdit, Gate, GateName, Ignored, Notice, NoticeKind, Reply, SourceRef, Step, Trace, Verdict,
};
use hookwright_model::{Layer, Origin, Outcome, RunMode, VerdictKind, args};
use serde_json::{Map, Value, json};

use super::*;

const NO_ENVIRONMENT: [(&str, &str); 0] = [];

fn redactor() -> Redactor {
    Redactor::new(NO_ENVIRONMENT, &RedactionSettings::default())
}

fn redactor_with(keys: &[&str], patterns: &[&str]) -> Redactor {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Redactor::new(
        NO_ENVIRONMENT,
        &RedactionSettings {
            enabled: true,
            keys: texts(keys),
            patterns: texts(patterns),
        },
    )
}

fn masked(text: &str) -> String {
    redactor().text(text).0
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn attempt(stdin: &str, stdout: &str, stderr: &str) -> Attempt {
    Attempt {
        counted: std::collections::BTreeMap::new(),
        end: End::Exit,
        code: Some(0),
        signal: None,
        stdin: stdin.to_owned(),
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        started_ms: 0.1,
        took_ms: 2.0,
        truncated: false,
        command: vec!["/bin/sh".to_owned(), "-c".to_owned(), "true".to_owned()],
        cwd: Some("/code".to_owned()),
        env: vec!["JCLI_CWD".to_owned()],
    }
}

fn step(attempts: Vec<Attempt>) -> Step {
    Step {
        hook: "jcli:user:pre_tool_execution:0".to_owned(),
        label: "guard.py".to_owned(),
        position: Some(1),
        order: 1,
        source: SourceRef {
            layer: Layer::User,
            path: "/home/p/hooks.yaml".to_owned(),
            line: 2,
        },
        handler: "shell".to_owned(),
        version: "0123456789abcdef".to_owned(),
        mode: RunMode::Await,
        outcome: Outcome::NoOpinion,
        reason: None,
        code: None,
        args: args! {},
        gates: vec![Gate::passed(GateName::Valid)],
        edits: Vec::new(),
        ignored: Vec::new(),
        attempts,
        removed: Vec::new(),
    }
}

fn trace(payload: Value, steps: Vec<Step>) -> Trace {
    Trace {
        trace: "01J00000000000000000000000".to_owned(),
        dialect: "jcli".to_owned(),
        event: "pre_tool_execution".to_owned(),
        origin: Origin::Cli,
        session: None,
        agent: None,
        project: Some("/code".to_owned()),
        at: "2026-01-15T10:30:00Z".parse().unwrap(),
        took_ms: 3.0,
        verdict: Verdict::proceed(),
        payload_before: object(payload.clone()),
        payload_after: object(payload),
        reply: Reply {
            json: json!({}),
            exit_code: 0,
            stderr: String::new(),
        },
        notices: Vec::new(),
        steps,
        redacted: false,
        recorded: true,
        bodies_removed_days: None,
    }
}

fn redacted(payload: Value, steps: Vec<Step>) -> Trace {
    redactor().redact_trace(trace(payload, steps)).recorded
}

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
        Value::Object(after.payload_before),
        json!({
            "api_key": REPLACEMENT, "token_count": 3, "secret": true, "password": null, "max_tokens": "12",
            "credentials": { "user": REPLACEMENT, "nested": [{ "deep": REPLACEMENT, "n": 7 }, REPLACEMENT] },
            "a密": "abc"
        })
    );
}

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
fn arguments_of_tools_in_a_payload_are_masked_the_same_way() {
    let after = redacted(json!({ "tool_arguments": "{\"token\":\"abc\", \"x\": 1}" }), vec![]);
    assert_eq!(
        after.payload_before["tool_arguments"],
        "{\"token\":\"‹redacted›\", \"x\": 1}"
    );
}

#[test]
fn a_key_may_be_escaped_too() {
    assert_eq!(masked(r#"{"\u0074oken": "abc"}"#), r#"{"\u0074oken": "‹redacted›"}"#);
}

#[test]
fn a_value_that_is_json_itself_is_masked_whole_and_followed_inside() {
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
fn an_explanation_is_masked_like_a_trace() {
    let got = "hunter2-hunter2";
    let mut doc = ExplainDoc {
        dialect: "jcli".to_owned(),
        event: "pre_tool_execution".to_owned(),
        payload: object(json!({ "password": got, "tool_name": "Bash" })),
        steps: vec![ExplainStep {
            hook: "jcli:user:pre_tool_execution:0".to_owned(),
            label: "guard.py".to_owned(),
            source: step(vec![]).source,
            handler: "shell".to_owned(),
            event: "pre_tool_execution".to_owned(),
            would_run: false,
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
fn a_gate_shows_the_beginning_of_a_long_value() {
    let mut one = step(vec![]);
    let long = "y".repeat(5000);
    one.gates.push(Gate {
        why: Some(format!("tool_input is {long}, wanted zzz")),
        args: args! { "got" => long },
        ..Gate::passed(GateName::Filter)
    });
    let after = redacted(json!({}), vec![one]);
    let gate = &after.steps[0].gates[1];
    let shown = gate.why.as_deref().unwrap();
    assert_eq!((shown.chars().count(), shown.ends_with("yyy…")), (1001, true));
    assert_eq!(gate.args["got"].as_str().unwrap().chars().count(), 1001);
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
fn masked_keys_stay_apart() {
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
fn identities_and_own_codes_stay() {
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
fn what_the_user_adds_is_masked_and_followed() {
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
fn switched_off_it_masks_nothing_and_still_cuts() {
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
fn a_trace_that_was_redacted_before_stays_marked() {
    let mut before = trace(json!({ "token": REPLACEMENT }), vec![]);
    before.redacted = true;
    assert!(redactor().redact_trace(before).recorded.redacted);
    assert!(!redacted(json!({ "token": REPLACEMENT }), vec![]).redacted);
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
fn a_rule_of_dashes_is_not_followed() {
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
fn long_values_are_followed_as_far_as_they_go() {
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
fn more_secrets_than_can_be_followed_mask_every_text() {
    let secrets: Vec<String> = (0..70_000).map(|number| format!("{number:064}")).collect();
    let after = redacted(json!({ "secrets": secrets, "user_input": "anything at all" }), vec![]);
    let shown = serde_json::to_string(&after).unwrap();
    assert!(!shown.contains("anything") && !shown.contains(&"0".repeat(40)));
}

#[test]
fn a_stream_that_was_cut_within_a_secret_does_not_show_its_beginning() {
    let mut one = attempt(
        "",
        &format!("{} hunter2-hun", "x".repeat(MAX_RECORDED_BYTES)),
        "hunter2-hun",
    );
    one.truncated = true;
    let redactor = redactor();
    let whole = trace(json!({ "password": "hunter2-hunter2" }), vec![step(vec![one])]);
    let mut first = Scanner::collect(redactor.rules.as_ref().unwrap());
    let mut work = whole.clone();
    first.trace(&mut work);
    let known = Literals::new(&first.into_values());
    Scanner::mask(redactor.rules.as_ref().unwrap(), &known).trace(&mut work);
    assert!(work.steps[0].attempts[0].stdout.ends_with("x ‹redacted›"));
    // A stream that ends there by itself says no more than it says.
    assert_eq!(work.steps[0].attempts[0].stderr, "hunter2-hun");
}

mod cutting {
    use super::*;

    fn long() -> String {
        // A character of three bytes lies across the limit.
        format!("{}中{}", "a".repeat(MAX_RECORDED_BYTES - 1), "b".repeat(100))
    }

    #[test]
    fn streams_are_cut_on_a_character() {
        let after = redacted(
            json!({}),
            vec![step(vec![
                attempt(&long(), "short", ""),
                attempt("", "", &"é".repeat(MAX_RECORDED_BYTES)),
            ])],
        );
        let [one, two] = &after.steps[0].attempts[..] else {
            panic!("two attempts")
        };
        assert_eq!(
            (one.stdin.len(), one.stdout.as_str(), one.truncated),
            (MAX_RECORDED_BYTES - 1, "short", true)
        );
        assert_eq!((two.stderr.len(), two.truncated), (MAX_RECORDED_BYTES, true));
    }

    #[test]
    fn a_secret_across_the_end_of_a_long_text_is_masked() {
        let lines = "y\n".repeat(MAX_RECORDED_BYTES / 2 - 10);
        let text = format!("{lines}Bearer {} {lines}", "abc123xyz".repeat(4));
        let after = redacted(json!({}), vec![step(vec![attempt("", &text, "")])]);
        let one = &after.steps[0].attempts[0];
        assert!(one.truncated && one.stdout.len() <= MAX_RECORDED_BYTES);
        assert!(!one.stdout.contains("abc123"));
    }

    #[test]
    fn a_long_document_is_scanned_to_its_end() {
        let text = json!({ "a": "b".repeat(2 * MAX_RECORDED_BYTES), "password": ["hunter2-hunter2"] }).to_string();
        let after = redacted(json!({}), vec![step(vec![attempt("", &text, "it is hunter2-hunter2")])]);
        assert_eq!(after.steps[0].attempts[0].stderr, "it is ‹redacted›");
    }

    #[test]
    fn a_stream_of_exactly_the_limit_is_whole() {
        let after = redacted(
            json!({}),
            vec![step(vec![attempt(&"a".repeat(MAX_RECORDED_BYTES), "", "")])],
        );
        assert!(!after.steps[0].attempts[0].truncated);
    }

    #[test]
    fn edits_are_cut_side_by_side() {
        let mut one = step(vec![]);
        let edit = |before: Value, after: Value| FieldEdit {
            field: "messages".to_owned(),
            before,
            after,
            ..FieldEdit::default()
        };
        one.edits = vec![
            edit(json!(long()), json!("short")),
            edit(json!("short"), json!([{ "role": "user", "content": long() }])),
            edit(json!([1]), json!({ "a": "b" })),
        ];
        let after = redacted(json!({}), vec![one]);
        let [text, tree, whole] = &after.steps[0].edits[..] else {
            panic!("three edits")
        };
        assert_eq!(text.before.as_str().map(str::len), Some(MAX_RECORDED_BYTES - 1));
        assert_eq!((&text.after, text.truncated), (&json!("short"), true));
        let beginning = tree.after.as_str().unwrap();
        assert!(
            beginning.starts_with("[{\"role\":\"user\",\"content\":\"aaa") && beginning.len() == MAX_RECORDED_BYTES
        );
        assert!(tree.truncated && !whole.truncated);
        assert_eq!((&whole.before, &whole.after), (&json!([1]), &json!({ "a": "b" })));
    }

    #[test]
    fn a_stream_is_masked_before_it_is_cut() {
        let text = format!("{} {}", "a".repeat(MAX_RECORDED_BYTES - 8), "AKIAIOSFODNN7EXAMPLE");
        let after = redacted(json!({}), vec![step(vec![attempt(&text, "", "")])]);
        let one = &after.steps[0].attempts[0];
        assert!(
            one.stdin.ends_with("a ‹reda"),
            "{}",
            &one.stdin[MAX_RECORDED_BYTES - 20..]
        );
        assert!(one.truncated);
    }

    #[test]
    fn raw_traces_are_cut_and_not_masked() {
        let before = trace(
            json!({ "password": "hunter2-hunter2" }),
            vec![step(vec![attempt(&long(), "Bearer abc123456", "")])],
        );
        let after = redactor().redact_trace(before.clone()).original.unwrap();
        assert_eq!(after.payload_before, before.payload_before);
        assert_eq!(after.steps[0].attempts[0].stdout, "Bearer abc123456");
        assert!(after.steps[0].attempts[0].truncated && !after.redacted);
    }

    #[test]
    fn where_nothing_is_masked_there_is_no_other_original() {
        let plain = trace(
            json!({ "user_input": "hello" }),
            vec![step(vec![attempt(&long(), "", "")])],
        );
        let looked = redactor().redact_trace(plain);
        assert!(looked.original.is_none() && looked.recorded.steps[0].attempts[0].truncated);
    }
}

/// Texts that would take hours if anything in here went over its text again and again. A machine that is slow takes
/// seconds for them; there is nothing to measure.
#[test]
fn large_texts_of_the_worst_kind_end() {
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
    // The nesting that escaping allows.
    let mut nested = "{\"token\":\"abcdefgh\"}".to_owned();
    while nested.len() < SIZE / 2 {
        nested = json!({ "a": nested }).to_string();
    }
    assert!(!redactor.text(&nested).0.contains("abcdefgh"));
}
