//! The few system calls that the standard library does not offer, declared by hand so that the relay needs no other
//! crate. This is the only module with unsafe code. All numbers are those of the system's C headers.

#![expect(unsafe_code, reason = "system calls without a safe form in the standard library")]

use std::ffi::c_int;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: i16,
    revents: i16,
}

#[cfg(target_os = "linux")]
type PollCount = std::ffi::c_ulong;
#[cfg(not(target_os = "linux"))]
type PollCount = std::ffi::c_uint;

const POLLIN: i16 = 1;

const SIGHUP: c_int = 1;
const SIGINT: c_int = 2;
const SIGQUIT: c_int = 3;
const SIGTERM: c_int = 15;
const SIG_DFL: usize = 0;
const SIG_IGN: usize = 1;

unsafe extern "C" {
    fn poll(fds: *mut PollFd, count: PollCount, timeout_ms: c_int) -> c_int;
    fn signal(number: c_int, handler: usize) -> usize;
    safe fn raise(number: c_int) -> c_int;
    safe fn kill(pid: c_int, number: c_int) -> c_int;
    safe fn geteuid() -> u32;
}

/// What [`wait_for_input`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The source has bytes, is at its end, or is broken: a read does not block.
    Ready,
    /// The source has nothing, and `ended` was closed.
    Ended,
}

/// Waits until `source` can be read without blocking, or until the write end of the pipe `ended` is closed. Bytes
/// that are already there have priority.
pub fn wait_for_input(source: &impl AsRawFd, ended: &impl AsRawFd) -> Input {
    let mut fds = [source.as_raw_fd(), ended.as_raw_fd()].map(|fd| PollFd {
        fd,
        events: POLLIN,
        revents: 0,
    });
    loop {
        // SAFETY: the pointer and the count describe `fds`, which outlives the call.
        let ready = unsafe { poll(fds.as_mut_ptr(), fds.len() as PollCount, -1) };
        if ready >= 0 {
            return if fds[0].revents == 0 {
                Input::Ended
            } else {
                Input::Ready
            };
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            // A source that cannot be polled can still be read.
            return Input::Ready;
        }
    }
}

/// Whether a read of `source` does not block, now or within this time.
pub fn has_input(source: &impl AsRawFd, within: Duration) -> bool {
    let mut fd = PollFd {
        fd: source.as_raw_fd(),
        events: POLLIN,
        revents: 0,
    };
    // SAFETY: the pointer describes one entry, which outlives the call.
    let ready = unsafe { poll(&raw mut fd, 1, within.as_millis().try_into().unwrap_or(c_int::MAX)) };
    ready > 0
}

/// The process that gets the signals of this process; 0 for none.
static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn forward(number: c_int) {
    let child = CHILD.load(Ordering::Relaxed);
    if child > 0 {
        kill(child, number);
    }
}

/// From now on, a signal that asks this process to end goes to the child instead. A signal that is ignored stays
/// ignored: the child has inherited that.
pub fn forward_signals(child: u32) {
    CHILD.store(child.try_into().unwrap_or(0), Ordering::Relaxed);
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        // SAFETY: the handler only reads an atomic and calls `kill`, both of which are allowed in a signal handler.
        unsafe {
            if signal(number, forward as *const () as usize) == SIG_IGN {
                signal(number, SIG_IGN);
            }
        }
    }
}

/// The child has ended: signals act on this process again.
pub fn stop_forwarding() {
    CHILD.store(0, Ordering::Relaxed);
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        // SAFETY: setting a disposition to the default touches no memory.
        unsafe {
            if signal(number, SIG_DFL) == SIG_IGN {
                signal(number, SIG_IGN);
            }
        }
    }
}

/// Ends this process by a signal, without a core dump of its own. Returns only if that signal is blocked.
pub fn die_of(number: c_int) {
    #[cfg(target_os = "linux")]
    linux::no_core_dump();
    // SAFETY: setting a disposition to the default touches no memory.
    unsafe { signal(number, SIG_DFL) };
    raise(number);
}

/// Whether the program at the other end of a connection belongs to the user of this process.
pub fn is_ours(stream: &UnixStream) -> bool {
    peer_user(stream).is_none_or(|user| user == geteuid())
}

/// On Linux, the process that this command starts is killed when this process is killed. Elsewhere it survives.
pub fn die_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    linux::die_with_parent(command);
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Connects within `limit`. An engine that accepts nothing more would otherwise block the connection for as long as it
/// likes, which the standard library cannot limit; other systems than Linux refuse instead of blocking.
pub fn connect(path: &Path, limit: Duration) -> io::Result<UnixStream> {
    #[cfg(all(
        target_os = "linux",
        not(any(target_arch = "mips", target_arch = "mips64", target_arch = "sparc64"))
    ))]
    return linux::connect(path, limit);
    #[cfg(not(all(
        target_os = "linux",
        not(any(target_arch = "mips", target_arch = "mips64", target_arch = "sparc64"))
    )))]
    {
        let stream = UnixStream::connect(path)?;
        stream.set_write_timeout(Some(limit))?;
        Ok(stream)
    }
}

