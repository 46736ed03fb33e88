//! What a shell command says without running it: its commands word by word, the variables it uses and sets.
//!
//! What it deliberately does not do: it expands nothing and it is no shell. Where it cannot know (`eval`, a sourced
//! file) it says so, and advice is then not given.

mod expand;
mod name;
mod scan;

use std::collections::BTreeSet;

pub(crate) use name::first_line;
pub use name::label;
pub use scan::scan;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Quotes and escapes removed, variables as they are written.
    pub text: String,
    /// Some of it stood in quotes.
    pub quoted: bool,
}

/// What was found in a command or script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Its simple commands in the order they stand, those of substitutions behind the command they stand in.
    pub commands: Vec<Vec<Word>>,
    /// Variables used without a default, each once, in order.
    pub uses: Vec<String>,
    /// Variables that it sets, reads or gives a default somewhere.
    pub sets: BTreeSet<String>,
    /// Signs that `sh` need not know (`[[`, `<<<`), each once, in order.
    pub bashisms: Vec<&'static str>,
    /// It runs text that is not here (`eval`, `.`): what it sets is not known.
    pub opaque: bool,
}

/// Words before a program that start it and say nothing of their own, with the letters of their options that take
/// the next word.
const STARTERS: [(&str, &str); 9] = [
    ("exec", "a"),
    ("command", ""),
    ("builtin", ""),
    ("env", "uC"),
    ("nohup", ""),
    ("time", "fo"),
    ("nice", "n"),
    ("sudo", "CDghpRrTtUu"),
    ("setsid", ""),
];
/// Words at the beginning of a command that belong to the grammar.
const GRAMMAR: [&str; 15] = [
    "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "function", "select",
];

impl Script {
    /// The programs it starts with their arguments: assignments, grammar and starters (`exec`, `env`) are passed over.
    pub fn programs(&self) -> impl Iterator<Item = &[Word]> {
        self.commands
            .iter()
            .map(|words| program(words))
            .filter(|words| !words.is_empty())
    }
}

fn program(words: &[Word]) -> &[Word] {
    let mut rest = words;
    let mut started: Option<(&str, &str)> = None;
    while let Some(word) = rest.first() {
        let text = word.text.as_str();
        let starter = STARTERS.iter().copied().find(|(name, _)| *name == base_name(text));
        // To a shell a quoted `X=1` is a program; to `env` it is what it is without quotes.
        let assigned = assigned(text).is_some() && (!word.quoted || started.is_some());
        let passed = assigned || !word.quoted && (GRAMMAR.contains(&text) || starter.is_some());
        // The options of a starter (`env -i`, `nice -n 5`) come before the program.
        let option = started.filter(|_| !word.quoted && text.starts_with('-'));
        if !passed && option.is_none() {
            break;
        }
        let takes = option.is_some_and(|(_, letters)| takes_next(text, letters));
        started = starter.or(started);
        rest = rest.get(1 + usize::from(takes)..).unwrap_or_default();
    }
    rest
}

/// Whether the value of an option is the next word: `-n 5`, not `-n5` and not `--name=value`.
fn takes_next(option: &str, letters: &str) -> bool {
    let cluster = option.strip_prefix('-').unwrap_or_default();
    !cluster.starts_with('-') && cluster.find(|letter| letters.contains(letter)) == cluster.len().checked_sub(1)
}

/// The name in `NAME=value`.
pub(crate) fn assigned(text: &str) -> Option<&str> {
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
