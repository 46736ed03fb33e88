//! Reads variables and substitutions: which names a text uses, and which commands run inside it.

use super::scan::{MAX_DEPTH, ShellScanner, scan_from};
use super::{Bashism, Part, Script, VariableUse, is_name};

impl ShellScanner<'_> {
    /// Reads `$NAME`, `${…}`, `$(…)`, `$((…))` or a literal dollar.
    pub(super) fn scan_dollar(&mut self) {
        let from = self.at;
        match self.peek(1) {
            Some('(') => {
                let end = self.find_closing(self.at + 1, '(', ')');
                let inner = self.slice(self.at + 2, end);
                let line = self.line_here();
                if let Some(sum) = inner.strip_prefix('(') {
                    self.scan_variables(sum, line);
                } else {
                    self.scan_nested(&inner);
                }
                self.at = end + 1;
            }
            Some('{') => {
                let end = self.find_closing(self.at + 1, '{', '}');
                let inner = self.slice(self.at + 2, end);
                self.scan_braces(&inner);
                self.at = end + 1;
            }
            Some(character) if character.is_ascii_alphabetic() || character == '_' => {
                let mut end = self.at + 1;
                while self
                    .chars
                    .get(end)
                    .is_some_and(|character| character.is_ascii_alphanumeric() || *character == '_')
                {
                    end += 1;
                }
                let name = self.slice(self.at + 1, end);
                self.add_use(&name);
                self.at = end;
            }
            Some(_) | None => self.at += 1,
        }
        let written = self.slice(from, self.at);
        self.word().text.push_str(&written);
    }

    pub(super) fn scan_backtick(&mut self) {
        let from = self.at;
        self.at += 1;
        while let Some(character) = self.peek(0) {
            self.at += if character == '\\' { 2 } else { 1 };
            if character == '`' {
                break;
            }
        }
        let written = self.slice(from, self.at);
        self.scan_nested(written.trim_matches('`'));
        self.word().text.push_str(&written);
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        let to = to.min(self.chars.len());
        self.chars[from.min(to)..to].iter().collect()
    }

    /// Returns the index at which the bracket at `from` closes, or the end of the text if it does not close.
    ///
    /// Round brackets contain commands or words, so comments in them are skipped.
    pub(super) fn find_closing(&self, from: usize, open: char, close: char) -> usize {
        // The closing characters of the open brackets and quotes, the innermost last.
        let mut ends: Vec<char> = Vec::new();
        let mut at = from;
        while let Some(&character) = self.chars.get(at) {
            let end = ends.last().copied();
            let is_quoted = end == Some('"');
            let before = at.checked_sub(1).map(|before| self.chars[before]);
            match character {
                '\\' => at += 1,
                '(' if before == Some('$') => ends.push(')'),
                _ if Some(character) == end => _ = ends.pop(),
                _ if is_quoted => {}
                '"' => ends.push('"'),
                '\'' => at = self.find_char(at + 1, '\''),
                '#' if end == Some(')') && before.is_some_and(char::is_whitespace) => at = self.find_char(at, '\n'),
                '(' if end == Some(')') => ends.push(')'),
                _ if character == open => ends.push(close),
                _ => {}
            }
            if ends.is_empty() {
                return at;
            }
            at += 1;
        }
        self.chars.len()
    }

    /// Returns the index of the next `wanted` character, or the end of the text if there is none.
    fn find_char(&self, from: usize, wanted: char) -> usize {
        let rest = self.chars.get(from..).unwrap_or_default();
        let ahead = rest.iter().position(|character| *character == wanted);
        ahead.map_or(self.chars.len(), |ahead| from + ahead)
    }

    pub(super) fn scan_nested(&mut self, inner: &str) {
        if self.depth >= MAX_DEPTH {
            self.script.opaque = true;
            return;
        }
        let line = self.line_here();
        let found = scan_from(inner, self.depth + 1, line);
        let parts = self.add_script(found);
        self.script.parts.push(Part::Substitution(parts));
    }

    /// Adds the result for a part of the text to the script. Returns the parts of the result, with the numbers that its
    /// commands now have.
    fn add_script(&mut self, found: Script) -> Vec<Part> {
        let mut parts = found.parts;
        renumber(&mut parts, self.script.commands.len());
        for mut one in found.uses {
            one.unless.splice(0..0, self.unless.iter().cloned());
            self.script.add_use(one);
        }
        self.script.sets.extend(found.sets);
        self.script.opaque |= found.opaque;
        for one in found.bashisms {
            self.script.add_bashism(one);
        }
        let documents = self.script.here_documents.len();
        self.script.here_documents.extend(found.here_documents);
        let outer = self.inner_subshells();
        let commands = found.commands.into_iter().map(|mut command| {
            command.subshells.splice(0..0, outer.iter().copied());
            command.documents.iter_mut().for_each(|number| *number += documents);
            command
        });
        self.script.commands.extend(commands);
        parts
    }

    fn add_use(&mut self, name: &str) {
        let line = self.line_here();
        let is_switch = self.is_emptiness_test() || self.is_compared_with_words();
        self.script.add_use(VariableUse {
            name: name.to_owned(),
            line,
            unless: self.unless.clone(),
            is_switch,
        });
    }

    /// Whether the variable that is read here is compared with plain words only: `[ "$NAME" = 1 ]`, or `case "$NAME" in`
    /// with patterns that are words or `*`.
    fn is_compared_with_words(&self) -> bool {
        // `x$NAME` is how old shells compare a variable that may be empty.
        let begins = self.word.as_ref().is_none_or(|word| is_guard_letter(&word.text));
        let command = super::start(&self.words).words;
        let Some(first) = command.first().filter(|_| begins) else {
            return false;
        };
        let rest: String = self
            .chars
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            .take(MAX_LOOK_AHEAD)
            .collect();
        // The end of the variable itself: `NAME`, `{NAME}` and the closing quote.
        let rest =
            rest.trim_start_matches(|sign: char| "${}\"".contains(sign) || sign.is_ascii_alphanumeric() || sign == '_');
        match first.text.as_str() {
            "[" | "[[" | "test" => {
                let before = command.len() > 2 && is_comparison(&command[command.len() - 1].text);
                let mut behind = rest.split_whitespace();
                let operator = behind.next().unwrap_or_default();
                let value = behind.next().unwrap_or_default();
                let is_alone = command.len() == 1 && operator.starts_with(']');
                is_alone
                    || (before
                        && is_plain_word(&command[command.len() - 2].text)
                        && (operator.starts_with([']', ';', '&'])))
                    || (is_comparison(operator) && is_plain_word(value.trim_end_matches(';')))
            }
            "case" if command.len() == 1 => {
                let clauses = rest
                    .trim_start()
                    .strip_prefix("in")
                    .and_then(|behind| behind.split_once("esac"));
                clauses.is_some_and(|(clauses, _)| {
                    let patterns = clauses.split(";;").filter_map(|clause| Some(clause.split_once(')')?.0));
                    let mut words = patterns.flat_map(|pattern| pattern.trim().trim_start_matches('(').split('|'));
                    words.all(|word| word.trim() == "*" || is_plain_word(word.trim()))
                })
            }
            _ => false,
        }
    }

    /// Whether the word that begins here is only tested for being empty: `[ -n "$NAME" ]`.
    fn is_emptiness_test(&self) -> bool {
        let begins = self.word.as_ref().is_none_or(|word| word.text.is_empty());
        let tests = super::start(&self.words).words.first();
        let tests = tests.is_some_and(|first| ["[", "[[", "test"].contains(&first.text.as_str()));
        let asks = self.words.last();
        let asks = asks.is_some_and(|last| !last.quoted && ["-n", "-z"].contains(&last.text.as_str()));
        begins && tests && asks
    }

    /// Reads the text inside `${…}`.
    fn scan_braces(&mut self, inner: &str) {
        let body = inner.trim_start_matches(['#', '!']);
        let end = body
            .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .unwrap_or(body.len());
        let (name, rest) = body.split_at(end);
        let line = self.line_here();
        if !is_name(name) {
            return self.scan_variables(rest, line);
        }
        if let Some(character) = bash_only_expansion(inner, rest) {
            self.add_bashism(character);
        }
        let operator = rest.strip_prefix(':').unwrap_or(rest);
        if !operator.starts_with(['-', '=', '+', '?']) {
            self.scan_variables(rest, line);
            return self.add_use(name);
        }
        self.script.sets.insert(name.to_owned());
        // A default value is only used if its variable is unset.
        let is_default = operator.starts_with(['-', '=', '?']);
        if is_default {
            self.unless.push(name.to_owned());
        }
        self.scan_variables(rest, line);
        if is_default {
            self.unless.pop();
        }
    }

    /// Reads the variables in a text that is not a command: a here-document, a default value, an arithmetic expression.
    /// `line` is the line on which the text begins.
    pub(super) fn scan_variables(&mut self, text: &str, line: u32) {
        if self.depth + 1 >= MAX_DEPTH {
            self.script.opaque = true;
            return;
        }
        let mut inner = Script::default();
        let mut scanner = ShellScanner::new(text, &mut inner, self.depth + 1);
        scanner.line = line;
        while let Some(character) = scanner.peek(0) {
            match character {
                '\\' => scanner.at += 2,
                '$' => scanner.scan_dollar(),
                _ => scanner.at += 1,
            }
        }
        let parts = self.add_script(inner);
        self.script.parts.extend(parts);
    }

    /// Reads the array after `NAME=`: `( … )`.
    pub(super) fn scan_array(&mut self) {
        self.add_bashism("a=( … )");
        let line = self.line_here();
        let end = self.find_closing(self.at, '(', ')');
        let inner = self.slice(self.at + 1, end);
        self.scan_variables(&inner, line);
        self.word().text.push_str("()");
        self.at = end + 1;
    }

    /// Reads `(( … ))`. All names in it are recorded as set, since an expression such as `((i++))` can set them.
    pub(super) fn scan_arithmetic(&mut self) {
        self.add_bashism("(( … ))");
        let line = self.line_here();
        let end = self.find_closing(self.at, '(', ')');
        let inner = self.slice(self.at + 1, end);
        self.scan_variables(&inner, line);
        let names = inner.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        self.script
            .sets
            .extend(names.filter(|name| is_name(name)).map(str::to_owned));
        self.word().text.push_str("((");
        self.at = end + 1;
    }
}

