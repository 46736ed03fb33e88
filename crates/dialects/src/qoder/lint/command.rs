//! Rows that look at a command: whether it can start, its variables, its paths, its shell.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookwright_model::{Layer, LintDesk, Problem, Saying, args};

use super::{View, sayings};
use crate::commands::{
    exit_code, has_script_ending, is_drive, is_personal, lines, missing_command, relative_script, unset,
};
use crate::shell::{self, Word, base_name};

/// Set by us for every hook.
const OURS: [&str; 4] = [
    "QODER_PROJECT_DIR",
    "HOOKWRIGHT_TRACE",
    "HOOKWRIGHT_RUN",
    "HOOKWRIGHT_DEPTH",
];
/// A guard needs some time to start.
const SHORT: Duration = Duration::from_secs(1);

pub(super) fn advise(view: &View<'_>, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let Some(command) = view.command() else { return };
    let shell = Shell::of(view);
    if ["PreToolUse", "PermissionRequest"].contains(&view.event.name) {
        fails_open(view, command, shell, desk, out);
    }
    if shell != Shell::None {
        unset_variable(view, command, desk, out);
    }
    if view.hook.source.layer == Layer::Project {
        not_portable(view, command, shell, desk, out);
    }
}

/// What reads the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shell {
    Sh,
    Bash,
    None,
}

impl Shell {
    fn of(view: &View<'_>) -> Self {
        let definition = &view.hook.definition;
        if definition.get("args").is_some() {
            Self::None
        } else if definition.get("shell").is_some_and(|shell| shell == "bash") {
            Self::Bash
        } else {
            Self::Sh
        }
    }

    /// The programs that a command starts.
    fn programs(self, command: &str) -> Vec<Vec<Word>> {
        if self == Self::None {
            let text = command.to_owned();
            return vec![vec![Word { text, quoted: true }]];
        }
        shell::scan(command).programs().map(<[Word]>::to_vec).collect()
    }
}

/// A guard that lets pass when it breaks, and ways in which it surely breaks.
fn fails_open(view: &View<'_>, command: &str, shell: Shell, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let programs = shell.programs(command);
    if let Some((saying, name)) = cannot_start(view, &programs, command, shell, desk) {
        out.push(view.say(saying.say(args! { "name" => name }), "command"));
    }
    if view.hook.timeout < SHORT {
        out.push(view.say(sayings::OPEN_SHORT.plain(), "timeout"));
    }
    let end = command.trim_end().trim_end_matches(';').trim_end();
    if shell != Shell::None
        && let Some(tail) = ["|| true", "||true", "; exit 0", ";exit 0", "|| :"]
            .iter()
            .find(|tail| end.ends_with(**tail))
    {
        out.push(view.say(sayings::OPEN_TAIL.say(args! { "tail" => *tail }), "command"));
    }
    let codes: Vec<i32> = lines(&view.text).filter_map(exit_code).collect();
    if codes.contains(&1) && !codes.contains(&2) && !view.blocks() && !decides(view) {
        out.push(view.say(sayings::OPEN_ONE.plain(), "command"));
    }
}

/// Whether it answers with a permission.
fn decides(view: &View<'_>) -> bool {
    ["permissionDecision", "behavior"]
        .iter()
        .any(|field| crate::reads::writes(&view.text, field))
}

fn cannot_start(
    view: &View<'_>,
    programs: &[Vec<Word>],
    command: &str,
    shell: Shell,
    desk: &LintDesk<'_>,
) -> Option<(&'static Saying, String)> {
    for words in programs {
        let first = words.first()?.text.as_str();
        if first.contains('/') {
            if let Some(path) = place(view, first, desk) {
                if !(desk.is_there)(&path) {
                    return Some((&sayings::OPEN_PROGRAM, first.to_owned()));
                }
                if !(desk.runs)(&path) {
                    return Some((&sayings::OPEN_BIT, first.to_owned()));
                }
            }
        } else if let Some(script) = script_of(words)
            && let Some(path) = place(view, script, desk)
            && !(desk.is_there)(&path)
        {
            return Some((&sayings::OPEN_SCRIPT, script.to_owned()));
        }
    }
    let missing = match shell {
        Shell::None => Some(command.to_owned()).filter(|name| !name.contains('/') && !(desk.on_path)(name)),
        Shell::Sh | Shell::Bash => missing_command(command, desk),
    };
    missing.map(|name| (&sayings::OPEN_PROGRAM, name))
}

