//! Finds the ways in which a hook blocks, and whether they can be reached.
//!
//! [`flow`] follows each text. Here the texts of one hook become one: the command starts the scripts.

use std::cell::Cell;

use hookwright_model::{BLOCK_EXIT_CODE, Card, Problem};

use super::definitions_only::only_defines_functions;
use super::exits::{
    all_exits, exits, gives_named_text, is_named_as_guard, line_mentions_blocking, lines_like, program_codes,
    program_exits, wants_to_block, without_quoted_text,
};
use super::flow::{self, Assumption, Codes, Ends};
use super::script_text::without_stderr;
use super::{CodePiece, LintSubject, ScriptLanguage, messages};
use crate::script_scan;
use crate::shell::{self, Target, Word};

/// The exits with the code that blocks.
#[derive(Debug, Clone)]
pub struct BlockingExits<'s, 'a> {
    /// Whether the hook may end with that code.
    pub can_be_reached: bool,
    /// Those of the first text that has some: the text and their lines, from 1.
    pub first: Option<(&'s CodePiece<'a>, Vec<u32>)>,
}

/// Finds the exits of a hook with the code that blocks.
#[must_use]
pub fn blocking_exits<'s, 'a>(subject: &'s LintSubject<'a>) -> BlockingExits<'s, 'a> {
    let lines = |piece: &CodePiece<'_>| -> Vec<u32> {
        let blocking = exits(piece)
            .into_iter()
            .filter(|exit| exit.code == Some(BLOCK_EXIT_CODE));
        blocking.map(|exit| exit.line).collect()
    };
    let all = subject.pieces.iter().map(|piece| (piece, lines(piece)));
    BlockingExits {
        can_be_reached: hook_ends(subject, None, None).is_none_or(|ends| ends.codes.may_be_two()),
        first: all.into_iter().find(|(_, lines)| !lines.is_empty()),
    }
}

/// How a hook can end, with this program missing if there is one; `None` if it is not known. `card` tells which texts
/// block when they are printed.
#[must_use]
pub fn hook_ends(subject: &LintSubject<'_>, missing: Option<&str>, card: Option<&Card>) -> Option<Ends> {
    let blocks = |text: &str| {
        let mut outputs = card.into_iter().flat_map(|card| card.blocking_outputs);
        outputs.any(|output| script_scan::assigns(text, output.field, output.values))
    };
    let (printed, hands_on, is_known) = (Cell::new(false), Cell::new(false), Cell::new(true));
    let basis = Assumption {
        missing,
        blocks: Some(&blocks),
        ..Assumption::default()
    };
    let of_piece = |piece: &CodePiece<'_>| match piece.language {
        ScriptLanguage::Other => Some(Ends {
            codes: program_codes(&piece.output) | Codes::TOOL,
            prints_block: blocks(&without_stderr(&piece.output)),
            ..Ends::default()
        }),
        ScriptLanguage::Sh | ScriptLanguage::Bash => flow::ends(&piece.script, has_errexit_line(&piece.text), basis),
    };
    let started = |words: &[Word]| {
        let ends = of_piece(started_piece(subject, words)?);
        is_known.set(is_known.get() && ends.is_some());
        let ends = ends?;
        printed.set(printed.get() || ends.prints_block);
        hands_on.set(hands_on.get() || ends.hands_on);
        Some(ends.codes)
    };
    let first = subject.pieces.first();
    let ends = if subject.argv.is_empty() {
        let first = first?;
        match first.language {
            ScriptLanguage::Other => of_piece(first),
            ScriptLanguage::Sh | ScriptLanguage::Bash => {
                let assumption = Assumption {
                    script: Some(&started),
                    ..basis
                };
                flow::ends(&first.script, has_errexit_line(&first.text), assumption)
            }
        }
    } else {
        match shell::target(&subject.argv) {
            Target::Text(_) => of_piece(first?),
            Target::Script(_) | Target::Program => of_piece(started_piece(subject, &subject.argv)?),
            Target::Module(_) => None,
        }
    };
    let ends = ends.filter(|_| is_known.get())?;
    Some(Ends {
        prints_block: ends.prints_block || printed.get(),
        hands_on: ends.hands_on || hands_on.get(),
        ..ends
    })
}

