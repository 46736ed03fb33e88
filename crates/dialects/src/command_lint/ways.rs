//! Finds the ways in which a hook blocks by its exit code, and whether they can be reached.
//!
//! An exit inside `( … )`, `$( … )` or a side of a pipe ends only that part. It still is the code of the hook if nothing
//! runs behind that part.

use std::path::Path;

use hookwright_model::{BLOCK_EXIT_CODE, Problem};

use super::exits::{Exit, exits, wants_to_block, without_quoted_text};
use super::{CodePiece, LintSubject, ScriptLanguage, code_lines, messages};
use crate::shell::{self, Join, SimpleCommand, Target};

/// The exits with the code that blocks.
#[derive(Debug, Clone)]
pub struct BlockingExits<'s, 'a> {
    /// Whether one of them, or an exit with a computed code, may end the hook.
    pub can_be_reached: bool,
    /// Those of the first text that cannot: the text and their lines, from 1.
    pub dead: Option<(&'s CodePiece<'a>, Vec<u32>)>,
    /// Whether there is any.
    pub any: bool,
}

/// Finds the exits of a hook with the code that blocks.
#[must_use]
pub fn blocking_exits<'s, 'a>(subject: &'s LintSubject<'a>) -> BlockingExits<'s, 'a> {
    let mut out = BlockingExits {
        can_be_reached: false,
        dead: None,
        any: false,
    };
    for piece in &subject.pieces {
        let swallowed = piece.file.is_some_and(|file| is_swallowed(subject, file));
        for (exit, reaches) in exits_with_reach(piece) {
            match exit.code {
                Some(BLOCK_EXIT_CODE) => {
                    out.any = true;
                    if reaches && !swallowed {
                        out.can_be_reached = true;
                    } else {
                        let (first, lines) = out.dead.get_or_insert((piece, Vec::new()));
                        if std::ptr::eq(*first, piece) {
                            lines.push(exit.line);
                        }
                    }
                }
                Some(_) => {}
                None => out.can_be_reached |= !swallowed,
            }
        }
    }
    out
}

/// Reports a hook that blocks in its text only: none of its exits with the code that blocks can end it.
#[must_use]
pub fn never_blocks(subject: &LintSubject<'_>) -> Option<Problem> {
    let exits = blocking_exits(subject);
    let (piece, lines) = exits.dead.filter(|_| !exits.can_be_reached)?;
    let problem = subject.problem_in_lines(piece, lines, messages::NEVER_BLOCKS.render_plain());
    Some(problem.breaking("never_blocks"))
}

/// Reports a hook that ends with 1 although it is meant to block, or to let pass. `only_way` says that its text has no
/// other way to block.
#[must_use]
pub fn ends_with_one(subject: &LintSubject<'_>, only_way: bool) -> Option<Problem> {
    let (piece, end) = subject
        .pieces
        .iter()
        .find_map(|piece| Some((piece, end_with_one(piece)?)))?;
    match end {
        EndsWithOne::Refusal(lines) if only_way && wants_to_block(subject) => {
            let problem = subject.problem_in_lines(piece, lines, messages::REFUSES_WITH_ONE.render_plain());
            Some(problem.breaking("other_code"))
        }
        EndsWithOne::Harmless(line) if blocking_exits(subject).any => {
            Some(subject.problem_in_piece(piece, line, messages::ENDS_WITH_ONE.render_plain()))
        }
        EndsWithOne::Refusal(_) | EndsWithOne::Harmless(_) => None,
    }
}

/// Returns the exits of a text, each with whether it ends the text.
fn exits_with_reach(piece: &CodePiece<'_>) -> Vec<(Exit, bool)> {
    let found = exits(piece);
    if piece.language == ScriptLanguage::Other {
        return found.into_iter().map(|exit| (exit, true)).collect();
    }
    let commands = &piece.script.commands;
    let groups = groups(commands);
    // With `set -e` or a look at the status, the code of a part may become that of the whole.
    let passes_on = passes_codes_on(&piece.text);
    let ends = commands.iter().zip(&groups).enumerate().filter(|(_, (command, _))| {
        let words = command.program();
        words.first().is_some_and(|word| word.text == "exit")
    });
    let reach = ends.map(|(at, (_, group))| {
        let outside = |later: &&Vec<u32>| !later.starts_with(group);
        passes_on || group.is_empty() || groups[at + 1..].iter().find(outside).is_none()
    });
    found.into_iter().zip(reach).collect()
}

/// Whether a text looks at the status of its parts, so that their codes are not lost.
fn passes_codes_on(text: &str) -> bool {
    ["$?", "pipefail", "PIPESTATUS", "errexit"]
        .iter()
        .any(|word| text.contains(word))
        || code_lines(text).any(|line| {
            let option = line.strip_prefix("set -").unwrap_or_default();
            option
                .chars()
                .take_while(char::is_ascii_alphabetic)
                .any(|sign| sign == 'e')
        })
}

/// Added to the number of a subshell, so that the numbers of sides of pipes differ from it.
const PIPES: u32 = 1 << 30;

