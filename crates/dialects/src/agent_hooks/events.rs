//! The tables of `agent-hooks.md` §3: the agent, the fields of its events, what a hook may return, and later spellings.

use VerdictKind::{Approve, Ask, Deny, Retry};
use hookwright_model::chain::{ChainPolicy, Flow, Order, VerdictRule};
use hookwright_model::dialect::{DirOf, DirVar};
use hookwright_model::event::{Bilingual, EventSpec, FieldKind, FieldSpec, Merge, OutputKind, OutputSpec};
use hookwright_model::{BlockingOutput, BrokenFile, Card, EditSupport, TargetLayer, VerdictKind};

const fn text(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

const fn field(name: &'static str, kind: FieldKind, about: Bilingual) -> FieldSpec {
    FieldSpec { name, kind, about }
}

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
    common: &COMMON,
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
    broken_file: BrokenFile::Unknown,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[TargetLayer::User, TargetLayer::Project],
    },
    prompts: None,
    definition: &super::schema::DEFINITION,
    tool_calls: Some(super::native::TOOL_CALLS),
    lifecycle_map: &super::lifecycle_map::LIFECYCLE_MAP,
    blocking_outputs: &[BlockingOutput {
        field: "decision",
        values: &["deny", "ask"],
        verdicts: &[Deny, Ask, Retry],
    }],
};

static COMMON: [FieldSpec; 4] = [
    field(EVENT_TYPE, FieldKind::Text, text("the event that fired", "触发的事件")),
    field(
        TIMESTAMP,
        FieldKind::Text,
        text("when it fired, RFC 3339 with offset", "触发时间，带时区的 RFC 3339"),
    ),
    field(SESSION_ID, FieldKind::Text, text("the session id", "会话 ID")),
    field(
        WORK_DIR,
        FieldKind::Text,
        text("the agent's working directory", "工作目录"),
    ),
];

const MODEL: FieldSpec = field("model", FieldKind::Text, text("the model's name", "模型名称"));
const ARGS: FieldSpec = field(
    "args",
    FieldKind::Object,
    text("what the agent was started with", "启动参数"),
);
const DURATION_SECONDS: FieldSpec = field(
    "duration_seconds",
    FieldKind::Number,
    text("how long the session lasted, in seconds", "会话时长（秒）"),
);
const TOTAL_STEPS: FieldSpec = field("total_steps", FieldKind::Number, text("the number of steps", "总步数"));
const EXIT_REASON: FieldSpec = field("exit_reason", FieldKind::Text, text("why it ended", "结束原因"));
const TOOL_NAME: FieldSpec = field("tool_name", FieldKind::Text, text("the tool that is called", "工具名"));
const TOOL_INPUT: FieldSpec = field(
    "tool_input",
    FieldKind::Object,
    text("the input of the call", "工具输入参数"),
);
const TOOL_USE_ID: FieldSpec = field(
    "tool_use_id",
    FieldKind::Text,
    text("the id of the call", "工具调用 ID"),
);
const TOOL_OUTPUT: FieldSpec = field(
    "tool_output",
    FieldKind::Any,
    text("what the tool returned", "工具返回结果"),
);
const ERROR: FieldSpec = field("error", FieldKind::Text, text("why the tool failed", "工具失败的原因"));
const DURATION_MS: FieldSpec = field(
    "duration_ms",
    FieldKind::Number,
    text("how long the tool ran, in milliseconds", "工具用时（毫秒）"),
);
const SUBAGENT_NAME: FieldSpec = field(
    "subagent_name",
    FieldKind::Text,
    text("the subagent's name", "子 Agent 的名称"),
);
const SUBAGENT_TYPE: FieldSpec = field(
    "subagent_type",
    FieldKind::Text,
    text("the subagent's kind", "子 Agent 的类型"),
);
const TASK_DESCRIPTION: FieldSpec = field(
    "task_description",
    FieldKind::Text,
    text("the task of the subagent", "子 Agent 的任务"),
);
const STOP_REASON: FieldSpec = field(
    "stop_reason",
    FieldKind::Text,
    text("why the agent wants to stop", "停止原因"),
);
const STEP_COUNT: FieldSpec = field(
    "step_count",
    FieldKind::Number,
    text("steps of this turn so far", "本轮已执行的步数"),
);
const FINAL_MESSAGE: FieldSpec = field(
    "final_message",
    FieldKind::Any,
    text(
        "the agent's last message, {\"role\", \"content\"}, or null",
        "Agent 的最后一条消息 {\"role\", \"content\"}，或 null",
    ),
);

const fn control(name: &'static str, about: Bilingual) -> OutputSpec {
    OutputSpec {
        name,
        kind: FieldKind::Text,
        effect: OutputKind::Control,
        with_verdicts: &[],
        about,
    }
}