fn renumber(parts: &mut [Part], by: usize) {
    for part in parts {
        match part {
            Part::Command(number) => *number += by,
            Part::Substitution(inner) => renumber(inner, by),
            Part::Open
            | Part::Close
            | Part::Function(_)
            | Part::Clause(_)
            | Part::Esac
            | Part::Operator(_)
            | Part::Background => {}
        }
    }
}

/// How many characters behind a variable are read to find out with what it is compared.
const MAX_LOOK_AHEAD: usize = 2_000;

/// Whether a word of `[ … ]` compares its neighbours.
fn is_comparison(word: &str) -> bool {
    ["=", "==", "!=", "-eq", "-ne", "-gt", "-ge", "-lt", "-le"].contains(&word)
}

/// Whether the word before a variable is nothing, or the one letter of `x$NAME`.
fn is_guard_letter(before: &str) -> bool {
    before.is_empty() || before.len() == 1 && before.starts_with(|sign: char| sign.is_ascii_alphabetic())
}

/// Whether a word is a value of a switch: `1`, `strict`, `"on"`.
fn is_plain_word(word: &str) -> bool {
    let inner = word.trim_matches(['"', '\'']);
    inner
        .chars()
        .all(|sign| sign.is_ascii_alphanumeric() || "_.-".contains(sign))
}

