//! The messages about j-cli's files and hook outputs, in both languages. The lint messages are in [`super::lint`].

hookwright_model::messages! {
    /// The whole file is not a mapping.
    FILE_TYPE = "wrong_type" / "file" { "the file must be a mapping from events to lists of hooks, found {found}", "文件应为“事件 → Hook 列表”的映射，此处是 {found}" } hint { "begin with an event: `pre_send_message:`", "以事件名开头：`pre_send_message:`" };
    /// The variable that names the user's folder is a relative path.
    RELATIVE_DATA_PATH = "relative_place" { "`{name}` is the relative path `{path}`, so the user's hooks are not loaded", "`{name}` 是相对路径 `{path}`，因此未加载用户的 Hook" } hint { "set `{name}` to an absolute path", "将 `{name}` 设为绝对路径" };
    /// The value of an event is not a list.
    LIST_TYPE = "wrong_type" / "list" { "`{event}` must be a list of hooks, found {found}", "`{event}` 应为 Hook 列表，此处是 {found}" } hint { "put a dash before each hook; until then j-cli rejects the whole file", "在每个 Hook 前加短横线；在此之前 j-cli 会拒绝整个文件" };
    /// An item of a list is not a mapping.
    HOOK_TYPE = "wrong_type" / "hook" { "a hook must be a mapping, found {found}", "Hook 应为映射，此处是 {found}" } hint { "write `- command: …`; until then j-cli rejects the whole file", "写成 `- command: …`；在此之前 j-cli 会拒绝整个文件" };
    /// A field is not a string.
    STRING_TYPE = "wrong_type" / "string" { "`{field}` must be a string, found {found}", "`{field}` 应为字符串，此处是 {found}" } hint { "write a string, in quotes if in doubt; until then j-cli rejects the whole file", "写成字符串，不确定时加引号；在此之前 j-cli 会拒绝整个文件" };
    /// A field is not a whole number.
    INTEGER_TYPE = "wrong_type" / "integer" { "`{field}` must be a whole number, found {written}", "`{field}` 应为整数，此处是 {written}" } hint { "write only digits, without quotes, unit or fraction; until then j-cli rejects the whole file", "只写数字，不加引号、单位或小数；在此之前 j-cli 会拒绝整个文件" };
    /// A field is not a mapping.
    MAPPING_TYPE = "wrong_type" / "mapping" { "`{field}` must be a mapping, found {found}", "`{field}` 应为映射，此处是 {found}" } hint { "write its keys below it, indented; until then j-cli rejects the whole file", "把它的键缩进写在下面；在此之前 j-cli 会拒绝整个文件" };
    /// A text that begins with `{{` and was read as a mapping.
    TEMPLATE_TYPE = "wrong_type" / "template" { "`{field}` begins with `{{`, which YAML reads as a mapping", "`{field}` 以 `{{` 开头，YAML 会将其视为映射" } hint { "put the value in quotes, or write it as a block after `|`; until then j-cli rejects the whole file", "加上引号，或写成 `|` 之后的文本块；在此之前 j-cli 会拒绝整个文件" };
    /// A command that is a bare number or boolean.
    BARE_COMMAND = "wrong_type" / "bare" { "`command` is the {found} {written}; it is run as text", "`command` 是 {found} {written}，会作为文本执行" } hint { "put it in quotes", "加上引号" };
    /// A definition without what it runs.
    MISSING = "missing_field" { "a {type} hook needs `{field}`", "{type} Hook 缺少 `{field}`" } hint { "add `{field}: …`", "添加 `{field}: …`" };
    /// A `prompt` without `type: llm`.
    MISSING_TYPE = "missing_field" / "type" { "a bash hook needs `command`; this one has a `prompt`", "bash Hook 需要 `command`；这里只有 `prompt`" } hint { "add `type: llm`", "添加 `type: llm`" };
    /// A `command` under `type: llm`.
    MISSING_PROMPT = "missing_field" / "prompt" { "an llm hook needs `prompt`; this one has a `command`", "llm Hook 需要 `prompt`；这里只有 `command`" } hint { "add `prompt: …`, or remove `type: llm`", "添加 `prompt: …`，或删除 `type: llm`" };
    /// The command or the prompt is blank.
    EMPTY = "empty_field" { "`{field}` is blank", "`{field}` 为空" } hint { "write what to run, or remove the hook", "写上要执行的内容，或删除此 Hook" };
    /// An unknown `type`.
    UNKNOWN_TYPE = "unknown_value" / "type" { "unknown type `{written}`", "未知类型 `{written}`" } hint { "write `bash` or `llm`; until then j-cli rejects the whole file", "写 `bash` 或 `llm`；在此之前 j-cli 会拒绝整个文件" };
    /// An unknown `on_error`.
    UNKNOWN_ON_ERROR = "unknown_value" / "on_error" { "`on_error` cannot be `{written}`", "`on_error` 不能是 `{written}`" } hint { "write `skip` (continue) or `abort` (block); until then j-cli rejects the whole file", "写 `skip`（继续）或 `abort`（拦截）；在此之前 j-cli 会拒绝整个文件" };
    /// A number is less than the minimum.
    TOO_SMALL = "out_of_range" / "small" { "`{field}` is {written}; it must be at least {least}", "`{field}` 为 {written}，至少应为 {least}" } hint { "write {least} or more", "写 {least} 或更大的数" };
    /// A timeout above the limit.
    TOO_LONG = "out_of_range" / "long" { "`timeout` is {written} seconds; {most} are used", "`timeout` 为 {written} 秒；按 {most} 秒处理" } hint { "write {most} or less; the unit is seconds", "写 {most} 或更小的数；单位是秒" };
    /// An unknown event.
    UNKNOWN_EVENT = "unknown_event" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "known events: {events}", "可用事件：{events}" };
    /// An unknown event whose name is similar to a known one.
    UNKNOWN_EVENT_NEAR = "unknown_event" / "near" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// The older form with a list of entries under `hooks`.
    UNKNOWN_EVENT_OLDER = "unknown_event" / "older" { "`hooks` with a list of `event:` entries is an older form that j-cli ignores", "`hooks` 加 `event:` 列表是旧写法，j-cli 会忽略" } hint { "write each entry under the name of its event at the top level: `pre_send_message:`", "把每一项写到文件顶层对应的事件名之下：`pre_send_message:`" };
    /// A key around the events.
    UNKNOWN_EVENT_WRAPPER = "unknown_event" / "wrapper" { "`{event}` is not an event: j-cli reads events only at the top level of the file", "`{event}` 不是事件：j-cli 只读取文件顶层的事件" } hint { "remove `{event}:`, and move what is under it to the left", "删除 `{event}:`，并把其下的内容左移" };
    /// A field of a hook that is at the top of the file.
    UNKNOWN_EVENT_FIELD = "unknown_event" / "field" { "`{event}` is a field of a hook, but is at the top level of the file", "`{event}` 是 Hook 的字段，却写在文件顶层" } hint { "indent it under the dash of its hook", "缩进到所属 Hook 的短横线之下" };
    /// A second list of the same event.
    DUPLICATE_EVENT = "duplicate_key" / "event" { "duplicate key `{key}`: the hooks here do not run", "重复的键 `{key}`：此处的 Hook 不会执行" } hint { "move these hooks to the list at line {line}; j-cli uses only one of the two and does not report it", "将这些 Hook 移到第 {line} 行的列表；j-cli 只采用其中一个，且不提示" };
    /// A duplicate key in one mapping.
    DUPLICATE_KEY = "duplicate_key" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two", "只保留一个" };
    /// An unknown key.
    UNKNOWN_FIELD = "unknown_field" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "known fields: {known}", "可用字段：{known}" };
    /// An unknown key whose name is similar to a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "near" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A switch such as `enabled`, which j-cli does not have.
    UNKNOWN_FIELD_SWITCH = "unknown_field" / "switch" { "unknown field `{field}` is ignored: the file of j-cli cannot switch a hook off, so it runs", "未知字段 `{field}` 会被忽略：j-cli 的文件无法关闭 Hook，此 Hook 仍会执行" } hint { "mute the hook in Hookwright, or put `#` before its lines", "在 Hookwright 中将其静音，或用 `#` 注释掉" };
    /// A field of the other type of hook.
    NO_EFFECT = "no_effect" { "`{field}` has no effect in a {type} hook", "`{field}` 在 {type} Hook 中不起作用" } hint { "remove it", "删除它" };
    /// An unknown placeholder, which stays as it is.
    PLACEHOLDER = "unknown_placeholder" { "{written} is not a placeholder and is kept unchanged", "{written} 不是占位符，会原样保留" } hint { "known placeholders: {known}", "可用占位符：{known}" };
    /// An unknown placeholder whose name is similar to a known one.
    PLACEHOLDER_NEAR = "unknown_placeholder" / "near" { "{written} is not a placeholder and is kept unchanged", "{written} 不是占位符，会原样保留" } hint { "write {nearest}, without spaces inside", "写成 {nearest}，花括号内不留空格" };
    /// Hookwright's relay among the user's hooks.
    RELAY = "relay_entry" { "Hookwright's own relay: it sends j-cli's events to Hookwright, and the engine does not run it", "Hookwright 自己的中继：把 j-cli 的事件发送给 Hookwright，引擎不会执行它" };
}

