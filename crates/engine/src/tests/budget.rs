//! `engine.md` §6: one budget of 30 s for the whole chain, measured by a fake time that advances only while hooks run.

use hookwright_model::{End, GateName};
use serde_json::json;

use super::fake_runner::FakeRunner;
use super::{closed, fire, hook, with_attempts};
use hookwright_model::Hook;
use std::time::Duration;

fn lasting(seconds: u64, hook: Hook) -> Hook {
    Hook {
        timeout: Duration::from_secs(seconds),
        ..hook
    }
}

#[test]
fn a_running_hook_is_cut_when_the_budget_ends_and_the_rest_has_no_turn() {
    let script = FakeRunner::new()
        .prints_after("a", 28_000, json!({"text": "kept"}))
        .hangs("b");
    let seen = fire("guard", vec![lasting(29, hook("a")), hook("b"), hook("c")], script);
    assert_eq!(
        seen.outcomes(),
        ["a changed", "b timed_out_open", "c skipped:budget_spent"]
    );
    let step = seen.step("b");
    assert_eq!(
        (step.reason.as_deref(), step.code.as_deref()),
        (Some("chain budget of 30 s ended"), Some("budget_ended"))
    );
    assert_eq!(
        (step.attempts[0].end, step.attempts[0].took_ms),
        (End::TimedOut, 2000.0)
    );
    assert_eq!(seen.after(), json!({"text": "kept"}), "edits merged before stay");
    let gate = seen.step("c").gates.last().cloned().expect("a gate");
    assert_eq!(
        (gate.gate, gate.why.as_deref()),
        (GateName::Chain, Some("the chain budget of 30 s was used up"))
    );
    assert_eq!(seen.trace.took_ms, 30_000.0);
}

#[test]
fn a_closed_hook_cut_by_the_budget_blocks() {
    let script = FakeRunner::new()
        .prints_after("a", 28_000, json!({"text": "x"}))
        .hangs("b");
    let seen = fire("guard", vec![lasting(29, hook("a")), closed("b"), hook("c")], script);
    assert_eq!(
        seen.outcomes(),
        ["a changed", "b timed_out_closed", "c skipped:chain_ended"]
    );
    assert_eq!(seen.trace.verdict.reason.as_deref(), Some("chain budget of 30 s ended"));
    assert_eq!(seen.after(), json!({"text": "hi"}));
}

#[test]
fn a_hook_within_its_own_limit_is_not_reported_as_cut_by_the_budget() {
    let seen = fire("guard", vec![hook("a")], FakeRunner::new().hangs("a"));
    assert_eq!(seen.step("a").reason.as_deref(), Some("it broke"));
    assert_eq!(seen.step("a").attempts[0].took_ms, 10_000.0);
}

#[test]
fn each_attempt_has_a_fresh_limit_within_the_same_budget() {
    let script = FakeRunner::new().hangs("a").hangs("a").hangs("a");
    let seen = fire("guard", vec![lasting(12, with_attempts(5, hook("a")))], script);
    let took: Vec<f64> = seen.step("a").attempts.iter().map(|attempt| attempt.took_ms).collect();
    assert_eq!(took, [12_000.0, 12_000.0, 6_000.0]);
    assert_eq!(seen.step("a").reason.as_deref(), Some("chain budget of 30 s ended"));
}

#[test]
fn an_attempt_that_breaks_as_the_budget_ends_is_the_last_one() {
    let script = FakeRunner::new()
        .prints_after("a", 25_000, json!({}))
        .breaks("b", 5_000);
    let seen = fire(
        "guard",
        vec![lasting(26, hook("a")), with_attempts(2, hook("b")), hook("c")],
        script,
    );
    assert_eq!(
        seen.outcomes(),
        ["a no_opinion", "b failed_open", "c skipped:budget_spent"]
    );
    assert_eq!(seen.step("b").attempts.len(), 1);
    assert_eq!(seen.step("b").reason.as_deref(), Some("it broke"));
}

#[test]
fn a_closed_hook_that_broke_as_the_budget_ended_still_blocks() {
    let script = FakeRunner::new()
        .prints_after("a", 25_000, json!({}))
        .breaks("b", 5_000);
    let seen = fire(
        "guard",
        vec![lasting(26, hook("a")), with_attempts(2, closed("b")), hook("c")],
        script,
    );
    assert_eq!(
        seen.outcomes(),
        ["a no_opinion", "b failed_closed", "c skipped:chain_ended"]
    );
}

#[test]
fn an_answer_given_in_the_last_moment_counts() {
    let script = FakeRunner::new().prints_after("a", 30_000, json!({"text": "x"}));
    let seen = fire("guard", vec![lasting(60, hook("a")), hook("b")], script);
    assert_eq!(seen.outcomes(), ["a changed", "b skipped:budget_spent"]);
    assert_eq!(seen.after(), json!({"text": "x"}));
}
