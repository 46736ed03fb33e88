//! The writer of user files. A file that it replaces keeps its mode, its owner and its link. A reader sees either the
//! old text or the new one.
//!
//! How it works: under one lock of Hookwright every file is read again, and must still be what the change was made
//! from. Each new text is written to a temporary file next to its target, and replaces the target by a rename. All this
//! happens in the opened folder of the target, so a folder that is swapped for a link meanwhile leads nowhere. If a later
//! file of a change cannot be written, the former content of the earlier ones is restored.

mod staged_file;
pub(super) mod trash;

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use hookwright_model::{Message, Notice, args, render};
use serde::{Deserialize, Serialize};

use super::attributes::{self, Attributes};
use super::edit_openers::EditOpeners;
use crate::data_files::locked_file;
use crate::files::{self, FilePlace, Opener};

use staged_file::{StagedFile, find_place, write_file};

/// A file with more bytes is neither moved nor changed: 64 MiB.
pub(super) const MAX_BYTES: u64 = 64 << 20;

hookwright_model::messages! {
    /// A path of the project leads out of it through a link.
    OUTSIDE = "edit_outside" { "{path} leads out of the project through a link", "{path} 经由链接通向项目之外" } hint { "edit the file at its real location; nothing was changed", "在文件的实际位置编辑；未作任何更改" };
    /// Another program changed the file during the edit.
    CHANGED = "edit_file_changed" { "{path} changed on disk since it was read", "{path} 在读取之后已在磁盘上更改" } hint { "check it and try again; nothing was changed", "检查后重试；未作任何更改" };
    /// A change failed, and one of its files could not be restored.
    NOT_RESTORED = "edit_not_back" { "{why}; restoring {path} failed too: {then}", "{why}；恢复 {path} 也失败：{then}" } hint { "check the file", "检查该文件" };
    /// The disk is full, or the file is larger than the system allows.
    DISK_FULL = "edit_unwritable" / "full" { "{path} cannot be written: {why}", "无法写入 {path}：{why}" } hint { "free space on its disk; the file is unchanged", "释放其所在磁盘的空间；文件未更改" };
    /// The trash cannot be written, so the file is not removed.
    NOT_TRASHED = "edit_unwritable" / "trash" { "{path} is not removed, because {trash} in the trash cannot be written: {why}", "未移除 {path}，因为回收站中的 {trash} 无法写入：{why}" } hint { "free space on the disk of the data folder, or check its owner and mode; nothing was changed", "释放数据文件夹所在磁盘的空间，或检查其所有者和权限；未作任何更改" };
    /// The file cannot be read. Nothing was written yet.
    UNREADABLE = "edit_unwritable" / "read" { "{path} cannot be read: {why}", "无法读取 {path}：{why}" } hint { "check the owner and mode of the file and its folder; nothing was changed", "检查文件及其文件夹的所有者和权限；未作任何更改" };
    /// The file cannot be written, for another reason than [`DISK_FULL`].
    UNWRITABLE = "edit_unwritable" { "{path} cannot be written: {why}", "无法写入 {path}：{why}" } hint { "check the owner and mode of the file and its folder; the file is unchanged", "检查文件及其文件夹的所有者和权限；文件未更改" };
}

/// The content of a file, and the metadata to create it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// The bytes of the file, including a byte-order mark.
    pub bytes: Vec<u8>,
    /// Unix permissions, used if the file is created again.
    pub mode: u32,
    /// Owner and group, used if the file is created again. `None` for the user who creates it.
    pub owner: Option<UnixOwner>,
    /// Extended attributes, used if the file is created again.
    pub attributes: Attributes,
}

impl FileContent {
    /// The BLAKE3 hash of the bytes, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        blake3::hash(&self.bytes).to_hex().to_string()
    }
}

/// A user id and a group id.
pub type UnixOwner = (u32, u32);

