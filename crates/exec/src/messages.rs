//! What this crate says to people.

hookwright_model::messages! {
    /// The directory of a run is none (`engine.md` §8).
    CWD_MISSING = "cwd_missing" { "{cwd} is no directory; the hook ran in {fallback}", "{cwd} 不是目录，钩子改在 {fallback} 中运行" };
    /// A variable of a run that no environment can hold.
    VARIABLE_NUL = "variable_left_out" / "nul" {
        "{name} was left out of the environment: its value holds a NUL byte",
        "环境变量 {name} 未被设置：其值含有 NUL 字节"
    };
    /// A variable of a run that the system refuses.
    VARIABLE_LONG = "variable_left_out" / "long" {
        "{name} was left out of the environment: its value has {bytes} bytes, more than the system takes",
        "环境变量 {name} 未被设置：其值有 {bytes} 字节，超出系统限制"
    } hint { "read the value from stdin", "请从 stdin 读取该值" };
    /// `ENOENT` for a file that is there: its first line ends in CR.
    CRLF_SHEBANG = "crlf_shebang" {
        "the first line of {program} ends in a carriage return, so the system looked for an interpreter whose name ends in one",
        "{program} 的首行以回车符结尾，系统因此去找名字带回车符的解释器"
    } hint { "save the file with Unix line endings", "请用 Unix 换行符保存该文件" };
    /// `ENOENT` for a file that is there: its interpreter is not.
    INTERPRETER_MISSING = "interpreter_missing" {
        "{program} is there, but {interpreter}, which its first line names, is not",
        "{program} 存在，但其首行指定的解释器 {interpreter} 不存在"
    };
    /// `ENOEXEC`.
    NO_SHEBANG = "no_shebang" {
        "{program} does not begin with #! and is no program of this system",
        "{program} 不以 #! 开头，也不是本系统的可执行程序"
    } hint { "begin it with #!/bin/sh or the interpreter it is written for", "请以 #!/bin/sh 或它所用的解释器开头" };
    /// A cut run whose streams stay open: somebody left the group, and the search did not find him (`engine.md` §7).
    LEFT_BEHIND = "left_behind" {
        "something this hook started left its process group and still holds its output; it may go on running",
        "此钩子启动的某个进程已离开其进程组，且仍占用着它的输出，可能会继续运行"
    } hint { "do not start daemons from a hook", "请勿在钩子中启动守护进程" };
    /// The guardian cannot be started, or went away too often (`engine.md` §7).
    NO_GUARDIAN = "no_guardian" {
        "the guardian process is missing ({why}): if the engine is killed, a hook that is running goes on",
        "守护进程缺失（{why}）：若引擎被强行终止，正在运行的钩子会继续运行"
    };
    /// The login shell gave no environment in time (`engine.md` §8).
    LOGIN_SHELL_SLOW = "login_shell" / "slow" {
        "{shell} did not print its environment within {seconds} s; hooks get the environment of the desktop",
        "{shell} 未在 {seconds} 秒内给出环境变量，钩子将使用桌面的环境变量"
    } hint { "see what your shell's start-up files wait for", "请检查 Shell 启动文件在等待什么" };
    /// The login shell gave no environment.
    LOGIN_SHELL_FAILED = "login_shell" / "failed" {
        "{shell} did not print its environment ({why}); hooks get the environment of the desktop",
        "{shell} 没有给出环境变量（{why}），钩子将使用桌面的环境变量"
    };
    /// A long-lived process did not answer the greeting in time.
    HANDSHAKE_SILENT = "handshake_failed" / "silent" {
        "{program} did not answer the greeting within {seconds} s",
        "{program} 未在 {seconds} 秒内应答握手"
    } hint { "does it flush its answers after every line?", "它是否在每行之后刷新输出？" };
    /// It exited instead.
    HANDSHAKE_EXITED = "handshake_failed" / "exited" {
        "{program} ended with exit code {code} before it answered the greeting",
        "{program} 在应答握手之前以退出码 {code} 结束"
    } hint { "see what it wrote to stderr; does it flush its answers?", "请查看它的 stderr 输出；它是否刷新了输出？" };
    /// A signal ended it.
    HANDSHAKE_SIGNAL = "handshake_failed" / "signal" {
        "signal {signal} ended {program} before it answered the greeting",
        "{program} 在应答握手之前被信号 {signal} 终止"
    };
    /// It closed its output, or wrote a line without end.
    HANDSHAKE_CLOSED = "handshake_failed" / "closed" {
        "{program} gave no readable answer to the greeting before its output ended",
        "{program} 的输出在给出可读的握手应答之前就结束了"
    };
    /// It answered, and the answer is no good.
    HANDSHAKE_REFUSED = "handshake_failed" / "refused" {
        "{program} answered the greeting with something that is none: {why}",
        "{program} 对握手的应答无效：{why}"
    };
    /// It writes without end, and no greeting.
    HANDSHAKE_TOO_MUCH_OUTPUT = "handshake_failed" / "babble" {
        "{program} wrote and wrote, and no answer to the greeting was among it",
        "{program} 写出了大量内容，其中却没有握手应答"
    } hint { "its stdout is for answers only; write messages to stderr", "它的 stdout 只用于应答，其他信息请写到 stderr" };
    /// A long-lived process exited.
    PEER_EXITED = "peer_gone" / "exited" { "{program} ended with exit code {code}", "{program} 以退出码 {code} 结束" };
    /// A signal ended it.
    PEER_SIGNAL = "peer_gone" / "signal" { "signal {signal} ended {program}", "{program} 被信号 {signal} 终止" };
    /// It closed one of its streams.
    PEER_CLOSED = "peer_gone" / "closed" {
        "{program} closed its input or its output, so it was ended",
        "{program} 关闭了输入或输出，已将其终止"
    };
    /// It wrote a line over the limit.
    PEER_LONG_LINE = "peer_gone" / "long_line" {
        "{program} wrote a line of more than {mebibytes} MiB, so it was ended",
        "{program} 写出了超过 {mebibytes} MiB 的一行，已将其终止"
    };
    /// It was not heard of after a call was taken back.
    PEER_STUCK = "peer_gone" / "stuck" {
        "{program} did not let go of a call that was taken back, so it was ended",
        "{program} 未放下已撤回的调用，已将其终止"
    };
    /// Its definition was changed while it was asked.
    PEER_REPLACED = "peer_gone" / "replaced" {
        "{program} was replaced by a newer version before it responded",
        "{program} 在响应之前已被新版本替换"
    };
    /// It ended a moment ago, and is not started again yet (`picoclaw.md` §5).
    PEER_BACKING_OFF = "peer_gone" / "resting" {
        "{program} ended a moment ago; it is started again at the first event after {pause} ms",
        "{program} 刚刚结束，将在 {pause} 毫秒之后的首个事件时重新启动"
    };
    /// A line of a length at which shipped agents give up.
    LONG_LINE = "long_line" {
        "{program} wrote a line of {bytes} bytes; agents that read at most 1 MiB a line stop listening there",
        "{program} 写出了 {bytes} 字节的一行；每行最多读取 1 MiB 的智能体会就此停止接收"
    } hint { "answer with less", "请缩短应答" };
    /// More lines that could not be understood.
    MORE_INVALID_LINES = "peer_noise" { "{program} wrote {count} more lines that are no answers", "{program} 另外写出了 {count} 行并非应答的内容" };
    /// Notifications that nobody took.
    QUEUE_FULL = "queue_full" {
        "{program} does not read: {waiting} notifications wait for it, {count} were dropped so far",
        "{program} 没有读取输入：有 {waiting} 条通知在等待，迄今已丢弃 {count} 条"
    };
}
