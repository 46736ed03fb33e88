//! Finds programs that the scripts of a hook start and this machine lacks (`engine.md` §14, programs inside scripts).

use std::path::Path;

use hookwright_model::{Card, LintContext, Problem, render};

use super::flow::asked_program;
use super::start::{defines_function, is_missing_name};
use super::ways::hook_ends;
use super::{CodePiece, LintSubject, ScriptLanguage, messages};
use crate::shell::{Join, SimpleCommand};

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
    let mut reported: Vec<String> = Vec::new();
    let defined = |name: &str| subject.pieces.iter().any(|piece| defines_function(&piece.text, name));
    // The functions of a file that is loaded and was not read are not known.
    let is_alone = subject.pieces.iter().filter(|piece| piece.file.is_some()).count() == 1;
    for piece in shells.filter(|piece| !(asks_system(piece) || piece.script.opaque && is_alone)) {
        let commands = &piece.script.commands;
        for command in commands {
            let Some(name) = missing_program(piece, command, context) else {
                continue;
            };
            if defined(&name) || reported.contains(&name) {
                continue;
            }
            let needs = || guards && only_blocks_with(subject, &name, card);
            let check = commands.iter().position(|command| asked_by(command) == Some(&name));
            let problem = match check {
                Some(check) => {
                    let line = commands[check].words[0].line;
                    let message = render!(messages::STANDS_DOWN, "program" => name);
                    let problem = || subject.problem_in_piece(piece, line, message.clone());
                    if needs() {
                        problem().breaking("needs_program")
                    } else if guards && stands_down(&commands[check..]) {
                        problem()
                    } else {
                        // The script works without the program.
                        continue;
                    }
                }
                None if piece.file.is_none() => continue,
                None => {
                    let message = render!(messages::PROGRAM_INSIDE, "program" => name);
                    let starts =
                        |other: &&SimpleCommand| missing_program(piece, other, context).as_ref() == Some(&name);
                    let lines = commands
                        .iter()
                        .filter(starts)
                        .filter_map(|other| Some(other.words.first()?.line));
                    let problem = subject.problem_in_lines(piece, lines, message);
                    if needs() {
                        problem.breaking("needs_program")
                    } else {
                        problem
                    }
                }
            };
            reported.push(name);
            out.push(problem);
        }
    }
}

/// Whether the hook can block, and cannot where this program is missing.
fn only_blocks_with(subject: &LintSubject<'_>, name: &str, card: &Card) -> bool {
    let here = hook_ends(subject, None, Some(card)).is_some_and(|ends| ends.codes.has_two() || ends.prints_block);
    let without = hook_ends(subject, Some(name), Some(card));
    here && without.is_some_and(|ends| !ends.codes.may_be_two() && !ends.prints_block)
}

/// The name of a missing program that a command starts, or asks for.
fn missing_program(piece: &CodePiece<'_>, command: &SimpleCommand, context: &LintContext<'_>) -> Option<String> {
    let first = command.program().first().map(|word| word.text.as_str())?;
    let written = asked_by(command).unwrap_or(first);
    let name = value_of(piece, written)?;
    let is_checked = || {
        let mut commands = piece.script.commands.iter().map(SimpleCommand::program);
        commands.any(|words| {
            let is_test = words
                .first()
                .is_some_and(|word| ["[", "[[", "test"].contains(&word.text.as_str()));
            is_test && words.iter().any(|word| word.text == name)
        })
    };
    let is_missing = if name.starts_with('/') {
        let is_plain = !name.contains(['$', '*', '?', '`', '[', '{', ' ']);
        is_plain && !(context.path_exists)(Path::new(name)) && !is_checked()
    } else {
        is_missing_name(name, &piece.text, context)
    };
    is_missing.then(|| name.to_owned())
}

/// The word itself, or the only text that the variable it consists of is set to.
fn value_of<'w>(piece: &'w CodePiece<'_>, word: &'w str) -> Option<&'w str> {
    let Some(variable) = word.strip_prefix('$') else {
        return Some(word);
    };
    let variable = variable.trim_start_matches('{').trim_end_matches('}');
    let words = piece.script.commands.iter().flat_map(|command| &command.words);
    let mut values = words.filter_map(|word| word.text.split_once('=').filter(|(name, _)| *name == variable));
    let (_, value) = values.next()?;
    values.next().is_none().then_some(value)
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
