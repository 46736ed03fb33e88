//! Checks whether a command can start: its programs, interpreters and scripts, their executable bits and first lines.

use std::path::{Path, PathBuf};

use hookwright_model::{ApprovalScope, BLOCK_EXIT_CODE, Card, FileFix, FixChange, Layer, LintContext};

use super::absent_script::{exit_code_of_hook, exit_code_without_script};
use super::interpreter_line::{self, LineFault, has_interpreter, interpreter};
use super::misread::{Misreading, misread_word};
use super::start_failure::{StartFailure, StartReason, fix_first_line};
use super::variables::is_unset;
use super::{CodePiece, LintSubject, ScriptLanguage, code_lines};
use crate::shell::{self, Join, ProgramSource, Target, Word, is_code_name};

/// The directory in which relative paths are looked up at some point of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BaseDir {
    /// The directory in which the hook runs, which the agent chooses.
    Cwd,
    /// This directory, after a literal `cd`.
    At(PathBuf),
    /// The directory at this relative path below [`Self::Cwd`], after a relative `cd`.
    Below(String),
    /// A directory that is computed.
    Unknown,
}

/// One program that a command starts.
pub(super) struct StartedProgram<'s> {
    pub(super) words: &'s [Word],
    pub(super) join: Join,
    pub(super) base: BaseDir,
    pub(super) piece: Option<&'s CodePiece<'s>>,
}

/// Returns the programs that the definition itself starts, in order.
pub(super) fn started_programs<'s>(
    subject: &'s LintSubject<'_>,
    card: &Card,
    context: &LintContext<'_>,
) -> Vec<StartedProgram<'s>> {
    let mut out = Vec::new();
    let first = start_dir(subject, card, context);
    if !subject.argv.is_empty() {
        out.push(StartedProgram {
            words: &subject.argv,
            join: Join::Next,
            base: first.clone(),
            piece: None,
        });
    }
    for piece in subject.inline_pieces() {
        let mut base = first.clone();
        for (words, join) in piece.script.programs_with_joins() {
            let words = skip_empty_variables(subject, words, card, context);
            if ["cd", "pushd"].contains(&words[0].text.as_str()) {
                base = after_cd(subject, words, &base, card, context);
                continue;
            }
            out.push(StartedProgram {
                words,
                join,
                base: base.clone(),
                piece: Some(piece),
            });
        }
    }
    out
}

/// Returns the directory behind a `cd`.
fn after_cd(
    subject: &LintSubject<'_>,
    words: &[Word],
    base: &BaseDir,
    card: &Card,
    context: &LintContext<'_>,
) -> BaseDir {
    let Some(word) = words.get(1) else {
        return BaseDir::Unknown;
    };
    let is_relative = is_literal(&word.text) && !word.text.starts_with(['/', '-']);
    match base {
        BaseDir::Cwd if is_relative => BaseDir::Below(word.text.trim_end_matches('/').to_owned()),
        BaseDir::Below(dir) if is_relative => BaseDir::Below(format!("{dir}/{}", word.text.trim_end_matches('/'))),
        BaseDir::Cwd | BaseDir::At(_) | BaseDir::Below(_) | BaseDir::Unknown => {
            resolve_path(subject, &word.text, base, card, context).map_or(BaseDir::Unknown, BaseDir::At)
        }
    }
}

/// Returns the words without leading variables that are empty. A shell drops such a variable, and the next word is the
/// program.
fn skip_empty_variables<'s>(
    subject: &LintSubject<'_>,
    words: &'s [Word],
    card: &Card,
    context: &LintContext<'_>,
) -> &'s [Word] {
    let is_empty = |word: &&Word| {
        let name = word.text.strip_prefix('$').unwrap_or_default();
        let inside = name.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
        let name = inside.unwrap_or(name);
        !word.quoted && shell::is_name(name) && is_unset(subject, card, context, name)
    };
    let empty = words.iter().take_while(is_empty).count();
    words.get(empty..).filter(|rest| !rest.is_empty()).unwrap_or(words)
}

