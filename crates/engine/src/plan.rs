//! Gates and run order: every hook known for an event, and why it would run or not (`engine.md` §2).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hookwright_model::{
    ChainPolicy, Condition, Diagnosis, Dialect, DisabledReason, EventSpec, ExplainStep, Gate, GateFix, GateName,
    Handler, Hook, Layer, Match, Message, Notice, Order, Outcome, Payload, Placement, RunMode, SkipReason, SourceRef,
    VerdictKind, render,
};

use crate::{Candidate, messages};

/// One hook's step in a chain that has not begun.
#[derive(Debug, Clone)]
pub struct PlannedStep {
    /// The hook of this step.
    pub hook: std::sync::Arc<hookwright_model::Hook>,
    /// Position in run order among the hooks that pass `valid`, `trusted` and `enabled`, from 1. `None` for the others.
    pub position: Option<u32>,
    /// The gates up to the first that failed; all except `chain` if none failed.
    pub gates: Vec<Gate>,
    /// Set if the hook does not run.
    pub skip: Option<SkipDecision>,
    /// The message with which the hook blocks the agent when its turn comes, although it does not run.
    pub block_message: Option<Message>,
}

/// Why a hook does not run.
#[derive(Debug, Clone, PartialEq)]
pub struct SkipDecision {
    /// The outcome of its step.
    pub outcome: Outcome,
    /// The reason of outcome `skipped`.
    pub reason: Option<SkipReason>,
    /// The failure, if its filter gave up.
    pub failure: Option<Message>,
}

/// A candidate with the position that the payload gives it.
struct PlacedHook<'a> {
    candidate: &'a Candidate,
    placement: Placement,
}

fn place_hooks<'a>(dialect: &dyn Dialect, candidates: &'a [Candidate], payload: &Payload) -> Vec<PlacedHook<'a>> {
    let placed = |candidate: &'a Candidate| PlacedHook {
        candidate,
        placement: dialect.placement(&candidate.hook, payload),
    };
    candidates.iter().map(placed).collect()
}

/// Checks the gates of the hooks of one event and returns their steps in run order.
#[must_use]
pub fn select(
    dialect: &dyn Dialect,
    spec: &EventSpec,
    candidates: &[Candidate],
    payload: &Payload,
) -> Vec<PlannedStep> {
    let mut mine = place_hooks(dialect, candidates, payload);
    mine.retain(|placed| placed.candidate.hook.matches_event(spec));
    sort(spec.chain, &mut mine);
    let places = run_positions(mine.iter());
    let mut steps: Vec<PlannedStep> = mine
        .iter()
        .zip(places)
        .map(|(placed, position)| plan_step(placed, position, spec, payload))
        .collect();
    let hooks: Vec<&Hook> = steps.iter().map(|step| &*step.hook).collect();
    let same = same_hooks(&hooks, |index| steps[index].skip.is_none());
    for (index, why) in same {
        let step = &mut steps[index];
        step.gates.retain(|gate| gate.gate < GateName::Enabled);
        let (gate, skip) = skip_unless(Gate::failed(GateName::Enabled, why, None), SkipReason::Disabled);
        step.gates.push(gate);
        step.skip = skip;
    }
    steps
}

/// The hooks that a later definition of the same hook replaces, by index, each with the message about it. Only those
/// that would run count ([`Hook::same_as`]).
fn same_hooks(hooks: &[&Hook], would_run: impl Fn(usize) -> bool) -> Vec<(usize, Message)> {
    let mut last = BTreeMap::new();
    let mut out = Vec::new();
    for (index, hook) in hooks.iter().enumerate().rev().filter(|(index, _)| would_run(*index)) {
        let Some(same_as) = &hook.same_as else { continue };
        match last.entry((hook.tier, same_as)) {
            Entry::Vacant(free) => drop(free.insert(hook.id.as_str())),
            Entry::Occupied(by) => out.push((index, render!(messages::GATE_SAME, "hook" => by.get()))),
        }
    }
    out
}

