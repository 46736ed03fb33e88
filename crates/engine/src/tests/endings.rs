//! Chains that the user stops, and the records of chains that end early.

use hookwright_model::{End, GateName, Hook, RunMode, VerdictKind};
use serde_json::json;

use super::fake_runner::FakeRunner;
use super::{closed, fire, hook, with_attempts};

#[test]
fn what_runs_is_cancelled_with_its_attempt_and_what_follows_without_one() {
    let seen = fire(
        "guard",
        vec![hook("a"), hook("b"), hook("c")],
        FakeRunner::new()
            .prints("a", json!({"text": "x"}))
            .gets_stopped_during("b"),
    );
    assert_eq!(
        seen.outcomes(),
        ["a changed", "b skipped:cancelled", "c skipped:cancelled"]
    );
    let stopped = seen.step("b");
    assert_eq!((stopped.attempts[0].end, stopped.position), (End::Cancelled, Some(2)));
    let gate = stopped.gates.last().cloned().expect("a gate");
    assert_eq!(
        (gate.gate, gate.code.as_deref()),
        (GateName::Chain, Some("cancelled_run"))
    );
    assert!(seen.step("c").attempts.is_empty());
    assert!(seen.notices().is_empty(), "a stop is no failure");
    let gate = seen.step("c").gates.last().cloned().expect("a gate");
    assert_eq!((gate.gate, gate.code.as_deref()), (GateName::Chain, Some("cancelled")));
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
}

#[test]
fn a_stopped_hook_is_not_tried_again() {
    let seen = fire(
        "guard",
        vec![with_attempts(3, hook("a"))],
        FakeRunner::new().gets_stopped_during("a"),
    );
    assert_eq!(seen.step("a").attempts.len(), 1);
    assert_eq!(seen.outcomes(), ["a skipped:cancelled"]);
}

#[test]
fn a_closed_hook_that_is_stopped_has_not_failed() {
    let seen = fire("guard", vec![closed("a")], FakeRunner::new().gets_stopped_during("a"));
    assert_eq!(seen.outcomes(), ["a skipped:cancelled"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
    assert!(seen.notices().is_empty());
}

#[test]
fn a_hook_that_broke_and_was_stopped_when_it_was_tried_again_keeps_both_attempts() {
    let script = FakeRunner::new().breaks("a", 1).gets_stopped_during("a");
    let seen = fire("guard", vec![with_attempts(3, closed("a"))], script);
    assert_eq!(seen.outcomes(), ["a skipped:cancelled"]);
    let ends: Vec<End> = seen.step("a").attempts.iter().map(|attempt| attempt.end).collect();
    assert_eq!(ends, [End::Exit, End::Cancelled]);
}

#[test]
fn a_detached_hook_that_is_stopped_is_skipped_with_its_attempt() {
    let late = Hook {
        mode: RunMode::Detach,
        ..hook("late")
    };
    let never = Hook {
        label: "never".to_owned(),
        id: "toy:user:never".to_owned(),
        ..late.clone()
    };
    let script = FakeRunner::new()
        .gets_stopped_during("late")
        .prints_after("never", 5000, json!({}));
    let seen = fire("guard", vec![late, never], script);
    assert_eq!(seen.outcomes(), ["late skipped:cancelled", "never skipped:cancelled"]);
    assert_eq!(seen.settled, ["late detached", "never detached"]);
    let failed: Vec<_> = seen.step("late").gates.iter().filter(|gate| !gate.pass).collect();
    assert_eq!(failed.len(), 1);
    assert!(seen.notices().is_empty());
}

#[test]
fn a_retry_that_succeeded_before_the_stop_stays_a_success() {
    let script = FakeRunner::new()
        .breaks("a", 1)
        .gets_stopped_after("a", json!({"text": "x"}));
    let seen = fire("guard", vec![with_attempts(2, hook("a")), hook("b")], script);
    assert_eq!(seen.outcomes(), ["a changed", "b skipped:cancelled"]);
    assert!(seen.notices().is_empty());
}

#[test]
fn a_hook_that_broke_before_the_stop_has_failed_for_good() {
    let script = FakeRunner::new().prints("z", json!({})).breaks_and_gets_stopped("a");
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
fn a_chain_without_hooks_proceeds() {
    let seen = fire("guard", Vec::new(), FakeRunner::new());
    assert_eq!(seen.trace.verdict, hookwright_model::Verdict::proceed());
    assert_eq!(seen.trace.payload_before, seen.trace.payload_after);
}

#[test]
fn a_halt_by_the_last_hook_is_passed_to_the_dialect() {
    let seen = fire(
        "guard",
        vec![hook("a")],
        FakeRunner::new().prints("a", json!({"halt": true, "verdict": "stop"})),
    );
    assert_eq!(seen.trace.reply.json["halted"], true);
}
