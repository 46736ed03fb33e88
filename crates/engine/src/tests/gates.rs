//! `engine.md` §2: which hooks run, in which order, and why the others do not.

use hookwright_model::{
    Clause, Condition, Diagnosis, DisabledReason, Handler, Health, HealthState, Hook, Layer, NearMiss, OnFailureEffect,
    Payload, Predicate, StartFault, SubjectForm,
};
use serde_json::json;

use super::fake_dialect::FakeDialect;
use super::fake_runner::FakeRunner;
use super::{candidate, fire, fire_candidates, fire_payload, hook, in_layer, message, on};
use crate::{Candidate, plan};

fn invalid(name: &str) -> Hook {
    Hook {
        invalid: Some(message("wrong")),
        ..hook(name)
    }
}

fn off(name: &str, why: DisabledReason) -> Hook {
    Hook {
        disabled_reason: Some(why),
        ..hook(name)
    }
}

fn untrusted(hook: Hook) -> Candidate {
    Candidate {
        trusted: Err(message("never approved")),
        ..candidate(hook)
    }
}

fn muted(hook: Hook) -> Candidate {
    Candidate {
        muted: Some(message("muted for an hour")),
        ..candidate(hook)
    }
}

fn wanting(name: &str, field: &'static str, value: &str) -> Hook {
    let clause = Clause {
        key: "wants",
        field,
        predicate: Predicate::Equals(value.to_owned()),
        other_names: &[],
        form: SubjectForm::Whole,
    };
    Hook {
        when: Condition { clauses: vec![clause] },
        ..hook(name)
    }
}

#[test]
fn where_a_hook_is_replaced_by_one_that_does_not_run_either_both_are_named() {
    let replaced = || candidate(off("a", DisabledReason::Shadowed("toy:user:b".to_owned())));
    let named = "toy:user:a did not run: toy:user:b of the same name replaces it, and did not run either";
    let notices = |event: &'static str, by: Candidate| {
        let candidates = vec![replaced(), by];
        let on_event = |candidate: Candidate| Candidate {
            hook: std::sync::Arc::new(super::on(event, (*candidate.hook).clone())),
            ..candidate
        };
        let candidates = candidates.into_iter().map(on_event).collect();
        let seen = super::fire_candidates(event, candidates, FakeRunner::new().prints("b", json!({})));
        seen.notices().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    for idle in [
        untrusted(hook("b")),
        muted(hook("b")),
        candidate(off("b", DisabledReason::Disabled(message("switched off")))),
    ] {
        assert!(notices("guard", idle.clone()).contains(&named.to_owned()), "{idle:?}");
    }
    assert!(notices("guard", candidate(hook("b"))).is_empty());
    // The agent runs this one itself.
    assert!(
        notices(
            "guard",
            candidate(off("b", DisabledReason::AgentOnly(message("inside"))))
        )
        .is_empty()
    );
}

/// Asserts that the hook does not run. It compares the step's outcome, its gates and the message of the last gate.
#[track_caller]
fn is_left_out(candidate: Candidate, outcome: &str, gates: &[&str], why: &str) {
    let name = candidate.hook.label.clone();
    let seen = fire_candidates("guard", vec![candidate], FakeRunner::new());
    assert_eq!(seen.outcomes(), [format!("{name} {outcome}")]);
    assert_eq!(seen.gates(&name), gates);
    let step = seen.step(&name);
    assert_eq!(step.gates.last().and_then(|gate| gate.why.as_deref()), Some(why));
    assert_eq!((step.position, step.attempts.len()), (None, 0));
    assert!(
        seen.trace.verdict.kind == hookwright_model::VerdictKind::Proceed,
        "nobody is held by a hook that did not run"
    );
}

#[test]
fn the_first_gate_that_fails_decides_and_the_rest_is_not_recorded() {
    let everything_wrong = Candidate {
        trusted: Err(message("never approved")),
        muted: Some(message("muted")),
        ..candidate(invalid("a"))
    };
    is_left_out(everything_wrong, "skipped:invalid", &["valid:fail"], "wrong");
    let no_trust_and_muted = Candidate {
        trusted: Err(message("never approved")),
        muted: Some(message("muted")),
        ..candidate(hook("a"))
    };
    is_left_out(
        no_trust_and_muted,
        "skipped:untrusted",
        &["valid:pass", "trusted:fail"],
        "never approved",
    );
}

