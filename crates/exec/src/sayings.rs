//! What this crate says to people.

hookwright_model::sayings! {
    /// The directory of a run is none (`engine.md` §8).
    CWD_MISSING = "cwd_missing" { "{cwd} is no directory; the hook ran in {fallback}", "{cwd} 不是目录，钩子改在 {fallback} 中运行" };
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
}
