//! Gives a hook the event, tools, time limit and order of the other dialect, and reports what differs.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::{Card, EventSpec, Flow, MessageTemplate, args};

use super::adapter::Adapter;
use super::command::{self, BlockForm, Failure, JcliBlock};
use super::moments::{self, EventFit};
use super::portable::{HookAction, PortableHook, Wrap};
use super::tools::{self, ToolMatch};
use super::{HookSystem, LossReport, messages, payload, read};

/// Agent Hooks runs a hook without `priority` as if it had this one. PicoClaw's is 0, and counts in the other
/// direction, so the sum of both is always this number.
const USUAL_PRIORITY: i64 = 100;
const MAX_PRIORITY: i64 = 1000;
const CHAIN_BUDGET: Duration = crate::jcli::events::CHAIN_BUDGET;
/// The largest difference between an index and a priority.
const MAX_INDEX: usize = 1000;

/// Adapts a hook to the other dialect; `None` if it has no equivalent, after this is reported.
pub fn adapt(mut hook: PortableHook, report: &mut LossReport) -> Option<PortableHook> {
    let (from, to) = (report.from, report.to);
    if to == HookSystem::Skill {
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
    let specs = from.card().event(&event).zip(to.card().event(other));
    if let (Some((ours, theirs)), HookAction::Command(_) | HookAction::Script(_)) = (specs, &hook.action) {
        if !hook.detached && ours.can_block() && !theirs.can_block() {
            let args = args! { "event" => event, "other" => other };
            report.lose(&hook.id, &messages::CANNOT_BLOCK, args);
        }
        rename_variables(&mut hook, report);
        if !hook.speaks_target {
            adapt_command(&mut hook, ours, theirs, report)?;
        }
    }
    if let (HookAction::Text { role, .. }, HookSystem::Qoder | HookSystem::AgentHooks) = (&hook.action, to) {
        report.lose(&hook.id, &messages::ROLE, args! { "role" => role });
    }
    let loses_tools = adapt_tools(&mut hook, report);
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
    let is_guard = ours.can_block() && theirs.can_block() && !hook.detached;
    if is_guard && hook.loses_its_block(from, to) {
        let template = if theirs.name == "approve_tool" {
            &messages::WOULD_ALWAYS_BLOCK
        } else {
            &messages::WOULD_NOT_BLOCK
        };
        refuse_guard(hook, template, report);
        return None;
    }
    translate_block(hook, ours, theirs, report);
    payload::report_differences(&hook.id, ours.name, theirs.name, report);
    report_plain_text(hook, ours, theirs, report);
    Some(())
}

/// Leaves a guard out. Its text stands in the report.
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
    report.refuse(&hook.id, template, args! { "text" => text });
}

