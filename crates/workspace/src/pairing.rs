//! Which hook of a list is which hook of an earlier list of the same source. This is the only pairing of hooks: edits and
//! identities use it.

use std::collections::{BTreeMap, BTreeSet};

/// What a hook of a list is known by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed<'h> {
    /// Identifies the definition.
    pub definition: &'h str,
    /// Identifies the command, script or text; empty if there is none.
    pub command: &'h str,
    /// The hook's name for the user.
    pub label: &'h str,
    /// Its events.
    pub event: &'h str,
    /// Its position in the list, from 0.
    pub place: usize,
    /// Whether it was no longer in its source when the earlier list was stored.
    pub is_gone: bool,
}

/// By what hooks of two lists are the same one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sameness {
    /// The definition is equal.
    Definition,
    /// It runs the same.
    Command,
    /// Name and event are equal.
    LabelAndEvent,
}

/// The order of comparison of `engine.md` §13, and whether hooks that were gone are compared. These come last, and only
/// by what they run.
pub(crate) const SEEN_BEFORE: &[(Sameness, bool)] = &[
    (Sameness::Definition, false),
    (Sameness::Command, false),
    (Sameness::LabelAndEvent, false),
    (Sameness::Definition, true),
    (Sameness::Command, true),
];

/// For each hook of the later list, the index of the earlier one that it is.
pub(crate) fn pair(before: &[Listed<'_>], after: &[Listed<'_>], order: &[(Sameness, bool)]) -> Vec<Option<usize>> {
    let mut partners = vec![None; after.len()];
    let mut is_free = vec![true; before.len()];
    for &(sameness, are_gone) in order {
        let mut groups: BTreeMap<(&str, &str), [Vec<usize>; 2]> = BTreeMap::new();
        for (index, one) in before.iter().enumerate() {
            if is_free[index] && one.is_gone == are_gone {
                groups.entry(one.key(sameness)).or_default()[0].push(index);
            }
        }
        for (index, one) in after.iter().enumerate().filter(|(index, _)| partners[*index].is_none()) {
            if let Some(group) = groups.get_mut(&one.key(sameness)) {
                group[1].push(index);
            }
        }
        // What has no command is equal to nothing.
        groups.remove(&("", ""));
        for [was, is] in groups.into_values() {
            for (was, is) in pair_group(before, after, was, is) {
                partners[is] = Some(was);
                is_free[was] = false;
            }
        }
    }
    partners
}

impl<'h> Listed<'h> {
    fn key(&self, sameness: Sameness) -> (&'h str, &'h str) {
        match sameness {
            Sameness::Definition => (self.definition, ""),
            Sameness::Command => (self.command, ""),
            Sameness::LabelAndEvent => (self.label, self.event),
        }
    }
}

/// Pairs the hooks of one group. As many as before keep their order. Otherwise those with the same name, at the same event
/// and at the nearest place come first.
fn pair_group(before: &[Listed<'_>], after: &[Listed<'_>], was: Vec<usize>, is: Vec<usize>) -> Vec<(usize, usize)> {
    /// A larger group keeps its order, so that no file makes this slow.
    const MAX_COMPARED: usize = 1 << 20;
    if was.len() == is.len() || was.len() * is.len() > MAX_COMPARED {
        return was.into_iter().zip(is).collect();
    }
    let mut all: Vec<((bool, bool, usize), usize, usize)> = Vec::new();
    for &earlier in &was {
        for &later in &is {
            let (one, other) = (&before[earlier], &after[later]);
            let distance = (
                one.label != other.label,
                one.event != other.event,
                one.place.abs_diff(other.place),
            );
            all.push((distance, earlier, later));
        }
    }
    all.sort_unstable();
    let (mut used, mut done) = (BTreeSet::new(), BTreeSet::new());
    let mut pairs = Vec::new();
    for (_, earlier, later) in all {
        if !used.contains(&earlier) && !done.contains(&later) {
            used.insert(earlier);
            done.insert(later);
            pairs.push((earlier, later));
        }
    }
    pairs
}
