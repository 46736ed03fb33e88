//! Rollups: step totals by minute, hour and day, changed in the transaction that changes the traces.

use std::collections::BTreeMap;

use sqlx::Arguments;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};

use crate::insert::{BindRow, insert_rows, to_json};
use crate::step_totals::StepTotals;

/// The lengths of the buckets in seconds, the shortest first. Days are UTC days.
pub(crate) const SPANS: [i64; 3] = [MINUTE, HOUR, DAY];
pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 3600;
pub(crate) const DAY: i64 = 86_400;

/// How long the buckets of minutes are kept, in seconds.
pub(crate) const MINUTE_RETENTION: i64 = 2 * DAY;

/// The begin of the bucket that a time falls into, in seconds.
pub(crate) const fn floor(seconds: i64, span: i64) -> i64 {
    seconds.div_euclid(span) * span
}

/// Buckets of one length, from one time until before another. All times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BucketRange {
    pub(crate) span: i64,
    pub(crate) from: i64,
    pub(crate) to: i64,
}

/// A period in whole seconds. It includes its begin and not its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) from: i64,
    /// `None` for a period without an end.
    pub(crate) to: Option<i64>,
}

impl Period {
    /// The period that rollups can answer for the one from `since` to `until`. Both ends are moved outwards, to the
    /// minute, or to the hour where minutes are no longer kept.
    pub(crate) fn rounded(since: i64, until: Option<i64>, now: i64) -> Self {
        Self {
            from: floor(since, finest_span(since, now)),
            to: until
                .filter(|until| *until <= now)
                .map(|until| ceil(until, finest_span(until, now))),
        }
    }
}

/// The shortest span of the rollups that are kept at a time.
pub(crate) const fn finest_span(at: i64, now: i64) -> i64 {
    if at < now - MINUTE_RETENTION + HOUR {
        HOUR
    } else {
        MINUTE
    }
}

/// The end of the bucket that ends at a time or later, in seconds.
const fn ceil(seconds: i64, span: i64) -> i64 {
    floor(seconds.saturating_add(span - 1), span)
}

/// The fewest buckets that cover a [rounded](Period::rounded) period, none longer than `longest`: minutes to the next
/// hour, hours to the next day, then days, and the same back at the end.
pub(crate) fn covering_ranges(period: Period, longest: i64) -> Vec<BucketRange> {
    let mut ranges = Vec::new();
    let mut from = period.from;
    let mut add = |span: i64, to: i64, from: &mut i64| {
        if *from < to {
            ranges.push(BucketRange { span, from: *from, to });
            *from = to;
        }
    };
    let end = period.to.unwrap_or(i64::MAX);
    for (span, next) in [(MINUTE, HOUR), (HOUR, DAY)] {
        if span < longest {
            add(span, ceil(from, next).min(floor(end, span)), &mut from);
        }
    }
    for span in SPANS.into_iter().rev().filter(|span| *span <= longest) {
        add(span, period.to.map_or(i64::MAX, |to| floor(to, span)), &mut from);
    }
    ranges
}

/// By what a rollup is grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RollupKind {
    /// By hook (`hooks.id`).
    Hooks,
    /// By project (`tag_values.id`).
    Projects,
}

/// What a batch changes, by minute and hook or project.
#[derive(Debug, Default)]
pub(crate) struct RollupChanges {
    minutes: BTreeMap<(RollupKind, i64, i64), BucketChange>,
}

#[derive(Debug, Default)]
struct BucketChange {
    plus: StepTotals,
    minus: StepTotals,
}

/// Rollup, span, start, hook or project.
type BucketKey = (RollupKind, i64, i64, i64);

impl RollupChanges {
    /// Adds totals at a time in nanoseconds.
    pub(crate) fn add(&mut self, kind: RollupKind, entity_id: i64, at_ns: i64, totals: &StepTotals) {
        self.change_at(kind, entity_id, at_ns).plus.merge(totals);
    }

