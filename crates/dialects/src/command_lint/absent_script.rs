//! Finds the exit code of a hook one of whose programs cannot do its work.

use hookwright_model::LintContext;

use super::exits::{always_succeeds, exit_code};
use super::{CodePiece, LintSubject, ScriptLanguage};
use crate::shell::{Join, SimpleCommand, Word, plain_name, program_name};

/// The exit code of dash if it cannot open a file.
const DASH_EXIT_CODE: i32 = 2;
/// The exit code of each interpreter if it cannot open its script. The codes of other interpreters are not known.
const MISSING_SCRIPT_CODES: [(&str, i32); 7] = [
    ("dash", DASH_EXIT_CODE),
    ("bash", 127),
    ("zsh", 127),
    ("python", 2),
    ("py", 2),
    ("perl", 2),
    ("node", 1),
];

/// Returns the exit code of the hook if a program that it starts ends with `code`; `None` if the hook's code also
/// depends on other things. `is_it` finds the words of the program.
#[must_use]
pub fn exit_code_of_hook(
    subject: &LintSubject<'_>,
    is_it: &dyn Fn(&[Word]) -> bool,
    code: Option<i32>,
    context: &LintContext<'_>,
) -> Option<i32> {
    if is_it(&subject.argv) {
        return code;
    }
    let pieces: Vec<&CodePiece<'_>> = subject.inline_pieces().collect();
    let at = pieces.iter().position(|piece| piece.script.programs().any(is_it))?;
    let inner = piece_exit_code(pieces[at], is_it, code, context);
    let outer = &pieces[..at];
    // The code inside `sh -c '…'` is that of the whole hook only if nothing else runs outside.
    if outer.iter().all(|piece| piece.script.programs().count() == 1) {
        return inner;
    }
    outer.first().and_then(|piece| always_succeeds(&piece.text)).map(|_| 0)
}

/// Returns the exit code of a text in which one program ends with `code`.
fn piece_exit_code(
    piece: &CodePiece<'_>,
    is_it: &dyn Fn(&[Word]) -> bool,
    code: Option<i32>,
    context: &LintContext<'_>,
) -> Option<i32> {
    let all = &piece.script.commands;
    let at = all.iter().position(|command| is_it(command.program()))?;
    let command = &all[at];
    let program = command.program();
    if piece.language == ScriptLanguage::Sh && program[0].text == "." {
        // dash exits if its builtin `.` cannot read the file, whatever commands follow.
        let ends = command.subshells.is_empty() && command.join != Join::Pipe && context.sh == "dash";
        return ends.then_some(DASH_EXIT_CODE);
    }
    let swallowed = always_succeeds(&piece.text).map(|_| 0);
    if !command.subshells.is_empty() || piece.text.trim_end().ends_with('&') {
        return swallowed;
    }
    if command.is_keyword("if") {
        return exit_behind_condition(&all[at..]).or(swallowed);
    }
    if command.words.len() != program.len() {
        return swallowed;
    }
    let behind = &all[at + 1..];
    match command.join {
        // `guard || exit 2`, `guard || { echo no >&2; exit 2; }`
        Join::Or => first_exit(behind).or(swallowed),
        Join::Next if behind.iter().any(|command| !command.program().is_empty()) => swallowed,
        // The commands after `&&` do not run.
        Join::Next | Join::And => {
            let skipped = behind.iter().rev().skip(1).all(|command| command.join == Join::And);
            if skipped { code } else { swallowed }
        }
        Join::Pipe => swallowed,
    }
}

/// The code of the `exit` in the branch of an `if` that runs when the program of its condition fails.
fn exit_behind_condition(commands: &[SimpleCommand]) -> Option<i32> {
    let [condition, rest @ ..] = commands else { return None };
    if condition.join == Join::Or || condition.join == Join::Pipe {
        return None;
    }
    if condition
        .words
        .get(1)
        .is_some_and(|word| !word.quoted && word.text == "!")
    {
        let is_whole = condition.join == Join::Next;
        return first_exit(rest).filter(|_| is_whole);
    }
    let mut depth = 0;
    for (at, command) in rest.iter().enumerate() {
        if depth == 0 && command.is_keyword("elif") {
            return None;
        }
        if depth == 0 && command.is_keyword("else") {
            return first_exit(&rest[at..]);
        }
        if command.is_keyword("fi") {
            if depth == 0 {
                return first_exit(&rest[at + 1..]);
            }
            depth -= 1;
        }
        // `then if a` is one command.
        depth += i32::from(
            command
                .words
                .iter()
                .take(2)
                .any(|word| !word.quoted && word.text == "if"),
        );
    }
    None
}

/// The code of the `exit` that these commands reach, whatever the status of the commands before it is.
fn first_exit(commands: &[SimpleCommand]) -> Option<i32> {
    for (at, command) in commands.iter().enumerate() {
        if at > 0 && ["else", "elif", "fi", "}"].iter().any(|word| command.is_keyword(word)) {
            return None;
        }
        let words: Vec<&str> = command.program().iter().map(|word| word.text.as_str()).collect();
        if command.subshells.is_empty() && words.first() == Some(&"exit") {
            return exit_code(&words.join(" "));
        }
        let branches = ["if", "while", "until", "for", "case", "select"];
        let is_branch = |word: &Word| !word.quoted && branches.contains(&word.text.as_str());
        if matches!(command.join, Join::And | Join::Or) || command.words.iter().take(2).any(is_branch) {
            return None;
        }
    }
    None
}

/// Returns the exit code of an interpreter without its script; `None` if it is not known. For `sh`, the shell of this
/// machine decides.
#[must_use]
pub fn exit_code_without_script(program: &Word, context: &LintContext<'_>) -> Option<i32> {
    let name = match program_name(plain_name(&program.text)) {
        "sh" => context.sh,
        name => name,
    };
    MISSING_SCRIPT_CODES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, code)| *code)
}
