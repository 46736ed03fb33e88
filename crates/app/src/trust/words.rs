//! A shell command's words, as the shell splits them, quotes removed (`engine.md` §3). Nothing is run or expanded but
//! the few variables that the rule names.
//!
//! What a word starts in turn as a command of its own (`sh -c '…'`, `eval`, `$(…)`, a here-document for `sh`) is split
//! as well: a file named there is run just the same. The splitter of `hookwright_dialects::shell` answers other
//! questions (programs and variables, for advice): it joins the pieces of a word and passes over targets of
//! redirections, and both are needed here.

use std::collections::BTreeSet;
use std::sync::Arc;

pub use super::reader::split;

/// Programs that take a command as a word.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
/// Programs that run a file they are given, or a program: what stands behind them may be what is run.
const RUNNERS: [&str; 36] = [
    "source",
    ".",
    "python",
    "pypy",
    "node",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "ruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "Rscript",
    "osascript",
    "pwsh",
    "fish",
    "env",
    "exec",
    "command",
    "builtin",
    "sudo",
    "doas",
    "nohup",
    "nice",
    "ionice",
    "setsid",
    "stdbuf",
    "time",
    "timeout",
    "xargs",
    "uv",
    "busybox",
    "flock",
];
/// Words after which another command begins.
pub(super) const GRAMMAR: [&str; 10] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "time"];

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its text without quotes; variables stand as they were written.
    pub pieces: Vec<Piece>,
    /// What kind of word it is.
    pub role: Role,
    /// It holds a pattern of the shell, which stands for names nobody knows beforehand.
    pub pattern: Option<char>,
    /// The folders the shell may be in by then.
    pub from: Arc<[Place]>,
}

/// A folder that a shell goes to: from where the command starts, one `cd` after the other. None is where it starts.
pub type Place = Vec<Word>;

/// Where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The program of a command: without a slash it is looked for in `PATH`.
    Program,
    /// A word after it.
    Argument,
    /// A word after a program that runs what it is given: a shell, an interpreter, something that starts others.
    Run,
    /// The value in `NAME=value` or `--option=value`.
    Value,
    /// Where `cd` goes: relative names behind it start there.
    Folder,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Plain text.
    Text(String),
    /// `$NAME`, `${NAME}`, `${NAME:-…}`.
    Variable(String),
    /// A variable that the command itself gives this value, and no other.
    Assigned(String, Vec<Self>),
    /// A variable that the definition gives its process this value.
    Given(String, String),
    /// A substitution, or a variable form we do not read.
    Opaque(String),
    /// A leading `~` before `/` or the end.
    Home,
}

/// A command, split.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    /// Its words in the order they stand, those of commands inside it behind them.
    pub words: Vec<Word>,
    /// Variables that the command itself sets or takes away.
    pub sets: BTreeSet<String>,
    /// It may set any: it reads commands from elsewhere, or starts with another environment.
    pub sets_any: bool,
}

impl Word {
    pub(super) fn new(pieces: Vec<Piece>, pattern: Option<char>) -> Self {
        Self {
            pieces,
            role: Role::Argument,
            pattern,
            from: Arc::from([Place::new()]),
        }
    }

    /// A word that stands for something only the run knows.
    pub(super) fn opaque(text: &str) -> Self {
        Self::new(vec![Piece::Opaque(text.to_owned())], None)
    }

    /// The word as the author wrote it, for sentences.
    #[must_use]
    pub fn written(&self) -> String {
        let written = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Opaque(text) => text.clone(),
            Piece::Variable(name) | Piece::Assigned(name, _) | Piece::Given(name, _) => format!("${name}"),
            Piece::Home => "~".to_owned(),
        };
        self.pieces.iter().map(written).collect()
    }

    /// The word as a command that says the same.
    pub(super) fn command(&self) -> String {
        fn joined(pieces: &[Piece]) -> String {
            let one = |piece: &Piece| match piece {
                Piece::Text(text) | Piece::Opaque(text) | Piece::Given(_, text) => text.clone(),
                Piece::Variable(name) => format!("${{{name}}}"),
                Piece::Assigned(_, value) => joined(value),
                Piece::Home => "~".to_owned(),
            };
            pieces.iter().map(one).collect()
        }
        joined(&self.pieces)
    }

    /// Its text when every piece is known to `value`; the first unknown piece otherwise.
    ///
    /// # Errors
    /// The piece that is unknown.
    pub fn expand(&self, home: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
        expand(&self.pieces, home, value)
    }

    /// Whether it uses one of these variables; `~` is `$HOME`.
    #[must_use]
    pub fn uses(&self, names: &BTreeSet<String>) -> Option<String> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Variable(name) | Piece::Assigned(name, _) => names.contains(name).then(|| format!("${name}")),
            Piece::Home => names.contains("HOME").then(|| "~".to_owned()),
            Piece::Text(_) | Piece::Given(..) | Piece::Opaque(_) => None,
        })
    }

    /// The word in parts: the name before `=` with its value.
    pub(super) fn assignment(&self) -> Option<(&str, Self)> {
        let Piece::Text(first) = self.pieces.first()? else {
            return None;
        };
        let (name, rest) = first.split_once('=')?;
        let bare = name.trim_end_matches('+').trim_start_matches('-');
        let is_name = !bare.is_empty()
            && bare
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || "_-".contains(char));
        if !is_name {
            return None;
        }
        let mut pieces = Vec::new();
        let rest = match rest
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        {
            Some(below) => {
                pieces.push(Piece::Home);
                below
            }
            None => rest,
        };
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        pieces.extend(self.pieces[1..].iter().cloned());
        let value = Self {
            pieces,
            role: Role::Value,
            ..self.clone()
        };
        Some((name.trim_end_matches('+'), value))
    }

    pub(super) fn is_plain(&self, names: &[&str]) -> bool {
        matches!(&self.pieces[..], [Piece::Text(text)] if names.contains(&text.as_str()))
    }

    pub(super) fn is_shell(&self) -> bool {
        matches!(&self.pieces[..], [.., Piece::Text(text)] if SHELLS.contains(&text.rsplit('/').next().unwrap_or(text)))
    }

    /// Whether it runs what it is given. Versions (`python3.12`) do not matter; a name nobody can know might.
    pub(super) fn is_runner(&self) -> bool {
        let [.., Piece::Text(text)] = &self.pieces[..] else {
            return true;
        };
        let name = text.rsplit('/').next().unwrap_or(text);
        let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.' || sign == '-');
        RUNNERS.contains(&name) || RUNNERS.contains(&stem) || self.is_shell()
    }

    /// `-c`, alone or among other letters.
    pub(super) fn asks_for_command(&self) -> bool {
        matches!(&self.pieces[..], [Piece::Text(text)]
            if text.starts_with('-') && !text.starts_with("--") && text.contains('c'))
    }
}

fn expand(pieces: &[Piece], home: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) | Piece::Given(_, text) => out.push_str(text),
            Piece::Home => out.push_str(home),
            Piece::Variable(name) => out.push_str(&value(name).ok_or_else(|| format!("${name}"))?),
            Piece::Assigned(name, known) => match value(name) {
                Some(ours) => out.push_str(&ours),
                None => out.push_str(&expand(known, home, value)?),
            },
            Piece::Opaque(text) => return Err(text.clone()),
        }
    }
    Ok(out)
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
