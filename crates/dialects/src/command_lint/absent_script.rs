//! Finds the exit code of a hook whose interpreter cannot find its script.

use hookwright_model::LintContext;

use super::exits::exit_code;
use super::{CodePiece, LintSubject, ScriptLanguage};
use crate::shell::{Join, Target, Word, plain_name, program_name, target};

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

/// Returns the exit code of the hook if this script is missing; `None` if the code also depends on other things.
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
    // The code inside `sh -c '…'` is that of the whole hook only if nothing else runs outside.
    let alone = pieces[..at]
        .iter()
        .all(|piece| piece.script.programs_with_joins().count() == 1);
    alone.then_some(code)
}

fn starts_script(words: &[Word], script: &str) -> bool {
    matches!(target(words), Target::Script(file) if file.text == script)
}

/// Returns the exit code of a text in which a program gets the missing script.
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
        // dash exits if its builtin `.` cannot read the file, whatever commands follow.
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
        // The commands after `&&` do not run.
        Join::Next | Join::And => {
            let skipped = behind.iter().rev().skip(1).all(|command| command.join == Join::And);
            skipped.then(|| interpreter_code(&program[0], context)).flatten()
        }
        Join::Pipe => None,
    }
}

/// Returns the exit code of an interpreter without its script. For `sh`, the shell of this machine decides.
fn interpreter_code(program: &Word, context: &LintContext<'_>) -> Option<i32> {
    let name = match program_name(plain_name(&program.text)) {
        "sh" => context.sh,
        name => name,
    };
    MISSING_SCRIPT_CODES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, code)| *code)
}
