//! Tells the complaint of a shell, an interpreter or a tool about the hook itself from a reason that the hook gives.
//!
//! Many of them end with 2: a syntax error in `sh`, a wrong option in Python, a file that `grep` does not find, a panic in
//! Go. Exit code 2 blocks, so such a hook blocks each time and nobody sees that it is broken (`engine.md` §14, F21).
//!
//! What it deliberately does not do: it changes no verdict. It looks for the forms in which these programs write, and not
//! for single words, since a reason may contain any word.

use hookwright_model::{Message, Run, args};

use crate::exit_status;

/// At most this many characters of the line are shown.
const MAX_SHOWN: usize = 160;

hookwright_model::messages! {
    /// Exit code 2 with an error of the program on stderr.
    CRASH = "crash_reads_as_denial" { "exit code 2 blocks, but stderr reads like an error in the hook itself: {line}", "退出码 2 会拦截，但 stderr 看起来像是 Hook 自身的错误：{line}" } hint { "correct the hook; a hook that wants to block writes its reason to stderr", "修正此 Hook；要拦截的 Hook 应把原因写到 stderr" };
}

/// The warning that the stderr of a run, which blocks by its exit code, reads like an error of the hook itself.
#[must_use]
pub fn crash_warning(run: &Run) -> Option<Message> {
    let stderr = exit_status::stderr_reason(run);
    let line = crash_line(&stderr)?;
    let mut shown: String = line.trim().chars().take(MAX_SHOWN).collect();
    if shown.len() < line.trim().len() {
        shown.push('…');
    }
    Some(CRASH.render(args! { "line" => shown }))
}

/// The line that says so.
fn crash_line(stderr: &str) -> Option<&str> {
    let is_usage_error = || {
        let words = ["error:", "try '", "[-", "[option", "invalid", "unknown", "unrecognized"];
        let lower = stderr.to_lowercase();
        words.iter().any(|word| lower.contains(word))
    };
    let is_complaint = |line: &&str| {
        is_header(line)
            || is_stack_line(line)
            || is_tool_complaint(line)
            || (line.to_lowercase().starts_with("usage:") && is_usage_error())
    };
    // A reason that the hook gives may quote a complaint below its own words.
    let first = stderr.lines().find(|line| !line.trim().is_empty())?;
    let is_given = is_prose(first) && !is_complaint(&first);
    stderr.lines().filter(|_| !is_given).find(is_complaint)
}

/// Whether a line is a sentence, and not a place in a file, a traced command or a wrong option.
fn is_prose(line: &str) -> bool {
    let words = line.split_whitespace().count();
    words >= 3 && !line.starts_with(['+', '/', ' ', '\t']) && !line.to_lowercase().contains("option")
}

/// How the reports of interpreters begin.
const HEADERS: [&str; 17] = [
    "Traceback (most recent call last)",
    "SyntaxError:",
    "IndentationError:",
    "TabError:",
    "ImportError:",
    "ModuleNotFoundError:",
    "ReferenceError:",
    "Fatal Python error",
    "node:internal/",
    "Error: Cannot find module",
    "panic: ",
    "goroutine 1 [",
    "fatal error: ",
    "Can't open perl script",
    "PHP Parse error",
    "PHP Fatal error",
    "Error: Could not find or load main class",
];

fn is_header(line: &str) -> bool {
    HEADERS.iter().any(|begin| line.trim_start().starts_with(begin))
}

/// A line of a stack: `at f (file:///g.js:3:7)`, `File "g.py", line 3`, `syntax error at g.pl line 3, near …`.
fn is_stack_line(line: &str) -> bool {
    let line = line.trim();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let place = || {
        let mut parts = line.trim_end_matches(')').rsplit(':');
        parts.next().is_some_and(number) && parts.next().is_some_and(number) && parts.next().is_some()
    };
    (line.starts_with("at ") && place())
        || (line.starts_with("File \"") && line.contains("\", line "))
        || (line.starts_with("syntax error at ") && line.contains(" line "))
}

/// How the complaints of tools end. Behind the name of a tool they are about a file or an option of the hook.
const ENDINGS: [&str; 15] = [
    "no such file or directory",
    "no such file",
    "is a directory",
    "permission denied",
    "not found",
    "parameter not set",
    "parameter null or not set",
    "unbound variable",
    "bad substitution",
    "numeric argument required",
    "integer expression expected",
    "unary operator expected",
    "too many arguments",
    "missing `]'",
    "bad number",
];
/// Words of such complaints, in any place behind the name of the tool.
const PHRASES: [&str; 25] = [
    "illegal number",
    "can't cd to ",
    "syntax error",
    "parse error",
    "unexpected eof",
    "unterminated quoted string",
    "can't open file",
    "can't open '",
    "can't open \"",
    "cannot open ",
    "can't read ",
    "could not open file",
    "invalid option",
    "illegal option",
    "unrecognized option",
    "unknown option",
    "bad option",
    "error: unrecognized arguments",
    "error: the following arguments are required",
    "error: argument ",
    "unmatched ",
    "no rule to make target",
    "cannot execute",
    "unexpected operator",
    "undefined method",
];
/// The complaint of a shell about a program: `sh: jq: command not found`, `zsh: command not found: jq`. Other words around
/// it are a sentence of the hook.
const NO_PROGRAM: &str = "command not found";
/// A complaint of a shell about a file that it was to read: `sh: 0: Can't open g.sh`.
const SHELL_OPEN: &str = "can't open ";

