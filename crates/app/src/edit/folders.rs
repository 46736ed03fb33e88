//! From a dialect's plan to files: what stands there now, and every file of a folder that is copied or goes.

use std::path::{Path, PathBuf};

use hookwright_model::{FileChange, FileKind, SourceTree, args};

use super::people::{self, CHANGED, Content, Folder, Planned, Work};
use crate::fault::Fault;

hookwright_model::sayings! {
    /// A new file or folder whose name is taken.
    EXISTS = "edit_exists" { "{path} is there already", "{path} 已经存在" } hint { "choose another name, or move it away; nothing was changed", "请换一个名字，或先移走它；未作任何更改" };
    /// A place of the project that is a way out of it.
    OUTSIDE = "edit_outside" { "{path} leads out of the project through a link", "{path} 经由链接通向项目之外" } hint { "edit the file where it really is; nothing was changed", "请在文件的实际位置编辑；未作任何更改" };
    /// A folder that cannot be taken along.
    NOT_TAKEN = "edit_folder" { "{path} cannot be taken along: {why}", "无法一并处理 {path}：{why}" } hint { "move the folder by hand; nothing was changed", "请手工移动文件夹；未作任何更改" };
}

/// Files and bytes of a folder that is still taken for a hook's.
const MOST_FILES: usize = 1000;
const MOST_BYTES: usize = 64 << 20;
const MARK: &str = "\u{feff}";

/// Everything that a plan changes.
pub(super) fn work(trees: &[SourceTree], changes: &[FileChange]) -> Result<Work, Fault> {
    let mut work = Work::default();
    for change in changes {
        match change {
            FileChange::Write { path, text, kind } => write(&mut work, trees, path, text, *kind)?,
            FileChange::Remove { path } => {
                if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
                    return Err(not_taken(path, "it is a link"));
                }
                let before = people::content(path)?;
                work.files.push(Planned {
                    path: path.clone(),
                    before,
                    after: None,
                });
            }
            FileChange::CopyFile { from, to } => {
                vacant(to)?;
                let gone = || CHANGED.say(args! { "path" => from.display().to_string() });
                work.files.push(Planned {
                    path: to.clone(),
                    before: None,
                    after: Some(people::content(from)?.ok_or_else(gone)?),
                });
            }
            FileChange::CopyFolder { from, to } => {
                vacant(to)?;
                let there = |path: &Path| match path.strip_prefix(from) {
                    Ok(inside) if !inside.as_os_str().is_empty() => to.join(inside),
                    Ok(_) | Err(_) => to.clone(),
                };
                let Inside { files, folders } = inside(from)?;
                // Outer ones first.
                work.made.extend(folders.iter().rev().map(|folder| Folder {
                    path: there(&folder.path),
                    mode: folder.mode,
                }));
                work.files.extend(files.into_iter().map(|(path, content)| Planned {
                    path: there(&path),
                    before: None,
                    after: Some(content),
                }));
            }
            FileChange::RemoveFolder { path } => {
                let Inside { files, folders } = inside(path)?;
                let gone = files.into_iter().map(|(path, content)| Planned {
                    path,
                    before: Some(content),
                    after: None,
                });
                work.files.extend(gone);
                work.gone.extend(folders);
            }
        }
    }
    for file in work.files.iter().filter(|file| file.after.is_some()) {
        stays_inside(trees, &file.path)?;
    }
    Ok(work)
}

/// What is written for a project is in the project, links followed (`engine.md` §9, `file_outside`).
fn stays_inside(trees: &[SourceTree], path: &Path) -> Result<(), Fault> {
    let project = trees
        .iter()
        .filter(|tree| path.starts_with(&tree.root.path))
        .find_map(|tree| tree.root.project.as_deref());
    let Some(project) = project else { return Ok(()) };
    let real = |path: &Path| dunce::canonicalize(path);
    let nearest = path.ancestors().find_map(|above| real(above).ok());
    match (nearest, real(project)) {
        (Some(nearest), Ok(project)) if !nearest.starts_with(&project) => {
            Err(OUTSIDE.say(args! { "path" => path.display().to_string() }).into())
        }
        // Nothing of it is there, or no project: whatever is wrong is told when it is written.
        (Some(_) | None, Ok(_) | Err(_)) => Ok(()),
    }
}

