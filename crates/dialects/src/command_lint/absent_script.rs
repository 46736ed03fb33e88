//! Finds the exit code of a hook one of whose programs cannot do its work.

use hookwright_model::LintContext;

use super::exits::{always_succeeds, exit_code};
use super::{CodePiece, LintSubject, ScriptLanguage};
use crate::shell::{Join, Word, plain_name, program_name};

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
    let commands: Vec<_> = piece
        .script
        .commands
        .iter()
        .filter(|command| !command.program().is_empty())
        .collect();
    let at = commands.iter().position(|command| is_it(command.program()))?;
    let command = commands[at];
    let program = command.program();
    if piece.language == ScriptLanguage::Sh && program[0].text == "." {
        // dash exits if its builtin `.` cannot read the file, whatever commands follow.
        let ends = command.subshells.is_empty() && command.join != Join::Pipe && context.sh == "dash";
        return ends.then_some(DASH_EXIT_CODE);
    }
    let swallowed = always_succeeds(&piece.text).map(|_| 0);
    let is_plain = command.words.len() == program.len() && command.subshells.is_empty();
    if !is_plain || piece.text.trim_end().ends_with('&') {
        return swallowed;
    }
    let behind = &commands[at + 1..];
    match command.join {
        // `guard || exit 2`
        Join::Or => {
            let fallback = behind.first()?.program();
            let words: Vec<&str> = fallback.iter().map(|word| word.text.as_str()).collect();
            exit_code(&words.join(" ")).or(swallowed)
        }
        Join::Next if !behind.is_empty() => swallowed,
        // The commands after `&&` do not run.
        Join::Next | Join::And => {
            let skipped = behind.iter().rev().skip(1).all(|command| command.join == Join::And);
            if skipped { code } else { swallowed }
        }
        Join::Pipe => swallowed,
    }
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
