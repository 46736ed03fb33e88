//! Starts a program of Hookwright that outlives this one: the command line starts the desktop window.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program without any of this process's streams and in its own process group. Does not wait for it.
///
/// # Errors
/// The system's error when it cannot be started.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate is the only one that starts processes"
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
    // The child is not reaped here: this program ends next, and then init adopts the child.
    let started = command.spawn()?;
    crate::descriptors::restore_limit(Some(started.id()));
    Ok(())
}
