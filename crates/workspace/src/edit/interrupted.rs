//! What an interrupted `connect` or `disconnect` left: parts of the relay's hooks, and empty folders.
//!
//! How it works: such an edit is still pending in the [`EditStore`]. A hook that is a folder consists of several files. If
//! only some of them are there, no agent reads a whole hook, so they are removed. Whole hooks stay, and the command that
//! runs now shows what it does with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{Message, Notice, render};

use super::edit_openers::EditOpeners;
use super::refusal::WriteMode;
use super::store::{EditState, EditStore, StoredEdit};
use super::user_files::{self, FileTransaction, PlannedFile, PlannedFolder};
use crate::files::Opener;
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// Leftovers of an interrupted edit were removed.
    REMOVED = "connect_interrupted" { "an earlier edit of {target} was interrupted; the parts of relay hooks that it left were removed", "之前对 {target} 的编辑中断，已移除其留下的不完整中继 Hook" };
}

/// Removes the parts of relay hooks that interrupted edits of a dialect left. A dry run leaves them.
///
/// # Errors
/// The files cannot be written, or another process has the lock.
pub(super) fn complete(workspace: &Workspace, dialect: &str, mode: WriteMode) -> Result<Option<Notice>, Message> {
    let edit_store = EditStore::new(&workspace.env.data_dir);
    let interrupted = || {
        let is_ours = |stored: &StoredEdit| {
            let record = &stored.record;
            let is_relay = record.connects || record.removes_relay();
            stored.state == EditState::Pending && record.dialect == dialect && is_relay
        };
        edit_store.all().into_iter().filter(is_ours).collect::<Vec<_>>()
    };
    if mode == WriteMode::DryRun || interrupted().is_empty() {
        return Ok(None);
    }
    let lock = user_files::lock(&workspace.env.data_dir)?;
    if !lock.is_held() {
        return Ok(None);
    }
    edit_store.resolve_pending();
    let mut has_removed = false;
    for stored in interrupted() {
        let work = partial_hooks(&edit_store, &stored)?;
        user_files::write(&lock, &EditOpeners::default(), &work, || Ok(())).map_err(|failure| failure.message)?;
        has_removed |= !work.is_empty();
    }
    edit_store.resolve_pending();
    let removed = || Notice::warning(render!(REMOVED, "target" => dialect), None);
    Ok(has_removed.then(removed))
}

/// The removal of the files of hooks that are there in part, and of the folders that are empty then.
fn partial_hooks(edit_store: &EditStore, stored: &StoredEdit) -> Result<FileTransaction, Message> {
    let rows = &stored.record.files;
    let trash = edit_store.trash(&stored.record.edit);
    // Per hook: the files that are there as this edit adds or removes them, and how many the hook has.
    let mut hooks: BTreeMap<&Path, (Vec<PlannedFile>, usize)> = BTreeMap::new();
    let mut work = FileTransaction::default();
    for row in rows {
        let before = user_files::read_content(&Opener::user(), &row.path)?;
        let hash = before.as_ref().map(user_files::FileContent::hash);
        let own = match (&row.before, &row.after) {
            (None, Some(after)) => Some(after),
            (Some(before), None) => Some(&before.hash),
            // This is a file of the user, which is written at once.
            (Some(_), Some(_)) | (None, None) => continue,
        };
        let hook = hooks
            .entry(hook_folder(&row.path, rows.iter().map(|row| row.path.as_path())))
            .or_default();
        hook.1 += 1;
        if hash.as_ref() == own {
            hook.0.push(PlannedFile {
                path: row.path.clone(),
                before,
                after: None,
            });
        }
        let place = row.before.as_ref().and_then(|before| before.trash.as_ref());
        work.trash
            .extend(place.map(|place| (row.path.clone(), trash.join(place))));
    }
    let partial = hooks.into_values().filter(|(files, count)| files.len() < *count);
    work.files = partial.flat_map(|(files, _)| files).collect();
    let mut folders: Vec<PathBuf> = Vec::new();
    folders.extend(
        stored
            .record
            .made
            .iter()
            .chain(&stored.record.gone)
            .map(|folder| folder.path.clone()),
    );
    // Inner folders come first.
    folders.sort_by(|one, other| other.cmp(one));
    work.removed_folders = folders
        .iter()
        .filter_map(|path| PlannedFolder::from_disk(path).ok())
        .collect();
    Ok(work)
}

/// The folder of the hook that a file belongs to: the outermost one that directly contains a file of the edit.
fn hook_folder<'p>(path: &'p Path, all: impl Iterator<Item = &'p Path>) -> &'p Path {
    let folders = all.filter_map(Path::parent).filter(|folder| path.starts_with(folder));
    folders.min_by_key(|folder| folder.components().count()).unwrap_or(path)
}
