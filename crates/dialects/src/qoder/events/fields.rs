//! The fields of payloads and hook outputs (`qoder.md` §3).

use hookwright_model::VerdictKind;
use hookwright_model::event::Merge;
use hookwright_model::event::OutputKind::{Add, Control, ReplaceField};

hookwright_model::payload_fields! {
    pub(super) rows;
    EVENT = "hook_event_name", Text, "the event that fired" "当前触发的事件";
    SESSION_ID = "session_id", Text, "the session id" "会话 ID";
    TRANSCRIPT = "transcript_path", Text, "the file that records the session" "记录文件路径";
    CWD = "cwd", Text, "the agent's working directory" "工作目录";
    TOOL_NAME = "tool_name", Text, "the tool that is called" "工具名称";
    TOOL_INPUT = "tool_input", Object, "the input of the tool" "工具输入";
    TOOL_USE_ID = "tool_use_id", Text, "the id of the call" "工具调用 ID";
    TOOL_RESPONSE = "tool_response", Any, "what the tool returned" "工具输出";
    DURATION = "duration_ms", Number, "how long the tool took, in milliseconds" "工具执行用时（毫秒）";
    ERROR = "error", Text, "why the tool failed" "失败原因";
    IS_INTERRUPT = "is_interrupt", Flag, "whether the user interrupted it" "是否被用户中断";
    PROMPT = "prompt", Text, "what the user typed" "用户输入";
    SOURCE = "source", Text, "how it began: startup, resume, clear or compact" "开始方式：startup、resume、clear 或 compact";
    STOP_ACTIVE = "stop_hook_active", Flag, "whether a hook already made the agent continue" "是否已有 Hook 让 Agent 继续过";
    LAST_MESSAGE = "last_assistant_message", Text, "the agent's last message" "Agent 的最后一条消息";
    AGENT_ID = "agent_id", Text, "the id of the subagent" "子 Agent ID";
    AGENT_TYPE = "agent_type", Text, "the subagent's kind" "子 Agent 类型";
    AGENT_TRANSCRIPT = "agent_transcript_path", Text, "the file that records the subagent" "子 Agent 的记录文件路径";
    SUGGESTIONS = "permission_suggestions", List, "permissions that the agent would offer" "建议的权限更新";
    REASON = "reason", Text, "why it ended" "结束原因";
    TRIGGER = "trigger", Text, "who asked for it: manual or auto" "触发方式：manual 或 auto";
    INSTRUCTIONS = "custom_instructions", Text, "what the user asked to keep; may be null" "用户的压缩要求，可为 null";
    SUMMARY = "compact_summary", Text, "the summary of the conversation" "压缩后的摘要";
    OLD_CWD = "old_cwd", Text, "the previous working directory" "原工作目录";
    NEW_CWD = "new_cwd", Text, "the new working directory" "新工作目录";
    FILE_PATH = "file_path", Text, "the file" "文件路径";
    MEMORY_TYPE = "memory_type", Text, "whose instructions they are" "指令文件的层级";
    LOAD_REASON = "load_reason", Text, "why they were loaded" "加载原因";
    GLOBS = "globs", List, "the files they are for" "适用的文件（glob）";
    TRIGGER_FILE = "trigger_file_path", Text, "the file that made them load" "触发加载的文件";
    PARENT_FILE = "parent_file_path", Text, "the file that includes them" "引用它的文件";
    CHANGE = "event", Text, "what happened to it: change, add or unlink" "变更类型：change、add 或 unlink";
}

/// The verdicts with which the field has an effect: no denial and no end of the session (`qoder.md` §7).
const CALL_CONTINUES: &[VerdictKind] = &[VerdictKind::Proceed, VerdictKind::Approve, VerdictKind::Ask];

