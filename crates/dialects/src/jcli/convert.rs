//! Writes `.jcli/hooks.yaml`.

use serde_json::{Map, Value, json};

use super::events::CARD;
use crate::convert::command::{BlockForm, Failure};
use crate::convert::form::{
    Closing, ConvertForm, Detaching, HookNames, Insertion, Meaning, Moment, TimeForm, ToolField,
};
use crate::convert::portable::{PortableHook, plain_file, yaml};
use crate::convert::tools::ToolMatch;
use crate::convert::{LossReport, NewFile};

const PATH: &str = ".jcli/hooks.yaml";
const USUAL_TIMEOUT_S: u64 = 10;

/// The events of the moments.
#[rustfmt::skip]
const MOMENTS: &[(Moment, &str)] = &[
    (Moment::SessionStart, "session_start"), (Moment::SessionEnd, "session_end"),
    (Moment::PromptSending, "pre_send_message"), (Moment::PromptSent, "post_send_message"),
    (Moment::ModelRequest, "pre_llm_request"), (Moment::FirstModelRequest, "~pre_llm_request"),
    (Moment::ModelResponse, "post_llm_response"), (Moment::ToolCall, "pre_tool_execution"),
    (Moment::ToolPermission, "~pre_tool_execution"), (Moment::ToolApproval, "~pre_tool_execution"),
    (Moment::ToolResult, "post_tool_execution"), (Moment::ToolFailure, "post_tool_execution_failure"),
    (Moment::Stopping, "stop"), (Moment::Stopped, "~stop"), (Moment::Compaction, "pre_auto_compact"),
    (Moment::CompactionDone, "post_auto_compact"), (Moment::TurnCompaction, "pre_micro_compact"),
    (Moment::TurnCompactionDone, "post_micro_compact"), (Moment::ModelRequestSeen, "~pre_llm_request"),
    (Moment::ModelResponseSeen, "~post_llm_response"), (Moment::ToolStartSeen, "~pre_tool_execution"),
    (Moment::ToolEndSeen, "~post_tool_execution"),
];

/// The payload fields.
#[rustfmt::skip]
const PAYLOAD: &[(Meaning, &str)] = &[
    (Meaning::Event, "event"), (Meaning::Session, "session_id"), (Meaning::Folder, "cwd"), (Meaning::Tool, "tool_name"),
    (Meaning::Arguments, "tool_arguments"), (Meaning::Result, "tool_result"), (Meaning::Failure, "tool_error"),
    (Meaning::Prompt, "user_input"), (Meaning::Response, "assistant_output"), (Meaning::Messages, "messages"),
    (Meaning::Model, "model"),
];

/// How its hooks are converted.
pub(crate) static CONVERT: ConvertForm = ConvertForm {
    card: &CARD,
    write,
    fields: &[
        "type", "command", "prompt", "model", "timeout", "retry", "on_error", "filter",
    ],
    moments: MOMENTS,
    payload: PAYLOAD,
    tool_names: ["Bash", "Write", "Edit", "Read"],
    patch_tool: None,
    path_argument: "file_path",
    tools: ToolField::Names,
    speaks: BlockForm::Action,
    reads_failed_output: false,
    ends_after_call: false,
    decisions: None,
    closing: Closing::ByField,
    detaching: Detaching::Never,
    names: HookNames::Missing,
    script_folder: ".jcli/hooks",
    has_folders: false,
    variables: &["JCLI_HOOK_EVENT"],
    time: TimeForm::WholeSeconds,
    shares_timeouts: false,
    priority: None,
    insertion: Insertion::Output {
        write: |_, text, role| json!({ "inject_messages": [{ "role": role, "content": text }] }),
        read: |document| match document["inject_messages"].as_array()?.as_slice() {
            [message] => Some((
                message["content"].as_str()?.to_owned(),
                message["role"].as_str()?.to_owned(),
            )),
            _ => None,
        },
        keeps_role: true,
        only_at: Some(("pre_llm_request", Moment::PromptSending)),
    },
};

/// The files of these hooks.
fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
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

fn definition(hook: &PortableHook) -> Value {
    let command = hook.shell_command(&CONVERT);
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
        fields.insert("filter".to_owned(), json!({ field: value }));
    }
    Value::Object(fields)
}
