//! Guardians: processes of Hookwright that live a moment longer than the engine and kill its running hooks
//! (`engine.md` §7).
//!
//! There are two. Each has its own session and its own process name ([`PROCESS_NAME`]). So a kill of all processes with
//! the engine's name, or of the engine's group, does not end them. Each guardian starts a new partner when its partner
//! ends. The engine starts a guardian when it finds none. An engine that ends very soon never has the second one.
//!
//! The running hooks are listed in a [registry](run_registry), which the engine and both guardians share. A run is in
//! it *before* it is spawned, so no hook ever runs unlisted. On Linux every process that carries the `HOOKWRIGHT_RUN`
//! of a listed run is found. When the engine has ended, for whatever reason, the guardians kill what still runs.
//! Nothing else wakes them, because that would cost every event two process switches. If the engine and both guardians
//! are killed together, the registry file stays. The next start in the same folder kills the runs that it lists, found
//! by their `HOOKWRIGHT_RUN`.

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

use hookwright_model::{Message, render};

#[cfg(unix)]
use handle::GuardianHandle;
#[cfg(not(unix))]
use unsupported::GuardianHandle;

use crate::descriptors::with_reserve;
use crate::messages::NO_GUARDIAN;

/// The process name of the guardians.
#[cfg(unix)]
const PROCESS_NAME: &str = "hookwright-guard";

/// The hidden argument that makes a program of Hookwright a guardian. The argument after it is the role.
const GUARDIAN_ARGUMENT: &str = "__guardian";
#[cfg(unix)]
const FIRST_ROLE: &str = "first";
#[cfg(unix)]
const SECOND_ROLE: &str = "second";

/// Limit of guardian starts. The count begins again when the last start was more than [`START_WINDOW`] ago.
const MAX_STARTS: u32 = 4;
const START_WINDOW: Duration = Duration::from_secs(60);

/// While no guardian can be started, a new try is made this often.
#[cfg(unix)]
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Whether this process was started as a guardian. A program checks this before everything else.
#[must_use]
pub fn is_guardian() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == GUARDIAN_ARGUMENT)
}

/// Runs as a guardian until its engine has ended and no process of its hooks is left.
#[must_use]
pub fn guardian_main() -> ExitCode {
    #[cfg(unix)]
    monitor::run_until_engine_exits();
    ExitCode::SUCCESS
}

/// How guardians are started, and the folder of their registry files.
#[derive(Debug, Clone)]
pub struct GuardianProgram {
    pub(crate) program: PathBuf,
    pub(crate) folder: PathBuf,
}

impl GuardianProgram {
    /// Takes the absolute path of a program of Hookwright that calls [`guardian_main`] when [`is_guardian`] is
    /// true. All engines of one data folder share `folder`.
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

/// A path that starts this program again, even if its file was replaced meanwhile.
fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}

/// The engine's side: starts guardians before the first hook, and records the runs in the registry.
#[derive(Debug)]
pub(crate) struct Guardian {
    /// `None` in tests that want no second process.
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

/// Whether a missing guardian was found, and whether the warning was returned to a caller.
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
                tracing::warn!("the guardian process is missing: {why}");
                *self = Self::Unreported(render!(NO_GUARDIAN, "why" => why.to_string()));
            }
            Self::Unreported(_) | Self::Reported => {}
        }
    }

    /// Returns the warning, once.
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
    /// Starts a guardian if none runs. A failure is stored as a warning.
    fn ensure_guardian(&mut self, program: &GuardianProgram) {
        if let Err(why) = self.start_if_needed(program) {
            self.missing_guardian.report(&why);
        }
    }

    /// Starts a guardian if none runs. At most [`MAX_STARTS`] starts succeed in a row. A start that fails does not
    /// count, and every call tries again.
    fn start_if_needed(&mut self, program: &GuardianProgram) -> io::Result<()> {
        let handle = match &mut self.handle {
            Some(handle) => handle,
            // The registry is useful even without guardians: the next start reads it.
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

    /// Records a run that is about to start. Returns the warning for the user about a missing guardian, once.
    pub(crate) fn register(&self, run: &str) -> Option<Message> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure_guardian(program);
        state.update(|handle| handle.register(run));
        state.missing_guardian.pending_warning()
    }

    /// Records the process group of a run.
    pub(crate) fn set_group(&self, run: &str, group: u32) {
        self.state().update(|handle| handle.set_group(run, group));
    }

    /// Removes the group number of a run, because it can soon belong to another process group.
    pub(crate) fn clear_group(&self, run: &str) {
        self.set_group(run, 0);
    }

    /// Removes a run that has ended.
    pub(crate) fn unregister(&self, run: &str) {
        self.state().update(|handle| handle.unregister(run));
    }

    /// Starts guardians now instead of at the first hook, and from now on whenever none is left. Returns the
    /// warning for the user about a missing guardian, once.
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

    /// Starts a thread that sleeps until the last guardian has ended, and then starts new ones.
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
        // If the thread cannot be started, the next hook checks for guardians.
        drop(
            std::thread::Builder::new()
                .name("guards".to_owned())
                .spawn(restart_loop),
        );
    }

    /// Starts a guardian if none runs. Returns a descriptor that hangs up with the last guardian; `None` if there
    /// is none.
    #[cfg(unix)]
    fn ensure_exit_fd(&self) -> Option<std::os::fd::OwnedFd> {
        let program = self.program.as_ref()?;
        let mut state = self.state();
        state.ensure_guardian(program);
        let handle = state.handle.as_mut()?;
        if handle.is_alive() { handle.exit_fd().ok() } else { None }
    }

    /// Kills the hooks of engines of the same folder that were killed together with their guardians. Linux only: on
    /// other systems it is not visible which run a process belongs to. Blocks for a moment if there are any.
    pub(crate) fn kill_orphaned_runs(&self) {
        #[cfg(target_os = "linux")]
        if let Some(program) = &self.program {
            orphaned_runs::kill_orphaned_runs(&program.folder);
        }
    }

    fn state(&self) -> MutexGuard<'_, GuardianState> {
        // No code panics while it changes the state.
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
        // This program exits at once, and the number of starts is limited.
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