/// The parts in which each command runs, from the outside in: subshells, substitutions and sides of pipes.
fn groups(commands: &[SimpleCommand]) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = Vec::with_capacity(commands.len());
    let mut pipe: Option<(u32, i32)> = None;
    for (at, command) in (0_u32..).zip(commands) {
        let behind_pipe = out
            .len()
            .checked_sub(1)
            .is_some_and(|before| commands[before].join == Join::Pipe);
        if pipe.is_none() && behind_pipe {
            pipe = Some((PIPES + at, 0));
        }
        let mut group = command.subshells.clone();
        if let Some((number, depth)) = &mut pipe {
            group.insert(0, *number);
            *depth += opened(command);
            if *depth <= 0 && command.join != Join::Pipe {
                pipe = None;
            }
        } else if command.join == Join::Pipe {
            group.insert(0, PIPES + at);
        }
        out.push(group);
    }
    out
}

/// How many compound commands a command begins, less those that it ends.
fn opened(command: &SimpleCommand) -> i32 {
    let mut count = 0;
    for word in command.words.iter().filter(|word| !word.quoted) {
        match word.text.as_str() {
            "if" | "while" | "until" | "{" => count += 1,
            "for" | "case" | "select" => return count + 1,
            "fi" | "done" | "esac" | "}" => count -= 1,
            "then" | "else" | "elif" | "do" | "!" => {}
            _ => return count,
        }
    }
    count
}

/// Whether the exit code of a script is lost, because the command that starts it goes on and ends with another one.
fn is_swallowed(subject: &LintSubject<'_>, file: &Path) -> bool {
    let Some(piece) = subject.pieces.first().filter(|_| subject.argv.is_empty()) else {
        return false;
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let starts_it = |command: &SimpleCommand| {
        let words = command.program();
        match shell::target(words) {
            Target::Script(script) => shell::base_name(&script.text) == name,
            Target::Program => words.first().is_some_and(|word| shell::base_name(&word.text) == name),
            Target::Text(_) | Target::Module(_) => false,
        }
    };
    let commands = &piece.script.commands;
    let Some(at) = commands.iter().position(starts_it) else {
        return false;
    };
    let is_condition = commands[at].words.first().is_some_and(|word| {
        !word.quoted && ["if", "while", "until", "elif", "!", "exec"].contains(&word.text.as_str())
    });
    if is_condition || passes_codes_on(&piece.text) {
        return false;
    }
    let last = commands[at..].iter().position(|command| command.join != Join::And);
    let Some(last) = last.map(|behind| at + behind) else {
        return false;
    };
    let next = commands.get(last + 1);
    let hides = |command: &SimpleCommand| {
        let words: Vec<&str> = command.program().iter().map(|word| word.text.as_str()).collect();
        matches!(words[..], ["true" | ":"] | ["echo" | "printf", ..] | ["exit", "0"])
    };
    match commands[last].join {
        Join::Or => next.is_some_and(hides),
        Join::Next => next.is_some_and(|next| hides(next) || commands.len() > last + 2),
        Join::And | Join::Pipe => false,
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
            let lines = refusals_with_one(&piece.text);
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
        gives_text || code.trim_start().starts_with("throw ") || code.contains(" throw new ")
    };
    let catches = text.contains("catch") || text.contains("except");
    if catches {
        return Vec::new();
    }
    let found = (1..).zip(text.lines()).filter(|(_, line)| is_one(line));
    found.map(|(at, _)| at).collect()
}

/// Programs that end with 1 if they find nothing.
const SEARCHES: [&str; 6] = ["grep", "egrep", "fgrep", "rg", "[", "test"];

/// The line of a search that decides the code of a script that blocks elsewhere.
fn harmless_with_one(piece: &CodePiece<'_>) -> Option<u32> {
    let commands = &piece.script.commands;
    let is_search = |command: &&SimpleCommand| {
        let name = command.program().first().map(|word| shell::base_name(&word.text));
        name.is_some_and(|name| SEARCHES.contains(&name))
    };
    let line = |command: &SimpleCommand| command.words.first().map(|word| word.line);
    let stops_at_failure = code_lines(&piece.text).any(|line| {
        let option = line.strip_prefix("set -").unwrap_or_default();
        option
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .any(|sign| sign == 'e')
    });
    if stops_at_failure {
        // `X=$(grep …)` ends the script if grep finds nothing.
        let at = commands.iter().position(|command| {
            let in_substitution = command.subshells.len() == 1 && command.join == Join::Next;
            in_substitution && is_search(&command) && !["[", "test"].contains(&command.program()[0].text.as_str())
        })?;
        let around = commands.get(at + 1)?;
        let assigns = around.subshells.is_empty() && around.join == Join::Next && around.program().is_empty();
        return assigns.then(|| line(&commands[at])).flatten();
    }
    // `grep … && { …; exit 2; }` as the last line.
    let last = commands.iter().rposition(|command| command.join == Join::And)?;
    let search = &commands[last];
    let rest = &commands[last + 1..];
    let text = |command: &SimpleCommand| command.words.first().map(|word| word.text.clone()).unwrap_or_default();
    let opens = rest.first().map(text).unwrap_or_default();
    let is_last = match opens.as_str() {
        "{" => rest.iter().position(|command| text(command) == "}") == Some(rest.len() - 1),
        "exit" => rest.len() == 1,
        _ => false,
    };
    (is_last && is_search(&search)).then(|| line(search)).flatten()
}

#[cfg(test)]
mod tests {
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
        ] {
            let one = piece(text);
            let found = exits_with_reach(&one);
            let found: Vec<bool> = found
                .into_iter()
                .filter(|(exit, _)| exit.code == Some(2))
                .map(|(_, reaches)| reaches)
                .collect();
            assert_eq!(found, [reached], "{text}");
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
        assert_eq!(program("try:\n  x()\nexcept E:\n  sys.exit('no')"), None);
    }
}
