//! Which hooks are guards, as far as their texts show it (`engine.md` §13): a text with a way to block, reachable or not,
//! or a program that is no readable text.

use std::borrow::Cow;
use std::path::PathBuf;

use hookwright_model::{BLOCK_EXIT_CODE, Card, Code, CommandStart, EVERY_EVENT, EventSpec, Handler, Hook, LintContext};

use crate::command_lint::script_text::{output_text, without_stderr};
use crate::command_lint::ways::hook_ends;
use crate::command_lint::{LintSubject, ScriptLanguage, exits};
use crate::script_scan;
use crate::shell::{self, ProgramSource, Target, Word, is_shell_program};

/// Whether a hook is a guard at its event.
#[must_use]
pub fn is_guard(hook: &Hook, card: &'static Card, context: &LintContext<'_>) -> bool {
    if hook.event == EVERY_EVENT {
        // Which events it serves is not known yet, or it only observes.
        return matches!(hook.handler, Handler::Module { .. }) && has_way_to_block(hook, card, None, context);
    }
    let event = card.event(&hook.event).filter(|event| event.can_be_blocked());
    event.is_some_and(|event| has_way_to_block(hook, card, Some(event), context))
}

fn has_way_to_block(hook: &Hook, card: &'static Card, event: Option<&EventSpec>, context: &LintContext<'_>) -> bool {
    // What a definition with an error would run is perhaps not known. Then it rather counts as a guard.
    let has_error = hook
        .invalid
        .as_ref()
        .is_some_and(|why| why.code != Code::Unsupported.as_str());
    if has_error && hook.handler.runs().is_none_or(|text| text.trim().is_empty()) {
        return true;
    }
    let files: &[(PathBuf, String)] = context.named_file_texts.get(&hook.id).map_or(&[], Vec::as_slice);
    let subject = subject(hook, card, files, context);
    let texts: Vec<Cow<'_, str>> = match (&subject, &hook.handler) {
        (Some(subject), _) => {
            let texts = subject.pieces.iter().map(|piece| match piece.language {
                ScriptLanguage::Other => Cow::from(without_stderr(&piece.output)),
                ScriptLanguage::Sh | ScriptLanguage::Bash => Cow::from(&piece.output),
            });
            texts.collect()
        }
        (None, Handler::Prompt { template, .. }) => vec![Cow::from(template)],
        (None, _) => {
            let outputs = files.iter().map(|(_, text)| output_text(text, ScriptLanguage::Other));
            outputs.map(Cow::from).collect()
        }
    };
    let accepts = |verdicts: &[_]| event.is_none_or(|event| event.verdicts.iter().any(|kind| verdicts.contains(kind)));
    let outputs = card.blocking_outputs.iter().filter(|output| accepts(output.verdicts));
    let says_so = |text: &str| {
        outputs
            .clone()
            .any(|output| script_scan::assigns(text, output.field, output.values))
    };
    if texts.iter().any(|text| says_so(text)) {
        return true;
    }
    let Some(subject) = subject else {
        return matches!(hook.handler, Handler::Script { .. });
    };
    let exits_count = event.is_some_and(|event| event.exit_2.is_some());
    let blocks_by_exit = || {
        exits::all_exits(&subject).any(|(_, exit)| exit.code == Some(BLOCK_EXIT_CODE))
            || hook_ends(&subject, None, None).is_some_and(|ends| ends.codes.has_two() || ends.hands_on)
    };
    (exits_count && blocks_by_exit()) || starts_unreadable(&subject, context)
}

/// The texts that a hook runs; `None` if it starts no program, or if its script is no text.
fn subject<'a>(
    hook: &'a Hook,
    card: &'static Card,
    files: &'a [(PathBuf, String)],
    context: &'a LintContext<'_>,
) -> Option<LintSubject<'a>> {
    match &hook.handler {
        Handler::Shell { command } => Some(match card.command.map(|spec| spec.start(&hook.definition)) {
            Some(CommandStart::Program(arguments)) => {
                let words: Vec<&str> = std::iter::once(command.as_str())
                    .chain(arguments.iter().map(String::as_str))
                    .collect();
                LintSubject::for_argv(hook, &words, context)
            }
            Some(CommandStart::Shell("bash")) => LintSubject::for_command(hook, command, ScriptLanguage::Bash, context),
            Some(CommandStart::Shell(_) | CommandStart::PowerShell) | None => {
                LintSubject::for_command(hook, command, ScriptLanguage::Sh, context)
            }
        }),
        Handler::Peer { argv } => {
            let words: Vec<&str> = argv.iter().map(String::as_str).collect();
            Some(LintSubject::for_argv(hook, &words, context))
        }
        Handler::Script { entry } => {
            let (path, text) = files.iter().find(|(path, _)| Some(path) == entry.as_ref())?;
            Some(LintSubject::for_script(hook, path, text))
        }
        Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => None,
    }
}

/// Whether a program that the definition itself starts is no readable text, or is missing.
fn starts_unreadable(subject: &LintSubject<'_>, context: &LintContext<'_>) -> bool {
    let is_read = |name: &str| {
        let name = shell::base_name(name);
        let mut files = subject.pieces.iter().filter_map(|piece| piece.file?.file_name());
        files.any(|file| file == name)
    };
    let is_unreadable = |words: &[Word]| {
        let Some(program) = words.first() else { return false };
        match shell::target(words) {
            Target::Script(file) => !is_read(&file.text),
            Target::Text(_) | Target::Module(_) => false,
            Target::Program => match ProgramSource::of(&program.text) {
                ProgramSource::Path => !is_read(&program.text) && !is_shell_program(&program.text),
                ProgramSource::Name => !(context.on_path)(&program.text),
                // A variable gives the folder, and the file in it was not read.
                ProgramSource::Unknown => program.text.contains('/') && !is_read(&program.text),
                ProgramSource::Builtin => false,
            },
        }
    };
    is_unreadable(&subject.argv)
        || subject
            .inline_pieces()
            .any(|piece| piece.script.programs().any(is_unreadable))
}
