//! Gives a hook the event, tools, time limit and order of the other dialect, and reports what differs.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::{Card, EventSpec, Flow, MessageTemplate, VerdictKind, args};

use super::adapter::{Adapter, can_express_block};
use super::command::{self, ActionBlock, BlockForm, DecisionWords, Failure};
use super::form::{Closing, ConvertForm, Detaching, Insertion, TimeForm, ToolField};
use super::moments::{self, EventFit};
use super::portable::{HookAction, PortableHook, Wrap};
use super::tools::{self, ToolMatch};
use super::{LossReport, messages, payload, read};

/// The largest difference between an index and a priority.
const MAX_INDEX: usize = 1000;

/// Adapts a hook to the other dialect; `None` if it has no equivalent, after this is reported.
pub fn adapt(mut hook: PortableHook, report: &mut LossReport) -> Option<PortableHook> {
    let (from, to) = (report.from, report.to);
    if matches!(to.insertion, Insertion::Texts) {
        let Some(text) = read::printed_insertion(&hook, from) else {
            report.refuse(&hook.id, &messages::NO_COMMAND, args! {});
            return None;
        };
        hook.action = text;
    }
    let event = std::mem::take(&mut hook.event);
    let Some((other, fit)) = other_event(&hook, &event, report) else {
        let template = match hook.action {
            HookAction::Text { .. } => &messages::NO_TEXT,
            HookAction::Command(_) | HookAction::Script(_) => &messages::NO_EVENT,
        };
        report.refuse(&hook.id, template, args! { "event" => event });
        return None;
    };
    hook.event = other.to_owned();
    if fit == EventFit::Nearest {
        let args = args! { "event" => event, "other" => other };
        report.lose(&hook.id, &messages::EVENT_NEAREST, args);
    }
    let specs = from.card.event(&event).zip(to.card.event(other));
    if let (Some((ours, theirs)), HookAction::Command(_) | HookAction::Script(_)) = (specs, &hook.action) {
        if !hook.detached && ours.can_block() && !can_express_block(ours, theirs, to) {
            if hook.seems_to_block || hook.failure == Failure::Blocks {
                refuse_guard(&hook, &messages::NO_BLOCK, report);
                return None;
            }
            let args = args! { "event" => event, "other" => other };
            report.lose(&hook.id, &messages::CANNOT_BLOCK, args);
        }
        rename_variables(&mut hook, report);
        if !hook.speaks_target {
            adapt_command(&mut hook, ours, theirs, report)?;
        }
    }
    if let (HookAction::Text { role, .. }, Insertion::Output { keeps_role: false, .. }) = (&hook.action, &to.insertion)
    {
        report.lose(&hook.id, &messages::ROLE, args! { "role" => role });
    }
    let loses_tools = adapt_tools(&mut hook, report);
    let can_approve = specs.is_some_and(|(ours, theirs)| takes_approval(ours) && takes_approval(theirs));
    if (loses_tools || hook.loses_condition) && can_approve && to.speaks != BlockForm::JsonRpc && hook.approves() {
        refuse_guard(&hook, &messages::WOULD_APPROVE, report);
        return None;
    }
    let can_block = specs.is_some_and(|(ours, theirs)| ours.can_block() && theirs.can_block() && !hook.detached);
    if (loses_tools || hook.loses_condition) && can_block && hook.seems_to_block && !hook.reads_event() {
        refuse_guard(&hook, &messages::WOULD_ALWAYS_BLOCK, report);
        return None;
    }
    adapt_timeout(&mut hook, report);
    Some(hook)
}

