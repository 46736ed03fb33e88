//! Finds what works on one machine, in one directory or in one shell only.

use std::path::Path;

use hookwright_model::{FileFix, FixChange, Layer, LintContext, Problem, args, render};

use super::problem_merge::join_few;
use super::start::{BaseDir, StartedProgram, started_programs};
use super::{AgentProfile, CodePiece, LintSubject, RelativePaths, ScriptLanguage, lines_by_message, messages};
use crate::shell::{self, Join, Target, Word};

/// Shells that are known not to have the features of bash.
const PLAIN_SHELLS: [&str; 3] = ["dash", "ash", "busybox"];

/// Reports relative script paths, paths of one user, and syntax for `sh` that only bash understands.
pub fn check_portability(
    subject: &LintSubject<'_>,
    agent: AgentProfile,
    context: &LintContext<'_>,
    out: &mut Vec<Problem>,
) {
    let layer = subject.hook.source.layer;
    // Session hooks are not shared: they exist on this machine only, as long as the session.
    if ![Layer::Project, Layer::User].contains(&layer) {
        return;
    }
    let starts = started_programs(subject, agent.card, context);
    let relative_fails = layer == Layer::User || agent.relative_paths != RelativePaths::Work;
    if let Some(relative) = starts.iter().find_map(relative_path).filter(|_| relative_fails) {
        let fixed = (agent.portable_path)(relative.below.trim_start_matches("./"), layer);
        let args = args! { "path" => relative.written, "fixed" => fixed, "agent" => agent.card.name };
        let template = match (agent.relative_paths, relative.by_variable) {
            (RelativePaths::FollowSession, _) => messages::RELATIVE_TO_SESSION,
            (RelativePaths::Work | RelativePaths::FollowAgent, true) => messages::PWD,
            (RelativePaths::Work | RelativePaths::FollowAgent, false) => messages::RELATIVE,
        };
        out.push(subject.problem_at(template.render(args), "command"));
    }
    out.extend(placeholder_problem(subject));
    let mut reported: Vec<&str> = Vec::new();
    for start in &starts {
        for word in start.words.iter().filter(|word| is_path(word)) {
            let path = word.text.as_str();
            if !reported.contains(&path)
                && let Some(problem) = personal_path_problem(subject, path, agent, context)
            {
                reported.push(path);
                out.push(problem);
            }
        }
    }
    check_shell_syntax(subject, agent.uses_login_shell, context, out);
}

/// Reports what the shell of a text or script does not understand, or reads in another way than others.
pub fn check_shell_syntax(
    subject: &LintSubject<'_>,
    uses_login_shell: bool,
    context: &LintContext<'_>,
    out: &mut Vec<Problem>,
) {
    for piece in subject
        .pieces
        .iter()
        .filter(|piece| piece.language == ScriptLanguage::Sh)
    {
        out.extend(bashism_problem(subject, piece, context));
    }
    // `echo` of the shells in which people log in leaves backslashes alone, but for the one of zsh.
    let is_of_sh = |piece: &&CodePiece<'_>| piece.file.is_some() || !uses_login_shell;
    for piece in subject.pieces.iter().filter(is_of_sh) {
        echo_problems(subject, piece, context, out);
    }
}

/// Reports each `echo` of the whole event that replaces backslashes in it: any in a plain `sh`, `echo -e` in bash.
fn echo_problems(subject: &LintSubject<'_>, piece: &CodePiece<'_>, context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let holders = event_variables(piece);
    // What another program reads from it, not what the hook itself says.
    let commands = piece.script.programs_with_joins();
    let commands = commands.filter(|(words, join)| words[0].text == "echo" && *join == Join::Pipe);
    let is_plain = PLAIN_SHELLS.contains(&context.sh) || piece.language == ScriptLanguage::Bash;
    let template = if is_plain {
        messages::ECHO
    } else {
        messages::ECHO_ELSEWHERE
    };
    let found = commands.filter_map(|(words, _)| {
        let asks = words
            .get(1)
            .is_some_and(|word| word.text.starts_with("-") && word.text.contains('e'));
        let last = words.last()?;
        let name = holders
            .iter()
            .find(|name| is_variable(&last.text, name) && !last.keeps_variable)?;
        let replaces = asks || piece.language == ScriptLanguage::Sh;
        let written = if asks { "echo -e" } else { "echo" };
        let message = || template.render(args! { "written" => written, "name" => name });
        replaces.then(|| (words[0].line, message()))
    });
    for (message, lines) in lines_by_message(found) {
        let fixes = piece
            .file
            .map(|file| FileFix::new(file, FixChange::Printf { lines: lines.clone() }));
        out.push(subject.problem_in_lines(piece, lines, message).with_fix(fixes));
    }
}

