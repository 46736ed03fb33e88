//! Writing new files into a folder, as one edit that can be undone. Nothing is ever overwritten: a file that exists with
//! exactly the same bytes stays as it is, and any other existing file refuses the whole edit.

use std::path::{Path, PathBuf};

use hookwright_dialects::convert::NewFile;
use hookwright_model::{EditDoc, EditKind, Message, args};

use super::script_edit::ScriptPlace;
use super::store::EditRecord;
use super::user_files::{self, FileContent, FileTransaction, PlannedFile};
use super::{WriteMode, apply, approval_transfer, diff};
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// A new file would replace another one.
    EXISTS = "edit_exists" { "{path} already exists", "{path} 已存在" } hint { "choose another folder; nothing was changed", "换一个文件夹；未作任何更改" };
}

/// New files for a folder.
#[derive(Debug, Clone)]
pub struct NewFiles<'a> {
    /// The folder, absolute. It need not exist.
    pub folder: &'a Path,
    /// Dialect id of the files.
    pub dialect: &'static str,
    /// The files, with paths in the folder. The first one is named in the list of edits.
    pub files: &'a [NewFile],
}

/// Writes the files. [`super::undo`] can undo it. A dry run only checks that nothing would be overwritten.
///
/// # Errors
/// A file exists, or cannot be written. No file was changed then.
pub fn write(workspace: &Workspace, request: &NewFiles<'_>, mode: WriteMode) -> Result<EditDoc, Message> {
    let folder = real_folder(request.folder);
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(&folder);
    let open_project = workspace.open_project(existing)?;
    let mut work = FileTransaction::default();
    for file in request.files {
        let path = folder.join(&file.path);
        ScriptPlace::new(workspace, &open_project, &path).check()?;
        work.files.extend(plan_file(path, file)?);
    }
    let first = work.files.first().map(|file| file.path.clone());
    let mut doc = EditDoc {
        hook: None,
        moved: std::collections::BTreeMap::new(),
        path: first.clone().unwrap_or_else(|| folder.clone()).display().to_string(),
        diff: diff::for_transaction(&work),
        written: false,
        problems: Vec::new(),
        edit: None,
        undo: None,
        trashed: None,
        turned_off: None,
        notices: Vec::new(),
    };
    let (Some(path), WriteMode::Now) = (first, mode) else {
        return Ok(doc);
    };
    let record = EditRecord {
        version: 1,
        edit: String::new(),
        at: workspace.now(),
        what: EditKind::Save,
        undoes: None,
        dialect: request.dialect.to_owned(),
        project: open_project.project.clone(),
        in_project: true,
        hook: None,
        label: None,
        path,
        made: Vec::new(),
        gone: Vec::new(),
        files: Vec::new(),
        connects: false,
        script: true,
        turning: None,
    };
    let done = apply::apply(workspace, &open_project, &mut work, record, |after, work| {
        approval_transfer::transfer_all(workspace, &[], work, after)
    })?;
    doc.written = true;
    doc.notices.extend(done.notices);
    (doc.edit, doc.undo) = (done.edit.clone(), done.edit);
    Ok(doc)
}

/// The folder with the links of its existing part followed: the user named it, so it may be a link.
fn real_folder(folder: &Path) -> PathBuf {
    let existing = folder
        .ancestors()
        .find_map(|part| Some((part, dunce::canonicalize(part).ok()?)));
    existing.map_or_else(
        || folder.to_owned(),
        |(part, real)| {
            folder
                .strip_prefix(part)
                .map_or_else(|_| real.clone(), |rest| real.join(rest))
        },
    )
}

/// The file to write; `None` if it exists with the same bytes.
fn plan_file(path: PathBuf, file: &NewFile) -> Result<Option<PlannedFile>, Message> {
    if path.symlink_metadata().is_ok() {
        let same =
            path.is_file() && user_files::read_content(&path)?.is_some_and(|content| content.bytes == file.bytes);
        let exists = || EXISTS.render(args! { "path" => path.display().to_string() });
        return if same { Ok(None) } else { Err(exists()) };
    }
    Ok(Some(PlannedFile {
        path,
        before: None,
        after: Some(FileContent {
            bytes: file.bytes.clone(),
            mode: file.mode,
            owner: None,
            attributes: Vec::new(),
        }),
    }))
}
