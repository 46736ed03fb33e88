//! The fields of payloads and hook outputs (`jcli.md` §3, the seed's HookContext and HookResult tables).

use hookwright_model::VerdictKind;
use hookwright_model::event::{Bilingual, FieldKind, FieldSpec, Merge, OutputKind, OutputSpec};

use super::text;

const fn field(name: &'static str, kind: FieldKind, about: Bilingual) -> FieldSpec {
    FieldSpec { name, kind, about }
}

pub(super) const EVENT: FieldSpec = field("event", FieldKind::Text, text("the event that fired", "当前触发的事件"));
pub(super) const SESSION_ID: FieldSpec = field("session_id", FieldKind::Text, text("the session id", "当前会话 ID"));
pub(super) const CWD: FieldSpec = field(
    "cwd",
    FieldKind::Text,
    text("the agent's working directory", "当前工作目录"),
);
pub(super) const MESSAGES: FieldSpec = field(
    "messages",
    FieldKind::Messages,
    text("the conversation so far", "当前对话消息列表"),
);
pub(super) const SYSTEM_PROMPT: FieldSpec = field(
    "system_prompt",
    FieldKind::Text,
    text("the system prompt", "当前系统提示词"),
);
pub(super) const MODEL: FieldSpec = field("model", FieldKind::Text, text("the model's name", "当前使用的模型名称"));
pub(super) const USER_INPUT: FieldSpec = field(
    "user_input",
    FieldKind::Text,
    text("what the user typed this turn", "本轮用户输入文本"),
);
pub(super) const ASSISTANT_OUTPUT: FieldSpec = field(
    "assistant_output",
    FieldKind::Text,
    text("the model's response", "模型的回复文本"),
);
pub(super) const TOOL_NAME: FieldSpec = field(
    "tool_name",
    FieldKind::Text,
    text("the tool that is called", "当前工具调用的工具名"),
);
pub(super) const TOOL_ARGUMENTS: FieldSpec = field(
    "tool_arguments",
    FieldKind::Text,
    text(
        "the arguments of the call, JSON as text",
        "当前工具调用的参数（JSON 文本）",
    ),
);
pub(super) const TOOL_RESULT: FieldSpec = field(
    "tool_result",
    FieldKind::Text,
    text("what the tool returned", "工具执行结果"),
);
pub(super) const TOOL_ERROR: FieldSpec = field(
    "tool_error",
    FieldKind::Text,
    text("why the tool failed", "工具执行失败的原因"),
);

const fn replaces(name: &'static str, kind: FieldKind, about: Bilingual) -> OutputSpec {
    OutputSpec {
        name,
        kind,
        effect: OutputKind::Replace,
        with_verdicts: &[],
        about,
    }
}

pub(super) static OUT_USER_INPUT: OutputSpec = replaces(
    "user_input",
    FieldKind::Text,
    text(
        "replaces the message that is about to be sent",
        "替换用户即将发送的消息",
    ),
);
pub(super) static OUT_ASSISTANT_OUTPUT: OutputSpec = replaces(
    "assistant_output",
    FieldKind::Text,
    text("replaces the response that is shown", "替换展示给用户的模型回复"),
);
pub(super) static OUT_MESSAGES: OutputSpec = replaces(
    "messages",
    FieldKind::Messages,
    text(
        "replaces the whole list of messages, each {\"role\", \"content\"}",
        "替换整个消息列表，每条为 {\"role\", \"content\"}",
    ),
);
pub(super) static OUT_SYSTEM_PROMPT: OutputSpec = replaces(
    "system_prompt",
    FieldKind::Text,
    text("replaces the system prompt", "替换系统提示词"),
);
pub(super) static OUT_TOOL_ARGUMENTS: OutputSpec = replaces(
    "tool_arguments",
    FieldKind::Text,
    text(
        "replaces the arguments of the call; JSON written as one string",
        "替换工具调用参数；写成一个字符串的 JSON",
    ),
);
pub(super) static OUT_TOOL_RESULT: OutputSpec = replaces(
    "tool_result",
    FieldKind::Text,
    text("replaces what the tool returned", "替换工具返回结果"),
);
pub(super) static OUT_TOOL_ERROR: OutputSpec = replaces(
    "tool_error",
    FieldKind::Text,
    text("replaces the tool's error message", "替换工具错误信息"),
);
pub(super) static OUT_INJECT: OutputSpec = OutputSpec {
    name: "inject_messages",
    kind: FieldKind::Messages,
    effect: OutputKind::Add(Merge::Append),
    with_verdicts: &[],
    about: text(
        "appended to the end of the messages, each {\"role\", \"content\"}",
        "追加到消息列表末尾，每条为 {\"role\", \"content\"}",
    ),
};
pub(super) static OUT_CONTEXT: OutputSpec = context(text("appended to the system prompt", "追加到系统提示词末尾"));
pub(super) static OUT_CONTEXT_COMPACT: OutputSpec =
    context(text("text that the compaction must keep", "压缩时必须保留的文本"));
pub(super) static OUT_CONTEXT_ERROR: OutputSpec = context(text(
    "additional context for the tool's error",
    "随工具错误一起给出的补充信息",
));

const fn context(about: Bilingual) -> OutputSpec {
    OutputSpec {
        name: "additional_context",
        kind: FieldKind::Text,
        effect: OutputKind::Add(Merge::Last),
        with_verdicts: &[],
        about,
    }
}
pub(super) static OUT_FEEDBACK: OutputSpec = OutputSpec {
    name: "retry_feedback",
    kind: FieldKind::Text,
    effect: OutputKind::Control,
    with_verdicts: &[VerdictKind::Stop],
    about: text(
        "sent to the model as a user message, so that it tries again; only together with \"action\": \"stop\"",
        "作为用户消息发给模型并重试；仅与 \"action\": \"stop\" 同时生效",
    ),
};
pub(super) static OUT_FEEDBACK_ALONE: OutputSpec = OutputSpec {
    about: text(
        "sent to the model as a user message, so that it continues to work",
        "作为用户消息发给模型，让它继续工作",
    ),
    with_verdicts: &[],
    ..OUT_FEEDBACK
};
pub(super) static OUT_SYSTEM_MESSAGE: OutputSpec = OutputSpec {
    name: "system_message",
    kind: FieldKind::Text,
    effect: OutputKind::Add(Merge::Notice),
    with_verdicts: &[],
    about: text("a short message for the user", "展示给用户的提示消息"),
};
