//! The tables of `codex.md` §3 and §6: Codex's names, the payload of each event, and what Codex takes in an answer.

mod fields;

use VerdictKind::{Approve, Deny, EndTurn, Retry};
use hookwright_model::chain::{ChainPolicy, Flow, Order, Reasons, VerdictRule};
use hookwright_model::event::{Bilingual, EventSpec};
use hookwright_model::{
    BlockingOutput, BrokenFile, Card, CommandSpec, EditSupport, OtherNames, TargetLayer, VerdictKind, text,
};

use crate::hook_output::{
    AnswerPart, CommandRules, HookOutputRules, ObjectShape, ObjectsCount, OutputType, StrictRules, TOLD_TURNS,
    specific, top,
};
use fields::*;

/// How Codex starts a command (`codex.md` §5).
pub const COMMAND: CommandSpec = CommandSpec {
    shell: "sh",
    other_shells: None,
    power_shell: None,
    args_field: None,
};

/// The tools that a matcher also finds under the names of another agent (`codex.md` §4).
pub const OTHER_NAMES: OtherNames = &[("apply_patch", &["Edit", "Write"]), ("spawn_agent", &["Agent"])];

/// The card of Codex: its names and its tables.
pub static CARD: Card = Card {
    id: "codex",
    name: "Codex",
    tag: "CX",
    about: text(
        "Commands that all run at once; one wrong field in an output fails all of it.",
        "命令同时执行；返回结果中有一个字段错误，整个结果就无效。",
    ),
    common: &[SESSION_ID, TURN_ID, TRANSCRIPT, CWD, EVENT, MODEL, MODE],
    event_field: "hook_event_name",
    env_field: None,
    command: Some(COMMAND),
    dir_vars: &[],
    first: "PreToolUse",
    last: Some("SessionEnd"),
    events: &EVENTS,
    settings: &[],
    location_vars: &[super::places::HOME_VAR],
    aliases: &[],
    unfired: &[],
    tool_field: "tool_name",
    call_input: "tool_input",
    broken_file: BrokenFile::RunsNone,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[TargetLayer::User, TargetLayer::Project],
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
            values: &["block"],
            verdicts: &[Deny, Retry],
        },
        BlockingOutput {
            field: "permissionDecision",
            values: &["deny"],
            verdicts: &[Deny],
        },
        BlockingOutput {
            field: "behavior",
            values: &["deny"],
            verdicts: &[Approve],
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
const SUBAGENT: Bilingual = text("Subagents", "子 Agent");
const COMPACTION: Bilingual = text("Compaction", "上下文压缩");
const REQUEST: Bilingual = text("Model requests", "模型请求");

const fn base(reasons: Reasons) -> EventSpec {
    EventSpec::base(ChainPolicy {
        order: Order::Loaded,
        flow: Flow::Fan,
        verdict_rule: VerdictRule::StrictestKept(reasons),
        budget: None,
        races: false,
    })
}

/// What the events have in common.
const BASE: EventSpec = base(Reasons::First);
/// An event at which the reasons of all retries count.
const RETRIES: EventSpec = base(Reasons::Retries);
/// An event at which all reasons count.
const ALL_REASONS: EventSpec = base(Reasons::Paragraphs);
/// An event at which stdout is never read.
const SILENT: EventSpec = EventSpec {
    notify_only: true,
    ..BASE
};

/// The events in the order of the lifecycle.
static EVENTS: [EventSpec; 14] = hookwright_model::event_rows! {
    BASE "SessionStart", SESSION, "when a session begins" "会话开始时",
        [SOURCE] => [OUT_CONTEXT, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE], verdicts: &[EndTurn],
        subject: Some("source"), plain_stdout: Some("additionalContext");
    BASE "UserPromptSubmit", TURN, "before the user's prompt is sent" "用户输入发送前",
        [PROMPT] => [OUT_CONTEXT, OUT_BLOCK, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE],
        verdicts: &[Deny, EndTurn], exit_2: Some(Deny), plain_stdout: Some("additionalContext");
    SILENT "PreModelRequest", REQUEST, "before a request to the model" "模型请求发送前",
        [KIND, REQUEST_ID, ATTEMPT, THREAD_ID];
    SILENT "PostModelRequest", REQUEST, "after a request to the model" "模型请求完成后",
        [KIND, REQUEST_ID, ATTEMPT, THREAD_ID, STATUS, ERROR, TOKENS, RESPONSE_ID];
    BASE "PreToolUse", TOOL, "before a tool is called" "工具调用前",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID] => [OUT_DECISION, OUT_DECISION_REASON, OUT_INPUT, OUT_CONTEXT, OUT_BLOCK,
        OUT_MESSAGE], verdicts: &[Deny], subject: Some("tool_name"), exit_2: Some(Deny);
    BASE "PermissionRequest", PERMISSION, "when a permission is asked for" "权限申请时",
        [TOOL_NAME, TOOL_INPUT] => [OUT_BEHAVIOR, OUT_MESSAGE], verdicts: &[Approve, Deny],
        subject: Some("tool_name"), exit_2: Some(Deny);
    ALL_REASONS "PostToolUse", TOOL, "after a tool has run" "工具执行后",
        [TOOL_NAME, ANY_INPUT, TOOL_RESPONSE, TOOL_USE_ID] => [OUT_CONTEXT, OUT_BLOCK_LATE, OUT_CONTINUE_LATE,
        OUT_STOP_REASON, OUT_MESSAGE], verdicts: &[Deny], subject: Some("tool_name"), exit_2: Some(Deny);
    BASE "PreCompact", COMPACTION, "before the conversation is compacted" "上下文压缩前",
        [TRIGGER] => [OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE], verdicts: &[EndTurn], subject: Some("trigger");
    BASE "PostCompact", COMPACTION, "after the conversation was compacted" "上下文压缩后",
        [TRIGGER] => [OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE], verdicts: &[EndTurn], subject: Some("trigger");
    BASE "SubagentStart", SUBAGENT, "when a subagent starts" "子 Agent 启动时",
        [AGENT_ID, AGENT_TYPE] => [OUT_CONTEXT, OUT_MESSAGE], subject: Some("agent_type"),
        plain_stdout: Some("additionalContext");
    RETRIES "SubagentStop", SUBAGENT, "when a subagent is about to stop" "子 Agent 即将停止时",
        [STOP_ACTIVE, AGENT_ID, AGENT_TYPE, LAST_MESSAGE, AGENT_TRANSCRIPT] => [OUT_BLOCK_STOP, OUT_CONTINUE,
        OUT_STOP_REASON, OUT_MESSAGE], verdicts: &[Retry, EndTurn], subject: Some("agent_type"),
        exit_2: Some(Retry);
    RETRIES "Stop", TURN, "when the agent is about to stop" "Agent 即将停止时",
        [STOP_ACTIVE, LAST_MESSAGE] => [OUT_BLOCK_STOP, OUT_CONTINUE, OUT_STOP_REASON, OUT_MESSAGE],
        verdicts: &[Retry, EndTurn], exit_2: Some(Retry);
    BASE "Interrupt", TURN, "when the user interrupts the agent" "用户中断 Agent 时", [] => [OUT_MESSAGE];
    SILENT "SessionEnd", SESSION, "when the session ends" "会话结束时", [REASON], subject: Some("reason");
};

