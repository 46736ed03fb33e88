//! File descriptors: a raised limit for the engine, the usual limit for hooks, and a reserve. The reserve is used
//! to start hooks when all other descriptors are in use. Without it, a program that can open connections to the engine
//! could prevent a guard from starting.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of descriptors in the reserve. A start needs seven for a moment, and four until the hook has ended.
const RESERVE_SIZE: usize = 64;

/// Number of descriptors that are released at a time: those of one start, and some more, because another task may
/// take them first.
const DESCRIPTORS_PER_START: usize = 12;

/// The descriptors in the reserve. They are global, because the limit of descriptors belongs to the whole process.
static RESERVE: Mutex<Reserve> = Mutex::new(Reserve {
    target: 0,
    files: Vec::new(),
});

struct Reserve {
    target: usize,
    files: Vec<File>,
}

fn reserve() -> MutexGuard<'static, Reserve> {
    // No code panics while it changes the reserve.
    RESERVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reserve {
    /// Fills the reserve up to its target, or until the system has no more descriptors.
    #[expect(clippy::disallowed_methods, reason = "the null device stands for a descriptor")]
    fn fill(&mut self) {
        while self.files.len() < self.target {
            match File::open("/dev/null") {
                Ok(file) => self.files.push(file),
                Err(_) => return,
            }
        }
    }
}

/// Enables the reserve. It is for programs that serve. A program that fires a single event serves no other clients
/// and needs none.
pub(crate) fn enable_reserve() {
    if cfg!(unix) {
        let mut reserve = reserve();
        reserve.target = RESERVE_SIZE;
        reserve.fill();
    }
}

/// Refills the reserve with descriptors that are free again.
pub(crate) fn refill_reserve() {
    let mut reserve = reserve();
    if reserve.files.len() < reserve.target {
        reserve.fill();
    }
}

/// Runs an operation that needs descriptors. When all are in use, it releases some of the reserve and tries again.
///
/// # Errors
/// The error of the last try.
pub fn with_reserve<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match operation() {
            Err(error) if is_out_of_descriptors(&error) && release_some() => {}
            result => return result,
        }
    }
}

/// Releases some descriptors of the reserve. Returns false when it is empty.
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

/// The limit that this process was started with. Set when the limit was raised.
#[cfg(unix)]
static ORIGINAL_LIMIT: OnceLock<rustix::process::Rlimit> = OnceLock::new();

/// Raises the soft limit of open descriptors to the hard limit. On Linux, hooks get the original limit back,
/// because a process can change the limit of another one there. On other systems they inherit the raised limit. To set
/// another one at their start would cost every event a `fork` instead of a `posix_spawn`.
pub fn raise_descriptor_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: before.maximum,
            maximum: before.maximum,
        };
        // macOS has a second, lower limit.
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

/// Restores the original limit in a process that was started just now. Some programs close every descriptor number
/// up to the limit, which is slow with a high one.
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
        // A process that has already exited needs none.
        let _ = prlimit(Some(pid), Resource::Nofile, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}
