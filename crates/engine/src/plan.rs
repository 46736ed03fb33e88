//! Gates and run order: every hook known for an event, and why it would or would not run (`engine.md` §2).

use hookwright_model::{
    ChainPolicy, EventSpec, ExplainStep, Gate, GateName, Layer, Match, Off, Order, Outcome, Payload, SkipReason,
    SourceRef, Words, args,
};

use crate::{Candidate, sayings};

/// One hook's place in a chain that has not begun.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The hook.
    pub hook: std::sync::Arc<hookwright_model::Hook>,
    /// Place in run order among hooks that pass `valid`, `trusted` and `enabled`, from 1.
    pub position: Option<u32>,
    /// Gates up to the first that failed; all but `chain` when none did.
    pub gates: Vec<Gate>,
    /// Set when it is known not to run.
    pub fate: Option<Fate>,
}

/// Why a hook is not run.
#[derive(Debug, Clone, PartialEq)]
pub struct Fate {
    /// The outcome.
    pub outcome: Outcome,
    /// For `skipped`.
    pub reason: Option<SkipReason>,
    /// For a filter that gave up: the failure.
    pub failure: Option<Words>,
}

/// Puts the hooks of one event through the gates, in run order.
#[must_use]
pub fn select(policy: ChainPolicy, spec: &EventSpec, candidates: &[Candidate], payload: &Payload) -> Vec<Planned> {
    let mut mine: Vec<&Candidate> = candidates
        .iter()
        .filter(|candidate| candidate.hook.event == spec.name)
        .collect();
    sort(policy, &mut mine);
    let places = places(&mine);
    mine.iter()
        .zip(places)
        .map(|(candidate, position)| {
            let mut gates = Vec::with_capacity(6);
            for judged in judge_all(candidate, spec, payload) {
                let (gate, fate) = judged;
                gates.push(gate);
                if fate.is_some() {
                    return Planned {
                        hook: candidate.hook.clone(),
                        position,
                        gates,
                        fate,
                    };
                }
            }
            Planned {
                hook: candidate.hook.clone(),
                position,
                gates,
                fate: None,
            }
        })
        .collect()
}

/// Every hook of the dialect with every gate but `chain`, those for the event first (`explain`).
#[must_use]
pub fn explain(policy: ChainPolicy, spec: &EventSpec, candidates: &[Candidate], payload: &Payload) -> Vec<ExplainStep> {
    let mut all: Vec<&Candidate> = candidates.iter().collect();
    sort(policy, &mut all);
    let (mine, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|candidate| candidate.hook.event == spec.name);
    let places = places(&mine).into_iter().chain(std::iter::repeat_n(None, others.len()));
    mine.iter()
        .chain(&others)
        .zip(places)
        .map(|(candidate, position)| {
            let gates: Vec<Gate> = judge_all(candidate, spec, payload).map(|(gate, _)| gate).collect();
            let hook = &candidate.hook;
            ExplainStep {
                hook: hook.id.clone(),
                label: hook.label.clone(),
                source: source_ref(hook),
                handler: hook.handler.word().to_owned(),
                event: hook.event.clone(),
                would_run: gates.iter().all(|gate| gate.pass),
                position,
                gates,
            }
        })
        .collect()
}

/// Run-order places of one event's hooks, in the given order of candidates; `None` when `valid`, `trusted` or `enabled` fails.
#[must_use]
pub fn positions(policy: ChainPolicy, candidates: &[&Candidate]) -> Vec<Option<u32>> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&index| key(policy, candidates[index]));
    let sorted: Vec<&Candidate> = order.iter().map(|&index| candidates[index]).collect();
    let mut out = vec![None; candidates.len()];
    for (place, index) in places(&sorted).into_iter().zip(order) {
        out[index] = place;
    }
    out
}

/// Where a hook stands, for documents.
#[must_use]
pub fn source_ref(hook: &hookwright_model::Hook) -> SourceRef {
    SourceRef {
        layer: hook.source.layer,
        path: hook.source.path.display().to_string(),
        line: hook.source.line,
    }
}

fn sort(policy: ChainPolicy, candidates: &mut [&Candidate]) {
    candidates.sort_by_key(|candidate| key(policy, candidate));
}