/// Reports text on stdout that becomes context, or is context no more.
fn report_plain_text(hook: &PortableHook, ours: &EventSpec, theirs: &EventSpec, report: &mut LossReport) {
    if !hook.prints() || report.to == HookSystem::Picoclaw {
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
    if to != HookSystem::Picoclaw {
        return same;
    }
    let (other, fit) = same?;
    if hook.detached
        && let Some(kind) = moments::observed_event(other)
    {
        report.lose(&hook.id, &messages::OBSERVES, args! { "other" => kind });
        return Some((kind, fit));
    }
    // Only an approver fails closed.
    if other == "before_tool" && hook.failure == Failure::Blocks {
        return Some(("approve_tool", EventFit::Nearest));
    }
    Some((other, fit))
}

/// The event at which the other dialect can insert a text.
fn text_event(
    event: &str,
    same: Option<(&'static str, EventFit)>,
    report: &LossReport,
) -> Option<(&'static str, EventFit)> {
    match report.to {
        HookSystem::Jcli if event == "after_user_input" => Some(("pre_llm_request", EventFit::Nearest)),
        HookSystem::Jcli => same.filter(|(other, _)| *other == "pre_llm_request"),
        HookSystem::Picoclaw => None,
        HookSystem::Qoder | HookSystem::Skill | HookSystem::AgentHooks => same,
    }
}

/// Renames the variables that contain a folder, and reports the others that only the original agent sets.
fn rename_variables(hook: &mut PortableHook, report: &mut LossReport) {
    let names = |card: &Card| -> Vec<&'static str> { card.dir_vars.iter().map(|var| var.name).collect() };
    let (ours, theirs) = (names(report.from.card()), names(report.to.card()));
    let HookAction::Command(text) = &mut hook.action else {
        return;
    };
    *text = command::with_variables(text, &ours, theirs.first().copied().unwrap_or("PWD"));
    for name in ["JCLI_HOOK_EVENT", "KIMI_SESSION_ID"] {
        if text.contains(name) {
            report.lose(&hook.id, &messages::VARIABLE, args! { "name" => name });
        }
    }
}

/// Translates between exit codes and the actions of j-cli, and reports what fails open or closed.
fn translate_block(hook: &mut PortableHook, ours: &EventSpec, theirs: &EventSpec, report: &mut LossReport) {
    let (from, to) = (report.from, report.to);
    let blocks = theirs.can_block() && !hook.detached;
    if from == HookSystem::Picoclaw {
        report.lose(&hook.id, &messages::PROTOCOL_FROM, args! {});
    }
    match (hook.speaks, to) {
        (_, HookSystem::Picoclaw) => {
            let template = if theirs.name == "approve_tool" {
                &messages::PROTOCOL_TO_CLOSED
            } else {
                &messages::PROTOCOL_TO
            };
            report.lose(&hook.id, template, args! {});
        }
        (BlockForm::ExitCode, HookSystem::Jcli) if blocks => {
            hook.wrap = hook.seems_to_block.then(|| Wrap::Action(jcli_block(theirs)));
            report_block(hook, report);
        }
        (BlockForm::Action, HookSystem::Qoder | HookSystem::AgentHooks) if blocks => {
            let needed = hook.seems_to_block || hook.failure == Failure::Blocks;
            hook.wrap = needed.then_some(Wrap::ExitCode(hook.failure));
            report_block(hook, report);
        }
        (BlockForm::ExitCode, HookSystem::AgentHooks) if from == HookSystem::Qoder && hook.prints_decision() => {
            hook.wrap = Some(Wrap::AgentHooksWords);
            let args = args! { "ours" => "`block` and `permissionDecision`", "theirs" => "`deny` and `ask`" };
            report.lose(&hook.id, &messages::DECISION_WORDS, args);
        }
        (BlockForm::ExitCode, HookSystem::Qoder) if from == HookSystem::AgentHooks && hook.prints_decision() => {
            hook.wrap = Some(Wrap::QoderWords);
            let args = args! { "ours" => "`deny` and `ask`", "theirs" => "`block` and `permissionDecision`" };
            report.lose(&hook.id, &messages::DECISION_WORDS, args);
        }
        (BlockForm::ExitCode | BlockForm::Action | BlockForm::JsonRpc, _) => {}
    }
    let fails_closed = matches!(hook.wrap, Some(Wrap::ExitCode(_)));
    report_time_limit(hook, ours, theirs, fails_closed, report);
    if hook.detached && (to == HookSystem::Jcli || (to == HookSystem::Picoclaw && !theirs.notify_only)) {
        report.lose(&hook.id, &messages::ASYNC, args! {});
    }
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
    let is_closed = match report.to {
        HookSystem::Jcli => hook.failure == Failure::Blocks,
        HookSystem::Picoclaw => theirs.name == "approve_tool",
        HookSystem::Qoder | HookSystem::AgentHooks | HookSystem::Skill => false,
    };
    let blocks = theirs.can_block() && !hook.detached;
    match (was_closed, is_closed) {
        (true, false) if fails_closed => report.lose(&hook.id, &messages::TIMEOUT_OPEN, args! {}),
        (true, false) => report.lose(&hook.id, &messages::FAILS_OPEN, args! {}),
        (false, true) if blocks => report.lose(&hook.id, &messages::FAILS_CLOSED, args! {}),
        (_, _) => {}
    }
}

fn report_block(hook: &PortableHook, report: &mut LossReport) {
    let words = |system: HookSystem| {
        if system == HookSystem::Jcli {
            "`action`"
        } else {
            "`exit 2`"
        }
    };
    let template = if hook.wrap.is_some() {
        &messages::BLOCK_TRANSLATED
    } else {
        &messages::BLOCK_DIFFERS
    };
    let args = args! { "ours" => words(report.from), "theirs" => words(report.to) };
    report.lose(&hook.id, template, args);
}

fn jcli_block(event: &EventSpec) -> JcliBlock {
    match event.name {
        "pre_tool_execution" => JcliBlock::Skip,
        "stop" => JcliBlock::Retry,
        _ => JcliBlock::Stop,
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
    let is_expressible = to != HookSystem::Picoclaw && tools::is_tool_event(to.card(), &hook.event);
    let compares_names = matches!(to, HookSystem::Jcli | HookSystem::Skill);
    // The adapter looks at the tools that the other dialect cannot name.
    if let Some(adapter) = &mut hook.adapter
        && (!is_expressible || (compares_names && !matches!(tools, ToolMatch::Names(_))))
    {
        adapter.tools = before;
        return false;
    }
    hook.tools = match tools {
        _ if !is_expressible => {
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
    if let Some(pattern) = hook.tools.pattern().filter(|_| from.tool_column() != to.tool_column()) {
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
    if report.to == HookSystem::Jcli && hook.timeout.subsec_nanos() > 0 {
        hook.timeout = Duration::from_secs(hook.timeout.as_secs() + 1);
        let args = args! { "written" => written, "other" => shown(hook.timeout, report.to) };
        report.lose(&hook.id, &messages::TIMEOUT_ROUNDED, args);
    } else if hook.wrote_timeout && unit(report.from) != unit(report.to) && report.to != HookSystem::Skill {
        let other = shown(hook.timeout, report.to);
        let args = args! { "written" => written, "other" => other, "unit" => unit(report.to) };
        report.lose(&hook.id, &messages::UNIT, args);
    }
    if report.to == HookSystem::Jcli && hook.timeout > CHAIN_BUDGET {
        let args = args! { "written" => shown(hook.timeout, report.to) };
        report.lose(&hook.id, &messages::BUDGET, args);
    }
}

const fn unit(system: HookSystem) -> &'static str {
    match system {
        HookSystem::Jcli | HookSystem::Qoder | HookSystem::Skill => "s",
        HookSystem::AgentHooks | HookSystem::Picoclaw => "ms",
    }
}

/// A time limit in the unit of a dialect.
pub fn shown(timeout: Duration, system: HookSystem) -> String {
    match unit(system) {
        "s" => format!("{} s", timeout.as_secs_f64()),
        unit => format!("{} {unit}", timeout.as_millis()),
    }
}

/// Puts the hooks in run order, and gives them the priorities of the other dialect.
pub fn order(hooks: &mut [PortableHook], report: &mut LossReport) {
    let (from, to) = (report.from, report.to);
    match from {
        HookSystem::AgentHooks => hooks.sort_by_key(|hook| (hook.detached, -hook.rank.unwrap_or(USUAL_PRIORITY))),
        HookSystem::Picoclaw => hooks.sort_by_key(|hook| hook.rank.unwrap_or_default()),
        HookSystem::Jcli | HookSystem::Qoder | HookSystem::Skill => {}
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
        let ours = moments::equivalent_event(to, &event, from).and_then(|(ours, _)| from.card().event(ours));
        if let (true, Some(first), Some(ours), Some(theirs)) = (count > 1, first, ours, to.card().event(&event))
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
    let (usual, turned) = match report.to {
        HookSystem::AgentHooks => (USUAL_PRIORITY, true),
        HookSystem::Picoclaw => (0, false),
        HookSystem::Jcli | HookSystem::Qoder | HookSystem::Skill => {
            let written = hook.rank.filter(|rank| *rank != usual_rank(report.from));
            if let Some(written) = written {
                report.lose(&hook.id, &messages::PRIORITY_ORDER, args! { "written" => written });
            }
            return;
        }
    };
    let wanted = match hook.rank {
        Some(rank) => USUAL_PRIORITY - rank,
        None if turned => usual - index,
        None => index,
    };
    let allowed = if turned { wanted.clamp(0, MAX_PRIORITY) } else { wanted };
    if allowed == usual {
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

const fn usual_rank(system: HookSystem) -> i64 {
    match system {
        HookSystem::AgentHooks => USUAL_PRIORITY,
        HookSystem::Jcli | HookSystem::Qoder | HookSystem::Skill | HookSystem::Picoclaw => 0,
    }
}
