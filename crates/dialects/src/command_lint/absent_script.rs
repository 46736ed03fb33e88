//! The code that a hook ends with when the script of an interpreter is not there.

use hookwright_model::LintContext;

use super::exits::exit_code;
use super::{CodePiece, LintSubject, ScriptLanguage};
use crate::shell::{Join, Target, Word, is_shell_program, plain_name, target};

/// The code of dash where it cannot open a file.
const DASH_EXIT_CODE: i32 = 2;
/// The code with which each interpreter ends when it cannot open its script. Others are not known.
const MISSING_SCRIPT_CODES: [(&str, i32); 7] = [
    ("dash", DASH_EXIT_CODE),
    ("bash", 127),
    ("zsh", 127),
    ("python", 2),
    ("py", 2),
    ("perl", 2),
    ("node", 1),
];

/// The code that the hook ends with because this script is missing; `None` where that hangs on more than the script.
#[must_use]
pub fn exit_code_without_script(subject: &LintSubject<'_>, script: &str, context: &LintContext<'_>) -> Option<i32> {
    if starts_script(&subject.argv, script) {
        return interpreter_code(&subject.argv[0], context);
    }
    let pieces: Vec<&CodePiece<'_>> = subject.inline_pieces().collect();
    let (at, code) = pieces
        .iter()
        .enumerate()
        .find_map(|(at, piece)| Some((at, piece_exit_code(piece, script, context)?)))?;
    // Inside `sh -c '…'` it is the code of the whole where nothing else runs outside.
    let alone = pieces[..at]
        .iter()
        .all(|piece| piece.script.programs_with_joins().count() == 1);
    alone.then_some(code)
}

fn starts_script(words: &[Word], script: &str) -> bool {
    matches!(target(words), Target::Script(file) if file.text == script)
}

/// The code of a text in which a program is given that script.
fn piece_exit_code(piece: &CodePiece<'_>, script: &str, context: &LintContext<'_>) -> Option<i32> {
    let commands: Vec<_> = piece
        .script
        .commands
        .iter()
        .filter(|command| !command.program().is_empty())
        .collect();
    let at = commands
        .iter()
        .position(|command| starts_script(command.program(), script))?;
    let command = commands[at];
    let program = command.program();
    if piece.language == ScriptLanguage::Sh && program[0].text == "." {
        // A shell ends where it cannot read the file of its own `.`, whatever stands behind.
        let ends = command.subshells.is_empty() && command.join != Join::Pipe && context.sh == "dash";
        return ends.then_some(DASH_EXIT_CODE);
    }
    let is_plain = command.words.len() == program.len() && command.subshells.is_empty();
    if !is_plain || piece.text.trim_end().ends_with('&') {
        return None;
    }
    let behind = &commands[at + 1..];
    match command.join {
        // `guard || exit 2`
        Join::Or => {
            let fallback = behind.first()?.program();
            let words: Vec<&str> = fallback.iter().map(|word| word.text.as_str()).collect();
            exit_code(&words.join(" "))
        }
        Join::Next if !behind.is_empty() => None,
        // What stands behind `&&` does not run.
        Join::Next | Join::And => {
            let skipped = behind.iter().rev().skip(1).all(|command| command.join == Join::And);
            skipped.then(|| interpreter_code(&program[0], context)).flatten()
        }
        Join::Pipe => None,
    }
}

/// The code of an interpreter. `sh` is another shell on each machine.
fn interpreter_code(program: &Word, context: &LintContext<'_>) -> Option<i32> {
    let name = match plain_name(&program.text) {
        "sh" => context.sh,
        name => name,
    };
    let name = if is_shell_program(name) {
        name
    } else {
        name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.')
    };
    MISSING_SCRIPT_CODES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, code)| *code)
}