/// The text of the script that words start.
pub(super) fn started_piece<'s, 'a>(subject: &'s LintSubject<'a>, words: &[Word]) -> Option<&'s CodePiece<'a>> {
    let file = match shell::target(words) {
        Target::Script(file) => &file.text,
        Target::Program => &words.first()?.text,
        Target::Text(_) | Target::Module(_) => return None,
    };
    let name = shell::base_name(file);
    let mut pieces = subject.pieces.iter();
    pieces.find(|piece| {
        piece
            .file
            .and_then(|file| file.file_name())
            .is_some_and(|file| file == name)
    })
}

/// Whether the first line of a script starts its shell with `-e`.
pub(super) fn has_errexit_line(text: &str) -> bool {
    let first = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("#!"))
        .unwrap_or_default();
    let mut options = first.split_whitespace().skip(1).filter(|word| word.starts_with('-'));
    options.any(|word| word.trim_start_matches('-').contains('e') && !word.starts_with("--"))
}

/// Reports a hook that blocks in its text only: none of its exits with the code that blocks can end it.
fn never_blocks(subject: &LintSubject<'_>) -> Option<Problem> {
    let exits = blocking_exits(subject);
    let (piece, lines) = exits.first.filter(|_| !exits.can_be_reached)?;
    let problem = subject.problem_in_lines(piece, lines, messages::NEVER_BLOCKS.render_plain());
    Some(problem.breaking("never_blocks"))
}

/// Reports the ways in which a guard surely lets pass: its exit 2 is lost, or it refuses with another code. `decides` says
/// whether it prints decisions, which may block too.
#[must_use]
pub fn open_ways(subject: &LintSubject<'_>, decides: bool) -> Option<Problem> {
    // `defines_only` reports a hook that only defines functions.
    if decides || only_defines_functions(subject) {
        return None;
    }
    if let Some(problem) = never_blocks(subject) {
        return Some(problem);
    }
    let codes: Vec<_> = all_exits(subject).collect();
    let computed = codes.iter().any(|(_, exit)| exit.code.is_none());
    let blocks = codes.iter().any(|(_, exit)| exit.code == Some(BLOCK_EXIT_CODE));
    let mut ones = codes
        .iter()
        .filter(|(piece, exit)| exit.code == Some(1) && !exit.in_handler && !branches_on_argument(&piece.text));
    let one = ones.find(|(piece, exit)| is_refusal(subject, piece, exit.line));
    match one.filter(|_| !computed && !blocks) {
        Some((piece, exit)) => {
            let problem = subject.problem_in_lines(piece, lines_like(piece, exit), messages::OPEN_ONE.render_plain());
            Some(problem.breaking("other_code"))
        }
        None => ends_with_one(subject, !blocks && !computed),
    }
}

/// Whether a script chooses its work by its first argument, so that what one of its branches does says nothing about the
/// others.
fn branches_on_argument(text: &str) -> bool {
    let shell = ["case $1", "case \"$1", "case ${1", "case \"${1"];
    let programs = ["process.argv[2]", "sys.argv[1]"];
    shell.iter().chain(&programs).any(|sign| text.contains(sign))
}

/// Whether the exit on this line refuses a call: the hook is named as a guard, or the lines up to the exit say so. What goes
/// to a file, such as the line of a log, is no refusal.
fn is_refusal(subject: &LintSubject<'_>, piece: &CodePiece<'_>, line: u32) -> bool {
    /// So many lines before an exit belong to it.
    const LINES: usize = 6;
    let line = usize::try_from(line).unwrap_or(usize::MAX);
    let before = piece.text.lines().take(line).skip(line.saturating_sub(LINES));
    let mut said = before.filter(|line| !line.contains(">>"));
    is_named_as_guard(subject) || said.any(|line| line_mentions_blocking(line, piece.language))
}

