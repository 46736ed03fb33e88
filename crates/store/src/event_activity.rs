//! The activity of each event of a dialect: how often it fired, how often it was blocked, and its newest trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::trace::TraceRow;
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::error::StoreError;
use crate::fetch::{self, TRACE_COLUMNS};
use crate::filter::TraceFilter;
use crate::insert::to_json;
use crate::open::Db;
use crate::store::Store;
use crate::transaction::Transaction;

/// The activity of one event of a dialect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventActivity {
    /// How many traces there are since the given time.
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
        let filter = TraceFilter {
            project: Some(project.to_owned()),
            dialect: Some(dialect.to_owned()),
            since: Some(since),
            ..TraceFilter::default()
        };
        let db = self.reading_db().await?;
        let found = read_database(&db, &filter, events).await;
        self.check_result(&db, found).await
    }
}

async fn read_database(
    db: &Arc<Db>,
    filter: &TraceFilter,
    events: &[&str],
) -> Result<BTreeMap<String, EventActivity>, sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let mut activities: BTreeMap<String, EventActivity> = events
        .iter()
        .map(|event| ((*event).to_owned(), EventActivity::default()))
        .collect();
    for (event, verdict, count) in count_by_verdict(&mut transaction, filter).await? {
        let count = count.unsigned_abs();
        let Some(activity) = activities.get_mut(&event) else {
            continue;
        };
        activity.traces += count;
        if verdict.as_deref().is_some_and(blocks) {
            activity.blocked += count;
        }
    }
    for newest in newest_traces(&mut transaction, filter, events).await? {
        if let Some(activity) = activities.get_mut(&newest.row.event) {
            activity.last = Some(newest.row);
        }
    }
    transaction.finish(Ok(activities)).await
}

/// Traces by event and verdict.
async fn count_by_verdict(
    connection: &mut SqliteConnection,
    filter: &TraceFilter,
) -> Result<Vec<(String, Option<String>, i64)>, sqlx::Error> {
    sqlx::query_as(
        "SELECT (SELECT value FROM tag_values WHERE id = t.event), t.verdict ->> 'kind', count(*) FROM traces t \
         WHERE t.at_ns >= ? AND t.dialect = (SELECT id FROM tag_values WHERE kind = 'dialect' AND value = ?) \
         AND t.project = (SELECT id FROM tag_values WHERE kind = 'project' AND value = ?) GROUP BY 1, 2",
    )
    .bind(filter.since_ns())
    .bind(filter.dialect.as_deref())
    .bind(filter.project.as_deref())
    .fetch_all(connection)
    .await
}

/// The newest trace of each event, however old, by one statement. For each event it reads the rarer ones back in time:
/// those of the event or those of the project.
async fn newest_traces(
    connection: &mut SqliteConnection,
    filter: &TraceFilter,
    events: &[&str],
) -> Result<Vec<fetch::StoredTrace>, sqlx::Error> {
    let tags: Vec<(i64, String, i64)> = sqlx::query_as(
        "SELECT id, kind, traces FROM tag_values WHERE traces > 0 AND (kind = 'event' AND value IN (SELECT value FROM json_each(?)) \
         OR kind = 'dialect' AND value = ? OR kind = 'project' AND value = ?)",
    )
    .bind(to_json(&events))
    .bind(filter.dialect.as_deref())
    .bind(filter.project.as_deref())
    .fetch_all(&mut *connection)
    .await?;
    let tag_of_kind = |kind: &str| tags.iter().find(|name| name.1 == kind).map(|name| (name.0, name.2));
    let (Some((dialect, _)), Some((project, in_project))) = (tag_of_kind("dialect"), tag_of_kind("project")) else {
        return Ok(Vec::new());
    };
    let mut query = QueryBuilder::<Sqlite>::new("");
    for (event, _, traces) in tags.iter().filter(|name| name.1 == "event") {
        if !query.sql().as_str().is_empty() {
            query.push(" UNION ALL ");
        }
        query.push(format!("SELECT * FROM (SELECT {TRACE_COLUMNS} FROM "));
        let walked = if *traces <= in_project {
            query
                .push("trace_tags m CROSS JOIN traces t ON t.seq = m.seq WHERE m.name = ")
                .push_bind(*event);
            "m"
        } else {
            query.push("traces t INDEXED BY traces_by_project WHERE true");
            "t"
        };
        query
            .push(" AND t.event = ")
            .push_bind(*event)
            .push(" AND t.dialect = ")
            .push_bind(dialect)
            .push(" AND t.project = ")
            .push_bind(project)
            .push(format!(" ORDER BY {walked}.at_ns DESC, {walked}.id DESC LIMIT 1)"));
    }
    if query.sql().as_str().is_empty() {
        return Ok(Vec::new());
    }
    query.build_query_as().fetch_all(connection).await
}

/// Whether a verdict of this name blocks the agent. An unknown name is of a later version and does not block.
fn blocks(word: &str) -> bool {
    serde_json::from_value(word.into()).is_ok_and(hookwright_model::VerdictKind::blocks)
}