#[cfg(target_os = "linux")]
fn peer_user(stream: &UnixStream) -> Option<u32> {
    linux::peer_user(stream)
}

/// The effective user of the peer, on systems with `getpeereid`.
#[cfg(any(
    target_os = "macos",
    target_os = "freebsd",
    target_os = "openbsd",
    target_os = "netbsd"
))]
fn peer_user(stream: &UnixStream) -> Option<u32> {
    unsafe extern "C" {
        fn getpeereid(fd: c_int, user: *mut u32, group: *mut u32) -> c_int;
    }
    let (mut user, mut group) = (0, 0);
    // SAFETY: both pointers are valid for the call.
    let result = unsafe { getpeereid(stream.as_raw_fd(), &raw mut user, &raw mut group) };
    (result == 0).then_some(user)
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "macos",
    target_os = "freebsd",
    target_os = "openbsd",
    target_os = "netbsd"
)))]
fn peer_user(_: &UnixStream) -> Option<u32> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_ulong, c_void};
    use std::io;
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::{CommandExt, parent_id};
    use std::path::Path;
    use std::process::{self, Command};
    use std::time::Duration;

    const PR_SET_PDEATHSIG: c_int = 1;
    const PR_SET_DUMPABLE: c_int = 4;
    const SIGKILL: c_ulong = 9;
    const AF_UNIX: u16 = 1;
    const SOCK_STREAM_CLOEXEC: c_int = 1 | 0o2_000_000;
    const MAX_PATH: usize = 107;

    #[repr(C)]
    struct Address {
        family: u16,
        path: [u8; MAX_PATH + 1],
    }

    /// `struct ucred`.
    #[repr(C)]
    #[derive(Default)]
    struct Credentials {
        pid: i32,
        user: u32,
        group: u32,
    }

    unsafe extern "C" {
        fn prctl(option: c_int, ...) -> c_int;
        safe fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
        #[link_name = "connect"]
        fn connect_to(fd: c_int, address: *const Address, length: u32) -> c_int;
        fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut c_void, length: *mut u32) -> c_int;
    }

    pub(super) fn no_core_dump() {
        // SAFETY: this option takes one number.
        unsafe { prctl(PR_SET_DUMPABLE, 0 as c_ulong) };
    }

    pub(super) fn die_with_parent(command: &mut Command) {
        let parent = process::id();
        let prepare = move || {
            // SAFETY: this option takes one number.
            unsafe { prctl(PR_SET_PDEATHSIG, SIGKILL) };
            // The relay may have been killed before the line above.
            if parent_id() == parent {
                Ok(())
            } else {
                Err(io::ErrorKind::Interrupted.into())
            }
        };
        // SAFETY: the closure makes two system calls and allocates nothing.
        unsafe { command.pre_exec(prepare) };
    }

    pub(super) fn connect(path: &Path, limit: Duration) -> io::Result<UnixStream> {
        let bytes = path.as_os_str().as_bytes();
        if bytes.len() > MAX_PATH || bytes.contains(&0) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut address = Address {
            family: AF_UNIX,
            path: [0; MAX_PATH + 1],
        };
        address.path[..bytes.len()].copy_from_slice(bytes);
        let fd = socket(AF_UNIX.into(), SOCK_STREAM_CLOEXEC, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, open, and owned by nothing else.
        let stream = unsafe { UnixStream::from_raw_fd(fd) };
        // On Linux this also limits how long `connect` waits for a place in the queue of the listener.
        stream.set_write_timeout(Some(limit))?;
        // SAFETY: the address is valid for the call, and its length is that of the whole structure.
        let result = unsafe { connect_to(stream.as_raw_fd(), &raw const address, size_of::<Address>() as u32) };
        if result == 0 {
            Ok(stream)
        } else {
            Err(io::Error::last_os_error())
        }
    }

    pub(super) fn peer_user(stream: &UnixStream) -> Option<u32> {
        // The two numbers that differ between processors.
        let sparc = cfg!(target_arch = "sparc64");
        let mips = cfg!(any(target_arch = "mips", target_arch = "mips64"));
        let powerpc = cfg!(any(target_arch = "powerpc", target_arch = "powerpc64"));
        let level = if mips || sparc { 0xffff } else { 1 };
        let name = match (powerpc, mips, sparc) {
            (true, _, _) => 21,
            (_, true, _) => 18,
            (_, _, true) => 0x40,
            _ => 17,
        };
        let mut peer = Credentials::default();
        let mut length = size_of::<Credentials>() as u32;
        // SAFETY: value and length describe `peer`, which outlives the call.
        let result = unsafe { getsockopt(stream.as_raw_fd(), level, name, (&raw mut peer).cast(), &raw mut length) };
        (result == 0).then_some(peer.user)
    }
}
