//! One chain, from the first hook to the resolution. This file has no await and no clock: the caller passes the elapsed
//! time.

mod ending;
mod merge;
mod record;
mod step_state;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{
    ChainPolicy, Decision, Decoded, Dialect, End, EventSpec, Flow, Gate, GateName, Hook, HookId, Merge, Message,
    Notice, OnFailure, Outcome, Payload, Run, RunMode, Verdict,
};
use indexmap::IndexMap;
use serde_json::Value;

use crate::plan::PlannedStep;
pub(crate) use step_state::broken_notice;
use step_state::{RecordFailure, StepState, failure_outcome, mark_stopped, record_attempt};

pub use ending::Finished;
pub(crate) use record::attempt_record;
pub use step_state::{apply_detached, cancel_detached, mark_untrusted, stop_detached};

/// What the caller must do next.
#[derive(Debug)]
pub enum Next {
    /// Run these attempts, all at once, and apply their results in this order.
    Run(Vec<AttemptRequest>),
    /// Nothing more: the chain is over.
    Done,
}

/// An attempt that the caller must run.
#[derive(Debug, Clone)]
pub struct AttemptRequest {
    index: usize,
    /// The hook to run.
    pub hook: Arc<Hook>,
    /// Time limit of this attempt.
    pub limit: Duration,
    /// Whether `limit` is the rest of the chain's budget and not the hook's own timeout.
    pub cut_by_budget: bool,
    /// The chain's budget, for messages; zero if there is none.
    pub budget: Duration,
}

/// Why the chain ended before its last hook.
#[derive(Debug, Clone)]
enum EarlyEnd {
    Ended { by: String },
    BudgetSpent,
    Cancelled,
}

/// A chain that is running.
pub struct Chain<'a> {
    dialect: &'a dyn Dialect,
    policy: ChainPolicy,
    spec: &'static EventSpec,
    /// Why hooks can no longer block the agent ([`Dialect::no_block_reason`]).
    no_block_reason: Option<Message>,
    original: Arc<Payload>,
    /// Shares its fields with `original` until one of them changes.
    payload: Arc<Payload>,
    steps: Vec<StepState>,
    /// The payload that the hooks of the present tier see, if they run at once.
    tier_payload: Arc<Payload>,
    /// The present tier of a fan ([`Hook::tier`]).
    tier: u8,
    /// The index of the step whose turn it is.
    at: usize,
    early_end: Option<EarlyEnd>,
    verdict: Verdict,
    /// The strictest decision below the verdict.
    below: Option<Verdict>,
    /// The step that gave the verdict, and the field that contained it.
    decided: Option<(usize, &'static str)>,
    replaced: IndexMap<&'static str, OverriddenField>,
    added: Vec<Added>,
    notices: Vec<Notice>,
    handshakes: HandshakeResults,
}

/// Whether the peers completed their handshakes, by hook: `None` if they did or none was needed, otherwise the reason.
pub type HandshakeResults = BTreeMap<HookId, Option<Message>>;

/// A replacing output that was not dropped. Its name is the key in `Chain::replaced`.
#[derive(Debug)]
struct OverriddenField {
    state: usize,
    value: Value,
    fields: Vec<String>,
    with_verdicts: &'static [hookwright_model::VerdictKind],
}

#[derive(Debug)]
struct Added {
    state: usize,
    name: String,
    value: Value,
    merge: Merge,
}

impl<'a> Chain<'a> {
    /// Creates a chain for a payload, from planned steps in run order.
    #[must_use]
    pub fn new(
        dialect: &'a dyn Dialect,
        spec: &'static EventSpec,
        plan: Vec<PlannedStep>,
        payload: Arc<Payload>,
        no_block_reason: Option<Message>,
    ) -> Self {
        let steps = plan
            .into_iter()
            .zip(1..)
            .map(|(planned, order)| StepState::new(planned, order, spec))
            .collect();
        let mut chain = Self {
            dialect,
            policy: spec.chain,
            spec,
            no_block_reason,
            original: payload.clone(),
            tier_payload: payload.clone(),
            tier: 0,
            payload,
            steps,
            at: 0,
            early_end: None,
            verdict: Verdict::proceed(),
            below: None,
            decided: None,
            replaced: IndexMap::new(),
            added: Vec::new(),
            notices: Vec::new(),
            handshakes: HandshakeResults::new(),
        };
        for index in 0..chain.steps.len() {
            chain.apply_skip(index);
        }
        chain
    }

    /// The payload that the next hook sees.
    #[must_use]
    pub fn payload(&self) -> &Payload {
        match self.policy.flow {
            Flow::Pipe => &self.payload,
            Flow::Fan => &self.tier_payload,
            Flow::Sequence => &self.original,
        }
    }

