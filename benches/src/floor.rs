//! The floor: the same command with the same pipes, spawned and waited for, nothing else.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs the command once on these bytes.
///
/// # Panics
/// When it cannot be started: there is nothing to measure then.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the floor is what our own door is measured against"
)]
pub fn spawn(command: &str, stdin: &[u8]) -> Duration {
    let start = Instant::now();
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("/bin/sh: {error}"));
    if let Some(mut pipe) = child.stdin.take() {
        // A command that does not read is fine.
        drop(pipe.write_all(stdin));
    }
    let mut out = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        drop(pipe.read_to_end(&mut out));
    }
    if let Some(mut pipe) = child.stderr.take() {
        drop(pipe.read_to_end(&mut out));
    }
    let status = child.wait().unwrap_or_else(|error| panic!("wait: {error}"));
    assert!(status.success(), "the floor's command failed");
    start.elapsed()
}
