//! One chain, from the first hook to the resolution. No await and no clock in this file: it is told the time.

mod merge;
mod record;
mod slot;

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{
    ChainPolicy, Decoded, Dialect, End, EventSpec, Flow, Gate, GateName, Hook, Merge, Mode, Notice, OnFailure, Outcome,
    Payload, Resolution, Run, SkipReason, Step, Verdict, Words, args,
};
use indexmap::IndexMap;
use serde_json::Value;

use crate::plan::Planned;
use crate::sayings;
use slot::{Failing, Slot, broken_notice, failed};

pub use slot::{absorb_detached, refuse};

/// What is to be done next.
#[derive(Debug)]
pub enum Next {
    /// Run these, all at the same time, and absorb them in this order.
    Run(Vec<Turn>),
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
pub struct Chain<'a> {
    dialect: &'a dyn Dialect,
    policy: ChainPolicy,
    spec: &'static EventSpec,
    /// Why no hook may hold the agent any more.
    bar: Option<Words>,
    original: Payload,
    payload: Payload,
    slots: Vec<Slot>,
    /// The slot whose turn it is.
    at: usize,
    over: Option<Over>,
    verdict: Verdict,
    /// The strictest decision below it.
    below: Option<Verdict>,
    /// Slot of the verdict, and the field that asked for it.
    decided: Option<(usize, &'static str)>,
    replaced: IndexMap<&'static str, Replaced>,
    added: Vec<Added>,
    notices: Vec<Notice>,
}

/// A replacing output that holds, under its name.
#[derive(Debug)]
struct Replaced {
    slot: usize,
    value: Value,
    fields: Vec<String>,
    beside: &'static [hookwright_model::VerdictKind],
}

#[derive(Debug)]
struct Added {
    slot: usize,
    name: String,
    value: Value,
    merge: Merge,
}

impl<'a> Chain<'a> {
    /// A chain over planned hooks in run order, on this payload.
    #[must_use]
    pub fn new(
        dialect: &'a dyn Dialect,
        spec: &'static EventSpec,
        plan: Vec<Planned>,
        payload: Payload,
        bar: Option<Words>,
    ) -> Self {
        let slots = plan.into_iter().map(|planned| Slot::new(planned, spec)).collect();
        let mut chain = Self {
            dialect,
            policy: dialect.chain(spec),
            spec,
            bar,
            original: payload.clone(),
            payload,
            slots,
            at: 0,
            over: None,
            verdict: Verdict::proceed(),
            below: None,
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
            Flow::Fan | Flow::Sequence => &self.original,
        }
    }

    /// Asks for the next attempts; `elapsed` counts from the event's acceptance.
    pub fn next(&mut self, elapsed: Duration) -> Next {
        let left = self.policy.budget.map(|budget| budget.saturating_sub(elapsed));
        match self.policy.flow {
            Flow::Pipe | Flow::Sequence => {
                while self.over.is_none() && self.at < self.slots.len() {
                    if !self.waits(self.at) {
                        self.at += 1;
                    } else if let Some(words) = self.slots[self.at].planned.dooms.clone() {
                        self.fail(self.at, words, None);
                    } else if left == Some(Duration::ZERO) {
                        self.end_early(Over::BudgetSpent);
                    } else {
                        return Next::Run(vec![self.turn(self.at, left)]);
                    }
                }
                Next::Done
            }
            Flow::Fan if self.over.is_some() => Next::Done,
            Flow::Fan => {
                let waiting = (0..self.slots.len()).filter(|&index| self.waits(index));
                let turns: Vec<Turn> = waiting.map(|index| self.turn(index, left)).collect();
                if turns.is_empty() { Next::Done } else { Next::Run(turns) }
            }
        }
    }

    /// Whether this hook is awaited and its turn has not come.
    fn waits(&self, index: usize) -> bool {
        let slot = &self.slots[index];
        !slot.settled && slot.planned.hook.mode == Mode::Await
    }

    fn turn(&self, index: usize, left: Option<Duration>) -> Turn {
        let hook = self.slots[index].planned.hook.clone();
        let limit = left.map_or(hook.timeout, |left| left.min(hook.timeout));
        Turn {
            index,
            cut_by_budget: limit < hook.timeout,
            limit,
            hook,
            budget_secs: self.budget_secs(),
        }
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
            self.fail(self.at, words, Some(end));
        }
        if self.over.is_none() {
            self.over = Some(how);
        }
    }

