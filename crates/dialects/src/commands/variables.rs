//! Variables that a command or a shell script uses, and that are empty there.

use hookwright_model::{Card, LintContext, Problem, args};

use super::{Agent, Piece, Subject, messages};
use crate::shell::Use;

/// Set by the shell itself.
const SHELL: [&str; 27] = [
    "PWD",
    "OLDPWD",
    "IFS",
    "PPID",
    "OPTIND",
    "OPTARG",
    "OPTERR",
    "PS1",
    "PS2",
    "PS4",
    "LINENO",
    "RANDOM",
    "SECONDS",
    "UID",
    "EUID",
    "HOSTNAME",
    "HOSTTYPE",
    "OSTYPE",
    "MACHTYPE",
    "SHLVL",
    "REPLY",
    "PIPESTATUS",
    "FUNCNAME",
    "DIRSTACK",
    "GROUPS",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
];
/// Set by systems, terminals, desktops and build servers: absent here, they may be there elsewhere.
const USUAL: [&str; 24] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "TMUX",
    "CI",
    "NO_COLOR",
    "COLORTERM",
    "COLUMNS",
    "LINES",
    "VIRTUAL_ENV",
    "USERPROFILE",
    "APPDATA",
    "WSL_DISTRO_NAME",
];
const USUAL_BEGINNINGS: [&str; 7] = ["BASH", "LC_", "XDG_", "SSH_", "TERM_", "GITHUB_", "CONDA_"];

/// Each variable once that neither the agent, nor the hook's environment, nor its command sets.
pub fn unset_variable(subject: &Subject<'_>, agent: Agent, desk: &LintContext<'_>, out: &mut Vec<Problem>) {
    let own = own_env(subject, agent.card);
    let given = |name: &String| agent.ours.contains(&name.as_str()) || desk.env.contains(name) || own.contains(&name);
    let by_command = |name: &String| subject.own().any(|piece| piece.script.sets.contains(name));
    let mut said: Vec<&str> = Vec::new();
    for piece in subject.pieces.iter().filter(|piece| !piece.script.opaque) {
        let is_set =
            |name: &String| given(name) || is_usual(name) || piece.script.sets.contains(name) || by_command(name);
        for one in piece.script.uses.iter().filter(|one| !is_set(&one.name)) {
            if one.unless.iter().any(given) || said.contains(&one.name.as_str()) {
                continue;
            }
            said.push(&one.name);
            out.push(empty(subject, piece, one, agent));
        }
    }
}

/// The variables that the definition itself sets.
fn own_env<'s>(subject: &'s Subject<'_>, card: &Card) -> Vec<&'s String> {
    let own = card.env_field.and_then(|field| subject.hook.definition.get(field));
    let own = own.and_then(serde_json::Value::as_object).into_iter().flatten();
    own.map(|(name, _)| name).collect()
}

/// Whether nothing sets a variable: not the agent, not the system, and not the hook.
pub(super) fn is_unset(subject: &Subject<'_>, card: &Card, desk: &LintContext<'_>, name: &str) -> bool {
    let by_agent = name.starts_with("HOOKWRIGHT_") || card.dir_vars.iter().any(|dir| dir.name == name);
    let by_system = is_usual(name) || desk.env.iter().any(|known| known == name);
    let by_hook = own_env(subject, card).iter().any(|known| *known == name)
        || subject
            .pieces
            .iter()
            .any(|piece| piece.script.opaque || piece.script.sets.contains(name));
    !by_agent && !by_system && !by_hook
}

fn is_usual(name: &str) -> bool {
    SHELL.contains(&name) || USUAL.contains(&name) || USUAL_BEGINNINGS.iter().any(|begin| name.starts_with(begin))
}

/// Whether agents name the project's folder so: `CLAUDE_PROJECT_DIR`.
fn is_project(name: &str) -> bool {
    name.ends_with("_PROJECT_DIR")
}

fn empty(subject: &Subject<'_>, piece: &Piece<'_>, one: &Use, agent: Agent) -> Problem {
    if let Some(ours) = agent.card.dir_vars.first().filter(|_| is_project(&one.name)) {
        let args = args! { "name" => one.name, "agent" => agent.card.name, "fixed" => ours.name };
        return subject.say_in(piece, one.line, messages::UNSET_PROJECT.render(args));
    }
    let told = agent.ours.iter().filter(|name| !name.starts_with("HOOKWRIGHT_"));
    let set = told.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let args = args! { "name" => one.name, "agent" => agent.card.name, "example" => agent.stdin, "set" => set };
    subject.say_in(piece, one.line, messages::UNSET.render(args))
}
