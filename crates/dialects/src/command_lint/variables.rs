//! Finds variables that a command or a shell script uses although nothing sets them.

use hookwright_model::{Card, LintContext, Problem, args};

use super::{AgentProfile, CodePiece, LintSubject, messages};
use crate::shell::VariableUse;

/// Variables that the shell itself sets.
const SHELL_VARIABLES: [&str; 27] = [
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
/// Variables that systems, terminals, desktops and build servers set. They may be set elsewhere even if not here.
const SYSTEM_VARIABLES: [&str; 24] = [
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
const SYSTEM_PREFIXES: [&str; 7] = ["BASH", "LC_", "XDG_", "SSH_", "TERM_", "GITHUB_", "CONDA_"];

/// Reports each variable once that neither the agent, nor the hook's environment, nor its command sets.
pub fn check_unset_variables(
    subject: &LintSubject<'_>,
    agent: AgentProfile,
    context: &LintContext<'_>,
    out: &mut Vec<Problem>,
) {
    let hook_env = definition_env(subject, agent.card);
    let given = |name: &String| {
        agent.env_vars.contains(&name.as_str()) || context.env.contains(name) || hook_env.contains(&name)
    };
    let by_command = |name: &String| subject.inline_pieces().any(|piece| piece.script.sets.contains(name));
    let mut reported: Vec<&str> = Vec::new();
    for piece in subject.pieces.iter().filter(|piece| !piece.script.opaque) {
        let is_set =
            |name: &String| given(name) || is_well_known(name) || piece.script.sets.contains(name) || by_command(name);
        for one in piece.script.uses.iter().filter(|one| !is_set(&one.name)) {
            let is_switch = one.is_switch && !names_event_field(&one.name);
            let is_of_other = is_project_dir(&one.name) && has_own_project_dir(subject, agent.card);
            if is_switch || is_of_other || one.unless.iter().any(given) || reported.contains(&one.name.as_str()) {
                continue;
            }
            reported.push(&one.name);
            out.push(unset_problem(subject, piece, one, agent));
        }
    }
}

/// Returns the variables that the definition itself sets.
fn definition_env<'s>(subject: &'s LintSubject<'_>, card: &Card) -> Vec<&'s String> {
    let env = card.env_field.and_then(|field| subject.hook.definition.get(field));
    let env = env.and_then(serde_json::Value::as_object).into_iter().flatten();
    env.map(|(name, _)| name).collect()
}

/// Whether nothing sets a variable: neither the agent, nor the system, nor the hook.
pub(super) fn is_unset(subject: &LintSubject<'_>, card: &Card, context: &LintContext<'_>, name: &str) -> bool {
    let by_agent = name.starts_with("HOOKWRIGHT_") || card.dir_vars.iter().any(|dir| dir.name == name);
    let by_system = is_well_known(name) || context.env.iter().any(|known| known == name);
    let by_hook = definition_env(subject, card).iter().any(|known| *known == name)
        || subject
            .pieces
            .iter()
            .any(|piece| piece.script.opaque || piece.script.sets.contains(name));
    !by_agent && !by_system && !by_hook
}

fn is_well_known(name: &str) -> bool {
    SHELL_VARIABLES.contains(&name)
        || SYSTEM_VARIABLES.contains(&name)
        || SYSTEM_PREFIXES.iter().any(|begin| name.starts_with(begin))
}

/// Whether a name has a word of the fields of an event, so that it is meant to hold one: `TOOL_INPUT`.
fn names_event_field(name: &str) -> bool {
    const EVENT_WORDS: [&str; 11] = [
        "TOOL",
        "INPUT",
        "COMMAND",
        "CMD",
        "PROMPT",
        "EVENT",
        "PAYLOAD",
        "ARGS",
        "ARGUMENTS",
        "FILE",
        "PATH",
    ];
    name.split('_').any(|word| EVENT_WORDS.contains(&word))
}

/// Whether some agent uses a variable of this form for the project directory: `CLAUDE_PROJECT_DIR`.
fn is_project_dir(name: &str) -> bool {
    name.ends_with("_PROJECT_DIR")
}

fn unset_problem(subject: &LintSubject<'_>, piece: &CodePiece<'_>, one: &VariableUse, agent: AgentProfile) -> Problem {
    let uses = piece.script.uses.iter().filter(|other| other.name == one.name);
    let lines = uses.map(|other| other.line);
    if is_project_dir(&one.name) && agent.card.dir_vars.is_empty() {
        let args = args! { "name" => one.name, "agent" => agent.card.name };
        return subject.problem_in_lines(piece, lines, messages::UNSET_ROOT.render(args));
    }
    let right = agent.card.dir_vars.first().map(|dir_var| dir_var.name);
    if let Some(fixed) = right.filter(|_| is_project_dir(&one.name)) {
        let args = args! { "name" => one.name, "agent" => agent.card.name, "fixed" => fixed };
        return subject.problem_in_lines(piece, lines, messages::UNSET_PROJECT.render(args));
    }
    let example = fitting_field(subject, agent, &one.name);
    let example = example.map_or_else(|| agent.stdin_example.to_owned(), |field| format!("jq -r .{field}"));
    let args = args! { "name" => one.name, "agent" => agent.card.name, "example" => example };
    subject.problem_in_lines(piece, lines, messages::UNSET.render(args))
}

/// Whether the hook uses the agent's own variable for the project directory, so that the one of another agent is for that.
fn has_own_project_dir(subject: &LintSubject<'_>, card: &Card) -> bool {
    let is_own = |one: &VariableUse| card.dir_vars.iter().any(|dir_var| dir_var.name == one.name);
    subject.pieces.iter().any(|piece| piece.script.uses.iter().any(is_own))
}

/// The field of the hook's event, as a path in it, that a variable of this name is meant to hold: `prompt` for `PROMPT`,
/// `tool_input.command` for `TOOL_INPUT_command`.
fn fitting_field(subject: &LintSubject<'_>, agent: AgentProfile, name: &str) -> Option<String> {
    let event = agent.card.event(&subject.hook.event)?;
    let fields: Vec<&str> = agent
        .card
        .common
        .iter()
        .chain(event.fields)
        .map(|field| field.name)
        .collect();
    let lower = name.to_lowercase();
    // The first word may name the agent or the hook: `HOOK_PROMPT`.
    field_of_name(&fields, &lower).or_else(|| field_of_name(&fields, lower.split_once('_')?.1))
}

fn field_of_name(fields: &[&str], name: &str) -> Option<String> {
    let has_input = fields.contains(&"tool_input");
    if fields.contains(&name) {
        return Some(name.to_owned());
    }
    let of_input = name.strip_prefix("tool_input_");
    let inner = match of_input.or_else(|| name.strip_prefix("tool_")).unwrap_or(name) {
        "args" | "arguments" | "params" => return has_input.then(|| "tool_input".to_owned()),
        "file" | "files" | "path" | "file_path" | "file_paths" | "filepath" => "file_path",
        "cmd" | "command" => "command",
        inner if of_input.is_some() => inner,
        _ => return None,
    };
    has_input.then(|| format!("tool_input.{inner}"))
}
