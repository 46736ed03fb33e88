//! Where a file of people is written on Unix: its folder, held open, and its name there. A later change
//! of the folder's path leads no write to another place.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::boundary::{open_entry, open_folder};
use super::{MAX_LINKS, Opener, leads_out, too_many_links};
use crate::files::temp_files;

/// The mode of a new folder: only its owner can use it.
const FOLDER_MODE: Mode = Mode::RWXU;
const NEW: OFlags = OFlags::RDWR
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A file, or an absent one, in its open folder.
#[derive(Debug)]
pub struct FilePlace {
    opener: Opener,
    folder: OwnedFd,
    name: OsString,
    path: PathBuf,
}

/// A new file next to a [`FilePlace`], which replaces it. It is removed when this is dropped before.
#[derive(Debug)]
pub struct NextFile<'p> {
    place: &'p FilePlace,
    name: Option<OsString>,
    file: File,
}

impl Opener {
    /// Where a file is written. Links are followed, so that the target of a link is written and the link stays.
    ///
    /// # Errors
    /// Its folder does not exist or cannot be opened, or the path leads out of the folder of this opener.
    pub fn place(&self, path: &Path) -> io::Result<FilePlace> {
        self.resolve(path, |folder| open_folder(self.0.as_deref(), folder))
    }

    /// Like [`Opener::place`], but makes the missing folders with mode 0700. Those that it made are added to `made`, inner
    /// ones first.
    ///
    /// # Errors
    /// A folder cannot be made or opened, or the path leads out of the folder of this opener.
    pub fn place_in_new_folder(&self, path: &Path, made: &mut Vec<PathBuf>) -> io::Result<FilePlace> {
        self.resolve(path, |folder| self.make_folders(folder, made))
    }

    /// The entry of a folder itself, even if it is a link.
    ///
    /// # Errors
    /// Its folder does not exist or cannot be opened, or the path leads out of the folder of this opener.
    pub fn entry(&self, path: &Path) -> io::Result<FilePlace> {
        let (folder, name) = parted(path)?;
        Ok(FilePlace {
            opener: self.clone(),
            folder: open_folder(self.0.as_deref(), folder)?,
            name,
            path: path.to_owned(),
        })
    }

    /// Opens a folder, to set its owner and mode.
    ///
    /// # Errors
    /// It cannot be opened, or the path leads out of the folder of this opener.
    pub fn folder(&self, path: &Path) -> io::Result<File> {
        open_folder(self.0.as_deref(), path).map(File::from)
    }

