//! The record of what an agent ran itself and reported (`CONTRACTS.md` §3, `run.report`).
//!
//! A [`Chain`] asks for attempts and does not know where their results come from. Here they come from the report: each
//! run is decoded by the dialect and merged by the chain as if the engine had run it. So the verdict is the one of the
//! decoded steps. Nothing of a report is lost: a step that the chain would not have run keeps its attempts too.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{
    Args, ChainTimer, Decision, Decoded, Dialect, End, Event, EventSpec, Gate, GateName, Hook, HookOutput, Notice,
    Outcome, Payload, Run, RunMode, SkipReason, Step, Trace, VerdictKind, render,
};

use crate::chain::{Chain, Finished, Next, apply_detached, attempt_record, broken_notice};
use crate::messages;
use crate::plan::PlannedStep;
use crate::record::build_record;

/// What an agent reported about one hook.
#[derive(Debug, Clone)]
pub struct ReportedStep {
    /// The hook: a known one, or one that has only what the report says about it.
    pub hook: Arc<Hook>,
    /// The outcome that the agent gave; `None` if its attempts decide.
    pub outcome: Option<Outcome>,
    /// The attempts, in order.
    pub runs: Vec<ReportedRun>,
}

/// One attempt that an agent reported.
#[derive(Debug, Clone)]
pub struct ReportedRun {
    /// When it started, from the beginning of the event.
    pub started: Duration,
    /// How it ended.
    pub run: Run,
}

/// The trace of an event whose hooks the agent ran itself. `steps` are in the order of the report, which is the run
/// order.
///
/// A given outcome stays as it is. If decoding the attempts leads to the same outcome, the step has what was decoded too;
/// otherwise only the given outcome counts for the verdict. A step with neither is `skipped`, `agent_runs_it`.
#[must_use]
pub fn record_report(dialect: &dyn Dialect, spec: &'static EventSpec, event: Event, steps: Vec<ReportedStep>) -> Trace {
    let runs = steps.iter().flat_map(|step| &step.runs);
    let took = runs
        .map(|reported| reported.started.saturating_add(reported.run.took))
        .max();
    let report = Report {
        dialect,
        spec,
        payload: event.payload.clone(),
    };
    let steps: Vec<ReadStep> = steps.into_iter().map(|step| report.read(step)).collect();
    let mut finished = report.merge(&steps);
    for (step, read) in by_order(&mut finished.steps).into_iter().zip(&steps) {
        report.complete(step, read, &mut finished.notices);
    }
    build_record(dialect, spec, event, finished, &Elapsed(took.unwrap_or_default())).trace
}

/// The steps in the order of the report.
fn by_order(steps: &mut [Step]) -> Vec<&mut Step> {
    steps.sort_by_key(|step| step.order);
    steps.iter_mut().collect()
}

/// The time that the agent needed.
struct Elapsed(Duration);

impl ChainTimer for Elapsed {
    fn elapsed(&self) -> Duration {
        self.0
    }
}

/// A reported step, and what decides its outcome.
struct ReadStep {
    hook: Arc<Hook>,
    given: Option<Outcome>,
    runs: Vec<ReportedRun>,
}

struct Report<'a> {
    dialect: &'a dyn Dialect,
    spec: &'static EventSpec,
    payload: Arc<Payload>,
}

