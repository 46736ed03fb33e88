//! The fields of payloads and hook outputs (`qoder.md` §3).

use hookwright_model::VerdictKind;
use hookwright_model::event::{Bilingual, FieldKind, FieldSpec, Merge, OutputKind, OutputSpec};

use super::text;

const fn field(name: &'static str, kind: FieldKind, about: Bilingual) -> FieldSpec {
    FieldSpec { name, kind, about }
}

pub(super) const EVENT: FieldSpec = field(
    "hook_event_name",
    FieldKind::Text,
    text("the event that fired", "当前触发的事件"),
);
pub(super) const SESSION_ID: FieldSpec = field("session_id", FieldKind::Text, text("the session id", "会话 ID"));
pub(super) const TRANSCRIPT: FieldSpec = field(
    "transcript_path",
    FieldKind::Text,
    text("the file that records the session", "记录文件路径"),
);
pub(super) const CWD: FieldSpec = field(
    "cwd",
    FieldKind::Text,
    text("the agent's working directory", "工作目录"),
);
pub(super) const TOOL_NAME: FieldSpec = field(
    "tool_name",
    FieldKind::Text,
    text("the tool that is called", "工具名称"),
);
pub(super) const TOOL_INPUT: FieldSpec = field(
    "tool_input",
    FieldKind::Object,
    text("the input of the tool", "工具输入"),
);
pub(super) const TOOL_USE_ID: FieldSpec = field(
    "tool_use_id",
    FieldKind::Text,
    text("the id of the call", "工具调用 ID"),
);
pub(super) const TOOL_RESPONSE: FieldSpec = field(
    "tool_response",
    FieldKind::Any,
    text("what the tool returned", "工具输出"),
);
pub(super) const DURATION: FieldSpec = field(
    "duration_ms",
    FieldKind::Number,
    text("how long the tool took, in milliseconds", "工具执行用时（毫秒）"),
);
pub(super) const ERROR: FieldSpec = field("error", FieldKind::Text, text("why the tool failed", "失败原因"));
pub(super) const IS_INTERRUPT: FieldSpec = field(
    "is_interrupt",
    FieldKind::Flag,
    text("whether the user interrupted it", "是否被用户中断"),
);
pub(super) const PROMPT: FieldSpec = field("prompt", FieldKind::Text, text("what the user typed", "用户输入"));
pub(super) const SOURCE: FieldSpec = field(
    "source",
    FieldKind::Text,
    text(
        "how it began: startup, resume, clear or compact",
        "开始方式：startup、resume、clear 或 compact",
    ),
);
pub(super) const STOP_ACTIVE: FieldSpec = field(
    "stop_hook_active",
    FieldKind::Flag,
    text(
        "whether a hook already made the agent continue",
        "是否已有 Hook 让 Agent 继续过",
    ),
);
pub(super) const LAST_MESSAGE: FieldSpec = field(
    "last_assistant_message",
    FieldKind::Text,
    text("the agent's last message", "Agent 的最后一条消息"),
);
pub(super) const AGENT_ID: FieldSpec = field(
    "agent_id",
    FieldKind::Text,
    text("the id of the subagent", "子 Agent ID"),
);
pub(super) const AGENT_TYPE: FieldSpec = field(
    "agent_type",
    FieldKind::Text,
    text("the subagent's kind", "子 Agent 类型"),
);
pub(super) const AGENT_TRANSCRIPT: FieldSpec = field(
    "agent_transcript_path",
    FieldKind::Text,
    text("the file that records the subagent", "子 Agent 的记录文件路径"),
);
pub(super) const SUGGESTIONS: FieldSpec = field(
    "permission_suggestions",
    FieldKind::List,
    text("permissions that the agent would offer", "建议的权限更新"),
);
pub(super) const REASON: FieldSpec = field("reason", FieldKind::Text, text("why it ended", "结束原因"));
pub(super) const TRIGGER: FieldSpec = field(
    "trigger",
    FieldKind::Text,
    text("who asked for it: manual or auto", "触发方式：manual 或 auto"),
);
pub(super) const INSTRUCTIONS: FieldSpec = field(
    "custom_instructions",
    FieldKind::Text,
    text("what the user asked to keep; may be null", "用户的压缩要求，可为 null"),
);
pub(super) const SUMMARY: FieldSpec = field(
    "compact_summary",
    FieldKind::Text,
    text("the summary of the conversation", "压缩后的摘要"),
);
pub(super) const OLD_CWD: FieldSpec = field(
    "old_cwd",
    FieldKind::Text,
    text("the previous working directory", "原工作目录"),
);
pub(super) const NEW_CWD: FieldSpec = field(
    "new_cwd",
    FieldKind::Text,
    text("the new working directory", "新工作目录"),
);
pub(super) const FILE_PATH: FieldSpec = field("file_path", FieldKind::Text, text("the file", "文件路径"));
pub(super) const MEMORY_TYPE: FieldSpec = field(
    "memory_type",
    FieldKind::Text,
    text("whose instructions they are", "指令文件的层级"),
);
pub(super) const LOAD_REASON: FieldSpec =
    field("load_reason", FieldKind::Text, text("why they were loaded", "加载原因"));
