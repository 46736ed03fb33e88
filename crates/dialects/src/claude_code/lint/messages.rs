//! The lint messages about Claude Code's hooks (`claude-code.md` §11), in both languages.

hookwright_model::messages! {
    /// A block after the tool has run.
    LATE = "too_late" / "claude" { "the tool has run: at {event} a block only gives the model the reason", "工具已经执行：在 {event} 拦截只会把原因告诉模型" } hint { "block at PreToolUse", "在 PreToolUse 拦截" };
    /// A block at an event that cannot be blocked.
    BLOCK = "block_not_honoured" / "claude" { "{event} cannot be blocked: `decision` has no effect", "{event} 无法拦截：`decision` 不起作用" } hint { "block at an event that can be blocked, such as PreToolUse", "在可拦截的事件（如 PreToolUse）拦截" };
    /// Exit code 2 at an event that it does not block.
    BLOCK_EXIT = "block_not_honoured" / "claude_exit" { "exit code 2 does not block {event}", "退出码 2 无法拦截 {event}" } hint { "block at an event that can be blocked, such as PreToolUse", "在可拦截的事件（如 PreToolUse）拦截" };
    /// A matcher that is written like a permission rule.
    RULE = "never_matches" / "claude_rule" { "this is written like a permission rule; a matcher is compared with the tool's name only", "这是权限规则的写法；`matcher` 只与工具名比较" } hint { "write `{tool}` as matcher, and the rule in the field `if`", "`matcher` 写 `{tool}`，规则写在字段 `if` 中" };
    /// The name of an MCP server without a tool.
    SERVER = "never_matches" / "claude_server" { "no tool has the name `{matcher}`: it is the name of a server", "没有名为 `{matcher}` 的工具：这是服务器的名字" } hint { "write `{matcher}__.*`", "写成 `{matcher}__.*`" };
    /// A matcher without a name.
    NO_NAME = "never_matches" / "claude_empty" { "this matcher contains no name, so nothing matches", "此 `matcher` 不含任何名称，因此不会匹配" } hint { "write `*` for all, or remove `matcher`", "写 `*` 匹配全部，或删除 `matcher`" };
    /// A rule that can hold for no call.
    IF = "never_matches" / "if" { "the rule `{rule}` matches no call, so the hook never runs", "规则 `{rule}` 对任何调用都不成立，此 Hook 永不执行" } hint { "write a rule such as `Bash(git *)` or `Edit(src/**)`", "写 `Bash(git *)` 或 `Edit(src/**)` 这样的规则" };
    /// A rule at an event without a tool.
    IF_EVENT = "never_matches" / "if_event" { "{event} is about no tool, so a hook with `if` never runs there", "{event} 与工具无关，带 `if` 的 Hook 在此永不执行" } hint { "remove `if`", "删除 `if`" };
    /// A name with `.*` that also finds longer names.
    UNANCHORED = "unanchored" / "claude" { "`{matcher}` is found anywhere in a name, so longer names match too", "`{matcher}` 可匹配名称的任意位置，更长的名称也会匹配" } hint { "write `^{matcher}`, or names only: `Edit|Write`", "写成 `^{matcher}`，或只写名称：`Edit|Write`" };
    /// A `timeout` that is probably in milliseconds.
    UNIT = "unit_suspect" / "claude" { "`timeout` is {written} seconds", "`timeout` 为 {written} 秒" } hint { "write seconds; the unit is not milliseconds", "单位是秒，不是毫秒" };
    /// A payload in a prompt that decides.
    PAYLOAD = "payload_in_prompt" / "claude" { "text from outside reaches the model that decides at {event}", "外部文本会进入在 {event} 作决定的模型" } hint { "do not rely on this prompt alone", "不要只依赖此提示词" };
    /// A field that the agent reads inside `hookSpecificOutput` only.
    BARE_ANSWER = "bare_result" / "claude" { "Claude Code ignores `{field}` at the top level of an output", "Claude Code 会忽略返回结果顶层的 `{field}`" } hint { "write `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"{field}\": …}}`", "写成 `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"{field}\": …}}`" };
    /// An output without the name of its event.
    NO_EVENT_NAME = "bare_result" / "claude_no_name" { "`hookSpecificOutput` has no `hookEventName`: Claude Code discards the whole output", "`hookSpecificOutput` 缺少 `hookEventName`：Claude Code 会丢弃全部返回结果" } hint { "add `\"hookEventName\": \"{event}\"`", "添加 `\"hookEventName\": \"{event}\"`" };
    /// An output with the name of another event.
    OTHER_EVENT_NAME = "returns_ignored" / "claude_other_name" { "`hookEventName` is `{other}`: at {event} Claude Code discards the whole output", "`hookEventName` 是 `{other}`：在 {event} 时 Claude Code 会丢弃全部返回结果" } hint { "write `\"hookEventName\": \"{event}\"`", "写成 `\"hookEventName\": \"{event}\"`" };
    /// An output field that the agent does not know.
    UNKNOWN_ANSWER = "returns_ignored" / "claude_field" { "Claude Code ignores the field `{field}` of this output", "Claude Code 会忽略此返回结果的字段 `{field}`" } hint { "use `reason` with `decision`, or `systemMessage`", "使用 `reason` 加 `decision`，或 `systemMessage`" };
}
