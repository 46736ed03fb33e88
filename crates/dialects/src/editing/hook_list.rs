//! Hooks that are entries of lists.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{EditContext, EditPlan, ExpectedHook, FileChange, Hook, HookKey, PathStep};
use serde_json::Value;

/// The hooks of all roots that are entries of lists, list by list.
#[derive(Debug, Default)]
pub struct HookList {
    lists: BTreeMap<ListName, List>,
}

/// Identifies a list by its file, and the path to it there.
pub type ListName = (PathBuf, Vec<PathStep>);

#[derive(Debug)]
struct List {
    /// The root that its file belongs to.
    root: PathBuf,
    entries: Vec<HookEntry>,
}

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
            // In every dialect that counts its hooks, the file itself is the root.
            let entries = &mut list.list(&slot.list, &hook.source.path).entries;
            entries.insert(slot.index.min(entries.len()), HookEntry::from_hook(hook));
        }
        list
    }

    fn list(&mut self, name: &ListName, root: &Path) -> &mut List {
        self.lists.entry(name.clone()).or_insert_with(|| List {
            root: root.to_owned(),
            entries: Vec::new(),
        })
    }

    /// The number of hooks in a list.
    #[must_use]
    pub fn count(&self, list: &ListName) -> usize {
        self.lists.get(list).map_or(0, |list| list.entries.len())
    }

    /// The hook in a slot, if there is one.
    #[must_use]
    pub fn entry(&mut self, slot: &ListSlot) -> Option<&mut HookEntry> {
        self.lists.get_mut(&slot.list)?.entries.get_mut(slot.index)
    }

    /// Inserts a hook before this slot, or at the end of a shorter list.
    pub fn insert(&mut self, slot: &ListSlot, entry: HookEntry) {
        let entries = &mut self.list(&slot.list, &slot.list.0).entries;
        entries.insert(slot.index.min(entries.len()), entry);
    }

    /// Removes the hook in a slot and returns it.
    pub fn remove(&mut self, slot: &ListSlot) -> Option<HookEntry> {
        let entries = &mut self.lists.get_mut(&slot.list)?.entries;
        (slot.index < entries.len()).then(|| entries.remove(slot.index))
    }

    /// Renumbers the lists that are inside the items of another list of a file. A list without a new number is removed.
    pub fn renumber(&mut self, file: &Path, outer: &[PathStep], number: impl Fn(usize) -> Option<usize>) {
        let lists = std::mem::take(&mut self.lists).into_iter();
        let renumbered = |((path, mut steps), list): (ListName, List)| {
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

    /// Adds to the plan which hooks must exist after the edit.
    pub fn add_expected(self, plan: &mut EditPlan) {
        let changed = changed_paths(&plan.files);
        for (name, list) in self.lists {
            for (index, entry) in list.entries.into_iter().enumerate() {
                let slot = ListSlot {
                    list: name.clone(),
                    index,
                };
                expect_hook(plan, &changed, &list.root, slot.key(), entry);
            }
        }
        for path in changed {
            // A file that has no hook left must define none.
            plan.expected.entry(path).or_default();
        }
    }
}

/// The files that a plan changes.
fn changed_paths(files: &[FileChange]) -> Vec<PathBuf> {
    let paths = files.iter().map(|file| match file {
        FileChange::Write { path, .. }
        | FileChange::Remove { path }
        | FileChange::RemoveFolder { path }
        | FileChange::RemoveEmpty { path } => path,
        FileChange::CopyFile { to, .. } | FileChange::CopyFolder { to, .. } => to,
    });
    paths.cloned().collect()
}

/// Adds to the plan that this hook must exist after the edit, and its new key if it moved.
fn expect_hook(plan: &mut EditPlan, changed: &[PathBuf], root: &Path, key: HookKey, entry: HookEntry) {
    if let Some(old) = entry.old.filter(|old| *old != key) {
        plan.moved.insert(old, key.clone());
    }
    if changed.iter().any(|path| path == root) {
        plan.expected.entry(root.to_owned()).or_default().push(ExpectedHook {
            key,
            event: Some(entry.event),
            definition: entry.definition,
        });
    }
}
