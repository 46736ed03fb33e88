//! The messages about Claude Code's files and hook outputs, in both languages. The lint messages are in [`super::lint`].

hookwright_model::messages! {
    /// The whole file is not an object.
    FILE_TYPE = "wrong_type" / "claude_file" { "the file must be an object, found {found}", "文件应为对象，此处是 {found}" } hint { "write `{\"hooks\": {…}}`", "写成 `{\"hooks\": {…}}`" };
    /// The section `hooks` is not an object.
    SECTION_TYPE = "wrong_type" / "claude_section" { "`hooks` must be an object from event to list of groups, found {found}", "`hooks` 应为“事件 → 分组列表”的对象，此处是 {found}" } hint { "write `{\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}`", "写成 `{\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}`" };
    /// The value of an event is not an array.
    EVENT_TYPE = "wrong_type" / "claude_event" { "`{event}` must be an array of groups, found {found}", "`{event}` 应为分组数组，此处是 {found}" } hint { "write `[{\"matcher\": \"Bash\", \"hooks\": […]}]`", "写成 `[{\"matcher\": \"Bash\", \"hooks\": […]}]`" };
    /// A group is not an object.
    GROUP_TYPE = "wrong_type" / "claude_group" { "a group must be an object with `hooks`, found {found}", "分组应为带 `hooks` 的对象，此处是 {found}" } hint { "write `{\"matcher\": \"Bash\", \"hooks\": […]}`", "写成 `{\"matcher\": \"Bash\", \"hooks\": […]}`" };
    /// An entry is not an object.
    ENTRY_TYPE = "wrong_type" / "claude_entry" { "an entry must be an object with `type`, found {found}", "条目应为带 `type` 的对象，此处是 {found}" } hint { "write `{\"type\": \"command\", \"command\": \"…\"}`", "写成 `{\"type\": \"command\", \"command\": \"…\"}`" };
    /// A field has the wrong type.
    FIELD_TYPE = "wrong_type" / "claude_field" { "`{field}` must be {wanted}, found {found}", "`{field}` 的类型应为 {wanted}，此处是 {found}" } hint { "write {wanted}", "改为 {wanted}" };
    /// A group without its entries.
    MISSING_HOOKS = "missing_field" / "claude_hooks" { "a group needs `hooks`, the list of its entries", "分组缺少 `hooks`（条目列表）" } hint { "write `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}`", "写成 `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}`" };
    /// An entry that is directly in an event's list, without a group.
    MISSING_GROUP = "missing_field" / "claude_group" { "this entry has no group: `hooks` is missing around it", "此条目没有分组：外层缺少 `hooks`" } hint { "put it into `{\"hooks\": [ … ]}`", "放进 `{\"hooks\": [ … ]}`" };
    /// An entry without its type.
    MISSING_TYPE = "missing_field" / "claude_type" { "an entry needs `type`", "条目缺少 `type`" } hint { "add `\"type\": \"command\"`", "添加 `\"type\": \"command\"`" };
    /// An entry without its command.
    MISSING_COMMAND = "missing_field" / "claude_command" { "an entry of type command needs `command`", "command 类型的条目缺少 `command`" } hint { "add `\"command\": \"…\"`", "添加 `\"command\": \"…\"`" };
    /// An entry without its URL.
    MISSING_URL = "missing_field" / "claude_url" { "an entry of type http needs `url`", "http 类型的条目缺少 `url`" } hint { "add `\"url\": \"https://…\"`", "添加 `\"url\": \"https://…\"`" };
    /// An entry without its prompt.
    MISSING_PROMPT = "missing_field" / "claude_prompt" { "an entry of type {type} needs `prompt`", "{type} 类型的条目缺少 `prompt`" } hint { "add `\"prompt\": \"…\"`", "添加 `\"prompt\": \"…\"`" };
    /// An entry without its MCP server.
    MISSING_SERVER = "missing_field" / "claude_server" { "an entry of type mcp_tool needs `server`", "mcp_tool 类型的条目缺少 `server`" } hint { "add `\"server\": \"…\"`", "添加 `\"server\": \"…\"`" };
    /// An entry without its tool.
    MISSING_TOOL = "missing_field" / "claude_tool" { "an entry of type mcp_tool needs `tool`", "mcp_tool 类型的条目缺少 `tool`" } hint { "add `\"tool\": \"…\"`", "添加 `\"tool\": \"…\"`" };
    /// A required text is blank.
    EMPTY = "empty_field" / "claude" { "`{field}` is blank", "`{field}` 为空" } hint { "write a text, or remove the entry", "写上内容，或删除此条目" };
    /// The command is blank: the hook runs and does nothing, or cannot start.
    EMPTY_COMMAND = "empty_field" / "claude_command" { "`command` is blank: the hook does nothing", "`command` 为空：此 Hook 什么也不做" } hint { "write what to run, or remove the entry", "写上要执行的内容，或删除此条目" };
    /// The command has no text at all: the hook fails each time.
    NO_COMMAND = "empty_field" / "claude_no_command" { "`command` is empty: the hook fails whenever it runs", "`command` 为空：此 Hook 每次执行都会失败" } hint { "write what to run, or remove the entry", "写上要执行的内容，或删除此条目" };
    /// An unknown type of entry.
    UNKNOWN_TYPE = "unknown_value" / "claude_type" { "unknown type `{written}`", "未知类型 `{written}`" } hint { "write `command`, `http`, `prompt`, `agent` or `mcp_tool`", "写 `command`、`http`、`prompt`、`agent` 或 `mcp_tool`" };
    /// A type of entry that the event does not take.
    TYPE_AT_EVENT = "unknown_value" / "claude_event_type" { "{event} takes no entries of type {written}: Claude Code loads this one, and it never does what it says", "{event} 不支持 {written} 类型的条目：Claude Code 会加载它，但它不会生效" } hint { "write one of: {known}", "可用类型：{known}" };
    /// An unknown shell.
    UNKNOWN_SHELL = "unknown_value" / "claude_shell" { "`shell` cannot be `{written}`", "`shell` 不能是 `{written}`" } hint { "write `bash` or `powershell`, or remove the field", "写 `bash` 或 `powershell`，或删除此字段" };
    /// An unknown word of `onFailure`.
    UNKNOWN_FAILURE = "unknown_value" / "claude_failure" { "`onFailure` cannot be `{written}`", "`onFailure` 不能是 `{written}`" } hint { "write `block` or `continue`", "写 `block` 或 `continue`" };
    /// A `url` that is no URL.
    BAD_URL = "unknown_value" / "claude_url" { "`{written}` is not a URL", "`{written}` 不是网址" } hint { "write `https://…` or `http://…`", "写 `https://…` 或 `http://…`" };
    /// A timeout of zero or less.
    TOO_SMALL = "out_of_range" / "claude_small" { "`timeout` is {written}; it must be greater than 0", "`timeout` 为 {written}，必须大于 0" } hint { "write a number of seconds, or remove the field", "写秒数，或删除此字段" };
    /// A timeout above the limit.
    TOO_LONG = "out_of_range" / "claude_long" { "`timeout` is {written} seconds; {most} are used", "`timeout` 为 {written} 秒；按 {most} 秒处理" } hint { "write {most} or less; the unit is seconds", "写 {most} 或更小的数；单位是秒" };
    /// An unknown event.
    UNKNOWN_EVENT = "unknown_event" / "claude" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "known events: {events}", "可用事件：{events}" };
    /// Several unknown events in the front matter of a file.
    UNKNOWN_EVENTS = "unknown_event" / "claude_all" { "unknown events: {written}", "未知事件：{written}" } hint { "write events of Claude Code, such as `PreToolUse`, `PostToolUse` or `Stop`", "写 Claude Code 的事件，如 `PreToolUse`、`PostToolUse` 或 `Stop`" };
    /// An unknown event whose name is similar to a known one.
    UNKNOWN_EVENT_NEAR = "unknown_event" / "claude_near" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A duplicate key in one object.
    DUPLICATE_KEY = "duplicate_key" / "claude" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two; Claude Code uses only the last one and does not report it", "只保留一个；Claude Code 只采用最后一个，且不提示" };
    /// An earlier list of the same event, which does not count.
    DUPLICATE_EVENT = "duplicate_key" / "claude_event" { "duplicate key `{key}`: the hooks here do not run", "重复的键 `{key}`：此处的 Hook 不会执行" } hint { "move these hooks to the list at line {line}", "将这些 Hook 移到第 {line} 行的列表" };
    /// An unknown key.
    UNKNOWN_FIELD = "unknown_field" / "claude" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "known fields: {known}", "可用字段：{known}" };
    /// An unknown key whose name is similar to a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "claude_near" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// Groups beside `hooks`, where the agent does not read them.
    BESIDE_HOOKS = "unknown_field" / "claude_beside" { "`{field}` is next to `hooks`, where Claude Code reads no hooks", "`{field}` 写在 `hooks` 之外，Claude Code 不会从这里读取 Hook" } hint { "move it into `hooks`", "移到 `hooks` 中" };
    /// A file with something that is no strict JSON.
    NOT_STRICT = "syntax" / "claude_strict" { "Claude Code drops this whole file: it reads only JSON without comments and without a last comma", "Claude Code 会丢弃整个文件：它只接受严格的 JSON，不能有注释，也不能在右括号前有逗号" } hint { "remove the comment or the comma", "删除注释或多余的逗号" };
    /// A field of another type of entry.
    OTHER_TYPE = "unknown_field" / "claude_type" { "`{field}` has no effect in an entry of type {type}", "{type} 类型的条目不使用 `{field}`" } hint { "remove `{field}`", "删除 `{field}`" };
    /// A `shell` for a command that is started without one.
    SHELL_IDLE = "no_effect" / "claude_shell" { "`shell` has no effect with `args`: the program starts without a shell", "有 `args` 时 `shell` 不起作用：程序直接启动，不经过 shell" } hint { "remove one of the two", "删除其中一个" };
    /// `onFailure: "block"` where it is not heeded.
    FAILURE_IDLE = "no_effect" / "claude_failure" { "`onFailure` has no effect here: Claude Code continues at {event} whatever it says", "`onFailure` 在此不起作用：在 {event}，Claude Code 总会继续执行" } hint { "remove `onFailure`", "删除 `onFailure`" };
    /// `once` outside the front matter of a skill.
    ONCE_IDLE = "no_effect" / "claude_once" { "`once` has no effect here: it is honoured in the front matter of a skill only", "`once` 在此不起作用：仅在 Skill 的 front matter 中有效" } hint { "remove `once`", "删除 `once`" };
    /// A matcher that the event ignores.
    MATCHER_IDLE = "no_effect" / "claude_matcher" { "Claude Code does not use `matcher` at {event}: the hook runs for every {event}", "Claude Code 在 {event} 不使用 `matcher`：每次 {event} 都会执行此 Hook" } hint { "remove `matcher`", "删除 `matcher`" };
    /// An entry that only the agent can run.
    AGENT_ONLY = "agent_only" / "claude" { "only Claude Code can run entries of type {type}; Hookwright shows this one", "{type} 类型的条目只能由 Claude Code 执行；Hookwright 仅显示它" };
    /// A file that the manifest of a plugin names and that does not exist.
    PLUGIN_FILE = "file_missing" / "claude" { "the plugin has no file {file}", "插件中没有文件 {file}" } hint { "create it, or remove it from `hooks` in plugin.json", "创建它，或从 plugin.json 的 `hooks` 中删除" };
    /// A file outside the plugin that names it.
    PLUGIN_OUTSIDE = "file_outside" / "claude_plugin" { "{file} is not in the plugin, so Claude Code does not read it", "{file} 不在插件中，Claude Code 会忽略它" } hint { "write a path inside the plugin, without `..`", "写插件内的路径，不含 `..`" };
    /// A mod, which only the agent can run.
    AGENT_MOD = "agent_only" / "claude_mod" { "only Claude Code runs mods; Hookwright shows this one", "mod 只能由 Claude Code 执行；Hookwright 仅显示它" };
    /// A module that the agent does not load.
    MOD_IDLE = "no_effect" / "claude_mod" { "Claude Code does not load this module: it has no `export function register`", "Claude Code 不会加载此模块：其中没有 `export function register`" } hint { "add the function, or remove the module from `modules`", "添加此函数，或从 `modules` 中删除该模块" };
    /// A path in the manifest of a plugin that does not begin with `./`.
    PLUGIN_PATH = "unknown_value" / "claude_plugin" { "`{written}` does not begin with `./`: Claude Code refuses the whole plugin", "`{written}` 没有以 `./` 开头：Claude Code 会拒绝整个插件" } hint { "write `./{written}`", "写成 `./{written}`" };
    /// Hooks in a manifest with `hooks` around them.
    PLUGIN_WRAPPED = "wrong_type" / "claude_plugin" { "in plugin.json the events are directly in `hooks`: Claude Code refuses the whole plugin", "在 plugin.json 中，事件应直接写在 `hooks` 里：Claude Code 会拒绝整个插件" } hint { "remove the inner `hooks`", "删除内层的 `hooks`" };
    /// A hook of the front matter of a skill.
    FRONT_MATTER = "agent_only" / "claude_front_matter" { "Claude Code registers this hook when the skill is used, so only the agent runs it", "Claude Code 在使用该 Skill 时才注册此 Hook，因此只由 Agent 执行" };
    /// A hook of the front matter of a subagent.
    AGENT_FRONT_MATTER = "agent_only" / "claude_agent_front_matter" { "Claude Code registers this hook while the subagent runs, so only the agent runs it", "Claude Code 在子 Agent 执行任务时才注册此 Hook，因此只由 Agent 执行" };
    /// Hookwright's relay among the user's hooks.
    RELAY = "relay_entry" / "claude" { "Hookwright's own relay: it sends Claude Code's events to Hookwright, and the engine does not run it", "Hookwright 自己的中继：把 Claude Code 的事件发送给 Hookwright，引擎不会执行它" };
}

