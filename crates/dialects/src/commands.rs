//! What advice reads off a command and the scripts it names, by literal words only: variables that nobody sets, programs
//! that nobody has, paths that only one machine has, the codes it exits with.

use std::path::Path;

use hookwright_model::LintDesk;

use crate::shell::{self, Word};

/// Set by the shell itself.
const SHELLS: [&str; 18] = [
    "PWD", "OLDPWD", "IFS", "PPID", "OPTIND", "OPTARG", "OPTERR", "PS1", "PS2", "PS4", "LINENO", "RANDOM", "SECONDS",
    "UID", "EUID", "HOSTNAME", "SHLVL", "REPLY",
];

/// The variables that a hook's command and the shell scripts it names use and nobody sets; `ours` are set for every hook.
#[must_use]
pub fn unset(hook: &str, command: &str, desk: &LintDesk<'_>, ours: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let named = desk.named.get(hook).into_iter().flatten();
    let scripts = named.filter(|(path, text)| is_shell(path, text));
    for text in std::iter::once(command).chain(scripts.map(|(_, text)| text.as_str())) {
        let script = shell::scan(text);
        if script.opaque {
            continue;
        }
        for name in &script.uses {
            let known = ours.contains(&name.as_str())
                || SHELLS.contains(&name.as_str())
                || name.starts_with("BASH")
                || script.sets.contains(name)
                || desk.env.contains(name);
            if !known && !out.contains(name) {
                out.push(name.clone());
            }
        }
    }
    out
}

/// Whether a file is a shell script, by its name or its first line.
#[must_use]
pub fn is_shell(path: &Path, text: &str) -> bool {
    let by_name = path
        .extension()
        .is_some_and(|extension| extension == "sh" || extension == "bash");
    let first = text.lines().next().unwrap_or_default();
    by_name
        || (first.starts_with("#!")
            && ["sh", "bash", "dash"]
                .iter()
                .any(|shell| first.split(['/', ' ']).any(|word| word == *shell)))
}

/// The script a command runs, when it is looked for from the working directory.
#[must_use]
pub fn relative_script(words: &[Word]) -> Option<&str> {
    let program = words[0].text.as_str();
    let name = program_or_script(words)?;
    let relative = !name.starts_with(['/', '~', '$']) && !is_drive(name);
    let is_file = name.contains('/') || (name != program && has_script_ending(name));
    (relative && is_file).then_some(name)
}

/// The program when it is a path, else the first argument that ends like a script.
fn program_or_script(words: &[Word]) -> Option<&str> {
    let program = words[0].text.as_str();
    if program.contains('/') && !program.starts_with('/') {
        return Some(program);
    }
    words[1..]
        .iter()
        .map(|word| word.text.as_str())
        .find(|word| has_script_ending(word) && !word.contains(char::is_whitespace))
}

/// Whether a name ends like a script's.
#[must_use]
pub fn has_script_ending(name: &str) -> bool {
    let endings = [
        ".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua",
    ];
    endings
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// Whether a path lies in one person's home or drive.
#[must_use]
pub fn is_personal(path: &str, desk: &LintDesk<'_>) -> bool {
    let homes = ["/home/", "/Users/", "/root/", "/Volumes/", "/media/"];
    let inside_project = Path::new(path).starts_with(&desk.places.project);
    let mounted = path
        .strip_prefix("/mnt/")
        .is_some_and(|rest| rest.as_bytes().get(1) == Some(&b'/'));
    // A project usually lies in somebody's home; a path into it is as bad, for others have it elsewhere.
    inside_project
        || Path::new(path).starts_with(&desk.places.home)
        || homes.iter().any(|home| path.starts_with(home))
        || mounted
        || is_drive(path)
}

/// `C:\…`, `D:/…`
#[must_use]
pub fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && (bytes[2] == b'\\' || bytes[2] == b'/')
}

/// Lines that do something.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let all = text.lines().map(str::trim);
    all.filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
}

/// The number in `exit 2`, `sys.exit(2)`, `process.exit(2)`, when it stands there as a number.
#[must_use]
pub fn exit_code(line: &str) -> Option<i32> {
    line.match_indices("exit").find_map(|(at, word)| {
        let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let number = after.strip_prefix([' ', '('])?.trim_start().trim_start_matches('(');
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        let behind = &number[digits.len()..];
        // In quotes it is a word of a sentence.
        let quoted = before.matches(['"', '\'']).count() % 2 == 1;
        (!before.ends_with(is_word) && !behind.starts_with(is_word) && !quoted)
            .then(|| digits.parse().ok())
            .flatten()
    })
}

/// The exit code that blocks, in every dialect that has one.
const BLOCKS: i32 = 2;

/// Words that a shell knows without a program.
const BUILTIN: [&str; 48] = [
    "alias",
    "bg",
    "break",
    "caller",
    "cd",
    "case",
    "continue",
    "declare",
    "dirs",
    "echo",
    "eval",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "for",
    "getopts",
    "hash",
    "in",
    "jobs",
    "let",
    "local",
    "mapfile",
    "printf",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
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
    ":",
    ".",
    "[",
];

/// Whether a script exits with this code wherever a program of it fails or is not there: `program … || exit 2`.
fn ends_without(text: &str, name: &str, code: i32) -> bool {
    let named = |text: &str| text.split_whitespace().any(|word| word == name);
    let ends = |line: &str| {
        line.split_once("||")
            .is_some_and(|(before, after)| named(before) && !named(after) && exit_code(after) == Some(code))
    };
    let mut uses = lines(text).filter(|line| named(line)).peekable();
    uses.peek().is_some() && uses.all(ends)
}

/// The first program of a shell script that nobody has, and that the script itself neither asks for nor blocks without.
#[must_use]
pub fn missing_command(text: &str, desk: &LintDesk<'_>) -> Option<String> {
    let script = shell::scan(text);
    let own = |name: &str| {
        [format!("{name}()"), format!("{name} ()"), format!("function {name}")]
            .iter()
            .any(|form| text.contains(form))
    };
    // A script that asks whether a program is there knows what to do without it.
    let asks = |name: &str| {
        ["command -v ", "which ", "type ", "hash "]
            .iter()
            .any(|ask| text.contains(&format!("{ask}{name}")))
    };
    script.programs().find_map(|words| {
        let name = words[0].text.as_str();
        let plain = !words[0].quoted
            && name.starts_with(|sign: char| sign.is_ascii_alphabetic())
            && name
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || "-_.+".contains(sign));
        let known = !plain
            || BUILTIN.contains(&name)
            || own(name)
            || asks(name)
            || ends_without(text, name, BLOCKS)
            || (desk.on_path)(name);
        (!known).then(|| name.to_owned())
    })
}
