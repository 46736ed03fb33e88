//! The tables of `jcli.md` §3: j-cli's names, the payload of each event, and the output that each event accepts.

mod fields;

use std::time::Duration;

use VerdictKind::{Retry, Skip, Stop};
use hookwright_model::chain::{ChainPolicy, Flow, Order, VerdictRule};
use hookwright_model::dialect::{DirOf, DirVar};
use hookwright_model::event::{Bilingual, EventSpec, FieldKind};
use hookwright_model::{
    BlockingOutput, BrokenFile, Card, CommandSpec, EditSupport, TargetLayer, ToldTurn, UserText, VerdictKind, text,
};

use fields::*;

/// The card of j-cli: its names and its tables.
pub static CARD: Card = Card {
    id: "jcli",
    name: "j-cli",
    tag: "JC",
    about: text(
        "Shell commands and model prompts that rewrite a conversation field by field, layer after layer.",
        "用 shell 命令和模型提示词，逐层、逐字段地改写一次对话。",
    ),
    common: &[EVENT, SESSION_ID, CWD],
    event_field: "event",
    env_field: None,
    command: Some(CommandSpec {
        shell: "sh",
        other_shells: None,
        power_shell: None,
        args_field: None,
    }),
    dir_vars: &[DirVar {
        name: "JCLI_CWD",
        of: DirOf::Payload,
    }],
    first: "pre_tool_execution",
    last: Some("session_end"),
    events: &EVENTS,
    settings: &[],
    location_vars: &["J_DATA_PATH"],
    aliases: &[],
    unfired: &[],
    tool_field: "tool_name",
    call_input: "tool_arguments",
    broken_file: BrokenFile::RunsNone,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[TargetLayer::User, TargetLayer::Project],
    },
    prompts: Some(&super::prompt::PROMPTS),
    definition: &super::schema::DEFINITION,
    tool_calls: None,
    lifecycle_map: &super::lifecycle_map::LIFECYCLE_MAP,
    templates: include_str!("templates.yaml"),
    told_turns: &[
        ("pre_send_message", ToldTurn::Begins(UserText::At(&["user_input"]))),
        ("pre_tool_execution", ToldTurn::CallBegins),
        ("post_tool_execution", ToldTurn::CallEnds { result: "tool_result" }),
        (
            "post_tool_execution_failure",
            ToldTurn::CallFails { error: "tool_error" },
        ),
        (
            "post_llm_response",
            ToldTurn::Replies {
                path: &["assistant_output"],
            },
        ),
    ],
    blocking_outputs: &[
        BlockingOutput {
            field: "action",
            values: &["stop"],
            verdicts: &[Stop],
        },
        BlockingOutput {
            field: "action",
            values: &["skip"],
            verdicts: &[Skip],
        },
        BlockingOutput {
            field: "abort",
            values: &["true", "True"],
            verdicts: &[Stop],
        },
    ],
};

/// The field order of the seed's HookContext table. On stdin these fields come first, in this order.
pub const STDIN_ORDER: [&str; 12] = [
    "event",
    "messages",
    "system_prompt",
    "model",
    "user_input",
    "assistant_output",
    "tool_name",
    "tool_arguments",
    "tool_result",
    "tool_error",
    "session_id",
    "cwd",
];

/// The field order of the seed's HookResult table. Replies are written in this order.
pub const REPLY_ORDER: [&str; 12] = [
    "user_input",
    "assistant_output",
    "messages",
    "system_prompt",
    "tool_arguments",
    "tool_result",
    "tool_error",
    "inject_messages",
    "retry_feedback",
    "additional_context",
    "system_message",
    "action",
];

const SESSION: Bilingual = text("Session", "会话");
const SENDING: Bilingual = text("Sending", "消息发送");
const MODEL_CALL: Bilingual = text("Model", "模型请求与回复");
const TOOL: Bilingual = text("Tools", "工具执行");
const ENDING: Bilingual = text("End of response", "回复结束");
const COMPACTION: Bilingual = text("Compaction", "上下文压缩");

/// Time budget of a whole chain (`jcli.md` §7).
pub const CHAIN_BUDGET: Duration = Duration::from_secs(30);

/// What the events have in common.
const BASE: EventSpec = EventSpec::base(ChainPolicy {
    order: Order::LayersThenDeclared,
    flow: Flow::Pipe,
    verdict_rule: VerdictRule::Last,
    budget: Some(CHAIN_BUDGET),
    races: false,
});

