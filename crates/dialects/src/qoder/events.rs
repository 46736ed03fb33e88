//! The tables of `qoder.md` §3: Qoder's names, the payload of each event, and the output that each event accepts.

mod fields;

use VerdictKind::{Approve, Ask, Deny, EndSession, Retry};
use hookwright_model::chain::{ChainPolicy, Flow, Order, Reasons, VerdictRule};
use hookwright_model::dialect::{DirOf, DirVar};
use hookwright_model::event::{Bilingual, EventSpec, OutputSpec};
use hookwright_model::{
    BlockingOutput, BrokenFile, Card, CommandSpec, EditSupport, TargetLayer, VerdictKind, term, text,
};

use crate::hook_output::{
    CommandRules, DecisionWord, HookOutputRules, ObjectShape, ObjectsCount, OutputType, PermissionWords, TOLD_TURNS,
    specific, top,
};

use fields::*;

/// The fields that decide how a command is started, beside its text.
pub const START_FIELDS: [&str; 2] = ["shell", "args"];

/// How Qoder starts a command (`qoder.md` §2 and §5).
pub const COMMAND: CommandSpec = CommandSpec {
    shell: "sh",
    other_shells: Some((START_FIELDS[0], &["bash"])),
    power_shell: None,
    args_field: Some(START_FIELDS[1]),
};

/// How Qoder's hooks answer (`qoder.md` §3, §6).
pub static OUTPUT: HookOutputRules = HookOutputRules {
    agent: "Qoder",
    commands: CommandRules {
        objects: ObjectsCount::AtSuccess,
        only_at_success: &[],
        specific_unread_at_2: &[],
        looks_like: ObjectShape::Line,
        blocked: super::messages::answers::BLOCKED,
        blocked_by_answer: None,
    },
    null_is_absent: true,
    ends: EndSession,
    decisions: &[("block", DecisionWord::Block), ("deny", DecisionWord::Block)],
    other_decisions_fail: false,
    permissions: &[PermissionWords {
        event: None,
        words: &[
            ("allow", Some(Approve)),
            ("ask", Some(Ask)),
            ("deny", Some(Deny)),
            ("defer", None),
        ],
        wanted: term!("allow, ask, deny or defer"),
        idle_beside: &[],
        denies: &[],
    }],
    blocks_despite_other_event: false,
    other_names: &[],
    field_decisions: &[],
    denied_by: ("", ""),
    unused: &[],
    strict: None,
    rows: &[
        top("suppressOutput", OutputType::Flag),
        top("systemMessage", OutputType::Text),
        specific("updatedInput", OutputType::Object),
        specific("updatedToolOutput", OutputType::Text),
        specific("updatedMCPToolOutput", OutputType::Text).only_for("mcp__"),
        specific("additionalContext", OutputType::Text),
        specific("initialUserMessage", OutputType::Text),
        specific("watchPaths", OutputType::Texts),
    ],
};

/// The card of Qoder: its names and its tables.
pub static CARD: Card = Card {
    id: "qoder",
    name: "Qoder",
    tag: "QO",
    about: text(
        "Shell commands and Python callbacks that all run at once; the strictest decision wins.",
        "shell 命令与 Python 回调同时执行，最严格的决定生效。",
    ),
    common: &[EVENT, SESSION_ID, TRANSCRIPT, CWD],
    event_field: "hook_event_name",
    env_field: Some("env"),
    command: Some(COMMAND),
    dir_vars: &[DirVar {
        name: "QODER_PROJECT_DIR",
        of: DirOf::Project,
    }],
    first: "PreToolUse",
    last: Some("SessionEnd"),
    events: &EVENTS,
    settings: &[],
    location_vars: &[],
    aliases: &[],
    unfired: &UNSUPPORTED_EVENTS,
    tool_field: "tool_name",
    call_input: "tool_input",
    broken_file: BrokenFile::Unknown,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[TargetLayer::User, TargetLayer::Project, TargetLayer::Local],
    },
    prompts: None,
    definition: &super::schema::DEFINITION,
    tool_calls: None,
    lifecycle_map: &super::lifecycle_map::LIFECYCLE_MAP,
    templates: include_str!("templates.yaml"),
    told_turns: &TOLD_TURNS,
    blocking_outputs: &[
        BlockingOutput {
            field: "decision",
            values: &["block", "deny"],
            verdicts: &[Deny, Retry],
        },
        BlockingOutput {
            field: "permissionDecision",
            values: &["deny", "ask"],
            verdicts: &[Ask],
        },
        BlockingOutput {
            field: "behavior",
            values: &["deny"],
            verdicts: &[Deny],
        },
        BlockingOutput {
            field: "continue",
            values: &["false", "False"],
            verdicts: &[EndSession],
        },
    ],
};

/// Events that the agent fires and that the seed does not contain (`qoder.md` §2).
pub const UNSUPPORTED_EVENTS: [&str; 11] = [
    "Notification",
    "PermissionDenied",
    "StopFailure",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "Elicitation",
    "ElicitationResult",
    "Setup",
    "TaskCompleted",
    "TeammateIdle",
];

const TOOL: Bilingual = text("Tools", "工具调用");
const PERMISSION: Bilingual = text("Permissions", "权限");
const TURN: Bilingual = text("Prompt and stop", "用户输入与停止");
const SESSION: Bilingual = text("Session", "会话");
const SUBAGENT: Bilingual = text("Subagents", "子 Agent");
const COMPACTION: Bilingual = text("Compaction", "上下文压缩");
const ENVIRONMENT: Bilingual = text("Environment", "环境变化");

