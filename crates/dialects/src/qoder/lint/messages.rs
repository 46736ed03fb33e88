//! The lint messages about Qoder's hooks (`qoder.md` §11), in both languages.

hookwright_model::messages! {
    /// A guard with a very short timeout.
    OPEN_SHORT = "fails_open" / "qoder_short" { "a time limit under 1 s is short for a guard: when it ends, the agent continues", "防护 Hook 的时限不足 1 秒：超时后 Agent 继续执行" } hint { "write 1 or more", "写 1 或更大的数" };
    /// A file with hooks that Qoder does not read.
    NOT_READ = "file_not_read" / "qoder" { "Qoder reads hooks from .qoder/settings.json only; nothing in this file runs", "Qoder 只从 .qoder/settings.json 读取 Hook；此文件中的内容不会执行" } hint { "write them in the form of Qoder under `hooks` in .qoder/settings.json", "按 Qoder 的格式写到 .qoder/settings.json 的 `hooks` 段" };
    /// The settings of Claude Code, which Qoder does not read.
    NOT_READ_CLAUDE = "file_not_read" / "qoder_claude" { "Qoder ignores the settings of Claude Code; nothing in this file runs in Qoder", "Qoder 会忽略 Claude Code 的设置；此文件中的内容不会在 Qoder 中执行" } hint { "write the hooks that Qoder needs in .qoder/settings.json", "把 Qoder 需要的 Hook 写到 .qoder/settings.json" };
    /// A block after the tool has run.
    LATE = "too_late" / "qoder" { "the tool has run: at PostToolUse a block only gives the model the reason", "工具已经执行：在 PostToolUse 拦截只会把原因告诉模型" } hint { "block at PreToolUse", "在 PreToolUse 拦截" };
    /// A `decision` at an event that it does not block.
    BLOCK = "block_not_honoured" / "qoder" { "`decision` does not block {event}", "`decision` 无法拦截 {event}" } hint { "block at PreToolUse, UserPromptSubmit or Stop; SubagentStop can only end the session", "在 PreToolUse、UserPromptSubmit 或 Stop 拦截；SubagentStop 只能终止会话" };
    /// Exit code 2 at an event that it does not block.
    BLOCK_EXIT = "block_not_honoured" / "qoder_exit" { "exit code 2 does not block {event}; it is treated as a failure", "退出码 2 无法拦截 {event}；会视为失败" } hint { "block at PreToolUse, PostToolUse, UserPromptSubmit, Stop or PermissionRequest", "在 PreToolUse、PostToolUse、UserPromptSubmit、Stop 或 PermissionRequest 拦截" };
    /// Spaces in a matcher that no tool's name has.
    BLANKS = "never_matches" / "qoder_blanks" { "the spaces around `|` are part of the names, and no tool has such a name", "`|` 两侧的空格会算作名称的一部分，没有工具叫这个名字" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A matcher that is written like a permission rule.
    RULE = "never_matches" / "qoder_rule" { "this is written like a permission rule; a matcher is compared with the tool's name only", "这是权限规则的写法；`matcher` 只与工具名比较" } hint { "write `{tool}`, and check `tool_input` in the hook", "写 `{tool}`，并在 Hook 中检查 `tool_input`" };
    /// A `timeout` that is probably in milliseconds.
    UNIT = "unit_suspect" / "qoder" { "`timeout` is {written} seconds", "`timeout` 为 {written} 秒" } hint { "write `{seconds}` if milliseconds were intended; the unit is seconds", "若原意是毫秒，写 `{seconds}`；单位是秒" };
    /// A value that is lost because a later hook sets the same field.
    LAST = "last_wins" / "qoder" { "{other} also sets `{field}`, and only the last one is used", "{other} 也设置 `{field}`，只有最后一个生效" } hint { "write both steps in one hook: each hook sees the original", "把两步写进同一个 Hook：每个 Hook 看到的都是原始内容" };
    /// An output without the name of its event.
    NO_NAME = "returns_ignored" / "qoder_no_name" { "`hookSpecificOutput` has no `hookEventName`: Qoder discards the whole output", "`hookSpecificOutput` 缺少 `hookEventName`：Qoder 会丢弃全部返回结果" } hint { "add `\"hookEventName\": \"{event}\"`", "添加 `\"hookEventName\": \"{event}\"`" };
    /// An output with the name of another event.
    OTHER_NAME = "returns_ignored" / "qoder_other_name" { "`hookEventName` is always `{other}`: at {event} Qoder discards the whole output", "`hookEventName` 总是 `{other}`：在 {event} 时 Qoder 会丢弃全部返回结果" } hint { "write the `hook_event_name` of the event from stdin", "写入 stdin 事件中的 `hook_event_name`" };
    /// Context at an event that ignores it.
    NO_CONTEXT = "returns_ignored" / "qoder_context" { "`{field}` is ignored at {event}", "`{field}` 在 {event} 会被忽略" } hint { "add the text at UserPromptSubmit, SessionStart or a tool event", "在 UserPromptSubmit、SessionStart 或工具事件添加该文本" };
    /// A field that Qoder reads inside `hookSpecificOutput` only.
    BARE_ANSWER = "returns_ignored" / "qoder_bare" { "Qoder ignores `{field}` at the top level of an output", "Qoder 会忽略返回结果顶层的 `{field}`" } hint { "write `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"{field}\": …}}`", "写成 `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"{field}\": …}}`" };
    /// An output field that Qoder does not know.
    UNKNOWN_ANSWER = "returns_ignored" / "qoder_field" { "Qoder ignores the field `{field}` of this output", "Qoder 会忽略此返回结果的字段 `{field}`" } hint { "use `reason` with `decision`, or `systemMessage`", "使用 `reason` 加 `decision`，或 `systemMessage`" };
}
