//! Stored edits: the content of the files before each edit (`CONTRACTS.md` §5, `edits/` and `trash/`).
//!
//! How it works: each edit is one file, `edits/<id>`. It begins with a line of JSON ([`EditRecord`]). Then come the
//! former bytes of every file that is not in `trash/<id>/`, and a line with the approvals and mutes that were moved.
//! Until the first file is replaced its name is `<id>.begun`; then, until the edit is done, `<id>.pending`. What has the
//! first name never happened. An interrupted edit keeps the second one, and can be undone like any other. A process that
//! writes here has the lock of the writer of user files.

mod record;
mod undo_index;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hookwright_model::{Ages, EditKind, Former, Message, Past, TurnedTo};
use jiff::{SignedDuration, Timestamp};
use ulid::Ulid;

pub(super) use record::{EditRecord, EditState, StoredEdit, Turning};
pub(super) use undo_index::UndoIndex;

use super::approval_transfer::TransferUndo;
use super::containment;
use super::turned_off_store::TurnedOffStore;
use super::user_files::{self, FileContent, FileTransaction, PlannedFolder};
use crate::data_files::locked_file::{self, LockedFileError};
use crate::files::Opener;
use crate::files::temp_files;

/// Edits are stored for this many days.
const RETENTION_DAYS: i64 = 30;
/// All stored edits and the trash together have at most this many bytes.
const MAX_BYTES: u64 = 64 << 20;
/// A file occupies a multiple of this on a disk.
const BLOCK_BYTES: u64 = 4096;
/// A removal reads at most this many former states of a file.
const MAX_STATES: usize = 100;
const BEGUN_SUFFIX: &str = "begun";
const PENDING_SUFFIX: &str = "pending";

/// The stored edits of a data folder.
#[derive(Debug)]
pub(super) struct EditStore {
    folder: PathBuf,
    trash: PathBuf,
    turned_off: TurnedOffStore,
}

/// An edit that is recorded but not done yet.
#[derive(Debug)]
pub(super) struct PendingEdit {
    pub id: String,
    /// The folder in the trash for the files that the edit removes.
    pub trash: PathBuf,
    path: PathBuf,
}

/// What a file was before `connect` edited it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BeforeConnect {
    /// Its text then, if only `connect` has changed it since: `Some(None)` if it did not exist.
    pub unchanged_since: Option<Option<String>>,
    /// Its text before the first `connect` since the last `disconnect`, also if the user changed it since; empty if it did
    /// not exist.
    pub former: Option<String>,
    /// Whether `connect` created it.
    pub created: bool,
}

