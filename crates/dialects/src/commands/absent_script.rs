//! The code that a hook ends with when the script of an interpreter is not there.

use hookwright_model::LintContext;

use super::exits::exit_code;
use super::{Piece, Reader, Subject};
use crate::shell::{Join, Target, Word, is_shell_program, plain_name, target};

/// The code of dash where it cannot open a file.
const DASH: i32 = 2;
/// The code with which each interpreter ends when it cannot open its script. Others are not known.
const CODES: [(&str, i32); 7] = [
    ("dash", DASH),
    ("bash", 127),
    ("zsh", 127),
    ("python", 2),
    ("py", 2),
    ("perl", 2),
    ("node", 1),
];

/// The code that the hook ends with because this script is missing; `None` where that hangs on more than the script.
#[must_use]
pub fn code_without(subject: &Subject<'_>, script: &str, desk: &LintContext<'_>) -> Option<i32> {
    if runs(&subject.argv, script) {
        return interpreter_code(&subject.argv[0], desk);
    }
    let own: Vec<&Piece<'_>> = subject.own().collect();
    let (at, code) = own
        .iter()
        .enumerate()
        .find_map(|(at, piece)| Some((at, code_of(piece, script, desk)?)))?;
    // Inside `sh -c '…'` it is the code of the whole where nothing else runs outside.
    let alone = own[..at].iter().all(|piece| piece.script.starts().count() == 1);
    alone.then_some(code)
}

fn runs(words: &[Word], script: &str) -> bool {
    matches!(target(words), Target::Script(file) if file.text == script)
}

/// The code of a text in which a program is given that script.
fn code_of(piece: &Piece<'_>, script: &str, desk: &LintContext<'_>) -> Option<i32> {
    let commands: Vec<_> = piece
        .script
        .commands
        .iter()
        .filter(|command| !command.program().is_empty())
        .collect();
    let at = commands.iter().position(|command| runs(command.program(), script))?;
    let command = commands[at];
    let program = command.program();
    if piece.reader == Reader::Sh && program[0].text == "." {
        // A shell ends where it cannot read the file of its own `.`, whatever stands behind.
        let ends = command.shells.is_empty() && command.join != Join::Pipe && desk.sh == "dash";
        return ends.then_some(DASH);
    }
    let is_plain = command.words.len() == program.len() && command.shells.is_empty();
    if !is_plain || piece.text.trim_end().ends_with('&') {
        return None;
    }
    let behind = &commands[at + 1..];
    match command.join {
        // `guard || exit 2`
        Join::Or => {
            let stand_in = behind.first()?.program();
            let words: Vec<&str> = stand_in.iter().map(|word| word.text.as_str()).collect();
            exit_code(&words.join(" "))
        }
        Join::Next if !behind.is_empty() => None,
        // What stands behind `&&` does not run.
        Join::Next | Join::And => {
            let skipped = behind.iter().rev().skip(1).all(|command| command.join == Join::And);
            skipped.then(|| interpreter_code(&program[0], desk)).flatten()
        }
        Join::Pipe => None,
    }
}

/// The code of an interpreter. `sh` is another shell on each machine.
fn interpreter_code(program: &Word, desk: &LintContext<'_>) -> Option<i32> {
    let name = match plain_name(&program.text) {
        "sh" => desk.sh,
        name => name,
    };
    let name = if is_shell_program(name) {
        name
    } else {
        name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.')
    };
    CODES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}
