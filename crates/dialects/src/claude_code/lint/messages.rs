//! The lint messages about Claude Code's hooks (`claude-code.md` §11), in both languages.

hookwright_model::messages! {
    /// A block after the tool has run.
    LATE = "too_late" / "claude" { "the tool has run: at {event} a block only gives the model the reason", "工具已经执行：在 {event} 拦截只会把原因告诉模型" } hint { "block at PreToolUse", "在 PreToolUse 拦截" };
    /// A block at an event that cannot be blocked.
    BLOCK = "block_not_honoured" / "claude" { "{event} cannot be blocked: `decision` has no effect", "{event} 无法拦截：`decision` 不起作用" } hint { "block at an event that can be blocked, such as PreToolUse", "在可拦截的事件（如 PreToolUse）拦截" };
    /// Exit code 2 at an event that it does not block.
    BLOCK_EXIT = "block_not_honoured" / "claude_exit" { "exit code 2 does not block {event}", "退出码 2 无法拦截 {event}" } hint { "block at an event that can be blocked, such as PreToolUse", "在可拦截的事件（如 PreToolUse）拦截" };
    /// A plugin's variable in braces, in a settings file.
    PLUGIN_BRACES = "unset_variable" / "claude_braces" { "`{name}` is set for hooks of plugins only: Claude Code does not start this hook", "`{name}` 仅对插件的 Hook 有效：Claude Code 不会启动此 Hook" } hint { "write the path itself, or `$CLAUDE_PROJECT_DIR` for the project", "直接写路径，项目目录写成 `$CLAUDE_PROJECT_DIR`" };
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
    /// The same of several hooks of a file.
    UNIT_ALL = "unit_suspect" / "claude_all" { "{count} hooks have a `timeout` that looks like milliseconds: {values}", "{count} 个 Hook 的 `timeout` 像是毫秒：{values}" } hint { "write seconds; the unit is not milliseconds", "单位是秒，不是毫秒" };
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
    /// A URL with another scheme.
    SCHEME = "unknown_value" / "claude_scheme" { "`{url}` begins neither with http:// nor with https://, so the request fails", "`{url}` 既不以 http:// 也不以 https:// 开头，请求会失败" } hint { "write `https://…` or `http://…`", "写 `https://…` 或 `http://…`" };
    /// A URL that no list names.
    NOT_LISTED = "unknown_value" / "not_listed" { "`allowedHttpHookUrls` in {path} does not list {url}, so the request fails", "{path} 中的 `allowedHttpHookUrls` 没有列出 {url}，请求会失败" } hint { "add the URL to the list", "把网址加入列表" };
    /// A name in lower case in a header.
    HEADER_NAME = "unknown_placeholder" / "claude_header" { "`${name}` stays as it is in the header {header}: only names in upper case are replaced", "请求头 {header} 中的 `${name}` 保持原样：只替换大写的变量名" } hint { "write the name in upper case", "用大写字母书写变量名" };
    /// A variable in a header that is not allowed there.
    HEADER_UNSET = "unset_variable" / "claude_header" { "`${name}` is empty in the header {header}: `allowedEnvVars` does not list it", "请求头 {header} 中的 `${name}` 为空：`allowedEnvVars` 没有列出它" } hint { "add `{name}` to `allowedEnvVars`", "把 `{name}` 加入 `allowedEnvVars`" };
    /// A guard of one shell.
    MISSES_SHELL = "misses_shell" / "claude" { "this guard sees the tool Bash only; on Windows the agent also has PowerShell", "此防护只看到 Bash 工具；在 Windows 上 Agent 还有 PowerShell" } hint { "write `Bash|PowerShell`, and check that the guard understands both", "写 `Bash|PowerShell`，并确认防护能识别两者" };
    /// A guard of one shell by its rule, which can name no second tool.
    MISSES_SHELL_RULE = "misses_shell" / "claude_rule" { "this guard sees the tool Bash only; on Windows the agent also has PowerShell", "此防护只看到 Bash 工具；在 Windows 上 Agent 还有 PowerShell" } hint { "add a second hook with the matcher `PowerShell` and the rule `{rule}`", "再添加一个 Hook：`matcher` 写 `PowerShell`，规则写 `{rule}`" };
    /// A process that is left behind with stdout open.
    HOLDS_PIPE = "holds_pipe" / "claude" { "what this line starts keeps stdout open: Claude Code then rejects the output of the hook", "此行启动的进程一直占用 stdout：Claude Code 会因此拒绝此 Hook 的输出" } hint { "add `>/dev/null 2>&1` before `&`", "在 `&` 之前加上 `>/dev/null 2>&1`" };
    /// A hook that blocks every stop.
    LOOPS = "may_loop" / "claude" { "this hook never reads `stop_hook_active`, so it can block the end of a turn 8 times in a row", "此 Hook 从未检查 `stop_hook_active`，可能连续 8 次拦截本轮结束" } hint { "let the agent stop if `stop_hook_active` is true", "`stop_hook_active` 为 true 时允许停止" };
    /// An approval of every tool.
    APPROVES_ALL = "skips_approval" / "claude" { "this hook approves every tool, so Claude Code does not ask for permission", "此 Hook 批准所有工具，Claude Code 不再请求权限" } hint { "name the tools in `matcher`, or add a rule in `if`", "在 `matcher` 中写明工具，或在 `if` 中添加规则" };
    /// Text at an event that does not read it.
    TEXT_IGNORED = "returns_ignored" / "claude_text" { "text on stdout has no effect at {event}", "{event} 不使用 stdout 的文本" } hint { "print JSON with `systemMessage` or `additionalContext`, where the event accepts it", "在事件接受的情况下，输出带 `systemMessage` 或 `additionalContext` 的 JSON" };
    /// A field with the value null.
    NULL_FIELD = "fails_open" / "null_field" { "a field with the value null makes Claude Code discard the whole output", "字段值为 null 时，Claude Code 会丢弃全部返回结果" } hint { "leave the field out", "省略该字段" };
    /// The end of the turn at an event where it has no effect.
    CONTINUE = "block_not_honoured" / "claude_continue" { "`continue: false` has no effect at {event}", "`continue: false` 在 {event} 不起作用" } hint { "return it at PreToolUse, UserPromptSubmit or Stop", "在 PreToolUse、UserPromptSubmit 或 Stop 返回它" };
    /// The end of the turn, which does not hold the call.
    ENDS_AFTER = "block_not_honoured" / "ends_after_the_call" { "`continue: false` ends the turn, but the tool still runs", "`continue: false` 会结束本轮，但工具仍会执行" } hint { "use `permissionDecision: \"deny\"` to deny the call", "用 `permissionDecision: \"deny\"` 拒绝调用" };
    /// A block that nobody waits for.
    BLOCK_ASYNC = "block_not_honoured" / "claude_async" { "the agent does not wait for this hook, so it cannot block", "Agent 不等待此 Hook，因此它无法拦截" } hint { "remove `{field}`", "删除 `{field}`" };
    /// A rule for a tool that the matcher leaves out.
    IF_TOOL = "never_matches" / "if_tool" { "the rule is for {tool}, which `matcher` leaves out", "规则针对 {tool}，而 `matcher` 不包括它" } hint { "add `{tool}` to `matcher`", "把 `{tool}` 加入 `matcher`" };
    /// Pattern signs in a list of files to watch.
    WATCH_LIST = "not_a_regex" / "claude_watch" { "at FileChanged, `matcher` is also the list of files to watch, which takes `{matcher}` literally", "在 FileChanged，`matcher` 同时是要监视的文件列表，会按字面理解 `{matcher}`" } hint { "write the names of the files with `|` between them", "写文件名，以 `|` 分隔" };
    /// A command with an open quote, or with `fi` and no `if`.
    SYNTAX = "fails_closed" / "syntax" { "`sh` cannot parse this command: it ends with exit code 2, which blocks {event} each time", "`sh` 无法解析此命令：它以退出码 2 结束，每次都会拦截 {event}" } hint { "close each quote, and end each `if` with `fi`; or put the text into a script", "闭合每个引号，并让每个 `if` 以 `fi` 结束；或把内容放进脚本" };
    /// An approval that another exit code drops.
    ALLOW_DROPPED = "fails_closed" / "allow_dropped" { "with `onFailure: \"block\"`, exit code 1 drops the approval that this hook prints, and the call is denied", "使用 `onFailure: \"block\"` 时，退出码 1 会丢弃此 Hook 输出的批准，调用会被拒绝" } hint { "end with exit code 0 after an approval", "批准之后以退出码 0 结束" };
    /// A second definition of the same hook with other fields.
    DOUBLE = "last_wins" / "double" { "{other} defines the same hook, and only the last one runs, with its own {fields}", "{other} 定义了相同的 Hook，只执行最后一个，{fields} 也以它为准" } hint { "keep one of the two", "只保留其中一个" };
    /// A long timeout at the end of the session.
    END_TIMEOUT = "no_effect" / "claude_session_end" { "at SessionEnd all hooks together have at most 60 seconds; `timeout` is {written}", "SessionEnd 的全部 Hook 共用最多 60 秒；`timeout` 为 {written}" } hint { "write 60 or less", "写 60 或更小的数" };
    /// A guard that a file of an administrator switches off.
    SWITCHED_OFF = "no_effect" / "switched_off" { "this guard does not run: a setting of {path} switches it off", "此防护不会执行：{path} 中的设置将其关闭" } hint { "change {path}, or remove the guard here", "修改 {path}，或删除此处的防护" };
    /// A placeholder that a prompt does not have.
    PLACEHOLDER = "unknown_placeholder" / "claude_prompt" { "`{written}` stays as it is: a prompt has only `$ARGUMENTS`", "`{written}` 保持原样：提示词只有 `$ARGUMENTS`" } hint { "write `$ARGUMENTS`", "写 `$ARGUMENTS`" };
    /// A mod that can allow what a guard denied.
    MOD_ALLOWS = "mod_may_override" / "claude_check" { "`{on}` of the plugin {plugin} ({path}:{line}) can allow what this guard denies", "插件 {plugin} 的 `{on}`（{path}:{line}）可以放行此防护 Hook 拒绝的调用" } hint { "check the plugin", "检查该插件" };
    /// A mod that can take a call away from a guard.
    MOD_TAKES_CALL = "mod_may_override" / "claude_call" { "`{on}` of the plugin {plugin} ({path}:{line}) can take a call before this guard sees it", "插件 {plugin} 的 `{on}`（{path}:{line}）可以在此防护 Hook 之前处理调用" } hint { "check the plugin", "检查该插件" };
    /// A mod that can keep a guard from running.
    MOD_TAKES_EVENT = "mod_may_override" / "claude_classic" { "`{on}` of the plugin {plugin} ({path}:{line}) can keep this guard from running", "插件 {plugin} 的 `{on}`（{path}:{line}）可以使此防护 Hook 不执行" } hint { "check the plugin", "检查该插件" };
    /// The hooks of a project that is a plugin.
    NOT_READ_PLUGIN = "file_not_read" / "claude_plugin" { "Claude Code reads this file only if the plugin is installed or named by `--plugin-dir`", "只有安装该插件或用 `--plugin-dir` 指定时，Claude Code 才读取此文件" };
}
