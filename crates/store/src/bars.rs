//! Events and outcomes over time, as a histogram.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::Outcome;
use jiff::Timestamp;
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::event_activity::blocks;
use crate::event_counts::HOUR_NS;
use crate::insert::to_json;
use crate::open::Db;
use crate::rollup::{BucketRange, HOUR, MINUTE, MINUTE_RETENTION, RollupKind, floor, read_totals};
use crate::spool_reader::nanos;
use crate::step_totals::outcome_from_code;
use crate::store::Store;
use crate::transaction::Transaction;

const NANOS: i64 = 1_000_000_000;

/// The outcomes in one span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeBar {
    /// When the span begins.
    pub at: Timestamp,
    /// How often each outcome occurred. Outcomes that did not occur are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
}

/// The events and outcomes in one span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventBar {
    /// When the span begins.
    pub at: Timestamp,
    /// How many traces were recorded.
    pub events: u64,
    /// How many of them blocked the agent.
    pub blocked: u64,
    /// How often each outcome occurred. Outcomes that did not occur are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
}

impl Store {
    /// How many events fired and how often each outcome occurred from `since` until now, in `buckets` spans of equal
    /// length (1 to 1000), oldest first.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn bars(
        &self,
        project: Option<&str>,
        since: Timestamp,
        buckets: u32,
    ) -> Result<Vec<EventBar>, StoreError> {
        let time_buckets = TimeBuckets::new(nanos(since), nanos(self.clock.now()), buckets);
        let mut bars: Vec<EventBar> = (0..time_buckets.count)
            .map(|index| time_buckets.empty_bar(index))
            .collect();
        let db = self.reading_db().await?;
        let filled = fill(&db, project, &time_buckets, &mut bars).await;
        self.check_result(&db, filled).await?;
        Ok(bars)
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

    fn empty_bar(&self, index: usize) -> EventBar {
        let at = i128::from(self.from) + i128::from(self.width) * index as i128;
        EventBar {
            at: Timestamp::from_nanosecond(at).unwrap_or(Timestamp::UNIX_EPOCH),
            events: 0,
            blocked: 0,
            outcomes: BTreeMap::new(),
        }
    }

    /// The span of the rollup to read, in seconds: the finest one that is not finer than needed. `None` if the traces
    /// themselves must be counted.
    fn rollup_span(&self) -> Option<i64> {
        let width = self.width / NANOS;
        let covered = width.saturating_mul(i64::try_from(self.count).unwrap_or(i64::MAX));
        match width {
            HOUR.. => Some(HOUR),
            MINUTE.. if covered < MINUTE_RETENTION - HOUR => Some(MINUTE),
            MINUTE.. => Some(HOUR),
            _ => None,
        }
    }
}

async fn fill(
    db: &Arc<Db>,
    project: Option<&str>,
    time_buckets: &TimeBuckets,
    bars: &mut [EventBar],
) -> Result<(), sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let sql = "SELECT id FROM tag_values WHERE kind = 'project' AND (?1 IS NULL OR value = ?1)";
    let project_ids: Vec<i64> = sqlx::query_scalar(sql)
        .bind(project)
        .fetch_all(&mut *transaction)
        .await?;
    let span = time_buckets.rollup_span();
    match span {
        Some(span) => fill_outcomes(&mut transaction, &project_ids, span, time_buckets, bars).await?,
        None => fill_from_traces(&mut transaction, &project_ids, time_buckets, bars).await?,
    }
    match span {
        Some(HOUR) => {
            // The hour in which the span begins is counted trace by trace.
            let is_within = time_buckets.from.rem_euclid(HOUR_NS) != 0;
            let next_hour = time_buckets.from.div_euclid(HOUR_NS) + i64::from(is_within);
            let until = next_hour.saturating_mul(HOUR_NS);
            count_events(&mut transaction, &project_ids, time_buckets, until, bars).await?;
            fill_event_counts(&mut transaction, &project_ids, time_buckets, next_hour, bars).await?;
        }
        Some(_) => count_events(&mut transaction, &project_ids, time_buckets, i64::MAX, bars).await?,
        None => {}
    }
    transaction.finish(Ok(())).await
}

