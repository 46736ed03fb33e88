//! Hooks that are identified by their names.

use std::collections::BTreeMap;

use hookwright_model::{EditContext, HookKey};
use serde_json::Value;

/// The definitions of all hooks, by their places.
#[derive(Debug, Default)]
pub struct HookNames(BTreeMap<HookKey, Value>);

impl HookNames {
    /// Collects the hooks of an edit.
    #[must_use]
    pub fn from_context(context: &EditContext<'_>) -> Self {
        Self(
            context
                .hooks
                .iter()
                .map(|hook| (hook.key(), hook.definition.clone()))
                .collect(),
        )
    }

    /// Whether there is a hook with this key.
    #[must_use]
    pub fn contains(&self, key: &HookKey) -> bool {
        self.0.contains_key(key)
    }

    /// The definition of the hook with this key, if there is one.
    pub fn definition(&mut self, key: &HookKey) -> Option<&mut Value> {
        self.0.get_mut(key)
    }

    /// Adds a hook, or replaces the one with this key.
    pub fn insert(&mut self, key: HookKey, definition: Value) {
        self.0.insert(key, definition);
    }

    /// Removes the hook with this key and returns its definition.
    pub fn remove(&mut self, key: &HookKey) -> Option<Value> {
        self.0.remove(key)
    }
}
