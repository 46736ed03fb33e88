//! The rules that check a command: whether it can start, its variables, its paths, its shell.

use std::time::Duration;

use hookwright_model::{Layer, LintContext, Problem, RunMode, render};

use super::{LintedHook, messages};
use crate::command_lint::messages::UNEXPANDED;
use crate::command_lint::ways::open_ways;
use crate::command_lint::{
    AgentProfile, LintSubject, RelativePaths, StartFailure, StartReason, check_argument_signs, check_portability,
    check_script_programs, check_unset_variables, defines_only, find_start_failure,
};
use crate::qoder::events::CARD;
use crate::shell::{Target, target};

/// What the rules for any command need to know about Qoder.
const QODER: AgentProfile = AgentProfile {
    card: &CARD,
    env_vars: &[
        "QODER_PROJECT_DIR",
        "HOOKWRIGHT_TRACE",
        "HOOKWRIGHT_RUN",
        "HOOKWRIGHT_DEPTH",
    ],
    stdin_example: "jq -r .tool_input.file_path",
    portable_path: |path, layer| match layer {
        Layer::User if path.starts_with(".qoder/") => format!("~/{path}"),
        Layer::User => format!("~/.qoder/{path}"),
        Layer::Builtin | Layer::Project | Layer::Session | Layer::Skill => format!("\"$QODER_PROJECT_DIR/{path}\""),
    },
    uses_login_shell: false,
    relative_paths: RelativePaths::FollowAgent,
};
/// A shorter timeout is too short for a guard, because a program needs some time to start.
const SHORT_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn advise(view: &LintedHook<'_>, context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let Some(subject) = &view.subject else { return };
    let trouble = cannot_start(subject, context);
    if ["PreToolUse", "PermissionRequest"].contains(&view.event.name) && view.hook.mode == RunMode::Await {
        fails_open(view, subject, out);
    }
    if let Some(trouble) = trouble {
        out.push(trouble.problem(subject, [(view.hook, view.event)]));
    }
    check_script_programs(subject, &CARD, view.event.can_be_blocked(), context, out);
    check_unset_variables(subject, QODER, context, out);
    check_portability(subject, QODER, context, out);
    check_unexpanded(view, subject, out);
    out.extend(check_argument_signs(subject, "args"));
}

/// What cannot start. A word that is not expanded is left out, because `UNEXPANDED` reports it.
fn cannot_start(subject: &LintSubject<'_>, context: &LintContext<'_>) -> Option<StartFailure> {
    let found = find_start_failure(subject, &CARD, context)?;
    let is_name = matches!(
        found.reason,
        StartReason::Script | StartReason::Path | StartReason::Program | StartReason::Misread(_)
    );
    let literal = is_name && expands(&found.name);
    (subject.argv.is_empty() || !literal).then_some(found)
}

/// Reports the ways in which a guard surely fails open.
fn fails_open(view: &LintedHook<'_>, subject: &LintSubject<'_>, out: &mut Vec<Problem>) {
    if view.hook.timeout < SHORT_TIMEOUT {
        out.push(view.problem_at_field(messages::OPEN_SHORT.render_plain(), "timeout"));
    }
    if let Some(problem) = defines_only(subject, view.event) {
        out.push(problem);
        return;
    }
    out.extend(open_ways(subject, view.blocks() || decides_permission(view)));
}

/// Whether its output has a permission decision.
fn decides_permission(view: &LintedHook<'_>) -> bool {
    ["permissionDecision", "behavior"]
        .iter()
        .any(|field| crate::script_scan::writes(&view.text, field))
}

/// Whether a shell would expand the word.
fn expands(word: &str) -> bool {
    word.starts_with("~/")
        || word.contains("${")
        || word
            .strip_prefix('$')
            .is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_'))
}

/// Reports the first argument that only a shell would expand.
fn check_unexpanded(view: &LintedHook<'_>, subject: &LintSubject<'_>, out: &mut Vec<Problem>) {
    // A text that an interpreter receives as code is written in its language.
    let text = if let Target::Text(text) = target(&subject.argv) {
        Some(text.text.as_str())
    } else {
        None
    };
    let word = subject
        .argv
        .iter()
        .map(|word| word.text.as_str())
        .find(|word| expands(word) && Some(*word) != text);
    let field = if subject
        .argv
        .first()
        .is_some_and(|first| Some(first.text.as_str()) == word)
    {
        "command"
    } else {
        "args"
    };
    out.extend(word.map(|word| view.problem_at_field(render!(UNEXPANDED, "written" => word), field)));
}
