use super::*;
use crate::jcli::events::CARD;
use hookwright_model::trace::Verdict;
use indexmap::IndexMap;
use serde_json::json;

fn event(name: &str) -> &'static EventSpec {
    CARD.event(name).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn hook(handler: Handler) -> Hook {
    Hook::new("jcli", "jcli:user:stop:0", "stop", handler)
}

fn facts() -> EventDefaults {
    EventDefaults {
        session_id: "s1".into(),
        cwd: "/p".into(),
        now: "2026-01-15T10:30:00Z".parse().unwrap(),
    }
}

#[test]
fn missing_common_fields_are_filled_in_and_given_ones_stay() {
    let table = [
        (json!({}), json!({"event": "stop", "session_id": "s1", "cwd": "/p"})),
        (
            json!({"cwd": "/q", "user_input": "hi"}),
            json!({"cwd": "/q", "user_input": "hi", "event": "stop", "session_id": "s1"}),
        ),
        (
            json!({"event": "stop", "session_id": null}),
            json!({"event": "stop", "session_id": "s1", "cwd": "/p"}),
        ),
        (
            json!({"event": null}),
            json!({"event": "stop", "session_id": "s1", "cwd": "/p"}),
        ),
    ];
    for (given, want) in table {
        let mut payload = object(given);
        Jcli.accept(event("stop"), &mut payload, &facts()).unwrap();
        assert_eq!(Value::Object(payload), want);
    }
    for other in [json!("pre_send_message"), json!(""), json!(5), json!("STOP")] {
        let mut payload = object(json!({"event": other}));
        assert!(Jcli.accept(event("stop"), &mut payload, &facts()).is_err(), "{other}");
    }
}

#[test]
fn a_command_gets_compact_json_in_the_order_of_the_table() {
    let payload = object(json!({
        "cwd": "/q", "extra": 1, "user_input": "中 \"x\"", "model": null, "messages": [{"role": "user", "content": "a"}],
        "session_id": "s", "system_prompt": "p", "event": "stop"
    }));
    let Call::Process(call) = Jcli.encode(
        &hook(Handler::Shell { command: "x $1".into() }),
        event("stop"),
        &payload,
        Path::new("/p"),
    ) else {
        panic!("no process")
    };
    assert_eq!(
        String::from_utf8(call.stdin).unwrap(),
        r#"{"event":"stop","messages":[{"role":"user","content":"a"}],"system_prompt":"p","user_input":"中 \"x\"","session_id":"s","cwd":"/q","extra":1}"#
    );
    assert_eq!(call.program, Program::Shell("x $1".into()));
    assert_eq!(
        (call.cwd.as_path(), call.fallback_cwd.as_path()),
        (Path::new("/q"), Path::new("/p"))
    );
    let env: Vec<(&str, &str)> = call
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(env, [("JCLI_HOOK_EVENT", "stop"), ("JCLI_CWD", "/q")]);
}

#[test]
fn a_model_gets_the_filled_template_and_its_limits() {
    let handler = Handler::Prompt {
        template: "judge {{tool_name}}".into(),
        model: Some("small".into()),
    };
    let payload = object(json!({"tool_name": "Bash"}));
    let Call::Prompt(call) = Jcli.encode(&hook(handler), event("pre_tool_execution"), &payload, Path::new("/p")) else {
        panic!("no prompt")
    };
    assert!(call.prompt.starts_with("judge Bash\n\n---\n"), "{}", call.prompt);
    assert_eq!(
        (call.model.as_deref(), call.max_tokens, call.temperature),
        (Some("small"), 2048, 0.0)
    );
    assert!(call.system.contains("JSON object"));
}

