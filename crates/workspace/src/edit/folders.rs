//! From a dialect's plan to file operations: reads the present content, and every file of a folder that is copied or
//! removed.

use std::path::{Path, PathBuf};

use hookwright_dialects::editing::UNREADABLE;
use hookwright_model::{FileChange, FileKind, Message, SourceTree, args, render};

use super::containment;
use super::edit_openers::EditOpeners;
use super::user_files::{self, CHANGED, FileContent, FileTransaction, PlannedFile, PlannedFolder};
use crate::discovery::MAX_SOURCE_BYTES;
use crate::files::temp_files;

hookwright_model::messages! {
    /// The name of a new file or folder is already used.
    EXISTS = "edit_exists" { "{path} already exists", "{path} 已存在" } hint { "choose another name, or move it away; nothing was changed", "换一个名称，或先移走它；未作任何更改" };
    /// The new text is larger than the limit for reading.
    TOO_LARGE = "too_large" / "edit" { "{path} would have more than {limit} bytes", "{path} 将超过 {limit} 字节" } hint { "shorten it: a configuration file can have at most 1 MiB; nothing was changed", "缩短文件：配置文件最多 1 MiB；未作任何更改" };
    /// A folder or file cannot be copied or removed.
    NOT_MOVABLE = "edit_folder" { "{path} cannot be copied or removed: {why}", "无法复制或删除 {path}：{why}" } hint { "copy or remove the folder by hand; nothing was changed", "手工复制或删除文件夹；未作任何更改" };
}

/// Limits for a hook's folder. A folder with more files or bytes is not copied or removed.
const MAX_FILES: usize = 1000;
const MAX_FOLDER_BYTES: usize = 64 << 20;
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Everything that a plan changes.
pub(super) fn plan_transaction(trees: &[SourceTree], changes: &[FileChange]) -> Result<FileTransaction, Message> {
    let mut work = FileTransaction::default();
    let openers = EditOpeners::of_trees(trees);
    for change in changes {
        match change {
            FileChange::Write { path, text, kind } => plan_write(&mut work, (trees, &openers), path, text, *kind)?,
            FileChange::Remove { path } => {
                if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
                    return Err(not_movable(path, "it is a link"));
                }
                let before = user_files::read_content(&openers.of(path), path)?;
                check_as_read(trees, path, before.as_ref())?;
                work.files.push(PlannedFile {
                    path: path.clone(),
                    before,
                    after: None,
                });
            }
            FileChange::CopyFile { from, to } => {
                check_vacant(to)?;
                let gone = || render!(CHANGED, "path" => from.display().to_string());
                let content = user_files::read_content(&openers.of(from), from)?.ok_or_else(gone)?;
                check_as_read(trees, from, Some(&content))?;
                work.files.push(PlannedFile {
                    path: to.clone(),
                    before: None,
                    after: Some(content_of_copy(content, copy_mode(changes, from))),
                });
            }
            FileChange::CopyFolder { from, to } => {
                check_vacant(to)?;
                copy_folder(&mut work, (trees, &openers), (from, to), copy_mode(changes, from))?;
            }
            FileChange::RemoveFolder { path } => {
                let FolderContents { files, folders } = read_contents(&openers, path)?;
                for (path, content) in files {
                    check_as_read(trees, &path, Some(&content))?;
                    work.files.push(PlannedFile {
                        path,
                        before: Some(content),
                        after: None,
                    });
                }
                work.removed_folders.extend(folders);
            }
            FileChange::RemoveEmpty { path } => work.removed_folders.push(read_folder(path)?),
        }
    }
    containment::check_containment(trees, &work)?;
    Ok(work)
}

/// Whether the source of a copy is removed. Then it is a move, and the owner is kept. A copy belongs to the user who
/// makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopyMode {
    Move,
    Copy,
}

fn copy_mode(changes: &[FileChange], from: &Path) -> CopyMode {
    let gone = changes.iter().any(|change| match change {
        FileChange::Remove { path } | FileChange::RemoveFolder { path } => path == from,
        FileChange::Write { .. }
        | FileChange::CopyFile { .. }
        | FileChange::CopyFolder { .. }
        | FileChange::RemoveEmpty { .. } => false,
    });
    if gone { CopyMode::Move } else { CopyMode::Copy }
}

fn content_of_copy(content: FileContent, mode: CopyMode) -> FileContent {
    FileContent {
        owner: content.owner.filter(|_| mode == CopyMode::Move),
        ..content
    }
}

fn copy_folder(
    work: &mut FileTransaction,
    (trees, openers): (&[SourceTree], &EditOpeners),
    (from, to): (&Path, &Path),
    mode: CopyMode,
) -> Result<(), Message> {
    let target = |path: &Path| match path.strip_prefix(from) {
        Ok(inside) if !inside.as_os_str().is_empty() => to.join(inside),
        Ok(_) | Err(_) => to.to_owned(),
    };
    let FolderContents { files, folders } = read_contents(openers, from)?;
    // Outer folders come first.
    work.new_folders
        .extend(folders.iter().rev().map(|folder| PlannedFolder {
            path: target(&folder.path),
            mode: folder.mode,
            owner: folder.owner.filter(|_| mode == CopyMode::Move),
        }));
    for (path, content) in files {
        check_as_read(trees, &path, Some(&content))?;
        work.files.push(PlannedFile {
            path: target(&path),
            before: None,
            after: Some(content_of_copy(content, mode)),
        });
    }
    Ok(())
}