hookwright_model::output_fields! {
    pub(super) rows;
    OUT_DECISION = "permissionDecision", Text, Control,
        "allow, ask or deny, in `hookSpecificOutput`" "allow、ask 或 deny，写在 `hookSpecificOutput` 中";
    OUT_DECISION_REASON = "permissionDecisionReason", Text, Control, "why, for the model and the user" "原因，展示给模型和用户";
    OUT_UPDATED_INPUT = "updatedInput", Object, ReplaceField("tool_input"),
        "replaces the tool's whole input, in `hookSpecificOutput`" "替换整个工具输入，写在 `hookSpecificOutput` 中",
        with_verdicts: CALL_CONTINUES;
    OUT_UPDATED_OUTPUT = "updatedToolOutput", Text, ReplaceField("tool_response"),
        "replaces what the model sees of the tool's output, in `hookSpecificOutput`" "覆盖模型看到的工具输出，写在 `hookSpecificOutput` 中";
    OUT_UPDATED_MCP = "updatedMCPToolOutput", Text, ReplaceField("tool_response"),
        "the same for tools named mcp__…, in `hookSpecificOutput`" "同上，仅用于 mcp__… 工具，写在 `hookSpecificOutput` 中";
    OUT_CONTEXT = "additionalContext", Text, Add(Merge::Join),
        "given to the model, in `hookSpecificOutput`" "注入给模型的上下文，写在 `hookSpecificOutput` 中";
    OUT_FIRST_MESSAGE = "initialUserMessage", Text, Add(Merge::Last),
        "the session's first user message, in `hookSpecificOutput`" "会话的第一条用户消息，写在 `hookSpecificOutput` 中";
    OUT_WATCH = "watchPaths", List, Add(Merge::Union),
        "paths to watch, in `hookSpecificOutput`" "要监视的路径，写在 `hookSpecificOutput` 中";
    OUT_BLOCK = "decision", Text, Control,
        "\"block\" blocks; `reason` is for the model" "\"block\" 表示拦截；原因写在 `reason` 中";
    OUT_BLOCK_STOP = "decision", Text, Control,
        "\"block\" makes the agent continue; `reason` says with what" "\"block\" 让 Agent 继续；`reason` 说明要做什么";
    OUT_BLOCK_LATE = "decision", Text, Control,
        "\"block\" gives `reason` to the model; the tool has run" "\"block\" 把 `reason` 交给模型；工具已经执行";
    OUT_PERMISSION = "decision", Any, Control,
        "{\"behavior\": \"allow\"} or {\"behavior\": \"deny\", \"message\"} in `hookSpecificOutput`; or top-level \"block\""
        "`hookSpecificOutput` 中的 {\"behavior\": \"allow\"} 或 {\"behavior\": \"deny\", \"message\"}；也可在顶层写 \"block\"";
    OUT_UPDATED_PERMISSIONS = "updatedPermissions", List, Add(Merge::Last),
        "permissions to keep, with {\"behavior\": \"allow\"}" "要保存的权限更新，与 {\"behavior\": \"allow\"} 同时使用",
        with_verdicts: &[VerdictKind::Approve];
    OUT_INTERRUPT = "interrupt", Flag, Add(Merge::AnyTrue),
        "true interrupts the agent, with {\"behavior\": \"deny\"}" "true 会中断 Agent，与 {\"behavior\": \"deny\"} 同时使用",
        with_verdicts: &[VerdictKind::Deny];
    OUT_CONTINUE = "continue", Flag, Control,
        "false ends the session; `continue_` in Python" "false 终止会话；Python 中写 `continue_`";
    OUT_STOP_REASON = "stopReason", Text, Add(Merge::Join),
        "why the session ends, with \"continue\": false" "终止原因，与 \"continue\": false 同时使用",
        with_verdicts: &[VerdictKind::EndSession];
    OUT_SYSTEM_MESSAGE = "systemMessage", Text, Add(Merge::JoinNotice), "a message for the user" "展示给用户的消息";
    OUT_SUPPRESS = "suppressOutput", Flag, Add(Merge::AnyTrue),
        "true keeps the output of the hook out of the transcript" "true 表示不在会话记录中显示 Hook 的输出";
}
