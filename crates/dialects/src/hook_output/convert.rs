//! What the conversions of hooks with this form of output share.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::SPECIFIC_OUTPUT;
use crate::convert::NewFile;
use crate::convert::form::{Insertion, Meaning};
use crate::convert::portable::{PortableHook, json_file};
use crate::convert::tools::ToolMatch;

/// The payload fields.
#[rustfmt::skip]
pub(crate) const PAYLOAD: &[(Meaning, &str)] = &[
    (Meaning::Event, "hook_event_name"), (Meaning::Session, "session_id"), (Meaning::Folder, "cwd"),
    (Meaning::Tool, "tool_name"), (Meaning::Arguments, "tool_input"), (Meaning::CallId, "tool_use_id"),
    (Meaning::Result, "tool_response"), (Meaning::Failure, "error"), (Meaning::Prompt, "prompt"),
    (Meaning::Response, "last_assistant_message"), (Meaning::Model, "model"),
];

/// How texts are inserted.
pub(crate) const INSERTION: Insertion = Insertion::Output {
    write: |event, text, _| json!({ SPECIFIC_OUTPUT: { "hookEventName": event, "additionalContext": text } }),
    read: |document| {
        let text = document[SPECIFIC_OUTPUT]["additionalContext"].as_str()?;
        Some((text.to_owned(), "system".to_owned()))
    },
    keeps_role: false,
    only_at: None,
};

/// The settings file at this path, with a group for each hook; none without hooks. `matcher` writes the tools of a hook,
/// and `entry` its fields.
pub(crate) fn settings_file(
    path: &str,
    hooks: &[PortableHook],
    matcher: fn(&ToolMatch) -> Option<String>,
    entry: fn(&PortableHook) -> Map<String, Value>,
) -> Vec<NewFile> {
    let mut events: Map<String, Value> = Map::new();
    for hook in hooks {
        let mut group = Map::new();
        if let Some(matcher) = matcher(&hook.tools) {
            group.insert("matcher".to_owned(), matcher.into());
        }
        group.insert("hooks".to_owned(), json!([entry(hook)]));
        let groups = events.entry(hook.event.clone()).or_insert_with(|| json!([]));
        if let Value::Array(groups) = groups {
            groups.push(Value::Object(group));
        }
    }
    if events.is_empty() {
        return Vec::new();
    }
    vec![json_file(path, &json!({ "hooks": events }))]
}

/// The fields of a hook with this command that every such agent has. `usual` is the time limit without `timeout`.
pub(crate) fn command_entry(hook: &PortableHook, command: String, usual: Duration) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("type".to_owned(), "command".into());
    fields.insert("command".to_owned(), command.into());
    if !hook.timeout.is_zero() && hook.timeout != usual {
        let whole = hook.timeout.subsec_nanos() == 0;
        let value = if whole {
            json!(hook.timeout.as_secs())
        } else {
            json!(hook.timeout.as_secs_f64())
        };
        fields.insert("timeout".to_owned(), value);
    }
    if let Some(name) = &hook.given_name {
        fields.insert("name".to_owned(), name.as_str().into());
    }
    if hook.detached {
        fields.insert("async".to_owned(), true.into());
    }
    fields
}
