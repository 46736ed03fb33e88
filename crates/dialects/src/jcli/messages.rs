//! The messages about j-cli's files and hook outputs, in both languages. The lint messages are in [`super::lint`].

hookwright_model::messages! {
    /// The whole file is not a mapping.
    FILE_TYPE = "wrong_type" / "file" { "the file must be a mapping from event to list of hooks, this is a {found}", "文件应为“事件 → hook 列表”的映射，此处是 {found}" } hint { "begin with an event: `pre_send_message:`", "以事件名开头：`pre_send_message:`" };
    /// The variable that names the user's folder is a relative path.
    RELATIVE_DATA_PATH = "relative_place" { "`{name}` is the relative path `{path}`, so the user's hooks are not loaded", "`{name}` 是相对路径 `{path}`，因此未加载用户的 Hook" } hint { "set `{name}` to an absolute path", "将 `{name}` 设为绝对路径" };
    /// The value of an event is not a list.
    LIST_TYPE = "wrong_type" / "list" { "`{event}` must be a list of hooks, this is a {found}", "`{event}` 应为 hook 列表，此处是 {found}" } hint { "put a dash before each hook; j-cli itself rejects the whole file for this", "在每个 hook 前加短横线；j-cli 会因此拒绝整个文件" };
    /// An item of a list is not a mapping.
    HOOK_TYPE = "wrong_type" / "hook" { "a hook must be a mapping, this is a {found}", "hook 应为映射，此处是 {found}" } hint { "write `- command: …`; j-cli itself rejects the whole file for this", "写成 `- command: …`；j-cli 会因此拒绝整个文件" };
    /// A field is not a string.
    STRING_TYPE = "wrong_type" / "string" { "`{field}` must be a string, this is a {found}", "`{field}` 应为字符串，此处是 {found}" } hint { "write one text, in quotes where in doubt; j-cli itself rejects the whole file for this", "写成一段文本，拿不准时加引号；j-cli 会因此拒绝整个文件" };
    /// A field is not a whole number.
    INTEGER_TYPE = "wrong_type" / "integer" { "`{field}` must be a whole number, this is {written}", "`{field}` 应为整数，此处是 {written}" } hint { "write digits only, without quotes, unit or fraction; j-cli itself rejects the whole file for this", "只写数字，不加引号、单位或小数；j-cli 会因此拒绝整个文件" };
    /// A field is not a mapping.
    MAPPING_TYPE = "wrong_type" / "mapping" { "`{field}` must be a mapping, this is a {found}", "`{field}` 应为映射，此处是 {found}" } hint { "write its keys below it, indented; j-cli itself rejects the whole file for this", "把它的键缩进写在下面；j-cli 会因此拒绝整个文件" };
    /// A text that begins with `{{` and was read as a mapping.
    TEMPLATE_TYPE = "wrong_type" / "template" { "`{field}` begins with {{ and is a mapping to YAML", "`{field}` 以 {{ 开头，被 YAML 当作映射" } hint { "put the value in quotes, or write it as a block after |; j-cli itself rejects the whole file for this", "加上引号，或写成 | 之后的文本块；j-cli 会因此拒绝整个文件" };
    /// A command that is a bare number or boolean.
    BARE_COMMAND = "wrong_type" / "bare" { "`command` is the {found} {written} and is run as that text", "`command` 是 {found} {written}，将按其文本运行" } hint { "put it in quotes", "加上引号" };
    /// A definition without what it runs.
    MISSING = "missing_field" { "a {type} hook needs `{field}`", "{type} hook 缺少 `{field}`" } hint { "write `{field}: …`", "写上 `{field}: …`" };
    /// A `prompt` without `type: llm`.
    MISSING_TYPE = "missing_field" / "type" { "a bash hook needs `command`; this one has a `prompt`", "bash hook 需要 `command`；这里只有 `prompt`" } hint { "write `type: llm`", "写上 `type: llm`" };
    /// A `command` under `type: llm`.
    MISSING_PROMPT = "missing_field" / "prompt" { "an llm hook needs `prompt`; this one has a `command`", "llm hook 需要 `prompt`；这里只有 `command`" } hint { "write `prompt: …`, or take `type: llm` away", "写上 `prompt: …`，或删去 `type: llm`" };
    /// The command or the prompt is blank.
    EMPTY = "empty_field" { "`{field}` is blank", "`{field}` 为空" } hint { "write what is to be run, or remove the hook", "写上要运行的内容，或删除这个 hook" };
    /// An unknown `type`.
    UNKNOWN_TYPE = "unknown_value" / "type" { "there is no type `{written}`", "没有类型 `{written}`" } hint { "write `bash` or `llm`; j-cli itself rejects the whole file for this", "写 `bash` 或 `llm`；j-cli 会因此拒绝整个文件" };
    /// An unknown `on_error`.
    UNKNOWN_ON_ERROR = "unknown_value" / "on_error" { "`on_error` cannot be `{written}`", "`on_error` 不能是 `{written}`" } hint { "write `skip` (go ahead) or `abort` (hold); j-cli itself rejects the whole file for this", "写 `skip`（继续）或 `abort`（拦下）；j-cli 会因此拒绝整个文件" };
    /// A number is less than the minimum.
    TOO_SMALL = "out_of_range" / "small" { "`{field}` is {written}, at least {least} is needed", "`{field}` 为 {written}，至少应为 {least}" } hint { "write {least} or more", "写 {least} 或更大的数" };
    /// A timeout above the limit.
    TOO_LONG = "out_of_range" / "long" { "`timeout` is {written} seconds; {most} are used", "`timeout` 为 {written} 秒；按 {most} 秒处理" } hint { "the unit is seconds; write {most} or less", "单位是秒；写 {most} 或更小的数" };
    /// An unknown event.
    UNKNOWN_EVENT = "unknown_event" { "there is no event `{event}`", "没有事件 `{event}`" } hint { "the events are {events}", "可用事件：{events}" };
    /// An unknown event whose name is similar to a known one.
    UNKNOWN_EVENT_NEAR = "unknown_event" / "near" { "there is no event `{event}`", "没有事件 `{event}`" } hint { "write `{nearest}`", "写成 `{nearest}`" };
    /// The older form with a list of entries under `hooks`.
    UNKNOWN_EVENT_OLDER = "unknown_event" / "older" { "`hooks` with a list of `event:` entries is an older form that j-cli does not read", "`hooks` 加 `event:` 列表是旧写法，j-cli 不再读取" } hint { "write each entry under its event's name at the top of the file: `pre_send_message:`", "把每一项写到文件顶层对应的事件名之下：`pre_send_message:`" };
    /// A field of a hook that is at the top of the file.
    UNKNOWN_EVENT_FIELD = "unknown_event" / "field" { "`{event}` is a field of a hook and stands at the top of the file", "`{event}` 是 hook 的字段，却写在文件顶层" } hint { "indent it under the dash of its hook", "把它缩进到所属 hook 的短横线之下" };
    /// A second list of the same event.
    DUPLICATE_EVENT = "duplicate_key" / "event" { "`{key}` stands a second time; its hooks here are not run", "`{key}` 第二次出现；此处的 hook 不会运行" } hint { "put both lists under the one at line {line}; j-cli itself silently keeps one of the two", "把两个列表合并到第 {line} 行；j-cli 会悄悄丢掉其中一个" };
    /// A duplicate key in one mapping.
    DUPLICATE_KEY = "duplicate_key" { "`{key}` stands twice in one mapping", "`{key}` 在同一映射中出现两次" } hint { "keep one of the two", "只保留一个" };
    /// An unknown key.
    UNKNOWN_FIELD = "unknown_field" { "`{field}` is not read", "`{field}` 不会被读取" } hint { "known are {known}", "可用字段：{known}" };
    /// An unknown key whose name is similar to a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "near" { "`{field}` is not read", "`{field}` 不会被读取" } hint { "write `{nearest}`", "写成 `{nearest}`" };
    /// A switch such as `enabled`, which j-cli does not have.
    UNKNOWN_FIELD_SWITCH = "unknown_field" / "switch" { "`{field}` is not read: j-cli has no switch in the file, and the hook runs", "`{field}` 不会被读取：j-cli 文件中没有开关，hook 照常运行" } hint { "mute the hook in Hookwright, or put # before its lines", "在 Hookwright 中静音它，或用 # 注释掉" };
    /// A field of the other type of hook.
    NO_EFFECT = "no_effect" { "`{field}` does nothing in a {type} hook", "`{field}` 在 {type} hook 中不起作用" } hint { "take it away", "删去它" };
    /// An unknown placeholder, which stays as it is.
    PLACEHOLDER = "unknown_placeholder" { "{written} is no placeholder and stays as it is", "{written} 不是占位符，会原样保留" } hint { "known are {known}", "可用占位符：{known}" };
    /// An unknown placeholder whose name is similar to a known one.
    PLACEHOLDER_NEAR = "unknown_placeholder" / "near" { "{written} is no placeholder and stays as it is", "{written} 不是占位符，会原样保留" } hint { "write {nearest}, without blanks inside", "写成 {nearest}，花括号内不留空格" };
    /// Hookwright's relay among the user's hooks.
    RELAY = "relay_entry" { "Hookwright's own relay: it brings j-cli's events here and is not run by the engine", "Hookwright 自己的中继：它把 j-cli 的事件送到这里，引擎不会运行它" };
}

