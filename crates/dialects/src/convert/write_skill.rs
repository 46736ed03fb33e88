//! Writes a skill: `hooks.json`, and a text file for each hook.

use serde_json::{Map, Value, json};

use super::portable::{HookAction, PortableHook, json_file, plain_file};
use super::tools::ToolMatch;
use super::{LossReport, NewFile};

const FOLDER: &str = "skills/converted/hooks";

/// The files of these hooks.
pub fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
    let mut entries = Vec::new();
    let mut files = Vec::new();
    for hook in hooks {
        let HookAction::Text { text, role } = &hook.action else {
            continue;
        };
        let file = format!("{}.md", hook.name);
        let mut fields = Map::new();
        fields.insert("name".to_owned(), hook.name.as_str().into());
        fields.insert("file".to_owned(), file.as_str().into());
        fields.insert("timing".to_owned(), hook.event.as_str().into());
        fields.insert("role".to_owned(), role.as_str().into());
        fields.insert("persistent".to_owned(), false.into());
        if let ToolMatch::Names(names) = &hook.tools {
            fields.insert("tool_filter".to_owned(), json!(names));
        }
        entries.push(Value::Object(fields));
        files.push(plain_file(format!("{FOLDER}/{file}"), text.clone()));
    }
    if entries.is_empty() {
        return Vec::new();
    }
    files.insert(
        0,
        json_file(&format!("{FOLDER}/hooks.json"), &json!({ "hooks": entries })),
    );
    files
}
