//! Tests of `fire` with real processes: exit codes, the trace, and hooks that behave badly.

use std::time::{Duration, Instant};

use hookwright_testkit::processes::wait_until;
use hookwright_testkit::{Sandbox, differences};
use serde_json::{Value, json};

use crate::jcli::{fire, notices, outcomes, project, trace, user, with_user_hooks};

const EMPTY_PAYLOAD: fn() -> Value = || json!({});

#[track_caller]
fn assert_contains(wanted: Value, got: &Value) {
    let wrong = differences(&wanted, got);
    assert!(wrong.is_empty(), "{}\n{got:#}", wrong.join("\n"));
}

#[test]
fn the_trace_has_the_fields_of_the_contract() {
    let sandbox = with_user_hooks(
        "pre_send_message:\n  - command: 'printf ''{\"user_input\": \"hi, it is noon\", \"system_prompt\": \"no\"}'''\n",
    );
    let seen = fire(&sandbox, "pre_send_message", &json!({"user_input": "hi"}), &[])
        .assert_exit(0)
        .json();
    assert_contains(
        json!({
            "dialect": "jcli", "event": "pre_send_message", "origin": "cli", "session": null, "agent": null,
            "project": sandbox.project(),
            "verdict": {"kind": "proceed", "reason": null, "feedback": null, "by": null, "code": null, "args": {}},
            "payload_before": {"user_input": "hi", "event": "pre_send_message"},
            "payload_after": {"user_input": "hi, it is noon"},
            "reply": {"json": {"user_input": "hi, it is noon"}, "exit_code": 0, "stderr": ""},
            "notices": [],
            "redacted": false,
            "steps": [{
                "hook": "jcli:user:pre_send_message:0", "position": 1, "order": 1, "handler": "shell", "outcome": "changed",
                "source": {"layer": "user", "path": sandbox.path("home/.jdata/agent/hooks.yaml"), "line": 2},
                "reason": null,
                "gates": [
                    {"gate": "valid", "pass": true}, {"gate": "trusted", "pass": true}, {"gate": "enabled", "pass": true},
                    {"gate": "event", "pass": true}, {"gate": "filter", "pass": true, "why": null}, {"gate": "chain", "pass": true},
                ],
                "edits": [{"field": "user_input", "before": "hi", "after": "hi, it is noon"}],
                "ignored": [{
                    "what": "system_prompt", "why": "pre_send_message does not accept it", "code": "not_accepted",
                    "args": {"event": "pre_send_message"},
                }],
                "attempts": [{"end": "exit", "code": 0, "stderr": "", "truncated": false}],
            }],
        }),
        &seen,
    );
    assert_eq!(seen["trace"].as_str().map(str::len), Some(26), "a ULID");
    assert!(seen["took_ms"].as_f64().is_some_and(|took| took > 0.0));
    let stdin: Value = serde_json::from_str(seen["steps"][0]["attempts"][0]["stdin"].as_str().unwrap()).unwrap();
    assert_eq!(stdin["user_input"], "hi");
}

