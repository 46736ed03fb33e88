//! How a chain comes to its end, and what it leaves.

use std::sync::Arc;

use hookwright_model::{Hook, Notice, Outcome, Resolution, RunMode, SkipReason, Step, args};

use super::slot::{Slot, left_out};
use super::{Chain, Greetings, Over};
use crate::messages;

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
    /// Whether long-lived processes that were asked had greeted.
    pub greetings: Greetings,
}

impl Chain<'_> {
    /// The person or the engine stopped the chain.
    pub fn cancel(&mut self) {
        if self.over.is_none() {
            self.end_early(Over::Cancelled);
        }
    }

    /// No more attempts.
    pub(super) fn end_early(&mut self, how: Over) {
        self.give_up();
        if self.over.is_none() {
            self.over = Some(how);
        }
    }

    /// Hooks that broke and hoped for another attempt have failed for good.
    fn give_up(&mut self) {
        for index in 0..self.slots.len() {
            if let Some((words, end)) = self.slots[index].broke.take() {
                self.fail(index, words, Some(end));
            }
        }
    }

    /// The resolution, the steps as they are recorded, the notices, and the hooks that start now that the reply is settled.
    #[must_use]
    pub fn finish(mut self) -> Finished {
        self.give_up();
        let mut detached = Vec::new();
        for index in 0..self.slots.len() {
            if self.slots[index].settled {
                continue;
            }
            if self.over.is_none() && self.slots[index].planned.hook.mode == RunMode::Detach {
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
            greetings: self.greetings,
        }
    }

    /// A hook whose turn never came.
    fn leave(&mut self, index: usize) {
        let (reason, words) = match &self.over {
            Some(Over::Ended { by }) => (
                SkipReason::ChainEnded,
                messages::CHAIN_ENDED.render(args! { "hook" => by }),
            ),
            Some(Over::BudgetSpent) => (
                SkipReason::BudgetSpent,
                messages::BUDGET_SPENT.render(args! { "seconds" => self.budget_secs() }),
            ),
            Some(Over::Cancelled) | None => (SkipReason::Cancelled, messages::CANCELLED.render_plain()),
        };
        let slot = &mut self.slots[index];
        slot.settled = true;
        left_out(&mut slot.step, reason, words);
    }
}
