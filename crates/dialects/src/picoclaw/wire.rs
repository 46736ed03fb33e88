//! Translates payloads to calls and chains to replies (`picoclaw.md` §3, §5, §8). [`super::answer`] reads hook output.

use std::path::Path;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, CallbackCall, CodePathVars, Decoded, DialectSettings, End, Handler, Hook, HookCounts, Message,
    PeerCall, PeerMessage, Program, Reply, Resolution, Run, Verdict, VerdictKind, Wire, args, render,
};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::Picoclaw;
use super::events::{CALL_PARTS, CARD, EVENT_METHOD, META_TEXTS, REQUEST_PARTS};
use super::messages::answers;
use super::protocol::{self, PicoclawProtocol};

/// Fields that are left out of a request if they are empty.
const OPTIONAL_FIELDS: [&str; 6] = ["messages", "tools", "options", "arguments", "channel", "chat_id"];

impl Wire for Picoclaw {
    /// Fills in missing parts of `meta`, and the kind's own name. Fields that are given keep their position.
    ///
    /// # Errors
    /// The payload's `Kind` names another kind.
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        let meta = if event.notify_only { "Meta" } else { "meta" };
        if event.notify_only {
            match payload.get("Kind").filter(|kind| !kind.is_null()) {
                None => {
                    payload.insert("Kind".to_owned(), event.name.into());
                }
                Some(kind) if kind == event.name => {}
                // The shipped agent sends a number, and later versions another spelling (`picoclaw.md` §12, PICO-Q8).
                // Processes get the seed's name.
                Some(kind)
                    if kind.is_u64() || kind.as_str().and_then(|kind| CARD.resolve_alias(kind)) == Some(event.name) =>
                {
                    payload.insert("Kind".to_owned(), event.name.into());
                }
                Some(kind) => {
                    let found = kind.as_str().map_or_else(|| kind.to_string(), str::to_owned);
                    return Err(render!(answers::OTHER_KIND, "found" => found, "event" => event.name));
                }
            }
        }
        let filled = payload.entry(meta).or_insert(Value::Null);
        if filled.is_null() {
            *filled = json!({});
        }
        // A `meta` that is not an object is left as the agent sent it.
        let Value::Object(filled) = filled else { return Ok(()) };
        for name in META_TEXTS {
            let value = if name == "SessionKey" {
                defaults.session_id.as_str()
            } else {
                ""
            };
            if filled.get(name).is_none_or(Value::is_null) {
                filled.insert(name.to_owned(), value.into());
            }
        }
        if filled.get("Iteration").is_none_or(Value::is_null) {
            filled.insert("Iteration".to_owned(), 0.into());
        }
        Ok(())
    }

    /// The call that sends this payload to a hook.
    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        let params = params(event, payload);
        if let Handler::Callback { callback } = &hook.handler {
            return Call::Callback(CallbackCall {
                callback: callback.clone(),
                event: event.name,
                // What a process gets as `params`. It was written as JSON just now, so reading cannot fail.
                input: serde_json::from_str(params.get()).unwrap_or_default(),
                tool_use_id: None,
            });
        }
        let message = if event.notify_only {
            PeerMessage::Notify {
                methods: vec![protocol::EVENT_METHOD],
                params,
            }
        } else {
            PeerMessage::Request {
                method: format!("hook.{}", event.name),
                params,
            }
        };
        let argv = match &hook.handler {
            Handler::Peer { argv } => argv.clone(),
            // The engine never runs hooks that are compiled into the agent. If it asks anyway, there is no program to
            // start.
            Handler::Shell { .. }
            | Handler::Script { .. }
            | Handler::Module { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Prompt { .. }
            | Handler::Http(_)
            | Handler::Builtin { .. } => Vec::new(),
        };
        let dir = hook.definition.get("dir").and_then(Value::as_str);
        let dir = dir.filter(|dir| !dir.is_empty());
        Call::Peer(PeerCall {
            key: hook.id.clone(),
            version: format!("{}\n{}", hook.definition_text, project.display()),
            program: Program::Argv(argv),
            cwd: dir.map_or_else(|| project.to_owned(), |dir| project.join(dir)),
            fallback_cwd: project.to_owned(),
            env: env(&hook.definition),
            code_path_vars: CodePathVars::default(),
            handshake_params: json!({ "name": hook.label, "version": 1, "modes": modes(&hook.definition) }),
            message,
            protocol: &PicoclawProtocol,
            rules: protocol::PEER_RULES,
        })
    }

    /// Sends notifications under the method that the settings choose: the older one, the newer one, or both.
    fn apply_settings(&self, mut call: Call, settings: &DialectSettings) -> Call {
        if let Call::Peer(PeerCall {
            message: PeerMessage::Notify { methods, .. },
            ..
        }) = &mut call
        {
            match settings.get(EVENT_METHOD.name).map(String::as_str) {
                Some("hook.runtime_event") => *methods = vec![protocol::NEWER_EVENT_METHOD],
                Some("both") => methods.push(protocol::NEWER_EVENT_METHOD),
                // The default. The settings contain only the words of the table.
                _ => {}
            }
        }
        call
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        super::answer::decode(hook, event, payload, run)
    }

    fn apply_additions(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions, _verdict: &Verdict) {}

    fn closed_verdict(&self, hook: &Hook, _failure: &Message, end: Option<End>) -> (VerdictKind, Message) {
        let template = if end == Some(End::TimedOut) {
            super::messages::answers::APPROVER_TIMED_OUT
        } else {
            super::messages::answers::APPROVER_FAILED
        };
        (VerdictKind::Deny, template.render(args! { "name" => hook.label }))
    }

    /// The result object of the event's method (`picoclaw.md` §8).
    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        let json = if event.notify_only {
            json!({})
        } else if event.output("approved").is_some() {
            approval(resolution)
        } else {
            result(event, resolution)
        };
        Reply {
            json,
            exit_code: 0,
            stderr: String::new(),
        }
    }

    /// The counters that `picoclaw.md` §10 has in addition to the common ones. The handshake time is the mean of all
    /// answered handshakes.
    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        super::native::hook_counters(counts)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::fixtures::fixture(event)
    }
}

