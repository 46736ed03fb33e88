//! Hooks that are known by their places in lists.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{EditContext, EditPlan, ExpectedHook, FileChange, Hook, HookKey};
use serde_json::Value;

/// The hooks of all places whose ids end in their index, list by list.
#[derive(Debug, Default)]
pub struct Ledger {
    lists: BTreeMap<Name, List>,
}

/// A list: its file, and the begin of its hooks' ids up to their index.
pub type Name = (PathBuf, String);

#[derive(Debug)]
struct List {
    /// The place that its file belongs to.
    root: PathBuf,
    rows: Vec<Row>,
}

/// A hook of a list.
#[derive(Debug, Clone)]
pub struct Row {
    /// What it was before the change; `None` for a new one.
    pub old: Option<HookKey>,
    /// Its event.
    pub event: String,
    /// Its definition.
    pub definition: Value,
}

impl Row {
    /// A hook as it is.
    #[must_use]
    pub fn of(hook: &Hook) -> Self {
        Self {
            old: Some((hook.source.path.clone(), hook.id.clone())),
            event: hook.event.clone(),
            definition: hook.definition.clone(),
        }
    }
}

/// A hook's place: its list, and its index there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The list.
    pub list: Name,
    /// The index.
    pub index: usize,
}

impl Spot {
    /// Of a hook whose index stands behind the last of these signs in its id.
    #[must_use]
    pub fn of(hook: &Hook, sign: char) -> Option<Self> {
        let at = hook.id.rfind(sign)? + sign.len_utf8();
        let (list, index) = hook.id.split_at(at);
        Some(Self {
            list: (hook.source.path.clone(), list.to_owned()),
            index: index.parse().ok()?,
        })
    }

    /// The hook that stands there.
    #[must_use]
    pub fn key(&self) -> HookKey {
        (self.list.0.clone(), format!("{}{}", self.list.1, self.index))
    }
}

impl Ledger {
    /// The hooks that have their index behind this sign.
    #[must_use]
    pub fn of(desk: &EditContext<'_>, sign: char) -> Self {
        let mut ledger = Self::default();
        for hook in desk.hooks {
            let Some(spot) = Spot::of(hook, sign) else { continue };
            // A file is the place itself in every dialect that counts its hooks.
            let rows = &mut ledger.list(&spot.list, &hook.source.path).rows;
            rows.insert(spot.index.min(rows.len()), Row::of(hook));
        }
        ledger
    }

    fn list(&mut self, name: &Name, root: &Path) -> &mut List {
        self.lists.entry(name.clone()).or_insert_with(|| List {
            root: root.to_owned(),
            rows: Vec::new(),
        })
    }

    /// How many hooks a list has.
    #[must_use]
    pub fn count(&self, list: &Name) -> usize {
        self.lists.get(list).map_or(0, |list| list.rows.len())
    }

    /// A hook.
    #[must_use]
    pub fn row(&mut self, spot: &Spot) -> Option<&mut Row> {
        self.lists.get_mut(&spot.list)?.rows.get_mut(spot.index)
    }

    /// Puts a hook before that place.
    pub fn put(&mut self, spot: &Spot, row: Row) {
        let rows = &mut self.list(&spot.list, &spot.list.0).rows;
        rows.insert(spot.index.min(rows.len()), row);
    }

    /// Takes a hook out.
    pub fn take(&mut self, spot: &Spot) -> Option<Row> {
        let rows = &mut self.lists.get_mut(&spot.list)?.rows;
        (spot.index < rows.len()).then(|| rows.remove(spot.index))
    }

    /// Gives numbered lists other numbers. Their names are `before` and a number and a dot; those that get none are gone.
    pub fn renumber(&mut self, file: &Path, before: &str, number: impl Fn(usize) -> Option<usize>) {
        let numbered = |name: &Name| {
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

    /// Writes down what must be there afterwards.
    pub fn finish(self, plan: &mut EditPlan) {
        let changed = changed(&plan.files);
        for (name, list) in self.lists {
            for (index, row) in list.rows.into_iter().enumerate() {
                let spot = Spot {
                    list: name.clone(),
                    index,
                };
                expect(plan, &changed, &list.root, spot.key(), row);
            }
        }
        for path in changed {
            // A file that has no hook left must have none.
            plan.expected.entry(path).or_default();
        }
    }
}

/// The files that a plan changes.
fn changed(files: &[FileChange]) -> Vec<PathBuf> {
    let paths = files.iter().map(|file| match file {
        FileChange::Write { path, .. }
        | FileChange::Remove { path }
        | FileChange::RemoveFolder { path }
        | FileChange::RemoveEmpty { path } => path,
        FileChange::CopyFile { to, .. } | FileChange::CopyFolder { to, .. } => to,
    });
    paths.cloned().collect()
}

/// Writes down that this hook must be there.
fn expect(plan: &mut EditPlan, changed: &[PathBuf], root: &Path, key: HookKey, row: Row) {
    if let Some(old) = row.old.filter(|old| *old != key) {
        plan.moved.insert(old, key.clone());
    }
    if changed.iter().any(|path| path == root) {
        plan.expected.entry(root.to_owned()).or_default().push(ExpectedHook {
            key,
            event: Some(row.event),
            definition: row.definition,
        });
    }
}
