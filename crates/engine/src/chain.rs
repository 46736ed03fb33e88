//! One chain, from the first hook to the resolution. No await and no clock in this file: it is told the time.

mod merge;
mod record;

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{
    ChainPolicy, Decoded, End, EventSpec, Flow, Gate, GateName, Hook, Merge, Notice, OnFailure, Outcome, Payload,
    Resolution, Run, SkipReason, Step, Verdict, VerdictKind, Words, args,
};
use indexmap::IndexMap;
use serde_json::Value;

use crate::plan::{Planned, source_ref};
use crate::sayings;

/// What is to be done next.
#[derive(Debug)]
pub enum Next {
    /// Run this hook (again).
    Run(Turn),
    /// The chain is over.
    Done,
}

/// One attempt to run.
#[derive(Debug, Clone)]
pub struct Turn {
    index: usize,
    /// The hook.
    pub hook: Arc<Hook>,
    /// Time limit of this attempt.
    pub limit: Duration,
    /// The limit is what is left of the chain's budget, not the hook's own.
    pub cut_by_budget: bool,
    /// The chain's budget in seconds, for sentences.
    pub budget_secs: u64,
}

/// How the rest of the chain is left.
#[derive(Debug, Clone)]
enum Over {
    Ended { by: String },
    BudgetSpent,
    Cancelled,
}

/// A chain under way.
#[derive(Debug)]
pub struct Chain {
    policy: ChainPolicy,
    spec: &'static EventSpec,
    closed: VerdictKind,
    original: Payload,
    payload: Payload,
    slots: Vec<Slot>,
    /// The slot whose turn it is.
    at: usize,
    over: Option<Over>,
    verdict: Verdict,
    /// Slot of the verdict, and the field that asked for it.
    decided: Option<(usize, &'static str)>,
    replaced: IndexMap<String, Value>,
    added: Vec<Added>,
    notices: Vec<Notice>,
}

/// A hook's seat in the chain.
#[derive(Debug)]
struct Slot {
    planned: Planned,
    step: Step,
    tries: u32,
    settled: bool,
    /// How the last attempt broke, while another one may follow.
    broke: Option<(Words, End)>,
}

#[derive(Debug)]
struct Added {
    slot: usize,
    name: String,
    value: Value,
    merge: Merge,
}

impl Chain {
    /// A chain over planned hooks in run order, on this payload.
    #[must_use]
    pub fn new(
        policy: ChainPolicy,
        spec: &'static EventSpec,
        plan: Vec<Planned>,
        payload: Payload,
        closed: VerdictKind,
    ) -> Self {
        let slots = plan.into_iter().map(Slot::new).collect();
        let mut chain = Self {
            policy,
            spec,
            closed,
            original: payload.clone(),
            payload,
            slots,
            at: 0,
            over: None,
            verdict: Verdict::proceed(),
            decided: None,
            replaced: IndexMap::new(),
            added: Vec::new(),
            notices: Vec::new(),
        };
        for index in 0..chain.slots.len() {
            chain.settle_fate(index);
        }
        chain
    }

    /// What the next hook sees.
    #[must_use]
    pub fn payload(&self) -> &Payload {
        match self.policy.flow {
            Flow::Pipe => &self.payload,
        }
    }

    /// Asks for the next attempt; `elapsed` counts from the event's acceptance.
    pub fn next(&mut self, elapsed: Duration) -> Next {
        while self.over.is_none() && self.at < self.slots.len() {
            if self.slots[self.at].settled {
                self.at += 1;
                continue;
            }
            let hook = self.slots[self.at].planned.hook.clone();
            let left = self.policy.budget.map(|budget| budget.saturating_sub(elapsed));
            if left == Some(Duration::ZERO) {
                self.end_early(Over::BudgetSpent);
                break;
            }
            let limit = left.map_or(hook.timeout, |left| left.min(hook.timeout));
            let cut_by_budget = limit < hook.timeout;
            return Next::Run(Turn {
                index: self.at,
                hook,
                limit,
                cut_by_budget,
                budget_secs: self.budget_secs(),
            });
        }
        Next::Done
    }

    /// The person or the engine stopped the chain.
    pub fn cancel(&mut self) {
        if self.over.is_none() {
            self.end_early(Over::Cancelled);
        }
    }

    /// No more attempts: a hook that broke and hoped for another one has failed for good.
    fn end_early(&mut self, how: Over) {
        if let Some((words, end)) = self.slots.get_mut(self.at).and_then(|slot| slot.broke.take()) {
            self.fail(self.at, words, end);
        }
        if self.over.is_none() {
            self.over = Some(how);
        }
    }

    /// The last look before the spawn found other content than was approved.
    pub fn refuse(&mut self, turn: &Turn, why: Words) {
        let slot = &mut self.slots[turn.index];
        slot.step.gates.retain(|gate| gate.gate < GateName::Trusted);
        slot.step.gates.push(Gate::failed(GateName::Trusted, why, None));
        slot.step.outcome = Outcome::Skipped;
        slot.step.reason = Some(SkipReason::Untrusted.word().to_owned());
        slot.settled = true;
        slot.broke = None;
    }

    /// Takes in how an attempt ended and what it meant. `started` counts from the event's acceptance.
    pub fn absorb(&mut self, turn: &Turn, decoded: Decoded, run: Run, started: Duration) {
        let end = run.end;
        let slot = &mut self.slots[turn.index];
        slot.tries += 1;
        for note in &run.notes {
            self.notices.push(Notice::warning(note.clone(), Some(&turn.hook.id)));
        }
        slot.step.attempts.push(record::attempt(run, started));
        match decoded {
            Decoded::Nothing => self.settle(turn.index, Outcome::NoOpinion),
            Decoded::Answer(answer) => self.take(turn.index, answer),
            Decoded::Failure(words) => {
                let out_of_time = turn.cut_by_budget && end == End::TimedOut;
                if self.slots[turn.index].tries < turn.hook.attempts && !out_of_time && end != End::Cancelled {
                    self.slots[turn.index].broke = Some((words, end));
                } else {
                    self.fail(turn.index, words, end);
                }
            }
        }
    }

