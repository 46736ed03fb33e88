//! Advice about hooks' folders (`agent-hooks.md` §11), in both languages.

hookwright_model::sayings! {
    /// A guard with hardly any time.
    SHORT = "fails_open" / "short" { "this guard has {ms} ms, and when they are over everything passes", "这个守卫只有 {ms} 毫秒，超时后会放行一切" } hint { "write `timeout: 5000`; the unit is milliseconds", "写 `timeout: 5000`；单位是毫秒" };
    /// A guard that needs a program nobody has.
    PROGRAM = "fails_open" / "program" { "the script needs `{program}`, which is not found on this machine; when it fails everything passes", "脚本需要 `{program}`，本机找不到它；脚本失败时会放行一切" } hint { "install {program}, or let the script end with exit 2 when it is missing", "安装 {program}，或在缺少它时让脚本以 exit 2 结束" };
    /// Nobody waits for an asynchronous guard.
    ASYNC = "block_not_honoured" / "async" { "nobody waits for an asynchronous hook, so at {event} it holds nothing", "没有人等待异步 hook，因此它在 {event} 拦不住任何东西" } hint { "write `async: false` if it is to hold", "若要拦截，请写 `async: false`" };
    /// An asynchronous hook that blocks.
    ASYNC_EXIT = "block_not_honoured" / "async_exit" { "the script blocks, but nobody waits for an asynchronous hook", "脚本会阻断，但没有人等待异步 hook" } hint { "write `async: false` if it is to hold", "若要拦截，请写 `async: false`" };
    /// An event that is not fired.
    NOT_FIRED = "block_not_honoured" / "not_fired" { "Hookwright runs it; the agent as shipped does not fire {event}, so there it holds nothing", "Hookwright 会运行它；但已发布的 Agent 不触发 {event}，在那里拦不住任何东西" } hint { "to hold, use before_tool or before_stop", "要拦截请用 before_tool 或 before_stop" };
    /// Seconds by mistake.
    UNIT = "unit_suspect" / "milliseconds" { "`timeout` is {written} milliseconds", "`timeout` 为 {written} 毫秒" } hint { "the unit is milliseconds, not seconds: {ms}?", "单位是毫秒而不是秒：{ms}？" };
    /// A block after the fact.
    LATE = "too_late" / "after_tool" { "the script blocks, but at {event} the tool has run already", "脚本会阻断，但在 {event} 时工具已经运行过" } hint { "use `trigger: before_tool` to prevent it; here only the result is withheld", "要阻止请用 `trigger: before_tool`；此处只会扣下结果" };
    /// A matcher where there is no tool.
    NO_TOOL = "never_matches" / "no_tool" { "{event} tells of no tool, so a hook with a matcher never runs", "{event} 与工具无关，带 matcher 的 hook 永远不会运行" } hint { "take `matcher` away", "删去 `matcher`" };
    /// A tool that is spelled otherwise.
    LOWER = "never_matches" / "lower_case" { "`{written}` looks for a tool in lower-case letters; the agent's tools are written like Shell and WriteFile", "`{written}` 查找的是小写的工具名；Agent 的工具写作 Shell、WriteFile 这样" } hint { "letter case counts: write for example `^Shell$`", "区分大小写：例如写成 `^Shell$`" };
    /// A part of other names.
    PART = "unanchored" / "tool" { "`{name}` is found in {tool} too", "`{name}` 也能在 {tool} 中找到" } hint { "write `^{name}$` if only that tool is meant", "若只指这个工具，请写 `^{name}$`" };
    /// A matcher without parts.
    EMPTY = "too_wide" / "empty" { "an empty matcher matches everything", "空的 matcher 会匹配一切" } hint { "take it away, or write `tool:` below it", "删去它，或在下面写 `tool:`" };
    /// A pattern that matches nothing at all.
    BLANK = "too_wide" / "blank" { "`{written}` matches the empty text, which is more than most people mean", "`{written}` 能匹配空文本，这通常超出本意" } hint { "take it away, or write what must be there", "删去它，或写出必须出现的内容" };
    /// The later input holds.
    LAST = "last_wins" / "input" { "{other} runs later and prints `modified_input` too; the last one holds, and each sees the original", "{other} 更晚运行，也输出 `modified_input`；以最后一个为准，且各自看到的都是原始输入" } hint { "change the input in one of the two, or keep their matchers apart", "只在其中一个修改输入，或让两者的 matcher 互不重叠" };
    /// What is printed beside exit 2.
    PRINTED = "returns_ignored" / "exit_2" { "what the script prints before exit 2 is not read", "脚本在 exit 2 之前输出的内容不会被读取" } hint { "write the reason to stderr: `echo … >&2`", "把理由写到 stderr：`echo … >&2`" };
    /// A decision beside another exit code.
    DECISION = "returns_ignored" / "exit_other" { "the decision is printed before exit {code}, and read after exit 0 only", "decision 在 exit {code} 之前输出，而它仅在 exit 0 时读取" } hint { "end with exit 0, or block with exit 2 and a reason on stderr", "以 exit 0 结束，或用 exit 2 加 stderr 理由来阻断" };
}
