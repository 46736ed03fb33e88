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

/// The fewest buckets that cover everything since a time: minutes to the next hour, hours to the next day, then days.
/// Minutes are kept for two days only, so an older begin is rounded down to the hour.
pub(crate) fn covering_ranges(since: i64, now: i64) -> Vec<BucketRange> {
    let mut ranges = Vec::new();
    let mut from = if since < now - MINUTE_RETENTION + HOUR {
        floor(since, HOUR)
    } else {
        floor(since, MINUTE)
    };
    for (span, next) in [(MINUTE, HOUR), (HOUR, DAY)] {
        let to = floor(from + next - 1, next);
        if from < to {
            ranges.push(BucketRange { span, from, to });
            from = to;
        }
    }
    ranges.push(BucketRange {
        span: DAY,
        from,
        to: i64::MAX,
    });
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

    proptest! {
        #[test]
        fn a_cover_has_no_gap_and_begins_where_it_should(since in 0_i64..200_000_000, age in 0_i64..60 * DAY) {
            let now = since + age;
            let ranges = covering_ranges(since, now);
            let begin = ranges[0].from;
            prop_assert!(begin <= since && since - begin < HOUR);
            prop_assert!(age > MINUTE_RETENTION - HOUR || since - begin < MINUTE);
            for pair in ranges.windows(2) {
                prop_assert_eq!(pair[0].to, pair[1].from);
            }
            for range in &ranges {
                prop_assert_eq!(range.from % range.span, 0);
            }
            prop_assert!(ranges.iter().all(|range| range.span == DAY || (range.to - range.from) / range.span < 60));
        }
    }
}