/// The messages about runs and hook outputs. Their codes are not Problem codes.
pub mod answers {
    hookwright_model::messages! {
        /// There is no model, or the model returned an error.
        REFUSED = "model_failed" { "the model did not respond: {stderr}", "模型未回复：{stderr}" };
        /// stdout is not one JSON object.
        NOT_ONE_OBJECT = "not_one_object" { "stdout is not one JSON object", "stdout 不是一个 JSON 对象" };
        /// The text of the model is not one JSON object.
        NO_OBJECT = "no_object" { "the response is not one JSON object", "回复不是一个 JSON 对象" };
        /// A duplicate key in the output.
        KEY_TWICE = "key_twice" { "duplicate key `{key}` in the output", "返回结果中有重复的键 `{key}`" };
        /// A field of the wrong type.
        FIELD_TYPE = "field_type" { "`{field}` must be {wanted}", "`{field}` 的类型应为 {wanted}" };
        /// An unknown `action`.
        ACTION = "unknown_action" { "`action` is `{written}`; it can be stop or skip", "`action` 为 `{written}`；只能是 stop 或 skip" };
        /// `abort: null`.
        ABORT_NULL = "abort_null" { "`abort` is null; it must be true or false", "`abort` 为 null；只能是 true 或 false" };
        /// An item of a message list that is not a message.
        MESSAGE = "bad_message" { "`{field}` item {index} is not a valid message: {what}", "`{field}` 的第 {index} 项不是有效的消息：{what}" };
        /// A field that no event has.
        UNKNOWN_KEY = "unknown_key" { "j-cli has no such field", "j-cli 没有此字段" };
        /// A `retry_feedback` without the stop that it needs.
        FEEDBACK_ALONE = "needs_stop" { "it has an effect only with `action: stop`", "仅与 `action: stop` 同时使用时生效" };
        /// A skip together with `abort: true`.
        STOP_WINS = "stop_wins" { "`abort: true` is set too, and stop wins over skip", "同时设置了 `abort: true`，stop 优先于 skip" };
        /// The payload names another event than the one that was fired.
        OTHER_EVENT = "event_differs" { "the payload's `event` is {found}, but {event} was fired", "载荷中的 `event` 是 {found}，但触发的是 {event}" };
    }
}

/// What `connect` says about the files that it changes.
pub mod connecting {
    hookwright_model::messages! {
        /// The user has the folder from which a later j-cli reads hooks.
        HOOK_FOLDER = "relay_not_read" { "newer versions of j-cli ignore `{file}` and read hooks from `{folder}`; see docs/real-agents.md", "较新的 j-cli 忽略 `{file}`，从 `{folder}` 读取 Hook；见 docs/real-agents.md" };
    }
}
