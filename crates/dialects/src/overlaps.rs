//! Which hooks one payload can be for together, for advice about hooks that undo each other.
//!
//! Hooks with equal conditions are looked at as one, and few different conditions are compared, so that the work grows
//! with the number of hooks and not with its square.

use std::collections::{BTreeMap, HashMap};

use hookwright_model::matcher::{Condition, Trial};

/// So many different conditions are compared with each other. Hooks with any further one meet nobody.
const MAX_CONDITIONS: usize = 64;

/// Conditions of one round of advice.
#[derive(Debug, Default)]
pub struct OverlapChecker<'a> {
    conditions: Vec<&'a Condition>,
    overlaps: HashMap<(usize, usize), bool>,
    trial: Trial,
}

/// Places of hooks, one for each condition.
#[derive(Debug, Default)]
pub struct HookPositions(BTreeMap<usize, usize>);

impl<'a> OverlapChecker<'a> {
    /// Puts a hook at a place. Of several with equal conditions the first stays.
    pub fn insert_first(&mut self, positions: &mut HookPositions, condition: &'a Condition, position: usize) {
        if let Some(number) = self.condition_index(condition) {
            positions.0.entry(number).or_insert(position);
        }
    }

    /// The lowest place of a hook that one payload can be for as well.
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

    /// For each hook of a chain the place of the next one behind it that one payload can be for as well.
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
