//! The signals that end an engine.

use std::io;

/// A signal that asks the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// `kill`, or the end of the login session.
    Terminate,
}

/// Receives these signals from its creation on.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail like on a full disk. Without a handler of its
/// signal, it ends the program. A program that is started gets the default back. Must be called within the runtime.
pub fn handle_file_size_limit() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        /// SIGXFSZ on Linux and macOS.
        const FILE_SIZE_SIGNAL: std::ffi::c_int = 25;
        if let Err(error) = signal(SignalKind::from_raw(FILE_SIZE_SIGNAL)) {
            tracing::warn!(%error, "a limit of file sizes would end this program");
        }
    }
}

#[cfg(unix)]
impl Signals {
    /// Starts to listen.
    ///
    /// # Errors
    /// The system cannot install the signal handlers.
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hangup.recv() => Signal::Terminate,
        }
    }
}

/// Receives these signals from its creation on.
#[cfg(windows)]
#[derive(Debug)]
pub struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    close: tokio::signal::windows::CtrlClose,
    shutdown: tokio::signal::windows::CtrlShutdown,
}

#[cfg(windows)]
impl Signals {
    /// Starts to listen.
    ///
    /// # Errors
    /// The system cannot install the signal handlers.
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_c, ctrl_close, ctrl_shutdown};
        Ok(Self {
            interrupt: ctrl_c()?,
            close: ctrl_close()?,
            shutdown: ctrl_shutdown()?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.close.recv() => Signal::Terminate,
            _ = self.shutdown.recv() => Signal::Terminate,
        }
    }
}
