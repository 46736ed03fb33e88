//! Which hooks of the user's files are the relay's.

use std::sync::Arc;

use hookwright_model::{Dialect, DisabledReason, Hook, Layer};

use crate::snapshot::Snapshot;

/// The hooks of the user's files.
pub(super) fn user_hooks<'s>(snapshot: &'s Snapshot, dialect: &dyn Dialect) -> impl Iterator<Item = &'s Arc<Hook>> {
    snapshot
        .hooks(dialect.card().id)
        .filter(|hook| hook.source.layer == Layer::User)
}

/// The relay's hooks in the user's files, whatever options the user added. A hook that serves several events is returned
/// once.
pub(super) fn relay_hooks(snapshot: &Snapshot, dialect: &dyn Dialect) -> Vec<Arc<Hook>> {
    let mut found: Vec<Arc<Hook>> = Vec::new();
    for hook in user_hooks(snapshot, dialect).filter(|hook| is_relay_in_file(snapshot, hook)) {
        if !found.iter().any(|known| known.id == hook.id) {
            found.push(hook.clone());
        }
    }
    found
}

/// Whether a hook is the relay's by its own file. A hook of the same name in another file may have replaced it.
pub(super) fn is_relay_in_file(snapshot: &Snapshot, hook: &Hook) -> bool {
    let is_same = |other: &&Arc<Hook>| (&other.source.path, other.source.line) == (&hook.source.path, hook.source.line);
    let mut written = snapshot.sources.iter().flat_map(|source| source.file_hooks.iter());
    let is_replaced = matches!(hook.disabled_reason, Some(DisabledReason::Shadowed(_)));
    hook.is_relay() || (is_replaced && written.find(is_same).is_some_and(|written| written.is_relay()))
}
