//! The run folder of a data folder: where the sockets are, and the file that names them (`CONTRACTS.md` §3).

use std::path::{Path, PathBuf};
use std::{fs, io};

use hookwright_workspace::data_files::locked_file;
use hookwright_workspace::files::Opener;

/// The longest socket path that every supported system accepts, in bytes.
#[cfg(target_os = "linux")]
const MAX_SOCKET_PATH: usize = 107;
#[cfg(not(target_os = "linux"))]
const MAX_SOCKET_PATH: usize = 103;

const CONTROL_SOCKET_NAME: &str = "control.sock";
/// A larger file that names the sockets is not read: 64 KiB.
const MAX_ENDPOINT_BYTES: u64 = 64 << 10;

/// The run folder of a data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDir {
    /// `<data dir>/run`.
    pub folder: PathBuf,
}

impl RuntimeDir {
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The file that names the sockets.
    #[must_use]
    pub fn endpoint(&self) -> PathBuf {
        self.folder.join("endpoint")
    }

    /// The lock file. The engine that has its lock is the only one.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.folder.join("engine.lock")
    }

    /// The default path of the control socket; `None` when that path is too long for a socket, and on Windows.
    #[must_use]
    pub fn default_socket(&self) -> Option<PathBuf> {
        let path = self.folder.join(CONTROL_SOCKET_NAME);
        (cfg!(unix) && is_short_enough(&path)).then_some(path)
    }

    /// The paths at which a client tries the control socket, in this order.
    #[must_use]
    pub fn socket_candidates(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = self.default_socket().into_iter().collect();
        all.extend(self.socket_in_endpoint().filter(|path| !all.contains(path)));
        all
    }

    /// The control socket that the endpoint file names on its second line.
    fn socket_in_endpoint(&self) -> Option<PathBuf> {
        let text = Opener::user().read_text(&self.endpoint(), MAX_ENDPOINT_BYTES)?;
        text.lines().nth(1).filter(|line| !line.is_empty()).map(PathBuf::from)
    }

    /// Creates the folder, with access for its owner only.
    pub fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        restrict_permissions(&self.folder, 0o700)
    }

    /// A path for the control socket: the default path, otherwise a path in a private temporary folder.
    pub fn choose_socket(&self) -> io::Result<PathBuf> {
        if cfg!(windows) {
            return Ok(pipe_name("control"));
        }
        if let Some(path) = self.default_socket() {
            return Ok(path);
        }
        self.temporary_socket(CONTROL_SOCKET_NAME)
    }

    /// A path for a socket of this name in a private temporary folder.
    pub fn temporary_socket(&self, name: &str) -> io::Result<PathBuf> {
        let mut temporary = tempfile::Builder::new();
        temporary.prefix("hookwright-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            temporary.permissions(fs::Permissions::from_mode(0o700));
        }
        let folder = temporary.tempdir()?.keep();
        let path = folder.join(name);
        if is_short_enough(&path) {
            return Ok(path);
        }
        fs::remove_dir(&folder)?;
        Ok(temporary.tempdir_in("/tmp")?.keep().join(name))
    }

    /// Writes the endpoint file. Its first line is the agent socket, the second one the control socket.
    pub fn write_endpoint(&self, agent: &Path, control: &Path) -> io::Result<()> {
        let text = format!("{}\n{}\n", agent.display(), control.display());
        locked_file::atomic_write(&self.endpoint(), text.as_bytes(), 0o600).map_err(io::Error::other)
    }

    /// Removes the files that a killed engine left.
    pub fn remove_leftovers(&self) {
        let in_endpoint = self.socket_in_endpoint();
        let _ = fs::remove_file(self.endpoint());
        for path in self.default_socket().into_iter().chain(in_endpoint) {
            self.remove_socket(&path);
        }
    }

    /// Removes a socket, and its folder if that is a temporary folder of Hookwright.
    pub fn remove_socket(&self, path: &Path) {
        if !cfg!(unix) || !is_socket(path) {
            return;
        }
        let _ = fs::remove_file(path);
        let folder = path.parent().filter(|folder| *folder != self.folder);
        let ours = folder.filter(|folder| {
            folder
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("hookwright-"))
        });
        // This call removes only an empty folder.
        let _ = ours.map(fs::remove_dir);
    }
}

/// The path of a new named pipe. Clients read it from the endpoint file.
pub fn pipe_name(purpose: &str) -> PathBuf {
    PathBuf::from(format!(r"\\.\pipe\hookwright-{purpose}-{}", ulid::Ulid::generate()))
}

/// Whether a socket can have this path.
pub fn is_short_enough(path: &Path) -> bool {
    path.as_os_str().len() <= MAX_SOCKET_PATH
}

/// Creates a folder of Hookwright, or takes it, with access for its owner only.
///
/// # Errors
/// It cannot be created, or it belongs to another user.
#[cfg(unix)]
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Only the owner may change the permissions, and a link could lead to any folder of this user.
    if fs::symlink_metadata(folder)?.is_symlink() {
        return Err(io::Error::other("the folder is a symbolic link"));
    }
    restrict_permissions(folder, 0o700)
}

/// Whether a socket is at this path. A link to one is none.
#[cfg(unix)]
pub fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket())
}

#[cfg(not(unix))]
pub fn is_socket(_: &Path) -> bool {
    false
}

/// Sets the Unix mode of a file or folder of Hookwright.
#[cfg(unix)]
pub fn restrict_permissions(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// This platform has no modes. The folder is in the user's own profile.
#[cfg(not(unix))]
pub fn restrict_permissions(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_in_the_run_folder_and_the_endpoint_names_it_on_its_second_line() {
        let data = tempfile::tempdir().unwrap();
        let runtime_dir = RuntimeDir::new(data.path().join("run"));
        runtime_dir.prepare().unwrap();
        let control = runtime_dir.choose_socket().unwrap();
        assert_eq!(control, data.path().join("run/control.sock"));
        runtime_dir
            .write_endpoint(Path::new("/a/agent.sock"), &control)
            .unwrap();
        let text = fs::read_to_string(runtime_dir.endpoint()).unwrap();
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            ["/a/agent.sock", control.to_str().unwrap()]
        );
        assert_eq!(runtime_dir.socket_candidates(), [control]);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_too_long_for_a_socket_goes_to_a_private_temporary_folder() {
        use std::os::unix::fs::PermissionsExt;
        let data = tempfile::tempdir().unwrap();
        let runtime_dir = RuntimeDir::new(data.path().join("x".repeat(120)).join("run"));
        runtime_dir.prepare().unwrap();
        let control = runtime_dir.choose_socket().unwrap();
        assert!(is_short_enough(&control), "{}", control.display());
        let folder = control.parent().unwrap();
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        runtime_dir.write_endpoint(Path::new(""), &control).unwrap();
        assert_eq!(runtime_dir.socket_candidates(), std::slice::from_ref(&control));
        let socket = std::os::unix::net::UnixListener::bind(&control).unwrap();
        drop(socket);
        runtime_dir.remove_leftovers();
        assert!(!folder.exists() && !runtime_dir.endpoint().exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_named_path_that_is_no_socket_is_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let runtime_dir = RuntimeDir::new(data.path().join("run"));
        runtime_dir.prepare().unwrap();
        let file = data.path().join("mine.txt");
        fs::File::create(&file).unwrap();
        runtime_dir.write_endpoint(Path::new(""), &file).unwrap();
        runtime_dir.remove_leftovers();
        assert!(file.exists());
    }
}
