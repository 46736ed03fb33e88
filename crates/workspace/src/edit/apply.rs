//! Applying an edit: the former content is stored, the files are written, approval and mute are moved. Either all of
//! this is done, or nothing.

use std::collections::HashSet;
use std::path::Path;

use hookwright_model::{EditKind, Hook, Message, Notice, TurnedTo, args, render};

use super::approval_transfer::{self, TransferUndo};
use super::edit_openers::EditOpeners;
use super::hook_pairs;
use super::store::{EditRecord, EditStore};
use super::turned_off_store::{self, StoredHook, TurnedOffStore};
use super::user_files::{self, EditLock, FileTransaction, WriteFailure};
use crate::data_files::age_clock;
use crate::discovery;
use crate::identities::IdentityFile;
use crate::mutes::Mute;
use crate::project::OpenProject;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// The edit could not be stored, so it cannot be undone.
    NOT_UNDOABLE = "edit_not_kept" { "this edit cannot be undone: {why}", "此编辑无法撤销：{why}" };
    /// The file was changed, but approval or mute could not be moved, and the file could not be restored.
    HALF_DONE = "edit_half_done" { "{path} is changed, but {why}; restoring it failed too: {then}", "{path} 已更改，但{why}；恢复也失败：{then}" } hint { "check the file", "检查该文件" };
}

/// The result of an edit that is done.
#[derive(Debug)]
pub(super) struct AppliedEdit {
    /// The id of the stored edit; `None` if it could not be stored.
    pub edit: Option<String>,
    /// The folder in the trash with the files that the edit removed.
    pub trashed: Option<String>,
    /// Warnings about the edit for the user.
    pub notices: Vec<Notice>,
}

/// Writes files and stores their former content. `planned` are the files as they will be; it may have fewer roots than
/// the project. `kept` is what is kept of a hook that is turned off; it is stored before its file is changed. `transfer`
/// moves approval and mute to the edited hook.
pub(super) fn apply(
    workspace: &Workspace,
    open_project: &OpenProject,
    (work, planned): (&mut FileTransaction, &Snapshot),
    (record, kept): (EditRecord, Option<&StoredHook>),
    transfer: impl FnOnce(&Snapshot, &FileTransaction) -> Result<TransferUndo, Message>,
) -> Result<AppliedEdit, Message> {
    let store = TurnedOffStore::new(&workspace.env.data_dir);
    let lock = user_files::lock(&workspace.env.data_dir)?;
    // Before this, another program may have changed a file. A refused edit leaves nothing in the data folder.
    user_files::check_all_unchanged(&lock, &EditOpeners::of_open_project(open_project), work)?;
    turned_off_store::end_restored(&store, &open_project.snapshot());
    let turning = record.turning.clone();
    match (&turning, kept) {
        (_, Some(kept)) => store.write(kept)?,
        (Some(turning), None) if turning.to == TurnedTo::Off => store.revive(&turning.id)?,
        (Some(_) | None, None) => {}
    }
    let result = apply_locked(workspace, open_project, (&lock, work, planned), record, transfer);
    if let Some(turning) = turning {
        let is_on = match (turning.to, &result) {
            (TurnedTo::On, result) => result.is_ok(),
            (TurnedTo::Off, Ok(_)) => false,
            (TurnedTo::Off, Err(failure)) => {
                failure.is_undone || store.find(&turning.id).is_ok_and(|stored| stored.is_as_before())
            }
        };
        if is_on {
            store.end(&turning.id);
        }
    }
    store.prune(|| EditStore::new(&workspace.env.data_dir).turned_ids());
    result.map_err(|failure| failure.message)
}

