//! The engine's end of the two pipes.

use std::io;

use super::GuardianProgram;

#[cfg(unix)]
pub(super) use unix::Link;

#[cfg(not(unix))]
pub(super) use elsewhere::Link;

#[cfg(unix)]
mod unix {
    use std::io::PipeWriter;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    use super::{GuardianProgram, io};

    /// After this many bytes the bell is rung: a quarter of what a pipe holds.
    const BELL_EVERY: usize = 16 << 10;

    /// How long a full pipe is waited for; reading it takes microseconds.
    const MOMENT: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 500_000_000,
    };

    /// A guardian that left this much unread is stopped or stuck; another one takes its place.
    const UNSAID_AT_MOST: usize = 1 << 20;

    /// Signals that reach it must not take it before the engine: what a shell ignores, the program it becomes ignores.
    const IGNORING: &str = "trap '' HUP INT QUIT TERM; exec \"$@\"";

    /// A living guardian.
    #[derive(Debug)]
    pub(in super::super) struct Link {
        /// What it is told.
        lines: Option<PipeWriter>,
        /// Says that there is something to read.
        bell: PipeWriter,
        /// What the pipe had no room for yet.
        unsaid: Vec<u8>,
        since_bell: usize,
        /// It read what it was told when it was last waited for.
        reads: bool,
        process: Option<Child>,
    }

    impl Link {
        /// Starts a guardian and tells it what runs already.
        #[expect(clippy::disallowed_methods, reason = "this crate is the door that starts processes")]
        pub(in super::super) fn open(
            program: &GuardianProgram,
            known: impl Iterator<Item = String>,
        ) -> io::Result<Self> {
            let (their_lines, lines) = io::pipe()?;
            let (their_bell, bell) = io::pipe()?;
            rustix::io::ioctl_fionbio(&lines, true)?;
            rustix::io::ioctl_fionbio(&bell, true)?;
            let process = Command::new("/bin/sh")
                .args(["-c", IGNORING, "sh"])
                .arg(&program.program)
                .args(&program.args)
                // An engine that is itself part of a hook: its guardian must not be swept away with it.
                .env_remove("HOOKWRIGHT_RUN")
                .env_remove("HOOKWRIGHT_TRACE")
                .env_remove("HOOKWRIGHT_DEPTH")
                .current_dir("/")
                .process_group(0)
                .stdin(Stdio::from(their_lines))
                .stdout(Stdio::from(their_bell))
                .stderr(Stdio::null())
                .spawn()?;
            let mut link = Self {
                lines: Some(lines),
                bell,
                unsaid: Vec::new(),
                since_bell: 0,
                reads: true,
                process: Some(process),
            };
            known.into_iter().try_for_each(|line| link.say(&line))?;
            Ok(link)
        }

        /// Tells a line. Where the pipe has no room it rings and waits a moment, since what starts next must be known;
        /// one that does not read meanwhile gets the line the next time.
        ///
        /// # Errors
        /// The guardian is gone, or as good as gone.
        pub(in super::super) fn say(&mut self, line: &str) -> io::Result<()> {
            let Some(lines) = &self.lines else {
                return Err(Errno::PIPE.into());
            };
            if self.unsaid.len() > UNSAID_AT_MOST {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.unsaid.extend_from_slice(line.as_bytes());
            while !self.unsaid.is_empty() {
                match rustix::io::write(lines, &self.unsaid) {
                    Ok(written) => {
                        self.since_bell += written;
                        self.unsaid.drain(..written);
                        self.reads = true;
                    }
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => {
                        ring(&self.bell);
                        self.since_bell = 0;
                        self.reads = self.reads && has_room(lines);
                        if !self.reads {
                            break;
                        }
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            if self.since_bell >= BELL_EVERY {
                self.since_bell = 0;
                ring(&self.bell);
            }
            Ok(())
        }
    }

    fn ring(bell: &PipeWriter) {
        // A bell that is full rings already.
        let _ = rustix::io::write(bell, b"!");
    }

    /// Whether there is room in the pipe within a moment.
    fn has_room(lines: &PipeWriter) -> bool {
        let mut pipe = [PollFd::new(lines, PollFlags::OUT)];
        matches!(poll(&mut pipe, Some(&MOMENT)), Ok(1..))
    }

    impl Drop for Link {
        fn drop(&mut self) {
            self.lines = None;
            // It ends now, and somebody has to collect it; that is no reason to wait here.
            if let Some(mut process) = self.process.take() {
                drop(
                    std::thread::Builder::new()
                        .name("guardian".to_owned())
                        .spawn(move || process.wait()),
                );
            }
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use super::{GuardianProgram, io};

    /// No process groups, no guardian: that is said once, and hooks run all the same.
    #[derive(Debug)]
    pub(in super::super) struct Link;

    impl Link {
        pub(in super::super) fn open(
            _program: &GuardianProgram,
            _known: impl Iterator<Item = String>,
        ) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(in super::super) fn say(&mut self, _line: &str) -> io::Result<()> {
            Ok(())
        }
    }
}