/// What Codex takes in an answer (`codex.md` §6). The columns are those of the page, with `SubagentStart` in its own.
#[rustfmt::skip]
pub static STRICT: StrictRules = StrictRules {
    columns: &[
        &["PreToolUse"], &["PermissionRequest"], &["PostToolUse"], &["UserPromptSubmit"], &["SessionStart"],
        &["SubagentStart"], &["Stop", "SubagentStop"], &["PreCompact", "PostCompact"], &["Interrupt"],
    ],
    rows: &[
        (AnswerPart::Message,    "yyyyyyyyy"),
        (AnswerPart::Nothing,    "yyyyyyyyF"),
        (AnswerPart::Hidden,     "FFFiiiiiF"),
        (AnswerPart::StopReason, "FFiiiiiiF"),
        (AnswerPart::Ends,       "FFyyyiyyF"),
        (AnswerPart::Block,      "yFyyFFyFF"),
        (AnswerPart::Reason,     "FFFiFFiFF"),
        (AnswerPart::Context,    "yFyyyyFFF"),
        (AnswerPart::Permission, "yFFFFFFFF"),
        (AnswerPart::Behavior,   "FyFFFFFFF"),
    ],
    text_fails: &["Stop", "SubagentStop", "Interrupt"],
    input_fields: &[("Bash", "command"), ("apply_patch", "command")],
};

/// How Codex's hooks answer (`codex.md` §6, §8).
pub static OUTPUT: HookOutputRules = HookOutputRules {
    agent: "Codex",
    commands: CommandRules {
        objects: ObjectsCount::AtSuccess,
        only_at_success: &[],
        specific_unread_at_2: &[],
        looks_like: ObjectShape::Braces,
        blocked: crate::hook_output::DENIED,
        blocked_by_answer: None,
    },
    null_is_absent: true,
    ends: EndTurn,
    decisions: &[],
    other_decisions_fail: true,
    permissions: &[],
    blocks_despite_other_event: false,
    other_names: &[],
    field_decisions: &[],
    denied_by: ("", ""),
    unused: &[],
    strict: Some(&STRICT),
    rows: &[
        top("systemMessage", OutputType::Text),
        specific("updatedInput", OutputType::Object),
        specific("additionalContext", OutputType::Text),
    ],
};
