//! Permit and merge (`engine.md` §1 step 4, §4, §5): which parts of a hook output reach the next hook, the payload and
//! the reply.

use hookwright_model::VerdictKind;
use serde_json::{Value, json};

use super::fake_runner::FakeRunner;
use super::{closed, fire, hook, on};

#[test]
fn each_hook_sees_the_payload_as_edited_so_far() {
    let script = FakeRunner::new()
        .prints("a", json!({"text": "one"}))
        .prints("b", json!({"text": "two"}))
        .prints("c", json!({}));
    let seen = fire("guard", vec![hook("a"), hook("b"), hook("c")], script);
    let texts: Vec<&Value> = seen.given.iter().map(|(_, payload)| &payload["text"]).collect();
    assert_eq!(texts, ["hi", "one", "two"]);
    assert_eq!(seen.after(), json!({"text": "two"}));
    assert_eq!(seen.trace.payload_before["text"], "hi");
    let edit = &seen.step("b").edits[0];
    assert_eq!(
        (edit.field.as_str(), &edit.before, &edit.after),
        ("text", &json!("one"), &json!("two"))
    );
}

#[test]
fn the_outcome_goes_by_difference_and_the_reply_by_presence() {
    let seen = fire(
        "guard",
        vec![hook("a")],
        FakeRunner::new().prints("a", json!({"text": "hi"})),
    );
    assert_eq!(seen.outcomes(), ["a no_opinion"]);
    assert!(seen.step("a").edits.is_empty());
    assert_eq!(seen.trace.reply.json["replaced"], json!({"text": "hi"}));
}

#[test]
fn a_hook_may_set_a_field_back() {
    let script = FakeRunner::new()
        .prints("a", json!({"text": "other"}))
        .prints("b", json!({"text": "hi"}));
    let seen = fire("guard", vec![hook("a"), hook("b")], script);
    assert_eq!(seen.outcomes(), ["a changed", "b changed"]);
    assert_eq!(seen.after(), json!({"text": "hi"}));
}

#[test]
fn an_absent_field_is_null_before_the_edit() {
    let seen = fire(
        "guard",
        vec![hook("a")],
        FakeRunner::new().prints("a", json!({"context": "c"})),
    );
    let edit = &seen.step("a").edits[0];
    assert_eq!(
        (edit.field.as_str(), &edit.before, &edit.after),
        ("context", &Value::Null, &json!("c"))
    );
}

#[test]
fn what_the_event_does_not_list_is_ignored_and_goes_nowhere() {
    let script = FakeRunner::new()
        .prints(
            "a",
            json!({"text": "one", "notes": ["n"], "say": "hello", "verdict": "retry"}),
        )
        .prints("b", json!({}));
    let seen = fire("narrow", vec![on("narrow", hook("a")), on("narrow", hook("b"))], script);
    assert_eq!(
        seen.ignored("a"),
        [
            "notes: narrow does not accept it",
            "say: narrow does not accept it",
            "verdict: narrow does not accept it"
        ]
    );
    assert_eq!(seen.step("a").ignored[0].code, "not_accepted");
    assert_eq!(seen.given[1].1, json!({"text": "one"}));
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
    assert_eq!(
        seen.trace.reply.json,
        json!({"replaced": {"text": "one"}, "additions": {}, "halted": false, "below": null})
    );
    assert!(seen.trace.notices.is_empty());
}

#[test]
fn an_answer_of_which_nothing_is_accepted_is_no_opinion() {
    let seen = fire(
        "narrow",
        vec![on("narrow", hook("a"))],
        FakeRunner::new().prints("a", json!({"notes": ["n"]})),
    );
    assert_eq!(seen.outcomes(), ["a no_opinion"]);
}

#[test]
fn lists_gather_in_run_order_and_later_hooks_do_not_see_them() {
    let script = FakeRunner::new()
        .prints("a", json!({"notes": [1]}))
        .prints("b", json!({"notes": [2, 3]}));
    let seen = fire("guard", vec![hook("a"), hook("b")], script);
    assert_eq!(seen.given[1].1, json!({"text": "hi"}));
    assert_eq!(seen.trace.reply.json["additions"], json!({"notes": [1, 2, 3]}));
    assert_eq!(
        seen.after(),
        json!({"text": "hi", "notes": [1, 2, 3]}),
        "folded in once the chain has ended"
    );
}

