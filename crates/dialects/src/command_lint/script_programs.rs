//! Finds programs that the scripts of a hook start and this machine lacks (`engine.md` §14, programs inside scripts).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use hookwright_model::{Card, LintContext, Problem, render};

use super::flow::{self, asked_program};
use super::program_starts::started_programs;
use super::start::defined_functions;
use super::variables::is_unset;
use super::ways::{has_errexit_line, hook_ends};
use super::{CodePiece, LintSubject, ScriptLanguage, messages};
use crate::shell::{Join, ProgramSource, SimpleCommand};

/// So many missing programs of a hook are reported. Each costs a reading of all ways through its texts.
const MAX_REPORTED: usize = 100;
/// The commands that test a file.
const TESTS: [&str; 3] = ["[", "[[", "test"];

/// Reports each program once that a script of the hook starts and this machine lacks. `guards` says whether the hook is
/// one that blocks at its event.
///
/// A program that the definition itself starts is reported as an entry that cannot start, unless it asks for it first.
pub fn check_script_programs(
    subject: &LintSubject<'_>,
    card: &Card,
    guards: bool,
    context: &LintContext<'_>,
    out: &mut Vec<Problem>,
) {
    let asks_system = |piece: &&CodePiece<'_>| ["OSTYPE", "uname"].iter().any(|word| piece.text.contains(word));
    let shells = subject
        .pieces
        .iter()
        .filter(|piece| piece.language != ScriptLanguage::Other);
    let mut reported: HashSet<String> = HashSet::new();
    let defined = subject.pieces.iter().flat_map(|piece| defined_functions(&piece.text));
    let defined: HashSet<&str> = defined.collect();
    // Where a text sets the PATH, or asks for programs by a variable, it is not known what is found.
    let is_unknown = subject.pieces.iter().any(|piece| {
        let asks_variable = |command: &SimpleCommand| asked_by(command).is_some_and(|name| name.starts_with('$'));
        piece.script.sets.contains("PATH") || piece.script.commands.iter().any(asks_variable)
    });
    let can_block =
        hook_ends(subject, None, Some(card)).is_none_or(|ends| ends.codes.may_be_two() || ends.prints_block);
    // The functions of a file that is loaded and was not read are not known.
    let is_alone = subject.pieces.iter().filter(|piece| piece.file.is_some()).count() == 1;
    for piece in shells.filter(|piece| !(asks_system(piece) || piece.script.opaque && is_alone)) {
        let commands = &piece.script.commands;
        let mut programs = MissingPrograms::new(piece, &defined, context);
        if !programs.missing.is_empty() {
            let skipped = skipped_lines(subject, piece, card, context);
            programs.missing.retain(|(_, line)| !skipped.contains(line));
        }
        for name in programs.names() {
            if reported.len() == MAX_REPORTED || reported.contains(name) || is_unknown && !name.starts_with('/') {
                continue;
            }
            let needs = || guards && only_blocks_with(subject, name, card);
            let check = programs.checks.get(name).copied();
            let problem = match check {
                Some(check) => {
                    let line = commands[check].words[0].line;
                    let message = render!(messages::STANDS_DOWN, "program" => name);
                    let problem = || subject.problem_in_piece(piece, line, message.clone());
                    if needs() {
                        problem().breaking("needs_program")
                    } else if guards && can_block && stands_down(&commands[check..]) {
                        problem()
                    } else {
                        // The script works without the program.
                        continue;
                    }
                }
                None if piece.file.is_none() => continue,
                None => {
                    let message = render!(messages::PROGRAM_INSIDE, "program" => name);
                    let problem = subject.problem_in_lines(piece, programs.lines_of(name), message);
                    if needs() {
                        problem.breaking("needs_program")
                    } else {
                        problem
                    }
                }
            };
            reported.insert(name.to_owned());
            out.push(problem);
        }
    }
    if is_unknown {
        return;
    }
    // A here-document is counted by lines of its own.
    let is_file = |piece: &&CodePiece<'_>| piece.file.is_some() && matches!(piece.text, Cow::Borrowed(_));
    let others = subject
        .pieces
        .iter()
        .filter(|piece| piece.language == ScriptLanguage::Other);
    for piece in others.filter(is_file).filter(|piece| !asks_system(piece)) {
        for (name, lines) in started_programs(&piece.output) {
            if reported.len() < MAX_REPORTED && !(context.on_path)(&name) && reported.insert(name.clone()) {
                let message = render!(messages::PROGRAM_INSIDE, "program" => name);
                out.push(subject.problem_in_lines(piece, lines, message));
            }
        }
    }
}

