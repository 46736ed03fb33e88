//! Builds the record of an attempt.

use std::time::Duration;

use hookwright_model::{Attempt, Captured, Run};

use super::millis;

/// The attempt as the trace records it. `started` is the time since the event's acceptance.
pub(crate) fn attempt_record(run: Run, started: Duration) -> Attempt {
    let truncated = run.stdin.is_cut() || run.stdout.is_cut() || run.stderr.is_cut();
    Attempt {
        end: run.end,
        code: run.code,
        signal: run.signal,
        stdin: text(run.stdin),
        stdout: text(run.stdout),
        stderr: text(run.stderr),
        started_ms: millis(started),
        took_ms: millis(run.took),
        truncated,
        pipe_held: run.pipe_held,
        command: run.command,
        cwd: run.cwd.map(|cwd| cwd.display().to_string()),
        env: run.env,
        counted: run
            .counters
            .into_iter()
            .map(|(word, count)| (word.to_owned(), count))
            .collect(),
        output_problems: Vec::new(),
    }
}

fn text(stream: Captured) -> String {
    String::from_utf8(stream.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
