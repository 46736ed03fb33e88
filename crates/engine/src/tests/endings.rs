//! Chains that a person stops, and what an ended chain says of itself.

use hookwright_model::{End, GateName, VerdictKind};
use serde_json::json;

use super::toy::Script;
use super::{closed, fire, hook, with_attempts};

#[test]
fn what_runs_is_a_failure_and_what_follows_is_cancelled() {
    let seen = fire(
        "guard",
        vec![hook("a"), hook("b"), hook("c")],
        Script::new().says("a", json!({"text": "x"})).gets_stopped_during("b"),
    );
    assert_eq!(seen.outcomes(), ["a changed", "b failed_open", "c skipped:cancelled"]);
    assert_eq!(seen.step("b").attempts[0].end, End::Cancelled);
    assert_eq!(seen.step("b").code.as_deref(), Some("cancelled_run"));
    let gate = seen.step("c").gates.last().cloned().expect("a gate");
    assert_eq!((gate.gate, gate.code.as_deref()), (GateName::Chain, Some("cancelled")));
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
}

#[test]
fn a_stopped_hook_is_not_tried_again() {
    let seen = fire(
        "guard",
        vec![with_attempts(3, hook("a"))],
        Script::new().gets_stopped_during("a"),
    );
    assert_eq!(seen.step("a").attempts.len(), 1);
    assert_eq!(seen.outcomes(), ["a failed_open"]);
}

#[test]
fn a_closed_hook_that_is_stopped_holds_the_agent() {
    let seen = fire("guard", vec![closed("a")], Script::new().gets_stopped_during("a"));
    assert_eq!(seen.outcomes(), ["a failed_closed"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Stop);
}

#[test]
fn a_retry_that_succeeded_before_the_stop_stays_a_success() {
    let script = Script::new()
        .breaks("a", 1)
        .gets_stopped_after("a", json!({"text": "x"}));
    let seen = fire("guard", vec![with_attempts(2, hook("a")), hook("b")], script);
    assert_eq!(seen.outcomes(), ["a changed", "b skipped:cancelled"]);
    assert!(seen.notices().is_empty());
}

#[test]
fn a_hook_that_broke_before_the_stop_has_failed_for_good() {
    let script = Script::new().says("z", json!({})).breaks_and_gets_stopped("a");
    let seen = fire(
        "guard",
        vec![hook("z"), with_attempts(2, closed("a")), hook("b")],
        script,
    );
    assert_eq!(
        seen.outcomes(),
        ["z no_opinion", "a failed_closed", "b skipped:chain_ended"]
    );
    assert_eq!(seen.step("a").attempts.len(), 1);
}

#[test]
fn a_chain_without_hooks_goes_ahead() {
    let seen = fire("guard", Vec::new(), Script::new());
    assert_eq!(seen.trace.verdict, hookwright_model::Verdict::proceed());
    assert_eq!(seen.trace.payload_before, seen.trace.payload_after);
}

#[test]
fn a_chain_whose_last_hook_halted_says_halted_to_its_dialect() {
    let seen = fire(
        "guard",
        vec![hook("a")],
        Script::new().says("a", json!({"halt": true, "verdict": "stop"})),
    );
    assert_eq!(seen.trace.reply.json["halted"], true);
}
