//! The tables of `jcli.md` §3: who j-cli is, what its events carry, and what a hook may answer to each.

use hookwright_model::dialect::{DirOf, DirVar};
use hookwright_model::event::{EventSpec, FieldKind, FieldSpec, Merge, OutputKind, OutputSpec, Text};
use hookwright_model::{Card, VerdictKind};

use VerdictKind::{Retry, Skip, Stop};

const fn text(en: &'static str, zh: &'static str) -> Text {
    Text { en, zh }
}

/// Who it is, and its tables.
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
    dir_vars: &[DirVar { name: "JCLI_CWD", of: DirOf::Payload }],
    events: &EVENTS,
};

/// The order of the seed's HookContext table: fields go to stdin in this order, others after them.
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

/// The order of the seed's HookResult table, in which replies are written.
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

const fn field(name: &'static str, kind: FieldKind, about: Text) -> FieldSpec {
    FieldSpec { name, kind, about }
}

const EVENT: FieldSpec = field("event", FieldKind::Text, text("the event that fired", "当前触发的事件"));
const SESSION_ID: FieldSpec = field("session_id", FieldKind::Text, text("the session's id", "当前会话 ID"));
const CWD: FieldSpec = field("cwd", FieldKind::Text, text("the agent's working directory", "当前工作目录"));
const MESSAGES: FieldSpec = field("messages", FieldKind::Messages, text("the conversation so far", "当前对话消息列表"));
const SYSTEM_PROMPT: FieldSpec = field("system_prompt", FieldKind::Text, text("the system prompt", "当前系统提示词"));
const MODEL: FieldSpec = field("model", FieldKind::Text, text("the model's name", "当前使用的模型名称"));
const USER_INPUT: FieldSpec = field("user_input", FieldKind::Text, text("what the user typed this turn", "本轮用户输入文本"));
const ASSISTANT_OUTPUT: FieldSpec =
    field("assistant_output", FieldKind::Text, text("the model's answer", "本轮 AI 回复文本"));
const TOOL_NAME: FieldSpec = field("tool_name", FieldKind::Text, text("the tool that is called", "当前工具调用的工具名"));
const TOOL_ARGUMENTS: FieldSpec =
    field("tool_arguments", FieldKind::Text, text("the call's arguments, JSON as text", "当前工具调用的参数（JSON 文本）"));
const TOOL_RESULT: FieldSpec = field("tool_result", FieldKind::Text, text("what the tool returned", "工具执行结果"));
const TOOL_ERROR: FieldSpec = field("tool_error", FieldKind::Text, text("why the tool failed", "工具执行失败的原因"));

const fn replaces(name: &'static str, kind: FieldKind, about: Text) -> OutputSpec {
    OutputSpec { name, kind, effect: OutputKind::Replace, about }
}

static OUT_USER_INPUT: OutputSpec =
    replaces("user_input", FieldKind::Text, text("replaces the message that is about to be sent", "替换用户即将发送的消息"));
static OUT_ASSISTANT_OUTPUT: OutputSpec =
    replaces("assistant_output", FieldKind::Text, text("replaces the answer that is shown", "替换最终展示的 AI 回复"));
static OUT_MESSAGES: OutputSpec = replaces(
    "messages",
    FieldKind::Messages,
    text("replaces the whole list of messages, each {\"role\", \"content\"}", "替换整个消息列表，每条为 {\"role\", \"content\"}"),
);
static OUT_SYSTEM_PROMPT: OutputSpec =
    replaces("system_prompt", FieldKind::Text, text("replaces the system prompt", "替换系统提示词"));
static OUT_TOOL_ARGUMENTS: OutputSpec = replaces(
    "tool_arguments",
    FieldKind::Text,
    text("replaces the call's arguments; JSON written as one string", "替换工具调用参数；写成一个字符串的 JSON"),
);
static OUT_TOOL_RESULT: OutputSpec =
    replaces("tool_result", FieldKind::Text, text("replaces what the tool returned", "替换工具返回结果"));
static OUT_TOOL_ERROR: OutputSpec =
    replaces("tool_error", FieldKind::Text, text("replaces the tool's error message", "替换工具错误信息"));
static OUT_INJECT: OutputSpec = OutputSpec {
    name: "inject_messages",
    kind: FieldKind::Messages,
    effect: OutputKind::Add(Merge::Append),
    about: text("appended to the end of the messages, each {\"role\", \"content\"}", "追加到消息列表末尾，每条为 {\"role\", \"content\"}"),
};
static OUT_CONTEXT: OutputSpec = context(text("appended to the system prompt", "追加到系统提示词末尾"));
static OUT_CONTEXT_COMPACT: OutputSpec = context(text("text that the compaction must keep", "压缩时必须保留的文本"));
static OUT_CONTEXT_ERROR: OutputSpec = context(text("context beside the tool's error", "随工具错误一起给出的补充信息"));