fn plan_step(placed: &PlacedHook<'_>, position: Option<u32>, spec: &EventSpec, payload: &Payload) -> PlannedStep {
    let hook = &placed.candidate.hook;
    let mut out = PlannedStep {
        hook: hook.clone(),
        position,
        gates: Vec::with_capacity(6),
        skip: None,
        block_message: None,
    };
    if placed.candidate.agent_runs_it {
        // Decided before every other gate, so that such a step says nothing else (`engine.md` §2).
        let why = messages::GATE_NATIVE.render_plain();
        let (gate, skip) = skip_unless(Gate::failed(GateName::Enabled, why, None), SkipReason::AgentRunsIt);
        out.gates.push(gate);
        out.skip = skip;
        return out;
    }
    for (gate, skip) in check_gates(placed, spec, payload, Condition::evaluate) {
        let invalid = gate.gate == GateName::Valid && !gate.pass;
        out.gates.push(gate);
        if skip.is_none() {
            continue;
        }
        // A disabled or untrusted hook is recorded as not run, and it blocks nothing.
        let is_active = trusted_gate(placed).pass && enabled_gate(placed).0.pass;
        match &hook.blocks_when_invalid {
            Some(message) if invalid && is_active => out.block_message = Some(message.clone()),
            Some(_) | None => out.skip = skip,
        }
        break;
    }
    out
}

/// Warnings about hooks that can block at this event but are replaced. The hook of the same name that replaces them
/// does not run either. So neither of the two protects the call, and the user must know that.
#[must_use]
pub fn warn_inactive_replacements(spec: &EventSpec, candidates: &[Candidate], payload: &Payload) -> Vec<Notice> {
    let can_block = !spec.notify_only && spec.verdicts.iter().any(|kind| *kind >= VerdictKind::Ask);
    let mut out = Vec::new();
    for candidate in candidates.iter().filter(|_| can_block) {
        let hook = &candidate.hook;
        let Some(DisabledReason::Shadowed(by)) = &hook.disabled_reason else {
            continue;
        };
        let would_run = hook.invalid.is_none()
            && candidate.muted.is_none()
            && candidate.trusted.is_ok()
            && hook.matches_event(spec)
            && !matches!(hook.when.evaluate(payload), Match::No { .. });
        let idle = |other: &Candidate| match &other.hook.disabled_reason {
            // The agent runs this one itself.
            Some(DisabledReason::AgentOnly(_)) => false,
            Some(DisabledReason::Disabled(_) | DisabledReason::Relay(_) | DisabledReason::Shadowed(_)) => true,
            None => {
                other.hook.invalid.is_some()
                    || other.trusted.is_err()
                    || other.muted.is_some()
                    || !other.hook.matches_event(spec)
            }
        };
        let replaced = candidates.iter().find(|other| other.hook.id == *by);
        if would_run && replaced.is_some_and(idle) {
            let id = hook.id_at(spec);
            let message = render!(messages::INACTIVE_REPLACEMENT, "hook" => id, "by" => by);
            out.push(Notice::warning(message, Some(&id)));
        }
    }
    out
}

/// Every hook of the dialect with the results of all gates except `chain` (`explain`). Hooks for the event come first.
/// `diagnose` says what the host knows of a hook.
#[must_use]
pub fn explain(
    dialect: &dyn Dialect,
    spec: &EventSpec,
    candidates: &[Candidate],
    payload: &Payload,
    diagnose: &dyn Fn(&Candidate) -> Diagnosis,
) -> Vec<ExplainStep> {
    let mut all = place_hooks(dialect, candidates, payload);
    sort(spec.chain, &mut all);
    let (mine, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|placed| placed.candidate.hook.matches_event(spec));
    let places = run_positions(mine.iter())
        .into_iter()
        .chain(std::iter::repeat_n(None, others.len()));
    let hooks: Vec<&Hook> = mine.iter().map(|placed| &*placed.candidate.hook).collect();
    let passes = |index: usize| {
        let mut gates = check_gates(&mine[index], spec, payload, Condition::evaluate);
        !mine[index].candidate.agent_runs_it && gates.all(|(gate, _)| gate.pass)
    };
    let same: BTreeMap<usize, Message> = same_hooks(&hooks, passes).into_iter().collect();
    mine.iter()
        .chain(&others)
        .zip(places)
        .enumerate()
        .map(|(index, (placed, position))| {
            let judged = check_gates(placed, spec, payload, Condition::explain);
            let mut gates: Vec<Gate> = judged.map(|(gate, _)| gate).collect();
            if let Some((why, gate)) = same
                .get(&index)
                .zip(gates.iter_mut().find(|it| it.gate == GateName::Enabled))
            {
                *gate = Gate::failed(GateName::Enabled, why.clone(), None);
            }
            let would_run = gates.iter().all(|gate| gate.pass);
            let Diagnosis {
                health, start_fault, ..
            } = diagnose(placed.candidate);
            let effect = start_fault.as_ref().map(|fault| fault.effect);
            gates.push(start_fault.map_or_else(
                || Gate::passed(GateName::Starts),
                |fault| Gate {
                    fixes: fault.fixes.into_iter().map(GateFix::File).collect(),
                    ..Gate::failed(GateName::Starts, fault.why, None)
                },
            ));
            let hook = &placed.candidate.hook;
            let serves = hook.matches_event(spec);
            ExplainStep {
                hook: if serves { hook.id_at(spec) } else { hook.id.clone() },
                label: hook.label.clone(),
                source: source_ref(hook),
                handler: hook.handler.as_str().to_owned(),
                event: if serves {
                    spec.name.to_owned()
                } else {
                    hook.event.clone()
                },
                would_run,
                would_fail: effect.filter(|_| would_run),
                health,
                agent_trust: hook.agent_trust,
                position,
                gates,
            }
        })
        .collect()
}