/// Puts an adapter or a translation around a command, and reports what its script finds different; `None` if the hook is a
/// guard that would not block the same calls, after this is reported.
fn adapt_command(hook: &mut PortableHook, ours: &EventSpec, theirs: &EventSpec, report: &mut LossReport) -> Option<()> {
    let (from, to) = (report.from, report.to);
    let has_path = |form: &ConvertForm| !form.path_argument.is_empty();
    if has_path(from) && !has_path(to) && tools::is_tool_event(from.card, ours.name) && hook.reads(from.path_argument) {
        report.lose(
            &hook.id,
            &messages::NO_PATH_ARGUMENT,
            args! { "field" => from.path_argument },
        );
        if ours.can_block() && theirs.can_block() && !hook.detached && hook.seems_to_block {
            refuse_guard(hook, &messages::WOULD_NOT_BLOCK, report);
            return None;
        }
    }
    if let Some(adapter) = Adapter::of(hook, ours, theirs, (from, to)) {
        let template = if adapter.fails_closed() {
            &messages::ADAPTED_CLOSED
        } else {
            &messages::ADAPTED
        };
        report.lose(&hook.id, template, args! {});
        report_time_limit(hook, ours, theirs, adapter.fails_closed(), report);
        hook.adapter = Some(adapter);
        payload::report_output(&hook.id, ours, theirs, &payload::TRANSLATED_OUTPUTS, report);
        return Some(());
    }
    let can_block = ours.can_block() && theirs.can_block() && !hook.detached;
    // A program that speaks JSON-RPC can say everything, and one that does not says nothing there.
    let is_unheard =
        from.speaks == BlockForm::JsonRpc || (to.speaks == BlockForm::JsonRpc && hook.failure == Failure::Blocks);
    if closes_at(to, theirs) || (can_block && (is_unheard || hook.loses_its_block(from, to))) {
        let template = if closes_at(to, theirs) {
            &messages::WOULD_ALWAYS_BLOCK
        } else {
            &messages::WOULD_NOT_BLOCK
        };
        refuse_guard(hook, template, report);
        return None;
    }
    let is_at_every_code = from.reads_failed_output && !to.reads_failed_output && to.speaks != BlockForm::JsonRpc;
    if is_at_every_code && !hook.detached && hook.prints_decision() && hook.exits_otherwise() {
        hook.keeps_failed_output = true;
        report.lose(&hook.id, &messages::OUTPUT_KEPT, args! {});
    }
    translate_block(hook, ours, theirs, report);
    payload::report_differences(&hook.id, ours.name, theirs.name, report);
    report_plain_text(hook, ours, theirs, report);
    Some(())
}

/// Leaves a guard out. Its text is in the report.
fn refuse_guard(hook: &PortableHook, template: &MessageTemplate, report: &mut LossReport) {
    let text = match &hook.action {
        HookAction::Command(text) | HookAction::Text { text, .. } => text.clone(),
        HookAction::Script(entry) => {
            let file = hook.files.iter().find(|file| file.path == *entry);
            file.map_or_else(
                || entry.display().to_string(),
                |file| String::from_utf8_lossy(&file.bytes).into_owned(),
            )
        }
    };
    report.refuse(&hook.id, template, args! { "text" => text, "other" => hook.event });
}

fn takes_approval(event: &EventSpec) -> bool {
    event.verdicts.contains(&VerdictKind::Approve)
}

/// Reports text on stdout that becomes context, or is context no more.
fn report_plain_text(hook: &PortableHook, ours: &EventSpec, theirs: &EventSpec, report: &mut LossReport) {
    if !hook.prints() || report.to.speaks == BlockForm::JsonRpc {
        return;
    }
    match (ours.plain_stdout.is_some(), theirs.plain_stdout.is_some()) {
        (true, false) => {
            let outputs = theirs.outputs.iter().map(|output| format!("`{}`", output.name));
            let args = args! { "other" => theirs.name, "theirs" => outputs.collect::<Vec<_>>().join(", ") };
            report.lose(&hook.id, &messages::PLAIN_TEXT, args);
        }
        (false, true) => report.lose(&hook.id, &messages::PLAIN_TEXT_ADDED, args! { "event" => ours.name }),
        (true, true) | (false, false) => {}
    }
}

