//! Messages of the advice on hook folders (`agent-hooks.md` §11), in English and Chinese.

hookwright_model::messages! {
    /// A guard with a very short time limit.
    SHORT_TIMEOUT = "fails_open" / "short" { "a time limit of {ms} ms is short for a guard: when it ends, the agent continues", "防护 Hook 的时限只有 {ms} 毫秒：超时后 Agent 继续执行" } hint { "write `timeout: 5000`; the unit is milliseconds", "写 `timeout: 5000`；单位是毫秒" };
    /// An asynchronous guard, which cannot block.
    ASYNC = "block_not_honoured" / "async" { "an asynchronous hook cannot block {event}", "异步 Hook 无法拦截 {event}" } hint { "write `async: false` to block", "若要拦截，写 `async: false`" };
    /// An asynchronous hook whose script blocks, which has no effect.
    ASYNC_EXIT = "block_not_honoured" / "async_exit" { "the script blocks, but an asynchronous hook cannot", "脚本会拦截，但异步 Hook 无法拦截" } hint { "write `async: false` to block", "若要拦截，写 `async: false`" };
    /// An event that the agent does not fire.
    NOT_FIRED = "block_not_honoured" / "not_fired" { "Hookwright runs this hook; the agent as shipped does not fire {event}, so there it cannot block", "Hookwright 会执行此 Hook；但已发布的 Agent 不触发 {event}，在那里无法拦截" } hint { "use before_tool or before_stop to block", "在 before_tool 或 before_stop 拦截" };
    /// A timeout that was probably written in seconds.
    UNIT_SUSPECT = "unit_suspect" / "milliseconds" { "`timeout` is {written} milliseconds", "`timeout` 为 {written} 毫秒" } hint { "write `{ms}` if seconds were intended; the unit is milliseconds", "若原意是秒，写 `{ms}`；单位是毫秒" };
    /// A block after the tool has run.
    TOO_LATE = "too_late" / "after_tool" { "the script blocks, but at {event} the tool has already run", "脚本会拦截，但在 {event} 时工具已经执行" } hint { "use `trigger: before_tool` to prevent it; here only the result is withheld", "用 `trigger: before_tool` 拦截；此处只能不返回执行结果" };
    /// A matcher at an event that has no tool.
    NO_TOOL = "never_matches" / "no_tool" { "{event} has no tool, so a hook with a matcher never runs", "{event} 与工具无关，带 `matcher` 的 Hook 永远不会执行" } hint { "remove `matcher`", "删除 `matcher`" };
    /// A tool name in lower-case letters, unlike the agent's tools.
    LOWER_CASE_TOOL = "never_matches" / "lower_case" { "`{written}` looks for a tool in lower-case letters; the agent's tools are written like Shell and WriteFile", "`{written}` 查找的是小写的工具名；Agent 的工具写作 Shell、WriteFile 这样" } hint { "write for example `^Shell$`; letter case matters", "写成 `^Shell$` 的形式；区分大小写" };
    /// A tool name that is also a part of another tool's name.
    PART_OF_OTHER_NAME = "unanchored" / "tool" { "`{name}` also matches {tool}", "`{name}` 也会匹配 {tool}" } hint { "write `^{name}$` to match only that tool", "若只匹配该工具，写 `^{name}$`" };
    /// A matcher without fields.
    EMPTY = "too_wide" / "empty" { "an empty matcher matches everything", "空的 `matcher` 会匹配一切" } hint { "remove it, or write `tool:` below it", "删除它，或在下面写 `tool:`" };
    /// A pattern that matches the empty text, and so everything.
    BLANK = "too_wide" / "blank" { "`{written}` matches the empty text, and so everything", "`{written}` 能匹配空文本，因此会匹配一切" } hint { "remove it, or write the required text", "删除它，或写出必须包含的文本" };
    /// Two hooks change the input, and only the later change is used.
    LAST_WINS = "last_wins" / "input" { "{other} runs later and prints `modified_input` too: only the last one is used, and each sees the original", "{other} 更晚执行，也输出 `modified_input`：只有最后一个生效，且各自看到的都是原始输入" } hint { "change the input in one of the two, or write matchers that do not overlap", "只在其中一个修改输入，或让两者的 `matcher` 互不重叠" };
}
