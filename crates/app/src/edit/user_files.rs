//! The writer of people's files: what it replaces keeps its mode, its owner and its link, and whoever reads sees the old
//! text or the new one.
//!
//! How it works: under one lock of our own every file is read again and must still be what the change was made from; then
//! each new text goes into a file beside it, which takes its place by a rename. When a later file of a change cannot be
//! written, the earlier ones get back what they had.

mod staged_file;

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use hookwright_model::{Notice, args};
use serde::{Deserialize, Serialize};

use super::attributes::{self, Attributes};
use crate::fault::Fault;
use crate::locked_file;
use crate::regular_file;
use crate::temp_files;

pub(super) use staged_file::copy_metadata;
use staged_file::write_file;

/// A file that has more is nobody's to move or change here.
pub(super) const MAX_BYTES: u64 = 64 << 20;

hookwright_model::messages! {
    /// Somebody else was quicker.
    CHANGED = "edit_file_changed" { "{path} was changed meanwhile", "{path} 在此期间已被更改" } hint { "look at it and try again; nothing was written over", "请查看后重试；没有覆盖任何内容" };
    /// Half of a change stays.
    NOT_RESTORED = "edit_not_back" { "{why}; and {path} could not be put back: {then}", "{why}；且 {path} 无法恢复：{then}" } hint { "look at the file", "请查看该文件" };
    /// No room is left.
    DISK_FULL = "edit_unwritable" / "full" { "{path} cannot be written: {why}", "无法写入 {path}：{why}" } hint { "make room on its disk; it is as it was", "请在其所在磁盘上腾出空间；文件保持原样" };
    /// The trash takes no more.
    NOT_TRASHED = "edit_unwritable" / "trash" { "{path} is not removed, because {trash} in the trash cannot be written: {why}", "未移除 {path}，因为回收站中的 {trash} 无法写入：{why}" } hint { "free space on the disk of the data folder, or check its owner and mode; nothing was changed", "请释放数据文件夹所在磁盘的空间，或检查其所有者和权限；未作任何更改" };
    /// The system's words, before anything is written.
    UNREADABLE = "edit_unwritable" / "read" { "{path} cannot be read: {why}", "无法读取 {path}：{why}" } hint { "check the owner and mode of the file and its folder; nothing was changed", "请检查文件及其文件夹的所有者和权限；未作任何更改" };
    /// The system's words.
    UNWRITABLE = "edit_unwritable" { "{path} cannot be written: {why}", "无法写入 {path}：{why}" } hint { "check the owner and mode of the file and its folder; it is as it was", "请检查文件及其文件夹的所有者和权限；文件保持原样" };
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// Its bytes, a byte-order mark included.
    pub bytes: Vec<u8>,
    /// Its permissions, where it has to be made anew.
    pub mode: u32,
    /// Its owner and group, where it has to be made anew; `None` for whoever makes it.
    pub owner: Option<UnixOwner>,
    /// Its extended attributes, where it has to be made anew.
    pub attributes: Attributes,
}

impl FileContent {
    /// Hash of its bytes, hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        blake3::hash(&self.bytes).to_hex().to_string()
    }
}

/// A user and a group, by their numbers.
pub type UnixOwner = (u32, u32);

/// A file that is to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file, absolute.
    pub path: PathBuf,
    /// What it must hold now; `None` when it must not be there.
    pub before: Option<FileContent>,
    /// What it holds then; `None` when it is gone then.
    pub after: Option<FileContent>,
}

/// A folder, and its permissions where it has to be made anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFolder {
    /// The folder, absolute.
    #[serde(with = "crate::path_serde::path")]
    pub path: PathBuf,
    /// Its permissions.
    pub mode: u32,
    /// Its owner and group; `None` for whoever makes it.
    pub owner: Option<UnixOwner>,
}

impl PlannedFolder {
    /// As it stands on the disk.
    ///
    /// # Errors
    /// It cannot be looked at.
    pub fn from_disk(path: &Path) -> io::Result<Self> {
        let meta = path.metadata()?;
        Ok(Self {
            path: path.to_owned(),
            mode: mode(&meta),
            owner: owner(&meta),
        })
    }
}

/// Everything that one edit changes on the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileTransaction {
    /// Folders that are made first, outer ones first. What the files need beside is made for their owner only.
    pub new_folders: Vec<PlannedFolder>,
    /// The files, in the order in which they are written.
    pub files: Vec<PlannedFile>,
    /// Folders that go when they are empty then, inner ones first.
    pub removed_folders: Vec<PlannedFolder>,
    /// Where files go that are taken away: into the trash. Others are deleted.
    pub trash: BTreeMap<PathBuf, PathBuf>,
}

