//! Writes `.jcli/hooks.yaml`.

use serde_json::{Map, Value};

use super::command::Failure;
use super::portable::{PortableHook, plain_file};
use super::tools::ToolMatch;
use super::{HookSystem, LossReport, NewFile};
use crate::splice::{self, Format, Op, key};

const PATH: &str = ".jcli/hooks.yaml";
const USUAL_TIMEOUT_S: u64 = 10;

/// The files of these hooks.
pub fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
    let mut events: Map<String, Value> = Map::new();
    for hook in hooks {
        let list = events
            .entry(hook.event.clone())
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(definition(hook));
        }
    }
    if events.is_empty() {
        return Vec::new();
    }
    vec![plain_file(PATH, yaml(events))]
}

/// A mapping as YAML, in the form of every other edit.
pub fn yaml(fields: Map<String, Value>) -> String {
    let set = |(name, value): (String, Value)| Op::Set {
        at: vec![key(name)],
        value,
    };
    let ops: Vec<Op> = fields.clone().into_iter().map(set).collect();
    // YAML contains JSON, so a value that cannot be written in blocks is written as JSON.
    splice::apply(Format::Yaml, "", &ops).unwrap_or_else(|_| Value::Object(fields).to_string() + "\n")
}

fn definition(hook: &PortableHook) -> Value {
    let command = hook.shell_command(HookSystem::Jcli);
    let mut fields = Map::new();
    fields.insert("command".to_owned(), command.into());
    let seconds = hook.timeout.as_secs();
    if seconds != 0 && seconds != USUAL_TIMEOUT_S {
        fields.insert("timeout".to_owned(), seconds.into());
    }
    if hook.failure == Failure::Blocks {
        fields.insert("on_error".to_owned(), "abort".into());
    }
    if let ToolMatch::Names(names) = &hook.tools {
        let (field, value) = match names.as_slice() {
            [name] => ("tool_name", name.clone()),
            names => ("tool_matcher", names.join("|")),
        };
        fields.insert("filter".to_owned(), serde_json::json!({ field: value }));
    }
    Value::Object(fields)
}
