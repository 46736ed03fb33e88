//! How a chain ends, and its result.

use std::sync::Arc;

use hookwright_model::{Hook, Notice, Outcome, Resolution, RunMode, SkipReason, Step, render};

use super::step_state::{StepState, skip_step};
use super::{Chain, EarlyEnd, HandshakeResults};
use crate::messages;

/// The result of a chain that is over.
#[derive(Debug)]
pub struct Finished {
    /// What the chain decided.
    pub resolution: Resolution,
    /// The steps as the trace records them.
    pub steps: Vec<Step>,
    /// Messages for the user.
    pub notices: Vec<Notice>,
    /// The hooks that start now that the reply is ready.
    pub detached: Vec<Arc<Hook>>,
    /// Whether the peers completed their handshakes, by hook.
    pub handshakes: HandshakeResults,
}

impl Chain<'_> {
    /// Stops the chain, because the user or the engine cancelled it.
    pub fn cancel(&mut self) {
        if self.early_end.is_none() {
            self.stop_retries(EarlyEnd::Cancelled);
        }
    }

    /// Ends the chain: no further attempts are made.
    pub(super) fn stop_retries(&mut self, how: EarlyEnd) {
        self.give_up();
        if self.early_end.is_none() {
            self.early_end = Some(how);
        }
    }

    /// Hooks whose last attempt broke have failed for good, even if another attempt was allowed.
    fn give_up(&mut self) {
        for index in 0..self.steps.len() {
            if let Some((message, end)) = self.steps[index].failure.take() {
                self.fail(index, message, Some(end), super::Open::AsDefined);
            }
        }
    }

    /// Ends the chain and returns its resolution, steps, notices and the detached hooks to start.
    #[must_use]
    pub fn finish(mut self) -> Finished {
        self.give_up();
        let mut detached = Vec::new();
        for index in 0..self.steps.len() {
            if self.steps[index].finished {
                continue;
            }
            if self.early_end.is_none() && self.steps[index].planned.hook.mode == RunMode::Detach {
                self.steps[index].ran = true;
                self.finish_step(index, Outcome::Detached);
                detached.push(self.steps[index].planned.hook.clone());
            } else {
                self.skip_rest(index);
            }
        }
        self.drop_incompatible();
        let additions = self.merge_additions();
        let halted = matches!(self.early_end, Some(EarlyEnd::Ended { .. }));
        let replaced = self
            .replaced
            .into_iter()
            .map(|(name, held)| (name.to_owned(), held.value));
        let resolution = Resolution {
            trace: String::new(),
            verdict: self.verdict,
            weaker_verdict: self.below,
            payload: self.payload,
            replaced: replaced.collect(),
            additions,
            halted,
        };
        let (ran, others): (Vec<StepState>, Vec<StepState>) = self.steps.into_iter().partition(|state| state.ran);
        let steps = ran
            .into_iter()
            .map(|mut state| {
                state.step.position = state.planned.position;
                state.step
            })
            .chain(others.into_iter().map(|state| state.step))
            .collect();
        Finished {
            resolution,
            steps,
            notices: self.notices,
            detached,
            handshakes: self.handshakes,
        }
    }

    /// Records a hook whose turn never came.
    fn skip_rest(&mut self, index: usize) {
        let (reason, message) = match &self.early_end {
            Some(EarlyEnd::Ended { by }) => (SkipReason::ChainEnded, render!(messages::CHAIN_ENDED, "hook" => by)),
            Some(EarlyEnd::BudgetSpent) => (
                SkipReason::BudgetSpent,
                render!(messages::BUDGET_SPENT, "seconds" => messages::seconds(self.budget())),
            ),
            Some(EarlyEnd::Cancelled) | None => (SkipReason::Cancelled, messages::CANCELLED.render_plain()),
        };
        let state = &mut self.steps[index];
        state.finished = true;
        skip_step(&mut state.step, reason, message);
    }
}
