//! The activity of each event of a dialect: how often it fired, how often it was blocked, and its newest trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::trace::TraceRow;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, SqliteConnection};

use crate::error::StoreError;
use crate::event_counts::{EventKey, HOUR_NS};
use crate::fetch::{self, TRACE_LINE};
use crate::open::Db;
use crate::projection::counted_origins;
use crate::spool_reader::nanos;
use crate::store::Store;
use crate::transaction::Transaction;

/// The activity of one event of a dialect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventActivity {
    /// How many traces were recorded since the given time.
    pub traces: u64,
    /// How many of them blocked the agent.
    pub blocked: u64,
    /// The newest trace, however old.
    pub last: Option<TraceRow>,
}

impl Store {
    /// The activity of these events of a dialect in a project. The counts begin at `since`; the newest trace may be
    /// older.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn event_activity(
        &self,
        project: &str,
        dialect: &str,
        events: &[&str],
        since: Timestamp,
    ) -> Result<BTreeMap<String, EventActivity>, StoreError> {
        let db = self.reading_db().await?;
        let found = read_database(&db, (project, dialect), events, since).await;
        self.check_result(&db, found).await
    }
}

/// Of one event: its id in `tag_values`, its counts since whole hours, and the newest hour in which it fired.
#[derive(Debug, sqlx::FromRow)]
struct EventHours {
    name: String,
    #[sqlx(flatten)]
    key: EventKey,
    traces: i64,
    blocked: i64,
    newest: i64,
}

async fn read_database(
    db: &Arc<Db>,
    (project, dialect): (&str, &str),
    events: &[&str],
    since: Timestamp,
) -> Result<BTreeMap<String, EventActivity>, sqlx::Error> {
    let since_ns = nanos(since);
    // The hour in which the counts begin is counted trace by trace.
    let next_hour = since_ns.div_euclid(HOUR_NS) + i64::from(since_ns.rem_euclid(HOUR_NS) > 0);
    let mut activities: BTreeMap<String, EventActivity> = events
        .iter()
        .map(|event| ((*event).to_owned(), EventActivity::default()))
        .collect();
    let mut transaction = Transaction::begin_read(db).await?;
    let found: Vec<EventHours> = sqlx::query_as(
        "SELECT e.value AS name, c.project, c.dialect, c.event, max(c.hour) FILTER (WHERE c.traces > 0) AS newest, \
                coalesce(sum(c.traces) FILTER (WHERE c.hour >= ?1), 0) AS traces, \
                coalesce(sum(c.blocked) FILTER (WHERE c.hour >= ?1), 0) AS blocked \
         FROM event_counts c JOIN tag_values e ON e.id = c.event \
         WHERE c.project = (SELECT id FROM tag_values WHERE kind = 'project' AND value = ?2) \
           AND c.dialect = (SELECT id FROM tag_values WHERE kind = 'dialect' AND value = ?3) \
         GROUP BY c.event HAVING newest IS NOT NULL",
    )
    .bind(next_hour)
    .bind(project)
    .bind(dialect)
    .fetch_all(&mut *transaction)
    .await?;
    for event in found {
        let Some(activity) = activities.get_mut(&event.name) else {
            continue;
        };
        activity.traces = event.traces.unsigned_abs();
        activity.blocked = event.blocked.unsigned_abs();
        for (verdict, count) in count_by_verdict(&mut transaction, event.key, (since_ns, next_hour)).await? {
            activity.traces += count.unsigned_abs();
            if verdict.as_deref().is_some_and(blocks) {
                activity.blocked += count.unsigned_abs();
            }
        }
        activity.last = newest_trace(&mut transaction, event.key, event.newest).await?;
    }
    transaction.finish(Ok(activities)).await
}

/// The traces of an event from a time in nanoseconds until an hour begins, by verdict.
async fn count_by_verdict(
    connection: &mut SqliteConnection,
    key: EventKey,
    (since_ns, hour): (i64, i64),
) -> Result<Vec<(Option<String>, i64)>, sqlx::Error> {
    sqlx::query_as(
        "SELECT verdict ->> 'kind', count(*) FROM traces INDEXED BY traces_by_project \
         WHERE project = ? AND dialect = ? AND event = ? AND at_ns >= ? AND at_ns < ? \
         AND origin IN (SELECT value FROM json_each(?)) GROUP BY 1",
    )
    .bind(key.project)
    .bind(key.dialect)
    .bind(key.event)
    .bind(since_ns)
    .bind(hour.saturating_mul(HOUR_NS))
    .bind(counted_origins())
    .fetch_all(connection)
    .await
}

/// The newest trace of an event in an hour. `None` if retention removed it before its time, to free space.
async fn newest_trace(
    connection: &mut SqliteConnection,
    key: EventKey,
    hour: i64,
) -> Result<Option<TraceRow>, sqlx::Error> {
    let sql = format!(
        "SELECT {TRACE_LINE} FROM traces t INDEXED BY traces_by_project WHERE t.project = ? AND t.dialect = ? AND t.event = ? \
         AND t.at_ns >= ? AND t.at_ns < ? ORDER BY t.at_ns DESC, t.id DESC LIMIT 1"
    );
    let newest: Option<fetch::StoredTrace> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(key.project)
        .bind(key.dialect)
        .bind(key.event)
        .bind(hour.saturating_mul(HOUR_NS))
        .bind(hour.saturating_add(1).saturating_mul(HOUR_NS))
        .fetch_optional(connection)
        .await?;
    Ok(newest.map(|stored| stored.row))
}

/// Whether a verdict of this name blocks the agent. An unknown name is of a later version and does not block.
pub(crate) fn blocks(word: &str) -> bool {
    serde_json::from_value(word.into()).is_ok_and(hookwright_model::VerdictKind::blocks)
}