#[test]
fn the_exit_status_says_whether_the_agent_is_blocked() {
    for (answer, status) in [("{}", 0), (r#"{"action": "skip"}"#, 2), (r#"{"action": "stop"}"#, 2)] {
        let sandbox = with_user_hooks(&format!("pre_tool_execution:\n  - command: 'echo ''{answer}'''\n"));
        fire(&sandbox, "pre_tool_execution", &EMPTY_PAYLOAD(), &[]).assert_exit(status);
    }
    let closed = with_user_hooks("pre_tool_execution:\n  - {command: 'exit 3', on_error: abort}\n");
    fire(&closed, "pre_tool_execution", &EMPTY_PAYLOAD(), &[]).assert_exit(2);
    let open = with_user_hooks("pre_tool_execution:\n  - {command: 'exit 3'}\n");
    fire(&open, "pre_tool_execution", &EMPTY_PAYLOAD(), &[]).assert_exit(0);
}

#[test]
fn an_event_that_cannot_be_fired_exits_1_with_a_message_and_no_document() {
    let sandbox = Sandbox::new();
    let refused = |args: &[&str], stdin: &str, message: &str| {
        let done = sandbox.run_with(stdin, args).assert_exit(1).assert_stderr(message);
        assert_eq!(done.stdout, "", "{done}");
    };
    let fire = ["fire", "--json", "--payload", "-", "--dialect"];
    let with = |more: &[&'static str]| [&fire[..], more].concat();
    refused(&with(&["jclii", "--event", "stop"]), "{}", "jclii");
    refused(&with(&["jcli", "--event", "pre_tool_exec"]), "{}", "pre_tool_execution");
    refused(&with(&["jcli", "--event", "stop"]), "[1]", "object");
    refused(&with(&["jcli", "--event", "stop"]), "{\"a\": ", "JSON");
    refused(
        &with(&["jcli", "--event", "stop"]),
        r#"{"event": "session_start"}"#,
        "session_start",
    );
    refused(
        &[
            "fire",
            "--json",
            "--dialect",
            "jcli",
            "--event",
            "stop",
            "--payload",
            "gone.json",
        ],
        "",
        "gone.json",
    );
    refused(
        &[
            "fire",
            "--json",
            "--dialect",
            "jcli",
            "--event",
            "stop",
            "--project",
            "/nowhere/at/all",
        ],
        "",
        "/nowhere/at/all",
    );
    refused(&["fire", "--json", "--dialect", "jcli"], "", "--event");
}

#[test]
fn a_payload_over_16_mib_is_refused_and_a_smaller_one_is_accepted() {
    let sandbox = Sandbox::new();
    let payload = |bytes: usize| {
        let frame = r#"{"user_input": ""}"#.len();
        format!(r#"{{"user_input": "{}"}}"#, "x".repeat(bytes - frame))
    };
    let explain = [
        "explain",
        "--dialect",
        "jcli",
        "--event",
        "pre_send_message",
        "--payload",
        "-",
    ];
    let fire = [
        "fire",
        "--dialect",
        "jcli",
        "--event",
        "pre_send_message",
        "--payload",
        "-",
    ];
    let done = sandbox
        .run_with(payload((16 << 20) + 1), fire)
        .assert_exit(1)
        .assert_stderr("16777216");
    assert_eq!(done.stdout, "");
    sandbox.run_with(payload(16 << 20), explain).assert_exit(0);
}

#[test]
fn without_a_payload_only_the_common_fields_are_present() {
    let sandbox = Sandbox::new();
    let seen = sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop", "--json"])
        .assert_exit(0)
        .json();
    let before = seen["payload_before"].as_object().unwrap();
    let mut names: Vec<&str> = before.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["cwd", "event", "session_id"]);
    assert_eq!(
        (&before["event"], &before["cwd"]),
        (&json!("stop"), &json!(sandbox.project()))
    );
}

#[test]
fn a_named_session_is_in_the_payload() {
    let sandbox = Sandbox::new();
    let seen = fire(&sandbox, "stop", &EMPTY_PAYLOAD(), &["--session", "s-1"])
        .assert_exit(0)
        .json();
    assert_eq!(
        (&seen["session"], &seen["payload_before"]["session_id"]),
        (&json!("s-1"), &json!("s-1"))
    );
}

#[test]
fn the_payload_may_come_from_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("project/call.json", "\u{feff}{\"tool_name\": \"Bash\"}");
    let args = [
        "fire",
        "--dialect",
        "jcli",
        "--event",
        "pre_tool_execution",
        "--payload",
        "call.json",
        "--json",
    ];
    assert_eq!(
        sandbox.run(args).assert_exit(0).json()["payload_before"]["tool_name"],
        "Bash"
    );
}

#[test]
fn the_text_output_has_no_document_and_no_colour_without_a_terminal() {
    let sandbox = with_user_hooks("stop:\n  - command: 'printf \"\\033[31mred\" >&2; exit 4'\n");
    let done = sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop"])
        .assert_exit(0);
    assert!(
        !done.stdout.contains('\u{1b}') && !done.stderr.contains('\u{1b}'),
        "{done}"
    );
    done.assert_output("stop").assert_output("the agent continues");
}

#[test]
fn a_hook_need_not_read_its_stdin() {
    let sandbox = with_user_hooks("pre_send_message:\n  - {command: 'exit 0', timeout: 5}\n");
    let seen = trace(
        &sandbox,
        "pre_send_message",
        &json!({"user_input": "x".repeat(1 << 20)}),
    );
    assert_eq!(outcomes(&seen), ["pre_send_message:0 no_opinion"]);
}

#[test]
fn a_hook_that_prints_50_mb_fails_and_its_record_is_cut() {
    let sandbox = with_user_hooks("stop:\n  - {command: 'head -c 50000000 /dev/zero | tr \"\\0\" x', timeout: 25}\n");
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 failed_open"]);
    let attempt = &seen["steps"][0]["attempts"][0];
    assert_eq!(
        (attempt["truncated"].as_bool(), attempt["stdout"].as_str().map(str::len)),
        (Some(true), Some(1 << 20))
    );
}

#[test]
fn a_hook_that_prints_to_stderr_endlessly_is_limited_by_its_timeout_only() {
    let sandbox = with_user_hooks("stop:\n  - {command: 'yes 1>&2', timeout: 1}\n");
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 timed_out_open"]);
    assert_eq!(seen["steps"][0]["attempts"][0]["truncated"], true);
}

#[test]
fn a_background_child_is_left_alone_and_not_waited_for() {
    let sandbox = with_user_hooks("stop:\n  - command: 'sleep 47 & echo {}'\n");
    let start = Instant::now();
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion"]);
    assert!(start.elapsed().as_secs() < 40, "the child's end was waited for");
    // The guardian may still run for a moment.
    let alone = wait_until(Duration::from_secs(20), || sandbox.survivors().len() <= 1);
    assert!(alone && sandbox.survivors().len() == 1, "the child lives on");
}

#[test]
fn a_hook_that_ignores_sigterm_is_killed_with_all_its_children() {
    let hook = "trap \"\" TERM HUP INT; (trap \"\" TERM; sleep 48) & setsid sleep 48 & sleep 48";
    let sandbox = with_user_hooks(&format!("stop:\n  - {{command: '{hook}', timeout: 1}}\n"));
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 timed_out_open"]);
    assert_eq!(seen["steps"][0]["reason"], "timed out after 1 s");
    // The guardian and the killed processes may still be visible for a moment.
    let ended = wait_until(Duration::from_secs(20), || sandbox.survivors().is_empty());
    assert!(ended, "nothing of it is left");
}

#[test]
fn prose_output_is_a_failure_and_the_record_quotes_it() {
    let sandbox = with_user_hooks("stop:\n  - command: 'echo All good!'\n");
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 failed_open"]);
    assert_eq!(seen["steps"][0]["reason"], "stdout is not one JSON object");
    assert_eq!(seen["steps"][0]["attempts"][0]["stdout"], "All good!\n");
    assert_eq!(notices(&seen).len(), 1);
}

#[test]
fn a_script_that_is_not_executable_fails_with_the_message_of_the_shell() {
    let sandbox = with_user_hooks("stop:\n  - command: '~/guard.sh'\n  - command: '~/nobody.sh'\n");
    sandbox.write("home/guard.sh", "#!/bin/sh\necho '{}'\n");
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 failed_open", "stop:1 failed_open"]);
    let attempt = |step: usize| &seen["steps"][step]["attempts"][0];
    assert_eq!(
        (attempt(0)["code"].as_i64(), attempt(1)["code"].as_i64()),
        (Some(126), Some(127))
    );
    let reason = seen["steps"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("126") && reason.to_lowercase().contains("permission"),
        "{reason}"
    );
}

#[test]
fn a_signal_is_reported_as_a_signal() {
    let sandbox = with_user_hooks("stop:\n  - command: 'kill -9 $$'\n");
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 failed_open"]);
    assert_contains(json!({"end": "signal", "code": null}), &seen["steps"][0]["attempts"][0]);
}

#[test]
fn a_missing_directory_falls_back_to_the_project_with_a_warning() {
    let sandbox = with_user_hooks("stop:\n  - command: 'pwd >&2'\n");
    let seen = trace(&sandbox, "stop", &json!({"cwd": "/nowhere/at/all"}));
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion"]);
    assert_eq!(
        seen["steps"][0]["attempts"][0]["stderr"],
        format!("{}\n", sandbox.project().display())
    );
    assert!(
        notices(&seen).iter().any(|text| text.contains("/nowhere/at/all")),
        "{seen:#}"
    );
}

#[test]
fn a_hook_runs_in_the_payloads_directory_and_sees_its_variables() {
    let sandbox = with_user_hooks(
        "stop:\n  - command: 'pwd >&2; echo \"$JCLI_HOOK_EVENT $JCLI_CWD $HOOKWRIGHT_DEPTH\" >&2; test -n \"$HOOKWRIGHT_TRACE\" -a -n \"$HOOKWRIGHT_RUN\"'\n",
    );
    let elsewhere = sandbox.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let seen = trace(&sandbox, "stop", &json!({"cwd": elsewhere}));
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion"]);
    let place = elsewhere.display();
    assert_eq!(
        seen["steps"][0]["attempts"][0]["stderr"],
        format!("{place}\nstop {place} 1\n")
    );
}

#[test]
fn payload_values_never_reach_the_shell() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - command: 'echo {{tool_name}} >&2'\n");
    let seen = trace(&sandbox, "pre_tool_execution", &json!({"tool_name": "$(touch pwned)"}));
    assert_eq!(seen["steps"][0]["attempts"][0]["stderr"], "{{tool_name}}\n");
    assert!(!sandbox.path("project/pwned").exists());
}