/// The messages about runs and hook outputs. Their codes are not Problem codes.
pub mod answers {
    hookwright_model::messages! {
        /// Exit code 2 without a reason on stderr, in the agent's words.
        NO_STDERR = "blocked_by_hook" / "claude_silent" { "No stderr output", "stderr 没有输出" };
        /// An answer that blocks without a reason, in the agent's words.
        BLOCKED = "blocked_by_hook" / "claude" { "Blocked by hook", "被 Hook 拦截" };
        /// A missing script, which exit code 2 looks like.
        MISSING_SCRIPT = "missing_script" / "claude" { "Claude Code takes exit code 2 with this text for a missing script and continues: {stderr}", "退出码 2 且带有这段文本时，Claude Code 视为脚本缺失并继续执行：{stderr}" };
        /// A command without any text.
        EMPTY_COMMAND = "not_started" / "claude_empty" { "`command` is empty: Claude Code cannot start this hook", "`command` 为空：Claude Code 无法启动此 Hook" };
        /// A plugin's variable in braces, in the settings.
        PLUGIN_VARIABLE = "not_started" / "claude_plugin" { "`{name}` is set for hooks of plugins only: Claude Code does not start this hook", "`{name}` 仅对插件的 Hook 有效：Claude Code 不会启动此 Hook" };
        /// An answer of a hook whose stdout is still open.
        HOLDS_PIPE = "holds_pipe" / "claude_refused" { "another process keeps stdout open, so Claude Code rejects this output", "另一个进程仍占用 stdout，因此 Claude Code 会拒绝此返回结果" } hint { "start it with `>/dev/null 2>&1`", "启动它时加上 `>/dev/null 2>&1`" };
        /// Variables for later commands, which Hookwright does not run.
        ENV_FILE = "env_file" / "claude" { "Claude Code sets {names} for later commands; Hookwright runs none", "Claude Code 会为之后的命令设置 {names}；Hookwright 不执行这些命令" };
        /// A mod that may skip or undo a hook.
        AGENT_OVERRIDES = "agent_overrides" { "in Claude Code, `{on}` of the plugin {plugin} ({path}:{line}) may skip or undo this hook", "在 Claude Code 中，插件 {plugin} 的 `{on}`（{path}:{line}）可能跳过此 Hook 或撤销其决定" };
        /// A hook in a copy of the settings.
        OTHER_NAME = "disabled" / "claude_other_name" { "Claude Code reads settings.json and settings.local.json only", "Claude Code 只读取 settings.json 和 settings.local.json" };
        /// A hook of a plugin that is not installed.
        NOT_INSTALLED = "plugin_not_installed" { "Claude Code runs the hooks of this plugin only if it is installed or named by `--plugin-dir`", "只有安装该插件或用 `--plugin-dir` 指定时，Claude Code 才会执行其 Hook" };
        /// A blocked stop after many.
        STOP_CAP = "stop_cap" / "claude" { "Claude Code lets the agent stop after {count} blocked stops in a row", "连续拦截停止 {count} 次后，Claude Code 会让 Agent 停止" };
        /// `continue: false` before a tool: the call is made.
        TOOL_STILL_RUNS = "tool_still_runs" / "claude" { "`continue: false` ends the turn, but the tool still runs", "`continue: false` 会结束本轮，但工具仍会执行" } hint { "use `permissionDecision: \"deny\"` to deny the call", "用 `permissionDecision: \"deny\"` 拒绝调用" };
        /// An approval or a new input of a hook that has no word of the tool itself.
        AS_BASH = "other_tool" / "claude" { "Claude Code takes no approval and no new input for Monitor from a hook that matches only Bash", "对于 Monitor，Claude Code 不采纳仅匹配 Bash 的 Hook 的批准和新输入" } hint { "add `Monitor` to the matcher", "在匹配条件中加上 `Monitor`" };
        /// A block of a change that cannot be blocked.
        POLICY_CHANGE = "policy_change" / "claude" { "Claude Code does not let hooks block a change of managed settings", "Claude Code 不允许 Hook 拦截受管设置的变更" };
        /// A hook that went on in the background.
        IN_BACKGROUND = "in_background" / "claude" { "the first line sends the hook to the background: what follows comes too late", "第一行让 Hook 转入后台：其后的内容已来不及生效" };
        /// A text that the agent cuts.
        LONG_TEXT = "long_text" / "claude" { "`{field}` has more than {most} characters: Claude Code gives the model a preview and a file", "`{field}` 超过 {most} 个字符：Claude Code 只给模型预览和一个文件" };
        /// A sequence for the terminal that the agent does not write.
        SEQUENCE = "terminal_sequence" / "claude" { "Claude Code writes only titles, notifications and the bell to the terminal", "Claude Code 只向终端输出标题、通知和提示音" };
        /// An output of a tool in another form than the tool has.
        OUTPUT_SHAPE = "output_shape" / "claude" { "it does not have the form of the output of {tool}, so the original stays", "它与 {tool} 的输出结构不同，因此保留原输出" };
        /// A prompt's answer that is not what was asked for.
        PROMPT_ANSWER = "prompt_answer" / "claude" { "the response of the model is not an object that has `ok`", "模型没有返回带 `ok` 的对象" };
        /// A verdict of a prompt that has no effect at the event.
        PROMPT_IDLE = "prompt_idle" / "claude" { "the response to a prompt has no effect at {event}", "{event} 不采纳提示词的结果" };
    /// A switch that turns all hooks of a file off.
        ALL_OFF = "disabled" / "claude" { "`disableAllHooks` in {path} switches it off", "{path} 中的 `disableAllHooks` 将其关闭" };
        /// A switch of an administrator that leaves only some hooks on.
        MANAGED_ONLY = "disabled" / "claude_managed" { "`{switch}` in {path} switches it off", "{path} 中的 `{switch}` 将其关闭" };
        /// A URL that no list names.
        NOT_LISTED = "request_refused" / "claude_list" { "`allowedHttpHookUrls` in {path} does not list {url}", "{path} 中的 `allowedHttpHookUrls` 没有列出 {url}" };
        /// A response that is not 2xx.
        STATUS = "request_failed" / "claude_status" { "the response has status {status}", "响应的状态码为 {status}" };
        /// A successful response whose body is no object.
        BODY = "request_failed" / "claude_body" { "the body of the response is not a JSON object", "响应正文不是 JSON 对象" };
        /// A request without a response.
        NO_RESPONSE = "request_failed" / "claude_none" { "no response: {why}", "没有响应：{why}" };
        /// A handler that Hookwright does not run.
        NOT_RUN = "not_run" / "claude" { "only Claude Code can run this hook", "此 Hook 只能由 Claude Code 执行" };
    }
}
