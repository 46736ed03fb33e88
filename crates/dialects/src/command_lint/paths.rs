//! Finds what works on one machine, in one directory or in one shell only.

use std::path::Path;

use hookwright_model::{Layer, LintContext, Problem, args, render};

use super::start::{BaseDir, StartedProgram, started_programs};
use super::{AgentProfile, CodePiece, LintSubject, ScriptLanguage, messages};
use crate::shell::{self, Target, Word};

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
    let first_relative = starts.iter().find_map(relative_path);
    if let Some(path) = first_relative.filter(|_| layer == Layer::User || !agent.relative_paths_work) {
        let fixed = (agent.portable_path)(path.trim_start_matches("./"), layer);
        let message = render!(messages::RELATIVE, "path" => path, "fixed" => fixed);
        out.push(subject.problem_at(message, "command"));
    }
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
    for piece in subject
        .pieces
        .iter()
        .filter(|piece| piece.language == ScriptLanguage::Sh)
    {
        out.extend(bashism_problem(subject, piece, context));
    }
}

/// Reports the first syntax in a text for `sh` that only bash understands.
fn bashism_problem(subject: &LintSubject<'_>, piece: &CodePiece<'_>, context: &LintContext<'_>) -> Option<Problem> {
    let found = piece.script.bashisms.iter().min_by_key(|one| one.line)?;
    let args = args! { "sign" => found.character, "shell" => context.sh };
    let message = if PLAIN_SHELLS.contains(&context.sh) {
        messages::BREAKS.render(args)
    } else {
        messages::BASHISM.render(args)
    };
    Some(subject.problem_in_piece(piece, found.line, message))
}

/// Returns the script or program that is looked up from the directory in which the hook runs.
fn relative_path<'s>(start: &'s StartedProgram<'_>) -> Option<&'s str> {
    if start.base != BaseDir::Cwd {
        return None;
    }
    let program = start.words[0].text.as_str();
    let name = match shell::target(start.words) {
        Target::Script(file) => file.text.as_str(),
        Target::Text(_) | Target::Module(_) => return None,
        Target::Program => Some(program).filter(|program| program.contains('/'))?,
    };
    let computed = |character: char| "$`*?[{(<".contains(character);
    (!name.is_empty() && !name.starts_with(['/', '~', '-', '&']) && !name.contains(computed) && !is_drive(name))
        .then_some(name)
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
