//! What the text of a script suggests, by literal words only: whether it blocks, what it prints before it ends,
//! what it needs.

use hookwright_model::LintContext;

use crate::command_lint::{
    CodePiece, StartFailure, StartReason, exits, has_interpreter, interpreter, interpreter_line,
};
use crate::script_scan;

/// The line on which the script exits with code 2 or returns `deny`.
#[must_use]
pub fn block_line(piece: &CodePiece<'_>) -> Option<u32> {
    let exits = exits::exits(piece);
    let exit = exits.iter().find(|exit| exit.code == Some(2));
    exit.map(|exit| exit.line)
        .or_else(|| script_scan::line_of_assignment(&piece.output, "decision", &["deny"]))
}

/// The line on which the script returns a changed input.
#[must_use]
pub fn modified_input_line(text: &str) -> Option<u32> {
    script_scan::line_of_write(text, "modified_input")
}

/// The exit code of `env` if it does not find a program.
const NOT_FOUND: i32 = 127;

/// The failure to start, if this machine lacks the interpreter of the script.
#[must_use]
pub fn missing_interpreter(piece: &CodePiece<'_>, context: &LintContext<'_>) -> Option<StartFailure> {
    let named = interpreter(&piece.text).filter(|named| !has_interpreter(named, context))?;
    let by_env = !piece.text.starts_with(&format!("#!{named}"));
    Some(StartFailure {
        reason: StartReason::Program,
        name: named.to_owned(),
        exit: by_env.then_some(NOT_FOUND),
        is_part: false,
        fix: piece
            .file
            .and_then(|path| interpreter_line::instead_of_missing(path, &piece.text, context)),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_block_is_seen_in_any_language() {
        let blocks = |name: &str, text: &str| block_line(&CodePiece::from_script(Path::new(name), text)).is_some();
        for (name, text) in [
            ("run.sh", "exit 2"),
            ("run.py", "    sys.exit(2)"),
            ("run.js", "process.exit(2);"),
            ("run.sh", "[ -n \"$x\" ] && exit 2"),
            ("run.sh", "echo no >&2; exit 2  # blocks"),
            ("run.py", "print(json.dumps({\"decision\": \"deny\"}))"),
        ] {
            assert!(blocks(name, text), "{text}");
        }
        for text in [
            "exit 0",
            "# exit 2",
            "exit 20",
            "echo 'then exit 2'",
            "my_exit 2",
            "exit $code",
        ] {
            assert!(!blocks("run.sh", text), "{text}");
        }
    }
}
