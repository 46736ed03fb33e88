//! The tables of `claude-code.md` §3: Claude Code's names, the payload of each event, and the output that each event
//! accepts.

mod fields;

use VerdictKind::{Approve, Ask, Deny, EndTurn, Respond, Retry};
use hookwright_model::chain::{ChainPolicy, Flow, Order, Reasons, VerdictRule};
use hookwright_model::dialect::{DirOf, DirVar};
use hookwright_model::event::{Bilingual, EventSpec};
use hookwright_model::{
    BlockingOutput, BrokenFile, Card, CommandSpec, EditSupport, SubjectForm, TargetLayer, VerdictKind, term, text,
};

use crate::hook_output::{
    CommandRules, DecisionWord, FieldDecision, HookOutputRules, ObjectShape, ObjectsCount, OutputType, PermissionWords,
    TOLD_TURNS, specific, top,
};
use fields::*;

/// How Claude Code starts a command (`claude-code.md` §5). The field `shell` never names another POSIX shell: `bash`
/// is `/bin/sh`, too.
pub const COMMAND: CommandSpec = CommandSpec {
    shell: "sh",
    other_shells: None,
    power_shell: Some(("shell", "powershell")),
    args_field: Some("args"),
};

/// The card of Claude Code: its names and its tables.
pub static CARD: Card = Card {
    id: "claude-code",
    name: "Claude Code",
    tag: "CC",
    about: text(
        "Commands and prompts that all run at once; the strictest decision wins.",
        "命令与提示词同时执行，最严格的决定生效。",
    ),
    common: &[SESSION_ID, TRANSCRIPT, CWD, SCRATCHPAD, PROMPT_ID, MODE, EFFORT, EVENT],
    event_field: "hook_event_name",
    env_field: None,
    command: Some(COMMAND),
    dir_vars: &[DirVar {
        name: "CLAUDE_PROJECT_DIR",
        of: DirOf::Project,
    }],
    first: "PreToolUse",
    last: Some("SessionEnd"),
    events: &EVENTS,
    settings: &[],
    location_vars: &[super::places::CONFIG_VAR],
    aliases: &[],
    unfired: &[],
    tool_field: "tool_name",
    call_input: "tool_input",
    broken_file: BrokenFile::RunsNone,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[TargetLayer::User, TargetLayer::Project, TargetLayer::Local],
    },
    prompts: Some(&super::prompt::PROMPTS),
    definition: &super::schema::DEFINITION,
    tool_calls: None,
    lifecycle_map: &super::lifecycle_map::LIFECYCLE_MAP,
    templates: include_str!("templates.yaml"),
    told_turns: &TOLD_TURNS,
    blocking_outputs: &[
        BlockingOutput {
            field: "decision",
            values: &["block"],
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
            verdicts: &[EndTurn],
        },
    ],
};

const TOOL: Bilingual = text("Tools", "工具调用");
const PERMISSION: Bilingual = text("Permissions", "权限");
const TURN: Bilingual = text("Prompt and stop", "用户输入与停止");
const SESSION: Bilingual = text("Session", "会话");
const SUBAGENT: Bilingual = text("Subagents and teams", "子 Agent 与团队");
const COMPACTION: Bilingual = text("Compaction", "上下文压缩");
const MODEL_SWITCH: Bilingual = text("Model", "模型");
const ENVIRONMENT: Bilingual = text("Environment", "环境变化");

const fn base(reasons: Reasons) -> EventSpec {
    EventSpec::base(ChainPolicy {
        order: Order::Loaded,
        flow: Flow::Fan,
        verdict_rule: VerdictRule::StrictestKept(reasons),
        budget: None,
        races: true,
    })
}

/// What the events have in common.
const BASE: EventSpec = base(Reasons::Paragraphs);
/// An event at which the first reason counts.
const FIRST_REASON: EventSpec = base(Reasons::First);
/// An event at which the reason of the last denial counts.
const LAST_DENIAL: EventSpec = base(Reasons::LastDenial);
/// An event at which nothing that hooks return can change what the agent does.
const NOTIFY: EventSpec = EventSpec {
    notify_only: true,
    ..BASE
};

