//! A user's command, followed word by word: where it is by now, and what it starts there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookwright_dialects::shell::{self, Join, Script, SimpleCommand, Word};
use hookwright_model::{Card, DirOf};

use super::From;
use super::wrappers::unwrapped;
use crate::trust::names::{After, Interpreter, Meaning, fill, interpreter, program_name};

/// Texts in texts (`eval`, `trap`, `env -S`) that are followed.
const MAX_DEPTH: u32 = 4;

/// A subshell, with what its end brings back.
struct Shell {
    id: u32,
    at: Vec<PathBuf>,
    held: Vec<PathBuf>,
}

pub(super) struct Desk<'a> {
    card: &'a Card,
    given: BTreeMap<&'a str, &'a str>,
    from: From<'a>,
    /// Where the command may be by now: more than one folder where only the run knows whether it went on.
    at: Vec<PathBuf>,
    /// Where it was before.
    previous: Vec<PathBuf>,
    /// Where it still is when a condition did not hold; they count again behind the list.
    held: Vec<PathBuf>,
    shells: Vec<Shell>,
    /// What stands before the command that is read.
    before: Join,
    /// Loops and conditions around it.
    compounds: usize,
    /// Variables that it sets; `None` for a value that only the run knows.
    set: BTreeMap<String, Option<String>>,
    depth: u32,
    /// What it starts depends on where it begins.
    pub(super) depends: bool,
    pub(super) found: BTreeSet<PathBuf>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(card: &'a Card, given: BTreeMap<&'a str, &'a str>, from: From<'a>) -> Self {
        Self {
            card,
            given,
            from,
            at: vec![from.start.to_owned()],
            previous: vec![from.start.to_owned()],
            held: Vec::new(),
            shells: Vec::new(),
            before: Join::Next,
            compounds: 0,
            set: BTreeMap::new(),
            depth: 0,
            depends: false,
            found: BTreeSet::new(),
        }
    }

    /// Follows a script to its end.
    pub(super) fn script(&mut self, script: &Script) {
        for command in &script.commands {
            self.enter(&command.subshells);
            self.grammar(&command.words);
            self.assignments(&command.words);
            self.command(command);
            self.before = command.join;
            if command.join == Join::Next {
                let held = std::mem::take(&mut self.held);
                self.also_at(held);
            }
        }
        self.enter(&[]);
    }

    /// Follows a text that the command runs as one of its own.
    fn text(&mut self, text: &str) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let outer = std::mem::take(&mut self.shells);
            self.script(&shell::scan(text));
            self.shells = outer;
            self.depth -= 1;
        }
    }

    /// Leaves and enters subshells: where one of them went is forgotten behind it.
    fn enter(&mut self, shells: &[u32]) {
        let same = self
            .shells
            .iter()
            .zip(shells)
            .take_while(|(known, id)| known.id == **id)
            .count();
        while self.shells.len() > same {
            if let Some(shell) = self.shells.pop() {
                self.at = shell.at;
                self.held = shell.held;
                // Whether it went well decides what comes behind it.
                self.before = Join::And;
            }
        }
        for id in &shells[same..] {
            self.shells.push(Shell {
                id: *id,
                at: self.at.clone(),
                held: std::mem::take(&mut self.held),
            });
        }
    }

    fn grammar(&mut self, words: &[Word]) {
        for word in words.iter().filter(|word| !word.quoted) {
            match word.text.as_str() {
                "if" | "while" | "until" | "for" | "select" | "case" => self.compounds += 1,
                "fi" | "done" | "esac" => self.compounds = self.compounds.saturating_sub(1),
                "then" | "elif" | "else" | "do" | "!" | "{" | "}" => {}
                _ => break,
            }
        }
    }

    fn assignments(&mut self, words: &[Word]) {
        for word in words {
            if let Some((name, (_, value))) = shell::assignment_name(&word.text).zip(word.text.split_once('=')) {
                let value = self.expand(value, &self.at[0].clone());
                self.set.insert(name.to_owned(), value);
            }
        }
    }

    fn command(&mut self, command: &SimpleCommand) {
        let words = command.program();
        let (before, _) = command.words.split_at(command.words.len() - words.len());
        let here = self.at.clone();
        let moved = before
            .iter()
            .enumerate()
            .find_map(|(at, word)| match word.text.as_str() {
                "-C" | "-D" | "--chdir" => before.get(at + 1).map(|next| next.text.as_str()),
                text => text
                    .strip_prefix("--chdir=")
                    .or_else(|| text.strip_prefix("-C").filter(|rest| !rest.is_empty())),
            });
        if let Some(folder) = moved {
            self.at = self.below(folder).unwrap_or(here.clone());
        }
        let split = before
            .iter()
            .chain(words.first())
            .find_map(|word| split_text(&word.text));
        match split {
            Some(text) => {
                let rest = words.iter().filter(|word| split_text(&word.text).is_none());
                self.text(&joined(
                    std::iter::once(text).chain(rest.map(|word| word.text.as_str())),
                ));
            }
            None => self.program(words),
        }
        if moved.is_some() {
            self.at = here;
        }
    }

    fn program(&mut self, words: &[Word]) {
        let words = unwrapped(words);
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        let texts = |words: &[Word]| joined(words.iter().map(|word| word.text.as_str()));
        match program.text.as_str() {
            "cd" | "pushd" | "popd" | "chdir" => self.go(&program.text, rest),
            "." | "source" => drop(rest.first().map(|word| self.note(&word.text, &[]))),
            "eval" => self.text(&texts(rest)),
            "trap" => drop(rest.first().map(|word| self.text(&word.text))),
            "find" => {
                let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
                for (at, _) in rest.iter().enumerate().filter(|(_, word)| runs(word)) {
                    self.program(&rest[at + 1..]);
                }
            }
            text => {
                let name = self
                    .expand(text, &self.at[0].clone())
                    .unwrap_or_else(|| text.to_owned());
                if name.contains(' ') && !program.quoted && name != text {
                    return self.text(&format!("{name} {}", texts(rest)));
                }
                if let Some(known) = interpreter(program_name(&name)) {
                    self.interpreter(known, rest);
                }
                if name.contains('/') {
                    self.note(text, &[]);
                }
            }
        }
    }

    /// The script that an interpreter is given.
    fn interpreter(&mut self, known: &Interpreter, words: &[Word]) {
        let mut before = After::Free;
        for word in words {
            match known.meaning(&word.text, before) {
                Meaning::Option(after) => before = after,
                Meaning::Value => before = After::Free,
                Meaning::Text | Meaning::Stdin => return,
                Meaning::Operand => {
                    if self.note(&word.text, known.adds) || before != After::Maybe {
                        return;
                    }
                    before = After::Free;
                }
            }
        }
    }

    /// Follows the command into another folder.
    fn go(&mut self, program: &str, operands: &[Word]) {
        let folder = operands
            .iter()
            .find(|word| word.text == "-" || !word.text.starts_with('-'));
        let there = match folder.map(|word| word.text.as_str()) {
            _ if program == "popd" => Some(self.previous.clone()),
            Some("-") => Some(self.previous.clone()),
            Some(folder) => self.below(folder),
            None => Some(vec![self.from.home.to_owned()]),
        };
        let Some(there) = there else {
            // Only the run knows where: it is judged from its own directory too.
            return self.also_at(vec![self.from.start.to_owned()]);
        };
        if there.is_empty() {
            return;
        }
        self.previous = std::mem::replace(&mut self.at, there);
        let stays = self.previous.clone();
        if self.compounds > 0 {
            self.also_at(stays);
        } else if matches!(self.before, Join::And | Join::Or) {
            self.held.extend(stays);
        }
    }

    fn also_at(&mut self, folders: Vec<PathBuf>) {
        for folder in folders {
            if !self.at.contains(&folder) {
                self.at.push(folder);
            }
        }
    }

    /// The folders of that name that are there; `None` where only the run knows.
    fn below(&mut self, folder: &str) -> Option<Vec<PathBuf>> {
        let mut there = Vec::new();
        for at in self.at.clone() {
            let place = at.join(self.expand(folder, &at)?);
            there.extend(Some(place).filter(|place| place.is_dir()));
        }
        Some(there)
    }

    /// Notes the file of the project that a name leads to; whether it leads to any file.
    fn note(&mut self, text: &str, adds: &[&str]) -> bool {
        let mut leads = false;
        for at in self.at.clone() {
            let Some(name) = self.expand(text, &at) else { continue };
            self.depends |= Path::new(&name).is_relative();
            let forms = std::iter::once(name.clone()).chain(adds.iter().map(|add| format!("{name}{add}")));
            let real = |form: String| dunce::canonicalize(at.join(form)).ok().filter(|file| file.is_file());
            if let Some(file) = forms.filter_map(real).next() {
                leads = true;
                if file.starts_with(self.from.project) {
                    self.found.insert(file);
                }
            }
        }
        leads
    }

    /// A word with the variables filled in whose value is known, or that have a default; `None` where only the run knows.
    fn expand(&mut self, text: &str, at: &Path) -> Option<String> {
        let filled = fill(text, &|name| self.value(name, at)).text?;
        let payload = |name: &&str| {
            *name == "PWD"
                || self
                    .card
                    .dir_vars
                    .iter()
                    .any(|var| var.name == *name && var.of == DirOf::Payload)
        };
        let used = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
        self.depends |= text.contains('$') && used.into_iter().any(|name| payload(&name));
        // Patterns and substitutions are names that only the run knows.
        (!filled.contains(['`', '*', '?', '[']) && !filled.contains("$(")).then_some(filled)
    }

    fn value(&self, name: &str, at: &Path) -> Option<String> {
        if let Some(value) = self.set.get(name) {
            return value.clone();
        }
        if let Some(value) = self.given.get(name) {
            return Some((*value).to_owned());
        }
        let place = match name {
            "HOME" => self.from.home,
            "PWD" => at,
            _ => match self.card.dir_vars.iter().find(|var| var.name == name)?.of {
                DirOf::Project => self.from.project,
                DirOf::Payload => self.from.start,
            },
        };
        Some(place.to_str()?.to_owned())
    }
}

/// What stands behind `-S` in the same word: `env` runs it as words of its own.
fn split_text(word: &str) -> Option<&str> {
    let text = word
        .strip_prefix("--split-string")
        .or_else(|| word.strip_prefix("-S"))?;
    Some(text.strip_prefix('=').unwrap_or(text))
}

fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "desk_tests.rs"]
mod tests;