/// A file that an edit changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Absolute path of the file.
    pub path: PathBuf,
    /// What the file must contain before the edit; `None` if it must not exist.
    pub before: Option<FileContent>,
    /// What the file contains after the edit; `None` if it is removed. A file that stays gets the mode too if it differs
    /// from the one before; otherwise its metadata stays.
    pub after: Option<FileContent>,
}

/// A folder, and the metadata to create it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFolder {
    /// Absolute path of the folder.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub path: PathBuf,
    /// Unix permissions of the folder.
    pub mode: u32,
    /// Owner and group; `None` for the user who creates the folder.
    pub owner: Option<UnixOwner>,
}

impl PlannedFolder {
    /// Reads the folder's present metadata.
    ///
    /// # Errors
    /// The metadata cannot be read.
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
    /// Folders that are created first, outer ones first. Other folders that the files need are created with mode 0700.
    pub new_folders: Vec<PlannedFolder>,
    /// The files, in the order in which they are written.
    pub files: Vec<PlannedFile>,
    /// Folders that are removed at the end if they are empty, inner ones first.
    pub removed_folders: Vec<PlannedFolder>,
    /// The path in the trash for each file that is moved there. Other removed files are deleted.
    pub trash: BTreeMap<PathBuf, PathBuf>,
}

/// The result of a write.
#[derive(Debug, Default)]
pub struct WriteResult {
    /// The transaction that undoes the write.
    pub inverse: FileTransaction,
    /// Warnings about metadata that could not be kept.
    pub notices: Vec<Notice>,
}

/// Why a write failed.
#[derive(Debug)]
pub struct WriteFailure {
    /// What the user is told.
    pub message: Message,
    /// Whether every file is as it was before the write. Otherwise some of the change may be on the disk.
    pub is_undone: bool,
}

impl<M: Into<Message>> From<M> for WriteFailure {
    /// A failure before anything was written.
    fn from(message: M) -> Self {
        Self {
            message: message.into(),
            is_undone: true,
        }
    }
}

/// The lock of this writer. It is released when this is dropped.
#[derive(Debug)]
pub struct EditLock(Option<File>);

impl EditLock {
    /// Whether other Hookwright processes wait meanwhile. If Hookwright's folder cannot be written there is no lock.
    /// Then only the comparison of the files protects them.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.0.is_some()
    }
}

/// Acquires the lock that keeps other Hookwright processes from writing user files.
///
/// # Errors
/// Another process has the lock for more than 5 s.
pub fn lock(data_dir: &Path) -> Result<EditLock, Message> {
    match locked_file::acquire_lock(&data_dir.join("edit")) {
        Ok(lock) => Ok(EditLock(Some(lock))),
        Err(error @ locked_file::LockedFileError::Busy { .. }) => Err(error.into()),
        Err(_) => Ok(EditLock(None)),
    }
}

impl PlannedFile {
    /// Whether the edit changes the file's bytes or its mode.
    #[must_use]
    pub fn changes(&self) -> bool {
        let (before, after) = (self.before.as_ref(), self.after.as_ref());
        self.new_mode().is_some() || before.map(|content| &content.bytes) != after.map(|content| &content.bytes)
    }

    /// The mode that the edit gives a file which stays; `None` if the mode stays too.
    #[must_use]
    pub fn new_mode(&self) -> Option<u32> {
        let (before, after) = (self.before.as_ref()?, self.after.as_ref()?);
        (before.mode != after.mode).then_some(after.mode)
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
    /// Whether no file changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.files.iter().any(PlannedFile::changes)
    }

    /// The transaction that undoes this one. `made` are the folders that were created, inner ones first.
    fn inverse(&self, made: Vec<PlannedFolder>) -> Self {
        Self {
            new_folders: self.removed_folders.iter().rev().cloned().collect(),
            files: self.files.iter().rev().map(PlannedFile::inverse).collect(),
            removed_folders: made,
            trash: BTreeMap::new(),
        }
    }
}

