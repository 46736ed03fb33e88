//! Lint of all hooks together (`qoder.md` §11).
//!
//! What a hook may return is read from its command and the files that the command names. For a callback it is read
//! from the callback's lines in the module.

mod answers;
mod command;
pub mod messages;
mod single_hook;

use std::path::{Path, PathBuf};

use hookwright_model::event::EventSpec;
use hookwright_model::{Handler, Hook, LintContext, Message, Problem, args};

use super::events;
use crate::command_lint::{self, LintSubject, ScriptLanguage};
use crate::misplaced::Search;
use crate::name_reach::{Reading, check_unreadable_matchers};
use crate::overlaps::OverlapChecker;
use crate::script_scan;

/// Applies all rules and returns the problems.
#[must_use]
pub fn lint(context: &LintContext<'_>) -> Vec<Problem> {
    let views: Vec<LintedHook<'_>> = context
        .hooks
        .iter()
        .filter_map(|hook| LintedHook::from_hook(hook, context))
        .collect();
    let mut out = Vec::new();
    for view in &views {
        single_hook::advise(view, &mut out);
        command::advise(view, context, &mut out);
        answers::advise(view, &mut out);
    }
    last_wins(&views, &mut out);
    check_unreadable_matchers(&events::CARD, "matcher", "matcher", Reading::Whole, context, &mut out);
    command_lint::drop_general_fails_open(&mut out, messages::OPEN_SHORT);
    command_lint::merge_problems(&mut out);
    command_lint::drop_repeated_script_problems(&mut out);
    for folder in [&context.locations.home, &context.locations.project] {
        not_read(folder, context, &mut out);
    }
    // If the project is the home directory, both folders are the same.
    out.dedup();
    let mut search = Search {
        card: &events::CARD,
        context,
        found: &mut out,
    };
    for base in [&context.locations.home, &context.locations.project] {
        search.misnamed(
            &base.join(".qoder"),
            "settings.json",
            &["setting.json", "settings.jsonc"],
        );
        search.misnamed(&base.join(".qoder"), "hooks.py", &["hook.py"]);
        search.in_place_of(&base.join("qoder/settings.json"), &base.join(".qoder/settings.json"));
    }
    search.other_folders(".qoder/settings.json", true);
    out
}

/// A hook that runs, with the texts that the rules search.
struct LintedHook<'a> {
    hook: &'a Hook,
    event: &'static EventSpec,
    /// The command and the files it names, or the lines of the callback.
    text: String,
    /// The parsed command; `None` for a callback.
    subject: Option<LintSubject<'a>>,
}

impl<'a> LintedHook<'a> {
    /// Returns `None` for a hook that is not run.
    fn from_hook(hook: &'a Hook, context: &'a LintContext<'_>) -> Option<Self> {
        if hook.dialect != events::CARD.id || hook.invalid.is_some() || hook.disabled_reason.is_some() {
            return None;
        }
        let event = events::CARD.event(&hook.event)?;
        let subject = subject(hook, context);
        let text = match &hook.handler {
            Handler::Shell { .. } => subject.as_ref().map(LintSubject::output_text).unwrap_or_default(),
            Handler::Module { path, .. } => {
                let mut files = context.named_file_texts.get(&hook.id).into_iter().flatten();
                let whole = files
                    .find(|(file, _)| is_same_file(file, path))
                    .map(|(_, text)| text.as_str());
                let function = function_at(whole.unwrap_or_default(), hook.source.line);
                command_lint::script_text::output_text(&function, ScriptLanguage::Other)
            }
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Prompt { .. }
            | Handler::Http(_)
            | Handler::Builtin { .. } => return None,
        };
        Some(Self {
            hook,
            event,
            text,
            subject,
        })
    }

    /// Whether its output contains a block.
    fn blocks(&self) -> bool {
        block_line(&self.text).is_some()
    }

    /// A problem at a field of the definition, or at the whole definition if the field is not written.
    fn problem_at_field(&self, message: Message, field: &str) -> Problem {
        command_lint::problem_at_field(self.hook, message, field)
    }

