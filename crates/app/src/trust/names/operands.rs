//! What is known of a command while its words are read: its program, and which words an interpreter is given.

use std::path::Path;

use super::interpreters::{Interpreter, NextWord, WordMeaning};
use super::name_collector::NameMarks;
use super::tables;

/// What an interpreter is given, while that is still open.
struct OpenInterpreter {
    interpreter: &'static Interpreter,
    before: NextWord,
    /// Nothing but options yet, and no word that makes them harmless.
    bare: bool,
}

/// What is known of a command so far.
#[derive(Default)]
pub(super) struct CommandState {
    pub(super) program: Option<String>,
    open: Option<OpenInterpreter>,
    pub(super) code_follows: bool,
    /// The word before starts what follows it.
    pub(super) after_wrapper: bool,
    /// A program that starts others stands somewhere before.
    pub(super) has_wrapper: bool,
    pub(super) writes: bool,
    pub(super) takes_folders: bool,
    /// A program comes from the standard input.
    pub(super) program_on_stdin: bool,
}

impl CommandState {
    /// An interpreter as another one's operand runs what follows instead.
    pub(super) fn begin(&mut self, interpreter: &'static Interpreter) {
        self.open = Some(OpenInterpreter {
            interpreter,
            before: NextWord::Ordinary,
            bare: interpreter.reads_stdin,
        });
    }

    /// A word behind an interpreter. Whatever may be its script is marked, whether or not it is there: what comes to be
    /// must not push the script out of its place. With `read`, the word stands behind `<`.
    pub(super) fn read_word(&mut self, text: &str, is_input: bool, marks: &mut NameMarks) {
        let Some(mut open) = self.open.take() else { return };
        let before = std::mem::take(&mut open.before);
        let goes_on = match open.interpreter.meaning(text, before) {
            _ if is_input => {
                marks.operand = true;
                open.bare = false;
                open.before = before;
                true
            }
            WordMeaning::Value => true,
            WordMeaning::Option(after) => {
                open.before = after;
                let asks = matches!(text, "-V" | "-h") && !open.interpreter.is_shell();
                open.bare &= !asks && !matches!(text, "--version" | "--help");
                true
            }
            WordMeaning::Text => false,
            WordMeaning::Stdin => {
                self.program_on_stdin = true;
                false
            }
            WordMeaning::Operand => {
                marks.operand = true;
                marks.operand_folder |= open.interpreter.runs_folders();
                open.bare = false;
                before == NextWord::MaybeValue && !tables::is_code_suffix(Path::new(text))
            }
        };
        self.open = goes_on.then_some(open);
    }

    /// Whether a program is read from the standard input.
    pub(super) fn reads_program(&self) -> bool {
        self.program_on_stdin || self.open.as_ref().is_some_and(|open| open.bare)
    }
}

/// A number, with a unit of time.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.trim_end_matches(['s', 'm', 'h', 'd']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The name in `NAME=value`.
pub(super) fn assigned_name(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('=')?;
    let name = name.trim_end_matches('+');
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(part)).then_some(name)
}
