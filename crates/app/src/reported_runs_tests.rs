use std::path::Path;

use hookwright_model::{Origin, Root, RunMode, SourceTree, Step, VerdictKind};
use serde_json::json;

use super::*;

fn dialect(id: &str) -> &'static dyn Dialect {
    hookwright_dialects::find(id).unwrap()
}

fn parsed(id: &str, path: &str, text: &str) -> Vec<Arc<Hook>> {
    let root = Root::file(Layer::User, path.into(), None);
    dialect(id)
        .parse(&SourceTree::with_text(root, Ok(text.to_owned())))
        .hooks
}

/// The hooks of jcli with these commands at one event.
fn jcli_hooks(event: &str, commands: &[&str]) -> Vec<Arc<Hook>> {
    let definitions: Vec<Value> = commands.iter().map(|command| json!({ "command": command })).collect();
    parsed(
        "jcli",
        "/h/.jdata/agent/hooks.yaml",
        &json!({ event: definitions }).to_string(),
    )
}

fn qoder_hooks(event: &str, entries: &Value) -> Vec<Arc<Hook>> {
    let settings = json!({"hooks": {event: [{"hooks": entries}]}});
    parsed("qoder", "/h/.qoder/settings.json", &settings.to_string())
}

fn report_result(id: &str, event: &str, hooks: &[Arc<Hook>], report: Value) -> Result<Trace, Fault> {
    let dialect = dialect(id);
    let spec = dialect.card().event(event).unwrap();
    let new = Event {
        trace: "01J".into(),
        dialect: dialect.card().id,
        name: spec.name,
        origin: Origin::Reported,
        session: Some("s".into()),
        agent: Some("relay".into()),
        connection: None,
        depth: 0,
        project: Path::new("/p").to_owned(),
        at: "2026-01-15T10:30:00Z".parse().unwrap(),
        payload: Arc::default(),
    };
    trace_of_report(dialect, spec, new, hooks, serde_json::from_value(report).unwrap())
}

#[track_caller]
fn reported(id: &str, event: &str, hooks: &[Arc<Hook>], report: Value) -> Trace {
    report_result(id, event, hooks, report).unwrap()
}

fn attempt(code: i32, stdout: &str, stderr: &str) -> Value {
    json!({"end": "exit", "code": code, "stdin": "{}", "stdout": stdout, "stderr": stderr, "started_ms": 1.0, "took_ms": 4.5})
}

fn step(command: &str, attempts: &[Value]) -> Value {
    json!({"hook": "jcli:user:x:0", "label": "given", "command": command, "attempts": attempts})
}

fn ids(trace: &Trace) -> Vec<&str> {
    trace.steps.iter().map(|step| step.hook.as_str()).collect()
}

fn outcomes(trace: &Trace) -> Vec<Outcome> {
    trace.steps.iter().map(|step| step.outcome).collect()
}

fn codes(trace: &Trace) -> Vec<&str> {
    trace
        .notices
        .iter()
        .filter_map(|notice| notice.code.as_deref())
        .collect()
}

fn only(trace: &Trace) -> &Step {
    assert_eq!(trace.steps.len(), 1);
    &trace.steps[0]
}

const TOOL: &str = "pre_tool_execution";

