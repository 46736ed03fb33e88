//! Hooks that are known by their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{EditContext, EditPlan, ExpectedHook, Hook, HookKey};
use serde_json::Value;

/// The hooks of all places, known by their names.
#[derive(Debug, Default)]
pub struct HookNames {
    hooks: BTreeMap<HookKey, (PathBuf, NamedHook)>,
}

/// A hook that has a name.
#[derive(Debug, Clone)]
pub struct NamedHook {
    /// What it was before the change; `None` for a new one.
    pub old: Option<HookKey>,
    /// Its definition, which tells its events too.
    pub definition: Value,
}

impl HookNames {
    /// All hooks; `root` is the place that a hook's file belongs to.
    #[must_use]
    pub fn from_context(context: &EditContext<'_>, root: impl Fn(&Hook) -> PathBuf) -> Self {
        let hooks = context.hooks.iter().map(|hook| {
            let key = (hook.source.path.clone(), hook.id.clone());
            let named = NamedHook {
                old: Some(key.clone()),
                definition: hook.definition.clone(),
            };
            (key, (root(hook), named))
        });
        Self { hooks: hooks.collect() }
    }

    /// Whether there is such a hook.
    #[must_use]
    pub fn contains(&self, key: &HookKey) -> bool {
        self.hooks.contains_key(key)
    }

    /// A hook.
    pub fn hook(&mut self, key: &HookKey) -> Option<&mut NamedHook> {
        self.hooks.get_mut(key).map(|(_, hook)| hook)
    }

    /// Puts a hook there.
    pub fn insert(&mut self, key: HookKey, root: &Path, hook: NamedHook) {
        self.hooks.insert(key, (root.to_owned(), hook));
    }

    /// Takes a hook out.
    pub fn remove(&mut self, key: &HookKey) -> Option<NamedHook> {
        self.hooks.remove(key).map(|(_, hook)| hook)
    }

    /// Writes down what must be there afterwards in these places.
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