/// Checks that every file still is what the change was made from.
///
/// # Errors
/// Another program changed one of the files, or one cannot be read.
pub(super) fn check_all_unchanged(_: &EditLock, openers: &EditOpeners, work: &FileTransaction) -> Result<(), Message> {
    let mut changed = work.files.iter().filter(|file| file.changes());
    changed.try_for_each(|file| check_unchanged(file, read_content(&openers.of(&file.path), &file.path)?.as_ref()))
}

/// Applies everything or nothing, and returns how to undo it. `before_first` is called once, when only the first rename
/// is left to do. If it fails, nothing is written.
///
/// # Errors
/// Another program changed one of the files meanwhile, or one cannot be written.
pub(super) fn write(
    lock: &EditLock,
    openers: &EditOpeners,
    work: &FileTransaction,
    before_first: impl FnOnce() -> Result<(), Message>,
) -> Result<WriteResult, WriteFailure> {
    check_all_unchanged(lock, openers, work)?;
    let mut done = FileTransaction::default();
    let mut progress = WriteProgress::default();
    if let Err(message) = write_all(openers, work, before_first, &mut done, &mut progress) {
        let mut failure = undo_writes(openers, &done.inverse(progress.made_folders), message);
        // A file that was moved to the trash and could not be moved back has its only copy there.
        failure.is_undone &= !work.trash.iter().any(|(path, place)| !path.exists() && place.exists());
        return Err(failure);
    }
    done.removed_folders = remove_empty_folders(openers, &work.removed_folders);
    Ok(WriteResult {
        inverse: done.inverse(progress.made_folders),
        notices: progress.notices,
    })
}

/// What a write did so far.
#[derive(Debug, Default)]
pub(super) struct WriteProgress {
    /// Folders that were created, inner ones first.
    made_folders: Vec<PlannedFolder>,
    /// Warnings about metadata that could not be kept.
    notices: Vec<Notice>,
}

impl WriteProgress {
    /// Adds folders that were made with mode 0700, inner ones first. They must be removed in this order.
    fn add_made(&mut self, made: Vec<PathBuf>) {
        let made = made.into_iter().map(|path| PlannedFolder {
            path,
            mode: 0o700,
            owner: None,
        });
        self.made_folders.splice(0..0, made);
    }
}

/// The folders that a change has to create, inner ones first.
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

fn write_all(
    openers: &EditOpeners,
    work: &FileTransaction,
    before_first: impl FnOnce() -> Result<(), Message>,
    done: &mut FileTransaction,
    progress: &mut WriteProgress,
) -> Result<(), Message> {
    let new: Vec<&PlannedFolder> = work.new_folders.iter().filter(|folder| !folder.path.exists()).collect();
    for folder in &new {
        let mut made = Vec::new();
        let result = openers.of(&folder.path).make_folder(&folder.path, &mut made);
        progress.add_made(made);
        result.map_err(|error| unwritable(&folder.path, &error))?;
    }
    let mut before_first = Some(before_first);
    for file in work.files.iter().filter(|file| file.changes()) {
        let opener = openers.of(&file.path);
        let place = find_place(&opener, file, progress).map_err(|error| unwritable(&file.path, &error))?;
        let staged = StagedFile::stage(&place, file, progress).map_err(|error| unwritable(&file.path, &error))?;
        before_first.take().map_or(Ok(()), |call| call())?;
        staged.move_into_place(file, work.trash.get(&file.path))?;
        done.files.push(file.clone());
    }
    before_first.take().map_or(Ok(()), |call| call())?;
    // This is last, because the mode of a folder may forbid writing into it.
    for folder in new.iter().rev() {
        apply_owner_and_mode(&openers.of(&folder.path), folder).map_err(|error| unwritable(&folder.path, &error))?;
    }
    Ok(())
}

/// Restores as many files as possible. If one cannot be restored, the message names it together with the first failure.
fn undo_writes(openers: &EditOpeners, back: &FileTransaction, message: Message) -> WriteFailure {
    let mut lost = None;
    for file in &back.files {
        if let Err(error) = write_file(&openers.of(&file.path), file) {
            lost.get_or_insert((file.path.display().to_string(), error));
        }
    }
    remove_empty_folders(openers, &back.removed_folders);
    match lost {
        None => message.into(),
        Some((path, error)) => WriteFailure {
            message: render!(NOT_RESTORED, "why" => message.text, "path" => path, "then" => error.text),
            is_undone: false,
        },
    }
}

