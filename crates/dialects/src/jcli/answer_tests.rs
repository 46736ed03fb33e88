use std::time::Duration;

use hookwright_model::{Captured, Files, Layer, Root, SourceTree};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::jcli::Jcli;
use crate::jcli::events::CARD;

fn hook(fields: &str) -> Hook {
    let root = Root::file(Layer::User, "/h.yaml".into(), None);
    let text = Ok(format!("stop: [{fields}]"));
    std::sync::Arc::unwrap_or_clone(Jcli.parse(&SourceTree::with_text(root, text)).hooks.remove(0))
}

fn bash() -> Hook {
    hook("{command: x, timeout: 5}")
}

fn llm() -> Hook {
    hook("{type: llm, prompt: x, timeout: 7}")
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

fn printed(stdout: &str) -> Run {
    run(End::Exit, Some(0), stdout, "ignored")
}

fn event_spec(name: &str) -> &'static EventSpec {
    CARD.event(name).unwrap()
}

#[track_caller]
fn assert_failure(hook: &Hook, run: &Run, want: &str) {
    match decode(hook, event_spec("stop"), run) {
        Decoded::Failure(message) => assert_eq!(message.text, want),
        other @ (Decoded::Nothing | Decoded::Answer(_) | Decoded::Closed(_)) => panic!("{other:?}, wanted {want}"),
    }
}

#[track_caller]
fn decode_answer(event: &str, text: &str) -> HookOutput {
    match decode(&bash(), event_spec(event), &printed(text)) {
        Decoded::Answer(answer) => answer,
        other @ (Decoded::Nothing | Decoded::Failure(_) | Decoded::Closed(_)) => panic!("{text}: {other:?}"),
    }
}

#[test]
fn blank_output_and_an_empty_object_are_nothing() {
    for text in [
        "",
        "  \n",
        "{}",
        " {} \n",
        "{ }",
        "{\"user_input\": null}",
        "{\"abort\": false}",
        "{\"system_message\": \"\"}",
    ] {
        assert_eq!(
            decode(&bash(), event_spec("stop"), &printed(text)),
            Decoded::Nothing,
            "{text:?}"
        );
    }
}

#[test]
fn every_other_output_of_a_command_is_a_failure() {
    for text in [
        "```json\n{}\n```",
        "log\n{}",
        "{} done",
        "null",
        "\"x\"",
        "5",
        "true",
        "[]",
        "{",
        "{} {}",
        "{'a': 1}",
    ] {
        assert_failure(&bash(), &printed(text), "stdout is not one JSON object");
    }
}

#[test]
fn a_command_that_ended_otherwise_fails_with_its_stderr() {
    let answer = r#"{"action":"stop"}"#;
    assert_failure(
        &bash(),
        &run(End::Exit, Some(3), answer, "  no jq \n"),
        "exited with 3: no jq",
    );
    assert_failure(&bash(), &run(End::Exit, Some(127), answer, ""), "exited with 127");
    assert_failure(&bash(), &run(End::Signal, Some(9), answer, ""), "ended by signal 9");
    assert_failure(
        &bash(),
        &run(End::Signal, Some(15), answer, "bye"),
        "ended by signal 15: bye",
    );
    assert_failure(&bash(), &run(End::TimedOut, None, answer, "x"), "timed out after 5 s");
    assert_failure(
        &bash(),
        &run(End::NotStarted, None, "", "no such file"),
        "could not be started: no such file",
    );
    assert_failure(&bash(), &run(End::Done, None, "", ""), "ended without output");
    let long = "x".repeat(5000);
    let Decoded::Failure(message) = decode(&bash(), event_spec("stop"), &run(End::Exit, Some(1), "", &long)) else {
        panic!("no failure")
    };
    assert!(message.text.chars().count() < 2100 && message.text.ends_with('x'));
}

#[test]
fn more_than_can_be_read_is_a_failure() {
    let mut run = printed("{}");
    run.stdout.total = 33 << 20;
    assert_failure(&bash(), &run, "stdout is larger than 32 MiB");
}

#[test]
fn invalid_utf_8_is_replaced() {
    let run = run(End::Exit, Some(0), b"{\"system_message\": \"a\xff\"}".as_slice(), "");
    let Decoded::Answer(answer) = decode(&bash(), event_spec("stop"), &run) else {
        panic!("no answer")
    };
    assert_eq!(answer.fields, [("system_message".to_owned(), json!("a\u{fffd}"))]);
}

