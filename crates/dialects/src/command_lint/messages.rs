//! Messages about commands and scripts that are the same in every dialect, in both languages.

hookwright_model::messages! {
    /// A script or program of a guard is missing.
    OPEN_MISSING = "fails_open" / "missing" { "`{name}` does not exist: the hook fails and the agent continues", "`{name}` 不存在：Hook 会失败，Agent 继续执行" } hint { "create the file, or correct its path", "创建该文件，或更正路径" };
    /// A script or program of a hook that cannot block is missing.
    MISSING = "entry_missing" / "missing" { "`{name}` does not exist: the hook fails each time", "`{name}` 不存在：Hook 每次都会失败" } hint { "create the file, or correct its path", "创建该文件，或更正路径" };
    /// A script or program of an approver is missing.
    CLOSED_MISSING = "entry_missing" / "missing_closed" { "`{name}` does not exist: every tool call is denied", "`{name}` 不存在：每次工具调用都会被拒绝" } hint { "create the file, or correct its path", "创建该文件，或更正路径" };
    /// A script is missing, and the hook ends with the code that blocks.
    BLOCKS_MISSING = "fails_open" / "missing_exit_2" { "`{name}` does not exist: the hook ends with exit 2, and the agent is blocked each time", "`{name}` 不存在：Hook 以 exit 2 结束，每次都会拦截 Agent" } hint { "create the file, or correct its path", "创建该文件，或更正路径" };
    /// A guard without the executable bit.
    OPEN_NOT_EXECUTABLE = "fails_open" / "not_executable" { "`{name}` is not executable: the hook fails and the agent continues", "`{name}` 没有执行权限：Hook 会失败，Agent 继续执行" } hint { "run `chmod +x {file}`, or start it by its interpreter", "执行 `chmod +x {file}`，或通过解释器启动" };
    /// A hook that cannot block, with a file without the executable bit.
    NOT_EXECUTABLE = "entry_not_executable" / "command" { "`{name}` is not executable: the hook fails each time", "`{name}` 没有执行权限：Hook 每次都会失败" } hint { "run `chmod +x {file}`, or start it by its interpreter", "执行 `chmod +x {file}`，或通过解释器启动" };
    /// An approver without the executable bit.
    CLOSED_NOT_EXECUTABLE = "entry_not_executable" / "command_closed" { "`{name}` is not executable: every tool call is denied", "`{name}` 没有执行权限：每次工具调用都会被拒绝" } hint { "run `chmod +x {file}`, or start it by its interpreter", "执行 `chmod +x {file}`，或通过解释器启动" };
    /// A guard with a script whose first line ends with a carriage return.
    OPEN_RETURN = "fails_open" / "carriage_return" { "the `#!` line of `{name}` ends with a carriage return: the hook fails and the agent continues", "`{name}` 的 `#!` 行以回车符结尾：Hook 会失败，Agent 继续执行" } hint { "save `{name}` with LF line endings", "将 `{name}` 保存为 LF 换行" };
    /// A script whose first line ends with a carriage return.
    RETURN = "entry_no_shebang" / "carriage_return" { "the `#!` line of `{name}` ends with a carriage return: its interpreter is not found", "`{name}` 的 `#!` 行以回车符结尾：找不到其解释器" } hint { "save `{name}` with LF line endings", "将 `{name}` 保存为 LF 换行" };
    /// A guard with a shell script whose lines end with carriage returns.
    OPEN_RETURN_LINES = "fails_open" / "carriage_return_lines" { "the lines of `{name}` end with carriage returns, which a shell reads as text: this guard fails", "`{name}` 的各行以回车符结尾，shell 会把它当作文本：此防护 Hook 会失败" } hint { "save `{name}` with LF line endings", "将 `{name}` 保存为 LF 换行" };
    /// A shell script whose lines end with carriage returns.
    RETURN_LINES = "entry_no_shebang" / "carriage_return_lines" { "the lines of `{name}` end with carriage returns, which a shell reads as text: the hook fails", "`{name}` 的各行以回车符结尾，shell 会把它当作文本：Hook 会失败" } hint { "save `{name}` with LF line endings", "将 `{name}` 保存为 LF 换行" };
    /// A guard with a script that has no `#!` line.
    OPEN_SHEBANG = "fails_open" / "no_interpreter" { "`{name}` has no `#!` line: the hook fails and the agent continues", "`{name}` 没有 `#!` 行：Hook 会失败，Agent 继续执行" } hint { "add a `#!` line, or start it by its interpreter", "添加 `#!` 行，或通过解释器启动" };
    /// A script that has no `#!` line.
    SHEBANG = "entry_no_shebang" / "command" { "`{name}` has no `#!` line: the system cannot run it", "`{name}` 没有 `#!` 行：系统无法执行它" } hint { "add a `#!` line, or start it by its interpreter", "添加 `#!` 行，或通过解释器启动" };
    /// A guard that needs a program that is not installed on this machine.
    OPEN_PROGRAM = "fails_open" / "not_installed" { "`{name}` is not installed on this machine: here the hook fails and the agent continues", "本机未安装 `{name}`：此处 Hook 会失败，Agent 继续执行" } hint { "install `{name}`, or correct its name", "安装 `{name}`，或更正名称" };
    /// A hook that needs a program that is not installed on this machine.
    PROGRAM = "entry_missing" / "not_installed" { "`{name}` is not installed on this machine: here the hook fails", "本机未安装 `{name}`：此处 Hook 会失败" } hint { "install `{name}`, or correct its name", "安装 `{name}`，或更正名称" };
    /// An approver that needs a program that is not installed on this machine.
    CLOSED_PROGRAM = "entry_missing" / "not_installed_closed" { "`{name}` is not installed on this machine: here every tool call is denied", "本机未安装 `{name}`：此处每次工具调用都会被拒绝" } hint { "install `{name}`, or correct its name", "安装 `{name}`，或更正名称" };
    /// A guard whose command hides every failure, so that it can never block.
    OPEN_TAIL = "fails_open" / "tail" { "because of `{tail}` this hook can never block, and a missing script goes unnoticed", "因为 `{tail}`，此 Hook 永远无法拦截，脚本缺失也不会被发现" } hint { "remove `{tail}`, and block with `exit 2`", "删除 `{tail}`，用 `exit 2` 拦截" };
    /// A guard that exits with 1, which does not block.
    OPEN_ONE = "fails_open" / "exit_1" { "`exit 1` does not block, only `exit 2` does: the agent continues", "`exit 1` 不会拦截，只有 `exit 2` 会：Agent 继续执行" } hint { "write `exit 2`, and the reason to stderr", "写 `exit 2`，并把原因写到 stderr" };
    /// A variable that nothing sets.
    UNSET = "unset_variable" / "command" { "`${name}` is empty here: neither {agent} nor this command sets it", "`${name}` 在此为空：{agent} 和此命令都未设置它" } hint { "read the event from stdin, for example `{example}`; variables that are set: {set}", "从 stdin 读取事件，例如 `{example}`；已设置的变量：{set}" };
    /// The variable with which another agent names the project directory.
    UNSET_PROJECT = "unset_variable" / "project" { "`${name}` is empty here: neither {agent} nor this command sets it", "`${name}` 在此为空：{agent} 和此命令都未设置它" } hint { "write `${fixed}`", "写成 `${fixed}`" };
    /// A script with a relative path, which is found from one directory only.
    RELATIVE = "not_portable" / "relative" { "`{path}` is a relative path: after a `cd` of the agent it is not found, and the hook fails", "`{path}` 是相对路径：Agent 执行 `cd` 后会找不到它，Hook 会失败" } hint { "write `{fixed}`", "写成 `{fixed}`" };
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
    /// An argument that no shell expands.
    UNEXPANDED = "unknown_placeholder" / "args" { "`{written}` is not expanded: with `args`, no shell is used", "`{written}` 不会展开：有 `args` 时不经过 shell" } hint { "remove `args` and write the whole command line in `command`", "删除 `args`，在 `command` 中写完整的命令行" };
    /// Several missing scripts of one folder, some of them of guards.
    OPEN_MISSING_ALL = "fails_open" / "missing_all" { "{count} hooks fail each time, guards among them: `{folder}` does not contain {names}", "{count} 个 Hook 每次都会失败，其中有防护 Hook：`{folder}` 中不存在 {names}" } hint { "create the files, or correct their paths", "创建这些文件，或更正路径" };
    /// Several missing scripts of one folder.
    MISSING_ALL = "entry_missing" / "missing_all" { "{count} hooks fail each time: `{folder}` does not contain {names}", "{count} 个 Hook 每次都会失败：`{folder}` 中不存在 {names}" } hint { "create the files, or correct their paths", "创建这些文件，或更正路径" };
    /// Files of several hooks, guards among them, without the executable bit.
    OPEN_NOT_EXECUTABLE_ALL = "fails_open" / "not_executable_all" { "{count} hooks fail each time, guards among them, because their files are not executable: {names}", "{count} 个 Hook 每次都会失败，其中有防护 Hook，因为文件没有执行权限：{names}" } hint { "run `chmod +x {files}`", "执行 `chmod +x {files}`" };
    /// Files of several hooks without the executable bit.
    NOT_EXECUTABLE_ALL = "entry_not_executable" / "command_all" { "{count} hooks fail each time, because their files are not executable: {names}", "{count} 个 Hook 每次都会失败，因为文件没有执行权限：{names}" } hint { "run `chmod +x {files}`", "执行 `chmod +x {files}`" };
    /// A program that several hooks need, guards among them, and that is not installed on this machine.
    OPEN_PROGRAM_ALL = "fails_open" / "not_installed_all" { "`{name}` is not installed on this machine: here {count} hooks fail, guards among them", "本机未安装 `{name}`：此处有 {count} 个 Hook 会失败，其中有防护 Hook" } hint { "install `{name}`, or correct its name", "安装 `{name}`，或更正名称" };
    /// A program that several hooks need and that is not installed on this machine.
    PROGRAM_ALL = "entry_missing" / "not_installed_all" { "`{name}` is not installed on this machine: here {count} hooks fail", "本机未安装 `{name}`：此处有 {count} 个 Hook 会失败" } hint { "install `{name}`, or correct its name", "安装 `{name}`，或更正名称" };
    /// Arguments of several hooks that no shell expands.
    UNEXPANDED_ALL = "unknown_placeholder" / "args_all" { "the arguments of {count} hooks are not expanded, because with `args` no shell is used: {names}", "有 `args` 时不经过 shell，{count} 个 Hook 的参数不会展开：{names}" } hint { "remove `args` and write the whole command line in `command`", "删除 `args`，在 `command` 中写完整的命令行" };
    /// Output on stdout that is ignored because of exit code 2.
    IGNORED_STDOUT = "returns_ignored" / "exit_2" { "stdout is ignored with `exit 2`: what this line prints has no effect", "以 `exit 2` 结束时会忽略 stdout：此行的输出不起作用" } hint { "write the reason to stderr", "把原因写到 stderr" };
    /// A decision on stdout that is ignored because of another exit code than 0 and 2.
    IGNORED_DECISION = "returns_ignored" / "exit_other" { "the decision printed before `exit {code}` is ignored: it has an effect only with `exit 0`", "`exit {code}` 之前输出的决定会被忽略：只有以 `exit 0` 结束才生效" } hint { "end with `exit 0`, or block with `exit 2` and a reason on stderr", "以 `exit 0` 结束，或用 `exit 2` 加 stderr 中的原因来拦截" };
}
