//! Rows that look at a command: its variables, its paths, its shell.

use std::path::Path;

use hookwright_model::{Layer, LintDesk, Problem, args};

use super::{View, sayings};
use crate::commands::{has_script_ending, is_drive, is_personal, relative_script, unset};
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
pub(super) fn advise(view: &View<'_>, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let Some(command) = view.command() else { return };
    unset_variable(view, command, desk, out);
    not_portable(view, command, desk, out);
    out.extend(template_in_command(view, command));
}

fn unset_variable(view: &View<'_>, command: &str, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    for name in unset(&view.hook.id, command, desk, &OURS) {
        out.push(view.say(sayings::UNSET.say(args! { "name" => name }), "command"));
    }
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

fn template_in_command(view: &View<'_>, command: &str) -> Option<Problem> {
    let (_, (inside, _)) = command
        .match_indices("{{")
        .find_map(|(at, _)| Some((at, look_alike(&command[at + 2..])?)))?;
    Some(view.say(
        sayings::TEMPLATE.say(args! { "written" => format!("{{{{{inside}}}}}") }),
        "command",
    ))
}