/// The lines of the programs that a script does not start here, because a switch that is not set leaves them out:
/// `[ "$REMOTE" = true ] || exit 0`.
fn skipped_lines(
    subject: &LintSubject<'_>,
    piece: &CodePiece<'_>,
    card: &Card,
    context: &LintContext<'_>,
) -> BTreeSet<u32> {
    let uses = piece.script.uses.iter().filter(|one| one.is_switch);
    let unset = uses
        .map(|one| one.name.as_str())
        .filter(|name| is_unset(subject, card, context, name));
    let unset: Vec<&str> = unset.collect();
    if unset.is_empty() {
        return BTreeSet::new();
    }
    let errexit = has_errexit_line(&piece.text);
    let lines = |unset: &[&str]| flow::started_lines(&piece.script, errexit, unset);
    match (lines(&[]), lines(&unset)) {
        (Some(all), Some(here)) => &all - &here,
        (_, _) => BTreeSet::new(),
    }
}

/// Whether the hook can block, and cannot where this program is missing.
fn only_blocks_with(subject: &LintSubject<'_>, name: &str, card: &Card) -> bool {
    let here = hook_ends(subject, None, Some(card)).is_some_and(|ends| ends.codes.has_two() || ends.prints_block);
    let without = hook_ends(subject, Some(name), Some(card));
    here && without.is_some_and(|ends| !ends.codes.may_be_two() && !ends.prints_block)
}

/// The programs that a script starts or asks for, and that are missing. A script of hundreds of kilobytes is read once.
struct MissingPrograms<'p> {
    /// The name of what each command starts or asks for, if it is missing, with the line of the command.
    missing: Vec<(&'p str, u32)>,
    /// The first command that asks for a program.
    checks: HashMap<&'p str, usize>,
}

impl<'p> MissingPrograms<'p> {
    /// `defined` are the functions of all texts of the hook.
    fn new(piece: &'p CodePiece<'_>, defined: &HashSet<&str>, context: &LintContext<'_>) -> Self {
        let commands = &piece.script.commands;
        let mut checks = HashMap::new();
        // What each variable is set to; `None` if to several texts.
        let mut values: HashMap<&str, Option<&str>> = HashMap::new();
        let mut tested: HashSet<&str> = HashSet::new();
        for (at, command) in commands.iter().enumerate() {
            if let Some(asked) = asked_by(command) {
                checks.entry(asked).or_insert(at);
            }
            for (name, value) in command.words.iter().filter_map(|word| word.text.split_once('=')) {
                values
                    .entry(name)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(value));
            }
            let words = command.program();
            if words.first().is_some_and(|word| TESTS.contains(&&*word.text)) {
                tested.extend(words.iter().map(|word| word.text.as_str()));
            }
        }
        // The word itself, or the only text that the variable it consists of is set to.
        let value_of = |word: &'p str| match word.strip_prefix('$') {
            Some(variable) => *values.get(variable.trim_start_matches('{').trim_end_matches('}'))?,
            None => Some(word),
        };
        let is_missing = |name: &str| {
            if name.starts_with('/') {
                let is_plain = !name.contains(['$', '*', '?', '`', '[', '{', ' ']);
                return is_plain && !tested.contains(name) && !(context.path_exists)(Path::new(name));
            }
            ProgramSource::of(name) == ProgramSource::Name && !defined.contains(name) && !(context.on_path)(name)
        };
        let mut judged: HashMap<&str, Option<&'p str>> = HashMap::new();
        let of_command = |command: &'p SimpleCommand| {
            let first = command.program().first()?.text.as_str();
            let written = asked_by(command).unwrap_or(first);
            let judge = || value_of(written).filter(|name| is_missing(name));
            let name = (*judged.entry(written).or_insert_with(judge))?;
            Some((name, command.words.first()?.line))
        };
        Self {
            missing: commands.iter().filter_map(of_command).collect(),
            checks,
        }
    }

    /// Each name once, in the order of the script.
    fn names(&self) -> impl Iterator<Item = &'p str> {
        let mut known = HashSet::new();
        self.missing
            .iter()
            .map(|(name, _)| *name)
            .filter(move |name| known.insert(*name))
    }

    fn lines_of(&self, name: &str) -> impl Iterator<Item = u32> {
        let mine = self.missing.iter().filter(move |(other, _)| *other == name);
        mine.map(|(_, line)| *line)
    }
}