#[test]
fn a_broken_entry_disables_only_itself() {
    let sandbox = with_user_hooks("stop:\n  - {command: 'exit 0', timeout: soon}\n  - command: 'exit 0'\n");
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:1 no_opinion", "stop:0 skipped:invalid"]);
}

#[test]
fn user_hooks_run_before_project_hooks_and_j_data_path_moves_the_user_file() {
    let sandbox = Sandbox::new();
    let data = sandbox.path("jdata");
    let sandbox = sandbox.with_var("J_DATA_PATH", &data);
    sandbox.write("jdata/agent/hooks.yaml", "stop:\n  - command: 'exit 0'\n");
    user(&sandbox, "stop:\n  - command: 'echo not read'\n");
    project(&sandbox, "stop:\n  - command: 'true'\n");
    let seen = fire(&sandbox, "stop", &EMPTY_PAYLOAD(), &["--trust"])
        .assert_exit(0)
        .json();
    let hooks: Vec<&str> = seen["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["hook"].as_str())
        .collect();
    assert_eq!(hooks, ["jcli:user:stop:0", "jcli:project:stop:0"]);
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion", "stop:0 no_opinion"]);
}

#[test]
fn what_is_printed_and_recorded_is_redacted_unless_raw_is_asked_for() {
    let sandbox = with_user_hooks("stop:\n  - command: 'cat >&2'\n");
    let payload = json!({"user_input": "with sk-abcdefghijklmnopqrstuvwxyz123456", "api_key": "hunter2hunter2"});
    let secret = |text: &str| text.contains("hunter2") || text.contains("sk-abc");
    let printed = fire(&sandbox, "stop", &payload, &[]).assert_exit(0);
    assert!(!secret(&printed.stdout), "{printed}");
    assert_eq!(printed.json()["redacted"], true);
    let raw = fire(&sandbox, "stop", &payload, &["--raw"]).assert_exit(0);
    assert!(secret(&raw.stdout), "{raw}");
    let id = raw.json()["trace"].as_str().unwrap().to_owned();
    assert!(!secret(&sandbox.run(["show", &id, "--json"]).assert_exit(0).stdout));
    for entry in walk(&sandbox.data()) {
        let bytes = std::fs::read(&entry).unwrap_or_default();
        assert!(
            !secret(&String::from_utf8_lossy(&bytes)),
            "{} holds the secret",
            entry.display()
        );
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(walk(&path))
        } else {
            out.push(path)
        }
    }
    out
}

#[test]
fn a_hook_that_fires_its_own_event_comes_to_an_end() {
    let program = hookwright_testkit::program::hookwright().display();
    let sandbox = with_user_hooks(&format!(
        "stop:\n  - {{command: '{program} fire --dialect jcli --event stop >&2', timeout: 25}}\n"
    ));
    let seen = trace(&sandbox, "stop", &EMPTY_PAYLOAD());
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion"]);
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(4), "{listed:#}");
}

#[test]
fn a_payload_may_be_nested_128_deep_and_no_deeper() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let nested = |depth: usize| format!("{{\"user_input\": {}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let event = [
        "fire",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--payload",
        "-",
        "--json",
    ];
    let fired = sandbox.run_with(nested(128), event).assert_exit(0).stdout;
    let id = fired.split('"').nth(3).unwrap().to_owned();
    assert_eq!(sandbox.run(["show", &id, "--json"]).assert_exit(0).stdout, fired);
    sandbox
        .run_with(nested(129), event)
        .assert_exit(1)
        .assert_stderr("more than 128 levels");
    sandbox
        .run_with("[".repeat(1 << 20), event)
        .assert_exit(1)
        .assert_stderr("more than 128 levels");
}
