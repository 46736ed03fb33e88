//! The floor of a comparison: the same command with the same pipes is spawned and waited for, nothing else.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs the command `count` times at the same time, with these bytes on stdin, in this folder.
///
/// # Panics
/// When a command cannot be started: then there is nothing to measure.
#[must_use]
pub fn spawn(count: usize, command: &str, stdin: &[u8], cwd: &Path) -> Duration {
    let start = Instant::now();
    let children: Vec<Child> = (0..count).map(|_| start_command(command, cwd)).collect();
    for child in children {
        finish_command(child, stdin);
    }
    start.elapsed()
}

#[expect(clippy::disallowed_methods, reason = "Hookwright is measured against this floor")]
fn start_command(command: &str, cwd: &Path) -> Child {
    Command::new("/bin/sh")
        .arg("-c")
        .arg(command)
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("/bin/sh: {error}"))
}

fn finish_command(mut child: Child, stdin: &[u8]) {
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
}
