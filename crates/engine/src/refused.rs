//! The record of an event that was refused before its chain could begin: its payload is too large, for example. The
//! agent usually continues, so every hook that could have run has failed open.

use std::time::Duration;

use hookwright_model::{Dialect, Event, EventSpec, GateName, Message, Notice, Outcome, Trace};

use crate::chain::{Chain, Next};
use crate::driver::SystemTimer;
use crate::plan::{self, PlannedStep, SkipDecision};
use crate::record::build_record;
use crate::{Candidate, FileHooks};

/// The trace of an event that was refused because of `why`. `candidates` are all hooks of the dialect, in load order,
/// with those of the session at the end. Which conditions would have held is not known, so none is evaluated.
#[must_use]
pub fn record_refused(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    mut candidates: Vec<Candidate>,
    file_hooks: FileHooks,
    why: &Message,
) -> Trace {
    file_hooks.mark(&mut candidates);
    let mut plan = plan::select(dialect, spec, &candidates, &event.payload);
    plan.iter_mut().for_each(|step| fail_open(step, why));
    let mut chain = Chain::new(dialect, spec, plan, event.payload.clone(), None);
    // Every step is decided, so nothing is asked to run.
    while let Next::Run(_) = chain.next(Duration::ZERO) {}
    let mut trace = build_record(dialect, spec, event, chain.finish(), &SystemTimer::start()).trace;
    trace.notices.insert(0, Notice::warning(why.clone(), None));
    trace
}

/// A hook that passes the gates before its condition has failed open. The others did not run for their own reason.
fn fail_open(step: &mut PlannedStep, why: &Message) {
    let could_block = step.block_message.take().is_some();
    let is_ready = step.gates.iter().all(|gate| gate.pass || gate.gate >= GateName::Filter);
    if could_block || is_ready {
        step.gates.retain(|gate| gate.gate < GateName::Filter);
        step.skip = Some(SkipDecision {
            outcome: Outcome::FailedOpen,
            reason: None,
            failure: Some(why.clone()),
        });
    }
}
