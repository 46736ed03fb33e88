//! The engine's end of what holds it and its guards together.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};

use super::table::Table;
use super::{ARGUMENT, FIRST, GuardianProgram, NAME};

/// A guard that stands, or one that took its place.
#[derive(Debug)]
pub(super) struct Link {
    /// Nothing is ever written to it: it ends with the engine, and its other end with the last guard.
    life: PipeWriter,
    process: Option<Child>,
}

impl Link {
    /// Starts a guard over this table. It starts its partner by itself.
    #[expect(clippy::disallowed_methods, reason = "this crate is the door that starts processes")]
    pub(super) fn open(program: &GuardianProgram, table: &Table) -> io::Result<Self> {
        let (ours, life): (PipeReader, PipeWriter) = io::pipe()?;
        let mut command = Command::new(&program.program);
        command
            .arg0(NAME)
            .args([ARGUMENT, FIRST])
            .args(table.path())
            // An engine that is itself part of a hook: its guards must not be swept away with it.
            .env_remove("HOOKWRIGHT_RUN")
            .env_remove("HOOKWRIGHT_TRACE")
            .env_remove("HOOKWRIGHT_DEPTH")
            .current_dir("/")
            // Who kills the engine's group does not kill its guard first; a session of its own it makes itself.
            .process_group(0)
            .stdin(Stdio::from(ours))
            .stdout(Stdio::from(table.share()?))
            .stderr(Stdio::null());
        Ok(Self {
            life,
            process: Some(command.spawn()?),
        })
    }

    /// Whether anybody is on guard.
    pub(super) fn stands(&mut self) -> bool {
        let stands = !over(self.life.as_fd(), Some(&Timespec::default()));
        if let Some(first) = &mut self.process {
            // Its end of the pipe closed as it ended: it is collected in a moment. Of two, the other may stand alone.
            let ended = if stands {
                first.try_wait()
            } else {
                first.wait().map(Some)
            };
            if !matches!(ended, Ok(None)) {
                self.process = None;
            }
        }
        stands
    }

    /// Something that sees when nobody is on guard any more.
    pub(super) fn watch(&self) -> io::Result<OwnedFd> {
        Ok(OwnedFd::from(self.life.try_clone()?))
    }
}

/// Waits so long for the end of the other side; whether it came.
pub(super) fn over(end: BorrowedFd<'_>, within: Option<&Timespec>) -> bool {
    let mut pipe = [PollFd::from_borrowed_fd(end, PollFlags::empty())];
    matches!(poll(&mut pipe, within), Ok(1..))
}

impl Drop for Link {
    fn drop(&mut self) {
        // It ends with us, or ended before: whoever lives on as our process has nothing to collect, and the rest is init's.
        if let Some(mut process) = self.process.take() {
            drop(process.try_wait());
        }
    }
}
