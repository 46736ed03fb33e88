//! The messages about Qoder's files and hook outputs, in both languages. The lint messages are in [`super::lint`].

hookwright_model::messages! {
    /// The whole file is not an object.
    FILE_TYPE = "wrong_type" / "qoder_file" { "the file must be an object with the section `hooks`, found {found}", "文件应为带 `hooks` 段的对象，此处是 {found}" } hint { "write `{\"hooks\": {…}}`", "写成 `{\"hooks\": {…}}`" };
    /// The section `hooks` is not an object.
    SECTION_TYPE = "wrong_type" / "qoder_section" { "`hooks` must be an object from event to list of groups, found {found}", "`hooks` 应为“事件 → 分组列表”的对象，此处是 {found}" } hint { "write `{\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}`", "写成 `{\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}`" };
    /// The value of an event is not an array.
    EVENT_TYPE = "wrong_type" / "qoder_event" { "`{event}` must be an array of groups, found {found}", "`{event}` 应为分组数组，此处是 {found}" } hint { "write `[{\"matcher\": \"Bash\", \"hooks\": […]}]`", "写成 `[{\"matcher\": \"Bash\", \"hooks\": […]}]`" };
    /// A group is not an object.
    GROUP_TYPE = "wrong_type" / "qoder_group" { "a group must be an object with `hooks`, found {found}", "分组应为带 `hooks` 的对象，此处是 {found}" } hint { "write `{\"matcher\": \"Bash\", \"hooks\": […]}`", "写成 `{\"matcher\": \"Bash\", \"hooks\": […]}`" };
    /// An entry is not an object.
    ENTRY_TYPE = "wrong_type" / "qoder_entry" { "an entry must be an object with `type` and `command`, found {found}", "条目应为带 `type` 和 `command` 的对象，此处是 {found}" } hint { "write `{\"type\": \"command\", \"command\": \"…\"}`", "写成 `{\"type\": \"command\", \"command\": \"…\"}`" };
    /// A field has the wrong type.
    FIELD_TYPE = "wrong_type" / "qoder_field" { "`{field}` must be {wanted}, found {found}", "`{field}` 的类型应为 {wanted}，此处是 {found}" } hint { "write {wanted}", "改为 {wanted}" };
    /// A group without its entries.
    MISSING_HOOKS = "missing_field" / "qoder_hooks" { "a group needs `hooks`, the list of its entries", "分组缺少 `hooks`（条目列表）" } hint { "write `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}`", "写成 `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}`" };
    /// An entry that is directly in an event's list, without a group.
    MISSING_GROUP = "missing_field" / "qoder_group" { "this entry has no group: `hooks` is missing around it", "此条目没有分组：外层缺少 `hooks`" } hint { "put it into `{\"hooks\": [ … ]}`", "放进 `{\"hooks\": [ … ]}`" };
    /// An entry without its type.
    MISSING_TYPE = "missing_field" / "qoder_type" { "an entry needs `type`", "条目缺少 `type`" } hint { "add `\"type\": \"command\"`", "添加 `\"type\": \"command\"`" };
    /// An entry without its command.
    MISSING_COMMAND = "missing_field" / "qoder_command" { "an entry of type command needs `command`", "command 类型的条目缺少 `command`" } hint { "add `\"command\": \"…\"`", "添加 `\"command\": \"…\"`" };
    /// The command is blank.
    EMPTY = "empty_field" / "qoder" { "`{field}` is blank", "`{field}` 为空" } hint { "write what to run, or remove the entry", "写上要执行的内容，或删除此条目" };
    /// An unknown type of entry.
    UNKNOWN_TYPE = "unknown_value" / "qoder_type" { "unknown type `{written}`", "未知类型 `{written}`" } hint { "write `command`", "写 `command`" };
    /// An unknown shell.
    UNKNOWN_SHELL = "unknown_value" / "qoder_shell" { "`shell` cannot be `{written}`", "`shell` 不能是 `{written}`" } hint { "write `bash`, or remove the field to use sh", "写 `bash`；省略则使用 sh" };
    /// A type that the agent knows and Hookwright does not run.
    UNSUPPORTED_TYPE = "unsupported" / "qoder_type" { "Hookwright does not run entries of type {written}", "Hookwright 不执行 {written} 类型的条目" } hint { "write a command that does the same, or leave it to the agent", "改写为等效的命令，或留给 Agent 执行" };
    /// An event that the agent knows and Hookwright does not fire.
    UNSUPPORTED_EVENT = "unsupported" / "qoder_event" { "Qoder fires `{event}`; Hookwright does not, so it only shows this hook", "Qoder 会触发 `{event}`，Hookwright 无法触发：此 Hook 仅供显示" } hint { "leave it to the agent, which still runs it", "保留即可，由 Agent 执行" };
    /// A field that changes what the hook means.
    UNSUPPORTED_FIELD = "unsupported" / "qoder_field" { "Hookwright does not support `{field}`: it shows this hook and does not run it; your agent still does", "Hookwright 不支持 `{field}`：此 Hook 仅供显示，不会执行；Agent 仍会执行" } hint { "remove it, or leave the hook to the agent", "删除它，或留给 Agent 执行" };
    /// A timeout of zero or less.
    TOO_SMALL = "out_of_range" / "qoder_small" { "`timeout` is {written}; it must be greater than 0", "`timeout` 为 {written}，必须大于 0" } hint { "write a number of seconds, or remove the field for 60", "写秒数；省略则为 60" };
    /// A timeout above the limit.
    TOO_LONG = "out_of_range" / "qoder_long" { "`timeout` is {written} seconds; {most} are used", "`timeout` 为 {written} 秒；按 {most} 秒处理" } hint { "write {most} or less; the unit is seconds", "写 {most} 或更小的数；单位是秒" };
    /// An unknown event.
    UNKNOWN_EVENT = "unknown_event" / "qoder" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "known events: {events}", "可用事件：{events}" };
    /// An unknown event whose name is similar to a known one.
    UNKNOWN_EVENT_NEAR = "unknown_event" / "qoder_near" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A duplicate key in one object.
    DUPLICATE_KEY = "duplicate_key" / "qoder" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two; most programs use only the last one and do not report it", "只保留一个；多数程序只采用最后一个，且不提示" };
    /// A second list of the same event.
    DUPLICATE_EVENT = "duplicate_key" / "qoder_event" { "duplicate key `{key}`: the hooks here do not run", "重复的键 `{key}`：此处的 Hook 不会执行" } hint { "move these hooks to the list at line {line}", "将这些 Hook 移到第 {line} 行的列表" };
    /// An unknown key.
    UNKNOWN_FIELD = "unknown_field" / "qoder" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "known fields: {known}", "可用字段：{known}" };
    /// An unknown key whose name is similar to a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "qoder_near" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// `sequential`, which has no effect because all hooks run at once.
    SEQUENTIAL = "no_effect" / "qoder_sequential" { "`sequential` has no effect: all matching hooks run at once with the same input", "`sequential` 不起作用：匹配的 Hook 使用同一输入，同时执行" } hint { "put steps that depend on each other into one command", "把相互依赖的步骤写进同一个命令" };
    /// A `shell` for a command that is started without one.
    SHELL_IDLE = "no_effect" / "qoder_shell" { "`shell` has no effect with `args`: the program starts without a shell", "有 `args` 时 `shell` 不起作用：程序直接启动，不经过 shell" } hint { "remove one of the two", "删除其中一个" };
    /// A matcher that the event ignores.
    MATCHER_IDLE = "no_effect" / "qoder_matcher" { "Qoder does not use `matcher` at {event}: the hook runs for every {event}", "Qoder 在 {event} 不使用 `matcher`：每次 {event} 都会执行此 Hook" } hint { "remove `matcher`", "删除 `matcher`" };
    /// A matcher for file names, which the event ignores.
    MATCHER_IDLE_FILE = "no_effect" / "qoder_matcher_file" { "Qoder does not use `matcher` at {event}: the hook runs for every file", "Qoder 在 {event} 不使用 `matcher`：每个文件都会执行此 Hook" } hint { "remove `matcher`", "删除 `matcher`" };
    /// A module whose import raised an exception.
    IMPORT_FAILED = "import_failed" { "the module could not be imported: {error}", "模块导入失败：{error}" } hint { "check the log for its output; none of its hooks run until it imports", "查看日志中的输出；导入成功之前，其中的 Hook 不会执行" };
    /// A module without a table of hooks.
    NO_TABLE = "missing_field" / "qoder_table" { "the module has neither `options` nor `hooks`", "模块中既没有 `options` 也没有 `hooks`" } hint { "write `hooks = {\"PreToolUse\": [HookMatcher(hooks=[…])]}` at the end", "在末尾添加 `hooks = {\"PreToolUse\": [HookMatcher(hooks=[…])]}`" };
    /// A table of hooks that is not a dict.
    TABLE_TYPE = "wrong_type" / "qoder_table" { "the hooks of the module must be a dict, found {found}", "模块的 `hooks` 应为 dict，此处是 {found}" } hint { "write `hooks = {\"PreToolUse\": [HookMatcher(hooks=[…])]}`", "写成 `hooks = {\"PreToolUse\": [HookMatcher(hooks=[…])]}`" };
    /// The value of an event in a module is not a list.
    EVENT_MATCHERS = "wrong_type" / "qoder_matchers" { "`{event}` must be a list of HookMatcher, found {found}", "`{event}` 应为 HookMatcher 列表，此处是 {found}" } hint { "write `[HookMatcher(hooks=[…])]`", "写成 `[HookMatcher(hooks=[…])]`" };
    /// A key of the table that is not a string.
    EVENT_KEY = "wrong_type" / "qoder_key" { "the keys of `hooks` must be event names, found {found}", "`hooks` 的键应为事件名，此处是 {found}" } hint { "write the name as a string", "用字符串写事件名" };
    /// A matcher that raises an exception when it is read.
    MATCHER_UNREAD = "wrong_type" / "qoder_unread" { "a HookMatcher at `{event}` cannot be read: {error}", "`{event}` 中有一个 HookMatcher 无法读取：{error}" } hint { "write `HookMatcher(hooks=[…])`", "写成 `HookMatcher(hooks=[…])`" };
    /// The callbacks of a matcher are not a list.
    CALLBACKS_TYPE = "wrong_type" / "qoder_callbacks" { "`hooks` of a HookMatcher at `{event}` must be a list of callbacks, found {found}", "`{event}` 中 HookMatcher 的 `hooks` 应为回调列表，此处是 {found}" } hint { "write `HookMatcher(hooks=[…])`", "写成 `HookMatcher(hooks=[…])`" };
    /// A callback that is a plain function.
    CALLBACK_SYNC = "wrong_type" / "qoder_not_async" { "`{name}` is not `async def`: each call of it fails, and the agent continues", "`{name}` 不是 `async def`：每次调用都会失败，Agent 继续执行" } hint { "write `async def` before its name", "在函数名之前写 `async def`" };
    /// A callback with other parameters than Qoder passes.
    CALLBACK_PARAMETERS = "wrong_type" / "qoder_parameters" { "`{name}{found}` does not take the three arguments of Qoder: each call fails, and the agent continues", "`{name}{found}` 无法接受 Qoder 传入的三个参数：每次调用都会失败，Agent 继续执行" } hint { "write `(input, tool_use_id, context)`", "写成 `(input, tool_use_id, context)`" };
    /// An item of an event's list that is not a matcher.
    MATCHER_TYPE = "wrong_type" / "qoder_matcher" { "`{event}` must contain HookMatcher objects, found {found}", "`{event}` 中应为 HookMatcher，此处是 {found}" } hint { "write `HookMatcher(hooks=[…])`", "写成 `HookMatcher(hooks=[…])`" };
    /// A callback that is an async generator.
    CALLBACK_GENERATOR = "wrong_type" / "qoder_generator" { "`{name}` contains `yield`, so it is an async generator: each call of it fails, and the agent continues", "`{name}` 含有 `yield`，因此是异步生成器：每次调用都会失败，Agent 继续执行" } hint { "write `return` in place of `yield`", "把 `yield` 改为 `return`" };
    /// A callback that cannot be called.
    NOT_CALLABLE = "wrong_type" / "qoder_callback" { "this callback is not callable", "此回调不可调用" } hint { "give the name of an `async def`", "写 `async def` 函数的名字" };
    /// Hookwright's relay among the user's hooks.
    RELAY = "relay_entry" / "qoder" { "Hookwright's own relay: it sends Qoder's events to Hookwright, and the engine does not run it", "Hookwright 自己的中继：把 Qoder 的事件发送给 Hookwright，引擎不会执行它" };
}