/// Reports a hook that ends with 1 although it is meant to block, or to let pass. `only_way` says that its text has no
/// other way to block.
fn ends_with_one(subject: &LintSubject<'_>, only_way: bool) -> Option<Problem> {
    let (piece, end) = subject
        .pieces
        .iter()
        .find_map(|piece| Some((piece, end_with_one(piece)?)))?;
    match end {
        EndsWithOne::Refusal(lines) if only_way && wants_to_block(subject) => {
            let problem = subject.problem_in_lines(piece, lines, messages::REFUSES_WITH_ONE.render_plain());
            Some(problem.breaking("other_code"))
        }
        EndsWithOne::Harmless(line) if blocking_exits(subject).first.is_some() => {
            Some(subject.problem_in_piece(piece, line, messages::ENDS_WITH_ONE.render_plain()))
        }
        EndsWithOne::Refusal(_) | EndsWithOne::Harmless(_) => None,
    }
}

/// A way out of a script by which it ends with 1.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EndsWithOne {
    /// Refusals of its own, on these lines: `sys.exit("…")`, `throw`.
    Refusal(Vec<u32>),
    /// A harmless call: the search that finds nothing decides the code.
    Harmless(u32),
}

/// Finds the ways out of a text by which it ends with 1 without an `exit 1` in it.
fn end_with_one(piece: &CodePiece<'_>) -> Option<EndsWithOne> {
    match piece.language {
        ScriptLanguage::Other => {
            let lines = refusals_with_one(&piece.output);
            (!lines.is_empty()).then_some(EndsWithOne::Refusal(lines))
        }
        ScriptLanguage::Sh | ScriptLanguage::Bash => harmless_with_one(piece).map(EndsWithOne::Harmless),
    }
}

/// The lines on which a program ends with a text or an exception, which is exit code 1.
fn refusals_with_one(text: &str) -> Vec<u32> {
    let is_one = |line: &str| {
        let code = without_quoted_text(line);
        let gives_text = ["sys.exit(", "SystemExit(", " exit("].iter().any(|call| {
            let behind = code.split_once(call).map_or("", |(_, behind)| behind);
            let behind = behind.trim_start_matches(['f', 'r', 'b', ' ']);
            behind.starts_with(['"', '\''])
        });
        let gives_name = gives_named_text(text, line);
        let statement = code.trim_start();
        let throws = code.match_indices("throw ").any(|(at, _)| {
            let before = code[..at].trim_end();
            before.is_empty() || before.ends_with([';', '{', ')', '}']) || before.ends_with("else")
        });
        let raises = statement.starts_with("raise ")
            && !statement.contains("SystemExit")
            && line_mentions_blocking(line, ScriptLanguage::Other);
        gives_text || gives_name || throws || raises || statement.starts_with("assert ")
    };
    // What is caught does not end the program, unless the handler ends it with 1 as well.
    let handlers = text.matches("catch").count() + text.matches("except").count();
    let mut in_handlers = program_exits(text).into_iter().filter(|exit| exit.in_handler);
    let ends_alike =
        handlers == 1 && in_handlers.next().is_some_and(|exit| exit.code == Some(1)) && in_handlers.next().is_none();
    if handlers > 0 && !ends_alike {
        return Vec::new();
    }
    let found = (1..).zip(text.lines()).filter(|(_, line)| is_one(line));
    found.map(|(at, _)| at).collect()
}

