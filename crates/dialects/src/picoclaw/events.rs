//! The tables of `picoclaw.md` §3: PicoClaw, the fields of its events, and what a hook may return to each.

use FieldKind::{Flag, List, Object, Text};
use VerdictKind::{Approve, Deny, EndSession, EndTurn, Respond};
use hookwright_model::chain::{ChainPolicy, Flow, Order, VerdictRule};
use hookwright_model::event::OutputKind::{Control, ReplaceParts};
use hookwright_model::event::{Bilingual, EventSpec, FieldKind};
use hookwright_model::{
    BlockingOutput, BrokenFile, Card, DialectSetting, EditSupport, TargetLayer, ToldTurn, UserText, VerdictKind, text,
};

/// The dialect's name and tables.
pub static CARD: Card = Card {
    id: "picoclaw",
    name: "PicoClaw",
    tag: "PC",
    about: text(
        "Processes that live as long as the session and speak JSON-RPC: they watch, rewrite, replace tools, approve.",
        "与会话同时存在的进程，使用 JSON-RPC：观察、改写、代替工具、审批。",
    ),
    common: &[],
    event_field: "Kind",
    env_field: Some("env"),
    command: None,
    dir_vars: &[],
    first: "before_tool",
    last: None,
    events: &EVENTS,
    settings: &[EVENT_METHOD],
    location_vars: &[],
    aliases: &ALIASES,
    unfired: &[],
    tool_field: "tool",
    call_input: "arguments",
    broken_file: BrokenFile::Unknown,
    edit_support: EditSupport {
        switch: Some("enabled"),
        target_layers: &[TargetLayer::User, TargetLayer::Project],
    },
    prompts: None,
    definition: &super::schema::DEFINITION,
    tool_calls: None,
    lifecycle_map: &super::lifecycle_map::LIFECYCLE_MAP,
    templates: include_str!("templates.yaml"),
    told_turns: &[
        (
            "turn_start",
            ToldTurn::Begins(UserText::At(&["Payload", "UserMessage"])),
        ),
        ("before_tool", ToldTurn::CallBegins),
        ("after_tool", ToldTurn::CallEnds { result: "result" }),
        (
            "after_llm",
            ToldTurn::Replies {
                path: &["response", "content"],
            },
        ),
    ],
    blocking_outputs: &[
        BlockingOutput {
            field: "approved",
            values: &["false", "False"],
            verdicts: &[Deny],
        },
        BlockingOutput {
            field: "action",
            values: &["deny_tool"],
            verdicts: &[Deny],
        },
        BlockingOutput {
            field: "action",
            values: &["abort_turn", "hard_abort"],
            verdicts: &[EndTurn, EndSession],
        },
    ],
};

hookwright_model::payload_fields! {
    META = "meta", Object,
        "AgentID, TurnID, ParentTurnID, SessionKey, Iteration, TracePath, Source"
        "事件元数据，用于追踪：AgentID、TurnID、ParentTurnID、SessionKey、Iteration、TracePath、Source";
    MODEL = "model", Text, "the model's name" "请求的模型名称";
    MESSAGES = "messages", Messages, "the conversation so far" "对话历史";
    TOOLS = "tools", List, "the tools the model may call" "可用工具定义列表";
    OPTIONS = "options", Object, "temperature, max_tokens and the like" "模型参数（temperature、max_tokens 等）";
    RESPONSE = "response", Object, "the model's response: role, content, tool_calls" "模型的回复：role、content、tool_calls";
    TOOL = "tool", Text, "the tool that is called" "工具名称";
    ARGUMENTS = "arguments", Object, "the arguments of the call" "工具参数";
    RESULT = "result", Object,
        "for_llm, for_user, silent, is_error, async, media, artifact_tags, response_handled"
        "工具结果：for_llm、for_user、silent、is_error、async、media、artifact_tags、response_handled";
    DURATION = "duration", Number, "how long it took, in nanoseconds" "执行用时（纳秒）";
    CHANNEL = "channel", Text, "where the request came from" "请求来源通道";
    CHAT_ID = "chat_id", Text, "the chat id" "聊天 ID";
    GRACEFUL = "graceful_terminal", Flag,
        "whether this is the last request of a turn that is ending" "是否为即将结束的轮次的最后一次请求";
    KIND = "Kind", Text, "the kind of event" "事件种类";
    KIND_META = "Meta", Object, "as `meta` of the other events" "同其他事件的 `meta`";
    PAYLOAD = "Payload", Any, "the data of this kind" "该种类的数据";
}

/// The text fields of `meta` that are filled in if they are missing (`picoclaw.md` §3).
pub const META_TEXTS: [&str; 6] = ["AgentID", "TurnID", "ParentTurnID", "SessionKey", "TracePath", "Source"];

