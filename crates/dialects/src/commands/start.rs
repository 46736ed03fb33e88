//! Whether what a command starts is there: programs, interpreters, scripts, their executable bits and first lines.

use std::path::{Path, PathBuf};

use hookwright_model::{ApprovalScope, Card, Layer, LintContext};

use super::exits::{always_succeeds, exit_code};
use super::trouble::Trouble;
use super::variables::is_unset;
use super::{Piece, Reader, Subject, lines};
use crate::shell::{self, Join, Target, Word, is_code_name};

/// Where relative names are looked up at some point of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    /// In the directory the hook runs in, which the agent chooses.
    Cwd,
    /// In this one, after a literal `cd`.
    At(PathBuf),
    /// In one that is computed.
    Unknown,
}

/// One program that a command starts.
pub(super) struct Start<'s> {
    pub(super) words: &'s [Word],
    pub(super) join: Join,
    pub(super) base: Base,
    pub(super) piece: Option<&'s Piece<'s>>,
}

/// What the definition itself starts, in order.
pub(super) fn starts<'s>(subject: &'s Subject<'_>, card: &Card, desk: &LintContext<'_>) -> Vec<Start<'s>> {
    let mut out = Vec::new();
    let first = start_dir(subject, card, desk);
    if !subject.argv.is_empty() {
        out.push(Start {
            words: &subject.argv,
            join: Join::Next,
            base: first.clone(),
            piece: None,
        });
    }
    for piece in subject.own() {
        let mut base = first.clone();
        for (words, join) in piece.script.starts() {
            let words = behind_empty(subject, words, card, desk);
            if ["cd", "pushd"].contains(&words[0].text.as_str()) {
                base = words
                    .get(1)
                    .and_then(|word| place(subject, &word.text, &base, card, desk))
                    .map_or(Base::Unknown, Base::At);
                continue;
            }
            out.push(Start {
                words,
                join,
                base: base.clone(),
                piece: Some(piece),
            });
        }
    }
    out
}

/// The words without a leading variable that is empty: a shell drops it, and the next word is the program.
fn behind_empty<'s>(subject: &Subject<'_>, words: &'s [Word], card: &Card, desk: &LintContext<'_>) -> &'s [Word] {
    let is_empty = |word: &&Word| {
        let name = word.text.strip_prefix('$').unwrap_or_default();
        let inside = name.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
        let name = inside.unwrap_or(name);
        !word.quoted && shell::is_name(name) && is_unset(subject, card, desk, name)
    };
    let empty = words.iter().take_while(is_empty).count();
    words.get(empty..).filter(|rest| !rest.is_empty()).unwrap_or(words)
}

/// Where the hook starts: in a directory of its own where its definition has one.
fn start_dir(subject: &Subject<'_>, card: &Card, desk: &LintContext<'_>) -> Base {
    let dir = match &subject.hook.cover {
        ApprovalScope::Command(command) => command.dir.as_deref(),
        ApprovalScope::Nothing | ApprovalScope::Folder(_) | ApprovalScope::Sources { .. } | ApprovalScope::Files(_) => {
            None
        }
    };
    dir.map_or(Base::Cwd, |dir| {
        let dir = dir.to_string_lossy();
        place(subject, &dir, &Base::Cwd, card, desk).map_or(Base::Unknown, Base::At)
    })
}

/// Where a word's file is, as far as that is known.
pub(super) fn place(
    subject: &Subject<'_>,
    word: &str,
    base: &Base,
    card: &Card,
    desk: &LintContext<'_>,
) -> Option<PathBuf> {
    let source = &subject.hook.source;
    let project = source.project.as_deref().unwrap_or(&desk.places.project);
    let by_shell = subject.argv.is_empty();
    let dirs = card.dir_vars.iter().map(|dir| (dir.name, project));
    for (name, dir) in dirs.chain([("HOME", &*desk.places.home)]).filter(|_| by_shell) {
        if let Some(rest) = behind_variable(word, name) {
            return plain(rest).then(|| joined(dir, rest));
        }
    }
    if let Some(rest) = word
        .strip_prefix('~')
        .filter(|rest| by_shell && (rest.is_empty() || rest.starts_with('/')))
    {
        return plain(rest).then(|| joined(&desk.places.home, rest));
    }
    if !plain(word) {
        return None;
    }
    if word.starts_with('/') || super::is_drive(word) {
        return Some(word.into());
    }
    match base {
        // A user's hook runs in whatever directory the agent is in.
        Base::Cwd => (source.layer != Layer::User).then(|| project.join(word)),
        Base::At(dir) => Some(dir.join(word)),
        Base::Unknown => None,
    }
}

