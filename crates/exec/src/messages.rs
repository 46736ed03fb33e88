//! The message templates of this crate.

hookwright_model::messages! {
    /// The directory of a run does not exist or is not a directory (`engine.md` §8).
    CWD_MISSING = "cwd_missing" { "{cwd} is not a directory; the hook ran in {fallback}", "{cwd} 不是目录，Hook 改在 {fallback} 中执行" };
    /// A variable of a run contains a NUL byte, which no environment can contain.
    VARIABLE_NUL = "variable_left_out" / "nul" {
        "the environment variable {name} is not set: its value contains a NUL byte",
        "环境变量 {name} 未设置：其值含有 NUL 字节"
    };
    /// A variable of a run is longer than the system accepts.
    VARIABLE_LONG = "variable_left_out" / "long" {
        "the environment variable {name} is not set: its value has {bytes} bytes, which exceeds the system's limit",
        "环境变量 {name} 未设置：其值有 {bytes} 字节，超出系统限制"
    } hint { "read the value from stdin", "从 stdin 读取该值" };
    /// `ENOENT` for a program file that exists: its first line ends in a carriage return.
    CRLF_SHEBANG = "crlf_shebang" {
        "the first line of {program} ends with a carriage return, so the system does not find its interpreter",
        "{program} 的首行以回车符结尾，因此系统找不到其解释器"
    } hint { "save the file with LF line endings", "将文件保存为 LF 换行" };
    /// `ENOENT` for a program file that exists: its interpreter does not exist.
    INTERPRETER_MISSING = "interpreter_missing" {
        "the first line of {program} names {interpreter}, which does not exist",
        "{program} 首行指定的解释器 {interpreter} 不存在"
    };
    /// `ENOEXEC`: the file is not a program of this system and has no `#!` line.
    NO_SHEBANG = "no_shebang" {
        "{program} does not begin with `#!` and is not a program of this system",
        "{program} 不以 `#!` 开头，也不是本系统的可执行程序"
    } hint { "begin it with `#!/bin/sh` or the interpreter it is written for", "以 `#!/bin/sh` 或它所用的解释器开头" };
    /// A run was stopped, and its streams stay open. A process left the group, and the search did not find it
    /// (`engine.md` §7).
    LEFT_BEHIND = "left_behind" {
        "a process that this hook started left its process group, still uses its output and may continue to run",
        "此 Hook 启动的某个进程已脱离其进程组，仍占用其输出，并可能继续运行"
    } hint { "do not start daemons from a hook", "不要在 Hook 中启动后台进程" };
    /// A process that the hook started keeps stdout open after the end of the hook.
    HOLDS_PIPE = "holds_pipe" {
        "a process that this hook started keeps its stdout open, so the agent may reject the output",
        "此 Hook 启动的某个进程一直占用其 stdout，因此 Agent 可能拒绝其返回结果"
    } hint { "start it with `>/dev/null 2>&1`", "启动它时加上 `>/dev/null 2>&1`" };
    /// The guardian cannot be started, or exited too often (`engine.md` §7).
    NO_GUARDIAN = "no_guardian" {
        "the guardian process is missing ({why}): if the engine is killed, running hooks continue to run",
        "守护进程缺失（{why}）：若引擎被强行终止，正在执行的 Hook 会继续运行"
    };
    /// The login shell printed no environment in time (`engine.md` §8).
    LOGIN_SHELL_SLOW = "login_shell" / "slow" {
        "{shell} did not print its environment within {seconds} s; hooks get the environment of the desktop",
        "{shell} 未在 {seconds} 秒内给出环境变量；Hook 将使用桌面的环境变量"
    } hint { "check what the start-up files of your shell wait for", "检查 shell 的启动文件在等待什么" };
    /// The login shell printed no environment.
    LOGIN_SHELL_FAILED = "login_shell" / "failed" {
        "{shell} did not print its environment ({why}); hooks get the environment of the desktop",
        "{shell} 没有给出环境变量（{why}）；Hook 将使用桌面的环境变量"
    };
    /// A peer did not complete the handshake in time.
    HANDSHAKE_SILENT = "handshake_failed" / "silent" {
        "{program} did not complete the handshake within {seconds} s: {why}",
        "{program} 未在 {seconds} 秒内完成握手：{why}"
    } hint { "write each response as one line of JSON, and flush it; write everything else to stderr", "每个响应写成一行 JSON 并刷新输出；其他内容写到 stderr" };
    /// The peer exited before the handshake.
    HANDSHAKE_EXITED = "handshake_failed" / "exited" {
        "{program} ended with exit code {code} before it completed the handshake: {why}",
        "{program} 在完成握手之前以退出码 {code} 结束：{why}"
    } hint { "check its stderr, and that it flushes its output after every line", "检查它的 stderr，并确认它在每行之后刷新输出" };
    /// A signal ended the peer before the handshake.
    HANDSHAKE_SIGNAL = "handshake_failed" / "signal" {
        "signal {signal} ended {program} before it completed the handshake: {why}",
        "{program} 在完成握手之前被信号 {signal} 终止：{why}"
    };
    /// The peer closed its output, or wrote a line without an end, before the handshake.
    HANDSHAKE_CLOSED = "handshake_failed" / "closed" {
        "the output of {program} ended before it completed the handshake: {why}",
        "{program} 的输出在完成握手之前就已结束：{why}"
    };
    /// The handshake response of the peer is invalid.
    HANDSHAKE_REFUSED = "handshake_failed" / "refused" {
        "{program} sent an invalid response in the handshake: {why}",
        "{program} 的握手响应无效：{why}"
    };
    /// The peer wrote nothing before its handshake failed.
    OUTPUT_NOTHING = "handshake_output" / "nothing" { "it wrote nothing to stdout, or did not flush it", "它没有向 stdout 写任何内容，或没有刷新输出" };
    /// The peer wrote something that is no response.
    OUTPUT_OTHER = "handshake_output" / "other" { "it wrote `{line}`, which is not a response", "它写了 `{line}`，这不是响应" };
    /// What the peer wrote, and the end of its stderr.
    OUTPUT_AND_STDERR = "handshake_output" / "saying" { "{why}; the end of its stderr: {stderr}", "{why}；其 stderr 的末尾：{stderr}" };
    /// The peer wrote too much output before it completed the handshake.
    HANDSHAKE_TOO_MUCH_OUTPUT = "handshake_failed" / "babble" {
        "{program} wrote too much output before it completed the handshake",
        "{program} 输出过多内容，仍未完成握手"
    } hint { "write only responses to stdout, and everything else to stderr", "只把响应写到 stdout，其他内容写到 stderr" };
    /// The peer exited.
    PEER_EXITED = "peer_gone" / "exited" { "{program} ended with exit code {code}", "{program} 以退出码 {code} 结束" };
    /// A signal ended the peer.
    PEER_SIGNAL = "peer_gone" / "signal" { "signal {signal} ended {program}", "{program} 被信号 {signal} 终止" };
    /// The peer closed one of its streams.
    PEER_CLOSED = "peer_gone" / "closed" {
        "{program} closed its input or its output, so it was stopped",
        "{program} 关闭了输入或输出，已被终止"
    };
    /// The peer wrote a line over the limit.
    PEER_LONG_LINE = "peer_gone" / "long_line" {
        "{program} wrote a line of more than {mebibytes} MiB, so it was stopped",
        "{program} 写出了超过 {mebibytes} MiB 的一行，已被终止"
    };
    /// The peer wrote no line within the time limit after a request was cancelled.
    PEER_STUCK = "peer_gone" / "stuck" {
        "{program} did not end a cancelled call, so it was stopped",
        "{program} 未结束已取消的调用，已被终止"
    };
    /// The peer's definition changed while a request was pending.
    PEER_REPLACED = "peer_gone" / "replaced" {
        "{program} was replaced by a newer version before it responded",
        "{program} 在响应之前已被新版本替换"
    };
    /// The peer ended just now, and is not started again before the pause is over (`picoclaw.md` §5).
    PEER_BACKING_OFF = "peer_gone" / "resting" {
        "{program} ended a moment ago; it starts again at the first event after {pause} ms",
        "{program} 刚刚结束，将在 {pause} 毫秒之后的首个事件时重新启动"
    };
    /// A line is so long that shipped agents stop reading there.
    LONG_LINE = "long_line" {
        "{program} wrote a line of {bytes} bytes; agents that read at most 1 MiB per line stop reading there",
        "{program} 写出了 {bytes} 字节的一行；每行最多读取 1 MiB 的 Agent 会在此停止读取"
    } hint { "shorten the output", "缩短返回结果" };
    /// The peer wrote more lines that are not valid.
    MORE_INVALID_LINES = "peer_noise" { "{program} wrote more lines that are not responses: {count}", "{program} 另外写出了 {count} 行非响应的内容" };
    /// The peer does not read its notifications, so the queue is full.
    QUEUE_FULL = "queue_full" {
        "{program} does not read its input: {waiting} notifications are waiting, {count} were dropped so far",
        "{program} 未读取输入：有 {waiting} 条通知在等待，已丢弃 {count} 条"
    };
}