#[test]
fn each_way_to_be_left_out_has_its_reason() {
    let enabled = ["valid:pass", "trusted:pass", "enabled:fail"];
    let disabled = off("a", DisabledReason::Disabled(message("switched off")));
    is_left_out(
        candidate(disabled.clone()),
        "skipped:disabled",
        &enabled,
        "switched off",
    );
    is_left_out(muted(disabled), "skipped:disabled", &enabled, "switched off");
    is_left_out(
        candidate(off("a", DisabledReason::Shadowed("toy:user:b".to_owned()))),
        "skipped:disabled",
        &enabled,
        "shadowed by toy:user:b",
    );
    is_left_out(
        candidate(off("a", DisabledReason::AgentOnly(message("inside")))),
        "skipped:agent_runs_it",
        &enabled,
        "inside",
    );
    let builtin = Hook {
        handler: Handler::BUILTIN,
        ..in_layer(Layer::Builtin, hook("a"))
    };
    is_left_out(
        candidate(builtin),
        "skipped:agent_runs_it",
        &enabled,
        "runs only inside the agent",
    );
    is_left_out(muted(hook("a")), "skipped:muted", &enabled, "muted for an hour");
}

#[test]
fn a_filter_that_does_not_hold_is_no_skip() {
    let gates = [
        "valid:pass",
        "trusted:pass",
        "enabled:pass",
        "event:pass",
        "filter:fail",
    ];
    is_left_out(
        candidate(wanting("a", "text", "bye")),
        "not_matched",
        &gates,
        "text is hi, wanted bye",
    );
    is_left_out(
        candidate(wanting("a", "tool", "Bash")),
        "not_matched",
        &gates,
        "tool is missing, wanted Bash",
    );
}

#[test]
fn a_near_miss_is_recorded_in_the_trace() {
    for (wanted, near) in [
        ("HI", Some(NearMiss::Case)),
        (" hi ", Some(NearMiss::Blanks)),
        ("hit", Some(NearMiss::Spelling)),
        ("bye", None),
    ] {
        let seen = fire("guard", vec![wanting("a", "text", wanted)], FakeRunner::new());
        assert_eq!(
            seen.step("a").gates.last().and_then(|gate| gate.near_miss),
            near,
            "{wanted:?}"
        );
    }
    let seen = fire("guard", vec![wanting("a", "tool", "Bash")], FakeRunner::new());
    assert_eq!(
        seen.step("a").gates.last().and_then(|gate| gate.near_miss),
        Some(NearMiss::MissingField)
    );
}

#[test]
fn hooks_of_other_events_are_no_steps() {
    let seen = fire(
        "guard",
        vec![on("narrow", hook("other")), hook("mine")],
        FakeRunner::new().prints("mine", json!({})),
    );
    assert_eq!(seen.outcomes(), ["mine no_opinion"]);
}

#[test]
fn a_hook_that_ran_passed_all_six_gates() {
    let seen = fire("guard", vec![hook("a")], FakeRunner::new().prints("a", json!({})));
    assert_eq!(
        seen.gates("a"),
        [
            "valid:pass",
            "trusted:pass",
            "enabled:pass",
            "event:pass",
            "filter:pass",
            "chain:pass"
        ]
    );
}

#[test]
fn layers_run_in_order_and_each_as_declared() {
    let hooks = vec![
        in_layer(Layer::Session, hook("s")),
        in_layer(Layer::Project, hook("p1")),
        hook("u1"),
        in_layer(Layer::Project, hook("p2")),
        hook("u2"),
    ];
    let script = ["s", "p1", "p2", "u1", "u2"]
        .iter()
        .fold(FakeRunner::new(), |script, name| script.prints(name, json!({})));
    let seen = fire("guard", hooks, script);
    let order: Vec<&str> = seen.given.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(order, ["u1", "u2", "p1", "p2", "s"]);
}

