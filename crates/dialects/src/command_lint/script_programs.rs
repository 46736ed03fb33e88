//! Finds programs that the scripts of a hook start and this machine lacks (`engine.md` §14, programs inside scripts).

use hookwright_model::{BLOCK_EXIT_CODE, Card, LintContext, Problem, render};

use super::exits::exits;
use super::start::{defines_function, is_missing_name};
use super::{CodePiece, LintSubject, ScriptLanguage, messages};
use crate::script_scan;
use crate::shell::{Join, SimpleCommand};

/// Commands that ask whether a program is there.
const PRESENCE_CHECKS: [&str; 4] = ["command", "which", "type", "hash"];

/// Reports each program once that a script of the hook starts and this machine lacks. `guards` says whether the hook is
/// one that blocks at its event.
pub fn check_script_programs(
    subject: &LintSubject<'_>,
    card: &Card,
    guards: bool,
    context: &LintContext<'_>,
    out: &mut Vec<Problem>,
) {
    let asks_system = |piece: &&CodePiece<'_>| ["OSTYPE", "uname"].iter().any(|word| piece.text.contains(word));
    let scripts = subject.pieces.iter().filter(|piece| piece.file.is_some());
    let shells = scripts.filter(|piece| piece.language != ScriptLanguage::Other);
    let mut reported: Vec<String> = Vec::new();
    let defined = |name: &str| subject.pieces.iter().any(|piece| defines_function(&piece.text, name));
    // The functions of a file that is loaded and was not read are not known.
    let is_alone = subject.pieces.iter().filter(|piece| piece.file.is_some()).count() == 1;
    for piece in shells.filter(|piece| !(asks_system(piece) || piece.script.opaque && is_alone)) {
        for command in &piece.script.commands {
            let Some(name) = missing_program(piece, command, context) else {
                continue;
            };
            if defined(name) || reported.contains(&name.to_owned()) {
                continue;
            }
            let program = || render!(messages::STANDS_DOWN, "program" => name);
            let check = presence_check(&piece.script.commands, name);
            let problem = match check {
                // The script works without the program, or ends where it is missing.
                Some(check) if !(guards && stands_down(&piece.script.commands[check..])) => continue,
                Some(check) => {
                    let line = piece.script.commands[check].words[0].line;
                    let problem = subject.problem_in_piece(piece, line, program());
                    if has_way_before(piece, check, card) {
                        problem
                    } else {
                        problem.breaking("needs_program")
                    }
                }
                None => {
                    let message = render!(messages::PROGRAM_INSIDE, "program" => name);
                    let starts = |other: &&SimpleCommand| missing_program(piece, other, context) == Some(name);
                    let others = piece.script.commands.iter().filter(starts);
                    let lines = others.filter_map(|other| Some(other.words.first()?.line));
                    let problem = subject.problem_in_lines(piece, lines, message);
                    if guards && every_way_needs(subject, name, card) {
                        problem.breaking("needs_program")
                    } else {
                        problem
                    }
                }
            };
            reported.push(name.to_owned());
            out.push(problem);
        }
    }
}

/// The name of a missing program that a command starts, or asks for.
fn missing_program<'c>(
    piece: &CodePiece<'_>,
    command: &'c SimpleCommand,
    context: &LintContext<'_>,
) -> Option<&'c str> {
    let words = command.program();
    let asked = asked_program(command);
    let first = words.first().map(|word| word.text.as_str())?;
    let name = asked.unwrap_or(first);
    is_missing_name(name, &piece.text, context).then_some(name)
}

/// The program for which a command asks: `jq` in `command -v jq`.
fn asked_program(command: &SimpleCommand) -> Option<&str> {
    let at = command
        .words
        .iter()
        .position(|word| !word.quoted && PRESENCE_CHECKS.contains(&word.text.as_str()))?;
    let mut rest = command.words[at + 1..].iter().map(|word| word.text.as_str());
    let asks = command.words[at].text != "command" || rest.next().is_some_and(|option| ["-v", "-V"].contains(&option));
    asks.then(|| rest.find(|word| !word.starts_with('-'))).flatten()
}

