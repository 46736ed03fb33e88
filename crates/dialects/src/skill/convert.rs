//! Writes a skill: `hooks.json`, and a text file for each hook.

use serde_json::{Map, Value, json};

use super::events::CARD;
use crate::convert::command::BlockForm;
use crate::convert::form::{Closing, ConvertForm, Detaching, HookNames, Insertion, Moment, TimeForm, ToolField};
use crate::convert::portable::{HookAction, PortableHook, json_file, plain_file};
use crate::convert::tools::ToolMatch;
use crate::convert::{LossReport, NewFile};

const FOLDER: &str = "skills/converted/hooks";

/// The events of the moments.
#[rustfmt::skip]
const MOMENTS: &[(Moment, &str)] = &[
    (Moment::PromptSending, "after_user_input"), (Moment::ModelRequest, "before_each_agent"),
    (Moment::FirstModelRequest, "before_first_agent"), (Moment::ToolResult, "after_tool_call"),
    (Moment::Planning, "before_planning"),
];

/// How its hooks are converted.
pub(crate) static CONVERT: ConvertForm = ConvertForm {
    card: &CARD,
    write,
    fields: &["name", "file", "timing", "role", "persistent", "tool_filter"],
    moments: MOMENTS,
    payload: &[],
    tool_names: ["bash", "write_file", "edit_file", "read_file"],
    patch_tool: None,
    path_argument: "path",
    tools: ToolField::Names,
    speaks: BlockForm::ExitCode,
    reads_failed_output: false,
    ends_after_call: false,
    decisions: None,
    closing: Closing::Never,
    detaching: Detaching::ByField,
    names: HookNames::Folder,
    script_folder: "skills",
    has_folders: false,
    variables: &[],
    time: TimeForm::Seconds,
    shares_timeouts: false,
    priority: None,
    insertion: Insertion::Texts,
};

/// The files of these hooks.
fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
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