/// An event at which nothing can be changed.
const NOTIFY: EventSpec = EventSpec {
    notify_only: true,
    ..BASE
};

static EVENTS: [EventSpec; 14] = hookwright_model::event_rows! {
    NOTIFY "session_start", SESSION, "when the session starts" "会话启动时", [MESSAGES];
    BASE "pre_send_message", SENDING, "before the user's message is sent" "用户发送消息前",
        [MESSAGES, USER_INPUT] => [OUT_USER_INPUT, OUT_FEEDBACK, OUT_SYSTEM_MESSAGE], verdicts: &[Stop, Retry];
    NOTIFY "post_send_message", SENDING, "after the user's message was sent" "用户发送消息后", [MESSAGES, USER_INPUT];
    BASE "pre_llm_request", MODEL_CALL, "before each request to the model" "每次向模型发送请求前",
        [MESSAGES, SYSTEM_PROMPT, MODEL] => [OUT_MESSAGES, OUT_SYSTEM_PROMPT, OUT_INJECT, OUT_CONTEXT, OUT_FEEDBACK,
        OUT_SYSTEM_MESSAGE], verdicts: &[Stop, Retry];
    BASE "post_llm_response", MODEL_CALL, "after each response of the model, before its tool calls" "模型回复完成后，工具调用前",
        [MESSAGES, MODEL, ASSISTANT_OUTPUT] => [OUT_ASSISTANT_OUTPUT, OUT_FEEDBACK, OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry];
    BASE "pre_tool_execution", TOOL, "before a tool runs" "工具执行前",
        [TOOL_NAME, TOOL_ARGUMENTS] => [OUT_TOOL_ARGUMENTS, OUT_FEEDBACK, OUT_SYSTEM_MESSAGE],
        verdicts: &[Skip, Stop, Retry], subject: Some("tool_name"), stop_holds: false;
    BASE "post_tool_execution", TOOL, "after a tool succeeded" "工具执行成功后",
        [TOOL_NAME, TOOL_RESULT] => [OUT_TOOL_RESULT, OUT_SYSTEM_MESSAGE], verdicts: &[Stop],
        subject: Some("tool_name"), stop_holds: false;
    BASE "post_tool_execution_failure", TOOL, "after a tool failed or its call was skipped" "工具执行失败或被跳过后",
        [TOOL_NAME, TOOL_ERROR] => [OUT_TOOL_ERROR, OUT_CONTEXT_ERROR, OUT_SYSTEM_MESSAGE], verdicts: &[Stop],
        subject: Some("tool_name"), stop_holds: false;
    BASE "stop", ENDING, "when the model is about to end its response, without more tool calls" "模型即将结束回复时（没有更多工具调用）",
        [MESSAGES, SYSTEM_PROMPT, MODEL, USER_INPUT] => [OUT_FEEDBACK_ALONE, OUT_CONTEXT, OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry];
    BASE "pre_micro_compact", COMPACTION, "before old turns are compacted" "轮次级压缩前",
        [MESSAGES, MODEL] => [OUT_FEEDBACK, OUT_SYSTEM_MESSAGE], verdicts: &[Stop, Retry];
    BASE "post_micro_compact", COMPACTION, "after old turns were compacted" "轮次级压缩后",
        [MESSAGES] => [OUT_MESSAGES, OUT_SYSTEM_MESSAGE], verdicts: &[Stop], stop_holds: false;
    BASE "pre_auto_compact", COMPACTION, "before the whole conversation is compacted" "全量压缩前",
        [MESSAGES, SYSTEM_PROMPT, MODEL] => [OUT_CONTEXT_COMPACT, OUT_FEEDBACK, OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry];
    BASE "post_auto_compact", COMPACTION, "after the whole conversation was compacted" "全量压缩后",
        [MESSAGES] => [OUT_MESSAGES, OUT_SYSTEM_MESSAGE], verdicts: &[Stop], stop_holds: false;
    NOTIFY "session_end", SESSION, "when the session ends" "会话退出时", [MESSAGES];
};

/// The kind of an output field, whichever event accepts it; `None` if no event of j-cli has this field.
#[must_use]
pub fn output_kind(name: &str) -> Option<FieldKind> {
    EVENTS
        .iter()
        .find_map(|event| event.output(name))
        .map(|output| output.kind)
}

/// The event with the most similar name, if one is similar enough.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    crate::suggest::nearest_event(name, EVENTS.iter().map(|event| event.name))
}

#[cfg(test)]
mod tests;
