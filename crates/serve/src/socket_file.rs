//! The file of a socket that this engine listens on. Somebody may remove it while the engine lives, for example a program
//! that cleans up temporary folders: no agent would find the engine any more, so it listens there again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hookwright_workspace::lock::lock;
use interprocess::local_socket::tokio::Listener;

use crate::runtime_dir::{self, RuntimeDir};
use crate::socket;

/// A file system, and the number of a file in it.
type FileIdentity = (u64, u64);

/// The socket of this engine. It exists until [`SocketFile::remove`].
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// Which file it is, so that the socket of a later engine is left alone.
    identity: Mutex<Option<FileIdentity>>,
}

impl SocketFile {
    /// Listens at a path where no file is.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::AddrInUse`] if there is a file.
    pub fn listen(path: PathBuf) -> io::Result<(Self, Listener)> {
        let listener = socket::listen(&path)?;
        let identity = Mutex::new(identity(&path));
        Ok((Self { path, identity }, listener))
    }

    /// The path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether no file is at the path any more. The name of a pipe lives as long as its handle.
    pub fn is_missing(&self) -> bool {
        cfg!(unix) && is_missing(&self.path)
    }

    /// Listens again at the path, where no file is any more.
    ///
    /// # Errors
    /// The system's error.
    pub fn listen_again(&self) -> io::Result<Listener> {
        if let Some(folder) = self.path.parent().filter(|folder| is_missing(folder)) {
            runtime_dir::create_private_folder(folder)?;
        }
        let listener = socket::listen(&self.path)?;
        *lock(&self.identity) = identity(&self.path);
        Ok(listener)
    }

    /// Removes the socket, unless another engine has taken the path.
    pub fn remove(&self, runtime_dir: &RuntimeDir) {
        let own = *lock(&self.identity);
        if own.is_some() && identity(&self.path) == own {
            runtime_dir.remove_socket(&self.path);
        }
    }
}

fn is_missing(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::symlink_metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<FileIdentity> {
    None
}
