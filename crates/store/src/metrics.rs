//! What every hook did (`engine.md` §11, `jcli.md` §10). Metrics are read from the rollups. These know no agent and no
//! session, so for those the traces themselves are counted, at most [`MAX_COUNTED_TRACES`] of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hookwright_model::Outcome;
use jiff::Timestamp;
use sqlx::SqliteConnection;

use crate::bars::OutcomeBar;
use crate::error::StoreError;
use crate::insert::{HookIdentity, StoredHook};
use crate::metric_sums::{MetricSums, SeriesGrid};
use crate::open::Db;
use crate::rollup::{BucketRange, DAY, HOUR, Period, RollupKind, covering_ranges, floor, read_totals};
use crate::store::Store;
use crate::trace_totals::{TraceTotals, read_recent_sessions, read_trace_totals};
use crate::transaction::Transaction;

/// At most this many traces are counted for the metrics of an agent or a session.
pub const MAX_COUNTED_TRACES: u32 = 50_000;

/// How many bars a hook has. Each bar is one hour.
pub(crate) const BAR_COUNT: i64 = 24;

/// Metrics of one definition of a hook, in one project or in the user files. Times are in milliseconds, exact to the
/// microsecond.
#[derive(Debug, Clone, PartialEq)]
pub struct HookStats {
    /// The identity under which versions of the hook are counted together; `None` if none is known for it.
    pub uid: Option<String>,
    /// The hook's id (`engine.md` §11), as its latest version had it.
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
    /// The last 24 hours, oldest first; empty if not all traces of these hours could be counted.
    pub bars: Vec<OutcomeBar>,
    /// The 95th percentile in each bucket of the series, in milliseconds; `None` where it did not run. It is empty
    /// without a series.
    pub p95_series: Vec<Option<f64>>,
}

/// Which steps the metrics count, and whether they are given over time, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsFilter {
    /// The begin of the period. It is rounded down to the minute, or to the hour if it is about two days ago or more.
    pub since: Timestamp,
    /// The end of the period, rounded up in the same way; `None` for now.
    pub until: Option<Timestamp>,
    /// Only hooks of this project, and of user files.
    pub project: Option<String>,
    /// Only hooks of this dialect.
    pub dialect: Option<String>,
    /// Only the hook of this id, or the hooks of this label.
    pub hook: Option<String>,
    /// Only the traces of this agent.
    pub agent: Option<String>,
    /// Only the traces of this session.
    pub session: Option<String>,
    /// Whether the metrics are given over time, too.
    pub series: bool,
    /// The hooks whose versions are counted together.
    pub known: Vec<KnownHook>,
}

/// A hook with all definitions that it had (`engine.md` §13).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHook {
    /// The identity.
    pub uid: String,
    /// The dialect's id.
    pub dialect: String,
    /// The file in which it is defined.
    pub path: String,
    /// Its present id.
    pub hook: String,
    /// Its present events; `*` for all.
    pub events: Vec<String>,
    /// The versions of its definitions, as in a trace's step.
    pub versions: Vec<String>,
}

impl MetricsFilter {
    /// Counts all steps since a time.
    #[must_use]
    pub fn since(since: Timestamp) -> Self {
        Self {
            since,
            ..Self::default()
        }
    }

    pub(crate) fn period(&self, now: Timestamp) -> Period {
        let until = self.until.map(Timestamp::as_second);
        Period::rounded(self.since.as_second(), until, now.as_second())
    }

    /// Whether the traces must be counted, because the rollups do not know what is asked.
    const fn needs_traces(&self) -> bool {
        self.agent.is_some() || self.session.is_some()
    }

