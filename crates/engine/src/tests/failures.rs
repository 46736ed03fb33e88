//! `engine.md` §4, §6: hooks that fail open or closed, and their retries.

use hookwright_model::{End, VerdictKind};
use serde_json::json;

use super::fake_runner::FakeRunner;
use super::{closed, fire, hook, on, with_attempts};

#[test]
fn an_open_failure_proceeds_with_a_notice() {
    let seen = fire(
        "guard",
        vec![hook("a"), hook("b")],
        FakeRunner::new().breaks("a", 1).prints("b", json!({"text": "x"})),
    );
    assert_eq!(seen.outcomes(), ["a failed_open", "b changed"]);
    assert_eq!(seen.notices(), ["a failed; the agent continues"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
    let step = seen.step("a");
    assert_eq!(
        (step.reason.as_deref(), step.code.as_deref()),
        (Some("it broke"), Some("toy"))
    );
    assert_eq!(seen.trace.notices[0].code.as_deref(), Some("failed_open"));
    assert_eq!(seen.trace.notices[0].hook.as_deref(), Some("toy:user:a"));
}

#[test]
fn a_closed_failure_blocks_ends_the_chain_and_drops_edits() {
    let script = FakeRunner::new()
        .prints("a", json!({"text": "x", "notes": [1]}))
        .breaks("b", 1);
    let seen = fire("guard", vec![hook("a"), closed("b"), hook("c")], script);
    assert_eq!(
        seen.outcomes(),
        ["a changed", "b failed_closed", "c skipped:chain_ended"]
    );
    assert_eq!(seen.notices(), ["b failed; the agent is blocked"]);
    let verdict = &seen.trace.verdict;
    assert_eq!(
        (verdict.kind, verdict.reason.as_deref(), verdict.by.as_deref()),
        (VerdictKind::Stop, Some("it broke"), Some("toy:user:b"))
    );
    assert_eq!(verdict.code.as_deref(), Some("toy"), "the words are ours");
    assert_eq!(seen.after(), json!({"text": "hi"}));
    assert_eq!(
        seen.ignored("a"),
        [
            "text: dropped: toy:user:b ended the chain",
            "notes: dropped: toy:user:b ended the chain"
        ]
    );
}

#[test]
fn running_out_of_time_has_outcomes_of_its_own() {
    let seen = fire(
        "guard",
        vec![hook("a"), closed("b")],
        FakeRunner::new().hangs("a").hangs("b"),
    );
    assert_eq!(seen.outcomes(), ["a timed_out_open", "b timed_out_closed"]);
    assert_eq!(seen.step("a").attempts[0].end, End::TimedOut);
    assert_eq!(
        seen.notices(),
        ["a timed out; the agent continues", "b timed out; the agent is blocked"]
    );
}

#[test]
fn a_notify_only_event_never_blocks_but_its_chain_ends() {
    let hooks = || vec![on("told", closed("a")), on("told", hook("b"))];
    let seen = fire("told", hooks(), FakeRunner::new().breaks("a", 1));
    assert_eq!(seen.outcomes(), ["a failed_open", "b skipped:chain_ended"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
    assert_eq!(seen.notices(), ["a failed; the agent continues"]);
    let seen = fire("told", hooks(), FakeRunner::new().hangs("a"));
    assert_eq!(seen.outcomes(), ["a timed_out_open", "b skipped:chain_ended"]);
}

#[test]
fn a_retry_that_succeeds_makes_the_failure_forgotten() {
    let script = FakeRunner::new().breaks("a", 5).prints("a", json!({"text": "x"}));
    let seen = fire("guard", vec![with_attempts(3, closed("a"))], script);
    assert_eq!(seen.outcomes(), ["a changed"]);
    let attempts = &seen.step("a").attempts;
    assert_eq!(
        attempts
            .iter()
            .map(|attempt| (attempt.code, attempt.started_ms))
            .collect::<Vec<_>>(),
        [(Some(1), 0.0), (Some(0), 5.0)]
    );
    assert!(seen.notices().is_empty());
    assert_eq!(seen.gates("a").len(), 6, "gates are told once, not per attempt");
}

#[test]
fn the_last_attempt_decides() {
    let seen = fire(
        "guard",
        vec![with_attempts(3, hook("a"))],
        FakeRunner::new().breaks("a", 1).gets_killed("a").hangs("a"),
    );
    assert_eq!(seen.outcomes(), ["a timed_out_open"]);
    let ends: Vec<End> = seen.step("a").attempts.iter().map(|attempt| attempt.end).collect();
    assert_eq!(ends, [End::Exit, End::Signal, End::TimedOut]);
    assert_eq!(
        seen.notices(),
        ["a timed out; the agent continues"],
        "one notice, however often it was tried"
    );
}

#[test]
fn every_attempt_sees_the_same_payload() {
    let script = FakeRunner::new()
        .prints("a", json!({"text": "x"}))
        .breaks("b", 1)
        .prints("b", json!({}));
    let seen = fire("guard", vec![hook("a"), with_attempts(2, hook("b"))], script);
    assert_eq!(seen.given[1], seen.given[2]);
    assert_eq!(seen.given[2].1, json!({"text": "x"}));
}

#[test]
fn a_signal_is_never_an_exit_code() {
    let seen = fire("guard", vec![hook("a")], FakeRunner::new().gets_killed("a"));
    let attempt = &seen.step("a").attempts[0];
    assert_eq!(
        (attempt.end, attempt.code, attempt.signal),
        (End::Signal, None, Some(9))
    );
}

#[test]
fn a_note_of_a_run_is_a_warning_about_its_hook() {
    let seen = fire(
        "guard",
        vec![hook("a")],
        FakeRunner::new().prints_with_note("a", "the directory is missing"),
    );
    assert_eq!(seen.notices(), ["the directory is missing"]);
    assert_eq!(seen.trace.notices[0].hook.as_deref(), Some("toy:user:a"));
}

#[test]
fn a_file_swapped_between_two_attempts_stops_the_second() {
    let script = FakeRunner::new()
        .breaks("a", 1)
        .gets_swapped_before("a", 2)
        .prints("b", json!({}));
    let seen = fire("guard", vec![with_attempts(2, hook("a")), hook("b")], script);
    assert_eq!(seen.outcomes(), ["a skipped:untrusted", "b no_opinion"]);
    assert_eq!(seen.step("a").attempts.len(), 1);
}
