//! What goes along with an edited hook: its approval, since a person made the change, and its mute.

use std::sync::Arc;

use hookwright_model::{EditRequest, Hook, HookChange};
use serde::{Deserialize, Serialize};

use super::people::{Planned, Work};
use crate::App;
use crate::fault::Fault;
use crate::library::Snapshot;
use crate::mutes::{Followed, Mute};
use crate::trust::{Approval, Content, CoveredFile, Trust};

/// What a hook had before an edit.
#[derive(Debug)]
pub(super) struct Held {
    /// What was approved of it: the files that it covered. `None` when it was not approved and needed to be.
    files: Option<Vec<CoveredFile>>,
    mutes: Vec<Mute>,
}

impl Held {
    /// The hook may run, as far as that is for a person to say.
    pub(super) fn approved(&self) -> bool {
        self.files.is_some()
    }

    /// Nobody approved the hook, and nothing of it may run before somebody does.
    pub(super) fn unreviewed(&self) -> bool {
        self.files.is_none()
    }
}

/// What has to come back when an edit is taken back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Carried {
    /// Approvals that gave way.
    #[serde(default)]
    approvals: Vec<Approval>,
    /// Fingerprints of those that came in their place.
    #[serde(default)]
    made: Vec<String>,
    #[serde(default)]
    mutes: Followed,
}

/// Approvals that gave way, and the fingerprints of those that came in their place.
type Replaced = (Vec<Approval>, Vec<String>);

impl App {
    /// What the hook of an edit has now.
    pub(super) fn holds(&self, before: &Snapshot, intention: &EditRequest) -> Option<Held> {
        let (id, copy) = match intention {
            EditRequest::Add { .. } | EditRequest::Remove { .. } => return None,
            EditRequest::Change { hook, changes } => (
                hook,
                changes.iter().any(|change| matches!(change, HookChange::Duplicate)),
            ),
        };
        let hook = before.hook(id)?;
        let bound = self.bound_here(before, hook);
        let hook = bound.as_ref().unwrap_or(hook);
        let approved = if Trust::needed(hook) {
            self.trust
                .judge(hook)
                .is_ok()
                .then(|| self.trust.content(hook).files.clone())
        } else {
            // Nobody approves a person's own hooks: they are the person's.
            Some(Vec::new())
        };
        // Somebody may have muted it since this process read the mutes. A broken file mutes nothing, as everywhere.
        drop(self.own.mutes.reload());
        Some(Held {
            files: approved,
            mutes: if copy { Vec::new() } else { self.mutes_of(before, id) },
        })
    }

    /// Approves the edited hook where the former was approved and it names no other files than those, and mutes it where
    /// the former was muted.
    pub(super) fn carry(
        &self,
        held: &Option<Held>,
        hook: Option<&str>,
        work: &Work,
        after: &Snapshot,
    ) -> Result<Carried, Fault> {
        let (Some(held), Some(id)) = (held, hook) else {
            return Ok(Carried::default());
        };
        let hooks: Vec<&Arc<Hook>> = after.all().filter(|hook| hook.id == id).collect();
        let (approvals, made) = match &held.files {
            Some(approved) => {
                let bound = hooks
                    .iter()
                    .map(|hook| self.bound_here(after, hook).unwrap_or_else(|| (*hook).clone()));
                let bound: Vec<Arc<Hook>> = bound.collect();
                self.approve_again(&bound.iter().collect::<Vec<_>>(), approved, work, after)?
            }
            None => Replaced::default(),
        };
        let muted: Vec<&Hook> = hooks.iter().map(|hook| &***hook).collect();
        let mutes = self.own.mutes.follow(&held.mutes, &muted)?;
        Ok(Carried { approvals, made, mutes })
    }

    /// A hook of the user's that starts content of the project from the project itself.
    fn bound_here(&self, snapshot: &Snapshot, hook: &Hook) -> Option<Arc<Hook>> {
        let project = &snapshot.project;
        self.trust.bound(hook, project, project).map(Arc::new)
    }

    /// Approves what an edit made of an approved hook, and returns the approvals that this replaced.
    fn approve_again(
        &self,
        hooks: &[&Arc<Hook>],
        approved: &[CoveredFile],
        work: &Work,
        after: &Snapshot,
    ) -> Result<Replaced, Fault> {
        let mut contents = Vec::new();
        for hook in hooks.iter().filter(|hook| Trust::needed(hook)) {
            let content = self.trust.content(hook);
            let known = |file: &CoveredFile| is_approved(file, approved, work);
            if content.files.iter().all(known) {
                contents.push((&***hook, content));
            }
        }
        self.approve_for(after, &contents)
    }

    /// Approves these, and returns the approvals that this replaced, with the fingerprints of the new ones.
    fn approve_for(&self, after: &Snapshot, contents: &[(&Hook, Arc<Content>)]) -> Result<Replaced, Fault> {
        if contents.is_empty() {
            return Ok(Replaced::default());
        }
        let made = contents.iter().map(|(_, content)| content.fingerprint.clone());
        let former = self.trust.approvals();
        self.approve(after, contents)?;
        let now = self.trust.approvals();
        let gone = former.hooks.iter().filter(|approval| !now.hooks.contains(approval));
        Ok((gone.cloned().collect(), made.collect()))
    }

    /// Approves again what was approved before an edit that was taken back, where it is exactly that again, and mutes what
    /// was muted. Returns what takes that back in turn.
    pub(super) fn carry_back(&self, carried: &Carried, after: &Snapshot) -> Result<Carried, Fault> {
        self.own.mutes.put_back(&carried.mutes)?;
        let mutes = carried.mutes.turned();
        // Somebody may have revoked the approval since, in another process too. A broken file approves nothing.
        drop(self.trust.reload());
        let approved = self.trust.approvals();
        let stands = |made: &String| approved.hooks.iter().any(|approval| approval.fingerprint == *made);
        if !carried.made.iter().all(stands) {
            return Ok(Carried {
                mutes,
                ..Carried::default()
            });
        }
        let mut contents = Vec::new();
        for hook in after.all().filter(|hook| Trust::needed(hook)) {
            let of_it = |approval: &&Approval| approval.dialect == hook.dialect && approval.event == hook.event;
            if carried.approvals.iter().any(|approval| of_it(&approval)) {
                let content = self.trust.content(hook);
                if carried
                    .approvals
                    .iter()
                    .any(|approval| approval.fingerprint == content.fingerprint)
                {
                    contents.push((&**hook, content));
                }
            }
        }
        let (approvals, made) = self.approve_for(after, &contents)?;
        Ok(Carried { approvals, made, mutes })
    }
}

/// A file that was approved as it is, or that this very edit wrote.
fn is_approved(file: &CoveredFile, approved: &[CoveredFile], work: &Work) -> bool {
    let wrote = |planned: &Planned| {
        let content = planned.after.as_ref();
        let hash = content.map(|content| blake3::hash(&content.bytes).to_hex().to_string());
        let same = dunce::canonicalize(&planned.path).is_ok_and(|real| real == file.path);
        same && hash.as_deref() == Some(&file.hash)
    };
    approved.contains(file) || work.files.iter().any(wrote)
}
