//! Advice on all hooks together (`agent-hooks.md` §11). Each row of that table is a function. What a hook may return is
//! read from its script. The three rows about entry scripts are reported where the folder is read.

pub mod messages;
mod script;
mod single_hook;

use std::path::Path;

use hookwright_model::event::EventSpec;
use hookwright_model::matcher::Trial;
use hookwright_model::{Handler, Hook, LintContext, Message, Problem, RunMode, render};

use super::events;
use super::roots::{HOOK_FILE, roots};
use crate::command_lint::{self, LintSubject};
use crate::misplaced::Search;
use crate::name_reach::{Reading, check_unreadable_matchers};
use crate::overlaps::OverlapChecker;

/// Names that are written for that of a hook's file.
const OTHER_NAMES: [&str; 4] = ["HOOKS.md", "HOOK.markdown", "HOOK.yaml", "HOOK.yml"];
/// Folders of a project that are written for its folder of hooks.
const OTHER_FOLDERS: [&str; 3] = [".agents/hook", ".agent/hooks", "agents/hooks"];

/// All advice on the hooks of this dialect that run.
#[must_use]
pub fn lint(context: &LintContext<'_>) -> Vec<Problem> {
    let views: Vec<LintedHook<'_>> = context
        .hooks
        .iter()
        .filter_map(|hook| LintedHook::from_hook(hook, context))
        .collect();
    let mut out = Vec::new();
    let trial = Trial::default();
    for view in &views {
        single_hook::advise(view, context, &trial, &mut out);
    }
    last_wins(&views, &mut out);
    check_unreadable_matchers(&events::CARD, "tool", "matcher.tool", Reading::Part, context, &mut out);
    not_read(context, &mut out);
    out
}

/// Reports hooks in places that no agent reads: a file with another name, or in a folder at another depth.
fn not_read(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let project = &context.locations.project;
    let mut search = Search {
        card: &events::CARD,
        context,
        found: out,
    };
    let list = |folder: &Path| (context.list_dir)(folder);
    let is_hook = |folder: &Path| (context.path_exists)(&folder.join(HOOK_FILE));
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    for root in roots(context.locations) {
        for file in list(&root.path)
            .into_iter()
            .filter(|path| name(path).eq_ignore_ascii_case(HOOK_FILE))
        {
            search.elsewhere(&file, &root.path.join("<name>").join(HOOK_FILE));
        }
        for folder in list(&root.path) {
            if is_hook(&folder) || search.misnamed(&folder, HOOK_FILE, &OTHER_NAMES) {
                continue;
            }
            for inner in list(&folder).into_iter().filter(|inner| is_hook(inner)) {
                search.elsewhere(&inner.join(HOOK_FILE), &root.path.join(name(&inner)).join(HOOK_FILE));
            }
        }
    }
    for other in OTHER_FOLDERS {
        for folder in list(&project.join(other)).into_iter().filter(|folder| is_hook(folder)) {
            let right = project.join(".agents/hooks").join(name(&folder)).join(HOOK_FILE);
            search.elsewhere(&folder.join(HOOK_FILE), &right);
        }
    }
    search.other_folders(".agents/hooks", true);
}

/// A hook that runs, with the text of its script.
struct LintedHook<'a> {
    hook: &'a Hook,
    event: &'static EventSpec,
    /// What the script can put out; empty for a script that is not text.
    text: String,
    /// The script as the subject of advice on commands.
    subject: Option<LintSubject<'a>>,
}

impl<'a> LintedHook<'a> {
    /// `None` for a hook that does not run.
    fn from_hook(hook: &'a Hook, context: &'a LintContext<'_>) -> Option<Self> {
        if hook.dialect != events::CARD.id || hook.invalid.is_some() || hook.disabled_reason.is_some() {
            return None;
        }
        let Handler::Script { entry } = &hook.handler else {
            return None;
        };
        let files = context.named_file_texts.get(&hook.id).into_iter().flatten();
        let script = files.into_iter().find(|(path, _)| Some(path) == entry.as_ref());
        let subject = script.map(|(path, text)| LintSubject::for_script(hook, path, text));
        Some(Self {
            hook,
            event: events::CARD.event(&hook.event)?,
            text: subject.as_ref().map(LintSubject::output_text).unwrap_or_default(),
            subject,
        })
    }

    fn is_awaited(&self) -> bool {
        self.hook.mode == RunMode::Await
    }

    /// A problem at a field of the definition, or at the whole definition if the field is missing.
    fn problem_at_field(&self, message: Message, field: &str) -> Problem {
        command_lint::problem_at_field(self.hook, message, field)
    }

    /// Problems at a field of the definition, about lines of the script: one for each message.
    fn problems_in_script(&self, found: impl IntoIterator<Item = (u32, Message)>, field: &str) -> Vec<Problem> {
        let script = self.subject.as_ref().and_then(|subject| subject.pieces.first()?.file);
        let problem = |(message, lines): (Message, Vec<u32>)| {
            let problem = self.problem_at_field(message, field);
            match (script, lines.split_first()) {
                (Some(script), Some((first, rest))) => problem.within_lines(script, *first, rest.to_vec()),
                (None, _) | (_, None) => problem,
            }
        };
        command_lint::lines_by_message(found).into_iter().map(problem).collect()
    }

    /// A problem at a field of the definition, about a line of the script.
    fn problem_in_script(&self, line: u32, message: Message, field: &str) -> Problem {
        let problem = self.problem_at_field(message, field);
        let script = self.subject.as_ref().and_then(|subject| subject.pieces.first()?.file);
        match script {
            Some(script) => problem.within(script, line),
            None => problem,
        }
    }
}

/// Reports a changed input that a later hook replaces. Neither hook sees the other's input.
fn last_wins(views: &[LintedHook<'_>], out: &mut Vec<Problem>) {
    let mut chain: Vec<(&LintedHook<'_>, u32)> = views
        .iter()
        .filter(|view| view.event.name == "before_tool" && view.is_awaited())
        .filter_map(|view| Some((view, script::modified_input_line(&view.text)?)))
        .collect();
    chain.sort_by_key(|(view, _)| {
        (
            std::cmp::Reverse(view.hook.rank),
            view.hook.source.layer,
            &view.hook.label,
        )
    });
    let conditions: Vec<_> = chain.iter().map(|(view, _)| &view.hook.when).collect();
    for ((view, line), later) in chain
        .iter()
        .zip(OverlapChecker::default().next_overlapping(&conditions))
    {
        if let Some(later) = later {
            let message = render!(messages::LAST_WINS, "other" => chain[later].0.hook.id);
            out.push(view.problem_in_script(*line, message, "name"));
        }
    }
}

#[cfg(test)]
mod tests;
