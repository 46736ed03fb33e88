//! The fields of payloads and hook outputs (`claude-code.md` §3).

use hookwright_model::VerdictKind;
use hookwright_model::event::Merge;
use hookwright_model::event::OutputKind::{Add, Control, Replace, ReplaceField};

hookwright_model::payload_fields! {
    pub(super) rows;
    EVENT = "hook_event_name", Text, "the event that fired" "当前触发的事件";
    SESSION_ID = "session_id", Text, "the session id" "会话 ID";
    TRANSCRIPT = "transcript_path", Text, "the file that records the session" "记录文件路径";
    CWD = "cwd", Text, "the agent's working directory" "工作目录";
    SCRATCHPAD = "scratchpad_dir", Text, "a folder for notes of the session" "会话的草稿目录";
    PROMPT_ID = "prompt_id", Text, "the id of the prompt" "用户输入 ID";
    MODE = "permission_mode", Text, "how permissions are asked for" "权限的询问方式";
    AGENT_ID = "agent_id", Text, "the id of the subagent" "子 Agent ID";
    AGENT_TYPE = "agent_type", Text, "the subagent's kind" "子 Agent 类型";
    EFFORT = "effort", Object, "how much the model thinks, in `level`" "模型思考强度，写在 `level` 中";
    TOOL_NAME = "tool_name", Text, "the tool that is called" "工具名称";
    TOOL_INPUT = "tool_input", Object, "the input of the tool" "工具输入";
    TOOL_USE_ID = "tool_use_id", Text, "the id of the call" "工具调用 ID";
    TOOL_RESPONSE = "tool_response", Any, "what the tool returned" "工具输出";
    TOOL_CALLS = "tool_calls", List, "the calls of the step, with their responses" "本步的工具调用及其输出";
    MCP_SERVER = "mcp_server", Object, "the MCP server of the tool" "工具所属的 MCP 服务器";
    DURATION = "duration_ms", Number, "how long the tool took, in milliseconds" "工具执行用时（毫秒）";
    ERROR = "error", Text, "what went wrong" "失败原因";
    ERROR_DETAILS = "error_details", Text, "more about the error" "失败详情";
    IS_INTERRUPT = "is_interrupt", Flag, "whether the user interrupted it" "是否被用户中断";
    SUGGESTIONS = "permission_suggestions", List, "permissions that the agent would offer" "建议的权限更新";
    REASON = "reason", Text, "why" "原因";
    SOURCE = "source", Text, "what caused it" "触发来源";
    MODEL = "model", Text, "the model" "模型";
    TITLE = "session_title", Text, "the title of the session" "会话标题";
    SECONDS_SINCE = "seconds_since_last_response", Number, "seconds since the last response" "距上次回复的秒数";
    CONTEXT_TOKENS = "context_tokens", Number, "the size of the context, in tokens" "上下文大小（token）";
    CACHE_EXPIRED = "prompt_cache_likely_expired", Flag, "whether the prompt cache has probably expired" "提示缓存是否可能已过期";
    CACHE_COST = "estimated_cache_write_usd", Number, "what writing the cache may cost, in US dollars" "写入缓存的估计费用（美元）";
    TRIGGER = "trigger", Text, "who asked for it" "触发方式";
    FILE_PATH = "file_path", Text, "the file" "文件路径";
    MEMORY_TYPE = "memory_type", Text, "whose instructions they are" "指令文件的层级";
    LOAD_REASON = "load_reason", Text, "why they were loaded" "加载原因";
    GLOBS = "globs", List, "the files they are for" "适用的文件（glob）";
    TRIGGER_FILE = "trigger_file_path", Text, "the file that made them load" "触发加载的文件";
    PARENT_FILE = "parent_file_path", Text, "the file that includes them" "引用它的文件";
    PROMPT = "prompt", Text, "what the user typed" "用户输入";
    EXPANSION = "expansion_type", Text, "slash_command or mcp_prompt" "slash_command 或 mcp_prompt";
    COMMAND_NAME = "command_name", Text, "the command" "命令名称";
    COMMAND_ARGS = "command_args", Text, "what follows the command" "命令参数";
    COMMAND_SOURCE = "command_source", Text, "where the command is defined" "命令来源";
    INVOKED_BY = "invoked_by", Text, "user, claude or other" "user、claude 或 other";
    MESSAGE = "message", Text, "the text" "文本";
    HEADING = "title", Text, "the title" "标题";
    NOTIFICATION = "notification_type", Text, "the kind of notification" "通知类型";
    TURN_ID = "turn_id", Text, "the id of the turn" "轮次 ID";
    MESSAGE_ID = "message_id", Text, "the id of the message" "消息 ID";
    INDEX = "index", Number, "the number of the part" "片段序号";
    FINAL = "final", Flag, "whether it is the last part" "是否为最后一段";
    DELTA = "delta", Text, "the new text" "新增文本";
    STOP_ACTIVE = "stop_hook_active", Flag, "whether a hook already made the agent continue" "是否已有 Hook 让 Agent 继续过";
    LAST_MESSAGE = "last_assistant_message", Text, "the agent's last message" "Agent 的最后一条消息";
    BACKGROUND = "background_tasks", List, "tasks that still run" "尚未结束的后台任务";
    CRONS = "session_crons", List, "tasks that are planned" "已计划的任务";
    AGENT_TRANSCRIPT = "agent_transcript_path", Text, "the file that records the subagent" "子 Agent 的记录文件路径";
    TASK_ID = "task_id", Text, "the id of the task" "任务 ID";
    TASK_SUBJECT = "task_subject", Text, "what the task is" "任务标题";
    TASK_ABOUT = "task_description", Text, "what is to be done" "任务说明";
    TEAMMATE = "teammate_name", Text, "the teammate" "队友名称";
    TEAM = "team_name", Text, "the team" "团队名称";
    OLD_CWD = "old_cwd", Text, "the previous working directory" "原工作目录";
    NEW_CWD = "new_cwd", Text, "the new working directory" "新工作目录";
    DIRECTORY = "directory", Text, "the folder" "目录";
    CHANGE = "event", Text, "what happened to it: change, add or unlink" "变更类型：change、add 或 unlink";
    NAME = "name", Text, "the name of the worktree" "工作树名称";
    WORKTREE = "worktree_path", Text, "the folder of the worktree" "工作树目录";
    INSTRUCTIONS = "custom_instructions", Text, "what the user asked to keep; may be null" "用户的压缩要求，可为 null";
    SUMMARY = "compact_summary", Text, "the summary of the conversation" "压缩后的摘要";
    FROM_MODEL = "from_model", Text, "the model until now" "原模型";
    TO_MODEL = "to_model", Text, "the next model" "新模型";
    REQUESTED = "requested_model", Text, "what was asked for; may be null" "请求的模型，可为 null";
    CACHE_WARM = "prompt_cache_warm", Flag, "whether the prompt cache is warm" "提示缓存是否有效";
    CACHE_TTL = "cache_ttl", Text, "how long the cache is kept" "缓存有效期";
    PRICING = "pricing", Any, "the prices of both models" "两个模型的价格";
    SERVER_NAME = "mcp_server_name", Text, "the MCP server that asks" "提问的 MCP 服务器";
    ASK_MODE = "mode", Text, "form or url" "form 或 url";
    URL = "url", Text, "the page to open" "要打开的网址";
    ASK_ID = "elicitation_id", Text, "the id of the question" "提问 ID";
    SCHEMA = "requested_schema", Object, "what the response must look like" "响应应有的结构";
    ACTION = "action", Text, "accept, decline or cancel" "accept、decline 或 cancel";
    CONTENT = "content", Object, "the response" "响应";
}

