//! Reasons why a hook cannot start, and the problems that report them.

use std::path::Path;

use hookwright_model::{EventSpec, FileFix, FixChange, Hook, Message, OnFailureEffect, Problem, args};

use super::interpreter_line::{self, LineFault};
use super::misread::{MisreadWord, Misreading};
use super::{LintSubject, messages};

/// Why a hook cannot start, and with which code it ends then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartFailure {
    /// The reason.
    pub reason: StartReason,
    /// The name of the file or program, as it is written in the command.
    pub name: String,
    /// The code with which the hook then ends; `None` if it is not known, or if nothing of it starts.
    pub exit: Option<i32>,
    /// Whether the rest of the hook decides how it ends: `gone.sh || true`, `gone.sh; echo done`.
    pub is_part: bool,
    /// The change of a file with which the hook starts; `None` if there is none.
    pub fix: Option<FileFix>,
}

/// The reasons why a hook cannot start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartReason {
    /// The script that an interpreter should read is missing.
    Script,
    /// A program that the command names by its path is missing.
    Path,
    /// A file lacks the executable bit. The path is relative to the project for a command that runs there.
    NotExecutable(String),
    /// The system cannot read the first line of a script.
    FirstLine(LineFault),
    /// The system cannot read the first line of a script, and the shell that starts it reads the script itself.
    FirstLineSkipped(LineFault),
    /// A shell cannot parse a script, because its lines end with carriage returns.
    CarriageReturnLines,
    /// A shell reads the carriage returns at the ends of lines as text. The script starts, and what follows is not known.
    CarriageReturnText,
    /// A program is not installed on this machine.
    Program,
    /// The shell reads the path otherwise than its author meant.
    Misread(MisreadWord),
}

impl StartFailure {
    pub(super) fn new(reason: StartReason, name: &str, exit: Option<i32>) -> Self {
        Self {
            reason,
            name: name.to_owned(),
            exit,
            is_part: false,
            fix: None,
        }
    }

    /// Returns the rank of the failure; 0 is the most severe. Failures on every machine come before those of this one.
    pub(super) const fn rank(&self) -> u8 {
        match self.reason {
            StartReason::Misread(_) | StartReason::Script => 0,
            StartReason::Path => 1,
            StartReason::NotExecutable(_) => 2,
            StartReason::FirstLine(LineFault::CarriageReturn)
            | StartReason::CarriageReturnLines
            | StartReason::CarriageReturnText => 3,
            StartReason::FirstLine(_) => 4,
            StartReason::FirstLineSkipped(_) => 6,
            StartReason::Program => 5,
        }
    }

    /// Creates the problem that reports the failure, at the field `command`. `events` are those of the hook; the gravest
    /// effect counts.
    #[must_use]
    pub fn problem<'e>(
        self,
        subject: &LintSubject<'_>,
        events: impl IntoIterator<Item = (&'e Hook, &'static EventSpec)>,
    ) -> Problem {
        let effects = events
            .into_iter()
            .map(|(hook, event)| OnFailureEffect::of_exit(hook, event, self.exit));
        let effect = effects.max().unwrap_or(OnFailureEffect::Nothing);
        let fix = self.fix.clone();
        let starts = matches!(
            self.reason,
            StartReason::CarriageReturnText | StartReason::FirstLineSkipped(_)
        );
        let problem = subject.problem_at(self.message(effect), "command").with_fix(fix);
        if starts { problem } else { problem.stopping_start() }
    }

    /// The message, with `effect` and the exit code among its arguments.
    #[must_use]
    pub fn message(self, effect: OnFailureEffect) -> Message {
        if self.reason == StartReason::CarriageReturnText {
            return messages::RETURN_TEXT.render(args! { "name" => self.name });
        }
        if let StartReason::FirstLineSkipped(_) = self.reason {
            return messages::SKIPPED.render(args! { "name" => self.name });
        }
        let then = match effect {
            OnFailureEffect::Nothing | OnFailureEffect::Continues if self.is_part => messages::THEN_PART_FAILS,
            OnFailureEffect::Nothing => messages::THEN_FAILS,
            OnFailureEffect::Continues => messages::THEN_CONTINUES,
            OnFailureEffect::Asks => messages::THEN_ASKS,
            OnFailureEffect::Blocks => messages::THEN_BLOCKS,
        };
        let then = then.render_plain();
        let mut args = args! {
            "name" => self.name,
            "effect" => effect,
            "exit" => self.exit,
            "then" => then.text,
            "then_message" => then.to_args(),
        };
        let template = match self.reason {
            StartReason::Script | StartReason::Path => messages::MISSING,
            StartReason::NotExecutable(file) => {
                args.insert("file".to_owned(), file.into());
                messages::NOT_EXECUTABLE
            }
            StartReason::FirstLine(LineFault::Absent) | StartReason::FirstLineSkipped(_) => messages::SHEBANG,
            StartReason::FirstLine(LineFault::CarriageReturn) => messages::RETURN,
            StartReason::FirstLine(LineFault::ByteOrderMark) => messages::MARK,
            StartReason::FirstLine(LineFault::NotFirst(line)) => {
                args.insert("line".to_owned(), line.into());
                messages::NOT_FIRST
            }
            StartReason::FirstLine(LineFault::Escaped) => messages::ESCAPED,
            StartReason::FirstLine(LineFault::EnvArguments(program)) => {
                args.insert("program".to_owned(), program.into());
                messages::ENV_ARGUMENTS
            }
            StartReason::FirstLine(LineFault::NoFolder(line)) => {
                args.insert("fixed".to_owned(), interpreter_line::with_env(&line).into());
                args.insert("written".to_owned(), format!("#!{line}").into());
                messages::NO_FOLDER
            }
            StartReason::CarriageReturnLines | StartReason::CarriageReturnText => messages::RETURN_LINES,
            StartReason::Program => messages::PROGRAM,
            StartReason::Misread(word) => {
                args.insert("name".to_owned(), word.written.into());
                args.insert("fixed".to_owned(), word.fixed.into());
                match word.misreading {
                    Misreading::Backslashes => messages::BACKSLASHES,
                    Misreading::SingleQuotes => messages::SINGLE_QUOTES,
                    Misreading::QuotedTilde => messages::QUOTED_TILDE,
                    Misreading::Split => messages::SPLIT,
                    Misreading::NoShell => messages::NO_SHELL,
                }
            }
        };
        template.render(args)
    }
}

/// The change of a script after which the system understands its first line.
#[must_use]
pub fn fix_first_line(path: &Path, fault: &LineFault) -> Option<FileFix> {
    match fault {
        LineFault::Absent => interpreter_line::for_name(path),
        LineFault::CarriageReturn => Some(FileFix::new(path, FixChange::LineEndings)),
        LineFault::NoFolder(line) => Some(interpreter_line::with_line(path, interpreter_line::with_env(line))),
        LineFault::EnvArguments(program) => Some(interpreter_line::with_line(
            path,
            format!("#!/usr/bin/env -S {program}"),
        )),
        LineFault::ByteOrderMark | LineFault::NotFirst(_) | LineFault::Escaped => {
            Some(FileFix::new(path, FixChange::FirstLine))
        }
    }
}
