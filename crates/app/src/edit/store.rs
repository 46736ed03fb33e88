//! Stored edits: what files were before each of them (`CONTRACTS.md` §5, `edits/` and `trash/`).
//!
//! How it works: one file an edit, `edits/<id>`: a line of JSON ([`EditRecord`]), the former bytes of every file that
//! `trash/<id>/` does not have, and a line with the approvals and mutes that went along. Until the edit is done its name is
//! `<id>.pending`; one that was broken off keeps that name, and can be undone like any other. Who writes holds the lock of
//! the writer of people's files.

mod record;
mod undo_index;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hookwright_model::{Former, Past};
use jiff::{SignedDuration, Timestamp};
use ulid::Ulid;

pub use record::EditKind;
pub(super) use record::{EditRecord, EditState, StoredEdit};
pub(super) use undo_index::UndoIndex;

use super::approval_transfer::TransferUndo;
use super::trash;
use super::user_files::{self, FileContent, FileTransaction, PlannedFolder};
use crate::locked_file::{self, LockedFileError};
use crate::temp_files;

/// Edits are kept this long.
const RETENTION_DAYS: i64 = 30;
/// What all kept edits and the trash may have together.
const MAX_BYTES: u64 = 64 << 20;
/// A file takes at least this much of a disk.
const BLOCK_BYTES: u64 = 4096;
/// States of a file that a removal looks back at.
const MAX_STATES: usize = 100;
const PENDING_SUFFIX: &str = "pending";

/// The kept edits of a data folder.
#[derive(Debug)]
pub(super) struct EditStore {
    folder: PathBuf,
    trash: PathBuf,
}

/// An edit that is written down and not done.
#[derive(Debug)]
pub(super) struct PendingEdit {
    /// Its id.
    pub id: String,
    /// Where files go that it takes away.
    pub trash: PathBuf,
    path: PathBuf,
}

