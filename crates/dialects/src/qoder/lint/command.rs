//! Rows that look at a command: whether it can start, its variables, its paths, its shell.

use std::time::Duration;

use hookwright_model::{Layer, LintContext, Problem, RunMode, args};

use super::{View, messages};
use crate::commands::messages::{OPEN_ONE, OPEN_TAIL, UNEXPANDED};
use crate::commands::{Agent, Effect, Subject, Trouble, code_without, exits, not_portable, trouble, unset_variable};
use crate::qoder::events::{BLOCKABLE, CARD};
use crate::shell::{Target, target};

/// What advice knows of Qoder.
const QODER: Agent = Agent {
    card: &CARD,
    ours: &[
        "QODER_PROJECT_DIR",
        "HOOKWRIGHT_TRACE",
        "HOOKWRIGHT_RUN",
        "HOOKWRIGHT_DEPTH",
    ],
    stdin: "jq -r .tool_input.file_path",
    portable: |path, layer| match layer {
        Layer::User if path.starts_with(".qoder/") => format!("~/{path}"),
        Layer::User => format!("~/.qoder/{path}"),
        Layer::Builtin | Layer::Project | Layer::Session | Layer::Skill => format!("\"$QODER_PROJECT_DIR/{path}\""),
    },
    relative_holds: false,
};
/// The exit code that blocks (`qoder.md` §6).
const BLOCKS: i32 = 2;
/// A guard needs some time to start.
const SHORT: Duration = Duration::from_secs(1);

pub(super) fn advise(view: &View<'_>, desk: &LintContext<'_>, out: &mut Vec<Problem>) {
    let Some(subject) = &view.subject else { return };
    let trouble = cannot_start(subject, desk);
    if ["PreToolUse", "PermissionRequest"].contains(&view.event.name) && view.hook.mode == RunMode::Await {
        let lacks_script = matches!(trouble, Some(Trouble::Script(_) | Trouble::Path(_)));
        fails_open(view, subject, lacks_script, out);
    }
    if let Some(trouble) = trouble {
        let effect = effect(view, subject, &trouble, desk);
        out.push(trouble.told(subject, effect));
    }
    unset_variable(subject, QODER, desk, out);
    not_portable(subject, QODER, desk, out);
    unexpanded(view, subject, out);
}

/// What becomes of the agent when the hook cannot start.
fn effect(view: &View<'_>, subject: &Subject<'_>, trouble: &Trouble, desk: &LintContext<'_>) -> Effect {
    let blocks = |trouble: &Trouble| matches!(trouble, Trouble::Script(name) if code_without(subject, name, desk) == Some(BLOCKS));
    if !BLOCKABLE.contains(&view.event.name) || view.hook.mode != RunMode::Await {
        Effect::Idle
    } else if blocks(trouble) {
        Effect::Exits
    } else {
        Effect::Open
    }
}

/// What cannot start; a word that stays as it is has its own line.
fn cannot_start(subject: &Subject<'_>, desk: &LintContext<'_>) -> Option<Trouble> {
    let found = trouble(subject, &CARD, desk)?;
    let literal = matches!(&found, Trouble::Script(name) | Trouble::Path(name) if expands(name));
    (subject.argv.is_empty() || !literal).then_some(found)
}

/// Ways in which a guard surely lets the agent continue.
fn fails_open(view: &View<'_>, subject: &Subject<'_>, lacks_script: bool, out: &mut Vec<Problem>) {
    if view.hook.timeout < SHORT {
        out.push(view.say(messages::OPEN_SHORT.render_plain(), "timeout"));
    }
    let decides = view.blocks() || decides(view);
    let is_meant =
        decides || exits::wants_to_block(subject) || exits::all(subject).any(|(_, exit)| exit.code == Some(2));
    if let Some(tail) = subject
        .argv
        .is_empty()
        .then(|| exits::always_succeeds(&subject.pieces[0].text))
        .flatten()
        && ((is_meant && !decides) || lacks_script)
    {
        out.push(view.say(OPEN_TAIL.render(args! { "tail" => tail }), "command"));
    }
    let codes: Vec<_> = exits::all(subject).collect();
    let computed = codes.iter().any(|(_, exit)| exit.code.is_none());
    let blocks = codes.iter().any(|(_, exit)| exit.code == Some(2));
    let one = codes.iter().find(|(_, exit)| exit.code == Some(1) && !exit.handles);
    if let Some((piece, exit)) = one.filter(|_| !computed && !blocks && !decides && exits::wants_to_block(subject)) {
        out.push(subject.say_in(piece, exit.line, OPEN_ONE.render_plain()));
    }
}

/// Whether it answers with a permission.
fn decides(view: &View<'_>) -> bool {
    ["permissionDecision", "behavior"]
        .iter()
        .any(|field| crate::reads::writes(&view.text, field))
}

/// Whether a shell would put something else in its place.
fn expands(word: &str) -> bool {
    word.starts_with("~/")
        || word.contains("${")
        || word
            .strip_prefix('$')
            .is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_'))
}

/// The first argument that only a shell would expand.
fn unexpanded(view: &View<'_>, subject: &Subject<'_>, out: &mut Vec<Problem>) {
    // What an interpreter is given as text is that language's.
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
    out.extend(word.map(|word| view.say(UNEXPANDED.render(args! { "written" => word }), field)));
}
