//! Sums of step totals by hook, by hour and by bucket of a series.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use crate::bars::OutcomeBar;
use crate::insert::{HookIdentity, version_of};
use crate::metrics::{BAR_COUNT, HookStats, Metrics, MetricsBucket, MetricsSeries, Percentiles};
use crate::rollup::{DAY, HOUR, MINUTE, Period, SPANS, finest_span, floor};
use crate::step_totals::StepTotals;

/// The lengths that a bucket of a series may have, in seconds.
const WIDTHS: [i64; 13] = [
    MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    28 * DAY,
];
/// A series has at most this many buckets, unless it is longer than 64 times the longest of [`WIDTHS`].
const MAX_BUCKETS: i64 = 64;

/// The buckets of a series. Times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeriesGrid {
    from: i64,
    width: i64,
    count: usize,
}

impl SeriesGrid {
    /// The shortest buckets with which the period has at most [`MAX_BUCKETS`].
    pub(crate) fn new(period: Period, now: i64) -> Self {
        let end = period.to.unwrap_or(now + 1).max(period.from + 1);
        let count = |width: i64| (end - 1).div_euclid(width) - period.from.div_euclid(width) + 1;
        let shortest = finest_span(period.from, now);
        let widths = WIDTHS.into_iter().filter(|width| *width >= shortest);
        let fitting = widths.into_iter().find(|width| count(*width) <= MAX_BUCKETS);
        let longest = || (end - period.from).div_euclid(MAX_BUCKETS - 1).div_euclid(DAY) * DAY + DAY;
        let width = fitting.unwrap_or_else(longest);
        Self {
            from: floor(period.from, width),
            width,
            count: usize::try_from(count(width)).unwrap_or(1),
        }
    }

    /// The longest rollup of which each bucket has a whole number.
    pub(crate) fn longest_span(&self) -> i64 {
        let fits = |span: &i64| self.width % span == 0;
        SPANS.into_iter().rev().find(fits).unwrap_or(MINUTE)
    }

    fn index_of(&self, at: i64) -> usize {
        let index = at.saturating_sub(self.from).div_euclid(self.width);
        usize::try_from(index).unwrap_or(0).min(self.count - 1)
    }
}

/// What identifies one row of the metrics: project (empty for none), hook, definition, dialect, event. If the identity of
/// the hook is known, it stands for the hook, and the definition is empty.
type MetricKey<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str);

#[derive(Default)]
struct HookSums<'a> {
    /// The newest version, with its `hooks.id`.
    newest: Option<(i64, &'a HookIdentity<'static>)>,
    uid: Option<&'a str>,
    totals: StepTotals,
    seen: bool,
    bars: BTreeMap<i64, StepTotals>,
    series: BTreeMap<usize, StepTotals>,
}

/// The sums of all hooks.
pub(crate) struct MetricSums<'a> {
    hooks: &'a HashMap<i64, HookIdentity<'static>>,
    uids: HashMap<i64, &'a str>,
    grid: Option<SeriesGrid>,
    buckets: Vec<StepTotals>,
    bars_from: i64,
    has_bars: bool,
    rows: BTreeMap<MetricKey<'a>, HookSums<'a>>,
}

impl<'a> MetricSums<'a> {
    /// Sums of these hooks, by `hooks.id`, those of one identity together. Other hooks are not counted. Bars begin at a
    /// time in seconds.
    pub(crate) fn new(
        hooks: &'a HashMap<i64, HookIdentity<'static>>,
        uids: HashMap<i64, &'a str>,
        grid: Option<SeriesGrid>,
        bars_from: i64,
    ) -> Self {
        Self {
            hooks,
            uids,
            grid,
            buckets: vec![StepTotals::default(); grid.map_or(0, |grid| grid.count)],
            bars_from,
            has_bars: true,
            rows: BTreeMap::new(),
        }
    }

    pub(crate) fn grid(&self) -> Option<&SeriesGrid> {
        self.grid.as_ref()
    }

    /// When the bars begin, in seconds.
    pub(crate) const fn bars_from(&self) -> i64 {
        self.bars_from
    }

    /// Adds what a hook did at a time in seconds, within the period.
    pub(crate) fn add(&mut self, at: i64, hook_id: i64, totals: &StepTotals) {
        let bucket = self.grid.map(|grid| grid.index_of(at));
        let Some(row) = self.row(hook_id) else {
            return;
        };
        row.seen = true;
        row.totals.merge(totals);
        if let Some(bucket) = bucket {
            row.series.entry(bucket).or_default().merge(totals);
            self.buckets[bucket].merge(totals);
        }
    }

    /// Adds what a hook did in the hour that begins at this time.
    pub(crate) fn add_bar(&mut self, hour: i64, hook_id: i64, totals: &StepTotals) {
        if let Some(row) = self.row(hook_id) {
            row.bars.entry(hour).or_default().merge(totals);
        }
    }

    /// Gives no bars, because not all traces could be counted for them.
    pub(crate) fn leave_out_bars(&mut self) {
        self.has_bars = false;
    }

