//! The messages about Codex's files and hook outputs, in both languages. The lint messages are in [`super::lint`].

hookwright_model::messages! {
    /// An error because of which the agent runs no hook of the file.
    COSTS_FILE = "costs_file" { "Codex runs no hook of this file, because of line {line} ({defect}); hooks: {hooks}", "因第 {line} 行的错误（{defect}），Codex 不执行此文件中的任何 Hook；Hook 数：{hooks}" } hint { "correct line {line}", "更正第 {line} 行" };
    /// An error because of which the agent does not start.
    COSTS_START = "costs_file" / "toml" { "Codex does not start because of line {line} ({defect}), and editors run no hook; hooks here: {hooks}", "因第 {line} 行的错误（{defect}），Codex 无法启动，编辑器中也不执行任何 Hook；此处的 Hook 数：{hooks}" } hint { "correct line {line}", "更正第 {line} 行" };
    /// A hook that nobody reviewed in Codex.
    AGENT_UNTRUSTED = "agent_untrusted" { "Codex skips this hook and reports nothing: you have not reviewed it there", "Codex 会不作提示地跳过此 Hook：尚未在 Codex 中审阅" } hint { "start Codex, open `/hooks` and review it", "启动 Codex，打开 `/hooks` 进行审阅" };
    /// A hook of a folder that Codex does not trust.
    AGENT_PROJECT_UNTRUSTED = "agent_project_untrusted" { "Codex skips this hook and reports nothing: it does not trust this folder", "Codex 会不作提示地跳过此 Hook：它不信任此目录" } hint { "start Codex in the folder and trust it; for one call `codex exec --trust`", "在该目录启动 Codex 并选择信任；单次调用可用 `codex exec --trust`" };
    /// A hook that changed after it was reviewed in Codex.
    AGENT_MODIFIED = "agent_modified" { "Codex skips this hook and reports nothing: it changed after your review there", "Codex 会不作提示地跳过此 Hook：审阅之后它有改动" } hint { "start Codex, open `/hooks` and review it again", "启动 Codex，打开 `/hooks` 重新审阅" };
    /// The whole file is not an object.
    FILE_TYPE = "wrong_type" / "codex_file" { "the file must be an object, found {found}", "文件应为对象，此处是 {found}" } hint { "write `{\"hooks\": {…}}`", "写成 `{\"hooks\": {…}}`" };
    /// The section `hooks` is not an object.
    SECTION_TYPE = "wrong_type" / "codex_section" { "`hooks` must be an object from event to list of groups, found {found}", "`hooks` 应为“事件 → 分组列表”的对象，此处是 {found}" } hint { "write `{\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}`", "写成 `{\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}`" };
    /// The value of an event is not an array.
    EVENT_TYPE = "wrong_type" / "codex_event" { "`{event}` must be an array of groups, found {found}", "`{event}` 应为分组数组，此处是 {found}" } hint { "write `[{\"matcher\": \"Bash\", \"hooks\": […]}]`", "写成 `[{\"matcher\": \"Bash\", \"hooks\": […]}]`" };
    /// A group is not an object.
    GROUP_TYPE = "wrong_type" / "codex_group" { "a group must be an object with `hooks`, found {found}", "分组应为带 `hooks` 的对象，此处是 {found}" } hint { "write `{\"matcher\": \"Bash\", \"hooks\": […]}`", "写成 `{\"matcher\": \"Bash\", \"hooks\": […]}`" };
    /// An entry is not an object.
    ENTRY_TYPE = "wrong_type" / "codex_entry" { "an entry must be an object with `type`, found {found}", "条目应为带 `type` 的对象，此处是 {found}" } hint { "write `{\"type\": \"command\", \"command\": \"…\"}`", "写成 `{\"type\": \"command\", \"command\": \"…\"}`" };
    /// A field has the wrong type.
    FIELD_TYPE = "wrong_type" / "codex_field" { "`{field}` must be {wanted}, found {found}", "`{field}` 的类型应为 {wanted}，此处是 {found}" } hint { "write {wanted}", "改为 {wanted}" };
    /// States of hooks in a file of a project.
    PROJECT_STATE = "no_effect" / "codex_state" { "only `hooks.state` of the user's config.toml has an effect, not this one", "`hooks.state` 在此不起作用：只有用户 config.toml 中的才有效" } hint { "remove it", "删除它" };
    /// A file that a plugin names and that is not in it.
    PLUGIN_FILE = "file_missing" / "codex_plugin" { "the plugin has no file {file}", "插件中没有文件 {file}" } hint { "create it, or remove it from `hooks` in plugin.json", "创建它，或从 plugin.json 的 `hooks` 中删除" };
    /// A file outside the plugin that names it.
    PLUGIN_OUTSIDE = "file_outside" / "codex_plugin" { "{file} is not in the plugin, so Codex does not read it", "{file} 不在插件中，Codex 会忽略它" } hint { "write a path that begins with `./`", "写以 `./` 开头的路径" };
    /// Events in a manifest that are not under `hooks`.
    PLUGIN_FIELD = "unknown_field" / "codex_plugin" { "`{field}` is ignored here: in plugin.json the events are under `hooks.hooks`", "此处的 `{field}` 会被忽略：在 plugin.json 中，事件位于 `hooks.hooks` 之下" } hint { "write `{\"hooks\": {\"hooks\": {…}}}`", "写成 `{\"hooks\": {\"hooks\": {…}}}`" };
    /// A value `null` in the input of a tool.
    NULL_INPUT = "wrong_type" / "codex_input" { "`input` contains `null`", "`input` 中有 `null`" } hint { "remove it, or write another value", "删除它，或写成其他值" };
    /// A file without content.
    EMPTY_FILE = "syntax" / "codex_empty" { "the file is empty", "文件为空" } hint { "write `{\"hooks\": {}}`", "写成 `{\"hooks\": {}}`" };
    /// A file with something that is no strict JSON.
    NOT_STRICT = "syntax" / "codex_strict" { "Codex drops this whole file: it reads only JSON without comments and without a last comma", "Codex 会丢弃整个文件：它只接受严格的 JSON，不能有注释，也不能在右括号前有逗号" } hint { "remove the comment or the comma", "删除注释或多余的逗号" };
    /// A file with a byte-order mark.
    BOM = "syntax" / "codex_bom" { "Codex drops this whole file: it begins with a byte-order mark", "Codex 会丢弃整个文件：它以字节顺序标记（BOM）开头" } hint { "save it as UTF-8 without a byte-order mark", "保存为不带 BOM 的 UTF-8" };
    /// A group without its entries.
    MISSING_HOOKS = "missing_field" / "codex_hooks" { "a group needs `hooks`, the list of its entries", "分组缺少 `hooks`（条目列表）" } hint { "write `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}`", "写成 `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}`" };
    /// An entry that is directly in an event's list, without a group.
    MISSING_GROUP = "missing_field" / "codex_group" { "this entry has no group: `hooks` is missing around it", "此条目没有分组：外层缺少 `hooks`" } hint { "put it into `{\"hooks\": [ … ]}`", "放进 `{\"hooks\": [ … ]}`" };
    /// An entry without its type.
    MISSING_TYPE = "missing_field" / "codex_type" { "an entry needs `type`", "条目缺少 `type`" } hint { "add `\"type\": \"command\"`", "添加 `\"type\": \"command\"`" };
    /// An entry without its command.
    MISSING_COMMAND = "missing_field" / "codex_command" { "an entry of type command needs `command`", "command 类型的条目缺少 `command`" } hint { "add `\"command\": \"…\"`", "添加 `\"command\": \"…\"`" };
    /// An entry without its MCP server.
    MISSING_SERVER = "missing_field" / "codex_server" { "an entry of type mcp_tool needs `server`", "mcp_tool 类型的条目缺少 `server`" } hint { "add `\"server\": \"…\"`", "添加 `\"server\": \"…\"`" };
    /// An entry without its tool.
    MISSING_TOOL = "missing_field" / "codex_tool" { "an entry of type mcp_tool needs `tool`", "mcp_tool 类型的条目缺少 `tool`" } hint { "add `\"tool\": \"…\"`", "添加 `\"tool\": \"…\"`" };
    /// A required text is blank.
    EMPTY = "empty_field" / "codex" { "`{field}` is blank", "`{field}` 为空" } hint { "write a text, or remove the entry", "写上内容，或删除此条目" };
    /// An unknown type of entry.
    UNKNOWN_TYPE = "unknown_value" / "codex_type" { "unknown type `{written}`", "未知类型 `{written}`" } hint { "write `command` or `mcp_tool`", "写 `command` 或 `mcp_tool`" };
    /// A type of entry that the agent skips.
    UNSUPPORTED_TYPE = "unsupported" / "codex_type" { "Codex skips entries of type {written}", "Codex 会跳过 {written} 类型的条目" } hint { "write a command", "改为 `command`" };
    /// A tool of an MCP server at the end of a session.
    UNSUPPORTED_TOOL = "unsupported" / "codex_tool" { "Codex skips entries of type mcp_tool at {event}", "Codex 在 {event} 会跳过 mcp_tool 类型的条目" } hint { "write a command", "改为 `command`" };
    /// A number below zero.
    NEGATIVE = "out_of_range" / "codex_negative" { "`{field}` is {written}; it cannot be less than {least}", "`{field}` 为 {written}，不能小于 {least}" } hint { "write a larger number, or remove the field", "写更大的数，或删除此字段" };
    /// A timeout outside its limits.
    TIMEOUT_LIMIT = "out_of_range" / "codex_timeout" { "`timeout` is {written} seconds; {taken} are used", "`timeout` 为 {written} 秒；按 {taken} 秒处理" } hint { "write {least} to {most}; the unit is seconds", "写 {least} 到 {most} 之间的数；单位是秒" };
    /// An unknown event.
    UNKNOWN_EVENT = "unknown_event" / "codex" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "known events: {events}", "可用事件：{events}" };
    /// An unknown event whose name is similar to a known one.
    UNKNOWN_EVENT_NEAR = "unknown_event" / "codex_near" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A duplicate key in one object.
    DUPLICATE_KEY = "duplicate_key" / "codex" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two", "只保留一个" };
    /// Another list of the same event.
    DUPLICATE_EVENT = "duplicate_key" / "codex_event" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "move these hooks to the list at line {line}", "将这些 Hook 移到第 {line} 行的列表" };
    /// Two spellings of one field.
    TWO_SPELLINGS = "duplicate_key" / "codex_windows" { "`commandWindows` and `command_windows` are the same field", "`commandWindows` 与 `command_windows` 是同一字段" } hint { "remove one of the two", "删除其中一个" };
    /// An unknown key beside `hooks`.
    UNKNOWN_ROOT = "unknown_field" / "codex_root" { "Codex reads no file with the field `{field}` next to `hooks`", "`hooks` 之外有字段 `{field}` 时，Codex 会忽略整个文件" } hint { "remove it; hooks of an event belong into `hooks`", "删除它；事件的 Hook 应写在 `hooks` 中" };
    /// An unknown key.
    UNKNOWN_FIELD = "unknown_field" / "codex" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "known fields: {known}", "可用字段：{known}" };
    /// A condition of another agent.
    IF_IGNORED = "unknown_field" / "codex_if" { "Codex ignores `{field}`, so the hook runs every time", "Codex 会忽略 `{field}`，因此此 Hook 每次都会执行" } hint { "check it in the command itself", "在命令中自行检查" };
    /// An unknown key whose name is similar to a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "codex_near" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A field of another type of entry.
    OTHER_TYPE = "unknown_field" / "codex_type" { "`{field}` has no effect in an entry of type {type}", "{type} 类型的条目不使用 `{field}`" } hint { "remove `{field}`", "删除 `{field}`" };
    /// A hook in the background at the end of a session.
    ASYNC_IDLE = "no_effect" / "codex_async" { "`async` has no effect at {event}", "`async` 在 {event} 不起作用" } hint { "remove `async`", "删除 `async`" };
    /// A matcher that the event ignores.
    MATCHER_IDLE = "no_effect" / "codex_matcher" { "Codex does not use `matcher` at {event}: the hook runs for every {event}", "Codex 在 {event} 不使用 `matcher`：每次 {event} 都会执行此 Hook" } hint { "remove `matcher`", "删除 `matcher`" };
    /// An entry that only the agent can run.
    AGENT_ONLY = "agent_only" / "codex" { "only Codex can run entries of type {type}; Hookwright shows this one", "{type} 类型的条目只能由 Codex 执行；Hookwright 仅显示它" };
    /// Hookwright's relay among the user's hooks.
    RELAY = "relay_entry" / "codex" { "Hookwright's own relay: it sends Codex's events to Hookwright, and the engine does not run it", "Hookwright 自己的中继：把 Codex 的事件发送给 Hookwright，引擎不会执行它" };
}

