//! The state of one hook in a chain, and how its step is recorded.

use std::time::Duration;

use hookwright_model::{
    Attempt, Decoded, End, EventSpec, Gate, GateName, Ignored, Message, Notice, Outcome, Run, SkipReason, Step, args,
};

use super::record;
use crate::messages;
use crate::plan::{PlannedStep, source_ref};

/// One hook's part in a running chain.
#[derive(Debug)]
pub(super) struct StepState {
    pub(super) planned: PlannedStep,
    pub(super) step: Step,
    pub(super) tries: u32,
    /// Whether the hook had its turn, with or without an attempt.
    pub(super) ran: bool,
    pub(super) finished: bool,
    /// The failure of the last attempt, while another attempt may follow.
    pub(super) failure: Option<(Message, End)>,
}

impl StepState {
    /// The state of a planned step before its turn. `order` is its position in run order, from 1.
    pub(super) fn new(planned: PlannedStep, order: u32, spec: &EventSpec) -> Self {
        let hook = &planned.hook;
        let step = Step {
            hook: hook.id_at(spec),
            label: hook.label.clone(),
            position: None,
            order,
            source: source_ref(hook),
            handler: hook.handler.as_str().to_owned(),
            version: hook.version(),
            uid: hook.uid.clone(),
            agent_trust: hook.agent_trust,
            mode: hook.mode,
            outcome: Outcome::Skipped,
            reason: None,
            code: None,
            args: hookwright_model::Args::new(),
            gates: planned.gates.clone(),
            edits: Vec::new(),
            ignored: Vec::new(),
            attempts: Vec::new(),
            removed: Vec::new(),
        };
        Self {
            planned,
            step,
            tries: 0,
            ran: false,
            finished: false,
            failure: None,
        }
    }
}

pub(super) trait RecordFailure {
    fn set_failure(&mut self, message: Message);
}

impl RecordFailure for Step {
    /// Records the failure, and that nothing read what the hook wrote to stdout.
    fn set_failure(&mut self, message: Message) {
        if self.attempts.last().is_some_and(has_unread_stdout) {
            self.ignored
                .push(Ignored::new("stdout", messages::UNREAD_STDOUT.render_plain()));
        }
        self.reason = Some(message.text);
        self.code = Some(message.code.to_owned());
        self.args = message.args;
    }
}

/// Whether a command wrote to stdout and then ended in a way in which no answer is read. After exit code 0 the failure
/// itself is about the answer.
fn has_unread_stdout(attempt: &Attempt) -> bool {
    let is_failure = match attempt.end {
        End::Exit => attempt.code != Some(0),
        End::Signal | End::TimedOut => true,
        End::Cancelled | End::NotStarted | End::Replied | End::Refused | End::PeerGone | End::Done => false,
    };
    is_failure && !attempt.stdout.trim().is_empty()
}

pub(crate) fn broken_notice(step: &Step, outcome: Outcome) -> Notice {
    let is_closed = matches!(outcome, Outcome::FailedClosed | Outcome::TimedOutClosed);
    let has_timed_out = matches!(outcome, Outcome::TimedOutOpen | Outcome::TimedOutClosed);
    let template = match (is_closed, has_timed_out) {
        (false, false) => messages::FAILED_OPEN,
        (false, true) => messages::TIMED_OUT_OPEN,
        (true, false) => messages::FAILED_CLOSED,
        (true, true) => messages::TIMED_OUT_CLOSED,
    };
    Notice::warning(template.render(args! { "label" => step.label }), Some(&step.hook))
}

/// Records that the pre-spawn check found other content than was approved.
pub fn mark_untrusted(step: &mut Step, why: Message) {
    step.gates.retain(|gate| gate.gate < GateName::Trusted);
    step.gates.push(Gate::failed(GateName::Trusted, why, None));
    step.outcome = Outcome::Skipped;
    step.reason = Some(SkipReason::Untrusted.as_str().to_owned());
    step.position = None;
}

/// Records that the chain ended before this hook, or that the hook was stopped.
pub(super) fn skip_step(step: &mut Step, reason: SkipReason, why: Message) {
    step.gates.push(Gate::failed(GateName::Chain, why, None));
    step.outcome = Outcome::Skipped;
    step.reason = Some(reason.as_str().to_owned());
}

/// Records that the hook was stopped while it ran.
pub(super) fn mark_stopped(step: &mut Step) {
    skip_step(step, SkipReason::Cancelled, messages::CANCELLED_RUN.render_plain());
}

/// Records an attempt, and the warnings of its run.
pub(super) fn record_attempt(step: &mut Step, notices: &mut Vec<Notice>, run: Run, started: Duration) {
    let warnings = run.warnings.iter().cloned();
    notices.extend(warnings.map(|warning| Notice::warning(warning, Some(&step.hook))));
    step.attempts.push(record::attempt_record(run, started));
}

/// The outcome of a failure.
pub(super) fn failure_outcome(end: Option<End>, closed: bool) -> Outcome {
    match (end == Some(End::TimedOut), closed) {
        (true, true) => Outcome::TimedOutClosed,
        (true, false) => Outcome::TimedOutOpen,
        (false, true) => Outcome::FailedClosed,
        (false, false) => Outcome::FailedOpen,
    }
}

/// Records that a detached hook was never started.
pub fn cancel_detached(step: &mut Step) {
    clear_chain_gate(step);
    skip_step(step, SkipReason::Cancelled, messages::CANCELLED.render_plain());
    step.position = None;
}

/// Records that a detached hook was stopped while it ran (`engine.md` §6).
pub fn stop_detached(step: &mut Step, notices: &mut Vec<Notice>, run: Run, started: Duration) {
    record_attempt(step, notices, run, started);
    clear_chain_gate(step);
    mark_stopped(step);
}

/// Removes the result of gate `chain`.
fn clear_chain_gate(step: &mut Step) {
    step.gates.retain(|gate| gate.gate < GateName::Chain);
}

/// Records how a detached hook ended, with the final outcome of its step. Everything that it asked for is ignored
/// (`agent-hooks.md` §7.7).
pub fn apply_detached(step: &mut Step, notices: &mut Vec<Notice>, decoded: Decoded, run: Run, started: Duration) {
    let end = run.end;
    record_attempt(step, notices, run, started);
    step.outcome = match decoded {
        Decoded::Nothing => Outcome::NoOpinion,
        Decoded::Answer(answer) => {
            let asked = answer
                .fields
                .into_iter()
                .chain(answer.reply_fields)
                .map(|(name, _)| name);
            let asked = answer.decision.map(|ask| ask.what.to_owned()).into_iter().chain(asked);
            let late = asked.map(|what| Ignored::new(what, messages::TOO_LATE.render_plain()));
            step.ignored.extend(answer.ignored.into_iter().chain(late));
            Outcome::NoOpinion
        }
        Decoded::Failure(message) | Decoded::Closed(message) => {
            step.set_failure(message);
            let outcome = failure_outcome(Some(end), false);
            notices.push(broken_notice(step, outcome));
            outcome
        }
    };
}
