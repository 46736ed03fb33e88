//! Finds hooks that can run for the same payload, for advice about hooks that undo each other.
//!
//! Hooks with equal conditions are treated as one, and only a limited number of different conditions is compared. So
//! the work grows with the number of hooks and not with its square.

use std::collections::{BTreeMap, HashMap};

use hookwright_model::matcher::{Condition, Trial};

/// How many different conditions are compared with each other. A hook with a condition beyond that overlaps no other.
const MAX_CONDITIONS: usize = 64;

/// Compares the conditions of one round of advice and remembers the results.
#[derive(Debug, Default)]
pub struct OverlapChecker<'a> {
    conditions: Vec<&'a Condition>,
    overlaps: HashMap<(usize, usize), bool>,
    trial: Trial,
}

/// Positions of hooks in a chain, one for each condition.
#[derive(Debug, Default)]
pub struct HookPositions(BTreeMap<usize, usize>);

impl<'a> OverlapChecker<'a> {
    /// Adds the position of a hook. If a hook with an equal condition was added before, its position stays.
    pub fn insert_first(&mut self, positions: &mut HookPositions, condition: &'a Condition, position: usize) {
        if let Some(number) = self.condition_index(condition) {
            positions.0.entry(number).or_insert(position);
        }
    }

    /// Returns the lowest position of a hook that can run for the same payload as a hook with `condition`.
    pub fn lowest_overlapping(&mut self, positions: &HookPositions, condition: &'a Condition) -> Option<usize> {
        let number = self.condition_index(condition)?;
        let others: Vec<(usize, usize)> = positions
            .0
            .iter()
            .map(|(other, position)| (*other, *position))
            .collect();
        let overlapping = others.into_iter().filter(|(other, _)| self.overlap(number, *other));
        overlapping.map(|(_, position)| position).min()
    }

    /// Returns for each hook of a chain the position of the next later hook that can run for the same payload.
    pub fn next_overlapping(&mut self, chain: &[&'a Condition]) -> Vec<Option<usize>> {
        let mut positions = HookPositions::default();
        let mut next = vec![None; chain.len()];
        for (position, condition) in chain.iter().enumerate().rev() {
            next[position] = self.lowest_overlapping(&positions, condition);
            if let Some(number) = self.condition_index(condition) {
                positions.0.insert(number, position);
            }
        }
        next
    }

    fn condition_index(&mut self, condition: &'a Condition) -> Option<usize> {
        let known = self.conditions.iter().position(|known| *known == condition);
        if known.is_none() && self.conditions.len() < MAX_CONDITIONS {
            self.conditions.push(condition);
            return Some(self.conditions.len() - 1);
        }
        known
    }

    fn overlap(&mut self, one: usize, other: usize) -> bool {
        let (conditions, trial) = (&self.conditions, &self.trial);
        *self
            .overlaps
            .entry((one, other))
            .or_insert_with(|| conditions[one].overlaps(conditions[other], trial))
    }
}
