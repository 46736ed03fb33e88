//! Values for the fields of each dialect, and the paths of its files.

use hookwright_model::TargetLayer;
use hookwright_testkit::TestRng;
use serde_json::{Map, Value, json};

use crate::edits::reader::HookSpan;

const TEXTS: [&str; 15] = [
    "echo done",
    "yes",
    "007",
    "2026-01-15",
    "a: b # c",
    "'quoted' \"both\"",
    "line one\nline two\n",
    "no end\nof line",
    "  leads\nwith blanks\n",
    "trailing blank \nand more\n\n",
    "中文 ✓ \u{1f600}",
    "tab\there",
    "back\\slash, [brackets], {braces}",
    "- dash",
    "{{tool_name}} \u{7}\u{85}",
];

/// A random field of a dialect, with a value.
pub fn fields(rng: &mut TestRng, dialect: &str) -> (&'static str, Value) {
    let text = json!(*rng.pick(&TEXTS));
    let number = json!(100 + rng.less_than(500));
    let any = match rng.less_than(6) {
        0 => json!(rng.less_than(100)),
        1 => json!(null),
        2 => json!({"a": "Read", "deep": {"x": [1, "two"]}}),
        3 => json!(["a", "b: c", 3]),
        _ => text.clone(),
    };
    let mut pick_field = |list: &[(&'static str, Value)]| list[rng.less_than(list.len())].clone();
    match dialect {
        "jcli" => pick_field(&[
            ("command", text.clone()),
            ("command", text),
            ("timeout", number),
            ("on_error", json!("abort")),
            ("filter.tool_name", json!("Read")),
            ("filter.tool_matcher", json!("Edit|Read")),
            ("filter", json!({"tool_name": "X", "model_prefix": "gpt"})),
            ("note", any.clone()),
            ("extra", any.clone()),
            ("label", any.clone()),
            ("new key", any),
        ]),
        "qoder" => pick_field(&[
            ("command", text.clone()),
            ("name", text.clone()),
            ("timeout", number),
            ("statusMessage", text.clone()),
            ("env.B", text),
            ("async", json!(true)),
            ("matcher", json!("Read")),
            ("matcher", json!("Write|中")),
            ("_note", any.clone()),
        ]),
        "skill" => pick_field(&[
            ("role", json!("user")),
            ("persistent", json!(true)),
            ("timing", json!("before_planning")),
            ("tool_filter", json!(["Read", "中"])),
            ("note", any),
            ("text", text),
        ]),
        "agent-hooks" => pick_field(&[
            ("description", text.clone()),
            ("license", any.clone()),
            ("timeout", number),
            ("priority", json!(7)),
            ("async", json!(false)),
            ("matcher.tool", json!("Read|Write")),
            ("matcher.pattern", json!("\\.py$")),
            ("matcher", json!({"tool": "X"})),
            ("metadata.more", any),
            ("script", json!("#!/bin/sh\nexit 2 # 新\n")),
        ]),
        _ => pick_field(&[
            ("priority", number),
            ("enabled", json!(true)),
            ("dir", text.clone()),
            ("command", json!(["python3", "y z.py"])),
            ("observe", json!(["turn_start", "error"])),
            ("env.B", text),
            ("x", any),
        ]),
    }
}

/// Fields that can be removed without an error.
pub fn optional_fields(dialect: &str) -> &'static [&'static str] {
    match dialect {
        "jcli" => &["timeout", "on_error", "filter", "note", "extra", "label"],
        "qoder" => &["timeout", "name", "statusMessage", "env", "matcher"],
        "skill" => &["note", "tool_filter"],
        "agent-hooks" => &["matcher", "timeout", "async", "priority", "license"],
        _ => &["priority", "dir", "observe"],
    }
}

/// The path of a layer's hook file. Hooks of skills have no such file.
pub fn layer_file(dialect: &str, layer: TargetLayer, slot: &HookSpan) -> String {
    let user = matches!(layer, TargetLayer::User);
    match dialect {
        "jcli" if user => "home/.jdata/agent/hooks.yaml".into(),
        "jcli" => "project/.jcli/hooks.yaml".into(),
        "qoder" if user => "home/.qoder/settings.json".into(),
        "qoder" if layer == TargetLayer::Local => "project/.qoder/settings.local.json".into(),
        "qoder" => "project/.qoder/settings.json".into(),
        "agent-hooks" => {
            let folder = slot.file.rsplit('/').nth(1).unwrap_or_default();
            let folder_path = if user {
                "home/.config/agents/hooks"
            } else {
                "project/.agents/hooks"
            };
            format!("{folder_path}/{folder}/HOOK.md")
        }
        _ if user => "home/.picoclaw/config.json".into(),
        _ => "project/.picoclaw/config.json".into(),
    }
}

/// A new hook with a number of its own.
pub fn new_hook(rng: &mut TestRng, dialect: &str, number: usize) -> (&'static str, Map<String, Value>, HookSpan) {
    let text = *rng.pick(&TEXTS);
    let tagged = format!("h{number}");
    let (event, definition, value, name) = match dialect {
        "jcli" => {
            let value = json!({"command": text, "filter": {"tool_name": "Bash"}, "tag": tagged});
            ("stop", value.clone(), value, String::new())
        }
        "qoder" => {
            let mut value = json!({"type": "command", "command": text, "id": tagged});
            let entry = value.clone();
            if rng.one_in(2) {
                value["matcher"] = json!("Read");
            }
            ("Stop", value, entry, String::new())
        }
        "skill" => {
            let value = json!({"name": "new", "file": "new.md", "timing": "before_planning", "role": "user", "persistent": false, "tag": tagged});
            let mut request = value.clone();
            request["skill"] = json!("writer");
            request["text"] = json!(text);
            ("before_planning", request, value, String::new())
        }
        "agent-hooks" => {
            let value =
                json!({"name": "new", "description": text, "trigger": "before_tool", "metadata": {"tag": tagged}});
            let mut request = value.clone();
            request["script"] = json!("#!/bin/sh\n");
            ("before_tool", request, value, String::new())
        }
        _ => {
            let value = json!({"command": [text], "env": {"TAG": tagged}, "intercept": ["before_tool"]});
            let mut request = value.clone();
            request["name"] = json!("new");
            ("before_tool", request, value, "new".to_owned())
        }
    };
    let slot = HookSpan {
        file: String::new(),
        list: if matches!(dialect, "jcli" | "qoder") {
            event.to_owned()
        } else {
            String::new()
        },
        group: usize::MAX,
        matcher: definition.get("matcher").filter(|_| dialect == "qoder").cloned(),
        name,
        value,
    };
    let definition = definition.as_object().cloned().expect("an object");
    (event, definition, slot)
}