/// The script file that an interpreter is given.
fn script_of(words: &[Word]) -> Option<&str> {
    let interpreters = [
        "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "sh", "bash", "zsh", "dash",
    ];
    let program = base_name(&words.first()?.text);
    if !interpreters.contains(&program) {
        return None;
    }
    let script = words[1..].iter().find(|word| !word.text.starts_with('-'))?;
    has_script_ending(&script.text).then_some(script.text.as_str())
}

/// Where a word's file is, as far as that is known: from the project, whose directory is usually the payload's.
fn place(view: &View<'_>, word: &str, desk: &LintDesk<'_>) -> Option<PathBuf> {
    let project = view.hook.source.project.as_deref().unwrap_or(&desk.places.project);
    for (head, base) in [
        ("$QODER_PROJECT_DIR/", project),
        ("${QODER_PROJECT_DIR}/", project),
        ("~/", &*desk.places.home),
        ("$HOME/", &*desk.places.home),
        ("${HOME}/", &*desk.places.home),
    ] {
        if let Some(rest) = word.strip_prefix(head) {
            return plain(rest).then(|| base.join(rest));
        }
    }
    plain(word).then(|| project.join(word))
}

/// Whether a word is what it says: no variable, no pattern, no substitution.
fn plain(word: &str) -> bool {
    !word.contains(|sign: char| "$*?`[{~".contains(sign)) && !word.is_empty()
}

fn unset_variable(view: &View<'_>, command: &str, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let own = view.hook.definition.get("env").and_then(serde_json::Value::as_object);
    let own = own.into_iter().flatten().map(|(name, _)| name.as_str());
    let known: Vec<&str> = OURS.into_iter().chain(own).collect();
    for name in unset(&view.hook.id, command, desk, &known) {
        out.push(view.say(sayings::UNSET.say(args! { "name" => name }), "command"));
    }
}

/// Paths of one machine or directory, and what only bash understands.
fn not_portable(view: &View<'_>, command: &str, shell: Shell, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    for words in shell.programs(command) {
        if let Some(path) = relative_script(&words) {
            out.push(view.say(
                sayings::RELATIVE.say(args! { "path" => path, "fixed" => fixed(path) }),
                "command",
            ));
        }
        fixed_paths(view, &words, desk, out);
    }
    if shell == Shell::Sh
        && let Some(sign) = shell::scan(command).bashisms.first()
    {
        out.push(view.say(sayings::BASHISM.say(args! { "sign" => *sign }), "command"));
    }
}

/// The same file, wherever the command runs.
fn fixed(path: &str) -> String {
    format!("\"$QODER_PROJECT_DIR/{}\"", path.trim_start_matches("./"))
}

fn fixed_paths(view: &View<'_>, words: &[Word], desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let starts = |index: usize| index == 0 || words.get(index).is_some_and(|word| has_script_ending(&word.text));
    for (index, word) in words.iter().enumerate() {
        let path = word.text.as_str();
        let whole = !path.contains(|sign: char| sign.is_whitespace() || "$*?`".contains(sign));
        if !whole || !(path.starts_with('/') || is_drive(path)) {
            continue;
        }
        if is_personal(path, desk) {
            out.push(view.say(sayings::HOME.say(args! { "path" => path }), "command"));
        } else if starts(index) && !(desk.is_there)(Path::new(path)) {
            out.push(view.say(sayings::ABSENT.say(args! { "path" => path }), "command"));
        }
    }
}
