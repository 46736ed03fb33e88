//! One pass over the text of a command.

use super::expand::variables;
use super::{Script, Word, assigned, is_name};

/// Looks through a command or a shell script.
#[must_use]
pub fn scan(text: &str) -> Script {
    scan_at(text, 0)
}

pub(super) fn scan_at(text: &str, depth: u32) -> Script {
    let mut script = Script::default();
    Scan::new(text, &mut script, depth).run();
    for index in 0..script.commands.len() {
        let words = std::mem::take(&mut script.commands[index]);
        settle(&words, &mut script);
        script.commands[index] = words;
    }
    script.commands.retain(|words| !words.is_empty());
    script
}

/// Substitutions in substitutions that are followed.
pub(super) const MAX_DEPTH: u32 = 24;

pub(super) struct Scan<'b> {
    pub(super) depth: u32,
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) script: &'b mut Script,
    words: Vec<Word>,
    pub(super) word: Option<Word>,
    /// The next word is the target of a redirection, not an argument.
    target: bool,
    heredocs: Vec<Heredoc>,
}

struct Heredoc {
    end: String,
    literal: bool,
    tabs: bool,
}

impl<'b> Scan<'b> {
    pub(super) fn new(text: &str, script: &'b mut Script, depth: u32) -> Self {
        Self {
            depth,
            chars: text.chars().collect(),
            at: 0,
            script,
            words: Vec::new(),
            word: None,
            target: false,
            heredocs: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(sign) = self.peek(0) {
            match sign {
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => self.escape(),
                '$' => self.dollar(),
                '`' => self.backtick(),
                '#' if self.word.is_none() => self.skip_line(),
                ' ' | '\t' | '\r' => {
                    self.end_word();
                    self.at += 1;
                }
                '\n' => {
                    self.end_command();
                    self.at += 1;
                    self.skip_heredocs();
                }
                ';' | '(' | ')' => {
                    self.end_command();
                    self.at += 1;
                }
                '|' | '&' | '<' | '>' => self.operator(sign),
                _ => {
                    self.push(sign);
                    self.at += 1;
                }
            }
        }
        self.end_command();
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(ahead, sign)| self.peek(ahead) == Some(sign))
    }

    fn push(&mut self, sign: char) {
        self.word
            .get_or_insert_with(|| Word {
                text: String::new(),
                quoted: false,
            })
            .text
            .push(sign);
    }

    fn quoted(&mut self) -> &mut Word {
        let word = self.word.get_or_insert_with(|| Word {
            text: String::new(),
            quoted: false,
        });
        word.quoted = true;
        word
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.target) {
            return;
        }
        if self.words.is_empty() && word.text == "[[" && !word.quoted {
            self.bashism("[[");
        }
        self.words.push(word);
    }

    fn end_command(&mut self) {
        self.end_word();
        self.target = false;
        let words = std::mem::take(&mut self.words);
        self.script.commands.push(words);
    }

    pub(super) fn bashism(&mut self, sign: &'static str) {
        if !self.script.bashisms.contains(&sign) {
            self.script.bashisms.push(sign);
        }
    }

    fn single(&mut self) {
        self.quoted();
        self.at += 1;
        while let Some(sign) = self.peek(0) {
            self.at += 1;
            if sign == '\'' {
                break;
            }
            self.push(sign);
        }
    }

    fn double(&mut self) {
        self.quoted();
        self.at += 1;
        while let Some(sign) = self.peek(0) {
            match sign {
                '"' => {
                    self.at += 1;
                    break;
                }
                '\\' => {
                    let next = self.peek(1);
                    if !next.is_some_and(|next| "\"\\$`\n".contains(next)) {
                        self.push('\\');
                    }
                    if let Some(next) = next.filter(|next| *next != '\n') {
                        self.push(next);
                    }
                    self.at += 2;
                }
                '$' => self.dollar(),
                '`' => self.backtick(),
                _ => {
                    self.push(sign);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) {
        if let Some(next) = self.peek(1).filter(|next| *next != '\n') {
            self.push(next);
        }
        self.at += 2;
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|sign| sign != '\n') {
            self.at += 1;
        }
    }

    fn operator(&mut self, sign: char) {
        if self.starts("<<<") {
            self.bashism("<<<");
            self.redirect(3);
        } else if self.starts("<<") {
            self.heredoc();
        } else if self.starts("<(") {
            self.bashism("<(");
            self.end_word();
            self.at += 1;
        } else if self.starts("&>") {
            self.bashism("&>");
            self.redirect(if self.peek(2) == Some('>') { 3 } else { 2 });
        } else if sign == '<' || sign == '>' {
            let wide = self
                .peek(1)
                .is_some_and(|next| next == '>' || next == '&' || next == '|');
            self.redirect(if wide { 2 } else { 1 });
        } else {
            self.end_command();
            self.at += 1;
        }
    }

    fn redirect(&mut self, width: usize) {
        // `2>` is the number of a stream, not an argument.
        if self
            .word
            .as_ref()
            .is_some_and(|word| !word.quoted && word.text.chars().all(|sign| sign.is_ascii_digit()))
        {
            self.word = None;
        }
        self.end_word();
        self.at += width;
        self.target = true;
    }

    fn heredoc(&mut self) {
        self.end_word();
        let tabs = self.peek(2) == Some('-');
        self.at += if tabs { 3 } else { 2 };
        while self.peek(0).is_some_and(|sign| sign == ' ' || sign == '\t') {
            self.at += 1;
        }
        let from = self.at;
        while self
            .peek(0)
            .is_some_and(|sign| !sign.is_whitespace() && !";|&<>()".contains(sign))
        {
            self.at += 1;
        }
        let written = self.slice(from, self.at);
        let end: String = written.chars().filter(|sign| !"'\"\\".contains(*sign)).collect();
        self.heredocs.push(Heredoc {
            literal: end != written,
            end,
            tabs,
        });
    }

    fn skip_heredocs(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let from = self.at;
                self.skip_line();
                let line = self.slice(from, self.at);
                self.at += 1;
                let bare = if heredoc.tabs {
                    line.trim_start_matches('\t')
                } else {
                    line.as_str()
                };
                if bare.trim_end_matches('\r') == heredoc.end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if !heredoc.literal {
                variables(&body, self.script, self.depth + 1);
            }
        }
    }
}

/// What a simple command sets, and whether it runs text that is not here.
fn settle(words: &[Word], script: &mut Script) {
    let rest = super::program(words);
    // `if A=$(cmd)` sets as `A=$(cmd)` does.
    let before = words.iter().take(words.len() - rest.len());
    script
        .sets
        .extend(before.filter_map(|word| assigned(&word.text)).map(str::to_owned));
    let Some(first) = rest.first() else { return };
    let names = rest[1..].iter().map(|word| word.text.as_str());
    match first.text.as_str() {
        "eval" | "." => script.opaque = true,
        "source" => {
            script.opaque = true;
            if !script.bashisms.contains(&"source") {
                script.bashisms.push("source");
            }
        }
        "for" | "read" | "mapfile" | "readarray" | "getopts" | "unset" | "case" => {
            let set: Vec<String> = names
                .take_while(|name| *name != "in")
                .filter(|name| is_name(name))
                .map(str::to_owned)
                .collect();
            script.sets.extend(set);
        }
        "export" | "local" | "readonly" | "declare" | "typeset" => {
            let set: Vec<String> = names.filter_map(assigned).map(str::to_owned).collect();
            script.sets.extend(set);
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
