//! Reads the text of a command in one pass.

use super::effects::record_effects;
use super::{Bashism, Join, Part, Script, SimpleCommand, Word, assignment_name};

/// Reads a command or a shell script.
#[must_use]
pub fn scan(text: &str) -> Script {
    scan_at(text, 0)
}

pub(super) fn scan_at(text: &str, depth: u32) -> Script {
    scan_from(text, depth, 1)
}

/// Reads a part of a text like [`scan`]. `depth` is its nesting in substitutions, `line` the line on which it begins.
pub(super) fn scan_from(text: &str, depth: u32, line: u32) -> Script {
    let mut script = Script::default();
    let mut scanner = ShellScanner::new(text, &mut script, depth);
    scanner.line = line;
    scanner.run();
    for index in 0..script.commands.len() {
        let words = std::mem::take(&mut script.commands[index].words);
        record_effects(&words, &mut script);
        script.commands[index].words = words;
    }
    script
}

/// How many levels of nested substitutions are read.
pub(super) const MAX_DEPTH: u32 = 24;

pub(super) struct ShellScanner<'b> {
    pub(super) depth: u32,
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) script: &'b mut Script,
    /// The line at index `counted`, from 1.
    pub(super) line: u32,
    /// The index in `chars` up to which line breaks are counted.
    counted: usize,
    /// The text at this point has an effect only if these variables are unset.
    pub(super) unless: Vec<String>,
    pub(super) words: Vec<Word>,
    pub(super) word: Option<Word>,
    /// Whether the next word is the target of a redirection, not an argument.
    pub(super) expects_target: bool,
    pub(super) heredocs: Vec<PendingHereDoc>,
    /// The numbers of the open subshells, from the outside in. `subshell_count` is the last number given.
    subshells: Vec<u32>,
    subshell_count: u32,
    /// The open `case` commands, from the outside in; `true` while a pattern is expected.
    cases: Vec<bool>,
    /// The index at which the present pattern of a `case` begins.
    pattern_from: usize,
    /// The numbers of the here-documents of the command that is being read.
    pub(super) documents: Vec<usize>,
    /// The index at which the current `[[ … ]]` ends. Inside it `|`, `<` and brackets are not operators.
    test_end: usize,
}

/// A here-document whose body is not read yet.
pub(super) struct PendingHereDoc {
    pub(super) end: String,
    pub(super) literal: bool,
    pub(super) tabs: bool,
}

impl<'b> ShellScanner<'b> {
    pub(super) fn new(text: &str, script: &'b mut Script, depth: u32) -> Self {
        Self {
            depth,
            chars: text.chars().collect(),
            at: 0,
            script,
            line: 1,
            counted: 0,
            unless: Vec::new(),
            words: Vec::new(),
            word: None,
            expects_target: false,
            heredocs: Vec::new(),
            subshells: Vec::new(),
            subshell_count: 0,
            cases: Vec::new(),
            pattern_from: 0,
            documents: Vec::new(),
            test_end: 0,
        }
    }

    fn run(&mut self) {
        while let Some(character) = self.peek(0) {
            match character {
                '\'' => self.scan_single_quotes(),
                '"' => self.scan_double_quotes(),
                '\\' => self.scan_escape(),
                '$' => {
                    if self.peek(1) == Some('\'') {
                        self.add_bashism("$'…'");
                    }
                    self.scan_dollar();
                }
                '`' => self.scan_backtick(),
                '#' if self.word.is_none() => self.skip_line(),
                // A shell reads a carriage return as part of a word. One at the end of a line is not meant.
                '\r' if !matches!(self.peek(1), None | Some('\n')) => {
                    self.push(character);
                    self.at += 1;
                }
                ' ' | '\t' | '\r' => {
                    self.end_word();
                    self.at += 1;
                }
                '\n' => {
                    self.end_command(Join::Next);
                    self.at += 1;
                    self.read_here_documents();
                }
                '|' | '&' | '<' | '>' | '(' | ')' if self.at < self.test_end => {
                    self.push(character);
                    self.at += 1;
                }
                ';' | '(' | ')' => self.scan_bracket(character),
                '|' if self.expects_pattern() => {
                    self.word = None;
                    self.at += 1;
                }
                '|' | '&' | '<' | '>' => self.scan_operator(character),
                _ => {
                    self.push(character);
                    self.at += 1;
                }
            }
        }
        self.end_command(Join::Next);
    }

