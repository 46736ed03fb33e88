//! The agent's own counters (`agent-hooks.md` §10).

use hookwright_model::{Counts, Mode, Outcome};

const FAILED: [Outcome; 4] = [
    Outcome::FailedOpen,
    Outcome::FailedClosed,
    Outcome::TimedOutOpen,
    Outcome::TimedOutClosed,
];

/// Only hooks that ran count; one that blocks is successful.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn of_hook(counts: &Counts) -> Vec<(&'static str, f64)> {
    let total = counts.runs;
    let failed = counts.of(&FAILED).min(total);
    let detached = match counts.mode {
        Some(Mode::Detach) => total,
        Some(Mode::Await) | None => 0,
    };
    let counters = [
        ("total_executions", total),
        ("successful", total - failed),
        ("failed", failed),
        ("blocked", counts.of(&[Outcome::Denied])),
        ("async", detached),
    ];
    let named = counters.into_iter().map(|(name, count)| (name, count as f64));
    named.chain([("total_duration_ms", counts.total_ms)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_block_is_a_success_and_a_hook_that_did_not_run_counts_for_nothing() {
        let counts = Counts {
            outcomes: BTreeMap::from([
                (Outcome::NotMatched, 9),
                (Outcome::Denied, 2),
                (Outcome::NoOpinion, 3),
                (Outcome::TimedOutOpen, 1),
            ]),
            runs: 6,
            total_ms: 12.5,
            mode: Some(Mode::Detach),
            ..Counts::default()
        };
        assert_eq!(
            of_hook(&counts),
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
