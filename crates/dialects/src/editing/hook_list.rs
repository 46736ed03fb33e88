//! Hooks that are entries of lists.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{EditContext, Hook, HookKey, PathStep};
use serde_json::Value;

/// The hooks of all roots that are entries of lists, list by list.
#[derive(Debug, Default)]
pub struct HookList {
    lists: BTreeMap<ListName, Vec<HookEntry>>,
}

/// Identifies a list by its file, and the path to it there.
pub type ListName = (PathBuf, Vec<PathStep>);

/// A hook in a list.
#[derive(Debug, Clone)]
pub struct HookEntry {
    /// Its key before the change; `None` for a new hook.
    pub old: Option<HookKey>,
    /// Its event, in the dialect's spelling.
    pub event: String,
    /// Its definition, with the changes made so far.
    pub definition: Value,
}

impl HookEntry {
    /// The entry of a hook that is not changed yet.
    #[must_use]
    pub fn from_hook(hook: &Hook) -> Self {
        Self {
            old: Some(hook.key()),
            event: hook.event.clone(),
            definition: hook.definition.clone(),
        }
    }
}

/// The position of a hook: its list, and its index there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSlot {
    /// The list that contains the hook.
    pub list: ListName,
    /// The index in the list, from 0.
    pub index: usize,
}

impl ListSlot {
    /// The slot of a hook; `None` if it is not an entry of a list.
    #[must_use]
    pub fn from_hook(hook: &Hook) -> Option<Self> {
        let (PathStep::Item(index), list) = hook.at.split_last()? else {
            return None;
        };
        Some(Self {
            list: (hook.source.path.clone(), list.to_vec()),
            index: *index,
        })
    }

    /// The path to the hook in its file.
    #[must_use]
    pub fn path(&self) -> Vec<PathStep> {
        [self.list.1.as_slice(), &[PathStep::Item(self.index)]].concat()
    }

    /// The key of the hook in this slot.
    #[must_use]
    pub fn key(&self) -> HookKey {
        (self.list.0.clone(), self.path())
    }
}

impl HookList {
    /// Collects the hooks of an edit that are entries of lists.
    #[must_use]
    pub fn from_context(context: &EditContext<'_>) -> Self {
        let mut list = Self::default();
        for hook in context.hooks {
            let Some(slot) = ListSlot::from_hook(hook) else {
                continue;
            };
            let entries = list.lists.entry(slot.list).or_default();
            entries.insert(slot.index.min(entries.len()), HookEntry::from_hook(hook));
        }
        list
    }

    /// The number of hooks in a list.
    #[must_use]
    pub fn count(&self, list: &ListName) -> usize {
        self.lists.get(list).map_or(0, Vec::len)
    }

    /// The hook in a slot, if there is one.
    #[must_use]
    pub fn entry(&mut self, slot: &ListSlot) -> Option<&mut HookEntry> {
        self.lists.get_mut(&slot.list)?.get_mut(slot.index)
    }

    /// Inserts a hook before this slot, or at the end of a shorter list.
    pub fn insert(&mut self, slot: &ListSlot, entry: HookEntry) {
        let entries = self.lists.entry(slot.list.clone()).or_default();
        entries.insert(slot.index.min(entries.len()), entry);
    }

    /// Removes the hook in a slot and returns it.
    pub fn remove(&mut self, slot: &ListSlot) -> Option<HookEntry> {
        let entries = self.lists.get_mut(&slot.list)?;
        (slot.index < entries.len()).then(|| entries.remove(slot.index))
    }

    /// Renumbers the lists that are inside the items of another list of a file. A list without a new number is removed.
    pub fn renumber(&mut self, file: &Path, outer: &[PathStep], number: impl Fn(usize) -> Option<usize>) {
        let lists = std::mem::take(&mut self.lists).into_iter();
        let renumbered = |((path, mut steps), list): (ListName, Vec<HookEntry>)| {
            if path == file
                && steps.starts_with(outer)
                && let Some(PathStep::Item(item)) = steps.get_mut(outer.len())
            {
                *item = number(*item)?;
            }
            Some(((path, steps), list))
        };
        self.lists = lists.filter_map(renumbered).collect();
    }
}