/// The events in the order of the lifecycle.
static EVENTS: [EventSpec; 34] = hookwright_model::event_rows! {
    BASE "SessionStart", SESSION, "when a session begins" "会话开始时",
        [SOURCE, MODEL, TITLE, SECONDS_SINCE, CONTEXT_TOKENS, CACHE_EXPIRED, CACHE_COST] => [OUT_CONTEXT,
        OUT_FIRST_MESSAGE, OUT_TITLE, OUT_WATCH, OUT_RELOAD, OUT_MESSAGE, OUT_TERMINAL], subject: Some("source"),
        plain_stdout: Some("additionalContext");
    NOTIFY "Setup", SESSION, "when a project is set up" "项目初始化时",
        [TRIGGER] => [OUT_TERMINAL], subject: Some("trigger");
    NOTIFY "InstructionsLoaded", ENVIRONMENT, "when a file of instructions was loaded" "指令文件加载时",
        [FILE_PATH, MEMORY_TYPE, LOAD_REASON, GLOBS, TRIGGER_FILE, PARENT_FILE] => [OUT_TERMINAL],
        subject: Some("load_reason");
    FIRST_REASON "UserPromptSubmit", TURN, "before the user's prompt is sent" "用户输入发送前",
        [PROMPT, TITLE, SOURCE] => [OUT_CONTEXT, OUT_BLOCK, OUT_CONTINUE, OUT_STOP_REASON, OUT_TITLE,
        OUT_HIDE_PROMPT, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Deny, EndTurn], exit_2: Some(Deny),
        plain_stdout: Some("additionalContext");
    FIRST_REASON "UserPromptExpansion", TURN, "before a command becomes a prompt" "命令展开为提示词前",
        [EXPANSION, COMMAND_NAME, COMMAND_ARGS, COMMAND_SOURCE, PROMPT] => [OUT_CONTEXT, OUT_BLOCK, OUT_CONTINUE,
        OUT_STOP_REASON, OUT_HIDE_PROMPT, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Deny, EndTurn],
        subject: Some("command_name"), exit_2: Some(Deny), plain_stdout: Some("additionalContext");
    LAST_DENIAL "PreToolUse", TOOL, "before a tool is called" "工具调用前",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, MCP_SERVER] => [OUT_DECISION, OUT_DECISION_REASON, OUT_INPUT,
        OUT_CONTEXT, OUT_BLOCK, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE, OUT_TERMINAL],
        verdicts: &[Approve, Ask, Deny, EndTurn], subject: Some("tool_name"), exit_2: Some(Deny);
    LAST_DENIAL "PreSkillShellCommand", TOOL, "before a skill runs a shell command" "Skill 执行 shell 命令前",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, COMMAND_NAME, COMMAND_SOURCE, INVOKED_BY] => [OUT_DECISION,
        OUT_DECISION_REASON, OUT_BLOCK, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE, OUT_TERMINAL],
        verdicts: &[Deny, EndTurn], subject: Some("tool_name"), exit_2: Some(Deny);
    LAST_DENIAL "PermissionRequest", PERMISSION, "when a permission is asked for" "权限申请时",
        [TOOL_NAME, TOOL_INPUT, SUGGESTIONS, MCP_SERVER] => [OUT_BEHAVIOR, OUT_INPUT, OUT_PERMISSIONS,
        OUT_INTERRUPT, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Approve, Deny], subject: Some("tool_name");
    BASE "PermissionDenied", PERMISSION, "when a permission was denied" "权限被拒绝时",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, REASON, MCP_SERVER] => [OUT_RETRY, OUT_TERMINAL],
        subject: Some("tool_name");
    BASE "PostToolUse", TOOL, "after a tool succeeded" "工具执行成功后",
        [TOOL_NAME, TOOL_INPUT, TOOL_RESPONSE, TOOL_USE_ID, DURATION, MCP_SERVER] => [OUT_CONTEXT, OUT_TOOL_OUTPUT,
        OUT_MCP_OUTPUT, OUT_CLASSIFIER, OUT_BLOCK_LATE, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE, OUT_TERMINAL],
        verdicts: &[Deny, EndTurn], subject: Some("tool_name"), exit_2: Some(Deny);
    BASE "PostToolUseFailure", TOOL, "after a tool failed" "工具执行失败后",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, ERROR, IS_INTERRUPT, DURATION, MCP_SERVER] => [OUT_CONTEXT,
        OUT_BLOCK_LATE, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Deny], subject: Some("tool_name"),
        exit_2: Some(Deny);
    BASE "PostToolBatch", TOOL, "after all calls of a step" "一步的全部工具调用之后",
        [TOOL_CALLS] => [OUT_CONTEXT, OUT_BLOCK, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE, OUT_TERMINAL],
        verdicts: &[EndTurn], exit_2: Some(EndTurn);
    NOTIFY "Notification", ENVIRONMENT, "when the agent notifies the user" "Agent 通知用户时",
        [MESSAGE, HEADING, NOTIFICATION] => [OUT_TERMINAL], subject: Some("notification_type");
    BASE "MessageDisplay", TURN, "when text appears on the screen" "文本显示到屏幕时",
        [TURN_ID, MESSAGE_ID, INDEX, FINAL, DELTA] => [OUT_DISPLAY, OUT_TERMINAL];
    BASE "SubagentStart", SUBAGENT, "when a subagent starts" "子 Agent 启动时",
        [AGENT_ID, AGENT_TYPE] => [OUT_CONTEXT, OUT_MESSAGE, OUT_TERMINAL], subject: Some("agent_type");
    BASE "SubagentStop", SUBAGENT, "when a subagent is about to stop" "子 Agent 即将停止时",
        [STOP_ACTIVE, AGENT_ID, AGENT_TRANSCRIPT, AGENT_TYPE, LAST_MESSAGE, BACKGROUND, CRONS] => [OUT_BLOCK_STOP,
        OUT_CONTEXT, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Retry, EndTurn],
        subject: Some("agent_type"), exit_2: Some(Retry);
    BASE "TaskCreated", SUBAGENT, "when a task was created" "任务创建时",
        [TASK_ID, TASK_SUBJECT, TASK_ABOUT, TEAMMATE, TEAM] => [OUT_BLOCK, OUT_MESSAGE, OUT_TERMINAL],
        verdicts: &[Deny], exit_2: Some(Deny);
    BASE "TaskCompleted", SUBAGENT, "when a task is about to be completed" "任务即将完成时",
        [TASK_ID, TASK_SUBJECT, TASK_ABOUT, TEAMMATE, TEAM] => [OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE,
        OUT_TERMINAL], verdicts: &[Deny, EndTurn], exit_2: Some(Deny);
    BASE "Stop", TURN, "when the agent is about to stop" "Agent 即将停止时",
        [STOP_ACTIVE, LAST_MESSAGE, BACKGROUND, CRONS] => [OUT_BLOCK_STOP, OUT_CONTEXT, OUT_CONTINUE,
        OUT_STOP_REASON, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Retry, EndTurn], exit_2: Some(Retry);
    NOTIFY "StopFailure", TURN, "when a turn ended with an error" "本轮因错误结束时",
        [ERROR, ERROR_DETAILS, LAST_MESSAGE] => [OUT_TERMINAL], subject: Some("error");
    BASE "TeammateIdle", SUBAGENT, "when a teammate is about to be idle" "队友即将空闲时",
        [TEAMMATE, TEAM] => [OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Retry, EndTurn],
        exit_2: Some(Retry);
    BASE "ConfigChange", ENVIRONMENT, "when a settings file changed" "设置文件变更时",
        [SOURCE, FILE_PATH] => [OUT_BLOCK, OUT_TERMINAL], verdicts: &[Deny], subject: Some("source"),
        exit_2: Some(Deny);
    BASE "CwdChanged", ENVIRONMENT, "when the working directory changed" "工作目录变更时",
        [OLD_CWD, NEW_CWD] => [OUT_WATCH, OUT_MESSAGE, OUT_TERMINAL];
    NOTIFY "DirectoryAdded", ENVIRONMENT, "when a folder was added to the session" "会话添加目录时",
        [DIRECTORY, SOURCE] => [OUT_MESSAGE, OUT_TERMINAL], subject: Some("source");
    BASE "FileChanged", ENVIRONMENT, "when a watched file was created, changed or removed" "文件创建、修改或删除时",
        [FILE_PATH, CHANGE] => [OUT_WATCH, OUT_MESSAGE, OUT_TERMINAL], subject: Some("file_path");
    BASE "WorktreeCreate", ENVIRONMENT, "instead of making a worktree" "代替创建工作树",
        [NAME] => [OUT_PATH], verdicts: &[Deny], exit_2: Some(Deny), plain_stdout: Some("worktreePath");
    BASE "WorktreeRemove", ENVIRONMENT, "before a worktree is removed" "工作树移除前",
        [WORKTREE] => [OUT_TERMINAL], verdicts: &[Deny], exit_2: Some(Deny);
    BASE "PreCompact", COMPACTION, "before the conversation is compacted" "上下文压缩前",
        [TRIGGER, INSTRUCTIONS] => [OUT_KEEP, OUT_BLOCK, OUT_TERMINAL], verdicts: &[Deny], subject: Some("trigger"),
        exit_2: Some(Deny), plain_stdout: Some("additionalContext");
    NOTIFY "PostCompact", COMPACTION, "after the conversation was compacted" "上下文压缩后",
        [TRIGGER, SUMMARY] => [OUT_MESSAGE, OUT_TERMINAL], subject: Some("trigger"),
        plain_stdout: Some("systemMessage");
    LAST_DENIAL "PreModelSwitch", MODEL_SWITCH, "before the model changes" "模型切换前",
        [FROM_MODEL, TO_MODEL, REQUESTED, SOURCE, CONTEXT_TOKENS, CACHE_WARM, CACHE_TTL, CACHE_COST, PRICING] =>
        [OUT_DECISION, OUT_DECISION_REASON, OUT_BLOCK, OUT_MESSAGE, OUT_TERMINAL], verdicts: &[Approve, Ask, Deny],
        subject: Some("to_model"), exit_2: Some(Deny);
    BASE "PostModelSwitch", MODEL_SWITCH, "after the model changed" "模型切换后",
        [FROM_MODEL, TO_MODEL, REQUESTED, SOURCE, CONTEXT_TOKENS, CACHE_WARM, CACHE_TTL, CACHE_COST, PRICING] =>
        [OUT_CONTEXT, OUT_MESSAGE, OUT_TERMINAL], subject: Some("to_model"),
        plain_stdout: Some("additionalContext");
    BASE "Elicitation", PERMISSION, "when an MCP server asks the user" "MCP 服务器向用户提问时",
        [SERVER_NAME, MESSAGE, ASK_MODE, URL, ASK_ID, SCHEMA] => [OUT_ACTION, OUT_CONTENT, OUT_TERMINAL],
        verdicts: &[Respond, Deny], subject: Some("mcp_server_name"), exit_2: Some(Deny);
    BASE "ElicitationResult", PERMISSION, "when the user responded to an MCP server" "用户响应 MCP 服务器后",
        [SERVER_NAME, ACTION, ASK_MODE, ASK_ID, CONTENT] => [OUT_NEW_ACTION, OUT_NEW_CONTENT, OUT_TERMINAL],
        verdicts: &[Deny], subject: Some("mcp_server_name"), exit_2: Some(Deny);
    NOTIFY "SessionEnd", SESSION, "when the session ends" "会话结束时",
        [REASON] => [OUT_TERMINAL], subject: Some("reason");
};