    /// Whether a row is about the wanted hook, also with an earlier id or name.
    fn wants(&self, hook: &HookIdentity<'_>, uid: Option<&str>) -> bool {
        let is_wanted = |wanted: &String| {
            let mut known = self.known.iter().filter(|known| known.hook == *wanted);
            hook.hook == *wanted || hook.label == *wanted || known.any(|known| Some(&*known.uid) == uid)
        };
        let project = |wanted: &String| hook.project.is_empty() || hook.project == *wanted;
        self.project.as_ref().is_none_or(project)
            && self.dialect.as_ref().is_none_or(|dialect| hook.dialect == *dialect)
            && self.hook.as_ref().is_none_or(is_wanted)
    }
}

/// The reply of [`Store::metrics`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metrics {
    /// The hooks that were part of a chain, by project, hook and definition.
    pub hooks: Vec<HookStats>,
    /// All these hooks together over time; `None` if it was not asked for.
    pub series: Option<MetricsSeries>,
    /// Older traces of the period are not counted: there are more than [`MAX_COUNTED_TRACES`], or they were removed
    /// while their metrics were kept. `None` if the whole period is counted.
    pub counted_from: Option<Timestamp>,
}

/// An agent and a session that fired events.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RecentSession {
    /// The agent's name.
    pub agent: Option<String>,
    /// The session id.
    pub session: Option<String>,
}

/// Metrics over time.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricsSeries {
    /// The length of a bucket, in seconds.
    pub width: i64,
    /// The buckets, oldest first. The first and the last one may lie partly outside of the period.
    pub buckets: Vec<MetricsBucket>,
}

/// The steps of one span of time. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricsBucket {
    /// When it begins.
    pub at: Timestamp,
    /// Steps in which a hook ran.
    pub runs: u64,
    /// How often each outcome occurred. Outcomes that did not occur are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// The percentiles of the run times; `None` if nothing was measured.
    pub times: Option<Percentiles>,
}

/// 50 %, 95 % and 99 % of the runs took no longer. Times are in milliseconds, at most 3.2 % too high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentiles {
    /// The median.
    pub p50_ms: f64,
    /// The 95th percentile.
    pub p95_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
}

impl Store {
    /// Metrics of every hook that was part of a chain in a period.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn metrics(&self, filter: &MetricsFilter) -> Result<Metrics, StoreError> {
        let now = self.clock.now();
        let db = self.reading_db().await?;
        let read = read_metrics(&db, filter, now).await;
        self.check_result(&db, read).await
    }

    /// The projects of recorded hooks, those with the latest runs first, at most `limit`.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn recent_projects(&self, limit: usize) -> Result<Vec<String>, StoreError> {
        let db = self.reading_db().await?;
        let read = read_recent_projects(&db, limit).await;
        self.check_result(&db, read).await
    }

    /// The agents and sessions of the newest traces of the filter's period, the most recent first, at most 50.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn recent_sessions(&self, filter: &MetricsFilter) -> Result<Vec<RecentSession>, StoreError> {
        let period = filter.period(self.clock.now());
        let db = self.reading_db().await?;
        let read = read_recent_sessions(&db, period).await;
        self.check_result(&db, read).await
    }
}

/// The identity of each of these rows, as far as it is known. Of several hooks with an equal definition the one at the
/// row's event counts, and then the one with its id.
pub(crate) fn uids_of<'k>(
    known: &'k [KnownHook],
    hooks: &HashMap<i64, HookIdentity<'static>>,
) -> HashMap<i64, &'k str> {
    let mut by_definition: HashMap<(&str, &str, &str), Vec<&KnownHook>> = HashMap::new();
    for hook in known {
        for version in &hook.versions {
            by_definition
                .entry((&hook.dialect, &hook.path, version))
                .or_default()
                .push(hook);
        }
    }
    let uid = |row: &HookIdentity<'static>| {
        let all = by_definition.get(&(&*row.dialect, &*row.path, &*row.definition))?;
        let at_event = |hook: &&&KnownHook| hook.events.iter().any(|event| *event == row.event || event == "*");
        let here: Vec<&&KnownHook> = all.iter().filter(at_event).collect();
        let mine: Vec<&&KnownHook> = if here.is_empty() { all.iter().collect() } else { here };
        match mine[..] {
            [only] => Some(&*only.uid),
            _ => Some(&*mine.into_iter().find(|hook| hook.hook == row.hook)?.uid),
        }
    };
    hooks.iter().filter_map(|(id, row)| Some((*id, uid(row)?))).collect()
}

