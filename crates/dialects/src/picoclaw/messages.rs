//! Messages about PicoClaw's files and hook output, in English and Chinese. The advice in [`super::lint`] has its own
//! list.

hookwright_model::messages! {
    /// The root of the file is not an object.
    FILE_TYPE = "wrong_type" / "pico_file" { "the file must be a JSON object, found {found}", "文件应为 JSON 对象，此处是 {found}" } hint { "write `{\"hooks\": {\"processes\": {…}}}`", "写成 `{\"hooks\": {\"processes\": {…}}}`" };
    /// A field is not an object.
    OBJECT_TYPE = "wrong_type" / "pico_object" { "`{field}` must be an object, found {found}", "`{field}` 应为对象，此处是 {found}" } hint { "put its keys between braces; until then PicoClaw rejects the whole file", "把它的键写在花括号之间；在此之前 PicoClaw 会拒绝整个文件" };
    /// A field is not a string.
    STRING_TYPE = "wrong_type" / "pico_string" { "`{field}` must be a string, found {found}", "`{field}` 应为字符串，此处是 {found}" } hint { "put it in double quotes; until then PicoClaw rejects the whole file", "加上双引号；在此之前 PicoClaw 会拒绝整个文件" };
    /// A field is not a boolean.
    FLAG_TYPE = "wrong_type" / "pico_flag" { "`{field}` must be true or false, found {found}", "`{field}` 应为 true 或 false，此处是 {found}" } hint { "write true or false without quotes; until then PicoClaw rejects the whole file", "写 true 或 false，不加引号；在此之前 PicoClaw 会拒绝整个文件" };
    /// A field is not a whole number.
    INTEGER_TYPE = "wrong_type" / "pico_integer" { "`{field}` must be a whole number, found {written}", "`{field}` 应为整数，此处是 {written}" } hint { "write only digits, without quotes, unit or fraction; until then PicoClaw rejects the whole file", "只写数字，不加引号、单位或小数；在此之前 PicoClaw 会拒绝整个文件" };
    /// A field is not a list.
    LIST_TYPE = "wrong_type" / "pico_list" { "`{field}` must be a list of strings, found {found}", "`{field}` 应为字符串列表，此处是 {found}" } hint { "put each string between `[` and `]`; until then PicoClaw rejects the whole file", "把各个字符串写在 `[` 和 `]` 之间；在此之前 PicoClaw 会拒绝整个文件" };
    /// `command` is not a list, for example one text.
    COMMAND_TYPE = "wrong_type" / "pico_command" { "`command` must be a list of words, found {found}: no shell splits it", "`command` 应为单词列表，此处是 {found}：没有 shell 来拆分它" } hint { "write `[\"python3\", \"hook.py\"]`; until then PicoClaw rejects the whole file", "写成 `[\"python3\", \"hook.py\"]`；在此之前 PicoClaw 会拒绝整个文件" };
    /// An entry has no `command`.
    MISSING = "missing_field" / "pico_command" { "a process needs `command`", "进程缺少 `command`" } hint { "add `\"command\": [\"python3\", \"hook.py\"]`", "添加 `\"command\": [\"python3\", \"hook.py\"]`" };
    /// `command` is empty, or its first word is blank.
    EMPTY = "empty_field" / "pico_command" { "`command` names no program", "`command` 没有指明程序" } hint { "write the program first, then its arguments: `[\"python3\", \"hook.py\"]`", "先写程序，再写参数：`[\"python3\", \"hook.py\"]`" };
    /// A transport that Hookwright does not support.
    TRANSPORT = "unsupported" / "pico_transport" { "unsupported transport `{written}`: the hook does not run; only `stdio` is supported", "不支持传输方式 `{written}`，只支持 `stdio`；此 Hook 不会执行" } hint { "write `stdio`, or remove the field", "写 `stdio`，或删除该字段" };
    /// An unknown hook point.
    UNKNOWN_POINT = "unknown_value" / "pico_intercept" { "unknown value `{written}` in `intercept`", "`intercept` 中有未知的值 `{written}`" } hint { "known points: {known}", "可用的值：{known}" };
    /// An unknown hook point that is spelled like a known one.
    UNKNOWN_POINT_NEAR = "unknown_value" / "pico_intercept_near" { "unknown value `{written}` in `intercept`", "`intercept` 中有未知的值 `{written}`" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// An unknown kind.
    UNKNOWN_KIND = "unknown_value" / "pico_observe" { "unknown value `{written}` in `observe`", "`observe` 中有未知的值 `{written}`" } hint { "known kinds: {known}, or `*` for all", "可用的值：{known}，或用 `*` 表示全部" };
    /// An unknown kind that is spelled like a known one.
    UNKNOWN_KIND_NEAR = "unknown_value" / "pico_observe_near" { "unknown value `{written}` in `observe`", "`observe` 中有未知的值 `{written}`" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// Kinds in the spelling of later versions.
    RENAMED_KIND = "renamed_event" / "pico" { "{kinds}: names of later versions, which are accepted", "{kinds}：较新版本的写法，可以使用" } hint { "use {names} where the process compares `Kind`", "进程比较 `Kind` 时使用 {names}" };
    /// Kinds that PicoClaw fires, but Hookwright does not.
    OTHER_KINDS = "unsupported" / "pico_kind" { "PicoClaw fires {kinds}; Hookwright does not fire them or send them to this process", "PicoClaw 会触发 {kinds}，Hookwright 无法触发，也不会通知该进程" } hint { "leave them to the agent", "保留给 Agent 即可" };
    /// The entry neither observes nor intercepts.
    NO_MODES = "no_modes" { "the process neither observes nor intercepts", "该进程既不观察也不拦截" } hint { "write `\"intercept\": [\"before_tool\"]` or `\"observe\": [\"*\"]`", "写 `\"intercept\": [\"before_tool\"]` 或 `\"observe\": [\"*\"]`" };
    /// The file is empty.
    EMPTY_FILE = "syntax" / "pico_empty" { "the file is empty; expected JSON", "文件为空；应为 JSON" } hint { "write `{}`, or remove the file", "写成 `{}`，或删除该文件" };
    /// A timeout above the limit, which is used instead.
    TOO_LONG = "out_of_range" / "pico_long" { "`{field}` is {written} ms; {most} are used", "`{field}` 为 {written} 毫秒；按 {most} 毫秒处理" } hint { "write {most} or less", "写 {most} 或更小的数" };
    /// A timeout that was probably written in seconds.
    UNIT_SUSPECT = "unit_suspect" / "pico" { "`{field}` is {written} milliseconds", "`{field}` 为 {written} 毫秒" } hint { "write {millis} if seconds were intended; the unit is milliseconds", "若原意是秒，写 {millis}；单位是毫秒" };
    /// A key is repeated in one object.
    DUPLICATE_KEY = "duplicate_key" / "pico" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two; PicoClaw uses only the last one and does not report it", "只保留一个；PicoClaw 只采用后一个，且不提示" };
    /// A second entry of the same name.
    DUPLICATE_ENTRY = "duplicate_key" / "pico_entry" { "duplicate process `{key}`: the one at line {line} runs, this one does not", "重复的进程 `{key}`：执行第 {line} 行的进程，不执行此处的" } hint { "rename it; PicoClaw uses only the last one and does not report it", "给它改名；PicoClaw 只采用后一个，且不提示" };
    /// An unknown key, which is ignored.
    UNKNOWN_FIELD = "unknown_field" / "pico" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "known fields: {known}", "可用字段：{known}" };
    /// An unknown key that is spelled like a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "pico_near" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A time limit in an entry, which is ignored: limits are set per file.
    UNKNOWN_FIELD_TIMEOUT = "unknown_field" / "pico_timeout" { "unknown field `{field}` is ignored: a single process cannot have a time limit", "未知字段 `{field}` 会被忽略：单个进程不能设置时限" } hint { "set the time limits, in ms, for all processes of the file in `hooks.defaults`", "在 `hooks.defaults` 中设置时限（毫秒），对文件中所有进程生效" };
    /// An entry without `enabled`, which is off.
    NOT_ENABLED = "not_enabled" { "`enabled` is missing, so the process is off", "缺少 `enabled`，因此该进程是关闭的" } hint { "add `\"enabled\": true`", "添加 `\"enabled\": true`" };
    /// A hook that is compiled into the agent.
    BUILTIN = "agent_only" { "this hook is compiled into PicoClaw and runs only there", "此 Hook 编译在 PicoClaw 内，只在那里执行" } hint { "add a process to `hooks.processes` for hooks that Hookwright should run", "在 `hooks.processes` 中添加要由 Hookwright 执行的进程" };
    /// Hookwright's relay is one of the user's hooks.
    RELAY = "relay_entry" / "pico" { "Hookwright's own relay: it sends PicoClaw's events to Hookwright, and the engine does not run it", "Hookwright 自己的中继：把 PicoClaw 的事件发送给 Hookwright，引擎不会执行它" };
    /// The project has an entry of the same name.
    SHADOWED = "shadowed" / "pico" { "the project's process of the same name, {by}, replaces this one once it is approved", "项目中的同名进程 {by} 获批准后会取代此进程" } hint { "rename one of the two if both should run", "若两者都要执行，给其中一个改名" };
    /// The directory of a project's process is outside the project.
    DIR_OUTSIDE = "file_outside" / "dir" { "`dir` is outside the project: {dir}; an approval does not cover the files there", "`dir` 在项目之外：{dir}；批准不覆盖其中的文件" } hint { "write a path inside the project", "写项目内的路径" };
}

/// Messages about runs and hook output, and why a definition is off. Their codes are not Problem codes.
pub mod answers {
    hookwright_model::messages! {
        /// The entry's switch is off.
        OFF = "switched_off" / "pico" { "`enabled` is false in its file", "文件中 `enabled` 为 false" };
        /// The file's switch is off.
        ALL_OFF = "switched_off" / "pico_all" { "`hooks.enabled` is false in its file", "文件中 `hooks.enabled` 为 false" };
        /// The reason of a block by an approver whose definition is invalid.
        INVALID_APPROVER = "invalid_approver" { "invalid approver", "审批 Hook 无效" };
        /// The payload names another kind than the one that fired.
        OTHER_KIND = "other_event" / "pico" { "the payload's `Kind` is `{found}`, but the event is {event}", "载荷的 `Kind` 是 `{found}`，但事件是 {event}" };
        /// The process has exited, and no reason is known.
        PEER_GONE = "peer_gone" { "the process has ended", "进程已结束" };
        /// The process returned an error.
        REFUSED = "refused" { "{message}", "{message}" };
        /// The process's queue of notifications is full.
        QUEUE = "not_delivered" { "the process does not read its input, and too many notifications are waiting", "进程未读取输入，等待的通知过多" };
        /// The line is not a JSON-RPC response.
        NO_ANSWER = "no_answer" { "the response is not a valid JSON-RPC response", "不是有效的 JSON-RPC 响应" };
        /// The result is not an object.
        NO_OBJECT = "no_object" / "pico" { "the result is not an object", "结果不是对象" };
        /// A field has the wrong type.
        FIELD_TYPE = "answer_type" / "pico" { "`{field}` must be of type {wanted}", "`{field}` 的类型应为 {wanted}" };
        /// The result contains no approval.
        NO_APPROVAL = "no_approval" { "no approval given", "没有给出批准" };
        /// `respond` without a result for the tool.
        NO_RESULT = "no_result" { "`respond` without an object `result`", "`respond` 缺少对象 `result`" };
        /// The action is unknown.
        UNKNOWN_ACTION = "unknown_action" / "pico" { "unknown action `{written}`", "未知的 action `{written}`" };
        /// The event does not accept the action, so the whole output is ignored.
        NOT_ACCEPTED = "not_accepted" / "pico" { "{event} does not accept it", "{event} 不接受此项" };
        /// A part of an output whose action is ignored.
        WITH_ACTION = "not_accepted" / "pico_beside" { "discarded because of the action `{written}`", "因 action `{written}` 而丢弃" };
        /// An unknown key.
        UNKNOWN_KEY = "unknown_key" / "pico" { "PicoClaw has no such field", "PicoClaw 没有此字段" };
        /// A key is repeated. The last value is used.
        DUPLICATE_KEY = "key_twice" / "pico" { "duplicate key `{key}`; the last one is used", "重复的键 `{key}`；以最后一个为准" };
        /// A part that cannot be replaced by this object.
        NOT_REPLACED = "not_replaced" { "`{object}` does not replace it", "`{object}` 不会替换它" };
        /// A reason without a decision.
        REASON_IDLE = "reason_idle" { "it has no effect without a decision", "没有决定时不起作用" };
        /// A result without the action `respond`.
        WITHOUT_RESPOND = "without_respond" { "it has an effect only with `respond`", "仅与 `respond` 同时使用时生效" };
        /// The wrapper of the object is missing.
        MISSING_WRAPPER = "bare_result" { "wrap it: {\"{object}\": {…}}", "请包一层：{\"{object}\": {…}}" };
        /// The wrapper contains no inner object.
        EMPTY_WRAPPER = "empty_wrapper" { "the inner `{object}` is missing", "缺少内层的 `{object}`" };
        /// The wrapper of the object is missing, as a notice.
        MISSING_WRAPPER_WARNING = "bare_result" / "seen" { "{label} returned `{object}` without a wrapper; PicoClaw discards it and does not report it", "{label} 返回了没有包装的 `{object}`；PicoClaw 会将其丢弃，且不提示" } hint { "wrap it: `{\"{object}\": {…}}`", "加上包装：`{\"{object}\": {…}}`" };
        /// Parts that are missing in `request` become empty.
        PARTS_DROPPED = "drops_changes" / "pico" { "{label} left `{parts}` out of `request`, so the model does not receive them", "{label} 的 `request` 没有写 `{parts}`，模型将收不到这些内容" } hint { "copy the unchanged parts too: `request` replaces the whole request", "照抄未改动的部分：`request` 会替换整个请求" };
        /// Parts that must not be empty keep their value.
        PARTS_PRESERVED = "kept" { "{label} left `{parts}` out of `{object}`: Hookwright keeps the value, PicoClaw would empty it", "{label} 的 `{object}` 没有写 `{parts}`：Hookwright 保留原值，而 PicoClaw 会将其清空" };
        /// `call` next to `respond` has no effect.
        CALL_IDLE = "no_effect" / "pico_call" { "{label} returned `call` together with `respond`: it is recorded and has no effect", "{label} 在返回 `respond` 时给出了 `call`：仅记录，不起作用" };
        /// A hook responds in place of a tool, so no approver is asked.
        APPROVERS_SKIPPED = "skips_approval" { "{by} returned the result of {tool} itself; approvers that are not asked: {count}", "{by} 直接返回了 {tool} 的结果，{count} 个审批 Hook 不会被询问" } hint { "use `approve_tool` to guard what that hook does itself", "用 `approve_tool` 防护该 Hook 自身的操作" };
        /// The default reason of `abort_turn`.
        ABORT = "turn_abort" { "hook requested turn abort", "Hook 要求中止当前轮次" };
        /// The reason of a block by an approver that failed.
        APPROVER_FAILED = "approver_failed" { "tool approval hook \"{name}\" failed", "工具审批 Hook \"{name}\" 失败" };
        /// The reason of a block by an approver that timed out.
        APPROVER_TIMED_OUT = "approver_timed_out" { "tool approval hook \"{name}\" timed out", "工具审批 Hook \"{name}\" 超时" };
        /// The handshake contains `"ok": false`.
        HELLO_NOT_OK = "hello_not_ok" { "{name} sent `\"ok\": false` in the handshake; Hookwright uses it anyway", "{name} 在握手中返回 `\"ok\": false`；Hookwright 仍会使用它" } hint { "return `{\"ok\": true}`, or exit if the process cannot work", "返回 `{\"ok\": true}`；若进程无法工作，应直接退出" };
        /// A response to the greeting over several lines.
        HELLO_LINES = "handshake_output" / "pico_lines" { "it wrote JSON over several lines, and a response is one line", "它把 JSON 写成了多行，而一个响应只占一行" };
        /// A response to the greeting whose id is a text.
        HELLO_ID_TEXT = "handshake_output" / "pico_id_text" { "the id of its response is the text `\"{id}\"`, and not the number 1", "其响应的 id 是文本 `\"{id}\"`，而不是数字 1" };
        /// A response to the greeting with another id.
        HELLO_OTHER_ID = "handshake_output" / "pico_other_id" { "the id of its response is {id}, and that of the handshake is 1", "其响应的 id 是 {id}，而握手请求的 id 是 1" };
        /// A response to the greeting without an id.
        HELLO_NO_ID = "handshake_output" / "pico_no_id" { "its response has no `id`, and that of the handshake is 1", "其响应没有 `id`，而握手请求的 id 是 1" };
        /// A response to the greeting without a line break at its end.
        HELLO_UNFINISHED = "handshake_output" / "pico_unfinished" { "its response has no line break at the end", "其响应末尾没有换行" };
        /// Something else than a response to the greeting, such as a banner.
        HELLO_OTHER = "handshake_output" / "pico_other" { "it wrote `{line}`, which is not a response", "它写了 `{line}`，这不是响应" };
        /// The handshake response is an error.
        HELLO_ERROR = "hello_refused" { "it returned the error {message}", "返回了错误 {message}" };
        /// The handshake result is not an object.
        HELLO_TYPE = "hello_refused" / "type" { "the result is not an object", "结果不是对象" };
        /// A line that is not a JSON object.
        LINE_NO_JSON = "peer_noise" / "no_json" { "a line on stdout is not a JSON object: {line}", "stdout 上有一行不是 JSON 对象：{line}" } hint { "write everything except responses to stderr", "把响应以外的内容写到 stderr" };
        /// An id that is a text.
        LINE_ID = "peer_noise" / "id" { "a response has the id {id} as a string; ids are numbers", "响应的 id {id} 是字符串；id 应为数字" } hint { "return the id unchanged", "原样返回 id" };
    }
}