impl Report<'_> {
    fn read(&self, step: ReportedStep) -> ReadStep {
        // The agent has tried as often as it has: no attempt is missing and none is left over.
        let attempts = u32::try_from(step.runs.len()).unwrap_or(u32::MAX).max(1);
        let hook = Hook {
            attempts,
            ..(*step.hook).clone()
        };
        let mut read = ReadStep {
            hook: Arc::new(hook),
            given: None,
            runs: step.runs,
        };
        let decodes_to = |outcome| self.alone(&read).is_some_and(|(alone, _)| alone.outcome == outcome);
        read.given = match step.outcome {
            None if read.runs.is_empty() => Some(Outcome::Skipped),
            Some(outcome) if read.runs.is_empty() || !decodes_to(outcome) => Some(outcome),
            Some(_) | None => None,
        };
        read
    }

    /// The step as it would be without the other ones, with its notices. `None` if a chain has no such step.
    fn alone(&self, step: &ReadStep) -> Option<(Step, Vec<Notice>)> {
        let mut finished = self.merge(std::slice::from_ref(step));
        let mut alone = finished.steps.pop()?;
        if step.hook.mode == RunMode::Detach {
            self.complete_detached(&mut alone, step, &mut finished.notices);
        }
        Some((alone, finished.notices))
    }

    /// Merges the steps in a chain.
    fn merge(&self, steps: &[ReadStep]) -> Finished {
        let planned = |(step, position): (&ReadStep, u32)| PlannedStep {
            hook: step.hook.clone(),
            position: Some(position),
            gates: Vec::new(),
            skip: None,
            block_message: None,
        };
        let plan = steps.iter().zip(1..).map(planned).collect();
        let mut chain = Chain::new(self.dialect, self.spec, plan, self.payload.clone(), None);
        let mut left: Vec<std::slice::Iter<'_, ReportedRun>> = steps.iter().map(|step| step.runs.iter()).collect();
        while let Next::Run(requests) = chain.next(Duration::ZERO) {
            for request in requests {
                let index = request.index();
                let (step, runs) = (steps.get(index), left.get_mut(index));
                let next = runs.and_then(Iterator::next);
                match (step.map(|step| (step, step.given)), next) {
                    (Some((step, Some(given))), _) => chain.apply_decoded(&request, self.implied(step, given)),
                    (_, Some(ReportedRun { started, run })) if run.end == End::Cancelled => {
                        chain.record_stop(&request, run.clone(), *started);
                    }
                    (_, Some(ReportedRun { started, run })) => {
                        let decoded = self.dialect.decode(&request.hook, self.spec, chain.payload(), run);
                        chain.apply_run(&request, decoded, run.clone(), *started);
                    }
                    (_, None) => chain.apply_decoded(&request, Decoded::Nothing),
                }
            }
        }
        chain.finish()
    }

    /// What a given outcome means for the verdict.
    fn implied(&self, step: &ReadStep, given: Outcome) -> Decoded {
        let failure = || render!(messages::FAILED_CLOSED, "label" => step.hook.label);
        let (kind, reason) = match given {
            Outcome::Allowed => (VerdictKind::Approve, None),
            Outcome::Asked => (VerdictKind::Ask, None),
            Outcome::Denied => (self.denial(), None),
            Outcome::FailedClosed | Outcome::TimedOutClosed => {
                let (kind, reason) = self.dialect.closed_verdict(&step.hook, &failure(), None);
                (kind, Some(reason))
            }
            Outcome::NotMatched
            | Outcome::Skipped
            | Outcome::NoOpinion
            | Outcome::Changed
            | Outcome::FailedOpen
            | Outcome::TimedOutOpen
            | Outcome::Detached => return Decoded::Nothing,
        };
        let decision = Decision {
            what: "outcome",
            kind,
            reason: None,
            feedback: None,
            default_message: reason,
        };
        Decoded::Answer(HookOutput {
            decision: Some(decision),
            ..HookOutput::default()
        })
    }

    /// The verdict with which hooks usually block at this event.
    fn denial(&self) -> VerdictKind {
        const USUAL: [VerdictKind; 6] = [
            VerdictKind::Deny,
            VerdictKind::Stop,
            VerdictKind::Retry,
            VerdictKind::Skip,
            VerdictKind::EndTurn,
            VerdictKind::EndSession,
        ];
        let accepted = |kind: &VerdictKind| self.spec.verdicts.contains(kind);
        let usual = USUAL.into_iter().find(accepted);
        self.spec.exit_2.filter(accepted).or(usual).unwrap_or(VerdictKind::Deny)
    }

    /// Adds to a step of the chain what the chain did not take.
    fn complete(&self, step: &mut Step, read: &ReadStep, notices: &mut Vec<Notice>) {
        if let Some(given) = read.given {
            return complete_given(step, read, given, notices);
        }
        if read.hook.mode == RunMode::Detach {
            return self.complete_detached(step, read, notices);
        }
        let had_turn = !step.attempts.is_empty();
        if !had_turn && let Some((alone, more)) = self.alone(read) {
            // The chain ended before this step, but the agent has run it.
            let order = step.order;
            *step = alone;
            step.order = order;
            step.position = Some(order);
            notices.extend(more);
        }
        let taken = step.attempts.len();
        add_attempts(step, read, taken);
    }

    /// An asynchronous hook: the agent did not wait for it, so it decided nothing.
    fn complete_detached(&self, step: &mut Step, read: &ReadStep, notices: &mut Vec<Notice>) {
        step.gates = vec![Gate::passed(GateName::Chain)];
        step.position = Some(step.order);
        step.reason = None;
        for ReportedRun { started, run } in &read.runs {
            let decoded = self.dialect.decode(&read.hook, self.spec, &self.payload, run);
            apply_detached(step, notices, decoded, run.clone(), *started);
        }
    }
}

/// Records the outcome that the agent gave, with the attempts as they are.
fn complete_given(step: &mut Step, read: &ReadStep, given: Outcome, notices: &mut Vec<Notice>) {
    step.outcome = given;
    (step.reason, step.code, step.args) = (None, None, Args::new());
    (step.gates, step.position) = match given {
        Outcome::Skipped | Outcome::NotMatched => (Vec::new(), None),
        Outcome::NoOpinion
        | Outcome::Allowed
        | Outcome::Changed
        | Outcome::Asked
        | Outcome::Denied
        | Outcome::FailedOpen
        | Outcome::FailedClosed
        | Outcome::TimedOutOpen
        | Outcome::TimedOutClosed
        | Outcome::Detached => (vec![Gate::passed(GateName::Chain)], Some(step.order)),
    };
    if given == Outcome::Skipped {
        step.reason = Some(SkipReason::AgentRunsIt.as_str().to_owned());
    }
    if matches!(
        given,
        Outcome::FailedOpen | Outcome::FailedClosed | Outcome::TimedOutOpen | Outcome::TimedOutClosed
    ) {
        notices.push(broken_notice(step, given));
    }
    add_attempts(step, read, 0);
}

/// Adds the attempts after the first `taken` ones.
fn add_attempts(step: &mut Step, read: &ReadStep, taken: usize) {
    let left = read.runs.iter().skip(taken);
    step.attempts
        .extend(left.map(|reported| attempt_record(reported.run.clone(), reported.started)));
}