/// What only Claude Code has at an event.
#[derive(Debug, Clone, Copy)]
pub struct EventRules {
    /// The types of entries that the event takes.
    pub handlers: &'static [&'static str],
    /// Whether a bad entry costs the whole file (`!` in the table).
    pub costs_file: bool,
    /// The time limit of a `command`, `http` or `mcp_tool` entry without `timeout`, in milliseconds; `None` for the common
    /// one.
    pub timeout_ms: Option<u64>,
    /// Whether an administrator's hooks run at the same time as the others. Elsewhere they run first.
    pub one_tier: bool,
    /// Whether `onFailure: "block"` is heeded, if the event can be blocked.
    pub heeds_failure: bool,
    /// Whether every failure blocks.
    pub always_closed: bool,
    /// Whether every exit code but 0 blocks.
    pub every_code_blocks: bool,
    /// Whether a time limit that is reached blocks.
    pub timeout_blocks: bool,
    /// Whether exit code 2 with the words of a missing file on stderr is a missing script, which lets pass.
    pub missing_script: bool,
    /// What of the subject a matcher is compared with.
    pub subject: SubjectForm,
}

const ALL: &[&str] = &["command", "http", "mcp_tool", "prompt", "agent"];
const NO_AGENT: &[&str] = &["command", "http", "mcp_tool", "prompt"];
const NO_MODEL: &[&str] = &["command", "http", "mcp_tool"];
const LOCAL: &[&str] = &["command", "mcp_tool"];