/// What was written.
#[derive(Debug, Default)]
pub struct WriteResult {
    /// How to take it back.
    pub inverse: FileTransaction,
    /// What could not be kept of files.
    pub notices: Vec<Notice>,
}

/// The lock of this writer.
#[derive(Debug)]
pub struct EditLock(Option<File>);

impl EditLock {
    /// Whether other processes of ours wait meanwhile. Where our own folder cannot be written they do not, and looking
    /// again at the files has to do.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.0.is_some()
    }
}

/// Keeps other processes of ours from writing people's files until it is dropped.
///
/// # Errors
/// Another one writes for too long.
pub fn lock(data_dir: &Path) -> Result<EditLock, Fault> {
    match locked_file::acquire_lock(&data_dir.join("edit")) {
        Ok(lock) => Ok(EditLock(Some(lock))),
        Err(error @ locked_file::LockedFileError::Busy { .. }) => Err(error.into()),
        Err(_) => Ok(EditLock(None)),
    }
}

impl PlannedFile {
    /// Whether anything changes.
    #[must_use]
    pub fn changes(&self) -> bool {
        let bytes = |content: &Option<FileContent>| content.as_ref().map(|content| content.bytes.clone());
        bytes(&self.before) != bytes(&self.after)
    }

    fn inverse(&self) -> Self {
        Self {
            path: self.path.clone(),
            before: self.after.clone(),
            after: self.before.clone(),
        }
    }
}

impl FileTransaction {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.files.iter().any(PlannedFile::changes)
    }

    /// The way back; `made` are the folders that were made on the way there, inner ones first.
    fn inverse(&self, made: Vec<PlannedFolder>) -> Self {
        Self {
            new_folders: self.removed_folders.iter().rev().cloned().collect(),
            files: self.files.iter().rev().map(PlannedFile::inverse).collect(),
            removed_folders: made,
            trash: BTreeMap::new(),
        }
    }
}

/// Does all of it, or nothing, and says how to take it back.
///
/// # Errors
/// Somebody changed one of the files meanwhile, or one cannot be written.
pub fn write(_: &EditLock, work: &FileTransaction) -> Result<WriteResult, Fault> {
    let changed = || work.files.iter().filter(|file| file.changes());
    for file in changed() {
        check_unchanged(file)?;
    }
    let mut done = FileTransaction::default();
    let mut progress = WriteProgress::default();
    if let Err(fault) = write_all(work, changed(), &mut done, &mut progress) {
        return Err(undo_writes(&done.inverse(progress.made_folders), fault));
    }
    done.removed_folders = remove_empty_folders(&work.removed_folders);
    Ok(WriteResult {
        inverse: done.inverse(progress.made_folders),
        notices: progress.notices,
    })
}

/// What happens on the way.
#[derive(Debug, Default)]
struct WriteProgress {
    /// Folders that were made, inner ones first.
    made_folders: Vec<PlannedFolder>,
    /// What could not be kept.
    notices: Vec<Notice>,
}

/// The folders that a change has to make, inner ones first.
pub(super) fn missing_folders(work: &FileTransaction) -> Vec<PlannedFolder> {
    let files = work.files.iter().filter(|file| file.before.is_none() && file.changes());
    let above = files.flat_map(|file| file.path.ancestors().skip(1));
    let mut missing: Vec<PlannedFolder> = work.new_folders.clone();
    missing.extend(above.map(|path| PlannedFolder {
        path: path.to_owned(),
        mode: 0o700,
        owner: None,
    }));
    missing.retain(|folder| !folder.path.exists());
    missing.sort_by(|one, other| other.path.cmp(&one.path));
    missing.dedup_by(|one, other| one.path == other.path);
    missing
}

fn write_all<'w>(
    work: &FileTransaction,
    changed: impl Iterator<Item = &'w PlannedFile>,
    done: &mut FileTransaction,
    progress: &mut WriteProgress,
) -> Result<(), Fault> {
    let new: Vec<&PlannedFolder> = work.new_folders.iter().filter(|folder| !folder.path.exists()).collect();
    for folder in &new {
        make_missing_folders(&folder.path, &mut progress.made_folders)
            .map_err(|error| unwritable(&folder.path, &error))?;
    }
    for file in changed {
        write_file(file, work.trash.get(&file.path), progress)?;
        done.files.push(file.clone());
    }
    // Last, since a folder need not be writable.
    for folder in new.iter().rev() {
        apply_owner_and_mode(folder).map_err(|error| unwritable(&folder.path, &error))?;
    }
    Ok(())
}

