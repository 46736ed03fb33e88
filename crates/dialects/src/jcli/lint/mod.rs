//! Lint of all hooks together (`jcli.md` §11). Each row of that table is a function.
//!
//! What a hook may return is read from its command, from the files that the command names, or from its prompt.

mod chain;
mod command;
pub mod messages;
mod script_scan;
mod single_hook;

use hookwright_model::event::EventSpec;
use hookwright_model::{Handler, Hook, LintContext, Message, Problem, VerdictKind};

use super::events;
use crate::command_lint::{self, LintSubject, ScriptLanguage};
use crate::misplaced::{self, Search};
use chain::ChainedHook;

/// Applies all rules and returns the problems.
#[must_use]
pub fn lint(context: &LintContext<'_>) -> Vec<Problem> {
    let mut out = Vec::new();
    let mut chain = Vec::new();
    for view in context
        .hooks
        .iter()
        .filter_map(|hook| LintedHook::from_hook(hook, context))
    {
        single_hook::advise(&view, &mut out);
        command::advise(&view, context, &mut out);
        chain.push(ChainedHook::new(view, context));
    }
    chain::advise(&chain, &mut out);
    command_lint::drop_general_fails_open(&mut out, messages::FAILS_OPEN);
    command_lint::merge_problems(&mut out);
    command_lint::drop_repeated_script_problems(&mut out);
    let other = context.locations.project.join(".jcli/hooks.yml");
    if (context.path_exists)(&other) {
        let right = other.with_extension("yaml");
        let fix = misplaced::move_fix(&other, &right).filter(|_| !(context.path_exists)(&right));
        out.push(Problem::new(messages::NOT_READ.render_plain(), other, None).with_fix(fix));
    }
    not_read(context, &mut out);
    out
}

/// Reports files that look like hooks but are in places that j-cli does not read.
fn not_read(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let (home, project) = (&context.locations.home, &context.locations.project);
    let mut search = Search {
        card: &events::CARD,
        context,
        found: out,
    };
    let right = project.join(".jcli/hooks.yaml");
    search.misnamed(
        &project.join(".jcli"),
        "hooks.yaml",
        &["hook.yaml", "hook.yml", "hooks.json"],
    );
    search.in_place_of(&project.join(".jcli/hooks/hooks.yaml"), &right);
    search.in_place_of(&project.join("jcli/hooks.yaml"), &right);
    let user = home.join(".jdata/agent/hooks.yaml");
    search.in_place_of(&home.join(".jdata/hooks.yaml"), &user);
    search.in_place_of(&home.join(".jdata/agent/hooks.yml"), &user);
    // A folder above the project is read.
    search.other_folders(".jcli/hooks.yaml", false);
}

/// A hook that runs, with the texts that the rules search.
struct LintedHook<'a> {
    hook: &'a Hook,
    event: &'static EventSpec,
    /// The command and the files it names, or the prompt.
    text: String,
    /// The parsed command; `None` for a prompt.
    subject: Option<LintSubject<'a>>,
}

impl<'a> LintedHook<'a> {
    /// Returns `None` for a hook that is not run.
    fn from_hook(hook: &'a Hook, context: &'a LintContext<'_>) -> Option<Self> {
        if hook.dialect != events::CARD.id || hook.invalid.is_some() || hook.disabled_reason.is_some() {
            return None;
        }
        let event = events::CARD.event(&hook.event)?;
        let subject = if let Handler::Shell { command } = &hook.handler {
            Some(LintSubject::for_command(hook, command, ScriptLanguage::Sh, context))
        } else {
            None
        };
        let text = match &hook.handler {
            Handler::Shell { .. } => subject.as_ref().map(LintSubject::output_text).unwrap_or_default(),
            Handler::Prompt { template, .. } => template.clone(),
            Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Module { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
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

    fn stops(&self) -> bool {
        stop_line(&self.text).is_some()
    }

    fn skips(&self) -> bool {
        skip_line(&self.text).is_some()
    }

    /// Whether its output can block the agent.
    fn can_block(&self) -> bool {
        self.stops() || (self.skips() && self.event.verdicts.contains(&VerdictKind::Skip))
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
            | Handler::Http(_)
            | Handler::Builtin { .. } => None,
        }
    }

    /// A problem at a field of the definition, or at the whole definition if the field is not written.
    fn problem_at_field(&self, message: Message, field: &str) -> Problem {
        command_lint::problem_at_field(self.hook, message, field)
    }

    /// A problem at the first line that `find` finds in the command and its files. For a prompt it is at `prompt`.
    fn problem_at_line(&self, find: impl Fn(&str) -> Option<u32>, message: Message) -> Problem {
        match &self.subject {
            Some(subject) => subject.problem_at_match(find, message),
            None => self.problem_at_field(message, "prompt"),
        }
    }

    /// A field of the filter, as it is written.
    fn filter_part(&self, part: &str) -> Option<&str> {
        self.hook.filter.as_ref()?.get(part)?.as_str()
    }
}

/// The line of a text that returns stop.
fn stop_line(text: &str) -> Option<u32> {
    script_scan::line_of_assignment(text, "action", &["stop"])
        .or_else(|| script_scan::line_of_assignment(text, "abort", &["true", "True"]))
}

/// The line of a text that returns skip.
fn skip_line(text: &str) -> Option<u32> {
    script_scan::line_of_assignment(text, "action", &["skip"])
}

#[cfg(test)]
mod tests;
