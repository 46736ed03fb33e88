//! The code that runs in a guardian's process.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getppid, kill_process_group, setpgid, setsid};
use tokio::signal::unix::{SignalKind, signal};

use super::run_registry::{self, RunGroups};
use super::{GUARDIAN_ARGUMENT, PROCESS_NAME, SECOND_ROLE};

/// Time limit of the kill. No process of a hook may live 4 s longer than its engine (`CONTRACTS.md` §2.6). Most of
/// this time is for the kernel, which ends the killed processes.
const KILL_TIMEOUT: Duration = Duration::from_secs(3);

/// The second guardian is started after this delay. An engine that ends earlier never has one.
const SECOND_GUARDIAN_DELAY: Duration = Duration::from_millis(100);

/// Shortest time between two starts of a partner that exits at once.
const START_INTERVAL: Duration = Duration::from_millis(200);

/// Poll events that wake the guardian. On Linux a hang-up wakes it without any requested event. On other systems a
/// hang-up alone does not wake it, so input is requested; nothing is ever written.
const HANGUP_FLAGS: PollFlags = if cfg!(target_os = "linux") {
    PollFlags::empty()
} else {
    PollFlags::IN
};

/// Waits until the engine has ended, then kills the hooks that still run. Standard input closes when the engine
/// ends. Standard output is the registry of its runs. The standard error of a second guardian closes when the first one
/// ends.
pub(super) fn run_until_engine_exits() {
    let mut args = std::env::args_os().skip(2);
    let second = args.next().is_some_and(|role| role == SECOND_ROLE);
    let path = args.next();
    let partner = second.then(first_guardian).flatten();
    let now = Instant::now();
    let mut monitor = Monitor {
        start_at: partner
            .is_none()
            .then(|| if second { now } else { now + SECOND_GUARDIAN_DELAY }),
        not_before: now,
        path,
        partner,
    };
    detach_from_engine();
    while monitor.watch_once() {}
    let is_clear = kill_all(&run_registry::read_groups(rustix::stdio::stdout()));
    // A registry that still lists a running process is kept for the next start.
    if let Some(path) = monitor.path.filter(|_| is_clear) {
        drop(std::fs::remove_file(path));
    }
}

/// Gives the guardian its own session and name, and makes it ignore the signals that ask a program to end. It must
/// not end before its engine.
fn detach_from_engine() {
    // A process that leads its group cannot create a session. So it joins its parent's group for a moment.
    if setsid().is_err()
        && let Some(group) = parents_group()
        && setpgid(None, Some(group)).is_ok()
        && setsid().is_err()
    {
        // It must not stay in the engine's group.
        let _ = setpgid(None, None);
    }
    set_process_name();
    // tokio does not remove a signal handler, so the signal stays caught after its listener is dropped.
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        let _inside = runtime.enter();
        let gentle = [
            SignalKind::hangup(),
            SignalKind::interrupt(),
            SignalKind::quit(),
            SignalKind::terminate(),
        ];
        gentle.into_iter().for_each(|kind| drop(signal(kind)));
    }
}

/// The process group of the parent. `None` if the group has no number here: after the engine has ended, the parent
/// is init.
#[cfg(target_os = "linux")]
fn parents_group() -> Option<Pid> {
    // `/proc` is read because rustix's `getpgid` treats the group number 0 as impossible.
    crate::proc::ProcStat::for_pid(getppid()?)?.group()
}

#[cfg(not(target_os = "linux"))]
fn parents_group() -> Option<Pid> {
    rustix::process::getpgid(Some(getppid()?)).ok()
}

/// Sets the name that `ps` and `killall` use. A kill of all programs with the engine's name does not end its
/// guardians.
#[cfg_attr(
    target_os = "linux",
    expect(clippy::disallowed_methods, reason = "the system offers the name as a file")
)]
fn set_process_name() {
    #[cfg(target_os = "linux")]
    if let Ok(mut name) = OpenOptions::new().write(true).open("/proc/self/comm") {
        // The system stores 15 bytes of a name.
        drop(name.write_all(PROCESS_NAME.as_bytes()));
    }
}

/// The other guardian.
struct Partner {
    /// Hangs up when the partner ends.
    exit_pipe: OwnedFd,
    /// `None` for the guardian that started this one.
    process: Option<Child>,
}

struct Monitor {
    /// The path of the registry file, if it has one.
    path: Option<OsString>,
    partner: Option<Partner>,
    /// When the next partner is started; `None` while there is one.
    start_at: Option<Instant>,
    /// No partner is started before this time.
    not_before: Instant,
}

