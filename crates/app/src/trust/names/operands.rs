//! What is known of a command while its words are read: its program, and which words an interpreter or a program that runs
//! others is given. The first of them that is a file is run.

use super::reading::Marks;
use super::tables::{self, Interpreter};

/// A list of operands that is still open.
struct Open {
    group: usize,
    /// `None` for a program that runs the program behind it.
    interpreter: Option<&'static Interpreter>,
    count: usize,
    /// Nothing but options yet, and no word that makes them harmless.
    bare: bool,
}

/// What is known of a command so far.
#[derive(Default)]
pub(super) struct Operands {
    pub(super) program: Option<String>,
    open: Vec<Open>,
    pub(super) code_follows: bool,
    pub(super) behind_option: bool,
    pub(super) wrapped: bool,
    pub(super) writes: bool,
    pub(super) folders: bool,
    /// A program comes from the standard input.
    stdin: bool,
}

impl Operands {
    pub(super) fn begin(&mut self, group: usize, interpreter: Option<&'static Interpreter>) {
        // An interpreter as another one's operand runs what follows instead.
        self.open.retain(|open| open.interpreter.is_none());
        self.open.push(Open {
            group,
            interpreter,
            count: 0,
            bare: interpreter.is_some_and(|known| !known.inline.is_empty()),
        });
    }

    pub(super) fn operand(&mut self, text: &str, marks: &mut Marks) {
        let behind_option = self.behind_option;
        for open in &mut self.open {
            marks.operand.push((open.group, open.count));
            open.count += 1;
            open.bare = false;
        }
        let goes_on = behind_option || tables::is_subcommand(text) || is_number(text);
        self.open
            .retain(|open| goes_on || (open.interpreter.is_none() && is_assignment(text)));
    }

    /// The program comes from the standard input.
    pub(super) fn end(&mut self) {
        self.stdin |= self.open.iter().any(|open| open.interpreter.is_some());
        self.open.clear();
    }

    /// An option with a program behind it ends the list of what an interpreter is given.
    pub(super) fn option(&mut self, text: &str) {
        let inline = |open: &Open| {
            let letters = open.interpreter.map_or(&[][..], |known| known.inline);
            let long = matches!(text, "--eval" | "--print" | "--command" | "-Command" | "-m");
            let short = !text.starts_with("--") && letters.iter().any(|letter| text.contains(*letter));
            long || short
        };
        let harmless = matches!(text, "--version" | "-V" | "--help" | "-h");
        for open in &mut self.open {
            open.bare &= !harmless;
        }
        self.open.retain(|open| open.interpreter.is_none() || !inline(open));
    }

    /// Whether a program is read from the standard input.
    pub(super) fn reads_program(&self) -> bool {
        self.stdin || self.open.iter().any(|open| open.bare)
    }
}

/// A number, with a unit of time.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.trim_end_matches(['s', 'm', 'h', 'd']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

pub(super) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.trim_end_matches('+').bytes().all(part)
    })
}