/// The run-order positions of one event's hooks, in the order of the candidates. `None` if `valid`, `trusted` or
/// `enabled` fails.
#[must_use]
pub fn positions(dialect: &dyn Dialect, spec: &EventSpec, candidates: &[&Candidate]) -> Vec<Option<u32>> {
    let all = placed_without_payload(dialect, candidates);
    let order = sorted(spec.chain, &all);
    let mut out = vec![None; all.len()];
    for (place, &index) in run_positions(order.iter().map(|&index| &all[index]))
        .into_iter()
        .zip(&order)
    {
        out[index] = place;
    }
    out
}

/// One event's hooks in run order, as indexes of the candidates. Those that would not run are among them.
#[must_use]
pub fn run_order(dialect: &dyn Dialect, spec: &EventSpec, candidates: &[&Candidate]) -> Vec<usize> {
    sorted(spec.chain, &placed_without_payload(dialect, candidates))
}

fn placed_without_payload<'a>(dialect: &dyn Dialect, candidates: &[&'a Candidate]) -> Vec<PlacedHook<'a>> {
    let nothing = Payload::new();
    let placed = |candidate: &&'a Candidate| PlacedHook {
        candidate,
        placement: dialect.placement(&candidate.hook, &nothing),
    };
    candidates.iter().map(placed).collect()
}

fn sorted(policy: ChainPolicy, all: &[PlacedHook<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| key(policy, &all[a]).cmp(&key(policy, &all[b])));
    order
}

/// Where a hook is defined, for documents.
#[must_use]
pub fn source_ref(hook: &hookwright_model::Hook) -> SourceRef {
    SourceRef {
        layer: hook.source.layer,
        path: hook.source.path.display().to_string(),
        line: hook.source.line,
    }
}

fn sort(policy: ChainPolicy, all: &mut [PlacedHook<'_>]) {
    all.sort_by(|a, b| key(policy, a).cmp(&key(policy, b)));
}

/// The sort key of a hook. The sort is stable, so load order decides between equal keys.
fn key<'a>(policy: ChainPolicy, placed: &'a PlacedHook<'_>) -> (usize, i64, Option<Layer>, &'a str) {
    let hook = &placed.candidate.hook;
    let rank = hook.rank.unwrap_or(0);
    match policy.order {
        Order::Loaded => (0, 0, None, ""),
        Order::LayersThenDeclared => (0, 0, Some(hook.source.layer), ""),
        Order::RankDown => (
            usize::from(hook.mode == RunMode::Detach),
            // The order of `rank` turned around, for every number.
            !rank,
            Some(hook.source.layer),
            &hook.label,
        ),
        Order::RankUp => {
            let inside = matches!(hook.handler, Handler::Builtin { .. } | Handler::Callback { .. });
            (usize::from(!inside), if inside { 0 } else { rank }, None, &hook.label)
        }
        Order::ByPlacement => (placed.placement.position, 0, None, &placed.placement.then),
    }
}

fn run_positions<'a, 'c: 'a>(sorted: impl Iterator<Item = &'a PlacedHook<'c>>) -> Vec<Option<u32>> {
    let mut last = 0;
    sorted
        .map(|placed| {
            let runs = !placed.candidate.agent_runs_it
                && valid_gate(placed).pass
                && trusted_gate(placed).pass
                && enabled_gate(placed).0.pass;
            runs.then(|| {
                last += 1;
                last
            })
        })
        .collect()
}

