//! What is started: the shell for a string, the program itself for a list of words.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hookwright_model::{Message, Program, args};

use crate::environment;
use crate::messages::{CRLF_SHEBANG, INTERPRETER_MISSING, NO_SHEBANG};

/// The shell by its absolute path: see [`environment::resolve`].
#[cfg(unix)]
const SHELL: &str = "/bin/sh";

/// A program with absolute path, and its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Argv {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

impl Argv {
    /// The command as it was resolved, for people.
    pub(crate) fn command_line(&self) -> Vec<String> {
        std::iter::once(self.program.display().to_string())
            .chain(self.args.iter().cloned())
            .collect()
    }
}

/// The shell that runs command strings, with what comes before the string: `/bin/sh -c`; on Windows the `sh` on PATH
/// (Git brings one), else `cmd /d /s /c` (`engine.md` §7).
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
/// The words as they stand, and the system's word, when PATH does not hold the program.
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

/// What the system's word leaves unsaid when a file that is there cannot be started.
pub(crate) fn explain(program: &Path, error: &io::Error) -> Option<Message> {
    let name = program.display().to_string();
    let first = first_line(program)?;
    let interpreter = first.strip_prefix("#!").map(str::trim_start);
    match (error.kind(), interpreter) {
        (io::ErrorKind::NotFound, Some(line)) if line.ends_with('\r') => {
            Some(CRLF_SHEBANG.render(args! { "program" => name }))
        }
        (io::ErrorKind::NotFound, Some(line)) => {
            let interpreter = line.split_whitespace().next()?;
            Some(INTERPRETER_MISSING.render(args! { "program" => name, "interpreter" => interpreter }))
        }
        (_, None) if is_exec_format(error) => Some(NO_SHEBANG.render(args! { "program" => name })),
        (_, Some(_) | None) => None,
    }
}

/// Without its `\n`; a `\r` stays. No text, no line.
fn first_line(program: &Path) -> Option<String> {
    // Opening a pipe would wait for a writer.
    if !program.metadata().ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(program).ok()?.take(512).read_to_end(&mut head).ok()?;
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