#[test]
fn an_empty_list_changes_nothing() {
    let seen = fire(
        "guard",
        vec![hook("a")],
        FakeRunner::new().prints("a", json!({"notes": []})),
    );
    assert_eq!(seen.outcomes(), ["a no_opinion"]);
    assert!(
        seen.step("a").edits.is_empty(),
        "a step that changed nothing has no edits"
    );
}

#[test]
fn of_single_additions_the_last_counts_and_the_earlier_is_reported() {
    let script = FakeRunner::new()
        .prints("a", json!({"context": "x"}))
        .prints("b", json!({"context": "y"}));
    let seen = fire("guard", vec![hook("a"), hook("b")], script);
    assert_eq!(seen.ignored("a"), ["context: replaced by toy:user:b"]);
    assert_eq!(seen.trace.reply.json["additions"], json!({"context": "y"}));
    assert_eq!(seen.outcomes(), ["a changed", "b changed"]);
}

#[test]
fn every_message_for_the_user_is_a_notice_and_no_change() {
    let script = FakeRunner::new()
        .prints("a", json!({"say": "one"}))
        .prints("b", json!({"say": "two"}));
    let seen = fire("guard", vec![hook("a"), hook("b")], script);
    assert_eq!(seen.outcomes(), ["a no_opinion", "b no_opinion"]);
    assert_eq!(seen.notices(), ["one", "two"]);
    assert_eq!(seen.trace.reply.json["additions"], json!({"say": "two"}));
}

#[test]
fn a_halt_drops_earlier_edits_and_reports_it() {
    let script = FakeRunner::new()
        .prints("a", json!({"text": "one", "notes": [1], "context": "c", "say": "kept"}))
        .prints(
            "b",
            json!({"halt": true, "verdict": "stop", "text": "mine", "notes": [2], "say": "mine too"}),
        );
    let seen = fire("guard", vec![hook("a"), hook("b"), hook("c")], script);
    let dropped = |what: &str| format!("{what}: dropped: toy:user:b ended the chain");
    assert_eq!(seen.outcomes(), ["a changed", "b denied", "c skipped:chain_ended"]);
    assert_eq!(
        seen.ignored("a"),
        [dropped("text"), dropped("notes"), dropped("context")]
    );
    assert_eq!(seen.step("a").edits.len(), 3, "the step keeps what it did");
    assert_eq!(seen.ignored("b"), [dropped("text"), dropped("notes")]);
    assert_eq!(seen.after(), json!({"text": "hi"}));
    assert_eq!(seen.trace.reply.json["replaced"], json!({}));
    assert_eq!(seen.notices(), ["kept", "mine too"]);
    let verdict = &seen.trace.verdict;
    assert_eq!(
        (verdict.kind, verdict.by.as_deref(), verdict.reason.as_deref()),
        (VerdictKind::Stop, Some("toy:user:b"), Some("because"))
    );
    assert_eq!(verdict.code, None, "the words are the hook's");
    let chain = seen.step("c").gates.last().cloned().expect("a gate");
    assert_eq!(chain.why.as_deref(), Some("toy:user:b ended the chain"));
}

#[test]
fn a_halt_whose_verdict_is_not_accepted_ends_the_chain_without_blocking() {
    let script = FakeRunner::new()
        .prints("a", json!({"text": "one"}))
        .prints("b", json!({"halt": true, "verdict": "skip"}));
    let seen = fire("guard", vec![hook("a"), hook("b"), hook("c")], script);
    assert_eq!(seen.outcomes(), ["a changed", "b no_opinion", "c skipped:chain_ended"]);
    assert_eq!(seen.ignored("b"), ["verdict: guard does not accept it"]);
    assert_eq!(seen.trace.verdict, hookwright_model::Verdict::proceed());
    assert_eq!(seen.after(), json!({"text": "hi"}));
}

#[test]
fn of_verdicts_that_do_not_halt_the_last_counts() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "retry"}))
        .prints("b", json!({"verdict": "retry"}))
        .prints("c", json!({}));
    let seen = fire("guard", vec![hook("a"), hook("b"), hook("c")], script);
    assert_eq!(seen.trace.verdict.by.as_deref(), Some("toy:user:b"));
    assert_eq!(seen.ignored("a"), ["verdict: replaced by toy:user:b"]);
    assert_eq!(seen.outcomes(), ["a denied", "b denied", "c no_opinion"]);
}

