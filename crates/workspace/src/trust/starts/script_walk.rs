//! Follows a user's command word by word: in which folder it is, and which files it starts there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookwright_dialects::shell::{
    self, Interpreter, Join, NextWord, Script, Start, Word, WordMeaning, interpreter, program_name,
};
use hookwright_model::{Card, DirOf};

use super::StartDirs;
use crate::trust::names::fill_variables;

/// Limit for the nesting of texts (`eval`, `trap`, `env -S`) that are followed.
const MAX_NESTED_TEXTS: u32 = 4;

/// A subshell, with the folders that are restored at its end.
struct Subshell {
    id: u32,
    cwds: Vec<PathBuf>,
    conditional_cwds: Vec<PathBuf>,
}

pub(super) struct ScriptWalk<'a> {
    card: &'a Card,
    definition_env: BTreeMap<&'a str, &'a str>,
    dirs: StartDirs<'a>,
    /// The folders where the command may be now. There are several if only the run decides whether a `cd` is executed.
    cwds: Vec<PathBuf>,
    /// The folders before the last change.
    previous_cwds: Vec<PathBuf>,
    /// The folders where the command remains if a `cd` after `&&` or `||` is not executed. They count again after the
    /// list.
    conditional_cwds: Vec<PathBuf>,
    subshells: Vec<Subshell>,
    /// The operator before the command that is read.
    join_before: Join,
    /// The number of loops and conditions around the command.
    compound_depth: usize,
    /// Variables that the command sets; `None` for a value that is known only at run time.
    variables: BTreeMap<String, Option<String>>,
    depth: u32,
    /// Whether the started files depend on the directory where the command starts.
    pub(super) depends_on_start: bool,
    pub(super) found: BTreeSet<PathBuf>,
}

impl<'a> ScriptWalk<'a> {
    pub(super) fn new(card: &'a Card, definition_env: BTreeMap<&'a str, &'a str>, dirs: StartDirs<'a>) -> Self {
        Self {
            card,
            definition_env,
            dirs,
            cwds: vec![dirs.start.to_owned()],
            previous_cwds: vec![dirs.start.to_owned()],
            conditional_cwds: Vec::new(),
            subshells: Vec::new(),
            join_before: Join::Next,
            compound_depth: 0,
            variables: BTreeMap::new(),
            depth: 0,
            depends_on_start: false,
            found: BTreeSet::new(),
        }
    }

    /// Follows a script to its end.
    pub(super) fn follow_script(&mut self, script: &Script) {
        for command in &script.commands {
            self.enter_subshells(&command.subshells);
            self.count_compounds(&command.words);
            self.apply_assignments(&command.words);
            self.follow_start(&command.start());
            self.join_before = command.join;
            if command.join == Join::Next {
                let conditional = std::mem::take(&mut self.conditional_cwds);
                self.add_cwds(conditional);
            }
        }
        self.enter_subshells(&[]);
    }

    /// Follows a text that the command runs as a command.
    fn follow_text(&mut self, text: &str) {
        if self.depth < MAX_NESTED_TEXTS {
            self.depth += 1;
            let outer = std::mem::take(&mut self.subshells);
            self.follow_script(&shell::scan(text));
            self.subshells = outer;
            self.depth -= 1;
        }
    }

    /// Leaves and enters subshells. A change of the folder in a subshell ends with it.
    fn enter_subshells(&mut self, shells: &[u32]) {
        let same = self
            .subshells
            .iter()
            .zip(shells)
            .take_while(|(known, id)| known.id == **id)
            .count();
        while self.subshells.len() > same {
            if let Some(shell) = self.subshells.pop() {
                self.cwds = shell.cwds;
                self.conditional_cwds = shell.conditional_cwds;
                // The success of the subshell may decide whether the next command runs.
                self.join_before = Join::And;
            }
        }
        for id in &shells[same..] {
            self.subshells.push(Subshell {
                id: *id,
                cwds: self.cwds.clone(),
                conditional_cwds: std::mem::take(&mut self.conditional_cwds),
            });
        }
    }