/// The sort is stable, so that declared order decides inside a layer.
fn key(policy: ChainPolicy, candidate: &Candidate) -> Layer {
    match policy.order {
        Order::LayersThenDeclared => candidate.hook.source.layer,
    }
}

fn places(sorted: &[&Candidate]) -> Vec<Option<u32>> {
    let mut last = 0;
    sorted
        .iter()
        .map(|candidate| {
            let runs = valid(candidate).pass && candidate.trusted.is_ok() && enabled(candidate).0.pass;
            runs.then(|| {
                last += 1;
                last
            })
        })
        .collect()
}

type Judged = (Gate, Option<Fate>);

fn judge_all<'a>(
    candidate: &'a Candidate,
    spec: &'a EventSpec,
    payload: &'a Payload,
) -> impl Iterator<Item = Judged> + 'a {
    let looks: [fn(&Candidate, &EventSpec, &Payload) -> Judged; 5] = [
        |candidate, _, _| skipped_unless(valid(candidate), SkipReason::Invalid),
        |candidate, _, _| skipped_unless(trusted(candidate), SkipReason::Untrusted),
        |candidate, _, _| {
            let (gate, reason) = enabled(candidate);
            skipped_unless(gate, reason)
        },
        |candidate, spec, _| (event(candidate, spec), None),
        |candidate, _, payload| filter(candidate, payload),
    ];
    looks.into_iter().map(move |look| look(candidate, spec, payload))
}

fn skipped_unless(gate: Gate, reason: SkipReason) -> Judged {
    let fate = (!gate.pass).then_some(Fate {
        outcome: Outcome::Skipped,
        reason: Some(reason),
        failure: None,
    });
    (gate, fate)
}

fn valid(candidate: &Candidate) -> Gate {
    match &candidate.hook.invalid {
        None => Gate::passed(GateName::Valid),
        Some(why) => Gate::failed(GateName::Valid, why.clone(), None),
    }
}

fn trusted(candidate: &Candidate) -> Gate {
    match &candidate.trusted {
        Ok(()) => Gate::passed(GateName::Trusted),
        Err(why) => Gate::failed(GateName::Trusted, why.clone(), None),
    }
}

fn enabled(candidate: &Candidate) -> (Gate, SkipReason) {
    let fail = |why: Words, reason| (Gate::failed(GateName::Enabled, why, None), reason);
    match (&candidate.hook.off, &candidate.muted) {
        (Some(Off::Disabled(why)), _) => fail(why.clone(), SkipReason::Disabled),
        (Some(Off::Shadowed(by)), _) => fail(sayings::GATE_SHADOWED.say(args! { "hook" => by }), SkipReason::Disabled),
        (Some(Off::AgentOnly(why)), _) => fail(why.clone(), SkipReason::AgentRunsIt),
        (None, Some(why)) => fail(why.clone(), SkipReason::Muted),
        (None, None) if candidate.hook.source.layer == Layer::Builtin => {
            fail(sayings::GATE_BUILTIN.plain(), SkipReason::AgentRunsIt)
        }
        (None, None) => (Gate::passed(GateName::Enabled), SkipReason::Disabled),
    }
}

fn event(candidate: &Candidate, spec: &EventSpec) -> Gate {
    if candidate.hook.event == spec.name {
        Gate::passed(GateName::Event)
    } else {
        Gate::failed(
            GateName::Event,
            sayings::GATE_EVENT.say(args! { "wanted" => candidate.hook.event, "event" => spec.name }),
            None,
        )
    }
}

fn filter(candidate: &Candidate, payload: &Payload) -> Judged {
    match candidate.hook.when.judge(payload) {
        Match::Yes => (Gate::passed(GateName::Filter), None),
        Match::No { why, near } => {
            let fate = Fate {
                outcome: Outcome::NotMatched,
                reason: None,
                failure: None,
            };
            (Gate::failed(GateName::Filter, why, near), Some(fate))
        }
        Match::GaveUp(why) => {
            let fate = Fate {
                outcome: Outcome::FailedOpen,
                reason: None,
                failure: Some(why.clone()),
            };
            (Gate::failed(GateName::Filter, why, None), Some(fate))
        }
    }
}
