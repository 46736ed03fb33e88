//! Writes `.claude/settings.json`.

use std::time::Duration;

use serde_json::{Map, Value};

use super::events::{CARD, heeds_failure, rules};
use super::schema::TIMEOUT_SECS;
use crate::convert::command::{BlockForm, DecisionWords, Failure};
use crate::convert::form::{Closing, ConvertForm, Detaching, HookNames, Moment, PatternLanguage, TimeForm, ToolField};
use crate::convert::portable::PortableHook;
use crate::convert::{LossReport, NewFile};
use crate::definition::NAME_SIGNS;
use crate::hook_output::convert;

const PATH: &str = ".claude/settings.json";

/// The events of the moments. The others have no equivalent in any dialect.
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
        "shell",
        "async",
        "description",
        "onFailure",
        "if",
    ],
    moments: MOMENTS,
    payload: convert::PAYLOAD,
    tool_names: ["Bash", "Write", "Edit", "Read"],
    patch_tool: None,
    path_argument: "file_path",
    tools: ToolField::NamesOrFound {
        signs: NAME_SIGNS,
        language: PatternLanguage::JavaScript,
    },
    speaks: BlockForm::ExitCode,
    reads_failed_output: true,
    ends_after_call: true,
    decisions: Some(DecisionWords::Permission),
    closing: Closing::ByFieldAt(heeds_failure),
    detaching: Detaching::ByField,
    names: HookNames::Note,
    script_folder: ".claude/hooks",
    has_folders: false,
    variables: &[
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_EFFORT",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PLUGIN_ROOT",
    ],
    time: TimeForm::Seconds,
    shares_timeouts: false,
    priority: None,
    insertion: convert::INSERTION,
};

/// The files of these hooks.
fn write(hooks: &[PortableHook], _report: &mut LossReport) -> Vec<NewFile> {
    convert::settings_file(PATH, hooks, |tools| tools.to_names_or_pattern(NAME_SIGNS), entry)
}

fn entry(hook: &PortableHook) -> Map<String, Value> {
    let usual = rules(&hook.event).timeout_ms.map(Duration::from_millis);
    let usual = usual.unwrap_or(Duration::from_secs(TIMEOUT_SECS.unsigned_abs()));
    let mut fields = convert::command_entry(hook, hook.shell_command(&CONVERT), usual);
    let is_heeded = !hook.detached && CARD.event(&hook.event).is_some_and(heeds_failure);
    if hook.failure == Failure::Blocks && is_heeded {
        fields.insert("onFailure".to_owned(), "block".into());
    }
    fields
}
