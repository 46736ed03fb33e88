//! Writes `.qoder/settings.json`.

use serde_json::{Map, Value, json};

use super::portable::{HookAction, PortableHook, json_file};
use super::{HookSystem, LossReport, NewFile};

const PATH: &str = ".qoder/settings.json";
const USUAL_TIMEOUT_S: f64 = 60.0;

/// The files of these hooks.
pub fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
    let mut events: Map<String, Value> = Map::new();
    for hook in hooks {
        let mut group = Map::new();
        if let Some(matcher) = hook.tools.to_whole_pattern() {
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
    vec![json_file(PATH, &json!({ "hooks": events }))]
}

fn entry(hook: &PortableHook) -> Value {
    let command = hook.shell_command(HookSystem::Qoder);
    let mut fields = Map::new();
    fields.insert("type".to_owned(), "command".into());
    fields.insert("command".to_owned(), command.into());
    let seconds = hook.timeout.as_secs_f64();
    if !hook.timeout.is_zero() && seconds != USUAL_TIMEOUT_S {
        let whole = hook.timeout.subsec_nanos() == 0;
        let value = if whole {
            json!(hook.timeout.as_secs())
        } else {
            json!(seconds)
        };
        fields.insert("timeout".to_owned(), value);
    }
    if let Some(name) = &hook.given_name {
        fields.insert("name".to_owned(), name.as_str().into());
    }
    if hook.detached {
        fields.insert("async".to_owned(), true.into());
    }
    if !hook.env.is_empty() && !matches!(hook.action, HookAction::Text { .. }) {
        let env: Map<String, Value> = hook
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().into()))
            .collect();
        fields.insert("env".to_owned(), Value::Object(env));
    }
    Value::Object(fields)
}