const fn context(about: Text) -> OutputSpec {
    OutputSpec { name: "additional_context", kind: FieldKind::Text, effect: OutputKind::Add(Merge::Last), about }
}
static OUT_FEEDBACK: OutputSpec = OutputSpec {
    name: "retry_feedback",
    kind: FieldKind::Text,
    effect: OutputKind::Control,
    about: text(
        "sent to the model as a user message, which then tries again; only together with \"action\": \"stop\"",
        "作为用户消息发给模型并重试；仅与 \"action\": \"stop\" 同时生效",
    ),
};
static OUT_FEEDBACK_ALONE: OutputSpec = OutputSpec {
    about: text("sent to the model as a user message, which then goes on working", "作为用户消息发给模型，让它继续工作"),
    ..OUT_FEEDBACK
};
static OUT_SYSTEM_MESSAGE: OutputSpec = OutputSpec {
    name: "system_message",
    kind: FieldKind::Text,
    effect: OutputKind::Add(Merge::Notice),
    about: text("a short message for the user", "展示给用户的提示消息"),
};

const SESSION: Text = text("Session", "会话");
const SENDING: Text = text("Sending", "消息发送");
const MODEL_CALL: Text = text("Model", "LLM 请求与回复");
const TOOL: Text = text("Tools", "工具执行");
const ENDING: Text = text("End of answer", "回复结束");
const COMPACTION: Text = text("Compaction", "上下文压缩");

const fn notify(name: &'static str, group: Text, about: Text, fields: &'static [FieldSpec]) -> EventSpec {
    EventSpec { name, group, about, fields, outputs: &[], verdicts: &[], notify_only: true }
}

static EVENTS: [EventSpec; 14] = [
    notify("session_start", SESSION, text("when the session starts", "会话启动时"), &[MESSAGES]),
    EventSpec {
        name: "pre_send_message",
        group: SENDING,
        about: text("before the user's message is sent", "用户发送消息前"),
        fields: &[MESSAGES, USER_INPUT],
        outputs: &[&OUT_USER_INPUT, &OUT_FEEDBACK, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry],
        notify_only: false,
    },
    notify("post_send_message", SENDING, text("after the user's message was sent", "用户发送消息后"), &[MESSAGES, USER_INPUT]),
    EventSpec {
        name: "pre_llm_request",
        group: MODEL_CALL,
        about: text("before each request to the model", "LLM API 请求前"),
        fields: &[MESSAGES, SYSTEM_PROMPT, MODEL],
        outputs: &[&OUT_MESSAGES, &OUT_SYSTEM_PROMPT, &OUT_INJECT, &OUT_CONTEXT, &OUT_FEEDBACK, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry],
        notify_only: false,
    },
    EventSpec {
        name: "post_llm_response",
        group: MODEL_CALL,
        about: text("after each answer of the model, before its tool calls", "LLM 回复完成后，工具调用前"),
        fields: &[MESSAGES, MODEL, ASSISTANT_OUTPUT],
        outputs: &[&OUT_ASSISTANT_OUTPUT, &OUT_FEEDBACK, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry],
        notify_only: false,
    },
    EventSpec {
        name: "pre_tool_execution",
        group: TOOL,
        about: text("before a tool runs", "工具执行前"),
        fields: &[TOOL_NAME, TOOL_ARGUMENTS],
        outputs: &[&OUT_TOOL_ARGUMENTS, &OUT_FEEDBACK, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Skip, Stop, Retry],
        notify_only: false,
    },
    EventSpec {
        name: "post_tool_execution",
        group: TOOL,
        about: text("after a tool succeeded", "工具执行成功后"),
        fields: &[TOOL_NAME, TOOL_RESULT],
        outputs: &[&OUT_TOOL_RESULT, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop],
        notify_only: false,
    },
    EventSpec {
        name: "post_tool_execution_failure",
        group: TOOL,
        about: text("after a tool failed or its call was skipped", "工具执行失败或被跳过后"),
        fields: &[TOOL_NAME, TOOL_ERROR],
        outputs: &[&OUT_TOOL_ERROR, &OUT_CONTEXT_ERROR, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop],
        notify_only: false,
    },
    EventSpec {
        name: "stop",
        group: ENDING,
        about: text("when the model is about to end its answer, without more tool calls", "LLM 即将结束回复时（无更多工具调用）"),
        fields: &[MESSAGES, SYSTEM_PROMPT, MODEL, USER_INPUT],
        outputs: &[&OUT_FEEDBACK_ALONE, &OUT_CONTEXT, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry],
        notify_only: false,
    },
    EventSpec {
        name: "pre_micro_compact",
        group: COMPACTION,
        about: text("before old turns are compacted", "轮次级压缩前"),
        fields: &[MESSAGES, MODEL],
        outputs: &[&OUT_FEEDBACK, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry],
        notify_only: false,
    },
    EventSpec {
        name: "post_micro_compact",
        group: COMPACTION,
        about: text("after old turns were compacted", "轮次级压缩后"),
        fields: &[MESSAGES],
        outputs: &[&OUT_MESSAGES, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop],
        notify_only: false,
    },
    EventSpec {
        name: "pre_auto_compact",
        group: COMPACTION,
        about: text("before the whole conversation is compacted", "全量压缩前"),
        fields: &[MESSAGES, SYSTEM_PROMPT, MODEL],
        outputs: &[&OUT_CONTEXT_COMPACT, &OUT_FEEDBACK, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop, Retry],
        notify_only: false,
    },
    EventSpec {
        name: "post_auto_compact",
        group: COMPACTION,
        about: text("after the whole conversation was compacted", "全量压缩后"),
        fields: &[MESSAGES],
        outputs: &[&OUT_MESSAGES, &OUT_SYSTEM_MESSAGE],
        verdicts: &[Stop],
        notify_only: false,
    },
    notify("session_end", SESSION, text("when the session ends", "会话退出时"), &[MESSAGES]),
];

