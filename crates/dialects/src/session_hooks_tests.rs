use std::path::Path;
use std::sync::Arc;

use hookwright_model::{Call, Decoded, Handler, Match, OnFailure, Payload, Run, RunMode, SourceTree, session_hook_at};
use serde_json::{Value, json};

use super::*;
use crate::find;

/// The hooks that these registrations give one after the other, in one session.
fn session(dialect: &str, registrations: &[(Option<&str>, Value)]) -> Vec<Arc<Hook>> {
    let mut hooks: Vec<Arc<Hook>> = Vec::new();
    for (event, definition) in registrations {
        hooks.extend(
            registered(dialect, *event, definition, &hooks)
                .unwrap()
                .into_iter()
                .map(Arc::new),
        );
    }
    hooks
}

fn registered(
    dialect: &str,
    event: Option<&str>,
    definition: &Value,
    hooks: &[Arc<Hook>],
) -> Result<Vec<Hook>, Message> {
    let project = Path::new("/p");
    let registration = SessionRegistration {
        event,
        definition,
        hooks,
        project,
    };
    register(find(dialect).unwrap(), &registration)
}

#[track_caller]
fn only(dialect: &str, event: Option<&str>, definition: &Value) -> Hook {
    let mut hooks = registered(dialect, event, definition, &[]).unwrap();
    assert_eq!(hooks.len(), 1);
    hooks.remove(0)
}

#[track_caller]
fn refused(dialect: &str, event: Option<&str>, definition: &Value) -> (String, String) {
    let message = registered(dialect, event, definition, &[]).unwrap_err();
    let case = message.args.get("case").and_then(Value::as_str).unwrap_or_default();
    (message.code.to_owned(), case.to_owned())
}

fn ids(hooks: &[Arc<Hook>]) -> Vec<&str> {
    hooks.iter().map(|hook| hook.id.as_str()).collect()
}

/// The hook of the same definition in the user's file of jcli.
fn in_a_file(event: &str, definition: &Value) -> Hook {
    let root = Root::file(Layer::User, "/h/.jdata/agent/hooks.yaml".into(), None);
    let text = json!({ event: [definition] }).to_string();
    let mut parsed = find("jcli").unwrap().parse(&SourceTree::with_text(root, Ok(text)));
    Arc::unwrap_or_clone(parsed.hooks.remove(0))
}

#[test]
fn a_jcli_registration_is_the_definition_of_a_file() {
    let definitions = [
        json!({"command": "./guard.sh --fast", "timeout": 3, "retry": 2, "on_error": "abort", "filter": {"tool_name": "Bash"}}),
        json!({"command": "echo {}"}),
        json!({"type": "llm", "prompt": "Look at {{tool_name}}\nand answer", "model": "small", "filter": {"tool_matcher": "a|b"}}),
        json!({"command": true}),
    ];
    for definition in definitions {
        let own = only("jcli", Some("pre_tool_execution"), &definition);
        let file = in_a_file("pre_tool_execution", &definition);
        assert_eq!(own.id, "jcli:session:pre_tool_execution:0");
        assert_eq!(own.handler, file.handler);
        assert_eq!(own.definition, file.definition);
        assert_eq!(own.definition_text, file.definition_text);
        assert_eq!(own.when, file.when);
        assert_eq!(own.filter, file.filter);
        assert_eq!(own.label, file.label);
        assert_eq!(own.approval_scope, file.approval_scope);
        let limits = |hook: &Hook| (hook.timeout, hook.attempts, hook.on_failure, hook.mode, hook.rank);
        assert_eq!(limits(&own), limits(&file));
        assert_eq!(own.source.layer, Layer::Session);
        assert_eq!(
            (own.source.path.as_os_str(), own.source.line, own.source.column),
            ("".as_ref(), 0, 0)
        );
        assert_eq!(own.source.project.as_deref(), Some(Path::new("/p")));
        assert!(own.field_positions == FieldPositions::default());
    }
}

#[test]
fn a_wrapped_command_of_a_registration_is_the_command_inside() {
    let command = "HW='./a.sh'; [ -x /r/hookwright-relay ] && exec /r/hookwright-relay run --dialect jcli --event stop --hook x -- sh -c \"$HW\"; exec sh -c \"$HW\"";
    let hook = only("jcli", Some("stop"), &json!({"command": command}));
    assert_eq!(
        hook.handler,
        Handler::Shell {
            command: "./a.sh".into()
        }
    );
    assert_eq!(hook.wrapped.as_deref(), Some("/r/hookwright-relay"));
}

