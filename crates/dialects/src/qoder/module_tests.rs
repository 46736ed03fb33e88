use super::super::Qoder;
use super::*;
use hookwright_model::{Call, Files, Layer, Payload, PeerLine, PeerMessage, Root, Wire};
use proptest::prelude::*;
use std::path::Path;

pub fn module() -> Hook {
    let root = Root::file(Layer::Project, "/p/.qoder/hooks.py".into(), Some("/p".into()));
    let tree = SourceTree::with_text(root, Ok("raise SystemExit".to_owned()));
    std::sync::Arc::unwrap_or_clone(Qoder.parse(&tree).hooks.remove(0))
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed.problems.iter().map(|problem| problem.code.as_str()).collect()
}

#[test]
fn a_module_is_one_hook_of_every_event_until_its_bridge_reports() {
    let module = module();
    assert_eq!(
        (module.id.as_str(), module.event.as_str()),
        ("qoder:project:*:module", "*")
    );
    let event = events::CARD.event("PreToolUse").unwrap();
    assert!(module.matches_event(event));
    assert_eq!(module.id_at(event), "qoder:project:PreToolUse:module");
    let sources = ApprovalScope::Sources {
        folder: "/p/.qoder".into(),
        ending: ".py",
    };
    assert_eq!(module.approval_scope, sources);
}

#[test]
fn its_hooks_are_approved_as_the_module_is() {
    let module = module();
    let reported = json!({"hooks": {"Stop": [{"matcher": null, "hookCallbackIds": ["hook_0"]}]}});
    let hook = std::sync::Arc::unwrap_or_clone(expand_module(&module, &reported).hooks.remove(0));
    assert_eq!(hook.approval_key(), module.approval_key());
    assert_eq!(
        (hook.definition_text, hook.approval_scope),
        (module.definition_text, module.approval_scope)
    );
}

#[test]
fn a_callback_has_the_name_and_line_of_its_function() {
    let reported = json!({
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hookCallbackIds": ["hook_0", "hook_1"], "timeout": 2.5}]},
        "hookwright": {"callbacks": {
            "hook_0": {"name": "guard", "line": 7, "file": "/p/.qoder/hooks.py"},
            "hook_1": {"name": "other", "line": 9, "file": "/p/.qoder/rules.py"}
        }}
    });
    let parsed = expand_module(&module(), &reported);
    assert!(parsed.problems.is_empty());
    let shown: Vec<_> = parsed
        .hooks
        .iter()
        .map(|hook| {
            (
                hook.id.as_str(),
                hook.label.as_str(),
                hook.source.line,
                hook.timeout.as_millis(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("qoder:project:PreToolUse:module.0.0", "guard", 7, 2500),
            ("qoder:project:PreToolUse:module.0.1", "other", 1, 2500),
        ]
    );
    let Handler::Module { callback, .. } = &parsed.hooks[1].handler else {
        panic!("no module")
    };
    assert_eq!(callback.as_deref(), Some("hook_1"));
}

#[test]
fn problems_of_a_table_are_reported() {
    for (reported, want) in [
        (json!({"error": {"message": "boom", "line": 3}}), vec!["import_failed"]),
        (
            json!({"hookwright": {"problems": [{"what": "nothing"}]}}),
            vec!["missing_field"],
        ),
        (
            json!({"hookwright": {"problems": [{"what": "hooks", "found": "list"}]}}),
            vec!["wrong_type"],
        ),
        (
            json!({"hookwright": {"problems": [{"what": "event", "event": "Stop", "found": "int"}]}}),
            vec!["wrong_type"],
        ),
        (
            json!({"hooks": {"Stop": [{"matcher": 1, "hookCallbackIds": ["hook_0"]}]}}),
            vec!["wrong_type"],
        ),
        (
            json!({"hooks": {"PreToolUse": [{"matcher": "(", "hookCallbackIds": ["hook_0"]}]}}),
            vec!["bad_pattern"],
        ),
        (
            json!({"hooks": {"Stop": [{"hookCallbackIds": [null]}]}}),
            vec!["wrong_type"],
        ),
        (
            json!({"hooks": {"Stop": [{"hookCallbackIds": ["hook_0"], "timeout": -1}]}}),
            vec!["out_of_range"],
        ),
        (
            json!({"hooks": {"stop": [{"hookCallbackIds": ["a"]}, {"hookCallbackIds": ["b"]}]}}),
            vec!["unknown_event"],
        ),
        (json!({}), vec![]),
    ] {
        let parsed = expand_module(&module(), &reported);
        assert_eq!(codes(&parsed), want, "{reported}");
        assert!(parsed.hooks.iter().all(|hook| hook.invalid.is_some()), "{reported}");
    }
    let failed = expand_module(&module(), &json!({"error": {"message": "boom", "line": 3}}));
    assert_eq!(failed.problems[0].line, Some(3));
    assert_eq!(unloaded_module_warnings(&[&failed.hooks[0]])[0].code, "module_out");
}

#[test]
fn the_bridge_is_asked_for_its_table_or_for_a_callback() {
    let payload = Payload::from_iter([("tool_use_id".to_owned(), json!("t1"))]);
    let event = events::CARD.event("PreToolUse").unwrap();
    let peer_call = |hook: &Hook| match Qoder.encode(hook, event, &payload, Path::new("/p")) {
        Call::Peer(call) => call,
        other @ (Call::Process(_) | Call::Prompt(_) | Call::Http(_) | Call::Callback(_) | Call::Immediate(_)) => {
            panic!("{other:?}")
        }
    };
    let module = module();
    let hello = peer_call(&module);
    assert!(matches!(hello.message, PeerMessage::Hello));
    let reported = json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["hook_3"]}]}});
    let call = peer_call(&expand_module(&module, &reported).hooks[0]);
    assert_eq!((&call.key, &call.program), (&hello.key, &hello.program));
    let PeerMessage::Request { method, params } = &call.message else {
        panic!("no request")
    };
    let line: Value = serde_json::from_str(&call.protocol.request(2, method, params)).unwrap();
    assert_eq!(
        line,
        json!({"type": "control_request", "request_id": "2", "request":
            {"subtype": "hook_callback", "callback_id": "hook_3", "input": payload, "tool_use_id": "t1"}})
    );
    let cancel: Value = serde_json::from_str(&call.protocol.cancel(2).unwrap()).unwrap();
    assert_eq!(cancel, json!({"type": "control_cancel_request", "request_id": "2"}));
}

