//! Variables and substitutions: which names a text uses, and what runs inside it.

use super::scan::{MAX_DEPTH, Scan, scan_at};
use super::{Script, Word, is_name};

impl Scan<'_> {
    /// `$NAME`, `${…}`, `$(…)`, `$((…))` or a plain dollar.
    pub(super) fn dollar(&mut self) {
        let from = self.at;
        match self.peek(1) {
            Some('(') => {
                let end = self.closing(self.at + 1, '(', ')');
                let inner = self.slice(self.at + 2, end);
                if let Some(sum) = inner.strip_prefix('(') {
                    variables(sum, self.script, self.depth + 1);
                } else {
                    self.nested(&inner);
                }
                self.at = end + 1;
            }
            Some('{') => {
                let end = self.closing(self.at + 1, '{', '}');
                let inner = self.slice(self.at + 2, end);
                braced(&inner, self.script, self.depth + 1);
                self.at = end + 1;
            }
            Some(sign) if sign.is_ascii_alphabetic() || sign == '_' => {
                let mut end = self.at + 1;
                while self
                    .chars
                    .get(end)
                    .is_some_and(|sign| sign.is_ascii_alphanumeric() || *sign == '_')
                {
                    end += 1;
                }
                let name = self.slice(self.at + 1, end);
                used(&name, self.script);
                self.at = end;
            }
            Some(_) | None => self.at += 1,
        }
        let written = self.slice(from, self.at);
        self.word
            .get_or_insert_with(|| Word {
                text: String::new(),
                quoted: false,
            })
            .text
            .push_str(&written);
    }

    pub(super) fn backtick(&mut self) {
        let from = self.at;
        self.at += 1;
        while let Some(sign) = self.peek(0) {
            self.at += if sign == '\\' { 2 } else { 1 };
            if sign == '`' {
                break;
            }
        }
        let written = self.slice(from, self.at);
        self.nested(written.trim_matches('`'));
        self.word
            .get_or_insert_with(|| Word {
                text: String::new(),
                quoted: false,
            })
            .text
            .push_str(&written);
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        let to = to.min(self.chars.len());
        self.chars[from.min(to)..to].iter().collect()
    }

    /// Where the bracket that opens at `from` closes; the end of the text when it does not.
    fn closing(&self, from: usize, open: char, close: char) -> usize {
        let mut depth = 0_u32;
        let mut at = from;
        while let Some(&sign) = self.chars.get(at) {
            match sign {
                '\\' => at += 1,
                '\'' => {
                    at = self.chars[at + 1..]
                        .iter()
                        .position(|sign| *sign == '\'')
                        .map_or(self.chars.len(), |ahead| at + 1 + ahead)
                }
                _ if sign == open => depth += 1,
                _ if sign == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.chars.len()
    }

    fn nested(&mut self, inner: &str) {
        if self.depth >= MAX_DEPTH {
            self.script.opaque = true;
            return;
        }
        let found = scan_at(inner, self.depth + 1);
        for name in found.uses {
            used(&name, self.script);
        }
        self.script.sets.extend(found.sets);
        self.script.opaque |= found.opaque;
        for sign in found.bashisms {
            self.bashism(sign);
        }
        self.script.commands.extend(found.commands);
    }
}

fn used(name: &str, script: &mut Script) {
    if !script.uses.iter().any(|known| known == name) {
        script.uses.push(name.to_owned());
    }
}

/// The inside of `${…}`.
fn braced(inner: &str, script: &mut Script, depth: u32) {
    let body = inner.trim_start_matches(['#', '!']);
    let end = body
        .find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_')
        .unwrap_or(body.len());
    let (name, rest) = body.split_at(end);
    variables(rest, script, depth);
    if !is_name(name) {
        return;
    }
    let operator = rest.strip_prefix(':').unwrap_or(rest);
    if operator.starts_with(['-', '=', '+', '?']) {
        script.sets.insert(name.to_owned());
    } else {
        used(name, script);
    }
}

/// Variables in a text that is no command: a here-document, a default, a sum.
pub(super) fn variables(text: &str, script: &mut Script, depth: u32) {
    if depth >= MAX_DEPTH {
        script.opaque = true;
        return;
    }
    let mut inner = Script::default();
    let mut scan = Scan::new(text, &mut inner, depth);
    while let Some(sign) = scan.peek(0) {
        match sign {
            '\\' => scan.at += 2,
            '$' => scan.dollar(),
            _ => scan.at += 1,
        }
    }
    for name in inner.uses {
        used(&name, script);
    }
    script.sets.extend(inner.sets);
    script.opaque |= inner.opaque;
    script.commands.extend(inner.commands);
}