#[test]
fn a_model_may_wrap_its_object_in_prose() {
    let replied = |text: &str| {
        decode(
            &llm(),
            event_spec("pre_tool_execution"),
            &run(End::Replied, None, text, ""),
        )
    };
    for text in ["", " \n", "{}", "Sure: {}", "```json\n{ }\n```"] {
        assert_eq!(replied(text), Decoded::Nothing, "{text}");
    }
    let Decoded::Answer(answer) = replied("I think\n```json\n{\"action\": \"skip\"}\n``` so.") else {
        panic!("no answer")
    };
    assert_eq!(
        (answer.decision.map(|decision| decision.kind), answer.halt),
        (Some(VerdictKind::Skip), true)
    );
    for text in ["no", "} {", "{a}", "{\"a\": 1} and {\"b\": 2}", "{"] {
        assert!(
            matches!(replied(text), Decoded::Failure(message) if message.text == "the response is not one JSON object"),
            "{text}"
        );
    }
    assert_failure(
        &llm(),
        &run(End::Refused, None, "", "no model"),
        "the model did not respond: no model",
    );
    assert_failure(&llm(), &run(End::TimedOut, None, "", ""), "timed out after 7 s");
}

#[test]
fn a_field_of_the_wrong_kind_fails_the_whole_answer() {
    let table = [
        (r#"{"user_input": 5}"#, "`user_input` must be string"),
        (r#"{"tool_arguments": {"a": 1}}"#, "`tool_arguments` must be string"),
        (r#"{"system_message": []}"#, "`system_message` must be string"),
        (r#"{"messages": "x"}"#, "`messages` must be array"),
        (
            r#"{"messages": [5]}"#,
            "`messages` item 0 is not a valid message: not an object",
        ),
        (
            r#"{"messages": [{"role": "user"}, {"content": "x"}]}"#,
            "`messages` item 1 is not a valid message: `role` is not a string",
        ),
        (
            r#"{"messages": [{"role": 5}]}"#,
            "`messages` item 0 is not a valid message: `role` is not a string",
        ),
        (
            r#"{"inject_messages": [{"role": "a", "content": []}]}"#,
            "`inject_messages` item 0 is not a valid message: `content` is not a string",
        ),
        (
            r#"{"messages": [{"role": "a", "tool_calls": 1}]}"#,
            "`messages` item 0 is not a valid message: `tool_calls` is not an array",
        ),
        (
            r#"{"messages": [{"role": "a", "tool_call_id": 1}]}"#,
            "`messages` item 0 is not a valid message: `tool_call_id` is not a string",
        ),
        (r#"{"action": "deny"}"#, "`action` is `deny`; it can be stop or skip"),
        (r#"{"action": 1}"#, "`action` must be string"),
        (r#"{"abort": null}"#, "`abort` is null; it must be true or false"),
        (r#"{"abort": "true"}"#, "`abort` must be boolean"),
        (
            r#"{"action": "stop", "action": "skip"}"#,
            "duplicate key `action` in the output",
        ),
        (r#"{"x": {"y": 1, "y": 2}}"#, "duplicate key `y` in the output"),
    ];
    for (text, want) in table {
        assert_failure(&bash(), &printed(text), want);
    }
}

#[test]
fn fields_are_reported_as_they_were_read() {
    let answer = decode_answer(
        "stop",
        r#"{"user_input": "", "zebra": 1, "messages": [{"role": "user", "x": 1}], "model": null, "action": null}"#,
    );
    let fields = [
        ("user_input".to_owned(), json!("")),
        ("messages".to_owned(), json!([{"role": "user", "x": 1, "content": ""}])),
    ];
    assert_eq!(answer.fields, fields);
    let ignored: Vec<(&str, &str)> = answer
        .ignored
        .iter()
        .map(|one| (one.what.as_str(), one.code.as_str()))
        .collect();
    assert_eq!(ignored, [("zebra", "unknown_key"), ("model", "unknown_key")]);
    assert!(answer.decision.is_none() && !answer.halt);
}

/// What the control fields of an output result in: `verdict by field`, feedback, halt, ignored.
fn control(event: &str, text: &str) -> String {
    let answer = decode_answer(event, text);
    let decision = answer.decision.map_or_else(
        || "-".to_owned(),
        |decision| {
            format!(
                "{} by {}{}",
                decision.kind.as_str(),
                decision.what,
                decision
                    .feedback
                    .map_or_else(String::new, |text| format!(" saying {text}"))
            )
        },
    );
    let fields: String = answer.fields.iter().map(|(name, _)| format!(", {name}")).collect();
    let ignored: String = answer
        .ignored
        .iter()
        .map(|one| format!(", no {} ({})", one.what, one.code))
        .collect();
    format!("{decision}{}{fields}{ignored}", if answer.halt { ", halt" } else { "" })
}

#[test]
fn control_fields_come_together_as_the_specification_says() {
    let table = [
        ("pre_tool_execution", r#"{"action": "skip"}"#, "skip by action, halt"),
        ("pre_tool_execution", r#"{"action": "stop"}"#, "stop by action, halt"),
        ("pre_tool_execution", r#"{"abort": true}"#, "stop by abort, halt"),
        (
            "pre_tool_execution",
            r#"{"abort": true, "action": "stop"}"#,
            "stop by action, halt",
        ),
        (
            "pre_tool_execution",
            r#"{"abort": true, "action": "skip"}"#,
            "stop by abort, halt, no action (stop_wins)",
        ),
        (
            "pre_tool_execution",
            r#"{"abort": false, "action": "skip"}"#,
            "skip by action, halt",
        ),
        (
            "pre_tool_execution",
            r#"{"action": "stop", "retry_feedback": "f"}"#,
            "retry by action saying f, halt",
        ),
        (
            "pre_tool_execution",
            r#"{"abort": true, "retry_feedback": "f"}"#,
            "retry by abort saying f, halt",
        ),
        (
            "pre_tool_execution",
            r#"{"action": "skip", "retry_feedback": "f"}"#,
            "skip by action, halt, no retry_feedback (needs_stop)",
        ),
        (
            "pre_tool_execution",
            r#"{"retry_feedback": "f"}"#,
            "-, no retry_feedback (needs_stop)",
        ),
        (
            "pre_send_message",
            r#"{"retry_feedback": "f"}"#,
            "-, no retry_feedback (needs_stop)",
        ),
        ("stop", r#"{"retry_feedback": "f"}"#, "retry by retry_feedback saying f"),
        (
            "stop",
            r#"{"retry_feedback": "f", "action": "stop"}"#,
            "retry by action saying f, halt",
        ),
        (
            "stop",
            r#"{"retry_feedback": "", "action": "stop"}"#,
            "stop by action, halt",
        ),
        ("stop", r#"{"action": "skip"}"#, "skip by action, halt"),
        (
            "stop",
            r#"{"action": "skip", "retry_feedback": "f"}"#,
            "skip by action, halt, no retry_feedback (needs_stop)",
        ),
        (
            "post_tool_execution",
            r#"{"action": "stop", "retry_feedback": "f"}"#,
            "stop by action, halt, retry_feedback",
        ),
        ("post_tool_execution", r#"{"retry_feedback": "f"}"#, "-, retry_feedback"),
        (
            "session_start",
            r#"{"action": "stop", "retry_feedback": "f"}"#,
            "stop by action, halt, retry_feedback",
        ),
    ];
    for (event, text, want) in table {
        assert_eq!(control(event, text), want, "{event} {text}");
    }
}

proptest! {
    #[test]
    fn no_output_makes_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), code in any::<Option<i32>>()) {
        for event in CARD.events {
            let _ = decode(&bash(), event, &run(End::Exit, Some(0), bytes.clone(), ""));
            let _ = decode(&llm(), event, &run(End::Replied, code, bytes.clone(), ""));
        }
    }

    #[test]
    fn no_object_makes_the_decoder_panic(text in r#"\{("(action|abort|messages|retry_feedback|user_input|x)": ?("stop"|"skip"|true|null|\[\{"role":"u"\}\]|5|"é中"),? ?){0,4}\}"#) {
        for event in CARD.events {
            let _ = decode(&bash(), event, &printed(&text));
        }
    }
}