/// Returns the directory in which the hook starts: the one in its definition, if it has one.
fn start_dir(subject: &LintSubject<'_>, card: &Card, context: &LintContext<'_>) -> BaseDir {
    let dir = match &subject.hook.approval_scope {
        ApprovalScope::Command(command) => command.dir.as_deref(),
        ApprovalScope::Nothing | ApprovalScope::Folder(_) | ApprovalScope::Sources { .. } | ApprovalScope::Files(_) => {
            None
        }
    };
    dir.map_or(BaseDir::Cwd, |dir| {
        let dir = dir.to_string_lossy();
        resolve_path(subject, &dir, &BaseDir::Cwd, card, context).map_or(BaseDir::Unknown, BaseDir::At)
    })
}

/// Returns the path of the file that a word names; `None` if it is not known.
pub(super) fn resolve_path(
    subject: &LintSubject<'_>,
    word: &str,
    base: &BaseDir,
    card: &Card,
    context: &LintContext<'_>,
) -> Option<PathBuf> {
    let source = &subject.hook.source;
    let project = source.project.as_deref().unwrap_or(&context.locations.project);
    let by_shell = subject.argv.is_empty();
    let dirs = card.dir_vars.iter().map(|dir| (dir.name, project));
    for (name, dir) in dirs.chain([("HOME", &*context.locations.home)]).filter(|_| by_shell) {
        if let Some(rest) = after_variable(word, name) {
            return is_literal(rest).then(|| join_below(dir, rest));
        }
    }
    if let Some(rest) = word
        .strip_prefix('~')
        .filter(|rest| by_shell && (rest.is_empty() || rest.starts_with('/')))
    {
        return is_literal(rest).then(|| join_below(&context.locations.home, rest));
    }
    if !is_literal(word) {
        return None;
    }
    if word.starts_with('/') || super::is_drive(word) {
        return Some(word.into());
    }
    match base {
        // A hook of layer `user` runs in any directory in which the agent works.
        BaseDir::Cwd => (source.layer != Layer::User).then(|| project.join(word)),
        BaseDir::Below(dir) => (source.layer != Layer::User).then(|| project.join(dir).join(word)),
        BaseDir::At(dir) => Some(dir.join(word)),
        BaseDir::Unknown => None,
    }
}

/// Returns the text after `$NAME`, `${NAME}` or `${NAME:-…}` at the beginning of a word.
fn after_variable<'w>(word: &'w str, name: &str) -> Option<&'w str> {
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

fn join_below(dir: &Path, rest: &str) -> PathBuf {
    let rest = rest.trim_start_matches('/');
    if rest.is_empty() {
        dir.to_owned()
    } else {
        dir.join(rest)
    }
}

/// Whether a word is literal: it contains no variable, pattern or substitution.
fn is_literal(word: &str) -> bool {
    !word.contains(|character: char| "$*?`[{~\n".contains(character))
}

/// How many programs of a command are looked up: each is compared with the whole text, so a hostile one would take minutes.
const MAX_PROGRAMS: usize = 200;

/// Finds the most severe reason why a hook cannot start; `None` if there is none.
#[must_use]
pub fn find_start_failure(subject: &LintSubject<'_>, card: &Card, context: &LintContext<'_>) -> Option<StartFailure> {
    let starts = started_programs(subject, card, context);
    let checked: Vec<&str> = starts.iter().flat_map(checked_operands).collect();
    let starts = &starts[..starts.len().min(MAX_PROGRAMS)];
    let mut of_each: Vec<Option<StartFailure>> = starts
        .iter()
        .map(|start| program_failure(subject, start, &checked, card, context))
        .collect();
    for at in 0..starts.len() {
        // The next program does the work of this one if it fails: `python3 x.py || python x.py`.
        let has_other = starts[at].join == Join::Or
            && starts
                .get(at + 1)
                .is_some_and(|next| does_work(&starts[at]) && does_work(next));
        let (works, other_works) = (of_each[at].is_none(), of_each.get(at + 1).is_some_and(Option::is_none));
        if has_other && works {
            of_each[at + 1] = None;
        } else if has_other && other_works {
            // What blocks without the program does not do its work.
            let failure = of_each[at].take();
            of_each[at] =
                failure.filter(|failure| hook_exit(subject, failure, failure.exit, context) == Some(BLOCK_EXIT_CODE));
        }
    }
    let returns = starts
        .iter()
        .filter_map(|start| carriage_returns(subject, start, card, context));
    let mut failure = returns
        .chain(of_each.into_iter().flatten())
        .min_by_key(StartFailure::rank)?;
    // Any code that no program gives by itself: the hook ends with it only if this program decides its code.
    const OF_THIS_PROGRAM: Option<i32> = Some(-1);
    failure.is_part = hook_exit(subject, &failure, OF_THIS_PROGRAM, context) != OF_THIS_PROGRAM;
    failure.exit = hook_exit(subject, &failure, failure.exit, context);
    Some(failure)
}

