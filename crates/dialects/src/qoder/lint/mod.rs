//! Advice over all hooks together (`qoder.md` §11). What a hook may answer is read off its command and the files that
//! name it, or off the callback's own lines in its module.

mod answers;
mod command;
pub mod messages;
mod one;

use std::path::{Path, PathBuf};

use hookwright_model::event::EventSpec;
use hookwright_model::{Handler, Hook, LintContext, Message, Problem, args};

use super::events;
use crate::commands::{self, Reader, Subject};
use crate::meets::Meetings;
use crate::reads;

/// Gives all advice.
#[must_use]
pub fn lint(desk: &LintContext<'_>) -> Vec<Problem> {
    let views: Vec<View<'_>> = desk.hooks.iter().filter_map(|hook| View::of(hook, desk)).collect();
    let mut out = Vec::new();
    for view in &views {
        one::advise(view, &mut out);
        command::advise(view, desk, &mut out);
        answers::advise(view, &mut out);
    }
    last_wins(&views, &mut out);
    commands::fails_open_once(&mut out);
    commands::gather(&mut out);
    commands::once_a_script(&mut out);
    for folder in [&desk.places.home, &desk.places.project] {
        not_read(folder, desk, &mut out);
    }
    // A project that is the home directory has one folder.
    out.dedup();
    out
}

/// A hook that runs, with what can be read of it.
struct View<'a> {
    hook: &'a Hook,
    event: &'static EventSpec,
    /// The command and the files it names, or the lines of the callback.
    text: String,
    /// What can be read of a command.
    subject: Option<Subject<'a>>,
}

impl<'a> View<'a> {
    /// `None` for a hook that is not run anyway.
    fn of(hook: &'a Hook, desk: &'a LintContext<'_>) -> Option<Self> {
        if hook.dialect != events::CARD.id || hook.invalid.is_some() || hook.off.is_some() {
            return None;
        }
        let event = events::CARD.event(&hook.event)?;
        let named = desk.named.get(&hook.id);
        let text = match &hook.handler {
            Handler::Shell { command } => {
                let files = named.into_iter().flatten().map(|(_, text)| text.as_str());
                std::iter::once(command.as_str())
                    .chain(files)
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Handler::Module { path, .. } => {
                let mut files = named.into_iter().flatten();
                let whole = files.find(|(file, _)| same(file, path)).map(|(_, text)| text.as_str());
                function_at(whole.unwrap_or_default(), hook.source.line)
            }
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Prompt { .. }
            | Handler::Builtin => return None,
        };
        Some(Self {
            hook,
            event,
            text,
            subject: subject(hook, desk),
        })
    }

    /// Whether it answers with a block.
    fn blocks(&self) -> bool {
        block_line(&self.text).is_some()
    }

    /// Says something at a field of the definition, at the whole where the field is not written.
    fn say(&self, words: Message, field: &str) -> Problem {
        commands::say(self.hook, words, field)
    }

    /// Says something about the line where this finds it first.
    fn say_where(&self, find: impl Fn(&str) -> Option<u32>, words: Message) -> Problem {
        match &self.subject {
            Some(subject) => subject.say_where(find, words),
            None => self.say(words, "command"),
        }
    }

    /// The matcher as it is written.
    fn matcher(&self) -> Option<&str> {
        self.hook.filter.as_ref()?.get("matcher")?.as_str()
    }
}

/// The line of a text that answers with a block.
fn block_line(text: &str) -> Option<u32> {
    reads::assigned(text, "decision", &["block", "deny"])
}

/// What can be read of a command: through `sh` or bash, or with `args` as it is.
fn subject<'a>(hook: &'a Hook, desk: &'a LintContext<'_>) -> Option<Subject<'a>> {
    let Handler::Shell { command } = &hook.handler else {
        return None;
    };
    if let Some(arguments) = hook.definition.get("args").and_then(serde_json::Value::as_array) {
        let argv = std::iter::once(command.as_str()).chain(arguments.iter().filter_map(serde_json::Value::as_str));
        return Some(Subject::argv(hook, &argv.collect::<Vec<_>>(), desk));
    }
    let is_bash = hook.definition.get("shell").is_some_and(|shell| shell == "bash");
    let reader = if is_bash { Reader::Bash } else { Reader::Sh };
    Some(Subject::command(hook, command, reader, desk))
}

/// Whether two paths end alike; one of them may lead through a link.
fn same(file: &Path, path: &Path) -> bool {
    file == path
        || (file.file_name() == path.file_name()
            && file.parent().map(Path::file_name) == path.parent().map(Path::file_name))
}

/// The lines of the function that begins at this line, from 1.
fn function_at(text: &str, line: u32) -> String {
    let from = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let mut lines = text.lines().skip(from).peekable();
    let mut out = Vec::new();
    // Decorators, then the head, whose brackets may close in the first column.
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

/// Two hooks that set the same thing: only the last one holds.
fn last_wins(views: &[View<'_>], out: &mut Vec<Problem>) {
    let mut meetings = Meetings::default();
    for field in ["updatedInput", "updatedToolOutput"] {
        // Reading a script is dear, and there may be many of them: each is read once.
        let setting: Vec<&View<'_>> = views
            .iter()
            .filter(|view| view.event.output(field).is_some() && reads::writes(&view.text, field))
            .collect();
        for event in events::CARD.events {
            let chain: Vec<&View<'_>> = setting
                .iter()
                .copied()
                .filter(|view| view.event.name == event.name)
                .collect();
            let conditions: Vec<_> = chain.iter().map(|view| &view.hook.when).collect();
            for (view, later) in chain.iter().zip(meetings.next_behind(&conditions)) {
                if let Some(later) = later {
                    let args = args! { "other" => chain[later].hook.id, "field" => field };
                    out.push(view.say_where(|text| reads::written(text, field), messages::LAST.render(args)));
                }
            }
        }
    }
}

/// Files that look like hooks and lie where nobody looks.
fn not_read(root: &Path, desk: &LintContext<'_>, out: &mut Vec<Problem>) {
    let folder = root.join(".qoder");
    let claude = root.join(".claude/settings.json");
    if (desk.is_there)(&folder) && (desk.is_there)(&claude) {
        out.push(Problem::new(messages::NOT_READ_CLAUDE.render_plain(), claude, None));
    }
    let single = folder.join("hooks.json");
    let single = (desk.is_there)(&single).then_some(single);
    let several = (desk.inside)(&folder.join("hooks")).into_iter();
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