fn presence_check(commands: &[SimpleCommand], name: &str) -> Option<usize> {
    commands.iter().position(|command| asked_program(command) == Some(name))
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

/// Whether a command blocks: it exits with the code that does, or prints an answer that does.
fn blocks(command: &SimpleCommand, card: &Card) -> bool {
    let words = command.program();
    let Some(first) = words.first() else { return false };
    if first.text == "exit" {
        return words
            .get(1)
            .is_some_and(|word| word.text == BLOCK_EXIT_CODE.to_string());
    }
    let prints = ["echo", "printf", "jq", "cat"].contains(&first.text.as_str());
    let says_so = |text: &str| {
        card.blocking_outputs
            .iter()
            .any(|output| script_scan::assigns(text, output.field, output.values))
    };
    prints && words.iter().any(|word| says_so(&word.text))
}

fn has_way_before(piece: &CodePiece<'_>, at: usize, card: &Card) -> bool {
    piece.script.commands[..at].iter().any(|command| blocks(command, card))
}

/// Whether every way to block of the hook depends on a program: it is a condition of the way, or gives a variable that is.
fn every_way_needs(subject: &LintSubject<'_>, name: &str, card: &Card) -> bool {
    let shells = || {
        subject
            .pieces
            .iter()
            .filter(|piece| piece.language != ScriptLanguage::Other)
    };
    let others_block = subject.pieces.iter().any(|piece| {
        let mut outputs = card.blocking_outputs.iter();
        let exits = || {
            exits(piece)
                .into_iter()
                .any(|exit| exit.code.is_none_or(|code| code == BLOCK_EXIT_CODE))
        };
        piece.language == ScriptLanguage::Other
            && (exits() || outputs.any(|output| script_scan::assigns(&piece.output, output.field, output.values)))
    });
    let mut ways = 0;
    let all_need = shells().all(|piece| {
        let commands = &piece.script.commands;
        let given = variables_from(commands, name);
        let needs = |command: &SimpleCommand| {
            command.words.iter().any(|word| {
                word.text == name
                    || given.iter().any(|given| mentions_variable(&word.text, given))
                    || runs(&word.text, name)
            })
        };
        commands
            .iter()
            .enumerate()
            .filter(|(_, command)| blocks(command, card))
            .all(|(at, _)| {
                ways += 1;
                condition(commands, at).iter().any(needs)
            })
    });
    ways > 0 && all_need && !others_block
}

/// The variables that get the output of a program, directly or by way of another one of them.
fn variables_from(commands: &[SimpleCommand], name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in commands.iter().flat_map(|command| &command.words) {
        let Some((variable, value)) = word.text.split_once('=') else {
            continue;
        };
        if runs(value, name) || out.iter().any(|known| mentions_variable(value, known)) {
            out.push(variable.to_owned());
        }
    }
    out
}

/// Whether a word contains a substitution that runs the program.
fn runs(word: &str, name: &str) -> bool {
    (word.contains("$(") || word.contains('`'))
        && word
            .split(|sign: char| !(sign.is_ascii_alphanumeric() || "_.-".contains(sign)))
            .any(|part| part == name)
}

fn mentions_variable(text: &str, name: &str) -> bool {
    [format!("${name}"), format!("${{{name}")].iter().any(|written| {
        text.match_indices(written.as_str()).any(|(at, found)| {
            let next = text[at + found.len()..].chars().next();
            !next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_')
        })
    })
}

/// The commands that decide whether the one at this place runs: those before it back to the `if`, `case` or list that it
/// belongs to.
fn condition(commands: &[SimpleCommand], at: usize) -> &[SimpleCommand] {
    const OPENINGS: [&str; 5] = ["if", "elif", "case", "while", "until"];
    let opens = |command: &SimpleCommand| {
        command
            .words
            .iter()
            .take(2)
            .any(|word| !word.quoted && OPENINGS.contains(&word.text.as_str()))
    };
    let mut from = at;
    while from > 0 {
        let before = &commands[from - 1];
        if opens(&commands[from]) || (before.join == Join::Next && !is_inside(commands, from)) {
            break;
        }
        from -= 1;
    }
    &commands[from..=at]
}

/// Whether the command at this place is inside a compound command that begins before it.
fn is_inside(commands: &[SimpleCommand], at: usize) -> bool {
    let depth = commands[..at]
        .iter()
        .flat_map(|command| &command.words)
        .fold(0_i32, |depth, word| match word.text.as_str() {
            "if" | "case" | "while" | "until" | "for" | "{" if !word.quoted => depth + 1,
            "fi" | "esac" | "done" | "}" if !word.quoted => depth - 1,
            _ => depth,
        });
    depth > 0
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
            let at = presence_check(&script.commands, "jq").unwrap();
            assert!(stands_down(&script.commands[at..]), "{text}");
        }
        for text in [
            "if command -v jq; then jq .; fi; exit 0",
            "command -v jq || exit 2",
            "if ! command -v jq; then exit 2; fi; exit 0",
            "command -v jq && jq .",
        ] {
            let script = scan(text);
            let at = presence_check(&script.commands, "jq").unwrap();
            assert!(!stands_down(&script.commands[at..]), "{text}");
        }
    }
}