/// The line of a search that decides the code of a text where it finds nothing.
fn harmless_with_one(piece: &CodePiece<'_>) -> Option<u32> {
    let assumption = Assumption {
        nothing_found: true,
        ..Assumption::default()
    };
    let ends = flow::ends(&piece.script, has_errexit_line(&piece.text), assumption)?;
    ends.search.filter(|_| ends.codes.has_one())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn piece(text: &str) -> CodePiece<'_> {
        CodePiece::from_script(Path::new("a.sh"), text)
    }

    #[test]
    fn an_exit_in_a_part_of_a_script_ends_that_part_only() {
        for (text, reached) in [
            ("exit 2", true),
            ("grep -q x && exit 2; exit 0", true),
            ("if grep -q x; then exit 2; fi; exit 0", true),
            ("grep -q x && { echo no >&2; exit 2; } || true", true),
            ("case $C in *x*) echo no; exit 2;; esac; exit 0", true),
            ("(grep -q x && exit 2)", true),
            ("(grep -q x && exit 2); exit 0", false),
            ("grep -q x && (echo no >&2; exit 2)\nexit 0", false),
            ("X=$(exit 2); echo $X", false),
            ("set -e\n(exit 2)\nexit 0", true),
            ("find . | while read -r f; do\n  exit 2\ndone\nexit 0", false),
            ("find . | while read -r f; do\n  exit 2\ndone", true),
            ("exit 2 | cat", false),
            ("deny() { echo no >&2; exit 2; }\n(grep -q x && deny)\nexit 0", false),
            ("deny() { exit 2; }\nX=$(grep -q x && deny)\nexit 0", false),
            ("deny() { exit 2; }\ngrep -q x && deny\nexit 0", true),
            (
                "cat | while read -r l; do case $l in *rm*) exit 2;; esac; done; exit 0",
                false,
            ),
            ("while read -r l; do case $l in *rm*) exit 2;; esac; done; exit 0", true),
            ("RC=0\n(grep -q x && RC=2)\nexit $RC", false),
            ("RC=0\ngrep -q x && RC=2\nexit $RC", true),
            (
                "cat | while read -r l; do X=1; done\n[ \"$X\" = 1 ] && exit 2\nexit 0",
                false,
            ),
            ("while read -r l; do X=1; done\n[ \"$X\" = 1 ] && exit 2\nexit 0", true),
            ("{ grep -q x && exit 2; } &\nexit 0", false),
            ("{ grep -q x && exit 2; } &\nwait $!", true),
            ("{ grep -q x && exit 2; } &\nwait\nexit 0", false),
            ("{ grep -q x && exit 2; } | tee /dev/null", false),
            ("set -o pipefail\n{ grep -q x && exit 2; } | tee /dev/null", true),
            ("trap 'exit 0' EXIT\ngrep -q x && exit 2", false),
            ("trap 'rm -f x' EXIT\ngrep -q x && exit 2", true),
            ("trap 'exit 2' ERR\nfalse\nexit 0", true),
            ("if false; then exit 2; fi", false),
            ("if true; then exit 2; fi", true),
            ("exit 0\nif grep -q x; then exit 2; fi", false),
            ("[ -z \"$X\" ] && exit 0\nexit 2", true),
            ("sh -c 'exit 2'; exit 0", false),
            ("sh -c 'grep -q x && exit 2'", true),
            ("sh -c 'exit 2' || exit $?", true),
            ("python3 - <<EOF\nimport sys\nsys.exit(2)\nEOF\nexit 0", false),
            ("python3 - <<EOF\nimport sys\nsys.exit(2)\nEOF\n", true),
            ("check() { grep -q x && return 2; return 0; }\ncheck", true),
            ("check() { grep -q x && return 2; return 0; }\ncheck || true", false),
            ("check() { return 2; }\ncheck || exit $?", true),
            ("awk '/rm/{exit 2}'", true),
            ("awk '/rm/{exit 2}'; exit 0", false),
            ("eval 'exit 2'", true),
            ("exec sh -c 'exit 2'", true),
            (". ./lib.sh\nexit 0", true),
            ("./guard || exit $?", true),
            ("case $1 in a) X=2;; *) X=0;; esac; exit $X", true),
            ("for f in a b; do grep -q x $f && exit 2; done; exit 0", true),
            ("false || { exit 2; }; exit 0", true),
            (
                "X=$(grep -q a && echo bad)\nif [ \"$X\" = bad ]; then exit 2; fi\nexit 0",
                true,
            ),
        ] {
            let one = piece(text);
            let ends = flow::ends(&one.script, false, Assumption::default()).unwrap();
            assert_eq!(ends.codes.may_be_two(), reached, "{text}");
        }
    }

    #[test]
    fn a_way_out_with_one_is_found() {
        let found = |text: &str| end_with_one(&piece(text));
        assert_eq!(
            found("grep -q x && { echo no; exit 2; }"),
            Some(EndsWithOne::Harmless(1))
        );
        assert_eq!(found("grep -q x && exit 2"), Some(EndsWithOne::Harmless(1)));
        assert_eq!(found("grep -q x && exit 2; exit 0"), None);
        assert_eq!(found("grep -q x && { exit 2; }\nexit 0"), None);
        assert_eq!(
            found("set -euo pipefail\nX=$(grep -o x)\nif [ -n \"$X\" ]; then exit 2; fi\nexit 0"),
            Some(EndsWithOne::Harmless(2))
        );
        assert_eq!(found("set -e\nX=$(grep -o x || true)\nexit 0"), None);
        assert_eq!(found("set -e\nX=$(jq -r .x)\n[ -n \"$X\" ] || exit 0\nexit 2"), None);
        assert_eq!(
            found("set -e\nset -o pipefail\nX=$(echo x | grep -o y)\nexit 0"),
            Some(EndsWithOne::Harmless(3))
        );
        assert_eq!(found("set -e\nset +e\nX=$(grep -o x)\nexit 0"), None);
        assert_eq!(
            found("set -o errexit\nX=$(grep -o x)\nexit 0"),
            Some(EndsWithOne::Harmless(2))
        );
        assert_eq!(
            found("#!/bin/bash -e\nX=$(grep -o x)\nexit 0"),
            Some(EndsWithOne::Harmless(2))
        );
        assert_eq!(found("exit 0\ngrep -q x && { exit 2; }"), None);
        // A pipe in a condition fails without an effect on the script.
        for condition in ["if", "if !", "while", "until"] {
            let end = if condition.starts_with("if") { "fi" } else { "done" };
            let begin = if condition.starts_with("if") { "then" } else { "do" };
            let text = format!(
                "set -eo pipefail\nc=$(cat)\n{condition} echo \"$c\" | grep -q push; {begin}\n  n=$(date)\n  exit 2\n{end}\nexit 0"
            );
            assert_eq!(found(&text), None, "{text}");
        }
        assert_eq!(
            found("set -e\nif (grep -q x); then n=$(date); exit 2; fi\nexit 0"),
            None
        );
        assert_eq!(
            found("set -eo pipefail\n(cat | grep -q push)\nexit 2"),
            Some(EndsWithOne::Harmless(2))
        );
        assert_eq!(found("[[ $I == *rm* ]] && exit 2"), Some(EndsWithOne::Harmless(1)));
        assert_eq!(
            found("main() {\n  grep -q x && { exit 2; }\n}\nmain"),
            Some(EndsWithOne::Harmless(2))
        );
        assert_eq!(found("main() {\n  grep -q x && { exit 2; }\n}\nmain || true"), None);
        let program = |text: &str| end_with_one(&CodePiece::from_script(Path::new("a.py"), text));
        assert_eq!(
            program("import sys\nif 'x' in y: sys.exit('Denied')"),
            Some(EndsWithOne::Refusal(vec![2]))
        );
        assert_eq!(
            program("raise SystemExit(f\"no {x}\")"),
            Some(EndsWithOne::Refusal(vec![1]))
        );
        assert_eq!(program("sys.exit(2)"), None);
        for (text, line) in [
            ("if (bad) { throw new Error('blocked'); }", 1),
            ("if (bad) throw 'Blocked'", 1),
            (
                "async function main() {\n  throw new Error('x');\n}\nmain().catch(e => { console.error(e); process.exit(1) })",
                2,
            ),
            ("if bad:\n    raise RuntimeError('Blocked')", 2),
            ("assert 'rm' not in command", 1),
            ("m = 'Blocked'\nsys.exit(m)", 2),
        ] {
            assert_eq!(program(text), Some(EndsWithOne::Refusal(vec![line])), "{text}");
        }
        for text in [
            "raise ValueError('bad input')",
            "x = 'throw it'",
            "m = 3\nsys.exit(m)",
            "// throw new Error()",
        ] {
            assert_eq!(program(text), None, "{text}");
        }
        assert_eq!(program("try:\n  x()\nexcept E:\n  sys.exit('no')"), None);
    }
}