    fn count_compounds(&mut self, words: &[Word]) {
        for word in words.iter().filter(|word| !word.quoted) {
            match word.text.as_str() {
                "if" | "while" | "until" | "for" | "select" | "case" => self.compound_depth += 1,
                "fi" | "done" | "esac" => self.compound_depth = self.compound_depth.saturating_sub(1),
                "then" | "elif" | "else" | "do" | "!" | "{" | "}" => {}
                _ => break,
            }
        }
    }

    fn apply_assignments(&mut self, words: &[Word]) {
        for word in words {
            if let Some((name, (_, value))) = shell::assignment_name(&word.text).zip(word.text.split_once('=')) {
                let value = self.expand(value, &self.cwds[0].clone());
                self.variables.insert(name.to_owned(), value);
            }
        }
    }

    fn follow_start(&mut self, start: &Start<'_>) {
        let here = self.cwds.clone();
        let folder = start.wrappers.iter().find_map(|wrapper| wrapper.folder());
        if let Some(folder) = folder {
            self.cwds = self.resolve_folder(folder).unwrap_or(here.clone());
        }
        let mut options = start.wrappers.iter().flat_map(|wrapper| wrapper.words);
        match options.find_map(|word| split_text(&word.text)) {
            Some(text) => {
                let rest = start.words.iter().map(|word| word.text.as_str());
                self.follow_text(&joined(std::iter::once(text).chain(rest)));
            }
            None => self.follow_program(start.words),
        }
        if folder.is_some() {
            self.cwds = here;
        }
    }

    fn follow_program(&mut self, words: &[Word]) {
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        let texts = |words: &[Word]| joined(words.iter().map(|word| word.text.as_str()));
        match program.text.as_str() {
            "cd" | "pushd" | "popd" | "chdir" => self.change_dir(&program.text, rest),
            "." | "source" => drop(rest.first().map(|word| self.note_file(&word.text, &[]))),
            "eval" => self.follow_text(&texts(rest)),
            "trap" => drop(rest.first().map(|word| self.follow_text(&word.text))),
            "find" => {
                let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
                for (at, _) in rest.iter().enumerate().filter(|(_, word)| runs(word)) {
                    self.follow_start(&shell::start(&rest[at + 1..]));
                }
            }
            text => {
                let name = self
                    .expand(text, &self.cwds[0].clone())
                    .unwrap_or_else(|| text.to_owned());
                if name.contains(' ') && !program.quoted && name != text {
                    return self.follow_text(&format!("{name} {}", texts(rest)));
                }
                if let Some(known) = interpreter(program_name(&name)) {
                    self.follow_interpreter(known, rest);
                }
                if name.contains('/') {
                    self.note_file(text, &[]);
                }
            }
        }
    }

    /// Follows the words of an interpreter to its script.
    fn follow_interpreter(&mut self, known: &Interpreter, words: &[Word]) {
        let mut before = NextWord::Ordinary;
        for word in words {
            match known.meaning(&word.text, before) {
                WordMeaning::Option(after) => before = after,
                WordMeaning::Value => before = NextWord::Ordinary,
                WordMeaning::Text | WordMeaning::Module | WordMeaning::Nothing | WordMeaning::Stdin => return,
                WordMeaning::Operand => {
                    if self.note_file(&word.text, known.suffixes) || before != NextWord::MaybeValue {
                        return;
                    }
                    before = NextWord::Ordinary;
                }
            }
        }
    }