/// Nothing is there yet.
fn vacant(path: &Path) -> Result<(), Fault> {
    match path.symlink_metadata() {
        Ok(_) => Err(EXISTS.say(args! { "path" => path.display().to_string() }).into()),
        Err(_) => Ok(()),
    }
}

fn write(work: &mut Work, trees: &[SourceTree], path: &Path, text: &str, kind: FileKind) -> Result<(), Fault> {
    // A file that is copied, or in a copied folder, may be another one there.
    if let Some(copied) = work
        .files
        .iter_mut()
        .find(|file| file.path == path && file.before.is_none())
    {
        if let Some(content) = &mut copied.after {
            content.bytes = text.as_bytes().to_vec();
        }
        return Ok(());
    }
    let before = people::content(path)?;
    let shown = trees.iter().find_map(|tree| tree.files.get(path));
    let mark = match (&before, shown.map(|file| &file.text)) {
        (None, _) => "",
        (Some(content), Some(Ok(text))) => {
            let bytes = content.bytes.as_slice();
            match bytes.strip_prefix(MARK.as_bytes()) {
                Some(rest) if rest == text.as_bytes() => MARK,
                None if bytes == text.as_bytes() => "",
                Some(_) | None => {
                    return Err(CHANGED.say(args! { "path" => path.display().to_string() }).into());
                }
            }
        }
        // What the dialect was not shown it does not mean to replace.
        (Some(_), Some(Err(_)) | None) => {
            return Err(EXISTS.say(args! { "path" => path.display().to_string() }).into());
        }
    };
    let new_mode = match kind {
        FileKind::Plain => 0o600,
        FileKind::Script => 0o700,
    };
    work.files.push(Planned {
        path: path.to_owned(),
        after: Some(Content {
            bytes: format!("{mark}{text}").into_bytes(),
            mode: before.as_ref().map_or(new_mode, |content| content.mode),
        }),
        before,
    });
    Ok(())
}

/// What is in a folder.
struct Inside {
    files: Vec<(PathBuf, Content)>,
    /// It and the folders in it, inner ones first.
    folders: Vec<Folder>,
}

fn inside(folder: &Path) -> Result<Inside, Fault> {
    let mut found = Inside {
        files: Vec::new(),
        folders: Vec::new(),
    };
    let is_link = folder.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    if is_link {
        return Err(not_taken(folder, "it is a link"));
    }
    walk(folder, &mut found)?;
    Ok(found)
}

fn walk(folder: &Path, found: &mut Inside) -> Result<(), Fault> {
    let entries = std::fs::read_dir(folder).map_err(|error| not_taken(folder, &error.to_string()))?;
    for entry in entries {
        let entry = entry.map_err(|error| not_taken(folder, &error.to_string()))?;
        let path = entry.path();
        let kind = entry
            .file_type()
            .map_err(|error| not_taken(&path, &error.to_string()))?;
        if kind.is_dir() {
            walk(&path, found)?;
        } else if kind.is_file() {
            let content = people::content(&path)?.ok_or_else(|| not_taken(&path, "it went away"))?;
            found.files.push((path, content));
        } else {
            return Err(not_taken(&path, "it is a link, or no file"));
        }
        let bytes: usize = found.files.iter().map(|(_, content)| content.bytes.len()).sum();
        if found.files.len() > MOST_FILES || bytes > MOST_BYTES {
            return Err(not_taken(folder, "it holds too much"));
        }
    }
    let own = Folder::of(folder).map_err(|error| not_taken(folder, &error.to_string()))?;
    found.folders.push(own);
    Ok(())
}

fn not_taken(path: &Path, why: &str) -> Fault {
    NOT_TAKEN
        .say(args! { "path" => path.display().to_string(), "why" => why })
        .into()
}
