//! Starting a program of ours that outlives this one: the desktop window from the command line.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program on its own: no streams of ours, a process group of its own, not waited for.
///
/// # Errors
/// The system's word, when it cannot be started.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate is the one door through which programs start"
)]
pub fn start_detached(program: &Path, args: &[&OsStr]) -> io::Result<()> {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // The child is handed to init when this program ends, which it does next.
    let started = command.spawn()?;
    crate::descriptors::restore_limit(Some(started.id()));
    Ok(())
}