/// The messages about runs and hook outputs. Their codes are not Problem codes.
pub mod answers {
    hookwright_model::messages! {
        /// There is no model, or the model returned an error.
        REFUSED = "model_failed" { "the model did not answer: {stderr}", "模型没有回答：{stderr}" };
        /// stdout is not one JSON object.
        NOT_ONE_OBJECT = "not_one_object" { "stdout is not one JSON object", "stdout 不是一个 JSON 对象" };
        /// The text of the model is not one JSON object.
        NO_OBJECT = "no_object" { "the answer is not one JSON object", "回答不是一个 JSON 对象" };
        /// A duplicate key in the output.
        KEY_TWICE = "key_twice" { "the answer has `{key}` twice", "结果中 `{key}` 出现两次" };
        /// A field of the wrong type.
        FIELD_TYPE = "field_type" { "`{field}` must be {wanted}", "`{field}` 的类型应为 {wanted}" };
        /// An unknown `action`.
        ACTION = "unknown_action" { "`action` is `{written}`; it can be stop or skip", "`action` 为 `{written}`；只能是 stop 或 skip" };
        /// `abort: null`.
        ABORT_NULL = "abort_null" { "`abort` is null; it must be true or false", "`abort` 为 null；只能是 true 或 false" };
        /// An item of a message list that is not a message.
        MESSAGE = "bad_message" { "`{field}` item {index} is no message: {what}", "`{field}` 的第 {index} 项不是消息：{what}" };
        /// A field that no event has.
        UNKNOWN_KEY = "unknown_key" { "j-cli knows no such field", "j-cli 没有这个字段" };
        /// A `retry_feedback` without the stop that it needs.
        FEEDBACK_ALONE = "needs_stop" { "only together with action: stop", "仅与 action: stop 同时生效" };
        /// A skip together with `abort: true`.
        STOP_WINS = "stop_wins" { "abort: true stands beside it, and stop wins over skip", "同时有 abort: true，stop 优先于 skip" };
        /// The payload names another event than the one that was fired.
        OTHER_EVENT = "event_differs" { "the payload's `event` is {found}, but {event} was fired", "载荷中的 `event` 是 {found}，但触发的是 {event}" };
    }
}
