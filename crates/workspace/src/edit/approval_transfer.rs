//! What moves with an edited hook: its approval, because the user made the change, and its mute.

use std::path::Path;
use std::sync::Arc;

use hookwright_model::{EditRequest, Hook, HookChange, Message};
use serde::{Deserialize, Serialize};

use super::user_files::{FileTransaction, PlannedFile};
use crate::mutes::{MovedMutes, Mute};
use crate::snapshot::Snapshot;
use crate::trust::{Approval, CoveredFile, HookContent, Trust};
use crate::workspace::Workspace;

/// The approval and the mutes of a hook before an edit.
#[derive(Debug)]
pub(super) struct PriorState {
    /// The files that the approval covered; none if the hook needs no approval. `None` if it needed one and had none.
    approved_files: Option<Vec<CoveredFile>>,
    mutes: Vec<Mute>,
}

impl PriorState {
    /// Whether the hook was approved, or needed no approval.
    pub(super) fn is_approved(&self) -> bool {
        self.approved_files.is_some()
    }

    /// Whether the hook needed an approval and had none.
    pub(super) fn is_unreviewed(&self) -> bool {
        self.approved_files.is_none()
    }

    /// The same state, but as if the hook had not been approved.
    pub(super) fn without_approval(self) -> Self {
        Self {
            approved_files: None,
            ..self
        }
    }

    /// The same state, but as if the hook were not muted.
    pub(super) fn without_mutes(self) -> Self {
        Self {
            mutes: Vec::new(),
            ..self
        }
    }
}

/// A hook's state before an edit, and the hook that it moves to.
#[derive(Debug)]
pub(super) struct HookMove {
    pub prior: PriorState,
    /// The id after the edit.
    pub to: String,
}

/// What must be restored when an edit is undone.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TransferUndo {
    /// The approvals that the edit replaced.
    #[serde(default)]
    pub approvals: Vec<Approval>,
    /// The fingerprints of the new approvals.
    #[serde(default)]
    pub made: Vec<String>,
    /// The mutes that the edit moved.
    #[serde(default)]
    pub mutes: MovedMutes,
    /// The ids and identities that hooks had before the edit, as far as their files define equal ones: nothing else
    /// tells these apart.
    #[serde(default)]
    pub uids: Vec<(String, String)>,
}

/// Approvals that were replaced, and the fingerprints of the new ones.
type ReplacedApprovals = (Vec<Approval>, Vec<String>);

/// The present approval and mutes of the hook that an edit changes.
pub(super) fn prior_state(workspace: &Workspace, before: &Snapshot, request: &EditRequest) -> Option<PriorState> {
    let (id, copy) = match request {
        EditRequest::Add { .. } | EditRequest::Remove { .. } => return None,
        EditRequest::Change { hook, changes } => (
            hook,
            changes.iter().any(|change| matches!(change, HookChange::Duplicate)),
        ),
    };
    let prior = prior_of_hook(workspace, before, id)?;
    Some(if copy { prior.without_mutes() } else { prior })
}

/// The present approval and mutes of this hook.
pub(super) fn prior_of_hook(workspace: &Workspace, before: &Snapshot, id: &str) -> Option<PriorState> {
    let hook = before.hook(id)?;
    let bound = bind_to_project(workspace, before, hook);
    let hook = bound.as_ref().unwrap_or(hook);
    let approved = if Trust::needs_approval(hook) {
        workspace
            .trust
            .check_gate(hook)
            .is_ok()
            .then(|| workspace.trust.content(hook).files.clone())
    } else {
        // The user's own hooks need no approval.
        Some(Vec::new())
    };
    Some(PriorState {
        approved_files: approved,
        mutes: mutes_of_hook(workspace, before, id),
    })
}

/// The mutes of the hook with this id. Another process may have muted it after this one read the mutes. A broken file
/// mutes nothing, as everywhere.
pub(super) fn mutes_of_hook(workspace: &Workspace, before: &Snapshot, id: &str) -> Vec<Mute> {
    drop(workspace.mutes().reload());
    mutes_of(workspace, before, id)
}