#[test]
fn positions_count_the_hooks_that_may_run_and_the_others_come_last() {
    let candidates = vec![
        candidate(invalid("broken")),
        candidate(hook("first")),
        untrusted(hook("stranger")),
        candidate(wanting("elsewhere", "text", "bye")),
        candidate(hook("second")),
    ];
    let seen = fire_candidates(
        "guard",
        candidates,
        FakeRunner::new().prints("first", json!({})).prints("second", json!({})),
    );
    let places: Vec<(&str, Option<u32>, u32)> = seen
        .trace
        .steps
        .iter()
        .map(|step| (step.label.as_str(), step.position, step.order))
        .collect();
    let want = [
        ("first", Some(1), 2),
        ("second", Some(3), 5),
        ("broken", None, 1),
        ("stranger", None, 3),
        ("elsewhere", None, 4),
    ];
    assert_eq!(places, want);
}

#[test]
fn one_notice_counts_and_names_the_unapproved_hooks() {
    let candidates = vec![untrusted(hook("a")), candidate(hook("b")), untrusted(hook("c"))];
    let seen = fire_candidates("guard", candidates, FakeRunner::new().prints("b", json!({})));
    assert_eq!(
        seen.notices(),
        ["2 not run because not approved: toy:user:a, toy:user:c"]
    );
}

#[test]
fn explain_checks_every_gate_of_every_hook_but_the_chain() {
    let candidates = vec![
        candidate(on("narrow", wanting("elsewhere", "text", "bye"))),
        Candidate {
            trusted: Err(message("never approved")),
            ..candidate(invalid("worst"))
        },
        candidate(hook("fine")),
    ];
    let spec = FakeDialect.spec("guard");
    let payload = Payload::from_iter([("text".to_owned(), json!("hi"))]);
    let diagnose = |candidate: &Candidate| Diagnosis {
        health: Health::of(HealthState::Ready),
        guard: true,
        start_fault: (candidate.hook.label != "elsewhere").then(|| StartFault {
            why: message("no interpreter"),
            effect: OnFailureEffect::Continues,
            fixes: Vec::new(),
        }),
    };
    let steps = plan::explain(&FakeDialect, spec, &candidates, &payload, &diagnose);
    let said: Vec<(String, Vec<bool>, bool, Option<u32>)> = steps
        .iter()
        .map(|step| {
            (
                step.label.clone(),
                step.gates.iter().map(|gate| gate.pass).collect(),
                step.would_run,
                step.position,
            )
        })
        .collect();
    let want = [
        (
            "worst".to_owned(),
            vec![false, false, true, true, true, false],
            false,
            None,
        ),
        (
            "fine".to_owned(),
            vec![true, true, true, true, true, false],
            true,
            Some(1),
        ),
        (
            "elsewhere".to_owned(),
            vec![true, true, true, false, false, true],
            false,
            None,
        ),
    ];
    assert_eq!(said, want);
    let effects: Vec<_> = steps.iter().map(|step| step.would_fail).collect();
    assert_eq!(
        effects,
        [None, Some(OnFailureEffect::Continues), None],
        "only a hook that would run can fail"
    );
}

#[test]
fn positions_are_given_in_the_order_asked_for() {
    let candidates = [
        candidate(in_layer(Layer::Project, hook("p"))),
        untrusted(hook("u1")),
        candidate(hook("u2")),
    ];
    let refs: Vec<&Candidate> = candidates.iter().collect();
    assert_eq!(
        plan::positions(&FakeDialect, FakeDialect.spec("guard"), &refs),
        [Some(2), None, Some(1)]
    );
}

#[test]
fn a_file_swapped_before_the_start_skips_the_hook() {
    let script = FakeRunner::new().gets_swapped_before("a", 1).prints("b", json!({}));
    let seen = fire_payload(
        "guard",
        Payload::new(),
        vec![candidate(hook("a")), candidate(hook("b"))],
        script,
    );
    assert_eq!(seen.outcomes(), ["b no_opinion", "a skipped:untrusted"]);
    assert_eq!(seen.gates("a"), ["valid:pass", "trusted:fail"]);
    assert_eq!(seen.step("a").gates[1].why.as_deref(), Some("another file"));
    assert_eq!(seen.notices(), ["1 not run because not approved: toy:user:a"]);
}