    /// The last look before the spawn found other content than was approved.
    pub fn refuse(&mut self, turn: &Turn, why: Words) {
        let slot = &mut self.slots[turn.index];
        refuse(&mut slot.step, why);
        slot.settled = true;
        slot.broke = None;
    }

    /// Takes in what a hook meant for which nothing had to run.
    pub fn absorb_settled(&mut self, turn: &Turn, decoded: Decoded) {
        self.slots[turn.index].ran = true;
        match decoded {
            Decoded::Nothing => self.settle(turn.index, Outcome::NoOpinion),
            Decoded::Answer(answer) => self.take(turn.index, answer),
            Decoded::Failure(words) => self.fail(turn.index, words, None),
        }
    }

    /// Takes in how an attempt ended and what it meant. `started` counts from the event's acceptance.
    pub fn absorb(&mut self, turn: &Turn, decoded: Decoded, run: Run, started: Duration) {
        let end = run.end;
        let slot = &mut self.slots[turn.index];
        slot.tries += 1;
        slot.ran = true;
        for note in &run.notes {
            self.notices.push(Notice::warning(note.clone(), Some(&slot.step.hook)));
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
                    self.fail(turn.index, words, Some(end));
                }
            }
        }
    }

    /// The resolution, the steps as they are recorded, the notices, and the hooks that start now that the reply is settled.
    #[must_use]
    pub fn finish(mut self) -> Finished {
        let mut detached = Vec::new();
        for index in 0..self.slots.len() {
            if self.slots[index].settled {
                continue;
            }
            if self.over.is_none() && self.slots[index].planned.hook.mode == Mode::Detach {
                self.slots[index].ran = true;
                self.settle(index, Outcome::Detached);
                detached.push(self.slots[index].planned.hook.clone());
            } else {
                self.leave(index);
            }
        }
        self.drop_unfitting();
        let additions = self.merge_additions();
        let halted = matches!(self.over, Some(Over::Ended { .. }));
        let replaced = self
            .replaced
            .into_iter()
            .map(|(name, held)| (name.to_owned(), held.value));
        let resolution = Resolution {
            trace: String::new(),
            verdict: self.verdict,
            below: self.below,
            payload: self.payload,
            replaced: replaced.collect(),
            additions,
            halted,
        };
        let (ran, others): (Vec<Slot>, Vec<Slot>) = self.slots.into_iter().partition(|slot| slot.ran);
        let steps = ran
            .into_iter()
            .map(|mut slot| {
                slot.step.position = slot.planned.position;
                slot.step
            })
            .chain(others.into_iter().map(|slot| slot.step))
            .collect();
        Finished {
            resolution,
            steps,
            notices: self.notices,
            detached,
        }
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

    /// The hook failed for good; `end` is how its last attempt ended, `None` when it had none.
    fn fail(&mut self, index: usize, words: Words, end: Option<End>) {
        let hook = self.slots[index].planned.hook.clone();
        let ends_chain = hook.on_failure == OnFailure::Closed;
        // Nobody is held by a notify-only event, so its failures are open whatever the hook asked for (`engine.md` §4).
        let closed = ends_chain && !self.spec.notify_only;
        let outcome = failed(end, closed);
        self.settle(index, outcome);
        self.slots[index].step.set_failure(words.clone());
        self.notices.push(broken_notice(&self.slots[index].step, outcome));
        if closed {
            self.drop_earlier(index);
            let (kind, said) = self.dialect.closed(&hook, &words, end);
            self.verdict = Verdict {
                kind,
                reason: Some(said.text),
                feedback: None,
                by: Some(self.slots[index].step.hook.clone()),
                code: Some(said.code.to_owned()),
                args: said.args,
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

impl Turn {
    /// The turn of a hook that nobody waits for; it has its own time.
    #[must_use]
    pub fn detached(hook: Arc<Hook>) -> Self {
        Self {
            index: 0,
            limit: hook.timeout,
            hook,
            cut_by_budget: false,
            budget_secs: 0,
        }
    }
}

/// A chain that is over.
#[derive(Debug)]
pub struct Finished {
    /// What it came to.
    pub resolution: Resolution,
    /// The steps as they are recorded.
    pub steps: Vec<Step>,
    /// For the user.
    pub notices: Vec<Notice>,
    /// They start now that the reply is settled.
    pub detached: Vec<Arc<Hook>>,
}

/// Milliseconds with microseconds behind the point.
#[must_use]
pub fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
