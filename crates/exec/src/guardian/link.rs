//! The engine's end of what holds it and its guards together.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};

use super::run_registry::RunRegistry;
use super::{FIRST_ROLE, GUARDIAN_ARGUMENT, GuardianProgram, PROCESS_NAME};

/// A guard that stands, or one that took its place.
#[derive(Debug)]
pub(super) struct GuardianLink {
    /// Nothing is ever written to it: it ends with the engine, and its other end with the last guard.
    exit_pipe: PipeWriter,
    process: Option<Child>,
}

impl GuardianLink {
    /// Starts a guard over this table. It starts its partner by itself.
    #[expect(clippy::disallowed_methods, reason = "this crate is the door that starts processes")]
    pub(super) fn open(program: &GuardianProgram, registry: &RunRegistry) -> io::Result<Self> {
        let (ours, exit_pipe): (PipeReader, PipeWriter) = io::pipe()?;
        let mut command = Command::new(&program.program);
        command
            .arg0(PROCESS_NAME)
            .args([GUARDIAN_ARGUMENT, FIRST_ROLE])
            .args(registry.path())
            // An engine that is itself part of a hook: its guards must not be swept away with it.
            .env_remove("HOOKWRIGHT_RUN")
            .env_remove("HOOKWRIGHT_TRACE")
            .env_remove("HOOKWRIGHT_DEPTH")
            .current_dir("/")
            // Who kills the engine's group does not kill its guard first; a session of its own it makes itself.
            .process_group(0)
            .stdin(Stdio::from(ours))
            .stdout(Stdio::from(registry.open_for_guardian()?))
            .stderr(Stdio::null());
        Ok(Self {
            exit_pipe,
            process: Some(command.spawn()?),
        })
    }

    /// Whether anybody is on guard.
    pub(super) fn is_alive(&mut self) -> bool {
        let is_alive = !wait_for_hangup(self.exit_pipe.as_fd(), Some(&Timespec::default()));
        if let Some(first) = &mut self.process {
            // Its end of the pipe closed as it ended: it is collected in a moment. Of two, the other may stand alone.
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

    /// Something that sees when nobody is on guard any more.
    pub(super) fn exit_fd(&self) -> io::Result<OwnedFd> {
        Ok(OwnedFd::from(self.exit_pipe.try_clone()?))
    }
}

/// Waits so long for the end of the other side; whether it came.
pub(super) fn wait_for_hangup(end: BorrowedFd<'_>, within: Option<&Timespec>) -> bool {
    let mut pipe = [PollFd::from_borrowed_fd(end, PollFlags::empty())];
    matches!(poll(&mut pipe, within), Ok(1..))
}

impl Drop for GuardianLink {
    fn drop(&mut self) {
        // It ends with us, or ended before: whoever lives on as our process has nothing to collect, and the rest is init's.
        if let Some(mut process) = self.process.take() {
            drop(process.try_wait());
        }
    }
}
