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
use crate::overlay::SpoolOverlay;
use crate::projection::trace_row;
use crate::spool_reader::{PageKey, SpooledTrace};
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
    /// The database or the spool cannot be read, or the database was found damaged.
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
        let db = self.db().await;
        let unread = self.unread_traces(db.as_ref()).await?;
        let (spooled, mut by_event) = match &db {
            Some(db) => {
                let found = read_database(db, &unread, &filter, events).await;
                self.check_result(db, found).await?
            }
            None => (SpoolOverlay::without_database(&unread), EventCounts::default()),
        };
        by_event.add(&spooled, &filter);
        let activity = |event: &&str| ((*event).to_owned(), by_event.remove_event(event));
        Ok(events.iter().map(activity).collect())
    }
}

/// The activity of a dialect's events in one project, while it is collected.
#[derive(Default)]
struct EventCounts {
    /// The number of traces and of blocked ones, by event.
    counts: BTreeMap<String, (u64, u64)>,
    /// The newest trace of each event.
    last: BTreeMap<String, (PageKey, TraceRow)>,
}

impl EventCounts {
    fn remove_event(&mut self, event: &str) -> EventActivity {
        let (traces, blocked) = self.counts.remove(event).unwrap_or_default();
        let last = self.last.remove(event).map(|(_, row)| row);
        EventActivity { traces, blocked, last }
    }

    /// Adds spooled traces. One that replaces a row is the same event, so it is not counted again.
    fn add(&mut self, spooled: &SpoolOverlay<'_>, filter: &TraceFilter) {
        let ever = TraceFilter {
            since: None,
            ..filter.clone()
        };
        for it in spooled.upserts.iter().filter(|it| ever.matches(&it.incoming.trace)) {
            let (key, trace) = (it.incoming.page_key(), &it.incoming.trace);
            if it.replaces.is_none() && filter.matches(trace) {
                let (traces, blocked) = self.counts.entry(trace.event.clone()).or_default();
                *traces += 1;
                *blocked += u64::from(trace.verdict.kind.blocks());
            }
            if self.last.get(&trace.event).is_none_or(|(last, _)| key >= *last) {
                self.last.insert(trace.event.clone(), (key, trace_row(trace)));
            }
        }
    }
}

async fn read_database<'a>(
    db: &Arc<Db>,
    unread: &'a [SpooledTrace],
    filter: &TraceFilter,
    events: &[&str],
) -> Result<(SpoolOverlay<'a>, EventCounts), sqlx::Error> {
    let mut transaction = Transaction::begin_read(&db.readers).await?;
    let spooled = SpoolOverlay::new(&mut transaction, unread).await?;
    let mut by_event = EventCounts::default();
    for (event, verdict, count) in count_by_verdict(&mut transaction, filter).await? {
        let count = count.unsigned_abs();
        let (traces, blocked) = by_event.counts.entry(event).or_default();
        *traces += count;
        if verdict.as_deref().is_some_and(blocks) {
            *blocked += count;
        }
    }
    for newest in newest_traces(&mut transaction, filter, events).await? {
        by_event.last.insert(newest.row.event.clone(), (newest.key, newest.row));
    }
    transaction.finish(Ok((spooled, by_event))).await
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

/// The newest trace of each event, however old, by one statement. For each event it reads the rarer tag back in time:
/// the event's or the project's.
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
        let walked = if *traces <= in_project { *event } else { project };
        query
            .push(format!(
                "SELECT * FROM (SELECT {TRACE_COLUMNS} FROM trace_tags m CROSS JOIN traces t ON t.seq = m.seq WHERE m.name = "
            ))
            .push_bind(walked)
            .push(" AND t.event = ")
            .push_bind(*event)
            .push(" AND t.dialect = ")
            .push_bind(dialect)
            .push(" AND t.project = ")
            .push_bind(project)
            .push(" ORDER BY m.at_ns DESC, m.id DESC LIMIT 1)");
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
