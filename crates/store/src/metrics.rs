//! What every hook did (`engine.md` §11, `jcli.md` §10), read from the rollups.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hookwright_model::Outcome;
use jiff::Timestamp;
use sqlx::SqliteConnection;

use crate::bars::OutcomeBar;
use crate::error::StoreError;
use crate::insert::{HookIdentity, StoredHook, version_of};
use crate::open::Db;
use crate::rollup::{BucketRange, HOUR, RollupKind, covering_ranges, floor, read_totals};
use crate::step_totals::StepTotals;
use crate::store::Store;
use crate::transaction::Transaction;

/// How many bars a hook has. Each bar is one hour.
const BAR_COUNT: i64 = 16;

/// Metrics of one definition of a hook, in one project or in the user files. Times are in milliseconds, exact to the
/// microsecond.
#[derive(Debug, Clone, PartialEq)]
pub struct HookStats {
    /// The hook's id (`engine.md` §11).
    pub hook: String,
    /// The project directory; `None` for user files.
    pub project: Option<String>,
    /// The hook's name for the user.
    pub label: String,
    /// The version of the definition, as in a trace's step; empty for steps from before versions existed.
    pub version: String,
    /// The dialect's id.
    pub dialect: String,
    /// The event, in the dialect's spelling.
    pub event: String,
    /// Steps in which it ran.
    pub runs: u64,
    /// How often each outcome occurred. Outcomes that did not occur are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Attempts, without those that were cancelled.
    pub attempts: u64,
    /// Attempts that succeeded. In a step that did not fail, this is the last attempt.
    pub successes: u64,
    /// Attempts that failed, including those that timed out.
    pub failures: u64,
    /// Attempts that were ended by their time limit.
    pub timeouts: u64,
    /// The time of all attempts together.
    pub total_ms: f64,
    /// 50 % of the runs took no longer. The value is at most 3.2 % too high.
    pub p50_ms: f64,
    /// 95 % of the runs took no longer. The value is at most 3.2 % too high.
    pub p95_ms: f64,
    /// 99 % of the runs took no longer. The value is at most 3.2 % too high.
    pub p99_ms: f64,
    /// The time of the longest run.
    pub max_ms: f64,
    /// Characters that its edits and additions added.
    pub chars_added: u64,
    /// Additional counters, by counter name. Counters that are 0 are absent.
    pub counted: BTreeMap<String, u64>,
    /// The last 16 hours, oldest first.
    pub bars: Vec<OutcomeBar>,
}

/// What identifies one row of the metrics: project (empty for none), hook, definition, dialect, event.
type MetricKey = (String, String, String, String, String);

fn metric_key(key: &HookIdentity<'_>) -> MetricKey {
    let [project, hook, definition] = [&key.project, &key.hook, &key.definition].map(|text| text.to_string());
    (
        project,
        hook,
        definition,
        key.dialect.to_string(),
        key.event.to_string(),
    )
}

#[derive(Default)]
struct HookTotals {
    /// The label, with the newest `hooks.id` that it comes from.
    label: (i64, String),
    totals: StepTotals,
    seen: bool,
    bars: BTreeMap<i64, StepTotals>,
}

/// Sums by [`MetricKey`], since the requested time and for the bars.
struct MetricTotals {
    bars_from: i64,
    sums: BTreeMap<MetricKey, HookTotals>,
}

impl MetricTotals {
    fn totals_of(&mut self, key: &HookIdentity<'_>, hook_id: i64) -> &mut HookTotals {
        let sum = self.sums.entry(metric_key(key)).or_default();
        if hook_id >= sum.label.0 {
            sum.label = (hook_id, key.label.to_string());
        }
        sum
    }
}

impl Store {
    /// Metrics of every hook that was part of a chain since a time, by project, hook and definition.
    ///
    /// With `project`, only hooks of that project and of user files are returned. `since` is rounded down to the
    /// minute, or to the hour if it is about two days ago or more.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn stats(&self, since: Timestamp, project: Option<&str>) -> Result<Vec<HookStats>, StoreError> {
        let now = (self.clock)().as_second();
        let ranges = covering_ranges(since.as_second(), now);
        let bars_from = floor(now, HOUR) - (BAR_COUNT - 1) * HOUR;
        let mut metrics = MetricTotals {
            bars_from,
            sums: BTreeMap::new(),
        };
        let db = self.reading_db().await?;
        let filled = fill(&db, &ranges, &mut metrics).await;
        self.check_result(&db, filled).await?;
        let wanted = |row_project: &str| row_project.is_empty() || project.is_none_or(|project| row_project == project);
        let sums = metrics.sums.into_iter().filter(|(key, sum)| sum.seen && wanted(&key.0));
        Ok(sums.map(|(key, sum)| stats_of(key, &sum, bars_from)).collect())
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of run time are far below 2^52")]
fn stats_of(key: MetricKey, sum: &HookTotals, bars_from: i64) -> HookStats {
    let totals = &sum.totals;
    let ms = |us: u64| us as f64 / 1000.0;
    let bar = |n: i64| {
        let start = bars_from + n * HOUR;
        let outcomes = sum.bars.get(&start).map(StepTotals::outcomes).unwrap_or_default();
        OutcomeBar {
            at: Timestamp::from_second(start).unwrap_or(Timestamp::UNIX_EPOCH),
            outcomes,
        }
    };
    HookStats {
        hook: key.1,
        project: Some(key.0).filter(|path| !path.is_empty()),
        label: sum.label.1.clone(),
        version: version_of(&key.2).to_owned(),
        dialect: key.3,
        event: key.4,
        runs: totals.runs(),
        outcomes: totals.outcomes(),
        attempts: totals.attempts,
        successes: totals.successes,
        failures: totals.attempts - totals.successes,
        timeouts: totals.timeouts,
        total_ms: ms(totals.total_us),
        p50_ms: ms(totals.percentile_us(0.5)),
        p95_ms: ms(totals.percentile_us(0.95)),
        p99_ms: ms(totals.percentile_us(0.99)),
        max_ms: ms(totals.max_us),
        chars_added: totals.chars_added,
        counted: totals.counted.clone(),
        bars: (0..BAR_COUNT).map(bar).collect(),
    }
}

async fn fill(db: &Arc<Db>, ranges: &[BucketRange], metrics: &mut MetricTotals) -> Result<(), sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let keys = read_hook_identities(&mut transaction).await?;
    for range in ranges {
        for (_, hook_id, totals) in read_totals(&mut transaction, RollupKind::Hooks, *range).await? {
            if let Some(key) = keys.get(&hook_id) {
                let sum = metrics.totals_of(key, hook_id);
                sum.seen = true;
                sum.totals.merge(&totals);
            }
        }
    }
    let hours = BucketRange {
        span: HOUR,
        from: metrics.bars_from,
        to: i64::MAX,
    };
    for (start, hook_id, totals) in read_totals(&mut transaction, RollupKind::Hooks, hours).await? {
        if let Some(key) = keys.get(&hook_id) {
            metrics
                .totals_of(key, hook_id)
                .bars
                .entry(start)
                .or_default()
                .merge(&totals);
        }
    }
    transaction.finish(Ok(())).await
}

async fn read_hook_identities(
    connection: &mut SqliteConnection,
) -> Result<HashMap<i64, HookIdentity<'static>>, sqlx::Error> {
    let sql =
        "SELECT id, project, hook, definition, dialect, event, label, handler, layer, path, line, used_ns FROM hooks";
    let rows: Vec<StoredHook> = sqlx::query_as(sql).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|StoredHook { id, key, .. }| (id, key)).collect())
}