/// Why one program of a command cannot start. `checked` are words for which the command checks: they may be missing.
fn program_failure(
    subject: &LintSubject<'_>,
    start: &StartedProgram<'_>,
    checked: &[&str],
    card: &Card,
    context: &LintContext<'_>,
) -> Option<StartFailure> {
    let program = &start.words[0];
    let is_optional = |word: &str| checked.contains(&word);
    if let Some(failure) = misread(subject, start, card, context) {
        return Some(failure);
    }
    if let Target::Script(file) = shell::target(start.words)
        && let Some(path) = resolve_path(subject, &file.text, &start.base, card, context)
        && !is_optional(&file.text)
        && !(context.path_exists)(&path)
    {
        let code = exit_code_without_script(program, context);
        return Some(StartFailure::new(StartReason::Script, &file.text, code));
    }
    if (program.text.contains('/') && !program.text.contains(' ')) || super::is_drive(&program.text) {
        let path = resolve_path(subject, &program.text, &start.base, card, context);
        let path = path.filter(|_| !is_optional(&program.text));
        return path.and_then(|path| file_failure(subject, start, &path, context));
    }
    if sets_path(subject) {
        return None;
    }
    let name = missing_name(subject, start, context)?;
    Some(StartFailure::new(StartReason::Program, &name, start.code(NOT_FOUND)))
}

/// The exit code of the hook if the program that cannot start ends with `code`; `None` if it is not known.
fn hook_exit(
    subject: &LintSubject<'_>,
    failure: &StartFailure,
    code: Option<i32>,
    context: &LintContext<'_>,
) -> Option<i32> {
    let of = |words: &[Word]| {
        let target = shell::target(words);
        words.first().is_some_and(|program| program.text == failure.name)
            || matches!(target, Target::Script(file) if file.text == failure.name)
    };
    exit_code_of_hook(subject, &of, code, context)
}

/// Whether a program may do the work of another one: it is no test, and no command that only says or hides something.
fn does_work(start: &StartedProgram<'_>) -> bool {
    /// Programs that look for something.
    const QUESTIONS: [&str; 8] = ["which", "grep", "egrep", "fgrep", "rg", "cmp", "diff", "pgrep"];
    let name = start.words[0].text.as_str();
    ProgramSource::of(name) != ProgramSource::Builtin && !QUESTIONS.contains(&shell::plain_name(name))
}

/// The failure to start because the shell reads the word of the program or of its script otherwise than meant.
fn misread(
    subject: &LintSubject<'_>,
    start: &StartedProgram<'_>,
    card: &Card,
    context: &LintContext<'_>,
) -> Option<StartFailure> {
    let program = &start.words[0];
    let exists = |word: &Word| {
        let path = resolve_path(subject, &word.text, &start.base, card, context);
        path.is_some_and(|path| (context.path_exists)(&path))
    };
    let (word, code) = match shell::target(start.words) {
        Target::Script(file) => (file, exit_code_without_script(program, context)),
        Target::Program => (program, start.code(NOT_FOUND)),
        Target::Text(_) | Target::Module(_) => return None,
    };
    let found = misread_word(subject, start, word, card, context)?;
    // A file may really have the name that the shell reads.
    let is_there = found.misreading == Misreading::Backslashes && exists(word);
    (!is_there).then(|| StartFailure::new(StartReason::Misread(found), &word.text, code))
}

/// The exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;
/// The exit code of a shell that may not execute a file.
const NOT_EXECUTABLE: i32 = 126;

impl StartedProgram<'_> {
    /// The exit code of the shell that starts the program; `None` if the system starts it, so that no code comes.
    fn code(&self, code: i32) -> Option<i32> {
        self.piece.map(|_| code)
    }
}