/// Ends the mutes of a hook that is turned off. Nothing says so at the next event: the hook gets them back.
pub(super) fn end_mutes(mutes: &[Mute]) -> TransferUndo {
    TransferUndo {
        mutes: MovedMutes::to_hooks(mutes, &[]),
        ..TransferUndo::default()
    }
}

/// Mutes a hook that is turned on as it was muted when it was turned off.
pub(super) fn mute_again(workspace: &Workspace, mutes: &[Mute], hook: &str, after: &Snapshot) -> TransferUndo {
    let hooks: Vec<&Hook> = after.all().map(|hook| &**hook).filter(|it| it.id == hook).collect();
    TransferUndo {
        mutes: MovedMutes::to_restored_hooks(mutes, &hooks, &workspace.clock().read()),
        ..TransferUndo::default()
    }
}

/// The hooks of these files that are muted, and their mutes.
pub(super) fn muted_hooks<'s>(workspace: &Workspace, before: &'s Snapshot) -> Vec<(&'s Hook, Mute)> {
    drop(workspace.mutes().reload());
    let hooks = before.all().map(|hook| &**hook).filter(|hook| !hook.uid.is_empty());
    hooks
        .filter_map(|hook| Some((hook, workspace.muted(before, hook)?)))
        .collect()
}

/// The mutes of the hook with this id, one for each event that it serves.
fn mutes_of(workspace: &Workspace, snapshot: &Snapshot, id: &str) -> Vec<Mute> {
    let mine = snapshot.all().map(|hook| &**hook).filter(|hook| hook.id == id);
    mine.filter_map(|hook| workspace.muted(snapshot, hook)).collect()
}

/// Approves the edited hook if the former one was approved and each file was approved or written by this edit. What
/// mutes it, if the former one was muted, is returned.
pub(super) fn transfer(
    workspace: &Workspace,
    prior: &Option<PriorState>,
    hook: Option<&str>,
    work: &FileTransaction,
    after: &Snapshot,
) -> Result<TransferUndo, Message> {
    let (Some(prior), Some(id)) = (prior, hook) else {
        return Ok(TransferUndo::default());
    };
    let hooks: Vec<&Arc<Hook>> = after.all().filter(|hook| hook.id == id).collect();
    let (approvals, made) = match &prior.approved_files {
        Some(approved) => {
            let bound = hooks
                .iter()
                .map(|hook| bind_to_project(workspace, after, hook).unwrap_or_else(|| (*hook).clone()));
            let edited: Vec<_> = edited_contents(workspace, bound.collect(), approved, work).collect();
            replace_approvals(workspace, after, &edited)?
        }
        None => ReplacedApprovals::default(),
    };
    let muted: Vec<&Hook> = hooks.iter().map(|hook| &***hook).collect();
    Ok(TransferUndo {
        approvals,
        made,
        mutes: MovedMutes::to_hooks(&prior.mutes, &muted),
        ..TransferUndo::default()
    })
}

/// Like [`transfer`], for every hook of a file. A hook that is approved already keeps its approval.
pub(super) fn transfer_all(
    workspace: &Workspace,
    moves: &[HookMove],
    work: &FileTransaction,
    after: &Snapshot,
) -> Result<TransferUndo, Message> {
    let mut contents: Vec<(Arc<Hook>, Arc<HookContent>)> = Vec::new();
    let mut mutes = MovedMutes::default();
    for HookMove { prior, to } in moves {
        let hooks: Vec<&Arc<Hook>> = after.all().filter(|hook| hook.id == *to).collect();
        if let Some(approved) = &prior.approved_files {
            let bound = hooks
                .iter()
                .map(|hook| bind_to_project(workspace, after, hook).unwrap_or_else(|| (*hook).clone()));
            let edited = edited_contents(workspace, bound.collect(), approved, work);
            contents.extend(edited.filter(|(hook, content)| !workspace.trust.is_approved(hook, content)));
        }
        let muted: Vec<&Hook> = hooks.iter().map(|hook| &***hook).collect();
        mutes.extend(MovedMutes::to_hooks(&prior.mutes, &muted));
    }
    let (approvals, made) = replace_approvals(workspace, after, &contents)?;
    Ok(TransferUndo {
        approvals,
        made,
        mutes,
        ..TransferUndo::default()
    })
}