impl Monitor {
    /// Sleeps until the engine or the partner ends, and replaces an ended partner. Returns false when the engine
    /// has ended.
    fn watch_once(&mut self) -> bool {
        let engine_pipe = rustix::stdio::stdin();
        let timeout = self
            .start_at
            .map(|at| timespec(at.saturating_duration_since(Instant::now())));
        let mut both: Vec<PollFd<'_>> = vec![PollFd::from_borrowed_fd(engine_pipe, HANGUP_FLAGS)];
        both.extend(
            self.partner
                .iter()
                .map(|it| PollFd::from_borrowed_fd(it.exit_pipe.as_fd(), HANGUP_FLAGS)),
        );
        let woken = match poll(&mut both, timeout.as_ref()) {
            Ok(woken) => woken,
            Err(Errno::INTR) => return true,
            // `poll` itself fails. The engine is treated as ended, so that no hook runs without a guardian.
            Err(_) => return false,
        };
        let partner_gone = both.get(1).is_some_and(|fd| !fd.revents().is_empty());
        drop(both);
        // A partner that ended because the engine ended is not replaced.
        if woken > 0 && has_hung_up(engine_pipe) {
            return false;
        }
        if partner_gone {
            self.reap_partner();
        }
        if self.start_at.is_some_and(|at| at <= Instant::now()) {
            self.start_partner();
        }
        true
    }

    fn reap_partner(&mut self) {
        if let Some(mut process) = self.partner.take().and_then(|partner| partner.process) {
            // Its side of the pipe is closed, so it has ended and `wait` returns at once.
            drop(process.wait());
        }
        self.start_at = Some(self.not_before);
    }

    /// Starts a partner. If it cannot be started, or ends, the next try is made after [`START_INTERVAL`] at the
    /// earliest.
    fn start_partner(&mut self) {
        self.not_before = Instant::now() + START_INTERVAL;
        self.partner = spawn_partner(self.path.as_ref()).ok();
        self.start_at = self.partner.is_none().then_some(self.not_before);
    }
}

/// The guardian that started this one. The standard error of this process hangs up when that guardian ends.
fn first_guardian() -> Option<Partner> {
    let exit_pipe = rustix::stdio::stderr().try_clone_to_owned().ok()?;
    Some(Partner {
        exit_pipe,
        process: None,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "this crate is the only one that starts processes"
)]
fn spawn_partner(path: Option<&OsString>) -> std::io::Result<Partner> {
    let (ours, theirs) = UnixStream::pair()?;
    let engine_pipe = rustix::stdio::stdin().try_clone_to_owned()?;
    let table = rustix::stdio::stdout().try_clone_to_owned()?;
    let process = Command::new(super::own_program()?)
        .arg0(PROCESS_NAME)
        .args([GUARDIAN_ARGUMENT, SECOND_ROLE])
        .args(path)
        .current_dir("/")
        .stdin(Stdio::from(engine_pipe))
        .stdout(Stdio::from(table))
        .stderr(Stdio::from(OwnedFd::from(theirs)))
        .spawn()?;
    Ok(Partner {
        exit_pipe: OwnedFd::from(ours),
        process: Some(process),
    })
}

/// Whether the other side is closed.
fn has_hung_up(end: BorrowedFd<'_>) -> bool {
    let mut one = [PollFd::from_borrowed_fd(end, HANGUP_FLAGS)];
    matches!(poll(&mut one, Some(&Timespec::default())), Ok(1..))
}

fn timespec(span: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: span.subsec_nanos().into(),
    }
}

/// Kills all running hooks. Returns whether none is left, as far as this process can see.
fn kill_all(running: &RunGroups) -> bool {
    if running.is_empty() {
        return true;
    }
    kill_groups(running);
    #[cfg(target_os = "linux")]
    return crate::orphans::kill_by_run_id(
        |run| std::str::from_utf8(run).is_ok_and(|run| running.contains_key(run)),
        KILL_TIMEOUT,
    );
    #[cfg(not(target_os = "linux"))]
    return kill_until_empty(running);
}

/// Kills the process groups. Returns whether any of them still had a process.
fn kill_groups(running: &RunGroups) -> bool {
    let groups = running.values().filter_map(|group| group.and_then(Pid::from_raw));
    groups
        .filter(|group| kill_process_group(*group, Signal::KILL).is_ok())
        .count()
        > 0
}

/// Kills the groups until none has a process. A process can fork into its group while the group is killed.
#[cfg(not(target_os = "linux"))]
fn kill_until_empty(running: &RunGroups) -> bool {
    let start = Instant::now();
    while kill_groups(running) {
        if start.elapsed() >= KILL_TIMEOUT / 3 {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