/// The parts that `request` replaces.
pub const REQUEST_PARTS: [&str; 4] = ["model", "messages", "tools", "options"];
/// The parts that `call` replaces.
pub const CALL_PARTS: [&str; 2] = ["tool", "arguments"];

/// The types of the parts of output objects. A part has the same type in every object.
const PART_KINDS: [(&str, FieldKind); 17] = [
    ("model", Text),
    ("messages", List),
    ("tools", List),
    ("options", Object),
    ("tool", Text),
    ("arguments", Object),
    ("role", Text),
    ("content", Text),
    ("tool_calls", List),
    ("for_llm", Text),
    ("for_user", Text),
    ("silent", Flag),
    ("is_error", Flag),
    ("async", Flag),
    ("response_handled", Flag),
    ("media", List),
    ("artifact_tags", List),
];

/// The type of the part with this name.
#[must_use]
pub fn part_kind(name: &str) -> Option<FieldKind> {
    PART_KINDS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, kind)| *kind)
}

hookwright_model::output_fields! {
    OUT_REQUEST = "request", Object, ReplaceParts,
        "the whole request: model, messages, tools, options; what is left out becomes empty"
        "完整的请求：model、messages、tools、options；未写的部分变为空";
    OUT_CALL = "call", Object, ReplaceParts, "the whole call: tool, arguments" "完整的调用：tool、arguments";
    OUT_RESPONSE = "response", Object, ReplaceParts,
        "{\"response\": {…}}: the model's response" "{\"response\": {…}}：模型的回复";
    OUT_RESULT = "result", Object, ReplaceParts, "{\"result\": {…}}: the tool's result" "{\"result\": {…}}：工具结果";
    OUT_OWN_RESULT = "result", Object, Control,
        "with respond: the result; the tool does not run" "配合 respond：直接返回的结果，不执行工具", with_verdicts: &[Respond];
    OUT_ACTION = "action", Text, Control, "what the agent does next" "Agent 接下来的动作";
    OUT_REASON = "reason", Text, Control, "the reason" "理由";
    OUT_APPROVED = "approved", Flag, Control, "whether the tool may run" "是否允许执行";
}

const MODEL_CALL: Bilingual = text("Model", "模型请求与回复");
const TOOLS_GROUP: Bilingual = text("Tools", "工具执行");
const TURN: Bilingual = text("Turn", "轮次");
const SUBTURN: Bilingual = text("Sub-turns", "子轮次");
const STEERING: Bilingual = text("Steering", "打断与追加");
const CONTEXT: Bilingual = text("Context", "上下文");

/// The setting that chooses the method name of notifications: the older one, the newer one, or each under both names.
pub const EVENT_METHOD: DialectSetting = DialectSetting {
    name: "event_method",
    words: &["hook.event", "hook.runtime_event", "both"],
};

/// What the events have in common.
const BASE: EventSpec = EventSpec::base(ChainPolicy {
    order: Order::RankUp,
    flow: Flow::Pipe,
    verdict_rule: VerdictRule::Strictest,
    budget: None,
    races: false,
});

/// An event that is only reported.
const REPORTED: EventSpec = EventSpec {
    fields: &[KIND, KIND_META, PAYLOAD],
    notify_only: true,
    chain: ChainPolicy {
        flow: Flow::Fan,
        ..BASE.chain
    },
    ..BASE
};