#[test]
fn an_invalid_jcli_registration_is_refused_with_the_message_of_a_file() {
    let definitions = [
        json!({}),
        json!({"command": " "}),
        json!({"command": "a", "timeout": 0}),
        json!({"command": "a", "timeout": 1.5}),
        json!({"command": "a", "timeout": "3"}),
        json!({"command": "a", "retry": -1}),
        json!({"command": "a", "on_error": "retry"}),
        json!({"type": "python", "command": "a"}),
        json!({"type": "llm"}),
        json!({"command": "a", "filter": "Bash"}),
        json!({"command": "a", "filter": {"tool_name": 1}}),
    ];
    for definition in definitions {
        let message = registered("jcli", Some("stop"), &definition, &[]).unwrap_err();
        let mut file = in_a_file("stop", &definition).invalid.unwrap();
        file.args.clone_from(&message.args);
        assert_eq!((message.code, &message.text), (file.code, &file.text), "{definition}");
    }
}

#[test]
fn a_definition_that_is_no_object_is_refused() {
    for definition in [json!(null), json!([]), json!("a.sh"), json!(1)] {
        for (dialect, event) in [("jcli", Some("stop")), ("qoder", Some("Stop")), ("picoclaw", None)] {
            assert_eq!(
                refused(dialect, event, &definition),
                ("registration_field".into(), "definition".into())
            );
        }
    }
}

#[test]
fn an_unknown_event_and_a_missing_one_are_refused() {
    for (dialect, definition) in [("jcli", json!({"command": "a"})), ("qoder", json!({"callback": "a"}))] {
        assert_eq!(refused(dialect, Some("nope"), &definition).0, "unknown_event_name");
        assert_eq!(
            refused(dialect, None, &definition),
            ("registration_event".into(), "missing".into())
        );
    }
    assert_eq!(
        refused("qoder", Some("Notification"), &json!({"callback": "a"})).0,
        "unfired_event"
    );
    let definition = json!({"callback": "a", "intercept": ["before_tool"]});
    assert_eq!(
        refused("picoclaw", Some("before_tool"), &definition),
        ("registration_event".into(), "extra".into())
    );
}

#[test]
fn dialects_without_session_hooks_refuse_every_registration() {
    for dialect in ["agent-hooks", "skill"] {
        let message = registered(dialect, Some("before_tool"), &json!({"command": "a"}), &[]).unwrap_err();
        assert_eq!(message.code, "no_session_hooks");
    }
}

#[test]
fn hooks_of_one_event_are_numbered_from_0_and_those_of_another_event_too() {
    let command = || json!({"command": "a"});
    let hooks = session(
        "jcli",
        &[
            (Some("stop"), command()),
            (Some("session_end"), command()),
            (Some("stop"), command()),
        ],
    );
    assert_eq!(
        ids(&hooks),
        [
            "jcli:session:stop:0",
            "jcli:session:session_end:0",
            "jcli:session:stop:1"
        ]
    );
    let callback = || json!({"callback": "a"});
    let hooks = session("qoder", &[(Some("Stop"), callback()), (Some("Stop"), callback())]);
    assert_eq!(ids(&hooks), ["qoder:session:Stop:0", "qoder:session:Stop:1"]);
}

#[test]
fn after_a_removal_later_hooks_keep_their_ids_and_move_up_in_the_list() {
    let command = || json!({"command": "a"});
    let mut hooks = session(
        "jcli",
        &[
            (Some("stop"), command()),
            (Some("stop"), command()),
            (Some("stop"), command()),
        ],
    );
    hooks.remove(1);
    assert_eq!(session_hook_at(&hooks, "stop", 0).unwrap(), "jcli:session:stop:0");
    assert_eq!(session_hook_at(&hooks, "stop", 1).unwrap(), "jcli:session:stop:2");
    assert_eq!(session_hook_at(&hooks, "stop", 2), None);
    assert_eq!(session_hook_at(&hooks, "session_end", 0), None);
    let next = registered("jcli", Some("stop"), &command(), &hooks).unwrap();
    assert_eq!(next[0].id, "jcli:session:stop:3");
}

