//! Hooks that are known by their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{EditContext, EditPlan, ExpectedHook, Hook, HookKey};
use serde_json::Value;

/// The hooks of all places, known by their names.
#[derive(Debug, Default)]
pub struct Names {
    rows: BTreeMap<HookKey, (PathBuf, NamedRow)>,
}

/// A hook that has a name.
#[derive(Debug, Clone)]
pub struct NamedRow {
    /// What it was before the change; `None` for a new one.
    pub old: Option<HookKey>,
    /// Its definition, which tells its events too.
    pub definition: Value,
}

impl Names {
    /// All hooks; `root` is the place that a hook's file belongs to.
    #[must_use]
    pub fn of(desk: &EditContext<'_>, root: impl Fn(&Hook) -> PathBuf) -> Self {
        let rows = desk.hooks.iter().map(|hook| {
            let key = (hook.source.path.clone(), hook.id.clone());
            let row = NamedRow {
                old: Some(key.clone()),
                definition: hook.definition.clone(),
            };
            (key, (root(hook), row))
        });
        Self { rows: rows.collect() }
    }

    /// Whether there is such a hook.
    #[must_use]
    pub fn has(&self, key: &HookKey) -> bool {
        self.rows.contains_key(key)
    }

    /// A hook.
    pub fn row(&mut self, key: &HookKey) -> Option<&mut NamedRow> {
        self.rows.get_mut(key).map(|(_, row)| row)
    }

    /// Puts a hook there.
    pub fn put(&mut self, key: HookKey, root: &Path, row: NamedRow) {
        self.rows.insert(key, (root.to_owned(), row));
    }

    /// Takes a hook out.
    pub fn take(&mut self, key: &HookKey) -> Option<NamedRow> {
        self.rows.remove(key).map(|(_, row)| row)
    }

    /// Writes down what must be there afterwards in these places.
    pub fn finish(self, plan: &mut EditPlan, changed: &[PathBuf]) {
        for path in changed {
            plan.expected.entry(path.clone()).or_default();
        }
        for (key, (root, row)) in self.rows {
            if let Some(old) = row.old.filter(|old| *old != key) {
                plan.moved.insert(old, key.clone());
            }
            if let Some(expected) = plan.expected.get_mut(&root) {
                expected.push(ExpectedHook {
                    key,
                    event: None,
                    definition: row.definition,
                });
            }
        }
    }
}
