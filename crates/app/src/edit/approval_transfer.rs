//! What goes along with an edited hook: its approval, since a person made the change, and its mute.

use std::sync::Arc;

use hookwright_model::{EditRequest, Hook, HookChange};
use serde::{Deserialize, Serialize};

use super::user_files::{FileTransaction, PlannedFile};
use crate::App;
use crate::fault::Fault;
use crate::library::Snapshot;
use crate::mutes::{MovedMutes, Mute};
use crate::trust::{Approval, CoveredFile, HookContent, Trust};

/// What a hook had before an edit.
#[derive(Debug)]
pub(super) struct PriorState {
    /// What was approved of it: the files that it covered. `None` when it was not approved and needed to be.
    approved_files: Option<Vec<CoveredFile>>,
    mutes: Vec<Mute>,
}

impl PriorState {
    /// The hook may run, as far as that is for a person to say.
    pub(super) fn is_approved(&self) -> bool {
        self.approved_files.is_some()
    }

    /// Nobody approved the hook, and nothing of it may run before somebody does.
    pub(super) fn is_unreviewed(&self) -> bool {
        self.approved_files.is_none()
    }
}

/// What has to come back when an edit is taken back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TransferUndo {
    /// Approvals that gave way.
    #[serde(default)]
    approvals: Vec<Approval>,
    /// Fingerprints of those that came in their place.
    #[serde(default)]
    made: Vec<String>,
    #[serde(default)]
    mutes: MovedMutes,
}

/// Approvals that gave way, and the fingerprints of those that came in their place.
type ReplacedApprovals = (Vec<Approval>, Vec<String>);

impl App {
    /// What the hook of an edit has now.
    pub(super) fn prior_state(&self, before: &Snapshot, intention: &EditRequest) -> Option<PriorState> {
        let (id, copy) = match intention {
            EditRequest::Add { .. } | EditRequest::Remove { .. } => return None,
            EditRequest::Change { hook, changes } => (
                hook,
                changes.iter().any(|change| matches!(change, HookChange::Duplicate)),
            ),
        };
        let hook = before.hook(id)?;
        let bound = self.bind_to_project(before, hook);
        let hook = bound.as_ref().unwrap_or(hook);
        let approved = if Trust::needs_approval(hook) {
            self.trust
                .check_gate(hook)
                .is_ok()
                .then(|| self.trust.content(hook).files.clone())
        } else {
            // Nobody approves a person's own hooks: they are the person's.
            Some(Vec::new())
        };
        // Somebody may have muted it since this process read the mutes. A broken file mutes nothing, as everywhere.
        drop(self.app_files.mutes.reload());
        Some(PriorState {
            approved_files: approved,
            mutes: if copy { Vec::new() } else { self.mutes_of(before, id) },
        })
    }

    /// Approves the edited hook where the former was approved and it names no other files than those, and mutes it where
    /// the former was muted.
    pub(super) fn transfer(
        &self,
        prior: &Option<PriorState>,
        hook: Option<&str>,
        work: &FileTransaction,
        after: &Snapshot,
    ) -> Result<TransferUndo, Fault> {
        let (Some(prior), Some(id)) = (prior, hook) else {
            return Ok(TransferUndo::default());
        };
        let hooks: Vec<&Arc<Hook>> = after.all().filter(|hook| hook.id == id).collect();
        let (approvals, made) = match &prior.approved_files {
            Some(approved) => {
                let bound = hooks
                    .iter()
                    .map(|hook| self.bind_to_project(after, hook).unwrap_or_else(|| (*hook).clone()));
                let bound: Vec<Arc<Hook>> = bound.collect();
                self.approve_edited(&bound.iter().collect::<Vec<_>>(), approved, work, after)?
            }
            None => ReplacedApprovals::default(),
        };
        let muted: Vec<&Hook> = hooks.iter().map(|hook| &***hook).collect();
        let mutes = self.app_files.mutes.move_with_edit(&prior.mutes, &muted)?;
        Ok(TransferUndo { approvals, made, mutes })
    }

    /// A hook of the user's that starts content of the project from the project itself.
    fn bind_to_project(&self, snapshot: &Snapshot, hook: &Hook) -> Option<Arc<Hook>> {
        let project = &snapshot.project;
        self.trust.bind(hook, project, project).map(Arc::new)
    }

    /// Approves what an edit made of an approved hook, and returns the approvals that this replaced.
    fn approve_edited(
        &self,
        hooks: &[&Arc<Hook>],
        approved: &[CoveredFile],
        work: &FileTransaction,
        after: &Snapshot,
    ) -> Result<ReplacedApprovals, Fault> {
        let mut contents = Vec::new();
        for hook in hooks.iter().filter(|hook| Trust::needs_approval(hook)) {
            let content = self.trust.content(hook);
            let known = |file: &CoveredFile| is_approved(file, approved, work);
            if content.files.iter().all(known) {
                contents.push((&***hook, content));
            }
        }
        self.replace_approvals(after, &contents)
    }

    /// Approves these, and returns the approvals that this replaced, with the fingerprints of the new ones.
    fn replace_approvals(
        &self,
        after: &Snapshot,
        contents: &[(&Hook, Arc<HookContent>)],
    ) -> Result<ReplacedApprovals, Fault> {
        if contents.is_empty() {
            return Ok(ReplacedApprovals::default());
        }
        let made = contents.iter().map(|(_, content)| content.fingerprint.clone());
        let former = self.trust.approvals();
        self.approve(after, contents)?;
        let now = self.trust.approvals();
        let replaced = former.hooks.iter().filter(|approval| !now.hooks.contains(approval));
        Ok((replaced.cloned().collect(), made.collect()))
    }

    /// Approves again what was approved before an edit that was taken back, where it is exactly that again, and mutes what
    /// was muted. Returns what takes that back in turn.
    pub(super) fn restore(&self, undo: &TransferUndo, after: &Snapshot) -> Result<TransferUndo, Fault> {
        self.app_files.mutes.undo_move(&undo.mutes)?;
        let mutes = undo.mutes.reversed();
        // Somebody may have revoked the approval since, in another process too. A broken file approves nothing.
        drop(self.trust.reload());
        let approved = self.trust.approvals();
        let still_holds = |made: &String| approved.hooks.iter().any(|approval| approval.fingerprint == *made);
        if !undo.made.iter().all(still_holds) {
            return Ok(TransferUndo {
                mutes,
                ..TransferUndo::default()
            });
        }
        let mut contents = Vec::new();
        for hook in after.all().filter(|hook| Trust::needs_approval(hook)) {
            let of_it = |approval: &&Approval| approval.dialect == hook.dialect && approval.event == hook.event;
            if undo.approvals.iter().any(|approval| of_it(&approval)) {
                let content = self.trust.content(hook);
                if undo
                    .approvals
                    .iter()
                    .any(|approval| approval.fingerprint == content.fingerprint)
                {
                    contents.push((&**hook, content));
                }
            }
        }
        let (approvals, made) = self.replace_approvals(after, &contents)?;
        Ok(TransferUndo { approvals, made, mutes })
    }
}

/// A file that was approved as it is, or that this very edit wrote.
fn is_approved(file: &CoveredFile, approved: &[CoveredFile], work: &FileTransaction) -> bool {
    let wrote = |planned: &PlannedFile| {
        let content = planned.after.as_ref();
        let hash = content.map(|content| blake3::hash(&content.bytes).to_hex().to_string());
        let same = dunce::canonicalize(&planned.path).is_ok_and(|real| real == file.path);
        same && hash.as_deref() == Some(&file.hash)
    };
    approved.contains(file) || work.files.iter().any(wrote)
}
