//! Finds out whether a hook may write to stderr, for agents that block only with a reason on it.
//!
//! What it deliberately does not do: it does not judge a program that it cannot read. Such a program may write anything.

use super::ways::started_piece;
use super::{CodePiece, LintSubject, ScriptLanguage};
use crate::shell::{self, Join, SimpleCommand};

/// What a text writes to stderr with, in lower case.
const STDERR_WORDS: [&str; 18] = [
    "&2",
    "stderr",
    "console.error",
    "console.warn",
    "console.trace",
    "console.assert",
    "emitwarning",
    "warn",
    "die",
    "logging",
    "logger",
    "traceback",
    "perror",
    "raise ",
    "throw ",
    "write(2",
    "sync(2",
    "set -x",
];
/// Ways of a program to start another one, or to run code that is not in its text.
const OTHER_CODE: [&str; 10] = [
    "subprocess",
    "popen",
    "os.system",
    "os.exec",
    "child_process",
    "exec(",
    "spawn",
    "importlib",
    "require(\".",
    "require('.",
];
/// Commands that write to stderr only if something is wrong with their call.
const QUIET: [&str; 43] = [
    ":", "((", "[", "[[", "awk", "basename", "break", "case", "cat", "continue", "cut", "date", "declare", "dirname",
    "echo", "exit", "export", "false", "for", "head", "jq", "local", "printf", "read", "readonly", "return", "sed",
    "set", "shift", "sleep", "sort", "tail", "tee", "test", "tr", "trap", "true", "typeset", "umask", "uniq", "unset",
    "wait", "wc",
];
/// Commands that search their input.
const SEARCHES: [&str; 4] = ["grep", "egrep", "fgrep", "rg"];

/// Whether one of the texts of a hook may write words to stderr.
#[must_use]
pub fn may_write_stderr(subject: &LintSubject<'_>) -> bool {
    let starts_unread =
        !subject.argv.is_empty() && subject.pieces.is_empty() && started_piece(subject, &subject.argv).is_none();
    starts_unread || subject.pieces.iter().any(|piece| text_may_write(subject, piece))
}

fn text_may_write(subject: &LintSubject<'_>, piece: &CodePiece<'_>) -> bool {
    let text = piece.text.to_lowercase();
    let contains = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if contains(&STDERR_WORDS) {
        return true;
    }
    match piece.language {
        ScriptLanguage::Other => contains(&OTHER_CODE),
        ScriptLanguage::Sh | ScriptLanguage::Bash => {
            let asks_status = text.contains("$?");
            let commands = &piece.script.commands;
            piece.script.opaque || commands.iter().any(|command| may_write(subject, command, asks_status))
        }
    }
}

/// Whether a command may write to stderr on the way to a denial. A failure of a usual tool is on that way only if the text
/// asks for it.
fn may_write(subject: &LintSubject<'_>, command: &SimpleCommand, asks_status: bool) -> bool {
    let words = command.program();
    let Some(first) = words.first() else { return false };
    let name = shell::base_name(&first.text);
    let operands = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let failure_counts = asks_status
        || command.join == Join::Or
        || ["if", "elif", "while", "until", "!"]
            .iter()
            .any(|word| command.is_keyword(word));
    if SEARCHES.contains(&name) {
        return failure_counts && operands.count() > 1;
    }
    if QUIET.contains(&name) {
        let is_tool = ["cat", "head", "jq", "read", "sed", "sort", "tail", "tee"].contains(&name);
        return is_tool && failure_counts;
    }
    let is_function = subject
        .pieces
        .iter()
        .any(|piece| super::start::defined_functions(&piece.text).any(|function| function == name));
    let is_text = matches!(shell::target(words), shell::Target::Text(_)) || !command.documents.is_empty();
    let is_known = shell::is_keyword(name) || is_function || is_text || started_piece(subject, words).is_some();
    !is_known
}
