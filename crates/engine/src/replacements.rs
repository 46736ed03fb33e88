//! Hooks of the same name: which one replaces which, once the approvals are known (`engine.md` §2).

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::{DisabledReason, EventSpec, Hook, HookId, Match, Notice, Payload, Replacements, render};

use crate::{Candidate, messages};

/// Switches off the candidates that approved hooks replace. It also records hooks that would replace a candidate if
/// they were approved. `candidates` are all hooks of the dialect in load order, because `rivalry` refers to their
/// indexes.
///
/// Muted hooks, entries that are switched off in their file and relay entries replace others like any other entry.
pub fn apply_replacements(candidates: &mut [Candidate], replacements: &Replacements) {
    for &index in &replacements.always_need_approval {
        if let Some(candidate) = candidates.get_mut(index) {
            candidate.contested = true;
        }
    }
    if replacements.rules.is_empty() {
        return;
    }
    let mut approved: BTreeMap<HookId, bool> = BTreeMap::new();
    for candidate in candidates.iter() {
        let is = candidate.trusted.is_ok() && candidate.hook.invalid.is_none();
        let all = approved.entry(candidate.hook.id.clone()).or_insert(true);
        *all &= is;
    }
    let mut replaced = None;
    for rule in &replacements.rules {
        // The strongest approved hook came first and has replaced it already.
        if replaced == Some(rule.hook) {
            continue;
        }
        let Some(candidate) = candidates.get_mut(rule.hook) else {
            continue;
        };
        if rule.once.iter().all(|id| approved.get(id) == Some(&true)) {
            candidate.hook = Arc::new(Hook {
                disabled_reason: Some(DisabledReason::Shadowed(rule.by.clone())),
                ..(*candidate.hook).clone()
            });
            replaced = Some(rule.hook);
        } else {
            let waits = || rule.once.iter().find(|id| approved.get(*id) == Some(&false));
            candidate.would_be_replaced_by = candidate.would_be_replaced_by.take().or_else(|| waits().cloned());
        }
    }
}

/// Warnings about hooks that run at this event and would be replaced by a hook of the same name if that was approved.
pub(crate) fn warn_would_shadow(spec: &EventSpec, candidates: &[Candidate], payload: &Payload) -> Vec<Notice> {
    let mut out = Vec::new();
    for candidate in candidates {
        let Some(by) = &candidate.would_be_replaced_by else {
            continue;
        };
        let hook = &candidate.hook;
        let runs = hook.invalid.is_none()
            && hook.disabled_reason.is_none()
            && candidate.muted.is_none()
            && hook.matches_event(spec)
            && !matches!(hook.when.evaluate(payload), Match::No { .. });
        if runs {
            let id = hook.id_at(spec);
            let message = render!(messages::WOULD_SHADOW, "hook" => id, "by" => by);
            out.push(Notice::warning(message, Some(&id)));
        }
    }
    out
}
