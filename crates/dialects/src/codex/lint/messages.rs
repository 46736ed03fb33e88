//! The lint messages about Codex's hooks (`codex.md` §11), in both languages.

hookwright_model::messages! {
    /// A block without words, which does not block.
    NO_REASON = "fails_open" / "no_reason" { "exit code 2 without words on stderr does not block: the tool runs", "退出码 2 而 stderr 没有内容时不会拦截：工具会执行" } hint { "write the reason before it: `echo \"why\" >&2`", "在其之前写明原因：`echo \"原因\" >&2`" };
    /// A denial without a reason, which does not deny.
    NO_REASON_FIELD = "fails_open" / "no_reason_field" { "a denial without `{field}` does not deny: the tool runs", "没有 `{field}` 的拒绝不起作用：工具会执行" } hint { "add `{field}`", "添加 `{field}`" };
    /// An answer that Codex fails.
    REFUSED = "answer_refused" / "codex" { "Codex fails the whole output because of `{field}` at {event}", "在 {event}，Codex 会因 `{field}` 判定整个返回结果无效" } hint { "remove it; deny with a reason, or print nothing", "删除它；拒绝时写明原因，或不输出任何内容" };
    /// A block after the tool has run.
    LATE = "too_late" / "codex" { "the tool has run: at {event} the reason replaces its output", "工具已经执行：在 {event}，原因会替换其输出" } hint { "block at PreToolUse", "在 PreToolUse 拦截" };
    /// A block at an event that cannot be blocked.
    BLOCK = "block_not_honoured" / "codex" { "{event} cannot be blocked: `decision` fails the output", "{event} 无法拦截：`decision` 会使返回结果无效" } hint { "block at an event that can be blocked, such as PreToolUse", "在可拦截的事件（如 PreToolUse）拦截" };
    /// Exit code 2 at an event that it does not block.
    BLOCK_EXIT = "block_not_honoured" / "codex_exit" { "exit code 2 does not block {event}", "退出码 2 无法拦截 {event}" } hint { "block at an event that can be blocked, such as PreToolUse", "在可拦截的事件（如 PreToolUse）拦截" };
    /// A hook that blocks the end of a turn for ever.
    LOOP = "may_loop" / "codex" { "it blocks {event} and never reads `stop_hook_active`: Codex goes round without end", "它拦截 {event}，但没有检查 `stop_hook_active`：Codex 会无限循环" } hint { "write a check: if `stop_hook_active` is true, end with exit code 0", "`stop_hook_active` 为 true 时放行" };
    /// A process that is left behind with stdout open.
    HOLDS_PIPE = "holds_pipe" / "codex" { "what this line starts keeps stdout open: Codex waits for it, up to the time limit", "此行启动的进程一直占用 stdout：Codex 会等待它，直到时限" } hint { "add `>/dev/null 2>&1` before `&`", "在 `&` 之前加上 `>/dev/null 2>&1`" };
    /// A matcher that is written like a permission rule.
    RULE = "never_matches" / "codex_rule" { "this is written like a permission rule; a matcher is compared with the tool's name only", "这是权限规则的写法；`matcher` 只与工具名比较" } hint { "write `{tool}`, and check the command in the hook", "写 `{tool}`，并在 Hook 中检查命令" };
    /// A name that no tool of Codex has.
    OTHER_TOOL = "never_matches" / "codex_tool" { "no tool of Codex has the name `{name}`", "Codex 没有名为 `{name}` 的工具" } hint { "write `Bash` for the shell, `apply_patch` for changes of files", "shell 是 `Bash`，修改文件是 `apply_patch`" };
    /// The name of an MCP server without a tool.
    SERVER = "never_matches" / "codex_server" { "no tool has the name `{matcher}`: it is the name of a server", "没有名为 `{matcher}` 的工具：这是服务器的名字" } hint { "write `^{matcher}__`", "写成 `^{matcher}__`" };
    /// Names with blanks or commas between them.
    SEPARATOR = "never_matches" / "codex_separator" { "with a blank or a comma this is a regular expression, and no tool's name contains one", "含空格或逗号时它是正则表达式，而工具名中没有这些字符" } hint { "write the names with `|` only: `Edit|Write`", "只用 `|` 分隔：`Edit|Write`" };
    /// A name with `.*` that also finds longer names.
    UNANCHORED = "unanchored" / "codex" { "`{matcher}` is found anywhere in a name, so longer names match too", "`{matcher}` 可匹配名称的任意位置，更长的名称也会匹配" } hint { "write `^{matcher}`, or names only: `Edit|Write`", "写成 `^{matcher}`，或只写名称：`Edit|Write`" };
    /// Hooks in both files of a folder.
    TWO_FILES = "two_files" / "codex" { "{other} in this folder has hooks too: both files run, and Codex complains at each start", "此目录中的 {other} 也有 Hook：两个文件都会执行，Codex 每次启动都会提示" } hint { "keep the hooks in one of the files", "只在其中一个文件中保留 Hook" };
    /// A `timeout` that is probably in milliseconds.
    UNIT = "unit_suspect" / "codex" { "`timeout` is {written} seconds", "`timeout` 为 {written} 秒" } hint { "write seconds; the unit is not milliseconds", "单位是秒，不是毫秒" };
    /// The same of several hooks of a file.
    UNIT_ALL = "unit_suspect" / "codex_all" { "{count} hooks have a `timeout` that looks like milliseconds: {values}", "{count} 个 Hook 的 `timeout` 像是毫秒：{values}" } hint { "write seconds; the unit is not milliseconds", "单位是秒，不是毫秒" };
}
