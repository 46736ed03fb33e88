//! One chain, from the first hook to the resolution. No await and no clock in this file: it is told the time.

mod ending;
mod merge;
mod record;
mod slot;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{
    ChainPolicy, Decoded, Dialect, End, EventSpec, Flow, Gate, GateName, Hook, HookId, Merge, Message, Notice,
    OnFailure, Outcome, Payload, Run, RunMode, Verdict,
};
use indexmap::IndexMap;
use serde_json::Value;

use crate::plan::Planned;
use slot::{Failing, Slot, broken_notice, failed, keep_attempt, stopped};

pub use ending::Finished;
pub use slot::{absorb_detached, cancel_detached, refuse, stop_detached};

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
    bar: Option<Message>,
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
    greetings: Greetings,
}

/// Whether the long-lived processes that were asked had greeted; why not, where not.
pub type Greetings = BTreeMap<HookId, Option<Message>>;

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
        bar: Option<Message>,
    ) -> Self {
        let slots = plan
            .into_iter()
            .zip(1..)
            .map(|(planned, order)| Slot::new(planned, order, spec))
            .collect();
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
            greetings: Greetings::new(),
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
            Flow::Fan => self.next_of_fan(left),
        }
    }

    /// All that wait, together. Those that block without running have their turn when the others had theirs: nothing that
    /// one hook of a fan does keeps another one from running.
    fn next_of_fan(&mut self, left: Option<Duration>) -> Next {
        if self.over.is_some() {
            return Next::Done;
        }
        let waiting: Vec<usize> = (0..self.slots.len()).filter(|&index| self.waits(index)).collect();
        let (doomed, able): (Vec<usize>, Vec<usize>) = waiting
            .into_iter()
            .partition(|&index| self.slots[index].planned.dooms.is_some());
        if !able.is_empty() {
            return Next::Run(able.into_iter().map(|index| self.turn(index, left)).collect());
        }
        for index in doomed {
            if let Some(words) = self.slots[index].planned.dooms.clone() {
                self.fail(index, words, None);
            }
        }
        Next::Done
    }

    /// Whether this hook is awaited and its turn has not come.
    fn waits(&self, index: usize) -> bool {
        let slot = &self.slots[index];
        !slot.settled && slot.planned.hook.mode == RunMode::Await
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

    /// The last look before the spawn found other content than was approved.
    pub fn refuse(&mut self, turn: &Turn, why: Message) {
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

    /// An attempt was stopped by a person, a signal or a leaving agent: the step is skipped and keeps its attempt, and that
    /// is no failure (`engine.md` §4).
    pub fn stopped(&mut self, turn: &Turn, run: Run, started: Duration) {
        self.attempted(turn.index, run, started);
        let slot = &mut self.slots[turn.index];
        slot.settled = true;
        slot.broke = None;
        stopped(&mut slot.step);
        // Whatever stopped it stopped the chain: nothing runs on behind a guard that did not come to its answer.
        self.cancel();
    }

    /// Keeps an attempt, and says what a person should know of it.
    fn attempted(&mut self, index: usize, run: Run, started: Duration) {
        let slot = &mut self.slots[index];
        slot.tries += 1;
        slot.ran = true;
        let ungreeted = run.ungreeted.as_ref().map(|it| it.why.clone());
        self.greetings.insert(slot.step.hook.clone(), ungreeted);
        keep_attempt(&mut slot.step, &mut self.notices, run, started);
    }

    /// Takes in how an attempt ended and what it meant. `started` counts from the event's acceptance.
    pub fn absorb(&mut self, turn: &Turn, decoded: Decoded, run: Run, started: Duration) {
        let end = run.end;
        self.attempted(turn.index, run, started);
        match decoded {
            Decoded::Nothing => self.settle(turn.index, Outcome::NoOpinion),
            Decoded::Answer(answer) => self.take(turn.index, answer),
            Decoded::Failure(words) => {
                let out_of_time = turn.cut_by_budget && end == End::TimedOut;
                if self.slots[turn.index].tries < turn.hook.attempts && !out_of_time {
                    self.slots[turn.index].broke = Some((words, end));
                } else {
                    self.fail(turn.index, words, Some(end));
                }
            }
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
    fn fail(&mut self, index: usize, words: Message, end: Option<End>) {
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
            let (kind, said) = self.dialect.closed_verdict(&hook, &words, end);
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

/// Milliseconds with microseconds behind the point.
#[must_use]
pub fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
