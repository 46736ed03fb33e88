//! A shell command's words, as the shell splits them, quotes removed (`engine.md` §3). Nothing is run or expanded but
//! the few variables that the rule names.
//!
//! What a word starts in turn as a command of its own (`sh -c '…'`, `eval`, `$(…)`, a here-document for `sh`) is split
//! as well: a file named there is run just the same. The splitter of `hookwright_dialects::shell` answers other
//! questions (programs and variables, for advice): it joins the pieces of a word and passes over targets of
//! redirections, and both are needed here.

use std::collections::BTreeSet;

/// Commands in commands that are followed.
const MAX_DEPTH: u32 = 8;
/// Programs that take a command as a word.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
/// Words after which another command begins.
const GRAMMAR: [&str; 10] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "time"];
/// What ends a word and begins another command.
const ENDS: [char; 6] = [';', '|', '&', '(', ')', '\n'];

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

    fn is_shell(&self) -> bool {
        matches!(&self.pieces[..], [.., Piece::Text(text)] if SHELLS.contains(&text.rsplit('/').next().unwrap_or(text)))
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
            Some(_) => takes_command = shell && word.asks_for_command(),
        }
        out.words.push(word);
    }
}

struct Heredoc {
    end: String,
    /// Its quotes keep the body as it is.
    literal: bool,
    tabs: bool,
    /// A shell reads it.
    command: bool,
}

struct Splitter {
    chars: Vec<char>,
    at: usize,
    /// Simple commands, each with its words.
    commands: Vec<Vec<Word>>,
    words: Vec<Word>,
    pieces: Vec<Piece>,
    text: String,
    /// A word has begun, even if it is empty so far (`''`).
    open: bool,
    pattern: Option<char>,
    heredocs: Vec<Heredoc>,
    /// Commands inside this one.
    inner: Vec<String>,
}

impl Splitter {
    fn new(command: &str) -> Self {
        Self {
            chars: command.chars().collect(),
            at: 0,
            commands: Vec::new(),
            words: Vec::new(),
            pieces: Vec::new(),
            text: String::new(),
            open: false,
            pattern: None,
            heredocs: Vec::new(),
            inner: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(char) = self.peek(0) {
            match char {
                '<' if self.peek(1) == Some('<') && self.peek(2) != Some('<') => self.heredoc(),
                ' ' | '\t' | '\r' | '<' | '>' => {
                    self.end_word();
                    self.at += 1;
                }
                _ if ENDS.contains(&char) => {
                    if char == ')' {
                        // The pattern of a `case` names no files.
                        self.pattern = None;
                    }
                    // `2>&1` ends no command.
                    let redirects = char == '&' && self.at > 0 && matches!(self.chars[self.at - 1], '<' | '>');
                    if redirects {
                        self.end_word()
                    } else {
                        self.end_command()
                    }
                    self.at += 1;
                    if char == '\n' {
                        self.skip_heredocs();
                    }
                }
                '#' if !self.open => self.skip_line(),
                '~' if !self.open && self.peek(1).is_none_or(|next| next == '/' || ends_word(next)) => {
                    self.open = true;
                    self.pieces.push(Piece::Home);
                    self.at += 1;
                }
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => self.escape(),
                '$' => self.dollar(Quotes::None),
                '`' => self.backticks(),
                '*' | '?' | '[' => {
                    self.pattern.get_or_insert(char);
                    self.take(char);
                }
                _ => self.take(char),
            }
        }
        self.end_command();
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn take(&mut self, char: char) {
        self.open = true;
        self.text.push(char);
        self.at += 1;
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Text(std::mem::take(&mut self.text)));
        }
    }

