//! Applying an edit: what was there is kept, the files are written, approval and mute go along. All of it happens, or nothing.

use hookwright_model::{Notice, args};

use super::approval_transfer::TransferUndo;
use super::store::{EditKind, EditRecord, EditStore};
use super::user_files::{self, FileTransaction};
use crate::App;
use crate::fault::Fault;
use crate::library::Snapshot;
use crate::open_project::OpenProject;

hookwright_model::messages! {
    /// An edit that is not kept.
    NOT_UNDOABLE = "edit_not_kept" { "this edit cannot be undone: {why}", "此编辑无法撤销：{why}" };
    /// What goes along did not, and neither did the file go back.
    HALF_DONE = "edit_half_done" { "{path} is changed, but {why}; and it could not be put back: {then}", "{path} 已更改，但{why}；且无法恢复：{then}" } hint { "look at the file", "请查看该文件" };
}

/// An edit that is done.
#[derive(Debug)]
pub(super) struct AppliedEdit {
    /// Its id; `None` when it could not be kept.
    pub edit: Option<String>,
    /// Where the files are that it took away.
    pub trashed: Option<String>,
    /// What a person should know of it.
    pub notices: Vec<Notice>,
}

impl App {
    /// Writes files, and keeps what they were. `carry` takes along what goes with them.
    pub(super) fn apply(
        &self,
        open_project: &OpenProject,
        work: &mut FileTransaction,
        record: EditRecord,
        transfer: impl FnOnce(&Snapshot, &FileTransaction) -> Result<TransferUndo, Fault>,
    ) -> Result<AppliedEdit, Fault> {
        let edits = self.edit_store();
        let lock = user_files::lock(&self.env.data_dir)?;
        let path = record.path.display().to_string();
        let takes_away = matches!(record.what, EditKind::Remove | EditKind::Undo)
            && work.files.iter().any(|file| file.after.is_none() && file.changes());
        let mut notices = Vec::new();
        let pending = match edits.begin(record, work) {
            Ok(pending) => Some(pending),
            // Without a copy nothing of a person is taken away.
            Err(error) if takes_away => return Err(error.into()),
            Err(error) => {
                // Not with the hint that belongs to it alone: the file of the person is changed.
                notices.push(not_undoable_notice(&error.message().text));
                None
            }
        };
        let discard_pending = |fault: Fault| {
            if pending.is_some() {
                edits.resolve_pending();
            }
            fault
        };
        let written = user_files::write(&lock, work).map_err(discard_pending)?;
        notices.extend(written.notices);
        open_project.refresh();
        let transfer_undo = match transfer(&open_project.snapshot(), work) {
            Ok(carried) => carried,
            Err(fault) => {
                let back = user_files::write(&lock, &written.inverse);
                open_project.refresh();
                return Err(discard_pending(match back {
                    Ok(_) => fault,
                    Err(then) => {
                        let args = args! { "path" => path, "why" => fault.message, "then" => then.message };
                        HALF_DONE.render(args).into()
                    }
                }));
            }
        };
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
        edits.prune(self.now());
        let trash = (!work.trash.is_empty()).then(|| pending.trash.display().to_string());
        Ok(AppliedEdit {
            edit: Some(pending.id.clone()),
            trashed: trash,
            notices,
        })
    }

    /// The kept edits.
    pub(super) fn edit_store(&self) -> EditStore {
        EditStore::new(&self.env.data_dir)
    }
}

fn not_undoable_notice(why: &str) -> Notice {
    Notice::warning(NOT_UNDOABLE.render(args! { "why" => why }), None)
}
