//! Hooks that are identified by their index in a list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{EditContext, EditPlan, ExpectedHook, FileChange, Hook, HookKey};
use serde_json::Value;

/// The hooks of all roots whose ids end in their index, list by list.
#[derive(Debug, Default)]
pub struct HookList {
    lists: BTreeMap<ListName, List>,
}

/// The name of a list: its file, and the start of its hooks' ids up to the index.
pub type ListName = (PathBuf, String);

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
            old: Some((hook.source.path.clone(), hook.id.clone())),
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
    /// The slot of a hook whose index follows the last `sign` in its id. Returns `None` if the id has no such index.
    #[must_use]
    pub fn from_hook(hook: &Hook, sign: char) -> Option<Self> {
        let at = hook.id.rfind(sign)? + sign.len_utf8();
        let (list, index) = hook.id.split_at(at);
        Some(Self {
            list: (hook.source.path.clone(), list.to_owned()),
            index: index.parse().ok()?,
        })
    }

    /// The key of the hook in this slot.
    #[must_use]
    pub fn key(&self) -> HookKey {
        (self.list.0.clone(), format!("{}{}", self.list.1, self.index))
    }
}

impl HookList {
    /// Collects the hooks of an edit whose index follows the last `sign` in their ids.
    #[must_use]
    pub fn from_context(context: &EditContext<'_>, sign: char) -> Self {
        let mut list = Self::default();
        for hook in context.hooks {
            let Some(slot) = ListSlot::from_hook(hook, sign) else {
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

    /// Renumbers the lists of a file whose names are `before`, a number and a dot. A list without a new number is
    /// removed.
    pub fn renumber(&mut self, file: &Path, before: &str, number: impl Fn(usize) -> Option<usize>) {
        let numbered = |name: &ListName| {
            let rest = name.1.strip_prefix(before).filter(|_| name.0 == file)?;
            rest.strip_suffix('.')?.parse::<usize>().ok()
        };
        let lists = std::mem::take(&mut self.lists).into_iter();
        self.lists = lists
            .filter_map(|(name, list)| match numbered(&name) {
                None => Some((name, list)),
                Some(old) => number(old).map(|new| ((name.0, format!("{before}{new}.")), list)),
            })
            .collect();
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