fn is_variable(word: &str, name: &str) -> bool {
    word.strip_prefix('$')
        .is_some_and(|rest| rest == name || rest.strip_prefix('{') == Some(&format!("{name}}}")))
}

/// The variables of a text that hold the whole event: `X=$(cat)`, `read -r X`, and copies such as `Y=$X`. One that gets
/// something else as well is left out.
fn event_variables(piece: &CodePiece<'_>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for command in &piece.script.commands {
        let words = command.program();
        let assigned = match words.first().map(|word| word.text.as_str()) {
            Some("read") => {
                out.extend(words[1..].last().map(|word| word.text.clone()));
                continue;
            }
            Some("local" | "export" | "readonly" | "declare" | "typeset") => &words[1..],
            Some(_) => continue,
            None => command.words.as_slice(),
        };
        for (name, value) in assigned.iter().filter_map(|word| word.text.split_once('=')) {
            let is_copy = out.iter().any(|holder| is_variable(value.trim_matches('"'), holder));
            if reads_stdin(value) || is_copy {
                out.push(name.to_owned());
            } else {
                out.retain(|holder| holder != name);
            }
        }
    }
    out
}

/// Whether a value is all of stdin: `$(cat)`.
fn reads_stdin(value: &str) -> bool {
    let inner = value
        .trim_matches('"')
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'));
    let quoted = || value.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inner.or_else(quoted).is_some_and(|inner| {
        let inner = inner.trim();
        [
            "cat",
            "cat -",
            "</dev/stdin",
            "< /dev/stdin",
            "cat /dev/stdin",
            "cat <&0",
        ]
        .contains(&inner)
            || (inner.starts_with("timeout ") && inner.ends_with(" cat"))
    })
}

/// Reports syntax in a text for `sh` that only bash understands.
fn bashism_problem(subject: &LintSubject<'_>, piece: &CodePiece<'_>, context: &LintContext<'_>) -> Option<Problem> {
    let found = &piece.script.bashisms;
    let mut signs: Vec<&str> = Vec::new();
    for one in found {
        if !signs.contains(&one.character) {
            signs.push(one.character);
        }
    }
    let breaks = PLAIN_SHELLS.contains(&context.sh);
    let message = match (&signs[..], breaks) {
        ([], _) => return None,
        ([sign], true) => render!(messages::BREAKS, "sign" => *sign, "shell" => context.sh),
        ([sign], false) => render!(messages::BASHISM, "sign" => *sign),
        (several, _) => {
            let shown: Vec<String> = several.iter().map(|sign| format!("`{sign}`")).collect();
            let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
            let template = if breaks {
                messages::BREAKS_ALL
            } else {
                messages::BASHISM_ALL
            };
            template.render(args! { "signs" => join_few(&shown), "shell" => context.sh })
        }
    };
    // One remedy is for all of them.
    Some(subject.problem_in_lines(piece, found.iter().map(|one| one.line), message))
}

/// A script or program that is looked up from the directory in which the hook runs.
struct RelativePath {
    /// The path as it is written.
    written: String,
    /// The path below the directory.
    below: String,
    /// Whether `$PWD` stands before it.
    by_variable: bool,
}

/// Ways to write the directory in which the hook runs.
const WORKING_DIRECTORY: [&str; 4] = ["$PWD/", "${PWD}/", "$(pwd)/", "`pwd`/"];

fn relative_path(start: &StartedProgram<'_>) -> Option<RelativePath> {
    let (word, must_be_path) = match shell::target(start.words) {
        Target::Script(file) => (file, false),
        Target::Text(_) | Target::Module(_) => return None,
        Target::Program => (&start.words[0], true),
    };
    let written = word.text.as_str();
    let rest = WORKING_DIRECTORY.iter().find_map(|begin| written.strip_prefix(begin));
    let by_variable = rest.is_some() && start.piece.is_some();
    let name = rest.filter(|_| by_variable).unwrap_or(written);
    let computed = |character: char| "$`*?[{(<".contains(character);
    let is_relative = !name.is_empty()
        && !name.starts_with(['/', '~', '-', '&'])
        && !name.contains(computed)
        && !is_drive(name)
        && word.dropped_backslashes.is_empty()
        && (by_variable || !must_be_path || name.contains('/'));
    let below = match &start.base {
        BaseDir::Cwd => name.to_owned(),
        BaseDir::Below(dir) => format!("{dir}/{}", name.trim_start_matches("./")),
        BaseDir::At(_) | BaseDir::Unknown => return None,
    };
    is_relative.then(|| RelativePath {
        written: written.to_owned(),
        below,
        by_variable,
    })
}

