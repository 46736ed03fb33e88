//! Guards: processes of our own that outlive the engine by a moment and take its running hooks along (`engine.md` §7).
//!
//! There are two, in sessions of their own and under a name of their own ([`PROCESS_NAME`]), so that who ends all processes called
//! as the engine, or the engine's group, does not end them. Each starts another one when its partner dies; the engine does
//! when it finds none. An engine that ends within a moment never has the second one.
//!
//! What runs stands in a [registry](run_registry) that all of them share. A run is in it *before* it is spawned, so that there is no
//! moment in which a hook runs and nobody knows: on Linux whatever carries that `HOOKWRIGHT_RUN` is found. When the engine
//! has ended, in whatever way, the guards kill what still runs. They are woken by nothing else: that would cost every event
//! two changes of process. Who kills the engine and both guards leaves the table behind; the next start over the same
//! folder ends what it names, found by its mark.

#[cfg(unix)]
mod handle;
#[cfg(unix)]
mod link;
#[cfg(unix)]
mod monitor;
#[cfg(target_os = "linux")]
mod orphaned_runs;
#[cfg(unix)]
mod run_registry;
#[cfg(not(unix))]
mod unsupported;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hookwright_model::{Message, args};

#[cfg(unix)]
use handle::GuardianHandle;
#[cfg(not(unix))]
use unsupported::GuardianHandle;

use crate::descriptors::with_reserve;
use crate::messages::NO_GUARDIAN;

/// What the guards are called.
const PROCESS_NAME: &str = "hookwright-guard";

/// The hidden argument that makes one of our programs a guard, and which one it is.
const GUARDIAN_ARGUMENT: &str = "__guardian";
const FIRST_ROLE: &str = "first";
const SECOND_ROLE: &str = "second";

/// Guards that go away are started again this often within [`START_WINDOW`].
const MAX_STARTS: u32 = 4;
const START_WINDOW: Duration = Duration::from_secs(60);

/// Where nobody could be put up, it is tried again this often.
#[cfg(unix)]
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Whether this process was started to be a guard. Programs ask this first of all.
#[must_use]
pub fn is_guardian() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == GUARDIAN_ARGUMENT)
}

/// Is a guard until its engine is gone and nothing of its hooks is left.
#[must_use]
pub fn guardian_main() -> ExitCode {
    #[cfg(unix)]
    monitor::run_until_engine_exits();
    ExitCode::SUCCESS
}

/// How guards are started, and where it is kept what they guard.
#[derive(Debug, Clone)]
pub struct GuardianProgram {
    pub(crate) program: PathBuf,
    pub(crate) folder: PathBuf,
}

impl GuardianProgram {
    /// A program of ours, by its absolute path, that calls [`guardian_main`] when [`is_guardian`]; and the folder that all
    /// engines of one data folder share.
    #[must_use]
    pub fn new(program: PathBuf, folder: PathBuf) -> Self {
        let is_own = std::env::current_exe().is_ok_and(|own| own == program);
        let program = if is_own {
            own_program().unwrap_or(program)
        } else {
            program
        };
        Self { program, folder }
    }
}

/// This program, also when its file was replaced meanwhile.
fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}

/// The engine's side: puts guards up before the first hook, and tells them what runs.
#[derive(Debug)]
pub(crate) struct Guardian {
    /// None where tests want no second process.
    program: Option<GuardianProgram>,
    state: Mutex<GuardianState>,
}

#[derive(Debug, Default)]
struct GuardianState {
    handle: Option<GuardianHandle>,
    starts: u32,
    last_start: Option<Instant>,
    missing_guardian: MissingGuardian,
}

/// What became of the news that there is no guard.
#[derive(Debug, Default)]
enum MissingGuardian {
    #[default]
    No,
    Unreported(Message),
    Reported,
}

impl MissingGuardian {
    fn report(&mut self, why: &io::Error) {
        match self {
            Self::No => {
                tracing::warn!("no guard: {why}");
                *self = Self::Unreported(NO_GUARDIAN.render(args! { "why" => why.to_string() }));
            }
            Self::Unreported(_) | Self::Reported => {}
        }
    }

    /// The news, the first time.
    fn pending_warning(&mut self) -> Option<Message> {
        match std::mem::take(self) {
            Self::No => None,
            Self::Unreported(message) => {
                *self = Self::Reported;
                Some(message)
            }
            Self::Reported => {
                *self = Self::Reported;
                None
            }
        }
    }
}

impl GuardianState {
    /// Sees to it that somebody is on guard, as far as that is possible.
    fn ensure_guardian(&mut self, program: &GuardianProgram) {
        if let Err(why) = self.start_if_needed(program) {
            self.missing_guardian.report(&why);
        }
    }

