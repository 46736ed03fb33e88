//! A shell command's words, as the shell splits them, quotes removed (`engine.md` §3). Nothing is run or expanded but
//! the few variables that the rule names.

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its text without quotes; variables stand as they were written.
    pub pieces: Vec<Piece>,
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

impl Word {
    /// The word as the author wrote it, for sentences.
    #[must_use]
    pub fn written(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Opaque(text) => text.clone(),
                Piece::Variable(name) => format!("${name}"),
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
}

/// Splits a command into words; operators and comments separate and are left out.
#[must_use]
pub fn split(command: &str) -> Vec<Word> {
    Splitter {
        chars: command.chars().collect(),
        at: 0,
        words: Vec::new(),
        pieces: Vec::new(),
        text: String::new(),
        open: false,
    }
    .run()
}

struct Splitter {
    chars: Vec<char>,
    at: usize,
    words: Vec<Word>,
    pieces: Vec<Piece>,
    text: String,
    /// A word has begun, even if it is empty so far (`''`).
    open: bool,
}

impl Splitter {
    fn run(mut self) -> Vec<Word> {
        while let Some(char) = self.peek(0) {
            match char {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '<' | '>' => {
                    self.end_word();
                    self.at += 1;
                }
                '#' if !self.open => self.skip_comment(),
                '~' if !self.open
                    && matches!(
                        self.peek(1),
                        None | Some('/' | ' ' | '\t' | '\n' | ';' | '|' | '&' | ')')
                    ) =>
                {
                    self.open = true;
                    self.pieces.push(Piece::Home);
                    self.at += 1;
                }
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => self.escape(),
                '$' => self.dollar(),
                '`' => self.backticks(),
                _ => self.take(char),
            }
        }
        self.end_word();
        self.words
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
        if self.open {
            self.words.push(Word {
                pieces: std::mem::take(&mut self.pieces),
            });
        }
        self.open = false;
    }

    fn skip_comment(&mut self) {
        while self.peek(0).is_some_and(|char| char != '\n') {
            self.at += 1;
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
                '$' => self.dollar(),
                '`' => self.backticks(),
                _ => self.take(char),
            }
        }
    }

    fn dollar(&mut self) {
        self.open = true;
        match self.peek(1) {
            Some('{') => self.braced(),
            Some('(') => {
                let text = self.balanced('(', ')');
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
            Some(_) | None => self.take('$'),
        }
    }

    /// `${NAME}` and `${NAME:-default}`; other forms are opaque.
    fn braced(&mut self) {
        let whole = self.balanced('{', '}');
        let inner = whole.trim_start_matches("${").trim_end_matches('}');
        let name: String = inner
            .chars()
            .take_while(|char| char.is_ascii_alphanumeric() || *char == '_')
            .collect();
        let rest = &inner[name.len()..];
        if !name.is_empty() && (rest.is_empty() || rest.starts_with(":-") || rest.starts_with('-')) {
            self.flush();
            self.pieces.push(Piece::Variable(name));
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
        let text = self.chars[from..self.at].iter().collect();
        self.opaque(text);
    }

    fn opaque(&mut self, text: String) {
        self.flush();
        self.pieces.push(Piece::Opaque(text));
    }

    /// From `$` to the bracket that closes the one after it.
    fn balanced(&mut self, open: char, close: char) -> String {
        let from = self.at;
        let mut depth = 0_usize;
        self.at += 1;
        while let Some(char) = self.peek(0) {
            self.at += 1;
            if char == open {
                depth += 1;
            } else if char == close {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
        }
        self.chars[from..self.at].iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(command: &str) -> Vec<String> {
        split(command).iter().map(Word::written).collect()
    }

    #[test]
    fn words_are_split_as_the_shell_does() {
        assert_eq!(
            plain("python3 guard.py; cat 'a b' | ./x.sh"),
            ["python3", "guard.py", "cat", "a b", "./x.sh"]
        );
        assert_eq!(plain(r#"a"b c"d \  'e'"f""#), ["ab cd", " ", "ef"]);
        assert_eq!(plain("run # not this\nthat"), ["run", "that"]);
        assert_eq!(plain("x=1 y>out<in"), ["x=1", "y", "out", "in"]);
    }

    #[test]
    fn variables_and_substitutions_stand_apart() {
        let words = split(r#""$JCLI_CWD"/x.sh ${HOME:-/tmp}/y $(pwd)/z ~/a `b c`"#);
        assert_eq!(
            words[0].pieces,
            [Piece::Variable("JCLI_CWD".into()), Piece::Text("/x.sh".into())]
        );
        assert_eq!(
            words[1].pieces,
            [Piece::Variable("HOME".into()), Piece::Text("/y".into())]
        );
        assert_eq!(
            words[2].pieces,
            [Piece::Opaque("$(pwd)".into()), Piece::Text("/z".into())]
        );
        assert_eq!(words[3].pieces, [Piece::Home, Piece::Text("/a".into())]);
        assert_eq!(words[4].pieces, [Piece::Opaque("`b c`".into())]);
    }

    #[test]
    fn unclosed_quotes_and_brackets_end_with_the_text() {
        for text in ["'abc", "\"abc", "$(abc", "${abc", "`abc", "\\", "$"] {
            let _ = split(text);
        }
    }
}