/// `grep: rules.txt: No such file or directory`: the name of a tool, and behind it the words of such a complaint.
fn is_tool_complaint(line: &str) -> bool {
    let Some((tool, rest)) = line.trim().split_once(':') else {
        return false;
    };
    // A reason begins with a word of its own, such as `Blocked: …` or `Policy 3: …`.
    let is_tool = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || "/._-+[".contains(sign);
    let is_path = tool.starts_with(['/', '.']) || tool.contains('/');
    if tool.is_empty() || tool.contains(char::is_whitespace) || !(is_path || tool.chars().all(is_tool)) {
        return false;
    }
    let rest = rest.to_lowercase();
    // A tool names the file or the variable, and then says what is wrong: `sh: 3: X: parameter not set`.
    let names_more = rest.trim_end().rsplit_once(": ").map(|(_, last)| last);
    let ends = names_more.is_some_and(|last| ENDINGS.iter().any(|ending| last.trim() == *ending));
    let is_shell_open = rest.trim_start().starts_with("0: ") && rest.contains(SHELL_OPEN);
    let lacks_program = rest.trim() == NO_PROGRAM
        || rest.trim_end().ends_with(&format!(": {NO_PROGRAM}"))
        || rest
            .trim_start()
            .strip_prefix(NO_PROGRAM)
            .is_some_and(|name| name.starts_with(": "));
    ends || is_shell_open || lacks_program || PHRASES.iter().any(|phrase| rest.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_of_shells_interpreters_and_tools_are_told_from_reasons() {
        for text in [
            "/p/g.sh: 4: Syntax error: end of file unexpected (expecting \"fi\")",
            "sh: 1: Syntax error: \"(\" unexpected",
            "sh: 0: Can't open /p/gone.sh",
            "/bin/sh: 0: cannot open /p/gone.sh: No such file",
            "g.sh: 3: RULES: parameter not set",
            "g.sh: line 3: RULES: unbound variable",
            "g.sh: 2: Bad substitution",
            "bash: -c: line 1: unexpected EOF while looking for matching `\"'",
            "g.sh: line 2: exit: no: numeric argument required",
            "g.sh: line 2: [: -eq: unary operator expected",
            "zsh:1: parse error near `}'",
            "sh: 1: jq: not found",
            "g.sh: 2: [: Illegal number: a",
            "g.sh: 2: cd: can't cd to /nowhere",
            "+ cat | jq .\njq: error: syntax error, unexpected INVALID_CHARACTER",
            "bash: line 1: jq: command not found",
            "g.sh: line 3: jq: command not found",
            "zsh: command not found: jq",
            "jq: command not found",
            "grep: /p/rules.txt: No such file or directory",
            "grep: invalid option -- 'y'\nUsage: grep [OPTION]... PATTERNS [FILE]...",
            "ls: cannot access '/x': No such file or directory",
            "jq: error: Could not open file rules.json: No such file or directory",
            "jq: error: syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?) at <top-level>",
            "sed: can't read x: No such file or directory",
            "usage: g.py [-h]\ng.py: error: unrecognized arguments: --strict",
            "Usage: g [OPTIONS]\nTry 'g --help' for help.\n\nError: No such option: --strict",
            "python3: can't open file '/p/gone.py': [Errno 2] No such file or directory",
            "  File \"/p/g.py\", line 1\n    if\n      ^\nSyntaxError: invalid syntax",
            "Traceback (most recent call last):\n  File \"g.py\", line 2, in <module>\nKeyError: 'tool_input'",
            "/p/g.js:3\n}\n^\n\nSyntaxError: Unexpected token '}'\n    at wrapSafe (node:internal/modules:1:2)",
            "node:internal/modules/cjs/loader:1228\n  throw err;",
            "panic: runtime error: index out of range [1] with length 1\n\ngoroutine 1 [running]:",
            "Can't open perl script \"gone.pl\": No such file or directory",
            "syntax error at g.pl line 3, near \"}\"",
            "make: *** No rule to make target 'guard'.  Stop.",
            "unknown option: -x\nusage: python3 [option] ...",
        ] {
            assert!(crash_line(text).is_some(), "{text}");
        }
        for text in [
            "",
            "blocked by hook",
            "not allowed: production database",
            "Blocked: rm -rf is not allowed",
            "Blocked: permission denied",
            "guard: production database was not found in the list of allowed hosts",
            "policy 3: /etc/passwd: permission denied",
            "Usage of rm is forbidden, use trash",
            "Usage: use `trash FILE`, never `rm`",
            "Do not run a command that ends with `command not found`",
            "3 tests failed: see at src/a.rs",
            "deploy: command not found in allowlist",
            "policy: the command not found in the list is blocked",
            "fix the syntax error first",
            "guard.sh: do not push to main",
            "Blocked: your change does not compile\ng.py: line 3: syntax error",
            "Tests failed, 2 of 9:\nTraceback (most recent call last):\n  File \"t.py\", line 2",
        ] {
            assert!(crash_line(text).is_none(), "{text}");
        }
    }
}
