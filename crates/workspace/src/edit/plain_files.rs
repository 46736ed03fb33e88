//! Writing files that define no hook, as one recorded edit. No approval moves.

use std::path::Path;

use hookwright_model::{EditDoc, EditKind, Message};

use super::approval_transfer::TransferUndo;
use super::commit::CheckedEdit;
use super::refusal::{EditRefusal, WriteMode};
use super::store::EditRecord;
use super::user_files::FileTransaction;
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
    (path, work): (&Path, FileTransaction),
    mode: WriteMode,
) -> Result<EditDoc, Message> {
    let mut edit = CheckedEdit::of_files(path, work);
    let record = EditRecord {
        in_project: true,
        script: true,
        ..edit.record(workspace, open_project, EditKind::Save, dialect)
    };
    let done = edit.write(workspace, open_project, mode, record, None, |_, _| {
        Ok(TransferUndo::default())
    });
    done.map_err(EditRefusal::message)
}