#[test]
fn a_verdict_lost_to_a_halt_is_reported() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "retry"}))
        .prints("b", json!({"halt": true, "verdict": "stop"}));
    let seen = fire("guard", vec![hook("a"), hook("b")], script);
    assert_eq!(seen.ignored("a"), ["verdict: dropped: toy:user:b ended the chain"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Stop);
}

#[test]
fn a_verdict_lost_to_a_closed_failure_is_reported() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "retry", "text": "x"}))
        .breaks("b", 1);
    let seen = fire("guard", vec![hook("a"), closed("b")], script);
    assert_eq!(
        seen.ignored("a"),
        [
            "text: dropped: toy:user:b ended the chain",
            "verdict: dropped: toy:user:b ended the chain"
        ]
    );
    assert_eq!(seen.trace.verdict.by.as_deref(), Some("toy:user:b"));
}

#[test]
fn each_verdict_has_its_outcome() {
    let outcomes = [
        ("approve", "allowed"),
        ("respond", "changed"),
        ("ask", "asked"),
        ("retry", "denied"),
        ("stop", "denied"),
    ];
    for (verdict, outcome) in outcomes {
        let seen = fire(
            "guard",
            vec![hook("a")],
            FakeRunner::new().prints("a", json!({"verdict": verdict})),
        );
        assert_eq!(seen.outcomes(), [format!("a {outcome}")], "{verdict}");
    }
    let seen = fire(
        "guard",
        vec![hook("a")],
        FakeRunner::new().prints("a", json!({"verdict": "approve", "text": "x"})),
    );
    assert_eq!(seen.outcomes(), ["a changed"], "a change is told before an approval");
}

#[test]
fn a_notify_only_event_ignores_all_that_is_returned() {
    let script = FakeRunner::new()
        .prints("a", json!({"text": "x", "say": "s", "verdict": "stop", "halt": true}))
        .prints("b", json!({}));
    let seen = fire("told", vec![on("told", hook("a")), on("told", hook("b"))], script);
    let not = |what: &str| format!("{what}: told does not accept it");
    assert_eq!(seen.ignored("a"), [not("text"), not("say"), not("verdict")]);
    assert_eq!(seen.outcomes(), ["a no_opinion", "b no_opinion"]);
    assert_eq!(seen.after(), json!({"text": "hi"}));
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Proceed);
    assert!(seen.trace.notices.is_empty());
}

#[test]
fn a_decision_without_a_reason_gets_a_default_one() {
    let script = FakeRunner::new().prints("a", json!({"verdict": "retry", "unsaid": true, "halt": true}));
    let seen = fire("guard", vec![hook("a")], script);
    let verdict = &seen.trace.verdict;
    assert_eq!(verdict.reason.as_deref(), Some("nothing was said"));
    assert!(verdict.code.is_some());
    let told: Vec<(&str, Option<&str>)> = seen
        .trace
        .notices
        .iter()
        .filter(|notice| notice.kind == hookwright_model::NoticeKind::UserMessage)
        .map(|notice| (notice.text.as_str(), notice.hook.as_deref()))
        .collect();
    assert_eq!(told, [("tried again", seen.trace.verdict.by.as_deref())]);
}

#[test]
fn where_reasons_are_joined_the_strictest_weaker_decision_is_kept_too() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "ask"}))
        .prints("b", json!({"verdict": "deny", "weaker": "ask"}))
        .prints("c", json!({"verdict": "approve"}))
        .prints("d", json!({"verdict": "deny"}));
    let hooks = ["a", "b", "c", "d"].map(|name| on("fan", hook(name)));
    let seen = fire("fan", hooks.to_vec(), script);
    assert_eq!(seen.outcomes(), ["a asked", "b denied", "c allowed", "d denied"]);
    assert_eq!(seen.trace.verdict.kind, VerdictKind::Deny);
    assert_eq!(seen.trace.verdict.reason.as_deref(), Some("because\nbecause"));
    let below = &seen.trace.reply.json["below"];
    assert_eq!(
        (&below["kind"], &below["reason"]),
        (&json!("ask"), &json!("because\nand"))
    );
}

#[test]
fn joined_reasons_lose_their_message_code() {
    let script = FakeRunner::new()
        .prints("a", json!({"verdict": "deny", "unsaid": true}))
        .prints("b", json!({"verdict": "deny"}));
    let seen = fire("fan", vec![on("fan", hook("a")), on("fan", hook("b"))], script);
    let verdict = &seen.trace.verdict;
    assert_eq!(verdict.reason.as_deref(), Some("nothing was said\nbecause"));
    assert!(verdict.code.is_none());
}
