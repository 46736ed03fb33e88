//! Reads the operators of a command: those between commands, redirections and here-documents.

use super::scan::{PendingHereDoc, ShellScanner};
use super::{HereDoc, Join, Part};

impl ShellScanner<'_> {
    pub(super) fn scan_operator(&mut self, character: char) {
        if self.starts_with("<<<") {
            self.add_bashism("<<<");
            self.begin_redirect(3);
        } else if self.starts_with("<<") {
            self.scan_here_document();
        } else if self.starts_with("<(") {
            self.add_bashism("<(");
            let end = self.find_closing(self.at + 1, '(', ')');
            let inner = self.slice(self.at + 2, end);
            self.scan_nested(&inner);
            self.word().text.push_str("<()");
            self.at = end + 1;
        } else if self.starts_with("&>") {
            self.add_bashism("&>");
            self.begin_redirect(if self.peek(2) == Some('>') { 3 } else { 2 });
        } else if character == '<' || character == '>' {
            let wide = self
                .peek(1)
                .is_some_and(|next| next == '>' || next == '&' || next == '|');
            self.begin_redirect(if wide { 2 } else { 1 });
        } else {
            let doubled = self.peek(1) == Some(character);
            let join = match (character, doubled) {
                ('|', true) => Join::Or,
                ('|', false) => Join::Pipe,
                (_, true) => Join::And,
                (_, false) => Join::Next,
            };
            if self.starts_with("|&") {
                self.add_bashism("|&");
            }
            if join == Join::Next || join == Join::Pipe {
                // A command before `&` or `|` runs in a subshell, since it runs in parallel with the shell.
                let shells = self.inner_subshells();
                self.end_command_in(join, shells);
                if character == '&' {
                    self.script.parts.push(Part::Background);
                }
            } else {
                self.end_command(join);
            }
            self.at += if doubled || self.starts_with("|&") { 2 } else { 1 };
        }
    }

    fn begin_redirect(&mut self, width: usize) {
        // The `2` in `2>` is the number of a stream, not an argument.
        if self
            .word
            .as_ref()
            .is_some_and(|word| !word.quoted && word.text.chars().all(|character| character.is_ascii_digit()))
        {
            self.word = None;
        }
        self.end_word();
        self.at += width;
        self.expects_target = true;
    }

    fn scan_here_document(&mut self) {
        self.end_word();
        let tabs = self.peek(2) == Some('-');
        self.at += if tabs { 3 } else { 2 };
        while self
            .peek(0)
            .is_some_and(|character| character == ' ' || character == '\t')
        {
            self.at += 1;
        }
        let from = self.at;
        while self
            .peek(0)
            .is_some_and(|character| !character.is_whitespace() && !";|&<>()".contains(character))
        {
            self.at += 1;
        }
        let written = self.slice(from, self.at);
        let end: String = written
            .chars()
            .filter(|character| !"'\"\\".contains(*character))
            .collect();
        self.documents
            .push(self.script.here_documents.len() + self.heredocs.len());
        self.heredocs.push(PendingHereDoc {
            literal: end != written,
            end,
            tabs,
        });
    }

    pub(super) fn read_here_documents(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            let line = self.line_here();
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
                self.scan_variables(&body, line);
            }
            self.script.here_documents.push(HereDoc { text: body, line });
        }
    }
}
