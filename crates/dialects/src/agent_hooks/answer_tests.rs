use std::path::PathBuf;
use std::time::Duration;

use hookwright_model::{Captured, Files, Layer, Root, SourceTree};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::agent_hooks::AgentHooks;
use crate::agent_hooks::events::CARD;

fn hook(fields: &str) -> Hook {
    let root = Root::file(Layer::User, PathBuf::from("/h/a/HOOK.md"), None);
    let text = format!("---\nname: a\ndescription: d\ntrigger: before_tool\n{fields}\n---\n");
    std::sync::Arc::unwrap_or_clone(AgentHooks.parse(&SourceTree::with_text(root, Ok(text))).hooks.remove(0))
}

fn run(end: End, code: Option<i32>, stdout: impl Into<Vec<u8>>, stderr: &str) -> Run {
    Run {
        end,
        code: code.filter(|_| end != End::Signal),
        signal: code.filter(|_| end == End::Signal),
        stdin: Captured::default(),
        stdout: Captured::new(stdout),
        stderr: Captured::new(stderr),
        took: Duration::ZERO,
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters: std::collections::BTreeMap::new(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

fn successful_run(stdout: impl Into<Vec<u8>>) -> Run {
    run(End::Exit, Some(0), stdout, "only for the log")
}

fn decoded(event: &str, run: &Run) -> Decoded {
    decode(&hook("timeout: 5000"), CARD.event(event).unwrap(), run)
}

#[track_caller]
fn answer(event: &str, run: &Run) -> HookOutput {
    match decoded(event, run) {
        Decoded::Answer(answer) => answer,
        other @ (Decoded::Nothing | Decoded::Failure(_) | Decoded::Closed(_)) => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_failure(run: &Run, want: &str) {
    match decoded("before_tool", run) {
        Decoded::Failure(message) => assert_eq!(message.text, want),
        other @ (Decoded::Nothing | Decoded::Answer(_) | Decoded::Closed(_)) => panic!("{other:?}, wanted {want}"),
    }
}

/// The kind of the decision, the hook's own reason, and Hookwright's message.
fn decision_parts(answer: &HookOutput) -> (VerdictKind, Option<&str>, Option<&str>) {
    let decision = answer.decision.as_ref().expect("a decision");
    let ours = decision.default_message.as_ref().map(|message| message.text.as_str());
    (decision.kind, decision.reason.as_deref(), ours)
}

#[test]
fn the_exit_code_comes_first() {
    assert_eq!(decoded("before_tool", &successful_run("")), Decoded::Nothing);
    assert_eq!(decoded("before_tool", &successful_run(" \n\t")), Decoded::Nothing);
    assert_eq!(decoded("before_tool", &successful_run("{}")), Decoded::Nothing);
    let denies = r#"{"decision": "deny"}"#;
    assert_failure(&run(End::Exit, Some(1), denies, ""), "Hook exited with code 1");
    assert_failure(
        &run(End::Exit, Some(127), "", " x: not found\n"),
        "Hook exited with code 127: x: not found",
    );
    assert_failure(&run(End::Exit, Some(-1), "", ""), "Hook exited with code -1");
    assert_failure(&run(End::Signal, Some(2), denies, ""), "ended by signal 2");
    assert_failure(&run(End::TimedOut, None, denies, "slow"), "Timeout (5000 ms)");
    assert_failure(
        &run(End::NotStarted, None, "", "no such file"),
        "could not be started: no such file",
    );
    assert_failure(&run(End::Replied, None, "{}", ""), "ended without output");
}

#[test]
fn exit_2_blocks_with_stderr_as_the_reason() {
    let blocked = answer("before_tool", &run(End::Exit, Some(2), "", " no\nway \n"));
    assert_eq!(decision_parts(&blocked).1, Some("no\nway"));
    assert!(blocked.halt && blocked.ignored.is_empty() && decision_parts(&blocked).0 == VerdictKind::Deny);
    let silent = answer("session_end", &run(End::Exit, Some(2), "\n", " \n"));
    assert_eq!(
        decision_parts(&silent),
        (VerdictKind::Deny, None, Some("Blocked by hook (exit code 2)"))
    );
    let stop = answer(
        "before_stop",
        &run(End::Exit, Some(2), r#"{"decision":"allow"}"#, "again"),
    );
    assert_eq!(decision_parts(&stop).0, VerdictKind::Retry);
    assert_eq!(stop.decision.as_ref().unwrap().feedback.as_deref(), Some("again"));
    assert_eq!(stop.ignored[0].what, "stdout");
}

#[test]
fn each_decision_of_the_seed_is_a_verdict() {
    let said = |event: &str, text: &str| answer(event, &successful_run(text));
    assert_eq!(
        decision_parts(&said("before_tool", r#"{"decision": "allow"}"#)),
        (VerdictKind::Approve, None, None)
    );
    let denied = said("before_tool", r#"{"decision": "deny"}"#);
    assert_eq!(
        decision_parts(&denied),
        (VerdictKind::Deny, None, Some("Blocked by hook 'a'"))
    );
    assert!(denied.halt);
    let ask = said("before_tool", r#"{"decision": "ask", "reason": "r"}"#);
    assert_eq!(
        (decision_parts(&ask).0, decision_parts(&ask).1, ask.halt),
        (VerdictKind::Ask, Some("r"), false)
    );
    let stop = said("before_stop", r#"{"decision": "ask"}"#);
    assert_eq!(
        (decision_parts(&stop), stop.halt),
        ((VerdictKind::Retry, None, Some("Hook requested confirmation")), true)
    );
    for odd in [r#""block""#, "true", "2", r#"["deny"]"#, r#""""#, r#""Deny""#] {
        let said = said("before_tool", &format!(r#"{{"decision": {odd}, "reason": "r"}}"#));
        assert_eq!(said.decision, None, "{odd}");
        assert_eq!(said.ignored[0].what, "decision", "{odd}");
    }
}

#[test]
fn fields_are_read_one_by_one() {
    let said = answer(
        "before_tool",
        &successful_run(
            r#"{"log": {"a": 1}, "modified_input": {"b": 2}, "additional_context": "c", "x": 1, "y": null}"#,
        ),
    );
    let fields: Vec<(&str, &Value)> = said.fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
    assert_eq!(
        fields,
        [
            ("modified_input", &json!({"b": 2})),
            ("additional_context", &json!("c")),
            ("log", &json!({"a": 1}))
        ]
    );
    assert_eq!(said.ignored.len(), 1);
    assert_eq!((said.ignored[0].what.as_str(), said.decision), ("x", None));
    for odd in ["1", "[]", r#""x""#, "true"] {
        assert_failure(
            &successful_run(format!(r#"{{"decision": "deny", "modified_input": {odd}}}"#)),
            "`modified_input` must be an object",
        );
    }
}

#[test]
fn text_is_context_and_other_json_is_a_failure() {
    for text in ["hello", "{", "{'a': 1}", "deny", "{} {}", "NaN", "# x\n{}"] {
        let said = answer("before_agent", &successful_run(format!(" {text}\n")));
        assert_eq!(said.fields, [("additional_context".to_owned(), json!(text))]);
    }
    for text in ["1", "null", "true", "\"x\"", "[{}]"] {
        assert_failure(&successful_run(text), "stdout is JSON, but not an object");
    }
    assert_failure(&successful_run(vec![b'{', 0xff, b'}']), "stdout is not UTF-8");
}

#[test]
fn a_detached_hook_returns_no_log_field() {
    let late = hook("async: true");
    let event = CARD.event("after_tool").unwrap();
    assert_eq!(
        decode(&late, event, &successful_run(r#"{"log": "l"}"#)),
        Decoded::Nothing
    );
}

proptest! {
    #[test]
    fn any_bytes_are_decoded(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        code in proptest::option::of(-2_i32..4),
        event in proptest::sample::select(CARD.events.iter().map(|event| event.name).collect::<Vec<_>>()),
    ) {
        let ended = run(End::Exit, code, bytes, "");
        let _ = decoded(event, &ended);
    }

    #[test]
    fn only_a_block_ends_the_chain(
        decision in proptest::sample::select(vec!["allow", "deny", "ask", "maybe"]),
        event in proptest::sample::select(CARD.events.iter().map(|event| event.name).collect::<Vec<_>>()),
    ) {
        let text = json!({"decision": decision, "additional_context": "c"}).to_string();
        let said = answer(event, &successful_run(text));
        let blocks = decision == "deny" || (decision == "ask" && event == "before_stop");
        prop_assert_eq!(said.halt, blocks);
    }
}
