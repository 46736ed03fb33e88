//! Reads a shell command without running it: its commands word by word, and the variables that it uses and sets.
//!
//! What it deliberately does not do: it expands nothing and it is not a shell. What `eval` or a sourced file does is
//! not known. Then the result is marked as `opaque`, and advice that depends on it is not given.

mod effects;
mod expand;
mod label;
mod names;
mod programs;
mod redirect;
mod scan;
mod start;
mod target;
pub mod tree;

use std::collections::BTreeSet;

pub(crate) use label::first_line;
pub use label::{RELAY_PROGRAM, argv_label, comment_above, label, shorten};
pub use names::{SHELL_BUILTINS, is_keyword, is_shell_word};
pub use programs::{Interpreter, NextWord, WordMeaning, find_wrapper, interpreter, program_name};
pub use scan::scan;
pub use start::{ProgramSource, Start, StartedBy, start};
pub use target::{Target, is_code_name, is_shell_program, plain_name, target};

/// A word of a command, as a shell splits it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text without quotes and escapes. Variables stay as they are written.
    pub text: String,
    /// Whether some part of the word is quoted.
    pub quoted: bool,
    /// Number of bytes of the text before the first quote; the whole length if nothing is quoted.
    pub unquoted_bytes: usize,
    /// The line on which the word begins, from 1.
    pub line: u32,
    /// Whether a variable of it stands in single quotes, so that the shell does not replace it.
    pub keeps_variable: bool,
    /// The places in the text, in bytes, where the shell drops a backslash that stands outside quotes before a letter,
    /// a digit, `.` or `_`.
    pub dropped_backslashes: Vec<usize>,
}

impl Word {
    /// Creates a word that no shell reads: an element of an argument vector.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            quoted: true,
            unquoted_bytes: 0,
            line: 1,
            keeps_variable: false,
            dropped_backslashes: Vec::new(),
        }
    }

    /// Returns the text with the backslashes that the shell drops, each written as a `/`; `None` if it drops none.
    #[must_use]
    pub fn with_slashes(&self) -> Option<String> {
        if self.dropped_backslashes.is_empty() {
            return None;
        }
        let mut out = self.text.clone();
        for at in self.dropped_backslashes.iter().rev() {
            out.insert(*at, '/');
        }
        Some(out.replace('\\', "/"))
    }

    /// Returns the name in `NAME=value` if a shell reads it as an assignment. Only the value may be quoted.
    fn assigned_name(&self) -> Option<&str> {
        assignment_name(&self.text).filter(|name| !self.quoted || name.len() < self.unquoted_bytes)
    }
}

/// The operator after a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// `;`, a new line, `&`, or the end of the text or of a substitution.
    Next,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
}

/// A simple command: words up to the next operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// All its words, including assignments and keywords such as `if`.
    pub words: Vec<Word>,
    /// The operator after the command.
    pub join: Join,
    /// The numbers of the subshells and substitutions in which it runs, from the outside in. A `cd` inside one of them
    /// has no effect on commands outside.
    pub subshells: Vec<u32>,
    /// The numbers of its here-documents in [`Script::here_documents`].
    pub documents: Vec<usize>,
}

/// The structure between and around simple commands, which [`tree`] reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The simple command with this number.
    Command(usize),
    /// A substitution in the command that follows.
    Substitution(Vec<Part>),
    /// `(`
    Open,
    /// `)`
    Close,
    /// The head of a function: `NAME()`.
    Function(String),
    /// The patterns of a clause of `case`, as they are written.
    Clause(String),
    /// `esac`
    Esac,
    /// The operator behind `)` or `esac`.
    Operator(Join),
    /// `&`: what is before it runs in the background.
    Background,
}

/// A use of a variable, without a default value for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    /// The name, without `$` and brackets.
    pub name: String,
    /// Line of the text, from 1.
    pub line: u32,
    /// The variable is only used if these variables are unset: `${A:-$NAME}`.
    pub unless: Vec<String>,
    /// Whether every use compares it with plain words only, as a switch: `[ "$NAME" = 1 ]`.
    pub is_switch: bool,
}

/// Syntax that bash supports and that other `sh` may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bashism {
    /// The syntax as messages show it: `[[`, `a=( … )`.
    pub character: &'static str,
    /// Line of the text, from 1.
    pub line: u32,
}

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HereDoc {
    /// The lines of the body, each with its line break.
    pub text: String,
    /// The line on which the body begins, from 1.
    pub line: u32,
}

