//! Rows that look at a command: whether it can start, its variables, its paths, its shell.

use hookwright_model::{Layer, LintContext, OnFailure, Problem, args};

use super::{View, messages};
use crate::commands::{Agent, Effect, not_portable, trouble, unset_variable};
use crate::jcli::events::CARD;
use crate::jcli::prompt::look_alike;
use crate::shell::base_name;

/// What advice knows of j-cli.
const JCLI: Agent = Agent {
    card: &CARD,
    ours: &[
        "JCLI_HOOK_EVENT",
        "JCLI_CWD",
        "HOOKWRIGHT_TRACE",
        "HOOKWRIGHT_RUN",
        "HOOKWRIGHT_DEPTH",
    ],
    stdin: "jq -r .tool_name",
    portable: |path, layer| match layer {
        Layer::User => format!("~/.jdata/agent/hooks/{}", base_name(path)),
        Layer::Builtin | Layer::Project | Layer::Session | Layer::Skill => path.to_owned(),
    },
    relative_holds: true,
};

pub(super) fn advise(view: &View<'_>, desk: &LintContext<'_>, out: &mut Vec<Problem>) {
    let (Some(command), Some(subject)) = (view.command(), &view.subject) else {
        return;
    };
    let effect = if view.event.notify_only || view.hook.on_failure == OnFailure::Closed {
        Effect::Idle
    } else {
        Effect::Open
    };
    if let Some(trouble) = trouble(subject, &CARD, desk) {
        out.push(trouble.told(subject, effect));
    }
    unset_variable(subject, JCLI, desk, out);
    not_portable(subject, JCLI, desk, out);
    out.extend(template_in_command(view, command));
}

fn template_in_command(view: &View<'_>, command: &str) -> Option<Problem> {
    let (_, (inside, _)) = command
        .match_indices("{{")
        .find_map(|(at, _)| Some((at, look_alike(&command[at + 2..])?)))?;
    Some(view.say(
        messages::TEMPLATE.render(args! { "written" => format!("{{{{{inside}}}}}") }),
        "command",
    ))
}
