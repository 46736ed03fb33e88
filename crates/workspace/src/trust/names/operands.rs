//! The state of a command while its words are read: its program, and which words its interpreter gets.

use std::path::Path;

use hookwright_dialects::shell::{Interpreter, NextWord, WordMeaning};

use super::name_collector::NameMarks;
use super::tables;

/// An interpreter whose script is not known yet.
struct OpenInterpreter {
    interpreter: &'static Interpreter,
    before: NextWord,
    /// Whether only options were read so far, and none that prevents reading a program from the standard input.
    bare: bool,
}

/// What is known of a command so far.
#[derive(Default)]
pub(super) struct CommandState {
    pub(super) program: Option<String>,
    open: Option<OpenInterpreter>,
    pub(super) code_follows: bool,
    /// Whether the previous word starts the program that follows it.
    pub(super) after_wrapper: bool,
    /// Whether a wrapper is somewhere before.
    pub(super) has_wrapper: bool,
    pub(super) writes: bool,
    pub(super) takes_folders: bool,
    /// Whether a program comes from the standard input.
    pub(super) program_on_stdin: bool,
}

impl CommandState {
    /// Begins to read the words of an interpreter. If it is an operand of another interpreter, it runs what follows
    /// instead.
    pub(super) fn begin(&mut self, interpreter: &'static Interpreter) {
        self.open = Some(OpenInterpreter {
            interpreter,
            before: NextWord::Ordinary,
            bare: interpreter.reads_stdin,
        });
    }

    /// Reads a word after an interpreter, and marks it if it may be the script. Whether the file exists does not
    /// matter: otherwise a file that is created later could take the script's role. With `is_input`, the word follows
    /// `<`.
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
            WordMeaning::Text | WordMeaning::Module | WordMeaning::Nothing => false,
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

/// Whether a text is a number, with or without a unit of time.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.trim_end_matches(['s', 'm', 'h', 'd']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The name in `NAME=value` or `NAME+=value`.
pub(super) fn assigned_name(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('=')?;
    let name = name.trim_end_matches('+');
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(part)).then_some(name)
}