#[test]
fn the_bridges_lines_are_distinguished() {
    let module = module();
    let event = events::CARD.event("Stop").unwrap();
    let Call::Peer(call) = Qoder.encode(&module, event, &Payload::new(), Path::new("/p")) else {
        panic!("no peer")
    };
    let parse = |line: Value| call.protocol.parse_line(&line.to_string());
    let initialize = json!({"type": "control_request", "request": {"subtype": "initialize"}});
    assert_eq!(parse(initialize.clone()), PeerLine::Hello);
    assert_eq!(
        call.protocol.parse_handshake(&initialize.to_string()).unwrap().result,
        json!({"subtype": "initialize"})
    );
    let answer =
        |subtype: &str| json!({"type": "control_response", "response": {"subtype": subtype, "request_id": "7"}});
    assert_eq!(parse(answer("success")), PeerLine::Answer(7));
    assert_eq!(parse(answer("error")), PeerLine::Refusal(7));
    assert_eq!(parse(json!({"type": "keep_alive"})), PeerLine::Dropped);
    assert!(matches!(call.protocol.parse_line("Traceback"), PeerLine::Invalid(_)));
    assert!(matches!(parse(json!([])), PeerLine::Invalid(_)));
}

fn any_report() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (-2..9_i64).prop_map(Value::from),
        "[a-zB(*]{0,5}".prop_map(Value::from),
        Just(json!("hook_0"))
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let key = prop_oneof![
            Just("hooks"),
            Just("Stop"),
            Just("PreToolUse"),
            Just("matcher"),
            Just("hookCallbackIds"),
            Just("timeout"),
            Just("error"),
            Just("hookwright"),
            Just("problems"),
            Just("what")
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| { pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }),
        ]
    })
}

proptest! {
    #[test]
    fn any_bridge_report_is_read(reported in any_report()) {
        for hook in expand_module(&module(), &reported).hooks {
            let named = matches!(&hook.handler, Handler::Module { callback: Some(_), .. });
            prop_assert!(named || hook.invalid.is_some());
        }
    }
}