    fn row(&mut self, hook_id: i64) -> Option<&mut HookSums<'a>> {
        let hook = self.hooks.get(&hook_id)?;
        let uid = self.uids.get(&hook_id).copied();
        let (it, definition) = uid.map_or((&*hook.hook, &*hook.definition), |uid| (uid, ""));
        let key: MetricKey<'a> = (&hook.project, it, definition, &hook.dialect, &hook.event);
        let row = self.rows.entry(key).or_default();
        row.uid = uid;
        if row.newest.is_none_or(|(newest, _)| hook_id >= newest) {
            row.newest = Some((hook_id, hook));
        }
        Some(row)
    }

    /// The metrics of these sums. Hooks that were in no chain of the period are left out.
    pub(crate) fn into_metrics(self) -> Metrics {
        let rows = self.rows.iter().filter(|(_, row)| row.seen);
        Metrics {
            hooks: rows.map(|(key, row)| self.stats_of(*key, row)).collect(),
            series: self.grid.map(|grid| MetricsSeries {
                width: grid.width,
                buckets: self
                    .buckets
                    .iter()
                    .enumerate()
                    .map(|(n, totals)| bucket(grid, n, totals))
                    .collect(),
            }),
            counted_from: None,
        }
    }

    fn stats_of(&self, key: MetricKey<'_>, row: &HookSums<'_>) -> HookStats {
        let totals = &row.totals;
        let times = percentiles(totals);
        let newest = row.newest.map(|(_, hook)| hook);
        HookStats {
            uid: row.uid.map(str::to_owned),
            hook: newest.map_or(key.1, |hook| &hook.hook).to_owned(),
            project: Some(key.0.to_owned()).filter(|path| !path.is_empty()),
            label: newest.map(|hook| hook.label.to_string()).unwrap_or_default(),
            version: newest
                .map(|hook| version_of(&hook.definition).to_owned())
                .unwrap_or_default(),
            dialect: key.3.to_owned(),
            event: key.4.to_owned(),
            runs: totals.runs(),
            outcomes: totals.outcomes(),
            attempts: totals.attempts,
            successes: totals.successes,
            failures: totals.attempts - totals.successes,
            timeouts: totals.timeouts,
            total_ms: ms(totals.total_us),
            p50_ms: times.p50_ms,
            p95_ms: times.p95_ms,
            p99_ms: times.p99_ms,
            max_ms: ms(totals.max_us),
            chars_added: totals.chars_added,
            counted: totals.counted.clone(),
            bars: self.bars_of(row),
            p95_series: self.p95_series(row),
        }
    }

    fn bars_of(&self, row: &HookSums<'_>) -> Vec<OutcomeBar> {
        let bar = |n: i64| {
            let start = self.bars_from + n * HOUR;
            OutcomeBar {
                at: timestamp(start),
                outcomes: row.bars.get(&start).map(StepTotals::outcomes).unwrap_or_default(),
            }
        };
        let count = if self.has_bars { BAR_COUNT } else { 0 };
        (0..count).map(bar).collect()
    }

    fn p95_series(&self, row: &HookSums<'_>) -> Vec<Option<f64>> {
        let p95 = |n: usize| {
            let totals = row.series.get(&n).filter(|totals| totals.attempts > 0)?;
            Some(percentiles(totals).p95_ms)
        };
        (0..self.buckets.len()).map(p95).collect()
    }
}

fn bucket(grid: SeriesGrid, n: usize, totals: &StepTotals) -> MetricsBucket {
    MetricsBucket {
        at: timestamp(grid.from.saturating_add(grid.width.saturating_mul(n as i64))),
        runs: totals.runs(),
        outcomes: totals.outcomes(),
        times: (totals.attempts > 0).then(|| percentiles(totals)),
    }
}

fn percentiles(totals: &StepTotals) -> Percentiles {
    Percentiles {
        p50_ms: ms(totals.percentile_us(0.5)),
        p95_ms: ms(totals.percentile_us(0.95)),
        p99_ms: ms(totals.percentile_us(0.99)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of run time are far below 2^52")]
fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

fn timestamp(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: i64 = 1_768_473_000;

    fn grid(back: i64) -> SeriesGrid {
        SeriesGrid::new(Period::rounded(NOW - back, None, NOW), NOW)
    }

    #[test]
    fn the_ranges_of_the_screen_have_round_buckets() {
        let shape = |back: i64| (grid(back).width, grid(back).count);
        assert_eq!(shape(15 * MINUTE), (MINUTE, 16));
        assert_eq!(shape(HOUR), (MINUTE, 61));
        assert_eq!(shape(6 * HOUR), (10 * MINUTE, 37));
        assert_eq!(shape(DAY), (30 * MINUTE, 49));
        assert_eq!(shape(7 * DAY), (4 * HOUR, 43));
        assert_eq!(shape(30 * DAY), (12 * HOUR, 61));
        assert_eq!(shape(90 * DAY), (2 * DAY, 46));
    }

    proptest! {
        #[test]
        fn every_time_of_a_period_has_a_bucket(back in 1_i64..4000 * DAY, length in proptest::option::of(1_i64..4000 * DAY)) {
            let until = length.map(|length| (NOW - back).saturating_add(length));
            let period = Period::rounded(NOW - back, until, NOW);
            let grid = SeriesGrid::new(period, NOW);
            let end = period.to.unwrap_or(NOW + 1);
            prop_assert!(grid.count as i64 <= MAX_BUCKETS + 1);
            prop_assert!(grid.from <= period.from && period.from < grid.from + grid.width);
            prop_assert!((grid.from + grid.width * grid.count as i64) >= end);
            prop_assert!((grid.from + grid.width * (grid.count as i64 - 1)) < end);
            prop_assert!(grid.longest_span() >= finest_span(period.from, NOW));
        }
    }
}
