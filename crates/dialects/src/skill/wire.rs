//! Translates events to insertions and chains to replies (`skill.md` §3, §6 to §8). Nothing is executed: a hook's
//! output is known at once.

use std::collections::BTreeSet;
use std::path::Path;

use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Decoded, DisabledReason, End, Handler, Hook, HookCounts, HookOutput, Message, Placement, Reply,
    Resolution, Run, Verdict, VerdictKind, Wire, render,
};
use serde_json::{Map, Value, json};

use super::Skill;
use super::config::skill_name;
use super::events::AFTER_TOOL_CALL;
use super::messages::events as messages;

impl Wire for Skill {
    /// Checks a payload. Missing `messages` become an empty list; no other required field may be missing.
    ///
    /// # Errors
    /// A field has the wrong type, or `after_tool_call` has no `tool_name`.
    fn accept(&self, event: &EventSpec, payload: &mut Payload, _facts: &EventDefaults) -> Result<(), Message> {
        check_lists(payload)?;
        if event.name == AFTER_TOOL_CALL && !payload.get("tool_name").is_some_and(Value::is_string) {
            return Err(messages::NO_TOOL.render_plain());
        }
        Ok(())
    }

    /// What a hook inserts, and what the front end stores of it.
    fn encode(&self, hook: &Hook, _event: &EventSpec, _payload: &Payload, _project: &Path) -> Call {
        let Handler::Insert { text } = &hook.handler else {
            return Call::Immediate(Decoded::Nothing);
        };
        let role = hook.definition["role"].as_str().unwrap_or_default();
        let mut fields = vec![("messages".to_owned(), json!({"role": role, "content": text}))];
        if is_persistent(hook) {
            let persisted = json!({"name": hook.label, "role": role, "content": text});
            fields.push(("persist".to_owned(), persisted));
        }
        Call::Immediate(Decoded::Answer(HookOutput {
            fields,
            ..HookOutput::default()
        }))
    }

    /// Nothing is executed, so there is no output to decode.
    fn decode(&self, _hook: &Hook, _event: &EventSpec, _payload: &Payload, _run: &Run) -> Decoded {
        Decoded::Nothing
    }

    /// Appends the inserted messages to the payload's list.
    fn apply_additions(&self, _event: &EventSpec, payload: &mut Payload, additions: &Additions, _verdict: &Verdict) {
        if let Some(Value::Array(messages)) = payload.get_mut("messages") {
            messages.extend(added_values(additions, "messages"));
        }
    }

    /// Nothing can fail and no event can block, so the verdict is always `proceed`.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Proceed, failure.clone())
    }

    /// The reply: the whole list, the appended messages with their references, and what the front end stores (`skill.md`
    /// §8).
    fn reply(&self, _event: &EventSpec, resolution: &Resolution) -> Reply {
        let appended = added_values(&resolution.additions, "messages");
        let messages = resolution.payload.get("messages").and_then(Value::as_array);
        let whole: Vec<Value> = messages.into_iter().flatten().chain(&appended).cloned().collect();
        let referred = appended.iter().zip(1..).map(|(message, number)| {
            // No other event has this trace id, so no other message has this reference.
            let mut referred = Map::from_iter([("ref".to_owned(), json!(format!("{}.{number}", resolution.trace)))]);
            referred.extend(message.as_object().cloned().unwrap_or_default());
            Value::Object(referred)
        });
        Reply {
            json: json!({
                "messages": whole,
                "appended": referred.collect::<Vec<_>>(),
                "persist": added_values(&resolution.additions, "persist"),
            }),
            exit_code: 0,
            stderr: String::new(),
        }
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        super::events::fixture(event)
    }

    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        super::native::hook_counters(counts)
    }
}

/// Checks the messages and the enabled skills. Missing `messages` become an empty list.
///
/// # Errors
/// One of them has the wrong type.
pub fn check_lists(payload: &mut Payload) -> Result<(), Message> {
    if payload.get("messages").is_none_or(Value::is_null) {
        payload.insert("messages".to_owned(), Value::Array(Vec::new()));
    }
    let is_message = |message: &Value| message.get("role").is_some_and(Value::is_string);
    let messages = payload.get("messages").and_then(Value::as_array);
    if !messages.is_some_and(|list| list.iter().all(is_message)) {
        return Err(messages::BAD_MESSAGES.render_plain());
    }
    match payload.get("enabled_skills") {
        None => {}
        Some(Value::Null) => {
            payload.shift_remove("enabled_skills");
        }
        Some(given) => {
            let names = given.as_array().is_some_and(|list| list.iter().all(Value::is_string));
            if !names {
                return Err(messages::BAD_SKILLS.render_plain());
            }
        }
    }
    Ok(())
}

/// The enabled skills, if the payload names them.
pub fn enabled_skills(payload: &Payload) -> Option<Vec<&str>> {
    let list = payload.get("enabled_skills")?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).collect())
}

/// A hook's position in the chain: that of its skill among the enabled ones. An enabled skill counts as approved
/// (`engine.md` §3).
#[must_use]
pub fn placement(hook: &Hook, payload: &Payload) -> Placement {
    let skill = skill_name(hook);
    let Some(enabled) = enabled_skills(payload) else {
        return Placement {
            then: skill,
            ..Placement::default()
        };
    };
    let place = enabled.iter().position(|name| *name == skill);
    Placement {
        position: place.unwrap_or(usize::MAX),
        then: String::new(),
        disabled_message: place
            .is_none()
            .then(|| render!(messages::NOT_ENABLED, "skill" => skill)),
        trusted: true,
    }
}

/// The warning that the payload does not name the enabled skills.
#[must_use]
pub fn warnings_before(payload: &Payload, hooks: &[&Hook]) -> Vec<Message> {
    if enabled_skills(payload).is_some() {
        return Vec::new();
    }
    let shadowed = |hook: &Hook| matches!(hook.disabled_reason, Some(DisabledReason::Shadowed(_)));
    let found: BTreeSet<String> = hooks
        .iter()
        .filter(|hook| !shadowed(hook))
        .map(|hook| skill_name(hook))
        .collect();
    let names = found.into_iter().collect::<Vec<_>>().join(", ");
    let message = || render!(messages::NO_ENABLED_SKILLS, "names" => names);
    (!names.is_empty()).then(message).into_iter().collect()
}

/// Whether the front end stores what a hook inserts.
#[must_use]
pub fn is_persistent(hook: &Hook) -> bool {
    hook.definition["persistent"] == true
}

fn added_values(additions: &Additions, name: &str) -> Vec<Value> {
    let list = additions.get(name).and_then(Value::as_array);
    list.cloned().unwrap_or_default()
}
