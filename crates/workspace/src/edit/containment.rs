//! Where an edit may write, with links followed. Files of a project must not lead the user's edit to another place.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use hookwright_model::{Layer, Message, Root, SourceTree, render};

use super::user_files::{self, FileTransaction};
use crate::discovery::text_folder;

/// At most this many links are followed on the way to one file. A path with more links leads in a circle.
const MAX_LINKS: usize = 40;

hookwright_model::messages! {
    /// A file of a skill leads out of its `hooks/` folder through a link.
    OUTSIDE_SKILL = "edit_outside" / "skill" { "{path} leads out of its skill's `hooks/` through a link", "{path} 经由链接通向所属 Skill 的 `hooks/` 之外" } hint { "put the file itself there; nothing was changed", "把文件本身放在那里；未作任何更改" };
    /// The path is in no root of the dialect.
    NOT_A_HOOK_PLACE = "edit_outside" / "place" { "{path} is not a location for hook files", "{path} 不是存放 Hook 文件的位置" } hint { "name a file in the same folder as the file that refers to it; nothing was changed", "使用与引用它的文件同一文件夹中的文件；未作任何更改" };
    /// The path is a link to another file with hooks.
    SHARED_LINK = "edit_link_shared" { "{path} is a link to {other}, which is itself a file of hooks", "{path} 是指向 {other} 的链接，而后者本身就是 Hook 的文件" } hint { "replace the link with a separate file; nothing was changed", "用单独的文件替换该链接；未作任何更改" };
}

/// Checks that every changed path is in a root that was read. It must not lead out of the boundary of that root
/// (`engine.md` §9 and `skill.md` §2, `file_outside`).
///
/// # Errors
/// A path breaks one of these rules. The error names it.
pub(super) fn check_containment(trees: &[SourceTree], work: &FileTransaction) -> Result<(), Message> {
    let refuse = |path: &Path| Err(render!(NOT_A_HOOK_PLACE, "path" => path.display().to_string()));
    check_with_scripts(trees, work, &refuse)
}

/// Like [`check_containment`], but `elsewhere` decides about the paths that are in no root.
///
/// # Errors
/// A path breaks one of the rules. The error names it.
pub(super) fn check_with_scripts(
    trees: &[SourceTree],
    work: &FileTransaction,
    elsewhere: &dyn Fn(&Path) -> Result<(), Message>,
) -> Result<(), Message> {
    let changed = || work.files.iter().filter(|file| file.changes()).map(|file| &file.path);
    // A folder above a changed file is allowed where the file is.
    let made = work.new_folders.iter().map(|folder| &folder.path);
    let made = made.filter(|folder| !changed().any(|file| file.starts_with(folder)));
    for path in changed().chain(made) {
        match root_of(trees, path) {
            Some(root) => check_within_root(trees, root, path)?,
            None => elsewhere(path)?,
        }
    }
    check_distinct(work)
}

/// Whether files of the project change, and not only user files.
pub(super) fn touches_project(trees: &[SourceTree], work: &FileTransaction) -> bool {
    let mut changed = work.files.iter().filter(|file| file.changes());
    changed.any(|file| root_of(trees, &file.path).is_some_and(|root| root.project.is_some()))
}

/// Checks that no two changed paths lead to the same file through links. Otherwise the second text would replace the
/// first one.
fn check_distinct(work: &FileTransaction) -> Result<(), Message> {
    let mut targets: Vec<(PathBuf, &Path)> = Vec::new();
    for file in work.files.iter().filter(|file| file.changes()) {
        let target = resolve_target(&file.path).map_err(|error| user_files::unreadable(&file.path, &error))?;
        if let Some((_, other)) = targets.iter().find(|(known, _)| *known == target) {
            return Err(shared_link_message(&file.path, other));
        }
        targets.push((target, &file.path));
    }
    Ok(())
}

fn shared_link_message(path: &Path, other: &Path) -> Message {
    let shown = (path.display().to_string(), other.display().to_string());
    render!(SHARED_LINK, "path" => shown.0, "other" => shown.1)
}

fn check_within_root(trees: &[SourceTree], root: &Root, path: &Path) -> Result<(), Message> {
    let shown = || path.display().to_string();
    let resolve = |path: &Path| resolve_target(path).map_err(|error| user_files::unreadable(path, &error));
    let target = resolve(path)?;
    if let Some(project) = &root.project
        && !target.starts_with(resolve(project)?)
    {
        return Err(render!(user_files::OUTSIDE, "path" => shown()));
    }
    if let Some(folder) = text_folder(root, path)
        && !target.starts_with(resolve(&folder)?)
    {
        return Err(render!(OUTSIDE_SKILL, "path" => shown()));
    }
    // A link in a root of the user may lead to any file. A link of a project or a skill must not lead to another file
    // of a project or a skill.
    let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    let bounded = is_link && is_bounded(root);
    let mut others = trees
        .iter()
        .filter(|tree| bounded && is_bounded(&tree.root))
        .flat_map(|tree| &tree.files);
    match others.find(|(other, file)| *other != path && file.exists && file.real == target) {
        Some((other, _)) => Err(shared_link_message(path, other)),
        None => Ok(()),
    }
}

/// The root that contains a path, the innermost one of several. The path of a user's root may contain `..`, but the
/// part below the root must not.
fn root_of<'t>(trees: &'t [SourceTree], path: &Path) -> Option<&'t Root> {
    let inside = |root: &Root| {
        let rest = path.strip_prefix(&root.path);
        rest.is_ok_and(|rest| !rest.components().any(|part| part == Component::ParentDir))
    };
    let roots = trees.iter().map(|tree| &tree.root);
    roots
        .filter(|root| path.is_absolute() && inside(root))
        .max_by_key(|root| root.path.as_os_str().len())
}

/// Whether the files of a root must stay inside a boundary: those of a project, and those of any skill.
fn is_bounded(root: &Root) -> bool {
    root.project.is_some() || root.layer == Layer::Skill
}

/// Whether no part of an absolute path is a link.
///
/// # Errors
/// A link on the way cannot be read.
pub(super) fn leads_to_itself(path: &Path) -> Result<bool, Message> {
    let target = resolve_target(path).map_err(|error| user_files::unreadable(path, &error))?;
    Ok(path.is_absolute() && target == path)
}

/// Where a path leads after all links are followed one by one. Nothing needs to exist there, because a link to a
/// missing file can lead out too.
pub(super) fn resolve_target(path: &Path) -> io::Result<PathBuf> {
    let mut at = PathBuf::new();
    let mut ahead: VecDeque<OsString> = components(path).collect();
    let mut links = 0;
    while let Some(part) = ahead.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => {
                at.pop();
            }
            Some(Component::CurDir) | None => {}
            Some(Component::Prefix(_) | Component::RootDir) => at.push(part),
            Some(Component::Normal(_)) => {
                let here = at.join(&part);
                match std::fs::read_link(&here) {
                    Ok(to) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(io::Error::other("too many links"));
                        }
                        for part in components(&to).collect::<Vec<_>>().into_iter().rev() {
                            ahead.push_front(part);
                        }
                    }
                    Err(_) => at = here,
                }
            }
        }
    }
    Ok(at)
}

fn components(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().map(|part| part.as_os_str().to_owned())
}