/// Removes the folders that are empty, and returns them. The others stay.
fn remove_empty_folders(openers: &EditOpeners, folders: &[PlannedFolder]) -> Vec<PlannedFolder> {
    let remove = |folder: &&PlannedFolder| {
        let entry = openers.of(&folder.path).entry(&folder.path);
        entry.is_ok_and(|entry| entry.remove_empty_folder().is_ok())
    };
    folders.iter().filter(remove).cloned().collect()
}

/// Sets the owner and the mode of a folder that was created.
#[cfg(unix)]
fn apply_owner_and_mode(opener: &Opener, folder: &PlannedFolder) -> io::Result<()> {
    let opened = opener.folder(&folder.path)?;
    if folder.owner.is_some() && folder.owner != owner(&opened.metadata()?) {
        let (user, group) = (folder.owner.map(|owner| owner.0), folder.owner.map(|owner| owner.1));
        std::os::unix::fs::fchown(&opened, user, group).map_err(|error| owner_not_kept(&error))?;
    }
    // This is after the owner, because a change of the owner may clear bits of the mode.
    opened.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(folder.mode))
}

#[cfg(not(unix))]
fn apply_owner_and_mode(_: &Opener, _: &PlannedFolder) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn owner_not_kept(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("its owner cannot be kept ({error})"))
}

/// Reads a file's content and metadata. `None` if the file does not exist.
///
/// # Errors
/// The file cannot be read, is not a regular file, or has more than 64 MiB.
pub fn read_content(opener: &Opener, path: &Path) -> Result<Option<FileContent>, Message> {
    match opener.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => read_opened(path, opened.map(Some)),
    }
}

/// Reads the content and metadata of the file at a place. `None` if it does not exist.
fn read_place(path: &Path, place: &FilePlace) -> Result<Option<FileContent>, Message> {
    read_opened(path, place.open())
}

fn read_opened(path: &Path, opened: io::Result<Option<(File, Metadata)>>) -> Result<Option<FileContent>, Message> {
    let Some((file, meta)) = opened.map_err(|error| unreadable(path, &error))? else {
        return Ok(None);
    };
    Ok(Some(FileContent {
        bytes: files::read_open(&file, &meta, MAX_BYTES).map_err(|unread| unreadable(path, &unread.into()))?,
        mode: mode(&meta),
        owner: owner(&meta),
        attributes: attributes::read(&file),
    }))
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

/// The message that a file cannot be read, before anything is written.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Message {
    if files::is_outside(error) {
        return outside(path);
    }
    render!(UNREADABLE, "path" => path.display().to_string(), "why" => error.to_string())
}

fn outside(path: &Path) -> Message {
    render!(OUTSIDE, "path" => path.display().to_string())
}

/// The message that a file cannot be written, with a hint for the reason.
fn unwritable(path: &Path, error: &io::Error) -> Message {
    if files::is_outside(error) {
        return outside(path);
    }
    let full = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    );
    let template = if full { DISK_FULL } else { UNWRITABLE };
    template.render(args! { "path" => path.display().to_string(), "why" => error.to_string() })
}

/// Checks that a file still has the bytes that the change was made from. `now` is its present content.
fn check_unchanged(file: &PlannedFile, now: Option<&FileContent>) -> Result<(), Message> {
    let before = file.before.as_ref();
    // Only an edit of the mode is about the mode.
    let same_mode = file.new_mode().is_none() || now.map(|it| it.mode) == before.map(|it| it.mode);
    if same_mode && now.map(|content| &content.bytes) == before.map(|content| &content.bytes) {
        Ok(())
    } else {
        Err(render!(CHANGED, "path" => file.path.display().to_string()))
    }
}

#[cfg(test)]
mod tests;
