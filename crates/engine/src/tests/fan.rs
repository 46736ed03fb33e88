//! Fans and sequences: hooks that see the original payload, verdicts by strictness, detached hooks.

use hookwright_model::{Handler, Hook, Outcome, RunMode, VerdictKind};
use serde_json::json;

use super::fake_dialect::FakeDialect;
use super::fake_runner::FakeRunner;
use super::{FireSummary, candidate, closed, fire, hook, message, on};

fn fan(hooks: Vec<Hook>, script: FakeRunner) -> FireSummary {
    fire("fan", hooks.into_iter().map(|hook| on("fan", hook)).collect(), script)
}

fn line(hooks: Vec<Hook>, script: FakeRunner) -> FireSummary {
    fire("line", hooks.into_iter().map(|hook| on("line", hook)).collect(), script)
}

fn ranked(rank: i64, hook: Hook) -> Hook {
    Hook {
        rank: Some(rank),
        ..hook
    }
}

fn detached(hook: Hook) -> Hook {
    Hook {
        mode: RunMode::Detach,
        ..hook
    }
}

#[test]
fn every_hook_of_a_fan_runs_on_the_original_payload_whatever_the_others_say() {
    let script = FakeRunner::new()
        .prints("a", json!({"new_text": "one", "verdict": "deny"}))
        .breaks("b", 0)
        .prints("c", json!({}));
    let seen = fan(vec![hook("a"), hook("b"), hook("c")], script);
    assert!(seen.given.iter().all(|(_, payload)| payload["text"] == "hi"));
    assert_eq!(seen.outcomes(), ["a denied", "b failed_open", "c no_opinion"]);
}

#[test]
fn the_strictest_verdict_of_a_fan_counts_with_the_reasons_of_all_that_gave_it() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "deny"}))
        .prints("b", json!({"verdict": "approve"}))
        .prints("c", json!({"verdict": "deny"}));
    let seen = fan(vec![hook("a"), hook("b"), hook("c")], script);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Deny);
    assert_eq!(seen.trace.verdict.reason.as_deref(), Some("because\nbecause"));
    assert_eq!(seen.trace.verdict.by.as_deref(), Some("toy:user:a"));
    assert_eq!(seen.outcomes(), ["a denied", "b allowed", "c denied"]);
    assert!(seen.ignored("b").is_empty());
}

#[test]
fn a_stricter_verdict_of_a_fan_stays_when_another_hook_fails_closed() {
    // The toy dialect blocks with `stop`, which is stricter than `deny` and weaker than `end_session`.
    let ends = |name| FakeRunner::new().prints(name, json!({"verdict": "end_session", "words": "kept"}));
    for (script, hooks) in [
        (ends("a").breaks("b", 1), vec![hook("a"), closed("b")]),
        (ends("b").breaks("a", 1), vec![closed("a"), hook("b")]),
    ] {
        let seen = fan(hooks, script);
        assert_eq!(seen.trace.verdict.kind, VerdictKind::EndSession);
        assert_eq!(seen.trace.verdict.reason.as_deref(), Some("because"));
        assert_eq!(seen.trace.reply.json["additions"], json!({"words": "kept"}));
    }
}

#[test]
fn a_closed_failure_in_a_fan_blocks_where_nothing_stricter_was_said_and_ends_nothing() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "deny", "words": "kept"}))
        .breaks("b", 1)
        .prints("c", json!({}));
    let seen = fan(vec![hook("a"), closed("b"), hook("c")], script);
    assert_eq!(seen.outcomes(), ["a denied", "b failed_closed", "c no_opinion"]);
    let verdict = &seen.trace.verdict;
    assert_eq!(
        (
            verdict.kind,
            verdict.reason.as_deref(),
            verdict.by.as_deref(),
            verdict.code.as_deref()
        ),
        (VerdictKind::Stop, Some("it broke"), Some("toy:user:b"), Some("toy"))
    );
    assert_eq!(seen.trace.reply.json["additions"], json!({"words": "kept"}));
}

