//! The tables of `agent-hooks.md` §3: the agent, the fields of its events, what a hook may return, and later spellings.

use VerdictKind::{Approve, Ask, Deny, Retry};
use hookwright_model::chain::{ChainPolicy, Flow, Order, VerdictRule};
use hookwright_model::dialect::{DirOf, DirVar};
use hookwright_model::event::OutputKind::{Add, Control, ReplaceField};
use hookwright_model::event::{Bilingual, EventSpec, Merge, OutputSpec};
use hookwright_model::{
    BlockingOutput, BrokenFile, Card, EditSupport, TargetLayer, ToldTurn, UserText, VerdictKind, text,
};

/// The payload field with the event's name.
pub const EVENT_TYPE: &str = "event_type";
/// The payload field with the directory in which scripts run.
pub const WORK_DIR: &str = "work_dir";
/// The payload field with the session's id.
pub const SESSION_ID: &str = "session_id";
/// The payload field with the time of the event, RFC 3339 with offset.
pub const TIMESTAMP: &str = "timestamp";
/// The output field that replaces `tool_input`.
pub const MODIFIED_INPUT: &str = "modified_input";
/// The output field with text for the model.
pub const CONTEXT: &str = "additional_context";

/// The dialect's name and tables.
pub static CARD: Card = Card {
    id: "agent-hooks",
    name: "Agent Hooks",
    tag: "AH",
    about: text(
        "One folder per hook: HOOK.md says when it runs, and a script allows or blocks by its exit code.",
        "每个文件夹是一个 Hook：HOOK.md 说明何时执行，脚本用退出码放行或拦截。",
    ),
    common: &[COMMON_EVENT_TYPE, COMMON_TIMESTAMP, COMMON_SESSION_ID, COMMON_WORK_DIR],
    event_field: EVENT_TYPE,
    env_field: None,
    command: None,
    dir_vars: &[
        DirVar {
            name: "KIMI_WORK_DIR",
            of: DirOf::Payload,
        },
        DirVar {
            name: "KIMI_PROJECT_DIR",
            of: DirOf::Payload,
        },
    ],
    first: "before_tool",
    last: Some("session_end"),
    events: &EVENTS,
    settings: &[],
    location_vars: &["XDG_CONFIG_HOME"],
    aliases: &ALIASES,
    unfired: &[],
    tool_field: "tool_name",
    call_input: "tool_input",
    broken_file: BrokenFile::Unknown,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[TargetLayer::User, TargetLayer::Project],
    },
    prompts: None,
    definition: &super::schema::DEFINITION,
    tool_calls: Some(super::native::TOOL_CALLS),
    lifecycle_map: &super::lifecycle_map::LIFECYCLE_MAP,
    templates: include_str!("templates.yaml"),
    told_turns: &[
        ("before_agent", ToldTurn::Begins(UserText::Unknown)),
        ("before_tool", ToldTurn::CallBegins),
        ("after_tool", ToldTurn::CallEnds { result: "tool_output" }),
        ("after_tool_failure", ToldTurn::CallFails { error: "error" }),
        (
            BEFORE_STOP,
            ToldTurn::Replies {
                path: &["final_message"],
            },
        ),
    ],
    blocking_outputs: &[BlockingOutput {
        field: "decision",
        values: &["deny", "ask"],
        verdicts: &[Deny, Ask, Retry],
    }],
};

hookwright_model::payload_fields! {
    COMMON_EVENT_TYPE = EVENT_TYPE, Text, "the event that fired" "触发的事件";
    COMMON_TIMESTAMP = TIMESTAMP, Text, "when it fired, RFC 3339 with offset" "触发时间，带时区的 RFC 3339";
    COMMON_SESSION_ID = SESSION_ID, Text, "the session id" "会话 ID";
    COMMON_WORK_DIR = WORK_DIR, Text, "the agent's working directory" "工作目录";
    MODEL = "model", Text, "the model's name" "模型名称";
    ARGS = "args", Object, "what the agent was started with" "启动参数";
    DURATION_SECONDS = "duration_seconds", Number, "how long the session lasted, in seconds" "会话时长（秒）";
    TOTAL_STEPS = "total_steps", Number, "the number of steps" "总步数";
    EXIT_REASON = "exit_reason", Text, "why it ended" "结束原因";
    TOOL_NAME = "tool_name", Text, "the tool that is called" "工具名";
    TOOL_INPUT = "tool_input", Object, "the input of the call" "工具输入参数";
    TOOL_USE_ID = "tool_use_id", Text, "the id of the call" "工具调用 ID";
    TOOL_OUTPUT = "tool_output", Any, "what the tool returned" "工具返回结果";
    ERROR = "error", Text, "why the tool failed" "工具失败的原因";
    DURATION_MS = "duration_ms", Number, "how long the tool ran, in milliseconds" "工具用时（毫秒）";
    SUBAGENT_NAME = "subagent_name", Text, "the subagent's name" "子 Agent 的名称";
    SUBAGENT_TYPE = "subagent_type", Text, "the subagent's kind" "子 Agent 的类型";
    TASK_DESCRIPTION = "task_description", Text, "the task of the subagent" "子 Agent 的任务";
    STOP_REASON = "stop_reason", Text, "why the agent wants to stop" "停止原因";
    STEP_COUNT = "step_count", Number, "steps of this turn so far" "本轮已执行的步数";
    FINAL_MESSAGE = "final_message", Any,
        "the agent's last message, {\"role\", \"content\"}, or null" "Agent 的最后一条消息 {\"role\", \"content\"}，或 null";
}