/// What the events have in common.
const USUAL: EventRules = EventRules {
    handlers: NO_MODEL,
    costs_file: false,
    timeout_ms: None,
    one_tier: false,
    heeds_failure: true,
    always_closed: false,
    every_code_blocks: false,
    timeout_blocks: false,
    missing_script: false,
    subject: SubjectForm::Whole,
};

/// The events that differ.
#[rustfmt::skip]
const RULES: &[(&str, EventRules)] = &[
    ("SessionStart", EventRules { handlers: LOCAL, ..USUAL }),
    ("Setup", EventRules { handlers: LOCAL, ..USUAL }),
    ("UserPromptSubmit", EventRules { handlers: ALL, timeout_ms: Some(30_000), ..USUAL }),
    ("UserPromptExpansion", EventRules { handlers: ALL, ..USUAL }),
    ("PreToolUse", EventRules { handlers: ALL, costs_file: true, ..USUAL }),
    ("PreSkillShellCommand", EventRules { costs_file: true, ..USUAL }),
    ("PermissionRequest", EventRules { handlers: NO_AGENT, costs_file: true, ..USUAL }),
    ("PermissionDenied", EventRules { handlers: ALL, ..USUAL }),
    ("PostToolUse", EventRules { handlers: ALL, one_tier: true, ..USUAL }),
    ("PostToolUseFailure", EventRules { handlers: ALL, ..USUAL }),
    ("PostToolBatch", EventRules { handlers: ALL, ..USUAL }),
    ("MessageDisplay", EventRules { timeout_ms: Some(10_000), ..USUAL }),
    ("SubagentStop", EventRules { handlers: ALL, heeds_failure: false, missing_script: true, ..USUAL }),
    ("TaskCreated", EventRules { handlers: ALL, ..USUAL }),
    ("TaskCompleted", EventRules { handlers: ALL, heeds_failure: false, missing_script: true, ..USUAL }),
    ("Stop", EventRules { handlers: ALL, heeds_failure: false, missing_script: true, ..USUAL }),
    ("TeammateIdle", EventRules { handlers: ALL, heeds_failure: false, missing_script: true, ..USUAL }),
    ("WorktreeCreate", EventRules { always_closed: true, ..USUAL }),
    ("WorktreeRemove", EventRules { every_code_blocks: true, ..USUAL }),
    ("FileChanged", EventRules { subject: SubjectForm::FileName, ..USUAL }),
    ("PreModelSwitch", EventRules { timeout_ms: Some(30_000), timeout_blocks: true, subject: SubjectForm::Model, ..USUAL }),
    ("PostModelSwitch", EventRules { timeout_ms: Some(30_000), subject: SubjectForm::Model, ..USUAL }),
    ("SessionEnd", EventRules { timeout_ms: Some(1500), ..USUAL }),
];