/// What follows `$NAME`, `${NAME}` or `${NAME:-…}` at the beginning of a word.
fn behind_variable<'w>(word: &'w str, name: &str) -> Option<&'w str> {
    let rest = word.strip_prefix('$')?;
    let rest = match rest.strip_prefix('{') {
        Some(inside) => {
            let after = inside.strip_prefix(name)?;
            let end = after.find('}')?;
            (after.starts_with('}') || after.starts_with(":-") || after.starts_with('-')).then(|| &after[end + 1..])?
        }
        None => rest.strip_prefix(name)?,
    };
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

fn joined(dir: &Path, rest: &str) -> PathBuf {
    let rest = rest.trim_start_matches('/');
    if rest.is_empty() {
        dir.to_owned()
    } else {
        dir.join(rest)
    }
}

/// Whether a word is what it says: no variable, no pattern, no substitution.
fn plain(word: &str) -> bool {
    !word.contains(|sign: char| "$*?`[{~\n".contains(sign))
}

/// What of a hook cannot start, the worst of it.
#[must_use]
pub fn trouble(subject: &Subject<'_>, card: &Card, desk: &LintContext<'_>) -> Option<Trouble> {
    let starts = starts(subject, card, desk);
    let asked: Vec<&str> = starts.iter().flat_map(asked_for).collect();
    let skips_programs = sets_path(subject) || hides_failures(subject);
    let mut found: Vec<Trouble> = Vec::new();
    for start in &starts {
        let program = &start.words[0];
        if let Target::Script(file) = shell::target(start.words)
            && let Some(path) = place(subject, &file.text, &start.base, card, desk)
            && !asked.contains(&file.text.as_str())
            && !super::paths::is_told(subject, &file.text, desk)
            && !(desk.is_there)(&path)
        {
            found.push(Trouble::Script(file.text.clone()));
        } else if program.text.contains('/') || super::is_drive(&program.text) {
            let path = place(subject, &program.text, &start.base, card, desk);
            let path = path.filter(|_| {
                !asked.contains(&program.text.as_str()) && !super::paths::is_told(subject, &program.text, desk)
            });
            found.extend(path.and_then(|path| of_file(subject, &program.text, &path, desk)));
        } else if !skips_programs && start.join != Join::Or {
            let text = start.piece.map_or("", |piece| &*piece.text);
            found.extend(missing(start.words, text, desk).map(Trouble::Program));
        }
    }
    found.into_iter().min_by_key(Trouble::rank)
}

/// What a command asks for before it uses it: `[ -x a.sh ] && ./a.sh`, `command -v jq`.
fn asked_for<'s>(start: &Start<'s>) -> Vec<&'s str> {
    let (first, rest) = (start.words[0].text.as_str(), &start.words[1..]);
    let asks = ["[", "[[", "test", "which", "type", "hash"].contains(&first);
    rest.iter().filter(|_| asks).map(|word| word.text.as_str()).collect()
}

/// Whether the command ends well whatever becomes of its programs.
fn hides_failures(subject: &Subject<'_>) -> bool {
    let first = subject.pieces.first().filter(|_| subject.argv.is_empty());
    first.is_some_and(|piece| always_succeeds(&piece.text).is_some())
}

/// Whether programs are looked up elsewhere than on the PATH of the engine.
fn sets_path(subject: &Subject<'_>) -> bool {
    let has = |object: &serde_json::Value| object.get("PATH").is_some();
    subject.hook.definition.get("env").is_some_and(has) || subject.own().any(|piece| piece.script.sets.contains("PATH"))
}