/// What an output field holds, whichever event gave it; `None` for a field that no event of the dialect knows.
#[must_use]
pub fn output_kind(name: &str) -> Option<FieldKind> {
    EVENTS.iter().find_map(|event| event.output(name)).map(|output| output.kind)
}

/// The event whose name is nearest to this one, when it is near at all.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    super::nearest(name, EVENTS.iter().map(|event| event.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `jcli.md` §3, row by row: payload, outputs, verdicts.
    const SPEC: [(&str, &str, &str, &str); 14] = [
        ("session_start", "messages", "", ""),
        ("session_end", "messages", "", ""),
        ("pre_send_message", "user_input messages", "user_input retry_feedback system_message", "stop retry"),
        ("post_send_message", "user_input messages", "", ""),
        (
            "pre_llm_request",
            "messages system_prompt model",
            "messages system_prompt inject_messages additional_context retry_feedback system_message",
            "stop retry",
        ),
        ("post_llm_response", "assistant_output messages model", "assistant_output retry_feedback system_message", "stop retry"),
        ("pre_tool_execution", "tool_name tool_arguments", "tool_arguments retry_feedback system_message", "skip stop retry"),
        ("post_tool_execution", "tool_name tool_result", "tool_result system_message", "stop"),
        ("post_tool_execution_failure", "tool_name tool_error", "tool_error additional_context system_message", "stop"),
        ("stop", "user_input messages system_prompt model", "retry_feedback additional_context system_message", "stop retry"),
        ("pre_micro_compact", "messages model", "retry_feedback system_message", "stop retry"),
        ("post_micro_compact", "messages", "messages system_message", "stop"),
        ("pre_auto_compact", "messages system_prompt model", "additional_context retry_feedback system_message", "stop retry"),
        ("post_auto_compact", "messages", "messages system_message", "stop"),
    ];

    fn words(text: &str) -> Vec<&str> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        words.sort_unstable();
        words
    }

    fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn the_table_is_the_one_of_the_specification() {
        assert_eq!(EVENTS.len(), SPEC.len());
        for (name, fields, outputs, verdicts) in SPEC {
            let event = CARD.event(name).unwrap_or_else(|| panic!("{name} is missing"));
            assert_eq!(sorted(event.fields.iter().map(|field| field.name)), words(fields), "{name}");
            assert_eq!(sorted(event.outputs.iter().map(|output| output.name)), words(outputs), "{name}");
            assert_eq!(sorted(event.verdicts.iter().map(|verdict| verdict.word())), words(verdicts), "{name}");
            assert_eq!(event.notify_only, outputs.is_empty(), "{name}");
        }
    }

    #[test]
    fn fields_stand_in_the_order_in_which_hooks_see_them() {
        for event in &EVENTS {
            let places: Vec<usize> = event.fields.iter().filter_map(|field| STDIN_ORDER.iter().position(|name| *name == field.name)).collect();
            assert_eq!(places.len(), event.fields.len(), "{}", event.name);
            assert!(places.is_sorted(), "{}", event.name);
        }
    }

    #[test]
    fn a_replacing_output_replaces_a_field_that_the_event_has() {
        for event in &EVENTS {
            for output in event.outputs {
                let has = event.fields.iter().any(|field| field.name == output.name);
                assert_eq!(output.effect == OutputKind::Replace, has, "{} {}", event.name, output.name);
                assert!(REPLY_ORDER.contains(&output.name), "{}", output.name);
            }
        }
    }

    #[test]
    fn the_nearest_event_is_named_only_when_it_is_near() {
        assert_eq!(nearest("pre_tool_execute"), Some("pre_tool_execution"));
        assert_eq!(nearest("PreToolExecution"), Some("pre_tool_execution"));
        assert_eq!(nearest("post-send-message"), Some("post_send_message"));
        assert_eq!(nearest("zebra"), None);
    }
}
