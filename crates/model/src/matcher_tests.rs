use super::*;

fn condition(key: &'static str, field: &'static str, predicate: Predicate) -> Condition {
    Condition {
        clauses: vec![Clause {
            key,
            field,
            predicate,
            other_names: &[],
            form: SubjectForm::Whole,
        }],
    }
}

fn payload(field: &str, value: &str) -> Payload {
    Payload::from_iter([(field.to_owned(), Value::from(value))])
}

#[track_caller]
fn misses(test: Predicate, got: &str, near: Option<NearMiss>) {
    match condition("tool_matcher", "tool_name", test).evaluate(&payload("tool_name", got)) {
        Match::No { near: found, .. } => assert_eq!(found, near, "{got}"),
        Match::Yes | Match::Broken(_) => panic!("{got} should not match"),
    }
}

#[test]
fn a_miss_names_what_was_nearly_right() {
    let names = || Predicate::OneOf(vec!["Bash".into(), "Shell".into()]);
    misses(names(), "bash", Some(NearMiss::Case));
    misses(names(), " Bash", Some(NearMiss::Blanks));
    misses(names(), "Bahs", Some(NearMiss::Spelling));
    misses(names(), "Shel", Some(NearMiss::Spelling));
    misses(names(), "Grep", None);
    misses(Predicate::Prefix("gpt-4".into()), "GPT-4o", Some(NearMiss::Case));
    misses(Predicate::Prefix("gpt-4".into()), "gtp-4o", Some(NearMiss::Spelling));
    misses(Predicate::Equals("".into()), "x", None);
}

#[test]
fn a_pattern_matches_the_whole_subject_or_anywhere() {
    let whole = |source| Predicate::Pattern(Pattern::new(source, Anchor::Whole).unwrap());
    let anywhere = |source| Predicate::Pattern(Pattern::new(source, Anchor::Anywhere).unwrap());
    let is_match = |test, got| {
        matches!(
            condition("matcher", "tool_name", test).evaluate(&payload("tool_name", got)),
            Match::Yes
        )
    };
    assert!(is_match(whole("Edit|Write"), "Write") && !is_match(whole("Edit|Write"), "NotebookEdit"));
    assert!(is_match(whole("(?i)bash"), "BASH") && is_match(whole("(?x) Bash # the shell"), "Bash"));
    assert!(is_match(anywhere("Edit"), "NotebookEdit"));
    misses(whole("Bash|Shell"), "bash", Some(NearMiss::Case));
    misses(whole("Bash.*"), " Bash", Some(NearMiss::Blanks));
    misses(whole("Edit | Bash"), "Bash", Some(NearMiss::Blanks));
    misses(whole("Bash "), "Grep", None);
    misses(whole("Bash|Shell"), "Bahs", Some(NearMiss::Spelling));
}

#[test]
fn a_pattern_tests_leaves_and_the_json_text_but_not_keys_alone() {
    let within = |source| Predicate::Within(Pattern::new(source, Anchor::Anywhere).unwrap());
    let input = serde_json::json!({"path": "a.py", "list": [{"x": "rm -rf /"}]});
    let seen = Payload::from_iter([("tool_input".to_owned(), input)]);
    let is_match = |source| {
        matches!(
            condition("pattern", "tool_input", within(source)).evaluate(&seen),
            Match::Yes
        )
    };
    assert!(is_match(r"\.py$") && is_match("rm -rf /") && is_match("\"path\": \"a") && !is_match("^path$"));
}

#[test]
fn a_pattern_that_needs_too_many_steps_gives_up() {
    let slow = Predicate::Pattern(Pattern::new(r"(a+a+)+[bc]\1", Anchor::Whole).unwrap());
    let seen = payload("tool_name", &"a".repeat(40));
    assert!(matches!(
        condition("matcher", "tool_name", slow).evaluate(&seen),
        Match::Broken(_)
    ));
}

#[test]
fn the_reason_names_both_values() {
    let when = condition("tool_name", "tool_name", Predicate::Equals("Bash".into()));
    let Match::No { why, .. } = when.evaluate(&payload("tool_name", "Grep")) else {
        panic!("matched")
    };
    assert_eq!(why.text, "tool_name is Grep, wanted Bash");
    let Match::No { why, near } = when.evaluate(&Payload::new()) else {
        panic!("matched")
    };
    assert_eq!(
        (why.text.as_str(), near),
        ("tool_name is missing, wanted Bash", Some(NearMiss::MissingField))
    );
}

#[test]
fn a_second_clause_that_plainly_fails_takes_the_near_miss_away() {
    let mut when = condition("tool_name", "tool_name", Predicate::Equals("Bash".into()));
    when.clauses.push(Clause {
        key: "model_prefix",
        field: "model",
        predicate: Predicate::Prefix("gpt".into()),
        other_names: &[],
        form: SubjectForm::Whole,
    });
    let mut seen = payload("tool_name", "bash");
    seen.insert("model".into(), "claude".into());
    let Match::No { near, .. } = when.evaluate(&seen) else {
        panic!("matched")
    };
    assert_eq!(near, None);
}

#[test]
fn a_message_contains_only_the_start_of_a_large_value() {
    let long = "y".repeat(100_000);
    let payload = Payload::from_iter([("tool_input".to_owned(), serde_json::json!({ "a": [long], "b": 1 }))]);
    let pattern = Predicate::Within(Pattern::new("zzz", Anchor::Anywhere).unwrap());
    match condition("pattern", "tool_input", pattern).evaluate(&payload) {
        Match::No { why, .. } => {
            let got = why.args["got"].as_str().unwrap();
            assert!(got.len() < 20_000, "{}", got.len());
            let read: Value = serde_json::from_str(got).unwrap();
            assert!(read["a"][0].as_str().unwrap().starts_with("yyy"));
        }
        Match::Yes | Match::Broken(_) => panic!("it should not match"),
    }
}

#[test]
fn a_compiled_copy_gives_the_same_results_and_leaves_the_condition_uncompiled() {
    let pattern = Predicate::Pattern(Pattern::new("Ba.h|Sh.*", Anchor::Whole).unwrap());
    let saved = condition("matcher", "tool_name", pattern);
    let copy = saved.compiled_copy();
    for got in ["Bash", "bash", " Bash", "Shell", "Grep"] {
        let seen = payload("tool_name", got);
        assert_eq!(copy.explain(&seen), saved.explain(&seen), "{got}");
    }
    assert!(saved.patterns().all(|(_, pattern)| pattern.is_raw()));
    assert!(copy.patterns().all(|(_, pattern)| !pattern.is_raw()));
}
