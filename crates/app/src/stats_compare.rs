//! What is different between two periods of metrics, with enough runs to say so (`CONTRACTS.md` §2.2).

use std::collections::HashMap;

use hookwright_store::HookStats;

use crate::dto::{StatsBefore, StatsChange, StatsEdit, StatsRow};
use crate::history_store::to_u32;

/// So many runs in both periods say something.
const ENOUGH_RUNS: u32 = 10;
/// Shares of failed runs differ from this difference on, if chance hardly explains it.
const MIN_SHARE: f64 = 0.1;
/// A difference of so many standard deviations is not by chance.
const MIN_DEVIATIONS: f64 = 2.0;
/// Times differ from this factor on, and from so many milliseconds on: smaller differences come and go.
const MIN_FACTOR: f64 = 1.5;
const MIN_DIFFERENCE_MS: f64 = 20.0;

/// Compares rows with the same hooks in the period before. `edits` are those of both periods, oldest first.
pub(crate) fn compare(rows: &mut [StatsRow], before: &[HookStats], edits: &[StatsEdit]) {
    let before: HashMap<Key<'_>, &HookStats> = before.iter().map(|stats| (key_of(stats), stats)).collect();
    for row in rows {
        let Some(stats) = before.get(&key_of_row(row)) else {
            continue;
        };
        let failed = stats.outcomes.iter().filter(|(outcome, _)| outcome.failed());
        let earlier = StatsBefore {
            runs: to_u32(stats.runs),
            failed: to_u32(failed.map(|(_, count)| count).sum()),
            p50_ms: stats.p50_ms,
            p95_ms: stats.p95_ms,
        };
        let now = Figures {
            runs: row.runs,
            failed: row.failed,
            p95_ms: row.p95_ms,
        };
        let then = Figures {
            runs: earlier.runs,
            failed: earlier.failed,
            p95_ms: earlier.p95_ms,
        };
        row.change = change(now, then);
        let is_of_hook =
            |edit: &&StatsEdit| edit.hook.as_ref() == Some(&row.hook) || edit.label.as_ref() == Some(&row.label);
        let last = edits.iter().rev().find(is_of_hook);
        row.edit = last.filter(|_| row.change.is_some()).cloned();
        row.before = Some(earlier);
    }
}

/// The identity, else hook id and version; with the project and the event.
type Key<'a> = (&'a str, &'a str, &'a str, &'a str);

fn key_of(stats: &HookStats) -> Key<'_> {
    let project = stats.project.as_deref().unwrap_or_default();
    match &stats.uid {
        Some(uid) => (uid, "", project, &stats.event),
        None => (&stats.hook, &stats.version, project, &stats.event),
    }
}

fn key_of_row(row: &StatsRow) -> Key<'_> {
    let project = row.project.as_deref().unwrap_or_default();
    match &row.uid {
        Some(uid) => (uid, "", project, &row.event),
        None => (&row.hook, &row.version, project, &row.event),
    }
}

/// What is compared of a period.
#[derive(Debug, Clone, Copy)]
struct Figures {
    runs: u32,
    failed: u32,
    p95_ms: f64,
}

fn change(now: Figures, before: Figures) -> Option<StatsChange> {
    if now.runs < ENOUGH_RUNS || before.runs < ENOUGH_RUNS {
        return None;
    }
    let (runs, earlier) = (f64::from(now.runs), f64::from(before.runs));
    let difference = f64::from(now.failed) / runs - f64::from(before.failed) / earlier;
    let share = (f64::from(now.failed) + f64::from(before.failed)) / (runs + earlier);
    let deviation = (share * (1.0 - share) * (1.0 / runs + 1.0 / earlier)).max(0.0).sqrt();
    if difference.abs() >= MIN_SHARE.max(MIN_DEVIATIONS * deviation) {
        return Some(if difference > 0.0 {
            StatsChange::Failing
        } else {
            StatsChange::Healed
        });
    }
    let is_longer = |more: f64, less: f64| more >= less * MIN_FACTOR && more - less >= MIN_DIFFERENCE_MS;
    match () {
        () if is_longer(now.p95_ms, before.p95_ms) => Some(StatsChange::Slower),
        () if is_longer(before.p95_ms, now.p95_ms) => Some(StatsChange::Faster),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures((runs, failed, p95_ms): (u32, u32, f64)) -> Figures {
        Figures { runs, failed, p95_ms }
    }

    #[test]
    fn a_change_is_said_only_with_enough_runs_and_beyond_chance() {
        for (now, before, expected) in [
            ((20, 10, 10.0), (20, 0, 10.0), Some(StatsChange::Failing)),
            ((20, 0, 10.0), (20, 10, 10.0), Some(StatsChange::Healed)),
            ((20, 0, 200.0), (20, 0, 100.0), Some(StatsChange::Slower)),
            ((20, 0, 100.0), (20, 0, 200.0), Some(StatsChange::Faster)),
            // Too few runs, chance, and a few milliseconds.
            ((9, 9, 10.0), (20, 0, 10.0), None),
            ((10, 2, 10.0), (10, 1, 10.0), None),
            ((20, 0, 12.0), (20, 0, 4.0), None),
        ] {
            assert_eq!(change(figures(now), figures(before)), expected, "{now:?} {before:?}");
        }
    }
}
