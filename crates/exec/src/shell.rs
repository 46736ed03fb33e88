//! The program that is started: the shell for a command string, the program itself for a list of arguments.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

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

/// Resolves a program for a run in `cwd`.
///
/// # Errors
/// When the program is not on PATH: the unchanged arguments, and the system's error.
pub(crate) fn resolve(program: Program, path: &OsStr, cwd: &Path) -> Result<Argv, (Vec<String>, io::Error)> {
    match program {
        Program::Shell(text) => {
            let mut words = shell(path).into_iter();
            let program = words.next().map(PathBuf::from).unwrap_or_default();
            Ok(Argv {
                program,
                args: words.chain([text]).collect(),
            })
        }
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