/// The result of a gate, and the skip decision if the gate fails. A failed gate `event` has no skip decision.
type GateResult = (Gate, Option<SkipDecision>);

/// Checks all gates except `chain`, in order.
fn check_gates<'a>(
    placed: &'a PlacedHook<'_>,
    spec: &'a EventSpec,
    payload: &'a Payload,
    judge: fn(&Condition, &Payload) -> Match,
) -> impl Iterator<Item = GateResult> + 'a {
    let checks: [fn(&PlacedHook<'_>, &EventSpec) -> GateResult; 4] = [
        |placed, _| skip_unless(valid_gate(placed), SkipReason::Invalid),
        |placed, _| skip_unless(trusted_gate(placed), SkipReason::Untrusted),
        |placed, _| {
            let (gate, reason) = enabled_gate(placed);
            skip_unless(gate, reason)
        },
        |placed, spec| (event_gate(placed.candidate, spec), None),
    ];
    let filter = std::iter::once_with(move || filter_gate(judge(&placed.candidate.hook.when, payload)));
    checks.into_iter().map(move |check| check(placed, spec)).chain(filter)
}

fn skip_unless(gate: Gate, reason: SkipReason) -> GateResult {
    let skip = (!gate.pass).then_some(SkipDecision {
        outcome: Outcome::Skipped,
        reason: Some(reason),
        failure: None,
    });
    (gate, skip)
}

fn valid_gate(placed: &PlacedHook<'_>) -> Gate {
    match &placed.candidate.hook.invalid {
        None => Gate::passed(GateName::Valid),
        Some(why) => Gate::failed(GateName::Valid, why.clone(), None),
    }
}

fn trusted_gate(placed: &PlacedHook<'_>) -> Gate {
    match &placed.candidate.trusted {
        Ok(()) => Gate::passed(GateName::Trusted),
        Err(_) if placed.placement.trusted && !placed.candidate.contested => Gate::passed(GateName::Trusted),
        Err(why) => Gate::failed(GateName::Trusted, why.clone(), None),
    }
}

fn enabled_gate(placed: &PlacedHook<'_>) -> (Gate, SkipReason) {
    let candidate = placed.candidate;
    let fail = |why: Message, reason| (Gate::failed(GateName::Enabled, why, None), reason);
    match (
        &candidate.hook.disabled_reason,
        &placed.placement.disabled_message,
        &candidate.muted,
    ) {
        (Some(DisabledReason::Disabled(why) | DisabledReason::Relay(why)), _, _) | (None, Some(why), _) => {
            fail(why.clone(), SkipReason::Disabled)
        }
        (Some(DisabledReason::Shadowed(by)), _, _) => {
            fail(render!(messages::GATE_SHADOWED, "hook" => by), SkipReason::Disabled)
        }
        (Some(DisabledReason::AgentOnly(why)), _, _) => fail(why.clone(), SkipReason::AgentRunsIt),
        (None, None, Some(why)) => fail(why.clone(), SkipReason::Muted),
        (None, None, None) if candidate.hook.source.layer == Layer::Builtin => {
            fail(messages::GATE_BUILTIN.render_plain(), SkipReason::AgentRunsIt)
        }
        (None, None, None) => {
            let why = candidate.hook.overridden_by.clone();
            (Gate::passed_with(GateName::Enabled, why), SkipReason::Disabled)
        }
    }
}

fn event_gate(candidate: &Candidate, spec: &EventSpec) -> Gate {
    if candidate.hook.matches_event(spec) {
        Gate::passed(GateName::Event)
    } else {
        Gate::failed(
            GateName::Event,
            render!(messages::GATE_EVENT, "wanted" => candidate.hook.event, "event" => spec.name),
            None,
        )
    }
}

fn filter_gate(judged: Match) -> GateResult {
    match judged {
        Match::Yes => (Gate::passed(GateName::Filter), None),
        Match::No { why, near } => {
            let skip = SkipDecision {
                outcome: Outcome::NotMatched,
                reason: None,
                failure: None,
            };
            (Gate::failed(GateName::Filter, why, near), Some(skip))
        }
        Match::Broken(why) => {
            let skip = SkipDecision {
                outcome: Outcome::FailedOpen,
                reason: None,
                failure: Some(why.clone()),
            };
            (Gate::failed(GateName::Filter, why, None), Some(skip))
        }
    }
}
