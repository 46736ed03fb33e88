//! The fields of payloads and hook outputs (`jcli.md` §3, the seed's HookContext and HookResult tables).

use hookwright_model::VerdictKind;
use hookwright_model::event::Merge;
use hookwright_model::event::OutputKind::{Add, Control, Replace};

hookwright_model::payload_fields! {
    pub(super) rows;
    EVENT = "event", Text, "the event that fired" "当前触发的事件";
    SESSION_ID = "session_id", Text, "the session id" "当前会话 ID";
    CWD = "cwd", Text, "the agent's working directory" "当前工作目录";
    MESSAGES = "messages", Messages, "the conversation so far" "当前对话消息列表";
    SYSTEM_PROMPT = "system_prompt", Text, "the system prompt" "当前系统提示词";
    MODEL = "model", Text, "the model's name" "当前使用的模型名称";
    USER_INPUT = "user_input", Text, "what the user typed this turn" "本轮用户输入文本";
    ASSISTANT_OUTPUT = "assistant_output", Text, "the model's response" "模型的回复文本";
    TOOL_NAME = "tool_name", Text, "the tool that is called" "当前工具调用的工具名";
    TOOL_ARGUMENTS = "tool_arguments", Text, "the arguments of the call, JSON as text" "当前工具调用的参数（JSON 文本）";
    TOOL_RESULT = "tool_result", Text, "what the tool returned" "工具执行结果";
    TOOL_ERROR = "tool_error", Text, "why the tool failed" "工具执行失败的原因";
}

hookwright_model::output_fields! {
    pub(super) rows;
    OUT_USER_INPUT = "user_input", Text, Replace, "replaces the message that is about to be sent" "替换用户即将发送的消息";
    OUT_ASSISTANT_OUTPUT = "assistant_output", Text, Replace, "replaces the response that is shown" "替换展示给用户的模型回复";
    OUT_MESSAGES = "messages", Messages, Replace,
        "replaces the whole list of messages, each {\"role\", \"content\"}" "替换整个消息列表，每条为 {\"role\", \"content\"}";
    OUT_SYSTEM_PROMPT = "system_prompt", Text, Replace, "replaces the system prompt" "替换系统提示词";
    OUT_TOOL_ARGUMENTS = "tool_arguments", Text, Replace,
        "replaces the arguments of the call; JSON written as one string" "替换工具调用参数；写成一个字符串的 JSON";
    OUT_TOOL_RESULT = "tool_result", Text, Replace, "replaces what the tool returned" "替换工具返回结果";
    OUT_TOOL_ERROR = "tool_error", Text, Replace, "replaces the tool's error message" "替换工具错误信息";
    OUT_INJECT = "inject_messages", Messages, Add(Merge::Append),
        "appended to the end of the messages, each {\"role\", \"content\"}" "追加到消息列表末尾，每条为 {\"role\", \"content\"}";
    OUT_CONTEXT = "additional_context", Text, Add(Merge::Last), "appended to the system prompt" "追加到系统提示词末尾";
    OUT_CONTEXT_COMPACT = "additional_context", Text, Add(Merge::Last),
        "text that the compaction must keep" "压缩时必须保留的文本";
    OUT_CONTEXT_ERROR = "additional_context", Text, Add(Merge::Last),
        "additional context for the tool's error" "随工具错误一起给出的补充信息";
    OUT_FEEDBACK = "retry_feedback", Text, Control,
        "sent to the model as a user message, so that it tries again; only together with \"action\": \"stop\"" "作为用户消息发给模型并重试；仅与 \"action\": \"stop\" 同时生效",
        with_verdicts: &[VerdictKind::Stop];
    OUT_FEEDBACK_ALONE = "retry_feedback", Text, Control,
        "sent to the model as a user message, so that it continues to work" "作为用户消息发给模型，让它继续工作";
    OUT_SYSTEM_MESSAGE = "system_message", Text, Add(Merge::Notice), "a short message for the user" "展示给用户的提示消息";
}