/// Returns the words of a check for existence. The command knows that they may be missing: `[ -x a.sh ] && ./a.sh`.
fn checked_operands<'s>(start: &StartedProgram<'s>) -> Vec<&'s str> {
    let (first, rest) = (start.words[0].text.as_str(), &start.words[1..]);
    let is_check = ["[", "[[", "test", "which", "type", "hash"].contains(&first);
    rest.iter()
        .filter(|_| is_check)
        .map(|word| word.text.as_str())
        .collect()
}

/// Whether the hook sets `PATH`, so that programs are not looked up on the PATH of the engine.
fn sets_path(subject: &LintSubject<'_>) -> bool {
    let has = |object: &serde_json::Value| object.get("PATH").is_some();
    subject.hook.definition.get("env").is_some_and(has)
        || subject.inline_pieces().any(|piece| piece.script.sets.contains("PATH"))
}

/// Finds the reason why a file that the command executes cannot start.
fn file_failure(
    subject: &LintSubject<'_>,
    start: &StartedProgram<'_>,
    path: &Path,
    context: &LintContext<'_>,
) -> Option<StartFailure> {
    let name = start.words[0].text.as_str();
    if !(context.path_exists)(path) {
        return Some(StartFailure::new(StartReason::Path, name, start.code(NOT_FOUND)));
    }
    if !(context.is_executable)(path) {
        let file = path_in_project(subject, path, context).unwrap_or_else(|| name.to_owned());
        let failure = StartFailure::new(StartReason::NotExecutable(file), name, start.code(NOT_EXECUTABLE));
        let fix = Some(FileFix::new(path, FixChange::MakeExecutable));
        return Some(StartFailure { fix, ..failure });
    }
    let piece = piece_of(subject, path)?;
    if let Some(fault) = interpreter_line::line_fault(&piece.text) {
        // A shell that gets a file without a `#!` line reads the text itself.
        let is_read_by_shell = start.piece.is_some();
        let exit = match &fault {
            LineFault::CarriageReturn | LineFault::NoFolder(_) => start.code(NOT_FOUND),
            LineFault::EnvArguments(_) => Some(NOT_FOUND),
            LineFault::Absent | LineFault::ByteOrderMark | LineFault::NotFirst(_) | LineFault::Escaped => {
                let is_shell_text = piece.language != ScriptLanguage::Other;
                let is_meant_so = fault == LineFault::Absent && (is_shell_text || !is_code_name(name));
                if is_read_by_shell && is_meant_so || fault == LineFault::Absent && !is_code_name(name) {
                    return None;
                }
                // Its `#!` line is a comment or a command that fails, and the shell goes on with the next line.
                if is_read_by_shell && is_shell_text && piece.script.bashisms.is_empty() {
                    return Some(StartFailure {
                        fix: fix_first_line(path, &fault),
                        ..StartFailure::new(StartReason::FirstLineSkipped(fault), name, None)
                    });
                }
                (is_read_by_shell && !is_shell_text).then(|| exit_code_read_by_shell(&piece.text))
            }
        };
        let fix = fix_first_line(path, &fault);
        let failure = StartFailure::new(StartReason::FirstLine(fault), name, exit);
        return Some(StartFailure { fix, ..failure });
    }
    let program = interpreter(&piece.text)?;
    let looked_up = program.contains('/') || !sets_path(subject);
    let is_missing = looked_up && !has_interpreter(program, context);
    let missing = || StartFailure {
        fix: interpreter_line::instead_of_missing(path, &piece.text, context),
        ..StartFailure::new(StartReason::Program, program, start.code(NOT_FOUND))
    };
    is_missing.then(missing).or_else(|| returns_in_lines(piece, path, name))
}

/// The exit code of a shell that reads a text of another language: that of a syntax error, or of its last word.
fn exit_code_read_by_shell(text: &str) -> i32 {
    if code_lines(text).any(|line| line.contains('(')) {
        BLOCK_EXIT_CODE
    } else {
        NOT_FOUND
    }
}

fn piece_of<'s, 'a>(subject: &'s LintSubject<'a>, path: &Path) -> Option<&'s CodePiece<'a>> {
    let is_it = |piece: &&CodePiece<'_>| piece.file.is_some_and(|file| file.file_name() == path.file_name());
    subject.pieces.iter().find(is_it)
}