    /// Follows a command that changes the folder.
    fn change_dir(&mut self, program: &str, operands: &[Word]) {
        let folder = operands
            .iter()
            .find(|word| word.text == "-" || !word.text.starts_with('-'));
        let there = match folder.map(|word| word.text.as_str()) {
            _ if program == "popd" => Some(self.previous_cwds.clone()),
            Some("-") => Some(self.previous_cwds.clone()),
            Some(folder) => self.resolve_folder(folder),
            None => Some(vec![self.dirs.home.to_owned()]),
        };
        let Some(there) = there else {
            // The folder is known only at run time. The command may also still be in the directory of the run.
            return self.add_cwds(vec![self.dirs.start.to_owned()]);
        };
        if there.is_empty() {
            return;
        }
        self.previous_cwds = std::mem::replace(&mut self.cwds, there);
        let left = self.previous_cwds.clone();
        if self.compound_depth > 0 {
            self.add_cwds(left);
        } else if matches!(self.join_before, Join::And | Join::Or) {
            self.conditional_cwds.extend(left);
        }
    }

    fn add_cwds(&mut self, folders: Vec<PathBuf>) {
        for folder in folders {
            if !self.cwds.contains(&folder) {
                self.cwds.push(folder);
            }
        }
    }

    /// The existing folders of this name; `None` if the name is known only at run time.
    fn resolve_folder(&mut self, folder: &str) -> Option<Vec<PathBuf>> {
        let mut there = Vec::new();
        for at in self.cwds.clone() {
            let place = at.join(self.expand(folder, &at)?);
            there.extend(Some(place).filter(|place| place.is_dir()));
        }
        Some(there)
    }

    /// Notes the file of the project that a name leads to. Returns whether it leads to any file, also outside the
    /// project.
    fn note_file(&mut self, text: &str, adds: &[&str]) -> bool {
        let mut leads = false;
        for at in self.cwds.clone() {
            let Some(name) = self.expand(text, &at) else { continue };
            self.depends_on_start |= Path::new(&name).is_relative();
            let forms = std::iter::once(name.clone()).chain(adds.iter().map(|add| format!("{name}{add}")));
            let real = |form: String| dunce::canonicalize(at.join(form)).ok().filter(|file| file.is_file());
            if let Some(file) = forms.filter_map(real).next() {
                leads = true;
                if file.starts_with(self.dirs.project) && !(Path::new(&name).is_absolute() && self.is_around_home()) {
                    self.found.insert(file);
                }
            }
        }
        leads
    }

    /// Whether the project is the home folder or contains it. An absolute name in a hook of the user means the same file
    /// from everywhere, and such a project does not make the user's own script one of a repository: an agent that is
    /// opened at `/` would switch the hook off.
    fn is_around_home(&self) -> bool {
        dunce::canonicalize(self.dirs.home).is_ok_and(|home| home.starts_with(self.dirs.project))
    }

    /// A word with its variables filled in. `None` if a value is known only at run time and has no default.
    fn expand(&mut self, text: &str, at: &Path) -> Option<String> {
        let filled = fill_variables(text, &|name| self.value(name, at)).text?;
        let payload = |name: &&str| {
            *name == "PWD"
                || self
                    .card
                    .dir_vars
                    .iter()
                    .any(|var| var.name == *name && var.of == DirOf::Payload)
        };
        let used = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
        self.depends_on_start |= text.contains('$') && used.into_iter().any(|name| payload(&name));
        // Patterns and substitutions give names that are known only at run time.
        (!filled.contains(['`', '*', '?', '[']) && !filled.contains("$(")).then_some(filled)
    }

    fn value(&self, name: &str, at: &Path) -> Option<String> {
        if let Some(value) = self.variables.get(name) {
            return value.clone();
        }
        if let Some(value) = self.definition_env.get(name) {
            return Some((*value).to_owned());
        }
        let place = match name {
            "HOME" => self.dirs.home,
            "PWD" => at,
            _ => match self.card.dir_vars.iter().find(|var| var.name == name)?.of {
                DirOf::Project => self.dirs.project,
                DirOf::Payload => self.dirs.start,
            },
        };
        Some(place.to_str()?.to_owned())
    }
}

/// The text after `-S` in the same word. `env` splits it into words and runs them.
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
#[path = "script_walk_tests.rs"]
mod tests;