/// The entry's own variables, in the order of their names.
fn env(definition: &Value) -> Vec<(String, String)> {
    let own = definition.get("env").and_then(Value::as_object);
    let pairs = own.into_iter().flatten();
    let mut env: Vec<(String, String)> = pairs
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    env.sort();
    env
}

/// The modes that the handshake reports to a process: `observe`, `llm`, `tool`, `approve`, in this order.
#[must_use]
pub fn modes(definition: &Value) -> Vec<&'static str> {
    let strings = |field: &str| -> Vec<&str> {
        let list = definition.get(field).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (observe, intercept) = (strings("observe"), strings("intercept"));
    let has = |points: &[&str]| points.iter().any(|point| intercept.contains(point));
    let modes = [
        ("observe", !observe.is_empty()),
        ("llm", has(&["before_llm", "after_llm"])),
        ("tool", has(&["before_tool", "after_tool"])),
        ("approve", has(&["approve_tool"])),
    ];
    modes.into_iter().filter(|(_, on)| *on).map(|(mode, _)| mode).collect()
}

/// The fields of the event's row in its order, then other fields, as JSON. Empty fields are left out.
fn params(event: &EventSpec, payload: &Payload) -> Box<RawValue> {
    let listed = event
        .fields
        .iter()
        .filter_map(|field| payload.get_key_value(field.name));
    let others = payload
        .iter()
        .filter(|(name, _)| !event.fields.iter().any(|field| field.name == *name));
    let present = listed.chain(others).filter(|(name, value)| !is_left_out(name, value));
    // Names are texts, so writing cannot fail.
    to_raw_value(&Params(present.collect())).unwrap_or_default()
}

/// An object whose parts belong to the payload.
struct Params<'p>(Vec<(&'p String, &'p Value)>);

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

fn is_left_out(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => OPTIONAL_FIELDS.contains(&name) || name == "graceful_terminal",
        Value::Bool(on) => name == "graceful_terminal" && !on,
        Value::String(_) | Value::Array(_) | Value::Object(_) => OPTIONAL_FIELDS.contains(&name) && is_empty(value),
        Value::Number(_) => false,
    }
}

/// Whether a value is null or has no content.
#[must_use]
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn approval(resolution: &Resolution) -> Value {
    if resolution.verdict.kind.blocks() {
        with_reason(json!({ "approved": false }), resolution)
    } else {
        json!({ "approved": true })
    }
}

fn result(event: &EventSpec, resolution: &Resolution) -> Value {
    let action = |word: &str| with_reason(json!({ "action": word }), resolution);
    match resolution.verdict.kind {
        VerdictKind::Respond => {
            let mut json = Map::from_iter([("action".to_owned(), Value::from("respond"))]);
            for name in ["call", "result"] {
                let given = resolution.additions.get(name).cloned();
                json.extend(given.map(|value| (name.to_owned(), value)));
            }
            Value::Object(json)
        }
        VerdictKind::EndTurn => action("abort_turn"),
        VerdictKind::EndSession => action("hard_abort"),
        // The other blocking verdicts do not exist in this dialect. If the engine decides so anyway, the call is not
        // run.
        VerdictKind::Deny | VerdictKind::Ask | VerdictKind::Skip | VerdictKind::Retry | VerdictKind::Stop => {
            action("deny_tool")
        }
        VerdictKind::Proceed | VerdictKind::Approve if resolution.replaced.is_empty() => {
            json!({ "action": "continue" })
        }
        VerdictKind::Proceed | VerdictKind::Approve => {
            let (name, fields): (&str, &[&str]) = match event.name {
                "before_llm" => ("request", &REQUEST_PARTS),
                "before_tool" => ("call", &CALL_PARTS),
                "after_llm" => ("response", &["response"]),
                _ => ("result", &["tool", "arguments", "result", "duration"]),
            };
            let changed = pick(&resolution.payload, fields);
            Value::Object(Map::from_iter([
                ("action".to_owned(), "modify".into()),
                (name.to_owned(), changed),
            ]))
        }
    }
}

fn with_reason(mut json: Value, resolution: &Resolution) -> Value {
    if let (Value::Object(json), Some(reason)) = (&mut json, &resolution.verdict.reason) {
        json.insert("reason".to_owned(), reason.as_str().into());
    }
    json
}

/// These fields, if the payload has them.
fn pick(payload: &Payload, names: &[&str]) -> Value {
    let present = names.iter().filter_map(|name| payload.get_key_value(*name));
    Value::Object(present.map(|(name, value)| (name.clone(), value.clone())).collect())
}
