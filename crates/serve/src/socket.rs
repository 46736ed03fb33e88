//! The socket itself: a Unix socket, a named pipe on Windows.

use std::io;
use std::path::Path;

use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::{GenericFilePath, ListenerOptions};
#[cfg(target_os = "linux")]
use interprocess::os::unix::local_socket::ListenerOptionsExt as _;

/// The socket is its owner's alone.
#[cfg(unix)]
const MODE: u32 = 0o600;

/// Listens at a path where nothing is.
pub fn listen(path: &Path) -> io::Result<Listener> {
    let name = path.to_fs_name::<GenericFilePath>()?;
    // Whoever claimed the place removes the socket, and only while it is theirs.
    let options = ListenerOptions::new().name(name).reclaim_name(false);
    #[cfg(target_os = "linux")]
    let options = options.mode(MODE);
    let listener = options.create_tokio()?;
    // Elsewhere a socket has no mode before it is bound; until it has one, the folder, which is 0700, keeps others out.
    #[cfg(all(unix, not(target_os = "linux")))]
    crate::runtime_dir::restrict_permissions(path, MODE)?;
    Ok(listener)
}

/// Connects to whoever listens there.
pub async fn connect(path: &Path) -> io::Result<Stream> {
    Stream::connect(path.to_fs_name::<GenericFilePath>()?).await
}

/// Whether the other end belongs to the user of this process.
#[cfg(unix)]
pub fn is_ours(stream: &Stream) -> bool {
    let peer = stream.peer_creds().ok().and_then(|creds| creds.euid());
    peer == Some(rustix::process::geteuid().as_raw())
}

/// A named pipe of ours can be written to by this user and administrators only; the system sees to it.
#[cfg(not(unix))]
pub fn is_ours(_: &Stream) -> bool {
    true
}
