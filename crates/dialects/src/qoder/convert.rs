//! Writes `.qoder/settings.json`.

use serde_json::{Map, Value};

use super::entry::DEFAULT_TIMEOUT;
use super::events::CARD;
use crate::convert::command::{BlockForm, DecisionWords};
use crate::convert::form::{Closing, ConvertForm, Detaching, HookNames, Moment, TimeForm, ToolField};
use crate::convert::portable::{HookAction, PortableHook};
use crate::convert::tools::ToolMatch;
use crate::convert::{LossReport, NewFile};
use crate::hook_output::convert;

const PATH: &str = ".qoder/settings.json";

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
    payload: convert::PAYLOAD,
    tool_names: ["Bash", "Write", "Edit", "Read"],
    patch_tool: None,
    path_argument: "file_path",
    tools: ToolField::Whole,
    speaks: BlockForm::ExitCode,
    reads_failed_output: false,
    ends_after_call: false,
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
    insertion: convert::INSERTION,
};

/// The files of these hooks.
fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
    convert::settings_file(PATH, hooks, ToolMatch::to_whole_pattern, entry)
}

fn entry(hook: &PortableHook) -> Map<String, Value> {
    let mut fields = convert::command_entry(hook, hook.shell_command(&CONVERT), DEFAULT_TIMEOUT);
    if !hook.env.is_empty() && !matches!(hook.action, HookAction::Text { .. }) {
        let env: Map<String, Value> = hook
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().into()))
            .collect();
        fields.insert("env".to_owned(), Value::Object(env));
    }
    fields
}