#[test]
fn a_qoder_callback_has_the_matcher_and_timeout_of_a_group() {
    let hook = only(
        "qoder",
        Some("PreToolUse"),
        &json!({"callback": "guard", "matcher": "Bash|Edit", "timeout": 2.5}),
    );
    assert_eq!(
        (hook.label.as_str(), hook.timeout.as_millis(), hook.mode),
        ("guard", 2500, RunMode::Await)
    );
    assert_eq!(
        hook.handler,
        Handler::Callback {
            callback: "guard".into()
        }
    );
    assert_eq!(hook.filter, Some(json!({"matcher": "Bash|Edit"})));
    let payload = |tool: &str| json!({"tool_name": tool}).as_object().cloned().unwrap();
    assert_eq!(hook.when.evaluate(&payload("Edit")), Match::Yes);
    assert_ne!(hook.when.evaluate(&payload("EditAll")), Match::Yes);
    let plain = only("qoder", Some("Stop"), &json!({"callback": "a", "matcher": null}));
    assert_eq!(
        (plain.timeout.as_secs(), plain.filter, plain.on_failure),
        (60, None, OnFailure::Open)
    );
    let long = only("qoder", Some("Stop"), &json!({"callback": "a", "timeout": 1e6}));
    assert_eq!(long.timeout.as_secs(), 3600);
}

#[test]
fn an_invalid_qoder_callback_is_refused() {
    let cases = [
        (json!({}), "registration_field", "callback"),
        (json!({"callback": ""}), "registration_field", "callback"),
        (json!({"callback": 1}), "wrong_type", "qoder"),
        (json!({"callback": "a", "matcher": 1}), "wrong_type", "qoder"),
        (json!({"callback": "a", "matcher": "("}), "bad_pattern", ""),
        (json!({"callback": "a", "matcher": "\\Z"}), "pattern_dialect", ""),
        (json!({"callback": "a", "timeout": 0}), "out_of_range", "qoder_small"),
        (json!({"callback": "a", "timeout": "1"}), "wrong_type", "qoder"),
        (json!({"callback": "a", "once": true}), "unsupported", "qoder_field"),
    ];
    for (definition, code, case) in cases {
        let (found, found_case) = refused("qoder", Some("PreToolUse"), &definition);
        assert_eq!(found, code, "{definition}");
        assert!(
            case.is_empty() || found_case.starts_with(case),
            "{definition}: {found_case}"
        );
    }
}

#[test]
fn a_picoclaw_callback_serves_both_events_of_a_mode_under_one_id() {
    let definition =
        json!({"callback": "cb", "name": "guard", "priority": 7, "intercept": ["before_tool", "approve_tool", ""]});
    let hooks = session("picoclaw", &[(None, definition)]);
    let row = |hook: &Arc<Hook>| (hook.event.clone(), hook.timeout.as_secs(), hook.on_failure);
    let wanted = [
        ("before_tool".to_owned(), 5, OnFailure::Open),
        ("after_tool".to_owned(), 5, OnFailure::Open),
        ("approve_tool".to_owned(), 60, OnFailure::Closed),
    ];
    assert_eq!(hooks.iter().map(row).collect::<Vec<_>>(), wanted);
    for hook in &hooks {
        assert_eq!(
            (hook.id.as_str(), hook.label.as_str(), hook.rank),
            ("picoclaw:session:guard", "guard", Some(7))
        );
    }
}

#[test]
fn picoclaw_callbacks_of_one_name_have_different_ids() {
    let definition = || json!({"callback": "cb", "intercept": ["after_llm"]});
    let hooks = session(
        "picoclaw",
        &[(None, definition()), (None, definition()), (None, definition())],
    );
    let wanted = ["cb", "cb", "cb.2", "cb.2", "cb.3", "cb.3"].map(|name| format!("picoclaw:session:{name}"));
    assert_eq!(ids(&hooks), wanted);
}

