//! The program that is started: the shell for a command string, the program itself for a list of arguments.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hookwright_model::{Message, Program, render};

use crate::environment;
use crate::messages::{CRLF_SHEBANG, INTERPRETER_MISSING, NO_SHEBANG};

/// The shell by its absolute path. [`environment::resolve`] contains the reason.
#[cfg(unix)]
const SHELL: &str = "/bin/sh";

/// A program with its absolute path, and its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Argv {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

impl Argv {
    /// The resolved command, to be shown to the user.
    pub(crate) fn command_line(&self) -> Vec<String> {
        std::iter::once(self.program.display().to_string())
            .chain(self.args.iter().cloned())
            .collect()
    }
}

/// The shell that runs command strings, and the arguments before the string. It is `/bin/sh -c`. On Windows it is
/// the `sh` on PATH (Git installs one), otherwise `cmd /d /s /c` (`engine.md` §7).
#[must_use]
pub fn shell(path: &OsStr) -> Vec<String> {
    #[cfg(unix)]
    {
        let _ = path;
        vec![SHELL.to_owned(), "-c".to_owned()]
    }
    #[cfg(not(unix))]
    match environment::which("sh", path) {
        Some(sh) => vec![sh.display().to_string(), "-c".to_owned()],
        None => ["cmd", "/d", "/s", "/c"].map(str::to_owned).to_vec(),
    }
}

fn shell_argv(shell: Vec<String>, text: String) -> Argv {
    let mut words = shell.into_iter();
    Argv {
        program: words.next().map(PathBuf::from).unwrap_or_default(),
        args: words.chain([text]).collect(),
    }
}

/// The shell of [`Program::LoginShell`], and the arguments before the command.
fn login_shell(path: &OsStr) -> Vec<String> {
    let own = OWN_LOGIN_SHELL.clone();
    match own.or_else(|| environment::which("bash", path)) {
        Some(found) => vec![found.display().to_string(), "-c".to_owned()],
        None => shell(path),
    }
}

/// The user's login shell, if it is one that runs hooks. The password file is read once.
static OWN_LOGIN_SHELL: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    #[cfg(unix)]
    {
        #[expect(clippy::disallowed_methods, reason = "the password file of the system")]
        let users = std::fs::read_to_string("/etc/passwd").ok()?;
        let found = login_shell_of(&users, rustix::process::getuid().as_raw())?;
        Some(PathBuf::from(found)).filter(|shell| shell.is_file())
    }
    #[cfg(not(unix))]
    None
});

/// The login shell of a user in the text of a password file, if it is one that runs hooks.
#[cfg(unix)]
fn login_shell_of(users: &str, id: u32) -> Option<&str> {
    let id = id.to_string();
    let line = users.lines().find(|line| line.split(':').nth(2) == Some(id.as_str()))?;
    let shell = line.split(':').nth(6)?;
    let name = shell.rsplit('/').next()?;
    ["bash", "zsh", "sh"].contains(&name).then_some(shell)
}

/// Resolves a program for a run in `cwd`.
///
/// # Errors
/// When the program is not on PATH: the unchanged arguments, and the system's error.
pub(crate) fn resolve(program: Program, path: &OsStr, cwd: &Path) -> Result<Argv, (Vec<String>, io::Error)> {
    match program {
        Program::Shell(text) => Ok(shell_argv(shell(path), text)),
        Program::LoginShell(text) => Ok(shell_argv(login_shell(path), text)),
        Program::Argv(mut words) => match environment::resolve(words.first().map_or("", String::as_str), path, cwd) {
            Ok(program) => Ok(Argv {
                program,
                args: words.drain(..).skip(1).collect(),
            }),
            Err(error) => Err((words, error)),
        },
    }
}

/// Explains why an existing file cannot be started, where the system's error does not contain the reason.
pub(crate) fn explain(program: &Path, error: &io::Error) -> Option<Message> {
    let name = program.display().to_string();
    let first = first_line(program)?;
    let interpreter = first.strip_prefix("#!").map(str::trim_start);
    match (error.kind(), interpreter) {
        (io::ErrorKind::NotFound, Some(line)) if line.ends_with('\r') => Some(render!(CRLF_SHEBANG, "program" => name)),
        (io::ErrorKind::NotFound, Some(line)) => {
            let interpreter = line.split_whitespace().next()?;
            Some(render!(INTERPRETER_MISSING, "program" => name, "interpreter" => interpreter))
        }
        (_, None) if is_exec_format(error) => Some(render!(NO_SHEBANG, "program" => name)),
        (_, Some(_) | None) => None,
    }
}

/// The first line without its `\n`; a `\r` stays. `None` if the file cannot be read or is not a regular file.
#[expect(
    clippy::disallowed_methods,
    reason = "only the message about a program that does not start needs this"
)]
fn first_line(program: &Path) -> Option<String> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        // To open a named pipe would wait for a writer.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(program).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    file.take(512).read_to_end(&mut head).ok()?;
    let line = head.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

fn is_exec_format(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error());
    #[cfg(not(unix))]
    return {
        let _ = error;
        false
    };
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_a_shell_that_reads_commands_like_sh_is_taken_from_the_password_file() {
        let users = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000:,,,:/home/me:/usr/bin/zsh\nfish:x:1001:1001::/home/fish:/usr/bin/fish\n";
        assert_eq!(login_shell_of(users, 0), Some("/bin/bash"));
        assert_eq!(login_shell_of(users, 1000), Some("/usr/bin/zsh"));
        assert_eq!(login_shell_of(users, 1001), None);
        assert_eq!(login_shell_of(users, 7), None);
    }
}