/// What an event can do, in addition to its table.
pub trait CanBlock {
    fn can_block(&self) -> bool;
}

impl CanBlock for EventSpec {
    fn can_block(&self) -> bool {
        !self.notify_only && self.verdicts.iter().any(|verdict| verdict.blocks())
    }
}

fn other_event(hook: &PortableHook, event: &str, report: &mut LossReport) -> Option<(&'static str, EventFit)> {
    let (from, to) = (report.from, report.to);
    let same = moments::equivalent_event(from, event, to);
    if matches!(hook.action, HookAction::Text { .. }) {
        return text_event(event, same, report);
    }
    let (other, fit) = same?;
    if hook.detached
        && let Detaching::Observes(events) = to.detaching
        && let Some((_, observed)) = events.iter().find(|(event, _)| *event == other)
    {
        report.lose(&hook.id, &messages::OBSERVES, args! { "other" => observed });
        return Some((observed, fit));
    }
    let hook_edits = from.card.event(event).is_some_and(|ours| hook.edits(ours));
    match to.closing {
        // Only the event that is asked takes a new input.
        Closing::At { asked, closes } if other == closes && hook_edits => Some((asked, EventFit::Nearest)),
        Closing::At { asked, closes } if other == asked && hook.failure == Failure::Blocks && !hook_edits => {
            Some((closes, EventFit::Nearest))
        }
        Closing::At { .. } | Closing::Never | Closing::ByField | Closing::ByFieldAt(_) => Some((other, fit)),
    }
}

