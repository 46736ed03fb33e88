//! One pass over the text of a command: its simple commands, word by word, and the commands that stand in them.

use super::words::{Piece, Role, Word};

/// What ends a word and begins another command.
const ENDS: [char; 6] = [';', '|', '&', '(', ')', '\n'];

struct Heredoc {
    end: String,
    /// Its quotes keep the body as it is.
    literal: bool,
    tabs: bool,
    /// A shell reads it.
    command: bool,
}

/// A command being split.
pub(super) struct Splitter {
    chars: Vec<char>,
    at: usize,
    /// Simple commands, each with its words.
    pub(super) commands: Vec<Vec<Word>>,
    words: Vec<Word>,
    pieces: Vec<Piece>,
    text: String,
    /// A word has begun, even if it is empty so far (`''`).
    open: bool,
    pattern: Option<char>,
    heredocs: Vec<Heredoc>,
    /// Commands inside this one.
    pub(super) inner: Vec<String>,
}

impl Splitter {
    pub(super) fn new(command: &str) -> Self {
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

    pub(super) fn run(&mut self) {
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
