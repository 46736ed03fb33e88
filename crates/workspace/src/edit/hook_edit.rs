//! Edits of one hook, as the user requests them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::{find_dialect, find_event};
use hookwright_dialects::session_hooks;
use hookwright_model::{EditDoc, EditKind, EditRequest, Former, Hook, Message, Notice, Severity, TurnedTo, render};

use super::approval_transfer::{self, PriorState};
use super::commit::CheckedEdit;
use super::messages::{IN_BROKEN, NO_FILE, UNREVIEWED};
use super::notices;
use super::refusal::{EditRefusal, WriteMode};
use super::store::{EditRecord, EditStore, Turning};
use super::turned_off_store::StoredHook;
use super::user_files::FileTransaction;
use crate::files::Opener;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::trust::Trust;
use crate::workspace::Workspace;

/// What a removal is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// What the request says.
    Edit,
    /// The hook is turned off: its definition is kept.
    TurnOff,
}

/// Performs an edit of a hook's file that the user requested. `dialect` is the dialect of a new hook.
///
/// # Errors
/// The reason why the edit is refused. No file was changed then.
pub fn perform(
    workspace: &Workspace,
    project: &Path,
    dialect: Option<&str>,
    request: &EditRequest,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    perform_for(workspace, project, dialect, request, mode, Purpose::Edit)
}

/// Performs an edit for a purpose.
///
/// # Errors
/// The reason why the edit is refused. No file was changed then.
pub(super) fn perform_for(
    workspace: &Workspace,
    project: &Path,
    dialect: Option<&str>,
    request: &EditRequest,
    mode: WriteMode,
    purpose: Purpose,
) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let before = open_project.snapshot();
    let dialect = match request {
        EditRequest::Add { event, .. } => dialect_of_new(dialect.unwrap_or_default(), event)?,
        EditRequest::Change { hook, .. } | EditRequest::Remove { hook } => dialect_of(&before, hook)?,
    };
    let edit_store = EditStore::new(&workspace.env.data_dir);
    let former = former_states(&edit_store, &before, request);
    let mut edit = CheckedEdit::of_request(workspace, &before, dialect, request, &former)?;
    let removed = &mut edit.transaction.removed_folders;
    let folders: Vec<PathBuf> = removed.iter().map(|folder| folder.path.clone()).collect();
    if let EditRequest::Remove { .. } = request {
        let created = edit_store.created_folders_near(&edit.transaction);
        edit.transaction.removed_folders.extend(created);
    }
    edit.refuse_error()?;
    let prior = approval_transfer::prior_state(workspace, &before, request);
    let runs_unreviewed = edit.hooks().next().is_some_and(|hook| !Trust::needs_approval(hook));
    if runs_unreviewed {
        check_reviewed(&before, &prior, request)?;
    }
    let (what, hook, label) = match request {
        EditRequest::Add { .. } => (EditKind::Add, edit.doc.hook.clone(), None),
        EditRequest::Change { hook, .. } => (EditKind::Edit, Some(hook.clone()), before.hook(hook)),
        EditRequest::Remove { hook } => (EditKind::Remove, Some(hook.clone()), before.hook(hook)),
    };
    let label = label.or_else(|| edit.hooks().next()).map(|hook| hook.label.clone());
    let kept = match request {
        EditRequest::Remove { hook } if purpose == Purpose::TurnOff && mode == WriteMode::Now => {
            let mutes = approval_transfer::mutes_of_hook(workspace, &before, hook);
            let keep = |hook: &Arc<Hook>| StoredHook::new(workspace, &before, hook, &edit.transaction, mutes);
            before.hook(hook).map(keep)
        }
        EditRequest::Remove { .. } | EditRequest::Add { .. } | EditRequest::Change { .. } => None,
    };
    let record = EditRecord {
        hook,
        label,
        turning: kept.as_ref().map(|kept| Turning {
            id: kept.id.clone(),
            to: TurnedTo::Off,
        }),
        ..edit.record(workspace, &open_project, what, dialect)
    };
    let to = edit.doc.hook.clone();
    let transfer = |after: &Snapshot, work: &FileTransaction| match &kept {
        Some(kept) => Ok(approval_transfer::end_mutes(&kept.mutes)),
        None => approval_transfer::transfer(workspace, &prior, to.as_deref(), work, after),
    };
    let mut doc = edit.write(workspace, &open_project, mode, record, kept.as_ref(), transfer)?;
    if !doc.written {
        if what == EditKind::Remove && purpose == Purpose::Edit {
            doc.notices
                .extend(notices::trashed(&edit.transaction, &folders, &edit_store.trash("")));
        }
        if prior.is_none() && !runs_unreviewed {
            doc.notices.extend(notices::unapproved(&doc));
        }
        return Ok(doc);
    }
    match kept {
        Some(kept) => {
            doc.notices.push(notices::kept(&kept.id));
            doc.turned_off = Some(kept.id);
        }
        None => {
            let trash = doc.trashed.as_ref().map(Path::new);
            doc.notices.extend(
                trash
                    .into_iter()
                    .flat_map(|trash| notices::trashed(&edit.transaction, &folders, trash)),
            );
        }
    }
    doc.notices
        .extend(lost_approval_notice(workspace, &open_project.snapshot(), &prior, &doc));
    Ok(doc)
}

