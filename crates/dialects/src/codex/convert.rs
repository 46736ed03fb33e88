//! Writes `.codex/hooks.json`.

use std::time::Duration;

use serde_json::{Map, Value};

use super::events::CARD;
use super::schema::TIMEOUT_SECS;
use crate::convert::command::{BlockForm, DecisionWords};
use crate::convert::form::{Closing, ConvertForm, Detaching, HookNames, Moment, PatternLanguage, TimeForm, ToolField};
use crate::convert::portable::PortableHook;
use crate::convert::{LossReport, NewFile};
use crate::definition::REGEX_NAME_SIGNS;
use crate::hook_output::convert;

const PATH: &str = ".codex/hooks.json";

/// The events of the moments. The others have no equivalent in any dialect.
#[rustfmt::skip]
const MOMENTS: &[(Moment, &str)] = &[
    (Moment::SessionStart, "SessionStart"), (Moment::SessionEnd, "SessionEnd"),
    (Moment::PromptSending, "UserPromptSubmit"), (Moment::PromptSent, "~UserPromptSubmit"),
    (Moment::ModelRequestSeen, "PreModelRequest"), (Moment::ModelResponseSeen, "PostModelRequest"),
    (Moment::ToolCall, "PreToolUse"), (Moment::ToolPermission, "PermissionRequest"),
    (Moment::ToolApproval, "~PreToolUse"), (Moment::ToolResult, "PostToolUse"), (Moment::ToolFailure, "~PostToolUse"),
    (Moment::Stopping, "Stop"), (Moment::Stopped, "~Stop"), (Moment::SubagentStart, "SubagentStart"),
    (Moment::SubagentStop, "SubagentStop"), (Moment::Compaction, "PreCompact"), (Moment::CompactionDone, "PostCompact"),
    (Moment::TurnCompaction, "~PreCompact"), (Moment::TurnCompactionDone, "~PostCompact"),
    (Moment::ToolStartSeen, "~PreToolUse"), (Moment::ToolEndSeen, "~PostToolUse"),
];

/// How its hooks are converted.
pub(crate) static CONVERT: ConvertForm = ConvertForm {
    card: &CARD,
    write: |hooks, _: &mut LossReport| -> Vec<NewFile> {
        convert::settings_file(PATH, hooks, |tools| tools.to_names_or_pattern(REGEX_NAME_SIGNS), entry)
    },
    fields: &["type", "command", "timeout", "async", "statusMessage", "description"],
    moments: MOMENTS,
    payload: convert::PAYLOAD,
    tool_names: ["Bash", "Write", "Edit", "Read"],
    patch_tool: Some("apply_patch"),
    // A patch is one text, in `command`.
    path_argument: "",
    tools: ToolField::NamesOrFound {
        signs: REGEX_NAME_SIGNS,
        language: PatternLanguage::Rust,
    },
    speaks: BlockForm::ExitCode,
    reads_failed_output: false,
    ends_after_call: false,
    decisions: Some(DecisionWords::Strict),
    closing: Closing::Never,
    detaching: Detaching::ByField,
    names: HookNames::Note,
    script_folder: ".codex/hooks",
    has_folders: false,
    variables: &["PLUGIN_ROOT", "PLUGIN_DATA"],
    time: TimeForm::WholeSeconds,
    shares_timeouts: false,
    priority: None,
    insertion: convert::INSERTION,
};

fn entry(hook: &PortableHook) -> Map<String, Value> {
    let usual = Duration::from_secs(TIMEOUT_SECS.unsigned_abs());
    let mut fields = convert::command_entry(hook, hook.shell_command(&CONVERT), usual);
    if let Some(name) = fields.shift_remove("name") {
        fields.insert("statusMessage".to_owned(), name);
    }
    fields
}
