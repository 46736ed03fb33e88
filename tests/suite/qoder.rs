//! Tests of `simulate` with Qoder hooks: a session from start to end.

mod decisions;

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
fn a_failed_call_fires_its_hooks_and_their_messages_reach_the_model() {
    let hint = specific("PostToolUseFailure", &json!({"additionalContext": "try cargo"}));
    let steps = json!([{"calls": [{"tool": "Bash", "arguments": {}, "error": "exit 1"}]}, {"reply": "done"}]);
    let doc = simulate_turn(&with_hooks(&[("PostToolUseFailure", "Bash", &hint)]), &steps);
    assert_eq!(final_lines(&doc)[2..4], ["tool tool exit 1", "user hook try cargo"]);
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