#[test]
fn an_invalid_picoclaw_callback_is_refused() {
    let cases = [
        (json!({"intercept": ["before_tool"]}), "registration_field"),
        (
            json!({"callback": " ", "intercept": ["before_tool"]}),
            "registration_field",
        ),
        (json!({"callback": "a"}), "no_modes"),
        (json!({"callback": "a", "intercept": []}), "no_modes"),
        (json!({"callback": "a", "intercept": ["before_tol"]}), "unknown_value"),
        (json!({"callback": "a", "intercept": "before_tool"}), "wrong_type"),
        (
            json!({"callback": "a", "intercept": ["before_tool"], "priority": 1.5}),
            "wrong_type",
        ),
        (
            json!({"callback": "a", "intercept": ["before_tool"], "name": 1}),
            "wrong_type",
        ),
        (json!({"callback": 1, "intercept": ["before_tool"]}), "wrong_type"),
    ];
    for (definition, code) in cases {
        assert_eq!(refused("picoclaw", None, &definition).0, code, "{definition}");
    }
}

/// How the dialect decodes this output of a registered callback.
fn decoded(dialect: &str, event: &str, hook: &Hook, run: &Run) -> Decoded {
    let dialect = find(dialect).unwrap();
    dialect.decode(hook, dialect.card().event(event).unwrap(), &Payload::new(), run)
}

fn replied(output: &str) -> Run {
    Run {
        end: hookwright_model::End::Replied,
        code: None,
        signal: None,
        stdin: Default::default(),
        stdout: hookwright_model::Captured::new(output),
        stderr: Default::default(),
        took: std::time::Duration::ZERO,
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters: Default::default(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

#[test]
fn a_picoclaw_callback_gets_the_params_of_a_process_and_its_output_is_the_result() {
    let definition = json!({"callback": "cb", "intercept": ["before_tool", "approve_tool"]});
    let hooks = registered("picoclaw", None, &definition, &[]).unwrap();
    let picoclaw = find("picoclaw").unwrap();
    let spec = picoclaw.card().event("before_tool").unwrap();
    let payload = json!({"meta": {}, "tool": "bash", "arguments": {}})
        .as_object()
        .cloned()
        .unwrap();
    let Call::Callback(call) = picoclaw.encode(&hooks[0], spec, &payload, Path::new("/p")) else {
        panic!("a callback is called in the agent");
    };
    assert_eq!(
        (call.callback.as_str(), call.event, call.tool_use_id),
        ("cb", "before_tool", None)
    );
    assert_eq!(call.input, json!({"meta": {}, "tool": "bash"}));
    let denial = replied(r#"{"action": "deny_tool", "reason": "no"}"#);
    let Decoded::Answer(answer) = decoded("picoclaw", "before_tool", &hooks[0], &denial) else {
        panic!("a denial is an answer");
    };
    assert_eq!(answer.decision.unwrap().reason.as_deref(), Some("no"));
    assert!(matches!(
        decoded("picoclaw", "before_tool", &hooks[0], &replied("null")),
        Decoded::Nothing
    ));
    assert!(matches!(
        decoded("picoclaw", "before_tool", &hooks[0], &replied("{")),
        Decoded::Failure(_)
    ));
    assert!(matches!(
        decoded("picoclaw", "approve_tool", &hooks[2], &replied("{}")),
        Decoded::Failure(_)
    ));
    assert!(matches!(
        decoded("picoclaw", "approve_tool", &hooks[2], &replied(r#"{"approved": true}"#)),
        Decoded::Answer(_)
    ));
}

#[test]
fn an_error_of_a_callback_and_an_agent_that_left_are_failures_with_their_own_words() {
    let guard = |dialect, event, definition: Value| only(dialect, event, &definition);
    let of_qoder = guard("qoder", Some("Stop"), json!({"callback": "cb"}));
    let of_picoclaw = guard(
        "picoclaw",
        None,
        json!({"callback": "cb", "intercept": ["approve_tool"]}),
    );
    for (dialect, event, hook) in [("qoder", "Stop", of_qoder), ("picoclaw", "approve_tool", of_picoclaw)] {
        let ended = |end| {
            let stderr = hookwright_model::Captured::new("it raised");
            let run = Run {
                end,
                stderr,
                ..replied("")
            };
            let Decoded::Failure(message) = decoded(dialect, event, &hook, &run) else {
                panic!("it failed");
            };
            message.text
        };
        assert_eq!(
            ended(hookwright_model::End::Refused),
            "the callback returned an error: it raised"
        );
        assert_eq!(
            ended(hookwright_model::End::PeerGone),
            "the agent left before its callback responded"
        );
    }
}
