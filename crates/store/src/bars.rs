//! Outcomes over time, as a histogram.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::Outcome;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::open::Db;
use crate::rollup::{BucketRange, HOUR, MINUTE, MINUTE_RETENTION, RollupKind, floor, read_totals};
use crate::spool_reader::nanos;
use crate::step_totals::outcome_from_code;
use crate::store::Store;
use crate::transaction::Transaction;

/// The outcomes in one span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeBar {
    /// When the span begins.
    pub at: Timestamp,
    /// How often each outcome occurred. Outcomes that did not occur are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
}

impl Store {
    /// How often each outcome occurred from `since` until now, in `buckets` spans of equal length (1 to 1000), oldest
    /// first.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn bars(
        &self,
        project: Option<&str>,
        since: Timestamp,
        buckets: u32,
    ) -> Result<Vec<OutcomeBar>, StoreError> {
        let time_buckets = TimeBuckets::new(nanos(since), nanos((self.clock)()), buckets);
        let mut counts = vec![BTreeMap::new(); time_buckets.count];
        let db = self.reading_db().await?;
        let filled = fill(&db, project, &time_buckets, &mut counts).await;
        self.check_result(&db, filled).await?;
        Ok(counts
            .into_iter()
            .enumerate()
            .map(|(index, outcomes)| OutcomeBar {
                at: time_buckets.start_of(index),
                outcomes,
            })
            .collect())
    }
}

/// Buckets of equal length. Begin and width are in nanoseconds.
struct TimeBuckets {
    from: i64,
    width: i64,
    count: usize,
}

impl TimeBuckets {
    fn new(from: i64, now: i64, buckets: u32) -> Self {
        let buckets = buckets.clamp(1, 1000);
        let width = (now.saturating_sub(from) / i64::from(buckets)).max(1);
        Self {
            from,
            width,
            count: buckets as usize,
        }
    }

    /// The index of the bucket that a time falls into. A rollup that begins before the first bucket counts in the first
    /// one.
    fn index_of(&self, at: i64) -> usize {
        let index = usize::try_from(at.saturating_sub(self.from) / self.width).unwrap_or(0);
        index.min(self.count - 1)
    }

    fn start_of(&self, index: usize) -> Timestamp {
        let at = i128::from(self.from) + i128::from(self.width) * index as i128;
        Timestamp::from_nanosecond(at).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The span of the rollup to read, in seconds: the finest one that is not finer than needed. `None` if the traces
    /// themselves must be counted.
    fn rollup_span(&self) -> Option<i64> {
        let width = self.width / 1_000_000_000;
        let covered = width.saturating_mul(i64::try_from(self.count).unwrap_or(i64::MAX));
        match width {
            HOUR.. => Some(HOUR),
            MINUTE.. if covered < MINUTE_RETENTION - HOUR => Some(MINUTE),
            MINUTE.. => Some(HOUR),
            _ => None,
        }
    }
}

type OutcomeCounts = Vec<BTreeMap<Outcome, u64>>;

async fn fill(
    db: &Arc<Db>,
    project: Option<&str>,
    time_buckets: &TimeBuckets,
    counts: &mut OutcomeCounts,
) -> Result<(), sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let sql = "SELECT id FROM tag_values WHERE kind = 'project' AND (?1 IS NULL OR value = ?1)";
    let project_ids: Vec<i64> = sqlx::query_scalar(sql)
        .bind(project)
        .fetch_all(&mut *transaction)
        .await?;
    match time_buckets.rollup_span() {
        Some(span) => {
            let range = BucketRange {
                span,
                from: floor(time_buckets.from.div_euclid(1_000_000_000), span),
                to: i64::MAX,
            };
            for (start, project_id, tally) in read_totals(&mut transaction, RollupKind::Projects, range).await? {
                if project_ids.contains(&project_id) {
                    let bar = &mut counts[time_buckets.index_of(start.saturating_mul(1_000_000_000))];
                    tally
                        .outcomes()
                        .into_iter()
                        .for_each(|(outcome, count)| *bar.entry(outcome).or_default() += count);
                }
            }
        }
        None => {
            let sql = "SELECT at_ns, project, outcomes FROM traces WHERE at_ns >= ?";
            let rows: Vec<(i64, i64, String)> = sqlx::query_as(sql)
                .bind(time_buckets.from)
                .fetch_all(&mut *transaction)
                .await?;
            for (at, _, letters) in rows
                .into_iter()
                .filter(|(_, project_id, _)| project_ids.contains(project_id))
            {
                let bar = &mut counts[time_buckets.index_of(at)];
                let seen = letters
                    .bytes()
                    .filter_map(|letter| outcome_from_code(letter.checked_sub(b'a')?));
                seen.for_each(|outcome| *bar.entry(outcome).or_default() += 1);
            }
        }
    }
    transaction.finish(Ok(())).await
}
