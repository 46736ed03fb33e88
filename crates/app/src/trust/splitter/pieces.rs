//! What a word is made of: quotes, variables, substitutions.

use super::Splitter;
use crate::trust::words::Piece;

impl Splitter {
    pub(super) fn escape(&mut self) {
        self.at += 1;
        match self.peek(0) {
            Some('\n') => self.at += 1,
            Some(char) => self.take(char),
            None => self.open = true,
        }
    }

    pub(super) fn single(&mut self) {
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

    pub(super) fn double(&mut self) {
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

    pub(super) fn dollar(&mut self, quotes: Quotes) {
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
    pub(super) fn braced(&mut self) {
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

    pub(super) fn backticks(&mut self) {
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

    pub(super) fn opaque(&mut self, text: String) {
        self.flush();
        self.pieces.push(Piece::Opaque(text));
    }

    /// From `$` to the bracket that closes the one after it; what stands in quotes does not count.
    pub(super) fn balanced(&mut self, open: char, close: char) -> String {
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
pub(super) enum Quotes {
    None,
    Double,
}

/// The commands that a text runs which is none itself: a here-document, a default value.
pub(super) fn substitutions(text: &str) -> Vec<String> {
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
