//! Hooks that are identified by their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{EditContext, EditPlan, ExpectedHook, Hook, HookKey};
use serde_json::Value;

/// The hooks of all roots, identified by their names.
#[derive(Debug, Default)]
pub struct HookNames {
    hooks: BTreeMap<HookKey, (PathBuf, NamedHook)>,
}

/// A hook that is identified by its name.
#[derive(Debug, Clone)]
pub struct NamedHook {
    /// Its key before the change; `None` for a new hook.
    pub old: Option<HookKey>,
    /// Its definition, which contains its events too.
    pub definition: Value,
}

impl HookNames {
    /// Collects the hooks of an edit. `root` returns the root that a hook's file belongs to.
    #[must_use]
    pub fn from_context(context: &EditContext<'_>, root: impl Fn(&Hook) -> PathBuf) -> Self {
        let hooks = context.hooks.iter().map(|hook| {
            let key = hook.key();
            let named = NamedHook {
                old: Some(key.clone()),
                definition: hook.definition.clone(),
            };
            (key, (root(hook), named))
        });
        Self { hooks: hooks.collect() }
    }

    /// Whether there is a hook with this key.
    #[must_use]
    pub fn contains(&self, key: &HookKey) -> bool {
        self.hooks.contains_key(key)
    }

    /// The hook with this key, if there is one.
    pub fn hook(&mut self, key: &HookKey) -> Option<&mut NamedHook> {
        self.hooks.get_mut(key).map(|(_, hook)| hook)
    }

    /// Adds a hook, or replaces the one with this key.
    pub fn insert(&mut self, key: HookKey, root: &Path, hook: NamedHook) {
        self.hooks.insert(key, (root.to_owned(), hook));
    }

    /// Removes the hook with this key and returns it.
    pub fn remove(&mut self, key: &HookKey) -> Option<NamedHook> {
        self.hooks.remove(key).map(|(_, hook)| hook)
    }

    /// Adds to the plan which hooks must exist in the changed roots after the edit.
    pub fn add_expected(self, plan: &mut EditPlan, changed: &[PathBuf]) {
        for path in changed {
            plan.expected.entry(path.clone()).or_default();
        }
        for (key, (root, hook)) in self.hooks {
            if let Some(old) = hook.old.filter(|old| *old != key) {
                plan.moved.insert(old, key.clone());
            }
            if let Some(expected) = plan.expected.get_mut(&root) {
                expected.push(ExpectedHook {
                    key,
                    event: None,
                    definition: hook.definition,
                });
            }
        }
    }
}
