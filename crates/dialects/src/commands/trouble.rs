//! Why a hook cannot start, and what is told of it.

use hookwright_model::{Message, Problem, args};

use super::{Subject, messages};

/// Why something cannot start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The script of an interpreter is missing.
    Script(String),
    /// A program that is named by its path is missing.
    Path(String),
    /// A file lacks the executable bit.
    Bit {
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
pub enum Effect {
    /// It continues, though the hook could have blocked it.
    Open,
    /// It continues, as it would anyway.
    Idle,
    /// It is blocked.
    Closed,
    /// It is blocked, because the hook ends with the code that blocks where its script is missing.
    Exits,
}

impl Trouble {
    /// The worst is what is wrong on every machine.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Script(_) => 0,
            Self::Path(_) => 1,
            Self::Bit { .. } => 2,
            Self::CarriageReturn(_) => 3,
            Self::NoInterpreter(_) => 4,
            Self::Program(_) => 5,
        }
    }

    /// What is told of it.
    #[must_use]
    pub fn told(self, subject: &Subject<'_>, effect: Effect) -> Problem {
        subject.say(self.words(effect), "command")
    }

    fn words(self, effect: Effect) -> Message {
        use messages as say;
        let (name, [open, idle, closed]) = match self {
            Self::Script(name) if effect == Effect::Exits => {
                return say::BLOCKS_MISSING.render(args! { "name" => name });
            }
            Self::Script(name) | Self::Path(name) => (name, [say::OPEN_MISSING, say::MISSING, say::CLOSED_MISSING]),
            Self::Bit { name, file } => {
                let saying = match effect {
                    Effect::Open | Effect::Exits => say::OPEN_BIT,
                    Effect::Idle => say::BIT,
                    Effect::Closed => say::CLOSED_BIT,
                };
                return saying.render(args! { "name" => name, "file" => file });
            }
            Self::CarriageReturn(name) => (name, [say::OPEN_RETURN, say::RETURN, say::RETURN]),
            Self::NoInterpreter(name) => (name, [say::OPEN_SHEBANG, say::SHEBANG, say::SHEBANG]),
            Self::Program(name) => (name, [say::OPEN_PROGRAM, say::PROGRAM, say::CLOSED_PROGRAM]),
        };
        let saying = match effect {
            Effect::Open | Effect::Exits => open,
            Effect::Idle => idle,
            Effect::Closed => closed,
        };
        saying.render(args! { "name" => name })
    }
}
