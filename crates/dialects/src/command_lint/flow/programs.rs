//! What programs and builtins end with and print, as far as it matters for a hook.

use super::tests_of_text::test_outcome;
use super::{Codes, Text};
use crate::command_lint::exits;
use crate::shell::{self, Target, Word, base_name, is_shell_program};

/// Commands that ask whether a program is there.
const PRESENCE_CHECKS: [&str; 4] = ["command", "which", "type", "hash"];
/// Programs that end with 1 if they find nothing.
const SEARCHES: [&str; 4] = ["grep", "egrep", "fgrep", "rg"];
/// Programs that print nothing if they get nothing.
const FILTERS: [&str; 12] = [
    "jq", "sed", "tr", "cut", "head", "tail", "sort", "uniq", "awk", "cat", "rev", "column",
];
/// Programs that print what they are told.
pub(super) const PRINTERS: [&str; 4] = ["echo", "printf", "jq", "cat"];
/// Programs and builtins whose own code 2, which is that of a wrong call, is no denial.
const TOOLS: [&str; 44] = [
    "((",
    "alias",
    "basename",
    "bg",
    "cd",
    "chmod",
    "cp",
    "curl",
    "date",
    "dirname",
    "env",
    "find",
    "git",
    "hash",
    "jobs",
    "kill",
    "let",
    "ln",
    "logger",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "notify-send",
    "popd",
    "pushd",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "shift",
    "shopt",
    "sleep",
    "stat",
    "tee",
    "tput",
    "touch",
    "type",
    "umask",
    "wait",
    "wc",
    "which",
    "xargs",
];
const AWKS: [&str; 4] = ["awk", "gawk", "mawk", "nawk"];

/// What a program does.
pub(super) struct Outcome {
    pub(super) codes: Codes,
    pub(super) out: Text,
    /// Whether it looks for something.
    pub(super) is_search: bool,
}

/// The program for which a command asks: `jq` in `command -v jq`.
pub(crate) fn asked_program(words: &[Word]) -> Option<&str> {
    let first = words.first()?.text.as_str();
    let mut rest = words.iter().skip(1).map(|word| word.text.as_str());
    let asks = PRESENCE_CHECKS.contains(&first)
        && (first != "command" || rest.next().is_some_and(|option| ["-v", "-V"].contains(&option)));
    asks.then(|| rest.find(|word| !word.starts_with('-'))).flatten()
}

/// The outcome of a program with these arguments and this input.
pub(super) fn outcome(name: &str, arguments: &[Text], input: &Text, nothing_found: bool) -> Outcome {
    let name = base_name(name);
    let plain = |codes, out| Outcome {
        codes,
        out,
        is_search: false,
    };
    let operands = arguments
        .iter()
        .filter(|text| !text.single().is_some_and(|text| text.starts_with('-')));
    match name {
        "true" | ":" => plain(Codes::OK, Text::empty()),
        "false" => plain(Codes::ONE, Text::empty()),
        "echo" => plain(
            Codes::OK,
            joined(arguments.iter().filter(|text| text.single() != Some("-n"))),
        ),
        "printf" => plain(Codes::OK, formatted(arguments)),
        "[" | "[[" | "test" => Outcome {
            codes: test_outcome(name, arguments),
            out: Text::empty(),
            is_search: true,
        },
        _ if SEARCHES.contains(&name) => {
            let is_inverted = arguments.iter().any(|text| {
                let option = text
                    .single()
                    .and_then(|text| text.strip_prefix('-'))
                    .unwrap_or_default();
                option == "-invert-match" || (!option.starts_with('-') && option.contains(['v', 'L']))
            });
            let reads_pipe = operands.count() < 2;
            let finds_nothing = !is_inverted && (nothing_found || reads_pipe && input.is_empty());
            Outcome {
                codes: if finds_nothing { Codes::ONE } else { Codes::OK_OR_ONE },
                out: if finds_nothing { Text::empty() } else { Text::Any },
                is_search: true,
            }
        }
        "cat" if operands.count() == 0 => plain(Codes::OK, input.clone()),
        _ if FILTERS.contains(&name) && input.is_empty() && (name != "jq" || !has_own_input(arguments)) => {
            plain(Codes::TOOL, Text::empty())
        }
        _ if FILTERS.contains(&name) || TOOLS.contains(&name) => plain(Codes::TOOL, Text::Any),
        _ => plain(Codes::PROGRAM, Text::Any),
    }
}

/// Whether `jq` needs no input, or reads a file.
fn has_own_input(arguments: &[Text]) -> bool {
    arguments.iter().any(|text| {
        text.single().is_none_or(|text| {
            text == "--null-input" || (text.starts_with('-') && !text.starts_with("--") && text.contains('n'))
        })
    })
}

fn joined<'t>(texts: impl Iterator<Item = &'t Text>) -> Text {
    let mut out = Text::empty();
    for (at, text) in texts.enumerate() {
        if at > 0 && !out.is_empty() {
            out = out.then(&Text::known(" x")).then(text);
        } else {
            out = out.then(text);
        }
    }
    out
}

/// What `printf` prints: the values of a format that adds nothing.
fn formatted(arguments: &[Text]) -> Text {
    let Some((format, values)) = arguments.split_first() else {
        return Text::empty();
    };
    match format.single() {
        Some("%s" | "%s\\n" | "%b") => joined(values.iter()),
        Some(text) if !text.contains(['%', '\\']) => Text::known(text),
        _ => Text::Any,
    }
}

/// The text that a shell gets: `sh -c TEXT`, `sh <<EOF`.
pub(crate) fn shell_text<'w>(words: &'w [Word], documents: &'w [String]) -> Option<&'w str> {
    let first = words.first().filter(|first| is_shell_program(&first.text))?;
    match shell::target(words) {
        Target::Text(text) if first.text != text.text => Some(&text.text),
        Target::Program if words.iter().skip(1).all(|word| word.text.starts_with('-')) => {
            documents.first().map(String::as_str)
        }
        Target::Text(_) | Target::Script(_) | Target::Module(_) | Target::Program => None,
    }
}

/// Whether a shell is started with `-e`.
pub(super) fn has_errexit(words: &[Word]) -> bool {
    let options = words.iter().skip(1).take_while(|word| word.text.starts_with('-'));
    options
        .into_iter()
        .any(|word| !word.text.starts_with("--") && word.text.contains('e'))
}

/// The text that another interpreter gets, and the exit codes that it can have.
pub(crate) fn other_text(first: &Word, words: &[Word], documents: &[String]) -> Option<(String, Codes)> {
    let name = base_name(&first.text);
    let is_awk = AWKS.contains(&name);
    let text = match shell::target(words) {
        _ if is_awk => words[1..]
            .iter()
            .find(|word| word.text.contains('{'))
            .map(|word| word.text.clone())?,
        Target::Text(text) => text.text.clone(),
        Target::Program if shell::interpreter(shell::program_name(name)).is_some() => documents.first().cloned()?,
        Target::Program | Target::Script(_) | Target::Module(_) => return None,
    };
    let codes = exits::program_codes(&text);
    // An interpreter that is missing or fails says nothing of its own.
    Some((text, codes | Codes::TOOL))
}
