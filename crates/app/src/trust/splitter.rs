//! One pass over the text of a command: its simple commands, word by word, and the commands that stand in them.

mod pieces;

use super::words::{GRAMMAR, Piece, Word};
use pieces::{Quotes, substitutions};

/// What ends a word and begins another command.
const ENDS: [char; 6] = [';', '|', '&', '(', ')', '\n'];

/// A simple command.
#[derive(Default)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    /// Commands inside it.
    pub(super) inner: Vec<String>,
}

/// What a text is made of.
pub(super) enum Item {
    Simple(Simple),
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` and a new line
    Next,
    /// `&` and `|`: what stands before it runs in a shell of its own.
    Apart,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `name()`
    Function,
}

enum Nest {
    Bracket,
    /// Between `case` and `esac`; in the place of a pattern or not.
    Case {
        pattern: bool,
    },
}

struct Heredoc {
    /// Where its command stands among the items.
    item: usize,
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
    /// What was read so far.
    pub(super) items: Vec<Item>,
    nest: Vec<Nest>,
    words: Vec<Word>,
    pieces: Vec<Piece>,
    text: String,
    /// A word has begun, even if it is empty so far (`''`).
    open: bool,
    pattern: Option<char>,
    heredocs: Vec<Heredoc>,
    /// Commands inside the one that is being read.
    inner: Vec<String>,
}

impl Splitter {
    pub(super) fn new(command: &str) -> Self {
        Self {
            chars: command.chars().collect(),
            at: 0,
            items: Vec::new(),
            nest: Vec::new(),
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
                _ if ENDS.contains(&char) => self.operator(char),
                '#' if !self.open => self.skip_line(),
                '~' if !self.open && self.peek(1).is_none_or(|next| next == '/' || ends_word(next)) => {
                    self.open = true;
                    self.pieces.push(Piece::Home);
                    self.at += 1;
                }
                '~' if !self.open => self.other_home(),
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => self.escape(),
                '$' => self.dollar(Quotes::None),
                '`' => self.backticks(),
                '*' | '?' | '[' => {
                    self.pattern.get_or_insert(char);
                    self.take(char);
                }
                '{' if self.braces_expand() => {
                    self.pattern.get_or_insert(char);
                    self.take(char);
                }
                _ => self.take(char),
            }
        }
        self.end_command();
    }

    fn operator(&mut self, char: char) {
        let doubled = self.peek(1) == Some(char);
        let in_pattern = matches!(self.nest.last(), Some(Nest::Case { pattern: true }));
        // `2>&1` ends no command.
        let redirects = char == '&' && self.at > 0 && matches!(self.chars[self.at - 1], '<' | '>');
        self.at += 1;
        match char {
            '&' if redirects => self.end_word(),
            '|' if in_pattern => self.end_word(),
            '(' if in_pattern => self.end_word(),
            ')' if in_pattern => self.end_pattern(),
            '&' | '|' if doubled => {
                self.end_command();
                self.at += 1;
                self.items.push(if char == '&' { Item::And } else { Item::Or });
            }
            '&' | '|' => {
                self.end_command();
                self.items.push(Item::Apart);
            }
            '(' => {
                let named = self.open || self.words.len() == 1;
                self.end_command();
                if named {
                    self.items.push(Item::Function);
                }
                self.nest.push(Nest::Bracket);
                self.items.push(Item::Open);
            }
            ')' => {
                self.end_command();
                if matches!(self.nest.last(), Some(Nest::Bracket)) {
                    self.nest.pop();
                    self.items.push(Item::Close);
                }
            }
            _ => {
                self.end_command();
                self.items.push(Item::Next);
                if let (';', Some(Nest::Case { pattern })) = (char, self.nest.last_mut()) {
                    *pattern |= doubled;
                }
                if char == '\n' {
                    self.skip_heredocs();
                }
            }
        }
    }

    /// The pattern of a `case` names no files.
    fn end_pattern(&mut self) {
        self.end_word();
        let kept = self.words.iter().position(|word| word.is_plain(&["in"]));
        self.words.truncate(kept.map_or(0, |place| place + 1));
        self.end_command();
        self.items.push(Item::Next);
        if let Some(Nest::Case { pattern }) = self.nest.last_mut() {
            *pattern = false;
        }
    }

    /// `~+`, `~name`: folders that only the run knows.
    fn other_home(&mut self) {
        let from = self.at;
        while self.peek(0).is_some_and(|char| char != '/' && !ends_word(char)) {
            self.at += 1;
        }
        self.open = true;
        let text = self.chars[from..self.at].iter().collect();
        self.opaque(text);
    }

    /// Whether a bracket opens what some shells take for several words: `{a,b}`, `{1..3}`.
    fn braces_expand(&self) -> bool {
        let rest = &self.chars[self.at..];
        let word = rest.split(|char| ends_word(*char)).next().unwrap_or_default();
        let inside = word.iter().position(|char| *char == '}').map(|end| &word[..end]);
        inside.is_some_and(|inside| inside.contains(&',') || inside.windows(2).any(|two| two == ['.', '.']))
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
            let word = Word::new(std::mem::take(&mut self.pieces), pattern);
            self.follow_case(&word);
            self.words.push(word);
        }
        self.open = false;
    }

    fn follow_case(&mut self, word: &Word) {
        let first = self.words.iter().all(|before| before.is_plain(&GRAMMAR));
        if first && word.is_plain(&["case"]) {
            self.nest.push(Nest::Case { pattern: false });
        }
        match self.nest.last_mut() {
            Some(Nest::Case { .. }) if first && word.is_plain(&["esac"]) => drop(self.nest.pop()),
            Some(Nest::Case { pattern }) if word.is_plain(&["in"]) && self.words.len() > 1 => *pattern = true,
            Some(Nest::Case { .. } | Nest::Bracket) | None => {}
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() || !self.inner.is_empty() {
            self.items.push(Item::Simple(Simple {
                words: std::mem::take(&mut self.words),
                inner: std::mem::take(&mut self.inner),
            }));
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
            item: self.items.len(),
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
            let mut inner = Vec::new();
            if !heredoc.literal {
                inner.extend(substitutions(&body));
            }
            if heredoc.command {
                inner.push(body);
            }
            match self.items.get_mut(heredoc.item) {
                Some(Item::Simple(simple)) => simple.inner.extend(inner),
                Some(_) | None => self.inner.extend(inner),
            }
        }
    }
}

fn ends_word(char: char) -> bool {
    char.is_whitespace() || ENDS.contains(&char) || char == '<' || char == '>'
}