/// A user hook as a hook of the project, with the project files that it starts from the project's directory. `None`
/// if it starts none.
fn bind_to_project(workspace: &Workspace, snapshot: &Snapshot, hook: &Hook) -> Option<Arc<Hook>> {
    let project = &snapshot.project;
    workspace.trust.bind(hook, project, project).map(Arc::new)
}

/// Whether an approval of this hook is for this file, too.
pub(super) fn covers(workspace: &Workspace, snapshot: &Snapshot, hook: &Arc<Hook>, path: &Path) -> bool {
    let bound = bind_to_project(workspace, snapshot, hook);
    let hook = bound.as_ref().unwrap_or(hook);
    Trust::needs_approval(hook) && workspace.trust.content(hook).files.iter().any(|file| file.path == path)
}

/// What an edit made of an approved hook, as far as each file was approved or written by this edit.
fn edited_contents(
    workspace: &Workspace,
    hooks: Vec<Arc<Hook>>,
    approved: &[CoveredFile],
    work: &FileTransaction,
) -> impl Iterator<Item = (Arc<Hook>, Arc<HookContent>)> {
    let needing = hooks.into_iter().filter(|hook| Trust::needs_approval(hook));
    needing.filter_map(move |hook| {
        let content = workspace.trust.content(&hook);
        let known = |file: &CoveredFile| is_approved(file, approved, work);
        content.files.iter().all(known).then_some((hook, content))
    })
}

/// Approves these contents. Returns the approvals that this replaced, and the fingerprints of the new ones.
fn replace_approvals(
    workspace: &Workspace,
    after: &Snapshot,
    contents: &[(Arc<Hook>, Arc<HookContent>)],
) -> Result<ReplacedApprovals, Message> {
    if contents.is_empty() {
        return Ok(ReplacedApprovals::default());
    }
    let made = contents.iter().map(|(_, content)| content.fingerprint.clone());
    let former = workspace.trust.approvals();
    let approved: Vec<(&Hook, Arc<HookContent>)> = contents
        .iter()
        .map(|(hook, content)| (&**hook, content.clone()))
        .collect();
    workspace.approve(after, &approved)?;
    let now = workspace.trust.approvals();
    let replaced = former.hooks.iter().filter(|approval| !now.hooks.contains(approval));
    Ok((replaced.cloned().collect(), made.collect()))
}

/// Restores approvals after an edit was undone. One is restored only if the content is exactly the approved one again.
/// Returns what undoes this in turn, with the mutes that move back.
pub(super) fn restore(workspace: &Workspace, undo: &TransferUndo, after: &Snapshot) -> Result<TransferUndo, Message> {
    let mutes = undo.mutes.reversed();
    // The user may have revoked the approval since, also in another process. A broken file approves nothing.
    drop(workspace.trust.reload());
    let approved = workspace.trust.approvals();
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
            let content = workspace.trust.content(hook);
            if undo
                .approvals
                .iter()
                .any(|approval| approval.fingerprint == content.fingerprint)
            {
                contents.push((hook.clone(), content));
            }
        }
    }
    let (approvals, made) = replace_approvals(workspace, after, &contents)?;
    Ok(TransferUndo {
        approvals,
        made,
        mutes,
        ..TransferUndo::default()
    })
}

/// Whether a file was approved with this content, or was written by this edit.
fn is_approved(file: &CoveredFile, approved: &[CoveredFile], work: &FileTransaction) -> bool {
    let wrote = |planned: &PlannedFile| {
        let content = planned.after.as_ref();
        let hash = content.map(|content| blake3::hash(&content.bytes).to_hex().to_string());
        let same = dunce::canonicalize(&planned.path).is_ok_and(|real| real == file.path);
        same && hash.as_deref() == Some(&file.hash)
    };
    approved.contains(file) || work.files.iter().any(wrote)
}
