//! Messages about hook folders and hook output, in English and Chinese. The advice in [`super::lint`] has its own list.

hookwright_model::messages! {
    /// The file does not begin with `---`.
    NO_FRONT = "syntax" / "front_missing" { "HOOK.md has no front matter", "HOOK.md 没有 frontmatter" } hint { "begin the file with a line `---`, then name, description and trigger, then another line `---`", "文件以一行 `---` 开头，写上 name、description、trigger，再以一行 `---` 结束" };
    /// The front matter has no closing `---`.
    OPEN_FRONT = "syntax" / "front_open" { "the front matter that begins here is not closed", "此处开始的 frontmatter 没有闭合" } hint { "add a line `---` below its last field", "在最后一个字段下面加一行 `---`" };
    /// The front matter is not a mapping.
    FRONT_TYPE = "syntax" / "front_mapping" { "the front matter must be a mapping, found {found}", "frontmatter 应为映射，此处是 {found}" } hint { "write `name: …`, `description: …` and `trigger: …`, one per line", "逐行写 `name: …`、`description: …`、`trigger: …`" };
    /// A required field is missing.
    MISSING = "missing_field" / "front" { "`{field}` is missing", "缺少 `{field}`" } hint { "write `{field}: {example}` in the front matter", "在 frontmatter 中写 `{field}: {example}`" };
    /// A field is empty.
    EMPTY = "empty_field" / "front" { "`{field}` is empty", "`{field}` 为空" } hint { "write `{field}: {example}`", "写成 `{field}: {example}`" };
    /// A text is too long.
    TOO_LONG = "out_of_range" / "characters" { "`{field}` has {found} characters, at most {most} are allowed", "`{field}` 有 {found} 个字符，最多 {most} 个" } hint { "shorten the text", "缩短文本" };
    /// A field is not a string.
    STRING_TYPE = "wrong_type" / "front_string" { "`{field}` must be a string, found {found}", "`{field}` 应为字符串，此处是 {found}" } hint { "write a string, in quotes if in doubt", "写成字符串，不确定时加引号" };
    /// A field is not a whole number.
    INTEGER_TYPE = "wrong_type" / "front_integer" { "`{field}` must be a whole number, found {written}", "`{field}` 应为整数，此处是 {written}" } hint { "write only digits, without quotes, unit or fraction", "只写数字，不加引号、单位或小数" };
    /// A field is not a boolean.
    BOOLEAN_TYPE = "wrong_type" / "front_boolean" { "`{field}` must be true or false, found {written}", "`{field}` 应为 true 或 false，此处是 {written}" } hint { "write `true` or `false` without quotes", "不加引号地写 `true` 或 `false`" };
    /// A field is not a mapping.
    MAPPING_TYPE = "wrong_type" / "front_mapping" { "`{field}` must be a mapping, found {found}", "`{field}` 应为映射，此处是 {found}" } hint { "write `tool:` and `pattern:` below it, indented", "把 `tool:` 和 `pattern:` 缩进写在下面" };
    /// A timeout of less than 1 ms.
    TOO_SHORT = "out_of_range" / "timeout_least" { "`timeout` is {written}; it must be at least 1 ms", "`timeout` 为 {written}，至少应为 1 毫秒" } hint { "write 5000 for five seconds; the unit is milliseconds", "5 秒写作 5000；单位是毫秒" };
    /// A timeout outside the usual range.
    UNUSUAL = "out_of_range" / "timeout" { "`timeout` is {written} ms; usual values are 100 to 600000", "`timeout` 为 {written} 毫秒；通常取 100 到 600000" } hint { "write 5000 for five seconds; the unit is milliseconds", "5 秒写作 5000；单位是毫秒" };
    /// A timeout above the limit of the engine.
    TIMEOUT_TOO_LONG = "out_of_range" / "timeout_most" { "`timeout` is {written} ms; {most} is used", "`timeout` 为 {written} 毫秒，按 {most} 处理" } hint { "write 600000 or less", "写不超过 600000 的值" };
    /// A priority out of range.
    PRIORITY = "out_of_range" / "priority" { "`priority` is {written}; {taken} is used", "`priority` 为 {written}，按 {taken} 处理" } hint { "write a number from 0 to 1000; higher runs earlier", "写 0 到 1000 之间的数；数值越高越早执行" };
    /// A character that is not allowed in names.
    NAME_SIGN = "name_form" / "sign" { "`name` contains {sign}; only lower-case letters, digits and single hyphens inside are allowed", "`name` 中有 {sign}；它只能包含小写字母、数字和中间的单个连字符" } hint { "write `name: {example}`", "写成 `name: {example}`" };
    /// A hyphen where none is allowed.
    NAME_HYPHEN = "name_form" / "hyphen" { "`name` begins or ends with a hyphen, or has two in a row", "`name` 以连字符开头或结尾，或有两个连字符相连" } hint { "write `name: {example}`", "写成 `name: {example}`" };
    /// A name that is not in Unicode form NFKC.
    NAME_NFKC = "name_form" / "nfkc" { "`name` is not in Unicode form NFKC: two names can look the same and still differ", "`name` 不是 Unicode NFKC 形式，看起来相同的两个名字可能并不相同" } hint { "write `name: {example}`", "写成 `name: {example}`" };
    /// A name that differs from the folder's name.
    NAME_FOLDER = "name_form" / "folder" { "`name` is {name}, but the folder is {folder}", "`name` 为 {name}，但文件夹是 {folder}" } hint { "use the same name for both; Hookwright uses `name`", "让两者同名；Hookwright 使用 `name`" };
    /// The event is unknown.
    UNKNOWN_EVENT = "unknown_event" / "front" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "known events: {events}", "可用事件：{events}" };
    /// The event is unknown, but its name is similar to a known one.
    UNKNOWN_EVENT_NEAR = "unknown_event" / "front_near" { "unknown event `{event}`", "未知事件 `{event}`" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// An event of later versions that this version of the standard does not have.
    UNKNOWN_EVENT_LATER = "unknown_event" / "front_later" { "`{event}` exists only in later versions; this version of the agent does not have it", "`{event}` 只存在于较新的版本，此版本的 Agent 没有该事件" } hint { "known events: {events}", "可用事件：{events}" };
    /// An event in the spelling of later versions.
    RENAMED = "renamed_event" / "front" { "`{written}` is the name of {event} in later versions; it is accepted, and scripts receive {event}", "`{written}` 是 {event} 在较新版本中的写法，可以使用；脚本收到的是 {event}" } hint { "use {event} where the script compares `event_type`", "脚本比较 `event_type` 时使用 {event}" };
    /// Events in the spelling of later versions, in several hooks.
    RENAMED_ALL = "renamed_event" / "front_all" { "{count} hooks use event names of later versions, which are accepted: {names}", "{count} 个 Hook 使用较新版本的事件名，可以使用：{names}" } hint { "use {events} where their scripts compare `event_type`", "脚本比较 `event_type` 时使用 {events}" };
    /// A key is repeated.
    DUPLICATE_KEY = "duplicate_key" / "front" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two", "只保留其中一个" };
    /// An unknown field, which is ignored.
    UNKNOWN_FIELD = "unknown_field" / "front" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "known fields: {known}", "可用字段：{known}" };
    /// An unknown field whose name is similar to a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "front_near" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A field that is probably meant as a switch. Hooks have none.
    UNKNOWN_FIELD_SWITCH = "unknown_field" / "front_switch" { "unknown field `{field}` is ignored: HOOK.md cannot switch a hook off", "未知字段 `{field}` 会被忽略：HOOK.md 无法关闭 Hook" } hint { "mute it in Hookwright, or move its folder away", "在 Hookwright 中将其静音，或移走它的文件夹" };
    /// Another folder in the same root has the same name.
    DUPLICATE_NAME = "duplicate_name" { "{other} has the same name `{name}` and replaces this hook", "{other} 同名（`{name}`），会取代此 Hook" } hint { "rename one of the two", "给其中一个改名" };
    /// A hook in another root has the same name.
    SHADOWED = "shadowed" { "{other} has the same name `{name}` and replaces this hook", "{other} 同名（`{name}`），会取代此 Hook" } hint { "rename one of the two if both should run", "若两者都要执行，给其中一个改名" };
    /// The project has a hook of the same name.
    SHADOWED_ONCE_APPROVED = "shadowed" / "once_approved" { "{other} has the same name `{name}` and replaces this hook once it is approved", "{other} 同名（`{name}`），获批准后会取代此 Hook" } hint { "rename one of the two if both should run", "若两者都要执行，给其中一个改名" };
    /// The hook is Hookwright's relay.
    RELAY = "relay_entry" / "folder" { "Hookwright's own relay: it sends the agent's events to Hookwright, and the engine does not run it", "Hookwright 自己的中继：把 Agent 的事件发送给 Hookwright，引擎不会执行它" };
}

