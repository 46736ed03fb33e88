//! Which hooks one payload can be for together, for advice about hooks that undo each other.
//!
//! Hooks with equal conditions are looked at as one, and few different conditions are compared, so that the work grows
//! with the number of hooks and not with its square.

use std::collections::{BTreeMap, HashMap};

use hookwright_model::matcher::{Condition, Trial};

/// So many different conditions are compared with each other. Hooks with any further one meet nobody.
const CONDITIONS: usize = 64;

/// Conditions of one round of advice.
#[derive(Debug, Default)]
pub struct Meetings<'a> {
    conditions: Vec<&'a Condition>,
    known: HashMap<(usize, usize), bool>,
    trial: Trial,
}

/// Places of hooks, one for each condition.
#[derive(Debug, Default)]
pub struct Places(BTreeMap<usize, usize>);

impl<'a> Meetings<'a> {
    /// Puts a hook at a place. Of several with equal conditions the first stays.
    pub fn keep_first(&mut self, places: &mut Places, when: &'a Condition, place: usize) {
        if let Some(number) = self.number(when) {
            places.0.entry(number).or_insert(place);
        }
    }

    /// The lowest place of a hook that one payload can be for as well.
    pub fn lowest(&mut self, places: &Places, when: &'a Condition) -> Option<usize> {
        let number = self.number(when)?;
        let others: Vec<(usize, usize)> = places.0.iter().map(|(other, place)| (*other, *place)).collect();
        let met = others.into_iter().filter(|(other, _)| self.meet(number, *other));
        met.map(|(_, place)| place).min()
    }

    /// For each hook of a chain the place of the next one behind it that one payload can be for as well.
    pub fn next_behind(&mut self, chain: &[&'a Condition]) -> Vec<Option<usize>> {
        let mut places = Places::default();
        let mut next = vec![None; chain.len()];
        for (place, when) in chain.iter().enumerate().rev() {
            next[place] = self.lowest(&places, when);
            if let Some(number) = self.number(when) {
                places.0.insert(number, place);
            }
        }
        next
    }

    fn number(&mut self, when: &'a Condition) -> Option<usize> {
        let known = self.conditions.iter().position(|known| *known == when);
        if known.is_none() && self.conditions.len() < CONDITIONS {
            self.conditions.push(when);
            return Some(self.conditions.len() - 1);
        }
        known
    }

    fn meet(&mut self, one: usize, other: usize) -> bool {
        let (conditions, trial) = (&self.conditions, &self.trial);
        *self
            .known
            .entry((one, other))
            .or_insert_with(|| conditions[one].overlaps(conditions[other], trial))
    }
}
