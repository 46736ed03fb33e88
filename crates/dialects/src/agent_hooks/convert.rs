//! Writes a folder with `HOOK.md` and a script for each hook.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::events::CARD;
use crate::convert::command::{BlockForm, DecisionWords};
use crate::convert::form::{
    Closing, ConvertForm, Detaching, HookNames, Insertion, Meaning, Moment, PriorityForm, TimeForm, ToolField,
};
use crate::convert::portable::{FileOrigin, HookAction, PortableHook, plain_file, script_file, yaml};
use crate::convert::{LossReport, NewFile};

const FOLDER: &str = ".agents/hooks";
const USUAL_TIMEOUT_MS: u128 = 30_000;

/// The events of the moments.
#[rustfmt::skip]
const MOMENTS: &[(Moment, &str)] = &[
    (Moment::SessionStart, "session_start"), (Moment::SessionEnd, "session_end"),
    (Moment::PromptSending, "before_agent"), (Moment::PromptSent, "~before_agent"), (Moment::ToolCall, "before_tool"),
    (Moment::ToolPermission, "~before_tool"), (Moment::ToolApproval, "~before_tool"),
    (Moment::ToolResult, "after_tool"), (Moment::ToolFailure, "after_tool_failure"), (Moment::Stopping, "before_stop"),
    (Moment::Stopped, "after_agent"), (Moment::SubagentStart, "subagent_start"),
    (Moment::SubagentStop, "subagent_stop"), (Moment::Compaction, "pre_compact"),
    (Moment::TurnCompaction, "~pre_compact"), (Moment::ToolStartSeen, "~before_tool"),
    (Moment::ToolEndSeen, "~after_tool"),
];

/// The payload fields.
#[rustfmt::skip]
const PAYLOAD: &[(Meaning, &str)] = &[
    (Meaning::Event, "event_type"), (Meaning::Session, "session_id"), (Meaning::Folder, "work_dir"),
    (Meaning::Tool, "tool_name"), (Meaning::Arguments, "tool_input"), (Meaning::CallId, "tool_use_id"),
    (Meaning::Result, "tool_output"), (Meaning::Failure, "error"), (Meaning::Response, "final_message"),
    (Meaning::Model, "model"),
];

/// How its hooks are converted.
pub(crate) static CONVERT: ConvertForm = ConvertForm {
    card: &CARD,
    write,
    fields: &[
        "name",
        "description",
        "trigger",
        "matcher",
        "timeout",
        "async",
        "async_",
        "priority",
    ],
    moments: MOMENTS,
    payload: PAYLOAD,
    tool_names: ["Shell", "WriteFile", "StrReplaceFile", "ReadFile"],
    patch_tool: None,
    path_argument: "path",
    tools: ToolField::Found,
    speaks: BlockForm::ExitCode,
    reads_failed_output: false,
    ends_after_call: false,
    decisions: Some(DecisionWords::Plain),
    closing: Closing::Never,
    detaching: Detaching::ByField,
    names: HookNames::Folder,
    script_folder: ".agents/hooks",
    has_folders: true,
    variables: &["KIMI_SESSION_ID"],
    time: TimeForm::Milliseconds,
    shares_timeouts: false,
    priority: Some(PriorityForm {
        usual: 100,
        range: (0, 1000),
    }),
    insertion: Insertion::Output {
        write: |_, text, _| json!({ "additional_context": text }),
        read: |document| Some((document["additional_context"].as_str()?.to_owned(), "system".to_owned())),
        keeps_role: false,
        only_at: None,
    },
};

/// The files of these hooks.
fn write(hooks: &[PortableHook], report: &mut LossReport) -> Vec<NewFile> {
    let from = report.from.card.name;
    hooks.iter().flat_map(|hook| hook_files(hook, from)).collect()
}

fn hook_files(hook: &PortableHook, from: &str) -> Vec<NewFile> {
    let folder = Path::new(FOLDER).join(&hook.name);
    let hook_file = format!("---\n{}---\n", yaml(front_matter(hook, from)));
    let mut files = vec![plain_file(folder.join("HOOK.md"), hook_file)];
    if let (HookAction::Script(_), FileOrigin::HookFolder) = (&hook.action, hook.origin) {
        files.extend(hook.files.iter().map(|file| NewFile {
            path: folder.join(&file.path),
            bytes: file.bytes.clone(),
            mode: file.mode,
        }));
        return files;
    }
    let command = hook.shell_command(&CONVERT);
    files.push(script_file(
        folder.join("scripts/run"),
        format!("#!/bin/sh\n{command}\n"),
    ));
    files
}

fn front_matter(hook: &PortableHook, from: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let description = hook
        .description
        .clone()
        .unwrap_or_else(|| format!("Converted from {from} ({})", hook.id));
    fields.insert("name".to_owned(), hook.name.as_str().into());
    fields.insert("description".to_owned(), description.into());
    fields.insert("trigger".to_owned(), hook.event.as_str().into());
    if let Some(pattern) = hook.tools.to_found_pattern() {
        fields.insert("matcher".to_owned(), json!({ "tool": pattern }));
    }
    let millis = hook.timeout.as_millis();
    if millis != 0 && millis != USUAL_TIMEOUT_MS {
        fields.insert("timeout".to_owned(), u64::try_from(millis).unwrap_or(u64::MAX).into());
    }
    if hook.detached {
        fields.insert("async".to_owned(), true.into());
    }
    if let Some(priority) = hook.priority {
        fields.insert("priority".to_owned(), priority.into());
    }
    fields
}
