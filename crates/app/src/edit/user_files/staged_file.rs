//! Putting one file in its place: its new text is written beside it and takes its place by a rename.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hookwright_model::args;

use super::super::{attributes, trash};
use super::{
    CHANGED, FileContent, NOT_TRASHED, PlannedFile, WriteProgress, check_unchanged, make_missing_folders, owner,
    owner_not_kept, unwritable,
};
use crate::fault::Fault;
use crate::locked_file;
use crate::temp_files;

/// Puts a file's new text in its place, or takes the file away.
pub(super) fn write_file(
    file: &PlannedFile,
    trash: Option<&PathBuf>,
    progress: &mut WriteProgress,
) -> Result<(), Fault> {
    let staged = StagedFile::stage(file, progress).map_err(|error| unwritable(&file.path, &error))?;
    staged.move_into_place(file, trash)
}

/// What is written and not in its place yet.
pub(super) struct StagedFile {
    /// The file that gives way, links followed.
    target: PathBuf,
    /// The new text beside it; `None` where the file goes.
    staged: Option<tempfile::NamedTempFile>,
    /// Whether something is there that gives way.
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

    /// The last look at the file stands as late as it can: writing took its time. What is left between it and the rename
    /// is a few system calls wide, in which no system offers to compare.
    pub(super) fn move_into_place(self, file: &PlannedFile, trash: Option<&PathBuf>) -> Result<(), Fault> {
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
            // Somebody may have made it since it was looked for.
            next.persist_noclobber(&self.target)
        };
        if let Err(error) = in_place {
            if error.error.kind() == io::ErrorKind::AlreadyExists {
                return Err(CHANGED
                    .render(args! { "path" => file.path.display().to_string() })
                    .into());
            }
            return Err(unwritable(&file.path, &error.error));
        }
        // The new text is in place whatever this says; file systems without it are no reason to fail.
        let folder = self.target.parent().unwrap_or(&self.target);
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// Why a file was not taken away, and what helps.
fn not_trashed(path: &Path, place: &Path, why: &trash::TrashError) -> Fault {
    match why {
        trash::TrashError::File(error) => unwritable(path, error),
        trash::TrashError::Trash(error) => {
            let (path, trash) = (path.display().to_string(), place.display().to_string());
            NOT_TRASHED
                .render(args! { "path" => path, "trash" => trash, "why" => error.to_string() })
                .into()
        }
    }
}

/// Mode, owner and attributes of the file that is replaced; a new one gets those that it is to have. Returns the names of
/// the attributes that it cannot have.
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
    // After the owner: giving a file away may take bits of its mode.
    file.set_permissions(match old {
        Some((old, _)) => old.permissions(),
        None => std::fs::Permissions::from_mode(content.mode),
    })?;
    // After the mode, of which an access list has its own form.
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