/// The rules of an event; the usual ones for an unknown name.
#[must_use]
pub fn rules(event: &str) -> &'static EventRules {
    let own = RULES.iter().find(|(name, _)| *name == event);
    own.map_or(&USUAL, |(_, rules)| rules)
}

/// Whether `onFailure: "block"` is heeded at an event (`claude-code.md` §7).
#[must_use]
pub fn heeds_failure(event: &EventSpec) -> bool {
    let decides = event.exit_2.is_some() || event.output("updatedPermissions").is_some();
    decides && rules(event.name).heeds_failure
}

/// Events at which an answer counts at exit code 0 only (`°` in the table).
const LATE: &[&str] = &[
    "InstructionsLoaded",
    "Notification",
    "StopFailure",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "PreCompact",
    "PostCompact",
    "Elicitation",
    "ElicitationResult",
    "SessionEnd",
];

/// How Claude Code's hooks answer (`claude-code.md` §3, §6).
pub static OUTPUT: HookOutputRules = HookOutputRules {
    agent: "Claude Code",
    commands: CommandRules {
        objects: ObjectsCount::Always,
        only_at_success: LATE,
        specific_unread_at_2: &["Elicitation", "ElicitationResult"],
        looks_like: ObjectShape::Braces,
        blocked: super::messages::answers::NO_STDERR,
        blocked_by_answer: Some(super::messages::answers::BLOCKED),
    },
    null_is_absent: false,
    ends: EndTurn,
    decisions: &[
        ("block", DecisionWord::Block),
        ("approve", DecisionWord::ApproveAt("PreToolUse")),
    ],
    other_decisions_fail: true,
    permissions: &[
        PermissionWords {
            event: None,
            words: &[
                ("allow", Some(Approve)),
                ("ask", Some(Ask)),
                ("deny", Some(Deny)),
                ("defer", None),
            ],
            wanted: term!("allow, ask, deny or defer"),
            idle_beside: &["updatedInput", "additionalContext"],
            denies: &[],
        },
        PermissionWords {
            event: Some("PreModelSwitch"),
            words: &[("allow", Some(Approve)), ("ask", Some(Ask)), ("deny", Some(Deny))],
            wanted: term!("allow, ask or deny"),
            idle_beside: &[],
            denies: &[],
        },
        PermissionWords {
            event: Some("PreSkillShellCommand"),
            words: &[("allow", None), ("ask", None), ("deny", Some(Deny)), ("defer", None)],
            wanted: term!("allow, ask, deny or defer"),
            idle_beside: &[],
            denies: &["ask", "defer"],
        },
    ],
    blocks_despite_other_event: true,
    other_names: &[("PreSkillShellCommand", &["PreToolUse", "PermissionRequest"])],
    field_decisions: &[FieldDecision {
        event: "Elicitation",
        field: "action",
        words: &[("accept", Respond), ("decline", Deny), ("cancel", Deny)],
    }],
    denied_by: ("action", "decline"),
    unused: &[
        ("suppressOutput", OutputType::Flag),
        ("metrics", OutputType::Any),
        ("permissionDisplay", OutputType::Any),
    ],
    strict: None,
    rows: &[
        top("systemMessage", OutputType::Text),
        top("terminalSequence", OutputType::Text),
        specific("updatedInput", OutputType::Object),
        specific("updatedToolOutput", OutputType::Any),
        specific("updatedMCPToolOutput", OutputType::Any).only_for("mcp__"),
        specific("additionalContext", OutputType::Text),
        specific("classifierContext", OutputType::Text),
        specific("initialUserMessage", OutputType::Text),
        specific("sessionTitle", OutputType::Text),
        specific("watchPaths", OutputType::Texts),
        specific("reloadSkills", OutputType::Flag),
        specific("suppressOriginalPrompt", OutputType::Flag),
        specific("retry", OutputType::Flag),
        specific("displayContent", OutputType::Text),
        specific("worktreePath", OutputType::Text),
        specific("action", OutputType::Text),
        specific("content", OutputType::Object),
    ],
};

#[cfg(test)]
mod tests;
