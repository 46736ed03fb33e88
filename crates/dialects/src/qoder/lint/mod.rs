//! Advice over all hooks together (`qoder.md` §11). What a hook may answer is read off its command and the files that
//! name it, or off the callback's own lines in its module.

mod command;
mod one;
pub mod sayings;

use std::path::{Path, PathBuf};

use hookwright_model::event::EventSpec;
use hookwright_model::problem::Spot;
use hookwright_model::{Handler, Hook, LintDesk, Problem, Words, args};

use super::events;
use crate::meets::Meetings;
use crate::reads;

/// Gives all advice.
#[must_use]
pub fn lint(desk: &LintDesk<'_>) -> Vec<Problem> {
    let views: Vec<View<'_>> = desk.hooks.iter().filter_map(|hook| View::of(hook, desk)).collect();
    let mut out = Vec::new();
    for view in &views {
        one::advise(view, &mut out);
        command::advise(view, desk, &mut out);
    }
    last_wins(&views, &mut out);
    for folder in [&desk.places.home, &desk.places.project] {
        not_read(&folder.join(".qoder"), desk, &mut out);
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
}

impl<'a> View<'a> {
    /// `None` for a hook that is not run anyway.
    fn of(hook: &'a Hook, desk: &LintDesk<'_>) -> Option<Self> {
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
        Some(Self { hook, event, text })
    }

    /// What `sh` reads: the command, unless it is started without a shell.
    fn command(&self) -> Option<&str> {
        match &self.hook.handler {
            Handler::Shell { command } => Some(command),
            Handler::Module { .. }
            | Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Prompt { .. }
            | Handler::Builtin => None,
        }
    }

    /// Whether it answers with a block.
    fn blocks(&self) -> bool {
        reads::assigns(&self.text, "decision", &["block", "deny"])
    }

    /// Says something at a field of the definition, at the whole where the field is not written.
    fn say(&self, words: Words, field: &str) -> Problem {
        let whole = Spot {
            line: self.hook.source.line,
            column: self.hook.source.column,
        };
        let spot = self.hook.spots.get(field).copied().unwrap_or(whole);
        Problem::new(words, &self.hook.source.path, Some(spot)).about(&self.hook.id)
    }

    /// The matcher as it is written.
    fn matcher(&self) -> Option<&str> {
        self.hook.filter.as_ref()?.get("matcher")?.as_str()
    }
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
                    out.push(view.say(sayings::LAST.say(args), "command"));
                }
            }
        }
    }
}

/// Files that look like hooks and lie where nobody looks.
fn not_read(folder: &Path, desk: &LintDesk<'_>, out: &mut Vec<Problem>) {
    let single = folder.join("hooks.json");
    let single = (desk.is_there)(&single).then_some(single);
    let several = (desk.inside)(&folder.join("hooks")).into_iter();
    let several = several.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let files: Vec<PathBuf> = single.into_iter().chain(several).collect();
    out.extend(
        files
            .into_iter()
            .map(|path| Problem::new(sayings::NOT_READ.plain(), path, None)),
    );
}

#[cfg(test)]
mod tests;
