//! What a shell command says without running it: its commands word by word, the variables it uses and sets.
//!
//! What it deliberately does not do: it expands nothing and it is no shell. Where it cannot know (`eval`, a sourced
//! file) it says so, and advice is then not given.

mod effects;
mod expand;
mod label;
mod redirect;
mod scan;
mod target;

use std::collections::BTreeSet;

pub(crate) use label::first_line;
pub use label::{argv_label, label, shorten};
pub use scan::scan;
pub use target::{Target, fetched_program, is_code_name, is_shell_program, plain_name, target};

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Quotes and escapes removed, variables as they are written.
    pub text: String,
    /// Some of it is quoted.
    pub quoted: bool,
    /// Bytes of the text before the first quote; all of them where nothing is quoted.
    pub unquoted_bytes: usize,
    /// Line of the text that it begins on, from 1.
    pub line: u32,
}

impl Word {
    /// A word that no shell reads: an element of an argument vector.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            quoted: true,
            unquoted_bytes: 0,
            line: 1,
        }
    }

    /// The name in `NAME=value`, where a shell assigns: what is quoted may only be the value.
    fn assigned_name(&self) -> Option<&str> {
        assignment_name(&self.text).filter(|name| !self.quoted || name.len() < self.unquoted_bytes)
    }
}

/// What follows a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// `;`, a new line, `&`, the end, or the end of a substitution.
    Next,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Its words, assignments and grammar among them.
    pub words: Vec<Word>,
    /// What follows it.
    pub join: Join,
    /// The subshells and substitutions in which it runs, from the outside in: what changes the directory in one of them
    /// changes it for no command outside.
    pub subshells: Vec<u32>,
}

/// A use of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    /// Its name.
    pub name: String,
    /// Line of the text, from 1.
    pub line: u32,
    /// It is only used where these are unset: `${A:-$NAME}`.
    pub unless: Vec<String>,
}

/// Something that bash knows and `sh` need not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bashism {
    /// How it is written, for people.
    pub sign: &'static str,
    /// Line of the text, from 1.
    pub line: u32,
}

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HereDoc {
    /// Its lines.
    pub text: String,
    /// Line of the text that it begins on, from 1.
    pub line: u32,
}

/// What was found in a command or script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Its simple commands in order, those of a substitution before the command that contains it.
    pub commands: Vec<SimpleCommand>,
    /// Variables used without a default, each once, in order.
    pub uses: Vec<VariableUse>,
    /// Variables that it sets, reads or gives a default somewhere.
    pub sets: BTreeSet<String>,
    /// What `sh` need not know (`[[`, `<<<`), each once, in order.
    pub bashisms: Vec<Bashism>,
    /// Its here-documents.
    pub here_documents: Vec<HereDoc>,
    /// It runs text that is not here (`eval`, `.`): what it sets is not known.
    pub opaque: bool,
}

/// Words before a program that start it and say nothing of their own, with the letters of their options that take
/// the next word, and how many words of their own stand before the program.
const STARTERS: [(&str, &str, usize); 10] = [
    ("exec", "a", 0),
    ("command", "", 0),
    ("builtin", "", 0),
    ("env", "uC", 0),
    ("nohup", "", 0),
    ("time", "fo", 0),
    ("nice", "n", 0),
    ("sudo", "CDghpRrTtUu", 0),
    ("setsid", "", 0),
    ("timeout", "ks", 1),
];
/// Words at the beginning of a command that belong to the grammar.
const SHELL_KEYWORDS: [&str; 15] = [
    "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "function", "select",
];

impl Script {
    /// The programs it starts with their arguments: assignments, grammar and starters (`exec`, `env`) are passed over.
    pub fn programs(&self) -> impl Iterator<Item = &[Word]> {
        self.programs_with_joins().map(|(words, _)| words)
    }

    /// The same, with what follows each.
    pub fn programs_with_joins(&self) -> impl Iterator<Item = (&[Word], Join)> {
        self.commands
            .iter()
            .map(|command| (command.program(), command.join))
            .filter(|(words, _)| !words.is_empty())
    }
}

impl SimpleCommand {
    /// The program with its arguments: assignments, grammar and starters (`exec`, `env`) are passed over.
    #[must_use]
    pub fn program(&self) -> &[Word] {
        program(&self.words)
    }
}

fn program(words: &[Word]) -> &[Word] {
    let mut rest = words;
    let mut started: Option<&str> = None;
    while let Some(word) = rest.first() {
        let text = word.text.as_str();
        let starter = STARTERS
            .iter()
            .find(|(name, ..)| *name == base_name(text) && !word.quoted);
        // To a shell a quoted `X=1` is a program; to `env` it is what it is without quotes.
        let assigns = word.assigned_name().is_some() || (started.is_some() && assignment_name(text).is_some());
        let passed = assigns || starter.is_some() || (!word.quoted && SHELL_KEYWORDS.contains(&text));
        // The options of a starter (`env -i`, `nice -n 5`) come before the program.
        let option = started.filter(|_| !word.quoted && text.starts_with('-'));
        if !passed && option.is_none() {
            break;
        }
        let takes = option.is_some_and(|letters| takes_next(text, letters));
        started = starter.map(|(_, letters, _)| *letters).or(started);
        rest = rest.get(1 + usize::from(takes)..).unwrap_or_default();
        if let Some((_, letters, operands)) = starter.filter(|(.., own)| *own > 0) {
            rest = after_operands(rest, letters, *operands);
        }
    }
    rest
}

/// Behind the options and the words of a starter's own: the duration of `timeout -k 5 10 guard.sh`.
fn after_operands<'w>(words: &'w [Word], letters: &str, operands: usize) -> &'w [Word] {
    let mut rest = words;
    while let Some(option) = rest.first().filter(|word| word.text.starts_with('-')) {
        rest = rest
            .get(1 + usize::from(takes_next(&option.text, letters))..)
            .unwrap_or_default();
    }
    rest.get(operands..).unwrap_or_default()
}

/// Whether the value of an option is the next word: `-n 5`, not `-n5` and not `--name=value`.
fn takes_next(option: &str, letters: &str) -> bool {
    let cluster = option.strip_prefix('-').unwrap_or_default();
    !cluster.starts_with('-') && cluster.find(|letter| letters.contains(letter)) == cluster.len().checked_sub(1)
}

/// The name in `NAME=value`.
#[must_use]
pub fn assignment_name(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then_some(name)
}

/// Whether this is a name a variable can have.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_')
        && text.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

/// The last part of a path, for `/` and `\` alike.
pub(crate) fn base_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
}
