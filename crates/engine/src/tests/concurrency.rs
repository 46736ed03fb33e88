//! Fans in time: how many hooks run at once, that each has its own time limit, and what a stop does to them
//! (`engine.md` §5).

use std::time::Duration;

use hookwright_model::{End, Hook, Trace, VerdictKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fake_runner::FakeRunner;
use super::{FireSummary, closed, fire, hook, message, on, with_attempts};

fn fan(hooks: Vec<Hook>, script: FakeRunner) -> FireSummary {
    fire("fan", hooks.into_iter().map(|hook| on("fan", hook)).collect(), script)
}

/// `count` hooks that are named by their number. `ms` gives the milliseconds that each one takes.
fn lasting(count: usize, ms: impl Fn(usize) -> u64) -> (Vec<Hook>, FakeRunner) {
    let names: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
    let says = |script: FakeRunner, number: usize| script.prints_after(&number.to_string(), ms(number), json!({}));
    let script = (1..=count).fold(FakeRunner::new(), says);
    (names.iter().map(|name| hook(name)).collect(), script)
}

fn started_ms(seen: &FireSummary, name: &str) -> u128 {
    let span = seen.spans.iter().find(|span| span.name == name);
    span.expect("it ran").start.as_millis()
}

#[test]
fn a_slow_first_hook_takes_only_its_own_slot() {
    let (hooks, script) = lasting(40, |number| if number == 1 { 9000 } else { 1000 });
    let seen = fan(hooks, script);
    for number in 2..=32 {
        assert_eq!(started_ms(&seen, &number.to_string()), 0);
    }
    for number in 33..=40 {
        assert_eq!(started_ms(&seen, &number.to_string()), 1000, "hook {number}");
    }
    assert_eq!(seen.trace.took_ms, 9000.0);
}

#[test]
fn at_most_thirty_two_run_at_once() {
    let (hooks, script) = lasting(100, |number| 100 + 37 * (number as u64 % 11));
    let seen = fan(hooks, script);
    let running = |at: Duration| {
        let spans = seen.spans.iter();
        spans.filter(|span| span.start <= at && at < span.end).count()
    };
    let most = seen.spans.iter().map(|span| running(span.start)).max();
    assert_eq!((seen.spans.len(), most), (100, Some(32)));
}

#[test]
fn the_time_of_a_waiting_hook_has_not_begun() {
    // Each hook has ten seconds. The last eight start after nine seconds, when the first ones end.
    let (hooks, script) = lasting(40, |_| 9000);
    let seen = fan(hooks, script);
    assert!(seen.outcomes().iter().all(|outcome| outcome.ends_with("no_opinion")));
    assert_eq!(started_ms(&seen, "40"), 9000);
}

#[test]
fn a_hook_that_hangs_times_out_alone() {
    let script = FakeRunner::new()
        .hangs("a")
        .prints_after("b", 10, json!({"verdict": "deny"}));
    let seen = fan(vec![hook("a"), hook("b")], script);
    assert_eq!(seen.outcomes(), ["a timed_out_open", "b denied"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Deny);
}

#[test]
fn a_stop_leaves_running_hooks_with_an_attempt_and_waiting_hooks_without() {
    let slow = |script: FakeRunner, number: usize| script.prints_after(&number.to_string(), 9000, json!({}));
    let first = FakeRunner::new()
        .gets_stopped_after("1", json!({"verdict": "deny"}))
        .within("1", 500);
    let script = (2..=40).fold(first, slow);
    let hooks = (1..=40).map(|number: usize| closed(&number.to_string())).collect();
    let seen = fan(hooks, script);
    let skipped = |step: &&hookwright_model::Step| step.reason.as_deref() == Some("cancelled");
    let stopped: Vec<_> = seen.trace.steps.iter().filter(skipped).collect();
    assert_eq!(stopped.len(), 39);
    let with_attempt = stopped.iter().filter(|step| !step.attempts.is_empty());
    assert!(with_attempt.clone().all(|step| step.attempts[0].end == End::Cancelled));
    assert_eq!(with_attempt.count(), 31);
    assert_eq!(seen.outcomes()[0], "1 denied");
    assert_eq!(
        seen.trace.verdict.kind,
        VerdictKind::Deny,
        "what was decided before the stop stays"
    );
    assert!(seen.notices().is_empty(), "a stop is no failure");
}

#[test]
fn hooks_of_a_fan_that_broke_before_the_stop_have_failed() {
    let script = FakeRunner::new()
        .breaks("a", 1)
        .breaks("b", 2)
        .breaks_and_gets_stopped("c")
        .within("c", 3);
    let hooks = ["a", "b", "c"].map(|name| with_attempts(3, hook(name)));
    let seen = fan(hooks.to_vec(), script);
    assert!(
        seen.outcomes().iter().all(|outcome| outcome.ends_with("failed_open")),
        "{:?}",
        seen.outcomes()
    );
}

#[test]
fn an_invalid_guard_of_a_fan_blocks_without_running_and_the_others_run() {
    let guard = Hook {
        invalid: Some(message("no command")),
        blocks_when_invalid: Some(message("invalid guard")),
        ..closed("guard")
    };
    let script = FakeRunner::new().prints("a", json!({})).prints("b", json!({}));
    let seen = fan(vec![hook("a"), guard, hook("b")], script);
    let mut outcomes = seen.outcomes();
    outcomes.sort();
    assert_eq!(outcomes, ["a no_opinion", "b no_opinion", "guard failed_closed"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Stop);
}

/// A trace as JSON with all times set to zero.
fn timeless(trace: &Trace) -> Value {
    let mut trace = trace.clone();
    trace.took_ms = 0.0;
    for attempt in trace.steps.iter_mut().flat_map(|step| &mut step.attempts) {
        (attempt.started_ms, attempt.took_ms) = (0.0, 0.0);
    }
    json!(trace)
}

fn answers() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({"new_text": "one"})),
        Just(json!({"new_text": "two"})),
        Just(json!({"words": "w", "paths": ["p"]})),
        Just(json!({"said": "s", "quiet": true})),
        Just(json!({"verdict": "approve"})),
        Just(json!({"verdict": "ask"})),
        Just(json!({"verdict": "deny"})),
        Just(Value::Null),
    ]
}

fn play(deeds: &[(Value, u64)], with_time: bool) -> Value {
    let script = deeds
        .iter()
        .enumerate()
        .fold(FakeRunner::new(), |script, (number, (answer, ms))| {
            let (name, ms) = (number.to_string(), if with_time { *ms } else { 0 });
            if answer.is_null() {
                script.breaks(&name, ms)
            } else {
                script.prints_after(&name, ms, answer.clone())
            }
        });
    let hooks = (0..deeds.len()).map(|number| hook(&number.to_string())).collect();
    timeless(&fan(hooks, script).trace)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn the_order_of_finishing_decides_nothing(deeds in prop::collection::vec((answers(), 0..9000_u64), 0..50)) {
        prop_assert_eq!(play(&deeds, true), play(&deeds, false));
    }
}
