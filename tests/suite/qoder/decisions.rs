//! What the decisions of hooks do to a turn.

use super::*;

#[test]
fn a_denied_call_gives_the_model_the_reason_and_fires_nothing_further() {
    let no = specific(
        "PreToolUse",
        &json!({"permissionDecision": "deny", "permissionDecisionReason": "not here"}),
    );
    let doc = simulate_turn(&with_hooks(&[("PreToolUse", "Bash", &no)]), &ls());
    assert_eq!(events(&doc), WITHOUT_ITS_TOOL);
    assert_eq!(
        final_lines(&doc),
        [
            "user user go",
            "assistant assistant",
            "tool tool not here",
            "assistant assistant done"
        ]
    );
    assert_eq!(doc["final_messages"][2]["hook"], "qoder:user:PreToolUse:settings.0.0");

    let blocked = simulate_turn(&with_hooks(&[("PreToolUse", "Bash", "exit 2")]), &ls());
    assert_eq!(final_lines(&blocked)[2], "tool tool blocked by hook");
    let silent = specific("PreToolUse", &json!({"permissionDecision": "deny"}));
    let silent = simulate_turn(&with_hooks(&[("PreToolUse", "Bash", &silent)]), &ls());
    assert_eq!(final_lines(&silent)[2], "tool tool the call was denied by a hook");
}

#[test]
fn other_calls_of_an_answer_continue_after_a_denial() {
    let steps = json!([
        {"calls": [{"tool": "Bash", "result": "no"}, {"tool": "Read", "result": "text"}]},
        {"reply": "done"}
    ]);
    let doc = simulate_turn(&with_hooks(&[("PreToolUse", "Bash", "echo no >&2; exit 2")]), &steps);
    assert_eq!(
        events(&doc)[2..5],
        ["PreToolUse", "PreToolUse", "PostToolUse"],
        "nothing further for the first"
    );
    assert_eq!(final_lines(&doc)[2..4], ["tool tool no", "tool tool text"]);
}

#[test]
fn an_approved_call_asks_no_permission() {
    let yes = specific("PreToolUse", &json!({"permissionDecision": "allow"}));
    let doc = simulate_turn(&with_hooks(&[("PreToolUse", "Bash", &yes)]), &ls());
    assert_eq!(events(&doc), WITH_A_CALL);
}

#[test]
fn a_changed_input_is_used_for_the_call_and_in_the_conversation() {
    let input = specific(
        "PreToolUse",
        &json!({"updatedInput": {"command": "ls -la"}, "additionalContext": "tidied"}),
    );
    let doc = simulate_turn(&with_hooks(&[("PreToolUse", "Bash", &input)]), &ls());
    assert_eq!(
        payload_of(&doc, "PostToolUse")["tool_input"],
        json!({"command": "ls -la"})
    );
    let shown = doc["final_messages"][1]["tool_calls"][0]["arguments"].as_str().unwrap();
    assert_eq!(shown, r#"{"command":"ls -la"}"#);
    assert_eq!(final_lines(&doc)[2..4], ["tool tool a.rs", "user hook tidied"]);
}

#[test]
fn an_ask_fires_the_permission_request_hooks() {
    let ask = specific(
        "PreToolUse",
        &json!({"permissionDecision": "ask", "updatedInput": {"command": "ls -la"}}),
    );
    let decide = |decision: Value| specific("PermissionRequest", &json!({ "decision": decision }));
    let asked_then = |answer: &str| {
        simulate_turn(
            &with_hooks(&[("PreToolUse", "Bash", &ask), ("PermissionRequest", "Bash", answer)]),
            &ls(),
        )
    };
    let doc = asked_then(&decide(
        json!({"behavior": "allow", "updatedInput": {"command": "ls -1"}}),
    ));
    assert_eq!(
        events(&doc),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "Stop",
            "SessionEnd"
        ]
    );
    let asked = payload_of(&doc, "PermissionRequest");
    assert_eq!(
        (&asked["tool_input"]["command"], &asked["tool_use_id"]),
        (&json!("ls -la"), &Value::Null)
    );
    assert_eq!(payload_of(&doc, "PostToolUse")["tool_input"]["command"], "ls -1");
    assert_eq!(doc["notices"], json!([]));

    let doc = asked_then(&decide(json!({"behavior": "deny", "message": "ask me tomorrow"})));
    assert_eq!(
        events(&doc)[2..],
        ["PreToolUse", "PermissionRequest", "Stop", "SessionEnd"]
    );
    assert_eq!(final_lines(&doc)[2], "tool tool ask me tomorrow");

    let doc = asked_then(&decide(
        json!({"behavior": "deny", "message": "enough", "interrupt": true}),
    ));
    assert_eq!(events(&doc)[2..], ["PreToolUse", "PermissionRequest", "SessionEnd"]);
    assert_eq!(final_lines(&doc).last().unwrap(), "tool tool enough");
}