/// As much as can be had back; what could not is told with what failed first.
fn undo_writes(back: &FileTransaction, fault: Fault) -> Fault {
    let mut lost = None;
    for file in &back.files {
        if let Err(error) = write_file(file, None, &mut WriteProgress::default()) {
            lost.get_or_insert((file.path.display().to_string(), error));
        }
    }
    remove_empty_folders(&back.removed_folders);
    match lost {
        None => fault,
        Some((path, error)) => NOT_RESTORED
            .render(args! { "why" => fault.message, "path" => path, "then" => error.message })
            .into(),
    }
}

/// Removes folders that hold nothing, and gives those; others stay.
fn remove_empty_folders(folders: &[PlannedFolder]) -> Vec<PlannedFolder> {
    let gone = folders
        .iter()
        .filter(|folder| temp_files::remove_empty_folder(&folder.path).is_ok());
    gone.cloned().collect()
}

/// Makes the folders that are missing on the way to one, for their owner only.
fn make_missing_folders(folder: &Path, made: &mut Vec<PlannedFolder>) -> io::Result<()> {
    let missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|folder| !folder.exists())
        .map(Path::to_owned)
        .collect();
    locked_file::make_folders(folder)?;
    // Inner ones first, in which order they can be taken away again.
    let missing = missing.into_iter().map(|path| PlannedFolder {
        path,
        mode: 0o700,
        owner: None,
    });
    made.splice(0..0, missing);
    Ok(())
}

/// Gives a folder that was made its owner and its mode.
#[cfg(unix)]
fn apply_owner_and_mode(folder: &PlannedFolder) -> io::Result<()> {
    if folder.owner.is_some() && folder.owner != owner(&folder.path.metadata()?) {
        let (user, group) = (folder.owner.map(|owner| owner.0), folder.owner.map(|owner| owner.1));
        std::os::unix::fs::chown(&folder.path, user, group).map_err(|error| owner_not_kept(&error))?;
    }
    // After the owner: giving a folder away may take bits of its mode.
    std::fs::set_permissions(&folder.path, std::os::unix::fs::PermissionsExt::from_mode(folder.mode))
}

#[cfg(not(unix))]
fn apply_owner_and_mode(_: &PlannedFolder) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn owner_not_kept(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("its owner cannot be kept ({error})"))
}

/// What a file holds now; `None` when it is not there.
///
/// # Errors
/// It cannot be read.
pub fn read_content(path: &Path) -> Result<Option<FileContent>, Fault> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
        Ok(meta) => Ok(Some(FileContent {
            bytes: regular_file::read(path, MAX_BYTES).map_err(|unread| unreadable(path, &unread.into()))?,
            mode: mode(&meta),
            owner: owner(&meta),
            attributes: attributes::read(path),
        })),
    }
}

#[cfg(unix)]
fn mode(meta: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0o600
}

#[cfg(unix)]
fn owner(meta: &Metadata) -> Option<UnixOwner> {
    use std::os::unix::fs::MetadataExt;
    Some((meta.uid(), meta.gid()))
}

#[cfg(not(unix))]
fn owner(_: &Metadata) -> Option<UnixOwner> {
    None
}

/// Why a file cannot be read, before anything of it is written.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Fault {
    UNREADABLE
        .render(args! { "path" => path.display().to_string(), "why" => error.to_string() })
        .into()
}

/// Why a file cannot be written, and what helps.
fn unwritable(path: &Path, error: &io::Error) -> Fault {
    let full = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    );
    let template = if full { DISK_FULL } else { UNWRITABLE };
    template
        .render(args! { "path" => path.display().to_string(), "why" => error.to_string() })
        .into()
}

/// The file is still what the change was made from.
fn check_unchanged(file: &PlannedFile) -> Result<(), Fault> {
    let now = read_content(&file.path)?;
    if now.map(|content| content.bytes) == file.before.as_ref().map(|content| content.bytes.clone()) {
        Ok(())
    } else {
        Err(CHANGED
            .render(args! { "path" => file.path.display().to_string() })
            .into())
    }
}

#[cfg(test)]
mod tests;