/// The event at which the other dialect can insert a text.
fn text_event(
    event: &str,
    same: Option<(&'static str, EventFit)>,
    report: &LossReport,
) -> Option<(&'static str, EventFit)> {
    match report.to.insertion {
        Insertion::Never => None,
        Insertion::Output {
            only_at: Some((only, nearest)),
            ..
        } => {
            let is_nearest = moments::moment_of(report.from, event) == Some(nearest);
            let nearest = is_nearest.then_some((only, EventFit::Nearest));
            nearest.or(same.filter(|(other, _)| *other == only))
        }
        Insertion::Output { only_at: None, .. } | Insertion::Texts => same,
    }
}

/// Renames the variables that contain a folder, and reports the others that only the original agent sets.
fn rename_variables(hook: &mut PortableHook, report: &mut LossReport) {
    let names = |card: &Card| -> Vec<&'static str> { card.dir_vars.iter().map(|var| var.name).collect() };
    let (ours, theirs) = (names(report.from.card), names(report.to.card));
    let HookAction::Command(text) = &mut hook.action else {
        return;
    };
    *text = command::with_variables(text, &ours, theirs.first().copied().unwrap_or("PWD"));
    for name in crate::convert_forms().flat_map(|form| form.variables) {
        if text.contains(name) {
            report.lose(&hook.id, &messages::VARIABLE, args! { "name" => name });
        }
    }
}

/// Translates between exit codes and actions, and reports what fails open or closed.
fn translate_block(hook: &mut PortableHook, ours: &EventSpec, theirs: &EventSpec, report: &mut LossReport) {
    let (from, to) = (report.from, report.to);
    let blocks = theirs.can_block() && !hook.detached;
    if from.speaks == BlockForm::JsonRpc {
        report.lose(&hook.id, &messages::PROTOCOL_FROM, args! {});
    }
    match (hook.speaks, to.speaks) {
        (_, BlockForm::JsonRpc) => report.lose(&hook.id, &messages::PROTOCOL_TO, args! {}),
        (BlockForm::ExitCode, BlockForm::Action) if blocks => {
            hook.wrap = hook.seems_to_block.then(|| Wrap::Action(action_block(theirs)));
            report_block(hook, report);
        }
        (BlockForm::Action, BlockForm::ExitCode) if blocks => {
            let needed = hook.seems_to_block || hook.failure == Failure::Blocks;
            hook.wrap = needed.then_some(Wrap::ExitCode(hook.failure));
            report_block(hook, report);
        }
        (BlockForm::ExitCode, BlockForm::ExitCode) if hook.prints_decision() => {
            let words = from.decisions.zip(to.decisions);
            if let Some((ours, theirs)) = words.filter(|(ours, theirs)| !theirs.include(*ours)) {
                hook.wrap = Some(Wrap::Decisions(theirs));
                let args = args! { "ours" => ours.shown(), "theirs" => theirs.shown() };
                report.lose(&hook.id, &messages::DECISION_WORDS, args);
            } else if hook.prints_denial() && takes_denial(from.card) && !takes_denial(to.card) {
                hook.wrap = to.decisions.map(Wrap::Decisions);
                let args = args! { "ours" => "`deny`", "theirs" => "`block`" };
                report.lose(&hook.id, &messages::DECISION_WORDS, args);
            }
        }
        (BlockForm::ExitCode, BlockForm::ExitCode)
            if blocks
                && hook.seems_to_block
                && to.decisions == Some(DecisionWords::Strict)
                && from.decisions != to.decisions
                && !hook.gives_reasons() =>
        {
            hook.wrap = to.decisions.map(Wrap::Decisions);
            report.lose(&hook.id, &messages::REASON_ADDED, args! {});
        }
        (BlockForm::ExitCode | BlockForm::Action | BlockForm::JsonRpc, _) => {}
    }
    let fails_closed = matches!(hook.wrap, Some(Wrap::ExitCode(_)));
    report_time_limit(hook, ours, theirs, fails_closed, report);
    let waits = match to.detaching {
        Detaching::Never => true,
        Detaching::ByField => false,
        Detaching::Observes(_) => !theirs.notify_only,
    };
    if hook.detached && waits {
        report.lose(&hook.id, &messages::ASYNC, args! {});
    }
}

/// Whether `deny` is a word of `decision`.
fn takes_denial(card: &Card) -> bool {
    let mut outputs = card.blocking_outputs.iter();
    outputs.any(|output| output.field == "decision" && output.values.contains(&"deny"))
}

/// Reports whether a failure blocks as before. With `fails_closed`, something around the command turns a failure into a
/// block, and only a timeout lets the call through.
fn report_time_limit(
    hook: &PortableHook,
    ours: &EventSpec,
    theirs: &EventSpec,
    fails_closed: bool,
    report: &mut LossReport,
) {
    let was_closed = hook.failure == Failure::Blocks && ours.can_block();
    let is_closed = match report.to.closing {
        Closing::ByField => hook.failure == Failure::Blocks,
        Closing::ByFieldAt(heeds) => hook.failure == Failure::Blocks && !hook.detached && heeds(theirs),
        Closing::At { .. } => closes_at(report.to, theirs),
        Closing::Never => false,
    };
    let blocks = theirs.can_block() && !hook.detached;
    match (was_closed, is_closed) {
        (true, false) if fails_closed => report.lose(&hook.id, &messages::TIMEOUT_OPEN, args! {}),
        (true, false) => report.lose(&hook.id, &messages::FAILS_OPEN, args! {}),
        (false, true) if blocks => report.lose(&hook.id, &messages::FAILS_CLOSED, args! {}),
        (_, _) => {}
    }
}

/// Whether the agent is blocked if a hook fails at this event.
fn closes_at(form: &ConvertForm, event: &EventSpec) -> bool {
    matches!(form.closing, Closing::At { closes, .. } if closes == event.name)
}

fn report_block(hook: &PortableHook, report: &mut LossReport) {
    let words = |form: &ConvertForm| match form.speaks {
        BlockForm::Action => "`action`",
        BlockForm::ExitCode | BlockForm::JsonRpc => "`exit 2`",
    };
    let template = if hook.wrap.is_some() {
        &messages::BLOCK_TRANSLATED
    } else {
        &messages::BLOCK_DIFFERS
    };
    let args = args! { "ours" => words(report.from), "theirs" => words(report.to) };
    report.lose(&hook.id, template, args);
}

fn action_block(event: &EventSpec) -> ActionBlock {
    let feedback = event.output("retry_feedback");
    if event.verdicts.contains(&VerdictKind::Skip) {
        ActionBlock::Skip
    } else if feedback.is_some_and(|output| output.with_verdicts.is_empty()) {
        ActionBlock::Retry
    } else {
        ActionBlock::Stop
    }
}

/// Converts the condition on tools. Returns whether the hook runs for every tool now, and did not before.
fn adapt_tools(hook: &mut PortableHook, report: &mut LossReport) -> bool {
    let (from, to) = (report.from, report.to);
    let before = hook.tools.to_whole_pattern();
    let (tools, renamed) = std::mem::replace(&mut hook.tools, ToolMatch::Any).renamed(from, to);
    for (tool, other) in renamed {
        report.lose(
            &hook.id,
            &messages::TOOL_RENAMED,
            args! { "tool" => tool, "other" => other },
        );
    }
    if tools == ToolMatch::Any {
        return false;
    }
    let shown = tools.to_whole_pattern().unwrap_or_default();
    let is_expressible = to.tools != ToolField::Missing && tools::is_tool_event(to.card, &hook.event);
    let is_readable = tools.is_readable(to.tools);
    let compares_names = to.tools == ToolField::Names;
    // The adapter looks at the tools that the other dialect cannot name.
    if let Some(adapter) = hook.adapter.as_mut().filter(|adapter| adapter.checks_tools())
        && (!is_expressible || !is_readable || (compares_names && !matches!(tools, ToolMatch::Names(_))))
    {
        adapter.tools = before;
        return false;
    }
    hook.tools = match tools {
        // Such as flags for JavaScript, or a look-ahead for Rust.
        _ if !is_expressible || !is_readable => {
            report.lose(&hook.id, &messages::MATCHER_DROPPED, args! { "pattern" => shown });
            ToolMatch::Any
        }
        ToolMatch::Containing(names) if compares_names => {
            let args = args! { "pattern" => names.join("|") };
            report.lose(&hook.id, &messages::MATCHER_NARROWED, args);
            ToolMatch::Names(names)
        }
        ToolMatch::Whole(pattern) | ToolMatch::Found(pattern) if compares_names => {
            report.lose(&hook.id, &messages::MATCHER_DROPPED, args! { "pattern" => pattern });
            ToolMatch::Any
        }
        kept @ (ToolMatch::Any
        | ToolMatch::Names(_)
        | ToolMatch::Containing(_)
        | ToolMatch::Whole(_)
        | ToolMatch::Found(_)) => kept,
    };
    if let Some(pattern) = hook.tools.pattern().filter(|_| from.tool_names != to.tool_names) {
        let args = args! { "pattern" => pattern };
        report.lose(&hook.id, &messages::TOOL_PATTERN, args);
    }
    hook.tools == ToolMatch::Any
}

fn adapt_timeout(hook: &mut PortableHook, report: &mut LossReport) {
    if hook.timeout.is_zero() {
        return;
    }
    let written = shown(hook.timeout, report.from);
    if report.to.time == TimeForm::WholeSeconds && hook.timeout.subsec_nanos() > 0 {
        hook.timeout = Duration::from_secs(hook.timeout.as_secs() + 1);
        let args = args! { "written" => written, "other" => shown(hook.timeout, report.to) };
        report.lose(&hook.id, &messages::TIMEOUT_ROUNDED, args);
    } else if hook.wrote_timeout
        && unit(report.from) != unit(report.to)
        && !matches!(report.to.insertion, Insertion::Texts)
    {
        let other = shown(hook.timeout, report.to);
        let args = args! { "written" => written, "other" => other, "unit" => unit(report.to) };
        report.lose(&hook.id, &messages::UNIT, args);
    }
    let budget = report.to.card.event(&hook.event).and_then(|event| event.chain.budget);
    if budget.is_some_and(|budget| hook.timeout > budget) {
        let args = args! { "written" => shown(hook.timeout, report.to) };
        report.lose(&hook.id, &messages::BUDGET, args);
    }
}

const fn unit(form: &ConvertForm) -> &'static str {
    match form.time {
        TimeForm::Seconds | TimeForm::WholeSeconds => "s",
        TimeForm::Milliseconds => "ms",
    }
}

