//! Names that a shell knows without a program.

use super::SHELL_KEYWORDS;

/// Builtins and keywords of shells, for which no program is needed.
pub const SHELL_BUILTINS: [&str; 64] = [
    "alias",
    "bg",
    "bind",
    "break",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "cd",
    "case",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "esac",
    "eval",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "in",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
    "command",
    ":",
    ".",
    "[",
];

/// Builtins that every system also has as programs.
const ALSO_PROGRAMS: [&str; 7] = ["echo", "false", "printf", "pwd", "test", "true", "["];

/// Whether a command may follow this keyword, or end before it: `if`, `then`, `done`.
#[must_use]
pub fn is_keyword(word: &str) -> bool {
    SHELL_KEYWORDS.contains(&word)
}

/// Whether only a shell knows this name: there is no program that could be started.
pub fn is_shell_word(name: &str) -> bool {
    let is_builtin = SHELL_BUILTINS.contains(&name) || ["builtin", "exec"].contains(&name);
    SHELL_KEYWORDS.contains(&name) || (is_builtin && !ALSO_PROGRAMS.contains(&name))
}