/// The program for which a command asks: `jq` in `if command -v jq`.
fn asked_by(command: &SimpleCommand) -> Option<&str> {
    (0..command.words.len().min(4))
        .find_map(|at| asked_program(&command.words[at..]).filter(|_| !command.words[at].quoted))
}

/// Whether the check at the beginning ends the script with 0 where the program is missing: `command -v X || exit 0`,
/// `if ! command -v X; then exit 0; fi`.
fn stands_down(commands: &[SimpleCommand]) -> bool {
    let [check, rest @ ..] = commands else { return false };
    let is_negated = check.words.iter().take(2).any(|word| !word.quoted && word.text == "!");
    let ends = |command: &SimpleCommand| {
        let words: Vec<&str> = command.program().iter().map(|word| word.text.as_str()).collect();
        matches!(words[..], ["exit" | "return"] | ["exit" | "return", "0"])
    };
    let opens = |command: &SimpleCommand, word: &str| command.words.first().is_some_and(|first| first.text == word);
    let branch = |from: &[SimpleCommand]| {
        let until = from
            .iter()
            .position(|command| opens(command, "fi") || opens(command, "else") || opens(command, "}"));
        from[..until.unwrap_or(from.len())].iter().any(ends)
    };
    match check.join {
        Join::Or => rest
            .first()
            .is_some_and(|next| ends(next) || (opens(next, "{") && branch(rest))),
        Join::Next => is_negated && branch(rest),
        Join::And | Join::Pipe => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::scan;

    #[test]
    fn a_function_is_known_by_its_whole_name() {
        let text = "load() { :; }\nsave () { :; }\nfunction check { :; }\nsh -c 'inner() { :; }'; re-load();";
        let found: Vec<&str> = defined_functions(text).collect();
        assert_eq!(found, ["load", "save", "inner", "re-load", "check"]);
    }

    #[test]
    fn a_check_that_ends_the_script_with_0_stands_down() {
        for text in [
            "command -v jq >/dev/null || exit 0",
            "which jq || exit",
            "if ! command -v jq; then\n  echo no\n  exit 0\nfi",
            "command -v jq || { echo x; exit 0; }",
        ] {
            let script = scan(text);
            let at = script
                .commands
                .iter()
                .position(|one| asked_by(one) == Some("jq"))
                .unwrap();
            assert!(stands_down(&script.commands[at..]), "{text}");
        }
        for text in [
            "if command -v jq; then jq .; fi; exit 0",
            "command -v jq || exit 2",
            "if ! command -v jq; then exit 2; fi; exit 0",
            "command -v jq && jq .",
        ] {
            let script = scan(text);
            let at = script
                .commands
                .iter()
                .position(|one| asked_by(one) == Some("jq"))
                .unwrap();
            assert!(!stands_down(&script.commands[at..]), "{text}");
        }
    }
}
