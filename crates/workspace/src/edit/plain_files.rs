//! Writing files that define no hook, as one recorded edit. No approval moves.

use std::path::Path;

use hookwright_model::{EditDoc, EditKind, Message};

use super::store::EditRecord;
use super::user_files::FileTransaction;
use super::{WriteMode, apply, approval_transfer, diff};
use crate::project::OpenProject;
use crate::workspace::Workspace;

/// Writes the files of a transaction. `path` names the edit in the list of edits.
///
/// # Errors
/// A file cannot be written. No file was changed then.
pub(super) fn write(
    workspace: &Workspace,
    open_project: &OpenProject,
    dialect: &'static str,
    (path, mut work): (&Path, FileTransaction),
    mode: WriteMode,
) -> Result<EditDoc, Message> {
    let mut doc = EditDoc::unwritten(path, diff::for_transaction(&work));
    if mode == WriteMode::DryRun || work.is_empty() {
        return Ok(doc);
    }
    let record = EditRecord {
        in_project: true,
        script: true,
        ..EditRecord::new(workspace.now(), EditKind::Save, dialect, &open_project.project, path)
    };
    let done = apply::apply(workspace, open_project, &mut work, record, |after, work| {
        approval_transfer::transfer_all(workspace, &[], work, after)
    })?;
    doc.written = true;
    doc.notices.extend(done.notices);
    (doc.edit, doc.undo) = (done.edit.clone(), done.edit);
    Ok(doc)
}
