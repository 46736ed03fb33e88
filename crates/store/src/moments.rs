//! What became of each event of a dialect: how often, how often it was held, and what was last.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::trace::TraceRow;
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::digest::row;
use crate::error::StoreError;
use crate::fetch::{self, COLUMNS};
use crate::filter::Filter;
use crate::insert::json;
use crate::open::Db;
use crate::overlay::Overlay;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::unread::{Incoming, Key};

/// One event of a dialect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moment {
    /// How many traces since then.
    pub traces: u64,
    /// How many of them held the agent.
    pub held: u64,
    /// The newest trace, however old.
    pub last: Option<TraceRow>,
}

impl Store {
    /// What became of these events of a dialect in a project: counted since then, the newest of all times.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn moments(
        &self,
        project: &str,
        dialect: &str,
        events: &[&str],
        since: Timestamp,
    ) -> Result<BTreeMap<String, Moment>, StoreError> {
        let filter = Filter {
            project: Some(project.to_owned()),
            dialect: Some(dialect.to_owned()),
            since: Some(since),
            ..Filter::default()
        };
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        let (spooled, mut recorded) = match &db {
            Some(db) => {
                let found = of_database(db, &unread, &filter, events).await;
                self.checked(db, found).await?
            }
            None => (Overlay::alone(&unread), Recorded::default()),
        };
        recorded.add(&spooled, &filter);
        let moment = |event: &&str| ((*event).to_owned(), recorded.of(event));
        Ok(events.iter().map(moment).collect())
    }
}

/// What is known of the events of a dialect in a project.
#[derive(Default)]
struct Recorded {
    /// Traces and held ones, by event.
    tally: BTreeMap<String, (u64, u64)>,
    /// The newest of each event.
    last: BTreeMap<String, (Key, TraceRow)>,
}

impl Recorded {
    fn of(&mut self, event: &str) -> Moment {
        let (traces, held) = self.tally.remove(event).unwrap_or_default();
        let last = self.last.remove(event).map(|(_, row)| row);
        Moment { traces, held, last }
    }

    /// Adds what is spooled. What replaces a row is the same event.
    fn add(&mut self, spooled: &Overlay<'_>, filter: &Filter) {
        let ever = Filter {
            since: None,
            ..filter.clone()
        };
        for it in spooled.news.iter().filter(|it| ever.matches(&it.incoming.trace)) {
            let (key, trace) = (it.incoming.key(), &it.incoming.trace);
            if it.replaces.is_none() && filter.matches(trace) {
                let (traces, held) = self.tally.entry(trace.event.clone()).or_default();
                *traces += 1;
                *held += u64::from(trace.verdict.kind.blocks());
            }
            if self.last.get(&trace.event).is_none_or(|(last, _)| key >= *last) {
                self.last.insert(trace.event.clone(), (key, row(trace)));
            }
        }
    }
}

async fn of_database<'a>(
    db: &Arc<Db>,
    unread: &'a [Incoming],
    filter: &Filter,
    events: &[&str],
) -> Result<(Overlay<'a>, Recorded), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    let mut recorded = Recorded::default();
    for (event, verdict, count) in counted(&mut snapshot, filter).await? {
        let count = count.unsigned_abs();
        let (traces, held) = recorded.tally.entry(event).or_default();
        *traces += count;
        if verdict.as_deref().is_some_and(holds) {
            *held += count;
        }
    }
    for newest in newest(&mut snapshot, filter, events).await? {
        recorded.last.insert(newest.row.event.clone(), (newest.key, newest.row));
    }
    snapshot.finish(Ok((spooled, recorded))).await
}

/// Traces by event and verdict.
async fn counted(
    connection: &mut SqliteConnection,
    filter: &Filter,
) -> Result<Vec<(String, Option<String>, i64)>, sqlx::Error> {
    sqlx::query_as(
        "SELECT (SELECT value FROM names WHERE id = t.event), t.verdict ->> 'kind', count(*) FROM traces t \
         WHERE t.at_ns >= ? AND t.dialect = (SELECT id FROM names WHERE kind = 'dialect' AND value = ?) \
         AND t.project = (SELECT id FROM names WHERE kind = 'project' AND value = ?) GROUP BY 1, 2",
    )
    .bind(filter.since_ns())
    .bind(filter.dialect.as_deref())
    .bind(filter.project.as_deref())
    .fetch_all(connection)
    .await
}

/// The newest trace of each event, however old, by one statement: for each event the rarer one of its own marks and the
/// project's is walked.
async fn newest(
    connection: &mut SqliteConnection,
    filter: &Filter,
    events: &[&str],
) -> Result<Vec<fetch::Recorded>, sqlx::Error> {
    let names: Vec<(i64, String, i64)> = sqlx::query_as(
        "SELECT id, kind, traces FROM names WHERE traces > 0 AND (kind = 'event' AND value IN (SELECT value FROM json_each(?)) \
         OR kind = 'dialect' AND value = ? OR kind = 'project' AND value = ?)",
    )
    .bind(json(&events))
    .bind(filter.dialect.as_deref())
    .bind(filter.project.as_deref())
    .fetch_all(&mut *connection)
    .await?;
    let of = |kind: &str| names.iter().find(|name| name.1 == kind).map(|name| (name.0, name.2));
    let (Some((dialect, _)), Some((project, in_project))) = (of("dialect"), of("project")) else {
        return Ok(Vec::new());
    };
    let mut query = QueryBuilder::<Sqlite>::new("");
    for (event, _, traces) in names.iter().filter(|name| name.1 == "event") {
        if !query.sql().as_str().is_empty() {
            query.push(" UNION ALL ");
        }
        let walked = if *traces <= in_project { *event } else { project };
        query
            .push(format!(
                "SELECT * FROM (SELECT {COLUMNS} FROM marks m CROSS JOIN traces t ON t.seq = m.seq WHERE m.name = "
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

/// Whether a verdict of this word holds the agent; an unknown word is of a later version and counts as none.
fn holds(word: &str) -> bool {
    serde_json::from_value(word.into()).is_ok_and(hookwright_model::VerdictKind::blocks)
}