#[test]
fn a_json_answer_is_decoded_like_one_that_the_engine_got() {
    let hooks = jcli_hooks("pre_send_message", &["./time.sh"]);
    let steps = json!([step(
        "./time.sh",
        &[attempt(0, r#"{"user_input": "hi, it is noon"}"#, "")]
    )]);
    let trace = reported(
        "jcli",
        "pre_send_message",
        &hooks,
        json!({"payload": {"user_input": "hi"}, "steps": steps}),
    );
    assert_eq!(trace.origin, Origin::Reported);
    assert_eq!(
        (trace.session.as_deref(), trace.agent.as_deref()),
        (Some("s"), Some("relay"))
    );
    assert_eq!(trace.payload_before["user_input"], "hi");
    assert_eq!(trace.payload_after["user_input"], "hi, it is noon");
    assert_eq!(trace.reply.json, json!({"user_input": "hi, it is noon"}));
    let step = only(&trace);
    assert_eq!(
        (step.hook.as_str(), step.outcome, step.position),
        ("jcli:user:pre_send_message:0", Outcome::Changed, Some(1))
    );
    assert_eq!(step.edits[0].after, "hi, it is noon");
    assert_eq!(step.source.path, "/h/.jdata/agent/hooks.yaml");
    assert_eq!(
        (step.attempts[0].code, step.attempts[0].took_ms, trace.took_ms),
        (Some(0), 4.5, 5.5)
    );
}

#[test]
fn exit_code_2_blocks_where_the_dialect_says_so() {
    let hooks = qoder_hooks("PreToolUse", &json!([{"type": "command", "command": "./guard.sh"}]));
    let steps = json!([{"command": "./guard.sh", "attempts": [attempt(2, "", "not today")]}]);
    let trace = reported(
        "qoder",
        "PreToolUse",
        &hooks,
        json!({"payload": {"tool_name": "Bash"}, "steps": steps}),
    );
    assert_eq!(
        (trace.verdict.kind, trace.verdict.reason.as_deref()),
        (VerdictKind::Deny, Some("not today"))
    );
    assert_eq!(outcomes(&trace), [Outcome::Denied]);
    let steps = json!([step("./guard.sh", &[attempt(2, "", "oops")])]);
    let trace = reported(
        "jcli",
        TOOL,
        &jcli_hooks(TOOL, &["./guard.sh"]),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(
        (trace.verdict.kind, outcomes(&trace)),
        (VerdictKind::Proceed, vec![Outcome::FailedOpen])
    );
    assert!(codes(&trace).contains(&"failed_open"), "{:?}", trace.notices);
}

#[test]
fn several_steps_are_merged_as_the_chain_of_the_dialect_merges_them() {
    let entries = json!([{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]);
    let hooks = qoder_hooks("PreToolUse", &entries);
    let said = |decision: &str| {
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision}}).to_string()
    };
    let steps = json!([
        {"command": "a", "attempts": [attempt(0, &said("allow"), "")]},
        {"command": "b", "attempts": [attempt(0, &said("deny"), "")]}
    ]);
    let trace = reported("qoder", "PreToolUse", &hooks, json!({"payload": {}, "steps": steps}));
    assert_eq!(
        (trace.verdict.kind, outcomes(&trace)),
        (VerdictKind::Deny, vec![Outcome::Allowed, Outcome::Denied])
    );
    assert_eq!(trace.verdict.by.as_deref(), Some("qoder:user:PreToolUse:settings.0.1"));
}

#[test]
fn a_step_after_a_halt_keeps_what_it_did() {
    let hooks = jcli_hooks(TOOL, &["a", "b"]);
    let steps = json!([
        step("a", &[attempt(0, r#"{"action": "stop"}"#, "")]),
        step("b", &[attempt(0, r#"{"tool_arguments": "{}"}"#, "")])
    ]);
    let trace = reported(
        "jcli",
        TOOL,
        &hooks,
        json!({"payload": {"tool_name": "x", "tool_arguments": "1"}, "steps": steps}),
    );
    assert_eq!(
        (trace.verdict.kind, outcomes(&trace)),
        (VerdictKind::Stop, vec![Outcome::Denied, Outcome::Changed])
    );
    assert_eq!(trace.steps[1].attempts.len(), 1);
    assert_eq!((trace.steps[1].order, trace.steps[1].position), (2, Some(2)));
    assert_eq!(trace.payload_after["tool_arguments"], "1");
}

#[test]
fn retries_of_the_agent_are_attempts_of_one_step() {
    let hooks = jcli_hooks(TOOL, &["a"]);
    let steps = json!([step(
        "a",
        &[attempt(1, "", "no"), attempt(0, "{}", ""), attempt(0, "{}", "")]
    )]);
    let trace = reported("jcli", TOOL, &hooks, json!({"payload": {}, "steps": steps}));
    assert_eq!(
        (only(&trace).outcome, only(&trace).attempts.len()),
        (Outcome::NoOpinion, 3)
    );
    assert!(trace.notices.is_empty());
}

#[test]
fn a_given_outcome_stays_and_decides_the_verdict_together_with_the_others() {
    let hooks = jcli_hooks(TOOL, &["a"]);
    let with = |outcome: &str, attempts: Value| {
        let steps = json!([{"hook": "jcli:user:pre_tool_execution:0", "label": "a", "command": "a", "outcome": outcome, "attempts": attempts}]);
        reported("jcli", TOOL, &hooks, json!({"payload": {}, "steps": steps}))
    };
    let given = |outcome: &str, attempts: Value| {
        let trace = with(outcome, attempts);
        (
            trace.verdict.kind,
            only(&trace).outcome,
            only(&trace).reason.clone(),
            only(&trace).position,
        )
    };
    let none = || json!([]);
    assert_eq!(
        given("denied", none()),
        (VerdictKind::Stop, Outcome::Denied, None, Some(1))
    );
    assert_eq!(
        given("failed_closed", none()),
        (VerdictKind::Stop, Outcome::FailedClosed, None, Some(1))
    );
    assert_eq!(
        given("failed_open", none()),
        (VerdictKind::Proceed, Outcome::FailedOpen, None, Some(1))
    );
    assert_eq!(
        given("changed", none()),
        (VerdictKind::Proceed, Outcome::Changed, None, Some(1))
    );
    assert_eq!(
        given("not_matched", none()),
        (VerdictKind::Proceed, Outcome::NotMatched, None, None)
    );
    let skipped = (
        VerdictKind::Proceed,
        Outcome::Skipped,
        Some("agent_runs_it".to_owned()),
        None,
    );
    assert_eq!(given("skipped", none()), skipped);
    // The attempts say stop, the agent says that it had no effect.
    let stop = || json!([attempt(0, r#"{"action": "stop", "system_message": "no"}"#, "")]);
    assert_eq!(
        given("no_opinion", stop()),
        (VerdictKind::Proceed, Outcome::NoOpinion, None, Some(1))
    );
    assert_eq!(only(&with("no_opinion", stop())).attempts.len(), 1);
    // Both agree, so what was decoded is recorded too.
    let trace = with("denied", stop());
    assert_eq!(
        (trace.verdict.kind, trace.reply.json["system_message"].as_str()),
        (VerdictKind::Stop, Some("no"))
    );
    assert_eq!(only(&trace).attempts.len(), 1);
}

#[test]
fn an_unknown_word_is_refused_with_its_field_and_the_words_allowed() {
    let refused = |step: Value| {
        let steps = json!([{"command": "a", "outcome": "denied"}, step]);
        report_result("jcli", TOOL, &[], json!({"payload": {}, "steps": steps})).unwrap_err()
    };
    let answered = attempt(0, r#"{"action": "skip"}"#, "");
    let fault = refused(json!({"command": "a", "outcome": "blocked", "attempts": [answered]}));
    assert_eq!((fault.code.as_str(), fault.rpc_code()), ("bad_params", -32602));
    assert_eq!(
        fault.message,
        "invalid parameters of run.report: unknown `outcome` `blocked` in step 2"
    );
    let hint = fault.hint.unwrap();
    assert!(Outcome::ALL.iter().all(|known| hint.contains(known.as_str())), "{hint}");
    let fault = refused(json!({"command": "a", "attempts": [answered, {"end": "exploded"}]}));
    assert!(fault.message.contains("unknown `end` `exploded`"), "{}", fault.message);
    assert_eq!(
        fault.hint.as_deref(),
        Some("write one of exit, signal, timed_out, cancelled, not_started, replied, refused, peer_gone, done")
    );
}

#[test]
fn the_words_of_ends_and_outcomes_are_those_of_a_trace() {
    for end in End::ALL {
        assert_eq!(serde_json::to_value(end).unwrap(), end.as_str());
    }
    for outcome in Outcome::ALL {
        assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.as_str());
    }
}

#[test]
fn a_step_of_an_unknown_hook_is_recorded_with_its_label() {
    let steps = json!([
        {"hook": "jcli:project:gone:7", "label": "old guard", "command": "./old.sh", "attempts": [attempt(0, r#"{"action": "stop"}"#, "")]},
        {"hook": "", "label": "", "command": "./nameless.sh"},
        {"hook": "only-an-id"}
    ]);
    let trace = reported(
        "jcli",
        TOOL,
        &jcli_hooks(TOOL, &["a"]),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(ids(&trace), ["jcli:project:gone:7", "./nameless.sh", "only-an-id"]);
    let labels: Vec<&str> = trace.steps.iter().map(|step| step.label.as_str()).collect();
    assert_eq!(labels, ["old guard", "./nameless.sh", "only-an-id"]);
    assert_eq!(trace.steps[0].source.layer, Layer::Project);
    assert_eq!(
        (trace.verdict.kind, trace.verdict.by.as_deref()),
        (VerdictKind::Stop, Some("jcli:project:gone:7"))
    );
    assert_eq!(
        trace.steps[2].reason.as_deref(),
        Some("agent_runs_it"),
        "nothing is known about what it did"
    );
}

#[test]
fn a_hook_is_found_by_its_command_and_the_id_tells_equal_ones_apart() {
    let hooks = jcli_hooks(TOOL, &["a", "b", "a"]);
    let of = |hook: &str, command: &str| json!({"hook": hook, "label": "", "command": command});
    let steps = json!([
        of("jcli:user:pre_tool_execution:0", "b"),
        of("jcli:user:pre_tool_execution:2", " a "),
        of("x", "a"),
        of("x", "a")
    ]);
    let trace = reported("jcli", TOOL, &hooks, json!({"payload": {}, "steps": steps}));
    let id = |index: u32| format!("jcli:user:pre_tool_execution:{index}");
    assert_eq!(ids(&trace), [id(1), id(2), id(0), "x".to_owned()]);
    let by_id = json!([{"hook": id(2)}]);
    assert_eq!(
        ids(&reported("jcli", TOOL, &hooks, json!({"payload": {}, "steps": by_id}))),
        [id(2)]
    );
    let other_event = jcli_hooks("stop", &["a"]);
    let steps = json!([of("x", "a")]);
    assert_eq!(
        ids(&reported(
            "jcli",
            TOOL,
            &other_event,
            json!({"payload": {}, "steps": steps})
        )),
        ["x"]
    );
}

#[test]
fn a_wrapped_command_is_the_command_inside_in_the_report_and_in_the_file() {
    let relay = "/r/hookwright-relay";
    let wrapped = format!(
        "HW='./a.sh'; [ -x {relay} ] && exec {relay} run --dialect jcli --event {TOOL} --hook x -- sh -c \"$HW\"; exec sh -c \"$HW\""
    );
    for (own, given) in [
        (wrapped.as_str(), "./a.sh"),
        ("./a.sh", wrapped.as_str()),
        (&wrapped, &wrapped),
    ] {
        let steps = json!([step(given, &[attempt(0, "", "")])]);
        let trace = reported(
            "jcli",
            TOOL,
            &jcli_hooks(TOOL, &[own]),
            json!({"payload": {}, "steps": steps}),
        );
        assert_eq!(ids(&trace), ["jcli:user:pre_tool_execution:0"]);
    }
}

#[test]
fn a_program_with_arguments_is_found_by_its_words() {
    let entry = json!([{"type": "command", "command": "./guard", "args": ["a b", "c"]}]);
    let steps = json!([{"hook": "x", "label": "", "command": "./guard 'a b' c", "attempts": []}]);
    let trace = reported(
        "qoder",
        "Stop",
        &qoder_hooks("Stop", &entry),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(ids(&trace), ["qoder:user:Stop:settings.0.0"]);
}

#[test]
fn an_asynchronous_hook_decides_nothing() {
    let entry = json!([{"type": "command", "command": "a", "async": true}]);
    let steps = json!([{"command": "a", "attempts": [attempt(2, "", "no")]}]);
    let trace = reported(
        "qoder",
        "PreToolUse",
        &qoder_hooks("PreToolUse", &entry),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(trace.verdict.kind, VerdictKind::Proceed);
    assert_eq!((only(&trace).mode, only(&trace).attempts.len()), (RunMode::Detach, 1));
    assert_ne!(only(&trace).outcome, Outcome::Detached);
}

#[test]
fn a_code_or_time_of_an_attempt_that_is_none_is_refused_with_its_name() {
    for (field, value) in [
        ("code", json!("two")),
        ("code", json!(99_999_999_999_i64)),
        ("exit_code", json!(2.5)),
        ("signal", json!([])),
        ("started_ms", json!(-1)),
        ("took_ms", json!("NaN")),
        ("took_ms", json!(1e300)),
    ] {
        let mut attempt = attempt(2, "", "no");
        attempt[field] = value;
        let report = json!({"payload": {}, "steps": [step("a", &[attempt])]});
        let fault = report_result("jcli", TOOL, &jcli_hooks(TOOL, &["a"]), report).unwrap_err();
        assert_eq!(fault.rpc_code(), -32602);
        assert!(
            fault.message.contains(&format!("`{field}` in step 1")),
            "{}",
            fault.message
        );
    }
}

#[test]
fn attempts_that_cannot_be_read_are_left_out_with_a_notice_and_the_others_stay() {
    let garbage = [
        json!(1),
        json!([]),
        json!({"end": 7}),
        attempt(0, r#"{"action": "stop"}"#, ""),
    ];
    let steps = json!([step("a", &garbage)]);
    let trace = reported(
        "jcli",
        TOOL,
        &jcli_hooks(TOOL, &["a"]),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(
        (trace.verdict.kind, only(&trace).attempts.len()),
        (VerdictKind::Stop, 1)
    );
    assert_eq!(codes(&trace), ["report_attempt"]);
    let steps = json!([step("a", &[json!(null)])]);
    let trace = reported(
        "jcli",
        TOOL,
        &jcli_hooks(TOOL, &["a"]),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(
        (only(&trace).outcome, only(&trace).reason.as_deref()),
        (Outcome::Skipped, Some("agent_runs_it"))
    );
}

#[test]
fn an_attempt_that_says_little_is_read_as_far_as_it_goes() {
    let outcome = |attempt: Value| {
        let steps = json!([step("a", &[attempt])]);
        let trace = reported(
            "jcli",
            TOOL,
            &jcli_hooks(TOOL, &["a"]),
            json!({"payload": {}, "steps": steps}),
        );
        (only(&trace).outcome, only(&trace).attempts[0].end)
    };
    assert_eq!(outcome(json!({"exit_code": 0})), (Outcome::NoOpinion, End::Exit));
    assert_eq!(outcome(json!({"signal": 9})), (Outcome::FailedOpen, End::Signal));
    assert_eq!(
        outcome(json!({"end": "timed_out"})),
        (Outcome::TimedOutOpen, End::TimedOut)
    );
    assert_eq!(outcome(json!({"end": "exit"})), (Outcome::FailedOpen, End::Exit));
    assert_eq!(outcome(json!({})), (Outcome::FailedOpen, End::NotStarted));
    assert_eq!(outcome(json!({"end": "cancelled"})), (Outcome::Skipped, End::Cancelled));
}

#[test]
fn a_payload_that_is_no_object_is_recorded_as_an_empty_one_with_a_notice_and_an_absent_one_without() {
    let with = |report: Value| {
        let trace = reported("jcli", "stop", &[], report);
        assert!(trace.payload_before.is_empty());
        trace.notices.len()
    };
    for payload in [json!(null), json!([1]), json!("text"), json!(3), json!(true)] {
        assert_eq!(with(json!({"payload": payload})), 1);
    }
    for report in [
        json!({}),
        json!({"payload": {}}),
        json!({"payload": ""}),
        json!({"payload": " \n"}),
    ] {
        assert_eq!(with(report), 0);
    }
}

#[test]
fn a_payload_over_its_limit_is_refused() {
    let large = json!({"payload": {"messages": "x".repeat(17 << 20)}});
    assert!(report_result("jcli", "stop", &[], large).is_err());
}

#[test]
fn a_cut_output_is_not_decoded() {
    let text = format!("{{\"a\":\"{}", "x".repeat(1 << 20));
    let cut = json!({"end": "exit", "code": 0, "stdout": &text[..1 << 20], "truncated": true});
    let steps = json!([step("a", &[cut])]);
    let trace = reported(
        "jcli",
        TOOL,
        &jcli_hooks(TOOL, &["a"]),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(
        (only(&trace).outcome, codes(&trace)),
        (Outcome::Skipped, vec!["report_cut"])
    );
    assert!(only(&trace).attempts[0].truncated);
    let stderr_cut = json!({"end": "exit", "code": 0, "stdout": "", "truncated": true});
    let steps = json!([step("a", &[stderr_cut])]);
    let trace = reported(
        "jcli",
        TOOL,
        &jcli_hooks(TOOL, &["a"]),
        json!({"payload": {}, "steps": steps}),
    );
    assert_eq!(
        (only(&trace).outcome, only(&trace).attempts[0].truncated),
        (Outcome::NoOpinion, true)
    );
}

#[test]
fn every_dialect_records_a_report_without_steps() {
    for dialect in hookwright_dialects::all() {
        for spec in dialect.card().events {
            let trace = reported(dialect.card().id, spec.name, &[], json!({}));
            assert_eq!((trace.verdict.kind, trace.steps.len()), (VerdictKind::Proceed, 0));
        }
    }
}

#[test]
fn every_outcome_can_be_given_at_every_event() {
    for dialect in hookwright_dialects::all() {
        for spec in dialect.card().events {
            for outcome in Outcome::ALL {
                let steps = json!([{"hook": "x", "label": "l", "outcome": outcome.as_str()}]);
                let trace = reported(dialect.card().id, spec.name, &[], json!({ "steps": steps }));
                assert_eq!(only(&trace).outcome, outcome, "{} {}", dialect.card().id, spec.name);
                assert!(!spec.notify_only || trace.verdict.kind == VerdictKind::Proceed);
            }
        }
    }
}
