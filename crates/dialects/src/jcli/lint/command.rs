//! Rows that look at a command: its variables, its paths, its shell.

use std::path::Path;

use hookwright_model::{Layer, LintDesk, Problem, args};

use super::{View, sayings};
use crate::jcli::prompt::look_alike;
use crate::shell::{self, Word, base_name};

/// Set by us for every hook.
const OURS: [&str; 5] = [
    "JCLI_HOOK_EVENT",
    "JCLI_CWD",
    "HOOKWRIGHT_TRACE",
    "HOOKWRIGHT_RUN",
    "HOOKWRIGHT_DEPTH",
];
/// Set by the shell itself.
const SHELLS: [&str; 18] = [
    "PWD", "OLDPWD", "IFS", "PPID", "OPTIND", "OPTARG", "OPTERR", "PS1", "PS2", "PS4", "LINENO", "RANDOM", "SECONDS",
    "UID", "EUID", "HOSTNAME", "SHLVL", "REPLY",
];

pub(super) fn advise(view: &View<'_>, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let Some(command) = view.command() else { return };
    unset_variable(view, command, desk, out);
    not_portable(view, command, desk, out);
    out.extend(template_in_command(view, command));
}

fn unset_variable(view: &View<'_>, command: &str, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let mut said: Vec<String> = Vec::new();
    let scripts = desk
        .named
        .get(&view.hook.id)
        .into_iter()
        .flatten()
        .filter(|(path, text)| is_shell(path, text));
    for text in std::iter::once(command).chain(scripts.map(|(_, text)| text.as_str())) {
        let script = shell::scan(text);
        if script.opaque {
            continue;
        }
        for name in &script.uses {
            let known = OURS.contains(&name.as_str())
                || SHELLS.contains(&name.as_str())
                || name.starts_with("BASH")
                || script.sets.contains(name)
                || desk.env.contains(name);
            if !known && !said.contains(name) {
                said.push(name.clone());
                out.push(view.say(sayings::UNSET.say(args! { "name" => name }), "command"));
            }
        }
    }
}

fn is_shell(path: &Path, text: &str) -> bool {
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

fn not_portable(view: &View<'_>, command: &str, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let script = shell::scan(command);
    let starts: Vec<&[Word]> = script.programs().collect();
    // A session's hooks live as long as the session, on this machine only.
    match view.hook.source.layer {
        Layer::User => {
            for path in starts.iter().filter_map(|words| relative_script(words)) {
                out.push(view.say(
                    sayings::RELATIVE.say(args! { "path" => path, "name" => base_name(path) }),
                    "command",
                ));
            }
        }
        Layer::Project => {
            for words in &starts {
                fixed_paths(view, words, desk, out);
            }
        }
        Layer::Builtin | Layer::Session | Layer::Skill => return,
    }
    if let Some(sign) = script.bashisms.first() {
        out.push(view.say(sayings::BASHISM.say(args! { "sign" => *sign }), "command"));
    }
}

/// The script a command runs, when it is looked for from the working directory.
fn relative_script(words: &[Word]) -> Option<&str> {
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

fn has_script_ending(name: &str) -> bool {
    let endings = [
        ".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua",
    ];
    endings
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// Absolute paths that only one machine or one person has.
fn fixed_paths(view: &View<'_>, words: &[Word], desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let script = words[1..]
        .iter()
        .position(|word| has_script_ending(&word.text))
        .map(|at| at + 1);
    for (index, word) in words.iter().enumerate() {
        let path = word.text.as_str();
        let whole = !path.contains(|sign: char| sign.is_whitespace() || "$*?`".contains(sign));
        if !whole || !(path.starts_with('/') || is_drive(path)) {
            continue;
        }
        if is_personal(path, desk) {
            out.push(view.say(sayings::HOME.say(args! { "path" => path }), "command"));
        } else if (index == 0 || Some(index) == script) && !(desk.is_there)(Path::new(path)) {
            out.push(view.say(sayings::ABSENT.say(args! { "path" => path }), "command"));
        }
    }
}

fn is_personal(path: &str, desk: &LintDesk<'_>) -> bool {
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
fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && (bytes[2] == b'\\' || bytes[2] == b'/')
}

fn template_in_command(view: &View<'_>, command: &str) -> Option<Problem> {
    let (_, (inside, _)) = command
        .match_indices("{{")
        .find_map(|(at, _)| Some((at, look_alike(&command[at + 2..])?)))?;
    Some(view.say(
        sayings::TEMPLATE.say(args! { "written" => format!("{{{{{inside}}}}}") }),
        "command",
    ))
}
