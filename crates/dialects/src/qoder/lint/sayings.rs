//! Advice about Qoder's hooks (`qoder.md` §11), in both languages.

hookwright_model::sayings! {
    /// A guard whose program is not there.
    OPEN_PROGRAM = "fails_open" / "qoder_program" { "{name} is not found: the hook fails, and everything passes", "找不到 {name}：hook 会失败，一切都会放行" } hint { "install it, or correct its name; only exit 2 and an answer hold the agent", "请安装它或更正名称；只有退出码 2 或返回结果才能拦住" };
    /// A guard whose script is not there.
    OPEN_SCRIPT = "fails_open" / "qoder_script" { "the script {name} is not found: the hook fails, and everything passes", "找不到脚本 {name}：hook 会失败，一切都会放行" } hint { "write \"$QODER_PROJECT_DIR/…\" before a path of the project", "项目内的路径前写上 \"$QODER_PROJECT_DIR/…\"" };
    /// A guard that may not be executed.
    OPEN_BIT = "fails_open" / "qoder_bit" { "{name} may not be executed: the hook fails, and everything passes", "{name} 没有执行权限：hook 会失败，一切都会放行" } hint { "run `chmod +x {name}`, or call it by its interpreter", "执行 `chmod +x {name}`，或通过解释器调用它" };
    /// A guard without time.
    OPEN_SHORT = "fails_open" / "qoder_short" { "under a second is little for a guard: when it is late, everything passes", "守卫不足一秒：一旦超时，一切都会放行" } hint { "write 1 or more", "写 1 或更大的数" };
    /// A guard that never fails.
    OPEN_TAIL = "fails_open" / "qoder_tail" { "`{tail}` turns every failure of this guard into a pass", "`{tail}` 会把此守卫的任何失败变成放行" } hint { "take it away, and exit 2 to hold", "删去它；要拦住请以退出码 2 结束" };
    /// A guard that exits with 1.
    OPEN_ONE = "fails_open" / "qoder_one" { "exit 1 is a failure, and failures let everything pass", "退出码 1 视为失败，而失败会放行一切" } hint { "exit 2 holds; what stands on stderr is the reason", "退出码 2 才会拦住；原因写到 stderr" };
    /// A variable nobody sets.
    UNSET = "unset_variable" / "qoder" { "nobody sets `${name}`", "没有谁设置 `${name}`" } hint { "the event comes as JSON on stdin; set is QODER_PROJECT_DIR", "事件以 JSON 从 stdin 传入；已设置的有 QODER_PROJECT_DIR" };
    /// A script found only from one directory.
    RELATIVE = "not_portable" / "qoder_relative" { "{path} is looked for in the directory that the event names", "{path} 会在事件所指的目录中查找" } hint { "write {fixed}", "写成 {fixed}" };
    /// A path of one machine.
    ABSENT = "not_portable" / "qoder_absent" { "{path} is not there on this machine", "本机没有 {path}" } hint { "write a path that begins with \"$QODER_PROJECT_DIR\"", "写以 \"$QODER_PROJECT_DIR\" 开头的路径" };
    /// A path of one person.
    HOME = "not_portable" / "qoder_home" { "{path} lies in one person's home or drive", "{path} 位于某个人的主目录或磁盘" } hint { "write a path that begins with \"$QODER_PROJECT_DIR\"", "写以 \"$QODER_PROJECT_DIR\" 开头的路径" };
    /// What only bash understands.
    BASHISM = "not_portable" / "qoder_shell" { "`{sign}` is not known to every `sh`", "并非每个 `sh` 都认识 `{sign}`" } hint { "write `\"shell\": \"bash\"`, or `bash -c '…'`", "写 `\"shell\": \"bash\"`，或 `bash -c '…'`" };
    /// A file that nobody reads.
    NOT_READ = "file_not_read" / "qoder" { "Qoder does not read this file", "Qoder 不会读取此文件" } hint { "put the hooks under `hooks` in .qoder/settings.json", "把 hook 写到 .qoder/settings.json 的 `hooks` 段" };
    /// A block after the fact.
    LATE = "too_late" / "qoder" { "the tool has run: at PostToolUse a block only tells the model why", "工具已经执行：在 PostToolUse 的 block 只会把原因告诉模型" } hint { "hold it at PreToolUse", "请在 PreToolUse 拦住它" };
    /// A block where nobody looks.
    BLOCK = "block_not_honoured" / "qoder" { "`decision` holds nobody at {event}", "`decision` 在 {event} 拦不住谁" } hint { "SubagentStop can only end the session; block at PreToolUse, UserPromptSubmit or Stop", "SubagentStop 只能终止会话；请在 PreToolUse、UserPromptSubmit 或 Stop 阻止" };
    /// An exit where nobody looks.
    BLOCK_EXIT = "block_not_honoured" / "qoder_exit" { "exit 2 holds nobody at {event}; it is a failure there", "退出码 2 在 {event} 拦不住谁，只会算作失败" } hint { "block at PreToolUse, PostToolUse, UserPromptSubmit, Stop or PermissionRequest", "请在 PreToolUse、PostToolUse、UserPromptSubmit、Stop 或 PermissionRequest 阻止" };
    /// Blanks that no tool's name has.
    BLANKS = "never_matches" / "qoder_blanks" { "the blanks around | belong to the names, which no tool has", "| 两侧的空格会算作名称的一部分，没有工具叫这个名字" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A permission's rule.
    RULE = "never_matches" / "qoder_rule" { "this is written like a permission rule; a matcher sees only the tool's name", "这是权限规则的写法；matcher 只看工具名" } hint { "write `{tool}`, and look at tool_input in the hook", "写 `{tool}`，并在 hook 中检查 tool_input" };
    /// Milliseconds by mistake.
    UNIT = "unit_suspect" / "qoder" { "`timeout` is {written} seconds", "`timeout` 为 {written} 秒" } hint { "the unit is seconds, not milliseconds: {seconds}?", "单位是秒而不是毫秒：{seconds}？" };
    /// A later hook's value holds.
    LAST = "last_wins" / "qoder" { "{other} also sets `{field}`, and only the last one holds", "{other} 也设置 `{field}`，只有最后一个生效" } hint { "put both steps into one hook: they all see the original", "把两步写进同一个 hook：它们看到的都是原始内容" };
}
