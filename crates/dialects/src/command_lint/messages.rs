//! Messages about commands and scripts that are the same in every dialect, in both languages.

hookwright_model::messages! {
    /// A script or program is missing.
    MISSING = "entry_missing" / "missing" { "`{name}` does not exist: {then}", "`{name}` 不存在：{then}" } hint { "create the file, or correct its path", "创建该文件，或更正路径" };
    /// A program that is not installed on this machine.
    PROGRAM = "entry_missing" / "not_installed" { "`{name}` is not installed on this machine: here {then}", "本机未安装 `{name}`：在本机，{then}" } hint { "install `{name}`, or correct its name", "安装 `{name}`，或更正名称" };
    /// A path with backslashes, which the shell drops.
    BACKSLASHES = "entry_missing" / "backslashes" { "sh drops backslashes outside quotes, so `{name}` is not found: {then}", "sh 会去掉引号外的反斜杠，因此找不到 `{name}`：{then}" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A variable in single quotes, which the shell does not replace.
    SINGLE_QUOTES = "entry_missing" / "single_quotes" { "single quotes keep the variable in `{name}` as it is written, so the file is not found: {then}", "单引号使 `{name}` 中的变量保持原样，因此找不到文件：{then}" } hint { "write it in double quotes: `{fixed}`", "改用双引号：`{fixed}`" };
    /// `~` in quotes, which the shell does not replace.
    QUOTED_TILDE = "entry_missing" / "quoted_tilde" { "`~` in quotes is not the home directory, so `{name}` is not found: {then}", "引号中的 `~` 不代表主目录，因此找不到 `{name}`：{then}" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A variable without quotes whose value has a blank on this machine.
    SPLIT = "entry_missing" / "split" { "`{name}` has no quotes, and the directory has a blank in its path, so the shell splits it: {then}", "`{name}` 没有引号，而该目录的路径含有空格，shell 会将其拆开：{then}" } hint { "write it in quotes: `{fixed}`", "加上引号：`{fixed}`" };
    /// A path that only a shell would expand, in a command that no shell reads.
    NO_SHELL = "entry_missing" / "no_shell" { "`{name}` is not expanded, because no shell reads this command: {then}", "`{name}` 不会展开，因为此命令不经过 shell：{then}" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A file without the executable bit.
    NOT_EXECUTABLE = "entry_not_executable" / "command" { "`{name}` is not executable: {then}", "`{name}` 没有执行权限：{then}" } hint { "run `chmod +x {file}`, or start it by its interpreter", "执行 `chmod +x {file}`，或通过解释器启动" };
    /// A script whose first line ends with a carriage return.
    RETURN = "entry_no_shebang" / "carriage_return" { "the `#!` line of `{name}` ends with a carriage return, so its interpreter is not found: {then}", "`{name}` 的 `#!` 行以回车符结尾，找不到其解释器：{then}" } hint { "save `{name}` with LF line endings", "将 `{name}` 保存为 LF 换行" };
    /// A shell script that is not parsed, because its lines end with carriage returns.
    RETURN_LINES = "entry_no_shebang" / "carriage_return_lines" { "the lines of `{name}` end with carriage returns, which a shell reads as text: {then}", "`{name}` 的各行以回车符结尾，shell 会把它当作文本：{then}" } hint { "save `{name}` with LF line endings", "将 `{name}` 保存为 LF 换行" };
    /// A shell script whose commands and exit codes have a carriage return at their end.
    RETURN_TEXT = "entry_no_shebang" / "carriage_return_text" { "the lines of `{name}` end with carriage returns, which a shell reads as a part of each command and exit code", "`{name}` 的各行以回车符结尾，shell 会把回车符当作命令和退出码的一部分" } hint { "save `{name}` with LF line endings", "将 `{name}` 保存为 LF 换行" };
    /// A script that has no `#!` line.
    SHEBANG = "entry_no_shebang" / "command" { "`{name}` has no `#!` line: {then}", "`{name}` 没有 `#!` 行：{then}" } hint { "add a `#!` line, or start it by its interpreter", "添加 `#!` 行，或通过解释器启动" };
    /// A byte-order mark before the `#!` line, which the system then does not see.
    MARK = "entry_no_shebang" / "mark" { "a byte-order mark is before the `#!` line of `{name}`, so the system does not see it: {then}", "`{name}` 的 `#!` 行之前有字节顺序标记（BOM），系统看不到该行：{then}" } hint { "save `{name}` as UTF-8 without a byte-order mark", "将 `{name}` 保存为不带 BOM 的 UTF-8" };
    /// A blank or a blank line before the `#!` line.
    NOT_FIRST = "entry_no_shebang" / "not_first" { "the `#!` of `{name}` is on line {line}, not at the start of the first line: {then}", "`{name}` 的 `#!` 在第 {line} 行，不在首行开头：{then}" } hint { "move it to the beginning of the first line", "把它移到首行开头" };
    /// `#\\!` instead of `#!`.
    ESCAPED = "entry_no_shebang" / "escaped" { "`{name}` begins with `#\\!`, which is a comment, not a `#!` line: {then}", "`{name}` 以 `#\\!` 开头，这只是注释，不是 `#!` 行：{then}" } hint { "write `#!` without the backslash", "写 `#!`，不要反斜杠" };
    /// A shell script whose `#!` line the system does not see, so that the shell that starts it reads it.
    SKIPPED = "entry_no_shebang" / "skipped" { "`{name}` does not begin with `#!`, so `sh` runs it, whatever its `#!` line says", "`{name}` 不以 `#!` 开头，因此由 `sh` 执行，其 `#!` 行不起作用" } hint { "begin the file with `#!`: no byte-order mark, blank or backslash before or in it", "让文件以 `#!` 开头：前面不要有字节顺序标记（BOM）或空白，其中不要有反斜杠" };
    /// Arguments behind `env` in the `#!` line, which the system hands over as one word.
    ENV_ARGUMENTS = "entry_no_shebang" / "env_arguments" { "`env` looks for a program called `{program}`, because a `#!` line passes only one argument: {then}", "`env` 会查找名为 `{program}` 的程序，因为 `#!` 行只传递一个参数：{then}" } hint { "write `#!/usr/bin/env -S {program}`", "写 `#!/usr/bin/env -S {program}`" };
    /// A `#!` line that names its program without a folder.
    NO_FOLDER = "entry_no_shebang" / "no_folder" { "`{name}` does not start: the system does not look on the PATH for the program in `{written}`: {then}", "`{name}` 无法启动：系统不会在 PATH 中查找 `{written}` 里的程序：{then}" } hint { "write `{fixed}`", "写 `{fixed}`" };
    /// What follows when a hook cannot start at a notify-only event.
    THEN_FAILS = "start_effect" / "nothing" { "the hook fails each time", "Hook 每次都会失败" };
    /// What follows when a hook cannot start and the agent goes on without it.
    THEN_CONTINUES = "start_effect" / "continues" { "the hook fails and the agent continues", "Hook 会失败，Agent 继续执行" };
    /// What follows when a part of a hook cannot start and the rest decides how the hook ends.
    THEN_PART_FAILS = "start_effect" / "part" { "this part of the hook fails", "Hook 的这一部分会失败" };
    /// What follows when a hook cannot start and the user is asked.
    THEN_ASKS = "start_effect" / "asks" { "the user is asked each time", "每次都会询问用户" };
    /// What follows when a hook cannot start and the agent is blocked.
    THEN_BLOCKS = "start_effect" / "blocks" { "the agent is blocked each time", "每次都会拦截 Agent" };
    /// A guard none of whose exits with the code that blocks can end it.
    NEVER_BLOCKS = "fails_open" / "never_blocks" { "this hook can never block: its `exit 2` is not reached, or ends only a part of it", "此 Hook 永远无法拦截：其中的 `exit 2` 不会执行，或只结束一部分" } hint { "move `exit 2` out of `( … )`, `$( … )` and pipes, and let nothing end the hook with another code", "把 `exit 2` 移出 `( … )`、`$( … )` 和管道，并避免其前后的内容以其他退出码结束 Hook" };
    /// A guard whose scripts define functions and call none.
    ONLY_DEFINES_GUARD = "fails_open" / "only_defines" { "this hook can never block: its script defines functions and calls none of them", "此 Hook 永远无法拦截：其脚本只定义函数，没有调用" } hint { "call the function at the end of the script", "在脚本末尾调用该函数" };
    /// Another script that defines functions and calls none.
    ONLY_DEFINES = "no_effect" / "only_defines" { "this script defines functions and calls none of them, so it does nothing", "此脚本只定义函数，没有调用，因此不起作用" } hint { "call the function at the end of the script", "在脚本末尾调用该函数" };
    /// A program that a script of the hook starts and this machine lacks.
    PROGRAM_INSIDE = "entry_missing" / "inside" { "`{program}` is not installed on this machine: here this line of the script fails", "本机未安装 `{program}`：此处脚本的这一行会失败" } hint { "install `{program}`, or correct its name", "安装 `{program}`，或更正名称" };
    /// A guard that lets everything pass where a program is missing.
    STANDS_DOWN = "fails_open" / "stands_down" { "`{program}` is not installed on this machine, and then this hook lets every call pass", "本机未安装 `{program}`，此时该 Hook 会放行所有调用" } hint { "install `{program}`, or end with the code that blocks where it is missing", "安装 `{program}`，或在缺少它时以拦截的退出码结束" };
    /// A guard that exits with 1, which does not block.
    OPEN_ONE = "fails_open" / "exit_1" { "`exit 1` does not block, only `exit 2` does: the agent continues", "`exit 1` 不会拦截，只有 `exit 2` 会：Agent 继续执行" } hint { "write `exit 2`, and the reason to stderr", "写 `exit 2`，并把原因写到 stderr" };
    /// A guard whose refusal is a text or an exception, with which its program ends with 1.
    REFUSES_WITH_ONE = "fails_open" / "other_code" { "this refusal ends with exit code 1, which does not block: only 2 does, so the agent continues", "这里的拒绝以退出码 1 结束，不会拦截：只有 2 会，因此 Agent 继续执行" } hint { "write the reason to stderr and end with 2", "把原因写到 stderr，并以 2 结束" };
    /// A guard that ends with 1 when it finds nothing to block.
    ENDS_WITH_ONE = "fails_open" / "ends_with_one" { "if this finds nothing, the hook ends with exit code 1, which is a failure", "若此处未找到内容，Hook 以退出码 1 结束，会算作它自身的失败" } hint { "add `|| true` to the search, or end the script with `exit 0`", "在该搜索后加 `|| true`，或以 `exit 0` 结束脚本" };
    /// A variable that nothing sets.
    UNSET = "unset_variable" / "command" { "`${name}` is empty here: neither {agent} nor this command sets it", "`${name}` 在此为空：{agent} 和此命令都未设置它" } hint { "read the event from stdin, for example `{example}`", "从 stdin 读取事件，例如 `{example}`" };
    /// The variable with which another agent names the project directory.
    UNSET_PROJECT = "unset_variable" / "project" { "`${name}` is empty here: neither {agent} nor this command sets it", "`${name}` 在此为空：{agent} 和此命令都未设置它" } hint { "write `${fixed}`", "写成 `${fixed}`" };
    /// A variable for the project directory, of an agent that has none.
    UNSET_ROOT = "unset_variable" / "root" { "`${name}` is empty here: {agent} has no variable for the project directory", "`${name}` 在此为空：{agent} 没有表示项目目录的变量" } hint { "write `$(git rev-parse --show-toplevel)`, in double quotes", "写成 `$(git rev-parse --show-toplevel)`，并加双引号" };
    /// A script with a relative path, which is found from one directory only.
    RELATIVE = "not_portable" / "relative" { "`{path}` is a relative path: after a `cd` of the agent it is not found, and the hook fails", "`{path}` 是相对路径：Agent 执行 `cd` 后会找不到它，Hook 会失败" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A script with a relative path, for an agent whose hooks run where its session began.
    RELATIVE_TO_SESSION = "not_portable" / "relative_to_session" { "`{path}` is a relative path: it is found only if {agent} is started in this folder", "`{path}` 是相对路径：只有在此目录启动 {agent} 时才能找到它" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// Several such scripts.
    RELATIVE_TO_SESSION_ALL = "not_portable" / "relative_to_session_all" { "{count} hooks name scripts by a relative path, found only if {agent} is started in this folder: {paths}", "{count} 个 Hook 用相对路径指定脚本，只有在此目录启动 {agent} 时才能找到：{paths}" } hint { "write for example `{fixed}`", "例如写成 `{fixed}`" };
    /// A path that begins with the directory in which the agent works.
    PWD = "not_portable" / "working_directory" { "`{path}` begins with the working directory: after a `cd` of the agent the file is not found", "`{path}` 以 Agent 的工作目录开头：Agent 执行 `cd` 后会找不到它，Hook 会失败" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A placeholder of an instruction that was not replaced.
    PLACEHOLDER = "not_portable" / "placeholder" { "`{written}` is a placeholder that was left in: a shell reads `<` as the name of an input file", "`{written}` 是没有替换的占位符：shell 会把 `<` 当作输入文件的标记" } hint { "replace it with the path", "替换为实际路径" };
    /// `echo` of the event, in a shell whose `echo` replaces backslashes.
    ECHO = "not_portable" / "echo" { "`{written}` turns `\\n` in the event into a line break, and such JSON is invalid", "`{written}` 会把事件中的 `\\n` 替换为换行，JSON 可能因此无法读取" } hint { "write `printf '%s' \"${name}\"`", "写成 `printf '%s' \"${name}\"`" };
    /// The same, in a shell whose `echo` does so on other machines.
    ECHO_ELSEWHERE = "not_portable" / "echo_elsewhere" { "`{written}` of many `sh` turns `\\n` in the event into a line break, and such JSON is invalid", "在许多机器上，`sh` 的 `{written}` 会把事件中的 `\\n` 替换为换行，JSON 可能因此无法读取" } hint { "write `printf '%s' \"${name}\"`", "写成 `printf '%s' \"${name}\"`" };
    /// Several hooks with relative script paths, which are found from one directory only.
    RELATIVE_ALL = "not_portable" / "relative_all" { "{count} hooks name scripts by a relative path: {paths}", "{count} 个 Hook 用相对路径指定脚本：{paths}" } hint { "write for example `{fixed}`: after a `cd` of the agent a relative path is not found", "例如写成 `{fixed}`：Agent 执行 `cd` 后会找不到相对路径" };
    /// A path that belongs to one user or one machine, and exists here.
    HOME = "not_portable" / "home" { "`{path}` is a path of one user or one machine", "`{path}` 是某个用户或某台机器特有的路径" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// A path that belongs to one user or one machine, and does not exist here.
    HOME_ABSENT = "not_portable" / "home_absent" { "`{path}` is a path of one user or one machine; it does not exist here", "`{path}` 是某个用户或某台机器特有的路径；本机不存在" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// Syntax that does not work in the `sh` of this machine.
    BREAKS = "not_portable" / "breaks" { "`{sign}` does not work in `sh`, which is {shell} on this machine", "`{sign}` 在 `sh` 中不起作用；本机的 `sh` 是 {shell}" } hint { "run it with bash: `bash -c '…'`, or a script that begins with `#!/usr/bin/env bash`", "用 bash 执行：`bash -c '…'`，或以 `#!/usr/bin/env bash` 开头的脚本" };
    /// Syntax that does not work in the `sh` of many other machines.
    BASHISM = "not_portable" / "shell" { "`{sign}` works in bash only; on many machines `sh` is another shell", "`{sign}` 仅在 bash 中可用；许多机器上的 `sh` 不是 bash" } hint { "run it with bash: `bash -c '…'`, or a script that begins with `#!/usr/bin/env bash`", "用 bash 执行：`bash -c '…'`，或以 `#!/usr/bin/env bash` 开头的脚本" };
    /// Several such signs of one text.
    BREAKS_ALL = "not_portable" / "breaks_all" { "{signs} do not work in `sh`, which is {shell} on this machine", "{signs} 在 `sh` 中不起作用；本机的 `sh` 是 {shell}" } hint { "run it with bash: `bash -c '…'`, or a script that begins with `#!/usr/bin/env bash`", "用 bash 执行：`bash -c '…'`，或以 `#!/usr/bin/env bash` 开头的脚本" };
    /// Several such signs for the `sh` of many other machines.
    BASHISM_ALL = "not_portable" / "shell_all" { "{signs} work in bash only; on many machines `sh` is another shell", "{signs} 仅在 bash 中可用；许多机器上的 `sh` 不是 bash" } hint { "run it with bash: `bash -c '…'`, or a script that begins with `#!/usr/bin/env bash`", "用 bash 执行：`bash -c '…'`，或以 `#!/usr/bin/env bash` 开头的脚本" };
    /// An operator of a shell among the arguments of a program that starts without one.
    SHELL_SIGN = "unknown_placeholder" / "shell_sign" { "`{written}` is passed to `{program}` as an argument: no shell reads it", "`{written}` 会作为参数传给 `{program}`：不经过 shell" } hint { "let a shell read the whole line, as with `sh -c`", "让 shell 读取整行，例如用 `sh -c`" };
    /// An argument that only a shell would expand.
    UNEXPANDED = "unknown_placeholder" / "args" { "`{written}` is not expanded: with `args`, no shell is used", "`{written}` 不会展开：有 `args` 时不经过 shell" } hint { "remove `args` and write the whole command line in `command`", "删除 `args`，在 `command` 中写完整的命令行" };
    /// Several missing scripts of one folder.
    MISSING_ALL = "entry_missing" / "missing_all" { "{count} hooks fail each time: `{folder}` does not contain {names}", "{count} 个 Hook 每次都会失败：`{folder}` 中不存在 {names}" } hint { "create the files, or correct their paths", "创建这些文件，或更正路径" };
    /// Files of several hooks without the executable bit.
    NOT_EXECUTABLE_ALL = "entry_not_executable" / "command_all" { "{count} hooks fail each time, because their files are not executable: {names}", "{count} 个 Hook 每次都会失败，因为文件没有执行权限：{names}" } hint { "run `chmod +x {files}`", "执行 `chmod +x {files}`" };
    /// A program that several hooks need and that is not installed on this machine.
    PROGRAM_ALL = "entry_missing" / "not_installed_all" { "`{name}` is not installed on this machine: here {count} hooks fail", "本机未安装 `{name}`：此处有 {count} 个 Hook 会失败" } hint { "install `{name}`, or correct its name", "安装 `{name}`，或更正名称" };
    /// Arguments of several hooks that no shell expands.
    UNEXPANDED_ALL = "unknown_placeholder" / "args_all" { "the arguments of {count} hooks are not expanded, because with `args` no shell is used: {names}", "有 `args` 时不经过 shell，{count} 个 Hook 的参数不会展开：{names}" } hint { "remove `args` and write the whole command line in `command`", "删除 `args`，在 `command` 中写完整的命令行" };
    /// Output on stdout that is ignored because of exit code 2.
    IGNORED_STDOUT = "returns_ignored" / "exit_2" { "stdout is ignored with `exit 2`: what this line prints has no effect", "以 `exit 2` 结束时会忽略 stdout：此行的输出不起作用" } hint { "write the reason to stderr", "把原因写到 stderr" };
    /// A decision on stdout that is ignored because of another exit code than 0 and 2.
    IGNORED_DECISION = "returns_ignored" / "exit_other" { "the decision printed before `exit {code}` is ignored: it has an effect only with `exit 0`", "`exit {code}` 之前输出的决定会被忽略：只有以 `exit 0` 结束才生效" } hint { "end with `exit 0`, or block with `exit 2` and a reason on stderr", "以 `exit 0` 结束，或用 `exit 2` 加 stderr 中的原因来拦截" };
}
