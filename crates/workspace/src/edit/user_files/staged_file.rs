//! Writing one file: the new text is written to a temporary file next to it, and replaces it by a rename.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hookwright_model::{Message, render};

use super::super::attributes;
use super::{
    CHANGED, FileContent, NOT_TRASHED, PlannedFile, WriteProgress, check_unchanged, read_place, trash, unwritable,
};
#[cfg(unix)]
use super::{owner, owner_not_kept};
use crate::files::{FilePlace, NextFile, Opener};

/// Replaces a file with its new text, or removes the file.
pub(super) fn write_file(opener: &Opener, file: &PlannedFile) -> Result<(), Message> {
    let unwritable = |error: io::Error| unwritable(&file.path, &error);
    let mut progress = WriteProgress::default();
    let place = find_place(opener, file, &mut progress).map_err(unwritable)?;
    let staged = StagedFile::stage(&place, file, &mut progress).map_err(unwritable)?;
    staged.move_into_place(file, None)
}

/// Where a file is written. Its missing folders are made, unless it is removed.
pub(super) fn find_place(opener: &Opener, file: &PlannedFile, progress: &mut WriteProgress) -> io::Result<FilePlace> {
    if file.after.is_none() {
        return opener.place(&file.path);
    }
    let mut made = Vec::new();
    let place = opener.place_in_new_folder(&file.path, &mut made);
    progress.add_made(made);
    place
}

/// A new text that is written but has not replaced its file yet.
pub(super) struct StagedFile<'p> {
    /// The file that is replaced or removed, links followed.
    place: &'p FilePlace,
    /// The temporary file with the new text; `None` if the file is removed.
    next: Option<NextFile<'p>>,
    /// Whether the file exists.
    replaces: bool,
}

impl<'p> StagedFile<'p> {
    pub(super) fn stage(place: &'p FilePlace, file: &PlannedFile, progress: &mut WriteProgress) -> io::Result<Self> {
        let Some(content) = &file.after else {
            return Ok(Self {
                place,
                next: None,
                replaces: true,
            });
        };
        let old = place.open()?;
        if old.as_ref().is_some_and(|(_, meta)| meta.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        let next = place.create_next()?;
        let mut written = next.file();
        written.write_all(&content.bytes)?;
        let lost = copy_metadata(written, old.as_ref(), content)?;
        apply_new_mode(written, file.new_mode())?;
        progress.notices.extend(
            lost.iter()
                .map(|name| attributes::lost_attribute_notice(&file.path, name)),
        );
        written.sync_all()?;
        Ok(Self {
            place,
            next: Some(next),
            replaces: old.is_some(),
        })
    }

    /// Replaces or removes the target. The file is compared as late as possible, because writing took time. Only a few
    /// system calls are between the comparison and the rename. No system offers both in one call.
    pub(super) fn move_into_place(self, file: &PlannedFile, trash: Option<&PathBuf>) -> Result<(), Message> {
        check_unchanged(file, read_place(&file.path, self.place)?.as_ref())?;
        let Some(next) = self.next else {
            return match (trash, &file.before) {
                (Some(to), Some(before)) => {
                    let stored = trash::store(self.place, to, before);
                    stored.map_err(|not_kept| not_trashed(&file.path, to, &not_kept))
                }
                (_, _) => self.place.remove().map_err(|error| unwritable(&file.path, &error)),
            };
        };
        // Another program may have created the file since the check.
        let in_place = if self.replaces {
            next.replace()
        } else {
            next.become_new()
        };
        if let Err(error) = in_place {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return Err(render!(CHANGED, "path" => file.path.display().to_string()));
            }
            return Err(unwritable(&file.path, &error));
        }
        self.place.sync_folder();
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
            render!(NOT_TRASHED, "path" => path, "trash" => trash, "why" => error.to_string())
        }
    }
}

/// Copies mode, owner and attributes of the replaced file. A new file gets those of `content`. Returns the names of
/// attributes that could not be set.
#[cfg(unix)]
pub(super) fn copy_metadata(
    file: &File,
    old: Option<&(File, Metadata)>,
    content: &FileContent,
) -> io::Result<Vec<String>> {
    use std::os::unix::fs::{PermissionsExt, fchown};
    let wanted = match old {
        Some((_, meta)) => owner(meta),
        None => content.owner,
    };
    if let Some((user, group)) = wanted
        && wanted != owner(&file.metadata()?)
    {
        fchown(file, Some(user), Some(group)).map_err(|error| owner_not_kept(&error))?;
    }
    // This is after the owner, because a change of the owner may clear bits of the mode.
    file.set_permissions(match old {
        Some((_, meta)) => meta.permissions(),
        None => std::fs::Permissions::from_mode(content.mode),
    })?;
    // This is after the mode, because an access control list among the attributes contains the mode too.
    Ok(match old {
        Some((old, _)) => attributes::write(file, &attributes::read(old)),
        None => attributes::write(file, &content.attributes),
    })
}

#[cfg(not(unix))]
pub(super) fn copy_metadata(file: &File, old: Option<&(File, Metadata)>, _: &FileContent) -> io::Result<Vec<String>> {
    if let Some((_, meta)) = old {
        file.set_permissions(meta.permissions())?;
    }
    Ok(Vec::new())
}
