//! Descriptors: enough of them for us, the usual number for hooks, and some kept back for starting hooks when all others
//! are used up. Whoever can open connections to us must not be able to keep a guard from starting.

use std::fs::File;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// So many are kept back: a start takes seven for a moment and keeps four until its end.
const RESERVE_SIZE: usize = 64;

/// So many are given away at a time: what one start takes, and a little for whoever is faster.
const DESCRIPTORS_PER_START: usize = 12;

/// Those that are kept back. They are the process's, as their limit is.
static RESERVE: Mutex<Reserve> = Mutex::new(Reserve {
    target: 0,
    files: Vec::new(),
});

struct Reserve {
    target: usize,
    files: Vec<File>,
}

fn reserve() -> MutexGuard<'static, Reserve> {
    // Nothing that changes it panics half-way.
    RESERVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reserve {
    /// Takes what is missing, as far as there is any.
    fn fill(&mut self) {
        while self.files.len() < self.target {
            match File::open("/dev/null") {
                Ok(file) => self.files.push(file),
                Err(_) => return,
            }
        }
    }
}

/// Keeps descriptors back from now on. For a program that serves; one that runs a single event uses none for others.
pub(crate) fn enable_reserve() {
    if cfg!(unix) {
        let mut reserve = reserve();
        reserve.target = RESERVE_SIZE;
        reserve.fill();
    }
}

/// Takes back what was given away, when it is free again.
pub(crate) fn refill_reserve() {
    let mut reserve = reserve();
    if reserve.files.len() < reserve.target {
        reserve.fill();
    }
}

/// Does what needs descriptors; when all are used up, again with those that were kept back.
///
/// # Errors
/// What the operation said last.
pub fn with_reserve<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match operation() {
            Err(error) if is_out_of_descriptors(&error) && release_some() => {}
            result => return result,
        }
    }
}

/// Gives some away. False when there are none.
fn release_some() -> bool {
    let mut reserve = reserve();
    let left = reserve.files.len().saturating_sub(DESCRIPTORS_PER_START);
    let released = reserve.files.split_off(left);
    !released.is_empty()
}

#[cfg(unix)]
pub(crate) fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(not(unix))]
fn is_out_of_descriptors(_error: &io::Error) -> bool {
    false
}

/// The limit that this process was started with, once it was raised.
#[cfg(unix)]
static ORIGINAL_LIMIT: OnceLock<rustix::process::Rlimit> = OnceLock::new();

/// Raises the soft limit of open descriptors to the hard one. Hooks get the former one back where the system can change
/// that of another process (Linux); elsewhere they inherit the higher one, since asking for another one at their start
/// would cost every event a `fork` instead of a `posix_spawn`.
pub fn raise_descriptor_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: before.maximum,
            maximum: before.maximum,
        };
        // macOS has a limit below its limit.
        let modest = Rlimit {
            current: Some(10_240),
            ..raised
        };
        let is_more = |wanted: &Rlimit| match (before.current, wanted.current) {
            (Some(now), Some(then)) => then > now,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let wanted = [raised, modest].into_iter().filter(is_more);
        for limit in wanted {
            if setrlimit(Resource::Nofile, limit).is_ok() {
                ORIGINAL_LIMIT.get_or_init(|| before);
                return;
            }
        }
    }
}

/// Gives a process that was just started the limit that we had: some programs close every descriptor that they could have.
pub(crate) fn restore_limit(process: Option<u32>) {
    #[cfg(target_os = "linux")]
    if let Some(before) = ORIGINAL_LIMIT.get()
        && let Some(pid) = process
            .and_then(|pid| i32::try_from(pid).ok())
            .and_then(rustix::process::Pid::from_raw)
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limit = Rlimit {
            current: before.current,
            maximum: before.maximum,
        };
        // One that is gone already needs none.
        let _ = prlimit(Some(pid), Resource::Nofile, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}