async fn read_metrics(db: &Arc<Db>, filter: &MetricsFilter, now: Timestamp) -> Result<Metrics, sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let mut hooks = read_hook_identities(&mut transaction).await?;
    let uids = uids_of(&filter.known, &hooks);
    hooks.retain(|id, hook| filter.wants(hook, uids.get(id).copied()));
    let period = filter.period(now);
    let grid = filter.series.then(|| SeriesGrid::new(period, now.as_second()));
    let bars_from = floor(now.as_second(), HOUR) - (BAR_COUNT - 1) * HOUR;
    let mut sums = MetricSums::new(&hooks, uids, grid, bars_from);
    let counted_from = if filter.needs_traces() {
        count_traces(&mut transaction, filter, period, &mut sums).await?
    } else {
        count_rollups(&mut transaction, period, &mut sums).await?;
        None
    };
    transaction.finish(Ok(())).await?;
    Ok(Metrics {
        counted_from,
        ..sums.into_metrics()
    })
}

async fn read_recent_projects(db: &Arc<Db>, limit: usize) -> Result<Vec<String>, sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let sql = "SELECT project FROM hooks WHERE project <> '' GROUP BY project ORDER BY MAX(used_ns) DESC LIMIT ?";
    let projects = sqlx::query_scalar(sql)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&mut *transaction)
        .await?;
    transaction.finish(Ok(())).await?;
    Ok(projects)
}

async fn count_rollups(
    connection: &mut SqliteConnection,
    period: Period,
    sums: &mut MetricSums<'_>,
) -> Result<(), sqlx::Error> {
    let longest = sums.grid().map_or(DAY, SeriesGrid::longest_span);
    for range in covering_ranges(period, longest) {
        for (start, hook_id, totals) in read_totals(connection, RollupKind::Hooks, range).await? {
            sums.add(start, hook_id, &totals);
        }
    }
    let hours = BucketRange {
        span: HOUR,
        from: sums.bars_from(),
        to: i64::MAX,
    };
    for (start, hook_id, totals) in read_totals(connection, RollupKind::Hooks, hours).await? {
        sums.add_bar(start, hook_id, &totals);
    }
    Ok(())
}

/// Counts the traces of an agent or a session. Returns from when on all are counted; `None` for the whole period.
async fn count_traces(
    connection: &mut SqliteConnection,
    filter: &MetricsFilter,
    period: Period,
    sums: &mut MetricSums<'_>,
) -> Result<Option<Timestamp>, sqlx::Error> {
    let TraceTotals { steps, counted_from } = read_trace_totals(connection, filter, period).await?;
    for (at, hook_id, totals) in &steps {
        sums.add(*at, *hook_id, totals);
    }
    let hours = Period {
        from: sums.bars_from(),
        to: None,
    };
    let bars = read_trace_totals(connection, filter, hours).await?;
    if bars.counted_from.is_some() {
        sums.leave_out_bars();
    }
    for (at, hook_id, totals) in &bars.steps {
        sums.add_bar(floor(*at, HOUR), *hook_id, totals);
    }
    Ok(counted_from)
}

pub(crate) async fn read_hook_identities(
    connection: &mut SqliteConnection,
) -> Result<HashMap<i64, HookIdentity<'static>>, sqlx::Error> {
    let sql =
        "SELECT id, project, hook, definition, dialect, event, label, handler, layer, path, line, used_ns FROM hooks";
    let rows: Vec<StoredHook> = sqlx::query_as(sql).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|StoredHook { id, key, .. }| (id, key)).collect())
}