fn apply_locked(
    workspace: &Workspace,
    open_project: &OpenProject,
    (lock, work, planned): (&EditLock, &mut FileTransaction, &Snapshot),
    record: EditRecord,
    transfer: impl FnOnce(&Snapshot, &FileTransaction) -> Result<TransferUndo, Message>,
) -> Result<AppliedEdit, WriteFailure> {
    let edits = EditStore::new(&workspace.env.data_dir);
    let path = record.path.display().to_string();
    let takes_away = matches!(record.what, EditKind::Remove | EditKind::Undo)
        && work.files.iter().any(|file| file.after.is_none() && file.changes());
    let mut notices = Vec::new();
    let pending = match edits.begin(record, work) {
        Ok(pending) => Some(pending),
        // A user file is never removed without a stored copy.
        Err(error) if takes_away => return Err(error.into()),
        Err(error) => {
            // The hint of this error is left out: its text `nothing was changed` is wrong here, because the user
            // file is changed.
            notices.push(not_undoable_notice(&error.message().text));
            None
        }
    };
    let discard_undone = |failure: WriteFailure| {
        if let (Some(pending), true) = (&pending, failure.is_undone) {
            edits.remove(&pending.id);
        }
        failure
    };
    let mark = || pending.as_ref().map_or(Ok(()), |pending| edits.mark_pending(pending));
    let openers = EditOpeners::of_open_project(open_project);
    let written = user_files::write(lock, &openers, work, mark).map_err(discard_undone)?;
    notices.extend(written.notices);
    let before = open_project.snapshot();
    let muted = approval_transfer::muted_hooks(workspace, &before);
    open_project.refresh_to(planned);
    let moved = transfer(&open_project.snapshot(), work)
        .and_then(|carried| move_mutes(workspace, &muted, &open_project.snapshot(), carried));
    let mut transfer_undo = match moved {
        Ok(carried) => carried,
        Err(message) => {
            let back = user_files::write(lock, &openers, &written.inverse, || Ok(()));
            open_project.refresh();
            return Err(discard_undone(match back {
                Ok(_) => message.into(),
                Err(then) => {
                    let args = args! { "path" => path, "why" => message.text, "then" => then.message.text };
                    WriteFailure {
                        message: HALF_DONE.render(args),
                        is_undone: false,
                    }
                }
            }));
        }
    };
    let after = open_project.snapshot();
    transfer_undo.uids = hook_pairs::uids_of_equals(&before, work);
    accept_removed(workspace, (&before, &after), work);
    discovery::keep_written(&workspace.env.data_dir, &after, |path| {
        work.files.iter().any(|file| file.path == path && file.changes())
    });
    let Some(pending) = &pending else {
        return Ok(AppliedEdit {
            edit: None,
            trashed: None,
            notices,
        });
    };
    notices.extend(
        edits
            .finish(pending, &transfer_undo)
            .err()
            .map(|error| not_undoable_notice(&error.to_string())),
    );
    let ages = workspace.clock().ages();
    notices.extend(age_clock::jump_message(ages).map(|message| Notice::warning(message, None)));
    edits.prune(ages);
    let trash = (!work.trash.is_empty()).then(|| pending.trash.display().to_string());
    Ok(AppliedEdit {
        edit: Some(pending.id.clone()),
        trashed: trash,
        notices,
    })
}

/// Moves the mutes of the edited hook, and those of hooks that have another place now. Returns what the undo needs.
fn move_mutes(
    workspace: &Workspace,
    muted: &[(&Hook, Mute)],
    after: &Snapshot,
    carried: TransferUndo,
) -> Result<TransferUndo, Message> {
    let (moves, mutes) = carried.mutes.with_others(muted, after.all().map(|hook| &**hook));
    workspace.mutes().apply_moves(&moves)?;
    Ok(TransferUndo { mutes, ..carried })
}

/// Remembers that the user removed the hooks that these files defined before and no file defines now.
fn accept_removed(workspace: &Workspace, (before, after): (&Snapshot, &Snapshot), work: &FileTransaction) {
    let is_written = |path: &Path| work.files.iter().any(|file| file.path == path);
    let left: HashSet<&str> = after.all().map(|hook| hook.uid.as_str()).collect();
    let removed = before
        .all()
        .filter(|hook| !hook.uid.is_empty() && is_written(&hook.source.path) && !left.contains(hook.uid.as_str()));
    let removed: Vec<String> = removed.map(|hook| hook.uid.clone()).collect();
    if removed.is_empty() {
        return;
    }
    let accepted = IdentityFile::new(&workspace.env.data_dir).accept(&removed, workspace.clock());
    if let Err(error) = accepted {
        tracing::warn!(%error, "hooks that were removed stay listed as gone");
    }
}

fn not_undoable_notice(why: &str) -> Notice {
    Notice::warning(render!(NOT_UNDOABLE, "why" => why), None)
}
