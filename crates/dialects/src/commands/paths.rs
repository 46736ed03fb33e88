//! What holds on one machine, in one directory or in one shell only.

use std::path::Path;

use hookwright_model::{Layer, LintContext, Problem, args};

use super::start::{Base, Start, starts};
use super::{Agent, Piece, Reader, Subject, messages};
use crate::shell::{self, Target, Word};

/// Shells that are known not to have what bash has.
const PLAIN_SHELLS: [&str; 3] = ["dash", "ash", "busybox"];

/// Relative scripts, paths of one person, and what only bash understands.
pub fn not_portable(subject: &Subject<'_>, agent: Agent, desk: &LintContext<'_>, out: &mut Vec<Problem>) {
    let layer = subject.hook.source.layer;
    // A session's hooks live as long as the session, on this machine only.
    if ![Layer::Project, Layer::User].contains(&layer) {
        return;
    }
    let starts = starts(subject, agent.card, desk);
    let first_relative = starts.iter().find_map(relative);
    if let Some(path) = first_relative.filter(|_| layer == Layer::User || !agent.relative_holds) {
        let fixed = (agent.portable)(path.trim_start_matches("./"), layer);
        let words = messages::RELATIVE.render(args! { "path" => path, "fixed" => fixed });
        out.push(subject.say(words, "command"));
    }
    let mut said: Vec<&str> = Vec::new();
    for start in &starts {
        for word in start.words.iter().filter(|word| is_path(word)) {
            let path = word.text.as_str();
            if !said.contains(&path)
                && let Some(problem) = personal(subject, path, agent, desk)
            {
                said.push(path);
                out.push(problem);
            }
        }
    }
    for piece in subject.pieces.iter().filter(|piece| piece.reader == Reader::Sh) {
        out.extend(bashism(subject, piece, desk));
    }
}

/// The first sign in a text for `sh` that only bash knows.
fn bashism(subject: &Subject<'_>, piece: &Piece<'_>, desk: &LintContext<'_>) -> Option<Problem> {
    let found = piece.script.bashisms.iter().min_by_key(|one| one.line)?;
    let args = args! { "sign" => found.sign, "shell" => desk.sh };
    let words = if PLAIN_SHELLS.contains(&desk.sh) {
        messages::BREAKS.render(args)
    } else {
        messages::BASHISM.render(args)
    };
    Some(subject.say_in(piece, found.line, words))
}

/// The script or program that is looked up from the directory the hook runs in.
fn relative<'s>(start: &'s Start<'_>) -> Option<&'s str> {
    if start.base != Base::Cwd {
        return None;
    }
    let program = start.words[0].text.as_str();
    let name = match shell::target(start.words) {
        Target::Script(file) => file.text.as_str(),
        Target::Text(_) | Target::Module(_) => return None,
        Target::Program => Some(program).filter(|program| program.contains('/'))?,
    };
    let computed = |sign: char| "$`*?[{(<".contains(sign);
    (!name.is_empty() && !name.starts_with(['/', '~', '-', '&']) && !name.contains(computed) && !is_drive(name))
        .then_some(name)
}

/// Whether a word is one absolute path.
fn is_path(word: &Word) -> bool {
    let text = word.text.as_str();
    let begins = text.starts_with('/') || is_drive(text);
    let sign = |sign: char| "$*?`;|&<>\"'\n\t".contains(sign);
    begins && !text.contains(sign) && (word.quoted || !text.contains(' '))
}

/// Whether a word is a path of one person in a file that is for everybody. What one person has is what their own file and
/// the project's local one are for.
pub(super) fn is_told(subject: &Subject<'_>, path: &str, desk: &LintContext<'_>) -> bool {
    let source = &subject.hook.source;
    let is_local = source
        .path
        .file_name()
        .is_some_and(|name| name == "settings.local.json");
    source.layer == Layer::Project && !is_local && (path.starts_with('/') || is_drive(path)) && is_personal(path, desk)
}

/// What is said of a path that one person has.
fn personal(subject: &Subject<'_>, path: &str, agent: Agent, desk: &LintContext<'_>) -> Option<Problem> {
    if !is_told(subject, path, desk) {
        return None;
    }
    let source = &subject.hook.source;
    let is_there = (desk.is_there)(Path::new(path));
    let project = source.project.as_deref().unwrap_or(&desk.places.project);
    let inside = Path::new(path).strip_prefix(project).ok().and_then(Path::to_str);
    let fixed = (agent.portable)(inside.filter(|inside| !inside.is_empty()).unwrap_or("…"), source.layer);
    let args = args! { "path" => path, "fixed" => fixed };
    let words = if is_there {
        messages::HOME.render(args)
    } else {
        messages::HOME_ABSENT.render(args)
    };
    Some(subject.say(words, "command"))
}

/// Whether a path is in one person's home or on their drive.
#[must_use]
pub fn is_personal(path: &str, desk: &LintContext<'_>) -> bool {
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