/// The messages about runs and hook outputs. Their codes are not Problem codes.
pub mod answers {
    hookwright_model::messages! {
        /// Exit code 2 without a reason on stderr.
        BLOCKED = "blocked_by_hook" / "qoder" { "blocked by hook", "被 Hook 拦截" };
        /// A callback that returned something else than a dict.
        NO_OBJECT = "no_object" / "qoder" { "the callback did not return a dict", "回调没有返回 dict" };
        /// A callback that is a plain function.
        NOT_ASYNC = "callback_failed" / "qoder_not_async" { "the callback is not `async def`, so nothing can await it", "回调不是 `async def`，因此无法等待其结果" } hint { "write `async def` before its name", "在函数名之前写 `async def`" };
        /// A callback whose call gives an async generator.
        GENERATOR = "callback_failed" / "qoder_generator" { "the callback contains `yield`, so it is an async generator and nothing can await it", "回调含有 `yield`，因此是异步生成器，无法等待其结果" } hint { "write `return` in place of `yield`", "把 `yield` 改为 `return`" };
        /// A callback that does not take the arguments of a call.
        PARAMETERS = "callback_failed" / "qoder_parameters" { "the callback takes {found}, and not the three arguments that Qoder passes", "回调的参数是 {found}，无法接受 Qoder 传入的三个参数" } hint { "write `(input, tool_use_id, context)`", "写成 `(input, tool_use_id, context)`" };
        /// A callback that raised an exception.
        RAISED = "callback_failed" / "qoder" { "the callback failed: {error}", "回调出错：{error}" };
        /// The bridge exited before the reply, without stderr.
        BRIDGE_GONE = "bridge_gone" / "qoder" { "the Python process exited before it responded", "Python 进程在响应之前退出" };
        /// The bridge exited before the reply, with its stderr.
        BRIDGE_GONE_WITH_STDERR = "bridge_gone" / "saying" { "the Python process exited before it responded: {stderr}", "Python 进程在响应之前退出：{stderr}" };
        /// A module whose hooks do not run.
        MODULE_OUT = "module_out" / "qoder" { "none of the hooks of {path} ran: {why}", "{path} 中的 Hook 均未执行：{why}" };
        /// A line of the bridge that is not a message.
        INVALID_BRIDGE_LINE = "bridge_noise" / "qoder" { "the Python process wrote a line that is not a message: {line}", "Python 进程输出了无法识别的内容：{line}" };
    }
}
