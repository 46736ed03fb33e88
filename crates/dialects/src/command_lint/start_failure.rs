//! Reasons why a hook cannot start, and the problems that report them.

use std::path::PathBuf;

use hookwright_model::{FileFix, Message, Problem, args};

use super::{LintSubject, messages};

/// Why a hook cannot start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartFailure {
    /// The script that an interpreter should read is missing.
    Script(String),
    /// A program that the command names by its path is missing.
    Path(String),
    /// A file lacks the executable bit.
    NotExecutable {
        /// The path as it is written in the command.
        name: String,
        /// The path relative to the project, for a command that runs there. Outside the project it is equal to `name`.
        file: String,
        /// The file itself, absolute.
        path: PathBuf,
    },
    /// A `#!` line ends with a carriage return.
    CarriageReturn {
        /// The path as it is written in the command.
        name: String,
        /// The file itself, absolute.
        path: PathBuf,
    },
    /// A shell reads a script whose lines end with carriage returns.
    CarriageReturnLines {
        /// The path as it is written in the command.
        name: String,
        /// The file itself, absolute.
        path: PathBuf,
    },
    /// A script has no `#!` line, and no shell reads it instead.
    NoInterpreter {
        /// The path as it is written in the command.
        name: String,
        /// A change that adds the line; `None` if the interpreter is not known.
        fix: Option<FileFix>,
    },
    /// A program is not installed on this machine.
    Program {
        /// The name or path of the program.
        name: String,
        /// A change of the `#!` line that names the program, if another name of it is installed.
        fix: Option<FileFix>,
    },
}

/// What the agent does if a hook cannot start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureEffect {
    /// The agent continues, although the hook can block it.
    FailsOpen,
    /// The agent continues, as it would with a working hook.
    CannotBlock,
    /// The agent is blocked.
    FailsClosed,
    /// The agent is blocked, because the hook ends with the code that blocks if its script is missing.
    BlocksByExitCode,
}

impl StartFailure {
    /// Returns the rank of the failure; 0 is the most severe. Failures on every machine come before those of this one.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Script(_) => 0,
            Self::Path(_) => 1,
            Self::NotExecutable { .. } => 2,
            Self::CarriageReturn { .. } | Self::CarriageReturnLines { .. } => 3,
            Self::NoInterpreter { .. } => 4,
            Self::Program { .. } => 5,
        }
    }

    /// Creates the problem that reports the failure, at the field `command`.
    #[must_use]
    pub fn problem(self, subject: &LintSubject<'_>, effect: FailureEffect) -> Problem {
        let fix = self.fix();
        subject.problem_at(self.message(effect), "command").with_fix(fix)
    }

    /// The change of a file with which the hook starts.
    fn fix(&self) -> Option<FileFix> {
        match self {
            Self::Script(_) | Self::Path(_) => None,
            Self::NotExecutable { path, .. } => Some(FileFix::make_executable(path)),
            Self::CarriageReturn { path, .. } | Self::CarriageReturnLines { path, .. } => {
                Some(FileFix::line_endings(path))
            }
            Self::NoInterpreter { fix, .. } | Self::Program { fix, .. } => fix.clone(),
        }
    }

    fn message(self, effect: FailureEffect) -> Message {
        let (name, [open, idle, closed]) = match self {
            Self::Script(name) if effect == FailureEffect::BlocksByExitCode => {
                return messages::BLOCKS_MISSING.render(args! { "name" => name });
            }
            Self::Script(name) | Self::Path(name) => (
                name,
                [messages::OPEN_MISSING, messages::MISSING, messages::CLOSED_MISSING],
            ),
            Self::NotExecutable { name, file, .. } => {
                let template = match effect {
                    FailureEffect::FailsOpen | FailureEffect::BlocksByExitCode => messages::OPEN_NOT_EXECUTABLE,
                    FailureEffect::CannotBlock => messages::NOT_EXECUTABLE,
                    FailureEffect::FailsClosed => messages::CLOSED_NOT_EXECUTABLE,
                };
                return template.render(args! { "name" => name, "file" => file });
            }
            Self::CarriageReturn { name, .. } => (name, [messages::OPEN_RETURN, messages::RETURN, messages::RETURN]),
            Self::CarriageReturnLines { name, .. } => {
                let idle = messages::RETURN_LINES;
                (name, [messages::OPEN_RETURN_LINES, idle, idle])
            }
            Self::NoInterpreter { name, .. } => (name, [messages::OPEN_SHEBANG, messages::SHEBANG, messages::SHEBANG]),
            Self::Program { name, .. } => (
                name,
                [messages::OPEN_PROGRAM, messages::PROGRAM, messages::CLOSED_PROGRAM],
            ),
        };
        let template = match effect {
            FailureEffect::FailsOpen | FailureEffect::BlocksByExitCode => open,
            FailureEffect::CannotBlock => idle,
            FailureEffect::FailsClosed => closed,
        };
        template.render(args! { "name" => name })
    }
}
