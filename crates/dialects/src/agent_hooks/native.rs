//! The agent's own counters and debug log (`agent-hooks.md` §10).

use hookwright_model::{HookCounts, Outcome, RunMode, Step, ToolCalls, ToolCounts, Trace, VerdictKind};

const FAILED: [Outcome; 4] = [
    Outcome::FailedOpen,
    Outcome::FailedClosed,
    Outcome::TimedOutOpen,
    Outcome::TimedOutClosed,
];

/// The counters of a hook. Only runs are counted; a run that blocks is successful.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn hook_counters(counts: &HookCounts) -> Vec<(&'static str, f64)> {
    let total = counts.runs;
    let failed = counts
        .sum_of(&FAILED)
        .saturating_sub(counts.counter(HookCounts::NEVER_RAN))
        .min(total);
    let detached = match counts.mode {
        Some(RunMode::Detach) => total,
        Some(RunMode::Await) | None => 0,
    };
    let counters = [
        ("total_executions", total),
        ("successful", total - failed),
        ("failed", failed),
        ("blocked", counts.sum_of(&[Outcome::Denied])),
        ("async", detached),
    ];
    let named = counters.into_iter().map(|(name, count)| (name, count as f64));
    named.chain([("total_duration_ms", counts.total_ms)]).collect()
}

/// This event fires before a call is made. A block prevents the call.
pub(super) const TOOL_CALLS: ToolCalls = ToolCalls {
    event: "before_tool",
    input: "tool_input",
    blocks: VerdictKind::Deny,
};

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn tool_counters(counts: &ToolCounts) -> Vec<(&'static str, f64)> {
    vec![
        ("total_calls", counts.calls as f64),
        ("blocked_calls", counts.blocked as f64),
        ("modified_calls", counts.modified as f64),
        ("total_duration_ms", counts.total_ms),
    ]
}

/// The lines for the start and the end of a hook's run, with the reason of a block or the error. A hook that did not
/// run has no lines. The step of a detached hook is recorded twice: when it has started, and when it has ended.
pub(super) fn debug_lines(trace: &Trace, step: &Step) -> Vec<String> {
    let (mode, name) = (&step.mode, &step.label);
    let word = match mode {
        RunMode::Await => "SYNC",
        RunMode::Detach => "ASYNC",
    };
    let begun = format!(
        "[HOOK DEBUG] [{word}] Starting hook '{name}' for event '{}'",
        trace.event
    );
    if step.outcome == Outcome::Detached {
        return vec![begun];
    }
    if step.attempts.is_empty() {
        return Vec::new();
    }
    let took: f64 = step.attempts.iter().map(|attempt| attempt.took_ms).sum();
    let blocked = if step.outcome == Outcome::Denied {
        "True"
    } else {
        "False"
    };
    let ended = format!("[HOOK DEBUG] [{word}] Completed hook '{name}' in {took:.0}ms: blocked={blocked}");
    let decided = trace.verdict.by.as_deref() == Some(&step.hook);
    let reason = trace
        .verdict
        .reason
        .as_deref()
        .filter(|_| decided && step.outcome == Outcome::Denied);
    let error = step.reason.as_deref().filter(|_| FAILED.contains(&step.outcome));
    let mut lines = Vec::from_iter((*mode == RunMode::Await).then_some(begun));
    lines.push(ended);
    lines.extend(reason.map(|reason| format!("[HOOK DEBUG] Reason: {reason}")));
    lines.extend(error.map(|error| format!("[HOOK DEBUG] Error: {error}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_block_is_a_success_and_a_hook_that_did_not_run_counts_for_nothing() {
        let counts = HookCounts {
            outcomes: BTreeMap::from([
                (Outcome::NotMatched, 9),
                (Outcome::Denied, 2),
                (Outcome::NoOpinion, 3),
                (Outcome::TimedOutOpen, 1),
                (Outcome::FailedOpen, 4),
            ]),
            counted: BTreeMap::from([(HookCounts::NEVER_RAN.to_owned(), 4)]),
            runs: 6,
            total_ms: 12.5,
            mode: Some(RunMode::Detach),
            ..HookCounts::default()
        };
        assert_eq!(
            hook_counters(&counts),
            [
                ("total_executions", 6.0),
                ("successful", 5.0),
                ("failed", 1.0),
                ("blocked", 2.0),
                ("async", 6.0),
                ("total_duration_ms", 12.5)
            ]
        );
    }
}