pub(super) const GLOBS: FieldSpec = field(
    "globs",
    FieldKind::List,
    text("the files they are for", "适用的文件（glob）"),
);
pub(super) const TRIGGER_FILE: FieldSpec = field(
    "trigger_file_path",
    FieldKind::Text,
    text("the file that made them load", "触发加载的文件"),
);
pub(super) const PARENT_FILE: FieldSpec = field(
    "parent_file_path",
    FieldKind::Text,
    text("the file that includes them", "引用它的文件"),
);
pub(super) const CHANGE: FieldSpec = field(
    "event",
    FieldKind::Text,
    text(
        "what happened to it: change, add or unlink",
        "变更类型：change、add 或 unlink",
    ),
);

const fn output(name: &'static str, kind: FieldKind, effect: OutputKind, about: Bilingual) -> OutputSpec {
    OutputSpec {
        name,
        kind,
        effect,
        with_verdicts: &[],
        about,
    }
}

/// The verdicts with which the field has an effect: no denial and no end of the session (`qoder.md` §7).
const CALL_CONTINUES: &[VerdictKind] = &[VerdictKind::Proceed, VerdictKind::Approve, VerdictKind::Ask];

pub(super) static OUT_DECISION: OutputSpec = output(
    "permissionDecision",
    FieldKind::Text,
    OutputKind::Control,
    text(
        "allow, ask or deny, in `hookSpecificOutput`",
        "allow、ask 或 deny，写在 `hookSpecificOutput` 中",
    ),
);
pub(super) static OUT_DECISION_REASON: OutputSpec = output(
    "permissionDecisionReason",
    FieldKind::Text,
    OutputKind::Control,
    text("why, for the model and the user", "原因，展示给模型和用户"),
);
pub(super) static OUT_UPDATED_INPUT: OutputSpec = OutputSpec {
    with_verdicts: CALL_CONTINUES,
    ..output(
        "updatedInput",
        FieldKind::Object,
        OutputKind::ReplaceField("tool_input"),
        text(
            "replaces the tool's whole input, in `hookSpecificOutput`",
            "替换整个工具输入，写在 `hookSpecificOutput` 中",
        ),
    )
};
pub(super) static OUT_UPDATED_OUTPUT: OutputSpec = output(
    "updatedToolOutput",
    FieldKind::Text,
    OutputKind::ReplaceField("tool_response"),
    text(
        "replaces what the model sees of the tool's output, in `hookSpecificOutput`",
        "覆盖模型看到的工具输出，写在 `hookSpecificOutput` 中",
    ),
);
pub(super) static OUT_UPDATED_MCP: OutputSpec = output(
    "updatedMCPToolOutput",
    FieldKind::Text,
    OutputKind::ReplaceField("tool_response"),
    text(
        "the same for tools named mcp__…, in `hookSpecificOutput`",
        "同上，仅用于 mcp__… 工具，写在 `hookSpecificOutput` 中",
    ),
);
pub(super) static OUT_CONTEXT: OutputSpec = output(
    "additionalContext",
    FieldKind::Text,
    OutputKind::Add(Merge::Join),
    text(
        "given to the model, in `hookSpecificOutput`",
        "注入给模型的上下文，写在 `hookSpecificOutput` 中",
    ),
);
pub(super) static OUT_FIRST_MESSAGE: OutputSpec = output(
    "initialUserMessage",
    FieldKind::Text,
    OutputKind::Add(Merge::Last),
    text(
        "the session's first user message, in `hookSpecificOutput`",
        "会话的第一条用户消息，写在 `hookSpecificOutput` 中",
    ),
);
pub(super) static OUT_WATCH: OutputSpec = output(
    "watchPaths",
    FieldKind::List,
    OutputKind::Add(Merge::Union),
    text(
        "paths to watch, in `hookSpecificOutput`",
        "要监视的路径，写在 `hookSpecificOutput` 中",
    ),
);
pub(super) static OUT_BLOCK: OutputSpec = output(
    "decision",
    FieldKind::Text,
    OutputKind::Control,
    text(
        "\"block\" blocks; `reason` is for the model",
        "\"block\" 表示拦截；原因写在 `reason` 中",
    ),
);
pub(super) static OUT_BLOCK_STOP: OutputSpec = OutputSpec {
    about: text(
        "\"block\" makes the agent continue; `reason` says with what",
        "\"block\" 让 Agent 继续；`reason` 说明要做什么",
    ),
    ..OUT_BLOCK
};
pub(super) static OUT_BLOCK_LATE: OutputSpec = OutputSpec {
    about: text(
        "\"block\" gives `reason` to the model; the tool has run",
        "\"block\" 把 `reason` 交给模型；工具已经执行",
    ),
    ..OUT_BLOCK
};
pub(super) static OUT_PERMISSION: OutputSpec = OutputSpec {
    about: text(
        "{\"behavior\": \"allow\"} or {\"behavior\": \"deny\", \"message\"} in `hookSpecificOutput`; or top-level \"block\"",
        "`hookSpecificOutput` 中的 {\"behavior\": \"allow\"} 或 {\"behavior\": \"deny\", \"message\"}；也可在顶层写 \"block\"",
    ),
    kind: FieldKind::Any,
    ..OUT_BLOCK
};
pub(super) static OUT_UPDATED_PERMISSIONS: OutputSpec = OutputSpec {
    with_verdicts: &[VerdictKind::Approve],
    ..output(
        "updatedPermissions",
        FieldKind::List,
        OutputKind::Add(Merge::Last),
        text(
            "permissions to keep, with {\"behavior\": \"allow\"}",
            "要保存的权限更新，与 {\"behavior\": \"allow\"} 同时使用",
        ),
    )
};
pub(super) static OUT_INTERRUPT: OutputSpec = OutputSpec {
    with_verdicts: &[VerdictKind::Deny],
    ..output(
        "interrupt",
        FieldKind::Flag,
        OutputKind::Add(Merge::AnyTrue),
        text(
            "true interrupts the agent, with {\"behavior\": \"deny\"}",
            "true 会中断 Agent，与 {\"behavior\": \"deny\"} 同时使用",
        ),
    )
};
pub(super) static OUT_CONTINUE: OutputSpec = output(
    "continue",
    FieldKind::Flag,
    OutputKind::Control,
    text(
        "false ends the session; `continue_` in Python",
        "false 终止会话；Python 中写 `continue_`",
    ),
);
pub(super) static OUT_STOP_REASON: OutputSpec = OutputSpec {
    with_verdicts: &[VerdictKind::EndSession],
    ..output(
        "stopReason",
        FieldKind::Text,
        OutputKind::Add(Merge::Join),
        text(
            "why the session ends, with \"continue\": false",
            "终止原因，与 \"continue\": false 同时使用",
        ),
    )
};
pub(super) static OUT_SYSTEM_MESSAGE: OutputSpec = output(
    "systemMessage",
    FieldKind::Text,
    OutputKind::Add(Merge::JoinNotice),
    text("a message for the user", "展示给用户的消息"),
);
pub(super) static OUT_SUPPRESS: OutputSpec = output(
    "suppressOutput",
    FieldKind::Flag,
    OutputKind::Add(Merge::AnyTrue),
    text(
        "true keeps the output of the hook out of the transcript",
        "true 表示不在会话记录中显示 Hook 的输出",
    ),
);
