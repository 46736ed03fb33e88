//! One hook's seat in a chain, and what a step says of how the hook broke.

use std::time::Duration;

use hookwright_model::{
    Decoded, End, EventSpec, Gate, GateName, Ignored, Message, Notice, Outcome, Run, SkipReason, Step, args,
};

use super::record;
use crate::messages;
use crate::plan::{Planned, source_ref};

/// A hook's seat in the chain.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) planned: Planned,
    pub(super) step: Step,
    pub(super) tries: u32,
    /// It had its turn, whether or not that took an attempt.
    pub(super) ran: bool,
    pub(super) settled: bool,
    /// How the last attempt broke, while another one may follow.
    pub(super) broke: Option<(Message, End)>,
}

impl Slot {
    /// Of the hook at this place in run order, from 1.
    pub(super) fn new(planned: Planned, order: u32, spec: &EventSpec) -> Self {
        let hook = &planned.hook;
        let step = Step {
            hook: hook.id_at(spec),
            label: hook.label.clone(),
            position: None,
            order,
            source: source_ref(hook),
            handler: hook.handler.word().to_owned(),
            version: hook.version(),
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
            settled: false,
            broke: None,
        }
    }
}

pub(super) trait Failing {
    fn set_failure(&mut self, words: Message);
}

impl Failing for Step {
    fn set_failure(&mut self, words: Message) {
        self.reason = Some(words.text);
        self.code = Some(words.code.to_owned());
        self.args = words.args;
    }
}

pub(super) fn broken_notice(step: &Step, outcome: Outcome) -> Notice {
    let closed = matches!(outcome, Outcome::FailedClosed | Outcome::TimedOutClosed);
    let saying = if closed {
        messages::FAILED_CLOSED
    } else {
        messages::FAILED_OPEN
    };
    Notice::warning(saying.render(args! { "label" => step.label }), Some(&step.hook))
}

/// The last look before the spawn found other content than was approved.
pub fn refuse(step: &mut Step, why: Message) {
    step.gates.retain(|gate| gate.gate < GateName::Trusted);
    step.gates.push(Gate::failed(GateName::Trusted, why, None));
    step.outcome = Outcome::Skipped;
    step.reason = Some(SkipReason::Untrusted.word().to_owned());
    step.position = None;
}

/// The chain ends without this hook, or stopped it.
pub(super) fn left_out(step: &mut Step, reason: SkipReason, why: Message) {
    step.gates.push(Gate::failed(GateName::Chain, why, None));
    step.outcome = Outcome::Skipped;
    step.reason = Some(reason.word().to_owned());
}

/// It was stopped while it ran.
pub(super) fn stopped(step: &mut Step) {
    left_out(step, SkipReason::Cancelled, messages::CANCELLED_RUN.render_plain());
}

/// Keeps an attempt, and says what a person should know of it.
pub(super) fn keep_attempt(step: &mut Step, notices: &mut Vec<Notice>, run: Run, started: Duration) {
    let told = run.notes.iter().cloned();
    notices.extend(told.map(|note| Notice::warning(note, Some(&step.hook))));
    step.attempts.push(record::attempt(run, started));
}

/// How a failure counts.
pub(super) fn failed(end: Option<End>, closed: bool) -> Outcome {
    match (end == Some(End::TimedOut), closed) {
        (true, true) => Outcome::TimedOutClosed,
        (true, false) => Outcome::TimedOutOpen,
        (false, true) => Outcome::FailedClosed,
        (false, false) => Outcome::FailedOpen,
    }
}

/// A detached hook was not started any more.
pub fn cancel_detached(step: &mut Step) {
    pass_no_chain(step);
    left_out(step, SkipReason::Cancelled, messages::CANCELLED.render_plain());
    step.position = None;
}

/// A detached hook was stopped while it ran (`engine.md` §6).
pub fn stop_detached(step: &mut Step, notices: &mut Vec<Notice>, run: Run, started: Duration) {
    keep_attempt(step, notices, run, started);
    pass_no_chain(step);
    stopped(step);
}

/// Takes back that the chain let it run.
fn pass_no_chain(step: &mut Step) {
    step.gates.retain(|gate| gate.gate < GateName::Chain);
}

/// A detached hook has ended: its step gets the final outcome. Whatever it asked for is ignored (`agent-hooks.md` §7.7).
pub fn absorb_detached(step: &mut Step, notices: &mut Vec<Notice>, decoded: Decoded, run: Run, started: Duration) {
    let end = run.end;
    keep_attempt(step, notices, run, started);
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
        Decoded::Failure(words) => {
            step.set_failure(words);
            let outcome = failed(Some(end), false);
            notices.push(broken_notice(step, outcome));
            outcome
        }
    };
}
