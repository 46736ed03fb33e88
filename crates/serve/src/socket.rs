//! The socket: a Unix socket, or a named pipe on Windows.

use std::io;
use std::path::{Path, PathBuf};

use hookwright_app::agent_sessions::Lineage;
#[cfg(target_os = "linux")]
use hookwright_app::agent_sessions::ProcessId;
use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::{GenericFilePath, ListenerOptions};
#[cfg(target_os = "linux")]
use interprocess::os::unix::local_socket::ListenerOptionsExt as _;

/// Only the owner can use the socket.
#[cfg(unix)]
const MODE: u32 = 0o600;

/// Listens at a path where no file exists.
pub fn listen(path: &Path) -> io::Result<Listener> {
    let name = path.to_fs_name::<GenericFilePath>()?;
    // The control server removes the socket, and only while it has the instance lock.
    let options = ListenerOptions::new().name(name).reclaim_name(false);
    #[cfg(target_os = "linux")]
    let options = options.mode(MODE);
    let listener = options.create_tokio()?;
    // On other systems a socket has no mode before it is bound. Until its mode is set, its folder with mode 0700 keeps
    // other users out.
    #[cfg(all(unix, not(target_os = "linux")))]
    crate::runtime_dir::restrict_permissions(path, MODE)?;
    Ok(listener)
}

/// Connects to the program that listens at this path.
pub async fn connect(path: &Path) -> io::Result<Stream> {
    Stream::connect(path.to_fs_name::<GenericFilePath>()?).await
}

/// Whether the other end belongs to the user of this process.
#[cfg(unix)]
pub fn is_ours(stream: &Stream) -> bool {
    let peer = stream.peer_creds().ok().and_then(|creds| creds.euid());
    peer == Some(rustix::process::geteuid().as_raw())
}

/// The file that the process at the other end runs, absolute. `None` if the system does not say, or if this path leads to
/// another file for this process: the other one may have a file system of its own.
#[cfg(target_os = "linux")]
pub fn program_of(stream: &Stream) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let link = PathBuf::from(format!("/proc/{}/exe", stream.peer_creds().ok()?.pid()?));
    let path = std::fs::read_link(&link).ok()?;
    let identity = |path: &Path| std::fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).ok();
    (path.is_absolute() && identity(&link).is_some() && identity(&link) == identity(&path)).then_some(path)
}

/// The process at the other end, and its ancestors. Empty if the system does not say: the other one may be in a namespace
/// of its own.
#[cfg(target_os = "linux")]
pub fn lineage_of(stream: &Stream) -> Lineage {
    /// More ancestors are not looked at.
    const MAX_ANCESTORS: usize = 256;
    let mut next = stream
        .peer_creds()
        .ok()
        .and_then(|creds| creds.pid())
        .and_then(|pid| u32::try_from(pid).ok());
    let mut processes: Vec<ProcessId> = Vec::new();
    let mut shells = 0;
    while let Some((process, parent)) = next.and_then(read_process) {
        // A parent is never younger. A younger one has got the id of a parent that has ended.
        if processes.last().is_some_and(|child| child.started < process.started) || processes.len() >= MAX_ANCESTORS {
            break;
        }
        if shells + 1 == processes.len() && runs_one_command(process.pid) {
            shells += 1;
        }
        processes.push(process);
        next = Some(parent);
    }
    Lineage::new(processes, shells)
}

/// Programs that start one other program and wait for it, or become it.
#[cfg(target_os = "linux")]
const STARTERS: [&str; 13] = [
    "timeout", "gtimeout", "env", "nice", "ionice", "chrt", "taskset", "nohup", "setsid", "setpriv", "stdbuf", "time",
    "prlimit",
];

/// Whether the process only runs one command: a shell with the command as its text (`sh -c`), or a program such as
/// `timeout`.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the system offers this as a file")]
fn runs_one_command(pid: u32) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else {
        return false;
    };
    is_for_one_command(&line)
}

/// `line` has the words of the command, each followed by a zero byte.
#[cfg(target_os = "linux")]
fn is_for_one_command(line: &[u8]) -> bool {
    const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "zsh", "ksh"];
    let mut words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let program = words.next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default().trim_start_matches('-');
    let mut options = words.take_while(|word| word.starts_with('-') && !word.starts_with("--"));
    STARTERS.contains(&name) || SHELLS.contains(&name) && options.any(|option| option.contains('c'))
}

/// A process with the id of its parent; `None` if there is none.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the system offers this as a file")]
fn read_process(pid: u32) -> Option<(ProcessId, u32)> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name before the fields may contain any character. The numbers are those of `proc_pid_stat(5)`.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let started = number(22)?;
    Some((ProcessId { pid, started }, u32::try_from(number(4)?).ok()?))
}

#[cfg(all(test, target_os = "linux"))]
mod starter_tests {
    use super::is_for_one_command;

    #[test]
    fn what_starts_one_command_only_is_known_by_its_words() {
        for line in [
            "sh\0-c\0hookwright-relay; true\0",
            "/bin/bash\0-lc\0x\0",
            "timeout\05\0hookwright-relay\0",
            "/usr/bin/env\0A=b\0x\0",
        ] {
            assert!(is_for_one_command(line.as_bytes()), "{line:?}");
        }
        for line in ["sh\0agent.sh\0", "bash\0", "node\0-c\0", "my-timeout\0x\0", ""] {
            assert!(!is_for_one_command(line.as_bytes()), "{line:?}");
        }
    }
}

/// Not known on this system.
#[cfg(not(target_os = "linux"))]
pub fn lineage_of(_: &Stream) -> Lineage {
    Lineage::default()
}

/// Not known on this system.
#[cfg(not(target_os = "linux"))]
pub fn program_of(_: &Stream) -> Option<PathBuf> {
    None
}

/// Only this user and administrators can write to a named pipe of Hookwright. The system enforces it.
#[cfg(not(unix))]
pub fn is_ours(_: &Stream) -> bool {
    true
}

/// Notices that the other end of a connection has closed both of its halves.
#[derive(Debug)]
pub struct HangUp {
    #[cfg(unix)]
    descriptor: Option<std::os::fd::OwnedFd>,
}

impl HangUp {
    /// Watches this connection, also after it was split. The connection ends as usual when its own parts are dropped.
    #[cfg(unix)]
    pub fn of(stream: &Stream) -> Self {
        use std::os::fd::AsFd;
        let Stream::UdSocket(stream) = stream;
        Self {
            descriptor: stream.as_fd().try_clone_to_owned().ok(),
        }
    }

    /// Whether it has happened. If that cannot be known, it has not.
    #[cfg(unix)]
    pub fn has_happened(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(descriptor) = &self.descriptor else {
            return false;
        };
        let mut watched = [PollFd::new(descriptor, PollFlags::empty())];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let polled = poll(&mut watched, Some(&at_once));
        polled.is_ok() && watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
    }

    /// A named pipe has no halves: it is closed, or it is not, and reading says which.
    #[cfg(not(unix))]
    pub fn of(_: &Stream) -> Self {
        Self {}
    }

    #[cfg(not(unix))]
    pub fn has_happened(&self) -> bool {
        true
    }
}