/// Checks that a file still has the text that the dialect was shown, because the plan was made from it. A file that it
/// was not shown passes. Returns the byte-order mark, which the dialect was not shown.
fn check_as_read(trees: &[SourceTree], path: &Path, content: Option<&FileContent>) -> Result<&'static str, Message> {
    let shown = trees.iter().find_map(|tree| tree.files.get(path));
    let Some(Ok(text)) = shown.map(|file| &file.text) else {
        return Ok("");
    };
    let bytes = content.map(|content| content.bytes.as_slice());
    match bytes.map(|bytes| (bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()), bytes)) {
        Some((Some(rest), _)) if rest == text.as_bytes() => Ok(BYTE_ORDER_MARK),
        Some((None, bytes)) if bytes == text.as_bytes() => Ok(""),
        Some(_) | None => Err(render!(CHANGED, "path" => path.display().to_string())),
    }
}

/// Checks that nothing exists at a path.
fn check_vacant(path: &Path) -> Result<(), Message> {
    match path.symlink_metadata() {
        Ok(_) => Err(render!(EXISTS, "path" => path.display().to_string())),
        Err(_) => Ok(()),
    }
}

fn plan_write(
    work: &mut FileTransaction,
    (trees, openers): (&[SourceTree], &EditOpeners),
    path: &Path,
    text: &str,
    kind: FileKind,
) -> Result<(), Message> {
    let with = |mark: &str| {
        // A script must begin with `#!`. The system does not recognise it after a byte-order mark.
        let mark = if kind == FileKind::Script { "" } else { mark };
        checked_bytes(path, mark, text)
    };
    // A copied file, alone or in a copied folder, may get another text at its new path.
    if let Some(copied) = work
        .files
        .iter_mut()
        .find(|file| file.path == path && file.before.is_none())
    {
        if let Some(content) = &mut copied.after {
            let marked = content.bytes.starts_with(BYTE_ORDER_MARK.as_bytes());
            content.bytes = with(if marked { BYTE_ORDER_MARK } else { "" })?;
        }
        return Ok(());
    }
    let before = user_files::read_content(&openers.of(path), path)?;
    let shown = trees.iter().find_map(|tree| tree.files.get(path));
    let mark = match (&before, shown.map(|file| &file.text)) {
        (None, _) => "",
        (Some(_), Some(Ok(_))) => check_as_read(trees, path, before.as_ref())?,
        (Some(_), Some(Err(problem))) => {
            let args = args! { "path" => path.display().to_string(), "why" => problem.message };
            return Err(UNREADABLE.render(args));
        }
        // An interrupted edit may have written it already.
        (Some(content), None) if content.bytes == text.as_bytes() => "",
        // The dialect was not shown this file, so it does not intend to replace it.
        (Some(_), None) => {
            return Err(render!(EXISTS, "path" => path.display().to_string()));
        }
    };
    let new_mode = match kind {
        FileKind::Plain => 0o600,
        FileKind::Script => 0o700,
    };
    work.files.push(PlannedFile {
        path: path.to_owned(),
        after: Some(FileContent {
            bytes: with(mark)?,
            mode: before.as_ref().map_or(new_mode, |content| content.mode),
            owner: None,
            attributes: Vec::new(),
        }),
        before,
    });
    Ok(())
}

/// The bytes of a new text.
///
/// # Errors
/// They are more than what is read of a file.
pub(super) fn checked_bytes(path: &Path, mark: &str, text: &str) -> Result<Vec<u8>, Message> {
    let bytes = format!("{mark}{text}").into_bytes();
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        let args = args! { "path" => path.display().to_string(), "limit" => MAX_SOURCE_BYTES };
        return Err(TOO_LARGE.render(args));
    }
    Ok(bytes)
}

/// A folder's present metadata. A link to a folder is refused.
fn read_folder(path: &Path) -> Result<PlannedFolder, Message> {
    if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
        return Err(not_movable(path, "it is a link"));
    }
    PlannedFolder::from_disk(path).map_err(|error| not_movable(path, &error.to_string()))
}

/// The files and folders in a folder.
struct FolderContents {
    files: Vec<(PathBuf, FileContent)>,
    /// The folder itself and the folders in it, inner ones first.
    folders: Vec<PlannedFolder>,
}

fn read_contents(openers: &EditOpeners, folder: &Path) -> Result<FolderContents, Message> {
    let mut found = FolderContents {
        files: Vec::new(),
        folders: Vec::new(),
    };
    self::read_folder(folder)?;
    walk(openers, folder, &mut found)?;
    Ok(found)
}

fn walk(openers: &EditOpeners, folder: &Path, found: &mut FolderContents) -> Result<(), Message> {
    let entries = std::fs::read_dir(folder).map_err(|error| not_movable(folder, &error.to_string()))?;
    for entry in entries {
        let entry = entry.map_err(|error| not_movable(folder, &error.to_string()))?;
        let path = entry.path();
        let kind = entry
            .file_type()
            .map_err(|error| not_movable(&path, &error.to_string()))?;
        // This is a temporary file of another writer, which removes it. It does not belong to the hook.
        if kind.is_file() && temp_files::is_temp_file(&entry.file_name()) {
            continue;
        }
        if kind.is_dir() {
            walk(openers, &path, found)?;
        } else if kind.is_file() {
            let content = user_files::read_content(&openers.of(&path), &path)?;
            let content = content.ok_or_else(|| not_movable(&path, "it went away"))?;
            found.files.push((path, content));
        } else {
            return Err(not_movable(&path, "it is a link, or no file"));
        }
        let bytes: usize = found.files.iter().map(|(_, content)| content.bytes.len()).sum();
        if found.files.len() > MAX_FILES || bytes > MAX_FOLDER_BYTES {
            return Err(not_movable(folder, "it contains too many files"));
        }
    }
    found.folders.push(self::read_folder(folder)?);
    Ok(())
}

fn not_movable(path: &Path, why: &str) -> Message {
    render!(NOT_MOVABLE, "path" => path.display().to_string(), "why" => why)
}
