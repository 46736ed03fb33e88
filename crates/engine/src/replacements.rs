//! Hooks of the same name, and settings of a project: what they mean for other hooks, once the approvals are known
//! (`engine.md` §2).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hookwright_model::{DisabledReason, EventSpec, Hook, HookId, Match, Notice, Payload, Replacements, render};

use crate::{Candidate, messages};

/// Switches off the candidates that approved hooks replace. It also records hooks that would replace a candidate if
/// they were approved. `candidates` are all hooks of the dialect in load order, because `rivalry` refers to their
/// indexes.
///
/// Muted hooks, entries that are switched off in their file and relay entries replace others like any other entry.
/// `is_approved` says whether settings of a project are approved.
pub fn apply_replacements(
    candidates: &mut [Candidate],
    replacements: &Replacements,
    is_approved: &dyn Fn(&Hook) -> bool,
) {
    apply_settings(candidates, replacements, is_approved);
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

/// Changes the candidates as the approved settings of a project say.
fn apply_settings(candidates: &mut [Candidate], replacements: &Replacements, is_approved: &dyn Fn(&Hook) -> bool) {
    let settings = replacements.settings.iter();
    let approved: BTreeSet<&str> = settings
        .filter(|settings| is_approved(settings))
        .map(|settings| settings.id.as_str())
        .collect();
    let mut decided = None;
    for rule in &replacements.by_settings {
        let Some(candidate) = candidates.get_mut(rule.hook).filter(|_| decided != Some(rule.hook)) else {
            continue;
        };
        let is_same = candidate.hook.disabled_reason == rule.off && candidate.hook.handler == rule.handler;
        if let Some(waits) = rule.once.iter().find(|id| !approved.contains(id.as_str())) {
            if !is_same {
                candidate.would_be_changed_by.get_or_insert_with(|| waits.clone());
            }
            continue;
        }
        decided = Some(rule.hook);
        candidate.would_be_changed_by = None;
        if !is_same {
            candidate.hook = Arc::new(Hook {
                disabled_reason: rule.off.clone(),
                handler: rule.handler.clone(),
                ..(*candidate.hook).clone()
            });
        }
    }
}

/// Warnings about settings that would switch off or change hooks of this event if they were approved.
pub(crate) fn warn_would_disable(spec: &EventSpec, candidates: &[Candidate], payload: &Payload) -> Vec<Notice> {
    let mut labels: BTreeMap<&HookId, Vec<&str>> = BTreeMap::new();
    for candidate in candidates.iter().filter(|candidate| runs(candidate, spec, payload)) {
        if let Some(by) = &candidate.would_be_changed_by {
            labels.entry(by).or_default().push(&candidate.hook.label);
        }
    }
    let warning = |(by, labels): (&HookId, Vec<&str>)| {
        let message = render!(messages::WOULD_DISABLE, "settings" => by, "labels" => labels.join(", "));
        Notice::warning(message, None)
    };
    labels.into_iter().map(warning).collect()
}

/// Whether a candidate runs at this event, apart from its approval.
fn runs(candidate: &Candidate, spec: &EventSpec, payload: &Payload) -> bool {
    let hook = &candidate.hook;
    hook.invalid.is_none()
        && hook.disabled_reason.is_none()
        && candidate.muted.is_none()
        && hook.matches_event(spec)
        && !matches!(hook.when.evaluate(payload), Match::No { .. })
}

/// Warnings about hooks that run at this event and would be replaced by a hook of the same name if that was approved.
pub(crate) fn warn_would_shadow(spec: &EventSpec, candidates: &[Candidate], payload: &Payload) -> Vec<Notice> {
    let mut out = Vec::new();
    for candidate in candidates {
        let Some(by) = &candidate.would_be_replaced_by else {
            continue;
        };
        let hook = &candidate.hook;
        if runs(candidate, spec, payload) {
            let id = hook.id_at(spec);
            let message = render!(messages::WOULD_SHADOW, "hook" => id, "by" => by);
            out.push(Notice::warning(message, Some(&id)));
        }
    }
    out
}