/// Adds the outcomes of a rollup.
async fn fill_outcomes(
    connection: &mut SqliteConnection,
    project_ids: &[i64],
    span: i64,
    time_buckets: &TimeBuckets,
    bars: &mut [EventBar],
) -> Result<(), sqlx::Error> {
    let range = BucketRange {
        span,
        from: floor(time_buckets.from.div_euclid(NANOS), span),
        to: i64::MAX,
    };
    for (start, project_id, totals) in read_totals(connection, RollupKind::Projects, range).await? {
        if project_ids.contains(&project_id) {
            let bar = &mut bars[time_buckets.index_of(start.saturating_mul(NANOS))];
            for (outcome, count) in totals.outcomes() {
                *bar.outcomes.entry(outcome).or_default() += count;
            }
        }
    }
    Ok(())
}

/// Adds the events of whole hours since 1970, beginning with `from_hour`.
async fn fill_event_counts(
    connection: &mut SqliteConnection,
    project_ids: &[i64],
    time_buckets: &TimeBuckets,
    from_hour: i64,
    bars: &mut [EventBar],
) -> Result<(), sqlx::Error> {
    let rows: Vec<(i64, i64, i64)> = sqlx::query_as(
        "SELECT hour, sum(traces), sum(blocked) FROM event_counts \
         WHERE project IN (SELECT value FROM json_each(?)) AND hour >= ? GROUP BY hour",
    )
    .bind(to_json(project_ids))
    .bind(from_hour)
    .fetch_all(connection)
    .await?;
    for (hour, traces, blocked) in rows {
        let bar = &mut bars[time_buckets.index_of(hour.saturating_mul(HOUR_NS))];
        bar.events += traces.unsigned_abs();
        bar.blocked += blocked.unsigned_abs();
    }
    Ok(())
}

/// Counts the events before a time in nanoseconds, trace by trace.
async fn count_events(
    connection: &mut SqliteConnection,
    project_ids: &[i64],
    time_buckets: &TimeBuckets,
    until: i64,
    bars: &mut [EventBar],
) -> Result<(), sqlx::Error> {
    let rows: Vec<(i64, Option<String>, i64)> = sqlx::query_as(
        "SELECT (at_ns - ?1) / ?2, verdict ->> 'kind', count(*) FROM traces \
         WHERE at_ns >= ?1 AND at_ns < ?4 AND project IN (SELECT value FROM json_each(?3)) GROUP BY 1, 2",
    )
    .bind(time_buckets.from)
    .bind(time_buckets.width)
    .bind(to_json(project_ids))
    .bind(until)
    .fetch_all(connection)
    .await?;
    for (index, verdict, count) in rows {
        let index = usize::try_from(index).unwrap_or(0).min(time_buckets.count - 1);
        add_events(&mut bars[index], verdict.as_deref(), count.unsigned_abs());
    }
    Ok(())
}

fn add_events(bar: &mut EventBar, verdict: Option<&str>, count: u64) {
    bar.events += count;
    if verdict.is_some_and(blocks) {
        bar.blocked += count;
    }
}

/// Adds the outcomes and the events of each trace.
async fn fill_from_traces(
    connection: &mut SqliteConnection,
    project_ids: &[i64],
    time_buckets: &TimeBuckets,
    bars: &mut [EventBar],
) -> Result<(), sqlx::Error> {
    let sql = "SELECT at_ns, project, outcomes, verdict ->> 'kind' FROM traces WHERE at_ns >= ?";
    let rows: Vec<(i64, i64, String, Option<String>)> = sqlx::query_as(sql)
        .bind(time_buckets.from)
        .fetch_all(connection)
        .await?;
    for (at, _, letters, verdict) in rows.into_iter().filter(|row| project_ids.contains(&row.1)) {
        let bar = &mut bars[time_buckets.index_of(at)];
        add_events(bar, verdict.as_deref(), 1);
        let seen = letters
            .bytes()
            .filter_map(|letter| outcome_from_code(letter.checked_sub(b'a')?));
        seen.for_each(|outcome| *bar.outcomes.entry(outcome).or_default() += 1);
    }
    Ok(())
}