    /// Those who went away are replaced only so often; who could not be started at all is tried again each time.
    fn start_if_needed(&mut self, program: &GuardianProgram) -> io::Result<()> {
        let handle = match &mut self.handle {
            Some(handle) => handle,
            // Also without guards the table is worth having: the next start reads it.
            none => none.insert(with_reserve(|| GuardianHandle::open(program))?),
        };
        if handle.is_alive() {
            return Ok(());
        }
        if self.last_start.is_some_and(|last| last.elapsed() > START_WINDOW) {
            self.starts = 0;
        }
        if self.starts == MAX_STARTS {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        with_reserve(|| handle.restart(program))?;
        self.starts += 1;
        self.last_start = Some(Instant::now());
        Ok(())
    }

    fn update(&mut self, update: impl FnOnce(&mut GuardianHandle) -> io::Result<()>) {
        if let Some(Err(why)) = self.handle.as_mut().map(update) {
            self.missing_guardian.report(&why);
        }
    }
}

impl Guardian {
    pub(crate) fn new(program: Option<GuardianProgram>) -> Self {
        Self {
            program,
            state: Mutex::default(),
        }
    }

    /// A run is about to start. Returns what a person should know, once.
    pub(crate) fn register(&self, run: &str) -> Option<Message> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure_guardian(program);
        state.update(|handle| handle.register(run));
        state.missing_guardian.pending_warning()
    }

    /// The run has this process group.
    pub(crate) fn set_group(&self, run: &str, group: u32) {
        self.state().update(|handle| handle.set_group(run, group));
    }

    /// Its process group has no number of its own any more.
    pub(crate) fn clear_group(&self, run: &str) {
        self.set_group(run, 0);
    }

    /// The run is over.
    pub(crate) fn unregister(&self, run: &str) {
        self.state().update(|handle| handle.unregister(run));
    }

    /// Puts guards up now instead of at the first hook, and from now on whenever none is left. Returns what a person should
    /// know, once.
    pub(crate) fn start(self: &Arc<Self>) -> Option<Message> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure_guardian(program);
        #[cfg(target_os = "linux")]
        orphaned_runs::kill_orphaned_runs_later(&program.folder, state.handle.as_ref().and_then(GuardianHandle::path));
        let warning = state.missing_guardian.pending_warning();
        drop(state);
        #[cfg(unix)]
        self.watch_guardians();
        warning
    }

    /// A thread that sleeps until the last guard is gone, and puts up others.
    #[cfg(unix)]
    fn watch_guardians(self: &Arc<Self>) {
        let guardian = Arc::downgrade(self);
        let restart_loop = move || {
            while let Some(guardian) = guardian.upgrade() {
                let end = guardian.ensure_exit_fd();
                drop(guardian);
                match end {
                    Some(end) => drop(link::wait_for_hangup(std::os::fd::AsFd::as_fd(&end), None)),
                    None => std::thread::sleep(RETRY_INTERVAL),
                }
            }
        };
        // Without it the next hook finds out.
        drop(
            std::thread::Builder::new()
                .name("guards".to_owned())
                .spawn(restart_loop),
        );
    }

    /// Sees to it that somebody is on guard. Returns what ends with the last one; None where nobody is.
    #[cfg(unix)]
    fn ensure_exit_fd(&self) -> Option<std::os::fd::OwnedFd> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure_guardian(program);
        let handle = state.handle.as_mut()?;
        if handle.is_alive() { handle.exit_fd().ok() } else { None }
    }

    /// Ends what engines of the same folder left running that were killed together with their guards (Linux; unsupported
    /// nothing tells whose a process was). Blocks for a moment when there is any.
    pub(crate) fn kill_orphaned_runs(&self) {
        #[cfg(target_os = "linux")]
        if let Some(program) = &self.program {
            orphaned_runs::kill_orphaned_runs(&program.folder);
        }
    }

    fn state(&self) -> MutexGuard<'_, GuardianState> {
        // Nothing that changes it panics half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_guardian_program_no_warning_is_given() {
        assert_eq!(Guardian::new(None).register("A"), None);
    }

    #[cfg(unix)]
    #[test]
    fn guardians_that_cannot_run_are_reported_once() {
        // It ends at once; starting it again has a limit.
        let folder = tempfile::tempdir().unwrap();
        let program = GuardianProgram::new("/bin/true".into(), folder.path().to_owned());
        let guardian = Guardian::new(Some(program));
        let warnings = std::iter::repeat_with(|| {
            std::thread::yield_now();
            guardian.register("A")
        });
        let message = warnings.flatten().next().unwrap();
        assert_eq!(message.code, "no_guardian");
        assert_eq!(guardian.register("B"), None);
    }
}
