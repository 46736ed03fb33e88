//! Which hooks of a snapshot need an approval, and the approval of what the user saw.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{Handler, Hook, Message, render};
use hookwright_redact::Redactor;
use jiff::Timestamp;

use crate::data_files::locked_file::LockedFileError;
use crate::snapshot::Snapshot;
use crate::trust::disk_cache::DiskCache;
use crate::trust::{Approval, Denial, HookContent, Trust};

hookwright_model::messages! {
    /// The hook needs no approval.
    NO_APPROVAL_NEEDED = "no_approval_needed" { "{hook} needs no approval: it is not from this project and starts none of its files", "{hook} 不需要批准：它不来自此项目，也不启动其中的文件" };
}

/// Approves contents that the user saw. A content that cannot be approved is left out.
///
/// # Errors
/// The trust file cannot be written.
pub(crate) fn approve(
    trust: &Trust,
    snapshot: &Snapshot,
    hooks: &[(&Hook, Arc<HookContent>)],
    redactor: &Redactor,
    now: Timestamp,
) -> Result<(), LockedFileError> {
    let standing = trust.current_fingerprints(snapshot.reviewed().map(|hook| &**hook));
    trust.approve(hooks, &standing, &|text| redacted_definition(redactor, text), now)
}

/// Denies a content that the user saw: the hook does not run, and no longer waits.
///
/// # Errors
/// The trust file cannot be written.
pub fn deny(
    trust: &Trust,
    hook: &Hook,
    content: &HookContent,
    redactor: &Redactor,
    now: Timestamp,
) -> Result<(), LockedFileError> {
    trust.deny(hook, content, &|text| redacted_definition(redactor, text), now)
}

/// Decisions about hooks that no longer hold.
#[derive(Debug, Clone, Default)]
pub struct Revoked {
    /// The revoked approvals.
    pub approvals: Vec<Approval>,
    /// The withdrawn denials.
    pub denials: Vec<Denial>,
}

/// Revokes what was decided about a hook: the approval or denial of its content, and older approvals under its id.
///
/// # Errors
/// The trust file cannot be written.
pub fn revoke(trust: &Trust, snapshot: &Snapshot, hook: &Hook) -> Result<Revoked, LockedFileError> {
    let content = trust.content(hook);
    let others = snapshot.reviewed().filter(|other| other.id != hook.id);
    let standing = trust.current_fingerprints(others.map(|other| &**other));
    Ok(Revoked {
        approvals: trust.revoke(|approval| {
            approval.fingerprint == content.fingerprint || standing.is_superseded(approval, hook, &content)
        })?,
        denials: trust.withdraw_denials(|denial| denial.covers(&content))?,
    })
}

/// Revokes all that was decided about a snapshot's project, also about hooks that no longer exist.
///
/// # Errors
/// The trust file cannot be written.
pub fn revoke_all(trust: &Trust, snapshot: &Snapshot) -> Result<Revoked, LockedFileError> {
    let projects: Vec<PathBuf> = snapshot
        .sources
        .iter()
        .filter_map(|source| source.root.project.as_deref())
        .map(|project| dunce::canonicalize(project).unwrap_or_else(|_| project.to_owned()))
        .collect();
    Ok(Revoked {
        approvals: trust.revoke(|approval| projects.contains(&approval.project))?,
        denials: trust.withdraw_denials(|denial| projects.contains(&denial.project))?,
    })
}

/// How many hooks of a snapshot wait for a review.
#[must_use]
pub fn pending(trust: &Trust, snapshot: &Snapshot) -> u32 {
    let hooks = hooks_to_review(trust, snapshot);
    let waiting = hooks
        .iter()
        .filter(|(hook, content)| trust.is_waiting(hook, content))
        .count();
    u32::try_from(waiting).unwrap_or(u32::MAX)
}

/// The hooks that need approval, each with the content that an approval would cover now. Each definition is
/// included once. A module is included as a whole, whether its hooks are known or not.
#[must_use]
pub fn hooks_to_review(trust: &Trust, snapshot: &Snapshot) -> Vec<(Arc<Hook>, Arc<HookContent>)> {
    trust.reload_if_changed();
    let disk = DiskCache::default();
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for hook in snapshot.reviewed().filter(|hook| Trust::needs_approval(hook)) {
        let reviewed_as = if matches!(hook.handler, Handler::Module { .. }) {
            snapshot.hook(&hook.approval_key().0)
        } else {
            Some(hook).filter(|hook| hook.invalid.is_none())
        };
        let first = reviewed_as.filter(|hook| seen.insert(hook.id.clone()));
        out.extend(first.map(|hook| (hook.clone(), trust.content_with(hook, &disk))));
    }
    for hook in snapshot.all().filter_map(|hook| bind_for_review(trust, snapshot, hook)) {
        if seen.insert(hook.id.clone()) {
            let content = trust.content_with(&hook, &disk);
            out.push((hook, content));
        }
    }
    out
}

/// A user hook as a hook of the project, with the project files that it starts from any folder of the project. An
/// approval is for this form. `None` if it starts none.
fn bind_for_review(trust: &Trust, snapshot: &Snapshot, hook: &Hook) -> Option<Arc<Hook>> {
    trust.bind_from_any_folder(hook, &snapshot.project).map(Arc::new)
}

/// The hook with this id in the form in which it is reviewed.
///
/// # Errors
/// The project has no such hook, or the hook needs no approval.
pub fn project_hook(trust: &Trust, snapshot: &Snapshot, id: &str) -> Result<Arc<Hook>, Message> {
    let hook = snapshot.hook(id).ok_or_else(|| snapshot.unknown_hook(id))?;
    if Trust::needs_approval(hook) {
        return Ok(hook.clone());
    }
    let bound = bind_for_review(trust, snapshot, hook);
    bound.ok_or_else(|| render!(NO_APPROVAL_NEEDED, "hook" => id))
}

/// A definition in the form in which it is stored. Its secrets are masked, because Hookwright must not store them.
#[must_use]
pub fn redacted_definition(redactor: &Redactor, definition: &str) -> String {
    redactor.text(definition).0
}