/// What is wrong with a file that is executed.
fn of_file(subject: &Subject<'_>, name: &str, path: &Path, desk: &LintContext<'_>) -> Option<Trouble> {
    let name = name.to_owned();
    if !(desk.is_there)(path) {
        return Some(Trouble::Path(name));
    }
    if !(desk.runs)(path) {
        let file = from_project(subject, path, desk).unwrap_or_else(|| name.clone());
        return Some(Trouble::Bit { name, file });
    }
    let piece = subject
        .pieces
        .iter()
        .find(|piece| piece.file.is_some_and(|file| file.file_name() == path.file_name()))?;
    let first = piece.text.split('\n').next().unwrap_or_default();
    if first.ends_with('\r') && first.starts_with("#!") {
        return Some(Trouble::CarriageReturn(name));
    }
    if let Some(interpreter) = interpreter(&piece.text) {
        let looked_up = interpreter.contains('/') || !sets_path(subject);
        return (looked_up && !has(interpreter, desk)).then(|| Trouble::Program(interpreter.to_owned()));
    }
    // A shell reads a text without `#!` itself; nothing else does.
    let read_by_shell = subject.argv.is_empty() && piece.reader != Reader::Other;
    (!read_by_shell && is_code_name(&name)).then_some(Trouble::NoInterpreter(name))
}

/// The program that a `#!` line names: that of `env` where it asks `env` for one.
#[must_use]
pub fn interpreter(text: &str) -> Option<&str> {
    let first = text.lines().next()?.strip_prefix("#!")?;
    let mut words = first.split_whitespace();
    let program = words.next()?;
    if shell::base_name(program) == "env" {
        return words.find(|word| !word.starts_with('-') && !word.contains('='));
    }
    Some(program)
}

/// Whether this machine has the program of a `#!` line.
#[must_use]
pub fn has(interpreter: &str, desk: &LintContext<'_>) -> bool {
    if interpreter.contains('/') {
        // A relative one is looked for in the directory of the run.
        !interpreter.starts_with('/') || (desk.is_there)(Path::new(interpreter))
    } else {
        (desk.on_path)(interpreter)
    }
}

/// A file of the project as a shell in the project calls it.
fn from_project(subject: &Subject<'_>, path: &Path, desk: &LintContext<'_>) -> Option<String> {
    let project = subject.hook.source.project.as_deref().unwrap_or(&desk.places.project);
    Some(path.strip_prefix(project).ok()?.to_str()?.to_owned())
}

/// The program of a vector when nobody has it: an interpreter, or any other name without a path.
fn missing(words: &[Word], text: &str, desk: &LintContext<'_>) -> Option<String> {
    let first = &words[0];
    let name = first.text.as_str();
    let plain = name.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && name
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || "-_.+".contains(sign));
    let by_shell = !text.is_empty();
    let known = !plain
        || (by_shell
            && (BUILTIN.contains(&name) || defines(text, name) || asks(text, name) || ends_without(text, name)))
        || (desk.on_path)(name);
    (!known).then(|| name.to_owned())
}

/// The first program of a shell script that nobody has, and that the script itself neither asks for nor blocks without;
/// with its line.
#[must_use]
pub fn missing_program(piece: &Piece<'_>, desk: &LintContext<'_>) -> Option<(String, u32)> {
    piece
        .script
        .programs()
        .find_map(|words| Some((missing(words, &piece.text, desk)?, words[0].line)))
}

fn defines(text: &str, name: &str) -> bool {
    [format!("{name}()"), format!("{name} ()"), format!("function {name}")]
        .iter()
        .any(|form| text.contains(form))
}

/// A script that asks whether a program is there knows what to do without it.
fn asks(text: &str, name: &str) -> bool {
    ["command -v ", "which ", "type ", "hash "]
        .iter()
        .any(|ask| text.contains(&format!("{ask}{name}")))
}

/// The exit code that blocks, in every dialect that has one.
const BLOCKS: i32 = 2;

/// Whether a script blocks wherever a program of it fails or is not there: `program … || exit 2`.
fn ends_without(text: &str, name: &str) -> bool {
    let named = |text: &str| text.split_whitespace().any(|word| word == name);
    let ends = |line: &str| {
        line.split_once("||")
            .is_some_and(|(before, after)| named(before) && !named(after) && exit_code(after) == Some(BLOCKS))
    };
    let mut uses = lines(text).filter(|line| named(line)).peekable();
    uses.peek().is_some() && uses.all(ends)
}

/// Words that a shell knows without a program.
const BUILTIN: [&str; 56] = [
    "alias",
    "bg",
    "break",
    "caller",
    "cd",
    "case",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
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
    "in",
    "jobs",
    "let",
    "local",
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