    /// A problem at the first line that `find` finds in the command and its files, or else at the definition.
    fn problem_at_line(&self, find: impl Fn(&str) -> Option<u32>, message: Message) -> Problem {
        match &self.subject {
            Some(subject) => subject.problem_at_match(find, message),
            None => self.problem_at_field(message, "command"),
        }
    }

    /// The matcher as it is written.
    fn matcher(&self) -> Option<&str> {
        self.hook.filter.as_ref()?.get("matcher")?.as_str()
    }
}

/// The line of a text that returns a block.
fn block_line(text: &str) -> Option<u32> {
    script_scan::line_of_assignment(text, "decision", &["block", "deny"])
}

/// Parses a command: for `sh`, for bash, or with `args` as it is.
fn subject<'a>(hook: &'a Hook, context: &'a LintContext<'_>) -> Option<LintSubject<'a>> {
    let Handler::Shell { command } = &hook.handler else {
        return None;
    };
    if let Some(arguments) = hook.definition.get("args").and_then(serde_json::Value::as_array) {
        let argv = std::iter::once(command.as_str()).chain(arguments.iter().filter_map(serde_json::Value::as_str));
        return Some(LintSubject::for_argv(hook, &argv.collect::<Vec<_>>(), context));
    }
    let is_bash = hook.definition.get("shell").is_some_and(|shell| shell == "bash");
    let reader = if is_bash {
        ScriptLanguage::Bash
    } else {
        ScriptLanguage::Sh
    };
    Some(LintSubject::for_command(hook, command, reader, context))
}

/// Whether two paths end in the same folder and file name. One of them may contain a symbolic link.
fn is_same_file(file: &Path, path: &Path) -> bool {
    file == path
        || (file.file_name() == path.file_name()
            && file.parent().map(Path::file_name) == path.parent().map(Path::file_name))
}

/// The lines of the function that begins at this line, counted from 1.
fn function_at(text: &str, line: u32) -> String {
    let from = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let mut lines = text.lines().skip(from).peekable();
    let mut out = Vec::new();
    // First the decorators, then the head. The brackets of a head may close in the first column.
    for head in lines.by_ref() {
        out.push(head);
        if head.trim_end().ends_with(':') {
            break;
        }
    }
    let body = lines.take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t']));
    out.extend(body);
    out.join("\n")
}

/// Reports hooks that set the same field, because only the last value is used.
fn last_wins(views: &[LintedHook<'_>], out: &mut Vec<Problem>) {
    let mut meetings = OverlapChecker::default();
    for field in ["updatedInput", "updatedToolOutput"] {
        // Searching a script is slow and there may be many scripts, so each one is searched once.
        let setting: Vec<&LintedHook<'_>> = views
            .iter()
            .filter(|view| view.event.output(field).is_some() && script_scan::writes(&view.text, field))
            .collect();
        for event in events::CARD.events {
            let chain: Vec<&LintedHook<'_>> = setting
                .iter()
                .copied()
                .filter(|view| view.event.name == event.name)
                .collect();
            let conditions: Vec<_> = chain.iter().map(|view| &view.hook.when).collect();
            for (view, later) in chain.iter().zip(meetings.next_overlapping(&conditions)) {
                if let Some(later) = later {
                    let args = args! { "other" => chain[later].hook.id, "field" => field };
                    out.push(view.problem_at_line(
                        |text| script_scan::line_of_write(text, field),
                        messages::LAST.render(args),
                    ));
                }
            }
        }
    }
}

/// Reports files that look like hooks but are in places that Qoder does not read.
fn not_read(root: &Path, context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let folder = root.join(".qoder");
    let claude = root.join(".claude/settings.json");
    if (context.path_exists)(&folder) && (context.path_exists)(&claude) {
        out.push(Problem::new(messages::NOT_READ_CLAUDE.render_plain(), claude, None));
    }
    let single = folder.join("hooks.json");
    let single = (context.path_exists)(&single).then_some(single);
    let several = (context.list_dir)(&folder.join("hooks")).into_iter();
    let several = several.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let files: Vec<PathBuf> = single.into_iter().chain(several).collect();
    out.extend(
        files
            .into_iter()
            .map(|path| Problem::new(messages::NOT_READ.render_plain(), path, None)),
    );
}

#[cfg(test)]
mod tests;