/// The result of reading a command or script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The simple commands in order. Those of a substitution come before the command that contains it.
    pub commands: Vec<SimpleCommand>,
    /// Variables that are used without a default value, each once, in order.
    pub uses: Vec<VariableUse>,
    /// Variables that the text sets, reads from input, or gives a default value somewhere.
    pub sets: BTreeSet<String>,
    /// Syntax that `sh` may not support (`[[`, `<<<`), each once, in order.
    pub bashisms: Vec<Bashism>,
    /// The bodies of the here-documents.
    pub here_documents: Vec<HereDoc>,
    /// How the commands belong together.
    pub parts: Vec<Part>,
    /// Whether it runs code that is not in the text (`eval`, `.`), so that it is not known which variables are set.
    pub opaque: bool,
}

/// Keywords of the shell that can precede a command.
const SHELL_KEYWORDS: [&str; 15] = [
    "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "function", "select",
];

impl Script {
    /// Returns the programs that it starts, with their arguments. Assignments, keywords and wrappers (`exec`, `env`)
    /// are skipped.
    pub fn programs(&self) -> impl Iterator<Item = &[Word]> {
        self.programs_with_joins().map(|(words, _)| words)
    }

    /// Returns the same as [`Self::programs`], with the operator after each command.
    pub fn programs_with_joins(&self) -> impl Iterator<Item = (&[Word], Join)> {
        self.commands
            .iter()
            .map(|command| (command.program(), command.join))
            .filter(|(words, _)| !words.is_empty())
    }

    /// Whether a keyword has no partner, so that no shell can parse the text: `fi` without `if`, or `if` without `fi`.
    #[must_use]
    pub fn has_unmatched_keyword(&self) -> bool {
        // What is open, as the keywords that would close it.
        let mut stack = Vec::new();
        for command in &self.commands {
            let mut words = command.words.iter();
            while let Some(word) = words.next().filter(|word| !word.quoted) {
                match word.text.as_str() {
                    "if" => stack.push("fi"),
                    "while" | "until" => stack.push("done"),
                    "for" | "select" => {
                        stack.push("done");
                        break;
                    }
                    "{" => stack.push("}"),
                    "function" => drop(words.next()),
                    "then" | "elif" | "else" if stack.last() != Some(&"fi") => return true,
                    "do" if stack.last() != Some(&"done") => return true,
                    "then" | "elif" | "else" | "do" | "!" | "time" => {}
                    close @ ("fi" | "done" | "}") if stack.pop() != Some(close) => return true,
                    "fi" | "done" | "}" => {}
                    _ => break,
                }
            }
        }
        !stack.is_empty()
    }
}

impl SimpleCommand {
    /// Returns what the command starts.
    #[must_use]
    pub fn start(&self) -> Start<'_> {
        start(&self.words)
    }

    /// Whether the command begins with this keyword.
    #[must_use]
    pub fn is_keyword(&self, keyword: &str) -> bool {
        self.words
            .first()
            .is_some_and(|word| !word.quoted && word.text == keyword)
    }

    /// Returns the program with its arguments. Assignments, keywords and wrappers (`exec`, `env`) are skipped.
    #[must_use]
    pub fn program(&self) -> &[Word] {
        self.start().words
    }
}

/// Returns the name in `NAME=value` or `NAME+=value`; `None` if the text is not an assignment.
#[must_use]
pub fn assignment_name(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then_some(name)
}

/// Whether a variable can have this name.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_')
        && text
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_')
}

/// What is written in a command for a word, quotes and backslashes included. `None` if no word has this text, or several
/// have.
#[must_use]
pub fn raw_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let is_it = |raw: &&str| {
        let script = scan(raw);
        let read = script.commands.first().and_then(|command| command.words.first());
        *raw == word || read.is_some_and(|read| read.text == word)
    };
    let mut found = raw_words(text).into_iter().filter(is_it);
    found.next().filter(|_| found.next().is_none())
}

/// The words of a command as they are written.
fn raw_words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut begin, mut quote, mut is_escaped) = (None, None, false);
    for (at, sign) in text.char_indices() {
        let ends = quote.is_none() && !is_escaped && (sign.is_whitespace() || ";&|<>()`".contains(sign));
        if ends {
            out.extend(begin.take().map(|begin| &text[begin..at]));
            continue;
        }
        begin.get_or_insert(at);
        match (sign, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', None | Some('"')) => is_escaped = true,
            ('\'' | '"', None) => quote = Some(sign),
            (_, Some(open)) if open == sign => quote = None,
            _ => {}
        }
    }
    out.extend(begin.map(|begin| &text[begin..]));
    out
}

/// Returns the last part of a path, with `/` and `\` as separators.
pub(crate) fn base_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
}
