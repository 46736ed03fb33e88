//! Writing one file: the new text is written to a temporary file next to it, and replaces it by a rename.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hookwright_model::{Message, args};

use super::super::{attributes, trash};
use super::{
    CHANGED, FileContent, NOT_TRASHED, PlannedFile, WriteProgress, check_unchanged, make_missing_folders, unwritable,
};
#[cfg(unix)]
use super::{owner, owner_not_kept};
use crate::data_files::{locked_file, temp_files};

/// Replaces a file with its new text, or removes the file.
pub(super) fn write_file(file: &PlannedFile) -> Result<(), Message> {
    let staged =
        StagedFile::stage(file, &mut WriteProgress::default()).map_err(|error| unwritable(&file.path, &error))?;
    staged.move_into_place(file, None)
}

/// A new text that is written but has not replaced its file yet.
pub(super) struct StagedFile {
    /// The file that is replaced or removed, links followed.
    target: PathBuf,
    /// The temporary file with the new text; `None` if the file is removed.
    staged: Option<tempfile::NamedTempFile>,
    /// Whether the target exists.
    replaces: bool,
}

impl StagedFile {
    pub(super) fn stage(file: &PlannedFile, progress: &mut WriteProgress) -> io::Result<Self> {
        let target = locked_file::resolve_links(&file.path)?;
        let Some(content) = &file.after else {
            return Ok(Self {
                target,
                staged: None,
                replaces: true,
            });
        };
        let folder = target
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        make_missing_folders(folder, &mut progress.made_folders)?;
        let old = match std::fs::metadata(&target) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if old.as_ref().is_some_and(|meta| meta.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        let mut next = temp_files::create(folder)?;
        next.write_all(&content.bytes)?;
        let lost = copy_metadata(
            next.as_file(),
            next.path(),
            old.as_ref().map(|meta| (meta, target.as_path())),
            content,
        )?;
        apply_new_mode(next.as_file(), file.new_mode())?;
        progress.notices.extend(
            lost.iter()
                .map(|name| attributes::lost_attribute_notice(&file.path, name)),
        );
        next.as_file().sync_all()?;
        Ok(Self {
            target,
            staged: Some(next),
            replaces: old.is_some(),
        })
    }

    /// Replaces or removes the target. The file is compared as late as possible, because writing took time. Only a few
    /// system calls are between the comparison and the rename. No system offers both in one call.
    pub(super) fn move_into_place(self, file: &PlannedFile, trash: Option<&PathBuf>) -> Result<(), Message> {
        check_unchanged(file)?;
        let Some(next) = self.staged else {
            return match (trash, &file.before) {
                (Some(place), Some(before)) => {
                    let stored = trash::store(&self.target, place, before);
                    stored.map_err(|not_kept| not_trashed(&file.path, place, &not_kept))
                }
                (_, _) => std::fs::remove_file(&self.target).map_err(|error| unwritable(&file.path, &error)),
            };
        };
        let in_place = if self.replaces {
            next.persist(&self.target)
        } else {
            // Another program may have created the file since the check.
            next.persist_noclobber(&self.target)
        };
        if let Err(error) = in_place {
            if error.error.kind() == io::ErrorKind::AlreadyExists {
                return Err(CHANGED.render(args! { "path" => file.path.display().to_string() }));
            }
            return Err(unwritable(&file.path, &error.error));
        }
        // The new text is in place even if this fails. Some file systems cannot sync a folder, so an error is ignored.
        let folder = self.target.parent().unwrap_or(&self.target);
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// Sets the mode that the edit is about.
#[cfg(unix)]
fn apply_new_mode(file: &File, mode: Option<u32>) -> io::Result<()> {
    let permissions = mode.map(std::os::unix::fs::PermissionsExt::from_mode);
    permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))
}

#[cfg(not(unix))]
fn apply_new_mode(_: &File, _: Option<u32>) -> io::Result<()> {
    Ok(())
}

/// The message that a file was not removed, with a hint for the reason.
fn not_trashed(path: &Path, place: &Path, why: &trash::TrashError) -> Message {
    match why {
        trash::TrashError::File(error) => unwritable(path, error),
        trash::TrashError::Trash(error) => {
            let (path, trash) = (path.display().to_string(), place.display().to_string());
            NOT_TRASHED.render(args! { "path" => path, "trash" => trash, "why" => error.to_string() })
        }
    }
}

/// Copies mode, owner and attributes of the replaced file. A new file gets those of `content`. Returns the names of
/// attributes that could not be set.
#[cfg(unix)]
pub(in super::super) fn copy_metadata(
    file: &File,
    path: &Path,
    old: Option<(&Metadata, &Path)>,
    content: &FileContent,
) -> io::Result<Vec<String>> {
    use std::os::unix::fs::{PermissionsExt, fchown};
    let wanted = match old {
        Some((old, _)) => owner(old),
        None => content.owner,
    };
    if let Some((user, group)) = wanted
        && wanted != owner(&file.metadata()?)
    {
        fchown(file, Some(user), Some(group)).map_err(|error| owner_not_kept(&error))?;
    }
    // This is after the owner, because a change of the owner may clear bits of the mode.
    file.set_permissions(match old {
        Some((old, _)) => old.permissions(),
        None => std::fs::Permissions::from_mode(content.mode),
    })?;
    // This is after the mode, because an access control list among the attributes contains the mode too.
    Ok(match old {
        Some((_, old)) => attributes::write(file, path, &attributes::read(old)),
        None => attributes::write(file, path, &content.attributes),
    })
}

#[cfg(not(unix))]
pub(in super::super) fn copy_metadata(
    file: &File,
    _: &Path,
    old: Option<(&Metadata, &Path)>,
    _: &FileContent,
) -> io::Result<Vec<String>> {
    if let Some((old, _)) = old {
        file.set_permissions(old.permissions())?;
    }
    Ok(Vec::new())
}