    /// The same chain with another budget than that of its event.
    #[must_use]
    pub fn with_budget(mut self, budget: Option<Duration>) -> Self {
        self.policy.budget = budget;
        self
    }

    /// Returns the next attempts. `elapsed` is the time since the event's acceptance.
    pub fn next(&mut self, elapsed: Duration) -> Next {
        let left = self.policy.budget.map(|budget| budget.saturating_sub(elapsed));
        match self.policy.flow {
            Flow::Pipe | Flow::Sequence => {
                while self.early_end.is_none() && self.at < self.steps.len() {
                    if !self.must_wait(self.at) {
                        self.at += 1;
                    } else if let Some(message) = self.steps[self.at].planned.block_message.clone() {
                        self.fail(self.at, message, None, Open::AsDefined);
                    } else if left == Some(Duration::ZERO) {
                        self.stop_retries(EarlyEnd::BudgetSpent);
                    } else {
                        return Next::Run(vec![self.attempt_request(self.at, left)]);
                    }
                }
                Next::Done
            }
            Flow::Fan => self.next_of_fan(left),
        }
    }

    /// Returns all awaited hooks at once. Hooks that block without running have their turn after the others. So nothing
    /// that one hook of a fan does prevents another one from running.
    fn next_of_fan(&mut self, left: Option<Duration>) -> Next {
        if self.early_end.is_some() {
            return Next::Done;
        }
        while let Some(tier) = self.awaited().map(|(_, hook)| hook.tier).min() {
            if tier > self.tier && !self.begin_tier(tier) {
                return Next::Done;
            }
            let waiting = self.awaited().filter(|(_, hook)| hook.tier == tier);
            let waiting: Vec<usize> = waiting.map(|(index, _)| index).collect();
            let (doomed, able): (Vec<usize>, Vec<usize>) = waiting
                .into_iter()
                .partition(|&index| self.steps[index].planned.block_message.is_some());
            if !able.is_empty() {
                return Next::Run(
                    able.into_iter()
                        .map(|index| self.attempt_request(index, left))
                        .collect(),
                );
            }
            for index in doomed {
                if let Some(message) = self.steps[index].planned.block_message.clone() {
                    self.fail(index, message, None, Open::AsDefined);
                }
            }
        }
        Next::Done
    }

    /// Begins a tier of a fan, on the payload that the tiers before it left. Returns whether it may run: a block of the
    /// event ends the chain.
    fn begin_tier(&mut self, tier: u8) -> bool {
        self.tier = tier;
        self.tier_payload = self.payload.clone();
        let decided = [Some(&self.verdict), self.below.as_ref()];
        let block = decided
            .into_iter()
            .flatten()
            .find(|verdict| Some(verdict.kind) == self.spec.exit_2);
        let by = block.map(|verdict| verdict.by.clone().unwrap_or_default());
        self.early_end = by.map(|by| EarlyEnd::Ended { by });
        self.early_end.is_none()
    }

    /// The steps that are awaited and not finished, by index, in run order.
    pub fn awaited(&self) -> impl Iterator<Item = (usize, &Arc<Hook>)> {
        let awaited = (0..self.steps.len()).filter(|&index| self.must_wait(index));
        awaited.map(|index| (index, &self.steps[index].planned.hook))
    }

    /// The outcome of the step of this attempt; `None` while another attempt follows.
    #[must_use]
    pub fn outcome_after(&self, request: &AttemptRequest) -> Option<Outcome> {
        let state = &self.steps[request.index];
        state.finished.then_some(state.step.outcome)
    }

    /// Whether this hook is awaited and is not finished.
    fn must_wait(&self, index: usize) -> bool {
        let state = &self.steps[index];
        !state.finished && state.planned.hook.mode == RunMode::Await
    }

    fn attempt_request(&self, index: usize, left: Option<Duration>) -> AttemptRequest {
        let hook = self.steps[index].planned.hook.clone();
        let limit = self.dialect.time_limit(&hook, left);
        AttemptRequest {
            index,
            cut_by_budget: left == Some(limit) && limit != hook.timeout,
            limit,
            hook,
            budget: self.budget(),
        }
    }

    /// Records that the pre-spawn check found other content than was approved.
    pub fn mark_untrusted(&mut self, request: &AttemptRequest, why: Message) {
        let state = &mut self.steps[request.index];
        mark_untrusted(&mut state.step, why);
        state.finished = true;
        state.failure = None;
    }

    /// Applies the output of a hook for which nothing had to run.
    pub fn apply_decoded(&mut self, request: &AttemptRequest, decoded: Decoded) {
        self.steps[request.index].ran = true;
        match decoded {
            Decoded::Nothing => self.finish_step(request.index, Outcome::NoOpinion),
            Decoded::Answer(answer) => self.apply(request.index, answer),
            Decoded::Failure(message) => self.fail(request.index, message, None, Open::AsDefined),
            Decoded::Closed(message) => self.fail(request.index, message, None, Open::Never),
        }
    }