    fn resolve(&self, path: &Path, mut open: impl FnMut(&Path) -> io::Result<OwnedFd>) -> io::Result<FilePlace> {
        let mut path = path.to_owned();
        for _ in 0..=MAX_LINKS {
            let (parent, name) = parted(&path)?;
            let folder = open(parent)?;
            match rustix::fs::readlinkat(&folder, &name, Vec::new()) {
                Ok(target) => path = parent.join(OsString::from_vec(target.into_bytes())),
                Err(Errno::INVAL | Errno::NOENT) => {
                    return Ok(FilePlace {
                        opener: self.clone(),
                        folder,
                        name,
                        path,
                    });
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(too_many_links())
    }

    /// Makes a folder and its missing parents, and adds to `made` those that it made, inner ones first.
    ///
    /// # Errors
    /// A folder cannot be made or opened, or the path leads out of the folder of this opener.
    pub fn make_folder(&self, path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
        self.make_folders(path, made).map(drop)
    }

    fn make_folders(&self, path: &Path, made: &mut Vec<PathBuf>) -> io::Result<OwnedFd> {
        match open_folder(self.0.as_deref(), path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => return result,
        }
        let (parent, name) = parted(path)?;
        let parent = self.make_folders(parent, made)?;
        match rustix::fs::mkdirat(&parent, &name, FOLDER_MODE) {
            Ok(()) => made.insert(0, path.to_owned()),
            // Another program made it at the same time.
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&parent, &name, flags, Mode::empty())?)
    }
}

/// The folder of a path, and the name in it.
fn parted(path: &Path) -> io::Result<(&Path, OsString)> {
    let name = path.file_name().ok_or_else(leads_out)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok((folder.unwrap_or(Path::new(".")), name.to_owned()))
}

impl FilePlace {
    /// The path of the file, with the links of its name followed. It is for messages and for the folder's name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the present file. `None` if there is none.
    ///
    /// # Errors
    /// It cannot be opened, or is not a regular file that the opener may open.
    pub fn open(&self) -> io::Result<Option<(File, Metadata)>> {
        let file = match open_entry(self.folder.as_fd(), Path::new(&self.name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result?,
        };
        let meta = self.opener.judge(&file)?;
        Ok(Some((file, meta)))
    }

    /// Creates a temporary file in the folder, which can replace the file. Files that ended processes left there are
    /// removed first.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create_next(&self) -> io::Result<NextFile<'_>> {
        self.remove_stale();
        let name = temp_files::new_name();
        Ok(NextFile {
            file: create_at(self.folder.as_fd(), &name)?,
            name: Some(name),
            place: self,
        })
    }

    /// Creates the file itself, with mode 0600. It must not exist.
    ///
    /// # Errors
    /// It exists or cannot be created.
    pub fn create(&self) -> io::Result<File> {
        create_at(self.folder.as_fd(), &self.name)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?)
    }

    /// Moves the file to another place, where it replaces what is there.
    ///
    /// # Errors
    /// The error of the operating system, such as that the other place is on another disk.
    pub fn move_to(&self, other: &Self) -> io::Result<()> {
        Ok(rustix::fs::renameat(
            &self.folder,
            &self.name,
            &other.folder,
            &other.name,
        )?)
    }

    /// Removes this entry if it is a folder that contains nothing but temporary files.
    ///
    /// # Errors
    /// It contains something else, is no folder, or cannot be removed.
    pub fn remove_empty_folder(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?;
        let mut temporary = Vec::new();
        for (name, kind) in entries(folder.as_fd())? {
            if !temp_files::is_temp_file(&name) || kind != FileType::RegularFile {
                return Err(io::ErrorKind::DirectoryNotEmpty.into());
            }
            temporary.push(name);
        }
        for name in temporary {
            match rustix::fs::unlinkat(&folder, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::REMOVEDIR)?)
    }

    /// Writes the entries of the folder to the disk. Some file systems cannot do this, so an error is ignored: the file is
    /// in place even then.
    pub fn sync_folder(&self) {
        let _ = rustix::fs::fsync(&self.folder);
    }

    /// Removes the temporary files of ended processes from the folder. One that cannot be removed does no harm.
    fn remove_stale(&self) {
        for (name, kind) in entries(self.folder.as_fd()).unwrap_or_default() {
            if kind == FileType::RegularFile && temp_files::is_stale(&name) {
                let _ = rustix::fs::unlinkat(&self.folder, &name, AtFlags::empty());
            }
        }
    }
}

impl NextFile<'_> {
    /// The open file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Replaces the file of the place.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn replace(mut self) -> io::Result<()> {
        let folder = &self.place.folder;
        if let Some(name) = &self.name {
            rustix::fs::renameat(folder, name, folder, &self.place.name)?;
        }
        self.name = None;
        Ok(())
    }

    /// Becomes the file of the place, which must not exist.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or another error of the operating system.
    pub fn become_new(mut self) -> io::Result<()> {
        let folder = &self.place.folder;
        let Some(name) = &self.name else { return Ok(()) };
        match rename_to_new(folder.as_fd(), name, &self.place.name) {
            // The file system or the kernel cannot do this in one call. The temporary name is removed on drop.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(folder, name, folder, &self.place.name, AtFlags::empty())?;
            }
            result => {
                result?;
                self.name = None;
            }
        }
        Ok(())
    }
}

impl Drop for NextFile<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // A file that cannot be removed is removed by the next writer.
            let _ = rustix::fs::unlinkat(&self.place.folder, name, AtFlags::empty());
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_to_new(folder: BorrowedFd<'_>, from: &OsString, to: &OsString) -> Result<(), Errno> {
    rustix::fs::renameat_with(folder, from, folder, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename_to_new(_: BorrowedFd<'_>, _: &OsString, _: &OsString) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

fn create_at(folder: BorrowedFd<'_>, name: &OsString) -> io::Result<File> {
    let mode = Mode::RUSR | Mode::WUSR;
    Ok(rustix::fs::openat(folder, name, NEW, mode)?.into())
}

/// The entries of a folder, with their kinds.
fn entries(folder: BorrowedFd<'_>) -> io::Result<Vec<(OsString, FileType)>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        if name == "." || name == ".." {
            continue;
        }
        let mut kind = entry.file_type();
        if kind == FileType::Unknown {
            // Not every file system says it.
            let stat = rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            kind = FileType::from_raw_mode(stat.st_mode);
        }
        found.push((name, kind));
    }
    Ok(found)
}