/// The verdicts with which a new input counts (`claude-code.md` §7).
const CALL_CONTINUES: &[VerdictKind] = &[VerdictKind::Proceed, VerdictKind::Approve, VerdictKind::Ask];

hookwright_model::output_fields! {
    pub(super) rows;
    OUT_DECISION = "permissionDecision", Text, Control,
        "allow, ask or deny, in `hookSpecificOutput`" "allow、ask 或 deny，写在 `hookSpecificOutput` 中";
    OUT_DECISION_REASON = "permissionDecisionReason", Text, Control,
        "why, for the model and the user" "原因，展示给模型和用户";
    OUT_INPUT = "updatedInput", Object, ReplaceField("tool_input"),
        "replaces the tool's whole input, in `hookSpecificOutput`" "替换整个工具输入，写在 `hookSpecificOutput` 中", with_verdicts: CALL_CONTINUES;
    OUT_TOOL_OUTPUT = "updatedToolOutput", Any, ReplaceField("tool_response"),
        "replaces what the model sees of the tool's output, in `hookSpecificOutput`" "覆盖模型看到的工具输出，写在 `hookSpecificOutput` 中";
    OUT_MCP_OUTPUT = "updatedMCPToolOutput", Any, ReplaceField("tool_response"),
        "the same for tools named mcp__…, in `hookSpecificOutput`" "同上，仅用于 mcp__… 工具，写在 `hookSpecificOutput` 中";
    OUT_CLASSIFIER = "classifierContext", Text, Add(Merge::Join),
        "given to the check of permissions, in `hookSpecificOutput`" "交给权限判断的上下文，写在 `hookSpecificOutput` 中";
    OUT_CONTEXT = "additionalContext", Text, Add(Merge::Join),
        "given to the model, in `hookSpecificOutput`" "注入给模型的上下文，写在 `hookSpecificOutput` 中";
    OUT_KEEP = "additionalContext", Text, Add(Merge::JoinParagraphs),
        "appended to the instructions; the text on stdout" "追加到压缩要求；取 stdout 上的文本";
    OUT_FIRST_MESSAGE = "initialUserMessage", Text, Add(Merge::Last),
        "a first turn of the user, in `hookSpecificOutput`" "会话的第一条用户消息，写在 `hookSpecificOutput` 中";
    OUT_TITLE = "sessionTitle", Text, Add(Merge::Last),
        "the title of the session, in `hookSpecificOutput`" "会话标题，写在 `hookSpecificOutput` 中";
    OUT_WATCH = "watchPaths", List, Add(Merge::Union),
        "paths to watch, in `hookSpecificOutput`" "要监视的路径，写在 `hookSpecificOutput` 中";
    OUT_RELOAD = "reloadSkills", Flag, Add(Merge::AnyTrue),
        "true reads the skills again, in `hookSpecificOutput`" "true 表示重新读取 Skill，写在 `hookSpecificOutput` 中";
    OUT_HIDE_PROMPT = "suppressOriginalPrompt", Flag, Add(Merge::AnyTrue),
        "true hides a blocked prompt, in `hookSpecificOutput`"
        "true 表示隐藏被拦截的输入，写在 `hookSpecificOutput` 中", with_verdicts: &[VerdictKind::Deny];
    OUT_BLOCK = "decision", Text, Control,
        "\"block\" blocks; `reason` is for the model" "\"block\" 表示拦截；原因写在 `reason` 中";
    OUT_BLOCK_STOP = "decision", Text, Control,
        "\"block\" makes the agent continue; `reason` says with what" "\"block\" 让 Agent 继续；`reason` 说明要做什么";
    OUT_BLOCK_LATE = "decision", Text, Control,
        "\"block\" gives `reason` to the model; the tool has run" "\"block\" 把 `reason` 交给模型；工具已经执行";
    OUT_BEHAVIOR = "decision", Any, Control,
        "{\"behavior\": \"allow\"} or {\"behavior\": \"deny\", \"message\"}, in `hookSpecificOutput`"
        "{\"behavior\": \"allow\"} 或 {\"behavior\": \"deny\", \"message\"}，写在 `hookSpecificOutput` 中";
    OUT_PERMISSIONS = "updatedPermissions", List, Add(Merge::Gather),
        "permissions to keep, with {\"behavior\": \"allow\"}"
        "要保存的权限更新，与 {\"behavior\": \"allow\"} 同时使用", with_verdicts: &[VerdictKind::Approve];
    OUT_INTERRUPT = "interrupt", Flag, Add(Merge::AnyTrue),
        "true interrupts the agent, with {\"behavior\": \"deny\"}"
        "true 会中断 Agent，与 {\"behavior\": \"deny\"} 同时使用", with_verdicts: &[VerdictKind::Deny];
    OUT_RETRY = "retry", Flag, Add(Merge::AnyTrue),
        "true lets the model try again, in `hookSpecificOutput`" "true 表示允许模型重试，写在 `hookSpecificOutput` 中";
    OUT_DISPLAY = "displayContent", Text, ReplaceField("delta"),
        "replaces the text on the screen, in `hookSpecificOutput`" "替换屏幕上显示的文本，写在 `hookSpecificOutput` 中";
    OUT_PATH = "worktreePath", Text, Add(Merge::Last),
        "the folder that was made: the last line on stdout" "创建的目录：取 stdout 的最后一行", with_verdicts: &[VerdictKind::Proceed];
    OUT_ACTION = "action", Text, Add(Merge::Last),
        "accept, decline or cancel, in `hookSpecificOutput`" "accept、decline 或 cancel，写在 `hookSpecificOutput` 中";
    OUT_CONTENT = "content", Object, Add(Merge::Last),
        "the response, with \"accept\", in `hookSpecificOutput`"
        "响应，与 \"accept\" 同时使用，写在 `hookSpecificOutput` 中", with_verdicts: &[VerdictKind::Respond];
    OUT_NEW_ACTION = "action", Text, Replace,
        "replaces the action, in `hookSpecificOutput`" "替换操作，写在 `hookSpecificOutput` 中", with_verdicts: &[VerdictKind::Proceed];
    OUT_NEW_CONTENT = "content", Object, Replace,
        "replaces the response, in `hookSpecificOutput`" "替换响应，写在 `hookSpecificOutput` 中", with_verdicts: &[VerdictKind::Proceed];
    OUT_CONTINUE = "continue", Flag, Control, "false ends the turn" "false 结束本轮";
    OUT_STOP_REASON = "stopReason", Text, Add(Merge::Join),
        "why the turn ends, with \"continue\": false" "结束原因，与 \"continue\": false 同时使用", with_verdicts: &[VerdictKind::EndTurn];
    OUT_MESSAGE = "systemMessage", Text, Add(Merge::JoinNotice), "a message for the user" "展示给用户的消息";
    OUT_TERMINAL = "terminalSequence", Text, Add(Merge::Last),
        "a sequence for the terminal, such as a title or a bell" "终端控制序列，如标题或提示音";
}
