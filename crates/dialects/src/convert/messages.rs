//! The texts of the loss report.

hookwright_model::messages! {
    /// The event has no equivalent.
    NO_EVENT = "convert_no_event" { "not converted: {to} has no event for {event}", "未转换：{to} 没有与 {event} 对应的事件" };
    /// A prompt for a model.
    NO_PROMPT = "convert_no_prompt" { "not converted: {to} has no hooks that ask a model", "未转换：{to} 没有询问模型的 Hook" } hint { "write a command that asks the model", "编写一个询问模型的命令" };
    /// A prompt, which both dialects have in another form.
    PROMPT_FORM = "convert_no_prompt" / "other_form" { "not converted: {from} and {to} ask a model in different ways", "未转换：{from} 与 {to} 询问模型的方式不同" } hint { "write the prompt for {to}", "为 {to} 编写提示词" };
    /// A hook that only the agent can run.
    AGENT_ONLY = "convert_agent_only" { "not converted: {why}", "未转换：{why}" };
    /// A request to a URL.
    NO_REQUEST = "convert_no_request" { "not converted: {to} has no hooks that send requests", "未转换：{to} 没有发送请求的 Hook" } hint { "write a command that sends the request", "编写一个发送请求的命令" };
    /// A function of a Python module.
    NO_MODULE = "convert_no_module" { "not converted: {to} cannot run the Python functions of {file}", "未转换：{to} 无法执行 {file} 中的 Python 函数" } hint { "write a script that reads the event from stdin", "编写从 stdin 读取事件的脚本" };
    /// A text that the dialect cannot insert.
    NO_TEXT = "convert_no_text" { "not converted: {to} cannot insert a text at {event}", "未转换：{to} 无法在 {event} 插入文本" };
    /// A command, for a dialect that only inserts texts.
    NO_COMMAND = "convert_no_command" { "not converted: {to} runs no commands, it only inserts texts", "未转换：{to} 不执行命令，只插入文本" };
    /// A function inside the agent.
    NO_BUILTIN = "convert_no_builtin" { "not converted: this hook is part of the agent", "未转换：此 Hook 是 Agent 的一部分" };
    /// The folder of the hook has no script.
    NO_SCRIPT = "convert_no_script" { "not converted: the hook has no script", "未转换：此 Hook 没有脚本" } hint { "add `scripts/run`", "添加 `scripts/run`" };
    /// The definition has an error, or Hookwright does not run it.
    INVALID = "convert_invalid" { "not converted: {why}", "未转换：{why}" } hint { "run `hookwright check` and correct the definition first", "先执行 `hookwright check` 并更正定义" };
    /// The hook is off in its file.
    DISABLED = "convert_disabled" { "not converted: the hook is off in its file, and {to} has no switch for that", "未转换：此 Hook 在文件中已关闭，而 {to} 没有相应的开关" } hint { "set it to enabled first, or leave it out", "先启用，或不转换" };
    /// Hookwright's own entry.
    RELAY = "convert_relay" { "the relay of Hookwright is not converted", "不转换 Hookwright 的中继" } hint { "run `hookwright connect {target}` to add it there", "执行 `hookwright connect {target}` 在目标中添加" };
    /// The command was wrapped in the relay.
    UNWRAPPED = "convert_unwrapped" { "the relay around the command was left out", "已去掉命令外层的中继" } hint { "run `hookwright connect {target} --wrap` to add it there", "执行 `hookwright connect {target} --wrap` 在目标中添加" };
    /// Only a similar event exists.
    EVENT_NEAREST = "convert_event_nearest" { "{event} became {other}, the nearest event of {to}", "{event} 已换成 {to} 中最接近的事件 {other}" } hint { "check that the script fits this event", "检查脚本是否适合该事件" };
    /// A block at this event has no effect.
    CANNOT_BLOCK = "convert_cannot_block" { "{other} of {to} cannot block; {event} could", "{to} 的 {other} 无法拦截，而 {event} 可以" };
    /// A block gets the reason without which it would not count.
    REASON_ADDED = "convert_reason_added" { "the command is wrapped: {to} blocks only with a reason", "已为命令添加转换：{to} 只在给出原因时拦截" };
    /// An output that came with another exit code than 0 counts as before.
    OUTPUT_KEPT = "convert_output_kept" { "the command is wrapped: {from} reads its output at every exit code, {to} only at 0", "已为命令添加转换：{from} 在任何退出码下都读取其返回结果，{to} 只在退出码为 0 时读取" };
    /// The block is translated around the command.
    BLOCK_TRANSLATED = "convert_block_translated" { "the command is wrapped: {from} blocks by {ours}, {to} by {theirs}", "已为命令添加转换：{from} 通过 {ours} 拦截，{to} 通过 {theirs}" };
    /// The script must learn another way to block.
    BLOCK_DIFFERS = "convert_block_differs" { "{from} blocks by {ours}, {to} by {theirs}; the script is unchanged", "{from} 通过 {ours} 拦截，{to} 通过 {theirs}；脚本未更改" } hint { "change the script if it blocks", "若脚本会拦截，请修改脚本" };
    /// Other meanings of output fields.
    OUTPUT_DIFFERS = "convert_output_differs" { "{to} ignores the output fields {fields} of {from}", "{to} 会忽略 {from} 的输出字段 {fields}" } hint { "return {theirs} instead", "改为返回 {theirs}" };
    /// Output fields with which the whole output fails.
    OUTPUT_FAILS = "convert_output_differs" / "fails" { "{to} rejects a whole output that has one of {fields} of {from}", "返回结果中只要有 {from} 的 {fields} 之一，{to} 就会拒绝整个返回结果" } hint { "return {theirs} instead", "改为返回 {theirs}" };
    /// A program beside the script translates.
    ADAPTED = "convert_adapted" { "an adapter next to the script converts the events and the output for {to}", "脚本旁的适配程序为 {to} 转换事件和输出" } hint { "fire an event to see both", "触发一个事件即可看到两者" };
    /// The same, and failures block.
    ADAPTED_CLOSED = "convert_adapted" / "closed" { "an adapter next to the script converts events and output for {to}, and blocks if the script fails", "脚本旁的适配程序为 {to} 转换事件和输出，脚本失败时会拦截" };
    /// A guard that would read the new event wrongly.
    WOULD_NOT_BLOCK = "would_not_block" { "not converted: `{text}` reads events of {from}, and would allow in {to} what it blocks now", "未转换：`{text}` 读取的是 {from} 的事件，在 {to} 中会放行现在拦截的调用" } hint { "change the guard for {to}; guards in Python and Node are converted with an adapter", "为 {to} 重写此防护；Python 与 Node 的防护会连同适配程序一起转换" };
    /// A guard at an event that the other dialect cannot block.
    NO_BLOCK = "would_not_block" / "event" { "not converted: `{text}` can block, and {other} of {to} cannot block this", "未转换：`{text}` 可能拦截，而 {to} 的 {other} 无法这样拦截" } hint { "block at another event of {to}", "改在 {to} 的其他事件中拦截" };
    /// A guard that blocks every call.
    WOULD_ALWAYS_BLOCK = "would_always_block" { "not converted: `{text}` would block every call in {to}", "未转换：`{text}` 在 {to} 中会拦截所有调用" } hint { "change the guard so that it reads the event of {to}", "为 {to} 重写此防护，让它读取事件" };
    /// A hook that approves, whose condition is lost.
    WOULD_APPROVE = "would_always_approve" { "not converted: `{text}` would also approve calls in {to} for which it does not run now", "未转换：`{text}` 在 {to} 中还会批准它现在不处理的调用" } hint { "check the condition in the script", "在脚本中检查该条件" };
    /// Other words for the same decision.
    DECISION_WORDS = "convert_decision_words" { "the command is wrapped: {from} says {ours}, {to} says {theirs}", "已为命令添加转换：{from} 使用 {ours}，{to} 使用 {theirs}" };
    /// Text on stdout that is not an answer.
    PLAIN_TEXT = "convert_plain_text" { "plain text on stdout is context in {from}; {other} of {to} ignores it", "stdout 上的纯文本在 {from} 中是上下文，而 {to} 的 {other} 会忽略它" } hint { "return {theirs} instead", "改为输出 {theirs}" };
    /// The same in the other direction.
    PLAIN_TEXT_ADDED = "convert_plain_text" / "added" { "{event} of {from} ignores plain text on stdout; {to} gives it to the model as context", "{from} 的 {event} 会忽略 stdout 上的纯文本，而 {to} 会把它作为上下文交给模型" } hint { "write to stderr what the model must not read", "不应让模型看到的内容请写到 stderr" };
    /// Programs that speak another protocol.
    PROTOCOL_TO = "convert_protocol" / "to_peer" { "{to} starts the program once and sends JSON-RPC lines; the script reads one event", "{to} 只启动程序一次并发送 JSON-RPC 行，而脚本只读取一个事件" } hint { "change the script before you use it: until then it fails, and the call is allowed", "使用前修改脚本：在此之前会失败，并放行调用" };
    /// Programs that speak JSON-RPC.
    PROTOCOL_FROM = "convert_protocol" / "from_peer" { "the program speaks JSON-RPC; {to} starts it for each event and reads one output", "程序使用 JSON-RPC，而 {to} 每个事件启动一次并只读取一个输出" } hint { "change the program before you use it", "使用前修改程序" };
    /// The payload has other names.
    PAYLOAD_RENAMED = "convert_payload_renamed" { "the payload has other names in {to}: {fields}", "{to} 的载荷使用其他名称：{fields}" } hint { "change the names that the script reads", "修改脚本读取的名称" };
    /// The calls that change files have no argument with a path.
    NO_PATH_ARGUMENT = "convert_payload_missing" / "path" { "{to} changes files by a patch, whose calls have no `{field}`", "{to} 以补丁修改文件，其调用没有 `{field}`" } hint { "read the paths from the lines of the patch, such as `*** Update File:`", "从补丁的行（如 `*** Update File:`）中读取路径" };
    /// The payload lacks fields.
    PAYLOAD_MISSING = "convert_payload_missing" { "the payload of {other} does not contain {fields}", "{other} 的载荷不包含 {fields}" } hint { "check whether the script reads them", "检查脚本是否读取这些字段" };
    /// JSON text instead of an object.
    ARGUMENTS_TEXT = "convert_arguments" / "text" { "`{other}` is JSON text in {to}; in {from} `{field}` is an object", "`{other}` 在 {to} 中是 JSON 文本，而 {from} 的 `{field}` 是对象" } hint { "add a step that parses the text to the script", "在脚本中解析该文本" };
    /// An object instead of JSON text.
    ARGUMENTS_OBJECT = "convert_arguments" / "object" { "`{other}` is an object in {to}; in {from} `{field}` is JSON text", "`{other}` 在 {to} 中是对象，而 {from} 的 `{field}` 是 JSON 文本" } hint { "read the object in the script without parsing it", "脚本直接读取对象，不再解析" };
    /// The timeout has another unit.
    UNIT = "convert_unit" { "the timeout of {written} is written as {other}: the unit of {to} is {unit}", "超时 {written} 写作 {other}：{to} 以 {unit} 为单位" };
    /// The timeout is rounded up.
    TIMEOUT_ROUNDED = "convert_timeout_rounded" { "the timeout of {written} became {other}: {to} has whole seconds only", "超时 {written} 变为 {other}：{to} 只支持整数秒" };
    /// The timeout is set for the whole file only.
    TIMEOUT_SHARED = "convert_timeout_shared" { "the timeout of {written} became {other}: {to} has one limit for all hooks", "超时 {written} 变为 {other}：{to} 的所有 Hook 共用一个时限" };
    /// The chain has a shorter budget.
    BUDGET = "convert_budget" { "{to} ends the whole chain after 30 s; the timeout is {written}", "{to} 在 30 秒后结束整条链，而超时为 {written}" };
    /// The priority is counted in the other direction.
    PRIORITY_LOWER = "convert_priority" / "lower_first" { "priority {written} became {other}: {to} runs lower numbers first", "优先级 {written} 变为 {other}：{to} 先执行数值较小的 Hook" };
    /// The same in the other direction.
    PRIORITY_HIGHER = "convert_priority" / "higher_first" { "priority {written} became {other}: {to} runs higher numbers first", "优先级 {written} 变为 {other}：{to} 先执行数值较大的 Hook" };
    /// The priority does not fit the range.
    PRIORITY_RANGE = "convert_priority" / "range" { "priority {written} became {other}, the nearest that {to} allows", "优先级 {written} 变为 {other}，即 {to} 允许的最接近的值" };
    /// The order of the file replaces the priority.
    PRIORITY_ORDER = "convert_priority" / "order" { "priority {written} became the position in the file: {to} has no priorities", "优先级 {written} 变为文件中的位置：{to} 没有优先级" };
    /// The position in the file becomes a priority.
    ORDER_PRIORITY = "convert_priority" / "from_order" { "the position in the file became priority {other}: {to} orders by priority", "文件中的位置变为优先级 {other}：{to} 按优先级排序" };
    /// Hooks see other payloads.
    FLOW_PIPE = "convert_flow" / "pipe" { "in {to} each hook sees what the hooks before it changed", "在 {to} 中，每个 Hook 都会看到之前 Hook 的修改" };
    /// Hooks run one after the other on the original payload.
    FLOW_SEQUENCE = "convert_flow" / "sequence" { "in {to} each hook sees the original payload", "在 {to} 中，每个 Hook 看到的都是原始载荷" };
    /// Hooks run at the same time.
    FLOW_FAN = "convert_flow" / "fan" { "in {to} all hooks of an event run at the same time, on the original payload", "在 {to} 中，同一事件的所有 Hook 同时执行，使用原始载荷" };
    /// Tools have other names.
    TOOL_RENAMED = "convert_tool_renamed" { "the tool {tool} is called {other} in {to}", "工具 {tool} 在 {to} 中名为 {other}" } hint { "check the names of tools in the script too", "同时检查脚本中的工具名" };
    /// Tool names in a pattern are unchanged.
    TOOL_PATTERN = "convert_tool_names" { "the pattern `{pattern}` may name tools of {from}; it is unchanged", "正则表达式 `{pattern}` 可能包含 {from} 的工具名，未作更改" } hint { "check the names against the tools of {to}", "对照 {to} 的工具名检查" };
    /// A pattern where only names are possible.
    MATCHER_DROPPED = "convert_matcher_dropped" { "{to} cannot express the condition `{pattern}`; the hook runs for every tool", "{to} 无法表示条件 `{pattern}`，此 Hook 会对所有工具执行" } hint { "check the tool in the script", "在脚本中检查工具" };
    /// A part of a name where only whole names are possible.
    MATCHER_NARROWED = "convert_matcher_narrowed" { "`{pattern}` also matched longer names; {to} compares whole names", "`{pattern}` 也会匹配更长的名称，而 {to} 比较完整名称" } hint { "add the longer names", "添加更长的名称" };
    /// Another condition that has no equivalent.
    CONDITION_DROPPED = "convert_condition_dropped" { "{to} has no condition like `{field}: {value}`; the hook runs without it", "{to} 没有 `{field}: {value}` 这样的条件，此 Hook 不受该条件限制" } hint { "check it in the script", "在脚本中检查" };
    /// Failures allow the call now.
    FAILS_OPEN = "convert_fails_open" { "{from} blocks when the hook fails; in {to} the call is allowed", "{from} 在 Hook 失败时拦截，而 {to} 会放行" };
    /// Only timeouts allow the call now.
    TIMEOUT_OPEN = "convert_fails_open" / "timeout" { "{from} blocks when the hook times out; in {to} the call is allowed", "{from} 在 Hook 超时时拦截，而 {to} 会放行" };
    /// Failures block the call now.
    FAILS_CLOSED = "convert_fails_closed" { "{from} allows the call when the hook fails; in {to} it is blocked", "{from} 在 Hook 失败时放行，而 {to} 会拦截" };
    /// Failed attempts are not repeated.
    RETRY = "convert_retry" { "{to} does not repeat a failed hook; `retry: {count}` was left out", "{to} 不会重试失败的 Hook，已去掉 `retry: {count}`" };
    /// The agent waits now.
    ASYNC = "convert_async" { "{to} waits for this hook; in {from} it ran after the reply", "{to} 会等待此 Hook，而在 {from} 中它在响应之后执行" };
    /// The agent does not wait now.
    OBSERVES = "convert_async" / "observes" { "the hook became an observer: {to} sends it {other} and ignores its output", "此 Hook 变为观察者：{to} 向它发送 {other} 并忽略其返回结果" };
    /// Fields without equivalent.
    FIELDS = "convert_fields" { "{to} has no fields for {fields}; they were left out", "{to} 没有与 {fields} 对应的字段，已省略" };
    /// Comments and notes.
    COMMENTS = "convert_comments" { "comments and notes of {file} were not converted", "未转换 {file} 中的注释和说明" };
    /// The name follows other rules.
    RENAMED = "convert_renamed" { "the hook is named {other} in {to}", "此 Hook 在 {to} 中名为 {other}" };
    /// The role of a text is lost.
    ROLE = "convert_role" { "the role `{role}` is lost: {to} adds the text as context", "角色 `{role}` 会丢失：{to} 把文本作为上下文添加" };
    /// The text does not stay in the conversation.
    PERSISTENT = "convert_persistent" { "{to} does not keep the text in the conversation", "{to} 不会把文本保留在会话中" };
    /// A variable of the agent.
    VARIABLE = "convert_variable" { "{to} does not set `{name}`, which the command uses", "{to} 不设置命令所用的 `{name}`" } hint { "read it from the event", "从事件中读取" };
    /// A file that is not text.
    FILE_BINARY = "convert_binary" { "{file} is not text; it is copied, and its content is not shown", "{file} 不是文本：已复制，但不显示其内容" };
    /// Both dialects are the same.
    SAME_DIALECT = "convert_same_dialect" { "the hooks are already {dialect} hooks", "这些 Hook 已经是 {dialect} 的 Hook" } hint { "name another hook system with `--to`", "用 `--to` 指定另一种 Hook 体系" };
}
