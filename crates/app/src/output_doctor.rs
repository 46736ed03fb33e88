//! Finds, for a trace that is shown, what kept the output of its hooks from being read.
//!
//! Nothing of it is recorded: it follows from the recorded streams, so that old traces have it too, and no event waits
//! for it.

use hookwright_dialects::hook_output::UNREADABLE;
use hookwright_dialects::lookup::find_event;
use hookwright_dialects::output_doctor::{OutputSubject, OutputUse, examine};
use hookwright_model::{Attempt, End, Outcome, Step, Trace};

/// The handler of hooks that a model answers.
const PROMPT: &str = "prompt";

/// Adds the problems of its outputs to each attempt of a trace.
#[must_use]
pub fn with_output_problems(mut trace: Trace) -> Trace {
    let Ok((_, event)) = find_event(&trace.dialect, &trace.event) else {
        return trace;
    };
    let fields: Vec<&str> = event.outputs.iter().map(|output| output.name).collect();
    for step in &mut trace.steps {
        let last = step.attempts.len().saturating_sub(1);
        let use_of_last = use_of_stdout(step);
        if step.handler == PROMPT && use_of_last != OutputUse::Rejected {
            // Text around the object of a model is allowed.
            continue;
        }
        // Some agents read an answer whatever the exit code is.
        let is_unreadable = |code: Option<&str>| code == Some(UNREADABLE.code);
        let has_unreadable = is_unreadable(step.code.as_deref())
            || step
                .ignored
                .iter()
                .any(|ignored| is_unreadable(Some(ignored.code.as_str())));
        for (index, attempt) in step.attempts.iter_mut().enumerate() {
            let is_read = index == last && has_unreadable && !attempt.truncated;
            if !ended_well(attempt) && !is_read {
                continue;
            }
            let use_of_stdout = if index == last {
                use_of_last
            } else {
                OutputUse::Rejected
            };
            attempt.output_problems = examine(&OutputSubject {
                stdin: &attempt.stdin,
                stdout: &attempt.stdout,
                stderr: &attempt.stderr,
                command: &attempt.command,
                fields: &fields,
                use_of_stdout,
            });
        }
    }
    trace
}

/// Whether the output of an attempt is read at all. Of a stream that was cut only the beginning is known.
fn ended_well(attempt: &Attempt) -> bool {
    let is_success = match attempt.end {
        End::Exit => attempt.code == Some(0),
        End::Replied => true,
        End::Signal | End::TimedOut | End::Cancelled | End::NotStarted | End::Refused | End::PeerGone | End::Done => {
            false
        }
    };
    is_success && !attempt.truncated
}

fn use_of_stdout(step: &Step) -> OutputUse {
    match step.outcome {
        Outcome::FailedOpen | Outcome::FailedClosed => OutputUse::Rejected,
        Outcome::NotMatched
        | Outcome::Skipped
        | Outcome::NoOpinion
        | Outcome::Allowed
        | Outcome::Changed
        | Outcome::Asked
        | Outcome::Denied
        | Outcome::TimedOutOpen
        | Outcome::TimedOutClosed
        | Outcome::Detached => {
            if step.ignored.is_empty() {
                OutputUse::Used
            } else {
                OutputUse::Ignored
            }
        }
    }
}
