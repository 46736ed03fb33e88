//! The fields of payloads and hook outputs (`codex.md` §3).

use hookwright_model::VerdictKind;
use hookwright_model::event::Merge;
use hookwright_model::event::OutputKind::{Add, Control, ReplaceField};

hookwright_model::payload_fields! {
    pub(super) rows;
    EVENT = "hook_event_name", Text, "the event that fired" "当前触发的事件";
    SESSION_ID = "session_id", Text, "the session id" "会话 ID";
    TRANSCRIPT = "transcript_path", Text, "the file that records the session; may be null" "记录文件路径，可为 null";
    CWD = "cwd", Text, "the agent's working directory" "工作目录";
    TURN_ID = "turn_id", Text, "the id of the turn" "轮次 ID";
    MODEL = "model", Text, "the model" "模型";
    MODE = "permission_mode", Text, "default or bypassPermissions" "default 或 bypassPermissions";
    SOURCE = "source", Text, "startup, resume, clear, compact or fork" "startup、resume、clear、compact 或 fork";
    PROMPT = "prompt", Text, "what the user typed" "用户输入";
    TOOL_NAME = "tool_name", Text, "the tool that is called" "工具名称";
    TOOL_INPUT = "tool_input", Object, "the input of the tool" "工具输入";
    ANY_INPUT = "tool_input", Any, "the input of the tool" "工具输入";
    TOOL_RESPONSE = "tool_response", Any, "what the tool returned" "工具输出";
    TOOL_USE_ID = "tool_use_id", Text, "the id of the call" "工具调用 ID";
    TRIGGER = "trigger", Text, "manual or auto" "manual 或 auto";
    AGENT_ID = "agent_id", Text, "the id of the subagent" "子 Agent ID";
    AGENT_TYPE = "agent_type", Text, "the subagent's kind" "子 Agent 类型";
    STOP_ACTIVE = "stop_hook_active", Flag, "whether a hook already made the agent continue" "是否已有 Hook 让 Agent 继续过";
    LAST_MESSAGE = "last_assistant_message", Text, "the agent's last message; may be null" "Agent 的最后一条消息，可为 null";
    AGENT_TRANSCRIPT = "agent_transcript_path", Text, "the file that records the subagent; may be null" "子 Agent 的记录文件路径，可为 null";
    REASON = "reason", Text, "why" "原因";
    KIND = "kind", Text, "sampling or foreground_compaction" "sampling 或 foreground_compaction";
    REQUEST_ID = "request_id", Text, "the id of the request" "请求 ID";
    ATTEMPT = "attempt_number", Number, "the number of the attempt" "第几次尝试";
    THREAD_ID = "thread_id", Text, "the id of the conversation" "对话 ID";
    STATUS = "status", Text, "how the request ended" "请求结果";
    ERROR = "error", Text, "what went wrong; may be null" "失败原因，可为 null";
    TOKENS = "token_usage", Object, "the tokens that were used; may be null" "token 用量，可为 null";
    RESPONSE_ID = "response_id", Text, "the id of the response; may be null" "响应 ID，可为 null";
}

/// The verdicts with which a new input counts.
const CALL_CONTINUES: &[VerdictKind] = &[VerdictKind::Proceed];

hookwright_model::output_fields! {
    pub(super) rows;
    OUT_DECISION = "permissionDecision", Text, Control,
        "\"deny\" denies; \"allow\" only with `updatedInput`. In `hookSpecificOutput`"
        "\"deny\" 表示拒绝；\"allow\" 仅可与 `updatedInput` 同时使用。写在 `hookSpecificOutput` 中";
    OUT_DECISION_REASON = "permissionDecisionReason", Text, Control,
        "why; without it a denial fails, and the tool runs" "原因；缺少时拒绝无效，工具会执行";
    OUT_INPUT = "updatedInput", Object, ReplaceField("tool_input"),
        "replaces the tool's input, with \"allow\"; of Bash and apply_patch only `command`"
        "替换工具输入，与 \"allow\" 同时使用；Bash 与 apply_patch 仅替换 `command`", with_verdicts: CALL_CONTINUES;
    OUT_CONTEXT = "additionalContext", Text, Add(Merge::Join),
        "given to the model, in `hookSpecificOutput`" "注入给模型的上下文，写在 `hookSpecificOutput` 中";
    OUT_BLOCK = "decision", Text, Control,
        "\"block\" blocks; without `reason` it fails" "\"block\" 表示拦截；缺少 `reason` 时无效";
    OUT_BLOCK_STOP = "decision", Text, Control,
        "\"block\" makes the agent continue; `reason` says with what" "\"block\" 让 Agent 继续；`reason` 说明要做什么";
    OUT_BLOCK_LATE = "decision", Text, Control,
        "\"block\" puts `reason` in place of the tool's output; the tool has run"
        "\"block\" 用 `reason` 替换工具输出；工具已经执行";
    OUT_BEHAVIOR = "decision", Any, Control,
        "{\"behavior\": \"allow\"} or {\"behavior\": \"deny\", \"message\"}, in `hookSpecificOutput`"
        "{\"behavior\": \"allow\"} 或 {\"behavior\": \"deny\", \"message\"}，写在 `hookSpecificOutput` 中";
    OUT_CONTINUE = "continue", Flag, Control, "false ends the turn" "false 结束本轮";
    OUT_CONTINUE_LATE = "continue", Flag, Control,
        "false puts `stopReason` in place of the tool's output" "false 表示用 `stopReason` 替换工具输出";
    OUT_STOP_REASON = "stopReason", Text, Control,
        "why, with \"continue\": false" "原因，与 \"continue\": false 同时使用";
    OUT_MESSAGE = "systemMessage", Text, Add(Merge::JoinNotice), "a message for the user" "展示给用户的消息";
}
