//! The agent socket: where it is, how an engine takes the path, and how it leaves it (`CONTRACTS.md` §3).
//!
//! A path that another engine listens on is never taken. Whether one does is found by a connection, and only one engine
//! at a time looks and takes: it locks the folder meanwhile.
//!
//! On Windows the socket is a named pipe. The system gives a name to one engine at a time and removes it with its last
//! handle, so there is no folder, no lock and no file. That part compiles and has never been run.

#[cfg(unix)]
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

use hookwright_workspace::HostEnv;
use interprocess::local_socket::tokio::Listener;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::control_server::ListenError;
use crate::runtime_dir::{self, RuntimeDir};
use crate::socket;
use crate::socket_file::SocketFile;

const SOCKET_NAME: &str = "agent.sock";
/// How long another engine may lock the folder while it starts.
#[cfg(unix)]
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
#[cfg(unix)]
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// How long another engine may take to answer before its place counts as left.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// Where the socket may be.
enum Place {
    /// `$HOOKWRIGHT_SOCKET`: here or nowhere.
    Named(PathBuf),
    /// The default paths, in this order.
    Default(Vec<PathBuf>),
}

/// Listens at the first place that can be used.
///
/// # Errors
/// Another engine listens there, the place of `$HOOKWRIGHT_SOCKET` cannot be used, or no place can.
pub async fn listen(env: &HostEnv, runtime_dir: &RuntimeDir) -> Result<(SocketFile, Listener), ListenError> {
    match place(env, runtime_dir) {
        Place::Named(path) => {
            if !runtime_dir::is_short_enough(&path) {
                return Err(ListenError::TooLong { path });
            }
            let is_new = path.parent().is_some_and(|folder| !folder.exists());
            listen_at(path, is_new).await
        }
        Place::Default(paths) => {
            for path in paths {
                match listen_at(path, true).await {
                    Ok(listening) => return Ok(listening),
                    // Agents try this place first, so they would never find this engine (`CONTRACTS.md` §2.6).
                    Err(ListenError::InUse { path }) if answers(&path).await => {
                        return Err(ListenError::InUse { path });
                    }
                    Err(error) => tracing::info!(%error, "the agent socket has another path"),
                }
            }
            let failed = |error| ListenError::Io {
                path: runtime_dir.folder.clone(),
                error,
            };
            let path = runtime_dir.temporary_socket(SOCKET_NAME).map_err(failed)?;
            listen_at(path, true).await
        }
    }
}

/// Listens at a named pipe. The first instance of a pipe is refused while another program has one of this name.
#[cfg(not(unix))]
async fn listen_at(path: PathBuf, _: bool) -> Result<(SocketFile, Listener), ListenError> {
    match SocketFile::listen(path.clone()) {
        Ok(listening) => Ok(listening),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(ListenError::InUse { path }),
        Err(error) => Err(ListenError::Io { path, error }),
    }
}

/// Listens at one place. `is_ours` says that the folder belongs to Hookwright.
#[cfg(unix)]
async fn listen_at(path: PathBuf, is_ours: bool) -> Result<(SocketFile, Listener), ListenError> {
    let failed = |error| ListenError::Io {
        path: path.clone(),
        error,
    };
    let folder = path.parent().unwrap_or(Path::new("/"));
    if is_ours {
        runtime_dir::create_private_folder(folder).map_err(failed)?;
    }
    let locked = lock_folder(folder).await.map_err(failed)?;
    if std::fs::symlink_metadata(&path).is_ok() {
        if !runtime_dir::is_socket(&path) {
            return Err(ListenError::NotASocket { path });
        }
        if is_in_use(&path).await {
            return Err(ListenError::InUse { path });
        }
        std::fs::remove_file(&path).map_err(failed)?;
    }
    let listening = SocketFile::listen(path.clone()).map_err(failed)?;
    drop(locked);
    Ok(listening)
}

/// Where the agent socket of this environment may be.
fn place(env: &HostEnv, runtime_dir: &RuntimeDir) -> Place {
    if let Some(named) = env.var("HOOKWRIGHT_SOCKET") {
        return Place::Named(env.cwd.join(named));
    }
    if cfg!(windows) {
        return Place::Default(vec![runtime_dir::pipe_name("agent")]);
    }
    // The XDG standard ignores relative paths.
    let runtime = env
        .var("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|dir| dir.is_absolute());
    let in_runtime = runtime.map(|dir| dir.join("hookwright"));
    let folders = in_runtime.into_iter().chain([runtime_dir.folder.clone()]);
    let paths = folders.map(|folder| folder.join(SOCKET_NAME));
    Place::Default(paths.filter(|path| runtime_dir::is_short_enough(path)).collect())
}

/// Whether a program accepts connections there. Only a refused connection means that nobody listens.
#[cfg(unix)]
async fn is_in_use(path: &Path) -> bool {
    match socket::connect(path).await {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound),
    }
}

/// Whether an engine answers there within a second. One that is stopped accepts connections too.
async fn answers(path: &Path) -> bool {
    let asked = async {
        let mut stream = socket::connect(path).await.ok()?;
        stream
            .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}\n")
            .await
            .ok()?;
        stream.read_u8().await.ok()
    };
    matches!(tokio::time::timeout(ANSWER_TIMEOUT, asked).await, Ok(Some(_)))
}

/// Locks a folder until the result is dropped. It takes a moment if another engine starts there just now. An engine that
/// hangs meanwhile must not keep this one from starting.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the folder of the socket is locked, not read")]
async fn lock_folder(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begin.elapsed() >= LOCK_TIMEOUT => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_RETRY).await,
        }
    }
}