    fn end_word(&mut self) {
        self.flush();
        let pattern = self.pattern.take();
        if self.open {
            self.words.push(Word {
                pieces: std::mem::take(&mut self.pieces),
                role: Role::Argument,
                pattern,
            });
        }
        self.open = false;
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|char| char != '\n') {
            self.at += 1;
        }
    }

    /// `<<END`: notes what ends the body, which begins on the next line.
    fn heredoc(&mut self) {
        self.end_word();
        let tabs = self.peek(2) == Some('-');
        self.at += if tabs { 3 } else { 2 };
        while self.peek(0).is_some_and(|char| char == ' ' || char == '\t') {
            self.at += 1;
        }
        let from = self.at;
        let mut quote = None;
        while let Some(char) = self.peek(0).filter(|char| quote.is_some() || !ends_word(*char)) {
            match quote {
                Some(open) if open == char => quote = None,
                None if char == '\'' || char == '"' => quote = Some(char),
                Some(_) | None => {}
            }
            self.at += 1;
        }
        let written: String = self.chars[from..self.at].iter().collect();
        let end: String = written.chars().filter(|char| !"'\"\\".contains(*char)).collect();
        self.heredocs.push(Heredoc {
            literal: end != written,
            end,
            tabs,
            command: self.words.iter().any(Word::is_shell),
        });
    }

    fn skip_heredocs(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let from = self.at;
                self.skip_line();
                let line: String = self.chars[from..self.at].iter().collect();
                self.at = (self.at + 1).min(self.chars.len());
                let bare = if heredoc.tabs {
                    line.trim_start_matches('\t')
                } else {
                    &line
                };
                if bare == heredoc.end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if !heredoc.literal {
                self.inner.extend(substitutions(&body));
            }
            if heredoc.command {
                self.inner.push(body);
            }
        }
    }

    fn escape(&mut self) {
        self.at += 1;
        match self.peek(0) {
            Some('\n') => self.at += 1,
            Some(char) => self.take(char),
            None => self.open = true,
        }
    }

    fn single(&mut self) {
        self.open = true;
        self.at += 1;
        while let Some(char) = self.peek(0) {
            self.at += 1;
            if char == '\'' {
                return;
            }
            self.text.push(char);
        }
    }

    fn double(&mut self) {
        self.open = true;
        self.at += 1;
        while let Some(char) = self.peek(0) {
            match char {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' if matches!(self.peek(1), Some('"' | '\\' | '$' | '`')) => {
                    self.at += 1;
                    let escaped = self.chars[self.at];
                    self.take(escaped);
                }
                '\\' if self.peek(1) == Some('\n') => self.at += 2,
                '$' => self.dollar(Quotes::Double),
                '`' => self.backticks(),
                _ => self.take(char),
            }
        }
    }

    fn dollar(&mut self, quotes: Quotes) {
        self.open = true;
        match self.peek(1) {
            Some('{') => self.braced(),
            Some('(') => {
                let text = self.balanced('(', ')');
                let inside = text.strip_prefix("$(").unwrap_or(&text);
                self.inner.push(inside.strip_suffix(')').unwrap_or(inside).to_owned());
                self.opaque(text);
            }
            Some(char) if char.is_ascii_alphabetic() || char == '_' => {
                self.at += 1;
                let mut name = String::new();
                while let Some(char) = self.peek(0).filter(|char| char.is_ascii_alphanumeric() || *char == '_') {
                    name.push(char);
                    self.at += 1;
                }
                self.flush();
                self.pieces.push(Piece::Variable(name));
            }
            Some(char) if char.is_ascii_digit() || "@*#?-$!".contains(char) => {
                self.at += 2;
                self.opaque(format!("${char}"));
            }
            // `$'…'` means one thing to some shells and another to others.
            Some('\'') if quotes == Quotes::None => {
                self.at += 1;
                self.opaque("$'".to_owned());
            }
            Some(_) | None => self.take('$'),
        }
    }

    /// `${NAME}` and the forms that are the value of a variable that is set; other forms are opaque.
    fn braced(&mut self) {
        let whole = self.balanced('{', '}');
        let inner = whole.strip_prefix("${").unwrap_or(&whole);
        let inner = inner.strip_suffix('}').unwrap_or(inner);
        let name: String = inner
            .chars()
            .take_while(|char| char.is_ascii_alphanumeric() || *char == '_')
            .collect();
        let rest = &inner[name.len()..];
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        if !name.is_empty() && (inner.len() == name.len() || rest.starts_with(['-', '=', '?'])) {
            self.flush();
            self.pieces.push(Piece::Variable(name));
            self.inner.extend(substitutions(rest));
        } else {
            self.opaque(whole);
        }
    }

    fn backticks(&mut self) {
        self.open = true;
        let from = self.at;
        self.at += 1;
        while let Some(char) = self.peek(0) {
            self.at += 1;
            match char {
                '`' => break,
                '\\' => self.at += 1,
                _ => {}
            }
        }
        self.at = self.at.min(self.chars.len());
        let text: String = self.chars[from..self.at].iter().collect();
        self.inner.push(text.trim_matches('`').to_owned());
        self.opaque(text);
    }

    fn opaque(&mut self, text: String) {
        self.flush();
        self.pieces.push(Piece::Opaque(text));
    }

    /// From `$` to the bracket that closes the one after it; what stands in quotes does not count.
    fn balanced(&mut self, open: char, close: char) -> String {
        let from = self.at;
        let mut depth = 0_usize;
        let mut quote: Option<char> = None;
        self.at += 1;
        while let Some(char) = self.peek(0) {
            self.at += 1;
            match (quote, char) {
                (Some('\''), '\'') => quote = None,
                (Some('\''), _) => {}
                (_, '\\') => self.at += 1,
                (Some('"'), '"') => quote = None,
                (None, '"') => quote = Some('"'),
                // In `"${X:-it's}"` it is no quote.
                (None, '\'') if open == '(' => quote = Some('\''),
                (Some(_), _) => {}
                (None, _) if char == open => depth += 1,
                (None, _) if char == close => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                (None, _) => {}
            }
        }
        self.at = self.at.min(self.chars.len());
        self.chars[from..self.at].iter().collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Double,
}

fn ends_word(char: char) -> bool {
    char.is_whitespace() || ENDS.contains(&char) || char == '<' || char == '>'
}

/// The commands that a text runs which is none itself: a here-document, a default value.
fn substitutions(text: &str) -> Vec<String> {
    let mut splitter = Splitter::new(text);
    while let Some(char) = splitter.peek(0) {
        match char {
            '\\' => splitter.at += 2,
            '$' => splitter.dollar(Quotes::Double),
            '`' => splitter.backticks(),
            _ => splitter.at += 1,
        }
    }
    splitter.inner
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