#[test]
fn of_two_values_in_a_fan_the_last_counts_and_the_other_is_reported() {
    let script = FakeRunner::new()
        .prints("a", json!({"new_text": "one"}))
        .prints("b", json!({"new_text": "two"}));
    let seen = fan(vec![hook("a"), hook("b")], script);
    assert_eq!(seen.after(), json!({"text": "two"}));
    assert_eq!(seen.ignored("a"), ["new_text: replaced by toy:user:b"]);
    assert_eq!(seen.step("b").edits[0].before, "hi");
    assert_eq!(seen.trace.reply.json["replaced"], json!({"new_text": "two"}));
}

#[test]
fn a_value_that_does_not_fit_the_verdict_is_dropped_and_reported() {
    let script = FakeRunner::new()
        .prints("a", json!({"new_text": "one"}))
        .prints("b", json!({"verdict": "deny"}));
    let seen = fan(vec![hook("a"), hook("b")], script);
    assert_eq!(seen.after(), json!({"text": "hi"}));
    assert_eq!(seen.ignored("a"), ["new_text: it has no effect with the verdict deny"]);
    assert_eq!(seen.outcomes(), ["a changed", "b denied"]);
    assert_eq!(seen.trace.reply.json["replaced"], json!({}));
}

#[test]
fn texts_are_joined_lists_united_and_one_true_is_enough() {
    let script = FakeRunner::new()
        .prints(
            "a",
            json!({"words": "one", "paths": ["x", "y"], "quiet": true, "said": "hello"}),
        )
        .prints("b", json!({"words": "", "paths": [], "quiet": false}))
        .prints("c", json!({"words": "two", "paths": ["y", "z"], "said": "there"}));
    let seen = fan(vec![hook("a"), hook("b"), hook("c")], script);
    let additions = json!({"words": "one\ntwo", "paths": ["x", "y", "z"], "quiet": true, "said": "hello\nthere"});
    assert_eq!(seen.trace.reply.json["additions"], additions);
    assert_eq!(seen.notices(), ["hello", "there"]);
    assert_eq!(seen.outcomes(), ["a changed", "b no_opinion", "c changed"]);
}

#[test]
fn a_sequence_goes_by_rank_and_its_first_halt_leaves_the_rest() {
    let script = FakeRunner::new()
        .prints("high", json!({"text": "one", "words": "w"}))
        .prints("mid", json!({"verdict": "deny", "halt": true}));
    let hooks = vec![
        ranked(1, hook("low")),
        ranked(9, hook("high")),
        ranked(5, hook("mid")),
        detached(hook("late")),
    ];
    let seen = line(hooks, script);
    assert_eq!(
        seen.outcomes(),
        [
            "high changed",
            "mid denied",
            "low skipped:chain_ended",
            "late skipped:chain_ended"
        ]
    );
    assert_eq!(
        seen.ignored("high"),
        [
            "text: dropped: toy:user:mid ended the chain",
            "words: dropped: toy:user:mid ended the chain"
        ]
    );
    assert_eq!(seen.after(), json!({"text": "hi"}));
}

#[test]
fn the_first_of_equal_verdicts_in_a_sequence_decides() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "approve"}))
        .prints("b", json!({"verdict": "ask"}))
        .prints("c", json!({"verdict": "ask"}));
    let seen = line(vec![hook("a"), hook("b"), hook("c")], script);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Ask);
    assert_eq!(seen.trace.verdict.by.as_deref(), Some("toy:user:b"));
    assert_eq!(seen.trace.verdict.reason.as_deref(), Some("because"));
}

#[test]
fn an_object_of_parts_replaces_each_of_its_fields() {
    let script = FakeRunner::new().prints("a", json!({"parts": {"text": "one", "more": 2}}));
    let seen = line(vec![hook("a")], script);
    assert_eq!(seen.after(), json!({"text": "one", "more": 2}));
    let fields: Vec<&str> = seen.step("a").edits.iter().map(|edit| edit.field.as_str()).collect();
    assert_eq!(fields, ["text", "more"]);
}

#[test]
fn what_goes_with_a_decision_survives_its_own_halt() {
    let script = FakeRunner::new().prints(
        "a",
        json!({"verdict": "respond", "halt": true, "result": {"for_llm": "x"}}),
    );
    let seen = line(vec![hook("a")], script);
    assert_eq!(seen.trace.reply.json["additions"], json!({"result": {"for_llm": "x"}}));
    assert_eq!(seen.outcomes(), ["a changed"]);
}