/// A time limit in the unit of a dialect.
pub fn shown(timeout: Duration, form: &ConvertForm) -> String {
    match form.time {
        TimeForm::Seconds | TimeForm::WholeSeconds => format!("{} s", timeout.as_secs_f64()),
        TimeForm::Milliseconds => format!("{} ms", timeout.as_millis()),
    }
}

/// Puts the hooks in run order, and gives them the priorities of the other dialect.
pub fn order(hooks: &mut [PortableHook], report: &mut LossReport) {
    let (from, to) = (report.from, report.to);
    if let Some(priority) = from.priority {
        let rank = |hook: &PortableHook| hook.rank.unwrap_or(priority.usual);
        if from.is_highest_first() {
            hooks.sort_by_key(|hook| (hook.detached, -rank(hook)));
        } else {
            hooks.sort_by_key(rank);
        }
    }
    let mut positions: BTreeMap<String, usize> = BTreeMap::new();
    for hook in hooks.iter_mut() {
        let position = positions.entry(hook.event.clone()).or_default();
        let index = i64::try_from((*position).min(MAX_INDEX)).unwrap_or_default();
        *position += 1;
        set_priority(hook, index, report);
    }
    for (event, count) in positions {
        let first = hooks.iter().find(|hook| hook.event == event);
        let ours = moments::equivalent_event(to, &event, from).and_then(|(ours, _)| from.card.event(ours));
        if let (true, Some(first), Some(ours), Some(theirs)) = (count > 1, first, ours, to.card.event(&event))
            && ours.chain.flow != theirs.chain.flow
        {
            let template = match theirs.chain.flow {
                Flow::Pipe => &messages::FLOW_PIPE,
                Flow::Sequence => &messages::FLOW_SEQUENCE,
                Flow::Fan => &messages::FLOW_FAN,
            };
            report.lose(&first.id, template, args! {});
        }
    }
}

