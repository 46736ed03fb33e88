//! Messages about PicoClaw's files and hook output, in English and Chinese. The advice in [`super::lint`] has its own
//! list.

hookwright_model::messages! {
    /// The root of the file is not an object.
    FILE_TYPE = "wrong_type" / "pico_file" { "the file must be a JSON object, found {found}", "文件应为 JSON 对象，此处是 {found}" } hint { "write `{\"hooks\": {\"processes\": {…}}}`", "写成 `{\"hooks\": {\"processes\": {…}}}`" };
    /// A field is not an object.
    OBJECT_TYPE = "wrong_type" / "pico_object" { "`{field}` must be an object, found {found}", "`{field}` 应为对象，此处是 {found}" } hint { "put its keys between braces; PicoClaw itself refuses the whole file for this", "把它的键写在花括号之间；PicoClaw 会因此拒绝整个文件" };
    /// A field is not a string.
    STRING_TYPE = "wrong_type" / "pico_string" { "`{field}` must be a string, found {found}", "`{field}` 应为字符串，此处是 {found}" } hint { "put it in double quotes; PicoClaw itself refuses the whole file for this", "加上双引号；PicoClaw 会因此拒绝整个文件" };
    /// A field is not a boolean.
    FLAG_TYPE = "wrong_type" / "pico_flag" { "`{field}` must be true or false, found {found}", "`{field}` 应为 true 或 false，此处是 {found}" } hint { "write true or false without quotes; PicoClaw itself refuses the whole file for this", "写 true 或 false，不加引号；PicoClaw 会因此拒绝整个文件" };
    /// A field is not a whole number.
    INTEGER_TYPE = "wrong_type" / "pico_integer" { "`{field}` must be a whole number, this is {written}", "`{field}` 应为整数，此处是 {written}" } hint { "write digits only, without quotes, unit or fraction; PicoClaw itself refuses the whole file for this", "只写数字，不加引号、单位或小数；PicoClaw 会因此拒绝整个文件" };
    /// A field is not a list.
    LIST_TYPE = "wrong_type" / "pico_list" { "`{field}` must be a list of strings, found {found}", "`{field}` 应为字符串列表，此处是 {found}" } hint { "put each string between [ and ]; PicoClaw itself refuses the whole file for this", "把各个字符串写在 [ 和 ] 之间；PicoClaw 会因此拒绝整个文件" };
    /// `command` is not a list, for example one text.
    COMMAND_TYPE = "wrong_type" / "pico_command" { "`command` must be a list of words, found {found}: no shell splits it", "`command` 应为单词列表，此处是 {found}：没有 shell 来拆分它" } hint { "write `[\"python3\", \"hook.py\"]`; PicoClaw itself refuses the whole file for this", "写成 `[\"python3\", \"hook.py\"]`；PicoClaw 会因此拒绝整个文件" };
    /// An entry has no `command`.
    MISSING = "missing_field" / "pico_command" { "a process needs `command`", "进程缺少 `command`" } hint { "write `\"command\": [\"python3\", \"hook.py\"]`", "写上 `\"command\": [\"python3\", \"hook.py\"]`" };
    /// `command` is empty, or its first word is blank.
    EMPTY = "empty_field" / "pico_command" { "`command` names no program", "`command` 没有指明程序" } hint { "write the program first, then its arguments: `[\"python3\", \"hook.py\"]`", "先写程序，再写参数：`[\"python3\", \"hook.py\"]`" };
    /// A transport that Hookwright does not support.
    TRANSPORT = "unsupported" / "pico_transport" { "there is only the transport `stdio`, this is `{written}`; the hook is not run", "传输方式只有 `stdio`，此处是 `{written}`；不会运行这个 hook" } hint { "write `stdio`, or take the field away", "写 `stdio`，或删去该字段" };
    /// An unknown hook point.
    UNKNOWN_POINT = "unknown_value" / "pico_intercept" { "`intercept` cannot have `{written}`", "`intercept` 不能有 `{written}`" } hint { "the points are {known}", "可用的有：{known}" };
    /// An unknown hook point that is spelled like a known one.
    UNKNOWN_POINT_NEAR = "unknown_value" / "pico_intercept_near" { "`intercept` cannot have `{written}`", "`intercept` 不能有 `{written}`" } hint { "write `{nearest}`", "写成 `{nearest}`" };
    /// An unknown kind.
    UNKNOWN_KIND = "unknown_value" / "pico_observe" { "`observe` cannot have `{written}`", "`observe` 不能有 `{written}`" } hint { "the kinds are {known}, or * for all", "可用的有：{known}，或用 * 表示全部" };
    /// An unknown kind that is spelled like a known one.
    UNKNOWN_KIND_NEAR = "unknown_value" / "pico_observe_near" { "`observe` cannot have `{written}`", "`observe` 不能有 `{written}`" } hint { "write `{nearest}`", "写成 `{nearest}`" };
    /// Kinds in the spelling of later versions.
    RENAMED_KIND = "renamed_event" / "pico" { "{kinds}: written as in later versions, which is accepted", "{kinds}：较新版本的写法，可以使用" } hint { "use {names} where the process compares `Kind`", "进程比较 `Kind` 时请用 {names}" };
    /// Kinds that PicoClaw fires, but Hookwright does not.
    OTHER_KINDS = "unsupported" / "pico_kind" { "PicoClaw fires {kinds}, Hookwright cannot: it does not send them to this process", "PicoClaw 会触发 {kinds}，Hookwright 无法触发：此处不会通知该进程" } hint { "leave them to the agent", "保留给 Agent 即可" };
    /// The entry neither observes nor intercepts.
    NO_MODES = "no_modes" { "the process neither observes nor intercepts", "该进程既不观察也不拦截" } hint { "write `\"intercept\": [\"before_tool\"]` or `\"observe\": [\"*\"]`", "写上 `\"intercept\": [\"before_tool\"]` 或 `\"observe\": [\"*\"]`" };
    /// The file is empty.
    EMPTY_FILE = "syntax" / "pico_empty" { "the file is empty, which is no JSON", "文件为空，不是 JSON" } hint { "write {} or take the file away", "写成 {}，或删去该文件" };
    /// A timeout above the limit, which is used instead.
    TOO_LONG = "out_of_range" / "pico_long" { "`{field}` is {written} ms; {most} are used", "`{field}` 为 {written} 毫秒；按 {most} 毫秒处理" } hint { "write {most} or less", "写 {most} 或更小的数" };
    /// A timeout that was probably written in seconds.
    UNIT_SUSPECT = "unit_suspect" / "pico" { "`{field}` is {written} milliseconds", "`{field}` 为 {written} 毫秒" } hint { "the unit is milliseconds, not seconds: {millis}?", "单位是毫秒而不是秒：{millis}？" };
    /// A key is repeated in one object.
    DUPLICATE_KEY = "duplicate_key" / "pico" { "`{key}` stands twice in one object", "`{key}` 在同一对象中出现两次" } hint { "keep one of the two; PicoClaw itself silently keeps the last", "只保留一个；PicoClaw 会悄悄保留后一个" };
    /// A second entry of the same name.
    DUPLICATE_ENTRY = "duplicate_key" / "pico_entry" { "there is a process `{key}` at line {line} already; this one is not run", "第 {line} 行已有进程 `{key}`；此处的不会运行" } hint { "give it another name; PicoClaw itself silently keeps the last", "换一个名字；PicoClaw 会悄悄保留后一个" };
    /// An unknown key, which is ignored.
    UNKNOWN_FIELD = "unknown_field" / "pico" { "`{field}` is not read", "`{field}` 不会被读取" } hint { "known are {known}", "可用字段：{known}" };
    /// An unknown key that is spelled like a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "pico_near" { "`{field}` is not read", "`{field}` 不会被读取" } hint { "write `{nearest}`", "写成 `{nearest}`" };
    /// A time limit in an entry, which is ignored: limits are set per file.
    UNKNOWN_FIELD_TIMEOUT = "unknown_field" / "pico_timeout" { "`{field}` is not read: one process has no time limit of its own", "`{field}` 不会被读取：单个进程没有自己的时限" } hint { "only `hooks.defaults` has time limits, in milliseconds, for all processes of the file", "只有 `hooks.defaults` 中有时限（毫秒），对文件中所有进程生效" };
    /// An entry without `enabled`, which is off.
    NOT_ENABLED = "not_enabled" { "`enabled` is missing, so the process is off", "没有写 `enabled`，因此该进程是关闭的" } hint { "write `\"enabled\": true`", "写上 `\"enabled\": true`" };
    /// A hook that is compiled into the agent.
    BUILTIN = "agent_only" { "this hook is compiled into PicoClaw and runs only there", "此 Hook 编译在 PicoClaw 内，只在那里执行" } hint { "add a process to `hooks.processes` for what Hookwright is to run", "需要由 Hookwright 执行的，请添加到 `hooks.processes`" };
    /// Hookwright's relay is one of the user's hooks.
    RELAY = "relay_entry" / "pico" { "Hookwright's own relay: it brings PicoClaw's events here and is not run by the engine", "Hookwright 自己的中继：它把 PicoClaw 的事件送到这里，引擎不会运行它" };
    /// The project has an entry of the same name.
    SHADOWED = "shadowed" / "pico" { "the project's process of the same name, {by}, replaces this one once it is approved", "项目中的同名进程 {by} 获批准后会取代此进程" } hint { "give one of the two another name to run both", "若两者都要执行，给其中一个改名" };
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
        INVALID_APPROVER = "invalid_approver" { "invalid approver", "审批 hook 无效" };
        /// The payload names another kind than the one that fired.
        OTHER_KIND = "other_event" / "pico" { "the payload's `Kind` is `{found}`, the event is {event}", "payload 的 `Kind` 是 `{found}`，而事件是 {event}" };
        /// The process has exited, and no reason is known.
        PEER_GONE = "peer_gone" { "the process is gone", "进程已不在" };
        /// The process returned an error.
        REFUSED = "refused" { "{message}", "{message}" };
        /// The process's queue of notifications is full.
        QUEUE = "not_delivered" { "it does not read, and too many notifications wait for it", "它没有读取输入，等待的通知过多" };
        /// The line is not a JSON-RPC response.
        NO_ANSWER = "no_answer" { "the answer is no JSON-RPC answer", "应答不是 JSON-RPC 应答" };
        /// The result is not an object.
        NO_OBJECT = "no_object" / "pico" { "the result is no object", "结果不是对象" };
        /// A field has the wrong type.
        FIELD_TYPE = "answer_type" / "pico" { "`{field}` is no {wanted}", "`{field}` 不是 {wanted}" };
        /// The result contains no approval.
        NO_APPROVAL = "no_approval" { "no approval given", "没有给出批准" };
        /// `respond` without a result for the tool.
        NO_RESULT = "no_result" { "respond without an object `result`", "respond 没有对象 `result`" };
        /// The action is unknown.
        UNKNOWN_ACTION = "unknown_action" / "pico" { "there is no action `{written}`", "没有动作 `{written}`" };
        /// The event does not accept the action, so the whole output is ignored.
        NOT_ACCEPTED = "not_accepted" / "pico" { "{event} does not accept it", "{event} 不接受此项" };
        /// A part of an output whose action is ignored.
        WITH_ACTION = "not_accepted" / "pico_beside" { "set aside with the action `{written}`", "随动作 `{written}` 一并搁置" };
        /// An unknown key.
        UNKNOWN_KEY = "unknown_key" / "pico" { "no such field", "没有这个字段" };
        /// A key is repeated. The last value is used.
        DUPLICATE_KEY = "key_twice" / "pico" { "`{key}` stands twice; the last one counts", "`{key}` 出现两次；以后一个为准" };
        /// A part that cannot be replaced by this object.
        NOT_REPLACED = "not_replaced" { "`{object}` does not replace it", "`{object}` 不会替换它" };
        /// A reason without a decision.
        REASON_IDLE = "reason_idle" { "there is no decision that it is the reason of", "没有需要理由的决策" };
        /// A result without the action `respond`.
        WITHOUT_RESPOND = "without_respond" { "it counts beside `respond` only", "只有配合 `respond` 才有效" };
        /// The wrapper of the object is missing.
        MISSING_WRAPPER = "bare_result" { "wrap it: {\"{object}\": {…}}", "请包一层：{\"{object}\": {…}}" };
        /// The wrapper contains no inner object.
        EMPTY_WRAPPER = "empty_wrapper" { "there is no inner `{object}`", "里面没有 `{object}`" };
        /// The wrapper of the object is missing, as a notice.
        MISSING_WRAPPER_WARNING = "bare_result" / "seen" { "{label} gave a bare `{object}`, which PicoClaw drops without a word", "{label} 给出了没有包装的 `{object}`，PicoClaw 会悄悄丢弃它" } hint { "wrap it: {\"{object}\": {…}}", "请包一层：{\"{object}\": {…}}" };
        /// Parts that are missing in `request` become empty.
        PARTS_DROPPED = "drops_changes" / "pico" { "{label} left `{parts}` out of `request`, so the model gets none", "{label} 的 `request` 没有写 `{parts}`，模型将收不到它" } hint { "copy what is not changed: a request replaces the whole request", "未改动的部分也要照抄：request 会替换整个请求" };
        /// Parts that must not be empty keep their value.
        PARTS_PRESERVED = "kept" { "{label} left `{parts}` out of `{object}`; the value it had is kept, PicoClaw would empty it", "{label} 的 `{object}` 没有写 `{parts}`；保留原值，而 PicoClaw 会将其清空" };
        /// `call` next to `respond` has no effect.
        CALL_IDLE = "no_effect" / "pico_call" { "{label} gave `call` beside `respond`: it is recorded and has no effect", "{label} 在 `respond` 旁给出了 `call`：仅记录，不起作用" };
        /// A hook responds in place of a tool, so no approver is asked.
        APPROVERS_SKIPPED = "skips_approval" { "{by} answered for {tool}; approvers that are not asked: {count}", "{by} 代 {tool} 作答，因此不会询问它的 {count} 个审批 hook" } hint { "let approve_tool guard what the answering hook itself does", "作答的 hook 自身所做的事也应有 approve_tool 把关" };
        /// The default reason of `abort_turn`.
        ABORT = "turn_abort" { "hook requested turn abort", "hook 要求中止当前 turn" };
        /// The reason of a block by an approver that failed.
        APPROVER_FAILED = "approver_failed" { "tool approval hook \"{name}\" failed", "工具审批 hook \"{name}\" 失败" };
        /// The reason of a block by an approver that timed out.
        APPROVER_TIMED_OUT = "approver_timed_out" { "tool approval hook \"{name}\" timed out", "工具审批 hook \"{name}\" 超时" };
        /// The handshake contains `"ok": false`.
        HELLO_NOT_OK = "hello_not_ok" { "{name} answered the greeting with `\"ok\": false`; it is used all the same", "{name} 对握手应答 `\"ok\": false`；仍会使用它" } hint { "answer `{\"ok\": true}`, or end when the process cannot work", "应答 `{\"ok\": true}`；若无法工作请直接退出" };
        /// The handshake response is an error.
        HELLO_ERROR = "hello_refused" { "it answered with the error {message}", "它以错误应答：{message}" };
        /// The handshake result is not an object.
        HELLO_TYPE = "hello_refused" / "type" { "the result is no object", "结果不是对象" };
        /// A line that is not a JSON object.
        LINE_NO_JSON = "peer_noise" / "no_json" { "a line on stdout is no JSON object: {line}", "stdout 上有一行不是 JSON 对象：{line}" } hint { "write what is not an answer to stderr", "非应答的内容请写到 stderr" };
        /// An id that is a text.
        LINE_ID = "peer_noise" / "id" { "an answer has the id {id} as a text; ids are numbers", "应答的 id {id} 是文本；id 应为数字" } hint { "give the id back as it came", "原样返回 id" };
    }
}
