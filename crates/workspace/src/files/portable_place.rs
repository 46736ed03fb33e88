//! Where a file of people is written where the system has no descriptors of folders: by its resolved path.
#![expect(clippy::disallowed_methods, reason = "this is the one writer of files of people")]

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::{MAX_LINKS, Opener, boundary, too_many_links};
use crate::files::temp_files;

/// A file, or an absent one, in its folder.
#[derive(Debug)]
pub struct FilePlace {
    opener: Opener,
    path: PathBuf,
}

/// A new file next to a [`FilePlace`], which replaces it. It is removed when this is dropped before.
#[derive(Debug)]
pub struct NextFile<'p> {
    place: &'p FilePlace,
    path: PathBuf,
    file: Option<File>,
}

impl Opener {
    /// Where a file is written. Links are followed, so that the target of a link is written and the link stays.
    ///
    /// # Errors
    /// Its folder does not exist, or the path leads out of the folder of this opener.
    pub fn place(&self, path: &Path) -> io::Result<FilePlace> {
        let mut path = path.to_owned();
        for _ in 0..=MAX_LINKS {
            let entry = self.entry(&path)?;
            match std::fs::read_link(&entry.path) {
                Ok(target) => path = path.parent().unwrap_or(&path).join(target),
                Err(_) => return Ok(entry),
            }
        }
        Err(too_many_links())
    }

    /// Like [`Opener::place`], but makes the missing folders. Those that it made are added to `made`, inner ones first.
    ///
    /// # Errors
    /// A folder cannot be made, or the path leads out of the folder of this opener.
    pub fn place_in_new_folder(&self, path: &Path, made: &mut Vec<PathBuf>) -> io::Result<FilePlace> {
        self.make_folder(path.parent().unwrap_or(path), made)?;
        self.place(path)
    }

    /// The entry of a folder itself, even if it is a link.
    ///
    /// # Errors
    /// Its folder does not exist, or the path leads out of the folder of this opener.
    pub fn entry(&self, path: &Path) -> io::Result<FilePlace> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = boundary::resolve(self.0.as_deref(), folder.unwrap_or(Path::new(".")))?;
        Ok(FilePlace {
            opener: self.clone(),
            path: folder.join(path.file_name().unwrap_or_default()),
        })
    }

    /// Makes a folder and its missing parents, and adds to `made` those that it made, inner ones first.
    ///
    /// # Errors
    /// A folder cannot be made, or the path leads out of the folder of this opener.
    pub fn make_folder(&self, path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
        match boundary::resolve(self.0.as_deref(), path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => return result.map(drop),
        }
        let parent = path.parent().ok_or(io::ErrorKind::NotFound)?;
        self.make_folder(parent, made)?;
        match std::fs::create_dir(path) {
            Ok(()) => made.insert(0, path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl FilePlace {
    /// The path of the file, with the links of its name followed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the present file. `None` if there is none.
    ///
    /// # Errors
    /// It cannot be opened, or is not a regular file that the opener may open.
    pub fn open(&self) -> io::Result<Option<(File, Metadata)>> {
        match self.opener.open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            result => result.map(Some),
        }
    }

    /// Creates a temporary file in the folder, which can replace the file. Files that ended processes left there are
    /// removed first.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create_next(&self) -> io::Result<NextFile<'_>> {
        temp_files::remove_stale(self.path.parent().unwrap_or(&self.path));
        let path = self.path.with_file_name(temp_files::new_name());
        Ok(NextFile {
            file: Some(File::create_new(&path)?),
            path,
            place: self,
        })
    }

    /// Creates the file itself. It must not exist.
    ///
    /// # Errors
    /// It exists or cannot be created.
    pub fn create(&self) -> io::Result<File> {
        File::create_new(&self.path)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn remove(&self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }

    /// Moves the file to another place, where it replaces what is there.
    ///
    /// # Errors
    /// The error of the operating system, such as that the other place is on another disk.
    pub fn move_to(&self, other: &Self) -> io::Result<()> {
        std::fs::rename(&self.path, &other.path)
    }

    /// Removes this entry if it is a folder that contains nothing but temporary files.
    ///
    /// # Errors
    /// It contains something else, is no folder, or cannot be removed.
    pub fn remove_empty_folder(&self) -> io::Result<()> {
        let mut temporary = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            if !temp_files::is_temp_file(&entry.file_name()) || !entry.file_type()?.is_file() {
                return Err(io::ErrorKind::DirectoryNotEmpty.into());
            }
            temporary.push(entry.path());
        }
        for path in temporary {
            std::fs::remove_file(path)?;
        }
        std::fs::remove_dir(&self.path)
    }

    /// The system writes the entries of folders to the disk by itself.
    pub fn sync_folder(&self) {}
}

impl NextFile<'_> {
    /// The open file.
    #[must_use]
    #[expect(clippy::expect_used, reason = "it is taken only by the methods that consume this")]
    pub fn file(&self) -> &File {
        self.file.as_ref().expect("the file is open until it is renamed")
    }

    /// Replaces the file of the place.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn replace(mut self) -> io::Result<()> {
        // An open file cannot be renamed.
        drop(self.file.take());
        std::fs::rename(&self.path, &self.place.path)
    }

    /// Becomes the file of the place, which must not exist.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or another error of the operating system.
    pub fn become_new(mut self) -> io::Result<()> {
        drop(self.file.take());
        std::fs::hard_link(&self.path, &self.place.path)
    }
}

impl Drop for NextFile<'_> {
    fn drop(&mut self) {
        drop(self.file.take());
        // After a rename there is nothing at this path.
        let _ = std::fs::remove_file(&self.path);
    }
}