#[test]
fn a_detached_hook_starts_after_the_reply_and_its_answer_is_not_awaited() {
    let script = FakeRunner::new()
        .prints("a", json!({}))
        .prints("late", json!({"verdict": "deny", "text": "too late"}))
        .breaks("broken", 0);
    let mut seen = line(
        vec![detached(hook("late")), hook("a"), detached(hook("broken"))],
        script,
    );
    assert_eq!(
        seen.outcomes(),
        ["a no_opinion", "broken failed_open", "late no_opinion"],
        "awaited ones first, then by name"
    );
    assert_eq!(seen.settled, ["a no_opinion", "broken detached", "late detached"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
    let late = "the hook runs after the reply, so its output is ignored";
    let mut ignored = seen.ignored("late");
    ignored.sort();
    assert_eq!(ignored, [format!("text: {late}"), format!("verdict: {late}")]);
    assert_eq!(seen.notices(), ["broken failed; the agent continues"]);
    assert_eq!(seen.trace.steps.remove(1).attempts.len(), 1);
}

#[test]
fn a_detached_hook_whose_file_was_swapped_is_untrusted_like_the_others() {
    let script = FakeRunner::new().prints("a", json!({})).gets_swapped_before("late", 1);
    let stranger = crate::Candidate {
        trusted: Err(message("never approved")),
        ..candidate(on("line", hook("stranger")))
    };
    let hooks = ["a", "late"].map(|name| on("line", hook(name)));
    let [a, late] = hooks;
    let candidates = vec![candidate(a), candidate(detached(late)), stranger];
    let seen = super::fire_candidates("line", candidates, script);
    let step = seen.step("late");
    assert_eq!((step.reason.as_deref(), step.position), (Some("untrusted"), None));
    assert_eq!(
        seen.notices(),
        ["2 not run because not approved: toy:user:late, toy:user:stranger"]
    );
}

#[test]
fn what_may_not_block_is_ignored_and_reported() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "deny", "halt": true}))
        .prints("b", json!({"verdict": "approve"}));
    let hooks = ["a", "b"].map(|name| candidate(on("line", hook(name)))).to_vec();
    let seen = super::fire_without_block("line", hooks, script, Some(message("three times already")));
    assert_eq!(seen.outcomes(), ["a no_opinion", "b allowed"]);
    assert_eq!(seen.ignored("a"), ["verdict: three times already"]);
    assert_eq!(seen.notices(), ["three times already"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Approve);
}

#[test]
fn an_invalid_guard_blocks_at_its_position() {
    let guard = Hook {
        invalid: Some(message("no command")),
        blocks_when_invalid: Some(message("invalid guard")),
        ..closed("guard")
    };
    let seen = line(
        vec![ranked(9, hook("first")), guard, ranked(-9, hook("never"))],
        FakeRunner::new().prints("first", json!({"verdict": "approve"})),
    );
    assert_eq!(
        seen.outcomes(),
        ["first allowed", "guard failed_closed", "never skipped:chain_ended"]
    );
    assert_eq!(seen.step("guard").reason.as_deref(), Some("invalid guard"));
    assert_eq!(seen.step("guard").position, None);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Stop);
}