    /// The resolution, the steps as they are recorded, and the notices.
    #[must_use]
    pub fn finish(mut self) -> (Resolution, Vec<Step>, Vec<Notice>) {
        for index in 0..self.slots.len() {
            if !self.slots[index].settled {
                self.leave(index);
            }
        }
        let additions = self.merge_additions();
        let halted = matches!(self.over, Some(Over::Ended { .. }));
        let resolution = Resolution {
            verdict: self.verdict,
            payload: self.payload,
            replaced: self.replaced,
            additions,
            halted,
        };
        let (ran, others): (Vec<Slot>, Vec<Slot>) = self.slots.into_iter().partition(|slot| slot.tries > 0);
        let steps = ran
            .into_iter()
            .map(|mut slot| {
                slot.step.position = slot.planned.position;
                slot.step
            })
            .chain(others.into_iter().map(|slot| slot.step))
            .collect();
        (resolution, steps, self.notices)
    }

    fn budget_secs(&self) -> u64 {
        self.policy.budget.map_or(0, |budget| budget.as_secs())
    }

    fn settle_fate(&mut self, index: usize) {
        let Some(fate) = self.slots[index].planned.fate.clone() else {
            return;
        };
        let slot = &mut self.slots[index];
        slot.settled = true;
        slot.step.outcome = fate.outcome;
        slot.step.reason = fate.reason.map(|reason| reason.word().to_owned());
        if let Some(words) = fate.failure {
            self.notices.push(broken_notice(&slot.step, Outcome::FailedOpen));
            slot.step.set_failure(words);
        }
    }

    fn settle(&mut self, index: usize, outcome: Outcome) {
        let slot = &mut self.slots[index];
        slot.settled = true;
        slot.broke = None;
        slot.step.outcome = outcome;
        slot.step.gates.push(Gate::passed(GateName::Chain));
    }

    /// The last attempt broke.
    fn fail(&mut self, index: usize, words: Words, end: End) {
        let hook = self.slots[index].planned.hook.clone();
        let ends_chain = hook.on_failure == OnFailure::Closed;
        // Nobody is held by a notify-only event, so its failures are open whatever the hook asked for (`engine.md` §4).
        let closed = ends_chain && !self.spec.notify_only;
        let outcome = match (end == End::TimedOut, closed) {
            (true, true) => Outcome::TimedOutClosed,
            (true, false) => Outcome::TimedOutOpen,
            (false, true) => Outcome::FailedClosed,
            (false, false) => Outcome::FailedOpen,
        };
        self.settle(index, outcome);
        self.slots[index].step.set_failure(words.clone());
        self.notices.push(broken_notice(&self.slots[index].step, outcome));
        if closed {
            self.drop_earlier(index);
            let by = Some(self.slots[index].step.hook.clone());
            self.verdict = Verdict {
                kind: self.closed,
                reason: Some(words.text),
                feedback: None,
                by,
                code: Some(words.code.to_owned()),
                args: words.args,
            };
        }
        if ends_chain {
            self.over = Some(Over::Ended {
                by: self.slots[index].step.hook.clone(),
            });
        }
    }

    /// A hook whose turn never came.
    fn leave(&mut self, index: usize) {
        let (reason, words) = match &self.over {
            Some(Over::Ended { by }) => (SkipReason::ChainEnded, sayings::CHAIN_ENDED.say(args! { "hook" => by })),
            Some(Over::BudgetSpent) => (
                SkipReason::BudgetSpent,
                sayings::BUDGET_SPENT.say(args! { "seconds" => self.budget_secs() }),
            ),
            Some(Over::Cancelled) | None => (SkipReason::Cancelled, sayings::CANCELLED.plain()),
        };
        let slot = &mut self.slots[index];
        slot.settled = true;
        slot.step.outcome = Outcome::Skipped;
        slot.step.reason = Some(reason.word().to_owned());
        slot.step.gates.push(Gate::failed(GateName::Chain, words, None));
    }
}

impl Slot {
    fn new(planned: Planned) -> Self {
        let hook = &planned.hook;
        let step = Step {
            hook: hook.id.clone(),
            label: hook.label.clone(),
            position: None,
            source: source_ref(hook),
            handler: hook.handler.word().to_owned(),
            outcome: Outcome::Skipped,
            reason: None,
            code: None,
            args: hookwright_model::Args::new(),
            gates: planned.gates.clone(),
            edits: Vec::new(),
            ignored: Vec::new(),
            attempts: Vec::new(),
        };
        Self {
            planned,
            step,
            tries: 0,
            settled: false,
            broke: None,
        }
    }
}

trait Failing {
    fn set_failure(&mut self, words: Words);
}

impl Failing for Step {
    fn set_failure(&mut self, words: Words) {
        self.reason = Some(words.text);
        self.code = Some(words.code.to_owned());
        self.args = words.args;
    }
}

fn broken_notice(step: &Step, outcome: Outcome) -> Notice {
    let closed = matches!(outcome, Outcome::FailedClosed | Outcome::TimedOutClosed);
    let saying = if closed {
        sayings::FAILED_CLOSED
    } else {
        sayings::FAILED_OPEN
    };
    Notice::warning(saying.say(args! { "label" => step.label }), Some(&step.hook))
}

/// Milliseconds with microseconds behind the point.
#[must_use]
pub fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
