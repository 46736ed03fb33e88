//! Tests of `simulate` with Qoder hooks: a session from start to end.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::{notices, outcomes};

/// Creates a sandbox in which the user has these hooks: event, matcher, command.
fn with_hooks(hooks: &[(&str, &str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    let mut events = json!({});
    for (event, matcher, command) in hooks {
        let group = json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
        match events[event].as_array_mut() {
            Some(groups) => groups.push(group),
            None => events[event] = json!([group]),
        }
    }
    sandbox.write("home/.qoder/settings.json", json!({ "hooks": events }).to_string());
    sandbox
}

/// A command that prints this output.
fn echo_command(answer: &Value) -> String {
    format!("echo '{answer}'")
}

/// A command that prints these fields in `hookSpecificOutput`.
fn specific(event: &str, answer: &Value) -> String {
    let mut own = json!({ "hookEventName": event });
    own.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    echo_command(&json!({ "hookSpecificOutput": own }))
}

#[track_caller]
fn simulate(sandbox: &Sandbox, scenario: &Value) -> Value {
    sandbox.write("project/play.json", scenario.to_string());
    sandbox
        .run(["simulate", "play.json", "--trust", "--json"])
        .assert_exit(0)
        .json()
}

/// Simulates a session with one turn that has these steps.
#[track_caller]
fn simulate_turn(sandbox: &Sandbox, steps: &Value) -> Value {
    let turns = json!([{"user": "go", "steps": steps}]);
    simulate(sandbox, &json!({"dialect": "qoder", "session": "s1", "turns": turns}))
}

fn events(doc: &Value) -> Vec<&str> {
    let traces = doc["traces"].as_array().unwrap();
    traces.iter().filter_map(|trace| trace["event"].as_str()).collect()
}

/// The payload of the first trace of this event, before its hooks ran.
fn payload_of<'a>(doc: &'a Value, event: &str) -> &'a Value {
    let traces = doc["traces"].as_array().unwrap();
    let found = traces.iter().find(|trace| trace["event"] == event);
    &found.unwrap_or_else(|| panic!("no {event} in {doc:#}"))["payload_before"]
}

/// `role origin content` of each message.
fn lines(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap().iter();
    let line = |message: &Value| {
        let word = |name: &str| message[name].as_str().unwrap_or_default();
        format!("{} {} {}", word("role"), word("origin"), word("content"))
    };
    messages.map(|message| line(message).trim_end().to_owned()).collect()
}

fn final_lines(doc: &Value) -> Vec<String> {
    lines(&doc["final_messages"])
}

fn ls() -> Value {
    json!([{"calls": [{"tool": "Bash", "arguments": {"command": "ls"}, "result": "a.rs"}]}, {"reply": "done"}])
}

const WITH_A_CALL: [&str; 6] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SessionEnd",
];
/// Events of a session in which the tool call is not made.
const WITHOUT_ITS_TOOL: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"];

#[test]
fn a_session_fires_every_event_of_the_qoder_lifecycle() {
    let steps = json!([
        {"calls": [
            {"tool": "Bash", "arguments": {"command": "ls"}, "result": "a.rs"},
            {"tool": "Read", "arguments": {"file_path": "b.rs"}, "error": "no such file"}
        ]},
        {"reply": "done"}
    ]);
    let turns = json!([{"user": "go", "steps": steps}, {"user": "bye", "steps": [{"reply": "bye"}]}]);
    let sandbox = with_hooks(&[("SessionEnd", "", "true")]);
    let scenario =
        json!({"dialect": "qoder", "session": "s1", "model": "m", "system_prompt": "Be brief.", "turns": turns});
    let doc = simulate(&sandbox, &scenario);
    assert_eq!(
        events(&doc),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PreToolUse",
            "PostToolUseFailure",
            "Stop",
            "UserPromptSubmit",
            "Stop",
            "SessionEnd"
        ]
    );
    let common = |event: &str, own: Value| {
        let mut all = json!({
            "hook_event_name": event, "session_id": "s1", "transcript_path": "", "cwd": sandbox.project(), "model": "m"
        });
        all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        assert_eq!(*payload_of(&doc, event), all);
    };
    common("SessionStart", json!({"source": "startup"}));
    common("UserPromptSubmit", json!({"prompt": "go"}));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "call_1"});
    common("PreToolUse", call);
    let call = json!({
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "call_1", "tool_response": "a.rs"
    });
    common("PostToolUse", call);
    let call = json!({
        "tool_name": "Read", "tool_input": {"file_path": "b.rs"}, "tool_use_id": "call_2", "error": "no such file"
    });
    common("PostToolUseFailure", call);
    common(
        "Stop",
        json!({"stop_hook_active": false, "last_assistant_message": "done"}),
    );
    common("SessionEnd", json!({"reason": ""}));
    assert_eq!(
        final_lines(&doc),
        [
            "system prompt Be brief.",
            "user history go",
            "assistant history",
            "tool history a.rs",
            "tool history no such file",
            "assistant history done",
            "user user bye",
            "assistant assistant bye",
        ]
    );
    assert_eq!(doc["notices"], json!([]));
}

#[test]
fn a_session_with_a_history_resumes() {
    let sandbox = with_hooks(&[("SessionStart", "resume", "echo welcome back")]);
    let scenario = json!({
        "dialect": "qoder", "messages": [{"role": "user", "content": "earlier"}],
        "turns": [{"user": "go", "steps": [{"reply": "ok"}]}]
    });
    let doc = simulate(&sandbox, &scenario);
    assert_eq!(payload_of(&doc, "SessionStart")["source"], "resume");
    assert_eq!(
        lines(&doc["llm_calls"][0]["messages"]),
        ["user history earlier", "user hook welcome back", "user user go"]
    );
}

