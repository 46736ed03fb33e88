//! Advice over all hooks together (`jcli.md` §11). Each row of that table is a function; what a hook may answer is read
//! off its command, the files that name it, or its prompt.

mod chain;
mod command;
pub mod messages;
mod one;
mod reads;

use hookwright_model::event::EventSpec;
use hookwright_model::{Handler, Hook, LintContext, Message, Problem};

use super::events;
use crate::commands::{self, Reader, Subject};

/// Gives all advice.
#[must_use]
pub fn lint(desk: &LintContext<'_>) -> Vec<Problem> {
    let views: Vec<View<'_>> = desk.hooks.iter().filter_map(|hook| View::of(hook, desk)).collect();
    let mut out = Vec::new();
    for view in &views {
        one::advise(view, &mut out);
        command::advise(view, desk, &mut out);
    }
    chain::advise(&views, &mut out);
    commands::fails_open_once(&mut out);
    commands::gather(&mut out);
    commands::once_a_script(&mut out);
    let other = desk.places.project.join(".jcli/hooks.yml");
    if (desk.is_there)(&other) {
        out.push(Problem::new(messages::NOT_READ.render_plain(), other, None));
    }
    out
}

/// A hook that runs, with what can be read of it.
struct View<'a> {
    hook: &'a Hook,
    event: &'static EventSpec,
    /// The command and the files it names, or the prompt.
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
        let text = match &hook.handler {
            Handler::Shell { command } => {
                let mut text = command.clone();
                for (_, file) in desk.named.get(&hook.id).into_iter().flatten() {
                    text.push('\n');
                    text.push_str(file);
                }
                text
            }
            Handler::Prompt { template, .. } => template.clone(),
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Module { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Builtin => return None,
        };
        let subject = if let Handler::Shell { command } = &hook.handler {
            Some(Subject::command(hook, command, Reader::Sh, desk))
        } else {
            None
        };
        Some(Self {
            hook,
            event,
            text,
            subject,
        })
    }

    fn stops(&self) -> bool {
        stop_line(&self.text).is_some()
    }

    fn skips(&self) -> bool {
        skip_line(&self.text).is_some()
    }

    /// Whether it can hold the agent by its answer.
    fn holds(&self) -> bool {
        self.stops() || (self.skips() && self.event.name == "pre_tool_execution")
    }

    fn command(&self) -> Option<&str> {
        match &self.hook.handler {
            Handler::Shell { command } => Some(command),
            Handler::Prompt { .. }
            | Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Module { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Builtin => None,
        }
    }

    /// Says something at a field of the definition, at the whole where the field is not written.
    fn say(&self, words: Message, field: &str) -> Problem {
        commands::say(self.hook, words, field)
    }

    /// Says something about the line of a command's texts where this finds it first, or about the prompt.
    fn say_where(&self, find: impl Fn(&str) -> Option<u32>, words: Message) -> Problem {
        match &self.subject {
            Some(subject) => subject.say_where(find, words),
            None => self.say(words, "prompt"),
        }
    }

    /// A part of the filter as it is written.
    fn filter(&self, part: &str) -> Option<&str> {
        self.hook.filter.as_ref()?.get(part)?.as_str()
    }
}

/// The line of a text that answers stop.
fn stop_line(text: &str) -> Option<u32> {
    reads::assigned(text, "action", &["stop"]).or_else(|| reads::assigned(text, "abort", &["true", "True"]))
}

/// The line of a text that answers skip.
fn skip_line(text: &str) -> Option<u32> {
    reads::assigned(text, "action", &["skip"])
}

#[cfg(test)]
mod tests;