/// Words after which a carriage return is a syntax error.
const BROKEN_BY_RETURN: [&str; 4] = ["then\r\n", "do\r\n", "{\r\n", "in\r\n"];

/// Finds a script with the line endings of Windows that a shell gets: it takes each carriage return as text.
fn carriage_returns(
    subject: &LintSubject<'_>,
    start: &StartedProgram<'_>,
    card: &Card,
    context: &LintContext<'_>,
) -> Option<StartFailure> {
    let Target::Script(file) = shell::target(start.words) else {
        return None;
    };
    let path = resolve_path(subject, &file.text, &start.base, card, context)?;
    returns_in_lines(piece_of(subject, &path)?, &path, &file.text)
}

fn returns_in_lines(piece: &CodePiece<'_>, path: &Path, name: &str) -> Option<StartFailure> {
    let is_shell = piece.language != ScriptLanguage::Other;
    let is_syntax_error = BROKEN_BY_RETURN.iter().any(|word| piece.text.contains(word));
    (is_shell && piece.text.contains("\r\n")).then(|| StartFailure {
        fix: Some(FileFix::new(path, FixChange::LineEndings)),
        ..StartFailure::new(
            if is_syntax_error {
                StartReason::CarriageReturnLines
            } else {
                StartReason::CarriageReturnText
            },
            name,
            is_syntax_error.then_some(BLOCK_EXIT_CODE),
        )
    })
}

/// Returns the path of a file relative to the project; `None` for a file outside.
fn path_in_project(subject: &LintSubject<'_>, path: &Path, context: &LintContext<'_>) -> Option<String> {
    let project = subject
        .hook
        .source
        .project
        .as_deref()
        .unwrap_or(&context.locations.project);
    Some(path.strip_prefix(project).ok()?.to_str()?.to_owned())
}

/// Returns the program if it is not found: an interpreter, or any other name without a path.
///
/// A program is not reported if the shell or a text of the hook defines it, or checks for it.
fn missing_name(subject: &LintSubject<'_>, start: &StartedProgram<'_>, context: &LintContext<'_>) -> Option<String> {
    let name = start.words[0].text.as_str();
    let source = ProgramSource::of(name);
    let known = match start.piece {
        // Without a shell, every word is the name of a program, whatever it looks like.
        None => source == ProgramSource::Path,
        Some(piece) => {
            matches!(
                source,
                ProgramSource::Path | ProgramSource::Unknown | ProgramSource::Builtin
            ) || checks_presence(&piece.text, name)
                || may_be_function(subject, piece, name)
        }
    };
    (!known && !(context.on_path)(name)).then(|| name.to_owned())
}

/// Whether a name can be that of a function: a text of the hook defines it, or its command loads a file that was not read.
fn may_be_function(subject: &LintSubject<'_>, piece: &CodePiece<'_>, name: &str) -> bool {
    let loads_unknown = |words: &[Word]| {
        let is_load = [".", "source"].contains(&words[0].text.as_str());
        is_load
            && words
                .get(1)
                .is_none_or(|file| piece_of(subject, Path::new(&file.text)).is_none())
    };
    let mut defined = subject.pieces.iter().flat_map(|piece| defined_functions(&piece.text));
    defined.any(|defined| defined == name) || piece.script.programs().any(loads_unknown)
}

/// The functions that a shell script defines: `f()`, `f ()`, `function f`. Those of texts in it count too.
pub(super) fn defined_functions(text: &str) -> impl Iterator<Item = &str> {
    let ends = |sign: char| sign.is_whitespace() || ";&|(){}'\"".contains(sign);
    let before = text.match_indices("()").map(move |(at, _)| {
        let before = &text[..at];
        before
            .strip_suffix(' ')
            .unwrap_or(before)
            .rsplit(ends)
            .next()
            .unwrap_or_default()
    });
    let behind = text.match_indices("function ").map(move |(at, word)| {
        text[at + word.len()..]
            .trim_start()
            .split(ends)
            .next()
            .unwrap_or_default()
    });
    before.chain(behind).filter(|name| !name.is_empty())
}

/// Whether a script checks for a program. Then it has a way to work without it.
fn checks_presence(text: &str, name: &str) -> bool {
    ["command -v ", "which ", "type ", "hash "]
        .iter()
        .any(|ask| text.contains(&format!("{ask}{name}")))
}
