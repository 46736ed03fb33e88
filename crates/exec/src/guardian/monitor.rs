//! A guard's own process.

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

/// Nothing of a hook may survive its engine by 4 s (`CONTRACTS.md` §2.6); most of that is left to the kernel.
const KILL_TIMEOUT: Duration = Duration::from_secs(3);

/// An engine that ends before that never had a second guard.
const SECOND_GUARDIAN_DELAY: Duration = Duration::from_millis(100);

/// A partner that does not stay is not started more often than this.
const START_INTERVAL: Duration = Duration::from_millis(200);

/// What wakes us: on Linux only the end of something, which needs no asking. Elsewhere the end alone does not wake, and
/// nothing is ever written.
const HANGUP_FLAGS: PollFlags = if cfg!(target_os = "linux") {
    PollFlags::empty()
} else {
    PollFlags::IN
};

/// Stays until the engine is gone, then kills what it left running. Standard input ends with the engine, standard output
/// is the table of its runs, and a second guard's standard error ends with the first one.
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
    // One that still names something is for the next start.
    if let Some(path) = monitor.path.filter(|_| is_clear) {
        drop(std::fs::remove_file(path));
    }
}

/// A session of its own, a name of its own, and deaf to what ends a program gently: it must not go before its engine.
fn detach_from_engine() {
    // The leader of a group cannot leave its session: it joins its parent's group for this moment.
    if setsid().is_err()
        && let Some(group) = parents_group()
        && setpgid(None, Some(group)).is_ok()
        && setsid().is_err()
    {
        // In the engine's group it must not stay.
        let _ = setpgid(None, None);
    }
    set_process_name();
    // A signal that is caught once stays caught, whether or not anybody listens.
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

/// None where that group has no number: of an engine that has ended already, the parent is init.
#[cfg(target_os = "linux")]
fn parents_group() -> Option<Pid> {
    // What asks the system directly takes a group that is zero for impossible.
    crate::proc::ProcStat::for_pid(getppid()?)?.group()
}

#[cfg(not(target_os = "linux"))]
fn parents_group() -> Option<Pid> {
    rustix::process::getpgid(Some(getppid()?)).ok()
}

/// What `ps` and `killall` see: whoever ends all programs called as the engine does not end its guards.
fn set_process_name() {
    #[cfg(target_os = "linux")]
    if let Ok(mut name) = OpenOptions::new().write(true).open("/proc/self/comm") {
        // Of a name the system keeps 15 bytes.
        drop(name.write_all(PROCESS_NAME.as_bytes()));
    }
}

/// The other guard.
struct Partner {
    /// Ends when it does.
    exit_pipe: OwnedFd,
    /// None for one that started us.
    process: Option<Child>,
}

struct Monitor {
    /// Where the table is found by its name.
    path: Option<OsString>,
    partner: Option<Partner>,
    /// When a partner is to be started.
    start_at: Option<Instant>,
    /// None is started earlier.
    not_before: Instant,
}

impl Monitor {
    /// Sleeps until something ends, and sees to it that there are two. False when the engine is gone.
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
            // Waiting itself is impossible: what runs must not be left to itself.
            Err(_) => return false,
        };
        let partner_gone = both.get(1).is_some_and(|fd| !fd.revents().is_empty());
        drop(both);
        // A partner that went because the engine did is not replaced.
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
            // Its end of the tether closed as it ended.
            drop(process.wait());
        }
        self.start_at = Some(self.not_before);
    }

    /// Starts a partner; one that does not stay, or cannot be started, is tried again later.
    fn start_partner(&mut self) {
        self.not_before = Instant::now() + START_INTERVAL;
        self.partner = spawn_partner(self.path.as_ref()).ok();
        self.start_at = self.partner.is_none().then_some(self.not_before);
    }
}

/// The guard that started us: our standard error ends with it.
fn first_guardian() -> Option<Partner> {
    let exit_pipe = rustix::stdio::stderr().try_clone_to_owned().ok()?;
    Some(Partner {
        exit_pipe,
        process: None,
    })
}

#[expect(clippy::disallowed_methods, reason = "this crate is the door that starts processes")]
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

/// Whether the other side has ended.
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

/// Returns whether nothing is left, as far as can be seen.
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
    return insist(running);
}

/// Returns whether any group was still there.
fn kill_groups(running: &RunGroups) -> bool {
    let groups = running.values().filter_map(|group| group.and_then(Pid::from_raw));
    groups
        .filter(|group| kill_process_group(*group, Signal::KILL).is_ok())
        .count()
        > 0
}

/// A group that was being forked into while it was killed is killed again.
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
