//! One chain, from the first hook to the resolution. No await and no clock in this file: it is told the time.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{
    Additions, Answer, Attempt, Captured, ChainPolicy, Decoded, Edit, End, EventSpec, Flow, Gate, GateName, Hook,
    Ignored, Merge, Notice, NoticeKind, OnFailure, Outcome, Payload, Resolution, Run, SkipReason, Step, Verdict,
    VerdictKind, Words, args,
};
use indexmap::IndexMap;
use serde_json::Value;

use crate::permit::{Permitted, permit};
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
        slot.step.attempts.push(attempt(run, started));
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

    /// An answer: permit, then merge.
    fn take(&mut self, index: usize, answer: Answer) {
        let permitted = permit(self.spec, answer);
        let verdict = permitted.ask.as_ref().map(|ask| ask.kind);
        let halt = permitted.halt;
        let changed = if halt {
            self.take_halting(index, permitted)
        } else {
            self.take_edits(index, permitted)
        };
        let outcome = match verdict {
            Some(VerdictKind::Ask) => Outcome::Asked,
            Some(kind) if kind > VerdictKind::Ask => Outcome::Denied,
            Some(VerdictKind::Respond) => Outcome::Changed,
            Some(_) | None if changed => Outcome::Changed,
            Some(VerdictKind::Approve) => Outcome::Allowed,
            Some(_) | None => Outcome::NoOpinion,
        };
        self.settle(index, outcome);
    }

    /// The chain goes on: edits feed the next hook. Returns whether something differs from what the hook saw.
    fn take_edits(&mut self, index: usize, permitted: Permitted) -> bool {
        let mut changed = false;
        self.slots[index].step.ignored.extend(permitted.ignored);
        for (name, value) in permitted.replaces {
            let before = self.payload.get(&name).cloned().unwrap_or(Value::Null);
            if before != value {
                changed = true;
                self.slots[index].step.edits.push(Edit {
                    field: name.clone(),
                    before,
                    after: value.clone(),
                    truncated: false,
                });
            }
            self.payload.insert(name.clone(), value.clone());
            self.replaced.insert(name, value);
        }
        for (name, value, merge) in permitted.adds {
            changed |= self.add(index, name, value, merge);
        }
        if let Some(ask) = permitted.ask {
            self.displace_verdict(index);
            self.decided = Some((index, ask.what));
            self.verdict = self.spoken(index, ask);
        }
        changed
    }

    /// The chain ends here: earlier edits are dropped, of this answer only decision and messages count (jcli.md §7.4).
    fn take_halting(&mut self, index: usize, permitted: Permitted) -> bool {
        self.drop_earlier(index);
        self.slots[index].step.ignored.extend(permitted.ignored);
        let own = permitted.replaces.into_iter().map(|(name, _)| name);
        let mut lost: Vec<String> = own.collect();
        for (name, value, merge) in permitted.adds {
            match merge {
                Merge::Notice => {
                    self.add(index, name, value, merge);
                }
                Merge::Append | Merge::Last => lost.push(name),
            }
        }
        let why = self.dropped_by(index);
        self.slots[index]
            .step
            .ignored
            .extend(lost.into_iter().map(|name| Ignored::new(name, why.clone())));
        self.decided = permitted.ask.as_ref().map(|ask| (index, ask.what));
        self.verdict = permitted
            .ask
            .map_or_else(Verdict::proceed, |ask| self.spoken(index, ask));
        self.over = Some(Over::Ended {
            by: self.slots[index].step.hook.clone(),
        });
        false
    }

    fn add(&mut self, index: usize, name: String, value: Value, merge: Merge) -> bool {
        match merge {
            Merge::Notice => {
                let text = value.as_str().unwrap_or_default().to_owned();
                let hook = Some(self.slots[index].step.hook.clone());
                self.notices.push(Notice {
                    kind: NoticeKind::UserMessage,
                    text,
                    hook,
                    code: None,
                    args: hookwright_model::Args::new(),
                });
                self.added.push(Added {
                    slot: index,
                    name,
                    value,
                    merge,
                });
                false
            }
            Merge::Last => {
                self.displace_addition(index, &name);
                self.record_addition(index, name, value, merge);
                true
            }
            Merge::Append => {
                if value.as_array().is_some_and(Vec::is_empty) {
                    self.added.push(Added {
                        slot: index,
                        name,
                        value,
                        merge,
                    });
                    return false;
                }
                self.record_addition(index, name, value, merge);
                true
            }
        }
    }

    fn record_addition(&mut self, index: usize, name: String, value: Value, merge: Merge) {
        self.slots[index].step.edits.push(Edit {
            field: name.clone(),
            before: Value::Null,
            after: value.clone(),
            truncated: false,
        });
        self.added.push(Added {
            slot: index,
            name,
            value,
            merge,
        });
    }

    /// The later value holds; the earlier one is said to be lost where it was asked for.
    fn displace_addition(&mut self, by: usize, name: &str) {
        let hook = self.slots[by].step.hook.clone();
        let lost: Vec<usize> = self
            .added
            .iter()
            .filter(|added| added.name == name)
            .map(|added| added.slot)
            .collect();
        self.added.retain(|added| added.name != name);
        for slot in lost {
            let why = sayings::REPLACED_BY.say(args! { "hook" => hook });
            self.slots[slot].step.ignored.push(Ignored::new(name, why));
        }
    }

    fn displace_verdict(&mut self, by: usize) {
        if let Some((slot, what)) = self.decided.take() {
            let why = sayings::REPLACED_BY.say(args! { "hook" => self.slots[by].step.hook });
            self.slots[slot].step.ignored.push(Ignored::new(what, why));
        }
    }

    fn spoken(&self, index: usize, ask: hookwright_model::Ask) -> Verdict {
        Verdict {
            kind: ask.kind,
            reason: ask.reason,
            feedback: ask.feedback,
            by: Some(self.slots[index].step.hook.clone()),
            code: None,
            args: hookwright_model::Args::new(),
        }
    }

    fn dropped_by(&self, index: usize) -> Words {
        sayings::DROPPED.say(args! { "hook" => self.slots[index].step.hook })
    }

    /// All earlier edits are dropped; each is repeated in its step's `ignored` (`engine.md` §4).
    fn drop_earlier(&mut self, by: usize) {
        let why = self.dropped_by(by);
        for index in 0..self.slots.len() {
            if index == by {
                continue;
            }
            let step = &mut self.slots[index].step;
            let already: Vec<String> = step.ignored.iter().map(|ignored| ignored.what.clone()).collect();
            let fields = step
                .edits
                .iter()
                .map(|edit| edit.field.clone())
                .filter(|field| !already.contains(field));
            let lost: Vec<Ignored> = fields.map(|field| Ignored::new(field, why.clone())).collect();
            step.ignored.extend(lost);
        }
        if let Some((slot, what)) = self.decided.take() {
            self.slots[slot].step.ignored.push(Ignored::new(what, why));
        }
        self.payload = self.original.clone();
        self.replaced.clear();
        self.added.retain(|added| added.merge == Merge::Notice);
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

    fn merge_additions(&self) -> Additions {
        let mut out = Additions::new();
        for added in &self.added {
            match (added.merge, out.get_mut(&added.name), &added.value) {
                (Merge::Append, Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
                (Merge::Append | Merge::Last | Merge::Notice, _, value) => {
                    out.insert(added.name.clone(), value.clone());
                }
            }
        }
        out
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

fn attempt(run: Run, started: Duration) -> Attempt {
    let truncated = run.stdin.cut() || run.stdout.cut() || run.stderr.cut();
    let (code, signal) = match run.end {
        End::Signal => (None, run.code),
        End::Exit
        | End::TimedOut
        | End::Cancelled
        | End::NotStarted
        | End::Replied
        | End::Refused
        | End::PeerGone
        | End::Done => (run.code, None),
    };
    Attempt {
        end: run.end,
        code,
        signal,
        stdin: text(run.stdin),
        stdout: text(run.stdout),
        stderr: text(run.stderr),
        started_ms: millis(started),
        took_ms: millis(run.took),
        truncated,
        command: run.command,
        cwd: run.cwd.map(|cwd| cwd.display().to_string()),
        env: run.env,
    }
}

fn text(stream: Captured) -> String {
    String::from_utf8(stream.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