    /// Subtracts totals at a time in nanoseconds.
    pub(crate) fn undo(&mut self, kind: RollupKind, entity_id: i64, at_ns: i64, totals: &StepTotals) {
        self.change_at(kind, entity_id, at_ns).minus.merge(totals);
    }

    fn change_at(&mut self, kind: RollupKind, entity_id: i64, at_ns: i64) -> &mut BucketChange {
        let minute = floor(at_ns.div_euclid(1_000_000_000), MINUTE);
        self.minutes.entry((kind, minute, entity_id)).or_default()
    }

    fn buckets(&self) -> BTreeMap<BucketKey, BucketChange> {
        let mut buckets: BTreeMap<BucketKey, BucketChange> = BTreeMap::new();
        for ((kind, minute, entity_id), change) in &self.minutes {
            for span in SPANS {
                let bucket = buckets
                    .entry((*kind, span, floor(*minute, span), *entity_id))
                    .or_default();
                bucket.plus.merge(&change.plus);
                bucket.minus.merge(&change.minus);
            }
        }
        buckets
    }

    /// Writes the changes to all three spans.
    pub(crate) async fn write(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let buckets = self.buckets();
        let mut totals_by_bucket = read_buckets(connection, buckets.keys()).await?;
        for (key, change) in buckets {
            let totals = totals_by_bucket.entry(key).or_default();
            totals.merge(&change.plus);
            totals.subtract(&change.minus);
        }
        let (mut hooks, mut projects) = (Vec::new(), Vec::new());
        for ((kind, span, start, entity_id), totals) in totals_by_bucket {
            let key = (span, start, entity_id);
            match kind {
                RollupKind::Hooks => hooks.push(HookBucket(Bucket { key, totals })),
                RollupKind::Projects => projects.push(ProjectBucket(Bucket { key, totals })),
            }
        }
        insert_rows(connection, hooks).await?;
        insert_rows(connection, projects).await
    }
}

/// The stored totals of these buckets. Buckets that do not exist are absent.
async fn read_buckets(
    connection: &mut SqliteConnection,
    keys: impl Iterator<Item = &BucketKey>,
) -> Result<BTreeMap<BucketKey, StepTotals>, sqlx::Error> {
    let (hooks, projects): (Vec<&BucketKey>, Vec<&BucketKey>) = keys.partition(|key| key.0 == RollupKind::Hooks);
    let without_kind =
        |keys: Vec<&BucketKey>| to_json(&keys.iter().map(|key| (key.1, key.2, key.3)).collect::<Vec<_>>());
    let sql = "SELECT 0, m.span, m.start, m.hook_id, m.tally FROM json_each(?) j CROSS JOIN metrics m \
               ON m.span = j.value ->> 0 AND m.start = j.value ->> 1 AND m.hook_id = j.value ->> 2 \
               UNION ALL \
               SELECT 1, m.span, m.start, m.project_id, m.tally FROM json_each(?) j CROSS JOIN activity m \
               ON m.span = j.value ->> 0 AND m.start = j.value ->> 1 AND m.project_id = j.value ->> 2";
    let rows: Vec<(i64, i64, i64, i64, Vec<u8>)> = sqlx::query_as(sql)
        .bind(without_kind(hooks))
        .bind(without_kind(projects))
        .fetch_all(connection)
        .await?;
    let decode = |(of, span, start, entity_id, bytes): (i64, i64, i64, i64, Vec<u8>)| {
        let kind = if of == 0 {
            RollupKind::Hooks
        } else {
            RollupKind::Projects
        };
        Some(((kind, span, start, entity_id), StepTotals::decode(&bytes)?))
    };
    Ok(rows.into_iter().filter_map(decode).collect())
}