/// Reports the first placeholder that was left in a path: `<path-to-project>/guard.sh`.
fn placeholder_problem(subject: &LintSubject<'_>) -> Option<Problem> {
    let pieces = subject
        .inline_pieces()
        .filter(|piece| piece.language != ScriptLanguage::Other);
    let mut texts = pieces
        .map(|piece| &*piece.text)
        .chain(subject.argv.iter().map(|word| word.text.as_str()));
    let name = texts.find_map(placeholder)?;
    Some(subject.problem_at(render!(messages::PLACEHOLDER, "written" => name), "command"))
}

/// Finds `<name>` beside a `/`.
fn placeholder(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(at, _)| {
        let inner = &text[at + 1..];
        let end = inner.find('>')?;
        let name = &inner[..end];
        let is_name = name.starts_with(|sign: char| sign.is_alphabetic())
            && name.chars().all(|sign| sign.is_alphanumeric() || " _-.".contains(sign));
        let beside = inner[end + 1..].starts_with(['/', '\\']) || text[..at].ends_with(['/', '\\']);
        (is_name && beside).then(|| &text[at..at + end + 2])
    })
}

/// Whether a word is one absolute path.
fn is_path(word: &Word) -> bool {
    let text = word.text.as_str();
    let begins = text.starts_with('/') || is_drive(text);
    let character = |character: char| "$*?`;|&<>\"'\n\t".contains(character);
    begins && !text.contains(character) && (word.quoted || !text.contains(' '))
}

/// Whether a path of one user is written in a file that all users of the project share. The user's own file and the
/// project's `settings.local.json` are not shared, so such paths are correct there.
pub(super) fn is_personal_in_shared_file(subject: &LintSubject<'_>, path: &str, context: &LintContext<'_>) -> bool {
    let source = &subject.hook.source;
    let is_local = source
        .path
        .file_name()
        .is_some_and(|name| name == "settings.local.json");
    source.layer == Layer::Project
        && !is_local
        && (path.starts_with('/') || is_drive(path))
        && is_personal(path, context)
}

/// Creates the problem for a path of one user in a shared file.
fn personal_path_problem(
    subject: &LintSubject<'_>,
    path: &str,
    agent: AgentProfile,
    context: &LintContext<'_>,
) -> Option<Problem> {
    if !is_personal_in_shared_file(subject, path, context) {
        return None;
    }
    let source = &subject.hook.source;
    let is_there = (context.path_exists)(Path::new(path));
    let project = source.project.as_deref().unwrap_or(&context.locations.project);
    let inside = Path::new(path).strip_prefix(project).ok().and_then(Path::to_str);
    let fixed = (agent.portable_path)(inside.filter(|inside| !inside.is_empty()).unwrap_or("…"), source.layer);
    let args = args! { "path" => path, "fixed" => fixed };
    let message = if is_there {
        messages::HOME.render(args)
    } else {
        messages::HOME_ABSENT.render(args)
    };
    Some(subject.problem_at(message, "command"))
}

/// Whether a path belongs to one user or one machine: in a home directory, in the project, or on a mounted drive.
#[must_use]
pub fn is_personal(path: &str, context: &LintContext<'_>) -> bool {
    let homes = ["/home/", "/Users/", "/root/", "/Volumes/", "/media/"];
    let inside_project = Path::new(path).starts_with(&context.locations.project);
    let mounted = path
        .strip_prefix("/mnt/")
        .is_some_and(|rest| rest.as_bytes().get(1) == Some(&b'/'));
    // An absolute path into the project is personal too, because other users have the project elsewhere.
    inside_project
        || Path::new(path).starts_with(&context.locations.home)
        || homes.iter().any(|home| path.starts_with(home))
        || mounted
        || is_drive(path)
}

/// Whether a path begins with a Windows drive: `C:\…`, `D:/…`.
#[must_use]
pub fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && (bytes[2] == b'\\' || bytes[2] == b'/')
}
