//! Conflicts between the hooks of one event that are the same in every dialect: a hook that two files define.

use std::collections::HashMap;

use hookwright_model::matcher::Condition;
use hookwright_model::{Card, Handler, Hook, LintContext, Problem, render};

use crate::command_lint::problem_at_field;

hookwright_model::messages! {
    /// Two files define a hook that runs the same under the same condition.
    DUPLICATE = "duplicate_hook" { "{other} runs the same command at {event} from another file, so it runs twice", "另一文件中的 {other} 在 {event} 执行相同的命令，因此会执行两次" } hint { "remove one of the two", "删除其中一个" };
}

/// Finds hooks that run the same under the same condition as an earlier hook of another file.
#[must_use]
pub fn find_duplicates(card: &Card, context: &LintContext<'_>) -> Vec<Problem> {
    let mut out = Vec::new();
    for event in card.events {
        let chain = context
            .hooks
            .iter()
            .filter(|hook| hook.event == event.name && runs(hook));
        // A condition has no hash, so hooks of the same body are compared.
        let mut seen: HashMap<&str, Vec<(&Condition, &Hook)>> = HashMap::new();
        for hook in chain {
            let Some(body) = body(hook) else { continue };
            let same = seen.entry(body).or_default();
            let is_same = |(condition, other): &&(&Condition, &Hook)| {
                **condition == hook.when && other.source.path != hook.source.path && !runs_once(other, hook)
            };
            if let Some((_, other)) = same.iter().find(is_same) {
                let message = render!(DUPLICATE, "other" => other.id, "event" => event.name);
                out.push(problem_at_field(hook, message, "command"));
            } else if same.len() < MAX_COMPARED {
                same.push((&hook.when, hook));
            }
        }
    }
    out
}

/// Whether the agent takes both for one hook, of which it runs only the last (`claude-code.md` §7).
fn runs_once(one: &Hook, other: &Hook) -> bool {
    one.same_as.is_some() && (&one.same_as, one.tier) == (&other.same_as, other.tier)
}

/// With how many hooks of the same body a hook is compared.
const MAX_COMPARED: usize = 64;

fn runs(hook: &Hook) -> bool {
    hook.invalid.is_none() && hook.disabled_reason.is_none()
}

/// What identifies the work of a hook.
fn body(hook: &Hook) -> Option<&str> {
    match &hook.handler {
        Handler::Shell { command } => Some(command.trim()),
        Handler::Prompt { template, .. } => Some(template.trim()),
        Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => None,
    }
}