/// The totals of a range of buckets, each with its start, and with its hook or project.
pub(crate) async fn read_totals(
    connection: &mut SqliteConnection,
    kind: RollupKind,
    range: BucketRange,
) -> Result<Vec<(i64, i64, StepTotals)>, sqlx::Error> {
    let sql = match kind {
        RollupKind::Hooks => "SELECT start, hook_id, tally FROM metrics WHERE span = ? AND start >= ? AND start < ?",
        RollupKind::Projects => {
            "SELECT start, project_id, tally FROM activity WHERE span = ? AND start >= ? AND start < ?"
        }
    };
    let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(sql)
        .bind(range.span)
        .bind(range.from)
        .bind(range.to)
        .fetch_all(connection)
        .await?;
    Ok(rows
        .into_iter()
        .filter_map(|(start, entity_id, bytes)| Some((start, entity_id, StepTotals::decode(&bytes)?)))
        .collect())
}

struct Bucket {
    key: (i64, i64, i64),
    totals: StepTotals,
}

impl Bucket {
    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.key.0)?;
        to.add(self.key.1)?;
        to.add(self.key.2)?;
        to.add(self.totals.encode())
    }
}

struct HookBucket(Bucket);

impl BindRow for HookBucket {
    const INTO: &'static str = "REPLACE INTO metrics (span, start, hook_id, tally)";
    const COLUMN_COUNT: usize = 4;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        self.0.bind(to)
    }
}

struct ProjectBucket(Bucket);

impl BindRow for ProjectBucket {
    const INTO: &'static str = "REPLACE INTO activity (span, start, project_id, tally)";
    const COLUMN_COUNT: usize = 4;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        self.0.bind(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_covers(period: Period, ranges: &[BucketRange], longest: i64) {
        let ends = (
            ranges.first().map(|range| range.from),
            ranges.last().map(|range| range.to),
        );
        assert_eq!(
            ends,
            (Some(period.from), Some(period.to.unwrap_or(i64::MAX))),
            "{ranges:?}"
        );
        assert!(ranges.windows(2).all(|pair| pair[0].to == pair[1].from), "{ranges:?}");
        for range in ranges {
            assert!(range.from % range.span == 0 && range.span <= longest, "{ranges:?}");
            assert!(range.to == i64::MAX || range.to % range.span == 0, "{ranges:?}");
            let few = longest < DAY || range.span == DAY || (range.to - range.from) / range.span < 60;
            assert!(few, "{ranges:?}");
        }
    }

    #[test]
    fn a_cover_that_ends_within_a_day_ends_with_minutes() {
        let hour = |number: i64| number * HOUR;
        let period = Period {
            from: hour(5) - MINUTE,
            to: Some(hour(7) + 2 * MINUTE),
        };
        let range = |span, from, to| BucketRange { span, from, to };
        let wanted = [
            range(MINUTE, hour(5) - MINUTE, hour(5)),
            range(HOUR, hour(5), hour(7)),
            range(MINUTE, hour(7), hour(7) + 2 * MINUTE),
        ];
        assert_eq!(covering_ranges(period, DAY), wanted);
    }

    proptest! {
        #[test]
        fn a_cover_has_no_gap_and_begins_where_it_should(since in 0_i64..200_000_000, age in 0_i64..60 * DAY) {
            let now = since + age;
            let period = Period::rounded(since, None, now);
            prop_assert!(period.from <= since && since - period.from < HOUR);
            prop_assert!(age > MINUTE_RETENTION - HOUR || since - period.from < MINUTE);
            for longest in SPANS.into_iter().filter(|span| *span >= finest_span(since, now)) {
                assert_covers(period, &covering_ranges(period, longest), longest);
            }
        }

        #[test]
        fn a_cover_ends_where_it_should(since in 0_i64..200_000_000, length in 1_i64..60 * DAY, age in 0_i64..60 * DAY) {
            let (until, now) = (since + length, since + length + age);
            let period = Period::rounded(since, Some(until), now);
            let end = period.to.unwrap();
            prop_assert!(end >= until && end - until < HOUR);
            for longest in SPANS.into_iter().filter(|span| *span >= finest_span(since, now)) {
                assert_covers(period, &covering_ranges(period, longest), longest);
            }
        }
    }
}
