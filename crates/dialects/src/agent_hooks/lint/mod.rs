//! Advice over all hooks together (`agent-hooks.md` §11). Each row of that table is a function; what a hook may answer is
//! read off its script. The three rows about entries are said where the folder is read.

pub mod messages;
mod one;
mod script;

use hookwright_model::event::EventSpec;
use hookwright_model::matcher::Trial;
use hookwright_model::{Handler, Hook, LintContext, Message, Problem, RunMode, args};

use super::events;
use crate::commands::{self, Subject};
use crate::meets::Meetings;

/// Gives all advice.
#[must_use]
pub fn lint(desk: &LintContext<'_>) -> Vec<Problem> {
    let views: Vec<View<'_>> = desk.hooks.iter().filter_map(|hook| View::of(hook, desk)).collect();
    let mut out = Vec::new();
    let trial = Trial::default();
    for view in &views {
        one::advise(view, desk, &trial, &mut out);
    }
    last_wins(&views, &mut out);
    out
}

/// A hook that runs, with the text of its script.
struct View<'a> {
    hook: &'a Hook,
    event: &'static EventSpec,
    /// Empty for a script that is no text.
    text: &'a str,
    /// What can be read of the script.
    subject: Option<Subject<'a>>,
}

impl<'a> View<'a> {
    /// `None` for a hook that is not run anyway.
    fn of(hook: &'a Hook, desk: &'a LintContext<'_>) -> Option<Self> {
        if hook.dialect != events::CARD.id || hook.invalid.is_some() || hook.off.is_some() {
            return None;
        }
        let Handler::Script { entry } = &hook.handler else {
            return None;
        };
        let files = desk.named.get(&hook.id).into_iter().flatten();
        let script = files.into_iter().find(|(path, _)| Some(path) == entry.as_ref());
        Some(Self {
            hook,
            event: events::CARD.event(&hook.event)?,
            text: script.map_or("", |(_, text)| text.as_str()),
            subject: script.map(|(path, text)| Subject::script(hook, path, text)),
        })
    }

    fn waits(&self) -> bool {
        self.hook.mode == RunMode::Await
    }

    /// Says something at a field of the definition, at the whole where the field is not written.
    fn say(&self, words: Message, field: &str) -> Problem {
        commands::say(self.hook, words, field)
    }

    /// Says something at a field of the definition about a line of the script.
    fn say_in(&self, line: u32, words: Message, field: &str) -> Problem {
        let problem = self.say(words, field);
        let script = self.subject.as_ref().and_then(|subject| subject.pieces.first()?.file);
        match script {
            Some(script) => problem.within(script, line),
            None => problem,
        }
    }
}

/// Of two changed inputs the later one holds, and neither hook sees the other's.
fn last_wins(views: &[View<'_>], out: &mut Vec<Problem>) {
    let mut chain: Vec<(&View<'_>, u32)> = views
        .iter()
        .filter(|view| view.event.name == "before_tool" && view.waits())
        .filter_map(|view| Some((view, script::modifies_input(view.text)?)))
        .collect();
    chain.sort_by_key(|(view, _)| {
        (
            std::cmp::Reverse(view.hook.rank),
            view.hook.source.layer,
            &view.hook.label,
        )
    });
    let conditions: Vec<_> = chain.iter().map(|(view, _)| &view.hook.when).collect();
    for ((view, line), later) in chain.iter().zip(Meetings::default().next_behind(&conditions)) {
        if let Some(later) = later {
            let words = messages::LAST.render(args! { "other" => chain[later].0.hook.id });
            out.push(view.say_in(*line, words, "name"));
        }
    }
}

#[cfg(test)]
mod tests;