fn set_priority(hook: &mut PortableHook, index: i64, report: &mut LossReport) {
    let Some(priority) = report.to.priority else {
        let written = hook.rank.filter(|rank| *rank != report.from.usual_rank());
        if let Some(written) = written {
            report.lose(&hook.id, &messages::PRIORITY_ORDER, args! { "written" => written });
        }
        return;
    };
    let turned = report.to.is_highest_first();
    let wanted = match hook.rank {
        // The priorities of the two dialects count in opposite directions.
        Some(rank) => report.from.usual_rank() + priority.usual - rank,
        None if turned => priority.usual - index,
        None => index,
    };
    let (least, most) = priority.range;
    let allowed = wanted.clamp(least, most);
    if allowed == priority.usual {
        return;
    }
    hook.priority = Some(allowed);
    let template = match hook.rank {
        None => &messages::ORDER_PRIORITY,
        Some(_) if allowed != wanted => &messages::PRIORITY_RANGE,
        Some(_) if turned => &messages::PRIORITY_HIGHER,
        Some(_) => &messages::PRIORITY_LOWER,
    };
    let args = match hook.rank {
        Some(written) => args! { "written" => written, "other" => allowed },
        None => args! { "other" => allowed },
    };
    report.lose(&hook.id, template, args);
}