impl EditStore {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join("edits"),
            trash: data_dir.join("trash"),
            turned_off: TurnedOffStore::new(data_dir),
        }
    }

    /// The folder in the trash for the files that an edit removes.
    pub fn trash(&self, edit: &str) -> PathBuf {
        self.trash.join(edit)
    }

    /// Records an edit before it is done. Also enters into `work` where in the trash its files are moved.
    ///
    /// # Errors
    /// The record is larger than 64 MiB or cannot be written. Nothing was written then.
    pub fn begin(&self, mut record: EditRecord, work: &mut FileTransaction) -> Result<PendingEdit, LockedFileError> {
        self.resolve_pending();
        record.edit = self.next_id(record.at);
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
                .map(|path| {
                    (
                        (*path).to_owned(),
                        user_files::trash::trash_path(&trash, path, &removed),
                    )
                })
                .collect();
        }
        let path = self.folder.join(&record.edit).with_extension(BEGUN_SUFFIX);
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
            path: path.with_extension(PENDING_SUFFIX),
            id: record.edit,
            trash,
        })
    }

    /// Notes that the edit replaces its first file next. Until then it did not happen, whatever its files contain.
    ///
    /// # Errors
    /// The edit's record cannot be renamed.
    #[expect(clippy::disallowed_methods, reason = "stored edits are Hookwright's own files")]
    pub fn mark_pending(&self, pending: &PendingEdit) -> Result<(), Message> {
        let renamed = std::fs::rename(pending.path.with_extension(BEGUN_SUFFIX), &pending.path);
        renamed.map_err(|source| LockedFileError::Unwritable {
            path: pending.path.clone(),
            source,
        })?;
        // After a power failure the record must not be older than its files. Some file systems cannot sync a folder, so
        // an error is ignored.
        let _ = File::open(&self.folder).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Records that an edit is done, with the approvals and mutes that were moved.
    ///
    /// # Errors
    /// The error of the operating system. The edit stays stored as an interrupted one.
    #[expect(clippy::disallowed_methods, reason = "stored edits are Hookwright's own files")]
    pub fn finish(&self, pending: &PendingEdit, transfer_undo: &TransferUndo) -> io::Result<()> {
        let mut line = serde_json::to_vec(transfer_undo)?;
        line.push(b'\n');
        let mut file = OpenOptions::new().append(true).open(&pending.path)?;
        file.write_all(&line)?;
        file.sync_all()?;
        std::fs::rename(&pending.path, pending.path.with_extension(""))?;
        File::open(&self.folder).and_then(|folder| folder.sync_all())
    }

    /// Removes interrupted edits that changed nothing, and marks those as done that changed everything.
    #[expect(clippy::disallowed_methods, reason = "stored edits are Hookwright's own files")]
    pub fn resolve_pending(&self) {
        let names = self.files_by_id();
        let pending = names.values().filter(|path| path.extension().is_some());
        for kept in pending.filter_map(|path| StoredEdit::read(path).ok()) {
            let written = kept
                .record
                .files
                .iter()
                .filter_map(|file| containment::resolve_target(&file.path).ok());
            let written: Vec<PathBuf> = written.collect();
            temp_files::remove_stale_next_to(written.iter().map(PathBuf::as_path));
            // The trash is filled later. If it has something, a power failure took the later name.
            let never_happened = is_begun(&kept.path) && !self.trash(&kept.record.edit).exists();
            let (before, after) = match never_happened {
                true => (true, false),
                false => kept.compare_with_disk(),
            };
            self.resolve_turning(&kept.record, before, after);
            // Folders are created first and removed last, so an interrupted edit may have left them.
            if before {
                remove_empty(&kept.record.made);
                self.remove(&kept.record.edit);
            } else if after {
                remove_empty(&kept.record.gone);
                // An edit that cannot be renamed stays pending, and can still be undone.
                let _ = std::fs::rename(&kept.path, kept.path.with_extension(""));
            }
        }
    }

    /// Ends the turned-off hook of an interrupted edit if the hook is in its file.
    fn resolve_turning(&self, record: &EditRecord, before: bool, after: bool) {
        let Some(turning) = &record.turning else { return };
        let is_on = match turning.to {
            TurnedTo::Off => before,
            TurnedTo::On => after && !before,
        };
        if is_on {
            self.turned_off.end(&turning.id);
        }
    }

    /// The ids of the turned-off hooks that stored edits name.
    pub fn turned_ids(&self) -> BTreeSet<String> {
        let all = self.all().into_iter();
        all.filter_map(|kept| kept.record.turning)
            .map(|turning| turning.id)
            .collect()
    }

    /// All stored edits, latest first. Edits that cannot be read are left out; [`Self::damaged`] returns them. Edits that
    /// have not changed anything yet are left out too.
    pub fn all(&self) -> Vec<StoredEdit> {
        let mut all: Vec<StoredEdit> = self
            .files_by_id()
            .values()
            .rev()
            .filter(|path| !is_begun(path))
            .filter_map(|path| StoredEdit::read(path).ok())
            .collect();
        all.sort_by(|one, other| other.record.edit.cmp(&one.record.edit));
        all
    }

    /// The files of stored edits that cannot be read, latest first, and why.
    pub fn damaged(&self) -> Vec<(PathBuf, io::Error)> {
        let names = self.files_by_id();
        let read = names.values().rev();
        let damaged = read.filter_map(|path| Some((path.clone(), StoredEdit::read(path).err()?)));
        // Another process may have removed one meanwhile.
        damaged
            .filter(|(_, why)| why.kind() != io::ErrorKind::NotFound)
            .collect()
    }

    /// The files of stored edits by their ids.
    fn files_by_id(&self) -> BTreeMap<Ulid, PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named = |path: PathBuf| Some((Ulid::from_string(path.file_stem()?.to_str()?).ok()?, path));
        entries.filter_map(|entry| named(entry.path())).collect()
    }

    /// A new id, greater than all stored ones. So ids are in the order of the edits, even if the clock is wrong.
    fn next_id(&self, now: Timestamp) -> String {
        // The time of the workspace's clock, by which the age of an edit is judged.
        let ms = u64::try_from(now.as_millisecond()).unwrap_or_default();
        let new = Ulid::from_parts(ms, Ulid::generate().random());
        let last = self.files_by_id().keys().next_back().copied();
        let id = last.filter(|last| *last >= new).and_then(|last| last.increment().ok());
        id.unwrap_or(new).to_string()
    }

    /// The former states of the file of a hook that is removed, as long as only Hookwright's edits changed the file.
    pub fn past_states(&self, hook: &str, path: &Path, opener: &Opener) -> Former {
        let all = self.all();
        let mut past = Past::default();
        let mut now = match user_files::read_content(opener, path) {
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
                Some(_) => match self.content(stored, index).and_then(|content| text_of(content.bytes)) {
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

    /// What edits of `connect` found in a file of the user.
    pub fn before_connect(&self, path: &Path) -> BeforeConnect {
        let mut found = BeforeConnect::default();
        let mut is_over = false;
        let mut now = user_files::read_content(&Opener::user(), path)
            .ok()
            .map(|content| record::hash_of(content.as_ref()));
        for stored in &self.all() {
            let Some(index) = stored.record.files.iter().position(|file| file.path == path) else {
                continue;
            };
            let row = &stored.record.files[index];
            let connects = stored.record.connects && stored.record.what == EditKind::Add;
            found.created |= connects && row.before.is_none();
            // What was there before an edit of another kind is not what this connection found.
            is_over |= !connects && (found.former.is_some() || stored.record.removes_relay());
            let follows = connects && stored.state == EditState::Done && now.as_ref() == Some(&row.after);
            let former = match &row.before {
                Some(_) => self
                    .content(stored, index)
                    .and_then(|content| text_of(content.bytes))
                    .map(Some),
                None => Some(None),
            };
            if connects
                && !is_over
                && let Some(former) = &former
            {
                found.former = Some(former.clone().unwrap_or_default());
            }
            // An older edit counts only if nothing else changed the file since.
            now = match former {
                Some(former) if follows => {
                    found.unchanged_since = Some(former);
                    Some(row.before.as_ref().map(|was| was.hash.clone()))
                }
                Some(_) | None => None,
            };
        }
        found
    }

    /// The folders above the removed files that stored edits created, inner ones first.
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

    /// The content of a file before a stored edit; `None` if its copy is missing or damaged.
    pub fn content(&self, edit: &StoredEdit, index: usize) -> Option<FileContent> {
        edit.content(index, &self.trash(&edit.record.edit))
    }

    /// Removes an edit, with its files in the trash.
    pub fn remove(&self, edit: &str) {
        self.empty_trash(edit);
        let path = self.folder.join(edit);
        for path in [
            path.with_extension(BEGUN_SUFFIX),
            path.with_extension(PENDING_SUFFIX),
            path,
        ] {
            // A file that cannot be removed is tried again at the next edit.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Removes an edit's files from the trash.
    pub fn empty_trash(&self, edit: &str) {
        let _ = std::fs::remove_dir_all(self.trash(edit));
    }

    /// Removes the edits that are too old, unless the clock cannot be believed now, and then the oldest ones beyond the
    /// size limit. The latest edit stays.
    pub fn prune(&self, ages: Ages) {
        let oldest = match ages {
            Ages::Until(now) => now
                .saturating_sub(SignedDuration::from_hours(24 * RETENTION_DAYS))
                .map_or(i64::MIN, Timestamp::as_millisecond),
            Ages::Wait { .. } => i64::MIN,
        };
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

/// Removes the folders that are empty, which are given inner ones first.
fn remove_empty(folders: &[PlannedFolder]) {
    for folder in folders {
        // A folder with other files stays.
        let _ = Opener::user()
            .entry(&folder.path)
            .and_then(|entry| entry.remove_empty_folder());
    }
}

/// Whether the file of an edit says that the edit has not changed anything yet.
fn is_begun(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == BEGUN_SUFFIX)
}

/// The text of a file without its byte-order mark; `None` if it is not UTF-8.
fn text_of(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// How many bytes a file or folder occupies on a disk.
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