    /// Reads `;`, `(` and `)`: the end of a command, a clause of `case`, a subshell, an array or an arithmetic command.
    fn scan_bracket(&mut self, character: char) {
        let clause = character == ';' && matches!(self.peek(1), Some(';' | '&')) && !self.cases.is_empty();
        match character {
            '(' if self.expects_pattern() => self.at += 1,
            ')' if self.expects_pattern() => {
                self.word = None;
                self.words.clear();
                self.set_pattern(false);
                let pattern = self.slice(self.pattern_from, self.at);
                self.script.parts.push(Part::Clause(pattern));
                self.at += 1;
            }
            '(' if self.is_array() => self.scan_array(),
            '(' if self.peek(1) == Some('(') && self.is_arithmetic() => self.scan_arithmetic(),
            _ if clause => {
                self.end_command(Join::Next);
                self.set_pattern(true);
                while matches!(self.peek(0), Some(';' | '&')) {
                    self.at += 1;
                }
                self.pattern_from = self.at;
            }
            '(' if self.function_end().is_some() => self.scan_function(),
            _ => {
                self.end_command(Join::Next);
                self.at += 1;
                match character {
                    '(' => {
                        let shell = self.new_subshell();
                        self.subshells.push(shell);
                        self.script.parts.push(Part::Open);
                    }
                    ')' => {
                        self.subshells.pop();
                        self.script.parts.push(Part::Close);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The index of the `)` in `NAME()`, if the bracket here begins one.
    fn function_end(&self) -> Option<usize> {
        let rest = self.chars.get(self.at + 1..)?;
        let ahead = rest.iter().position(|sign| ![' ', '\t'].contains(sign))?;
        let has_name = self.word.is_some() || !self.words.is_empty();
        (has_name && rest[ahead] == ')').then_some(self.at + 1 + ahead)
    }

    /// Reads the head of a function: `NAME()`, `function NAME()`.
    fn scan_function(&mut self) {
        let end = self.function_end().unwrap_or(self.at);
        self.end_command(Join::Next);
        let last = self.script.parts.pop();
        if let Some(Part::Command(number)) = last {
            let words = &self.script.commands[number].words;
            let name = words.last().map(|word| word.text.clone()).unwrap_or_default();
            // What is before the name, such as `then`, stays a command of its own.
            self.script.parts.push(Part::Function(name));
        }
        self.at = end + 1;
    }

    /// Returns the number of a new subshell.
    pub(super) fn new_subshell(&mut self) -> u32 {
        self.subshell_count += 1;
        self.subshell_count
    }

    /// Returns the numbers of the subshells around a command in a new substitution or subshell.
    pub(super) fn inner_subshells(&mut self) -> Vec<u32> {
        let shell = self.new_subshell();
        self.subshells.iter().copied().chain([shell]).collect()
    }

    fn expects_pattern(&self) -> bool {
        self.cases.last() == Some(&true)
    }

    fn set_pattern(&mut self, expected: bool) {
        if let Some(last) = self.cases.last_mut() {
            *last = expected;
        }
    }

    /// Whether the bracket here begins an array: `NAME=(` or `NAME+=(`.
    fn is_array(&self) -> bool {
        self.word
            .as_ref()
            .is_some_and(|word| !word.quoted && word.text.ends_with('=') && assignment_name(&word.text).is_some())
    }

    /// Whether `((` here begins an arithmetic command: where a command may begin, or after `for`.
    fn is_arithmetic(&self) -> bool {
        self.word.is_none() && super::start(&self.words).words.iter().all(|word| word.text == "for")
    }

    /// Returns the line of the current character, from 1.
    pub(super) fn line_here(&mut self) -> u32 {
        let passed = self.chars.get(self.counted..self.at).unwrap_or_default();
        let lines = passed.iter().filter(|character| **character == '\n').count();
        self.line += u32::try_from(lines).unwrap_or(u32::MAX);
        self.counted = self.counted.max(self.at);
        self.line
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(ahead, character)| self.peek(ahead) == Some(character))
    }

    /// Returns the word that is being read, or begins a new one.
    pub(super) fn word(&mut self) -> &mut Word {
        let line = self.line_here();
        self.word.get_or_insert_with(|| Word {
            text: String::new(),
            quoted: false,
            unquoted_bytes: 0,
            line,
            keeps_variable: false,
            dropped_backslashes: Vec::new(),
        })
    }

    fn push(&mut self, character: char) {
        self.word().text.push(character);
    }

    fn mark_quoted(&mut self) {
        let word = self.word();
        if !word.quoted {
            word.quoted = true;
            word.unquoted_bytes = word.text.len();
        }
    }

    pub(super) fn end_word(&mut self) {
        let Some(mut word) = self.word.take() else { return };
        if std::mem::take(&mut self.expects_target) {
            return;
        }
        if !word.quoted {
            word.unquoted_bytes = word.text.len();
            if word.text == "[[" && super::start(&self.words).words.is_empty() {
                self.test_end = self.closing_test().unwrap_or(self.test_end);
            }
            if word.text == "esac" && self.words.is_empty() && self.cases.pop().is_some() {
                self.script.parts.push(Part::Esac);
                return;
            }
            let begins_case = word.text == "in" && {
                let command = super::start(&self.words).words;
                command.len() == 2 && command[0].text == "case"
            };
            if begins_case {
                self.end_command(Join::Next);
                self.cases.push(true);
                self.pattern_from = self.at;
                return;
            }
        }
        self.words.push(word);
    }

    /// Returns the index of the next `]]`; `None` if there is none.
    fn closing_test(&self) -> Option<usize> {
        let rest = self.chars.get(self.at..)?;
        let ahead = rest.windows(2).position(|pair| pair == [']', ']'])?;
        Some(self.at + ahead)
    }

    pub(super) fn end_command(&mut self, join: Join) {
        let subshells = self.subshells.clone();
        self.end_command_in(join, subshells);
    }

    pub(super) fn end_command_in(&mut self, join: Join, subshells: Vec<u32>) {
        self.end_word();
        self.expects_target = false;
        let words = std::mem::take(&mut self.words);
        // Thousands of blank lines or comments are no commands.
        let documents = std::mem::take(&mut self.documents);
        if !words.is_empty() {
            self.script.parts.push(Part::Command(self.script.commands.len()));
            self.script.commands.push(SimpleCommand {
                words,
                join,
                subshells,
                documents,
            });
        } else if matches!(self.script.parts.last(), Some(Part::Close | Part::Esac)) {
            self.script.parts.push(Part::Operator(join));
        }
    }

    pub(super) fn add_bashism(&mut self, character: &'static str) {
        let line = self.line_here();
        self.script.add_bashism(Bashism { character, line });
    }

    fn scan_single_quotes(&mut self) {
        self.mark_quoted();
        self.at += 1;
        while let Some(character) = self.peek(0) {
            self.at += 1;
            if character == '\'' {
                break;
            }
            let names = |next: char| next.is_ascii_alphabetic() || next == '_' || next == '{';
            if character == '$' && self.peek(0).is_some_and(names) {
                self.word().keeps_variable = true;
            }
            self.push(character);
        }
    }

    fn scan_double_quotes(&mut self) {
        self.mark_quoted();
        self.at += 1;
        while let Some(character) = self.peek(0) {
            match character {
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
                '$' => self.scan_dollar(),
                '`' => self.scan_backtick(),
                _ => {
                    self.push(character);
                    self.at += 1;
                }
            }
        }
    }

    fn scan_escape(&mut self) {
        if let Some(next) = self.peek(1).filter(|next| *next != '\n') {
            if next.is_ascii_alphanumeric() || "._".contains(next) {
                let word = self.word();
                word.dropped_backslashes.push(word.text.len());
            }
            self.push(next);
        }
        self.at += 2;
    }

    pub(super) fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|character| character != '\n') {
            self.at += 1;
        }
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