#[test]
fn an_unanswered_ask_counts_as_allowed_with_a_notice() {
    let ask = specific("PreToolUse", &json!({"permissionDecision": "ask"}));
    let doc = simulate_turn(&with_hooks(&[("PreToolUse", "Bash", &ask)]), &ls());
    assert_eq!(events(&doc)[2..5], ["PreToolUse", "PermissionRequest", "PostToolUse"]);
    assert_eq!(
        notices(&doc),
        ["the user would be asked about Bash here; the simulation continues as if they allowed it"]
    );
    assert_eq!(doc["notices"][0]["hook"], "qoder:user:PreToolUse:settings.0.0");
}

#[test]
fn the_model_gets_the_reason_of_a_block_after_the_tool() {
    let block = echo_command(&json!({"decision": "block", "reason": "that was production"}));
    let doc = simulate_turn(&with_hooks(&[("PostToolUse", "Bash", &block)]), &ls());
    assert_eq!(events(&doc), WITH_A_CALL);
    assert_eq!(
        final_lines(&doc)[2..4],
        ["tool tool a.rs", "user hook that was production"]
    );
}

#[test]
fn a_blocked_prompt_is_not_sent_and_the_next_turn_follows() {
    let sandbox = with_hooks(&[(
        "UserPromptSubmit",
        "",
        "grep -q secret && { echo no >&2; exit 2; } || true",
    )]);
    let turns =
        json!([{"user": "the secret", "steps": [{"reply": "never"}]}, {"user": "go", "steps": [{"reply": "ok"}]}]);
    let doc = simulate(&sandbox, &json!({"dialect": "qoder", "turns": turns}));
    assert_eq!(
        events(&doc),
        [
            "SessionStart",
            "UserPromptSubmit",
            "UserPromptSubmit",
            "Stop",
            "SessionEnd"
        ]
    );
    assert_eq!(final_lines(&doc), ["user user go", "assistant assistant ok"]);
    assert_eq!(doc["llm_calls"][0]["turn"], 2);
}

#[test]
fn a_blocked_stop_continues_with_the_next_step_and_marks_the_next_stop() {
    let gate = "grep -q '\"stop_hook_active\":true' || { echo run the tests >&2; exit 2; }";
    let sandbox = with_hooks(&[("Stop", "", gate)]);
    let steps = json!([
        {"reply": "done"},
        {"calls": [{"tool": "Bash", "result": "ok"}]},
        {"reply": "really done"}
    ]);
    let turns = json!([{"user": "go", "steps": steps}, {"user": "on", "steps": [{"reply": "one"}, {"reply": "two"}]}]);
    let doc = simulate(&sandbox, &json!({"dialect": "qoder", "turns": turns}));
    let stops: Vec<(&Value, &Value)> = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|trace| trace["event"] == "Stop")
        .map(|trace| (&trace["payload_before"]["stop_hook_active"], &trace["verdict"]["kind"]))
        .collect();
    let turn = [(&json!(false), &json!("retry")), (&json!(true), &json!("proceed"))];
    assert_eq!(stops, [turn, turn].concat(), "each turn begins anew");
    assert_eq!(
        lines(&doc["llm_calls"][1]["messages"]),
        ["user user go", "assistant assistant done", "user hook run the tests"]
    );
    assert_eq!(doc["notices"], json!([]));
}

#[test]
fn a_hook_that_ends_the_session_ends_the_simulation() {
    let over = echo_command(&json!({"continue": false, "stopReason": "out of budget"}));
    let steps = json!([
        {"calls": [{"tool": "Bash", "result": "a"}, {"tool": "Read", "error": "b"}]},
        {"reply": "done"}
    ]);
    let turns = json!([{"user": "go", "steps": steps}, {"user": "never", "steps": [{"reply": "never"}]}]);
    let scenario = json!({"dialect": "qoder", "turns": turns});
    let ends_at = |event: &str, matcher: &str| {
        let doc = simulate(&with_hooks(&[(event, matcher, &over)]), &scenario);
        let events: Vec<String> = events(&doc).into_iter().map(str::to_owned).collect();
        let (end, rest) = events.split_last().unwrap();
        assert_eq!((end.as_str(), rest.last().unwrap().as_str()), ("SessionEnd", event));
        final_lines(&doc)
    };
    assert!(ends_at("UserPromptSubmit", "").is_empty());
    assert_eq!(
        ends_at("PreToolUse", "Bash")[2..],
        ["tool tool out of budget", "tool tool not called: a hook ended it"]
    );
    assert_eq!(
        ends_at("PostToolUse", "Bash")[2..],
        ["tool tool a", "tool tool not called: a hook ended it"]
    );
    assert_eq!(
        ends_at("PostToolUseFailure", "Read")[2..],
        ["tool tool a", "tool tool b"]
    );
    assert_eq!(ends_at("Stop", "").last().unwrap(), "assistant assistant done");
}

#[test]
fn the_end_of_a_session_does_not_hide_a_denial() {
    let no = specific(
        "PreToolUse",
        &json!({"permissionDecision": "deny", "permissionDecisionReason": "not here"}),
    );
    let over = echo_command(&json!({"continue": false, "stopReason": "over"}));
    let doc = simulate_turn(
        &with_hooks(&[("PreToolUse", "Bash", &over), ("PreToolUse", "Bash", &no)]),
        &ls(),
    );
    assert_eq!(events(&doc).last(), Some(&"SessionEnd"));
    assert_eq!(final_lines(&doc)[2], "tool tool not here");
}
