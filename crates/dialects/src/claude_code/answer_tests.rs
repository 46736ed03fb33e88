use std::time::Duration;

use hookwright_model::{Additions, Captured, Reply, Resolution, Verdict};
use serde_json::json;

use super::super::events::{CARD, OUTPUT};
use super::super::settings::tests::entry;
use super::*;

fn run(end: End, code: Option<i32>, stdout: &str, stderr: &str) -> Run {
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
        counters: BTreeMap::new(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

fn decode_run(event: &str, run: &Run) -> Decoded {
    let hook = entry(event, &json!({"type": "command", "command": "x"}))
        .hooks
        .remove(0);
    let payload = Payload::from_iter([("tool_name".to_owned(), json!("Bash"))]);
    decode(&hook, CARD.event(event).unwrap(), &payload, run)
}

#[test]
fn variables_for_later_commands_are_named() {
    let run = |text: &str| Run {
        env_file: text.as_bytes().to_vec(),
        ..run(End::Exit, Some(0), "", "")
    };
    let answer = answer(decode_run("SessionStart", &run("export TOKEN=secret\n# no\nB=2\n")));
    assert_eq!(answer.ignored[0].what, "CLAUDE_ENV_FILE");
    assert_eq!(answer.ignored[0].args["names"], "TOKEN, B");
    assert_eq!(decode_run("SessionStart", &run("")), Decoded::Nothing);
}

fn exit(event: &str, code: i32, stdout: &str, stderr: &str) -> Decoded {
    decode_run(event, &run(End::Exit, Some(code), stdout, stderr))
}

#[track_caller]
fn answer(decoded: Decoded) -> HookOutput {
    match decoded {
        Decoded::Answer(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn decisions(answer: &HookOutput) -> Vec<(VerdictKind, String)> {
    let all = answer.decision.iter().chain(&answer.other_decisions);
    let reason = |decision: &Decision| {
        let ours = decision.default_message.as_ref().map(|message| message.text.clone());
        decision.reason.clone().or(ours).unwrap_or_default()
    };
    all.map(|decision| (decision.kind, reason(decision))).collect()
}

#[track_caller]
fn assert_failure(decoded: Decoded, want: &str) {
    match decoded {
        Decoded::Failure(message) => assert_eq!(message.text, want),
        other => panic!("{other:?}"),
    }
}

fn hso(event: &str, fields: Value) -> String {
    let mut output = fields;
    output["hookEventName"] = json!(event);
    json!({"hookSpecificOutput": output}).to_string()
}

#[test]
fn exit_2_blocks_whatever_stdout_says() {
    let allow = hso("PreToolUse", json!({"permissionDecision": "allow"}));
    for (stdout, stderr, want) in [
        ("", "why", vec![(VerdictKind::Deny, "why")]),
        ("", "", vec![(VerdictKind::Deny, "No stderr output")]),
        (
            &*allow,
            "why",
            vec![(VerdictKind::Deny, "why"), (VerdictKind::Approve, "")],
        ),
        (
            r#"{"decision": "block", "reason": "own"}"#,
            "why",
            vec![(VerdictKind::Deny, "own")],
        ),
        (
            r#"{"decision": "block"}"#,
            "why",
            vec![(VerdictKind::Deny, "Blocked by hook")],
        ),
        ("{broken}", "why", vec![(VerdictKind::Deny, "why")]),
    ] {
        let found = decisions(&answer(exit("PreToolUse", 2, stdout, stderr)));
        let want: Vec<_> = want
            .into_iter()
            .map(|(kind, reason)| (kind, reason.to_owned()))
            .collect();
        assert_eq!(found, want, "{stdout}");
    }
    assert_failure(exit("SessionStart", 2, "", "why"), "exited with 2: why");
}

#[test]
fn an_answer_decides_at_every_exit_code_and_text_only_at_0() {
    let deny = hso(
        "PreToolUse",
        json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}),
    );
    for code in [0, 1, 7] {
        let found = decisions(&answer(exit("PreToolUse", code, &deny, "")));
        assert_eq!(found, [(VerdictKind::Deny, "no".to_owned())], "{code}");
    }
    let by_signal = decode_run("PreToolUse", &run(End::Signal, Some(9), &deny, ""));
    assert_eq!(decisions(&answer(by_signal)).len(), 1);
    assert_failure(exit("PreToolUse", 1, "text", ""), "exited with 1");
    assert_eq!(exit("PreToolUse", 1, "{}", ""), Decoded::Nothing);
    let said = answer(exit("PreToolUse", 0, "text", ""));
    assert_eq!(said.ignored[0].what, "stdout");
    let context = answer(exit("UserPromptSubmit", 0, "[1]", ""));
    assert_eq!(context.fields, [("additionalContext".to_owned(), json!("[1]"))]);
}

#[test]
fn only_text_between_braces_is_meant_as_an_answer() {
    let unreadable = "stdout looks like hook output, but is not one JSON object";
    for text in [
        "{\"decision\": block}",
        "{\"decision\": \"block\"}\n{\"reason\": \"x\"}",
        "{ done }",
    ] {
        assert_failure(exit("PreToolUse", 0, text, ""), unreadable);
    }
    for text in [
        "{\"decision\": \"block\"",
        "log {\"a\": 1}",
        "[1]",
        "{\"level\": 1}\n{\"level\": 2}",
    ] {
        assert_eq!(
            answer(exit("PreToolUse", 0, text, "")).ignored[0].what,
            "stdout",
            "{text}"
        );
    }
}

#[test]
fn null_another_type_and_another_word_fail_the_answer() {
    for (text, want) in [
        (r#"{"decision": null}"#.to_owned(), "`decision` must be a string"),
        (
            r#"{"decision": "deny"}"#.to_owned(),
            "`decision` is `deny`; it can be block or approve",
        ),
        (
            hso("PreToolUse", json!({"permissionDecision": "yes"})),
            "`permissionDecision` is `yes`; it can be allow, ask, deny or defer",
        ),
        (
            hso("PreToolUse", json!({"updatedInput": null})),
            "`updatedInput` must be an object",
        ),
    ] {
        assert_failure(exit("PreToolUse", 0, &text, ""), want);
    }
    assert_failure(
        exit(
            "PreModelSwitch",
            0,
            &hso("PreModelSwitch", json!({"permissionDecision": "defer"})),
            "",
        ),
        "`permissionDecision` is `defer`; it can be allow, ask or deny",
    );
}

#[test]
fn an_output_of_another_event_fails_the_answer_but_not_a_block_beside_it() {
    let other = hso("Stop", json!({}));
    assert_failure(
        exit("PreToolUse", 0, &other, ""),
        "`hookEventName` is Stop, but PreToolUse was fired",
    );
    let beside = r#"{"decision": "block", "reason": "r", "hookSpecificOutput": {"additionalContext": "x"}}"#;
    let found = answer(exit("PostToolUse", 0, beside, ""));
    assert_eq!(decisions(&found), [(VerdictKind::Deny, "r".to_owned())]);
    assert_eq!(found.ignored[0].what, "hookSpecificOutput");
}

#[test]
fn in_a_skill_asking_and_changing_deny() {
    for fields in [
        json!({"permissionDecision": "ask"}),
        json!({"permissionDecision": "defer"}),
        json!({"updatedInput": {}}),
        json!({"permissionDecision": "allow", "updatedInput": {}}),
    ] {
        let found = answer(exit("PreSkillShellCommand", 0, &hso("PreToolUse", fields.clone()), ""));
        assert_eq!(decisions(&found)[0].0, VerdictKind::Deny, "{fields}");
    }
    let allow = hso("PreSkillShellCommand", json!({"permissionDecision": "allow"}));
    assert!(answer(exit("PreSkillShellCommand", 0, &allow, "")).decision.is_none());
}

#[test]
fn the_end_of_a_turn_before_a_tool_does_not_prevent_the_call() {
    let ends = answer(exit(
        "PreToolUse",
        0,
        r#"{"continue": false, "stopReason": "enough"}"#,
        "",
    ));
    assert_eq!(decisions(&ends), [(VerdictKind::EndTurn, "enough".to_owned())]);
    assert_eq!(ends.warnings[0].code, "tool_still_runs");
}

#[test]
fn context_makes_a_stopping_agent_continue() {
    let found = answer(exit(
        "Stop",
        0,
        &hso("Stop", json!({"additionalContext": "test first"})),
        "",
    ));
    let decision = found.decision.unwrap();
    assert_eq!(
        (decision.kind, decision.feedback.as_deref()),
        (VerdictKind::Retry, Some("test first"))
    );
}

#[test]
fn a_missing_script_lets_the_agent_stop() {
    let decoded = exit("Stop", 2, "", "python3: can't open file 'x'");
    assert!(matches!(decoded, Decoded::Failure(message) if message.code == "missing_script"));
    assert!(matches!(
        exit("PreToolUse", 2, "", "can't open file"),
        Decoded::Answer(_)
    ));
}

#[test]
fn late_events_take_a_block_at_every_code_and_nothing_else() {
    let block = r#"{"decision": "block", "reason": "r"}"#;
    assert_eq!(decisions(&answer(exit("ConfigChange", 1, block, "")))[0].1, "r");
    assert_failure(exit("CwdChanged", 1, r#"{"systemMessage": "m"}"#, ""), "exited with 1");
}

#[test]
fn instructions_and_paths_are_text() {
    let kept = answer(exit("PreCompact", 0, "{\"keep\": 1}", ""));
    assert_eq!(kept.fields, [("additionalContext".to_owned(), json!("{\"keep\": 1}"))]);
    let path = answer(exit("WorktreeCreate", 0, "made\n\u{1b}[1m/w/a\u{1b}[0m\n\n", ""));
    assert_eq!(path.fields, [("worktreePath".to_owned(), json!("/w/a"))]);
    assert!(matches!(exit("WorktreeCreate", 0, "", ""), Decoded::Closed(_)));
}

#[test]
fn a_limit_that_is_reached_before_a_switch_of_the_model_blocks() {
    let timed_out = run(End::TimedOut, None, "", "");
    assert!(matches!(decode_run("PreModelSwitch", &timed_out), Decoded::Closed(_)));
    assert!(matches!(decode_run("PreToolUse", &timed_out), Decoded::Failure(_)));
}

fn reply(event: &str, verdict: Verdict, additions: Value) -> Reply {
    let object = additions.as_object().cloned().unwrap_or_default();
    let resolution = Resolution {
        verdict,
        weaker_verdict: None,
        trace: String::new(),
        payload: Payload::new().into(),
        replaced: Default::default(),
        additions: object.into_iter().collect::<Additions>(),
        halted: false,
    };
    hook_output::reply(&OUTPUT, CARD.event(event).unwrap(), &resolution)
}

#[test]
fn each_event_has_its_own_form_of_a_block() {
    let verdict = |kind| Verdict {
        kind,
        reason: Some("r".to_owned()),
        ..Verdict::proceed()
    };
    for (event, kind, want) in [
        (
            "PreToolUse",
            VerdictKind::Deny,
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "r"}}),
        ),
        ("Stop", VerdictKind::Retry, json!({"decision": "block", "reason": "r"})),
        (
            "PostToolBatch",
            VerdictKind::EndTurn,
            json!({"decision": "block", "reason": "r"}),
        ),
        (
            "Stop",
            VerdictKind::EndTurn,
            json!({"continue": false, "stopReason": "r"}),
        ),
        (
            "Elicitation",
            VerdictKind::Deny,
            json!({"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "decline"}}),
        ),
        (
            "PermissionRequest",
            VerdictKind::Deny,
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "r"}}}),
        ),
    ] {
        let reply = reply(event, verdict(kind), json!({}));
        assert_eq!((reply.json, reply.exit_code), (want, 0), "{event}");
    }
    let by_code = reply("TaskCompleted", verdict(VerdictKind::Deny), json!({}));
    assert_eq!((by_code.json, by_code.exit_code, &*by_code.stderr), (json!({}), 2, "r"));
    let context = Verdict {
        kind: VerdictKind::Retry,
        feedback: Some("c".to_owned()),
        ..Verdict::proceed()
    };
    let reply = reply("Stop", context, json!({"additionalContext": "c"}));
    assert_eq!(
        reply.json,
        json!({"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "c"}})
    );
}

#[test]
fn after_eight_blocked_stops_in_a_row_the_agent_may_stop() {
    let stop = CARD.event("Stop").unwrap();
    let mut memory = Memory::new(&|_| None);
    for _ in 0..8 {
        let read = memory.read(stop, &Payload::new());
        assert!(read.no_block_reason.is_none());
        memory.remember(
            stop,
            &read,
            &mut hookwright_testkit::trace_with_verdict("Stop", VerdictKind::Retry),
        );
    }
    assert!(memory.read(stop, &Payload::new()).no_block_reason.is_some());
    let tool = CARD.event("PreToolUse").unwrap();
    let read = memory.read(tool, &Payload::new());
    memory.remember(
        tool,
        &read,
        &mut hookwright_testkit::trace_with_verdict("PreToolUse", VerdictKind::Proceed),
    );
    assert!(memory.read(stop, &Payload::new()).no_block_reason.is_none());
}

#[test]
fn a_variable_sets_how_many_stops_can_be_blocked() {
    let stop = CARD.event("Stop").unwrap();
    for (set, limit) in [("2", Some(2)), ("0", None), ("many", Some(8))] {
        let mut memory = Memory::new(&|name| (name == "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").then(|| set.to_owned()));
        let mut blocked = 0;
        while blocked < 10 && memory.read(stop, &Payload::new()).no_block_reason.is_none() {
            let read = memory.read(stop, &Payload::new());
            memory.remember(
                stop,
                &read,
                &mut hookwright_testkit::trace_with_verdict("Stop", VerdictKind::Retry),
            );
            blocked += 1;
        }
        assert_eq!(blocked, limit.unwrap_or(10), "{set}");
    }
}

#[test]
fn the_blocked_stops_of_each_subagent_are_counted_alone() {
    let stop = CARD.event("SubagentStop").unwrap();
    let payload = |agent: &str| Payload::from_iter([("agent_id".to_owned(), json!(agent))]);
    let mut memory = Memory::new(&|_| None);
    for _ in 0..8 {
        let read = memory.read(stop, &payload("a"));
        let mut trace = hookwright_testkit::trace_with_verdict("SubagentStop", VerdictKind::Retry);
        trace.payload_before = payload("a").into();
        memory.remember(stop, &read, &mut trace);
    }
    assert!(memory.read(stop, &payload("a")).no_block_reason.is_some());
    assert!(memory.read(stop, &payload("b")).no_block_reason.is_none());
    let main = CARD.event("Stop").unwrap();
    assert!(memory.read(main, &Payload::new()).no_block_reason.is_none());
}

#[test]
fn only_titles_notifications_and_the_bell_reach_the_terminal() {
    for (text, want) in [
        ("\u{7}", true),
        ("\u{1b}]0;title\u{7}", true),
        ("\u{1b}]777;notify;a;b\u{1b}\\\u{7}", true),
        ("\u{1b}]52;c;x\u{7}", false),
        ("\u{1b}[2J", false),
        ("text", false),
    ] {
        assert_eq!(is_written(text), want, "{text:?}");
    }
}

#[test]
fn the_output_of_a_tool_keeps_its_form() {
    let bash = json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
    for (tool, response, value, want) in [
        ("Bash", json!({}), bash, true),
        ("Bash", json!({}), json!({"stdout": "x"}), false),
        ("mcp__a__b", json!(""), json!([1]), true),
        ("mcp__a__b", json!(""), json!(1), false),
        ("Read", json!({"a": 1}), json!({"a": 2, "b": 3}), true),
        ("Read", json!({"a": 1}), json!({"b": 3}), false),
        ("Read", json!("x"), json!("y"), true),
        ("Read", json!("x"), json!(1), false),
    ] {
        assert_eq!(has_form(tool, &response, &value), want, "{tool} {value}");
    }
}

#[test]
fn beside_defer_nothing_counts() {
    let deferred = hso(
        "PreToolUse",
        json!({"permissionDecision": "defer", "updatedInput": {}, "additionalContext": "c"}),
    );
    let found = answer(exit("PreToolUse", 0, &deferred, ""));
    assert!(found.decision.is_none() && found.fields.is_empty());
    let names: Vec<&str> = found.ignored.iter().map(|ignored| ignored.what.as_str()).collect();
    assert_eq!(names, ["permissionDecision", "updatedInput", "additionalContext"]);
}
