//! Numbers of payloads: what a hook receives has each number as it was written (`CONTRACTS.md` §2.5).

use std::path::Path;

use hookwright_dialects::json::{Differences, read_payload};
use hookwright_dialects::lookup::find_event;
use hookwright_model::{Call, Handler, Hook, Payload, PeerMessage};
use proptest::prelude::*;
use serde_json::Value;

/// Numbers of the grammar, with and without an exponent, far beyond doubles and 64 bits.
fn numbers() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?"
}

/// A JSON text of numbers in lists and objects, without spaces.
fn values() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![numbers(), Just("\"1e2\"".to_owned()), Just("null".to_owned())];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(inner, 0..4).prop_map(|items| {
                let fields = items.iter().enumerate().map(|(at, item)| format!("\"k{at}\":{item}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

fn hook(dialect: &'static str, event: &str, handler: Handler) -> Hook {
    Hook::new(dialect, format!("{dialect}:user:{event}:0"), event, handler)
}

/// The text that a hook of this event receives.
fn sent(dialect: &'static str, event: &str, handler: Handler, payload: &Payload) -> String {
    let (known, spec) = find_event(dialect, event).unwrap();
    match known.encode(&hook(dialect, event, handler), spec, payload, Path::new("/p")) {
        Call::Process(call) => String::from_utf8(call.stdin).unwrap(),
        Call::Peer(call) => match call.message {
            PeerMessage::Request { params, .. } | PeerMessage::Notify { params, .. } => params.get().to_owned(),
            PeerMessage::Hello => panic!("a handshake"),
        },
        other @ (Call::Prompt(_) | Call::Http(_) | Call::Callback(_) | Call::Immediate(_)) => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn what_a_hook_receives_has_each_number_as_it_was_written(input in values()) {
        let shell = || Handler::Shell { command: "x".to_owned() };
        let peer = || Handler::Peer { argv: vec!["x".to_owned()] };
        let script = || Handler::Script { entry: Some("/h/run".into()) };
        // j-cli leaves out what is null.
        let input = format!("[{input}]");
        let text = format!("{{\"custom\":{input}}}");
        for (dialect, event, handler) in [
            ("jcli", "post_tool_execution", shell()),
            ("qoder", "PreToolUse", shell()),
            ("agent-hooks", "before_tool", script()),
            ("picoclaw", "before_tool", peer()),
        ] {
            let (Value::Object(payload), Differences { twice, .. }) = read_payload(&text).unwrap() else { panic!("{text}") };
            prop_assert!(twice.is_empty());
            prop_assert_eq!(Value::Object(payload.clone()).to_string(), &*text);
            // Some agents write a space after each separator.
            let received = sent(dialect, event, handler, &payload).replace(": ", ":").replace(", ", ",");
            prop_assert!(received.contains(&input), "{}: {} in {}", dialect, input, received);
        }
    }
}