#[test]
fn a_session_starts_with_the_messages_of_hooks() {
    let start = specific(
        "SessionStart",
        &json!({"additionalContext": "It is Friday.", "initialUserMessage": "Read the rules."}),
    );
    let sandbox = with_hooks(&[
        ("SessionStart", "startup", &start),
        ("UserPromptSubmit", "", "echo in a hurry"),
    ]);
    let doc = simulate_turn(&sandbox, &json!([{"reply": "ok"}]));
    let first = &doc["llm_calls"][0]["messages"];
    assert_eq!(
        lines(first),
        [
            "user hook It is Friday.",
            "user hook Read the rules.",
            "user user go",
            "user hook in a hurry"
        ]
    );
    assert_eq!(first[0]["hook"], "qoder:user:SessionStart:settings.0.0");
}

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
        ["a person would be asked about Bash here; the play goes on as if they had allowed it"]
    );
    assert_eq!(doc["notices"][0]["hook"], "qoder:user:PreToolUse:settings.0.0");
}

#[test]
fn the_model_sees_the_output_as_changed_by_hooks() {
    let cover = specific(
        "PostToolUse",
        &json!({"updatedToolOutput": "‹hidden›", "additionalContext": "one line was hidden"}),
    );
    let doc = simulate_turn(&with_hooks(&[("PostToolUse", "Bash", &cover)]), &ls());
    assert_eq!(
        final_lines(&doc)[2..4],
        ["tool tool ‹hidden›", "user hook one line was hidden"]
    );
    assert_eq!(doc["final_messages"][2]["hook"], "qoder:user:PostToolUse:settings.0.0");
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
fn a_failed_call_fires_its_hooks_and_their_messages_reach_the_model() {
    let hint = specific("PostToolUseFailure", &json!({"additionalContext": "try cargo"}));
    let steps = json!([{"calls": [{"tool": "Bash", "arguments": {}, "error": "exit 1"}]}, {"reply": "done"}]);
    let doc = simulate_turn(&with_hooks(&[("PostToolUseFailure", "Bash", &hint)]), &steps);
    assert_eq!(final_lines(&doc)[2..4], ["tool tool exit 1", "user hook try cargo"]);
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
fn a_turn_ends_with_a_notice_when_no_step_is_left() {
    let sandbox = with_hooks(&[("Stop", "", "echo again >&2; exit 2")]);
    let doc = simulate_turn(&sandbox, &json!([{"reply": "one"}]));
    assert_eq!(events(&doc), ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]);
    assert!(notices(&doc)[0].starts_with("turn 1 ends here"), "{doc:#}");
    assert_eq!(final_lines(&doc).last().unwrap(), "user hook again");
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

#[test]
fn callbacks_of_a_module_keep_their_process_for_the_whole_simulation() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/.qoder/hooks.py",
        "from qoder_agent_sdk import HookMatcher\n\nseen = []\n\n\nasync def count(inp, tid, ctx):\n    seen.append(inp[\"hook_event_name\"])\n    return {}\n\n\nasync def gate(inp, tid, ctx):\n    if inp[\"stop_hook_active\"]:\n        return {}\n    return {\"decision\": \"block\", \"reason\": \" \".join(seen)}\n\n\nhooks = {\n    \"UserPromptSubmit\": [HookMatcher(hooks=[count])],\n    \"PreToolUse\": [HookMatcher(matcher=\"Bash\", hooks=[count])],\n    \"Stop\": [HookMatcher(hooks=[gate])],\n}\n",
    );
    let steps = json!([{"calls": [{"tool": "Bash", "result": "a"}]}, {"reply": "done"}, {"reply": "done"}]);
    let doc = simulate_turn(&sandbox, &steps);
    assert_eq!(
        final_lines(&doc)[4..],
        ["user hook UserPromptSubmit PreToolUse", "assistant assistant done"]
    );
    let started = &doc["traces"][0];
    assert_eq!(started["event"], "SessionStart");
    assert_eq!(outcomes(&doc["traces"][1]), ["UserPromptSubmit:module.0.0 no_opinion"]);
}

#[test]
fn ignored_stdout_of_a_hook_is_reported_once_a_session() {
    let sandbox = with_hooks(&[("PostToolUse", "", "echo 3 files formatted")]);
    let steps =
        json!([{"calls": [{"tool": "Bash", "result": "a"}, {"tool": "Edit", "result": "b"}]}, {"reply": "done"}]);
    let doc = simulate_turn(&sandbox, &steps);
    let reported: Vec<usize> = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|trace| trace["event"] == "PostToolUse")
        .map(|trace| trace["steps"][0]["ignored"].as_array().unwrap().len())
        .collect();
    assert_eq!(reported, [1, 0]);
}

#[test]
fn a_muted_module_stays_muted_when_its_hooks_become_known() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.qoder/hooks.py",
        "from qoder_agent_sdk import HookMatcher\n\n\nasync def gate(inp, tid, ctx):\n    return {\"decision\": \"block\"}\n\n\nhooks = {\"Stop\": [HookMatcher(hooks=[gate])]}\n",
    );
    sandbox.run(["mute", "qoder:user:*:module"]).assert_exit(0);
    sandbox.run(["check", "--import"]).assert_exit(0);
    let doc = simulate_turn(&sandbox, &json!([{"reply": "done"}]));
    assert_eq!(outcomes(&doc["traces"][2]), ["Stop:module skipped:muted"]);
    assert_eq!(notices(&doc["traces"][2]), Vec::<&str>::new());
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let rows = list["hooks"].as_array().unwrap();
    assert!(
        !rows.is_empty() && rows.iter().all(|row| row["muted"] == true),
        "{list:#}"
    );
}
