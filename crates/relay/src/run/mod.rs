//! `hookwright-relay run`: runs a hook's command unchanged, and reports to the engine what it did.
//!
//! The command has the same environment and directory, and its streams pass through ([`streams`]). This process then
//! ends as the command ended: with its exit code, or by its signal. Signals that ask this process to end go to the
//! command, and on Linux it does not outlive a kill of this process. The report ([`report`]) comes last and has 2 s;
//! nothing that happens to it is visible to the agent.

mod report;
mod streams;

use std::io::{self, Write};
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::args::RunOptions;
use streams::{CapturedStream, Outputs, StdinPump};

/// Exit code of `sh` for a command that is not found.
const NOT_FOUND: i32 = 127;
/// Exit code of `sh` for a command that cannot be started for another reason.
const NOT_EXECUTABLE: i32 = 126;

/// What the command did.
#[derive(Debug)]
struct Record {
    end: End,
    stdin: CapturedStream,
    stdout: CapturedStream,
    stderr: CapturedStream,
    took_ms: f64,
}

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Exit(i32),
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has signals"))]
    Signal(i32),
    /// It was not started; this process ends with that code.
    NotStarted(i32),
}

/// Runs the command, reports it, and ends the process in the same way.
pub fn run(options: &RunOptions) -> ! {
    let started = Instant::now();
    let record = match start(options) {
        Ok(child) => record(child, started),
        Err(error) => not_started(options, &error, started),
    };
    report::send(options, &record);
    leave(record.end)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the relay uses no other crate, and runs the command of an agent's hook"
)]
fn start(options: &RunOptions) -> io::Result<Child> {
    let mut command = Command::new(&options.command[0]);
    command.args(&options.command[1..]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    crate::sys::die_with_parent(&mut command);
    command.spawn()
}

fn record(mut child: Child, started: Instant) -> Record {
    #[cfg(unix)]
    crate::sys::forward_signals(child.id());
    let stdin = StdinPump::start(child.stdin.take());
    let outputs = Outputs::start(child.stdout.take(), child.stderr.take());
    let status = child.wait();
    let took_ms = started.elapsed().as_secs_f64() * 1e3;
    #[cfg(unix)]
    crate::sys::stop_forwarding();
    let [stdout, stderr] = outputs.finish();
    Record {
        end: status.map_or(End::Exit(1), end),
        stdin: stdin.finish(),
        stdout,
        stderr,
        took_ms,
    }
}

/// Says, like a shell, that the command cannot be started.
fn not_started(options: &RunOptions, error: &io::Error, started: Instant) -> Record {
    let line = format!("hookwright-relay: {}: {error}\n", options.command[0].display());
    drop(io::stderr().write_all(line.as_bytes()));
    // The same errors as in `sh` mean that nothing of this name exists.
    let is_missing = matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    );
    let code = if is_missing { NOT_FOUND } else { NOT_EXECUTABLE };
    Record {
        end: End::NotStarted(code),
        stdin: StdinPump::start(None).finish(),
        stdout: CapturedStream::default(),
        stderr: CapturedStream {
            bytes: line.into_bytes(),
            truncated: false,
        },
        took_ms: started.elapsed().as_secs_f64() * 1e3,
    }
}

#[cfg(unix)]
fn end(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

#[cfg(not(unix))]
fn end(status: ExitStatus) -> End {
    End::Exit(status.code().unwrap_or(1))
}

fn leave(end: End) -> ! {
    match end {
        End::Exit(code) | End::NotStarted(code) => process::exit(code),
        End::Signal(number) => {
            #[cfg(unix)]
            crate::sys::die_of(number);
            process::exit(128 + number)
        }
    }
}