    /// Records an attempt that the user, a signal or a leaving agent stopped. The step is skipped and its attempt is
    /// recorded. This is not a failure (`engine.md` §4).
    pub fn record_stop(&mut self, request: &AttemptRequest, run: Run, started: Duration) {
        self.record_attempt(request.index, run, started);
        let state = &mut self.steps[request.index];
        state.finished = true;
        state.failure = None;
        mark_stopped(&mut state.step);
        // What stopped the attempt also stopped the chain. No hook may run after a guard that has not decided.
        self.cancel();
    }

    /// Records an attempt, and the warnings of its run.
    fn record_attempt(&mut self, index: usize, run: Run, started: Duration) {
        let state = &mut self.steps[index];
        state.tries += 1;
        state.ran = true;
        let failed_handshake = run.no_handshake.as_ref().map(|it| it.why.clone());
        self.handshakes.insert(state.step.hook.clone(), failed_handshake);
        record_attempt(&mut state.step, &mut self.notices, run, started);
    }

    /// Applies the end and the decoded output of an attempt. `started` is the time since the event's acceptance.
    pub fn apply_run(&mut self, request: &AttemptRequest, decoded: Decoded, run: Run, started: Duration) {
        let end = run.end;
        self.record_attempt(request.index, run, started);
        match decoded {
            Decoded::Nothing => self.finish_step(request.index, Outcome::NoOpinion),
            Decoded::Answer(answer) => self.apply(request.index, answer),
            Decoded::Failure(message) => {
                let out_of_time = request.cut_by_budget && end == End::TimedOut;
                if self.steps[request.index].tries < request.hook.attempts && !out_of_time {
                    self.steps[request.index].failure = Some((message, end));
                } else {
                    self.fail(request.index, message, Some(end), Open::AsDefined);
                }
            }
            Decoded::Closed(message) => self.fail(request.index, message, Some(end), Open::Never),
        }
    }

    fn budget(&self) -> Duration {
        self.policy.budget.unwrap_or_default()
    }

    fn apply_skip(&mut self, index: usize) {
        let Some(skip) = self.steps[index].planned.skip.clone() else {
            return;
        };
        let state = &mut self.steps[index];
        state.finished = true;
        state.step.outcome = skip.outcome;
        state.step.reason = skip.reason.map(|reason| reason.as_str().to_owned());
        if let Some(message) = skip.failure {
            self.notices.push(broken_notice(&state.step, Outcome::FailedOpen));
            state.step.set_failure(message);
        }
    }

    fn finish_step(&mut self, index: usize, outcome: Outcome) {
        let state = &mut self.steps[index];
        state.finished = true;
        state.failure = None;
        state.step.outcome = outcome;
        state.step.gates.push(Gate::passed(GateName::Chain));
    }

    /// Records that the hook failed for good. `end` is the end of its last attempt; `None` if it had none.
    fn fail(&mut self, index: usize, message: Message, end: Option<End>, open: Open) {
        let hook = self.steps[index].planned.hook.clone();
        let ends_chain = hook.on_failure == OnFailure::Closed || open == Open::Never;
        // A notify-only event blocks nothing. So its failures are open, whatever the hook asked for (`engine.md` §4).
        let closed = ends_chain && !self.spec.notify_only;
        let outcome = failure_outcome(end, closed);
        self.finish_step(index, outcome);
        self.steps[index].step.set_failure(message.clone());
        self.notices.push(broken_notice(&self.steps[index].step, outcome));
        // Nothing ends a fan, and nothing in it drops what another hook returned (`engine.md` §5).
        let ends_chain = ends_chain && self.policy.flow != Flow::Fan;
        if closed {
            if ends_chain {
                self.drop_earlier(index);
            }
            let (kind, verdict_message) = self.dialect.closed_verdict(&hook, &message, end);
            self.decide(
                index,
                Decision {
                    what: "",
                    kind,
                    reason: None,
                    feedback: None,
                    default_message: Some(verdict_message),
                },
            );
        }
        if ends_chain {
            self.early_end = Some(EarlyEnd::Ended {
                by: self.steps[index].step.hook.clone(),
            });
        }
    }
}

/// Whether a failure may let the agent continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// As the definition of the hook says.
    AsDefined,
    /// In no case.
    Never,
}

impl AttemptRequest {
    /// The index of its step in the plan of the chain.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The request of a detached hook. It has its own timeout and no budget.
    #[must_use]
    pub fn detached(hook: Arc<Hook>) -> Self {
        Self {
            index: 0,
            limit: hook.timeout,
            hook,
            cut_by_budget: false,
            budget: Duration::ZERO,
        }
    }
}

/// A duration in milliseconds, rounded to microseconds.
#[must_use]
pub fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