/// Messages about runs and hook output. Their codes are not Problem codes.
pub mod answers {
    hookwright_model::messages! {
        /// The exit code is neither 0 nor 2.
        EXITED = "exited" / "hook" { "Hook exited with code {code}", "Hook 退出码 {code}" };
        /// The exit code is neither 0 nor 2, and the hook wrote to stderr.
        EXITED_WITH_STDERR = "exited" / "hook_saying" { "Hook exited with code {code}: {stderr}", "Hook 退出码 {code}：{stderr}" };
        /// The hook exceeded its time limit.
        TIMED_OUT = "timed_out" / "hook" { "Timeout ({ms} ms)", "超时（{ms} 毫秒）" };
        /// stdout is JSON, but not an object.
        NOT_OBJECT = "not_an_object" { "stdout is JSON, but not an object", "stdout 是 JSON，但不是对象" };
        /// `modified_input` is not an object.
        INPUT_TYPE = "modified_input_type" { "`modified_input` must be an object", "`modified_input` 应为对象" };
        /// `decision` has an unknown value.
        DECISION = "unknown_decision" { "`decision` is {written}; it can be allow, deny or ask", "`decision` 为 {written}；只能是 allow、deny 或 ask" };
        /// A field has the wrong type.
        FIELD_TYPE = "field_not_text" { "it must be a string", "应为字符串" };
        /// A field that no event has.
        UNKNOWN_KEY = "unknown_key" / "hook" { "Agent Hooks has no such field", "Agent Hooks 没有此字段" };
        /// A `reason` without a decision.
        REASON_ALONE = "reason_alone" { "it has no effect without a decision", "没有决定时不起作用" };
        /// A key is repeated. The last value is used.
        DUPLICATE_KEY = "key_twice" / "last" { "duplicate key in the output; the last one is used", "返回结果中的键重复；以最后一个为准" };
        /// stdout next to exit code 2, which is ignored.
        STDOUT_NOT_READ = "stdout_not_read" { "exit code 2 blocks, and stdout is ignored", "退出码 2 表示拦截，stdout 会被忽略" };
        /// The default reason of a block by exit code 2.
        BLOCKED_EXIT = "blocked" / "exit" { "Blocked by hook (exit code 2)", "被 Hook 拦截（退出码 2）" };
        /// The default reason of `deny`.
        BLOCKED_NAMED = "blocked" / "named" { "Blocked by hook '{name}'", "被 Hook“{name}”拦截" };
        /// The default reason of `ask`.
        CONFIRM = "confirmation" { "Hook requested confirmation", "Hook 请求确认" };
        /// The agent's own message when it continues after a block of its stop.
        BLOCKED_STOP = "blocked_stop" { "[Hook blocked stop: {reason}]", "[Hook blocked stop: {reason}]" };
        /// What the model receives for a call that a hook blocked.
        BLOCKED_TOOL = "blocked_tool" { "Tool blocked: {reason}", "Tool blocked: {reason}" };
        /// The simulation continues although a hook blocked.
        SIMULATION_CONTINUES = "play_went_on" { "{event} returned {verdict}; the agent decides here, and the simulation continues", "{event} 返回 {verdict}；此处由 Agent 决定，模拟继续" };
        /// The payload names another event than the one that fired.
        OTHER_EVENT = "event_differs" / "event_type" { "the payload's `event_type` is {found}, but {event} was fired", "载荷中的 `event_type` 是 {found}，但触发的是 {event}" };
        /// The limit of continuations in this turn is reached, so no hook can block the stop again.
        CONTINUATION_LIMIT = "continued_enough" { "{count} continuations already in this turn", "本轮已经继续了 {count} 次" };
    }
}

/// What `connect` says about the files that it changes.
pub mod connecting {
    hookwright_model::messages! {
        /// The user has an agent of Kimi that does not read the folders of Agent Hooks.
        RELEASED_AGENT = "relay_not_read" / "kimi" { "newer agents of Kimi ignore hook folders and read hooks from `{file}`; see docs/real-agents.md", "较新的 Kimi Agent 忽略 Hook 文件夹，从 `{file}` 读取 Hook；见 docs/real-agents.md" };
    }
}