static OUT_DECISION: OutputSpec = control(
    "decision",
    text(
        "allow, deny or ask; it has an effect only with exit code 0",
        "allow、deny 或 ask；仅在退出码为 0 时生效",
    ),
);
static OUT_REASON: OutputSpec = control("reason", text("the reason, for deny and ask", "理由，用于 deny 和 ask"));
static OUT_CONTEXT: OutputSpec = OutputSpec {
    name: CONTEXT,
    kind: FieldKind::Text,
    effect: OutputKind::Add(Merge::Join),
    with_verdicts: &[],
    about: text("text for the model", "给模型的补充文本"),
};
static OUT_LOG: OutputSpec = OutputSpec {
    name: "log",
    kind: FieldKind::Any,
    effect: OutputKind::Add(Merge::Record),
    with_verdicts: &[],
    about: text("only recorded", "仅记录"),
};
static OUT_MODIFIED_INPUT: OutputSpec = OutputSpec {
    name: MODIFIED_INPUT,
    kind: FieldKind::Object,
    effect: OutputKind::ReplaceField("tool_input"),
    with_verdicts: &[],
    about: text(
        "replaces the input of the call; the last hook wins",
        "替换工具输入参数；以最后一个 Hook 为准",
    ),
};

static COMMON_OUTPUTS: [&OutputSpec; 4] = [&OUT_DECISION, &OUT_REASON, &OUT_CONTEXT, &OUT_LOG];
static BEFORE_TOOL_OUTPUTS: [&OutputSpec; 5] =
    [&OUT_DECISION, &OUT_REASON, &OUT_MODIFIED_INPUT, &OUT_CONTEXT, &OUT_LOG];

const SESSION: Bilingual = text("Session", "会话");
const TURN: Bilingual = text("Turn", "轮次");
const TOOL: Bilingual = text("Tools", "工具");
const SUBAGENT: Bilingual = text("Subagents", "子 Agent");
const COMPACTION: Bilingual = text("Compaction", "上下文压缩");

/// What the events have in common.
const BASE: EventSpec = EventSpec::base(ChainPolicy {
    order: Order::RankDown,
    flow: Flow::Sequence,
    verdict_rule: VerdictRule::Strictest,
    budget: None,
});

const fn event(name: &'static str, group: Bilingual, about: Bilingual, fields: &'static [FieldSpec]) -> EventSpec {
    EventSpec {
        name,
        group,
        about,
        fields,
        outputs: &COMMON_OUTPUTS,
        verdicts: &[Approve, Ask, Deny],
        exit_2: Some(Deny),
        plain_stdout: Some(CONTEXT),
        ..BASE
    }
}

const fn tool_event(name: &'static str, about: Bilingual, fields: &'static [FieldSpec]) -> EventSpec {
    EventSpec {
        subject: Some("tool_name"),
        ..event(name, TOOL, about, fields)
    }
}

static EVENTS: [EventSpec; 11] = [
    event(
        "session_start",
        SESSION,
        text("when the session starts", "会话开始时"),
        &[MODEL, ARGS],
    ),
    event(
        "before_agent",
        TURN,
        text("before the agent works on a message", "Agent 执行前"),
        &[],
    ),
    EventSpec {
        outputs: &BEFORE_TOOL_OUTPUTS,
        ..tool_event(
            "before_tool",
            text("before a tool runs", "工具执行前"),
            &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID],
        )
    },
    tool_event(
        "after_tool",
        text("after a tool succeeded", "工具执行后"),
        &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_OUTPUT, ERROR, DURATION_MS],
    ),
    tool_event(
        "after_tool_failure",
        text("after a tool failed", "工具执行失败时"),
        &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_OUTPUT, ERROR, DURATION_MS],
    ),
    event(
        "subagent_start",
        SUBAGENT,
        text("when a subagent starts", "子 Agent 启动时"),
        &[SUBAGENT_NAME, SUBAGENT_TYPE, TASK_DESCRIPTION],
    ),
    event(
        "subagent_stop",
        SUBAGENT,
        text("when a subagent stops", "子 Agent 停止时"),
        &[SUBAGENT_NAME, SUBAGENT_TYPE, TASK_DESCRIPTION],
    ),
    event(
        "pre_compact",
        COMPACTION,
        text("before the context is compacted", "上下文压缩前"),
        &[],
    ),
    EventSpec {
        verdicts: &[Approve, Retry],
        exit_2: Some(Retry),
        ..event(
            "before_stop",
            TURN,
            text("before the agent stops", "Agent 停止前"),
            &[STOP_REASON, STEP_COUNT, FINAL_MESSAGE],
        )
    },
    event(
        "after_agent",
        TURN,
        text("after the agent worked on a message", "Agent 执行后"),
        &[],
    ),
    event(
        "session_end",
        SESSION,
        text("when the session ends", "会话结束时"),
        &[DURATION_SECONDS, TOTAL_STEPS, EXIT_REASON],
    ),
];

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