/// Finds syntax of `${…}` that only bash supports; `rest` is the text after the name.
fn bash_only_expansion(inner: &str, rest: &str) -> Option<&'static str> {
    let slices = rest
        .strip_prefix(':')
        .is_some_and(|more| !more.starts_with(['-', '=', '+', '?']));
    match rest.chars().next() {
        _ if inner.starts_with('!') => Some("${!a}"),
        _ if slices => Some("${a:0:1}"),
        Some('[') => Some("${a[0]}"),
        Some('/') => Some("${a/b/c}"),
        Some('^' | ',') => Some("${a^}"),
        Some(_) | None => None,
    }
}

impl Script {
    /// Records a use of a variable, unless the same use is recorded already.
    pub(super) fn add_use(&mut self, one: VariableUse) {
        let same = |known: &&mut VariableUse| known.name == one.name && known.unless == one.unless;
        match self.uses.iter_mut().find(same) {
            // A use that is no comparison is the one that is told.
            Some(known) if known.is_switch && !one.is_switch => *known = one,
            Some(_) => {}
            None => self.uses.push(one),
        }
    }

    /// Records syntax that only bash supports, each kind once.
    pub(super) fn add_bashism(&mut self, one: Bashism) {
        if !self.bashisms.iter().any(|known| known.character == one.character) {
            self.bashisms.push(one);
        }
    }
}
