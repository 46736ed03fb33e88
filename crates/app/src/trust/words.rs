//! A shell command's words, as the shell splits them, quotes removed (`engine.md` §3). Nothing is run or expanded but
//! the few variables that the rule names.
//!
//! What a word starts in turn as a command of its own (`sh -c '…'`, `eval`, `$(…)`, a here-document for `sh`) is split
//! as well: a file named there is run just the same. The splitter of `hookwright_dialects::shell` answers other
//! questions (programs and variables, for advice): it joins the pieces of a word and passes over targets of
//! redirections, and both are needed here.

use std::collections::BTreeSet;

use super::splitter::Splitter;

/// Commands in commands that are followed.
const MAX_DEPTH: u32 = 8;
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
const GRAMMAR: [&str; 10] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "time"];

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its text without quotes; variables stand as they were written.
    pub pieces: Vec<Piece>,
    /// What kind of word it is.
    pub role: Role,
    /// It holds a pattern of the shell, which stands for names nobody knows beforehand.
    pub pattern: Option<char>,
}

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
    /// Variables that the command itself sets.
    pub sets: BTreeSet<String>,
}

impl Word {
    /// The word as the author wrote it, for sentences.
    #[must_use]
    pub fn written(&self) -> String {
        self.joined(|name| format!("${name}"))
    }

    /// The word as a command that says the same.
    fn command(&self) -> String {
        self.joined(|name| format!("${{{name}}}"))
    }

    fn joined(&self, variable: impl Fn(&str) -> String) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Opaque(text) => text.clone(),
                Piece::Variable(name) => variable(name),
                Piece::Home => "~".to_owned(),
            })
            .collect()
    }

    /// Its text when every piece is known to `value`; the first unknown piece otherwise.
    ///
    /// # Errors
    /// The piece that is unknown.
    pub fn expand(&self, home: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Home => out.push_str(home),
                Piece::Variable(name) => out.push_str(&value(name).ok_or_else(|| format!("${name}"))?),
                Piece::Opaque(text) => return Err(text.clone()),
            }
        }
        Ok(out)
    }

    /// Whether it uses one of these variables; `~` is `$HOME`.
    #[must_use]
    pub fn uses(&self, names: &BTreeSet<String>) -> Option<String> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Variable(name) => names.contains(name).then(|| format!("${name}")),
            Piece::Home => names.contains("HOME").then(|| "~".to_owned()),
            Piece::Text(_) | Piece::Opaque(_) => None,
        })
    }

    /// The word in parts: the name before `=` with its value.
    fn assignment(&self) -> Option<(&str, Self)> {
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
            pattern: self.pattern,
        };
        Some((name.trim_end_matches('+'), value))
    }

    fn is_plain(&self, names: &[&str]) -> bool {
        matches!(&self.pieces[..], [Piece::Text(text)] if names.contains(&text.as_str()))
    }

    pub(super) fn is_shell(&self) -> bool {
        matches!(&self.pieces[..], [.., Piece::Text(text)] if SHELLS.contains(&text.rsplit('/').next().unwrap_or(text)))
    }

    /// Whether it runs what it is given. Versions (`python3.12`) do not matter; a name nobody can know might.
    fn is_runner(&self) -> bool {
        let [.., Piece::Text(text)] = &self.pieces[..] else {
            return true;
        };
        let name = text.rsplit('/').next().unwrap_or(text);
        let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.' || sign == '-');
        RUNNERS.contains(&name) || RUNNERS.contains(&stem) || self.is_shell()
    }

    /// `-c`, alone or among other letters.
    fn asks_for_command(&self) -> bool {
        matches!(&self.pieces[..], [Piece::Text(text)]
            if text.starts_with('-') && !text.starts_with("--") && text.contains('c'))
    }
}

/// Splits a command into words; operators and comments separate and are left out.
#[must_use]
pub fn split(command: &str) -> Split {
    split_at(command, 0)
}

fn split_at(command: &str, depth: u32) -> Split {
    let mut splitter = Splitter::new(command);
    splitter.run();
    let mut out = Split::default();
    for words in std::mem::take(&mut splitter.commands) {
        roles(words, &mut out, &mut splitter.inner);
    }
    if depth < MAX_DEPTH {
        for inner in splitter.inner {
            let found = split_at(&inner, depth + 1);
            out.words.extend(found.words);
            out.sets.extend(found.sets);
        }
    }
    out
}

/// Tells the words of one simple command apart, and finds the commands that stand in them.
fn roles(words: Vec<Word>, out: &mut Split, inner: &mut Vec<String>) {
    let mut program: Option<Word> = None;
    let mut shell = false;
    let mut takes_command = false;
    for mut word in words {
        if let Some((name, value)) = word.assignment() {
            // `X=1 cmd` and `export X=1` set; an option (`--x=1`) only has a value.
            if !name.starts_with('-') {
                out.sets.insert(name.to_owned());
            }
            out.words.push(value);
            continue;
        }
        if takes_command {
            inner.push(word.command());
            takes_command = false;
        }
        shell |= word.is_shell();
        match &program {
            None => {
                word.role = Role::Program;
                if !word.is_plain(&GRAMMAR) {
                    program = Some(word.clone());
                }
            }
            Some(first) if first.is_plain(&["cd", "pushd"]) => word.role = Role::Folder,
            Some(first) if first.is_plain(&["eval"]) => inner.push(word.command()),
            Some(first) if first.is_plain(&["read", "for"]) => {
                if let [Piece::Text(name)] = &word.pieces[..] {
                    out.sets.insert(name.clone());
                }
            }
            Some(first) => {
                takes_command = shell && word.asks_for_command();
                if first.is_runner() {
                    word.role = Role::Run;
                }
            }
        }
        out.words.push(word);
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
