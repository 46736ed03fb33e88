//! Writes `.picoclaw/config.json`.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::args;
use serde_json::{Map, Value, json};

use super::adapt::shown;
use super::command;
use super::portable::{HookAction, PortableHook, json_file};
use super::{HookSystem, LossReport, NewFile, messages};

const PATH: &str = ".picoclaw/config.json";
const USUAL_INTERCEPTOR: Duration = Duration::from_secs(5);
const USUAL_APPROVAL: Duration = Duration::from_secs(60);

/// The files of these hooks.
pub fn write(hooks: &[PortableHook], report: &mut LossReport) -> Vec<NewFile> {
    if hooks.is_empty() {
        return Vec::new();
    }
    let defaults = defaults(hooks, report);
    let processes: Map<String, Value> = hooks.iter().map(|hook| (hook.name.clone(), entry(hook))).collect();
    let mut section = Map::new();
    if !defaults.is_empty() {
        section.insert("defaults".to_owned(), json!(defaults));
    }
    section.insert("processes".to_owned(), Value::Object(processes));
    vec![json_file(PATH, &json!({ "hooks": section }))]
}

fn is_observer(event: &str) -> bool {
    let spec = crate::picoclaw::events::CARD.event(event);
    spec.is_some_and(|spec| spec.notify_only)
}

/// The time limits of the file: the longest of its hooks, without observers.
fn defaults(hooks: &[PortableHook], report: &mut LossReport) -> BTreeMap<&'static str, u64> {
    let mut limits = BTreeMap::new();
    let kinds = [
        ("interceptor_timeout_ms", USUAL_INTERCEPTOR, false),
        ("approval_timeout_ms", USUAL_APPROVAL, true),
    ];
    for (field, usual, approves) in kinds {
        let of_kind = |hook: &&PortableHook| !is_observer(&hook.event) && (hook.event == "approve_tool") == approves;
        let of_kind: Vec<&PortableHook> = hooks.iter().filter(of_kind).collect();
        let Some(longest) = of_kind.iter().map(|hook| hook.timeout).max() else {
            continue;
        };
        if longest != usual {
            limits.insert(field, u64::try_from(longest.as_millis()).unwrap_or(u64::MAX));
        }
        for hook in of_kind.iter().filter(|hook| hook.timeout != longest) {
            let (written, other) = (shown(hook.timeout, report.from), shown(longest, report.to));
            let args = args! { "written" => written, "other" => other };
            report.lose(&hook.id, &messages::TIMEOUT_SHARED, args);
        }
    }
    limits
}

fn entry(hook: &PortableHook) -> Value {
    let mut fields = Map::new();
    fields.insert("enabled".to_owned(), true.into());
    if let Some(priority) = hook.priority {
        fields.insert("priority".to_owned(), priority.into());
    }
    let arguments = match (hook.adapted_words(HookSystem::Picoclaw), &hook.action) {
        (Some(words), _) => words,
        (None, HookAction::Script(entry)) => vec![hook.script_path(HookSystem::Picoclaw, entry)],
        (None, HookAction::Command(_) | HookAction::Text { .. }) => {
            command::to_arguments(&hook.shell_command(HookSystem::Picoclaw))
        }
    };
    fields.insert("command".to_owned(), json!(arguments));
    if let Some(dir) = &hook.dir {
        fields.insert("dir".to_owned(), dir.as_str().into());
    }
    if !hook.env.is_empty() {
        let env: BTreeMap<&str, &str> = hook.env.iter().map(|(name, value)| (&**name, &**value)).collect();
        fields.insert("env".to_owned(), json!(env));
    }
    let modes = if is_observer(&hook.event) {
        "observe"
    } else {
        "intercept"
    };
    fields.insert(modes.to_owned(), json!([hook.event]));
    Value::Object(fields)
}