/// What was in the place of a hook that is removed, as far as the edit store knows.
fn former_states(edit_store: &EditStore, before: &Snapshot, request: &EditRequest) -> Former {
    match request {
        EditRequest::Remove { hook } => before
            .hook(hook)
            .map(|found| {
                let opener = Opener::of_project(found.source.project.as_deref());
                edit_store.past_states(hook, &found.source.path, &opener)
            })
            .unwrap_or_default(),
        EditRequest::Add { .. } | EditRequest::Change { .. } => Former::new(),
    }
}

/// Checks that a hook which runs without an approval after the edit is none that needed one and had none.
fn check_reviewed(before: &Snapshot, prior: &Option<PriorState>, request: &EditRequest) -> Result<(), Message> {
    match request {
        EditRequest::Change { hook, .. }
            if before.hook(hook).is_some_and(|hook| Trust::needs_approval(hook))
                && prior.as_ref().is_some_and(PriorState::is_unreviewed) =>
        {
            Err(render!(UNREVIEWED, "hook" => hook))
        }
        EditRequest::Add { .. } | EditRequest::Change { .. } | EditRequest::Remove { .. } => Ok(()),
    }
}

/// A notice if the edited hook is no longer approved.
fn lost_approval_notice(
    workspace: &Workspace,
    after: &Snapshot,
    prior: &Option<PriorState>,
    doc: &EditDoc,
) -> Option<Notice> {
    let after_edit = after.hook(doc.hook.as_ref()?)?;
    let dropped = workspace.trust.check_gate(after_edit).is_err() && prior.as_ref().is_none_or(PriorState::is_approved);
    dropped.then(|| notices::unapproved(doc)).flatten()
}

/// The dialect of a hook.
///
/// # Errors
/// The hook is unknown, or in no file.
pub(super) fn dialect_of(before: &Snapshot, hook: &str) -> Result<&'static str, Message> {
    if let Some(found) = before.hook(hook) {
        return Ok(found.dialect);
    }
    if session_hooks::is_session_id(hook) {
        return Err(render!(NO_FILE, "hook" => hook));
    }
    Err(in_broken_file(before, hook).unwrap_or_else(|| before.unknown_hook(hook)))
}

/// The dialect of a new hook. The event may also be one that only the agent fires: then the file contains the hook for
/// the agent.
pub(super) fn dialect_of_new(dialect: &str, event: &str) -> Result<&'static str, Message> {
    let card = find_dialect(dialect)?.card();
    if card.unfired.contains(&event) {
        return Ok(card.id);
    }
    Ok(find_event(dialect, event)?.0.card().id)
}

/// Why a hook may be unknown: a file of its dialect and layer does not parse.
fn in_broken_file(before: &Snapshot, hook: &str) -> Option<Message> {
    let mine = |source: &&LoadedSource| hook.starts_with(&source.root.layer.id_prefix(source.dialect));
    let mut problems = before.sources.iter().filter(mine).flat_map(|source| {
        source
            .problems
            .iter()
            .filter(|problem| source.broken.contains(&problem.path))
    });
    let problem = problems.find(|problem| problem.severity == Severity::Error)?;
    let message = render!(
        IN_BROKEN,
        "hook" => hook, "path" => problem.path.display().to_string(), "line" => problem.line.unwrap_or(1),
        "why" => problem.message
    );
    Some(message)
}
