//! Writes `.picoclaw/config.json`.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::args;
use serde_json::{Map, Value, json};

use super::events::CARD;
use crate::convert::adapt::shown;
use crate::convert::command::{self, BlockForm};
use crate::convert::form::{
    Closing, ConvertForm, Detaching, HookNames, Insertion, Meaning, Moment, PriorityForm, TimeForm, ToolField,
};
use crate::convert::portable::{HookAction, PortableHook, json_file};
use crate::convert::{LossReport, NewFile, messages};

const PATH: &str = ".picoclaw/config.json";
const USUAL_INTERCEPTOR: Duration = Duration::from_secs(5);
const USUAL_APPROVAL: Duration = Duration::from_secs(60);

/// The events of the moments.
#[rustfmt::skip]
const MOMENTS: &[(Moment, &str)] = &[
    (Moment::PromptSending, "~turn_start"), (Moment::PromptSent, "turn_start"), (Moment::ModelRequest, "before_llm"),
    (Moment::ModelResponse, "after_llm"), (Moment::ToolCall, "before_tool"), (Moment::ToolPermission, "~approve_tool"),
    (Moment::ToolApproval, "approve_tool"), (Moment::ToolResult, "after_tool"), (Moment::ToolFailure, "~after_tool"),
    (Moment::Stopping, "~turn_end"), (Moment::Stopped, "turn_end"), (Moment::SubagentStart, "subturn_spawn"),
    (Moment::SubagentStop, "subturn_end"), (Moment::CompactionDone, "context_compress"),
    (Moment::TurnCompactionDone, "~context_compress"), (Moment::ModelRequestSeen, "llm_request"),
    (Moment::ModelResponseSeen, "llm_response"), (Moment::ToolStartSeen, "tool_exec_start"),
    (Moment::ToolEndSeen, "tool_exec_end"),
];

/// The payload fields.
#[rustfmt::skip]
const PAYLOAD: &[(Meaning, &str)] = &[
    (Meaning::Session, "meta"), (Meaning::Tool, "tool"), (Meaning::Arguments, "arguments"), (Meaning::Result, "result"),
    (Meaning::Failure, "result"), (Meaning::Response, "response"), (Meaning::Messages, "messages"),
    (Meaning::Model, "model"),
];

/// How its hooks are converted.
pub(crate) static CONVERT: ConvertForm = ConvertForm {
    card: &CARD,
    write,
    fields: &[
        "enabled",
        "priority",
        "transport",
        "command",
        "dir",
        "env",
        "observe",
        "intercept",
    ],
    moments: MOMENTS,
    payload: PAYLOAD,
    tool_names: ["bash", "write_file", "edit_file", "read_file"],
    patch_tool: None,
    path_argument: "path",
    tools: ToolField::Missing,
    speaks: BlockForm::JsonRpc,
    reads_failed_output: false,
    ends_after_call: false,
    decisions: None,
    closing: Closing::At {
        asked: "before_tool",
        closes: "approve_tool",
    },
    detaching: Detaching::Observes(&[
        ("before_tool", "tool_exec_start"),
        ("after_tool", "tool_exec_end"),
        ("before_llm", "llm_request"),
        ("after_llm", "llm_response"),
    ]),
    names: HookNames::Key,
    script_folder: ".picoclaw/hooks",
    has_folders: false,
    variables: &[],
    time: TimeForm::Milliseconds,
    shares_timeouts: true,
    priority: Some(PriorityForm {
        usual: 0,
        range: (i64::MIN, i64::MAX),
    }),
    insertion: Insertion::Never,
};

/// The files of these hooks.
fn write(hooks: &[PortableHook], report: &mut LossReport) -> Vec<NewFile> {
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
    let spec = CARD.event(event);
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
    let arguments = match (hook.adapted_words(&CONVERT), &hook.action) {
        (Some(words), _) => words,
        (None, HookAction::Script(entry)) => vec![hook.script_path(&CONVERT, entry)],
        (None, HookAction::Command(_) | HookAction::Text { .. }) => {
            command::to_arguments(&hook.shell_command(&CONVERT))
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
