//! The lint messages about j-cli's hooks (`jcli.md` §11), in both languages.
//!
//! Messages that apply to the commands of any dialect are in [`crate::command_lint::messages`].

hookwright_model::messages! {
    /// `on_error: abort` at an event where j-cli ignores it.
    STOP_ABORT = "stop_not_honoured" / "abort" { "`on_error: abort` does not stop {event} in j-cli 12.9.8, though it does here", "`on_error: abort` 在此会终止 {event}，但在 j-cli 12.9.8 中不会" } hint { "let the command catch its own failures and return skip at pre_tool_execution", "让命令自行捕获失败，并在 pre_tool_execution 返回 skip" };
    /// The same for a prompt, which cannot catch its own failures.
    STOP_ABORT_LLM = "stop_not_honoured" / "abort_llm" { "`on_error: abort` does not stop {event} in j-cli 12.9.8, though it does here", "`on_error: abort` 在此会终止 {event}，但在 j-cli 12.9.8 中不会" } hint { "add a command before this hook that decides the clear cases with skip", "在此 Hook 之前添加一个命令，用 skip 处理明确的情形" };
    /// A stop at an event where j-cli ignores it.
    STOP_LITERAL = "stop_not_honoured" / "stop" { "the hook returns stop: Hookwright ends the step, but j-cli 12.9.8 ignores it at {event}", "此 Hook 返回 stop：Hookwright 会结束该步骤，但 j-cli 12.9.8 在 {event} 会忽略它" } hint { "return skip at pre_tool_execution; later events cannot block in j-cli", "在 pre_tool_execution 返回 skip；之后的事件在 j-cli 中无法拦截" };
    /// A skip at an event that has nothing to skip.
    SKIP = "skip_no_effect" { "the hook returns skip, which does not block {event}", "此 Hook 返回 skip，而 skip 无法拦截 {event}" } hint { "return stop to block; skip is for pre_tool_execution", "若要拦截，返回 stop；skip 只用于 pre_tool_execution" };
    /// `on_error: abort` at an event that cannot block.
    ABORT = "abort_no_hold" { "`on_error: abort` has no effect at {event}: this event cannot block", "`on_error: abort` 在 {event} 不起作用：该事件无法拦截" } hint { "remove it, or move the hook to an earlier event", "删除它，或把 Hook 移到更早的事件" };
    /// An output at an event that ignores every output.
    RETURNS = "returns_ignored" { "the hook prints an output, and {event} ignores every output", "此 Hook 输出了返回结果，而 {event} 忽略一切返回结果" } hint { "move it to an event that accepts the field; messages are injected at pre_llm_request", "移到接受该字段的事件；用 pre_llm_request 注入消息" };
    /// A literal output that is not JSON.
    NO_JSON = "returns_ignored" / "no_json" { "the output is not valid JSON: the hook fails each time", "返回结果不是有效的 JSON：Hook 每次都会失败" } hint { "write one JSON object, with text values in double quotes", "写一个 JSON 对象，文本值用双引号" };
    /// A guard that fails open.
    FAILS_OPEN = "fails_open" { "this guard fails open: if it fails, the call is allowed", "此防护 Hook 失败时会放行调用" } hint { "write `on_error: abort`", "写 `on_error: abort`" };
    /// A prompt that blocks the agent when its model does not respond.
    FAILS_CLOSED = "fails_closed" { "if the model does not respond, {event} is blocked", "若模型无回复，{event} 会被拦截" } hint { "write `on_error: skip`, or add a command before it that decides the clear cases", "写 `on_error: skip`，或先用命令处理明确的情形" };
    /// A filter field whose payload field the event does not have.
    NEVER = "never_matches" { "`{field}` never matches: {event} has no `{payload}`", "`{field}` 永远不会匹配：{event} 没有 `{payload}`" } hint { "remove it", "删除它" };
    /// Several names in the field that is compared with one.
    NAME_LIST = "never_matches" / "jcli_list" { "`tool_name` is compared as one name, and no tool is called `{written}`", "`tool_name` 会作为一个名称比较，没有工具叫 `{written}`" } hint { "write `tool_matcher: {written}` in its place", "改为 `tool_matcher: {written}`" };
    /// A `tool_matcher` that looks like a regular expression.
    NO_REGEX = "not_a_regex" { "`tool_matcher` compares whole names: `{sign}` is a plain character", "`tool_matcher` 按完整名称比较：`{sign}` 只是普通字符" } hint { "write the names with `|` between them", "写出各个名称，用 `|` 分隔" };
    /// A `tool_matcher` together with `tool_name`.
    MATCHER = "no_effect" / "matcher" { "`tool_matcher` is ignored because `tool_name` is set", "已设置 `tool_name`，`tool_matcher` 会被忽略" } hint { "remove one of the two", "删除其中一个" };
    /// A `retry` of a command that never fails.
    RETRY = "no_effect" / "retry" { "`retry` has no effect: because of `{tail}` the command never fails", "`retry` 不起作用：因为 `{tail}`，命令永远不会失败" } hint { "remove `{tail}` or `retry`", "删除 `{tail}` 或 `retry`" };
    /// One hook whose attempts exceed the budget of the chain.
    BUDGET_ONE = "over_budget" { "{attempts} × {timeout} s exceed the {budget} s that all hooks of the event share", "{attempts} × {timeout} 秒超出该事件所有 Hook 共用的 {budget} 秒" } hint { "write a smaller `timeout` or `retry`", "减小 `timeout` 或 `retry`" };
    /// The same for a hook with default values only.
    BUDGET_DEFAULTS = "over_budget" / "defaults" { "{attempts} attempts of {timeout} s (the defaults) exceed the {budget} s that all hooks of the event share", "{attempts} 次尝试各 {timeout} 秒（默认值）超出该事件所有 Hook 共用的 {budget} 秒" } hint { "write `retry: 0`, or a smaller `timeout`", "写 `retry: 0`，或更小的 `timeout`" };
    /// All hooks of an event, whose sum exceeds the budget of the chain.
    BUDGET_ALL = "over_budget" / "sum" { "the hooks of {event} up to this one may take {sum} s; together they have {budget} s", "{event} 的 Hook 到此处最多需要 {sum} 秒，而它们共有 {budget} 秒" } hint { "write smaller timeouts; later hooks are cut or not run", "减小各个 `timeout`；否则靠后的 Hook 会被截断或不执行" };
    /// A `timeout` that is probably in milliseconds.
    UNIT = "unit_suspect" { "`timeout` is {written} seconds", "`timeout` 为 {written} 秒" } hint { "write `{seconds}` if milliseconds were intended; the unit is seconds", "若原意是毫秒，写 `{seconds}`；单位是秒" };
    /// A context that is lost because a later hook also returns one.
    LAST = "last_wins" { "{other} also returns `additional_context`, and only the last one is used", "{other} 也返回 `additional_context`，只有最后一个生效" } hint { "return it in one of the two", "只在其中一个返回" };
    /// A stop or skip that discards the changes of an earlier hook.
    DROPS = "drops_changes" { "if this hook stops or skips, the changes made by {other} are discarded", "若此 Hook 返回 stop 或 skip，{other} 的修改会被丢弃" } hint { "move the guard to the front", "把负责拦截的 Hook 移到最前面" };
    /// A hook after one that ends the chain each time.
    UNREACHABLE = "unreachable" { "this hook never runs: {other} ends the chain of {event} each time", "此 Hook 永远不会执行：{other} 每次都会结束 {event} 的链" } hint { "move it to the front, or add a filter to the other hook", "把它移到前面，或给另一个 Hook 加上匹配条件" };
    /// Text from outside in the prompt of a guard.
    PAYLOAD = "payload_in_prompt" { "{written} puts text from outside into the prompt of a guard", "{written} 把外来文本放进了防护 Hook 的提示词" } hint { "write that this text is data, not an instruction, and let a command decide the clear cases", "写明这段文本是数据而非指令，并用命令处理明确的情形" };
    /// A placeholder in a command, where it is not expanded.
    TEMPLATE = "template_in_command" { "{written} is not expanded in a command", "{written} 在命令中不会展开" } hint { "read the event as JSON from stdin", "从 stdin 以 JSON 读取事件" };
    /// A hook file with the extension `.yml`.
    NOT_READ = "file_not_read" / "jcli" { "j-cli reads .jcli/hooks.yaml only; nothing in this file runs", "j-cli 只读取 .jcli/hooks.yaml；此文件中的内容不会执行" } hint { "rename it to hooks.yaml", "改名为 hooks.yaml" };
}