static EVENTS: [EventSpec; 24] = hookwright_model::event_rows! {
    REPORTED "turn_start", TURN, "a turn begins" "一个轮次开始";
    BASE "before_llm", MODEL_CALL, "before a request goes to the model" "向模型发送请求前",
        [META, MODEL, MESSAGES, TOOLS, OPTIONS, CHANNEL, CHAT_ID, GRACEFUL] => [OUT_ACTION, OUT_REQUEST, OUT_REASON],
        verdicts: &[EndTurn, EndSession];
    REPORTED "llm_request", MODEL_CALL, "a request goes to the model" "请求发往模型";
    REPORTED "llm_delta", MODEL_CALL, "a part of the response arrived" "收到一段流式回复";
    REPORTED "llm_retry", MODEL_CALL, "a request is retried" "重试请求";
    REPORTED "llm_response", MODEL_CALL, "the model responded" "模型已回复";
    BASE "after_llm", MODEL_CALL, "after the model responded" "收到模型回复后",
        [META, MODEL, RESPONSE, CHANNEL, CHAT_ID] => [OUT_ACTION, OUT_RESPONSE, OUT_REASON],
        verdicts: &[EndTurn, EndSession];
    BASE "before_tool", TOOLS_GROUP, "before a tool runs" "工具执行前",
        [META, TOOL, ARGUMENTS, CHANNEL, CHAT_ID] => [OUT_ACTION, OUT_CALL, OUT_OWN_RESULT, OUT_REASON],
        verdicts: &[Respond, Deny, EndTurn, EndSession];
    BASE "approve_tool", TOOLS_GROUP, "whether a sensitive tool may run" "决定是否允许执行敏感工具",
        [META, TOOL, ARGUMENTS, CHANNEL, CHAT_ID] => [OUT_APPROVED, OUT_REASON], verdicts: &[Approve, Deny],
        chain: ChainPolicy { flow: Flow::Sequence, ..BASE.chain };
    REPORTED "tool_exec_start", TOOLS_GROUP, "a tool starts" "工具开始执行";
    REPORTED "tool_exec_end", TOOLS_GROUP, "a tool ended" "工具执行结束";
    REPORTED "tool_exec_skipped", TOOLS_GROUP, "a tool was not run" "工具被跳过";
    BASE "after_tool", TOOLS_GROUP, "after a tool ran" "工具执行完成后",
        [META, TOOL, ARGUMENTS, RESULT, DURATION, CHANNEL, CHAT_ID] => [OUT_ACTION, OUT_RESULT, OUT_REASON],
        verdicts: &[EndTurn, EndSession];
    REPORTED "turn_end", TURN, "a turn ended" "一个轮次结束";
    REPORTED "steering_injected", STEERING, "the user steered a running turn" "用户在轮次进行中插入了消息";
    REPORTED "follow_up_queued", STEERING, "a message waits for the next turn" "消息排入下一轮次";
    REPORTED "interrupt_received", STEERING, "the user interrupted" "用户打断";
    REPORTED "context_compress", CONTEXT, "the context is compressed" "压缩上下文";
    REPORTED "session_summarize", CONTEXT, "the session is summarized" "总结会话";
    REPORTED "subturn_spawn", SUBTURN, "a sub-turn started" "启动子轮次";
    REPORTED "subturn_end", SUBTURN, "a sub-turn ended" "子轮次结束";
    REPORTED "subturn_result_delivered", SUBTURN, "its result was delivered" "子轮次的结果已送达";
    REPORTED "subturn_orphan", SUBTURN, "its result can no longer be delivered" "子轮次的结果已无法送达";
    REPORTED "error", TURN, "something failed" "出错";
};

/// The later spellings of the kinds (`picoclaw.md` §2).
const ALIASES: [(&str, Option<&str>); 19] = [
    ("agent.turn.start", Some("turn_start")),
    ("agent.turn.end", Some("turn_end")),
    ("agent.llm.request", Some("llm_request")),
    ("agent.llm.response", Some("llm_response")),
    ("agent.llm.delta", Some("llm_delta")),
    ("agent.llm.retry", Some("llm_retry")),
    ("agent.tool.exec_start", Some("tool_exec_start")),
    ("agent.tool.exec_end", Some("tool_exec_end")),
    ("agent.tool.exec_skipped", Some("tool_exec_skipped")),
    ("agent.steering.injected", Some("steering_injected")),
    ("agent.follow_up.queued", Some("follow_up_queued")),
    ("agent.interrupt.received", Some("interrupt_received")),
    ("agent.context.compress", Some("context_compress")),
    ("agent.session.summarize", Some("session_summarize")),
    ("agent.subturn.spawn", Some("subturn_spawn")),
    ("agent.subturn.end", Some("subturn_end")),
    ("agent.subturn.result_delivered", Some("subturn_result_delivered")),
    ("agent.subturn.orphan", Some("subturn_orphan")),
    ("agent.error", Some("error")),
];

/// The names of all kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    EVENTS.iter().filter(|event| event.notify_only).map(|event| event.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_five_hook_points_and_nineteen_kinds() {
        let points: Vec<&str> = EVENTS
            .iter()
            .filter(|event| !event.notify_only)
            .map(|event| event.name)
            .collect();
        assert_eq!(
            points,
            ["before_llm", "after_llm", "before_tool", "approve_tool", "after_tool"]
        );
        assert_eq!(kinds().count(), 19);
        assert!(kinds().all(|kind| ALIASES.iter().any(|(_, name)| *name == Some(kind))));
        let mut names: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EVENTS.len());
    }

    #[test]
    fn only_a_tool_call_can_be_answered_or_denied_before_it_is_approved() {
        let verdicts = |name| CARD.event(name).unwrap().verdicts;
        for name in ["before_llm", "after_llm", "after_tool"] {
            assert_eq!(verdicts(name), [EndTurn, EndSession], "{name}");
        }
        assert_eq!(verdicts("before_tool"), [Respond, Deny, EndTurn, EndSession]);
        assert_eq!(verdicts("approve_tool"), [Approve, Deny]);
    }
}
