//! Writing new files into a folder, as one edit that can be undone. Nothing is ever overwritten: a file that exists with
//! exactly the same bytes stays as it is, and any other existing file refuses the whole edit.

use std::path::{Path, PathBuf};

use hookwright_dialects::convert::NewFile;
use hookwright_model::{EditDoc, Message, MessageTemplate, RootKind, args, render};

use super::edit_openers::EditOpeners;
use super::refusal::WriteMode;
use super::script_edit::ScriptPlace;
use super::user_files::{self, FileContent, FileTransaction, PlannedFile};
use super::{containment, plain_files};
use crate::disk_probe::DiskProbe;
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// A new file would replace another one.
    EXISTS = "edit_exists" { "{path} already exists", "{path} 已存在" } hint { "choose another folder; nothing was changed", "换一个文件夹；未作任何更改" };
    /// A hook that is not approved would be written to a place of the user layer.
    UNREVIEWED_PLACE = "edit_unreviewed" / "place" { "{hook} is not approved; in {path} it would run without a review", "{hook} 未获批准；写入 {path} 后会不经审阅直接执行" } hint { "choose another folder, or approve it in its project first; nothing was changed", "换一个文件夹，或先在其项目中批准；未作任何更改" };
    /// A hook that is not approved would be written into Hookwright's data folder.
    UNREVIEWED_DATA = "edit_unreviewed" / "data" { "{hook} is not approved; {path} is in Hookwright's data folder", "{hook} 未获批准；{path} 在 Hookwright 的数据文件夹中" } hint { "choose another folder; nothing was changed", "换一个文件夹；未作任何更改" };
}

/// The permission of the owner to start a file.
const OWNER_RUNS: u32 = 0o100;

/// New files for a folder.
#[derive(Debug, Clone)]
pub struct NewFiles<'a> {
    /// The folder, absolute. It need not exist.
    pub folder: &'a Path,
    /// Dialect id of the files.
    pub dialect: &'static str,
    /// The files, with paths in the folder. The first one is named in the list of edits.
    pub files: &'a [NewFile],
    /// The id of a hook in these files that nobody has approved. Then they are not written where they would be in force
    /// without a review (`CONTRACTS.md` §2.5).
    pub unreviewed: Option<&'a str>,
}

/// Writes the files. [`super::undo`] can undo it. A dry run only checks that nothing would be overwritten.
///
/// # Errors
/// A file exists or cannot be written, or is in a place for reviewed hooks only. No file was changed then.
pub fn write(workspace: &Workspace, request: &NewFiles<'_>, mode: WriteMode) -> Result<EditDoc, Message> {
    let folder = real_folder(request.folder);
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(&folder);
    let open_project = workspace.open_project(existing)?;
    let mut work = FileTransaction::default();
    let openers = EditOpeners::of_open_project(&open_project);
    for file in request.files {
        let path = folder.join(&file.path);
        if let Some(hook) = request.unreviewed {
            check_place(workspace, &path, hook)?;
        }
        ScriptPlace::new(workspace, &open_project, &path).check()?;
        work.files.extend(plan_file(&openers, path, file)?);
    }
    let first = work.files.first().map(|file| file.path.clone());
    let path = first.unwrap_or(folder);
    plain_files::write(workspace, &open_project, request.dialect, (&path, work), mode)
}

/// Checks that a file is in no place from which hooks run without a review, and not in the data folder. Links are
/// followed on both sides, because a place of the user may be a link to anywhere.
fn check_place(workspace: &Workspace, path: &Path, hook: &str) -> Result<(), Message> {
    let resolve = |path: &Path| {
        let resolved = containment::resolve_target(path);
        resolved.map_err(|error| user_files::unreadable(path, &error))
    };
    let env = &workspace.env;
    let target = resolve(path)?;
    let refuse = |template: MessageTemplate| {
        Err(template.render(args! { "hook" => hook, "path" => path.display().to_string() }))
    };
    if target.starts_with(resolve(&env.data_dir)?) {
        return refuse(UNREVIEWED_DATA);
    }
    // Shells and desktops run files that lie directly in the home folder, under names that a hook may choose.
    if target.parent() == Some(&resolve(&env.home)?) {
        return refuse(UNREVIEWED_PLACE);
    }
    // No project is here, so all roots without one are the user's.
    let places = env.locations(&env.data_dir);
    let roots = hookwright_dialects::all()
        .iter()
        .flat_map(|dialect| dialect.roots(&places, &DiskProbe));
    for root in roots.filter(|root| root.project.is_none()) {
        let place = resolve(&root.path)?;
        let is_in_force = match root.reads {
            RootKind::File => target == place,
            RootKind::Folders(_) | RootKind::FilesIn(_) | RootKind::FilesBelow(_) => target.starts_with(place),
        };
        if is_in_force {
            return refuse(UNREVIEWED_PLACE);
        }
    }
    Ok(())
}

/// The folder with the links of its existing part followed: the user named it, so it may be a link.
pub(super) fn real_folder(folder: &Path) -> PathBuf {
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

/// The file to write; `None` if it exists with the same bytes, and is executable if it has to be.
pub(super) fn plan_file(openers: &EditOpeners, path: PathBuf, file: &NewFile) -> Result<Option<PlannedFile>, Message> {
    let exists = || render!(EXISTS, "path" => path.display().to_string());
    let before = match path.symlink_metadata() {
        Err(_) => None,
        Ok(meta) if meta.is_symlink() || !meta.is_file() => return Err(exists()),
        Ok(_) => user_files::read_content(&openers.of(&path), &path)?,
    };
    let Some(before) = before else {
        return Ok(Some(PlannedFile {
            path,
            before: None,
            after: Some(FileContent {
                bytes: file.bytes.clone(),
                mode: file.mode,
                owner: None,
                attributes: Vec::new(),
            }),
        }));
    };
    if before.bytes != file.bytes {
        return Err(exists());
    }
    if file.mode & OWNER_RUNS == 0 || before.mode & OWNER_RUNS != 0 {
        return Ok(None);
    }
    let after = FileContent {
        mode: before.mode | OWNER_RUNS,
        ..before.clone()
    };
    Ok(Some(PlannedFile {
        path,
        before: Some(before),
        after: Some(after),
    }))
}
