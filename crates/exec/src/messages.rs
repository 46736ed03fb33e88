//! The message templates of this crate.

hookwright_model::messages! {
    /// The directory of a run does not exist or is not a directory (`engine.md` §8).
    CWD_MISSING = "cwd_missing" { "{cwd} is no directory; the hook ran in {fallback}", "{cwd} 不是目录，钩子改在 {fallback} 中运行" };
    /// Neither the working directory nor the project directory exists.
    PROJECT_MISSING = "cwd_missing" / "project" { "the folder {cwd} is gone, so the hook cannot start", "文件夹 {cwd} 已不存在，因此 hook 无法启动" } hint { "restore the folder, or close the project", "请恢复该文件夹，或关闭该项目" };
    /// A variable of a run contains a NUL byte, which no environment can contain.
    VARIABLE_NUL = "variable_left_out" / "nul" {
        "{name} was left out of the environment: its value holds a NUL byte",
        "环境变量 {name} 未被设置：其值含有 NUL 字节"
    };
    /// A variable of a run is longer than the system accepts.
    VARIABLE_LONG = "variable_left_out" / "long" {
        "{name} was left out of the environment: its value has {bytes} bytes, more than the system takes",
        "环境变量 {name} 未被设置：其值有 {bytes} 字节，超出系统限制"
    } hint { "read the value from stdin", "请从 stdin 读取该值" };
    /// `ENOENT` for a program file that exists: its first line ends in a carriage return.
    CRLF_SHEBANG = "crlf_shebang" {
        "the first line of {program} ends in a carriage return, so the system looked for an interpreter whose name ends in one",
        "{program} 的首行以回车符结尾，系统因此去找名字带回车符的解释器"
    } hint { "save the file with Unix line endings", "请用 Unix 换行符保存该文件" };
    /// `ENOENT` for a program file that exists: its interpreter does not exist.
    INTERPRETER_MISSING = "interpreter_missing" {
        "{program} is there, but {interpreter}, which its first line names, is not",
        "{program} 存在，但其首行指定的解释器 {interpreter} 不存在"
    };
    /// `ENOEXEC`: the file is not a program of this system and has no `#!` line.
    NO_SHEBANG = "no_shebang" {
        "{program} does not begin with #! and is no program of this system",
        "{program} 不以 #! 开头，也不是本系统的可执行程序"
    } hint { "begin it with #!/bin/sh or the interpreter it is written for", "请以 #!/bin/sh 或它所用的解释器开头" };
    /// A run was stopped, and its streams stay open. A process left the group, and the search did not find it
    /// (`engine.md` §7).
    LEFT_BEHIND = "left_behind" {
        "something this hook started left its process group and still holds its output; it may go on running",
        "此钩子启动的某个进程已离开其进程组，且仍占用着它的输出，可能会继续运行"
    } hint { "do not start daemons from a hook", "请勿在钩子中启动守护进程" };
    /// The guardian cannot be started, or exited too often (`engine.md` §7).
    NO_GUARDIAN = "no_guardian" {
        "the guardian process is missing ({why}): if the engine is killed, a hook that is running goes on",
        "守护进程缺失（{why}）：若引擎被强行终止，正在运行的钩子会继续运行"
    };
    /// The login shell printed no environment in time (`engine.md` §8).
    LOGIN_SHELL_SLOW = "login_shell" / "slow" {
        "{shell} did not print its environment within {seconds} s; hooks get the environment of the desktop",
        "{shell} 未在 {seconds} 秒内给出环境变量，钩子将使用桌面的环境变量"
    } hint { "see what your shell's start-up files wait for", "请检查 Shell 启动文件在等待什么" };
    /// The login shell printed no environment.
    LOGIN_SHELL_FAILED = "login_shell" / "failed" {
        "{shell} did not print its environment ({why}); hooks get the environment of the desktop",
        "{shell} 没有给出环境变量（{why}），钩子将使用桌面的环境变量"
    };
    /// A peer did not complete the handshake in time.
    HANDSHAKE_SILENT = "handshake_failed" / "silent" {
        "{program} did not answer the greeting within {seconds} s",
        "{program} 未在 {seconds} 秒内应答握手"
    } hint { "does it flush its answers after every line?", "它是否在每行之后刷新输出？" };
    /// The peer exited before the handshake.
    HANDSHAKE_EXITED = "handshake_failed" / "exited" {
        "{program} ended with exit code {code} before it answered the greeting",
        "{program} 在应答握手之前以退出码 {code} 结束"
    } hint { "see what it wrote to stderr; does it flush its answers?", "请查看它的 stderr 输出；它是否刷新了输出？" };
    /// A signal ended the peer before the handshake.
    HANDSHAKE_SIGNAL = "handshake_failed" / "signal" {
        "signal {signal} ended {program} before it answered the greeting",
        "{program} 在应答握手之前被信号 {signal} 终止"
    };
    /// The peer closed its output, or wrote a line without an end, before the handshake.
    HANDSHAKE_CLOSED = "handshake_failed" / "closed" {
        "{program} gave no readable answer to the greeting before its output ended",
        "{program} 的输出在给出可读的握手应答之前就结束了"
    };
    /// The handshake response of the peer is invalid.
    HANDSHAKE_REFUSED = "handshake_failed" / "refused" {
        "{program} answered the greeting with something that is none: {why}",
        "{program} 对握手的应答无效：{why}"
    };
    /// The peer wrote too much output before it completed the handshake.
    HANDSHAKE_TOO_MUCH_OUTPUT = "handshake_failed" / "babble" {
        "{program} wrote and wrote, and no answer to the greeting was among it",
        "{program} 写出了大量内容，其中却没有握手应答"
    } hint { "its stdout is for answers only; write messages to stderr", "它的 stdout 只用于应答，其他信息请写到 stderr" };
    /// The peer exited.
    PEER_EXITED = "peer_gone" / "exited" { "{program} ended with exit code {code}", "{program} 以退出码 {code} 结束" };
    /// A signal ended the peer.
    PEER_SIGNAL = "peer_gone" / "signal" { "signal {signal} ended {program}", "{program} 被信号 {signal} 终止" };
    /// The peer closed one of its streams.
    PEER_CLOSED = "peer_gone" / "closed" {
        "{program} closed its input or its output, so it was ended",
        "{program} 关闭了输入或输出，已将其终止"
    };
    /// The peer wrote a line over the limit.
    PEER_LONG_LINE = "peer_gone" / "long_line" {
        "{program} wrote a line of more than {mebibytes} MiB, so it was ended",
        "{program} 写出了超过 {mebibytes} MiB 的一行，已将其终止"
    };
    /// The peer wrote no line within the time limit after a request was cancelled.
    PEER_STUCK = "peer_gone" / "stuck" {
        "{program} did not let go of a call that was taken back, so it was ended",
        "{program} 未放下已撤回的调用，已将其终止"
    };
    /// The peer's definition changed while a request was pending.
    PEER_REPLACED = "peer_gone" / "replaced" {
        "{program} was replaced by a newer version before it responded",
        "{program} 在响应之前已被新版本替换"
    };
    /// The peer ended just now, and is not started again before the pause is over (`picoclaw.md` §5).
    PEER_BACKING_OFF = "peer_gone" / "resting" {
        "{program} ended a moment ago; it is started again at the first event after {pause} ms",
        "{program} 刚刚结束，将在 {pause} 毫秒之后的首个事件时重新启动"
    };
    /// A line is so long that shipped agents stop reading there.
    LONG_LINE = "long_line" {
        "{program} wrote a line of {bytes} bytes; agents that read at most 1 MiB a line stop listening there",
        "{program} 写出了 {bytes} 字节的一行；每行最多读取 1 MiB 的智能体会就此停止接收"
    } hint { "answer with less", "请缩短应答" };
    /// The peer wrote more lines that are not valid.
    MORE_INVALID_LINES = "peer_noise" { "{program} wrote {count} more lines that are no answers", "{program} 另外写出了 {count} 行并非应答的内容" };
    /// The peer does not read its notifications, so the queue is full.
    QUEUE_FULL = "queue_full" {
        "{program} does not read: {waiting} notifications wait for it, {count} were dropped so far",
        "{program} 没有读取输入：有 {waiting} 条通知在等待，迄今已丢弃 {count} 条"
    };
}
