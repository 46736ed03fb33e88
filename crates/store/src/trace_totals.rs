//! What the steps of an agent's or a session's traces add to the metrics, read from the traces.

use std::sync::Arc;

use hookwright_model::trace::Attempt;
use jiff::Timestamp;
use serde::Deserialize;
use sqlx::SqliteConnection;

use crate::metrics::{MAX_COUNTED_TRACES, MetricsFilter, RecentSession};
use crate::open::Db;
use crate::projection::counted_origins;
use crate::rollup::{HOUR, Period};
use crate::step_totals::{StepTotals, outcome_from_code};

const NANOS: i64 = 1_000_000_000;
/// In how many of the newest traces agents and sessions are looked for.
const RECENT_TRACES: u32 = 5_000;
/// At most this many of them are given.
const RECENT_SESSIONS: u32 = 50;

/// The steps of the counted traces.
pub(crate) struct TraceTotals {
    /// The time of a step's trace in seconds, its `hooks.id`, and what it adds.
    pub(crate) steps: Vec<(i64, i64, StepTotals)>,
    /// Older traces of the period are not counted; `None` if all are.
    pub(crate) counted_from: Option<Timestamp>,
}

/// The newest traces of a period, from `?1` to `?2`, of any agent. So what is read has a limit (`?3`), even if the agent
/// is rare.
const NEWEST: &str = "WITH newest AS (SELECT seq, at_ns, agent, session, origin FROM traces INDEXED BY traces_by_time \
    WHERE at_ns >= ?1 AND at_ns < ?2 ORDER BY at_ns DESC, id DESC LIMIT ?3)";

/// The part of a step's extras that metrics are made of.
#[derive(Default, Deserialize)]
struct CountedExtras {
    #[serde(default)]
    attempts: Vec<Attempt>,
    #[serde(default)]
    removals: u64,
    #[serde(default)]
    chars: u64,
}

/// Reads the steps of the filter's agent and session in a period.
pub(crate) async fn read_trace_totals(
    connection: &mut SqliteConnection,
    filter: &MetricsFilter,
    period: Period,
) -> Result<TraceTotals, sqlx::Error> {
    let begin = period.from.saturating_mul(NANOS);
    let end = period.to.unwrap_or(i64::MAX).saturating_mul(NANOS);
    let counted_from = first_counted(connection, begin, end).await?;
    let sql = format!(
        "{NEWEST} SELECT n.at_ns, s.hook, s.outcome, s.rest FROM newest n CROSS JOIN steps s ON s.seq = n.seq \
         WHERE (?4 IS NULL OR n.agent = ?4) AND (?5 IS NULL OR n.session = ?5) \
         AND n.origin IN (SELECT value FROM json_each(?6))"
    );
    let rows: Vec<(i64, i64, u8, Option<String>)> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(counted_from.unwrap_or(begin))
        .bind(end)
        .bind(MAX_COUNTED_TRACES)
        .bind(filter.agent.as_deref())
        .bind(filter.session.as_deref())
        .bind(counted_origins())
        .fetch_all(&mut *connection)
        .await?;
    let step = |(at_ns, hook_id, outcome, extras): (i64, i64, u8, Option<String>)| {
        let outcome = outcome_from_code(outcome)?;
        // Extras that cannot be read are those of a later version; `history` reports them.
        let extras: CountedExtras = extras
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or_default();
        let totals = StepTotals::from_attempts(outcome, &extras.attempts, extras.chars, extras.removals);
        Some((at_ns.div_euclid(NANOS), hook_id, totals))
    };
    Ok(TraceTotals {
        steps: rows.into_iter().filter_map(step).collect(),
        counted_from: counted_from
            .map(|at_ns| Timestamp::from_nanosecond(i128::from(at_ns)).unwrap_or(Timestamp::UNIX_EPOCH)),
    })
}

/// The agents and sessions of the newest [`RECENT_TRACES`] of a period, the most recent first.
pub(crate) async fn read_recent_sessions(db: &Arc<Db>, period: Period) -> Result<Vec<RecentSession>, sqlx::Error> {
    let sql = format!(
        "{NEWEST} SELECT agent, session FROM newest WHERE agent IS NOT NULL OR session IS NOT NULL \
         GROUP BY agent, session ORDER BY max(at_ns) DESC LIMIT ?4"
    );
    sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(period.from.saturating_mul(NANOS))
        .bind(period.to.unwrap_or(i64::MAX).saturating_mul(NANOS))
        .bind(RECENT_TRACES)
        .bind(RECENT_SESSIONS)
        .fetch_all(&db.readers)
        .await
}

/// From when on all traces of a period are counted, in nanoseconds; `None` if this is its begin.
async fn first_counted(connection: &mut SqliteConnection, begin: i64, end: i64) -> Result<Option<i64>, sqlx::Error> {
    let (count, oldest): (i64, Option<i64>) = sqlx::query_as(sqlx::AssertSqlSafe(format!(
        "{NEWEST} SELECT count(*), min(at_ns) FROM newest"
    )))
    .bind(begin)
    .bind(end)
    .bind(i64::from(MAX_COUNTED_TRACES) + 1)
    .fetch_one(&mut *connection)
    .await?;
    if count > i64::from(MAX_COUNTED_TRACES) {
        // The one trace too many may share its time with others.
        return Ok(oldest.map(|at_ns| at_ns + 1));
    }
    // Size limits remove traces and keep their metrics.
    let last_removed: Option<i64> =
        sqlx::query_scalar("SELECT max(start) FROM activity WHERE span = ?1 AND start >= ?2 AND start + ?1 <= ?3")
            .bind(HOUR)
            .bind(begin.div_euclid(NANOS))
            .bind(oldest.unwrap_or(end).div_euclid(NANOS))
            .fetch_one(connection)
            .await?;
    Ok(last_removed.map(|start| oldest.unwrap_or((start + HOUR) * NANOS)))
}
