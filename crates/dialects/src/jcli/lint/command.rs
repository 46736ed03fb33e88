//! The rules that check a command: whether it can start, its variables, its paths, its shell.

use hookwright_model::{Layer, LintContext, Problem, render};

use super::{LintedHook, messages};
use crate::command_lint::{
    AgentProfile, RelativePaths, check_portability, check_script_programs, check_unset_variables, defines_only,
    find_start_failure,
};
use crate::jcli::events::CARD;
use crate::jcli::prompt::near_placeholder;
use crate::shell::base_name;

/// What the rules for any command need to know about j-cli.
const JCLI: AgentProfile = AgentProfile {
    card: &CARD,
    env_vars: &[
        "JCLI_HOOK_EVENT",
        "JCLI_CWD",
        "HOOKWRIGHT_TRACE",
        "HOOKWRIGHT_RUN",
        "HOOKWRIGHT_DEPTH",
    ],
    stdin_example: "jq -r .tool_name",
    portable_path: |path, layer| match layer {
        Layer::User => format!("~/.jdata/agent/hooks/{}", base_name(path)),
        Layer::Builtin | Layer::Project | Layer::Session | Layer::Skill => path.to_owned(),
    },
    uses_login_shell: false,
    relative_paths: RelativePaths::Work,
};

pub(super) fn advise(view: &LintedHook<'_>, context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let (Some(command), Some(subject)) = (view.command(), &view.subject) else {
        return;
    };
    if let Some(trouble) = find_start_failure(subject, &CARD, context) {
        out.push(trouble.problem(subject, [(view.hook, view.event)]));
    }
    check_script_programs(subject, &CARD, view.can_block(), context, out);
    out.extend(defines_only(subject, view.event));
    check_unset_variables(subject, JCLI, context, out);
    check_portability(subject, JCLI, context, out);
    out.extend(template_in_command(view, command));
}

fn template_in_command(view: &LintedHook<'_>, command: &str) -> Option<Problem> {
    let (_, (inside, _)) = command
        .match_indices("{{")
        .find_map(|(at, _)| Some((at, near_placeholder(&command[at + 2..])?)))?;
    Some(view.problem_at_field(
        render!(messages::TEMPLATE, "written" => format!("{{{{{inside}}}}}")),
        "command",
    ))
}