/// The messages about runs and hook outputs. Their codes are not Problem codes.
pub mod answers {
    hookwright_model::messages! {
        /// More context than the agent keeps.
        CONTEXT_CUT = "context_cut" { "{tokens} tokens of context; Codex keeps {limit} and tells the model that it cut the rest", "上下文约 {tokens} 个 token；Codex 只保留 {limit} 个，并会告知模型其余部分已截断" } hint { "write less, or set `additionalContextLimit`", "减少输出，或设置 `additionalContextLimit`" };
        /// Many blocked stops in a row, which Codex does not limit.
        STOP_LOOP = "stop_loop" { "{count} blocked stops in a row; Codex has no limit and continues", "已连续拦截停止 {count} 次；Codex 没有上限，会继续" } hint { "let the hook read `stop_hook_active`", "让 Hook 读取 `stop_hook_active`" };
        /// A hook that the user switched off in Codex.
        AGENT_DISABLED = "agent_disabled" { "it is switched off in Codex (`enabled = false` in config.toml)", "已在 Codex 中关闭（config.toml 中 `enabled = false`）" };
        /// A switch of the user or the administrator that is for all hooks.
        SWITCHED_OFF = "agent_switched_off" / "codex" { "`{key}` in {path} switches this hook off in Codex", "{path} 中的 `{key}` 在 Codex 中关闭了此 Hook" };
        /// Hooks that Codex skips.
        AGENT_SKIPS = "agent_skips" { "Codex skips these hooks and reports nothing: {labels} ({states})", "Codex 会不作提示地跳过：{labels}（{states}）" } hint { "review them with `/hooks` in Codex; for an untrusted folder use `codex exec --trust`", "在 Codex 中用 `/hooks` 审阅；目录未受信任时使用 `codex exec --trust`" };
        /// The relay's hooks after they are added.
        REVIEW = "agent_review" / "codex" { "Codex skips these hooks until you have reviewed them: start Codex and open `/hooks`", "在你审阅之前，Codex 会跳过这些 Hook：请启动 Codex 并打开 `/hooks`" };
        /// Several new inputs of one call.
        INPUT_RACE = "race" { "{hook} and {other} both set `updatedInput`; in Codex the one that ends last wins", "{hook} 与 {other} 都设置了 `updatedInput`；在 Codex 中后结束的生效" };
    }
}