#[test]
fn an_invalid_guard_that_is_off_does_not_block() {
    let guard = Hook {
        invalid: Some(message("no command")),
        blocks_when_invalid: Some(message("invalid guard")),
        disabled_reason: Some(hookwright_model::DisabledReason::Disabled(message("switched off"))),
        ..closed("guard")
    };
    let seen = line(vec![guard], FakeRunner::new());
    assert_eq!(seen.outcomes(), ["guard skipped:invalid"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
}

#[test]
fn a_hook_for_every_event_is_recorded_under_the_events_name() {
    let module = Hook {
        id: "toy:user:*:module".to_owned(),
        event: "*".to_owned(),
        handler: Handler::Module {
            path: "/m.py".into(),
            callback: None,
            content: String::new(),
        },
        invalid: Some(message("not known yet")),
        ..hook("module")
    };
    let seen = fire("line", vec![module.clone()], FakeRunner::new());
    assert_eq!(seen.trace.steps[0].hook, "toy:user:line:module");
    assert!(module.matches_event(FakeDialect.spec("fan")));
    let observer = Hook {
        handler: Handler::Peer { argv: Vec::new() },
        ..module
    };
    let builtin = Hook {
        handler: Handler::BUILTIN,
        ..observer.clone()
    };
    assert!(builtin.matches_event(FakeDialect.spec("told")) && builtin.matches_event(FakeDialect.spec("fan")));
    assert!(observer.matches_event(FakeDialect.spec("told")) && !observer.matches_event(FakeDialect.spec("fan")));
    assert_eq!(seen.step("module").outcome, Outcome::Skipped);
}

#[test]
fn hooks_of_one_place_run_by_what_decides_among_them() {
    let hooks = ["c", "b", "d", "a"].map(|name| on("seats", hook(name)));
    let payload = hookwright_model::Payload::from_iter([("seated".to_owned(), json!(["d"]))]);
    let candidates = hooks.into_iter().map(candidate).collect();
    let script = ["a", "b", "c", "d"]
        .iter()
        .fold(FakeRunner::new(), |script, name| script.prints(name, json!({})));
    let seen = super::fire_payload("seats", payload, candidates, script);
    let run: Vec<&str> = seen.given.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(run, ["d", "a", "b", "c"]);
}

#[test]
fn what_is_gathered_for_the_reply_is_no_change() {
    let script = FakeRunner::new()
        .prints("a", json!({"kept": {"k": 1}}))
        .prints("b", json!({"kept": {"k": 2}, "notes": {"n": 1}}));
    let seen = fire("seats", vec![on("seats", hook("a")), on("seats", hook("b"))], script);
    assert_eq!(seen.outcomes(), ["a no_opinion", "b changed"]);
    let additions = &seen.trace.reply.json["additions"];
    assert_eq!(additions, &json!({"kept": [{"k": 1}, {"k": 2}], "notes": [{"n": 1}]}));
    assert_eq!(seen.step("b").edits.len(), 1);
}

fn in_tier(tier: u8, hook: Hook) -> Hook {
    Hook { tier, ..hook }
}

#[test]
fn a_later_tier_sees_what_the_first_one_left() {
    let script = FakeRunner::new()
        .prints("a", json!({"new_text": "one"}))
        .prints("b", json!({"new_text": "two"}))
        .prints("c", json!({}));
    let seen = fan(vec![in_tier(1, hook("a")), hook("b"), in_tier(1, hook("c"))], script);
    let texts: Vec<_> = seen
        .given
        .iter()
        .map(|(name, payload)| (name.as_str(), &payload["text"]))
        .collect();
    assert_eq!(texts, [("b", &json!("hi")), ("a", &json!("two")), ("c", &json!("two"))]);
    assert_eq!(seen.trace.payload_after["text"], "one");
}

#[test]
fn a_later_tier_does_not_begin_after_a_block() {
    for (verdict, outcome) in [("deny", "b skipped:chain_ended"), ("ask", "b no_opinion")] {
        let script = FakeRunner::new()
            .prints("a", json!({"verdict": verdict}))
            .prints("b", json!({}));
        let seen = fan(vec![hook("a"), in_tier(1, hook("b"))], script);
        assert_eq!(seen.outcomes()[1], outcome, "{verdict}");
    }
}

#[test]
fn of_equal_verdicts_the_last_denial_or_else_the_first_counts() {
    for (verdict, by) in [("deny", "toy:user:b"), ("ask", "toy:user:a")] {
        let script = FakeRunner::new()
            .prints("a", json!({"verdict": verdict}))
            .prints("b", json!({"verdict": verdict}));
        let hooks = ["a", "b"].map(|name| on("last", hook(name)));
        let seen = fire("last", hooks.to_vec(), script);
        assert_eq!(seen.trace.verdict.by.as_deref(), Some(by));
        assert_eq!(seen.trace.verdict.reason.as_deref(), Some("because"));
    }
}

#[test]
fn reasons_can_be_paragraphs() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "deny"}))
        .prints("b", json!({"verdict": "deny"}));
    let hooks = ["a", "b"].map(|name| on("paragraphs", hook(name)));
    let seen = fire("paragraphs", hooks.to_vec(), script);
    assert_eq!(seen.trace.verdict.reason.as_deref(), Some("because\n\nbecause"));
}