hookwright_model::output_fields! {
    OUT_DECISION = "decision", Text, Control,
        "allow, deny or ask; it has an effect only with exit code 0" "allow、deny 或 ask；仅在退出码为 0 时生效";
    OUT_REASON = "reason", Text, Control, "the reason, for deny and ask" "理由，用于 deny 和 ask";
    OUT_CONTEXT = CONTEXT, Text, Add(Merge::Join), "text for the model" "给模型的补充文本";
    OUT_LOG = "log", Any, Add(Merge::Record), "only recorded" "仅记录";
    OUT_MODIFIED_INPUT = MODIFIED_INPUT, Object, ReplaceField("tool_input"),
        "replaces the input of the call; the last hook wins" "替换工具输入参数；以最后一个 Hook 为准";
}

static COMMON_OUTPUTS: [&OutputSpec; 4] = [&OUT_DECISION, &OUT_REASON, &OUT_CONTEXT, &OUT_LOG];
static BEFORE_TOOL_OUTPUTS: [&OutputSpec; 5] =
    [&OUT_DECISION, &OUT_REASON, &OUT_MODIFIED_INPUT, &OUT_CONTEXT, &OUT_LOG];

const SESSION: Bilingual = text("Session", "会话");
const TURN: Bilingual = text("Turn", "轮次");
const TOOL: Bilingual = text("Tools", "工具");
const SUBAGENT: Bilingual = text("Subagents", "子 Agent");
const COMPACTION: Bilingual = text("Compaction", "上下文压缩");

/// What the events have in common.
const BASE: EventSpec = EventSpec {
    outputs: &COMMON_OUTPUTS,
    verdicts: &[Approve, Ask, Deny],
    exit_2: Some(Deny),
    plain_stdout: Some(CONTEXT),
    ..EventSpec::base(ChainPolicy {
        order: Order::RankDown,
        flow: Flow::Sequence,
        verdict_rule: VerdictRule::Strictest,
        budget: None,
        races: false,
    })
};

/// An event of a tool.
const TOOL_EVENT: EventSpec = EventSpec {
    subject: Some("tool_name"),
    ..BASE
};

static EVENTS: [EventSpec; 11] = hookwright_model::event_rows! {
    BASE "session_start", SESSION, "when the session starts" "会话开始时", [MODEL, ARGS];
    BASE "before_agent", TURN, "before the agent works on a message" "Agent 执行前", [];
    TOOL_EVENT "before_tool", TOOL, "before a tool runs" "工具执行前",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID], outputs: &BEFORE_TOOL_OUTPUTS;
    TOOL_EVENT "after_tool", TOOL, "after a tool succeeded" "工具执行后",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_OUTPUT, ERROR, DURATION_MS];
    TOOL_EVENT "after_tool_failure", TOOL, "after a tool failed" "工具执行失败时",
        [TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_OUTPUT, ERROR, DURATION_MS];
    BASE "subagent_start", SUBAGENT, "when a subagent starts" "子 Agent 启动时",
        [SUBAGENT_NAME, SUBAGENT_TYPE, TASK_DESCRIPTION];
    BASE "subagent_stop", SUBAGENT, "when a subagent stops" "子 Agent 停止时",
        [SUBAGENT_NAME, SUBAGENT_TYPE, TASK_DESCRIPTION];
    BASE "pre_compact", COMPACTION, "before the context is compacted" "上下文压缩前", [];
    BASE "before_stop", TURN, "before the agent stops" "Agent 停止前",
        [STOP_REASON, STEP_COUNT, FINAL_MESSAGE], verdicts: &[Approve, Retry], exit_2: Some(Retry);
    BASE "after_agent", TURN, "after the agent worked on a message" "Agent 执行后", [];
    BASE "session_end", SESSION, "when the session ends" "会话结束时", [DURATION_SECONDS, TOTAL_STEPS, EXIT_REASON];
};

/// The event at which the agent is about to stop. A block makes it continue.
pub const BEFORE_STOP: &str = "before_stop";

/// Later spellings of events (`agent-hooks.md` §3). `None` for an event that the seed does not have.
const ALIASES: [(&str, Option<&str>); 13] = [
    ("pre-session", Some("session_start")),
    ("post-session", Some("session_end")),
    ("pre-agent-turn", Some("before_agent")),
    ("post-agent-turn", Some("after_agent")),
    ("pre-tool-call", Some("before_tool")),
    ("post-tool-call", Some("after_tool")),
    ("post-tool-call-failure", Some("after_tool_failure")),
    ("pre-subagent", Some("subagent_start")),
    ("post-subagent", Some("subagent_stop")),
    ("pre-context-compact", Some("pre_compact")),
    ("pre-agent-turn-stop", Some(BEFORE_STOP)),
    ("post-agent-turn-stop", None),
    ("post-context-compact", None),
];

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
