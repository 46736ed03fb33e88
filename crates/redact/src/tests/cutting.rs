//! Long texts are cut after secrets in them are masked.

use super::*;

fn long() -> String {
    // A character of three bytes crosses the limit.
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
fn a_stream_of_exactly_the_limit_is_not_cut() {
    let after = redacted(
        json!({}),
        vec![step(vec![attempt(&"a".repeat(MAX_RECORDED_BYTES), "", "")])],
    );
    assert!(!after.steps[0].attempts[0].truncated);
}

#[test]
fn each_side_of_an_edit_is_cut() {
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
    assert!(beginning.starts_with("[{\"role\":\"user\",\"content\":\"aaa") && beginning.len() == MAX_RECORDED_BYTES);
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
fn the_original_is_cut_and_not_masked() {
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
fn a_trace_without_secrets_has_no_original() {
    let plain = trace(
        json!({ "user_input": "hello" }),
        vec![step(vec![attempt(&long(), "", "")])],
    );
    let result = redactor().redact_trace(plain);
    assert!(result.original.is_none() && result.recorded.steps[0].attempts[0].truncated);
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
    // This stream is below the limit, so it was not cut. Its end is not taken for the start of a secret.
    assert_eq!(work.steps[0].attempts[0].stderr, "hunter2-hun");
}
