//! The engine's side of the connection to its guardians.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};

use super::run_registry::RunRegistry;
use super::{FIRST_ROLE, GUARDIAN_ARGUMENT, GuardianProgram, PROCESS_NAME};

/// The connection to a guardian and to each later one that replaced it.
#[derive(Debug)]
pub(super) struct GuardianLink {
    /// Nothing is ever written to it. It closes when the engine ends, and its other side closes when the last
    /// guardian ends.
    exit_pipe: PipeWriter,
    process: Option<Child>,
}

impl GuardianLink {
    /// Starts a guardian for this registry. The guardian starts its partner by itself.
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate is the only one that starts processes"
    )]
    pub(super) fn open(program: &GuardianProgram, registry: &RunRegistry) -> io::Result<Self> {
        let (ours, exit_pipe): (PipeReader, PipeWriter) = io::pipe()?;
        let mut command = Command::new(&program.program);
        command
            .arg0(PROCESS_NAME)
            .args([GUARDIAN_ARGUMENT, FIRST_ROLE])
            .args(registry.path())
            // The engine can itself run inside a hook. A kill of that hook by its `HOOKWRIGHT_RUN` must not include
            // these guardians.
            .env_remove("HOOKWRIGHT_RUN")
            .env_remove("HOOKWRIGHT_TRACE")
            .env_remove("HOOKWRIGHT_DEPTH")
            .current_dir("/")
            // A kill of the engine's group must not kill the guardian first. The guardian creates its own session by
            // itself.
            .process_group(0)
            .stdin(Stdio::from(ours))
            .stdout(Stdio::from(registry.open_for_guardian()?))
            .stderr(Stdio::null());
        Ok(Self {
            exit_pipe,
            process: Some(command.spawn()?),
        })
    }

    /// Whether a guardian is running.
    pub(super) fn is_alive(&mut self) -> bool {
        let is_alive = !wait_for_hangup(self.exit_pipe.as_fd(), Some(&Timespec::default()));
        if let Some(first) = &mut self.process {
            // If no guardian is alive, the first one is exiting, so `wait` is short. If one is alive, it can be the
            // second one, and the first one may have ended.
            let ended = if is_alive {
                first.try_wait()
            } else {
                first.wait().map(Some)
            };
            if !matches!(ended, Ok(None)) {
                self.process = None;
            }
        }
        is_alive
    }

    /// A descriptor on which a hang-up reports that no guardian is left.
    pub(super) fn exit_fd(&self) -> io::Result<OwnedFd> {
        Ok(OwnedFd::from(self.exit_pipe.try_clone()?))
    }
}

/// Waits at most `within` until the other side closes; without `within`, without a limit. Returns whether it
/// closed.
pub(super) fn wait_for_hangup(end: BorrowedFd<'_>, within: Option<&Timespec>) -> bool {
    let mut pipe = [PollFd::from_borrowed_fd(end, PollFlags::empty())];
    matches!(poll(&mut pipe, within), Ok(1..))
}

impl Drop for GuardianLink {
    fn drop(&mut self) {
        // A guardian that has ended is reaped here. A guardian that still runs ends with this process, and init
        // reaps it.
        if let Some(mut process) = self.process.take() {
            drop(process.try_wait());
        }
    }
}