/// The output that notify-only events accept: a message for the user.
const USER_MESSAGE_ONLY: &[&OutputSpec] = &[&OUT_SYSTEM_MESSAGE];

/// What the events have in common.
const BASE: EventSpec = EventSpec::base(ChainPolicy {
    order: Order::Loaded,
    flow: Flow::Fan,
    verdict_rule: VerdictRule::StrictestKept(Reasons::Lines),
    budget: None,
    races: false,
});

/// An event at which nothing can be changed.
const NOTIFY: EventSpec = EventSpec {
    outputs: USER_MESSAGE_ONLY,
    notify_only: true,
    ..BASE
};

static EVENTS: [EventSpec; 15] = hookwright_model::event_rows! {
    BASE "SessionStart", SESSION, "when a session begins" "会话开始时",
        [SOURCE] => [OUT_CONTEXT, OUT_FIRST_MESSAGE, OUT_WATCH, OUT_SYSTEM_MESSAGE, OUT_SUPPRESS],
        subject: Some("source"), plain_stdout: Some("additionalContext");
    NOTIFY "InstructionsLoaded", ENVIRONMENT, "when a file of instructions was loaded" "指令文件加载时",
        [FILE_PATH, MEMORY_TYPE, LOAD_REASON, GLOBS, TRIGGER_FILE, PARENT_FILE];
    BASE "UserPromptSubmit", TURN, "before the user's prompt is sent" "用户输入发送前",
        [PROMPT] => [OUT_CONTEXT, OUT_BLOCK, OUT_CONTINUE, OUT_STOP_REASON, OUT_SYSTEM_MESSAGE, OUT_SUPPRESS],
        verdicts: &[Deny, EndSession], exit_2: Some(Deny), plain_stdout: Some("additionalContext");
    BASE "PreToolUse", TOOL, "before a tool is called" "工具调用前",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, AGENT_ID, AGENT_TYPE] => [OUT_DECISION, OUT_DECISION_REASON,
        OUT_UPDATED_INPUT, OUT_CONTEXT, OUT_BLOCK, OUT_CONTINUE, OUT_STOP_REASON, OUT_SYSTEM_MESSAGE, OUT_SUPPRESS],
        verdicts: &[Approve, Ask, Deny, EndSession], subject: Some("tool_name"), exit_2: Some(Deny);
    BASE "PermissionRequest", PERMISSION, "when a permission is asked for" "权限申请时",
        [TOOL_NAME, TOOL_INPUT, SUGGESTIONS, AGENT_ID, AGENT_TYPE] => [OUT_PERMISSION, OUT_UPDATED_INPUT,
        OUT_UPDATED_PERMISSIONS, OUT_INTERRUPT, OUT_SYSTEM_MESSAGE, OUT_SUPPRESS], verdicts: &[Approve, Deny],
        subject: Some("tool_name"), exit_2: Some(Deny);
    BASE "PostToolUse", TOOL, "after a tool succeeded" "工具执行成功后",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_RESPONSE, DURATION, AGENT_ID, AGENT_TYPE] => [OUT_CONTEXT,
        OUT_UPDATED_OUTPUT, OUT_UPDATED_MCP, OUT_BLOCK_LATE, OUT_CONTINUE, OUT_STOP_REASON, OUT_SYSTEM_MESSAGE,
        OUT_SUPPRESS], verdicts: &[Deny, EndSession], subject: Some("tool_name"), exit_2: Some(Deny);
    BASE "PostToolUseFailure", TOOL, "after a tool failed" "工具执行失败后",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, ERROR, IS_INTERRUPT, DURATION, AGENT_ID, AGENT_TYPE] => [OUT_CONTEXT,
        OUT_CONTINUE, OUT_STOP_REASON, OUT_SYSTEM_MESSAGE, OUT_SUPPRESS], verdicts: &[EndSession],
        subject: Some("tool_name");
    NOTIFY "SubagentStart", SUBAGENT, "when a subagent starts" "子 Agent 启动时",
        [AGENT_ID, AGENT_TYPE], subject: Some("agent_type");
    BASE "SubagentStop", SUBAGENT, "when a subagent stops" "子 Agent 停止时",
        [STOP_ACTIVE, AGENT_ID, AGENT_TYPE, AGENT_TRANSCRIPT, LAST_MESSAGE] => [OUT_CONTINUE, OUT_STOP_REASON,
        OUT_SYSTEM_MESSAGE, OUT_SUPPRESS], verdicts: &[EndSession], subject: Some("agent_type");
    BASE "Stop", TURN, "when the agent is about to stop" "Agent 即将停止时",
        [STOP_ACTIVE, LAST_MESSAGE] => [OUT_BLOCK_STOP, OUT_CONTINUE, OUT_STOP_REASON, OUT_SYSTEM_MESSAGE,
        OUT_SUPPRESS], verdicts: &[Retry, EndSession], exit_2: Some(Retry);
    NOTIFY "PreCompact", COMPACTION, "before the conversation is compacted" "上下文压缩前",
        [TRIGGER, INSTRUCTIONS], subject: Some("trigger");
    NOTIFY "PostCompact", COMPACTION, "after the conversation was compacted" "上下文压缩后",
        [TRIGGER, SUMMARY], subject: Some("trigger");
    NOTIFY "CwdChanged", ENVIRONMENT, "when the working directory changed" "工作目录变更时", [OLD_CWD, NEW_CWD];
    NOTIFY "FileChanged", ENVIRONMENT, "when a watched file was created, changed or removed" "文件创建、修改或删除时",
        [FILE_PATH, CHANGE];
    NOTIFY "SessionEnd", SESSION, "when the session ends" "会话结束时", [REASON], subject: Some("reason");
};

#[cfg(test)]
mod tests;
