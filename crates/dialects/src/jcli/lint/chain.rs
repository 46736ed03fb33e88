//! The rules that check the hooks of one event together.

use hookwright_model::event::OutputKind;
use hookwright_model::{EventSpec, Handler, Hook, LintContext, Merge, Message, Problem, VerdictKind, args};
use serde_json::Value;

use super::{LintedHook, messages, script_scan, skip_line, stop_line};
use crate::command_lint::problem_at_field;
use crate::jcli::events::{self, CHAIN_BUDGET};
use crate::json;
use crate::overlaps::{HookPositions, OverlapChecker};
use crate::shell::Word;

/// What these rules need of a hook. The parsed commands of thousands of hooks take too much memory at once.
pub(super) struct ChainedHook<'a> {
    hook: &'a Hook,
    event: &'static EventSpec,
    text: String,
    always_ends: bool,
    context: &'a LintContext<'a>,
}

impl<'a> ChainedHook<'a> {
    pub(super) fn new(view: LintedHook<'a>, context: &'a LintContext<'a>) -> Self {
        Self {
            always_ends: always_ends(&view),
            hook: view.hook,
            event: view.event,
            text: view.text,
            context,
        }
    }

    fn problem_at_field(&self, message: Message, field: &str) -> Problem {
        problem_at_field(self.hook, message, field)
    }

    fn problem_at_line(&self, find: impl Fn(&str) -> Option<u32>, message: Message) -> Option<Problem> {
        Some(LintedHook::from_hook(self.hook, self.context)?.problem_at_line(find, message))
    }
}

pub(super) fn advise(views: &[ChainedHook<'_>], out: &mut Vec<Problem>) {
    for event in events::CARD.events {
        let chain: Vec<&ChainedHook<'_>> = views.iter().filter(|view| view.event.name == event.name).collect();
        out.extend(over_budget(&chain));
        last_wins(&chain, out);
        drops_changes(&chain, out);
        unreachable(&chain, out);
    }
}

/// The hook at which the sum exceeds the budget. Hooks that exceed it alone do not count: `BUDGET_ONE` is for them.
fn over_budget(chain: &[&ChainedHook<'_>]) -> Option<Problem> {
    let budget = CHAIN_BUDGET.as_secs();
    let longest = |view: &ChainedHook<'_>| {
        view.hook
            .timeout
            .as_secs()
            .saturating_mul(u64::from(view.hook.attempts))
    };
    let mut sum = 0_u64;
    for view in chain.iter().filter(|view| longest(view) <= budget) {
        sum = sum.saturating_add(longest(view));
        if sum > budget {
            let args = args! { "event" => view.event.name, "sum" => sum, "budget" => budget };
            return Some(view.problem_at_field(messages::BUDGET_ALL.render(args), "timeout"));
        }
    }
    None
}

fn last_wins(chain: &[&ChainedHook<'_>], out: &mut Vec<Problem>) {
    let gives = |view: &ChainedHook<'_>| {
        view.event.output("additional_context").is_some() && context_line(&view.text).is_some()
    };
    // Searching a script is slow and there may be thousands of scripts, so each one is searched once.
    let giving: Vec<&&ChainedHook<'_>> = chain.iter().filter(|view| gives(view)).collect();
    let conditions: Vec<_> = giving.iter().map(|view| &view.hook.when).collect();
    for (view, later) in giving
        .iter()
        .zip(OverlapChecker::default().next_overlapping(&conditions))
    {
        if let Some(later) = later {
            let args = args! { "other" => giving[later].hook.id };
            out.extend(view.problem_at_line(context_line, messages::LAST.render(args)));
        }
    }
}

/// The line of a text that mentions `additional_context`.
fn context_line(text: &str) -> Option<u32> {
    script_scan::line_of_mention(text, "additional_context")
}

fn drops_changes(chain: &[&ChainedHook<'_>], out: &mut Vec<Problem>) {
    let (mut meetings, mut editing) = (OverlapChecker::default(), HookPositions::default());
    for (place, view) in chain.iter().enumerate().filter(|(_, view)| !view.event.notify_only) {
        if (stop_line(&view.text).is_some() || skip_line(&view.text).is_some())
            && let Some(earlier) = meetings.lowest_overlapping(&editing, &view.hook.when)
        {
            let args = args! { "other" => chain[earlier].hook.id };
            let ends = |text: &str| stop_line(text).or_else(|| skip_line(text));
            out.extend(view.problem_at_line(ends, messages::DROPS.render(args)));
        }
        if changes_payload(view) {
            meetings.insert_first(&mut editing, &view.hook.when, place);
        }
    }
}

/// The hooks after one without a filter whose only command prints stop or skip.
fn unreachable(chain: &[&ChainedHook<'_>], out: &mut Vec<Problem>) {
    let ends = |view: &&&ChainedHook<'_>| view.hook.when.clauses.is_empty() && view.always_ends;
    let mut rest = chain.iter();
    let Some(ender) = rest.find(ends) else { return };
    for view in rest {
        let args = args! { "other" => ender.hook.id, "event" => view.event.name };
        let is_command = matches!(view.hook.handler, Handler::Shell { .. });
        let field = if is_command { "command" } else { "prompt" };
        out.push(view.problem_at_field(messages::UNREACHABLE.render(args), field));
    }
}

/// Whether a command does nothing but print an output that ends the chain: `echo '{"action": "stop"}'`.
fn always_ends(view: &LintedHook<'_>) -> bool {
    let Some(piece) = view.subject.as_ref().and_then(|subject| subject.pieces.first()) else {
        return false;
    };
    let programs: Vec<&[Word]> = piece.script.programs().collect();
    let [[print, printed]] = &*programs else { return false };
    let is_print = ["echo", "printf"].contains(&&*print.text) && piece.script.commands.len() == 1;
    let Ok(Value::Object(output)) = json::read(&printed.text) else {
        return false;
    };
    let verdicts = view.event.verdicts;
    let ends = match output.get("action").and_then(Value::as_str) {
        Some("stop") => verdicts.contains(&VerdictKind::Stop) && !output.contains_key("retry_feedback"),
        Some("skip") => verdicts.contains(&VerdictKind::Skip),
        Some(_) | None => false,
    };
    is_print && ends
}

fn changes_payload(view: &ChainedHook<'_>) -> bool {
    view.event.outputs.iter().any(|output| match output.effect {
        OutputKind::Replace
        | OutputKind::ReplaceField(_)
        | OutputKind::ReplaceParts
        | OutputKind::Add(
            Merge::Append | Merge::Last | Merge::Join | Merge::JoinParagraphs | Merge::Union | Merge::AnyTrue,
        ) => script_scan::writes(&view.text, output.name),
        OutputKind::Add(Merge::Notice | Merge::JoinNotice | Merge::Gather | Merge::Record) | OutputKind::Control => {
            false
        }
    })
}