#[test]
fn additions_are_applied_where_they_belong() {
    let context = json!({"additional_context": "more"});
    let inject = json!({"inject_messages": [{"role": "user", "content": "b"}]});
    let table = [
        (
            "pre_llm_request",
            json!({"system_prompt": "p"}),
            context.clone(),
            json!({"system_prompt": "p\n\nmore"}),
        ),
        (
            "pre_llm_request",
            json!({"system_prompt": ""}),
            context.clone(),
            json!({"system_prompt": "more"}),
        ),
        ("stop", json!({}), context.clone(), json!({"system_prompt": "more"})),
        (
            "pre_auto_compact",
            json!({"system_prompt": "p"}),
            context.clone(),
            json!({"system_prompt": "p"}),
        ),
        ("post_tool_execution_failure", json!({}), context, json!({})),
        (
            "pre_llm_request",
            json!({"messages": [{"role": "user", "content": "a"}]}),
            inject.clone(),
            json!({"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}),
        ),
        (
            "pre_llm_request",
            json!({}),
            inject,
            json!({"messages": [{"role": "user", "content": "b"}]}),
        ),
        (
            "pre_llm_request",
            json!({"x": 1}),
            json!({"inject_messages": [], "system_message": "hi"}),
            json!({"x": 1}),
        ),
    ];
    for (name, before, additions, after) in table {
        let mut payload = object(before);
        let additions: IndexMap<String, Value> = object(additions).into_iter().collect();
        Jcli.apply_additions(event(name), &mut payload, &additions, &Verdict::proceed());
        assert_eq!(Value::Object(payload), after, "{name} {additions:?}");
    }
}

struct ResolutionParts {
    kind: VerdictKind,
    failed: Option<&'static str>,
    halted: Option<()>,
    replaced: Value,
    additions: Value,
}

fn resolution_parts(kind: VerdictKind) -> ResolutionParts {
    ResolutionParts {
        kind,
        failed: None,
        halted: None,
        replaced: json!({}),
        additions: json!({}),
    }
}

#[track_caller]
fn assert_reply(name: &str, parts: ResolutionParts, want: &str) {
    let mut verdict = Verdict::proceed();
    verdict.kind = parts.kind;
    verdict.code = parts.failed.map(str::to_owned);
    verdict.feedback = (parts.kind == VerdictKind::Retry).then(|| "again".to_owned());
    let resolution = Resolution {
        trace: String::new(),
        verdict,
        weaker_verdict: None,
        payload: Payload::new().into(),
        replaced: object(parts.replaced).into_iter().collect(),
        additions: object(parts.additions).into_iter().collect(),
        halted: parts.halted.is_some(),
    };
    let reply = Jcli.reply(event(name), &resolution);
    assert_eq!(
        (reply.json.to_string().as_str(), reply.exit_code, reply.stderr.as_str()),
        (want, 0, "")
    );
}

#[test]
fn each_verdict_has_its_reply() {
    use VerdictKind::{Proceed, Retry, Skip, Stop};
    let note = || json!({"system_message": "hi"});
    assert_reply("pre_llm_request", resolution_parts(Proceed), "{}");
    assert_reply(
        "pre_llm_request",
        ResolutionParts {
            replaced: json!({"system_prompt": "", "messages": []}),
            additions: json!({"system_message": "hi", "inject_messages": []}),
            ..resolution_parts(Proceed)
        },
        r#"{"messages":[],"system_prompt":"","inject_messages":[],"system_message":"hi"}"#,
    );
    assert_reply(
        "pre_tool_execution",
        ResolutionParts {
            halted: Some(()),
            ..resolution_parts(Skip)
        },
        r#"{"action":"skip"}"#,
    );
    assert_reply(
        "pre_tool_execution",
        ResolutionParts {
            halted: Some(()),
            additions: note(),
            ..resolution_parts(Stop)
        },
        r#"{"system_message":"hi","action":"stop"}"#,
    );
    assert_reply("stop", resolution_parts(Retry), r#"{"retry_feedback":"again"}"#);
    assert_reply(
        "stop",
        ResolutionParts {
            additions: json!({"additional_context": "c"}),
            ..resolution_parts(Retry)
        },
        r#"{"retry_feedback":"again","additional_context":"c"}"#,
    );
    assert_reply(
        "pre_send_message",
        ResolutionParts {
            halted: Some(()),
            ..resolution_parts(Retry)
        },
        r#"{"retry_feedback":"again","action":"stop"}"#,
    );
    assert_reply(
        "pre_tool_execution",
        ResolutionParts {
            halted: Some(()),
            failed: Some("exited"),
            additions: note(),
            ..resolution_parts(Stop)
        },
        r#"{"action":"stop"}"#,
    );
    assert_reply(
        "session_start",
        ResolutionParts {
            additions: note(),
            ..resolution_parts(Proceed)
        },
        "{}",
    );
}
