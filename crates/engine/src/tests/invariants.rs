//! Invariants of every chain, whatever its hooks do.

use std::time::Duration;

use hookwright_model::{End, Hook, Layer, OnFailure, Outcome, VerdictKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fake_runner::FakeRunner;
use super::{FireSummary, candidate, closed, fire_candidates, hook, in_layer, message, with_attempts};
use crate::Candidate;

/// What a hook does in one attempt.
#[derive(Debug, Clone)]
enum ScriptedAction {
    Says(Value),
    Breaks,
    Hangs,
    Stopped,
}

#[derive(Debug, Clone)]
struct HookSketch {
    layer: Layer,
    on_failure: OnFailure,
    attempts: u32,
    seconds: u64,
    barred: Option<&'static str>,
    deeds: Vec<ScriptedAction>,
}

fn answers() -> impl Strategy<Value = Value> {
    let part = prop_oneof![
        Just(json!({"text": "x"})),
        Just(json!({"text": "hi"})),
        Just(json!({"notes": [1]})),
        Just(json!({"notes": []})),
        Just(json!({"context": "c"})),
        Just(json!({"say": "s"})),
        Just(json!({"unheard": 1})),
        Just(json!({"verdict": "retry"})),
        Just(json!({"verdict": "approve"})),
        Just(json!({"verdict": "skip", "halt": true})),
        Just(json!({"verdict": "stop", "halt": true})),
    ];
    prop::collection::vec(part, 0..3).prop_map(|parts| {
        let fields = parts.into_iter().filter_map(|part| part.as_object().cloned()).flatten();
        Value::Object(fields.collect())
    })
}

fn actions() -> impl Strategy<Value = ScriptedAction> {
    prop_oneof![
        6 => answers().prop_map(ScriptedAction::Says),
        3 => Just(ScriptedAction::Breaks),
        1 => Just(ScriptedAction::Hangs),
        1 => Just(ScriptedAction::Stopped),
    ]
}

fn sketches() -> impl Strategy<Value = HookSketch> {
    let layer = prop_oneof![Just(Layer::User), Just(Layer::Project), Just(Layer::Session)];
    let on_failure = prop_oneof![3 => Just(OnFailure::Open), 1 => Just(OnFailure::Closed)];
    let barred = prop_oneof![6 => Just(None), 1 => Just(Some("invalid")), 1 => Just(Some("untrusted")), 1 => Just(Some("muted"))];
    let deeds = prop::collection::vec(actions(), 3);
    (layer, on_failure, 1..4_u32, 1..40_u64, barred, deeds).prop_map(
        |(layer, on_failure, attempts, seconds, barred, deeds)| HookSketch {
            layer,
            on_failure,
            attempts,
            seconds,
            barred,
            deeds,
        },
    )
}

fn build(index: usize, sketch: &HookSketch) -> Candidate {
    let name = index.to_string();
    let base = if sketch.on_failure == OnFailure::Closed {
        closed(&name)
    } else {
        hook(&name)
    };
    let hook = Hook {
        timeout: Duration::from_secs(sketch.seconds),
        ..in_layer(sketch.layer, with_attempts(sketch.attempts, base))
    };
    match sketch.barred {
        Some("invalid") => candidate(Hook {
            invalid: Some(message("wrong")),
            ..hook
        }),
        Some("untrusted") => Candidate {
            trusted: Err(message("never approved")),
            ..candidate(hook)
        },
        Some(_) => Candidate {
            muted: Some(message("muted")),
            ..candidate(hook)
        },
        None => candidate(hook),
    }
}

fn fire_sketches(event: &'static str, sketches: &[HookSketch]) -> FireSummary {
    let mut script = FakeRunner::new();
    for (index, sketch) in sketches.iter().enumerate() {
        let name = index.to_string();
        for deed in &sketch.deeds {
            script = match deed {
                ScriptedAction::Says(answer) => script.prints_after(&name, 100, answer.clone()),
                ScriptedAction::Breaks => script.breaks(&name, 700),
                ScriptedAction::Hangs => script.hangs(&name),
                ScriptedAction::Stopped => script.gets_stopped_during(&name),
            };
        }
    }
    let candidates = sketches.iter().enumerate().map(|(index, sketch)| {
        let candidate = build(index, sketch);
        if event == "guard" {
            candidate
        } else {
            moved(candidate, event)
        }
    });
    fire_candidates(event, candidates.collect(), script)
}

fn moved(candidate: Candidate, event: &str) -> Candidate {
    let hook = Hook {
        event: event.to_owned(),
        ..(*candidate.hook).clone()
    };
    Candidate {
        hook: hook.into(),
        ..candidate
    }
}

fn check_invariants(seen: &FireSummary, sketches: &[HookSketch]) {
    let steps = &seen.trace.steps;
    assert_eq!(steps.len(), sketches.len(), "every hook has its step");
    let ran = steps.iter().take_while(|step| !step.attempts.is_empty()).count();
    let mut last = 0;
    for (place, step) in steps.iter().enumerate() {
        let sketch = &sketches[step.label.parse::<usize>().unwrap()];
        assert_eq!(step.attempts.is_empty(), place >= ran, "those that ran come first");
        assert_eq!(step.position.is_some(), place < ran, "only those that ran have a place");
        assert!(step.attempts.len() <= sketch.attempts as usize);
        let stopped = step
            .attempts
            .last()
            .is_some_and(|attempt| attempt.end == End::Cancelled);
        assert_eq!(
            step.outcome == Outcome::Skipped,
            place >= ran || stopped,
            "every filter here holds"
        );
        assert_eq!(
            step.gates.iter().filter(|gate| !gate.pass).count(),
            usize::from(place >= ran || stopped),
            "one gate fails, or none"
        );
        let says_why = matches!(
            step.outcome,
            Outcome::Skipped
                | Outcome::FailedOpen
                | Outcome::FailedClosed
                | Outcome::TimedOutOpen
                | Outcome::TimedOutClosed
        );
        assert_eq!(step.reason.is_some(), says_why);
        if let Some(position) = step.position {
            assert!(position > last, "run order");
            last = position;
        }
    }
    assert!(seen.trace.took_ms <= 30_000.0 + 1.0, "the budget is a total");
    check_verdict_has_an_author(seen);
}

fn check_verdict_has_an_author(seen: &FireSummary) {
    let verdict = &seen.trace.verdict;
    assert_eq!(verdict.by.is_some(), verdict.kind != VerdictKind::Proceed);
    let Some(by) = &verdict.by else { return };
    let step = seen
        .trace
        .steps
        .iter()
        .find(|step| step.hook == *by)
        .expect("a step decided");
    match step.outcome {
        Outcome::FailedClosed | Outcome::TimedOutClosed => assert!(verdict.code.is_some(), "the words are ours"),
        Outcome::Denied | Outcome::Asked | Outcome::Allowed | Outcome::Changed => assert!(verdict.code.is_none()),
        Outcome::NotMatched
        | Outcome::Skipped
        | Outcome::NoOpinion
        | Outcome::FailedOpen
        | Outcome::TimedOutOpen
        | Outcome::Detached => panic!("{:?} decides nothing", step.outcome),
    }
}

/// Asserts that all edits that were not dropped, applied in order, produce `payload_after`.
fn check_payload_is_the_sum_of_edits(seen: &FireSummary) {
    let mut payload = (*seen.trace.payload_before).clone();
    let mut notes = Vec::new();
    for step in &seen.trace.steps {
        for edit in &step.edits {
            let lost = step
                .ignored
                .iter()
                .any(|ignored| ignored.what == edit.field && ignored.code == "dropped");
            match (lost, edit.field.as_str()) {
                (false, "text") => drop(payload.insert("text".to_owned(), edit.after.clone())),
                (false, "notes") => notes.extend(edit.after.as_array().cloned().unwrap_or_default()),
                _ => {}
            }
        }
    }
    let mut after = (*seen.trace.payload_after).clone();
    let folded = after.remove("notes").unwrap_or(json!([]));
    assert_eq!(folded, Value::Array(notes));
    assert_eq!(after, payload);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_chain_accounts_for_every_hook(sketches in prop::collection::vec(sketches(), 0..7)) {
        let seen = fire_sketches("guard", &sketches);
        check_invariants(&seen, &sketches);
        check_payload_is_the_sum_of_edits(&seen);
    }

    #[test]
    fn a_notify_only_event_never_blocks_and_never_changes_the_payload(sketches in prop::collection::vec(sketches(), 0..7)) {
        let seen = fire_sketches("told", &sketches);
        check_invariants(&seen, &sketches);
        prop_assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
        prop_assert_eq!(&seen.trace.payload_before, &seen.trace.payload_after);
        prop_assert!(seen.trace.steps.iter().all(|step| step.edits.is_empty()));
    }
}