impl EditStore {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join("edits"),
            trash: data_dir.join("trash"),
        }
    }

    /// Where files go that an edit takes away.
    pub fn trash(&self, edit: &str) -> PathBuf {
        self.trash.join(edit)
    }

    /// Writes an edit down before it is done, and says where in the trash its files go.
    ///
    /// # Errors
    /// Our folder cannot be written; nothing is.
    pub fn begin(&self, mut record: EditRecord, work: &mut FileTransaction) -> Result<PendingEdit, LockedFileError> {
        self.resolve_pending();
        record.edit = self.next_id();
        let trash = self.trash(&record.edit);
        if matches!(record.what, EditKind::Remove | EditKind::Undo) {
            let is_removed = |file: &user_files::PlannedFile| file.after.is_none() && file.changes();
            let removed: Vec<&Path> = work
                .files
                .iter()
                .filter(|file| is_removed(file))
                .map(|file| file.path.as_path())
                .collect();
            work.trash = removed
                .iter()
                .map(|path| ((*path).to_owned(), trash::trash_path(&trash, path, &removed)))
                .collect();
        }
        let path = self.folder.join(&record.edit).with_extension(PENDING_SUFFIX);
        let bytes = record.fill(work, &trash).and_then(|bytes| match bytes.len() as u64 {
            length if length > MAX_BYTES => Err(io::Error::other(format!("it has more than {} MiB", MAX_BYTES >> 20))),
            _ => Ok(bytes),
        });
        let unwritable = |source| LockedFileError::Unwritable {
            path: path.clone(),
            source,
        };
        let bytes = bytes.map_err(unwritable)?;
        locked_file::atomic_write(&path, &bytes, locked_file::PRIVATE_FILE_MODE)?;
        Ok(PendingEdit {
            id: record.edit,
            trash,
            path,
        })
    }

    /// Writes down that an edit is done, with what went along.
    ///
    /// # Errors
    /// The system's words; it is kept as one that was broken off.
    pub fn finish(&self, pending: &PendingEdit, transfer_undo: &TransferUndo) -> io::Result<()> {
        let mut line = serde_json::to_vec(transfer_undo)?;
        line.push(b'\n');
        let mut file = OpenOptions::new().append(true).open(&pending.path)?;
        file.write_all(&line)?;
        file.sync_all()?;
        std::fs::rename(&pending.path, pending.path.with_extension(""))?;
        File::open(&self.folder).and_then(|folder| folder.sync_all())
    }

    /// Forgets edits that were pending and changed nothing, and takes those for done that changed everything.
    pub fn resolve_pending(&self) {
        let names = self.files_by_id();
        let pending = names.values().filter(|path| path.extension().is_some());
        for kept in pending.filter_map(|path| StoredEdit::read(path).ok()) {
            let (before, after) = kept.compare_with_disk();
            if before {
                self.remove(&kept.record.edit);
            } else if after {
                // What cannot be renamed stays broken off, and can be undone all the same.
                let _ = std::fs::rename(&kept.path, kept.path.with_extension(""));
            }
        }
    }

    /// All kept edits, the latest first; what cannot be read is none, and [`Self::damaged`] tells of it.
    pub fn all(&self) -> Vec<StoredEdit> {
        let mut all: Vec<StoredEdit> = self
            .files_by_id()
            .values()
            .rev()
            .filter_map(|path| StoredEdit::read(path).ok())
            .collect();
        all.sort_by(|one, other| other.record.edit.cmp(&one.record.edit));
        all
    }

    /// The files of kept edits that cannot be read, the latest first, and why.
    pub fn damaged(&self) -> Vec<(PathBuf, io::Error)> {
        let names = self.files_by_id();
        let read = names.values().rev();
        let damaged = read.filter_map(|path| Some((path.clone(), StoredEdit::read(path).err()?)));
        // Another process may have forgotten one just now.
        damaged
            .filter(|(_, why)| why.kind() != io::ErrorKind::NotFound)
            .collect()
    }

    /// The files of kept edits by their ids.
    fn files_by_id(&self) -> BTreeMap<Ulid, PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named = |path: PathBuf| Some((Ulid::from_string(path.file_stem()?.to_str()?).ok()?, path));
        entries.filter_map(|entry| named(entry.path())).collect()
    }

    /// Ids are in the order of the edits, whatever the clock says.
    fn next_id(&self) -> String {
        let new = Ulid::generate();
        let last = self.files_by_id().keys().next_back().copied();
        let id = last.filter(|last| *last >= new).and_then(|last| last.increment().ok());
        id.unwrap_or(new).to_string()
    }

    /// What the file of a hook that goes was before edits of ours, as long as only those changed it.
    pub fn past_states(&self, hook: &str, path: &Path) -> Former {
        let all = self.all();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).ok()?;
            Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        };
        let mut past = Past::default();
        let mut now = match user_files::read_content(path) {
            Ok(content) => record::hash_of(content.as_ref()),
            Err(_) => return Former::new(),
        };
        for stored in &all {
            let Some(index) = stored.record.files.iter().position(|file| file.path == path) else {
                continue;
            };
            let row = &stored.record.files[index];
            if row.after != now || stored.state == EditState::Pending || past.states.len() >= MAX_STATES {
                break;
            }
            let state = match &row.before {
                Some(_) => match self.content(stored, index).and_then(|content| text(content.bytes)) {
                    Some(text) => Some(text),
                    None => break,
                },
                None => None,
            };
            let is_hook = stored.record.hook.as_deref() == Some(hook);
            past.just_added |= past.states.is_empty() && stored.record.what == EditKind::Add && is_hook;
            now = row.before.as_ref().map(|was| was.hash.clone());
            past.states.push(state);
        }
        Former::from([(path.to_owned(), past)])
    }

    /// The folders that kept edits made around these files, inner ones first.
    pub fn created_folders_near(&self, work: &FileTransaction) -> Vec<PlannedFolder> {
        let folders_above: BTreeSet<&Path> = work
            .files
            .iter()
            .filter(|file| file.after.is_none())
            .flat_map(|file| file.path.ancestors().skip(1))
            .collect();
        if folders_above.is_empty() {
            return Vec::new();
        }
        let made = self.all().into_iter().flat_map(|kept| kept.record.made);
        let near = made.filter(|folder| folders_above.contains(folder.path.as_path()));
        let mut found: Vec<PlannedFolder> = near
            .filter_map(|folder| PlannedFolder::from_disk(&folder.path).ok())
            .collect();
        found.sort_by(|one, other| other.path.cmp(&one.path));
        found.dedup_by(|one, other| one.path == other.path);
        found
    }

    /// What a file was before a kept edit; `None` when its copy is gone or damaged.
    pub fn content(&self, edit: &StoredEdit, index: usize) -> Option<FileContent> {
        edit.content(index, &self.trash(&edit.record.edit))
    }

    /// Forgets an edit, with its files in the trash.
    pub fn remove(&self, edit: &str) {
        self.empty_trash(edit);
        for path in [
            self.folder.join(edit),
            self.folder.join(edit).with_extension(PENDING_SUFFIX),
        ] {
            // One that cannot be removed is tried again at the next edit.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Removes an edit's files from the trash.
    pub fn empty_trash(&self, edit: &str) {
        let _ = std::fs::remove_dir_all(self.trash(edit));
    }

    /// Forgets what is too old, and of the rest the oldest beyond the limit; the latest edit stays.
    pub fn prune(&self, now: Timestamp) {
        let oldest = now
            .saturating_sub(SignedDuration::from_hours(24 * RETENTION_DAYS))
            .unwrap_or(now)
            .as_millisecond();
        let names = self.files_by_id();
        let mut bytes = 0;
        for (index, (id, path)) in names.iter().rev().enumerate() {
            let trash = self.trash(&id.to_string());
            bytes += disk_usage(path) + disk_usage(&trash);
            let old = i64::try_from(id.timestamp_ms()).is_ok_and(|at| at < oldest);
            if index > 0 && (old || bytes > MAX_BYTES) {
                self.remove(&id.to_string());
            }
        }
        temp_files::remove_all(&self.folder);
    }
}

/// What a file or folder takes of a disk.
fn disk_usage(path: &Path) -> u64 {
    let Ok(meta) = path.symlink_metadata() else { return 0 };
    if !meta.is_dir() {
        return meta.len().div_ceil(BLOCK_BYTES) * BLOCK_BYTES;
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    BLOCK_BYTES + entries.map(|entry| disk_usage(&entry.path())).sum::<u64>()
}

#[cfg(test)]
mod tests;
