//! Writes `.qoder/settings.json`.

use serde_json::{Map, Value, json};

use super::events::CARD;
use crate::convert::command::{BlockForm, DecisionWords};
use crate::convert::form::{
    Closing, ConvertForm, Detaching, HookNames, Insertion, Meaning, Moment, TimeForm, ToolField,
};
use crate::convert::portable::{HookAction, PortableHook, json_file};
use crate::convert::{LossReport, NewFile};

const PATH: &str = ".qoder/settings.json";
const USUAL_TIMEOUT_S: f64 = 60.0;

/// The events of the moments.
#[rustfmt::skip]
const MOMENTS: &[(Moment, &str)] = &[
    (Moment::SessionStart, "SessionStart"), (Moment::SessionEnd, "SessionEnd"),
    (Moment::PromptSending, "UserPromptSubmit"), (Moment::PromptSent, "~UserPromptSubmit"),
    (Moment::ToolCall, "PreToolUse"), (Moment::ToolPermission, "PermissionRequest"),
    (Moment::ToolApproval, "~PreToolUse"), (Moment::ToolResult, "PostToolUse"),
    (Moment::ToolFailure, "PostToolUseFailure"), (Moment::Stopping, "Stop"), (Moment::Stopped, "~Stop"),
    (Moment::SubagentStart, "SubagentStart"), (Moment::SubagentStop, "SubagentStop"),
    (Moment::Compaction, "PreCompact"), (Moment::CompactionDone, "PostCompact"),
    (Moment::TurnCompaction, "~PreCompact"), (Moment::TurnCompactionDone, "~PostCompact"),
    (Moment::ToolStartSeen, "~PreToolUse"), (Moment::ToolEndSeen, "~PostToolUse"), (Moment::FolderChange, "CwdChanged"),
    (Moment::InstructionsLoaded, "InstructionsLoaded"), (Moment::FileChange, "FileChanged"),
];

/// The payload fields.
#[rustfmt::skip]
const PAYLOAD: &[(Meaning, &str)] = &[
    (Meaning::Event, "hook_event_name"), (Meaning::Session, "session_id"), (Meaning::Folder, "cwd"),
    (Meaning::Tool, "tool_name"), (Meaning::Arguments, "tool_input"), (Meaning::CallId, "tool_use_id"),
    (Meaning::Result, "tool_response"), (Meaning::Failure, "error"), (Meaning::Prompt, "prompt"),
    (Meaning::Response, "last_assistant_message"), (Meaning::Model, "model"),
];

/// How its hooks are converted.
pub(crate) static CONVERT: ConvertForm = ConvertForm {
    card: &CARD,
    write,
    fields: &[
        "type",
        "command",
        "timeout",
        "name",
        "args",
        "env",
        "shell",
        "async",
        "description",
    ],
    moments: MOMENTS,
    payload: PAYLOAD,
    tool_names: ["Bash", "Write", "Edit", "Read"],
    path_argument: "file_path",
    tools: ToolField::Whole,
    speaks: BlockForm::ExitCode,
    decisions: Some(DecisionWords::Permission),
    closing: Closing::Never,
    detaching: Detaching::ByField,
    names: HookNames::Note,
    script_folder: ".qoder/hooks",
    has_folders: false,
    variables: &[],
    time: TimeForm::Seconds,
    shares_timeouts: false,
    priority: None,
    insertion: Insertion::Output {
        write: |event, text, _| json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } }),
        read: |document| {
            let text = document["hookSpecificOutput"]["additionalContext"].as_str()?;
            Some((text.to_owned(), "system".to_owned()))
        },
        keeps_role: false,
        only_at: None,
    },
};

/// The files of these hooks.
fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
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
    let command = hook.shell_command(&CONVERT);
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
