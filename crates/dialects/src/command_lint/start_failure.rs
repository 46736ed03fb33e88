//! Why a hook cannot start, and what is told of it.

use hookwright_model::{Message, Problem, args};

use super::{LintSubject, messages};

/// Why something cannot start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartFailure {
    /// The script of an interpreter is missing.
    Script(String),
    /// A program that is named by its path is missing.
    Path(String),
    /// A file lacks the executable bit.
    NotExecutable {
        /// As it is written.
        name: String,
        /// Inside the project from there, so that a shell there finds it.
        file: String,
    },
    /// A `#!` line ends with a carriage return.
    CarriageReturn(String),
    /// A file that is no shell script has no `#!` line.
    NoInterpreter(String),
    /// A program is not installed on this machine.
    Program(String),
}

/// What becomes of the agent when a hook cannot start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureEffect {
    /// It continues, though the hook could have blocked it.
    FailsOpen,
    /// It continues, as it would anyway.
    CannotBlock,
    /// It is blocked.
    FailsClosed,
    /// It is blocked, because the hook ends with the code that blocks where its script is missing.
    BlocksByExitCode,
}

impl StartFailure {
    /// The worst is what is wrong on every machine.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Script(_) => 0,
            Self::Path(_) => 1,
            Self::NotExecutable { .. } => 2,
            Self::CarriageReturn(_) => 3,
            Self::NoInterpreter(_) => 4,
            Self::Program(_) => 5,
        }
    }

    /// What is told of it.
    #[must_use]
    pub fn problem(self, subject: &LintSubject<'_>, effect: FailureEffect) -> Problem {
        subject.problem_at(self.message(effect), "command")
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
            Self::NotExecutable { name, file } => {
                let template = match effect {
                    FailureEffect::FailsOpen | FailureEffect::BlocksByExitCode => messages::OPEN_NOT_EXECUTABLE,
                    FailureEffect::CannotBlock => messages::NOT_EXECUTABLE,
                    FailureEffect::FailsClosed => messages::CLOSED_NOT_EXECUTABLE,
                };
                return template.render(args! { "name" => name, "file" => file });
            }
            Self::CarriageReturn(name) => (name, [messages::OPEN_RETURN, messages::RETURN, messages::RETURN]),
            Self::NoInterpreter(name) => (name, [messages::OPEN_SHEBANG, messages::SHEBANG, messages::SHEBANG]),
            Self::Program(name) => (
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
